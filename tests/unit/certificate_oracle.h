#ifndef ESSE_TESTS_UNIT_CERTIFICATE_ORACLE_H
#define ESSE_TESTS_UNIT_CERTIFICATE_ORACLE_H

/*
 * Small runs of a multi-version store whose snapshots are known, as native text under a certificate
 * of every kind, and the levels straight from their definitions (semantics 3): every pair of
 * predicate and version is looked at, every version that changes the matches is an edge, and a
 * cycle is looked for in a matrix.
 */
#include "test.h"

enum { C_TXNS = 6, C_KEYS = 3, C_OPS = 5, C_VERSIONS = 40, C_TEXT = 1 << 15 };
enum c_kind { C_TIMESTAMPS, C_COMMITS, C_POSTGRESQL, C_KINDS };
enum c_op_kind { C_READ, C_WRITE, C_DELETE, C_RANGE };

#define C_ABSENT (-1)

struct c_op {
    enum c_op_kind kind;
    int key, value;    /* what was read or written */
    int low, high;     /* of a range */
    int rows[C_KEYS];  /* what it returned, or C_ABSENT */
    int seen;          /* the commits that it saw */
    bool own[C_KEYS];  /* keys that its transaction had written */
    char snapshot[80]; /* as PostgreSQL prints it */
};

struct c_txn {
    struct c_op ops[C_OPS];
    int op_count, planned, xid, snapshot, place; /* place: among the commits, or -1 */
    int session, start, end;                     /* as its client tells */
    char text[80];
    bool is_open, is_done, aborts;
};

struct c_version {
    int txn, value; /* -1: initial */
};

struct c_run {
    struct esse_rng rng;
    struct c_txn txns[C_TXNS];
    int txn_count, commits, next_xid, order[C_TXNS];
    int clock;
    bool by_statement; /* a snapshot for each statement */
    bool odd_text;     /* predicates that are no plain range */
    bool is_wrong;     /* a result was changed */
    bool aggregates;   /* ranges return what they add up to, and no rows */
    struct c_version versions[C_KEYS][C_VERSIONS];
    int version_count[C_KEYS], next_value;
};

static inline int c_below(struct c_run *run, int limit)
{
    return (int)esse_rng_below(&run->rng, (uint32_t)limit);
}

/* ---- running ---- */

static inline void c_snapshot(struct c_run *run, char *text)
{
    int least = run->next_xid;
    size_t length;
    for (int t = 0; t < run->txn_count; t++)
        if (run->txns[t].is_open && run->txns[t].xid < least)
            least = run->txns[t].xid;
    length = (size_t)sprintf(text, "%d:%d:", least, run->next_xid);
    bool first = true;
    for (int xid = least; xid < run->next_xid; xid++)
        for (int t = 0; t < run->txn_count; t++)
            if (run->txns[t].is_open && run->txns[t].xid == xid) {
                length += (size_t)sprintf(text + length, "%s%d", first ? "" : ",", xid);
                first = false;
            }
}

/* The version of a key after so many commits. */
static inline int c_version_at(const struct c_run *run, int key, int commits)
{
    int found = 0;
    for (int v = 1; v < run->version_count[key]; v++)
        if (run->txns[run->versions[key][v].txn].place < commits)
            found = v;
    return found;
}

static inline int c_look(const struct c_run *run, const struct c_txn *txn, int key, int seen,
                         bool *own)
{
    int value = run->versions[key][c_version_at(run, key, seen)].value;
    *own = false;
    for (int o = 0; o < txn->op_count; o++)
        if ((txn->ops[o].kind == C_WRITE || txn->ops[o].kind == C_DELETE) &&
            txn->ops[o].key == key) {
            value = txn->ops[o].value;
            *own = true;
        }
    return value;
}

static inline bool c_matches(const struct c_op *op, int value)
{
    return value != C_ABSENT && value >= op->low && value <= op->high;
}

static inline void c_step(struct c_run *run, struct c_txn *txn)
{
    struct c_op op = { .kind = (enum c_op_kind)(c_below(run, 7) / 2), .key = c_below(run, C_KEYS) };
    op.seen = run->by_statement ? run->commits : txn->snapshot;
    if (op.kind == C_DELETE && c_below(run, 2))
        op.kind = C_RANGE;
    if (run->by_statement)
        c_snapshot(run, op.snapshot);
    else
        strcpy(op.snapshot, txn->text);
    op.low = 100 * c_below(run, 4);
    op.high = op.low + 100 * (1 + c_below(run, 3)) - 1;
    for (int key = 0; key < C_KEYS; key++) {
        int value = c_look(run, txn, key, op.seen, &op.own[key]);
        op.rows[key] = c_matches(&op, value) ? value : C_ABSENT;
        if (key == op.key)
            op.value = value;
    }
    if (op.kind == C_WRITE)
        op.value = 100 * c_below(run, 4) + run->next_value++;
    if (op.kind == C_DELETE)
        op.value = C_ABSENT;
    txn->ops[txn->op_count++] = op;
}

static inline void c_end(struct c_run *run, int t)
{
    struct c_txn *txn = &run->txns[t];
    bool own;
    txn->is_open = false;
    txn->is_done = true;
    /* The client's clock is not to be trusted: too early an end is against the order of commits. */
    txn->end = run->clock - c_below(run, 8);
    if (txn->end < txn->start)
        txn->end = txn->start;
    if (txn->aborts)
        return;
    txn->place = run->commits;
    run->order[run->commits++] = t;
    for (int key = 0; key < C_KEYS; key++) {
        int value = c_look(run, txn, key, 0, &own);
        if (own)
            run->versions[key][run->version_count[key]++] = (struct c_version){ t, value };
    }
}

/* A session has one transaction after the other, in the order of the file. */
static inline void c_give_sessions(struct c_run *run)
{
    for (int t = 0; t < run->txn_count; t++) {
        run->txns[t].session = c_below(run, 3);
        for (int u = 0; u < t; u++)
            if (run->txns[u].session == run->txns[t].session &&
                run->txns[u].end > run->txns[t].start)
                run->txns[t].session = C_TXNS + t;
    }
}

static inline void c_run(struct c_run *run, uint64_t seed)
{
    *run = (struct c_run){ .rng = { seed }, .next_xid = 100, .next_value = 1 };
    run->txn_count = 2 + c_below(run, C_TXNS - 1);
    run->by_statement = c_below(run, 3) == 0;
    run->odd_text = c_below(run, 3) == 0;
    for (int key = 0; key < C_KEYS; key++) {
        int value = c_below(run, 2) ? C_ABSENT : 100 * c_below(run, 4);
        run->versions[key][run->version_count[key]++] = (struct c_version){ -1, value };
    }
    for (int t = 0; t < run->txn_count; t++) {
        run->txns[t].planned = 1 + c_below(run, C_OPS - 1);
        run->txns[t].aborts = c_below(run, 10) == 0;
        run->txns[t].place = -1;
    }
    for (int left = run->txn_count; left;) {
        int t = c_below(run, run->txn_count);
        struct c_txn *txn = &run->txns[t];
        run->clock++;
        if (txn->is_done)
            continue;
        if (!txn->is_open) {
            c_snapshot(run, txn->text);
            txn->snapshot = run->commits;
            txn->xid = run->next_xid++;
            txn->start = run->clock;
            txn->is_open = true;
        } else if (txn->op_count < txn->planned) {
            c_step(run, txn);
        } else {
            c_end(run, t);
            left--;
        }
    }
    c_give_sessions(run);
}

/* Changes what a range returned: leaves a row out, or returns one in another version. */
static inline void c_spoil(struct c_run *run)
{
    struct c_txn *txn = &run->txns[c_below(run, run->txn_count)];
    struct c_op *op = &txn->ops[c_below(run, txn->op_count)];
    int key = c_below(run, C_KEYS);
    if (op->kind != C_RANGE || op->own[key] || txn->aborts)
        return;
    if (op->rows[key] != C_ABSENT) {
        op->rows[key] = C_ABSENT;
        run->is_wrong = true;
        return;
    }
    for (int v = 0; v < run->version_count[key]; v++)
        if (c_matches(op, run->versions[key][v].value)) {
            op->rows[key] = run->versions[key][v].value;
            run->is_wrong = true;
        }
}

static inline bool c_has_deletes(const struct c_run *run)
{
    for (int t = 0; t < run->txn_count; t++)
        for (int o = 0; o < run->txns[t].op_count; o++)
            if (run->txns[t].ops[o].kind == C_DELETE)
                return true;
    return false;
}

/* Tells other start points than those of the snapshots that were taken, now and then.  What a read
 * returned shows its version all the same; a predicate is said to have looked at the new one. */
static inline void c_move_starts(struct c_run *run)
{
    for (int t = 0; t < run->txn_count; t++) {
        struct c_txn *txn = &run->txns[t];
        if (txn->aborts || c_below(run, 4))
            continue;
        txn->snapshot = c_below(run, txn->place + 1);
        for (int o = 0; o < txn->op_count; o++)
            if (txn->ops[o].kind == C_RANGE)
                txn->ops[o].seen = txn->snapshot;
    }
}

/* Are the rows of every predicate those of what it looked at? */
static inline bool c_rows_match(const struct c_run *run)
{
    for (int t = 0; t < run->txn_count; t++)
        for (int o = 0; o < run->txns[t].op_count && !run->txns[t].aborts; o++) {
            const struct c_op *op = &run->txns[t].ops[o];
            for (int key = 0; key < C_KEYS && op->kind == C_RANGE; key++) {
                const int value = run->versions[key][c_version_at(run, key, op->seen)].value;
                if (!op->own[key] && op->rows[key] != (c_matches(op, value) ? value : C_ABSENT))
                    return false;
            }
        }
    return true;
}

/* ---- as text ---- */

static inline int c_put_value(char *text, int value)
{
    return value == C_ABSENT ? sprintf(text, "null") : sprintf(text, "%d", value);
}

/* How many rows there are, what they add up to, and the least. */
static inline int c_put_aggregate(const struct c_op *op, char *text)
{
    int count = 0, sum = 0, least = 0;
    for (int key = 0; key < C_KEYS; key++)
        if (op->rows[key] != C_ABSENT) {
            least = !count || op->rows[key] < least ? op->rows[key] : least;
            sum += op->rows[key];
            count++;
        }
    int at = sprintf(
        text,
        "{'p':'SELECT count(*), sum(v), min(v) FROM t WHERE v BETWEEN %d AND %d','result':[%d,",
        op->low, op->high, count);
    at += count ? sprintf(text + at, "%d,%d", sum, least) : sprintf(text + at, "null,null");
    return at + sprintf(text + at, "]");
}

static inline int c_put_op(const struct c_run *run, const struct c_op *op, enum c_kind kind,
                           char *text)
{
    static const char *const names[] = { "r", "w", "d", "p" };
    int at;
    if (op->kind == C_RANGE && run->aggregates) {
        at = c_put_aggregate(op, text);
    } else if (op->kind == C_RANGE) {
        const char *form = run->odd_text ? "{'p':'v BETWEEN %d AND %d OR v < -5','rows':{"
                                         : "{'p':'v >= %d AND v <= %d','rows':{";
        bool first = true;
        at = sprintf(text, form, op->low, op->high); /* NOLINT */
        for (int key = 0; key < C_KEYS; key++)
            if (op->rows[key] != C_ABSENT) {
                at += sprintf(text + at, "%s'%c':%d", first ? "" : ",", 'x' + key, op->rows[key]);
                first = false;
            }
        at += sprintf(text + at, "}");
    } else {
        at = sprintf(text, "{'%s':'%c'", names[op->kind], 'x' + op->key);
        if (op->kind != C_DELETE) {
            at += sprintf(text + at, ",'v':");
            at += c_put_value(text + at, op->value);
        }
    }
    if (kind == C_TIMESTAMPS && run->by_statement)
        at += sprintf(text + at, ",'snapshot':%d", 10 * op->seen + 5);
    if (kind == C_COMMITS)
        at += sprintf(text + at, ",'snapshot':%d", op->seen);
    if (kind == C_POSTGRESQL)
        at += sprintf(text + at, ",'snapshot':'%s'", op->snapshot);
    return at + sprintf(text + at, "}");
}

static inline int c_put_txn(const struct c_run *run, int t, enum c_kind kind, char *text)
{
    const struct c_txn *txn = &run->txns[t];
    int at = sprintf(text, "{'session':%d,'txn':'t%d','start':%d,'end':%d", txn->session, t,
                     txn->start, txn->end);
    if (txn->aborts)
        at += sprintf(text + at, ",'status':'aborted'");
    if (kind == C_TIMESTAMPS) {
        at += sprintf(text + at, ",'start_ts':%d", 10 * txn->snapshot + 5);
        if (!txn->aborts)
            at += sprintf(text + at, ",'commit_ts':%d", 10 * (txn->place + 1));
    }
    if (kind == C_POSTGRESQL)
        at += sprintf(text + at, ",'xid':%d", txn->xid);
    at += sprintf(text + at, ",'ops':[");
    for (int o = 0; o < txn->op_count; o++) {
        at += sprintf(text + at, "%s", o ? "," : "");
        at += c_put_op(run, &txn->ops[o], kind, text + at);
    }
    return at + sprintf(text + at, "]}\n");
}

static inline void c_put(const struct c_run *run, enum c_kind kind, char *text)
{
    static const char *const names[] = { "timestamps", "commit-order", "postgresql-snapshots" };
    int at = sprintf(text,
                     "{'certificate':'%s'}\n"
                     "{'init':{",
                     names[kind]);
    bool first = true;
    for (int key = 0; key < C_KEYS; key++)
        if (run->versions[key][0].value != C_ABSENT) {
            at += sprintf(text + at, "%s'%c':%d", first ? "" : ",", 'x' + key,
                          run->versions[key][0].value);
            first = false;
        }
    at += sprintf(text + at, "}}\n");
    for (int t = 0; t < run->txn_count; t++)
        at += c_put_txn(run, t, kind, text + at);
    if (kind == C_TIMESTAMPS)
        return;
    at += sprintf(text + at, "{'order':[");
    for (int i = 0; i < run->commits; i++)
        at += sprintf(text + at, "%s't%d'", i ? "," : "", run->order[i]);
    sprintf(text + at, "]}\n");
}

/* ---- what the definitions say ---- */

enum { C_WW = 1, C_WR = 2, C_RW = 4, C_WRP = 8, C_RWP = 16, C_SO = 32, C_RT = 64 };

struct c_graph {
    int edge[C_TXNS][C_TXNS]; /* bits */
};

static inline void c_add(struct c_graph *graph, int from, int to, int dep)
{
    if (from >= 0 && to >= 0 && from != to)
        graph->edge[from][to] |= dep;
}

static inline void c_item(const struct c_run *run, struct c_graph *graph, int t, int key, int seen)
{
    const struct c_version *versions = run->versions[key];
    int v = c_version_at(run, key, seen);
    c_add(graph, versions[v].txn, t, C_WR);
    if (v + 1 < run->version_count[key])
        c_add(graph, t, versions[v + 1].txn, C_RW);
}

static inline void c_range(const struct c_run *run, struct c_graph *graph, int t,
                           const struct c_op *op)
{
    for (int key = 0; key < C_KEYS; key++) {
        const struct c_version *versions = run->versions[key];
        int seen = c_version_at(run, key, op->seen);
        if (op->own[key])
            continue;
        for (int v = 1; v < run->version_count[key]; v++) {
            const bool now = c_matches(op, versions[v].value);
            if (now == c_matches(op, versions[v - 1].value) && !(run->aggregates && now))
                continue;
            if (v <= seen)
                c_add(graph, versions[v].txn, t, C_WRP);
            else
                c_add(graph, t, versions[v].txn, C_RWP);
        }
        if (c_matches(op, versions[seen].value) && !run->aggregates)
            c_item(run, graph, t, key, op->seen);
    }
}

static inline void c_given(const struct c_run *run, struct c_graph *graph)
{
    for (int t = 0; t < run->txn_count; t++)
        for (int u = 0; u < run->txn_count; u++) {
            if (run->txns[t].aborts || run->txns[u].aborts)
                continue;
            if (t < u && run->txns[t].session == run->txns[u].session)
                c_add(graph, t, u, C_SO);
            if (run->txns[t].end < run->txns[u].start)
                c_add(graph, t, u, C_RT);
        }
}

static inline void c_graph(const struct c_run *run, struct c_graph *graph)
{
    *graph = (struct c_graph){ 0 };
    c_given(run, graph);
    for (int key = 0; key < C_KEYS; key++)
        for (int v = 1; v < run->version_count[key]; v++)
            c_add(graph, run->versions[key][v - 1].txn, run->versions[key][v].txn, C_WW);
    for (int t = 0; t < run->txn_count; t++)
        for (int o = 0; o < run->txns[t].op_count && !run->txns[t].aborts; o++) {
            const struct c_op *op = &run->txns[t].ops[o];
            if (op->kind == C_READ && !op->own[op->key])
                c_item(run, graph, t, op->key, op->seen);
            if (op->kind == C_RANGE)
                c_range(run, graph, t, op);
        }
}

/* Has (edges of 'first') ; (edges of 'then')? a cycle? */
static inline bool c_cyclic(const struct c_graph *graph, int first, int then)
{
    bool path[C_TXNS][C_TXNS] = { { false } };
    for (int a = 0; a < C_TXNS; a++)
        for (int b = 0; b < C_TXNS; b++) {
            path[a][b] |= (graph->edge[a][b] & first) != 0;
            for (int c = 0; c < C_TXNS && (graph->edge[a][b] & first); c++)
                path[a][c] |= (graph->edge[b][c] & then) != 0;
        }
    for (int b = 0; b < C_TXNS; b++)
        for (int a = 0; a < C_TXNS; a++)
            for (int c = 0; c < C_TXNS; c++)
                path[a][c] |= path[a][b] && path[b][c];
    for (int a = 0; a < C_TXNS; a++)
        if (path[a][a])
            return true;
    return false;
}

/* ---- Adya's snapshot isolation, with start dependencies ---- */

/* Had 'from' committed when 'to' started, by the timestamps? */
static inline bool c_starts_after(const struct c_run *run, int from, int to)
{
    return from != to && run->txns[from].place < run->txns[to].snapshot;
}

/* Has the graph of dependencies and start dependencies a cycle with exactly one rw? */
static inline bool c_has_single(const struct c_run *run, const struct c_graph *graph, int depends)
{
    bool path[C_TXNS][C_TXNS] = { { false } };
    for (int a = 0; a < run->txn_count; a++)
        for (int b = 0; b < run->txn_count; b++)
            path[a][b] = !run->txns[a].aborts && !run->txns[b].aborts &&
                         ((graph->edge[a][b] & depends) || c_starts_after(run, a, b));
    for (int b = 0; b < C_TXNS; b++)
        for (int a = 0; a < C_TXNS; a++)
            for (int c = 0; c < C_TXNS; c++)
                path[a][c] |= path[a][b] && path[b][c];
    for (int a = 0; a < C_TXNS; a++)
        for (int b = 0; b < C_TXNS; b++)
            if ((graph->edge[a][b] & (C_RW | C_RWP)) && path[b][a])
                return true;
    return false;
}

/* GSIa: a dependency without a start dependency.  GSIb: the above.  'more' are session order and
 * real time, for the strong levels. */
static inline bool c_is_start_ordered(const struct c_run *run, const struct c_graph *graph,
                                      int more)
{
    const int depends = C_WW | C_WR | C_WRP | more;
    for (int a = 0; a < run->txn_count; a++)
        for (int b = 0; b < run->txn_count; b++)
            if ((graph->edge[a][b] & depends) && !c_starts_after(run, a, b))
                return false;
    return !c_has_single(run, graph, depends);
}

#endif
