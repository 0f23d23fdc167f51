#include "collect/record/session_buffer.h"

#include <stdio.h>

/*
 * Statements of the user's own.  Rows are objects of all declared columns and are named TABLE/KEY.
 * A statement about one row by its key is recorded as reads and writes of that row, any other as a
 * predicate: more engines know what to do with the former.
 */

/* ---- values ---- */

uint32_t *const *esse_own_columns(struct esse_arena *arena, const struct esse_own_schema *own)
{
    uint32_t **columns = esse_arena_alloc(arena, own->count, sizeof *columns);
    for (uint32_t t = 0; t < own->count; t++) {
        const struct esse_own_table *table = &own->tables[t];
        uint32_t *order = esse_arena_alloc(arena, table->column_count, sizeof *order);
        for (uint32_t c = 0; c < table->column_count; c++) {
            uint32_t at = c;
            for (; at > 0 && strcmp(table->columns[order[at - 1]], table->columns[c]) > 0; at--)
                order[at] = order[at - 1];
            order[at] = c;
        }
        columns[t] = order;
    }
    return columns;
}

static void put_cell(struct esse_out *out, const struct esse_own_cell *cell)
{
    switch (cell->kind) {
    case ESSE_CELL_INTEGER:
        esse_out_i64(out, cell->number);
        break;
    case ESSE_CELL_TEXT:
        esse_out_json(out, cell->text, cell->length);
        break;
    case ESSE_CELL_BOOLEAN:
        esse_out_text(out, cell->number ? "true" : "false");
        break;
    case ESSE_CELL_NULL:
        esse_out_text(out, "null");
        break;
    }
}

/* {"balance":5,"id":1}: members of rows are sorted. */
static void put_row(const struct esse_log_buffer *log_buffer, struct esse_out *out, uint32_t number,
                    const struct esse_own_cell *cells)
{
    const struct esse_own_table *table = &log_buffer->schema->own->tables[number];
    for (uint32_t i = 0; i < table->column_count; i++) {
        const uint32_t column = log_buffer->columns[number][i];
        const char *name = table->columns[column];
        esse_out_char(out, i ? ',' : '{');
        esse_out_json_text(out, name);
        esse_out_char(out, ':');
        put_cell(out, &cells[column]);
    }
    esse_out_char(out, '}');
}

static void put_key_named(struct esse_log_buffer *log_buffer, struct esse_out *out, uint32_t number,
                          const char *key)
{
    log_buffer->shown.count = 0;
    esse_out_text(&log_buffer->shown, log_buffer->schema->own->tables[number].name);
    esse_out_char(&log_buffer->shown, '/');
    esse_out_text(&log_buffer->shown, key);
    esse_out_json(out, log_buffer->shown.buffer, log_buffer->shown.count);
}

/* 'cells' are a row's: the first are its key. */
static void put_key(struct esse_log_buffer *log_buffer, struct esse_out *out, uint32_t number,
                    const struct esse_own_cell *cells)
{
    const struct esse_own_table *table = &log_buffer->schema->own->tables[number];
    struct esse_out *key = &log_buffer->shown;
    key->count = 0;
    esse_out_text(key, table->name);
    esse_out_char(key, '/');
    for (uint32_t i = 0; i < table->key_count; i++) {
        char text[24];
        const struct esse_own_cell *cell = &cells[i];
        const bool is_text = cell->kind == ESSE_CELL_TEXT;
        const int length = snprintf(text, sizeof text, "%lld", (long long)cell->number);
        esse_own_put_key(key, i, table->key_count, is_text ? cell->text : text,
                         is_text ? cell->length : (size_t)length);
    }
    esse_out_json(out, key->buffer, key->count);
}

/* ---- the first lines ---- */

void esse_log_buffer_own_rows(struct esse_log_buffer *log_buffer, uint32_t number,
                              const struct esse_cells *cells)
{
    const uint32_t width = log_buffer->schema->own->tables[number].column_count;
    struct esse_out *out = &esse_front_lines(&log_buffer->front)->bytes;
    struct esse_out *trace = &esse_front_lines(&log_buffer->trace)->bytes;
    const size_t before = out->count;
    for (size_t i = 0; log_buffer->has_trace && i < cells->at.count; i += width) {
        esse_trace_next_row(trace);
        put_key(log_buffer, trace, number, &cells->at.at[i]);
        esse_out_char(trace, ':');
        put_row(log_buffer, trace, number, &cells->at.at[i]);
    }
    for (size_t i = 0; log_buffer->has_history && i < cells->at.count; i += width) {
        esse_out_text(out, ESSE_NATIVE_INIT "{");
        put_key(log_buffer, out, number, &cells->at.at[i]);
        esse_out_char(out, ':');
        put_row(log_buffer, out, number, &cells->at.at[i]);
        esse_out_text(out, "}}\n");
    }
    esse_front_line(&log_buffer->front, log_buffer->arena, 0, before);
}

/* ---- operations ---- */

static void put_read(struct esse_session_buffer *session_buffer, const struct esse_noted *noted,
                     const struct esse_own_cell *cells)
{
    const struct esse_own_statement *own = noted->request->own;
    struct esse_out *out = session_buffer->to;
    esse_out_upto(session_buffer->to, esse_session_buffer_open_op(session_buffer, ESSE_OP_READ));
    if (cells)
        put_key(session_buffer->log_buffer, out, own->table, cells);
    else
        put_key_named(session_buffer->log_buffer, out, own->table, own->point);
    esse_out_text(out, ESSE_NATIVE_VALUE);
    if (cells)
        put_row(session_buffer->log_buffer, out, own->table, cells);
    else
        esse_out_text(out, "null");
    esse_session_buffer_close_op(session_buffer,
                                 esse_out_room(session_buffer->to, ESSE_NATIVE_ROOM), noted);
}

/* What became of the row that 'cells' were; a delete has no value. */
static void put_write(struct esse_session_buffer *session_buffer, const struct esse_noted *noted,
                      const struct esse_own_cell *cells)
{
    const struct esse_own_statement *own = noted->request->own;
    const uint32_t columns =
        session_buffer->log_buffer->schema->own->tables[own->table].column_count;
    const bool is_delete = own->kind == ESSE_OWN_DELETE;
    char *to =
        esse_session_buffer_open_op(session_buffer, is_delete ? ESSE_OP_DELETE : ESSE_OP_WRITE);
    if (own->kind == ESSE_OWN_INSERT && session_buffer->is_trace)
        esse_trace_is_insert(to);
    esse_out_upto(session_buffer->to, to);
    put_key(session_buffer->log_buffer, session_buffer->to, own->table, cells);
    if (!is_delete) {
        esse_out_text(session_buffer->to, ESSE_NATIVE_VALUE);
        put_row(session_buffer->log_buffer, session_buffer->to, own->table,
                own->kind == ESSE_OWN_UPDATE ? cells + columns : cells);
    }
    esse_session_buffer_close_op(session_buffer,
                                 esse_out_room(session_buffer->to, ESSE_NATIVE_ROOM), noted);
}

/* One row by its key: what was read of it, and what became of it. */
static void put_point(struct esse_session_buffer *session_buffer, const struct esse_noted *noted)
{
    const struct esse_own_cell *cells = noted->reply->cell_count ? noted->reply->cells : NULL;
    const bool is_change = noted->request->own->kind != ESSE_OWN_SELECT;
    if (!cells && is_change && session_buffer->is_trace) {
        esse_trace_put_nothing(session_buffer, noted);
        return;
    }
    put_read(session_buffer, noted, cells);
    if (cells && is_change)
        put_write(session_buffer, noted, cells);
}

/* "SELECT * FROM accounts WHERE ..." */
static void open_predicate(struct esse_session_buffer *session_buffer,
                           const struct esse_own_statement *own, enum esse_op_kind kind)
{
    struct esse_out *shown = &session_buffer->log_buffer->shown;
    shown->count = 0;
    esse_out_f(shown, "SELECT %s FROM %s%s%s", own->kind == ESSE_OWN_AGGREGATE ? own->list : "*",
               session_buffer->log_buffer->schema->own->tables[own->table].name,
               *own->rest ? " " : "", own->rest);
    esse_out_upto(session_buffer->to, esse_session_buffer_open_op(session_buffer, kind));
    esse_out_json(session_buffer->to, shown->buffer, shown->count);
}

static void put_result(struct esse_session_buffer *session_buffer, const struct esse_noted *noted)
{
    struct esse_out *out = session_buffer->to;
    open_predicate(session_buffer, noted->request->own, ESSE_OP_PREDICATE_READ);
    esse_out_text(out, ESSE_NATIVE_RESULT "[");
    for (size_t i = 0; i < noted->reply->cell_count; i++) {
        if (i)
            esse_out_char(out, ',');
        put_cell(out, &noted->reply->cells[i]);
    }
    esse_out_char(out, ']');
    esse_session_buffer_close_op(session_buffer,
                                 esse_out_room(session_buffer->to, ESSE_NATIVE_ROOM), noted);
}

/* A row of a predicate, and if that changed it what became of it. */
static void put_found(struct esse_session_buffer *session_buffer,
                      const struct esse_own_statement *own, const struct esse_own_cell *cells)
{
    const uint32_t columns =
        session_buffer->log_buffer->schema->own->tables[own->table].column_count;
    struct esse_out *out = session_buffer->to;
    put_key(session_buffer->log_buffer, out, own->table, cells);
    esse_out_text(out, own->kind == ESSE_OWN_SELECT ? ":" : ":[");
    put_row(session_buffer->log_buffer, out, own->table, cells);
    if (own->kind == ESSE_OWN_SELECT)
        return;
    session_buffer->has_written = true;
    esse_out_char(out, ',');
    if (own->kind == ESSE_OWN_UPDATE)
        put_row(session_buffer->log_buffer, out, own->table, cells + columns);
    else
        esse_out_text(out, "null");
    esse_out_char(out, ']');
}

/* How many cells stand for a row: of UPDATE before and after. */
static uint32_t width_of(const struct esse_log_buffer *log_buffer,
                         const struct esse_own_statement *own)
{
    const uint32_t columns = log_buffer->schema->own->tables[own->table].column_count;
    return own->kind == ESSE_OWN_UPDATE ? 2 * columns : columns;
}

/* Rows that were returned before with the same key, and perhaps another value: SQLite's scan
 * without isolation meets a row twice if it is moved meanwhile.  They are reads of their own. */
static void put_twins(struct esse_session_buffer *session_buffer, const struct esse_noted *noted)
{
    const struct esse_own_statement *own = noted->request->own;
    const struct esse_own_table *table =
        &session_buffer->log_buffer->schema->own->tables[own->table];
    const struct esse_own_cell *cells = noted->reply->cells;
    const uint32_t width = width_of(session_buffer->log_buffer, own);
    size_t highest = 0;
    for (size_t i = 0; i < noted->reply->cell_count; i += width)
        if (esse_own_is_twin(cells, i, width, table, &highest)) {
            put_read(session_buffer, noted, &cells[i]);
            if (own->kind != ESSE_OWN_SELECT)
                put_write(session_buffer, noted, &cells[i]);
        }
}

static void put_rows(struct esse_session_buffer *session_buffer, const struct esse_noted *noted)
{
    const struct esse_own_statement *own = noted->request->own;
    const struct esse_own_table *table =
        &session_buffer->log_buffer->schema->own->tables[own->table];
    const uint32_t width = width_of(session_buffer->log_buffer, own);
    size_t highest = 0;
    bool has_twins = false;
    open_predicate(session_buffer, own,
                   own->kind == ESSE_OWN_SELECT ? ESSE_OP_PREDICATE_READ
                                                : ESSE_OP_PREDICATE_UPDATE);
    esse_out_text(session_buffer->to, ESSE_NATIVE_ROWS "{");
    for (size_t i = 0; i < noted->reply->cell_count; i += width) {
        if (esse_own_is_twin(noted->reply->cells, i, width, table, &highest)) {
            has_twins = true;
            continue;
        }
        if (i)
            esse_out_char(session_buffer->to, ',');
        put_found(session_buffer, own, &noted->reply->cells[i]);
    }
    esse_out_char(session_buffer->to, '}');
    esse_session_buffer_close_op(session_buffer,
                                 esse_out_room(session_buffer->to, ESSE_NATIVE_ROOM), noted);
    if (has_twins)
        put_twins(session_buffer, noted);
}

void esse_session_buffer_put_own(struct esse_session_buffer *session_buffer,
                                 const struct esse_noted *noted)
{
    const struct esse_own_statement *own = noted->request->own;
    if (own->kind == ESSE_OWN_INSERT)
        for (size_t i = 0; i < noted->reply->cell_count;
             i += width_of(session_buffer->log_buffer, own))
            put_write(session_buffer, noted, &noted->reply->cells[i]);
    else if (own->point)
        put_point(session_buffer, noted);
    else if (own->kind == ESSE_OWN_AGGREGATE)
        put_result(session_buffer, noted);
    else
        put_rows(session_buffer, noted);
}
