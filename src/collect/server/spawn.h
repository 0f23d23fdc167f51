#ifndef ESSE_COLLECT_SERVER_SPAWN_H
#define ESSE_COLLECT_SERVER_SPAWN_H

#include "base/arena.h"
#include "base/error.h"

#include <sys/types.h>

/*
 * A private server: programs from this machine, a temporary directory, loopback only.  It has one
 * node, which is one process and those that it starts, or is a cluster of several.  One table row a
 * kind of server, spawn_*.c.
 *
 * Life: start -> (kill, pause, leave, begin, cut)* -> stop.
 *
 * 1) start() initialises the directory, starts the nodes and returns when they answer.
 *    ESSE_EUNAVAILABLE, with what is missing, if the programs are not installed; nothing is left
 *    behind.
 * 2) Processes are signalled by their ids and nothing else.  They die with esse, however that
 *    ends (PR_SET_PDEATHSIG).
 * 3) stop() ends them and removes the directory; it never fails.  If esse is killed its crash
 *    handler (crash_handler.h) removes the directory.
 * 4) Faults act on one node and do not wait: after kill() it is gone until begin(), which returns
 *    before it answers.
 * 5) All of it is called by one thread, the run's own.
 */
enum { ESSE_MOST_NODES = 7, ESSE_MOST_ARGUMENTS = 40 };

/* The account of a server: root hands over to a user, any other account keeps itself. */
struct esse_account {
    bool is_changed;
    uid_t user;
    gid_t group;
};

struct esse_node {
    const char *arguments[ESSE_MOST_ARGUMENTS]; /* of its program, whose path is the first */
    const char *log;
    unsigned port; /* where its clients come in */
    pid_t pid;     /* 0: not running */
};

struct esse_proxy;
struct esse_crash_handler;

struct esse_spawned {
    const struct esse_spawner *kind;
    struct esse_arena *arena;
    struct esse_account account;
    const char *directory, *url;
    struct esse_node nodes[ESSE_MOST_NODES];
    unsigned count;
    struct esse_proxy *proxy; /* what must be cut goes through it; NULL: nothing will be cut */
    struct esse_crash_handler *crash_handler;
};

struct esse_spawner {
    const char *name; /* "postgresql" */
    const char *summary;
    const char *user;           /* to which root hands over */
    unsigned nodes, most_nodes; /* usually, and at most */
    const char *first;          /* an argument for the first start of node 0, or NULL */
    bool is_in_turn;            /* a node starts when the one before answers */
    int goodbye;                /* the signal by which a node ends in good order */
    int death;                  /* ... and at once, leaving nothing outside of its directory */
    /* Finds the programs, makes the data in 'directory', and sets the nodes' arguments, logs and
     * ports, and the URL. */
    bool (*prepare)(struct esse_spawned *spawned, struct esse_error *err);
    bool (*answers)(struct esse_spawned *spawned, unsigned node); /* within a second or so */
    /* Cuts a node off from the other nodes, if they have a way of their own; NULL: the proxy. */
    void (*cut)(struct esse_spawned *spawned, unsigned node, bool is_on);
};

extern const struct esse_spawner *const esse_spawners[]; /* null-terminated, see spawn.c */

/* NULL on an unknown name. */
const struct esse_spawner *esse_spawner_find(const char *name);

/* 'nodes' 0: as many as usual; ESSE_EUSAGE if there cannot be so many.  'may_cut': esse_spawned_cut
 * will be called. */
bool esse_spawn_start(struct esse_arena *arena, const struct esse_spawner *kind, uint64_t nodes,
                      bool may_cut, struct esse_spawned **out, struct esse_error *err);
void esse_spawn_stop(struct esse_spawned *spawned);

void esse_spawned_kill(struct esse_spawned *spawned, unsigned node);
void esse_spawned_pause(struct esse_spawned *spawned, unsigned node, bool is_on);
void esse_spawned_leave(struct esse_spawned *spawned, unsigned node); /* in good order */
bool esse_spawned_is_gone(struct esse_spawned *spawned, unsigned node);
bool esse_spawned_begin(struct esse_spawned *spawned, unsigned node); /* one that is gone */
/* A node of a cluster from the other nodes, a server that is alone from its clients. */
void esse_spawned_cut(struct esse_spawned *spawned, unsigned node, bool is_on);
bool esse_spawned_answers(struct esse_spawned *spawned, unsigned node);

/* ---- for spawn_*.c ---- */

/* Where a program is: in PATH, or where Debian has servers; NULL if it is not there. */
const char *esse_spawn_find(struct esse_arena *arena, const char *program);

/* Starts a program of the account's, whose output goes to the file 'log', and waits for its end;
 * true if that was good. */
bool esse_spawn_wait(const struct esse_account *account, const char *log,
                     const char *const *arguments);

/* A directory of the server's own, inside of its directory; NULL if it cannot be made. */
const char *esse_spawn_folder(const struct esse_spawned *spawned, const char *name);

/* Adds an argument to a node's. */
void esse_spawn_argument(struct esse_spawned *spawned, unsigned node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A port of loopback that is free now; 0 if there is none. */
unsigned esse_spawn_port(void);

/* The port at which to reach a node's 'port': the proxy's, if things may be cut. */
unsigned esse_spawn_through(struct esse_spawned *spawned, unsigned node, unsigned port);

/* "SCHEME://127.0.0.1:PORT,..." over all nodes, with the user before the hosts if it is not "". */
const char *esse_spawn_url(const struct esse_spawned *spawned, const char *scheme, const char *user,
                           const char *path);

#endif
