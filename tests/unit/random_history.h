#ifndef ESSE_TESTS_UNIT_RANDOM_HISTORY_H
#define ESSE_TESTS_UNIT_RANDOM_HISTORY_H

/* Small random histories: generated at some level, then sometimes damaged. */
#include "test.h"

#include "generate/gen.h"
#include "history/builder.h"

/* A sink between the generator and a builder that changes what some reads returned. */
struct damaging {
    struct esse_sink sink;
    struct esse_sink *to;
    struct esse_rng rng;
    uint32_t one_in;
};

static bool damage_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                       struct esse_error *err)
{
    struct damaging *d = (struct damaging *)sink;
    struct esse_op_record ops[16];
    struct esse_txn_record changed = *txn;
    memcpy(ops, txn->ops, txn->op_count * sizeof *ops);
    changed.ops = ops;
    for (size_t i = 0; i < txn->op_count; i++) {
        if (ops[i].kind != ESSE_OP_READ || esse_rng_below(&d->rng, d->one_in))
            continue;
        if (ops[i].is_list && ops[i].count)
            ops[i].count -= esse_rng_below(&d->rng, 2) + (ops[i].count > 1); /* an older state */
        else if (!ops[i].is_list)
            ops[i].value = esse_rng_below(&d->rng, 3)
                               ? esse_value_small(1 + esse_rng_below(&d->rng, 4))
                               : ESSE_NIL;
    }
    return d->to->txn(d->to, &changed, err);
}

/* A certificate with gaps: some versions are left out. */
static bool damage_version_order(struct esse_sink *sink, esse_value key,
                                 const struct esse_version_ref *versions, size_t count,
                                 struct esse_error *err)
{
    struct damaging *d = (struct damaging *)sink;
    struct esse_version_ref kept[64];
    size_t left = 0;
    for (size_t i = 0; i < count && left < 64; i++)
        if (esse_rng_below(&d->rng, 4))
            kept[left++] = versions[i];
    return d->to->version_order(d->to, key, kept, left, err);
}

static bool pass_order(struct esse_sink *sink, const esse_value *names, size_t count,
                       struct esse_error *err)
{
    struct damaging *d = (struct damaging *)sink;
    return d->to->order(d->to, names, count, err);
}

static inline struct esse_history *random_history(struct esse_arena *arena, uint64_t seed,
                                                  bool lists)
{
    struct esse_rng rng = { seed };
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history = NULL;
    struct esse_error err;
    struct damaging d = { *esse_builder_sink(builder), esse_builder_sink(builder), { seed }, 0 };
    struct esse_gen_options options = esse_gen_defaults(lists ? "list-append" : "rw-register");
    options.txns = 2 + esse_rng_below(&rng, 5);
    options.work.ops = 1 + esse_rng_below(&rng, 4);
    options.work.keys = 1 + esse_rng_below(&rng, 3);
    options.work.sessions = 1 + esse_rng_below(&rng, 4);
    options.level = (enum esse_store_level)esse_rng_below(&rng, 5);
    options.work.seed = esse_rng_next(&rng);
    options.work.abort_share = esse_rng_below(&rng, 2) * 0.2;
    options.crash_share = esse_rng_below(&rng, 2) * 0.2;
    options.has_times = esse_rng_below(&rng, 4) > 0;
    options.has_certificate = !lists && esse_rng_below(&rng, 2);
    d.one_in = esse_rng_below(&rng, 2) ? 6 : UINT32_MAX;
    d.sink.txn = damage_txn;
    /* The builder's functions expect the builder itself: what else is sent goes through here. */
    d.sink.version_order = damage_version_order;
    d.sink.order = pass_order;
    struct esse_sink *sink = options.has_certificate && seed % 3 ? d.to : &d.sink;
    options.has_header = false;
    if (!esse_gen_run(&options, sink, NULL, &err) || !esse_builder_freeze(builder, &history, &err))
        fail_msg("%s", err.text);
    return history;
}

#endif
