#ifndef ESSE_COLLECT_RECORD_HEIR_H
#define ESSE_COLLECT_RECORD_HEIR_H

#include "base/arena.h"

/*
 * A process that does what is left to do when this one is killed: with -9, by a fault of its own,
 * by whatever gives it no time.
 *
 * The heir is a process that shares all memory with this one, and nothing else: it sleeps until
 * this one is dead, finds everything as it was left, and calls 'inherit', once.  All threads are
 * dead then, in the middle of whatever they were at.  So 'inherit' must not wait for a lock, and
 * must not allocate.  It is out of reach of the terminal, and of signals to the process group.
 *
 * What ends both at once: kill -9 of the heir, too little memory, the machine.
 *
 * Cost: a process without memory of its own.
 */
struct esse_heir;

/* NULL if there can be none. */
struct esse_heir *esse_heir_start(struct esse_arena *arena, void (*inherit)(void *context),
                                  void *context);

/* There is nothing to inherit any more.  NULL: there is none. */
void esse_heir_dismiss(struct esse_heir *heir);

#endif
