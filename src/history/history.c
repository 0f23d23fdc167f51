#include "history/history.h"
#include "history/access.h"

#include "base/gallop.h"
#include "base/vec.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct esse_counts esse_history_counts(const struct esse_history *history)
{
    struct esse_counts counts = { .sessions = history->sessions,
                                  .transactions = history->txns,
                                  .operations = history->ops,
                                  .keys = history->keys };
    for (uint32_t t = 0; t < history->txns; t++) {
        const enum esse_status status = esse_txn_recorded(history, t);
        counts.committed += status == ESSE_COMMITTED;
        counts.aborted += status == ESSE_ABORTED;
        counts.unknown += status == ESSE_UNKNOWN_OUTCOME;
    }
    return counts;
}

bool esse_history_is_native(const struct esse_history *history)
{
    return strcmp(history->format, "native") == 0;
}

bool esse_history_key(const struct esse_history *history, esse_value name, esse_key *key)
{
    for (uint32_t k = 0; k < history->keys; k++) {
        if (esse_value_eq(history->key_name[k], name)) {
            key->ix = k;
            return true;
        }
    }
    return false;
}

uint32_t esse_history_position(const struct esse_history *history, esse_txn txn)
{
    uint32_t session = history->txn_session[txn.ix], from = history->session_first[session];
    uint32_t at = from, end = history->session_first[session + 1];
    ESSE_BISECT(at, end, middle, history->session_txn[middle] < txn.ix);
    assert(history->session_txn[at] == txn.ix);
    return at - from;
}

/* An id as it prints. */
static const char *id_text(struct esse_arena *arena, const struct esse_values *values,
                           esse_value id)
{
    int64_t number;
    char bytes[8];
    if (esse_value_as_int(values, id, &number))
        return esse_arena_format(arena, "%" PRId64, number);
    struct esse_span span = esse_value_text(values, id, bytes);
    return esse_arena_text(arena, span.at, span.length);
}

const char *esse_txn_id(struct esse_arena *arena, const struct esse_history *history, esse_txn txn)
{
    const esse_value name = history->txn_name ? history->txn_name[txn.ix] : ESSE_NONE;
    if (!esse_value_eq(name, ESSE_NONE))
        return id_text(arena, history->values, name);
    const esse_value session = history->session_name[history->txn_session[txn.ix]];
    return esse_arena_format(arena, "%s/%u", id_text(arena, history->values, session),
                             esse_history_position(history, txn));
}

void esse_txn_name(const struct esse_history *history, esse_txn txn, char *text, size_t room)
{
    struct esse_arena *arena = esse_arena_new();
    snprintf(text, room, "%s", esse_txn_id(arena, history, txn));
    esse_arena_free(arena);
}

/* ---- sending a history to a sink ---- */

struct emitter {
    const struct esse_history *history;
    struct esse_arena *arena; /* for the scratch below only */
    struct esse_op_record_vec ops;
    struct esse_value_vec items;
    struct esse_row_vec rows;
    struct esse_extra_vec extras;
    uint32_t extra; /* the first that was not yet sent */
};

static size_t add_rows(struct emitter *e, uint32_t first, uint32_t count)
{
    size_t at = e->rows.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_keyed_row *row = &e->history->rows[first + i];
        esse_row_vec_push(
            &e->rows, e->arena,
            (struct esse_row){ e->history->key_name[row->key.ix], row->value, row->next });
    }
    return at;
}

static size_t add_items(struct emitter *e, const esse_value *items, uint32_t count)
{
    size_t at = e->items.count;
    esse_value_vec_append(&e->items, e->arena, items, count);
    return at;
}

static void add_op(struct emitter *e, uint32_t op)
{
    const struct esse_history *history = e->history;
    struct esse_op_record record = { .kind = (enum esse_op_kind)history->op_kind[op],
                                     .value = history->op_value[op],
                                     .begin = ESSE_NO_TIME,
                                     .end = ESSE_NO_TIME };
    if (history->op_time) {
        record.begin = history->op_time[op].begin;
        record.end = history->op_time[op].end;
    }
    if (history->op_snapshot)
        record.snapshot = history->op_snapshot[op];
    if (history->op_statement)
        record.statement = history->op_statement[op];
    if (esse_op_is_predicate(record.kind)) {
        const struct esse_predicate_op *predicate = &history->predicates[history->op_key[op]];
        record.key = predicate->text;
        record.first = add_rows(e, predicate->row, predicate->row_count);
        record.count = predicate->row_count;
        record.has_vset = predicate->has_vset;
        record.vset_first = add_rows(e, predicate->vset, predicate->vset_count);
        record.vset_count = predicate->vset_count;
        record.no_rows = predicate->no_rows;
        record.has_result = predicate->has_result;
        record.result_first =
            add_items(e, esse_history_result(history, predicate), predicate->result_count);
        record.result_count = predicate->result_count;
    } else {
        record.key = history->key_name[history->op_key[op]];
        if (esse_value_tag(record.value) == ESSE_TAG_LIST) {
            uint32_t count;
            const esse_value *items = esse_history_list(history, record.value, &count);
            record.is_list = true;
            record.first = add_items(e, items, count);
            record.count = count;
        }
    }
    esse_op_record_vec_push(&e->ops, e->arena, record);
}

static bool emit_txn(struct emitter *e, uint32_t txn, struct esse_sink *sink,
                     struct esse_error *err)
{
    const struct esse_history *history = e->history;
    struct esse_txn_record record = esse_txn_record_empty();
    record.session = history->session_name[history->txn_session[txn]];
    record.name = history->txn_name ? history->txn_name[txn] : ESSE_NONE;
    record.status = esse_txn_recorded(history, txn);
    record.line = history->txn_line[txn];
    if (history->txn_time) {
        record.start = history->txn_time[txn].begin;
        record.end = history->txn_time[txn].end;
    }
    if (history->txn_server_time) {
        record.start_ts = history->txn_server_time[txn].begin;
        record.commit_ts = history->txn_server_time[txn].end;
    }
    if (history->txn_wall_time) {
        record.wall_start = history->txn_wall_time[txn].begin;
        record.wall_end = history->txn_wall_time[txn].end;
    }
    if (history->txn_xid)
        record.xid = history->txn_xid[txn];
    e->ops.count = e->items.count = e->rows.count = e->extras.count = 0;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        add_op(e, op);
    for (; e->extra < history->extra_count && history->extras[e->extra].txn.ix == txn; e->extra++)
        esse_extra_vec_push(
            &e->extras, e->arena,
            (struct esse_extra){ history->extras[e->extra].name, history->extras[e->extra].text });
    record.ops = e->ops.at;
    record.op_count = e->ops.count;
    record.items = e->items.at;
    record.rows = e->rows.at;
    record.extras = e->extras.at;
    record.extra_count = e->extras.count;
    return sink->txn(sink, &record, err);
}

static bool emit_init(struct emitter *e, struct esse_sink *sink, struct esse_error *err)
{
    const struct esse_history *history = e->history;
    e->rows.count = 0;
    for (uint32_t i = 0; i < history->init_count; i++)
        esse_row_vec_push(&e->rows, e->arena,
                          (struct esse_row){ history->key_name[history->init[i].key.ix],
                                             history->init[i].value, ESSE_NONE });
    return sink->init(sink, e->rows.at, e->rows.count, err);
}

/* A transaction's id, made if it was given none. */
static esse_value id_of(const struct esse_history *history, esse_txn txn)
{
    if (history->txn_name && !esse_value_eq(history->txn_name[txn.ix], ESSE_NONE))
        return history->txn_name[txn.ix];
    struct esse_arena *arena = esse_arena_new();
    const char *text = esse_txn_id(arena, history, txn);
    const esse_value id = esse_value_string(history->values, text, strlen(text));
    esse_arena_free(arena);
    return id;
}

static bool emit_certificates(struct emitter *e, struct esse_sink *sink, struct esse_error *err)
{
    const struct esse_history *history = e->history;
    struct esse_ref_vec refs = { 0 };
    bool ok = true;
    for (uint32_t i = 0; ok && i < history->version_order_count; i++) {
        const struct esse_version_order *order = &history->version_orders[i];
        refs.count = 0;
        for (uint32_t v = 0; v < order->count; v++) {
            struct esse_version_ref ref = { order->versions[v].value, ESSE_NONE };
            if (order->versions[v].txn.ix != ESSE_NO_TXN)
                ref.txn = id_of(history, order->versions[v].txn);
            esse_ref_vec_push(&refs, e->arena, ref);
        }
        ok = sink->version_order(sink, history->key_name[order->key.ix], refs.at, refs.count, err);
    }
    if (ok && (history->has & ESSE_HAS_ORDER)) {
        e->items.count = 0;
        for (uint32_t i = 0; i < history->order_count; i++)
            esse_value_vec_push(&e->items, e->arena, id_of(history, history->order[i]));
        ok = sink->order(sink, e->items.at, e->items.count, err);
    }
    if (ok && history->lost_count) {
        e->items.count = 0;
        for (uint32_t i = 0; i < history->lost_count; i++)
            esse_value_vec_push(&e->items, e->arena, id_of(history, history->lost[i]));
        ok = sink->lost(sink, e->items.at, e->items.count, err);
    }
    if (ok && (history->has & ESSE_HAS_CERTIFICATE))
        ok = sink->certificate(sink, &history->certificate, err);
    return ok;
}

bool esse_history_emit(const struct esse_history *history, struct esse_sink *sink,
                       struct esse_error *err)
{
    struct emitter e = { .history = history, .arena = esse_arena_new() };
    struct esse_header_record header = history->header;
    header.in_version_order = esse_is_recorded_in_version_order(history);
    bool ok = sink->header(sink, &header, err);
    if (ok && (history->has & ESSE_HAS_INIT))
        ok = emit_init(&e, sink, err);
    for (uint32_t i = 0; ok && i < history->fault_count; i++)
        ok = sink->fault(sink, &history->faults[i], err);
    for (uint32_t t = 0; ok && t < history->txns; t++)
        ok = emit_txn(&e, t, sink, err);
    ok = ok && emit_certificates(&e, sink, err) && sink->finish(sink, err);
    esse_arena_free(e.arena);
    return ok;
}
