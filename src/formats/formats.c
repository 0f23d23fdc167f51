#include "formats/formats.h"

#include "base/arena.h"
#include "formats/jepsen.h"
#include "formats/log_read.h"
#include "formats/native.h"
#include "formats/peers.h"
#include "formats/trace.h"

#include <string.h>

/* The order matters for sniffing: the first that says yes. */
const struct esse_format *const esse_formats[] = {
    &esse_format_log,        &esse_format_trace,
    &esse_format_native,     &esse_format_elle_json,
    &esse_format_jepsen_edn, &esse_format_plume,
    &esse_format_awdit,      &esse_format_dbcop,
    &esse_format_cobra,      NULL,
};

const char *esse_format_name(size_t at)
{
    size_t count = sizeof esse_formats / sizeof *esse_formats;
    return at < count && esse_formats[at] ? esse_formats[at]->name : NULL;
}

const struct esse_format *esse_format_find(const char *name)
{
    for (size_t i = 0; esse_formats[i]; i++)
        if (strcmp(esse_formats[i]->name, name) == 0)
            return esse_formats[i];
    return NULL;
}

const char *esse_format_names(struct esse_arena *arena, bool written)
{
    const char *names = "", *last = NULL;
    for (size_t i = 0; esse_formats[i]; i++) {
        if (written && !esse_format_is_written(esse_formats[i]))
            continue;
        if (last)
            names = esse_arena_format(arena, "%s%s%s", names, *names ? ", " : "", last);
        last = esse_formats[i]->name;
    }
    return esse_arena_format(arena, "%s and %s", names, last);
}

/* Whether 'ending' is one of the space-separated 'extensions'. */
static bool has_extension(const char *extensions, const char *ending, size_t length)
{
    while (*extensions) {
        size_t word = strcspn(extensions, " ");
        if (word == length && memcmp(extensions, ending, length) == 0)
            return true;
        extensions += word + (extensions[word] == ' ');
    }
    return false;
}

const struct esse_format *esse_format_by_path(const char *path)
{
    size_t length = strlen(path);
    static const char *const packed[] = { ".gz", ".zst", ".zstd" };
    for (size_t i = 0; i < 3; i++) {
        size_t ending = strlen(packed[i]);
        if (length > ending && memcmp(path + length - ending, packed[i], ending) == 0)
            length -= ending;
    }
    const char *dot = memrchr(path, '.', length);
    for (size_t i = 0; dot && esse_formats[i]; i++)
        if (has_extension(esse_formats[i]->extensions, dot, (size_t)(path + length - dot)))
            return esse_formats[i];
    return NULL;
}

static const struct esse_format *sniff_as(const char *at, const char *end, bool binary)
{
    for (size_t i = 0; at < end && esse_formats[i]; i++)
        if (esse_formats[i]->sniff && esse_formats[i]->is_binary == binary &&
            esse_formats[i]->sniff(at, end))
            return esse_formats[i];
    return NULL;
}

/* Binary formats are asked first: their first byte may be any, '#' and '{' too, and what they look
 * for no text has. */
const struct esse_format *esse_format_sniff(const struct esse_source *source)
{
    const char *text = source->at;
    while (text < source->end && strchr(" \t\r\n", *text))
        text++;
    const struct esse_format *format = sniff_as(source->at, source->end, true);
    if (!format)
        format = sniff_as(text, source->end, false);
    return format ? format : esse_format_by_path(source->path);
}
