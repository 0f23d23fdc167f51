#include "base/word_map.h"
#include "evidence/replay_rules.h"
#include "history/by_key.h"

/* An order must agree with the version orders that were given, as far as they name what is in it.
 */

#define NOWHERE UINT32_MAX

struct given {
    struct replay *replay;
    struct esse_by_key by_key;
    struct esse_word_map
        values;                /* by value: the position of who installed it, NOWHERE if several */
    struct esse_word_map txns; /* by transaction: its position, if it installed a version */
};

/* Who installed which version of a key: each transaction's last write. */
static void note_versions(struct given *given, uint32_t key)
{
    const struct esse_by_key *by_key = &given->by_key;
    const uint32_t count = by_key->first[key + 1] - by_key->first[key];
    esse_word_map_clear(&given->values, given->replay->arena, count);
    esse_word_map_clear(&given->txns, given->replay->arena, count);
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++) {
        const struct esse_touch *touch = &by_key->at[at];
        bool fresh;
        if (touch->kind == ESSE_OP_READ || !given->replay->in[touch->txn] ||
            (touch->kind != ESSE_OP_APPEND && !esse_is_last_write(by_key, key, at)))
            continue;
        uint32_t position = given->replay->position[touch->txn];
        uint32_t *installed = esse_word_map_put(&given->values, touch->value.word, &fresh);
        *installed = fresh ? position : NOWHERE;
        *esse_word_map_put(&given->txns, touch->txn, &fresh) = position;
    }
}

bool replay_agrees_with_given(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    struct given given = { .replay = replay };
    if (!history->version_order_count)
        return true;
    esse_by_key_make(&given.by_key, replay->arena, history);
    for (uint32_t i = 0; i < history->version_order_count; i++) {
        const struct esse_version_order *order = &history->version_orders[i];
        uint32_t last = 0;
        note_versions(&given, order->key.ix);
        for (uint32_t v = 0; v < order->count; v++) {
            uint32_t txn = order->versions[v].txn.ix;
            uint32_t position =
                txn == ESSE_NO_TXN
                    ? esse_word_map_get(&given.values, order->versions[v].value.word, NOWHERE)
                    : esse_word_map_get(&given.txns, txn, NOWHERE);
            if (position == NOWHERE)
                continue;
            if (position < last)
                return replay_wrong(replay,
                                    replay->order->events[position] >> replay->order->has_starts,
                                    "is not where the version order given has it", err);
            last = position;
        }
    }
    return true;
}
