#ifndef ESSE_FORMATS_NATIVE_OPS_H
#define ESSE_FORMATS_NATIVE_OPS_H

#include "base/vec.h"
#include "base/word_map.h"
#include "formats/json.h"
#include "history/record.h"

/* The operations of one native transaction, scanned into vectors that are used again and again.
 * Private to the readers of native histories and of traces. */

ESSE_VEC(esse_native_op_vec, struct esse_op_record)
ESSE_VEC(esse_native_item_vec, esse_value)
ESSE_VEC(esse_native_row_vec, struct esse_row)

struct esse_native_ops {
    struct esse_arena *arena;
    struct esse_native_op_vec ops;
    struct esse_native_item_vec items;
    struct esse_native_row_vec rows;
    struct esse_word_map row_keys; /* of the object at hand */
    const char *unread;            /* the first read that has no result: fine unless it committed */
    size_t statements;             /* that the header has */
};

/* A list of operations, at its '['. */
bool esse_native_ops_read(struct esse_native_ops *ops, struct esse_json *json);

/* An object of key -> value, at its '{', added to ops->rows, no key twice.  'pairs': each value is
 * [old, new]. */
bool esse_native_rows_read(struct esse_native_ops *ops, struct esse_json *json, bool pairs,
                           size_t *first, size_t *count);

/* One scalar for each column that a statement returned. */
bool esse_native_result_read(struct esse_native_ops *ops, struct esse_json *json,
                             struct esse_op_record *op);

/* Whether the values of the object at hand are pairs.  The rows of an update are; whether it is one
 * may only be known later in the object, so the first value decides. */
bool esse_native_rows_are_pairs(struct esse_json *json);

/* What an operation read or wrote: a value of the kinds that the format knows, or a list. */
bool esse_native_value_read(struct esse_native_ops *ops, struct esse_json *json,
                            struct esse_op_record *op);

#endif
