#include "axiom_oracle.h"
#include "evidence/recheck.h"
#include "load_text.h"
#include "version_oracle.h"

/*
 * Transactions of unknown outcome against the definition (semantics 1): a level holds iff it holds
 * in some world, that is, for some choice of which of them committed.  All choices, and in each
 * world all orders.
 */

/* ---- the definition ---- */

struct asked {
    const char *level;
    enum { BY_ORDERS, BY_VERSIONS, BY_AXIOM } by;
    int rule; /* enum b_rule, enum v_rule, or the place in a_levels */
    bool so, rt;
};

static const struct asked asked[] = {
    { "strict-serializable", BY_ORDERS, B_SERIAL, true, true },
    { "strong-session-serializable", BY_ORDERS, B_SERIAL, true, false },
    { "serializable", BY_ORDERS, B_SERIAL, false, false },
    { "strong-snapshot-isolation", BY_ORDERS, B_SNAPSHOT, true, true },
    { "strong-session-snapshot-isolation", BY_ORDERS, B_SNAPSHOT, true, false },
    { "snapshot-isolation", BY_ORDERS, B_SNAPSHOT, false, false },
    { "read-committed", BY_ORDERS, B_COMMITTED, false, false },
    { "repeatable-read", BY_VERSIONS, V_SERIAL, false, false },
    { "consistent-view", BY_VERSIONS, V_ONE_RW, false, false },
    { "axiomatic-read-committed", BY_AXIOM, 0, false, false },
    { "monotonic-atomic-view", BY_AXIOM, 1, false, false },
    { "read-atomic", BY_AXIOM, 2, false, false },
    { "causal-cerone", BY_AXIOM, 3, false, false },
    { "prefix", BY_AXIOM, 4, false, false },
    { "parallel-snapshot-isolation", BY_AXIOM, 5, false, false },
    { "update-atomic", BY_AXIOM, 6, false, false },
    { "causal", BY_AXIOM, 7, false, false },
    { "PRAM", BY_AXIOM, 8, false, false },
    { "read-your-writes", BY_AXIOM, 9, false, false },
    { "monotonic-reads", BY_AXIOM, 10, false, false },
    { "monotonic-writes", BY_AXIOM, 11, false, false },
    { "writes-follow-reads", BY_AXIOM, 12, false, false },
};
enum { ASKED = sizeof asked / sizeof *asked, ASKED_OF_LISTS = 7 };

enum truth { TOO_MUCH = -1, VIOLATED, HOLDS };

static bool has_lists(const struct esse_history *history)
{
    return history->has & (ESSE_HAS_APPENDS | ESSE_HAS_LIST_READS);
}

static enum truth holds_among(const struct b_history *world, const struct asked *level)
{
    struct a_history a;
    bool refuted;
    switch (level->by) {
    case BY_ORDERS:
        return b_holds(world, (enum b_rule)level->rule, level->so, level->rt) ? HOLDS : VIOLATED;
    case BY_VERSIONS:
        if (world->h->version_order_count)
            return TOO_MUCH; /* it tries all orders of versions */
        return v_holds(world, (enum v_rule)level->rule, level->so, level->rt) ? HOLDS : VIOLATED;
    case BY_AXIOM:
        break;
    }
    if (!a_open(&a, world, &a_levels[level->rule], &refuted))
        return refuted ? VIOLATED : TOO_MUCH;
    return a_try_choices(&a, 0) ? HOLDS : VIOLATED;
}

static bool has_item(const struct esse_history *h, esse_value list, esse_value item)
{
    uint32_t count;
    const esse_value *items = esse_history_list(h, list, &count);
    for (uint32_t i = 0; i < count; i++)
        if (esse_value_eq(items[i], item))
            return true;
    return false;
}

/* Did 'read' return what 'write' wrote, of what no initial value explains?  A register
 * that was read after an own write shows no other transaction's write. */
static bool returned(const struct esse_history *h, uint32_t read, uint32_t write)
{
    const esse_value value = esse_value_state(h->op_value[read]);
    if (b_is_write(h, read) || !b_is_write(h, write) || h->op_key[read] != h->op_key[write] ||
        esse_value_eq(value, ESSE_NONE))
        return false;
    if (esse_value_tag(value) == ESSE_TAG_LIST)
        return has_item(h, value, h->op_value[write]);
    return !b_wrote_before(h, esse_op_txn(h, read).ix, read) &&
           esse_value_eq(value, a_written(h, write)) &&
           !esse_value_eq(value, esse_key_initial(h, (esse_key){ h->op_key[read] }));
}

/* Did one in the world write what operation 'write' did? */
static bool is_written(const struct b_history *world, uint32_t write)
{
    const struct esse_history *h = world->h;
    for (int i = 0; i < world->count; i++)
        for (uint32_t op = h->txn_op[world->txns[i]]; op < h->txn_op[world->txns[i] + 1]; op++)
            if (b_is_write(h, op) && h->op_key[op] == h->op_key[write] &&
                esse_value_eq(a_written(h, op), a_written(h, write)))
                return true;
    return false;
}

/* Not if one in it read what only others, of unknown outcome, can have written. */
static bool is_world(const struct b_history *world)
{
    const struct esse_history *h = world->h;
    for (uint32_t writer = 0; writer < h->txns; writer++)
        for (uint32_t write = h->txn_op[writer]; write < h->txn_op[writer + 1]; write++)
            for (int i = 0; i < world->count; i++)
                for (uint32_t read = h->txn_op[world->txns[i]];
                     read < h->txn_op[world->txns[i] + 1]; read++)
                    if (h->txn_status[writer] == ESSE_UNKNOWN_OUTCOME && !world->in[writer] &&
                        returned(h, read, write) && !is_written(world, write))
                        return false;
    return true;
}

/* The committed transactions, and of the others those whose bits are set; false if that is more
 * than the oracles can do. */
static bool open_world(struct b_history *world, const struct esse_history *history, unsigned in)
{
    unsigned unknown = 0;
    *world = (struct b_history){ .h = history };
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        const bool is_unknown = history->txn_status[txn] == ESSE_UNKNOWN_OUTCOME;
        if (history->txn_status[txn] != ESSE_COMMITTED && !(is_unknown && in >> unknown++ & 1))
            continue;
        if (world->count == B_TXNS)
            return false;
        world->in[txn] = true;
        world->txns[world->count++] = txn;
    }
    return true;
}

static enum truth holds_in_some_world(const struct esse_history *history, const struct asked *level)
{
    unsigned unknown = 0;
    enum truth all = VIOLATED;
    for (uint32_t txn = 0; txn < history->txns; txn++)
        unknown += history->txn_status[txn] == ESSE_UNKNOWN_OUTCOME;
    for (unsigned in = 0; in < 1u << unknown; in++) {
        struct b_history world;
        enum truth one = TOO_MUCH;
        if (open_world(&world, history, in))
            one = is_world(&world) ? holds_among(&world, level) : VIOLATED;
        if (one == HOLDS)
            return HOLDS;
        if (one == TOO_MUCH)
            all = TOO_MUCH;
    }
    return all;
}

/* ---- random histories ---- */

enum { KEYS = 3, TXNS = 5 };

struct shape {
    uint32_t txns, sessions, keys, values, ops;
    bool lists, times, deletes, versions;
    uint32_t next[KEYS];   /* the next element of each list */
    bool appended[KEYS];   /* by the transaction at hand, which reads that list no more */
    char last[TXNS][KEYS]; /* what a transaction that did not abort does last to a key: w, d or 0 */
};

static const char *const key_names[KEYS] = { "x", "y", "z" };

static void put_init(struct esse_out *out, struct esse_rng *rng, const struct shape *shape)
{
    bool any = false;
    for (uint32_t key = 0; key < shape->keys && !shape->lists; key++)
        if (esse_rng_below(rng, 2)) {
            esse_out_f(out, "%s'%s':%u", any ? "," : "{'init':{", key_names[key],
                       (unsigned)esse_rng_below(rng, shape->values));
            any = true;
        }
    esse_out_text(out, any ? "}}\n" : "");
}

static void put_register_op(struct esse_out *out, struct esse_rng *rng, struct shape *shape,
                            uint32_t txn)
{
    const uint32_t at = (uint32_t)esse_rng_below(rng, shape->keys);
    const char *key = key_names[at];
    const unsigned value = (unsigned)esse_rng_below(rng, shape->values);
    if (esse_rng_below(rng, 2) && shape->deletes && !esse_rng_below(rng, 3)) {
        shape->last[txn][at] = 'd';
        esse_out_f(out, "{'d':'%s'}", key);
    } else if (esse_rng_below(rng, 2)) {
        shape->last[txn][at] = 'w';
        esse_out_f(out, "{'w':'%s','v':%u}", key, value);
    } else if (esse_rng_below(rng, 4))
        esse_out_f(out, "{'r':'%s','v':%u}", key, value);
    else
        esse_out_f(out, "{'r':'%s','v':null}", key);
}

/* Elements are appended once; a list has some of them, mostly the first ones. */
static void put_list_op(struct esse_out *out, struct esse_rng *rng, struct shape *shape)
{
    const uint32_t key = (uint32_t)esse_rng_below(rng, shape->keys);
    if (shape->appended[key] || esse_rng_below(rng, 2)) {
        shape->appended[key] = true;
        esse_out_f(out, "{'a':'%s','v':%u}", key_names[key], ++shape->next[key]);
        return;
    }
    esse_out_f(out, "{'r':'%s','v':[", key_names[key]);
    const uint32_t skip = esse_rng_below(rng, 6) ? 0 : 1 + (uint32_t)esse_rng_below(rng, 4);
    for (uint32_t i = 1, count = 0; i <= esse_rng_below(rng, 5); i++)
        if (i != skip)
            esse_out_f(out, count++ ? ",%u" : "%u", i);
    esse_out_text(out, "]}");
}

static void put_txn(struct esse_out *out, struct esse_rng *rng, struct shape *shape, uint32_t at)
{
    const unsigned fate = (unsigned)esse_rng_below(rng, 10);
    esse_out_f(out, "{'session':%u,'txn':'T%u'", (unsigned)esse_rng_below(rng, shape->sessions),
               at);
    if (fate < 5)
        esse_out_f(out, ",'status':'%s'", fate ? "unknown" : "aborted");
    if (shape->times && esse_rng_below(rng, 5)) {
        const unsigned start = (unsigned)esse_rng_below(rng, 20);
        esse_out_f(out, ",'start':%u", start);
        if (esse_rng_below(rng, 5))
            esse_out_f(out, ",'end':%u", start + 1 + (unsigned)esse_rng_below(rng, 6));
    }
    esse_out_text(out, ",'ops':[");
    const uint32_t ops = 1 + (uint32_t)esse_rng_below(rng, shape->ops);
    memset(shape->appended, 0, sizeof shape->appended);
    for (uint32_t i = 0; i < ops; i++) {
        esse_out_text(out, i ? "," : "");
        if (shape->lists)
            put_list_op(out, rng, shape);
        else
            put_register_op(out, rng, shape, at - 1);
    }
    esse_out_text(out, "]}\n");
    if (!fate)
        memset(shape->last[at - 1], 0, KEYS);
}

/* An order of some versions, mostly as recorded; deletes by name, or as null. */
static void put_version_order(struct esse_out *out, struct esse_rng *rng, const struct shape *shape,
                              uint32_t key)
{
    bool any = false, null = false;
    const uint32_t turn = esse_rng_below(rng, 2) ? 0 : (uint32_t)esse_rng_below(rng, shape->txns);
    for (uint32_t i = 0; i < shape->txns; i++) {
        const uint32_t txn = (i + turn) % shape->txns;
        if (!shape->last[txn][key] || !esse_rng_below(rng, 5))
            continue;
        esse_out_text(out, any ? "," : "{'version_order':{'");
        if (!any)
            esse_out_f(out, "%s':[", key_names[key]);
        any = true;
        if (shape->last[txn][key] == 'd' && !null && esse_rng_below(rng, 2)) {
            esse_out_text(out, "null");
            null = true;
        } else {
            esse_out_f(out, "{'txn':'T%u'}", txn + 1);
        }
    }
    esse_out_text(out, any ? "]}}\n" : "");
}

static const char *random_text(struct esse_arena *arena, uint64_t seed)
{
    struct esse_rng rng = { seed };
    struct esse_out out;
    struct shape shape = { .txns = 2 + (uint32_t)esse_rng_below(&rng, 4),
                           .sessions = 1 + (uint32_t)esse_rng_below(&rng, 4),
                           .keys = 1 + (uint32_t)esse_rng_below(&rng, KEYS),
                           .values = 1 + (uint32_t)esse_rng_below(&rng, 4),
                           .ops = 1 + (uint32_t)esse_rng_below(&rng, 4),
                           .lists = !esse_rng_below(&rng, 5),
                           .times = !esse_rng_below(&rng, 3),
                           .deletes = esse_rng_below(&rng, 2),
                           .versions = !esse_rng_below(&rng, 4) };
    esse_out_init_memory(&out, arena);
    put_init(&out, &rng, &shape);
    for (uint32_t at = 1; at <= shape.txns; at++)
        put_txn(&out, &rng, &shape, at);
    for (uint32_t key = 0; key < shape.keys && shape.versions && !shape.lists; key++)
        put_version_order(&out, &rng, &shape, key);
    return esse_out_memory(&out);
}

/* ---- the engines against it ---- */

struct tally {
    unsigned holds, violated, unknown;
};

static void compare(const char *text, const char *engine, uint64_t seed, struct tally *tally)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history = load_text(arena, "native", text);
    /* Of lists, the oracles of the other levels look at the last element only. */
    const int count = has_lists(history) ? ASKED_OF_LISTS : ASKED;
    const char *levels[ASKED];
    for (int i = 0; i < count; i++)
        levels[i] = asked[i].level;
    const struct esse_check_options options = { .levels = levels,
                                                .level_count = (size_t)count,
                                                .engine = engine };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("seed %llu, %s: %s\n%s", (unsigned long long)seed, engine ? engine : "any",
                 err.text, text);
    for (int i = 0; i < count; i++) {
        static const char *const words[] = { "holds", "violated", "unknown" };
        const struct esse_verdict *verdict = &result->verdicts[i];
        const enum truth truth = holds_in_some_world(history, &asked[i]);
        if (truth == TOO_MUCH)
            continue;
        tally[i].holds += verdict->outcome == ESSE_HOLDS;
        tally[i].violated += verdict->outcome == ESSE_VIOLATED;
        tally[i].unknown += verdict->outcome == ESSE_UNKNOWN && !engine; /* by the planner */
        if (verdict->outcome != ESSE_UNKNOWN &&
            (verdict->outcome == ESSE_HOLDS) != (truth == HOLDS))
            fail_msg("seed %llu, %s: the engine %s says %s (%s), some world %s\n%s",
                     (unsigned long long)seed, asked[i].level, verdict->engine,
                     words[verdict->outcome],
                     verdict->anomaly_count ? esse_anomaly_name(verdict->anomalies[0].type) : "-",
                     truth == HOLDS ? "holds" : "does not hold", text);
    }
    esse_arena_free(arena);
}

TEST(test_worlds__agree_with_all_choices_of_who_committed)
{
    static const char *const engines[] = { NULL, NULL, NULL, NULL, "dsg", "polygraph", "saturate" };
    struct tally tally[ASKED] = { { 0 } };
    for (unsigned seed = test_first(2000), after = seed + test_rounds(2000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        compare(random_text(arena, seed), engines[seed % 7], seed, tally);
        esse_arena_free(arena);
    }
    for (int i = 0; i < ASKED; i++)
        print_message("%-34s %6u hold, %6u violated, %6u unknown\n", asked[i].level, tally[i].holds,
                      tally[i].violated, tally[i].unknown);
    /* The other levels have no engine that chooses between writers of one value. */
    for (int i = 0; i < ASKED; i++)
        if (asked[i].by == BY_VERSIONS ||
            (asked[i].by == BY_ORDERS && asked[i].rule != B_COMMITTED))
            CHECK_EQ(tally[i].unknown, 0);
}

/* ---- by hand ---- */

static void check_text(const char *text, const char *level, enum esse_outcome outcome)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_check_options options = { .levels = &level, .level_count = 1 };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    if (!esse_check(arena, load_text(arena, "native", text), &options, &result, &err))
        fail_msg("%s\n%s", err.text, text);
    CHECK_EQ(result->verdicts[0].outcome, outcome);
    esse_arena_free(arena);
}

/* What was read is there without it, so that it has read what no transaction wrote says nothing. */
TEST(test_worlds__a_write_of_the_initial_value_shows_no_commit)
{
    static const char text[] =
        "{'init':{'x':1}}\n"
        "{'session':0,'status':'unknown','ops':[{'w':'x','v':1},{'r':'y','v':9}]}\n"
        "{'session':1,'ops':[{'r':'x','v':1}]}\n";
    check_text(text, "strict-serializable", ESSE_HOLDS);
    check_text(text, "snapshot-isolation", ESSE_HOLDS);
    check_text(text, "causal-cerone", ESSE_HOLDS);
    check_text(text, "read-committed", ESSE_HOLDS);
}

/* A register that was read after an own write does not show that the only writer of its value
 * committed.  Had it committed, its read of a value that was never written would be a violation. */
TEST(test_worlds__a_read_after_an_own_write_shows_no_commit)
{
    static const char text[] =
        "{'session':0,'status':'unknown','ops':[{'w':'x','v':5},{'r':'y','v':9}]}\n"
        "{'session':1,'ops':[{'w':'x','v':1},{'r':'x','v':5}]}\n";
    check_text(text, "read-committed", ESSE_HOLDS);
    check_text(text, "repeatable-read", ESSE_HOLDS);
    check_text(text, "read-atomic", ESSE_VIOLATED);
    check_text(text, "serializable", ESSE_VIOLATED);
}

/* The row is gone, and only one transaction can have deleted it. */
TEST(test_worlds__the_only_delete_of_a_missing_row_was_committed)
{
    check_text("{'init':{'x':1}}\n"
               "{'session':0,'status':'unknown','ops':[{'d':'x'},{'w':'y','v':1}]}\n"
               "{'session':1,'ops':[{'r':'x','v':null},{'r':'y','v':null}]}\n",
               "read-atomic", ESSE_VIOLATED);
}

/* Where each of several may not have committed, one must have: a read of what none of them wrote is
 * in no world, also at levels that let reads be of anything. */
TEST(test_worlds__one_of_several_writers_committed)
{
    static const char text[] = "{'session':1,'ops':[{'r':'y','v':[1]},{'a':'y','v':2}]}\n"
                               "{'session':1,'status':'unknown','ops':[{'a':'y','v':1},{'u':'v >= "
                               "1 AND v <= 2','rows':{}}]}\n"
                               "{'session':1,'status':'unknown','ops':[{'a':'y','v':1}]}\n";
    check_text(text, "strong-read-uncommitted", ESSE_VIOLATED);
    check_text(text, "strong-session-read-uncommitted", ESSE_VIOLATED);
    check_text(text, "read-uncommitted", ESSE_HOLDS);
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history = load_text(arena, "native", text);
    const struct esse_level *level = esse_level_find("strong-read-uncommitted");
    const uint32_t events[] = { 0, 1, 2 };
    struct esse_order order = { .events = events, .count = 1 };
    struct esse_error err = { 0 };
    CHECK(!esse_recheck_order(history, level, &order, NULL, &err));
    CHECK(strstr(err.text, "is missing"));
    order.count = 2;
    CHECK(!esse_recheck_order(history, level, &order, NULL, &err));
    check_text("{'session':1,'ops':[{'r':'y','v':1},{'w':'y','v':2}]}\n"
               "{'session':1,'status':'unknown','ops':[{'w':'y','v':1}]}\n"
               "{'session':1,'status':'unknown','ops':[{'w':'y','v':1}]}\n",
               "strong-read-uncommitted", ESSE_HOLDS);
    esse_arena_free(arena);
}

/* Whether it committed or not, something is wrong: shown case by case. */
TEST(test_worlds__what_is_wrong_in_every_case_names_its_case)
{
    static const char text[] =
        "{'init':{'x':0}}\n"
        "{'session':0,'txn':'U','status':'unknown','ops':[{'r':'y','v':null},{'w':'x','v':0},"
        "{'w':'z','v':1}]}\n"
        "{'session':1,'ops':[{'w':'x','v':2},{'w':'y','v':1}]}\n"
        "{'session':2,'ops':[{'r':'y','v':1},{'r':'x','v':0},{'r':'z','v':null}]}\n";
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history = load_text(arena, "native", text);
    const char *level = "serializable";
    const struct esse_check_options options = { .levels = &level, .level_count = 1 };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    CHECK(esse_check(arena, history, &options, &result, &err));
    struct esse_verdict verdict = result->verdicts[0];
    CHECK_EQ(verdict.outcome, ESSE_VIOLATED);
    CHECK_EQ(verdict.evidence, ESSE_EVIDENCE_CASES);
    CHECK_EQ(verdict.anomaly_count, 2);
    CHECK(strstr(verdict.anomalies[0].description, "if U committed: "));
    CHECK(strstr(verdict.anomalies[1].description, "if U did not commit: "));
    CHECK_EQ(result->not_count, 1);
    /* One case alone proves nothing, and neither does one that is said of the other. */
    const struct esse_level *serializable = esse_level_find(level);
    struct esse_anomaly anomalies[2] = { verdict.anomalies[0], verdict.anomalies[1] };
    verdict.anomalies = anomalies;
    CHECK(esse_recheck_verdict(history, serializable, &verdict, NULL, &err));
    verdict.anomaly_count = 1;
    CHECK(!esse_recheck_verdict(history, serializable, &verdict, NULL, &err));
    verdict.anomaly_count = 2;
    anomalies[0].supposed = verdict.anomalies[1].supposed;
    CHECK(!esse_recheck_verdict(history, serializable, &verdict, NULL, &err));
    anomalies[0].supposed_count = 0;
    CHECK(!esse_recheck_verdict(history, serializable, &verdict, NULL, &err));
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worlds__agree_with_all_choices_of_who_committed),
        cmocka_unit_test(test_worlds__a_write_of_the_initial_value_shows_no_commit),
        cmocka_unit_test(test_worlds__a_read_after_an_own_write_shows_no_commit),
        cmocka_unit_test(test_worlds__the_only_delete_of_a_missing_row_was_committed),
        cmocka_unit_test(test_worlds__one_of_several_writers_committed),
        cmocka_unit_test(test_worlds__what_is_wrong_in_every_case_names_its_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
