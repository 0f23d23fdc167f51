#ifndef ESSE_FORMATS_COBRA_H
#define ESSE_FORMATS_COBRA_H

#include "formats/peers.h"

/*
 * Cobra's logs: a directory with a file T<n>.log for every client.  A file is records of a letter
 * and big-endian numbers of 64 bits:
 *
 *     S id                             a transaction starts
 *     W write-id key value             it writes
 *     R writer-id write-id key value   it reads
 *     C id                             it has committed
 *
 * Private to reader and writer.
 */
enum { ESSE_COBRA_S_BYTES = 9, ESSE_COBRA_W_BYTES = 25, ESSE_COBRA_R_BYTES = 33 };

#define ESSE_COBRA_INITIAL INT64_C(0xbebeebee) /* as writer and write id: the initial version */
#define ESSE_COBRA_ABSENT  INT64_C(0xdeadbeef) /* the same, of a key that was not there */
#define ESSE_COBRA_NO_ID   INT64_C(0xabddefee) /* the client kept no ids: the value names it */

static inline bool esse_cobra_is_initial(int64_t id)
{
    return id == ESSE_COBRA_INITIAL || id == ESSE_COBRA_ABSENT;
}

/* The bytes of a record that starts with this letter, 0 if none does. */
static inline size_t esse_cobra_bytes(char letter)
{
    return letter == 'S' || letter == 'C' ? ESSE_COBRA_S_BYTES
           : letter == 'W'                ? ESSE_COBRA_W_BYTES
           : letter == 'R'                ? ESSE_COBRA_R_BYTES
                                          : 0;
}

/* A sink that makes the directory 'path' when it finishes, whole or not at all. */
struct esse_sink *esse_cobra_writer(struct esse_arena *arena, struct esse_values *values,
                                    const char *path, bool lossy);

#endif
