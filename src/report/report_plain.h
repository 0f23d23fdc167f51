#ifndef ESSE_REPORT_REPORT_PLAIN_H
#define ESSE_REPORT_REPORT_PLAIN_H

#include "report/report.h"

/*
 * Anomalies for people who do not know their names, from the tables in level/: what happened, which
 * level and which databases prevent it, what to do.
 */

/* One paragraph about a type, without a line's end; NULL if there is nothing to say.  The database
 * that the history's header names comes first among those that prevent it. */
const char *esse_plain_words(struct esse_arena *arena, const struct esse_history *history,
                             enum esse_anomaly_id type);

/* The same in lines of at most a hundred columns, indented. */
void esse_plain_put(struct esse_out *out, const char *words, unsigned indent);

/* What must be said where repeatable-read is asked for or ruled out; NULL if it is not. */
const char *esse_plain_note(const struct esse_result *result);

#endif
