#include "history/subset.h"

#include "base/guard.h"
#include "base/radix.h"
#include "base/vec.h"
#include "history/access.h"
#include "history/builder.h"
#include "history/subset_left.h"

#include <assert.h>
#include <string.h>

struct subset {
    const struct esse_history *history;
    const struct esse_selection *selection;
    struct esse_arena *scratch;
    struct esse_sink *sink;
    struct esse_left left;
    uint8_t *key_used; /* by key: an operation that is left names it */
    uint32_t *seen;    /* by number of commits: how many of those are left; NULL if not needed */

    /* The record at hand. */
    struct esse_op_record_vec ops;
    struct esse_value_vec items;
    struct esse_row_vec rows;
    struct esse_extra_vec extras;
    uint32_t extra;
};

struct esse_selection esse_selection_all(struct esse_arena *arena,
                                         const struct esse_history *history)
{
    struct esse_selection all = {
        esse_arena_alloc(arena, history->txns + 1u, 1),
        esse_arena_alloc(arena, history->ops + 1u, 1),
        esse_arena_alloc(arena, history->keys + 1u, 1),
    };
    memset(all.txns, 1, history->txns);
    memset(all.ops, 1, history->ops);
    memset(all.keys, 1, history->keys);
    return all;
}

/* ---- values of another pool ---- */

static esse_value carry(struct subset *s, esse_value value)
{
    return esse_value_carry(s->sink->values, s->history->values, value);
}

static esse_value carry_key(struct subset *s, esse_key key)
{
    return carry(s, s->history->key_name[key.ix]);
}

/* The name that reports print, also of a transaction that was given none. */
static esse_value carry_name(struct subset *s, esse_txn txn)
{
    const struct esse_history *history = s->history;
    if (history->txn_name && !esse_value_eq(history->txn_name[txn.ix], ESSE_NONE))
        return carry(s, history->txn_name[txn.ix]);
    const char *text = esse_txn_id(s->scratch, history, txn);
    return esse_value_string(s->sink->values, text, strlen(text));
}

/* A snapshot that is a number of commits counts those that are left. */
static void count_seen(struct subset *s)
{
    const struct esse_history *history = s->history;
    if (history->certificate.kind != ESSE_CERTIFICATE_COMMIT_ORDER || !history->op_snapshot)
        return;
    struct esse_pair *commits =
        esse_arena_alloc(s->scratch, history->txns + (size_t)1, sizeof *commits);
    uint32_t count = 0;
    s->seen = esse_arena_alloc(s->scratch, history->txns + (size_t)1, sizeof *s->seen);
    for (uint32_t i = 0; i < history->order_count; i++)
        commits[count++].id = history->order[i].ix;
    const struct esse_interval *times =
        history->has & ESSE_HAS_ORDER ? NULL : history->txn_server_time;
    for (uint32_t t = 0; times && t < history->txns; t++)
        if (times[t].end != ESSE_NO_TIME)
            commits[count++] = (struct esse_pair){ esse_radix_key(times[t].end), t };
    if (times)
        esse_radix_sort(commits, count, s->scratch);
    for (uint32_t i = 0; i < history->txns; i++)
        s->seen[i + 1] = s->seen[i] + (i < count && s->selection->txns[commits[i].id]);
}

static esse_value carry_snapshot(struct subset *s, uint32_t op)
{
    const esse_value snapshot = s->history->op_snapshot[op];
    int64_t number;
    if (!s->seen || !esse_value_as_int(s->history->values, snapshot, &number) ||
        number > s->history->txns)
        return carry(s, snapshot);
    return esse_value_small(s->seen[number]);
}

/* ---- sending it ---- */

static size_t add_rows(struct subset *s, uint32_t first, uint32_t count)
{
    const size_t at = s->rows.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_keyed_row *row = &s->history->rows[first + i];
        if (!s->selection->keys[row->key.ix])
            continue;
        s->key_used[row->key.ix] = 1;
        esse_row_vec_push(
            &s->rows, s->scratch,
            (struct esse_row){ carry_key(s, row->key), carry(s, row->value), carry(s, row->next) });
    }
    return at;
}

/* An entry of a version set that names a version which is gone says nothing any more. */
static size_t add_vset(struct subset *s, uint32_t first, uint32_t count)
{
    const size_t at = s->rows.count;
    for (uint32_t i = 0; i < count; i++)
        if (!esse_left_is_gone(&s->left, s->history->rows[first + i].key,
                               s->history->rows[first + i].value))
            add_rows(s, first + i, 1);
    return at;
}

static void add_list(struct subset *s, struct esse_op_record *record, esse_key key, esse_value list)
{
    uint32_t count;
    const esse_value *items = esse_history_list(s->history, list, &count);
    record->is_list = true;
    record->first = s->items.count;
    for (uint32_t i = 0; i < count; i++)
        if (!esse_left_is_gone(&s->left, key, items[i]))
            esse_value_vec_push(&s->items, s->scratch, carry(s, items[i]));
    record->count = s->items.count - record->first;
}

static void add_result(struct subset *s, struct esse_op_record *record,
                       const struct esse_predicate_op *predicate)
{
    const esse_value *result = esse_history_result(s->history, predicate);
    record->has_result = predicate->has_result;
    record->result_first = s->items.count;
    record->result_count = predicate->result_count;
    for (uint32_t i = 0; i < predicate->result_count; i++)
        esse_value_vec_push(&s->items, s->scratch, carry(s, result[i]));
}

/* A statement ranges over rows that no operation need name. */
static void use_initial_rows(struct subset *s, uint32_t op)
{
    const struct esse_history *history = s->history;
    const struct esse_selection *selection = s->selection;
    for (uint32_t i = 0; i < history->init_count; i++) {
        const esse_key key = history->init[i].key;
        if (selection->keys[key.ix] &&
            (!selection->ranges ||
             selection->ranges(selection->context, op, key, history->init[i].value)))
            s->key_used[key.ix] = 1;
    }
}

static void add_predicate(struct subset *s, struct esse_op_record record, uint32_t op)
{
    const struct esse_predicate_op *predicate = &s->history->predicates[s->history->op_key[op]];
    if (esse_is_statement(s->history->values, predicate->text))
        use_initial_rows(s, op);
    record.key = carry(s, predicate->text);
    record.first = add_rows(s, predicate->row, predicate->row_count);
    record.count = s->rows.count - record.first;
    record.has_vset = predicate->has_vset;
    record.vset_first = add_vset(s, predicate->vset, predicate->vset_count);
    record.vset_count = s->rows.count - record.vset_first;
    record.no_rows = predicate->no_rows;
    add_result(s, &record, predicate);
    esse_op_record_vec_push(&s->ops, s->scratch, record);
}

/* Of a predicate operation what it read, and then what it wrote, row by row. */
static void add_accesses(struct subset *s, struct esse_op_record record, uint32_t op)
{
    const uint32_t count = esse_access_count(s->history, op);
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_access access = esse_access_at(s->history, op, i);
        if (!s->selection->keys[access.key.ix])
            continue;
        s->key_used[access.key.ix] = 1;
        record.kind = access.kind == ESSE_OP_WRITE && esse_value_eq(access.value, ESSE_NIL)
                          ? ESSE_OP_DELETE
                          : access.kind;
        record.key = carry_key(s, access.key);
        record.value = carry(s, access.value);
        esse_op_record_vec_push(&s->ops, s->scratch, record);
    }
}

static void add_item(struct subset *s, struct esse_op_record record, uint32_t op)
{
    const esse_key key = { s->history->op_key[op] };
    record.key = carry_key(s, key);
    s->key_used[key.ix] = 1;
    if (esse_value_tag(s->history->op_value[op]) == ESSE_TAG_LIST)
        add_list(s, &record, key, s->history->op_value[op]);
    else
        record.value = carry(s, s->history->op_value[op]);
    esse_op_record_vec_push(&s->ops, s->scratch, record);
}

static void add_op(struct subset *s, uint32_t op)
{
    const struct esse_history *history = s->history;
    struct esse_op_record record = { .kind = (enum esse_op_kind)history->op_kind[op],
                                     .begin = ESSE_NO_TIME,
                                     .end = ESSE_NO_TIME };
    if (history->op_time) {
        record.begin = history->op_time[op].begin;
        record.end = history->op_time[op].end;
    }
    if (history->op_snapshot)
        record.snapshot = carry_snapshot(s, op);
    if (history->op_statement)
        record.statement = history->op_statement[op];
    if (s->left.op_kept[op] == ESSE_LEFT_ROWS)
        add_accesses(s, record, op);
    else if (esse_op_is_predicate(record.kind))
        add_predicate(s, record, op);
    else
        add_item(s, record, op);
}

static void add_extras(struct subset *s, uint32_t txn)
{
    const struct esse_history *history = s->history;
    while (s->extra < history->extra_count && history->extras[s->extra].txn.ix < txn)
        s->extra++;
    for (; s->extra < history->extra_count && history->extras[s->extra].txn.ix == txn; s->extra++)
        esse_extra_vec_push(
            &s->extras, s->scratch,
            (struct esse_extra){ history->extras[s->extra].name, history->extras[s->extra].text });
}

static void set_times(const struct esse_interval *column, uint32_t txn, int64_t *begin,
                      int64_t *end)
{
    if (column) {
        *begin = column[txn].begin;
        *end = column[txn].end;
    }
}

static bool send_txn(struct subset *s, uint32_t txn, struct esse_error *err)
{
    const struct esse_history *history = s->history;
    struct esse_txn_record record = esse_txn_record_empty();
    s->ops.count = s->items.count = s->rows.count = s->extras.count = 0;
    record.session = carry(s, history->session_name[history->txn_session[txn]]);
    record.name = carry_name(s, (esse_txn){ txn });
    record.status = esse_txn_recorded(history, txn);
    record.line = history->txn_line[txn];
    set_times(history->txn_time, txn, &record.start, &record.end);
    set_times(history->txn_server_time, txn, &record.start_ts, &record.commit_ts);
    set_times(history->txn_wall_time, txn, &record.wall_start, &record.wall_end);
    if (history->txn_xid)
        record.xid = history->txn_xid[txn];
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        if (s->left.op_kept[op])
            add_op(s, op);
    add_extras(s, txn);
    record.ops = s->ops.at;
    record.op_count = s->ops.count;
    record.items = s->items.at;
    record.rows = s->rows.at;
    record.extras = s->extras.at;
    record.extra_count = s->extras.count;
    return s->sink->txn(s->sink, &record, err);
}

static const esse_value *carry_all(struct subset *s, const esse_value *values, size_t count)
{
    esse_value *carried = esse_arena_alloc(s->scratch, count + 1, sizeof *carried);
    for (size_t i = 0; i < count; i++)
        carried[i] = carry(s, values[i]);
    return carried;
}

static bool send_header(struct subset *s, struct esse_error *err)
{
    const struct esse_header_record *from = &s->history->header;
    struct esse_header_record header = *from;
    header.db = carry(s, from->db);
    header.isolation = carry(s, from->isolation);
    header.columns = carry_all(s, from->columns, from->column_count);
    header.statements = carry_all(s, from->statements, from->statement_count);
    return s->sink->header(s->sink, &header, err);
}

static bool send_init(struct subset *s, struct esse_error *err)
{
    const struct esse_history *history = s->history;
    s->rows.count = 0;
    for (uint32_t i = 0; i < history->init_count; i++)
        if (s->key_used[history->init[i].key.ix])
            esse_row_vec_push(&s->rows, s->scratch,
                              (struct esse_row){ carry_key(s, history->init[i].key),
                                                 carry(s, history->init[i].value), ESSE_NONE });
    return !s->rows.count || s->sink->init(s->sink, s->rows.at, s->rows.count, err);
}

static bool still_writes(const struct subset *s, esse_txn txn, esse_key key)
{
    esse_value ignored;
    for (uint32_t op = s->history->txn_op[txn.ix]; op < s->history->txn_op[txn.ix + 1]; op++)
        if (s->left.op_kept[op] && esse_op_write_of(s->history, op, key, &ignored))
            return true;
    return false;
}

static bool send_version_order(struct subset *s, const struct esse_version_order *order,
                               struct esse_error *err)
{
    struct esse_ref_vec refs = { 0 };
    for (uint32_t i = 0; i < order->count; i++) {
        const struct esse_version *version = &order->versions[i];
        struct esse_version_ref ref = { carry(s, version->value), ESSE_NONE };
        if (version->txn.ix != ESSE_NO_TXN) {
            if (!still_writes(s, version->txn, order->key))
                continue;
            ref.txn = carry_name(s, version->txn);
        } else if (esse_left_is_gone(&s->left, order->key, version->value)) {
            continue;
        }
        esse_ref_vec_push(&refs, s->scratch, ref);
    }
    return !refs.count ||
           s->sink->version_order(s->sink, carry_key(s, order->key), refs.at, refs.count, err);
}

static bool send_order(struct subset *s, struct esse_error *err)
{
    const struct esse_history *history = s->history;
    s->items.count = 0;
    for (uint32_t i = 0; i < history->order_count; i++)
        if (s->selection->txns[history->order[i].ix])
            esse_value_vec_push(&s->items, s->scratch, carry_name(s, history->order[i]));
    return s->sink->order(s->sink, s->items.at, s->items.count, err);
}

static bool still_writes_any(const struct subset *s, esse_txn txn)
{
    struct esse_access_walk walk = esse_accesses_of(s->history, txn.ix);
    while (esse_access_next(&walk))
        if (s->left.op_kept[walk.op] && walk.access.kind != ESSE_OP_READ &&
            s->selection->keys[walk.access.key.ix])
            return true;
    return false;
}

/* A transaction of whose writes none is left cannot be lost. */
static bool send_lost(struct subset *s, struct esse_error *err)
{
    const struct esse_history *history = s->history;
    s->items.count = 0;
    for (uint32_t i = 0; i < history->lost_count; i++)
        if (s->selection->txns[history->lost[i].ix] && still_writes_any(s, history->lost[i]))
            esse_value_vec_push(&s->items, s->scratch, carry_name(s, history->lost[i]));
    return !s->items.count || s->sink->lost(s->sink, s->items.at, s->items.count, err);
}

static bool send_certificates(struct subset *s, struct esse_error *err)
{
    const struct esse_history *history = s->history;
    bool ok = true;
    for (uint32_t i = 0; ok && i < history->version_order_count; i++)
        if (s->key_used[history->version_orders[i].key.ix])
            ok = send_version_order(s, &history->version_orders[i], err);
    if (ok && (history->has & ESSE_HAS_CERTIFICATE))
        ok = s->sink->certificate(s->sink, &history->certificate, err);
    if (ok && (history->has & ESSE_HAS_ORDER))
        ok = send_order(s, err);
    return ok && send_lost(s, err);
}

static bool send_all(struct subset *s, struct esse_error *err)
{
    bool ok = send_header(s, err);
    for (uint32_t i = 0; ok && i < s->history->fault_count; i++)
        ok = s->sink->fault(s->sink, &s->history->faults[i], err);
    for (uint32_t t = 0; ok && t < s->history->txns; t++) {
        esse_guard_poll();
        if (s->selection->txns[t])
            ok = send_txn(s, t, err);
    }
    return ok && send_init(s, err) && send_certificates(s, err) && s->sink->finish(s->sink, err);
}

bool esse_history_subset(struct esse_arena *arena, const struct esse_history *history,
                         const struct esse_selection *selection, struct esse_history **out,
                         struct esse_error *err)
{
    struct esse_builder *builder = esse_builder_new(arena);
    struct subset s = { .history = history,
                        .selection = selection,
                        .scratch = esse_arena_new(),
                        .sink = esse_builder_sink(builder) };
    s.key_used = esse_arena_alloc(s.scratch, history->keys + 1u, 1);
    esse_left_find(&s.left, s.scratch, history, selection);
    count_seen(&s);
    bool ok = send_all(&s, err) &&
              esse_builder_freeze_as(builder, history->format, history->workload, out, err);
    esse_arena_free(s.scratch);
    return ok;
}
