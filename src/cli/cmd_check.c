#include "base/arena.h"
#include "cli/checking.h"
#include "cli/failing.h"
#include "cli/summaries.h"
#include "engine/replay/streaming.h"
#include "formats/formats.h"
#include "report/page/page.h"
#include "report/report_parts.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    struct esse_failing failing;
    const char *level, *engine, *format, *workload, *dot, *svg, *evidence, *anomalies, *except;
    const char *certificate, *ablate, *order_by, *page;
    struct esse_assuming assuming;
    struct esse_summary_files summaries;
    double budget, version_order_share;
    uint64_t memory, threads, seed, page_limit;
    bool json, verbose, quiet, transaction_order, explain_plan, no_session_order, no_version_order;
    bool stream, plain, salvage;
} o = { .level = "strict-serializable",
        .anomalies = "",
        .except = "",
        .ablate = "",
        .version_order_share = 1,
        .seed = 1,
        .page_limit = ESSE_PAGE_LIMIT,
        .failing = ESSE_FAILING_DEFAULTS };

static const char *const engines[] = { "scan", "replay",    "serial", "saturate",
                                       "dsg",  "polygraph", NULL };
static const char *const orders[] = { "order", "commit_ts", "start_ts", NULL };

/* By the bits of enum esse_ablation. */
static const char *const ablations[] = { "estimate",     "schedule", "lending",   "pruning",
                                         "laziness",     "patience", "mending",   "closure",
                                         "small-cycles", "locality", "nearness",  "layout",
                                         "sweeping",     "aligning", "supposing", NULL };

static const struct esse_opt options[] = {
    { "level", 'l', ESSE_OPT_TEXT, &o.level, "L[,L...]",
      "the levels to check (default strict-serializable), or all; 'esse levels' lists them; none "
      "with --anomalies" },
    { "anomalies", 'a', ESSE_OPT_TEXT, &o.anomalies, "A[,A...]",
      "anomalies that count even where the level allows them, and what implies them" },
    { "except", 0, ESSE_OPT_TEXT, &o.except, "A[,A...]",
      "anomalies that are neither reported nor counted" },
    ESSE_ASSUMING_OPTIONS(o.assuming),
    { "engine", 'e', ESSE_OPT_TEXT, &o.engine, "E", "the engine to use instead of the planner's",
      engines },
    { "budget", 'b', ESSE_OPT_DURATION, &o.budget, "TIME",
      "give up after this time, with the verdict unknown" },
    { "memory", 'm', ESSE_OPT_SIZE, &o.memory, "SIZE",
      "give up when more memory is needed, with the verdict unknown" },
    { "threads", 0, ESSE_OPT_COUNT, &o.threads, "N",
      "work on N threads (default: one for each processor); the answer is the same" },
    ESSE_CERTIFICATE_OPTIONS(o),
    { "order-by", 0, ESSE_OPT_TEXT, &o.order_by, "WHAT",
      "the transactions are serialized in this order: replay it, and say where it fails", orders },
    { "stream", 0, ESSE_OPT_FLAG, &o.stream, NULL,
      "replay a native history while it is read, in the order of its lines, and keep only its "
      "state" },
    { "no-session-order", 0, ESSE_OPT_FLAG, &o.no_session_order, NULL,
      "for experiments: forget which transactions are of one session" },
    { "no-version-order", 0, ESSE_OPT_FLAG, &o.no_version_order, NULL,
      "for experiments: forget the version orders that were given" },
    { "version-order-share", 0, ESSE_OPT_REAL, &o.version_order_share, "X",
      "for experiments: keep this share of them, chosen by --seed" },
    { "seed", 0, ESSE_OPT_COUNT, &o.seed, "N", "the seed of --version-order-share (default: 1)" },
    ESSE_FAILING_OPTIONS(o.failing),
    { "explain-plan", 0, ESSE_OPT_FLAG, &o.explain_plan, NULL,
      "say what was known, inferred, and left to the solver, with counts and seconds" },
    { "ablate", 0, ESSE_OPT_TEXT, &o.ablate, "P[,P...]",
      "for experiments: leave parts of the engine polygraph out; the verdict stays the same",
      ablations },
    ESSE_READING_OPTIONS(o),
    { "salvage", 0, ESSE_OPT_FLAG, &o.salvage, NULL,
      "of a file that was cut off take the whole lines, with a warning" },
    { "json", 'j', ESSE_OPT_FLAG, &o.json, NULL, "print one JSON object for each history" },
    { "plain", 0, ESSE_OPT_FLAG, &o.plain, NULL,
      "print of each anomaly only what it means, which level prevents it and what to do" },
    { "evidence", 0, ESSE_OPT_TEXT, &o.evidence, "FILE",
      "write what proves the verdicts, for esse verify" },
    { "dot", 0, ESSE_OPT_TEXT, &o.dot, "FILE",
      "write the anomalies' transactions and dependencies for Graphviz" },
    { "svg", 0, ESSE_OPT_TEXT, &o.svg, "FILE", "draw the anomalies, for a browser" },
    { "report", 0, ESSE_OPT_TEXT, &o.page, "FILE",
      "write all of it as one HTML page that needs nothing but a browser" },
    { "report-limit", 0, ESSE_OPT_SIZE, &o.page_limit, "SIZE",
      "of the page: what is left out beyond it is said there (default: 50M)" },
    ESSE_SUMMARY_OPTIONS(o.summaries),
    { "verbose", 'v', ESSE_OPT_FLAG, &o.verbose, NULL,
      "say which engine was chosen and why, and show more occurrences" },
    { "quiet", 'q', ESSE_OPT_FLAG, &o.quiet, NULL, "no warnings, no progress line" },
    { 0 },
};

struct check_run {
    struct esse_session session;
    struct esse_out out;
    struct esse_summaries summaries;
    struct esse_arena *arena; /* for the answer; histories have arenas of their own */
    const char **levels, **anomalies, **except;
    size_t level_count, anomaly_count, except_count;
    unsigned ablate;
};

/* From names to bits; false if one is unknown. */
static bool find_ablations(struct check_run *run)
{
    size_t count;
    const char **names = esse_session_names(run->arena, o.ablate, &count);
    for (size_t i = 0; i < count; i++) {
        unsigned bit = 0;
        while (ablations[bit] && strcmp(ablations[bit], names[i]) != 0)
            bit++;
        if (!ablations[bit]) {
            esse_cli_usage("check",
                           "--ablate: unknown part '%s'; there are estimate, schedule, lending, "
                           "pruning, laziness, patience, mending, closure, small-cycles, "
                           "locality, nearness, layout, sweeping",
                           names[i]);
            return false;
        }
        run->ablate |= 1u << bit;
    }
    return true;
}

/* A picture or a summary that goes to standard output is the answer there. */
static bool is_stdout_taken(void)
{
    return (o.dot && strcmp(o.dot, "-") == 0) || (o.svg && strcmp(o.svg, "-") == 0) ||
           (o.page && strcmp(o.page, "-") == 0) || esse_summaries_on_stdout(&o.summaries);
}

static void add_summary(struct check_run *run, const char *path, const struct esse_checked *checked)
{
    const struct esse_summary_part part = {
        .path = path,
        .report = checked->has_report ? &checked->report : NULL,
        .error = checked->has_report || checked->stopped ? NULL : &checked->error,
        .stopped = checked->stopped,
        .levels = run->levels,
        .level_count = run->level_count,
        .fails_unknown = esse_failing_status(&o.failing, ESSE_EXIT_UNKNOWN, false) != 0,
    };
    esse_summaries_add(&run->summaries, &part);
}

static void put_page(struct esse_out *out, const struct esse_report *report)
{
    const bool has_file = o.evidence && strcmp(o.evidence, "-") != 0;
    const struct esse_page_options page = { o.page_limit, has_file ? o.evidence : NULL };
    esse_page_put(out, report, &page);
}

/* Pictures and evidence, each to its file. */
static int write_files(struct esse_arena *arena, const struct esse_report *report)
{
    int status = esse_checking_write(arena, o.dot, report, esse_report_dot);
    status = status ? status : esse_checking_write(arena, o.svg, report, esse_report_svg);
    status = status ? status : esse_checking_write(arena, o.page, report, put_page);
    return status ? status : esse_checking_write(arena, o.evidence, report, esse_report_evidence);
}

static int check_history(struct check_run *run, struct esse_arena *arena, const char *path)
{
    const unsigned threads = o.threads < UINT_MAX ? (unsigned)o.threads : UINT_MAX;
    const struct esse_forgetting forget = { o.no_session_order,
                                            o.no_version_order ? 0 : o.version_order_share,
                                            o.seed };
    const struct esse_checking checking = {
        .command = "check",
        .session = &run->session,
        .load = { o.format, o.workload, &run->session.budget, o.certificate, o.transaction_order,
                  threads, o.salvage },
        .check = { .levels = run->levels,
                   .level_count = run->level_count,
                   .engine = o.engine,
                   .budget = &run->session.budget,
                   .assume = esse_session_assume(&o.assuming),
                   .anomalies = run->anomalies,
                   .anomaly_count = run->anomaly_count,
                   .except = run->except,
                   .except_count = run->except_count,
                   .threads = threads,
                   .ablate = run->ablate,
                   .order_by = o.order_by,
                   .min_committed = o.failing.min_committed },
        .forget = &forget,
        .verbose = o.verbose,
        .plain = o.plain,
    };
    struct esse_checked checked;
    const int verdict = esse_checking_run(&checking, arena, path, &checked);
    const int status = esse_failing_status(
        &o.failing, verdict, checked.has_report && checked.report.result->too_few_committed);
    if (status != ESSE_EXIT_USAGE)
        add_summary(run, path, &checked);
    if (!checked.has_report && !checked.stopped)
        return status;
    if (!is_stdout_taken())
        esse_checked_put(&run->out, &checking, path, &checked, o.json);
    if (!checked.has_report)
        return status;
    if (o.explain_plan && !o.json && !is_stdout_taken())
        esse_report_plan(&run->out, &checked.report);
    const int written = write_files(arena, &checked.report);
    return written ? written : status;
}

/* ---- streams ---- */

static void tidy(struct esse_sink *sink)
{
    esse_replay_stream_tidy((struct esse_replay_stream *)sink);
}

/* What needs the whole history cannot be had of a stream. */
static const char *not_with_stream(const struct check_run *run)
{
    return o.certificate || o.transaction_order          ? "--certificate and --transaction-order"
           : o.dot || o.svg || o.evidence || o.page      ? "--dot, --svg, --report and --evidence"
           : run->anomaly_count || run->except_count     ? "--anomalies and --except"
           : o.engine && strcmp(o.engine, "replay") != 0 ? "an engine but replay"
           : o.explain_plan                              ? "--explain-plan"
           : o.no_session_order || o.no_version_order || o.version_order_share < 1 ? "experiments"
                                                                                   : NULL;
}

static int report_stream(struct check_run *run, struct esse_streaming *streaming, const char *path,
                         double seconds)
{
    assert(run->level_count == 1);
    const struct esse_result *result =
        esse_streaming_close(streaming, esse_budget_spent(&run->session.budget), seconds);
    const struct esse_report report = { .path = path,
                                        .history = streaming->history,
                                        .result = result,
                                        .colour = esse_session_colour(),
                                        .verbose = o.verbose,
                                        .counts = &streaming->counts,
                                        .plain = o.plain };
    add_summary(run, path, &(struct esse_checked){ .has_report = true, .report = report });
    if (!is_stdout_taken())
        (o.json ? esse_report_json : esse_report_text)(&run->out, &report);
    return esse_failing_status(&o.failing, (int)esse_report_outcome(result),
                               result->too_few_committed);
}

static int check_stream(struct check_run *run, struct esse_arena *arena, const char *path)
{
    const struct esse_load_options load = { .format = o.format, .budget = &run->session.budget };
    const double started = esse_clock_seconds();
    struct esse_streaming streaming;
    struct esse_error err = { 0 };
    int status;
    if (!esse_streaming_open(&streaming, arena, run->levels[0], o.order_by, &err))
        return esse_cli_usage("check", "%s", err.text);
    streaming.min_committed = o.failing.min_committed;
    const bool ok = esse_records_read(path, &load, streaming.sink, tidy, &err);
    esse_session_clear(&run->session);
    if (ok || err.code == ESSE_ESTOPPED) {
        status = report_stream(run, &streaming, path, esse_clock_seconds() - started);
    } else {
        add_summary(run, path, &(struct esse_checked){ .error = err });
        status = esse_cli_refuse("check", path, &err);
    }
    esse_streaming_release(&streaming);
    return status;
}

static bool can_stream(const struct check_run *run)
{
    const char *wrong = not_with_stream(run);
    if (!o.stream)
        return true;
    if (wrong)
        esse_cli_usage("check", "--stream does not go with %s", wrong);
    else if (run->level_count != 1)
        esse_cli_usage("check", "--stream checks one level");
    else
        return true;
    return false;
}

static bool can_fail(void)
{
    struct esse_error err;
    const bool ok = esse_failing_is_sane(&o.failing, &err);
    if (!ok)
        esse_cli_usage("check", "%s", err.text);
    return ok;
}

static int run_check(int count, char **paths)
{
    struct check_run run = { .arena = esse_arena_new() };
    run.levels = esse_session_names(run.arena, o.level, &run.level_count);
    run.anomalies = esse_session_names(run.arena, o.anomalies, &run.anomaly_count);
    run.except = esse_session_names(run.arena, o.except, &run.except_count);
    esse_out_init_fd(&run.out, run.arena, STDOUT_FILENO);
    esse_summaries_start(&run.summaries, run.arena, &o.summaries);
    int status = ESSE_EXIT_HOLDS;
    if (!find_ablations(&run) || !can_stream(&run) || !can_fail()) {
        status = ESSE_EXIT_USAGE;
        count = 0;
    }
    if (!run.level_count)
        status = esse_cli_usage("check", "--level: no level is named");
    if (count > 1 && (o.dot || o.svg || o.evidence || o.page)) {
        status = esse_cli_usage("check", "--dot, --svg, --report and --evidence take one history "
                                         "at a time");
        count = 0;
    }
    if (count)
        esse_session_meant(o.quiet, run.levels, run.level_count);
    for (int i = 0; run.level_count && i < count; i++) {
        struct esse_arena *arena = esse_arena_new();
        esse_session_start(&run.session, o.budget, o.memory, o.quiet);
        status = esse_session_worse(
            status, (o.stream ? check_stream : check_history)(&run, arena, paths[i]));
        esse_arena_free(arena);
        if (status == ESSE_EXIT_USAGE)
            break;
    }
    if (status != ESSE_EXIT_USAGE)
        status = esse_session_worse(status, esse_summaries_write(&run.summaries, run.arena));
    status = esse_session_answer(&run.out, status);
    esse_arena_free(run.arena);
    return status;
}

const struct esse_command esse_command_check = {
    .name = "check",
    .operands = "HISTORY...",
    .summary = "does a recorded history satisfy a level?",
    .details =
        "Reads histories and says for each level whether it holds, is violated, or cannot be "
        "decided, with the evidence. Every verdict but that of --stream is rechecked from the "
        "history and the level's "
        "definition alone before it is printed.\n\n"
        "A HISTORY is a file, possibly compressed by gzip or zstd, or - for standard input. Its "
        "format and workload are recognised. Several histories are checked one by one.\n\n"
        "Registers do not show the order of their versions. The --...-keys options assume "
        "something "
        "about it, as Elle does. The verdict says when a level is violated only because of an "
        "assumption. An assumption that contradicts the history is reported as cyclic-versions, "
        "and "
        "dropped.\n\n"
        "Exit status: 0 every level holds, 1 some level is violated, 2 unknown (the budget ran "
        "out, nothing decides the level, or nothing was committed), 64 bad usage, 65 bad input, 70 "
        "a verdict failed its "
        "recheck, 74 input/output error. The worst counts: errors over 1 over 2 over 0.",
    .examples = "  esse check history.edn                       # strict serializability\n"
                "  esse check --svg why.svg history.edn         # and a picture of what is wrong\n"
                "  esse check -l snapshot-isolation h.jsonl     # another level\n"
                "  esse check store/*/history.edn --junit esse.xml # for a build server\n"
                "  esse check --json h.jsonl | jq .anomaly_types",
    .options = options,
    .least = 1,
    .most = -1,
    .run = run_check,
};
