#ifndef ESSE_TESTS_UNIT_LOAD_PORTIONS_H
#define ESSE_TESTS_UNIT_LOAD_PORTIONS_H

#include "load_text.h"

/* As load_bytes, in so many threads and in portions of so many bytes. */
static inline struct esse_history *load_portions(struct esse_arena *arena, const char *format,
                                                 const char *text, size_t length, unsigned threads,
                                                 size_t bytes, struct esse_error *err)
{
    struct esse_source source;
    struct esse_arena *scratch = esse_arena_new();
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_reading reading = { .source = &source,
                                    .builder = builder,
                                    .sink = esse_builder_sink(builder),
                                    .threads = threads,
                                    .portion = bytes };
    struct esse_history *history = NULL;
    *err = (struct esse_error){ 0 };
    esse_source_memory(&source, scratch, text, length);
    if (esse_format_find(format)->read(&reading, err) &&
        !esse_builder_freeze_as(builder, esse_format_find(format)->name, reading.found, &history,
                                err))
        history = NULL;
    esse_source_close(&source);
    esse_arena_free(scratch);
    return history;
}

#define CHECK_COLUMN(a, b, column, count)                                                          \
    do {                                                                                           \
        CHECK_EQ(!(a)->column, !(b)->column);                                                      \
        if ((a)->column)                                                                           \
            assert_memory_equal((a)->column, (b)->column, (count) * sizeof *(a)->column);          \
    } while (0)

static inline void check_same_spines(const struct esse_history *a, const struct esse_history *b)
{
    CHECK_EQ(a->spine_count, b->spine_count);
    for (uint32_t i = 0; i < a->spine_count; i++) {
        CHECK_EQ(a->spines[i].key.ix, b->spines[i].key.ix);
        CHECK_EQ(a->spines[i].count, b->spines[i].count);
        CHECK_COLUMN(&a->spines[i], &b->spines[i], items, a->spines[i].count);
    }
}

static inline void check_same_rows(const struct esse_history *a, const struct esse_history *b)
{
    CHECK_EQ(a->predicate_count, b->predicate_count);
    for (uint32_t i = 0; i < a->predicate_count; i++) {
        const struct esse_predicate_op *p = &a->predicates[i], *q = &b->predicates[i];
        CHECK(esse_value_eq(p->text, q->text));
        CHECK_EQ(p->row, q->row);
        CHECK_EQ(p->vset, q->vset);
        CHECK_EQ(p->result, q->result);
        for (uint32_t r = p->row; r < p->vset + p->vset_count; r++) {
            CHECK_EQ(a->rows[r].key.ix, b->rows[r].key.ix);
            CHECK(esse_value_eq(a->rows[r].value, b->rows[r].value));
            CHECK(esse_value_eq(a->rows[r].next, b->rows[r].next));
        }
        for (uint32_t r = p->result; r < p->result + p->result_count; r++)
            CHECK(esse_value_eq(a->results[r], b->results[r]));
    }
}

static inline void check_same_told(const struct esse_history *a, const struct esse_history *b)
{
    CHECK_EQ(a->extra_count, b->extra_count);
    for (uint32_t i = 0; i < a->extra_count; i++) {
        const struct esse_txn_extra *x = &a->extras[i], *y = &b->extras[i];
        CHECK_EQ(x->txn.ix, y->txn.ix);
        CHECK_EQ(x->name.length, y->name.length);
        CHECK_EQ(x->text.length, y->text.length);
        assert_memory_equal(x->name.at, y->name.at, x->name.length);
        assert_memory_equal(x->text.at, y->text.at, x->text.length);
    }
    CHECK_EQ(a->warning_count, b->warning_count);
    for (uint32_t i = 0; i < a->warning_count; i++) {
        CHECK_TEXT(a->warnings[i].text, b->warnings[i].text);
        CHECK_EQ(a->warnings[i].count, b->warnings[i].count);
        CHECK_EQ(a->warnings[i].first_line, b->warnings[i].first_line);
    }
}

/* Not only the same history: the same numbers for keys, atoms and all. */
static inline void check_same(const struct esse_history *a, const struct esse_history *b)
{
    CHECK_EQ(a->has, b->has);
    CHECK_EQ(a->workload, b->workload);
    CHECK_EQ(a->ops, b->ops);
    CHECK_EQ(a->txns, b->txns);
    CHECK_EQ(a->keys, b->keys);
    CHECK_EQ(a->sessions, b->sessions);
    CHECK_EQ(esse_values_atoms(a->values), esse_values_atoms(b->values));
    CHECK_COLUMN(a, b, op_kind, a->ops);
    CHECK_COLUMN(a, b, op_key, a->ops);
    CHECK_COLUMN(a, b, op_value, a->ops);
    CHECK_COLUMN(a, b, op_time, a->ops);
    CHECK_COLUMN(a, b, op_snapshot, a->ops);
    CHECK_COLUMN(a, b, op_statement, a->ops);
    CHECK_COLUMN(a, b, txn_op, a->txns + 1u);
    CHECK_COLUMN(a, b, txn_session, a->txns);
    CHECK_COLUMN(a, b, txn_status, a->txns);
    CHECK_COLUMN(a, b, txn_line, a->txns);
    CHECK_COLUMN(a, b, txn_name, a->txns);
    CHECK_COLUMN(a, b, txn_time, a->txns);
    CHECK_COLUMN(a, b, txn_server_time, a->txns);
    CHECK_COLUMN(a, b, txn_wall_time, a->txns);
    CHECK_COLUMN(a, b, txn_xid, a->txns);
    CHECK_COLUMN(a, b, session_name, a->sessions);
    CHECK_COLUMN(a, b, key_name, a->keys);
    check_same_spines(a, b);
    check_same_rows(a, b);
    check_same_told(a, b);
}

static inline void check_same_error(const struct esse_error *a, const struct esse_error *b)
{
    CHECK_EQ(a->code, b->code);
    CHECK_TEXT(a->text, b->text);
    CHECK_EQ(a->line, b->line);
    CHECK_EQ(a->column, b->column);
}

#endif
