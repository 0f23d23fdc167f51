#ifndef ESSE_FORMATS_PLUME_H
#define ESSE_FORMATS_PLUME_H

#include "formats/peers.h"

/* The text of Plume, PolySI and AWDIT: one operation a line.  Private to its reader and writer. */

enum { ESSE_PLUME_ABORTED = -1 }; /* instead of a transaction's id */

bool esse_plume_read(struct esse_reading *reading, struct esse_error *err);
struct esse_sink *esse_plume_writer(struct esse_arena *arena, struct esse_values *values,
                                    struct esse_out *out, bool lossy);

#endif
