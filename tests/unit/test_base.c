#include "base/budget.h"
#include "base/gallop.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/outfile.h"
#include "base/put.h"
#include "base/rng.h"
#include "base/vec.h"
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

ESSE_VEC(number_vec, uint64_t)

/* Any bytes after any number of digits, those beside '0' and '9' above all. */
TEST(test_digits__agree_with_a_loop)
{
    struct esse_rng rng = { 5 };
    for (int round = 0; round < 200000; round++) {
        char text[16];
        uint64_t number = 0, expected = 0;
        unsigned length = esse_rng_below(&rng, 10), digits = 0;
        for (unsigned i = 0; i < sizeof text; i++)
            text[i] =
                (char)(i < length ? '0' + esse_rng_below(&rng, 10) : esse_rng_below(&rng, 256));
        if (esse_rng_below(&rng, 2))
            text[length] = esse_rng_below(&rng, 2) ? '0' - 1 : '9' + 1;
        for (; digits < 8 && text[digits] >= '0' && text[digits] <= '9'; digits++)
            expected = expected * 10 + (uint64_t)(text[digits] - '0');
        CHECK_EQ(esse_digits(text, &number), digits);
        if (digits)
            CHECK(number == expected);
    }
}

static bool is_below(const void *context, uint32_t at)
{
    return at < *(const uint32_t *)context;
}

/* From everywhere to everywhere, also from outside. */
TEST(test_gallop__finds_the_border_from_any_side)
{
    for (uint32_t begin = 0; begin < 3; begin++)
        for (uint32_t end = begin; end < begin + 20; end++)
            for (uint32_t border = begin; border <= end; border++)
                for (uint32_t near = 0; near < end + 3; near++)
                    CHECK_EQ(esse_gallop(begin, end, near, is_below, &border), border);
    const uint32_t far = 4000000000u;
    CHECK_EQ(esse_gallop(0, UINT32_MAX, 5, is_below, &far), far);
    CHECK_EQ(esse_gallop(0, UINT32_MAX, UINT32_MAX, is_below, &far), far);
}

TEST(test_arena__memory_is_zeroed_and_aligned)
{
    struct esse_arena *arena = esse_arena_new();
    for (size_t size = 1; size < 5000; size = size * 3 + 1) {
        unsigned char *memory = esse_arena_alloc(arena, size, 1);
        CHECK_EQ((uintptr_t)memory % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            CHECK_EQ(memory[i], 0);
        memset(memory, 0xff, size);
    }
    esse_arena_free(arena);
}

TEST(test_arena__is_empty_and_clean_after_clearing)
{
    struct esse_arena *arena = esse_arena_new();
    const uint64_t before = esse_arena_in_use();
    for (int round = 0; round < 5; round++) {
        for (size_t size = 1; size < 3000; size += 7) {
            unsigned char *memory = esse_arena_alloc(arena, size, 1);
            for (size_t i = 0; i < size; i++)
                CHECK_EQ(memory[i], 0);
            memset(memory, 0xff, size);
        }
        memset(esse_arena_grow(arena, NULL, 1 << 20), 0xff, 1 << 20);
        esse_arena_clear(arena);
        CHECK(esse_arena_in_use() <= before + (1 << 20)); /* a chunk stays, no block */
    }
    esse_arena_free(arena);
    CHECK_EQ(esse_arena_in_use(), before);
}

TEST(test_arena__counts_what_it_holds)
{
    uint64_t before = esse_arena_in_use();
    struct esse_arena *arena = esse_arena_new();
    void *block = esse_arena_grow(arena, NULL, 1 << 20);
    CHECK(esse_arena_in_use() >= before + (1 << 20));
    block = esse_arena_grow(arena, block, 2 << 20);
    CHECK(esse_arena_in_use() >= before + (2 << 20));
    esse_arena_drop(arena, block);
    esse_arena_grow(arena, NULL, 100);
    esse_arena_free(arena);
    CHECK_EQ(esse_arena_in_use(), before);
}

TEST(test_vec__keeps_what_was_pushed)
{
    struct esse_arena *arena = esse_arena_new();
    struct number_vec vec = { 0 };
    for (uint64_t i = 0; i < 100000; i++)
        number_vec_push(&vec, arena, i * i);
    uint64_t *more = number_vec_extend(&vec, arena, 3);
    more[2] = 7;
    for (uint64_t i = 0; i < 100000; i++)
        CHECK(vec.at[i] == i * i);
    CHECK_EQ(vec.count, 100003);
    CHECK_EQ(vec.at[100002], 7);
    number_vec_drop(&vec, arena);
    CHECK_EQ(vec.count, 0);
    esse_arena_free(arena);
}

/* All hashes equal: the caller's comparison must still tell things apart. */
TEST(test_index__finds_among_equal_hashes)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_index index = { 0 };
    for (uint32_t id = 0; id < 100; id++)
        esse_index_add(&index, arena, 42, id);
    bool seen[100] = { false };
    struct esse_probe probe = esse_index_probe(&index, 42);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        seen[id] = true;
    for (int id = 0; id < 100; id++)
        CHECK(seen[id]);
    probe = esse_index_probe(&index, 43);
    uint32_t id;
    CHECK(!esse_probe_next(&probe, &id));
    esse_arena_free(arena);
}

TEST(test_index__agrees_with_a_linear_search)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_rng rng = { 7 };
    struct esse_index index = { 0 };
    struct number_vec words = { 0 };
    for (int i = 0; i < 3000; i++) {
        uint64_t word = esse_rng_below(&rng, 1500);
        uint32_t id;
        bool found = false, there = false;
        struct esse_probe probe = esse_index_probe(&index, esse_hash_word(word));
        while (!found && esse_probe_next(&probe, &id))
            found = words.at[id] == word;
        for (size_t j = 0; j < words.count; j++)
            there = there || words.at[j] == word;
        CHECK_EQ(found, there);
        if (!found) {
            esse_index_add(&index, arena, esse_hash_word(word), (uint32_t)words.count);
            number_vec_push(&words, arena, word);
        }
    }
    esse_arena_free(arena);
}

TEST(test_out__json_strings_are_escaped)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_out_json(&out, "a\"b\\c\n\x01\0é", 10);
    CHECK_TEXT(esse_out_memory(&out), "\"a\\\"b\\\\c\\n\\u0001\\u0000é\"");
    esse_arena_free(arena);
}

TEST(test_out__integers_print_to_the_edges)
{
    struct esse_arena *arena = esse_arena_new();
    const int64_t numbers[] = { 0, -1, 9, 10, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char expected[32];
        struct esse_out out;
        snprintf(expected, sizeof expected, "%lld", (long long)numbers[i]);
        esse_out_init_memory(&out, arena);
        esse_out_i64(&out, numbers[i]);
        CHECK_TEXT(esse_out_memory(&out), expected);
    }
    esse_arena_free(arena);
}

/* All numbers of digits, all halves of eight of them, and random ones. */
TEST(test_out__integers_print_as_by_printf)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_rng rng = { 11 };
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    for (uint64_t i = 0; i < 200000; i++) {
        const uint64_t half = i % 10000, drawn = esse_rng_next(&rng) >> i % 64;
        const int64_t numbers[] = { (int64_t)i, (int64_t)(half * 10000 + i / 10000),
                                    (int64_t)drawn };
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            char expected[32];
            snprintf(expected, sizeof expected, "%lld", (long long)numbers[n]);
            out.count = 0;
            esse_out_i64(&out, numbers[n]);
            CHECK_TEXT(esse_out_memory(&out), expected);
        }
    }
    esse_arena_free(arena);
}

/* One after the other, as a clock goes: from step to step a little, or a lot, or back. */
TEST(test_put__times_print_as_by_printf)
{
    struct esse_rng rng = { 13 };
    struct esse_put_times times = { 0 };
    uint64_t bits = 0;
    for (uint64_t i = 0; i < 200000; i++) {
        char expected[32], text[64];
        const uint64_t drawn = esse_rng_next(&rng);
        bits = i % 1000 ? bits + (drawn >> (4 + i % 60)) / 1000 : drawn >> i / 1000 % 64;
        const int64_t time = (int64_t)bits;
        snprintf(expected, sizeof expected, "%lld", (long long)time);
        *esse_put_time(&times, text, time) = 0;
        CHECK_TEXT(text, expected);
    }
}

TEST(test_out__several_integers_print_as_one_by_one)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_rng rng = { 12 };
    struct esse_out out, expected;
    int64_t numbers[1000];
    esse_out_init_memory(&out, arena);
    esse_out_init_memory(&expected, arena);
    for (size_t i = 0; i < 1000; i++)
        numbers[i] = (int64_t)esse_rng_next(&rng) >> i % 64;
    for (size_t count = 0; count <= 1000; count += count < 300 ? 1 : 100) {
        out.count = expected.count = 0;
        for (size_t i = 0; i < count; i++)
            esse_out_f(&expected, "%s%lld", i ? "," : "", (long long)numbers[i]);
        esse_out_i64s(&out, numbers, count);
        CHECK_TEXT(esse_out_memory(&out), esse_out_memory(&expected));
    }
    esse_arena_free(arena);
}

TEST(test_out__a_failed_write_is_told_at_the_end)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_out out;
    struct esse_error err;
    int full = open("/dev/full", O_WRONLY);
    esse_out_init_fd(&out, arena, full);
    for (int i = 0; i < 100000; i++)
        esse_out_text(&out, "some text that fills the buffer");
    CHECK(!esse_out_finish(&out, &err));
    CHECK_EQ(err.code, ESSE_EIO);
    close(full);
    esse_arena_free(arena);
}

static void make_path(char path[64])
{
    snprintf(path, 64, "/tmp/esse-test-%d.out", (int)getpid());
    unlink(path);
}

TEST(test_outfile__is_not_there_before_the_commit)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_outfile file;
    struct esse_error err;
    char path[64];
    make_path(path);
    CHECK(esse_outfile_open(&file, arena, path, &err));
    esse_out_text(&file.out, "whole");
    CHECK(access(path, F_OK) != 0);
    CHECK(esse_outfile_commit(&file, &err));
    CHECK(access(path, F_OK) == 0);
    unlink(path);
    esse_arena_free(arena);
}

TEST(test_outfile__a_discarded_file_leaves_nothing)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_outfile file;
    struct esse_error err;
    char path[64];
    make_path(path);
    CHECK(esse_outfile_open(&file, arena, path, &err));
    esse_out_text(&file.out, "half");
    esse_outfile_discard(&file);
    CHECK(access(path, F_OK) != 0);
    CHECK(access(file.temporary, F_OK) != 0);
    esse_arena_free(arena);
}

TEST(test_outfile__a_missing_folder_is_an_error)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_outfile file;
    struct esse_error err;
    CHECK(!esse_outfile_open(&file, arena, "/nonexistent/x", &err));
    CHECK_EQ(err.code, ESSE_EIO);
    esse_arena_free(arena);
}

TEST(test_budget__time_runs_out)
{
    struct esse_budget budget = { .seconds = 0.01 };
    esse_budget_start(&budget);
    esse_budget_phase(&budget, "waiting", 0);
    uint64_t polls = 0;
    while (esse_budget_poll(&budget, polls))
        polls++;
    CHECK_EQ(esse_budget_spent(&budget), ESSE_SPENT_TIME);
    CHECK(!esse_budget_poll(&budget, polls) || esse_budget_spent(&budget));
}

TEST(test_budget__cancelling_stops_it)
{
    struct esse_budget budget = { .cancel = 1 };
    esse_budget_start(&budget);
    esse_budget_phase(&budget, "waiting", 0);
    CHECK(!esse_budget_poll(&budget, 0));
    CHECK_EQ(esse_budget_spent(&budget), ESSE_SPENT_INTERRUPTED);
}

TEST(test_budget__memory_runs_out)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_budget budget = { .memory_bytes = esse_arena_in_use() + (1u << 30) };
    esse_budget_start(&budget);
    esse_budget_phase(&budget, "filling", 0);
    CHECK(esse_budget_poll(&budget, 0));
    esse_arena_grow(arena, NULL, (size_t)1 << 30);
    esse_budget_phase(&budget, "filling more", 0);
    CHECK(!esse_budget_poll(&budget, 0));
    CHECK_EQ(esse_budget_spent(&budget), ESSE_SPENT_MEMORY);
    esse_arena_free(arena);
}

TEST(test_budget__a_part_ends_before_the_whole)
{
    struct esse_budget budget = { .seconds = 3600 };
    esse_budget_start(&budget);
    esse_budget_begin_part(&budget);
    CHECK(esse_budget_check_now(&budget));
    CHECK(budget.part_deadline < budget.deadline - 1000);
    budget.part_deadline = budget.looked; /* half an hour later */
    CHECK(!esse_budget_check_now(&budget));
    CHECK_EQ(esse_budget_spent(&budget), ESSE_SPENT_TIME);
    CHECK(!esse_budget_is_over(&budget));
    esse_budget_end_part(&budget);
    CHECK(esse_budget_check_now(&budget));
    CHECK(!esse_budget_spent(&budget));

    esse_budget_begin_part(&budget);
    budget.cancel = 1;
    CHECK(!esse_budget_check_now(&budget));
    esse_budget_end_part(&budget);
    CHECK_EQ(esse_budget_spent(&budget), ESSE_SPENT_INTERRUPTED);
}

TEST(test_budget__none_is_without_limits)
{
    CHECK(esse_budget_poll(NULL, 1));
    CHECK(!esse_budget_spent(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gallop__finds_the_border_from_any_side),
        cmocka_unit_test(test_arena__memory_is_zeroed_and_aligned),
        cmocka_unit_test(test_arena__is_empty_and_clean_after_clearing),
        cmocka_unit_test(test_arena__counts_what_it_holds),
        cmocka_unit_test(test_vec__keeps_what_was_pushed),
        cmocka_unit_test(test_digits__agree_with_a_loop),
        cmocka_unit_test(test_index__finds_among_equal_hashes),
        cmocka_unit_test(test_index__agrees_with_a_linear_search),
        cmocka_unit_test(test_out__json_strings_are_escaped),
        cmocka_unit_test(test_out__integers_print_to_the_edges),
        cmocka_unit_test(test_out__integers_print_as_by_printf),
        cmocka_unit_test(test_put__times_print_as_by_printf),
        cmocka_unit_test(test_out__several_integers_print_as_one_by_one),
        cmocka_unit_test(test_out__a_failed_write_is_told_at_the_end),
        cmocka_unit_test(test_outfile__is_not_there_before_the_commit),
        cmocka_unit_test(test_outfile__a_discarded_file_leaves_nothing),
        cmocka_unit_test(test_outfile__a_missing_folder_is_an_error),
        cmocka_unit_test(test_budget__time_runs_out),
        cmocka_unit_test(test_budget__cancelling_stops_it),
        cmocka_unit_test(test_budget__memory_runs_out),
        cmocka_unit_test(test_budget__a_part_ends_before_the_whole),
        cmocka_unit_test(test_budget__none_is_without_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
