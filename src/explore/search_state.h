#ifndef ESSE_EXPLORE_SEARCH_STATE_H
#define ESSE_EXPLORE_SEARCH_STATE_H

#include "base/vec.h"
#include "explore/search.h"
#include "explore/trail.h"

/*
 * The history at hand, and what the search needs to go back from it.  The invariants are those of
 * docs/design/explore.md; esse_search_valid() checks them.
 */

/* The axioms force these transactions before one: a row of bits for each transaction. */
typedef txn_set before_row;

enum search_frame_kind { FRAME_READ, FRAME_SWAPS, FRAME_BEGIN };

/*
 * A place with several ways on.  READ: the sources left to try, and what stood before the read.
 * SWAPS: after a commit; first the way forward, then a pass backwards over the reads.  BEGIN, of
 * the search without reduction: the transactions left to begin.
 */
struct search_frame {
    enum search_frame_kind kind;
    bool is_swapped, is_fixed;
    uint32_t child;                  /* how many ways were taken */
    uint32_t choices;                /* how many there are at most, for the estimate */
    uint32_t length, swapped_length; /* of the order */
    txn_set present, committed;
    txn_set left; /* READ, BEGIN */
    bool initial_left;
    uint32_t variable;
    uint32_t place, step;  /* SWAPS: the next read to look at is before this step at that place */
    txn_set kept;          /* and the past of the transaction that committed */
    struct esse_unit unit; /* READ: the transaction as it stood */
    struct esse_trail_mark mark;
    before_row *rows; /* READ: as they stood */
    void *state;
    struct saved_history *saved; /* SWAPS: what a swap has replaced */
};

struct saved_history {
    uint32_t length;
    txn_set present, committed;
    uint8_t order[ESSE_PROGRAM_TXNS_MOST];
    struct esse_unit *units;
};

ESSE_VEC(search_frame_vec, struct search_frame)
ESSE_VEC(choice_vec, uint16_t)

struct esse_search {
    struct esse_arena *arena;
    const struct esse_program *program;
    struct esse_search_options options;
    enum esse_axiom base[ESSE_PROGRAM_TXNS_MOST];
    bool has_filter;
    txn_set session_before[ESSE_PROGRAM_TXNS_MOST]; /* so */

    struct esse_trail trail;
    uint8_t order[ESSE_PROGRAM_TXNS_MOST], position[ESSE_PROGRAM_TXNS_MOST];
    uint32_t length;
    txn_set present, committed;
    struct esse_unit units[ESSE_PROGRAM_TXNS_MOST];
    before_row before[ESSE_PROGRAM_TXNS_MOST];
    txn_set *writers; /* by variable */
    uint32_t running; /* or NO_TXN */
    void *state;      /* of the running transaction */
    int64_t read;     /* the value that it has just read */

    struct search_frame_vec frames;
    struct esse_placing *placing;
    struct esse_search_counts counts;
    const uint16_t *path; /* to the subtree that is wanted */
    uint32_t path_length, on_path;
    struct esse_paths *naming; /* subtrees at a depth are named, not walked */
    struct choice_vec named;
    struct esse_u32_vec named_lengths;
    bool cuts, is_cut_open; /* another pinned read, since the filter was asked last */
    bool is_stopped;
};

enum { NO_TXN = UINT32_MAX };

static inline txn_set txn_bit(uint32_t txn)
{
    return UINT64_C(1) << txn;
}

/* The first of a set that is not empty, taken out of it. */
static inline uint32_t txn_take(txn_set *set)
{
    const uint32_t txn = (uint32_t)__builtin_ctzll(*set);
    *set &= *set - 1;
    return txn;
}

/* ---- before.c ---- */

/*
 * The transaction reads 'variable' from 'source' as its next step: what the axiom of its level
 * forces is put into 'rows', and the unit's past and sources grow.  False if that is a cycle; then
 * 'rows' and the unit are to be put back by the caller.
 */
bool esse_before_read(const struct esse_search *search, before_row *rows, txn_set present,
                      uint32_t txn, struct esse_unit *unit, uint32_t variable, uint32_t source);
/* The row of a transaction that begins. */
void esse_before_begin(const struct esse_search *search, before_row *rows, uint32_t txn);
/* Again what the first 'steps' steps of a unit force, as it comes last: 'unit' gets their past and
 * sources. */
bool esse_before_again(const struct esse_search *search, before_row *rows, txn_set present,
                       uint32_t txn, const struct esse_unit *from, uint32_t steps,
                       struct esse_unit *unit);

/* ---- swap.c ---- */

/* The next swap of the frame at the top: the history is the swapped one then.  False: no more. */
bool esse_search_swap(struct esse_search *search, struct search_frame *frame);
/* Back to the history that the frame was made in. */
void esse_search_unswap(struct esse_search *search, struct search_frame *frame);

/* ---- search.c ---- */

/* Until there is no way left, or it is stopped. */
void esse_search_walk(struct esse_search *search);

void esse_search_set_writers(struct esse_search *search, uint32_t txn, bool are_there);
/* A step at the end of the running transaction. */
struct esse_search_step *esse_search_push(struct esse_search *search, uint32_t txn);
/* The value that a transaction left in a variable; NO_SOURCE: the initial one. */
int64_t esse_search_value(const struct esse_search *search, uint32_t source, uint32_t variable);

#endif
