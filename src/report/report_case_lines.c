#include "base/vec.h"
#include "history/access.h"
#include "history/show.h"
#include "report/report_cases.h"
#include "report/report_cycle.h"

ESSE_VEC(line_vec, struct esse_case_line)

enum {
    CYCLE_WHOLE = 6, /* with more edges, only some are shown, ... */
    EDGES_SHOWN = 4, /* ... this many and the last */
};

struct telling {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_refutation *refutation;
    struct line_vec lines;
    uint32_t most, shown; /* contradictions */
    bool is_nested;
};

static void tell(struct telling *t, enum esse_case_line_kind kind, uint32_t depth, const char *text)
{
    line_vec_push(&t->lines, t->arena, (struct esse_case_line){ kind, depth, text });
}

/* ---- contradictions ---- */

static void tell_cycle(struct telling *t, const struct esse_clause *clause, uint32_t depth)
{
    const struct esse_anomaly cycle = { .edges = clause->edges, .edge_count = clause->edge_count };
    for (uint32_t i = 0; i < clause->edge_count; i++) {
        if (clause->edge_count > CYCLE_WHOLE && i == EDGES_SHOWN) {
            i = clause->edge_count - 1;
            tell(t, ESSE_CASE_REST, depth,
                 esse_arena_format(t->arena, "… %u more of the same kind …", i - EDGES_SHOWN));
        }
        tell(t, ESSE_CASE_REASON, depth,
             esse_arena_format(t->arena, "%u. %s", i + 1, clause->edges[i].why));
    }
    tell(t, ESSE_CASE_CONCLUSION, depth, esse_shown_conclusion(t->arena, t->history, &cycle));
}

/* "that t3 can have read of x" */
static const char *say_readable(struct telling *t, const struct esse_clause *clause)
{
    const bool is_predicate = esse_op_is_predicate(t->history->op_kind[clause->read.ix]);
    return esse_arena_format(
        t->arena, "that %s%s can have %s of %s", is_predicate ? "the predicate of " : "",
        esse_show_txn_text(t->arena, t->history, esse_op_txn(t->history, clause->read.ix)),
        is_predicate ? "seen" : "read", esse_show_key_text(t->arena, t->history, clause->key));
}

static void tell_broken(struct telling *t, const struct esse_clause *clause, uint32_t depth)
{
    t->shown++;
    if (clause->kind == ESSE_CLAUSE_CYCLE)
        tell_cycle(t, clause, depth);
    else
        tell(t, ESSE_CASE_CONCLUSION, depth,
             esse_arena_format(t->arena, "so there is no version %s", say_readable(t, clause)));
}

static void tell_consequence(struct telling *t, const struct esse_consequence *found,
                             uint32_t depth)
{
    const char *words = esse_choice_words(t->arena, t->history, t->refutation, found->literal);
    if (found->clause->kind == ESSE_CLAUSE_SOURCES) {
        tell(t, ESSE_CASE_SUPPOSE, depth,
             esse_arena_format(t->arena, "It must be that %s: there is nothing else %s", words,
                               say_readable(t, found->clause)));
        return;
    }
    tell(t, ESSE_CASE_SUPPOSE, depth,
         esse_arena_format(t->arena, "It must be that %s, because otherwise:", words));
    tell_broken(t, found->clause, depth + 1);
}

/* ---- cases ---- */

static uint32_t contradictions(const struct esse_case *argued)
{
    uint32_t count = !argued->cases[0];
    for (uint32_t i = 0; i < argued->follow_count; i++)
        count += argued->follows[i].clause->kind == ESSE_CLAUSE_CYCLE;
    for (uint32_t i = 0; i < 2 && argued->cases[i]; i++)
        count += contradictions(argued->cases[i]);
    return count;
}

static bool is_enough(const struct telling *t)
{
    return t->most && t->shown >= t->most;
}

static void tell_case(struct telling *t, const struct esse_case *argued, const char *number,
                      uint32_t depth);

/* The second of two short cases may speak of the first. */
static void tell_supposed(struct telling *t, const struct esse_case *argued, uint32_t at,
                          const char *number, uint32_t depth)
{
    const struct esse_case *one = argued->cases[at];
    const bool follows_first =
        at && argued->cases[0]->leaves == 1 && !argued->cases[0]->follow_count;
    const char *words = follows_first
                            ? esse_choice_again(t->refutation, one->literal)
                            : esse_choice_words(t->arena, t->history, t->refutation, one->literal);
    const char *name = esse_arena_format(t->arena, "%s%s%u", number, *number ? "." : "", at + 1);
    tell(t, ESSE_CASE_SUPPOSE, depth,
         t->is_nested ? esse_arena_format(t->arena, "Case %s: suppose %s:", name, words)
                      : esse_arena_format(t->arena, "Suppose %s:", words));
    tell_case(t, one, name, depth + 1);
}

static void tell_case(struct telling *t, const struct esse_case *argued, const char *number,
                      uint32_t depth)
{
    for (uint32_t i = 0; i < argued->follow_count && !is_enough(t); i++)
        tell_consequence(t, &argued->follows[i], depth);
    if (is_enough(t))
        return;
    for (uint32_t i = 0; i < 2 && argued->cases[i] && !is_enough(t); i++)
        tell_supposed(t, argued, i, number, depth);
    if (argued->cases[0])
        return;
    if (argued->broken) {
        tell_broken(t, argued->broken, depth);
    } else {
        t->shown++;
        tell(t, ESSE_CASE_REST, depth, "… which leads to more cases than are shown here");
    }
}

static bool has_nested(const struct esse_case *argued)
{
    return argued->cases[0] && (argued->cases[0]->cases[0] || argued->cases[1]->cases[0]);
}

const struct esse_case_line *esse_case_lines(struct esse_arena *arena,
                                             const struct esse_history *history,
                                             const struct esse_refutation *refutation,
                                             uint32_t most, uint32_t *count)
{
    const struct esse_case *argued = esse_cases_of(arena, refutation);
    struct telling t = { .arena = arena,
                         .history = history,
                         .refutation = refutation,
                         .most = most,
                         .is_nested = has_nested(argued) };
    const uint32_t all = contradictions(argued);
    if (most && all == most + 1)
        t.most = all; /* to say that there is one more takes as much room */
    tell_case(&t, argued, "", 0);
    if (t.shown < all)
        tell(&t, ESSE_CASE_REST, 0,
             esse_arena_format(arena, "… and %u more case%s", all - t.shown,
                               all - t.shown == 1 ? "" : "s"));
    *count = (uint32_t)t.lines.count;
    return t.lines.at;
}
