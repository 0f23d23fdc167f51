#ifndef ESSE_COLLECT_DRIVER_MYSQL_MYSQL_CONN_H
#define ESSE_COLLECT_DRIVER_MYSQL_MYSQL_CONN_H

#include "collect/driver/mysql/mysql.h"
#include "collect/driver/mysql/mysql_own.h"

/*
 * The inside of a connection, shared only by the files that it is made of.
 *
 * A request is some statements, its parts, which go out one after the other.  mysql_parts.c
 * puts them together; mysql_conn.c connects, sends each and waits for its answer, through
 * libmariadb's calls that do not block; mysql_answers.c puts the answer into the reply, and
 * mysql_times.c what TiDB reports of its times; mysql_error.c says what an error means.
 */
enum { ESSE_MYSQL_PARTS = 6, ESSE_MYSQL_SQL = 2000 };

/* What a statement's answer is for. */
enum esse_mysql_answer {
    ESSE_ANSWER_NONE,
    ESSE_ANSWER_REPLY, /* its rows are the reply's */
    ESSE_ANSWER_GTID,  /* the last commit of this connection */
    ESSE_ANSWER_SEEN,  /* the last commit in the log */
    ESSE_ANSWER_START, /* TiDB's start_ts; of a statement that wrote, what it looked at; commit_ts
                        */
    ESSE_ANSWER_LOOKED,
    ESSE_ANSWER_COMMITTED,
    ESSE_ANSWER_OWN, /* of the user's own statement: all; rows before a change; rows after it;
                        none, of an INSERT without RETURNING */
    ESSE_ANSWER_OLD,
    ESSE_ANSWER_NEW,
    ESSE_ANSWER_INSERTED,
};

struct esse_mysql_part {
    const char *text;
    enum esse_mysql_answer answer;
    bool is_commit;
    char sql[ESSE_MYSQL_SQL]; /* room for a text that is made for this part */
};

enum esse_mysql_phase { ESSE_MYSQL_CONNECT, ESSE_MYSQL_QUERY, ESSE_MYSQL_STORE };

struct esse_mysql_conn {
    struct esse_conn head;
    struct esse_target *target;
    struct esse_arena *arena;
    uint32_t session;
    MYSQL *mysql;  /* the link in use, NULL if there is none */
    MYSQL **links; /* by host */
    unsigned hosts, host;
    struct esse_request request;
    /* the transaction */
    bool begin_is_due; /* BEGIN was asked for and not sent */
    bool needs_id;     /* its id is worth asking for */
    int64_t gtid;      /* the last that was reported, during a COMMIT */
    int64_t name;      /* if the target is naming */
    int64_t start_ts;  /* or ESSE_NO_ID */
    bool has_written;  /* it has an effect */
    /* the request's parts, and the one that is being done */
    struct esse_mysql_part parts[ESSE_MYSQL_PARTS];
    unsigned part_count, part;
    enum esse_mysql_phase phase;
    bool is_running; /* the phase has been started */
    int waiting;     /* what for, in MYSQL_WAIT_ bits */
    MYSQL *connected;
    int status;
    MYSQL_RES *result;
    /* what the reply points at */
    struct esse_live_list list;
    struct esse_live_row_vec rows;
    struct esse_mysql_own own;
};

/* Whether its COMMIT must be answered for its place in the log to be known. */
static inline bool esse_mysql_waits_for_place(const struct esse_mysql_conn *conn)
{
    return conn->needs_id && conn->target->schema->own && !conn->target->is_naming;
}

/* ---- mysql_parts.c ---- */

/* What a session begins with. */
void esse_mysql_put_setup(struct esse_mysql_conn *conn);
/* What conn->request asks for, with BEGIN before it if that is due.  False: it is too long. */
bool esse_mysql_put_request(struct esse_mysql_conn *conn);
/* One more behind them; 'text' must live as long as the request. */
void esse_mysql_add_part(struct esse_mysql_conn *conn, const char *text,
                         enum esse_mysql_answer answer);

/* ---- mysql_answers.c, mysql_times.c ---- */

/* Takes conn->result, which may be NULL, for the part that is being done.  It may add parts.  False
 * if the rows of a user's own statement cannot be found out; conn->own.trouble says why. */
bool esse_mysql_take(struct esse_mysql_conn *conn, struct esse_reply *reply);

/* A text's number; ESSE_ABSENT for NULL. */
int64_t esse_mysql_number(const char *text);

/* One of TiDB's times; the target remembers if it was not reported. */
void esse_mysql_take_time(struct esse_mysql_conn *conn, enum esse_mysql_answer answer,
                          struct esse_reply *reply);
/* If the request has written, and the server is TiDB: which rows, and by which transaction. */
void esse_mysql_note_written(struct esse_mysql_conn *conn, struct esse_reply *reply);

#endif
