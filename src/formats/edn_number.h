#ifndef ESSE_FORMATS_EDN_NUMBER_H
#define ESSE_FORMATS_EDN_NUMBER_H

#include "history/values.h"

/*
 * Numbers as Clojure writes them: 12, -0x1F, 017, 36rZZ, 12N, 1/3, 1.5e3, 1.5M.
 *
 * An integer that fits 64 bits is ESSE_KIND_INT however it was written.  All else is
 * ESSE_KIND_NUMBER by a canonical text, so that equal numbers of one kind are one value: integers
 * in decimal, ratios in lowest terms, doubles by their shortest digits, decimals without trailing
 * zeros.  As in Clojure, 1, 1.0 and 1M are three different values.
 *
 * Cost: O(length), and no memory but for the value; integers with a radix have at most
 * ESSE_EDN_RADIX_DIGITS digits, because converting them is not linear.
 */
enum { ESSE_EDN_RADIX_DIGITS = 256 };

/* Reads all of text[0 .. length); 'scratch' has room for 2 * length + 64 bytes, because digits of a
 * high radix are more in decimal.  'value' may be NULL.  Returns NULL, or what is wrong: "expected
 * a digit after '/'". */
const char *esse_edn_number(struct esse_values *values, const char *text, size_t length,
                            char *scratch, esse_value *value);

#endif
