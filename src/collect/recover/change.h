#ifndef ESSE_COLLECT_RECOVER_CHANGE_H
#define ESSE_COLLECT_RECOVER_CHANGE_H

#include "history/values.h"

/*
 * A change stream, whatever wrote it: committed transactions and the row versions that they
 * installed.  Decoders (pgoutput.h and its neighbours) send it, recoveries take it.  What
 * a call is given belongs to the sender and is only good during the call.
 */

/* When a transaction took effect, on the server's own scale: a log position, a revision, a hybrid
 * clock.  Only the order means anything. */
struct esse_stamp {
    uint64_t high, low;
};

static inline int esse_stamp_compare(struct esse_stamp a, struct esse_stamp b)
{
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    return (a.low > b.low) - (a.low < b.low);
}

struct esse_change_txn {
    esse_value id; /* how the server calls it, an integer or a string */
    struct esse_stamp stamp;
};

/* A column of a row.  ESSE_NONE: the stream does not say, such as a large value that an update
 * left alone. */
struct esse_cell {
    struct esse_span name;
    esse_value value;
};

enum esse_change_kind { ESSE_CHANGE_PUT, ESSE_CHANGE_DELETE, ESSE_CHANGE_TRUNCATE };

struct esse_change {
    enum esse_change_kind kind;
    struct esse_span table;        /* without its schema */
    const struct esse_cell *cells; /* the row after a put; what is known of a deleted one */
    size_t count;
    const struct esse_cell *old; /* the row before, if the stream has it */
    size_t old_count;
};

/*
 * Where a stream goes.  'begin' opens a transaction, and what follows is its own until the next
 * 'begin' or the 'commit'.  Streams of log records have whole transactions in the order of their
 * stamps; feeds of rows may come back to a transaction, and in any order.
 */
struct esse_change_sink {
    struct esse_values *values;
    bool (*begin)(struct esse_change_sink *sink, const struct esse_change_txn *txn,
                  struct esse_error *err);
    bool (*change)(struct esse_change_sink *sink, const struct esse_change *change,
                   struct esse_error *err);
    bool (*commit)(struct esse_change_sink *sink, struct esse_error *err);
    /* Whether rows of the table are to be taken apart; otherwise a change of it has no cells. NULL:
     * all are.  Only the binary log's decoder asks. */
    bool (*wants)(struct esse_change_sink *sink, struct esse_span table);
};

#endif
