#include "base/arena.h"
#include "base/hash.h"
#include "formats/jepsen.h"
#include "formats/lossy.h"
#include "history/value_edn.h"

#include <stdlib.h>
#include <string.h>

/*
 * An invocation or a completion that waits for its place in the order.  At one time invocations
 * come first, because transactions that only touch are concurrent; but a session's next
 * transaction comes after its last one, and 'phase' counts how often that happened at one time.
 */
struct line {
    int64_t time;
    uint64_t from, length; /* in 'kept', without the index and the bracket before it */
    uint32_t session;
    uint32_t phase;
    uint32_t txn;   /* that it completes, counted from 1 as they came; 0 of an invocation */
    bool has_clock; /* the line says its :time itself */
};

struct session {
    esse_value name;
    int64_t process;
    int64_t last_start, last_end; /* ESSE_NO_TIME, the least, at first */
    uint32_t last_phase;
    bool goes_on_last; /* its last transaction is completed behind all times, when is not known */
    bool is_open; /* its last transaction was invoked and not completed; it is by 'closing', ... */
    struct line closing; /* ... if the session goes on */
    uint32_t goes_on_as; /* another process, by its number in 'sessions'; NO_SESSION: this one */
};

#define NO_SESSION      UINT32_MAX
#define MADE_UP_SESSION (UINT32_MAX - 1)

ESSE_VEC(line_vec, struct line)
ESSE_VEC(session_vec, struct session)

#define HEAD_TIME (ESSE_NO_TIME + 1) /* before everything: the initial state */

struct writer {
    struct esse_lossy to;
    struct esse_arena *arena;
    struct esse_out *out;
    bool has_lists, has_registers;
    bool has_rows; /* initial values, deletes or predicates: what makes it closed-predicate */
    bool in_version_order; /* as the versions of closed-predicate histories are */
    uint32_t txns;
    bool indexed;     /* every time so far is the index of an operation */
    uint64_t written; /* lines that went out */
    uint64_t heads;   /* lines about the initial state */
    struct esse_out kept;
    struct line_vec lines;
    struct session_vec sessions;
    struct esse_index session_index;
    int64_t renamed; /* sessions that were given a number */
};

static struct writer *writer_of(struct esse_sink *sink)
{
    return (struct writer *)sink;
}

static bool lost(const struct writer *w, const char *what, struct esse_error *err)
{
    return esse_lossy_drops(&w->to, what, err);
}

static void put_value(const struct writer *w, struct esse_out *out, esse_value value)
{
    if (esse_value_tag(value) == ESSE_TAG_INT)
        esse_out_i64(out, (int64_t)value.word >> 3);
    else
        esse_value_put_edn(out, w->to.sink.values, value);
}

/* ---- sessions ---- */

static const struct session new_session = { .last_start = ESSE_NO_TIME,
                                            .last_end = ESSE_NO_TIME,
                                            .goes_on_as = NO_SESSION };

static int64_t new_process(struct writer *w)
{
    enum { FIRST_MADE_UP = 1000000000 }; /* far from the numbers that clients have */
    return FIRST_MADE_UP + w->renamed++;
}

static uint32_t session_of(struct writer *w, esse_value name)
{
    uint32_t hash = esse_hash_word(name.word), id;
    struct esse_probe probe = esse_index_probe(&w->session_index, hash);
    while (esse_probe_next(&probe, &id))
        if (esse_value_eq(w->sessions.at[id].name, name)) {
            while (w->sessions.at[id].goes_on_as != NO_SESSION)
                id = w->sessions.at[id].goes_on_as;
            return id;
        }
    struct session session = new_session;
    session.name = name;
    if (!esse_value_as_int(w->to.sink.values, name, &session.process))
        session.process = new_process(w);
    id = (uint32_t)w->sessions.count;
    session_vec_push(&w->sessions, w->arena, session);
    esse_index_add(&w->session_index, w->arena, hash, id);
    return id;
}

/* From here on the session is another process: what came before is not in its order, and may stay
 * open. */
static uint32_t split_session(struct writer *w, uint32_t id)
{
    struct session session = new_session;
    session.name = w->sessions.at[id].name;
    session.process = new_process(w);
    w->sessions.at[id].goes_on_as = (uint32_t)w->sessions.count;
    session_vec_push(&w->sessions, w->arena, session);
    return w->sessions.at[id].goes_on_as;
}

/* A session that the reader made up, ?0 or ?1, for a completion without a process. */
static bool is_made_up(const struct writer *w, const struct esse_txn_record *txn)
{
    char room[8];
    if (txn->start != ESSE_NO_TIME || txn->end == ESSE_NO_TIME ||
        esse_value_kind(w->to.sink.values, txn->session) != ESSE_KIND_STRING)
        return false;
    struct esse_span text = esse_value_text(w->to.sink.values, txn->session, room);
    return text.length > 1 && text.at[0] == '?' && text.at[1] >= '0' && text.at[1] <= '9';
}

/* ---- predicates ---- */

static bool scan_int(const char **at, const char *end)
{
    const char *from = *at, *c = from;
    c += c < end && *c == '-';
    const char *digits = c;
    while (c < end && *c >= '0' && *c <= '9')
        c++;
    *at = c;
    return c > digits && c - digits <= 18 && !(*digits == '0' && c - from > 1);
}

/* 'it''s' between at and end becomes "it's". */
static bool put_sql_string(struct esse_out *out, struct esse_arena *arena, const char *at,
                           const char *end)
{
    if (end - at < 2 || *at != '\'' || end[-1] != '\'')
        return false;
    char *text = esse_arena_grow(arena, NULL, (size_t)(end - at));
    size_t length = 0;
    bool ok = true;
    for (at++, end--; ok && at < end; at++) {
        if (*at == '\'')
            ok = ++at < end && *at == '\'';
        text[length++] = *at;
    }
    if (ok)
        esse_out_edn(out, text, length);
    esse_arena_drop(arena, text);
    return ok;
}

/* The three predicates that Elle knows, as the reader words them.  False, with nothing put, for
 * any other. */
static bool put_predicate(struct writer *w, struct esse_out *out, esse_value sql)
{
    char room[8];
    struct esse_span text = esse_value_text(w->to.sink.values, sql, room);
    const char *at = text.at, *end = at + text.length;
    const size_t count = out->count;
    if (text.length == 4 && memcmp(at, "TRUE", 4) == 0) {
        esse_out_text(out, ":true");
        return true;
    }
    if (text.length > 4 && memcmp(at, "v = ", 4) == 0) {
        const char *value = at += 4;
        esse_out_text(out, "[:= ");
        if (scan_int(&at, end) && at == end)
            esse_out_bytes(out, value, (size_t)(end - value));
        else if (!put_sql_string(out, w->arena, value, end))
            goto other;
        esse_out_char(out, ']');
        return true;
    }
    if (text.length > 4 && memcmp(at, "v % ", 4) == 0) {
        const char *modulus = at += 4;
        if (!scan_int(&at, end) || end - at < 4 || memcmp(at, " = ", 3) != 0)
            goto other;
        const size_t length = (size_t)(at - modulus);
        const char *rest = at += 3;
        if (!scan_int(&at, end) || at != end)
            goto other;
        esse_out_text(out, "[:mod ");
        esse_out_bytes(out, modulus, length);
        esse_out_char(out, ' ');
        esse_out_bytes(out, rest, (size_t)(end - rest));
        esse_out_char(out, ']');
        return true;
    }
other:
    out->count = count;
    return false;
}

static void put_rows(const struct writer *w, struct esse_out *out, const struct esse_row *rows,
                     size_t first, size_t count)
{
    esse_out_char(out, '{');
    for (size_t i = first; i < first + count; i++) {
        if (i > first)
            esse_out_text(out, ", ");
        put_value(w, out, rows[i].key);
        esse_out_char(out, ' ');
        put_value(w, out, rows[i].value);
    }
    esse_out_char(out, '}');
}

/* ---- micro-operations ---- */

static bool is_unread(const struct esse_op_record *op)
{
    return op->kind == ESSE_OP_READ && !op->is_list && esse_value_eq(op->value, ESSE_NONE);
}

/* Whether the operation goes into the file; fails where it does not but should. */
static bool keeps_op(struct writer *w, const struct esse_txn_record *txn,
                     const struct esse_op_record *op, bool unread, bool *keeps,
                     struct esse_error *err)
{
    *keeps = true;
    if (op->begin != ESSE_NO_TIME && !lost(w, "the interval of an operation", err))
        return false;
    if (op->has_vset && !lost(w, "version sets", err))
        return false;
    if (!esse_value_eq(op->snapshot, ESSE_NONE) && !lost(w, "the snapshot of an operation", err))
        return false;
    if (op->has_result) {
        *keeps = false;
        return lost(w, "what a statement returned (result)", err);
    }
    if (op->kind == ESSE_OP_PREDICATE_UPDATE) {
        *keeps = false;
        return lost(w, "predicate updates", err);
    }
    if (op->kind == ESSE_OP_PREDICATE_READ) {
        struct esse_out trial;
        esse_out_init_memory(&trial, w->arena);
        *keeps = put_predicate(w, &trial, op->key);
        esse_arena_drop(w->arena, trial.buffer);
        return *keeps || lost(w, "SQL predicates other than Elle's three", err);
    }
    if (is_unread(op) && txn->status == ESSE_COMMITTED && !unread) {
        *keeps = false;
        return lost(w, "a committed transaction of which only some reads have a result", err);
    }
    if (op->kind == ESSE_OP_READ && !op->is_list && esse_value_eq(op->value, ESSE_NIL) &&
        txn->status == ESSE_UNKNOWN_OUTCOME)
        return lost(w, "an absent value that a transaction of unknown outcome read", err);
    return true;
}

static void put_op(struct writer *w, struct esse_out *out, const struct esse_txn_record *txn,
                   const struct esse_op_record *op, bool results)
{
    static const char *const names[] = { "[:r ", "[:w ", "[:append ", "[:delete ", "[:rp " };
    esse_out_text(out, names[op->kind]);
    if (op->kind == ESSE_OP_PREDICATE_READ) {
        put_predicate(w, out, op->key);
        esse_out_char(out, ' ');
        if (results)
            put_rows(w, out, txn->rows, op->first, op->count);
        else
            esse_out_text(out, "nil");
        esse_out_char(out, ']');
        return;
    }
    put_value(w, out, op->key);
    if (op->kind == ESSE_OP_DELETE) {
        esse_out_char(out, ']');
        return;
    }
    esse_out_char(out, ' ');
    if (op->kind == ESSE_OP_READ && !results) {
        esse_out_text(out, "nil");
    } else if (op->is_list) {
        esse_out_char(out, '[');
        for (size_t i = 0; i < op->count; i++) {
            if (i)
                esse_out_char(out, ' ');
            put_value(w, out, txn->items[op->first + i]);
        }
        esse_out_char(out, ']');
    } else {
        put_value(w, out, op->value);
    }
    esse_out_char(out, ']');
}

/* A history is of lists or of registers, and where it is of registers a list is one value. */
static bool note_kind(struct writer *w, const struct esse_op_record *op, struct esse_error *err)
{
    if (op->kind == ESSE_OP_DELETE || esse_op_is_predicate(op->kind))
        w->has_rows = true;
    if (op->kind == ESSE_OP_APPEND || op->is_list)
        w->has_lists = true;
    else if (op->kind != ESSE_OP_READ || !(is_unread(op) || esse_value_eq(op->value, ESSE_NIL)))
        w->has_registers = true;
    return !(w->has_lists && w->has_registers) || lost(w, "both lists and registers", err);
}

/* A committed transaction of which no read has a result: the reader says so by :value nil. */
static bool nothing_read(const struct esse_txn_record *txn)
{
    bool unread = false;
    for (size_t i = 0; i < txn->op_count; i++) {
        const struct esse_op_record *op = &txn->ops[i];
        if (op->kind == ESSE_OP_PREDICATE_READ || (op->kind == ESSE_OP_READ && !is_unread(op)))
            return false;
        unread |= is_unread(op);
    }
    return unread && txn->status == ESSE_COMMITTED;
}

static bool put_ops(struct writer *w, struct esse_out *out, const struct esse_txn_record *txn,
                    bool results, struct esse_error *err)
{
    const bool unread = nothing_read(txn);
    if (unread && results) {
        esse_out_text(out, "nil");
        return true;
    }
    bool first = true, keeps;
    esse_out_char(out, '[');
    for (size_t i = 0; i < txn->op_count; i++) {
        if (!note_kind(w, &txn->ops[i], err) ||
            !keeps_op(w, txn, &txn->ops[i], unread, &keeps, err))
            return false;
        if (!keeps)
            continue;
        if (!first)
            esse_out_char(out, ' ');
        first = false;
        put_op(w, out, txn, &txn->ops[i], results);
    }
    esse_out_char(out, ']');
    return true;
}

/* ---- lines ---- */

/* A member of this name that came from another file. */
static bool has_txn_member(const struct esse_txn_record *txn)
{
    for (size_t i = 0; i < txn->extra_count; i++)
        if (txn->extras[i].name.length == 4 && memcmp(txn->extras[i].name.at, ":txn", 4) == 0)
            return true;
    return false;
}

static void put_extras(struct writer *w, struct esse_out *out, const struct esse_txn_record *txn)
{
    int64_t number;
    const int64_t own = txn->end == ESSE_NO_TIME ? txn->start : txn->end;
    if (!esse_value_eq(txn->name, ESSE_NONE) && !has_txn_member(txn) &&
        !(esse_value_as_int(w->to.sink.values, txn->name, &number) && number == own)) {
        esse_out_text(out, ", :txn ");
        put_value(w, out, txn->name);
    }
    for (size_t i = 0; i < txn->extra_count; i++) {
        esse_out_text(out, ", ");
        esse_out_bytes(out, txn->extras[i].name.at, txn->extras[i].name.length);
        esse_out_char(out, ' ');
        esse_out_bytes(out, txn->extras[i].text.at, txn->extras[i].text.length);
    }
}

enum part { INVOCATION = 1, COMPLETION = 2 };

/* The line after its index.  The transaction's last line carries its other members. */
static bool put_line(struct writer *w, struct esse_out *out, const struct esse_txn_record *txn,
                     enum part part, enum part last, struct esse_error *err)
{
    static const char *const types[] = { ":ok", ":fail", ":info" };
    const int64_t clock = part == INVOCATION ? txn->wall_start : txn->wall_end;
    if (clock != ESSE_NO_TIME) {
        esse_out_text(out, ":time ");
        esse_out_i64(out, clock);
        esse_out_text(out, ", ");
    }
    esse_out_text(out, ":type ");
    esse_out_text(out, part == INVOCATION ? ":invoke" : types[txn->status]);
    if (!is_made_up(w, txn)) {
        const uint32_t session = session_of(w, txn->session);
        esse_out_text(out, ", :process ");
        esse_out_i64(out, w->sessions.at[session].process);
    }
    esse_out_text(out, ", :f :txn, :value ");
    if (!put_ops(w, out, txn, part == COMPLETION, err))
        return false;
    if (part == last)
        put_extras(w, out, txn);
    esse_out_text(out, "}\n");
    return true;
}

static void put_index(struct esse_out *out, int64_t index)
{
    esse_out_text(out, "{:index ");
    esse_out_i64(out, index);
    esse_out_text(out, ", ");
}

static bool keep_line(struct writer *w, const struct esse_txn_record *txn, struct line *line,
                      enum part part, enum part last, struct esse_error *err)
{
    line->from = w->kept.count;
    line->has_clock = (part == INVOCATION ? txn->wall_start : txn->wall_end) != ESSE_NO_TIME;
    if (!put_line(w, &w->kept, txn, part, last, err))
        return false;
    line->length = w->kept.count - line->from;
    return true;
}

/* Why the transaction does not come next in its session when the lines are read in their order;
 * NULL if it does. */
static const char *lost_order(const struct session *session, const struct esse_txn_record *txn)
{
    const bool started = txn->start != ESSE_NO_TIME, ended = txn->end != ESSE_NO_TIME;
    if (session->goes_on_last && (started || ended))
        return "a session in which a transaction without times, or without an end, comes before "
               "one with times";
    const bool starts_early =
        started && txn->start < (session->is_open ? session->last_end : session->last_start);
    return starts_early || (ended && txn->end < session->last_end)
               ? "a session whose transactions start or end in another order"
               : NULL;
}

/* The session goes on at 'time': its open invocation, which never returned, is completed. */
static void close_open(struct writer *w, struct session *session, int64_t time)
{
    if (!session->is_open)
        return;
    session->closing.time = time;
    session->closing.phase = time == session->last_end ? session->last_phase : 0;
    line_vec_push(&w->lines, w->arena, session->closing);
    session->is_open = false;
}

/* A transaction of which nothing was learnt, not even what one of its reads returned. */
static bool is_silent(const struct esse_txn_record *txn)
{
    for (size_t i = 0; i < txn->op_count; i++)
        if (txn->ops[i].kind == ESSE_OP_PREDICATE_READ ||
            (txn->ops[i].kind == ESSE_OP_READ && !is_unread(&txn->ops[i])))
            return false;
    return txn->status == ESSE_UNKNOWN_OUTCOME && txn->end == ESSE_NO_TIME;
}

static bool keep_invocation(struct writer *w, const struct esse_txn_record *txn,
                            struct session *session, struct line *line, struct esse_error *err)
{
    const enum part last = is_silent(txn) ? INVOCATION : COMPLETION;
    if (txn->start == ESSE_NO_TIME)
        return true;
    line->time = txn->start;
    line->phase = txn->start == session->last_end ? session->last_phase + 1 : 0;
    if (!keep_line(w, txn, line, INVOCATION, last, err))
        return false;
    line_vec_push(&w->lines, w->arena, *line);
    session->last_start = txn->start;
    return true;
}

/* The invocation stays open.  Its completion is kept aside, for the case that the session goes on.
 */
static bool keep_open(struct writer *w, const struct esse_txn_record *txn, struct session *session,
                      struct line *line, struct esse_error *err)
{
    const uint32_t phase = line->phase;
    line->txn = w->txns;
    if (!keep_line(w, txn, line, COMPLETION, INVOCATION, err))
        return false;
    session->is_open = true;
    session->closing = *line;
    if (session->last_end < txn->start) {
        session->last_end = txn->start;
        session->last_phase = phase;
    }
    return true;
}

/* Where it is not known when a transaction ended, nothing may start later: its completion stands
 * behind all times.  One that is not known to have started either has no invocation, and then it
 * comes before or after nothing in real time. */
static bool keep_completion(struct writer *w, const struct esse_txn_record *txn,
                            struct session *session, struct line *line, struct esse_error *err)
{
    const bool at_once = txn->start != ESSE_NO_TIME && txn->end == txn->start;
    const uint32_t phase = at_once ? line->phase + 1 : 1;
    line->txn = w->txns;
    line->time = txn->end == ESSE_NO_TIME ? INT64_MAX : txn->end;
    line->phase = line->time == session->last_end && phase < session->last_phase
                      ? session->last_phase
                      : phase;
    if (!keep_line(w, txn, line, COMPLETION, COMPLETION, err))
        return false;
    line_vec_push(&w->lines, w->arena, *line);
    session->goes_on_last = txn->end == ESSE_NO_TIME;
    session->last_end = txn->end;
    session->last_phase = line->phase;
    return true;
}

/* Its session, or another process in its place if the order there cannot be kept. */
static bool find_session(struct writer *w, const struct esse_txn_record *txn, uint32_t *id,
                         struct esse_error *err)
{
    *id = session_of(w, txn->session);
    const char *what = lost_order(&w->sessions.at[*id], txn);
    if (what && !lost(w, what, err))
        return false;
    if (what)
        *id = split_session(w, *id);
    return true;
}

static bool keep_txn(struct writer *w, const struct esse_txn_record *txn, struct esse_error *err)
{
    struct session alone = new_session;
    struct line line = { .session = MADE_UP_SESSION };
    if (!is_made_up(w, txn) && !find_session(w, txn, &line.session, err))
        return false;
    struct session *session =
        line.session == MADE_UP_SESSION ? &alone : &w->sessions.at[line.session];
    w->txns++;
    close_open(w, session,
               txn->start != ESSE_NO_TIME ? txn->start
               : txn->end != ESSE_NO_TIME ? txn->end
                                          : INT64_MAX);
    if (!keep_invocation(w, txn, session, &line, err))
        return false;
    const bool stays_open = txn->start != ESSE_NO_TIME && is_silent(txn);
    return (stays_open ? keep_open : keep_completion)(w, txn, session, &line, err);
}

/* ---- records ---- */

static bool put_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                    struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    int64_t number;
    if ((txn->start_ts != ESSE_NO_TIME || txn->commit_ts != ESSE_NO_TIME) &&
        !lost(w, "server timestamps", err))
        return false;
    if (txn->xid != ESSE_NO_TIME && !lost(w, "the database's numbers of transactions (xid)", err))
        return false;
    if (!esse_value_as_int(w->to.sink.values, txn->session, &number) && !is_made_up(w, txn) &&
        !lost(w, "sessions that are not integers", err))
        return false;
    const int64_t own = txn->end == ESSE_NO_TIME ? txn->start : txn->end;
    w->indexed = w->indexed && own != ESSE_NO_TIME &&
                 (txn->end != ESSE_NO_TIME || is_silent(txn)) &&
                 esse_value_as_int(w->to.sink.values, txn->name, &number) && number == own;
    return keep_txn(w, txn, err);
}

static bool put_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                     struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    static const char *const types[] = { ":invoke", ":ok" };
    w->has_registers = w->has_rows = true;
    if (w->has_lists && w->has_registers && !lost(w, "both lists and registers", err))
        return false;
    const bool at_once = !w->lines.count;
    for (int i = 0; i < 2; i++) {
        struct esse_out *out = at_once ? w->out : &w->kept;
        const size_t from = out->count;
        if (at_once)
            put_index(out, (int64_t)w->written++);
        esse_out_f(out, ":type %s, :process 0, :f :init, :value ", types[i]);
        put_rows(w, out, rows, 0, count);
        esse_out_text(out, "}\n");
        w->heads++;
        if (!at_once)
            line_vec_push(&w->lines, w->arena,
                          (struct line){ .time = HEAD_TIME,
                                         .from = from,
                                         .length = out->count - from,
                                         .has_clock = true });
    }
    return true;
}

static bool put_header(struct esse_sink *sink, const struct esse_header_record *header,
                       struct esse_error *err)
{
    (void)err;
    sink->dropped |= esse_header_tells(header);
    writer_of(sink)->in_version_order = header->in_version_order;
    return true;
}

/* ---- the end ---- */

static int by_time(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* Whether the kept times can be the indexes: they ascend, above the lines that went out before. */
static bool can_index(const struct writer *w)
{
    if (!w->indexed)
        return false;
    int64_t last = (int64_t)w->heads - 1;
    for (size_t i = 0; i < w->lines.count; i++) {
        if (w->lines.at[i].time == HEAD_TIME)
            continue;
        if (w->lines.at[i].time <= last)
            return false;
        last = w->lines.at[i].time;
    }
    return true;
}

/*
 * Transactions that touch are concurrent, and so they stay, with one exception that no file of
 * Jepsen's can hold: one session goes on at the very time at which another one's transaction ends.
 */
static bool check_ties(struct writer *w, struct esse_error *err)
{
    int64_t time = ESSE_NO_TIME;
    uint32_t ended = NO_SESSION; /* whose transaction ended at this time, ... */
    bool many = false;           /* ... or those of several did */
    for (size_t i = 0; i < w->lines.count; i++) {
        const struct line *line = &w->lines.at[i];
        if (line->time != time) {
            time = line->time;
            ended = NO_SESSION;
            many = false;
        }
        const bool late = line->phase >= 2;
        if (late && (many || (ended != NO_SESSION && ended != line->session)))
            return lost(w, "sessions that go on at the time at which another's transaction ends",
                        err);
        if (line->phase % 2 == 1) {
            many = many || (ended != NO_SESSION && ended != line->session);
            ended = line->session;
        }
    }
    return true;
}

/* Whether the transactions will be read in the order in which they came: as they are completed, and
 * then those that never were, as they were invoked. */
static bool is_in_order(struct writer *w)
{
    struct line_vec open = { 0 };
    uint32_t last = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < w->lines.count; i++) {
        ok = !w->lines.at[i].txn || w->lines.at[i].txn > last;
        last = w->lines.at[i].txn ? w->lines.at[i].txn : last;
    }
    for (size_t i = 0; i < w->sessions.count; i++)
        if (w->sessions.at[i].is_open)
            line_vec_push(&open, w->arena, w->sessions.at[i].closing);
    if (open.count)
        qsort(open.at, open.count, sizeof *open.at, by_time);
    for (size_t i = 0; ok && i < open.count; last = open.at[i++].txn)
        ok = open.at[i].txn > last;
    line_vec_drop(&open, w->arena);
    return ok;
}

/* In a closed-predicate history, and in no other, the versions of a key are in the order of the
 * file: that must be so, and be said. */
static bool settle_workload(struct writer *w, struct esse_error *err)
{
    if (w->has_rows && !w->in_version_order)
        return lost(w,
                    "initial values, deletes or predicates of a history whose versions need not be "
                    "in the order of the file",
                    err);
    return w->has_rows || !w->in_version_order || put_init(&w->to.sink, NULL, 0, err);
}

static bool finish(struct esse_sink *sink, struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    if (!settle_workload(w, err))
        return false;
    if (w->lines.count)
        qsort(w->lines.at, w->lines.count, sizeof *w->lines.at, by_time);
    if (!check_ties(w, err))
        return false;
    if (w->in_version_order && !is_in_order(w) &&
        !lost(w, "versions in another order than that in which transactions end", err))
        return false;
    const bool indexed = can_index(w);
    for (size_t i = 0; i < w->lines.count; i++) {
        const struct line *line = &w->lines.at[i];
        int64_t number = (int64_t)w->written++;
        put_index(w->out, indexed && line->time != HEAD_TIME ? line->time : number);
        if (!indexed && !line->has_clock && line->time != INT64_MAX) {
            esse_out_text(w->out, ":time ");
            esse_out_i64(w->out, line->time);
            esse_out_text(w->out, ", ");
        }
        esse_out_bytes(w->out, w->kept.buffer + line->from, line->length);
    }
    line_vec_drop(&w->lines, w->arena);
    esse_arena_drop(w->arena, w->kept.buffer);
    esse_out_init_memory(&w->kept, w->arena);
    return true;
}

struct esse_sink *esse_jepsen_writer(struct esse_arena *arena, struct esse_values *values,
                                     struct esse_out *out, bool lossy)
{
    struct writer *w = esse_arena_alloc(arena, 1, sizeof *w);
    esse_lossy_init(&w->to, values, "Jepsen EDN", lossy);
    w->to.sink.header = put_header;
    w->to.sink.init = put_init;
    w->to.sink.txn = put_txn;
    w->to.sink.finish = finish;
    w->arena = arena;
    w->out = out;
    w->indexed = true;
    esse_out_init_memory(&w->kept, arena);
    return &w->to.sink;
}
