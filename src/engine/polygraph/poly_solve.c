#include "engine/polygraph/poly_cycle.h"
#include "engine/polygraph/poly_layout.h"
#include "engine/polygraph/poly_local.h"

#include <stdlib.h>

/* ---- what the solver tells ---- */

void poly_keep_cycle(struct poly *poly, const struct esse_theory_clause *told)
{
    struct poly_proof *proof = &poly->proof;
    struct poly_clause clause = { .kind = ESSE_CLAUSE_CYCLE,
                                  .lits = (uint32_t)proof->lits.count,
                                  .lit_count = told->count,
                                  .edges = (uint32_t)proof->edges.count,
                                  .edge_count = told->edges };
    for (uint32_t i = 0; i < told->count; i++)
        esse_u32_vec_push(&proof->lits, poly->arena, told->lits[i]);
    for (uint32_t i = 0; i < told->edges; i++)
        poly_edge_vec_push(&proof->edges, poly->arena, told->cycle[i]);
    poly_clause_vec_push(&proof->clauses, poly->arena, clause);
}

static void on_lemma(void *context, const struct esse_theory_clause *clause)
{
    poly_keep_cycle(context, clause);
}

/* What follows from the cycles is found again when they are few. */
static void on_clause(void *context, const esse_lit *lits, uint32_t count)
{
    (void)context;
    (void)lits;
    (void)count;
}

void poly_give_cycle(struct poly *poly, const struct esse_theory_clause *clause)
{
    poly_keep_cycle(poly, clause);
    esse_solver_add(poly->solver, clause->lits, clause->count);
}

/* ---- solving ---- */

static bool find_more(void *context)
{
    struct poly *poly = context;
    const bool found = poly->level->cycle > ESSE_CYCLE_ONE_RW    ? poly_find_broken(poly)
                       : poly->level->cycle == ESSE_CYCLE_ONE_RW ? poly_find_single(poly)
                                                                 : poly_find_past(poly);
    if (found)
        poly_small_give(poly);
    return found;
}

/* Room for the versions of all keys in some order. */
static void make_places(struct poly *poly)
{
    assert(!poly->choices.count);
    const size_t room = poly->versions->count + (size_t)1;
    poly->places = esse_arena_array(poly->arena, room, *poly->places);
    poly->place = esse_arena_array(poly->arena, room, *poly->place);
    for (uint32_t v = 0; v < poly->versions->count; v++)
        poly->places[v] = (struct esse_pair){ 0, v };
}

/* A cycle of what is known needs no choice. */
static bool keep_known_cycle(struct poly *poly)
{
    uint32_t count;
    const uint32_t *nodes = esse_acyclic_known_cycle(poly->acyclic, &count);
    struct poly_edge_vec edges = { 0 };
    for (uint32_t i = 0; i < count; i++)
        poly_edge_vec_push(
            &edges, poly->arena,
            (struct esse_guarded_edge){ nodes[i], nodes[(i + 1) % count], ESSE_LIT_NONE });
    if (count)
        poly_keep_cycle(poly, &(struct esse_theory_clause){ .cycle = edges.at, .edges = count });
    return count > 0;
}

struct esse_phase *poly_phase(struct poly *poly, const char *name, double started)
{
    poly_phase_vec_push(
        &poly->phases, poly->graph_arena,
        (struct esse_phase){ .name = name, .seconds = esse_clock_seconds() - started });
    return &poly->phases.at[poly->phases.count - 1];
}

static void tell_solving(struct poly *poly, double started)
{
    const struct esse_solver_stats *stats = esse_solver_stats(poly->solver);
    struct esse_phase *phase = poly_phase(poly, "solving", started);
    const struct {
        const char *what;
        uint64_t count;
    } counts[ESSE_PHASE_COUNTS] = {
        { "choices", poly->choices.count }, { "orders tried", poly->rounds },
        { "decisions", stats->decisions },  { "conflicts", stats->conflicts },
        { "cycles", stats->lemmas },        { "restarts", stats->restarts },
    };
    for (int i = 0; i < ESSE_PHASE_COUNTS; i++) {
        phase->counts[i].what = counts[i].what;
        phase->counts[i].count = counts[i].count;
    }
}

static void forget_solver(struct poly *poly)
{
    if (poly->arena)
        esse_arena_free(poly->arena);
    poly->arena = esse_arena_new();
    poly->choices = (struct poly_choice_vec){ 0 };
    poly->choice_of = (struct esse_index){ 0 };
    poly->proof = (struct poly_proof){ 0 };
    poly->single = NULL;
    poly->past = NULL;
    poly->rounds = poly->waited = 0;
}

/* An order that no read asks for says in one variable what all readers of other things of its two
 * writers have in common: refutations are many times as long without.  Only where a key has so few
 * versions, and an easy history has no use for it. */
enum { FEW_VERSIONS = 3 };

static enum esse_solver_answer run_solver(struct poly *poly)
{
    poly_open_choices(poly);
    if (poly->ablate & ESSE_ABLATE_LAZINESS)
        poly_all_orders(poly, UINT32_MAX);
    else if (poly->is_hard)
        poly_all_orders(poly, FEW_VERSIONS);
    poly_small_give(poly);
    esse_budget_phase(poly->budget, "choosing orders of versions", 0);
    return esse_solver_solve(poly->solver, NULL, 0);
}

/* Solves what is known now, with at most so many conflicts if 'limit' is not 0. */
static enum esse_solver_answer solve_known(struct poly *poly, uint64_t limit, bool searches)
{
    forget_solver(poly);
    const struct esse_proof proof = { poly, on_clause, on_lemma, on_clause };
    make_places(poly);
    poly->solver = esse_solver_new(poly->arena, poly->budget);
    esse_solver_prove(poly->solver, &proof);
    esse_solver_limit(poly->solver, limit);
    struct esse_acyclic_spec spec = { .nodes = poly->nodes,
                                      .first = poly->known.first,
                                      .to = poly->known.to,
                                      .hint = poly->near ? poly_place_near(poly)
                                                         : poly_estimate(poly, searches),
                                      .context = poly,
                                      .edges = poly_edges_of,
                                      .more = find_more };
    const double started = esse_clock_seconds();
    poly->acyclic = esse_acyclic_new(poly->arena, poly->solver, &spec);
    if (!poly->acyclic)
        return ESSE_SOLVER_UNKNOWN;
    enum esse_solver_answer answer = keep_known_cycle(poly) ? ESSE_SOLVER_UNSAT : run_solver(poly);
    tell_solving(poly, started);
    poly->is_hard |= answer == ESSE_SOLVER_UNKNOWN;
    ESSE_SEAM(poly_valid(poly));
    return answer;
}

/* Conflicts, where there is something better than to go on. */
enum { FEW_CONFLICTS = 200, LEAST_CONFLICTS = 800 };

/* After a sweep pruning finds little more: so many times as much may be spent before it. */
enum { AFTER_SWEEPING = 4 };

/* How many conflicts solving may have before pruning is worth its cost, which grows faster than the
 * history. */
static uint64_t conflict_budget(const struct poly *poly)
{
    return 4000 + poly->versions->history->txns / 4;
}

/* A transaction with neighbours close by in time or session cannot be moved alone; and there the
 * solver is good. */
static bool is_searchable(const struct poly *poly)
{
    const struct esse_history *history = poly->versions->history;
    return !(poly->ablate & ESSE_ABLATE_MENDING) && !poly->time &&
           (!poly->sessions || history->sessions > history->txns / 2);
}

/* Where only a layout says what came first, it is right but for what is near by. */
static bool is_laid_out(const struct poly *poly)
{
    return poly->layout->at && !poly->time && poly->level->cycle > ESSE_CYCLE_ONE_RW &&
           !(poly->ablate & ESSE_ABLATE_SWEEPING);
}

static bool sweep(struct poly *poly)
{
    const size_t room = poly->versions->history->txns + (size_t)1;
    uint32_t *rank = esse_arena_array(poly->graph_arena, room, *rank);
    poly_run_on_demand(poly, poly->layout->rank, rank);
    const bool goes_on = poly_sweep(poly, rank);
    esse_arena_drop(poly->graph_arena, rank);
    return goes_on;
}

static enum esse_solver_answer solve_laid_out(struct poly *poly, uint64_t limit)
{
    enum esse_solver_answer answer = solve_known(poly, FEW_CONFLICTS, false);
    if (answer == ESSE_SOLVER_UNKNOWN && !esse_budget_spent(poly->budget) && sweep(poly))
        answer = solve_known(poly, limit, false);
    return answer;
}

/* Easy histories are solved sooner than by local search. */
static enum esse_solver_answer solve_first(struct poly *poly, bool prunes)
{
    const uint64_t limit = prunes ? conflict_budget(poly) : 0;
    enum esse_solver_answer answer = ESSE_SOLVER_UNKNOWN;
    if (is_laid_out(poly))
        return solve_laid_out(poly, AFTER_SWEEPING * limit);
    if (!is_searchable(poly))
        return solve_known(poly, limit, false);
    answer = solve_known(poly, LEAST_CONFLICTS, false);
    if (answer == ESSE_SOLVER_UNKNOWN && !esse_budget_spent(poly->budget))
        answer = solve_known(poly, limit, true);
    return answer;
}

bool poly_solve_locally(struct poly *poly)
{
    poly->graph_arena = esse_arena_new();
    poly_known_build(poly);
    return poly_refute_locally(poly) && solve_known(poly, 0, false) == ESSE_SOLVER_UNSAT;
}

enum esse_solver_answer poly_solve_supposed(struct poly *poly, uint64_t open_before)
{
    const double started = esse_clock_seconds();
    poly->graph_arena = esse_arena_new();
    esse_budget_phase(poly->budget, "supposing what was read", 0);
    poly_known_build(poly);
    assert(poly->reads->is_supposed);
    enum esse_solver_answer answer = solve_known(poly, FEW_CONFLICTS, false);
    if (answer == ESSE_SOLVER_UNKNOWN && !esse_budget_spent(poly->budget) && poly_prune(poly))
        answer = solve_known(poly, conflict_budget(poly), false);
    struct esse_phase *phase = poly_phase(poly, "supposing", started);
    phase->counts[0].what = "reads supposed to be of one version";
    phase->counts[0].count = open_before - poly->reads->open.count;
    phase->counts[1].what = "left open";
    phase->counts[1].count = poly->reads->open.count;
    return answer;
}

/* Most histories need no pruning: it costs more than solving them. */
enum esse_solver_answer poly_solve(struct poly *poly)
{
    const bool prunes = !(poly->ablate & ESSE_ABLATE_PRUNING);
    poly->graph_arena = esse_arena_new();
    esse_budget_phase(poly->budget, "drawing the polygraph", 0);
    poly_known_build(poly);
    assert(poly_decides(poly->level));
    enum esse_solver_answer answer = ESSE_SOLVER_UNKNOWN;
    if (!prunes || !(poly->ablate & ESSE_ABLATE_PATIENCE))
        answer = solve_first(poly, prunes);
    else if (is_laid_out(poly) && !sweep(poly))
        return ESSE_SOLVER_UNKNOWN;
    if (answer == ESSE_SOLVER_UNKNOWN && prunes && !esse_budget_spent(poly->budget) &&
        poly_prune(poly))
        answer = solve_known(poly, 0, is_searchable(poly));
    return answer;
}

void poly_close(struct poly *poly)
{
    if (poly->arena)
        esse_arena_free(poly->arena);
    esse_arena_free(poly->graph_arena);
}

static int by_read(const void *a, const void *b)
{
    const struct esse_read_source *x = a, *y = b;
    if (x->read.ix != y->read.ix)
        return x->read.ix < y->read.ix ? -1 : 1;
    return x->key.ix < y->key.ix ? -1 : x->key.ix > y->key.ix;
}

/* Which of their sources the open reads were taken to be of. */
static void keep_sources(const struct poly *poly, struct esse_arena *arena,
                         struct esse_order *order)
{
    const struct poly_reads *reads = poly->reads;
    struct esse_read_source *sources =
        esse_arena_alloc(arena, reads->open.count + 1, sizeof *sources);
    for (size_t o = 0; o < reads->open.count; o++) {
        const struct poly_open *open = &reads->open.at[o];
        const version_id version = { poly->choices.at[esse_lit_var(poly_chosen(poly, open))].b };
        const key_access_id write = poly->versions->write[version.ix];
        sources[o] = (struct esse_read_source){
            { open->op },
            { open->key },
            { write.ix == ESSE_NO_KEY_ACCESS ? ESSE_NO_OP : versions_op(poly->versions, write) }
        };
    }
    qsort(sources, reads->open.count, sizeof *sources, by_read);
    order->sources = sources;
    order->source_count = (uint32_t)reads->open.count;
}

struct esse_order poly_read_order(const struct poly *poly, struct esse_arena *arena)
{
    const struct versions *versions = poly->versions;
    const bool starts = poly_is_doubled(poly);
    assert(poly->acyclic); /* solved, and SAT */
    uint32_t *at = esse_arena_array(poly->arena, poly->nodes + (size_t)1, *at);
    uint32_t *events = esse_arena_array(arena, poly->time_nodes_at + (size_t)1, *events);
    struct esse_order order = { .events = events, .has_starts = starts, .proves = poly->level->id };
    for (uint32_t node = 0; node < poly->nodes; node++)
        at[esse_acyclic_position(poly->acyclic, node)] = node;
    for (uint32_t i = 0; i < poly->nodes; i++) {
        uint32_t txn = poly_txn(poly, (esse_node){ at[i] });
        if (txn == ESSE_NO_TXN || !versions->in[txn])
            continue;
        events[order.count++] = at[i];
    }
    esse_arena_drop(poly->arena, at);
    if (poly->level->cycle <= ESSE_CYCLE_ONE_RW)
        keep_sources(poly, arena, &order);
    return order;
}
