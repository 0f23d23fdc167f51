#include "formats/source.h"

#include "base/arena.h"
#include "base/guard.h"
#include "formats/stream.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_WINDOW = 256 << 10 };

/* Leaves out what stands behind the last whole line. */
static size_t whole_lines(struct esse_source *source, size_t count)
{
    const char *newline = count ? memrchr(source->window, '\n', count) : NULL;
    const size_t whole = newline ? (size_t)(newline + 1 - source->window) : 0;
    source->lost = count - whole;
    return whole;
}

/* Reads until the window is full or the input ends: a pipe may give a little at a time. */
static bool fill(struct esse_source *source, size_t count, struct esse_error *err)
{
    while (!source->last && count < source->room) {
        size_t got;
        esse_guard_poll();
        if (!esse_stream_read(source->stream, source->window + count, source->room - count, &got,
                              err)) {
            if (!source->salvage || err->code != ESSE_EINPUT)
                return false;
            got = 0;
        }
        source->last = got == 0;
        count += got;
    }
    if (source->last && source->salvage)
        count = whole_lines(source, count);
    memset(source->window + count, 0, ESSE_SOURCE_SLACK);
    source->end = source->window + count;
    return true;
}

static void start(struct esse_source *source, size_t room)
{
    source->room = room;
    source->window = esse_arena_grow(source->arena, NULL, room + ESSE_SOURCE_SLACK);
    source->at = source->mark = source->window;
    source->mark_line = source->mark_column = 1;
}

static bool open_as(struct esse_source *source, struct esse_arena *arena, const char *path,
                    struct esse_budget *budget, bool salvage, struct esse_error *err)
{
    *source =
        (struct esse_source){ .arena = arena, .path = path, .budget = budget, .salvage = salvage };
    if (!esse_stream_open(arena, path, &source->stream, err))
        return false;
    esse_budget_phase(budget, "reading", esse_stream_size(source->stream));
    start(source, FIRST_WINDOW);
    if (!fill(source, 0, err)) {
        esse_source_close(source);
        return false;
    }
    return true;
}

bool esse_source_open(struct esse_source *source, struct esse_arena *arena, const char *path,
                      struct esse_budget *budget, struct esse_error *err)
{
    return open_as(source, arena, path, budget, false, err);
}

bool esse_source_salvage(struct esse_source *source, struct esse_arena *arena, const char *path,
                         struct esse_budget *budget, struct esse_error *err)
{
    return open_as(source, arena, path, budget, true, err);
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
    if (!esse_source_may_go_on(source->budget, esse_source_consumed(source), err))
        return false;
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
    return fill(source, kept, err);
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
