#ifndef ESSE_EVIDENCE_MECHANISM_RULES_H
#define ESSE_EVIDENCE_MECHANISM_RULES_H

#include "evidence/recheck_mechanism.h"

/* What the claims about mechanisms are made of, each as the definition has it: instants, what a
 * transaction makes of a key, what a snapshot can hold, locks. */

struct esse_within {
    int64_t b, a; /* an instant lies between them */
};

/* 'e' is surely before 'f'. */
bool esse_within_sure(struct esse_within e, struct esse_within f);
struct esse_within esse_within_op(const struct esse_mechanism_op *op);
struct esse_within esse_within_end(const struct esse_mechanism_txn *t);
struct esse_within esse_mtxn_snapshot(const struct esse_mechanism_txn *t);
struct esse_within esse_mtxn_snapshot_of_read(const struct esse_mechanism_txn *t,
                                              const struct esse_mechanism_op *op);

bool esse_mop_is_write(const struct esse_mechanism_op *op);
bool esse_mop_is_locking(const struct esse_mechanism_op *op);

/* What a transaction made of the claim's column, by the operations before 'upto' but for what had
 * been rolled back by then. */
enum esse_mset { ESSE_MSET_NOT, ESSE_MSET, ESSE_MSET_ANYTHING };
enum esse_mset esse_mtxn_made(const struct esse_mechanism_txn *t, size_t upto,
                              const struct esse_mechanism_claim *claim, esse_value *value);
bool esse_mtxn_writes(const struct esse_mechanism_txn *t, esse_value key);
/* A row that it may have made, or removed. */
bool esse_mtxn_makes_or_removes(const struct esse_mechanism_txn *t, esse_value key);

/* Can the snapshot within 's' of 'reader' hold what 'writer' made of the column? */
bool esse_mtrace_may_hold(const struct esse_mechanism_trace *trace,
                          const struct esse_mechanism_claim *claim, size_t reader, size_t writer,
                          struct esse_within s);
/* Was the claim's value the initial one, or may it have been? */
bool esse_mtrace_was_initial(const struct esse_mechanism_trace *trace,
                             const struct esse_mechanism_claim *claim);
/* How many versions explain the claim's value, at an instant within 's'; 'last' is the writer of
 * one, if one was written. */
size_t esse_mtrace_explanations(const struct esse_mechanism_trace *trace,
                                const struct esse_mechanism_claim *claim, size_t reader,
                                struct esse_within s, size_t *last);

/* The mode in which the operation locks: 0 none, 1 key-share ... 4 update; two conflict if their
 * sum is above 4.  And when that lock was given back. */
unsigned esse_mtxn_mode(const struct esse_mechanism_txn *t, const struct esse_mechanism_op *op);
struct esse_within esse_mtxn_release(const struct esse_mechanism_txn *t,
                                     const struct esse_mechanism_op *op);

/* ---- recheck_joint.c, recheck_dependencies.c ---- */

bool esse_recheck_joint(const struct esse_mechanism_trace *trace,
                        const struct esse_mechanism_claim *claim, struct esse_error *err);
bool esse_recheck_dependencies(const struct esse_mechanism_trace *trace,
                               const struct esse_mechanism_claim *claim, struct esse_error *err);

#endif
