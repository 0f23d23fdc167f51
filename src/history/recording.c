#include "history/building.h"

#include <assert.h>
#include <string.h>

/* The public functions for recording a history by hand: they fill one record and hand it to the
 * builder's sink, like every reader does. */

esse_value esse_nil(void)
{
    return ESSE_NIL;
}

esse_value esse_int(int64_t value)
{
    assert(value >= ESSE_INT_MIN && value <= ESSE_INT_MAX);
    return esse_value_small(value);
}

esse_value esse_long(struct esse_builder *builder, int64_t value)
{
    return esse_value_int(builder->sink.values, value);
}

esse_value esse_text(struct esse_builder *builder, const char *text)
{
    return esse_value_string(builder->sink.values, text, strlen(text));
}

void esse_builder_begin(struct esse_builder *builder, esse_value session, const char *name)
{
    builder->open = esse_txn_record_empty();
    builder->open.session = session;
    builder->open.name = name ? esse_text(builder, name) : ESSE_NONE;
    builder->open_ops.count = builder->open_items.count = 0;
}

void esse_builder_times(struct esse_builder *builder, int64_t start, int64_t end)
{
    builder->open.start = start;
    builder->open.end = end;
}

static struct esse_op_record *add_open(struct esse_builder *builder, enum esse_op_kind kind,
                                       esse_value key, esse_value value)
{
    struct esse_op_record op = {
        .kind = kind, .key = key, .value = value, .begin = ESSE_NO_TIME, .end = ESSE_NO_TIME
    };
    esse_op_record_vec_push(&builder->open_ops, builder->arena, op);
    return &builder->open_ops.at[builder->open_ops.count - 1];
}

void esse_builder_read(struct esse_builder *builder, esse_value key, esse_value value)
{
    add_open(builder, ESSE_OP_READ, key, value);
}

void esse_builder_read_list(struct esse_builder *builder, esse_value key, const esse_value *items,
                            size_t count)
{
    struct esse_op_record *op = add_open(builder, ESSE_OP_READ, key, ESSE_NONE);
    op->is_list = true;
    op->first = builder->open_items.count;
    op->count = count;
    esse_value_vec_append(&builder->open_items, builder->arena, items, count);
}

void esse_builder_write(struct esse_builder *builder, esse_value key, esse_value value)
{
    add_open(builder, ESSE_OP_WRITE, key, value);
}

void esse_builder_append(struct esse_builder *builder, esse_value key, esse_value item)
{
    add_open(builder, ESSE_OP_APPEND, key, item);
}

void esse_builder_delete(struct esse_builder *builder, esse_value key)
{
    add_open(builder, ESSE_OP_DELETE, key, ESSE_NIL);
}

bool esse_builder_end(struct esse_builder *builder, enum esse_status status, struct esse_error *err)
{
    builder->open.status = status;
    builder->open.ops = builder->open_ops.at;
    builder->open.op_count = builder->open_ops.count;
    builder->open.items = builder->open_items.at;
    return builder->sink.txn(&builder->sink, &builder->open, err);
}

bool esse_builder_freeze(struct esse_builder *builder, struct esse_history **out,
                         struct esse_error *err)
{
    return esse_builder_freeze_as(builder, "recorded", ESSE_WORKLOAD_ANY, out, err);
}
