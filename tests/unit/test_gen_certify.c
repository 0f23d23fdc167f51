#include "generate/gen.h"
#include "history/builder.h"
#include "history/certificate.h"
#include "level/level.h"
#include "test.h"

#include <string.h>

/* What the generator certifies, in each form that a database may tell it in: the engines that
 * believe it agree with the level that the store gave, and find what was planted. */

static const enum esse_certificate_kind kinds[] = { ESSE_CERTIFICATE_TIMESTAMPS,
                                                    ESSE_CERTIFICATE_COMMIT_ORDER,
                                                    ESSE_CERTIFICATE_POSTGRESQL_SNAPSHOTS };
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct esse_gen_options options_of(enum esse_certificate_kind kind, unsigned seed)
{
    struct esse_gen_options options = esse_gen_defaults("predicate");
    options.txns = 60;
    options.work.keys = 10;
    options.work.ops = 4;
    options.work.sessions = 4;
    options.work.seed = seed;
    options.work.predicate_share = 0.5;
    options.has_times = options.has_server_times = true;
    options.certifies = kind;
    return options;
}

/* As a file with the same lines is loaded. */
static const struct esse_history *generate(struct esse_arena *arena,
                                           const struct esse_gen_options *options)
{
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history = NULL;
    struct esse_error err = { 0 };
    if (!esse_gen_run(options, esse_builder_sink(builder), NULL, &err) ||
        !esse_builder_freeze_as(builder, "native", ESSE_WORKLOAD_ANY, &history, &err) ||
        !esse_certificate_check(history, &err) ||
        (options->certifies && !esse_certificate_by_order(history, &err)))
        fail_msg("%s", err.text);
    return history;
}

static const struct esse_verdict *verdict_by(struct esse_arena *arena,
                                             const struct esse_history *history, const char *engine,
                                             const char *level)
{
    const struct esse_check_options options = {
        .levels = &level, .level_count = 1, .engine = engine, .threads = 1
    };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s", err.text);
    return &result->verdicts[0];
}

/* ---- clean histories ---- */

/* 'replay' has nothing to say about read committed. */
static void check_clean(enum esse_certificate_kind kind, enum esse_store_level level, unsigned seed)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_gen_options options = options_of(kind, seed);
    options.level = level;
    options.work.abort_share = options.crash_share = 0.1;
    options.stale_share = 0.5;
    options.by_session = seed % 2;
    const struct esse_history *history = generate(arena, &options);
    const char *name = esse_store_traits[level].name;
    const char *const engines[] = { "dsg", esse_store_traits[level].has_snapshot ? "replay" : NULL,
                                    NULL };
    for (unsigned i = 0; i < 3; i++) {
        const struct esse_verdict *verdict = verdict_by(arena, history, engines[i], name);
        if (verdict->outcome != ESSE_HOLDS)
            fail_msg("%s, seed %u, %s: %s", name, seed, esse_certificate_name(kind),
                     verdict->reason.id ? esse_reason_text(arena, verdict)
                                        : verdict->anomalies[0].description);
    }
    esse_arena_free(arena);
}

TEST(test_gen_certify__clean_histories_hold_at_the_level_of_the_store)
{
    const unsigned rounds = test_rounds(25);
    for (unsigned seed = 1; seed <= rounds; seed++)
        for (unsigned kind = 0; kind < KINDS; kind++)
            for (unsigned level = ESSE_STORE_READ_COMMITTED; level < ESSE_STORE_LEVELS; level++)
                check_clean(kinds[kind], (enum esse_store_level)level, seed);
}

/* ---- each form tells the same ---- */

/* A transaction that is seen by one certificate is seen by the others: the weak levels show it. */
TEST(test_gen_certify__kinds_agree_on_what_a_weak_level_shows)
{
    const unsigned rounds = test_rounds(40);
    unsigned violated = 0;
    for (unsigned seed = 1; seed <= rounds; seed++) {
        struct esse_arena *arena = esse_arena_new();
        enum esse_outcome outcome[KINDS];
        for (unsigned kind = 0; kind < KINDS; kind++) {
            struct esse_gen_options options = options_of(kinds[kind], seed);
            options.level = seed % 2 ? ESSE_STORE_READ_COMMITTED : ESSE_STORE_SNAPSHOT_ISOLATION;
            options.txns = 12;
            outcome[kind] =
                verdict_by(arena, generate(arena, &options), "dsg", "serializable")->outcome;
            CHECK_EQ(outcome[kind], outcome[0]);
        }
        violated += outcome[0] == ESSE_VIOLATED;
        esse_arena_free(arena);
    }
    CHECK(violated > rounds / 10);
    CHECK(violated < rounds);
}

/* ---- planted anomalies ---- */

/* The anomaly, or one that implies it: with a certificate it is reported by what it contradicts. */
static bool is_found(const struct esse_verdict *verdict, const char *name)
{
    static const char *const aliases[][2] = { { "phantom", "G-single" },
                                              { "predicate-read-miss", "result-set-mismatch" } };
    for (unsigned i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(name, aliases[i][0]) == 0)
            name = aliases[i][1];
    for (size_t i = 0; i < verdict->anomaly_count; i++)
        if (strcmp(esse_anomaly_name(verdict->anomalies[i].type), name) == 0)
            return true;
    return false;
}

static void check_plant(const struct esse_gen_anomaly *anomaly, enum esse_certificate_kind kind)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_gen_plant plant = { anomaly, 20 };
    struct esse_gen_options options = options_of(kind, 7);
    options.level = ESSE_STORE_STRICT_SERIALIZABLE;
    options.plants = &plant;
    options.plant_count = 1;
    const struct esse_history *history = generate(arena, &options);
    const struct esse_verdict *verdict = verdict_by(arena, history, "dsg", "strict-serializable");
    if (verdict->outcome != ESSE_VIOLATED || !is_found(verdict, anomaly->name))
        fail_msg(
            "%s, %s: %d, %s", anomaly->name, esse_certificate_name(kind), (int)verdict->outcome,
            verdict->anomaly_count ? esse_anomaly_name(verdict->anomalies[0].type) : "nothing");
    verdict = verdict_by(arena, history, "replay", "strict-serializable");
    if (verdict->outcome != ESSE_VIOLATED)
        fail_msg("replay: %s, %s", anomaly->name, esse_certificate_name(kind));
    esse_arena_free(arena);
}

/* Those with a predicate in their script, and the same name when the order of versions is known. */
TEST(test_gen_certify__planted_predicate_anomalies_are_found)
{
    unsigned planted = 0;
    for (const struct esse_gen_anomaly *row = esse_gen_anomalies; row->name; row++) {
        if (!(row->workloads & 1u << ESSE_GEN_PREDICATE) || !strchr(row->script, 'p') ||
            row->needs & ESSE_GEN_NEEDS_NO_ORDER)
            continue;
        for (unsigned kind = 0; kind < KINDS; kind++)
            check_plant(row, kinds[kind]);
        planted++;
    }
    CHECK(planted >= 11);
}

/* ---- every anomaly has a plant that is reported by its name ---- */

/* Names that are never reported themselves, and what their plants are reported as. */
static const char *const told_as[][2] = {
    { "write-skew", "G2-item" },        { "G-cursor", "lost-update" }, { "G-SI", "G-single-item" },
    { "G-monotonic", "G-single-item" }, { "G-MSR", "G-single-item" },  { "G-update", "G2-item" },
    { "G-SIb", "G-single-item" },
};

static bool tells(enum esse_anomaly_id type, const struct esse_anomaly_type *asked)
{
    for (unsigned i = 0; i < sizeof told_as / sizeof *told_as; i++)
        if (strcmp(asked->name, told_as[i][0]) == 0)
            return strcmp(esse_anomaly_name(type), told_as[i][1]) == 0;
    return esse_anomaly_implies(esse_anomaly_get(type), asked);
}

static bool is_told(const struct esse_result *result, const struct esse_anomaly_type *asked)
{
    for (uint32_t i = 0; i < result->anomaly_type_count; i++)
        if (tells(result->anomaly_types[i], asked))
            return true;
    for (uint32_t i = 0; i < result->also_found_count; i++)
        if (tells(result->also_found[i].type, asked))
            return true;
    return false;
}

static struct esse_gen_options options_for(const struct esse_gen_anomaly *row,
                                           enum esse_gen_workload workload)
{
    struct esse_gen_options options = esse_gen_defaults(esse_gen_workload_names[workload]);
    options.txns = 60;
    options.work.sessions = 4;
    options.has_certificate = !(row->needs & ESSE_GEN_NEEDS_NO_ORDER);
    options.has_one_timestamp = row->needs & ESSE_GEN_NEEDS_ONE_TIMESTAMP;
    if (row->needs & ESSE_GEN_NEEDS_TIMESTAMPS)
        options.certifies = ESSE_CERTIFICATE_TIMESTAMPS;
    if (row->store)
        CHECK(esse_store_level_find(row->store, &options.level));
    return options;
}

static void check_told(const struct esse_gen_anomaly *row, enum esse_gen_workload workload,
                       const struct esse_anomaly_type *asked)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_gen_plant plant = { row, 20 };
    struct esse_gen_options options = options_for(row, workload);
    const char *level = row->level ? row->level : "strict-serializable";
    const struct esse_check_options check = { .levels = &level,
                                              .level_count = 1,
                                              .threads = 1,
                                              .assume = strcmp(row->name, "cyclic-versions") == 0
                                                            ? ESSE_ASSUME_WFR_KEYS
                                                            : 0 };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    options.plants = &plant;
    for (options.plant_count = 0; options.plant_count < 2; options.plant_count++) {
        if (!esse_check(arena, generate(arena, &options), &check, &result, &err))
            fail_msg("%s", err.text);
        if (is_told(result, asked) != (options.plant_count == 1))
            fail_msg("%s in %s: %s %s at %s", row->name, esse_gen_workload_names[workload],
                     result->anomaly_type_count ? esse_anomaly_name(result->anomaly_types[0])
                                                : "nothing",
                     options.plant_count ? "is reported" : "is reported without it", level);
    }
    esse_arena_free(arena);
}

/* In a native history of registers nothing promises that values are unique. */
static bool can_tell(const struct esse_gen_anomaly *row, unsigned workload)
{
    return row->workloads & 1u << workload &&
           (workload == ESSE_GEN_LIST_APPEND || strcmp(row->name, "duplicate-write") != 0);
}

TEST(test_gen_certify__every_anomaly_has_a_plant_that_is_told_by_its_name)
{
    for (size_t i = 0; i < esse_anomaly_count(); i++) {
        const struct esse_anomaly_type *asked = esse_anomaly_at(i);
        unsigned shown = 0;
        for (const struct esse_gen_anomaly *row = esse_gen_anomalies; row->name; row++)
            for (unsigned w = 0; w < ESSE_GEN_WORKLOADS; w++)
                if (strcmp(row->name, asked->name) == 0 && can_tell(row, w)) {
                    check_told(row, (enum esse_gen_workload)w, asked);
                    shown++;
                }
        if (!shown)
            fail_msg("%s has no plant", asked->name);
    }
}

/* ---- what cannot be certified ---- */

TEST(test_gen_certify__refuses_what_the_certificate_would_contradict)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err = { 0 };
    struct esse_gen_options options = options_of(ESSE_CERTIFICATE_COMMIT_ORDER, 1);
    options.has_certificate = true;
    CHECK(esse_gen_plants_parse(arena, "G0", &options, &err));
    CHECK(!esse_gen_run(&options, esse_builder_sink(esse_builder_new(arena)), NULL, &err));
    CHECK_TEXT(err.text,
               "G0 has versions against the order of the commits, which --certify promises");
    options.certifies = ESSE_CERTIFICATE_NONE;
    CHECK(esse_gen_plants_parse(arena, "GSIa", &options, &err));
    CHECK(!esse_gen_run(&options, esse_builder_sink(esse_builder_new(arena)), NULL, &err));
    CHECK_TEXT(err.text, "GSIa needs --certify timestamps: it contradicts nothing else");
    options.certifies = ESSE_CERTIFICATE_TIMESTAMPS;
    CHECK(esse_gen_plants_parse(arena, "order-mismatch", &options, &err));
    CHECK(!esse_gen_run(&options, esse_builder_sink(esse_builder_new(arena)), NULL, &err));
    CHECK_TEXT(err.text, "order-mismatch needs --one-timestamp: it contradicts the serial order");
    options.plant_count = 0;
    options.has_one_timestamp = true;
    options.level = ESSE_STORE_SNAPSHOT_ISOLATION;
    CHECK(!esse_gen_run(&options, esse_builder_sink(esse_builder_new(arena)), NULL, &err));
    CHECK_TEXT(err.text, "--one-timestamp needs --certify timestamps, and a level that is "
                         "serializable");
    options.has_one_timestamp = false;
    options.level = ESSE_STORE_READ_UNCOMMITTED;
    CHECK(!esse_gen_run(&options, esse_builder_sink(esse_builder_new(arena)), NULL, &err));
    CHECK_TEXT(err.text, "--certify needs a level at which operations see nothing but commits");
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gen_certify__clean_histories_hold_at_the_level_of_the_store),
        cmocka_unit_test(test_gen_certify__kinds_agree_on_what_a_weak_level_shows),
        cmocka_unit_test(test_gen_certify__planted_predicate_anomalies_are_found),
        cmocka_unit_test(test_gen_certify__every_anomaly_has_a_plant_that_is_told_by_its_name),
        cmocka_unit_test(test_gen_certify__refuses_what_the_certificate_would_contradict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
