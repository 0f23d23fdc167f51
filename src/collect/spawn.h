#ifndef ESSE_COLLECT_SPAWN_H
#define ESSE_COLLECT_SPAWN_H

#include "base/arena.h"
#include "base/error.h"

#include <sys/types.h>

/*
 * A private server: programs from this machine, a temporary directory, loopback only.  One table
 * row a kind of server, spawn_*.c.
 *
 * 1) start() initialises the directory, starts the server and returns when it answers.
 *    ESSE_EUNAVAILABLE, with what is missing, if the programs are not installed; nothing is left
 *    behind.
 * 2) Processes are signalled by their ids and nothing else.  They die with esse, however that
 *    ends (PR_SET_PDEATHSIG).
 * 3) stop() ends them and removes the directory; it never fails.
 * 4) Faults act on the server as a whole and do not wait: after kill() it is gone until restart(),
 *    which returns before it answers.
 * 5) All of it is called by one thread, the run's own.
 */
struct esse_spawned;

struct esse_spawner {
    const char *name; /* "postgresql" */
    const char *summary;
    bool (*start)(struct esse_arena *arena, struct esse_spawned **out, struct esse_error *err);
    const char *(*url)(const struct esse_spawned *spawned);
    void (*kill)(struct esse_spawned *spawned);
    bool (*restart)(struct esse_spawned *spawned);
    void (*pause)(struct esse_spawned *spawned, bool is_on);
    void (*stop)(struct esse_spawned *spawned);
};

extern const struct esse_spawner *const esse_spawners[]; /* null-terminated, see spawn.c */

/* NULL on an unknown name. */
const struct esse_spawner *esse_spawner_find(const char *name);

/* ---- for spawn_*.c ---- */

/* Who a server runs as: root hands over to 'user', everybody else is who they are. */
struct esse_account {
    bool is_changed;
    uid_t user;
    gid_t group;
};
bool esse_account_find(const char *user, struct esse_account *account, struct esse_error *err);

/* A temporary directory of the account's. */
bool esse_spawn_directory(struct esse_arena *arena, const char *name,
                          const struct esse_account *account, const char **path,
                          struct esse_error *err);
void esse_spawn_remove(const char *path);

/* Starts a program whose output goes to the file 'log'; it dies with us by 'death'.  -1 if it
 * cannot be started. */
pid_t esse_spawn_program(const struct esse_account *account, const char *log, int death,
                         const char *const *arguments);

/* The same, and waits for its end; true if that was good. */
bool esse_spawn_wait(const struct esse_account *account, const char *log,
                     const char *const *arguments);

/* A signal to a process and to those that it started. */
void esse_spawn_signal(pid_t pid, int number);

/* A port of loopback that nobody uses now; 0 if there is none. */
unsigned esse_spawn_port(void);

#endif
