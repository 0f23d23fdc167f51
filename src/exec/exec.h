#ifndef ESSE_EXEC_EXEC_H
#define ESSE_EXEC_EXEC_H

#include "exec/overlay.h"
#include "sql/compile.h"

/*
 * Runs compiled statements of one transaction at a time over a store.
 *
 *     struct esse_exec *exec = esse_exec_new(compiler, store, outside);
 *     esse_exec_begin(exec);
 *     esse_exec_run(exec, &compiled, params, count, &result, &fault) ...
 *     esse_exec_end(exec, &fault);      deferred constraints; the writes are in the overlay
 *
 *  1. A statement that fails leaves everything as it was before it.
 *  2. A result is good until the next run; the overlay until the next begin.
 *  3. Running the same statement again after esse_exec_back() to where it was gives the same, if
 *     the store and 'outside' answer the same.
 *
 * Cost: what is kept of a statement (its access paths) is made once; a run takes memory from an
 * arena that is used again.
 */
struct esse_outside {
    void *context;
    /* What only the server knows: a value, or a hole.  'sequence' of NEXTVAL and CURRVAL. */
    bool (*hole)(void *context, enum esse_hole_kind kind, const struct esse_sequence *sequence,
                 struct esse_datum *value, struct esse_fault *fault);
    /* MySQL's dialect: a value was given for a column that counts by itself; may be NULL. */
    void (*given)(void *context, const struct esse_sequence *sequence, int64_t value);
};

struct esse_sql_result {
    const struct esse_statement *statement;
    bool has_rows;
    uint32_t width;
    const struct esse_output *columns;
    const struct esse_datum *rows; /* 'count' rows of 'width' values */
    size_t count;
    uint64_t changed; /* rows: those matched; in MySQL's dialect those that became different */
    uint64_t found;
    /* With ORDER BY: of each row the number of its group of equals, and what a LIMIT at the top
     * chose from: of 'all' rows those from 'first' on.  NULL without ORDER BY. */
    const uint32_t *groups;
    size_t all, first;
    const struct esse_datum *all_rows;
};

struct esse_exec;
struct esse_exec *esse_exec_new(struct esse_compiler *compiler, struct esse_schema *schema,
                                const struct esse_store *store, const struct esse_outside *outside);
void esse_exec_free(struct esse_exec *exec);

void esse_exec_begin(struct esse_exec *exec);
bool esse_exec_run(struct esse_exec *exec, const struct esse_compiled *compiled,
                   const struct esse_datum *params, uint32_t param_count,
                   struct esse_sql_result *result, struct esse_fault *fault);
/* The constraints that were deferred. */
bool esse_exec_end(struct esse_exec *exec, struct esse_fault *fault);
/* Does what the store has now, with this transaction's writes, keep UNIQUE and FOREIGN KEY? */
bool esse_exec_verify(struct esse_exec *exec, struct esse_fault *fault);

struct esse_exec_mark {
    uint32_t writes, deferred, pending, savepoints;
    struct esse_schema_mark schema;
};
struct esse_exec_mark esse_exec_mark(const struct esse_exec *exec);
void esse_exec_back(struct esse_exec *exec, struct esse_exec_mark mark);

struct esse_overlay *esse_exec_overlay(struct esse_exec *exec);

#endif
