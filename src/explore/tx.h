#ifndef ESSE_EXPLORE_TX_H
#define ESSE_EXPLORE_TX_H

#include "explore/program.h"

/*
 * The small language of transactional programs (docs/explore.md has its grammar), compiled.
 *
 * A set is a word with a bit for each of its elements, which are integers from 0 to 63 or texts; a
 * text is its number among the texts of the program.  So every value is a word, and a state is
 * registers and a place in the code.
 *
 * Errors have line and column, and show the line.  Cost: one pass; a procedure is compiled again at
 * every call.
 */
bool esse_tx_compile(struct esse_arena *arena, const char *text, size_t length,
                     const struct esse_program **out, struct esse_error *err);

#endif
