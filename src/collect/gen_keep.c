#include "collect/gen_by_session.h"

#include "base/radix.h"
#include "base/vec.h"

#include <string.h>

/* A transaction whose pools start at these places of the sorter's own. */
struct kept {
    struct esse_txn_record record;
    size_t ops, items, rows;
};

ESSE_VEC(kept_vec, struct kept)
ESSE_VEC(op_vec, struct esse_op_record)
ESSE_VEC(item_vec, esse_value)
ESSE_VEC(row_vec, struct esse_row)

struct sorter {
    struct esse_sink sink;
    struct esse_sink *to;
    struct esse_arena *arena;
    struct kept_vec txns;
    struct op_vec ops;
    struct item_vec items;
    struct row_vec rows;
};

static bool pass_header(struct esse_sink *sink, const struct esse_header_record *header,
                        struct esse_error *err)
{
    struct esse_sink *to = ((struct sorter *)sink)->to;
    return to->header(to, header, err);
}

static bool pass_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                      struct esse_error *err)
{
    struct esse_sink *to = ((struct sorter *)sink)->to;
    return to->init(to, rows, count, err);
}

static void keep_pools(struct sorter *sorter, const struct esse_txn_record *txn,
                       const struct esse_op_record *op)
{
    if (op->is_list && op->count)
        memcpy(item_vec_extend(&sorter->items, sorter->arena, op->count),
               esse_record_items(txn, op), op->count * sizeof(esse_value));
    if (esse_op_is_predicate(op->kind) && op->count)
        memcpy(row_vec_extend(&sorter->rows, sorter->arena, op->count),
               esse_record_rows(txn, op->first, op->count), op->count * sizeof(struct esse_row));
    if (op->vset_count)
        memcpy(row_vec_extend(&sorter->rows, sorter->arena, op->vset_count),
               esse_record_rows(txn, op->vset_first, op->vset_count),
               op->vset_count * sizeof(struct esse_row));
}

/* Only what the operations name is copied, so their places in the pools change. */
static bool keep_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                     struct esse_error *err)
{
    struct sorter *sorter = (struct sorter *)sink;
    (void)err;
    const struct kept kept = { *txn, sorter->ops.count, sorter->items.count, sorter->rows.count };
    kept_vec_push(&sorter->txns, sorter->arena, kept);
    for (size_t i = 0; i < txn->op_count; i++) {
        struct esse_op_record op = txn->ops[i];
        op.first = op.is_list ? sorter->items.count - kept.items : sorter->rows.count - kept.rows;
        op.vset_first = op.first + op.count;
        op_vec_push(&sorter->ops, sorter->arena, op);
        keep_pools(sorter, txn, &txn->ops[i]);
    }
    return true;
}

static bool pass_txn(struct sorter *sorter, const struct kept *kept, struct esse_error *err)
{
    struct esse_txn_record txn = kept->record;
    txn.ops = sorter->ops.at + kept->ops;
    txn.items = sorter->items.at ? sorter->items.at + kept->items : NULL;
    txn.rows = sorter->rows.at ? sorter->rows.at + kept->rows : NULL;
    return sorter->to->txn(sorter->to, &txn, err);
}

static bool flush(struct sorter *sorter, struct esse_error *err)
{
    const size_t count = sorter->txns.count;
    struct esse_pair *order = esse_arena_grow(sorter->arena, NULL, (count + 1) * sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = (struct esse_pair){ sorter->txns.at[i].record.session.word, i };
    esse_radix_sort(order, count, sorter->arena);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = pass_txn(sorter, &sorter->txns.at[order[i].id], err);
    esse_arena_drop(sorter->arena, order);
    kept_vec_drop(&sorter->txns, sorter->arena);
    op_vec_drop(&sorter->ops, sorter->arena);
    item_vec_drop(&sorter->items, sorter->arena);
    row_vec_drop(&sorter->rows, sorter->arena);
    return ok;
}

static bool pass_versions(struct esse_sink *sink, esse_value key,
                          const struct esse_version_ref *versions, size_t count,
                          struct esse_error *err)
{
    struct sorter *sorter = (struct sorter *)sink;
    return flush(sorter, err) && sorter->to->version_order(sorter->to, key, versions, count, err);
}

static bool pass_order(struct esse_sink *sink, const esse_value *names, size_t count,
                       struct esse_error *err)
{
    struct sorter *sorter = (struct sorter *)sink;
    return flush(sorter, err) && sorter->to->order(sorter->to, names, count, err);
}

static bool pass_certificate(struct esse_sink *sink,
                             const struct esse_certificate_record *certificate,
                             struct esse_error *err)
{
    struct sorter *sorter = (struct sorter *)sink;
    return flush(sorter, err) && sorter->to->certificate(sorter->to, certificate, err);
}

static bool pass_finish(struct esse_sink *sink, struct esse_error *err)
{
    struct sorter *sorter = (struct sorter *)sink;
    return flush(sorter, err) && sorter->to->finish(sorter->to, err);
}

struct esse_sink *esse_gen_by_session(struct esse_arena *arena, struct esse_sink *to)
{
    struct sorter *sorter = esse_arena_alloc(arena, 1, sizeof *sorter);
    *sorter = (struct sorter){ .sink = { .values = to->values,
                                         .header = pass_header,
                                         .init = pass_init,
                                         .txn = keep_txn,
                                         .version_order = pass_versions,
                                         .order = pass_order,
                                         .certificate = pass_certificate,
                                         .finish = pass_finish },
                               .to = to,
                               .arena = arena };
    return &sorter->sink;
}
