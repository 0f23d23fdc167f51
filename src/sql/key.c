#include "sql/key.h"

#include "sql/sql_number.h"

#include <math.h>
#include <string.h>

enum { VALUE = 1, ABSENT = 2 }; /* the first byte of each: NULL comes last */

static void add_big_endian(struct esse_u8_vec *key, struct esse_arena *arena, uint64_t word)
{
    uint8_t *at = esse_u8_vec_extend(key, arena, 8);
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(word >> (56 - 8 * i));
}

static void add_real(struct esse_u8_vec *key, struct esse_arena *arena, double real)
{
    uint64_t bits;
    if (real == 0)
        real = 0; /* -0 is 0 */
    memcpy(&bits, &real, sizeof bits);
    if (isnan(real))
        bits = UINT64_MAX;
    else
        bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
    add_big_endian(key, arena, bits);
}

/* Sign, place of the first digit, digits without zeros at the end; of a negative number all bytes
 * are turned round. */
static void add_decimal(struct esse_u8_vec *key, struct esse_arena *arena,
                        struct sql_decimal number)
{
    uint8_t digits[48];
    int count = 0, place = -number.scale;
    const bool negative = number.digits < 0;
    esse_wide left = negative ? -number.digits : number.digits;
    if (!left) {
        esse_u8_vec_push(key, arena, 0x80);
        return;
    }
    for (; left % 10 == 0; left /= 10)
        place++;
    for (; left; left /= 10)
        digits[count++] = (uint8_t)(left % 10 + 1);
    const uint8_t turn = negative ? 0xff : 0;
    esse_u8_vec_push(key, arena, negative ? 0x7f : 0x81);
    esse_u8_vec_push(key, arena, (uint8_t)((uint8_t)(place + count + 64) ^ turn));
    while (count)
        esse_u8_vec_push(key, arena, (uint8_t)(digits[--count] ^ turn));
    esse_u8_vec_push(key, arena, turn);
}

/* Zero bytes do not occur in texts, so one ends them. */
static void add_text(struct esse_u8_vec *key, struct esse_arena *arena, struct esse_datum text,
                     bool is_folded)
{
    uint32_t length = text.length;
    while (is_folded && length && text.is.text[length - 1] == ' ')
        length--;
    uint8_t *at = esse_u8_vec_extend(key, arena, length + 1);
    for (uint32_t i = 0; i < length; i++) {
        const uint8_t byte = (uint8_t)text.is.text[i];
        at[i] = is_folded && byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + 32) : byte;
    }
    at[length] = 0;
}

static bool add_value(struct esse_u8_vec *key, struct esse_arena *arena, struct esse_datum datum,
                      bool is_folded, struct esse_fault *fault)
{
    esse_u8_vec_push(key, arena, datum.kind == ESSE_DATUM_NULL ? ABSENT : VALUE);
    switch ((enum esse_datum_kind)datum.kind) {
    case ESSE_DATUM_NULL:
        return true;
    case ESSE_DATUM_HOLE:
        return esse_fault_hole(fault, (uint64_t)datum.is.number);
    case ESSE_DATUM_DECIMAL:
        add_decimal(key, arena, sql_number_decimal(datum));
        return true;
    case ESSE_DATUM_REAL:
        add_real(key, arena, datum.is.real);
        return true;
    case ESSE_DATUM_TEXT:
        add_text(key, arena, datum, is_folded);
        return true;
    default:
        add_big_endian(key, arena, (uint64_t)datum.is.number ^ UINT64_C(1) << 63);
        return true;
    }
}

/* The blanks of a char(n) do not count, nor does how much of a bigint is unsigned. */
bool esse_key_add(struct esse_u8_vec *key, struct esse_arena *arena, struct esse_type type,
                  struct esse_datum datum, struct esse_fault *fault)
{
    if (type.base == ESSE_TYPE_CHAR && datum.kind == ESSE_DATUM_TEXT)
        while (datum.length && datum.is.text[datum.length - 1] == ' ')
            datum.length--;
    if (esse_type_is_int(type) && type.is_unsigned && datum.kind == ESSE_DATUM_INT) {
        esse_u8_vec_push(key, arena, VALUE);
        add_decimal(key, arena, sql_number_decimal(datum));
        return true;
    }
    return add_value(key, arena, datum, type.is_folded, fault);
}

bool esse_key_add_columns(struct esse_u8_vec *key, struct esse_arena *arena,
                          const struct esse_table *table, const struct esse_table_index *index,
                          const struct esse_datum *row, struct esse_fault *fault)
{
    for (uint32_t i = 0; i < index->count; i++)
        if (!esse_key_add(key, arena, table->columns[index->columns[i]].type,
                          row[index->columns[i]], fault))
            return false;
    return true;
}

bool esse_key_entry(struct esse_u8_vec *entry, struct esse_arena *arena,
                    const struct esse_table *table, uint32_t index, const struct esse_datum *row,
                    struct esse_bytes key, struct esse_fault *fault)
{
    if (!esse_key_add_columns(entry, arena, table, &table->indexes.at[index], row, fault))
        return false;
    esse_u8_vec_append(entry, arena, key.at, key.length);
    return true;
}

void esse_key_add_number(struct esse_u8_vec *key, struct esse_arena *arena, uint64_t number)
{
    add_big_endian(key, arena, number);
}

bool esse_key_after(struct esse_u8_vec *key)
{
    while (key->count && key->at[key->count - 1] == 0xff)
        key->count--;
    if (!key->count)
        return false;
    key->at[key->count - 1]++;
    return true;
}
