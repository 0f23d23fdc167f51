#include "evidence/counted.h"

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

struct counting {
    struct esse_arena *scratch;
    const struct esse_history *history;
    struct esse_by_key by_key;
    esse_value *initial;         /* by key */
    struct esse_word_map writer; /* of the key at hand: by value, the only one or SEVERAL */
    struct sight_vec sights;
};

static bool is_unknown(const struct counting *c, uint32_t txn)
{
    return c->history->txn_status[txn] == ESSE_UNKNOWN_OUTCOME;
}

/* False if no transaction of unknown outcome wrote the key. */
static bool find_writers(struct counting *c, uint32_t key)
{
    const struct esse_by_key *by_key = &c->by_key;
    bool doubtful = false;
    esse_word_map_clear(&c->writer, c->scratch, by_key->first[key + 1] - by_key->first[key]);
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++) {
        const struct esse_touch *touch = &by_key->at[at];
        bool fresh;
        if (touch->kind == ESSE_OP_READ || c->history->txn_status[touch->txn] == ESSE_ABORTED)
            continue;
        uint32_t *writer = esse_word_map_put(&c->writer, touch->value.word, &fresh);
        *writer = fresh || *writer == touch->txn ? touch->txn : SEVERAL;
        doubtful |= is_unknown(c, touch->txn);
    }
    return doubtful;
}

static void see(struct counting *c, uint32_t reader, esse_value value)
{
    const uint32_t writer = esse_word_map_get(&c->writer, value.word, SEVERAL);
    if (writer != SEVERAL && writer != reader && is_unknown(c, writer))
        sight_vec_push(&c->sights, c->scratch, (struct sight){ reader, writer });
}

/* A register that was read after an own write shows no other transaction's write (semantics 1). */
static void look(struct counting *c, uint32_t key, uint32_t at)
{
    const struct esse_touch *touch = &c->by_key.at[at];
    const esse_value value = esse_value_state(touch->value);
    uint32_t count;
    if (touch->kind != ESSE_OP_READ || esse_value_eq(value, ESSE_NONE) ||
        c->history->txn_status[touch->txn] == ESSE_ABORTED)
        return;
    if (esse_value_tag(value) == ESSE_TAG_LIST) {
        const esse_value *items = esse_history_list(c->history, value, &count);
        for (uint32_t i = 0; i < count; i++)
            see(c, touch->txn, items[i]);
    } else if (!esse_value_eq(value, c->initial[key]) &&
               !esse_is_after_own_write(&c->by_key, key, at)) {
        see(c, touch->txn, value);
    }
}

static void find_sights(struct counting *c)
{
    c->initial = esse_initial_values(c->scratch, c->history);
    esse_by_key_make(&c->by_key, c->scratch, c->history);
    for (uint32_t key = 0; key < c->history->keys; key++)
        if (find_writers(c, key))
            for (uint32_t at = c->by_key.first[key]; at < c->by_key.first[key + 1]; at++)
                look(c, key, at);
}

static bool observe(const struct counting *c, uint8_t *in)
{
    bool changed = false;
    for (size_t i = 0; i < c->sights.count; i++) {
        const struct sight *sight = &c->sights.at[i];
        if (in[sight->reader] && !in[sight->writer])
            in[sight->writer] = changed = true;
    }
    return changed;
}

uint8_t *esse_counted(struct esse_arena *arena, const struct esse_history *history)
{
    uint8_t *in = esse_arena_alloc(arena, history->txns + (size_t)1, 1);
    for (uint32_t txn = 0; txn < history->txns; txn++)
        in[txn] = history->txn_status[txn] == ESSE_COMMITTED;
    if (!history->txns || !memchr(history->txn_status, ESSE_UNKNOWN_OUTCOME, history->txns))
        return in;
    struct counting c = { .scratch = esse_arena_new(), .history = history };
    find_sights(&c);
    while (observe(&c, in))
        continue;
    esse_arena_free(c.scratch);
    return in;
}
