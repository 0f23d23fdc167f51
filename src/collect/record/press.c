#include "base/checked.h"
#include "collect/record/page.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* What is in a book: its lines and bytes from here on are not yet put. */
struct cursor {
    const struct esse_lines *at;
    size_t line, byte;
};

/* Lines that follow one another in a book and in the file. */
ESSE_VEC(run_vec, struct iovec)

struct esse_press {
    struct esse_arena *arena;
    struct esse_book **books;
    struct cursor *cursors; /* by book */
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

struct esse_press *esse_press_new(struct esse_arena *arena, struct esse_book **books, size_t count,
                                  int fd)
{
    struct esse_press *press = esse_arena_alloc(arena, 1, sizeof *press);
    *press = (struct esse_press){ .arena = arena, .books = books, .count = count, .fd = fd };
    press->cursors = esse_arena_alloc(arena, count, sizeof *press->cursors);
    press->bytes = size_of(fd);
    return press;
}

uint64_t esse_press_bytes(const struct esse_press *press)
{
    return press->bytes;
}

/* The lines that the thread does not fill. */
static struct esse_lines *resting(struct esse_book *book)
{
    return &book->front.at[!book->front.filled];
}

static void look_at(struct cursor *cursor, const struct esse_lines *lines)
{
    *cursor = (struct cursor){ .at = lines };
}

/* Takes what all books have at one moment, so that whatever comes later has a later stamp.  No
 * thread waits for long: all that happens under the locks is that the two halves change places. */
static void take_all(struct esse_press *press)
{
    for (size_t i = 0; i < press->count; i++)
        pthread_mutex_lock(&press->books[i]->front.lock);
    for (size_t i = 0; i < press->count; i++)
        ESSE_SEAM(esse_front_valid(&press->books[i]->front));
    for (size_t i = 0; i < press->count; i++)
        press->books[i]->front.filled ^= 1;
    for (size_t i = 0; i < press->count; i++)
        pthread_mutex_unlock(&press->books[i]->front.lock);
    for (size_t i = 0; i < press->count; i++)
        look_at(&press->cursors[i], resting(press->books[i]));
}

/* The book whose next line is the earliest; NULL if none has one. */
static struct cursor *earliest(struct esse_press *press)
{
    struct cursor *best = NULL;
    for (size_t i = 0; i < press->count; i++) {
        struct cursor *cursor = &press->cursors[i];
        if (cursor->line < cursor->at->lines.count &&
            (!best ||
             cursor->at->lines.at[cursor->line].stamp < best->at->lines.at[best->line].stamp))
            best = cursor;
    }
    return best;
}

/* The next line of a book. */
static struct iovec take_line(struct cursor *cursor)
{
    const size_t length = cursor->at->lines.at[cursor->line++].length;
    const struct iovec line = { cursor->at->bytes.buffer + cursor->byte, length };
    cursor->byte += length;
    return line;
}

/* Puts a line behind what will be written.  Nothing is copied: the kernel does that, from the
 * book's own bytes. */
static void put_line(struct esse_press *press, struct iovec line)
{
    struct iovec *last = press->runs.count ? &press->runs.at[press->runs.count - 1] : NULL;
    if (last && (char *)last->iov_base + last->iov_len == line.iov_base)
        last->iov_len += line.iov_len;
    else
        run_vec_push(&press->runs, press->arena, line);
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

/* The order matters to the heir: as long as 'bytes' is the old number, lines may be in the file. */
static void forget_lines(struct esse_press *press)
{
    uint64_t written = 0;
    for (size_t i = 0; i < press->count; i++) {
        struct esse_lines *lines = resting(press->books[i]);
        written += press->cursors[i].byte;
        lines->bytes.count = lines->lines.count = 0;
    }
    press->bytes += written;
}

bool esse_press_run(struct esse_press *press, struct esse_error *err)
{
    if (press->failure.code != ESSE_OK) {
        *err = press->failure;
        return false;
    }
    take_all(press);
    press->runs.count = 0;
    for (struct cursor *cursor; (cursor = earliest(press));)
        put_line(press, take_line(cursor));
    const bool ok = write_all(press->fd, press->runs.at, press->runs.count);
    if (!ok) {
        esse_fail(err, ESSE_EIO, "cannot write the history: %s", strerror(errno));
        press->failure = *err;
    }
    forget_lines(press);
    return ok;
}

/* ---- when all threads have died ---- */

/* Writes the lines at the cursors, but for so many bytes that are in the file already. */
static bool write_lines(struct esse_press *press, uint64_t written)
{
    bool ok = true;
    for (struct cursor *cursor; ok && (cursor = earliest(press));) {
        struct iovec line = take_line(cursor), *rest = &line;
        const size_t there = written < line.iov_len ? (size_t)written : line.iov_len;
        written -= there;
        ok = write_all(press->fd, rest, skip_written(&rest, 1, there));
    }
    return ok;
}

static bool write_open(const struct esse_press *press, const struct esse_page *page)
{
    char head[ESSE_HEAD_ROOM];
    struct esse_open_line line;
    if (!esse_page_open_line(page, head, &line))
        return true;
    struct iovec pieces[] = { { head, line.head_length },
                              { (char *)line.ops, line.ops_length },
                              { (char *)ESSE_NATIVE_TXN_END, strlen(ESSE_NATIVE_TXN_END) } };
    return write_all(press->fd, pieces, 3);
}

void esse_press_last(void *context)
{
    struct esse_press *press = context;
    if (press->failure.code != ESSE_OK)
        return;
    for (size_t i = 0; i < press->count; i++)
        look_at(&press->cursors[i], resting(press->books[i]));
    bool ok = write_lines(press, size_of(press->fd) - press->bytes);
    for (size_t i = 0; i < press->count; i++)
        look_at(&press->cursors[i], esse_front_lines(&press->books[i]->front));
    ok = ok && write_lines(press, 0);
    for (size_t i = 0; i < press->count; i++)
        for (struct esse_page *page = press->books[i]->pages; ok && page; page = page->next)
            ok = write_open(press, page);
}
