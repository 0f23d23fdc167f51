#ifndef ESSE_EXEC_EXEC_RUN_H
#define ESSE_EXEC_EXEC_RUN_H

#include "exec/exec.h"
#include "sql/eval.h"

/* What the files that run statements share.  Private to exec/. */

/* ---- how rows are reached: exec_plan.c ---- */

/* col OP value, with the value known before the source is looked at. */
struct exec_bound {
    uint32_t column;
    uint8_t accepts; /* bits of enum esse_sides */
    const struct esse_expr *value;
};

/* The first 'equal' columns of an index are bound by equality, the next one by a range. */
struct exec_access {
    bool is_used;
    uint32_t index;        /* ESSE_BY_KEY: the primary key */
    uint32_t equal, range; /* how many bounds of each kind */
    const struct exec_bound *equals[16], *ranges[4];
};

enum { EXEC_MOST_PAIRS = 4 };

struct exec_from;

struct exec_step {
    bool is_outer;
    enum esse_join_kind kind; /* of an outer join */
    uint32_t source;
    const struct exec_from *left, *right;
    uint64_t sources;                    /* of an outer join: its */
    const struct esse_expr **conditions; /* asked when its row is there */
    uint32_t condition_count;
    struct exec_access access;
    /* Equalities with sources before it: it is put in a hash table by 'own'. */
    const struct esse_expr *own[EXEC_MOST_PAIRS], *theirs[EXEC_MOST_PAIRS];
    bool folds[EXEC_MOST_PAIRS];
    uint32_t pairs;
    const struct esse_expr **own_conditions; /* those that look at it alone, for hash and list */
    uint32_t own_count;
    const struct esse_expr **on; /* of a full join: asked of each pair */
    uint32_t on_count;
    uint32_t number; /* among all steps of the query */
};

struct exec_from {
    struct exec_step *steps;
    uint32_t count;
};

struct exec_query_plan {
    const struct exec_from *from;
    uint32_t step_count;
};

const struct exec_query_plan *exec_plan_query(struct esse_schema *schema, struct esse_arena *arena,
                                              const struct esse_query *query);

/* ---- running: query.c ---- */

struct exec_memo {
    bool is_there;
    size_t most;
    struct esse_subrows rows;
};

/* A row of the first source of a change, with what was joined. */
struct exec_tuple {
    const struct esse_datum **rows;
    struct esse_bytes key;
};
ESSE_VEC(exec_tuple_vec, struct exec_tuple)
ESSE_VEC(exec_datum_vec, struct esse_datum)
ESSE_VEC(exec_bytes_vec, struct esse_bytes)

struct exec_plans {
    const struct esse_statement *statement;
    const struct exec_query_plan **of; /* by the query's number */
};

struct exec_run {
    struct esse_exec *exec;
    size_t most; /* how many rows of the statement are enough */
    struct esse_eval eval;
    struct esse_overlay *overlay;
    struct esse_schema *schema;
    const struct esse_statement *statement;
    struct exec_plans *plans;
    struct exec_memo *memos;
    bool is_mysql;
    struct esse_sql_result *result;
};

bool exec_query(struct exec_run *run, const struct esse_query *query, const struct esse_frame *up,
                size_t most, struct esse_subrows *rows);
/* As the statement: with the groups of equals. */
bool exec_top_query(struct exec_run *run, const struct esse_query *query);
/* The rows of the query's sources, for UPDATE and DELETE. */
bool exec_tuples(struct exec_run *run, const struct esse_query *query, struct exec_tuple_vec *out);

/* A statement within a statement, or by itself: memory from 'scratch', which nothing empties. */
struct exec_inputs {
    const struct esse_datum *params;
    uint32_t param_count;
    size_t most;
};
bool exec_run_inner(struct esse_exec *exec, struct esse_arena *scratch,
                    const struct esse_compiled *compiled, const struct exec_inputs *inputs,
                    struct esse_sql_result *result, struct esse_fault *fault);
/* Is it SELECT and one expression, and nothing else? */
bool exec_is_value(const struct esse_query *query);
bool exec_run_value(struct esse_exec *exec, struct esse_arena *scratch,
                    const struct esse_compiled *compiled, const struct exec_inputs *inputs,
                    struct esse_datum *value, struct esse_fault *fault);
/* The arguments of a CALL. */
bool exec_run_args(struct esse_exec *exec, struct esse_arena *scratch,
                   const struct esse_compiled *compiled, const struct exec_inputs *inputs,
                   const struct esse_datum **args, struct esse_fault *fault);

/* ---- changes: change.c, foreign.c ---- */

bool exec_insert(struct exec_run *run, const struct esse_change *change);
bool exec_update(struct exec_run *run, const struct esse_change *change);
bool exec_delete(struct exec_run *run, const struct esse_change *change);
bool exec_truncate(struct exec_run *run, const struct esse_statement *statement);
bool exec_check_index(struct exec_run *run, const struct esse_table *table,
                      const struct esse_table_index *index);

/* The key of a row; of a table without one a new number. */
bool exec_key_of(struct exec_run *run, const struct esse_table *table, const struct esse_datum *row,
                 struct esse_bytes *key);
/* Another row that has the same in a unique index: false and *found NULL if there is none. */
bool exec_find_twin(struct exec_run *run, const struct esse_table *table, uint32_t index,
                    const struct esse_datum *row, struct esse_bytes not_key,
                    struct esse_found *found, bool *is_found);
bool exec_replace_row(struct exec_run *run, const struct esse_table *table, struct esse_bytes key,
                      const struct esse_datum *old, struct esse_datum *row,
                      struct esse_bytes *new_key);
bool exec_remove_row(struct exec_run *run, const struct esse_table *table, struct esse_bytes key,
                     const struct esse_datum *old);

/* What is to be looked at when the statement, or the transaction, has ended: the referencing row
 * that was written, or the referenced one that is gone.  A unique constraint that is deferrable:
 * the row. */
struct exec_pending {
    const struct esse_foreign *foreign; /* NULL: unique */
    const struct esse_table *table;
    uint32_t index;
    bool is_parent;
    struct esse_bytes key;
    const struct esse_datum *row;
    const struct esse_datum *after; /* what an UPDATE made of the referenced row */
};
ESSE_VEC(exec_pending_vec, struct exec_pending)

struct esse_call;

struct exec_savepoint {
    const char *name;
    uint32_t writes, deferred;
    struct esse_schema_mark schema;
};
ESSE_VEC(exec_savepoint_vec, struct exec_savepoint)
ESSE_VEC(exec_plans_vec, struct exec_plans *)
ESSE_VEC(exec_call_vec, struct esse_call *)

struct esse_exec {
    struct esse_compiler *compiler;
    struct esse_schema *schema;
    const struct esse_outside *outside;
    struct esse_arena *arena;   /* for plans */
    struct esse_arena *scratch; /* of one statement */
    struct esse_overlay overlay;
    struct exec_plans_vec plans;
    struct esse_index plan_index;
    struct exec_pending_vec deferred; /* to the end of the transaction; in the overlay's arena */
    struct exec_pending_vec pending;  /* to the end of the statement */
    struct exec_savepoint_vec savepoints;
    bool defers_all, defers_none; /* SET CONSTRAINTS ALL */
    unsigned depth;               /* of cascades */
    struct exec_call_vec calls;   /* of functions within functions, by depth */
    uint32_t call_depth;
};

bool exec_foreign_inserted(struct exec_run *run, const struct esse_table *table,
                           const struct esse_datum *old, const struct esse_datum *row);
/* Does what became of this row leave the foreign keys whole?  Changes nothing. */
bool exec_foreign_kept(struct exec_run *run, const struct esse_table *table,
                       const struct esse_datum *old, const struct esse_datum *row);
bool exec_verify(struct exec_run *run);
bool exec_foreign_gone(struct exec_run *run, const struct esse_table *table,
                       const struct esse_datum *old, const struct esse_datum *row);
void exec_pend(struct exec_run *run, struct exec_pending pending, bool is_deferred);
/* Looks at what has ended the statement: 'from' on. */
bool exec_settle(struct exec_run *run, struct exec_pending_vec *pending, size_t from);

#endif
