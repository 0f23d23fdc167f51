#ifndef ESSE_FORMATS_DIRECTORY_H
#define ESSE_FORMATS_DIRECTORY_H

#include "formats/formats.h"

/* A history that is a directory: which of its files belong to it, in which order. */
struct esse_directory {
    const struct esse_format *format;
    const char **names; /* T2.log before T10.log */
    size_t count;
};

bool esse_is_directory(const char *path);

/* Lists the files of 'format', or if it is NULL history.jsonl, history.edn or history.json, which a
 * run of Esse's or a Jepsen store has among other files (the format is then NULL: its bytes show
 * it), or those of the first format of the table that has any.  Fails if there are none.  Cost: O(n
 * log n) in the directory's files. */
bool esse_directory_list(struct esse_directory *directory, struct esse_arena *arena,
                         const char *path, const struct esse_format *format,
                         struct esse_error *err);

#endif
