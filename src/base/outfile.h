#ifndef ESSE_BASE_OUTFILE_H
#define ESSE_BASE_OUTFILE_H

#include "base/out.h"

/*
 * A file that appears whole or not at all: it is written under a temporary name beside its place
 * and renamed when it is complete.  The path "-" is standard output.
 *
 * Life: open -> put into 'out' -> commit | discard.  Exactly one of the last two.
 */
struct esse_outfile {
    struct esse_out out;
    const char *path;
    char *temporary; /* NULL for standard output and for devices, which are written directly */
};

bool esse_outfile_open(struct esse_outfile *file, struct esse_arena *arena, const char *path,
                       struct esse_error *err);
bool esse_outfile_commit(struct esse_outfile *file, struct esse_error *err);
void esse_outfile_discard(struct esse_outfile *file);

#endif
