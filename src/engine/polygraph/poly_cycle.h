#ifndef ESSE_ENGINE_POLYGRAPH_POLY_CYCLE_H
#define ESSE_ENGINE_POLYGRAPH_POLY_CYCLE_H

#include "engine/polygraph/poly_state.h"

/* Up to ESSE_CYCLE_ONE_RW: a cycle with one rw, on its way to become a clause. */
struct poly_cycle {
    struct esse_u32_vec lits;
    struct poly_edge_vec edges;
    bool asked; /* a choice was missing */
};

enum { POLY_CYCLES_MOST = 64 }; /* looked for in a round */

/* The literal that the cycle rests on must be false then; ESSE_LIT_NONE: there is none. */
void poly_cycle_rest(struct poly *poly, struct poly_cycle *cycle, esse_lit lit);

/* The cycle rests on "version a before version b", unless that is known; its literal. */
esse_lit poly_cycle_order(struct poly *poly, struct poly_cycle *cycle, version_id a, version_id b);

void poly_cycle_edge(struct poly *poly, struct poly_cycle *cycle, uint32_t from, uint32_t to,
                     esse_lit guard);

/* Gives the clause, unless a choice was missing: then the next round finds the cycle again. */
void poly_cycle_close(struct poly *poly, struct poly_cycle *cycle);

/* The version after another one in the order at hand, by another transaction; NO_VERSION if none.
 */
version_id poly_next_version(const struct poly *poly, uint32_t key, version_id version);

/* Where a version is among those of its key in the order at hand. */
static inline uint32_t poly_version_place(const struct poly *poly, version_id version)
{
    const version_id first = poly->versions->first[poly->reads->version_key[version.ix]];
    return version.ix == first.ix ? first.ix : poly->place[version.ix];
}

/* The source that an open read is taken to have: its literal. */
static inline esse_lit poly_chosen(const struct poly *poly, const struct poly_open *open)
{
    uint32_t i = 0;
    while (!esse_solver_value(poly->solver, esse_lit_of(open->choice + i, false)))
        i++;
    return esse_lit_of(open->choice + i, false);
}

#endif
