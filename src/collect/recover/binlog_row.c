#include "collect/recover/binlog_row.h"

#include "base/arena.h"

/* Column types, as the protocol numbers them. */
enum {
    TYPE_TINY = 1,
    TYPE_SHORT = 2,
    TYPE_LONG = 3,
    TYPE_LONGLONG = 8,
    TYPE_INT24 = 9,
    TYPE_VARCHAR = 15,
    TYPE_BLOB = 252,
    TYPE_STRING = 254
};

/* Fields of the optional metadata. */
enum { FIELD_SIGNEDNESS = 1, FIELD_COLUMN_NAME = 4 };

uint64_t esse_binlog_packed(struct esse_bytes *bytes, const char *what)
{
    const uint64_t first = esse_bytes_le(bytes, 1, what);
    if (first < 251)
        return first;
    if (first == 252 || first == 253)
        return esse_bytes_le(bytes, first == 252 ? 2 : 3, what);
    if (first == 254)
        return esse_bytes_le(bytes, 8, what);
    esse_bytes_fail(bytes, "found 0x%02x, expected the length of %s", (unsigned)first, what);
    return 0;
}

/* ---- tables ---- */

static bool is_integer(uint8_t type)
{
    return type == TYPE_TINY || type == TYPE_SHORT || type == TYPE_LONG || type == TYPE_INT24 ||
           type == TYPE_LONGLONG;
}

/* Bytes of metadata of types that rows may have; others have some too, and since what follows
 * could not be found after them, the whole table is refused if one is used. */
static int meta_size(uint8_t type)
{
    switch (type) {
    case 0:  /* DECIMAL, old */
    case 6:  /* NULL */
    case 7:  /* TIMESTAMP, old */
    case 10: /* DATE, old */
    case 11: /* TIME, old */
    case 12: /* DATETIME, old */
    case 13: /* YEAR */
    case 14: /* DATE */
        return 0;
    case 4:   /* FLOAT */
    case 5:   /* DOUBLE */
    case 17:  /* TIMESTAMP */
    case 18:  /* DATETIME */
    case 19:  /* TIME */
    case 245: /* JSON */
    case TYPE_BLOB:
    case 255: /* GEOMETRY */
        return 1;
    case 16:  /* BIT */
    case 246: /* DECIMAL */
    case 247: /* ENUM */
    case 248: /* SET */
    case TYPE_VARCHAR:
    case 253: /* VAR_STRING */
    case TYPE_STRING:
        return 2;
    default:
        return is_integer(type) ? 0 : -1;
    }
}

static bool read_meta(struct esse_bytes *b, struct esse_binlog_column *columns, size_t count)
{
    const uint64_t length = esse_binlog_packed(b, "the columns' metadata");
    const unsigned char *meta = esse_bytes_take(b, length, "the columns' metadata");
    if (!meta)
        return false;
    struct esse_bytes inner = *b;
    inner.at = meta;
    inner.end = meta + length;
    for (size_t i = 0; i < count && inner.ok; i++) {
        const int size = meta_size(columns[i].type);
        if (size < 0)
            esse_bytes_fail(&inner, "column %zu has the unknown type %u", i + 1, columns[i].type);
        else if (size > 0)
            columns[i].meta = (uint16_t)esse_bytes_le(&inner, (unsigned)size, "metadata");
    }
    b->ok = inner.ok;
    return b->ok;
}

/* One bit for each integer column, the first in the highest bit. */
static void set_signs(struct esse_bytes *field, struct esse_binlog_column *columns, size_t count)
{
    const size_t length = esse_bytes_left(field);
    size_t number = 0;
    for (size_t i = 0; i < count; i++) {
        /* Floats and decimals are numeric too and have a bit. */
        const uint8_t type = columns[i].type;
        if (!is_integer(type) && type != 4 && type != 5 && type != 246 && type != 13)
            continue;
        if (number / 8 < length)
            columns[i].is_unsigned = field->at[number / 8] >> (7 - number % 8) & 1;
        number++;
    }
}

static bool set_names(struct esse_arena *arena, struct esse_bytes *field,
                      struct esse_binlog_column *columns, size_t count)
{
    for (size_t i = 0; i < count && esse_bytes_left(field); i++) {
        const uint64_t length = esse_binlog_packed(field, "a column's name");
        const unsigned char *text = esse_bytes_take(field, length, "a column's name");
        if (!text)
            return false;
        columns[i].name.at = esse_arena_text(arena, (const char *)text, (size_t)length);
        columns[i].name.length = (size_t)length;
    }
    return true;
}

static bool read_optional(struct esse_arena *arena, struct esse_bytes *b,
                          struct esse_binlog_column *columns, size_t count)
{
    while (b->ok && esse_bytes_left(b)) {
        const uint64_t type = esse_bytes_le(b, 1, "a field of metadata");
        const uint64_t length = esse_binlog_packed(b, "a field of metadata");
        const unsigned char *at = esse_bytes_take(b, length, "a field of metadata");
        if (!at)
            return false;
        struct esse_bytes field = *b;
        field.at = at;
        field.end = at + length;
        if (type == FIELD_SIGNEDNESS)
            set_signs(&field, columns, count);
        else if (type == FIELD_COLUMN_NAME && !set_names(arena, &field, columns, count))
            b->ok = false;
    }
    return b->ok;
}

static void number_columns(struct esse_arena *arena, struct esse_binlog_column *columns,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (columns[i].name.at)
            continue;
        columns[i].name.at = esse_arena_format(arena, "@%zu", i + 1);
        columns[i].name.length = strlen(columns[i].name.at);
    }
}

bool esse_binlog_table_read(struct esse_arena *arena, struct esse_bytes *b,
                            struct esse_binlog_table *table)
{
    table->id = esse_bytes_le(b, 6, "a table's id");
    esse_bytes_take(b, 2, "a table's flags");
    const uint64_t schema = esse_bytes_le(b, 1, "a database's name");
    esse_bytes_take(b, schema + 1, "a database's name");
    const uint64_t length = esse_bytes_le(b, 1, "a table's name");
    const unsigned char *name = esse_bytes_take(b, length + 1, "a table's name");
    const uint64_t count = esse_binlog_packed(b, "the columns");
    const unsigned char *types = esse_bytes_take(b, count, "the columns' types");
    if (!b->ok)
        return false;
    struct esse_binlog_column *columns = esse_arena_alloc(arena, count + 1, sizeof *columns);
    for (size_t i = 0; i < count; i++)
        columns[i].type = types[i];
    if (!read_meta(b, columns, (size_t)count))
        return false;
    esse_bytes_take(b, (count + 7) / 8, "the columns' null bits");
    if (!b->ok || !read_optional(arena, b, columns, (size_t)count))
        return false;
    number_columns(arena, columns, (size_t)count);
    table->name = (struct esse_span){ esse_arena_text(arena, (const char *)name, (size_t)length),
                                      (size_t)length };
    table->columns = columns;
    table->count = (size_t)count;
    return true;
}

/* ---- values ---- */

static esse_value read_integer(struct esse_values *values, struct esse_bytes *b,
                               const struct esse_binlog_column *column, unsigned size)
{
    const uint64_t number = esse_bytes_le(b, size, "an integer");
    if (!column->is_unsigned) {
        const unsigned shift = 64 - 8 * size; /* the sign's bit to the top and back */
        return esse_value_int(values, (int64_t)(number << shift) >> shift);
    }
    if (number > INT64_MAX)
        esse_bytes_fail(b, "an integer of more than 63 bits");
    return b->ok ? esse_value_int(values, (int64_t)number) : ESSE_NONE;
}

static esse_value read_text(struct esse_values *values, struct esse_bytes *b, unsigned prefix)
{
    const uint64_t length = esse_bytes_le(b, prefix, "a text's length");
    const unsigned char *text = esse_bytes_take(b, length, "a text");
    return text ? esse_value_string(values, (const char *)text, (size_t)length) : ESSE_NONE;
}

esse_value esse_binlog_value(struct esse_values *values, struct esse_bytes *b,
                             const struct esse_binlog_column *column)
{
    switch (column->type) {
    case TYPE_TINY:
        return read_integer(values, b, column, 1);
    case TYPE_SHORT:
        return read_integer(values, b, column, 2);
    case TYPE_INT24:
        return read_integer(values, b, column, 3);
    case TYPE_LONG:
        return read_integer(values, b, column, 4);
    case TYPE_LONGLONG:
        return read_integer(values, b, column, 8);
    case TYPE_VARCHAR: /* the metadata is the most bytes that it can have */
        return read_text(values, b, column->meta > 255 ? 2 : 1);
    case TYPE_BLOB: /* the metadata is the size of the length */
        if (column->meta >= 1 && column->meta <= 4)
            return read_text(values, b, column->meta);
        break;
    case TYPE_STRING: { /* type and length in two bytes, the length's high bits in the type's */
        const unsigned real = column->meta & 0xff, low = column->meta >> 8;
        const unsigned length = low | (((real & 0x30) ^ 0x30) << 4);
        if ((real | 0x30) == TYPE_STRING)
            return read_text(values, b, length > 255 ? 2 : 1);
        break;
    }
    default:
        break;
    }
    esse_bytes_fail(b, "column '%.40s' has type %u, which this decoder does not read",
                    column->name.at, column->type);
    return ESSE_NONE;
}
