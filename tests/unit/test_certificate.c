#include "certificate_oracle.h"
#include "engine/engine.h"
#include "evidence/recheck.h"
#include "history/certificate.h"
#include "load_text.h"

/* What a certificate says about orders and snapshots, and what follows for predicates. */

struct c_level {
    const char *name;
    int first, then;
};

enum { DEPENDS = C_WW | C_WR | C_WRP, ANTI = C_RW | C_RWP };

static const struct c_level levels[] = {
    { "serializable", DEPENDS | ANTI, 0 },
    { "snapshot-isolation", DEPENDS, ANTI },
    { "repeatable-read", DEPENDS | C_RW, 0 },
    { "read-committed", DEPENDS, 0 },
    { "read-uncommitted", C_WW, 0 },
    { "strong-session-serializable", DEPENDS | ANTI | C_SO, 0 },
    { "strong-session-snapshot-isolation", DEPENDS | C_SO, ANTI },
    { "strong-session-read-committed", DEPENDS | C_SO, 0 },
    { "strict-serializable", DEPENDS | ANTI | C_SO | C_RT, 0 },
    { "strong-snapshot-isolation", DEPENDS | C_SO | C_RT, ANTI },
    { "strong-read-committed", DEPENDS | C_SO | C_RT, 0 },
};
enum { LEVELS = sizeof levels / sizeof *levels };

static const struct esse_result *check_without(struct esse_arena *arena, const char *text,
                                               const char *engine, unsigned ablate)
{
    const char *names[LEVELS];
    struct esse_error err;
    const struct esse_result *result;
    struct esse_budget budget = { 0 };
    for (int i = 0; i < LEVELS; i++)
        names[i] = levels[i].name;
    const struct esse_check_options options = { .levels = names,
                                                .level_count = LEVELS,
                                                .engine = engine,
                                                .budget = &budget,
                                                .threads = 1,
                                                .ablate = ablate };
    struct esse_history *history = load_text(arena, "native", text);
    if (history->certificate.kind && !esse_certificate_by_order(history, &err))
        fail_msg("%s\n%s", err.text, text);
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s\n%s", err.text, text);
    return result;
}

static const struct esse_result *check_text(struct esse_arena *arena, const char *text,
                                            const char *engine)
{
    return check_without(arena, text, engine, 0);
}

static const struct esse_verdict *verdict_of(const struct esse_result *result, const char *level)
{
    for (uint32_t i = 0; i < result->verdict_count; i++)
        if (strcmp(esse_level_name(result->verdicts[i].level), level) == 0)
            return &result->verdicts[i];
    fail_msg("no verdict for %s", level);
    return NULL;
}

static const struct esse_anomaly *anomaly_of(const struct esse_verdict *verdict,
                                             enum esse_anomaly_id type)
{
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        if (verdict->anomalies[i].type == type)
            return &verdict->anomalies[i];
    fail_msg("no %s for %s", esse_anomaly_name(type), esse_level_name(verdict->level));
    return NULL;
}

/* The levels of snapshots, in 'levels'. */
static const struct {
    int at, more;
} of_points[] = { { 1, 0 }, { 6, C_SO }, { 9, C_SO | C_RT } };
enum { OF_POINTS = sizeof of_points / sizeof *of_points };

/* What the definitions say of a level by its place in 'levels'; with start and commit points if the
 * timestamps give them. */
static bool is_violated(const struct c_run *run, const struct c_graph *graph, enum c_kind kind,
                        int level)
{
    for (int at = 0; kind == C_TIMESTAMPS && !run->by_statement && at < OF_POINTS; at++)
        if (of_points[at].at == level)
            return !c_is_start_ordered(run, graph, of_points[at].more);
    return c_cyclic(graph, levels[level].first, levels[level].then);
}

static void compare(const struct c_run *run, enum c_kind kind, unsigned ablate)
{
    static char text[C_TEXT];
    struct esse_arena *arena = esse_arena_new();
    struct c_graph graph;
    c_put(run, kind, text);
    c_graph(run, &graph);
    const struct esse_result *result = check_without(arena, text, "dsg", ablate);
    for (int i = 0; i < LEVELS; i++) {
        const bool cyclic = is_violated(run, &graph, kind, i);
        const enum esse_outcome outcome = result->verdicts[i].outcome;
        /* What is wrong by itself rules out more than the graph does. */
        if (run->is_wrong && outcome == ESSE_VIOLATED)
            continue;
        if (outcome != (cyclic ? ESSE_VIOLATED : ESSE_HOLDS))
            fail_msg("%s: got %d, expected %s\n%s", levels[i].name, (int)outcome,
                     cyclic ? "violated" : "holds", text);
    }
    esse_arena_free(arena);
}

TEST(certificate__dsg_agrees_with_every_pair_of_predicate_and_version)
{
    const unsigned rounds = test_rounds(3000);
    struct c_run run;
    for (unsigned round = 0; round < rounds; round++) {
        c_run(&run, round);
        compare(&run, (enum c_kind)(round % C_KINDS), round & 1 ? ESSE_ABLATE_NEARNESS : 0);
    }
}

TEST(certificate__a_result_that_is_not_the_snapshots_is_a_mismatch)
{
    const unsigned rounds = test_rounds(1000);
    unsigned wrong = 0;
    struct c_run run;
    for (unsigned round = 0; round < rounds; round++) {
        static char text[C_TEXT];
        c_run(&run, round);
        c_spoil(&run);
        if (!run.is_wrong)
            continue;
        wrong++;
        struct esse_arena *arena = esse_arena_new();
        c_put(&run, (enum c_kind)(round % C_KINDS), text);
        const struct esse_result *result = check_text(arena, text, "dsg");
        bool reported = false;
        for (uint32_t i = 0; i < result->verdicts[0].anomaly_count; i++)
            reported |= result->verdicts[0].anomalies[i].type == ESSE_ANOMALY_RESULT_SET_MISMATCH ||
                        result->verdicts[0].anomalies[i].type == ESSE_ANOMALY_PREDICATE_READ_MISS;
        if (!reported)
            fail_msg("not reported\n%s", text);
        esse_arena_free(arena);
    }
    CHECK(wrong > rounds / 20);
}

/* What ranges add up to, without their rows: it is what the snapshot has, or a mismatch. */
TEST(certificate__aggregates_are_computed_from_the_snapshot)
{
    const unsigned rounds = test_rounds(2000);
    unsigned wrong = 0;
    struct c_run run;
    for (unsigned round = 0; round < rounds; round++) {
        static char text[C_TEXT];
        c_run(&run, round);
        run.aggregates = true;
        for (int tries = 0; round % 2 && tries < 8 && !run.is_wrong; tries++)
            c_spoil(&run);
        if (!run.is_wrong) {
            compare(&run, (enum c_kind)(round % C_KINDS), 0);
            continue;
        }
        wrong++;
        struct esse_arena *arena = esse_arena_new();
        c_put(&run, (enum c_kind)(round % C_KINDS), text);
        const struct esse_verdict *verdict =
            verdict_of(check_text(arena, text, "dsg"), "read-uncommitted");
        if (verdict->outcome != ESSE_VIOLATED)
            fail_msg("not reported\n%s", text);
        CHECK_EQ(anomaly_of(verdict, ESSE_ANOMALY_RESULT_SET_MISMATCH)->type,
                 ESSE_ANOMALY_RESULT_SET_MISMATCH);
        CHECK(verdict->certificate != ESSE_CERTIFICATE_NONE);
        esse_arena_free(arena);
    }
    CHECK(wrong > rounds / 20);
}

/* Whatever holds under a true certificate holds without it. */
TEST(certificate__polygraph_with_nothing_agrees_where_dsg_with_it_proves)
{
    const unsigned rounds = test_rounds(400);
    static char text[C_TEXT];
    unsigned proved = 0;
    struct c_run run;
    for (unsigned round = 0; round < rounds; round++) {
        struct esse_arena *arena = esse_arena_new();
        c_run(&run, round + 1000000);
        c_put(&run, C_TIMESTAMPS, text);
        const struct esse_result *certified = check_text(arena, text, "dsg");
        const struct esse_result *plain = check_text(arena, strchr(text, '\n') + 1, "polygraph");
        for (int i = 0; i < 2; i++) {
            const bool holds = certified->verdicts[i].outcome == ESSE_HOLDS;
            proved += holds;
            if (holds && plain->verdicts[i].outcome != ESSE_HOLDS)
                fail_msg("%s: %d without the certificate\n%s", levels[i].name,
                         (int)plain->verdicts[i].outcome, text);
        }
        esse_arena_free(arena);
    }
    CHECK(proved > rounds / 4);
}

static bool compare_points(const struct c_run *run, const char *text, const char *engine, int at)
{
    struct esse_arena *arena = esse_arena_new();
    struct c_graph graph;
    c_graph(run, &graph);
    const bool holds = c_rows_match(run) && c_is_start_ordered(run, &graph, of_points[at].more);
    const struct esse_verdict *verdict =
        &check_text(arena, text, engine)->verdicts[of_points[at].at];
    if (verdict->outcome != (holds ? ESSE_HOLDS : ESSE_VIOLATED))
        fail_msg("%s by %s: got %d, expected %s\n%s", esse_level_name(verdict->level),
                 verdict->engine, (int)verdict->outcome, holds ? "holds" : "violated", text);
    esse_arena_free(arena);
    return holds;
}

/* What was read and returned is that of the true snapshots, and what the timestamps tell may be
 * others: then reads, writes and predicates are held against start dependencies, by each engine
 * that knows of them. */
TEST(certificate__timestamps_are_start_and_commit_points)
{
    static const char *const engines[] = { NULL, "replay", "dsg" };
    const unsigned rounds = test_rounds(2000);
    static char text[C_TEXT];
    unsigned good[OF_POINTS] = { 0 }, bad[OF_POINTS] = { 0 };
    struct c_run run;
    for (unsigned round = 0; round < rounds; round++) {
        c_run(&run, round);
        if (run.by_statement || c_has_deletes(&run)) /* a null is then the first version */
            continue;
        if (round & 1)
            c_move_starts(&run);
        c_put(&run, C_TIMESTAMPS, text);
        for (int at = 0; at < OF_POINTS; at++)
            for (int e = 0; e < 3; e++)
                if (compare_points(&run, text, engines[e], at))
                    good[at]++;
                else
                    bad[at]++;
    }
    for (int at = 0; at < OF_POINTS; at++)
        CHECK(good[at] > rounds / 20 && bad[at] > rounds / 20);
}

/* ---- start dependencies as evidence ---- */

#define POINTS "{'certificate':'timestamps'}\n"
#define TXN_1(times)                                                                               \
    "{'session':1,'txn':'t1'," times ",'start':1,'end':2,'ops':[{'w':'x','v':1}]}\n"
#define TXN_2(session, times, ops)                                                                 \
    "{'session':" session ",'txn':'t2'," times ",'start':3,'end':4,'ops':[" ops "]}\n"
#define EARLY "'start_ts':5,'commit_ts':10"
#define LATE  "'start_ts':5,'commit_ts':20"
#define NEXT  "'start_ts':15,'commit_ts':30"

static const struct {
    const char *text, *level;
    enum esse_anomaly_id type;
    const char *deps[2], *why;
} starts[] = {
    { POINTS TXN_1(LATE) TXN_2("2", NEXT, "{'r':'x','v':1}"),
      "snapshot-isolation",
      ESSE_ANOMALY_GSIA,
      { "wr", "overlap" },
      "t2 began at 15, before t1 committed at 20" },
    { POINTS TXN_1(LATE) TXN_2("2", NEXT, "{'w':'x','v':2}"),
      "snapshot-isolation",
      ESSE_ANOMALY_GSIA,
      { "ww", "overlap" },
      "t2 began at 15, before t1 committed at 20" },
    { POINTS TXN_1(EARLY) TXN_2("2", NEXT, "{'r':'x','v':null}"),
      "snapshot-isolation",
      ESSE_ANOMALY_GSIB,
      { "rw", "start" },
      "t1 committed at 10, before t2 began at 15" },
    { POINTS TXN_1("'start_ts':5,'commit_ts':15")
          TXN_2("2", NEXT, "{'p':'v < 5','rows':{},'vset':{'x':null}}"),
      "snapshot-isolation",
      ESSE_ANOMALY_GSIB,
      { "rwp", "start" },
      "t1 committed at 15, not after t2 began at 15" },
    { POINTS TXN_1(LATE) TXN_2("2", NEXT, "{'p':'v < 5','rows':{'x':1},'vset':{'x':1}}"),
      "snapshot-isolation",
      ESSE_ANOMALY_GSIA,
      { "wr", "overlap" },
      "t2 began at 15, before t1 committed at 20" },
    { POINTS TXN_1(LATE) TXN_2("1", NEXT, "{'w':'y','v':2}"),
      "strong-session-snapshot-isolation",
      ESSE_ANOMALY_SNAPSHOT_MISMATCH_PROCESS,
      { "process", "overlap" },
      "t2 began at 15, before t1 committed at 20" },
    { POINTS TXN_1(LATE) TXN_2("2", NEXT, "{'w':'y','v':2}"),
      "strong-snapshot-isolation",
      ESSE_ANOMALY_SNAPSHOT_MISMATCH_REALTIME,
      { "realtime", "overlap" },
      "t2 began at 15, before t1 committed at 20" },
};
enum { STARTS = sizeof starts / sizeof *starts };

TEST(certificate__start_dependencies_are_told)
{
    for (int i = 0; i < STARTS; i++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_result *result = check_text(arena, starts[i].text, "dsg");
        const struct esse_verdict *verdict = verdict_of(result, starts[i].level);
        CHECK_EQ(verdict->outcome, ESSE_VIOLATED);
        CHECK_EQ(verdict->certificate, ESSE_CERTIFICATE_TIMESTAMPS);
        CHECK(verdict->has_otherwise);
        CHECK_EQ(verdict->otherwise, ESSE_HOLDS);
        const struct esse_anomaly *anomaly = anomaly_of(verdict, starts[i].type);
        for (int e = 0; e < 2; e++)
            CHECK_TEXT(esse_dep_name(anomaly->edges[e].dep), starts[i].deps[e]);
        CHECK_TEXT(anomaly->edges[1].why, starts[i].why);
        /* Points say nothing about serializability. */
        CHECK_EQ(verdict_of(result, "serializable")->outcome, ESSE_HOLDS);
        esse_arena_free(arena);
    }
}

/* Whatever is changed of it, the kernel does not take it. */
TEST(certificate__changed_evidence_of_starts_is_refused)
{
    static const enum esse_dep deps[] = { ESSE_DEP_WW,      ESSE_DEP_WR,       ESSE_DEP_RW,
                                          ESSE_DEP_WRP,     ESSE_DEP_RWP,      ESSE_DEP_WWP,
                                          ESSE_DEP_PROCESS, ESSE_DEP_REALTIME, ESSE_DEP_START,
                                          ESSE_DEP_OVERLAP };
    enum { DEPS = sizeof deps / sizeof *deps };
    for (int i = 0; i < STARTS; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_error err;
        struct esse_history *history = load_text(arena, "native", starts[i].text);
        CHECK(esse_certificate_by_order(history, &err));
        const struct esse_verdict *verdict =
            verdict_of(check_text(arena, starts[i].text, "dsg"), starts[i].level);
        const struct esse_anomaly *good = anomaly_of(verdict, starts[i].type);
        CHECK(esse_recheck_anomaly(history, good, NULL, &err));
        for (int change = 0; change < 2 * DEPS + 4; change++) {
            struct esse_edge edges[2] = { good->edges[0], good->edges[1] };
            struct esse_anomaly anomaly = *good;
            anomaly.edges = edges;
            if (change < 2 * DEPS && edges[change / DEPS].dep == deps[change % DEPS])
                continue;
            /* A row that appeared is read by its predicate and as an item: both are true. */
            if (strstr(starts[i].text, "vset") && edges[0].dep == ESSE_DEP_WR && change < DEPS &&
                deps[change] == ESSE_DEP_WRP)
                continue;
            if (change < 2 * DEPS)
                edges[change / DEPS].dep = deps[change % DEPS];
            else if (change == 2 * DEPS)
                anomaly.type =
                    anomaly.type == ESSE_ANOMALY_GSIA ? ESSE_ANOMALY_GSIB : ESSE_ANOMALY_GSIA;
            else if (change == 2 * DEPS + 1)
                anomaly.edge_count = 1;
            else if (change == 2 * DEPS + 2)
                edges[0].from.ix = 7;
            else
                edges[1].to = edges[1].from;
            if (esse_recheck_anomaly(history, &anomaly, NULL, &err))
                fail_msg("change %d of %s is taken", change, esse_anomaly_name(starts[i].type));
        }
        /* Nor without the certificate, or with other points. */
        history->certificate.kind = ESSE_CERTIFICATE_COMMIT_ORDER;
        CHECK(!esse_recheck_anomaly(history, good, NULL, &err));
        history->certificate.kind = ESSE_CERTIFICATE_TIMESTAMPS;
        struct esse_interval *times = (struct esse_interval *)history->txn_server_time;
        times[0] = starts[i].type == ESSE_ANOMALY_GSIB ? (struct esse_interval){ 5, 20 }
                                                       : (struct esse_interval){ 5, 10 };
        CHECK(!esse_recheck_anomaly(history, good, NULL, &err));
        esse_arena_free(arena);
    }
}

/* ---- the papers' examples ---- */

static bool is_explained(const struct esse_verdict *verdict, const char *words)
{
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        for (uint32_t e = 0; e < verdict->anomalies[i].edge_count; e++)
            if (strstr(verdict->anomalies[i].edges[e].why, words))
                return true;
    return false;
}

/* t1 looks, t2 inserts what it would have found, t3 reads that, and t1 reads what t3 wrote. */
TEST(certificate__a_phantom_of_three_transactions)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_result *result =
        check_text(arena,
                   "{'certificate':'timestamps'}\n"
                   "{'session':1,'txn':'t1','start_ts':5,'commit_ts':40,'ops':[{'p':'v < 5',"
                   "'rows':{}},{'r':'z','v':8,'snapshot':35}]}\n"
                   "{'session':2,'txn':'t2','start_ts':6,'commit_ts':10,"
                   "'ops':[{'w':'y','v':3}]}\n"
                   "{'session':3,'txn':'t3','start_ts':15,'commit_ts':30,'ops':[{'r':'y','v':3},"
                   "{'w':'z','v':8}]}\n",
                   "dsg");
    const struct esse_verdict *verdict = verdict_of(result, "serializable");
    CHECK_EQ(verdict->outcome, ESSE_VIOLATED);
    CHECK_EQ(verdict->anomalies[0].type, ESSE_ANOMALY_G_SINGLE);
    CHECK(is_explained(verdict,
                       "t1 looked for \"v < 5\" without the 3 that t2 wrote, by which the row "
                       "y appeared"));
    CHECK_EQ(verdict_of(result, "snapshot-isolation")->outcome, ESSE_VIOLATED);
    CHECK_EQ(verdict_of(result, "repeatable-read")->outcome, ESSE_HOLDS);
    esse_arena_free(arena);
}

/* t2 writes the value again that was there: t1 may have returned either version, and is right. */
TEST(certificate__a_row_of_a_value_that_was_written_twice_is_no_mismatch)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_result *result =
        check_text(arena,
                   "{'certificate':'timestamps'}\n"
                   "{'init':{'a/1':3,'a/2':1}}\n"
                   "{'session':1,'txn':'t1','start_ts':5,'commit_ts':10,"
                   "'ops':[{'p':'SELECT * FROM a WHERE v < 3','rows':{'a/2':1}}]}\n"
                   "{'session':2,'txn':'t2','start_ts':6,'commit_ts':20,"
                   "'ops':[{'w':'a/2','v':1}]}\n",
                   "dsg");
    CHECK_EQ(verdict_of(result, "serializable")->outcome, ESSE_HOLDS);
    CHECK_EQ(verdict_of(result, "snapshot-isolation")->outcome, ESSE_HOLDS);
    esse_arena_free(arena);
}

static const char stale[] =
    "{'session':1,'txn':'t1','start_ts':5,'commit_ts':10,'ops':[{'w':'x','v':1}]}\n"
    "{'session':2,'txn':'t2','start_ts':15,'commit_ts':20,'ops':[{'w':'x','v':2},"
    "{'w':'y','v':2}]}\n"
    "{'session':3,'txn':'t3','start_ts':25,'commit_ts':30,'ops':[{'r':'x','v':1},"
    "{'r':'y','v':2}]}\n";

/* By the timestamps t2 overwrote what t3 read; with t2 before t1 it did not. */
TEST(certificate__an_order_that_contradicts_the_timestamps_is_no_excuse)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_result *plain = check_text(arena, stale, NULL);
    CHECK_EQ(verdict_of(plain, "serializable")->outcome, ESSE_HOLDS);
    CHECK(!verdict_of(plain, "serializable")->certificate);
    const struct esse_verdict *verdict =
        verdict_of(check_text(arena,
                              esse_arena_format(arena,
                                                "{'certificate':'timestamps'}\n"
                                                "%s",
                                                stale),
                              "dsg"),
                   "serializable");
    CHECK_EQ(verdict->outcome, ESSE_VIOLATED);
    CHECK_EQ(verdict->certificate, ESSE_CERTIFICATE_TIMESTAMPS);
    CHECK(verdict->has_otherwise);
    CHECK_EQ(verdict->otherwise, ESSE_HOLDS);
    esse_arena_free(arena);
}

/* t3 saw x = 10, before t1 made it match, and z = 1 of t2, which comes after t1. */
TEST(certificate__a_version_set_shows_what_the_items_do_not)
{
    static const char *const vsets[] = { "", ",'vset':{'x':10}" };
    for (int given = 0; given < 2; given++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_result *result = check_text(
            arena,
            esse_arena_format(
                arena,
                "{'init':{'x':10}}\n"
                "{'session':1,'txn':'t1','ops':[{'w':'x','v':3}]}\n"
                "{'session':2,'txn':'t2','ops':[{'w':'x','v':11},{'w':'z','v':8}]}\n"
                "{'session':3,'txn':'t3','ops':[{'p':'v < 5','rows':{}%s},{'r':'z','v':8}]}\n"
                "{'version_order':{'x':[3,11]}}\n",
                vsets[given]),
            NULL);
        CHECK_EQ(verdict_of(result, "serializable")->outcome, given ? ESSE_VIOLATED : ESSE_HOLDS);
        esse_arena_free(arena);
    }
}

/*
 * PostgreSQL at read committed: what an UPDATE looked at is not known, so that t3 came after t1 or
 * t2 is nowhere to be seen but in their order.  That has no transaction that wrote nothing: t4,
 * which saw t2 although its client learnt of t2 later, and t5, which saw whatever was there.
 */
TEST(certificate__who_is_not_in_the_order_of_commits_finds_a_place_in_it)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_result *result =
        check_text(arena,
                   "{'init':{'x':50}}\n"
                   "{'session':3,'txn':'t3','xid':13,'ops':[{'u':'v >= 40 AND v < 60',"
                   "'rows':{}},{'w':'y','v':1}]}\n"
                   "{'session':4,'txn':'t4','ops':[{'r':'x','v':2,'snapshot':'13:13:'}]}\n"
                   "{'session':1,'txn':'t1','xid':11,'ops':[{'w':'x','v':1}]}\n"
                   "{'session':2,'txn':'t2','xid':12,'ops':[{'w':'x','v':2}]}\n"
                   "{'session':5,'txn':'t5','ops':[{'r':'y','v':1}]}\n"
                   "{'order':['t1','t2','t3']}\n"
                   "{'certificate':'postgresql-snapshots','complete':true}\n",
                   "dsg");
    CHECK_EQ(verdict_of(result, "read-committed")->outcome, ESSE_HOLDS);
    CHECK_EQ(verdict_of(result, "serializable")->outcome, ESSE_HOLDS);
    esse_arena_free(arena);
}

/*
 * A crash lost the number 12 of a transaction that never committed, and t2, which began afterwards,
 * has it again.  So what 'old' saw, with 12 below its xmax and not running, says nothing of t2.
 */
TEST(certificate__a_number_that_a_crash_gave_again_is_not_seen_before_it)
{
    struct esse_arena *arena = esse_arena_new();
    const char *history =
        "{'session':1,'txn':'t1','xid':11,'start':1,'end':2,'ops':[{'w':'x','v':1}]}\n"
        "{'session':2,'txn':'old','start':3,'end':4,'ops':[{'p':'v < 5','rows':"
        "{'x':1},'snapshot':'13:13:'}]}\n"
        "{'session':1,'txn':'t2','xid':12,'start':%d,'end':9,'ops':[{'w':'x','v':7}]}\n"
        "{'order':['t1','t2']}\n"
        "{'certificate':'postgresql-snapshots'}\n";
    const struct esse_result *result =
        check_text(arena, esse_arena_format(arena, history, 5), "dsg");
    CHECK_EQ(verdict_of(result, "read-committed")->outcome, ESSE_HOLDS);
    CHECK_EQ(verdict_of(result, "serializable")->outcome, ESSE_HOLDS);
    /* Of one that overlapped with it the snapshot speaks. */
    result = check_text(arena, esse_arena_format(arena, history, 4), "dsg");
    CHECK_EQ(verdict_of(result, "read-committed")->outcome, ESSE_VIOLATED);
    esse_arena_free(arena);
}

/* ---- contradictions ---- */

static const char *contradiction(struct esse_arena *arena, const char *text)
{
    struct esse_error *err = esse_arena_alloc(arena, 1, sizeof *err);
    struct esse_history *history = load_text(arena, "native", text);
    if (esse_certificate_check(history, err) &&
        (!history->certificate.kind || esse_certificate_by_order(history, err)))
        return "";
    return err->text;
}

TEST(certificate__contradictions_are_told)
{
    struct esse_arena *arena = esse_arena_new();
    CHECK_TEXT(contradiction(arena, "{'session':1,'ops':[{'w':'x','v':1}]}\n"
                                    "{'version_order':{'x':[1,2]}}\n"),
               "certificate: the version order of x names 2, which no transaction wrote");
    CHECK_TEXT(contradiction(arena, "{'session':1,'ops':[{'w':'x','v':1}]}\n"
                                    "{'version_order':{'x':[1,1]}}\n"),
               "certificate: the version order of x names 1, and names it twice");
    CHECK_TEXT(
        contradiction(arena, "{'session':1,'ops':[{'p':'v < 5','rows':{},'vset':{'x':7}}]}\n"),
        "certificate: a version set of 1/0 names x = 7, which no transaction wrote");
    CHECK_TEXT(
        contradiction(
            arena,
            "{'session':1,'ops':[{'p':'v < 5','rows':{},'vset':{'x':7}},{'w':'x','v':7}]}\n"),
        "certificate: a version set of 1/0 names x = 7, which only the transaction itself "
        "wrote");
    CHECK_TEXT(contradiction(arena, "{'certificate':'timestamps'}\n"
                                    "{'session':1,'txn':'a','start_ts':1,'commit_ts':8,"
                                    "'ops':[{'w':'x','v':7,'snapshot':9}]}\n"),
               "certificate: a has a snapshot in which it has committed already");
    /* After a crash PostgreSQL gives the number of one that did not commit to another. */
    CHECK_TEXT(contradiction(arena, "{'certificate':'postgresql-snapshots'}\n"
                                    "{'session':1,'txn':'a','xid':7,'status':'aborted',"
                                    "'ops':[{'w':'x','v':1,'snapshot':'5:5:'}]}\n"
                                    "{'session':2,'txn':'b','xid':7,'ops':[{'w':'x','v':2,"
                                    "'snapshot':'5:5:'}]}\n"
                                    "{'order':['b']}\n"),
               "");
    CHECK_TEXT(contradiction(arena, "{'certificate':'commit-order','complete':true}\n"
                                    "{'session':1,'txn':'a','ops':[{'w':'x','v':7}]}\n"
                                    "{'session':2,'txn':'b','ops':[{'w':'x','v':8}]}\n"
                                    "{'order':['a']}\n"),
               "certificate: b committed and writes, and the order, which is to be complete, does "
               "not have it; if the database lost it, a line 'lost' says so");
    CHECK_TEXT(contradiction(arena,
                             "{'certificate':'timestamps'}\n"
                             "{'session':1,'start_ts':1,'commit_ts':8,'ops':[{'w':'x','v':1}]}\n"
                             "{'session':2,'start_ts':1,'commit_ts':9,'ops':[{'w':'x','v':2}]}\n"
                             "{'version_order':{'x':[2,1]}}\n"),
               "certificate: the version order of x names 1, after one that was committed later");
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificate__dsg_agrees_with_every_pair_of_predicate_and_version),
        cmocka_unit_test(certificate__a_result_that_is_not_the_snapshots_is_a_mismatch),
        cmocka_unit_test(certificate__aggregates_are_computed_from_the_snapshot),
        cmocka_unit_test(certificate__polygraph_with_nothing_agrees_where_dsg_with_it_proves),
        cmocka_unit_test(certificate__timestamps_are_start_and_commit_points),
        cmocka_unit_test(certificate__start_dependencies_are_told),
        cmocka_unit_test(certificate__changed_evidence_of_starts_is_refused),
        cmocka_unit_test(certificate__a_phantom_of_three_transactions),
        cmocka_unit_test(certificate__a_row_of_a_value_that_was_written_twice_is_no_mismatch),
        cmocka_unit_test(certificate__an_order_that_contradicts_the_timestamps_is_no_excuse),
        cmocka_unit_test(certificate__a_version_set_shows_what_the_items_do_not),
        cmocka_unit_test(certificate__who_is_not_in_the_order_of_commits_finds_a_place_in_it),
        cmocka_unit_test(certificate__a_number_that_a_crash_gave_again_is_not_seen_before_it),
        cmocka_unit_test(certificate__contradictions_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
