#include "base/arena.h"
#include "base/out.h"
#include "cli/running.h"
#include "cli/session.h"
#include "cli/watching.h"
#include "level/level.h"

#include <string.h>
#include <unistd.h>

static struct {
    const char *profile, *format, *out, *level, *fail_on;
    uint64_t keep, windows;
    uint64_t resolution, skew, lateness;
    bool exclusive, follow, json, quiet, stop, no_joint, no_windows;
} o = { .windows = 20000,
        .fail_on = "mechanism",
        .resolution = UINT64_MAX,
        .skew = UINT64_MAX,
        .lateness = UINT64_MAX,
        .keep = 64u << 20 };

static const char *const fail_choices[] = { "mechanism", "level", NULL };

static struct esse_run_args run = ESSE_RUN_ARGS_DEFAULTS;

static const struct esse_opt options[] = {
    { "profile", 'p', ESSE_OPT_TEXT, &o.profile, "P",
      "how the database does it: DBMS/LEVEL, a row of your own (cr=T,at=F,...), or help" },
    { "resolution", 0, ESSE_OPT_COUNT, &o.resolution, "T",
      "a reading t of the clock means [t, t+T), in the trace's unit (default: what the trace says, "
      "or 1)" },
    { "skew", 0, ESSE_OPT_COUNT, &o.skew, "T",
      "every clock is within T of one reference (default: what the trace says, or 0)" },
    { "lateness", 0, ESSE_OPT_COUNT, &o.lateness, "T",
      "assume that no event comes later than T of the trace's time (default: nothing is assumed)" },
    { "exclusive", 0, ESSE_OPT_FLAG, &o.exclusive, NULL,
      "nobody else writes: a value of no known writer is a violation" },
    { "level", 'l', ESSE_OPT_TEXT, &o.level, "L",
      "the level that windows of the trace are checked at (default: what the profile promises)" },
    { "windows", 0, ESSE_OPT_COUNT, &o.windows, "N",
      "check the level of so many transactions at a time (default: 20000)" },
    { "no-windows", 0, ESSE_OPT_FLAG, &o.no_windows, NULL, "mirror the mechanisms only" },
    { "fail-on", 0, ESSE_OPT_TEXT, &o.fail_on, "WHAT",
      "what exit status 1 is for: mechanism (or a level), or level alone", fail_choices },
    { "no-joint", 0, ESSE_OPT_FLAG, &o.no_joint, NULL,
      "each mechanism alone, pair by pair: faster, and misses what only follows together" },
    { "out", 'o', ESSE_OPT_TEXT, &o.out, "DIR",
      "write findings as folders, which esse verify rechecks (the first 10 of each mechanism)" },
    { "keep", 0, ESSE_OPT_SIZE, &o.keep, "SIZE",
      "keep so much of the events for --out (default: 64M)" },
    { "follow", 'F', ESSE_OPT_FLAG, &o.follow, NULL,
      "wait for what is appended to FILE, or to a file that takes its place, until a signal" },
    { "stop", 0, ESSE_OPT_FLAG, &o.stop, NULL, "end at the first violation" },
    ESSE_WORK_OPTIONS(run),
    ESSE_SERVER_OPTIONS(run),
    { "format", 'f', ESSE_OPT_TEXT, &o.format, "F", "trace or native (default: recognised)" },
    { "json", 'j', ESSE_OPT_FLAG, &o.json, NULL, "findings and numbers as JSON, one a line" },
    { "quiet", 'q', ESSE_OPT_FLAG, &o.quiet, NULL, "no warnings, no progress line" },
    { 0 },
};

static int print_profiles(void)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    char room[ESSE_PROFILE_ROOM];
    esse_out_init_fd(&out, arena, STDOUT_FILENO);
    const struct esse_profile *p;
    for (size_t i = 0; (p = esse_profile_at(i)); i++)
        esse_out_f(&out, "%-40s %c  %s\n", p->name, p->seen, esse_profile_row(p, room));
    esse_out_text(&out,
                  "\ncr: one snapshot a transaction (T), statement (S) or row (R, RC); at: it is "
                  "taken by the first\noperation (F), the first plain read (P), BEGIN (B) or "
                  "either (H); me: writes (W) and plain reads\n(+R) lock, of committed ones only "
                  "(c); fuw: first updater wins, at the update (u) or at commit\n(k); sc: the "
                  "certifier; time: it orders all keys (x), one key (k), a session (s); L seen "
                  "live,\nD documentation, U to be confirmed.\n");
    const int status = esse_session_answer(&out, 0);
    esse_arena_free(arena);
    return status;
}

static int64_t time_of(uint64_t given)
{
    return given == UINT64_MAX ? ESSE_NO_TIME : (int64_t)given;
}

/* What windows decide: if the command line does not say, what the profile promises. */
static bool set_level(struct esse_watching *watching)
{
    const struct esse_level *level = o.level ? esse_level_find(o.level) : NULL;
    if (o.level && !level)
        return false;
    watching->level_only = strcmp(o.fail_on, "level") == 0;
    if (o.no_windows)
        return true;
    watching->mirror.window_txns = (uint32_t)o.windows;
    watching->mirror.level = level ? level->id : ESSE_LEVEL_NONE;
    return true;
}

extern const struct esse_command esse_command_watch;

/* A workload is run, and watched in this process. */
static int watch_target(const struct esse_watching *watching, int count, char **operands)
{
    run.profile = o.profile;
    run.json = o.json;
    run.quiet = o.quiet;
    run.watch = true;
    struct esse_running r = {
        .command = &esse_command_watch, .args = &run, .only_watches = true, .watching = *watching
    };
    return esse_run_start(&r, count, operands);
}

/* SCHEME:... of a database, and no file of that name. */
static bool is_target(const char *operand)
{
    char scheme[32];
    const size_t length = strcspn(operand, ":");
    if (!operand[length] || length >= sizeof scheme || access(operand, F_OK) == 0)
        return false;
    memcpy(scheme, operand, length);
    scheme[length] = '\0';
    return esse_driver_find(scheme);
}

static int run_watch(int count, char **operands)
{
    struct esse_profile own;
    struct esse_error err = { 0 };
    struct esse_watching watching = { .path = count ? operands[0] : "-",
                                      .format = o.format,
                                      .out = o.out,
                                      .follow = o.follow,
                                      .json = o.json,
                                      .quiet = o.quiet,
                                      .stop = o.stop,
                                      .mirror = { .resolution = time_of(o.resolution),
                                                  .skew = time_of(o.skew),
                                                  .lateness = time_of(o.lateness),
                                                  .exclusive = o.exclusive,
                                                  .keep_bytes = o.out ? o.keep : 0,
                                                  .pairs_only = o.no_joint } };
    if (o.profile && strcmp(o.profile, "help") == 0)
        return print_profiles();
    if (strcmp(o.fail_on, "mechanism") != 0 && strcmp(o.fail_on, "level") != 0)
        return esse_cli_usage("watch", "--fail-on takes mechanism or level, not '%s'", o.fail_on);
    if (o.windows == 0 || o.windows > 1000000)
        return esse_cli_usage("watch", "--windows takes a number from 1 to 1000000");
    if (!set_level(&watching))
        return esse_cli_usage("watch", "'%s' is no level (esse levels lists them)", o.level);
    if (run.spawn || (count && is_target(operands[0])))
        return watch_target(&watching, count, operands);
    if (o.follow && strcmp(watching.path, "-") == 0)
        return esse_cli_usage("watch", "--follow needs a FILE; standard input is read as it comes");
    if (!o.profile)
        return esse_cli_usage("watch", "--profile says how the database does it: DBMS/LEVEL "
                                       "(--profile help lists them)");
    if (!esse_profile_named(o.profile, &own, &watching.mirror.profile, &err))
        return esse_cli_refuse("watch", NULL, &err);
    if (watching.mirror.window_txns && !o.level)
        watching.mirror.level = watching.mirror.profile->level;
    return esse_watch_file(&watching);
}

const struct esse_command esse_command_watch = {
    .name = "watch",
    .operands = "[FILE|TARGET]",
    .summary = "find out from a trace whether a database's mechanisms work, while it goes by",
    .details =
        "Reads a trace (or a native history with times) from FILE or standard input and mirrors "
        "the "
        "mechanisms by which the database implements its isolation: snapshots, locks, conflict "
        "checks. If no choice of instants inside the recorded intervals explains what was seen, a "
        "mechanism is broken. What is told is certain; what is not certain is counted.\n\n"
        "TARGET is a database as of 'esse run': a workload is run against it and watched in this "
        "process, with the profile of the database and its isolation unless another is given, "
        "until "
        "a signal unless --duration or --txns is given. The options about a workload and a server "
        "are those of 'esse run'.\n\n"
        "Beside that the level that the profile promises is decided by the engines of esse check, "
        "for many transactions at a time (--windows). A mechanism may be broken and the level "
        "satisfied, and the other way round.\n\n"
        "It does not end at a violation. Ctrl-C ends it in good order.\n\n"
        "Exit status: 0 nothing is broken, 1 something is, 2 nothing is broken but part of the "
        "trace could not be decided, 64 bad usage, 65 bad input, 69 the database cannot be "
        "reached, 70 "
        "internal error, 74 input/output error.",
    .examples = "  esse watch --profile postgresql/repeatable-read trace.jsonl\n"
                "  esse watch --follow --profile mysql/read-committed --json trace.jsonl\n"
                "  esse watch postgresql://localhost/test --isolation repeatable-read\n"
                "  esse watch --profile help",
    .options = options,
    .least = 0,
    .most = 1,
    .run = run_watch,
};
