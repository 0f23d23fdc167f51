#include "collect/book.h"

#include <errno.h>
#include <unistd.h>

/* What was taken from a book and not yet written. */
struct back {
    struct esse_lines at;
    size_t line, byte; /* done */
    int64_t watermark; /* what is still to come has a later stamp */
};

struct esse_press {
    struct esse_arena *arena;
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
    *press = (struct esse_press){ .arena = arena, .books = books, .count = count, .fd = fd };
    press->backs = esse_arena_alloc(arena, count, sizeof *press->backs);
    for (size_t i = 0; i < count; i++)
        esse_out_init_memory(&press->backs[i].at.bytes, arena);
    esse_out_init_memory(&press->out, arena);
    return press;
}

/* Moves what is not yet written to the beginning, to make room for more. */
static void close_gap(struct back *back)
{
    struct esse_lines *at = &back->at;
    memmove(at->bytes.buffer ? at->bytes.buffer : "",
            at->bytes.buffer ? at->bytes.buffer + back->byte : "", at->bytes.count - back->byte);
    at->bytes.count -= back->byte;
    if (at->lines.count > back->line)
        memmove(at->lines.at, at->lines.at + back->line,
                (at->lines.count - back->line) * sizeof *at->lines.at);
    at->lines.count -= back->line;
    back->line = back->byte = 0;
}

static void take(struct esse_press *press, size_t number)
{
    struct back *back = &press->backs[number];
    struct esse_front *front = esse_book_front(press->books[number]);
    if (back->line)
        close_gap(back);
    pthread_mutex_lock(&front->lock);
    esse_out_bytes(&back->at.bytes, front->at.bytes.buffer, front->at.bytes.count);
    struct esse_line *to =
        esse_line_vec_extend(&back->at.lines, press->arena, front->at.lines.count);
    if (front->at.lines.count)
        memcpy(to, front->at.lines.at, front->at.lines.count * sizeof *to);
    front->at.bytes.count = front->at.lines.count = 0;
    back->watermark = esse_book_clock();
    pthread_mutex_unlock(&front->lock);
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

bool esse_press_run(struct esse_press *press, bool is_last, struct esse_error *err)
{
    int64_t safe = INT64_MAX;
    for (size_t i = 0; i < press->count; i++) {
        take(press, i);
        if (!is_last && press->backs[i].watermark < safe)
            safe = press->backs[i].watermark;
    }
    for (struct back *back; (back = earliest(press));) {
        const struct esse_line line = back->at.lines.at[back->line];
        if (line.stamp >= safe)
            break;
        esse_out_bytes(&press->out, back->at.bytes.buffer + back->byte, line.length);
        back->byte += line.length;
        back->line++;
    }
    return write_out(press, err);
}
