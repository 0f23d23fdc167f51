#ifndef ESSE_SQL_SQL_TIME_H
#define ESSE_SQL_SQL_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Dates and timestamps without a time zone, as microseconds since the start of 1970; a date is its
 * midnight.  Years are 0001 to 9999.
 *
 * Cost: O(length).
 */
enum { SQL_TIME_TEXT = 32 };
#define SQL_DAY (INT64_C(86400) * 1000000)

/* 2024-01-05, then optionally a space or T and 10:20[:30[.123456]]; spaces around it. */
bool sql_time_parse(const char *text, size_t length, int64_t *time);

/* Its midnight. */
int64_t sql_time_date(int64_t time);

/* Writes it as PostgreSQL does in ISO style.  Returns the length. */
size_t sql_time_show(int64_t time, bool is_date, char text[SQL_TIME_TEXT]);

#endif
