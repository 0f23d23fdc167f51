#include "formats/save.h"

bool esse_save_open(struct esse_save *save, struct esse_arena *arena,
                    const struct esse_format *format, struct esse_values *values, const char *path,
                    bool lossy, struct esse_error *err)
{
    save->format = format;
    if (!format->writer) {
        if (strcmp(path, "-") == 0)
            return esse_fail(err, ESSE_EUSAGE,
                             "the format %s is a directory; it cannot go to standard output",
                             format->name);
        save->sink = format->directory_writer(arena, values, path, lossy);
        return true;
    }
    if (!esse_outfile_open(&save->file, arena, path, err))
        return false;
    save->sink = format->writer(arena, values, &save->file.out, lossy);
    return true;
}

bool esse_save_commit(struct esse_save *save, struct esse_error *err)
{
    return !save->format->writer || esse_outfile_commit(&save->file, err);
}

void esse_save_discard(struct esse_save *save)
{
    if (save->format->writer)
        esse_outfile_discard(&save->file);
}
