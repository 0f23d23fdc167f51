#include "evidence/counted.h"

#include "base/radix.h"
#include "base/vec.h"
#include "base/word_map.h"
#include "history/by_key.h"

#include <string.h>

enum { SEVERAL = ESSE_NO_TXN - 1 };

/* 'reader' read what 'writer' alone can have written, and what became of 'writer' is unknown. */
struct sight {
    uint32_t reader, writer;
};
ESSE_VEC(sight_vec, struct sight)

struct naming {
    uint32_t key, op;
    esse_value value;
};
ESSE_VEC(naming_vec, struct naming)

struct counting {
    struct esse_arena *scratch;
    const struct esse_history *history;
    const uint8_t *in; /* the world that is asked about; NULL: which transactions are in all */
    struct esse_by_key by_key;
    esse_value *initial;         /* by key */
    struct esse_word_map writer; /* of the key at hand: by value, see writer_of() */
    struct sight_vec sights;
    struct naming_vec named;  /* what version sets name */
    struct esse_pair *sorted; /* the same by key */
};

/* Of two that wrote the same value: in a world, one that is in it; else SEVERAL, of which each may
 * explain a read. */
static uint32_t writer_of(const struct counting *c, uint32_t a, uint32_t b)
{
    return a == b ? a : !c->in ? SEVERAL : c->in[a] ? a : b;
}

/* False if no transaction of unknown outcome wrote the key. */
static bool find_writers(struct counting *c, uint32_t key)
{
    const struct esse_by_key *by_key = &c->by_key;
    bool doubtful = false;
    esse_word_map_clear(&c->writer, c->scratch, by_key->first[key + 1] - by_key->first[key]);
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++) {
        const struct esse_key_access *key_access = &by_key->at[at];
        const unsigned status = c->history->txn_status[key_access->txn];
        bool fresh;
        if (key_access->kind == ESSE_OP_READ || status == ESSE_ABORTED)
            continue;
        uint32_t *writer = esse_word_map_put(&c->writer, key_access->value.word, &fresh);
        *writer = fresh ? key_access->txn : writer_of(c, *writer, key_access->txn);
        doubtful |= status == ESSE_UNKNOWN_OUTCOME;
    }
    return doubtful;
}

/* Notes that the read needs this writer, unless that is clear. */
static void note_sight(struct counting *c, uint32_t reader, uint32_t writer)
{
    const uint8_t *status = c->history->txn_status;
    if (writer == SEVERAL || writer == reader)
        return;
    if (c->in ? c->in[reader] && !c->in[writer]
              : status[reader] != ESSE_ABORTED && status[writer] == ESSE_UNKNOWN_OUTCOME)
        sight_vec_push(&c->sights, c->scratch, (struct sight){ reader, writer });
}

/* A register that was read after an own write shows no other transaction's write (semantics 1). */
static void look(struct counting *c, uint32_t key, uint32_t at)
{
    const struct esse_key_access *key_access = &c->by_key.at[at];
    const esse_value value = esse_value_state(key_access->value), *items = &value;
    uint32_t count = 1;
    if (key_access->kind != ESSE_OP_READ || esse_value_eq(value, ESSE_NONE))
        return;
    if (esse_value_is_list(value))
        items = esse_history_list(c->history, value, &count);
    else if (esse_value_eq(value, c->initial[key]) || esse_is_after_own_write(&c->by_key, key, at))
        return;
    for (uint32_t i = 0; i < count; i++)
        note_sight(c, key_access->txn, esse_word_map_get(&c->writer, items[i].word, SEVERAL));
}

/* A version that a version set names was there: a certificate that names a write shows that its
 * transaction committed. */
static void look_at_named(struct counting *c, uint32_t key, const struct naming *named)
{
    if (!esse_value_eq(named->value, c->initial[key]))
        note_sight(c, esse_op_txn(c->history, named->op).ix,
                   esse_word_map_get(&c->writer, named->value.word, SEVERAL));
}

static void find_named(struct counting *c)
{
    const struct esse_history *history = c->history;
    for (uint32_t op = 0; op < history->ops; op++) {
        if (!esse_op_is_predicate(history->op_kind[op]))
            continue;
        const struct esse_predicate_op *predicate = &history->predicates[history->op_key[op]];
        for (uint32_t i = 0; i < predicate->vset_count; i++) {
            const struct esse_keyed_row *row = &history->rows[predicate->vset + i];
            naming_vec_push(&c->named, c->scratch,
                            (struct naming){ row->key.ix, op, esse_value_state(row->value) });
        }
    }
    c->sorted = esse_arena_grow(c->scratch, NULL, (c->named.count + 1) * sizeof(struct esse_pair));
    for (size_t i = 0; i < c->named.count; i++)
        c->sorted[i] = (struct esse_pair){ c->named.at[i].key, (uint32_t)i };
    esse_radix_sort(c->sorted, c->named.count, c->scratch);
}

static void find_sights(struct counting *c)
{
    size_t next = 0;
    c->initial = esse_initial_values(c->scratch, c->history);
    esse_by_key_make(&c->by_key, c->scratch, c->history);
    find_named(c);
    for (uint32_t key = 0; key < c->history->keys; key++) {
        const bool doubtful = find_writers(c, key);
        for (uint32_t at = c->by_key.first[key]; doubtful && at < c->by_key.first[key + 1]; at++)
            look(c, key, at);
        for (; next < c->named.count && c->sorted[next].key == key; next++)
            if (doubtful)
                look_at_named(c, key, &c->named.at[c->sorted[next].id]);
    }
}

static bool has_unknown(const struct esse_history *history)
{
    return history->txns && memchr(history->txn_status, ESSE_UNKNOWN_OUTCOME, history->txns);
}

uint32_t esse_counted_lacks(const struct esse_history *history, const uint8_t *in)
{
    if (!has_unknown(history))
        return ESSE_NO_TXN;
    struct counting c = { .scratch = esse_arena_new(), .history = history, .in = in };
    find_sights(&c);
    const uint32_t lacks = c.sights.count ? c.sights.at[0].writer : ESSE_NO_TXN;
    esse_arena_free(c.scratch);
    return lacks;
}

uint8_t *esse_counted(struct esse_arena *arena, const struct esse_history *history)
{
    uint8_t *in = esse_arena_alloc(arena, history->txns + (size_t)1, 1);
    bool changed = has_unknown(history);
    for (uint32_t txn = 0; txn < history->txns; txn++)
        in[txn] = history->txn_status[txn] == ESSE_COMMITTED;
    if (!changed)
        return in;
    struct counting c = { .scratch = esse_arena_new(), .history = history };
    find_sights(&c);
    while (changed) {
        changed = false;
        for (size_t i = 0; i < c.sights.count; i++)
            if (in[c.sights.at[i].reader] && !in[c.sights.at[i].writer])
                in[c.sights.at[i].writer] = changed = true;
    }
    esse_arena_free(c.scratch);
    return in;
}
