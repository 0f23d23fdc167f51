#ifndef ESSE_COLLECT_DRIVER_WIRE_H
#define ESSE_COLLECT_DRIVER_WIRE_H

#include "base/out.h"
#include "collect/driver.h"

#include <sys/socket.h>

/*
 * A TCP connection that never waits, for drivers whose database has no library that fits the loop.
 *
 * Life: init -> (open -> (put into 'out', step*)* -> close)*.  'out' goes out, what comes is added
 * to 'in', from which the reader takes.  Buffers grow to the largest message and are kept.
 */
struct esse_address {
    struct sockaddr_storage at;
    socklen_t length;
};

/* A host of the URL. */
struct esse_wire_host {
    const struct esse_host *host;
    unsigned port;
    const char *name; /* "HOST:PORT", for messages */
    struct esse_address address;
    bool is_found; /* it has an address */
};

/* The hosts of a URL, localhost if it has none, without asking the resolver. */
struct esse_wire_host *esse_wire_hosts(struct esse_arena *arena, const struct esse_url *url,
                                       unsigned default_port, size_t *count);

/* The URL's connect_seconds, 10 if it has none; ESSE_EUSAGE if that is no time. */
bool esse_wire_seconds(const struct esse_url *url, double *seconds, struct esse_error *err);

/*
 * Asks the resolver for every host, and 'greets' whether a server answers at the address that is
 * then set; what it said goes to 'said'.  In the end it has greeted the first host that answers,
 * and all the others that do have the address that did.  ESSE_EUNAVAILABLE, with what each said, if
 * none answers.  May wait.
 */
/* What a failure of a connection to the host says, without the host's name before it. */
void esse_wire_said(const struct esse_wire_host *host, const char *text, char said[ESSE_SAID]);

typedef bool esse_greets(void *context, unsigned host, char said[ESSE_SAID]);
bool esse_wire_reach(struct esse_wire_host *hosts, size_t count, esse_greets *greets, void *context,
                     struct esse_error *err);

struct esse_wire {
    int fd;       /* -1: closed */
    short events; /* what step() waits for */
    bool is_connected;
    struct esse_out out, in;
    size_t sent;      /* of 'out' */
    char problem[80]; /* why it was lost */
};

enum esse_wire_news {
    ESSE_WIRE_WAIT, /* for 'events' on 'fd' */
    ESSE_WIRE_CAME, /* there is more in 'in' */
    ESSE_WIRE_LOST, /* 'problem' says why; still to be closed */
};

void esse_wire_init(struct esse_wire *wire, struct esse_arena *arena);

/* Starts to connect; step() says whether that works out. */
void esse_wire_open(struct esse_wire *wire, const struct esse_address *address);
void esse_wire_close(struct esse_wire *wire);

/* Before the next message is put into 'out': afterwards 'sent' counts what has gone of that one.
 * The one before must have gone wholly, or never will. */
void esse_wire_next(struct esse_wire *wire);

enum esse_wire_news esse_wire_step(struct esse_wire *wire);

/* For what may block: waits for what step() waits for, at most until 'deadline', which is so many
 * seconds from now by esse_clock_ns().  False: that is over. */
int64_t esse_wire_deadline(double seconds);
bool esse_wire_wait(const struct esse_wire *wire, int64_t deadline);

#endif
