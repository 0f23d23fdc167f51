#include "engine/polygraph/poly_reason.h"

/*
 * Session order and real time are lent to levels that do not have them: an order that keeps them is
 * an order, and with them most choices are made.  If there is none, the refutation says which of
 * the lent edges are in the way; they are withheld, and the rest is lent again.
 */

uint32_t poly_blame(const struct poly *poly, uint8_t *withheld)
{
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
            withheld[reasons[i].to] |= session ? POLY_SESSION : POLY_TIME;
            blamed++;
        }
    }
    return blamed;
}
