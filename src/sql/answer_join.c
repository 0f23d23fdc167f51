#include "base/hash.h"
#include "sql/sql_answer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * A join of two tables: rows whose join columns hash alike are met as pairs, and the pair is asked
 * everything that is said of both.
 */
struct hashed {
    uint64_t hash;
    uint32_t row;
};
ESSE_VEC(hashed_vec, struct hashed)

struct joining {
    struct esse_answer *answer;
    struct hashed_vec side[SQL_MOST_TABLES];
    enum sql_type type; /* of the columns so far, SQL_NULL if none was there */
};

/* 2 and 2.0 are equal. */
static uint64_t hash_number(struct sql_decimal number)
{
    while (number.scale && number.digits % 10 == 0) {
        number.digits /= 10;
        number.scale--;
    }
    const uint64_t words[] = { (uint64_t)number.digits, (uint64_t)(number.digits >> 64),
                               (uint64_t)number.scale };
    return esse_hash_bytes((const char *)words, sizeof words);
}

static uint64_t hash_of(const struct sql_datum *datum)
{
    struct esse_span text;
    switch (datum->type) {
    case SQL_BOOLEAN:
        return datum->is.truth;
    case SQL_INTEGER:
        return hash_number(sql_decimal_from_int(datum->is.number));
    case SQL_DECIMAL:
        return hash_number(datum->is.decimal);
    default:
        text = sql_datum_text(datum);
        return esse_hash_bytes(text.at, text.length);
    }
}

/* Columns hold numbers, texts or booleans, and those do not compare with each other: what would be
 * an error for a pair is one although hashing would not let them meet. */
static bool check_type(struct joining *j, const struct sql_datum *datum, uint32_t at,
                       struct esse_error *err)
{
    char message[SQL_WHY];
    const enum sql_type type = datum->type == SQL_DECIMAL ? SQL_INTEGER : datum->type;
    if (j->type == SQL_NULL)
        j->type = type;
    if (j->type == type && type != SQL_OTHER)
        return true;
    snprintf(message, sizeof message, "cannot compare %s with %s", sql_type_name(j->type),
             sql_type_name(type));
    return answer_fail(j->answer, at, message, err);
}

static int by_hash(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static bool hash_side(struct joining *j, uint32_t table, struct esse_error *err)
{
    struct esse_answer *answer = j->answer;
    const struct sql_expr *column = answer->select->join[table];
    for (uint32_t i = 0; i < answer->rows[table].count; i++) {
        const struct answer_row *row = &answer->rows[table].at[i];
        const struct sql_datum datum = sql_datum_of(
            answer->values, sql_column_of(answer->values, column->is.column, row->key, row->row));
        if (datum.type == SQL_NULL)
            continue;
        if (!check_type(j, &datum, column->at, err))
            return false;
        hashed_vec_push(&j->side[table], answer->arena, (struct hashed){ hash_of(&datum), i });
    }
    if (j->side[table].count)
        qsort(j->side[table].at, j->side[table].count, sizeof *j->side[table].at, by_hash);
    return true;
}

static bool meet(struct joining *j, uint32_t left, uint32_t right, struct esse_error *err)
{
    struct esse_answer *answer = j->answer;
    struct answer_row *a = &answer->rows[0].at[left], *b = &answer->rows[1].at[right];
    const struct sql_tuple tuple = { { a->key, b->key }, { a->row, b->row } };
    bool is_true;
    if (!sql_is_true(answer->predicate, answer->select->both, &tuple, &is_true, err))
        return false;
    if (!is_true)
        return true;
    if (answer->finds_pairs) {
        answer_pair_vec_push(&answer->pairs, answer->arena,
                             (struct esse_answer_pair){ a->tag, b->tag });
        return true;
    }
    a->takes_part = b->takes_part = true;
    return answer_fold_in(answer, &tuple, err);
}

static bool meet_all(struct joining *j, struct esse_error *err)
{
    const struct hashed_vec *left = &j->side[0], *right = &j->side[1];
    for (size_t a = 0, from = 0; a < left->count; a++) {
        while (from < right->count && right->at[from].hash < left->at[a].hash)
            from++;
        for (size_t b = from; b < right->count && right->at[b].hash == left->at[a].hash; b++)
            if (!meet(j, left->at[a].row, right->at[b].row, err))
                return false;
    }
    return true;
}

bool answer_join(struct esse_answer *answer, struct esse_error *err)
{
    struct joining j = { .answer = answer };
    assert(answer->select->tables == 2);
    assert(answer->select->join[0] && answer->select->join[1]);
    const bool ok = hash_side(&j, 0, err) && hash_side(&j, 1, err) && meet_all(&j, err);
    hashed_vec_drop(&j.side[0], answer->arena);
    hashed_vec_drop(&j.side[1], answer->arena);
    return ok;
}
