#ifndef ESSE_FORMATS_AHEAD_H
#define ESSE_FORMATS_AHEAD_H

#include "base/error.h"

/*
 * Reads ahead: a thread of its own fills one block while the other is being taken, so the taker
 * works at the same time.  What is taken, and the error after it, are those of the reader.
 *
 * Cost: two blocks of 1 MiB, and a copy of every byte.
 */
struct esse_ahead;

/* Puts up to 'room' bytes to 'to'; 0 bytes in '*got' is the end.  What it got before it failed
 * counts too. */
typedef bool esse_ahead_reader(void *context, char *to, size_t room, size_t *got,
                               struct esse_error *err);

/* From now on 'reader' is the thread's.  NULL if there is no thread to be had. */
struct esse_ahead *esse_ahead_start(struct esse_arena *arena, esse_ahead_reader *reader,
                                    void *context);

/* As the reader would have: it waits until something is there. */
bool esse_ahead_read(struct esse_ahead *ahead, char *to, size_t room, size_t *got,
                     struct esse_error *err);

/* Waits for what the reader is just doing, and gives it back. */
void esse_ahead_close(struct esse_ahead *ahead);

#endif
