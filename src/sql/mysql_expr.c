#include "sql/sql_mysql.h"

#include "base/arena.h"

#include <string.h>

/* Expressions of MySQL's dialect, with brackets around every operator. */

enum { MOST_LEVELS = 200 };

/* How tightly operators bind. */
enum {
    BIND_OR = 1,
    BIND_XOR,
    BIND_AND,
    BIND_NOT,
    BIND_BETWEEN,
    BIND_COMPARE,
    BIND_BITS_OR,
    BIND_BITS_AND,
    BIND_SHIFT,
    BIND_ADD,
    BIND_MULTIPLY,
    BIND_POWER,
    BIND_SIGN,
};

struct operator
{
    const char *word;
    uint8_t binds;
    const char *becomes;  /* between the two; NULL: it is a function */
    const char *function; /* name(a, b) */
};

static const struct operator operators[] = {
    { "OR", BIND_OR, "OR", NULL },
    { "||", BIND_OR, "OR", NULL },
    { "XOR", BIND_XOR, NULL, "esse_xor" },
    { "AND", BIND_AND, "AND", NULL },
    { "&&", BIND_AND, "AND", NULL },
    { "=", BIND_COMPARE, "=", NULL },
    { "<=>", BIND_COMPARE, "IS NOT DISTINCT FROM", NULL },
    { "<>", BIND_COMPARE, "<>", NULL },
    { "!=", BIND_COMPARE, "<>", NULL },
    { "<", BIND_COMPARE, "<", NULL },
    { "<=", BIND_COMPARE, "<=", NULL },
    { ">", BIND_COMPARE, ">", NULL },
    { ">=", BIND_COMPARE, ">=", NULL },
    { "|", BIND_BITS_OR, "|", NULL },
    { "&", BIND_BITS_AND, "&", NULL },
    { "<<", BIND_SHIFT, "<<", NULL },
    { ">>", BIND_SHIFT, ">>", NULL },
    { "+", BIND_ADD, "+", NULL },
    { "-", BIND_ADD, "-", NULL },
    { "*", BIND_MULTIPLY, "*", NULL },
    { "/", BIND_MULTIPLY, "/", NULL },
    { "%", BIND_MULTIPLY, "%", NULL },
    { "MOD", BIND_MULTIPLY, "%", NULL },
    { "DIV", BIND_MULTIPLY, NULL, "esse_div" },
    { "^", BIND_POWER, "#", NULL },
};

static const struct operator* operator_at(const struct sql_rewrite *w)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (sql_mysql_is(w, operators[i].word))
            return &operators[i];
    return NULL;
}

static void wrap(struct sql_rewrite *w, struct sql_pieces *out, struct sql_pieces inner)
{
    sql_mysql_put(w, out, "(");
    sql_mysql_join(out, inner);
    sql_mysql_put(w, out, ")");
}

/* ---- operands ---- */

bool sql_mysql_list(struct sql_rewrite *w, struct sql_pieces *out)
{
    do {
        if (!sql_mysql_expr(w, 0, out))
            return false;
    } while (sql_mysql_copy_if(w, out, ","));
    return true;
}

/* ( query ) or ( list ), after the bracket. */
static bool brackets(struct sql_rewrite *w, struct sql_pieces *out)
{
    sql_mysql_put(w, out, "(");
    if (sql_mysql_is(w, "SELECT") || sql_mysql_is(w, "WITH") ? !sql_mysql_query(w, out)
        : !sql_mysql_is(w, ")")                              ? !sql_mysql_list(w, out)
                                                             : false)
        return false;
    return sql_mysql_expect(w, out, ")");
}

static bool case_of(struct sql_rewrite *w, struct sql_pieces *out)
{
    sql_mysql_put(w, out, "CASE");
    if (!sql_mysql_is(w, "WHEN") && !sql_mysql_expr(w, 0, out))
        return false;
    while (sql_mysql_copy_if(w, out, "WHEN"))
        if (!sql_mysql_expr(w, 0, out) || !sql_mysql_expect(w, out, "THEN") ||
            !sql_mysql_expr(w, 0, out))
            return false;
    if (sql_mysql_copy_if(w, out, "ELSE") && !sql_mysql_expr(w, 0, out))
        return false;
    return sql_mysql_expect(w, out, "END");
}

static bool cast_of(struct sql_rewrite *w, struct sql_pieces *out)
{
    sql_mysql_put(w, out, "CAST(");
    return sql_mysql_expr(w, 0, out) && sql_mysql_expect(w, out, "AS") &&
           sql_mysql_type(w, true, out) && sql_mysql_expect(w, out, ")");
}

/* IF(a, b, c) is a CASE. */
static bool if_of(struct sql_rewrite *w, struct sql_pieces *out)
{
    struct sql_pieces ignored = { NULL, NULL };
    sql_mysql_put(w, out, "CASE WHEN");
    if (!sql_mysql_expr(w, 0, out) || !sql_mysql_expect(w, &ignored, ","))
        return false;
    sql_mysql_put(w, out, "THEN");
    if (!sql_mysql_expr(w, 0, out) || !sql_mysql_expect(w, &ignored, ","))
        return false;
    sql_mysql_put(w, out, "ELSE");
    if (!sql_mysql_expr(w, 0, out) || !sql_mysql_expect(w, &ignored, ")"))
        return false;
    sql_mysql_put(w, out, "END");
    return true;
}

/* MOD(a, b) is a % b. */
static bool remainder_of(struct sql_rewrite *w, struct sql_pieces *out)
{
    struct sql_pieces ignored = { NULL, NULL };
    sql_mysql_put(w, out, "(");
    if (!sql_mysql_expr(w, 0, out) || !sql_mysql_expect(w, &ignored, ","))
        return false;
    sql_mysql_put(w, out, "%");
    return sql_mysql_expr(w, 0, out) && sql_mysql_expect(w, out, ")");
}

/* Arguments after the bracket: words that stand between them are copied. */
static bool arguments(struct sql_rewrite *w, struct sql_pieces *out)
{
    static const char *const words[] = { "DISTINCT", "FROM",    "FOR",      "IN", ",",
                                         "BOTH",     "LEADING", "TRAILING", NULL };
    sql_mysql_put(w, out, "(");
    while (!sql_mysql_is(w, ")")) {
        if (sql_mysql_is_one_of(w, words) ? !sql_mysql_copy(w, out)
                                          : !sql_mysql_expr(w, BIND_BITS_OR, out))
            return false;
    }
    return sql_mysql_expect(w, out, ")");
}

static bool plain_arguments(struct sql_rewrite *w, struct sql_pieces *out)
{
    sql_mysql_put(w, out, "(");
    sql_mysql_copy_if(w, out, "DISTINCT");
    if (!sql_mysql_is(w, ")") && !sql_mysql_list(w, out))
        return false;
    return sql_mysql_expect(w, out, ")");
}

/* A function, at its name; a bracket follows. */
static bool call(struct sql_rewrite *w, struct sql_pieces *out)
{
    static const char *const worded[] = { "SUBSTRING", "SUBSTR", "TRIM", "POSITION", NULL };
    static const char *const refused[] = { "GROUP_CONCAT", "CONVERT", "EXTRACT", NULL };
    const bool has_words = sql_mysql_is_one_of(w, worded);
    struct sql_pieces ignored = { NULL, NULL };
    if (sql_mysql_is_one_of(w, refused))
        return sql_mysql_refuse(w, "this function");
    if (sql_mysql_if(w, "IF")) {
        sql_mysql_next(w);
        return if_of(w, out);
    }
    if (sql_mysql_if(w, "CAST")) {
        sql_mysql_next(w);
        return cast_of(w, out);
    }
    if (w->is_duplicate && sql_mysql_if(w, "VALUES")) {
        sql_mysql_next(w);
        sql_mysql_put(w, out, "excluded .");
        return sql_mysql_copy(w, out) && sql_mysql_expect(w, &ignored, ")");
    }
    if (sql_mysql_if(w, "MOD")) {
        sql_mysql_next(w);
        return remainder_of(w, out);
    }
    if (sql_mysql_if(w, "IFNULL"))
        sql_mysql_put(w, out, "COALESCE");
    else if (!sql_mysql_copy(w, out))
        return false;
    sql_mysql_next(w);
    return has_words ? arguments(w, out) : plain_arguments(w, out);
}

/* name, name.name, name.* */
static bool name(struct sql_rewrite *w, struct sql_pieces *out)
{
    if (!sql_mysql_copy(w, out))
        return false;
    while (sql_mysql_copy_if(w, out, "."))
        if (!sql_mysql_copy(w, out))
            return false;
    return true;
}

static bool is_call(const struct sql_rewrite *w)
{
    const struct sql_token ahead = sql_mysql_ahead(w);
    return w->token.kind == SQL_TOKEN_WORD && ahead.length == 1 && w->tokens.text[ahead.at] == '(';
}

static bool operand(struct sql_rewrite *w, struct sql_pieces *out)
{
    static const char *const refused[] = { "INTERVAL", "BINARY", "ROW", "MATCH", "COLLATE", NULL };
    if (sql_mysql_if(w, "("))
        return brackets(w, out);
    if (sql_mysql_is(w, "EXISTS") || sql_mysql_is(w, "ANY") || sql_mysql_is(w, "ALL") ||
        sql_mysql_is(w, "SOME"))
        return sql_mysql_copy(w, out) && sql_mysql_if(w, "(") && brackets(w, out);
    if (is_call(w))
        return call(w, out);
    if (sql_mysql_if(w, "CASE"))
        return case_of(w, out);
    if (sql_mysql_is_one_of(w, refused))
        return sql_mysql_refuse(w, "this expression");
    if (w->token.kind == SQL_TOKEN_VARIABLE)
        return sql_mysql_refuse(w, "a variable of the session");
    if ((sql_mysql_is(w, "DATE") || sql_mysql_is(w, "TIMESTAMP")) &&
        sql_mysql_ahead(w).kind == SQL_TOKEN_STRING)
        return sql_mysql_copy_two(w, out);
    if (w->token.kind == SQL_TOKEN_WORD || w->token.kind == SQL_TOKEN_QUOTED)
        return name(w, out);
    if (w->token.kind == SQL_TOKEN_NUMBER || w->token.kind == SQL_TOKEN_STRING ||
        w->token.kind == SQL_TOKEN_PARAM || sql_mysql_is(w, "*"))
        return sql_mysql_copy(w, out);
    return sql_mysql_error(w, "an expression");
}

static bool prefixed(struct sql_rewrite *w, unsigned least, struct sql_pieces *out)
{
    struct sql_pieces inner = { NULL, NULL };
    const bool is_not = sql_mysql_is(w, "NOT"), is_bang = sql_mysql_is(w, "!");
    if (is_not || is_bang) {
        sql_mysql_next(w);
        sql_mysql_put(w, &inner, "NOT");
        if (!sql_mysql_expr(w, is_not ? BIND_NOT : BIND_SIGN, &inner))
            return false;
        wrap(w, out, inner);
        return true;
    }
    if (sql_mysql_is(w, "-") || sql_mysql_is(w, "+") || sql_mysql_is(w, "~")) {
        const bool is_literal = sql_mysql_ahead(w).kind == SQL_TOKEN_NUMBER;
        if (!sql_mysql_copy(w, &inner) || !sql_mysql_expr(w, BIND_SIGN, &inner))
            return false;
        if (is_literal)
            sql_mysql_join(out, inner);
        else
            wrap(w, out, inner);
        return true;
    }
    (void)least;
    return operand(w, out);
}

/* ---- what follows an operand: IS, IN, LIKE, BETWEEN ---- */

static bool in_list(struct sql_rewrite *w, struct sql_pieces *out)
{
    if (!sql_mysql_copy(w, out))
        return false;
    return sql_mysql_if(w, "(") ? brackets(w, out) : sql_mysql_error(w, "'('");
}

static bool predicate(struct sql_rewrite *w, struct sql_pieces *left)
{
    struct sql_pieces out = { NULL, NULL };
    sql_mysql_put(w, &out, "(");
    sql_mysql_join(&out, *left);
    if (sql_mysql_is(w, "IS")) {
        if (!sql_mysql_copy(w, &out))
            return false;
        sql_mysql_copy_if(w, &out, "NOT");
        if (!sql_mysql_copy(w, &out))
            return false;
    } else {
        sql_mysql_copy_if(w, &out, "NOT");
        if (sql_mysql_is(w, "IN")) {
            if (!in_list(w, &out))
                return false;
        } else if (sql_mysql_copy_if(w, &out, "LIKE")) {
            if (!sql_mysql_expr(w, BIND_BITS_OR, &out) ||
                (sql_mysql_copy_if(w, &out, "ESCAPE") && !sql_mysql_copy(w, &out)))
                return false;
        } else if (sql_mysql_copy_if(w, &out, "BETWEEN")) {
            if (!sql_mysql_expr(w, BIND_BITS_OR, &out) || !sql_mysql_expect(w, &out, "AND") ||
                !sql_mysql_expr(w, BIND_BITS_OR, &out))
                return false;
        } else {
            return sql_mysql_error(w, "IN, LIKE or BETWEEN");
        }
    }
    sql_mysql_put(w, &out, ")");
    *left = out;
    return true;
}

static bool is_predicate(const struct sql_rewrite *w)
{
    static const char *const words[] = { "IS", "IN", "LIKE", "BETWEEN", NULL };
    if (sql_mysql_is(w, "REGEXP") || sql_mysql_is(w, "RLIKE"))
        return true;
    if (!sql_mysql_is(w, "NOT"))
        return sql_mysql_is_one_of(w, words);
    struct sql_rewrite ahead = *w;
    sql_mysql_next(&ahead);
    return sql_mysql_is_one_of(&ahead, words);
}

static bool combine(struct sql_rewrite *w, const struct operator* operator,
                    struct sql_pieces * left)
{
    struct sql_pieces out = { NULL, NULL };
    sql_mysql_next(w);
    if (operator->function) {
        sql_mysql_put(w, &out, operator->function);
        sql_mysql_put(w, &out, "(");
        sql_mysql_join(&out, *left);
        sql_mysql_put(w, &out, ",");
    } else {
        sql_mysql_put(w, &out, "(");
        sql_mysql_join(&out, *left);
        sql_mysql_put(w, &out, operator->becomes);
    }
    if (!sql_mysql_expr(w, operator->binds + 1u, &out))
        return false;
    sql_mysql_put(w, &out, ")");
    *left = out;
    return true;
}

bool sql_mysql_expr(struct sql_rewrite *w, unsigned least, struct sql_pieces *out)
{
    struct sql_pieces left = { NULL, NULL };
    if (w->depth++ == MOST_LEVELS)
        return sql_mysql_refuse(w, "so deep a nesting");
    if (!prefixed(w, least, &left))
        return false;
    for (;;) {
        const struct operator* operator= operator_at(w);
        if (is_predicate(w) && least <= BIND_COMPARE) {
            if (!predicate(w, &left))
                return false;
        } else if (operator&& operator->binds >= least) {
            if (!combine(w, operator, & left))
                return false;
        } else {
            break;
        }
    }
    w->depth--;
    sql_mysql_join(out, left);
    return true;
}
