#include "base/arena.h"
#include "base/hash.h"
#include "formats/binary.h"
#include "formats/peers.h"
#include "formats/registers.h"
#include "formats/zeros.h"

/*
 * DBCop's history.bincode, little-endian without padding: five numbers that describe the run,
 * three strings (a remark, the start, the end), then sessions of transactions of events.  An event
 * is 18 bytes: is it a write, key, value, did it succeed.
 */
enum { NUMBERS = 5, STRINGS = 3, EVENT_BYTES = 18 };

ESSE_VEC(op_vec, struct esse_op_record)

struct reader {
    struct esse_reading *reading;
    struct esse_source *source;
    struct esse_error *err;
    struct op_vec ops;
    struct esse_zeros zeros;
};

/* ---- reading ---- */

static bool read_number(struct reader *r, const char *what, uint64_t *number)
{
    if (!esse_binary_need(r->source, 8, what, r->err))
        return false;
    *number = (uint64_t)esse_binary_le64(r->source->at);
    r->source->at += 8;
    return true;
}

/* A length is believed only as far as there are bytes. */
static bool skip_string(struct reader *r)
{
    uint64_t length;
    if (!read_number(r, "the length of a string", &length))
        return false;
    while (length) {
        if (!esse_binary_need(r->source, 1, "a string", r->err))
            return false;
        const uint64_t room = (uint64_t)(r->source->end - r->source->at);
        const uint64_t step = length < room ? length : room;
        r->source->at += step;
        length -= step;
    }
    return true;
}

static bool read_flag(struct reader *r, const char *place, const char *what, bool *flag)
{
    *flag = *place == 1;
    return *flag || *place == 0 ||
           esse_binary_fail(r->source, r->err, place, "found %u, expected 0 or 1: %s",
                            (unsigned char)*place, what);
}

static bool read_event(struct reader *r)
{
    struct esse_values *values = r->reading->sink->values;
    struct esse_op_record op = { .begin = ESSE_NO_TIME, .end = ESSE_NO_TIME };
    bool is_write, succeeded;
    if (!esse_binary_need(r->source, EVENT_BYTES, "an event of 18 bytes", r->err))
        return false;
    const char *at = r->source->at;
    if (!read_flag(r, at, "is the event a write", &is_write) ||
        !read_flag(r, at + 17, "did the event succeed", &succeeded))
        return false;
    op.key = esse_value_int(values, esse_binary_le64(at + 1));
    op.value = esse_value_int(values, esse_binary_le64(at + 9));
    op.kind = is_write ? ESSE_OP_WRITE : ESSE_OP_READ;
    r->source->at += EVENT_BYTES;
    if (succeeded)
        op_vec_push(&r->ops, r->source->arena, op);
    else
        esse_builder_warn(r->reading->builder, "events that failed were skipped", 0);
    return true;
}

static bool read_txn(struct reader *r, uint64_t session)
{
    struct esse_sink *sink = r->reading->sink;
    struct esse_txn_record txn = esse_txn_record_empty();
    uint64_t events;
    bool committed;
    r->ops.count = 0;
    if (!read_number(r, "the number of a transaction's events", &events))
        return false;
    for (uint64_t i = 0; i < events; i++)
        if (!read_event(r))
            return false;
    if (!esse_binary_need(r->source, 1, "a transaction", r->err) ||
        !read_flag(r, r->source->at, "did the transaction commit", &committed))
        return false;
    r->source->at++;
    txn.session = esse_value_int(sink->values, (int64_t)session);
    txn.status = committed ? ESSE_COMMITTED : ESSE_ABORTED;
    txn.ops = r->ops.at;
    txn.op_count = r->ops.count;
    for (size_t i = 0; committed && i < txn.op_count; i++)
        esse_zeros_see(&r->zeros, r->source->arena, &txn.ops[i]);
    return sink->txn(sink, &txn, r->err);
}

static bool read_session(struct reader *r, uint64_t session)
{
    uint64_t txns;
    if (!read_number(r, "the number of a session's transactions", &txns))
        return false;
    for (uint64_t i = 0; i < txns; i++)
        if (!read_txn(r, session))
            return false;
    return true;
}

static bool read_dbcop(struct esse_reading *reading, struct esse_error *err)
{
    struct reader r = { .reading = reading, .source = reading->source, .err = err };
    uint64_t number, sessions;
    bool ok;
    for (int i = 0; i < NUMBERS; i++)
        if (!read_number(&r, "the five numbers at its head", &number))
            return false;
    for (int i = 0; i < STRINGS; i++)
        if (!skip_string(&r))
            return false;
    if (!read_number(&r, "the number of sessions", &sessions))
        return false;
    for (uint64_t i = 0; i < sessions; i++)
        if (!read_session(&r, i))
            return false;
    if (!esse_binary_at_end(r.source, &ok, err) && ok)
        return esse_binary_fail(r.source, err, r.source->at,
                                "bytes after the last session; expected the end of the file");
    return ok && esse_zeros_send(&r.zeros, r.source->arena, reading->sink, true, err) &&
           reading->sink->finish(reading->sink, err);
}

/* The strings show it: the second and the third are times, which start with a year. */
static bool looks_like_dbcop(const char *at, const char *end)
{
    if (end - at < NUMBERS * 8)
        return false;
    at += NUMBERS * 8;
    for (int i = 0; i < STRINGS; i++) {
        if (end - at < 8)
            return false;
        const uint64_t length = (uint64_t)esse_binary_le64(at);
        at += 8;
        if (length > (uint64_t)(end - at))
            return false;
        if (i > 0 && (length < 5 || at[0] < '0' || at[0] > '9' || at[4] != '-'))
            return false;
        at += length;
    }
    return true;
}

/* ---- writing ---- */

ESSE_VEC(key_vec, int64_t)

/* The numbers at the head are known last, so sessions are kept until the end. */
struct writer {
    struct esse_registers registers; /* first: its sink is this writer's */
    struct esse_out *out;
    struct key_vec keys;
    struct esse_index key_index;
    uint64_t txns, events;
};

static void put_number(struct esse_out *out, uint64_t number)
{
    const uint64_t word = htole64(number);
    char bytes[8];
    memcpy(bytes, &word, sizeof bytes);
    esse_out_bytes(out, bytes, sizeof bytes);
}

static void put_string(struct esse_out *out, const char *text)
{
    put_number(out, strlen(text));
    esse_out_text(out, text);
}

static void count_key(struct writer *w, int64_t key)
{
    const uint32_t hash = esse_hash_word((uint64_t)key);
    struct esse_probe probe = esse_index_probe(&w->key_index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (w->keys.at[id] == key)
            return;
    esse_index_add(&w->key_index, w->registers.arena, hash, (uint32_t)w->keys.count);
    key_vec_push(&w->keys, w->registers.arena, key);
}

static void put_event(struct writer *w, struct esse_out *out, const struct esse_register_op *op)
{
    count_key(w, op->key);
    esse_out_char(out, op->is_write);
    put_number(out, (uint64_t)op->key);
    put_number(out, (uint64_t)op->value);
    esse_out_char(out, true);
}

static bool put_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                    struct esse_error *err)
{
    struct writer *w = (struct writer *)sink;
    const struct esse_register_ops *ops = &w->registers.ops;
    if (!esse_registers_take(&w->registers, txn, err))
        return false;
    if (!esse_value_eq(txn->name, ESSE_NONE) &&
        !esse_lossy_drops(&w->registers.to, "transaction ids", err))
        return false;
    struct esse_register_log *log = esse_registers_log(&w->registers);
    put_number(&log->out, ops->count);
    for (size_t i = 0; i < ops->count; i++)
        put_event(w, &log->out, &ops->at[i]);
    esse_out_char(&log->out, txn->status != ESSE_ABORTED);
    log->txns++;
    w->txns++;
    w->events += ops->count;
    return true;
}

static void put_head(struct writer *w)
{
    const uint64_t sessions = w->registers.logs.count;
    const uint64_t numbers[NUMBERS] = { 0, sessions, w->keys.count, w->txns, w->events };
    static const char epoch[] = "1970-01-01T00:00:00Z"; /* same history, same bytes */
    for (int i = 0; i < NUMBERS; i++)
        put_number(w->out, numbers[i]);
    put_string(w->out, "written by esse");
    put_string(w->out, epoch);
    put_string(w->out, epoch);
    put_number(w->out, sessions);
}

static bool finish(struct esse_sink *sink, struct esse_error *err)
{
    struct writer *w = (struct writer *)sink;
    const struct esse_register_logs *logs = &w->registers.logs;
    if (!esse_registers_check_initial(&w->registers, err))
        return false;
    esse_registers_sort_logs(&w->registers);
    for (size_t i = 0; i < logs->count; i++)
        if (logs->at[i].session != (int64_t)i &&
            !esse_lossy_drops(&w->registers.to, "sessions that are not numbered 0, 1, 2 ...", err))
            return false;
    put_head(w);
    for (size_t i = 0; i < logs->count; i++) {
        put_number(w->out, logs->at[i].txns);
        esse_out_bytes(w->out, logs->at[i].out.buffer, logs->at[i].out.count);
    }
    return true;
}

static struct esse_sink *dbcop_writer(struct esse_arena *arena, struct esse_values *values,
                                      struct esse_out *out, bool lossy)
{
    struct writer *w = esse_arena_alloc(arena, 1, sizeof *w);
    esse_registers_init(&w->registers, arena, values, "the DBCop format", ESSE_INITIAL_BY_0, lossy);
    w->registers.to.sink.txn = put_txn;
    w->registers.to.sink.finish = finish;
    w->out = out;
    return &w->registers.to.sink;
}

const struct esse_format esse_format_dbcop = {
    .name = "dbcop",
    .summary = "DBCop's history.bincode, which PolySI and VeriStrong read too",
    .extensions = ".bincode",
    .in_directory = "history.bincode",
    .is_binary = true,
    .sniff = looks_like_dbcop,
    .read = read_dbcop,
    .writer = dbcop_writer,
};
