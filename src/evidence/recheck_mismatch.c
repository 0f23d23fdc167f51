#include "evidence/recheck_mismatch.h"

#include "base/error.h"

/* Of the weakest level of its kind that the mismatch rules out. */
enum esse_anomaly_id esse_mismatch_type(const struct esse_level *level,
                                        enum esse_mismatch_kind kind)
{
    return kind == ESSE_MISMATCH_NONE
               ? ESSE_ANOMALY_NONE
               : esse_level_with(level, kind >= ESSE_MISMATCH_SESSION, kind >= ESSE_MISMATCH_TIME)
                     ->mismatch;
}

esse_txn esse_mismatch_doubt(const struct esse_history *history, const struct esse_order *order,
                             const struct esse_mismatch *mismatch)
{
    struct esse_arena *arena = esse_arena_new();
    uint8_t *in = esse_arena_alloc(arena, history->txns + 1u, 1);
    esse_txn doubt = { ESSE_NO_TXN };
    for (uint32_t i = 0; i < order->count; i++)
        in[order->events[i] >> order->has_starts] = 1;
    for (uint32_t txn = 0; txn < history->txns && doubt.ix == ESSE_NO_TXN; txn++)
        if (!in[txn] && history->txn_status[txn] == ESSE_UNKNOWN_OUTCOME &&
            mismatch->kind < ESSE_MISMATCH_OVERWRITTEN &&
            esse_txn_writes(history, txn, esse_mismatch_has_key(mismatch) ? &mismatch->key : NULL))
            doubt.ix = txn;
    esse_arena_free(arena);
    return doubt;
}

/* Does the order fail where the anomaly says?  The level is the one that it was to prove. */
static bool fails_there(struct esse_arena *arena, const struct esse_history *history,
                        const struct esse_anomaly *anomaly)
{
    const struct esse_level *level = esse_level_failing_by(anomaly->type);
    struct esse_mismatch mismatch;
    struct esse_order order;
    struct esse_error ignored;
    if (esse_given_order(arena, history, anomaly->order_by, &order).id ||
        esse_replay_find(NULL, history, level, &order, NULL, NULL, &mismatch, &ignored))
        return false;
    return anomaly->type == esse_mismatch_type(level, mismatch.kind) &&
           anomaly->steps[0].txn.ix == mismatch.txn.ix &&
           anomaly->steps[0].op.ix == mismatch.op.ix &&
           anomaly->has_key == esse_mismatch_has_key(&mismatch) &&
           (!anomaly->has_key || anomaly->key.ix == mismatch.key.ix) &&
           esse_mismatch_doubt(history, &order, &mismatch).ix == ESSE_NO_TXN;
}

/* The later steps, which only name others that have to do with it, must name something. */
static bool are_steps(const struct esse_history *history, const struct esse_anomaly *anomaly)
{
    for (uint32_t i = 0; i < anomaly->step_count; i++) {
        const uint32_t txn = anomaly->steps[i].txn.ix, op = anomaly->steps[i].op.ix;
        if (txn >= history->txns ||
            (op != ESSE_NO_OP && (op < history->txn_op[txn] || op >= history->txn_op[txn + 1])))
            return false;
    }
    return anomaly->step_count > 0;
}

bool esse_recheck_mismatch(const struct esse_history *history, const struct esse_anomaly *anomaly,
                           struct esse_error *err)
{
    struct esse_arena *arena = esse_arena_new();
    const bool ok = anomaly->order_by != ESSE_ORDER_BY_NONE && are_steps(history, anomaly) &&
                    fails_there(arena, history, anomaly);
    esse_arena_free(arena);
    return ok || esse_fail(err, ESSE_EBUG, "the order given does not fail as %s says",
                           esse_anomaly_name(anomaly->type));
}
