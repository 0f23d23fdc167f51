#include "evidence/recheck_cycle.h"

#include "evidence/recheck_edge.h"

#define BIT(dep) (1u << ESSE_DEP_##dep)

/* ---- shapes ---- */

struct shape {
    uint32_t anti, reads, predicate, process, realtime; /* edges of each kind */
    uint32_t adjacent, unread; /* rw after an rw; rw after neither a read nor session order */
};

static struct shape shape_of(const struct esse_edge *edges, uint32_t count)
{
    struct shape shape = { 0 };
    for (uint32_t i = 0; i < count; i++) {
        const unsigned dep = 1u << edges[i].dep, before = 1u << edges[(i + count - 1) % count].dep;
        const bool is_anti = edge_is_anti(&edges[i]);
        shape.anti += is_anti;
        shape.reads += (dep & (BIT(WR) | BIT(WRP))) != 0;
        shape.predicate += edges[i].dep == ESSE_DEP_RWP;
        shape.process += edges[i].dep == ESSE_DEP_PROCESS;
        shape.realtime += edges[i].dep == ESSE_DEP_REALTIME;
        shape.adjacent += is_anti && count > 1 && (before & (BIT(RW) | BIT(RWP)));
        shape.unread += is_anti && !(before & (BIT(WR) | BIT(WRP) | BIT(PROCESS)));
    }
    return shape;
}

/* The types of cycles, by their rw; of each the plain one, with sessions, and with time. */
static const enum esse_anomaly_id types[] = {
#define EACH(name)                                                                                 \
    ESSE_ANOMALY_##name, ESSE_ANOMALY_##name##_PROCESS, ESSE_ANOMALY_##name##_REALTIME
    EACH(G0),
    EACH(G1C),
    EACH(G_SINGLE_ITEM),
    EACH(G_SINGLE),
    EACH(G_NONADJACENT_ITEM),
    EACH(G_NONADJACENT),
    EACH(G2_ITEM),
    EACH(G2),
#undef EACH
};

enum esse_anomaly_id esse_cycle_type(const struct esse_edge *edges, uint32_t count)
{
    const struct shape shape = shape_of(edges, count);
    const unsigned base = shape.anti == 1  ? 2
                          : shape.adjacent ? 6
                          : shape.anti     ? 4
                                           : shape.reads > 0;
    return types[3 * (base + (shape.predicate > 0)) + (shape.realtime ? 2 : shape.process > 0)];
}

/* Is it one that the level forbids, as far as its kind of cycle goes? */
static bool is_forbidden(const struct esse_level *level, struct shape shape, uint32_t count)
{
    switch (level->cycle) {
    case ESSE_CYCLE_RW_AND_ONE_READ:
    case ESSE_CYCLE_RW_AND_READS:
        return !shape.anti || (shape.anti == 1 && shape.reads + shape.process + 1 == count &&
                               (count == 2 || level->cycle == ESSE_CYCLE_RW_AND_READS));
    case ESSE_CYCLE_ONE_RW:
        return shape.anti <= 1;
    case ESSE_CYCLE_RW_AFTER_READ:
        return !shape.unread;
    case ESSE_CYCLE_NO_TWO_RW:
        return !shape.adjacent;
    case ESSE_CYCLE_ITEM_RW:
        return !shape.predicate;
    default:
        return level->cycle == ESSE_CYCLE_ANY;
    }
}

/* What it may be made of beside sessions and time, by what shows it. */
enum {
    DEPENDENCIES = BIT(WW) | BIT(WR) | BIT(RW) | BIT(WRP) | BIT(RWP),
    FORCED = BIT(WW) | BIT(WR) | BIT(CO),
};

static const struct {
    enum esse_anomaly_id type;
    unsigned first, against;
} points[] = {
    { ESSE_ANOMALY_GSIA, BIT(WW) | BIT(WR) | BIT(WRP), BIT(OVERLAP) },
    { ESSE_ANOMALY_GSIB, BIT(RW) | BIT(RWP), BIT(START) },
    { ESSE_ANOMALY_SNAPSHOT_MISMATCH_PROCESS, BIT(PROCESS), BIT(OVERLAP) },
    { ESSE_ANOMALY_SNAPSHOT_MISMATCH_REALTIME, BIT(REALTIME), BIT(OVERLAP) },
};

/* ---- cycles ---- */

/* A forced edge to the initial version, which nothing comes before, is one by itself. */
static bool closes(const struct claim *claim, const struct esse_edge *edges, uint32_t count,
                   unsigned deps)
{
    bool ok = count > 1 || (count == 1 && edges[0].to.ix == ESSE_NO_TXN);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = (deps >> edges[i].dep & 1) &&
             (count == 1 || edge_meets(claim, &edges[i], &edges[(i + 1) % count])) &&
             edge_follows(claim, &edges[i]);
    return ok;
}

bool cycle_is_refuted(const struct claim *claim, const struct esse_edge *edges, uint32_t count)
{
    const struct esse_level *level = claim->level;
    bool ok = is_forbidden(level, shape_of(edges, count), count);
    for (uint32_t i = 0; i < count; i++)
        ok &= !edges[i].basis; /* nothing is assumed */
    return ok && closes(claim, edges, count,
                        DEPENDENCIES | (level->needs_session_order ? BIT(PROCESS) : 0) |
                            (level->needs_real_time ? BIT(REALTIME) : 0));
}

static bool is_against_points(const struct claim *claim)
{
    const struct esse_anomaly *anomaly = claim->anomaly;
    const struct esse_edge *edges = anomaly->edges;
    for (size_t i = 0; anomaly->edge_count == 2 && i < sizeof points / sizeof *points; i++)
        if (points[i].type == anomaly->type && (points[i].first >> edges[0].dep & 1) &&
            (points[i].against >> edges[1].dep & 1))
            return closes(claim, edges, 2, points[i].first | points[i].against);
    return false;
}

bool cycle_is_anomaly(const struct claim *claim)
{
    const struct esse_anomaly *anomaly = claim->anomaly;
    const struct esse_edge *edges = anomaly->edges;
    const uint32_t count = anomaly->edge_count;
    if (claim->is_forced)
        return closes(claim, edges, count,
                      FORCED | (claim->level->needs_session_order ? BIT(PROCESS) : 0));
    if (esse_anomaly_shown_by(anomaly->type) != ESSE_SHOWN_BY_CYCLE)
        return is_against_points(claim);
    return esse_cycle_type(edges, count) == anomaly->type &&
           closes(claim, edges, count, DEPENDENCIES | BIT(PROCESS) | BIT(REALTIME));
}
