#include "history/value_edn.h"

#include <assert.h>

void esse_out_edn(struct esse_out *out, const char *text, size_t length)
{
    static const char escapes[] = { ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                    ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\' };
    size_t from = 0;
    esse_out_char(out, '"');
    for (size_t at = 0; at < length; at++) {
        unsigned char c = (unsigned char)text[at];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        esse_out_bytes(out, text + from, at - from);
        from = at + 1;
        if (escapes[c]) {
            esse_out_char(out, '\\');
            esse_out_char(out, escapes[c]);
        } else {
            esse_out_f(out, "\\u%04x", c);
        }
    }
    esse_out_bytes(out, text + from, length - from);
    esse_out_char(out, '"');
}

static void put_text(struct esse_out *out, const struct esse_values *values, const char *before,
                     esse_value value)
{
    char room[8];
    struct esse_span text = esse_value_text(values, value, room);
    esse_out_text(out, before);
    esse_out_bytes(out, text.at, text.length);
}

static void put_parts(struct esse_out *out, const struct esse_values *values,
                      enum esse_value_kind kind, esse_value value)
{
    static const char *const brackets[] = {
        [ESSE_KIND_SEQ] = "[]", [ESSE_KIND_SET] = "{}", [ESSE_KIND_MAP] = "{}"
    };
    uint32_t count;
    const esse_value *parts = esse_value_parts(values, value, &count);
    if (kind == ESSE_KIND_SET)
        esse_out_char(out, '#');
    esse_out_char(out, brackets[kind][0]);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            esse_out_text(out, kind == ESSE_KIND_MAP && i % 2 == 0 ? ", " : " ");
        esse_value_put_edn(out, values, parts[i]);
    }
    esse_out_char(out, brackets[kind][1]);
}

static void put_tagged(struct esse_out *out, const struct esse_values *values, esse_value value)
{
    uint32_t count;
    const esse_value *parts = esse_value_parts(values, value, &count);
    assert(count == 2);
    put_text(out, values, "#", parts[0]);
    esse_out_char(out, ' ');
    esse_value_put_edn(out, values, parts[1]);
}

void esse_value_put_edn(struct esse_out *out, const struct esse_values *values, esse_value value)
{
    int64_t number = 0;
    char room[8];
    struct esse_span text;
    enum esse_value_kind kind = esse_value_kind(values, value);
    assert(kind != ESSE_KIND_LIST);
    switch (kind) {
    case ESSE_KIND_NONE:
    case ESSE_KIND_NIL:
        esse_out_text(out, "nil");
        break;
    case ESSE_KIND_FALSE:
        esse_out_text(out, "false");
        break;
    case ESSE_KIND_TRUE:
        esse_out_text(out, "true");
        break;
    case ESSE_KIND_INT:
        esse_value_as_int(values, value, &number);
        esse_out_i64(out, number);
        break;
    case ESSE_KIND_STRING:
        text = esse_value_text(values, value, room);
        esse_out_edn(out, text.at, text.length);
        break;
    case ESSE_KIND_NUMBER:
    case ESSE_KIND_SYMBOL:
        put_text(out, values, "", value);
        break;
    case ESSE_KIND_KEYWORD:
        put_text(out, values, ":", value);
        break;
    case ESSE_KIND_CHAR:
        put_text(out, values, "\\", value);
        break;
    case ESSE_KIND_SEQ:
    case ESSE_KIND_SET:
    case ESSE_KIND_MAP:
        put_parts(out, values, kind, value);
        break;
    case ESSE_KIND_TAGGED:
        put_tagged(out, values, value);
        break;
    case ESSE_KIND_LIST:
        break; /* asserted above */
    }
}
