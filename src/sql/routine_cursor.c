#include "sql/sql_routine.h"

#include <string.h>

/* Cursors: declared with a query or without, opened, fetched from, closed. */

const struct esse_variable *sql_cursor_named(struct sql_reader *r, const char *name)
{
    struct esse_target target;
    if (!name || !sql_find_variable(r->routine, r->names, name, NULL, &target))
        return NULL;
    const struct esse_variable *variable = &r->routine->variables.at[target.variable];
    return variable->is_cursor ? variable : NULL;
}

static uint32_t text_of_span(struct sql_reader *r, struct sql_span span)
{
    const char *copy =
        esse_arena_text(r->c->arena, r->tokens.text + span.from, span.to - span.from);
    return sql_add_text(r, copy, span.from, false);
}

static bool read_parameters(struct sql_reader *r, struct esse_variable *cursor)
{
    static const char *const ends[] = { ",", ")", NULL };
    do {
        struct esse_variable variable = { .name = sql_read_name(r) };
        if (!variable.name || !sql_read_type(r, ends, &variable))
            return false;
        const uint32_t number = sql_add_variable(r, variable);
        if (!cursor->argument_count++)
            cursor->argument = number;
    } while (sql_read_if(r, ","));
    return sql_read_expect(r, ")");
}

/* After the name: [NO SCROLL | SCROLL] CURSOR [(a int, ...)] FOR query.  Its arguments are only
 * known in the query. */
bool sql_read_cursor(struct sql_reader *r, struct esse_variable *variable)
{
    const struct esse_names *names = r->names;
    struct sql_span span;
    sql_read_if(r, "NO");
    sql_read_if(r, "SCROLL");
    variable->is_cursor = true;
    variable->type = ESSE_TYPE(TEXT);
    variable->cursor = r->routine->cursor_count++;
    if (!sql_read_expect(r, "CURSOR"))
        return false;
    r->blocks++;
    if (sql_read_if(r, "(") && !read_parameters(r, variable))
        return false;
    if (!sql_read_if(r, "IS") && !sql_read_expect(r, "FOR"))
        return false;
    if (!sql_read_span(r, NULL, &span))
        return false;
    variable->query = text_of_span(r, span);
    r->names = names;
    return true;
}

/* ---- OPEN ---- */

/* name := value, or the next one. */
static bool read_argument(struct sql_reader *r, const struct esse_variable *cursor, uint32_t number)
{
    static const char *const ends[] = { ",", ")", NULL };
    struct sql_reader ahead = *r;
    uint32_t variable = cursor->argument + number;
    const char *name = ahead.token.kind == SQL_TOKEN_WORD ? sql_read_name(&ahead) : NULL;
    if (name && (sql_read_if(&ahead, ":=") || sql_read_if(&ahead, "=>"))) {
        variable = UINT32_MAX;
        for (uint32_t i = 0; i < cursor->argument_count; i++)
            if (strcmp(r->routine->variables.at[cursor->argument + i].name, name) == 0)
                variable = cursor->argument + i;
        if (variable == UINT32_MAX)
            return sql_read_error(r, "an argument of the cursor");
        *r = ahead;
    }
    const uint32_t at = sql_read_at(r, r->token.at), text = sql_read_value(r, ends);
    sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_SET,
                                    .at = at,
                                    .text = text,
                                    .targets = sql_whole(r, variable),
                                    .target_count = 1 });
    return text != ESSE_NO_TEXT;
}

bool sql_read_cursor_arguments(struct sql_reader *r, const struct esse_variable *variable)
{
    const struct esse_variable cursor = *variable; /* variables move when some are added */
    uint32_t count = 0;
    if (!cursor.argument_count)
        return true;
    if (!sql_read_expect(r, "("))
        return false;
    do {
        if (count == cursor.argument_count || !read_argument(r, &cursor, count++))
            return r->c->fault->kind != ESSE_FAULT_NONE ? false
                                                        : sql_read_error(r, "no more arguments");
    } while (sql_read_if(r, ","));
    return count == cursor.argument_count ? sql_read_expect(r, ")")
                                          : sql_read_error(r, "more arguments");
}

static const struct esse_variable *read_cursor_name(struct sql_reader *r)
{
    const uint32_t at = sql_read_at(r, r->token.at);
    const char *name = sql_read_name(r);
    const struct esse_variable *cursor = sql_cursor_named(r, name);
    if (!cursor && name)
        esse_fault(r->c->fault, "42601", at, "\"%s\" is not a known cursor", name);
    return cursor;
}

bool sql_read_open(struct sql_reader *r, uint32_t at)
{
    const struct esse_variable *cursor = read_cursor_name(r);
    if (!cursor)
        return false;
    struct esse_op op = { .kind = ESSE_OP_OPEN,
                          .at = sql_read_at(r, at),
                          .text = cursor->query,
                          .cursor = cursor->cursor };
    if (op.text == ESSE_NO_TEXT) {
        struct sql_span span;
        sql_read_if(r, "NO");
        sql_read_if(r, "SCROLL");
        if (!sql_read_expect(r, "FOR"))
            return false;
        if (sql_reads(r, "EXECUTE"))
            return sql_read_refuse(r, "OPEN FOR EXECUTE");
        if (!sql_read_span(r, NULL, &span))
            return false;
        op.text = text_of_span(r, span);
    } else if (!sql_read_cursor_arguments(r, cursor)) {
        return false;
    }
    sql_add_op(r, op);
    return sql_read_expect(r, ";");
}

/* ---- FETCH ---- */

static bool read_number(struct sql_reader *r, uint32_t *text)
{
    static const char *const ends[] = { "FROM", "IN", NULL };
    *text = sql_read_value(r, ends);
    return *text != ESSE_NO_TEXT;
}

static bool read_direction(struct sql_reader *r, struct esse_op *op)
{
    static const struct {
        const char *word;
        enum esse_fetch fetch;
        const char *number; /* NULL: an expression follows */
    } words[] = {
        { "NEXT", ESSE_FETCH_RELATIVE, "1" },      { "PRIOR", ESSE_FETCH_RELATIVE, "-1" },
        { "FORWARD", ESSE_FETCH_RELATIVE, "1" },   { "BACKWARD", ESSE_FETCH_RELATIVE, "-1" },
        { "FIRST", ESSE_FETCH_ABSOLUTE, "1" },     { "LAST", ESSE_FETCH_LAST, "1" },
        { "ABSOLUTE", ESSE_FETCH_ABSOLUTE, NULL }, { "RELATIVE", ESSE_FETCH_RELATIVE, NULL }
    };
    struct sql_reader ahead = *r;
    op->fetch = ESSE_FETCH_RELATIVE;
    sql_read_next(&ahead);
    const bool is_name = sql_reads(&ahead, ";") || sql_reads(&ahead, "INTO");
    for (size_t i = 0; !is_name && i < sizeof words / sizeof *words; i++)
        if (sql_read_if(r, words[i].word)) {
            op->fetch = words[i].fetch;
            if (!words[i].number && !read_number(r, &op->text))
                return false;
            if (words[i].number)
                op->text = sql_add_text(r, words[i].number, 0, true);
            break;
        }
    if (op->text == ESSE_NO_TEXT)
        op->text = sql_add_text(r, "1", 0, true);
    if (!sql_read_if(r, "FROM"))
        sql_read_if(r, "IN");
    return true;
}

bool sql_read_fetch(struct sql_reader *r, uint32_t at, bool is_move)
{
    struct esse_op op = { .kind = ESSE_OP_FETCH, .at = sql_read_at(r, at), .text = ESSE_NO_TEXT };
    if (sql_reads(r, "ALL"))
        return sql_read_refuse(r, "FETCH of several rows");
    if (!read_direction(r, &op))
        return false;
    const struct esse_variable *cursor = read_cursor_name(r);
    if (!cursor)
        return false;
    op.cursor = cursor->cursor;
    if (!is_move && (!sql_read_expect(r, "INTO") || !sql_read_targets(r, &op)))
        return false;
    sql_add_op(r, op);
    return sql_read_expect(r, ";");
}

bool sql_read_close(struct sql_reader *r, uint32_t at)
{
    const struct esse_variable *cursor = read_cursor_name(r);
    if (!cursor)
        return false;
    sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_CLOSE,
                                    .at = sql_read_at(r, at),
                                    .text = ESSE_NO_TEXT,
                                    .cursor = cursor->cursor });
    return sql_read_expect(r, ";");
}
