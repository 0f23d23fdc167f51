#ifndef ESSE_FORMATS_JEPSEN_WALK_H
#define ESSE_FORMATS_JEPSEN_WALK_H

#include "formats/edn.h"
#include "formats/json.h"
#include "history/record.h"

/*
 * The operations of a history of Jepsen's, one after the other, in either syntax: EDN maps, bare or
 * in one vector or list, or one JSON array of objects.  What an operation means is its reader's:
 * transactions are jepsen.h's, logs of operations oplog_read.h's.
 *
 * Life: a zeroed struct with the reader's functions, which begins the reader's own -> edn or json.
 */
enum esse_jepsen_member {
    ESSE_MEMBER_TYPE,
    ESSE_MEMBER_PROCESS,
    ESSE_MEMBER_F,
    ESSE_MEMBER_VALUE,
    ESSE_MEMBER_INDEX,
    ESSE_MEMBER_TIME,
    ESSE_MEMBER_EXTRA, /* any other; all but these come once at most */
};

struct esse_jepsen_walk {
    struct esse_edn edn;   /* the scanner of the one syntax ... */
    struct esse_json json; /* ... and that of the other */

    /* An operation begins at 'place': once more, if the window ended within it. */
    void (*begin)(struct esse_jepsen_walk *walk, const char *place);
    /* The value of a member stands next; its name is as it is written. */
    bool (*member)(struct esse_jepsen_walk *walk, enum esse_jepsen_member member,
                   struct esse_span name);
    /* The members have been read; NULL: nothing is left to be read. */
    bool (*end)(struct esse_jepsen_walk *walk);
    /* The operation is whole.  False is the end, with the error. */
    bool (*take)(struct esse_jepsen_walk *walk);

    /* EDN, after the first operation: may read any that follow, from source->at on.  NULL: the walk
     * reads all. */
    bool (*go_on)(struct esse_jepsen_walk *walk);

    uint64_t taken; /* operations */
    char close;     /* what ends the vector, list or array; 0 if there is none */
    bool is_done;   /* it has ended */
    uint64_t open_line, open_column;
};

bool esse_jepsen_walk_edn(struct esse_jepsen_walk *walk, struct esse_source *source,
                          struct esse_values *values, struct esse_error *err);
bool esse_jepsen_walk_json(struct esse_jepsen_walk *walk, struct esse_source *source,
                           struct esse_values *values, struct esse_error *err);

/* The operations of some lines of EDN, up to the first that does not end there, or is wrong, or
 * that is not taken: lines->at.  It is the end of the lines if only white space is left. */
void esse_jepsen_walk_lines(struct esse_jepsen_walk *walk, struct esse_source *lines,
                            struct esse_values *values);

/* What both readers hold operations to: all have an :index or none has, and they ascend.  An
 * operation that has none gets its position. */
struct esse_jepsen_order {
    uint64_t position; /* of the next operation, from 0 */
    bool is_indexed;
    int64_t last;
};
bool esse_jepsen_order_take(struct esse_jepsen_order *order, struct esse_source *source,
                            const char *place, int64_t *index, struct esse_error *err);

#endif
