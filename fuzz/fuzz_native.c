/* libFuzzer: any bytes as a native history.  What is read must be written and read again alike, and
 * three threads must read, or refuse, what one does. */
#include "formats/native.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In portions of 'bytes'; 0: in one thread. */
static struct esse_history *load(struct esse_arena *arena, const char *text, size_t length,
                                 size_t bytes, struct esse_error *err)
{
    struct esse_source source;
    struct esse_arena *scratch = esse_arena_new();
    struct esse_history *history = NULL;
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_reading reading = { .source = &source,
                                    .builder = builder,
                                    .sink = esse_builder_sink(builder),
                                    .threads = bytes ? 3 : 1,
                                    .portion = bytes };
    memset(err, 0, sizeof *err);
    esse_source_memory(&source, scratch, text, length);
    if (!esse_native_read(&reading, err) ||
        !esse_builder_freeze_as(builder, "native", ESSE_WORKLOAD_ANY, &history, err))
        history = NULL;
    esse_source_close(&source);
    esse_arena_free(scratch);
    return history;
}

static void write_to(struct esse_out *out, struct esse_arena *arena,
                     const struct esse_history *history)
{
    struct esse_error err;
    esse_out_init_memory(out, arena);
    /* A list read from a register is a value that only a lossy writer takes. */
    struct esse_sink *sink = esse_format_find("native")->writer(arena, history->values, out, true);
    if (!esse_history_emit(history, sink, &err))
        abort();
}

static bool same_text(struct esse_arena *arena, const struct esse_history *a,
                      const struct esse_history *b)
{
    struct esse_out first, second;
    write_to(&first, arena, a);
    write_to(&second, arena, b);
    return first.count == second.count && memcmp(first.buffer, second.buffer, first.count) == 0;
}

static bool same_error(const struct esse_error *a, const struct esse_error *b)
{
    return a->code == b->code && a->line == b->line && a->column == b->column &&
           strcmp(a->text, b->text) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err, shared;
    const char *text = (const char *)data;
    struct esse_history *history = load(arena, text, size, 0, &err);
    struct esse_history *both = load(arena, text, size, 1 + size / 3, &shared);
    if (!history != !both ||
        !(history ? same_text(arena, history, both) : same_error(&err, &shared)))
        abort();
    if (history) {
        struct esse_out first;
        const struct esse_result *result;
        write_to(&first, arena, history);
        struct esse_history *again = load(arena, first.buffer, first.count, 0, &err);
        if (!again || !same_text(arena, history, again))
            abort();
        /* A predicate may be no SQL, or have no answer; nothing else may be wrong. */
        if (!esse_check(arena, history, NULL, &result, &err) && err.code != ESSE_EINPUT)
            abort();
    }
    esse_arena_free(arena);
    return 0;
}
