#ifndef ESSE_HISTORY_VALUE_EDN_H
#define ESSE_HISTORY_VALUE_EDN_H

#include "base/out.h"
#include "history/values.h"

/* Prints a value as EDN, so that reading it gives the same value: sequences as vectors, sets and
 * maps in the order of esse_value_compare.  ESSE_NONE prints as nil.  Not for ESSE_KIND_LIST, whose
 * items only the history has.  Cost: O(bytes printed). */
void esse_value_put_edn(struct esse_out *out, const struct esse_values *values, esse_value value);

/* A string with its quotes; UTF-8 stays as it is. */
void esse_out_edn(struct esse_out *out, const char *text, size_t length);

#endif
