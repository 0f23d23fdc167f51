#include "evidence/recheck.h"
#include "history/certificate.h"
#include "history/subset.h"
#include "load_text.h"

/* Commits that a database lost: what a line 'lost' may say, what follows, and what the kernel
 * believes. */

enum { MOST_TXNS = 4, MOST_OPS = 3, KEYS = 2, VALUES = 3 };

struct op {
    bool is_write;
    int key, value; /* 0: absent */
};

struct txn {
    int status; /* committed, aborted, unknown */
    bool is_lost, is_ordered;
    struct op ops[MOST_OPS];
    int count;
};

/* A history as the definitions see it. */
struct small {
    struct txn txns[MOST_TXNS];
    int count;
    bool has_order;
    int order_of_x[VALUES]; /* a version order of x, by value */
    int versions;
    int initial; /* of x; 0: absent */
};

static struct small draw(struct esse_rng *rng)
{
    struct small h = { .count = 1 + (int)esse_rng_below(rng, MOST_TXNS) };
    for (int t = 0; t < h.count; t++) {
        struct txn *txn = &h.txns[t];
        txn->status = esse_rng_below(rng, 5) ? 0 : 1 + (int)esse_rng_below(rng, 2);
        txn->is_lost = !esse_rng_below(rng, 3);
        txn->count = 1 + (int)esse_rng_below(rng, MOST_OPS);
        for (int o = 0; o < txn->count; o++) {
            const bool is_write = esse_rng_below(rng, 2);
            txn->ops[o] = (struct op){ is_write, (int)esse_rng_below(rng, KEYS),
                                       (int)esse_rng_below(rng, VALUES) + is_write };
        }
    }
    h.has_order = esse_rng_below(rng, 2);
    for (int t = 0; h.has_order && t < h.count; t++)
        h.txns[t].is_ordered =
            h.txns[t].status == 0 && (!h.txns[t].is_lost || !esse_rng_below(rng, 8));
    h.initial = esse_rng_below(rng, 4) ? 0 : 1;
    for (int value = 1; value <= VALUES && esse_rng_below(rng, 2); value++)
        h.order_of_x[h.versions++] = value;
    return h;
}

static int writers_of(const struct small *h, int key, int value)
{
    int writers = key == 0 && h->initial == value;
    for (int t = 0; t < h->count; t++)
        for (int o = 0; o < h->txns[t].count; o++) {
            const struct op *op = &h->txns[t].ops[o];
            writers += op->is_write && op->key == key && op->value == value;
        }
    return writers;
}

static bool writes(const struct txn *txn)
{
    for (int o = 0; o < txn->count; o++)
        if (txn->ops[o].is_write)
            return true;
    return false;
}

/* What no transaction wrote no version order may have; and one that has what a transaction of
 * unknown outcome wrote says that it committed (history/resolve.h), which is another matter. */
static void tidy(struct small *h)
{
    int kept = 0;
    for (int t = 0; t < h->count; t++) {
        struct txn *txn = &h->txns[t];
        if (h->versions && txn->status == 2)
            txn->status = 1;
        for (int o = 1; h->versions && o < txn->count; o++)
            txn->ops[o].is_write &= !txn->ops[o - 1].is_write; /* one write of a key is a version */
        if (h->versions && txn->count == 3)
            txn->ops[2].is_write = false;
    }
    for (int i = 0; i < h->versions; i++)
        if (writers_of(h, 0, h->order_of_x[i]) > (h->initial == h->order_of_x[i]))
            h->order_of_x[kept++] = h->order_of_x[i];
    h->versions = kept;
}

/* Is the write in the log, by a version order or because a transaction in the log read it? */
static bool is_in_log(const struct small *h, const struct op *write)
{
    if (writers_of(h, write->key, write->value) > 1)
        return false;
    for (int i = 0; write->key == 0 && i < h->versions; i++)
        if (h->order_of_x[i] == write->value)
            return true;
    for (int t = 0; t < h->count; t++) {
        const struct txn *reader = &h->txns[t];
        for (int o = 0; o < reader->count; o++)
            if (reader->status == 0 && !reader->is_lost && writes(reader) &&
                !reader->ops[o].is_write && reader->ops[o].key == write->key &&
                reader->ops[o].value == write->value)
                return true;
    }
    return false;
}

static bool is_lost(const struct small *h, const struct txn *txn)
{
    if (txn->status != 0 || !writes(txn) || txn->is_ordered)
        return false;
    for (int o = 0; o < txn->count; o++)
        if (txn->ops[o].is_write && is_in_log(h, &txn->ops[o]))
            return false;
    return true;
}

static const char *text_of(struct esse_arena *arena, const struct small *h, bool with_lost)
{
    static const char *const statuses[] = { "committed", "aborted", "unknown" };
    const char *text = h->initial ? "{'init':{'x':1}}\n" : "", *order = "", *lost = "";
    for (int t = 0; t < h->count; t++) {
        const struct txn *txn = &h->txns[t];
        text = esse_arena_format(arena, "%s{'session':%d,'txn':'t%d','status':'%s','ops':[", text,
                                 t, t, statuses[txn->status]);
        for (int o = 0; o < txn->count; o++) {
            const struct op *op = &txn->ops[o];
            const char *value = op->value ? esse_arena_format(arena, "%d", op->value) : "null";
            text = esse_arena_format(arena, "%s%s{'%s':'%s','v':%s}", text, o ? "," : "",
                                     op->is_write ? "w" : "r", op->key ? "y" : "x", value);
        }
        text = esse_arena_format(arena, "%s]}\n", text);
        if (txn->is_ordered)
            order = esse_arena_format(arena, "%s%s't%d'", order, *order ? "," : "", t);
        if (txn->is_lost)
            lost = esse_arena_format(arena, "%s%s't%d'", lost, *lost ? "," : "", t);
    }
    for (int i = 0; i < h->versions; i++)
        text = esse_arena_format(arena, "%s%s%d%s", text, i ? "," : "{'version_order':{'x':[",
                                 h->order_of_x[i], i + 1 == h->versions ? "]}}\n" : "");
    if (h->has_order)
        text = esse_arena_format(arena, "%s{'order':[%s]}\n", text, order);
    return with_lost && *lost ? esse_arena_format(arena, "%s{'lost':[%s]}\n", text, lost) : text;
}

static const struct esse_result *check(struct esse_arena *arena, struct esse_history *history)
{
    static const char *const levels[] = { "read-committed", "serializable", "read-uncommitted" };
    const struct esse_check_options options = { .levels = levels, .level_count = 3, .threads = 1 };
    const struct esse_result *result;
    struct esse_error err;
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("%s\n%s", err.text, write_text(arena, "native", history));
    return result;
}

static bool tells(const struct esse_verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        if (verdict->anomalies[i].type == ESSE_ANOMALY_LOST_COMMIT)
            return true;
    return false;
}

/* Any write of any transaction, claimed to be lost: the kernel believes what is so. */
static void ask_kernel(const struct small *h, const struct esse_history *history, const char *text)
{
    struct esse_error err;
    for (uint32_t t = 0; t < history->txns; t++)
        for (uint32_t op = history->txn_op[t]; op < history->txn_op[t + 1]; op++) {
            struct esse_step step = { { t }, { op }, "" };
            const struct op *is = &h->txns[t].ops[op - history->txn_op[t]];
            const struct esse_anomaly anomaly = { .type = ESSE_ANOMALY_LOST_COMMIT,
                                                  .has_key = true,
                                                  .key = { history->op_key[op] },
                                                  .steps = &step,
                                                  .step_count = 1 };
            const bool so = h->txns[t].is_lost && is->is_write && is_lost(h, &h->txns[t]);
            if (esse_recheck_anomaly(history, &anomaly, NULL, &err) != so)
                fail_msg("t%u, operation %u: %s\n%s", t, op, so ? "true" : "false", text);
        }
}

TEST(lost__what_is_said_is_checked_and_what_follows_is_told)
{
    unsigned accepted = 0, refused = 0;
    for (unsigned seed = 1 + test_first(4000), after = seed + test_rounds(4000); seed < after;
         seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct small h = draw(&rng);
        struct esse_error err = { 0 };
        bool all = true, any = false;
        tidy(&h);
        for (int t = 0; t < h.count; t++) {
            any |= h.txns[t].is_lost;
            all &= !h.txns[t].is_lost || is_lost(&h, &h.txns[t]);
        }
        const char *text = text_of(arena, &h, true);
        struct esse_history *history = load_text(arena, "native", text);
        if (esse_certificate_check(history, &err) != all)
            fail_msg("%s: %s\n%s", all ? "refused" : "accepted", err.text, text);
        refused += !all;
        if (all) {
            const struct esse_result *result = check(arena, history);
            for (int i = 0; i < 2 && any; i++)
                if (result->verdicts[i].outcome != ESSE_VIOLATED || !tells(&result->verdicts[i]))
                    fail_msg("%s is not violated by it\n%s",
                             esse_level_name(result->verdicts[i].level), text);
            CHECK(!tells(&result->verdicts[2]));
            ask_kernel(&h, history, text);
            struct esse_history *again =
                load_text(arena, "native", write_text(arena, "native", history));
            CHECK_EQ(again->lost_count, history->lost_count);
            accepted += any;
        }
        esse_arena_free(arena);
    }
    CHECK(accepted > 100 && refused > 100);
}

TEST(lost__no_order_proves_what_a_lost_commit_rules_out)
{
    struct esse_arena *arena = esse_arena_new();
    struct small h = { .count = 1, .txns = { { .count = 1, .ops = { { true, 0, 1 } } } } };
    const struct esse_verdict holds =
        check(arena, load_text(arena, "native", text_of(arena, &h, true)))->verdicts[1];
    struct esse_error err = { 0 };
    const struct esse_level *level = esse_level_find("serializable");
    CHECK_EQ(holds.outcome, ESSE_HOLDS);
    h.txns[0].is_lost = true;
    struct esse_history *lost = load_text(arena, "native", text_of(arena, &h, true));
    CHECK(!esse_recheck_verdict(lost, level, &holds, NULL, &err));
    CHECK(strstr(err.text, "lost") != NULL);
    esse_arena_free(arena);
}

TEST(lost__a_part_of_a_history_keeps_who_still_writes)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err = { 0 };
    struct esse_history *part,
        *history = load_text(arena, "native",
                             "{'session':1,'txn':'a','ops':[{'w':'x','v':1},{'r':'y',"
                             "'v':null}]}\n"
                             "{'session':2,'txn':'b','ops':[{'a':'z','v':1}]}\n"
                             "{'lost':['b','a']}\n");
    struct esse_selection selection = esse_selection_all(arena, history);
    selection.ops[0] = 0;
    CHECK(esse_history_subset(arena, history, &selection, &part, &err));
    CHECK_EQ(part->lost_count, 1);
    CHECK_EQ(part->lost[0].ix, 1);
    selection.txns[1] = 0;
    CHECK(esse_history_subset(arena, history, &selection, &part, &err));
    CHECK_EQ(part->lost_count, 0);
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost__what_is_said_is_checked_and_what_follows_is_told),
        cmocka_unit_test(lost__no_order_proves_what_a_lost_commit_rules_out),
        cmocka_unit_test(lost__a_part_of_a_history_keeps_who_still_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
