#ifndef ESSE_TESTS_UNIT_SQL_ROWS_H
#define ESSE_TESTS_UNIT_SQL_ROWS_H

/* A history that is nothing but rows, and predicates asked about them. */
#include "load_text.h"
#include "sql/sql_answer.h"

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

static inline const struct esse_predicate *sql_rows_get(struct sql_rows *rows, const char *text,
                                                        struct esse_error *err)
{
    return esse_predicates_get(rows->predicates,
                               esse_value_string(rows->history->values, text, strlen(text)), err);
}

/* An answer about all rows, tagged with their positions; NULL and 'err' if there is none. */
static inline struct esse_answer *sql_rows_answer(struct sql_rows *rows,
                                                  const struct esse_predicate *predicate,
                                                  struct esse_error *err)
{
    struct esse_answer *answer = esse_answer_new(rows->arena, predicate);
    esse_answer_begin(answer);
    for (uint32_t i = 0; i < rows->history->init_count; i++) {
        const struct esse_keyed_row *row = &rows->history->init[i];
        if (!esse_answer_add(answer, rows->history->key_name[row->key.ix], row->value, i, err))
            return NULL;
    }
    return esse_answer_end(answer, err) ? answer : NULL;
}

/* "3, nil" or "a/1 a/2", or the error. */
static inline const char *sql_rows_show(struct sql_rows *rows, const char *text)
{
    struct esse_error err = { 0 };
    struct esse_out *out = esse_arena_alloc(rows->arena, 1, sizeof *out);
    const struct esse_predicate *predicate = sql_rows_get(rows, text, &err);
    struct esse_answer *answer = predicate ? sql_rows_answer(rows, predicate, &err) : NULL;
    if (!answer)
        return esse_arena_format(rows->arena, "%s", err.text);
    esse_out_init_memory(out, rows->arena);
    if (esse_statement_is_aggregate(predicate)) {
        esse_answer_show(out, answer);
        return esse_out_memory(out);
    }
    for (uint64_t i = answer->first; i < answer->last; i++) {
        char room[64];
        const struct esse_keyed_row *row = &rows->history->init[answer->places.at[i].tag];
        esse_out_f(
            out, "%s%s", i > answer->first ? " " : "",
            esse_value_brief(rows->history->values, rows->history->key_name[row->key.ix], room));
    }
    return esse_out_memory(out);
}

#endif
