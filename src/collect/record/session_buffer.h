#ifndef ESSE_COLLECT_RECORD_SESSION_BUFFER_H
#define ESSE_COLLECT_RECORD_SESSION_BUFFER_H

#include "collect/record/log_buffer.h"
#include "formats/native_put.h"

/* The inside of log buffers and session buffers, shared by recorder*.c and log_writer.c alone. */

ESSE_VEC(esse_named_vec, struct esse_named)

/* What a table's keys begin with, up to the number.  Copied as a whole, which is a move or two; the
 * rest is overwritten. */
struct esse_key_beginning {
    char text[32];
    size_t length;
};

struct esse_log_buffer {
    struct esse_arena *arena;
    const struct esse_schema *schema;
    int64_t epoch; /* readings of the clock: the run's first, ... */
    int64_t last;  /* ... and this thread's last, which others may look at */
    _Atomic bool rests;
    bool has_history, has_trace;
    struct esse_front front; /* of the history */
    struct esse_front trace;
    struct esse_tally tally;
    struct esse_named_vec named;
    struct esse_session_buffer *session_buffers; /* the last one made; then their 'next' */
    struct esse_sink *sink;                /* for records: the header, and what a store plays */
    struct esse_out records;               /* what was sent there, until it becomes a line */
    const struct esse_key_beginning *keys; /* by table */
    uint32_t *const *columns; /* by own table: its columns in the order of their names */
    struct esse_put_times times;
    struct esse_out shown; /* room for a text */
};

/* Operations become text when they are answered: that is little more than copying the answer. */
struct esse_session_buffer {
    struct esse_log_buffer *log_buffer;
    struct esse_session_buffer *next;
    bool is_open; /* there is a transaction whose line is not in the log buffer yet */
    bool is_idle; /* the log buffer rested when the open transaction began */
    int64_t session;
    uint64_t index; /* of the open transaction in its session */
    int64_t start, xid, start_ts, commit_ts;
    uint64_t operations;
    bool has_written;       /* something, and not only tried to */
    struct esse_out ops;    /* separated by commas */
    struct esse_out *to;    /* where operations are put: 'ops', or the lines of the trace */
    bool is_trace;          /* the latter */
    enum esse_op_kind kind; /* of the operation that is put */
    size_t before;          /* bytes that the lines of the trace had before */
    bool has_begun;         /* the BEGIN of the open transaction is in the trace */
    bool is_refused;        /* a request of it failed */
    bool is_lost;           /* the last request did, and the connection is gone */
    int64_t asked;          /* when the last request was started, or the first that failed */
    /* No event that is not in the trace yet begins before this, as far as this session knows;
     * INT64_MAX: none is under way. */
    _Atomic int64_t floor;
    const char *name; /* of the open transaction in its workload file, or NULL */
};

/* An operation that was answered. */
struct esse_noted {
    const struct esse_request *request;
    const struct esse_reply *reply;
    bool is_done; /* as opposed to failed */
    int64_t begin, end;
};

/* A row's key, and a value, which may be ESSE_ABSENT; ESSE_NATIVE_ROOM is enough for them too. */
static inline char *esse_log_buffer_put_key(const struct esse_log_buffer *log_buffer, char *to,
                                            uint32_t table, int64_t row)
{
    const struct esse_key_beginning *beginning = &log_buffer->keys[table];
    memcpy(to, beginning->text, sizeof beginning->text);
    to = esse_put_i64(to + beginning->length, row);
    *to++ = '"';
    return to;
}

static inline char *esse_log_buffer_put_value(char *to, int64_t value)
{
    return value == ESSE_ABSENT ? esse_put_text(to, "null") : esse_put_i64(to, value);
}

/* An operation, or several, of one request. */
void esse_session_buffer_put(struct esse_session_buffer *session_buffer,
                             const struct esse_noted *noted);
void esse_session_buffer_put_own(struct esse_session_buffer *session_buffer,
                                 const struct esse_noted *noted);

/* ---- recorder_trace.c: the same as events of a trace ---- */

/* An operation up to its key, and from its interval on. */
char *esse_trace_open_op(struct esse_session_buffer *session_buffer, enum esse_op_kind kind);
char *esse_trace_close_op(const struct esse_session_buffer *session_buffer, char *to,
                          const struct esse_noted *noted);
/* The write whose key would be put to 'to' is an insert. */
void esse_trace_is_insert(char *to);
/* A change that found no row: not a plain read of nothing, since some databases look at the newest
 * version for it, and no lock. */
void esse_trace_put_nothing(struct esse_session_buffer *session_buffer,
                            const struct esse_noted *noted);
/* What is put from now on goes to the trace, until the second; under the trace's lock.  BEGIN comes
 * first, if it is not there yet, and ends at 'end'. */
void esse_trace_open(struct esse_session_buffer *session_buffer, int64_t end);
void esse_trace_close(struct esse_session_buffer *session_buffer, int64_t end);
/* COMMIT or ROLLBACK. */
void esse_trace_end(struct esse_session_buffer *session_buffer, enum esse_status status);
/* The first line, up to the last initial row: more may be put there, and esse_log_buffer_opened()
 * ends it. */
struct esse_out *esse_trace_header(struct esse_log_buffer *log_buffer);
void esse_trace_next_row(struct esse_out *out);
void esse_trace_rename(struct esse_session_buffer *session_buffer, int64_t session);
/* Lines for all sessions: that all of their events up to 'now', a time of the history, are there.
 * The lock is held. */
void esse_trace_beats(struct esse_log_buffer *log_buffer, int64_t now, struct esse_out *out);
void esse_trace_closes(const struct esse_log_buffer *log_buffer, int64_t now, struct esse_out *out);

/* What all operations begin and end with: up to the key; times, and the snapshot.  The first makes
 * room for a key and a value, and returns where they go; the second has them up to 'to'. */
char *esse_session_buffer_open_op(struct esse_session_buffer *session_buffer,
                                  enum esse_op_kind kind);
void esse_session_buffer_close_op(struct esse_session_buffer *session_buffer, char *to,
                                  const struct esse_noted *noted);

/* By own table: the numbers of its columns in the order of their names. */
uint32_t *const *esse_own_columns(struct esse_arena *arena, const struct esse_own_schema *own);

#endif
