#ifndef ESSE_EVIDENCE_RECHECK_MECHANISM_H
#define ESSE_EVIDENCE_RECHECK_MECHANISM_H

#include "history/record.h"
#include "level/profile.h"

/*
 * The kernel of watch: holds a claim about a mechanism against the operations that it names, by the
 * arithmetic of intervals alone.  It shares nothing with the mirror.
 *
 * What it believes: that the operations are those of the trace, that the profile is the database's,
 * and of a claim about a read that every version of the key from the pivot on is there.
 *
 * SC: the dependencies of a cycle, or of a pivot, each certain by itself.  Joint: no order of the
 * hidden instants explains what the named transactions did with the named keys.
 *
 * Cost: O(versions^2) for a read, O(operations^2) for a pair or a dependency; O(instants^2) for
 * each edge that Joint adds.
 */
enum esse_claim_kind {
    ESSE_CLAIM_CR,
    ESSE_CLAIM_ME,
    ESSE_CLAIM_FUW,
    ESSE_CLAIM_OCC,
    ESSE_CLAIM_SC,
    ESSE_CLAIM_JOINT,
};

enum esse_mechanism_op_kind { ESSE_MOP_READ, ESSE_MOP_WRITE, ESSE_MOP_INSERT, ESSE_MOP_DELETE };

struct esse_mechanism_column {
    esse_value name, value;
};

struct esse_mechanism_op {
    enum esse_mechanism_op_kind kind;
    esse_value key, value; /* ESSE_NONE: not known, or a statement without rows; NIL: absent */
    const struct esse_mechanism_column *columns; /* of a row; or NULL */
    size_t column_count;
    int64_t before, after;         /* widened; INT64_MAX: no end is known */
    unsigned lock;                 /* asked for: 0 none, 1 key-share ... 4 update */
    bool failed, cursor, is_found; /* is_found: what an update found, under its lock */
    size_t statement;              /* that it is a row of: its place; SIZE_MAX: of none */
    size_t undone_by;      /* the operation before which it was rolled back; SIZE_MAX: none */
    int64_t undone_before; /* when that began */
};

enum esse_mechanism_end { ESSE_MEND_COMMIT, ESSE_MEND_ABORT, ESSE_MEND_UNKNOWN };

struct esse_mechanism_txn {
    const struct esse_profile *row;
    bool has_begin;
    int64_t begin_before, begin_after;
    struct esse_mechanism_op *ops;
    size_t op_count;
    size_t session, place; /* those of one session are in the order of their places */
    int64_t timestamp;     /* the server's, of COMMIT; ESSE_NO_TIME: not known */
    enum esse_mechanism_end end;
    int64_t before, after; /* of COMMIT, or of the release of its locks */
};

struct esse_mechanism_init {
    esse_value key, value;
    const struct esse_mechanism_column *columns;
    size_t column_count;
};

struct esse_mechanism_trace {
    const struct esse_mechanism_txn *txns;
    size_t txn_count;
    bool has_init; /* initial versions are known; keys without one were absent */
    const struct esse_mechanism_init *inits;
    size_t init_count;
};

struct esse_mechanism_claim {
    enum esse_claim_kind kind;
    size_t txn, with; /* 'with': the other one; of a read it is not used */
    esse_value key;
    esse_value column, value; /* of a read: the column (ESSE_NONE: the whole), and what it was */
    /* Of SC and Joint: all that take part.  SC: each depends on the one before it, the first on the
     * last. */
    const size_t *txns;
    size_t txn_count;
    const esse_value *keys; /* that it is about */
    size_t key_count;
};

/* False, with what does not follow in 'err'. */
bool esse_recheck_mechanism(const struct esse_mechanism_trace *trace,
                            const struct esse_mechanism_claim *claim, struct esse_error *err);

#endif
