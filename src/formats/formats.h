#ifndef ESSE_FORMATS_FORMATS_H
#define ESSE_FORMATS_FORMATS_H

#include "base/out.h"
#include "formats/source.h"
#include "history/builder.h"

/*
 * One table of file formats.  A reader turns a source into records for a builder; a writer is a
 * sink that turns records into bytes.
 */
struct esse_reading {
    struct esse_source *source;
    struct esse_builder *builder;
    struct esse_sink *sink;   /* the builder's */
    enum esse_workload asked; /* what the user said, or ESSE_WORKLOAD_ANY */
    enum esse_workload found; /* what the reader found out; ESSE_WORKLOAD_ANY if the operations
                                 themselves decide */
    /* If not NULL, called between two forms, where the reader holds no value; the sink's pool may
     * be another afterwards.  False, without an error, if no more is wanted. */
    bool (*between)(struct esse_reading *reading);
    void *kept; /* what the reader of a format of many files keeps from one to the next */
    /* If more than 1, a reader of lines may use so many threads, on portions of so many bytes: see
     * portions.h. */
    unsigned threads;
    size_t portion;
};

struct esse_format {
    const char *name, *summary;
    const char *extensions;   /* ".jsonl .ndjson" */
    const char *in_directory; /* the history may be a directory of such files: "*.log", or NULL */
    bool many_files;          /* of which each is a part; 'read' then leaves finish to its caller */
    bool is_binary;           /* sniffed with the white space that it may start with */
    bool is_streamed;         /* 'read' needs no builder and calls 'between' */
    bool in_portions;         /* 'read' uses the threads that it is given */
    /* Does the window's beginning look like this format?  NULL: never sniffed. */
    bool (*sniff)(const char *at, const char *end);
    bool (*read)(struct esse_reading *reading, struct esse_error *err);
    /* A sink that writes to 'out', or one that makes the directory 'path' when it finishes.  Both
     * are NULL if the format cannot be written; see save.h for what calls them. */
    struct esse_sink *(*writer)(struct esse_arena *arena, struct esse_values *values,
                                struct esse_out *out, bool lossy);
    struct esse_sink *(*directory_writer)(struct esse_arena *arena, struct esse_values *values,
                                          const char *path, bool lossy);
};

extern const struct esse_format *const esse_formats[]; /* null-terminated */

/*
 * Sends a file's records to a sink as they are read, in the thread that calls.  'tidy' is called
 * between records, where the reader holds no value, and may replace the sink's pool of them.  For
 * formats that need no builder, which is native.
 */
bool esse_records_read(const char *path, const struct esse_load_options *options,
                       struct esse_sink *sink, void (*tidy)(struct esse_sink *sink),
                       struct esse_error *err);

const struct esse_format *esse_format_find(const char *name);
/* The format that a path's ending stands for (a .gz or .zst is looked through); NULL if none. */
const struct esse_format *esse_format_by_path(const char *path);
/* The names of all formats, or of those that can be written: "native, plume and cobra". */
const char *esse_format_names(struct esse_arena *arena, bool written);
static inline bool esse_format_is_written(const struct esse_format *format)
{
    return format->writer || format->directory_writer;
}
/* The format that the bytes look like; the path decides where they do not. */
const struct esse_format *esse_format_sniff(const struct esse_source *source);

#endif
