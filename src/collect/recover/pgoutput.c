#include "collect/recover/pgoutput.h"

#include "base/arena.h"
#include "base/vec.h"
#include "collect/recover/bytes.h"
#include "collect/recover/recover_text.h"

enum { PG_BOOL = 16, PG_INT8 = 20, PG_INT2 = 21, PG_INT4 = 23 }; /* catalogue/pg_type.dat */

struct column {
    struct esse_span name;
    uint32_t type;
};

struct relation {
    uint32_t oid;
    struct esse_span name;
    const struct column *columns;
    size_t count;
};

ESSE_VEC(relation_vec, struct relation)
ESSE_VEC(cell_vec, struct esse_cell)

struct esse_pgoutput {
    struct esse_arena *arena;
    struct esse_change_sink *sink;
    struct relation_vec relations;
    struct cell_vec cells, old;
    bool is_open; /* between Begin and Commit */
};

struct esse_pgoutput *esse_pgoutput_new(struct esse_arena *arena, struct esse_change_sink *sink)
{
    struct esse_pgoutput *decoder = esse_arena_alloc(arena, 1, sizeof *decoder);
    *decoder = (struct esse_pgoutput){ .arena = arena, .sink = sink };
    return decoder;
}

/* What a column of this type holds: integers and booleans as such, anything else as its text. */
static esse_value value_of(struct esse_values *values, uint32_t type, const char *text,
                           size_t length)
{
    if (type == PG_INT8 || type == PG_INT4 || type == PG_INT2)
        return esse_value_of_digits(values, text, length);
    if (type == PG_BOOL && length == 1)
        return text[0] == 't' ? ESSE_TRUE : ESSE_FALSE;
    return esse_value_string(values, text, length);
}

/* ---- tables ---- */

static struct esse_span keep(struct esse_pgoutput *d, struct esse_span text)
{
    return (struct esse_span){ esse_arena_text(d->arena, text.at, text.length), text.length };
}

static struct relation *find_relation(struct esse_pgoutput *d, uint32_t oid)
{
    for (size_t i = 0; i < d->relations.count; i++)
        if (d->relations.at[i].oid == oid)
            return &d->relations.at[i];
    return NULL;
}

static bool read_relation(struct esse_pgoutput *d, struct esse_bytes *b)
{
    struct relation relation = { .oid = (uint32_t)esse_bytes_be(b, 4, "a table's id") };
    esse_bytes_text(b, "a schema's name");
    const struct esse_span name = esse_bytes_text(b, "a table's name");
    esse_bytes_be(b, 1, "a replica identity");
    relation.count = (size_t)esse_bytes_be(b, 2, "a number of columns");
    if (!b->ok)
        return false;
    struct column *columns = esse_arena_alloc(d->arena, relation.count + 1, sizeof *columns);
    for (size_t i = 0; i < relation.count && b->ok; i++) {
        esse_bytes_be(b, 1, "a column's flags");
        const struct esse_span column = esse_bytes_text(b, "a column's name");
        columns[i].type = (uint32_t)esse_bytes_be(b, 4, "a column's type");
        esse_bytes_be(b, 4, "a column's type modifier");
        if (b->ok)
            columns[i].name = keep(d, column);
    }
    if (!b->ok)
        return false;
    relation.name = keep(d, name);
    relation.columns = columns;
    struct relation *known = find_relation(d, relation.oid);
    if (known)
        *known = relation; /* it was altered, or the connection is new */
    else
        relation_vec_push(&d->relations, d->arena, relation);
    return true;
}

static const struct relation *read_oid(struct esse_pgoutput *d, struct esse_bytes *b)
{
    const uint32_t oid = (uint32_t)esse_bytes_be(b, 4, "a table's id");
    const struct relation *relation = b->ok ? find_relation(d, oid) : NULL;
    if (b->ok && !relation)
        esse_bytes_fail(b, "table %u was never described", oid);
    return relation;
}

/* ---- rows ---- */

static bool read_cell(struct esse_pgoutput *d, struct esse_bytes *b, const struct column *column,
                      struct cell_vec *cells)
{
    struct esse_cell cell = { column->name, ESSE_NIL };
    const char kind = (char)esse_bytes_be(b, 1, "a column's kind");
    if (kind == 't') {
        const uint64_t length = esse_bytes_be(b, 4, "a column's length");
        const unsigned char *text = esse_bytes_take(b, length, "a column's text");
        if (text)
            cell.value =
                value_of(d->sink->values, column->type, (const char *)text, (size_t)length);
    } else if (kind == 'u') {
        cell.value = ESSE_NONE;
    } else if (kind != 'n') {
        b->at -= b->ok;
        return esse_bytes_fail(b, "found column kind 0x%02x, expected 'n', 'u' or 't'",
                               (unsigned char)kind);
    }
    if (b->ok)
        cell_vec_push(cells, d->arena, cell);
    return b->ok;
}

static bool read_row(struct esse_pgoutput *d, struct esse_bytes *b, const struct relation *relation,
                     struct cell_vec *cells)
{
    cells->count = 0;
    const uint64_t count = esse_bytes_be(b, 2, "a number of columns");
    if (b->ok && count != relation->count)
        return esse_bytes_fail(b, "found %u columns, expected %zu", (unsigned)count,
                               relation->count);
    for (size_t i = 0; i < count && b->ok; i++)
        read_cell(d, b, &relation->columns[i], cells);
    return b->ok;
}

static bool read_old_row(struct esse_pgoutput *d, struct esse_bytes *b,
                         const struct relation *relation, char kind, struct cell_vec *cells)
{
    if (kind == 'K' || kind == 'O')
        return read_row(d, b, relation, cells);
    return esse_bytes_fail(b, "found row kind 0x%02x, expected 'K', 'O' or 'N'",
                           (unsigned char)kind);
}

static bool send(struct esse_pgoutput *d, struct esse_bytes *b, enum esse_change_kind kind,
                 const struct relation *relation)
{
    const struct esse_change change = { .kind = kind,
                                        .table = relation->name,
                                        .cells = d->cells.at,
                                        .count = d->cells.count,
                                        .old = d->old.at,
                                        .old_count = d->old.count };
    return d->sink->change(d->sink, &change, b->err);
}

/* Insert, Update and Delete: a table, perhaps the row before, the row after unless deleted. */
static bool read_change(struct esse_pgoutput *d, struct esse_bytes *b, char type)
{
    const struct relation *relation = read_oid(d, b);
    d->cells.count = d->old.count = 0;
    if (!relation)
        return false;
    char kind = (char)esse_bytes_be(b, 1, "a row's kind");
    if (type == 'D')
        return read_old_row(d, b, relation, kind, &d->cells) &&
               send(d, b, ESSE_CHANGE_DELETE, relation);
    if (type == 'U' && kind != 'N') {
        if (!read_old_row(d, b, relation, kind, &d->old))
            return false;
        kind = (char)esse_bytes_be(b, 1, "a row's kind");
    }
    if (b->ok && kind != 'N')
        return esse_bytes_fail(b, "found row kind 0x%02x, expected 'N'", (unsigned char)kind);
    return b->ok && read_row(d, b, relation, &d->cells) && send(d, b, ESSE_CHANGE_PUT, relation);
}

static bool read_truncate(struct esse_pgoutput *d, struct esse_bytes *b)
{
    const uint64_t count = esse_bytes_be(b, 4, "a number of tables");
    esse_bytes_be(b, 1, "the options of TRUNCATE");
    d->cells.count = d->old.count = 0;
    for (uint64_t i = 0; i < count && b->ok; i++) {
        const struct relation *relation = read_oid(d, b);
        if (!relation || !send(d, b, ESSE_CHANGE_TRUNCATE, relation))
            return false;
    }
    return b->ok;
}

/* ---- transactions ---- */

static bool read_begin(struct esse_pgoutput *d, struct esse_bytes *b)
{
    const uint64_t commit = esse_bytes_be(b, 8, "a log position");
    esse_bytes_be(b, 8, "a time");
    const uint64_t xid = esse_bytes_be(b, 4, "a transaction's id");
    if (!b->ok)
        return false;
    if (d->is_open)
        return esse_bytes_fail(b, "a transaction begins within another");
    d->is_open = true;
    const struct esse_change_txn txn = { esse_value_small((int64_t)xid), { commit, 0 } };
    return d->sink->begin(d->sink, &txn, b->err);
}

static bool read_commit(struct esse_pgoutput *d, struct esse_bytes *b)
{
    esse_bytes_take(b, 1 + 8 + 8 + 8, "a commit"); /* flags, two log positions, a time */
    d->is_open = false;
    return b->ok && d->sink->commit(d->sink, b->err);
}

static bool read_type(struct esse_bytes *b)
{
    esse_bytes_be(b, 4, "a type's id");
    esse_bytes_text(b, "a schema's name");
    esse_bytes_text(b, "a type's name");
    return b->ok;
}

static bool read_origin(struct esse_bytes *b)
{
    esse_bytes_be(b, 8, "a log position");
    esse_bytes_text(b, "an origin's name");
    return b->ok;
}

static bool dispatch(struct esse_pgoutput *d, struct esse_bytes *b)
{
    const char type = (char)esse_bytes_be(b, 1, "a message's type");
    switch (b->ok ? type : 0) {
    case 'B':
        return read_begin(d, b);
    case 'R':
        return read_relation(d, b);
    case 'Y':
        return read_type(b);
    case 'O':
        return read_origin(b);
    case 'C':
    case 'I':
    case 'U':
    case 'D':
    case 'T':
        break;
    default:
        b->at -= b->ok;
        return esse_bytes_fail(b, "found message type 0x%02x, expected one of protocol version 1",
                               (unsigned char)type);
    }
    if (!d->is_open)
        return esse_bytes_fail(b, "found message '%c' outside of a transaction", type);
    if (type == 'C')
        return read_commit(d, b);
    return type == 'T' ? read_truncate(d, b) : read_change(d, b, type);
}

bool esse_pgoutput_message(struct esse_pgoutput *decoder, const void *bytes, size_t length,
                           struct esse_error *err)
{
    struct esse_bytes b = esse_bytes_over(bytes, length, 0, err);
    if (!dispatch(decoder, &b))
        return false;
    if (esse_bytes_left(&b))
        return esse_bytes_fail(&b, "%zu bytes follow the message", esse_bytes_left(&b));
    return true;
}

/* ---- around them ---- */

bool esse_pg_frame_read(const void *bytes, size_t length, struct esse_pg_frame *frame,
                        struct esse_error *err)
{
    struct esse_bytes b = esse_bytes_over(bytes, length, 0, err);
    const char type = (char)esse_bytes_be(&b, 1, "a frame's type");
    struct esse_pg_frame read = { .is_data = type == 'w' };
    if (type != 'w' && type != 'k') {
        b.at -= b.ok;
        return esse_bytes_fail(&b, "found frame type 0x%02x, expected 'w' or 'k'",
                               (unsigned char)type);
    }
    read.position = esse_bytes_be(&b, 8, "a log position");
    if (read.is_data)
        esse_bytes_be(&b, 8, "a log position");
    esse_bytes_be(&b, 8, "a time");
    if (!read.is_data)
        read.wants_reply = esse_bytes_be(&b, 1, "a keepalive's flag") != 0;
    read.bytes = b.at;
    read.length = esse_bytes_left(&b);
    if (b.ok)
        *frame = read;
    return b.ok;
}

void esse_pg_status_write(unsigned char bytes[ESSE_PG_STATUS_BYTES], uint64_t position)
{
    memset(bytes, 0, ESSE_PG_STATUS_BYTES); /* the time is for monitoring only */
    bytes[0] = 'r';
    for (unsigned field = 0; field < 3; field++) /* written, flushed, applied */
        for (unsigned i = 0; i < 8; i++)
            bytes[1 + 8 * field + i] = (unsigned char)(position >> (56 - 8 * i));
}
