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
    uint32_t *events = esse_arena_array(arena, points->order.count + (size_t)1, *events);
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
        [ESSE_DEP_WW] = "%t overwrote what %t wrote, which had not committed when it began",
        [ESSE_DEP_WR] = "%t read from %t, which had not committed when it began",
        [ESSE_DEP_WRP] =
            "%t saw by a predicate what %t wrote, which had not committed when it began",
        [ESSE_DEP_RW] = "%t missed what %t wrote, which had committed when it began",
        [ESSE_DEP_RWP] =
            "%t missed by a predicate what %t wrote, which had committed when it began",
        [ESSE_DEP_PROCESS] = "%t began when %t had not committed, which precedes it in its session",
        [ESSE_DEP_REALTIME] = "%t began when %t had not committed, which had ended when it started",
    };
    const bool is_anti = dsg_is_anti(dep);
    return esse_show_sentence(s->known->arena, s->known->history, words[dep],
                              is_anti ? edge->from : edge->to, is_anti ? edge->to : edge->from);
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

static struct dsg_edge item(enum esse_dep dep, uint32_t key, key_access_id from_at,
                            key_access_id to_at)
{
    return (struct dsg_edge){
        .key = key, .from_at = from_at, .to_at = to_at, .predicate = ESSE_NO_OP, .dep = (uint8_t)dep
    };
}

/* Of the unordered versions that follow a read version the two that were committed first: if those
 * are not missed, none is, and one of them may be the reader's own. */
static void find_earliest(const struct starting *s, uint32_t key, version_id earliest[2])
{
    const struct versions *versions = s->versions;
    earliest[0].ix = earliest[1].ix = NO_VERSION;
    for (version_id v = versions->unordered[key]; v.ix < versions->first[key + 1].ix; v.ix++) {
        version_id version = v;
        for (int i = 0; i < 2; i++) {
            const version_id other = earliest[i];
            if (other.ix != NO_VERSION && s->points->commit[version_txn(versions, other)] <=
                                              s->points->commit[version_txn(versions, version)])
                continue;
            earliest[i] = version;
            if (other.ix == NO_VERSION)
                break;
            version = other;
        }
    }
}

static void hold_to(struct starting *s, uint32_t key, key_access_id at, enum esse_dep dep,
                    version_id next)
{
    hold(s, versions_key_access(s->versions, at)->txn, version_txn(s->versions, next),
         item(dep, key, at, s->versions->write[next.ix]));
}

/* From the access to whoever installed what comes after its version. */
static void hold_next(struct starting *s, uint32_t key, key_access_id at, enum esse_dep dep,
                      const version_id earliest[2])
{
    const struct versions *versions = s->versions;
    const version_id version = versions->of[at.ix];
    if (is_unordered(versions, key, version))
        return;
    if (version.ix + 1 < versions->unordered[key].ix)
        hold_to(s, key, at, dep, (version_id){ version.ix + 1 });
    if (!precedes_unordered(versions, key, version))
        return;
    for (int i = 0; i < 2 && dep == ESSE_DEP_RW; i++)
        if (earliest[i].ix != NO_VERSION)
            hold_to(s, key, at, dep, earliest[i]);
    for (version_id v = versions->unordered[key];
         dep == ESSE_DEP_WW && v.ix < versions->first[key + 1].ix; v.ix++)
        hold_to(s, key, at, dep, v);
}

static void hold_key(struct starting *s, uint32_t key)
{
    const struct versions *versions = s->versions;
    const uint32_t *first = &versions->sources->by_key.first[key];
    version_id earliest[2];
    find_earliest(s, key, earliest);
    for (key_access_id at = { first[0] }; at.ix < first[1]; at.ix++) {
        const struct esse_key_access *key_access = versions_key_access(versions, at);
        const version_id version = versions->of[at.ix];
        if (version.ix == NO_VERSION || !versions->in[key_access->txn])
            continue;
        if (key_access->kind != ESSE_OP_READ) {
            hold_next(s, key, at, ESSE_DEP_WW, earliest);
        } else if (version_txn(versions, version) != key_access->txn) {
            hold(s, version_txn(versions, version), key_access->txn,
                 item(ESSE_DEP_WR, key, versions->write[version.ix], at));
            hold_next(s, key, at, ESSE_DEP_RW, earliest);
        }
    }
}

static void hold_predicates(struct starting *s)
{
    for (size_t i = 0; i < s->versions->predicate_edge_count; i++) {
        const struct dsg_predicate_edge *known = &s->versions->predicate_edges[i];
        const bool reads = known->dep == ESSE_DEP_WRP;
        struct dsg_edge edge = item((enum esse_dep)known->dep, known->key,
                                    reads ? known->write : (key_access_id){ ESSE_NO_KEY_ACCESS },
                                    reads ? (key_access_id){ ESSE_NO_KEY_ACCESS } : known->write);
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
                 item(ESSE_DEP_PROCESS, 0, (key_access_id){ ESSE_NO_KEY_ACCESS },
                      (key_access_id){ ESSE_NO_KEY_ACCESS }));
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
            hold(s, txn, latest,
                 item(ESSE_DEP_REALTIME, 0, (key_access_id){ ESSE_NO_KEY_ACCESS },
                      (key_access_id){ ESSE_NO_KEY_ACCESS }));
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
