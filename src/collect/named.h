#ifndef ESSE_COLLECT_NAMED_H
#define ESSE_COLLECT_NAMED_H

#include <stdbool.h>
#include <stdint.h>

/* A transaction by the server's id, and by its place in the history: session/index.  The recorder
 * keeps them, and what is learnt from the server's log finds its transactions by them.  A server
 * that crashed may give an id a second time; then the transaction that began first never committed,
 * although its client could not know, or was answered otherwise. */
struct esse_named {
    int64_t xid, session;
    uint64_t index;
    int64_t start;
    bool is_unknown;  /* its outcome is */
    bool has_written; /* something that a log has, unless it was lost */
};

#endif
