#include "engine/engine.h"
#include "history/certificate.h"
#include "load_text.h"

/*
 * Joins as predicates over pairs of rows, against their definition: small runs of a store with
 * known commits and snapshots; every row, every version of it, and a cycle in a matrix.
 */
enum { TXNS = 5, OPS = 4, KEYS = 4, ABSENT = 0, TEXTS = 4 };

static const char *const keys[KEYS] = { "a/1", "a/2", "b/1", "b/2" };

/* The tables are the keys [first .. first + 2). */
static const struct text {
    const char *sql;
    int left, right, below;
    bool has_rows;
} texts[TEXTS] = {
    { "SELECT count(*) FROM a JOIN b ON a.v = b.v", 0, 2, 9, false },
    { "SELECT count(*) FROM a JOIN b ON a.v = b.v WHERE a.v < 3", 0, 2, 3, false },
    { "SELECT count(*) FROM a x JOIN a y ON x.v = y.v", 0, 0, 9, false },
    { "SELECT * FROM a JOIN b ON a.v = b.v", 0, 2, 9, true },
};

struct op {
    const struct text *text; /* NULL: a write */
    int key, value;          /* ABSENT: a delete */
};

struct txn {
    struct op ops[OPS];
    int count, snapshot;
};

/* Transactions commit in the order of their numbers. */
struct run {
    struct esse_rng rng;
    struct txn txns[TXNS];
    int count;
    int init[KEYS];
};

static int below(struct run *run, uint32_t limit)
{
    return (int)esse_rng_below(&run->rng, limit);
}

static void make_run(struct run *run, uint64_t seed)
{
    *run = (struct run){ .rng = { seed } };
    run->count = 2 + below(run, TXNS - 1);
    for (int k = 0; k < KEYS; k++)
        run->init[k] = below(run, 4);
    for (int t = 0; t < run->count; t++) {
        struct txn *txn = &run->txns[t];
        txn->snapshot = below(run, (uint32_t)t + 1);
        txn->count = 1 + below(run, OPS);
        for (int o = 0; o < txn->count; o++)
            txn->ops[o] = (struct op){ below(run, 5) < 2 ? &texts[below(run, TEXTS)] : NULL,
                                       below(run, KEYS), below(run, 4) };
    }
}

/* ---- states ---- */

/* What the operations of a transaction before 'end' made of a key; false if nothing. */
static bool wrote(const struct txn *txn, int end, int key, int *value)
{
    bool found = false;
    for (int o = 0; o < end; o++)
        if (!txn->ops[o].text && txn->ops[o].key == key) {
            *value = txn->ops[o].value;
            found = true;
        }
    return found;
}

static int state(const struct run *run, int key, int commits)
{
    int value = run->init[key];
    for (int t = 0; t < commits; t++)
        wrote(&run->txns[t], run->txns[t].count, key, &value);
    return value;
}

/* The same as operation 'o' of 't' sees it. */
static int view(const struct run *run, int t, int o, int key, int commits)
{
    int value = state(run, key, commits);
    wrote(&run->txns[t], o, key, &value);
    return value;
}

static bool pairs(const struct text *text, int left, int right)
{
    return left != ABSENT && left == right && left < text->below;
}

/* ---- as text ---- */

static void put_join(struct esse_out *out, const struct run *run, int t, int o)
{
    const struct text *text = run->txns[t].ops[o].text;
    const int n = run->txns[t].snapshot;
    bool takes_part[KEYS] = { false };
    int count = 0;
    for (int x = text->left; x < text->left + 2; x++)
        for (int y = text->right; y < text->right + 2; y++)
            if (pairs(text, view(run, t, o, x, n), view(run, t, o, y, n))) {
                takes_part[x] = takes_part[y] = true;
                count++;
            }
    esse_out_f(out, "{'p':'%s',", text->sql);
    if (!text->has_rows) {
        esse_out_f(out, "'result':[%d]", count);
    } else {
        const char *comma = "";
        esse_out_text(out, "'rows':{");
        for (int k = 0; k < KEYS; k++)
            if (takes_part[k]) {
                esse_out_f(out, "%s'%s':%d", comma, keys[k], view(run, t, o, k, n));
                comma = ",";
            }
        esse_out_text(out, "}");
    }
    esse_out_f(out, ",'snapshot':%d}", n);
}

static void put_op(struct esse_out *out, const struct run *run, int t, int o)
{
    const struct op *op = &run->txns[t].ops[o];
    if (op->text)
        put_join(out, run, t, o);
    else if (op->value == ABSENT)
        esse_out_f(out, "{'d':'%s'}", keys[op->key]);
    else
        esse_out_f(out, "{'w':'%s','v':%d}", keys[op->key], op->value);
}

static const char *put(struct esse_arena *arena, const struct run *run)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    esse_out_text(out, "{'certificate':'commit-order'}\n"
                       "{'init':{");
    const char *comma = "";
    for (int k = 0; k < KEYS; k++)
        if (run->init[k] != ABSENT) {
            esse_out_f(out, "%s'%s':%d", comma, keys[k], run->init[k]);
            comma = ",";
        }
    esse_out_text(out, "}}\n");
    for (int t = 0; t < run->count; t++) {
        esse_out_f(out, "{'session':%d,'txn':'t%d','ops':[", t, t);
        for (int o = 0; o < run->txns[t].count; o++) {
            esse_out_text(out, o ? "," : "");
            put_op(out, run, t, o);
        }
        esse_out_text(out, "]}\n");
    }
    esse_out_text(out, "{'order':[");
    for (int t = 0; t < run->count; t++)
        esse_out_f(out, "%s't%d'", t ? "," : "", t);
    esse_out_text(out, "]}\n");
    return esse_out_memory(out);
}

/* ---- what the definitions say ---- */

enum { WW = 1, WR = 2, RW = 4, RWP = 8 }; /* WR: by predicates too */

struct graph {
    int edge[TXNS][TXNS];
};

static void add(struct graph *graph, int from, int to, int dep)
{
    if (from >= 0 && from != to)
        graph->edge[from][to] |= dep;
}

/* The row was returned, in the version of the snapshot. */
static void add_item(const struct run *run, struct graph *graph, int t, int key)
{
    int ignored, source = -1;
    for (int w = 0; w < run->count; w++) {
        if (!wrote(&run->txns[w], run->txns[w].count, key, &ignored))
            continue;
        if (w >= run->txns[t].snapshot) {
            add(graph, t, w, RW);
            break;
        }
        source = w;
    }
    add(graph, source, t, WR);
}

/* Of what others have as the reader saw it; 'also' had committed too, or -1. */
static int seen_with(const struct run *run, int t, int o, int key, int also)
{
    int value = state(run, key, run->txns[t].snapshot);
    if (also >= 0)
        wrote(&run->txns[also], run->txns[also].count, key, &value);
    wrote(&run->txns[t], o, key, &value);
    return value;
}

/* Does this value of the row go together with some other, or with itself? */
static bool is_paired(const struct run *run, int t, int o, int key, int value, int also)
{
    const struct text *text = run->txns[t].ops[o].text;
    for (int x = text->left; x < text->left + 2; x++)
        for (int y = text->right; y < text->right + 2; y++)
            if ((x == key || y == key) &&
                pairs(text, x == key ? value : seen_with(run, t, o, x, also),
                      y == key ? value : seen_with(run, t, o, y, also)))
                return true;
    return false;
}

/* A version of a row changes what the join returns if it goes together with what was seen, or if
 * the version before it did; one that was not seen also if it goes with what its own transaction
 * wrote. */
static void add_row(const struct run *run, struct graph *graph, int t, int o, int key)
{
    const int n = run->txns[t].snapshot;
    int ignored;
    if (wrote(&run->txns[t], o, key, &ignored))
        return;
    for (int w = 0; w < run->count; w++) {
        if (!wrote(&run->txns[w], run->txns[w].count, key, &ignored) ||
            (!is_paired(run, t, o, key, state(run, key, w), -1) &&
             !is_paired(run, t, o, key, state(run, key, w + 1), w < n ? -1 : w)))
            continue;
        if (w < n)
            add(graph, w, t, WR);
        else
            add(graph, t, w, RWP);
    }
    if (run->txns[t].ops[o].text->has_rows && is_paired(run, t, o, key, state(run, key, n), -1))
        add_item(run, graph, t, key);
}

static void make_graph(const struct run *run, struct graph *graph)
{
    int ignored;
    *graph = (struct graph){ 0 };
    for (int k = 0; k < KEYS; k++)
        for (int t = 0, last = -1; t < run->count; t++)
            if (wrote(&run->txns[t], run->txns[t].count, k, &ignored)) {
                add(graph, last, t, WW);
                last = t;
            }
    for (int t = 0; t < run->count; t++)
        for (int o = 0; o < run->txns[t].count; o++) {
            const struct text *text = run->txns[t].ops[o].text;
            for (int k = 0; text && k < 2; k++)
                add_row(run, graph, t, o, text->left + k);
            for (int k = 0; text && k < 2; k++)
                add_row(run, graph, t, o, text->right + k);
        }
}

/* Has (edges of 'first') ; (edges of 'then')? a cycle? */
static bool is_cyclic(const struct graph *graph, int first, int then)
{
    bool path[TXNS][TXNS] = { { false } };
    for (int a = 0; a < TXNS; a++)
        for (int b = 0; b < TXNS; b++) {
            path[a][b] |= (graph->edge[a][b] & first) != 0;
            for (int c = 0; c < TXNS && (graph->edge[a][b] & first); c++)
                path[a][c] |= (graph->edge[b][c] & then) != 0;
        }
    for (int b = 0; b < TXNS; b++)
        for (int a = 0; a < TXNS; a++)
            for (int c = 0; c < TXNS; c++)
                path[a][c] |= path[a][b] && path[b][c];
    for (int a = 0; a < TXNS; a++)
        if (path[a][a])
            return true;
    return false;
}

static const struct {
    const char *name;
    int first, then;
} levels[] = {
    { "serializable", WW | WR | RW | RWP, 0 },
    { "snapshot-isolation", WW | WR, RW | RWP },
    { "repeatable-read", WW | WR | RW, 0 },
    { "read-committed", WW | WR, 0 },
};
enum { LEVELS = sizeof levels / sizeof *levels };

TEST(joins__dsg_agrees_with_every_row_and_every_version)
{
    const unsigned rounds = test_rounds(2000);
    unsigned counts[LEVELS][3] = { { 0 } };
    const char *names[LEVELS];
    for (int i = 0; i < LEVELS; i++)
        names[i] = levels[i].name;
    for (unsigned round = 0; round < rounds; round++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_result *result;
        struct esse_error err;
        struct graph graph;
        struct run run;
        make_run(&run, round);
        make_graph(&run, &graph);
        const char *text = put(arena, &run);
        struct esse_history *history = load_text(arena, "native", text);
        const struct esse_check_options options = { .levels = names,
                                                    .level_count = LEVELS,
                                                    .engine = "dsg" };
        if (!esse_certificate_by_order(history, &err) || !esse_certificate_check(history, &err) ||
            !esse_check(arena, history, &options, &result, &err))
            fail_msg("round %u: %s\n%s", round, err.text, text);
        for (int i = 0; i < LEVELS; i++) {
            const bool cyclic = is_cyclic(&graph, levels[i].first, levels[i].then);
            const enum esse_outcome outcome = result->verdicts[i].outcome;
            counts[i][outcome]++;
            if (outcome != ESSE_UNKNOWN && outcome != (cyclic ? ESSE_VIOLATED : ESSE_HOLDS))
                fail_msg("round %u: %s: got %d, expected %s\n%s", round, levels[i].name,
                         (int)outcome, cyclic ? "violated" : "holds", text);
        }
        esse_arena_free(arena);
    }
    for (int i = 0; i < LEVELS; i++)
        print_message("%-20s %u hold, %u violated, %u unknown\n", levels[i].name,
                      counts[i][ESSE_HOLDS], counts[i][ESSE_VIOLATED], counts[i][ESSE_UNKNOWN]);
    /* A pair of which two others wrote a row each is no dependency on one of them. */
    CHECK(counts[0][ESSE_UNKNOWN] * 100 < rounds);
    CHECK(counts[0][ESSE_HOLDS] > rounds / 10 && counts[0][ESSE_VIOLATED] > rounds / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins__dsg_agrees_with_every_row_and_every_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
