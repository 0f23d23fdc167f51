#ifndef ESSE_TESTS_UNIT_SQL_ROWS_H
#define ESSE_TESTS_UNIT_SQL_ROWS_H

/* A history that is nothing but rows, and predicates asked about them. */
#include "load_text.h"
#include "sql/predicate.h"

struct sql_rows {
    struct esse_arena *arena;
    struct esse_history *history;
    struct esse_predicates *predicates;
};

/* 'init' is the JSON of the rows: {"x":1,"y":{"name":"a"}}. */
static inline struct sql_rows sql_rows_new(const char *init)
{
    struct sql_rows rows = { .arena = esse_arena_new() };
    rows.history =
        load_text(rows.arena, "native", esse_arena_format(rows.arena, "{\"init\":%s}\n", init));
    rows.predicates = esse_predicates_new(rows.arena, rows.history);
    return rows;
}

/* One row, of the key x. */
static inline struct sql_rows sql_row_new(const char *row)
{
    char init[256];
    snprintf(init, sizeof init, "{\"x\":%s}", row);
    return sql_rows_new(init);
}

static inline void sql_rows_free(struct sql_rows *rows)
{
    esse_arena_free(rows->arena);
}

/* 't', 'f', 'u', or 'e' with 'err' filled, for a predicate and the row at a position. */
static inline char sql_rows_ask(struct sql_rows *rows, const char *text, uint32_t at,
                                struct esse_error *err)
{
    const esse_value word = esse_value_string(rows->history->values, text, strlen(text));
    const struct esse_predicate *predicate = esse_predicates_get(rows->predicates, word, err);
    const struct esse_keyed_row *row = &rows->history->init[at];
    enum esse_truth truth;
    if (!predicate || !esse_predicate_eval(predicate, rows->history->key_name[row->key.ix],
                                           row->value, &truth, err))
        return 'e';
    return truth == ESSE_TRUTH_TRUE ? 't' : truth == ESSE_TRUTH_FALSE ? 'f' : 'u';
}

#endif
