#include "sql/sql_routine.h"

#include <string.h>

/* The statements of PL/pgSQL. */

static const char *const then[] = { "THEN", NULL };

/* ---- assignment, SQL ---- */

static bool read_assignment(struct sql_reader *r, uint32_t at)
{
    struct esse_target *target = esse_arena_alloc(r->c->arena, 1, sizeof *target);
    if (!sql_read_target(r, target))
        return false;
    if (!sql_read_if(r, ":=") && !sql_read_expect(r, "="))
        return false;
    const uint32_t text = sql_read_value(r, NULL);
    sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_SET,
                                    .at = sql_read_at(r, at),
                                    .text = text,
                                    .targets = target,
                                    .target_count = 1 });
    return text != ESSE_NO_TEXT && sql_read_expect(r, ";");
}

ESSE_VEC(target_vec, struct esse_target)

bool sql_read_targets(struct sql_reader *r, struct esse_op *op)
{
    struct target_vec targets = { 0 };
    do {
        struct esse_target target;
        if (!sql_read_target(r, &target))
            return false;
        const struct esse_variable *variable = &r->routine->variables.at[target.variable];
        if (variable->is_record && !target.field && (targets.count || sql_reads(r, ",")))
            return esse_fault(r->c->fault, "42601", sql_read_at(r, r->token.at),
                              "a record cannot be one of several targets of INTO");
        target_vec_push(&targets, r->c->arena, target);
    } while (sql_read_if(r, ","));
    op->targets = targets.at;
    op->target_count = (uint32_t)targets.count;
    return true;
}

static void blank_out(char *copy, uint32_t from, uint32_t to)
{
    memset(copy + from, ' ', to - from);
}

/* INTO after it is of the statement itself. */
static bool may_have_into(const struct sql_reader *r)
{
    return sql_reads(r, "INSERT") ||
           (r->c->is_mysql && (sql_reads(r, "IGNORE") || sql_reads(r, "REPLACE")));
}

/* A statement of SQL up to the semicolon; INTO and its targets are taken out of it, and blanks
 * stand there, so that places in the text stay right.  'verb' is what the first word becomes. */
bool sql_read_sql(struct sql_reader *r, const char *verb, bool is_quiet)
{
    const uint32_t from = r->token.at;
    struct esse_op op = { .kind = ESSE_OP_RUN, .at = sql_read_at(r, from), .is_quiet = is_quiet };
    char *copy = esse_arena_text(r->c->arena, r->tokens.text, r->tokens.length);
    bool is_insert = may_have_into(r);
    if (verb) {
        blank_out(copy, from, from + r->token.length);
        memcpy(copy + from, verb, strlen(verb));
    }
    for (sql_read_next(r); !sql_reads(r, ";");) {
        const uint32_t into = r->token.at;
        if (r->token.kind == SQL_TOKEN_END || r->token.kind == SQL_TOKEN_BROKEN)
            return sql_read_error(r, "';'");
        if (!sql_reads(r, "INTO") || is_insert) {
            is_insert = may_have_into(r);
            sql_read_next(r);
            continue;
        }
        if (op.targets)
            return esse_fault(r->c->fault, "42601", sql_read_at(r, into),
                              "INTO specified more than once");
        sql_read_next(r);
        op.is_strict = sql_read_if(r, "STRICT");
        if (!sql_read_targets(r, &op))
            return false;
        blank_out(copy, into, r->token.at);
    }
    copy[r->token.at] = 0;
    op.text = sql_add_text(r, copy + from, from, false);
    sql_add_op(r, op);
    return sql_read_expect(r, ";");
}

/* ---- IF ---- */

bool sql_read_condition(struct sql_reader *r, const char *const *words, uint32_t *jump)
{
    const uint32_t at = sql_read_at(r, r->token.at);
    const uint32_t text = sql_read_value(r, words);
    *jump = sql_add_op(r, (struct esse_op){ ESSE_OP_JUMP_UNLESS, .at = at, .text = text });
    return text != ESSE_NO_TEXT && sql_read_expect(r, words[0]);
}

uint32_t sql_add_jump(struct sql_reader *r, uint32_t to)
{
    return sql_add_op(r, (struct esse_op){ ESSE_OP_JUMP, .text = ESSE_NO_TEXT, .to = to });
}

void sql_lead_here(struct sql_reader *r, const struct esse_u32_vec *jumps)
{
    for (size_t i = 0; i < jumps->count; i++)
        sql_op(r, jumps->at[i])->to = sql_here(r);
}

static bool read_if(struct sql_reader *r)
{
    static const char *const ends[] = { "ELSIF", "ELSEIF", "ELSE", "END", NULL };
    static const char *const end[] = { "END", NULL };
    struct esse_u32_vec done = { 0 };
    do {
        uint32_t unless;
        if (!sql_read_condition(r, then, &unless) || !sql_read_statements(r, ends))
            return false;
        esse_u32_vec_push(&done, r->c->arena, sql_add_jump(r, 0));
        sql_op(r, unless)->to = sql_here(r);
    } while (sql_read_if(r, "ELSIF") || sql_read_if(r, "ELSEIF"));
    if (sql_read_if(r, "ELSE") && !sql_read_statements(r, end))
        return false;
    sql_lead_here(r, &done);
    return sql_read_expect(r, "END") && sql_read_expect(r, "IF") && sql_read_expect(r, ";");
}

const struct esse_target *sql_whole(struct sql_reader *r, uint32_t variable)
{
    struct esse_target *target = esse_arena_alloc(r->c->arena, 1, sizeof *target);
    target->variable = variable;
    return target;
}

/* ---- RETURN ---- */

static bool read_return(struct sql_reader *r, uint32_t at)
{
    const struct esse_routine *routine = r->routine;
    struct esse_op op = { ESSE_OP_RETURN, .at = sql_read_at(r, at), .text = ESSE_NO_TEXT };
    const bool has_value = routine->kind == ESSE_ROUTINE_FUNCTION && !routine->has_out &&
                           routine->returns.base != ESSE_TYPE_VOID;
    if (sql_reads(r, "NEXT") || sql_reads(r, "QUERY"))
        return sql_read_refuse(r, "RETURN NEXT or RETURN QUERY");
    if (!has_value && !sql_reads(r, ";"))
        return esse_fault(r->c->fault, "42804", sql_read_at(r, r->token.at),
                          "RETURN cannot have a parameter here");
    if (has_value) {
        op.text = sql_read_value(r, NULL);
        if (op.text == ESSE_NO_TEXT)
            return false;
    }
    sql_add_op(r, op);
    return sql_read_expect(r, ";");
}

/* ---- statements ---- */

/* name :=, name.name = */
static bool looks_like_assignment(const struct sql_reader *r)
{
    struct sql_reader ahead = *r;
    do {
        if (ahead.token.kind != SQL_TOKEN_WORD && ahead.token.kind != SQL_TOKEN_QUOTED)
            return false;
        sql_read_next(&ahead);
    } while (sql_read_if(&ahead, "."));
    return sql_reads(&ahead, ":=") || sql_reads(&ahead, "=");
}

static bool read_labelled(struct sql_reader *r)
{
    const char *label = sql_read_name(r);
    if (!label || !sql_read_expect(r, ">>"))
        return false;
    if (sql_reads(r, "DECLARE") || sql_reads(r, "BEGIN"))
        return sql_read_block(r, label) && sql_read_expect(r, ";");
    if (sql_read_if(r, "LOOP"))
        return sql_read_loop(r, label);
    if (sql_read_if(r, "WHILE"))
        return sql_read_while(r, label);
    return sql_read_expect(r, "FOR") && sql_read_for(r, label);
}

/* GET [CURRENT | STACKED] DIAGNOSTICS variable = item, ... */
static bool read_diagnostics(struct sql_reader *r, uint32_t at)
{
    const bool is_stacked = sql_read_if(r, "STACKED");
    if (!is_stacked)
        sql_read_if(r, "CURRENT");
    if (!sql_read_expect(r, "DIAGNOSTICS"))
        return false;
    if (is_stacked && !r->handled)
        return esse_fault(r->c->fault, "0Z002", sql_read_at(r, at),
                          "GET STACKED DIAGNOSTICS cannot be used outside an exception handler");
    do {
        struct esse_target *target = esse_arena_alloc(r->c->arena, 1, sizeof *target);
        struct esse_op op = { .at = sql_read_at(r, at), .targets = target, .target_count = 1 };
        if (!sql_read_target(r, target) || (!sql_read_if(r, ":=") && !sql_read_expect(r, "=")))
            return false;
        op.kind = is_stacked ? ESSE_OP_SET : ESSE_OP_ROW_COUNT;
        op.text = ESSE_NO_TEXT;
        if (!is_stacked && !sql_read_if(r, "ROW_COUNT"))
            return sql_read_refuse(r, "such an item of GET DIAGNOSTICS");
        if (is_stacked && sql_read_if(r, "RETURNED_SQLSTATE"))
            op.text = sql_add_text(r, "sqlstate", 0, true);
        else if (is_stacked && sql_read_if(r, "MESSAGE_TEXT"))
            op.text = sql_add_text(r, "sqlerrm", 0, true);
        else if (is_stacked)
            return sql_read_refuse(r, "such an item of GET STACKED DIAGNOSTICS");
        sql_add_op(r, op);
    } while (sql_read_if(r, ","));
    return sql_read_expect(r, ";");
}

/* ---- EXECUTE ---- */

static bool read_using(struct sql_reader *r, uint32_t at, uint32_t *record)
{
    static const char *const into[] = { "INTO", NULL };
    struct sql_span span;
    if (!sql_read_span(r, into, &span))
        return false;
    const char *copy = esse_arena_format(r->c->arena, "SELECT %.*s", (int)(span.to - span.from),
                                         r->tokens.text + span.from);
    const struct esse_names *names = r->names;
    *record = sql_add_variable(r, (struct esse_variable){ .name = "using", .is_record = true });
    r->names = names;
    sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_RUN,
                                    .at = sql_read_at(r, at),
                                    .text = sql_add_text(r, copy, 0, false),
                                    .is_hidden = true,
                                    .targets = sql_whole(r, *record),
                                    .target_count = 1 });
    return true;
}

/* Of a constant text. */
static bool read_execute(struct sql_reader *r, uint32_t at)
{
    struct esse_op op = {
        .kind = ESSE_OP_RUN, .at = sql_read_at(r, at), .is_quiet = true, .is_dynamic = true
    };
    size_t length;
    uint32_t record = 0;
    if (r->token.kind != SQL_TOKEN_STRING)
        return sql_read_refuse(r, "EXECUTE of a computed text");
    const char *text = sql_token_text(&r->tokens, r->token, r->c->arena, &length);
    sql_read_next(r);
    while (!sql_reads(r, ";")) {
        if (sql_read_if(r, "INTO")) {
            op.is_strict = sql_read_if(r, "STRICT");
            if (!sql_read_targets(r, &op))
                return false;
        } else if (!sql_read_if(r, "USING")) {
            return sql_read_refuse(r, "EXECUTE of a computed text");
        } else if (!read_using(r, at, &record)) {
            return false;
        }
    }
    const struct esse_names *names = r->names;
    r->names = NULL;
    op.text = sql_add_text(r, text, 0, false);
    r->names = names;
    r->routine->texts.at[op.text].arguments = record;
    sql_add_op(r, op);
    return sql_read_expect(r, ";");
}

static bool is_null_statement(const struct sql_reader *r)
{
    struct sql_reader ahead = *r;
    return sql_read_if(&ahead, "NULL") && sql_reads(&ahead, ";");
}

static bool read_control(struct sql_reader *r, uint32_t at, bool *is_one)
{
    *is_one = true;
    if (sql_read_if(r, "<<"))
        return read_labelled(r);
    if (sql_reads(r, "DECLARE") || sql_reads(r, "BEGIN"))
        return sql_read_block(r, NULL) && sql_read_expect(r, ";");
    if (sql_read_if(r, "IF"))
        return read_if(r);
    if (sql_read_if(r, "CASE"))
        return sql_read_case(r);
    if (sql_read_if(r, "LOOP"))
        return sql_read_loop(r, NULL);
    if (sql_read_if(r, "WHILE"))
        return sql_read_while(r, NULL);
    if (sql_read_if(r, "FOR"))
        return sql_read_for(r, NULL);
    if (sql_read_if(r, "EXIT"))
        return sql_read_exit(r, true);
    if (sql_read_if(r, "CONTINUE"))
        return sql_read_exit(r, false);
    if (sql_read_if(r, "RETURN"))
        return read_return(r, at);
    *is_one = false;
    return true;
}

static bool read_other(struct sql_reader *r, uint32_t at)
{
    static const char *const refused[] = { "FOREACH", "COMMIT", "ROLLBACK", "SAVEPOINT", NULL };
    if (is_null_statement(r)) {
        sql_read_next(r);
        return sql_read_expect(r, ";");
    }
    if (sql_read_if(r, "RAISE"))
        return sql_read_raise(r, at);
    if (sql_read_if(r, "ASSERT"))
        return sql_read_assert(r, at);
    if (sql_read_if(r, "GET"))
        return read_diagnostics(r, at);
    if (sql_read_if(r, "OPEN"))
        return sql_read_open(r, at);
    if (sql_read_if(r, "FETCH"))
        return sql_read_fetch(r, at, false);
    if (sql_read_if(r, "MOVE"))
        return sql_read_fetch(r, at, true);
    if (sql_read_if(r, "CLOSE"))
        return sql_read_close(r, at);
    if (sql_read_if(r, "EXECUTE"))
        return read_execute(r, at);
    for (size_t i = 0; refused[i]; i++)
        if (sql_reads(r, refused[i]))
            return sql_read_refuse(r, refused[i]);
    return sql_reads(r, "PERFORM") ? sql_read_sql(r, "SELECT", true) : sql_read_sql(r, NULL, false);
}

static bool read_statement(struct sql_reader *r)
{
    const uint32_t at = r->token.at;
    bool is_control;
    if (r->token.kind == SQL_TOKEN_END || r->token.kind == SQL_TOKEN_BROKEN)
        return sql_read_error(r, "a statement");
    if (looks_like_assignment(r))
        return read_assignment(r, at);
    if (!read_control(r, at, &is_control))
        return false;
    return is_control || read_other(r, at);
}

bool sql_read_statements(struct sql_reader *r, const char *const *ends)
{
    for (;;) {
        for (const char *const *end = ends; *end; end++)
            if (sql_reads(r, *end))
                return true;
        if (!read_statement(r))
            return false;
    }
}
