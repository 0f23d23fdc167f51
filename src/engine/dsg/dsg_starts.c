#include "engine/dsg/dsg_starts.h"

#include "engine/dsg/dsg_explain.h"
#include "engine/dsg/dsg_predicates.h"
#include "history/show.h"

bool dsg_points_find(struct esse_start_points *points, const struct versions *versions)
{
    if (!esse_start_points_find(points, versions->arena, versions->history))
        return false;
    for (uint32_t txn = 0; txn < versions->history->txns; txn++)
        if (versions->in[txn] && points->start[txn] == ESSE_NO_POINT)
            return false;
    return true;
}

struct esse_order dsg_points_order(struct esse_arena *arena, const struct versions *versions,
                                   const struct esse_start_points *points)
{
    uint32_t *events =
        esse_arena_grow(arena, NULL, (points->order.count + (size_t)1) * sizeof *events);
    struct esse_order order = { .events = events, .has_starts = true };
    for (uint32_t i = 0; i < points->order.count; i++)
        if (versions->in[points->order.events[i] >> 1])
            events[order.count++] = points->order.events[i];
    return order;
}

struct starting {
    struct known *known;
    const struct versions *versions;
    const struct esse_start_points *points;
};

/* ---- telling ---- */

static int64_t time_of(const struct starting *s, uint32_t txn, bool commit)
{
    const struct esse_interval times = s->known->history->txn_server_time[txn];
    const int64_t time = commit ? times.end : times.begin;
    return time != ESSE_NO_TIME ? time : commit ? times.begin : times.end;
}

/* "t3 committed at 17, before t9 began at 20", or the reverse. */
static struct esse_edge edge_against(const struct starting *s, const struct esse_edge *edge,
                                     bool is_anti)
{
    const struct esse_history *history = s->known->history;
    const esse_txn early = is_anti ? edge->to : edge->from;
    const esse_txn late = is_anti ? edge->from : edge->to;
    const int64_t commit = time_of(s, early.ix, true), start = time_of(s, late.ix, false);
    struct esse_edge told = { .from = edge->to,
                              .to = edge->from,
                              .dep = is_anti ? ESSE_DEP_START : ESSE_DEP_OVERLAP,
                              .from_op = { ESSE_NO_OP },
                              .to_op = { ESSE_NO_OP },
                              .witness = { ESSE_NO_OP } };
    const char *committed = esse_show_txn_text(s->known->arena, history, early);
    const char *began = esse_show_txn_text(s->known->arena, history, late);
    told.why =
        is_anti
            ? esse_arena_format(s->known->arena, "%s committed at %lld, %s %s began at %lld",
                                committed, (long long)commit,
                                commit < start ? "before" : "not after", began, (long long)start)
            : esse_arena_format(s->known->arena, "%s began at %lld, before %s committed at %lld",
                                began, (long long)start, committed, (long long)commit);
    return told;
}

static const char *describe(const struct starting *s, const struct esse_edge *edge, unsigned dep)
{
    static const char *const words[ESSE_DEP_END] = {
        [ESSE_DEP_WW] = "%s overwrote what %s wrote, which had not committed when it began",
        [ESSE_DEP_WR] = "%s read from %s, which had not committed when it began",
        [ESSE_DEP_WRP] =
            "%s saw by a predicate what %s wrote, which had not committed when it began",
        [ESSE_DEP_RW] = "%s missed what %s wrote, which had committed when it began",
        [ESSE_DEP_RWP] =
            "%s missed by a predicate what %s wrote, which had committed when it began",
        [ESSE_DEP_PROCESS] = "%s began when %s had not committed, which precedes it in its session",
        [ESSE_DEP_REALTIME] = "%s began when %s had not committed, which had ended when it started",
    };
    const bool is_anti = dsg_is_anti(dep);
    struct esse_arena *arena = s->known->arena;
    const char *first =
        esse_show_txn_text(arena, s->known->history, is_anti ? edge->from : edge->to);
    const char *second =
        esse_show_txn_text(arena, s->known->history, is_anti ? edge->to : edge->from);
    return esse_arena_format(arena, words[dep], first, second); /* NOLINT */
}

static void tell(struct starting *s, uint32_t from, uint32_t to, struct dsg_edge edge)
{
    static const enum esse_anomaly_id types[ESSE_DEP_END] = {
        [ESSE_DEP_WW] = ESSE_ANOMALY_GSIA,
        [ESSE_DEP_WR] = ESSE_ANOMALY_GSIA,
        [ESSE_DEP_WRP] = ESSE_ANOMALY_GSIA,
        [ESSE_DEP_RW] = ESSE_ANOMALY_GSIB,
        [ESSE_DEP_RWP] = ESSE_ANOMALY_GSIB,
        [ESSE_DEP_PROCESS] = ESSE_ANOMALY_SNAPSHOT_MISMATCH_PROCESS,
        [ESSE_DEP_REALTIME] = ESSE_ANOMALY_SNAPSHOT_MISMATCH_REALTIME,
    };
    const uint32_t members[] = { from, to };
    const struct dsg_component pair = { .versions = s->versions, .members = members, .count = 2 };
    if (!known_count(s->known, types[edge.dep]))
        return;
    struct esse_edge *edges = esse_arena_alloc(s->known->arena, 2, sizeof *edges);
    edge.from = 0;
    edge.to = 1;
    edges[0] = dsg_explain_edge(s->known, &pair, &edge);
    edges[1] = edge_against(s, &edges[0], dsg_is_anti(edge.dep));
    const struct esse_anomaly anomaly = { .type = types[edge.dep],
                                          .description = describe(s, &edges[0], edge.dep),
                                          .edges = edges,
                                          .edge_count = 2 };
    found_vec_push(&s->known->found, s->known->arena, anomaly);
}

/* ---- dependencies ---- */

/* A dependency asks for a start dependency; an anti-dependency for none against it. */
static void hold(struct starting *s, uint32_t from, uint32_t to, struct dsg_edge edge)
{
    if (from == ESSE_NO_TXN || to == ESSE_NO_TXN || from == to)
        return;
    if (dsg_is_anti(edge.dep) ? esse_starts_after(s->points, to, from)
                              : !esse_starts_after(s->points, from, to))
        tell(s, from, to, edge);
}

static struct dsg_edge item(enum esse_dep dep, uint32_t key, uint32_t from_at, uint32_t to_at)
{
    return (struct dsg_edge){
        .key = key, .from_at = from_at, .to_at = to_at, .predicate = ESSE_NO_OP, .dep = (uint8_t)dep
    };
}

/* Of the loose versions that follow a read version the two that were committed first: if those are
 * not missed, none is, and one of them may be the reader's own. */
static void find_earliest(const struct starting *s, uint32_t key, uint32_t earliest[2])
{
    const struct versions *versions = s->versions;
    earliest[0] = earliest[1] = NO_VERSION;
    for (uint32_t v = versions->loose[key]; v < versions->first[key + 1]; v++) {
        uint32_t version = v;
        for (int i = 0; i < 2; i++) {
            const uint32_t other = earliest[i];
            if (other != NO_VERSION && s->points->commit[version_txn(versions, other)] <=
                                           s->points->commit[version_txn(versions, version)])
                continue;
            earliest[i] = version;
            if (other == NO_VERSION)
                break;
            version = other;
        }
    }
}

static void hold_to(struct starting *s, uint32_t key, uint32_t at, enum esse_dep dep, uint32_t next)
{
    hold(s, versions_touch(s->versions, at)->txn, version_txn(s->versions, next),
         item(dep, key, at, s->versions->write[next]));
}

/* From the access to whoever installed what comes after its version. */
static void hold_next(struct starting *s, uint32_t key, uint32_t at, enum esse_dep dep,
                      const uint32_t earliest[2])
{
    const struct versions *versions = s->versions;
    const uint32_t version = versions->of[at];
    if (is_loose(versions, key, version))
        return;
    if (version + 1 < versions->loose[key])
        hold_to(s, key, at, dep, version + 1);
    if (!precedes_loose(versions, key, version))
        return;
    for (int i = 0; i < 2 && dep == ESSE_DEP_RW; i++)
        if (earliest[i] != NO_VERSION)
            hold_to(s, key, at, dep, earliest[i]);
    for (uint32_t v = versions->loose[key]; dep == ESSE_DEP_WW && v < versions->first[key + 1]; v++)
        hold_to(s, key, at, dep, v);
}

static void hold_key(struct starting *s, uint32_t key)
{
    const struct versions *versions = s->versions;
    const uint32_t *first = &versions->sources->by_key.first[key];
    uint32_t earliest[2];
    find_earliest(s, key, earliest);
    for (uint32_t at = first[0]; at < first[1]; at++) {
        const struct esse_touch *touch = versions_touch(versions, at);
        const uint32_t version = versions->of[at];
        if (version == NO_VERSION || !versions->in[touch->txn])
            continue;
        if (touch->kind != ESSE_OP_READ) {
            hold_next(s, key, at, ESSE_DEP_WW, earliest);
        } else if (version_txn(versions, version) != touch->txn) {
            hold(s, version_txn(versions, version), touch->txn,
                 item(ESSE_DEP_WR, key, versions->write[version], at));
            hold_next(s, key, at, ESSE_DEP_RW, earliest);
        }
    }
}

static void hold_predicates(struct starting *s)
{
    for (size_t i = 0; i < s->versions->predicate_edge_count; i++) {
        const struct dsg_predicate_edge *known = &s->versions->predicate_edges[i];
        const bool reads = known->dep == ESSE_DEP_WRP;
        struct dsg_edge edge =
            item((enum esse_dep)known->dep, known->key, reads ? known->write : ESSE_NO_TOUCH,
                 reads ? ESSE_NO_TOUCH : known->write);
        edge.predicate = known->op;
        hold(s, known->from, known->to, edge);
    }
}

/* ---- session order and real time ---- */

static void hold_sessions(struct starting *s)
{
    for (uint32_t txn = 0; txn < s->versions->history->txns; txn++)
        if (s->versions->in[txn])
            hold(s, txn, dsg_next_in_session(s->versions, txn),
                 item(ESSE_DEP_PROCESS, 0, ESSE_NO_TOUCH, ESSE_NO_TOUCH));
}

/* A committing transaction must not have ended before one started that has its start point already;
 * of those the one that started last decides. */
static void hold_times(struct starting *s)
{
    const struct esse_history *history = s->versions->history;
    const struct esse_order *order = &s->points->order;
    int64_t latest_start = ESSE_NO_TIME;
    uint32_t latest = ESSE_NO_TXN;
    for (uint32_t i = 0; history->txn_time && i < order->count; i++) {
        const uint32_t txn = order->events[i] >> 1;
        const int64_t begin = history->txn_time[txn].begin;
        const int64_t end = esse_txn_committed_by(history, txn);
        if (!s->versions->in[txn])
            continue;
        if (!(order->events[i] & 1) && begin > latest_start) {
            latest_start = begin;
            latest = txn;
        } else if ((order->events[i] & 1) && end != ESSE_NO_TIME && end < latest_start) {
            hold(s, txn, latest, item(ESSE_DEP_REALTIME, 0, ESSE_NO_TOUCH, ESSE_NO_TOUCH));
        }
    }
}

bool dsg_starts_find(struct known *known, const struct versions *versions,
                     const struct esse_start_points *points, unsigned mask)
{
    struct starting s = { .known = known, .versions = versions, .points = points };
    esse_budget_phase(known->budget, "looking at start dependencies", versions->history->keys);
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        if (!esse_budget_poll(known->budget, key))
            return false;
        hold_key(&s, key);
    }
    hold_predicates(&s);
    if (mask & 1u << ESSE_DEP_PROCESS)
        hold_sessions(&s);
    if (mask & 1u << ESSE_DEP_REALTIME)
        hold_times(&s);
    return true;
}
