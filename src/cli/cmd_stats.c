#include "base/arena.h"
#include "base/out.h"
#include "cli/session.h"
#include "history/stats.h"
#include "report/report_stats.h"

#include <unistd.h>

static struct {
    const char *format, *workload, *certificate;
    bool json, quiet, transaction_order;
} o;

static const struct esse_opt options[] = {
    ESSE_CERTIFICATE_OPTIONS(o),
    ESSE_READING_OPTIONS(o),
    { "json", 'j', ESSE_OPT_FLAG, &o.json, NULL, "print one JSON object for each history" },
    { "quiet", 'q', ESSE_OPT_FLAG, &o.quiet, NULL, "no warnings, no progress line" },
    { 0 },
};

static int show_stats(struct esse_arena *arena, struct esse_out *out, const char *path)
{
    struct esse_session session;
    struct esse_history *history;
    struct esse_error err = { 0 };
    esse_session_start(&session, 0, 0, o.quiet);
    struct esse_load_options load = { o.format, o.workload, &session.budget, o.certificate,
                                      o.transaction_order };
    bool ok = esse_history_load(arena, path, &load, &history, &err);
    esse_session_clear(&session);
    if (!ok)
        return esse_cli_refuse("stats", path, &err);
    esse_session_warn(&session, path, history);
    struct esse_stats stats;
    esse_stats_compute(history, &stats);
    if (o.json)
        esse_report_stats_json(out, path, history, &stats);
    else
        esse_report_stats_text(out, path, history, &stats);
    return 0;
}

static int run_stats(int count, char **paths)
{
    struct esse_arena *answer = esse_arena_new();
    struct esse_out out;
    esse_out_init_fd(&out, answer, STDOUT_FILENO);
    int status = 0;
    for (int i = 0; i < count; i++) {
        struct esse_arena *arena = esse_arena_new();
        int this_status = show_stats(arena, &out, paths[i]);
        status = status ? status : this_status;
        esse_arena_free(arena);
    }
    status = esse_session_answer(&out, status);
    esse_arena_free(answer);
    return status;
}

const struct esse_command esse_command_stats = {
    .name = "stats",
    .operands = "HISTORY...",
    .summary = "what a history contains, and what can be checked on it",
    .details = "Counts sessions, transactions, operations and keys, shows contention and "
               "concurrency, and says what the history allows to be checked: whether its version "
               "order is known, and whether session order and real time say anything.",
    .examples = "  esse stats history.edn",
    .options = options,
    .least = 1,
    .most = -1,
    .run = run_stats,
};
