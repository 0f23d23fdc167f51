#ifndef ESSE_COLLECT_DRIVER_ETCD_ETCD_H
#define ESSE_COLLECT_DRIVER_ETCD_ETCD_H

#include "collect/driver/draft.h"
#include "collect/driver/etcd/etcd_answer.h"
#include "collect/driver/http.h"

/*
 * etcd 3 through its JSON gateway (docs/design/live-etcd-redis.md).  Three files: the target
 * (etcd.c), its connections (etcd_conn.c), and its log, which is a watch
 * (etcd_log.c).
 *
 * A row is the key esse/TABLE/ROW, its value the number or the list as a text.
 */
#define ESSE_ETCD_PREFIX "esse/"

struct esse_etcd_log;

struct esse_target {
    struct esse_arena *arena;
    const struct esse_url *url;
    bool is_loose; /* reads are not held to; appending to a list is, since it is put back whole */
    bool is_blind; /* nothing is: a commit asks for nothing */
    bool is_stale; /* the node that is asked may answer from what it has */
    double connect_seconds;
    struct esse_wire_host *hosts;
    size_t host_count;
    bool is_reached; /* a server has answered */
    const struct esse_schema *schema;
    struct esse_etcd_conn *main; /* makes the schema and removes it */
    struct esse_etcd_log *log;
};

struct esse_etcd_conn {
    struct esse_conn head;
    struct esse_target *target;
    struct esse_arena *arena;
    const struct esse_wire_host *host;
    struct esse_http http;
    struct esse_etcd_answer answer;
    struct esse_out body;  /* of the request that is being made */
    struct esse_out token; /* empty: none */
    struct esse_draft draft;
    struct esse_draft_row *row; /* what is read just now */
    struct esse_request request;
    bool is_authenticating;
    int64_t revision; /* what the transaction reads at; 0: nothing was read yet */
};

struct esse_conn *esse_etcd_conn(struct esse_target *target, struct esse_arena *arena,
                                 uint32_t session);
enum esse_progress esse_etcd_start(struct esse_conn *conn, const struct esse_request *request,
                                   struct esse_reply *reply);
enum esse_progress esse_etcd_step(struct esse_conn *conn, struct esse_reply *reply);
void esse_etcd_drop(struct esse_conn *conn);

/* A text as etcd's JSON wants it: in base64, in quotes. */
void esse_etcd_put_text(struct esse_out *out, const char *text, size_t length);

/* Sends what is in 'body'. */
void esse_etcd_ask(struct esse_etcd_conn *conn, const char *path);

/* Connects to a host, and asks what is in 'body', waiting for the answer until 'deadline' of
 * esse_clock_ns(); 'said' is what was wrong. */
bool esse_etcd_connect_now(struct esse_etcd_conn *conn, unsigned host, int64_t deadline,
                           char said[ESSE_SAID]);
bool esse_etcd_ask_now(struct esse_etcd_conn *conn, const char *path, int64_t deadline,
                       char said[ESSE_SAID]);

/* The same on the target's own connection, which is made again if it was lost. */
bool esse_etcd_ask_main(struct esse_target *target, const char *path, struct esse_error *err);
/* The body for that: empty. */
struct esse_out *esse_etcd_body(struct esse_target *target);

extern const struct esse_certifying esse_etcd_certifying;

#endif
