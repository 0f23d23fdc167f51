#include "engine/polygraph/poly_cycle.h"

void poly_cycle_rest(struct poly *poly, struct poly_cycle *cycle, esse_lit lit)
{
    if (lit == ESSE_LIT_NONE)
        return;
    for (size_t i = 0; i < cycle->lits.count; i++)
        if (cycle->lits.at[i] == esse_lit_not(lit))
            return;
    esse_u32_vec_push(&cycle->lits, poly->arena, esse_lit_not(lit));
}

esse_lit poly_cycle_order(struct poly *poly, struct poly_cycle *cycle, version_id a, version_id b)
{
    if (poly_is_known(poly->versions, poly->reads->version_key[a.ix], a, b))
        return ESSE_LIT_NONE;
    cycle->asked |= poly_order_find(poly, a, b) == ESSE_LIT_NONE;
    esse_lit lit = poly_order(poly, a, b);
    poly_cycle_rest(poly, cycle, lit);
    return lit;
}

void poly_cycle_edge(struct poly *poly, struct poly_cycle *cycle, uint32_t from, uint32_t to,
                     esse_lit guard)
{
    poly_edge_vec_push(&cycle->edges, poly->arena, (struct esse_guarded_edge){ from, to, guard });
}

void poly_cycle_close(struct poly *poly, struct poly_cycle *cycle)
{
    if (!cycle->asked)
        poly_give_cycle(poly, &(struct esse_theory_clause){ cycle->lits.at, cycle->edges.at,
                                                            (uint32_t)cycle->lits.count,
                                                            (uint32_t)cycle->edges.count });
    esse_u32_vec_drop(&cycle->lits, poly->arena);
    poly_edge_vec_drop(&cycle->edges, poly->arena);
}

version_id poly_next_version(const struct poly *poly, uint32_t key, version_id version)
{
    const struct versions *versions = poly->versions;
    uint32_t at = poly_version_place(poly, version) + 1;
    while (at < versions->first[key + 1].ix &&
           version_txn(versions, (version_id){ poly->places[at].id }) ==
               version_txn(versions, version))
        at++;
    return (version_id){ at < versions->first[key + 1].ix ? poly->places[at].id : NO_VERSION };
}
