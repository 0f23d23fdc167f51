#include "engine/saturate/saturate_order.h"

#include "base/checked.h"
#include "graph/topo.h"

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
};

static void draw(struct drawing *d, uint32_t from, uint32_t to)
{
    ESSE_HOT_ASSERT(from < d->units->count);
    ESSE_HOT_ASSERT(to < d->units->count);
    if (from == to)
        return;
    if (d->adding)
        esse_csr_add(d->csr, from, to);
    else
        esse_csr_count(d->csr, from);
}

static void draw_known(void *context, uint32_t key, uint32_t at, uint32_t next)
{
    struct drawing *d = context;
    (void)key;
    draw(d, saturate_unit_of(d->units, (key_access_id){ at }),
         saturate_unit_of(d->units, (key_access_id){ next }));
}

static void draw_all(struct drawing *d, bool sessions, const struct saturate_forced_vec *forced)
{
    const struct saturate_units *units = d->units;
    for (uint32_t unit = 0; unit < units->count; unit++) {
        if (sessions && units->before[unit] != NO_UNIT)
            draw(d, units->before[unit], unit);
        for (uint32_t a = saturate_first(units, unit); a < saturate_end(units, unit); a++)
            if (saturate_reads(units->access[a]))
                draw(d, units->access[a].source, unit);
    }
    for (size_t i = 0; i < forced->count; i++)
        draw(d, forced->at[i].from, forced->at[i].to);
    saturate_each_known(units, draw_known, d);
}

void saturate_graph_build(struct esse_csr *csr, const struct saturate_units *units, bool sessions,
                          const struct saturate_forced_vec *forced)
{
    struct drawing d = { .csr = csr, .units = units };
    esse_csr_init(csr, units->arena, units->count);
    draw_all(&d, sessions, forced);
    esse_csr_start(csr);
    d.adding = true;
    draw_all(&d, sessions, forced);
    esse_csr_finish(csr);
}

bool saturate_order_find(struct saturate_order *order, const struct saturate_units *units,
                         bool sessions, const struct saturate_forced_vec *forced,
                         struct esse_budget *budget)
{
    struct esse_csr csr;
    *order = (struct saturate_order){ 0 };
    if (is_recorded_in_order(units, forced))
        return true;
    order->unit = esse_arena_array(units->arena, units->count + (size_t)1, uint32_t);
    order->rank = esse_arena_array(units->arena, units->count + (size_t)1, uint32_t);
    saturate_graph_build(&csr, units, sessions, forced);
    esse_budget_phase(budget, "ordering transactions", units->count);
    uint32_t count = esse_topo_order(&csr, order->unit, units->arena, budget);
    assert(count <= units->count);
    esse_csr_drop(&csr);
    for (uint32_t place = 0; place < count; place++)
        order->rank[order->unit[place]] = place;
    return count == units->count;
}

void saturate_order_drop(struct saturate_order *order, const struct saturate_units *units)
{
    esse_arena_drop(units->arena, order->unit);
    esse_arena_drop(units->arena, order->rank);
    *order = (struct saturate_order){ 0 };
}
