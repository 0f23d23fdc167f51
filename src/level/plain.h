#ifndef ESSE_LEVEL_PLAIN_H
#define ESSE_LEVEL_PLAIN_H

#include "level/level.h"

/*
 * Anomalies for people who do not know their names: what happened, where it must not, what to do
 * about it.  What is said here is true of every occurrence of the type.
 */
struct esse_plain {
    const char *happened; /* whole sentences */
    const char *also;     /* one more, or "" */
    const char *remedy;
};

/* False for umbrellas, which are never reported. */
bool esse_anomaly_plain(const struct esse_anomaly_type *type, struct esse_plain *plain);

/* The weakest level in common use that forbids it, and so do all that imply it: read-uncommitted,
 * read-committed, snapshot-isolation, serializable, or with sessions or time a strong one.  NULL if
 * none does. */
const struct esse_level *esse_anomaly_prevented_by(const struct esse_anomaly_type *type);

/* What is called repeatable-read here and REPEATABLE READ in databases are different levels. */
extern const char esse_repeatable_read_note[];

#endif
