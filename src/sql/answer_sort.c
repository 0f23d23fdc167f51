#include "sql/sql_answer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ORDER BY: what each row is sorted by, of one type a column, and the rows in that order. */

/* A text that a cast made is gone with the next row. */
static void keep_text(struct esse_answer *answer, struct sql_datum *datum)
{
    if (answer->key_text_count == answer->key_texts.count)
        answer_text_vec_push(&answer->key_texts, answer->arena,
                             esse_arena_alloc(answer->arena, SQL_CAST_TEXT, 1));
    char *room = answer->key_texts.at[answer->key_text_count++];
    assert(datum->is.text.length <= SQL_CAST_TEXT);
    memcpy(room, datum->is.text.at, datum->is.text.length);
    datum->is.text.at = room;
}

static struct sql_datum *key_of(const struct esse_answer *answer, size_t row, uint32_t sort)
{
    return &answer->keys.at[row * answer->select->sort_count + sort];
}

static bool find_keys(struct esse_answer *answer, struct esse_error *err)
{
    const struct sql_select *select = answer->select;
    for (size_t i = 0; i < answer->rows[0].count; i++) {
        const struct answer_row *row = &answer->rows[0].at[i];
        const struct sql_tuple tuple = { { row->key, row->key }, { row->row, row->row } };
        for (uint32_t sort = 0; sort < select->sort_count; sort++) {
            struct sql_datum datum;
            if (!sql_evaluate(answer->predicate, select->sorts[sort].by, &tuple, &datum, err))
                return false;
            if (datum.type == SQL_TEXT && select->sorts[sort].by->kind == SQL_CAST)
                keep_text(answer, &datum);
            answer_datum_vec_push(&answer->keys, answer->arena, datum);
        }
    }
    return true;
}

/* Gives all keys of a column one type: that in which each can meet the others. */
static bool level_keys(struct esse_answer *answer, uint32_t sort, struct esse_error *err)
{
    struct sql_datum common = { .type = SQL_NULL };
    const uint32_t at = answer->select->sorts[sort].by->at;
    sql_why why;
    /* The second time every key meets what all of them together have made of the type. */
    for (int round = 0; round < 2; round++) {
        for (size_t row = 0; row < answer->rows[0].count; row++) {
            struct sql_datum *key = key_of(answer, row, sort), other = common;
            if (key->type == SQL_NULL)
                continue;
            if (common.type == SQL_NULL)
                common = other = *key;
            const char *problem = sql_datum_meet(key, &other, why);
            if (problem)
                return answer_fail(answer, at, problem, err);
            common = other;
        }
    }
    return true;
}

static int compare_keys(const struct esse_answer *answer, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < answer->select->sort_count; i++) {
        const struct sql_sort *sort = &answer->select->sorts[i];
        const struct sql_datum *x = key_of(answer, a, i), *y = key_of(answer, b, i);
        const bool nothing = x->type == SQL_NULL, neither = y->type == SQL_NULL;
        if (nothing || neither) {
            if (nothing != neither)
                return nothing == sort->nulls_first ? -1 : 1;
            continue;
        }
        const int order = sql_datum_compare(x, y);
        if (order)
            return sort->descends ? -order : order;
    }
    return 0;
}

static int by_keys(const void *a, const void *b, void *context)
{
    const struct answer_place *x = a, *y = b;
    const int order = compare_keys(context, x->row, y->row);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

bool answer_sort(struct esse_answer *answer, struct esse_error *err)
{
    struct answer_place_vec *places = &answer->places;
    if (!answer->select->sort_count || !places->count)
        return true;
    assert(answer->select->tables == 1);
    if (!find_keys(answer, err))
        return false;
    for (uint32_t sort = 0; sort < answer->select->sort_count; sort++)
        if (!level_keys(answer, sort, err))
            return false;
    qsort_r(places->at, places->count, sizeof *places->at, by_keys, answer);
    for (size_t i = 1; i < places->count; i++)
        places->at[i].group = places->at[i - 1].group +
                              (compare_keys(answer, places->at[i - 1].row, places->at[i].row) != 0);
    return true;
}
