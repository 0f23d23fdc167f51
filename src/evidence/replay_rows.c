#include "evidence/replay_rows.h"

#include "evidence/replay_state.h"

#include <assert.h>

#define NO_KEY UINT32_MAX

void replay_rows_init(struct replay_state *state, struct esse_arena *arena)
{
    state->rows = (struct replay_rows){ .arena = arena, .round = 1 };
    if (state->grows)
        state->rows.predicates = esse_predicates_open(arena, state->history);
    else if (state->history->has & ESSE_HAS_PREDICATES)
        state->rows.predicates = esse_predicates_new(arena, state->history);
}

/* Only the first is reported. */
static void note_error(struct replay_rows *rows, uint32_t op, const struct esse_error *err)
{
    if (rows->error.code != ESSE_OK)
        return;
    rows->error = *err;
    rows->error_op = op;
}

/* The newest row of a key; a list is none. */
static esse_value newest(const struct replay_state *state, uint32_t key)
{
    return state->keys[key].item_count ? ESSE_NIL : state->keys[key].last.value;
}

/* ---- indexes ---- */

static bool entry_of(const struct replay_state *state, const struct replay_index *index,
                     uint32_t key, esse_value row, struct esse_entry *entry)
{
    if (esse_value_eq(row, ESSE_NIL))
        return false;
    const struct esse_place place = esse_column_place(state->history->values, index->column,
                                                      state->history->key_name[key], row);
    *entry = (struct esse_entry){ place.at, place.kind, key };
    return place.kind != ESSE_PLACE_NULL;
}

static uint32_t make_index(struct replay_state *state, struct esse_column column)
{
    struct replay_rows *rows = &state->rows;
    const uint32_t keys = state->history->keys, at = rows->index_count++;
    rows->indexes = esse_arena_grow(state->rows.arena, rows->indexes,
                                    rows->index_count * sizeof *rows->indexes);
    struct replay_index *index = &rows->indexes[at];
    struct esse_entry *entries =
        esse_arena_grow(state->rows.arena, NULL, (keys + (size_t)1) * sizeof *entries);
    size_t count = 0;
    *index = (struct replay_index){ .column = column };
    esse_sorted_init(&index->rows, state->rows.arena);
    for (uint32_t key = 0; key < keys; key++)
        if (entry_of(state, index, key, newest(state, key), &entries[count]))
            index->of_kind[entries[count++].kind]++;
    esse_sorted_fill(&index->rows, entries, count);
    esse_arena_drop(state->rows.arena, entries);
    return at;
}

static uint32_t find_index(struct replay_state *state, struct esse_column column)
{
    for (uint32_t i = 0; i < state->rows.index_count; i++)
        if (esse_column_eq(state->rows.indexes[i].column, column))
            return i;
    return make_index(state, column);
}

void replay_rows_change(struct replay_state *state, uint32_t key, esse_value from, esse_value to)
{
    for (uint32_t i = 0; i < state->rows.index_count; i++) {
        struct replay_index *index = &state->rows.indexes[i];
        struct esse_entry before = { 0 }, after = { 0 };
        const bool was = entry_of(state, index, key, from, &before);
        const bool is = entry_of(state, index, key, to, &after);
        if (was && is && before.at == after.at && before.kind == after.kind)
            continue;
        if (was)
            esse_sorted_remove(&index->rows, before);
        if (is)
            esse_sorted_add(&index->rows, after);
        index->of_kind[before.kind] -= was;
        index->of_kind[after.kind] += is;
    }
}

/* ---- texts ---- */

static void find_bounds(struct replay_state *state, struct replay_plan *plan)
{
    plan->tables = esse_statement_tables(plan->predicate);
    plan->has_bounds = true;
    for (uint32_t t = 0; t < plan->tables; t++)
        plan->has_bounds &= plan->tables == 1
                                ? esse_predicate_bounds(plan->predicate, &plan->bounds[t])
                                : esse_statement_bounds(plan->predicate, t, &plan->bounds[t]);
    for (uint32_t t = 0; plan->has_bounds && t < plan->tables; t++)
        plan->index[t] = find_index(state, plan->bounds[t].column);
}

static struct replay_plan make_plan(struct replay_state *state, uint32_t op, esse_value text)
{
    struct replay_rows *rows = &state->rows;
    struct esse_error err = { 0 };
    struct replay_plan plan = { .text = text,
                                .predicate = esse_predicates_get(rows->predicates, text, &err) };
    if (!plan.predicate)
        note_error(rows, op, &err);
    if (plan.predicate) {
        plan.is_exact = esse_statement_is_exact(plan.predicate);
        find_bounds(state, &plan);
    }
    return plan;
}

static void grow_plans(struct replay_state *state)
{
    struct replay_rows *rows = &state->rows;
    bool fresh;
    rows->plan_room = rows->plan_room ? rows->plan_room * 2 : 64;
    rows->plans =
        esse_arena_grow(state->rows.arena, rows->plans, rows->plan_room * sizeof *rows->plans);
    esse_word_map_clear(&rows->plan_of, state->rows.arena, rows->plan_room);
    for (uint32_t i = 0; i < rows->plan_count; i++)
        *esse_word_map_put(&rows->plan_of, rows->plans[i].text.word, &fresh) = i;
}

static struct replay_plan *plan_of(struct replay_state *state, uint32_t op)
{
    struct replay_rows *rows = &state->rows;
    const esse_value text = state->history->predicates[state->history->op_key[op]].text;
    uint32_t at = esse_word_map_get(&rows->plan_of, text.word, UINT32_MAX);
    if (at == UINT32_MAX) {
        bool fresh;
        if (rows->plan_count == rows->plan_room)
            grow_plans(state);
        at = rows->plan_count++;
        rows->plans[at] = make_plan(state, op, text);
        *esse_word_map_put(&rows->plan_of, text.word, &fresh) = at;
    }
    return &rows->plans[at];
}

/* ---- rows ---- */

static bool selects(struct replay_state *state, const struct replay_plan *plan, uint32_t op,
                    uint32_t key, esse_value value)
{
    struct esse_error err;
    bool selects = false;
    if (!plan->predicate || esse_value_eq(value, ESSE_NIL))
        return false;
    if (!esse_predicate_selects(plan->predicate, state->history->key_name[key], value, &selects,
                                &err)) {
        note_error(&state->rows, op, &err);
        return false;
    }
    return selects;
}

bool replay_rows_select(struct replay_state *state, uint32_t op, uint32_t key, esse_value value)
{
    return selects(state, plan_of(state, op), op, key, value);
}

bool replay_rows_tell_all(struct replay_state *state, uint32_t op)
{
    const struct esse_history *history = state->history;
    return plan_of(state, op)->is_exact && !history->predicates[history->op_key[op]].no_rows;
}

/* One evaluation of an operation's predicate. */
struct search {
    struct replay_state *state;
    struct replay_plan *plan;
    uint32_t txn, op, snapshot;
    bool is_newest;
    bool by_rows;               /* the rows it returned are all that it selects */
    struct esse_answer *answer; /* or NULL */
    uint32_t found, missing; /* rows that were returned and are selected; the first of the others */
};

static esse_value row_at(const struct search *search, uint32_t key)
{
    const struct replay_state *state = search->state;
    if (search->is_newest)
        return newest(state, key);
    const struct replay_own own =
        replay_own_writes(state->history, search->txn, search->op, (esse_key){ key });
    const struct replay_version version = replay_state_at(state, key, search->snapshot);
    return version.count || own.appends ? ESSE_NIL : own.written ? own.value : version.value;
}

static void add_to_answer(struct search *search, uint32_t key, esse_value row)
{
    struct replay_state *state = search->state;
    struct esse_error err;
    if (!esse_value_eq(row, ESSE_NIL) &&
        !esse_answer_add(search->answer, state->history->key_name[key], row, key, &err))
        note_error(&state->rows, search->op, &err);
}

/* Rows that were returned are marked with the round, those that were looked at with the next. */
static void look_at(struct search *search, uint32_t key)
{
    struct replay_state *state = search->state;
    const uint32_t round = state->rows.round, mark = state->keys[key].mark;
    if (mark == round + 1)
        return;
    state->keys[key].mark = round + 1;
    const esse_value row = row_at(search, key);
    if (search->answer)
        add_to_answer(search, key, row);
    if (!search->by_rows || !selects(state, search->plan, search->op, key, row))
        return;
    if (mark == round)
        search->found++;
    else if (key < search->missing)
        search->missing = key;
}

/* From one place to another, both included. */
static void look_between(struct search *search, uint32_t table, uint32_t kind, uint64_t low,
                         uint64_t high)
{
    const struct replay_index *index = &search->state->rows.indexes[search->plan->index[table]];
    if (!index->of_kind[kind])
        return;
    struct esse_entry_cursor cursor = esse_sorted_seek(&index->rows, kind, low);
    for (const struct esse_entry *entry = esse_entry_cursor_next(&cursor);
         entry && entry->kind == kind && entry->at <= high; entry = esse_entry_cursor_next(&cursor))
        look_at(search, entry->key);
}

static void look_in_index(struct search *search, uint32_t table)
{
    const struct esse_bounds *bounds = &search->plan->bounds[table];
    for (uint32_t kind = ESSE_PLACE_NUMBER; kind <= ESSE_PLACE_OTHER; kind++) {
        if (kind != bounds->kind)
            look_between(search, table, kind, 0, UINT64_MAX);
        else if (bounds->low <= bounds->high)
            look_between(search, table, kind, bounds->low, bounds->high);
    }
}

/* What may have been in the interval and no longer is. */
static void look_at_changes(struct search *search)
{
    struct replay_state *state = search->state;
    const struct esse_history *history = state->history;
    const size_t from = search->snapshot < state->commits ? state->change_first.at[search->snapshot]
                                                          : state->changes.count;
    for (size_t i = from; i < state->changes.count; i++)
        look_at(search, state->changes.at[i]);
    for (uint32_t op = history->txn_op[search->txn]; op < search->op; op++) {
        const uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            const struct esse_access access = esse_access_at(history, op, i);
            if (access.kind != ESSE_OP_READ)
                look_at(search, access.key.ix);
        }
    }
}

/* The first row that was returned and is not selected. */
static bool is_not_selected(struct search *search, const struct esse_predicate_op *predicate)
{
    struct replay_state *state = search->state;
    const struct esse_keyed_row *rows = state->history->rows + predicate->row;
    uint32_t at = 0;
    while (
        at + 1 < predicate->row_count && state->keys[rows[at].key.ix].mark != state->rows.round &&
        selects(state, search->plan, search->op, rows[at].key.ix, row_at(search, rows[at].key.ix)))
        at++;
    return replay_state_misses(state, REPLAY_MISS_NOT_SELECTED, search->op, rows[at].key.ix);
}

/* Marks of other rounds are below. */
static void next_round(struct replay_state *state)
{
    if (state->rows.round < UINT32_MAX - 4) {
        state->rows.round += 2;
        return;
    }
    for (uint32_t key = 0; key < state->history->keys; key++)
        state->keys[key].mark = 0;
    state->rows.round = 1;
}

static void look_for_rows(struct search *search)
{
    const uint32_t keys = search->state->history->keys;
    for (uint32_t t = 0; search->plan->has_bounds && t < search->plan->tables; t++)
        look_in_index(search, t);
    if (search->plan->has_bounds && !search->is_newest)
        look_at_changes(search);
    for (uint32_t key = 0; !search->plan->has_bounds && key < keys; key++)
        look_at(search, key);
}

/* Of a LIMIT or a join: are the rows some that it may return? */
static bool may_return(struct search *search, const struct esse_predicate_op *predicate)
{
    struct replay_state *state = search->state;
    uint32_t *tags =
        esse_arena_grow(state->arena, NULL, (predicate->row_count + (size_t)1) * sizeof *tags);
    uint32_t odd = 0;
    bool missing = false;
    for (uint32_t i = 0; i < predicate->row_count; i++)
        tags[i] = state->history->rows[predicate->row + i].key.ix;
    const bool ok = esse_answer_may_be(search->answer, tags, predicate->row_count, &odd, &missing);
    esse_arena_drop(state->arena, tags);
    return ok ||
           replay_state_misses(state, missing ? REPLAY_MISS_LEFT_OUT : REPLAY_MISS_NOT_SELECTED,
                               search->op, odd);
}

static bool is_answer(struct search *search, const struct esse_predicate_op *predicate)
{
    struct replay_state *state = search->state;
    struct esse_error err;
    state->rows.answer = search->answer;
    if (!esse_answer_end(search->answer, &err)) {
        note_error(&state->rows, search->op, &err);
        return true; /* it proves nothing */
    }
    if (!predicate->no_rows && !search->by_rows && !may_return(search, predicate))
        return false;
    return !predicate->has_result ||
           esse_answer_is(search->answer, esse_history_result(state->history, predicate),
                          predicate->result_count) ||
           replay_state_misses(state, REPLAY_MISS_RESULT, search->op, NO_KEY);
}

static struct esse_answer *begin_answer(struct search *search)
{
    struct replay_plan *plan = search->plan;
    if (!plan->answer)
        plan->answer = esse_answer_new(search->state->rows.arena, plan->predicate);
    esse_answer_begin(plan->answer);
    return plan->answer;
}

static bool run(struct search *search)
{
    struct replay_state *state = search->state;
    const struct esse_history *history = state->history;
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[search->op]];
    search->plan = plan_of(state, search->op);
    if (!search->plan->predicate || (predicate->no_rows && !predicate->has_result))
        return true;
    search->missing = NO_KEY;
    search->by_rows = replay_rows_tell_all(search->state, search->op);
    if (!search->by_rows || predicate->has_result)
        search->answer = begin_answer(search);
    next_round(state);
    for (uint32_t i = 0; i < predicate->row_count; i++)
        state->keys[history->rows[predicate->row + i].key.ix].mark = state->rows.round;
    look_for_rows(search);
    if (search->by_rows && search->found != predicate->row_count)
        return is_not_selected(search, predicate);
    if (search->by_rows && search->missing != NO_KEY)
        return replay_state_misses(state, REPLAY_MISS_LEFT_OUT, search->op, search->missing);
    return !search->answer || is_answer(search, predicate);
}

bool replay_rows_newest(struct replay_state *state, uint32_t op)
{
    struct search search = { .state = state, .op = op, .is_newest = true };
    return run(&search);
}

bool replay_rows_at(struct replay_state *state, uint32_t txn, uint32_t op, uint32_t snapshot)
{
    struct search search = { .state = state, .txn = txn, .op = op, .snapshot = snapshot };
    assert(state->keeps_changes || snapshot == state->commits);
    return run(&search);
}
