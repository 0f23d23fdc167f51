#include "engine/classic/classic.h"
#include "formats/oplog_read.h"
#include "report/report_classic.h"

/*
 * Any bytes, as a log of operations: read, given to every checker, and what they find printed.
 * Build: clang -fsanitize=fuzzer,address,undefined.
 */

static void check(const struct esse_oplog *log, const struct esse_classic *checker,
                  const struct esse_classic_options *options)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_findings found;
    struct esse_error err;
    if (esse_classic_check(arena, checker, log, options, &found, &err)) {
        struct esse_classic_report report = { "fuzz", checker->name, &found, false };
        struct esse_out out;
        esse_out_init_memory(&out, arena);
        esse_report_classic_text(&out, &report);
        esse_report_classic_json(&out, &report);
    }
    esse_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const struct esse_classic_options plain = { .linearizable = true },
                                             independent = { .independent = true };
    struct esse_arena *arena = esse_arena_new();
    struct esse_source source;
    struct esse_oplog *log;
    struct esse_error err;
    esse_source_memory(&source, arena, (const char *)bytes, length);
    if (esse_oplog_read(arena, &source, NULL, &log, &err)) {
        for (size_t i = 0; esse_classics[i]; i++) {
            check(log, esse_classics[i], &plain);
            check(log, esse_classics[i], &independent);
        }
    }
    esse_arena_free(arena);
    return 0;
}
