#include "report/report_words.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdio.h>

/* One character, or one byte that is none (then 'code' is 0). */
struct letter {
    uint32_t code;
    size_t length;
};

static struct letter letter_at(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] < 0x80)
        return (struct letter){ at[0], 1 };
    const size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return (struct letter){ 0, 1 };
    uint32_t code = at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return (struct letter){ 0, 1 };
        code = code << 6 | (at[i] & 0x3fu);
    }
    const bool is_long = length == 3 ? code < 0x800 : length == 4 && code < 0x10000;
    if (is_long || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return (struct letter){ 0, 1 };
    return (struct letter){ code, length };
}

/* Generous: what might be wide is. */
static size_t width_of(uint32_t code)
{
    return (code >= 0x1100 && code < 0x1200) || (code >= 0x2e80 && code < 0xa4d0) ||
                   (code >= 0xac00 && code < 0xd7b0) || (code >= 0xf900 && code < 0xfb00) ||
                   (code >= 0xfe30 && code < 0xfe70) || (code >= 0xff00 && code < 0xff61) ||
                   code >= 0x1f000
               ? 2
               : 1;
}

size_t esse_words_width(const char *text)
{
    size_t width = 0;
    for (struct letter letter; *text; text += letter.length) {
        letter = letter_at(text);
        width += width_of(letter.code);
    }
    return width;
}

/* Where the first letter begins that would make the text wider than 'most'. */
static const char *after(const char *text, size_t most)
{
    for (size_t width = 0; *text;) {
        struct letter letter = letter_at(text);
        width += width_of(letter.code);
        if (width > most)
            break;
        text += letter.length;
    }
    return text;
}

const char *esse_words_fit(struct esse_arena *arena, const char *text, size_t most)
{
    const size_t width = esse_words_width(text);
    if (width <= most)
        return text;
    if (most < 3)
        return "…";
    /* The end is often what differs, so it gets nearly as much as the beginning. */
    const size_t tail = (most - 1) / 2, head = most - 1 - tail;
    const char *cut = after(text, head), *from = text;
    for (size_t left = width; left > tail;) {
        struct letter letter = letter_at(from);
        left -= width_of(letter.code);
        from += letter.length;
    }
    return esse_arena_format(arena, "%.*s…%s", (int)(cut - text), text, from);
}

const char *esse_words_line(struct esse_arena *arena, const char **rest, size_t most)
{
    const char *from = *rest;
    while (*from == ' ')
        from++;
    if (!*from)
        return NULL;
    const char *end = after(from, most);
    if (end == from)
        end += letter_at(from).length;
    if (*end && *end != ' ') {
        const char *space = memrchr(from, ' ', (size_t)(end - from));
        end = space ? space : end;
    }
    *rest = end;
    return esse_arena_text(arena, from, (size_t)(end - from));
}

void esse_words_count(char text[32], uint64_t count)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    for (int i = 0; i < length; i++) {
        *text++ = digits[i];
        if ((length - 1 - i) % 3 == 0 && i + 1 < length)
            *text++ = ',';
    }
    *text = '\0';
}

void esse_words_xml(struct esse_out *out, const char *text)
{
    static const char *const names[128] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"
    };
    for (struct letter letter; *text; text += letter.length) {
        letter = letter_at(text);
        if (letter.code < 0x80 && names[letter.code])
            esse_out_text(out, names[letter.code]);
        else if (letter.code < 0x20 || letter.code == 0x7f || letter.code == 0xfffe ||
                 letter.code == 0xffff)
            esse_out_text(out, "·");
        else
            esse_out_bytes(out, text, letter.length);
    }
}

void esse_words_xml_lines(struct esse_out *out, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        esse_words_xml(out, esse_arena_text(out->arena, text, length));
        text += length;
        if (*text)
            esse_out_char(out, *text++);
    }
}
