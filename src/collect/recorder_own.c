#include "collect/page.h"

#include <stdio.h>

/*
 * Statements of the user's own.  Rows are objects of all declared columns and are named TABLE/KEY.
 * A statement about one row by its key is recorded as reads and writes of that row, any other as a
 * predicate: more engines know what to do with the former.
 */

static uint32_t width_of(const struct esse_book *book, const struct esse_noted *noted)
{
    const uint32_t columns = book->schema->own->tables[noted->table].column_count;
    return noted->own == ESSE_OWN_UPDATE ? 2 * columns : columns;
}

/* ---- values ---- */

static esse_value value_of(struct esse_values *values, const struct esse_own_cell *cell)
{
    switch (cell->kind) {
    case ESSE_CELL_INTEGER:
        return esse_value_int(values, cell->number);
    case ESSE_CELL_TEXT:
        return esse_value_string(values, cell->text, cell->length);
    case ESSE_CELL_BOOLEAN:
        return cell->number ? ESSE_TRUE : ESSE_FALSE;
    case ESSE_CELL_NULL:
        break;
    }
    return ESSE_NIL;
}

static esse_value row_of(struct esse_book *book, const struct esse_own_table *table,
                         const struct esse_own_cell *cells)
{
    const size_t first = book->items.count;
    esse_value *parts = esse_item_vec_extend(&book->items, book->arena, 2 * table->column_count);
    for (uint32_t i = 0; i < table->column_count; i++) {
        parts[2 * i] =
            esse_value_string(book->values, table->columns[i], strlen(table->columns[i]));
        parts[2 * i + 1] = value_of(book->values, &cells[i]);
    }
    const esse_value row =
        esse_value_compound(book->values, ESSE_KIND_MAP, parts, 2 * table->column_count);
    book->items.count = first;
    return row;
}

static esse_value key_named(struct esse_book *book, const struct esse_own_table *table,
                            const char *key)
{
    char *text = esse_arena_format(book->pool, "%s/%s", table->name, key);
    return esse_value_string(book->values, text, strlen(text));
}

static esse_value key_of(struct esse_book *book, const struct esse_own_table *table,
                         const struct esse_own_cell *cells)
{
    struct esse_out *key = &book->shown;
    key->count = 0;
    esse_out_f(key, "%s/", table->name);
    for (uint32_t i = 0; i < table->key_count; i++) {
        char number[24];
        const struct esse_own_cell *cell = &cells[i];
        const bool is_text = cell->kind == ESSE_CELL_TEXT;
        const int length = snprintf(number, sizeof number, "%lld", (long long)cell->number);
        esse_own_put_key(key, i, table->key_count, is_text ? cell->text : number,
                         is_text ? cell->length : (size_t)length);
    }
    return esse_value_string(book->values, key->buffer, key->count);
}

/* ---- the first lines ---- */

bool esse_book_own_rows(struct esse_book *book, uint32_t number, const struct esse_cells *cells,
                        struct esse_error *err)
{
    const struct esse_own_table *table = &book->schema->own->tables[number];
    const size_t before = book->front.at.bytes.count;
    for (size_t i = 0; i < cells->at.count; i += table->column_count) {
        const struct esse_own_cell *row = &cells->at.at[i];
        const struct esse_row init = { key_of(book, table, row), row_of(book, table, row),
                                       ESSE_NONE };
        if (!book->sink->init(book->sink, &init, 1, err))
            return false;
    }
    esse_book_line(book, 0, before);
    return true;
}

/* ---- what was asked and answered ---- */

/* "SELECT * FROM accounts WHERE ..." */
static size_t note_shown(struct esse_page *page, const struct esse_own_statement *statement)
{
    const struct esse_own_table *table = &page->book->schema->own->tables[statement->table];
    struct esse_out *shown = &page->book->shown;
    shown->count = 0;
    esse_out_f(shown, "SELECT %s FROM %s%s%s",
               statement->kind == ESSE_OWN_AGGREGATE ? statement->list : "*", table->name,
               *statement->rest ? " " : "", statement->rest);
    return esse_page_text(page, esse_out_memory(shown));
}

void esse_page_note_own(struct esse_page *page, struct esse_noted *noted,
                        const struct esse_own_statement *statement, const struct esse_reply *reply)
{
    noted->own = statement->kind;
    noted->table = statement->table;
    noted->point = esse_page_text(page, statement->point);
    noted->where = note_shown(page, statement);
    noted->first = page->cells.at.count;
    noted->count = noted->is_done ? reply->cell_count : 0;
    for (size_t i = 0; i < noted->count; i++)
        esse_cells_copy(&page->cells, &reply->cells[i]);
}

/* ---- its operations ---- */

/* One row by its key: what was read of it, and what became of it. */
static void fill_point(struct esse_page *page, const struct esse_noted *noted,
                       const struct esse_own_cell *cells, const struct esse_op_record *like)
{
    struct esse_book *book = page->book;
    const struct esse_own_table *table = &book->schema->own->tables[noted->table];
    struct esse_op_record op = *like;
    const bool is_there = noted->count > 0;
    op.key = is_there ? key_of(book, table, cells)
                      : key_named(book, table, page->texts.at + noted->point - 1);
    op.kind = ESSE_OP_READ;
    op.value = is_there ? row_of(book, table, cells) : ESSE_NIL;
    if (noted->own != ESSE_OWN_INSERT)
        esse_op_vec_push(&book->ops, book->arena, op);
    if (!is_there || noted->own == ESSE_OWN_SELECT)
        return;
    op.kind = noted->own == ESSE_OWN_DELETE ? ESSE_OP_DELETE : ESSE_OP_WRITE;
    if (noted->own == ESSE_OWN_UPDATE)
        op.value = row_of(book, table, cells + table->column_count);
    esse_op_vec_push(&book->ops, book->arena, op);
}

static void fill_result(struct esse_page *page, const struct esse_noted *noted,
                        const struct esse_own_cell *cells, struct esse_op_record *op)
{
    struct esse_book *book = page->book;
    op->kind = ESSE_OP_PREDICATE_READ;
    op->no_rows = op->has_result = true;
    op->result_first = book->items.count;
    op->result_count = noted->count;
    for (size_t i = 0; i < noted->count; i++)
        esse_item_vec_push(&book->items, book->arena, value_of(book->values, &cells[i]));
}

static void fill_rows(struct esse_page *page, const struct esse_noted *noted,
                      const struct esse_own_cell *cells, struct esse_op_record *op)
{
    struct esse_book *book = page->book;
    const struct esse_own_table *table = &book->schema->own->tables[noted->table];
    const uint32_t width = width_of(book, noted);
    op->kind = noted->own == ESSE_OWN_SELECT ? ESSE_OP_PREDICATE_READ : ESSE_OP_PREDICATE_UPDATE;
    op->first = book->rows.count;
    op->count = noted->count / width;
    for (size_t i = 0; i < noted->count; i += width) {
        struct esse_row row = { key_of(book, table, &cells[i]), row_of(book, table, &cells[i]),
                                ESSE_NONE };
        if (noted->own == ESSE_OWN_UPDATE)
            row.next = row_of(book, table, &cells[i + table->column_count]);
        else if (noted->own == ESSE_OWN_DELETE)
            row.next = ESSE_NIL;
        esse_row_vec_push(&book->rows, book->arena, row);
    }
}

void esse_page_fill_own(struct esse_page *page, const struct esse_noted *noted,
                        const struct esse_op_record *like)
{
    struct esse_book *book = page->book;
    const struct esse_own_cell *cells = page->cells.at.at + noted->first;
    struct esse_op_record op = *like;
    const char *shown = page->texts.at + noted->where - 1;
    if (noted->own == ESSE_OWN_INSERT) {
        const uint32_t width = width_of(book, noted);
        for (size_t i = 0; i < noted->count; i += width)
            fill_point(page, noted, cells + i, like);
        return;
    }
    if (noted->point) {
        fill_point(page, noted, cells, like);
        return;
    }
    op.key = esse_value_string(book->values, shown, strlen(shown));
    if (noted->own == ESSE_OWN_AGGREGATE)
        fill_result(page, noted, cells, &op);
    else
        fill_rows(page, noted, cells, &op);
    esse_op_vec_push(&book->ops, book->arena, op);
}
