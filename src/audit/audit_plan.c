#include "audit/audit_state.h"

#include <stdlib.h>
#include <string.h>

/* Orders: what is given, and a first guess. */

struct keyed {
    int64_t key;
    uint32_t txn;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->txn < y->txn ? -1 : x->txn > y->txn;
}

static int64_t key_of(const struct audit_world *world, enum audit_order order,
                      const int64_t *places, uint32_t txn)
{
    const struct esse_log_txn *one = &world->log->txns.at[txn];
    switch (order) {
    case AUDIT_ORDER_GIVEN:
        return places[txn];
    case AUDIT_ORDER_END:
        return one->end;
    default:
        return one->commit_ts;
    }
}

/* By transaction its place in the order line, or ESSE_NO_TIME. */
static int64_t *given_places(struct esse_arena *arena, const struct esse_sql_log *log)
{
    int64_t *places = esse_arena_alloc(arena, log->txns.count + 1, sizeof *places);
    for (size_t t = 0; t < log->txns.count; t++)
        places[t] = ESSE_NO_TIME;
    for (size_t i = 0; i < log->order.count; i++)
        places[log->order.at[i]] = (int64_t)i;
    return places;
}

static bool counts(const struct audit_world *world, uint32_t txn, enum esse_status status)
{
    return world->log->txns.at[txn].status == status;
}

/* The writers by commit_ts, put where writers stand in the order of ends, which readers have. */
static void guess(struct esse_arena *arena, const struct audit_world *world,
                  struct audit_plan *plan, const int64_t *places)
{
    const uint32_t n = (uint32_t)world->log->txns.count;
    struct keyed *all = esse_arena_alloc(arena, n + 1, sizeof *all),
                 *writers = esse_arena_alloc(arena, n + 1, sizeof *writers);
    uint32_t count = 0, writing = 0;
    bool has_commit = true, has_place = world->log->has_order;
    for (uint32_t t = 0; t < n; t++) {
        const struct esse_log_txn *txn = &world->log->txns.at[t];
        if (!counts(world, t, ESSE_COMMITTED))
            continue;
        all[count++] = (struct keyed){ txn->end == ESSE_NO_TIME ? INT64_MAX : txn->end, t };
        if (!world->facts[t].changes)
            continue;
        has_commit = has_commit && txn->commit_ts != ESSE_NO_TIME;
        has_place = has_place && places[t] != ESSE_NO_TIME;
        writers[writing++] = all[count - 1];
    }
    qsort(all, count, sizeof *all, by_key);
    for (uint32_t i = 0; (has_commit || has_place) && i < writing; i++)
        writers[i].key =
            has_place ? places[writers[i].txn] : world->log->txns.at[writers[i].txn].commit_ts;
    qsort(writers, writing, sizeof *writers, by_key);
    for (uint32_t i = 0, next = 0; i < count; i++) {
        if (world->facts[all[i].txn].changes) {
            plan->writers[plan->writer_count++] = writers[next++].txn;
        } else {
            plan->due[plan->reader_count] = plan->writer_count;
            plan->readers[plan->reader_count++] = all[i].txn;
        }
    }
}

/* Exactly the given order: every transaction that has a place in it is a writer here. */
static void fix(struct esse_arena *arena, const struct audit_world *world, struct audit_plan *plan,
                enum audit_order order, const int64_t *places)
{
    const uint32_t n = (uint32_t)world->log->txns.count;
    struct keyed *all = esse_arena_alloc(arena, n + 1, sizeof *all);
    uint32_t count = 0;
    for (uint32_t t = 0; t < n; t++) {
        const int64_t key = key_of(world, order, places, t);
        if (!counts(world, t, ESSE_ABORTED) && key != ESSE_NO_TIME &&
            (counts(world, t, ESSE_COMMITTED) || order == AUDIT_ORDER_GIVEN))
            all[count++] = (struct keyed){ key, t };
    }
    qsort(all, count, sizeof *all, by_key);
    for (uint32_t i = 0; i < count; i++)
        plan->writers[plan->writer_count++] = all[i].txn;
    plan->fixed = count;
    for (uint32_t t = 0; t < n; t++) {
        if (!counts(world, t, ESSE_COMMITTED) || key_of(world, order, places, t) != ESSE_NO_TIME)
            continue;
        if (world->facts[t].changes) {
            plan->writers[plan->writer_count++] = t;
        } else {
            plan->due[plan->reader_count] = 0;
            plan->readers[plan->reader_count++] = t;
        }
    }
}

static bool need(bool is_there, struct esse_error *err, const char *what)
{
    return is_there || esse_fail_at(err, 0, 0, "%s", what);
}

static bool has_what_is_needed(const struct audit_world *world, enum audit_order order,
                               struct esse_error *err)
{
    const struct esse_sql_log *log = world->log;
    bool has_commit = false, has_end = true;
    for (size_t t = 0; t < log->txns.count; t++) {
        has_commit = has_commit || log->txns.at[t].commit_ts != ESSE_NO_TIME;
        has_end = has_end &&
                  (log->txns.at[t].status != ESSE_COMMITTED || log->txns.at[t].end != ESSE_NO_TIME);
    }
    const bool is_empty = log->txns.count == 0;
    switch (order) {
    case AUDIT_ORDER_GIVEN:
        return need(log->has_order, err, "the log has no order line");
    case AUDIT_ORDER_COMMIT_TS:
    case AUDIT_ORDER_TIMESTAMPS:
        return need(is_empty || has_commit, err, "no transaction of the log has a commit_ts");
    case AUDIT_ORDER_VERSIONS:
        return need(is_empty || has_commit || log->has_order, err,
                    "the certificate commit-order needs an order line or commit_ts");
    case AUDIT_ORDER_END:
        return need(has_end, err, "a committed transaction has no end");
    case AUDIT_ORDER_ANY:
        break;
    }
    return true;
}

bool audit_plan_make(struct esse_arena *arena, const struct audit_world *world,
                     const struct audit_question *question, struct audit_plan *plan,
                     struct esse_error *err)
{
    const struct esse_sql_log *log = world->log;
    const uint32_t n = (uint32_t)log->txns.count;
    const enum audit_order order = question->order;
    const int64_t *places = given_places(arena, log);
    if (!has_what_is_needed(world, order, err))
        return false;
    *plan =
        (struct audit_plan){ .has_real_time = question->level == AUDIT_STRICT_SERIALIZABLE ||
                                              question->level == AUDIT_STRONG_SNAPSHOT_ISOLATION };
    plan->writers = esse_arena_alloc(arena, n + 1, sizeof *plan->writers);
    plan->readers = esse_arena_alloc(arena, n + 1, sizeof *plan->readers);
    plan->due = esse_arena_alloc(arena, n + 1, sizeof *plan->due);
    if (order == AUDIT_ORDER_ANY || order == AUDIT_ORDER_VERSIONS)
        guess(arena, world, plan, places);
    else
        fix(arena, world, plan, order, places);
    plan->required = plan->writer_count;
    for (uint32_t t = 0; t < n; t++)
        if (counts(world, t, ESSE_UNKNOWN_OUTCOME) &&
            !(order == AUDIT_ORDER_GIVEN && places[t] != ESSE_NO_TIME))
            plan->writers[plan->writer_count++] = t;
    if (order == AUDIT_ORDER_VERSIONS) {
        plan->positions = esse_arena_alloc(arena, n + 1, sizeof *plan->positions);
        for (uint32_t t = 0; t < n; t++)
            plan->positions[t] = log->has_order ? places[t] : log->txns.at[t].commit_ts;
    }
    struct keyed *ends = esse_arena_alloc(arena, n + 1, sizeof *ends);
    for (uint32_t t = 0; t < n; t++)
        if (counts(world, t, ESSE_COMMITTED))
            ends[plan->end_count++] = (struct keyed){ audit_end_of(world, t), t };
    qsort(ends, plan->end_count, sizeof *ends, by_key);
    plan->ends = esse_arena_alloc(arena, n + 1, sizeof *plan->ends);
    for (uint32_t i = 0; i < plan->end_count; i++)
        plan->ends[i] = ends[i].txn;
    return true;
}
