#ifndef ESSE_HISTORY_LISTS_H
#define ESSE_HISTORY_LISTS_H

#include "history/history.h"

/*
 * What reads of list-append keys returned, stored so that lists which are prefixes of one another
 * share their items.  The reads of a healthy key are all prefixes of its longest list, so a key
 * costs what its longest list costs, however often it is read.
 *
 * A key has up to ESSE_SPINES_A_KEY spines that grow; a list goes to the first one that it is a
 * prefix or an extension of.  Lists that fit none are kept whole, each once.  No spine is shared
 * between keys.  Two lists of one key
 * are equal exactly when their words are: a spine never changes what it holds, so a list that once
 * disagreed with it always will.
 *
 * Cost: O(items) to add; 8 bytes for an item that no other list has.
 */
enum { ESSE_SPINES_A_KEY = 4 };

struct esse_lists;

struct esse_lists *esse_lists_new(struct esse_arena *arena);
esse_value esse_lists_add(struct esse_lists *lists, esse_key key, const esse_value *items,
                          size_t count);
const esse_value *esse_lists_items(const struct esse_lists *lists, esse_value list,
                                   uint32_t *count);

/* The spines and their number, for a frozen history. */
const struct esse_spine *esse_lists_freeze(struct esse_lists *lists, uint32_t *count);

#endif
