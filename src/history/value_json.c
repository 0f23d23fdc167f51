#include "history/value_json.h"

#include <assert.h>

static void put_seq(struct esse_out *out, const struct esse_values *values, esse_value value)
{
    uint32_t count;
    const esse_value *parts = esse_value_parts(values, value, &count);
    esse_out_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            esse_out_char(out, ',');
        esse_value_put_json(out, values, parts[i]);
    }
    esse_out_char(out, ']');
}

static void put_map(struct esse_out *out, const struct esse_values *values, esse_value value)
{
    uint32_t count;
    const esse_value *parts = esse_value_parts(values, value, &count);
    esse_out_char(out, '{');
    for (uint32_t i = 0; i + 1 < count; i += 2) {
        if (i)
            esse_out_char(out, ',');
        esse_value_put_json_name(out, values, parts[i]);
        esse_out_char(out, ':');
        esse_value_put_json(out, values, parts[i + 1]);
    }
    esse_out_char(out, '}');
}

void esse_value_put_json(struct esse_out *out, const struct esse_values *values, esse_value value)
{
    int64_t number;
    uint32_t count;
    enum esse_value_kind kind = esse_value_kind(values, value);
    assert(kind != ESSE_KIND_LIST);
    switch (kind) {
    case ESSE_KIND_NONE:
    case ESSE_KIND_NIL:
        esse_out_text(out, "null");
        break;
    case ESSE_KIND_FALSE:
    case ESSE_KIND_TRUE:
        esse_out_text(out, kind == ESSE_KIND_TRUE ? "true" : "false");
        break;
    case ESSE_KIND_INT:
        esse_value_as_int(values, value, &number);
        esse_out_i64(out, number);
        break;
    case ESSE_KIND_SEQ:
    case ESSE_KIND_SET:
        put_seq(out, values, value);
        break;
    case ESSE_KIND_MAP:
        put_map(out, values, value);
        break;
    case ESSE_KIND_TAGGED:
        esse_value_put_json(out, values, esse_value_parts(values, value, &count)[1]);
        break;
    default:
        esse_value_put_json_name(out, values, value);
    }
}

void esse_value_put_json_name(struct esse_out *out, const struct esse_values *values,
                              esse_value value)
{
    enum esse_value_kind kind = esse_value_kind(values, value);
    if (kind >= ESSE_KIND_NUMBER && kind <= ESSE_KIND_CHAR) {
        char room[8];
        struct esse_span text = esse_value_text(values, value, room);
        esse_out_json(out, text.at, text.length);
        return;
    }
    int64_t number;
    if (kind == ESSE_KIND_INT) {
        esse_value_as_int(values, value, &number);
        esse_out_char(out, '"');
        esse_out_i64(out, number);
        esse_out_char(out, '"');
        return;
    }
    /* A compound key: its own JSON, as a string. */
    struct esse_arena *arena = esse_arena_new();
    struct esse_out inner;
    esse_out_init_memory(&inner, arena);
    esse_value_put_json(&inner, values, value);
    const char *text = esse_out_memory(&inner);
    esse_out_json(out, text, inner.count);
    esse_arena_free(arena);
}
