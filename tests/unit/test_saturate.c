#include "axiom_oracle.h"
#include "engine/saturate/saturate_trace.h"
#include "engine/scan/scan.h"
#include "evidence/recheck.h"
#include "level/level.h"
#include "load_text.h"
#include "predicate_random.h"
#include "random_history.h"

/* ---- the engine against all orders ---- */

struct tally {
    unsigned holds[A_LEVELS], violated[A_LEVELS], unknown[A_LEVELS];
};

static void compare_level(uint64_t seed, const struct esse_history *history,
                          const struct b_history *b, const struct esse_verdict *verdict, int level,
                          struct esse_arena *arena, struct tally *tally)
{
    struct a_history a;
    bool refuted;
    bool can = a_open(&a, b, &a_levels[level], &refuted);
    if (!can && !refuted)
        return;
    bool holds = can && a_try_choices(&a, 0);
    tally->holds[level] += verdict->outcome == ESSE_HOLDS;
    tally->violated[level] += verdict->outcome == ESSE_VIOLATED;
    tally->unknown[level] += verdict->outcome == ESSE_UNKNOWN;
    if (verdict->outcome != ESSE_UNKNOWN && (verdict->outcome == ESSE_HOLDS) != holds)
        fail_msg("seed %llu, %s: the engine says %s, all orders say %s (%s)\n%s",
                 (unsigned long long)seed, a_levels[level].name,
                 verdict->outcome == ESSE_HOLDS ? "holds" : "violated",
                 holds ? "holds" : "violated",
                 verdict->anomaly_count ? esse_anomaly_name(verdict->anomalies[0].type) : "-",
                 write_text(arena, "native", history));
    if (verdict->outcome != ESSE_UNKNOWN)
        CHECK(verdict->rechecked);
}

static void compare(uint64_t seed, bool lists, struct tally *tally)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = random_history(arena, seed, lists);
    struct b_history b;
    const char *levels[A_LEVELS];
    const struct esse_result *result;
    struct esse_error err;
    for (int i = 0; i < A_LEVELS; i++)
        levels[i] = a_levels[i].name;
    struct esse_check_options options = { .levels = levels,
                                          .level_count = A_LEVELS,
                                          .engine = seed % 2 ? "saturate" : NULL };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, err.text,
                 write_text(arena, "native", history));
    for (int i = 0; i < A_LEVELS && b_open_for(&b, history, a_levels[i].single); i++)
        compare_level(seed, history, &b, &result->verdicts[i], i, arena, tally);
    esse_arena_free(arena);
}

/* ---- the short way against the long one ---- */

static enum esse_outcome outcome_of(struct esse_arena *arena, struct esse_history *history,
                                    const char *level, const char *other)
{
    const char *levels[] = { level, other };
    const struct esse_result *result;
    struct esse_error err;
    struct esse_check_options options = { .levels = levels,
                                          .level_count = other ? 2 : 1,
                                          .engine = "saturate" };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s: %s", level, err.text);
    return result->verdicts[0].outcome;
}

/* What is traced is what the index by key gives, and the scan has nothing to say. */
static bool agrees_with_index(struct esse_arena *arena, struct esse_history *history,
                              unsigned threads)
{
    struct saturate_traced traced;
    struct esse_job job = { .arena = arena, .history = history, .threads = 1 };
    struct known known;
    struct versions versions;
    struct saturate_units units;
    if (!saturate_trace(&traced, arena, history, threads, NULL))
        return false;
    CHECK(scan_open(&known, &job, NULL) && versions_find(&versions, &known, false));
    CHECK(saturate_units_make(&units, known.scratch, &versions, false, 1, NULL));
    CHECK_EQ(known.found.count, 0);
    CHECK_EQ(units.unresolved, 0);
    CHECK_EQ(versions.own_missed, 0);
    CHECK_EQ(versions.not_repeated, 0);
    CHECK_EQ(units.count, traced.units.count);
    for (uint32_t a = 0; a < units.accesses; a++)
        if (units.access[a].key != traced.units.access[a].key ||
            units.access[a].source != traced.units.access[a].source)
            fail_msg("access %u: %u, and with an index %u\n%s", a, traced.units.access[a].source,
                     units.access[a].source, write_text(arena, "native", history));
    for (uint32_t unit = 0; unit < units.count; unit++) {
        CHECK_EQ(units.before[unit], traced.units.before[unit]);
        CHECK_EQ(saturate_counts(&units, unit), saturate_counts(&traced.units, unit));
    }
    known_close(&known);
    return true;
}

/* What the store did, so that most of it can be traced; sometimes with repeated values. */
static struct esse_history *traced_history(struct esse_arena *arena, uint64_t seed)
{
    struct esse_rng rng = { seed };
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    const unsigned txns = 2 + (unsigned)esse_rng_below(&rng, 12);
    const bool per_key = esse_rng_below(&rng, 2), odd = esse_rng_below(&rng, 3) == 0;
    unsigned next = 1, of[3] = { 1, 1, 1 };
    unsigned value[3][64] = { { 0 } }, count[3] = { 1, 1, 1 };
    for (unsigned t = 0; t < txns; t++) {
        const bool aborted = esse_rng_below(&rng, 12) == 0;
        bool touched[3] = { false };
        esse_out_f(&out, "{'session':%u%s,'ops':[", (unsigned)esse_rng_below(&rng, 3),
                   aborted ? ",'status':'aborted'" : "");
        for (unsigned o = 0, ops = 1 + (unsigned)esse_rng_below(&rng, 3); o < ops; o++) {
            const unsigned key = (unsigned)esse_rng_below(&rng, 3);
            esse_out_text(&out, o ? "," : "");
            if (touched[key] && !odd) {
                esse_out_f(&out, "{'r':'%c%u','v':null}", 'p', t * 8 + o);
                continue;
            }
            touched[key] = true;
            if (esse_rng_below(&rng, 2)) {
                const unsigned at = (unsigned)esse_rng_below(&rng, count[key]);
                esse_out_f(&out, at ? "{'r':'%c','v':%u}" : "{'r':'%c','v':null}", 'x' + key,
                           value[key][at]);
                continue;
            }
            const unsigned number = per_key ? of[key]++ : next++;
            esse_out_f(&out, "{'w':'%c','v':%u}", 'x' + key, odd && number > 4 ? 4 : number);
            if (!aborted || odd)
                value[key][count[key]++] = number;
        }
        esse_out_text(&out, "]}\n");
    }
    return load_text(arena, "native", esse_out_memory(&out));
}

TEST(test_saturate__traced_units_are_those_of_the_index)
{
    static const char *const levels[] = { "axiomatic-read-committed", "read-atomic",
                                          "causal-consistency", "prefix-consistency",
                                          "update-atomic" };
    unsigned traced = 0, outcomes[3] = { 0 };
    for (unsigned seed = test_first(4000), after = seed + test_rounds(4000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history =
            seed % 4 ? traced_history(arena, seed) : random_history(arena, seed, false);
        const char *level = levels[seed / 4 % 5];
        const enum esse_outcome outcome = outcome_of(arena, history, level, NULL);
        traced += agrees_with_index(arena, history, 1);
        if (outcome != outcome_of(arena, history, level, "read-your-writes"))
            fail_msg("seed %u, %s: %s, and otherwise with an index\n%s", seed, level,
                     esse_outcome_name(outcome), write_text(arena, "native", history));
        outcomes[outcome]++;
        esse_arena_free(arena);
    }
    print_message("%u traced; %u hold, %u violated, %u unknown\n", traced, outcomes[ESSE_HOLDS],
                  outcomes[ESSE_VIOLATED], outcomes[ESSE_UNKNOWN]);
    CHECK(traced > 300 && outcomes[ESSE_HOLDS] > 300 && outcomes[ESSE_VIOLATED] > 300);
}

static void print_tally(const struct tally *tally)
{
    for (int i = 0; i < A_LEVELS; i++)
        print_message("%-28s %6u hold, %6u violated, %6u unknown\n", a_levels[i].name,
                      tally->holds[i], tally->violated[i], tally->unknown[i]);
}

TEST(test_saturate__agrees_with_all_orders_on_registers)
{
    struct tally tally = { 0 };
    for (unsigned seed = test_first(3000), after = seed + test_rounds(3000); seed < after; seed++)
        compare(seed, false, &tally);
    print_tally(&tally);
    for (int i = 0; i < 4; i++)
        CHECK(tally.violated[i] > 30 && tally.holds[i] > 100);
}

TEST(test_saturate__agrees_with_all_orders_on_lists)
{
    struct tally tally = { 0 };
    for (unsigned seed = test_first(1000), after = seed + test_rounds(1000); seed < after; seed++)
        compare(seed, true, &tally);
    print_tally(&tally);
}

/* ---- the examples of levels and anomalies are true ---- */

/* One operation of "r(x,0) w(y,1) a(l,2) r(l,[1 2])" as native JSON. */
static const char *put_example_op(struct esse_out *out, const char *at)
{
    char kind = *at, key[16] = "", value[64] = "";
    size_t k = 0, v = 0;
    for (at += 2; *at && *at != ','; at++)
        key[k++] = *at;
    for (at++; *at && *at != ')'; at++)
        value[v++] = *at == ' ' ? ',' : *at;
    key[k] = value[v] = 0;
    esse_out_f(out, "{'%c':'%s','v':%s}", kind, key, value);
    return *at ? at + 1 : at;
}

/* "T1 (s1): r(x,0) w(x,1); T2: r(x,1)" as a native history; NULL for what says more than that. */
static const char *native_of_example(struct esse_arena *arena, const char *example)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_out_text(&out, "{'init':{'x':0,'y':0,'z':0}}\n");
    if (strstr(example, "a("))
        esse_out_init_memory(&out, arena); /* lists start empty */
    for (const char *at = example; *at;) {
        char name[16] = "", session[16] = "";
        int used = 0;
        if (sscanf(at, " %15[A-Z0-9] (%15[a-z0-9]):%n", name, session, &used) < 2 || !used) {
            used = 0;
            if (sscanf(at, " %15[A-Z0-9]:%n", name, &used) < 1 || !used)
                return NULL;
        }
        esse_out_f(&out, "{'session':'%s','txn':'%s','ops':[", *session ? session : name, name);
        at += used;
        for (bool first = true; *at && *at != ';';) {
            at += strspn(at, " ");
            if (!strchr("rwa", *at) || at[1] != '(')
                return NULL;
            esse_out_text(&out, first ? "" : ",");
            at = put_example_op(&out, at);
            first = false;
        }
        at += *at == ';';
        esse_out_text(&out, "]}\n");
    }
    return esse_out_memory(&out);
}

static unsigned check_example(const char *level, const char *example, enum esse_outcome expected)
{
    struct esse_arena *arena = esse_arena_new();
    const char *text = native_of_example(arena, example);
    const struct esse_result *result;
    struct esse_error err;
    struct esse_check_options options = { .levels = &level, .level_count = 1 };
    if (text) {
        struct esse_history *history = load_text(arena, "native", text);
        if (!esse_check(arena, history, &options, &result, &err))
            fail_msg("%s on %s: %s", level, example, err.text);
        /* Whether there is any commit order at all, saturation cannot always tell. */
        bool may_give_up = strcmp(level, "prefix") == 0 || strncmp(level, "parallel", 8) == 0;
        if (result->verdicts[0].outcome != expected &&
            !(may_give_up && result->verdicts[0].outcome == ESSE_UNKNOWN))
            fail_msg("%s on %s: %d, expected %d\n%s", level, example, result->verdicts[0].outcome,
                     expected, text);
    }
    esse_arena_free(arena);
    return text != NULL;
}

TEST(test_saturate__examples_of_levels_are_true)
{
    unsigned checked = 0;
    for (int i = 0; i < A_LEVELS; i++) {
        const struct esse_level *level = esse_level_find(a_levels[i].name);
        const struct esse_level_notes *notes = esse_level_notes_of(level);
        checked += check_example(level->name, notes->forbidden.history, ESSE_VIOLATED);
        checked += check_example(level->name, notes->allowed.history, ESSE_HOLDS);
    }
    for (int id = ESSE_ANOMALY_CO_READ_COMMITTED; id <= ESSE_ANOMALY_CO_UPDATE_ATOMIC; id++) {
        const struct esse_anomaly_type *type = esse_anomaly_get((enum esse_anomaly_id)id);
        char level[64];
        snprintf(level, sizeof level, "%.*s", (int)(strlen(type->name) - strlen("-cycle")),
                 type->name);
        checked += check_example(level, type->example.history, ESSE_VIOLATED);
    }
    CHECK(checked > 30);
}

/* ---- classic shapes ---- */

TEST(test_saturate__classic_shapes)
{
    static const struct {
        const char *what, *history, *level;
        enum esse_outcome outcome;
    } shapes[] = {
        { "fractured read", "T1: w(x,1) w(y,1); T2: r(y,0) r(x,1)", "read-atomic", ESSE_VIOLATED },
        { "fractured read", "T1: w(x,1) w(y,1); T2: r(y,0) r(x,1)", "axiomatic-read-committed",
          ESSE_HOLDS },
        { "causality violation", "T1: w(x,1); T2: r(x,1) w(y,1); T3: r(y,1) r(x,0)",
          "causal-consistency", ESSE_VIOLATED },
        { "causality violation", "T1: w(x,1); T2: r(x,1) w(y,1); T3: r(y,1) r(x,0)", "read-atomic",
          ESSE_HOLDS },
        { "long fork", "T1: w(x,1); T2: w(y,1); T3: r(x,1) r(y,0); T4: r(x,0) r(y,1)",
          "causal-consistency", ESSE_HOLDS },
        { "non-monotonic reads", "T1: w(x,1); T2 (s1): r(x,1); T3 (s1): r(x,0)", "monotonic-reads",
          ESSE_VIOLATED },
        { "non-monotonic reads", "T1: w(x,1); T2 (s1): r(x,1); T3 (s1): r(x,0)", "read-atomic",
          ESSE_HOLDS },
        { "lost update", "T1: r(x,0) w(x,1); T2: r(x,0) w(x,2)", "causal-consistency", ESSE_HOLDS },
        { "lost update", "T1: r(x,0) w(x,1); T2: r(x,0) w(x,2)", "update-atomic", ESSE_VIOLATED },
        { "circular reads-from", "T1: r(y,1) w(x,1); T2: r(x,1) w(y,1)", "axiomatic-read-committed",
          ESSE_VIOLATED },
        { "read of a later own write", "T1: r(x,1) w(x,1)", "axiomatic-read-committed",
          ESSE_VIOLATED },
        { "a session of one", "T1: r(x,0)", "causal-consistency", ESSE_HOLDS },
        { "no transaction at all", "", "causal-consistency", ESSE_HOLDS },
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!check_example(shapes[i].level, shapes[i].history, shapes[i].outcome))
            fail_msg("%s: cannot be read", shapes[i].what);
}

/* ---- predicates ---- */

static const char *const of_operations[] = { "causal",           "PRAM",
                                             "monotonic-reads",  "monotonic-writes",
                                             "read-your-writes", "writes-follow-reads" };

/* The levels of operations, on operations that are several accesses; true if one is violated. */
static bool saturate_operations(struct esse_arena *arena, const char *text)
{
    const struct esse_history *history = load_text(arena, "native", text);
    const struct esse_result *result;
    struct esse_error err;
    struct esse_check_options options = { .levels = of_operations,
                                          .level_count = 6,
                                          .engine = "saturate" };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s\n%s", err.text, text);
    for (uint32_t i = 0; i < result->verdict_count; i++)
        if (result->verdicts[i].outcome == ESSE_VIOLATED)
            return true;
    return false;
}

TEST(test_saturate__an_update_reads_before_it_writes)
{
    struct esse_arena *arena = esse_arena_new();
    CHECK(saturate_operations(arena, "{'session':0,'ops':[{'r':'x','v':9}]}\n"
                                     "{'session':0,'ops':[{'u':'v > 0','rows':{'x':[2,9]}}]}\n"));
    /* Its own write is not what it read. */
    saturate_operations(arena, "{'session':0,'ops':[{'u':'v > 0','rows':{'x':[9,9]}}]}\n");
    esse_arena_free(arena);
}

/* Having read x from t1, a later read of y is not of t0; a row of the same predicate may be. */
TEST(test_saturate__rows_of_one_predicate_are_in_no_order)
{
    static const char *const levels[] = { "axiomatic-read-committed", "monotonic-atomic-view" };
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history =
        load_text(arena, "native",
                  "{'session':0,'ops':[{'w':'y','v':3}]}\n"
                  "{'session':0,'ops':[{'w':'y','v':4},{'w':'x','v':1}]}\n"
                  "{'session':1,'ops':[{'p':'v < 4','rows':{'x':1,'y':3}}]}\n");
    struct esse_check_options options = { .levels = levels, .level_count = 2 };
    const struct esse_result *result;
    struct esse_error err;
    for (int by_engine = 0; by_engine < 2; by_engine++) {
        options.engine = by_engine ? "saturate" : NULL;
        if (!esse_check(arena, history, &options, &result, &err))
            fail_msg("%s", err.text);
        CHECK(result->verdicts[0].outcome != ESSE_VIOLATED);
        CHECK(result->verdicts[1].outcome != ESSE_VIOLATED);
    }
    esse_arena_free(arena);
}

TEST(test_saturate__refutations_of_predicate_operations_are_rechecked)
{
    unsigned violated = 0;
    for (unsigned seed = 1 + test_first(2000), after = seed + test_rounds(2000); seed < after;
         seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct p_history h;
        p_random_history(&h, &rng, 5);
        p_damage(&h, &rng);
        h.has_sessions = true;
        for (int t = 0; t < h.count; t++)
            h.txns[t].session = (int)esse_rng_below(&rng, 2);
        violated += saturate_operations(arena, p_write(arena, &h));
        esse_arena_free(arena);
    }
    CHECK(violated > test_rounds(2000) / 40);
}

/* ---- wrong evidence ---- */

static struct esse_history *causal_violation(struct esse_arena *arena)
{
    return load_text(
        arena, "native",
        "{'session':0,'txn':'t1','ops':[{'w':'x','v':1}]}\n"
        "{'session':1,'txn':'t2','ops':[{'r':'x','v':1},{'w':'x','v':2},{'w':'y','v':1}]}\n"
        "{'session':2,'txn':'t3','ops':[{'r':'y','v':1},{'r':'x','v':1}]}\n");
}

/* Every member of every edge, changed one at a time, makes the evidence worthless. */
TEST(test_saturate__a_changed_justification_is_refused)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = causal_violation(arena);
    const char *level = "read-atomic";
    const struct esse_result *result;
    struct esse_error err;
    struct esse_check_options options = { .levels = &level, .level_count = 1 };
    CHECK(esse_check(arena, history, &options, &result, &err));
    CHECK(result->verdicts[0].outcome == ESSE_VIOLATED);
    const struct esse_anomaly *anomaly = &result->verdicts[0].anomalies[0];
    CHECK(esse_recheck_anomaly(history, anomaly, NULL, &err));
    unsigned tried = 0;
    for (uint32_t e = 0; e < anomaly->edge_count; e++) {
        for (int member = 0; member < 6; member++) {
            struct esse_edge edges[8];
            struct esse_anomaly changed = *anomaly;
            memcpy(edges, anomaly->edges, anomaly->edge_count * sizeof *edges);
            changed.edges = edges;
            struct esse_edge *edge = &edges[e];
            if (member == 0)
                edge->from.ix = (edge->from.ix + 1) % history->txns;
            if (member == 1)
                edge->to.ix = (edge->to.ix + 1) % history->txns;
            if (member == 2)
                edge->key.ix ^= edge->has_key;
            if (member == 3)
                edge->witness.ix = edge->dep == ESSE_DEP_CO ? 0 : edge->witness.ix;
            if (member == 4)
                edge->because_count = 0;
            if (member == 5)
                edge->dep = edge->dep == ESSE_DEP_CO ? ESSE_DEP_WW : ESSE_DEP_CO;
            bool same = memcmp(edge, &anomaly->edges[e], sizeof *edge) == 0;
            tried += !same;
            if (!same && esse_recheck_anomaly(history, &changed, NULL, &err))
                fail_msg("edge %u is accepted with member %d changed", e, member);
        }
    }
    CHECK(tried > 6);
    esse_arena_free(arena);
}

/* A commit order with two neighbours exchanged proves nothing where they depend on each other. */
TEST(test_saturate__a_wrong_commit_order_is_refused)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(arena, "native",
                                             "{'session':0,'ops':[{'w':'x','v':1}]}\n"
                                             "{'session':0,'ops':[{'w':'x','v':2}]}\n"
                                             "{'session':1,'ops':[{'r':'x','v':2}]}\n");
    static const uint32_t orders[][3] = { { 0, 1, 2 }, { 1, 0, 2 }, { 0, 2, 1 }, { 0, 1, 1 } };
    const struct esse_level *level = esse_level_find("causal-consistency");
    struct esse_error err;
    for (int i = 0; i < 4; i++) {
        struct esse_verdict verdict = {
            .level = level->id,
            .outcome = ESSE_HOLDS,
            .order = { .events = orders[i], .count = 3, .proves = level->id }
        };
        CHECK(esse_recheck_verdict(history, level, &verdict, NULL, &err) == (i == 0));
    }
    esse_arena_free(arena);
}

/* ---- the shortest explanation ---- */

static uint32_t length_of_cycle(struct esse_arena *arena, const char *text, const char *level)
{
    struct esse_check_options options = { .levels = &level,
                                          .level_count = 1,
                                          .engine = "saturate" };
    const struct esse_result *result;
    struct esse_error err;
    if (!esse_check(arena, load_text(arena, "native", text), &options, &result, &err))
        fail_msg("%s", err.text);
    CHECK_EQ(result->verdicts[0].outcome, ESSE_VIOLATED);
    CHECK(result->verdicts[0].rechecked);
    return result->verdicts[0].anomalies[0].edge_count;
}

/* w1 to w16 appended to x in turn, or ran one after the other in a session; the first saw what the
 * last wrote. */
static const char *ring_of_sixteen(struct esse_arena *arena, bool is_session)
{
    struct esse_out text;
    esse_out_init_memory(&text, arena);
    for (int i = 1; i <= 16; i++) {
        esse_out_f(&text, "{'session':%d,'txn':'w%d','ops':[", is_session ? 0 : i, i);
        esse_out_text(&text, i == 1 ? "{'r':'y','v':1}," : "");
        if (is_session)
            esse_out_text(&text, "{'r':'z','v':null}");
        else
            esse_out_f(&text, "{'a':'x','v':%d}", i);
        esse_out_text(&text, i == 16 ? ",{'w':'y','v':1}]}\n" : "]}\n");
    }
    if (!is_session)
        esse_out_text(&text, "{'session':17,'txn':'all','ops':[{'r':'x','v':"
                             "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}]}\n");
    return esse_out_memory(&text);
}

TEST(test_saturate__a_ring_is_told_by_as_few_as_explain_it)
{
    struct esse_arena *arena = esse_arena_new();
    const char *versions = ring_of_sixteen(arena, false), *session = ring_of_sixteen(arena, true);
    CHECK_EQ(length_of_cycle(arena, versions, "read-atomic"), 2);
    CHECK_EQ(length_of_cycle(arena, session, "read-atomic"), 2);
    /* Of operations, so the first and the last have an edge inside. */
    CHECK_EQ(length_of_cycle(arena, versions, "causal"), 4);
    CHECK_EQ(length_of_cycle(arena, session, "causal"), 2);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saturate__agrees_with_all_orders_on_registers),
        cmocka_unit_test(test_saturate__agrees_with_all_orders_on_lists),
        cmocka_unit_test(test_saturate__traced_units_are_those_of_the_index),
        cmocka_unit_test(test_saturate__examples_of_levels_are_true),
        cmocka_unit_test(test_saturate__classic_shapes),
        cmocka_unit_test(test_saturate__an_update_reads_before_it_writes),
        cmocka_unit_test(test_saturate__rows_of_one_predicate_are_in_no_order),
        cmocka_unit_test(test_saturate__refutations_of_predicate_operations_are_rechecked),
        cmocka_unit_test(test_saturate__a_changed_justification_is_refused),
        cmocka_unit_test(test_saturate__a_wrong_commit_order_is_refused),
        cmocka_unit_test(test_saturate__a_ring_is_told_by_as_few_as_explain_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
