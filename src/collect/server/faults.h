#ifndef ESSE_COLLECT_SERVER_FAULTS_H
#define ESSE_COLLECT_SERVER_FAULTS_H

#include "collect/server/spawn.h"
#include "history/record.h"

/*
 * What happens to a server of our own during a run, on a schedule that a seed decides, to one node
 * at a time: enum esse_server_fault.
 * The next fault waits until the node is back, so that a cluster keeps its majority.
 *
 * Life: parse -> new -> record_in -> (tick)* -> end.  A fault goes into the history when it begins
 * and when it ends, so that a crash of esse loses none.  tick() is called every 20 ms or so and
 * does not wait, but for the second that a node may take to say whether it is back.
 */
struct esse_faults;
struct esse_log_buffer; /* recorder.h */

/* The bits of "kill,pause"; ESSE_EUSAGE on another word. */
bool esse_faults_parse(const char *list, unsigned *kinds, struct esse_error *err);

struct esse_faults *esse_faults_new(struct esse_arena *arena, struct esse_spawned *spawned,
                                    unsigned kinds, double every, uint64_t seed);
/* Where they are recorded, before the first tick. */
void esse_faults_record_in(struct esse_faults *faults, struct esse_log_buffer *log_buffer);
void esse_faults_tick(struct esse_faults *faults, double seconds);
/* The run is over: brings the node back, so that what is open can be finished.  Called again and
 * again; true when it is back, or half a minute has passed. */
bool esse_faults_end(struct esse_faults *faults, double seconds);

uint64_t esse_faults_count(const struct esse_faults *faults, enum esse_server_fault fault);
/* All of them, as the history has them. */
const struct esse_fault_record *esse_faults_told(const struct esse_faults *faults, uint32_t *count);

#endif
