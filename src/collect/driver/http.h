#ifndef ESSE_COLLECT_DRIVER_HTTP_H
#define ESSE_COLLECT_DRIVER_HTTP_H

#include "collect/driver/wire.h"

/*
 * HTTP/1.1 (RFC 9112), as much as a client of one server needs: GET, and POST of a JSON text, on a
 * connection that is kept, answers with a length, in chunks, or up to the end of the connection. No
 * redirects, no compression, no TLS.
 */

/* ---- an answer, however it is cut ---- */

enum esse_http_state {
    ESSE_HTTP_HEAD,
    ESSE_HTTP_BODY,        /* 'left' bytes of it */
    ESSE_HTTP_BODY_TO_END, /* until the server hangs up */
    ESSE_HTTP_CHUNK_SIZE,
    ESSE_HTTP_CHUNK,
    ESSE_HTTP_CHUNK_END,
    ESSE_HTTP_TRAILER,
    ESSE_HTTP_WHOLE,
    ESSE_HTTP_BROKEN, /* this is not HTTP: 'problem' says why */
};

struct esse_http_answer {
    enum esse_http_state state;
    int status;  /* 200 */
    bool closes; /* the server will hang up after it */
    bool is_chunked, has_length;
    uint64_t left;
    struct esse_out line; /* of the head, so far */
    struct esse_out body; /* so far; of one that never ends the reader may take from the front */
    const char *problem;
};

void esse_http_answer_init(struct esse_http_answer *answer, struct esse_arena *arena);
void esse_http_answer_begin(struct esse_http_answer *answer);

/* Takes bytes until the answer is whole or broken; returns how many it took.  O(bytes). */
size_t esse_http_answer_take(struct esse_http_answer *answer, const char *bytes, size_t length);

/* The connection has ended: whole if the answer ends there. */
void esse_http_answer_end(struct esse_http_answer *answer);

/* ---- a client ---- */

struct esse_http {
    struct esse_wire wire;
    struct esse_http_answer answer;
    const char *host; /* for the head of requests */
    char problem[120];
};

void esse_http_init(struct esse_http *http, struct esse_arena *arena);

/* A POST of 'body', or a GET if that is NULL.  'token' for the head Authorization, or NULL. */
void esse_http_ask(struct esse_http *http, const char *path, const char *token, const char *body,
                   size_t length);

/*
 * DONE: the answer is whole.  WAIT: for wire.events.  FAILED: 'problem' says why, and the
 * connection is closed; wire.sent says whether anything of the request has gone out.
 */
enum esse_progress esse_http_step(struct esse_http *http);

/* Steps until the answer is whole or the connection has failed, or, with WAIT, until 'deadline'. */
enum esse_progress esse_http_wait(struct esse_http *http, int64_t deadline);

#endif
