#ifndef ESSE_COLLECT_RECORD_LOG_BUFFER_H
#define ESSE_COLLECT_RECORD_LOG_BUFFER_H

#include "base/out.h"
#include "base/vec.h"
#include "collect/record/recorder.h"

#include <pthread.h>

/*
 * The inside of a log buffer, shared by recorder*.c and log_writer.c alone.  Invariants, the
 * first three under its lock, and the others in its thread:
 *
 *   1) 'filled' is one of the two.
 *   2) The lines of each of the two are its bytes, all of them and in this order; a line ends with
 *      a newline, unless it is empty.
 *   3) In each of the two the stamps never fall.
 * The same holds of the lines of the trace, and:
 *
 *   4) What the thread read last from the clock is not before the run began.
 *   5) Named transactions have committed, or their outcome is unknown.
 *   6) Its session buffers are its own, and no session buffer is both open and idle.
 */

/* A line, or several that belong together, and when it was finished. */
struct esse_line {
    int64_t stamp;
    size_t length;
};
ESSE_VEC(esse_line_vec, struct esse_line)

struct esse_lines {
    struct esse_out bytes; /* in memory */
    struct esse_line_vec lines;
};

/* The thread fills one of the two under the lock, the log writer empties the other one; which is
 * which it changes under the lock.  A stamp is taken under the lock too, so what comes after the
 * log writer was there has a later one. */
struct esse_front {
    pthread_mutex_t lock;
    struct esse_lines at[2];
    unsigned filled;
};

/* All bytes since 'before' are one line, or several.  The lock must be held, once sessions are at
 * work. */
void esse_front_line(struct esse_front *front, struct esse_arena *arena, int64_t stamp,
                     size_t before);

/* Invariants 1 to 3; the lock must be held.  O(lines). */
bool esse_front_valid(const struct esse_front *front);
/* All of them, in the log buffer's thread while no log writer runs.  O(lines + session buffers). */
bool esse_log_buffer_valid(const struct esse_log_buffer *log_buffer);

static inline struct esse_lines *esse_front_lines(struct esse_front *front)
{
    return &front->at[front->filled];
}

/* ---- for the crash handler: see log_writer.c ---- */

/* The line of an open transaction as one of unknown outcome, in pieces that need no room: what it
 * begins with is put to 'head', of ESSE_HEAD_ROOM.  NULL if there is none. */
enum { ESSE_HEAD_ROOM = 1024 };
struct esse_open_line {
    size_t head_length, ops_length;
    const char *ops;
};
bool esse_session_buffer_open_line(const struct esse_session_buffer *session_buffer, char *head,
                                   struct esse_open_line *line);

#endif
