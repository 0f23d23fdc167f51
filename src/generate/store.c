#include "generate/store.h"

#include "base/hash.h"
#include "base/sorted.h"
#include "base/vec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const struct esse_store_traits esse_store_traits[ESSE_STORE_LEVELS] = {
    [ESSE_STORE_READ_UNCOMMITTED] = { .name = "read-uncommitted",
                                      .has_locks = true,
                                      .has_dirty = true },
    [ESSE_STORE_READ_COMMITTED] = { .name = "read-committed", .has_locks = true },
    [ESSE_STORE_SNAPSHOT_ISOLATION] = { .name = "snapshot-isolation",
                                        .has_snapshot = true,
                                        .has_first_wins = true },
    [ESSE_STORE_SERIALIZABLE] = { .name = "serializable",
                                  .has_snapshot = true,
                                  .has_validation = true,
                                  .has_past = true,
                                  .has_order = true },
    [ESSE_STORE_STRICT_SERIALIZABLE] = { .name = "strict-serializable",
                                         .has_snapshot = true,
                                         .has_validation = true,
                                         .has_order = true },
};

struct version {
    uint64_t at; /* when it was committed */
    int64_t value;
};

struct slot {
    uint64_t key;
    uint64_t changed;    /* when the newest version was committed, or the key was put here */
    struct version *log; /* committed versions, oldest first */
    uint32_t count, room;
    uint32_t holder; /* session that holds the lock, plus 1 */
    bool is_trimmed; /* the log no longer reaches back to the unwritten key */
    bool owns_log;   /* 'log' is a block of its own and not a part of first_logs */
};

struct range {
    int64_t low, high;
};

ESSE_VEC(write_vec, struct esse_store_write)
ESSE_VEC(slot_vec, uint32_t)
ESSE_VEC(range_vec, struct range)
ESSE_VEC(int_vec, int64_t)
ESSE_VEC(row_vec, struct esse_store_row)

struct txn {
    bool is_open;
    uint64_t began, snapshot;
    struct write_vec writes;
    uint32_t *buckets; /* index of writes by slot: position plus 1 of the newest */
    struct slot_vec held, reads;
    struct range_vec ranges;
};

struct esse_store {
    struct esse_arena *arena;
    struct esse_store_options options;
    struct esse_store_traits traits;
    struct slot *slots;
    struct txn *txns; /* by session */
    uint32_t bucket_mask;
    uint64_t next_key;
    uint64_t horizon, horizon_at; /* no snapshot is older than 'horizon'; when that was found */
    struct int_vec list;          /* scratch for the answers of reads */
    struct row_vec rows;
    struct esse_sorted by_value; /* the versions of all logs; */
    bool has_index;              /* made when a range is asked for first */
};

enum { FIRST_ROOM = 4 };

struct esse_store *esse_store_new(struct esse_arena *arena,
                                  const struct esse_store_options *options)
{
    assert(options->slots > 0);
    assert(options->next_key >= options->slots);
    struct esse_store *store = esse_arena_alloc(arena, 1, sizeof *store);
    *store = (struct esse_store){ .arena = arena,
                                  .options = *options,
                                  .traits = esse_store_traits[options->level],
                                  .next_key = options->next_key };
    store->slots = esse_arena_alloc(arena, options->slots, sizeof *store->slots);
    struct version *first_logs =
        esse_arena_alloc(arena, (size_t)options->slots * FIRST_ROOM, sizeof *first_logs);
    for (uint32_t i = 0; i < options->slots; i++) {
        store->slots[i].key = i;
        store->slots[i].log = first_logs + (size_t)i * FIRST_ROOM;
        store->slots[i].room = FIRST_ROOM;
    }
    uint32_t buckets = 8;
    while (buckets < options->writes_hint * 2 && buckets < 1u << 16)
        buckets *= 2;
    store->bucket_mask = buckets - 1;
    store->txns = esse_arena_alloc(arena, options->sessions, sizeof *store->txns);
    for (uint32_t i = 0; i < options->sessions; i++)
        store->txns[i].buckets = esse_arena_alloc(arena, buckets, sizeof(uint32_t));
    return store;
}

bool esse_store_is_list(const struct esse_store *store)
{
    return store->options.is_list;
}

/* The oldest moment that an open snapshot sees or a new one may see. */
static uint64_t find_horizon(const struct esse_store *store, uint64_t now)
{
    uint64_t horizon = now > store->options.max_lag ? now - store->options.max_lag : 0;
    for (uint32_t i = 0; i < store->options.sessions; i++)
        if (store->txns[i].is_open && store->txns[i].snapshot < horizon)
            horizon = store->txns[i].snapshot;
    return horizon;
}

/* ---- versions by value ---- */

static uint64_t place_of(int64_t value)
{
    return (uint64_t)value ^ (uint64_t)1 << 63;
}

static int64_t value_of(const struct esse_entry *entry)
{
    return (int64_t)(entry->at ^ (uint64_t)1 << 63);
}

/* Is the value that of a version from 'from' on? */
static bool log_has(const struct slot *slot, uint32_t from, int64_t value)
{
    for (uint32_t i = from; i < slot->count; i++)
        if (slot->log[i].value == value)
            return true;
    return false;
}

static struct esse_entry entry_of(const struct esse_store *store, const struct slot *slot,
                                  int64_t value)
{
    return (struct esse_entry){ .at = place_of(value), .key = (uint32_t)(slot - store->slots) };
}

static void add_to_index(struct esse_store *store, const struct slot *slot, int64_t value)
{
    if (store->has_index && value != ESSE_ABSENT && !log_has(slot, 0, value))
        esse_sorted_add(&store->by_value, entry_of(store, slot, value));
}

/* The first 'count' versions of the log are about to go. */
static void remove_from_index(struct esse_store *store, const struct slot *slot, uint32_t count)
{
    for (uint32_t i = 0; store->has_index && i < count; i++) {
        const int64_t value = slot->log[i].value;
        if (value != ESSE_ABSENT && !log_has(slot, i + 1, value))
            esse_sorted_remove(&store->by_value, entry_of(store, slot, value));
    }
}

static void make_index(struct esse_store *store)
{
    size_t room = 1, count = 0;
    for (uint32_t i = 0; i < store->options.slots; i++)
        room += store->slots[i].count;
    struct esse_entry *entries = esse_arena_grow(store->arena, NULL, room * sizeof *entries);
    for (uint32_t i = 0; i < store->options.slots; i++) {
        const struct slot *slot = &store->slots[i];
        for (uint32_t at = 0; at < slot->count; at++)
            if (slot->log[at].value != ESSE_ABSENT && !log_has(slot, at + 1, slot->log[at].value))
                entries[count++] = entry_of(store, slot, slot->log[at].value);
    }
    esse_sorted_init(&store->by_value, store->arena);
    esse_sorted_fill(&store->by_value, entries, count);
    esse_arena_drop(store->arena, entries);
    store->has_index = true;
}

/* ---- versions ---- */

/* Drops the versions that no transaction can see any more.  The horizon only moves forward, so an
 * old one is safe; it is looked for again only once in as many ticks as there are sessions. */
static void trim(struct esse_store *store, struct slot *slot, uint64_t now)
{
    if (now >= store->horizon_at + store->options.sessions) {
        store->horizon = find_horizon(store, now);
        store->horizon_at = now;
    }
    uint32_t keep = slot->count;
    while (keep > 0 && slot->log[keep - 1].at > store->horizon)
        keep--;
    if (keep <= 1)
        return;
    keep--; /* the newest version at the horizon is still seen */
    remove_from_index(store, slot, keep);
    slot->is_trimmed = true;
    slot->count -= keep;
    memmove(slot->log, slot->log + keep, slot->count * sizeof *slot->log);
}

static void grow_log(struct esse_store *store, struct slot *slot)
{
    struct version *old = slot->log;
    slot->room *= 2;
    slot->log =
        esse_arena_grow(store->arena, slot->owns_log ? old : NULL, slot->room * sizeof *slot->log);
    if (!slot->owns_log)
        memcpy(slot->log, old, slot->count * sizeof *old);
    slot->owns_log = true;
}

static void install(struct esse_store *store, struct slot *slot, uint64_t now, int64_t value)
{
    if (slot->count == slot->room) {
        if (!store->options.is_list)
            trim(store, slot, now);
        if (slot->count > slot->room / 2)
            grow_log(store, slot);
    }
    add_to_index(store, slot, value);
    slot->log[slot->count++] = (struct version){ now, value };
    slot->changed = now;
}

void esse_store_init(struct esse_store *store, uint32_t slot, int64_t value)
{
    assert(slot < store->options.slots);
    install(store, &store->slots[slot], 0, value);
}

void esse_store_begin(struct esse_store *store, uint32_t session, uint64_t now, uint64_t lag)
{
    struct txn *txn = &store->txns[session];
    assert(!txn->is_open);
    assert(lag == 0 || store->traits.has_past);
    assert(lag <= store->options.max_lag);
    txn->is_open = true;
    txn->began = now;
    txn->snapshot = now > lag ? now - lag : 0;
}

uint64_t esse_store_key(const struct esse_store *store, uint32_t slot)
{
    return store->slots[slot].key;
}

uint64_t esse_store_next_key(const struct esse_store *store)
{
    return store->next_key;
}

static uint32_t *bucket_of(const struct esse_store *store, const struct txn *txn, uint32_t slot)
{
    return &txn->buckets[esse_hash_word(slot) & store->bucket_mask];
}

/* The transaction's newest write to the key that is in the slot now, or NULL. */
static struct esse_store_write *find_write(const struct esse_store *store, const struct txn *txn,
                                           uint32_t slot)
{
    if (txn->writes.count == 0)
        return NULL;
    for (uint32_t at = *bucket_of(store, txn, slot); at;) {
        struct esse_store_write *write = &txn->writes.at[at - 1];
        if (write->slot == slot && write->key == store->slots[slot].key)
            return write;
        at = write->older;
    }
    return NULL;
}

/* When the slot's key last changed is remembered, for the transactions that read it before.  Other
 * transactions that have written to the old key cannot commit any more; where commits must not fail
 * there are locks, and then there are no others. */
bool esse_store_renew(struct esse_store *store, uint32_t session, uint32_t number)
{
    struct slot *slot = &store->slots[number];
    assert(!store->has_index);
    if ((slot->holder && slot->holder != session + 1) ||
        find_write(store, &store->txns[session], number))
        return false;
    slot->key = store->next_key++;
    slot->count = 0;
    slot->is_trimmed = false;
    return true;
}

/* The transaction whose uncommitted writes a read of the slot sees: itself, or at read uncommitted
 * the holder of the lock. */
static const struct txn *writer_seen(const struct esse_store *store, uint32_t session,
                                     uint32_t slot)
{
    uint32_t holder = store->slots[slot].holder;
    if (store->traits.has_dirty && holder)
        return &store->txns[holder - 1];
    return &store->txns[session];
}

/* How many versions of the log a snapshot sees. */
static uint32_t seen(const struct esse_store *store, const struct txn *txn, const struct slot *slot)
{
    uint32_t count = slot->count;
    if (store->traits.has_snapshot)
        while (count > 0 && slot->log[count - 1].at > txn->snapshot)
            count--;
    assert(count > 0 || !slot->is_trimmed);
    return count;
}

static int64_t look(const struct esse_store *store, uint32_t session, uint32_t slot, bool *is_own)
{
    const struct esse_store_write *write =
        find_write(store, writer_seen(store, session, slot), slot);
    *is_own = write;
    if (write)
        return write->value;
    uint32_t count = seen(store, &store->txns[session], &store->slots[slot]);
    return count ? store->slots[slot].log[count - 1].value : ESSE_ABSENT;
}

int64_t esse_store_read(struct esse_store *store, uint32_t session, uint32_t slot)
{
    bool is_own;
    int64_t value = look(store, session, slot, &is_own);
    if (store->traits.has_validation && !is_own)
        slot_vec_push(&store->txns[session].reads, store->arena, slot);
    return value;
}

/* An own append does not hide what was there before it, so every list read must be validated. */
const int64_t *esse_store_read_list(struct esse_store *store, uint32_t session, uint32_t slot,
                                    size_t *count)
{
    assert(store->options.is_list);
    struct txn *txn = &store->txns[session];
    const struct slot *from = &store->slots[slot];
    if (store->traits.has_validation)
        slot_vec_push(&txn->reads, store->arena, slot);

    uint32_t committed = seen(store, txn, from);
    store->list.count = 0;
    int64_t *item = int_vec_extend(&store->list, store->arena, committed);
    for (uint32_t i = 0; i < committed; i++)
        item[i] = from->log[i].value;
    const struct txn *writer = writer_seen(store, session, slot);
    if (find_write(store, writer, slot))
        for (size_t i = 0; i < writer->writes.count; i++)
            if (writer->writes.at[i].slot == slot && writer->writes.at[i].key == from->key)
                int_vec_push(&store->list, store->arena, writer->writes.at[i].value);
    *count = store->list.count;
    return store->list.at;
}

/* The row of a slot, if it is there for the session and has this value. */
static void take_row(struct esse_store *store, uint32_t session, uint32_t slot, int64_t value)
{
    bool is_own;
    if (look(store, session, slot, &is_own) == value)
        row_vec_push(&store->rows, store->arena,
                     (struct esse_store_row){ store->slots[slot].key, value, slot });
}

/* What a transaction wrote without committing is in no log. */
static void take_written(struct esse_store *store, uint32_t session, const struct txn *writer,
                         struct range range)
{
    for (size_t i = 0; i < writer->writes.count; i++) {
        const struct esse_store_write *write = &writer->writes.at[i];
        const struct slot *slot = &store->slots[write->slot];
        if (write->is_last && write->key == slot->key && write->value != ESSE_ABSENT &&
            write->value >= range.low && write->value <= range.high &&
            !log_has(slot, 0, write->value))
            take_row(store, session, write->slot, write->value);
    }
}

static int by_slot(const void *left, const void *right)
{
    const struct esse_store_row *a = left, *b = right;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

const struct esse_store_row *esse_store_match(struct esse_store *store, uint32_t session,
                                              int64_t low, int64_t high, size_t *count)
{
    if (store->traits.has_validation)
        range_vec_push(&store->txns[session].ranges, store->arena, (struct range){ low, high });
    if (!store->has_index)
        make_index(store);
    store->rows.count = 0;
    struct esse_entry_cursor cursor = esse_sorted_seek(&store->by_value, 0, place_of(low));
    for (const struct esse_entry *entry; (entry = esse_entry_cursor_next(&cursor));) {
        if (entry->at > place_of(high))
            break;
        take_row(store, session, entry->key, value_of(entry));
    }
    for (uint32_t i = 0; i < store->options.sessions; i++)
        if (store->traits.has_dirty || i == session)
            take_written(store, session, &store->txns[i], (struct range){ low, high });
    if (store->rows.count)
        qsort(store->rows.at, store->rows.count, sizeof *store->rows.at, by_slot);
    *count = store->rows.count;
    return store->rows.at;
}

const struct esse_store_row *esse_store_rows(struct esse_store *store, uint32_t session,
                                             size_t *count)
{
    store->rows.count = 0;
    for (uint32_t i = 0; i < store->options.slots; i++) {
        bool is_own;
        const int64_t value = look(store, session, i, &is_own);
        if (value != ESSE_ABSENT)
            row_vec_push(&store->rows, store->arena,
                         (struct esse_store_row){ store->slots[i].key, value, i });
    }
    *count = store->rows.count;
    return store->rows.at;
}

enum esse_store_answer esse_store_lock(struct esse_store *store, uint32_t session, uint32_t slot)
{
    uint32_t *holder = &store->slots[slot].holder;
    if (!store->traits.has_locks || *holder == session + 1)
        return ESSE_STORE_DONE;
    if (*holder)
        return store->txns[session].began < store->txns[*holder - 1].began ? ESSE_STORE_WAIT
                                                                           : ESSE_STORE_DIE;
    *holder = session + 1;
    slot_vec_push(&store->txns[session].held, store->arena, slot);
    return ESSE_STORE_DONE;
}

void esse_store_write(struct esse_store *store, uint32_t session, uint32_t slot, int64_t value)
{
    struct txn *txn = &store->txns[session];
    assert(txn->is_open);
    assert(!store->traits.has_locks || store->slots[slot].holder == session + 1);
    struct esse_store_write *before = find_write(store, txn, slot);
    if (before)
        before->is_last = false;
    uint32_t *bucket = bucket_of(store, txn, slot);
    write_vec_push(&txn->writes, store->arena,
                   (struct esse_store_write){ .key = store->slots[slot].key,
                                              .value = value,
                                              .slot = slot,
                                              .older = *bucket,
                                              .is_last = true });
    *bucket = (uint32_t)txn->writes.count;
}

const struct esse_store_write *esse_store_writes(const struct esse_store *store, uint32_t session,
                                                 size_t *count)
{
    *count = store->txns[session].writes.count;
    return store->txns[session].writes.at;
}

uint64_t esse_store_snapshot(const struct esse_store *store, uint32_t session)
{
    return store->txns[session].snapshot;
}

/* Whether a row that the range saw, or should have seen, has come, gone or changed since. */
static bool range_changed(const struct esse_store *store, const struct txn *txn, struct range range)
{
    struct esse_entry_cursor cursor = esse_sorted_seek(&store->by_value, 0, place_of(range.low));
    for (const struct esse_entry *entry; (entry = esse_entry_cursor_next(&cursor));) {
        const struct slot *slot = &store->slots[entry->key];
        if (entry->at > place_of(range.high))
            return false;
        /* The newest version that the snapshot sees, and those that came upon it. */
        const uint32_t first = seen(store, txn, slot);
        if (slot->changed > txn->snapshot && log_has(slot, first ? first - 1 : 0, value_of(entry)))
            return true;
    }
    return false;
}

static bool may_commit(const struct esse_store *store, const struct txn *txn)
{
    for (size_t i = 0; i < txn->writes.count; i++) {
        const struct esse_store_write *write = &txn->writes.at[i];
        const struct slot *slot = &store->slots[write->slot];
        if (slot->key != write->key)
            return false;
        if (store->traits.has_first_wins && slot->changed > txn->snapshot)
            return false;
    }
    for (size_t i = 0; i < txn->reads.count; i++)
        if (store->slots[txn->reads.at[i]].changed > txn->snapshot)
            return false;
    for (size_t i = 0; i < txn->ranges.count; i++)
        if (range_changed(store, txn, txn->ranges.at[i]))
            return false;
    return true;
}

bool esse_store_commit(struct esse_store *store, uint32_t session, uint64_t now)
{
    struct txn *txn = &store->txns[session];
    assert(txn->is_open);
    if (txn->writes.count == 0)
        return true; /* it stands where its snapshot was taken */
    if (!may_commit(store, txn))
        return false;
    for (size_t i = 0; i < txn->writes.count; i++) {
        const struct esse_store_write *write = &txn->writes.at[i];
        if (store->options.is_list || write->is_last)
            install(store, &store->slots[write->slot], now, write->value);
    }
    return true;
}

void esse_store_close(struct esse_store *store, uint32_t session)
{
    struct txn *txn = &store->txns[session];
    assert(txn->is_open);
    for (size_t i = 0; i < txn->held.count; i++)
        store->slots[txn->held.at[i]].holder = 0;
    for (size_t i = 0; i < txn->writes.count; i++)
        *bucket_of(store, txn, txn->writes.at[i].slot) = 0;
    txn->held.count = txn->reads.count = 0;
    txn->writes.count = 0;
    txn->ranges.count = 0;
    txn->is_open = false;
}

uint64_t esse_store_held(const struct esse_store *store)
{
    uint64_t held = 0;
    for (uint32_t i = 0; i < store->options.slots; i++)
        held += store->slots[i].count;
    return held;
}
