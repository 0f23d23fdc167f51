#include "formats/jepsen_batch.h"

#include "base/guard.h"

/* ---- life ---- */

static void new_pool(struct esse_jepsen_batch *batch)
{
    batch->pool = esse_arena_new();
    batch->values = esse_values_new(batch->pool);
}

void esse_jepsen_batch_init(struct esse_jepsen_batch *batch)
{
    *batch = (struct esse_jepsen_batch){ .arena = esse_arena_new() };
    new_pool(batch);
}

void esse_jepsen_batch_release(struct esse_jepsen_batch *batch)
{
    esse_arena_free(batch->pool);
    esse_arena_free(batch->arena);
}

void esse_jepsen_batch_empty(struct esse_jepsen_batch *batch)
{
    batch->ops.count = batch->mops.count = batch->items.count = batch->rows.count = 0;
    batch->extras.count = batch->seen_at.count = batch->atoms.count = 0;
    if (!esse_values_atoms(batch->values))
        return;
    esse_arena_free(batch->pool);
    new_pool(batch);
}

/* ---- keeping ---- */

static void keep_mops(struct esse_jepsen_batch *batch, const struct esse_jepsen *from)
{
    struct esse_kept_mop *mops = esse_kept_mops_extend(&batch->mops, batch->arena, from->ops.count);
    for (size_t i = 0; i < from->ops.count; i++) {
        const struct esse_op_record *op = &from->ops.at[i];
        mops[i].key = op->key;
        mops[i].value = op->value;
        mops[i].first = (uint32_t)op->first;
        mops[i].count = (uint32_t)op->count;
        mops[i].kind = (uint8_t)op->kind;
        mops[i].is_list = op->is_list;
    }
    esse_jepsen_items_append(&batch->items, batch->arena, from->items.at, from->items.count);
    esse_jepsen_rows_append(&batch->rows, batch->arena, from->rows.at, from->rows.count);
    esse_jepsen_extras_append(&batch->extras, batch->arena, from->extras.at, from->extras.count);
}

static void keep_seen(struct esse_jepsen_batch *batch, const struct esse_jepsen_op *op)
{
    for (unsigned kinds = op->seen; kinds; kinds &= kinds - 1)
        esse_kept_places_push(&batch->seen_at, batch->arena, op->seen_at[__builtin_ctz(kinds)]);
}

bool esse_jepsen_batch_keep(struct esse_jepsen_batch *batch, const struct esse_jepsen *from)
{
    const struct esse_jepsen_op *op = &from->op;
    const bool is_counted = op->process_kind != ESSE_JEPSEN_OTHER_PROCESS;
    if ((op->problem && is_counted) || from->ops.count > UINT32_MAX ||
        from->items.count > UINT32_MAX || from->rows.count > UINT32_MAX)
        return false;
    struct esse_kept_op kept = { .place = op->place,
                                 .f = op->f,
                                 .process = op->process,
                                 .index = op->index,
                                 .time = op->time,
                                 .atoms = esse_values_atoms(batch->values),
                                 .type = (uint8_t)op->type,
                                 .process_kind = (uint8_t)op->process_kind,
                                 .value = (uint8_t)op->value,
                                 .is_txn = op->is_txn,
                                 .is_init = op->is_init,
                                 .has_init = op->has_init };
    if (is_counted) { /* of the others nothing is looked at */
        kept.mops = (uint32_t)from->ops.count;
        kept.items = (uint32_t)from->items.count;
        kept.rows = (uint32_t)from->rows.count;
        kept.extras = (uint32_t)from->extras.count;
        kept.seen = (uint16_t)op->seen;
        keep_mops(batch, from);
        keep_seen(batch, op);
    }
    esse_kept_ops_push(&batch->ops, batch->arena, kept);
    return true;
}

/* ---- taking ---- */

static esse_value arrived(const struct esse_jepsen_batch *batch, esse_value value)
{
    return esse_value_tag(value) == ESSE_TAG_ATOM ? batch->atoms.at[value.word >> 3] : value;
}

/* What the next operation has many of. */
struct next {
    struct esse_kept_mop *mops;
    esse_value *items;
    struct esse_row *rows;
    const struct esse_extra *extras;
    const char **seen_at;
};

static void carry_atoms(struct esse_jepsen_batch *batch, struct esse_values *to,
                        const struct esse_kept_op *op, const struct next *next)
{
    while (batch->atoms.count < op->atoms) {
        const esse_value atom = esse_value_of_atom((uint32_t)batch->atoms.count);
        esse_value_vec_push(&batch->atoms, batch->arena, esse_value_carry(to, batch->values, atom));
    }
    for (uint32_t i = 0; i < op->mops; i++) {
        next->mops[i].key = arrived(batch, next->mops[i].key);
        next->mops[i].value = arrived(batch, next->mops[i].value);
    }
    for (uint32_t i = 0; i < op->items; i++)
        next->items[i] = arrived(batch, next->items[i]);
    for (uint32_t i = 0; i < op->rows; i++)
        next->rows[i] = (struct esse_row){ arrived(batch, next->rows[i].key),
                                           arrived(batch, next->rows[i].value),
                                           arrived(batch, next->rows[i].next) };
}

/* All members are named: see esse_txn_record_empty. */
static void give_mops(struct esse_jepsen *to, const struct esse_kept_mop *mops, uint32_t count)
{
    to->ops.count = 0;
    struct esse_op_record *ops = esse_jepsen_ops_extend(&to->ops, to->arena, count);
    for (uint32_t i = 0; i < count; i++)
        ops[i] = (struct esse_op_record){ .kind = (enum esse_op_kind)mops[i].kind,
                                          .is_list = mops[i].is_list,
                                          .has_vset = false,
                                          .no_rows = false,
                                          .has_result = false,
                                          .statement = 0,
                                          .key = mops[i].key,
                                          .value = mops[i].value,
                                          .first = mops[i].first,
                                          .count = mops[i].count,
                                          .vset_first = 0,
                                          .vset_count = 0,
                                          .result_first = 0,
                                          .result_count = 0,
                                          .begin = ESSE_NO_TIME,
                                          .end = ESSE_NO_TIME,
                                          .snapshot = ESSE_NONE };
}

static void give_op(struct esse_jepsen *to, const struct esse_kept_op *kept, struct next *next)
{
    struct esse_jepsen_op *op = &to->op;
    op->place = kept->place;
    op->type = (enum esse_jepsen_type)kept->type;
    op->process_kind = (enum esse_jepsen_process)kept->process_kind;
    op->process = kept->process;
    op->index = kept->index;
    op->time = kept->time;
    op->f = kept->f;
    op->is_txn = kept->is_txn;
    op->is_init = kept->is_init;
    op->value = (enum esse_jepsen_value)kept->value;
    op->has_init = kept->has_init;
    op->problem = NULL;
    op->seen = kept->seen;
    for (unsigned kinds = op->seen; kinds; kinds &= kinds - 1)
        op->seen_at[__builtin_ctz(kinds)] = *next->seen_at++;
    give_mops(to, next->mops, kept->mops);
    to->items = (struct esse_jepsen_items){ next->items, kept->items, kept->items };
    to->rows = (struct esse_jepsen_rows){ next->rows, kept->rows, kept->rows };
    to->extras.count = 0;
    esse_jepsen_extras_append(&to->extras, to->arena, next->extras, kept->extras);
}

static void pass(const struct esse_kept_op *kept, struct next *next)
{
    next->mops += kept->mops;
    next->items += kept->items;
    next->rows += kept->rows;
    next->extras += kept->extras;
}

/* Items and rows are not copied: for the time of taking they are the batch's. */
bool esse_jepsen_batch_take(struct esse_jepsen_batch *batch, struct esse_jepsen *to)
{
    struct next next = { batch->mops.at, batch->items.at, batch->rows.at, batch->extras.at,
                         batch->seen_at.at };
    const struct esse_jepsen_items items = to->items;
    const struct esse_jepsen_rows rows = to->rows;
    bool ok = true;
    for (size_t i = 0; ok && i < batch->ops.count; i++) {
        const struct esse_kept_op *kept = &batch->ops.at[i];
        esse_guard_poll();
        if (kept->atoms)
            carry_atoms(batch, to->values, kept, &next);
        give_op(to, kept, &next);
        ok = esse_jepsen_take(to);
        pass(kept, &next);
    }
    to->items = items;
    to->rows = rows;
    return ok;
}
