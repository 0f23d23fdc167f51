#include "collect/driver/postgresql/postgresql_shadow.h"

#include "test.h"

/* Shadow transactions of PostgreSQL: whether the two saw the same. */

enum { MOST = 6 };

static size_t count_of(const struct esse_live_row *rows, size_t count,
                       const struct esse_live_row *row)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += rows[i].row == row->row && rows[i].value == row->value;
    return found;
}

/* Every row as often here as there, in any order. */
static bool same_rows(const struct esse_live_row *a, size_t a_count, const struct esse_live_row *b,
                      size_t b_count)
{
    for (size_t i = 0; i < a_count; i++)
        if (count_of(a, a_count, &a[i]) != count_of(b, b_count, &a[i]))
            return false;
    return a_count == b_count;
}

static size_t draw_rows(struct esse_rng *rng, struct esse_live_row *rows)
{
    const size_t count = esse_rng_below(rng, MOST);
    for (size_t i = 0; i < count; i++)
        rows[i] = (struct esse_live_row){ (int64_t)esse_rng_below(rng, 3),
                                          (int64_t)esse_rng_below(rng, 2) - 1, ESSE_ABSENT };
    return count;
}

static void shuffle(struct esse_rng *rng, struct esse_live_row *rows, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = esse_rng_below(rng, (uint32_t)i);
        const struct esse_live_row row = rows[i - 1];
        rows[i - 1] = rows[j];
        rows[j] = row;
    }
}

TEST(test_pg_shadow__rows_agree_if_they_are_the_same_in_any_order)
{
    struct esse_rng rng = { .state = 7 };
    unsigned same = 0, other = 0;
    for (unsigned round = 0; round < test_rounds(20000); round++) {
        struct esse_live_row a[MOST], b[MOST];
        char text[ESSE_PG_DIFFERENCE];
        const size_t a_count = draw_rows(&rng, a);
        size_t b_count = a_count;
        memcpy(b, a, sizeof a);
        if (esse_rng_below(&rng, 2))
            b_count = draw_rows(&rng, b);
        shuffle(&rng, b, b_count);
        const bool expected = same_rows(a, a_count, b, b_count);
        esse_pg_seen_sort(a, a_count);
        esse_pg_seen_sort(b, b_count);
        const struct esse_pg_seen session = { "5:7:6", 0, a, a_count };
        const struct esse_pg_seen shadow = { "5:7:6", 0, b, b_count };
        CHECK_EQ(esse_pg_seen_agree(&session, &shadow, true, text), expected);
        CHECK(esse_pg_seen_agree(&session, &shadow, false, text));
        same += expected;
        other += !expected;
    }
    CHECK(same && other);
}

TEST(test_pg_shadow__tells_what_differs)
{
    const struct esse_live_row seen[] = { { 3, 10, ESSE_ABSENT }, { 5, 11, ESSE_ABSENT } };
    const struct esse_live_row more[] = { { 3, 10, ESSE_ABSENT },
                                          { 4, -2, ESSE_ABSENT },
                                          { 5, 11, ESSE_ABSENT } };
    const struct {
        struct esse_pg_seen session, shadow;
        const char *text;
    } cases[] = {
        { { "5:7:6", 0, seen, 2 },
          { "5:7:", 0, seen, 2 },
          "the session's snapshot is 5:7:6, its shadow's 5:7:" },
        { { "5:7:6", 4, NULL, 0 }, { "5:7:6", 3, NULL, 0 }, "the session saw 4, its shadow 3" },
        { { "5:7:6", ESSE_ABSENT, NULL, 0 },
          { "5:7:6", 3, NULL, 0 },
          "the session saw nothing, its shadow 3" },
        { { "5:7:6", 0, seen, 2 },
          { "5:7:6", 0, more, 3 },
          "its shadow saw row 4 with value -2, the session did not" },
        { { "5:7:6", 0, seen, 2 },
          { "5:7:6", 0, seen, 1 },
          "the session saw row 5 with value 11, its shadow did not" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[ESSE_PG_DIFFERENCE];
        CHECK(!esse_pg_seen_agree(&cases[i].session, &cases[i].shadow, true, text));
        CHECK_TEXT(text, cases[i].text);
    }
}

TEST(test_pg_shadow__a_long_snapshot_is_cut_in_what_is_told_only)
{
    char one[400], other[400], text[ESSE_PG_DIFFERENCE];
    memset(one, '1', sizeof one);
    memset(other, '1', sizeof other);
    one[399] = other[399] = 0;
    other[398] = '2';
    CHECK(!esse_pg_seen_agree(&(struct esse_pg_seen){ .snapshot = one },
                              &(struct esse_pg_seen){ .snapshot = other }, false, text));
    CHECK(strlen(text) < sizeof text);
    other[398] = '1';
    CHECK(esse_pg_seen_agree(&(struct esse_pg_seen){ .snapshot = one },
                             &(struct esse_pg_seen){ .snapshot = other }, true, text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pg_shadow__rows_agree_if_they_are_the_same_in_any_order),
        cmocka_unit_test(test_pg_shadow__tells_what_differs),
        cmocka_unit_test(test_pg_shadow__a_long_snapshot_is_cut_in_what_is_told_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
