#ifndef ESSE_COLLECT_SERVER_PROXY_H
#define ESSE_COLLECT_SERVER_PROXY_H

#include "base/arena.h"
#include "base/error.h"

#include <sys/types.h>

/*
 * A net that can be cut: ports of loopback at which connections come in and are handed on to
 * servers of our own.  Nothing that is on its way is lost.  While a node is cut off, what goes to
 * it or comes from it waits, as packets do that are sent again and again; new connections are taken
 * in and hear nothing.
 *
 * The caller is found in /proc: the process whose socket it is.  A caller that is no node is a
 * client.
 *
 * Life: new -> add* -> run -> (who, cut)* -> stop.  A thread of its own does the work; add, who and
 * cut are called by another.  Cost: two system calls for each piece of up to 64 KiB.
 */
struct esse_proxy;

struct esse_proxy *esse_proxy_new(struct esse_arena *arena);

/* Makes a port that leads to 'port' of a node; 0 if there is none left. */
unsigned esse_proxy_add(struct esse_proxy *proxy, unsigned node, unsigned port);
bool esse_proxy_run(struct esse_proxy *proxy, struct esse_error *err);

/* The process that a node is now. */
void esse_proxy_who(struct esse_proxy *proxy, unsigned node, pid_t pid);
void esse_proxy_cut(struct esse_proxy *proxy, unsigned node, bool is_on);
void esse_proxy_stop(struct esse_proxy *proxy);

#endif
