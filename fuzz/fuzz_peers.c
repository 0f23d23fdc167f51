/* libFuzzer: any bytes as a history of one of the research formats, which the first byte chooses.
 * What a format then takes whole must be read again, and written again alike. */
#include "formats/formats.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const formats[] = { "plume", "dbcop", "awdit", "cobra" };

static struct esse_history *load(struct esse_arena *arena, const char *format, const char *bytes,
                                 size_t length)
{
    struct esse_source source;
    struct esse_error err;
    struct esse_history *history = NULL;
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_reading reading = { &source, builder, esse_builder_sink(builder), ESSE_WORKLOAD_ANY,
                                    ESSE_WORKLOAD_ANY };
    esse_source_memory(&source, arena, bytes, length);
    esse_format_sniff(&source);
    if (!esse_format_find(format)->read(&reading, &err) ||
        !esse_builder_freeze_as(builder, format, ESSE_WORKLOAD_ANY, &history, &err))
        history = NULL;
    esse_source_close(&source);
    return history;
}

static bool write_to(struct esse_out *out, struct esse_arena *arena, const char *format, bool lossy,
                     const struct esse_history *history)
{
    struct esse_error err;
    esse_out_init_memory(out, arena);
    return esse_history_emit(
        history, esse_format_find(format)->writer(arena, history->values, out, lossy), &err);
}

static void round_trip(struct esse_arena *arena, const char *format,
                       const struct esse_history *history)
{
    enum { IN_ORDER = 4096 }; /* Plume's reader keeps the order of so many operations */
    struct esse_out first, second;
    write_to(&first, arena, format, true, history);
    if (!write_to(&first, arena, format, false, history))
        return;
    const struct esse_history *again = load(arena, format, first.buffer, first.count);
    if (!again || !write_to(&second, arena, format, false, again))
        abort();
    if (again->ops != history->ops || again->txns != history->txns || first.count != second.count)
        abort();
    if (history->ops <= IN_ORDER && first.count &&
        memcmp(first.buffer, second.buffer, first.count) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history =
        load(arena, formats[data[0] % 4], (const char *)data + 1, size - 1);
    if (history) {
        const struct esse_result *result;
        struct esse_error err;
        round_trip(arena, "plume", history);
        round_trip(arena, "dbcop", history);
        if (!esse_check(arena, history, NULL, &result, &err))
            abort();
    }
    esse_arena_free(arena);
    return 0;
}
