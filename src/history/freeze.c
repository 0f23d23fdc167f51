#include "base/checked.h"
#include "base/error.h"
#include "history/access.h"
#include "history/building.h"
#include "history/name_deletes.h"
#include "history/pg_snapshot.h"
#include "history/resolve.h"

#include <string.h>

/* Closes a builder: resolves what needs the whole, and hands its columns to a history. */

const char *const esse_workload_names[] = { "any", "list-append", "rw-register",
                                            "closed-predicate" };

/* In a register history a list that was read is one opaque value, not a state of a list. */
static void lists_to_values(struct esse_builder *builder)
{
    unsigned both = ESSE_HAS_LIST_READS | ESSE_HAS_WRITES;
    if ((builder->has & both) != both)
        return;
    esse_value *room = NULL;
    builder->has &= ~(unsigned)ESSE_HAS_LIST_READS;
    for (size_t op = 0; op < builder->op_kind.count; op++) {
        esse_value value = builder->op_value.at[op];
        if (esse_value_tag(value) != ESSE_TAG_LIST || builder->op_kind.at[op] != ESSE_OP_READ)
            continue;
        if (!(builder->key_flags.at[builder->op_key.at[op]] & KEY_WRITTEN)) {
            builder->has |= ESSE_HAS_LIST_READS;
            continue;
        }
        uint32_t count;
        const esse_value *items = esse_lists_items(builder->lists, value, &count);
        room = esse_arena_grow(builder->arena, room, ((size_t)count + 1) * sizeof *room);
        if (count)
            memcpy(room, items, count * sizeof *room);
        builder->op_value.at[op] =
            esse_value_compound(builder->sink.values, ESSE_KIND_SEQ, room, count);
    }
    esse_arena_drop(builder->arena, room);
}

/* Groups the transactions by session: a counting sort, so session order is input order. */
static void group_sessions(struct esse_builder *builder, struct esse_history *history)
{
    uint32_t *first = esse_arena_alloc(builder->arena, history->sessions + 2u, sizeof *first);
    uint32_t *txns = esse_arena_array(builder->arena, history->txns + 1u, *txns);
    for (uint32_t t = 0; t < history->txns; t++)
        first[history->txn_session[t] + 2]++;
    for (uint32_t s = 2; s < history->sessions + 2; s++)
        first[s] += first[s - 1];
    for (uint32_t t = 0; t < history->txns; t++)
        txns[first[history->txn_session[t] + 1]++] = t;
    history->session_first = first;
    history->session_txn = txns;
}

/* "session/index", the name of a transaction that was given none. */
static bool find_unnamed(struct esse_builder *builder, const struct esse_history *history,
                         esse_value name, uint32_t *txn)
{
    if (esse_value_kind(history->values, name) != ESSE_KIND_STRING)
        return false;
    char room[8];
    struct esse_span text = esse_value_text(history->values, name, room);
    const char *slash = memrchr(text.at, '/', text.length);
    size_t digits = slash ? (size_t)(text.at + text.length - slash - 1) : 0;
    if (digits == 0 || digits > 9 || (slash[1] == '0' && digits > 1))
        return false;
    uint32_t position = 0, session;
    for (size_t i = 1; i <= digits; i++) {
        if (slash[i] < '0' || slash[i] > '9')
            return false;
        position = position * 10 + (uint32_t)(slash[i] - '0');
    }
    esse_value id = esse_value_string(history->values, text.at, (size_t)(slash - text.at));
    if (!esse_builder_session(builder, esse_builder_id(builder, id), &session) ||
        position >= history->session_first[session + 1] - history->session_first[session])
        return false;
    *txn = history->session_txn[history->session_first[session] + position];
    return !history->txn_name || esse_value_eq(history->txn_name[*txn], ESSE_NONE);
}

static bool find_txn(struct esse_builder *builder, const struct esse_history *history,
                     esse_value name, uint32_t *txn)
{
    return esse_builder_named(builder, esse_builder_id(builder, name), txn) ||
           find_unnamed(builder, history, name, txn);
}

static bool check_default_names(struct esse_builder *builder, const struct esse_history *history,
                                struct esse_error *err)
{
    char room[64];
    for (uint32_t t = 0; history->txn_name && t < history->txns; t++) {
        uint32_t other;
        if (find_unnamed(builder, history, history->txn_name[t], &other))
            return esse_fail_at(err, history->txn_line[t], 1,
                                "the transaction id '%s' is also the default id of the "
                                "transaction on line %u; ids must be unique",
                                esse_value_brief(history->values, history->txn_name[t], room),
                                history->txn_line[other]);
    }
    return true;
}

static bool unknown_txn(const struct esse_history *history, esse_value name, uint64_t line,
                        bool is_apart, struct esse_error *err)
{
    char room[64];
    esse_fail_at(err, line, 1, "there is no transaction '%s'",
                 esse_value_brief(history->values, name, room));
    err->in_certificate = is_apart;
    return false;
}

static bool resolve_version_orders(struct esse_builder *builder, struct esse_history *history,
                                   struct esse_error *err)
{
    struct esse_version *versions =
        esse_arena_array(builder->arena, builder->order_refs.count + 1, *versions);
    for (size_t o = 0; o < builder->orders.count; o++) {
        struct esse_version_order *order = &builder->orders.at[o];
        const uint32_t first = builder->order_first.at[o];
        order->versions = versions + first;
        for (size_t i = first; i < (size_t)first + order->count; i++) {
            struct esse_version_ref ref = builder->order_refs.at[i];
            versions[i] = (struct esse_version){ ref.value, { ESSE_NO_TXN } };
            if (!esse_value_eq(ref.txn, ESSE_NONE) &&
                !find_txn(builder, history, ref.txn, &versions[i].txn.ix))
                return unknown_txn(history, ref.txn, order->line, order->is_apart, err);
        }
    }
    esse_ref_vec_drop(&builder->order_refs, builder->arena);
    esse_name_deletes(history, builder->orders.at, (uint32_t)builder->orders.count);
    history->version_orders = builder->orders.at;
    history->version_order_count = (uint32_t)builder->orders.count;
    return true;
}

/* Names in a line about transactions: the order, or those that were lost. */
struct naming {
    struct esse_value_vec *names;
    const char *what; /* the line, for messages */
    uint64_t line;
    bool is_apart;
};

static bool fail_twice(const struct naming *naming, const struct esse_history *history,
                       esse_value name, struct esse_error *err)
{
    char room[64];
    esse_fail_at(err, naming->line, 1, "%s names the transaction '%s' twice", naming->what,
                 esse_value_brief(history->values, name, room));
    err->in_certificate = naming->is_apart;
    return false;
}

static bool resolve_names(struct esse_builder *builder, const struct esse_history *history,
                          const struct naming *naming, const esse_txn **txns,
                          struct esse_error *err)
{
    const size_t count = naming->names->count;
    esse_txn *found = esse_arena_array(builder->arena, count + 1, *found);
    uint8_t *seen = esse_arena_zeros(builder->arena, history->txns + 1u, *seen);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        const esse_value name = naming->names->at[i];
        if (!find_txn(builder, history, name, &found[i].ix))
            ok = unknown_txn(history, name, naming->line, naming->is_apart, err);
        else if (seen[found[i].ix]++)
            ok = fail_twice(naming, history, name, err);
    }
    esse_arena_drop(builder->arena, seen);
    esse_value_vec_drop(naming->names, builder->arena);
    *txns = found;
    return ok;
}

static bool resolve_order(struct esse_builder *builder, struct esse_history *history,
                          struct esse_error *err)
{
    const struct naming naming = { &builder->order, "the order", builder->serial_line,
                                   builder->is_serial_apart };
    history->order_count = (uint32_t)builder->order.count;
    return resolve_names(builder, history, &naming, &history->order, err);
}

static bool resolve_lost(struct esse_builder *builder, struct esse_history *history,
                         struct esse_error *err)
{
    const struct naming naming = { &builder->lost, "lost", builder->lost_line,
                                   builder->is_lost_apart };
    history->lost_count = (uint32_t)builder->lost.count;
    history->lost_line = (uint32_t)builder->lost_line;
    history->is_lost_apart = builder->is_lost_apart;
    return resolve_names(builder, history, &naming, &history->lost, err);
}

/* Is every snapshot of the kind that the certificate speaks of? */
static bool check_snapshots(const struct esse_history *history, struct esse_error *err)
{
    static const char *const wanted[ESSE_CERTIFICATE_END] = {
        [ESSE_CERTIFICATE_TIMESTAMPS] = "a timestamp, an integer",
        [ESSE_CERTIFICATE_COMMIT_ORDER] = "how many commits are seen, an integer",
        [ESSE_CERTIFICATE_POSTGRESQL_SNAPSHOTS] = "\"xmin:xmax:xip,xip\"",
    };
    const enum esse_certificate_kind kind = history->certificate.kind;
    char room[64];
    for (uint32_t op = 0; kind && history->op_snapshot && op < history->ops; op++) {
        const esse_value value = history->op_snapshot[op];
        struct esse_pg_snapshot ignored;
        int64_t number;
        if (esse_value_eq(value, ESSE_NONE) ||
            (kind == ESSE_CERTIFICATE_POSTGRESQL_SNAPSHOTS
                 ? esse_pg_snapshot_parse(&ignored, history->values, value)
                 : esse_value_as_int(history->values, value, &number) &&
                       (kind == ESSE_CERTIFICATE_TIMESTAMPS || number >= 0)))
            continue;
        return esse_fail_at(err, history->txn_line[esse_op_txn(history, op).ix], 1,
                            "found the snapshot '%s', expected %s, as the certificate is of %s",
                            esse_value_brief(history->values, value, room), wanted[kind],
                            esse_certificate_name(kind));
    }
    return true;
}

static enum esse_workload guess_workload(unsigned has)
{
    if (has & ESSE_HAS_PREDICATES)
        return (has & ESSE_HAS_APPENDS) ? ESSE_WORKLOAD_ANY : ESSE_WORKLOAD_CLOSED_PREDICATE;
    if (has & ESSE_HAS_APPENDS)
        return (has & (ESSE_HAS_WRITES | ESSE_HAS_DELETES)) ? ESSE_WORKLOAD_ANY
                                                            : ESSE_WORKLOAD_LIST_APPEND;
    if ((has & ESSE_HAS_LIST_READS) && !(has & ESSE_HAS_WRITES))
        return ESSE_WORKLOAD_LIST_APPEND;
    return ESSE_WORKLOAD_RW_REGISTER;
}

static void take_columns(struct esse_builder *builder, struct esse_history *history)
{
    history->ops = (uint32_t)builder->op_kind.count;
    history->txns = (uint32_t)builder->txn_session.count;
    history->sessions = (uint32_t)builder->session_name.count;
    history->keys = (uint32_t)builder->key_name.count;
    history->op_kind = builder->op_kind.at;
    history->op_key = builder->op_key.at;
    history->op_value = builder->op_value.at;
    history->op_time = builder->op_time.at;
    history->op_snapshot = builder->op_snapshot.at;
    history->op_statement = builder->op_statement.at;
    esse_u32_vec_push(&builder->txn_op, builder->arena, history->ops);
    history->txn_op = builder->txn_op.at;
    history->txn_session = builder->txn_session.at;
    history->txn_status = builder->txn_status.at;
    history->txn_line = builder->txn_line.at;
    history->txn_name = builder->txn_name.at;
    history->txn_time = builder->txn_time.at;
    history->txn_server_time = builder->txn_server_time.at;
    history->txn_wall_time = builder->txn_wall_time.at;
    history->txn_xid = builder->txn_xid.at;
    history->session_name = builder->session_name.at;
    history->key_name = builder->key_name.at;
    history->spines = esse_lists_freeze(builder->lists, &history->spine_count);
    history->predicates = builder->predicates.at;
    history->predicate_count = (uint32_t)builder->predicates.count;
    history->rows = builder->rows.at;
    history->results = builder->results.at;
    history->header = builder->header;
    history->certificate = builder->certificate;
    history->faults = builder->faults.at;
    history->fault_count = (uint32_t)builder->faults.count;
    history->init = builder->init.at;
    history->init_count = (uint32_t)builder->init.count;
    history->warnings = builder->warnings.at;
    history->warning_count = (uint32_t)builder->warnings.count;
    history->extras = builder->extras.at;
    history->extra_count = (uint32_t)builder->extras.count;
}

bool esse_builder_freeze_as(struct esse_builder *builder, const char *format,
                            enum esse_workload workload, struct esse_history **out,
                            struct esse_error *err)
{
    lists_to_values(builder);
    if (builder->header.in_version_order &&
        (builder->has & (ESSE_HAS_APPENDS | ESSE_HAS_LIST_READS)))
        return esse_fail_at(err, 1, 1,
                            "in_version_order is said of a history with lists, expected registers");
    struct esse_history *history = esse_arena_alloc(builder->arena, 1, sizeof *history);
    history->arena = builder->arena;
    history->values = builder->sink.values;
    history->format = format;
    history->has = builder->has;
    history->workload = workload == ESSE_WORKLOAD_ANY ? guess_workload(builder->has) : workload;
    take_columns(builder, history);
    group_sessions(builder, history);
    if (!check_default_names(builder, history, err) ||
        !resolve_version_orders(builder, history, err) || !resolve_order(builder, history, err) ||
        !resolve_lost(builder, history, err) || !check_snapshots(history, err))
        return false;
    esse_resolve_outcomes(history, builder->txn_status.at);
    esse_index_drop(&builder->names, builder->arena);
    esse_index_drop(&builder->key_index, builder->arena);
    esse_arena_drop(builder->arena, builder->key_guess);
    esse_index_drop(&builder->session_index, builder->arena);
    esse_u8_vec_drop(&builder->key_flags, builder->arena);
    ESSE_SEAM(esse_history_valid(history));
    *out = history;
    return true;
}
