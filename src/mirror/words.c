#include "mirror/words.h"

#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"

struct kept {
    uint64_t word;
    esse_value value;
};
ESSE_VEC(kept_vec, struct kept)

struct generation {
    struct esse_arena *arena;
    struct esse_values *values;
    struct esse_index index;
    struct kept_vec kept;
};

/* What is asked for in the old one moves to the young one, which becomes the old one when full. */
struct esse_words {
    struct generation young, old;
};

enum { GENERATION = 1 << 18 };

static void begin(struct generation *g)
{
    *g = (struct generation){ .arena = esse_arena_new() };
    g->values = esse_values_new(g->arena);
}

struct esse_words *esse_words_new(struct esse_arena *arena)
{
    struct esse_words *words = esse_arena_alloc(arena, 1, sizeof *words);
    begin(&words->young);
    begin(&words->old);
    return words;
}

void esse_words_release(struct esse_words *words)
{
    esse_arena_free(words->young.arena);
    esse_arena_free(words->old.arena);
}

static uint64_t hash_bytes(uint64_t seed, const char *at, size_t length)
{
    uint64_t hash = seed ^ length, word;
    for (; length >= 8; at += 8, length -= 8) {
        memcpy(&word, at, 8);
        hash = esse_hash_mix(hash ^ word, 0xe7037ed1a0b428dbu);
    }
    word = 0;
    if (length)
        memcpy(&word, at, length);
    return esse_hash_mix(hash ^ word, 0x8ebc6af09c88c6e3u);
}

static uint64_t hash_value(const struct esse_values *values, esse_value value)
{
    char room[8];
    uint32_t count;
    if (esse_value_tag(value) != ESSE_TAG_ATOM)
        return esse_hash_mix(value.word ^ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u);
    const enum esse_value_kind kind = esse_value_kind(values, value);
    int64_t number;
    if (esse_value_as_int(values, value, &number))
        return esse_hash_mix((uint64_t)number ^ kind, 0xa0761d6478bd642fu);
    if (kind < ESSE_KIND_SEQ) {
        const struct esse_span text = esse_value_text(values, value, room);
        return hash_bytes(kind, text.at, text.length);
    }
    const esse_value *parts = esse_value_parts(values, value, &count);
    uint64_t hash = kind;
    for (uint32_t i = 0; i < count; i++)
        hash = esse_hash_mix(hash ^ hash_value(values, parts[i]), 0xe7037ed1a0b428dbu);
    return hash;
}

static const struct kept *find(const struct generation *g, uint64_t word)
{
    struct esse_probe probe = esse_index_probe(&g->index, (uint32_t)(word >> 3));
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (g->kept.at[id].word == word)
            return &g->kept.at[id];
    return NULL;
}

static void keep(struct esse_words *words, uint64_t word, const struct esse_values *from,
                 esse_value value)
{
    if (words->young.kept.count == GENERATION) {
        esse_arena_free(words->old.arena);
        words->old = words->young;
        begin(&words->young);
    }
    struct generation *g = &words->young;
    esse_index_add(&g->index, g->arena, (uint32_t)(word >> 3), (uint32_t)g->kept.count);
    kept_vec_push(&g->kept, g->arena,
                  (struct kept){ word, esse_value_carry(g->values, from, value) });
}

uint64_t esse_word_of(struct esse_words *words, const struct esse_values *from, esse_value value)
{
    if (esse_value_tag(value) != ESSE_TAG_ATOM)
        return value.word;
    const uint64_t word = hash_value(from, value) << 3 | ESSE_TAG_ATOM;
    if (!find(&words->young, word))
        keep(words, word, from, value);
    return word;
}

esse_value esse_word_value(const struct esse_words *words, uint64_t word, struct esse_values *to)
{
    const esse_value exact = { word };
    if (esse_value_tag(exact) != ESSE_TAG_ATOM)
        return exact;
    const struct generation *g = &words->young;
    const struct kept *kept = find(g, word);
    if (!kept) {
        g = &words->old;
        kept = find(g, word);
    }
    return kept ? esse_value_carry(to, g->values, kept->value) : esse_value_string(to, "?", 1);
}
