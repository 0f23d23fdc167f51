#include "base/hash.h"
#include "generate/execute.h"
#include "generate/gen_state.h"

#include <stdio.h>
#include <string.h>

/*
 * A crashed transaction is believed to have happened exactly if a read saw what it wrote
 * (semantics.md, section 1).  Two cases would break that rule and are kept out.  At read
 * uncommitted a write may be seen and then taken back, so there a commit always gets through.  And
 * a write that only makes a row leave a predicate's range is noticed without being seen, so with
 * predicates it never does.
 */
static enum esse_gen_fate draw_fate(struct esse_gen *gen, struct esse_gen_session *session)
{
    if (session->draw_state->gives_up)
        return ESSE_GEN_GIVES_UP;
    if (!esse_gen_happens(gen, gen->options->crash_share))
        return ESSE_GEN_COMMITS;
    session->crash_at = esse_rng_unit(&gen->rng);
    bool is_early = esse_rng_below(&gen->rng, 2) == 0;
    if (gen->data == ESSE_GEN_PREDICATE && !session->draw_state->is_read_only)
        is_early = true;
    else if (gen->traits.has_dirty)
        is_early = false;
    return is_early ? ESSE_GEN_CRASHES_EARLY : ESSE_GEN_CRASHES;
}

/* PostgreSQL has no snapshots of the past. */
static uint64_t draw_lag(struct esse_gen *gen, const struct esse_gen_session *session)
{
    if (!gen->traits.has_past || !session->draw_state->is_read_only || esse_gen_has_xids(gen) ||
        !esse_gen_happens(gen, gen->options->stale_share))
        return 0;
    return 1 + esse_rng_below(&gen->rng, (uint32_t)gen->max_lag);
}

void esse_gen_session_begin(struct esse_gen *gen, uint32_t at)
{
    struct esse_gen_session *session = &gen->sessions[at];
    esse_workload_begin(gen->options->workload, session->draw_state, session->is_again);
    session->fate = draw_fate(gen, session);
    esse_store_begin(gen->store, at, gen->clock, draw_lag(gen, session));
    session->xid = ESSE_NO_TIME;
    session->snapshot = gen->traits.has_snapshot
                            ? esse_gen_snapshot(gen, esse_store_snapshot(gen->store, at))
                            : ESSE_NONE;
    if (!session->draw_state->is_read_only && esse_gen_has_xids(gen))
        session->xid = gen->next_xid++;
    session->is_open = true;
    session->read = ESSE_ABSENT;
    session->order = gen->begun++;
    session->start = session->op_begin = gen->clock;
    session->ops.count = 0;
    session->items.count = 0;
    session->rows.count = 0;
}

bool esse_gen_session_ask(struct esse_gen *gen, uint32_t at)
{
    struct esse_gen_session *session = &gen->sessions[at];
    if (session->is_waiting)
        return true;
    session->request = (struct esse_request){ 0 };
    struct esse_request *request = &session->request;
    if (!gen->options->workload->next(session->draw_state, session->read, request))
        return false;
    if (gen->options->values && request->ask == ESSE_ASK_WRITE)
        request->value =
            1 + (int64_t)(esse_hash_word((uint64_t)request->value) % gen->options->values);
    return true;
}

/* ---- where a row is ---- */

/* A row that is newer than the one in its slot takes its place, and so does every row that is
 * inserted.  A request for an older one is about the one that is there: the history has the store's
 * keys, so it is true whatever was asked for.  The lock comes first: no other session may be
 * writing to the key that has to go. */
static enum esse_store_answer find_slot(struct esse_gen *gen, uint32_t at, uint32_t *slot)
{
    struct esse_request *request = &gen->sessions[at].request;
    const struct esse_gen_table *table = &gen->tables[request->table];
    const uint64_t row = (uint64_t)request->row;
    const uint32_t place = (uint32_t)(row < table->size ? row : row % table->size);
    *slot = table->first + place;
    const bool is_insert = request->ask == ESSE_ASK_INSERT;
    if (!table->rows || (request->row <= table->rows[place] && !is_insert))
        return ESSE_STORE_DONE;
    const enum esse_store_answer answer =
        request->ask == ESSE_ASK_READ ? ESSE_STORE_DONE : esse_store_lock(gen->store, at, *slot);
    if (answer != ESSE_STORE_DONE)
        return answer;
    if (esse_store_renew(gen->store, at, *slot) && request->row > table->rows[place])
        table->rows[place] = request->row;
    if (is_insert)
        request->ask = ESSE_ASK_WRITE;
    return ESSE_STORE_DONE;
}

/* ---- what the history says of a request ---- */

/* A read says which snapshot it has, unless the transaction's start_ts does. */
static esse_value snapshot_of(struct esse_gen *gen, const struct esse_gen_session *session,
                              enum esse_op_kind kind)
{
    if (kind != ESSE_OP_READ && !esse_op_is_predicate(kind))
        return ESSE_NONE;
    if (!gen->traits.has_snapshot)
        return esse_gen_snapshot(gen, gen->clock);
    return gen->options->certifies == ESSE_CERTIFICATE_TIMESTAMPS ? ESSE_NONE : session->snapshot;
}

static struct esse_op_record *add_op(struct esse_gen *gen, struct esse_gen_session *session,
                                     enum esse_op_kind kind)
{
    struct esse_op_record *op = esse_gen_op_vec_extend(&session->ops, gen->arena, 1);
    *op = (struct esse_op_record){ .kind = kind,
                                   .begin = ESSE_NO_TIME,
                                   .end = ESSE_NO_TIME,
                                   .snapshot = snapshot_of(gen, session, kind) };
    if (gen->options->has_op_times) {
        op->begin = (int64_t)session->op_begin;
        op->end = (int64_t)gen->clock;
    }
    return op;
}

static esse_value key_value(const struct esse_gen *gen, uint32_t slot)
{
    return esse_value_small((int64_t)esse_store_key(gen->store, slot));
}

static esse_value value_of(int64_t number)
{
    return number == ESSE_ABSENT ? ESSE_NIL : esse_value_small(number);
}

static void add_read(struct esse_gen *gen, struct esse_gen_session *session, uint32_t slot,
                     const struct esse_executed *executed)
{
    struct esse_op_record *op = add_op(gen, session, ESSE_OP_READ);
    op->key = key_value(gen, slot);
    op->is_list = gen->data == ESSE_GEN_LIST_APPEND;
    if (!op->is_list) {
        op->value = value_of(executed->value);
        return;
    }
    op->first = session->items.count;
    op->count = executed->item_count;
    esse_value *items = esse_gen_item_vec_extend(&session->items, gen->arena, op->count);
    for (size_t i = 0; i < op->count; i++)
        items[i] = esse_value_small(executed->items[i]);
}

/* A delete that found nothing has read that the row is not there. */
static void add_write(struct esse_gen *gen, struct esse_gen_session *session, uint32_t slot,
                      const struct esse_executed *executed)
{
    const enum esse_ask ask = session->request.ask;
    if (ask == ESSE_ASK_DELETE && executed->is_absent) {
        add_read(gen, session, slot, executed);
        return;
    }
    struct esse_op_record *op = add_op(gen, session,
                                       ask == ESSE_ASK_DELETE   ? ESSE_OP_DELETE
                                       : ask == ESSE_ASK_APPEND ? ESSE_OP_APPEND
                                                                : ESSE_OP_WRITE);
    op->key = key_value(gen, slot);
    if (ask != ESSE_ASK_DELETE)
        op->value = esse_value_small(session->request.value);
}

static struct esse_row *add_rows(struct esse_gen *gen, struct esse_gen_session *session,
                                 const struct esse_store_row *rows, size_t count)
{
    struct esse_row *to = esse_gen_row_vec_extend(&session->rows, gen->arena, count);
    for (size_t i = 0; i < count; i++)
        to[i] = (struct esse_row){ .key = esse_value_small((int64_t)rows[i].key),
                                   .value = esse_value_small(rows[i].value) };
    return to;
}

static void add_match(struct esse_gen *gen, struct esse_gen_session *session,
                      struct esse_op_record *op, const struct esse_executed *executed)
{
    const struct esse_request *request = &session->request;
    op->key = esse_value_string(gen->sink->values, request->where, strlen(request->where));
    op->first = session->rows.count;
    op->count = executed->row_count;
    struct esse_row *rows = add_rows(gen, session, executed->rows, executed->row_count);
    for (size_t i = 0; op->kind == ESSE_OP_PREDICATE_UPDATE && i < op->count; i++)
        rows[i].next = esse_value_small(request->value);
}

static void add_aggregate(struct esse_gen *gen, struct esse_gen_session *session,
                          struct esse_op_record *op, const struct esse_executed *executed)
{
    const struct esse_request *request = &session->request;
    struct esse_values *values = gen->sink->values;
    char text[200];
    const int length = snprintf(text, sizeof text, "SELECT %s FROM %s WHERE %s",
                                esse_aggregate_texts[request->aggregate],
                                gen->schema.tables[request->table].name, request->where);
    op->key = esse_value_string(values, text, (size_t)length);
    op->no_rows = op->has_result = true;
    op->result_first = session->items.count;
    op->result_count = 1;
    esse_gen_item_vec_push(
        &session->items, gen->arena,
        executed->value == ESSE_ABSENT ? ESSE_NIL : esse_value_int(values, executed->value));
}

/* ---- a step ---- */

static enum esse_store_answer step_row(struct esse_gen *gen, uint32_t at,
                                       struct esse_executed *executed)
{
    struct esse_gen_session *session = &gen->sessions[at];
    uint32_t slot;
    enum esse_store_answer answer = find_slot(gen, at, &slot);
    if (answer == ESSE_STORE_DONE)
        answer = esse_execute(gen->store, at, &session->request, slot, executed);
    if (answer != ESSE_STORE_DONE)
        return answer;
    if (session->request.ask == ESSE_ASK_READ)
        add_read(gen, session, slot, executed);
    else
        add_write(gen, session, slot, executed);
    return answer;
}

/* The version set is that of the state before a change. */
static enum esse_store_answer step_predicate(struct esse_gen *gen, uint32_t at,
                                             struct esse_executed *executed)
{
    struct esse_gen_session *session = &gen->sessions[at];
    const enum esse_ask ask = session->request.ask;
    const size_t first = session->rows.count;
    size_t count = 0;
    if (gen->options->has_vsets) {
        const struct esse_store_row *rows = esse_store_rows(gen->store, at, &count);
        add_rows(gen, session, rows, count);
    }
    const enum esse_store_answer answer =
        esse_execute(gen->store, at, &session->request, 0, executed);
    if (answer != ESSE_STORE_DONE) {
        session->rows.count = first;
        return answer;
    }
    struct esse_op_record *op = add_op(
        gen, session, ask == ESSE_ASK_CHANGE ? ESSE_OP_PREDICATE_UPDATE : ESSE_OP_PREDICATE_READ);
    op->has_vset = gen->options->has_vsets;
    op->vset_first = first;
    op->vset_count = count;
    if (ask == ESSE_ASK_AGGREGATE)
        add_aggregate(gen, session, op, executed);
    else
        add_match(gen, session, op, executed);
    return answer;
}

enum esse_store_answer esse_gen_session_step(struct esse_gen *gen, uint32_t at)
{
    struct esse_gen_session *session = &gen->sessions[at];
    const enum esse_ask ask = session->request.ask;
    const bool is_predicate =
        ask == ESSE_ASK_MATCH || ask == ESSE_ASK_CHANGE || ask == ESSE_ASK_AGGREGATE;
    struct esse_executed executed = { 0 };
    const enum esse_store_answer answer =
        is_predicate ? step_predicate(gen, at, &executed) : step_row(gen, at, &executed);
    session->is_waiting = answer == ESSE_STORE_WAIT;
    if (answer == ESSE_STORE_DONE) {
        session->op_begin = gen->clock;
        session->read = executed.value;
    }
    return answer;
}
