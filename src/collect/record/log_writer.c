#include "base/checked.h"
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

uint64_t esse_log_writer_bytes(const struct esse_log_writer *log_writer)
{
    return log_writer->bytes;
}

/* The lines that the thread does not fill. */
static struct esse_lines *resting(struct esse_log_buffer *log_buffer)
{
    return &log_buffer->front.at[!log_buffer->front.filled];
}

static void look_at(struct cursor *cursor, const struct esse_lines *lines)
{
    *cursor = (struct cursor){ .at = lines };
}

/* Takes what all log buffers have at one moment, so that whatever comes later has a later stamp.
 * No thread waits for long: all that happens under the locks is that the two halves change
 * places. */
static void take_all(struct esse_log_writer *log_writer)
{
    for (size_t i = 0; i < log_writer->count; i++)
        pthread_mutex_lock(&log_writer->log_buffers[i]->front.lock);
    for (size_t i = 0; i < log_writer->count; i++)
        ESSE_SEAM(esse_front_valid(&log_writer->log_buffers[i]->front));
    for (size_t i = 0; i < log_writer->count; i++)
        log_writer->log_buffers[i]->front.filled ^= 1;
    for (size_t i = 0; i < log_writer->count; i++)
        pthread_mutex_unlock(&log_writer->log_buffers[i]->front.lock);
    for (size_t i = 0; i < log_writer->count; i++)
        look_at(&log_writer->cursors[i], resting(log_writer->log_buffers[i]));
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
    uint64_t written = 0;
    for (size_t i = 0; i < log_writer->count; i++) {
        struct esse_lines *lines = resting(log_writer->log_buffers[i]);
        written += log_writer->cursors[i].byte;
        lines->bytes.count = lines->lines.count = 0;
    }
    log_writer->bytes += written;
}

bool esse_log_writer_run(struct esse_log_writer *log_writer, struct esse_error *err)
{
    if (log_writer->failure.code != ESSE_OK) {
        *err = log_writer->failure;
        return false;
    }
    take_all(log_writer);
    log_writer->runs.count = 0;
    for (struct cursor *cursor; (cursor = earliest(log_writer));)
        put_line(log_writer, take_line(cursor));
    const bool ok = write_all(log_writer->fd, log_writer->runs.at, log_writer->runs.count);
    if (!ok) {
        esse_fail(err, ESSE_EIO, "cannot write the history: %s", strerror(errno));
        log_writer->failure = *err;
    }
    forget_lines(log_writer);
    return ok;
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
    if (log_writer->failure.code != ESSE_OK)
        return;
    for (size_t i = 0; i < log_writer->count; i++)
        look_at(&log_writer->cursors[i], resting(log_writer->log_buffers[i]));
    bool ok = write_lines(log_writer, size_of(log_writer->fd) - log_writer->bytes);
    for (size_t i = 0; i < log_writer->count; i++)
        look_at(&log_writer->cursors[i], esse_front_lines(&log_writer->log_buffers[i]->front));
    ok = ok && write_lines(log_writer, 0);
    for (size_t i = 0; i < log_writer->count; i++)
        for (struct esse_session_buffer *session_buffer =
                 log_writer->log_buffers[i]->session_buffers;
             ok && session_buffer; session_buffer = session_buffer->next)
            ok = write_open(log_writer, session_buffer);
}
