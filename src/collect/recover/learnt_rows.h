#ifndef ESSE_COLLECT_RECOVER_LEARNT_ROWS_H
#define ESSE_COLLECT_RECOVER_LEARNT_ROWS_H

#include "collect/driver.h"
#include "collect/recover/change.h"

/*
 * From a change stream to what a run learns: rows of the tables esse_NAME as versions, once their
 * transaction has committed.  Of a user's own tables only the commits are sent.
 *
 * A mark shows where the stream has come to: the row k = 1 of the table esse_mark, which no schema
 * has; its v is a number that the driver chose.  Other rows of that table name the transaction that
 * changes them: v is its xid, whatever the stream calls it.
 */
struct esse_learnt_rows;

struct esse_learnt_rows *esse_learnt_rows_new(struct esse_arena *arena,
                                              const struct esse_schema *schema);

/* The sink for a decoder.  Ids that are integers are xids; of GTIDs the sequence number is one;
 * nil is none.  Columns are k and v, or the first and the second. */
struct esse_change_sink *esse_learnt_rows_sink(struct esse_learnt_rows *rows);

/* Where versions go from now on. */
void esse_learnt_rows_to(struct esse_learnt_rows *rows, struct esse_learnt *learnt);

/* Added to ids of 32 bits: those of a stream that began when the server was at 'xid'. */
void esse_learnt_rows_base(struct esse_learnt_rows *rows, int64_t xid);

/* The last mark that came by; 0 if none did. */
int64_t esse_learnt_rows_mark(const struct esse_learnt_rows *rows);

#endif
