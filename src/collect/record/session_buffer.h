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
    int64_t epoch, last; /* readings of the clock: the run's first, and this thread's last */
    _Atomic bool rests;
    struct esse_front front;
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
    bool has_written;    /* something, and not only tried to */
    struct esse_out ops; /* separated by commas */
    const char *name;    /* of the open transaction in its workload file, or NULL */
};

/* An operation that was answered. */
struct esse_noted {
    const struct esse_request *request;
    const struct esse_reply *reply;
    bool is_done; /* as opposed to failed */
    int64_t begin, end;
};

/* All bytes since 'before' are one line.  The lock must be held, once sessions are at work. */
void esse_log_buffer_line(struct esse_log_buffer *log_buffer, int64_t stamp, size_t before);

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

/* What all operations begin and end with: up to the key; times, and the snapshot.  The first makes
 * room for a key and a value, and returns where they go; the second has them up to 'to'. */
char *esse_session_buffer_open_op(struct esse_session_buffer *session_buffer,
                                  enum esse_op_kind kind);
void esse_session_buffer_close_op(struct esse_session_buffer *session_buffer, char *to,
                                  const struct esse_noted *noted);

/* By own table: the numbers of its columns in the order of their names. */
uint32_t *const *esse_own_columns(struct esse_arena *arena, const struct esse_own_schema *own);

#endif
