#include "sql/sql_answer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a statement is ---- */

unsigned esse_statement_tables(const struct esse_predicate *predicate)
{
    return predicate->select->tables;
}

bool esse_statement_is_aggregate(const struct esse_predicate *predicate)
{
    return predicate->select->output_count > 0;
}

bool esse_statement_is_exact(const struct esse_predicate *predicate)
{
    const struct sql_select *select = predicate->select;
    return select->tables == 1 && (!select->has_limit || select->output_count);
}

bool esse_statement_skips(const struct esse_predicate *predicate)
{
    return predicate->select->offset > 0;
}

bool esse_statement_has_key(const struct esse_predicate *predicate, unsigned table, esse_value key)
{
    assert(table < predicate->select->tables);
    return sql_table_has(&predicate->select->table[table], sql_history(predicate->of)->values, key);
}

/* ---- life ---- */

struct esse_answer *esse_answer_new(struct esse_arena *arena,
                                    const struct esse_predicate *predicate)
{
    struct esse_answer *answer = esse_arena_alloc(arena, 1, sizeof *answer);
    answer->arena = arena;
    answer->predicate = predicate;
    answer->select = predicate->select;
    answer->values = sql_history(predicate->of)->values;
    answer->folds =
        esse_arena_alloc(arena, answer->select->output_count + 1u, sizeof *answer->folds);
    return answer;
}

bool answer_fail(const struct esse_answer *answer, uint32_t at, const char *message,
                 struct esse_error *err)
{
    return sql_fail(answer->predicate->of, answer->predicate->text, at, message, err);
}

void esse_answer_begin(struct esse_answer *answer)
{
    for (uint32_t table = 0; table < SQL_MOST_TABLES; table++)
        answer->rows[table].count = 0;
    for (uint32_t i = 0; i < answer->select->output_count; i++) {
        answer->folds[i].count = 0;
        answer->folds[i].datum.type = SQL_NULL;
    }
    answer->pairs.count = 0;
    answer->places.count = answer->keys.count = 0;
    answer->key_text_count = 0;
}

bool esse_answer_add(struct esse_answer *answer, esse_value key, esse_value row, uint32_t tag,
                     struct esse_error *err)
{
    const struct sql_select *select = answer->select;
    const struct sql_tuple tuple = { { key, key }, { row, row } };
    if (esse_value_eq(row, ESSE_NIL))
        return true;
    for (uint32_t table = 0; table < select->tables; table++) {
        bool is_true;
        if (!sql_table_has(&select->table[table], answer->values, key))
            continue;
        if (!sql_is_true(answer->predicate, select->side[table], &tuple, &is_true, err))
            return false;
        if (is_true)
            answer_row_vec_push(&answer->rows[table], answer->arena,
                                (struct answer_row){ key, row, tag, false });
    }
    return true;
}

/* ---- the end ---- */

/* All rows of the only table take part. */
static bool take_rows(struct esse_answer *answer, struct esse_error *err)
{
    for (size_t i = 0; i < answer->rows[0].count; i++) {
        struct answer_row *row = &answer->rows[0].at[i];
        const struct sql_tuple tuple = { { row->key, row->key }, { row->row, row->row } };
        row->takes_part = true;
        if (!answer_fold_in(answer, &tuple, err))
            return false;
    }
    return true;
}

static int by_tag(const void *a, const void *b)
{
    const struct answer_place *x = a, *y = b;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

/* A table that is joined with itself may have a row twice. */
static void drop_repeated(struct answer_place_vec *places)
{
    size_t count = 0;
    qsort(places->at, places->count, sizeof *places->at, by_tag);
    for (size_t i = 0; i < places->count; i++)
        if (!i || places->at[i].tag != places->at[i - 1].tag)
            places->at[count++] = places->at[i];
    places->count = count;
}

static void list_places(struct esse_answer *answer)
{
    for (uint32_t table = 0; table < answer->select->tables; table++) {
        for (uint32_t i = 0; i < answer->rows[table].count; i++) {
            const struct answer_row *row = &answer->rows[table].at[i];
            if (row->takes_part)
                answer_place_vec_push(&answer->places, answer->arena,
                                      (struct answer_place){ row->tag, i, 0 });
        }
    }
    if (answer->select->tables > 1 && answer->places.count)
        drop_repeated(&answer->places);
}

bool esse_answer_end(struct esse_answer *answer, struct esse_error *err)
{
    const struct sql_select *select = answer->select;
    if (!(select->tables == 1 ? take_rows(answer, err) : answer_join(answer, err)))
        return false;
    list_places(answer);
    answer->first = 0;
    answer->last = answer->places.count;
    /* The LIMIT of an aggregate is about the one row that it returns. */
    if (select->has_limit && !select->output_count) {
        if (!answer_sort(answer, err))
            return false;
        answer->first = select->offset < answer->last ? select->offset : answer->last;
        if (select->limit < answer->last - answer->first)
            answer->last = answer->first + select->limit;
    }
    assert(answer->first <= answer->last);
    assert(answer->last <= answer->places.count);
    return true;
}

void esse_answer_pair(struct esse_answer *answer)
{
    assert(answer->select->tables > 1);
    answer->finds_pairs = true;
}

const struct esse_answer_pair *esse_answer_pairs(const struct esse_answer *answer, uint32_t *count)
{
    assert(answer->finds_pairs);
    *count = (uint32_t)answer->pairs.count;
    return answer->pairs.at;
}

/* ---- what may have been returned ---- */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_tags(struct esse_answer *answer, const struct esse_keyed_row *rows, uint32_t count)
{
    answer->wanted.count = 0;
    for (uint32_t i = 0; i < count; i++)
        answer_tag_vec_push(&answer->wanted, answer->arena, rows[i].key.ix);
    if (count)
        qsort(answer->wanted.at, count, sizeof *answer->wanted.at, by_number);
}

static bool is_wanted(const struct esse_answer *answer, uint32_t tag)
{
    return answer->wanted.count &&
           bsearch(&tag, answer->wanted.at, answer->wanted.count, sizeof tag, by_number) != NULL;
}

/* One group of places, of which so many were returned as lie between first and last. */
static bool check_group(const struct esse_answer *answer, size_t begin, size_t end, uint32_t *found,
                        uint32_t *odd, bool *missing)
{
    assert(begin < end);
    const uint64_t from = begin > answer->first ? begin : answer->first;
    const uint64_t until = end < answer->last ? end : answer->last;
    const uint64_t share = until > from ? until - from : 0;
    uint64_t taken = 0;
    for (size_t i = begin; i < end; i++)
        taken += is_wanted(answer, answer->places.at[i].tag);
    *found += (uint32_t)taken;
    *missing = taken < share;
    for (size_t i = begin; taken != share && i < end; i++) {
        *odd = answer->places.at[i].tag;
        if (is_wanted(answer, *odd) != *missing)
            return false;
    }
    return true;
}

/* A row that was returned and is none of those that take part. */
static bool find_foreign(const struct esse_answer *answer, uint32_t *odd)
{
    for (size_t i = 0; i < answer->wanted.count; i++) {
        bool known = false;
        for (size_t j = 0; !known && j < answer->places.count; j++)
            known = answer->places.at[j].tag == answer->wanted.at[i];
        *odd = answer->wanted.at[i];
        if (!known)
            return true;
    }
    return false;
}

bool esse_answer_may_be(struct esse_answer *answer, const struct esse_keyed_row *rows,
                        uint32_t count, uint32_t *odd, bool *missing)
{
    const struct answer_place_vec *places = &answer->places;
    uint32_t found = 0;
    sort_tags(answer, rows, count);
    for (size_t begin = 0, end; begin < places->count; begin = end) {
        for (end = begin + 1; end < places->count; end++)
            if (places->at[end].group != places->at[begin].group)
                break;
        if (!check_group(answer, begin, end, &found, odd, missing))
            return false;
    }
    *missing = false;
    return found == count || !find_foreign(answer, odd);
}
