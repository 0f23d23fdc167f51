#ifndef ESSE_COLLECT_URL_H
#define ESSE_COLLECT_URL_H

#include "base/arena.h"
#include "base/error.h"

/*
 * Where a database is: SCHEME:PATH?NAME=VALUE&... or
 * SCHEME://USER:PASSWORD@HOST:PORT,HOST:PORT/PATH?NAME=VALUE&...
 *
 * 1) Percent signs are undone in every part.  An IPv6 address stands in brackets.
 * 2) Secrets are the user, the password, and the value of every parameter whose name holds "pass",
 *    "user", "secret", "token" or "key".  'shown' is the URL without them; it is the only form
 *    that may be printed, recorded or saved.
 * 3) 'text' is the URL as it was given, for a library that reads URLs itself.
 */
struct esse_host {
    const char *name; /* "" if not given */
    unsigned port;    /* 0 if not given */
};

struct esse_parameter {
    const char *name, *value;
};

struct esse_url {
    const char *text, *shown;
    const char *scheme;
    const char *user, *password; /* NULL if not given */
    const struct esse_host *hosts;
    size_t host_count; /* 0 without // */
    const char *path;  /* without the slash after the hosts; "" if none */
    const struct esse_parameter *parameters;
    size_t parameter_count;
};

/* ESSE_EUSAGE on a malformed one; the text does not repeat it. */
bool esse_url_parse(struct esse_arena *arena, const char *text, struct esse_url *url,
                    struct esse_error *err);

/* The value of a parameter, or NULL. */
const char *esse_url_parameter(const struct esse_url *url, const char *name);

/* ESSE_EUSAGE if there is a parameter that is none of these null-terminated names. */
bool esse_url_knows(const struct esse_url *url, const char *const *names, struct esse_error *err);

/*
 * What a server or a library said, in one line, as much as there is room for, with stars in place
 * of every byte of a secret.  Whatever others say goes through this before it is shown: a text
 * that was cut before may end with a part of a secret, which is not known for one.  Secrets of one
 * or two bytes are left: they would make stars of everything.  'text' must not overlap 'said'.
 */
enum { ESSE_SAID = 240 };
void esse_url_tell(const struct esse_url *url, const char *said, char text[ESSE_SAID]);

/* Fails with it, ESSE_EUNAVAILABLE: "BEFORE SAID". */
bool esse_url_fail(const struct esse_url *url, const char *before, const char *said,
                   struct esse_error *err);

#endif
