#include "formats/zeros.h"

#include "base/hash.h"

ESSE_VEC(row_vec, struct esse_row)

static struct esse_zero_key *zero_key(struct esse_zeros *zeros, struct esse_arena *arena,
                                      esse_value key)
{
    const uint32_t hash = esse_hash_word(key.word);
    struct esse_probe probe = esse_index_probe(&zeros->index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (esse_value_eq(zeros->keys.at[id].key, key))
            return &zeros->keys.at[id];
    esse_index_add(&zeros->index, arena, hash, (uint32_t)zeros->keys.count);
    esse_zero_keys_push(&zeros->keys, arena, (struct esse_zero_key){ key, false, false });
    return &zeros->keys.at[zeros->keys.count - 1];
}

void esse_zeros_add(struct esse_zeros *zeros, struct esse_arena *arena,
                    const struct esse_op_record *op)
{
    struct esse_zero_key *key = zero_key(zeros, arena, op->key);
    if (op->kind == ESSE_OP_READ)
        key->read = true;
    else
        key->written = true;
}

bool esse_zeros_send(const struct esse_zeros *zeros, struct esse_arena *arena,
                     struct esse_sink *sink, bool also_written, struct esse_error *err)
{
    struct row_vec rows = { 0 };
    for (size_t i = 0; i < zeros->keys.count; i++) {
        const struct esse_zero_key *key = &zeros->keys.at[i];
        if (key->read && (also_written || !key->written))
            row_vec_push(&rows, arena,
                         (struct esse_row){ key->key, esse_value_small(0), ESSE_NONE });
    }
    return !rows.count || sink->init(sink, rows.at, rows.count, err);
}
