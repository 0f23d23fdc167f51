#ifndef ESSE_MIRROR_WORDS_H
#define ESSE_MIRROR_WORDS_H

#include "history/values.h"

/*
 * Keys and values as 64-bit words that outlive the pool they came from.  Small integers, short
 * texts and the special values are exact.  A longer one is a hash of its content, and its text is
 * remembered for a while: until so many others have come that a generation is full, twice.
 *
 * Equal words of different values can only hide something: whoever tells something looks the values
 * up again.
 *
 * Cost: O(1) for what is exact, O(length) for the rest.
 */
struct esse_words;

struct esse_words *esse_words_new(struct esse_arena *arena);
void esse_words_release(struct esse_words *words);

uint64_t esse_word_of(struct esse_words *words, const struct esse_values *from, esse_value value);

/* The value again; a string "?" if it was too long ago. */
esse_value esse_word_value(const struct esse_words *words, uint64_t word, struct esse_values *to);

#endif
