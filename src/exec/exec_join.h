#ifndef ESSE_EXEC_EXEC_JOIN_H
#define ESSE_EXEC_EXEC_JOIN_H

#include "exec/exec_run.h"

/* The tuples of a FROM, one after the other.  Private to exec/. */

struct exec_list {
    bool is_made, is_hashed;
    struct esse_found_vec rows;
    struct esse_index index; /* of the rows, by the hash of the step's own columns */
};

struct exec_join {
    struct exec_run *run;
    const struct esse_query *query;
    const struct exec_query_plan *plan;
    struct esse_frame frame;
    const struct esse_datum **rows; /* by source; NULL: all its columns are NULL */
    struct esse_bytes *keys;
    struct exec_list *lists; /* by step */
    bool is_enough;          /* whoever wants the tuples sets it */
};

/* Is called for each tuple, with its rows in join->rows. */
typedef bool exec_emit(void *context);

bool exec_join(struct exec_join *join, exec_emit *emit, void *context);
bool exec_conditions(struct exec_join *join, const struct esse_expr **conditions, uint32_t count,
                     bool *are_true);

#endif
