#include "base/word_map.h"
#include "evidence/replay_rules.h"
#include "history/by_key.h"

/* An order must agree with the version orders that were given, as far as they name what is in it.
 */

#define NOWHERE UINT32_MAX

struct given {
    struct replay *replay;
    /* If versions are named by their values.  Of one key: the installer of a value, by position;
     * NOWHERE if several did. */
    struct esse_by_key by_key;
    struct esse_word_map values;
};

/* The installer of each value of a key: each transaction's last write, or where these are the units
 * each write. */
static void note_values(struct given *given, uint32_t key)
{
    const struct replay *replay = given->replay;
    struct esse_by_key *by_key = &given->by_key;
    if (!by_key->at)
        esse_by_key_make(by_key, replay->arena, replay->history);
    esse_word_map_clear(&given->values, replay->arena, by_key->first[key + 1] - by_key->first[key]);
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++) {
        const struct esse_key_access *key_access = &by_key->at[at];
        bool fresh;
        if (key_access->kind == ESSE_OP_READ || !replay->in[key_access->txn] ||
            !(replay->accesses || key_access->kind == ESSE_OP_APPEND ||
              esse_is_last_write(by_key, key, at)))
            continue;
        uint32_t *installed = esse_word_map_put(&given->values, key_access->value.word, &fresh);
        const uint32_t unit = replay->accesses ? key_access->access : key_access->txn;
        *installed = fresh ? replay->position[unit] : NOWHERE;
    }
}

static bool names_values(const struct esse_version_order *order)
{
    for (uint32_t v = 0; v < order->count; v++)
        if (order->versions[v].txn.ix == ESSE_NO_TXN)
            return true;
    return false;
}

/* Where in the order a version was installed. */
static uint32_t position_of(const struct given *given, uint32_t key,
                            const struct esse_version *version)
{
    const struct replay *replay = given->replay;
    const uint32_t txn = version->txn.ix;
    uint32_t begin, end;
    if (txn == ESSE_NO_TXN)
        return esse_word_map_get(&given->values, version->value.word, NOWHERE);
    if (!replay->accesses || !replay->in[txn])
        return replay->in[txn] ? replay->position[txn] : NOWHERE;
    esse_run_find(&given->by_key, key, txn, &begin, &end);
    while (end-- > begin)
        if (given->by_key.at[end].kind != ESSE_OP_READ)
            return replay->position[given->by_key.at[end].access];
    return NOWHERE;
}

bool replay_agrees_with_given(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    struct given given = { .replay = replay };
    for (uint32_t i = 0; i < history->version_order_count; i++) {
        const struct esse_version_order *order = &history->version_orders[i];
        uint32_t last = 0;
        if (replay->accesses || names_values(order))
            note_values(&given, order->key.ix);
        for (uint32_t v = 0; v < order->count; v++) {
            const uint32_t position = position_of(&given, order->key.ix, &order->versions[v]);
            if (position == NOWHERE)
                continue;
            if (position < last)
                return replay_wrong(replay,
                                    replay_txn(replay, replay->order->events[position] >>
                                                           replay->order->has_starts),
                                    "is not where the version order given has it", err);
            last = position;
        }
    }
    return true;
}
