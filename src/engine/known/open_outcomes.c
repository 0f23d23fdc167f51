#include "engine/known/open_outcomes.h"

#include "base/word_map.h"
#include "engine/known/committed.h"
#include "history/given_order.h"

#include <string.h>

struct opening {
    struct esse_arena *scratch;
    const struct esse_history *history;
    struct sources sources;
    const uint8_t *in;
    struct esse_word_map reader; /* of the key at hand: by value or element, one that read it */
    uint8_t *may;                /* by transaction: it may explain a read */
};
enum { SEVERAL = ESSE_NO_TXN - 1 };

static void note(struct opening *o, esse_value value, uint32_t reader)
{
    bool fresh;
    uint32_t *one = esse_word_map_put(&o->reader, value.word, &fresh);
    *one = fresh || *one == reader ? reader : SEVERAL;
}

/* Which states of the key were read, and which elements. */
static void note_reads(struct opening *o, uint32_t key)
{
    const struct sources *sources = &o->sources;
    const uint32_t first = sources->by_key.first[key], end = sources->by_key.first[key + 1];
    uint32_t room = end - first;
    for (uint32_t s = sources->key_spine[key]; s != ESSE_NO_SPINE; s = sources->next_spine[s])
        room += o->history->spines[s].count;
    esse_word_map_clear(&o->reader, o->scratch, room);
    for (uint32_t at = first; at < end; at++) {
        const struct esse_key_access *key_access = &sources->by_key.at[at];
        if (key_access->kind == ESSE_OP_READ &&
            !esse_value_is_list(esse_value_state(key_access->value)))
            note(o, esse_value_state(key_access->value), key_access->txn);
    }
    for (uint32_t s = sources->key_spine[key]; s != ESSE_NO_SPINE; s = sources->next_spine[s])
        for (uint32_t i = 0; i < o->history->spines[s].count; i++)
            note(o, o->history->spines[s].items[i], SEVERAL);
}

static bool is_open(const struct opening *o, uint32_t txn)
{
    return o->history->txn_status[txn] == ESSE_UNKNOWN_OUTCOME && !o->in[txn];
}

static void look_at_key(struct opening *o, uint32_t key)
{
    const struct esse_by_key *by_key = &o->sources.by_key;
    bool doubtful = false;
    for (uint32_t at = by_key->first[key]; !doubtful && at < by_key->first[key + 1]; at++)
        doubtful = by_key->at[at].kind != ESSE_OP_READ && is_open(o, by_key->at[at].txn);
    if (!doubtful)
        return;
    note_reads(o, key);
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++) {
        const struct esse_key_access *key_access = &by_key->at[at];
        if (key_access->kind == ESSE_OP_READ || !is_open(o, key_access->txn))
            continue;
        const uint32_t reader =
            esse_word_map_get(&o->reader, key_access->value.word, key_access->txn);
        o->may[key_access->txn] |= reader != key_access->txn;
    }
}

/* First those that explain reads; then, with predicates, those that write. */
static uint32_t collect(const struct opening *o, uint32_t *found)
{
    const struct esse_history *history = o->history;
    const bool predicates = history->has & ESSE_HAS_PREDICATES;
    uint32_t count = 0;
    for (int pass = 0; pass < 1 + predicates; pass++)
        for (uint32_t txn = 0; txn < history->txns; txn++)
            if (pass == 0 ? o->may[txn]
                          : is_open(o, txn) && !o->may[txn] && esse_txn_writes(history, txn, NULL))
                found[count++] = txn;
    return count;
}

const uint32_t *open_outcomes(struct esse_arena *arena, const struct esse_history *history,
                              uint32_t *count, struct esse_budget *budget)
{
    *count = 0;
    if (history->certificate.complete || !history->txns ||
        !memchr(history->txn_status, ESSE_UNKNOWN_OUTCOME, history->txns))
        return NULL;
    struct opening o = { .scratch = esse_arena_new(), .history = history };
    uint32_t *found = NULL;
    if (sources_find(&o.sources, o.scratch, history, 1, budget)) {
        o.in = committed_find(o.scratch, &o.sources);
        o.may = esse_arena_alloc(o.scratch, history->txns, 1);
        for (uint32_t key = 0; key < history->keys; key++)
            look_at_key(&o, key);
        found = esse_arena_alloc(arena, history->txns, sizeof *found);
        *count = collect(&o, found);
    }
    esse_arena_free(o.scratch);
    return found;
}
