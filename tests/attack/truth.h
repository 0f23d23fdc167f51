#ifndef ESSE_TESTS_ATTACK_TRUTH_H
#define ESSE_TESTS_ATTACK_TRUTH_H

#include "attack.h"

/*
 * What the truths of the formalisms share: a world (which transactions of unknown outcome
 * committed), the versions in it, and a reading (which version each read is of, in which order the
 * lists grew).  A level holds iff it holds in some world under some reading.
 */

enum { MOST_VERSIONS = MOST_TXNS * MOST_OPS, MOST_READS = MOST_TXNS * MOST_OPS * MOST_KEYS };
enum { INITIAL = 0 }; /* the version of every key that comes first */

struct version {
    int txn, op; /* -1: none */
    int value;
    bool is_last; /* its transaction's last of the key */
};

struct read {
    int txn, op, key;
    bool is_row;    /* a predicate asked for it */
    bool is_missed; /* the predicate did not return it */
    int source;     /* the version it is of */
};

struct world {
    const struct history *history;
    unsigned counts;            /* a bit a transaction: it committed */
    unsigned before[MOST_TXNS]; /* so: a bit for each that comes later in the session */
    unsigned ended[MOST_TXNS];  /* rt: a bit for each that started after its end */
    int version_count[MOST_KEYS];
    struct version versions[MOST_KEYS][MOST_VERSIONS + 1];
    int read_count;
    struct read reads[MOST_READS];
    /* Of lists, and while a version order is tried of every key: versions, the initial one first.
     */
    int order_count[MOST_KEYS];
    int order[MOST_KEYS][MOST_VERSIONS + 1];
    int place[MOST_KEYS][MOST_VERSIONS + 1]; /* of a version in 'order' */
    bool internal, own_write_missed;
    /* A list shows another's element for one of its own, or an append without an earlier one of the
     * same transaction: nothing is said of it below read-atomic. */
    bool odd_list[MOST_KEYS];
    unsigned assume;
};

static inline bool counts(const struct world *world, int txn)
{
    return world->counts >> txn & 1;
}

static inline bool matches(const struct op *op, int value)
{
    return value != NIL && value >= op->low && value <= op->high;
}

/* Of the reading at hand. */
static inline bool has_odd_list(const struct world *world)
{
    bool odd = false;
    for (int key = 0; key < world->history->key_count; key++)
        odd |= world->odd_list[key];
    return odd;
}

static inline bool misses_own_write(const struct world *world)
{
    return world->own_write_missed || has_odd_list(world);
}

static inline bool contradicts_itself(const struct world *world)
{
    return world->internal || misses_own_write(world);
}

/* Does the operation write the key, and what? */
bool op_writes(const struct op *op, int key, int *value);
bool op_reads(const struct op *op, int key);

/* Is there a version order of the registers that was given, and does 'place' keep to it? */
bool keeps_given_order(const struct world *world, int key);
/* Does 'place' keep to what is assumed of the versions of registers? */
bool keeps_assumptions(const struct world *world, int key);

/* Of readings in which every read is of a committed, final version of another transaction. */
uint64_t adya_levels(struct world *world);
uint64_t commit_order_levels(struct world *world);
/* Of readings in which each operation stands for itself. */
uint64_t operation_levels(const struct world *world);
/* By running the transactions of the world, one order after the other. */
uint64_t serial_levels(const struct world *world);
/* By running their operations. */
uint64_t sequence_levels(const struct world *world);
/* The levels that only writes count for. */
struct truth write_levels(struct world *world);

/* Calls 'visit' for every order of the items, and stops when it returns false. */
void each_order(int *items, int count, bool (*visit)(void *context, const int *items, int count),
                void *context);

#endif
