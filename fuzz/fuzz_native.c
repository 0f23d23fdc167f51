/* libFuzzer: any bytes as a native history.  What is read must be written and read again alike. */
#include "formats/formats.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct esse_history *load(struct esse_arena *arena, const char *bytes, size_t length)
{
    struct esse_source source;
    struct esse_error err;
    struct esse_history *history = NULL;
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_reading reading = { &source, builder, esse_builder_sink(builder), ESSE_WORKLOAD_ANY,
                                    ESSE_WORKLOAD_ANY };
    esse_source_memory(&source, arena, bytes, length);
    if (!esse_format_find("native")->read(&reading, &err) ||
        !esse_builder_freeze_as(builder, "native", ESSE_WORKLOAD_ANY, &history, &err))
        history = NULL;
    esse_source_close(&source);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load(arena, (const char *)data, size), *again;
    if (history) {
        struct esse_out first, second;
        const struct esse_result *result;
        struct esse_error err;
        write_to(&first, arena, history);
        again = load(arena, first.buffer, first.count);
        if (!again)
            abort();
        write_to(&second, arena, again);
        if (first.count != second.count || memcmp(first.buffer, second.buffer, first.count) != 0)
            abort();
        /* A predicate may be no SQL, or have no answer; nothing else may be wrong. */
        if (!esse_check(arena, history, NULL, &result, &err) && err.code != ESSE_EINPUT)
            abort();
    }
    esse_arena_free(arena);
    return 0;
}
