#include "collect/recover/test_decoding.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "collect/recover/recover_text.h"

#include <string.h>

ESSE_VEC(line_cell_vec, struct esse_cell)

struct esse_test_decoding {
    struct esse_arena *arena;
    struct esse_change_sink *sink;
    struct line_cell_vec cells, old;
    char *text; /* identifiers and literals of the line without their quotes */
    size_t text_count, text_room;
    uint64_t txns;
    bool is_open;
    /* the line */
    const char *start, *at, *end;
    struct esse_error *err;
};

struct esse_test_decoding *esse_test_decoding_new(struct esse_arena *arena,
                                                  struct esse_change_sink *sink)
{
    struct esse_test_decoding *decoder = esse_arena_alloc(arena, 1, sizeof *decoder);
    decoder->arena = arena;
    decoder->sink = sink;
    return decoder;
}

static bool expected(const struct esse_test_decoding *d, const char *what)
{
    return esse_fail(d->err, ESSE_EINPUT, "byte %zu: expected %s", (size_t)(d->at - d->start),
                     what);
}

/* Passes over 'word' if it is next. */
static bool accept(struct esse_test_decoding *d, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(d->end - d->at) < length || memcmp(d->at, word, length) != 0)
        return false;
    d->at += length;
    return true;
}

/* ---- words ---- */

/* What stands between two quotes; a doubled one is a quote.  'text' has room: it is as long as the
 * line. */
static bool read_quoted(struct esse_test_decoding *d, char quote, struct esse_span *text)
{
    char *to = d->text + d->text_count;
    *text = (struct esse_span){ to, 0 };
    for (d->at++; d->at < d->end; d->at++) {
        if (*d->at == quote && (d->at + 1 == d->end || d->at[1] != quote)) {
            d->at++;
            d->text_count += text->length;
            return true;
        }
        d->at += *d->at == quote;
        to[text->length++] = *d->at;
    }
    return expected(d, quote == '"' ? "'\"'" : "\"'\"");
}

/* Up to a character of 'stops', which must come. */
static bool read_until(struct esse_test_decoding *d, const char *stops, struct esse_span *text,
                       const char *what)
{
    if (d->at < d->end && *d->at == '"')
        return read_quoted(d, '"', text);
    const char *from = d->at;
    while (d->at < d->end && !strchr(stops, *d->at))
        d->at++;
    *text = (struct esse_span){ from, (size_t)(d->at - from) };
    return (text->length && d->at < d->end) || expected(d, what);
}

static bool read_xid(struct esse_test_decoding *d, int64_t *xid)
{
    const char *from = d->at;
    int64_t number = 0;
    while (d->at < d->end && *d->at >= '0' && *d->at <= '9' && d->at - from < 11)
        number = number * 10 + (*d->at++ - '0');
    *xid = number;
    if (d->at == from || number > UINT32_MAX)
        return expected(d, "a transaction's id of 32 bits");
    return d->at == d->end || *d->at == ' ' || expected(d, "the end of the line");
}

/* ---- columns ---- */

static bool read_type(struct esse_test_decoding *d)
{
    for (; d->end - d->at >= 2; d->at++)
        if (d->at[0] == ']' && d->at[1] == ':') {
            d->at += 2;
            return true;
        }
    return expected(d, "']:' after a column's type");
}

static bool read_literal(struct esse_test_decoding *d, esse_value *value)
{
    struct esse_span text;
    if (accept(d, "unchanged-toast-datum")) {
        *value = ESSE_NONE;
        return true;
    }
    accept(d, "B"); /* of bits: B'0101' */
    if (d->at < d->end && *d->at == '\'') {
        if (!read_quoted(d, '\'', &text))
            return false;
        *value = esse_value_string(d->sink->values, text.at, text.length);
        return true;
    }
    const char *from = d->at;
    while (d->at < d->end && *d->at != ' ')
        d->at++;
    text = (struct esse_span){ from, (size_t)(d->at - from) };
    if (text.length == 4 && !memcmp(from, "null", 4))
        *value = ESSE_NIL;
    else if (text.length == 4 && !memcmp(from, "true", 4))
        *value = ESSE_TRUE;
    else if (text.length == 5 && !memcmp(from, "false", 5))
        *value = ESSE_FALSE;
    else
        *value = esse_value_of_digits(d->sink->values, from, text.length);
    return text.length || expected(d, "a value");
}

/* Columns up to the end or, after the old key, up to the new row. */
static bool read_columns(struct esse_test_decoding *d, struct line_cell_vec *cells)
{
    while (d->at < d->end) {
        struct esse_cell cell;
        if (!accept(d, " "))
            return expected(d, "a space");
        const char *mark = d->at;
        if (accept(d, "new-tuple:")) {
            d->at = mark;
            return true;
        }
        if (!read_until(d, "[", &cell.name, "a column's name and '['") || !accept(d, "["))
            return expected(d, "a column's name and '['");
        if (!read_type(d) || !read_literal(d, &cell.value))
            return false;
        line_cell_vec_push(cells, d->arena, cell);
    }
    return true;
}

static bool read_row(struct esse_test_decoding *d, enum esse_change_kind kind)
{
    if (accept(d, " (no-tuple-data)"))
        return expected(d, "the key of a changed row; the table needs a replica identity");
    if (kind == ESSE_CHANGE_PUT && accept(d, " old-key:")) {
        if (!read_columns(d, &d->old))
            return false;
        if (!accept(d, "new-tuple:"))
            return expected(d, "'new-tuple:'");
    }
    return read_columns(d, &d->cells);
}

static bool read_change(struct esse_test_decoding *d)
{
    struct esse_span schema, table;
    enum esse_change_kind kind = ESSE_CHANGE_PUT;
    if (!d->is_open)
        return expected(d, "BEGIN");
    if (!read_until(d, ".", &schema, "a schema's name and '.'") || !accept(d, ".") ||
        !read_until(d, ":,", &table, "a table's name and ':'"))
        return expected(d, "a table's name and ':'");
    d->cells.count = d->old.count = 0;
    if (accept(d, ": DELETE:"))
        kind = ESSE_CHANGE_DELETE;
    else if (accept(d, ": TRUNCATE:"))
        kind = ESSE_CHANGE_TRUNCATE;
    else if (!accept(d, ": INSERT:") && !accept(d, ": UPDATE:"))
        return expected(d, "INSERT, UPDATE, DELETE or TRUNCATE of one table");
    if (kind != ESSE_CHANGE_TRUNCATE && !read_row(d, kind))
        return false;
    const struct esse_change change = { kind,           table,     d->cells.at,
                                        d->cells.count, d->old.at, d->old.count };
    return d->sink->change(d->sink, &change, d->err);
}

bool esse_test_decoding_line(struct esse_test_decoding *d, const char *line, size_t length,
                             struct esse_error *err)
{
    int64_t xid;
    d->start = d->at = line;
    d->end = line + length;
    d->err = err;
    d->text_count = 0;
    if (d->text_room < length + 1) {
        d->text_room = length + 64;
        d->text = esse_arena_grow(d->arena, d->text, d->text_room);
    }
    if (accept(d, "table "))
        return read_change(d);
    if (accept(d, "BEGIN ")) {
        if (d->is_open)
            return expected(d, "COMMIT before the next BEGIN");
        if (!read_xid(d, &xid))
            return false;
        d->is_open = true;
        const struct esse_change_txn txn = { esse_value_small(xid), { ++d->txns, 0 } };
        return d->sink->begin(d->sink, &txn, err);
    }
    if (!d->is_open || !accept(d, "COMMIT ") || !read_xid(d, &xid))
        return expected(d, d->is_open ? "a table or COMMIT" : "BEGIN");
    d->is_open = false;
    return d->sink->commit(d->sink, err);
}
