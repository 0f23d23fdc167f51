#include "formats/binary.h"

#include <stdarg.h>
#include <stdio.h>

bool esse_binary_fail(const struct esse_source *source, struct esse_error *err, const char *place,
                      const char *format, ...)
{
    char text[sizeof err->text - 32];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return esse_fail(err, ESSE_EINPUT, "byte %" PRIu64 ": %s",
                     source->passed + (uint64_t)(place - source->window), text);
}

bool esse_binary_fill(struct esse_source *source, size_t bytes, const char *what,
                      struct esse_error *err)
{
    while ((size_t)(source->end - source->at) < bytes) {
        if (source->last)
            return esse_binary_fail(source, err, source->end, "the file ends within %s", what);
        if (!esse_source_more(source, err))
            return false;
    }
    return true;
}

bool esse_binary_at_end(struct esse_source *source, bool *ok, struct esse_error *err)
{
    *ok = true;
    while (source->at == source->end && !source->last && *ok)
        *ok = esse_source_more(source, err);
    return source->at == source->end;
}
