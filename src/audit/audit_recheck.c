#include "audit/audit_state.h"

#include <stdlib.h>
#include <string.h>

/*
 * What holds is run once more, with none of the search's parts: a store that is a list of rows with
 * their places, looked through from its end each time.
 */
enum { MOST_WORK = 20000000 }; /* rows looked at: about a third of a second */

struct naive_row {
    const struct esse_table *table;
    struct esse_bytes key;
    const struct esse_datum *row;
    uint32_t place, writer;
};
ESSE_VEC(naive_row_vec, struct naive_row)

struct naive {
    struct esse_store store;
    struct esse_arena *arena;
    struct naive_row_vec rows;
    uint32_t state;
    uint64_t work, numbers;
};

struct rechecking {
    struct audit_world *world;
    const struct audit_question *question;
    const struct audit_plan *plan;
    const struct audit_answer *answer;
    struct naive naive;
    struct esse_exec *exec;
    uint32_t placed;
};

/* ---- the store ---- */

static const struct naive_row *newest_row(struct naive *n, const struct esse_table *table,
                                          struct esse_bytes key, uint32_t state)
{
    for (size_t i = n->rows.count; i-- > 0; n->work++) {
        const struct naive_row *one = &n->rows.at[i];
        if (one->table == table && one->place <= state && esse_bytes_compare(one->key, key) == 0)
            return one;
    }
    return NULL;
}

static const struct esse_datum *naive_get(void *context, const struct esse_table *table,
                                          struct esse_bytes key)
{
    struct naive *n = context;
    const struct naive_row *one = newest_row(n, table, key, n->state);
    return one ? one->row : NULL;
}

struct naive_entry {
    struct esse_bytes entry;
    struct esse_found found;
};
ESSE_VEC(naive_entry_vec, struct naive_entry)

static int by_entry(const void *a, const void *b)
{
    const struct naive_entry *x = a, *y = b;
    return esse_bytes_compare(x->entry, y->entry);
}

static bool is_within(struct esse_bytes entry, struct esse_bytes low, struct esse_bytes high)
{
    return esse_bytes_compare(entry, low) >= 0 && (!high.at || esse_bytes_compare(entry, high) < 0);
}

static void naive_range(void *context, const struct esse_table *table, uint32_t index,
                        struct esse_bytes low, struct esse_bytes high, struct esse_arena *arena,
                        struct esse_found_vec *found)
{
    struct naive *n = context;
    struct naive_entry_vec entries = { 0 };
    for (size_t i = 0; i < n->rows.count; i++) {
        const struct naive_row *one = &n->rows.at[i];
        if (one->table != table || !one->row || newest_row(n, table, one->key, n->state) != one)
            continue;
        struct naive_entry entry = { one->key, { one->key, one->row } };
        struct esse_u8_vec bytes = { 0 };
        struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
        if (index != ESSE_BY_KEY) {
            if (!esse_key_entry(&bytes, arena, table, index, one->row, one->key, &fault))
                continue;
            entry.entry = (struct esse_bytes){ bytes.at, (uint32_t)bytes.count };
        }
        if (is_within(entry.entry, low, high))
            naive_entry_vec_push(&entries, arena, entry);
    }
    if (entries.count)
        qsort(entries.at, entries.count, sizeof *entries.at, by_entry);
    for (size_t i = 0; i < entries.count; i++)
        esse_found_vec_push(found, arena, entries.at[i].found);
}

static uint64_t naive_number(void *context, const struct esse_table *table)
{
    struct naive *n = context;
    (void)table;
    return ++n->numbers + ((uint64_t)1 << 40); /* above those of state 0 */
}

static void keep_row(struct naive *n, const struct esse_table *table, struct esse_bytes key,
                     const struct esse_datum *row, uint32_t place, uint32_t writer)
{
    uint8_t *bytes = esse_arena_alloc(n->arena, key.length + 1, 1);
    struct esse_datum *copy = NULL;
    memcpy(bytes, key.at, key.length);
    if (row)
        copy = esse_arena_alloc(n->arena, table->column_count + 1, sizeof *copy);
    for (uint32_t i = 0; row && i < table->column_count; i++)
        copy[i] = esse_datum_keep(n->arena, row[i]);
    naive_row_vec_push(&n->rows, n->arena,
                       (struct naive_row){ table, { bytes, key.length }, copy, place, writer });
}

/* ---- one transaction ---- */

static bool run_statement(struct rechecking *r, const struct esse_log_statement *statement,
                          struct esse_sql_result *result, struct esse_fault *fault)
{
    struct audit_world *world = r->world;
    struct esse_compiled compiled;
    esse_arena_clear(world->scratch);
    struct esse_datum *args =
        esse_arena_alloc(world->scratch, statement->args.count + 1, sizeof *args);
    for (uint32_t i = 0; i < statement->args.count; i++)
        audit_value(world, world->log->cells.at[statement->args.first + i], ESSE_TYPE(UNKNOWN),
                    &args[i]);
    world->running = statement;
    return esse_compile(world->compiler, statement->text.at, statement->text.length, &compiled,
                        fault) &&
           esse_exec_run(r->exec, &compiled, args, statement->args.count, result, fault);
}

static bool fails_at(struct rechecking *r, const struct esse_log_statement *statement,
                     uint32_t state, const char *expected)
{
    const struct esse_exec_mark mark = esse_exec_mark(r->exec);
    struct esse_sql_result result;
    struct esse_fault fault;
    r->naive.state = state;
    if (!run_statement(r, statement, &result, &fault))
        return strcmp(fault.state, expected) == 0;
    esse_exec_back(r->exec, mark);
    return false;
}

static bool statement_is_right(struct rechecking *r, const struct esse_log_statement *statement,
                               uint32_t state)
{
    struct esse_sql_result result;
    struct esse_fault fault;
    char expected[6];
    if (statement->has & ESSE_LOG_ERROR) {
        const enum audit_error_class class =
            audit_error_class(r->world, statement->error, expected);
        bool fails = class == AUDIT_ERROR_ALWAYS ||
                     (class == AUDIT_ERROR_DATA && fails_at(r, statement, state, expected));
        for (uint32_t b = 0; class == AUDIT_ERROR_CONSTRAINT && !fails && b <= r->placed; b++)
            fails = fails_at(r, statement, b, expected);
        return fails;
    }
    r->naive.state = state;
    return run_statement(r, statement, &result, &fault) &&
           audit_answer_fits(r->world, statement, &result);
}

/* Its writes: in no conflict, and not against the order of versions. */
static bool writes_are_right(struct rechecking *r, uint32_t txn, uint32_t state, bool *wrote)
{
    const struct esse_overlay *overlay = esse_exec_overlay(r->exec);
    const int64_t *positions = r->plan->positions;
    const struct esse_write *write;
    const struct esse_datum *row;
    *wrote = false;
    for (uint32_t at = 0; esse_overlay_next(overlay, &at, &write, &row); *wrote = true)
        for (size_t i = 0; i < r->naive.rows.count; i++) {
            const struct naive_row *one = &r->naive.rows.at[i];
            if (one->writer == AUDIT_NONE || one->table != write->table ||
                esse_bytes_compare(one->key, write->key) != 0)
                continue;
            if (one->place > state || (positions && positions[txn] != INT64_MIN &&
                                       positions[one->writer] > positions[txn]))
                return false;
        }
    return true;
}

static bool txn_is_right(struct rechecking *r, const struct audit_place *place)
{
    const struct esse_log_txn *txn = &r->world->log->txns.at[place->txn];
    struct esse_fault fault;
    bool wrote;
    r->world->now = 0;
    esse_exec_begin(r->exec);
    for (uint32_t s = 0; s < txn->statements.count; s++)
        if (!statement_is_right(r, &r->world->log->statements.at[txn->statements.first + s],
                                place->state))
            return false;
    if (!writes_are_right(r, place->txn, place->state, &wrote) || (wrote && !place->place) ||
        (txn->wrote != ESSE_LOG_WROTE_NOT_SAID && wrote != (txn->wrote == ESSE_LOG_WROTE)))
        return false;
    r->naive.state = r->placed;
    if (!esse_exec_end(r->exec, &fault) || (wrote && !esse_exec_verify(r->exec, &fault)))
        return false;
    if (!place->place)
        return true;
    r->placed++;
    const struct esse_write *write;
    const struct esse_datum *row;
    for (uint32_t at = 0; esse_overlay_next(esse_exec_overlay(r->exec), &at, &write, &row);)
        keep_row(&r->naive, write->table, write->key, row, r->placed, place->txn);
    return place->place == r->placed;
}

/* ---- all of them ---- */

static bool state_is_allowed(const struct rechecking *r, const struct audit_place *place)
{
    if (r->question->level <= AUDIT_STRICT_SERIALIZABLE)
        return place->state == r->placed;
    return place->state <= r->placed;
}

/* Each that committed stands there once, none that aborted does. */
static bool all_are_there(const struct rechecking *r)
{
    const struct esse_sql_log *log = r->world->log;
    uint32_t *times = calloc(log->txns.count + 1, sizeof *times);
    bool ok = times != NULL;
    for (uint32_t i = 0; ok && i < r->answer->place_count; i++)
        times[r->answer->places[i].txn]++;
    for (uint32_t t = 0; ok && t < log->txns.count; t++)
        ok = log->txns.at[t].status == ESSE_COMMITTED         ? times[t] == 1
             : log->txns.at[t].status == ESSE_UNKNOWN_OUTCOME ? times[t] <= 1
                                                              : times[t] == 0;
    free(times);
    return ok;
}

/* No transaction stands behind one that started after it had ended, and sees what had ended. */
static bool agrees_with_time(struct rechecking *r)
{
    const struct audit_answer *answer = r->answer;
    for (uint32_t i = 0; r->plan->has_real_time && i < answer->place_count; i++)
        for (uint32_t j = 0; j < answer->place_count; j++, r->naive.work++) {
            const struct audit_place *a = &answer->places[j], *b = &answer->places[i];
            if (audit_end_of(r->world, a->txn) >= audit_start_of(r->world, b->txn))
                continue;
            if ((a->place && a->place > b->state) || (!a->place && a->state > b->state))
                return false;
        }
    return true;
}

static void take_state_0(struct rechecking *r)
{
    const struct audit_version_vec *all = audit_versions_all(r->world->versions);
    for (size_t v = 0; v < all->count; v++) {
        const struct esse_table *table;
        const struct esse_bytes key =
            audit_versions_key(r->world->versions, all->at[v].key, &table);
        keep_row(&r->naive, table, key, all->at[v].row, 0, AUDIT_NONE);
    }
}

enum audit_rechecked audit_recheck(struct audit_world *world, const struct audit_question *question,
                                   const struct audit_plan *plan, const struct audit_answer *answer)
{
    struct rechecking r = { .world = world, .question = question, .plan = plan, .answer = answer };
    for (size_t t = 0; t < world->log->txns.count; t++)
        if (world->facts[t].is_schema)
            return AUDIT_NOT_RECHECKED;
    if (question->level > AUDIT_STRONG_SNAPSHOT_ISOLATION || question->by_value)
        return AUDIT_NOT_RECHECKED;
    /* Each statement looks at a row at least, through half of the list. */
    const size_t rows = audit_versions_all(world->versions)->count + answer->place_count;
    if (rows > 0 && world->log->statements.count > MOST_WORK / rows)
        return AUDIT_NOT_RECHECKED;
    r.naive.arena = esse_arena_new();
    r.naive.store = (struct esse_store){ &r.naive, naive_get, naive_range, naive_number };
    r.exec = esse_exec_new(world->compiler, world->schema, &r.naive.store, &world->outside);
    take_state_0(&r);
    bool ok = all_are_there(&r);
    for (uint32_t i = 0; ok && i < answer->place_count && r.naive.work <= MOST_WORK; i++)
        ok = state_is_allowed(&r, &answer->places[i]) && txn_is_right(&r, &answer->places[i]);
    ok = ok && (r.naive.work > MOST_WORK || agrees_with_time(&r));
    const bool is_whole = r.naive.work <= MOST_WORK;
    audit_world_back(world, 0);
    esse_exec_free(r.exec);
    esse_arena_free(r.naive.arena);
    return !ok ? AUDIT_RECHECK_FAILED : is_whole ? AUDIT_RECHECKED : AUDIT_NOT_RECHECKED;
}
