#ifndef ESSE_TESTS_GEN_ORACLE_H
#define ESSE_TESTS_GEN_ORACLE_H

/*
 * What the generator's tests believe: a sink that keeps a small history, and checks of it written
 * straight from semantics.md with matrices and loops.  It shares no code with the generator and
 * none with the engines.  At most ORACLE_TXNS transactions and ORACLE_KEYS keys.
 */
#include "base/arena.h"
#include "history/record.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORACLE_TXNS = 40, ORACLE_KEYS = 64, ORACLE_VERSIONS = 64, ORACLE_NAMES = 16 };
enum { WW = 1, WR = 2, RW = 4, WRP = 8, RWP = 16, SO = 32, RT = 64 };

struct oracle_txn {
    struct esse_txn_record record; /* with copies of everything it points at */
    bool counts;                   /* in the committed set of semantics.md section 1 */
};

struct oracle_version {
    int txn;
    esse_value value;
};

struct oracle {
    struct esse_sink sink;
    struct esse_arena *arena;
    struct oracle_txn txns[ORACLE_TXNS];
    int txn_count;
    esse_value init[ORACLE_KEYS]; /* ESSE_NIL: absent */
    struct esse_version_ref refs[ORACLE_KEYS][ORACLE_VERSIONS];
    int ref_count[ORACLE_KEYS];
    struct oracle_version versions[ORACLE_KEYS][ORACLE_VERSIONS]; /* of the committed set */
    int version_count[ORACLE_KEYS];
    int order[ORACLE_TXNS];
    int order_count;
    bool has_order;
    int edges[ORACLE_TXNS][ORACLE_TXNS];
    const char *found[ORACLE_NAMES]; /* anomalies, each once */
    int found_count;
};

/* ---- the sink ---- */

static bool oracle_is_int(esse_value value)
{
    return esse_value_tag(value) == ESSE_TAG_INT;
}

static int64_t oracle_int(esse_value value)
{
    assert(oracle_is_int(value));
    return (int64_t)value.word >> 3;
}

static int oracle_key(esse_value value)
{
    const int64_t key = oracle_int(value);
    assert(key >= 0 && key < ORACLE_KEYS);
    return (int)key;
}

static void *oracle_copy(struct oracle *o, const void *from, size_t count, size_t size)
{
    void *to = esse_arena_alloc(o->arena, count + 1, size);
    if (count)
        memcpy(to, from, count * size);
    return to;
}

static bool oracle_header(struct esse_sink *sink, const struct esse_header_record *header,
                          struct esse_error *err)
{
    (void)sink, (void)header, (void)err;
    return true;
}

static bool oracle_init_rows(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                             struct esse_error *err)
{
    struct oracle *o = (struct oracle *)sink;
    (void)err;
    for (size_t i = 0; i < count; i++)
        o->init[oracle_key(rows[i].key)] = rows[i].value;
    return true;
}

static bool oracle_take(struct esse_sink *sink, const struct esse_txn_record *txn,
                        struct esse_error *err)
{
    struct oracle *o = (struct oracle *)sink;
    (void)err;
    assert(o->txn_count < ORACLE_TXNS);
    size_t items = 0, rows = 0;
    for (size_t i = 0; i < txn->op_count; i++) {
        const struct esse_op_record *op = &txn->ops[i];
        if (op->kind >= ESSE_OP_PREDICATE_READ) {
            rows = op->first + op->count > rows ? op->first + op->count : rows;
            size_t vset_end = op->vset_first + op->vset_count;
            rows = op->has_vset && vset_end > rows ? vset_end : rows;
            if (op->result_first + op->result_count > items)
                items = op->result_first + op->result_count;
        } else if (op->is_list)
            items = op->first + op->count > items ? op->first + op->count : items;
    }
    struct oracle_txn *to = &o->txns[o->txn_count++];
    to->record = *txn;
    to->record.ops = oracle_copy(o, txn->ops, txn->op_count, sizeof *txn->ops);
    to->record.items = oracle_copy(o, txn->items, items, sizeof *txn->items);
    to->record.rows = oracle_copy(o, txn->rows, rows, sizeof *txn->rows);
    return true;
}

static bool oracle_versions(struct esse_sink *sink, esse_value key,
                            const struct esse_version_ref *versions, size_t count,
                            struct esse_error *err)
{
    struct oracle *o = (struct oracle *)sink;
    (void)err;
    assert(count <= ORACLE_VERSIONS);
    memcpy(o->refs[oracle_key(key)], versions, count * sizeof *versions);
    o->ref_count[oracle_key(key)] = (int)count;
    return true;
}

static int oracle_named(const struct oracle *o, esse_value name)
{
    for (int t = 0; t < o->txn_count; t++)
        if (esse_value_eq(o->txns[t].record.name, name))
            return t;
    abort(); /* a name that does not exist */
}

static bool oracle_order(struct esse_sink *sink, const esse_value *names, size_t count,
                         struct esse_error *err)
{
    struct oracle *o = (struct oracle *)sink;
    (void)err;
    o->has_order = true;
    for (size_t i = 0; i < count; i++)
        o->order[o->order_count++] = oracle_named(o, names[i]);
    return true;
}

static void oracle_report(struct oracle *o, const char *name)
{
    for (int i = 0; i < o->found_count; i++)
        if (strcmp(o->found[i], name) == 0)
            return;
    assert(o->found_count < ORACLE_NAMES);
    o->found[o->found_count++] = name;
}

static bool oracle_lost(struct esse_sink *sink, const esse_value *names, size_t count,
                        struct esse_error *err)
{
    struct oracle *o = (struct oracle *)sink;
    (void)names, (void)err;
    if (count)
        oracle_report(o, "lost-commit");
    return true;
}

static bool oracle_certificate(struct esse_sink *sink,
                               const struct esse_certificate_record *certificate,
                               struct esse_error *err)
{
    (void)sink, (void)certificate, (void)err;
    return true;
}

static bool oracle_finish(struct esse_sink *sink, struct esse_error *err)
{
    (void)sink, (void)err;
    return true;
}

static struct oracle *oracle_new(struct esse_arena *arena)
{
    struct oracle *o = esse_arena_alloc(arena, 1, sizeof *o);
    o->arena = arena;
    o->sink = (struct esse_sink){ .values = esse_values_new(arena),
                                  .header = oracle_header,
                                  .init = oracle_init_rows,
                                  .txn = oracle_take,
                                  .version_order = oracle_versions,
                                  .order = oracle_order,
                                  .lost = oracle_lost,
                                  .certificate = oracle_certificate,
                                  .finish = oracle_finish };
    for (int k = 0; k < ORACLE_KEYS; k++)
        o->init[k] = ESSE_NIL;
    return o;
}

/* ---- what was written and seen ---- */

static bool oracle_has(const struct oracle *o, const char *name)
{
    for (int i = 0; i < o->found_count; i++)
        if (strcmp(o->found[i], name) == 0)
            return true;
    return false;
}

/* What an operation writes to a key: ESSE_NIL for a delete, ESSE_NONE if nothing. */
static esse_value oracle_written(const struct esse_txn_record *txn, const struct esse_op_record *op,
                                 int key)
{
    if (op->kind == ESSE_OP_PREDICATE_UPDATE) {
        for (size_t i = 0; i < op->count; i++)
            if (oracle_key(txn->rows[op->first + i].key) == key)
                return txn->rows[op->first + i].next;
        return ESSE_NONE;
    }
    if (op->kind == ESSE_OP_READ || op->kind == ESSE_OP_PREDICATE_READ ||
        oracle_key(op->key) != key)
        return ESSE_NONE;
    return op->kind == ESSE_OP_DELETE ? ESSE_NIL : op->value;
}

/* Whether the transaction writes the value to the key; is it its last word on it? */
static bool oracle_writes(const struct esse_txn_record *txn, int key, esse_value value,
                          bool *is_last)
{
    bool found = false;
    for (size_t i = 0; i < txn->op_count; i++) {
        esse_value written = oracle_written(txn, &txn->ops[i], key);
        if (esse_value_eq(written, ESSE_NONE))
            continue;
        *is_last = esse_value_eq(written, value);
        found |= esse_value_eq(written, value);
    }
    return found;
}

static bool oracle_touches(const struct esse_txn_record *txn, int key)
{
    for (size_t i = 0; i < txn->op_count; i++)
        if (!esse_value_eq(oracle_written(txn, &txn->ops[i], key), ESSE_NONE))
            return true;
    return false;
}

static int oracle_writer(const struct oracle *o, int key, esse_value value)
{
    bool is_last;
    for (int t = 0; t < o->txn_count; t++)
        if (oracle_writes(&o->txns[t].record, key, value, &is_last))
            return t;
    return -1;
}

/* Calls 'see' for every version that an operation returned. */
typedef void oracle_see(struct oracle *o, int txn, int key, esse_value value, void *context);

static void oracle_each_seen(struct oracle *o, int t, oracle_see *see, void *context)
{
    const struct esse_txn_record *txn = &o->txns[t].record;
    for (size_t i = 0; i < txn->op_count; i++) {
        const struct esse_op_record *op = &txn->ops[i];
        if (op->kind >= ESSE_OP_PREDICATE_READ)
            for (size_t r = 0; r < op->count; r++)
                see(o, t, oracle_key(txn->rows[op->first + r].key), txn->rows[op->first + r].value,
                    context);
        else if (op->kind == ESSE_OP_READ && op->is_list)
            for (size_t r = 0; r < op->count; r++)
                see(o, t, oracle_key(op->key), txn->items[op->first + r], context);
        else if (op->kind == ESSE_OP_READ && oracle_is_int(op->value))
            see(o, t, oracle_key(op->key), op->value, context);
    }
}

static void oracle_mark(struct oracle *o, int t, int key, esse_value value, void *context)
{
    int writer = oracle_writer(o, key, value);
    (void)t;
    if (writer >= 0 && !o->txns[writer].counts &&
        o->txns[writer].record.status == ESSE_UNKNOWN_OUTCOME) {
        o->txns[writer].counts = true;
        *(bool *)context = true;
    }
}

/* Committed, or unknown and seen by one that counts. */
static void oracle_count_txns(struct oracle *o)
{
    for (int t = 0; t < o->txn_count; t++)
        o->txns[t].counts = o->txns[t].record.status == ESSE_COMMITTED;
    for (bool again = true; again;) {
        again = false;
        for (int t = 0; t < o->txn_count; t++)
            if (o->txns[t].counts)
                oracle_each_seen(o, t, oracle_mark, &again);
    }
    for (int key = 0; key < ORACLE_KEYS; key++)
        for (int i = 0; i < o->ref_count[key]; i++) {
            struct esse_version_ref ref = o->refs[key][i];
            bool by_name = !esse_value_eq(ref.txn, ESSE_NONE);
            int t = by_name ? oracle_named(o, ref.txn) : oracle_writer(o, key, ref.value);
            assert(t >= 0 && oracle_touches(&o->txns[t].record, key));
            if (o->txns[t].counts)
                o->versions[key][o->version_count[key]++] =
                    (struct oracle_version){ t, by_name ? ESSE_NIL : ref.value };
        }
}

/* ---- edges ---- */

static void oracle_edge(struct oracle *o, int from, int to, int type)
{
    if (from >= 0 && to >= 0 && from != to && o->txns[from].counts && o->txns[to].counts)
        o->edges[from][to] |= type;
}

/* The version's place in the order, from 1; 0 is the initial version.  -1 if it has none, or
 * several: a row that is absent may be so from the start, or by each of several deletes. */
static int oracle_place(const struct oracle *o, int key, esse_value value)
{
    int place = esse_value_eq(value, o->init[key]) ? 0 : -1;
    for (int i = 0; i < o->version_count[key]; i++)
        if (esse_value_eq(o->versions[key][i].value, value)) {
            if (place >= 0)
                return -1;
            place = i + 1;
        }
    return place;
}

static void oracle_read_edges(struct oracle *o, int t, int key, esse_value value)
{
    int place = oracle_place(o, key, value);
    if (place > 0)
        oracle_edge(o, o->versions[key][place - 1].txn, t, WR);
    if (place >= 0 && place < o->version_count[key])
        oracle_edge(o, t, o->versions[key][place].txn, RW);
}

static bool oracle_range(const struct oracle *o, const struct esse_op_record *op, esse_value value)
{
    char room[8], text[100];
    struct esse_span span = esse_value_text(o->sink.values, op->key, room);
    long long low, high;
    snprintf(text, sizeof text, "%.*s", (int)span.length, span.at);
    int got = sscanf(strstr(text, "v >= "), "v >= %lld AND v <= %lld", &low, &high);
    assert(got == 2);
    return oracle_is_int(value) && oracle_int(value) >= low && oracle_int(value) <= high;
}

/* Whether an aggregate over these values, of which those count that are in the range, is what the
 * operation returned. */
static bool oracle_aggregate_agrees(const struct oracle *o, const struct esse_txn_record *txn,
                                    const struct esse_op_record *op, const esse_value *values,
                                    size_t count)
{
    char room[8];
    const char *text = esse_value_text(o->sink.values, op->key, room).at;
    int64_t rows = 0, sum = 0, least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < count; i++)
        if (oracle_range(o, op, values[i])) {
            const int64_t value = oracle_int(values[i]);
            rows++;
            sum += value;
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
    assert(op->result_count == 1);
    const esse_value result = txn->items[op->result_first];
    const bool is_count = strncmp(text, "SELECT count(*) FROM rows ", 26) == 0;
    if (!rows && !is_count)
        return esse_value_eq(result, ESSE_NIL);
    const int64_t expected = is_count                                             ? rows
                             : strncmp(text, "SELECT sum(v) FROM rows ", 24) == 0 ? sum
                             : strncmp(text, "SELECT min(v + 0) FROM ", 23) == 0  ? least
                                                                                  : most;
    return esse_value_eq(result, esse_value_int(o->sink.values, expected));
}

static esse_value oracle_version_at(const struct oracle *o, int key, int place)
{
    return place == 0 ? o->init[key] : o->versions[key][place - 1].value;
}

/* Predicate edges of one key, for a predicate operation that saw the version at 'place'. */
static void oracle_predicate_edges(struct oracle *o, int t, const struct esse_op_record *op,
                                   int key, int place)
{
    for (int v = 1; v <= o->version_count[key]; v++) {
        bool before = oracle_range(o, op, oracle_version_at(o, key, v - 1));
        bool after = oracle_range(o, op, oracle_version_at(o, key, v));
        if (before == after)
            continue;
        if (v <= place)
            oracle_edge(o, o->versions[key][v - 1].txn, t, WRP);
        else
            oracle_edge(o, t, o->versions[key][v - 1].txn, RWP);
    }
}

/* The one version that a key can have had where a predicate did not return it; -1 if there are
 * several, -2 if there is none. */
static int oracle_unseen(const struct oracle *o, const struct esse_op_record *op, int key)
{
    int place = -2;
    for (int v = 0; v <= o->version_count[key]; v++)
        if (!oracle_range(o, op, oracle_version_at(o, key, v)))
            place = place == -2 ? v : -1;
    return place;
}

static void oracle_match_edges(struct oracle *o, int t, size_t at)
{
    const struct esse_txn_record *txn = &o->txns[t].record;
    const struct esse_op_record *op = &txn->ops[at];
    for (int key = 0; !op->no_rows && key < ORACLE_KEYS; key++) {
        bool is_own = false, is_seen = false;
        for (size_t i = 0; i < at; i++)
            is_own |= !esse_value_eq(oracle_written(txn, &txn->ops[i], key), ESSE_NONE);
        if (is_own)
            continue;
        for (size_t r = 0; r < op->count; r++)
            if (oracle_key(txn->rows[op->first + r].key) == key) {
                esse_value value = txn->rows[op->first + r].value;
                int place = oracle_place(o, key, value);
                is_seen = true;
                if (!oracle_range(o, op, value))
                    oracle_report(o, "result-set-mismatch");
                oracle_read_edges(o, t, key, value);
                if (place >= 0)
                    oracle_predicate_edges(o, t, op, key, place);
            }
        int place = is_seen ? -1 : oracle_unseen(o, op, key);
        if (place >= 0)
            oracle_predicate_edges(o, t, op, key, place);
        else if (place == -2)
            oracle_report(o, "predicate-read-miss");
    }
}

/* The state that a list read saw before the transaction's own appends. */
static esse_value oracle_list_state(const struct esse_txn_record *txn, size_t at)
{
    const struct esse_op_record *op = &txn->ops[at];
    size_t count = op->count;
    for (; count > 0; count--) {
        bool is_own = false;
        for (size_t i = 0; i < at; i++)
            is_own |= esse_value_eq(oracle_written(txn, &txn->ops[i], oracle_key(op->key)),
                                    txn->items[op->first + count - 1]);
        if (!is_own)
            return txn->items[op->first + count - 1];
    }
    return ESSE_NIL;
}

static void oracle_item_edges(struct oracle *o, int t, size_t at)
{
    const struct esse_txn_record *txn = &o->txns[t].record;
    const struct esse_op_record *op = &txn->ops[at];
    if (op->is_list) {
        oracle_read_edges(o, t, oracle_key(op->key), oracle_list_state(txn, at));
        return;
    }
    for (size_t i = 0; i < at; i++)
        if (!esse_value_eq(oracle_written(txn, &txn->ops[i], oracle_key(op->key)), ESSE_NONE))
            return;
    if (!esse_value_eq(op->value, ESSE_NONE))
        oracle_read_edges(o, t, oracle_key(op->key), op->value);
}

static void oracle_time_edges(struct oracle *o, int a, int b)
{
    const struct esse_txn_record *first = &o->txns[a].record, *second = &o->txns[b].record;
    if (a < b && esse_value_eq(first->session, second->session))
        oracle_edge(o, a, b, SO);
    if (first->end != ESSE_NO_TIME && first->end < second->start)
        oracle_edge(o, a, b, RT);
}

static void oracle_build(struct oracle *o)
{
    oracle_count_txns(o);
    for (int key = 0; key < ORACLE_KEYS; key++)
        for (int v = 1; v < o->version_count[key]; v++)
            oracle_edge(o, o->versions[key][v - 1].txn, o->versions[key][v].txn, WW);
    for (int t = 0; t < o->txn_count; t++)
        for (size_t i = 0; o->txns[t].counts && i < o->txns[t].record.op_count; i++) {
            enum esse_op_kind kind = o->txns[t].record.ops[i].kind;
            if (kind >= ESSE_OP_PREDICATE_READ)
                oracle_match_edges(o, t, i);
            else if (kind == ESSE_OP_READ)
                oracle_item_edges(o, t, i);
        }
    for (int a = 0; a < o->txn_count; a++)
        for (int b = 0; b < o->txn_count; b++)
            oracle_time_edges(o, a, b);
}

/* ---- cycles ---- */

static void oracle_close(bool reach[ORACLE_TXNS][ORACLE_TXNS], int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; reach[i][k] && j < n; j++)
                reach[i][j] |= reach[k][j];
}

static bool oracle_acyclic(const struct oracle *o, int types)
{
    static bool reach[ORACLE_TXNS][ORACLE_TXNS];
    for (int i = 0; i < o->txn_count; i++)
        for (int j = 0; j < o->txn_count; j++)
            reach[i][j] = o->edges[i][j] & types;
    oracle_close(reach, o->txn_count);
    for (int i = 0; i < o->txn_count; i++)
        if (reach[i][i])
            return false;
    return true;
}

/* (base ; rw?) has no cycle. */
static bool oracle_si_acyclic(const struct oracle *o, int base)
{
    static bool reach[ORACLE_TXNS][ORACLE_TXNS];
    memset(reach, 0, sizeof reach);
    for (int i = 0; i < o->txn_count; i++)
        for (int j = 0; j < o->txn_count; j++)
            if (o->edges[i][j] & base) {
                reach[i][j] = true;
                for (int k = 0; k < o->txn_count; k++)
                    reach[i][k] |= (o->edges[j][k] & (RW | RWP)) != 0;
            }
    oracle_close(reach, o->txn_count);
    for (int i = 0; i < o->txn_count; i++)
        if (reach[i][i])
            return false;
    return true;
}

/* Elle's name of a cycle given by the types of its steps. */
static const char *oracle_cycle_name(const int *steps, int count)
{
    static const char *const names[7][3] = {
        { "G0", "G0-process", "G0-realtime" },
        { "G1c", "G1c-process", "G1c-realtime" },
        { "G-single-item", "G-single-item-process", "G-single-item-realtime" },
        { "G-single", "G-single-process", "G-single-realtime" },
        { "G-nonadjacent-item", "G-nonadjacent-item-process", "G-nonadjacent-item-realtime" },
        { "G-nonadjacent", "G-nonadjacent-process", "G-nonadjacent-realtime" },
        { "G2-item", "G2-item-process", "G2-item-realtime" },
    };
    static const char *const g2[3] = { "G2", "G2-process", "G2-realtime" };
    int all = 0, anti = 0;
    bool adjacent = false;
    for (int i = 0; i < count; i++) {
        all |= steps[i];
        anti += (steps[i] & (RW | RWP)) != 0;
        adjacent |= (steps[i] & (RW | RWP)) && (steps[(i + 1) % count] & (RW | RWP));
    }
    int suffix = all & RT ? 2 : all & SO ? 1 : 0, predicate = (all & RWP) != 0;
    if (anti > 1 && adjacent)
        return predicate ? g2[suffix] : names[6][suffix];
    if (anti > 1)
        return names[4 + predicate][suffix];
    if (anti == 1)
        return names[2 + predicate][suffix];
    return names[(all & (WR | WRP)) != 0][suffix];
}

/* Walks every simple cycle from 'steps', every choice among parallel edges. */
static void oracle_walk(struct oracle *o, int start, int at, bool *on_path, int *steps, int count)
{
    for (int next = start; next < o->txn_count; next++) {
        if (next != start && on_path[next])
            continue;
        for (int type = WW; type <= RT; type *= 2) {
            if (!(o->edges[at][next] & type))
                continue;
            steps[count] = type;
            if (next == start) {
                oracle_report(o, oracle_cycle_name(steps, count + 1));
            } else {
                on_path[next] = true;
                oracle_walk(o, start, next, on_path, steps, count + 1);
                on_path[next] = false;
            }
        }
    }
}

/* Drops the edges that are on no cycle, so that the walk is short. */
static void oracle_keep_cycles(struct oracle *o)
{
    static bool reach[ORACLE_TXNS][ORACLE_TXNS];
    for (int i = 0; i < o->txn_count; i++)
        for (int j = 0; j < o->txn_count; j++)
            reach[i][j] = o->edges[i][j];
    oracle_close(reach, o->txn_count);
    for (int i = 0; i < o->txn_count; i++)
        for (int j = 0; j < o->txn_count; j++)
            if (!reach[j][i])
                o->edges[i][j] = 0;
}

static void oracle_find_cycles(struct oracle *o)
{
    bool on_path[ORACLE_TXNS] = { 0 };
    int steps[ORACLE_TXNS];
    oracle_keep_cycles(o);
    for (int start = 0; start < o->txn_count; start++)
        oracle_walk(o, start, start, on_path, steps, 0);
}

#endif
