#include "explore/sql_core.h"

#include <stdlib.h>
#include <string.h>

/* The store that statements run on: keys are variables, and asking for them is reading. */

int64_t sql_read(struct sql_reading *reading, uint32_t variable)
{
    const struct sql_round *round = reading->round;
    if (reading->finals)
        return reading->finals[variable];
    if (reading->is_missing)
        return 0;
    if (round->seen_in[variable] == reading->statement) /* a statement reads each once */
        return round->seen[variable];
    if (reading->at == reading->count) {
        reading->is_missing = true;
        reading->missing = variable;
        return 0;
    }
    round->seen_in[variable] = reading->statement;
    round->seen[variable] = reading->values[reading->at++];
    if (variable < round->sets) {
        round->has_set[variable] = true;
        round->set_now[variable] = round->seen[variable];
    }
    return round->seen[variable];
}

/* The row of a key: with sets, it is only looked at if the set has it.  What the transaction wrote
 * itself is in the overlay, and not read. */
static const struct esse_datum *row_of(struct sql_reading *reading, const struct sql_key *key)
{
    const struct sql_round *round = reading->round;
    if (!reading->finals &&
        esse_overlay_has(esse_exec_overlay(round->core->exec), key->table, key->bytes))
        return NULL;
    const bool has_sets = round->sets && !reading->finals;
    if (has_sets && !sql_set_has(sql_read(reading, key->table->number), key))
        return NULL;
    return sql_word_row(sql_read(reading, key->variable));
}

static const struct esse_datum *get(void *context, const struct esse_table *table,
                                    struct esse_bytes bytes)
{
    struct sql_core *core = context;
    struct sql_reading *reading = core->reading;
    struct sql_key *key = sql_key_of(core, table, bytes);
    if (key->is_known)
        return row_of(reading, key);
    if (!reading->finals && !reading->is_missing) { /* an invariant meets keys that are absent */
        key->is_met = true;
        reading->is_grown = true;
    }
    return NULL;
}

static bool is_between(struct esse_bytes bytes, struct esse_bytes low, struct esse_bytes high)
{
    return esse_bytes_compare(bytes, low) >= 0 && (!high.at || esse_bytes_compare(bytes, high) < 0);
}

/* Where the row stands in the index; false if it is in none, as a value is not known. */
static bool entry_of(const struct sql_key *key, uint32_t index, const struct esse_datum *row,
                     struct esse_arena *arena, struct esse_bytes *bytes)
{
    struct esse_u8_vec entry = { 0 };
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    if (!esse_key_entry(&entry, arena, key->table, index, row, key->bytes, &fault))
        return false;
    *bytes = (struct esse_bytes){ entry.at, (uint32_t)entry.count };
    return true;
}

struct entered {
    struct esse_bytes entry;
    struct esse_found found;
};
ESSE_VEC(entered_vec, struct entered)

static int by_entry(const void *a, const void *b)
{
    return esse_bytes_compare(((const struct entered *)a)->entry,
                              ((const struct entered *)b)->entry);
}

/* An index other than that of the keys: whether a row lies in the range is known when it is read,
 * so all keys of the table are. */
static void range_of_index(struct sql_reading *reading, const struct esse_table *table,
                           uint32_t index, struct esse_bytes low, struct esse_bytes high,
                           struct esse_arena *arena, struct esse_found_vec *found)
{
    const struct sql_round *round = reading->round;
    struct entered_vec entered = { 0 };
    for (uint32_t v = round->sets; v < round->seam.variable_count; v++) {
        const struct sql_key *key = round->keys[v - round->sets];
        struct entered one = { .found = { .key = key->bytes } };
        if (key->table != table || !(one.found.row = row_of(reading, key)))
            continue;
        if (entry_of(key, index, one.found.row, arena, &one.entry) &&
            is_between(one.entry, low, high))
            entered_vec_push(&entered, arena, one);
    }
    if (entered.count)
        qsort(entered.at, entered.count, sizeof *entered.at, by_entry);
    for (size_t i = 0; i < entered.count; i++)
        esse_found_vec_push(found, arena, entered.at[i].found);
}

static void range(void *context, const struct esse_table *table, uint32_t index,
                  struct esse_bytes low, struct esse_bytes high, struct esse_arena *arena,
                  struct esse_found_vec *found)
{
    struct sql_reading *reading = ((struct sql_core *)context)->reading;
    const struct sql_round *round = reading->round;
    if (round->sets && !reading->finals)
        sql_read(reading, table->number);
    if (index != ESSE_BY_KEY) {
        range_of_index(reading, table, index, low, high, arena, found);
        return;
    }
    for (uint32_t v = round->sets; v < round->seam.variable_count; v++) {
        const struct sql_key *key = round->keys[v - round->sets];
        if (key->table != table || !is_between(key->bytes, low, high))
            continue;
        const struct esse_datum *row = row_of(reading, key);
        if (row)
            esse_found_vec_push(found, arena, (struct esse_found){ key->bytes, row });
    }
}

/* Above those of the setup, and of each transaction its own. */
static uint64_t number(void *context, const struct esse_table *table)
{
    (void)table;
    return ++((struct sql_core *)context)->reading->numbers;
}

void sql_store_init(struct sql_core *core)
{
    core->store = (struct esse_store){ core, get, range, number };
}
