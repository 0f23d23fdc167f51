#ifndef ESSE_BASE_GUESS_H
#define ESSE_BASE_GUESS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What a mistyped name meant: the nearest by edits of those that are tried, where letters in either
 * case and the usual separators are the same, and a beginning of three letters is near.
 *
 * Life: start -> try, as often as there are names -> guess.name, NULL if none is near.
 */
enum { ESSE_GUESS_LONGEST = 47 }; /* of the names that are tried */

/* The nearest seen so far.  Farther than a third of what was typed is no guess any more. */
struct esse_guess {
    const char *name;
    unsigned distance;
};

struct esse_guess esse_guess_start(const char *typed);
void esse_guess_try(struct esse_guess *guess, const char *typed, const char *const *names,
                    size_t count);

/* Are they the same but for case and separators: "READ_COMMITTED" and "read-committed"? */
bool esse_names_fold(const char *a, const char *b);

#endif
