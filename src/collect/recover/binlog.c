#include "collect/recover/binlog.h"

#include "base/arena.h"
#include "base/vec.h"
#include "collect/recover/binlog_row.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    EVENT_QUERY = 2,
    EVENT_FORMAT = 15,
    EVENT_XID = 16,
    EVENT_TABLE_MAP = 19,
    EVENT_WRITE_ROWS = 23, /* version 1; UPDATE and DELETE follow */
    EVENT_DELETE_ROWS = 25,
    EVENT_WRITE_ROWS_2 = 30,
    EVENT_DELETE_ROWS_2 = 32,
    EVENT_PARTIAL_UPDATE = 39, /* MySQL 8: of JSON columns */
    EVENT_PAYLOAD = 40,        /* MySQL 8: a compressed transaction */
    EVENT_GTID = 162,
    EVENT_QUERY_COMPRESSED = 165,
    EVENT_WRITE_ROWS_COMPRESSED = 166, /* of version 1 and 2 */
    EVENT_DELETE_ROWS_COMPRESSED = 171
};

enum { CHECKSUM_BYTES = 4 };

/* A description that has come, and its bytes: the next one of the table is usually the same. */
struct described {
    struct esse_binlog_table table;
    const char *bytes;
    size_t length;
};

ESSE_VEC(table_vec, struct described)
ESSE_VEC(log_cell_vec, struct esse_cell)

struct esse_binlog {
    struct esse_arena *arena;
    struct esse_change_sink *sink;
    struct table_vec tables;
    struct log_cell_vec cells, old;
    uint64_t txns;
    bool has_checksums;
    bool is_open, is_standalone; /* standalone: one statement that ends without COMMIT */
};

struct esse_binlog *esse_binlog_new(struct esse_arena *arena, struct esse_change_sink *sink)
{
    struct esse_binlog *decoder = esse_arena_alloc(arena, 1, sizeof *decoder);
    *decoder = (struct esse_binlog){ .arena = arena, .sink = sink };
    return decoder;
}

/* ---- transactions ---- */

static bool begin_txn(struct esse_binlog *d, struct esse_bytes *b, esse_value id)
{
    const struct esse_change_txn txn = { id, { ++d->txns, 0 } };
    d->is_open = true;
    return d->sink->begin(d->sink, &txn, b->err);
}

static bool read_gtid(struct esse_binlog *d, struct esse_bytes *b, uint64_t server)
{
    char text[64];
    const uint64_t sequence = esse_bytes_le(b, 8, "a GTID");
    const uint64_t domain = esse_bytes_le(b, 4, "a GTID");
    const uint64_t flags = esse_bytes_le(b, 1, "a GTID");
    if (!b->ok)
        return false;
    if (d->is_open && !d->is_standalone)
        return esse_bytes_fail(b, "a transaction begins within another");
    const int length =
        snprintf(text, sizeof text, "%" PRIu64 "-%" PRIu64 "-%" PRIu64, domain, server, sequence);
    d->is_standalone = flags & 1;
    return begin_txn(d, b, esse_value_string(d->sink->values, text, (size_t)length));
}

static bool end_txn(struct esse_binlog *d, struct esse_bytes *b)
{
    if (!d->is_open)
        return esse_bytes_fail(b, "a commit outside of a transaction");
    d->is_open = false;
    return d->sink->commit(d->sink, b->err);
}

static bool is_statement(const struct esse_bytes *b, const char *text)
{
    return esse_bytes_left(b) == strlen(text) && !memcmp(b->at, text, strlen(text));
}

/* Statements: BEGIN opens a transaction of MySQL, COMMIT ends one on tables without transactions,
 * ROLLBACK takes back what such tables do not; all others are DDL and say nothing about rows. */
static bool read_query(struct esse_binlog *d, struct esse_bytes *b)
{
    esse_bytes_take(b, 4 + 4, "a statement's header"); /* thread, seconds */
    const uint64_t schema = esse_bytes_le(b, 1, "a statement's header");
    esse_bytes_take(b, 2, "a statement's header"); /* error */
    const uint64_t status = esse_bytes_le(b, 2, "a statement's header");
    esse_bytes_take(b, status, "a statement's status");
    esse_bytes_take(b, schema + 1, "a statement's database");
    if (!b->ok)
        return false;
    const bool begins = !d->is_open && is_statement(b, "BEGIN");
    const bool ends = d->is_open && is_statement(b, "COMMIT");
    b->at = b->end;
    d->is_standalone &= !begins;
    return begins ? begin_txn(d, b, ESSE_NIL) : ends ? end_txn(d, b) : true;
}

/* ---- rows ---- */

static struct described *find_described(struct esse_binlog *d, uint64_t id)
{
    for (size_t i = 0; i < d->tables.count; i++)
        if (d->tables.at[i].table.id == id)
            return &d->tables.at[i];
    return NULL;
}

static bool read_table(struct esse_binlog *d, struct esse_bytes *b)
{
    struct esse_bytes head = *b;
    const struct described fresh = { .bytes = (const char *)b->at, .length = esse_bytes_left(b) };
    struct described *known = find_described(d, esse_bytes_le(&head, 6, "a table's id"));
    if (known && known->length == fresh.length &&
        !memcmp(known->bytes, fresh.bytes, fresh.length)) {
        b->at = b->end;
        return true;
    }
    struct described read = fresh;
    if (!esse_binlog_table_read(d->arena, b, &read.table))
        return false;
    read.bytes = esse_arena_text(d->arena, fresh.bytes, fresh.length);
    if (known)
        *known = read;
    else
        table_vec_push(&d->tables, d->arena, read);
    return true;
}

static const struct esse_binlog_table *find_table(struct esse_binlog *d, struct esse_bytes *b)
{
    const uint64_t id = esse_bytes_le(b, 6, "a table's id");
    const struct described *described = find_described(d, id);
    if (!described)
        esse_bytes_fail(b, "table %" PRIu64 " was never described", id);
    return described ? &described->table : NULL;
}

static bool bit(const unsigned char *bits, size_t i)
{
    return bits[i / 8] >> (i % 8) & 1;
}

/* One image: null bits for the columns that are there, then their values. */
static bool read_image(struct esse_binlog *d, struct esse_bytes *b,
                       const struct esse_binlog_table *table, const unsigned char *present,
                       struct log_cell_vec *cells)
{
    size_t count = 0, at = 0;
    for (size_t i = 0; i < table->count; i++)
        count += bit(present, i);
    const unsigned char *nulls = esse_bytes_take(b, (count + 7) / 8, "a row's null bits");
    cells->count = 0;
    for (size_t i = 0; i < table->count && b->ok; i++) {
        const struct esse_binlog_column *column = &table->columns[i];
        if (!bit(present, i))
            continue;
        struct esse_cell cell = { column->name, ESSE_NIL };
        if (!bit(nulls, at++))
            cell.value = esse_binlog_value(d->sink->values, b, column);
        if (b->ok)
            log_cell_vec_push(cells, d->arena, cell);
    }
    return b->ok;
}

static bool send(struct esse_binlog *d, struct esse_bytes *b, enum esse_change_kind kind,
                 const struct esse_binlog_table *table)
{
    const struct esse_change change = { kind,           table->name, d->cells.at,
                                        d->cells.count, d->old.at,   d->old.count };
    return d->sink->change(d->sink, &change, b->err);
}

/* 'action': 0 write, 1 update, 2 delete. */
static bool read_rows(struct esse_binlog *d, struct esse_bytes *b, unsigned action, bool has_extra)
{
    if (!d->is_open)
        return esse_bytes_fail(b, "rows outside of a transaction");
    const struct esse_binlog_table *table = find_table(d, b);
    esse_bytes_take(b, 2, "the flags of rows");
    if (has_extra) {
        const uint64_t extra = esse_bytes_le(b, 2, "the extra data of rows");
        if (b->ok && extra < 2)
            return esse_bytes_fail(b, "found %u, expected the length of extra data",
                                   (unsigned)extra);
        esse_bytes_take(b, extra - 2, "the extra data of rows");
    }
    const uint64_t count = esse_binlog_packed(b, "the columns");
    if (!b->ok)
        return false;
    if (d->sink->wants && !d->sink->wants(d->sink, table->name)) {
        b->at = b->end;
        d->cells.count = d->old.count = 0;
        return send(d, b, action == 2 ? ESSE_CHANGE_DELETE : ESSE_CHANGE_PUT, table);
    }
    if (count != table->count)
        return esse_bytes_fail(b, "found %" PRIu64 " columns, expected %zu", count, table->count);
    const unsigned char *before = esse_bytes_take(b, (count + 7) / 8, "the columns' bits");
    const unsigned char *after =
        action == 1 ? esse_bytes_take(b, (count + 7) / 8, "the columns' bits") : before;
    bool ok = b->ok;
    while (ok && esse_bytes_left(b)) {
        const unsigned char *from = b->at;
        d->old.count = 0;
        ok = (action != 1 || read_image(d, b, table, before, &d->old)) &&
             read_image(d, b, table, after, &d->cells) &&
             send(d, b, action == 2 ? ESSE_CHANGE_DELETE : ESSE_CHANGE_PUT, table);
        if (ok && b->at == from)
            return esse_bytes_fail(b, "a row without columns");
    }
    return ok;
}

/* ---- events ---- */

/* The last five bytes give the kind of checksums, and are one. */
static bool read_format(struct esse_binlog *d, struct esse_bytes *b)
{
    esse_bytes_take(b, 2 + 50 + 4 + 1, "a format description");
    if (b->ok && esse_bytes_left(b) < 1 + CHECKSUM_BYTES)
        return esse_bytes_fail(b, "the format description has no room for a checksum");
    if (!b->ok)
        return false;
    const unsigned char kind = b->end[-1 - CHECKSUM_BYTES];
    if (kind > 1)
        return esse_bytes_fail(b, "found checksums of kind %u, expected 0 or 1", kind);
    d->has_checksums = kind == 1;
    return true;
}

static bool dispatch(struct esse_binlog *d, struct esse_bytes *b, unsigned type, uint64_t server)
{
    switch (type) {
    case EVENT_QUERY:
        return read_query(d, b);
    case EVENT_XID:
        return end_txn(d, b);
    case EVENT_TABLE_MAP:
        return read_table(d, b);
    case EVENT_GTID:
        return read_gtid(d, b, server);
    default:
        break;
    }
    if (type >= EVENT_WRITE_ROWS && type <= EVENT_DELETE_ROWS)
        return read_rows(d, b, type - EVENT_WRITE_ROWS, false);
    if (type >= EVENT_WRITE_ROWS_2 && type <= EVENT_DELETE_ROWS_2)
        return read_rows(d, b, type - EVENT_WRITE_ROWS_2, true);
    if (type == EVENT_PARTIAL_UPDATE)
        return read_rows(d, b, 1, true);
    if (type == EVENT_PAYLOAD)
        return esse_bytes_fail(
            b, "a compressed transaction; binlog_transaction_compression must be off");
    if (type >= EVENT_WRITE_ROWS_COMPRESSED && type <= EVENT_DELETE_ROWS_COMPRESSED)
        return esse_bytes_fail(b, "compressed rows; log_bin_compress must be off");
    return true;
}

bool esse_binlog_event(struct esse_binlog *d, const void *bytes, size_t length, uint64_t offset,
                       struct esse_error *err)
{
    struct esse_bytes b = esse_bytes_over(bytes, length, offset, err);
    esse_bytes_take(&b, 4, "an event's header"); /* time */
    const unsigned type = (unsigned)esse_bytes_le(&b, 1, "an event's header");
    const uint64_t server = esse_bytes_le(&b, 4, "an event's header");
    const uint64_t size = esse_bytes_le(&b, 4, "an event's header");
    esse_bytes_take(&b, 4 + 2, "an event's header"); /* position, flags */
    if (b.ok && size != length)
        return esse_bytes_fail(&b, "found an event of %" PRIu64 " bytes, expected %zu", size,
                               length);
    if (!b.ok)
        return false;
    if (type == EVENT_FORMAT)
        return read_format(d, &b);
    if (d->has_checksums && esse_bytes_left(&b) < CHECKSUM_BYTES)
        return esse_bytes_fail(&b, "the event ends within its checksum");
    b.end -= d->has_checksums ? CHECKSUM_BYTES : 0;
    return dispatch(d, &b, type, server);
}
