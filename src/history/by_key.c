#include "history/by_key.h"

#include <assert.h>

static void count_keys(const struct esse_history *history, uint32_t *count)
{
    for (uint32_t op = 0; op < history->ops; op++) {
        if (!esse_op_is_predicate(history->op_kind[op])) {
            count[history->op_key[op]]++;
            continue;
        }
        uint32_t accesses = esse_access_count(history, op);
        for (uint32_t i = 0; i < accesses; i++)
            count[esse_access_at(history, op, i).key.ix]++;
    }
}

static inline void put(struct esse_by_key *by_key, uint32_t *next, struct esse_access access,
                       uint32_t op, uint32_t txn)
{
    by_key->at[next[access.key.ix]++] = (struct esse_touch){
        .value = access.value, .op = op, .txn = txn & 0x3fffffffu, .kind = access.kind & 3u
    };
}

void esse_by_key_make(struct esse_by_key *by_key, struct esse_arena *arena,
                      const struct esse_history *history)
{
    assert(history->txns < 1u << 30);
    /* first[k + 1] is where key k's next access goes; in the end it is where key k + 1 begins. */
    uint32_t *first = esse_arena_alloc(arena, history->keys + 2u, sizeof *first);
    count_keys(history, first + 2);
    for (uint32_t key = 0; key < history->keys; key++)
        first[key + 2] += first[key + 1];
    *by_key = (struct esse_by_key){ .first = first, .count = first[history->keys + 1] };
    by_key->at = esse_arena_grow(arena, NULL, (by_key->count + (size_t)1) * sizeof *by_key->at);
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
            uint32_t accesses = esse_access_count(history, op);
            for (uint32_t i = 0; i < accesses; i++)
                put(by_key, first + 1, esse_access_at(history, op, i), op, txn);
        }
    }
}

void esse_by_key_drop(struct esse_by_key *by_key, struct esse_arena *arena)
{
    esse_arena_drop(arena, by_key->at);
    *by_key = (struct esse_by_key){ 0 };
}
