#ifndef ESSE_HISTORY_FORGET_H
#define ESSE_HISTORY_FORGET_H

#include "history/history.h"

/*
 * The same history with less known about it, for experiments: how hard is it to decide without
 * session order, or with only a part of the version order?  What is kept is shared with the whole.
 *
 * Cost: O(transactions + versions named).
 */
struct esse_forgetting {
    bool sessions;        /* every transaction is a session of its own */
    double version_share; /* how many of the versions that version orders name are kept */
    uint64_t seed;        /* which of them */
};

struct esse_history *esse_history_forget(struct esse_arena *arena,
                                         const struct esse_history *history,
                                         const struct esse_forgetting *what);

#endif
