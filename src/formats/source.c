#include "formats/source.h"

#include "base/arena.h"
#include "base/guard.h"
#include "formats/arrival.h"
#include "formats/stream.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_WINDOW = 256 << 10 };

/* Leaves out what stands behind the last whole line. */
static size_t whole_lines(struct esse_source *source, const char *bytes, size_t count)
{
    const char *newline = count ? memrchr(bytes, '\n', count) : NULL;
    const size_t whole = newline ? (size_t)(newline + 1 - bytes) : 0;
    source->lost = count - whole;
    return whole;
}

/*
 * Reads until 'room' bytes are there, of which 'count' are already, or the input ends: a pipe may
 * give a little at a time, and of what arrives a whole line is enough.  What came before an error
 * is read first: the error waits until more is wanted.
 */
static size_t read_bytes(struct esse_source *source, char *to, size_t count, size_t room)
{
    const bool had_ended = source->last;
    while (!source->last && !source->failed && count < room) {
        size_t got = 0;
        esse_guard_poll();
        source->failed =
            !esse_stream_read(source->stream, to + count, room - count, &got, &source->error);
        const bool is_damaged = source->failed && source->error.code == ESSE_EINPUT;
        source->last = source->failed ? is_damaged && source->salvage : got == 0;
        source->failed = source->failed && !source->last;
        const bool has_line = source->arrival && got && memchr(to + count, '\n', got);
        count += got;
        if (has_line)
            break;
    }
    return source->last && !had_ended && source->salvage ? whole_lines(source, to, count) : count;
}

static bool fail_reading(const struct esse_source *source, struct esse_error *err)
{
    *err = source->error;
    return false;
}

static void fill(struct esse_source *source, size_t count)
{
    count = read_bytes(source, source->window, count, source->room);
    memset(source->window + count, 0, ESSE_SOURCE_SLACK);
    source->end = source->window + count;
}

static void start(struct esse_source *source, size_t room)
{
    source->room = room;
    source->window = esse_arena_grow(source->arena, NULL, room + ESSE_SOURCE_SLACK);
    source->at = source->mark = source->window;
    source->mark_line = source->mark_column = 1;
}

/* What 'source' says of how it is read is set already. */
static bool open_as(struct esse_source *source, struct esse_error *err)
{
    if (!esse_stream_open(source->arena, source->path, source->arrival, &source->stream, err))
        return false;
    esse_budget_phase(source->budget, "reading", esse_stream_size(source->stream));
    start(source, FIRST_WINDOW);
    fill(source, 0);
    if (!source->failed)
        return true;
    esse_source_close(source);
    return fail_reading(source, err);
}

bool esse_source_open(struct esse_source *source, struct esse_arena *arena, const char *path,
                      struct esse_budget *budget, struct esse_error *err)
{
    *source = (struct esse_source){ .arena = arena, .path = path, .budget = budget };
    return open_as(source, err);
}

bool esse_source_salvage(struct esse_source *source, struct esse_arena *arena, const char *path,
                         struct esse_budget *budget, struct esse_error *err)
{
    *source =
        (struct esse_source){ .arena = arena, .path = path, .budget = budget, .salvage = true };
    return open_as(source, err);
}

bool esse_source_open_live(struct esse_source *source, struct esse_arena *arena, const char *path,
                           const struct esse_arrival *arrival, struct esse_error *err)
{
    *source = (struct esse_source){
        .arena = arena, .path = path, .budget = arrival->budget, .arrival = arrival
    };
    return open_as(source, err);
}

void esse_source_memory(struct esse_source *source, struct esse_arena *arena, const char *bytes,
                        size_t length)
{
    *source = (struct esse_source){ .arena = arena, .path = "memory", .last = true };
    start(source, length);
    if (length)
        memcpy(source->window, bytes, length);
    memset(source->window + length, 0, ESSE_SOURCE_SLACK);
    source->end = source->window + length;
}

bool esse_source_read_ahead(struct esse_source *source)
{
    return !source->last && esse_stream_read_ahead(source->stream);
}

bool esse_source_is_long(const struct esse_source *source)
{
    return !source->last && esse_stream_size(source->stream);
}

uint64_t esse_source_consumed(const struct esse_source *source)
{
    return source->stream ? esse_stream_consumed(source->stream) : 0;
}

bool esse_source_may_go_on(struct esse_budget *budget, uint64_t consumed, struct esse_error *err)
{
    if (!budget)
        return true;
    budget->countdown = 0;
    return esse_budget_poll(budget, consumed) ||
           esse_fail(err, ESSE_ESTOPPED, "stopped while reading (%s)",
                     esse_spent_name(esse_budget_spent(budget)));
}

/* Moves the mark to 'place', counting lines and columns on the way. */
static void move_mark(struct esse_source *source, const char *place)
{
    const char *at = source->mark, *newline;
    assert(at <= place);
    while ((newline = memchr(at, '\n', (size_t)(place - at)))) {
        source->mark_line++;
        source->mark_column = 1;
        at = newline + 1;
    }
    source->mark_column += (uint64_t)(place - at);
    source->mark = place;
}

bool esse_source_more(struct esse_source *source, struct esse_error *err)
{
    assert(!source->last);
    /* What is there of a file that is followed is read, whatever comes; then the wait ends. */
    if (!(source->arrival && source->arrival->follow) &&
        !esse_source_may_go_on(source->budget, esse_source_consumed(source), err))
        return false;
    if (source->failed)
        return fail_reading(source, err);
    move_mark(source, source->at);
    size_t kept = (size_t)(source->end - source->at);
    source->passed += (uint64_t)(source->at - source->window);
    memmove(source->window, source->at, kept);
    if (kept > source->room / 2) {
        source->room *= 2;
        source->window =
            esse_arena_grow(source->arena, source->window, source->room + ESSE_SOURCE_SLACK);
    }
    source->at = source->mark = source->window;
    fill(source, kept);
    return !source->failed || source->end > source->window + kept || fail_reading(source, err);
}

/* ---- lines for other threads ---- */

/* Makes room for so many bytes and the slack. */
static void need_room(struct esse_source *source, struct esse_arena *arena, size_t room)
{
    if (source->window && source->room >= room)
        return;
    source->window = esse_arena_grow(arena, source->window, room + ESSE_SOURCE_SLACK);
    source->room = room;
}

/* Makes 'at' a place before which there are 'count' bytes of room. */
static void need_room_before(struct esse_source *source, size_t count)
{
    const size_t before = (size_t)(source->at - source->window);
    const size_t here = (size_t)(source->end - source->at);
    if (before >= count)
        return;
    need_room(source, source->arena, count + here);
    memmove(source->window + count, source->window + before, here);
    source->at = source->window + count;
    source->end = source->at + here;
    memset(source->window + count + here, 0, ESSE_SOURCE_SLACK);
}

static void put_before(struct esse_source *source, const char *bytes, size_t count)
{
    need_room_before(source, count);
    source->at -= count;
    memcpy(source->window + (source->at - source->window), bytes, count);
}

/* Moves what is in the window, and then what follows, up to 'room' bytes. */
static size_t take_bytes(struct esse_source *source, struct esse_source *lines, size_t count,
                         size_t room)
{
    const size_t here = (size_t)(source->end - source->at), wanted = room - count;
    const size_t taken = here < wanted ? here : wanted;
    need_room(lines, source->arena, room);
    memcpy(lines->window + count, source->at, taken);
    source->at += taken;
    count += taken;
    return taken < here ? count : read_bytes(source, lines->window, count, room);
}

bool esse_source_cut(struct esse_source *source, struct esse_source *lines, size_t bytes,
                     struct esse_error *err)
{
    size_t count = 0, whole = 0;
    bool is_all = source->at == source->end && (source->last || source->failed);
    for (size_t room = bytes; !whole && !is_all; room *= 2) {
        count = take_bytes(source, lines, count, room);
        const bool is_empty = source->at == source->end;
        is_all = is_empty && (source->last || source->failed);
        const char *newline = count ? memrchr(lines->window, '\n', count) : NULL;
        whole = is_empty && source->last ? count
                : newline                ? (size_t)(newline + 1 - lines->window)
                                         : 0;
    }
    if (!whole && source->failed)
        return fail_reading(source, err);
    need_room(lines, source->arena, 0);
    put_before(source, lines->window + whole, count - whole);
    memset(lines->window + whole, 0, ESSE_SOURCE_SLACK);
    lines->path = source->path;
    lines->at = lines->mark = lines->window;
    lines->end = lines->window + whole;
    lines->mark_line = lines->mark_column = 1;
    lines->last = true;
    return true;
}

void esse_source_put_back(struct esse_source *source, const struct esse_source *lines)
{
    put_before(source, lines->at, (size_t)(lines->end - lines->at));
}

/* The bytes of 'from', and its place, in a window that has room for them. */
static void take_over(struct esse_source *source, const struct esse_source *from)
{
    const size_t here = (size_t)(from->end - from->at);
    memcpy(source->window, from->at, here);
    memset(source->window + here, 0, ESSE_SOURCE_SLACK);
    source->at = source->mark = source->window;
    source->end = source->window + here;
    source->mark_line = from->mark_line;
    source->mark_column = from->mark_column;
}

void esse_source_lend(struct esse_source *source, struct esse_source *borrower,
                      struct esse_arena *arena)
{
    move_mark(source, source->at);
    *borrower = *source;
    borrower->arena = arena;
    borrower->window = esse_arena_grow(arena, NULL, source->room + ESSE_SOURCE_SLACK);
    take_over(borrower, source);
}

void esse_source_return(struct esse_source *source, const struct esse_source *borrower)
{
    need_room(source, source->arena, (size_t)(borrower->end - borrower->at));
    take_over(source, borrower);
    source->last = borrower->last;
    source->failed = borrower->failed;
    source->error = borrower->error;
    source->lost = borrower->lost;
}

uint64_t esse_source_line(struct esse_source *source, const char *place)
{
    move_mark(source, place);
    return source->mark_line;
}

bool esse_source_fail(struct esse_source *source, struct esse_error *err, const char *place,
                      const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct esse_source there = *source;
    if (place >= there.mark)
        move_mark(&there, place);
    return esse_fail_at(err, there.mark_line, there.mark_column, "%s", text);
}

const char *esse_source_found(const struct esse_source *source, const char *place, char room[24])
{
    unsigned char c = (unsigned char)*place;
    if (place >= source->end)
        return "end of file";
    if (c == '\n')
        return "end of line";
    if (c >= 0x20 && c < 0x7f)
        snprintf(room, 24, "'%c'", c);
    else
        snprintf(room, 24, "byte 0x%02x", c);
    return room;
}

void esse_source_close(struct esse_source *source)
{
    if (source->stream)
        esse_stream_close(source->stream);
    source->stream = NULL;
    esse_arena_drop(source->arena, source->window);
    source->window = NULL;
}
