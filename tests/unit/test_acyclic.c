#include "sat/acyclic.h"
#include "sat_proof.h"

/* ---- random guarded graphs against brute force ---- */

enum { NODES = 8, VARS = 7, EDGES = 40 };

/* A graph of up to NODES nodes: known edges, then guarded ones. */
struct problem {
    struct esse_arena *arena;
    uint32_t nodes, vars, known, count;
    struct esse_guarded_edge edges[EDGES];
    uint32_t first[NODES + 2], to[EDGES], hint[NODES];
    struct esse_acyclic *acyclic;
    struct esse_solver *solver;
    struct recorded record;
    bool lazy;
    uint8_t asked[2 * VARS];
};

/* Whether the edges with guards in the model, and those without guards, have no cycle. */
static bool is_acyclic(const struct problem *p, uint32_t model)
{
    bool reach[NODES][NODES] = { { false } };
    for (uint32_t e = 0; e < p->count; e++)
        if (p->edges[e].guard == ESSE_LIT_NONE || lit_holds(p->edges[e].guard, model))
            reach[p->edges[e].from][p->edges[e].to] = true;
    for (uint32_t k = 0; k < p->nodes; k++)
        for (uint32_t a = 0; a < p->nodes; a++)
            for (uint32_t b = 0; b < p->nodes; b++)
                reach[a][b] |= reach[a][k] && reach[k][b];
    for (uint32_t a = 0; a < p->nodes; a++)
        if (reach[a][a])
            return false;
    return true;
}

static bool has_model(const struct problem *p)
{
    for (uint32_t model = 0; model < 1u << p->vars; model++)
        if (given_hold(&p->record, model) && is_acyclic(p, model))
            return true;
    return false;
}

/* Known edges mostly lead from lower to higher nodes, or there would be nothing to solve. */
static struct esse_guarded_edge random_edge(struct problem *p, struct esse_rng *rng)
{
    uint32_t from = esse_rng_below(rng, p->nodes), to = esse_rng_below(rng, p->nodes);
    if (from > to || (from == to && esse_rng_below(rng, 8)))
        return random_edge(p, rng);
    if (esse_rng_below(rng, 60) == 0)
        return (struct esse_guarded_edge){ to, from, ESSE_LIT_NONE };
    return (struct esse_guarded_edge){ from, to, ESSE_LIT_NONE };
}

static void random_problem(struct problem *p, struct esse_rng *rng)
{
    *p = (struct problem){ .nodes = 2 + esse_rng_below(rng, NODES - 1) };
    p->vars = 1 + esse_rng_below(rng, VARS);
    p->known = esse_rng_below(rng, p->nodes + 3);
    p->count = p->known + esse_rng_below(rng, 24);
    for (uint32_t e = 0; e < p->count; e++) {
        p->edges[e] = random_edge(p, rng);
        if (e < p->known)
            continue;
        p->edges[e].guard = esse_rng_below(rng, 2 * p->vars);
        if (esse_rng_below(rng, 2)) {
            uint32_t from = p->edges[e].from;
            p->edges[e].from = p->edges[e].to;
            p->edges[e].to = from;
        }
    }
    for (uint32_t v = 0; v < p->nodes; v++)
        p->hint[v] = esse_rng_below(rng, 4);
    p->lazy = esse_rng_below(rng, 2);
}

static void known_edges(struct problem *p)
{
    for (uint32_t v = 0, at = 0; v < p->nodes; v++) {
        p->first[v] = at;
        for (uint32_t e = 0; e < p->known; e++)
            if (p->edges[e].from == v)
                p->to[at++] = p->edges[e].to;
        p->first[v + 1] = at;
    }
}

static void guard_edges(struct problem *p, esse_lit lit)
{
    for (uint32_t e = p->known; e < p->count; e++)
        if (p->edges[e].guard == lit)
            esse_acyclic_guard(p->acyclic, lit, p->edges[e].from, p->edges[e].to);
}

static void ask_edges(void *context, esse_lit lit)
{
    struct problem *p = context;
    if (lit >= 2 * p->vars)
        return; /* padding */
    CHECK_EQ(p->asked[lit], 0);
    p->asked[lit] = 1;
    guard_edges(p, lit);
}

static void set_up(struct problem *p, bool hinted, bool deep)
{
    known_edges(p);
    p->arena = esse_arena_new();
    p->solver = esse_solver_new(p->arena, NULL);
    struct esse_acyclic_spec spec = { .nodes = p->nodes,
                                      .first = p->first,
                                      .to = p->to,
                                      .hint = hinted ? p->hint : NULL,
                                      .context = p,
                                      .edges = p->lazy ? ask_edges : NULL };
    p->acyclic = esse_acyclic_new(p->arena, p->solver, &spec);
    CHECK(p->acyclic);
    record_from(&p->record, p->arena, p->solver);
    for (uint32_t v = 0; v < p->vars; v++)
        esse_solver_var(p->solver, v & 1, 0);
    for (uint32_t v = 0; deep && v < 120; v++)
        esse_solver_var(p->solver, false, 1);
    for (esse_lit lit = 0; !p->lazy && lit < 2 * p->vars; lit++)
        guard_edges(p, lit);
}

static bool is_known_edge(const struct problem *p, uint32_t from, uint32_t to, esse_lit guard)
{
    for (uint32_t e = 0; e < p->count; e++)
        if (p->edges[e].from == from && p->edges[e].to == to && p->edges[e].guard == guard)
            return true;
    return false;
}

/* Whether an edge of the clause's first guard may be part of another cycle that makes the clause
 * smaller: any of them, if all have the same start or end, else only the one that closed it. */
static bool may_close(const struct problem *p, uint32_t e, struct esse_guarded_edge closing)
{
    bool same_from = true, same_to = true;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->edges[i].guard == closing.guard) {
            same_from &= p->edges[i].from == closing.from;
            same_to &= p->edges[i].to == closing.to;
        }
    return same_from || same_to ||
           (p->edges[e].from == closing.from && p->edges[e].to == closing.to);
}

/* A cycle of edges of the problem, whose guards are the negations of the clause's literals; and
 * with one of them less there is none. */
static void check_lemma(const struct problem *p, struct step step)
{
    const esse_lit *lits = p->record.lits.at + step.first;
    const struct esse_guarded_edge *cycle = p->record.edges.at + step.cycle;
    uint32_t guards = 0, in_clause = 0;
    CHECK(step.cycle_size > 0);
    for (uint32_t i = 0; i < step.cycle_size; i++) {
        CHECK(is_known_edge(p, cycle[i].from, cycle[i].to, cycle[i].guard));
        CHECK_EQ(cycle[i].to, cycle[(i + 1) % step.cycle_size].from);
        if (cycle[i].guard != ESSE_LIT_NONE)
            guards |= 1u << cycle[i].guard;
    }
    for (uint32_t i = 0; i < step.count; i++) {
        CHECK(!(in_clause >> (lits[i] ^ 1) & 1));
        in_clause |= 1u << (lits[i] ^ 1);
    }
    CHECK_EQ(guards, in_clause);
    for (uint32_t out = 0; out < step.count; out++) {
        struct problem less = *p;
        less.count = 0;
        for (uint32_t e = 0; e < p->count; e++) {
            esse_lit guard = p->edges[e].guard;
            if (guard == (lits[0] ^ 1) && !may_close(p, e, cycle[step.cycle_size - 1]))
                continue;
            if (guard == ESSE_LIT_NONE || (guards >> guard & 1 && guard != (lits[out] ^ 1))) {
                less.edges[less.count] = p->edges[e];
                less.edges[less.count++].guard = ESSE_LIT_NONE;
            }
        }
        CHECK(is_acyclic(&less, 0));
    }
}

static void check_refutation(const struct problem *p)
{
    struct esse_rup *rup = esse_rup_new(p->arena);
    CHECK(replay(&p->record, rup, UINT32_MAX));
    CHECK(refuted(rup));
}

static void check_answer(struct problem *p)
{
    enum esse_solver_answer answer = esse_solver_solve(p->solver, NULL, 0);
    CHECK_EQ(answer, has_model(p) ? ESSE_SOLVER_SAT : ESSE_SOLVER_UNSAT);
    for (size_t i = 0; i < p->record.steps.count; i++)
        if (p->record.steps.at[i].kind == STEP_LEMMA)
            check_lemma(p, p->record.steps.at[i]);
    if (answer == ESSE_SOLVER_UNSAT) {
        check_refutation(p);
        return;
    }
    uint32_t model = 0, places = 0;
    for (uint32_t v = 0; v < p->vars; v++)
        model |= (uint32_t)esse_solver_value(p->solver, 2 * v) << v;
    CHECK(given_hold(&p->record, model));
    for (uint32_t e = 0; e < p->count; e++)
        if (p->edges[e].guard == ESSE_LIT_NONE || lit_holds(p->edges[e].guard, model))
            CHECK(esse_acyclic_position(p->acyclic, p->edges[e].from) <
                  esse_acyclic_position(p->acyclic, p->edges[e].to));
    for (uint32_t v = 0; v < p->nodes; v++)
        places |= 1u << esse_acyclic_position(p->acyclic, v);
    CHECK_EQ(places, (1u << p->nodes) - 1);
}

static void check_known_cycle(const struct problem *p)
{
    uint32_t count;
    const uint32_t *cycle = esse_acyclic_known_cycle(p->acyclic, &count);
    CHECK(count > 0);
    for (uint32_t i = 0; i < count; i++)
        CHECK(is_known_edge(p, cycle[i], cycle[(i + 1) % count], ESSE_LIT_NONE));
}

static bool known_is_acyclic(struct problem p)
{
    p.count = p.known;
    return is_acyclic(&p, 0);
}

static void one_problem(struct esse_rng *rng, bool deep)
{
    struct problem p;
    random_problem(&p, rng);
    set_up(&p, esse_rng_below(rng, 2), deep);
    if (!known_is_acyclic(p)) {
        check_known_cycle(&p);
    } else {
        uint32_t count;
        esse_acyclic_known_cycle(p.acyclic, &count);
        CHECK_EQ(count, 0);
        for (int portion = 0; portion < 3; portion++) {
            for (uint32_t n = esse_rng_below(rng, 4); n > 0; n--) {
                esse_lit lits[3];
                for (int i = 0; i < 3; i++)
                    lits[i] = esse_rng_below(rng, 2 * p.vars);
                give(&p.record, p.solver, lits, 1 + esse_rng_below(rng, 3));
            }
            check_answer(&p);
        }
    }
    esse_arena_free(p.arena);
}

TEST(test_acyclic__agrees_with_brute_force)
{
    struct esse_rng rng = { 1 };
    for (unsigned round = 0; round < test_rounds(10000); round++)
        one_problem(&rng, false);
}

TEST(test_acyclic__agrees_with_brute_force_when_conflicts_are_deep)
{
    struct esse_rng rng = { 2 };
    for (unsigned round = 0; round < test_rounds(1500); round++)
        one_problem(&rng, true);
}

/* Without its lemmas a refutation proves nothing, if the clauses alone have a model. */
TEST(test_acyclic__a_proof_needs_its_cycles)
{
    struct esse_rng rng = { 3 };
    unsigned refused = 0;
    for (unsigned round = 0; round < test_rounds(2000); round++) {
        struct problem p;
        random_problem(&p, &rng);
        set_up(&p, true, false);
        if (known_is_acyclic(p) && esse_solver_solve(p.solver, NULL, 0) == ESSE_SOLVER_UNSAT) {
            for (size_t i = 0; i < p.record.steps.count; i++)
                if (p.record.steps.at[i].kind == STEP_LEMMA)
                    p.record.steps.at[i].kind = STEP_LEARNT;
            CHECK(!replay(&p.record, esse_rup_new(p.arena), UINT32_MAX));
            refused++;
        }
        esse_arena_free(p.arena);
    }
    CHECK(refused > 20);
}

/* ---- orders of writes, as a client has them ---- */

/* Items in groups; a variable for every two of a group says which comes first.  Known edges come
 * from a hidden order, which the hint does not know. */
struct tournament {
    uint32_t items, group;
    struct esse_solver_stats stats;
    enum esse_solver_answer answer;
};

static void add_pairs(struct esse_solver *solver, struct esse_acyclic *acyclic,
                      const struct tournament *t)
{
    for (uint32_t a = 0; a < t->items; a++)
        for (uint32_t b = a + 1; b < t->items && b / t->group == a / t->group; b++) {
            esse_lit lit = 2 * esse_solver_var(solver, true, 0);
            esse_acyclic_guard(acyclic, lit, a, b);
            esse_acyclic_guard(acyclic, lit ^ 1, b, a);
        }
}

static void run_tournament(struct tournament *t, uint64_t seed, bool cyclic)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_solver *solver = esse_solver_new(arena, NULL);
    struct esse_rng rng = { seed };
    uint32_t *rank = esse_arena_alloc(arena, t->items, sizeof *rank);
    uint32_t *first = esse_arena_alloc(arena, t->items + 1, sizeof *first);
    uint32_t *to = esse_arena_alloc(arena, 2 * t->items, sizeof *to), at = 0;
    for (uint32_t v = 0; v < t->items; v++)
        rank[v] = (uint32_t)esse_rng_next(&rng);
    for (uint32_t v = 0; v < t->items; v++) {
        for (int i = 0; i < 2; i++) {
            uint32_t other = esse_rng_below(&rng, t->items);
            if (rank[v] < rank[other])
                to[at++] = other;
        }
        first[v + 1] = at;
    }
    struct esse_acyclic_spec spec = { .nodes = t->items, .first = first, .to = to };
    struct esse_acyclic *acyclic = esse_acyclic_new(arena, solver, &spec);
    add_pairs(solver, acyclic, t);
    if (cyclic) /* a ring of choices, each of which is forced */
        for (uint32_t i = 0; i < 3; i++) {
            esse_lit lit = 2 * esse_solver_var(solver, true, 0);
            esse_acyclic_guard(acyclic, lit, i * t->group, (i + 1) % 3 * t->group);
            esse_solver_add(solver, &lit, 1);
        }
    t->answer = esse_solver_solve(solver, NULL, 0);
    t->stats = *esse_solver_stats(solver);
    esse_arena_free(arena);
}

TEST(test_acyclic__orders_thousands_and_equal_calls_give_equal_runs)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct tournament t = { .items = 2000, .group = 10 }, again = t, cyclic = t;
        run_tournament(&t, seed, false);
        run_tournament(&again, seed, false);
        run_tournament(&cyclic, seed, true);
        CHECK_EQ(t.answer, ESSE_SOLVER_SAT);
        CHECK_EQ(cyclic.answer, ESSE_SOLVER_UNSAT);
        CHECK_EQ(memcmp(&t.stats, &again.stats, sizeof t.stats), 0);
    }
}

/* ---- hints, more, budgets ---- */

TEST(test_acyclic__the_hint_decides_where_edges_leave_a_choice)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_solver *solver = esse_solver_new(arena, NULL);
    /* 2 -> 0, and otherwise as hinted: 3, then 0, 1, 2; so 3, 1, 2, 0 */
    uint32_t first[] = { 0, 0, 0, 1, 1 }, to[] = { 0 }, hint[] = { 5, 6, 7, 1 };
    struct esse_acyclic_spec spec = { .nodes = 4, .first = first, .to = to, .hint = hint };
    struct esse_acyclic *acyclic = esse_acyclic_new(arena, solver, &spec);
    const uint32_t want[] = { 3, 1, 2, 0 };
    for (uint32_t v = 0; v < 4; v++)
        CHECK_EQ(esse_acyclic_position(acyclic, v), want[v]);
    /* and a choice is decided as the order has it, against the phase given */
    uint32_t var = esse_solver_var(solver, true, 0);
    esse_acyclic_guard(acyclic, 2 * var, 0, 1);
    esse_acyclic_guard(acyclic, 2 * var + 1, 1, 0);
    CHECK_EQ(esse_solver_solve(solver, NULL, 0), ESSE_SOLVER_SAT);
    CHECK(!esse_solver_value(solver, 2 * var));
    CHECK_EQ(esse_solver_stats(solver)->conflicts, 0);
    esse_arena_free(arena);
}

/* 2 -> 0 turns the order round, so that an edge from 0, or 1 that it leads to, to 2 must not come.
 */
TEST(test_acyclic__edges_that_would_close_a_cycle_are_ruled_out)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_solver *solver = esse_solver_new(arena, NULL);
    uint32_t first[] = { 0, 1, 1, 1 }, to[] = { 1 };
    struct esse_acyclic_spec spec = { .nodes = 3, .first = first, .to = to };
    struct esse_acyclic *acyclic = esse_acyclic_new(arena, solver, &spec);
    for (uint32_t v = 0; v < 4; v++)
        esse_solver_var(solver, true, 4 - v);
    esse_acyclic_guard(acyclic, 2 * 0, 2, 0);
    esse_acyclic_guard(acyclic, 2 * 1, 0, 2);
    esse_acyclic_guard(acyclic, 2 * 2, 1, 2);
    esse_acyclic_guard(acyclic, 2 * 3, 2, 1);
    for (int again = 0; again < 2; again++) { /* it is taken back, and ruled out again */
        esse_lit assumed[] = { 2 * 0 };
        CHECK_EQ(esse_solver_solve(solver, assumed, 1), ESSE_SOLVER_SAT);
        CHECK(!esse_solver_value(solver, 2 * 1));
        CHECK(!esse_solver_value(solver, 2 * 2));
        CHECK_EQ(esse_solver_stats(solver)->conflicts, 0);
        /* the other way round, which rules out 2 -> 0 and 2 -> 1, and restores the order */
        CHECK_EQ(esse_solver_solve(solver, (esse_lit[]){ 2 * 1, 2 * 2 }, 2), ESSE_SOLVER_SAT);
        CHECK_EQ(esse_solver_stats(solver)->implied, 4 * (uint64_t)(again + 1));
    }
    esse_arena_free(arena);
}

/* Asks for the edge back once a model is there: a variable, then a clause that it must be true. */
struct afterthought {
    struct esse_solver *solver;
    struct esse_acyclic *acyclic;
    int calls;
    uint32_t var;
};

static bool add_more(void *context)
{
    struct afterthought *more = context;
    switch (more->calls++) {
    case 0:
        more->var = esse_solver_var(more->solver, false, 0);
        esse_acyclic_guard(more->acyclic, 2 * more->var, 2, 0);
        return true;
    case 1:
        CHECK(!esse_solver_value(more->solver, 2 * more->var));
        esse_solver_add(more->solver, (esse_lit[]){ 2 * more->var }, 1);
        return true;
    default:
        return false;
    }
}

TEST(test_acyclic__more_may_come_when_the_order_is_complete)
{
    for (int chained = 0; chained < 2; chained++) {
        struct esse_arena *arena = esse_arena_new();
        struct afterthought more = { .solver = esse_solver_new(arena, NULL) };
        uint32_t first[] = { 0, 1, 1, 1 }, to[] = { 1 };
        struct esse_acyclic_spec spec = {
            .nodes = 3, .first = first, .to = to, .context = &more, .more = add_more
        };
        more.acyclic = esse_acyclic_new(arena, more.solver, &spec);
        uint32_t var = esse_solver_var(more.solver, true, 0);
        esse_acyclic_guard(more.acyclic, 2 * var, 1, 2);
        if (chained)
            esse_solver_add(more.solver, (esse_lit[]){ 2 * var }, 1);
        enum esse_solver_answer answer = esse_solver_solve(more.solver, NULL, 0);
        CHECK_EQ(answer, chained ? ESSE_SOLVER_UNSAT : ESSE_SOLVER_SAT);
        CHECK_EQ(more.calls, chained ? 2 : 3);
        if (!chained)
            CHECK(!esse_solver_value(more.solver, 2 * var));
        esse_arena_free(arena);
    }
}

TEST(test_acyclic__a_spent_budget_is_no_theory_or_unknown)
{
    enum { LONG = 200000 };
    struct esse_arena *arena = esse_arena_new();
    struct esse_budget budget = { .cancel = 1 };
    struct esse_solver *solver = esse_solver_new(arena, &budget);
    uint32_t *first = esse_arena_alloc(arena, LONG + 1, sizeof *first);
    uint32_t *to = esse_arena_alloc(arena, LONG, sizeof *to);
    for (uint32_t v = 1; v <= LONG; v++) { /* each node leads to the one before */
        first[v] = v - 1;
        to[v - 1] = v - 1;
    }
    struct esse_acyclic_spec spec = { .nodes = LONG, .first = first, .to = to };
    CHECK(!esse_acyclic_new(arena, solver, &spec));

    budget = (struct esse_budget){ 0 };
    struct esse_acyclic *acyclic = esse_acyclic_new(arena, solver, &spec);
    CHECK(acyclic);
    for (uint32_t i = 0; i < LONG; i++)
        esse_acyclic_guard(acyclic, 2 * esse_solver_var(solver, false, 0), i, (i * 7919u) % LONG);
    budget = (struct esse_budget){ .cancel = 1 };
    CHECK_EQ(esse_solver_solve(solver, NULL, 0), ESSE_SOLVER_UNKNOWN);
    CHECK(esse_solver_stats(solver)->decisions < LONG / 2);
    budget = (struct esse_budget){ 0 };
    CHECK_EQ(esse_solver_solve(solver, NULL, 0), ESSE_SOLVER_SAT);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_acyclic__agrees_with_brute_force),
        cmocka_unit_test(test_acyclic__agrees_with_brute_force_when_conflicts_are_deep),
        cmocka_unit_test(test_acyclic__a_proof_needs_its_cycles),
        cmocka_unit_test(test_acyclic__orders_thousands_and_equal_calls_give_equal_runs),
        cmocka_unit_test(test_acyclic__the_hint_decides_where_edges_leave_a_choice),
        cmocka_unit_test(test_acyclic__edges_that_would_close_a_cycle_are_ruled_out),
        cmocka_unit_test(test_acyclic__more_may_come_when_the_order_is_complete),
        cmocka_unit_test(test_acyclic__a_spent_budget_is_no_theory_or_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
