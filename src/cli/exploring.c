#include "cli/exploring.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/outfile.h"
#include "cli/checking.h"
#include "cli/confirming.h"
#include "cli/exploring_page.h"
#include "explore/play.h"
#include "formats/formats.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- each history into a file of its own ---- */

struct listing {
    struct esse_exploring *e;
    uint64_t count;
    int status;
};

static bool list_one(void *context, const struct esse_execution *execution)
{
    struct listing *listing = context;
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err = { 0 };
    struct esse_history *history;
    const char *path =
        esse_arena_format(arena, "%s/%06" PRIu64 ".jsonl", listing->e->list, ++listing->count);
    if (!esse_execution_history(arena, execution, &history, &err))
        listing->status = esse_cli_fail(path, &err);
    else
        listing->status = esse_session_save(listing->e->session, arena, history,
                                            esse_format_find("native"), path, false);
    esse_arena_free(arena);
    return listing->status == 0;
}

/* ---- telling as text ---- */

static void put_counts(struct esse_out *out, const struct esse_exploring *e,
                       const struct esse_explored *x)
{
    esse_out_f(out,
               "%" PRIu64 " histor%s (%" PRIu64 " end states, %" PRIu64 " filtered, %" PRIu64
               " blocked), %.3f s",
               x->counts.histories, x->counts.histories == 1 ? "y" : "ies", x->counts.end_states,
               x->counts.filtered, x->counts.blocked, x->seconds);
    if (e->options.algorithm == ESSE_SEARCH_DFS)
        esse_out_f(out, ", %" PRIu64 " of them different", x->different);
    if (e->verbose)
        esse_out_f(out, "; %" PRIu64 " calls, %" PRIu64 " swaps, %" PRIu64 " cuts", x->counts.calls,
                   x->counts.swaps, x->counts.cut);
}

static void put_finals(struct esse_out *out, const struct esse_execution *execution)
{
    const struct esse_program *program = execution->program;
    esse_out_text(out, "    at the end: ");
    for (uint32_t i = 0; i < program->final_count; i++) {
        const uint32_t variable = program->final_variables[i];
        esse_out_f(out, "%s%s = ", i ? ", " : "", program->variables[variable]);
        program->put_value(program, out, variable, execution->finals[variable]);
    }
    esse_out_char(out, '\n');
}

static void put_execution(struct esse_out *out, const struct esse_execution *execution)
{
    esse_execution_put_text(out, execution);
    if (execution->finals && execution->program->final_count)
        put_finals(out, execution);
    esse_out_text(out, "  ");
    esse_execution_put_words(out, execution);
    esse_out_text(out, "\n");
}

static void put_confirmed(struct esse_out *out, const struct esse_exploring *e,
                          enum esse_axiom axiom, const struct esse_broken *broken)
{
    struct esse_confirmed confirmed;
    if (!e->confirming)
        return;
    esse_confirming_play(e->confirming, e->arena, broken, axiom, &confirmed);
    esse_out_f(out, "  on %s: %s%s%s\n", esse_confirming_server(e->confirming),
               esse_confirmation_name(confirmed.is), *confirmed.text ? ": " : "", confirmed.text);
}

static void put_broken(struct esse_out *out, const struct esse_exploring *e, enum esse_axiom axiom,
                       const struct esse_explored *x)
{
    for (uint32_t i = 0; i < x->broken_count; i++) {
        const struct esse_broken *broken = &x->broken[i];
        esse_out_f(out,
                   "\n  broken: %s\n  in %" PRIu64 " of %" PRIu64 " histories; the shortest:\n\n",
                   esse_claim_text(e->arena, e->program, broken), broken->count, x->kept_of);
        put_execution(out, broken->shortest);
        put_confirmed(out, e, axiom, broken);
    }
}

static const char *verdict(const struct esse_exploring *e, const struct esse_explored *x)
{
    const bool is_known = x->is_whole && !x->is_bounded;
    if (e->compares)
        return x->kept_of ? "differs" : is_known ? "no difference" : "unknown";
    return x->broken_count ? "broken" : is_known ? "holds" : "unknown";
}

static const char *why_unknown(const struct esse_exploring *e, const struct esse_explored *x)
{
    if (x->is_open)
        return "there are ever more keys";
    if (x->is_whole)
        return x->is_bounded ? "a loop was left because of its bound" : NULL;
    const enum esse_spent spent = esse_budget_spent(e->options.budget);
    if (spent == ESSE_SPENT_NOTHING)
        return e->options.max_histories ? "there are more than --max-histories" : "it was stopped";
    return esse_arena_format(e->arena, "the budget ran out: %s", esse_spent_name(spent));
}

static int status_of(const struct esse_exploring *e, const struct esse_explored *x)
{
    if (e->compares ? x->kept_of > 0 : x->broken_count > 0)
        return ESSE_EXIT_VIOLATED;
    return why_unknown(e, x) ? ESSE_EXIT_UNKNOWN : ESSE_EXIT_HOLDS;
}

static void put_summary(struct esse_out *out, const struct esse_exploring *e, enum esse_axiom axiom,
                        const struct esse_explored *x)
{
    const char *why = why_unknown(e, x);
    esse_out_f(out, "%s: %s%s%s: ", e->path, esse_axiom_name(axiom), e->compares ? " but not " : "",
               e->compares ? esse_axiom_name(e->options.but_not) : "");
    esse_out_f(out, "%s", verdict(e, x));
    if (e->compares)
        esse_out_f(out, " by %" PRIu64 " of ", x->kept_of);
    else
        esse_out_text(out, "; ");
    put_counts(out, e, x);
    esse_out_text(out, "\n");
    if (why)
        esse_out_f(out, "  not all executions were looked at: %s\n", why);
}

static void put_details(struct esse_out *out, const struct esse_exploring *e, enum esse_axiom axiom,
                        const struct esse_explored *x)
{
    if (e->count_only)
        return;
    put_broken(out, e, axiom, x);
    for (uint32_t i = 0; i < x->kept_count && e->compares; i++) {
        esse_out_char(out, '\n');
        put_execution(out, x->kept[i]);
    }
    if (x->broken_count || x->kept_count)
        esse_out_char(out, '\n');
}

/* ---- as JSON ---- */

static void put_json_confirmed(struct esse_out *out, const struct esse_exploring *e,
                               enum esse_axiom axiom, const struct esse_broken *broken)
{
    struct esse_confirmed confirmed;
    if (!e->confirming)
        return;
    esse_confirming_play(e->confirming, e->arena, broken, axiom, &confirmed);
    esse_out_f(out, ",\"confirmed\":{\"server\":\"%s\"", esse_confirming_server(e->confirming));
    esse_out_json_member(out, "answer", esse_confirmation_name(confirmed.is));
    esse_out_json_member(out, "text", confirmed.text);
    esse_out_char(out, '}');
}

static void put_json_broken(struct esse_out *out, const struct esse_exploring *e,
                            enum esse_axiom axiom, const struct esse_broken *broken)
{
    const struct esse_program *program = e->program;
    const bool is_claim = broken->claim < program->claim_count;
    const struct esse_claim *claim = is_claim ? &program->claims[broken->claim] : NULL;
    esse_out_f(out, "{\"kind\":\"%s\"",
               !claim                ? "error"
               : claim->is_invariant ? "invariant"
                                     : "assertion");
    if (claim && claim->name)
        esse_out_json_member(out, "name", claim->name);
    esse_out_json_member(out, "text",
                         claim ? claim->text : esse_claim_text(e->arena, program, broken));
    if (claim)
        esse_out_f(out, ",\"line\":%u", claim->line);
    esse_out_f(out, ",\"histories\":%" PRIu64 ",\"words\":", broken->count);
    struct esse_out words;
    esse_out_init_memory(&words, e->arena);
    esse_execution_put_words(&words, broken->shortest);
    esse_out_json_text(out, esse_out_memory(&words));
    esse_out_text(out, ",\"execution\":");
    esse_execution_put_json(out, broken->shortest);
    put_json_confirmed(out, e, axiom, broken);
    esse_out_char(out, '}');
}

static void put_json(struct esse_out *out, const struct esse_exploring *e, enum esse_axiom axiom,
                     const struct esse_explored *x)
{
    esse_out_f(out,
               "{\"level\":\"%s\",\"histories\":%" PRIu64 ",\"end_states\":%" PRIu64
               ",\"filtered\":%" PRIu64 ",\"blocked\":%" PRIu64 ",\"seconds\":%.6f,\"broken\":[",
               esse_axiom_name(axiom), x->counts.histories, x->counts.end_states,
               x->counts.filtered, x->counts.blocked, x->seconds);
    for (uint32_t i = 0; i < x->broken_count && !e->count_only; i++) {
        esse_out_text(out, i ? "," : "");
        put_json_broken(out, e, axiom, &x->broken[i]);
    }
    esse_out_char(out, ']');
    const char *why = why_unknown(e, x);
    if (why)
        esse_out_json_member(out, "unknown", why);
    if (e->verbose)
        esse_out_f(out, ",\"calls\":%" PRIu64 ",\"swaps\":%" PRIu64 ",\"cuts\":%" PRIu64,
                   x->counts.calls, x->counts.swaps, x->counts.cut);
    if (e->compares) {
        esse_out_json_member(out, "but_not", esse_axiom_name(e->options.but_not));
        esse_out_f(out, ",\"different\":%" PRIu64 ",\"executions\":[", x->kept_of);
        for (uint32_t i = 0; i < x->kept_count; i++) {
            esse_out_text(out, i ? "," : "");
            esse_execution_put_json(out, x->kept[i]);
        }
        esse_out_char(out, ']');
    }
    esse_out_char(out, '}');
}

/* ---- the picture ---- */

/* Why an execution is not serializable, as 'esse check' finds it; *has_one is false if it is.  0,
 * or the exit status of an error. */
static int find_reason(struct esse_exploring *e, const struct esse_execution *execution,
                       struct esse_report *report, bool *has_one)
{
    static const char *const serializable = "strong-session-serializable";
    const struct esse_check_options check = { .levels = &serializable,
                                              .level_count = 1,
                                              .budget = e->options.budget };
    struct esse_error err = { 0 };
    struct esse_history *history;
    const struct esse_result *result;
    *has_one = false;
    if (!esse_execution_history(e->arena, execution, &history, &err) ||
        !esse_check(e->arena, history, &check, &result, &err))
        return esse_cli_fail(e->path, &err);
    *report = (struct esse_report){ .path = e->path, .history = history, .result = result };
    *has_one = result->verdicts[0].outcome == ESSE_VIOLATED;
    return 0;
}

static int draw(struct esse_exploring *e, const struct esse_execution *execution)
{
    struct esse_report report;
    bool has_one;
    const int failed = find_reason(e, execution, &report, &has_one);
    if (failed || has_one)
        return failed ? failed : esse_checking_write(e->arena, e->svg, &report, esse_report_svg);
    fprintf(stderr, "esse: %s: nothing to draw: the shortest broken execution is serializable\n",
            e->path);
    return 0;
}

/* The same for the page; NULL if there is none. */
static const char *picture_of(struct esse_exploring *e, const struct esse_execution *execution)
{
    struct esse_report report;
    struct esse_out out;
    bool has_one;
    if (find_reason(e, execution, &report, &has_one) || !has_one)
        return NULL;
    esse_out_init_memory(&out, e->arena);
    esse_report_svg(&out, &report);
    return esse_out_memory(&out);
}

static void page_details(struct exploring_page *page, struct esse_exploring *e,
                         enum esse_axiom axiom, const struct esse_explored *x)
{
    for (uint32_t i = 0; page->path && i < x->broken_count; i++) {
        struct esse_out story;
        esse_out_init_memory(&story, e->arena);
        put_execution(&story, x->broken[i].shortest);
        exploring_page_broken(page, e, axiom, &x->broken[i], x->kept_of, esse_out_memory(&story),
                              picture_of(e, x->broken[i].shortest));
    }
}

/* ---- to be done again ---- */

/* With which level each transaction runs; one that PostgreSQL does not have is read committed. */
static const char *const *begins_of(struct esse_exploring *e, const struct esse_program *program,
                                    enum esse_axiom axiom)
{
    const char **begins = esse_arena_array(e->arena, program->txn_count, const char *);
    for (uint32_t i = 0; i < program->txn_count; i++) {
        const struct esse_program_txn *txn = &program->txns[i];
        begins[i] = esse_play_begin(ESSE_PLAY_POSTGRESQL,
                                    txn->has_level ? esse_axiom_of(txn->level) : axiom);
        if (!begins[i])
            begins[i] = esse_play_begin(ESSE_PLAY_POSTGRESQL, ESSE_AXIOM_COMMITTED);
    }
    return begins;
}

static int write_play(struct esse_exploring *e, const char *path, const struct esse_play *play,
                      enum esse_axiom axiom,
                      void (*put)(struct esse_out *out, const struct esse_play *play,
                                  const char *const *begins))
{
    struct esse_outfile file;
    struct esse_error err = { 0 };
    if (!esse_outfile_open(&file, e->arena, path, &err))
        return esse_cli_fail(path, &err);
    put(&file.out, play, begins_of(e, play->program, axiom));
    return esse_outfile_commit(&file, &err) ? 0 : esse_cli_fail(path, &err);
}

static int write_repro(struct esse_exploring *e, const struct esse_broken *broken,
                       enum esse_axiom axiom)
{
    struct esse_play play;
    esse_play_make(e->arena, broken->shortest, broken->claim, &play);
    const int status = write_play(e, e->repro, &play, axiom, esse_play_put_script);
    const char *spec = esse_arena_format(e->arena, "%s.spec", e->repro);
    return status ? status : write_play(e, spec, &play, axiom, esse_play_put_spec);
}

/* ---- levels ---- */

struct answering {
    struct esse_out out;
    const struct esse_execution *to_draw;
    struct esse_explored nearest; /* of the strongest level so far at which something is broken */
    enum esse_axiom nearest_axiom;
    const struct esse_broken *to_repeat;
    enum esse_axiom repeat_axiom;
    struct exploring_page page;
    int status;
    bool is_first;
};

static void explore_level(struct esse_exploring *e, enum esse_axiom axiom,
                          struct esse_explored *explored)
{
    struct listing listing = { .e = e };
    e->options.axiom = axiom;
    if (e->list && e->program->is_stale) { /* first all variables: what is listed stays */
        esse_explore(e->arena, e->program, &e->options, explored);
        e->program = explored->program;
    }
    if (e->list) {
        e->options.each = list_one;
        e->options.context = &listing;
    }
    esse_explore(e->arena, e->program, &e->options, explored);
    e->program = explored->program;
    esse_session_clear(e->session);
}

static void answer_level(struct esse_exploring *e, struct answering *answering,
                         enum esse_axiom axiom, struct esse_explored *x)
{
    explore_level(e, axiom, x);
    const struct esse_execution *broken = x->broken_count                ? x->broken[0].shortest
                                          : e->compares && x->kept_count ? x->kept[0]
                                                                         : NULL;
    if (broken && (e->finds || !answering->to_draw))
        answering->to_draw = broken;
    if (x->broken_count && (e->finds || !answering->to_repeat)) {
        answering->to_repeat = &x->broken[0];
        answering->repeat_axiom = axiom;
    }
    if (x->broken_count) {
        answering->nearest = *x;
        answering->nearest_axiom = axiom;
    }
    exploring_page_level(&answering->page, e, axiom, x, verdict(e, x), why_unknown(e, x));
    if (!e->finds)
        page_details(&answering->page, e, axiom, x);
    if (e->json) {
        esse_out_text(&answering->out, answering->is_first ? "" : ",");
        put_json(&answering->out, e, axiom, x);
    } else {
        put_summary(&answering->out, e, axiom, x);
        if (!e->finds)
            put_details(&answering->out, e, axiom, x);
    }
    answering->is_first = false;
}

/* The levels asked, each. */
static void answer_levels(struct esse_exploring *e, struct answering *answering)
{
    for (size_t i = 0; i < e->axiom_count; i++) {
        struct esse_explored x;
        answer_level(e, answering, e->axioms[i], &x);
        answering->status = esse_session_worse(answering->status, status_of(e, &x));
    }
}

/* From the weakest up, until everything holds.  What goes wrong is shown for the last level at
 * which it does: those below it allow that execution too. */
static const char *find_level(struct esse_exploring *e, struct answering *answering)
{
    for (size_t i = 0; i < e->axiom_count; i++) {
        struct esse_explored x;
        answer_level(e, answering, e->axioms[i], &x);
        answering->status = status_of(e, &x);
        if (answering->status == ESSE_EXIT_HOLDS)
            return esse_axiom_name(e->axioms[i]);
        if (answering->status == ESSE_EXIT_UNKNOWN)
            return NULL;
    }
    return NULL;
}

static void put_weakest(struct esse_exploring *e, struct answering *answering, const char *weakest)
{
    if (e->json) {
        esse_out_text(&answering->out, "]");
        if (weakest)
            esse_out_json_member(&answering->out, "weakest", weakest);
        else
            esse_out_text(&answering->out, ",\"weakest\":null");
        esse_out_text(&answering->out, "}\n");
        return;
    }
    if (answering->nearest.broken_count && !e->count_only) {
        esse_out_f(&answering->out, "\nwhat goes wrong at %s:\n",
                   esse_axiom_name(answering->nearest_axiom));
        put_details(&answering->out, e, answering->nearest_axiom, &answering->nearest);
    }
    if (weakest)
        esse_out_f(&answering->out, "%s: the weakest level at which everything holds: %s\n",
                   e->path, weakest);
    else
        esse_out_f(&answering->out, "%s: %s\n", e->path,
                   answering->status == ESSE_EXIT_UNKNOWN
                       ? "unknown which level is enough"
                       : "no level is enough: it goes wrong even if transactions run one by one");
}

static bool make_directory(const struct esse_exploring *e, struct esse_error *err)
{
    if (!e->list || mkdir(e->list, 0777) == 0 || errno == EEXIST)
        return true;
    return esse_fail(err, ESSE_EIO, "cannot make '%s': %s", e->list, strerror(errno));
}

int esse_exploring_run(struct esse_exploring *e)
{
    struct answering answering = { .is_first = true };
    struct esse_error err = { 0 };
    const char *weakest = NULL;
    if (!make_directory(e, &err))
        return esse_cli_fail(NULL, &err);
    esse_out_init_fd(&answering.out, e->arena, STDOUT_FILENO);
    exploring_page_start(&answering.page, e);
    if (e->json)
        esse_out_text(&answering.out, "{\"results\":[");
    if (e->finds)
        weakest = find_level(e, &answering);
    else
        answer_levels(e, &answering);
    if (e->finds)
        put_weakest(e, &answering, weakest);
    else if (e->json)
        esse_out_text(&answering.out, "]}\n");
    if (e->finds && answering.nearest.broken_count)
        page_details(&answering.page, e, answering.nearest_axiom, &answering.nearest);
    answering.page.weakest = weakest;
    const int paged = exploring_page_write(&answering.page, e);
    answering.status = paged ? paged : answering.status;
    if (e->svg && answering.to_draw) {
        const int drawn = draw(e, answering.to_draw);
        answering.status = drawn ? drawn : answering.status;
    }
    if (e->repro && answering.to_repeat) {
        const int written = write_repro(e, answering.to_repeat, answering.repeat_axiom);
        answering.status = written ? written : answering.status;
    }
    return esse_session_answer(&answering.out, answering.status);
}
