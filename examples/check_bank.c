/*
 * Did the bank lose money?
 *
 * Two tellers take money out of Alice's account at the same time.  Both saw 100 in it, both
 * transfers were committed, and the second one overwrote the first: a lost update.  This program
 * writes that down as a history, asks whether the history satisfies snapshot isolation (it does
 * not), and prints why.
 *
 *     cc check_bank.c $(pkg-config --cflags --libs esse) -o check_bank
 *     ./check_bank                 the history below
 *     ./check_bank history.jsonl   one of your own, in any format that Esse reads
 */
#include <esse/esse.h>

#include <stdio.h>

/* One transfer as its client saw it: what it read, what it wrote, and that it was committed. */
struct transfer {
    const char *name, *to;
    int64_t teller, amount, from_had, to_had;
};

static bool add_transfer(struct esse_builder *builder, const struct transfer *transfer,
                         struct esse_error *err)
{
    /* Keys and values are esse_values: integers, texts, or nil for "not there". */
    const esse_value from = esse_text(builder, "alice"), to = esse_text(builder, transfer->to);

    /* Transactions of one session are in session order; each teller is a session. */
    esse_builder_begin(builder, esse_int(transfer->teller), transfer->name);
    esse_builder_read(builder, from, esse_int(transfer->from_had));
    esse_builder_write(builder, from, esse_int(transfer->from_had - transfer->amount));
    esse_builder_read(builder, to, esse_int(transfer->to_had));
    esse_builder_write(builder, to, esse_int(transfer->to_had + transfer->amount));
    return esse_builder_end(builder, ESSE_COMMITTED, err);
}

/* The accounts start empty (absent), so the opening balances are a transaction like any other. */
static bool add_opening(struct esse_builder *builder, struct esse_error *err)
{
    esse_builder_begin(builder, esse_int(0), "opening");
    esse_builder_write(builder, esse_text(builder, "alice"), esse_int(100));
    esse_builder_write(builder, esse_text(builder, "bob"), esse_int(20));
    esse_builder_write(builder, esse_text(builder, "carol"), esse_int(5));
    return esse_builder_end(builder, ESSE_COMMITTED, err);
}

/* Alice had 100 and paid 30 and 50, which leaves 20; after this history she has 70 or 50. */
static bool record_bank(struct esse_arena *arena, struct esse_history **history,
                        struct esse_error *err)
{
    static const struct transfer to_bob = { "pay-bob", "bob", 1, 30, 100, 20 };
    static const struct transfer to_carol = { "pay-carol", "carol", 2, 50, 100, 5 };
    struct esse_builder *builder = esse_builder_new(arena);
    return add_opening(builder, err) && add_transfer(builder, &to_bob, err) &&
           add_transfer(builder, &to_carol, err) && esse_builder_freeze(builder, history, err);
}

/* The steps are the evidence: each names a transaction, what it did, and why that matters. */
static void print_anomaly(const struct esse_anomaly *anomaly)
{
    printf("  %s: %s\n", esse_anomaly_name(anomaly->type), anomaly->description);
    for (uint32_t i = 0; i < anomaly->step_count; i++)
        printf("    %u. %s\n", (unsigned)i + 1, anomaly->steps[i].why);
}

static void print_verdict(struct esse_arena *arena, const struct esse_verdict *verdict)
{
    static const char *const outcomes[] = {
        [ESSE_HOLDS] = "holds", [ESSE_VIOLATED] = "is violated", [ESSE_UNKNOWN] = "is unknown"
    };
    printf("%s %s\n", esse_level_name(verdict->level), outcomes[verdict->outcome]);
    const char *reason = esse_reason_text(arena, verdict);
    if (reason)
        printf("  because %s\n", reason);
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        print_anomaly(&verdict->anomalies[i]);
}

/* "history.jsonl:12: what was found, what was expected" */
static void print_error(const char *path, const struct esse_error *err)
{
    fprintf(stderr, "%s:", path);
    if (err->line)
        fprintf(stderr, "%llu:", (unsigned long long)err->line);
    fprintf(stderr, " %s\n", err->text);
}

int main(int argc, char **argv)
{
    static const char *const levels[] = { "snapshot-isolation" };
    const struct esse_check_options options = { .levels = levels, .level_count = 1 };
    struct esse_error err = { 0 };
    struct esse_history *history;
    const struct esse_result *result;

    /* Everything below lives in the arena, and goes with it. */
    struct esse_arena *arena = esse_arena_new();
    bool ok = argc > 1 ? esse_history_load(arena, argv[1], NULL, &history, &err)
                       : record_bank(arena, &history, &err);
    ok = ok && esse_check(arena, history, &options, &result, &err);
    if (ok) {
        const struct esse_counts counts = esse_history_counts(history);
        printf("%u transactions, %u operations\n", counts.transactions, counts.operations);
        for (uint32_t i = 0; i < result->verdict_count; i++)
            print_verdict(arena, &result->verdicts[i]);
    } else {
        print_error(argc > 1 ? argv[1] : "check_bank", &err);
    }
    esse_arena_free(arena);

    /* A verdict, whichever it is, is success for this program; no verdict is not. */
    return ok ? 0 : 1;
}
