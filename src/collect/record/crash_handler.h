#ifndef ESSE_COLLECT_RECORD_CRASH_HANDLER_H
#define ESSE_COLLECT_RECORD_CRASH_HANDLER_H

#include "base/arena.h"

/*
 * A process that does what is left to do when this one is killed: with -9, by a fault of its own,
 * by whatever gives it no time.
 *
 * The crash handler is a process that shares all memory with this one, and nothing else: it sleeps
 * until this one is dead, finds everything as it was left, and calls 'on_crash', once.  All threads
 * are dead then, in the middle of whatever they were at.  So 'on_crash' must not wait for a lock,
 * and must not allocate.  It is out of reach of the terminal, and of signals to the process group.
 *
 * What ends both at once: kill -9 of the crash handler, too little memory, the machine.
 *
 * Cost: a process without memory of its own.
 */
struct esse_crash_handler;

/* NULL if there can be none. */
struct esse_crash_handler *esse_crash_handler_start(struct esse_arena *arena,
                                                    void (*on_crash)(void *context), void *context);

/* There is nothing left to do for it.  NULL: there is none. */
void esse_crash_handler_dismiss(struct esse_crash_handler *crash_handler);

#endif
