#include "mirror/mirror_state.h"

#include <string.h>

/* Keys, their versions, and the locks that no version shows. */

static uint32_t hash_key(uint64_t key)
{
    return esse_hash_word(key);
}

static uint32_t new_entry(struct esse_mirror *m, uint64_t key)
{
    const uint32_t id = m->entry_count++;
    if (id / ENTRY_BLOCK == m->block_room) {
        m->block_room = m->block_room ? m->block_room * 2 : 8;
        m->blocks = esse_arena_grow(m->arena, m->blocks, m->block_room * sizeof *m->blocks);
    }
    if (id % ENTRY_BLOCK == 0)
        m->blocks[id / ENTRY_BLOCK] =
            esse_arena_zeros(m->arena, (size_t)ENTRY_BLOCK, struct mirror_entry);
    struct mirror_entry *entry = mirror_entry_at(m, id);
    entry->key = key;
    entry->release_max = INT64_MIN;
    entry->init = m->has_init ? WORD_NIL : 0;
    esse_index_add(&m->index, m->arena, hash_key(key), id);
    m->counters.keys++;
    return id;
}

uint32_t esse_mirror_entry(struct esse_mirror *m, uint64_t key)
{
    struct esse_probe probe = esse_index_probe(&m->index, hash_key(key));
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (mirror_entry_at(m, id)->key == key)
            return id;
    return new_entry(m, key);
}

/* ---- the pools ---- */

static uint32_t new_version(struct esse_mirror *m, const struct mirror_version *version)
{
    uint32_t at = m->spare_version;
    if (at) {
        m->spare_version = m->versions.at[at].next;
    } else {
        if (!m->versions.count)
            mirror_version_vec_push(&m->versions, m->arena, (struct mirror_version){ 0 });
        at = (uint32_t)m->versions.count;
        mirror_version_vec_extend(&m->versions, m->arena, 1);
    }
    m->versions.at[at] = *version;
    return at;
}

static void free_columns(struct esse_mirror *m, uint32_t columns)
{
    if (!columns)
        return;
    m->columns.at[columns].next_free = m->spare_columns;
    m->columns.at[columns].count = 0;
    m->spare_columns = columns;
}

static void free_version(struct esse_mirror *m, uint32_t at)
{
    free_columns(m, m->versions.at[at].columns);
    m->versions.at[at].next = m->spare_version;
    m->spare_version = at;
    m->counters.versions--;
}

uint32_t esse_mirror_columns(struct esse_mirror *m, const struct mirror_column *columns,
                             uint32_t count)
{
    uint32_t at = m->spare_columns;
    if (at) {
        m->spare_columns = m->columns.at[at].next_free;
    } else {
        if (!m->columns.count)
            mirror_columns_vec_push(&m->columns, m->arena, (struct mirror_columns){ 0 });
        at = (uint32_t)m->columns.count;
        mirror_columns_vec_push(&m->columns, m->arena, (struct mirror_columns){ 0 });
    }
    struct mirror_columns *to = &m->columns.at[at];
    to->at = esse_arena_grow(m->arena, to->at, (count ? count : 1) * sizeof *columns);
    if (count)
        memcpy(to->at, columns, count * sizeof *columns);
    to->count = count;
    return at;
}

/* ---- versions ---- */

struct mirror_version *esse_mirror_older(struct esse_mirror *m, struct mirror_entry *entry,
                                         struct mirror_version *version)
{
    uint32_t next = version->next;
    if (version == &entry->at[0])
        return entry->at[1].flags ? &entry->at[1] : NULL;
    if (version == &entry->at[1])
        next = entry->more;
    return next ? &m->versions.at[next] : NULL;
}

void esse_mirror_install(struct esse_mirror *m, struct mirror_entry *entry,
                         const struct mirror_version *version)
{
    /* M1; a version that is found to be committed later than others is put where it belongs. */
    if (entry->at[0].flags && version->c.a < entry->at[0].c.a) {
        struct mirror_version later = entry->at[0];
        if (entry->at[1].flags && version->c.a < entry->at[1].c.a) {
            uint32_t *link = &entry->more;
            while (*link && version->c.a < m->versions.at[*link].c.a)
                link = &m->versions.at[*link].next;
            struct mirror_version copy = *version;
            copy.next = *link;
            const uint32_t before = *link, at = new_version(m, &copy);
            /* The pool may have moved: find the link again. */
            link = &entry->more;
            while (*link != before)
                link = &m->versions.at[*link].next;
            *link = at;
            m->counters.versions++;
            return;
        }
        entry->at[0] = *version;
        entry->at[0].next = 0;
        esse_mirror_install(m, entry, &later);
        return;
    }
    if (entry->at[1].flags) {
        struct mirror_version old = entry->at[1];
        old.next = entry->more;
        entry->more = new_version(m, &old);
    }
    entry->at[1] = entry->at[0];
    entry->at[0] = *version;
    entry->at[0].next = entry->at[1].next = 0;
    m->counters.versions++;
}

void esse_mirror_add_odd(struct esse_mirror *m, struct mirror_entry *entry,
                         const struct mirror_version *version)
{
    enum { MOST = 16 };
    unsigned count = 0;
    for (uint32_t at = entry->odd; at; at = m->versions.at[at].next)
        count++;
    if (count >= MOST) {
        entry->flags |= ENTRY_SOFT;
        free_columns(m, version->columns);
        return;
    }
    struct mirror_version copy = *version;
    copy.next = entry->odd;
    entry->odd = new_version(m, &copy);
    m->counters.versions++;
}

/* Does the version that is killed set nothing that this one leaves as it was? */
static bool covers(const struct mirror_version *by, const struct mirror_version *killed)
{
    return (by->flags & VERSION_FULL) || (!by->columns && !killed->columns);
}

/* The committed versions end behind the first that is surely followed by one below the horizon. */
void esse_mirror_trim(struct esse_mirror *m, struct mirror_entry *entry)
{
    int64_t kill = INT64_MIN;
    const struct mirror_version *killer = NULL;
    struct mirror_version *last = NULL;
    if (!entry->at[0].flags)
        return;
    for (struct mirror_version *v = &entry->at[0]; v; v = esse_mirror_older(m, entry, v)) {
        if (killer && v->c.a <= kill && covers(killer, v)) {
            if (last == &entry->at[0]) {
                free_columns(m, entry->at[1].columns);
                entry->at[1].flags = 0;
                m->counters.versions--;
            }
            uint32_t *link =
                last == &entry->at[0] || last == &entry->at[1] ? &entry->more : &last->next;
            for (uint32_t at = *link, next; at; at = next) {
                next = m->versions.at[at].next;
                free_version(m, at);
            }
            *link = 0;
            break;
        }
        if (v->c.a <= m->horizon && v->c.b > kill) {
            kill = v->c.b;
            killer = v;
        }
        last = v;
    }
    for (uint32_t *link = &entry->odd; *link;) {
        const uint32_t at = *link;
        const struct mirror_version *v = &m->versions.at[at];
        if (killer && v->c.a <= kill && covers(killer, v)) {
            *link = v->next;
            free_version(m, at);
        } else {
            link = &m->versions.at[at].next;
        }
    }
}

bool esse_mirror_sets(const struct esse_mirror *m, const struct mirror_version *version,
                      uint64_t column, uint64_t *value, bool *any)
{
    *any = false;
    if (version->flags & VERSION_OPAQUE) {
        *any = true;
        return true;
    }
    if (column == COLUMN_EXISTS) {
        *value = version->flags & VERSION_DEAD ? WORD_NIL : WORD_PRESENT;
        return true;
    }
    *value = WORD_NIL;
    if (version->flags & VERSION_DEAD)
        return true;
    if (!version->columns) {
        *value = column == COLUMN_SCALAR ? version->value : 0;
        return true;
    }
    const struct mirror_columns *columns = &m->columns.at[version->columns];
    for (uint32_t i = 0; i < columns->count; i++) {
        if (columns->at[i].name == column) {
            *value = columns->at[i].value;
            return true;
        }
    }
    *any = version->flags & VERSION_FULL; /* an insert that does not name it: the default */
    return *any;
}

/* ---- locks ---- */

void esse_mirror_add_holder(struct esse_mirror *m, struct mirror_entry *entry, uint32_t txn,
                            uint32_t op, unsigned mode)
{
    uint32_t at = m->spare_holder;
    if (at) {
        m->spare_holder = m->holders.at[at].next;
    } else {
        if (!m->holders.count)
            mirror_holder_vec_push(&m->holders, m->arena, (struct mirror_holder){ 0 });
        at = (uint32_t)m->holders.count;
        mirror_holder_vec_extend(&m->holders, m->arena, 1);
    }
    m->holders.at[at] = (struct mirror_holder){ txn, op, entry->holders, (uint8_t)mode };
    entry->holders = at;
}

void esse_mirror_drop_holders(struct esse_mirror *m, struct mirror_entry *entry, uint32_t txn)
{
    for (uint32_t *link = &entry->holders; *link;) {
        const uint32_t at = *link;
        if (m->holders.at[at].txn == txn) {
            *link = m->holders.at[at].next;
            m->holders.at[at].next = m->spare_holder;
            m->spare_holder = at;
        } else {
            link = &m->holders.at[at].next;
        }
    }
    if (!entry->holders && entry->release_max == ESSE_MIRROR_NEVER)
        entry->release_max = entry->at[0].flags ? entry->at[0].c.a : INT64_MIN;
}

/* ---- values that were written ---- */

/* A table that forgets what falls on the same place: forgetting only ever loses findings. */
enum { WRITTEN = 1 << 18 };

static uint64_t written_hash(uint64_t key, uint64_t column, uint64_t value)
{
    const uint64_t place = column == COLUMN_EXISTS || column == COLUMN_SCALAR ? key : key ^ column;
    return esse_hash_mix(place ^ 0x9e3779b97f4a7c15u, value ^ 0xd6e8feb86659fd93u) | 1;
}

void esse_mirror_note_written(struct esse_mirror *m, uint64_t key, uint64_t column, uint64_t value)
{
    if (!m->written)
        m->written = esse_arena_zeros(m->arena, (size_t)WRITTEN, uint64_t);
    const uint64_t hash = written_hash(key, column, value);
    m->written[hash >> 40 & (WRITTEN - 1)] = hash;
}

bool esse_mirror_was_written(const struct esse_mirror *m, uint64_t key, uint64_t column,
                             uint64_t value)
{
    const uint64_t hash = written_hash(key, column, value);
    return m->written && m->written[hash >> 40 & (WRITTEN - 1)] == hash;
}
