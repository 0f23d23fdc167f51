#ifndef ESSE_COLLECT_RECORD_RECORDER_H
#define ESSE_COLLECT_RECORD_RECORDER_H

#include "collect/driver.h"
#include "collect/named.h"
#include "history/record.h"

/*
 * What clients saw, streamed to a native file while it happens.
 *
 * 1) One log buffer for each thread, with a session buffer for each of its sessions.  A log writer
 *    takes the finished lines of all log buffers, puts them in the order in which the transactions
 *    ended, and writes them.  So the lines of a session are in its order, and those of the file in
 *    that of the ends, which is what checks are fastest on.
 * 2) A transaction's line is written when its outcome is known: it is whole or not there.  The
 *    log writer runs every 20 ms or so, and writes whole lines.  When esse is killed, its crash
 *    handler writes what had ended since, and the open transactions with what they had done, as
 *    ones of unknown outcome: no other transaction can have read what is not in the file.
 * 3) Times are nanoseconds since the run began, on one clock for all threads.  A transaction
 *    starts before BEGIN is sent and ends when the answer to COMMIT or ROLLBACK is there.  Of
 *    unknown outcome: no end, and the session goes on under a new number, as in Jepsen, since its
 *    next transaction need not come later.
 * 4) A write that failed is recorded too, since it may have had an effect that others see; so is a
 *    read that failed, without a value; a predicate that failed is not.  A delete that found
 *    nothing is a read of nothing.
 * 5) Keys are the row's number, or TABLE/NUMBER if the schema has several tables.
 *
 * A trace (formats/trace.h) is recorded beside it or instead of it, an event a line:
 *
 * 6) The line is in the log buffer when the answer is there; times are read under its lock, so that
 *    what comes after a run of the log writer ended after it.
 * 7) Operations that failed say so; of statements that returned no rows the result is there, of
 *    what an UPDATE or DELETE found that it was seen under its lock, and of changes that found
 *    nothing that they were changes.  A BEGIN may end as late as the first operation.
 * 8) When esse is killed, what was answered is written; what was not is not there.
 *
 * Cost: an operation becomes text when it is answered, some 55 ns with the clock, and a list 4 ns
 * an item, or next to nothing if the database gave it as text; the line is copied once, and by the
 * kernel.  No allocation once warm; memory for twice what ended between two runs of the log writer.
 */
struct esse_log_buffer;

struct esse_tally {
    uint64_t committed, aborted, unknown, operations;
};

/* Reads the clock (base/clock.h), and what the log buffer's thread read last: early enough for a
 * beginning, and much cheaper. */
int64_t esse_log_buffer_now(struct esse_log_buffer *log_buffer);
int64_t esse_log_buffer_last(const struct esse_log_buffer *log_buffer);

/* 'epoch': a reading of the clock, from which the times of the history count. */
struct esse_log_buffer *esse_log_buffer_new(struct esse_arena *arena,
                                            const struct esse_schema *schema, int64_t epoch);
void esse_log_buffer_release(struct esse_log_buffer *log_buffer);

/* What is recorded: the history (usually), a line a transaction; a trace (usually not), a line an
 * event.  Before anything else. */
void esse_log_buffer_record(struct esse_log_buffer *log_buffer, bool history, bool trace);

/* The first lines: header and initial versions.  Before any session. */
bool esse_log_buffer_open(struct esse_log_buffer *log_buffer, const char *db, const char *isolation,
                          struct esse_error *err);

/* No more of the first lines follow. */
void esse_log_buffer_opened(struct esse_log_buffer *log_buffer);

/* Initial versions of a user's own table; between the two, and before any session. */
void esse_log_buffer_own_rows(struct esse_log_buffer *log_buffer, uint32_t table,
                              const struct esse_cells *cells);

/* For transactions that no session of ours made: what a store plays by itself.  No session is at
 * work meanwhile; end with esse_log_buffer_played(). */
struct esse_sink *esse_log_buffer_sink(struct esse_log_buffer *log_buffer);
void esse_log_buffer_played(struct esse_log_buffer *log_buffer);

/* What happens to the servers, in its place among the transactions; any time. */
void esse_log_buffer_fault(struct esse_log_buffer *log_buffer,
                           const struct esse_fault_record *fault);

/* Transactions that begin while a log buffer rests are counted only; for measuring, from any
 * thread. */
void esse_log_buffer_rest(struct esse_log_buffer *log_buffer, bool rests);

struct esse_tally esse_log_buffer_tally(const struct esse_log_buffer *log_buffer);

/* Transactions of which the server gave an id, and which may have committed; see named.h. */
const struct esse_named *esse_log_buffer_named(const struct esse_log_buffer *log_buffer,
                                               size_t *count);

/* ---- one session's open transaction ---- */

struct esse_session_buffer;
struct esse_session_buffer *esse_session_buffer_new(struct esse_log_buffer *log_buffer,
                                                    int64_t session);

void esse_session_buffer_begin(struct esse_session_buffer *session_buffer);

/* A request is started, at this reading of the clock. */
void esse_session_buffer_ask(struct esse_session_buffer *session_buffer, int64_t began);

/* What a workload file calls the transaction that has begun: it is recorded, for reports. */
void esse_session_buffer_name(struct esse_session_buffer *session_buffer, const char *name);
/* 'began' is when the request was started, a reading of the clock; 'is_done' as opposed to
 * failed. */
void esse_session_buffer_add(struct esse_session_buffer *session_buffer,
                             const struct esse_request *request, const struct esse_reply *reply,
                             int64_t began, bool is_done);
/* Ends the transaction and puts its line into the log buffer. */
void esse_session_buffer_end(struct esse_session_buffer *session_buffer, enum esse_status status);
/* From now on under another number: after an unknown outcome. */
void esse_session_buffer_rename(struct esse_session_buffer *session_buffer, int64_t session);

/* ---- to the disk ---- */

struct esse_log_writer;
struct esse_log_writer *esse_log_writer_new(struct esse_arena *arena,
                                            struct esse_log_buffer **log_buffers, size_t count,
                                            int fd);
/* Writes everything that has ended.  No other writer has the file.  Once that has failed, in the
 * middle of a line perhaps, it fails always. */
bool esse_log_writer_run(struct esse_log_writer *log_writer, struct esse_error *err);
uint64_t esse_log_writer_bytes(const struct esse_log_writer *log_writer);
/* What is left to do when the process has died: 'log_writer' is a struct esse_log_writer.  See
 * crash_handler.h. */
void esse_log_writer_last(void *log_writer);

/*
 * The same for the trace.  Every run also writes, for every session, that all was written up to a
 * time (a beat); esse_log_writer_end closes them all.  'fd' may be -1.  'take', if not NULL, is
 * given the same lines, some whole ones at a time.
 */
struct esse_log_writer *esse_log_writer_new_trace(
    struct esse_arena *arena, struct esse_log_buffer **log_buffers, size_t count, int fd,
    bool (*take)(void *context, const char *lines, size_t length, struct esse_error *err),
    void *context);
/* The last run, when all sessions have ended. */
bool esse_log_writer_end(struct esse_log_writer *log_writer, struct esse_error *err);

#endif
