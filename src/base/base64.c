#include "base/base64.h"

#include <stdint.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void esse_base64_encode(const void *bytes, size_t length, char *text)
{
    const unsigned char *at = bytes;
    for (; length > 0; at += 3, text += 4) {
        const size_t taken = length < 3 ? length : 3;
        uint32_t group = (uint32_t)at[0] << 16;
        group |= taken > 1 ? (uint32_t)at[1] << 8 : 0;
        group |= taken > 2 ? at[2] : 0;
        for (unsigned i = 0; i < 4; i++)
            text[i] = i <= taken ? alphabet[group >> (18 - 6 * i) & 63] : '=';
        length -= taken;
    }
}

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four characters, of which 'padding' at the end are '='. */
static bool decode_group(const char *text, unsigned padding, unsigned char *to)
{
    uint32_t group = 0;
    for (unsigned i = 0; i < 4; i++) {
        const int digit = i < 4 - padding ? digit_of(text[i]) : 0;
        if (digit < 0)
            return false;
        group = group << 6 | (uint32_t)digit;
    }
    if (group & ((1u << 8 * padding) - 1))
        return false; /* bits that mean nothing are zero */
    for (unsigned i = 0; i < 3 - padding; i++)
        to[i] = (unsigned char)(group >> (16 - 8 * i));
    return true;
}

bool esse_base64_decode(const char *text, size_t length, void *bytes, size_t *count)
{
    unsigned char *to = bytes;
    *count = 0;
    if (length % 4)
        return false;
    for (size_t at = 0; at < length; at += 4) {
        const bool is_last = at + 4 == length;
        const unsigned padding = !is_last || text[at + 3] != '=' ? 0 : text[at + 2] != '=' ? 1 : 2;
        if (!decode_group(text + at, padding, to + *count))
            return false;
        *count += 3 - padding;
    }
    return true;
}
