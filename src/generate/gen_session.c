#include "generate/gen_state.h"

#include <assert.h>
#include <stdio.h>

static enum esse_gen_step plan_write(struct esse_gen *gen)
{
    if (gen->options->workload != ESSE_GEN_PREDICATE)
        return ESSE_GEN_WRITE;
    if (esse_gen_happens(gen, gen->predicate))
        return ESSE_GEN_CHANGE;
    return esse_gen_happens(gen, gen->remove) ? ESSE_GEN_DELETE : ESSE_GEN_WRITE;
}

static enum esse_gen_step plan_read(struct esse_gen *gen)
{
    bool is_match =
        gen->options->workload == ESSE_GEN_PREDICATE && esse_gen_happens(gen, gen->predicate);
    return is_match ? ESSE_GEN_MATCH : ESSE_GEN_READ;
}

static void plan_step(struct esse_gen_session *session, enum esse_gen_step step, unsigned region)
{
    session->plan[session->planned++] = (struct esse_gen_plan){ (uint8_t)step, (uint8_t)region };
}

static void plan_drawn(struct esse_gen *gen, struct esse_gen_session *session)
{
    const struct esse_gen_options *options = gen->options;
    uint32_t spread = (uint32_t)options->ops_spread, ops = (uint32_t)options->ops;
    if (spread)
        ops += esse_rng_below(&gen->rng, 2 * spread + 1) - spread;
    const bool only_reads = options->is_pure && esse_gen_happens(gen, gen->read);
    while (session->planned < ops) {
        if (options->is_pure ? only_reads : esse_gen_happens(gen, gen->read)) {
            plan_step(session, plan_read(gen), 0);
        } else if (!esse_gen_happens(gen, gen->rmw)) {
            plan_step(session, plan_write(gen), 0);
        } else if (session->planned + 1 == ops) {
            plan_step(session, ESSE_GEN_READ, 0);
        } else {
            plan_step(session, ESSE_GEN_READ_FIRST, 0);
            plan_step(session, ESSE_GEN_WRITE_AFTER, 0);
        }
    }
}

static void plan_part(struct esse_gen *gen, struct esse_gen_session *session,
                      const struct esse_mix_part *part)
{
    for (uint32_t rows = esse_mix_rows(part, &gen->rng); rows > 0; rows--)
        switch (part->access) {
        case ESSE_MIX_LOOK:
            plan_step(session, ESSE_GEN_READ, part->table);
            break;
        case ESSE_MIX_MODIFY:
            plan_step(session, ESSE_GEN_READ_FIRST, part->table);
            plan_step(session, ESSE_GEN_WRITE_AFTER, part->table);
            break;
        case ESSE_MIX_ADD:
            plan_step(session, ESSE_GEN_INSERT, part->table);
        }
}

static void plan_shape(struct esse_gen *gen, struct esse_gen_session *session)
{
    const struct esse_mix *mix = gen->options->mix;
    const unsigned shape = esse_mix_draw(mix, &gen->rng);
    for (unsigned i = 0; i < ESSE_MIX_PARTS; i++)
        plan_part(gen, session, &mix->shapes[shape].parts[i]);
}

static void plan_steps(struct esse_gen *gen, struct esse_gen_session *session)
{
    session->next = 0;
    if (session->is_again)
        return;
    session->planned = 0;
    if (gen->options->mix)
        plan_shape(gen, session);
    else
        plan_drawn(gen, session);
}

static bool is_going_to_write(const struct esse_gen_session *session)
{
    for (uint32_t i = 0; i < session->planned; i++)
        if (session->plan[i].step != ESSE_GEN_READ && session->plan[i].step != ESSE_GEN_MATCH)
            return true;
    return false;
}

/*
 * A crashed transaction is believed to have happened exactly if a read saw what it wrote
 * (semantics.md, section 1).  Two cases would break that rule and are kept out.  At read
 * uncommitted a write may be seen and then taken back, so there a commit always gets through.  And
 * a write that only makes a row leave a predicate's range is noticed without being seen, so with
 * predicates it never does.
 */
static enum esse_gen_fate plan_fate(struct esse_gen *gen, struct esse_gen_session *session,
                                    bool writes)
{
    if (esse_gen_happens(gen, gen->abort))
        return ESSE_GEN_GIVES_UP;
    if (!esse_gen_happens(gen, gen->crash))
        return ESSE_GEN_COMMITS;
    session->crash_at = esse_rng_below(&gen->rng, session->planned + 1);
    bool is_early = esse_rng_below(&gen->rng, 2) == 0;
    if (gen->options->workload == ESSE_GEN_PREDICATE && writes)
        is_early = true;
    else if (gen->traits.has_dirty)
        is_early = false;
    return is_early ? ESSE_GEN_CRASHES_EARLY : ESSE_GEN_CRASHES;
}

void esse_gen_session_begin(struct esse_gen *gen, uint32_t at)
{
    struct esse_gen_session *session = &gen->sessions[at];
    plan_steps(gen, session);
    const bool writes = is_going_to_write(session);
    session->fate = plan_fate(gen, session, writes);
    uint64_t lag = 0;
    if (gen->traits.has_past && !writes && esse_gen_happens(gen, gen->stale))
        lag = 1 + esse_rng_below(&gen->rng, (uint32_t)gen->max_lag);
    if (esse_gen_has_xids(gen))
        lag = 0; /* PostgreSQL has no snapshots of the past */
    esse_store_begin(gen->store, at, gen->clock, lag);
    session->xid = ESSE_NO_TIME;
    session->snapshot = gen->traits.has_snapshot
                            ? esse_gen_snapshot(gen, esse_store_snapshot(gen->store, at))
                            : ESSE_NONE;
    if (writes && esse_gen_has_xids(gen))
        session->xid = gen->next_xid++;
    session->is_open = true;
    session->has_slot = false;
    session->order = gen->begun++;
    session->start = session->op_begin = gen->clock;
    session->ops.count = 0;
    session->items.count = 0;
    session->rows.count = 0;
}

/* From a log: the next place, or an old one, the newer the likelier. */
static uint32_t draw_from_log(struct esse_gen *gen, struct esse_gen_region *log, bool inserts)
{
    if (inserts)
        return log->newest = (log->newest + 1) % log->size;
    uint32_t age = esse_rng_below(&gen->rng, 1 + esse_rng_below(&gen->rng, log->size));
    return (log->newest + log->size - age) % log->size;
}

static uint32_t pick_slot(struct esse_gen *gen, struct esse_gen_session *session)
{
    if (session->has_slot)
        return session->slot;
    const struct esse_gen_plan *plan = &session->plan[session->next];
    struct esse_gen_region *region = &gen->regions[plan->region];
    session->has_slot = true;
    session->slot = region->first;
    if (region->is_log)
        session->slot += draw_from_log(gen, region, plan->step == ESSE_GEN_INSERT);
    else if (region->zipf)
        session->slot += esse_zipf_draw(region->zipf, &gen->rng);
    else
        session->slot += esse_rng_below(&gen->rng, region->size);
    return session->slot;
}

/* A read says which snapshot it has, unless the transaction's start_ts does. */
static esse_value snapshot_of(struct esse_gen *gen, const struct esse_gen_session *session,
                              enum esse_op_kind kind)
{
    if (kind != ESSE_OP_READ && !esse_op_is_predicate(kind))
        return ESSE_NONE;
    if (!gen->traits.has_snapshot)
        return esse_gen_snapshot(gen, gen->clock);
    return gen->options->certifies == ESSE_CERTIFICATE_TIMESTAMPS ? ESSE_NONE : session->snapshot;
}

static struct esse_op_record *add_op(struct esse_gen *gen, struct esse_gen_session *session,
                                     enum esse_op_kind kind)
{
    struct esse_op_record *op = esse_gen_op_vec_extend(&session->ops, gen->arena, 1);
    *op = (struct esse_op_record){ .kind = kind,
                                   .begin = ESSE_NO_TIME,
                                   .end = ESSE_NO_TIME,
                                   .snapshot = snapshot_of(gen, session, kind) };
    if (gen->options->has_op_times) {
        op->begin = (int64_t)session->op_begin;
        op->end = (int64_t)gen->clock;
    }
    return op;
}

static esse_value key_value(const struct esse_gen *gen, uint32_t slot)
{
    return esse_value_small((int64_t)esse_store_key(gen->store, slot));
}

static esse_value value_of(int64_t number)
{
    return number == ESSE_STORE_ABSENT ? ESSE_NIL : esse_value_small(number);
}

static enum esse_store_answer do_read(struct esse_gen *gen, uint32_t at)
{
    struct esse_gen_session *session = &gen->sessions[at];
    uint32_t slot = pick_slot(gen, session);
    struct esse_op_record *op = add_op(gen, session, ESSE_OP_READ);
    op->key = key_value(gen, slot);
    if (gen->options->workload != ESSE_GEN_LIST_APPEND) {
        op->value = value_of(esse_store_read(gen->store, at, slot));
        return ESSE_STORE_DONE;
    }
    const int64_t *list = esse_store_read_list(gen->store, at, slot, &op->count);
    op->is_list = true;
    op->first = session->items.count;
    esse_value *items = esse_gen_item_vec_extend(&session->items, gen->arena, op->count);
    for (size_t i = 0; i < op->count; i++)
        items[i] = esse_value_small(list[i]);
    return ESSE_STORE_DONE;
}

/* Whether the key has used up its share of numbers: the next value would be in another group. */
static bool is_worn(const struct esse_gen *gen, uint32_t slot)
{
    return gen->scale && esse_store_issued(gen->store, slot) + 1 >= (uint64_t)gen->scale;
}

static int64_t fresh_value(struct esse_gen *gen, uint32_t slot)
{
    int64_t number = (int64_t)esse_store_fresh(gen->store, slot);
    if (gen->options->workload == ESSE_GEN_PREDICATE)
        number += gen->scale * esse_rng_below(&gen->rng, gen->groups);
    return number;
}

static enum esse_store_answer do_write(struct esse_gen *gen, uint32_t at, bool removes)
{
    struct esse_gen_session *session = &gen->sessions[at];
    uint32_t slot = pick_slot(gen, session);
    if (is_worn(gen, slot))
        return do_read(gen, at);
    enum esse_store_answer answer = esse_store_lock(gen->store, at, slot);
    if (answer != ESSE_STORE_DONE)
        return answer;
    if (removes && esse_store_read(gen->store, at, slot) != ESSE_STORE_ABSENT) {
        esse_store_write(gen->store, at, slot, ESSE_STORE_ABSENT);
        add_op(gen, session, ESSE_OP_DELETE)->key = key_value(gen, slot);
        return ESSE_STORE_DONE;
    }
    bool is_append = gen->options->workload == ESSE_GEN_LIST_APPEND;
    struct esse_op_record *op = add_op(gen, session, is_append ? ESSE_OP_APPEND : ESSE_OP_WRITE);
    int64_t value = fresh_value(gen, slot);
    esse_store_write(gen->store, at, slot, value);
    op->key = key_value(gen, slot);
    op->value = esse_value_small(value);
    return ESSE_STORE_DONE;
}

/* The lock comes first: no other session may be writing to the key that has to go. */
static enum esse_store_answer do_insert(struct esse_gen *gen, uint32_t at)
{
    uint32_t slot = pick_slot(gen, &gen->sessions[at]);
    enum esse_store_answer answer = esse_store_lock(gen->store, at, slot);
    if (answer != ESSE_STORE_DONE)
        return answer;
    esse_store_renew(gen->store, at, slot);
    return do_write(gen, at, false);
}

/* The predicate that asks for the groups from 'group' on. */
static esse_value predicate_text(struct esse_gen *gen, uint32_t group, int64_t low, int64_t high)
{
    if (esse_value_eq(gen->texts[group], ESSE_NONE)) {
        char text[80];
        int length =
            snprintf(text, sizeof text, "v >= %lld AND v <= %lld", (long long)low, (long long)high);
        gen->texts[group] = esse_value_string(gen->sink->values, text, (size_t)length);
    }
    return gen->texts[group];
}

static void add_vset(struct esse_gen *gen, uint32_t at, struct esse_op_record *op)
{
    struct esse_gen_row_vec *rows = &gen->sessions[at].rows;
    const struct esse_store_row *row = esse_store_rows(gen->store, at, &op->vset_count);
    op->has_vset = true;
    op->vset_first = rows->count;
    struct esse_row *to = esse_gen_row_vec_extend(rows, gen->arena, op->vset_count);
    for (size_t i = 0; i < op->vset_count; i++)
        to[i] = (struct esse_row){ .key = esse_value_small((int64_t)row[i].key),
                                   .value = esse_value_small(row[i].value) };
}

/* Locks all the rows; a predicate update that cannot have them all starts again from reading. */
static enum esse_store_answer lock_rows(struct esse_gen *gen, uint32_t at,
                                        const struct esse_store_row *rows, size_t count)
{
    enum esse_store_answer answer = ESSE_STORE_DONE;
    for (size_t i = 0; answer == ESSE_STORE_DONE && i < count; i++)
        answer = esse_store_lock(gen->store, at, rows[i].slot);
    return answer;
}

static bool any_worn(const struct esse_gen *gen, const struct esse_store_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_worn(gen, rows[i].slot))
            return true;
    return false;
}

static enum esse_store_answer do_match(struct esse_gen *gen, uint32_t at, bool changes)
{
    struct esse_gen_session *session = &gen->sessions[at];
    if (!session->has_slot) {
        session->has_slot = true;
        session->slot = esse_rng_below(&gen->rng, gen->groups - gen->width + 1);
    }
    int64_t low = session->slot * gen->scale, high = low + gen->width * gen->scale - 1;
    struct esse_op_record vset = { 0 };
    const size_t rows_before = session->rows.count;
    if (gen->options->has_vsets)
        add_vset(gen, at, &vset);

    size_t count;
    const struct esse_store_row *rows = esse_store_match(gen->store, at, low, high, &count);
    changes = changes && !any_worn(gen, rows, count);
    if (changes) {
        enum esse_store_answer answer = lock_rows(gen, at, rows, count);
        if (answer != ESSE_STORE_DONE) {
            session->rows.count = rows_before;
            return answer;
        }
    }
    struct esse_op_record *op =
        add_op(gen, session, changes ? ESSE_OP_PREDICATE_UPDATE : ESSE_OP_PREDICATE_READ);
    op->has_vset = vset.has_vset;
    op->vset_first = vset.vset_first;
    op->vset_count = vset.vset_count;
    op->key = predicate_text(gen, session->slot, low, high);
    op->first = session->rows.count;
    op->count = count;
    struct esse_row *to = esse_gen_row_vec_extend(&session->rows, gen->arena, count);
    for (size_t i = 0; i < count; i++) {
        to[i] = (struct esse_row){ .key = esse_value_small((int64_t)rows[i].key),
                                   .value = esse_value_small(rows[i].value) };
        if (changes) {
            int64_t next = fresh_value(gen, rows[i].slot);
            esse_store_write(gen->store, at, rows[i].slot, next);
            to[i].next = esse_value_small(next);
        }
    }
    return ESSE_STORE_DONE;
}

static enum esse_store_answer do_step(struct esse_gen *gen, uint32_t at, enum esse_gen_step step)
{
    switch (step) {
    case ESSE_GEN_READ:
    case ESSE_GEN_READ_FIRST:
        return do_read(gen, at);
    case ESSE_GEN_WRITE:
    case ESSE_GEN_WRITE_AFTER:
        return do_write(gen, at, false);
    case ESSE_GEN_INSERT:
        return do_insert(gen, at);
    case ESSE_GEN_DELETE:
        return do_write(gen, at, true);
    case ESSE_GEN_MATCH:
        return do_match(gen, at, false);
    case ESSE_GEN_CHANGE:
        break;
    }
    return do_match(gen, at, true);
}

enum esse_store_answer esse_gen_session_step(struct esse_gen *gen, uint32_t at)
{
    struct esse_gen_session *session = &gen->sessions[at];
    assert(session->next < session->planned);
    const enum esse_gen_step step = session->plan[session->next].step;
    enum esse_store_answer answer = do_step(gen, at, step);
    if (answer == ESSE_STORE_DONE) {
        session->next++;
        session->op_begin = gen->clock;
        session->has_slot = step == ESSE_GEN_READ_FIRST;
    }
    return answer;
}
