#ifndef ESSE_COLLECT_DRIVER_LIVE_ROWS_H
#define ESSE_COLLECT_DRIVER_LIVE_ROWS_H

#include "base/out.h"
#include "base/vec.h"
#include "collect/stored.h"

/*
 * What drivers of SQL databases share: rows and lists of a reply, statements that are made from
 * templates, and tables made and removed.
 */

ESSE_VEC(esse_live_row_vec, struct esse_live_row)

/* Shows a list as the reply to a READ.  The text that the database gave is what a history has, and
 * need not be made into integers and back: that took 2 us of the 35 of a transaction on SQLite.  If
 * anything about it is strange (a sign, a zero in front, more than 16 digits), the reply has what
 * integers can be found in it.  What is shown stays until the next. */
struct esse_live_list {
    struct esse_out text;
    struct esse_live_items items;
};
void esse_live_list_init(struct esse_live_list *list, struct esse_arena *arena);
void esse_live_show_list(struct esse_live_list *list, const char *text, size_t length,
                         struct esse_reply *reply);

/* The statements that there are for a table. */
enum esse_statement {
    ESSE_SQL_READ,
    ESSE_SQL_LOOK, /* READ that returns its snapshot; few databases can */
    ESSE_SQL_WRITE,
    ESSE_SQL_INSERT,
    ESSE_SQL_APPEND,
    ESSE_SQL_DELETE,
    ESSE_SQL_RANGE,
    ESSE_SQL_CHANGE,
    ESSE_SQL_COUNT, /* from here on as enum esse_aggregate has them */
    ESSE_SQL_SUM,
    ESSE_SQL_MIN,
    ESSE_SQL_MAX,
    ESSE_STATEMENTS
};

enum esse_statement esse_statement_of(const struct esse_request *request);

/* Puts a template into 'sql': '%' becomes the table's name, '#' the condition, '@' the parameter
 * that is the new value of CHANGE.  'room' bytes; false if it does not fit. */
bool esse_statement_make(const char *pattern, const char *table, const char *condition,
                         const char *value, char *sql, size_t room);

/* May anything but a row by its key be asked for? */
bool esse_live_has_predicates(const struct esse_schema *schema);

/* Runs one statement; 'context' is the driver's. */
typedef bool esse_run_sql(void *context, const char *sql, struct esse_error *err);

/* Makes the tables anew, with what is there from the start: 'create' is a template with '%' for the
 * name and '#' for the type of v, which in a table of lists is 'list'.  Of a user's own tables runs
 * what sets them up. */
bool esse_live_make_tables(struct esse_arena *arena, const struct esse_schema *schema,
                           const char *create, const char *list, esse_run_sql *run, void *context,
                           struct esse_error *err);

/* Removes them again, whatever fails; of a user's own tables runs what tears them down. */
void esse_live_drop_tables(const struct esse_schema *schema, esse_run_sql *run, void *context);

#endif
