#include "engine/polygraph/poly_state.h"

/* What poly_state.h says of a level's graph and choices. */

/* ---- reads ---- */

static bool is_version_of(const struct poly_reads *reads, version_id version, uint32_t key)
{
    return version.ix < reads->versions->count && reads->version_key[version.ix] == key;
}

static bool is_open_valid(const struct poly_reads *reads, const struct poly_open *open)
{
    const struct versions *versions = reads->versions;
    bool ok = open->key < versions->history->keys && open->txn < versions->history->txns &&
              versions->in[open->txn] && open->first <= reads->sources.count &&
              open->count <= reads->sources.count - open->first;
    for (uint32_t i = 0; ok && i < open->count; i++)
        ok = is_version_of(reads, (version_id){ reads->sources.at[open->first + i] }, open->key);
    return ok;
}

static bool are_readers_valid(const struct poly_reads *reads, version_id version)
{
    const struct versions *versions = reads->versions;
    const uint32_t *first = &reads->reader_first[version.ix];
    bool ok = first[0] <= first[1];
    for (uint32_t i = first[0]; ok && i < first[1]; i++)
        ok = (versions->of[reads->reader[i].ix].ix == version.ix ||
              (reads->is_supposed && versions->of[reads->reader[i].ix].ix == NO_VERSION)) &&
             versions_key_access(versions, reads->reader[i])->kind == ESSE_OP_READ;
    return ok;
}

bool poly_reads_valid(const struct poly_reads *reads)
{
    const struct versions *versions = reads->versions;
    bool ok = reads->reader_first[0] == 0;
    for (uint32_t key = 0; ok && key < versions->history->keys; key++)
        for (version_id v = versions->first[key]; ok && v.ix < versions->first[key + 1].ix; v.ix++)
            ok = reads->version_key[v.ix] == key && are_readers_valid(reads, v);
    for (size_t i = 0; ok && i < reads->open.count; i++)
        ok = is_open_valid(reads, &reads->open.at[i]) &&
             (reads->optional || !reads->open.at[i].optional);
    return ok;
}

/* ---- the graph ---- */

static bool are_nodes_valid(const struct poly *poly)
{
    const struct esse_history *history = poly->versions->history;
    uint32_t next = poly->aux_nodes_at;
    bool ok =
        poly->time_nodes_at == history->txns * (poly_is_doubled(poly) ? 2u : 1u) &&
        poly->aux_nodes_at == poly->time_nodes_at + (poly->time ? poly->time_line->time_nodes : 0);
    for (uint32_t key = 0; ok && key < history->keys; key++)
        ok = poly->key_aux_node[key].ix == ESSE_NO_NODE || poly->key_aux_node[key].ix == next++;
    return ok && next == poly->nodes;
}

static bool is_graph_valid(const struct poly *poly, const struct esse_csr *csr)
{
    return csr->nodes == poly->nodes && esse_csr_valid(csr, poly->nodes);
}

static bool are_inferred_valid(const struct poly *poly, const struct poly_inferred_vec *inferred)
{
    const struct poly_reads *reads = poly->reads;
    bool ok = true;
    for (size_t i = 0; ok && i < inferred->count; i++) {
        const version_id a = inferred->at[i].a, b = inferred->at[i].b;
        ok = a.ix != b.ix && a.ix < poly->versions->count &&
             is_version_of(reads, b, reads->version_key[a.ix]);
    }
    return ok;
}

/* ---- choices ---- */

static bool is_choice(const struct poly *poly, esse_lit lit, enum poly_choice_kind kind)
{
    return esse_lit_var(lit) < poly->choices.count &&
           poly->choices.at[esse_lit_var(lit)].kind == (uint32_t)kind;
}

static bool is_order_valid(const struct poly *poly, const struct poly_choice *choice)
{
    const struct poly_reads *reads = poly->reads;
    return choice->a < choice->b && choice->b < poly->versions->count &&
           reads->version_key[choice->a] == reads->version_key[choice->b] &&
           poly_stands_for(poly, (version_id){ choice->a }).ix == choice->a &&
           poly_stands_for(poly, (version_id){ choice->b }).ix == choice->b;
}

static bool is_source_valid(const struct poly *poly, uint32_t number,
                            const struct poly_choice *choice)
{
    const struct poly_reads *reads = poly->reads;
    if (choice->a >= reads->open.count)
        return false;
    const struct poly_open *open = &reads->open.at[choice->a];
    return number - open->choice < open->count &&
           reads->sources.at[open->first + number - open->choice] == choice->b;
}

static bool is_choice_valid(const struct poly *poly, uint32_t number)
{
    const struct poly_choice *choice = &poly->choices.at[number];
    switch ((enum poly_choice_kind)choice->kind) {
    case POLY_ORDER:
        return is_order_valid(poly, choice);
    case POLY_SOURCE:
        return is_source_valid(poly, number, choice);
    case POLY_BOTH:
        return is_choice(poly, choice->a, POLY_SOURCE) && !esse_lit_negated(choice->a) &&
               is_choice(poly, choice->b, POLY_ORDER);
    }
    return false;
}

/* ---- the proof ---- */

static bool is_edge_valid(const struct poly *poly, const struct esse_guarded_edge *edge)
{
    return edge->from < poly->nodes && edge->to < poly->nodes &&
           (edge->guard == ESSE_LIT_NONE || esse_lit_var(edge->guard) < poly->choices.count);
}

static bool is_clause_valid(const struct poly *poly, const struct poly_clause *clause)
{
    const struct poly_proof *proof = &poly->proof;
    bool ok = clause->lits + (uint64_t)clause->lit_count <= proof->lits.count &&
              clause->edges + (uint64_t)clause->edge_count <= proof->edges.count;
    for (uint32_t i = 0; ok && i < clause->lit_count; i++)
        ok = esse_lit_var(proof->lits.at[clause->lits + i]) < poly->choices.count;
    for (uint32_t i = 0; ok && i < clause->edge_count; i++)
        ok = is_edge_valid(poly, &proof->edges.at[clause->edges + i]);
    return ok;
}

bool poly_valid(const struct poly *poly)
{
    bool ok = are_nodes_valid(poly) && is_graph_valid(poly, &poly->base) &&
              is_graph_valid(poly, &poly->known) && are_inferred_valid(poly, &poly->inferred) &&
              are_inferred_valid(poly, &poly->covers) &&
              (!poly->solver || poly->choices.count == esse_solver_vars(poly->solver));
    for (uint32_t i = 0; ok && i < poly->choices.count; i++)
        ok = is_choice_valid(poly, i);
    for (size_t i = 0; ok && i < poly->proof.clauses.count; i++)
        ok = is_clause_valid(poly, &poly->proof.clauses.at[i]);
    return ok;
}
