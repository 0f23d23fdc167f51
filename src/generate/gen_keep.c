#include "generate/gen_keep.h"

#include "base/radix.h"
#include "base/vec.h"

#include <string.h>

/* A transaction whose pools start at these places of the keeper's own. */
struct kept {
    struct esse_txn_record record;
    size_t ops, items, rows;
};

ESSE_VEC(kept_vec, struct kept)
ESSE_VEC(op_vec, struct esse_op_record)
ESSE_VEC(item_vec, esse_value)
ESSE_VEC(row_vec, struct esse_row)

struct keeper {
    struct esse_sink sink;
    struct esse_sink *to;
    struct esse_arena *arena;
    struct kept_vec txns;
    struct op_vec ops;
    struct item_vec items;
    struct row_vec rows;
    bool by_session;
    struct esse_gen_certificate *counted;
};

static bool pass_header(struct esse_sink *sink, const struct esse_header_record *header,
                        struct esse_error *err)
{
    struct esse_sink *to = ((struct keeper *)sink)->to;
    return to->header(to, header, err);
}

static bool pass_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                      struct esse_error *err)
{
    struct esse_sink *to = ((struct keeper *)sink)->to;
    return to->init(to, rows, count, err);
}

static void keep_pools(struct keeper *keeper, const struct esse_txn_record *txn,
                       const struct esse_op_record *op)
{
    if (op->is_list && op->count)
        memcpy(item_vec_extend(&keeper->items, keeper->arena, op->count),
               esse_record_items(txn, op), op->count * sizeof(esse_value));
    if (op->result_count)
        memcpy(item_vec_extend(&keeper->items, keeper->arena, op->result_count),
               esse_record_result(txn, op), op->result_count * sizeof(esse_value));
    if (esse_op_is_predicate(op->kind) && op->count)
        memcpy(row_vec_extend(&keeper->rows, keeper->arena, op->count),
               esse_record_rows(txn, op->first, op->count), op->count * sizeof(struct esse_row));
    if (op->vset_count)
        memcpy(row_vec_extend(&keeper->rows, keeper->arena, op->vset_count),
               esse_record_rows(txn, op->vset_first, op->vset_count),
               op->vset_count * sizeof(struct esse_row));
}

/* Only what the operations name is copied, so their places in the pools change. */
static bool keep_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                     struct esse_error *err)
{
    struct keeper *keeper = (struct keeper *)sink;
    (void)err;
    const struct kept kept = { *txn, keeper->ops.count, keeper->items.count, keeper->rows.count };
    kept_vec_push(&keeper->txns, keeper->arena, kept);
    for (size_t i = 0; i < txn->op_count; i++) {
        struct esse_op_record op = txn->ops[i];
        op.first = op.is_list ? keeper->items.count - kept.items : keeper->rows.count - kept.rows;
        op.vset_first = op.first + op.count;
        op.result_first = keeper->items.count - kept.items; /* no list has one */
        op_vec_push(&keeper->ops, keeper->arena, op);
        keep_pools(keeper, txn, &txn->ops[i]);
    }
    return true;
}

static bool pass_txn(struct keeper *keeper, const struct kept *kept, struct esse_error *err)
{
    struct esse_txn_record txn = kept->record;
    txn.ops = keeper->ops.at + kept->ops;
    txn.items = keeper->items.at ? keeper->items.at + kept->items : NULL;
    txn.rows = keeper->rows.at ? keeper->rows.at + kept->rows : NULL;
    return keeper->to->txn(keeper->to, &txn, err);
}

static void count_snapshots(struct keeper *keeper)
{
    int64_t time;
    for (size_t i = 0; i < keeper->ops.count; i++) {
        esse_value *snapshot = &keeper->ops.at[i].snapshot;
        if (esse_value_as_int(keeper->sink.values, *snapshot, &time))
            *snapshot = esse_value_small(
                (int64_t)esse_gen_certificate_before(keeper->counted, (uint64_t)time));
    }
}

static bool flush(struct keeper *keeper, struct esse_error *err)
{
    const size_t count = keeper->txns.count;
    if (keeper->counted)
        count_snapshots(keeper);
    struct esse_pair *order = esse_arena_grow(keeper->arena, NULL, (count + 1) * sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] =
            (struct esse_pair){ keeper->by_session ? keeper->txns.at[i].record.session.word : i,
                                i };
    esse_radix_sort(order, count, keeper->arena);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = pass_txn(keeper, &keeper->txns.at[order[i].id], err);
    esse_arena_drop(keeper->arena, order);
    kept_vec_drop(&keeper->txns, keeper->arena);
    op_vec_drop(&keeper->ops, keeper->arena);
    item_vec_drop(&keeper->items, keeper->arena);
    row_vec_drop(&keeper->rows, keeper->arena);
    return ok;
}

static bool pass_versions(struct esse_sink *sink, esse_value key,
                          const struct esse_version_ref *versions, size_t count,
                          struct esse_error *err)
{
    struct keeper *keeper = (struct keeper *)sink;
    return flush(keeper, err) && keeper->to->version_order(keeper->to, key, versions, count, err);
}

static bool pass_order(struct esse_sink *sink, const esse_value *names, size_t count,
                       struct esse_error *err)
{
    struct keeper *keeper = (struct keeper *)sink;
    return flush(keeper, err) && keeper->to->order(keeper->to, names, count, err);
}

static bool pass_lost(struct esse_sink *sink, const esse_value *names, size_t count,
                      struct esse_error *err)
{
    struct keeper *keeper = (struct keeper *)sink;
    return flush(keeper, err) && keeper->to->lost(keeper->to, names, count, err);
}

static bool pass_certificate(struct esse_sink *sink,
                             const struct esse_certificate_record *certificate,
                             struct esse_error *err)
{
    struct keeper *keeper = (struct keeper *)sink;
    return flush(keeper, err) && keeper->to->certificate(keeper->to, certificate, err);
}

static bool pass_fault(struct esse_sink *sink, const struct esse_fault_record *fault,
                       struct esse_error *err)
{
    struct keeper *keeper = (struct keeper *)sink;
    return flush(keeper, err) && keeper->to->fault(keeper->to, fault, err);
}

static bool pass_finish(struct esse_sink *sink, struct esse_error *err)
{
    struct keeper *keeper = (struct keeper *)sink;
    return flush(keeper, err) && keeper->to->finish(keeper->to, err);
}

struct esse_sink *esse_gen_keep(struct esse_arena *arena, struct esse_sink *to, bool by_session,
                                struct esse_gen_certificate *counted)
{
    struct keeper *keeper = esse_arena_alloc(arena, 1, sizeof *keeper);
    *keeper = (struct keeper){ .sink = { .values = to->values,
                                         .header = pass_header,
                                         .init = pass_init,
                                         .fault = pass_fault,
                                         .txn = keep_txn,
                                         .version_order = pass_versions,
                                         .order = pass_order,
                                         .lost = pass_lost,
                                         .certificate = pass_certificate,
                                         .finish = pass_finish },
                               .to = to,
                               .arena = arena,
                               .by_session = by_session,
                               .counted = counted };
    return &keeper->sink;
}
