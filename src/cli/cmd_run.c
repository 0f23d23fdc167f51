#include "cli/rotation.h"
#include "cli/running.h"
#include "level/level.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool goes_on(const struct esse_run_args *args, int status, uint64_t done, uint64_t runs)
{
    if (status != ESSE_EXIT_HOLDS && status != ESSE_EXIT_UNKNOWN && status != ESSE_EXIT_VIOLATED)
        return false;
    if (args->until_violation && status == ESSE_EXIT_VIOLATED)
        return false;
    return done < runs;
}

/* 'number' from 1, 0 if there is only one. */
static int run_number(struct esse_running *r, const struct esse_rotation *rotation,
                      const char *base, uint64_t number)
{
    const struct esse_live_options first = r->live;
    struct esse_error err = { 0 };
    int status;
    r->arena = esse_arena_new();
    esse_out_init_fd(&r->out, r->arena, STDOUT_FILENO);
    if (esse_rotation_turn(rotation, number, &r->live, &err)) {
        r->live.work.seed += number ? number - 1 : 0;
        esse_rundir_name(r->arena, base, number, &r->dir);
        status = esse_session_answer(&r->out, esse_run_once(r));
    } else {
        status = esse_cli_usage(r->command->name, "%s", err.text);
    }
    r->live = first;
    esse_arena_free(r->arena);
    return status;
}

/* "violated: list-append, bank", of one pass through all workloads. */
static void tell_workloads(const struct esse_rotation *rotation, const int *statuses)
{
    for (int outcome = ESSE_EXIT_HOLDS; outcome <= ESSE_EXIT_UNKNOWN; outcome++) {
        bool first = true;
        for (unsigned i = 0; i < rotation->count; i++)
            if (statuses[i] == outcome) {
                printf("%s%s", first ? esse_outcome_name((enum esse_outcome)outcome) : "",
                       first ? ": " : ", ");
                printf("%s", rotation->workloads[i]->name);
                first = false;
            }
        if (!first)
            printf("\n");
    }
    fflush(stdout);
}

static int run_all(struct esse_running *r, const struct esse_rotation *rotation, const char *base)
{
    const bool is_many =
        r->args->repeat != ESSE_NOT_GIVEN || rotation->varies || rotation->count > 1;
    const uint64_t runs = esse_rotation_runs(rotation);
    assert(rotation->count <= ESSE_ROTATED);
    int status = ESSE_EXIT_HOLDS, statuses[ESSE_ROTATED];
    uint64_t done = 0;
    for (unsigned i = 0; i < ESSE_ROTATED; i++)
        statuses[i] = -1;
    do {
        done++;
        const int one = run_number(r, rotation, base, is_many ? done : 0);
        int *of = &statuses[(done - 1) % rotation->count];
        *of = *of < 0 ? one : esse_session_worse(*of, one);
        status = esse_session_worse(status, one);
    } while (goes_on(r->args, status, done, runs) && !r->session.budget.cancel);
    if (rotation->shares && r->checks && !r->args->json)
        tell_workloads(rotation, statuses);
    return status;
}

/* A server of our own, if one is wanted: it becomes the target, with what SERVER?... says. */
static bool find_server(struct esse_running *r, struct esse_arena *arena, int count,
                        const char **target, struct esse_error *err)
{
    if (!esse_faults_parse(r->args->faults, &r->fault_kinds, err))
        return false;
    if (!r->args->spawn)
        return (!r->fault_kinds && !r->args->nodes) ||
               esse_fail(err, ESSE_EUSAGE,
                         "--faults and --nodes are for servers that --spawn starts");
    if (count)
        return esse_fail(err, ESSE_EUSAGE, "--spawn starts a server of its own; no TARGET, please");
    if (r->fault_kinds && !(r->args->fault_every > 0))
        return esse_fail(err, ESSE_EUSAGE, "--fault-every must be more than nothing");
    const size_t length = strcspn(r->args->spawn, "?");
    const char *name = esse_arena_text(arena, r->args->spawn, length);
    const struct esse_spawner *kind = esse_spawner_find(name);
    if (!kind)
        return esse_fail(err, ESSE_EUSAGE,
                         "--spawn: unknown server '%s'; there are postgresql, mariadb, galera and "
                         "etcd",
                         name);
    if (!esse_spawn_start(arena, kind, r->args->nodes, r->fault_kinds & 1u << ESSE_FAULT_PARTITION,
                          &r->spawned, err))
        return false;
    *target = esse_arena_format(arena, "%s%s", r->spawned->url, r->args->spawn + length);
    return true;
}

/* Are these levels that can be checked?  The run may take long, so this is asked before. */
static bool know_levels(struct esse_arena *arena, const char *levels, struct esse_error *err)
{
    size_t count;
    const char **names = esse_session_names(arena, levels, &count);
    if (!count)
        return esse_fail(err, ESSE_EUSAGE, "--level: no level is named");
    if (count == 1 && strcmp(names[0], "all") == 0)
        return true;
    for (size_t i = 0; i < count; i++)
        if (!esse_level_named(names[i], err))
            return false;
    return true;
}

static void tell_levels(struct esse_arena *arena, const struct esse_run_args *args)
{
    size_t count;
    const char **names = esse_session_names(arena, args->level, &count);
    esse_session_meant(args->quiet, names, count);
}

/* What a URL says is for the database alone, and 'ps' shows it to all users: the argument is
 * copied, and overwritten from behind its scheme on. */
static const char *take_secretly(struct esse_arena *arena, char *operand)
{
    const char *target = esse_arena_text(arena, operand, strlen(operand));
    char *after = strstr(operand, "://");
    if (after && (strchr(after, '@') || strchr(after, '?')))
        memset(after + 3, '*', strlen(after + 3));
    return target;
}

/* A monitor watches until a signal, unless it is told otherwise. */
static bool find_end(struct esse_running *r, struct esse_error *err)
{
    if (!r->only_watches)
        return true;
    if (r->args->txns == ESSE_NOT_GIVEN && isnan(r->args->duration))
        r->live.seconds = 0;
    r->live.no_certificate = true;
    return !esse_run_does_all(r->args) ||
           esse_fail(err, ESSE_EUSAGE, "one workload is watched at a time, not all");
}

int esse_run_start(struct esse_running *r, int count, char **operands)
{
    const struct esse_command *command = r->command;
    const struct esse_run_args *args = r->args;
    const bool checks = r->checks;
    struct esse_arena *arena = esse_arena_new();
    const char *target = count ? take_secretly(arena, operands[0]) : "sqlite:";
    struct esse_rotation rotation;
    bool is_workload_open = false;
    struct esse_error err = { 0 };
    int status;
    if (args->workload && strcmp(args->workload, "help") == 0) {
        status = esse_run_print_workloads();
    } else if (strcmp(target, "help") == 0) {
        status = esse_run_print_targets();
    } else if ((checks && args->level && !know_levels(arena, args->level, &err)) ||
               !esse_run_check_args(args, &err) || !find_server(r, arena, count, &target, &err) ||
               !esse_run_find(arena, args, target, &r->url, &r->live, &is_workload_open, &err) ||
               !find_end(r, &err)) {
        status = esse_cli_refuse(command->name, NULL, &err);
    } else {
        if (checks && args->level)
            tell_levels(arena, args);
        r->level = args->level ? args->level : r->live.isolation->level;
        esse_rotation_find(&rotation, args, &r->live, is_workload_open);
        const char *name = rotation.count > 1 ? "all" : r->live.workload->name;
        status =
            run_all(r, &rotation,
                    args->out ? args->out : esse_rundir_base(arena, r->live.driver->name, name));
    }
    if (r->spawned)
        esse_spawn_stop(r->spawned);
    esse_arena_free(arena);
    return status;
}

extern const struct esse_command esse_command_run, esse_command_collect;

/* What --watch takes for granted: the clock is one, and it reads nanoseconds. */
static const struct esse_watching usual_watching = { .mirror = { .resolution = ESSE_NO_TIME,
                                                                 .skew = ESSE_NO_TIME,
                                                                 .lateness = ESSE_NO_TIME,
                                                                 .keep_bytes = 64u << 20 } };

static int run_command(int count, char **operands)
{
    struct esse_running r = { .command = &esse_command_run,
                              .args = esse_run_args(),
                              .checks = true };
    r.watching = usual_watching;
    return esse_run_start(&r, count, operands);
}

static int collect_command(int count, char **operands)
{
    struct esse_running r = { .command = &esse_command_collect, .args = esse_run_args() };
    r.watching = usual_watching;
    return esse_run_start(&r, count, operands);
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
    "a read names its writer. 'all' does one after the other, for equal shares of the time. "      \
    "Tables are called esse_..., and are removed afterwards. sql:FILE "                            \
    "runs transactions of your own on tables of your own (docs/workload-files.md).\n\n"

#define SAVED                                                                                      \
    "The run directory holds the history (streamed while the run goes on), the order of "          \
    "versions if the database reports it, the configuration, version and settings of the "         \
    "database, and a README with the command that repeats the run."

const struct esse_command esse_command_run = {
    .name = "run",
    .operands = "[TARGET]",
    .summary = "does a live database keep its promise?",
    .details =
        "Runs a workload against a database, records what every session saw, and checks the "
        "history, as 'esse check' does, against the level that the database claims.\n\n" TARGETS
            SAVED " It also holds the verdict, as text and as JSON, with its evidence, and a "
        "picture of what is wrong.\n\n"
        "Exit status: 0 every level holds, 1 some level is violated, 2 unknown, 64 bad usage, 69 "
        "the database cannot be reached (nothing is left behind), 70 a verdict failed its recheck, "
        "74 input/output error.",
    .examples =
        "  esse run                                      # SQLite, serializable\n"
        "  esse run sqlite: --isolation read-uncommitted --level read-committed # dirty reads\n"
        "  esse run sqlite:/tmp/my.db -w bank -d 10s     # the bank, in a file of yours\n"
        "  esse run 'memory:?level=snapshot-isolation' -l serializable # write skew\n"
        "  esse run --workload all -d 1m                 # every workload, for equal shares of a "
        "minute\n"
        "  esse run --until-violation --repeat 100       # workload, sessions and keys change",
    .options = esse_run_options,
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
    .options = esse_collect_options,
    .least = 0,
    .most = 1,
    .run = collect_command,
};
