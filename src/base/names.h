#ifndef ESSE_BASE_NAMES_H
#define ESSE_BASE_NAMES_H

#include "esse/esse.h"

/*
 * The names of the enums in esse.h, by value: what files and reports say for them.  Inside, nothing
 * compares names; readers turn them into values, and writers turn values into them.  NULL ends each
 * list.
 */
extern const char *const esse_outcome_names[];
extern const char *const esse_dep_names[];
extern const char *const esse_basis_names[];       /* the first, of none, is "" */
extern const char *const esse_order_by_names[];    /* the first, of no order, is "" */
extern const char *const esse_certificate_names[]; /* the first, of none, is "" */

/* An assumption in words that go on from "assuming that"; NULL of a basis that is none. */
const char *esse_basis_words(enum esse_basis basis);

#endif
