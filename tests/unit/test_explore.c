#include "test.h"

#include "explore/explore.h"
#include "explore/tx.h"
#include "explore_oracle.h"
#include "history/history.h"

/* ---- what the search finds, in the oracle's words ---- */

enum { FEW = 8 };

struct collected {
    char **texts;
    int count, room;
    const char *level; /* of which esse_check is asked about each, or NULL */
    bool is_refused;   /* and what it must say */
};

static int number_of(const struct esse_program *program, uint32_t txn)
{
    return atoi(program->txns[txn].name + 1);
}

static char *shown(const struct esse_execution *x)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    const struct esse_program *program = x->program;
    for (uint32_t n = 0; n < program->txn_count; n++)
        for (uint32_t t = 0; t < program->txn_count; t++) {
            const struct esse_unit *unit = &x->units[t];
            if (number_of(program, t) != (int)n)
                continue;
            fprintf(out, "t%u%s:", n, unit->status == ESSE_UNIT_COMMITTED ? "" : "!");
            for (uint32_t i = 0; i < unit->count; i++) {
                const struct esse_search_step *s = &unit->steps[i];
                if (s->kind == ESSE_STEP_READ && s->source == ESSE_NO_SOURCE)
                    fprintf(out, " r%u init", s->variable);
                else if (s->kind == ESSE_STEP_READ)
                    fprintf(out, " r%u t%d", s->variable, number_of(program, s->source));
                else
                    fprintf(out, " %c%u %d", s->kind == ESSE_STEP_WRITE ? 'w' : 'o', s->variable,
                            (int)s->value);
            }
            fprintf(out, "\n");
        }
    fclose(out);
    return text;
}

static bool has_aborted(const struct esse_execution *x)
{
    for (uint32_t t = 0; t < x->program->txn_count; t++)
        if (x->units[t].status != ESSE_UNIT_COMMITTED)
            return true;
    return false;
}

/* esse_check says the same of it; what an aborted transaction read plays no part there. */
static void check_history(const struct collected *c, const struct esse_execution *x)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err = { 0 };
    struct esse_history *history;
    const struct esse_result *result;
    const struct esse_check_options options = { .levels = &c->level,
                                                .level_count = 1,
                                                .threads = 1 };
    CHECK(esse_execution_history(arena, x, &history, &err));
    CHECK(esse_check(arena, history, &options, &result, &err));
    const struct esse_verdict *verdict = &result->verdicts[0];
    const enum esse_outcome wanted = c->is_refused ? ESSE_VIOLATED : ESSE_HOLDS;
    const bool is_comparable = !c->is_refused || !has_aborted(x);
    if (is_comparable && verdict->outcome != wanted) {
        const char *reason = esse_reason_text(arena, verdict);
        fail_msg("esse_check at %s: %s, %s, of\n%s", c->level, esse_outcome_name(verdict->outcome),
                 reason ? reason : "", shown(x));
    }
    esse_arena_free(arena);
}

static bool collect(void *context, const struct esse_execution *x)
{
    struct collected *c = context;
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 64;
        c->texts = realloc(c->texts, (size_t)c->room * sizeof *c->texts);
    }
    c->texts[c->count++] = shown(x);
    if (c->level && (c->count < FEW || c->count % 16 == 0)) /* it costs more than all the rest */
        check_history(c, x);
    return true;
}

static void drop(struct collected *c)
{
    for (int i = 0; i < c->count; i++)
        free(c->texts[i]);
    free(c->texts);
    *c = (struct collected){ 0 };
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static const struct esse_program *compiled(struct esse_arena *arena, const char *text)
{
    const struct esse_program *program;
    struct esse_error err = { 0 };
    if (!esse_tx_compile(arena, text, strlen(text), &program, &err))
        fail_msg("%d:%d: %s\n%s", (int)err.line, (int)err.column, err.text, text);
    return program;
}

/* ---- against brute force ---- */

/* What the search says must be these texts, each once. */
static void compare(const char *text, struct collected *got, const char *const *wanted, int count,
                    const char *what)
{
    qsort(got->texts, (size_t)got->count, sizeof *got->texts, by_text);
    if (got->count != count)
        fail_msg("%s: %d histories, expected %d of\n%s", what, got->count, count, text);
    for (int i = 0; i < count; i++)
        if (strcmp(got->texts[i], wanted[i]) != 0)
            fail_msg("%s: found\n%sexpected\n%sof\n%s", what, got->texts[i], wanted[i], text);
}

struct trial {
    const struct xo_program *p;
    const struct xo_all *all;
    enum xo_level levels[XO_TXNS];
    bool is_mixed, is_base;
    const char **wanted;
    int wanted_count, broken;
};

static void set_wanted(struct trial *trial)
{
    trial->wanted_count = trial->broken = 0;
    for (int i = 0; i < trial->all->count; i++) {
        const int found = xo_allows(trial->p, &trial->all->at[i], trial->levels);
        if (found)
            trial->wanted[trial->wanted_count++] = xo_show(trial->p, &trial->all->at[i]);
        trial->broken += found == 3;
    }
    qsort(trial->wanted, (size_t)trial->wanted_count, sizeof *trial->wanted, by_text);
}

static void drop_wanted(struct trial *trial)
{
    for (int i = 0; i < trial->wanted_count; i++)
        free((char *)(uintptr_t)trial->wanted[i]);
}

static uint64_t broken_count(const struct esse_explored *x)
{
    return x->broken_count ? x->broken[0].count : 0;
}

static void explore_once(const struct trial *trial, bool is_reversed, bool no_cuts, bool is_true)
{
    struct esse_arena *arena = esse_arena_new();
    char *text = xo_text(trial->p, is_reversed, trial->is_mixed);
    struct collected got = { .level = NULL };
    struct esse_explored x;
    const struct esse_explore_options options = { .axiom = (enum esse_axiom)trial->levels[0],
                                                  .no_cuts = no_cuts,
                                                  .base_is_true = is_true,
                                                  .threads = 1,
                                                  .each = collect,
                                                  .context = &got };
    if (!trial->is_mixed && trial->levels[0] != XO_TRUE && !is_reversed && !no_cuts && !is_true)
        got.level = esse_axiom_name((enum esse_axiom)trial->levels[0]);
    esse_explore(arena, compiled(arena, text), &options, &x);
    const char *what = esse_arena_format(
        arena, "%s%s%s", trial->is_mixed ? "mixed" : xo_level_names[trial->levels[0]],
        no_cuts ? " without cuts" : "", is_true ? " over true" : "");
    compare(text, &got, trial->wanted, trial->wanted_count, what);
    CHECK(x.is_whole);
    if (trial->is_base && !is_true) {
        CHECK_EQ(x.counts.blocked, 0);
        CHECK_EQ(x.counts.filtered, 0);
    }
    if (broken_count(&x) != (uint64_t)trial->broken)
        fail_msg("%s: the invariant is broken by %d histories, expected %d of\n%s",
                 xo_level_names[trial->levels[0]], (int)broken_count(&x), trial->broken, text);
    drop(&got);
    free(text);
    esse_arena_free(arena);
}

/* Threads and the search without reduction: the same numbers. */
static void explore_otherwise(const struct trial *trial)
{
    struct esse_arena *arena = esse_arena_new();
    char *text = xo_text(trial->p, 0, trial->is_mixed);
    const struct esse_program *program = compiled(arena, text);
    struct esse_explore_options options = { .axiom = (enum esse_axiom)trial->levels[0],
                                            .threads = 1 };
    struct esse_explored alone, together, all;
    esse_explore(arena, program, &options, &alone);
    options.threads = 2;
    esse_explore(arena, program, &options, &together);
    CHECK_EQ(alone.counts.histories, together.counts.histories);
    CHECK_EQ(alone.counts.calls, together.counts.calls);
    CHECK_EQ(alone.counts.filtered, together.counts.filtered);
    CHECK_EQ(alone.counts.cut, together.counts.cut);
    CHECK_EQ(broken_count(&alone), broken_count(&together));
    if (alone.broken_count) {
        char *one = shown(alone.broken[0].shortest), *two = shown(together.broken[0].shortest);
        CHECK_TEXT(one, two);
        free(one);
        free(two);
    }
    if (trial->is_mixed || trial->levels[0] == XO_CC) {
        options.algorithm = ESSE_SEARCH_DFS;
        options.threads = 1;
        esse_explore(arena, program, &options, &all);
        CHECK_EQ(all.different, alone.counts.histories);
        CHECK_EQ(broken_count(&all), broken_count(&alone));
    }
    free(text);
    esse_arena_free(arena);
}

/* What rc allows and the level does not: esse_check refuses it there. */
static void explore_difference(const struct trial *trial, const struct trial *weak)
{
    struct esse_arena *arena = esse_arena_new();
    char *text = xo_text(trial->p, 0, 0);
    const enum esse_axiom axiom = (enum esse_axiom)trial->levels[0];
    struct collected got = { .level = esse_axiom_name(axiom), .is_refused = true };
    struct esse_explored x;
    const struct esse_explore_options options = { .axiom = ESSE_AXIOM_COMMITTED,
                                                  .but_not = axiom,
                                                  .threads = 1,
                                                  .each = collect,
                                                  .context = &got };
    esse_explore(arena, compiled(arena, text), &options, &x);
    CHECK_EQ(got.count, weak->wanted_count - trial->wanted_count);
    drop(&got);
    free(text);
    esse_arena_free(arena);
}

static void try_level(struct trial *trial)
{
    set_wanted(trial);
    explore_once(trial, false, false, false);
    explore_once(trial, true, false, false);
    if (!trial->is_base) {
        explore_once(trial, false, true, false);
        explore_once(trial, false, false, true);
    }
}

static void try_program(const struct xo_program *p, const struct xo_all *all)
{
    struct trial weak = { .p = p, .all = all, .is_base = true };
    weak.wanted = calloc(XO_HISTORIES, sizeof *weak.wanted);
    for (int t = 0; t < p->txns; t++)
        weak.levels[t] = XO_RC;
    set_wanted(&weak);
    struct trial trial = { .p = p, .all = all };
    trial.wanted = calloc(XO_HISTORIES, sizeof *trial.wanted);
    for (int level = XO_TRUE; level <= XO_LEVELS; level++) {
        trial.is_mixed = level == XO_LEVELS;
        trial.is_base = trial.is_mixed || level <= XO_CC;
        for (int t = 0; t < p->txns; t++) {
            trial.levels[t] = trial.is_mixed ? p->level[t] : (enum xo_level)level;
            trial.is_base &= trial.levels[t] <= XO_CC;
        }
        try_level(&trial);
        if (!trial.is_mixed && level > XO_RC)
            explore_difference(&trial, &weak);
        if (level >= XO_CC)
            explore_otherwise(&trial);
        drop_wanted(&trial);
    }
    drop_wanted(&weak);
    free(weak.wanted);
    free(trial.wanted);
}

TEST(test_explore__finds_what_brute_force_finds)
{
    struct esse_rng rng = { test_setting("ESSE_SEED") * 1000003u };
    unsigned met = 0, large = 0;
    const unsigned rounds = test_rounds(300);
    for (unsigned round = 0; round < rounds; round++) {
        const struct xo_program p = xo_random(&rng);
        struct xo_all all = xo_enumerate(&p);
        if (!all.is_too_many) {
            try_program(&p, &all);
            met++;
            large += all.count > 20;
        }
        xo_free(&all);
    }
    CHECK(met > rounds / 2);
    CHECK(large > rounds / 20);
}

/* ---- the language ---- */

/* What the only transaction of the only session writes to x, in the only history. */
static bool note_written(void *context, const struct esse_execution *x)
{
    const struct esse_unit *unit = &x->units[x->program->txn_count - 1];
    for (uint32_t i = 0; i < unit->count; i++)
        if (unit->steps[i].kind == ESSE_STEP_WRITE)
            *(int64_t *)context = unit->steps[i].value;
    return true;
}

static int64_t evaluated(const char *statements)
{
    struct esse_arena *arena = esse_arena_new();
    int64_t value = -99;
    struct esse_explored x;
    const struct esse_explore_options options = {
        .axiom = ESSE_AXIOM_SERIAL, .threads = 1, .each = note_written, .context = &value
    };
    const char *text = esse_arena_format(
        arena,
        "vars x=0 n=-3 z[3]=[10, 20, 30] s={1, 5} w=\"a\" names={\"a\", \"b\"} yes=true\n"
        "procedure set(to, by) { t := to * by write(x, t) }\n"
        "session { begin %s commit }",
        statements);
    esse_explore(arena, compiled(arena, text), &options, &x);
    CHECK_EQ(x.counts.histories, 1);
    esse_arena_free(arena);
    return value;
}

TEST(test_tx__expressions_are_those_of_C)
{
    CHECK_EQ(evaluated("write(x, 2 + 3 * 4)"), 14);
    CHECK_EQ(evaluated("write(x, (2 + 3) * 4 - -1)"), 21);
    CHECK_EQ(evaluated("write(x, 17 % 5 * 10 + 17 / 5)"), 23);
    CHECK_EQ(evaluated("write(x, 1 < 2 == 2 <= 2)"), 1);
    CHECK_EQ(evaluated("write(x, !(1 > 2) && 3 >= 3 || 0)"), 1);
    CHECK_EQ(evaluated("a := 0 write(x, a != 0 && 1 / a > 0)"), 0);
    CHECK_EQ(evaluated("a := 0 write(x, a == 0 || 1 / a > 0)"), 1);
    CHECK_EQ(evaluated("write(x, 0 || 0 || 7)"), 1);
    CHECK_EQ(evaluated("a := read(n) write(x, a / 2)"), -1);
}

TEST(test_tx__sets_and_texts)
{
    CHECK_EQ(evaluated("a := read(s) write(x, size(a | {2} - {5}))"), 3);
    CHECK_EQ(evaluated("a := read(s) write(x, size(a & {5, 6}) * 10 + (5 in a) + (2 in a))"), 11);
    CHECK_EQ(evaluated("a := read(names) write(x, \"b\" in a)"), 1);
    CHECK_EQ(evaluated("a := read(w) write(x, a == \"a\" && a != \"b\")"), 1);
    CHECK_EQ(evaluated("a := {} a := a | {3} write(x, 3 in a)"), 1);
    CHECK_EQ(evaluated("a := read(yes) write(x, a == true)"), 1);
}

TEST(test_tx__statements)
{
    CHECK_EQ(evaluated("if (0) { write(x, 1) } else if (1) { write(x, 2) } else { write(x, 3) }"),
             2);
    CHECK_EQ(evaluated("a := 1 while (a < 50) bound 10 { a := a * 2 } write(x, a)"), 64);
    CHECK_EQ(evaluated("for i in 0..2 { a := read(z[i]) b := b + a } write(x, b)"), 60);
    CHECK_EQ(evaluated("for i in 2..1 { b := 9 } write(x, b)"), 0);
    CHECK_EQ(evaluated("t := 5 set(t + 1, 7) write(x, t)"), 5);
    CHECK_EQ(evaluated("set(6, 7)"), 42);
    CHECK_EQ(evaluated("write(z[1], 4) a := read(z[1]) write(x, a)"), 4);
    CHECK_EQ(evaluated("for i in 0..3 { write(x, c) c := c + 1 }"), 3);
}

static void check_error(const char *text, uint64_t line, uint64_t column, const char *said)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_program *program;
    struct esse_error err = { 0 };
    CHECK(!esse_tx_compile(arena, text, strlen(text), &program, &err));
    if (!strstr(err.text, said))
        fail_msg("%s: found '%s'", text, err.text);
    CHECK_EQ(err.code, ESSE_EINPUT);
    CHECK_EQ(err.line, line);
    CHECK_EQ(err.column, column);
    esse_arena_free(arena);
}

TEST(test_tx__errors_say_where_and_what)
{
    check_error("", 1, 1, "expected a session with a transaction");
    check_error("vars x=", 1, 8, "expected a number, true, false, a text or a set");
    check_error("vars x=0 x=1", 1, 10, "expected a new variable, found 'x'");
    check_error("session { commit }", 1, 11, "expected 'begin' or '}'");
    check_error("vars x=0\nsession { begin write(x 1) commit }", 2, 25, "expected ','");
    check_error("session { begin a := 1 +  commit", 1, 27, "expected an expression");
    check_error("vars x=0 session { begin a := x commit }", 1, 31, "a := read(x)");
    check_error("vars x=0 session { begin x := 1 commit }", 1, 26, "written by 'write(...)'");
    check_error("session { begin a := 1 & 2 commit }", 1, 22, "expected a set, found a number");
    check_error("session { begin a := {1} a := 2 commit }", 1, 31, "expected a set of numbers");
    check_error("session { begin if (\"a\") { } commit }", 1, 21, "expected a truth value");
    check_error("session { begin a := 99999999999999999999 commit }", 1, 22, "64 bits");
    check_error("session { begin a := \"b\n commit }", 1, 22, "at the end of a text");
    check_error("session { begin for i in 0..1 { i := 0 } commit }", 1, 38, "'i' counts a loop");
    check_error("session { begin q(1) commit }", 1, 17, "a procedure of this program");
    check_error("session { begin level none a := 1 commit }", 1, 23, "unknown");
    check_error("session a { } session a { }", 1, 23, "a session of another name");
    check_error("session { begin $ commit }", 1, 17, "found '$'");
    check_error("vars x[0]=1 session { begin commit }", 1, 8, "from 1 to 100000 elements");
    check_error("session { begin commit } invariant s1.a > 0", 1, 36, "SESSION.TRANSACTION.LOCAL");
}

TEST(test_tx__nesting_and_size_have_ends)
{
    struct esse_arena *arena = esse_arena_new();
    enum { MANY = 20000 };
    static const char *const openers[] = { "(", "!", "-", "{" };
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        struct esse_out out;
        esse_out_init_memory(&out, arena);
        esse_out_text(&out, "session { begin a := ");
        for (int k = 0; k < MANY; k++)
            esse_out_text(&out, openers[i]);
        const struct esse_program *program;
        struct esse_error err = { 0 };
        const char *text = esse_out_memory(&out);
        CHECK(!esse_tx_compile(arena, text, strlen(text), &program, &err));
        CHECK(strstr(err.text, "nested less"));
    }
    esse_arena_free(arena);
}

/* ---- claims ---- */

static void explore_text(struct esse_arena *arena, const char *text, enum esse_axiom axiom,
                         struct esse_explored *x)
{
    const struct esse_explore_options options = { .axiom = axiom, .threads = 1 };
    esse_explore(arena, compiled(arena, text), &options, x);
}

TEST(test_explore__the_shortest_execution_leaves_out_what_it_does_not_need)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_explored x;
    explore_text(arena,
                 "vars x=0 y=0\n"
                 "session a { begin w write(x, 1) commit begin v write(y, 1) commit }\n"
                 "session b { begin r l := read(x) assert l == 0 commit }",
                 ESSE_AXIOM_COMMITTED, &x);
    CHECK_EQ(x.broken_count, 1);
    CHECK_EQ(x.broken[0].shortest->txns, 2);
    CHECK_EQ(x.broken[0].shortest->steps, 2);
    esse_arena_free(arena);
}

TEST(test_explore__an_invariant_is_about_every_final_state)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_explored x;
    const char *text = "vars x=0\n"
                       "session a { begin write(x, 1) commit }\n"
                       "session b { begin write(x, 2) commit }\n"
                       "invariant last: x == 1\n"
                       "invariant some: x == 1 || x == 2";
    explore_text(arena, text, ESSE_AXIOM_SERIAL, &x);
    CHECK_EQ(x.counts.histories, 1);
    CHECK_EQ(x.broken_count, 1);
    CHECK_EQ(x.broken[0].claim, 0);
    CHECK_EQ(x.broken[0].shortest->finals[0], 2);
    esse_arena_free(arena);
}

TEST(test_explore__an_error_is_found_with_its_execution)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_explored x;
    const char *text = "vars i=0 z[2]=0\n"
                       "session a { begin write(i, 2) commit }\n"
                       "session b { begin k := read(i)\n v := read(z[k]) commit }";
    explore_text(arena, text, ESSE_AXIOM_SERIAL, &x);
    CHECK_EQ(x.counts.histories, 2);
    CHECK_EQ(x.broken_count, 1);
    CHECK_EQ(x.broken[0].claim, ESSE_CLAIM_FAULTS);
    CHECK_TEXT(esse_claim_text(arena, x.broken[0].shortest->program, &x.broken[0]),
               "b.t1 stops by an index outside of its array (line 4)");
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tx__expressions_are_those_of_C),
        cmocka_unit_test(test_tx__sets_and_texts),
        cmocka_unit_test(test_tx__statements),
        cmocka_unit_test(test_tx__errors_say_where_and_what),
        cmocka_unit_test(test_tx__nesting_and_size_have_ends),
        cmocka_unit_test(test_explore__the_shortest_execution_leaves_out_what_it_does_not_need),
        cmocka_unit_test(test_explore__an_invariant_is_about_every_final_state),
        cmocka_unit_test(test_explore__an_error_is_found_with_its_execution),
        cmocka_unit_test(test_explore__finds_what_brute_force_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
