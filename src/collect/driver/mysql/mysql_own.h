#ifndef ESSE_COLLECT_DRIVER_MYSQL_MYSQL_OWN_H
#define ESSE_COLLECT_DRIVER_MYSQL_MYSQL_OWN_H

#include "base/out.h"
#include "collect/driver/client_libmariadb.h"
#include "workload/own.h"

/*
 * Statements of the user's own for MariaDB, which has RETURNING for INSERT and not for UPDATE, and
 * for MySQL, which has neither: there the rows of an INSERT are selected by their keys
 * (mysql_insert.h).
 *
 * UPDATE and DELETE are three statements.  The first selects the rows FOR UPDATE: how they were, as
 * the newest version has them, and from now on no other transaction changes them.  The second
 * changes exactly those, by their keys; with the statement's own WHERE it might find others at READ
 * COMMITTED, where nothing keeps new rows out.  The third, of UPDATE, selects them FOR UPDATE
 * again: how they are.  (A plain SELECT would show a row that the UPDATE left as it was in the
 * transaction's older snapshot.)
 */
struct esse_mysql_own {
    struct esse_out first, change, after; /* texts of statements */
    struct esse_cells cells, old, new;
    const char *trouble; /* why the rows of a statement cannot be found out */
};

void esse_mysql_own_init(struct esse_mysql_own *own, struct esse_arena *arena);

/* What is sent first; of SELECT, AGGREGATE and INSERT all there is. */
const char *esse_mysql_own_first(struct esse_mysql_own *own, const struct esse_own_schema *schema,
                                 const struct esse_own_statement *statement, bool has_returning);

/* What finds the rows of an INSERT without RETURNING; NULL if that cannot be. */
const char *esse_mysql_own_inserted(struct esse_mysql_own *own,
                                    const struct esse_own_schema *schema,
                                    const struct esse_own_statement *statement,
                                    const char *const *columns);

/* What follows, when 'old' has the rows that were locked, of which there are some. */
void esse_mysql_own_follow(struct esse_mysql_own *own, const struct esse_own_schema *schema,
                           const struct esse_own_statement *statement);

/* The rows of a result; the cells are done. */
void esse_mysql_own_take(struct esse_cells *cells, MYSQL_RES *result);

#endif
