#include "cli/running.h"

#include "base/outfile.h"
#include "cli/checking.h"
#include "level/level.h"
#include "report/page/page.h"
#include "report/report_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static void show_progress(void *context, const struct esse_live_progress *now)
{
    struct esse_running *r = context;
    esse_session_line(&r->session,
                      "collecting, %.0f s: %" PRIu64 " committed (%.0f/s), %" PRIu64
                      " aborted, %" PRIu64 " unknown",
                      now->seconds, now->tally.committed,
                      now->seconds > 0 ? (double)now->tally.committed / now->seconds : 0,
                      now->tally.aborted, now->tally.unknown);
}

/* What happened, and what was asked for and did not. */
static void put_faults(struct esse_out *out, const struct esse_running *r)
{
    uint32_t count;
    const struct esse_fault_record *faults = esse_faults_told(r->live.faults, &count);
    esse_out_text(out, "  faults: ");
    esse_report_faults(out, faults, count, r->args->verbose);
    for (unsigned i = 0; i < ESSE_FAULTS; i++)
        if (r->fault_kinds & 1u << i &&
            !esse_faults_count(r->live.faults, (enum esse_server_fault)i)) {
            esse_out_f(out, "%sno %s", count ? ", " : "", esse_fault_names[i]);
            count = 1;
        }
    esse_out_char(out, '\n');
}

static void put_recording(struct esse_out *out, const struct esse_recording_cost *cost)
{
    if (cost->pairs < 2) {
        esse_out_text(out, "  recording: not measured, the run was too short\n");
        return;
    }
    esse_out_f(out,
               "  recording: %.1f %% of the throughput (standard error %.1f), %.0f commits/s with "
               "it and %.0f without in %" PRIu64 " pairs\n"
               "  and %.1f %% (%.1f) of this process's %.1f us a transaction; %.0f bytes each\n",
               100 * cost->lost, 100 * cost->lost_error, cost->rate_with, cost->rate_without,
               cost->pairs, 100 * cost->processor, 100 * cost->processor_error,
               1e6 * cost->processor_with, cost->bytes);
}

static void put_summary(struct esse_out *out, const struct esse_running *r)
{
    const struct esse_live_summary *s = &r->summary;
    esse_out_f(out,
               "%s, %s: %s, %" PRIu64 " sessions, %.1f s: %" PRIu64 " committed (%.0f/s), %" PRIu64
               " aborted, %" PRIu64 " unknown\n",
               r->product, r->live.isolation->setting, r->live.workload->name,
               r->live.work.sessions, s->seconds, s->tally.committed,
               s->seconds > 0 ? (double)s->tally.committed / s->seconds : 0, s->tally.aborted,
               s->tally.unknown);
    for (unsigned i = 0; i < ESSE_CODES && s->refusals[i].count; i++)
        esse_out_f(out, "  refused %" PRIu64 " times: %s%s%s\n", s->refusals[i].count,
                   s->refusals[i].code, *s->refusals[i].code ? ": " : "", s->refusals[i].text);
    if (s->reconnects)
        esse_out_f(out, "  connections lost %" PRIu64 " times\n", s->reconnects);
    if (r->live.faults)
        put_faults(out, r);
    if (!s->no_certificate && s->versions + s->commits)
        esse_out_f(out, "  order of %" PRIu64 " %s from %s\n",
                   r->live.work.file ? s->commits : s->versions,
                   r->live.work.file ? "commits" : "versions", r->live.driver->certificate->source);
    else if (s->no_certificate && !r->live.no_certificate && r->live.driver->certificate)
        esse_out_f(out, "  no order of versions: %s\n", s->no_certificate);
    if (s->lost)
        esse_out_f(out, "  lost: %" PRIu64 " acknowledged commits are not in it\n", s->lost);
    if (s->remark)
        esse_out_f(out, "  %s\n", s->remark);
    if (r->live.by_turns)
        put_recording(out, &s->recording);
}

/* The answer goes to standard output, and there with JSON only that. */
static int say_summary(struct esse_running *r)
{
    struct esse_out chatter;
    struct esse_error err = { 0 };
    if (!r->args->json) {
        put_summary(&r->out, r);
        return 0;
    }
    esse_out_init_fd(&chatter, r->arena, STDERR_FILENO);
    if (!r->args->quiet)
        put_summary(&chatter, r);
    return esse_out_finish(&chatter, &err) ? 0 : esse_cli_fail(NULL, &err);
}

static bool describe(struct esse_running *r, const struct esse_live *live, bool has_certificate,
                     struct esse_error *err)
{
    assert(r->level);
    const struct esse_assuming *assuming = &r->args->assuming;
    const char *target = esse_run_target_again(r->arena, r->args, &r->live);
    const char *again =
        esse_rundir_again(r->arena, &r->live, target, r->checks ? r->level : NULL, assuming);
    return esse_rundir_describe(r->arena, &r->dir, live, r->level, again,
                                esse_rundir_check(r->arena, r->level, has_certificate, assuming),
                                err);
}

/* How this database does it, if the command line does not say. */
static bool find_profile(struct esse_running *r, struct esse_error *err)
{
    const struct esse_live_options *live = &r->live;
    if (r->args->profile)
        return esse_profile_named(r->args->profile, &r->profile, &r->watching.mirror.profile, err);
    const char *name =
        esse_arena_format(r->arena, "%s/%s", live->driver->name, live->isolation->setting);
    r->watching.mirror.profile = esse_profile_find(name);
    return r->watching.mirror.profile ||
           esse_fail(err, ESSE_EUSAGE,
                     "no profile is known for %s; --profile gives one (esse watch --profile help)",
                     name);
}

/* What windows decide: what is asked for, or what the profile promises, or the documentation. */
static void find_window_level(struct esse_running *r)
{
    struct esse_mirror_options *mirror = &r->watching.mirror;
    const struct esse_level *claimed = esse_level_find(r->live.isolation->level);
    if (!mirror->window_txns || mirror->level != ESSE_LEVEL_NONE)
        return;
    mirror->level = mirror->profile->level;
    if (mirror->level == ESSE_LEVEL_NONE && claimed)
        mirror->level = claimed->id;
}

/* The folder of findings is in the run directory, if that is there. */
static bool start_watching(struct esse_running *r, bool is_kept, struct esse_error *err)
{
    if (!r->args->watch)
        return true;
    find_window_level(r);
    r->watching.json = r->args->json;
    r->watching.quiet = true;
    r->watching.is_silent = r->live.by_turns;
    r->watching.budget = &r->session.budget;
    if (is_kept) /* else it is where the command line says */
        r->watching.out = esse_rundir_file(r->arena, &r->dir, "findings");
    r->watcher = esse_watcher_new(&r->watching, err);
    r->live.watch = esse_watcher_lines;
    r->live.watcher = r->watcher;
    return r->watcher;
}

static void end_watching(struct esse_running *r)
{
    if (!r->watcher)
        return;
    esse_session_clear(&r->session);
    r->watched = esse_watcher_end(r->watcher);
    r->watcher = NULL;
}

/* It is described before the first transaction, and again when there is a certificate. */
static bool collect_into(struct esse_running *r, struct esse_live *live, int *history, int *trace,
                         struct esse_error *err)
{
    return esse_rundir_make(&r->dir, history, r->args->trace ? trace : NULL, err) &&
           describe(r, live, false, err) && start_watching(r, true, err) &&
           esse_live_collect(live, *history, *trace, r->dir.certificate, &r->summary, err) &&
           (r->summary.no_certificate || describe(r, live, true, err));
}

static bool measure(struct esse_running *r, struct esse_live *live, int *history, int *trace,
                    struct esse_error *err)
{
    return esse_rundir_scratch(history, err) &&
           (!r->args->trace || esse_rundir_scratch(trace, err)) && start_watching(r, false, err) &&
           esse_live_collect(live, *history, *trace, NULL, &r->summary, err);
}

/* No file is written. */
static bool only_watch(struct esse_running *r, struct esse_live *live, struct esse_error *err)
{
    return start_watching(r, false, err) && esse_live_collect(live, -1, -1, NULL, &r->summary, err);
}

static bool collect(struct esse_running *r, struct esse_error *err)
{
    struct esse_live live;
    int history = -1, trace = -1;
    if ((r->args->watch && !find_profile(r, err)) ||
        !esse_live_open(r->arena, &r->live, &live, err))
        return false;
    r->product = esse_arena_format(r->arena, "%s", live.description.product);
    if (r->fault_kinds)
        r->live.faults = esse_faults_new(r->arena, r->spawned, r->fault_kinds, r->args->fault_every,
                                         r->live.work.seed);
    const bool ok = r->only_watches    ? only_watch(r, &live, err)
                    : r->live.by_turns ? measure(r, &live, &history, &trace, err)
                                       : collect_into(r, &live, &history, &trace, err);
    if (history >= 0)
        close(history);
    if (trace >= 0)
        close(trace);
    esse_live_close(&live);
    esse_session_clear(&r->session);
    end_watching(r);
    return ok;
}

static void write_text(struct esse_out *out, const struct esse_report *report)
{
    struct esse_report whole = *report;
    whole.colour = false;
    whole.faults_told = false;
    whole.plain = false;
    esse_report_text(out, &whole);
}

static void write_page(struct esse_out *out, const struct esse_report *report)
{
    esse_page_put(out, report, &(struct esse_page_options){ ESSE_PAGE_LIMIT, NULL });
}

static int save_verdict(struct esse_running *r, const struct esse_report *report)
{
    const struct {
        const char *name;
        void (*write)(struct esse_out *out, const struct esse_report *report);
    } files[] = { { "verdict.txt", write_text },
                  { "verdict.json", esse_report_json },
                  { "evidence.json", esse_report_evidence },
                  { "report.html", write_page },
                  { "evidence.svg", report->result->anomaly_type_count ? esse_report_svg : NULL } };
    int status = 0;
    for (size_t i = 0; !status && i < sizeof files / sizeof *files && files[i].write; i++)
        status = esse_checking_write(r->arena, esse_rundir_file(r->arena, &r->dir, files[i].name),
                                     report, files[i].write);
    return status;
}

static int check(struct esse_running *r)
{
    const unsigned threads = r->args->threads < UINT_MAX ? (unsigned)r->args->threads : UINT_MAX;
    struct esse_checking checking = { .command = "run",
                                      .session = &r->session,
                                      .load = { .budget = &r->session.budget, .threads = threads },
                                      .check = { .budget = &r->session.budget,
                                                 .threads = threads,
                                                 .min_committed = r->args->failing.min_committed,
                                                 .assume =
                                                     esse_session_assume(&r->args->assuming) },
                                      .verbose = r->args->verbose,
                                      .plain = r->args->plain };
    struct esse_checked checked;
    checking.load.certificate = r->summary.no_certificate ? NULL : r->dir.certificate;
    checking.check.levels = esse_session_names(r->arena, r->level, &checking.check.level_count);
    esse_session_start(&r->session, r->args->budget, r->args->memory, r->args->quiet);
    const int verdict = esse_checking_run(&checking, r->arena, r->dir.history, &checked);
    const int status = esse_failing_status(
        &r->args->failing, verdict, checked.has_report && checked.report.result->too_few_committed);
    if (!checked.has_report && !checked.stopped)
        return status;
    checked.report.faults_told = r->live.faults != NULL; /* by the summary */
    esse_checked_put(&r->out, &checking, r->dir.history, &checked, r->args->json);
    const int saved = checked.has_report ? save_verdict(r, &checked.report) : 0;
    return saved ? saved : status;
}

int esse_run_once(struct esse_running *r)
{
    struct esse_error err = { 0 };
    esse_session_start(&r->session, 0, 0, r->args->quiet);
    r->live.budget = &r->session.budget;
    r->live.progress = show_progress;
    r->live.context = r;
    if (!collect(r, &err))
        return esse_cli_refuse(r->command->name, err.code == ESSE_EINPUT ? r->live.work.file : NULL,
                               &err);
    int status = say_summary(r);
    if (r->only_watches)
        return esse_session_worse(status, r->watched);
    if (r->live.by_turns)
        return r->summary.is_interrupted ? ESSE_EXIT_UNKNOWN : status;
    if (r->summary.is_interrupted) {
        fprintf(stderr, "esse: interrupted; %s can be checked\n", r->dir.history);
        return ESSE_EXIT_UNKNOWN;
    }
    if (!status && r->checks)
        status = check(r);
    if (r->watched != ESSE_EXIT_UNKNOWN) /* what is not decided there is decided here */
        status = esse_session_worse(status, r->watched);
    if (!r->args->json)
        esse_out_f(&r->out, "saved in %s\n", r->dir.path);
    else if (!r->args->quiet)
        fprintf(stderr, "saved in %s\n", r->dir.path);
    return status;
}
