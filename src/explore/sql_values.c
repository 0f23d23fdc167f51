#include "explore/sql_core.h"

#include "base/hash.h"

#include <string.h>

/* ---- rows and sets, each kept once: equal values are equal words ---- */

static bool same_rows(const struct esse_table *table, const struct esse_datum *a,
                      const struct esse_datum *b)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        if (a[i].kind != b[i].kind || a[i].scale != b[i].scale ||
            !esse_datum_same(a[i], b[i], false))
            return false;
    return true;
}

static bool same_values(const struct sql_value *a, const struct sql_value *b)
{
    if (a->table != b->table || !a->row != !b->row || a->count != b->count)
        return false;
    if (a->row)
        return same_rows(a->table, a->row, b->row);
    return !a->count || memcmp(a->keys, b->keys, a->count * sizeof(struct sql_key *)) == 0;
}

static uint32_t hash_of(const struct sql_value *value)
{
    uint32_t hash = esse_hash_pair(value->count, value->table->number);
    for (uint32_t i = 0; value->row && i < value->table->column_count; i++)
        hash = esse_hash_pair(hash, esse_datum_hash(value->row[i], false));
    for (uint32_t i = 0; i < value->count; i++)
        hash = esse_hash_pair(hash, (uint64_t)(uintptr_t)value->keys[i]);
    return hash;
}

static struct sql_value *keep(struct sql_core *core, const struct sql_value *value)
{
    struct sql_value *kept = esse_arena_alloc(core->arena, 1, sizeof *kept);
    *kept = *value;
    if (value->row) {
        struct esse_datum *row =
            esse_arena_array(core->arena, value->table->column_count, struct esse_datum);
        for (uint32_t i = 0; i < value->table->column_count; i++)
            row[i] = esse_datum_keep(core->arena, value->row[i]);
        kept->row = row;
    } else {
        kept->keys = esse_arena_array(core->arena, value->count, struct sql_key *);
        if (value->count)
            memcpy(kept->keys, value->keys, value->count * sizeof *kept->keys);
    }
    return kept;
}

static int64_t word_of(struct sql_core *core, const struct sql_value *value)
{
    const uint32_t hash = hash_of(value);
    struct esse_probe probe = esse_index_probe(&core->value_index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (same_values(core->values.at[id], value))
            return (int64_t)(intptr_t)core->values.at[id];
    struct sql_value *kept = keep(core, value);
    esse_index_add(&core->value_index, core->arena, hash, (uint32_t)core->values.count);
    sql_value_vec_push(&core->values, core->arena, kept);
    return (int64_t)(intptr_t)kept;
}

int64_t sql_row_word(struct sql_core *core, const struct esse_table *table,
                     const struct esse_datum *row)
{
    const struct sql_value value = { .table = table, .row = row };
    return row ? word_of(core, &value) : 0;
}

int64_t sql_set_word(struct sql_core *core, const struct esse_table *table,
                     struct sql_key *const *keys, uint32_t count)
{
    const struct sql_value value = { .table = table,
                                     .keys = (struct sql_key **)(uintptr_t)keys,
                                     .count = count };
    return word_of(core, &value);
}

bool sql_set_has(int64_t word, const struct sql_key *key)
{
    const struct sql_value *set = sql_word_value(word);
    for (uint32_t i = 0; set && i < set->count; i++)
        if (set->keys[i] == key)
            return true;
    return false;
}

/* ---- keys ---- */

/* A column of a key as text, from its bytes (sql/key.h): integers and texts as they are, of other
 * types the bytes, which no two keys share. */
static const uint8_t *put_key_column(struct esse_out *out, const uint8_t *at, const uint8_t *end,
                                     struct esse_type type)
{
    enum { VALUE = 1 };
    const bool is_value = at < end && *at++ == VALUE;
    if (!is_value) {
        esse_out_text(out, "NULL");
    } else if (esse_type_is_text(type)) {
        const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
        stop = stop ? stop : end;
        esse_out_bytes(out, (const char *)at, (size_t)(stop - at));
        return stop < end ? stop + 1 : end;
    } else if (esse_type_is_int(type) && end - at >= 8) {
        uint64_t word = 0;
        for (int i = 0; i < 8; i++)
            word = word << 8 | at[i];
        esse_out_i64(out, (int64_t)(word ^ UINT64_C(1) << 63));
        return at + 8;
    } else {
        while (at < end)
            esse_out_f(out, "%02x", *at++);
    }
    return at;
}

static const char *name_of(struct sql_core *core, const struct esse_table *table,
                           struct esse_bytes bytes)
{
    struct esse_out out;
    const uint8_t *at = bytes.at, *end = bytes.at + bytes.length;
    esse_out_init_memory(&out, core->arena);
    esse_out_f(&out, "%s/", table->name);
    if (!table->has_key) {
        uint64_t number = 0;
        for (uint32_t i = 0; i < bytes.length; i++)
            number = number << 8 | bytes.at[i];
        esse_out_f(&out, "#%llu", (unsigned long long)number);
        return esse_out_memory(&out);
    }
    const struct esse_table_index *key = &table->indexes.at[0];
    for (uint32_t i = 0; i < key->count; i++) {
        esse_out_text(&out, i ? "," : "");
        at = put_key_column(&out, at, end, table->columns[key->columns[i]].type);
    }
    return esse_out_memory(&out);
}

struct sql_key *sql_key_of(struct sql_core *core, const struct esse_table *table,
                           struct esse_bytes bytes)
{
    const uint32_t hash = esse_hash_pair(table->number, esse_hash_bytes(bytes.at, bytes.length));
    struct esse_probe probe = esse_index_probe(&core->key_index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (core->keys.at[id]->table == table &&
            esse_bytes_compare(core->keys.at[id]->bytes, bytes) == 0)
            return core->keys.at[id];
    struct sql_key *key = esse_arena_alloc(core->arena, 1, sizeof *key);
    uint8_t *copy = esse_arena_alloc(core->arena, bytes.length + 1, 1);
    memcpy(copy, bytes.at, bytes.length);
    *key = (struct sql_key){ .table = table, .bytes = { copy, bytes.length } };
    key->name = name_of(core, table, key->bytes);
    esse_index_add(&core->key_index, core->arena, hash, (uint32_t)core->keys.count);
    sql_key_vec_push(&core->keys, core->arena, key);
    return key;
}

/* ---- showing ---- */

static bool is_of_key(const struct esse_table *table, uint32_t column)
{
    for (uint32_t i = 0; table->has_key && i < table->indexes.at[0].count; i++)
        if (table->indexes.at[0].columns[i] == column)
            return true;
    return false;
}

static void put_datum(struct esse_arena *arena, struct esse_out *out, struct esse_datum datum,
                      struct esse_type type)
{
    const struct esse_datum shown = esse_datum_show(arena, datum, type);
    if (datum.kind == ESSE_DATUM_TEXT)
        esse_out_json_text(out, shown.is.text);
    else if (datum.kind == ESSE_DATUM_NULL)
        esse_out_text(out, "null");
    else if (datum.kind == ESSE_DATUM_BOOL)
        esse_out_text(out, datum.is.number ? "true" : "false");
    else
        esse_out_bytes(out, shown.is.text, shown.length);
}

/* {on_call: true, shift: 1}, without the columns of the key; null; {1, 2} */
void sql_put_word(struct esse_arena *arena, struct esse_out *out, int64_t word)
{
    const struct sql_value *value = sql_word_value(word);
    bool is_first = true;
    if (!value) {
        esse_out_text(out, "null");
        return;
    }
    esse_out_char(out, '{');
    for (uint32_t i = 0; value->row && i < value->table->column_count; i++) {
        if (is_of_key(value->table, i))
            continue;
        esse_out_f(out, "%s%s: ", is_first ? "" : ", ", value->table->columns[i].name);
        put_datum(arena, out, value->row[i], value->table->columns[i].type);
        is_first = false;
    }
    for (uint32_t i = 0; i < value->count; i++)
        esse_out_f(out, "%s%s", i ? ", " : "", strchr(value->keys[i]->name, '/') + 1);
    esse_out_char(out, '}');
}
