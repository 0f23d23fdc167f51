#include "engine/polygraph/poly_prune.h"

/*
 * Small cycles, as clauses that the solver need not find: of one choice, and of two choices that
 * meet at a transaction t,
 *
 *     x --> t --> u ~~> x
 *
 * where x --> t is an edge of "a before b", t --> u one of "c before d", and the rest is known.
 * Orders that close a cycle alone were settled by pruning; what is left of one choice is the source
 * of a read that leads to it.
 *
 * They are found after pruning, and the solver is given one as soon as its choices are written
 * down: writing choices down for the sake of clauses costs more than it saves.  A clause is kept
 * without the path from u to x, which is looked for when a refutation needs it
 * (poly_reconstruct.c).
 *
 * Cost: O(1) a pair of edges with a closure, else O(known edges of u); not more than ASKED_MOST
 * pairs, one clause of two and 32 bytes for each transaction.
 */

enum { ASKED_MOST = 256 };

struct finding {
    struct pruning *p;
    uint32_t txn;              /* t */
    struct poly_small_vec out; /* edges from it */
    uint64_t asked, asked_most, most;
};

/* ---- is it a cycle? ---- */

static bool is_near(const struct pruning *p, esse_node from, esse_node to)
{
    const struct esse_csr *known = &p->poly->known;
    if (p->closure)
        return esse_reach_leads(p->closure, from, to);
    bool found = from.ix == to.ix;
    for (uint32_t e = known->first[from.ix]; !found && e < known->first[from.ix + 1]; e++)
        found = known->to[e] == to.ix;
    return found;
}

/* Two transactions, each of which waits for the other, are met twice. */
static bool is_met_before(const struct finding *f, uint32_t x, uint32_t u)
{
    return x == u && u < f->txn;
}

/* An edge from x by 'dep' and the second one of 'small'. */
static bool closes(struct finding *f, struct poly_small *small, uint32_t x, enum esse_dep dep)
{
    const struct poly *poly = f->p->poly;
    if (x == f->txn || is_met_before(f, x, poly_txn(poly, small->to[1])))
        return false;
    f->asked++;
    small->from[0] = poly_leaves(poly, x, dep);
    small->to[0] = poly_enters(poly, f->txn, dep);
    return small->to[0].ix <= small->from[1].ix && is_near(f->p, small->to[1], small->from[0]);
}

static void try_pair(struct finding *f, struct poly_small *small)
{
    struct poly *poly = f->p->poly;
    const struct versions *versions = poly->versions;
    const version_id a = { small->before[0] };
    const uint32_t *first = &poly->reads->reader_first[a.ix];
    bool found = closes(f, small, version_txn(versions, a), ESSE_DEP_WW);
    for (uint32_t i = first[0]; !found && poly->level->cycle > ESSE_CYCLE_ONE_RW && i < first[1];
         i++)
        found = closes(f, small, versions_key_access(versions, poly->reads->reader[i])->txn,
                       ESSE_DEP_RW);
    if (found)
        poly_small_vec_push(&poly->small, poly->graph_arena, *small);
}

/* ---- two choices that meet ---- */

static bool is_done(const struct finding *f)
{
    return f->asked >= f->asked_most || f->p->poly->small.count >= f->most;
}

/* Edges from the transaction, because it wrote or read version c: "c before d". */
static void list_out(struct finding *f, version_id c, enum esse_dep dep)
{
    const struct poly *poly = f->p->poly;
    for (version_id d = { 0 }; (d = poly_next_choice(f->p, c, d)).ix != NO_VERSION; d.ix++) {
        const uint32_t u = version_txn(poly->versions, d);
        if (u != f->txn)
            poly_small_vec_push(
                &f->out, f->p->arena,
                (struct poly_small){ .before = { 0, c.ix },
                                     .after = { 0, d.ix },
                                     .from = { { 0 }, poly_leaves(poly, f->txn, dep) },
                                     .to = { { 0 }, poly_enters(poly, u, dep) } });
    }
}

/* Edges to the transaction, because it wrote version b: "a before b". */
static void come_in(struct finding *f, version_id a, version_id b)
{
    for (size_t i = 0; i < f->out.count && !is_done(f); i++) {
        struct poly_small small = f->out.at[i];
        small.before[0] = a.ix;
        small.after[0] = b.ix;
        /* "Before" and "not before" cannot both be anyway. */
        if (small.before[1] != b.ix || small.after[1] != a.ix)
            try_pair(f, &small);
    }
}

static void find_at(struct finding *f)
{
    const struct pruning *p = f->p;
    const struct poly *poly = p->poly;
    f->out.count = 0;
    for (uint32_t i = p->installed.first[f->txn]; i < p->installed.first[f->txn + 1]; i++)
        list_out(f, (version_id){ p->installed.to[i] }, ESSE_DEP_WW);
    for (uint32_t i = p->read.first[f->txn];
         poly->level->cycle > ESSE_CYCLE_ONE_RW && i < p->read.first[f->txn + 1]; i++)
        list_out(f, (version_id){ p->read.to[i] }, ESSE_DEP_RW);
    for (uint32_t i = p->installed.first[f->txn];
         f->out.count && i < p->installed.first[f->txn + 1]; i++) {
        const version_id b = { p->installed.to[i] };
        for (version_id a = { 0 }; !is_done(f) && (a = poly_next_choice(p, b, a)).ix != NO_VERSION;
             a.ix++)
            come_in(f, a, b);
    }
}

/* ---- one choice ---- */

/* Sources that a read leads to. */
static void find_ones(struct finding *f)
{
    struct poly *poly = f->p->poly;
    const struct poly_reads *reads = poly->reads;
    for (uint32_t o = 0; o < reads->open.count; o++) {
        const struct poly_open *open = &reads->open.at[o];
        for (uint32_t i = 0; i < open->count; i++) {
            const uint32_t writer =
                version_txn(poly->versions, (version_id){ reads->sources.at[open->first + i] });
            if (writer == ESSE_NO_TXN || writer == open->txn)
                continue;
            const esse_node from = poly_leaves(poly, writer, ESSE_DEP_WR);
            const esse_node to = poly_enters(poly, open->txn, ESSE_DEP_WR);
            if (is_near(f->p, to, from))
                poly_small_vec_push(&poly->small, poly->graph_arena,
                                    (struct poly_small){ .is_source = true,
                                                         .before = { o },
                                                         .after = { i },
                                                         .from = { from },
                                                         .to = { to } });
        }
    }
}

/* ---- all ---- */

void poly_small_find(struct pruning *p)
{
    struct poly *poly = p->poly;
    const double started = esse_clock_seconds();
    const uint32_t txns = poly->versions->history->txns;
    struct finding f = { .p = p, .asked_most = (uint64_t)txns * ASKED_MOST };
    find_ones(&f);
    const uint64_t ones = poly->small.count;
    f.most = ones + txns;
    for (; f.txn < txns && !is_done(&f) && esse_budget_poll(poly->budget, f.txn); f.txn++)
        find_at(&f);
    poly->small_phase = poly->phases.count;
    struct esse_phase *phase = poly_phase(poly, "small cycles", started);
    phase->counts[0].what = "pairs of edges asked";
    phase->counts[0].count = f.asked;
    phase->counts[1].what = "clauses of one choice";
    phase->counts[1].count = ones;
    phase->counts[2].what = "clauses of two";
    phase->counts[2].count = poly->small.count - ones;
    phase->counts[3].what = "given to the solver";
}

/* A choice that is written down, or ESSE_LIT_NONE. */
static esse_lit find_choice(const struct poly *poly, const struct poly_small *small, uint32_t i)
{
    if (small->is_source)
        return esse_lit_of(poly->reads->open.at[small->before[0]].choice + small->after[0], false);
    return poly_order_find(poly, (version_id){ small->before[i] }, (version_id){ small->after[i] });
}

static void give(struct poly *poly, struct poly_small *small)
{
    struct esse_guarded_edge cycle[2];
    esse_lit lits[2];
    const uint32_t count = small->is_source ? 1 : 2;
    for (uint32_t i = 0; i < count; i++) {
        const esse_lit guard = find_choice(poly, small, i);
        if (guard == ESSE_LIT_NONE)
            return;
        cycle[i] = (struct esse_guarded_edge){ small->from[i].ix, small->to[i].ix, guard };
        lits[i] = esse_lit_not(guard);
    }
    small->is_given = true;
    poly->small_given++;
    poly_give_cycle(poly, &(struct esse_theory_clause){ lits, cycle, count, count });
}

void poly_small_give(struct poly *poly)
{
    for (size_t i = 0; i < poly->small.count; i++)
        if (!poly->small.at[i].is_given)
            give(poly, &poly->small.at[i]);
    if (poly->small.count)
        poly->phases.at[poly->small_phase].counts[3].count = poly->small_given;
}
