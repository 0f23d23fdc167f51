#ifndef ESSE_EVIDENCE_REFUTATION_STATE_H
#define ESSE_EVIDENCE_REFUTATION_STATE_H

#include "history/by_key.h"
#include "level/level.h"
#include "sql/statement.h"

/* What the rules of a refutation share.  Private to evidence/refutation. */

struct refuting {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_level *level;
    const struct esse_refutation *refutation;
    struct esse_by_key by_key;
    uint8_t *in; /* by transaction: committed, or unknown and observed */
    struct esse_predicates *predicates;
    /* What the clause at hand takes for granted: the negations of its literals. */
    uint32_t *given;
    uint32_t given_count, given_room;
};

/* Do the edges of a clause follow from the history and what is given, and form a cycle that the
 * level forbids? */
bool refute_is_cycle(struct refuting *r, const struct esse_clause *clause);

/* Do the literals of a clause name every version that their read can be of? */
bool refute_names_all_sources(struct refuting *r, const struct esse_clause *clause);

/* The only version that 'op' can have read of the key: the operation that wrote it, ESSE_NO_OP for
 * the initial one; REFUTE_NOT_ONE if there are none or several. */
#define REFUTE_NOT_ONE (UINT32_MAX - 1)
uint32_t refute_only_source(const struct refuting *r, uint32_t op, esse_key key);

#endif
