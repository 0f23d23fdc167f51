#include "history/access.h"
#include "history/contention.h"
#include "load_text.h"
#include "random_history.h"

/* The definition, read by read. */

static bool writes(const struct esse_history *history, uint32_t txn, uint32_t key)
{
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        for (uint32_t i = 0; i < esse_access_count(history, op); i++) {
            const struct esse_access access = esse_access_at(history, op, i);
            if (access.kind != ESSE_OP_READ && (key == history->keys || access.key.ix == key))
                return true;
        }
    return false;
}

static bool overlap(const struct esse_history *history, uint32_t a, uint32_t b)
{
    if (!history->txn_time)
        return history->txn_session[a] != history->txn_session[b];
    const struct esse_interval x = history->txn_time[a], y = history->txn_time[b];
    return x.begin != ESSE_NO_TIME && y.begin != ESSE_NO_TIME &&
           (y.end == ESSE_NO_TIME || x.begin <= y.end) &&
           (x.end == ESSE_NO_TIME || y.begin <= x.end);
}

static bool is_contended(const struct esse_history *history, uint32_t txn, uint32_t key)
{
    for (uint32_t other = 0; other < history->txns; other++)
        if (other != txn && overlap(history, txn, other) && writes(history, other, key))
            return true;
    return false;
}

static struct esse_tested by_definition(const struct esse_history *history)
{
    struct esse_tested tested = { true, history->txn_time != NULL, 0, 0 };
    for (uint32_t t = 0; t < history->txns; t++)
        for (uint32_t op = history->txn_op[t];
             history->txn_status[t] == ESSE_COMMITTED && op < history->txn_op[t + 1]; op++) {
            for (uint32_t i = 0; i < esse_access_count(history, op); i++) {
                const struct esse_access access = esse_access_at(history, op, i);
                if (access.kind != ESSE_OP_READ || esse_value_eq(access.value, ESSE_NONE))
                    continue;
                tested.reads++;
                tested.contended += is_contended(history, t, access.key.ix);
            }
            if (!esse_op_is_predicate(history->op_kind[op]) || !history->txn_time)
                continue;
            tested.reads++;
            tested.contended += is_contended(history, t, history->keys);
        }
    return tested;
}

static void compare(const struct esse_history *history, unsigned seed)
{
    const struct esse_tested expected = by_definition(history);
    struct esse_tested tested;
    CHECK(esse_contention_count(history, NULL, &tested));
    if (tested.reads != expected.reads || tested.contended != expected.contended)
        fail_msg("seed %u: %llu of %llu, by the definition %llu of %llu", seed,
                 (unsigned long long)tested.contended, (unsigned long long)tested.reads,
                 (unsigned long long)expected.contended, (unsigned long long)expected.reads);
}

TEST(test_contention__agrees_with_the_definition)
{
    uint64_t contended = 0, reads = 0;
    for (unsigned seed = test_first(1000), after = seed + test_rounds(1000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_history *history = random_history(arena, seed, seed % 2);
        compare(history, seed);
        const struct esse_tested with = by_definition(history);
        contended += with.contended;
        reads += with.reads;
        history->txn_time = NULL;
        compare(history, seed);
        esse_arena_free(arena);
    }
    print_message("%llu of %llu reads\n", (unsigned long long)contended, (unsigned long long)reads);
    CHECK(contended > 100 && contended < reads);
}

TEST(test_contention__a_predicate_contends_with_whoever_writes)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_tested tested;
    const struct esse_history *history =
        load_text(arena, "native",
                  "{'session':1,'start':1,'end':5,'ops':[{'p':'v < 5','rows':{'x':1}}]}\n"
                  "{'session':2,'start':4,'end':9,'ops':[{'w':'y','v':1}]}\n"
                  "{'session':1,'start':20,'end':25,'ops':[{'p':'v < 5','rows':{}}]}\n");
    compare(history, 0);
    CHECK(esse_contention_count(history, NULL, &tested));
    CHECK_EQ(tested.reads, 3);
    CHECK_EQ(tested.contended, 1);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contention__agrees_with_the_definition),
        cmocka_unit_test(test_contention__a_predicate_contends_with_whoever_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
