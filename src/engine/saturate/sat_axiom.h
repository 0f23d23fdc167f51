#ifndef ESSE_ENGINE_SATURATE_SAT_AXIOM_H
#define ESSE_ENGINE_SATURATE_SAT_AXIOM_H

#include "engine/engine.h"
#include "engine/saturate/sat_order.h"

/* What makes a writer t2 visible to a reader t3: the φ of a level.  docs/design/saturate.md. */
enum sat_phi {
    SAT_READ_EARLIER, /* t3 read from t2 before the read at hand */
    SAT_ATOMIC,       /* so ∪ wr */
    SAT_CAUSAL,       /* (so ∪ wr)⁺ */
    SAT_PIPED,        /* so ∪ so* ; wr ; so* */
    SAT_OWN,          /* so */
    SAT_SEEN,         /* wr ; so */
    SAT_WRITTEN,      /* so ; wr */
    SAT_ANSWERED,     /* wr ; so* ; wr */
    SAT_PREFIX,       /* co* ; (so ∪ wr) */
    SAT_PARALLEL,     /* (so ∪ wr ∪ ww)⁺ */
    SAT_UPDATES,      /* so ∪ wr ∪ ww */
};

struct sat_axiom {
    enum esse_level_id level;
    enum esse_anomaly_id type; /* what a cycle is called */
    enum sat_phi phi;
    bool single;     /* units are single accesses */
    bool sessions;   /* the commit order contains session order */
    bool own_writes; /* a transaction must read its own writes */
    bool repeatable; /* and what it has read before */
};

extern const struct sat_axiom sat_axioms[]; /* ESSE_LEVEL_NONE ends them */

/* Does φ speak of the commit order itself?  Then a broken instance forces nothing. */
static inline bool sat_asks_order(enum sat_phi phi)
{
    return phi >= SAT_PREFIX;
}

/*
 * The instances of the axiom that an order breaks, as forced edges: for each read the visible
 * writers that come after the one it returned.
 *
 * Cost: see docs/design/saturate.md.  False if the budget is spent.
 */
bool sat_find_broken(const struct sat_axiom *axiom, const struct sat_units *units,
                     const struct sat_order *order, struct esse_budget *budget,
                     struct sat_forced_vec *broken);

#endif
