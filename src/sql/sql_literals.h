#ifndef ESSE_SQL_SQL_LITERALS_H
#define ESSE_SQL_SQL_LITERALS_H

#include "sql/datum.h"
#include "sql/schema.h"

/*
 * A text taken apart: its shape, which is the text without its numbers and strings, and their
 * values.  Texts of one shape are compiled once.  A number's kind (integer, bigint, decimal) is
 * part of the shape, because types depend on it.  Private to sql/.
 *
 * Cost: O(length).
 */
struct sql_literal {
    uint32_t at; /* byte of the text, from 0 */
    struct esse_type type;
};
ESSE_VEC(sql_literal_vec, struct sql_literal)
ESSE_VEC(sql_slot_vec, struct esse_datum)

struct sql_literals {
    struct esse_arena *arena; /* of what the literals point to; emptied each time */
    struct esse_u8_vec shape;
    struct sql_literal_vec at;
    struct sql_slot_vec values;
};

/* False if texts like this one are not shared: statements that make something. */
bool sql_take_apart(struct sql_literals *literals, enum esse_dialect dialect, const char *text,
                    size_t length);

/* The literal at this byte; UINT32_MAX: none. */
uint32_t sql_literal_at(const struct sql_literals *literals, uint32_t at);

#endif
