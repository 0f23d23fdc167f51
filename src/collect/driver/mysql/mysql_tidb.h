#ifndef ESSE_COLLECT_DRIVER_MYSQL_MYSQL_TIDB_H
#define ESSE_COLLECT_DRIVER_MYSQL_MYSQL_TIDB_H

#include "collect/driver.h"

#include <stdatomic.h>

/*
 * What is different in TiDB (mysql_tidb.c): transactions are known by their start_ts and
 * report when they committed, and the versions of a row are asked for over HTTP when the run ends.
 * docs/design/live-cockroachdb-tidb.md.
 */
struct esse_tidb_log;

struct esse_tidb {
    const char *status;   /* HOST:PORT of the HTTP API */
    bool is_asked;        /* transactions ask for their start_ts: there is a certificate */
    bool is_timed;        /* and for their commit_ts: all that they look at has a time */
    _Atomic bool has_gap; /* a time was not reported */
    struct esse_tidb_log *log;
};

/* What the URL says; ESSE_EUSAGE. */
bool esse_tidb_open(struct esse_target *target, struct esse_error *err);

/* A row that is written, so that its versions are asked for.  By any thread. */
void esse_tidb_wrote(struct esse_tidb *tidb, uint32_t table, int64_t row);

/* The number behind "NAME": in a text such as @@tidb_last_txn_info; ESSE_NO_ID if there is none. */
int64_t esse_tidb_number(const char *info, const char *name);

extern const struct esse_certifying esse_tidb_certifying;

#endif
