#include "report/report_cases.h"

#include "base/vec.h"

#include <string.h>

/*
 * Backtracking with unit propagation over the cycles and sources.  A literal is shown only if the
 * contradiction needs it: 'needed' is collected from the leaves upwards, as a solver learns
 * clauses, and a case that did not need what it supposed is shown without supposing it.
 */

ESSE_VEC(trail_vec, struct esse_consequence)

enum { CANDIDATES = 24, MANY = 4, STEPS = 30000000 };

/* A clause in literals of open choices. */
struct rule {
    const struct esse_clause *clause;
    const uint32_t *literals;
    uint32_t count;
};

ESSE_VEC(rule_vec, struct rule)

struct arguing {
    struct esse_arena *arena;
    const struct esse_refutation *refutation;
    struct rule_vec rules;
    struct trail_vec trail; /* what is so, in the order of finding; clause NULL: supposed */
    uint8_t *is_so;         /* by literal */
    uint8_t *needed;        /* by literal */
    uint64_t steps;
};

/* ---- clauses ---- */

static void add_rule(struct arguing *a, const struct esse_clause *clause)
{
    const struct esse_given given = esse_given_of(a->arena, a->refutation, clause);
    uint32_t *literals = esse_arena_alloc(a->arena, given.count + 1u, sizeof *literals);
    for (uint32_t i = 0; i < given.count; i++)
        literals[i] = given.literals[i] ^ 1;
    rule_vec_push(&a->rules, a->arena, (struct rule){ clause, literals, given.count });
}

/* How many literals are undecided, and the last of them; UINT32_MAX if one is true. */
static uint32_t undecided(const struct arguing *a, const struct rule *rule, uint32_t *last)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rule->count; i++) {
        if (a->is_so[rule->literals[i]])
            return UINT32_MAX;
        if (!a->is_so[rule->literals[i] ^ 1]) {
            *last = rule->literals[i];
            count++;
        }
    }
    return count;
}

static void suppose(struct arguing *a, uint32_t literal, const struct esse_clause *because)
{
    a->is_so[literal] = 1;
    trail_vec_push(&a->trail, a->arena, (struct esse_consequence){ literal, because });
}

static void forget(struct arguing *a, size_t mark)
{
    while (a->trail.count > mark)
        a->is_so[a->trail.at[--a->trail.count].literal] = 0;
}

/* Draws all conclusions; the rule that is false then, or NULL. */
static const struct rule *propagate(struct arguing *a)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < a->rules.count; i++) {
            const struct rule *rule = &a->rules.at[i];
            uint32_t last = 0, count = undecided(a, rule, &last);
            a->steps += rule->count + 1;
            if (!count)
                return rule;
            if (count == 1) {
                suppose(a, last, rule->clause);
                again = true;
            }
        }
    }
    return NULL;
}

/* ---- which choice ---- */

/* How much supposing the literal leads to: a contradiction counts more than any conclusions. */
static uint64_t yield_of(struct arguing *a, uint32_t literal)
{
    const size_t mark = a->trail.count;
    suppose(a, literal, NULL);
    const bool ends = propagate(a) != NULL;
    const uint64_t found = a->trail.count - mark;
    forget(a, mark);
    return ends ? UINT32_MAX : found;
}

/* The best of the choices that stand in the shortest clauses, up to 'CANDIDATES'. */
struct choosing {
    uint32_t tried[CANDIDATES], count, best;
    uint64_t best_yield;
};

static void try_choice(struct arguing *a, struct choosing *c, uint32_t literal)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->tried[i] == literal)
            return;
    const uint64_t one = yield_of(a, literal), other = yield_of(a, literal ^ 1);
    const uint64_t yield = one + other;
    c->tried[c->count++] = literal;
    if (yield > c->best_yield) {
        c->best_yield = yield;
        c->best = literal;
    }
}

/* The choice to divide by; UINT32_MAX if nothing is open. */
static uint32_t choose(struct arguing *a)
{
    struct choosing c = { .best = UINT32_MAX };
    for (uint32_t size = 2; size <= MANY; size++) {
        for (size_t i = 0; i < a->rules.count && c.count < CANDIDATES; i++) {
            uint32_t last = 0;
            const uint32_t count = undecided(a, &a->rules.at[i], &last);
            if (count != UINT32_MAX && (count == size || (size == MANY && count > MANY)))
                try_choice(a, &c, last & ~1u);
        }
    }
    return c.best;
}

/* ---- the argument ---- */

static void need_rule(struct arguing *a, const struct esse_clause *clause, uint32_t but)
{
    const struct rule *rule = a->rules.at;
    while (rule->clause != clause)
        rule++;
    for (uint32_t i = 0; i < rule->count; i++)
        if (rule->literals[i] != but)
            a->needed[rule->literals[i] ^ 1] = 1;
}

static bool take_need(struct arguing *a, uint32_t literal)
{
    const bool needed = a->needed[literal];
    a->needed[literal] = 0;
    return needed;
}

static struct esse_case *new_case(struct arguing *a, const struct esse_clause *broken)
{
    struct esse_case *new = esse_arena_alloc(a->arena, 1, sizeof *new);
    *new = (struct esse_case){ .broken = broken, .leaves = 1 };
    return new;
}

/* Of the conclusions since 'mark', those that are needed, in their order and before what the case
 * has already; they need others in turn. */
static void keep_needed(struct arguing *a, size_t mark, struct esse_case *argued)
{
    struct trail_vec kept = { 0 };
    for (size_t at = a->trail.count; at-- > mark;) {
        const struct esse_consequence found = a->trail.at[at];
        if (!found.clause || !take_need(a, found.literal))
            continue;
        need_rule(a, found.clause, found.literal);
        trail_vec_push(&kept, a->arena, found);
    }
    const size_t count = kept.count + argued->follow_count;
    struct esse_consequence *all = esse_arena_alloc(a->arena, count + 1, sizeof *all);
    for (size_t i = 0; i < kept.count; i++)
        all[i] = kept.at[kept.count - 1 - i];
    for (uint32_t i = 0; i < argued->follow_count; i++)
        all[kept.count + i] = argued->follows[i];
    argued->follows = all;
    argued->follow_count = (uint32_t)count;
}

/* A conclusion by one cycle, and then another cycle at once: rather both ways of one choice. */
static void make_even(struct arguing *a, struct esse_case *argued)
{
    if (!argued->follow_count || !argued->broken || argued->broken->kind != ESSE_CLAUSE_CYCLE)
        return;
    const struct esse_consequence last = argued->follows[argued->follow_count - 1];
    if (last.clause->kind != ESSE_CLAUSE_CYCLE)
        return;
    struct esse_case *one = new_case(a, last.clause), *other = new_case(a, argued->broken);
    one->literal = last.literal ^ 1;
    other->literal = last.literal;
    const bool is_second = one->literal & 1; /* what is so comes first */
    argued->cases[is_second] = one;
    argued->cases[!is_second] = other;
    argued->broken = NULL;
    argued->follow_count--;
    argued->leaves = 2;
}

static struct esse_case *argue(struct arguing *a);

static struct esse_case *argue_one(struct arguing *a, uint32_t literal)
{
    const size_t mark = a->trail.count;
    suppose(a, literal, NULL);
    struct esse_case *argued = argue(a);
    argued->literal = literal;
    forget(a, mark);
    return argued;
}

/* Both ways of a choice; or only one, if it did not need the choice. */
static struct esse_case *divide(struct arguing *a, uint32_t literal)
{
    const size_t room = 2u * (size_t)a->refutation->choice_count;
    uint8_t *before = esse_arena_alloc(a->arena, room, 1);
    memcpy(before, a->needed, room);
    struct esse_case *first = argue_one(a, literal);
    if (!take_need(a, literal))
        return first;
    uint8_t *after = esse_arena_alloc(a->arena, room, 1);
    memcpy(after, a->needed, room);
    memcpy(a->needed, before, room);
    struct esse_case *second = argue_one(a, literal ^ 1);
    if (!take_need(a, literal ^ 1))
        return second;
    for (size_t i = 0; i < room; i++)
        a->needed[i] |= after[i];
    struct esse_case *both = new_case(a, NULL);
    both->cases[0] = first;
    both->cases[1] = second;
    both->leaves = first->leaves + second->leaves;
    return both;
}

static struct esse_case *leave_open(struct arguing *a)
{
    for (size_t i = 0; i < a->trail.count; i++)
        a->needed[a->trail.at[i].literal] = 1;
    return new_case(a, NULL);
}

static struct esse_case *argue(struct arguing *a)
{
    const size_t mark = a->trail.count;
    const struct rule *broken = propagate(a);
    struct esse_case *argued;
    if (broken) {
        argued = new_case(a, broken->clause);
        need_rule(a, broken->clause, UINT32_MAX);
    } else {
        const uint32_t literal = a->steps < STEPS ? choose(a) : UINT32_MAX;
        argued = literal == UINT32_MAX ? leave_open(a) : divide(a, literal);
    }
    keep_needed(a, mark, argued);
    make_even(a, argued);
    return argued;
}

const struct esse_case *esse_cases_of(struct esse_arena *arena,
                                      const struct esse_refutation *refutation)
{
    const size_t room = 2u * (size_t)refutation->choice_count + 1;
    struct arguing a = { .arena = arena, .refutation = refutation };
    a.is_so = esse_arena_alloc(arena, room, 1);
    a.needed = esse_arena_alloc(arena, room, 1);
    for (uint32_t i = 0; i < refutation->clause_count; i++)
        if (refutation->clauses[i].kind == ESSE_CLAUSE_CYCLE ||
            refutation->clauses[i].kind == ESSE_CLAUSE_SOURCES)
            add_rule(&a, &refutation->clauses[i]);
    return argue(&a);
}
