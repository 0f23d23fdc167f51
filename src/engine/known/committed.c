#include "engine/known/committed.h"

#include "base/radix.h"
#include "base/vec.h"
#include "base/word_map.h"
#include "graph/csr.h"

struct observing {
    struct esse_arena *scratch;
    const struct sources *sources;
    const struct esse_history *history;
    uint8_t *in;
    uint32_t *spine_done;      /* by spine: elements whose writers were looked at */
    struct esse_u32_vec queue; /* unknown transactions that count, and whose reads count in turn */
    struct esse_pair_vec held; /* reader and writer, where both are unknown, of registers */
};

/* The unknown transaction that alone can have written what the chain from 'at' is about. */
static uint32_t unknown_writer(const struct observing *o, key_access_id at)
{
    uint32_t found = ESSE_NO_TXN;
    for (; at.ix != ESSE_NO_KEY_ACCESS; at = o->sources->link[at.ix]) {
        const uint32_t txn = o->sources->by_key.at[at.ix].txn;
        if (txn == found || o->history->txn_status[txn] == ESSE_ABORTED)
            continue;
        if (found != ESSE_NO_TXN || o->history->txn_status[txn] != ESSE_UNKNOWN_OUTCOME)
            return ESSE_NO_TXN;
        found = txn;
    }
    return found;
}

/* The same of nothing: the unknown transaction that alone can have deleted the key. */
static uint32_t unknown_deleter(const struct observing *o, uint32_t key)
{
    const struct esse_by_key *by_key = &o->sources->by_key;
    uint32_t found = ESSE_NO_TXN;
    for (uint32_t at = by_key->first[key]; o->sources->deleted[key] && at < by_key->first[key + 1];
         at++) {
        const struct esse_key_access *key_access = &by_key->at[at];
        if (key_access->kind != ESSE_OP_WRITE || !esse_value_eq(key_access->value, ESSE_NIL) ||
            key_access->txn == found || o->history->txn_status[key_access->txn] == ESSE_ABORTED)
            continue;
        if (found != ESSE_NO_TXN || o->history->txn_status[key_access->txn] != ESSE_UNKNOWN_OUTCOME)
            return ESSE_NO_TXN;
        found = key_access->txn;
    }
    return found;
}

static void observe(struct observing *o, uint32_t txn)
{
    if (txn == ESSE_NO_TXN || o->in[txn])
        return;
    o->in[txn] = 1;
    esse_u32_vec_push(&o->queue, o->scratch, txn);
}

static void observe_list(struct observing *o, esse_value list)
{
    const struct sources *sources = o->sources;
    uint32_t spine = spine_of(list), *done = &o->spine_done[spine];
    for (; *done < list_length(list); ++*done)
        observe(o, unknown_writer(o, sources->item[sources->spine_first[spine] + *done]));
}

/* What a register returned after an own write of its transaction is no observation (semantics 1); a
 * list shows the elements of other transactions before its own. */
static void observe_key_access(struct observing *o, uint32_t key, key_access_id at,
                               uint32_t deleter)
{
    const struct esse_key_access *key_access = &o->sources->by_key.at[at.ix];
    const esse_value value = esse_value_state(key_access->value);
    if (key_access->kind != ESSE_OP_READ)
        return;
    if (esse_value_is_list(value)) {
        if (o->in[key_access->txn])
            observe_list(o, value);
        return;
    }
    if (esse_value_eq(value, o->sources->initial[key]))
        return;
    uint32_t writer =
        esse_value_eq(value, ESSE_NIL) ? deleter : unknown_writer(o, o->sources->link[at.ix]);
    if (writer == ESSE_NO_TXN || writer == key_access->txn ||
        esse_is_after_own_write(&o->sources->by_key, key, at.ix))
        return;
    if (o->in[key_access->txn])
        observe(o, writer);
    else if (o->history->txn_status[key_access->txn] == ESSE_UNKNOWN_OUTCOME)
        esse_pair_vec_push(&o->held, o->scratch, (struct esse_pair){ key_access->txn, writer });
}

/* ---- version sets ---- */

/* An entry of a version set, and its operation. */
struct named {
    uint32_t op, row;
};
ESSE_VEC(named_vec, struct named)

enum { SEVERAL = ESSE_NO_TXN - 1 };

/* By value, the only transaction that can have written it to the key; false if none of unknown
 * outcome wrote the key. */
static bool find_writers(const struct observing *o, uint32_t key, struct esse_word_map *writers)
{
    const struct esse_by_key *by_key = &o->sources->by_key;
    bool doubtful = false;
    esse_word_map_clear(writers, o->scratch, by_key->first[key + 1] - by_key->first[key]);
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++) {
        const struct esse_key_access *key_access = &by_key->at[at];
        bool fresh;
        if (key_access->kind == ESSE_OP_READ ||
            o->history->txn_status[key_access->txn] == ESSE_ABORTED)
            continue;
        uint32_t *writer = esse_word_map_put(writers, key_access->value.word, &fresh);
        *writer = fresh || *writer == key_access->txn ? key_access->txn : SEVERAL;
        doubtful |= o->history->txn_status[key_access->txn] == ESSE_UNKNOWN_OUTCOME;
    }
    return doubtful;
}

/* A certificate that names a write shows that its transaction committed (semantics 1). */
static void observe_named(struct observing *o, uint32_t key, const struct named *named,
                          const struct esse_word_map *writers)
{
    const esse_value value = esse_value_state(o->history->rows[named->row].value);
    const uint32_t reader = esse_op_txn(o->history, named->op).ix;
    const uint32_t writer = esse_word_map_get(writers, value.word, SEVERAL);
    if (writer == SEVERAL || writer == reader || esse_value_eq(value, o->sources->initial[key]) ||
        o->history->txn_status[writer] != ESSE_UNKNOWN_OUTCOME)
        return;
    if (o->in[reader])
        observe(o, writer);
    else if (o->history->txn_status[reader] == ESSE_UNKNOWN_OUTCOME)
        esse_pair_vec_push(&o->held, o->scratch, (struct esse_pair){ reader, writer });
}

static void collect_named(const struct observing *o, struct named_vec *named)
{
    const struct esse_history *history = o->history;
    for (uint32_t op = 0; op < history->ops; op++) {
        if (!esse_op_is_predicate(history->op_kind[op]))
            continue;
        const struct esse_predicate_op *predicate = &history->predicates[history->op_key[op]];
        for (uint32_t i = 0; i < predicate->vset_count; i++)
            named_vec_push(named, o->scratch, (struct named){ op, predicate->vset + i });
    }
}

static void observe_version_sets(struct observing *o)
{
    struct named_vec named = { 0 };
    struct esse_word_map writers = { 0 };
    struct esse_csr of_key;
    collect_named(o, &named);
    esse_csr_init(&of_key, o->scratch, o->history->keys);
    for (size_t i = 0; i < named.count; i++)
        esse_csr_count(&of_key, o->history->rows[named.at[i].row].key.ix);
    esse_csr_start(&of_key);
    for (size_t i = 0; i < named.count; i++)
        esse_csr_add(&of_key, o->history->rows[named.at[i].row].key.ix, (uint32_t)i);
    esse_csr_finish(&of_key);
    for (uint32_t key = 0; key < o->history->keys; key++)
        if (of_key.first[key] < of_key.first[key + 1] && find_writers(o, key, &writers))
            for (uint32_t i = of_key.first[key]; i < of_key.first[key + 1]; i++)
                observe_named(o, key, &named.at[of_key.to[i]], &writers);
}

static void observe_key(struct observing *o, uint32_t key)
{
    const uint32_t deleter = unknown_deleter(o, key);
    const uint32_t *first = &o->sources->by_key.first[key];
    for (key_access_id at = { first[0] }; at.ix < first[1]; at.ix++)
        observe_key_access(o, key, at, deleter);
}

/* What an unknown transaction read counts from now on. */
static void observe_reads(struct observing *o, uint32_t txn)
{
    size_t low = 0, high = o->held.count;
    ESSE_BISECT(low, high, middle, o->held.at[middle].key < txn);
    for (; low < o->held.count && o->held.at[low].key == txn; low++)
        observe(o, o->held.at[low].id);
    for (uint32_t op = o->history->txn_op[txn]; op < o->history->txn_op[txn + 1]; op++)
        if (o->history->op_kind[op] == ESSE_OP_READ &&
            esse_value_is_list(o->history->op_value[op]) && list_length(o->history->op_value[op]))
            observe_list(o, o->history->op_value[op]);
}

uint8_t *committed_find(struct esse_arena *arena, const struct sources *sources)
{
    const struct esse_history *history = sources->history;
    struct observing o = { .sources = sources, .history = history };
    uint32_t unknown = 0;
    o.in = esse_arena_alloc(arena, history->txns + 1u, 1);
    for (uint32_t t = 0; t < history->txns; t++) {
        o.in[t] = history->txn_status[t] == ESSE_COMMITTED;
        unknown += history->txn_status[t] == ESSE_UNKNOWN_OUTCOME;
    }
    if (!unknown)
        return o.in;
    o.scratch = esse_arena_new();
    o.spine_done = esse_arena_alloc(o.scratch, history->spine_count + 1u, sizeof *o.spine_done);
    for (uint32_t key = 0; key < history->keys; key++)
        observe_key(&o, key);
    if (history->has & ESSE_HAS_VSETS)
        observe_version_sets(&o);
    esse_radix_sort(o.held.at, o.held.count, o.scratch);
    for (size_t i = 0; i < o.queue.count; i++)
        observe_reads(&o, o.queue.at[i]);
    esse_arena_free(o.scratch);
    return o.in;
}
