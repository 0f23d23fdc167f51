#include "collect/driver/postgresql/postgresql.h"

#include "base/out.h"

#include <stdlib.h>
#include <string.h>

/*
 * Statements of the user's own.  Each becomes one statement that answers (snapshot, xid, cells
 * ...), with a row of NULLs where there is nothing.
 *
 * RETURNING gives rows as they have become.  How they were before an UPDATE a locking SELECT of the
 * same rows gives, which the UPDATE is joined with: at READ COMMITTED too both look at the newest
 * version, since the lock keeps it so.
 */

/* "id AS esse_0, owner AS esse_1": names that no column has. */
static void put_renamed(struct esse_out *out, const struct esse_own_table *table)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        esse_out_f(out, "%s%s AS esse_%u", i ? ", " : "", table->columns[i], i);
}

static void put_both(struct esse_out *out, const struct esse_own_table *table)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        esse_out_f(out, "%sesse_%u", i ? ", " : "", i);
    for (uint32_t i = 0; i < table->column_count; i++)
        esse_out_f(out, ", %s.%s", table->name, table->columns[i]);
}

static void put_update(struct esse_out *out, const struct esse_own_table *table,
                       const struct esse_own_statement *statement)
{
    esse_out_text(out, "WITH esse_old AS (SELECT ");
    put_renamed(out, table);
    esse_out_f(out, " FROM %s %s FOR UPDATE), esse_new AS (UPDATE %s SET %s FROM esse_old WHERE ",
               table->name, statement->rest, table->name, statement->set);
    for (uint32_t i = 0; i < table->key_count; i++)
        esse_out_f(out, "%s%s.%s = esse_%u", i ? " AND " : "", table->name, table->columns[i], i);
    esse_out_text(out, " RETURNING ");
    put_both(out, table);
    esse_out_text(out, ") SELECT " ESSE_PG_SEEN ", " ESSE_PG_ID
                       ", esse_new.* FROM (SELECT 1) one LEFT JOIN esse_new ON true");
}

static void put_change(struct esse_out *out, const struct esse_own_table *table,
                       const struct esse_own_statement *statement)
{
    const char *verb = statement->kind == ESSE_OWN_INSERT ? "INSERT INTO" : "DELETE FROM";
    esse_out_f(out,
               "WITH esse_new AS (%s %s %s RETURNING %s) SELECT " ESSE_PG_SEEN ", " ESSE_PG_ID
               ", esse_new.* FROM (SELECT 1) one LEFT JOIN esse_new ON true",
               verb, table->name, statement->rest, table->list);
}

void esse_pg_own_put(struct esse_out *out, const struct esse_own_schema *schema,
                     const struct esse_own_statement *statement)
{
    const struct esse_own_table *table = &schema->tables[statement->table];
    out->count = 0;
    if (statement->kind == ESSE_OWN_UPDATE) {
        put_update(out, table, statement);
    } else if (statement->kind >= ESSE_OWN_INSERT) {
        put_change(out, table, statement);
    } else {
        esse_out_text(out,
                      "SELECT " ESSE_PG_SEEN ", NULL, esse_rows.* FROM (SELECT 1) one LEFT JOIN (");
        esse_own_put_select(out, schema, statement);
        esse_out_text(out, ") esse_rows ON true");
    }
}

/* ---- what it answers ---- */

enum { BOOLEAN = 16, BIGINT = 20, SMALLINT = 21, INTEGER = 23, NUMERIC = 1700 }; /* pg_type.dat */

static bool is_integer(Oid type, const char *text)
{
    return type == BIGINT || type == SMALLINT || type == INTEGER ||
           (type == NUMERIC && strlen(text) < 19 && !strpbrk(text, ".NI"));
}

static void take_cell(const PGresult *result, int row, int column, struct esse_cells *cells)
{
    const Oid type = PQftype(result, column);
    const char *text = PQgetvalue(result, row, column);
    if (PQgetisnull(result, row, column))
        esse_cells_add(cells, ESSE_CELL_NULL, 0, NULL, 0);
    else if (is_integer(type, text))
        esse_cells_add(cells, ESSE_CELL_INTEGER, strtoll(text, NULL, 10), NULL, 0);
    else if (type == BOOLEAN)
        esse_cells_add(cells, ESSE_CELL_BOOLEAN, *text == 't', NULL, 0);
    else
        esse_cells_add(cells, ESSE_CELL_TEXT, 0, text, strlen(text));
}

void esse_pg_own_take(const PGresult *result, int from, bool is_aggregate, struct esse_cells *cells)
{
    for (int row = 0; row < PQntuples(result); row++)
        for (int column = from;
             (is_aggregate || !PQgetisnull(result, row, from)) && column < PQnfields(result);
             column++)
            take_cell(result, row, column, cells);
    esse_cells_done(cells);
}

bool esse_pg_own_rows(struct esse_target *target, uint32_t table, struct esse_cells *cells,
                      struct esse_error *err)
{
    struct esse_out sql;
    esse_out_init_memory(&sql, target->arena);
    esse_own_put_select(&sql, target->schema->own,
                        &(struct esse_own_statement){ .table = table, .rest = "" });
    PGresult *result = PQexec(target->main, esse_out_memory(&sql));
    const bool ok = PQresultStatus(result) == PGRES_TUPLES_OK;
    if (ok)
        esse_pg_own_take(result, 0, false, cells);
    else
        esse_url_fail(target->url,
                      esse_arena_format(target->arena,
                                        "the database refused to show the table %s: ",
                                        target->schema->own->tables[table].name),
                      PQerrorMessage(target->main), err);
    PQclear(result);
    return ok;
}
