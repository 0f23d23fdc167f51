#include "sat/acyclic.h"
#include "sat_proof.h"

/*
 * Graphs too large for brute force, hard enough for restarts and for clauses to be deleted.  A
 * model is checked edge by edge; a refutation clause by clause, each cycle edge by edge.
 */

enum { NODES = 500, VARS = 220, PER_LIT = 2 };

struct choice_graph {
    struct esse_arena *arena;
    struct esse_solver *solver;
    struct esse_acyclic *acyclic;
    struct recorded record;
    uint32_t nodes, first[NODES + 1], to[NODES];
    uint32_t from_of[2 * VARS][PER_LIT], to_of[2 * VARS][PER_LIT], count[2 * VARS];
};

/* Two orders of two nodes, and more edges: into the later node, or anywhere. */
static void random_edges(struct choice_graph *g, struct esse_rng *rng, bool spread)
{
    const uint32_t nodes = g->nodes;
    for (uint32_t v = 0, at = 0; v < nodes; v++) {
        g->first[v] = at;
        if (v + 1 < nodes && esse_rng_below(rng, 2))
            g->to[at++] = v + 1 + esse_rng_below(rng, nodes - v - 1);
        g->first[v + 1] = at;
    }
    for (uint32_t lit = 0, ends[2]; lit < 2 * VARS; lit++) {
        if (!(lit & 1)) {
            ends[0] = esse_rng_below(rng, nodes);
            ends[1] = (ends[0] + 1 + esse_rng_below(rng, nodes - 1)) % nodes;
        }
        g->count[lit] = 1 + esse_rng_below(rng, PER_LIT);
        for (uint32_t i = 0; i < g->count[lit]; i++) {
            uint32_t from = i ? esse_rng_below(rng, nodes) : ends[lit & 1], to = ends[~lit & 1];
            g->from_of[lit][i] = from;
            g->to_of[lit][i] = from == to || (i && spread) ? (from + 1) % nodes : to;
        }
    }
}

static void set_up(struct choice_graph *g, struct esse_rng *rng, uint32_t vars)
{
    g->nodes = 40 + esse_rng_below(rng, NODES - 39);
    random_edges(g, rng, esse_rng_below(rng, 4) == 0);
    g->arena = esse_arena_new();
    g->solver = esse_solver_new(g->arena, NULL);
    struct esse_acyclic_spec spec = { .nodes = g->nodes, .first = g->first, .to = g->to };
    g->acyclic = esse_acyclic_new(g->arena, g->solver, &spec);
    record_from(&g->record, g->arena, g->solver);
    for (uint32_t var = 0; var < vars; var++)
        esse_solver_var(g->solver, true, 0);
    for (uint32_t pad = esse_rng_below(rng, 2) * 150; pad > 0; pad--)
        esse_solver_var(g->solver, true, 1); /* decided first: conflicts are deep */
    for (esse_lit lit = 0; lit < 2 * vars; lit++)
        for (uint32_t i = 0; i < g->count[lit]; i++)
            esse_acyclic_guard(g->acyclic, lit, g->from_of[lit][i], g->to_of[lit][i]);
}

static bool has_edge(const struct choice_graph *g, struct esse_guarded_edge edge)
{
    if (edge.guard == ESSE_LIT_NONE) {
        for (uint32_t e = g->first[edge.from]; e < g->first[edge.from + 1]; e++)
            if (g->to[e] == edge.to)
                return true;
        return false;
    }
    for (uint32_t i = 0; i < g->count[edge.guard]; i++)
        if (g->from_of[edge.guard][i] == edge.from && g->to_of[edge.guard][i] == edge.to)
            return true;
    return false;
}

static void check_lemma(const struct choice_graph *g, struct step step)
{
    const struct esse_guarded_edge *cycle = g->record.edges.at + step.cycle;
    const esse_lit *lits = g->record.lits.at + step.first;
    bool guards[2 * VARS] = { false };
    uint32_t count = 0;
    for (uint32_t i = 0; i < step.cycle_size; i++) {
        CHECK(has_edge(g, cycle[i]));
        CHECK_EQ(cycle[i].to, cycle[(i + 1) % step.cycle_size].from);
        if (cycle[i].guard != ESSE_LIT_NONE) {
            count += !guards[cycle[i].guard];
            guards[cycle[i].guard] = true;
        }
    }
    CHECK_EQ(count, step.count);
    for (uint32_t i = 0; i < step.count; i++)
        CHECK(guards[lits[i] ^ 1]);
}

static void check_refutation(const struct choice_graph *g)
{
    struct esse_rup *rup = esse_rup_new(g->arena);
    for (size_t i = 0; i < g->record.steps.count; i++)
        if (g->record.steps.at[i].kind == STEP_LEMMA)
            check_lemma(g, g->record.steps.at[i]);
    CHECK(replay(&g->record, rup, UINT32_MAX));
    CHECK(refuted(rup));
}

static void check_model(const struct choice_graph *g, uint32_t vars)
{
    uint32_t place[NODES];
    for (uint32_t v = 0; v < g->nodes; v++)
        place[v] = esse_acyclic_position(g->acyclic, v);
    for (uint32_t v = 0; v < g->nodes; v++)
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            CHECK(place[v] < place[g->to[e]]);
    for (esse_lit lit = 0; lit < 2 * vars; lit++)
        for (uint32_t i = 0; i < g->count[lit] && esse_solver_value(g->solver, lit); i++)
            CHECK(place[g->from_of[lit][i]] < place[g->to_of[lit][i]]);
    for (size_t i = 0; i < g->record.steps.count; i++) {
        struct step step = g->record.steps.at[i];
        bool holds = step.kind == STEP_DELETED;
        for (uint32_t k = 0; k < step.count; k++)
            holds |= esse_solver_value(g->solver, g->record.lits.at[step.first + k]);
        CHECK(holds); /* what is given, and all that was derived from it */
    }
}

struct tally {
    unsigned sat, unsat;
    uint64_t most_conflicts, deleted;
};

static void one_graph(struct esse_rng *rng, struct tally *tally)
{
    struct choice_graph *g = calloc(1, sizeof *g);
    uint32_t vars = 20 + esse_rng_below(rng, VARS - 20);
    set_up(g, rng, vars);
    for (uint32_t n = esse_rng_below(rng, 4 * vars); n > 0; n--) {
        esse_lit lits[3];
        for (int i = 0; i < 3; i++)
            lits[i] = esse_rng_below(rng, 2 * vars);
        give(&g->record, g->solver, lits, 3);
    }
    enum esse_solver_answer answer = esse_solver_solve(g->solver, NULL, 0);
    CHECK(answer != ESSE_SOLVER_UNKNOWN);
    if (answer == ESSE_SOLVER_SAT)
        check_model(g, vars);
    else
        check_refutation(g);
    const struct esse_solver_stats *stats = esse_solver_stats(g->solver);
    tally->sat += answer == ESSE_SOLVER_SAT;
    tally->unsat += answer == ESSE_SOLVER_UNSAT;
    tally->deleted += stats->deleted;
    if (stats->conflicts > tally->most_conflicts)
        tally->most_conflicts = stats->conflicts;
    esse_arena_free(g->arena);
    free(g);
}

TEST(test_acyclic__larger_graphs_are_ordered_or_refuted)
{
    struct esse_rng rng = { 1 };
    struct tally tally = { 0 };
    for (unsigned round = 0; round < test_rounds(400); round++)
        one_graph(&rng, &tally);
    print_message("%u models, %u refutations, at most %llu conflicts, %llu clauses deleted\n",
                  tally.sat, tally.unsat, (unsigned long long)tally.most_conflicts,
                  (unsigned long long)tally.deleted);
    CHECK(tally.sat > test_least(20));
    CHECK(tally.unsat > test_least(20));
    CHECK(tally.deleted > test_least(1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_acyclic__larger_graphs_are_ordered_or_refuted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
