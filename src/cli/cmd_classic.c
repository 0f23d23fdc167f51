#include "base/arena.h"
#include "base/out.h"
#include "cli/failing.h"
#include "cli/session.h"
#include "engine/classic/classic.h"
#include "formats/oplog_read.h"
#include "report/report_classic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *accounts, *total, *format;
    uint64_t group_size, key_count;
    bool negative_balances, linearizable, independent, json, quiet;
    struct esse_failing failing;
} o = { .failing = ESSE_FAILING_DEFAULTS };

static const char *const formats[] = { "jepsen-edn", "elle-json", NULL };

static const struct esse_opt options[] = {
    { "accounts", 'a', ESSE_OPT_TEXT, &o.accounts, "A[,A...]",
      "the accounts of a bank (default: those of the first read)" },
    { "total", 't', ESSE_OPT_TEXT, &o.total, "N",
      "the sum of all balances of a bank (default: that of the first read)" },
    { "negative-balances", 'n', ESSE_OPT_FLAG, &o.negative_balances, NULL,
      "the balances of a bank may be negative" },
    { "linearizable", 0, ESSE_OPT_FLAG, &o.linearizable, NULL,
      "for set-full: an element that shows up late is an error too" },
    { "group-size", 'g', ESSE_OPT_COUNT, &o.group_size, "N",
      "for long-fork: how many keys a read has (default: as the first read)" },
    { "key-count", 'k', ESSE_OPT_COUNT, &o.key_count, "N",
      "for sequential: how many elements count as all (default: as many as are read)" },
    { "independent", 'i', ESSE_OPT_FLAG, &o.independent, NULL,
      "values are [key value]: check every key on its own" },
    ESSE_FAILING_OPTIONS(o.failing),
    { "format", 'f', ESSE_OPT_TEXT, &o.format, "F", "the input's format (default: recognised)",
      formats },
    { "json", 'j', ESSE_OPT_FLAG, &o.json, NULL, "print one JSON object for each history" },
    { "quiet", 'q', ESSE_OPT_FLAG, &o.quiet, NULL, "no warnings, no progress line" },
    { 0 },
};

struct classic_run {
    struct esse_session session;
    struct esse_out out;
    struct esse_arena *arena; /* for the answer; histories have arenas of their own */
    const struct esse_classic *checker;
    struct esse_classic_options options;
};

/* ---- options ---- */

/* Whether an option was given that the checker does not have. */
static const char *foreign_option(const struct esse_classic *checker)
{
    const struct {
        const char *name;
        bool given;
    } all[] = { { "accounts ", o.accounts != NULL },
                { "total ", o.total != NULL },
                { "negative-balances ", o.negative_balances },
                { "linearizable ", o.linearizable },
                { "group-size ", o.group_size != 0 },
                { "key-count ", o.key_count != 0 },
                { "independent ", o.independent } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].given && !strstr(checker->options, all[i].name))
            return all[i].name;
    return NULL;
}

static bool read_total(int64_t *total)
{
    char *end;
    errno = 0;
    long long number = strtoll(o.total, &end, 10);
    *total = number;
    return *o.total && !*end && !errno;
}

static bool take_options(struct classic_run *run)
{
    enum { MOST_KEYS = 1000000 };
    const char *foreign = foreign_option(run->checker);
    if (foreign) {
        esse_cli_usage("classic", "--%.*s is not an option of %s", (int)strlen(foreign) - 1,
                       foreign, run->checker->name);
        return false;
    }
    if (o.total && !read_total(&run->options.total)) {
        esse_cli_usage("classic", "--total: found '%s', expected an integer", o.total);
        return false;
    }
    if (o.group_size > MOST_KEYS || o.key_count > MOST_KEYS) {
        esse_cli_usage("classic", "--group-size and --key-count are at most %d", MOST_KEYS);
        return false;
    }
    struct esse_error err;
    if (!esse_failing_is_sane(&o.failing, &err)) {
        esse_cli_usage("classic", "%s", err.text);
        return false;
    }
    size_t count;
    if (o.accounts) {
        const char **names = esse_session_names(run->arena, o.accounts, &count);
        const char **list = esse_arena_alloc(run->arena, count + 1, sizeof *list);
        memcpy(list, names, count * sizeof *list);
        run->options.accounts = list;
    }
    run->options.has_total = o.total != NULL;
    run->options.negative_balances = o.negative_balances;
    run->options.linearizable = o.linearizable;
    run->options.group_size = o.group_size;
    run->options.key_count = o.key_count;
    run->options.independent = o.independent;
    run->options.min_committed = o.failing.min_committed;
    return true;
}

static int unknown_checker(const char *name)
{
    char known[256] = "";
    for (size_t i = 0; esse_classics[i]; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s",
                 !i                     ? ""
                 : esse_classics[i + 1] ? ", "
                                        : " and ",
                 esse_classics[i]->name);
    }
    return esse_cli_usage("classic", "unknown checker '%s'; known are %s", name, known);
}

/* ---- running ---- */

static void warn(const char *path, const struct esse_oplog *log)
{
    for (int i = 0; i < ESSE_DOUBTS && !o.quiet; i++)
        if (log->doubts[i])
            fprintf(stderr, "esse: %s: warning: %llu %s (first on line %llu)\n", path,
                    (unsigned long long)log->doubts[i], esse_oplog_doubt_texts[i],
                    (unsigned long long)log->doubt_lines[i]);
}

/* Ctrl-C while the history was read. */
static int report_stopped(struct classic_run *run, const char *path, const char *why)
{
    if (!o.json) {
        esse_out_f(&run->out, "%s: unknown %s\n  because %s\n", path, run->checker->name, why);
        return ESSE_EXIT_UNKNOWN;
    }
    esse_out_f(&run->out, "{\"esse\":\"%s\",\"history\":{\"path\":", esse_version());
    esse_out_json_text(&run->out, path);
    esse_out_f(&run->out,
               "},\"checker\":\"%s\",\"verdict\":\"unknown\",\"result\":{\"valid\":\"unknown\","
               "\"reason\":",
               run->checker->name);
    esse_out_json_text(&run->out, why);
    esse_out_text(&run->out, "}}\n");
    return ESSE_EXIT_UNKNOWN;
}

static int check_history(struct classic_run *run, struct esse_arena *arena, const char *path)
{
    struct esse_error err = { 0 };
    struct esse_oplog *log;
    struct esse_findings found;
    bool ok = esse_oplog_load(arena, path, o.format, &run->session.budget, &log, &err);
    esse_session_clear(&run->session);
    if (!ok && err.code == ESSE_ESTOPPED)
        return report_stopped(run, path, err.text);
    if (ok) {
        warn(path, log);
        ok = esse_classic_check(arena, run->checker, log, &run->options, &found, &err);
    }
    if (!ok)
        return esse_cli_refuse("classic", path, &err);
    struct esse_classic_report report = { path, run->checker->name, &found, esse_session_colour() };
    if (o.json)
        esse_report_classic_json(&run->out, &report);
    else
        esse_report_classic_text(&run->out, &report);
    return esse_failing_status(&o.failing, (int)found.outcome, found.too_few_committed);
}

static int run_classic(int count, char **operands)
{
    struct classic_run run = { .arena = esse_arena_new() };
    esse_out_init_fd(&run.out, run.arena, STDOUT_FILENO);
    run.checker = esse_classic_find(operands[0]);
    int status = ESSE_EXIT_HOLDS;
    if (!run.checker)
        status = unknown_checker(operands[0]);
    else if (!take_options(&run))
        status = ESSE_EXIT_USAGE;
    for (int i = 1; i < count && status != ESSE_EXIT_USAGE; i++) {
        struct esse_arena *arena = esse_arena_new();
        esse_session_start(&run.session, 0, 0, o.quiet);
        status = esse_session_worse(status, check_history(&run, arena, operands[i]));
        esse_arena_free(arena);
    }
    status = esse_session_answer(&run.out, status);
    esse_arena_free(run.arena);
    return status;
}

const struct esse_command esse_command_classic = {
    .name = "classic",
    .operands = "CHECKER HISTORY...",
    .summary = "check Jepsen's bank, set, counter and similar workloads",
    .details =
        "Checks histories of operations that are not transactions, with the checkers that users "
        "of Jepsen and elle-cli know. The CHECKER is one of:\n\n"
        "bank: transfers between accounts; every read of all balances has the same total.\n\n"
        "set: adds, then a final read; what was acknowledged is there, and nothing else.\n\n"
        "set-full: adds and reads at all times; which elements became visible for good, and "
        "which are lost.\n\n"
        "counter: adds and reads; every read is within what the adds allow.\n\n"
        "long-fork: single writes and reads of groups of keys; all reads agree on the order of "
        "the writes.\n\n"
        "comments: blind writes and reads of all; a read that sees a write sees those that "
        "completed before it.\n\n"
        "sequential: inserts in order, reads in the opposite order; a read that finds one "
        "finds all older ones.\n\n"
        "A HISTORY is Jepsen EDN or the JSON array that elle-cli reads, possibly compressed by "
        "gzip or zstd, or - for standard input. An operation that does not fit the checker is an "
        "error that says what the history looks like.\n\n"
        "Exit status: 0 every history is valid, 1 some history is invalid, 2 unknown "
        "(nothing was committed, or nothing was read), 64 bad usage, 65 bad input, 74 input/output "
        "error. The worst counts: errors "
        "over 1 over 2 over 0.",
    .examples = "  esse classic bank history.edn                # is money conserved?\n"
                "  esse classic set-full --linearizable h.edn   # and are reads never stale?\n"
                "  esse classic counter --independent h.edn     # one counter a key\n"
                "  esse classic set --json h.json | jq .result.lost",
    .options = options,
    .least = 2,
    .most = -1,
    .run = run_classic,
};
