#ifndef ESSE_COLLECT_DRIVER_TALK_H
#define ESSE_COLLECT_DRIVER_TALK_H

#include "collect/url.h"

/*
 * A session with a server to which any statement can be sent, and which is asked later for the
 * answer: for playing a few statements, not for running many.  One table row a kind of server.
 *
 *     struct esse_talk *talk = esse_talk_open(arena, kind, url, "play1", &err);
 *     esse_talk_send(talk, "UPDATE ...");
 *     if (esse_talk_wait(talk, 0.3, &answer)) ... it has answered; otherwise it waits for a lock
 *     esse_talk_close(talk);
 *
 * 1) One statement at a time: send() only after the answer to the one before.
 * 2) An answer is good until the next one of the same session.
 * 3) A session that is lost answers with an error, to everything.
 */
struct esse_talk_answer {
    bool is_error;
    char code[16];        /* "40001" */
    char text[ESSE_SAID]; /* what the server said */
    const char *first; /* the first value of the first row; NULL if there is none, or it is NULL */
    const char *rows;  /* "(1, t) (2, f)", the first of them */
    size_t count;
};

struct esse_talk {
    const struct esse_talker *kind;
    struct esse_arena *arena;
    const struct esse_url *url;
    void *handle;  /* the library's */
    int waits_for; /* MariaDB: what its library waits for */
    bool is_open, is_sent;
};

struct esse_talker {
    const char *name; /* "postgresql" */
    bool (*load)(struct esse_error *err);
    bool (*open)(struct esse_talk *talk, const char *database, struct esse_error *err);
    void (*send)(struct esse_talk *talk, const char *text);
    bool (*wait)(struct esse_talk *talk, double seconds, struct esse_talk_answer *answer);
    void (*close)(struct esse_talk *talk);
};

extern const struct esse_talker esse_talker_postgresql, esse_talker_mariadb;

/* 'database' NULL: the URL's. */
struct esse_talk *esse_talk_open(struct esse_arena *arena, const struct esse_talker *kind,
                                 const struct esse_url *url, const char *database,
                                 struct esse_error *err);
void esse_talk_send(struct esse_talk *talk, const char *text);
/* False: no answer within this time. */
bool esse_talk_wait(struct esse_talk *talk, double seconds, struct esse_talk_answer *answer);
/* Sends, and waits as long as it takes, for a minute at most. */
void esse_talk_ask(struct esse_talk *talk, const char *text, struct esse_talk_answer *answer);
void esse_talk_close(struct esse_talk *talk);

/* ---- for talk_*.c ---- */

void esse_talk_fail(const struct esse_talk *talk, struct esse_talk_answer *answer, const char *code,
                    const char *said);
/* One more row: texts, or NULL. */
void esse_talk_row(struct esse_talk *talk, struct esse_talk_answer *answer,
                   const char *const *values, unsigned count);

#endif
