#include "engine/saturate/saturate_order.h"

#include "base/checked.h"

void saturate_each_known(const struct saturate_units *units,
                         void (*visit)(void *context, uint32_t key, uint32_t at, uint32_t next),
                         void *context)
{
    const struct versions *versions = units->versions;
    if (!(units->history->has & (ESSE_HAS_APPENDS | ESSE_HAS_VERSION_ORDER)))
        return;
    for (uint32_t key = 0; key < units->history->keys; key++) {
        version_id first = { versions->first[key].ix + 1 }, unordered = versions->unordered[key];
        for (version_id v = first; v.ix + 1 < unordered.ix; v.ix++)
            visit(context, key, versions->write[v.ix].ix, versions->write[v.ix + 1].ix);
        if (unordered.ix == first.ix || versions->gaps[key])
            continue;
        for (version_id v = unordered; v.ix < versions->first[key + 1].ix; v.ix++)
            visit(context, key, versions->write[unordered.ix - 1].ix, versions->write[v.ix].ix);
    }
}

/* ---- is the order of the history one? ---- */

struct testing {
    const struct saturate_units *units;
    bool ascending;
};

static void test_known(void *context, uint32_t key, uint32_t at, uint32_t next)
{
    struct testing *test = context;
    (void)key;
    test->ascending &= saturate_unit_of(test->units, (key_access_id){ at }) <=
                       saturate_unit_of(test->units, (key_access_id){ next });
}

static bool is_recorded_in_order(const struct saturate_units *units,
                                 const struct saturate_forced_vec *forced)
{
    struct testing test = { units, true };
    for (size_t i = 0; i < forced->count; i++)
        if (forced->at[i].from > forced->at[i].to)
            return false;
    for (uint32_t unit = 0; unit < units->count; unit++)
        for (uint32_t a = saturate_first(units, unit); saturate_has(units, unit, a); a++)
            if (saturate_reads(units->access[a]) && units->access[a].source > unit)
                return false;
    saturate_each_known(units, test_known, &test);
    return test.ascending;
}

/* ---- the graph ---- */

struct drawing {
    struct esse_csr *csr;
    const struct saturate_units *units;
    bool adding;
    bool is_turned; /* rows lead from the later unit to the earlier ones */
};

static void draw(struct drawing *d, uint32_t from, uint32_t to)
{
    const uint32_t row = d->is_turned ? to : from;
    ESSE_HOT_ASSERT(from < d->units->count);
    ESSE_HOT_ASSERT(to < d->units->count);
    if (from == to)
        return;
    if (d->adding)
        esse_csr_add(d->csr, row, d->is_turned ? from : to);
    else
        esse_csr_count(d->csr, row);
}

static void draw_known(void *context, uint32_t key, uint32_t at, uint32_t next)
{
    struct drawing *d = context;
    (void)key;
    draw(d, saturate_unit_of(d->units, (key_access_id){ at }),
         saturate_unit_of(d->units, (key_access_id){ next }));
}

static void draw_units(struct drawing *d, bool sessions)
{
    const struct saturate_units *units = d->units;
    for (uint32_t unit = 0; unit < units->count; unit++) {
        if (sessions && units->before[unit] != NO_UNIT)
            draw(d, units->before[unit], unit);
        for (uint32_t a = saturate_first(units, unit); a < saturate_end(units, unit); a++)
            if (saturate_reads(units->access[a]))
                draw(d, units->access[a].source, unit);
    }
}

/* What the units themselves do not show. */
static void draw_rest(struct drawing *d, const struct saturate_forced_vec *forced)
{
    for (size_t i = 0; i < forced->count; i++)
        draw(d, forced->at[i].from, forced->at[i].to);
    saturate_each_known(d->units, draw_known, d);
}

void saturate_graph_build(struct esse_csr *csr, const struct saturate_units *units, bool sessions,
                          const struct saturate_forced_vec *forced)
{
    struct drawing d = { .csr = csr, .units = units };
    esse_csr_init(csr, units->arena, units->count);
    draw_units(&d, sessions);
    draw_rest(&d, forced);
    esse_csr_start(csr);
    d.adding = true;
    draw_units(&d, sessions);
    draw_rest(&d, forced);
    esse_csr_finish(csr);
}

/* ---- merging ---- */

/*
 * Units stand in one queue, each until one that must come before it is met that has no place yet:
 * then it waits for that one, and is queued again when it gets its place.  A unit waits for the one
 * before it in its session first, so that the sessions advance side by side and few units wait.
 */
struct merging {
    const struct saturate_units *units;
    struct esse_csr rest; /* by unit: what else must come before it */
    uint64_t *placed;     /* by unit, a bit */
    uint32_t *next;       /* by unit: behind it in the queue, or among those that wait too */
    uint32_t *waiting;    /* by unit: the first that waits for it */
    uint32_t *met;        /* by unit: how many of its predecessors were met that have places */
    uint32_t head, tail;  /* of the queue */
};

static bool has_place(const struct merging *m, uint32_t unit)
{
    return m->placed[unit / 64] >> unit % 64 & 1;
}

static void enqueue(struct merging *m, uint32_t unit)
{
    if (!m->units->single)
        __builtin_prefetch(&m->units->access[saturate_first(m->units, unit)]);
    m->next[unit] = NO_UNIT;
    if (m->head == NO_UNIT)
        m->head = unit;
    else
        m->next[m->tail] = unit;
    m->tail = unit;
}

static void await(struct merging *m, uint32_t unit, uint32_t other)
{
    m->next[unit] = m->waiting[other];
    m->waiting[other] = unit;
}

/* One that must come before the unit and has no place, or NO_UNIT. */
static uint32_t missing(struct merging *m, uint32_t unit)
{
    const struct saturate_units *units = m->units;
    const uint32_t *rest = m->rest.to + m->rest.first[unit];
    const uint32_t count = m->rest.first[unit + 1] - m->rest.first[unit];
    for (; m->met[unit] < count; m->met[unit]++)
        if (!has_place(m, rest[m->met[unit]]))
            return rest[m->met[unit]];
    uint32_t a = saturate_first(units, unit) + m->met[unit] - count;
    for (; a < saturate_end(units, unit); a++, m->met[unit]++) {
        const uint32_t source = units->access[a].source;
        if (saturate_reads(units->access[a]) && source != unit && !has_place(m, source))
            return source;
    }
    return NO_UNIT;
}

static void start_merging(struct merging *m, const struct saturate_units *units, bool sessions,
                          const struct saturate_forced_vec *forced)
{
    const size_t count = units->count + (size_t)1;
    struct drawing d = { .csr = &m->rest, .units = units, .is_turned = true };
    *m = (struct merging){ .units = units, .head = NO_UNIT };
    esse_csr_init(&m->rest, units->arena, units->count);
    draw_rest(&d, forced);
    esse_csr_start(&m->rest);
    d.adding = true;
    draw_rest(&d, forced);
    esse_csr_finish(&m->rest);
    m->placed = esse_arena_zeros(units->arena, count / 64 + 1, *m->placed);
    m->next = esse_arena_array(units->arena, count, *m->next);
    m->waiting = esse_arena_none(units->arena, count, *m->waiting);
    m->met = esse_arena_zeros(units->arena, count, *m->met);
    for (uint32_t unit = 0; unit < units->count; unit++)
        if (sessions && units->before[unit] != NO_UNIT)
            await(m, unit, units->before[unit]);
        else
            enqueue(m, unit);
}

static void end_merging(struct merging *m)
{
    esse_csr_drop(&m->rest);
    esse_arena_drop(m->units->arena, m->placed);
    esse_arena_drop(m->units->arena, m->next);
    esse_arena_drop(m->units->arena, m->waiting);
    esse_arena_drop(m->units->arena, m->met);
}

static void place(struct merging *m, uint32_t unit)
{
    m->placed[unit / 64] |= (uint64_t)1 << unit % 64;
    for (uint32_t other = m->waiting[unit], next; other != NO_UNIT; other = next) {
        next = m->next[other];
        enqueue(m, other);
    }
}

/* How many got a place. */
static uint32_t merge(struct merging *m, uint32_t *order, struct esse_budget *budget)
{
    uint32_t count = 0;
    while (m->head != NO_UNIT && esse_budget_poll(budget, count)) {
        const uint32_t unit = m->head, other = missing(m, unit);
        m->head = m->next[unit];
        if (other != NO_UNIT) {
            await(m, unit, other);
            continue;
        }
        order[count++] = unit;
        place(m, unit);
    }
    return count;
}

bool saturate_order_find(struct saturate_order *order, const struct saturate_units *units,
                         bool sessions, const struct saturate_forced_vec *forced,
                         struct esse_budget *budget)
{
    struct merging m;
    *order = (struct saturate_order){ 0 };
    if (is_recorded_in_order(units, forced))
        return true;
    order->unit = esse_arena_array(units->arena, units->count + (size_t)1, uint32_t);
    esse_budget_phase(budget, "ordering transactions", units->count);
    start_merging(&m, units, sessions, forced);
    uint32_t count = merge(&m, order->unit, budget);
    assert(count <= units->count);
    end_merging(&m);
    return count == units->count;
}

void saturate_order_drop(struct saturate_order *order, const struct saturate_units *units)
{
    esse_arena_drop(units->arena, order->unit);
    *order = (struct saturate_order){ 0 };
}
