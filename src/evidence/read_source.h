#ifndef ESSE_EVIDENCE_READ_SOURCE_H
#define ESSE_EVIDENCE_READ_SOURCE_H

#include "history/history.h"

/* The version that an order names for a read of the key, or for a predicate that left it out; NULL
 * if it names none.  An order has its sources by operation and key.  O(log sources). */
const struct esse_read_source *esse_named_source(const struct esse_order *order, uint32_t op,
                                                 esse_key key);

#endif
