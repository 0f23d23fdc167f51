#ifndef ESSE_ENGINE_SATURATE_SATURATE_UNITS_H
#define ESSE_ENGINE_SATURATE_SATURATE_UNITS_H

#include "engine/known/versions.h"

/*
 * A history as the axioms see it: units that are transactions, or single accesses, each with its
 * session, and for every access its key and whose version it reads.
 *
 * Units are numbered in the order of the history, so inside a session a smaller number is earlier.
 * An access is named by its number in the order of the history too (history/by_key.h).
 *
 * Cost: O(accesses), shared by the threads; 8 bytes an access, 4 a unit, and 4 more an access if
 * accesses are the units.
 */
#define SATURATE_WRITES  UINT32_MAX       /* the access writes the key */
#define SATURATE_INITIAL (UINT32_MAX - 1) /* it reads the initial version */
#define SATURATE_NOTHING                                                                           \
    (UINT32_MAX - 2) /* it says nothing: an own read, or one without a result */
#define NO_UNIT   UINT32_MAX
#define NO_ACCESS UINT32_MAX

struct saturate_access {
    uint32_t key;
    uint32_t source; /* a unit, or one of the above */
};

struct saturate_units {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct versions *versions;
    bool single;      /* units are single accesses */
    unsigned threads; /* for work on them key by key */
    uint32_t count, accesses;
    struct saturate_access *access; /* by access */
    uint32_t *access_txn;           /* by access; NULL unless single */
    uint32_t *before;               /* by unit: the one before it in its session, or NO_UNIT */
    uint32_t unresolved;            /* reads whose writer is a choice, or that have none */
};

/* A loop over the keys. */
static inline struct esse_loop saturate_loop(const struct saturate_units *units,
                                             bool (*body)(void *context,
                                                          const struct esse_piece *piece),
                                             void *context, struct esse_budget *budget)
{
    const uint32_t keys = units->history->keys;
    return (struct esse_loop){ .count = keys,
                               .piece = esse_loop_piece(keys),
                               .threads = esse_threads_for(units->threads, units->accesses),
                               .body = body,
                               .context = context,
                               .budget = budget };
}

/* False if the budget is spent: then nothing was made. */
bool saturate_units_make(struct saturate_units *units, struct esse_arena *arena,
                         const struct versions *versions, bool single, unsigned threads,
                         struct esse_budget *budget);
void saturate_units_drop(struct saturate_units *units);

/* The last step of making them: 'before'. */
void saturate_find_before(struct saturate_units *units);

static inline uint32_t saturate_txn(const struct saturate_units *units, uint32_t unit)
{
    return units->single ? units->access_txn[unit] : unit;
}

static inline uint32_t saturate_session(const struct saturate_units *units, uint32_t unit)
{
    return units->history->txn_session[saturate_txn(units, unit)];
}

/* Does the unit count as committed? */
static inline bool saturate_counts(const struct saturate_units *units, uint32_t unit)
{
    return units->versions->in[saturate_txn(units, unit)];
}

/* The unit's accesses are [first .. end). */
static inline uint32_t saturate_first(const struct saturate_units *units, uint32_t unit)
{
    return units->single ? unit
                         : esse_by_key_access(&units->versions->sources->by_key,
                                              units->history->txn_op[unit]);
}

static inline uint32_t saturate_end(const struct saturate_units *units, uint32_t unit)
{
    return units->single ? unit + 1 : saturate_first(units, unit + 1);
}

/* The first access by which the unit read from 'source', or NO_ACCESS. */
static inline uint32_t saturate_read_from(const struct saturate_units *units, uint32_t unit,
                                          uint32_t source)
{
    for (uint32_t a = saturate_first(units, unit); a < saturate_end(units, unit); a++)
        if (units->access[a].source == source)
            return a;
    return NO_ACCESS;
}

/* Is the access one of the unit's, and does the unit count?  Those of others say nothing. */
static inline bool saturate_has(const struct saturate_units *units, uint32_t unit, uint32_t access)
{
    return access < saturate_end(units, unit) && saturate_counts(units, unit);
}

/* The unit of an access.  O(log transactions). */
static inline uint32_t saturate_reader(const struct saturate_units *units, uint32_t access)
{
    const struct esse_by_key *by_key = &units->versions->sources->by_key;
    return units->single ? access : esse_op_txn(units->history, esse_by_key_op(by_key, access)).ix;
}

/* The first access of the same operation: the rows of a predicate are in no order to each other.
 * Not for single accesses.  O(log transactions). */
static inline uint32_t saturate_operation(const struct saturate_units *units, uint32_t access)
{
    const struct esse_by_key *by_key = &units->versions->sources->by_key;
    return esse_by_key_access(by_key, esse_by_key_op(by_key, access));
}

static inline bool saturate_reads(struct saturate_access access)
{
    return access.source < SATURATE_NOTHING;
}

#endif
