#ifndef ESSE_COLLECT_DRIVER_POSTGRESQL_POSTGRESQL_ERROR_H
#define ESSE_COLLECT_DRIVER_POSTGRESQL_POSTGRESQL_ERROR_H

#include "collect/driver.h"

/*
 * What an error of PostgreSQL, CockroachDB or H2 means for the transaction, by its SQLSTATE and its
 * severity, which may be NULL: fills fate, is_lost and is_fatal, and nothing else.  'is_commit': it
 * is COMMIT's own answer.  An OPEN transaction may turn out to have ended, if the session is
 * outside of any afterwards.
 */
void esse_pg_classify(const char *code, const char *severity, bool is_commit,
                      struct esse_failure *failure);

#endif
