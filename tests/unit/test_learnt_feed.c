#include "collect/recover/learnt.h"
#include "collect/recover/learnt_feed.h"
#include "formats/native.h"

#include "test.h"

enum { ROWS = 4, MOST = 40 };

static const struct esse_table tables[] = { { .name = "r" }, { .name = "l", .is_list = true } };
static const struct esse_schema schema = { .tables = tables, .count = 2, .sessions = 1 };
static const struct esse_stamp base = { 1000, 0 };

/* A version as the feed has it: of a list the whole state, which begins at 'items'. */
struct sent {
    uint32_t table;
    int64_t row, value; /* ESSE_ABSENT: deleted */
    struct esse_stamp stamp;
    char items[200];
};

static void send(struct esse_learnt_feed *feed, const struct sent *sent)
{
    struct esse_arena *scratch = esse_arena_new();
    struct esse_change_sink *sink = esse_learnt_feed_sink(feed);
    struct esse_error err;
    sink->values = esse_values_new(scratch);
    const struct esse_change_txn txn = { esse_value_string(sink->values, "time", 4), sent->stamp };
    const struct esse_cell cells[] = {
        { { "k", 1 }, esse_value_int(sink->values, sent->row) },
        { { "v", 1 },
          sent->table ? esse_value_string(sink->values, sent->items, strlen(sent->items))
                      : esse_value_int(sink->values, sent->value) },
    };
    const struct esse_change change = {
        .kind = sent->value == ESSE_ABSENT ? ESSE_CHANGE_DELETE : ESSE_CHANGE_PUT,
        .table = { sent->table ? "esse_l" : "esse_r", 6 },
        .cells = cells,
        .count = sent->value == ESSE_ABSENT ? 1 : 2,
    };
    CHECK(sink->begin(sink, &txn, &err));
    CHECK(sink->change(sink, &change, &err));
    CHECK(sink->commit(sink, &err));
    esse_arena_free(scratch);
}

static const char *emit(struct esse_arena *arena, struct esse_learnt *learnt)
{
    struct esse_out *out = esse_arena_alloc(arena, 1, sizeof *out);
    struct esse_error err = { 0 };
    esse_out_init_memory(out, arena);
    struct esse_sink *sink = esse_native_writer(arena, esse_values_new(arena), out, false);
    CHECK(esse_learnt_emit(learnt, "timestamps", sink, &err));
    return esse_out_memory(out);
}

/* A story of versions in the order of their times; a transaction may append up to three items. */
static size_t draw(struct esse_rng *rng, struct sent *sent)
{
    const size_t count = esse_rng_below(rng, MOST);
    char lists[ROWS][200] = { "" };
    int64_t next = 1;
    uint64_t high = base.high;
    for (size_t i = 0; i < count; i++) {
        struct sent *one = &sent[i];
        const bool has_counter = i && esse_rng_below(rng, 3) == 0;
        high += has_counter ? 0 : 1 + esse_rng_below(rng, 5);
        *one = (struct sent){ .table = (uint32_t)esse_rng_below(rng, 2),
                              .row = (int64_t)esse_rng_below(rng, ROWS),
                              .stamp = { high, has_counter ? sent[i - 1].stamp.low + 1 : 0 } };
        if (!one->table) {
            one->value = esse_rng_below(rng, 4) ? next++ : ESSE_ABSENT;
            continue;
        }
        char *list = lists[one->row];
        for (uint64_t items = 1 + esse_rng_below(rng, 3); items > 0; items--)
            sprintf(list + strlen(list), "%s%d", *list ? "," : "", (int)next++);
        strcpy(one->items, list);
    }
    return count;
}

/* Sent straight from the story, without a feed: what learnt.h sorts by row. */
static void tell(struct esse_learnt *learnt, const struct sent *sent, size_t count)
{
    size_t lengths[ROWS] = { 0 };
    for (size_t i = 0; i < count; i++) {
        const struct sent *one = &sent[i];
        const int64_t xid = esse_stamp_number(one->stamp, base);
        if (!one->table)
            esse_learnt_version(learnt, 0, one->row, one->value, xid);
        for (const char *at = one->items + lengths[one->row]; one->table && *at;) {
            char *end;
            at += *at == ',';
            esse_learnt_version(learnt, 1, one->row, strtoll(at, &end, 10), xid);
            at = end;
        }
        if (one->table)
            lengths[one->row] = strlen(one->items);
        esse_learnt_commit(learnt, xid);
    }
}

static void name_all(struct esse_learnt *learnt, const struct sent *sent, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct esse_named named = { esse_stamp_number(sent[i].stamp, base), 0, i, false };
        esse_learnt_names(learnt, &named, 1);
    }
}

TEST(test_learnt_feed__order_and_repetition_do_not_matter)
{
    struct esse_rng rng = { 7 };
    for (unsigned round = 0; round < test_rounds(400); round++) {
        struct esse_arena *arena = esse_arena_new();
        struct sent sent[MOST];
        const size_t count = draw(&rng, sent);
        struct esse_learnt *expected = esse_learnt_new(arena, &schema);
        struct esse_learnt *got = esse_learnt_new(arena, &schema);
        struct esse_learnt_feed *feed = esse_learnt_feed_new(arena, &schema);
        bool came[MOST] = { false };
        esse_learnt_feed_base(feed, base);
        esse_learnt_feed_after(feed, base);
        send(feed, &(struct sent){ 0, 1, 77, base, "" }); /* was there from the start */
        for (size_t left = count; left > 0;) {
            const size_t i = esse_rng_below(&rng, (uint32_t)count);
            send(feed, &sent[i]);
            left -= !came[i];
            came[i] = true;
        }
        tell(expected, sent, count);
        esse_learnt_feed_tell(feed, got, true);
        name_all(expected, sent, count);
        name_all(got, sent, count);
        CHECK_TEXT(emit(arena, got), emit(arena, expected));
        esse_arena_free(arena);
    }
}

TEST(test_learnt_feed__a_lost_item_does_not_come_again)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_learnt *learnt = esse_learnt_new(arena, &schema);
    struct esse_learnt_feed *feed = esse_learnt_feed_new(arena, &schema);
    const struct sent sent[] = { { 1, 0, 0, { 1001, 0 }, "1,2" },
                                 { 1, 0, 0, { 1002, 0 }, "1,3" }, /* 2 was overwritten */
                                 { 1, 0, 0, { 1003, 0 }, "1,3,2,4" } };
    esse_learnt_feed_base(feed, base);
    for (size_t i = 0; i < 3; i++)
        send(feed, &sent[i]);
    esse_learnt_feed_tell(feed, learnt, false);
    CHECK_JSON(arena, emit(arena, learnt), "{'version_order':{'l/0':[1,2,3,4]}}\n");
    esse_arena_free(arena);
}

TEST(test_learnt_feed__numbers_keep_the_order_of_stamps)
{
    struct esse_rng rng = { 11 };
    for (unsigned round = 0; round < test_rounds(2000); round++) {
        struct esse_stamp stamps[2];
        int64_t numbers[2];
        for (unsigned i = 0; i < 2; i++) {
            const uint64_t after = esse_rng_next(&rng) >> (esse_rng_below(&rng, 2) ? 17 : 62);
            stamps[i] = (struct esse_stamp){ base.high + after, esse_rng_below(&rng, 32767) };
            numbers[i] = esse_stamp_number(stamps[i], base);
            CHECK(numbers[i] > 0);
            CHECK_EQ(numbers[i] % 2, 0);
        }
        const int order = esse_stamp_compare(stamps[0], stamps[1]);
        CHECK_EQ((numbers[0] > numbers[1]) - (numbers[0] < numbers[1]), order);
    }
    CHECK_EQ(esse_stamp_number((struct esse_stamp){ base.high - 1, 0 }, base), ESSE_NO_ID);
    CHECK_EQ(esse_stamp_number((struct esse_stamp){ base.high, 32767 }, base), ESSE_NO_ID);
    CHECK_EQ(esse_stamp_number((struct esse_stamp){ base.high + (UINT64_C(1) << 47), 0 }, base),
             ESSE_NO_ID);
}

/* Timestamps are claimed only if every commit is known, once, and was acknowledged. */
TEST(test_learnt_feed__the_kind_needs_every_time)
{
    static const char kind[] = "{'certificate':'timestamps','complete':true}\n";
    static const struct {
        struct esse_named named[3];
        size_t count;
        bool has_kind;
    } cases[] = {
        { { { 10, 0, 0, 0, false, true }, { 20, 1, 0, 0, false, true } }, 2, true },
        { { { 10, 0, 0, 0, false, true },
            { 20, 1, 0, 0, false, true },
            { 30, 1, 1, 0, true, true } },
          3,
          true },
        { { { 10, 0, 0, 0, false, true } }, 1, false },
        { { { 10, 0, 0, 0, false, true }, { 20, 1, 0, 0, true, true } }, 2, false },
        { { { 10, 0, 0, 0, false, true },
            { 20, 1, 0, 0, false, true },
            { 20, 2, 0, 0, false, true } },
          3,
          false },
        { { { 10, 0, 0, 0, false, true },
            { 20, 1, 0, 0, false, true },
            { 20, 2, 0, 0, true, true } },
          3,
          false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_learnt *learnt = esse_learnt_new(arena, &schema);
        esse_learnt_version(learnt, 0, 1, 5, 10);
        esse_learnt_version(learnt, 0, 1, 6, 20);
        esse_learnt_commit(learnt, 10);
        esse_learnt_commit(learnt, 20);
        esse_learnt_names(learnt, cases[i].named, cases[i].count);
        CHECK_EQ(strstr(emit(arena, learnt), json(arena, kind)) != NULL, cases[i].has_kind);
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learnt_feed__order_and_repetition_do_not_matter),
        cmocka_unit_test(test_learnt_feed__a_lost_item_does_not_come_again),
        cmocka_unit_test(test_learnt_feed__numbers_keep_the_order_of_stamps),
        cmocka_unit_test(test_learnt_feed__the_kind_needs_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
