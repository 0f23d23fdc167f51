#ifndef ESSE_FORMATS_SOURCE_H
#define ESSE_FORMATS_SOURCE_H

#include "base/budget.h"
#include "base/error.h"

#include <string.h>

/*
 * The bytes of an input, seen through a window that moves forward.  Files, standard input, gzip
 * and zstd all look the same; what is kept must be copied, because the window's bytes move.
 *
 * 'at' is the reader's: it advances over what it has understood.  If the window ends in the middle
 * of a form and !last, call esse_source_more and start the form again at 'at'.  '*end' is always
 * a readable zero, and ESSE_SOURCE_SLACK zeros follow it, so scanners may look ahead blindly.
 *
 * Cost: one pass; the window is 256 KiB, so that it stays in the cache, and doubles while one form
 * does not fit.
 */
enum { ESSE_SOURCE_SLACK = 32 };

struct esse_stream;
struct esse_arrival;

struct esse_source {
    struct esse_arena *arena;
    const char *path;
    struct esse_stream *stream;
    struct esse_budget *budget;         /* polled at each refill; NULL: it is not */
    const struct esse_arrival *arrival; /* its bytes are still being written; NULL: they are not */
    char *window;
    size_t room;
    const char *at, *end;
    bool last;   /* nothing follows 'end' */
    bool failed; /* what follows 'end' cannot be read, with this error */
    struct esse_error error;
    bool salvage;         /* only whole lines count, and damaged compression is an end, ... */
    uint64_t lost;        /* ... and so many bytes behind them were left out */
    uint64_t passed;      /* bytes before the window */
    const char *mark;     /* a place in the window, never after 'at', ... */
    uint64_t mark_line;   /* ... its line */
    uint64_t mark_column; /* ... and its column, both from 1 */
};

/* Opens 'path' ("-": standard input), looks at its first bytes and fills the window once. */
bool esse_source_open(struct esse_source *source, struct esse_arena *arena, const char *path,
                      struct esse_budget *budget, struct esse_error *err);

/* The same, of a file that may have been cut off: only its whole lines. */
bool esse_source_salvage(struct esse_source *source, struct esse_arena *arena, const char *path,
                         struct esse_budget *budget, struct esse_error *err);

/* The same, of a file or pipe to which others still write: whole lines are in the window as soon as
 * they are there.  Waiting ends with the arrival's budget: ESSE_ESTOPPED. */
bool esse_source_open_live(struct esse_source *source, struct esse_arena *arena, const char *path,
                           const struct esse_arrival *arrival, struct esse_error *err);

/* A source over bytes in memory, for tests and fuzzing. */
void esse_source_memory(struct esse_source *source, struct esse_arena *arena, const char *bytes,
                        size_t length);

/* Lets another thread decompress what comes next while this one works, where that is worth it; says
 * whether it is. */
bool esse_source_read_ahead(struct esse_source *source);

/* Whether more follows than the window holds, and in a file, where bytes never take long to come:
 * another thread may go on with it. */
bool esse_source_is_long(const struct esse_source *source);

/* Bytes of the input before 'at', decompressed. */
static inline uint64_t esse_source_place(const struct esse_source *source)
{
    return source->passed + (uint64_t)(source->at - source->window);
}

/* Bytes of the file that were read so far. */
uint64_t esse_source_consumed(const struct esse_source *source);

/* False, and that it stopped while reading, if the budget is spent. */
bool esse_source_may_go_on(struct esse_budget *budget, uint64_t consumed, struct esse_error *err);

/* Moves the window so that it starts at 'at' and reads on.  Pointers into the window are void
 * afterwards.  False on a read error, on damaged compression, or when the budget is spent. */
bool esse_source_more(struct esse_source *source, struct esse_error *err);

/*
 * Cuts about 'bytes' off the input, in whole lines, as a source of its own, for another thread; the
 * last line may end with the input.  'lines' is zeroed, or was cut before: then its window is used
 * again.  It keeps its own arena; the window is in that of 'source'.  Its lines are counted from 1.
 *
 * Nothing is left if its window is empty.  False on an error, as of esse_source_more; the budget is
 * not polled.
 */
bool esse_source_cut(struct esse_source *source, struct esse_source *lines, size_t bytes,
                     struct esse_error *err);

/* Puts what is left of 'lines' back, before all that is left of the source.  Where that stands in
 * the input, 'mark' and its line, is the caller's to say. */
void esse_source_put_back(struct esse_source *source, const struct esse_source *lines);

/*
 * Lends what is left of the input to 'borrower', which has a window in another arena and goes on
 * reading; nothing may be read from 'source' until it is returned.  'source' itself stays as it is,
 * and can be closed, if that never happens.
 */
void esse_source_lend(struct esse_source *source, struct esse_source *borrower,
                      struct esse_arena *arena);
void esse_source_return(struct esse_source *source, const struct esse_source *borrower);

/* Past the byte order mark that some editors put first. */
static inline const char *esse_past_mark(const char *at, const char *end)
{
    return end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0 ? at + 3 : at;
}

/* The line of a place at or after 'mark', which moves there: amortised O(1) going forward. */
uint64_t esse_source_line(struct esse_source *source, const char *place);

/* For readers of lines: 'place' starts the line after the one that 'mark' is in. */
static inline uint64_t esse_source_next_line(struct esse_source *source, const char *place)
{
    source->mark = place;
    source->mark_column = 1;
    return ++source->mark_line;
}

/* Fails with the line and column of 'place', anywhere in the window. */
bool esse_source_fail(struct esse_source *source, struct esse_error *err, const char *place,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What stands at 'place', for messages: "'x'", "end of file", "byte 0x80".  Put into 'room'. */
const char *esse_source_found(const struct esse_source *source, const char *place, char room[24]);

void esse_source_close(struct esse_source *source);

#endif
