#include "sql/sql_mysql.h"

#include "base/arena.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Statements of MySQL's dialect, and what all of its rewriting shares. */

void sql_mysql_next(struct sql_rewrite *w)
{
    w->token = sql_token_next(&w->tokens);
}

struct sql_token sql_mysql_ahead(const struct sql_rewrite *w)
{
    struct sql_tokens tokens = w->tokens;
    return sql_token_next(&tokens);
}

bool sql_mysql_is(const struct sql_rewrite *w, const char *word)
{
    return sql_token_is(&w->tokens, w->token, word);
}

bool sql_mysql_if(struct sql_rewrite *w, const char *word)
{
    if (!sql_mysql_is(w, word))
        return false;
    sql_mysql_next(w);
    return true;
}

bool sql_mysql_is_one_of(const struct sql_rewrite *w, const char *const *words)
{
    for (; *words; words++)
        if (sql_mysql_is(w, *words))
            return true;
    return false;
}

bool sql_mysql_error(struct sql_rewrite *w, const char *expected)
{
    const struct sql_token token = w->token;
    if (token.kind == SQL_TOKEN_BROKEN)
        return esse_fault(w->fault, "42000", token.at + 1, "a string or a remark does not end");
    if (token.kind == SQL_TOKEN_END)
        return esse_fault(w->fault, "42000", token.at + 1, "expected %s, found the end", expected);
    return esse_fault(w->fault, "42000", token.at + 1, "expected %s, found \"%.*s\"", expected,
                      (int)(token.length < 40 ? token.length : 40), w->tokens.text + token.at);
}

bool sql_mysql_refuse(struct sql_rewrite *w, const char *what)
{
    const struct sql_token token = w->token;
    return esse_fault_unsupported(w->fault, token.at + 1, "%s is not supported (%.*s)", what,
                                  (int)(token.length < 40 ? token.length : 40),
                                  w->tokens.text + token.at);
}

/* ---- pieces ---- */

void sql_mysql_put(struct sql_rewrite *w, struct sql_pieces *out, const char *text)
{
    struct sql_piece *piece = esse_arena_alloc(w->arena, 1, sizeof *piece);
    *piece = (struct sql_piece){ NULL, text, (uint32_t)strlen(text), w->token.at };
    sql_mysql_join(out, (struct sql_pieces){ piece, piece });
}

void sql_mysql_join(struct sql_pieces *out, struct sql_pieces more)
{
    if (!more.first)
        return;
    if (out->last)
        out->last->next = more.first;
    else
        out->first = more.first;
    out->last = more.last;
}

/* 'text' with single quotes doubled. */
static const char *quoted(struct sql_rewrite *w, char quote)
{
    size_t length;
    const char *text = sql_token_text(&w->tokens, w->token, w->arena, &length);
    char *copy = esse_arena_alloc(w->arena, 2 * length + 3, 1), *to = copy;
    *to++ = quote;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == quote)
            *to++ = quote;
        *to++ = quote == '"' ? (char)tolower((unsigned char)text[i]) : text[i];
    }
    *to++ = quote;
    return copy;
}

bool sql_mysql_copy(struct sql_rewrite *w, struct sql_pieces *out)
{
    switch (w->token.kind) {
    case SQL_TOKEN_END:
    case SQL_TOKEN_BROKEN:
        return sql_mysql_error(w, "more");
    case SQL_TOKEN_STRING:
        sql_mysql_put(w, out, quoted(w, '\''));
        break;
    case SQL_TOKEN_QUOTED:
        sql_mysql_put(w, out, quoted(w, '"'));
        break;
    case SQL_TOKEN_PARAM:
        sql_mysql_put(w, out, esse_arena_format(w->arena, "$%u", ++w->params));
        break;
    case SQL_TOKEN_VARIABLE:
        return sql_mysql_refuse(w, "a variable of the session");
    default:
        sql_mysql_put(w, out,
                      esse_arena_text(w->arena, w->tokens.text + w->token.at, w->token.length));
    }
    sql_mysql_next(w);
    return true;
}

bool sql_mysql_copy_two(struct sql_rewrite *w, struct sql_pieces *out)
{
    const bool ok = sql_mysql_copy(w, out);
    return ok && sql_mysql_copy(w, out);
}

bool sql_mysql_copy_if(struct sql_rewrite *w, struct sql_pieces *out, const char *word)
{
    return sql_mysql_is(w, word) && sql_mysql_copy(w, out);
}

bool sql_mysql_expect(struct sql_rewrite *w, struct sql_pieces *out, const char *word)
{
    return sql_mysql_is(w, word) ? sql_mysql_copy(w, out) : sql_mysql_error(w, word);
}

/* ---- statements ---- */

/* LIMIT a, b */
static bool limit(struct sql_rewrite *w, struct sql_pieces *out)
{
    struct sql_pieces first = { NULL, NULL };
    sql_mysql_next(w);
    if (!sql_mysql_copy(w, &first))
        return false;
    sql_mysql_put(w, out, "LIMIT");
    if (!sql_mysql_if(w, ",")) {
        sql_mysql_join(out, first);
        return true;
    }
    if (!sql_mysql_copy(w, out))
        return false;
    sql_mysql_put(w, out, "OFFSET");
    sql_mysql_join(out, first);
    return true;
}

/* FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE: as without. */
static bool skip_locks(struct sql_rewrite *w)
{
    static const char *const words[] = { "FOR", "UPDATE", "SHARE", "LOCK", "IN", "MODE", NULL };
    while (sql_mysql_is_one_of(w, words))
        sql_mysql_next(w);
    if (sql_mysql_is(w, "SKIP") || sql_mysql_is(w, "NOWAIT") || sql_mysql_is(w, "OF"))
        return sql_mysql_refuse(w, "this lock");
    return true;
}

/* a = 1, t.b = 2: the table is left out. */
static bool assignments(struct sql_rewrite *w, struct sql_pieces *out)
{
    do {
        struct sql_pieces name = { NULL, NULL };
        do {
            name = (struct sql_pieces){ NULL, NULL };
            if (!sql_mysql_copy(w, &name))
                return false;
        } while (sql_mysql_if(w, "."));
        sql_mysql_join(out, name);
        if (!sql_mysql_expect(w, out, "=") || !sql_mysql_expr(w, 0, out))
            return false;
    } while (sql_mysql_copy_if(w, out, ","));
    return true;
}

static bool on_duplicate(struct sql_rewrite *w, struct sql_pieces *out)
{
    struct sql_pieces ignored = { NULL, NULL };
    sql_mysql_next(w);
    if (!sql_mysql_expect(w, &ignored, "KEY") || !sql_mysql_expect(w, &ignored, "UPDATE"))
        return false;
    sql_mysql_put(w, out, "CONFLICT DO UPDATE SET");
    w->is_duplicate = true;
    return assignments(w, out);
}

static const char *const copied[] = {
    "SELECT",    "DISTINCT", "ALL",       "FROM",   "WHERE",  "GROUP", "BY",      "HAVING",
    "ORDER",     "ASC",      "DESC",      "OFFSET", "ON",     "USING", "NATURAL", "JOIN",
    "INNER",     "CROSS",    "LEFT",      "RIGHT",  "OUTER",  "UNION", "AS",      "SET",
    "VALUES",    "INTO",     "INSERT",    "UPDATE", "DELETE", "WITH",  "EXCEPT",  ",",
    "INTERSECT", "DEFAULT",  "RETURNING", NULL
};

/* SELECT DISTINCT, ... are words; LEFT( is a function, and so is VALUES( of ON DUPLICATE KEY. */
static bool is_word(const struct sql_rewrite *w)
{
    const struct sql_token ahead = sql_mysql_ahead(w);
    const bool has_bracket = ahead.length == 1 && w->tokens.text[ahead.at] == '(';
    if (has_bracket && (sql_mysql_is(w, "LEFT") || sql_mysql_is(w, "RIGHT") ||
                        (w->is_duplicate && sql_mysql_is(w, "VALUES"))))
        return false;
    return sql_mysql_is_one_of(w, copied);
}

static bool one(struct sql_rewrite *w, struct sql_pieces *out)
{
    static const char *const refused[] = { "STRAIGHT_JOIN", "PROCEDURE", "WINDOW", "OVER", NULL };
    if (sql_mysql_is(w, "LIMIT"))
        return limit(w, out);
    if (sql_mysql_is(w, "FOR") || sql_mysql_is(w, "LOCK"))
        return skip_locks(w);
    if (sql_mysql_is(w, "ON")) {
        if (!sql_mysql_copy(w, out))
            return false;
        return !sql_mysql_is(w, "DUPLICATE") || on_duplicate(w, out);
    }
    if (sql_mysql_copy_if(w, out, "SET"))
        return assignments(w, out);
    if (sql_mysql_is_one_of(w, refused))
        return sql_mysql_refuse(w, "this");
    if (sql_mysql_is(w, "VALUE"))
        sql_mysql_put(w, out, "VALUES");
    if (sql_mysql_if(w, "VALUE"))
        return true;
    return is_word(w) ? sql_mysql_copy(w, out) : sql_mysql_expr(w, 0, out);
}

bool sql_mysql_query(struct sql_rewrite *w, struct sql_pieces *out)
{
    while (w->token.kind != SQL_TOKEN_END && !sql_mysql_is(w, ")") && !sql_mysql_is(w, ";"))
        if (!one(w, out))
            return false;
    return true;
}

/* INSERT [IGNORE] [INTO] t SET a = 1, b = 2 */
static bool insert_set(struct sql_rewrite *w, struct sql_pieces *out)
{
    struct sql_pieces columns = { NULL, NULL }, values = { NULL, NULL }, ignored = { NULL, NULL };
    sql_mysql_put(w, &columns, "(");
    sql_mysql_put(w, &values, ") VALUES (");
    do {
        if (!sql_mysql_copy(w, &columns) || !sql_mysql_expect(w, &ignored, "=") ||
            !sql_mysql_expr(w, 0, &values))
            return false;
        if (sql_mysql_is(w, ",")) {
            sql_mysql_put(w, &columns, ",");
            sql_mysql_put(w, &values, ",");
        }
    } while (sql_mysql_if(w, ","));
    sql_mysql_join(out, columns);
    sql_mysql_join(out, values);
    sql_mysql_put(w, out, ")");
    return true;
}

static bool empty_brackets(struct sql_rewrite *w)
{
    struct sql_rewrite ahead = *w;
    if (!sql_mysql_if(&ahead, "(") || !sql_mysql_if(&ahead, ")"))
        return false;
    *w = ahead;
    return true;
}

static bool insert(struct sql_rewrite *w, struct sql_pieces *out)
{
    sql_mysql_put(w, out, "INSERT INTO");
    w->kind = sql_mysql_is(w, "REPLACE") ? SQL_MYSQL_REPLACE : SQL_MYSQL_PLAIN;
    sql_mysql_next(w);
    if (sql_mysql_is(w, "LOW_PRIORITY") || sql_mysql_is(w, "DELAYED"))
        return sql_mysql_refuse(w, "this");
    if (sql_mysql_if(w, "IGNORE"))
        w->kind = SQL_MYSQL_IGNORE;
    sql_mysql_if(w, "INTO");
    if (!sql_mysql_copy(w, out))
        return false;
    while (sql_mysql_copy_if(w, out, "."))
        if (!sql_mysql_copy(w, out))
            return false;
    if (sql_mysql_if(w, "SET") && !insert_set(w, out))
        return false;
    if (empty_brackets(w)) {
        sql_mysql_put(w, out, "DEFAULT VALUES");
        sql_mysql_if(w, "VALUES");
        return empty_brackets(w) || sql_mysql_error(w, "()");
    }
    if (!sql_mysql_query(w, out))
        return false;
    if (w->kind == SQL_MYSQL_PLAIN)
        return true;
    if (w->is_duplicate)
        return sql_mysql_refuse(w, "IGNORE with ON DUPLICATE KEY UPDATE");
    sql_mysql_put(w, out, "ON CONFLICT DO NOTHING");
    return true;
}

/* Are there several tables, or ORDER BY and LIMIT, in an UPDATE or DELETE? */
static bool check_change(struct sql_rewrite *w)
{
    struct sql_rewrite ahead = *w;
    unsigned depth = 0;
    for (bool before_set = true; ahead.token.kind != SQL_TOKEN_END; sql_mysql_next(&ahead)) {
        if (ahead.token.kind == SQL_TOKEN_BROKEN)
            return sql_mysql_error(&ahead, "more");
        depth += sql_mysql_is(&ahead, "(");
        depth -= sql_mysql_is(&ahead, ")") && depth;
        if (depth)
            continue;
        before_set &= !sql_mysql_is(&ahead, "SET") && !sql_mysql_is(&ahead, "WHERE");
        if (before_set && (sql_mysql_is(&ahead, ",") || sql_mysql_is(&ahead, "JOIN")))
            return sql_mysql_refuse(&ahead, "a change of several tables");
        if (sql_mysql_is(&ahead, "LIMIT") || sql_mysql_is(&ahead, "ORDER") ||
            sql_mysql_is(&ahead, "IGNORE") || sql_mysql_is(&ahead, "LOW_PRIORITY"))
            return sql_mysql_refuse(&ahead, "this in an UPDATE or DELETE");
    }
    return true;
}

static bool rest(struct sql_rewrite *w, struct sql_pieces *out)
{
    while (w->token.kind != SQL_TOKEN_END && !sql_mysql_is(w, ";"))
        if (!sql_mysql_copy(w, out))
            return false;
    return true;
}

static bool create(struct sql_rewrite *w, struct sql_pieces *out)
{
    struct sql_rewrite ahead = *w;
    sql_mysql_next(&ahead);
    if (sql_mysql_is(&ahead, "TABLE")) {
        *w = ahead;
        return sql_mysql_create_table(w, out);
    }
    if (sql_mysql_is(&ahead, "VIEW")) {
        if (!sql_mysql_copy_two(w, out))
            return false;
        return sql_mysql_query(w, out);
    }
    return rest(w, out);
}

static bool statement(struct sql_rewrite *w, struct sql_pieces *out)
{
    if (sql_mysql_is(w, "INSERT") || sql_mysql_is(w, "REPLACE"))
        return insert(w, out);
    if (sql_mysql_is(w, "CREATE"))
        return create(w, out);
    if (sql_mysql_is(w, "UPDATE") || sql_mysql_is(w, "DELETE"))
        return check_change(w) && sql_mysql_query(w, out);
    if (sql_mysql_is(w, "CALL"))
        return sql_mysql_copy(w, out) && sql_mysql_expr(w, 0, out);
    if (sql_mysql_is(w, "SELECT") || sql_mysql_is(w, "WITH") || sql_mysql_is(w, "("))
        return sql_mysql_query(w, out);
    if (sql_mysql_is(w, "TRUNCATE") || sql_mysql_is(w, "DROP") || sql_mysql_is(w, "BEGIN") ||
        sql_mysql_is(w, "START") || sql_mysql_is(w, "COMMIT") || sql_mysql_is(w, "ROLLBACK") ||
        sql_mysql_is(w, "SAVEPOINT") || sql_mysql_is(w, "RELEASE") ||
        w->token.kind == SQL_TOKEN_END || sql_mysql_is(w, ";"))
        return rest(w, out);
    return sql_mysql_refuse(w, "this statement");
}

/* ---- the text ---- */

static void write_out(struct sql_rewrite *w, const struct sql_pieces *out,
                      struct sql_rewritten *rewritten)
{
    uint32_t length = 0;
    for (const struct sql_piece *piece = out->first; piece; piece = piece->next)
        length += piece->length + 1;
    char *text = esse_arena_alloc(w->arena, length + 1, 1);
    uint32_t *from = esse_arena_alloc(w->arena, length + 1, sizeof *from), at = 0;
    for (const struct sql_piece *piece = out->first; piece; piece = piece->next) {
        memcpy(text + at, piece->text, piece->length);
        for (uint32_t i = 0; i <= piece->length; i++)
            from[at + i] = piece->from;
        at += piece->length;
        text[at++] = ' ';
    }
    rewritten->text = text;
    rewritten->from = from;
    rewritten->length = at;
    rewritten->kind = w->kind;
}

bool sql_mysql_rewrite(struct esse_arena *arena, const char *text, size_t length,
                       struct sql_rewritten *rewritten, struct esse_fault *fault)
{
    struct sql_rewrite rewrite = { .arena = arena, .fault = fault };
    struct sql_rewrite *w = &rewrite;
    struct sql_pieces out = { NULL, NULL };
    w->tokens = (struct sql_tokens){ .text = text, .length = (uint32_t)length, .is_mysql = true };
    sql_mysql_next(w);
    if (!statement(w, &out))
        return false;
    sql_mysql_if(w, ";");
    if (w->token.kind != SQL_TOKEN_END)
        return sql_mysql_error(w, "the end of the statement");
    write_out(w, &out, rewritten);
    return true;
}
