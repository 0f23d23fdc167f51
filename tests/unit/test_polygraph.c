#include "axiom_oracle.h"
#include "evidence/recheck.h"
#include "history/forget.h"
#include "load_text.h"
#include "random_history.h"
#include "version_oracle.h"

enum { ABLATIONS = 512 };

struct tally {
    unsigned holds, violated, unknown, refuted;
};

static const struct esse_result *check(struct esse_arena *arena, const struct esse_history *history,
                                       const char *const *levels, size_t count, uint64_t seed)
{
    struct esse_check_options options = { .levels = levels,
                                          .level_count = count,
                                          .engine = seed % 4 ? "polygraph" : NULL,
                                          .ablate = (unsigned)(seed / 4 % ABLATIONS) };
    const struct esse_result *result;
    struct esse_error err;
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, err.text,
                 write_text(arena, "native", history));
    return result;
}

static void compare(struct esse_arena *arena, const struct esse_history *history,
                    const struct esse_verdict *verdict, bool holds, uint64_t seed,
                    struct tally *tally)
{
    tally->holds += verdict->outcome == ESSE_HOLDS;
    tally->violated += verdict->outcome == ESSE_VIOLATED;
    tally->unknown += verdict->outcome == ESSE_UNKNOWN;
    tally->refuted += verdict->evidence == ESSE_EVIDENCE_REFUTATION;
    if (verdict->outcome != ESSE_UNKNOWN && (verdict->outcome == ESSE_HOLDS) != holds)
        fail_msg("seed %llu, %s: the engine %s says %s (%s), the definition %s\n%s",
                 (unsigned long long)seed, esse_level_name(verdict->level), verdict->engine,
                 holds ? "violated" : "holds",
                 verdict->anomaly_count ? esse_anomaly_name(verdict->anomalies[0].type) : "-",
                 holds ? "holds" : "violated", write_text(arena, "native", history));
    if (verdict->outcome != ESSE_UNKNOWN)
        CHECK(verdict->rechecked);
}

/* ---- all orders of transactions ---- */

static const struct {
    const char *level;
    enum b_rule rule;
    bool so, rt;
} ordered[] = {
    { "snapshot-isolation", B_SNAPSHOT, false, false },
    { "strong-session-snapshot-isolation", B_SNAPSHOT, true, false },
    { "strong-snapshot-isolation", B_SNAPSHOT, true, true },
    { "serializable", B_SERIAL, false, false },
    { "strong-session-serializable", B_SERIAL, true, false },
    { "strict-serializable", B_SERIAL, true, true },
};
enum { ORDERED = sizeof ordered / sizeof *ordered };

static void compare_orders(uint64_t seed, bool lists, struct tally *tally)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = random_history(arena, seed, lists);
    const char *levels[ORDERED];
    struct b_history b;
    for (int i = 0; i < ORDERED; i++)
        levels[i] = ordered[i].level;
    const struct esse_result *result = check(arena, history, levels, ORDERED, seed);
    for (int i = 0; i < ORDERED && b_open(&b, history); i++)
        compare(arena, history, &result->verdicts[i],
                b_holds(&b, ordered[i].rule, ordered[i].so, ordered[i].rt), seed, tally);
    esse_arena_free(arena);
}

TEST(test_polygraph__agrees_with_all_orders_on_registers)
{
    struct tally tally = { 0 };
    for (unsigned seed = test_first(2000), after = seed + test_rounds(2000); seed < after; seed++)
        compare_orders(seed, false, &tally);
    print_message("%u hold, %u violated (%u by refutation), %u unknown\n", tally.holds,
                  tally.violated, tally.refuted, tally.unknown);
    CHECK(tally.holds > test_least(1000) && tally.violated > test_least(1000) &&
          tally.refuted > test_least(150));
    CHECK(tally.unknown * 50 < tally.holds + tally.violated);
}

TEST(test_polygraph__agrees_with_all_orders_on_lists)
{
    struct tally tally = { 0 };
    for (unsigned seed = test_first(600), after = seed + test_rounds(600); seed < after; seed++)
        compare_orders(seed, true, &tally);
    print_message("%u hold, %u violated (%u by refutation), %u unknown\n", tally.holds,
                  tally.violated, tally.refuted, tally.unknown);
    CHECK(tally.holds > test_least(100) && tally.violated > test_least(100));
}

/* ---- all choices of writers, all orders of versions; values repeat ---- */

static const struct {
    const char *level;
    enum v_rule rule;
    bool so, rt, repeatable;
} versioned[] = {
    { "consistent-view", V_ONE_RW, false, false, false },
    { "parallel-snapshot-isolation", V_ONE_RW, true, false, true },
    { "repeatable-read", V_SERIAL, false, false, false },
    { "snapshot-isolation", V_SNAPSHOT, false, false, true },
    { "strong-session-snapshot-isolation", V_SNAPSHOT, true, false, true },
    { "strong-snapshot-isolation", V_SNAPSHOT, true, true, true },
    { "serializable", V_SERIAL, false, false, true },
    { "strong-session-serializable", V_SERIAL, true, false, true },
    { "strict-serializable", V_SERIAL, true, true, true },
};
enum { VERSIONED = sizeof versioned / sizeof *versioned };

/* Writes of few values, and reads of what was written before or will be: dense, so often
 * wrong, and ambiguous. */
static void add_ops(struct esse_builder *builder, struct esse_rng *rng, uint32_t values,
                    bool deletes)
{
    uint32_t touched = 0, count = 1 + (uint32_t)esse_rng_below(rng, 3);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = (uint32_t)esse_rng_below(rng, 3);
        const esse_value name = esse_int(key);
        const int64_t value = (int64_t)esse_rng_below(rng, values);
        if (touched >> key & 1)
            continue;
        touched |= 1u << key;
        if (esse_rng_below(rng, 5) < 2)
            esse_builder_read(builder, name, value ? esse_int(value) : esse_nil());
        else if (value || !deletes)
            esse_builder_write(builder, name, esse_int(value ? value : 1));
        else
            esse_builder_delete(builder, name);
    }
}

static struct esse_history *dense_history(struct esse_arena *arena, uint64_t seed)
{
    struct esse_rng rng = { seed };
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history = NULL;
    struct esse_error err;
    const uint32_t txns = 3 + (uint32_t)esse_rng_below(&rng, 5);
    const uint32_t values = 2 + (uint32_t)esse_rng_below(&rng, 3);
    const bool deletes = esse_rng_below(&rng, 3) == 0, timed = esse_rng_below(&rng, 2);
    for (uint32_t t = 0; t < txns; t++) {
        esse_builder_begin(builder, esse_int((int64_t)esse_rng_below(&rng, 4)), NULL);
        int64_t start = (int64_t)(10 * t + esse_rng_below(&rng, 5));
        if (timed)
            esse_builder_times(builder, start, start + (int64_t)esse_rng_below(&rng, 30));
        add_ops(builder, &rng, values, deletes);
        if (!esse_builder_end(builder, ESSE_COMMITTED, &err))
            fail_msg("%s", err.text);
    }
    if (!esse_builder_freeze(builder, &history, &err))
        fail_msg("%s", err.text);
    return history;
}

TEST(test_polygraph__agrees_with_all_choices)
{
    struct tally tally[VERSIONED] = { { 0 } };
    for (unsigned seed = test_first(2000), after = seed + test_rounds(2000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = dense_history(arena, seed);
        const char *levels[VERSIONED];
        struct b_history b;
        for (int i = 0; i < VERSIONED; i++)
            levels[i] = versioned[i].level;
        const struct esse_result *result = check(arena, history, levels, VERSIONED, seed);
        CHECK(b_open(&b, history));
        for (int i = 0; i < VERSIONED; i++)
            compare(arena, history, &result->verdicts[i],
                    v_holds(&b, versioned[i].rule, versioned[i].so, versioned[i].rt), seed,
                    &tally[i]);
        esse_arena_free(arena);
    }
    for (int i = 0; i < VERSIONED; i++) {
        print_message("%-36s %6u hold, %6u violated (%u by refutation), %u unknown\n",
                      versioned[i].level, tally[i].holds, tally[i].violated, tally[i].refuted,
                      tally[i].unknown);
        CHECK(tally[i].holds > test_least(50) && tally[i].violated > test_least(50));
        CHECK_EQ(tally[i].unknown, 0);
    }
}

/* ---- the axioms ---- */

TEST(test_polygraph__agrees_with_the_axioms)
{
    static const char *const levels[] = { "prefix-consistency", "parallel-snapshot-isolation",
                                          "causal-consistency", "read-atomic" };
    enum { LEVELS = sizeof levels / sizeof *levels };
    struct tally tally[LEVELS] = { { 0 } };
    for (unsigned seed = test_first(2000), after = seed + test_rounds(2000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history =
            seed % 2 ? random_history(arena, seed, false) : dense_history(arena, seed);
        const struct esse_result *result = check(arena, history, levels, LEVELS, seed);
        struct b_history b;
        for (int i = 0; i < LEVELS && b_open(&b, history); i++) {
            struct a_history a;
            int at = 0;
            bool refuted;
            while (strcmp(a_levels[at].name, levels[i]) != 0)
                at++;
            bool can = a_open(&a, &b, &a_levels[at], &refuted);
            if (can || refuted)
                compare(arena, history, &result->verdicts[i], can && a_try_choices(&a, 0), seed,
                        &tally[i]);
        }
        esse_arena_free(arena);
    }
    for (int i = 0; i < LEVELS; i++) {
        print_message("%-36s %6u hold, %6u violated (%u by refutation), %u unknown\n", levels[i],
                      tally[i].holds, tally[i].violated, tally[i].refuted, tally[i].unknown);
        CHECK(tally[i].holds > test_least(50) && tally[i].violated > test_least(50) &&
              tally[i].refuted > test_least(50));
        CHECK_EQ(tally[i].unknown, 0);
    }
}

/* ---- nothing known but reads and writes ---- */

static struct esse_history *generated(struct esse_arena *arena, struct esse_gen_options *options)
{
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history = NULL;
    struct esse_error err;
    options->work.max_writes = 0;
    options->has_header = false;
    if (!esse_gen_run(options, esse_builder_sink(builder), NULL, &err) ||
        !esse_builder_freeze(builder, &history, &err))
        fail_msg("%s", err.text);
    return history;
}

/* Mostly blind writes, one session after the other. */
static struct esse_history *written_history(struct esse_arena *arena, uint64_t seed, uint32_t txns,
                                            bool timed)
{
    struct esse_gen_options options = esse_gen_defaults("rw-register");
    options.txns = txns;
    options.work.ops = 8;
    options.work.keys = 250;
    options.work.sessions = 12;
    options.work.read_share = 0.25;
    options.work.seed = seed;
    options.has_times = timed;
    options.by_session = true;
    return generated(arena, &options);
}

static struct esse_history *shuffled_history(struct esse_arena *arena, uint64_t seed, uint32_t txns)
{
    const struct esse_forgetting forgetting = { .sessions = true, .version_share = 1 };
    return esse_history_forget(arena, written_history(arena, seed, txns, false), &forgetting);
}

/* Where the first order breaks reads it is improved, until the order is itself the answer; where
 * the solver is not tried before. */
TEST(test_polygraph__improves_what_has_no_order_at_all)
{
    static const char *const levels[] = { "serializable", "snapshot-isolation" };
    unsigned improved = 0;
    for (unsigned seed = 1 + test_first(10), after = seed + test_rounds(10); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_check_options options = { .levels = levels,
                                              .level_count = 2,
                                              .engine = "polygraph",
                                              .ablate = ESSE_ABLATE_PATIENCE | ESSE_ABLATE_LAYOUT };
        const struct esse_result *result;
        struct esse_error err;
        CHECK(esse_check(arena, shuffled_history(arena, seed, 300), &options, &result, &err));
        for (uint32_t i = 0; i < 2; i++) {
            const struct esse_verdict *verdict = &result->verdicts[i];
            CHECK_EQ(verdict->outcome, ESSE_HOLDS);
            for (uint32_t p = 0; p < verdict->phase_count; p++)
                improved += strcmp(verdict->phases[p].name, "mending") == 0 &&
                            verdict->phases[p].counts[1].count > 0 &&
                            verdict->phases[p].counts[2].count == 0;
        }
        esse_arena_free(arena);
    }
    print_message("%u mended\n", improved);
    CHECK(improved > test_rounds(10) / 2); /* or else nothing was tested */
}

/* ---- which node leads to which ---- */

/* The last phase of a name; NULL if there was none. */
static const struct esse_phase *find_phase(const struct esse_verdict *verdict, const char *name)
{
    const struct esse_phase *found = NULL;
    for (uint32_t p = 0; p < verdict->phase_count; p++)
        if (strcmp(verdict->phases[p].name, name) == 0)
            found = &verdict->phases[p];
    return found;
}

static const struct esse_verdict *check_without(struct esse_arena *arena,
                                                const struct esse_history *history,
                                                const char *level, unsigned ablate)
{
    const struct esse_check_options options = {
        .levels = &level, .level_count = 1, .engine = "polygraph", .ablate = ablate
    };
    const struct esse_result *result;
    struct esse_error err;
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s", err.text);
    return &result->verdicts[0];
}

/* With nothing known, what is swept along a layout gives the verdict of what is not. */
TEST(test_polygraph__sweeps_along_a_layout)
{
    static const char *const levels[] = { "serializable", "snapshot-isolation" };
    unsigned swept = 0, violated = 0;
    for (unsigned seed = 1 + test_first(10), after = seed + test_rounds(10); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_forgetting forgetting = { .sessions = true, .version_share = 1 };
        struct esse_history *history =
            esse_history_forget(arena, written_history(arena, seed, 150, false), &forgetting);
        for (uint32_t i = 0; i < 2; i++) {
            const struct esse_verdict *with =
                check_without(arena, history, levels[i], ESSE_ABLATE_PATIENCE);
            const struct esse_verdict *without =
                check_without(arena, history, levels[i], ESSE_ABLATE_PATIENCE | ESSE_ABLATE_LAYOUT);
            const struct esse_phase *sweeping = find_phase(with, "sweeping");
            CHECK_EQ(with->outcome, without->outcome);
            swept += sweeping && sweeping->counts[2].count > 0;
            violated += with->outcome == ESSE_VIOLATED;
        }
        esse_arena_free(arena);
    }
    print_message("%u swept, %u violated\n", swept, violated);
    CHECK(swept > test_rounds(10) / 2); /* or else nothing was tested */
}

/* Sessions of which nothing but reads says what was side by side, and few different values. */
static struct esse_history *repeating_history(struct esse_arena *arena, uint64_t seed,
                                              enum esse_store_level level)
{
    struct esse_gen_options options = esse_gen_defaults("rw-register");
    options.txns = 120 + seed % 200;
    options.work.ops = 5;
    options.work.keys = 20 + seed % 50;
    options.work.sessions = 3 + seed % 6;
    options.work.seed = seed;
    options.values = 2 + seed % 5;
    options.level = level;
    options.has_times = false;
    options.by_session = true;
    return generated(arena, &options);
}

/* What was supposed is never what a verdict rests on. */
TEST(test_polygraph__supposes_what_was_read)
{
    static const char *const levels[] = { "serializable", "snapshot-isolation" };
    unsigned proved = 0, widened = 0, violated = 0;
    for (unsigned seed = 1 + test_first(24), after = seed + test_rounds(24); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_history *history = repeating_history(
            arena, seed, seed % 3 ? ESSE_STORE_STRICT_SERIALIZABLE : ESSE_STORE_SNAPSHOT_ISOLATION);
        for (uint32_t i = 0; i < 2; i++) {
            const struct esse_verdict *with = check_without(arena, history, levels[i], 0);
            const struct esse_verdict *without = check_without(
                arena, history, levels[i], ESSE_ABLATE_ALIGNING | ESSE_ABLATE_SUPPOSING);
            unsigned times = 0;
            for (uint32_t p = 0; p < with->phase_count; p++)
                times += strcmp(with->phases[p].name, "supposing") == 0;
            CHECK_EQ(with->outcome, without->outcome);
            proved += times > 0 && with->outcome == ESSE_HOLDS;
            widened += times > 1;
            violated += times > 0 && with->outcome == ESSE_VIOLATED;
        }
        esse_arena_free(arena);
    }
    print_message("%u proved, %u widened, %u violated\n", proved, widened, violated);
    CHECK(proved > test_rounds(24) / 2 && widened > 0 && violated > 0);
}

/* Pruning comes first. */
static const struct esse_verdict *check_at_once(struct esse_arena *arena,
                                                const struct esse_history *history,
                                                const char *level, unsigned ablate)
{
    return check_without(arena, history, level, ESSE_ABLATE_PATIENCE | ablate);
}

/* What is forced does not depend on how it is found: the same orders, and the same verdict. */
static void compare_closures(const struct esse_history *history, const char *store)
{
    static const char *const levels[] = { "serializable", "snapshot-isolation",
                                          "prefix-consistency", "parallel-snapshot-isolation" };
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_verdict *kept = check_at_once(arena, history, levels[l], 0);
        const struct esse_verdict *found =
            check_at_once(arena, history, levels[l], ESSE_ABLATE_CLOSURE);
        const struct esse_phase *closure = find_phase(kept, "closure");
        CHECK(!find_phase(found, "closure"));
        CHECK_EQ(closure != NULL, store != NULL);
        if (closure)
            CHECK_TEXT(closure->counts[0].what, store);
        CHECK_EQ(kept->outcome, found->outcome);
        CHECK_EQ(find_phase(kept, "pruning")->counts[1].count,
                 find_phase(found, "pruning")->counts[1].count);
        CHECK(find_phase(kept, "pruning")->counts[1].count > 500);
        esse_arena_free(arena);
    }
}

TEST(test_polygraph__closures_force_what_blocks_do)
{
    for (unsigned seed = 1 + test_first(3), after = seed + test_rounds(3); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        compare_closures(written_history(arena, seed, 300, false), "chains");
        compare_closures(written_history(arena, seed, 300, true), "moments");
        /* More transactions than there may be chains. */
        compare_closures(shuffled_history(arena, seed, 500), NULL);
        esse_arena_free(arena);
    }
}

/* ---- small cycles ---- */

/* All choices are written down, so that all clauses are given.  Refutations rest on them then, and
 * were rechecked. */
TEST(test_polygraph__small_cycles_change_no_verdict)
{
    static const char *const levels[] = { "serializable", "snapshot-isolation",
                                          "prefix-consistency", "consistent-view" };
    unsigned ones = 0, given = 0, refuted = 0;
    for (unsigned seed = test_first(4000), after = seed + test_rounds(4000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_history *history = dense_history(arena, seed);
        const char *level = levels[seed % 4];
        const struct esse_verdict *with =
            check_at_once(arena, history, level, ESSE_ABLATE_LAZINESS);
        const struct esse_verdict *without =
            check_at_once(arena, history, level, ESSE_ABLATE_LAZINESS | ESSE_ABLATE_SMALL_CYCLES);
        const struct esse_phase *small = find_phase(with, "small cycles");
        CHECK(!find_phase(without, "small cycles"));
        CHECK_EQ(with->outcome, without->outcome);
        ones += small && small->counts[1].count > 0;
        given += small && small->counts[3].count > small->counts[1].count;
        refuted += small && small->counts[3].count && with->evidence == ESSE_EVIDENCE_REFUTATION;
        esse_arena_free(arena);
    }
    print_message("clauses of one choice in %u, of two in %u, refuted %u\n", ones, given, refuted);
    CHECK(ones > test_least(100) && given > test_least(100) &&
          refuted > test_least(10)); /* or else nothing was tested */
}

/* ---- local refutations ---- */

/* A store with snapshot isolation and much contention; not serializable, but nothing that a read
 * shows tells it at once. */
static struct esse_history *skewed_history(struct esse_arena *arena, uint64_t seed, bool timed)
{
    struct esse_gen_options options = esse_gen_defaults("rw-register");
    options.level = ESSE_STORE_SNAPSHOT_ISOLATION;
    options.txns = 900;
    options.work.ops = 6;
    options.work.keys = 150;
    options.work.sessions = 10;
    options.work.seed = seed;
    options.has_times = timed;
    options.by_session = seed % 2;
    return generated(arena, &options);
}

/* Nothing had to be pruned after the local refutation was tried. */
static bool is_refuted_locally(const struct esse_verdict *verdict)
{
    const struct esse_phase *local = find_phase(verdict, "local refutation");
    const struct esse_phase *pruning = find_phase(verdict, "pruning");
    return verdict->outcome == ESSE_VIOLATED && local && (!pruning || pruning < local);
}

/* What is refuted in one place is refuted, and was rechecked; what is not is decided as before.
 * Without patience it is tried at once. */
TEST(test_polygraph__locality_changes_no_verdict)
{
    static const char *const levels[] = { "serializable", "repeatable-read",
                                          "strong-session-serializable" };
    unsigned local = 0, held = 0;
    for (unsigned seed = 1; seed <= test_rounds(16); seed++) {
        struct esse_arena *arena = esse_arena_new();
        const struct esse_history *history = skewed_history(arena, seed, seed % 4 < 2);
        const struct esse_verdict *with = check_at_once(arena, history, levels[seed % 3], 0);
        const struct esse_verdict *without =
            check_at_once(arena, history, levels[seed % 3], ESSE_ABLATE_LOCALITY);
        CHECK(!find_phase(without, "local refutation"));
        CHECK_EQ(with->outcome, without->outcome);
        local += is_refuted_locally(with);
        held += with->outcome == ESSE_HOLDS;
        esse_arena_free(arena);
    }
    print_message("%u refuted locally, %u hold\n", local, held);
    CHECK(local > test_rounds(16) / 4); /* or else nothing was tested */
}

/* A few thousand transactions that hold, but not with all session and time edges, are not worth
 * one: it cost ten times as much as all the rest. */
TEST(test_polygraph__a_short_history_that_holds_is_not_refuted_locally)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_gen_options options = esse_gen_defaults("rw-register");
    options.level = ESSE_STORE_SNAPSHOT_ISOLATION;
    options.txns = 5000;
    options.work.ops = 4;
    options.work.keys = 1000;
    const struct esse_history *history = generated(arena, &options);
    const struct esse_verdict *verdict = check_without(arena, history, "serializable", 0);
    CHECK_EQ(verdict->outcome, ESSE_HOLDS);
    CHECK(find_phase(verdict, "solving"));
    CHECK(!find_phase(verdict, "local refutation"));
    esse_arena_free(arena);
}

/* ---- the shortest explanation ---- */

/* w1 to w16 appended to x in turn; the reader saw y of the last, and nothing of x.  What is shown
 * is the read that missed the last one, not the ring of seventeen. */
TEST(test_polygraph__one_stale_read_is_told_by_two_transactions)
{
    static const char *const levels[] = { "serializable", "snapshot-isolation",
                                          "prefix-consistency", "consistent-view" };
    struct esse_arena *arena = esse_arena_new();
    struct esse_out text;
    esse_out_init_memory(&text, arena);
    for (int i = 1; i <= 16; i++)
        esse_out_f(&text, "{'session':%d,'txn':'w%d','ops':[{'a':'x','v':%d}%s]}\n", i, i, i,
                   i == 16 ? ",{'w':'y','v':1}" : "");
    esse_out_text(&text, "{'session':0,'txn':'stale','ops':[{'r':'x','v':[]},"
                         "{'r':'y','v':1}]}\n"
                         "{'session':17,'txn':'all','ops':[{'r':'x','v':"
                         "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}]}\n");
    const struct esse_history *history = load_text(arena, "native", esse_out_memory(&text));
    for (size_t i = 0; i < 4; i++) {
        const struct esse_verdict *verdict =
            &check(arena, history, &levels[i], 1, 1)->verdicts[0]; /* by name */
        CHECK_EQ(verdict->outcome, ESSE_VIOLATED);
        const struct esse_clause *cycle = &verdict->anomalies[0].refutation->clauses[0];
        CHECK_EQ(cycle->kind, ESSE_CLAUSE_CYCLE);
        CHECK_EQ(cycle->edge_count, 2);
    }
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polygraph__agrees_with_all_orders_on_registers),
        cmocka_unit_test(test_polygraph__agrees_with_all_orders_on_lists),
        cmocka_unit_test(test_polygraph__agrees_with_all_choices),
        cmocka_unit_test(test_polygraph__agrees_with_the_axioms),
        cmocka_unit_test(test_polygraph__improves_what_has_no_order_at_all),
        cmocka_unit_test(test_polygraph__sweeps_along_a_layout),
        cmocka_unit_test(test_polygraph__supposes_what_was_read),
        cmocka_unit_test(test_polygraph__closures_force_what_blocks_do),
        cmocka_unit_test(test_polygraph__small_cycles_change_no_verdict),
        cmocka_unit_test(test_polygraph__locality_changes_no_verdict),
        cmocka_unit_test(test_polygraph__a_short_history_that_holds_is_not_refuted_locally),
        cmocka_unit_test(test_polygraph__one_stale_read_is_told_by_two_transactions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
