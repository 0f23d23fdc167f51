#ifndef ESSE_EVIDENCE_COMMIT_ORDER_STATE_H
#define ESSE_EVIDENCE_COMMIT_ORDER_STATE_H

#include "history/by_key.h"
#include "level/level.h"

/* What the walk along a commit order and its predicates share.  Private to evidence/. */

#define CO_INITIAL (UINT32_MAX - 1)
#define CO_NOTHING (UINT32_MAX - 2)
#define CO_NOWHERE UINT32_MAX

struct co_access {
    uint32_t key, source; /* the unit whose version it reads, or CO_INITIAL */
};

/* A row that a predicate operation of 'unit' left out, and whose version it saw of it. */
struct co_left_out {
    uint32_t unit;
    struct co_access access;
};

struct commit_order {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_level *level;
    const struct esse_order *order;
    struct esse_by_key by_key; /* if the history has predicates */
    uint32_t units;
    uint8_t *in;                  /* by transaction: it is in the order */
    struct co_left_out *left_out; /* by unit, ascending */
    uint32_t *left_before;        /* by unit: how many of them belong to earlier units; or NULL */
    uint32_t left_count;
};

/* Is there nothing to choose about what predicates saw, or does the order say what they saw?  Finds
 * 'left_out'. */
bool co_explains_predicates(struct commit_order *co, struct esse_error *err);

/* The position of the write whose version the order names for a read of the key, or for a predicate
 * that left it out; CO_INITIAL; CO_NOTHING if it names none; CO_NOWHERE if that is no version. */
uint32_t co_named(const struct commit_order *co, uint32_t op, esse_key key);

#endif
