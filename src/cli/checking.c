#include "cli/checking.h"

#include "base/arena.h"
#include "base/outfile.h"
#include "engine/engine.h"
#include "report/report_parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The budget ran out before there was a history to speak of. */
static void put_stopped(struct esse_out *out, const struct esse_check_options *check,
                        const char *path, enum esse_spent spent, bool as_json)
{
    assert(spent != ESSE_SPENT_NOTHING);
    const struct esse_verdict verdict = { .outcome = ESSE_UNKNOWN,
                                          .reason = esse_reason_of_reading(spent) };
    const char *why = esse_reason_text(out->arena, &verdict);
    for (size_t i = 0; i < check->level_count && !as_json; i++)
        esse_out_f(out, "%s: unknown %s\n  because %s\n  what you can do: %s\n", path,
                   check->levels[i], why, esse_report_remedy(NULL, &verdict));
    if (!as_json)
        return;
    esse_out_f(out, "{\"esse\":\"%s\",\"history\":{\"path\":", esse_version());
    esse_out_json_text(out, path);
    esse_out_text(out, "},\"results\":[");
    for (size_t i = 0; i < check->level_count; i++) {
        esse_out_f(out, "%s{\"level\":\"%s\",\"verdict\":\"unknown\",\"reason\":", i ? "," : "",
                   check->levels[i]);
        esse_out_json_text(out, why);
        esse_out_char(out, '}');
    }
    esse_out_text(out, "],\"strongest\":[],\"anomaly_types\":[]}\n");
}

void esse_checked_put(struct esse_out *out, const struct esse_checking *checking, const char *path,
                      const struct esse_checked *checked, bool as_json)
{
    if (!checked->has_report)
        put_stopped(out, &checking->check, path, checked->stopped, as_json);
    else if (as_json)
        esse_report_json(out, &checked->report);
    else
        esse_report_text(out, &checked->report);
}

int esse_checking_write(struct esse_arena *arena, const char *path,
                        const struct esse_report *report,
                        void (*picture)(struct esse_out *out, const struct esse_report *report))
{
    struct esse_error err = { 0 };
    struct esse_outfile file;
    if (!path)
        return 0;
    if (!esse_outfile_open(&file, arena, path, &err))
        return esse_cli_fail(NULL, &err);
    picture(&file.out, report);
    return esse_outfile_commit(&file, &err) ? 0 : esse_cli_fail(NULL, &err);
}

/* A verdict that failed its recheck is a bug of an engine.  What was refused goes into a file. */
static int fail_recheck(struct esse_arena *arena, const struct esse_report *report,
                        const struct esse_error *error)
{
    assert(error->code == ESSE_EBUG);
    static const char path[] = "esse-bug-report.json";
    struct esse_error err = { 0 };
    struct esse_outfile file;
    bool ok = esse_outfile_open(&file, arena, path, &err);
    if (ok) {
        esse_report_bug(&file.out, report, error->text);
        ok = esse_outfile_commit(&file, &err);
    }
    int status = esse_cli_fail(report->path, error);
    if (ok)
        fprintf(
            stderr,
            "esse: this is a bug in esse: please report it, with %s and the history if you can\n",
            path);
    return status;
}

static struct esse_history *forget(const struct esse_checking *checking, struct esse_arena *arena,
                                   struct esse_history *history)
{
    const struct esse_forgetting *what = checking->forget;
    return what && (what->sessions || what->version_share < 1)
               ? esse_history_forget(arena, history, what)
               : history;
}

int esse_checking_run(const struct esse_checking *checking, struct esse_arena *arena,
                      const char *path, struct esse_checked *checked)
{
    struct esse_error err = { 0 };
    struct esse_history *history;
    const struct esse_result *result;
    *checked = (struct esse_checked){ 0 };
    if (!esse_history_load(arena, path, &checking->load, &history, &err)) {
        esse_session_clear(checking->session);
        checked->error = err;
        if (err.code != ESSE_ESTOPPED)
            return esse_cli_fail(path, &err);
        checked->stopped = esse_budget_spent(checking->load.budget);
        assert(checked->stopped);
        return ESSE_EXIT_UNKNOWN;
    }
    esse_session_warn(checking->session, path, history);
    history = forget(checking, arena, history);
    bool ok = esse_check(arena, history, &checking->check, &result, &err);
    esse_session_clear(checking->session);
    checked->error = err;
    if (err.code == ESSE_EUSAGE && !ok)
        return esse_cli_usage(checking->command, "%s", err.text);
    const struct esse_report report = { .path = path,
                                        .history = history,
                                        .result = result,
                                        .colour = esse_session_colour(),
                                        .verbose = checking->verbose,
                                        .plain = checking->plain };
    if (!ok)
        return err.code == ESSE_EBUG ? fail_recheck(arena, &report, &err)
                                     : esse_cli_fail(path, &err);
    checked->report = report;
    checked->has_report = true;
    return (int)esse_report_outcome(result);
}
