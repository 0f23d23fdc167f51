#ifndef ESSE_HISTORY_APPENDS_H
#define ESSE_HISTORY_APPENDS_H

#include "history/history.h"

/*
 * Which operation appended an element of a list, where several appended the same one.
 *
 * With duplicate values the writer of what was read is a choice.  An element that several
 * operations appended to a key, and that a list of the key has, is shared.  A *way* says for every
 * place of a shared element which operation appended it: no operation is at two places, and only if
 * there are more places than operations do some places have no operation.  A history satisfies a
 * level iff it does in some way.
 *
 * The history of a way is the recorded one with other names for the shared elements, which say
 * which operation appended them; so nothing in it is shared.  Its transactions, operations and keys
 * have the same numbers.
 *
 * The kernel believes this file.  Cost: O(operations + items of spines) to find them and for the
 * history of a way.
 */
struct esse_shared {
    esse_key key;
    esse_value value;
    const uint32_t *places; /* in the key's longest list, ascending */
    const uint32_t *ops;    /* that appended it, whatever became of them, ascending */
    uint32_t place_count, op_count;
    uint32_t first;     /* of its places in a way */
    esse_value by_none; /* the name of what no operation appended */
};

struct esse_appends {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_shared *shared; /* by key, and then by the first place */
    uint32_t count;
    uint32_t places;       /* of all of them: the length of a way */
    uint64_t ways;         /* how many there are; UINT64_MAX: more than that */
    const uint32_t *tells; /* by key: a read of its longest list; ESSE_NO_OP: nothing is shared */
    const uint32_t *first; /* by key: its first shared element, if it has any */
    struct esse_values *values;
    const esse_value *names;     /* by operation: of the shared element that it appended */
    const esse_value *named_ops; /* by operation: its value, by these names */
};

/* Keys whose lists contradict each other, or that a version order was given for, are left out, and
 * histories with a certificate. */
void esse_appends_find(struct esse_appends *elements, struct esse_arena *arena,
                       const struct esse_history *history);

/* The first way, which has the operations in the order of the history, and the one after 'way';
 * false if that was the last. */
void esse_way_first(const struct esse_appends *elements, uint32_t *way);
bool esse_way_next(const struct esse_appends *elements, uint32_t *way);

/* Is it a way? */
bool esse_way_is_one(const struct esse_appends *elements, const uint32_t *way, uint32_t count);

/* The history in which this is what happened.  ESSE_NO_OP: a place without an operation. */
const struct esse_history *esse_way_history(struct esse_arena *arena,
                                            const struct esse_appends *elements,
                                            const uint32_t *way);

#endif
