#include "load_text.h"
#include "predicate_oracle.h"

/*
 * Predicates without a certificate, by brute force: is there an order of the transactions, and for
 * snapshot isolation and prefix a snapshot for each, in which every read and every predicate
 * returns what it did?  Each transaction is a session of its own, and values repeat.
 */

enum rule { SERIAL, SNAPSHOT, PREFIX };

struct attempt {
    const struct p_history *h;
    int txns[P_TXNS + 1], count;    /* one more, for the compiler: it cannot see that they fit */
    int states[P_TXNS + 1][P_KEYS]; /* after so many commits */
    enum rule rule;
};

/* ---- replaying ---- */

static bool op_fits(const struct p_op *op, int *mine)
{
    if (op->kind == P_READ && mine[op->key] != op->value)
        return false;
    for (int key = 0; p_is_predicate(op) && key < P_KEYS; key++)
        if (op->rows[key] != (p_matches(op->predicate, mine[key]) ? mine[key] : P_UNNAMED))
            return false;
    for (int key = 0; key < P_KEYS; key++) {
        int written = p_written(op, key);
        mine[key] = written == P_UNNAMED ? mine[key] : written;
    }
    return true;
}

static bool fits(const struct p_txn *txn, const int *state)
{
    int mine[P_KEYS];
    memcpy(mine, state, sizeof mine);
    for (int i = 0; i < txn->count; i++)
        if (!op_fits(&txn->ops[i], mine))
            return false;
    return true;
}

static bool writes(const struct p_txn *txn, int key)
{
    for (int i = 0; i < txn->count; i++)
        if (p_written(&txn->ops[i], key) != P_UNNAMED)
            return true;
    return false;
}

static bool conflicts(const struct p_txn *a, const struct p_txn *b)
{
    for (int key = 0; key < P_KEYS; key++)
        if (writes(a, key) && writes(b, key))
            return true;
    return false;
}

static bool has_snapshot(const struct attempt *a, int place, const struct p_txn *txn)
{
    for (int snapshot = place; snapshot >= 0; snapshot--) {
        if (fits(txn, a->states[snapshot]))
            return true;
        if (a->rule == SERIAL || (a->rule == SNAPSHOT && snapshot > 0 &&
                                  conflicts(&a->h->txns[a->txns[snapshot - 1]], txn)))
            return false;
    }
    return false;
}

static void commit(struct attempt *a, int place, const struct p_txn *txn)
{
    memcpy(a->states[place + 1], a->states[place], sizeof a->states[place]);
    for (int i = 0; i < txn->count; i++)
        for (int key = 0; key < P_KEYS; key++)
            if (p_written(&txn->ops[i], key) != P_UNNAMED)
                a->states[place + 1][key] = p_written(&txn->ops[i], key);
}

static bool try_orders(struct attempt *a, int place)
{
    if (place == a->count)
        return true;
    for (int i = place; i < a->count; i++) {
        int chosen = a->txns[i];
        a->txns[i] = a->txns[place];
        a->txns[place] = chosen;
        if (has_snapshot(a, place, &a->h->txns[chosen])) {
            commit(a, place, &a->h->txns[chosen]);
            if (try_orders(a, place + 1))
                return true;
        }
        a->txns[place] = a->txns[i];
        a->txns[i] = chosen;
    }
    return false;
}

static bool holds(const struct p_history *h, enum rule rule)
{
    struct attempt a = { .h = h, .rule = rule };
    for (int t = 0; t < h->count; t++)
        if (h->txns[t].status == ESSE_COMMITTED)
            a.txns[a.count++] = t;
    memcpy(a.states[0], h->init, sizeof a.states[0]);
    return try_orders(&a, 0);
}

/* ---- random histories: snapshots that may be old, and some damage ---- */

static struct p_op random_op(struct esse_rng *rng, const int *mine)
{
    struct p_op op = { .kind = (enum p_kind)esse_rng_below(rng, 5),
                       .key = (int)esse_rng_below(rng, P_KEYS),
                       .value = (int)esse_rng_below(rng, 10) };
    op.predicate.kind = (int)esse_rng_below(rng, 3);
    op.predicate.low = (int)esse_rng_below(rng, op.predicate.kind == 2 ? 3 : 8);
    op.predicate.high = op.predicate.low + (int)esse_rng_below(rng, 5);
    if (op.kind == P_READ)
        op.value = mine[op.key];
    for (int key = 0; key < P_KEYS; key++) {
        op.rows[key] = p_matches(op.predicate, mine[key]) ? mine[key] : P_UNNAMED;
        op.next[key] = op.rows[key] == P_UNNAMED ? P_UNNAMED : (int)esse_rng_below(rng, 10);
    }
    return op;
}

static void random_history(struct p_history *h, struct esse_rng *rng)
{
    int states[P_TXNS + 1][P_KEYS], commits = 0;
    memset(h, 0, sizeof *h);
    for (int key = 0; key < P_KEYS; key++)
        states[0][key] = h->init[key] =
            esse_rng_below(rng, 3) ? (int)esse_rng_below(rng, 10) : P_ABSENT;
    h->count = 2 + (int)esse_rng_below(rng, P_TXNS - 1);
    for (int t = 0; t < h->count; t++) {
        struct p_txn *txn = &h->txns[t];
        int mine[P_KEYS];
        int age = (int)esse_rng_below(rng, 3);
        memcpy(mine, states[age < commits ? commits - age : commits], sizeof mine);
        txn->status = esse_rng_below(rng, 8) ? ESSE_COMMITTED : ESSE_ABORTED;
        txn->count = 1 + (int)esse_rng_below(rng, P_OPS - 1);
        for (int i = 0; i < txn->count; i++) {
            txn->ops[i] = random_op(rng, mine);
            op_fits(&txn->ops[i], mine);
        }
        if (txn->status != ESSE_COMMITTED)
            continue;
        struct attempt one = { .h = h };
        memcpy(one.states[commits], states[commits], sizeof states[commits]);
        commit(&one, commits, txn);
        memcpy(states[commits + 1], one.states[commits + 1], sizeof states[commits + 1]);
        commits++;
    }
}

/* A row that goes, a read that returns something else. */
static void damage(struct p_history *h, struct esse_rng *rng)
{
    struct p_txn *txn = &h->txns[esse_rng_below(rng, (uint32_t)h->count)];
    struct p_op *op = &txn->ops[esse_rng_below(rng, (uint32_t)txn->count)];
    const int key = (int)esse_rng_below(rng, P_KEYS);
    if (op->kind == P_READ)
        op->value = (int)esse_rng_below(rng, 10);
    else if (p_is_predicate(op))
        op->rows[key] = op->next[key] = P_UNNAMED;
}

TEST(test_polygraph__predicates_agree_with_all_orders)
{
    static const char *const levels[] = { "serializable", "snapshot-isolation", "prefix" };
    struct esse_rng rng = { 11 };
    unsigned counts[3][3] = { { 0 } };
    for (unsigned round = 0; round < test_rounds(1000); round++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_result *result;
        struct esse_error err;
        struct p_history h;
        random_history(&h, &rng);
        for (int i = 0; i < (int)(round % 3); i++)
            damage(&h, &rng);
        const char *text = p_write(arena, &h);
        struct esse_check_options options = { .levels = levels,
                                              .level_count = 3,
                                              .engine = round % 2 ? "polygraph" : NULL,
                                              .ablate = round / 2 % 128 };
        if (!esse_check(arena, load_text(arena, "native", text), &options, &result, &err))
            fail_msg("round %u: %s\n%s", round, err.text, text);
        for (int i = 0; i < 3; i++) {
            enum esse_outcome outcome = result->verdicts[i].outcome;
            bool truth = holds(&h, (enum rule)i);
            counts[i][outcome]++;
            if (outcome != ESSE_UNKNOWN && (outcome == ESSE_HOLDS) != truth)
                fail_msg("round %u: %s %s by definition\n%s", round, levels[i],
                         truth ? "holds" : "is violated", text);
        }
        esse_arena_free(arena);
    }
    for (int i = 0; i < 3; i++) {
        print_message("%-20s %u hold, %u violated, %u unknown\n", levels[i], counts[i][ESSE_HOLDS],
                      counts[i][ESSE_VIOLATED], counts[i][ESSE_UNKNOWN]);
        CHECK(counts[i][ESSE_HOLDS] > 100 && counts[i][ESSE_VIOLATED] > 50);
        CHECK_EQ(counts[i][ESSE_UNKNOWN], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polygraph__predicates_agree_with_all_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
