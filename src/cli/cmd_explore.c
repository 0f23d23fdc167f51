#include "base/arena.h"
#include "base/out.h"
#include "base/outfile.h"
#include "base/threads.h"
#include "cli/confirming.h"
#include "cli/exploring.h"
#include "cli/session.h"
#include "explore/sql_program.h"
#include "explore/tx.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *level, *compare, *algorithm, *list, *svg, *repro, *page, *confirm, *tables;
    double budget;
    uint64_t memory, max_histories, threads, show;
    bool find_level, count, json, quiet, verbose, no_cuts;
} o = { .show = 3 };

static const char *const algorithm_choices[] = { "swapping", "true", "dfs", NULL };
static const char *const tables_choices[] = { "keys", "set", NULL };

static const struct esse_opt options[] = {
    { "level", 'l', ESSE_OPT_TEXT, &o.level, "L[,L...]",
      "the levels to explore: rc, ra, cc, pc, si, ser, or names of 'esse levels' (default: find "
      "the weakest at which everything holds)" },
    { "find-level", 0, ESSE_OPT_FLAG, &o.find_level, NULL,
      "find the weakest level at which everything holds" },
    { "compare", 0, ESSE_OPT_TEXT, &o.compare, "L1,L2",
      "show what L1 allows and L2 does not, shortest first" },
    { "show", 0, ESSE_OPT_COUNT, &o.show, "N", "so many executions with --compare (default 3)" },
    { "count", 'c', ESSE_OPT_FLAG, &o.count, NULL, "only count" },
    { "list", 0, ESSE_OPT_TEXT, &o.list, "DIR",
      "write each history into this directory, as native JSON Lines for 'esse check'" },
    { "algorithm", 0, ESSE_OPT_TEXT, &o.algorithm, "A",
      "swapping (the default); true: with the weakest base; dfs: without reduction",
      algorithm_choices },
    { "tables", 0, ESSE_OPT_TEXT, &o.tables, "T",
      "of SQL: keys, every key of a table is a variable (the default); set, the set of its keys is "
      "one, too",
      tables_choices },
    { "no-cuts", 0, ESSE_OPT_FLAG, &o.no_cuts, NULL,
      "extend also what the level refuses already: slower, the same answer" },
    { "max-histories", 0, ESSE_OPT_COUNT, &o.max_histories, "N", "stop after N histories" },
    { "budget", 'b', ESSE_OPT_DURATION, &o.budget, "TIME", "stop after this time" },
    { "memory", 'm', ESSE_OPT_SIZE, &o.memory, "SIZE", "stop when more memory is needed" },
    { "threads", 0, ESSE_OPT_COUNT, &o.threads, "N",
      "work on N threads (default: one for each processor); the answer is the same" },
    { "svg", 0, ESSE_OPT_TEXT, &o.svg, "FILE",
      "draw what makes the shortest broken execution not serializable" },
    { "report", 0, ESSE_OPT_TEXT, &o.page, "FILE",
      "write all of it as one HTML page that needs nothing but a browser" },
    { "repro", 0, ESSE_OPT_TEXT, &o.repro, "FILE",
      "write the shortest broken execution as statements: side by side for psql into FILE, and for "
      "PostgreSQL's isolation tester into FILE.spec" },
    { "confirm", 0, ESSE_OPT_TEXT, &o.confirm, "SERVER[/L]",
      "play each broken execution on a private postgresql or mariadb, at its level that "
      "corresponds, "
      "or at L, and tell what it did" },
    { "json", 'j', ESSE_OPT_FLAG, &o.json, NULL, "print one JSON object" },
    { "verbose", 'v', ESSE_OPT_FLAG, &o.verbose, NULL, "tell calls, swaps and cuts" },
    { "quiet", 'q', ESSE_OPT_FLAG, &o.quiet, NULL, "no progress line" },
    { 0 },
};

/* ---- the program ---- */

/* Does it begin as a workload file does?  No program of the small language does so. */
static bool is_workload_file(const char *text)
{
    static const char *const words[] = { "table", "param", "setup", "teardown", "transaction" };
    while (*text == '#' || isspace((unsigned char)*text))
        text += *text == '#' ? strcspn(text, "\n") : 1;
    const size_t length = strcspn(text, " \t\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length == strlen(words[i]) && memcmp(text, words[i], length) == 0)
            return true;
    return false;
}

static bool read_sql(struct esse_arena *arena, const char *text, size_t length,
                     const struct esse_program **program, struct esse_error *err)
{
    const bool has_sets = o.tables && strcmp(o.tables, "set") == 0;
    struct esse_script *script = esse_arena_alloc(arena, 1, sizeof *script);
    if (strlen(text) != length)
        return esse_fail_at(err, 1, 0, "expected a text, found a byte 0");
    return esse_script_parse(arena, text, script, err) &&
           esse_sql_program_new(script, has_sets ? ESSE_SQL_SETS : ESSE_SQL_KEYS, program, err);
}

static bool read_program(struct esse_arena *arena, const char *path,
                         const struct esse_program **program, struct esse_error *err)
{
    enum { PROGRAM_MOST = 16 << 20 };
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!file)
        return esse_fail(err, ESSE_EIO, "cannot open '%s': %s", path, strerror(errno));
    char *text = esse_arena_block(arena, PROGRAM_MOST, 1);
    const size_t length = fread(text, 1, PROGRAM_MOST, file);
    const bool is_read = !ferror(file);
    if (file != stdin)
        fclose(file);
    if (!is_read)
        return esse_fail(err, ESSE_EIO, "cannot read '%s': %s", path, strerror(errno));
    if (length == PROGRAM_MOST)
        return esse_fail(err, ESSE_EINPUT, "expected a program of less than 16 MB");
    text[length] = '\0';
    return is_workload_file(text) ? read_sql(arena, text, length, program, err)
                                  : esse_tx_compile(arena, text, length, program, err);
}

/* ---- what is asked ---- */

static bool set_algorithm(struct esse_explore_options *question)
{
    if (!o.algorithm || strcmp(o.algorithm, "swapping") == 0)
        return true;
    question->base_is_true = strcmp(o.algorithm, "true") == 0;
    if (strcmp(o.algorithm, "dfs") == 0)
        question->algorithm = ESSE_SEARCH_DFS;
    return question->base_is_true || question->algorithm == ESSE_SEARCH_DFS;
}

static bool set_axioms(struct esse_exploring *e, const char *list, struct esse_error *err)
{
    size_t count;
    const char **names = esse_session_names(e->arena, list, &count);
    e->axioms = esse_arena_array(e->arena, count, enum esse_axiom);
    for (size_t i = 0; i < count; i++) {
        enum esse_level_id level;
        if (!esse_explore_level(names[i], &level, err))
            return false;
        e->axioms[e->axiom_count++] = esse_axiom_of(level);
    }
    return true;
}

static int set_question(struct esse_exploring *e)
{
    struct esse_error err = { 0 };
    const unsigned threads = o.threads < UINT_MAX ? (unsigned)o.threads : UINT_MAX;
    e->options = (struct esse_explore_options){ .no_cuts = o.no_cuts,
                                                .max_histories = o.max_histories,
                                                .threads = esse_thread_count(threads) };
    e->json = o.json;
    e->count_only = o.count;
    e->verbose = o.verbose;
    e->list = o.list;
    e->svg = o.svg;
    e->repro = o.repro;
    e->page = o.page;
    if (!set_algorithm(&e->options))
        return esse_cli_usage("explore", "found '%s', expected swapping, true or dfs", o.algorithm);
    if (o.tables && strcmp(o.tables, "keys") != 0 && strcmp(o.tables, "set") != 0)
        return esse_cli_usage("explore", "found '%s', expected keys or set", o.tables);
    const char *levels = o.compare ? o.compare : o.level && !o.find_level ? o.level : NULL;
    e->finds = !levels;
    if (!set_axioms(e, levels ? levels : "rc,ra,cc,pc,si,ser", &err))
        return esse_cli_usage("explore", "%s", err.text);
    if (o.compare && e->axiom_count != 2)
        return esse_cli_usage("explore", "--compare takes two levels: --compare rc,ser");
    if (o.compare) {
        e->axiom_count = 1;
        e->options.but_not = e->axioms[1];
        e->options.keep = o.show < 1000 ? (uint32_t)o.show : 1000;
        e->compares = true;
    }
    if (e->list && e->axiom_count != 1)
        return esse_cli_usage("explore", "--list takes one level");
    return 0;
}

static int run_confirming(struct esse_exploring *e)
{
    struct esse_error err = { 0 };
    if (o.confirm && !esse_confirming_start(e->arena, o.confirm, &e->confirming, &err))
        return esse_cli_refuse("explore", NULL, &err);
    const int status = esse_exploring_run(e);
    if (e->confirming)
        esse_confirming_stop(e->confirming);
    return status;
}

static int run_explore(int count, char **operands)
{
    (void)count;
    struct esse_session session;
    struct esse_error err = { 0 };
    struct esse_exploring e = { .arena = esse_arena_new(), .path = operands[0] };
    int status = set_question(&e);
    esse_session_start(&session, o.budget, o.memory, o.quiet);
    e.session = &session;
    e.options.budget = &session.budget;
    if (!status)
        status = read_program(e.arena, operands[0], &e.program, &err)
                     ? run_confirming(&e)
                     : esse_cli_fail(operands[0], &err);
    esse_sql_program_free(e.program);
    esse_arena_free(e.arena);
    return status;
}

const struct esse_command esse_command_explore = {
    .name = "explore",
    .operands = "PROGRAM",
    .summary = "can an application break at an isolation level? every execution, once",
    .details =
        "Runs a small program of sessions and transactions in every way that a level allows, each "
        "history once, and shows the shortest execution that breaks an assertion or an invariant: "
        "sessions side by side, who read from whom, and in words what went wrong. Without --level "
        "it finds the weakest level at which everything holds.\n\n"
        "The language is described in docs/explore.md, with examples in examples/explore. A "
        "program may also be a workload file (docs/workload-files.md): its transactions in "
        "PostgreSQL's SQL, sections 'session NAME' with the calls that each session makes, and "
        "'invariant NAME' with a query that must return true in the end.\n\n"
        "Levels are commit-order levels: rc (axiomatic-read-committed), ra (read-atomic), cc "
        "(causal-consistency), pc (prefix-consistency), si (strong-session-snapshot-isolation), "
        "ser (strong-session-serializable). A transaction of the program may name its own.\n\n"
        "Exit status: 0 everything holds, 1 something is broken, 2 unknown (the budget ran out, or "
        "a loop its bound), 64 bad usage, 65 bad program, 74 input/output error. With --find-level "
        "0 if some level is enough. With --compare 1 if there is a difference.",
    .examples = "  esse explore on-call.tx               # which level is enough?\n"
                "  esse explore --level si on-call.tx    # what goes wrong at snapshot isolation?\n"
                "  esse explore --compare rc,ser on-call.tx\n"
                "  esse explore --level cc --count --json on-call.tx",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run_explore,
};
