#ifndef ESSE_HISTORY_SNAPSHOTS_H
#define ESSE_HISTORY_SNAPSHOTS_H

#include "history/history.h"

/*
 * Which commits an operation saw, as the certificate of its history shows.
 *
 * Transactions have places in the order of commits, from 0 on: as they stand in 'order', or, for
 * timestamps or if there is none, by commit_ts; those that are not there, or aborted, nowhere.  A
 * snapshot is a set of places; nearly always it is the first so many of them.  What PostgreSQL
 * prints may be another set, where commits became visible in another order than they were logged.
 *
 * Cost: find O(transactions), and a sort if there is no 'order'; a snapshot O(log transactions),
 * that at a start_ts O(1), PostgreSQL's O(transactions between its xmin and its xmax) more.
 */
typedef struct {
    uint32_t ix;
} esse_place;
#define ESSE_NO_PLACE UINT32_MAX

struct esse_xid_place {
    int64_t xid;
    esse_place place;
    uint32_t latest; /* of the places up to this one */
    int64_t began;   /* the last time at which one up to this one began, or INT64_MIN */
};

struct esse_snapshots {
    const struct esse_history *history;
    esse_place *place; /* by transaction, or ESSE_NO_PLACE */
    esse_txn *txns;    /* by place */
    uint32_t count;    /* places */
    /* Timestamps: by transaction, how many had committed by its start_ts, or ESSE_NO_PLACE. */
    esse_place *begun;
    /* PostgreSQL: those that have a place and an xid, by xid; and how many of them are among the
     * first so many places. */
    struct esse_xid_place *xids;
    uint32_t xid_count;
    uint32_t *xids_before; /* by place, and one more */
};

struct esse_snapshot {
    bool is_prefix;    /* it is the first 'before' places; otherwise none from 'before' on */
    esse_place before; /* all that it sees are before this place */
    esse_value text;   /* of PostgreSQL, if it is no prefix */
};

/* For a history whose certificate has a kind. */
void esse_snapshots_find(struct esse_snapshots *snapshots, struct esse_arena *arena,
                         const struct esse_history *history);

/* What the operation of the transaction saw; false if that was not recorded.  A crash of PostgreSQL
 * loses the numbers of transactions whose log was not written yet, and they are given again.  So a
 * snapshot that sees one that began after the operation's transaction had ended says
 * nothing. */
bool esse_snapshot_of(const struct esse_snapshots *snapshots, uint32_t txn, uint32_t op,
                      struct esse_snapshot *snapshot);

/* Does it see what this transaction committed?  O(1), or O(length of PostgreSQL's text). */
bool esse_snapshot_sees(const struct esse_snapshots *snapshots,
                        const struct esse_snapshot *snapshot, uint32_t txn);

#endif
