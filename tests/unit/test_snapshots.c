#include "base/bit_tree.h"
#include "history/pg_snapshot.h"
#include "history/snapshots.h"
#include "load_text.h"

/* Which commits an operation saw, against sets of numbers; and the ordered set that helps. */

/* ---- PostgreSQL's text ---- */

static bool parses(struct esse_values *values, const char *text, struct esse_pg_snapshot *snapshot)
{
    return esse_pg_snapshot_parse(snapshot, values, esse_value_string(values, text, strlen(text)));
}

TEST(pg_snapshot__what_postgresql_does_not_print_is_refused)
{
    static const char *const bad[] = {
        "",       "5",      "5:6",   "6:5:",  ":5:",     "5::",
        "5:9:5,", "5:9:,5", "5:9:9", "5:9:4", "5:9:7,6", "5:9:6,6",
        "5:9:6 ", " 5:9:",  "-5:9:", "5:9:x", "5:9:6:7", "5:99999999999999999999:"
    };
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(arena, "native", "{'session':1,'ops':[]}\n");
    struct esse_pg_snapshot snapshot;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parses(history->values, bad[i], &snapshot))
            fail_msg("'%s' is taken", bad[i]);
    CHECK(!esse_pg_snapshot_parse(&snapshot, history->values, esse_value_small(5)));
    CHECK(parses(history->values, "5:5:", &snapshot));
    CHECK(parses(history->values, "5:9223372036854775807:5,7", &snapshot));
    esse_arena_free(arena);
}

TEST(pg_snapshot__sees_as_a_set_of_numbers_does)
{
    struct esse_rng rng = { 3 };
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(arena, "native", "{'session':1,'ops':[]}\n");
    for (unsigned round = 0; round < test_rounds(500); round++) {
        const unsigned xmin = esse_rng_below(&rng, 20), xmax = xmin + esse_rng_below(&rng, 20);
        bool running[64] = { false };
        char text[256];
        int at = sprintf(text, "%u:%u:", xmin, xmax);
        const char *comma = "";
        for (unsigned xid = xmin; xid < xmax; xid++)
            if (esse_rng_below(&rng, 3) == 0) {
                running[xid] = true;
                at += sprintf(text + at, "%s%u", comma, xid);
                comma = ",";
            }
        struct esse_pg_snapshot snapshot;
        CHECK(parses(history->values, text, &snapshot));
        for (unsigned xid = 0; xid < 64; xid++)
            CHECK_EQ(esse_pg_snapshot_sees(&snapshot, xid), xid < xmax && !running[xid]);
    }
    esse_arena_free(arena);
}

/* ---- places ---- */

enum { TXNS = 8 };

/* Transactions with numbers of their own, some without, in a random order of commits, and one that
 * looks with PostgreSQL's snapshot at a random set of numbers. */
static void look_at_random(struct esse_arena *arena, struct esse_rng *rng)
{
    struct esse_out out;
    bool has_xid[TXNS], listed[TXNS] = { false }, running[64] = { false };
    const char *comma = "";
    esse_out_init_memory(&out, arena);
    esse_out_text(&out, "{'certificate':'postgresql-snapshots'}\n");
    for (int t = 0; t < TXNS; t++) {
        has_xid[t] = esse_rng_below(rng, 5) > 0;
        esse_out_f(&out, "{'session':%d,'txn':'t%d'", t, t);
        if (has_xid[t])
            esse_out_f(&out, ",'xid':%d", 10 + t);
        esse_out_text(&out, ",'ops':[{'r':'x','v':null}]}\n");
    }
    const int xmin = 10 + (int)esse_rng_below(rng, TXNS);
    const int xmax = xmin + (int)esse_rng_below(rng, (uint32_t)(20 - xmin));
    esse_out_f(&out, "{'session':99,'txn':'r','ops':[{'r':'x','v':null,'snapshot':'%d:%d:", xmin,
               xmax);
    for (int xid = xmin; xid < xmax; xid++)
        if (esse_rng_below(rng, 3) == 0) {
            running[xid] = true;
            esse_out_f(&out, "%s%d", comma, xid);
            comma = ",";
        }
    esse_out_text(&out, "'}]}\n"
                        "{'order':[");
    int order[TXNS], count = 0;
    for (int i = 0; i < TXNS; i++) {
        const int t = (int)esse_rng_below(rng, TXNS);
        if (!listed[t]) {
            esse_out_f(&out, "%s't%d'", count ? "," : "", t);
            listed[t] = true;
            order[count++] = t;
        }
    }
    esse_out_text(&out, "]}\n");
    const char *text = esse_out_memory(&out);
    const struct esse_history *history = load_text(arena, "native", text);
    struct esse_snapshots snapshots;
    struct esse_snapshot snapshot;
    esse_snapshots_find(&snapshots, arena, history);
    for (int i = 0; i < count; i++)
        CHECK_EQ(snapshots.place[order[i]].ix, i);
    if (!snapshots.xids) /* no transaction has a number */
        return;
    CHECK(esse_snapshot_of(&snapshots, TXNS, history->txn_op[TXNS], &snapshot));
    for (int t = 0; t < TXNS; t++) {
        const bool sees = listed[t] && has_xid[t] && 10 + t < xmax && !running[10 + t];
        /* One without a number is seen with those before it, if these are all of a prefix. */
        if (listed[t] && !has_xid[t])
            continue;
        if (esse_snapshot_sees(&snapshots, &snapshot, (uint32_t)t) != sees)
            fail_msg("t%d is %sseen\n%s", t, sees ? "not " : "", text);
    }
}

TEST(snapshots__postgresqls_are_the_numbers_they_name)
{
    struct esse_rng rng = { 9 };
    for (unsigned round = 0; round < test_rounds(1000); round++) {
        struct esse_arena *arena = esse_arena_new();
        look_at_random(arena, &rng);
        esse_arena_free(arena);
    }
}

/* Times that are equal are seen; aborted ones have no place. */
TEST(snapshots__timestamps_are_seen_up_to_their_own)
{
    static const char text[] =
        "{'certificate':'timestamps'}\n"
        "{'session':1,'txn':'a','start_ts':1,'commit_ts':30,'ops':[{'w':'x','v':1}]}\n"
        "{'session':2,'txn':'b','start_ts':1,'commit_ts':10,'ops':[{'w':'y','v':1}]}\n"
        "{'session':3,'txn':'c','status':'aborted','start_ts':1,'commit_ts':20,"
        "'ops':[{'w':'z','v':1}]}\n"
        "{'session':4,'txn':'r','start_ts':10,'ops':[{'r':'x','v':null},{'r':'x','v':1,"
        "'snapshot':30},{'r':'x','v':null,'snapshot':9}]}\n";
    static const uint32_t before[] = { 1, 2, 0 };
    struct esse_arena *arena = esse_arena_new();
    const struct esse_history *history = load_text(arena, "native", text);
    struct esse_snapshots snapshots;
    struct esse_snapshot snapshot;
    esse_snapshots_find(&snapshots, arena, history);
    CHECK_EQ(snapshots.count, 2);
    CHECK_EQ(snapshots.place[0].ix, 1);
    CHECK_EQ(snapshots.place[1].ix, 0);
    CHECK_EQ(snapshots.place[2].ix, ESSE_NO_PLACE);
    CHECK_EQ(snapshots.place[3].ix, ESSE_NO_PLACE);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(esse_snapshot_of(&snapshots, 3, history->txn_op[3] + i, &snapshot));
        CHECK(snapshot.is_prefix);
        CHECK_EQ(snapshot.before.ix, before[i]);
        CHECK_EQ(esse_snapshot_sees(&snapshots, &snapshot, 0), before[i] > 1);
        CHECK(!esse_snapshot_sees(&snapshots, &snapshot, 2));
    }
    esse_arena_free(arena);
}

/* ---- the ordered set ---- */

TEST(bit_tree__agrees_with_an_array)
{
    static const uint32_t limits[] = { 1, 63, 64, 65, 4095, 4096, 4097, 300000 };
    struct esse_rng rng = { 4 };
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        struct esse_arena *arena = esse_arena_new();
        uint8_t *in = esse_arena_alloc(arena, limits[l], 1);
        struct esse_bit_tree tree;
        esse_bit_tree_init(&tree, arena, limits[l]);
        for (unsigned round = 0; round < test_rounds(2000); round++) {
            const uint32_t number = esse_rng_below(&rng, limits[l]);
            in[number] = esse_rng_below(&rng, 3) > 0;
            if (in[number])
                esse_bit_tree_add(&tree, number);
            else
                esse_bit_tree_remove(&tree, number);
            uint32_t from = esse_rng_below(&rng, limits[l] + 2), next = from;
            while (next < limits[l] && !in[next])
                next++;
            CHECK_EQ(esse_bit_tree_next(&tree, from), next < limits[l] ? next : ESSE_NO_BIT);
        }
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pg_snapshot__what_postgresql_does_not_print_is_refused),
        cmocka_unit_test(pg_snapshot__sees_as_a_set_of_numbers_does),
        cmocka_unit_test(snapshots__postgresqls_are_the_numbers_they_name),
        cmocka_unit_test(snapshots__timestamps_are_seen_up_to_their_own),
        cmocka_unit_test(bit_tree__agrees_with_an_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
