#ifndef ESSE_EVIDENCE_RECHECK_MISMATCH_H
#define ESSE_EVIDENCE_RECHECK_MISMATCH_H

#include "evidence/replay.h"
#include "history/given_order.h"

/*
 * Rechecks that the order which a history gives does not replay: takes it from the history again,
 * replays it, and compares where it fails.  The evidence is 'order_by', and of the steps the
 * first: the operation that does not return what the table held, or the transaction that is out of
 * place.
 *
 * Cost: that of a replay.
 */
bool esse_recheck_mismatch(const struct esse_history *history, const struct esse_anomaly *anomaly,
                           struct esse_error *err);

/* What an order for 'level' that fails so is called; NONE if that is no anomaly.  'level' is
 * (strong-session- or strong-) serializable or snapshot isolation. */
enum esse_anomaly_id esse_mismatch_type(const struct esse_level *level,
                                        enum esse_mismatch_kind kind);

/* A transaction of unknown outcome that has no place in the order, and could explain the mismatch:
 * it writes the key, or of a result anything.  ESSE_NO_TXN if there is none. */
esse_txn esse_mismatch_doubt(const struct esse_history *history, const struct esse_order *order,
                             const struct esse_mismatch *mismatch);

#endif
