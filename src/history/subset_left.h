#ifndef ESSE_HISTORY_SUBSET_LEFT_H
#define ESSE_HISTORY_SUBSET_LEFT_H

#include "base/index.h"
#include "base/vec.h"
#include "history/subset.h"

/*
 * Which operations of a part are left: those that were selected, without what speaks of something
 * that was not.  Otherwise a part could be wrong where the whole is not.  Private to subset.c.
 *
 * What goes, and may take more along:
 *
 * 1) the read of a version that is gone; of a value that several versions have, or of nothing, if
 *    one of these is;
 * 2) a write of a register, if a later one of its transaction is gone: it would be the last, which
 *    it never was.
 *
 * Of what asked for more than rows only the rows are left, each read and each change by itself:
 *
 * 3) of a predicate operation, if a version of a row that it did not return is gone: it may have
 *    seen that one.  What its version set or its rows name it is known to have seen;
 * 4) of a SELECT, which ranges over what only its SQL says, if anything is gone;
 *
 * unless it cannot see the difference: subset_seen.h.
 *
 * What aborted transactions wrote counts for 1 only where no other wrote it, and not for 3: no read
 * should have seen it.  Lists only lose elements.
 *
 * Cost: O(operations + rows) a round; a round more for each operation that takes others along, at
 * worst.
 */
/* A value that was written to a key somewhere in the whole history. */
struct left_written {
    uint32_t key;
    esse_value value;
    uint32_t kept; /* writes of it that are left, */
    uint32_t lost; /* and that are not, without those that aborted */
};
ESSE_VEC(left_written_vec, struct left_written)

enum { ESSE_LEFT_GONE, ESSE_LEFT_WHOLE, ESSE_LEFT_ROWS };

struct esse_left {
    const struct esse_history *history;
    const struct esse_selection *selection;
    struct esse_arena *scratch;
    uint8_t *op_kept;    /* by operation: one of these */
    esse_value *initial; /* by key */
    struct left_written_vec written;
    struct esse_index index;
    uint8_t *txn_lost;             /* by transaction: it lost a write */
    uint8_t *key_lost;             /* by key that is kept: it lost a version */
    uint32_t *key_kept;            /* by key that is kept: the versions that are left */
    struct esse_u32_vec lost_keys; /* those that lost one */
    uint32_t *key_named;           /* by key: the last predicate operation that names it, + 1 */
    bool is_whole;                 /* no key and no operation that writes is gone */
    struct esse_seen *seen;        /* made when it is needed */
};

void esse_left_find(struct esse_left *left, struct esse_arena *scratch,
                    const struct esse_history *history, const struct esse_selection *selection);

/* Was it written, and is no write of it left? */
bool esse_left_is_gone(const struct esse_left *left, esse_key key, esse_value value);

#endif
