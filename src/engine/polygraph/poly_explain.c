#include "engine/cycle_words.h"
#include "engine/dsg/dsg_explain.h"
#include "engine/dsg/dsg_shorten.h"
#include "engine/polygraph/poly_reason.h"
#include "history/show.h"

#include <string.h>

/* A refutation in operations and words. */

ESSE_VEC(clause_vec, struct esse_clause)

struct explaining {
    struct poly *poly;
    struct known *known;
    struct esse_arena *arena; /* of what is shown */
    uint32_t *number;         /* by choice: its number in the refutation, or UINT32_MAX */
    struct esse_choice *told;
    uint32_t told_count;
    struct clause_vec clauses;
};

/* ---- choices ---- */

static esse_op op_of(const struct versions *versions, key_access_id at)
{
    return (esse_op){ at.ix == ESSE_NO_KEY_ACCESS ? ESSE_NO_OP : versions_op(versions, at) };
}

static uint32_t number_choice(struct explaining *e, uint32_t choice);

static uint32_t number_lit(struct explaining *e, esse_lit lit)
{
    return 2 * number_choice(e, esse_lit_var(lit)) + esse_lit_negated(lit);
}

static struct esse_choice tell_choice(struct explaining *e, uint32_t choice)
{
    const struct poly *poly = e->poly;
    const struct versions *versions = poly->versions;
    const struct poly_choice *c = &poly->choices.at[choice];
    struct esse_choice told = { .first = { ESSE_NO_OP }, .second = { ESSE_NO_OP } };
    if (c->kind == POLY_BOTH) {
        told.kind = ESSE_CHOICE_BOTH;
        told.parts[0] = number_lit(e, c->a);
        told.parts[1] = number_lit(e, c->b);
    } else if (c->kind == POLY_ORDER) {
        told.kind = ESSE_CHOICE_ORDER;
        told.key.ix = poly->reads->version_key[c->a];
        told.first = op_of(versions, versions->write[c->a]);
        told.second = op_of(versions, versions->write[c->b]);
    } else {
        const struct poly_open *open = &poly->reads->open.at[c->a];
        told.kind = ESSE_CHOICE_SOURCE;
        told.key.ix = open->key;
        told.first = op_of(versions, versions->write[c->b]);
        told.second.ix = open->op;
    }
    return told;
}

/* The parts of a choice get their numbers before it. */
static uint32_t number_choice(struct explaining *e, uint32_t choice)
{
    if (e->number[choice] == UINT32_MAX) {
        struct esse_choice told = tell_choice(e, choice);
        e->number[choice] = e->told_count;
        e->told[e->told_count++] = told;
    }
    return e->number[choice];
}

/* ---- edges ---- */

/* Of two versions in an order that was chosen. */
static const char *tell_chosen(const struct explaining *e, const struct poly_reason *reason)
{
    struct esse_out out;
    esse_out_init_memory(&out, e->arena);
    dsg_show_written(&out, e->poly->versions, reason->from_at);
    esse_show_f(&out, e->known->history, " to %k comes before ", (esse_key){ reason->key });
    dsg_show_written(&out, e->poly->versions, reason->to_at);
    return esse_out_memory(&out);
}

static const char *tell_open(const struct explaining *e, const struct poly_reason *reason)
{
    const bool reads = reason->dep == ESSE_DEP_WR || reason->dep == ESSE_DEP_WRP;
    const uint32_t txn = reads ? reason->to : reason->from;
    struct esse_out out;
    esse_out_init_memory(&out, e->arena);
    esse_show_f(&out, e->known->history, "%t did %o%s", (esse_txn){ txn }, (esse_op){ reason->op },
                reads ? ", with " : ", without ");
    dsg_show_written(&out, e->poly->versions, reads ? reason->from_at : reason->to_at);
    if (esse_op_is_predicate(e->known->history->op_kind[reason->op])) {
        esse_show_f(&out, e->known->history, " to %k", (esse_key){ reason->key });
    }
    return esse_out_memory(&out);
}

static struct esse_edge tell_edge(const struct explaining *e, const struct poly_reason *reason)
{
    const uint32_t members[] = { reason->from, reason->to };
    const struct dsg_component component = { .versions = e->poly->versions, .members = members };
    const struct dsg_edge edge = { .from = 0,
                                   .to = 1,
                                   .key = reason->key,
                                   .from_at = reason->from_at,
                                   .to_at = reason->to_at,
                                   .predicate = ESSE_NO_OP,
                                   .dep = (uint8_t)reason->dep };
    const bool chosen = reason->chosen && reason->dep == ESSE_DEP_WW;
    if (reason->op == ESSE_NO_OP && !chosen)
        return dsg_explain_edge(e->known, &component, &edge);
    const struct versions *versions = e->poly->versions;
    const esse_op open = { reason->op };
    return (struct esse_edge){
        .from = { reason->from },
        .to = { reason->to },
        .dep = reason->dep,
        .has_key = true,
        .key = { reason->key },
        .from_op =
            reason->from_at.ix == ESSE_NO_KEY_ACCESS ? open : op_of(versions, reason->from_at),
        .to_op = reason->to_at.ix == ESSE_NO_KEY_ACCESS ? open : op_of(versions, reason->to_at),
        .witness = { ESSE_NO_OP },
        .why = chosen ? tell_chosen(e, reason) : tell_open(e, reason)
    };
}

/* What is known joins along versions, sessions and time (dsg_shorten.h).  What rests on a choice is
 * shown as it is: the evidence must show which.  It goes for a predicate's dependency meanwhile,
 * which joins with nothing; 'predicate' is the number of its reason. */
static struct dsg_edge joinable(const struct poly_reason *reason, uint32_t number)
{
    const bool is_known = !reason->chosen && reason->op == ESSE_NO_OP;
    const enum esse_dep as_it_is = dsg_is_anti(reason->dep) ? ESSE_DEP_RWP : ESSE_DEP_WRP;
    return (struct dsg_edge){ .from = reason->from,
                              .to = reason->to,
                              .key = reason->key,
                              .from_at = reason->from_at,
                              .to_at = reason->to_at,
                              .predicate = number,
                              .dep = (uint8_t)(is_known ? reason->dep : as_it_is) };
}

/* The shortest explanation that the cycle of the solver has in it.  Returns its length. */
static uint32_t join_reasons(const struct explaining *e, struct poly_reason *reasons,
                             uint32_t count)
{
    const bool is_snapshot = e->poly->level->cycle == ESSE_CYCLE_NO_TWO_RW;
    const struct dsg_shape shape = { .anti = is_snapshot ? DSG_ANTI_NOT_ADJACENT : DSG_ANTI_MANY };
    struct esse_arena *arena = esse_arena_new();
    const struct dsg_component component = { .arena = arena, .versions = e->poly->versions };
    struct dsg_edge *edges = esse_arena_alloc(arena, count + 1u, sizeof *edges);
    const struct dsg_edge **cycle = esse_arena_alloc(arena, count + 1u, sizeof *cycle);
    for (uint32_t i = 0; i < count; i++) {
        edges[i] = joinable(&reasons[i], i);
        cycle[i] = &edges[i];
    }
    const uint32_t length = dsg_shorten(&component, &shape, cycle, count);
    for (uint32_t i = 0; i < length; i++) {
        reasons[i] = reasons[cycle[i]->predicate];
        reasons[i].to = cycle[i]->to;
        reasons[i].to_at = cycle[i]->to_at;
    }
    esse_arena_free(arena);
    return length;
}

static void tell_cycle(struct explaining *e, const struct poly_clause *clause,
                       struct esse_clause *told)
{
    struct poly *poly = e->poly;
    struct poly_reason *reasons =
        esse_arena_array(poly->arena, clause->edge_count + (size_t)1, *reasons);
    told->edge_count = join_reasons(e, reasons, poly_reasons(poly, clause, reasons));
    struct esse_edge *edges = esse_arena_alloc(e->arena, told->edge_count + 1u, sizeof *edges);
    for (uint32_t i = 0; i < told->edge_count; i++)
        edges[i] = tell_edge(e, &reasons[i]);
    told->edges = edges;
    esse_arena_drop(poly->arena, reasons);
}

/* ---- clauses ---- */

static struct esse_clause *add_clause(struct explaining *e, enum esse_clause_kind kind,
                                      const esse_lit *lits, uint32_t count)
{
    uint32_t *told = esse_arena_alloc(e->arena, count + 1u, sizeof *told);
    for (uint32_t i = 0; i < count; i++)
        told[i] = number_lit(e, lits[i]);
    clause_vec_push(&e->clauses, e->arena,
                    (struct esse_clause){ .kind = kind, .literals = told, .count = count });
    return &e->clauses.at[e->clauses.count - 1];
}

static void on_learnt(void *context, const esse_lit *lits, uint32_t count)
{
    struct explaining *e = context;
    if (count)
        add_clause(e, ESSE_CLAUSE_FOLLOWS, lits, count);
}

static void on_nothing(void *context, const esse_lit *lits, uint32_t count)
{
    (void)context;
    (void)lits;
    (void)count;
}

/* A clause of nothing may stand alone, and then there is no array. */
static const esse_lit *lits_of(const struct poly *poly, const struct poly_clause *clause)
{
    return clause->lit_count ? &poly->proof.lits.at[clause->lits] : NULL;
}

/* What follows from the clauses that were kept, as a solver without a theory derives it. */
static void derive(struct explaining *e)
{
    const struct poly *poly = e->poly;
    const struct esse_proof proof = { e, on_learnt, NULL, on_nothing };
    struct esse_arena *arena = esse_arena_new();
    struct esse_solver *solver = esse_solver_new(arena, NULL);
    esse_solver_prove(solver, &proof);
    for (size_t i = 0; i < poly->choices.count; i++)
        esse_solver_var(solver, true, 0);
    for (size_t i = 0; i < poly->proof.clauses.count; i++) {
        const struct poly_clause *clause = &poly->proof.clauses.at[i];
        esse_solver_add(solver, lits_of(poly, clause), clause->lit_count);
    }
    esse_solver_solve(solver, NULL, 0);
    add_clause(e, ESSE_CLAUSE_FOLLOWS, NULL, 0);
    esse_arena_free(arena);
}

/* What the only cycle is known as; NULL if there are several, or if it has no name. */
static const char *name_cycle(const struct explaining *e)
{
    const struct esse_clause *only = NULL;
    for (size_t i = 0; i < e->clauses.count; i++) {
        if (e->clauses.at[i].kind != ESSE_CLAUSE_CYCLE)
            continue;
        if (only)
            return NULL;
        only = &e->clauses.at[i];
    }
    return only ? esse_cycle_words(e->arena, e->known->history, only->edges, only->edge_count)
                : NULL;
}

static const char *describe(const struct explaining *e)
{
    const char *name = name_cycle(e);
    uint32_t open = 0;
    if (name)
        return name;
    for (uint32_t i = 0; i < e->told_count; i++)
        open += e->told[i].kind != ESSE_CHOICE_BOTH;
    if (!open)
        return "a cycle of dependencies that nothing could have avoided";
    return esse_arena_format(
        e->arena,
        "%u thing%s left open by the history (which of two versions came first, "
        "or which was read), and whatever is chosen, there is a cycle",
        open, open == 1 ? " is" : "s are");
}

void poly_explain(struct poly *poly, struct known *known)
{
    struct explaining e = { .poly = poly, .known = known, .arena = known->arena };
    const size_t choices = poly->choices.count + 1;
    e.number = esse_arena_none(poly->arena, choices, *e.number);
    e.told = esse_arena_alloc(e.arena, choices, sizeof *e.told);
    for (size_t i = 0; i < poly->proof.clauses.count; i++) {
        const struct poly_clause *clause = &poly->proof.clauses.at[i];
        struct esse_clause *told = add_clause(&e, (enum esse_clause_kind)clause->kind,
                                              lits_of(poly, clause), clause->lit_count);
        if (clause->kind == ESSE_CLAUSE_SOURCES) {
            told->read.ix = poly->reads->open.at[clause->open].op;
            told->key.ix = poly->reads->open.at[clause->open].key;
        }
        if (clause->kind != ESSE_CLAUSE_CYCLE)
            continue;
        tell_cycle(&e, clause, told);
    }
    derive(&e);
    struct esse_refutation *refutation = esse_arena_alloc(e.arena, 1, sizeof *refutation);
    *refutation = (struct esse_refutation){ .choices = e.told,
                                            .choice_count = e.told_count,
                                            .clauses = e.clauses.at,
                                            .clause_count = (uint32_t)e.clauses.count };
    struct esse_anomaly anomaly = { .type = poly->level->no_order,
                                    .description = describe(&e),
                                    .refutation = refutation };
    found_vec_push(&known->found, known->arena, anomaly);
}
