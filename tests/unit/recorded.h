#ifndef ESSE_TESTS_UNIT_RECORDED_H
#define ESSE_TESTS_UNIT_RECORDED_H

/* The exchanges in tests/recorded, and a change sink that writes down what it is sent. */

#include "base/out.h"
#include "collect/recover/change.h"
#include "history/value_json.h"

#include "test.h"

static inline char *recorded_file(struct esse_arena *arena, const char *name, size_t *length)
{
    char path[200];
    snprintf(path, sizeof path, "tests/recorded/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = esse_arena_alloc(arena, 1 << 20, 1);
    *length = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* The line from '*at' on, without its end; false when there is none. */
static inline bool recorded_line(const char **at, const char *end, struct esse_span *line)
{
    if (*at >= end)
        return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    stop = stop ? stop : end;
    *line = (struct esse_span){ *at, (size_t)(stop - *at) };
    *at = stop + 1;
    return true;
}

/* Hexadecimal digits as bytes, white space between them ignored. */
static inline size_t recorded_hex(const char *text, size_t length, unsigned char *bytes)
{
    size_t digits = 0;
    for (size_t i = 0; i < length; i++) {
        const char *hex = "0123456789abcdef", *digit = strchr(hex, text[i]);
        if (!digit || !text[i])
            continue;
        if (digits % 2 == 0)
            bytes[digits / 2] = 0;
        bytes[digits / 2] = (unsigned char)(bytes[digits / 2] << 4 | (digit - hex));
        digits++;
    }
    return digits / 2;
}

struct recorded_sink {
    struct esse_change_sink sink;
    struct esse_out out;
    bool with_old, with_ids;
    unsigned commits;
};

static inline void recorded_cells(struct recorded_sink *r, const struct esse_cell *cells,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char room[8];
        esse_out_f(&r->out, "%s%.*s=", i ? " " : "", (int)cells[i].name.length, cells[i].name.at);
        const bool is_text = esse_value_kind(r->sink.values, cells[i].value) == ESSE_KIND_STRING;
        const struct esse_span text = is_text
                                          ? esse_value_text(r->sink.values, cells[i].value, room)
                                          : (struct esse_span){ "", 0 };
        if (esse_value_eq(cells[i].value, ESSE_NONE))
            esse_out_text(&r->out, "?");
        else if (text.length > 100)
            esse_out_f(&r->out, "\"%.5s...%zu\"", text.at, text.length);
        else
            esse_value_put_json(&r->out, r->sink.values, cells[i].value);
    }
}

static inline bool recorded_begin(struct esse_change_sink *sink, const struct esse_change_txn *txn,
                                  struct esse_error *err)
{
    struct recorded_sink *r = (struct recorded_sink *)sink;
    (void)err;
    if (r->with_ids)
        esse_value_put_json(&r->out, sink->values, txn->id);
    esse_out_text(&r->out, "{");
    return true;
}

static inline bool recorded_change(struct esse_change_sink *sink, const struct esse_change *change,
                                   struct esse_error *err)
{
    struct recorded_sink *r = (struct recorded_sink *)sink;
    (void)err;
    static const char *const kinds[] = { "put", "delete", "truncate" };
    esse_out_f(&r->out, "%s %.*s(", kinds[change->kind], (int)change->table.length,
               change->table.at);
    if (r->with_old && change->old_count) {
        recorded_cells(r, change->old, change->old_count);
        esse_out_text(&r->out, " -> ");
    }
    recorded_cells(r, change->cells, change->count);
    esse_out_text(&r->out, ")");
    return true;
}

static inline bool recorded_commit(struct esse_change_sink *sink, struct esse_error *err)
{
    struct recorded_sink *r = (struct recorded_sink *)sink;
    (void)err;
    r->commits++;
    esse_out_text(&r->out, "}\n");
    return true;
}

static inline struct recorded_sink *recorded_sink_new(struct esse_arena *arena)
{
    struct recorded_sink *r = esse_arena_alloc(arena, 1, sizeof *r);
    r->sink = (struct esse_change_sink){ esse_values_new(arena), recorded_begin, recorded_change,
                                         recorded_commit };
    esse_out_init_memory(&r->out, arena);
    return r;
}

#endif
