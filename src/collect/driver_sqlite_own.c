#include "collect/driver_sqlite.h"

#include "base/out.h"

#include <stdlib.h>

/*
 * Statements of the user's own.  SQLite's RETURNING tells rows as they have become; how they were
 * before an UPDATE a SELECT of the same rows tells, in the same transaction and with nobody
 * between, since it answers within one step.
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

static bool is_same(const struct esse_own_cell *a, const struct esse_own_cell *b)
{
    if (a->kind != b->kind || a->kind != ESSE_CELL_TEXT)
        return a->kind == b->kind && a->number == b->number;
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* The row with this key as it was; they mostly come in the same order. */
static const struct esse_own_cell *find_old(const struct esse_cells *old, size_t width,
                                            size_t guess, const struct esse_own_cell *key)
{
    if (guess < old->at.count && is_same(&old->at.at[guess], key))
        return &old->at.at[guess];
    for (size_t i = 0; i < old->at.count; i += width)
        if (is_same(&old->at.at[i], key))
            return &old->at.at[i];
    return NULL;
}

/* Each row as it was and as it is.  False if one was not there: a trigger's doing. */
static bool join(struct esse_cells *to, const struct esse_cells *old, const struct esse_cells *new,
                 size_t width)
{
    for (size_t i = 0; i < new->at.count; i += width) {
        const struct esse_own_cell *was = find_old(old, width, i, &new->at.at[i]);
        if (!was)
            return false;
        for (size_t c = 0; c < width; c++)
            esse_cells_copy(to, &was[c]);
        for (size_t c = 0; c < width; c++)
            esse_cells_copy(to, &new->at.at[i + c]);
    }
    return true;
}

static int update(struct esse_sqlite_own *own, sqlite3 *db, const struct esse_own_schema *schema,
                  const struct esse_own_statement *statement)
{
    const struct esse_own_table *table = &schema->tables[statement->table];
    struct esse_out *sql = &own->sql;
    esse_cells_clear(&own->old);
    esse_cells_clear(&own->new);
    int code = collect(db, sql, &own->old);
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
    return join(&own->cells, &own->old, &own->new, table->column_count) ? code : SQLITE_INTERNAL;
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
    else
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
