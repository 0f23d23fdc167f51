#ifndef ESSE_ENGINE_REPLAY_REPLAY_WORDS_H
#define ESSE_ENGINE_REPLAY_REPLAY_WORDS_H

#include "evidence/replay.h"
#include "history/given_order.h"

/* A mismatch as an anomaly: both states in words, what the transaction saw and what the table held,
 * and the writer of that. */
struct replay_telling {
    const struct esse_history *history;
    const struct esse_mismatch *mismatch;
    enum esse_anomaly_id type;
    enum esse_order_by by;
    /* The other transaction's name, and where it stands, if it is not in the history; else NULL. */
    const char *other_name;
    bool is_stream; /* the history is of one transaction */
};

struct esse_anomaly *replay_tell(struct esse_arena *arena, const struct replay_telling *telling);

#endif
