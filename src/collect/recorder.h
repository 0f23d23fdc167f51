#ifndef ESSE_COLLECT_RECORDER_H
#define ESSE_COLLECT_RECORDER_H

#include "collect/driver.h"
#include "history/record.h"

/*
 * What clients saw, streamed to a native file while it happens.
 *
 * 1) One book for each thread; all write to one descriptor that is open for appending.  A write is
 *    whole lines, so lines of different threads never mix, and since a session belongs to one
 * thread its lines are in its order.  Lines of different sessions are in no particular order. 2) A
 * transaction's line is written when its outcome is known: it is whole or not there.
 *    esse_book_flush() is called at least every 100 ms, so a kill -9 of esse loses what the last
 *    100 ms finished, and the open transactions.  What is left can be read and checked, but it
 *    may show reads of what those wrote, as reads of values that nobody wrote.
 * 3) Times are nanoseconds since the book was opened, on one clock for all threads.  A transaction
 *    starts before BEGIN is sent and ends when the answer to COMMIT or ROLLBACK is there.  Of
 * unknown outcome: no end, and the session goes on under a new number, as in Jepsen, since nobody
 * knows whether its next transaction comes later. 4) A write that failed is recorded too, since it
 * may have had an effect that others see; so is a read that failed, without a value; a predicate
 * that failed is not.  A delete that found nothing is a read of nothing. 5) Keys are the row's
 * number, or TABLE and number if the schema has several tables.
 *
 * Cost: some 100 ns an operation and no allocation once warm; a write(2) every 64 KiB or 100 ms.
 */
struct esse_book;
struct esse_named;

struct esse_tally {
    uint64_t committed, aborted, unknown, operations;
};

/* 'fd' is open with O_APPEND; -1 records nothing and only counts, for the bench. */
struct esse_book *esse_book_new(struct esse_arena *arena, int fd, const struct esse_schema *schema,
                                int64_t epoch);

/* Nanoseconds of the clock that all books use; 'epoch' is one of its readings. */
int64_t esse_book_clock(void);

/* The first lines: header and initial versions.  Before any session. */
bool esse_book_open(struct esse_book *book, const char *db, const char *isolation,
                    struct esse_error *err);

/* ---- one session's open transaction ---- */

struct esse_page;
struct esse_page *esse_page_new(struct esse_book *book, int64_t session);

void esse_page_begin(struct esse_page *page);
/* 'began' is when the request was started: a reading of the clock.  'is_done' as opposed to failed.
 */
void esse_page_add(struct esse_page *page, const struct esse_request *request,
                   const struct esse_reply *reply, int64_t began, bool is_done);
/* Ends the transaction and writes its line into the book's buffer. */
bool esse_page_end(struct esse_page *page, enum esse_status status, struct esse_error *err);
/* From now on under another number: after an unknown outcome. */
void esse_page_rename(struct esse_page *page, int64_t session);

/* Writes what is due: everything if 'is_now', else what is older than 100 ms or more than 64 KiB.
 */
bool esse_book_flush(struct esse_book *book, bool is_now, struct esse_error *err);

struct esse_tally esse_book_tally(const struct esse_book *book);

/* Transactions of which the server told an id, and which may have committed; see learnt.h. */
const struct esse_named *esse_book_named(const struct esse_book *book, size_t *count);

/* For transactions that no session of ours made: what a store plays by itself. */
struct esse_sink *esse_book_sink(struct esse_book *book);

#endif
