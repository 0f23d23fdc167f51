#ifndef ESSE_ENGINE_CLASSIC_CLASSIC_H
#define ESSE_ENGINE_CLASSIC_CLASSIC_H

#include "base/index.h"
#include "history/facts.h"

/*
 * The checkers of Jepsen's workloads that are not transactions, docs/design/classic.md.
 *
 * 1) A checker decides from the log and its options alone; equal input gives equal output.
 * 2) It allocates only in run->arena.
 * 3) It returns false, with 'err' filled, only for operations that it cannot make sense of; what
 *    a database did is never an error.  esse_classic_refuse says what the history looks like.
 * 4) Its facts use the names that Jepsen's checkers give them.
 */

/* Zero means not given. */
struct esse_classic_options {
    const char *const *accounts; /* bank: null-terminated */
    bool has_total;
    int64_t total;          /* bank */
    bool negative_balances; /* bank: are allowed */
    bool linearizable;      /* set-full: a stale element is an error */
    uint64_t group_size;    /* long-fork: how many keys a read has */
    uint64_t key_count;     /* sequential: how many elements a key has */
    bool independent;       /* values are [key value]: check each key on its own */
    /* With fewer acknowledged operations, or if none of them was a read, valid becomes unknown: too
     * little was tested.  0: the checker alone decides. */
    uint64_t min_committed;
};

struct esse_classic_run {
    struct esse_arena *arena;
    const struct esse_oplog *log;
    const struct esse_classic_options *options;
    struct esse_findings *found;
    const char *checker;
};

struct esse_classic {
    const char *name, *summary;
    const char *operations; /* what it understands, for messages: ":add and :read operations" */
    const char *options;    /* names of those that it has, each with a space behind it */
    bool (*run)(struct esse_classic_run *run, struct esse_error *err);
    /* Which operations it looks at: those of these verbs, bits, or what 'knows' says if there is
     * one.  A log without any is not its log. */
    unsigned verbs;
    bool (*knows)(const struct esse_oplog *log, uint32_t op);
    bool reads_items; /* a read returns a collection, for which [key value] could be mistaken */
};

extern const struct esse_classic *const esse_classics[]; /* null-terminated */

const struct esse_classic *esse_classic_find(const char *name);

/* Checks a log, or every key's part of it.  False if the log is not one of this checker's. */
bool esse_classic_check(struct esse_arena *arena, const struct esse_classic *checker,
                        const struct esse_oplog *log, const struct esse_classic_options *options,
                        struct esse_findings *found, struct esse_error *err);

/* ---- for the checkers ---- */

/* Fails with the place of 'op', the text, and what the history looks like.  Returns false. */
bool esse_classic_refuse(const struct esse_classic_run *run, uint32_t op, struct esse_error *err,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A value as people read it, shortened in the middle. */
const char *esse_classic_text(const struct esse_classic_run *run, esse_value value);

/* Whether a micro-operation is [:r k v] or [:w k v]: 'r' or 'w', else 0. */
char esse_classic_mop(const struct esse_oplog *log, esse_value mop, esse_value *key,
                      esse_value *value);

/*
 * Dense numbers for values, in the order of first appearance.  A zeroed struct is empty.
 * Cost: O(1) expected; 8 bytes a value and 12 of index.
 */

#define ESSE_NO_ELEMENT UINT32_MAX

struct esse_elements {
    esse_value *at;
    uint32_t count, room;
    struct esse_index index;
};

uint32_t esse_elements_find(const struct esse_elements *elements, esse_value value);
uint32_t esse_elements_add(struct esse_elements *elements, struct esse_arena *arena,
                           esse_value value);

/* Sorts by content.  Cost: O(n log n). */
void esse_classic_sort(const struct esse_values *values, esse_value *at, size_t count);

/* Sorts 'at' and returns it as Jepsen prints sets of integers: "#{0..2 5}". */
const char *esse_classic_intervals(struct esse_arena *arena, const struct esse_values *values,
                                   esse_value *at, size_t count);

#endif
