#include "base/arena.h"
#include "base/budget.h"
#include "base/names.h"
#include "cli/session.h"
#include "formats/save.h"
#include "generate/execute.h"
#include "generate/gen.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOT_GIVEN UINT64_MAX

/* Where the command line puts its values; those NOT_GIVEN or NAN depend on the workload. */
static struct {
    struct esse_gen_options gen;
    const char *level, *anomalies, *certify, *distribution, *output, *format;
    bool no_times, times, is_quiet;
} args = {
    .gen = { .work = { .ops = NOT_GIVEN,
                       .keys = NOT_GIVEN,
                       .sessions = NOT_GIVEN,
                       .max_writes = NOT_GIVEN,
                       .seed = 1,
                       .zipf_theta = 0.99,
                       .read_share = NAN,
                       .rmw_share = NAN,
                       .predicate_share = NAN,
                       .rows_matching = NOT_GIVEN,
                       .delete_share = NAN },
             .txns = 1000,
             .stale_share = 0.3 },
    .level = "strict-serializable",
    .output = "-",
};

static const char *const levels[] = { "read-uncommitted",    "read-committed",
                                      "snapshot-isolation",  "serializable",
                                      "strict-serializable", NULL };
static const char *const distributions[] = { "uniform", "zipf", NULL };

static const struct esse_opt options[] = {
    { "txns", 'n', ESSE_OPT_COUNT, &args.gen.txns, "N", "transactions (default: 1000)" },
    { "ops", 0, ESSE_OPT_COUNT, &args.gen.work.ops, "N",
      "operations of a transaction (default: by workload)" },
    { "ops-spread", 0, ESSE_OPT_COUNT, &args.gen.work.ops_spread, "N",
      "vary the number of operations by up to N (default: 0)" },
    { "keys", 0, ESSE_OPT_COUNT, &args.gen.work.keys, "N",
      "keys in use at one time (default: by workload)" },
    { "max-writes-per-key", 0, ESSE_OPT_COUNT, &args.gen.work.max_writes, "N",
      "writes to a key before a fresh one takes its place; 0: never (default: list-append 8, "
      "others 0)" },
    { "sessions", 0, ESSE_OPT_COUNT, &args.gen.work.sessions, "N", "clients at work (default: 8)" },
    { "seed", 0, ESSE_OPT_COUNT, &args.gen.work.seed, "N", "same seed, same bytes (default: 1)" },
    { "level", 0, ESSE_OPT_TEXT, &args.level, "L",
      "the isolation that the store gives (default: strict-serializable)", levels },
    { "anomaly", 0, ESSE_OPT_TEXT, &args.anomalies, "NAME[@POSITION],...",
      "plant a violation; 'help' lists them; the position is 0.5, 50% or a number" },
    { "certificate", 0, ESSE_OPT_FLAG, &args.gen.has_certificate, NULL,
      "write the true version orders and serialization order" },
    { "certify", 0, ESSE_OPT_TEXT, &args.certify, "KIND",
      "write commits and snapshots as a database reports them, and that they are true",
      esse_certificate_names + ESSE_CERTIFICATE_TIMESTAMPS },
    { "vsets", 0, ESSE_OPT_FLAG, &args.gen.has_vsets, NULL,
      "write the version sets of predicate operations" },
    { "distribution", 0, ESSE_OPT_TEXT, &args.distribution, "D",
      "how keys are chosen (default: uniform; ycsb and twitter zipf)", distributions },
    { "zipf-theta", 0, ESSE_OPT_REAL, &args.gen.work.zipf_theta, "X",
      "skew of zipf (default: 0.99)" },
    { "read-share", 0, ESSE_OPT_REAL, &args.gen.work.read_share, "X",
      "reads among operations (default: 0.5, or as the workload's name says)" },
    { "values", 0, ESSE_OPT_COUNT, &args.gen.values, "N",
      "write only N different values to a row, so that they repeat; 0: none twice (default: 0)" },
    { "rmw-share", 0, ESSE_OPT_REAL, &args.gen.work.rmw_share, "X",
      "writes that read their key first (default: 0; rmw and ycsb-f 1)" },
    { "pure", 0, ESSE_OPT_FLAG, &args.gen.work.is_pure, NULL,
      "a transaction only reads or only writes (default for blindw-*)" },
    { "predicate-share", 0, ESSE_OPT_REAL, &args.gen.work.predicate_share, "X",
      "predicates among reads and writes (default: predicate 0.4, blindw-pred 0.5)" },
    { "aggregate-share", 0, ESSE_OPT_REAL, &args.gen.work.aggregate_share, "X",
      "aggregates among reads by predicate (default: 0; without a certificate no level of such a "
      "history can be proved)" },
    { "rows-matching", 0, ESSE_OPT_COUNT, &args.gen.work.rows_matching, "N",
      "rows that a predicate selects, if all are there (default: 4)" },
    { "delete-share", 0, ESSE_OPT_REAL, &args.gen.work.delete_share, "X",
      "deletes among other writes of rows that predicates find (default: predicate 0.2)" },
    { "abort-share", 0, ESSE_OPT_REAL, &args.gen.work.abort_share, "X",
      "transactions that their client aborts (default: 0)" },
    { "crash-share", 0, ESSE_OPT_REAL, &args.gen.crash_share, "X",
      "transactions whose client never learns the outcome (default: 0)" },
    { "stale-share", 0, ESSE_OPT_REAL, &args.gen.stale_share, "X",
      "readers at serializable that see the past (default: 0.3)" },
    { "drop-aborted", 0, ESSE_OPT_FLAG, &args.gen.drop_aborted, NULL,
      "leave aborted transactions out" },
    { "by-session", 0, ESSE_OPT_FLAG, &args.gen.by_session, NULL,
      "one session after the other, not as transactions end; needs memory for all" },
    { "times", 0, ESSE_OPT_FLAG, &args.times, NULL, "client times of transactions (default: on)" },
    { "no-times", 0, ESSE_OPT_FLAG, &args.no_times, NULL, "no client times" },
    { "op-times", 0, ESSE_OPT_FLAG, &args.gen.has_op_times, NULL, "client times of operations" },
    { "server-times", 0, ESSE_OPT_FLAG, &args.gen.has_server_times, NULL,
      "timestamps of the store: start_ts, commit_ts" },
    { "one-timestamp", 0, ESSE_OPT_FLAG, &args.gen.has_one_timestamp, NULL,
      "with --certify timestamps: only commit_ts, the place in the serial order" },
    { "format", 0, ESSE_OPT_TEXT, &args.format, "F", "the output's format (default: by its name)",
      esse_writer_choices },
    { "output", 'o', ESSE_OPT_TEXT, &args.output, "FILE",
      "write to this file (default: standard output)" },
    { "quiet", 'q', ESSE_OPT_FLAG, &args.is_quiet, NULL, "no summary on standard error" },
    { 0 }
};

/* For the help; client times are there unless --no-times is. */
static const char *needs_of(const struct esse_gen_anomaly *row)
{
    return row->needs & ESSE_GEN_NEEDS_ORDER           ? " (needs --certificate)"
           : row->needs & ESSE_GEN_NEEDS_ONE_TIMESTAMP ? " (needs --certify timestamps "
                                                         "--one-timestamp)"
           : row->needs & ESSE_GEN_NEEDS_TIMESTAMPS    ? " (needs --certify timestamps)"
                                                       : "";
}

static int print_anomalies(void)
{
    printf("%-44s%-13s%s\n", "name", "workloads", "meaning");
    for (const struct esse_gen_anomaly *row = esse_gen_anomalies; row->name; row++) {
        char letters[ESSE_GEN_WORKLOADS * 2 + 1] = "";
        for (unsigned i = 0; i < ESSE_GEN_WORKLOADS; i++)
            if (row->workloads & 1u << i)
                strncat(strcat(letters, *letters ? " " : ""), esse_gen_workload_names[i], 1);
        printf("%-44s%-13s%s%s", row->name, letters, row->meaning, needs_of(row));
        printf(row->level ? ", reported at %s\n" : "\n", row->level);
    }
    printf(
        "\nworkloads: l list-append, p predicate and blindw-pred, r rw-register and all others\n");
    return fflush(stdout) == 0 ? ESSE_EXIT_HOLDS : ESSE_EXIT_IO;
}

static const char *workload_list(struct esse_arena *arena)
{
    const char *list = esse_workloads[0]->name, *last = NULL;
    for (size_t i = 1; esse_workloads[i]; i++) {
        if (!esse_store_can(esse_workloads[i]->needs))
            continue;
        if (last)
            list = esse_arena_format(arena, "%s, %s", list, last);
        last = esse_workloads[i]->name;
    }
    return esse_arena_format(arena, "%s or %s", list, last);
}

static void complete_count(uint64_t *count, uint64_t by_workload)
{
    if (*count == NOT_GIVEN)
        *count = by_workload;
}

static void complete_share(double *share, double by_workload)
{
    if (isnan(*share))
        *share = by_workload;
}

static bool complete_distribution(double theta, struct esse_error *err)
{
    const char *name = args.distribution ? args.distribution : distributions[theta > 0];
    if (strcmp(name, "uniform") == 0)
        args.gen.work.zipf_theta = 0;
    else if (strcmp(name, "zipf") != 0)
        return esse_fail(err, ESSE_EUSAGE, "unknown distribution '%s'; expected uniform or zipf",
                         name);
    return true;
}

static bool complete_workload(struct esse_arena *arena, const char *name, struct esse_error *err)
{
    if (!name)
        return esse_fail(err, ESSE_EUSAGE, "expected a workload: %s", workload_list(arena));
    const struct esse_live_workload *workload = esse_workload_find(name);
    if (!workload || !esse_store_can(workload->needs))
        return esse_fail(err, ESSE_EUSAGE, "unknown workload '%s'; expected %s", name,
                         workload_list(arena));
    const struct esse_workload_options defaults = esse_gen_defaults(name).work;
    struct esse_workload_options *work = &args.gen.work;
    args.gen.workload = workload;
    work->is_pure = work->is_pure || defaults.is_pure;
    complete_count(&work->ops, defaults.ops);
    complete_count(&work->keys, defaults.keys);
    complete_count(&work->sessions, defaults.sessions);
    complete_count(&work->max_writes, defaults.max_writes);
    complete_share(&work->read_share, defaults.read_share);
    complete_share(&work->rmw_share, defaults.rmw_share);
    complete_share(&work->predicate_share, defaults.predicate_share);
    complete_share(&work->delete_share, defaults.delete_share);
    complete_count(&work->rows_matching, defaults.rows_matching);
    return complete_distribution(defaults.zipf_theta, err);
}

static bool complete_kind(struct esse_error *err)
{
    const char *const *kinds = esse_certificate_names + ESSE_CERTIFICATE_TIMESTAMPS;
    for (unsigned i = 0; args.certify && kinds[i]; i++)
        if (strcmp(args.certify, kinds[i]) == 0)
            args.gen.certifies = (enum esse_certificate_kind)(ESSE_CERTIFICATE_TIMESTAMPS + i);
    return !args.certify || args.gen.certifies != ESSE_CERTIFICATE_NONE ||
           esse_fail(err, ESSE_EUSAGE, "unknown certificate '%s'; expected %s, %s or %s",
                     args.certify, kinds[0], kinds[1], kinds[2]);
}

/* Everything that the command line says and the option table could not check. */
static bool complete_options(struct esse_arena *arena, const char *workload, struct esse_error *err)
{
    struct esse_gen_options *gen = &args.gen;
    if (!complete_workload(arena, workload, err))
        return false;
    if (!esse_store_level_find(args.level, &gen->level))
        return esse_fail(err, ESSE_EUSAGE,
                         "the store has no level '%s'; expected %s, %s, %s, %s or %s", args.level,
                         levels[0], levels[1], levels[2], levels[3], levels[4]);
    if (!complete_kind(err))
        return false;
    if (args.times && args.no_times)
        return esse_fail(err, ESSE_EUSAGE, "--times and --no-times contradict each other");
    gen->has_times = !args.no_times;
    return !args.anomalies || esse_gen_plants_parse(arena, args.anomalies, gen, err);
}

static bool choose_format(const struct esse_format **format, struct esse_error *err)
{
    *format = args.format ? esse_format_find(args.format) : esse_format_by_path(args.output);
    if (!*format && !args.format)
        *format = esse_format_find("native");
    if (!*format)
        return esse_fail(err, ESSE_EUSAGE, "unknown format '%s'", args.format);
    if (!esse_format_is_written(*format))
        return esse_fail(err, ESSE_EUSAGE, "the format %s can only be read", (*format)->name);
    return true;
}

/* The session's budget has no limits: it is a way to be interrupted and leave no partial file. */
static bool write_history(struct esse_arena *arena, const struct esse_format *format,
                          struct esse_session *session, struct esse_error *err)
{
    struct esse_save save;
    if (!esse_save_open(&save, arena, format, esse_values_new(arena), args.output, false, err))
        return false;
    args.gen.has_header = strcmp(format->name, "native") == 0;
    if (esse_gen_run(&args.gen, save.sink, &session->budget, err))
        return esse_save_commit(&save, err);
    esse_save_discard(&save);
    return false;
}

static void print_summary(const struct esse_gen_counts *counts, double seconds)
{
    fprintf(stderr,
            "%" PRIu64 " transactions (%" PRIu64 " committed, %" PRIu64 " aborted, %" PRIu64
            " unknown), %" PRIu64 " operations in %.2f s\n",
            counts->transactions, counts->committed, counts->aborted, counts->unknown,
            counts->operations, seconds);
    for (size_t i = 0; i < args.gen.plant_count; i++)
        fprintf(stderr, "planted %s after %" PRIu64 " transactions: %s\n",
                args.gen.plants[i].anomaly->name, args.gen.plants[i].at,
                args.gen.plants[i].anomaly->meaning);
}

/* Exit status: 0 written, 2 interrupted, 64 bad usage, 74 cannot write. */
static int run(int count, char **operands)
{
    if (args.anomalies && strcmp(args.anomalies, "help") == 0)
        return print_anomalies();
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err = { 0 };
    struct esse_gen_counts counts = { 0 };
    const struct esse_format *format;
    struct esse_session session;
    args.gen.counts = &counts;
    esse_session_start(&session, 0, 0, args.is_quiet);
    bool ok = complete_options(arena, count ? operands[0] : NULL, &err) &&
              choose_format(&format, &err) && write_history(arena, format, &session, &err);
    esse_session_clear(&session);
    int status = ESSE_EXIT_HOLDS;
    if (!ok)
        status = esse_cli_refuse("gen", NULL, &err);
    else if (!args.is_quiet)
        print_summary(&counts, esse_clock_seconds() - session.started);
    esse_arena_free(arena);
    return status;
}

const struct esse_command esse_command_gen = {
    .name = "gen",
    .operands = "WORKLOAD",
    .summary = "make a history, clean or with a planted violation",
    .details =
        "Runs sessions that really interleave on a small multi-version store in memory and writes "
        "down what their clients saw.  The history satisfies the level that the store was asked "
        "for, and at high contention shows what that level permits.\n\n"
        "The workloads are those of esse run, which says what each is for ('esse run --workload "
        "help'), with the same defaults but for aggregates: list-append, rw-register, predicate; "
        "bank, smallbank, long-fork, write-skew; blindw-rh, blindw-rw, blindw-wh, blindw-pred, rmw "
        "and heavy-write, "
        "which papers measure with; ycsb-a, ycsb-b and ycsb-f (some rows hotter than others); "
        "twitter, rubis and tpcc, whose transactions have shapes of their own.  Otherwise every "
        "option may be given.\n\n"
        "--anomaly plants a violation by name into fresh keys, a few transactions on top of "
        "--txns.  --certificate writes what only the store knows: the version order of every key "
        "and, for serializable and strict-serializable, the order of the transactions.  --certify "
        "writes what a database itself may report, in one of three forms: timestamps of snapshots "
        "and "
        "commits; the order of the commits, and how many of them each operation saw; or the "
        "snapshots of PostgreSQL.\n\n"
        "Histories stream: a hundred million operations need no more memory than a thousand, "
        "unless a certificate other than timestamps is asked for, or --by-session: then the "
        "transactions of a session "
        "stand together, as in the logs that clients keep, and the order of the lines does not "
        "betray the order of the commits.",
    .examples =
        "  esse gen list-append -n 10k -o h.jsonl # a clean, strictly serializable history\n"
        "  esse gen rw-register -n 1M --level snapshot-isolation --keys 20 -o h.jsonl # write "
        "skew\n"
        "  esse gen list-append --anomaly G-single@0.9 -o h.edn # one read skew near the end\n"
        "  esse gen blindw-rw -n 10k --no-times --by-session -o h.jsonl # as hard as in the "
        "papers\n"
        "  esse gen --anomaly help # the anomalies that can be planted",
    .options = options,
    .least = 0,
    .most = 1,
    .run = run,
};
