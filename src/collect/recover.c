#include "collect/recover.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct installed {
    uint32_t key, txn;
    esse_value value;
    bool is_item; /* of a list: a version even if its transaction appends more */
};

/* Names by an id, or by a key and a value; 'name' is ESSE_NONE where two transactions qualify. */
struct named {
    uint64_t a, b;
    esse_value name;
};

struct placed {
    struct esse_stamp stamp;
    uint32_t version;
};

struct list_state {
    esse_value *items;
    size_t count, room;
};

ESSE_VEC(txn_vec, struct esse_change_txn)
ESSE_VEC(installed_vec, struct installed)
ESSE_VEC(named_vec, struct named)
ESSE_VEC(key_vec, esse_value)
ESSE_VEC(list_vec, struct list_state)

struct esse_recovery {
    struct esse_arena *arena;
    struct esse_values *values;
    struct txn_vec txns;
    struct esse_index txn_index;
    struct key_vec keys;
    struct list_vec lists; /* by key */
    struct esse_index key_index;
    struct installed_vec versions;
    struct named_vec by_id, by_write;
    struct esse_index id_index, write_index;
    uint32_t open; /* the transaction whose versions come */
    /* Once sorted, of the first 'sorted' versions: in the order of their stamps, and of key k in
     * by_key[start[k] .. start[k + 1]). */
    struct placed *placed;
    uint32_t *by_key, *start;
    size_t sorted;
};

struct esse_recovery *esse_recovery_new(struct esse_arena *arena, struct esse_values *values)
{
    struct esse_recovery *recovery = esse_arena_alloc(arena, 1, sizeof *recovery);
    recovery->arena = arena;
    recovery->values = values;
    return recovery;
}

/* ---- the stream ---- */

void esse_recovery_begin(struct esse_recovery *r, const struct esse_change_txn *txn)
{
    const uint32_t hash = esse_hash_word(txn->id.word);
    struct esse_probe probe = esse_index_probe(&r->txn_index, hash);
    while (esse_probe_next(&probe, &r->open))
        if (esse_value_eq(r->txns.at[r->open].id, txn->id))
            return;
    r->open = (uint32_t)r->txns.count;
    txn_vec_push(&r->txns, r->arena, *txn);
    esse_index_add(&r->txn_index, r->arena, hash, r->open);
}

/* The key as the text that it is in files. */
static esse_value text_key(struct esse_recovery *r, esse_value key)
{
    int64_t number;
    char digits[24];
    if (!esse_value_as_int(r->values, key, &number))
        return key;
    const int length = snprintf(digits, sizeof digits, "%lld", (long long)number);
    return esse_value_string(r->values, digits, (size_t)length);
}

static uint32_t key_number(struct esse_recovery *r, esse_value key)
{
    key = text_key(r, key);
    const uint32_t hash = esse_hash_word(key.word);
    struct esse_probe probe = esse_index_probe(&r->key_index, hash);
    uint32_t id;
    while (esse_probe_next(&probe, &id))
        if (esse_value_eq(r->keys.at[id], key))
            return id;
    id = (uint32_t)r->keys.count;
    key_vec_push(&r->keys, r->arena, key);
    list_vec_push(&r->lists, r->arena, (struct list_state){ 0 });
    esse_index_add(&r->key_index, r->arena, hash, id);
    return id;
}

static void add_version(struct esse_recovery *r, uint32_t key, esse_value value, bool is_item)
{
    assert(r->txns.count > 0);
    installed_vec_push(&r->versions, r->arena, (struct installed){ key, r->open, value, is_item });
}

void esse_recovery_install(struct esse_recovery *r, esse_value key, esse_value value)
{
    add_version(r, key_number(r, key), value, false);
}

static bool is_prefix(const struct list_state *list, const esse_value *items, size_t count)
{
    return list->count <= count &&
           (!list->count || !memcmp(list->items, items, list->count * sizeof *items));
}

/*
 * Usually the list grew, and its tail is new.  If it did not (an append from an outdated read
 * took others away) only the last item can be told to be this transaction's.
 */
void esse_recovery_install_list(struct esse_recovery *r, esse_value name, const esse_value *items,
                                size_t count)
{
    const uint32_t key = key_number(r, name);
    struct list_state *list = &r->lists.at[key];
    size_t from = is_prefix(list, items, count) ? list->count : count - (count > 0);
    for (; from < count; from++)
        add_version(r, key, items[from], true);
    while (list->room < count) {
        list->room = esse_vec_room(list->room, sizeof *items);
        list->items = esse_arena_grow(r->arena, list->items, list->room * sizeof *items);
    }
    if (count)
        memcpy(list->items, items, count * sizeof *items);
    list->count = count;
}

/* ---- the history ---- */

static uint32_t hash_pair(uint64_t a, uint64_t b)
{
    return esse_hash_word(a * 31 + esse_hash_word(b));
}

static struct named *find_named(struct named_vec *vec, const struct esse_index *index, uint64_t a,
                                uint64_t b)
{
    struct esse_probe probe = esse_index_probe(index, hash_pair(a, b));
    uint32_t id;
    while (esse_probe_next(&probe, &id))
        if (vec->at[id].a == a && vec->at[id].b == b)
            return &vec->at[id];
    return NULL;
}

static void add_named(struct esse_recovery *r, struct named_vec *vec, struct esse_index *index,
                      struct named named)
{
    struct named *known = find_named(vec, index, named.a, named.b);
    if (known) {
        if (!esse_value_eq(known->name, named.name))
            known->name = ESSE_NONE;
        return;
    }
    esse_index_add(index, r->arena, hash_pair(named.a, named.b), (uint32_t)vec->count);
    named_vec_push(vec, r->arena, named);
}

static void see_write(struct esse_recovery *r, esse_value key, esse_value value, esse_value name)
{
    if (!esse_value_eq(value, ESSE_NIL) && !esse_value_eq(value, ESSE_NONE))
        add_named(r, &r->by_write, &r->write_index,
                  (struct named){ text_key(r, key).word, value.word, name });
}

void esse_recovery_see(struct esse_recovery *r, const struct esse_txn_record *txn)
{
    assert(!esse_value_eq(txn->name, ESSE_NONE));
    if (txn->status == ESSE_ABORTED)
        return;
    if (txn->xid != ESSE_NO_TIME)
        add_named(r, &r->by_id, &r->id_index,
                  (struct named){ esse_value_int(r->values, txn->xid).word, 0, txn->name });
    for (size_t i = 0; i < txn->op_count; i++) {
        const struct esse_op_record *op = &txn->ops[i];
        if (op->kind == ESSE_OP_WRITE || op->kind == ESSE_OP_APPEND)
            see_write(r, op->key, op->value, txn->name);
        if (op->kind != ESSE_OP_PREDICATE_UPDATE)
            continue;
        const struct esse_row *rows = esse_record_rows(txn, op->first, op->count);
        for (size_t row = 0; row < op->count; row++)
            see_write(r, rows[row].key, rows[row].next, txn->name);
    }
}

/* ---- sorting ---- */

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    const int order = esse_stamp_compare(a->stamp, b->stamp);
    return order ? order : (a->version > b->version) - (a->version < b->version);
}

/* The versions in the order of their stamps, those of one stamp as they came. */
static void sort_versions(struct esse_recovery *r)
{
    const size_t count = r->versions.count;
    r->placed = esse_arena_grow(r->arena, r->placed, (count + 1) * sizeof *r->placed);
    bool sorted = true;
    for (uint32_t i = 0; i < count; i++) {
        r->placed[i] = (struct placed){ r->txns.at[r->versions.at[i].txn].stamp, i };
        sorted &= i == 0 || esse_stamp_compare(r->placed[i - 1].stamp, r->placed[i].stamp) <= 0;
    }
    if (!sorted)
        qsort(r->placed, count, sizeof *r->placed, compare_placed);
}

/* A counting sort: stable, so each key's versions keep their order. */
static void group_by_key(struct esse_recovery *r)
{
    const size_t keys = r->keys.count, count = r->versions.count;
    r->start = esse_arena_grow(r->arena, r->start, (keys + 2) * sizeof *r->start);
    r->by_key = esse_arena_grow(r->arena, r->by_key, (count + 1) * sizeof *r->by_key);
    memset(r->start, 0, (keys + 2) * sizeof *r->start);
    for (size_t i = 0; i < count; i++)
        r->start[r->versions.at[i].key + 2]++;
    for (size_t k = 2; k < keys + 2; k++)
        r->start[k] += r->start[k - 1];
    for (size_t i = 0; i < count; i++) {
        const uint32_t version = r->placed[i].version;
        r->by_key[r->start[r->versions.at[version].key + 1]++] = version;
    }
}

static void sort_all(struct esse_recovery *r)
{
    if (r->start && r->sorted == r->versions.count)
        return;
    sort_versions(r);
    group_by_key(r);
    r->sorted = r->versions.count;
}

bool esse_recovery_seen(struct esse_recovery *r, esse_value name, const struct esse_view *view,
                        esse_value *value, esse_value *txn_id)
{
    const uint32_t key = key_number(r, name);
    sort_all(r);
    if (key + 1 > r->keys.count || !r->versions.count)
        return false;
    uint32_t low = r->start[key], high = r->start[key + 1]; /* below 'low' it sees all */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (view->sees(view->context, &r->txns.at[r->versions.at[r->by_key[middle]].txn]))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == r->start[key])
        return false;
    const struct installed *seen = &r->versions.at[r->by_key[low - 1]];
    *value = seen->value;
    *txn_id = r->txns.at[seen->txn].id;
    return true;
}

/* ---- the certificate ---- */

/* The name that the history has for the transaction of a version, or ESSE_NONE. */
static esse_value name_of(struct esse_recovery *r, const struct installed *version)
{
    const struct named *named =
        find_named(&r->by_id, &r->id_index, r->txns.at[version->txn].id.word, 0);
    if (!named || esse_value_eq(named->name, ESSE_NONE))
        named = find_named(&r->by_write, &r->write_index, r->keys.at[version->key].word,
                           version->value.word);
    return named ? named->name : ESSE_NONE;
}

static bool is_superseded(const struct esse_recovery *r, const uint32_t *at, const uint32_t *end)
{
    const struct installed *version = &r->versions.at[at[0]];
    return !version->is_item && at + 1 < end && r->versions.at[at[1]].txn == version->txn;
}

static bool emit_key(struct esse_recovery *r, uint32_t key, struct esse_version_ref *refs,
                     struct esse_sink *sink, struct esse_recovery_counts *counts,
                     struct esse_error *err)
{
    const uint32_t *at = r->by_key + r->start[key], *end = r->by_key + r->start[key + 1];
    size_t count = 0;
    for (; at < end; at++) {
        const struct installed *version = &r->versions.at[*at];
        const esse_value name = name_of(r, version);
        if (is_superseded(r, at, end))
            counts->superseded++;
        else if (esse_value_eq(name, ESSE_NONE))
            counts->foreign++;
        else if (version->is_item)
            refs[count++] = (struct esse_version_ref){ .value = version->value, .txn = ESSE_NONE };
        else
            refs[count++] = (struct esse_version_ref){ .value = ESSE_NONE, .txn = name };
    }
    counts->versions += count;
    return !count || sink->version_order(sink, r->keys.at[key], refs, count, err);
}

static bool emit_versions(struct esse_recovery *r, struct esse_sink *sink,
                          struct esse_recovery_counts *counts, struct esse_error *err)
{
    struct esse_version_ref *refs =
        esse_arena_grow(r->arena, NULL, (r->versions.count + 1) * sizeof *refs);
    bool ok = true;
    for (uint32_t key = 0; ok && key < r->keys.count; key++)
        ok = emit_key(r, key, refs, sink, counts, err);
    esse_arena_drop(r->arena, refs);
    return ok;
}

/* Each transaction once, where its first version stands.  Two of one stamp that the stream takes
 * for one are told apart by what they wrote. */
static bool emit_order(struct esse_recovery *r, struct esse_sink *sink,
                       struct esse_recovery_counts *counts, struct esse_error *err)
{
    struct key_vec names = { 0 };
    struct named_vec seen = { 0 };
    struct esse_index index = { 0 };
    for (size_t i = 0; i < r->versions.count; i++) {
        const esse_value name = name_of(r, &r->versions.at[r->placed[i].version]);
        if (esse_value_eq(name, ESSE_NONE) || find_named(&seen, &index, name.word, 0))
            continue;
        add_named(r, &seen, &index, (struct named){ name.word, 0, name });
        key_vec_push(&names, r->arena, name);
    }
    counts->transactions = names.count;
    const bool ok = !names.count || sink->order(sink, names.at, names.count, err);
    esse_index_drop(&index, r->arena);
    named_vec_drop(&seen, r->arena);
    key_vec_drop(&names, r->arena);
    return ok;
}

bool esse_recovery_emit(struct esse_recovery *r, struct esse_certificate_record certificate,
                        struct esse_sink *sink, struct esse_recovery_counts *counts,
                        struct esse_error *err)
{
    *counts = (struct esse_recovery_counts){ 0 };
    sort_all(r);
    if (!emit_versions(r, sink, counts, err) || !emit_order(r, sink, counts, err))
        return false;
    certificate.complete &= counts->foreign == 0;
    return sink->certificate(sink, &certificate, err);
}
