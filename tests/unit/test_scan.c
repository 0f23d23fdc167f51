#include "evidence/recheck.h"
#include "scan_oracle.h"

/* ---- random histories ---- */

static struct o_op random_op(struct esse_rng *rng, bool lists, int *next)
{
    struct o_op op = { .key = (int)esse_rng_below(rng, O_KEYS) };
    uint32_t dice = esse_rng_below(rng, 10);
    op.kind = dice < 5 ? O_READ : lists ? O_APPEND : dice == 5 ? O_DELETE : O_WRITE;
    /* Mostly unique values; sometimes one that was used before. */
    op.value = esse_rng_below(rng, 8) ? ++*next : 1 + (int)esse_rng_below(rng, 4);
    if (op.kind == O_READ && !lists)
        op.value = (int)esse_rng_below(rng, (uint32_t)*next + 3) - 1;
    return op;
}

/* Reads of lists are mostly prefixes of one order a key, sometimes damaged. */
static void random_list(struct esse_rng *rng, struct o_op *op, int order[O_KEYS][O_LENGTH])
{
    op->is_list = esse_rng_below(rng, 10) > 0;
    op->value = O_UNREAD;
    if (!op->is_list)
        return;
    op->count = (int)esse_rng_below(rng, O_LENGTH + 1);
    for (int n = 0; n < op->count; n++)
        op->items[n] =
            esse_rng_below(rng, 12) ? order[op->key][n] : 1 + (int)esse_rng_below(rng, 9);
}

static void random_history(struct o_history *h, struct esse_rng *rng)
{
    int next = 0, order[O_KEYS][O_LENGTH];
    memset(h, 0, sizeof *h);
    h->lists = esse_rng_below(rng, 2);
    h->count = 1 + (int)esse_rng_below(rng, O_TXNS);
    for (int key = 0; key < O_KEYS; key++)
        for (int n = 0; n < O_LENGTH; n++)
            order[key][n] = 1 + (int)esse_rng_below(rng, 10);
    for (int t = 0; t < h->count; t++) {
        struct o_txn *txn = &h->txns[t];
        uint32_t dice = esse_rng_below(rng, 8);
        txn->status = dice == 0 ? ESSE_ABORTED : dice == 1 ? ESSE_UNKNOWN_OUTCOME : ESSE_COMMITTED;
        txn->count = (int)esse_rng_below(rng, O_OPS + 1);
        for (int i = 0; i < txn->count; i++) {
            txn->ops[i] = random_op(rng, h->lists, &next);
            if (h->lists && txn->ops[i].kind == O_READ)
                random_list(rng, &txn->ops[i], order);
        }
    }
}

static void record(struct esse_builder *builder, const struct o_op *op)
{
    static const char *const keys[O_KEYS] = { "x", "y" };
    esse_value key = esse_text(builder, keys[op->key]), items[O_LENGTH];
    for (int n = 0; n < op->count; n++)
        items[n] = esse_int(op->items[n]);
    if (op->kind == O_READ && op->is_list)
        esse_builder_read_list(builder, key, items, (size_t)op->count);
    else if (op->kind == O_READ)
        esse_builder_read(builder, key,
                          op->value == O_UNREAD ? ESSE_NONE
                          : op->value == O_NIL  ? esse_nil()
                                                : esse_int(op->value));
    else if (op->kind == O_WRITE)
        esse_builder_write(builder, key, esse_int(op->value));
    else if (op->kind == O_APPEND)
        esse_builder_append(builder, key, esse_int(op->value));
    else
        esse_builder_delete(builder, key);
}

static struct esse_history *build(struct esse_arena *arena, const struct o_history *h)
{
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history;
    struct esse_error err;
    for (int t = 0; t < h->count; t++) {
        esse_builder_begin(builder, esse_int(t % 3), NULL);
        for (int i = 0; i < h->txns[t].count; i++)
            record(builder, &h->txns[t].ops[i]);
        CHECK(esse_builder_end(builder, h->txns[t].status, &err));
    }
    CHECK(esse_builder_freeze(builder, &history, &err));
    return history;
}

/* ---- the engine against the oracle ---- */

/* Is it violated iff the history has an anomaly?  Without one it is also if each case has one: of
 * an open outcome, or of which operation appended an element (test_worlds and test_appends check
 * these). */
static bool follows(const struct esse_verdict *verdict, bool has_anomaly)
{
    if (has_anomaly)
        return verdict->outcome == ESSE_VIOLATED;
    return verdict->outcome == ESSE_UNKNOWN ||
           (verdict->outcome == ESSE_VIOLATED &&
            (verdict->way_count || verdict->anomalies[0].supposed_count));
}

static bool agrees(const struct o_history *h, bool quiet)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_result *result;
    struct esse_error err;
    bool found[O_TYPES], same = true;
    o_find(h, found);
    struct esse_history *history = build(arena, h);
    struct esse_check_options options = { .engine = "scan" };
    if (!esse_check(arena, history, &options, &result, &err)) {
        if (!quiet)
            print_error("esse_check failed: %s\n", err.text);
        esse_arena_free(arena);
        return false;
    }
    for (int type = 0; type < O_TYPES; type++) {
        bool reported = false;
        for (uint32_t i = 0; i < result->anomaly_type_count; i++)
            reported |= strcmp(esse_anomaly_name(result->anomaly_types[i]), o_names[type]) == 0;
        if (reported != found[type] && !quiet)
            print_error("%s: oracle %d, engine %d\n", o_names[type], found[type], reported);
        same &= reported == found[type];
    }
    same &= follows(&result->verdicts[0], result->anomaly_type_count);
    esse_arena_free(arena);
    return same;
}

static void print_history(const struct o_history *h)
{
    static const char *const kinds[] = { "r", "w", "a", "d" };
    for (int t = 0; t < h->count; t++) {
        print_error("  T%d status %d:", t, h->txns[t].status);
        for (int i = 0; i < h->txns[t].count; i++) {
            const struct o_op *op = &h->txns[t].ops[i];
            print_error(" %s(%c,%d", kinds[op->kind], 'x' + op->key, op->value);
            for (int n = 0; op->is_list && n < op->count; n++)
                print_error("%s%d", n ? " " : " [", op->items[n]);
            print_error(")");
        }
        print_error("\n");
    }
}

/* Drops transactions, then operations, as long as the disagreement stays. */
static void shrink(struct o_history *h)
{
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (int t = 0; t < h->count && !smaller; t++) {
            struct o_history less = *h;
            memmove(&less.txns[t], &less.txns[t + 1],
                    (size_t)(less.count - t - 1) * sizeof *less.txns);
            less.count--;
            smaller = !agrees(&less, true);
            for (int i = 0; i < h->txns[t].count && !smaller; i++) {
                less = *h;
                struct o_txn *txn = &less.txns[t];
                memmove(&txn->ops[i], &txn->ops[i + 1],
                        (size_t)(txn->count - i - 1) * sizeof *txn->ops);
                txn->count--;
                smaller = !agrees(&less, true);
            }
            if (smaller)
                *h = less;
        }
    }
}

TEST(test_scan__agrees_with_the_definitions)
{
    for (unsigned seed = test_first(3000), after = seed + test_rounds(3000); seed < after; seed++) {
        struct esse_rng rng = { seed };
        struct o_history h;
        random_history(&h, &rng);
        /* Which of two longest lists Elle follows when they contradict each other is a choice. */
        bool found[O_TYPES];
        o_find(&h, found);
        if (found[O_INCOMPATIBLE] && h.lists)
            continue;
        if (agrees(&h, true))
            continue;
        shrink(&h);
        print_error("seed %u, shrunk:\n", seed);
        print_history(&h);
        agrees(&h, false);
        fail();
    }
}

/* ---- the recheck against wrong evidence ---- */

/* Where the oracle says that an anomaly does not occur, no claim of it may pass. */
TEST(test_recheck__refuses_every_claim_of_what_did_not_happen)
{
    unsigned long refused = 0;
    for (unsigned seed = test_first(1500), after = seed + test_rounds(1500); seed < after; seed++) {
        struct esse_rng rng = { seed * 31 + 7 };
        struct o_history h;
        bool found[O_TYPES];
        random_history(&h, &rng);
        o_find(&h, found);
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = build(arena, &h);
        for (int tries = 0; tries < 60 && history->ops && history->keys; tries++) {
            int type = (int)esse_rng_below(&rng, O_TYPES);
            if (found[type] || (type == O_DIRTY_UPDATE && found[O_INCOMPATIBLE]))
                continue;
            struct esse_step steps[3];
            for (int s = 0; s < 3; s++) {
                uint32_t txn = esse_rng_below(&rng, history->txns);
                uint32_t op = esse_rng_below(&rng, history->ops);
                steps[s] = (struct esse_step){ { txn }, { op }, "" };
            }
            for (uint32_t count = 1; count <= 3; count++) {
                struct esse_anomaly claim = {
                    esse_anomaly_find(o_names[type])->id,    "",    true,
                    { esse_rng_below(&rng, history->keys) }, steps, count
                };
                struct esse_error err;
                CHECK(!esse_recheck_anomaly(history, &claim, NULL, &err));
                refused++;
            }
        }
        esse_arena_free(arena);
    }
    CHECK(refused > 1000);
}

/* A fixed history with one lost update, and every kind of damage to its evidence. */
static struct esse_history *lost_update(struct esse_arena *arena)
{
    struct o_history h = { .count = 3 };
    h.txns[0] = (struct o_txn){ ESSE_COMMITTED, 1, { { O_WRITE, 0, 1, false, 0, { 0 } } } };
    for (int t = 1; t < 3; t++)
        h.txns[t] = (struct o_txn){ ESSE_COMMITTED,
                                    2,
                                    { { O_READ, 0, 1, false, 0, { 0 } },
                                      { O_WRITE, 0, t + 1, false, 0, { 0 } } } };
    return build(arena, &h);
}

TEST(test_recheck__accepts_the_real_and_refuses_the_damaged)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = lost_update(arena);
    struct esse_error err;
    struct esse_step steps[] = { { { 1 }, { 1 }, "" }, { { 2 }, { 3 }, "" } };
    struct esse_anomaly claim = { ESSE_ANOMALY_LOST_UPDATE, "", true, { 0 }, steps, 2 };
    CHECK(esse_recheck_anomaly(history, &claim, NULL, &err));
    for (uint32_t op = 0; op < 8; op++) {
        if (op == 3)
            continue;
        steps[1].op.ix = op;
        CHECK(!esse_recheck_anomaly(history, &claim, NULL, &err));
        CHECK_EQ(err.code, ESSE_EBUG);
    }
    steps[1].op.ix = 3;
    steps[1].txn.ix = 1;
    CHECK(!esse_recheck_anomaly(history, &claim, NULL, &err));
    steps[1].txn.ix = 9;
    CHECK(!esse_recheck_anomaly(history, &claim, NULL, &err));
    steps[1].txn.ix = 2;
    claim.key.ix = 5;
    CHECK(!esse_recheck_anomaly(history, &claim, NULL, &err));
    claim.key.ix = 0;
    claim.type = ESSE_ANOMALY_G1A;
    CHECK(!esse_recheck_anomaly(history, &claim, NULL, &err));
    claim.type = ESSE_ANOMALY_NONE;
    CHECK(!esse_recheck_anomaly(history, &claim, NULL, &err));
    esse_arena_free(arena);
}

TEST(test_recheck__a_verdict_needs_evidence_that_the_level_forbids)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = lost_update(arena);
    struct esse_error err;
    struct esse_step steps[] = { { { 1 }, { 1 }, "" }, { { 2 }, { 3 }, "" } };
    struct esse_anomaly claim = { ESSE_ANOMALY_LOST_UPDATE, "", true, { 0 }, steps, 2 };
    struct esse_verdict verdict = { .level = ESSE_LEVEL_SERIALIZABLE,
                                    .outcome = ESSE_VIOLATED,
                                    .anomalies = &claim,
                                    .anomaly_count = 1 };
    const struct esse_level *si = esse_level_find("snapshot-isolation");
    const struct esse_level *rc = esse_level_find("read-committed");
    CHECK(esse_recheck_verdict(history, si, &verdict, NULL, &err));
    CHECK(!esse_recheck_verdict(history, rc, &verdict, NULL, &err));
    verdict.anomaly_count = 0;
    CHECK(!esse_recheck_verdict(history, si, &verdict, NULL, &err));
    verdict.outcome = ESSE_HOLDS;
    CHECK(!esse_recheck_verdict(history, si, &verdict, NULL, &err));
    verdict.outcome = ESSE_UNKNOWN;
    CHECK(esse_recheck_verdict(history, si, &verdict, NULL, &err));
    esse_arena_free(arena);
}

/* ---- esse_check itself ---- */

TEST(test_check__several_levels_share_one_scan_and_differ)
{
    struct esse_arena *arena = esse_arena_new();
    static const char *const levels[] = { "read-committed", "snapshot-isolation", "serializable" };
    struct esse_check_options options = { .levels = levels, .level_count = 3 };
    const struct esse_result *result;
    struct esse_error err;
    CHECK(esse_check(arena, lost_update(arena), &options, &result, &err));
    CHECK_EQ(result->verdicts[0].outcome, ESSE_HOLDS);
    CHECK(result->verdicts[0].rechecked);
    CHECK_EQ(result->verdicts[1].outcome, ESSE_VIOLATED);
    CHECK(result->verdicts[1].rechecked);
    CHECK_EQ(result->verdicts[2].outcome, ESSE_VIOLATED);
    CHECK_EQ(result->not_count, 2);
    CHECK_TEXT(result->not_levels[0], "cursor-stability");
    CHECK_TEXT(result->not_levels[1], "update-atomic");
    esse_arena_free(arena);
}

TEST(test_check__unknown_names_are_usage_errors)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = lost_update(arena);
    static const char *const levels[] = { "serialisable" };
    const struct esse_result *result;
    struct esse_error err;
    struct esse_check_options options = { .levels = levels, .level_count = 1 };
    CHECK(!esse_check(arena, history, &options, &result, &err));
    CHECK_EQ(err.code, ESSE_EUSAGE);
    CHECK(strstr(err.text, "serializable"));
    options = (struct esse_check_options){ .engine = "warp" };
    CHECK(!esse_check(arena, history, &options, &result, &err));
    CHECK_EQ(err.code, ESSE_EUSAGE);
    esse_arena_free(arena);
}

TEST(test_check__a_cancelled_check_is_unknown_and_says_why)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_budget budget = { .cancel = 1 };
    struct esse_check_options options = { .budget = &budget };
    const struct esse_result *result;
    struct esse_error err;
    CHECK(esse_check(arena, lost_update(arena), &options, &result, &err));
    CHECK_EQ(result->verdicts[0].outcome, ESSE_UNKNOWN);
    CHECK_EQ(result->verdicts[0].reason.id, ESSE_REASON_INTERRUPTED);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan__agrees_with_the_definitions),
        cmocka_unit_test(test_recheck__refuses_every_claim_of_what_did_not_happen),
        cmocka_unit_test(test_recheck__accepts_the_real_and_refuses_the_damaged),
        cmocka_unit_test(test_recheck__a_verdict_needs_evidence_that_the_level_forbids),
        cmocka_unit_test(test_check__several_levels_share_one_scan_and_differ),
        cmocka_unit_test(test_check__unknown_names_are_usage_errors),
        cmocka_unit_test(test_check__a_cancelled_check_is_unknown_and_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
