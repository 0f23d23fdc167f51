#ifndef ESSE_MIRROR_EVENT_H
#define ESSE_MIRROR_EVENT_H

#include <stdint.h>

/*
 * An event as the mirror keeps it: 48 bytes, nothing in it points anywhere.  Operations on several
 * rows, rows with columns and lists are followed by events of the kinds from PART on, one for each
 * piece, with the same interval.
 */
enum esse_mirror_kind {
    ESSE_MIRROR_BEGIN, /* key: the transaction's name; value: its isolation, or ESSE_NONE */
    ESSE_MIRROR_READ,
    ESSE_MIRROR_WRITE,
    ESSE_MIRROR_APPEND,
    ESSE_MIRROR_INSERT,
    ESSE_MIRROR_DELETE,
    ESSE_MIRROR_PREDICATE, /* key: its text; value: how many rows follow */
    ESSE_MIRROR_UPDATE,    /* the same, two pieces for each row */
    ESSE_MIRROR_COMMIT,    /* value: the server's timestamp, if HAS_TS */
    ESSE_MIRROR_ABORT,
    ESSE_MIRROR_SAVEPOINT, /* key: its name */
    ESSE_MIRROR_ROLLBACK_TO,
    ESSE_MIRROR_OPAQUE, /* key: the table */
    ESSE_MIRROR_GAP,
    ESSE_MIRROR_PART,
    ESSE_MIRROR_ROW = ESSE_MIRROR_PART, /* a row that a predicate operation returned */
    ESSE_MIRROR_NEW,                    /* what an update made of the row before it */
    ESSE_MIRROR_COLUMN,                 /* key: its name; of the value before it */
    ESSE_MIRROR_ITEM,                   /* of the list before it */
};

enum {
    ESSE_MIRROR_FAILED = 1,
    ESSE_MIRROR_CURSOR = 2,
    ESSE_MIRROR_COLUMNS = 4, /* the value is how many columns follow */
    ESSE_MIRROR_LIST = 8,    /* the value is the last item, or NIL; all of them follow as ITEMs */
    ESSE_MIRROR_FIRST = 16,  /* a BEGIN that nobody sent: the transaction just began */
    ESSE_MIRROR_HAS_TS = 32,
    ESSE_MIRROR_LATE = 64,     /* it came after its time: not to be verified */
    ESSE_MIRROR_BLIND = 256,   /* what a statement returned is not recorded */
    ESSE_MIRROR_ENDLESS = 128, /* when it ended is not known; 'after' is where it stands in order */
};

#define ESSE_MIRROR_NEVER INT64_MAX /* 'after' of what has no known end */

struct esse_mirror_event {
    int64_t before, after; /* widened by resolution and skew */
    uint64_t key, value;
    uint32_t txn, session; /* numbers */
    uint32_t line;
    uint8_t kind, lock;
    uint16_t flags;
};

_Static_assert(sizeof(struct esse_mirror_event) == 48, "an event is 48 bytes");

static inline int esse_mirror_is_part(const struct esse_mirror_event *event)
{
    return event->kind >= ESSE_MIRROR_PART;
}

#endif
