#include "engine/replay/replay_window.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void replay_window_init(struct replay_window *window, struct esse_arena *arena,
                        struct esse_values *values)
{
    *window = (struct replay_window){ .arena = arena };
    struct esse_history *history = &window->history;
    *history = (struct esse_history){ .arena = arena,
                                      .values = values,
                                      .format = "native",
                                      .has = ESSE_HAS_PREDICATES | ESSE_HAS_TIMES,
                                      .txns = 1 };
    history->txn_op = window->txn_op;
    history->txn_session = &window->session;
    history->txn_line = &window->line;
    history->txn_status = &window->status;
    history->txn_name = &window->name;
    history->txn_time = &window->time;
    history->txn_server_time = &window->server_time;
}

static uint32_t find(const struct esse_index *index, const struct esse_value_vec *names,
                     esse_value name)
{
    struct esse_probe probe = esse_index_probe(index, esse_hash_word(name.word));
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (esse_value_eq(names->at[id], name))
            return id;
    return UINT32_MAX;
}

uint32_t replay_window_key(struct replay_window *window, esse_value name, bool *fresh)
{
    uint32_t key = find(&window->key_index, &window->key_name, name);
    *fresh = key == UINT32_MAX;
    if (!*fresh)
        return key;
    key = (uint32_t)window->key_name.count;
    esse_value_vec_push(&window->key_name, window->arena, name);
    esse_index_add(&window->key_index, window->arena, esse_hash_word(name.word), key);
    window->history.keys = key + 1;
    window->history.key_name = window->key_name.at;
    return key;
}

static uint32_t session_of(struct replay_window *window, esse_value name)
{
    uint32_t session = find(&window->session_index, &window->session_name, name);
    if (session != UINT32_MAX)
        return session;
    session = (uint32_t)window->session_name.count;
    esse_value_vec_push(&window->session_name, window->arena, name);
    window_session_vec_push(&window->sessions, window->arena, (struct window_session){ 0 });
    esse_index_add(&window->session_index, window->arena, esse_hash_word(name.word), session);
    window->history.sessions = session + 1;
    window->history.session_name = window->session_name.at;
    return session;
}

/* ---- a transaction ---- */

void replay_window_count(struct replay_window *window, const struct esse_txn_record *record)
{
    window->session = session_of(window, record->session);
    window->shown = (struct replay_name){ record->name, record->session,
                                          window->sessions.at[window->session].txns++ };
}

static uint32_t key_of(struct replay_window *window, esse_value name)
{
    bool fresh;
    return replay_window_key(window, name, &fresh);
}

static uint32_t add_predicate(struct replay_window *window, const struct esse_txn_record *record,
                              const struct esse_op_record *op)
{
    struct esse_predicate_op predicate = { .text = op->key,
                                           .row = (uint32_t)window->rows.count,
                                           .row_count = (uint32_t)op->count,
                                           .no_rows = op->no_rows,
                                           .has_result = op->has_result,
                                           .result = (uint32_t)window->results.count,
                                           .result_count = (uint32_t)op->result_count };
    const struct esse_row *rows = esse_record_rows(record, op->first, op->count);
    for (size_t i = 0; i < op->count; i++) {
        const struct esse_keyed_row row = { { key_of(window, rows[i].key) },
                                            rows[i].value,
                                            rows[i].next };
        window_row_vec_push(&window->rows, window->arena, row);
    }
    for (size_t i = 0; i < op->result_count; i++)
        esse_value_vec_push(&window->results, window->arena, record->items[op->result_first + i]);
    window_predicate_vec_push(&window->predicates, window->arena, predicate);
    return (uint32_t)window->predicates.count - 1;
}

static esse_value add_list(struct replay_window *window, const struct esse_txn_record *record,
                           const struct esse_op_record *op, uint32_t key)
{
    const struct esse_spine spine = { esse_record_items(record, op), (uint32_t)op->count, { key } };
    if (!op->count)
        return esse_value_list(0, 0);
    window_spine_vec_push(&window->spines, window->arena, spine);
    return esse_value_list((uint32_t)window->spines.count - 1, (uint32_t)op->count);
}

static void add_op(struct replay_window *window, const struct esse_txn_record *record,
                   const struct esse_op_record *op)
{
    esse_value value = op->kind == ESSE_OP_DELETE ? ESSE_NIL : op->value;
    uint32_t key;
    if (esse_op_is_predicate(op->kind)) {
        key = add_predicate(window, record, op);
        value = ESSE_NONE;
    } else {
        key = key_of(window, op->key);
        if (op->is_list)
            value = add_list(window, record, op, key);
    }
    esse_u8_vec_push(&window->op_kind, window->arena, (uint8_t)op->kind);
    esse_u32_vec_push(&window->op_key, window->arena, key);
    esse_value_vec_push(&window->values, window->arena, value);
}

void replay_window_fill(struct replay_window *window, const struct esse_txn_record *record)
{
    struct esse_history *history = &window->history;
    window->op_kind.count = window->op_key.count = window->values.count = 0;
    window->predicates.count = window->rows.count = window->spines.count = 0;
    window->results.count = 0;
    for (size_t i = 0; i < record->op_count; i++)
        add_op(window, record, &record->ops[i]);
    history->ops = window->txn_op[1] = (uint32_t)record->op_count;
    history->op_kind = window->op_kind.at;
    history->op_key = window->op_key.at;
    history->op_value = window->values.at;
    history->predicates = window->predicates.at;
    history->predicate_count = (uint32_t)window->predicates.count;
    history->rows = window->rows.at;
    history->results = window->results.at;
    history->spines = window->spines.at;
    history->spine_count = (uint32_t)window->spines.count;
    window->line = record->line < UINT32_MAX ? (uint32_t)record->line : UINT32_MAX;
    window->status = (uint8_t)record->status;
    window->name = record->name;
    window->time = (struct esse_interval){ record->start, record->end };
    window->server_time = (struct esse_interval){ record->start_ts, record->commit_ts };
}

void replay_window_keep(struct replay_window *window)
{
    for (size_t i = 0; i < window->spines.count; i++) {
        struct esse_spine *spine = &window->spines.at[i];
        esse_value *items = esse_arena_alloc(window->arena, spine->count, sizeof *items);
        memcpy(items, spine->items, spine->count * sizeof *items);
        spine->items = items;
    }
}

static esse_value print_name(struct esse_values *values, struct replay_name name)
{
    char session[64], text[96];
    if (!esse_value_eq(name.name, ESSE_NONE))
        return name.name;
    esse_value_brief(values, name.session, session);
    const int length = snprintf(text, sizeof text, "%s/%" PRIu64, session, name.position);
    return esse_value_string(values, text, (size_t)length);
}

void replay_window_name(struct replay_window *window)
{
    window->name = print_name(window->history.values, window->shown);
}
