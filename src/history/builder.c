#include "history/builder.h"

#include "base/digits.h"
#include "base/error.h"
#include "base/hash.h"
#include "history/building.h"

#include <assert.h>
#include <string.h>

/* ---- names ---- */

/*
 * Where the guess for a name stands: at the number that it is or ends in.  Names that are numbered
 * through (12, "12", "k12") then have a place each, beside their neighbours', where a hash scatters
 * them and lets some meet: this made reading a tenth faster.  For any other name the number means
 * nothing, and is as good as a hash.
 */
static size_t guess_place(esse_value name)
{
    uint64_t word = name.word;
    if (esse_value_tag(name) != ESSE_TAG_STRING && esse_value_tag(name) != ESSE_TAG_KEYWORD)
        return word >> 3;
    /* The text without length and tag, its last letter on top, as if every letter were a digit. */
    word = (word & ~(uint64_t)0xff) << (56 - 8 * (word >> 3 & 7));
    return esse_digits_sum(word & 0x0f0f0f0f0f0f0f0fu);
}

/* One place for every key at least. */
static __attribute__((noinline)) void grow_guesses(struct esse_builder *builder)
{
    builder->guesses = builder->guesses ? 2 * builder->guesses : 1024;
    const size_t bytes = builder->guesses * sizeof *builder->key_guess;
    builder->key_guess = esse_arena_grow(builder->arena, builder->key_guess, bytes);
    memset(builder->key_guess, 0, bytes);
    for (size_t id = 0; id < builder->key_name.count; id++)
        builder->key_guess[guess_place(builder->key_name.at[id]) & (builder->guesses - 1)] =
            (uint32_t)id;
}

static __attribute__((noinline)) uint32_t find_key(struct esse_builder *builder, esse_value name)
{
    uint32_t hash = esse_hash_word(name.word), id;
    struct esse_probe probe = esse_index_probe(&builder->key_index, hash);
    while (esse_probe_next(&probe, &id))
        if (esse_value_eq(builder->key_name.at[id], name))
            return id;
    id = (uint32_t)builder->key_name.count;
    esse_value_vec_push(&builder->key_name, builder->arena, name);
    esse_u8_vec_push(&builder->key_flags, builder->arena, 0);
    esse_index_add(&builder->key_index, builder->arena, hash, id);
    return id;
}

/* The key's id; a name that was not seen before gets the next one.  Every operation comes through
 * here: what is rare stays out of line. */
static inline esse_key key_of(struct esse_builder *builder, esse_value name)
{
    if (builder->guesses <= builder->key_name.count)
        grow_guesses(builder);
    uint32_t *guess = &builder->key_guess[guess_place(name) & (builder->guesses - 1)];
    if (*guess >= builder->key_name.count || !esse_value_eq(builder->key_name.at[*guess], name))
        *guess = find_key(builder, name);
    return (esse_key){ *guess };
}

esse_key esse_builder_key(struct esse_builder *builder, esse_value name)
{
    return key_of(builder, name);
}

bool esse_builder_session(const struct esse_builder *builder, esse_value id, uint32_t *session)
{
    struct esse_probe probe = esse_index_probe(&builder->session_index, esse_hash_word(id.word));
    while (esse_probe_next(&probe, session))
        if (esse_value_eq(builder->session_name.at[*session], id))
            return true;
    return false;
}

static inline uint32_t session_of(struct esse_builder *builder, esse_value id)
{
    uint32_t session = builder->last_session;
    if (session < builder->session_name.count &&
        esse_value_eq(builder->session_name.at[session], id))
        return session;
    if (!esse_builder_session(builder, id, &session)) {
        session = (uint32_t)builder->session_name.count;
        esse_value_vec_push(&builder->session_name, builder->arena, id);
        esse_index_add(&builder->session_index, builder->arena, esse_hash_word(id.word), session);
    }
    return builder->last_session = session;
}

uint32_t esse_builder_session_id(struct esse_builder *builder, esse_value id)
{
    return session_of(builder, id);
}

/* "12" is canonical, "012", "+1" and "-0" are not. */
static bool is_canonical_int(struct esse_span text, int64_t *number)
{
    bool negative = text.length > 0 && text.at[0] == '-';
    size_t digits = text.length - negative;
    if (digits == 0 || digits > 19 || (text.at[negative] == '0' && text.length > 1))
        return false;
    int64_t parsed = 0;
    for (size_t i = negative; i < text.length; i++) {
        int64_t digit = text.at[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(parsed, 10, &parsed) ||
            __builtin_sub_overflow(parsed, digit, &parsed))
            return false;
    }
    if (!negative && parsed == INT64_MIN)
        return false;
    *number = negative ? parsed : -parsed;
    return true;
}

esse_value esse_builder_id(struct esse_builder *builder, esse_value name)
{
    char room[8];
    int64_t number;
    if (esse_value_kind(builder->sink.values, name) == ESSE_KIND_STRING &&
        is_canonical_int(esse_value_text(builder->sink.values, name, room), &number))
        return esse_value_int(builder->sink.values, number);
    return name;
}

bool esse_builder_named(struct esse_builder *builder, esse_value id, uint32_t *txn)
{
    for (; builder->indexed < builder->txn_name.count; builder->indexed++) {
        const esse_value name = builder->txn_name.at[builder->indexed];
        if (!esse_value_eq(name, ESSE_NONE))
            esse_index_add(&builder->names, builder->arena, esse_hash_word(name.word),
                           (uint32_t)builder->indexed);
    }
    struct esse_probe probe = esse_index_probe(&builder->names, esse_hash_word(id.word));
    while (esse_probe_next(&probe, txn))
        if (esse_value_eq(builder->txn_name.at[*txn], id))
            return true;
    return false;
}

static bool repeated_name(const struct esse_builder *builder, esse_value id, uint32_t before,
                          uint64_t line, struct esse_error *err)
{
    char room[64];
    const char *name = esse_value_brief(builder->sink.values, id, room);
    if (!line) /* the input has no lines */
        return esse_fail(err, ESSE_EINPUT,
                         "the transaction id '%s' is used twice; ids must be unique", name);
    return esse_fail_at(err, line, 1,
                        "the transaction id '%s' was used before, on line %u; ids must be unique",
                        name, builder->txn_line.at[before]);
}

/* A number beyond all before it, as most ids are; the words of small integers order as they do. */
static bool is_next_name(struct esse_builder *builder, esse_value id)
{
    if (esse_value_tag(id) != ESSE_TAG_INT || (int64_t)id.word <= builder->largest_name)
        return false;
    builder->largest_name = (int64_t)id.word;
    return true;
}

static bool add_name(struct esse_builder *builder, esse_value id, uint32_t txn, uint64_t line,
                     struct esse_error *err)
{
    uint32_t before;
    if (!is_next_name(builder, id) && esse_builder_named(builder, id, &before))
        return repeated_name(builder, id, before, line, err);
    while (builder->txn_name.count < txn)
        esse_value_vec_push(&builder->txn_name, builder->arena, ESSE_NONE);
    esse_value_vec_push(&builder->txn_name, builder->arena, id);
    return true;
}

/* ---- operations ---- */

static bool mark_key(struct esse_builder *builder, uint32_t key, unsigned flag, uint64_t line,
                     struct esse_error *err)
{
    char room[64];
    uint8_t *flags = &builder->key_flags.at[key];
    *flags |= (uint8_t)flag;
    if ((*flags & KEY_WRITTEN) && (*flags & KEY_APPENDED))
        return esse_fail_at(
            err, line, 1,
            "the key '%s' is both written (or deleted) and appended to; a key is "
            "either a register or a list",
            esse_value_brief(builder->sink.values, builder->key_name.at[key], room));
    return true;
}

static uint32_t add_rows(struct esse_builder *builder, const struct esse_row *rows, size_t count)
{
    uint32_t first = (uint32_t)builder->rows.count;
    for (size_t i = 0; i < count; i++) {
        struct esse_keyed_row row = { key_of(builder, rows[i].key), rows[i].value, rows[i].next };
        esse_keyed_row_vec_push(&builder->rows, builder->arena, row);
    }
    return first;
}

static uint32_t add_predicate(struct esse_builder *builder, const struct esse_txn_record *txn,
                              const struct esse_op_record *op)
{
    struct esse_predicate_op predicate = { .text = op->key,
                                           .row_count = (uint32_t)op->count,
                                           .vset_count = (uint32_t)op->vset_count,
                                           .result = (uint32_t)builder->results.count,
                                           .result_count = (uint32_t)op->result_count,
                                           .has_vset = op->has_vset,
                                           .no_rows = op->no_rows,
                                           .has_result = op->has_result };
    predicate.row = add_rows(builder, esse_record_rows(txn, op->first, op->count), op->count);
    predicate.vset =
        add_rows(builder, esse_record_rows(txn, op->vset_first, op->vset_count), op->vset_count);
    esse_value_vec_append(&builder->results, builder->arena, esse_record_result(txn, op),
                          op->result_count);
    builder->has |= ESSE_HAS_PREDICATES | (op->has_vset ? ESSE_HAS_VSETS : 0u) |
                    (op->has_result ? ESSE_HAS_RESULTS : 0u);
    esse_predicate_vec_push(&builder->predicates, builder->arena, predicate);
    return (uint32_t)builder->predicates.count - 1;
}

/* A predicate update writes the rows it returned, so their keys are registers. */
static bool mark_updated(struct esse_builder *builder, uint32_t predicate, uint64_t line,
                         struct esse_error *err)
{
    struct esse_predicate_op op = builder->predicates.at[predicate];
    for (uint32_t i = 0; i < op.row_count; i++)
        if (!mark_key(builder, builder->rows.at[op.row + i].key.ix, KEY_WRITTEN, line, err))
            return false;
    return true;
}

static esse_value add_list(struct esse_builder *builder, esse_key key, const esse_value *items,
                           size_t count)
{
    if (builder->lists)
        return esse_lists_add(builder->lists, key, items, count);
    esse_value_vec_append(&builder->part_items, builder->arena, items, count);
    return esse_value_list(0, (uint32_t)count);
}

static bool add_item_op(struct esse_builder *builder, const struct esse_txn_record *txn,
                        const struct esse_op_record *op, uint32_t *key, esse_value *value,
                        struct esse_error *err)
{
    static const uint16_t has[] = { 0, ESSE_HAS_WRITES, ESSE_HAS_APPENDS, ESSE_HAS_DELETES };
    static const uint8_t flag[] = { 0, KEY_WRITTEN, KEY_APPENDED, KEY_WRITTEN };
    *key = key_of(builder, op->key).ix;
    *value = op->kind == ESSE_OP_DELETE ? ESSE_NIL : op->value;
    builder->has |= has[op->kind];
    if (flag[op->kind] && !mark_key(builder, *key, flag[op->kind], txn->line, err))
        return false;
    if (op->is_list) {
        *value = add_list(builder, (esse_key){ *key }, esse_record_items(txn, op), op->count);
        builder->has |= ESSE_HAS_LIST_READS;
        builder->key_flags.at[*key] |= KEY_LIST_READ;
    }
    return true;
}

/* The column of operation times exists from the first operation that has one. */
static bool add_op_time(struct esse_builder *builder, const struct esse_txn_record *txn,
                        const struct esse_op_record *op, size_t at, struct esse_error *err)
{
    const struct esse_interval none = { ESSE_NO_TIME, ESSE_NO_TIME };
    struct esse_interval time = { op->begin, op->end };
    if (time.begin == ESSE_NO_TIME && !builder->op_time.count)
        return true;
    if (time.end < time.begin)
        return esse_fail_at(err, txn->line, 1, "an operation ends before it begins");
    while (builder->op_time.count < at)
        esse_interval_vec_push(&builder->op_time, builder->arena, none);
    esse_interval_vec_push(&builder->op_time, builder->arena, time);
    builder->has |= ESSE_HAS_OP_TIMES;
    return true;
}

/* And so does that of snapshots. */
static __attribute__((noinline)) void add_snapshot(struct esse_builder *builder,
                                                   const struct esse_op_record *op, size_t at)
{
    while (builder->op_snapshot.count < at)
        esse_value_vec_push(&builder->op_snapshot, builder->arena, ESSE_NONE);
    esse_value_vec_push(&builder->op_snapshot, builder->arena, op->snapshot);
    builder->has |= ESSE_HAS_SNAPSHOTS;
}

/* And that of statements. */
static __attribute__((noinline)) void add_statement(struct esse_builder *builder,
                                                    const struct esse_op_record *op, size_t at)
{
    while (builder->op_statement.count < at)
        esse_u32_vec_push(&builder->op_statement, builder->arena, 0);
    esse_u32_vec_push(&builder->op_statement, builder->arena, op->statement);
}

static bool add_ops(struct esse_builder *builder, const struct esse_txn_record *txn,
                    struct esse_error *err)
{
    const size_t first = builder->op_kind.count;
    uint8_t *kinds = esse_u8_vec_extend(&builder->op_kind, builder->arena, txn->op_count);
    uint32_t *keys = esse_u32_vec_extend(&builder->op_key, builder->arena, txn->op_count);
    esse_value *values = esse_value_vec_extend(&builder->op_value, builder->arena, txn->op_count);
    for (size_t i = 0; i < txn->op_count; i++) {
        const struct esse_op_record *op = &txn->ops[i];
        kinds[i] = (uint8_t)op->kind;
        values[i] = ESSE_NONE;
        if (!esse_op_is_predicate(op->kind)) {
            if (!add_item_op(builder, txn, op, &keys[i], &values[i], err))
                return false;
        } else {
            keys[i] = add_predicate(builder, txn, op);
            if (op->kind == ESSE_OP_PREDICATE_UPDATE &&
                !mark_updated(builder, keys[i], txn->line, err))
                return false;
        }
        if (!add_op_time(builder, txn, op, first + i, err))
            return false;
        if (!esse_value_eq(op->snapshot, ESSE_NONE) || builder->op_snapshot.count)
            add_snapshot(builder, op, first + i);
        if (op->statement || builder->op_statement.count)
            add_statement(builder, op, first + i);
    }
    return true;
}

/* ---- transactions ---- */

static __attribute__((noinline)) bool put_times(struct esse_builder *builder,
                                                struct esse_interval_vec *column, uint32_t txn,
                                                int64_t begin, int64_t end)
{
    const struct esse_interval none = { ESSE_NO_TIME, ESSE_NO_TIME };
    while (column->count < txn)
        esse_interval_vec_push(column, builder->arena, none);
    struct esse_interval *time = esse_interval_vec_extend(column, builder->arena, 1);
    time->begin = begin;
    time->end = end;
    return begin == ESSE_NO_TIME || end == ESSE_NO_TIME || begin <= end;
}

/* A column of times exists from the first transaction that has one.  The two times are not passed
 * as one struct, because gcc then builds it on the stack and waits for it. */
static inline bool add_times(struct esse_builder *builder, struct esse_interval_vec *column,
                             uint32_t txn, int64_t begin, int64_t end, unsigned has)
{
    if (begin == ESSE_NO_TIME && end == ESSE_NO_TIME && !column->count)
        return true;
    builder->has |= has;
    return put_times(builder, column, txn, begin, end);
}

static __attribute__((noinline)) void add_xid(struct esse_builder *builder, uint32_t txn,
                                              int64_t xid)
{
    while (builder->txn_xid.count < txn)
        esse_i64_vec_push(&builder->txn_xid, builder->arena, ESSE_NO_TIME);
    esse_i64_vec_push(&builder->txn_xid, builder->arena, xid);
    builder->has |= ESSE_HAS_XIDS;
}

static void add_extras(struct esse_builder *builder, const struct esse_txn_record *record,
                       uint32_t txn)
{
    for (size_t i = 0; i < record->extra_count; i++) {
        const struct esse_extra *extra = &record->extras[i];
        struct esse_txn_extra kept = { { txn }, extra->name, extra->text };
        kept.name.at = esse_arena_text(builder->arena, extra->name.at, extra->name.length);
        kept.text.at = esse_arena_text(builder->arena, extra->text.at, extra->text.length);
        esse_txn_extra_vec_push(&builder->extras, builder->arena, kept);
    }
}

static bool add_txn(struct esse_sink *sink, const struct esse_txn_record *record,
                    struct esse_error *err)
{
    struct esse_builder *builder = (struct esse_builder *)sink;
    uint32_t txn = (uint32_t)builder->txn_session.count;
    if (builder->op_kind.count + record->op_count >= UINT32_MAX || txn >= UINT32_MAX - 1)
        return esse_fail_at(err, record->line, 1,
                            "more than 4294967294 operations or transactions");
    esse_u32_vec_push(&builder->txn_op, builder->arena, (uint32_t)builder->op_kind.count);
    esse_u32_vec_push(&builder->txn_session, builder->arena,
                      session_of(builder, esse_builder_id(builder, record->session)));
    esse_u8_vec_push(&builder->txn_status, builder->arena, (uint8_t)record->status);
    esse_u32_vec_push(&builder->txn_line, builder->arena,
                      record->line < UINT32_MAX ? (uint32_t)record->line : UINT32_MAX);
    if (!esse_value_eq(record->name, ESSE_NONE)) {
        if (!add_name(builder, esse_builder_id(builder, record->name), txn, record->line, err))
            return false;
    } else if (builder->txn_name.count) {
        esse_value_vec_push(&builder->txn_name, builder->arena, ESSE_NONE);
    }
    if (!add_times(builder, &builder->txn_time, txn, record->start, record->end, ESSE_HAS_TIMES))
        return esse_fail_at(err, record->line, 1, "the transaction ends before it starts");
    if (!add_times(builder, &builder->txn_server_time, txn, record->start_ts, record->commit_ts,
                   ESSE_HAS_SERVER_TIMES))
        return esse_fail_at(err, record->line, 1, "commit_ts is before start_ts");
    add_times(builder, &builder->txn_wall_time, txn, record->wall_start, record->wall_end,
              ESSE_HAS_WALL_TIMES);
    if (record->xid != ESSE_NO_TIME || builder->txn_xid.count)
        add_xid(builder, txn, record->xid);
    add_extras(builder, record, txn);
    return add_ops(builder, record, err);
}

/* ---- the other records ---- */

static const esse_value *keep_values(struct esse_builder *builder, const esse_value *values,
                                     size_t count)
{
    esse_value *kept = esse_arena_alloc(builder->arena, count, sizeof *kept);
    if (count)
        memcpy(kept, values, count * sizeof *kept);
    return kept;
}

static bool add_header(struct esse_sink *sink, const struct esse_header_record *header,
                       struct esse_error *err)
{
    (void)err;
    struct esse_builder *builder = (struct esse_builder *)sink;
    builder->header = *header;
    builder->header.columns = keep_values(builder, header->columns, header->column_count);
    builder->header.statements = keep_values(builder, header->statements, header->statement_count);
    builder->has_header = true;
    return true;
}

static bool add_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                     struct esse_error *err)
{
    struct esse_builder *builder = (struct esse_builder *)sink;
    char room[64];
    for (size_t i = 0; i < count; i++) {
        esse_key key = key_of(builder, rows[i].key);
        if (builder->key_flags.at[key.ix] & KEY_INIT)
            return esse_fail_at(err, sink->line, 1, "the key '%s' is given an initial value twice",
                                esse_value_brief(sink->values, rows[i].key, room));
        builder->key_flags.at[key.ix] |= KEY_INIT;
        struct esse_keyed_row row = { key, rows[i].value, ESSE_NONE };
        esse_keyed_row_vec_push(&builder->init, builder->arena, row);
    }
    builder->has |= ESSE_HAS_INIT;
    return true;
}

static bool add_version_order(struct esse_sink *sink, esse_value name,
                              const struct esse_version_ref *versions, size_t count,
                              struct esse_error *err)
{
    struct esse_builder *builder = (struct esse_builder *)sink;
    esse_key key = key_of(builder, name);
    char room[64];
    if (builder->key_flags.at[key.ix] & KEY_ORDERED)
        return esse_fail_at(err, sink->line, 1, "the key '%s' is given a version order twice",
                            esse_value_brief(sink->values, name, room));
    builder->key_flags.at[key.ix] |= KEY_ORDERED;
    struct esse_version_order order = { .key = key,
                                        .count = (uint32_t)count,
                                        .line = (uint32_t)sink->line,
                                        .is_apart = builder->is_apart };
    esse_u32_vec_push(&builder->order_first, builder->arena, (uint32_t)builder->order_refs.count);
    esse_version_order_vec_push(&builder->orders, builder->arena, order);
    esse_ref_vec_append(&builder->order_refs, builder->arena, versions, count);
    builder->has |= ESSE_HAS_VERSION_ORDER;
    return true;
}

static bool add_order(struct esse_sink *sink, const esse_value *names, size_t count,
                      struct esse_error *err)
{
    struct esse_builder *builder = (struct esse_builder *)sink;
    if (builder->has & ESSE_HAS_ORDER)
        return esse_fail_at(err, sink->line, 1, "the serialization order is given twice");
    builder->has |= ESSE_HAS_ORDER;
    builder->serial_line = sink->line;
    builder->is_serial_apart = builder->is_apart;
    esse_value_vec_append(&builder->order, builder->arena, names, count);
    return true;
}

static bool add_lost(struct esse_sink *sink, const esse_value *names, size_t count,
                     struct esse_error *err)
{
    struct esse_builder *builder = (struct esse_builder *)sink;
    if (builder->lost.count)
        return esse_fail_at(err, sink->line, 1, "the lost transactions are given twice");
    builder->lost_line = sink->line;
    builder->is_lost_apart = builder->is_apart;
    esse_value_vec_append(&builder->lost, builder->arena, names, count);
    return true;
}

static bool add_fault(struct esse_sink *sink, const struct esse_fault_record *fault,
                      struct esse_error *err)
{
    struct esse_builder *builder = (struct esse_builder *)sink;
    return esse_faults_keep(&builder->faults, builder->arena, fault, sink->line, err);
}

static bool add_certificate(struct esse_sink *sink,
                            const struct esse_certificate_record *certificate,
                            struct esse_error *err)
{
    struct esse_builder *builder = (struct esse_builder *)sink;
    if (builder->has & ESSE_HAS_CERTIFICATE)
        return esse_fail_at(err, sink->line, 1, "the kind of certificate is given twice");
    builder->has |= ESSE_HAS_CERTIFICATE;
    builder->certificate = *certificate;
    return true;
}

static bool finish(struct esse_sink *sink, struct esse_error *err)
{
    (void)sink;
    (void)err;
    return true;
}

/* ---- life ---- */

struct esse_builder *esse_builder_new(struct esse_arena *arena)
{
    struct esse_builder *builder = esse_arena_alloc(arena, 1, sizeof *builder);
    builder->arena = arena;
    builder->lists = esse_lists_new(arena);
    builder->largest_name = INT64_MIN;
    builder->sink = (struct esse_sink){ .values = esse_values_new(arena),
                                        .header = add_header,
                                        .init = add_init,
                                        .fault = add_fault,
                                        .txn = add_txn,
                                        .version_order = add_version_order,
                                        .order = add_order,
                                        .lost = add_lost,
                                        .certificate = add_certificate,
                                        .finish = finish };
    return builder;
}

struct esse_sink *esse_builder_sink(struct esse_builder *builder)
{
    return &builder->sink;
}

void esse_builder_warn(struct esse_builder *builder, const char *text, uint64_t line)
{
    for (size_t i = 0; i < builder->warnings.count; i++) {
        if (strcmp(builder->warnings.at[i].text, text) == 0) {
            builder->warnings.at[i].count++;
            return;
        }
    }
    struct esse_warning warning = { text, 1, line };
    esse_warning_vec_push(&builder->warnings, builder->arena, warning);
}
