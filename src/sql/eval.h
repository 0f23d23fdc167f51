#ifndef ESSE_SQL_EVAL_H
#define ESSE_SQL_EVAL_H

#include "sql/schema.h"

/*
 * Evaluation of compiled expressions.  Sub-selects and what only the server knows are asked of the
 * runner, by functions.
 *
 * Cost: a switch for each node of the expression; memory from 'arena' for texts and wide numbers.
 */

/* The rows that the columns of one query are taken from, by source; NULL: all columns are NULL. */
struct esse_frame {
    const struct esse_frame *up;
    const struct esse_datum *const *rows;
    const struct esse_datum *aggregates;
};

/* Rows that a sub-select gave, one behind the other. */
struct esse_subrows {
    const struct esse_datum *at;
    uint32_t width;
    size_t count;
};

struct esse_eval {
    struct esse_arena *arena; /* for what lives as long as the statement runs */
    struct esse_fault *fault;
    const struct esse_datum *slots, *params;
    uint32_t param_count;
    const struct esse_datum *place; /* the row that PLACEs are columns of */

    void *context;
    /* The rows of a sub-select; at most 'most' are needed. */
    bool (*query)(void *context, const struct esse_query *query, const struct esse_frame *frame,
                  size_t most, struct esse_subrows *rows);
    /* What a function that CREATE made returns. */
    bool (*call)(void *context, const struct esse_routine *routine, const struct esse_datum *args,
                 struct esse_datum *value);
    bool (*hole)(void *context, enum esse_hole_kind kind, const struct esse_sequence *sequence,
                 struct esse_datum *value);
};

/* False, with the fault filled, if the expression has no value. */
bool esse_eval(struct esse_eval *eval, const struct esse_frame *frame, const struct esse_expr *expr,
               struct esse_datum *value);

/* Is a condition true?  NULL is not; no condition is. */
bool esse_eval_true(struct esse_eval *eval, const struct esse_frame *frame,
                    const struct esse_expr *condition, bool *is_true);

/* ---- aggregates ---- */

struct esse_fold {
    int64_t count;
    struct esse_datum value; /* the sum, the least, the greatest so far */
    struct esse_datum *seen; /* DISTINCT: the values, by hash */
    uint32_t seen_room;
};

bool esse_fold_add(struct esse_eval *eval, const struct esse_frame *frame,
                   const struct esse_aggregate *aggregate, struct esse_fold *fold);
bool esse_fold_end(struct esse_eval *eval, const struct esse_aggregate *aggregate,
                   const struct esse_fold *fold, struct esse_datum *value);

/* ---- rows ---- */

/* NOT NULL and CHECK. */
bool esse_row_check(struct esse_eval *eval, const struct esse_table *table,
                    const struct esse_datum *row);

/* Fills the GENERATED columns. */
bool esse_row_generate(struct esse_eval *eval, const struct esse_table *table,
                       struct esse_datum *row);

#endif
