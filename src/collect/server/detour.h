#ifndef ESSE_COLLECT_SERVER_DETOUR_H
#define ESSE_COLLECT_SERVER_DETOUR_H

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
struct esse_detour;

struct esse_detour *esse_detour_new(struct esse_arena *arena);

/* Makes a port that leads to 'port' of a node; 0 if there is none left. */
unsigned esse_detour_add(struct esse_detour *detour, unsigned node, unsigned port);
bool esse_detour_run(struct esse_detour *detour, struct esse_error *err);

/* The process that a node is now. */
void esse_detour_who(struct esse_detour *detour, unsigned node, pid_t pid);
void esse_detour_cut(struct esse_detour *detour, unsigned node, bool is_on);
void esse_detour_stop(struct esse_detour *detour);

#endif
