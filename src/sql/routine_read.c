#include "sql/sql_routine.h"

#include <ctype.h>
#include <string.h>

/* Words, texts and names within the body of a routine; blocks and their declarations. */

enum { MOST_BLOCKS = 200 };

/* ---- words ---- */

void sql_read_next(struct sql_reader *r)
{
    r->token = sql_token_next(&r->tokens);
}

bool sql_reads(const struct sql_reader *r, const char *word)
{
    return sql_token_is(&r->tokens, r->token, word);
}

bool sql_read_if(struct sql_reader *r, const char *word)
{
    if (!sql_reads(r, word))
        return false;
    sql_read_next(r);
    return true;
}

uint32_t sql_read_at(const struct sql_reader *r, uint32_t at)
{
    return r->base ? r->base + at : 0;
}

bool sql_read_error(struct sql_reader *r, const char *expected)
{
    const struct sql_token token = r->token;
    const uint32_t at = sql_read_at(r, token.at);
    if (token.kind == SQL_TOKEN_BROKEN)
        return esse_fault(r->c->fault, "42601", at, "a string or a remark does not end");
    if (token.kind == SQL_TOKEN_END)
        return esse_fault(r->c->fault, "42601", at, "expected %s, found the end", expected);
    return esse_fault(r->c->fault, "42601", at, "expected %s, found \"%.*s\"", expected,
                      (int)(token.length < 40 ? token.length : 40), r->tokens.text + token.at);
}

bool sql_read_refuse(struct sql_reader *r, const char *what)
{
    return esse_fault_unsupported(r->c->fault, sql_read_at(r, r->token.at), "%s is not supported",
                                  what);
}

bool sql_read_expect(struct sql_reader *r, const char *word)
{
    return sql_read_if(r, word) || sql_read_error(r, word);
}

const char *sql_read_word(struct sql_reader *r, struct sql_token token)
{
    size_t length;
    if (token.kind == SQL_TOKEN_QUOTED)
        return sql_token_text(&r->tokens, token, r->c->arena, &length);
    char *copy = esse_arena_text(r->c->arena, r->tokens.text + token.at, token.length);
    for (char *p = copy; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return copy;
}

/* NULL, with the fault filled, if it is none. */
const char *sql_read_name(struct sql_reader *r)
{
    if (r->token.kind != SQL_TOKEN_WORD && r->token.kind != SQL_TOKEN_QUOTED) {
        sql_read_error(r, "a name");
        return NULL;
    }
    const char *name = sql_read_word(r, r->token);
    sql_read_next(r);
    return name;
}

/* ---- texts ---- */

static bool is_one_of(const struct sql_reader *r, const char *const *words)
{
    for (; words && *words; words++)
        if (sql_reads(r, *words))
            return true;
    return false;
}

bool sql_read_span(struct sql_reader *r, const char *const *words, struct sql_span *span)
{
    unsigned depth = 0;
    *span = (struct sql_span){ r->token.at, r->token.at };
    for (;; sql_read_next(r)) {
        if (r->token.kind == SQL_TOKEN_END || r->token.kind == SQL_TOKEN_BROKEN ||
            (sql_reads(r, ";") && depth))
            return sql_read_error(r, words ? words[0] : "';'");
        if (sql_reads(r, ";") || (!depth && is_one_of(r, words)))
            break;
        depth += sql_reads(r, "(") || sql_reads(r, "[");
        if (sql_reads(r, ")") || sql_reads(r, "]")) {
            if (!depth)
                return sql_read_error(r, "no closing bracket");
            depth--;
        }
        span->to = r->token.at + r->token.length;
    }
    return true;
}

uint32_t sql_add_text(struct sql_reader *r, const char *copy, uint32_t at, bool is_value)
{
    static const char select[] = "SELECT ";
    const uint32_t before = is_value ? sizeof select - 1 : 0;
    struct esse_embedded embedded = { .names = r->names };
    embedded.text = esse_arena_format(r->c->arena, "%s%s", is_value ? select : "", copy);
    embedded.at = sql_read_at(r, at) > before ? sql_read_at(r, at) - before : 0;
    esse_embedded_vec_push(&r->routine->texts, r->c->arena, embedded);
    return (uint32_t)r->routine->texts.count - 1;
}

/* An expression up to one of the words or a semicolon; ESSE_NO_TEXT with the fault filled. */
uint32_t sql_read_value(struct sql_reader *r, const char *const *words)
{
    struct sql_span span;
    if (!sql_read_span(r, words, &span))
        return ESSE_NO_TEXT;
    if (span.from == span.to) {
        sql_read_error(r, "an expression");
        return ESSE_NO_TEXT;
    }
    const char *copy =
        esse_arena_text(r->c->arena, r->tokens.text + span.from, span.to - span.from);
    return sql_add_text(r, copy, span.from, true);
}

/* ---- what the routine has ---- */

uint32_t sql_add_op(struct sql_reader *r, struct esse_op op)
{
    esse_op_vec_push(&r->routine->ops, r->c->arena, op);
    return (uint32_t)r->routine->ops.count - 1;
}

struct esse_op *sql_op(struct sql_reader *r, uint32_t number)
{
    return &r->routine->ops.at[number];
}

uint32_t sql_here(const struct sql_reader *r)
{
    return (uint32_t)r->routine->ops.count;
}

void sql_push_name(struct sql_reader *r, struct esse_names one)
{
    struct esse_names *names = esse_arena_alloc(r->c->arena, 1, sizeof *names);
    *names = one;
    names->up = r->names;
    names->block = r->blocks;
    r->names = names;
}

uint32_t sql_add_variable(struct sql_reader *r, struct esse_variable variable)
{
    const uint32_t number = (uint32_t)r->routine->variables.count;
    esse_variable_vec_push(&r->routine->variables, r->c->arena, variable);
    if (variable.name)
        sql_push_name(r, (struct esse_names){ .name = variable.name, .variable = number });
    return number;
}

bool sql_read_target(struct sql_reader *r, struct esse_target *target)
{
    const uint32_t at = r->token.at;
    const char *first = sql_read_name(r), *second = NULL, *third = NULL;
    if (first && sql_read_if(r, "."))
        second = sql_read_name(r);
    if (second && sql_read_if(r, "."))
        third = sql_read_name(r);
    if (r->c->fault->kind != ESSE_FAULT_NONE)
        return false;
    if (third ? !sql_find_variable(r->routine, r->names, first, second, target) || target->field
              : !sql_find_variable(r->routine, r->names, first, second, target))
        return esse_fault(r->c->fault, "42601", sql_read_at(r, at),
                          "\"%s\" is not a known variable", first);
    if (third)
        target->field = third;
    if (r->routine->variables.at[target->variable].is_constant)
        return esse_fault(r->c->fault, "22005", sql_read_at(r, at),
                          "variable \"%s\" is declared CONSTANT", first);
    return true;
}

/* ---- declarations ---- */

/* table.column%TYPE, variable%TYPE, table%ROWTYPE; false, without a fault, if it is none of them.
 */
static bool read_copied_type(struct sql_reader *r, const char *text, struct esse_variable *variable,
                             bool *is_one)
{
    const char *percent = strchr(text, '%');
    *is_one = percent != NULL;
    if (!percent)
        return true;
    const bool is_row = strncasecmp(percent + 1, "ROWTYPE", 7) == 0;
    const char *name = text;
    struct sql_tokens tokens = { .text = text, .length = (uint32_t)(percent - text) };
    struct sql_reader words = { .c = r->c, .tokens = tokens };
    const char *parts[3] = { NULL, NULL, NULL };
    struct esse_target target;
    sql_read_next(&words);
    for (int i = 0; i < 3; i++) {
        parts[i] = sql_read_name(&words);
        if (!parts[i])
            return false;
        if (!sql_read_if(&words, "."))
            break;
    }
    if (!is_row && !parts[2] &&
        sql_find_variable(r->routine, r->names, parts[0], parts[1], &target) && !target.field) {
        variable->type = r->routine->variables.at[target.variable].type;
        return true;
    }
    const char *table_name =
        is_row ? (parts[1] ? parts[1] : parts[0]) : (parts[2] ? parts[1] : parts[0]);
    const struct esse_table *table = esse_schema_table(r->c->schema, table_name);
    if (!table)
        return esse_fault(r->c->fault, is_row || parts[1] ? "42P01" : "42704",
                          sql_read_at(r, r->token.at), "relation \"%s\" does not exist",
                          table_name);
    if (is_row)
        return sql_row_of_table(r->c, table, variable);
    const char *column = parts[2] ? parts[2] : parts[1];
    const uint32_t number = column ? esse_table_column(table, column) : UINT32_MAX;
    if (number == UINT32_MAX)
        return esse_fault(r->c->fault, "42703", sql_read_at(r, r->token.at),
                          "column \"%s\" of relation \"%s\" does not exist", column ? column : name,
                          table_name);
    variable->type = table->columns[number].type;
    return true;
}

bool sql_row_of_table(struct sql_compile *c, const struct esse_table *table,
                      struct esse_variable *variable)
{
    struct esse_output *columns =
        esse_arena_alloc(c->arena, table->column_count + 1, sizeof *columns);
    for (uint32_t i = 0; i < table->column_count; i++)
        columns[i] =
            (struct esse_output){ .name = table->columns[i].name, .type = table->columns[i].type };
    variable->is_record = true;
    variable->columns = columns;
    variable->width = table->column_count;
    return true;
}

bool sql_read_type(struct sql_reader *r, const char *const *words, struct esse_variable *variable)
{
    struct sql_span span;
    bool is_copied;
    if (!sql_read_span(r, words, &span))
        return false;
    if (span.from == span.to)
        return sql_read_error(r, "a type");
    const char *text =
        esse_arena_text(r->c->arena, r->tokens.text + span.from, span.to - span.from);
    const uint32_t at = sql_read_at(r, span.from);
    if (!read_copied_type(r, text, variable, &is_copied))
        return false;
    if (is_copied)
        return true;
    if (strcasecmp(text, "refcursor") == 0) {
        variable->is_cursor = true;
        variable->type = ESSE_TYPE(TEXT);
        variable->cursor = r->routine->cursor_count++;
        return true;
    }
    if (strcasecmp(text, "record") == 0) {
        variable->is_record = true;
        return true;
    }
    const struct esse_table *table = esse_schema_table(r->c->schema, text);
    return table ? sql_row_of_table(r->c, table, variable)
                 : sql_type_from_text(r->c, text, at, &variable->type);
}

static bool is_declared(const struct sql_reader *r, const char *name)
{
    for (const struct esse_names *names = r->names; names && names->block == r->blocks;
         names = names->up)
        if (!names->is_label && strcmp(names->name, name) == 0)
            return true;
    return false;
}

static const char *const after_type[] = { ":=", "=", "DEFAULT", "NOT", "COLLATE", NULL };

static bool read_first_value(struct sql_reader *r, struct esse_variable *variable, uint32_t at)
{
    struct esse_op op = { .kind = ESSE_OP_SET, .at = sql_read_at(r, at), .text = ESSE_NO_TEXT };
    if (sql_read_if(r, ":=") || sql_read_if(r, "=") || sql_read_if(r, "DEFAULT")) {
        op.text = sql_read_value(r, NULL);
        if (op.text == ESSE_NO_TEXT)
            return false;
    } else if (variable->is_not_null) {
        return esse_fault(r->c->fault, "22004", sql_read_at(r, at),
                          "variable \"%s\" must have a default value, since it's declared NOT NULL",
                          variable->name);
    }
    struct esse_target *target = esse_arena_alloc(r->c->arena, 1, sizeof *target);
    target->variable = sql_add_variable(r, *variable);
    op.targets = target;
    op.target_count = 1;
    sql_add_op(r, op);
    return sql_read_expect(r, ";");
}

static bool read_declaration(struct sql_reader *r)
{
    const uint32_t at = r->token.at;
    struct esse_variable variable = { .name = sql_read_name(r), .query = ESSE_NO_TEXT };
    if (!variable.name)
        return false;
    if (is_declared(r, variable.name))
        return esse_fault(r->c->fault, "42601", sql_read_at(r, at),
                          "duplicate declaration of \"%s\"", variable.name);
    if (sql_reads(r, "ALIAS"))
        return sql_read_refuse(r, "ALIAS");
    if (sql_reads(r, "CURSOR") || sql_reads(r, "NO") || sql_reads(r, "SCROLL"))
        return sql_read_cursor(r, &variable) && read_first_value(r, &variable, at);
    variable.is_constant = sql_read_if(r, "CONSTANT");
    if (!sql_read_type(r, after_type, &variable))
        return false;
    if (sql_reads(r, "COLLATE"))
        return sql_read_refuse(r, "COLLATE");
    if (sql_read_if(r, "NOT")) {
        if (!sql_read_expect(r, "NULL"))
            return false;
        variable.is_not_null = true;
    }
    return read_first_value(r, &variable, at);
}

/* ---- blocks ---- */

/* What comes after END: the label again, if there is one. */
static bool read_end_label(struct sql_reader *r, const char *label)
{
    if (sql_reads(r, ";") || r->token.kind == SQL_TOKEN_END)
        return true;
    const uint32_t at = r->token.at;
    const char *name = sql_read_name(r);
    if (!name)
        return false;
    return (label && strcmp(name, label) == 0) ||
           esse_fault(r->c->fault, "42601", sql_read_at(r, at),
                      "end label \"%s\" is not the block's", name);
}

/* WHEN condition OR condition THEN statements */
static bool read_handler(struct sql_reader *r, struct esse_handler *handler)
{
    static const char *const ends[] = { "WHEN", "END", NULL };
    const char **states = esse_arena_alloc(r->c->arena, 64, sizeof *states);
    handler->states = states;
    do {
        const char *words;
        if (handler->count == 64)
            return sql_read_refuse(r, "so long a list of conditions");
        states[handler->count] = "";
        if (!sql_read_if(r, "OTHERS") &&
            !sql_read_condition_name(r, &states[handler->count], &words))
            return false;
        handler->count++;
    } while (sql_read_if(r, "OR"));
    handler->at = sql_here(r);
    return sql_read_expect(r, "THEN") && sql_read_statements(r, ends);
}

enum { MOST_HANDLERS = 100 };

/* EXCEPTION and what comes up to END; 'block' is what ENTER has entered. */
static bool read_handlers(struct sql_reader *r, uint32_t block)
{
    struct esse_handler *handlers = esse_arena_alloc(r->c->arena, MOST_HANDLERS, sizeof *handlers);
    const struct esse_names *names = r->names;
    const uint32_t before = r->handled;
    struct esse_u32_vec done = { 0 };
    uint32_t count = 0;
    const struct esse_variable text = { .type = ESSE_TYPE(TEXT), .is_constant = true };
    struct esse_variable state = text, words = text;
    state.name = "sqlstate";
    words.name = "sqlerrm";
    esse_u32_vec_push(&done, r->c->arena, sql_add_jump(r, 0));
    r->handled = sql_add_variable(r, state);
    sql_add_variable(r, words);
    while (sql_read_if(r, "WHEN")) {
        if (count == MOST_HANDLERS)
            return sql_read_refuse(r, "so many handlers");
        if (!read_handler(r, &handlers[count++]))
            return false;
        esse_u32_vec_push(&done, r->c->arena, sql_add_jump(r, 0));
    }
    sql_lead_here(r, &done);
    r->routine->blocks.at[block] = (struct esse_handlers){ handlers, count, r->handled };
    r->names = names;
    r->handled = before;
    return true;
}

static bool read_declarations(struct sql_reader *r)
{
    while (sql_read_if(r, "DECLARE"))
        while (!sql_reads(r, "BEGIN") && !sql_reads(r, "DECLARE"))
            if (!read_declaration(r))
                return false;
    return sql_read_expect(r, "BEGIN");
}

/* The statements and handlers; the block is entered before, in case there are some. */
static bool read_insides(struct sql_reader *r)
{
    static const char *const ends[] = { "END", "EXCEPTION", NULL };
    const uint32_t block = (uint32_t)r->routine->blocks.count;
    const uint32_t enter =
        sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_ENTER, .text = ESSE_NO_TEXT, .to = block });
    esse_handlers_vec_push(&r->routine->blocks, r->c->arena, (struct esse_handlers){ .count = 0 });
    r->caught++;
    if (!sql_read_statements(r, ends))
        return false;
    r->caught--;
    (void)enter;
    sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_LEAVE, .text = ESSE_NO_TEXT, .count = 1 });
    return !sql_read_if(r, "EXCEPTION") || read_handlers(r, block);
}

bool sql_read_block(struct sql_reader *r, const char *label)
{
    const struct esse_names *names = r->names;
    struct sql_loop exit;
    if (r->depth++ == MOST_BLOCKS)
        return sql_read_refuse(r, "so deep a nesting of blocks");
    r->blocks++;
    if (label)
        sql_push_name(r, (struct esse_names){ .name = label, .is_label = true });
    if (!read_declarations(r))
        return false;
    sql_begin_loop(r, &exit, label, true);
    if (!read_insides(r))
        return false;
    sql_end_loop(r);
    if (!sql_read_expect(r, "END") || !read_end_label(r, label))
        return false;
    r->names = names;
    r->depth--;
    return true;
}

/* Where the body stands in the text, if it stands there as it is. */
static uint32_t base_of(const struct sql_compile *c, const char *body)
{
    const char *found = c->text ? strstr(c->text, body) : NULL;
    return found ? (uint32_t)(found - c->text) + 1 : 0;
}

static void add_parameters_names(struct sql_reader *r)
{
    sql_push_name(r, (struct esse_names){ .name = r->routine->name ? r->routine->name : "",
                                          .is_label = true });
    for (uint32_t i = 0; i < r->routine->variables.count; i++)
        if (*r->routine->variables.at[i].name)
            sql_push_name(
                r, (struct esse_names){ .name = r->routine->variables.at[i].name, .variable = i });
}

bool sql_read_body(struct sql_compile *c, struct esse_routine *routine, const char *body)
{
    struct sql_reader reader = { .c = c, .routine = routine, .base = base_of(c, body) };
    struct sql_reader *r = &reader;
    const char *label = NULL;
    reader.tokens.text = esse_arena_text(c->arena, body, strlen(body));
    reader.tokens.length = (uint32_t)strlen(body);
    add_parameters_names(r);
    sql_read_next(r);
    if (sql_reads(r, "#"))
        return sql_read_refuse(r, "an option of the compiler");
    if (sql_read_if(r, "<<")) {
        label = sql_read_name(r);
        if (!label || !sql_read_expect(r, ">>"))
            return false;
    }
    if (!sql_read_block(r, label))
        return false;
    sql_read_if(r, ";");
    if (r->token.kind != SQL_TOKEN_END)
        return sql_read_error(r, "the end of the body");
    sql_add_op(r, (struct esse_op){ .kind = ESSE_OP_END, .text = ESSE_NO_TEXT });
    return true;
}
