#ifndef ESSE_ENGINE_SATURATE_SATURATE_AXIOM_H
#define ESSE_ENGINE_SATURATE_SATURATE_AXIOM_H

#include "engine/engine.h"
#include "engine/saturate/saturate_order.h"

/* What makes a writer t2 visible to a reader t3: the φ of a level.  docs/design/saturate.md. */
enum saturate_phi {
    SATURATE_READ_EARLIER, /* t3 read from t2 before the read at hand */
    SATURATE_ATOMIC,       /* so ∪ wr */
    SATURATE_CAUSAL,       /* (so ∪ wr)⁺ */
    SATURATE_PIPED,        /* so ∪ so* ; wr ; so* */
    SATURATE_OWN,          /* so */
    SATURATE_SEEN,         /* wr ; so */
    SATURATE_WRITTEN,      /* so ; wr */
    SATURATE_ANSWERED,     /* wr ; so* ; wr */
    SATURATE_PREFIX,       /* co* ; (so ∪ wr) */
    SATURATE_PARALLEL,     /* (so ∪ wr ∪ ww)⁺ */
    SATURATE_UPDATES,      /* so ∪ wr ∪ ww */
};

struct saturate_axiom {
    enum esse_level_id level;
    enum esse_anomaly_id type; /* what a cycle is called */
    enum saturate_phi phi;
    bool single;     /* units are single accesses */
    bool sessions;   /* the commit order contains session order */
    bool own_writes; /* a transaction must read its own writes */
    bool repeatable; /* and what it has read before */
};

extern const struct saturate_axiom saturate_axioms[]; /* ESSE_LEVEL_NONE ends them */

/* Does φ speak of the commit order itself?  Then a broken instance forces nothing. */
static inline bool saturate_asks_order(enum saturate_phi phi)
{
    return phi >= SATURATE_PREFIX;
}

/*
 * The instances of the axiom that an order breaks, as forced edges: for each read the visible
 * writers that come after the one it returned.
 *
 * Cost: see docs/design/saturate.md.  False if the budget is spent.
 */
bool saturate_find_broken(const struct saturate_axiom *axiom, const struct saturate_units *units,
                          const struct saturate_order *order, struct esse_budget *budget,
                          struct saturate_forced_vec *broken);

#endif
