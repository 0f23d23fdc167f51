#ifndef ESSE_FORMATS_PORTIONS_H
#define ESSE_FORMATS_PORTIONS_H

#include "formats/source.h"

/*
 * Reads a source of lines in several threads.  It is cut into portions of whole lines.  Whichever
 * thread is free cuts the next one off and scans it, apart from all others; the calling thread
 * takes the portions in their order, and scans too while none is ready.
 *
 * 1) One thread at a time cuts; so what is read, or decompressed, is read while others scan.
 * 2) scan() sees the lines of one portion and nothing else of the input, counted from 1.  It writes
 *    to the portion's own state only.  What it finds wrong it keeps to itself.
 * 3) take() is called in the calling thread, in the order of the input, until it fails: what it
 *    leaves behind does not depend on the threads or the size of the portions.
 * 4) The calling thread alone polls the budget.  If one thread is abandoned (guard.h) all are.
 *
 * Cost: 2 portions a thread and one more, each its bytes and its state; some microseconds a
 * portion.  Portions of 256 KiB or 1 MiB were no faster.  No more than 8 threads are used.
 */
enum { ESSE_PORTION_BYTES = 512 << 10 };

struct esse_portion_reader {
    void *context;
    size_t size; /* of a portion's state, which is zeroed */
    void (*init)(void *context, void *state);
    void (*scan)(void *context, void *state, struct esse_source *lines);
    /* The lines, from the first on, with their numbers in the input.  False with the error.  What
     * it leaves between lines->at and lines->end was not understood by itself: there reading ends,
     * and the source goes on. */
    bool (*take)(void *context, void *state, struct esse_source *lines, struct esse_error *err);
    void (*release)(void *context, void *state);
};

/* Reads to the end, or to what a portion left.  False with the first error.  'bytes': in a portion,
 * about. */
bool esse_portions_read(struct esse_source *source, const struct esse_portion_reader *reader,
                        unsigned threads, size_t bytes, struct esse_error *err);

#endif
