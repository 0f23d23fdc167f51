#ifndef ESSE_EXPLORE_SQL_PROGRAM_H
#define ESSE_EXPLORE_SQL_PROGRAM_H

#include "explore/program.h"
#include "workload/script.h"

/*
 * A workload file as a program to be explored: its statements run on exec/, in PostgreSQL's dialect
 * (docs/design/explore.md, "SQL").  Every key of a table is a variable, whose value is the row, or
 * that it is absent.  A statement reads the keys that its WHERE ranges over, each once, and writes
 * those that it changes.
 *
 * 1) A transaction is run once for each sequence of values that it may read: what comes next is
 *    kept, so asking again costs a step in a tree.
 * 2) A key that is met and is no variable yet makes the program stale: the search ends, and again()
 *    has it.
 * 3) Any number of threads may ask; those that come to something new do so one after the other.
 *
 * Life: new -> ... -> free.  It looks at the script until then; what again() made lives as long.
 */
enum esse_sql_tables {
    ESSE_SQL_KEYS, /* every key is a variable */
    ESSE_SQL_SETS, /* and the set of its keys is one of each table, as in the literature */
};

bool esse_sql_program_new(const struct esse_script *script, enum esse_sql_tables tables,
                          const struct esse_program **out, struct esse_error *err);
/* NULL is fine, and so is a program of another kind. */
void esse_sql_program_free(const struct esse_program *program);

#endif
