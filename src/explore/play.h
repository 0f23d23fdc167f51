#ifndef ESSE_EXPLORE_PLAY_H
#define ESSE_EXPLORE_PLAY_H

#include "explore/execution.h"

/*
 * An execution as statements for a database, in an order in which it can be played: what each
 * session sends, one after the other.  A program of SQL sends its own statements; of the small
 * language each variable is a row of a table, and what was read and written is sent literally.
 *
 * 1) A statement comes when its first read or write is due; those without any come with the next
 *    one that has some, or before the end.
 * 2) The last action of a transaction is its COMMIT or ROLLBACK.
 *
 * Cost: that of esse_execution_schedule().
 */
enum esse_play_kind { ESSE_PLAY_BEGIN, ESSE_PLAY_STATEMENT, ESSE_PLAY_END };

struct esse_play_action {
    enum esse_play_kind kind;
    uint32_t txn, session;
    const char *text;     /* without a semicolon; of BEGIN NULL: that is the level's */
    const char *expected; /* of a read of the small language: the value; or NULL */
};

struct esse_play {
    const struct esse_program *program;
    const char *const *setup;
    uint32_t setup_count;
    const struct esse_play_action *actions;
    uint32_t action_count;
    const char *invariant; /* the query that returns true unless it is broken; or NULL */
    const char *const *tables;
    uint32_t table_count;
    bool is_exact; /* on a clock it goes as it was found */
};

/* 'invariant': the number of the claim if it is one of SQL, else UINT32_MAX. */
void esse_play_make(struct esse_arena *arena, const struct esse_execution *execution,
                    uint32_t invariant, struct esse_play *play);

/* How a transaction begins there, NULL if that database has no such level. */
enum esse_play_server { ESSE_PLAY_POSTGRESQL, ESSE_PLAY_MARIADB, ESSE_PLAY_SQLITE };
const char *esse_play_begin(enum esse_play_server server, enum esse_axiom axiom);

/* For readers: what each session sends to PostgreSQL, in columns side by side, as psql takes it.
 * 'begins': the statement with which each transaction begins. */
void esse_play_put_script(struct esse_out *out, const struct esse_play *play,
                          const char *const *begins);
/* A spec for PostgreSQL's isolation tester. */
void esse_play_put_spec(struct esse_out *out, const struct esse_play *play,
                        const char *const *begins);

#endif
