#ifndef ESSE_FORMATS_ZEROS_H
#define ESSE_FORMATS_ZEROS_H

#include "base/index.h"
#include "base/vec.h"
#include "history/record.h"

/*
 * The keys of which committed transactions read or wrote the value 0, for readers of formats in
 * which a read of 0 can be one of the initial version.  Whether 0 was written is known only at
 * the end of the file: then the keys whose initial version has the value 0 are sent as such.
 *
 * A zeroed struct is empty.  Cost: O(1) an operation; memory for the keys.
 */
struct esse_zero_key {
    esse_value key;
    bool read, written;
};
ESSE_VEC(esse_zero_keys, struct esse_zero_key)

struct esse_zeros {
    struct esse_zero_keys keys;
    struct esse_index index;
};

void esse_zeros_add(struct esse_zeros *zeros, struct esse_arena *arena,
                    const struct esse_op_record *op);

static inline void esse_zeros_see(struct esse_zeros *zeros, struct esse_arena *arena,
                                  const struct esse_op_record *op)
{
    if (esse_value_eq(op->value, esse_value_small(0)))
        esse_zeros_add(zeros, arena, op);
}

/* Sends the initial value 0 of every key of which it was read and not written; with 'also_written'
 * of those to which it was written too. */
bool esse_zeros_send(const struct esse_zeros *zeros, struct esse_arena *arena,
                     struct esse_sink *sink, bool also_written, struct esse_error *err);

#endif
