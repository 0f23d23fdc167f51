#include "history/suppose.h"

#include "base/arena.h"
#include "base/checked.h"

#include <string.h>

/* The columns that change. */
struct supposing {
    uint8_t *status, *kind;
    uint32_t *key;
    esse_value *value;
    struct esse_interval *time; /* NULL if there is none */
};

static void *copy(struct esse_arena *arena, const void *column, size_t count, size_t size)
{
    void *to = esse_arena_alloc(arena, count + 1, size);
    if (count)
        memcpy(to, column, count * size);
    return to;
}

static struct supposing copy_columns(struct esse_arena *arena, const struct esse_history *history)
{
    struct supposing s = {
        .status = copy(arena, history->txn_status, history->txns, sizeof *s.status),
        .kind = copy(arena, history->op_kind, history->ops, sizeof *s.kind),
        .key = copy(arena, history->op_key, history->ops, sizeof *s.key),
        .value = copy(arena, history->op_value, history->ops, sizeof *s.value),
    };
    if (history->txn_time)
        s.time = copy(arena, history->txn_time, history->txns, sizeof *s.time);
    return s;
}

static void erase(const struct supposing *s, const struct esse_history *history, uint32_t txn)
{
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        s->kind[op] = ESSE_OP_READ;
        s->key[op] = 0;
        s->value[op] = ESSE_NONE;
    }
}

static bool suppose(const struct supposing *s, const struct esse_history *history,
                    const struct esse_supposition *supposed)
{
    const uint32_t txn = supposed->txn.ix;
    if (txn >= history->txns || !history->keys || s->status[txn] != ESSE_UNKNOWN_OUTCOME)
        return false;
    s->status[txn] = supposed->committed ? ESSE_COMMITTED : ESSE_ABORTED;
    if (!supposed->committed)
        erase(s, history, txn);
    else if (s->time)
        s->time[txn].end = ESSE_NO_TIME;
    return true;
}

const struct esse_history *esse_history_suppose(struct esse_arena *arena,
                                                const struct esse_history *history,
                                                const struct esse_supposition *supposed,
                                                uint32_t count)
{
    const struct supposing s = copy_columns(arena, history);
    struct esse_history *world = esse_arena_alloc(arena, 1, sizeof *world);
    for (uint32_t i = 0; i < count; i++)
        if (!suppose(&s, history, &supposed[i]))
            return NULL;
    *world = *history;
    world->txn_status = s.status;
    world->op_kind = s.kind;
    world->op_key = s.key;
    world->op_value = s.value;
    world->txn_time = s.time;
    ESSE_SEAM(esse_history_valid(world));
    return world;
}
