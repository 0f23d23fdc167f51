#ifndef ESSE_COLLECT_DRIVER_MYSQL_MYSQL_INSERT_H
#define ESSE_COLLECT_DRIVER_MYSQL_MYSQL_INSERT_H

#include "base/out.h"
#include "workload/own.h"

/*
 * Where the rows of an INSERT ... VALUES are found again, for MySQL, whose INSERT has no RETURNING.
 *
 * The keys are taken from VALUES as the expressions that they are, so they must mean the same when
 * they are evaluated again: numbers, texts, parameters and what is computed of them.  A key of one
 * column that is left out, NULL or DEFAULT is AUTO_INCREMENT's, and LAST_INSERT_ID() returns it if
 * one row was inserted.
 */

/* " WHERE (night = 1 AND seat = 'C1') OR (...)".  'columns' are the table's in the database's order
 * for a statement that names none, NULL-terminated; 'rest' is all after the table.  False if the
 * keys cannot be found out. */
bool esse_mysql_put_inserted(struct esse_out *sql, const struct esse_own_table *table,
                             const char *const *columns, const char *rest);

#endif
