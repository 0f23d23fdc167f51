#ifndef ESSE_SQL_SQL_NUMBER_H
#define ESSE_SQL_SQL_NUMBER_H

#include "base/arena.h"
#include "sql/datum.h"
#include "sql/sql_decimal.h"

/* What the files of data and casts share.  Private to sql/. */

/* An INT or DECIMAL as a decimal, and back as a DECIMAL. */
struct sql_decimal sql_number_decimal(struct esse_datum number);
struct esse_datum sql_number_datum(struct esse_arena *arena, struct sql_decimal decimal);

/* "unsupported": more digits than Esse calculates with. */
bool sql_number_too_long(struct esse_fault *fault);

/* MySQL's quotient: four digits more after the point than the dividend has. */
bool sql_divide_mysql(struct esse_arena *arena, struct esse_datum a, struct esse_datum b,
                      struct esse_datum *result, struct esse_fault *fault);

enum { SQL_REAL_TEXT = 40 };
/* The shortest text that reads back as the number, as PostgreSQL writes it. */
size_t sql_real_show(double real, bool is_float4, char text[SQL_REAL_TEXT]);

#endif
