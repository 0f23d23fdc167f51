#include "base/guard.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "formats/plume.h"
#include "formats/portions.h"
#include "formats/text.h"
#include "formats/zeros.h"

#include <assert.h>
#include <string.h>

/*
 * One operation a line, r(KEY,VALUE,SESSION,TXN) or w(...).  Lines of different sessions may be
 * interleaved in any way, so a transaction is known to be complete only when its session goes on to
 * the next one, or at the end.
 *
 * Transactions are sent in the order of their first lines as long as that holds back few
 * operations.  In a large file with one session after the other the last transaction of a session
 * is held back to the very end; then the others overtake it, which changes no session's order.  If
 * what waits is of several sessions, the file is not of that kind but a session pauses: then its
 * transaction keeps its place for much longer, because the order of the lines may be that of the
 * commits, and one that is out of place makes a check slower.
 */
enum { MOST_WAITING = 4096, MOST_WAITING_MIXED = 1 << 20 };

/* A third of a record's size: what waits should stay in the cache. */
struct op {
    esse_value key, value;
    enum esse_op_kind kind;
};
ESSE_VEC(op_vec, struct op)
ESSE_VEC(record_vec, struct esse_op_record)

struct held {
    struct held *next; /* in the queue, or among the free */
    esse_value session;
    int64_t txn;
    uint64_t line;
    struct op_vec ops;
    bool is_complete, is_late; /* late: others have overtaken it, and it left the queue */
};

struct session {
    esse_value name;
    struct held *open;
};
ESSE_VEC(session_vec, struct session)

struct scanner {
    struct esse_text text;
    struct esse_values *values;
    uint64_t owner[2], owner_mask[2]; /* how the last line ended, ",SESSION,TXN)" and a newline */
    size_t owner_length;              /* 0: not known, or longer than that */
};

struct reader {
    struct scanner scanner;
    struct esse_reading *reading;
    struct esse_arena *arena;
    struct session_vec sessions;
    struct esse_index session_index;
    struct held *first, *last, *free;
    size_t waiting;       /* operations of complete transactions that are held back */
    esse_value waits;     /* the session of the first of these */
    bool is_mixed;        /* others have come after it */
    struct held *current; /* the transaction of the last line */
    struct record_vec records;
    struct esse_zeros zeros;
    struct esse_error *err;
};

struct line {
    struct op op;
    esse_value session;
    int64_t txn;
    uint64_t number;
};

/* ---- transactions on their way ---- */

static struct held *hold(struct reader *r, const struct line *line)
{
    struct held *held = r->free;
    if (held)
        r->free = held->next;
    else
        held = esse_arena_alloc(r->arena, 1, sizeof *held);
    const struct op_vec ops = { held->ops.at, 0, held->ops.room };
    *held = (struct held){
        .session = line->session, .txn = line->txn, .line = line->number, .ops = ops
    };
    if (r->first)
        r->last->next = held;
    else
        r->first = held;
    return r->last = held;
}

/* The records are used again and again: only what differs between operations is filled in. */
static const struct esse_op_record *records_of(struct reader *r, const struct op_vec *ops)
{
    while (r->records.count < ops->count)
        record_vec_push(&r->records, r->arena,
                        (struct esse_op_record){ .begin = ESSE_NO_TIME, .end = ESSE_NO_TIME });
    for (size_t i = 0; i < ops->count; i++) {
        r->records.at[i].kind = ops->at[i].kind;
        r->records.at[i].key = ops->at[i].key;
        r->records.at[i].value = ops->at[i].value;
    }
    return r->records.at;
}

static bool send(struct reader *r, struct held *held)
{
    struct esse_sink *sink = r->reading->sink;
    struct esse_txn_record txn = esse_txn_record_empty();
    txn.session = held->session;
    txn.line = held->line;
    txn.ops = records_of(r, &held->ops);
    txn.op_count = held->ops.count;
    if (held->txn == ESSE_PLUME_ABORTED) {
        txn.status = ESSE_ABORTED;
    } else {
        txn.name = esse_value_int(sink->values, held->txn);
        for (size_t i = 0; i < txn.op_count; i++)
            esse_zeros_see(&r->zeros, r->arena, &txn.ops[i]);
    }
    held->next = r->free;
    r->free = held;
    return sink->txn(sink, &txn, r->err);
}

/* Sends what stands first and is complete; what holds back too much steps aside. */
static bool drain(struct reader *r)
{
    bool ok = true;
    const size_t most = r->is_mixed ? MOST_WAITING_MIXED : MOST_WAITING;
    while (ok && r->first && (r->first->is_complete || r->waiting > most)) {
        struct held *held = r->first;
        r->first = held->next;
        held->is_late = !held->is_complete;
        if (held->is_complete) {
            r->waiting -= held->ops.count;
            ok = send(r, held);
        }
    }
    return ok;
}

static bool complete(struct reader *r, struct held *held)
{
    if (held == r->current)
        r->current = NULL;
    if (held->is_late)
        return send(r, held);
    held->is_complete = true;
    if (!r->waiting)
        r->waits = held->session;
    r->is_mixed = r->waiting && (r->is_mixed || !esse_value_eq(r->waits, held->session));
    r->waiting += held->ops.count;
    return drain(r);
}

/* At the end: those that were overtaken, and then the queue. */
static bool send_all(struct reader *r)
{
    bool ok = true;
    for (size_t i = 0; ok && i < r->sessions.count; i++)
        if (r->sessions.at[i].open && r->sessions.at[i].open->is_late)
            ok = send(r, r->sessions.at[i].open);
    for (struct held *held = r->first; held; held = held->next) {
        r->waiting += held->is_complete ? 0 : held->ops.count;
        held->is_complete = true;
    }
    return ok && drain(r);
}

/* ---- lines ---- */

static struct session *session_of(struct reader *r, esse_value name)
{
    struct esse_arena *arena = r->arena;
    uint32_t hash = esse_hash_word(name.word), id;
    struct esse_probe probe = esse_index_probe(&r->session_index, hash);
    while (esse_probe_next(&probe, &id))
        if (esse_value_eq(r->sessions.at[id].name, name))
            return &r->sessions.at[id];
    esse_index_add(&r->session_index, arena, hash, (uint32_t)r->sessions.count);
    session_vec_push(&r->sessions, arena, (struct session){ .name = name });
    return &r->sessions.at[r->sessions.count - 1];
}

/* Keeps the bytes from 'from' to 'to', which ends a line, so that two words name them again: a call
 * of memcmp at every line took longer than reading its key. */
static void keep_owner(struct scanner *s, const char *from, const char *to)
{
    s->owner_length = (size_t)(to - from);
    if (s->owner_length > sizeof s->owner || to[-1] != '\n')
        s->owner_length = 0;
    memset(s->owner_mask, 0, sizeof s->owner_mask);
    memset(s->owner_mask, 0xff, s->owner_length);
    memcpy(s->owner, from, sizeof s->owner);
    s->owner[0] &= s->owner_mask[0];
    s->owner[1] &= s->owner_mask[1];
}

static bool is_owner(const struct scanner *s, const char *at)
{
    uint64_t bytes[2];
    memcpy(bytes, at, sizeof bytes);
    return s->owner_length && ((((bytes[0] & s->owner_mask[0]) ^ s->owner[0]) |
                                ((bytes[1] & s->owner_mask[1]) ^ s->owner[1])) == 0);
}

/* ,SESSION,TXN) and the end of the line: mostly the bytes that the line before ended with. */
static bool scan_owner(struct scanner *s, struct line *line)
{
    struct esse_text *text = &s->text;
    const char *from = text->at;
    if (is_owner(s, from)) {
        text->at += s->owner_length;
        esse_source_next_line(text->source, text->at);
        return true;
    }
    s->owner_length = 0; /* the window may end here, after half of the next has been scanned */
    if (!esse_text_char(text, ',', "',' and the session") ||
        !esse_text_value(text, s->values, &line->session) ||
        !esse_text_char(text, ',', "',' and the transaction") || !esse_text_int(text, &line->txn) ||
        !esse_text_char(text, ')', "')'") || !esse_text_line_end(text))
        return false;
    keep_owner(s, from, text->at);
    return true;
}

/* Inlined, as is add_line: a call at every line was a twelfth of all reading. */
static inline __attribute__((always_inline)) bool scan_line(struct scanner *s, struct line *line)
{
    struct esse_text *text = &s->text;
    const char kind = *text->at;
    if (kind != 'r' && kind != 'w')
        return esse_text_expected(text, "an operation: r(...) or w(...)");
    text->at++;
    if (!esse_text_char(text, '(', "'('") || !esse_text_value(text, s->values, &line->op.key) ||
        !esse_text_char(text, ',', "',' and the value") ||
        !esse_text_value(text, s->values, &line->op.value) || !scan_owner(s, line))
        return false;
    line->op.kind = kind == 'r' ? ESSE_OP_READ : ESSE_OP_WRITE;
    return true;
}

/* Which operations of aborted transactions belong together, no line says: each is one alone. */
static bool add_aborted(struct reader *r, const struct line *line)
{
    struct held *held = hold(r, line);
    op_vec_push(&held->ops, r->arena, line->op);
    return complete(r, held);
}

static inline bool is_of_current(const struct reader *r, const struct line *line)
{
    return r->current && r->current->txn == line->txn &&
           esse_value_eq(r->current->session, line->session);
}

/* Makes the transaction of a line, which is not an aborted one, the current one. */
static bool find_txn(struct reader *r, const struct line *line)
{
    struct session *session = session_of(r, line->session);
    if (session->open && session->open->txn != line->txn) {
        if (!complete(r, session->open))
            return false;
        session->open = NULL;
    }
    if (!session->open)
        session->open = hold(r, line);
    r->current = session->open;
    return true;
}

static inline bool add_line(struct reader *r, const struct line *line)
{
    if (line->txn == ESSE_PLUME_ABORTED)
        return add_aborted(r, line);
    if (!is_of_current(r, line) && !find_txn(r, line))
        return false;
    op_vec_push(&r->current->ops, r->arena, line->op);
    return true;
}

/* ---- lines in several threads ---- */

/* Lines of one transaction, one after the other.  Only the first may have made atoms. */
struct run {
    struct line line; /* the first */
    uint32_t atoms;   /* that the portion's pool had by then */
    uint32_t count;   /* of the operations */
};
ESSE_VEC(run_vec, struct run)

struct portion {
    struct esse_arena *arena, *pool;
    struct scanner scanner;
    struct run_vec runs;
    struct op_vec ops;
    struct esse_value_vec atoms; /* those of the pool, in the pool of the whole */
    const char *ends;            /* where scanning ended, and ... */
    uint64_t ends_line;          /* ... its line */
};

static void new_pool(struct portion *portion)
{
    portion->pool = esse_arena_new();
    portion->scanner.values = esse_values_new(portion->pool);
}

static void init_portion(void *context, void *state)
{
    (void)context;
    ((struct portion *)state)->arena = esse_arena_new();
    new_pool(state);
}

static void release_portion(void *context, void *state)
{
    (void)context;
    esse_arena_free(((struct portion *)state)->pool);
    esse_arena_free(((struct portion *)state)->arena);
}

static void add_to_run(struct portion *portion, const struct line *line)
{
    const uint32_t atoms = esse_values_atoms(portion->scanner.values);
    struct run *run = portion->runs.count ? &portion->runs.at[portion->runs.count - 1] : NULL;
    op_vec_push(&portion->ops, portion->arena, line->op);
    if (run && run->line.txn == line->txn && esse_value_eq(run->line.session, line->session) &&
        run->atoms == atoms && line->txn != ESSE_PLUME_ABORTED)
        run->count++;
    else
        run_vec_push(&portion->runs, portion->arena, (struct run){ *line, atoms, 1 });
}

static void scan_portion(void *context, void *state, struct esse_source *lines)
{
    (void)context;
    struct portion *portion = state;
    struct esse_error ignored;
    struct line line;
    bool ok = true;
    portion->scanner.text = (struct esse_text){ lines, &ignored, lines->at };
    portion->scanner.owner_length = 0;
    portion->runs.count = portion->ops.count = 0;
    while (ok && esse_text_next_line(&portion->scanner.text, &ok)) {
        esse_guard_poll();
        line.number = lines->mark_line;
        ok = scan_line(&portion->scanner, &line);
        if (ok)
            add_to_run(portion, &line);
    }
    portion->ends = lines->at;
    portion->ends_line = lines->mark_line;
}

static esse_value arrived(const struct portion *portion, esse_value value)
{
    return esse_value_tag(value) == ESSE_TAG_ATOM ? portion->atoms.at[value.word >> 3] : value;
}

/* The atoms of a run, at the moment at which one thread would have made them. */
static void carry_atoms(struct portion *portion, struct esse_values *to, struct run *run,
                        struct op *ops)
{
    while (portion->atoms.count < run->atoms) {
        const esse_value atom = esse_value_of_atom((uint32_t)portion->atoms.count);
        esse_value_vec_push(&portion->atoms, portion->arena,
                            esse_value_carry(to, portion->scanner.values, atom));
    }
    run->line.session = arrived(portion, run->line.session);
    for (uint32_t i = 0; i < run->count; i++) {
        ops[i].key = arrived(portion, ops[i].key);
        ops[i].value = arrived(portion, ops[i].value);
    }
}

static bool take_runs(struct reader *r, struct portion *portion, uint64_t lines)
{
    struct op *ops = portion->ops.at;
    for (size_t i = 0; i < portion->runs.count; i++) {
        struct run *run = &portion->runs.at[i];
        run->line.number += lines;
        if (run->atoms)
            carry_atoms(portion, r->reading->sink->values, run, ops);
        run->line.op = ops[0];
        if (run->line.txn == ESSE_PLUME_ABORTED) {
            if (!add_aborted(r, &run->line))
                return false;
        } else {
            if (!is_of_current(r, &run->line) && !find_txn(r, &run->line))
                return false;
            op_vec_append(&r->current->ops, r->arena, ops, run->count);
        }
        ops += run->count;
    }
    return true;
}

static void empty_pool(struct portion *portion)
{
    portion->atoms.count = 0;
    if (!esse_values_atoms(portion->scanner.values))
        return;
    esse_arena_free(portion->pool);
    new_pool(portion);
}

static bool take_portion(void *context, void *state, struct esse_source *lines,
                         struct esse_error *err)
{
    struct reader *r = context;
    struct portion *portion = state;
    if (!take_runs(r, portion, lines->mark_line - 1))
        return false;
    lines->at = lines->mark = portion->ends;
    lines->mark_line += portion->ends_line - 1;
    empty_pool(portion);
    if (lines->at == lines->end)
        return true;
    struct scanner scanner = { .text = { lines, err, lines->at },
                               .values = r->reading->sink->values };
    struct line line;
    const bool ok = scan_line(&scanner, &line);
    assert(!ok); /* it says what is wrong there */
    return ok;
}

static bool read_portions(struct reader *r)
{
    const struct esse_portion_reader reader = { .context = r,
                                                .size = sizeof(struct portion),
                                                .init = init_portion,
                                                .scan = scan_portion,
                                                .take = take_portion,
                                                .release = release_portion };
    return esse_portions_read(r->reading->source, &reader, r->reading->threads, r->reading->portion,
                              r->err);
}

static bool read_lines(struct reader *r)
{
    struct esse_text *text = &r->scanner.text;
    struct line line;
    bool ok;
    while (esse_text_next_line(text, &ok)) {
        line.number = text->source->mark_line;
        if (scan_line(&r->scanner, &line)) {
            if (!add_line(r, &line))
                return false;
        } else if (!esse_text_more(text)) {
            return false;
        }
    }
    return ok;
}

bool esse_plume_read(struct esse_reading *reading, struct esse_error *err)
{
    struct reader r = { .reading = reading, .arena = reading->source->arena, .err = err };
    if (reading->threads > 1 && !read_portions(&r))
        return false;
    r.scanner.text = (struct esse_text){ reading->source, err, reading->source->at };
    r.scanner.values = reading->sink->values;
    return read_lines(&r) && send_all(&r) &&
           esse_zeros_send(&r.zeros, r.arena, reading->sink, false, err) &&
           reading->sink->finish(reading->sink, err);
}
