#ifndef ESSE_TESTS_UNIT_LOAD_TEXT_H
#define ESSE_TESTS_UNIT_LOAD_TEXT_H

#include "formats/formats.h"
#include "test.h"

/*
 * A history from text in memory; NULL and 'err' if it is refused.  A native history that has no
 * double quote is written with single ones: {'session':1,'ops':[{'w':'x','v':1}]}.
 */
static inline struct esse_history *load_bytes(struct esse_arena *arena, const char *format,
                                              const char *bytes, size_t length,
                                              struct esse_error *err)
{
    struct esse_source source;
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_reading reading = { &source, builder, esse_builder_sink(builder), ESSE_WORKLOAD_ANY,
                                    ESSE_WORKLOAD_ANY };
    struct esse_history *history = NULL;
    *err = (struct esse_error){ 0 };
    if (strcmp(format, "native") == 0 && !memchr(bytes, '"', length))
        bytes = json_bytes(arena, bytes, length);
    esse_source_memory(&source, arena, bytes, length);
    if (esse_format_find(format)->read(&reading, err) &&
        !esse_builder_freeze_as(builder, esse_format_find(format)->name, reading.found, &history,
                                err))
        history = NULL;
    esse_source_close(&source);
    return history;
}

static inline struct esse_history *load_text(struct esse_arena *arena, const char *format,
                                             const char *text)
{
    struct esse_error err;
    struct esse_history *history = load_bytes(arena, format, text, strlen(text), &err);
    if (!history)
        print_error("%d:%d: %s\n", (int)err.line, (int)err.column, err.text);
    assert_non_null(history);
    return history;
}

/* The history as a format writes it. */
static inline const char *write_text(struct esse_arena *arena, const char *format,
                                     const struct esse_history *history)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    struct esse_error err;
    esse_out_init_memory(out, arena);
    struct esse_sink *sink = esse_format_find(format)->writer(arena, history->values, out, false);
    if (!esse_history_emit(history, sink, &err))
        fail_msg("cannot write as %s: %s", format, err.text);
    return esse_out_memory(out);
}

#endif
