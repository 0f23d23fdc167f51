#include "cli/run_args.h"

#include "cli/rundir.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static struct esse_run_args o = ESSE_RUN_ARGS_DEFAULTS;

static const double default_seconds = 3, default_seconds_of_all = 15;

const char *const esse_run_workload_choices[] = {
    "list-append", "rw-register", "predicate", "bank",        "long-fork", "write-skew",
    "blindw-rh",   "blindw-rw",   "blindw-wh", "blindw-pred", "smallbank", "ycsb-a",
    "ycsb-b",      "ycsb-f",      "rmw",       "heavy-write", "twitter",   "rubis",
    "tpcc",        "sql",         "all",       NULL
};
const char *const esse_run_spawn_choices[] = { "postgresql", "mariadb", "galera", "etcd", NULL };
const char *const esse_run_fault_choices[] = { "kill", "pause", "partition", "restart", NULL };
const char *const esse_run_distributions[] = { "uniform", "zipf", NULL };

/* clang-format off */
#define TO(field) &o.field
#define COLLECT_OPTIONS \
    ESSE_WORK_OPTIONS(o), \
    { "no-certificate", 0, ESSE_OPT_FLAG, TO(no_certificate), NULL, \
      "do not ask the database for the order of versions" }, \
    { "trace", 0, ESSE_OPT_FLAG, TO(trace), NULL, \
      "also record a trace, an event a line as it happens, for 'esse watch'" }, \
    { "watch", 0, ESSE_OPT_FLAG, TO(watch), NULL, \
      "also watch the database's mechanisms while the run goes on, as 'esse watch' does" }, \
    { "profile", 0, ESSE_OPT_TEXT, TO(profile), "P", \
      "of --watch: how the database does it (default: by target and isolation)" }, \
    ESSE_SERVER_OPTIONS(o), \
    { "out", 'o', ESSE_OPT_TEXT, TO(out), "DIR", \
      "the run directory (default: esse-runs/DATE-TARGET-WORKLOAD)" }, \
    { "repeat", 0, ESSE_OPT_COUNT, TO(repeat), "N", \
      "run N times, with consecutive seeds" }, \
    { "quiet", 'q', ESSE_OPT_FLAG, TO(quiet), NULL, \
      "no warnings, no progress line" }
/* clang-format on */

const struct esse_opt esse_run_options[] = {
    COLLECT_OPTIONS,
    { "until-violation", 0, ESSE_OPT_FLAG, &o.until_violation, NULL,
      "repeat until a level is violated, --repeat times at most; workload, sessions and keys "
      "change "
      "from run to run if they are not given" },
    { "level", 'l', ESSE_OPT_TEXT, &o.level, "L[,L...]",
      "the levels to check (default: what the database claims), or all" },
    ESSE_ASSUMING_OPTIONS(o.assuming),
    { "budget", 'b', ESSE_OPT_DURATION, &o.budget, "TIME",
      "give the check up after this time, with the verdict unknown" },
    { "memory", 'm', ESSE_OPT_SIZE, &o.memory, "SIZE",
      "give the check up when more memory is needed" },
    ESSE_FAILING_OPTIONS(o.failing),
    { "json", 'j', ESSE_OPT_FLAG, &o.json, NULL, "print one JSON object for each run" },
    { "plain", 0, ESSE_OPT_FLAG, &o.plain, NULL,
      "print of each anomaly only what it means, which level prevents it and what to do" },
    { "verbose", 'v', ESSE_OPT_FLAG, &o.verbose, NULL,
      "say which engine was chosen and why, and show more occurrences" },
    { 0 },
};
const struct esse_opt esse_collect_options[] = {
    COLLECT_OPTIONS,
    { "measure-recording", 0, ESSE_OPT_FLAG, &o.measure_recording, NULL,
      "measure what recording costs: the run records by turns, for a tenth of a second each, and "
      "saves nothing" },
    { 0 },
};

const struct esse_run_args *esse_run_args(void)
{
    return &o;
}

/* ---- lists for people ---- */

int esse_run_print_workloads(void)
{
    for (size_t i = 0; esse_workloads[i]; i++)
        printf("%-14s%s\n", esse_workloads[i]->name, esse_workloads[i]->meaning);
    return fflush(stdout) == 0 ? ESSE_EXIT_HOLDS : ESSE_EXIT_IO;
}

int esse_run_print_targets(void)
{
    for (size_t i = 0; esse_drivers[i]; i++) {
        const struct esse_driver *driver = esse_drivers[i];
        printf("%s%s: %s\n", i ? "\n" : "", driver->name, driver->summary);
        for (const char *at = driver->parameters; at && *at;) {
            int length = (int)strcspn(at, "\n");
            printf("  ?%.*s\n", length, at);
            at += length + (at[length] == '\n');
        }
        for (const struct esse_claim *row = driver->claims; row->setting; row++)
            printf("  --isolation %-21s claims %s (%s)\n", row->setting, row->level, row->source);
    }
    return fflush(stdout) == 0 ? ESSE_EXIT_HOLDS : ESSE_EXIT_IO;
}

/* ---- from the command line to options ---- */

static const char *driver_list(struct esse_arena *arena)
{
    const char *list = "";
    for (size_t i = 0; esse_drivers[i]; i++)
        list = esse_arena_format(arena, "%s%s%s:", list, i ? ", " : "", esse_drivers[i]->name);
    return list;
}

static const char *setting_list(struct esse_arena *arena, const struct esse_driver *driver)
{
    const char *list = "";
    for (const struct esse_claim *row = driver->claims; row->setting; row++)
        list = esse_arena_format(arena, "%s%s%s", list, *list ? ", " : "", row->setting);
    return list;
}

static bool find_isolation(struct esse_arena *arena, const struct esse_run_args *args,
                           const struct esse_preference *preferred, struct esse_live_options *live,
                           struct esse_error *err)
{
    const struct esse_driver *driver = live->driver;
    const char *setting =
        args->isolation ? args->isolation : esse_url_parameter(live->url, "level");
    live->isolation =
        !setting && preferred->claim ? preferred->claim : esse_claim_find(driver, setting);
    return live->isolation || esse_fail(err, ESSE_EUSAGE, "%s: has no isolation '%s'; there is %s",
                                        driver->name, setting, setting_list(arena, driver));
}

static bool find_target(struct esse_arena *arena, const struct esse_run_args *args,
                        const char *text, struct esse_url *url, struct esse_preference *preferred,
                        struct esse_live_options *live, struct esse_error *err)
{
    if (!esse_url_parse(arena, text, url, err))
        return false;
    live->url = url;
    live->driver = esse_driver_of(url);
    if (!live->driver)
        return esse_fail(err, ESSE_EUSAGE, "no driver for %s: targets; there are %s", url->scheme,
                         driver_list(arena));
    if (live->driver->prefer)
        *preferred = live->driver->prefer(arena, url);
    return find_isolation(arena, args, preferred, live, err);
}

static double share_of(double given, double by_workload)
{
    return isnan(given) ? by_workload : given;
}

static uint64_t count_of(uint64_t given, uint64_t by_workload)
{
    return given == ESSE_NOT_GIVEN ? by_workload : given;
}

static bool find_distribution(const struct esse_run_args *args,
                              const struct esse_live_workload *workload, double *theta,
                              struct esse_error *err)
{
    static const double usual = 0.99;
    const double default_theta = workload->defaults.zipf_theta;
    const bool is_zipf = args->distribution ? strcmp(args->distribution, "zipf") == 0
                                            : default_theta > 0 || args->zipf_theta > 0;
    if (args->distribution && !is_zipf && strcmp(args->distribution, "uniform") != 0)
        return esse_fail(err, ESSE_EUSAGE, "unknown distribution '%s'; expected uniform or zipf",
                         args->distribution);
    *theta = is_zipf ? share_of(args->zipf_theta, default_theta > 0 ? default_theta : usual) : 0;
    return (*theta >= 0 && *theta <= 10) ||
           esse_fail(err, ESSE_EUSAGE, "--zipf-theta must be from 0 to 10");
}

bool esse_run_does_all(const struct esse_run_args *args)
{
    return args->workload && strcmp(args->workload, "all") == 0;
}

bool esse_run_set_workload(const struct esse_run_args *args, struct esse_live_options *live,
                           const struct esse_live_workload *workload, const char *file,
                           struct esse_error *err)
{
    assert(workload);
    const struct esse_workload_options *by = &workload->defaults;
    live->workload = workload;
    live->work = *by;
    live->work.sessions = count_of(args->sessions, ESSE_USUAL_SESSIONS);
    live->work.keys = count_of(args->keys, by->keys);
    live->work.ops = count_of(args->ops, by->ops);
    live->work.max_writes = count_of(args->max_writes, by->max_writes);
    live->work.read_share = share_of(args->read_share, by->read_share);
    live->work.predicate_share = share_of(args->predicate_share, by->predicate_share);
    live->work.abort_share = args->abort_share;
    live->work.seed = args->seed;
    live->work.file = file;
    return find_distribution(args, workload, &live->work.zipf_theta, err);
}

static bool find_workload(const struct esse_run_args *args, const struct esse_preference *preferred,
                          struct esse_live_options *live, struct esse_error *err)
{
    const char *name = args->workload && !esse_run_does_all(args) ? args->workload
                       : preferred->workload                      ? preferred->workload
                                                                  : "list-append";
    const char *file = strncmp(name, "sql:", 4) == 0 ? name + 4 : NULL;
    return esse_run_set_workload(args, live, esse_workload_find(name), file, err);
}

bool esse_run_check_args(const struct esse_run_args *args, struct esse_error *err)
{
    const struct {
        const char *name;
        double value;
    } shares[] = { { "read-share", args->read_share },
                   { "predicate-share", args->predicate_share },
                   { "abort-share", args->abort_share } };
    if (args->workload && !esse_run_does_all(args) && !esse_workload_find(args->workload))
        return esse_fail(err, ESSE_EUSAGE, "unknown workload '%s'; --workload help lists them",
                         args->workload);
    if (!esse_failing_is_sane(&args->failing, err))
        return false;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (shares[i].value < 0 || shares[i].value > 1)
            return esse_fail(err, ESSE_EUSAGE, "--%s must be from 0 to 1", shares[i].name);
    if (args->sessions != ESSE_NOT_GIVEN && (args->sessions < 1 || args->sessions > 10000))
        return esse_fail(err, ESSE_EUSAGE, "--sessions must be from 1 to 10000");
    if (args->measure_recording && args->out)
        return esse_fail(err, ESSE_EUSAGE, "--measure-recording saves nothing; no --out, please");
    if (args->repeat == 0)
        return esse_fail(err, ESSE_EUSAGE, "--repeat must be at least 1");
    if (args->txns == 0)
        return esse_fail(err, ESSE_EUSAGE, "--txns must be at least 1");
    if (args->duration <= 0)
        return esse_fail(err, ESSE_EUSAGE, "--duration must be more than nothing");
    return true;
}

bool esse_run_find(struct esse_arena *arena, const struct esse_run_args *args, const char *target,
                   struct esse_url *url, struct esse_live_options *live, bool *is_workload_open,
                   struct esse_error *err)
{
    *live = (struct esse_live_options){ .txns = count_of(args->txns, 0),
                                        .seconds = share_of(args->duration, 0),
                                        .think = args->think,
                                        .timeout = args->timeout,
                                        .patience = args->patience,
                                        .threads =
                                            args->threads < UINT_MAX ? (unsigned)args->threads : 0,
                                        .no_certificate =
                                            args->no_certificate || args->measure_recording,
                                        .by_turns = args->measure_recording };
    if (!live->txns && !(live->seconds > 0))
        live->seconds = esse_run_does_all(args) ? default_seconds_of_all : default_seconds;
    struct esse_preference preferred = { 0 };
    if (!find_target(arena, args, target, url, &preferred, live, err))
        return false;
    *is_workload_open = !args->workload && !preferred.workload;
    return find_workload(args, &preferred, live, err);
}

/* The target, or what starts it. */
const char *esse_run_target_again(struct esse_arena *arena, const struct esse_run_args *args,
                                  const struct esse_live_options *live)
{
    if (!args->spawn)
        return esse_shell_quoted(arena, live->url->shown);
    const char *text =
        esse_arena_format(arena, "--spawn %s", esse_shell_quoted(arena, args->spawn));
    if (args->nodes)
        text = esse_arena_format(arena, "%s --nodes %" PRIu64, text, args->nodes);
    if (*args->faults)
        text = esse_arena_format(arena, "%s --faults %s --fault-every %gs", text, args->faults,
                                 args->fault_every);
    return text;
}
