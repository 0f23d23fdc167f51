#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/zipf.h"
#include "generate/store.h"

static struct esse_arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = esse_arena_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    esse_arena_free(arena);
    return 0;
}

static struct esse_store *new_store(enum esse_store_level level)
{
    const struct esse_store_options options = {
        .level = level, .slots = 4, .sessions = 3, .writes_hint = 4, .next_key = 4, .max_lag = 50
    };
    return esse_store_new(arena, &options);
}

static void put(struct esse_store *store, uint32_t session, uint32_t slot, int64_t value)
{
    assert_int_equal(esse_store_lock(store, session, slot), ESSE_STORE_DONE);
    esse_store_write(store, session, slot, value);
}

/* A whole transaction that writes one value. */
static void put_one(struct esse_store *store, uint32_t slot, int64_t value, uint64_t now)
{
    esse_store_begin(store, 2, now, 0);
    put(store, 2, slot, value);
    assert_true(esse_store_commit(store, 2, now + 1));
    esse_store_close(store, 2);
}

static void test_store__read_uncommitted_sees_what_may_yet_be_undone(void **state)
{
    (void)state;
    struct esse_store *store = new_store(ESSE_STORE_READ_UNCOMMITTED);
    esse_store_begin(store, 0, 1, 0);
    esse_store_begin(store, 1, 2, 0);
    put(store, 0, 3, 7);
    assert_int_equal(esse_store_read(store, 1, 3), 7);
    esse_store_close(store, 0);
    assert_int_equal(esse_store_read(store, 1, 3), ESSE_ABSENT);
}

static void test_store__read_committed_sees_the_latest_commit(void **state)
{
    (void)state;
    struct esse_store *store = new_store(ESSE_STORE_READ_COMMITTED);
    esse_store_begin(store, 0, 1, 0);
    esse_store_begin(store, 1, 2, 0);
    put(store, 0, 3, 7);
    assert_int_equal(esse_store_read(store, 1, 3), ESSE_ABSENT);
    assert_int_equal(esse_store_read(store, 0, 3), 7);
    assert_true(esse_store_commit(store, 0, 3));
    esse_store_close(store, 0);
    assert_int_equal(esse_store_read(store, 1, 3), 7);
}

static void test_store__the_older_waits_and_the_younger_dies(void **state)
{
    (void)state;
    struct esse_store *store = new_store(ESSE_STORE_READ_COMMITTED);
    esse_store_begin(store, 0, 1, 0);
    esse_store_begin(store, 1, 2, 0);
    put(store, 0, 0, 1);
    put(store, 1, 1, 1);
    assert_int_equal(esse_store_lock(store, 0, 1), ESSE_STORE_WAIT);
    assert_int_equal(esse_store_lock(store, 1, 0), ESSE_STORE_DIE);
    esse_store_close(store, 1);
    assert_int_equal(esse_store_lock(store, 0, 1), ESSE_STORE_DONE);
}

static void test_store__a_snapshot_does_not_move(void **state)
{
    (void)state;
    struct esse_store *store = new_store(ESSE_STORE_SNAPSHOT_ISOLATION);
    put_one(store, 0, 1, 1);
    esse_store_begin(store, 0, 5, 0);
    put_one(store, 0, 2, 6);
    assert_int_equal(esse_store_read(store, 0, 0), 1);
    put(store, 0, 1, 9);
    assert_int_equal(esse_store_read(store, 0, 1), 9);
    assert_true(esse_store_commit(store, 0, 10)); /* it read what changed but did not write it */
}

static void test_store__the_first_committer_wins(void **state)
{
    (void)state;
    struct esse_store *store = new_store(ESSE_STORE_SNAPSHOT_ISOLATION);
    esse_store_begin(store, 0, 1, 0);
    put_one(store, 0, 2, 2);
    put(store, 0, 0, 3);
    assert_false(esse_store_commit(store, 0, 5));
    esse_store_close(store, 0);
    esse_store_begin(store, 0, 6, 0);
    assert_int_equal(esse_store_read(store, 0, 0), 2);
}

static void test_store__a_writer_whose_reads_changed_is_not_serializable(void **state)
{
    (void)state;
    struct esse_store *store = new_store(ESSE_STORE_STRICT_SERIALIZABLE);
    esse_store_begin(store, 0, 1, 0);
    esse_store_begin(store, 1, 2, 0);
    esse_store_read(store, 0, 0);
    esse_store_read(store, 1, 0);
    put_one(store, 0, 5, 3);
    put(store, 0, 1, 1);
    assert_false(esse_store_commit(store, 0, 6));
    assert_true(esse_store_commit(store, 1, 7)); /* a reader stands where its snapshot is */
}

static void test_store__a_phantom_is_a_changed_read(void **state)
{
    (void)state;
    struct esse_store *store = new_store(ESSE_STORE_SERIALIZABLE);
    size_t count;
    esse_store_init(store, 1, 15);
    esse_store_begin(store, 0, 1, 0);
    const struct esse_store_row *rows = esse_store_match(store, 0, 10, 20, &count);
    assert_int_equal(count, 1);
    assert_int_equal(rows[0].key, 1);
    put(store, 0, 3, 1);
    put_one(store, 0, 30, 2); /* outside the range: no conflict */
    assert_true(esse_store_commit(store, 0, 5));
    esse_store_close(store, 0);

    esse_store_begin(store, 0, 6, 0);
    esse_store_match(store, 0, 10, 20, &count);
    put(store, 0, 3, 2);
    put_one(store, 2, 12, 7);
    assert_false(esse_store_commit(store, 0, 9));
    esse_store_close(store, 0);

    esse_store_begin(store, 0, 10, 0);
    esse_store_match(store, 0, 10, 20, &count);
    assert_int_equal(count, 2);
    put(store, 0, 3, 2);
    put_one(store, 1, ESSE_ABSENT, 11);
    assert_false(esse_store_commit(store, 0, 13));
}

/* What is found by value is what a look at every row finds. */
static void check_match(struct esse_store *store, uint32_t session, int64_t low, int64_t high)
{
    struct esse_store_row expected[8];
    size_t count, all, matching = 0;
    const struct esse_store_row *rows = esse_store_rows(store, session, &all);
    for (size_t i = 0; i < all; i++)
        if (rows[i].value >= low && rows[i].value <= high)
            expected[matching++] = rows[i];
    rows = esse_store_match(store, session, low, high, &count);
    assert_int_equal(count, matching);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].slot, expected[i].slot);
        assert_int_equal(rows[i].key, expected[i].key);
        assert_int_equal(rows[i].value, expected[i].value);
    }
}

/* Values come again, logs are trimmed. */
static void run_random(enum esse_store_level level, uint64_t seed)
{
    const struct esse_store_options options = {
        .level = level, .slots = 6, .sessions = 3, .writes_hint = 4, .next_key = 6, .max_lag = 20
    };
    struct esse_rng rng = { seed };
    struct esse_store *store = esse_store_new(arena, &options);
    bool is_open[3] = { false };
    for (uint64_t now = 1; now < 400; now++) {
        const uint32_t session = esse_rng_below(&rng, 3), slot = esse_rng_below(&rng, 6);
        const int64_t low = (int64_t)esse_rng_below(&rng, 20) - 10;
        if (!is_open[session]) {
            esse_store_begin(store, session, now, 0);
        } else if (esse_rng_below(&rng, 4) == 0) {
            esse_store_commit(store, session, now);
            esse_store_close(store, session);
        } else if (esse_rng_below(&rng, 2) == 0) {
            check_match(store, session, low, low + esse_rng_below(&rng, 8));
            continue;
        } else {
            if (esse_store_lock(store, session, slot) == ESSE_STORE_DONE)
                esse_store_write(store, session, slot, esse_rng_below(&rng, 5) ? low : ESSE_ABSENT);
            continue;
        }
        is_open[session] = !is_open[session];
    }
}

static void test_store__a_match_agrees_with_all_rows(void **state)
{
    (void)state;
    for (unsigned level = 0; level < ESSE_STORE_LEVELS; level++)
        for (uint64_t seed = 1; seed <= 40; seed++)
            run_random((enum esse_store_level)level, seed);
}

static void test_store__a_match_sees_own_writes(void **state)
{
    (void)state;
    struct esse_store *store = new_store(ESSE_STORE_SNAPSHOT_ISOLATION);
    size_t count;
    esse_store_init(store, 1, 15);
    esse_store_begin(store, 0, 1, 0);
    put(store, 0, 0, 11);
    put(store, 0, 1, 99);
    const struct esse_store_row *rows = esse_store_match(store, 0, 10, 20, &count);
    assert_int_equal(count, 1);
    assert_int_equal(rows[0].value, 11);
    put(store, 0, 0, ESSE_ABSENT);
    esse_store_match(store, 0, 10, 20, &count);
    assert_int_equal(count, 0);
}

static void test_store__a_reader_may_be_given_the_past(void **state)
{
    (void)state;
    struct esse_store *store = new_store(ESSE_STORE_SERIALIZABLE);
    for (int64_t i = 1; i <= 20; i++)
        put_one(store, 0, i, (uint64_t)i * 10);
    esse_store_begin(store, 0, 210, 40);
    assert_int_equal(esse_store_snapshot(store, 0), 170);
    assert_int_equal(esse_store_read(store, 0, 0), 16);
}

static void test_store__versions_that_nobody_sees_go_away(void **state)
{
    (void)state;
    struct esse_store *store = new_store(ESSE_STORE_SNAPSHOT_ISOLATION);
    put_one(store, 0, 1, 1);
    esse_store_begin(store, 0, 10, 0);
    uint64_t now = 20;
    for (int64_t i = 2; i < 1000; i++, now += 10)
        put_one(store, 0, i, now);
    assert_int_equal(esse_store_held(store), 999);
    assert_int_equal(esse_store_read(store, 0, 0), 1);
    esse_store_close(store, 0);
    for (int64_t i = 1000; i < 4000; i++, now += 10)
        put_one(store, 0, i, now);
    /* The log is cleaned when it is full, and 999 versions had made it 1024 long. */
    assert_true(esse_store_held(store) <= 1024);
}

static void test_store__a_renewed_slot_has_a_fresh_key(void **state)
{
    (void)state;
    const struct esse_store_options options = { .level = ESSE_STORE_READ_COMMITTED,
                                                .is_list = true,
                                                .slots = 1,
                                                .sessions = 3,
                                                .writes_hint = 4,
                                                .next_key = 9 };
    struct esse_store *store = esse_store_new(arena, &options);
    size_t count;
    put_one(store, 0, 1, 1);
    esse_store_begin(store, 0, 5, 0);
    put(store, 0, 0, 2);
    const int64_t *list = esse_store_read_list(store, 0, 0, &count);
    assert_int_equal(count, 2);
    assert_int_equal(list[0], 1);
    assert_int_equal(list[1], 2);
    assert_false(esse_store_renew(store, 0, 0)); /* it is writing the key */
    esse_store_begin(store, 1, 6, 0);
    assert_false(esse_store_renew(store, 1, 0)); /* another one is */
    assert_true(esse_store_commit(store, 0, 7));
    esse_store_close(store, 0);
    assert_int_equal(esse_store_key(store, 0), 0);
    assert_true(esse_store_renew(store, 1, 0));
    assert_int_equal(esse_store_key(store, 0), 9);
    assert_int_equal(esse_store_next_key(store), 10);
    esse_store_read_list(store, 1, 0, &count);
    assert_int_equal(count, 0);
}

static void test_store__what_was_written_to_a_key_that_is_gone_does_not_commit(void **state)
{
    (void)state;
    struct esse_store *store = new_store(ESSE_STORE_SNAPSHOT_ISOLATION);
    esse_store_begin(store, 0, 1, 0);
    put(store, 0, 0, 7);
    esse_store_begin(store, 1, 2, 0);
    assert_true(esse_store_renew(store, 1, 0));
    put(store, 1, 0, 8);
    assert_false(esse_store_commit(store, 0, 3));
    assert_true(esse_store_commit(store, 1, 4));
}

/* It read the old key, which then changed. */
static void test_store__a_fresh_key_hides_no_change_of_the_old_one(void **state)
{
    (void)state;
    struct esse_store *store = new_store(ESSE_STORE_SERIALIZABLE);
    esse_store_begin(store, 0, 1, 0);
    esse_store_read(store, 0, 0);
    put(store, 0, 1, 1);
    esse_store_begin(store, 1, 2, 0);
    put(store, 1, 0, 1);
    assert_true(esse_store_commit(store, 1, 3));
    esse_store_close(store, 1);
    esse_store_begin(store, 2, 4, 0);
    assert_true(esse_store_renew(store, 2, 0));
    assert_false(esse_store_commit(store, 0, 5));
}

static void test_zipf__draws_in_proportion(void **state)
{
    (void)state;
    const struct {
        double theta, first, third; /* expected shares of 0 and 2 among 10 */
    } cases[] = { { 0, 0.1, 0.1 }, { 1, 0.34142, 0.11381 }, { 2, 0.64526, 0.07170 } };
    for (size_t i = 0; i < 3; i++) {
        struct esse_zipf *zipf = esse_zipf_new(arena, 10, cases[i].theta);
        struct esse_rng rng = { 5 };
        unsigned count[10] = { 0 };
        for (int draw = 0; draw < 1000000; draw++)
            count[esse_zipf_draw(zipf, &rng)]++;
        assert_true(count[0] / 1e6 > cases[i].first - 0.003);
        assert_true(count[0] / 1e6 < cases[i].first + 0.003);
        assert_true(count[2] / 1e6 > cases[i].third - 0.003);
        assert_true(count[2] / 1e6 < cases[i].third + 0.003);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_store__read_uncommitted_sees_what_may_yet_be_undone),
        TEST(test_store__read_committed_sees_the_latest_commit),
        TEST(test_store__the_older_waits_and_the_younger_dies),
        TEST(test_store__a_snapshot_does_not_move),
        TEST(test_store__the_first_committer_wins),
        TEST(test_store__a_writer_whose_reads_changed_is_not_serializable),
        TEST(test_store__a_phantom_is_a_changed_read),
        TEST(test_store__a_match_agrees_with_all_rows),
        TEST(test_store__a_match_sees_own_writes),
        TEST(test_store__a_reader_may_be_given_the_past),
        TEST(test_store__versions_that_nobody_sees_go_away),
        TEST(test_store__a_renewed_slot_has_a_fresh_key),
        TEST(test_store__what_was_written_to_a_key_that_is_gone_does_not_commit),
        TEST(test_store__a_fresh_key_hides_no_change_of_the_old_one),
        TEST(test_zipf__draws_in_proportion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
