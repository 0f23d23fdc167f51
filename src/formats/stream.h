#ifndef ESSE_FORMATS_STREAM_H
#define ESSE_FORMATS_STREAM_H

#include "base/error.h"

/*
 * The bytes of a file, decompressed if it is gzip or zstd (recognized by its first bytes, not by
 * its name).  Concatenated members are one stream, as gzip and zstd themselves have it.
 *
 * Life: open -> read* -> read_ahead? -> read* -> close.
 */
struct esse_stream;
struct esse_arrival;

/* 'arrival' is NULL if the bytes are all there, or come on their own: see arrival.h. */
bool esse_stream_open(struct esse_arena *arena, const char *path,
                      const struct esse_arrival *arrival, struct esse_stream **out,
                      struct esse_error *err);

/* Up to 'room' bytes; 0 bytes in '*got' is the end. */
bool esse_stream_read(struct esse_stream *stream, char *to, size_t room, size_t *got,
                      struct esse_error *err);

/* From now on a thread of its own decompresses ahead of the reads, if that is worth it: if there is
 * something to decompress, and in a file, where bytes never take long to come.  Says if so. */
bool esse_stream_read_ahead(struct esse_stream *stream);

/* Bytes of the file that were read so far and in all; 0 if that is not known. */
uint64_t esse_stream_consumed(const struct esse_stream *stream);
uint64_t esse_stream_size(const struct esse_stream *stream);

void esse_stream_close(struct esse_stream *stream);

#endif
