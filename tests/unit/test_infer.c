#include "evidence/recheck.h"
#include "load_text.h"
#include "order_oracle.h"

/* Assumptions about the versions of registers: what follows from them, against all orders that keep
 * to them, and what the recheck makes of evidence that rests on them. */

static const struct {
    const char *level;
    enum b_rule rule;
    bool so, rt;
} asked[] = {
    { "read-uncommitted", B_ANY, false, false },
    { "read-committed", B_COMMITTED, false, false },
    { "strong-session-read-committed", B_COMMITTED, true, false },
    { "snapshot-isolation", B_SNAPSHOT, false, false },
    { "strong-snapshot-isolation", B_SNAPSHOT, true, true },
    { "serializable", B_SERIAL, false, false },
    { "strong-session-serializable", B_SERIAL, true, false },
    { "strict-serializable", B_SERIAL, true, true },
};
enum { ASKED = sizeof asked / sizeof *asked };

/* ---- random histories of registers ---- */

struct making {
    struct esse_rng rng;
    struct esse_builder *builder;
    int64_t written[3]; /* by key: values are 1, 2, ... */
    int keys;
    bool deletes;    /* each key once, for good, and then it has an initial value */
    bool deleted[3]; /* by key */
};

static esse_value key_at(const struct making *m, uint32_t at)
{
    static const char *const names[] = { "x", "y", "z" };
    return esse_text(m->builder, names[at]);
}

/* Mostly something that was written already, else something that will be, or nothing. */
static esse_value random_read(struct making *m, uint32_t key)
{
    if (!esse_rng_below(&m->rng, 4))
        return esse_nil();
    uint32_t most = (uint32_t)m->written[key] + !esse_rng_below(&m->rng, 6);
    return most ? esse_int(1 + esse_rng_below(&m->rng, most)) : esse_nil();
}

static void give_initial(struct making *m, uint32_t key)
{
    struct esse_error err;
    struct esse_sink *sink = esse_builder_sink(m->builder);
    const struct esse_row row = { key_at(m, key), esse_int(++m->written[key]), ESSE_NONE };
    CHECK(sink->init(sink, &row, 1, &err));
}

static enum esse_status random_status(struct making *m)
{
    uint32_t dice = esse_rng_below(&m->rng, 12);
    return dice == 0 ? ESSE_ABORTED : dice == 1 ? ESSE_UNKNOWN_OUTCOME : ESSE_COMMITTED;
}

static void make_txn(struct making *m, uint32_t session, int64_t start, int64_t end)
{
    struct esse_error err;
    bool committed = false;
    esse_builder_begin(m->builder, esse_int(session), NULL);
    if (end >= 0)
        esse_builder_times(m->builder, start, end);
    for (uint32_t left = 1 + esse_rng_below(&m->rng, 3); left > 0; left--) {
        uint32_t key = esse_rng_below(&m->rng, (uint32_t)m->keys);
        if (m->deletes && !m->deleted[key] && !esse_rng_below(&m->rng, 4)) {
            esse_builder_delete(m->builder, key_at(m, key));
            m->deleted[key] = committed = true;
            break;
        } else if (esse_rng_below(&m->rng, 2))
            esse_builder_write(m->builder, key_at(m, key), esse_int(++m->written[key]));
        else
            esse_builder_read(m->builder, key_at(m, key), random_read(m, key));
    }
    const enum esse_status status = random_status(m);
    CHECK(esse_builder_end(m->builder, committed ? ESSE_COMMITTED : status, &err));
}

static struct esse_history *random_history(struct esse_arena *arena, uint64_t seed)
{
    struct making m = { .rng = { seed }, .builder = esse_builder_new(arena) };
    struct esse_history *history = NULL;
    struct esse_error err;
    int64_t now = 0, busy[3] = { 0 };
    m.keys = 1 + (int)esse_rng_below(&m.rng, 2);
    const uint32_t sessions = 1 + esse_rng_below(&m.rng, 3);
    const bool timed = esse_rng_below(&m.rng, 4) > 0;
    m.deletes = seed % 3 == 0;
    for (int key = 0; m.deletes && key < m.keys; key++)
        give_initial(&m, (uint32_t)key);
    for (uint32_t left = 2 + esse_rng_below(&m.rng, 4); left > 0; left--) {
        uint32_t session = esse_rng_below(&m.rng, sessions);
        now += esse_rng_below(&m.rng, 3);
        int64_t start = now > busy[session] ? now : busy[session];
        busy[session] = start + esse_rng_below(&m.rng, 6);
        make_txn(&m, session, start, timed ? busy[session] : -1);
    }
    CHECK(esse_builder_freeze(m.builder, &history, &err));
    return history;
}

static const struct esse_result *check(struct esse_arena *arena, const struct esse_history *history,
                                       uint64_t seed, unsigned assume)
{
    const char *levels[ASKED];
    const struct esse_result *result;
    struct esse_error err;
    for (int i = 0; i < ASKED; i++)
        levels[i] = asked[i].level;
    struct esse_check_options options = {
        .levels = levels, .level_count = ASKED, .assume = assume, .engine = "dsg"
    };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("seed %llu, assuming %u: %s\n%s", (unsigned long long)seed, assume, err.text,
                 write_text(arena, "native", history));
    return result;
}

/* ---- against all orders ---- */

static const enum esse_basis all_bases[] = { ESSE_BASIS_WFR_KEYS, ESSE_BASIS_SEQUENTIAL_KEYS,
                                             ESSE_BASIS_LINEARIZABLE_KEYS };

/* One of the eight sets of assumptions. */
static unsigned assumptions(uint64_t at)
{
    return (unsigned)(at % 8) << ESSE_BASIS_WFR_KEYS;
}

struct tally {
    unsigned holds, violated, unknown, assuming, cyclic, by[3];
};

static bool is_assumed(const struct esse_verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        if (!esse_anomaly_assumes(&verdict->anomalies[i]))
            return false;
    return verdict->assumed != 0;
}

static void count(struct tally *tally, const struct esse_verdict *verdict)
{
    tally->holds += verdict->outcome == ESSE_HOLDS;
    tally->violated += verdict->outcome == ESSE_VIOLATED;
    tally->unknown += verdict->outcome == ESSE_UNKNOWN;
    tally->assuming += is_assumed(verdict);
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        tally->cyclic += verdict->anomalies[i].type == ESSE_ANOMALY_CYCLIC_VERSIONS;
    for (int a = 0; a < 3; a++)
        tally->by[a] += (verdict->assumed & 1u << all_bases[a]) != 0;
}

static void compare(uint64_t seed, struct tally *tally)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = random_history(arena, seed);
    const unsigned assume = assumptions(seed);
    const struct esse_result *result = check(arena, history, seed, assume);
    struct b_history b;
    for (int i = 0; i < ASKED && b_open(&b, history); i++) {
        const struct esse_verdict *verdict = &result->verdicts[i];
        b.assume = is_assumed(verdict) ? assume : 0;
        bool holds = b_holds(&b, asked[i].rule, asked[i].so, asked[i].rt);
        if ((verdict->outcome == ESSE_HOLDS && !holds) ||
            (verdict->outcome == ESSE_VIOLATED && holds))
            fail_msg("seed %llu, %s, assuming %u: the engine says %d, all orders say %d (%s)\n%s",
                     (unsigned long long)seed, asked[i].level, b.assume, verdict->outcome, holds,
                     verdict->anomaly_count ? esse_anomaly_name(verdict->anomalies[0].type)
                                            : "nothing found",
                     write_text(arena, "native", history));
        if (verdict->outcome != ESSE_UNKNOWN)
            CHECK(verdict->rechecked);
        count(tally, verdict);
    }
    esse_arena_free(arena);
}

TEST(test_infer__never_contradicts_all_orders_that_keep_the_assumption)
{
    struct tally tally = { 0 };
    for (unsigned seed = test_first(2000), after = seed + test_rounds(2000); seed < after; seed++)
        compare(seed, &tally);
    print_message("%u hold, %u violated (%u by an assumption, %u cyclic-versions), %u unknown\n",
                  tally.holds, tally.violated, tally.assuming, tally.cyclic, tally.unknown);
    print_message("wfr %u, sequential %u, linearizable %u\n", tally.by[0], tally.by[1],
                  tally.by[2]);
    CHECK(tally.holds > test_least(100) && tally.assuming > test_least(100) &&
          tally.cyclic > test_least(100));
    CHECK(tally.by[0] > test_least(50) && tally.by[1] > test_least(50) &&
          tally.by[2] > test_least(50));
}

/* ---- evidence that is not what it seems ---- */

static bool stands(const struct esse_history *history, const struct esse_verdict *verdict,
                   const struct esse_anomaly *anomaly)
{
    struct esse_error err;
    struct esse_verdict changed = *verdict;
    changed.anomalies = anomaly;
    changed.anomaly_count = 1;
    return esse_recheck_verdict(history, esse_level_get(verdict->level), &changed, NULL, &err);
}

/* The cycle backwards: the same versions, but nothing shows that they follow each other. */
static bool stands_backwards(const struct esse_history *history, const struct esse_verdict *verdict,
                             struct esse_anomaly anomaly)
{
    struct esse_step steps[64];
    for (uint32_t i = 0; i < anomaly.step_count; i += 2) {
        const struct esse_step *pair = &anomaly.steps[anomaly.step_count - 2 - i];
        steps[i] = pair[1];
        steps[i + 1] = pair[0];
        steps[i].basis = pair[0].basis;
    }
    anomaly.steps = steps;
    return stands(history, verdict, &anomaly);
}

/* Under the name of another assumption than the one it follows from. */
static void rename_basis(const struct esse_history *history, struct esse_verdict verdict,
                         struct esse_anomaly anomaly, uint32_t at)
{
    struct esse_edge edges[64];
    memcpy(edges, anomaly.edges, anomaly.edge_count * sizeof *edges);
    const uint32_t a = esse_op_txn(history, edges[at].witness.ix).ix;
    const uint32_t b = esse_op_txn(history, edges[at].later_witness.ix).ix;
    const bool follows[] = { a == b, a < b && history->txn_session[a] == history->txn_session[b],
                             history->txn_time && history->txn_status[a] == ESSE_COMMITTED &&
                                 history->txn_time[a].end < history->txn_time[b].begin };
    verdict.assumed = assumptions(7);
    anomaly.edges = edges;
    for (int i = 0; i < 3; i++) {
        edges[at].basis = all_bases[i];
        CHECK_EQ(stands(history, &verdict, &anomaly), follows[i]);
    }
}

static unsigned damage_edge(const struct esse_history *history, const struct esse_verdict *verdict,
                            struct esse_anomaly anomaly, uint32_t at)
{
    struct esse_edge edges[64];
    assert_true(anomaly.edge_count <= 64);
    memcpy(edges, anomaly.edges, anomaly.edge_count * sizeof *edges);
    const struct esse_edge good = edges[at];
    rename_basis(history, *verdict, anomaly, at);
    anomaly.edges = edges;
    CHECK(stands(history, verdict, &anomaly));
    edges[at].witness = good.later_witness;
    edges[at].later_witness = good.witness;
    CHECK(!stands(history, verdict, &anomaly));
    edges[at] = good;
    edges[at].basis = ESSE_BASIS_INITIAL_STATE;
    CHECK(!stands(history, verdict, &anomaly));
    edges[at].basis = ESSE_BASIS_NONE;
    CHECK(!stands(history, verdict, &anomaly));
    edges[at] = good;
    edges[at].witness.ix = ESSE_NO_OP;
    CHECK(!stands(history, verdict, &anomaly));
    return 1;
}

static unsigned damage_steps(const struct esse_history *history, const struct esse_verdict *verdict,
                             struct esse_anomaly anomaly)
{
    struct esse_step steps[64];
    assert_true(anomaly.step_count <= 64);
    memcpy(steps, anomaly.steps, anomaly.step_count * sizeof *steps);
    const struct esse_step first = steps[0], second = steps[1];
    CHECK(!stands_backwards(history, verdict, anomaly));
    anomaly.steps = steps;
    CHECK(stands(history, verdict, &anomaly));
    steps[0] = second;
    steps[1] = first;
    steps[0].basis = first.basis;
    CHECK(!stands(history, verdict, &anomaly));
    steps[0] = first;
    steps[1] = second;
    steps[0].basis = ESSE_BASIS_NONE;
    CHECK(!stands(history, verdict, &anomaly));
    steps[0] = first;
    anomaly.step_count -= 2;
    CHECK(!stands(history, verdict, &anomaly));
    return 1;
}

/* What the verdict does not say it assumes may not be used. */
static void hide_assumptions(const struct esse_history *history, const struct esse_verdict *verdict)
{
    struct esse_verdict silent = *verdict;
    silent.assumed = 0;
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        CHECK_EQ(stands(history, &silent, &verdict->anomalies[i]),
                 !esse_anomaly_assumes(&verdict->anomalies[i]));
}

TEST(test_infer__damaged_evidence_is_refused)
{
    unsigned edges = 0, steps = 0;
    for (unsigned seed = test_first(3000), after = seed + test_rounds(3000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = random_history(arena, seed);
        const struct esse_result *result = check(arena, history, seed, assumptions(1 + seed % 7));
        const struct esse_verdict *verdict = &result->verdicts[ASKED - 1];
        hide_assumptions(history, verdict);
        for (uint32_t i = 0; i < verdict->anomaly_count; i++) {
            const struct esse_anomaly *anomaly = &verdict->anomalies[i];
            for (uint32_t e = 0; e < anomaly->edge_count; e++)
                if (anomaly->edges[e].basis)
                    edges += damage_edge(history, verdict, *anomaly, e);
            if (anomaly->type == ESSE_ANOMALY_CYCLIC_VERSIONS)
                steps += damage_steps(history, verdict, *anomaly);
        }
        esse_arena_free(arena);
    }
    print_message("%u edges and %u cycles of versions were damaged\n", edges, steps);
    CHECK(edges > test_least(50) && steps > test_least(50));
}

/* Two reads of one transaction follow each other, but nothing is assumed about that. */
TEST(test_infer__reads_that_follow_reads_show_nothing)
{
    const char *text = "{'session':0,'ops':[{'w':'x','v':1}]}\n"
                       "{'session':1,'ops':[{'w':'x','v':2}]}\n"
                       "{'session':2,'ops':[{'r':'x','v':1},{'r':'x','v':2}]}\n"
                       "{'session':3,'ops':[{'r':'x','v':2},{'r':'x','v':1}]}\n";
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(arena, "native", text);
    const struct esse_step steps[] = { { { 2 }, { 2 }, "", ESSE_BASIS_WFR_KEYS },
                                       { { 2 }, { 3 }, "", ESSE_BASIS_NONE },
                                       { { 3 }, { 4 }, "", ESSE_BASIS_WFR_KEYS },
                                       { { 3 }, { 5 }, "", ESSE_BASIS_NONE } };
    const struct esse_anomaly anomaly = {
        .type = ESSE_ANOMALY_CYCLIC_VERSIONS, .has_key = true, .steps = steps, .step_count = 4
    };
    const struct esse_verdict verdict = {
        .level = ESSE_LEVEL_SERIALIZABLE,
        .outcome = ESSE_VIOLATED,
        .assumed = ESSE_ASSUME_WFR_KEYS,
    };
    CHECK(!stands(history, &verdict, &anomaly));
    esse_arena_free(arena);
}

/* ---- small truths ---- */

static const struct esse_verdict *verdict_of(struct esse_arena *arena, const char *text,
                                             const char *level, unsigned assume)
{
    const struct esse_result *result;
    struct esse_error err;
    struct esse_check_options options = {
        .levels = &level, .level_count = 1, .engine = "dsg", .assume = assume
    };
    struct esse_history *history = load_text(arena, "native", text);
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s", err.text);
    return &result->verdicts[0];
}

TEST(test_infer__writes_that_follow_reads)
{
    /* That a overwrote what it read is no fact, and b read it too. */
    const char *text =
        "{'session':0,'txn':'w','ops':[{'w':'x','v':1}]}\n"
        "{'session':1,'txn':'a','ops':[{'r':'x','v':1},{'w':'x','v':2},{'w':'y','v':1}]}\n"
        "{'session':2,'txn':'b','ops':[{'r':'x','v':1},{'r':'y','v':1}]}\n";
    struct esse_arena *arena = esse_arena_new();
    const struct esse_verdict *verdict =
        verdict_of(arena, text, "serializable", ESSE_ASSUME_WFR_KEYS);
    CHECK_EQ(verdict->outcome, ESSE_VIOLATED);
    CHECK_EQ(verdict->anomalies[0].type, ESSE_ANOMALY_G_SINGLE_ITEM);
    CHECK_EQ(verdict->assumed, ESSE_ASSUME_WFR_KEYS);
    CHECK(strstr(verdict->anomalies[0].edges[0].why,
                 "a read x = 1 and then wrote x = 2 (assuming that writes follow reads)"));
    CHECK(verdict_of(arena, text, "serializable", 0)->outcome != ESSE_VIOLATED);
    esse_arena_free(arena);
}

TEST(test_infer__an_assumption_that_cannot_be_is_dropped)
{
    /* One session writes 1 and 2 and reads 1 again. */
    const char *text = "{'session':0,'txn':'a','ops':[{'w':'x','v':1}]}\n"
                       "{'session':0,'txn':'b','ops':[{'w':'x','v':2}]}\n"
                       "{'session':0,'txn':'c','ops':[{'r':'x','v':1}]}\n";
    struct esse_arena *arena = esse_arena_new();
    const struct esse_verdict *verdict =
        verdict_of(arena, text, "read-uncommitted", ESSE_ASSUME_SEQUENTIAL_KEYS);
    CHECK_EQ(verdict->outcome, ESSE_VIOLATED);
    CHECK_EQ(verdict->anomalies[0].type, ESSE_ANOMALY_CYCLIC_VERSIONS);
    CHECK_EQ(verdict->assumed, ESSE_ASSUME_SEQUENTIAL_KEYS);
    verdict = verdict_of(arena, text, "serializable", ESSE_ASSUME_WFR_KEYS);
    CHECK_EQ(verdict->outcome, ESSE_HOLDS);
    CHECK_EQ(verdict->assumed, 0);
    esse_arena_free(arena);
}

/* A delete is a version like any other, if it alone can have left nothing behind. */
TEST(test_infer__nothing_is_the_version_of_the_only_delete)
{
    const char *text = "{'init':{'x':0}}\n"
                       "{'session':0,'txn':'a','ops':[{'r':'x','v':null}]}\n"
                       "{'session':0,'txn':'b','ops':[{'r':'x','v':0},{'d':'x'}]}\n";
    struct esse_arena *arena = esse_arena_new();
    const struct esse_verdict *verdict =
        verdict_of(arena, text, "read-uncommitted", ESSE_ASSUME_SEQUENTIAL_KEYS);
    CHECK_EQ(verdict->outcome, ESSE_VIOLATED);
    CHECK_EQ(verdict->anomalies[0].type, ESSE_ANOMALY_CYCLIC_VERSIONS);
    text = "{'init':{'x':0,'y':0}}\n"
           "{'session':0,'ops':[{'r':'x','v':null},{'w':'x','v':1},{'r':'y','v':0}]}\n"
           "{'session':1,'ops':[{'d':'x'}]}\n"
           "{'session':2,'ops':[{'w':'y','v':5},{'r':'x','v':null}]}\n";
    verdict = verdict_of(arena, text, "serializable", ESSE_ASSUME_WFR_KEYS);
    CHECK_EQ(verdict->outcome, ESSE_VIOLATED);
    CHECK_EQ(verdict->assumed, ESSE_ASSUME_WFR_KEYS);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_infer__never_contradicts_all_orders_that_keep_the_assumption),
        cmocka_unit_test(test_infer__damaged_evidence_is_refused),
        cmocka_unit_test(test_infer__reads_that_follow_reads_show_nothing),
        cmocka_unit_test(test_infer__writes_that_follow_reads),
        cmocka_unit_test(test_infer__an_assumption_that_cannot_be_is_dropped),
        cmocka_unit_test(test_infer__nothing_is_the_version_of_the_only_delete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
