#ifndef ESSE_COLLECT_STORED_H
#define ESSE_COLLECT_STORED_H

#include "base/vec.h"
#include "collect/driver.h"
#include "history/values.h"

/* How databases store what a schema has, for drivers and for what reads their logs: a table is
 * called esse_NAME, and a list is the text of its integers with commas between. */

ESSE_VEC(esse_live_items, int64_t)

/* The integers of a list's text. */
void esse_live_parse_list(struct esse_live_items *items, struct esse_arena *arena,
                          const char *text);

/* The last of them; ESSE_ABSENT if there is none. */
int64_t esse_live_last_item(const char *text, size_t length);

/* The number of the table that the database calls 'name', esse_NAME; that of tables, and false, if
 * it is none of the schema's. */
bool esse_live_find_table(const struct esse_schema *schema, struct esse_span name, uint32_t *table);

#endif
