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

static void make_index(struct replay_state *state, struct esse_column column)
{
    struct replay_rows *rows = &state->rows;
    const uint32_t keys = state->history->keys;
    rows->indexes = esse_arena_grow(rows->arena, rows->indexes,
                                    (rows->index_count + (size_t)1) * sizeof *rows->indexes);
    struct replay_index *index = &rows->indexes[rows->index_count++];
    struct esse_entry *entries =
        esse_arena_grow(rows->arena, NULL, (keys + (size_t)1) * sizeof *entries);
    size_t count = 0;
    *index = (struct replay_index){ .column = column };
    esse_sorted_init(&index->rows, rows->arena);
    for (uint32_t key = 0; key < keys; key++)
        if (entry_of(state, index, key, newest(state, key), &entries[count]))
            index->of_kind[entries[count++].kind]++;
    esse_sorted_fill(&index->rows, entries, count);
    esse_arena_drop(rows->arena, entries);
}

static const struct replay_index *index_of(struct replay_state *state, struct esse_column column)
{
    uint32_t at = 0;
    while (at < state->rows.index_count && !esse_column_eq(state->rows.indexes[at].column, column))
        at++;
    if (at == state->rows.index_count)
        make_index(state, column);
    return &state->rows.indexes[at];
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

static struct replay_plan make_plan(const struct esse_predicate *predicate)
{
    struct replay_plan plan = { .predicate = predicate, .has_bounds = true };
    for (uint32_t t = 0; t < esse_statement_tables(predicate); t++)
        plan.has_bounds &= esse_statement_bounds(predicate, t, &plan.bounds[t]);
    return plan;
}

static const struct esse_predicate_op *returned_by(const struct replay_state *state, uint32_t op)
{
    return &state->history->predicates[state->history->op_key[op]];
}

static struct replay_plan *plan_of(struct replay_state *state, uint32_t op)
{
    struct replay_rows *rows = &state->rows;
    struct esse_error err = { 0 };
    const struct esse_predicate *predicate =
        esse_predicates_get(rows->predicates, returned_by(state, op)->text, &err);
    if (!predicate) {
        note_error(rows, op, &err);
        return &rows->broken;
    }
    const uint32_t number = esse_predicate_number(predicate);
    assert(number <= rows->plans.count);
    if (number == rows->plans.count)
        replay_plan_vec_push(&rows->plans, rows->arena, make_plan(predicate));
    return &rows->plans.at[number];
}

/* ---- rows ---- */

static enum esse_truth ask(struct replay_state *state, const struct replay_plan *plan, uint32_t op,
                           uint32_t key, esse_value value)
{
    struct esse_error err;
    bool selects;
    if (!plan->predicate)
        return ESSE_TRUTH_UNKNOWN;
    if (esse_predicate_selects(plan->predicate, state->history->key_name[key], value, &selects,
                               &err))
        return selects ? ESSE_TRUTH_TRUE : ESSE_TRUTH_FALSE;
    note_error(&state->rows, op, &err);
    return ESSE_TRUTH_UNKNOWN;
}

enum esse_truth replay_rows_ask(struct replay_state *state, uint32_t op, uint32_t key,
                                esse_value value)
{
    return ask(state, plan_of(state, op), op, key, value);
}

static bool tells_all(const struct replay_plan *plan, const struct esse_predicate_op *returned)
{
    return plan->predicate && esse_statement_is_exact(plan->predicate) && !returned->no_rows;
}

bool replay_rows_tell_all(struct replay_state *state, uint32_t op)
{
    return tells_all(plan_of(state, op), returned_by(state, op));
}

/* One evaluation of an operation's predicate. */
struct search {
    struct replay_state *state;
    struct replay_plan *plan;
    const struct esse_predicate_op *returned;
    uint32_t txn, op, snapshot;
    bool is_newest, is_whole, lacks_rows;
    bool by_rows;               /* the rows it returned are held against those that it selects */
    struct esse_answer *answer; /* or NULL */
    uint32_t missing;           /* the first row that was not returned and is selected, or NO_KEY */
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

/* Is the row of a key selected, and was not looked at before? */
static bool is_selected(struct search *search, uint32_t key)
{
    struct replay_state *state = search->state;
    struct esse_error err;
    if (state->keys[key].mark == state->rows.round)
        return false;
    state->keys[key].mark = state->rows.round;
    const esse_value row = row_at(search, key);
    if (search->answer &&
        !esse_answer_add(search->answer, state->history->key_name[key], row, key, &err))
        note_error(&state->rows, search->op, &err);
    return search->by_rows && ask(state, search->plan, search->op, key, row) == ESSE_TRUTH_TRUE;
}

static void look_at(struct search *search, uint32_t key)
{
    if (is_selected(search, key) && key < search->missing)
        search->missing = key;
}

/* From one place to another, both included. */
static void look_between(struct search *search, const struct replay_index *index, uint32_t kind,
                         uint64_t low, uint64_t high)
{
    if (!index->of_kind[kind] || low > high)
        return;
    struct esse_entry_cursor cursor = esse_sorted_seek(&index->rows, kind, low);
    for (const struct esse_entry *entry = esse_entry_cursor_next(&cursor);
         entry && entry->kind == kind && entry->at <= high; entry = esse_entry_cursor_next(&cursor))
        look_at(search, entry->key);
}

static void look_in_index(struct search *search, const struct esse_bounds *bounds)
{
    const struct replay_index *index = index_of(search->state, bounds->column);
    for (uint32_t kind = ESSE_PLACE_NUMBER; kind <= ESSE_PLACE_OTHER; kind++)
        look_between(search, index, kind, kind == bounds->kind ? bounds->low : 0,
                     kind == bounds->kind ? bounds->high : UINT64_MAX);
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
    struct esse_access_walk walk = { history, history->txn_op[search->txn], search->op };
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ)
            look_at(search, walk.access.key.ix);
}

/* Marks of other rounds are below. */
static void next_round(struct replay_state *state)
{
    if (++state->rows.round < UINT32_MAX)
        return;
    for (uint32_t key = 0; key < state->history->keys; key++)
        state->keys[key].mark = 0;
    state->rows.round = 1;
}

static void look_for_rows(struct search *search)
{
    const struct replay_plan *plan = search->plan;
    const uint32_t keys = search->state->history->keys;
    for (uint32_t t = 0; plan->has_bounds && t < esse_statement_tables(plan->predicate); t++)
        look_in_index(search, &plan->bounds[t]);
    if (plan->has_bounds && !search->is_newest)
        look_at_changes(search);
    for (uint32_t key = 0; !plan->has_bounds && key < keys; key++)
        look_at(search, key);
}

/* ---- what was returned ---- */

/* Of a LIMIT or a join: are the rows some that it may return? */
static bool may_return(struct search *search)
{
    struct replay_state *state = search->state;
    uint32_t odd;
    bool missing;
    return esse_answer_may_be(search->answer, state->history->rows + search->returned->row,
                              search->returned->row_count, &odd, &missing) ||
           replay_state_misses(state, missing ? ESSE_MISMATCH_LEFT_OUT : ESSE_MISMATCH_NOT_SELECTED,
                               search->op, odd);
}

static bool end_answer(struct search *search)
{
    struct esse_error err;
    if (esse_answer_end(search->answer, &err))
        return true;
    note_error(&search->state->rows, search->op, &err);
    return false;
}

static bool is_answer(struct search *search)
{
    const struct esse_predicate *predicate = search->plan->predicate;
    const struct esse_predicate_op *returned = search->returned;
    struct replay_state *state = search->state;
    state->rows.answer = search->answer;
    if (!end_answer(search))
        return true; /* it proves nothing */
    if (!returned->no_rows && !esse_statement_is_exact(predicate) &&
        !(search->lacks_rows && esse_statement_skips(predicate)) && !may_return(search))
        return false;
    return !returned->has_result ||
           esse_answer_is(search->answer, esse_history_result(state->history, returned),
                          returned->result_count) ||
           replay_state_misses(state, ESSE_MISMATCH_RESULT, search->op, NO_KEY);
}

static void begin_answer(struct search *search)
{
    struct replay_plan *plan = search->plan;
    if (!plan->answer)
        plan->answer = esse_answer_new(search->state->rows.arena, plan->predicate);
    search->answer = plan->answer;
    esse_answer_begin(search->answer);
}

static bool run(struct search *search)
{
    struct replay_state *state = search->state;
    const struct esse_predicate_op *returned = search->returned = returned_by(state, search->op);
    search->plan = plan_of(state, search->op);
    if (!search->plan->predicate || (returned->no_rows && !returned->has_result))
        return true;
    search->missing = NO_KEY;
    search->by_rows = !search->is_whole && tells_all(search->plan, returned);
    if (!search->by_rows || returned->has_result)
        begin_answer(search);
    next_round(state);
    for (uint32_t i = 0; search->by_rows && i < returned->row_count; i++) {
        const uint32_t key = state->history->rows[returned->row + i].key.ix;
        if (!is_selected(search, key))
            return replay_state_misses(state, ESSE_MISMATCH_NOT_SELECTED, search->op, key);
    }
    look_for_rows(search);
    if (search->missing != NO_KEY)
        return replay_state_misses(state, ESSE_MISMATCH_LEFT_OUT, search->op, search->missing);
    return !search->answer || is_answer(search);
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

bool replay_rows_whole(struct replay_state *state, uint32_t op, bool has_all)
{
    struct search search = {
        .state = state, .op = op, .is_newest = true, .is_whole = true, .lacks_rows = !has_all
    };
    return run(&search);
}

/* ---- joins ---- */

bool replay_rows_is_join(struct replay_state *state, uint32_t op)
{
    const struct replay_plan *plan = plan_of(state, op);
    return plan->predicate && esse_statement_tables(plan->predicate) > 1;
}

bool replay_rows_are_joined(struct replay_state *state, uint32_t op, uint32_t key)
{
    struct search search = {
        .state = state, .plan = plan_of(state, op), .op = op, .is_newest = true
    };
    uint32_t count = 0;
    assert(replay_rows_is_join(state, op));
    search.answer = esse_answer_new(state->rows.arena, search.plan->predicate);
    esse_answer_pair(search.answer);
    esse_answer_begin(search.answer);
    next_round(state);
    look_for_rows(&search);
    if (!end_answer(&search))
        return false;
    const struct esse_answer_pair *pairs = esse_answer_pairs(search.answer, &count);
    while (count && pairs[count - 1].left != key && pairs[count - 1].right != key)
        count--;
    return count > 0;
}
