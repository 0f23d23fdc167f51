#include "collect/book.h"

#include <errno.h>
#include <sys/uio.h>

/* What was taken from a book: its lines and bytes from here on are not yet put. */
struct back {
    struct esse_lines at;
    size_t line, byte;
};

/* Lines that follow one another in a book and in the file. */
ESSE_VEC(run_vec, struct iovec)

struct esse_press {
    struct esse_arena *arena;
    struct esse_book **books;
    struct back *backs;
    size_t count;
    int fd;
    struct run_vec runs;
    uint64_t bytes;            /* written so far */
    struct esse_error failure; /* of the first write that failed; nothing is written after that */
};

struct esse_press *esse_press_new(struct esse_arena *arena, struct esse_book **books, size_t count,
                                  int fd)
{
    struct esse_press *press = esse_arena_alloc(arena, 1, sizeof *press);
    *press = (struct esse_press){ .arena = arena, .books = books, .count = count, .fd = fd };
    press->backs = esse_arena_alloc(arena, count, sizeof *press->backs);
    /* Buffers change places and only ever grow in front, in the arena of the book's thread. */
    for (size_t i = 0; i < count; i++)
        esse_out_init_memory(&press->backs[i].at.bytes, esse_book_front(books[i])->at.bytes.arena);
    return press;
}

/* Takes what all books have at one moment, so that whatever comes later has a later stamp.  Nobody
 * waits for long: all that happens under the locks is that buffers change places. */
static void take_all(struct esse_press *press)
{
    for (size_t i = 0; i < press->count; i++)
        pthread_mutex_lock(&esse_book_front(press->books[i])->lock);
    for (size_t i = 0; i < press->count; i++) {
        struct esse_front *front = esse_book_front(press->books[i]);
        struct back *back = &press->backs[i];
        const struct esse_lines taken = front->at;
        front->at = back->at;
        *back = (struct back){ .at = taken };
    }
    for (size_t i = 0; i < press->count; i++)
        pthread_mutex_unlock(&esse_book_front(press->books[i])->lock);
}

/* The book whose next line is the earliest; NULL if none has one. */
static struct back *earliest(struct esse_press *press)
{
    struct back *best = NULL;
    for (size_t i = 0; i < press->count; i++) {
        struct back *back = &press->backs[i];
        if (back->line < back->at.lines.count &&
            (!best || back->at.lines.at[back->line].stamp < best->at.lines.at[best->line].stamp))
            best = back;
    }
    return best;
}

/* Puts the next line of a book behind what will be written.  Nothing is copied: the kernel does
 * that, from the book's own bytes. */
static void put_line(struct esse_press *press, struct back *back)
{
    const size_t length = back->at.lines.at[back->line++].length;
    char *from = back->at.bytes.buffer + back->byte;
    struct iovec *last = press->runs.count ? &press->runs.at[press->runs.count - 1] : NULL;
    if (last && (char *)last->iov_base + last->iov_len == from)
        last->iov_len += length;
    else
        run_vec_push(&press->runs, press->arena, (struct iovec){ from, length });
    back->byte += length;
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

static bool write_out(struct esse_press *press, struct esse_error *err)
{
    enum { AT_ONCE = 1024 }; /* more than that no system takes */
    struct iovec *runs = press->runs.at;
    size_t left = press->runs.count;
    while (left) {
        const ssize_t got = writev(press->fd, runs, left < AT_ONCE ? (int)left : AT_ONCE);
        if (got < 0 && errno != EINTR)
            return esse_fail(err, ESSE_EIO, "cannot write the history: %s", strerror(errno));
        press->bytes += got > 0 ? (uint64_t)got : 0;
        left = skip_written(&runs, left, got > 0 ? (size_t)got : 0);
    }
    return true;
}

uint64_t esse_press_bytes(const struct esse_press *press)
{
    return press->bytes;
}

bool esse_press_run(struct esse_press *press, struct esse_error *err)
{
    if (press->failure.code != ESSE_OK) {
        *err = press->failure;
        return false;
    }
    take_all(press);
    press->runs.count = 0;
    for (struct back *back; (back = earliest(press));)
        put_line(press, back);
    const bool ok = write_out(press, err);
    if (!ok)
        press->failure = *err;
    for (size_t i = 0; i < press->count; i++)
        press->backs[i].at.bytes.count = press->backs[i].at.lines.count = 0;
    return ok;
}
