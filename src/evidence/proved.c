#include "evidence/proved_note.h"

#include "base/hash.h"
#include "base/vec.h"

struct proof {
    const struct esse_level *level;
    uint64_t digest;
    uint32_t count;
};
ESSE_VEC(proof_vec, struct proof)

struct esse_proved {
    struct esse_arena *arena;
    const struct esse_history *history;
    struct proof_vec proofs;
};

struct esse_proved *esse_proved_new(struct esse_arena *arena, const struct esse_history *history)
{
    struct esse_proved *proved = esse_arena_alloc(arena, 1, sizeof *proved);
    *proved = (struct esse_proved){ .arena = arena, .history = history };
    return proved;
}

/* A sum, each term of it bound to its place. */
static uint64_t digest_of(const struct esse_order *order)
{
    const uint64_t step = 0x9e3779b97f4a7c15u, by = 0xe7037ed1a0b428dbu;
    uint64_t digest = (uint64_t)order->has_starts << 1 | order->of_accesses, place = 0;
    for (uint32_t i = 0; i < order->count; i++)
        digest += esse_hash_mix(order->events[i] + (place += step), by);
    for (uint32_t i = 0; i < order->source_count; i++) {
        const struct esse_read_source *source = &order->sources[i];
        const uint64_t read = (uint64_t)source->read.ix << 32 | source->key.ix;
        digest += esse_hash_mix(esse_hash_mix(read + (place += step), by) + source->write.ix, by);
    }
    return digest;
}

bool esse_proved_has(const struct esse_proved *proved, const struct esse_history *history,
                     const struct esse_level *level, const struct esse_order *order)
{
    if (!proved || proved->history != history)
        return false;
    for (size_t i = 0; i < proved->proofs.count; i++) {
        const struct proof *proof = &proved->proofs.at[i];
        if (proof->level == level && proof->count == order->count &&
            proof->digest == digest_of(order))
            return true;
    }
    return false;
}

void proved_note(struct esse_proved *proved, const struct esse_history *history,
                 const struct esse_level *level, const struct esse_order *order)
{
    if (!proved || proved->history != history)
        return;
    const struct proof proof = { level, digest_of(order), order->count };
    proof_vec_push(&proved->proofs, proved->arena, proof);
}
