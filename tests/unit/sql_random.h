#ifndef ESSE_TESTS_UNIT_SQL_RANDOM_H
#define ESSE_TESTS_UNIT_SQL_RANDOM_H

/*
 * Random rows, as JSON and as SQL, and random SQL about them.  'full' is what only PostgreSQL
 * understands as Esse does: decimals, dates, casts, and calculations that fail.
 */
#include "sql_rows.h"

/* ---- random rows ---- */

enum { ROWS = 12, TEXT = 4096 };

struct table {
    const char *prefix; /* of the keys */
    bool full;          /* PostgreSQL: everything */
    char json[TEXT], sql[TEXT];
};

static const char *const texts[] = { "",    "a",   "b",        "ab", "abc", "a%b",
                                     "a_b", "a#b", "\xc3\xa9", "A",  "ba",  "10" };
static const char *const dates[] = { "2024-01-05", "2024-02-29", "1999-12-31", "2024-01-06" };
static const char *const large[] = { "9223372036854775807", "-9223372036854775808", "2147483648",
                                     "-3037000500" };
#define PICK(rng, list) (list)[esse_rng_below(rng, sizeof(list) / sizeof *(list))]

static inline void put_int(struct esse_rng *rng, bool full, char *room, size_t size)
{
    if (full && esse_rng_below(rng, 5) == 0)
        snprintf(room, size, "%s", PICK(rng, large));
    else
        snprintf(room, size, "%d", (int)esse_rng_below(rng, 15) - 7);
}

static inline bool is_null(struct esse_rng *rng)
{
    return esse_rng_below(rng, 6) == 0;
}

static inline void random_table(struct table *table, const char *prefix, struct esse_rng *rng,
                                bool full)
{
    size_t json = 0, sql = 0;
    table->prefix = prefix;
    table->full = full;
    for (int row = 0; row < ROWS; row++) {
        char a[32] = "null", b[32] = "null";
        const char *s = is_null(rng) ? NULL : PICK(rng, texts);
        const char *d = is_null(rng) ? NULL : PICK(rng, dates);
        const char *f = is_null(rng) ? "null" : esse_rng_below(rng, 2) ? "true" : "false";
        if (!is_null(rng))
            put_int(rng, full, a, sizeof a);
        if (!is_null(rng))
            put_int(rng, full, b, sizeof b);
        const char *quote_s = s ? "\"" : "", *quote_d = d ? "\"" : "";
        json +=
            (size_t)snprintf(table->json + json, TEXT - json,
                             "%c\"%sr%d\":{\"a\":%s,\"b\":%s,\"s\":%s%s%s,\"f\":%s,\"d\":%s%s%s}",
                             row ? ',' : '{', prefix, row, a, b, quote_s, s ? s : "null", quote_s,
                             f, quote_d, d ? d : "null", quote_d);
        quote_s = s ? "'" : "", quote_d = d ? "'" : "";
        sql += (size_t)snprintf(table->sql + sql, TEXT - sql, "%s('%sr%d',%s,%s,%s%s%s,%s,%s%s%s)",
                                row ? "," : "", prefix, row, a, b, quote_s, s ? s : "null", quote_s,
                                f, quote_d, d ? d : "null", quote_d);
    }
    snprintf(table->json + json, TEXT - json, "}");
}

/* ---- random predicates ---- */

struct writer {
    struct esse_rng *rng;
    bool full;
    struct esse_out out;
};

static inline uint32_t dice(struct writer *w, uint32_t sides)
{
    return esse_rng_below(w->rng, sides);
}

static inline void put(struct writer *w, const char *text)
{
    esse_out_text(&w->out, text);
}

static inline void put_literal(struct writer *w)
{
    char number[32];
    put_int(w->rng, w->full, number, sizeof number);
    put(w, number);
}

/* Always of 64 bits, because a column is on the left: PostgreSQL's own small literals have 32. */
static inline void put_number(struct writer *w, int depth)
{
    static const char *const columns[] = { "a", "b" };
    static const char *const divisors[] = { " / 3", " % 3", " / -2", " % -5" };
    const uint32_t kind = depth ? dice(w, 5) : 0;
    if (kind <= 1) {
        put(w, PICK(w->rng, columns));
    } else if (kind == 2) {
        put(w, "(- ");
        put_number(w, depth - 1);
        put(w, ")");
    } else if (kind == 3 && !w->full) {
        put(w, "(");
        put_number(w, depth - 1);
        put(w, PICK(w->rng, divisors));
        put(w, ")");
    } else {
        static const char *const operators[] = { " + ", " - ", " * ", " / ", " % " };
        put(w, "(");
        put_number(w, depth - 1);
        put(w, operators[dice(w, w->full ? 5 : 3)]);
        if (dice(w, 2))
            put_literal(w);
        else
            put(w, PICK(w->rng, columns));
        put(w, ")");
    }
}

static inline void put_comparison(struct writer *w)
{
    static const char *const comparisons[] = {
        " = ", " <> ", " != ", " < ", " <= ", " > ", " >= "
    };
    put(w, PICK(w->rng, comparisons));
}

static inline void put_quoted(struct writer *w)
{
    put(w, "'");
    put(w, PICK(w->rng, texts));
    put(w, "'");
}

static inline void put_numeric_atom(struct writer *w)
{
    put_number(w, 2);
    switch (dice(w, 4)) {
    case 0:
        put(w, dice(w, 2) ? " BETWEEN " : " NOT BETWEEN ");
        put_number(w, 1);
        put(w, " AND ");
        put_literal(w);
        break;
    case 1:
        put(w, dice(w, 2) ? " IN (" : " NOT IN (");
        put_literal(w);
        put(w, ", ");
        put_literal(w);
        put(w, dice(w, 4) ? ")" : ", NULL)");
        break;
    default:
        put_comparison(w);
        if (dice(w, 2))
            put_number(w, 1);
        else
            put_literal(w);
    }
}

static inline void put_text_atom(struct writer *w)
{
    static const char *const columns[] = { "s", "k", "s" };
    static const char *const patterns[] = { "a%",   "%b", "_",    "%",    "a_b", "a#%b",
                                            "%#_%", "",   "_%_%", "%a%b", "r1%", "_b%" };
    put(w, PICK(w->rng, columns));
    switch (dice(w, 4)) {
    case 0:
        put(w, dice(w, 2) ? " IN (" : " NOT IN (");
        put_quoted(w);
        put(w, ", ");
        put_quoted(w);
        put(w, dice(w, 4) ? ")" : ", NULL)");
        break;
    case 1:
    case 2:
        put(w, dice(w, 2) ? " LIKE '" : " NOT LIKE '");
        put(w, PICK(w->rng, patterns));
        put(w, dice(w, 2) ? "' ESCAPE '#'" : "'");
        break;
    default:
        put_comparison(w);
        if (dice(w, 3))
            put_quoted(w);
        else
            put(w, "k");
    }
}

/* What only PostgreSQL understands as Esse does. */
static inline void put_full_atom(struct writer *w)
{
    static const char *const atoms[] = {
        "d >= DATE '2024-01-05'",
        "d < '2024-01-06'",
        "d BETWEEN DATE '2000-01-01' AND TIMESTAMP '2024-01-05 12:00'",
        "d::text LIKE '2024-%'",
        "a::text LIKE '-%'",
        "a::int > 2",
        "b::smallint < 3",
        "s::int = 10",
        "s::bigint > 5",
        "f::int = 1",
        "f::text = 'true'",
        "f = 'yes'",
        "f > 'off'",
        "a = '5'",
        "a < ' -2 '",
        "a > 1.5",
        "a = 2.0",
        "a * 0.5 < 1.25",
        "(a + 0.1) * 3 > 2.3",
        "a % 1.5 = 0.5",
        "b % 0.0 = 1",
        "a - 0.5 <= b",
        "(a * 0.10)::text = '0.50'",
        "(a * 0.5)::int = 3",
        "a > 9223372036854775808",
        "s LIKE 'a\\%b'",
        "s LIKE '%\\'",
        "(f IS NULL) IS UNKNOWN",
        "(a > b) IS NOT UNKNOWN",
        "TIMESTAMP '2024-01-05 10:00:00.5' > d",
        "(TIMESTAMP '2024-01-05 10:00:00.5')::date = d",
    };
    put(w, PICK(w->rng, atoms));
}

static inline void put_atom(struct writer *w)
{
    static const char *const tests[] = {
        "a IS NULL",  "s IS NOT NULL",       "f",       "f IS NULL", "f = TRUE", "f <> FALSE",
        "f IS FALSE", "(a < b) = (s < 'b')", "a = NULL"
    };
    /* PostgreSQL folds the last, and then leaves out what else the AND would have evaluated. */
    const uint32_t count = sizeof tests / sizeof *tests - w->full;
    switch (dice(w, w->full ? 5 : 3)) {
    case 0:
        put_numeric_atom(w);
        break;
    case 1:
        put_text_atom(w);
        break;
    case 2:
        put(w, tests[dice(w, count)]);
        break;
    default:
        put_full_atom(w);
    }
}

static inline void put_condition(struct writer *w, int depth)
{
    static const char *const tests[] = { ") IS TRUE", ") IS NOT TRUE", ") IS FALSE",
                                         ") IS NOT FALSE" };
    switch (depth ? dice(w, 5) : 4) {
    case 0:
    case 1:
        put(w, "(");
        put_condition(w, depth - 1);
        put(w, dice(w, 2) ? " AND " : " OR ");
        put_condition(w, depth - 1);
        put(w, ")");
        break;
    case 2:
        put(w, "NOT (");
        put_condition(w, depth - 1);
        put(w, ")");
        break;
    case 3:
        put(w, "(");
        put_condition(w, depth - 1);
        put(w, PICK(w->rng, tests));
        break;
    default:
        put_atom(w);
    }
}

static inline const char *random_predicate(struct esse_arena *arena, struct esse_rng *rng,
                                           bool full)
{
    struct writer w = { .rng = rng, .full = full };
    esse_out_init_memory(&w.out, arena);
    put_condition(&w, 3);
    return esse_out_memory(&w.out);
}

#endif
