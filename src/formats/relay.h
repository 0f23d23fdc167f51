#ifndef ESSE_FORMATS_RELAY_H
#define ESSE_FORMATS_RELAY_H

#include "formats/formats.h"

/*
 * Reads in two threads: one runs a format's reader, the calling one sends what that finds to the
 * real sink.  Records go over in batches, so both work at the same time; they arrive in the order
 * in which they were sent, and an error where it occurred, so the sink sees no difference.
 *
 * A batch has a pool of values of its own.  An atom is made in the sink's pool when the first
 * record that may hold it arrives: it gets the number that it would have had.
 *
 * Cost: ESSE_RELAY_BATCHES batches, each of the records of ESSE_RELAY_BYTES of input, or of one
 * line if that is longer; 17 bytes to hand over for a usual operation, and 40 for its transaction.
 * Half the batches, or a fourth of their size, was slower: the threads then wait for each other.
 */
enum { ESSE_RELAY_BATCHES = 4, ESSE_RELAY_BYTES = 256 << 10 };

/*
 * As read(reading) would, for a format that allows it (esse_format.in_thread).  The source must not
 * be in the sink's arena: each thread has its own.  A batch is handed over after 'bytes' of input.
 */
bool esse_relay_read(struct esse_reading *reading,
                     bool (*read)(struct esse_reading *reading, struct esse_error *err),
                     size_t bytes, struct esse_error *err);

#endif
