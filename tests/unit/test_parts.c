#include "base/arena.h"
#include "engine/shrink_ranges.h"
#include "history/builder.h"
#include "history/subset.h"
#include "load_text.h"
#include "random_gen.h"

/*
 * A part of a history that satisfies a level satisfies it too, whatever was left out: nothing in it
 * may speak of what is gone.  So what is wrong with a part is wrong with the whole, and a shrunk
 * history is evidence.  Here at random, with whatever the generator can put into a history.
 */

/* A sink before the builder that makes SELECT count(*) of some predicates: their rows are not
 * recorded, only how many there were. */
struct counting {
    struct esse_sink sink;
    struct esse_sink *to;
    struct esse_rng rng;
    struct esse_arena *arena;
};

static bool count_rows(struct esse_sink *sink, const struct esse_txn_record *txn,
                       struct esse_error *err)
{
    struct counting *c = (struct counting *)sink;
    struct esse_op_record ops[16];
    esse_value items[256];
    struct esse_txn_record changed = *txn;
    size_t item_count = 0;
    memcpy(ops, txn->ops, txn->op_count * sizeof *ops);
    for (size_t i = 0; i < txn->op_count; i++) {
        struct esse_op_record *op = &ops[i];
        char room[8];
        if (op->is_list && op->count) {
            memcpy(items + item_count, txn->items + op->first, op->count * sizeof *items);
            op->first = item_count;
            item_count += op->count;
        }
        if (op->kind != ESSE_OP_PREDICATE_READ || op->has_vset || esse_rng_below(&c->rng, 2))
            continue;
        const struct esse_span text = esse_value_text(sink->values, op->key, room);
        const char *select = esse_arena_format(
            c->arena, "SELECT count(*) FROM everything WHERE %.*s", (int)text.length, text.at);
        items[item_count] = esse_value_small((int64_t)op->count);
        op->key = esse_value_string(sink->values, select, strlen(select));
        op->no_rows = op->has_result = true;
        op->count = 0;
        op->result_first = item_count++;
        op->result_count = 1;
    }
    changed.ops = ops;
    changed.items = items;
    return c->to->txn(c->to, &changed, err);
}

static bool pass_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                      struct esse_error *err)
{
    struct esse_sink *to = ((struct counting *)sink)->to;
    return to->init(to, rows, count, err);
}

static bool pass_version_order(struct esse_sink *sink, esse_value key,
                               const struct esse_version_ref *versions, size_t count,
                               struct esse_error *err)
{
    struct esse_sink *to = ((struct counting *)sink)->to;
    return to->version_order(to, key, versions, count, err);
}

static bool pass_order(struct esse_sink *sink, const esse_value *names, size_t count,
                       struct esse_error *err)
{
    struct esse_sink *to = ((struct counting *)sink)->to;
    return to->order(to, names, count, err);
}

static bool pass_certificate(struct esse_sink *sink,
                             const struct esse_certificate_record *certificate,
                             struct esse_error *err)
{
    struct esse_sink *to = ((struct counting *)sink)->to;
    return to->certificate(to, certificate, err);
}

static struct esse_history *sound_history(struct esse_arena *arena, struct esse_rng *rng)
{
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history = NULL;
    struct esse_error err;
    struct esse_gen_options options = random_gen_options(rng);
    struct counting c = { .sink = *esse_builder_sink(builder),
                          .to = esse_builder_sink(builder),
                          .rng = { esse_rng_next(rng) },
                          .arena = arena };
    c.sink.init = pass_init;
    c.sink.txn = count_rows;
    c.sink.version_order = pass_version_order;
    c.sink.order = pass_order;
    c.sink.certificate = pass_certificate;
    options.crash_share = esse_rng_below(rng, 2) * 0.2;
    if (!esse_gen_run(&options, esse_rng_below(rng, 2) ? &c.sink : c.to, NULL, &err) ||
        !esse_builder_freeze(builder, &history, &err))
        fail_msg("%s", err.text);
    return history;
}

/* The levels that are violated, as bits. */
static unsigned violated_by(const struct esse_history *history)
{
    static const char *const levels[] = { "serializable", "snapshot-isolation", "read-committed" };
    struct esse_arena *arena = esse_arena_new();
    const struct esse_check_options check = { .levels = levels, .level_count = 3 };
    const struct esse_result *result;
    struct esse_error err = { 0 };
    unsigned violated = 0;
    if (!esse_check(arena, history, &check, &result, &err))
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < result->verdict_count; i++)
        if (result->verdicts[i].outcome == ESSE_VIOLATED)
            violated |= 1u << i;
    esse_arena_free(arena);
    return violated;
}

/* Leaves some out: of transactions, operations, keys, or of all three. */
static void leave_out(struct esse_selection *selection, const struct esse_history *history,
                      struct esse_rng *rng)
{
    uint8_t *const columns[] = { selection->txns, selection->ops, selection->keys };
    const uint32_t counts[] = { history->txns, history->ops, history->keys };
    const uint32_t which = esse_rng_below(rng, 4), one_in = 2 + esse_rng_below(rng, 6);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t i = 0; (which == 3 || which == c) && i < counts[c]; i++)
            columns[c][i] = esse_rng_below(rng, one_in) > 0;
}

TEST(test_parts__of_what_holds_are_not_violated)
{
    for (unsigned seed = test_first(6000), after = seed + test_rounds(6000); seed < after; seed++) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_rng rng = { seed };
        struct esse_history *history = sound_history(arena, &rng), *part;
        struct esse_selection selection = esse_selection_all(arena, history);
        struct esse_error err = { 0 };
        leave_out(&selection, history, &rng);
        if (esse_rng_below(&rng, 2))
            shrink_know_ranges(&selection, arena, history);
        CHECK(esse_history_subset(arena, history, &selection, &part, &err));
        if (violated_by(part) & ~violated_by(history)) {
            fprintf(stderr, "%sis a part of\n%s", write_text(arena, "native", part),
                    write_text(arena, "native", history));
            fail_msg("seed %u", seed);
        }
        esse_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts__of_what_holds_are_not_violated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
