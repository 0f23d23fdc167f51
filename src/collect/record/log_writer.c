#include "base/checked.h"
#include "base/clock.h"
#include "collect/record/session_buffer.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* What is in a log buffer: its lines and bytes from here on are not yet put. */
struct cursor {
    const struct esse_lines *at;
    size_t line, byte;
};

/* Lines that follow one another in a log buffer and in the file. */
ESSE_VEC(run_vec, struct iovec)

struct esse_log_writer {
    struct esse_arena *arena;
    struct esse_log_buffer **log_buffers;
    bool is_trace;
    struct esse_out beats; /* of the trace: what the last run knew of the sessions */
    size_t beats_now;      /* so many bytes of them are written by the run at hand, first */
    bool (*take)(void *context, const char *lines, size_t length, struct esse_error *err);
    void *context;
    struct cursor *cursors; /* by log buffer */
    size_t count;
    int fd;
    struct run_vec runs;
    uint64_t bytes;            /* in the file when the last run was over */
    struct esse_error failure; /* of the first write that failed; nothing is written after that */
};

static uint64_t size_of(int fd)
{
    struct stat stat;
    return fstat(fd, &stat) == 0 ? (uint64_t)stat.st_size : 0;
}

struct esse_log_writer *esse_log_writer_new(struct esse_arena *arena,
                                            struct esse_log_buffer **log_buffers, size_t count,
                                            int fd)
{
    struct esse_log_writer *log_writer = esse_arena_alloc(arena, 1, sizeof *log_writer);
    *log_writer = (struct esse_log_writer){
        .arena = arena, .log_buffers = log_buffers, .count = count, .fd = fd
    };
    log_writer->cursors = esse_arena_alloc(arena, count, sizeof *log_writer->cursors);
    log_writer->bytes = size_of(fd);
    return log_writer;
}

struct esse_log_writer *esse_log_writer_new_trace(
    struct esse_arena *arena, struct esse_log_buffer **log_buffers, size_t count, int fd,
    bool (*take)(void *context, const char *lines, size_t length, struct esse_error *err),
    void *context)
{
    struct esse_log_writer *log_writer = esse_log_writer_new(arena, log_buffers, count, fd);
    log_writer->is_trace = true;
    log_writer->take = take;
    log_writer->context = context;
    esse_out_init_memory(&log_writer->beats, arena);
    return log_writer;
}

uint64_t esse_log_writer_bytes(const struct esse_log_writer *log_writer)
{
    return log_writer->bytes;
}

static struct esse_front *front_of(const struct esse_log_writer *log_writer, size_t i)
{
    struct esse_log_buffer *log_buffer = log_writer->log_buffers[i];
    return log_writer->is_trace ? &log_buffer->trace : &log_buffer->front;
}

/* The lines that the thread does not fill. */
static struct esse_lines *resting(struct esse_front *front)
{
    return &front->at[!front->filled];
}

static void look_at(struct cursor *cursor, const struct esse_lines *lines)
{
    *cursor = (struct cursor){ .at = lines };
}

/* What is true of the sessions once the lines at hand are written: it is written before those of
 * the next run. */
static void note_sessions(struct esse_log_writer *log_writer)
{
    const int64_t now = esse_clock_ns();
    for (size_t i = 0; i < log_writer->count; i++) {
        struct esse_log_buffer *log_buffer = log_writer->log_buffers[i];
        esse_trace_beats(log_buffer, now - log_buffer->epoch, &log_writer->beats);
    }
}

/* Takes what all log buffers have at one moment, so that whatever comes later has a later stamp.
 * No thread waits for long: all that happens under the locks is that the two halves change
 * places. */
static void take_all(struct esse_log_writer *log_writer)
{
    for (size_t i = 0; i < log_writer->count; i++)
        pthread_mutex_lock(&front_of(log_writer, i)->lock);
    for (size_t i = 0; i < log_writer->count; i++)
        ESSE_SEAM(esse_front_valid(front_of(log_writer, i)));
    for (size_t i = 0; i < log_writer->count; i++)
        front_of(log_writer, i)->filled ^= 1;
    if (log_writer->is_trace)
        note_sessions(log_writer);
    for (size_t i = 0; i < log_writer->count; i++)
        pthread_mutex_unlock(&front_of(log_writer, i)->lock);
    for (size_t i = 0; i < log_writer->count; i++)
        look_at(&log_writer->cursors[i], resting(front_of(log_writer, i)));
}

/* The log buffer whose next line is the earliest; NULL if none has one. */
static struct cursor *earliest(struct esse_log_writer *log_writer)
{
    struct cursor *best = NULL;
    for (size_t i = 0; i < log_writer->count; i++) {
        struct cursor *cursor = &log_writer->cursors[i];
        if (cursor->line < cursor->at->lines.count &&
            (!best ||
             cursor->at->lines.at[cursor->line].stamp < best->at->lines.at[best->line].stamp))
            best = cursor;
    }
    return best;
}

/* The next line of a log buffer. */
static struct iovec take_line(struct cursor *cursor)
{
    const size_t length = cursor->at->lines.at[cursor->line++].length;
    const struct iovec line = { cursor->at->bytes.buffer + cursor->byte, length };
    cursor->byte += length;
    return line;
}

/* Puts a line behind what will be written.  Nothing is copied: the kernel does that, from the
 * log buffer's own bytes. */
static void put_line(struct esse_log_writer *log_writer, struct iovec line)
{
    struct iovec *last =
        log_writer->runs.count ? &log_writer->runs.at[log_writer->runs.count - 1] : NULL;
    if (last && (char *)last->iov_base + last->iov_len == line.iov_base)
        last->iov_len += line.iov_len;
    else
        run_vec_push(&log_writer->runs, log_writer->arena, line);
}

/* What is left of 'count' runs when so many bytes are written. */
static size_t skip_written(struct iovec **runs, size_t count, size_t written)
{
    for (; count && written >= (*runs)->iov_len; count--)
        written -= (*runs)++->iov_len;
    if (count) {
        (*runs)->iov_base = (char *)(*runs)->iov_base + written;
        (*runs)->iov_len -= written;
    }
    return count;
}

/* Gives the runs away, whole lines each. */
static bool give_all(const struct esse_log_writer *log_writer, struct esse_error *err)
{
    for (size_t i = 0; i < log_writer->runs.count; i++) {
        const struct iovec *run = &log_writer->runs.at[i];
        if (!log_writer->take(log_writer->context, run->iov_base, run->iov_len, err))
            return false;
    }
    return true;
}

static bool write_all(int fd, struct iovec *runs, size_t left)
{
    enum { AT_ONCE = 1024 }; /* more than that no system takes */
    while (left) {
        const ssize_t got = writev(fd, runs, left < AT_ONCE ? (int)left : AT_ONCE);
        if (got < 0 && errno != EINTR)
            return false;
        left = skip_written(&runs, left, got > 0 ? (size_t)got : 0);
    }
    return true;
}

/* The order matters to the crash handler: as long as 'bytes' is the old number, lines may be in the
 * file. */
static void forget_lines(struct esse_log_writer *log_writer)
{
    uint64_t written = log_writer->beats_now;
    for (size_t i = 0; i < log_writer->count; i++) {
        struct esse_lines *lines = resting(front_of(log_writer, i));
        written += log_writer->cursors[i].byte;
        lines->bytes.count = lines->lines.count = 0;
    }
    log_writer->bytes += written;
}

/* The lines that are there, and before them what the last run knew of the sessions. */
static void gather(struct esse_log_writer *log_writer)
{
    const struct iovec before = { log_writer->beats.buffer, log_writer->beats_now };
    log_writer->runs.count = 0;
    if (before.iov_len)
        run_vec_push(&log_writer->runs, log_writer->arena, before);
    for (struct cursor *cursor; (cursor = earliest(log_writer));)
        put_line(log_writer, take_line(cursor));
}

/* Beats that were written make room for those of this run. */
static void forget_beats(struct esse_log_writer *log_writer)
{
    struct esse_out *beats = &log_writer->beats;
    const size_t written = log_writer->beats_now;
    log_writer->beats_now = 0;
    if (!written)
        return;
    memmove(beats->buffer, beats->buffer + written, beats->count - written);
    beats->count -= written;
}

bool esse_log_writer_run(struct esse_log_writer *log_writer, struct esse_error *err)
{
    if (log_writer->failure.code != ESSE_OK) {
        *err = log_writer->failure;
        return false;
    }
    log_writer->beats_now = log_writer->beats.count;
    take_all(log_writer);
    gather(log_writer);
    bool ok = !log_writer->take || give_all(log_writer, err);
    if (ok && log_writer->fd >= 0 &&
        !write_all(log_writer->fd, log_writer->runs.at, log_writer->runs.count))
        ok = esse_fail(err, ESSE_EIO, "cannot write the %s: %s",
                       log_writer->is_trace ? "trace" : "history", strerror(errno));
    if (!ok)
        log_writer->failure = *err;
    forget_lines(log_writer);
    forget_beats(log_writer);
    return ok;
}

bool esse_log_writer_end(struct esse_log_writer *log_writer, struct esse_error *err)
{
    if (!esse_log_writer_run(log_writer, err))
        return false;
    log_writer->beats.count = 0;
    for (size_t i = 0; i < log_writer->count; i++) {
        struct esse_log_buffer *log_buffer = log_writer->log_buffers[i];
        esse_trace_closes(log_buffer, esse_clock_ns() - log_buffer->epoch, &log_writer->beats);
    }
    return esse_log_writer_run(log_writer, err);
}

/* ---- when all threads have died ---- */

/* Writes the lines at the cursors, but for so many bytes that are in the file already. */
static bool write_lines(struct esse_log_writer *log_writer, uint64_t written)
{
    bool ok = true;
    for (struct cursor *cursor; ok && (cursor = earliest(log_writer));) {
        struct iovec line = take_line(cursor), *rest = &line;
        const size_t there = written < line.iov_len ? (size_t)written : line.iov_len;
        written -= there;
        ok = write_all(log_writer->fd, rest, skip_written(&rest, 1, there));
    }
    return ok;
}

/* Of the run at hand so many bytes are in the file: how many of them are lines.  A beat that is
 * there in part is written to its end. */
static uint64_t lines_written(struct esse_log_writer *log_writer, uint64_t written)
{
    const size_t beats = log_writer->beats_now;
    struct iovec rest = { log_writer->beats.buffer + written, beats - (size_t)written };
    if (written >= beats)
        return written - beats;
    if (written)
        write_all(log_writer->fd, &rest, 1);
    return 0;
}

static bool write_open(const struct esse_log_writer *log_writer,
                       const struct esse_session_buffer *session_buffer)
{
    char head[ESSE_HEAD_ROOM];
    struct esse_open_line line;
    if (!esse_session_buffer_open_line(session_buffer, head, &line))
        return true;
    struct iovec pieces[] = { { head, line.head_length },
                              { (char *)line.ops, line.ops_length },
                              { (char *)ESSE_NATIVE_TXN_END, strlen(ESSE_NATIVE_TXN_END) } };
    return write_all(log_writer->fd, pieces, 3);
}

void esse_log_writer_last(void *context)
{
    struct esse_log_writer *log_writer = context;
    if (log_writer->failure.code != ESSE_OK || log_writer->fd < 0)
        return;
    for (size_t i = 0; i < log_writer->count; i++)
        look_at(&log_writer->cursors[i], resting(front_of(log_writer, i)));
    const uint64_t written = size_of(log_writer->fd) - log_writer->bytes;
    bool ok = write_lines(log_writer, lines_written(log_writer, written));
    for (size_t i = 0; i < log_writer->count; i++)
        look_at(&log_writer->cursors[i], esse_front_lines(front_of(log_writer, i)));
    ok = ok && write_lines(log_writer, 0);
    for (size_t i = 0; i < log_writer->count && !log_writer->is_trace; i++)
        for (struct esse_session_buffer *session_buffer =
                 log_writer->log_buffers[i]->session_buffers;
             ok && session_buffer; session_buffer = session_buffer->next)
            ok = write_open(log_writer, session_buffer);
}
