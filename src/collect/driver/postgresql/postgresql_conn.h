#ifndef ESSE_COLLECT_DRIVER_POSTGRESQL_POSTGRESQL_CONN_H
#define ESSE_COLLECT_DRIVER_POSTGRESQL_POSTGRESQL_CONN_H

#include "base/out.h"
#include "collect/driver/postgresql/postgresql.h"

/*
 * The inside of a connection, shared only by the files that it is made of.
 *
 * It is in libpq's pipeline mode.  A request is one or more statements, its parts, and a sync, sent
 * at once: BEGIN goes along with the first operation, and a statement is prepared along with its
 * first use.  After an error the server passes over the rest up to the sync, so a COMMIT that
 * stands behind a failed statement is not done.
 *
 * postgresql_send.c sends a request, postgresql_conn.c connects and waits for
 * results, postgresql_answers.c puts each into the reply, and postgresql_error.c says
 * what an error means.
 */

/* What the results that come belong to, in the order of sending. */
enum esse_pg_part {
    ESSE_PART_BEGIN,
    ESSE_PART_PREPARE,
    ESSE_PART_OPERATION,
    ESSE_PART_TIME,
    ESSE_PART_END
};
enum { ESSE_PG_PARTS = 6 };

struct esse_pg_conn {
    struct esse_conn head;
    struct esse_target *target;
    struct esse_arena *arena;
    PGconn *pg;
    struct esse_request request;
    bool is_connecting;
    bool session_is_due; /* the dialect's first statement was not sent */
    bool begin_is_due;   /* BEGIN was asked for and not sent */
    bool *prepared;      /* ESSE_STATEMENTS for each table */
    size_t statement;    /* being prepared */
    enum esse_pg_part parts[ESSE_PG_PARTS];
    unsigned part_count, part;
    bool has_failed; /* reply->failure is filled */
    int64_t xid;     /* of the open transaction, or ESSE_NO_ID */
    bool has_written;
    int64_t time; /* when it commits, or ESSE_NO_ID */
    struct esse_live_list list;
    struct esse_live_row_vec rows;
    struct esse_out sql; /* of an own statement, and its answer */
    struct esse_cells cells;
    char snapshot[ESSE_PG_SNAPSHOT];
    unsigned host;                 /* that it is connected to */
    struct esse_pg_shadow *shadow; /* NULL: nothing is verified */
    bool is_shadowing;             /* the reply is there, its shadow is being asked */
    char exported[64];             /* the snapshot's name for the shadow; "": nothing to verify */
};

/* Sends conn->request; false if libpq cannot. */
bool esse_pg_send(struct esse_pg_conn *conn);
/* The statement that an operation is. */
enum esse_statement esse_pg_statement(const struct esse_pg_conn *conn);

/* Takes a result of the part that is being done: into the reply, or its failure. */
void esse_pg_take(struct esse_pg_conn *conn, PGresult *result, struct esse_reply *reply);

#endif
