#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "evidence/mechanism_rules.h"
#include "history/values.h"

/*
 * Joint: all mechanisms at once.  The instants of the transactions are nodes.  Some orders are
 * known: by the intervals, and within a session.  Of others one of several holds: each read is of
 * one version that can be the newest in its snapshot, of two conflicting locks one was given back
 * before the other was taken, of two updaters one committed before the other's snapshot.  What
 * closes a cycle is out; what is left alone holds.  If nothing is left somewhere, no order explains
 * it all.
 *
 * Each step is forced, so a contradiction is one.
 */

enum { INITIAL = SIZE_MAX, MOST_NODES = 1024 };

struct instant {
    struct esse_within at;
    size_t txn, op;              /* op: SNAPSHOT, END, or the operation that is its own */
    size_t session, first, last; /* places in the session: transactions, and in them operations */
};
enum { SNAPSHOT = SIZE_MAX, END = SIZE_MAX - 1 };
ESSE_VEC(instant_vec, struct instant)

struct choice {
    size_t from[2], to[2]; /* of a pair: one of the two edges */
    size_t reader;         /* of a read: its instant ... */
    size_t *versions;      /* ... and the candidates' */
    bool *matches;
    size_t count; /* 0: a pair */
};
ESSE_VEC(choice_vec, struct choice)

struct puzzle {
    const struct esse_mechanism_trace *trace;
    const struct esse_mechanism_claim *claim;
    struct esse_arena *arena;
    struct instant_vec nodes;
    struct choice_vec choices;
    bool *before; /* nodes * nodes */
    bool changed, failed;
};

/* ---- instants ---- */

enum { OPS = 1 << 20 }; /* a transaction has fewer */

/* The operations between which the snapshot was taken: from the first that may have, to the first
 * that surely did. */
static void place_snapshot(const struct esse_mechanism_txn *t, struct instant *n)
{
    const bool plain = t->row->at == ESSE_AT_PLAIN;
    size_t first = 0, last = t->op_count;
    bool has_begun = false;
    for (size_t i = 0; i < t->op_count; i++) {
        const struct esse_mechanism_op *op = &t->ops[i];
        if (plain && (op->kind != ESSE_MOP_READ || esse_mop_is_locking(op)))
            continue;
        first = has_begun ? first : i + 1;
        has_begun = true;
        if (!op->failed) {
            last = i + 1;
            break;
        }
    }
    if (t->row->at == ESSE_AT_BEGIN && t->has_begin)
        last = 0;
    if (t->row->at == ESSE_AT_BEGIN || t->row->at == ESSE_AT_EITHER)
        first = 0;
    n->first = t->place * OPS + first;
    n->last = t->place * OPS + last;
}

/* Rows of one statement have one snapshot where statements have one, and one place anyway. */
static size_t place_of(const struct esse_mechanism_op *op, size_t at)
{
    return op->statement == SIZE_MAX ? at : op->statement;
}

static struct instant instant_of(const struct esse_mechanism_trace *trace, size_t txn, size_t op)
{
    const struct esse_mechanism_txn *t = &trace->txns[txn];
    struct instant n = { .txn = txn, .op = op, .session = t->session };
    if (op == SNAPSHOT) {
        n.at = esse_mtxn_snapshot(t);
        place_snapshot(t, &n);
    } else if (op == END) { /* an abort may have been before the client knew */
        n.at = esse_within_end(t);
        n.first = t->place * OPS + (t->end == ESSE_MEND_COMMIT ? t->op_count + 1 : 1);
        n.last = t->place * OPS + t->op_count + 1;
    } else {
        n.at = esse_within_op(&t->ops[op]);
        n.first = n.last = t->place * OPS + place_of(&t->ops[op], op) + 1;
    }
    return n;
}

static size_t node_of(struct puzzle *p, size_t txn, size_t op)
{
    if (op < END && p->trace->txns[txn].row->reads == ESSE_READS_STATEMENT)
        op = place_of(&p->trace->txns[txn].ops[op], op);
    for (size_t i = 0; i < p->nodes.count; i++)
        if (p->nodes.at[i].txn == txn && p->nodes.at[i].op == op)
            return i;
    instant_vec_push(&p->nodes, p->arena, instant_of(p->trace, txn, op));
    return p->nodes.count - 1;
}

/* ---- reads ---- */

/* One that can be looked at: everything that may explain it is known. */
static void add_read(struct puzzle *p, size_t txn, const struct esse_mechanism_claim *read,
                     size_t instant, struct esse_within s)
{
    const struct esse_mechanism_trace *trace = p->trace;
    struct choice choice = { .reader = instant };
    bool has_pivot = false;
    choice.versions = esse_arena_array(p->arena, trace->txn_count + 1, *choice.versions);
    choice.matches = esse_arena_array(p->arena, trace->txn_count + 1, *choice.matches);
    for (size_t i = 0; i < trace->txn_count; i++) {
        const struct esse_mechanism_txn *t = &trace->txns[i];
        esse_value value;
        const enum esse_mset set = esse_mtxn_made(t, t->op_count, read, &value);
        if (i == txn || t->end == ESSE_MEND_ABORT || set == ESSE_MSET_NOT)
            continue;
        has_pivot |= t->end == ESSE_MEND_COMMIT && esse_within_sure(esse_within_end(t), s);
        if (!esse_mtrace_may_hold(trace, read, txn, i, s))
            continue;
        if (t->end == ESSE_MEND_UNKNOWN || set == ESSE_MSET_ANYTHING)
            return;
        choice.versions[choice.count] = node_of(p, i, END);
        choice.matches[choice.count++] = esse_value_eq(value, read->value);
    }
    if (!has_pivot && !trace->has_init)
        return;
    if (!has_pivot) {
        choice.versions[choice.count] = INITIAL;
        choice.matches[choice.count++] = esse_mtrace_was_initial(trace, read);
    }
    if (choice.count)
        choice_vec_push(&p->choices, p->arena, choice);
}

/* The instants at which the read must be explained. */
static void add_op(struct puzzle *p, size_t txn, size_t at, const struct esse_mechanism_claim *read)
{
    const struct esse_mechanism_txn *t = &p->trace->txns[txn];
    const struct esse_mechanism_op *op = &t->ops[at];
    const bool is_txn = t->row->reads == ESSE_READS_TXN, locks = esse_mop_is_locking(op);
    const struct esse_within s = esse_mtxn_snapshot_of_read(t, op);
    esse_value own;
    if (t->row->reads == ESSE_READS_ANY || t->row->reads == ESSE_READS_LATE_ROW ||
        (op->cursor && !is_txn) || s.b == INT64_MIN ||
        esse_mtxn_made(t, at, read, &own) != ESSE_MSET_NOT)
        return;
    for (size_t i = 0; i < at; i++)
        if (esse_mop_is_write(&t->ops[i]) && esse_value_eq(t->ops[i].key, read->key))
            return; /* of the snapshot, or current at the write */
    if (is_txn && (!locks || t->row->lock_sees_snapshot))
        add_read(p, txn, read, node_of(p, txn, SNAPSHOT), s);
    if (!is_txn || locks)
        add_read(p, txn, read, node_of(p, txn, at), esse_within_op(op));
}

static bool is_claimed(const struct esse_mechanism_claim *claim, esse_value key)
{
    for (size_t i = 0; i < claim->key_count; i++)
        if (esse_value_eq(claim->keys[i], key))
            return true;
    return false;
}

static void add_reads(struct puzzle *p, size_t txn)
{
    const struct esse_mechanism_txn *t = &p->trace->txns[txn];
    for (size_t i = 0; t->end == ESSE_MEND_COMMIT && i < t->op_count; i++) {
        const struct esse_mechanism_op *op = &t->ops[i];
        struct esse_mechanism_claim read = { .key = op->key, .column = ESSE_NONE };
        if (op->kind != ESSE_MOP_READ || op->failed || !is_claimed(p->claim, op->key))
            continue;
        read.value = op->value;
        if (!op->columns && !esse_value_eq(op->value, ESSE_NONE))
            add_op(p, txn, i, &read);
        for (size_t c = 0; c < op->column_count; c++) {
            read.column = op->columns[c].name;
            read.value = op->columns[c].value;
            add_op(p, txn, i, &read);
        }
    }
}

/* ---- pairs ---- */

static void add_pair(struct puzzle *p, size_t r0, size_t a1, size_t r1, size_t a0)
{
    choice_vec_push(&p->choices, p->arena, (struct choice){ .from = { r0, r1 }, .to = { a1, a0 } });
}

static void add_locks(struct puzzle *p, size_t x, size_t y)
{
    const struct esse_mechanism_txn *t = &p->trace->txns[x], *u = &p->trace->txns[y];
    if ((t->row->locks_of_committed && t->end != ESSE_MEND_COMMIT) ||
        (u->row->locks_of_committed && u->end != ESSE_MEND_COMMIT))
        return;
    for (size_t i = 0; i < t->op_count; i++) {
        for (size_t k = 0; k < u->op_count; k++) {
            const struct esse_mechanism_op *a = &t->ops[i], *b = &u->ops[k];
            const unsigned m = esse_mtxn_mode(t, a), n = esse_mtxn_mode(u, b);
            const bool is_same = t->row->whole_database ||
                                 (esse_value_eq(a->key, b->key) && is_claimed(p->claim, a->key));
            if (m && n && m + n > 4 && is_same && a->undone_by == SIZE_MAX &&
                b->undone_by == SIZE_MAX)
                add_pair(p, node_of(p, x, END), node_of(p, y, k), node_of(p, y, END),
                         node_of(p, x, i));
        }
    }
}

static bool is_ever_made_or_removed(const struct puzzle *p, esse_value key)
{
    for (size_t i = 0; i < p->trace->txn_count; i++)
        if (esse_mtxn_makes_or_removes(&p->trace->txns[i], key))
            return true;
    return false;
}

static void add_updaters(struct puzzle *p, size_t x, size_t y)
{
    const struct esse_mechanism_txn *t = &p->trace->txns[x], *u = &p->trace->txns[y];
    if (t->row->fuw == ESSE_FUW_NONE || u->row->fuw == ESSE_FUW_NONE ||
        t->end != ESSE_MEND_COMMIT || u->end != ESSE_MEND_COMMIT)
        return;
    const bool whole = t->row->whole_database;
    for (size_t i = 0; i < (whole ? 1 : p->claim->key_count); i++) {
        const esse_value key = whole ? ESSE_NONE : p->claim->keys[i];
        if (esse_mtxn_writes(t, key) && esse_mtxn_writes(u, key) &&
            (whole || !is_ever_made_or_removed(p, key))) {
            add_pair(p, node_of(p, x, END), node_of(p, y, SNAPSHOT), node_of(p, y, END),
                     node_of(p, x, SNAPSHOT));
            return;
        }
    }
}

/* ---- what follows ---- */

static bool is_before(const struct puzzle *p, size_t from, size_t to)
{
    return p->before[from * p->nodes.count + to];
}

static bool is_out(const struct puzzle *p, size_t from, size_t to)
{
    return from == to || is_before(p, to, from);
}

static void put_before(struct puzzle *p, size_t from, size_t to)
{
    const size_t n = p->nodes.count;
    p->failed |= is_out(p, from, to);
    if (p->failed || is_before(p, from, to))
        return;
    p->changed = true;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; (i == from || is_before(p, i, from)) && k < n; k++)
            if (k == to || is_before(p, to, k))
                p->before[i * n + k] = true;
}

static void put_known(struct puzzle *p)
{
    for (size_t i = 0; i < p->nodes.count; i++) {
        for (size_t k = 0; k < p->nodes.count && !p->failed; k++) {
            const struct instant *a = &p->nodes.at[i], *b = &p->nodes.at[k];
            if (i != k && ((a->session == b->session && a->last < b->first) ||
                           esse_within_sure(a->at, b->at)))
                put_before(p, i, k);
        }
    }
}

static void one_of(struct puzzle *p, size_t from0, size_t to0, size_t from1, size_t to1)
{
    if (is_before(p, from0, to0) || is_before(p, from1, to1))
        return;
    if (is_out(p, from0, to0))
        put_before(p, from1, to1);
    else if (is_out(p, from1, to1))
        put_before(p, from0, to0);
}

/* Can the candidate be the newest in the snapshot? */
static bool can_be(const struct puzzle *p, const struct choice *c, size_t at)
{
    const size_t seen = c->versions[at];
    if (seen != INITIAL && is_out(p, seen, c->reader))
        return false;
    for (size_t i = 0; i < c->count; i++) {
        const size_t other = c->versions[i];
        const bool is_older = other == INITIAL || (seen != INITIAL && !is_out(p, other, seen));
        if (i != at && !is_older && is_out(p, c->reader, other))
            return false;
    }
    return true;
}

static void is_seen(struct puzzle *p, const struct choice *c, size_t at)
{
    const size_t seen = c->versions[at];
    if (seen != INITIAL)
        put_before(p, seen, c->reader);
    for (size_t i = 0; i < c->count && !p->failed; i++) {
        const size_t other = c->versions[i];
        if (i == at || other == INITIAL)
            continue;
        if (seen == INITIAL)
            put_before(p, c->reader, other);
        else
            one_of(p, other, seen, c->reader, other);
    }
}

static void follow(struct puzzle *p, const struct choice *c)
{
    size_t left = 0, only = 0;
    if (!c->count) {
        p->failed |= is_out(p, c->from[0], c->to[0]) && is_out(p, c->from[1], c->to[1]);
        if (!p->failed)
            one_of(p, c->from[0], c->to[0], c->from[1], c->to[1]);
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        if (c->matches[i] && can_be(p, c, i)) {
            left++;
            only = i;
        }
    }
    p->failed |= left == 0;
    if (left == 1)
        is_seen(p, c, only);
}

static bool has_no_order(struct puzzle *p)
{
    p->before = esse_arena_zeros(p->arena, p->nodes.count * p->nodes.count + 1, bool);
    put_known(p);
    do {
        p->changed = false;
        for (size_t i = 0; i < p->choices.count && !p->failed; i++)
            follow(p, &p->choices.at[i]);
    } while (p->changed && !p->failed);
    return p->failed;
}

bool esse_recheck_joint(const struct esse_mechanism_trace *trace,
                        const struct esse_mechanism_claim *claim, struct esse_error *err)
{
    struct puzzle p = { .trace = trace, .claim = claim, .arena = esse_arena_new() };
    bool by_time = claim->txn_count > 0, is_broken = false;
    for (size_t i = 0; i < claim->txn_count; i++) {
        const enum esse_profile_time time = trace->txns[claim->txns[i]].row->time;
        by_time &= time == ESSE_TIME_ALL || (time == ESSE_TIME_KEY && claim->key_count == 1);
        add_reads(&p, claim->txns[i]);
        for (size_t k = 0; k < i; k++) {
            add_locks(&p, claim->txns[i], claim->txns[k]);
            add_updaters(&p, claim->txns[i], claim->txns[k]);
        }
    }
    if (by_time && p.nodes.count <= MOST_NODES)
        is_broken = has_no_order(&p);
    const bool is_small = p.nodes.count <= MOST_NODES;
    esse_arena_free(p.arena);
    if (!by_time)
        return esse_fail(err, ESSE_EINPUT,
                         "the profile's time does not order the instants of several keys");
    if (!is_small)
        return esse_fail(err, ESSE_EINPUT, "there are too many instants to recheck");
    return is_broken || esse_fail(err, ESSE_EINPUT, "some order of the instants may explain it");
}
