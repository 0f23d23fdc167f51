#include "formats/jepsen.h"
#include "history/value_edn.h"

#include <stdlib.h>
#include <string.h>

/*
 * Any bytes, as Jepsen EDN and as Elle's JSON: read, frozen, written, and what was written must
 * be read and written again, in the end the same.  Build: clang
 * -fsanitize=fuzzer,address,undefined.
 */

static struct esse_history *read_bytes(struct esse_arena *arena, const struct esse_format *format,
                                       const char *bytes, size_t length)
{
    struct esse_source source;
    struct esse_error err = { 0 };
    struct esse_history *history = NULL;
    esse_source_memory(&source, arena, bytes, length);
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_reading reading = { &source, builder, esse_builder_sink(builder), ESSE_WORKLOAD_ANY,
                                    ESSE_WORKLOAD_ANY };
    if (format->read(&reading, &err))
        esse_builder_freeze_as(builder, format->name, reading.found, &history, &err);
    return history;
}

static bool write_out(struct esse_arena *arena, const struct esse_history *history, bool lossy,
                      struct esse_out *out, struct esse_error *err)
{
    esse_out_init_memory(out, arena);
    struct esse_sink *sink = esse_format_jepsen_edn.writer(arena, history->values, out, lossy);
    return esse_history_emit(history, sink, err);
}

/* Lists and registers in one history: nothing is dropped that would make it one of them. */
static bool is_mixed(struct esse_arena *arena, const struct esse_history *history)
{
    struct esse_error err = { 0 };
    struct esse_out out;
    return !write_out(arena, history, false, &out, &err) &&
           strstr(err.text, "both lists and registers");
}

/* What was written is read and written, without loss. */
static struct esse_out write_again(struct esse_arena *arena, const struct esse_out *written)
{
    struct esse_out out;
    struct esse_error err = { 0 };
    struct esse_history *again =
        read_bytes(arena, &esse_format_jepsen_edn, written->buffer, written->count);
    if (!again || !write_out(arena, again, false, &out, &err))
        abort();
    return out;
}

/* An invocation that was closed because its process goes on has lent its other members to its
 * completion; then nothing changes any more. */
static void round_trip(struct esse_arena *arena, const struct esse_history *history)
{
    struct esse_out once;
    struct esse_error err = { 0 };
    if (is_mixed(arena, history) || !write_out(arena, history, true, &once, &err))
        return;
    const struct esse_out twice = write_again(arena, &once), thrice = write_again(arena, &twice);
    if (twice.count != thrice.count ||
        (twice.count && memcmp(twice.buffer, thrice.buffer, twice.count) != 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *edn = read_bytes(arena, &esse_format_jepsen_edn, (const char *)data, size);
    if (edn)
        round_trip(arena, edn);
    if (!edn)
        edn = read_bytes(arena, &esse_format_elle_json, (const char *)data, size);
    if (edn)
        round_trip(arena, edn);
    esse_arena_free(arena);
    return 0;
}
