#ifndef ESSE_TESTS_UNIT_APPENDS_ORACLE_H
#define ESSE_TESTS_UNIT_APPENDS_ORACLE_H

/*
 * Lists in which an element may be there twice, or appended twice, by brute force: which unknown
 * transactions committed, and which append made which element, is tried in all ways.  With both
 * chosen every element has a name of its own, and the oracles for such histories say what holds.
 */
#include "axiom_oracle.h"
#include "load_text.h"

enum { L_TXNS = 5, L_OPS = 3, L_KEYS = 2, L_ITEMS = 8 };

struct l_op {
    bool is_append;
    int key, value;
    int items[L_ITEMS], count;
};

struct l_txn {
    enum esse_status status;
    int session, start, end;
    int count;
    struct l_op ops[L_OPS];
};

struct l_history {
    int count;
    bool has_times;
    struct l_txn txns[L_TXNS];
};

/* The operations that made the elements of a key's longest list, as txn * L_OPS + op, where it is
 * chosen. */
struct l_choice {
    const struct l_history *h;
    unsigned world; /* transactions that count, by bit */
    const struct l_op *longest[L_KEYS];
    int made[L_KEYS][L_ITEMS];
    bool used[L_TXNS * L_OPS];
};

/* ---- as text ---- */

static int l_name(const struct l_choice *choice, int key, int place)
{
    return choice ? 10 + choice->made[key][place] : 0;
}

static void l_put_op(struct esse_out *out, const struct l_op *op, int number,
                     const struct l_choice *choice)
{
    if (op->is_append) {
        esse_out_f(out, "{'a':'k%d','v':%d}", op->key, choice ? 10 + number : op->value);
        return;
    }
    esse_out_f(out, "{'r':'k%d','v':[", op->key);
    for (int i = 0; i < op->count; i++)
        esse_out_f(out, "%s%d", i ? "," : "", choice ? l_name(choice, op->key, i) : op->items[i]);
    esse_out_text(out, "]}");
}

/* As it was recorded; or, with a choice, what counts and by the names that say which operation made
 * what.  The end of one of unknown outcome says nothing. */
static const char *l_text(struct esse_arena *arena, const struct l_history *h,
                          const struct l_choice *choice)
{
    static const char *const statuses[] = { "committed", "aborted", "unknown" };
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    esse_out_init_memory(out, arena);
    for (int t = 0; t < h->count; t++) {
        const struct l_txn *txn = &h->txns[t];
        if (choice && !(choice->world >> t & 1))
            continue;
        esse_out_f(out, "{'session':%d,'txn':'t%d','status':'%s'", txn->session, t,
                   choice ? "committed" : statuses[txn->status]);
        if (h->has_times)
            esse_out_f(out, ",'start':%d", txn->start);
        if (h->has_times && txn->status == ESSE_COMMITTED)
            esse_out_f(out, ",'end':%d", txn->end);
        esse_out_text(out, ",'ops':[");
        for (int i = 0; i < txn->count; i++) {
            esse_out_text(out, i ? "," : "");
            l_put_op(out, &txn->ops[i], t * L_OPS + i, choice);
        }
        esse_out_text(out, "]}\n");
    }
    return esse_out_memory(out);
}

/* ---- all choices ---- */

static const struct {
    const char *level;
    enum b_rule rule;
    bool so, rt;
} l_orders[] = {
    { "read-committed", B_COMMITTED, false, false },
    { "strong-session-read-committed", B_COMMITTED, true, false },
    { "strong-read-committed", B_COMMITTED, true, true },
    { "snapshot-isolation", B_SNAPSHOT, false, false },
    { "strong-session-snapshot-isolation", B_SNAPSHOT, true, false },
    { "strong-snapshot-isolation", B_SNAPSHOT, true, true },
    { "serializable", B_SERIAL, false, false },
    { "strong-session-serializable", B_SERIAL, true, false },
    { "strict-serializable", B_SERIAL, true, true },
};
enum { L_ORDERS = sizeof l_orders / sizeof *l_orders, L_LEVELS = L_ORDERS + A_LEVELS };

static inline const char *l_level(int at)
{
    return at < L_ORDERS ? l_orders[at].level : a_levels[at - L_ORDERS].name;
}

struct l_answer {
    bool holds[L_LEVELS], is_asked[L_LEVELS]; /* not all are small enough */
};

/* Does a transaction read what it appends itself only later?  No level of transactions allows it.
 */
static bool l_reads_future(const struct l_choice *choice)
{
    for (int t = 0; t < choice->h->count; t++)
        for (int i = 0; i < choice->h->txns[t].count; i++) {
            const struct l_op *op = &choice->h->txns[t].ops[i];
            for (int n = 0; (choice->world >> t & 1) && !op->is_append && n < op->count; n++)
                if (choice->made[op->key][n] / L_OPS == t && choice->made[op->key][n] % L_OPS > i)
                    return true;
        }
    return false;
}

/* Is an append missing, or later, that its transaction made before one that the list has?  Then the
 * list is no state of the key. */
static bool l_is_against_program(const struct l_choice *choice, int key)
{
    int at[L_TXNS * L_OPS];
    for (int i = 0; i < L_TXNS * L_OPS; i++)
        at[i] = L_ITEMS;
    for (int n = 0; choice->longest[key] && n < choice->longest[key]->count; n++)
        at[choice->made[key][n]] = n;
    for (int t = 0; t < choice->h->count; t++)
        for (int i = 0; i < choice->h->txns[t].count; i++)
            for (int j = i + 1; j < choice->h->txns[t].count; j++) {
                const struct l_op *a = &choice->h->txns[t].ops[i], *b = &choice->h->txns[t].ops[j];
                if (a->is_append && b->is_append && a->key == key && b->key == key &&
                    at[t * L_OPS + j] < at[t * L_OPS + i])
                    return true;
            }
    return false;
}

/* What holds in the history of a choice, in which every element has one appender. */
static void l_ask(const struct l_choice *choice, struct l_answer *answer)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *h = load_text(arena, "native", l_text(arena, choice->h, choice));
    bool wrong = l_reads_future(choice);
    for (int key = 0; key < L_KEYS; key++)
        wrong |= l_is_against_program(choice, key);
    struct b_history b;
    assert_true(b_open(&b, h));
    for (int i = 0; i < L_ORDERS; i++)
        if (!answer->holds[i] && !wrong)
            answer->holds[i] = b_holds(&b, l_orders[i].rule, l_orders[i].so, l_orders[i].rt);
    for (int i = 0; i < A_LEVELS; i++) {
        struct a_history a;
        bool refuted, can = a_open(&a, &b, &a_levels[i], &refuted);
        answer->is_asked[L_ORDERS + i] &= can || refuted;
        if (!answer->holds[L_ORDERS + i] && can && (a_levels[i].single || !wrong))
            answer->holds[L_ORDERS + i] = a_try_choices(&a, 0);
    }
    esse_arena_free(arena);
}

static void l_choose(struct l_choice *choice, int key, int place, struct l_answer *answer)
{
    while (key < L_KEYS && (!choice->longest[key] || place == choice->longest[key]->count)) {
        key++;
        place = 0;
    }
    if (key == L_KEYS) {
        l_ask(choice, answer);
        return;
    }
    for (int t = 0; t < choice->h->count; t++)
        for (int i = 0; i < choice->h->txns[t].count; i++) {
            const struct l_op *op = &choice->h->txns[t].ops[i];
            if (!(choice->world >> t & 1) || choice->used[t * L_OPS + i] || !op->is_append ||
                op->key != key || op->value != choice->longest[key]->items[place])
                continue;
            choice->used[t * L_OPS + i] = true;
            choice->made[key][place] = t * L_OPS + i;
            l_choose(choice, key, place + 1, answer);
            choice->used[t * L_OPS + i] = false;
        }
}

/* The longest list of each key; false if another one contradicts it. */
static bool l_find_longest(struct l_choice *choice)
{
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < choice->h->count; t++)
            for (int i = 0; i < choice->h->txns[t].count; i++) {
                const struct l_op *op = &choice->h->txns[t].ops[i];
                const struct l_op **longest = &choice->longest[op->key];
                if (op->is_append || !(choice->world >> t & 1))
                    continue;
                if (!pass && (!*longest || op->count > (*longest)->count))
                    *longest = op;
                for (int n = 0; pass && n < op->count; n++)
                    if (op->items[n] != (*longest)->items[n])
                        return false;
            }
    return true;
}

static inline struct l_answer l_decide(const struct l_history *h)
{
    struct l_answer answer = { { false }, { false } };
    for (int i = 0; i < L_LEVELS; i++)
        answer.is_asked[i] = true;
    for (unsigned world = 0; world < 1u << h->count; world++) {
        bool is_one = true;
        for (int t = 0; t < h->count; t++)
            is_one &= h->txns[t].status == ESSE_UNKNOWN_OUTCOME ||
                      (world >> t & 1) == (h->txns[t].status == ESSE_COMMITTED);
        struct l_choice choice = { .h = h, .world = world };
        if (is_one && l_find_longest(&choice))
            l_choose(&choice, 0, 0, &answer);
    }
    return answer;
}

/* ---- random ones ---- */

static void l_random_read(struct esse_rng *rng, const int *state, int count, struct l_op *op)
{
    op->count = esse_rng_below(rng, 4) ? count : (int)esse_rng_below(rng, (uint32_t)count + 1);
    for (int i = 0; i < op->count; i++)
        op->items[i] = state[i];
    if (!esse_rng_below(rng, 10) && op->count < L_ITEMS)
        op->items[op->count++] = 1 + (int)esse_rng_below(rng, 3);
    if (!esse_rng_below(rng, 12) && op->count > 1) {
        int last = op->items[op->count - 1];
        op->items[op->count - 1] = op->items[0];
        op->items[0] = last;
    }
}

/* Run one after the other, at states that may be a little old, and now and then damaged. */
static inline void l_random(struct l_history *h, struct esse_rng *rng)
{
    int state[L_KEYS][L_ITEMS], count[L_KEYS] = { 0 };
    const uint32_t keys = 1 + esse_rng_below(rng, L_KEYS), sessions = 1 + esse_rng_below(rng, 3);
    memset(h, 0, sizeof *h);
    h->count = 2 + (int)esse_rng_below(rng, L_TXNS - 1);
    h->has_times = esse_rng_below(rng, 2);
    for (int t = 0, now = 0; t < h->count; t++) {
        struct l_txn *txn = &h->txns[t];
        const uint32_t dice = esse_rng_below(rng, 10);
        txn->status = dice == 0 ? ESSE_ABORTED : dice < 3 ? ESSE_UNKNOWN_OUTCOME : ESSE_COMMITTED;
        txn->session = (int)esse_rng_below(rng, sessions);
        txn->start = now + 1;
        txn->end = txn->start + (int)esse_rng_below(rng, 12);
        now += (int)esse_rng_below(rng, 8);
        txn->count = 1 + (int)esse_rng_below(rng, L_OPS);
        for (int i = 0; i < txn->count; i++) {
            struct l_op *op = &txn->ops[i];
            op->key = (int)esse_rng_below(rng, keys);
            op->is_append = esse_rng_below(rng, 2);
            op->value = 1 + (int)esse_rng_below(rng, 3);
            if (!op->is_append)
                l_random_read(rng, state[op->key], count[op->key], op);
            else if (count[op->key] < L_ITEMS && (dice || esse_rng_below(rng, 2)))
                state[op->key][count[op->key]++] = op->value;
        }
    }
}

#endif
