#ifndef ESSE_COLLECT_FAULTS_H
#define ESSE_COLLECT_FAULTS_H

#include "base/out.h"
#include "collect/spawn.h"

/*
 * What happens to a server of our own during a run, on a schedule that a seed decides, to one node
 * at a time:
 *   kill       kill -9, and a new start after a moment
 *   pause      SIGSTOP, and SIGCONT after a moment: alive, and silent
 *   partition  a node is cut off from the other nodes, and clients still reach it; a server that
 *              is alone is cut off from its clients
 *   restart    it ends in good order, and starts again
 * The next fault waits until the node is back, so that a cluster keeps its majority.
 *
 * Life: parse -> new -> (tick)* -> end.  Every fault is a line in 'out', with its time on the clock
 * of the history.  tick() is called every 20 ms or so and does not wait, but for the second that a
 * node may take to say whether it is back.
 */
enum esse_fault {
    ESSE_FAULT_KILL,
    ESSE_FAULT_PAUSE,
    ESSE_FAULT_PARTITION,
    ESSE_FAULT_RESTART,
    ESSE_FAULTS
};

struct esse_faults;

/* The bits of "kill,pause"; ESSE_EUSAGE on another word. */
bool esse_faults_parse(const char *list, unsigned *kinds, struct esse_error *err);

struct esse_faults *esse_faults_new(struct esse_arena *arena, struct esse_spawned *spawned,
                                    unsigned kinds, double every, uint64_t seed,
                                    struct esse_out *out);
void esse_faults_tick(struct esse_faults *faults, double seconds);
/* The run is over: brings the node back, so that what is open can be finished.  Called again and
 * again; true when it is back, or half a minute has passed. */
bool esse_faults_end(struct esse_faults *faults, double seconds);

uint64_t esse_faults_count(const struct esse_faults *faults, enum esse_fault fault);
/* "1.1 s, 2.4 s (node 2), ..."; NULL if there was none. */
const char *esse_faults_when(const struct esse_faults *faults, enum esse_fault fault);
extern const char *const esse_fault_names[]; /* by kind, null-terminated */

#endif
