#ifndef ESSE_MIRROR_WINDOW_STATE_H
#define ESSE_MIRROR_WINDOW_STATE_H

#include "mirror/mirror_state.h"

/* What the files of windows share: transactions as the engines will see them. */

/* A version that a read may have seen. */
struct window_source {
    uint64_t key, value;
    int64_t installed; /* when its COMMIT had ended at the latest; or one of: */
};
#define WINDOW_INITIAL INT64_MIN /* before everything */
#define WINDOW_ABORTED INT64_MAX /* never: its writer aborted */
/* It was overwritten so long ago that it is not kept any more. */
#define WINDOW_FORGOTTEN (INT64_MIN + 1)

struct window_op {
    uint64_t key, value;
    uint32_t source_count; /* of a read: all that it may be of; they stand in a row */
    uint8_t kind;          /* enum esse_op_kind */
};

#define WINDOW_ALONE UINT32_MAX /* a session of its own: it was interleaved with others of its */

struct window_txn {
    uint64_t name, ended;
    uint32_t session;
    int64_t start, end; /* snapshot.before and COMMIT.after, widened */
    uint32_t op_count, source_count;
    uint32_t left_out; /* reads of which too little is known */
    bool is_again;     /* it was in the window before this one, too */
};

ESSE_VEC(window_source_vec, struct window_source)
ESSE_VEC(window_op_vec, struct window_op)
ESSE_VEC(window_txn_vec, struct window_txn)

/* Operations and sources of the transactions stand one after the other. */
struct window_part {
    struct window_txn_vec txns;
    struct window_op_vec ops;
    struct window_source_vec sources;
    int64_t begin; /* what is not in it had ended by then; INT64_MIN: everything is in it */
};

ESSE_VEC(window_told_vec, struct esse_window_told)

/* Sources of reads that are judged and whose transaction is not recorded yet: a pool of chains. */
struct window_seen {
    int64_t installed;
    uint32_t next;
};
ESSE_VEC(window_seen_vec, struct window_seen)

struct mirror_window {
    const struct esse_level *level, *strong; /* the strong form, or NULL */
    struct esse_arena *arena;                /* of 'now' */
    struct window_part now;
    uint32_t fresh;              /* those of 'now' that are not there again */
    int64_t longest;             /* the longest transaction so far */
    struct window_seen_vec seen; /* 0 is nobody */
    uint32_t spare_seen;
    uint64_t *once, *again; /* values that were installed, and perhaps twice: bits by hashes */
    struct window_told_vec told;
};

/* May several versions of the key have had this value? */
bool esse_window_is_repeated(const struct mirror_window *w, uint64_t key, uint64_t value);
/* The window at hand as a history, in the arena; how many reads are not in it.  NULL if the builder
 * refuses it. */
struct esse_history *esse_window_history(const struct esse_mirror *m, struct esse_arena *arena,
                                         uint32_t *left_out, struct esse_error *err);
/* Checks the window at hand and tells what came out. */
void esse_window_decide(struct esse_mirror *m);

#endif
