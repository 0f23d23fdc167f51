#include "formats/relay.h"

#include "base/error.h"
#include "base/guard.h"
#include "base/threads.h"
#include "base/vec.h"

#include <assert.h>
#include <string.h>

enum what { HEADER, INIT, FAULT, TXN, VERSION_ORDER, ORDER, LOST, CERTIFICATE, FINISH };

/* A record.  What it has many of are the next ones of the batch's.  Every byte here and below goes
 * from one processor's cache to the other's, which is what a relay costs. */
struct sent {
    uint8_t what;
    uint8_t status;
    uint8_t times;  /* which of the seven a transaction has, in the order of the record */
    uint8_t extras; /* the next ones of the batch are this transaction's, up to the last */
    uint32_t atoms; /* that the batch's pool had by then */
    uint64_t line;  /* the transaction's or the sink's */
    size_t count;   /* of operations, rows, versions or values */
    esse_value one; /* session, key or database */
    esse_value two; /* name or isolation */
};

/* What nearly all operations are.  The value of a list is the number of its items. */
struct small_op {
    esse_value key, value;
};

/* How: the kind, and ... */
enum {
    IS_LIST = 1 << 6,
    IS_WHOLE = 1 << 7, /* rows, times, a snapshot, a statement: it is in 'whole' too */
    KIND = IS_LIST - 1,
};

ESSE_VEC(sent_vec, struct sent)
ESSE_VEC(time_vec, int64_t)
ESSE_VEC(how_vec, uint8_t)
ESSE_VEC(small_op_vec, struct small_op)
ESSE_VEC(op_vec, struct esse_op_record)
ESSE_VEC(word_vec, esse_value)
ESSE_VEC(row_vec, struct esse_row)
ESSE_VEC(ref_vec, struct esse_version_ref)

/* A member that Esse does not know: so many of the next bytes, name and text. */
struct extra {
    size_t name, text;
    bool is_last;
};
ESSE_VEC(extra_vec, struct extra)
ESSE_VEC(byte_vec, char)
ESSE_VEC(extra_out_vec, struct esse_extra)

struct batch {
    struct esse_arena *arena;
    struct esse_arena *pool; /* of 'values' */
    struct esse_values *values;
    struct sent_vec sent;
    struct time_vec times;
    struct small_op_vec ops;
    struct how_vec how; /* by operation */
    struct op_vec whole;
    struct word_vec words; /* items of lists, columns, names */
    struct row_vec rows;
    struct ref_vec refs;
    struct extra_vec extras;
    struct byte_vec bytes;
    uint64_t consumed; /* of the file, when it was given */
    bool is_last;
};

struct relay {
    struct esse_sink sink; /* first: the reader's sink is its relay */
    struct esse_handover handover;
    struct batch batches[ESSE_RELAY_BATCHES];
    pthread_t thread;
    struct esse_budget *budget;
    const struct esse_guard *guard; /* that the taker is in, or NULL */
    atomic_bool stop;               /* the taker was abandoned */

    /* The reader's. */
    bool is_abandoned;
    bool (*read)(struct esse_reading *reading, struct esse_error *err);
    struct esse_reading reading;
    size_t batch_bytes;
    struct batch *open; /* NULL if no more is wanted */
    uint64_t opened_at; /* in the input */
    bool ok;            /* known after the last batch */
    struct esse_error error;

    /* The taker's: where it is in the batch. */
    struct esse_sink *to;
    size_t time, op, whole_op, word, row, ref, extra, byte;
    struct word_vec atoms; /* those of the batch, in the sink's pool */
    struct op_vec ops;
    struct extra_out_vec extras;
    struct esse_arena *arena;
};

/* ---- the reader's side ---- */

static bool open_batch(struct relay *relay)
{
    unsigned slot;
    relay->open = NULL;
    if (!esse_handover_free(&relay->handover, &slot))
        return false;
    relay->open = &relay->batches[slot];
    relay->opened_at = esse_source_place(relay->reading.source);
    relay->sink.values = relay->open->values;
    return true;
}

static void give_batch(struct relay *relay, bool is_last)
{
    relay->open->consumed = esse_source_consumed(relay->reading.source);
    relay->open->is_last = is_last;
    esse_handover_give(&relay->handover);
}

/* Between two forms of the input: here no value is held, so the pool may change. */
static bool between(struct esse_reading *reading)
{
    struct relay *relay = (struct relay *)reading->sink;
    if (esse_source_place(reading->source) - relay->opened_at < relay->batch_bytes)
        return true;
    give_batch(relay, false);
    return open_batch(relay);
}

/* Ends a record. */
static bool put(struct relay *relay, struct sent sent)
{
    struct batch *batch = relay->open;
    sent.atoms = esse_values_atoms(batch->values);
    sent_vec_push(&batch->sent, batch->arena, sent);
    return true;
}

static void put_words(struct batch *batch, const esse_value *words, size_t count)
{
    if (count)
        memcpy(word_vec_extend(&batch->words, batch->arena, count), words, count * sizeof *words);
}

static void put_rows(struct batch *batch, const struct esse_row *rows, size_t count)
{
    if (count)
        memcpy(row_vec_extend(&batch->rows, batch->arena, count), rows, count * sizeof *rows);
}

static bool put_header(struct esse_sink *sink, const struct esse_header_record *header,
                       struct esse_error *err)
{
    (void)err;
    struct relay *relay = (struct relay *)sink;
    put_words(relay->open, header->columns, header->column_count);
    put_words(relay->open, header->statements, header->statement_count);
    time_vec_push(&relay->open->times, relay->open->arena, (int64_t)header->statement_count);
    struct sent sent = { .what = HEADER,
                         .status = header->in_version_order,
                         .line = sink->line,
                         .count = header->column_count,
                         .one = header->db,
                         .two = header->isolation };
    return put(relay, sent);
}

static bool put_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                     struct esse_error *err)
{
    (void)err;
    struct relay *relay = (struct relay *)sink;
    put_rows(relay->open, rows, count);
    return put(relay, (struct sent){ .what = INIT, .line = sink->line, .count = count });
}

static void put_whole(struct batch *batch, const struct esse_txn_record *txn,
                      const struct esse_op_record *op)
{
    op_vec_push(&batch->whole, batch->arena, *op);
    if (!op->is_list)
        put_rows(batch, esse_record_rows(txn, op->first, op->count), op->count);
    put_rows(batch, esse_record_rows(txn, op->vset_first, op->vset_count), op->vset_count);
    put_words(batch, esse_record_result(txn, op), op->result_count);
}

static void put_op(struct batch *batch, struct small_op *small, uint8_t *how,
                   const struct esse_txn_record *txn, const struct esse_op_record *op)
{
    const bool is_whole = esse_op_is_predicate(op->kind) || op->begin != ESSE_NO_TIME ||
                          !esse_value_eq(op->snapshot, ESSE_NONE) || op->statement;
    small->key = op->key;
    small->value = op->is_list ? (esse_value){ op->count } : op->value;
    *how = (uint8_t)(op->kind | (op->is_list ? IS_LIST : 0u) | (is_whole ? IS_WHOLE : 0u));
    if (op->is_list)
        put_words(batch, esse_record_items(txn, op), op->count);
    if (is_whole)
        put_whole(batch, txn, op);
}

static uint8_t put_times(struct batch *batch, const struct esse_txn_record *txn)
{
    const int64_t times[] = { txn->start,      txn->end,      txn->start_ts, txn->commit_ts,
                              txn->wall_start, txn->wall_end, txn->xid };
    unsigned which = 0;
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
        if (times[i] != ESSE_NO_TIME) {
            time_vec_push(&batch->times, batch->arena, times[i]);
            which |= 1u << i;
        }
    }
    return (uint8_t)which;
}

static void put_extras(struct batch *batch, const struct esse_txn_record *txn)
{
    for (size_t i = 0; i < txn->extra_count; i++) {
        const struct esse_span name = txn->extras[i].name, text = txn->extras[i].text;
        extra_vec_push(&batch->extras, batch->arena,
                       (struct extra){ name.length, text.length, i + 1 == txn->extra_count });
        char *to = byte_vec_extend(&batch->bytes, batch->arena, name.length + text.length + 1);
        memcpy(to, name.at, name.length);
        memcpy(to + name.length, text.at, text.length);
    }
}

static bool put_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                    struct esse_error *err)
{
    (void)err;
    struct relay *relay = (struct relay *)sink;
    struct batch *batch = relay->open;
    put_extras(batch, txn);
    struct small_op *ops = small_op_vec_extend(&batch->ops, batch->arena, txn->op_count);
    uint8_t *how = how_vec_extend(&batch->how, batch->arena, txn->op_count);
    for (size_t i = 0; i < txn->op_count; i++)
        put_op(batch, &ops[i], &how[i], txn, &txn->ops[i]);
    struct sent sent = { .what = TXN,
                         .status = (uint8_t)txn->status,
                         .times = put_times(batch, txn),
                         .extras = txn->extra_count > 0,
                         .line = txn->line,
                         .count = txn->op_count,
                         .one = txn->session,
                         .two = txn->name };
    return put(relay, sent);
}

static bool put_version_order(struct esse_sink *sink, esse_value key,
                              const struct esse_version_ref *versions, size_t count,
                              struct esse_error *err)
{
    (void)err;
    struct relay *relay = (struct relay *)sink;
    struct batch *batch = relay->open;
    if (count)
        memcpy(ref_vec_extend(&batch->refs, batch->arena, count), versions,
               count * sizeof *versions);
    struct sent sent = { .what = VERSION_ORDER, .line = sink->line, .count = count, .one = key };
    return put(relay, sent);
}

static bool put_names(struct esse_sink *sink, enum what what, const esse_value *names, size_t count)
{
    struct relay *relay = (struct relay *)sink;
    put_words(relay->open, names, count);
    return put(relay, (struct sent){ .what = (uint8_t)what, .line = sink->line, .count = count });
}

static bool put_order(struct esse_sink *sink, const esse_value *names, size_t count,
                      struct esse_error *err)
{
    (void)err;
    return put_names(sink, ORDER, names, count);
}

static bool put_lost(struct esse_sink *sink, const esse_value *names, size_t count,
                     struct esse_error *err)
{
    (void)err;
    return put_names(sink, LOST, names, count);
}

static bool put_fault(struct esse_sink *sink, const struct esse_fault_record *fault,
                      struct esse_error *err)
{
    (void)err;
    struct relay *relay = (struct relay *)sink;
    const int64_t times[] = { fault->node, fault->start, fault->end };
    memcpy(time_vec_extend(&relay->open->times, relay->open->arena, 3), times, sizeof times);
    return put(relay, (struct sent){ .what = FAULT, .status = fault->kind, .line = sink->line });
}

static bool put_certificate(struct esse_sink *sink,
                            const struct esse_certificate_record *certificate,
                            struct esse_error *err)
{
    (void)err;
    struct sent sent = { .what = CERTIFICATE,
                         .status = certificate->complete,
                         .line = sink->line,
                         .count = certificate->kind };
    return put((struct relay *)sink, sent);
}

static bool put_finish(struct esse_sink *sink, struct esse_error *err)
{
    (void)err;
    return put((struct relay *)sink, (struct sent){ .what = FINISH, .line = sink->line });
}

static void read_records(void *context)
{
    struct relay *relay = context;
    open_batch(relay);
    relay->ok = relay->read(&relay->reading, &relay->error);
}

/* What was being put into the open batch when reading was abandoned is void. */
static void stop_reading(struct relay *relay)
{
    relay->ok = esse_fail(&relay->error, ESSE_ESTOPPED, "stopped while reading");
    relay->is_abandoned = true;
    if (relay->open)
        relay->open->sent.count = 0;
}

static void *read_all(void *context)
{
    struct relay *relay = context;
    if (!relay->guard)
        read_records(relay);
    else if (!esse_guard_help(relay->guard, &relay->stop, read_records, relay))
        stop_reading(relay);
    if (relay->open)
        give_batch(relay, true);
    return NULL;
}

/* ---- the taker's side ---- */

static esse_value arrived(const struct relay *relay, esse_value value)
{
    if (esse_value_tag(value) != ESSE_TAG_ATOM)
        return value;
    assert(value.word >> 3 < relay->atoms.count);
    return relay->atoms.at[value.word >> 3];
}

static const esse_value *take_words(struct relay *relay, struct batch *batch, size_t count)
{
    esse_value *words = count ? batch->words.at + relay->word : NULL;
    relay->word += count;
    for (size_t i = 0; relay->atoms.count && i < count; i++)
        words[i] = arrived(relay, words[i]);
    return words;
}

static const struct esse_row *take_rows(struct relay *relay, struct batch *batch, size_t count)
{
    struct esse_row *rows = count ? batch->rows.at + relay->row : NULL;
    relay->row += count;
    for (size_t i = 0; i < count; i++)
        rows[i] = (struct esse_row){ arrived(relay, rows[i].key), arrived(relay, rows[i].value),
                                     arrived(relay, rows[i].next) };
    return rows;
}

/* The parts of 'op' that a small one has not. */
static void take_whole(struct relay *relay, struct batch *batch, struct esse_op_record *op)
{
    const struct esse_op_record *whole = &batch->whole.at[relay->whole_op++];
    op->begin = whole->begin;
    op->end = whole->end;
    op->snapshot = arrived(relay, whole->snapshot);
    op->statement = whole->statement;
    op->has_vset = whole->has_vset;
    op->no_rows = whole->no_rows;
    op->has_result = whole->has_result;
    if (!op->is_list) {
        op->first = relay->row;
        op->count = whole->count;
        take_rows(relay, batch, op->count);
    }
    op->vset_first = relay->row;
    op->vset_count = whole->vset_count;
    take_rows(relay, batch, op->vset_count);
    op->result_first = relay->word;
    op->result_count = whole->result_count;
    take_words(relay, batch, op->result_count);
}

/* The members one by one, into where it stays: see native_ops.c, quick_op. */
static void take_op(struct relay *relay, struct batch *batch, struct esse_op_record *op)
{
    const struct small_op *small = &batch->ops.at[relay->op];
    const uint8_t how = batch->how.at[relay->op++];
    op->kind = (enum esse_op_kind)(how & KIND);
    op->is_list = how & IS_LIST;
    op->has_vset = op->no_rows = op->has_result = false;
    op->key = arrived(relay, small->key);
    op->value = op->is_list ? ESSE_NONE : arrived(relay, small->value);
    op->first = relay->word;
    op->count = op->is_list ? small->value.word : 0;
    op->vset_first = op->vset_count = op->result_first = op->result_count = 0;
    op->begin = op->end = ESSE_NO_TIME;
    op->snapshot = ESSE_NONE;
    op->statement = 0;
    if (op->count)
        take_words(relay, batch, op->count);
    if (how & IS_WHOLE)
        take_whole(relay, batch, op);
}

static int64_t take_time(struct relay *relay, const struct batch *batch, const struct sent *sent,
                         unsigned which)
{
    return sent->times & 1u << which ? batch->times.at[relay->time++] : ESSE_NO_TIME;
}

static void take_extras(struct relay *relay, const struct batch *batch)
{
    bool is_last;
    do {
        const struct extra *extra = &batch->extras.at[relay->extra++];
        const char *at = batch->bytes.at + relay->byte;
        extra_out_vec_push(
            &relay->extras, relay->arena,
            (struct esse_extra){ { at, extra->name }, { at + extra->name, extra->text } });
        relay->byte += extra->name + extra->text + 1;
        is_last = extra->is_last;
    } while (!is_last);
}

static bool take_txn(struct relay *relay, struct batch *batch, const struct sent *sent,
                     struct esse_error *err)
{
    struct esse_txn_record txn = esse_txn_record_empty();
    relay->ops.count = 0;
    struct esse_op_record *ops = op_vec_extend(&relay->ops, relay->arena, sent->count);
    for (size_t i = 0; i < sent->count; i++) {
        esse_guard_poll();
        take_op(relay, batch, &ops[i]);
    }
    txn.session = arrived(relay, sent->one);
    txn.name = arrived(relay, sent->two);
    txn.status = (enum esse_status)sent->status;
    txn.line = sent->line;
    txn.start = take_time(relay, batch, sent, 0);
    txn.end = take_time(relay, batch, sent, 1);
    txn.start_ts = take_time(relay, batch, sent, 2);
    txn.commit_ts = take_time(relay, batch, sent, 3);
    txn.wall_start = take_time(relay, batch, sent, 4);
    txn.wall_end = take_time(relay, batch, sent, 5);
    txn.xid = take_time(relay, batch, sent, 6);
    txn.ops = ops;
    txn.op_count = sent->count;
    txn.items = batch->words.at;
    txn.rows = batch->rows.at;
    relay->extras.count = 0;
    if (sent->extras)
        take_extras(relay, batch);
    txn.extras = relay->extras.at;
    txn.extra_count = relay->extras.count;
    return relay->to->txn(relay->to, &txn, err);
}

static bool take_header(struct relay *relay, struct batch *batch, const struct sent *sent,
                        struct esse_error *err)
{
    struct esse_header_record header = { .db = arrived(relay, sent->one),
                                         .isolation = arrived(relay, sent->two),
                                         .columns = take_words(relay, batch, sent->count),
                                         .column_count = sent->count,
                                         .statement_count = (size_t)batch->times.at[relay->time++],
                                         .in_version_order = sent->status };
    header.statements = take_words(relay, batch, header.statement_count);
    return relay->to->header(relay->to, &header, err);
}

static bool take_version_order(struct relay *relay, struct batch *batch, const struct sent *sent,
                               struct esse_error *err)
{
    struct esse_version_ref *refs = sent->count ? batch->refs.at + relay->ref : NULL;
    relay->ref += sent->count;
    for (size_t i = 0; i < sent->count; i++)
        refs[i] =
            (struct esse_version_ref){ arrived(relay, refs[i].value), arrived(relay, refs[i].txn) };
    return relay->to->version_order(relay->to, arrived(relay, sent->one), refs, sent->count, err);
}

static bool take_certificate(struct relay *relay, const struct sent *sent, struct esse_error *err)
{
    struct esse_certificate_record certificate = { (enum esse_certificate_kind)sent->count,
                                                   sent->status };
    return relay->to->certificate(relay->to, &certificate, err);
}

static bool take_fault(struct relay *relay, const struct batch *batch, const struct sent *sent,
                       struct esse_error *err)
{
    const int64_t *times = batch->times.at + relay->time;
    const struct esse_fault_record fault = { (enum esse_fault)sent->status, times[0], times[1],
                                             times[2] };
    relay->time += 3;
    return relay->to->fault(relay->to, &fault, err);
}

static bool take_record(struct relay *relay, struct batch *batch, const struct sent *sent,
                        struct esse_error *err)
{
    struct esse_sink *to = relay->to;
    while (relay->atoms.count < sent->atoms) {
        esse_value atom = esse_value_of_atom((uint32_t)relay->atoms.count);
        word_vec_push(&relay->atoms, relay->arena,
                      esse_value_carry(to->values, batch->values, atom));
    }
    to->line = sent->line;
    switch (sent->what) {
    case HEADER:
        return take_header(relay, batch, sent, err);
    case INIT:
        return to->init(to, take_rows(relay, batch, sent->count), sent->count, err);
    case FAULT:
        return take_fault(relay, batch, sent, err);
    case TXN:
        return take_txn(relay, batch, sent, err);
    case VERSION_ORDER:
        return take_version_order(relay, batch, sent, err);
    case ORDER:
        return to->order(to, take_words(relay, batch, sent->count), sent->count, err);
    case LOST:
        return to->lost(to, take_words(relay, batch, sent->count), sent->count, err);
    case CERTIFICATE:
        return take_certificate(relay, sent, err);
    default:
        return to->finish(to, err);
    }
}

static bool take_batch(struct relay *relay, struct batch *batch, struct esse_error *err)
{
    relay->time = relay->op = relay->whole_op = relay->word = relay->row = relay->ref = 0;
    relay->extra = relay->byte = 0;
    relay->atoms.count = 0;
    for (size_t i = 0; i < batch->sent.count; i++)
        if (!take_record(relay, batch, &batch->sent.at[i], err))
            return false;
    return true;
}

static void new_pool(struct batch *batch)
{
    batch->pool = esse_arena_new();
    batch->values = esse_values_new(batch->pool);
}

static void empty_batch(struct batch *batch)
{
    batch->sent.count = batch->times.count = 0;
    batch->ops.count = batch->how.count = batch->whole.count = 0;
    batch->words.count = batch->rows.count = batch->refs.count = 0;
    batch->extras.count = batch->bytes.count = 0;
    if (esse_values_atoms(batch->values)) {
        esse_arena_free(batch->pool);
        new_pool(batch);
    }
}

static bool take_all(struct relay *relay, struct esse_error *err)
{
    for (;;) {
        struct batch *batch = &relay->batches[esse_handover_take(&relay->handover)];
        if (!take_batch(relay, batch, err))
            return false;
        if (batch->is_last)
            break;
        if (!esse_source_may_go_on(relay->budget, batch->consumed, err))
            return false;
        empty_batch(batch);
        esse_handover_return(&relay->handover);
    }
    if (!relay->ok)
        *err = relay->error;
    return relay->ok;
}

/* ---- both ---- */

static struct relay *new_relay(struct esse_arena *arena, const struct esse_reading *reading)
{
    struct relay *relay = esse_arena_alloc(arena, 1, sizeof *relay);
    relay->arena = arena;
    relay->to = reading->sink;
    relay->reading = *reading;
    relay->reading.builder = NULL;
    relay->reading.sink = &relay->sink;
    relay->reading.between = between;
    relay->sink = (struct esse_sink){ .header = put_header,
                                      .init = put_init,
                                      .fault = put_fault,
                                      .txn = put_txn,
                                      .version_order = put_version_order,
                                      .order = put_order,
                                      .lost = put_lost,
                                      .certificate = put_certificate,
                                      .finish = put_finish };
    for (unsigned i = 0; i < ESSE_RELAY_BATCHES; i++) {
        relay->batches[i].arena = esse_arena_new();
        new_pool(&relay->batches[i]);
    }
    esse_handover_init(&relay->handover, ESSE_RELAY_BATCHES);
    return relay;
}

static void release(struct relay *relay)
{
    esse_handover_release(&relay->handover);
    for (unsigned i = 0; i < ESSE_RELAY_BATCHES; i++) {
        esse_arena_free(relay->batches[i].pool);
        esse_arena_free(relay->batches[i].arena);
    }
    esse_arena_free(relay->arena);
}

struct taking {
    struct relay *relay;
    struct esse_error *err;
    bool ok;
};

static void take_records(void *context)
{
    struct taking *taking = context;
    taking->ok = take_all(taking->relay, taking->err);
}

/* If either of the two is abandoned both are, when the other has ended. */
static bool take_while_read(struct relay *relay, struct esse_error *err)
{
    struct taking taking = { .relay = relay, .err = err };
    if (!relay->guard)
        take_records(&taking);
    else if (!esse_guard_again(take_records, &taking))
        atomic_store(&relay->stop, true);
    esse_handover_close(&relay->handover);
    pthread_join(relay->thread, NULL);
    if (atomic_load(&relay->stop) || relay->is_abandoned) {
        esse_handover_release(&relay->handover);
        esse_guard_abandon(); /* which frees the arenas */
    }
    return taking.ok;
}

bool esse_relay_read(struct esse_reading *reading,
                     bool (*read)(struct esse_reading *reading, struct esse_error *err),
                     size_t bytes, struct esse_error *err)
{
    struct relay *relay = new_relay(esse_arena_new(), reading);
    relay->budget = reading->source->budget;
    relay->guard = esse_guard_here;
    relay->read = read;
    relay->batch_bytes = bytes;
    reading->source->budget = NULL; /* the taker's: it alone polls */
    bool started = esse_thread_start(&relay->thread, read_all, relay), ok = false;
    if (started) {
        ok = take_while_read(relay, err);
        reading->found = relay->reading.found;
    }
    reading->source->budget = relay->budget;
    release(relay);
    return started ? ok : read(reading, err);
}
