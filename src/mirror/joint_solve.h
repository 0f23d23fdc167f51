#ifndef ESSE_MIRROR_JOINT_SOLVE_H
#define ESSE_MIRROR_JOINT_SOLVE_H

#include "mirror/mirror.h"

/*
 * Is there a choice of instants?  Nodes with the intervals they lie in, edges that are known, and
 * alternatives; transitive closure as rows of bits.  An alternative that closes a cycle is dropped,
 * the last one left becomes edges, to a fixed point.
 *
 * Cost: O(nodes^3 / 64) and a row for every alternative, until nothing changes.
 */
enum { ESSE_JOINT_NODES = 256 };
#define ESSE_JOINT_NONE UINT32_MAX

struct esse_joint_node {
    struct esse_instant at;
    /* One of a session is before another if all of its places there are: program order.  NONE: it
     * is in no such order. */
    uint32_t session;
    uint64_t first, last;
};

struct esse_joint_edge {
    uint32_t from, to;
};

struct esse_joint_candidate {
    uint32_t node; /* of its commit; ESSE_JOINT_NONE: it surely was there before all others */
    bool matches;
};

struct esse_joint_constraint {
    bool is_read;
    struct esse_joint_edge either[2]; /* of a pair: one of them */
    uint32_t snapshot; /* of a read: one of the candidates that match was the newest */
    struct esse_joint_candidate *candidates;
    uint32_t count;
    /* For telling it. */
    enum esse_mechanism mechanism;
    uint64_t key;
    uint32_t line;
};

struct esse_joint_problem {
    const struct esse_joint_node *nodes;
    uint32_t node_count;
    const struct esse_joint_constraint *constraints;
    uint32_t constraint_count;
    const bool *left_out; /* by constraint, or NULL */
    bool by_session_only; /* time orders instants of one session only */
};

/* False if no choice is left. */
bool esse_joint_holds(const struct esse_joint_problem *problem, struct esse_arena *arena);

#endif
