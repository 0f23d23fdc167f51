#include "history/by_key.h"

#include "base/checked.h"
#include "base/guard.h"

static void count_keys(const struct esse_history *history, uint32_t *count)
{
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        const uint32_t end = history->txn_op[txn + 1];
        esse_guard_poll();
        for (uint32_t op = history->txn_op[txn]; op < end; op++) {
            if (!esse_op_is_predicate(history->op_kind[op])) {
                count[history->op_key[op]]++;
                continue;
            }
            const uint32_t accesses = esse_access_count(history, op);
            for (uint32_t i = 0; i < accesses; i++)
                count[esse_access_at(history, op, i).key.ix]++;
        }
    }
}

static inline void put(struct esse_by_key *by_key, uint32_t *next, struct esse_access access,
                       uint32_t number, uint32_t txn)
{
    by_key->at[next[access.key.ix]++] = (struct esse_key_access){
        .value = access.value, .access = number, .txn = txn & 0x3fffffffu, .kind = access.kind & 3u
    };
}

static void number_accesses(struct esse_by_key *by_key, struct esse_arena *arena,
                            const struct esse_history *history)
{
    if (!(history->has & ESSE_HAS_PREDICATES))
        return;
    by_key->op_access = esse_arena_array(arena, history->ops + (size_t)1, *by_key->op_access);
    by_key->access_op = esse_arena_array(arena, by_key->count + (size_t)1, *by_key->access_op);
    uint32_t number = 0;
    for (uint32_t op = 0; op < history->ops; op++) {
        by_key->op_access[op] = number;
        for (uint32_t left = esse_access_count(history, op); left > 0; left--)
            by_key->access_op[number++] = op;
    }
    by_key->op_access[history->ops] = number;
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
    *by_key = (struct esse_by_key){ .first = first,
                                    .count = first[history->keys + 1],
                                    .accesses = first[history->keys + 1] };
    by_key->at = esse_arena_array(arena, by_key->count + (size_t)1, *by_key->at);
    number_accesses(by_key, arena, history);
    uint32_t number = 0;
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        const uint32_t end = history->txn_op[txn + 1];
        esse_guard_poll();
        for (uint32_t op = history->txn_op[txn]; op < end; op++) {
            uint32_t accesses = esse_access_count(history, op);
            for (uint32_t i = 0; i < accesses; i++)
                put(by_key, first + 1, esse_access_at(history, op, i), number++, txn);
        }
    }
    assert(number == by_key->count);
    ESSE_SEAM(esse_by_key_valid(by_key, history));
}

void esse_by_key_pick(struct esse_by_key *by_key, struct esse_arena *arena,
                      const struct esse_history *history, const uint32_t *accesses, uint32_t count)
{
    assert(history->txns < 1u << 30);
    assert(!(history->has & ESSE_HAS_PREDICATES));
    uint32_t *first = esse_arena_alloc(arena, history->keys + 2u, sizeof *first);
    for (uint32_t i = 0; i < count; i++)
        first[history->op_key[accesses[i]] + 2]++;
    for (uint32_t key = 0; key < history->keys; key++)
        first[key + 2] += first[key + 1];
    *by_key = (struct esse_by_key){ .first = first, .count = count, .accesses = history->ops };
    by_key->at = esse_arena_array(arena, count + (size_t)1, *by_key->at);
    for (uint32_t i = 0; i < count; i++)
        put(by_key, first + 1, esse_access_at(history, accesses[i], 0), accesses[i],
            esse_op_txn(history, accesses[i]).ix);
    ESSE_SEAM(esse_by_key_valid(by_key, history));
}

/* ---- what must hold ---- */

static bool is_numbered(const struct esse_by_key *by_key, const struct esse_history *history)
{
    const bool has_predicates = history->has & ESSE_HAS_PREDICATES;
    if (has_predicates != (by_key->op_access != NULL) ||
        has_predicates != (by_key->access_op != NULL))
        return false;
    if (!has_predicates)
        return by_key->accesses == history->ops;
    uint32_t number = 0;
    for (uint32_t op = 0; op < history->ops; op++) {
        if (by_key->op_access[op] != number)
            return false;
        for (uint32_t left = esse_access_count(history, op); left > 0; left--)
            if (number >= by_key->accesses || by_key->access_op[number++] != op)
                return false;
    }
    return by_key->op_access[history->ops] == number && by_key->accesses == number;
}

static bool is_as_recorded(const struct esse_by_key *by_key, const struct esse_history *history,
                           uint32_t key, const struct esse_key_access *key_access)
{
    if (key_access->access >= by_key->accesses || key_access->txn >= history->txns)
        return false;
    const uint32_t op = esse_by_key_op(by_key, key_access->access);
    const struct esse_access access =
        esse_access_at(history, op, key_access->access - esse_by_key_access(by_key, op));
    return op >= history->txn_op[key_access->txn] && op < history->txn_op[key_access->txn + 1] &&
           access.key.ix == key && (unsigned)access.kind == key_access->kind &&
           esse_value_eq(access.value, key_access->value);
}

static bool is_key_valid(const struct esse_by_key *by_key, const struct esse_history *history,
                         uint32_t key)
{
    const uint32_t begin = by_key->first[key], end = by_key->first[key + 1];
    if (begin > end || end > by_key->count)
        return false;
    for (uint32_t at = begin; at < end; at++)
        if ((at > begin && by_key->at[at - 1].access >= by_key->at[at].access) ||
            !is_as_recorded(by_key, history, key, &by_key->at[at]))
            return false;
    return true;
}

bool esse_by_key_valid(const struct esse_by_key *by_key, const struct esse_history *history)
{
    bool ok = is_numbered(by_key, history) && by_key->first[0] == 0;
    for (uint32_t key = 0; ok && key < history->keys; key++)
        ok = is_key_valid(by_key, history, key);
    return ok && by_key->first[history->keys] == by_key->count;
}
