#ifndef ESSE_EXPLORE_AXIOMS_H
#define ESSE_EXPLORE_AXIOMS_H

#include "base/error.h"

/*
 * The levels that can be explored, by what they ask of one reading transaction (semantics 4), each
 * stronger than the one before.  Up to CAUSAL they are causally extensible, so a search can keep
 * to them; those after it are filters over CAUSAL (docs/design/explore.md).
 */
enum esse_axiom {
    ESSE_AXIOM_NONE, /* so and wr have no cycle, and that is all */
    ESSE_AXIOM_COMMITTED,
    ESSE_AXIOM_ATOMIC,
    ESSE_AXIOM_CAUSAL,
    ESSE_AXIOM_PREFIX,
    ESSE_AXIOM_SNAPSHOT,
    ESSE_AXIOM_SERIAL,
    ESSE_AXIOM_END
};

/* The level by a name of 'esse levels', or rc, ra, cc, pc, si, ser, or true.  ESSE_EUSAGE for one
 * that cannot be explored, and why. */
bool esse_explore_level(const char *name, enum esse_level_id *level, struct esse_error *err);

/* Of a level that can be explored; NONE is the level without axioms. */
enum esse_axiom esse_axiom_of(enum esse_level_id level);
enum esse_level_id esse_axiom_level(enum esse_axiom axiom);
const char *esse_axiom_name(enum esse_axiom axiom);  /* one of the level's, or "true" */
const char *esse_axiom_short(enum esse_axiom axiom); /* "si" */

static inline bool esse_axiom_is_base(enum esse_axiom axiom)
{
    return axiom <= ESSE_AXIOM_CAUSAL;
}

#endif
