#include "collect/driver/mysql/mysql_own.h"

#include "collect/driver/mysql/mysql_insert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void esse_mysql_own_init(struct esse_mysql_own *own, struct esse_arena *arena)
{
    esse_out_init_memory(&own->first, arena);
    esse_out_init_memory(&own->change, arena);
    esse_out_init_memory(&own->after, arena);
    own->cells.arena = own->old.arena = own->new.arena = arena;
}

/* ---- statements ---- */

const char *esse_mysql_own_first(struct esse_mysql_own *own, const struct esse_own_schema *schema,
                                 const struct esse_own_statement *statement, bool has_returning)
{
    const struct esse_own_table *table = &schema->tables[statement->table];
    struct esse_out *sql = &own->first;
    sql->count = 0;
    if (statement->kind == ESSE_OWN_INSERT)
        esse_out_f(sql, "INSERT INTO %s %s%s%s", table->name, statement->rest,
                   has_returning ? " RETURNING " : "", has_returning ? table->list : "");
    else
        esse_own_put_select(sql, schema, statement);
    if (statement->kind > ESSE_OWN_INSERT)
        esse_out_text(sql, " FOR UPDATE");
    return esse_out_memory(sql);
}

const char *esse_mysql_own_inserted(struct esse_mysql_own *own,
                                    const struct esse_own_schema *schema,
                                    const struct esse_own_statement *statement,
                                    const char *const *columns)
{
    const struct esse_own_table *table = &schema->tables[statement->table];
    own->after.count = 0;
    esse_out_f(&own->after, "SELECT %s FROM %s", table->list, table->name);
    if (!esse_mysql_put_inserted(&own->after, table, columns, statement->rest))
        return NULL;
    esse_out_text(&own->after, " FOR UPDATE");
    return esse_out_memory(&own->after);
}

/* A text by its bytes: nothing in it has to be escaped, whatever the server's modes are. */
static void put_literal(struct esse_out *sql, const struct esse_own_cell *cell)
{
    if (cell->kind != ESSE_CELL_TEXT) {
        esse_out_i64(sql, cell->number);
        return;
    }
    static const char digits[] = "0123456789ABCDEF";
    esse_out_text(sql, "_utf8mb4 X'");
    for (size_t i = 0; i < cell->length; i++) {
        esse_out_char(sql, digits[(unsigned char)cell->text[i] >> 4]);
        esse_out_char(sql, digits[cell->text[i] & 15]);
    }
    esse_out_char(sql, '\'');
}

/* Alternatives rather than a list of tuples: every version of the server finds those by the index,
 * and so locks no other rows. */
static void put_keys(struct esse_out *sql, const struct esse_own_table *table,
                     const struct esse_cells *rows)
{
    for (size_t i = 0; i < rows->at.count; i += table->column_count)
        for (uint32_t k = 0; k < table->key_count; k++) {
            esse_out_text(sql, k ? " AND " : i ? ") OR (" : " WHERE (");
            esse_out_f(sql, "%s = ", table->columns[k]);
            put_literal(sql, &rows->at.at[i + k]);
        }
    esse_out_char(sql, ')');
}

void esse_mysql_own_follow(struct esse_mysql_own *own, const struct esse_own_schema *schema,
                           const struct esse_own_statement *statement)
{
    const struct esse_own_table *table = &schema->tables[statement->table];
    own->change.count = own->after.count = 0;
    if (statement->kind == ESSE_OWN_DELETE)
        esse_out_f(&own->change, "DELETE FROM %s", table->name);
    else
        esse_out_f(&own->change, "UPDATE %s SET %s", table->name, statement->set);
    put_keys(&own->change, table, &own->old);
    esse_out_f(&own->after, "SELECT %s FROM %s", table->list, table->name);
    put_keys(&own->after, table, &own->old);
    esse_out_text(&own->after, " FOR UPDATE");
}

/* ---- what they answer ---- */

static bool is_integer(const MYSQL_FIELD *field, const char *text)
{
    switch (field->type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR:
        return true;
    case MYSQL_TYPE_DECIMAL: /* sums are */
    case MYSQL_TYPE_NEWDECIMAL:
        return !strchr(text, '.');
    default:
        return false;
    }
}

static void take_cell(struct esse_cells *cells, const MYSQL_FIELD *field, const char *text,
                      size_t length)
{
    errno = 0;
    const int64_t number = text && is_integer(field, text) ? strtoll(text, NULL, 10) : 0;
    if (!text)
        esse_cells_add(cells, ESSE_CELL_NULL, 0, NULL, 0);
    else if (is_integer(field, text) && !errno)
        esse_cells_add(cells, ESSE_CELL_INTEGER, number, NULL, 0);
    else
        esse_cells_add(cells, ESSE_CELL_TEXT, 0, text, length);
}

void esse_mysql_own_take(struct esse_cells *cells, MYSQL_RES *result)
{
    const unsigned columns = mysql_num_fields(result);
    for (MYSQL_ROW row; (row = mysql_fetch_row(result));) {
        const unsigned long *lengths = mysql_fetch_lengths(result);
        for (unsigned i = 0; i < columns; i++)
            take_cell(cells, mysql_fetch_field_direct(result, i), row[i], lengths[i]);
    }
    esse_cells_done(cells);
}
