#ifndef ESSE_HISTORY_PART_H
#define ESSE_HISTORY_PART_H

#include "history/builder.h"

/*
 * Consecutive transactions of a history, built apart from it and joined to it: so several threads
 * build one history.  Keys, sessions and values are numbered within the part; lists stay as they
 * were read.  Joining renumbers.
 *
 * Life: init -> (records -> join -> empty)* -> release.
 *
 * 1) Parts that are joined in the order of the input give the history that a single builder makes
 *    of it: keys, sessions, atoms and spines get the same numbers.
 * 2) A part takes transactions only.  Any other record fails, without an error.
 * 3) Of what a builder refuses, a part refuses what its own records show; the rest shows when it is
 *    joined.  A part that was refused must be read again, by the sink of the whole: that finds the
 *    error, if it is one.
 *
 * Cost: to join, O(operations + keys + atoms), much less than to build; and O(items) for lists.
 */
struct esse_part {
    struct esse_arena *arena; /* of the columns, which are used again and again */
    struct esse_arena *pool;  /* of the values */
    struct esse_builder *builder;
};

void esse_part_init(struct esse_part *part);
void esse_part_release(struct esse_part *part);

/* The sink to which the records of the part go. */
struct esse_sink *esse_part_sink(struct esse_part *part);

/* Adds the part to the whole.  Its lines come after 'lines' others.  False, and no transaction was
 * added, if one of them cannot come after those of the whole. */
bool esse_part_join(const struct esse_part *part, struct esse_builder *whole, uint64_t lines);

/* Makes it ready for the next records, whether it was joined or not. */
void esse_part_empty(struct esse_part *part);

#endif
