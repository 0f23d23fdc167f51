#ifndef ESSE_FORMATS_JEPSEN_BATCH_H
#define ESSE_FORMATS_JEPSEN_BATCH_H

#include "formats/jepsen.h"

/*
 * Operations on their way from the thread that scanned them to esse_jepsen_take: all that it looks
 * at.  Texts and places are not copied: the window that they are in must stay.
 *
 * Life: init -> (keep* -> take -> empty)* -> release.  A batch has a pool of values; an atom is
 * made in the pool of the taker at the operation that made it here, so it gets the number that it
 * would have had.
 *
 * Cost: 80 bytes an operation and 32 a micro-operation.
 */

/* What esse_op_record has of a micro-operation. */
struct esse_kept_mop {
    esse_value key, value;
    uint32_t first, count; /* into the items, or for predicates the rows, of its operation */
    uint8_t kind;
    bool is_list;
};

struct esse_kept_op {
    const char *place;
    struct esse_span f;
    int64_t process, index, time;
    uint32_t mops, items, rows, extras; /* how many of the next ones are its */
    uint32_t atoms;                     /* that the pool had by then */
    uint16_t seen;
    uint8_t type, process_kind, value;
    bool is_txn, is_init, has_init;
};

ESSE_VEC(esse_kept_mops, struct esse_kept_mop)
ESSE_VEC(esse_kept_ops, struct esse_kept_op)
ESSE_VEC(esse_kept_places, const char *)

struct esse_jepsen_batch {
    struct esse_arena *arena, *pool;
    struct esse_values *values;
    struct esse_kept_ops ops;
    struct esse_kept_mops mops;
    struct esse_jepsen_items items;
    struct esse_jepsen_rows rows;
    struct esse_jepsen_extras extras;
    struct esse_kept_places seen_at; /* one for each bit of 'seen' */
    struct esse_value_vec atoms;     /* those of the pool, in the taker's */
};

void esse_jepsen_batch_init(struct esse_jepsen_batch *batch);
void esse_jepsen_batch_release(struct esse_jepsen_batch *batch);
void esse_jepsen_batch_empty(struct esse_jepsen_batch *batch);

/* Keeps the operation that was just read.  False if it must be read where it is taken, because it
 * is wrong. */
bool esse_jepsen_batch_keep(struct esse_jepsen_batch *batch, const struct esse_jepsen *from);

/* Takes all, with esse_jepsen_take. */
bool esse_jepsen_batch_take(struct esse_jepsen_batch *batch, struct esse_jepsen *to);

#endif
