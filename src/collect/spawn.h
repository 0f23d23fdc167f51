#ifndef ESSE_COLLECT_SPAWN_H
#define ESSE_COLLECT_SPAWN_H

#include "base/arena.h"
#include "base/error.h"

#include <sys/types.h>

/*
 * A private server: programs from this machine, a temporary directory, loopback only.  One table
 * row a kind of server, spawn_*.c.
 *
 * 1) start() initialises the directory, starts the processes and returns when they answer.
 *    ESSE_EUNAVAILABLE, with what is missing, if the programs are not installed; nothing is left
 * behind. 2) Processes are signalled by their ids and nothing else.  They die with esse, however
 * that ends (PR_SET_PDEATHSIG). 3) stop() ends them and removes the directory; it never fails, at
 * worst it leaves a warning. 4) Faults act on one node: kill -9, SIGSTOP and SIGCONT, a start after
 * a kill.
 */
struct esse_spawned;

struct esse_spawner {
    const char *name; /* "postgresql" */
    const char *summary;
    bool (*start)(struct esse_arena *arena, unsigned nodes, struct esse_spawned **out,
                  struct esse_error *err);
    const char *(*url)(const struct esse_spawned *spawned); /* for esse_url_parse */
    unsigned (*nodes)(const struct esse_spawned *spawned);
    bool (*kill)(struct esse_spawned *spawned, unsigned node, struct esse_error *err);
    bool (*restart)(struct esse_spawned *spawned, unsigned node, struct esse_error *err);
    bool (*pause)(struct esse_spawned *spawned, unsigned node, bool is_on, struct esse_error *err);
    void (*stop)(struct esse_spawned *spawned);
};

#endif
