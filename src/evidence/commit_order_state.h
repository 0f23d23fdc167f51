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
    uint32_t *place;          /* by unit, or CO_NOWHERE */
    uint8_t *in;              /* by transaction: it is in the order */
    struct co_access *access; /* by access */
    uint32_t *access_txn;     /* by access, if these are the units */
    uint32_t *before;         /* by unit: the one before it in its session, or CO_NOWHERE */
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

static inline uint32_t co_first(const struct commit_order *co, uint32_t unit)
{
    return esse_level_is_of_operations(co->level)
               ? unit
               : esse_by_key_access(&co->by_key, co->history->txn_op[unit]);
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

/* Is there nothing to choose about what predicates saw? */
bool co_explains_predicates(struct commit_order *co, struct esse_error *err);

/* Fills 'access': traces every read, and checks what the versions of a key alone can tell. */
bool co_trace(struct commit_order *co, struct esse_error *err);

/* Checks the axiom itself. */
bool co_check_axiom(struct commit_order *co, struct esse_error *err);

/* Vector clocks along the order: the clock of each unit, asked for in that order. */
struct co_clocks;
struct co_clocks *co_clocks_new(const struct commit_order *co);
const uint32_t *co_clocks_next(struct co_clocks *clocks, uint32_t unit);

#endif
