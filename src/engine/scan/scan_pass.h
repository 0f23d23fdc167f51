#ifndef ESSE_ENGINE_SCAN_SCAN_PASS_H
#define ESSE_ENGINE_SCAN_SCAN_PASS_H

#include "engine/scan/scan_present.h"
#include "sql/statement.h"

/* What the pass over predicate operations knows where it stands.  Private to scan_predicates.c and
 * scan_statements.c. */

ESSE_VEC(key_list_vec, struct esse_u32_vec)

struct pass {
    struct known *known;
    struct esse_predicates *predicates;

    struct scan_present present;  /* the keys that a predicate operation can be sure to find */
    struct esse_word_map texts;   /* by text: its number */
    struct key_list_vec matching; /* by text: those of 'present' whose every version matches */

    /* By key: the operation (or transaction) whose rows, version set or writes have it, plus 1. */
    uint32_t *row_op, *vset_op, *own_txn;
    esse_value *row_value;   /* by key: what that operation returned */
    struct esse_u32_vec own; /* what the transaction at hand has written so far */
    esse_value *own_value;   /* by key: its last such write; ESSE_NONE if that was an append */
    uint32_t *own_op;        /* by key: which operation that was */
    uint32_t txn, op;        /* at hand */
};

static inline bool pass_is_own(const struct pass *pass, uint32_t key)
{
    return pass->own_txn[key] == pass->txn + 1;
}

static inline bool pass_is_returned(const struct pass *pass, uint32_t key)
{
    return pass->row_op[key] == pass->op + 1;
}

/* The predicate of the operation at hand is no good: the input's fault. */
bool pass_fail(struct pass *pass);

/* Tells an anomaly of the operation at hand and a key, or ESSE_NO_KEY. */
void pass_tell(struct pass *pass, enum esse_anomaly_id type, uint32_t key, const char *description,
               const char *rest);

/* Recomputes what a statement returned, as far as what it looked at is recorded. */
bool scan_statement(struct pass *pass, const struct esse_predicate_op *op,
                    const struct esse_predicate *predicate);

#endif
