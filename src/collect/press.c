#include "collect/book.h"

#include <errno.h>
#include <unistd.h>

/* What was taken from a book: its lines and bytes from here on are not yet put. */
struct back {
    struct esse_lines at;
    size_t line, byte;
};

struct esse_press {
    struct esse_book **books;
    struct back *backs;
    size_t count;
    int fd;
    struct esse_out out;
};

struct esse_press *esse_press_new(struct esse_arena *arena, struct esse_book **books, size_t count,
                                  int fd)
{
    struct esse_press *press = esse_arena_alloc(arena, 1, sizeof *press);
    *press = (struct esse_press){ .books = books, .count = count, .fd = fd };
    press->backs = esse_arena_alloc(arena, count, sizeof *press->backs);
    /* Buffers change places and only ever grow in front, in the arena of the book's thread. */
    for (size_t i = 0; i < count; i++)
        esse_out_init_memory(&press->backs[i].at.bytes, esse_book_front(books[i])->at.bytes.arena);
    esse_out_init_memory(&press->out, arena);
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

static bool write_out(struct esse_press *press, struct esse_error *err)
{
    size_t done = 0;
    while (done < press->out.count) {
        ssize_t got = write(press->fd, press->out.buffer + done, press->out.count - done);
        if (got < 0 && errno != EINTR)
            return esse_fail(err, ESSE_EIO, "cannot write the history: %s", strerror(errno));
        done += got > 0 ? (size_t)got : 0;
    }
    press->out.count = 0;
    return true;
}

bool esse_press_run(struct esse_press *press, struct esse_error *err)
{
    take_all(press);
    for (struct back *back; (back = earliest(press));) {
        const size_t length = back->at.lines.at[back->line++].length;
        esse_out_bytes(&press->out, back->at.bytes.buffer + back->byte, length);
        back->byte += length;
    }
    for (size_t i = 0; i < press->count; i++)
        press->backs[i].at.bytes.count = press->backs[i].at.lines.count = 0;
    return write_out(press, err);
}
