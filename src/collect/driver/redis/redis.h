#ifndef ESSE_COLLECT_DRIVER_REDIS_REDIS_H
#define ESSE_COLLECT_DRIVER_REDIS_REDIS_H

#include "collect/driver/client_hiredis.h"
#include "collect/driver/draft.h"
#include "collect/driver/wire.h"

/*
 * Redis, by WATCH, MULTI and EXEC (docs/design/live-etcd-redis.md).  Two files: the target
 * (redis.c) and its connections (redis_conn.c).  hiredis reads what the server says;
 * the socket is ours, since its own contexts do not show how much of a command has gone out.
 *
 * A row is the key esse:TABLE:ROW, a string or a list.
 */
#define ESSE_REDIS_PREFIX "esse:"

struct esse_target {
    struct esse_arena *arena;
    const struct esse_url *url; /* with the password of the environment, if it has none itself */
    const char *database;       /* a number; NULL: 0 */
    bool is_loose; /* does not WATCH what it reads, but for lists that it has appended to */
    double connect_seconds;
    struct esse_wire_host *hosts;
    size_t host_count;
    bool is_reached; /* a server has answered */
    const struct esse_schema *schema;
    struct esse_redis_conn *main; /* makes the schema and removes it */
};

struct esse_redis_conn {
    struct esse_conn head;
    struct esse_target *target;
    struct esse_arena *arena;
    const struct esse_wire_host *host;
    struct esse_wire wire;
    redisReader *reader;
    unsigned awaited;      /* answers still to come */
    redisReply *answer;    /* the last that came; ours to free */
    char error[ESSE_SAID]; /* the first error among the answers of one request; "" if none */
    bool has_watched;
    struct esse_draft draft;
    struct esse_draft_row *row; /* what is read just now */
    struct esse_request request;
};

struct esse_conn *esse_redis_conn(struct esse_target *target, struct esse_arena *arena,
                                  uint32_t session);
enum esse_progress esse_redis_start(struct esse_conn *conn, const struct esse_request *request,
                                    struct esse_reply *reply);
enum esse_progress esse_redis_step(struct esse_conn *conn, struct esse_reply *reply);
void esse_redis_drop(struct esse_conn *conn);

/* Commands of one request go out together; 'next' before the first.  A command is its words, each
 * a string, ended by NULL. */
void esse_redis_next(struct esse_redis_conn *conn);
void esse_redis_command(struct esse_redis_conn *conn, const char *word, ...);

/* Connects, and sends what was commanded, waiting for all the answers until 'deadline' of
 * esse_clock_ns(); 'said' is what was wrong, an error among the answers too. */
bool esse_redis_connect_now(struct esse_redis_conn *conn, unsigned host, int64_t deadline,
                            char said[ESSE_SAID]);
bool esse_redis_ask_now(struct esse_redis_conn *conn, int64_t deadline, char said[ESSE_SAID]);

/* What an error says of a single command, by its first word: nothing was done, and whether trying
 * again is worth it. */
void esse_redis_classify(const char *error, struct esse_failure *failure);

#endif
