#include "base/guard.h"
#include "base/hash.h"
#include "engine/polygraph/poly_layout.h"
#include "engine/polygraph/poly_state.h"

/* The variables of the solver, and the edges that they guard. */

static void add_edge(const struct poly *poly, esse_lit lit, uint32_t from, uint32_t to,
                     enum esse_dep dep)
{
    if (from == to || from == ESSE_NO_TXN || to == ESSE_NO_TXN ||
        (poly->level->cycle <= ESSE_CYCLE_ONE_RW && dsg_is_anti(dep)))
        return;
    esse_acyclic_guard(poly->acyclic, lit, poly_leaves(poly, from, dep).ix,
                       poly_enters(poly, to, dep).ix);
}

static uint32_t add_choice(struct poly *poly, struct poly_choice choice, bool phase,
                           uint32_t priority)
{
    poly_choice_vec_push(&poly->choices, poly->arena, choice);
    const uint32_t var = esse_solver_var(poly->solver, phase, priority);
    assert(var + 1 == poly->choices.count); /* a choice's number is its variable's */
    return var;
}

void poly_give(struct poly *poly, enum esse_clause_kind kind, const esse_lit *lits, uint32_t count,
               uint32_t open)
{
    struct poly_clause clause = {
        .kind = kind, .lits = (uint32_t)poly->proof.lits.count, .lit_count = count, .open = open
    };
    for (uint32_t i = 0; i < count; i++)
        esse_u32_vec_push(&poly->proof.lits, poly->arena, lits[i]);
    poly_clause_vec_push(&poly->proof.clauses, poly->arena, clause);
    esse_solver_add(poly->solver, lits, count);
}

/* ---- orders ---- */

/* One transaction may have appended several versions: what is said of its order is said of the last
 * of them that has no place. */
version_id poly_stands_for(const struct poly *poly, version_id version)
{
    const struct versions *versions = poly->versions;
    ESSE_HOT_ASSERT(version.ix < versions->count);
    const uint32_t key = poly->reads->version_key[version.ix];
    const uint32_t txn = version_txn(versions, version);
    while (version.ix >= versions->unordered[key].ix &&
           version.ix + 1 < versions->first[key + 1].ix &&
           version_txn(versions, (version_id){ version.ix + 1 }) == txn)
        version.ix++;
    return version;
}

static uint32_t hash_pair(uint32_t a, uint32_t b)
{
    return esse_hash_word((uint64_t)a << 32 | b);
}

static esse_lit find_order(const struct poly *poly, version_id a, version_id b)
{
    struct esse_probe probe = esse_index_probe(&poly->choice_of, hash_pair(a.ix, b.ix));
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (poly->choices.at[id].kind == POLY_ORDER && poly->choices.at[id].a == a.ix &&
            poly->choices.at[id].b == b.ix)
            return esse_lit_of(id, false);
    return ESSE_LIT_NONE;
}

esse_lit poly_order_find(const struct poly *poly, version_id a, version_id b)
{
    a = poly_stands_for(poly, a);
    b = poly_stands_for(poly, b);
    const bool turned = a.ix > b.ix;
    esse_lit lit = turned ? find_order(poly, b, a) : find_order(poly, a, b);
    return lit == ESSE_LIT_NONE ? lit : lit ^ turned;
}

esse_lit poly_order(struct poly *poly, version_id a, version_id b)
{
    esse_lit lit = poly_order_find(poly, a, b);
    if (lit != ESSE_LIT_NONE)
        return lit;
    a = poly_stands_for(poly, a);
    b = poly_stands_for(poly, b);
    const bool turned = a.ix > b.ix;
    const version_id low = turned ? b : a, high = turned ? a : b;
    assert(low.ix < high.ix);
    assert(poly->reads->version_key[low.ix] == poly->reads->version_key[high.ix]);
    uint32_t var =
        add_choice(poly, (struct poly_choice){ POLY_ORDER, low.ix, high.ix }, !turned, 0);
    esse_index_add(&poly->choice_of, poly->arena, hash_pair(low.ix, high.ix), var);
    /* The edges of the writers at once: they tell the theory which polarity costs nothing. */
    const uint32_t first = version_txn(poly->versions, low);
    const uint32_t second = version_txn(poly->versions, high);
    add_edge(poly, esse_lit_of(var, false), first, second, ESSE_DEP_WW);
    add_edge(poly, esse_lit_of(var, true), second, first, ESSE_DEP_WW);
    return esse_lit_of(var, turned);
}

static bool may_choose(const struct poly *poly, uint32_t key, version_id a, version_id b)
{
    return !poly_is_known(poly->versions, key, a, b) &&
           version_txn(poly->versions, a) != version_txn(poly->versions, b);
}

void poly_all_orders(struct poly *poly, uint32_t most)
{
    const struct versions *versions = poly->versions;
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        const version_id end = versions->first[key + 1];
        esse_guard_poll();
        if (end.ix - versions->first[key].ix - 1 > most)
            continue;
        for (version_id a = { versions->first[key].ix + 1 }; a.ix < end.ix; a.ix++)
            for (version_id b = { a.ix + 1 }; b.ix < end.ix; b.ix++)
                if (may_choose(poly, key, a, b))
                    poly_order(poly, a, b);
    }
}

/* ---- sources ---- */

/* The source that the estimate likes best comes first: the newest version before the reader. */
static uint32_t likely_source(const struct poly *poly, const uint32_t *rank,
                              const struct poly_open *open)
{
    uint32_t best = 0, newest = 0;
    for (uint32_t i = 0; i < open->count; i++) {
        uint32_t txn =
            version_txn(poly->versions, (version_id){ poly->reads->sources.at[open->first + i] });
        const uint32_t age = txn == ESSE_NO_TXN ? 0 : rank[txn] + 1;
        if (age <= rank[open->txn] && age >= newest) {
            best = i;
            newest = age;
        }
    }
    return best;
}

void poly_open_choices(struct poly *poly)
{
    const struct poly_reads *reads = poly->reads;
    struct esse_u32_vec lits = { 0 };
    const uint32_t *rank = poly->layout->rank;
    for (size_t r = 0; r < reads->open.count; r++) {
        struct poly_open *open = &reads->open.at[r];
        esse_guard_poll();
        const uint32_t likely = likely_source(poly, rank, open);
        open->choice = (uint32_t)poly->choices.count;
        lits.count = 0;
        for (uint32_t i = 0; i < open->count; i++) {
            struct poly_choice choice = { POLY_SOURCE, (uint32_t)r,
                                          reads->sources.at[open->first + i] };
            uint32_t var = add_choice(poly, choice, i == likely, i == likely ? 2 : 1);
            esse_u32_vec_push(&lits, poly->arena, esse_lit_of(var, false));
        }
        poly_give(poly, ESSE_CLAUSE_SOURCES, lits.at, (uint32_t)lits.count, (uint32_t)r);
    }
    esse_u32_vec_drop(&lits, poly->arena);
}

void poly_both(struct poly *poly, const struct poly_open *open, uint32_t i, version_id b)
{
    assert(i < open->count);
    esse_lit source = esse_lit_of(open->choice + i, false);
    assert(poly->choices.at[open->choice + i].kind == POLY_SOURCE);
    esse_lit order = poly_order(poly, (version_id){ poly->reads->sources.at[open->first + i] }, b);
    uint32_t hash = hash_pair(source, order);
    struct esse_probe probe = esse_index_probe(&poly->choice_of, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (poly->choices.at[id].kind == POLY_BOTH && poly->choices.at[id].a == source &&
            poly->choices.at[id].b == order)
            return;
    uint32_t var = add_choice(poly, (struct poly_choice){ POLY_BOTH, source, order }, false, 0);
    esse_index_add(&poly->choice_of, poly->arena, hash, var);
    const esse_lit lits[] = { esse_lit_of(var, false), esse_lit_not(source), esse_lit_not(order) };
    poly_give(poly, ESSE_CLAUSE_BOTH, lits, 3, 0);
}

/* ---- edges ---- */

/* Version a before version b: the readers of a too, as its writer. */
static void order_edges(const struct poly *poly, esse_lit lit, version_id a, version_id b)
{
    const struct versions *versions = poly->versions;
    const struct poly_reads *reads = poly->reads;
    const uint32_t to = version_txn(versions, b);
    if (poly->level->cycle <= ESSE_CYCLE_ONE_RW)
        return;
    for (uint32_t i = reads->reader_first[a.ix]; i < reads->reader_first[a.ix + 1]; i++)
        add_edge(poly, lit, versions_key_access(versions, reads->reader[i])->txn, to, ESSE_DEP_RW);
}

static bool installs_unordered(const struct versions *versions, uint32_t key, uint32_t txn)
{
    key_access_id begin, end;
    esse_run_find(&versions->sources->by_key, key, txn, &begin.ix, &end.ix);
    return begin.ix < end.ix && versions_writes_unordered(versions, key, begin);
}

/* A read of a version: after its writer, and before the transactions known to overwrite it. */
static void source_edges(const struct poly *poly, esse_lit lit, const struct poly_open *open,
                         version_id version)
{
    const struct versions *versions = poly->versions;
    const uint32_t key = open->key;
    add_edge(poly, lit, version_txn(versions, version), open->txn,
             open->predicate ? ESSE_DEP_WRP : ESSE_DEP_WR);
    if ((open->predicate && poly->level->cycle == ESSE_CYCLE_ITEM_RW) ||
        poly->level->cycle <= ESSE_CYCLE_ONE_RW)
        return;
    const enum esse_dep dep = open->predicate ? ESSE_DEP_RWP : ESSE_DEP_RW;
    if (version.ix + 1 < versions->unordered[key].ix)
        add_edge(poly, lit, open->txn, version_txn(versions, (version_id){ version.ix + 1 }), dep);
    if (is_unordered(versions, key, version) || !precedes_unordered(versions, key, version))
        return;
    if (poly->key_aux_node[key].ix != ESSE_NO_NODE &&
        !installs_unordered(versions, key, open->txn)) {
        esse_acyclic_guard(poly->acyclic, lit, poly_leaves(poly, open->txn, dep).ix,
                           poly->key_aux_node[key].ix);
        return;
    }
    for (version_id v = versions->unordered[key]; v.ix < versions->first[key + 1].ix; v.ix++)
        add_edge(poly, lit, open->txn, version_txn(versions, v), dep);
}

void poly_edges_of(void *context, esse_lit lit)
{
    const struct poly *poly = context;
    assert(esse_lit_var(lit) < poly->choices.count);
    const struct poly_choice *choice = &poly->choices.at[esse_lit_var(lit)];
    const bool negated = esse_lit_negated(lit);
    if (choice->kind == POLY_ORDER) {
        order_edges(poly, lit, (version_id){ negated ? choice->b : choice->a },
                    (version_id){ negated ? choice->a : choice->b });
    } else if (!negated && choice->kind == POLY_SOURCE) {
        source_edges(poly, lit, &poly->reads->open.at[choice->a], (version_id){ choice->b });
    } else if (!negated) {
        assert(choice->kind == POLY_BOTH);
        const struct poly_choice *source = &poly->choices.at[esse_lit_var(choice->a)];
        const struct poly_choice *order = &poly->choices.at[esse_lit_var(choice->b)];
        const struct poly_open *open = &poly->reads->open.at[source->a];
        version_id later = { esse_lit_negated(choice->b) ? order->a : order->b };
        add_edge(poly, lit, open->txn, version_txn(poly->versions, later),
                 open->predicate ? ESSE_DEP_RWP : ESSE_DEP_RW);
    }
}
