#include "collect/recover.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

#include <string.h>

/* From rows of tables to keys and values of a history. */

ESSE_VEC(part_vec, esse_value)

struct rows {
    struct esse_change_sink sink;
    struct esse_arena *arena;
    struct esse_recovery *recovery;
    const struct esse_table_rule *rules;
    size_t rule_count;
    struct part_vec parts;
    char *name;
    size_t name_room;
};

static bool is_text(struct esse_span span, const char *text)
{
    return strlen(text) == span.length && !memcmp(span.at, text, span.length);
}

esse_value esse_value_of_digits(struct esse_values *values, const char *text, size_t length)
{
    const bool negative = length && text[0] == '-';
    uint64_t number = 0;
    size_t i = negative;
    for (; i < length && length - negative < 20 && text[i] >= '0' && text[i] <= '9'; i++)
        number = number * 10 + (uint64_t)(text[i] - '0'); /* 19 digits fit 64 bits */
    const uint64_t limit = (uint64_t)INT64_MAX + negative;
    const bool plain = i == length && length > negative && number <= limit &&
                       (text[negative] != '0' || (length == 1));
    if (!plain)
        return esse_value_string(values, text, length);
    return esse_value_int(values, negative ? (int64_t)(0 - number) : (int64_t)number);
}

size_t esse_list_items(struct esse_values *values, struct esse_span text, esse_value *items,
                       size_t room)
{
    size_t count = 0;
    for (size_t from = 0; text.length && from <= text.length; count++) {
        const char *comma = memchr(text.at + from, ',', text.length - from);
        const size_t to = comma ? (size_t)(comma - text.at) : text.length;
        if (count < room)
            items[count] = esse_value_of_digits(values, text.at + from, to - from);
        from = to + 1;
    }
    return count;
}

static const struct esse_table_rule *rule_of(const struct rows *rows, struct esse_span table)
{
    for (size_t i = 0; i < rows->rule_count; i++)
        if (is_text(table, rows->rules[i].table))
            return &rows->rules[i];
    return NULL;
}

static const struct esse_cell *find_cell(const struct esse_cell *cells, size_t count,
                                         const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (is_text(cells[i].name, name))
            return &cells[i];
    return NULL;
}

/* A value that an update left alone stands in the row before, if the stream has that. */
static esse_value cell_value(const struct esse_change *change, const struct esse_cell *cell)
{
    if (!esse_value_eq(cell->value, ESSE_NONE))
        return cell->value;
    for (size_t i = 0; i < change->old_count; i++)
        if (cell->name.length == change->old[i].name.length &&
            !memcmp(cell->name.at, change->old[i].name.at, cell->name.length))
            return change->old[i].value;
    return ESSE_NONE;
}

static esse_value key_name(struct rows *rows, const struct esse_table_rule *rule, esse_value key)
{
    char short_text[8], brief[64];
    struct esse_span text;
    const enum esse_value_kind kind = esse_value_kind(rows->sink.values, key);
    if (kind == ESSE_KIND_STRING) {
        text = esse_value_text(rows->sink.values, key, short_text);
    } else {
        text.at = esse_value_brief(rows->sink.values, key, brief);
        text.length = strlen(text.at);
    }
    const size_t prefix = strlen(rule->prefix), length = prefix + text.length;
    if (rows->name_room < length + 1) {
        rows->name_room = length + 64;
        rows->name = esse_arena_grow(rows->arena, rows->name, rows->name_room);
    }
    memcpy(rows->name, rule->prefix, prefix);
    memcpy(rows->name + prefix, text.at, text.length);
    return esse_value_string(rows->sink.values, rows->name, length);
}

static void install_list(struct rows *rows, esse_value key, esse_value value)
{
    char room[8];
    struct esse_span text = { "", 0 };
    int64_t single;
    rows->parts.count = 0;
    if (esse_value_as_int(rows->sink.values, value, &single)) {
        part_vec_push(&rows->parts, rows->arena, value);
    } else if (esse_value_kind(rows->sink.values, value) == ESSE_KIND_STRING) {
        text = esse_value_text(rows->sink.values, value, room);
        const size_t count = esse_list_items(rows->sink.values, text, NULL, 0);
        esse_value *items = part_vec_extend(&rows->parts, rows->arena, count);
        esse_list_items(rows->sink.values, text, items, count);
    }
    esse_recovery_install_list(rows->recovery, key, rows->parts.at, rows->parts.count);
}

/* All columns but the key's as one row; ESSE_NONE if the stream leaves one open. */
static esse_value whole_row(struct rows *rows, const struct esse_change *change,
                            const struct esse_table_rule *rule)
{
    rows->parts.count = 0;
    for (size_t i = 0; i < change->count; i++) {
        const struct esse_cell *cell = &change->cells[i];
        const esse_value value = cell_value(change, cell);
        if (is_text(cell->name, rule->key))
            continue;
        if (esse_value_eq(value, ESSE_NONE))
            return ESSE_NONE;
        part_vec_push(&rows->parts, rows->arena,
                      esse_value_string(rows->sink.values, cell->name.at, cell->name.length));
        part_vec_push(&rows->parts, rows->arena, value);
    }
    if (!esse_value_eq(esse_value_map_repeats(rows->sink.values, rows->parts.at, rows->parts.count),
                       ESSE_NONE))
        return ESSE_NONE;
    return esse_value_compound(rows->sink.values, ESSE_KIND_MAP, rows->parts.at, rows->parts.count);
}

static bool put_row(struct rows *rows, const struct esse_change *change,
                    const struct esse_table_rule *rule, esse_value key, struct esse_error *err)
{
    if (!rule->value) {
        esse_recovery_install(rows->recovery, key, whole_row(rows, change, rule));
        return true;
    }
    const struct esse_cell *cell = find_cell(change->cells, change->count, rule->value);
    if (!cell)
        return esse_fail(err, ESSE_EINPUT, "the change stream has no column '%s' in table '%s'",
                         rule->value, rule->table);
    const esse_value value = cell_value(change, cell);
    if (rule->is_list)
        install_list(rows, key, value);
    else
        esse_recovery_install(rows->recovery, key, value);
    return true;
}

static bool take_change(struct esse_change_sink *sink, const struct esse_change *change,
                        struct esse_error *err)
{
    struct rows *rows = (struct rows *)sink;
    const struct esse_table_rule *rule = rule_of(rows, change->table);
    if (!rule)
        return true;
    if (change->kind == ESSE_CHANGE_TRUNCATE)
        return esse_fail(err, ESSE_EINPUT,
                         "the change stream truncates table '%s': which versions that ends is not "
                         "said",
                         rule->table);
    const struct esse_cell *key = find_cell(change->cells, change->count, rule->key);
    if (!key || esse_value_eq(key->value, ESSE_NONE))
        return esse_fail(err, ESSE_EINPUT, "the change stream has no column '%s' in table '%s'",
                         rule->key, rule->table);
    const esse_value name = key_name(rows, rule, key->value);
    if (change->kind == ESSE_CHANGE_PUT)
        return put_row(rows, change, rule, name, err);
    if (rule->is_list)
        esse_recovery_install_list(rows->recovery, name, NULL, 0);
    else
        esse_recovery_install(rows->recovery, name, ESSE_NIL);
    return true;
}

static bool take_begin(struct esse_change_sink *sink, const struct esse_change_txn *txn,
                       struct esse_error *err)
{
    (void)err;
    esse_recovery_begin(((struct rows *)sink)->recovery, txn);
    return true;
}

static bool take_commit(struct esse_change_sink *sink, struct esse_error *err)
{
    (void)sink;
    (void)err;
    return true;
}

struct esse_change_sink *esse_recovery_rows(struct esse_arena *arena, struct esse_values *values,
                                            struct esse_recovery *recovery,
                                            const struct esse_table_rule *rules, size_t count)
{
    struct rows *rows = esse_arena_alloc(arena, 1, sizeof *rows);
    *rows = (struct rows){ .sink = { .values = values,
                                     .begin = take_begin,
                                     .change = take_change,
                                     .commit = take_commit },
                           .arena = arena,
                           .recovery = recovery,
                           .rules = rules,
                           .rule_count = count };
    return &rows->sink;
}
