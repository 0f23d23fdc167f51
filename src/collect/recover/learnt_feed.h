#ifndef ESSE_COLLECT_RECOVER_LEARNT_FEED_H
#define ESSE_COLLECT_RECOVER_LEARNT_FEED_H

#include "collect/driver.h"
#include "collect/recover/change.h"

/*
 * From a feed of row versions to what a run learns.  Unlike a log (learnt_rows.h) a feed comes at
 * least once and in any order, and of a transaction's writes to a row it has the last only: it is
 * kept, and sent by stamp when everything has come.
 *
 * Life: new -> the sink's begin, change, commit ... -> tell.  Cost: 48 bytes a version and 8 an
 * item of every state of a list; tell sorts.
 */
struct esse_learnt_feed;

struct esse_learnt_feed *esse_learnt_feed_new(struct esse_arena *arena,
                                              const struct esse_schema *schema);

/* The sink for a decoder.  The sender sets its 'values', which may be others for each message.  An
 * id that is an integer is the xid; of another the xid is the stamp's number, from 'base' on. */
struct esse_change_sink *esse_learnt_feed_sink(struct esse_learnt_feed *feed);
void esse_learnt_feed_base(struct esse_learnt_feed *feed, struct esse_stamp base);

/* What is stamped up to here was there from the start, and is left out. */
void esse_learnt_feed_after(struct esse_learnt_feed *feed, struct esse_stamp start);

/* Everything up to here, once, in the order of the stamps.  Of a register whose values the feed
 * does not have (ESSE_NONE), versions are named by their transactions; of such lists there are
 * none.  Commits are sent if 'has_times': transactions say when they looked, and when they
 * committed. */
void esse_learnt_feed_tell(struct esse_learnt_feed *feed, struct esse_learnt *learnt,
                           bool has_times);

/*
 * A hybrid timestamp as a number of 63 bits, for start_ts, commit_ts and xid: even, in the order
 * of the stamps, equal for equal ones only.  ESSE_NO_ID if it does not fit: more than 39 hours
 * after 'base', before it, or with a counter of 32,767 or more.
 */
int64_t esse_stamp_number(struct esse_stamp stamp, struct esse_stamp base);

#endif
