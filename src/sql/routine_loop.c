#include "sql/sql_routine.h"

#include <string.h>

/* Loops, EXIT and CONTINUE, CASE. */

static const char *const loop_word[] = { "LOOP", NULL };
static const char *const end_word[] = { "END", NULL };

/* ---- EXIT and CONTINUE ---- */

void sql_begin_loop(struct sql_reader *r, struct sql_loop *loop, const char *label, bool is_block)
{
    *loop = (struct sql_loop){ .up = r->loops,
                               .label = label,
                               .is_block = is_block,
                               .again = sql_here(r),
                               .caught = r->caught };
    r->loops = loop;
}

void sql_end_loop(struct sql_reader *r)
{
    sql_lead_here(r, &r->loops->exits);
    if (r->loops->has_end)
        sql_add_op(r, r->loops->end);
    r->loops = r->loops->up;
}

static struct sql_loop *find_loop(struct sql_reader *r, const char *label, bool is_exit)
{
    for (struct sql_loop *loop = r->loops; loop; loop = loop->up) {
        if (label ? !loop->label || strcmp(loop->label, label) != 0 : loop->is_block)
            continue;
        if (loop->is_block && !is_exit) {
            esse_fault(r->c->fault, "42601", sql_read_at(r, r->token.at),
                       "block label \"%s\" cannot be used in CONTINUE", label);
            return NULL;
        }
        return loop;
    }
    if (label)
        esse_fault(
            r->c->fault, "42601", sql_read_at(r, r->token.at),
            "there is no label \"%s\" attached to any block or loop enclosing this statement",
            label);
    else
        esse_fault(r->c->fault, "42601", sql_read_at(r, r->token.at),
                   "%s cannot be used outside a loop, unless it has a label",
                   is_exit ? "EXIT" : "CONTINUE");
    return NULL;
}

bool sql_read_exit(struct sql_reader *r, bool is_exit)
{
    static const char *const none[] = { ";", NULL };
    const char *label = NULL;
    uint32_t unless = UINT32_MAX;
    if (!sql_reads(r, ";") && !sql_reads(r, "WHEN") && !(label = sql_read_name(r)))
        return false;
    struct sql_loop *loop = find_loop(r, label, is_exit);
    if (!loop)
        return false;
    if (sql_read_if(r, "WHEN")) {
        if (!sql_read_condition(r, none, &unless))
            return false;
    } else if (!sql_read_expect(r, ";")) {
        return false;
    }
    if (r->caught > loop->caught)
        sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_LEAVE,
                                        .text = ESSE_NO_TEXT,
                                        .count = r->caught - loop->caught });
    for (const struct sql_loop *inner = r->loops; inner != loop; inner = inner->up)
        if (inner->has_end)
            sql_add_op(r, inner->end);
    const uint32_t jump = sql_add_jump(r, loop->again);
    if (is_exit)
        esse_u32_vec_push(&loop->exits, r->c->arena, jump);
    if (unless != UINT32_MAX)
        sql_op(r, unless)->to = sql_here(r);
    return true;
}

/* ---- LOOP and WHILE ---- */

/* The statements, and END LOOP with the label again. */
static bool read_body(struct sql_reader *r, const char *label)
{
    if (!sql_read_statements(r, end_word) || !sql_read_expect(r, "END") ||
        !sql_read_expect(r, "LOOP"))
        return false;
    if (!sql_reads(r, ";")) {
        const uint32_t at = r->token.at;
        const char *name = sql_read_name(r);
        if (!name)
            return false;
        if (!label || strcmp(name, label) != 0)
            return esse_fault(r->c->fault, "42601", sql_read_at(r, at),
                              "end label \"%s\" is not the loop's", name);
    }
    return sql_read_expect(r, ";");
}

bool sql_read_loop(struct sql_reader *r, const char *label)
{
    struct sql_loop loop;
    sql_begin_loop(r, &loop, label, false);
    if (!read_body(r, label))
        return false;
    sql_add_jump(r, loop.again);
    sql_end_loop(r);
    return true;
}

bool sql_read_while(struct sql_reader *r, const char *label)
{
    struct sql_loop loop;
    uint32_t unless;
    sql_begin_loop(r, &loop, label, false);
    if (!sql_read_condition(r, loop_word, &unless) || !read_body(r, label))
        return false;
    sql_add_jump(r, loop.again);
    sql_op(r, unless)->to = sql_here(r);
    sql_end_loop(r);
    return true;
}

/* ---- FOR over integers ---- */

static uint32_t add_hidden(struct sql_reader *r, const char *what, struct esse_type type)
{
    esse_variable_vec_push(
        &r->routine->variables, r->c->arena,
        (struct esse_variable){ .name = what, .type = type, .is_not_null = true });
    return (uint32_t)r->routine->variables.count - 1;
}

static bool set_bound(struct sql_reader *r, uint32_t variable, uint32_t text)
{
    sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_SET,
                                    .at = sql_read_at(r, r->token.at),
                                    .text = text,
                                    .targets = sql_whole(r, variable),
                                    .target_count = 1 });
    return text != ESSE_NO_TEXT;
}

/* After IN, if two dots come before LOOP. */
static bool is_range(const struct sql_reader *r)
{
    struct sql_reader ahead = *r;
    while (ahead.token.kind != SQL_TOKEN_END && ahead.token.kind != SQL_TOKEN_BROKEN &&
           !sql_reads(&ahead, "LOOP") && !sql_reads(&ahead, ";")) {
        if (sql_reads(&ahead, ".."))
            return true;
        sql_read_next(&ahead);
    }
    return false;
}

static bool read_range(struct sql_reader *r, const char *label, const char *name)
{
    static const char *const dots[] = { "..", NULL };
    static const char *const by_or_loop[] = { "LOOP", "BY", NULL };
    const struct esse_names *names = r->names;
    const bool is_reverse = sql_read_if(r, "REVERSE");
    const uint32_t first = add_hidden(r, "lower bound of FOR loop", ESSE_TYPE(INT));
    struct esse_op op = { .text = ESSE_NO_TEXT, .first = first, .is_reverse = is_reverse };
    struct sql_loop loop;
    add_hidden(r, "upper bound of FOR loop", ESSE_TYPE(INT));
    add_hidden(r, "BY value of FOR loop", ESSE_TYPE(INT));
    add_hidden(r, "whether the loop ran", ESSE_TYPE(BOOL));
    if (!set_bound(r, first, sql_read_value(r, dots)) || !sql_read_expect(r, "..") ||
        !set_bound(r, first + 1, sql_read_value(r, by_or_loop)))
        return false;
    if (!set_bound(r, first + 2,
                   sql_read_if(r, "BY") ? sql_read_value(r, loop_word)
                                        : sql_add_text(r, "1", 0, true)) ||
        !sql_read_expect(r, "LOOP"))
        return false;
    op.kind = ESSE_OP_COUNT_FIRST;
    sql_add_op(r, op);
    r->blocks++;
    op.targets = sql_whole(
        r, sql_add_variable(r, (struct esse_variable){ .name = name, .type = ESSE_TYPE(INT) }));
    op.target_count = 1;
    op.kind = ESSE_OP_COUNT_NEXT;
    sql_begin_loop(r, &loop, label, false);
    loop.has_end = true;
    loop.end = (struct esse_op){ .kind = ESSE_OP_FOUND, .text = ESSE_NO_TEXT, .first = first + 3 };
    const uint32_t next = sql_add_op(r, op);
    if (!read_body(r, label))
        return false;
    sql_add_jump(r, next);
    sql_op(r, next)->to = sql_here(r);
    sql_end_loop(r);
    r->names = names;
    return true;
}

/* ---- FOR over rows ---- */

/* Up to LOOP, wherever it stands. */
static uint32_t read_query(struct sql_reader *r)
{
    struct sql_span span;
    if (sql_reads(r, "EXECUTE")) {
        sql_read_refuse(r, "FOR over EXECUTE");
        return ESSE_NO_TEXT;
    }
    if (!sql_read_span(r, loop_word, &span))
        return ESSE_NO_TEXT;
    const char *copy =
        esse_arena_text(r->c->arena, r->tokens.text + span.from, span.to - span.from);
    return sql_add_text(r, copy, span.from, false);
}

/* The cursor is open; 'next' has the targets. */
static bool read_rows(struct sql_reader *r, const char *label, struct esse_op next)
{
    struct sql_loop loop;
    if (!sql_read_expect(r, "LOOP"))
        return false;
    next.kind = ESSE_OP_FETCH_NEXT;
    next.text = ESSE_NO_TEXT;
    sql_begin_loop(r, &loop, label, false);
    loop.has_end = true;
    loop.end =
        (struct esse_op){ .kind = ESSE_OP_CLOSE_LOOP, .text = ESSE_NO_TEXT, .cursor = next.cursor };
    const uint32_t fetch = sql_add_op(r, next);
    if (!read_body(r, label))
        return false;
    sql_add_jump(r, fetch);
    sql_op(r, fetch)->to = sql_here(r);
    sql_end_loop(r);
    return true;
}

static bool read_for_query(struct sql_reader *r, const char *label, struct esse_op targets)
{
    const uint32_t at = sql_read_at(r, r->token.at);
    targets.cursor = r->routine->cursor_count++;
    const uint32_t text = read_query(r);
    sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_OPEN,
                                    .at = at,
                                    .text = text,
                                    .cursor = targets.cursor,
                                    .is_hidden = true });
    return text != ESSE_NO_TEXT && read_rows(r, label, targets);
}

/* FOR x IN cursor(arguments): x is a record of its own. */
static bool read_for_cursor(struct sql_reader *r, const char *label, const char *name)
{
    const struct esse_names *names = r->names;
    const uint32_t at = sql_read_at(r, r->token.at);
    const struct esse_variable *cursor = sql_cursor_named(r, sql_read_name(r));
    const uint32_t text = cursor->query, number = cursor->cursor;
    if (text == ESSE_NO_TEXT)
        return esse_fault(r->c->fault, "42601", at,
                          "cursor FOR loop must use a bound cursor variable");
    if (!sql_read_cursor_arguments(r, cursor))
        return false;
    sql_add_op(r,
               (struct esse_op){ .kind = ESSE_OP_OPEN, .at = at, .text = text, .cursor = number });
    r->blocks++;
    const uint32_t record =
        sql_add_variable(r, (struct esse_variable){ .name = name, .is_record = true });
    const struct esse_op next = { .cursor = number,
                                  .targets = sql_whole(r, record),
                                  .target_count = 1 };
    const bool ok = read_rows(r, label, next);
    r->names = names;
    return ok;
}

bool sql_read_for(struct sql_reader *r, const char *label)
{
    struct sql_reader ahead = *r;
    const char *name = sql_read_name(&ahead);
    struct esse_op targets = { .text = ESSE_NO_TEXT };
    if (!name)
        return false;
    if (sql_read_if(&ahead, "IN") && (sql_reads(&ahead, "REVERSE") || is_range(&ahead))) {
        *r = ahead;
        return read_range(r, label, name);
    }
    if (sql_reads(&ahead, "SLICE"))
        return sql_read_refuse(r, "FOREACH");
    if (ahead.token.kind == SQL_TOKEN_WORD && sql_cursor_named(r, sql_read_word(r, ahead.token))) {
        *r = ahead;
        return read_for_cursor(r, label, name);
    }
    return sql_read_targets(r, &targets) && sql_read_expect(r, "IN") &&
           read_for_query(r, label, targets);
}

/* ---- CASE ---- */

/* WHEN a, b THEN: of CASE with a value, is it one of them? */
static bool read_when(struct sql_reader *r, const char *of, uint32_t *unless)
{
    static const char *const then[] = { "THEN", NULL };
    struct sql_span span;
    if (!of)
        return sql_read_condition(r, then, unless);
    const uint32_t at = r->token.at;
    if (!sql_read_span(r, then, &span))
        return false;
    if (span.from == span.to)
        return sql_read_error(r, "an expression");
    const char *copy = esse_arena_format(r->c->arena, "%s.v IN (%.*s)", of,
                                         (int)(span.to - span.from), r->tokens.text + span.from);
    *unless = sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_JUMP_UNLESS,
                                              .at = sql_read_at(r, at),
                                              .text = sql_add_text(r, copy, 0, true) });
    return sql_read_expect(r, "THEN");
}

/* The value goes into a record with one column, so that it keeps its type. */
static bool read_case_value(struct sql_reader *r, const char **of)
{
    static const char *const when[] = { "WHEN", NULL };
    struct sql_span span;
    const uint32_t at = r->token.at;
    *of = NULL;
    if (sql_reads(r, "WHEN"))
        return true;
    if (!sql_read_span(r, when, &span))
        return false;
    *of = esse_arena_format(r->c->arena, "__case_%u", sql_here(r));
    const char *copy = esse_arena_format(r->c->arena, "SELECT (%.*s) AS v",
                                         (int)(span.to - span.from), r->tokens.text + span.from);
    const uint32_t text = sql_add_text(r, copy, 0, false);
    const uint32_t record =
        sql_add_variable(r, (struct esse_variable){ .name = *of, .is_record = true });
    sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_RUN,
                                    .at = sql_read_at(r, at),
                                    .text = text,
                                    .is_hidden = true,
                                    .targets = sql_whole(r, record),
                                    .target_count = 1 });
    return true;
}

bool sql_read_case(struct sql_reader *r)
{
    static const char *const ends[] = { "WHEN", "ELSE", "END", NULL };
    const struct esse_names *names = r->names;
    const uint32_t at = r->token.at;
    struct esse_u32_vec done = { 0 };
    const char *of;
    if (!read_case_value(r, &of) || !sql_reads(r, "WHEN"))
        return r->c->fault->kind == ESSE_FAULT_NONE && sql_read_error(r, "WHEN");
    while (sql_read_if(r, "WHEN")) {
        uint32_t unless;
        if (!read_when(r, of, &unless) || !sql_read_statements(r, ends))
            return false;
        esse_u32_vec_push(&done, r->c->arena, sql_add_jump(r, 0));
        sql_op(r, unless)->to = sql_here(r);
    }
    if (!sql_read_if(r, "ELSE"))
        sql_add_fail(r, at, "20000", "case not found");
    else if (!sql_read_statements(r, end_word))
        return false;
    sql_lead_here(r, &done);
    r->names = names;
    return sql_read_expect(r, "END") && sql_read_expect(r, "CASE") && sql_read_expect(r, ";");
}
