#ifndef ESSE_FORMATS_LOG_READ_H
#define ESSE_FORMATS_LOG_READ_H

#include "formats/formats.h"
#include "history/sql_log.h"

/*
 * Reads a log of SQL transactions, docs/formats.md: what esse audit judges.
 *
 *  1. Bad input is an error with line, column, what was found and what was expected; nothing is
 *     left half-read for the caller.
 *  2. Ids of transactions are unique; without 'txn' they are session/index.
 *  3. 'order' and the name of a prepared statement refer to what is there.
 *
 * Cost: one pass, at about the speed of scanning.
 */
extern const struct esse_format esse_format_log;

bool esse_log_load(struct esse_arena *arena, const char *path, struct esse_budget *budget,
                   struct esse_sql_log **out, struct esse_error *err);

/* The same from a source that is open. */
bool esse_log_read(struct esse_arena *arena, struct esse_source *source, struct esse_sql_log **out,
                   struct esse_error *err);

#endif
