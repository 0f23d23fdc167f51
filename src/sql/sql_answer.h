#ifndef ESSE_SQL_SQL_ANSWER_H
#define ESSE_SQL_SQL_ANSWER_H

#include "base/vec.h"
#include "sql/sql_expr.h"
#include "sql/statement.h"

/* An answer that is being made: answer.c has its life, answer_join.c pairs, answer_fold.c
 * aggregates and answer_sort.c ORDER BY.  Private to them. */

/* A row that the statement ranges over. */
struct answer_row {
    esse_value key, row;
    uint32_t tag;
    bool takes_part;
};

/* An aggregate so far. */
struct answer_fold {
    uint64_t count;
    struct sql_datum datum; /* the sum, least or most; NULL if there is none yet */
    char room[SQL_CAST_TEXT];
};

/* A row that takes part: its tag, and what it sorts as. */
struct answer_place {
    uint32_t tag, row;
    uint32_t group; /* rows of one group compare as equal, so that LIMIT may take any of them */
};

ESSE_VEC(answer_row_vec, struct answer_row)
ESSE_VEC(answer_pair_vec, struct esse_answer_pair)
ESSE_VEC(answer_place_vec, struct answer_place)
ESSE_VEC(answer_datum_vec, struct sql_datum)
ESSE_VEC(answer_text_vec, char *)
ESSE_VEC(answer_tag_vec, uint32_t)

struct esse_answer {
    struct esse_arena *arena;
    const struct esse_predicate *predicate;
    const struct sql_select *select;
    const struct esse_values *values;
    struct answer_row_vec rows[SQL_MOST_TABLES]; /* by table */
    struct answer_fold *folds;                   /* by output */
    bool finds_pairs;
    struct answer_pair_vec pairs;

    struct answer_place_vec places;   /* the rows that take part, in the order of ORDER BY ... */
    uint64_t first, last;             /* ... of which it returns those from first until last */
    struct answer_tag_vec wanted;     /* room for esse_answer_may_be */
    struct answer_datum_vec keys;     /* by row and sort: what it is sorted by */
    struct answer_text_vec key_texts; /* room for texts that casts make */
    size_t key_text_count;
};

/* The statement is no good for these rows: false, and 'err' says so. */
bool answer_fail(const struct esse_answer *answer, uint32_t at, const char *message,
                 struct esse_error *err);

/* Finds the pairs of a join, and what takes part in them. */
bool answer_join(struct esse_answer *answer, struct esse_error *err);

/* Adds a tuple to every aggregate. */
bool answer_fold_in(struct esse_answer *answer, const struct sql_tuple *tuple,
                    struct esse_error *err);

/* Sorts the places as ORDER BY says, and groups them. */
bool answer_sort(struct esse_answer *answer, struct esse_error *err);

#endif
