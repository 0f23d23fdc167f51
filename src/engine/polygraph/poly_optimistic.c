#include "engine/polygraph/poly_layout.h"
#include "engine/polygraph/poly_reason.h"

/*
 * Session order and real time are added to levels that do not have them, as optimistic edges: an
 * order that keeps them is an order, and with them most choices are made.  If there is none, the
 * refutation says which of the optimistic edges are in the way; they are retracted, and the rest is
 * tried again.  What is wrong in one place is often wrong in others near it, so each time twice as
 * many of the neighbours are retracted too: after a few times the rest is in the way nowhere, or no
 * optimistic edge is left.
 */

/* From those near 'txn' too. */
static void retract(const struct poly *poly, const uint32_t *at_rank, uint32_t rank, uint32_t reach,
                    uint8_t kind, uint8_t *retracted)
{
    const uint32_t txns = poly->versions->history->txns;
    for (uint32_t i = rank > reach ? rank - reach : 0; i < txns && i <= (uint64_t)rank + reach; i++)
        retracted[at_rank[i]] |= kind;
}

uint32_t poly_blame(const struct poly *poly, uint32_t reach, uint8_t *retracted)
{
    const uint32_t txns = poly->versions->history->txns;
    const uint32_t *rank = poly->layout->rank;
    uint32_t *at_rank = esse_arena_array(poly->arena, txns + (size_t)1, *at_rank);
    for (uint32_t txn = 0; txn < txns; txn++)
        at_rank[rank[txn]] = txn;
    struct poly_reason *reasons = NULL;
    uint32_t blamed = 0;
    for (size_t c = 0; c < poly->proof.clauses.count; c++) {
        const struct poly_clause *clause = &poly->proof.clauses.at[c];
        if (clause->kind != ESSE_CLAUSE_CYCLE)
            continue;
        reasons = esse_arena_grow(poly->arena, reasons,
                                  (clause->edge_count + (size_t)1) * sizeof *reasons);
        const uint32_t count = poly_reasons(poly, clause, reasons);
        for (uint32_t i = 0; i < count; i++) {
            const bool session =
                reasons[i].dep == ESSE_DEP_PROCESS && !poly->level->needs_session_order;
            if (!session && (reasons[i].dep != ESSE_DEP_REALTIME || poly->level->needs_real_time))
                continue;
            retract(poly, at_rank, rank[reasons[i].to], reach, session ? POLY_SESSION : POLY_TIME,
                    retracted);
            blamed++;
        }
    }
    return blamed;
}
