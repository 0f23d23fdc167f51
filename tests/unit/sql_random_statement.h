#ifndef ESSE_TESTS_UNIT_SQL_RANDOM_STATEMENT_H
#define ESSE_TESTS_UNIT_SQL_RANDOM_STATEMENT_H

/* Random SELECTs over two random tables, t and u, none of which can fail. */
#include "sql_random.h"

enum random_kind { RANDOM_RESULT, RANDOM_ROWS, RANDOM_PAIRS };

struct random_statement {
    enum random_kind kind;
    const char *text; /* RANDOM_ROWS selects k, RANDOM_PAIRS the k of both */
};

struct statement_writer {
    struct writer w;
    const char *of; /* what stands before a column: "" or "x." */
};

static inline void put_of(struct statement_writer *s, const char *text)
{
    for (; *text; text++) {
        const char one[] = { *text, 0 };
        put(&s->w, *text == '@' ? s->of : one);
    }
}

static inline void put_safe_condition(struct statement_writer *s, int depth)
{
    static const char *const plain[] = {
        "@a > 0",          "@a <> @b",        "@b BETWEEN -3 AND 4", "@s >= 'a'",
        "@s LIKE '%b%'",   "@s IS NOT NULL",  "@k LIKE '%1'",        "@f",
        "@a IN (1, 2, 3)", "NOT (@b = 2)",    "@a IS NULL",          "@s IN ('a', 'ab', NULL)",
        "@b < 5",          "(@a > 1) IS TRUE"
    };
    static const char *const full[] = { "@a > 1.5", "@d >= DATE '2024-01-05'", "@a = 2.0",
                                        "@d::text LIKE '2024-%'", "@f = 'yes'" };
    if (depth && dice(&s->w, 2)) {
        put(&s->w, "(");
        put_safe_condition(s, depth - 1);
        put(&s->w, dice(&s->w, 2) ? " AND " : " OR ");
        put_safe_condition(s, depth - 1);
        put(&s->w, ")");
    } else if (s->w.full && !dice(&s->w, 4)) {
        put_of(s, PICK(s->w.rng, full));
    } else {
        put_of(s, PICK(s->w.rng, plain));
    }
}

static inline void put_aggregates(struct statement_writer *s)
{
    static const char *const plain[] = { "count(*)", "count(@s)", "count(@a)", "sum(@a)",
                                         "min(@b)",  "max(@b)",   "min(@s)",   "max(@s)",
                                         "sum(@b)",  "min(@k)",   "max(@a)",   "max(@d)" };
    static const char *const full[] = { "sum(@a * 0.5)", "min(@d::date)", "max(@d::timestamp)",
                                        "sum(1.25)",     "max(@a + 0.5)", "min(@a::text)",
                                        "count(@f)",     "sum(@b - 0.1)" };
    const uint32_t count = 1 + dice(&s->w, 4);
    for (uint32_t i = 0; i < count; i++) {
        put(&s->w, i ? ", " : "");
        if (s->w.full && !dice(&s->w, 3))
            put_of(s, PICK(s->w.rng, full));
        else
            put_of(s, PICK(s->w.rng, plain));
    }
}

/* SQLite has other defaults for where NULL goes. */
static inline void put_order(struct statement_writer *s)
{
    static const char *const columns[] = { "a", "b", "s", "f", "k", "d", "b % 3" };
    static const char *const full[] = { "a * 0.5", "d::date", "b::text" };
    const uint32_t count = 1 + dice(&s->w, 3);
    put(&s->w, " ORDER BY ");
    for (uint32_t i = 0; i < count; i++) {
        put(&s->w, i ? ", " : "");
        put(&s->w, s->w.full && !dice(&s->w, 4) ? PICK(s->w.rng, full) : PICK(s->w.rng, columns));
        put(&s->w, dice(&s->w, 2) ? " DESC" : "");
        if (!s->w.full || dice(&s->w, 2))
            put(&s->w, dice(&s->w, 2) ? " NULLS FIRST" : " NULLS LAST");
    }
}

static inline void put_limit(struct statement_writer *s)
{
    esse_out_f(&s->w.out, " LIMIT %u", dice(&s->w, 9));
    if (dice(&s->w, 2))
        esse_out_f(&s->w.out, " OFFSET %u", dice(&s->w, 6));
}

static inline void put_where(struct statement_writer *s)
{
    if (!dice(&s->w, 5))
        return;
    put(&s->w, " WHERE ");
    put_safe_condition(s, 2);
}

static inline void put_join(struct statement_writer *s)
{
    static const char *const equal[] = { "x.a = y.b", "y.a = x.a", "x.s = y.s", "x.b = y.b" };
    static const char *const more[] = { "x.a < y.b", "x.s <> y.s", "x.b % 3 = y.b % 3",
                                        "y.f = x.f" };
    put(&s->w, dice(&s->w, 4) ? " FROM t x JOIN u y ON " : " FROM t x JOIN t y ON ");
    put(&s->w, PICK(s->w.rng, equal));
    if (dice(&s->w, 2)) {
        put(&s->w, " AND ");
        put(&s->w, PICK(s->w.rng, more));
    }
    if (dice(&s->w, 2)) {
        s->of = dice(&s->w, 2) ? "x." : "y.";
        put(&s->w, " WHERE ");
        put_safe_condition(s, 1);
    }
}

static inline struct random_statement random_statement(struct esse_arena *arena,
                                                       struct esse_rng *rng, bool full)
{
    struct statement_writer s = { .w = { .rng = rng, .full = full }, .of = "" };
    struct random_statement made = { .kind = RANDOM_RESULT };
    const bool joins = !esse_rng_below(rng, 3);
    esse_out_init_memory(&s.w.out, arena);
    put(&s.w, "SELECT ");
    if (dice(&s.w, 2)) {
        s.of = !joins ? "" : dice(&s.w, 2) ? "x." : "y.";
        put_aggregates(&s);
    } else {
        made.kind = joins ? RANDOM_PAIRS : RANDOM_ROWS;
        put(&s.w, joins ? "x.k AS x, y.k AS y" : "k");
    }
    if (joins) {
        put_join(&s);
    } else {
        put(&s.w, dice(&s.w, 2) ? " FROM t" : " FROM u");
        put_where(&s);
        if (made.kind == RANDOM_ROWS && dice(&s.w, 2))
            put_order(&s);
        if (made.kind == RANDOM_ROWS && dice(&s.w, 4))
            put_limit(&s);
    }
    made.text = esse_out_memory(&s.w.out);
    return made;
}

/* ---- what a database returned ---- */

/* Keys with blanks between, as the positions of their rows, each once. */
static inline uint32_t random_tags(const struct sql_rows *rows, const char *keys,
                                   struct esse_keyed_row *tags)
{
    uint32_t count = 0;
    const char *all = esse_arena_format(rows->arena, " %s ", keys);
    for (uint32_t i = 0; i < rows->history->init_count; i++) {
        char room[64], name[72];
        const esse_value key = rows->history->key_name[rows->history->init[i].key.ix];
        snprintf(name, sizeof name, " %s ", esse_value_brief(rows->history->values, key, room));
        if (strstr(all, name))
            tags[count++].key.ix = i;
    }
    return count;
}

/* Columns with '|' between, \N for NULL. */
static inline uint32_t random_result(const struct sql_rows *rows, const char *line,
                                     esse_value *result)
{
    uint32_t count = 0;
    for (const char *at = line;; at++) {
        const size_t length = strcspn(at, "|");
        result[count++] = length == 2 && memcmp(at, "\\N", 2) == 0
                              ? ESSE_NIL
                              : esse_value_string(rows->history->values, at, length);
        at += length;
        if (!*at)
            return count;
    }
}

/* Is what the database returned what Esse says that it may? */
static inline void check_statement(struct sql_rows *rows, const struct random_statement *statement,
                                   const char *theirs)
{
    struct esse_error err = { 0 };
    struct esse_keyed_row tags[64];
    uint32_t odd = 0;
    esse_value result[8];
    bool missing = false;
    const struct esse_predicate *predicate = sql_rows_get(rows, statement->text, &err);
    struct esse_answer *answer = predicate ? sql_rows_answer(rows, predicate, &err) : NULL;
    if (!answer)
        fail_msg("%s\n  %s\n  the database says %s", statement->text, err.text, theirs);
    const bool same =
        statement->kind == RANDOM_RESULT
            ? esse_answer_is(answer, result, random_result(rows, theirs, result))
            : esse_answer_may_be(answer, tags, random_tags(rows, theirs, tags), &odd, &missing);
    if (!same)
        fail_msg("%s\n  ours: %s\n  the database says: %s", statement->text,
                 sql_rows_show(rows, statement->text), theirs);
}

#endif
