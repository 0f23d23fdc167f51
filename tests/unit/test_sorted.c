#include "base/rng.h"
#include "base/sorted.h"
#include "test.h"

#include <string.h>

enum { I_KEYS = 400, KIND = 1 };

static bool i_is_before(uint64_t a, uint32_t a_key, uint64_t b, uint32_t b_key)
{
    return a < b || (a == b && a_key < b_key);
}

/* One walk against the plain array. */
static void check_walk(const struct esse_sorted *sorted, const uint64_t *at, uint64_t from)
{
    struct esse_entry_cursor cursor = esse_sorted_seek(sorted, KIND, from);
    const struct esse_entry *entry;
    uint64_t last = from;
    uint32_t seen = 0, expected = 0, last_key = 0;
    for (uint32_t key = 0; key < I_KEYS; key++)
        expected += at[key] != UINT64_MAX && at[key] >= from;
    while ((entry = esse_entry_cursor_next(&cursor))) {
        CHECK(!seen || i_is_before(last, last_key, entry->at, entry->key));
        CHECK(entry->at >= from);
        CHECK(at[entry->key] == entry->at);
        last = entry->at;
        last_key = entry->key;
        seen++;
    }
    CHECK_EQ(seen, expected);
}

TEST(test_sorted__the_index_agrees_with_an_array)
{
    const unsigned rounds = test_rounds(20);
    for (unsigned seed = 1; seed <= rounds; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_sorted sorted;
        uint64_t at[I_KEYS];
        memset(at, 0xff, sizeof at);
        esse_sorted_init(&sorted, arena);
        for (int step = 0; step < 3000; step++) {
            const uint32_t key = esse_rng_below(&rng, I_KEYS);
            struct esse_entry entry = { at[key], KIND, key };
            if (at[key] != UINT64_MAX) {
                esse_sorted_remove(&sorted, entry);
                at[key] = UINT64_MAX;
            }
            /* It fills, and is emptied again. */
            if (esse_rng_below(&rng, 1000) < (uint32_t)(step / 1000 == 1 ? 50 : 900)) {
                at[key] = entry.at = esse_rng_below(&rng, seed % 2 ? 50 : 100000);
                esse_sorted_add(&sorted, entry);
            }
            if (step % 100 == 0)
                check_walk(&sorted, at, esse_rng_below(&rng, 100));
        }
        check_walk(&sorted, at, 0);
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorted__the_index_agrees_with_an_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
