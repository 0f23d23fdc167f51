#include "sql/sql_mysql.h"
#include "sql/sql_routine.h"

#include <string.h>

/* CREATE PROCEDURE and FUNCTION in MySQL's block language. */

static const char *const end_word[] = { "END", NULL };

static bool read_statement(struct sql_reader *r);

static bool read_list(struct sql_reader *r, const char *const *ends)
{
    for (;;) {
        for (const char *const *end = ends; *end; end++)
            if (sql_reads(r, *end))
                return true;
        if (!read_statement(r))
            return false;
    }
}

/* ---- declarations ---- */

static bool set_first(struct sql_reader *r, struct esse_variable variable, uint32_t text)
{
    const uint32_t number = sql_add_variable(r, variable);
    sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_SET,
                                    .at = sql_read_at(r, r->token.at),
                                    .text = text,
                                    .targets = sql_whole(r, number),
                                    .target_count = 1 });
    return true;
}

/* DECLARE a, b INT DEFAULT 1; */
static bool read_declare(struct sql_reader *r)
{
    static const char *const after_type[] = { "DEFAULT", NULL };
    const char *names[16];
    uint32_t count = 0, text = ESSE_NO_TEXT;
    struct esse_variable variable = { .query = ESSE_NO_TEXT };
    do {
        if (count == 16)
            return sql_read_refuse(r, "so long a list of names");
        names[count] = sql_read_name(r);
        if (!names[count++])
            return false;
    } while (sql_read_if(r, ","));
    if (sql_reads(r, "HANDLER") || sql_reads(r, "CURSOR") || sql_reads(r, "CONDITION"))
        return sql_read_refuse(r, "a handler, a cursor or a condition");
    if (!sql_read_type(r, after_type, &variable))
        return false;
    if (sql_read_if(r, "DEFAULT") && (text = sql_read_value(r, NULL)) == ESSE_NO_TEXT)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        variable.name = names[i];
        if (!set_first(r, variable, text))
            return false;
    }
    return sql_read_expect(r, ";");
}

/* ---- blocks and loops ---- */

static bool read_end(struct sql_reader *r, const char *word, const char *label)
{
    if (!sql_read_expect(r, "END") || (word && !sql_read_expect(r, word)))
        return false;
    if (label && r->token.kind == SQL_TOKEN_WORD && strcmp(sql_read_word(r, r->token), label) == 0)
        sql_read_next(r);
    return true;
}

static bool read_block(struct sql_reader *r, const char *label)
{
    const struct esse_names *names = r->names;
    struct sql_loop exit;
    if (r->depth++ == 100)
        return sql_read_refuse(r, "so deep a nesting of blocks");
    r->blocks++;
    while (sql_read_if(r, "DECLARE"))
        if (!read_declare(r))
            return false;
    sql_begin_loop(r, &exit, label, true);
    if (!read_list(r, end_word))
        return false;
    sql_end_loop(r);
    r->names = names;
    r->depth--;
    return read_end(r, NULL, label);
}

static bool read_while(struct sql_reader *r, const char *label)
{
    static const char *const words[] = { "DO", NULL };
    struct sql_loop loop;
    uint32_t unless;
    sql_begin_loop(r, &loop, label, false);
    if (!sql_read_condition(r, words, &unless) || !read_list(r, end_word))
        return false;
    sql_add_jump(r, loop.again);
    sql_op(r, unless)->to = sql_here(r);
    sql_end_loop(r);
    return read_end(r, "WHILE", label);
}

static bool read_loop(struct sql_reader *r, const char *label)
{
    struct sql_loop loop;
    sql_begin_loop(r, &loop, label, false);
    if (!read_list(r, end_word))
        return false;
    sql_add_jump(r, loop.again);
    sql_end_loop(r);
    return read_end(r, "LOOP", label);
}

/* The statements come before the condition, and again if it is not true. */
static bool read_repeat(struct sql_reader *r, const char *label)
{
    static const char *const until[] = { "UNTIL", NULL };
    struct sql_loop loop;
    sql_begin_loop(r, &loop, label, false);
    if (!read_list(r, until) || !sql_read_expect(r, "UNTIL"))
        return false;
    const uint32_t at = sql_read_at(r, r->token.at), text = sql_read_value(r, end_word);
    sql_add_op(r, (struct esse_op){
                      .kind = ESSE_OP_JUMP_UNLESS, .at = at, .text = text, .to = loop.again });
    sql_end_loop(r);
    return text != ESSE_NO_TEXT && read_end(r, "REPEAT", label);
}

static bool read_labelled(struct sql_reader *r)
{
    const char *label = sql_read_name(r);
    sql_read_next(r);
    if (sql_read_if(r, "WHILE"))
        return read_while(r, label);
    if (sql_read_if(r, "LOOP"))
        return read_loop(r, label);
    if (sql_read_if(r, "REPEAT"))
        return read_repeat(r, label);
    return sql_read_expect(r, "BEGIN") && read_block(r, label);
}

static bool read_if(struct sql_reader *r)
{
    static const char *const then[] = { "THEN", NULL };
    static const char *const ends[] = { "ELSEIF", "ELSE", "END", NULL };
    struct esse_u32_vec done = { 0 };
    do {
        uint32_t unless;
        if (!sql_read_condition(r, then, &unless) || !read_list(r, ends))
            return false;
        esse_u32_vec_push(&done, r->c->arena, sql_add_jump(r, 0));
        sql_op(r, unless)->to = sql_here(r);
    } while (sql_read_if(r, "ELSEIF"));
    if (sql_read_if(r, "ELSE") && !read_list(r, end_word))
        return false;
    sql_lead_here(r, &done);
    return read_end(r, "IF", NULL);
}

/* ---- statements ---- */

/* SET a = 1, b = a; each is assigned before the next is evaluated. */
static bool read_set(struct sql_reader *r)
{
    static const char *const comma[] = { ",", NULL };
    do {
        struct esse_target *target = esse_arena_alloc(r->c->arena, 1, sizeof *target);
        const uint32_t at = sql_read_at(r, r->token.at);
        if (r->token.kind == SQL_TOKEN_VARIABLE)
            return sql_read_refuse(r, "a variable of the session");
        if (!sql_read_target(r, target) || (!sql_read_if(r, ":=") && !sql_read_expect(r, "=")))
            return false;
        const uint32_t text = sql_read_value(r, comma);
        sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_SET,
                                        .at = at,
                                        .text = text,
                                        .targets = target,
                                        .target_count = 1 });
        if (text == ESSE_NO_TEXT)
            return false;
    } while (sql_read_if(r, ","));
    return true;
}

/* SIGNAL SQLSTATE '45000' [SET MESSAGE_TEXT = value] */
static bool read_signal(struct sql_reader *r, uint32_t at)
{
    const char *state, *words;
    struct esse_raise *raise = esse_arena_alloc(r->c->arena, 1, sizeof *raise);
    *raise = (struct esse_raise){ .is_error = true,
                                  .name = "unhandled user-defined exception condition",
                                  .message = ESSE_NO_TEXT,
                                  .code = ESSE_NO_TEXT };
    if (!sql_reads(r, "SQLSTATE"))
        return sql_read_refuse(r, "SIGNAL of other than an SQLSTATE");
    if (!sql_read_condition_name(r, &state, &words))
        return false;
    memcpy(raise->state, state, sizeof raise->state);
    if (sql_read_if(r, "SET")) {
        if (!sql_read_expect(r, "MESSAGE_TEXT") || !sql_read_expect(r, "="))
            return false;
        raise->message = sql_read_value(r, NULL);
        if (raise->message == ESSE_NO_TEXT)
            return false;
    }
    sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_RAISE,
                                    .at = sql_read_at(r, at),
                                    .text = ESSE_NO_TEXT,
                                    .raise = raise });
    return true;
}

static bool read_return(struct sql_reader *r, uint32_t at)
{
    if (r->routine->kind != ESSE_ROUTINE_FUNCTION)
        return sql_read_error(r, "no RETURN in a procedure");
    const uint32_t text = sql_read_value(r, NULL);
    sql_add_op(r,
               (struct esse_op){ .kind = ESSE_OP_RETURN, .at = sql_read_at(r, at), .text = text });
    return text != ESSE_NO_TEXT;
}

static bool is_label(const struct sql_reader *r)
{
    struct sql_reader ahead = *r;
    if (r->token.kind != SQL_TOKEN_WORD)
        return false;
    sql_read_next(&ahead);
    return sql_reads(&ahead, ":");
}

static bool read_one(struct sql_reader *r, uint32_t at, bool *has_semicolon)
{
    static const char *const refused[] = { "OPEN",  "FETCH",  "CLOSE",     "PREPARE",  "EXECUTE",
                                           "START", "COMMIT", "ROLLBACK",  "RESIGNAL", "FOR",
                                           "GET",   "CASE",   "SAVEPOINT", NULL };
    *has_semicolon = false;
    if (is_label(r))
        return read_labelled(r);
    if (sql_read_if(r, "BEGIN"))
        return read_block(r, NULL);
    if (sql_read_if(r, "IF"))
        return read_if(r);
    if (sql_read_if(r, "WHILE"))
        return read_while(r, NULL);
    if (sql_read_if(r, "LOOP"))
        return read_loop(r, NULL);
    if (sql_read_if(r, "REPEAT"))
        return read_repeat(r, NULL);
    if (sql_read_if(r, "SET"))
        return read_set(r);
    if (sql_read_if(r, "SIGNAL"))
        return read_signal(r, at);
    if (sql_read_if(r, "RETURN"))
        return read_return(r, at);
    *has_semicolon = true;
    if (sql_read_if(r, "LEAVE"))
        return sql_read_exit(r, true);
    if (sql_read_if(r, "ITERATE"))
        return sql_read_exit(r, false);
    for (size_t i = 0; refused[i]; i++)
        if (sql_reads(r, refused[i]))
            return sql_read_refuse(r, refused[i]);
    return sql_read_sql(r, NULL, false);
}

static bool read_statement(struct sql_reader *r)
{
    const uint32_t at = r->token.at;
    bool has_semicolon;
    if (r->token.kind == SQL_TOKEN_END || r->token.kind == SQL_TOKEN_BROKEN)
        return sql_read_error(r, "a statement");
    if (!read_one(r, at, &has_semicolon))
        return false;
    return has_semicolon || sql_read_expect(r, ";");
}

/* ---- the head ---- */

static bool read_parameter(struct sql_reader *r, struct esse_parameter *parameter)
{
    static const char *const ends[] = { ",", ")", NULL };
    struct esse_variable variable = { .query = ESSE_NO_TEXT };
    if (sql_read_if(r, "OUT"))
        parameter->mode = ESSE_MODE_OUT;
    else if (sql_read_if(r, "INOUT"))
        parameter->mode = ESSE_MODE_INOUT;
    else
        sql_read_if(r, "IN");
    variable.name = sql_read_name(r);
    if (!variable.name || !sql_read_type(r, ends, &variable))
        return false;
    r->routine->has_out |= parameter->mode != ESSE_MODE_IN;
    sql_add_variable(r, variable);
    return true;
}

static bool read_parameters(struct sql_reader *r)
{
    enum { MOST = 100 };
    struct esse_parameter *parameters = esse_arena_alloc(r->c->arena, MOST, sizeof *parameters);
    r->routine->parameters = parameters;
    if (!sql_read_expect(r, "("))
        return false;
    while (!sql_reads(r, ")")) {
        if (r->routine->parameter_count == MOST)
            return sql_read_refuse(r, "so many parameters");
        if (!read_parameter(r, &parameters[r->routine->parameter_count++]))
            return false;
        if (!sql_read_if(r, ",") && !sql_reads(r, ")"))
            return sql_read_error(r, "')'");
    }
    return sql_read_expect(r, ")");
}

/* What a routine says of itself. */
static void skip_characteristics(struct sql_reader *r)
{
    static const char *const words[] = {
        "NOT",  "DETERMINISTIC", "READS",    "MODIFIES", "CONTAINS", "NO", "SQL",
        "DATA", "LANGUAGE",      "SECURITY", "DEFINER",  "INVOKER",  NULL
    };
    for (bool is_one = true; is_one;) {
        is_one = false;
        for (size_t i = 0; words[i]; i++)
            is_one |= sql_read_if(r, words[i]);
    }
}

static bool read_head(struct sql_reader *r, struct esse_statement *statement)
{
    static const char *const after_type[] = { "BEGIN",    "RETURN", "DETERMINISTIC",
                                              "NOT",      "READS",  "MODIFIES",
                                              "CONTAINS", "NO",     "LANGUAGE",
                                              "SQL",      NULL };
    struct esse_variable returned = { .name = NULL };
    const bool is_function = sql_reads(r, "FUNCTION");
    sql_read_next(r);
    r->routine->name = sql_read_name(r);
    statement->name = r->routine->name;
    if (!r->routine->name || !read_parameters(r))
        return false;
    r->routine->kind = is_function ? ESSE_ROUTINE_FUNCTION : ESSE_ROUTINE_PROCEDURE;
    if (is_function) {
        if (!sql_read_expect(r, "RETURNS") || !sql_read_type(r, after_type, &returned))
            return false;
        r->routine->returns = returned.type;
    }
    skip_characteristics(r);
    return true;
}

bool sql_compile_mysql_routine(struct sql_compile *c, const char *text,
                               struct esse_statement *statement, bool *is_one)
{
    struct esse_routine *routine = sql_new_routine(c, ESSE_ROUTINE_PROCEDURE, NULL);
    struct sql_reader reader = { .c = c, .routine = routine, .base = 1 };
    struct sql_reader *r = &reader;
    /* A body that is one statement may end without a semicolon. */
    text = esse_arena_format(c->arena, "%s\n;", text);
    reader.tokens =
        (struct sql_tokens){ .text = text, .length = (uint32_t)strlen(text), .is_mysql = true };
    sql_read_next(r);
    *is_one = sql_read_if(r, "CREATE");
    if (*is_one && sql_read_if(r, "OR"))
        statement->flag = sql_read_if(r, "REPLACE");
    *is_one &= sql_reads(r, "PROCEDURE") || sql_reads(r, "FUNCTION");
    if (!*is_one)
        return true;
    statement->kind = ESSE_STATEMENT_CREATE_ROUTINE;
    statement->made = routine;
    bool has_semicolon;
    if (!read_head(r, statement) || !read_one(r, r->token.at, &has_semicolon))
        return false;
    while (sql_read_if(r, ";"))
        continue;
    if (r->token.kind != SQL_TOKEN_END)
        return sql_read_error(r, "the end of the routine");
    sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_END, .text = ESSE_NO_TEXT });
    return sql_check_texts(c, routine);
}
