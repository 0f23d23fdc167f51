#include "audit/row_versions.h"

#include "base/hash.h"
#include "exec/ordered.h"

#include <assert.h>
#include <string.h>

/*
 * Versions stand in one list in the order of their places, so the newest state is its end.  Each
 * key knows its newest one, and each version the one under it.
 */
struct key_row {
    const struct esse_table *table;
    struct esse_bytes bytes;
    uint32_t newest;          /* version */
    uint32_t looked, version; /* in run number 'looked' it is read at this version */
};
ESSE_VEC(key_row_vec, struct key_row)

struct one_index {
    bool is_made;
    struct esse_ordered entries; /* number: the key */
};
ESSE_VEC(one_index_vec, struct one_index)

struct table_rows {
    const struct esse_table *table;
    struct esse_u32_vec keys; /* all that ever were */
    struct one_index by_key;
    struct one_index_vec indexes;
    uint64_t numbers;
};
ESSE_VEC(table_rows_vec, struct table_rows *)

/* Where a state begins in the list of versions and in the memory of rows. */
struct state_mark {
    uint32_t versions, block;
    size_t used;
    struct audit_hashes hashes;
};
ESSE_VEC(state_mark_vec, struct state_mark)

enum { BLOCK_BYTES = 64 << 10 };

struct block {
    char *at;
    size_t room;
};
ESSE_VEC(block_vec, struct block)

struct audit_versions {
    struct esse_arena *arena;
    struct esse_store store;
    struct table_rows_vec tables;
    struct key_row_vec keys;
    struct esse_index index;
    struct audit_version_vec versions;
    struct state_mark_vec states; /* of states 1, 2 ... */
    struct audit_hashes hashes;
    /* Rows are piled up: what a popped state had is used again. */
    struct block_vec blocks;
    uint32_t block;
    size_t used;

    bool is_choosing, has_doubt, has_popped;
    uint32_t state, run;
    struct audit_span seen;
    struct audit_choice_vec choices;
    struct esse_u32_vec candidates;
    uint32_t choice; /* how many of them this run came to */
    uint32_t choose_low, choose_high;
    bool is_past; /* keys that were looked at in this run have a version of their own */
    struct audit_read_vec *reads;
    struct esse_arena *reads_arena;
};

/* ---- memory of rows ---- */

static void *pile(struct audit_versions *v, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    while (v->block < v->blocks.count && v->used + bytes > v->blocks.at[v->block].room) {
        v->block++;
        v->used = 0;
    }
    if (v->block == v->blocks.count) {
        const size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block_vec_push(&v->blocks, v->arena,
                       (struct block){ esse_arena_grow(v->arena, NULL, room), room });
        v->used = 0;
    }
    char *at = v->blocks.at[v->block].at + v->used;
    v->used += bytes;
    return at;
}

static struct esse_datum keep(struct audit_versions *v, struct esse_datum datum)
{
    if (datum.kind == ESSE_DATUM_TEXT) {
        char *text = pile(v, datum.length + 1u);
        memcpy(text, datum.is.text, datum.length);
        text[datum.length] = '\0';
        datum.is.text = text;
    } else if (datum.kind == ESSE_DATUM_DECIMAL && datum.is_wide) {
        esse_wide *wide = pile(v, sizeof *wide);
        *wide = *datum.is.wide;
        datum.is.wide = wide;
    }
    return datum;
}

/* ---- keys ---- */

static struct table_rows *rows_of(struct audit_versions *v, const struct esse_table *table)
{
    while (v->tables.count <= table->number)
        table_rows_vec_push(&v->tables, v->arena, NULL);
    struct table_rows **rows = &v->tables.at[table->number];
    if (!*rows) {
        *rows = esse_arena_alloc(v->arena, 1, sizeof **rows);
        (*rows)->table = table;
    }
    return *rows;
}

static uint32_t key_hash(const struct esse_table *table, struct esse_bytes key)
{
    return esse_hash_pair(table->number, esse_hash_bytes(key.at, key.length));
}

static uint32_t find_key(const struct audit_versions *v, const struct esse_table *table,
                         struct esse_bytes key, uint32_t hash)
{
    struct esse_probe probe = esse_index_probe(&v->index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (v->keys.at[id].table == table && esse_bytes_compare(v->keys.at[id].bytes, key) == 0)
            return id;
    return AUDIT_NONE;
}

static uint32_t add_key(struct audit_versions *v, const struct esse_table *table,
                        struct esse_bytes key)
{
    const uint32_t hash = key_hash(table, key);
    uint32_t id = find_key(v, table, key, hash);
    if (id != AUDIT_NONE)
        return id;
    struct table_rows *rows = rows_of(v, table);
    uint8_t *bytes = esse_arena_alloc(v->arena, key.length + 1, 1);
    memcpy(bytes, key.at, key.length);
    id = (uint32_t)v->keys.count;
    const struct esse_bytes kept = { bytes, key.length };
    key_row_vec_push(&v->keys, v->arena, (struct key_row){ table, kept, AUDIT_NONE, 0, 0 });
    esse_index_add(&v->index, v->arena, hash, id);
    esse_u32_vec_push(&rows->keys, v->arena, id);
    if (rows->by_key.is_made)
        esse_ordered_add(&rows->by_key.entries, kept, id);
    return id;
}

/* ---- which version is read ---- */

static bool same_row(const struct esse_table *table, const struct esse_datum *a,
                     const struct esse_datum *b)
{
    if (!a || !b)
        return a == b;
    for (uint32_t i = 0; i < table->column_count; i++)
        if (a[i].kind != b[i].kind || a[i].scale != b[i].scale ||
            !esse_datum_same(a[i], b[i], false))
            return false;
    return true;
}

static const struct esse_datum *row_of(const struct audit_versions *v, uint32_t version)
{
    return version == AUDIT_NONE ? NULL : v->versions.at[version].row;
}

/* What the key may be read at, newest first, each row once. */
static void list_candidates(struct audit_versions *v, uint32_t key, struct audit_choice *choice)
{
    choice->first = (uint32_t)v->candidates.count;
    for (uint32_t version = v->keys.at[key].newest;; version = v->versions.at[version].before) {
        const bool is_old = version == AUDIT_NONE;
        bool is_new = is_old || v->versions.at[version].place <= v->choose_high;
        for (uint32_t i = choice->first; is_new && i < v->candidates.count; i++)
            is_new = !same_row(v->keys.at[key].table, row_of(v, v->candidates.at[i]),
                               row_of(v, version));
        if (is_new)
            esse_u32_vec_push(&v->candidates, v->arena, version);
        if (is_old || v->versions.at[version].place <= v->choose_low)
            break;
    }
    choice->count = (uint32_t)v->candidates.count - choice->first;
}

static uint32_t choose(struct audit_versions *v, uint32_t id)
{
    struct key_row *key = &v->keys.at[id];
    if (key->looked == v->run)
        return key->version;
    key->looked = v->run;
    if (key->newest == AUDIT_NONE)
        return key->version = AUDIT_NONE;
    if (v->versions.at[key->newest].place == 0)
        return key->version = key->newest;
    if (v->choice == v->choices.count) {
        struct audit_choice choice = { .key = id };
        list_candidates(v, id, &choice);
        audit_choice_vec_push(&v->choices, v->arena, choice);
    }
    const struct audit_choice *choice = &v->choices.at[v->choice++];
    assert(choice->key == id);
    return key->version = v->candidates.at[choice->first + choice->chosen];
}

static uint32_t at_state(struct audit_versions *v, uint32_t id)
{
    if (v->is_past && v->keys.at[id].looked == v->run)
        return v->keys.at[id].version;
    uint32_t version = v->keys.at[id].newest, after = AUDIT_NONE;
    while (version != AUDIT_NONE && v->versions.at[version].place > v->state) {
        after = v->versions.at[version].place;
        version = v->versions.at[version].before;
    }
    if (version != AUDIT_NONE && v->versions.at[version].place > v->seen.low)
        v->seen.low = v->versions.at[version].place;
    if (after != AUDIT_NONE && after - 1 < v->seen.high)
        v->seen.high = after - 1;
    return version;
}

static const struct esse_datum *read_key(struct audit_versions *v, uint32_t id)
{
    const uint32_t version = v->is_choosing ? choose(v, id) : at_state(v, id);
    if (v->reads)
        audit_read_vec_push(v->reads, v->reads_arena, (struct audit_read){ id, version });
    return row_of(v, version);
}

static const struct esse_datum *get(void *context, const struct esse_table *table,
                                    struct esse_bytes key)
{
    struct audit_versions *v = context;
    const uint32_t id = find_key(v, table, key, key_hash(table, key));
    return id == AUDIT_NONE ? NULL : read_key(v, id);
}

static uint64_t number(void *context, const struct esse_table *table)
{
    return ++rows_of(context, table)->numbers;
}

/* ---- indexes ---- */

/* False if the row has a value that is not known there. */
static bool entry_of(struct audit_versions *v, const struct table_rows *rows, uint32_t index,
                     const struct esse_datum *row, struct esse_bytes key, struct esse_arena *arena,
                     struct esse_bytes *entry)
{
    struct esse_u8_vec bytes = { 0 };
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    if (!esse_key_entry(&bytes, arena, rows->table, index, row, key, &fault)) {
        v->has_doubt = true;
        return false;
    }
    *entry = (struct esse_bytes){ bytes.at, (uint32_t)bytes.count };
    return true;
}

static void add_entry(struct audit_versions *v, struct table_rows *rows, uint32_t index,
                      uint32_t version)
{
    const struct audit_version *one = &v->versions.at[version];
    struct esse_bytes entry;
    if (!one->row ||
        !entry_of(v, rows, index, one->row, v->keys.at[one->key].bytes, v->arena, &entry))
        return;
    struct esse_ordered *entries = &rows->indexes.at[index].entries;
    struct esse_ordered_cursor cursor = esse_ordered_seek(entries, entry);
    const struct esse_ordered_entry *there = esse_ordered_next(&cursor);
    if (!there || esse_bytes_compare(there->bytes, entry) != 0)
        esse_ordered_add(entries, entry, one->key);
}

static struct one_index *order_of(struct audit_versions *v, struct table_rows *rows, uint32_t index)
{
    if (index == ESSE_BY_KEY) {
        if (!rows->by_key.is_made) {
            rows->by_key.entries.arena = v->arena;
            for (size_t i = 0; i < rows->keys.count; i++)
                esse_ordered_add(&rows->by_key.entries, v->keys.at[rows->keys.at[i]].bytes,
                                 rows->keys.at[i]);
        }
        rows->by_key.is_made = true;
        return &rows->by_key;
    }
    while (rows->indexes.count <= index)
        one_index_vec_push(&rows->indexes, v->arena, (struct one_index){ 0 });
    struct one_index *one = &rows->indexes.at[index];
    if (!one->is_made) {
        one->entries.arena = v->arena;
        for (size_t i = 0; i < rows->keys.count; i++)
            for (uint32_t version = v->keys.at[rows->keys.at[i]].newest; version != AUDIT_NONE;
                 version = v->versions.at[version].before)
                add_entry(v, rows, index, version);
    }
    one->is_made = true;
    return one;
}

static void range(void *context, const struct esse_table *table, uint32_t index,
                  struct esse_bytes low, struct esse_bytes high, struct esse_arena *arena,
                  struct esse_found_vec *found)
{
    struct audit_versions *v = context;
    struct table_rows *rows = rows_of(v, table);
    const struct one_index *order = order_of(v, rows, index);
    struct esse_ordered_cursor cursor = esse_ordered_seek(&order->entries, low);
    const struct esse_ordered_entry *entry;
    while ((entry = esse_ordered_next(&cursor)) != NULL) {
        if (high.at && esse_bytes_compare(entry->bytes, high) >= 0)
            break;
        const struct esse_datum *row = read_key(v, entry->number);
        const struct key_row *key = &v->keys.at[entry->number];
        struct esse_bytes own;
        if (!row)
            continue;
        /* An entry of another version of the key, or of one that was taken away. */
        if (index != ESSE_BY_KEY &&
            (v->has_popped || v->versions.at[key->newest].before != AUDIT_NONE) &&
            (!entry_of(v, rows, index, row, key->bytes, arena, &own) ||
             esse_bytes_compare(own, entry->bytes) != 0))
            continue;
        esse_found_vec_push(found, arena, (struct esse_found){ key->bytes, row });
    }
}

/* ---- states ---- */

static uint64_t hash_row(const struct audit_versions *v, uint32_t key, const struct esse_datum *row,
                         uint64_t salt)
{
    uint64_t hash = esse_hash_mix(key + 0x9e3779b97f4a7c15u, salt * 2 + 0xd6e8feb86659fd93u);
    if (!row)
        return esse_hash_mix(hash ^ 1, 0xe7037ed1a0b428dbu);
    for (uint32_t i = 0; i < v->keys.at[key].table->column_count; i++)
        hash = esse_hash_mix(hash ^ esse_datum_hash(row[i], false), 0x8ebc6af09c88c6e3u + i);
    return hash;
}

static void put(struct audit_versions *v, const struct esse_write *write,
                const struct esse_datum *row, uint32_t place, uint32_t writer)
{
    const uint32_t key = add_key(v, write->table, write->key);
    struct esse_datum *copy = NULL;
    if (row) {
        copy = pile(v, write->table->column_count * sizeof *copy);
        for (uint32_t i = 0; i < write->table->column_count; i++)
            copy[i] = keep(v, row[i]);
    }
    const uint32_t before = v->keys.at[key].newest, version = (uint32_t)v->versions.count;
    const uint32_t depth = before == AUDIT_NONE ? 0 : v->versions.at[before].depth + 1;
    if (before != AUDIT_NONE && row_of(v, before))
        v->hashes.newest -= hash_row(v, key, row_of(v, before), 0);
    v->hashes.newest += copy ? hash_row(v, key, copy, 0) : 0;
    v->hashes.chains += hash_row(v, key, copy, 1 + depth);
    v->hashes.states += hash_row(v, key, copy, ~(uint64_t)place);
    audit_version_vec_push(&v->versions, v->arena,
                           (struct audit_version){ place, before, key, depth, writer, copy });
    v->keys.at[key].newest = version;
    struct table_rows *rows = rows_of(v, write->table);
    for (uint32_t i = 0; i < rows->indexes.count; i++)
        if (rows->indexes.at[i].is_made)
            add_entry(v, rows, i, version);
}

static void put_all(struct audit_versions *v, const struct esse_overlay *overlay, uint32_t place,
                    uint32_t writer)
{
    const struct esse_write *write;
    const struct esse_datum *row;
    for (uint32_t at = 0; esse_overlay_next(overlay, &at, &write, &row);)
        put(v, write, row, place, writer);
}

void audit_versions_init(struct audit_versions *v, const struct esse_overlay *overlay)
{
    assert(!v->states.count);
    put_all(v, overlay, 0, AUDIT_NONE);
}

uint32_t audit_versions_newest(const struct audit_versions *v)
{
    return (uint32_t)v->states.count;
}

void audit_versions_push(struct audit_versions *v, const struct esse_overlay *overlay,
                         uint32_t writer)
{
    state_mark_vec_push(
        &v->states, v->arena,
        (struct state_mark){ (uint32_t)v->versions.count, v->block, v->used, v->hashes });
    put_all(v, overlay, (uint32_t)v->states.count, writer);
}

void audit_versions_pop(struct audit_versions *v)
{
    assert(v->states.count);
    v->has_popped = true;
    const struct state_mark mark = v->states.at[--v->states.count];
    while (v->versions.count > mark.versions) {
        const struct audit_version *version = &v->versions.at[--v->versions.count];
        v->keys.at[version->key].newest = version->before;
    }
    v->block = mark.block;
    v->used = mark.used;
    v->hashes = mark.hashes;
}

/* ---- looking ---- */

void audit_versions_look_at(struct audit_versions *v, uint32_t state)
{
    assert(state <= v->states.count);
    v->is_choosing = v->is_past = false;
    v->state = state;
    v->seen = (struct audit_span){ 0, (uint32_t)v->states.count };
}

bool audit_versions_needs(struct audit_versions *v, uint32_t state)
{
    if (v->is_choosing)
        return true;
    if (v->state >= state) {
        v->seen.low = state > v->seen.low ? state : v->seen.low;
        return true;
    }
    v->seen.high = state - 1 < v->seen.high ? state - 1 : v->seen.high;
    return false;
}

struct audit_span audit_versions_seen(const struct audit_versions *v)
{
    return v->seen;
}

static void look_again(struct audit_versions *v)
{
    v->is_choosing = true;
    v->is_past = false;
    v->choice = 0;
    v->run++;
}

void audit_versions_look_choosing(struct audit_versions *v)
{
    audit_versions_look_choosing_between(v, 0, (uint32_t)v->states.count);
}

void audit_versions_look_choosing_between(struct audit_versions *v, uint32_t low, uint32_t high)
{
    v->choices.count = v->candidates.count = 0;
    v->choose_low = low;
    v->choose_high = high;
    look_again(v);
}

void audit_versions_go_on_choosing(struct audit_versions *v)
{
    v->is_choosing = true;
}

void audit_versions_look_past(struct audit_versions *v, uint32_t state,
                              const struct audit_view *view)
{
    audit_versions_look_at(v, state);
    v->is_past = true;
    v->run++;
    for (size_t i = 0; i < view->choices.count; i++) {
        const struct audit_choice *choice = &view->choices.at[i];
        v->keys.at[choice->key].looked = v->run;
        v->keys.at[choice->key].version = view->candidates.at[choice->first + choice->chosen];
    }
}

bool audit_versions_chose_older(const struct audit_versions *v, const struct esse_table *table,
                                struct esse_bytes key)
{
    const uint32_t id = find_key(v, table, key, key_hash(table, key));
    return id != AUDIT_NONE && v->keys.at[id].looked == v->run &&
           v->keys.at[id].version != v->keys.at[id].newest;
}

void audit_versions_record(struct audit_versions *v, struct audit_read_vec *reads,
                           struct esse_arena *arena)
{
    v->reads = reads;
    v->reads_arena = arena;
}

const struct audit_version_vec *audit_versions_all(const struct audit_versions *v)
{
    return &v->versions;
}

struct esse_bytes audit_versions_key(const struct audit_versions *v, uint32_t key,
                                     const struct esse_table **table)
{
    *table = v->keys.at[key].table;
    return v->keys.at[key].bytes;
}

uint32_t audit_versions_keys(const struct audit_versions *v)
{
    return (uint32_t)v->keys.count;
}

struct audit_view audit_versions_view(const struct audit_versions *v, struct esse_arena *arena)
{
    struct audit_view view = { .is_choice = v->is_choosing, .state = v->state };
    audit_choice_vec_append(&view.choices, arena, v->choices.at, v->choices.count);
    esse_u32_vec_append(&view.candidates, arena, v->candidates.at, v->candidates.count);
    return view;
}

void audit_versions_look_as(struct audit_versions *v, const struct audit_view *view)
{
    if (!view->is_choice) {
        audit_versions_look_at(v, view->state);
        return;
    }
    v->choices.count = v->candidates.count = 0;
    audit_choice_vec_append(&v->choices, v->arena, view->choices.at, view->choices.count);
    esse_u32_vec_append(&v->candidates, v->arena, view->candidates.at, view->candidates.count);
    look_again(v);
}

bool audit_versions_next_choice(struct audit_versions *v)
{
    while (v->choices.count) {
        struct audit_choice *last = &v->choices.at[v->choices.count - 1];
        if (++last->chosen < last->count) {
            v->candidates.count = last->first + last->count;
            look_again(v);
            return true;
        }
        v->choices.count--;
    }
    return false;
}

const struct audit_version *audit_versions_top(const struct audit_versions *v,
                                               const struct esse_table *table,
                                               struct esse_bytes key)
{
    const uint32_t id = find_key(v, table, key, key_hash(table, key));
    return id == AUDIT_NONE || v->keys.at[id].newest == AUDIT_NONE
               ? NULL
               : &v->versions.at[v->keys.at[id].newest];
}

const struct audit_version *audit_versions_under(const struct audit_versions *v,
                                                 const struct audit_version *version)
{
    return version->before == AUDIT_NONE ? NULL : &v->versions.at[version->before];
}

bool audit_versions_doubt(const struct audit_versions *v)
{
    return v->has_doubt;
}

struct audit_hashes audit_versions_hashes(const struct audit_versions *v)
{
    return v->hashes;
}

struct audit_versions *audit_versions_new(struct esse_arena *arena)
{
    struct audit_versions *v = esse_arena_alloc(arena, 1, sizeof *v);
    v->arena = arena;
    v->store = (struct esse_store){ v, get, range, number };
    return v;
}

const struct esse_store *audit_versions_store(struct audit_versions *v)
{
    return &v->store;
}
