#ifndef ESSE_COLLECT_DRIVER_SQLITE_SQLITE_H
#define ESSE_COLLECT_DRIVER_SQLITE_SQLITE_H

#include "base/out.h"
#include "base/vec.h"
#include "collect/driver.h"
#include "collect/driver/drivers.h"

#include <pthread.h>
#include <stdatomic.h>

#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

/* The inside of the driver, shared by sqlite.c (targets) and sqlite_conn.c
 * (connections) alone. */
#pragma weak sqlite3_preupdate_hook
#pragma weak sqlite3_preupdate_new

struct esse_sqlite_version {
    uint64_t commit, place; /* 'place': in the log, so that sorting by commit keeps the order */
    uint32_t table;
    int64_t row, value;
};
ESSE_VEC(esse_sqlite_version_vec, struct esse_sqlite_version)

struct esse_target {
    struct esse_arena *arena;
    const char *file; /* as sqlite3_open_v2 takes it */
    char *directory;  /* ours, to be removed; NULL if the file is the user's */
    bool is_shared;   /* one cache, and reads of what is not committed */
    bool is_deferred; /* writers begin like readers */
    const char *journal, *synchronous;
    double busy_seconds;
    const struct esse_schema *schema;
    sqlite3 *main; /* keeps a shared cache alive, and cleans up */
    bool has_hooks;
    /* The table esse_commits holds the number of commits, so that what a transaction sees can be
     * found out: only where predicates need that, since every writer then writes that row too. */
    bool is_counting;
    _Atomic uint64_t commits;
    uint64_t counted; /* of those that are counted: the last that committed */
    pthread_mutex_t lock;
    struct esse_arena *log_arena;
    struct esse_sqlite_version_vec log;
};

/* What a connection needs for statements of the user's own. */
struct esse_sqlite_own {
    struct esse_out sql;
    struct esse_cells cells, old, new;
};

void esse_sqlite_own_init(struct esse_sqlite_own *own, struct esse_arena *arena);
/* Runs a statement and fills reply->cells, good until the next one.  SQLITE_DONE, or what is wrong.
 */
int esse_sqlite_own(struct esse_sqlite_own *own, sqlite3 *db, const struct esse_own_schema *schema,
                    const struct esse_own_statement *statement, struct esse_reply *reply);
bool esse_sqlite_own_rows(struct esse_target *target, uint32_t table, struct esse_cells *cells,
                          struct esse_error *err);

/* NULL if the database cannot be opened. */
sqlite3 *esse_sqlite_connect(struct esse_target *target);

struct esse_conn *esse_sqlite_conn(struct esse_target *target, struct esse_arena *arena,
                                   uint32_t session);
enum esse_progress esse_sqlite_start(struct esse_conn *head, const struct esse_request *request,
                                     struct esse_reply *reply);
enum esse_progress esse_sqlite_step(struct esse_conn *head, struct esse_reply *reply);
void esse_sqlite_drop(struct esse_conn *head);

#endif
