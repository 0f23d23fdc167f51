#include "collect/driver/sqlite/sqlite.h"

#include "base/out.h"

#include <stdlib.h>

/*
 * Statements of the user's own.  SQLite's RETURNING gives rows as they have become; how they were
 * before an UPDATE a SELECT of the same rows gives, in the same transaction and with no write
 * between, since it is the one writer by then.
 */

static void add_row(struct esse_cells *cells, sqlite3_stmt *statement)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const int type = sqlite3_column_type(statement, i);
        const char *text =
            type == SQLITE_NULL ? NULL : (const char *)sqlite3_column_text(statement, i);
        if (type == SQLITE_INTEGER)
            esse_cells_add(cells, ESSE_CELL_INTEGER, sqlite3_column_int64(statement, i), NULL, 0);
        else if (type == SQLITE_NULL)
            esse_cells_add(cells, ESSE_CELL_NULL, 0, NULL, 0);
        else
            esse_cells_add(cells, ESSE_CELL_TEXT, 0, text,
                           (size_t)sqlite3_column_bytes(statement, i));
    }
}

/* SQLITE_DONE, or what is wrong. */
static int collect(sqlite3 *db, struct esse_out *sql, struct esse_cells *cells)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, esse_out_memory(sql), -1, &statement, NULL);
    if (code != SQLITE_OK)
        return code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        add_row(cells, statement);
    sqlite3_finalize(statement);
    return code;
}

/* ---- UPDATE ---- */

/* A transaction that began deferred is no writer yet, and in a shared cache others may write until
 * it is one.  To change nothing makes it one. */
static int become_writer(sqlite3 *db, struct esse_out *sql, const struct esse_own_table *table)
{
    sql->count = 0;
    esse_out_f(sql, "UPDATE %s SET %s = %s WHERE 0", table->name, table->columns[0],
               table->columns[0]);
    return sqlite3_exec(db, esse_out_memory(sql), NULL, NULL, NULL);
}

static int update(struct esse_sqlite_own *own, sqlite3 *db, const struct esse_own_schema *schema,
                  const struct esse_own_statement *statement)
{
    const struct esse_own_table *table = &schema->tables[statement->table];
    struct esse_out *sql = &own->sql;
    esse_cells_clear(&own->old);
    esse_cells_clear(&own->new);
    int code = become_writer(db, sql, table);
    if (code != SQLITE_OK)
        return code;
    sql->count = 0;
    esse_own_put_select(sql, schema, statement);
    code = collect(db, sql, &own->old);
    if (code != SQLITE_DONE)
        return code;
    sql->count = 0;
    esse_out_f(sql, "UPDATE %s SET %s %s RETURNING %s", table->name, statement->set,
               statement->rest, table->list);
    code = collect(db, sql, &own->new);
    if (code != SQLITE_DONE)
        return code;
    esse_cells_done(&own->old);
    esse_cells_done(&own->new);
    /* A row that was not there before is a trigger's doing. */
    return esse_cells_join(&own->cells, &own->old, &own->new, table) ? code : SQLITE_INTERNAL;
}

void esse_sqlite_own_init(struct esse_sqlite_own *own, struct esse_arena *arena)
{
    esse_out_init_memory(&own->sql, arena);
    own->cells.arena = own->old.arena = own->new.arena = arena;
}

int esse_sqlite_own(struct esse_sqlite_own *own, sqlite3 *db, const struct esse_own_schema *schema,
                    const struct esse_own_statement *statement, struct esse_reply *reply)
{
    const struct esse_own_table *table = &schema->tables[statement->table];
    struct esse_out *sql = &own->sql;
    int code;
    sql->count = 0;
    esse_cells_clear(&own->cells);
    if (statement->kind == ESSE_OWN_INSERT)
        esse_out_f(sql, "INSERT INTO %s %s RETURNING %s", table->name, statement->rest,
                   table->list);
    else if (statement->kind == ESSE_OWN_DELETE)
        esse_out_f(sql, "DELETE FROM %s %s RETURNING %s", table->name, statement->rest,
                   table->list);
    else if (statement->kind != ESSE_OWN_UPDATE)
        esse_own_put_select(sql, schema, statement);
    if (statement->kind == ESSE_OWN_UPDATE)
        code = update(own, db, schema, statement);
    else
        code = collect(db, sql, &own->cells);
    esse_cells_done(&own->cells);
    reply->cells = own->cells.at.at;
    reply->cell_count = own->cells.at.count;
    return code;
}

bool esse_sqlite_own_rows(struct esse_target *target, uint32_t table, struct esse_cells *cells,
                          struct esse_error *err)
{
    const struct esse_own_schema *schema = target->schema->own;
    struct esse_out sql;
    esse_out_init_memory(&sql, target->arena);
    esse_own_put_select(&sql, schema, &(struct esse_own_statement){ .table = table, .rest = "" });
    return collect(target->main, &sql, cells) == SQLITE_DONE ||
           esse_fail(err, ESSE_EUNAVAILABLE, "SQLite refused to show the table %s: %s",
                     schema->tables[table].name, sqlite3_errmsg(target->main));
}
