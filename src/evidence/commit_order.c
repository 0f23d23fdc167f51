#include "evidence/commit_order.h"

#include "base/error.h"
#include "evidence/commit_order_state.h"
#include "evidence/read_source.h"

#include <string.h>

bool esse_commit_order_proves(const struct esse_level *level, bool of_accesses)
{
    return level->phi != ESSE_PHI_NONE && esse_level_is_of_operations(level) == of_accesses;
}

bool co_wrong(const struct commit_order *co, uint32_t unit, const char *what,
              struct esse_error *err)
{
    char name[64];
    esse_txn_name(co->history, (esse_txn){ co_txn(co, unit) }, name, sizeof name);
    return esse_fail(err, ESSE_EBUG, "the commit order does not prove %s: %s %s",
                     co->level->friendly, name, what);
}

uint32_t co_named(const struct commit_order *co, uint32_t op, esse_key key)
{
    const struct esse_read_source *source = esse_named_source(co->order, op, key);
    if (!source || source->write.ix == ESSE_NO_OP)
        return source ? CO_INITIAL : CO_NOTHING;
    uint32_t at = 0, end = 0;
    if (source->write.ix < co->history->ops)
        esse_run_find(&co->by_key, key.ix, esse_op_txn(co->history, source->write.ix).ix, &at,
                      &end);
    for (; at < end; at++)
        if (esse_by_key_op(&co->by_key, co->by_key.at[at].access) == source->write.ix &&
            co->by_key.at[at].kind == ESSE_OP_WRITE && co->in[co->by_key.at[at].txn])
            return at;
    return CO_NOWHERE;
}

static void find_txns(struct commit_order *co)
{
    const struct esse_history *history = co->history;
    co->in = esse_arena_alloc(co->arena, history->txns + 1u, 1);
    co->units = history->txns;
    if (esse_level_is_of_operations(co->level)) {
        co->units = co->by_key.count;
        co->access_txn =
            esse_arena_grow(co->arena, NULL, (co->units + (size_t)1) * sizeof(uint32_t));
        for (uint32_t at = 0; at < co->units; at++)
            co->access_txn[co->by_key.at[at].access] = co->by_key.at[at].txn;
    }
    co->place = esse_arena_grow(co->arena, NULL, (co->units + (size_t)1) * sizeof *co->place);
    co->before = esse_arena_grow(co->arena, NULL, (co->units + (size_t)1) * sizeof *co->before);
    memset(co->place, 0xff, (co->units + (size_t)1) * sizeof *co->place);
    memset(co->before, 0xff, (co->units + (size_t)1) * sizeof *co->before);
}

/* Every committed unit once, no aborted one; all of a transaction's accesses or none. */
static bool is_order(struct commit_order *co, struct esse_error *err)
{
    const struct esse_history *history = co->history;
    for (uint32_t i = 0; i < co->order->count; i++) {
        uint32_t unit = co->order->events[i];
        if (unit >= co->units)
            return esse_fail(err, ESSE_EBUG, "the commit order names what does not exist");
        if (history->txn_status[co_txn(co, unit)] == ESSE_ABORTED)
            return co_wrong(co, unit, "was aborted", err);
        if (co->place[unit] != CO_NOWHERE)
            return co_wrong(co, unit, "is in it twice", err);
        co->place[unit] = i;
        co->in[co_txn(co, unit)] = 1;
    }
    for (uint32_t unit = 0; unit < co->units; unit++)
        if (co->place[unit] == CO_NOWHERE &&
            (history->txn_status[co_txn(co, unit)] == ESSE_COMMITTED || co->in[co_txn(co, unit)]))
            return co_wrong(co, unit, "is missing", err);
    return true;
}

static bool agrees_with_sessions(struct commit_order *co, struct esse_error *err)
{
    uint32_t *last = esse_arena_alloc(co->arena, co->history->sessions + 1u, sizeof *last);
    memset(last, 0xff, (co->history->sessions + 1u) * sizeof *last);
    for (uint32_t unit = 0; unit < co->units; unit++) {
        if (co->place[unit] == CO_NOWHERE)
            continue;
        uint32_t *before = &last[co_session(co, unit)];
        if (co->level->needs_session_order && *before != CO_NOWHERE &&
            co->place[*before] > co->place[unit])
            return co_wrong(co, unit, "is against its session's order", err);
        co->before[unit] = *before;
        *before = unit;
    }
    return true;
}

static bool agrees_with_reads(const struct commit_order *co, struct esse_error *err)
{
    for (uint32_t i = 0; i < co->order->count; i++) {
        uint32_t unit = co->order->events[i];
        for (uint32_t a = co_first(co, unit); a < co_end(co, unit); a++)
            if (co_reads(co->access[a]) && co->place[co->access[a].source] >= i)
                return co_wrong(co, unit, "comes before one that it read from", err);
    }
    return true;
}

bool esse_commit_order_check(const struct esse_history *history, const struct esse_level *level,
                             const struct esse_order *order, unsigned threads,
                             struct esse_error *err)
{
    if (esse_commit_order_is_plain(history, level, order, NULL))
        return true;
    struct commit_order co = { .arena = esse_arena_new(),
                               .history = history,
                               .level = level,
                               .own_writes = esse_level_sees_own_writes(level),
                               .is_repeatable = esse_level_is_repeatable(level),
                               .order = order,
                               .threads = threads };
    bool ok = esse_commit_order_proves(level, order->of_accesses);
    if (!ok)
        esse_fail(err, ESSE_EBUG, "a commit order does not prove %s here", level->friendly);
    if (ok) {
        esse_by_key_make(&co.by_key, co.arena, history);
        find_txns(&co);
        ok = is_order(&co, err) && agrees_with_sessions(&co, err) &&
             co_explains_predicates(&co, err) && co_trace(&co, err) &&
             agrees_with_reads(&co, err) && co_check_axiom(&co, err);
    }
    esse_arena_free(co.arena);
    return ok;
}
