#include "history/part.h"

#include "base/guard.h"
#include "history/building.h"

#include <string.h>

/* ---- what a part does not take ---- */

static bool no_header(struct esse_sink *sink, const struct esse_header_record *header,
                      struct esse_error *err)
{
    (void)sink, (void)header, (void)err;
    return false;
}

static bool no_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                    struct esse_error *err)
{
    (void)sink, (void)rows, (void)count, (void)err;
    return false;
}

static bool no_fault(struct esse_sink *sink, const struct esse_fault_record *fault,
                     struct esse_error *err)
{
    (void)sink, (void)fault, (void)err;
    return false;
}

static bool no_version_order(struct esse_sink *sink, esse_value key,
                             const struct esse_version_ref *versions, size_t count,
                             struct esse_error *err)
{
    (void)sink, (void)key, (void)versions, (void)count, (void)err;
    return false;
}

static bool no_names(struct esse_sink *sink, const esse_value *names, size_t count,
                     struct esse_error *err)
{
    (void)sink, (void)names, (void)count, (void)err;
    return false;
}

static bool no_certificate(struct esse_sink *sink,
                           const struct esse_certificate_record *certificate,
                           struct esse_error *err)
{
    (void)sink, (void)certificate, (void)err;
    return false;
}

/* ---- life ---- */

static void new_pool(struct esse_part *part)
{
    part->pool = esse_arena_new();
    part->builder->sink.values = esse_values_new(part->pool);
}

void esse_part_init(struct esse_part *part)
{
    part->arena = esse_arena_new();
    part->builder = esse_builder_new(part->arena);
    part->builder->lists = NULL;
    part->builder->sink.header = no_header;
    part->builder->sink.init = no_init;
    part->builder->sink.fault = no_fault;
    part->builder->sink.version_order = no_version_order;
    part->builder->sink.order = part->builder->sink.lost = no_names;
    part->builder->sink.certificate = no_certificate;
    new_pool(part);
}

void esse_part_release(struct esse_part *part)
{
    esse_arena_free(part->pool);
    esse_arena_free(part->arena);
}

struct esse_sink *esse_part_sink(struct esse_part *part)
{
    return &part->builder->sink;
}

static void empty_columns(struct esse_builder *b)
{
    b->op_kind.count = b->op_key.count = b->op_value.count = 0;
    b->op_time.count = b->op_snapshot.count = b->op_statement.count = 0;
    b->txn_op.count = b->txn_session.count = b->txn_line.count = b->txn_status.count = 0;
    b->txn_name.count = b->txn_xid.count = 0;
    b->txn_time.count = b->txn_server_time.count = b->txn_wall_time.count = 0;
    b->session_name.count = b->key_name.count = b->key_flags.count = 0;
    b->predicates.count = b->rows.count = b->results.count = b->part_items.count = 0;
}

/* Texts of members stand between the columns: they go with all of it. */
void esse_part_empty(struct esse_part *part)
{
    struct esse_builder *b = part->builder;
    if (b->extras.count) {
        esse_part_release(part);
        esse_part_init(part);
        return;
    }
    empty_columns(b);
    esse_index_clear(&b->names);
    esse_index_clear(&b->session_index);
    esse_index_clear(&b->key_index);
    b->indexed = 0;
    b->largest_name = INT64_MIN;
    b->has = 0;
    if (esse_values_atoms(b->sink.values)) {
        esse_arena_free(part->pool);
        new_pool(part);
    }
}

/* ---- joining ---- */

struct joining {
    struct esse_builder *whole;
    const struct esse_builder *part;
    struct esse_arena *scratch;
    esse_value *atoms;         /* by number in the part: that of the whole; NULL: it has none */
    uint32_t *keys, *sessions; /* by number in the part: that in the whole */
    uint32_t ops, txns, predicates, rows, results; /* of the whole, before */
    uint64_t lines;
};

static inline esse_value arrived(const struct joining *j, esse_value value)
{
    return esse_value_tag(value) == ESSE_TAG_ATOM ? j->atoms[value.word >> 3] : value;
}

static void arrive_all(const struct joining *j, esse_value *values, size_t count)
{
    for (size_t i = 0; j->atoms && i < count; i++)
        values[i] = arrived(j, values[i]);
}

/* Atoms were made in the order of the records, so those that are new get the right numbers. */
static void join_atoms(struct joining *j)
{
    const uint32_t count = esse_values_atoms(j->part->sink.values);
    j->atoms = count ? esse_arena_array(j->scratch, count, *j->atoms) : NULL;
    for (uint32_t i = 0; i < count; i++)
        j->atoms[i] =
            esse_value_carry(j->whole->sink.values, j->part->sink.values, esse_value_of_atom(i));
}

static bool join_keys(struct joining *j)
{
    const unsigned both = KEY_WRITTEN | KEY_APPENDED;
    const size_t count = j->part->key_name.count;
    bool ok = true;
    j->keys = esse_arena_array(j->scratch, count + 1, *j->keys);
    for (size_t i = 0; i < count; i++) {
        j->keys[i] = esse_builder_key(j->whole, arrived(j, j->part->key_name.at[i])).ix;
        const unsigned flags = j->whole->key_flags.at[j->keys[i]] | j->part->key_flags.at[i];
        ok = ok && (flags & both) != both;
    }
    return ok;
}

static void join_sessions(struct joining *j)
{
    const size_t count = j->part->session_name.count;
    j->sessions = esse_arena_array(j->scratch, count + 1, *j->sessions);
    for (size_t i = 0; i < count; i++)
        j->sessions[i] = esse_builder_session_id(j->whole, arrived(j, j->part->session_name.at[i]));
}

/* Among themselves those of the part are. */
static bool are_names_new(struct joining *j)
{
    int64_t largest = j->whole->largest_name;
    for (size_t i = 0; i < j->part->txn_name.count; i++) {
        const esse_value name = arrived(j, j->part->txn_name.at[i]);
        uint32_t before;
        if (esse_value_tag(name) == ESSE_TAG_INT && (int64_t)name.word > largest)
            largest = (int64_t)name.word;
        else if (!esse_value_eq(name, ESSE_NONE) && esse_builder_named(j->whole, name, &before))
            return false;
    }
    j->whole->largest_name = largest;
    return true;
}

/* ---- columns ---- */

static void join_values(const struct joining *j, struct esse_value_vec *to,
                        const struct esse_value_vec *from, size_t before, size_t count)
{
    if (!to->count && !from->count)
        return;
    while (to->count < before)
        esse_value_vec_push(to, j->whole->arena, ESSE_NONE);
    esse_value_vec_append(to, j->whole->arena, from->at, from->count);
    if (from->count)
        arrive_all(j, to->at + before, from->count);
    while (to->count < before + count)
        esse_value_vec_push(to, j->whole->arena, ESSE_NONE);
}

static void join_times(const struct joining *j, struct esse_interval_vec *to,
                       const struct esse_interval_vec *from, size_t before, size_t count)
{
    const struct esse_interval none = { ESSE_NO_TIME, ESSE_NO_TIME };
    if (!to->count && !from->count)
        return;
    while (to->count < before)
        esse_interval_vec_push(to, j->whole->arena, none);
    esse_interval_vec_append(to, j->whole->arena, from->at, from->count);
    while (to->count < before + count)
        esse_interval_vec_push(to, j->whole->arena, none);
}

static void join_xids(const struct joining *j)
{
    struct esse_i64_vec *to = &j->whole->txn_xid;
    const struct esse_i64_vec *from = &j->part->txn_xid;
    if (!to->count && !from->count)
        return;
    while (to->count < j->txns)
        esse_i64_vec_push(to, j->whole->arena, ESSE_NO_TIME);
    esse_i64_vec_append(to, j->whole->arena, from->at, from->count);
    while (to->count < j->txns + j->part->txn_session.count)
        esse_i64_vec_push(to, j->whole->arena, ESSE_NO_TIME);
}

static void join_statements(const struct joining *j)
{
    struct esse_u32_vec *to = &j->whole->op_statement;
    const struct esse_u32_vec *from = &j->part->op_statement;
    if (!to->count && !from->count)
        return;
    while (to->count < j->ops)
        esse_u32_vec_push(to, j->whole->arena, 0);
    esse_u32_vec_append(to, j->whole->arena, from->at, from->count);
    while (to->count < j->ops + j->part->op_kind.count)
        esse_u32_vec_push(to, j->whole->arena, 0);
}

/* ---- operations ---- */

/* The lists of the part, in their order. */
static void join_lists(const struct joining *j, const uint32_t *keys, esse_value *values)
{
    const struct esse_builder *part = j->part;
    const esse_value *items = part->part_items.at;
    arrive_all(j, part->part_items.at, part->part_items.count);
    for (size_t i = 0; i < part->op_kind.count; i++) {
        if (!esse_value_is_list(values[i]))
            continue;
        const size_t count = values[i].word >> 32;
        esse_guard_poll();
        values[i] = esse_lists_add(j->whole->lists, (esse_key){ keys[i] }, items, count);
        items = count ? items + count : items;
    }
}

static void join_item_keys(const struct joining *j, uint32_t *keys)
{
    const struct esse_builder *part = j->part;
    if (!part->predicates.count) {
        for (size_t i = 0; i < part->op_key.count; i++)
            keys[i] = j->keys[part->op_key.at[i]];
        return;
    }
    for (size_t i = 0; i < part->op_key.count; i++)
        keys[i] = esse_op_is_predicate(part->op_kind.at[i]) ? j->predicates + part->op_key.at[i]
                                                            : j->keys[part->op_key.at[i]];
}

static void join_ops(const struct joining *j)
{
    struct esse_builder *whole = j->whole;
    const struct esse_builder *part = j->part;
    const size_t count = part->op_kind.count;
    esse_u8_vec_append(&whole->op_kind, whole->arena, part->op_kind.at, count);
    uint32_t *keys = esse_u32_vec_extend(&whole->op_key, whole->arena, count);
    join_item_keys(j, keys);
    join_values(j, &whole->op_value, &part->op_value, j->ops, count);
    if (part->has & ESSE_HAS_LIST_READS)
        join_lists(j, keys, whole->op_value.at + j->ops);
    join_times(j, &whole->op_time, &part->op_time, j->ops, count);
    join_values(j, &whole->op_snapshot, &part->op_snapshot, j->ops, count);
    join_statements(j);
}

static void join_predicates(const struct joining *j)
{
    struct esse_builder *whole = j->whole;
    const struct esse_builder *part = j->part;
    const size_t count = part->predicates.count;
    struct esse_predicate_op *predicates =
        esse_predicate_vec_extend(&whole->predicates, whole->arena, count);
    for (size_t i = 0; i < count; i++) {
        predicates[i] = part->predicates.at[i];
        predicates[i].text = arrived(j, predicates[i].text);
        predicates[i].row += j->rows;
        predicates[i].vset += j->rows;
        predicates[i].result += j->results;
    }
    struct esse_keyed_row *rows =
        esse_keyed_row_vec_extend(&whole->rows, whole->arena, part->rows.count);
    for (size_t i = 0; i < part->rows.count; i++) {
        const struct esse_keyed_row *row = &part->rows.at[i];
        rows[i] = (struct esse_keyed_row){ { j->keys[row->key.ix] },
                                           arrived(j, row->value),
                                           arrived(j, row->next) };
    }
    esse_value_vec_append(&whole->results, whole->arena, part->results.at, part->results.count);
    if (part->results.count)
        arrive_all(j, whole->results.at + j->results, part->results.count);
}

/* ---- transactions ---- */

static void join_extras(const struct joining *j)
{
    for (size_t i = 0; i < j->part->extras.count; i++) {
        struct esse_txn_extra extra = j->part->extras.at[i];
        extra.txn.ix += j->txns;
        extra.name.at = esse_arena_text(j->whole->arena, extra.name.at, extra.name.length);
        extra.text.at = esse_arena_text(j->whole->arena, extra.text.at, extra.text.length);
        esse_txn_extra_vec_push(&j->whole->extras, j->whole->arena, extra);
    }
}

static void join_txns(const struct joining *j)
{
    struct esse_builder *whole = j->whole;
    const struct esse_builder *part = j->part;
    const size_t count = part->txn_session.count;
    uint32_t *first = esse_u32_vec_extend(&whole->txn_op, whole->arena, count);
    uint32_t *sessions = esse_u32_vec_extend(&whole->txn_session, whole->arena, count);
    uint32_t *lines = esse_u32_vec_extend(&whole->txn_line, whole->arena, count);
    for (size_t i = 0; i < count; i++) {
        const uint64_t line = j->lines + part->txn_line.at[i];
        first[i] = j->ops + part->txn_op.at[i];
        sessions[i] = j->sessions[part->txn_session.at[i]];
        lines[i] = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
    }
    esse_u8_vec_append(&whole->txn_status, whole->arena, part->txn_status.at, count);
    join_values(j, &whole->txn_name, &part->txn_name, j->txns, count);
    join_times(j, &whole->txn_time, &part->txn_time, j->txns, count);
    join_times(j, &whole->txn_server_time, &part->txn_server_time, j->txns, count);
    join_times(j, &whole->txn_wall_time, &part->txn_wall_time, j->txns, count);
    join_xids(j);
    join_extras(j);
}

static void join_flags(const struct joining *j)
{
    j->whole->has |= j->part->has;
    for (size_t i = 0; i < j->part->key_name.count; i++)
        j->whole->key_flags.at[j->keys[i]] |= j->part->key_flags.at[i];
}

static bool is_too_large(const struct esse_builder *whole, const struct esse_builder *part)
{
    return whole->op_kind.count + part->op_kind.count >= UINT32_MAX ||
           whole->txn_session.count + part->txn_session.count >= UINT32_MAX - 1;
}

bool esse_part_join(const struct esse_part *joined, struct esse_builder *whole, uint64_t lines)
{
    const struct esse_builder *part = joined->builder;
    struct joining j = { .whole = whole,
                         .part = part,
                         .scratch = joined->arena,
                         .ops = (uint32_t)whole->op_kind.count,
                         .txns = (uint32_t)whole->txn_session.count,
                         .predicates = (uint32_t)whole->predicates.count,
                         .rows = (uint32_t)whole->rows.count,
                         .results = (uint32_t)whole->results.count,
                         .lines = lines };
    if (is_too_large(whole, part))
        return false;
    join_atoms(&j);
    bool ok = join_keys(&j) && are_names_new(&j);
    if (ok) {
        join_sessions(&j);
        join_ops(&j);
        join_predicates(&j);
        join_txns(&j);
        join_flags(&j);
        esse_arena_drop(j.scratch, j.sessions);
    }
    esse_arena_drop(j.scratch, j.keys);
    esse_arena_drop(j.scratch, j.atoms);
    return ok;
}
