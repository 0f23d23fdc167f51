#ifndef ESSE_AUDIT_WORLD_H
#define ESSE_AUDIT_WORLD_H

#include "audit/row_versions.h"
#include "base/error.h"
#include "exec/exec.h"
#include "history/sql_log.h"

/*
 * A log ready to be run: its schema made, its rows put into state 0, its statements compiled once.
 *
 *  1. A hole is one unknown value with a number.  What an answer shows for it is kept; going back
 *     to a mark forgets it.
 *  2. 'doubt' is set when something decided that the log does not determine: then no explanation
 *     found is no proof that there is none.
 */
struct audit_hole {
    bool is_known;
    struct esse_datum value;
};
ESSE_VEC(audit_hole_vec, struct audit_hole)

struct audit_world {
    struct esse_arena *arena, *scratch; /* 'scratch' is for one statement */
    const struct esse_sql_log *log;
    struct esse_schema *schema;
    struct esse_compiler *compiler;
    struct audit_versions *versions;
    struct esse_outside outside;
    struct esse_exec *exec;
    const struct esse_log_statement *running; /* the statement that asks for a hole */
    struct audit_hole_vec holes;
    struct esse_u32_vec known; /* the holes that got a value, in this order */
    uint32_t now;              /* the hole of this transaction's now(), from 1; 0: none yet */
    struct esse_i64_vec sequences;
    struct esse_u32_vec made; /* by table: the place that created it; 0: it was there */
    bool doubt;
    uint64_t runs;
    /* By transaction: what its texts alone say. */
    struct audit_txn_facts {
        bool changes;   /* it has a statement that may write, or must have a place */
        bool goes_back; /* ROLLBACK TO */
        bool calls;     /* CALL, DO */
        bool is_schema; /* CREATE, DROP */
    } * facts;
    bool has_constraint_errors; /* some statement failed with an error of class 23 */
};

/* A mark to go back to: values of holes. */
static inline uint32_t audit_world_mark(const struct audit_world *world)
{
    return (uint32_t)world->known.count;
}
void audit_world_back(struct audit_world *world, uint32_t mark);

/* A recorded value as a value of this type; false if it is none. */
bool audit_value(struct audit_world *world, esse_value value, struct esse_type type,
                 struct esse_datum *datum);

/* What a recorded error is. */
enum audit_error_class {
    AUDIT_ERROR_CONSTRAINT, /* some state so far, with own writes, breaks the constraint */
    AUDIT_ERROR_DATA,       /* evaluation raises it */
    AUDIT_ERROR_ALWAYS,     /* serialization failures, timeouts: nothing has to explain them */
    AUDIT_ERROR_NEVER,
};
enum audit_error_class audit_error_class(const struct audit_world *world, esse_value error,
                                         char state[6]);

/* ---- answers.c ---- */

/* Whether the result is what the statement's record says.  Learns the values of holes. */
bool audit_answer_fits(struct audit_world *world, const struct esse_log_statement *statement,
                       const struct esse_sql_result *result);

#endif
