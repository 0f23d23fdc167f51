#ifndef ESSE_TESTS_UNIT_TRUTH_ORACLE_H
#define ESSE_TESTS_UNIT_TRUTH_ORACLE_H

/*
 * Which levels a tiny history satisfies, by brute force and from the definitions alone: every world
 * (which of the unknown transactions committed), every version order and commit order, every choice
 * of the version that was read, and of what a predicate saw of a row that it left out.  It shares
 * nothing with the program, not even the history: this is its own, and becomes a file.
 */
#include "truth_history.h"

enum t_truth { T_VIOLATED, T_HOLDS, T_NOT_KNOWN };

enum t_shape { T_RU, T_RC, T_CV, T_SI, T_RR, T_SER };
enum t_phi {
    T_READ_EARLIER,
    T_ATOMIC,
    T_CAUSAL,
    T_PIPED,
    T_OWN,
    T_SEEN,
    T_WRITTEN,
    T_ANSWERED,
    T_PREFIX,
    T_PARALLEL,
    T_UPDATES
};

/* Levels of dependencies (semantics 3), then of commit orders (4). */
static const struct t_level {
    enum esse_level_id id;
    enum t_shape shape;
    bool so, rt;
} t_levels[] = {
    { ESSE_LEVEL_STRICT_SERIALIZABLE, T_SER, true, true },
    { ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION, T_SI, true, true },
    { ESSE_LEVEL_STRONG_READ_COMMITTED, T_RC, true, true },
    { ESSE_LEVEL_STRONG_READ_UNCOMMITTED, T_RU, true, true },
    { ESSE_LEVEL_STRONG_SESSION_SERIALIZABLE, T_SER, true, false },
    { ESSE_LEVEL_STRONG_SESSION_SNAPSHOT_ISOLATION, T_SI, true, false },
    { ESSE_LEVEL_STRONG_SESSION_READ_COMMITTED, T_RC, true, false },
    { ESSE_LEVEL_STRONG_SESSION_READ_UNCOMMITTED, T_RU, true, false },
    { ESSE_LEVEL_SERIALIZABLE, T_SER, false, false },
    { ESSE_LEVEL_SNAPSHOT_ISOLATION, T_SI, false, false },
    { ESSE_LEVEL_REPEATABLE_READ, T_RR, false, false },
    { ESSE_LEVEL_CONSISTENT_VIEW, T_CV, false, false },
    { ESSE_LEVEL_READ_COMMITTED, T_RC, false, false },
    { ESSE_LEVEL_READ_UNCOMMITTED, T_RU, false, false },
};
enum { T_LEVELS = sizeof t_levels / sizeof *t_levels };

static const struct t_axiom {
    enum esse_level_id id;
    enum t_phi phi;
    bool single, sessions, own, repeatable; /* of operations; and what 'internal' means */
} t_axioms[] = {
    { ESSE_LEVEL_AXIOMATIC_READ_COMMITTED, T_READ_EARLIER, false, true, true, false },
    { ESSE_LEVEL_MONOTONIC_ATOMIC_VIEW, T_READ_EARLIER, false, false, false, false },
    { ESSE_LEVEL_READ_ATOMIC, T_ATOMIC, false, true, true, true },
    { ESSE_LEVEL_CAUSAL_CERONE, T_CAUSAL, false, true, true, true },
    { ESSE_LEVEL_PREFIX, T_PREFIX, false, true, true, true },
    { ESSE_LEVEL_PARALLEL_SNAPSHOT_ISOLATION, T_PARALLEL, false, true, true, true },
    { ESSE_LEVEL_UPDATE_ATOMIC, T_UPDATES, false, true, true, true },
    { ESSE_LEVEL_CAUSAL, T_CAUSAL, true, true, false, false },
    { ESSE_LEVEL_PRAM, T_PIPED, true, true, false, false },
    { ESSE_LEVEL_READ_YOUR_WRITES, T_OWN, true, true, false, false },
    { ESSE_LEVEL_MONOTONIC_READS, T_SEEN, true, true, false, false },
    { ESSE_LEVEL_MONOTONIC_WRITES, T_WRITTEN, true, true, false, false },
    { ESSE_LEVEL_WRITES_FOLLOW_READS, T_ANSWERED, true, true, false, false },
};
enum { T_AXIOMS = sizeof t_axioms / sizeof *t_axioms };

enum { T_UNITS = 16, T_READS = 40, T_VERSIONS = 1 + T_TXNS * T_OPS, T_STEPS = 60000 };
typedef bool t_relation[T_UNITS][T_UNITS];

/* A version of a key: its writer and where; the initial one is at 0. */
struct t_version {
    int txn, op, value;
};

/* One read of one key: what it returned, or that a predicate left it out. */
struct t_read {
    int txn, op, key, unit;
    bool left_out;
    int choices[T_VERSIONS], count, picked; /* places in 'version' */
};

struct t_world {
    const struct t_history *h;
    bool in[T_TXNS];
    bool is_consistent; /* every list and row that was returned is possible at all */
    struct t_version version[T_KEYS][T_VERSIONS];
    int versions[T_KEYS];
    int at[T_KEYS][T_VERSIONS]; /* the order that is tried: at[k][place] is a version */
    struct t_read read[T_READS];
    int reads;
    /* Of commit orders. */
    const struct t_axiom *axiom;
    int units, unit_txn[T_UNITS], unit_op[T_UNITS], place[T_UNITS];
    t_relation so, wr;
    /* What was found. */
    bool *holds, *holds_axiom;
    long steps;
};

/* ---- relations ---- */

static void t_close(t_relation r, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; r[i][k] && j < n; j++)
                r[i][j] |= r[k][j];
}

static bool t_is_acyclic(t_relation r, int n)
{
    t_relation closed;
    memcpy(closed, r, sizeof closed);
    t_close(closed, n);
    for (int i = 0; i < n; i++)
        if (closed[i][i])
            return false;
    return true;
}

/* ---- what a transaction must see of its own ---- */

static bool t_wrote_before(const struct t_txn *txn, int op, int key)
{
    for (int o = 0; o < op; o++)
        if (t_writes(&txn->ops[o], key))
            return true;
    return false;
}

static bool t_ends_with_own(const struct t_txn *txn, int op)
{
    const struct t_op *read = &txn->ops[op];
    int left = read->length;
    for (int o = op; o-- > 0;)
        if (txn->ops[o].kind == T_APPEND && txn->ops[o].key == read->key &&
            (!left-- || read->list[left] != txn->ops[o].value))
            return false;
    return true;
}

/* The base under the own appends must be what was read before. */
static bool t_repeats_list(const struct t_txn *txn, int op)
{
    const struct t_op *read = &txn->ops[op];
    int own = 0;
    for (int o = op; o-- > 0;) {
        if (txn->ops[o].key != read->key)
            continue;
        if (txn->ops[o].kind == T_APPEND) {
            own++;
        } else if (txn->ops[o].kind == T_LIST) {
            if (txn->ops[o].length + own != read->length)
                return false;
            for (int i = 0; i < txn->ops[o].length; i++)
                if (txn->ops[o].list[i] != read->list[i])
                    return false;
            return true;
        }
    }
    return true;
}

static bool t_is_internal(const struct t_txn *txn, bool repeatable)
{
    for (int op = 0; op < txn->count; op++) {
        const struct t_op *read = &txn->ops[op];
        if (read->kind == T_LIST &&
            (!t_ends_with_own(txn, op) || (repeatable && !t_repeats_list(txn, op))))
            return false;
        for (int key = 0; key < T_KEYS; key++) {
            int own = T_UNNAMED, earlier = T_UNNAMED, returned = t_returned(read, key);
            for (int o = 0; o < op; o++) {
                if (t_returned(&txn->ops[o], key) != T_UNNAMED)
                    earlier = t_returned(&txn->ops[o], key);
                if (t_writes(&txn->ops[o], key))
                    own = earlier = t_written(&txn->ops[o], key);
            }
            if (t_is_predicate(read) && own != T_UNNAMED &&
                returned != (t_matches(read, own) ? own : T_UNNAMED))
                return false;
            if (returned == T_UNNAMED)
                continue;
            const int must = repeatable ? earlier : own;
            if (must != T_UNNAMED && must != returned)
                return false;
        }
    }
    return true;
}

static bool t_all_internal(const struct t_world *w, bool own, bool repeatable)
{
    for (int t = 0; t < w->h->count; t++)
        if (w->in[t] && (own || repeatable) && !t_is_internal(&w->h->txns[t], repeatable))
            return false;
    return true;
}

/* ---- versions and reads of a world ---- */

static bool t_is_last_write(const struct t_txn *txn, int op, int key)
{
    for (int o = op + 1; o < txn->count; o++)
        if (t_writes(&txn->ops[o], key))
            return false;
    return t_writes(&txn->ops[op], key);
}

static void t_find_versions(struct t_world *w, bool single)
{
    for (int key = 0; key < T_KEYS; key++) {
        w->version[key][0] = (struct t_version){ -1, -1, w->h->init[key] };
        w->versions[key] = 1;
        for (int t = 0; t < w->h->count; t++)
            for (int op = 0; w->in[t] && op < w->h->txns[t].count; op++)
                if (w->h->txns[t].ops[op].kind == T_APPEND || single
                        ? t_writes(&w->h->txns[t].ops[op], key)
                        : t_is_last_write(&w->h->txns[t], op, key))
                    w->version[key][w->versions[key]++] =
                        (struct t_version){ t, op, t_written(&w->h->txns[t].ops[op], key) };
    }
}

static void t_add_read(struct t_world *w, int t, int op, int key, bool single)
{
    const struct t_op *o = &w->h->txns[t].ops[op];
    const int returned = t_returned(o, key);
    struct t_read *read = &w->read[w->reads++];
    assert_true(w->reads <= T_READS);
    *read = (struct t_read){ .txn = t, .op = op, .key = key };
    read->left_out = t_is_predicate(o) && returned == T_UNNAMED;
    for (int v = 0; v < w->versions[key]; v++) {
        const struct t_version *version = &w->version[key][v];
        const bool fits =
            read->left_out ? !t_matches(o, version->value)
            : o->kind == T_LIST
                ? (o->length ? version->txn >= 0 && version->value == o->list[o->length - 1]
                             : version->txn < 0)
                : version->value == returned;
        const bool is_other = version->txn != t || (single && version->op != op);
        /* Of what a transaction appends only the last is a version to be read. */
        const bool is_final = single || version->txn < 0 ||
                              t_is_last_write(&w->h->txns[version->txn], version->op, key);
        if (fits && is_other && is_final)
            read->choices[read->count++] = v;
    }
    w->is_consistent &= read->count > 0;
}

/* A list with what its own transaction appends only later, and no other. */
static bool t_is_future(const struct t_history *h, int t, int op)
{
    const struct t_op *read = &h->txns[t].ops[op];
    for (int o = op + 1; read->kind == T_LIST && o < h->txns[t].count; o++)
        for (int i = 0; h->txns[t].ops[o].kind == T_APPEND && i < read->length; i++)
            if (h->txns[t].ops[o].key == read->key && h->txns[t].ops[o].value == read->list[i])
                return true;
    return false;
}

/* Reads that depend on others; with 'single' own ones too. */
static void t_find_reads(struct t_world *w, bool single)
{
    w->reads = 0;
    w->is_consistent = true;
    for (int t = 0; t < w->h->count; t++)
        for (int op = 0; w->in[t] && op < w->h->txns[t].count; op++) {
            const struct t_op *o = &w->h->txns[t].ops[op];
            w->is_consistent &= single || !t_is_future(w->h, t, op);
            for (int key = 0; key < T_KEYS; key++)
                if ((t_reads(o, key) || t_is_predicate(o)) &&
                    (single || !t_wrote_before(&w->h->txns[t], op, key)))
                    t_add_read(w, t, op, key, single);
        }
}

/* A row that was returned and does not match rules out everything. */
static bool t_rows_match(const struct t_world *w)
{
    for (int t = 0; t < w->h->count; t++)
        for (int op = 0; w->in[t] && op < w->h->txns[t].count; op++)
            for (int key = 0; key < T_KEYS; key++) {
                const struct t_op *o = &w->h->txns[t].ops[op];
                if (t_is_predicate(o) && t_returned(o, key) != T_UNNAMED &&
                    !t_matches(o, t_returned(o, key)))
                    return false;
            }
    return true;
}

/* Is every list that was read the beginning of the order at hand?  With 'only_ours', of what came
 * to be. */
static bool t_lists_agree(const struct t_world *w, int key, bool only_ours)
{
    for (int t = 0; t < w->h->count; t++)
        for (int op = 0; w->in[t] && op < w->h->txns[t].count; op++) {
            const struct t_op *o = &w->h->txns[t].ops[op];
            int place = 1;
            for (int i = 0; o->kind == T_LIST && o->key == key && i < o->length; i++) {
                bool ours = false;
                for (int v = 1; v < w->versions[key]; v++)
                    ours |= w->version[key][v].value == o->list[i];
                if (only_ours && !ours)
                    continue;
                if (place >= w->versions[key] ||
                    w->version[key][w->at[key][place]].value != o->list[i])
                    return false;
                place++;
            }
        }
    return true;
}

/* Does the order agree with the one that was given, and with each transaction's own? */
static bool t_order_is_possible(const struct t_world *w, int key)
{
    for (int i = 1; i < w->versions[key]; i++)
        for (int j = i + 1; j < w->versions[key]; j++) {
            const struct t_version *a = &w->version[key][w->at[key][i]];
            const struct t_version *b = &w->version[key][w->at[key][j]];
            if (a->txn == b->txn ? a->op > b->op
                                 : w->h->has_order[key] && t_is_given_before(w->h, b->txn, a->txn))
                return false;
        }
    return true;
}

/* ---- dependencies (semantics 3) ---- */

struct t_graph {
    t_relation ww, wr, rw, rwp;
};

static int t_place_of(const struct t_world *w, int key, int version)
{
    int place = 0;
    while (w->at[key][place] != version)
        place++;
    return place;
}

static bool t_matches_at(const struct t_world *w, const struct t_read *read, int place)
{
    return t_matches(&w->h->txns[read->txn].ops[read->op],
                     w->version[read->key][w->at[read->key][place]].value);
}

static void t_add_edges(const struct t_world *w, const struct t_read *read, struct t_graph *g)
{
    const int key = read->key, seen = t_place_of(w, key, read->choices[read->picked]);
    for (int place = 1; place < w->versions[key]; place++) {
        const int writer = w->version[key][w->at[key][place]].txn;
        if (writer == read->txn)
            continue;
        if (!read->left_out) {
            g->wr[writer][read->txn] |= place == seen;
            g->rw[read->txn][writer] |= place > seen;
        } else if (t_matches_at(w, read, place) != t_matches_at(w, read, place - 1)) {
            (place <= seen ? g->wr[writer]
                           : g->rwp[read->txn])[place <= seen ? read->txn : writer] = true;
        }
    }
}

static bool t_shape_holds(struct t_graph *g, t_relation extra, enum t_shape shape, int n)
{
    t_relation dep, r;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            dep[i][j] = g->ww[i][j] || extra[i][j] || (shape != T_RU && g->wr[i][j]);
    memcpy(r, dep, sizeof r);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (shape == T_SER || shape == T_RR)
                r[i][j] |= g->rw[i][j] || (shape == T_SER && g->rwp[i][j]);
            else if (shape == T_SI)
                for (int k = 0; k < n; k++)
                    r[i][j] |= dep[i][k] && (g->rw[k][j] || g->rwp[k][j]);
    if (!t_is_acyclic(r, n))
        return false;
    if (shape != T_CV)
        return true;
    t_close(dep, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if ((g->rw[i][j] || g->rwp[i][j]) && dep[j][i])
                return false;
    return true;
}

static void t_extra(const struct t_world *w, const struct t_level *level, t_relation extra)
{
    memset(extra, 0, sizeof(t_relation));
    for (int t = 0; t < w->h->count; t++)
        for (int u = 0; u < w->h->count; u++)
            if (w->in[t] && w->in[u] && t != u)
                extra[t][u] =
                    (level->so && t_in_session(w->h, t, u)) || (level->rt && t_in_time(w->h, t, u));
}

static void t_judge(struct t_world *w, struct t_graph *g, bool only_writes)
{
    for (int i = 0; i < T_LEVELS; i++) {
        const struct t_level *level = &t_levels[i];
        t_relation extra;
        if (w->holds[i] || (level->shape == T_RU) != only_writes)
            continue;
        t_extra(w, level, extra);
        w->holds[i] =
            t_shape_holds(g, extra, level->shape, w->h->count) &&
            ((level->shape != T_SER && level->shape != T_SI) || t_all_internal(w, true, true));
    }
}

static void t_try_sources(struct t_world *w, int at)
{
    struct t_graph g;
    if (w->steps-- < 0)
        return;
    for (w->read[at].picked = 0; at < w->reads && w->read[at].picked < w->read[at].count;
         w->read[at].picked++)
        t_try_sources(w, at + 1);
    if (at < w->reads)
        return;
    memset(&g, 0, sizeof g);
    for (int key = 0; key < T_KEYS; key++)
        for (int i = 1; i + 1 < w->versions[key]; i++) {
            const int a = w->version[key][w->at[key][i]].txn;
            const int b = w->version[key][w->at[key][i + 1]].txn;
            g.ww[a][b] |= a != b;
        }
    for (int r = 0; r < w->reads; r++)
        t_add_edges(w, &w->read[r], &g);
    t_judge(w, &g, false);
}

static void t_judge_writes(struct t_world *w)
{
    struct t_graph g;
    memset(&g, 0, sizeof g);
    for (int key = 0; key < T_KEYS; key++)
        for (int i = 1; i + 1 < w->versions[key]; i++) {
            const int a = w->version[key][w->at[key][i]].txn;
            const int b = w->version[key][w->at[key][i + 1]].txn;
            g.ww[a][b] |= a != b;
        }
    t_judge(w, &g, true);
}

/* A list that is read must end where the order at hand has its last element. */
static bool t_lists_are_versions(const struct t_world *w)
{
    for (int key = 0; key < T_KEYS; key++)
        if (!t_lists_agree(w, key, false))
            return false;
    return true;
}

static void t_try_orders(struct t_world *w, int key, int placed)
{
    if (key == T_KEYS) {
        t_judge_writes(w);
        if (w->is_consistent && t_lists_are_versions(w))
            t_try_sources(w, 0);
        return;
    }
    if (placed == w->versions[key]) {
        if (t_order_is_possible(w, key) && t_lists_agree(w, key, true))
            t_try_orders(w, key + 1, 1);
        return;
    }
    for (int i = placed; i < w->versions[key]; i++) {
        const int other = w->at[key][i];
        w->at[key][i] = w->at[key][placed];
        w->at[key][placed] = other;
        t_try_orders(w, key, placed + 1);
        w->at[key][placed] = w->at[key][i];
        w->at[key][i] = other;
    }
}

static void t_judge_dependencies(struct t_world *w)
{
    t_find_versions(w, false);
    t_find_reads(w, false);
    for (int key = 0; key < T_KEYS; key++)
        for (int v = 0; v < T_VERSIONS; v++)
            w->at[key][v] = v;
    t_try_orders(w, 0, 1);
}

/* ---- commit orders (semantics 4) ---- */

static int t_unit_of(const struct t_world *w, int txn, int op)
{
    int unit = 0;
    while (w->unit_txn[unit] != txn || (w->axiom->single && w->unit_op[unit] != op))
        unit++;
    return unit;
}

static bool t_find_units(struct t_world *w)
{
    w->units = 0;
    for (int t = 0; t < w->h->count; t++)
        for (int op = 0; w->in[t] && op < (w->axiom->single ? w->h->txns[t].count : 1); op++) {
            if (w->units == T_UNITS)
                return false;
            w->unit_txn[w->units] = t;
            w->unit_op[w->units++] = op;
        }
    for (int u = 0; u < w->units; u++)
        for (int v = 0; v < w->units; v++)
            w->so[u][v] = t_in_session(w->h, w->unit_txn[u], w->unit_txn[v]) ||
                          (w->unit_txn[u] == w->unit_txn[v] && w->unit_op[u] < w->unit_op[v]);
    return true;
}

static int t_source_unit(const struct t_world *w, const struct t_read *read)
{
    const struct t_version *version = &w->version[read->key][read->choices[read->picked]];
    return version->txn < 0 ? -1 : t_unit_of(w, version->txn, version->op);
}

static bool t_unit_writes(const struct t_world *w, int unit, int key)
{
    const struct t_txn *txn = &w->h->txns[w->unit_txn[unit]];
    for (int op = 0; op < txn->count; op++)
        if ((!w->axiom->single || op == w->unit_op[unit]) && t_writes(&txn->ops[op], key))
            return true;
    return false;
}

static bool t_both_write(const struct t_world *w, int u, int v)
{
    for (int key = 0; key < T_KEYS; key++)
        if (t_unit_writes(w, u, key) && t_unit_writes(w, v, key))
            return true;
    return false;
}

static bool t_then(t_relation a, t_relation b, int n, int x, int y)
{
    for (int k = 0; k < n; k++)
        if (a[x][k] && b[k][y])
            return true;
    return false;
}

/* Of the levels with wr ; po: an item read, as far as the level speaks only of these. */
static bool t_read_earlier(const struct t_world *w, int t2, const struct t_read *read)
{
    for (int i = 0; i < w->reads; i++)
        if (w->read[i].txn == read->txn && w->read[i].op < read->op &&
            t_source_unit(w, &w->read[i]) == t2)
            return true;
    return false;
}

static bool t_phi(struct t_world *w, int t2, const struct t_read *read)
{
    const int n = w->units, t3 = read->unit;
    static t_relation sos, r;
    memcpy(sos, w->so, sizeof sos);
    for (int i = 0; i < n; i++)
        sos[i][i] = true;
    memset(r, 0, sizeof r);
    switch (w->axiom->phi) {
    case T_READ_EARLIER:
        return t_read_earlier(w, t2, read);
    case T_ATOMIC:
        return w->so[t2][t3] || w->wr[t2][t3];
    case T_OWN:
        return w->so[t2][t3];
    case T_SEEN:
        return t_then(w->wr, w->so, n, t2, t3);
    case T_WRITTEN:
        return t_then(w->so, w->wr, n, t2, t3);
    case T_ANSWERED:
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                r[i][j] = t_then(w->wr, sos, n, i, j);
        return t_then(r, w->wr, n, t2, t3);
    case T_PIPED:
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                r[i][j] = t_then(sos, w->wr, n, i, j);
        return w->so[t2][t3] || t_then(r, sos, n, t2, t3);
    case T_PREFIX:
        for (int i = 0; i < n; i++)
            if ((w->so[i][t3] || w->wr[i][t3]) && w->place[t2] <= w->place[i])
                return true;
        return false;
    case T_CAUSAL:
    case T_PARALLEL:
    case T_UPDATES:
        break;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            r[i][j] =
                w->so[i][j] || w->wr[i][j] ||
                (w->axiom->phi != T_CAUSAL && w->place[i] < w->place[j] && t_both_write(w, i, j));
    if (w->axiom->phi != T_UPDATES)
        t_close(r, n);
    return r[t2][t3];
}

static bool t_keeps_axiom(struct t_world *w)
{
    for (int i = 0; i < w->reads; i++) {
        const struct t_read *read = &w->read[i];
        const int source = t_source_unit(w, read);
        /* monotonic-atomic-view speaks of item reads. */
        if (read->left_out && w->axiom->id == ESSE_LEVEL_MONOTONIC_ATOMIC_VIEW)
            continue;
        for (int t2 = 0; t2 < w->units; t2++)
            if (t2 != source && t2 != read->unit && t_unit_writes(w, t2, read->key) &&
                (source < 0 || w->place[t2] > w->place[source]) && t_phi(w, t2, read))
                return false;
    }
    return true;
}

static bool t_try_axiom_sources(struct t_world *w, int at)
{
    if (w->steps-- < 0)
        return false;
    if (at == w->reads) {
        memset(w->wr, 0, sizeof w->wr);
        for (int i = 0; i < w->reads; i++)
            if (t_source_unit(w, &w->read[i]) >= 0)
                w->wr[t_source_unit(w, &w->read[i])][w->read[i].unit] = true;
        return t_keeps_axiom(w);
    }
    struct t_read *read = &w->read[at];
    for (read->picked = 0; read->picked < read->count; read->picked++) {
        const int source = t_source_unit(w, read);
        if ((source < 0 || w->place[source] < w->place[read->unit]) &&
            t_try_axiom_sources(w, at + 1))
            return true;
    }
    return false;
}

/* The versions in the order of the commits must agree with what is known. */
static bool t_versions_agree(struct t_world *w)
{
    for (int key = 0; key < T_KEYS; key++) {
        int count = 1;
        w->at[key][0] = 0;
        for (int place = 0; place < w->units; place++)
            for (int v = 1; v < w->versions[key]; v++)
                if (w->place[t_unit_of(w, w->version[key][v].txn, w->version[key][v].op)] == place)
                    w->at[key][count++] = v;
        if (!t_order_is_possible(w, key) || !t_lists_agree(w, key, false))
            return false;
    }
    return true;
}

static bool t_try_commits(struct t_world *w, int placed)
{
    if (placed == w->units)
        return t_versions_agree(w) && t_try_axiom_sources(w, 0);
    for (int u = 0; u < w->units && w->steps-- > 0; u++) {
        bool may = w->place[u] < 0;
        for (int v = 0; may && v < w->units; v++)
            may = w->place[v] >= 0 || !w->so[v][u] || !w->axiom->sessions;
        if (!may)
            continue;
        w->place[u] = placed;
        if (t_try_commits(w, placed + 1))
            return true;
        w->place[u] = -1;
    }
    return false;
}

static bool t_has_predicates(const struct t_history *h)
{
    for (int t = 0; t < h->count; t++)
        for (int op = 0; op < h->txns[t].count; op++)
            if (t_is_predicate(&h->txns[t].ops[op]))
                return true;
    return false;
}

static bool t_judge_axiom(struct t_world *w, const struct t_axiom *axiom)
{
    w->axiom = axiom;
    t_find_versions(w, axiom->single);
    t_find_reads(w, axiom->single);
    if (!t_find_units(w))
        return false;
    if (!w->is_consistent || !t_all_internal(w, axiom->own, axiom->repeatable))
        return false;
    for (int i = 0; i < w->reads; i++)
        w->read[i].unit = t_unit_of(w, w->read[i].txn, w->read[i].op);
    for (int u = 0; u < w->units; u++)
        w->place[u] = -1;
    return t_try_commits(w, 0);
}

/* ---- all worlds ---- */

static bool t_shows(const struct t_op *read, int key, int value)
{
    for (int i = 0; read->kind == T_LIST && read->key == key && i < read->length; i++)
        if (read->list[i] == value)
            return true;
    return t_returned(read, key) == value;
}

static int t_writers(const struct t_history *h, int key, int value)
{
    int count = 0;
    for (int t = 0; t < h->count; t++)
        for (int op = 0; op < h->txns[t].count; op++)
            count += h->txns[t].status != ESSE_ABORTED && t_writes(&h->txns[t].ops[op], key) &&
                     t_written(&h->txns[t].ops[op], key) == value;
    return count;
}

/* Did one of this world read what only 'writer' can have written?  Then that committed. */
static bool t_is_observed(const struct t_world *w, int writer)
{
    const struct t_txn *txn = &w->h->txns[writer];
    for (int o = 0; o < txn->count; o++)
        for (int key = 0; key < T_KEYS; key++) {
            const int value = t_writes(&txn->ops[o], key) ? t_written(&txn->ops[o], key) : T_ABSENT;
            if (value == T_ABSENT || value == w->h->init[key] || t_writers(w->h, key, value) != 1)
                continue;
            for (int t = 0; t < w->h->count; t++)
                for (int op = 0; w->in[t] && op < w->h->txns[t].count; op++)
                    if (t_shows(&w->h->txns[t].ops[op], key, value) &&
                        (w->h->txns[t].ops[op].kind == T_LIST ||
                         !t_wrote_before(&w->h->txns[t], op, key)))
                        return true;
        }
    return false;
}

static bool t_is_world(const struct t_world *w)
{
    for (int t = 0; t < w->h->count; t++)
        if (!w->in[t] && w->h->txns[t].status == ESSE_UNKNOWN_OUTCOME && t_is_observed(w, t))
            return false;
    return true;
}

struct t_verdicts {
    enum t_truth of[ESSE_LEVEL_END];
};

static void t_judge_world(struct t_world *w)
{
    if (!t_rows_match(w))
        return;
    w->steps = T_STEPS;
    t_judge_dependencies(w);
    for (int i = 0; i < T_AXIOMS && w->steps >= 0; i++)
        if (!w->holds_axiom[i])
            w->holds_axiom[i] = t_judge_axiom(w, &t_axioms[i]);
}

static inline struct t_verdicts t_truth_of(const struct t_history *h)
{
    bool holds[T_LEVELS] = { false }, holds_axiom[T_AXIOMS] = { false }, all = true;
    struct t_world w = { .h = h, .holds = holds, .holds_axiom = holds_axiom };
    struct t_verdicts verdicts;
    for (unsigned world = 0; world < 1u << h->count; world++) {
        bool possible = true;
        for (int t = 0; t < h->count; t++) {
            w.in[t] = world >> t & 1;
            possible &= h->txns[t].status == ESSE_UNKNOWN_OUTCOME ||
                        w.in[t] == (h->txns[t].status == ESSE_COMMITTED);
        }
        if (possible && t_is_world(&w))
            t_judge_world(&w);
        all &= !possible || w.steps >= 0;
    }
    for (int id = 0; id < ESSE_LEVEL_END; id++)
        verdicts.of[id] = T_NOT_KNOWN;
    for (int i = 0; i < T_LEVELS; i++)
        verdicts.of[t_levels[i].id] = holds[i] ? T_HOLDS : all ? T_VIOLATED : T_NOT_KNOWN;
    for (int i = 0; i < T_AXIOMS; i++)
        if (!t_axioms[i].single || !t_has_predicates(h))
            verdicts.of[t_axioms[i].id] = holds_axiom[i] ? T_HOLDS : all ? T_VIOLATED : T_NOT_KNOWN;
    return verdicts;
}

#endif
