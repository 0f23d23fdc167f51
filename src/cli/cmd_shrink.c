#include "base/arena.h"
#include "cli/session.h"
#include "engine/shrink.h"
#include "formats/formats.h"

#include <assert.h>
#include <stdio.h>

static struct {
    const char *level, *anomaly, *out, *format, *to, *workload, *certificate;
    struct esse_assuming assuming;
    double budget;
    uint64_t memory;
    bool lossy, quiet, transaction_order;
} o = { .level = "strict-serializable", .out = "-" };

static const struct esse_opt options[] = {
    { "level", 'l', ESSE_OPT_TEXT, &o.level, "L",
      "the level that is violated (default strict-serializable)" },
    { "anomaly", 'a', ESSE_OPT_TEXT, &o.anomaly, "TYPE",
      "the type of anomaly to keep (default: the worst that is found)" },
    ESSE_ASSUMING_OPTIONS(o.assuming),
    { "out", 'o', ESSE_OPT_TEXT, &o.out, "FILE", "write to this file (default: standard output)" },
    { "to", 't', ESSE_OPT_TEXT, &o.to, "F",
      "the output's format (default: by its name, or else the input's)", esse_writer_choices },
    { "lossy", 0, ESSE_OPT_FLAG, &o.lossy, NULL, "drop what the output's format cannot hold" },
    { "budget", 'b', ESSE_OPT_DURATION, &o.budget, "TIME",
      "stop after this time with the smallest history so far" },
    { "memory", 'm', ESSE_OPT_SIZE, &o.memory, "SIZE", "stop when more memory is needed" },
    ESSE_CERTIFICATE_OPTIONS(o),
    ESSE_READING_OPTIONS(o),
    { "quiet", 'q', ESSE_OPT_FLAG, &o.quiet, NULL, "no summary, no warnings, no progress line" },
    { 0 },
};

/* --to, or by the name, or the input's own if it can be written, or native. */
static const struct esse_format *target_format(const struct esse_history *history)
{
    const struct esse_format *format = o.to ? esse_format_find(o.to) : esse_format_by_path(o.out);
    if (!format && !o.to)
        format = esse_format_find(history->format);
    if (!o.to && (!format || !esse_format_is_written(format)))
        format = esse_format_find("native");
    return format && esse_format_is_written(format) ? format : NULL;
}

/* There is nothing to shrink: says why. */
static int say_nothing(struct esse_arena *arena, const char *path, const struct esse_shrunk *shrunk)
{
    assert(shrunk->result->verdict_count == 1);
    const struct esse_verdict *verdict = &shrunk->result->verdicts[0];
    const char *reason = esse_reason_text(arena, verdict);
    if (shrunk->outcome == ESSE_HOLDS)
        fprintf(stderr, "esse: %s: satisfies %s; there is nothing to shrink\n", path, o.level);
    else if (shrunk->outcome == ESSE_UNKNOWN)
        fprintf(stderr, "esse: %s: no violation of %s was found (%s); there is nothing to shrink\n",
                path, o.level, reason ? reason : "unknown");
    else
        fprintf(stderr, "esse: %s: violates %s, but not by %s; the worst is %s\n", path, o.level,
                o.anomaly, esse_anomaly_name(verdict->anomalies[0].type));
    return ESSE_EXIT_UNKNOWN;
}

static void say_summary(const char *path, const struct esse_history *history,
                        const struct esse_shrunk *shrunk)
{
    struct esse_counts from = esse_history_counts(history);
    struct esse_counts to = esse_history_counts(shrunk->part);
    if (!o.quiet)
        fprintf(stderr,
                "esse: %s: from %u to %u transactions, %u to %u operations, %u to %u keys: %s, "
                "violates %s%s\n",
                path, from.transactions, to.transactions, from.operations, to.operations, from.keys,
                to.keys, esse_anomaly_name(shrunk->type), o.level,
                shrunk->is_minimal ? "" : " (the budget ran out; it may get smaller)");
}

static int shrink_history(struct esse_session *session, struct esse_arena *arena, const char *path)
{
    const struct esse_load_options load = { o.format, o.workload, &session->budget, o.certificate,
                                            o.transaction_order };
    const struct esse_check_options check = { .levels = &o.level,
                                              .level_count = 1,
                                              .budget = &session->budget,
                                              .assume = esse_session_assume(&o.assuming) };
    const struct esse_shrink_options shrink = { &check, o.anomaly };
    struct esse_error err = { 0 };
    struct esse_history *history;
    struct esse_shrunk shrunk;
    if (!esse_history_load(arena, path, &load, &history, &err)) {
        esse_session_clear(session);
        if (err.code == ESSE_ESTOPPED) {
            fprintf(stderr, "esse: %s: %s\n", path, err.text);
            return ESSE_EXIT_UNKNOWN;
        }
        return esse_cli_refuse("shrink", path, &err);
    }
    esse_session_warn(session, path, history);
    const struct esse_format *format = target_format(history);
    if (!format)
        return esse_cli_usage("shrink", "'%s' is not a format that can be written", o.to);
    bool ok = esse_shrink(arena, history, &shrink, &shrunk, &err);
    esse_session_clear(session);
    if (!ok)
        return esse_cli_refuse("shrink", path, &err);
    if (!shrunk.type)
        return say_nothing(arena, path, &shrunk);
    int status = esse_session_save(session, arena, shrunk.part, format, o.out, o.lossy);
    if (!status)
        say_summary(path, history, &shrunk);
    return status;
}

static int run_shrink(int count, char **paths)
{
    (void)count;
    struct esse_session session;
    struct esse_arena *arena = esse_arena_new();
    esse_session_start(&session, o.budget, o.memory, o.quiet);
    esse_session_meant(o.quiet, &o.level, 1);
    int status = shrink_history(&session, arena, paths[0]);
    esse_arena_free(arena);
    return status;
}

const struct esse_command esse_command_shrink = {
    .name = "shrink",
    .operands = "HISTORY",
    .summary = "the smallest part of a history that still violates a level",
    .details =
        "Leaves out transactions, then operations, then keys, as long as what is left still "
        "violates the level by the same type of anomaly, and shows no type that the whole history "
        "does not have. The evidence of the violation says where to begin, so large histories "
        "shrink about as fast as they are checked. The result is checked afresh before it is "
        "written.\n\n"
        "Transactions keep their names, sessions, times and everything else that is known about "
        "them. What read something that was left out goes with it: a list loses the element, the "
        "read of a register is left out.\n\n"
        "Exit status: 0 a smaller history (or the same, if nothing can go) was written, 2 there "
        "is no violation to shrink, and nothing was written, 64 bad usage, 65 bad input, or the "
        "output's format cannot hold the result, 70 a verdict failed its recheck, 74 input/output "
        "error.",
    .examples = "  esse shrink -l serializable -o small.jsonl history.jsonl\n"
                "  esse shrink --anomaly G1a history.edn -o small.edn",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run_shrink,
};
