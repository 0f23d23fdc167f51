#ifndef ESSE_WORKLOAD_SQL_TEXT_H
#define ESSE_WORKLOAD_SQL_TEXT_H

#include <stdbool.h>

/*
 * Looking through the text of a statement just as far as its words, quotes and brackets, whatever
 * the dialect.  A part lies within a text that belongs to the caller.
 */
struct esse_part {
    const char *at, *end;
};

/* Passes over a quoted text or what stands in brackets; otherwise one byte. */
const char *esse_part_pass(const char *at, const char *end);

/* The keyword outside of quotes and brackets; NULL if it is not there. */
const char *esse_part_find(struct esse_part part, const char *word);

struct esse_part esse_part_trim(struct esse_part part);

/* Takes the word that the part begins with, which may be empty. */
struct esse_part esse_part_take_word(struct esse_part *part);

/* Whether it is this word, in capitals or not. */
bool esse_part_is(struct esse_part word, const char *text);

#endif
