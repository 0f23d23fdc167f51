#ifndef ESSE_EVIDENCE_COMMIT_ORDER_STATE_H
#define ESSE_EVIDENCE_COMMIT_ORDER_STATE_H

#include "base/threads.h"
#include "evidence/commit_order.h"

/* What the parts of the recheck of a commit order share.  Private to evidence/. */

#define CO_WRITES  UINT32_MAX
#define CO_INITIAL (UINT32_MAX - 1)
#define CO_NOTHING (UINT32_MAX - 2)
#define CO_NOWHERE UINT32_MAX

struct co_access {
    uint32_t key, source; /* the unit whose version it reads, or one of the above */
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
    bool own_writes,
        is_repeatable; /* a transaction must read its own writes; and what it had read */
    const struct esse_order *order;
    unsigned threads;
    struct esse_by_key by_key;
    uint32_t units;
    uint32_t *place; /* by unit, or CO_NOWHERE */
    uint8_t *in;     /* by transaction: it is in the order */
    /* Of each unit what its predicates left out, and then its accesses: access[co_first(unit) ..
     * co_end(unit)). */
    struct co_access *access;
    struct co_left_out *left_out; /* by unit, ascending */
    uint32_t *left_before;        /* by unit: how many of them belong to earlier units; or NULL */
    uint32_t left_count;
    uint32_t *access_txn; /* by access, if these are the units */
    uint32_t *before;     /* by unit: the one before it in its session, or CO_NOWHERE */
};

bool co_wrong(const struct commit_order *co, uint32_t unit, const char *what,
              struct esse_error *err);

static inline uint32_t co_txn(const struct commit_order *co, uint32_t unit)
{
    return esse_level_is_of_operations(co->level) ? co->access_txn[unit] : unit;
}

static inline uint32_t co_session(const struct commit_order *co, uint32_t unit)
{
    return co->history->txn_session[co_txn(co, unit)];
}

static inline uint32_t co_left_before(const struct commit_order *co, uint32_t unit)
{
    return co->left_before ? co->left_before[unit] : 0;
}

static inline uint32_t co_first(const struct commit_order *co, uint32_t unit)
{
    return esse_level_is_of_operations(co->level)
               ? unit
               : esse_by_key_access(&co->by_key, co->history->txn_op[unit]) +
                     co_left_before(co, unit);
}

/* Where an access of the history is in co->access. */
static inline uint32_t co_slot(const struct commit_order *co, const struct esse_touch *touch)
{
    return touch->access + co_left_before(co, touch->txn + 1);
}

static inline uint32_t co_slots(const struct commit_order *co)
{
    return co->by_key.count + co->left_count;
}

static inline uint32_t co_end(const struct commit_order *co, uint32_t unit)
{
    return esse_level_is_of_operations(co->level) ? unit + 1 : co_first(co, unit + 1);
}

static inline bool co_reads(struct co_access access)
{
    return access.source < CO_NOTHING;
}

/* A loop over the keys. */
static inline struct esse_loop co_loop(const struct commit_order *co,
                                       bool (*body)(void *context, const struct esse_piece *piece),
                                       void *context)
{
    const uint32_t keys = co->history->keys;
    return (struct esse_loop){ .count = keys,
                               .piece = esse_loop_piece(keys),
                               .threads = esse_threads_for(co->threads, co->by_key.count),
                               .body = body,
                               .context = context };
}

/* Is there nothing to choose about what predicates saw, or does the order say what they saw?  Finds
 * 'left_out'. */
bool co_explains_predicates(struct commit_order *co, struct esse_error *err);

/* The position of the write whose version the order names for a read of the key, or for a predicate
 * that left it out; CO_INITIAL; CO_NOTHING if it names none; CO_NOWHERE if that is no version. */
uint32_t co_named(const struct commit_order *co, uint32_t op, esse_key key);

/* Fills 'access': traces every read, and checks what the versions of a key alone can tell. */
bool co_trace(struct commit_order *co, struct esse_error *err);

/* Checks the axiom itself. */
bool co_check_axiom(struct commit_order *co, struct esse_error *err);

/* Vector clocks along the order: the clock of each unit, asked for in that order. */
struct co_clocks;
struct co_clocks *co_clocks_new(const struct commit_order *co);
const uint32_t *co_clocks_next(struct co_clocks *clocks, uint32_t unit);

#endif
