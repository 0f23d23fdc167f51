#include "formats/deflate.h"

#include "base/arena.h"

#include <assert.h>
#include <zlib.h>

unsigned char *esse_deflate(struct esse_arena *arena, const void *bytes, size_t length,
                            size_t *count)
{
    uLongf room = compressBound(length);
    unsigned char *packed = esse_arena_array(arena, room, unsigned char);
    const int status = compress2(packed, &room, bytes, length, 6);
    assert(status == Z_OK); /* there is room, and the level is one */
    (void)status;
    *count = room;
    return packed;
}
