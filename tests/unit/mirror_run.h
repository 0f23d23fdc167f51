#ifndef ESSE_TESTS_UNIT_MIRROR_RUN_H
#define ESSE_TESTS_UNIT_MIRROR_RUN_H

#include "history/history.h"
#include "mirror/mirror.h"
#include "test.h"

/* What was said of a window. */
struct mirror_window_result {
    enum esse_level_id level;
    enum esse_outcome outcome, promised;
    uint32_t txns, part;
    bool is_new;
};

/* What the mirror found in a trace that stands in memory. */
struct mirror_result {
    bool ok; /* it could be read */
    struct esse_error err;
    struct esse_finding findings[64];
    unsigned count;
    unsigned withdrawn;
    unsigned rechecked;
    struct mirror_window_result windows[64];
    unsigned window_count;
    struct esse_mirror_counters counters;
    const char
        *folder; /* where each finding is written for the kernel, one after the other; or NULL */
    struct esse_mirror *mirror;
};

static void note_finding(void *context, const struct esse_finding *finding)
{
    struct mirror_result *result = context;
    if (result->count < 64)
        result->findings[result->count] = *finding;
    result->count++;
    bool is_rechecked;
    if (!result->folder)
        return;
    if (!esse_mirror_write_claim(result->mirror, finding, result->folder, &is_rechecked,
                                 &result->err))
        fail_msg("a finding (rule %d) does not recheck: %s", (int)finding->rule, result->err.text);
    result->rechecked += is_rechecked;
}

static void note_withdrawal(void *context, const struct esse_finding *finding)
{
    struct mirror_result *result = context;
    (void)finding;
    result->withdrawn++;
}

static void note_window(void *context, const struct esse_window_verdict *verdict)
{
    struct mirror_result *result = context;
    if (result->window_count < 64)
        result->windows[result->window_count++] =
            (struct mirror_window_result){ verdict->level,
                                           verdict->outcome,
                                           verdict->promised,
                                           verdict->window_txns,
                                           verdict->part ? verdict->part->txns : 0,
                                           verdict->is_new };
}

static inline void run_mirror(const char *text, size_t length,
                              const struct esse_mirror_options *given, struct mirror_result *result)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_mirror_options options = *given;
    struct esse_source source;
    *result = (struct mirror_result){ .folder = result->folder };
    options.found = note_finding;
    options.withdrawn = note_withdrawal;
    options.decided = note_window;
    options.context = result;
    struct esse_mirror *mirror = result->mirror = esse_mirror_new(arena, &options);
    esse_source_memory(&source, arena, text, length);
    result->ok = esse_trace_read_source(&source, esse_mirror_sink(mirror), &result->err);
    esse_source_close(&source);
    if (result->ok)
        esse_mirror_finish(mirror);
    result->counters = *esse_mirror_counters(mirror);
    esse_mirror_release(mirror);
    esse_arena_free(arena);
}

/* A trace in single quotes, watched under a row or a name; resolution 0. */
static inline struct mirror_result watch_text(const char *text, const char *profile)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_profile own;
    struct esse_error err;
    struct mirror_result result = { 0 };
    struct esse_mirror_options options = { .resolution = 0,
                                           .skew = ESSE_NO_TIME,
                                           .lateness = ESSE_NO_TIME };
    assert_true(esse_profile_named(profile, &own, &options.profile, &err));
    const char *trace = json(arena, text);
    run_mirror(trace, strlen(trace), &options, &result);
    if (!result.ok)
        print_error("%d:%d: %s\n", (int)result.err.line, (int)result.err.column, result.err.text);
    assert_true(result.ok);
    esse_arena_free(arena);
    return result;
}

#endif
