#ifndef ESSE_FORMATS_OPLOG_READ_H
#define ESSE_FORMATS_OPLOG_READ_H

#include "formats/source.h"
#include "history/oplog.h"

/*
 * Reads Jepsen EDN (a stream of operation maps, or a vector or list of them) or elle-cli's JSON
 * array as a log of operations.  Operations of processes that are not integers are dropped.  Other
 * members than type, process, f, value, index and time are checked for form and not kept.
 *
 * 'format' is "jepsen-edn", "elle-json", or NULL to recognise it.  Cost: one pass.
 */
bool esse_oplog_load(struct esse_arena *arena, const char *path, const char *format,
                     struct esse_budget *budget, struct esse_oplog **out, struct esse_error *err);

/* The same from a source that is open. */
bool esse_oplog_read(struct esse_arena *arena, struct esse_source *source, const char *format,
                     struct esse_oplog **out, struct esse_error *err);

#endif
