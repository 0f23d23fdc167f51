#ifndef ESSE_FORMATS_SAVE_H
#define ESSE_FORMATS_SAVE_H

#include "base/outfile.h"
#include "formats/formats.h"

/*
 * A history on its way to a path, in any format that can be written: a file, standard output ("-")
 * or, where the format wants that, a directory.  It appears whole or not at all.
 *
 * Life: open -> records to 'sink', finish included -> commit | discard.
 */
struct esse_save {
    const struct esse_format *format;
    struct esse_sink *sink;
    struct esse_outfile file; /* not used for a directory, which finish has made */
};

bool esse_save_open(struct esse_save *save, struct esse_arena *arena,
                    const struct esse_format *format, struct esse_values *values, const char *path,
                    bool lossy, struct esse_error *err);
bool esse_save_commit(struct esse_save *save, struct esse_error *err);
void esse_save_discard(struct esse_save *save);

#endif
