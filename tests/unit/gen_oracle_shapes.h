#ifndef ESSE_TESTS_GEN_ORACLE_SHAPES_H
#define ESSE_TESTS_GEN_ORACLE_SHAPES_H

/* A sink that notes what transactions of registers look like: how many they write, whether their
 * writes are blind, whether what is written blindly is fresh; and in which order they come. */
#include "base/arena.h"
#include "base/hash.h"
#include "history/record.h"

#include <assert.h>
#include <string.h>

enum { SHAPES_TXNS = 4000, SHAPES_KEYS = 40000, SHAPES_WRITES = 64 };

struct shapes {
    struct esse_sink sink;
    uint64_t by_writes[SHAPES_WRITES]; /* how many transactions write so many times */
    uint64_t only_read, only_write, blind, not_fresh;
    uint64_t session[SHAPES_TXNS], digest[SHAPES_TXNS]; /* of the transactions, as they come */
    size_t count;
    bool is_written[SHAPES_KEYS];
    bool is_certified, is_finished; /* has a version order come, has the end? */
};

static bool shapes_header(struct esse_sink *sink, const struct esse_header_record *header,
                          struct esse_error *err)
{
    (void)sink, (void)header, (void)err;
    return true;
}

static bool shapes_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                        struct esse_error *err)
{
    (void)sink, (void)rows, (void)count, (void)err;
    return true;
}

static bool shapes_has_read(const struct esse_txn_record *txn, size_t before, esse_value key)
{
    for (size_t i = 0; i < before; i++)
        if (txn->ops[i].kind == ESSE_OP_READ && esse_value_eq(txn->ops[i].key, key))
            return true;
    return false;
}

static uint64_t shapes_mix(uint64_t digest, uint64_t word)
{
    return esse_hash_word(digest ^ word) + digest * 3;
}

static uint64_t shapes_digest(const struct esse_txn_record *txn)
{
    uint64_t digest = shapes_mix((uint64_t)txn->start, (uint64_t)txn->end);
    digest = shapes_mix(digest, txn->name.word ^ txn->status);
    for (size_t i = 0; i < txn->op_count; i++) {
        const struct esse_op_record *op = &txn->ops[i];
        digest = shapes_mix(digest, op->kind ^ op->key.word << 3 ^ op->value.word << 20);
        for (size_t j = 0; op->is_list && j < op->count; j++)
            digest = shapes_mix(digest, txn->items[op->first + j].word);
        for (size_t j = 0; esse_op_is_predicate(op->kind) && j < op->count; j++)
            digest = shapes_mix(digest, txn->rows[op->first + j].next.word ^
                                            txn->rows[op->first + j].value.word << 9);
        for (size_t j = 0; j < op->result_count; j++)
            digest = shapes_mix(digest, txn->items[op->result_first + j].word);
        for (size_t j = 0; j < op->vset_count; j++)
            digest = shapes_mix(digest, txn->rows[op->vset_first + j].value.word);
    }
    return digest;
}

static void shapes_look(struct shapes *shapes, const struct esse_txn_record *txn)
{
    size_t writes = 0;
    for (size_t i = 0; i < txn->op_count; i++) {
        if (txn->ops[i].kind != ESSE_OP_WRITE)
            continue;
        writes++;
        bool *is_written = &shapes->is_written[txn->ops[i].key.word >> 3];
        if (!shapes_has_read(txn, i, txn->ops[i].key)) {
            shapes->blind++;
            shapes->not_fresh += *is_written;
        }
        *is_written = true;
    }
    shapes->by_writes[writes < SHAPES_WRITES ? writes : SHAPES_WRITES - 1]++;
    shapes->only_read += writes == 0;
    shapes->only_write += writes == txn->op_count;
}

static bool shapes_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                       struct esse_error *err)
{
    struct shapes *shapes = (struct shapes *)sink;
    (void)err;
    assert(shapes->count < SHAPES_TXNS);
    assert(!shapes->is_certified);
    shapes_look(shapes, txn);
    shapes->session[shapes->count] = txn->session.word;
    shapes->digest[shapes->count++] = shapes_digest(txn);
    return true;
}

static bool shapes_versions(struct esse_sink *sink, esse_value key,
                            const struct esse_version_ref *versions, size_t count,
                            struct esse_error *err)
{
    (void)key, (void)versions, (void)count, (void)err;
    return ((struct shapes *)sink)->is_certified = true;
}

static bool shapes_order(struct esse_sink *sink, const esse_value *names, size_t count,
                         struct esse_error *err)
{
    (void)names, (void)count, (void)err;
    return ((struct shapes *)sink)->is_certified;
}

static bool shapes_finish(struct esse_sink *sink, struct esse_error *err)
{
    (void)err;
    return ((struct shapes *)sink)->is_finished = true;
}

static struct shapes *shapes_new(struct esse_arena *arena)
{
    struct shapes *shapes = esse_arena_alloc(arena, 1, sizeof *shapes);
    shapes->sink = (struct esse_sink){ .values = esse_values_new(arena),
                                       .header = shapes_header,
                                       .init = shapes_init,
                                       .txn = shapes_txn,
                                       .version_order = shapes_versions,
                                       .order = shapes_order,
                                       .finish = shapes_finish };
    return shapes;
}

#endif
