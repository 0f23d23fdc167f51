#ifndef ESSE_ENGINE_KNOWN_SOURCES_H
#define ESSE_ENGINE_KNOWN_SOURCES_H

#include "base/threads.h"
#include "history/by_key.h"

/* An access: its position in the index by key; or ESSE_NO_KEY_ACCESS. */
typedef struct {
    uint32_t ix;
} key_access_id;

/*
 * The writer of what was read, for every access and every element of a list, found key by key.
 *
 * link[p] is, for a read of a register, the first write of that value to the key, and for a write
 * the next write of the same value; ESSE_NO_KEY_ACCESS where there is none.  So the writers of what
 * p read are link[p], link[link[p]] and so on, whatever became of them; usually there is one.
 * Writes of nil (deletes) are in no such chain: nil may be any of them, or the initial version.
 *
 * The elements of spine s were appended at item[spine_first[s] ..], in the same sense.
 *
 * Cost: O(accesses + items of spines), the second half of it shared by the threads; 20 bytes an
 * access and 4 an item, with the accesses.
 */
struct sources {
    struct esse_arena *arena;
    const struct esse_history *history;
    struct esse_by_key by_key;
    key_access_id *link;
    esse_value *initial; /* by key */
    uint8_t *deleted;    /* by key: some operation deletes it */
    uint8_t *repeated;   /* by key: some element was appended to it by several operations */
    uint32_t *key_spine; /* by key: its first spine, or ESSE_NO_SPINE; then next_spine */
    uint32_t *next_spine;
    uint32_t *spine_first;
    key_access_id *item;
};

/* False if the budget is spent.  Everything is in 'arena'. */
bool sources_find(struct sources *sources, struct esse_arena *arena,
                  const struct esse_history *history, unsigned threads, struct esse_budget *budget);

/* The same among the accesses given, which are taken over. */
bool sources_find_among(struct sources *sources, struct esse_arena *arena,
                        const struct esse_history *history, const struct esse_by_key *by_key,
                        unsigned threads, struct esse_budget *budget);

/* A value as the number of its spine, and how many of the spine's elements it has. */
static inline uint32_t spine_of(esse_value list)
{
    return (uint32_t)list.word >> 3;
}

static inline uint32_t list_length(esse_value list)
{
    return (uint32_t)(list.word >> 32);
}

/* For callers without further questions: forgets the links, to make room. */
void sources_forget(struct sources *sources);

/* The only write in the chain from 'at' that was not aborted, or ESSE_NO_KEY_ACCESS.  With several,
 * which one was read is a choice, and nothing follows from it. */
key_access_id sources_only_of_chain(const struct sources *sources, key_access_id at);

static inline key_access_id sources_only(const struct sources *sources, key_access_id at)
{
    if (at.ix == ESSE_NO_KEY_ACCESS || sources->link[at.ix].ix != ESSE_NO_KEY_ACCESS)
        return sources_only_of_chain(sources, at);
    return sources->history->txn_status[sources->by_key.at[at.ix].txn] == ESSE_ABORTED
               ? (key_access_id){ ESSE_NO_KEY_ACCESS }
               : at;
}

#endif
