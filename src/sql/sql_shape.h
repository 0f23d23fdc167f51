#ifndef ESSE_SQL_SQL_SHAPE_H
#define ESSE_SQL_SQL_SHAPE_H

#include "sql/sql_expr.h"

/*
 * Texts that differ in nothing but their integers, "v >= 3 AND v < 9" and "v >= 12 AND v < 20", are
 * parsed once: the others get a copy of the tree with their own numbers in it.  Clients that fill
 * numbers into a statement make as many texts as calls, and the parser takes longer than all the
 * rest of a check.  Private to sql/.
 *
 * Only texts of plain letters, digits, blanks, parentheses, commas and operators take part, and
 * only shapes in whose tree every integer is found again as a constant.
 *
 * Cost: O(length of the text) for a known shape, about a microsecond instead of forty.
 */
struct sql_shapes;
struct sql_shapes *sql_shapes_new(struct esse_arena *arena);

/* What a text whose shape is known is parsed into, or NULL. */
const struct sql_select *sql_shapes_get(struct sql_shapes *shapes, struct esse_span text);

/* Takes the shape of a text that was parsed. */
void sql_shapes_add(struct sql_shapes *shapes, struct esse_span text,
                    const struct sql_select *select);

#endif
