#include "formats/stream.h"

#include "base/arena.h"
#include "formats/ahead.h"
#include "formats/arrival.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { PACKED_ROOM = 128 << 10 };
enum packing { PLAIN, GZIP, ZSTD };

struct esse_stream {
    struct esse_arena *arena;
    const char *path;
    int fd;
    const struct esse_arrival *arrival; /* NULL: bytes are not waited for */
    bool is_mid_line; /* of a file that is followed: its last byte is no newline */
    enum packing packing;
    bool file_ended;
    bool mid_member;          /* inside a gzip member or zstd frame: the end may not come now */
    struct esse_ahead *ahead; /* if not NULL, all but this, 'consumed' and 'size' is its thread's */
    _Atomic uint64_t consumed;
    uint64_t size;
    unsigned char packed[PACKED_ROOM]; /* packed[at .. count) is not yet used */
    size_t at, count;
    z_stream gzip;
    ZSTD_DStream *zstd;
};

/* The file's own bytes, 0 of them at its end.  What arrives is waited for. */
static bool read_file(struct esse_stream *stream, void *to, size_t room, size_t *got,
                      struct esse_error *err)
{
    if (stream->arrival && stream->arrival->follow)
        return esse_arrival_follow(stream->arrival, stream->path, &stream->fd, to, room,
                                   &stream->is_mid_line, got, err);
    if (stream->arrival && !esse_arrival_wait(stream->arrival, stream->fd, err))
        return false;
    for (;;) {
        const ssize_t count = read(stream->fd, to, room);
        if (count >= 0) {
            *got = (size_t)count;
            return true;
        }
        if (errno != EINTR)
            return esse_fail(err, ESSE_EIO, "cannot read: %s", strerror(errno));
    }
}

static bool refill(struct esse_stream *stream, struct esse_error *err)
{
    stream->at = stream->count = 0;
    if (stream->file_ended)
        return true;
    if (!read_file(stream, stream->packed, PACKED_ROOM, &stream->count, err))
        return false;
    stream->file_ended = stream->count == 0;
    stream->consumed += stream->count;
    return true;
}

/* A magic may come in pieces from a pipe: read until there are four bytes or no more. */
static bool read_magic(struct esse_stream *stream, struct esse_error *err)
{
    while (stream->count < 4 && !stream->file_ended) {
        size_t got;
        if (!read_file(stream, stream->packed + stream->count, 4 - stream->count, &got, err))
            return false;
        stream->file_ended = got == 0;
        stream->count += got;
    }
    stream->consumed = stream->count;
    return true;
}

static bool start_unpacking(struct esse_stream *stream, struct esse_error *err)
{
    static const unsigned char zstd_magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
    const bool is_zstd = stream->count == 4 && memcmp(stream->packed, zstd_magic, 4) == 0;
    const bool is_gzip =
        stream->count >= 2 && stream->packed[0] == 0x1f && stream->packed[1] == 0x8b;
    if ((is_zstd || is_gzip) && stream->arrival && stream->arrival->follow)
        return esse_fail(err, ESSE_EINPUT, "a compressed file cannot be followed");
    if (is_gzip) {
        if (inflateInit2(&stream->gzip, 15 + 16) != Z_OK)
            return esse_fail(err, ESSE_EIO, "cannot start zlib");
        stream->packing = GZIP;
    } else if (is_zstd) {
        stream->zstd = ZSTD_createDStream();
        if (!stream->zstd)
            return esse_fail(err, ESSE_EIO, "cannot start zstd");
        stream->packing = ZSTD;
    }
    return true;
}

bool esse_stream_open(struct esse_arena *arena, const char *path,
                      const struct esse_arrival *arrival, struct esse_stream **out,
                      struct esse_error *err)
{
    struct esse_stream *stream = esse_arena_alloc(arena, 1, sizeof *stream);
    stream->arena = arena;
    stream->path = path;
    stream->arrival = arrival;
    stream->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (stream->fd < 0)
        return esse_fail(err, ESSE_EIO, "cannot open: %s", strerror(errno));
    struct stat status;
    if (!(arrival && arrival->follow) && fstat(stream->fd, &status) == 0 && S_ISREG(status.st_mode))
        stream->size = (uint64_t)status.st_size;
    if (!read_magic(stream, err) || !start_unpacking(stream, err)) {
        esse_stream_close(stream);
        return false;
    }
    *out = stream;
    return true;
}

static bool read_plain(struct esse_stream *stream, char *to, size_t room, size_t *got,
                       struct esse_error *err)
{
    if (stream->at < stream->count) {
        *got = stream->count - stream->at < room ? stream->count - stream->at : room;
        memcpy(to, stream->packed + stream->at, *got);
        stream->at += *got;
        return true;
    }
    if (!read_file(stream, to, room, got, err))
        return false;
    stream->consumed += *got;
    return true;
}

/* One step of inflate; a member that ends may be followed by another. */
static bool gzip_step(struct esse_stream *stream, char *to, size_t room, size_t *got,
                      struct esse_error *err)
{
    z_stream *gzip = &stream->gzip;
    gzip->next_in = stream->packed + stream->at;
    gzip->avail_in = (uInt)(stream->count - stream->at);
    gzip->next_out = (unsigned char *)to;
    gzip->avail_out = room > 1u << 30 ? 1u << 30 : (uInt)room;
    const uInt before = gzip->avail_out;
    int status = inflate(gzip, Z_NO_FLUSH);
    stream->at = stream->count - gzip->avail_in;
    *got = before - gzip->avail_out;
    stream->mid_member = status != Z_STREAM_END;
    if (status == Z_STREAM_END)
        inflateReset(gzip);
    else if (status != Z_OK && status != Z_BUF_ERROR)
        return esse_fail(err, ESSE_EINPUT, "damaged gzip data: %s",
                         gzip->msg ? gzip->msg : "inflate failed");
    return true;
}

static bool zstd_step(struct esse_stream *stream, char *to, size_t room, size_t *got,
                      struct esse_error *err)
{
    ZSTD_inBuffer in = { stream->packed, stream->count, stream->at };
    ZSTD_outBuffer out = { to, room, 0 };
    size_t hint = ZSTD_decompressStream(stream->zstd, &out, &in);
    *got = out.pos;
    if (ZSTD_isError(hint))
        return esse_fail(err, ESSE_EINPUT, "damaged zstd data: %s", ZSTD_getErrorName(hint));
    stream->at = in.pos;
    stream->mid_member = hint != 0;
    return true;
}

static bool read_packed(void *context, char *to, size_t room, size_t *got, struct esse_error *err)
{
    struct esse_stream *stream = context;
    *got = 0;
    for (;;) {
        if (stream->at == stream->count) {
            if (!refill(stream, err))
                return false;
            if (stream->file_ended && !stream->mid_member)
                return true;
        }
        size_t before = stream->at;
        bool ok = stream->packing == GZIP ? gzip_step(stream, to, room, got, err)
                                          : zstd_step(stream, to, room, got, err);
        if (!ok || *got)
            return ok;
        if (stream->file_ended && stream->at == before)
            return esse_fail(err, ESSE_EINPUT, "the compressed data ends too early");
    }
}

bool esse_stream_read(struct esse_stream *stream, char *to, size_t room, size_t *got,
                      struct esse_error *err)
{
    return stream->ahead              ? esse_ahead_read(stream->ahead, to, room, got, err)
           : stream->packing == PLAIN ? read_plain(stream, to, room, got, err)
                                      : read_packed(stream, to, room, got, err);
}

/* Plain bytes are not worth it: to copy them from the other thread costs what reading them does.
 * And a reader that stops at an error must not wait for a pipe's next bytes. */
bool esse_stream_read_ahead(struct esse_stream *stream)
{
    if (stream->packing != PLAIN && stream->size && !stream->ahead)
        stream->ahead = esse_ahead_start(stream->arena, read_packed, stream);
    return stream->ahead != NULL;
}

uint64_t esse_stream_consumed(const struct esse_stream *stream)
{
    return stream->consumed;
}

uint64_t esse_stream_size(const struct esse_stream *stream)
{
    return stream->size;
}

void esse_stream_close(struct esse_stream *stream)
{
    if (stream->ahead)
        esse_ahead_close(stream->ahead);
    if (stream->packing == GZIP)
        inflateEnd(&stream->gzip);
    if (stream->zstd)
        ZSTD_freeDStream(stream->zstd);
    if (stream->fd > STDIN_FILENO)
        close(stream->fd);
    stream->fd = -1;
}
