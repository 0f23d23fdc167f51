#include "base/arena.h"
#include "base/outfile.h"
#include "cli/checking.h"
#include "cli/rundir.h"
#include "collect/live.h"
#include "report/report_evidence.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOT_GIVEN UINT64_MAX

/* Where the command lines of run and collect put their values; those NOT_GIVEN or NAN depend on
 * the workload. */
static struct {
    const char *workload, *distribution, *isolation, *out, *level, *spawn, *faults;
    uint64_t sessions, txns, ops, keys, max_writes, seed, repeat, threads, memory, nodes;
    double duration, zipf_theta, read_share, predicate_share, abort_share;
    double think, timeout, patience, budget, fault_every;
    bool no_certificate, no_recording, until_violation, quiet, json, verbose;
} o = {
    .workload = "list-append",
    .sessions = 8,
    .ops = NOT_GIVEN,
    .keys = NOT_GIVEN,
    .max_writes = NOT_GIVEN,
    .seed = 1,
    .repeat = NOT_GIVEN,
    .zipf_theta = NAN,
    .read_share = NAN,
    .predicate_share = NAN,
    .abort_share = 0.02,
    .timeout = 10,
    .faults = "",
    .fault_every = 2,
    .patience = 30,
};

static const double default_seconds = 3;

static const char *const workload_choices[] = {
    "list-append", "rw-register", "predicate", "bank",      "long-fork",
    "write-skew",  "blindw-rh",   "blindw-rw", "blindw-wh", "blindw-pred",
    "smallbank",   "ycsb-a",      "ycsb-b",    "ycsb-f",    "twitter",
    "rubis",       "tpcc",        "sql",       NULL
};
static const char *const spawn_choices[] = { "postgresql", "mariadb", "galera", "etcd", NULL };
static const char *const fault_choices[] = { "kill", "pause", "partition", "restart", NULL };
static const char *const distributions[] = { "uniform", "zipf", NULL };

#define COLLECT_OPTIONS                                                                               \
    { "workload",      'w', ESSE_OPT_TEXT,                                                            \
      &o.workload,     "W", "what the sessions do (default: list-append); 'help' lists them",         \
      workload_choices },                                                                             \
        { "sessions", 's', ESSE_OPT_COUNT, &o.sessions, "N", "clients at work (default: 8)", NULL },  \
        { "txns",  'n', ESSE_OPT_COUNT,                                                               \
          &o.txns, "N", "so many transactions, refused ones included (default: by --duration)",       \
          NULL },                                                                                     \
        { "duration",  'd',    ESSE_OPT_DURATION,                                                     \
          &o.duration, "TIME", "as many as fit (default: 3s, unless --txns is given)",                \
          NULL },                                                                                     \
        { "isolation",  'i', ESSE_OPT_TEXT,                                                           \
          &o.isolation, "I", "the isolation to ask the database for (default: its strongest)",        \
          NULL },                                                                                     \
        { "ops",  0,   ESSE_OPT_COUNT,                                                                \
          &o.ops, "N", "operations of a transaction (default: by workload)",                          \
          NULL },                                                                                     \
        { "keys", 0, ESSE_OPT_COUNT, &o.keys, "N", "rows in use (default: by workload)", NULL },      \
        { "max-writes-per-key",                                                                       \
          0,                                                                                          \
          ESSE_OPT_COUNT,                                                                             \
          &o.max_writes,                                                                              \
          "N",                                                                                        \
          "then a fresh row takes the place; 0: never (default: list-append 64, others 0)",           \
          NULL },                                                                                     \
        { "distribution",  0,   ESSE_OPT_TEXT,                                                        \
          &o.distribution, "D", "of the rows (default: uniform; ycsb and twitter zipf)",              \
          distributions },                                                                            \
        { "zipf-theta", 0, ESSE_OPT_REAL, &o.zipf_theta, "X", "skew of zipf (default: 0.99)", NULL }, \
        { "read-share",                                                                               \
          0,                                                                                          \
          ESSE_OPT_REAL,                                                                              \
          &o.read_share,                                                                              \
          "X",                                                                                        \
          "reads among operations, or readers among transactions (default: by workload)",             \
          NULL },                                                                                     \
        { "predicate-share",                                                                          \
          0,                                                                                          \
          ESSE_OPT_REAL,                                                                              \
          &o.predicate_share,                                                                         \
          "X",                                                                                        \
          "predicates among operations (default: by workload)",                                       \
          NULL },                                                                                     \
        { "abort-share", 0,                                                                           \
          ESSE_OPT_REAL, &o.abort_share,                                                              \
          "X",           "transactions that their client rolls back (default: 0.02)",                 \
          NULL },                                                                                     \
        { "think",  0,      ESSE_OPT_DURATION,                                                        \
          &o.think, "TIME", "pause between transactions, on average (default: 0)",                    \
          NULL },                                                                                     \
        { "timeout",  0,      ESSE_OPT_DURATION,                                                      \
          &o.timeout, "TIME", "hang up on a request that takes longer (default: 10s)",                \
          NULL },                                                                                     \
        { "patience",  0,      ESSE_OPT_DURATION,                                                     \
          &o.patience, "TIME", "how long a database may be away during the run (default: 30s)",       \
          NULL },                                                                                     \
        { "threads",  0,   ESSE_OPT_COUNT,                                                            \
          &o.threads, "N", "work on N threads (default: one for each processor)",                     \
          NULL },                                                                                     \
        { "seed", 0, ESSE_OPT_COUNT, &o.seed, "N", "of what sessions draw (default: 1)", NULL },      \
        { "no-certificate",                                                                           \
          0,                                                                                          \
          ESSE_OPT_FLAG,                                                                              \
          &o.no_certificate,                                                                          \
          NULL,                                                                                       \
          "do not ask the database for the order of versions",                                        \
          NULL },                                                                                     \
        { "spawn",       0,                                                                           \
          ESSE_OPT_TEXT, &o.spawn,                                                                    \
          "SERVER",      "start a private server for the run: postgresql, mariadb, galera or etcd",   \
          spawn_choices },                                                                            \
        { "nodes", 0, ESSE_OPT_COUNT, &o.nodes, "N", "of that server (default: galera 3, others 1)",  \
          NULL },                                                                                     \
        { "faults",                                                                                   \
          0,                                                                                          \
          ESSE_OPT_TEXT,                                                                              \
          &o.faults,                                                                                  \
          "F[,F...]",                                                                                 \
          "what happens to that server: kill (-9, and a new start), pause, partition, restart",       \
          fault_choices },                                                                            \
        { "fault-every", 0, ESSE_OPT_DURATION, &o.fault_every, "TIME", "on average (default: 2s)",    \
          NULL },                                                                                     \
        { "out",  'o',   ESSE_OPT_TEXT,                                                               \
          &o.out, "DIR", "the run directory (default: esse-runs/DATE-TARGET-WORKLOAD)",               \
          NULL },                                                                                     \
        { "repeat",  0,   ESSE_OPT_COUNT,                                                             \
          &o.repeat, "N", "so many runs, with seeds that follow each other",                          \
          NULL },                                                                                     \
    {                                                                                                 \
        "quiet", 'q', ESSE_OPT_FLAG, &o.quiet, NULL, "no warnings, no progress line", NULL            \
    }

static const struct esse_opt run_options[] = {
    COLLECT_OPTIONS,
    { "until-violation", 0, ESSE_OPT_FLAG, &o.until_violation, NULL,
      "repeat until a level is violated, --repeat times at most", NULL },
    { "level", 'l', ESSE_OPT_TEXT, &o.level, "L[,L...]",
      "the levels to check (default: what the database claims), or all", NULL },
    { "budget", 'b', ESSE_OPT_DURATION, &o.budget, "TIME",
      "give the check up after this time, with the verdict unknown", NULL },
    { "memory", 'm', ESSE_OPT_SIZE, &o.memory, "SIZE",
      "give the check up when more memory is needed", NULL },
    { "json", 'j', ESSE_OPT_FLAG, &o.json, NULL, "print one JSON object for each run", NULL },
    { "verbose", 'v', ESSE_OPT_FLAG, &o.verbose, NULL,
      "say which engine was chosen and why, and show more occurrences", NULL },
    { 0 },
};
static const struct esse_opt collect_options[] = {
    COLLECT_OPTIONS,
    { "no-recording", 0, ESSE_OPT_FLAG, &o.no_recording, NULL,
      "for experiments: the same load, and nothing is written down", NULL },
    { 0 },
};

/* ---- lists for people ---- */

static int print_workloads(void)
{
    for (size_t i = 0; esse_workloads[i]; i++)
        printf("%-14s%s\n", esse_workloads[i]->name, esse_workloads[i]->meaning);
    return fflush(stdout) == 0 ? ESSE_EXIT_HOLDS : ESSE_EXIT_IO;
}

static int print_targets(void)
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

static bool find_target(struct esse_arena *arena, const char *text, struct esse_url *url,
                        struct esse_live_options *live, struct esse_error *err)
{
    if (!esse_url_parse(arena, text, url, err))
        return false;
    live->url = url;
    live->driver = esse_driver_of(url);
    if (!live->driver)
        return esse_fail(err, ESSE_EUSAGE, "no driver for %s: targets; there are %s", url->scheme,
                         driver_list(arena));
    const char *setting = o.isolation ? o.isolation : esse_url_parameter(url, "level");
    live->isolation = esse_claim_find(live->driver, setting);
    return live->isolation ||
           esse_fail(err, ESSE_EUSAGE, "%s: has no isolation '%s'; there is %s", live->driver->name,
                     setting, setting_list(arena, live->driver));
}

static double share_of(double given, double by_workload)
{
    return isnan(given) ? by_workload : given;
}

static uint64_t count_of(uint64_t given, uint64_t by_workload)
{
    return given == NOT_GIVEN ? by_workload : given;
}

static bool find_distribution(const struct esse_live_workload *workload, double *theta,
                              struct esse_error *err)
{
    static const double usual = 0.99;
    const double default_theta = workload->defaults.zipf_theta;
    const bool is_zipf = o.distribution ? strcmp(o.distribution, "zipf") == 0
                                        : default_theta > 0 || o.zipf_theta > 0;
    if (o.distribution && !is_zipf && strcmp(o.distribution, "uniform") != 0)
        return esse_fail(err, ESSE_EUSAGE, "unknown distribution '%s'; expected uniform or zipf",
                         o.distribution);
    *theta = is_zipf ? share_of(o.zipf_theta, default_theta > 0 ? default_theta : usual) : 0;
    return (*theta >= 0 && *theta <= 10) ||
           esse_fail(err, ESSE_EUSAGE, "--zipf-theta must be from 0 to 10");
}

static bool find_workload(struct esse_live_options *live, struct esse_error *err)
{
    const struct esse_live_workload *workload = esse_workload_find(o.workload);
    if (!workload)
        return esse_fail(err, ESSE_EUSAGE, "unknown workload '%s'; --workload help lists them",
                         o.workload);
    const struct esse_workload_options *by = &workload->defaults;
    live->workload = workload;
    live->work = (struct esse_workload_options){
        .sessions = o.sessions,
        .keys = count_of(o.keys, by->keys),
        .ops = count_of(o.ops, by->ops),
        .max_writes = count_of(o.max_writes, by->max_writes),
        .read_share = share_of(o.read_share, by->read_share),
        .predicate_share = share_of(o.predicate_share, by->predicate_share),
        .abort_share = o.abort_share,
        .seed = o.seed,
        .file = strncmp(o.workload, "sql:", 4) == 0 ? o.workload + 4 : NULL,
    };
    return find_distribution(workload, &live->work.zipf_theta, err);
}

static bool check_ranges(const struct esse_live_options *live, struct esse_error *err)
{
    const struct {
        const char *name;
        double value;
    } shares[] = { { "read-share", live->work.read_share },
                   { "predicate-share", live->work.predicate_share },
                   { "abort-share", live->work.abort_share } };
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (!(shares[i].value >= 0 && shares[i].value <= 1))
            return esse_fail(err, ESSE_EUSAGE, "--%s must be from 0 to 1", shares[i].name);
    if (o.sessions < 1 || o.sessions > 10000)
        return esse_fail(err, ESSE_EUSAGE, "--sessions must be from 1 to 10000");
    if (o.repeat == 0)
        return esse_fail(err, ESSE_EUSAGE, "--repeat must be at least 1");
    return true;
}

static bool find_options(struct esse_arena *arena, const char *target, struct esse_url *url,
                         struct esse_live_options *live, struct esse_error *err)
{
    *live = (struct esse_live_options){ .txns = o.txns,
                                        .seconds = o.duration,
                                        .think = o.think,
                                        .timeout = o.timeout,
                                        .patience = o.patience,
                                        .threads = o.threads < UINT_MAX ? (unsigned)o.threads : 0,
                                        .no_certificate = o.no_certificate };
    if (!o.txns && !(o.duration > 0))
        live->seconds = default_seconds;
    return find_target(arena, target, url, live, err) && find_workload(live, err) &&
           check_ranges(live, err);
}

/* The target, or what starts it. */
static const char *target_again(struct esse_arena *arena, const struct esse_live_options *live)
{
    if (!o.spawn)
        return esse_shell_quoted(arena, live->url->shown);
    const char *text = esse_arena_format(arena, "--spawn %s", o.spawn);
    if (o.nodes)
        text = esse_arena_format(arena, "%s --nodes %" PRIu64, text, o.nodes);
    if (*o.faults)
        text = esse_arena_format(arena, "%s --faults %s --fault-every %gs", text, o.faults,
                                 o.fault_every);
    return text;
}

/* ---- one run ---- */

struct running {
    struct esse_session session;
    struct esse_arena *arena; /* of one run */
    const struct esse_command *command;
    bool checks;
    const char *level;
    struct esse_live_options live;
    struct esse_url url;
    struct esse_rundir dir;
    struct esse_live_summary summary;
    const char *product;
    struct esse_out out;
    struct esse_spawned *spawned; /* NULL: the database is somebody else's */
    unsigned fault_kinds;
};

static void show_progress(void *context, const struct esse_live_progress *now)
{
    struct running *r = context;
    esse_session_line(&r->session,
                      "collecting, %.0f s: %" PRIu64 " committed (%.0f/s), %" PRIu64
                      " aborted, %" PRIu64 " unknown",
                      now->seconds, now->tally.committed,
                      now->seconds > 0 ? (double)now->tally.committed / now->seconds : 0,
                      now->tally.aborted, now->tally.unknown);
}

static void put_summary(struct esse_out *out, const struct running *r)
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
    for (unsigned i = 0; r->live.faults && i < ESSE_FAULTS; i++)
        if (r->fault_kinds & 1u << i)
            esse_out_f(out, "  %s %" PRIu64 " times\n", esse_fault_names[i],
                       esse_faults_count(r->live.faults, (enum esse_fault)i));
    if (!s->no_certificate)
        esse_out_f(out, "  order of %" PRIu64 " %s from %s\n",
                   r->live.work.file ? s->commits : s->versions,
                   r->live.work.file ? "commits" : "versions", r->live.driver->certificate->source);
    else if (!o.no_certificate && r->live.driver->certificate)
        esse_out_f(out, "  no order of versions: %s\n", s->no_certificate);
}

/* The answer goes to standard output, and there with JSON only that. */
static int say_summary(struct running *r)
{
    struct esse_out chatter;
    struct esse_error err = { 0 };
    if (!o.json) {
        put_summary(&r->out, r);
        return 0;
    }
    esse_out_init_fd(&chatter, r->arena, STDERR_FILENO);
    if (!o.quiet)
        put_summary(&chatter, r);
    return esse_out_finish(&chatter, &err) ? 0 : esse_cli_fail(NULL, &err);
}

/* faults.jsonl: what was done to the server, and when. */
static bool collect_with_faults(struct running *r, struct esse_live *live, int history,
                                struct esse_error *err)
{
    struct esse_outfile file;
    const char *path = esse_rundir_file(r->arena, &r->dir, "faults.jsonl");
    if (!r->fault_kinds)
        return esse_live_collect(live, history, r->dir.certificate, &r->summary, err);
    if (!esse_outfile_open(&file, r->arena, path, err))
        return false;
    r->live.faults = esse_faults_new(r->arena, r->spawned, r->fault_kinds, o.fault_every,
                                     r->live.work.seed, &file.out);
    const bool ok = esse_live_collect(live, history, r->dir.certificate, &r->summary, err);
    struct esse_error late = { 0 };
    return esse_outfile_commit(&file, ok ? err : &late) && ok;
}

static bool collect(struct running *r, struct esse_error *err)
{
    struct esse_live live;
    int history = -1;
    if (!esse_live_open(r->arena, &r->live, &live, err))
        return false;
    r->product = esse_arena_format(r->arena, "%s", live.description.product);
    const char *again = esse_rundir_again(r->arena, &r->live, target_again(r->arena, &r->live),
                                          r->checks ? r->level : NULL);
    const bool may_certify = r->live.driver->certificate && !o.no_certificate;
    bool ok = esse_rundir_make(&r->dir, &history, err) &&
              esse_rundir_describe(r->arena, &r->dir, &live, r->level, again,
                                   esse_rundir_check(r->arena, r->level, may_certify), err) &&
              collect_with_faults(r, &live, o.no_recording ? -1 : history, err);
    if (history >= 0)
        close(history);
    esse_live_close(&live);
    esse_session_clear(&r->session);
    return ok;
}

static void write_text(struct esse_out *out, const struct esse_report *report)
{
    struct esse_report plain = *report;
    plain.colour = false;
    esse_report_text(out, &plain);
}

static int save_verdict(struct running *r, const struct esse_report *report)
{
    const struct {
        const char *name;
        void (*write)(struct esse_out *out, const struct esse_report *report);
    } files[] = { { "verdict.txt", write_text },
                  { "verdict.json", esse_report_json },
                  { "evidence.json", esse_report_evidence } };
    int status = 0;
    for (size_t i = 0; !status && i < sizeof files / sizeof *files; i++)
        status = esse_checking_write(r->arena, esse_rundir_file(r->arena, &r->dir, files[i].name),
                                     report, files[i].write);
    return status;
}

static int check(struct running *r)
{
    const unsigned threads = o.threads < UINT_MAX ? (unsigned)o.threads : UINT_MAX;
    struct esse_checking checking = { .command = "run",
                                      .session = &r->session,
                                      .load = { .budget = &r->session.budget, .threads = threads },
                                      .check = { .budget = &r->session.budget, .threads = threads },
                                      .verbose = o.verbose };
    struct esse_checked checked;
    checking.load.certificate = r->summary.no_certificate ? NULL : r->dir.certificate;
    checking.check.levels = esse_session_names(r->arena, r->level, &checking.check.level_count);
    esse_session_start(&r->session, o.budget, o.memory, o.quiet);
    int status = esse_checking_run(&checking, r->arena, r->dir.history, &checked);
    if (!checked.has_report && !checked.stopped)
        return status;
    esse_checked_put(&r->out, &checking, r->dir.history, &checked, o.json);
    const int saved = checked.has_report ? save_verdict(r, &checked.report) : 0;
    return saved ? saved : status;
}

static int run_once(struct running *r)
{
    struct esse_error err = { 0 };
    esse_session_start(&r->session, 0, 0, o.quiet);
    r->live.budget = &r->session.budget;
    r->live.progress = show_progress;
    r->live.context = r;
    if (!collect(r, &err))
        return err.code == ESSE_EUSAGE
                   ? esse_cli_usage(r->command->name, "%s", err.text)
                   : esse_cli_fail(err.code == ESSE_EINPUT ? r->live.work.file : NULL, &err);
    int status = say_summary(r);
    if (r->summary.is_interrupted) {
        fprintf(stderr, "esse: interrupted; %s can be checked\n", r->dir.history);
        return ESSE_EXIT_UNKNOWN;
    }
    if (!status && r->checks)
        status = check(r);
    if (!o.json)
        esse_out_f(&r->out, "saved in %s\n", r->dir.path);
    else if (!o.quiet)
        fprintf(stderr, "saved in %s\n", r->dir.path);
    return status;
}

/* ---- the commands ---- */

static bool goes_on(int status, uint64_t done)
{
    if (status != ESSE_EXIT_HOLDS && status != ESSE_EXIT_UNKNOWN && status != ESSE_EXIT_VIOLATED)
        return false;
    if (o.until_violation && status == ESSE_EXIT_VIOLATED)
        return false;
    return done < (o.repeat != NOT_GIVEN ? o.repeat : o.until_violation ? UINT64_MAX : 1);
}

static int run_number(struct running *r, const char *base, uint64_t number)
{
    const uint64_t seed = r->live.work.seed;
    r->arena = esse_arena_new();
    esse_out_init_fd(&r->out, r->arena, STDOUT_FILENO);
    r->live.work.seed += number ? number - 1 : 0;
    esse_rundir_name(r->arena, base, number, &r->dir);
    int status = esse_session_answer(&r->out, run_once(r));
    r->live.work.seed = seed;
    esse_arena_free(r->arena);
    return status;
}

static int run_all(struct running *r, const char *base)
{
    const bool is_many = o.repeat != NOT_GIVEN || o.until_violation;
    int status = ESSE_EXIT_HOLDS;
    uint64_t done = 0;
    do {
        done++;
        status = esse_session_worse(status, run_number(r, base, is_many ? done : 0));
    } while (goes_on(status, done) && !r->session.budget.cancel);
    return status;
}

/* A server of our own, if one is wanted: it becomes the target. */
static bool find_server(struct running *r, struct esse_arena *arena, int count, const char **target,
                        struct esse_error *err)
{
    if (!esse_faults_parse(o.faults, &r->fault_kinds, err))
        return false;
    if (!o.spawn)
        return (!r->fault_kinds && !o.nodes) ||
               esse_fail(err, ESSE_EUSAGE,
                         "--faults and --nodes are for servers that --spawn starts");
    if (count)
        return esse_fail(err, ESSE_EUSAGE, "--spawn starts a server of its own; no TARGET, please");
    if (r->fault_kinds && !(o.fault_every > 0))
        return esse_fail(err, ESSE_EUSAGE, "--fault-every must be more than nothing");
    const struct esse_spawner *kind = esse_spawner_find(o.spawn);
    if (!kind)
        return esse_fail(err, ESSE_EUSAGE,
                         "--spawn: unknown server '%s'; there are postgresql, mariadb, galera and "
                         "etcd",
                         o.spawn);
    if (!esse_spawn_start(arena, kind, o.nodes, r->fault_kinds & 1u << ESSE_FAULT_PARTITION,
                          &r->spawned, err))
        return false;
    *target = r->spawned->url;
    return true;
}

static int start(const struct esse_command *command, bool checks, int count, char **operands)
{
    const char *target = count ? operands[0] : "sqlite:";
    struct running r = { .command = command, .checks = checks };
    struct esse_error err = { 0 };
    int status;
    if (strcmp(o.workload, "help") == 0)
        return print_workloads();
    if (strcmp(target, "help") == 0)
        return print_targets();
    struct esse_arena *arena = esse_arena_new();
    if (!find_server(&r, arena, count, &target, &err) ||
        !find_options(arena, target, &r.url, &r.live, &err)) {
        status = err.code == ESSE_EUSAGE ? esse_cli_usage(command->name, "%s", err.text)
                                         : esse_cli_fail(NULL, &err);
    } else {
        r.level = o.level ? o.level : r.live.isolation->level;
        status = run_all(
            &r,
            o.out ? o.out : esse_rundir_base(arena, r.live.driver->name, r.live.workload->name));
    }
    if (r.spawned)
        esse_spawn_stop(r.spawned);
    esse_arena_free(arena);
    return status;
}

extern const struct esse_command esse_command_run, esse_command_collect;

static int run_command(int count, char **operands)
{
    return start(&esse_command_run, true, count, operands);
}

static int collect_command(int count, char **operands)
{
    return start(&esse_command_collect, false, count, operands);
}

#define TARGETS                                                                                    \
    "TARGET is a URL: sqlite:PATH (by default a private temporary file), postgresql://..., "       \
    "mysql://..., galera://..., etcd://..., redis://..., or memory: (a small store in this "       \
    "process, for trying things "                                                                  \
    "out). 'esse run help' lists them with what the "                                              \
    "URL may say, the isolation that can be asked for, and the level that the database's "         \
    "documentation claims for it. Several hosts, separated by commas, are spread over the "        \
    "sessions. What is secret in a URL is shown nowhere and saved nowhere.\n\n"                    \
    "The workload is one of 'esse run --workload help'. Every value written is unique, so that "   \
    "a read names its writer. Tables are called esse_..., and are removed afterwards. sql:FILE "   \
    "runs transactions of your own on tables of your own (docs/workload-files.md).\n\n"

#define SAVED                                                                                      \
    "The run directory holds the history (streamed while the run goes on), the order of "          \
    "versions if the database tells it, the configuration, version and settings of the "           \
    "database, and a README with the command that repeats the run."

const struct esse_command esse_command_run = {
    .name = "run",
    .operands = "[TARGET]",
    .summary = "does a live database keep its promise?",
    .details =
        "Runs a workload against a database, records what every session saw, and checks the "
        "history, as 'esse check' does, against the level that the database claims.\n\n" TARGETS
            SAVED " And the verdict, as text and as JSON, with its evidence.\n\n"
        "Exit status: 0 every level holds, 1 some level is violated, 2 unknown, 64 bad usage, 69 "
        "the database cannot be reached (nothing is left behind), 70 a verdict failed its recheck, "
        "74 input/output error.",
    .examples =
        "  esse run                                      # SQLite, serializable\n"
        "  esse run sqlite: --isolation read-uncommitted --level read-committed # dirty reads\n"
        "  esse run sqlite:/tmp/my.db -w bank -d 10s     # the bank, in a file of yours\n"
        "  esse run 'memory:?level=snapshot-isolation' -l serializable # write skew\n"
        "  esse run --workload predicate --until-violation --repeat 100",
    .options = run_options,
    .least = 0,
    .most = 1,
    .run = run_command,
};

const struct esse_command esse_command_collect = {
    .name = "collect",
    .operands = "[TARGET]",
    .summary = "record a history from a live database",
    .details = "As 'esse run', without the check.\n\n" TARGETS SAVED
               "\n\nExit status: 0 recorded, 2 interrupted, 64 bad usage, 69 the database cannot "
               "be reached (nothing is left behind), 74 input/output error.",
    .examples = "  esse collect -n 10k -o first          # into first/history.jsonl\n"
                "  esse collect sqlite: -w tpcc -d 1m    # a minute of TPC-C's mix",
    .options = collect_options,
    .least = 0,
    .most = 1,
    .run = collect_command,
};
