#ifndef ESSE_EVIDENCE_REFUTATION_STATE_H
#define ESSE_EVIDENCE_REFUTATION_STATE_H

#include "history/by_key.h"
#include "level/level.h"
#include "sql/statement.h"

/* What the rules of a refutation share.  Private to evidence/refutation. */

/* Which cycles a level forbids, and of which dependencies. */
enum refute_shape {
    REFUTE_ANY,
    REFUTE_NO_TWO_RW,     /* no two rw in a row: snapshot isolation */
    REFUTE_RW_AFTER_READ, /* every rw follows a wr or so: prefix */
    REFUTE_ONE_RW,        /* at most one */
    REFUTE_CAUSAL,        /* no rw; or one, and all else wr or so */
    REFUTE_ATOMIC,        /* no rw; or one, and one wr or so */
};

struct refute_rule {
    enum esse_level_id level;
    enum refute_shape shape;
    bool sessions, time, predicate_rw;
};

const struct refute_rule *refute_rule_of(const struct esse_level *level);

struct refuting {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct refute_rule *rule;
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

/* Did its transaction write the key before 'op'? */
bool refute_is_own(const struct refuting *r, uint32_t op, esse_key key);

#endif
