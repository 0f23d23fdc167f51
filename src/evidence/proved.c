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

static uint64_t mix(uint32_t high, uint32_t low, uint64_t with)
{
    return esse_hash_mix(((uint64_t)high << 32 | low) ^ with, 0xe7037ed1a0b428dbu);
}

/* A sum, each term of it bound to its place. */
static uint64_t digest_of(const struct esse_order *order)
{
    uint64_t digest = mix(order->has_starts, order->of_accesses, order->source_count);
    for (uint32_t i = 0; i < order->count; i++)
        digest += mix(i, order->events[i], 0xa0761d6478bd642fu);
    for (uint32_t i = 0; i < order->source_count; i++) {
        const struct esse_read_source *source = &order->sources[i];
        digest += mix(i, source->write.ix, mix(source->read.ix, source->key.ix, 0));
    }
    return digest;
}

bool esse_proved_has(const struct esse_proved *proved, const struct esse_history *history,
                     const struct esse_level *level, const struct esse_order *order)
{
    if (!proved || proved->history != history || !proved->proofs.count)
        return false;
    const uint64_t digest = digest_of(order);
    for (size_t i = 0; i < proved->proofs.count; i++) {
        const struct proof *proof = &proved->proofs.at[i];
        if (proof->level == level && proof->digest == digest && proof->count == order->count)
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
