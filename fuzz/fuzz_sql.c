#include "base/arena.h"
#include "history/builder.h"
#include "sql/statement.h"

#include <stddef.h>

/* Any text as a predicate or statement over a few rows: it is answered or refused, and nothing
 * else. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_error err;
    struct esse_history *history;
    enum esse_truth truth;
    if (esse_builder_freeze(builder, &history, &err)) {
        const esse_value text = esse_value_string(history->values, (const char *)data, size);
        const esse_value rows[] = { esse_value_small(5),
                                    esse_value_string(history->values, "abc", 3), ESSE_TRUE,
                                    esse_value_int(history->values, INT64_MIN) };
        const struct esse_predicate *predicate =
            esse_predicates_get(esse_predicates_new(arena, history), text, &err);
        struct esse_answer *answer = predicate ? esse_answer_new(arena, predicate) : NULL;
        if (answer)
            esse_answer_begin(answer);
        for (size_t i = 0; predicate && i < sizeof rows / sizeof *rows; i++) {
            esse_predicate_eval(predicate, rows[1], rows[i], &truth, &err);
            esse_answer_add(answer, rows[1], rows[i], (uint32_t)i, &err);
        }
        if (answer && esse_answer_end(answer, &err))
            esse_answer_is(answer, rows, 1);
    }
    esse_arena_free(arena);
    return 0;
}
