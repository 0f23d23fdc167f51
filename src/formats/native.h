#ifndef ESSE_FORMATS_NATIVE_H
#define ESSE_FORMATS_NATIVE_H

#include "formats/formats.h"

/* The native format: JSON Lines, docs/formats.md.  Read at about the speed of scanning; what Esse
 * wrote is written again byte for byte. */
extern const struct esse_format esse_format_native;

bool esse_native_read(struct esse_reading *reading, struct esse_error *err);
struct esse_sink *esse_native_writer(struct esse_arena *arena, struct esse_values *values,
                                     struct esse_out *out, bool lossy);

#endif
