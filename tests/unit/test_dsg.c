#include "collect/gen.h"
#include "evidence/recheck.h"
#include "load_text.h"
#include "order_oracle.h"

static const struct {
    const char *level;
    enum b_rule rule;
    bool so, rt;
} asked[] = {
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
enum { ASKED = sizeof asked / sizeof *asked };

/* ---- random histories: generated at some level, then sometimes damaged ---- */

/* A sink between the generator and a builder that changes what some reads returned. */
struct damaging {
    struct esse_sink sink;
    struct esse_sink *to;
    struct esse_rng rng;
    uint32_t one_in;
};

static bool damage_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                       struct esse_error *err)
{
    struct damaging *d = (struct damaging *)sink;
    struct esse_op_record ops[16];
    struct esse_txn_record changed = *txn;
    memcpy(ops, txn->ops, txn->op_count * sizeof *ops);
    changed.ops = ops;
    for (size_t i = 0; i < txn->op_count; i++) {
        if (ops[i].kind != ESSE_OP_READ || esse_rng_below(&d->rng, d->one_in))
            continue;
        if (ops[i].is_list && ops[i].count)
            ops[i].count -= esse_rng_below(&d->rng, 2) + (ops[i].count > 1); /* an older state */
        else if (!ops[i].is_list)
            ops[i].value = esse_rng_below(&d->rng, 3)
                               ? esse_value_small(1 + esse_rng_below(&d->rng, 4))
                               : ESSE_NIL;
    }
    return d->to->txn(d->to, &changed, err);
}

/* A certificate with gaps: some versions are left out. */
static bool damage_version_order(struct esse_sink *sink, esse_value key,
                                 const struct esse_version_ref *versions, size_t count,
                                 struct esse_error *err)
{
    struct damaging *d = (struct damaging *)sink;
    struct esse_version_ref kept[64];
    size_t left = 0;
    for (size_t i = 0; i < count && left < 64; i++)
        if (esse_rng_below(&d->rng, 4))
            kept[left++] = versions[i];
    return d->to->version_order(d->to, key, kept, left, err);
}

static bool pass_order(struct esse_sink *sink, const esse_value *names, size_t count,
                       struct esse_error *err)
{
    struct damaging *d = (struct damaging *)sink;
    return d->to->order(d->to, names, count, err);
}

static struct esse_history *random_history(struct esse_arena *arena, uint64_t seed, bool lists)
{
    struct esse_rng rng = { seed };
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history = NULL;
    struct esse_error err;
    struct damaging d = { *esse_builder_sink(builder), esse_builder_sink(builder), { seed }, 0 };
    struct esse_gen_options options =
        esse_gen_defaults(lists ? ESSE_GEN_LIST_APPEND : ESSE_GEN_RW_REGISTER);
    options.txns = 2 + esse_rng_below(&rng, 5);
    options.ops = 1 + esse_rng_below(&rng, 4);
    options.keys = 1 + esse_rng_below(&rng, 3);
    options.sessions = 1 + esse_rng_below(&rng, 4);
    options.level = (enum esse_store_level)esse_rng_below(&rng, 5);
    options.seed = esse_rng_next(&rng);
    options.abort_share = esse_rng_below(&rng, 2) * 0.2;
    options.crash_share = esse_rng_below(&rng, 2) * 0.2;
    options.has_times = esse_rng_below(&rng, 4) > 0;
    options.has_certificate = !lists && esse_rng_below(&rng, 2);
    d.one_in = esse_rng_below(&rng, 2) ? 6 : UINT32_MAX;
    d.sink.txn = damage_txn;
    /* The builder's functions expect the builder itself: what else is sent goes through here. */
    d.sink.version_order = damage_version_order;
    d.sink.order = pass_order;
    struct esse_sink *sink = options.has_certificate && seed % 3 ? d.to : &d.sink;
    options.has_header = false;
    if (!esse_gen_run(&options, sink, NULL, &err) || !esse_builder_freeze(builder, &history, &err))
        fail_msg("%s", err.text);
    return history;
}

/* ---- the engine against all orders ---- */

struct tally {
    unsigned holds, violated, unknown;
};

static void compare(uint64_t seed, bool lists, struct tally *tally)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = random_history(arena, seed, lists);
    struct b_history b;
    const char *levels[ASKED];
    const struct esse_result *result;
    struct esse_error err;
    for (int i = 0; i < ASKED; i++)
        levels[i] = asked[i].level;
    struct esse_check_options options = { .levels = levels, .level_count = ASKED };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, err.text,
                 write_text(arena, "native", history));
    for (int i = 0; i < ASKED && b_open(&b, history); i++) {
        bool holds = b_holds(&b, asked[i].rule, asked[i].so, asked[i].rt);
        enum esse_outcome outcome = result->verdicts[i].outcome;
        tally->holds += outcome == ESSE_HOLDS;
        tally->violated += outcome == ESSE_VIOLATED;
        tally->unknown += outcome == ESSE_UNKNOWN;
        if ((outcome == ESSE_HOLDS && !holds) || (outcome == ESSE_VIOLATED && holds))
            fail_msg("seed %llu, %s: the engine says %d, all orders say %d (%s)\n%s",
                     (unsigned long long)seed, asked[i].level, outcome, holds,
                     result->anomaly_type_count ? result->anomaly_types[0] : "nothing found",
                     write_text(arena, "native", history));
        if (outcome != ESSE_UNKNOWN)
            CHECK(result->verdicts[i].rechecked);
    }
    esse_arena_free(arena);
}

TEST(test_dsg__agrees_with_all_orders_on_lists)
{
    struct tally tally = { 0 };
    for (unsigned seed = 0; seed < test_rounds(1000); seed++)
        compare(seed, true, &tally);
    print_message("lists: %u hold, %u violated, %u unknown\n", tally.holds, tally.violated,
                  tally.unknown);
    CHECK(tally.holds > 100 && tally.violated > 100);
    CHECK(tally.unknown * 20 < tally.holds + tally.violated);
}

TEST(test_dsg__never_contradicts_all_orders_on_registers)
{
    struct tally tally = { 0 };
    for (unsigned seed = 0; seed < test_rounds(1000); seed++)
        compare(seed, false, &tally);
    print_message("registers: %u hold, %u violated, %u unknown\n", tally.holds, tally.violated,
                  tally.unknown);
    CHECK(tally.holds > 100 && tally.violated > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dsg__agrees_with_all_orders_on_lists),
        cmocka_unit_test(test_dsg__never_contradicts_all_orders_on_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
