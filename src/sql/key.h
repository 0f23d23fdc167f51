#ifndef ESSE_SQL_KEY_H
#define ESSE_SQL_KEY_H

#include "base/vec.h"
#include "sql/schema.h"

/*
 * Keys of rows and entries of indexes as bytes.  memcmp orders them as SQL orders the values, NULL
 * last; equal values have equal bytes (1.0 and 1.00, -0 and 0, texts of MySQL's dialect that differ
 * in case).  No key is the beginning of another one of the same table.
 *
 * Cost: an integer takes 9 bytes, a text its bytes and two, a decimal about its digits.
 */
struct esse_bytes {
    const uint8_t *at;
    uint32_t length;
};

static inline int esse_bytes_compare(struct esse_bytes a, struct esse_bytes b)
{
    const uint32_t common = a.length < b.length ? a.length : b.length;
    const int order = common ? memcmp(a.at, b.at, common) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* Adds a value of a column of this type, which may be NULL.  A hole is a fault: its value is
 * needed. */
bool esse_key_add(struct esse_u8_vec *key, struct esse_arena *arena, struct esse_type type,
                  struct esse_datum datum, struct esse_fault *fault);

/* Adds the columns of an index. */
bool esse_key_add_columns(struct esse_u8_vec *key, struct esse_arena *arena,
                          const struct esse_table *table, const struct esse_table_index *index,
                          const struct esse_datum *row, struct esse_fault *fault);

/* The entry of a row in an index that is not the primary key: its columns, then its key. */
bool esse_key_entry(struct esse_u8_vec *entry, struct esse_arena *arena,
                    const struct esse_table *table, uint32_t index, const struct esse_datum *row,
                    struct esse_bytes key, struct esse_fault *fault);

/* A hidden number as a key. */
void esse_key_add_number(struct esse_u8_vec *key, struct esse_arena *arena, uint64_t number);

/* The least bytes that are above all that begin with these: in place.  False if there are none. */
bool esse_key_after(struct esse_u8_vec *key);

#endif
