#include "engine/saturate/saturate_units.h"

#include "base/checked.h"

#include <string.h>

/* Whose version the transaction at 'at' read. */
static uint32_t source_txn(struct saturate_units *units, key_access_id at)
{
    ESSE_HOT_ASSERT(!units->single);
    const struct versions *versions = units->versions;
    version_id version = versions->of[at.ix];
    if (version.ix == NO_VERSION)
        return SATURATE_NOTHING;
    uint32_t txn = version_txn(versions, version);
    return txn == ESSE_NO_TXN                              ? SATURATE_INITIAL
           : txn == versions_key_access(versions, at)->txn ? SATURATE_NOTHING
                                                           : txn;
}

/* The access whose write a single read returned: also its own transaction's, also one that is
 * overwritten in the same transaction. */
static uint32_t source_access(struct saturate_units *units, uint32_t key, key_access_id at)
{
    ESSE_HOT_ASSERT(units->single);
    const struct sources *sources = units->versions->sources;
    const struct esse_key_access *read = &sources->by_key.at[at.ix];
    esse_value value = esse_value_state(read->value);
    key_access_id chain;
    if (esse_value_eq(value, ESSE_NONE))
        return SATURATE_NOTHING;
    if (esse_value_is_list(value)) {
        chain = sources->item[sources->spine_first[spine_of(value)] + list_length(value) - 1];
    } else {
        bool initial = esse_value_eq(value, sources->initial[key]);
        chain = sources->link[at.ix];
        if (initial && chain.ix == ESSE_NO_KEY_ACCESS &&
            !(esse_value_eq(value, ESSE_NIL) && sources->deleted[key]))
            return SATURATE_INITIAL;
        if (initial)
            chain.ix = ESSE_NO_KEY_ACCESS;
    }
    key_access_id write = sources_only(sources, chain);
    if (write.ix == ESSE_NO_KEY_ACCESS || !units->versions->in[sources->by_key.at[write.ix].txn] ||
        versions_op(units->versions, write) == versions_op(units->versions, at) ||
        esse_value_is_list(value) != (sources->by_key.at[write.ix].kind == ESSE_OP_APPEND)) {
        units->unresolved++;
        return SATURATE_NOTHING;
    }
    return sources->by_key.at[write.ix].access;
}

static bool is_prefix(const struct esse_history *history, esse_value a, esse_value b)
{
    uint32_t x, y;
    const esse_value *p = esse_history_list(history, a, &x), *q = esse_history_list(history, b, &y);
    return x <= y && (p == q || !x || memcmp(p, q, x * sizeof *p) == 0);
}

/* Do the lists that were read from a key contradict each other, or hold what no transaction
 * appended, or something twice? */
static bool is_odd(const struct saturate_units *units, uint32_t key)
{
    const struct versions *versions = units->versions;
    const struct sources *sources = versions->sources;
    key_access_id reader = versions->key_reader[key];
    if (reader.ix == ESSE_NO_KEY_ACCESS)
        return false;
    esse_value longest = sources->by_key.at[reader.ix].value;
    const key_access_id *item = sources->item + sources->spine_first[spine_of(longest)];
    for (uint32_t i = 0; i < list_length(longest); i++) {
        key_access_id write = sources_only(sources, item[i]);
        if (write.ix == ESSE_NO_KEY_ACCESS || !versions->in[sources->by_key.at[write.ix].txn] ||
            (!versions->gaps[key] && versions->of[write.ix].ix != versions->first[key].ix + 1 + i))
            return true;
    }
    for (uint32_t at = sources->by_key.first[key]; at < sources->by_key.first[key + 1]; at++) {
        const struct esse_key_access *key_access = &sources->by_key.at[at];
        if (esse_value_is_list(key_access->value) && versions->in[key_access->txn] &&
            !is_prefix(units->history, key_access->value, longest))
            return true;
    }
    return false;
}

static void put_key(struct saturate_units *units, uint32_t key)
{
    ESSE_HOT_ASSERT(key < units->history->keys);
    const struct esse_by_key *by_key = &units->versions->sources->by_key;
    units->unresolved += units->single && is_odd(units, key);
    for (key_access_id at = { by_key->first[key] }; at.ix < by_key->first[key + 1]; at.ix++) {
        const struct esse_key_access *key_access = &by_key->at[at.ix];
        struct saturate_access *access = &units->access[key_access->access];
        *access = (struct saturate_access){ key, SATURATE_NOTHING };
        if (units->single)
            units->access_txn[key_access->access] = key_access->txn;
        if (!units->versions->in[key_access->txn])
            continue;
        if (key_access->kind != ESSE_OP_READ)
            access->source = SATURATE_WRITES;
        else
            access->source = units->single ? source_access(units, key, at) : source_txn(units, at);
    }
}

/* Every worker has the units with a count of its own. */
static bool put_keys(void *context, const struct esse_piece *piece)
{
    const struct esse_worker *workers = context;
    for (uint32_t key = piece->begin; key < piece->end; key++)
        put_key(workers[piece->worker].state, key);
    return true;
}

static bool put_all(struct saturate_units *units, struct esse_budget *budget)
{
    struct esse_loop loop = saturate_loop(units, put_keys, NULL, budget);
    struct esse_worker *workers = esse_workers_new(units->arena, loop.threads, sizeof *units);
    loop.context = workers;
    for (unsigned i = 0; i < loop.threads; i++) {
        struct saturate_units *own = workers[i].state;
        *own = *units;
        own->unresolved = 0;
    }
    bool ok = esse_loop_run(&loop);
    for (unsigned i = 0; i < loop.threads; i++)
        units->unresolved += ((struct saturate_units *)workers[i].state)->unresolved;
    esse_workers_free(workers, loop.threads);
    return ok;
}

/* What was not picked says nothing. */
static void put_nothing(struct saturate_units *units)
{
    const struct esse_history *history = units->history;
    for (uint32_t a = 0; a < units->accesses; a++)
        units->access[a] = (struct saturate_access){ 0, SATURATE_NOTHING };
    for (uint32_t txn = 0; units->single && txn < history->txns; txn++)
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
            units->access_txn[op] = txn;
}

void saturate_find_before(struct saturate_units *units)
{
    const struct esse_history *history = units->history;
    uint32_t *last = esse_arena_none(units->arena, history->sessions + (size_t)1, *last);
    for (uint32_t unit = 0; unit < units->count; unit++) {
        units->before[unit] = NO_UNIT;
        if (!saturate_counts(units, unit))
            continue;
        uint32_t *session = &last[saturate_session(units, unit)];
        ESSE_HOT_ASSERT(*session == NO_UNIT || *session < unit);
        units->before[unit] = *session;
        *session = unit;
    }
    esse_arena_drop(units->arena, last);
}

bool saturate_units_make(struct saturate_units *units, struct esse_arena *arena,
                         const struct versions *versions, bool single, unsigned threads,
                         struct esse_budget *budget)
{
    const struct esse_history *history = versions->history;
    const struct esse_by_key *by_key = &versions->sources->by_key;
    const uint32_t accesses = by_key->accesses;
    assert(threads >= 1);
    *units = (struct saturate_units){ .arena = arena,
                                      .history = history,
                                      .versions = versions,
                                      .single = single,
                                      .threads = threads,
                                      .count = single ? accesses : history->txns,
                                      .accesses = accesses,
                                      .unresolved = single ? 0 : versions->unresolved };
    units->access = esse_arena_array(arena, accesses + (size_t)1, *units->access);
    if (single)
        units->access_txn = esse_arena_array(arena, accesses + (size_t)1, uint32_t);
    units->before = esse_arena_array(arena, units->count + (size_t)1, uint32_t);
    if (by_key->count < accesses)
        put_nothing(units);
    esse_budget_phase(budget, "laying out accesses", history->keys);
    const bool ok = put_all(units, budget);
    if (ok)
        saturate_find_before(units);
    else
        saturate_units_drop(units);
    return ok;
}

void saturate_units_drop(struct saturate_units *units)
{
    esse_arena_drop(units->arena, units->access);
    esse_arena_drop(units->arena, units->access_txn);
    esse_arena_drop(units->arena, units->before);
    *units = (struct saturate_units){ 0 };
}
