#include "evidence/proved_note.h"

#include "base/vec.h"

#include <string.h>

struct proof {
    const struct esse_level *level;
    struct esse_order order; /* a copy; several proofs of one order share it */
};
ESSE_VEC(proof_vec, struct proof)

struct esse_proved {
    struct esse_arena *arena;
    const struct esse_history *history;
    struct proof_vec proofs;
    struct esse_by_key *by_key; /* NULL until it is asked for */
};

struct esse_proved *esse_proved_new(struct esse_arena *arena, const struct esse_history *history)
{
    struct esse_proved *proved = esse_arena_alloc(arena, 1, sizeof *proved);
    *proved = (struct esse_proved){ .arena = arena, .history = history };
    return proved;
}

static bool is_same(const struct esse_order *a, const struct esse_order *b)
{
    return a->count == b->count && a->has_starts == b->has_starts &&
           a->of_accesses == b->of_accesses && a->source_count == b->source_count &&
           (!a->count || memcmp(a->events, b->events, a->count * sizeof *a->events) == 0) &&
           (!a->source_count ||
            memcmp(a->sources, b->sources, a->source_count * sizeof *a->sources) == 0);
}

/* The first proof of the order, of this level if one is given; NULL if there is none. */
static const struct proof *find(const struct esse_proved *proved, const struct esse_level *level,
                                const struct esse_order *order)
{
    for (size_t i = 0; i < proved->proofs.count; i++) {
        const struct proof *proof = &proved->proofs.at[i];
        if ((!level || proof->level == level) && is_same(&proof->order, order))
            return proof;
    }
    return NULL;
}

bool esse_proved_has(const struct esse_proved *proved, const struct esse_history *history,
                     const struct esse_level *level, const struct esse_order *order)
{
    return proved && proved->history == history && find(proved, level, order);
}

static const void *copy(struct esse_arena *arena, const void *from, size_t size)
{
    return size ? memcpy(esse_arena_grow(arena, NULL, size), from, size) : NULL;
}

void proved_note(struct esse_proved *proved, const struct esse_history *history,
                 const struct esse_level *level, const struct esse_order *order)
{
    if (!proved || proved->history != history)
        return;
    const struct proof *same = find(proved, NULL, order);
    struct proof proof = { level, same ? same->order : *order };
    if (!same) {
        proof.order.events =
            copy(proved->arena, order->events, order->count * sizeof *order->events);
        proof.order.sources =
            copy(proved->arena, order->sources, order->source_count * sizeof *order->sources);
    }
    proof_vec_push(&proved->proofs, proved->arena, proof);
}

const struct esse_by_key *proved_by_key(struct esse_proved *proved,
                                        const struct esse_history *history)
{
    if (!proved || proved->history != history)
        return NULL;
    if (!proved->by_key) {
        struct esse_by_key *made = esse_arena_alloc(proved->arena, 1, sizeof *made);
        esse_by_key_make(made, proved->arena, history);
        proved->by_key = made; /* whole, or the guard's work was abandoned before */
    }
    return proved->by_key;
}
