#include "evidence/recheck.h"
#include "load_text.h"
#include "predicate_oracle.h"

/* ---- random histories: a serial run, and then some damage ---- */

static struct p_predicate random_predicate(struct esse_rng *rng)
{
    struct p_predicate predicate = { .kind = (int)esse_rng_below(rng, 3) };
    predicate.low = (int)esse_rng_below(rng, predicate.kind == 2 ? 3 : 8);
    predicate.high = predicate.low + (int)esse_rng_below(rng, 8);
    return predicate;
}

static struct p_op random_op(struct esse_rng *rng, const int *state, const bool *own)
{
    struct p_op op = { .kind = (enum p_kind)esse_rng_below(rng, 5),
                       .key = (int)esse_rng_below(rng, P_KEYS),
                       .value = (int)esse_rng_below(rng, 10) };
    if (op.kind == P_DELETE && esse_rng_below(rng, 3))
        op.kind = P_PREDICATE; /* few deletes, so that some keys have none */
    if (op.kind == P_READ)
        op.value = state[op.key];
    op.predicate = random_predicate(rng);
    op.has_vset = esse_rng_below(rng, 2);
    const bool names_own = esse_rng_below(rng, 2);
    for (int key = 0; key < P_KEYS; key++) {
        op.rows[key] = p_matches(op.predicate, state[key]) ? state[key] : P_UNNAMED;
        op.next[key] = op.rows[key] == P_UNNAMED ? P_UNNAMED : (int)esse_rng_below(rng, 10);
        op.vset[key] = own[key] && !names_own ? P_UNNAMED : state[key];
    }
    return op;
}

/* Rows that come, go and change, and version sets that lie. */
static void damage(struct esse_rng *rng, struct p_op *op)
{
    const int key = (int)esse_rng_below(rng, P_KEYS), value = (int)esse_rng_below(rng, 10);
    if (!p_is_predicate(op))
        return;
    switch (esse_rng_below(rng, 4)) {
    case 0:
        op->rows[key] = op->next[key] = P_UNNAMED;
        break;
    case 1:
        op->rows[key] = value;
        op->next[key] = value + 1;
        break;
    case 2:
        op->vset[key] = esse_rng_below(rng, 2) ? P_ABSENT : value;
        break;
    default:
        op->vset[key] = P_UNNAMED;
    }
}

static void random_txn(struct esse_rng *rng, struct p_txn *txn, int *state)
{
    int mine[P_KEYS];
    bool own[P_KEYS] = { false };
    const uint32_t dice = esse_rng_below(rng, 6);
    txn->status = dice == 0 ? ESSE_ABORTED : dice == 1 ? ESSE_UNKNOWN_OUTCOME : ESSE_COMMITTED;
    txn->count = 1 + (int)esse_rng_below(rng, P_OPS);
    memcpy(mine, state, sizeof mine);
    for (int i = 0; i < txn->count; i++) {
        txn->ops[i] = random_op(rng, mine, own);
        for (int key = 0; key < P_KEYS; key++) {
            const int written = p_written(&txn->ops[i], key);
            mine[key] = written == P_UNNAMED ? mine[key] : written;
            own[key] |= written != P_UNNAMED;
        }
    }
    if (txn->status != ESSE_ABORTED)
        memcpy(state, mine, sizeof mine);
}

static void random_history(struct p_history *h, struct esse_rng *rng)
{
    int state[P_KEYS];
    memset(h, 0, sizeof *h);
    for (int key = 0; key < P_KEYS; key++)
        state[key] = h->init[key] =
            esse_rng_below(rng, 4) ? (int)esse_rng_below(rng, 10) : P_ABSENT;
    h->count = 1 + (int)esse_rng_below(rng, P_TXNS);
    for (int t = 0; t < h->count; t++)
        random_txn(rng, &h->txns[t], state);
    for (uint32_t times = esse_rng_below(rng, 6); times > 0; times--) {
        struct p_txn *txn = &h->txns[esse_rng_below(rng, (uint32_t)h->count)];
        damage(rng, &txn->ops[esse_rng_below(rng, (uint32_t)txn->count)]);
    }
}

/* ---- the engine against the oracle ---- */

enum { MISS, MISMATCH, TYPES };
static const char *const names[TYPES] = { "predicate-read-miss", "result-set-mismatch" };

static bool is_found(const struct p_history *h, int type, int t, int i, int key)
{
    return type == MISS ? p_is_miss(h, t, i, key) : p_is_mismatch(h, t, i, key);
}

static unsigned count_found(const struct p_history *h, int type)
{
    unsigned count = 0;
    for (int t = 0; t < h->count; t++)
        for (int i = 0; i < h->txns[t].count; i++)
            for (int key = 0; key < P_KEYS; key++)
                count += is_found(h, type, t, i, key);
    return count;
}

/* What happened whatever the unknown outcomes were. */
static unsigned count_told(const struct esse_verdict *verdict, const char *type)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        count += !verdict->anomalies[i].supposed_count &&
                 strcmp(esse_anomaly_name(verdict->anomalies[i].type), type) == 0;
    return count;
}

static bool agrees(const struct p_history *h)
{
    static const char *const levels[] = { "serializable" };
    struct esse_check_options options = { .levels = levels, .level_count = 1, .engine = "scan" };
    struct esse_arena *arena = esse_arena_new();
    const struct esse_result *result;
    struct esse_error err;
    bool same =
        esse_check(arena, load_text(arena, "native", p_write(arena, h)), &options, &result, &err);
    for (int type = 0; same && type < TYPES; type++) {
        const unsigned found = count_found(h, type), kept = found > 4 ? 4 : found;
        same = count_told(&result->verdicts[0], names[type]) == kept;
    }
    esse_arena_free(arena);
    return same;
}

/* Leaves out operations as long as the disagreement stays. */
static void shrink(struct p_history *h)
{
    for (int t = 0; t < h->count; t++)
        for (int i = 0; i < h->txns[t].count;) {
            struct p_history less = *h;
            struct p_txn *txn = &less.txns[t];
            memmove(&txn->ops[i], &txn->ops[i + 1],
                    sizeof *txn->ops * (size_t)(txn->count - i - 1));
            txn->count--;
            if (agrees(&less))
                i++;
            else
                *h = less;
        }
}

TEST(test_scan__predicates_agree_with_the_definitions)
{
    struct esse_rng rng = { 5 };
    unsigned with[TYPES] = { 0 }, clean = 0;
    for (unsigned round = 0; round < test_rounds(2000); round++) {
        struct p_history h;
        random_history(&h, &rng);
        if (!agrees(&h)) {
            struct esse_arena *arena = esse_arena_new();
            shrink(&h);
            print_error("%s%u misses, %u mismatches by definition\n", p_write(arena, &h),
                        count_found(&h, MISS), count_found(&h, MISMATCH));
            esse_arena_free(arena);
            fail_msg("round %u", round);
        }
        for (int type = 0; type < TYPES; type++)
            with[type] += count_found(&h, type) > 0;
        clean += !count_found(&h, MISS) && !count_found(&h, MISMATCH);
    }
    CHECK(with[MISS] > test_least(50));
    CHECK(with[MISMATCH] > test_least(200));
    CHECK(clean > test_least(500));
}

/* ---- evidence ---- */

/* Every claim that can be made about a history is accepted exactly if it is true. */
static unsigned check_claims(const struct p_history *h, const struct esse_history *history,
                             int type)
{
    static const char letters[] = "xyz";
    unsigned refused = 0;
    uint32_t op = 0;
    for (int t = 0; t < h->count; t++)
        for (int i = 0; i < h->txns[t].count; i++, op++)
            for (int key = 0; key < P_KEYS; key++) {
                const struct esse_step step = { { (uint32_t)t }, { op }, "" };
                struct esse_anomaly claim = {
                    esse_anomaly_find(names[type])->id, "", true, { 0 }, &step, 1
                };
                struct esse_error err;
                const esse_value name = esse_value_string(history->values, &letters[key], 1);
                if (!esse_history_key(history, name, &claim.key))
                    continue;
                CHECK_EQ(esse_recheck_anomaly(history, &claim, NULL, &err),
                         is_found(h, type, t, i, key));
                refused += !is_found(h, type, t, i, key);
            }
    return refused;
}

TEST(test_recheck__predicates_accept_the_true_and_nothing_else)
{
    struct esse_rng rng = { 6 };
    unsigned refused = 0;
    for (unsigned round = 0; round < test_rounds(300); round++) {
        struct esse_arena *arena = esse_arena_new();
        struct p_history h;
        random_history(&h, &rng);
        const struct esse_history *history = load_text(arena, "native", p_write(arena, &h));
        for (int type = 0; type < TYPES; type++)
            refused += check_claims(&h, history, type);
        esse_arena_free(arena);
    }
    CHECK(refused > test_least(1000));
}

/* ---- predicates that are no good ---- */

static bool check_text(const char *text, struct esse_error *err)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_result *result;
    const struct esse_check_options options = { .engine = "scan" };
    bool ok = esse_check(arena, load_text(arena, "native", text), &options, &result, err);
    esse_arena_free(arena);
    return ok;
}

TEST(test_scan__a_bad_predicate_is_an_error_where_it_is_needed)
{
    struct esse_error err = { 0 };
    /* an initial row: the predicate might have missed it */
    CHECK(!check_text("{'init':{'x':1}}\n"
                      "{'session':0,'ops':[{'p':'v >','rows':{}}]}\n",
                      &err));
    CHECK_EQ(err.code, ESSE_EINPUT);
    CHECK_EQ(err.line, 2);
    CHECK(strstr(err.text, "syntax error"));
    /* a version set */
    CHECK(!check_text("{'session':0,'ops':[{'p':'v / 0 = 1','rows':{},'vset':{'x':1}}]}\n", &err));
    CHECK_EQ(err.code, ESSE_EINPUT);
    CHECK_EQ(err.line, 1);
    CHECK(strstr(err.text, "division by zero (key x)"));
    /* it is not asked */
    CHECK(check_text("{'session':0,'ops':[{'p':'v >','rows':{}}]}\n", &err));
    /* the transaction is not committed */
    CHECK(check_text("{'init':{'x':1}}\n"
                     "{'session':0,'status':'aborted','ops':[{'p':'v >','rows':{}}]}\n",
                     &err));
    /* the row may be gone */
    CHECK(check_text("{'init':{'x':1}}\n"
                     "{'session':0,'ops':[{'d':'x'},{'p':'v >','rows':{}}]}\n",
                     &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan__predicates_agree_with_the_definitions),
        cmocka_unit_test(test_recheck__predicates_accept_the_true_and_nothing_else),
        cmocka_unit_test(test_scan__a_bad_predicate_is_an_error_where_it_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
