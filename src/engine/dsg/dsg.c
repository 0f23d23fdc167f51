#include "engine/dsg/dsg_explain.h"
#include "engine/dsg/dsg_infer.h"
#include "engine/dsg/dsg_predicates.h"
#include "engine/dsg/dsg_recorded.h"
#include "engine/dsg/dsg_scc.h"
#include "engine/dsg/dsg_search.h"
#include "engine/dsg/dsg_starts.h"
#include "engine/engine.h"
#include "engine/known/serial.h"
#include "engine/scan/scan.h"
#include "evidence/recheck.h"
#include "evidence/replay.h"

#include <assert.h>
#include <string.h>

struct dsg {
    struct esse_job *job;
    struct known known;
    struct versions versions, guess;
    struct dsg_time time;
    unsigned mask;     /* the dependencies that the levels asked for speak of */
    bool is_by_commit; /* the recording may be in the order of the commits */
    /* What snapshot isolation is held against, where a certificate tells and it was asked for. */
    bool has_points;
    struct esse_start_points points;
};

/* ---- cycles ---- */

/* Of the kept cycles of a type the first that is longer than this one; NULL if none is. */
static struct esse_anomaly *longer_kept(struct known *known, enum esse_anomaly_id type,
                                        uint32_t length)
{
    for (size_t i = 0; i < known->found.count; i++)
        if (known->found.at[i].edge_count > length && known->found.at[i].type == type)
            return &known->found.at[i];
    return NULL;
}

/* The shortest comes first, and a longer one makes room for it. */
static void tell_cycle(struct known *known, const struct dsg_component *component,
                       enum esse_anomaly_id type, const struct dsg_edge *const *cycle,
                       uint32_t length)
{
    assert(length > 1);
    const bool is_kept = known_count(known, type);
    if (!is_kept && !longer_kept(known, type, length))
        return;
    dsg_explain(known, component, type, cycle, length);
    assert(known->found.count > 0);
    struct esse_anomaly *last = &known->found.at[known->found.count - 1];
    struct esse_anomaly *longer = longer_kept(known, type, length);
    if (longer) {
        const struct esse_anomaly shorter = *last;
        *last = *longer;
        *longer = shorter;
    }
    known->found.count -= !is_kept;
}

/* Looks for each type that none of those found in this component implies. */
static void search_component(struct dsg *dsg, const struct dsg_component *component)
{
    const struct dsg_edge **cycle =
        esse_arena_array(component->arena, dsg_search_room(component), *cycle);
    bool found[ESSE_ANOMALY_END] = { false };
    for (const struct dsg_shape *shape = dsg_shapes; shape->type != ESSE_ANOMALY_NONE; shape++) {
        bool implied = false;
        for (int id = 1; id < ESSE_ANOMALY_END; id++)
            implied |= found[id] && esse_anomaly_implies(esse_anomaly_get((enum esse_anomaly_id)id),
                                                         esse_anomaly_get(shape->type));
        if ((shape->needs & ~dsg->mask) || dsg->job->except[shape->type])
            continue;
        uint32_t length = implied ? 0 : dsg_search(component, shape, dsg->job->budget, cycle);
        if (!length)
            continue;
        found[shape->type] = true;
        tell_cycle(&dsg->known, component, shape->type, cycle, length);
    }
}

/* False if edges were left out. */
static bool search_components(struct dsg *dsg, const struct esse_scc *scc, bool whole)
{
    struct esse_arena *arena = esse_arena_new();
    struct dsg_components components;
    dsg_components_find(&components, arena, &dsg->versions, scc, whole);
    for (uint32_t c = 0; c < components.count && !esse_budget_spent(dsg->job->budget); c++) {
        struct dsg_component *component = &components.at[c];
        component->arena = esse_arena_new();
        search_component(dsg, component);
        esse_arena_free(component->arena);
    }
    esse_arena_free(arena);
    return !components.is_cut;
}

/* Does what was found rule out every level that was asked for? */
static bool rules_all_out(const struct dsg *dsg)
{
    for (size_t i = 0; i < dsg->job->level_count; i++) {
        bool out = false;
        for (int id = 1; id < ESSE_ANOMALY_END && !out; id++)
            out =
                dsg->known.seen[id] && esse_job_counts(dsg->job, dsg->job->levels[i],
                                                       esse_anomaly_get((enum esse_anomaly_id)id));
        if (!out)
            return false;
    }
    return true;
}

/* ---- orders ---- */

/* The edges of the graph whose topological order proves the level. */
static unsigned mask_of(const struct esse_level *level)
{
    static const unsigned data[] = {
        [ESSE_CYCLE_WW] = 1u << ESSE_DEP_WW,
        [ESSE_CYCLE_WR] = DSG_DATA & ~DSG_ANTI,
        [ESSE_CYCLE_ONE_RW] = DSG_DATA & ~DSG_ANTI, /* the rest of it is left to the replay */
        [ESSE_CYCLE_ITEM_RW] = DSG_DATA & ~(1u << ESSE_DEP_RWP),
        [ESSE_CYCLE_NO_TWO_RW] = DSG_DATA,
        [ESSE_CYCLE_ANY] = DSG_DATA,
    };
    return data[level->cycle] | (level->needs_session_order ? 1u << ESSE_DEP_PROCESS : 0) |
           (level->needs_real_time ? 1u << ESSE_DEP_REALTIME : 0);
}

struct proof {
    bool tried, good;
    bool guessed; /* the order of recording was tried */
    struct esse_order order;
};

/* The topological order that the numbers of the components are. */
static void read_order(struct dsg *dsg, const struct esse_scc *scc, uint32_t nodes, bool doubled,
                       struct esse_order *order)
{
    assert(scc->count == nodes);
    const uint32_t events = dsg->versions.history->txns * (doubled ? 2u : 1u);
    uint32_t *at = esse_arena_array(dsg->known.scratch, nodes + 1u, *at);
    for (uint32_t node = 0; node < nodes; node++)
        at[nodes - 1 - scc->component[node]] = node;
    uint32_t *kept = esse_arena_array(dsg->job->arena, events + 1u, *kept);
    for (uint32_t i = 0; i < nodes; i++)
        if (at[i] < events && dsg->versions.in[doubled ? at[i] >> 1 : at[i]])
            kept[order->count++] = at[i];
    order->events = kept;
    order->has_starts = doubled;
    esse_arena_drop(dsg->known.scratch, at);
}

/* Where all versions are ordered, every read's version is known and nothing else is wrong, a graph
 * without cycles is proof enough. */
static bool is_all_known(const struct dsg *dsg, const struct versions *versions)
{
    return (versions == &dsg->guess || !versions->undetermined) &&
           (!(versions->history->has & ESSE_HAS_PREDICATES) || versions->whole_predicates) &&
           !versions->unresolved && !versions->own_missed && !versions->not_repeated &&
           !dsg->known.found.count;
}

/* Tries an order that follows 'versions'.  Where they are not fully known it is a guess; replaying
 * it decides. */
static void try_order(struct dsg *dsg, const struct esse_level *level,
                      const struct versions *versions, struct proof *proof)
{
    struct esse_csr csr;
    struct esse_scc scc;
    struct esse_error err;
    const unsigned mask = mask_of(level);
    const bool doubled = esse_level_has_starts(level);
    proof->order = (struct esse_order){ 0 };
    dsg_graph_build(&csr, versions, &dsg->time, mask, doubled);
    esse_budget_phase(dsg->job->budget, "ordering transactions", csr.nodes);
    if (dsg_scc_find(&scc, dsg->known.scratch, &csr, versions, mask, doubled, dsg->job->budget) &&
        scc.count == csr.nodes) {
        read_order(dsg, &scc, csr.nodes, doubled, &proof->order);
        proof->order.proves = level->id;
        /* With at most one rw it takes more than an order; the replay looks for what is missing. */
        proof->good =
            (is_all_known(dsg, versions) && level->cycle != ESSE_CYCLE_ONE_RW) ||
            esse_replay(dsg->versions.history, level, &proof->order, dsg->job->proved, &err);
    }
    esse_arena_drop(dsg->known.scratch, scc.component);
    esse_csr_drop(&csr);
}

/* Where the graph knows everything, nothing else can help. */
static bool is_worth_recording(const struct dsg *dsg)
{
    return dsg->versions.undetermined || dsg->versions.unresolved ||
           (dsg->job->history->has & ESSE_HAS_PREDICATES);
}

static void try_recorded(struct dsg *dsg, const struct esse_level *level, struct proof *proof)
{
    const struct esse_history *history = dsg->job->history;
    struct esse_error err;
    bool ok = true;
    if (esse_level_has_starts(level))
        ok = dsg_recorded_snapshots(&proof->order, dsg->job->arena, history, dsg->versions.in,
                                    dsg->job->budget);
    else
        dsg_recorded_serial(&proof->order, dsg->job->arena, history, dsg->versions.in);
    proof->order.proves = level->id;
    proof->good = ok && esse_replay(history, level, &proof->order, dsg->job->proved, &err);
}

/* In the order of commits no transaction reads what comes later; a recorder may have been a little
 * late. */
static bool is_recorded_by_commit(const struct versions *versions)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    uint32_t reads = 0, early = 0;
    for (key_access_id at = { 0 }; at.ix < by_key->first[versions->history->keys]; at.ix++) {
        const struct esse_key_access *key_access = versions_key_access(versions, at);
        const version_id version = versions->of[at.ix];
        if (key_access->kind != ESSE_OP_READ || version.ix >= versions->count ||
            version_txn(versions, version) == ESSE_NO_TXN)
            continue;
        reads++;
        early += version_txn(versions, version) > key_access->txn;
    }
    return early <= reads / 8;
}

/* With everything known there is one graph; otherwise first the one that a recorder of commits
 * would have, then the one that only has what is known.  The latter proves by luck only, and is
 * left to the engine that decides, if one follows. */
static void try_prover(struct dsg *dsg, const struct esse_level *level, bool is_followed,
                       struct proof *proof)
{
    if (dsg->versions.undetermined && !proof->guessed && (!is_followed || dsg->is_by_commit)) {
        try_order(dsg, level, &dsg->guess, proof);
        proof->guessed = true;
    }
    proof->tried = proof->good || !dsg->versions.undetermined || !is_followed;
    if (!proof->tried)
        return;
    if (!proof->good)
        try_order(dsg, level, &dsg->versions, proof);
    if (!proof->good && is_worth_recording(dsg))
        try_recorded(dsg, level, proof);
}

/* Where the points are given, snapshot isolation is proved by them and by no other order: if no
 * dependency is without its start dependency and no rw against one, they replay. */
static bool prove_by_points(const struct dsg *dsg, const struct esse_level *level,
                            struct esse_verdict *verdict)
{
    struct esse_error err;
    struct esse_order order = dsg_points_order(dsg->job->arena, &dsg->versions, &dsg->points);
    order.proves = level->id;
    if (!esse_recheck_is_enough(level, level, verdict) ||
        !(is_all_known(dsg, &dsg->versions) ||
          esse_replay(dsg->job->history, level, &order, dsg->job->proved, &err)))
        return false;
    verdict->outcome = ESSE_HOLDS;
    verdict->evidence = ESSE_EVIDENCE_ORDER;
    verdict->order = order;
    return true;
}

/* A level is proved by one that implies it and looks at no more than what was asked for: with more
 * edges there are only more cycles. */
static bool prove(struct dsg *dsg, const struct esse_level *level, bool is_followed,
                  struct proof *proofs, struct esse_verdict *verdict)
{
    if (dsg->has_points && level->has_points)
        return prove_by_points(dsg, level, verdict);
    const struct esse_level *prover;
    for (size_t at = 0; (prover = esse_level_by_cycle(at)) != NULL; at++) {
        struct proof *proof = &proofs[prover->id];
        if (prover->family != ESSE_FAMILY_DEPENDENCY || (mask_of(prover) & ~dsg->mask) ||
            !esse_recheck_is_enough(prover, level, verdict))
            continue;
        if (!proof->tried && !esse_budget_spent(dsg->job->budget))
            try_prover(dsg, prover, is_followed, proof);
        if (!proof->good)
            continue;
        verdict->outcome = ESSE_HOLDS;
        verdict->evidence = ESSE_EVIDENCE_ORDER;
        verdict->order = proof->order;
        return true;
    }
    return false;
}

static struct esse_reason why_unknown(const struct dsg *dsg, const struct esse_level *level)
{
    if (esse_budget_spent(dsg->job->budget))
        return esse_budget_reason(dsg->job->budget);
    const struct versions *versions = &dsg->versions;
    return (struct esse_reason){ .id = level->family != ESSE_FAMILY_DEPENDENCY
                                           ? ESSE_REASON_NO_ENGINE
                                       : versions->unsure       ? ESSE_REASON_OUTCOMES_OPEN
                                       : versions->undetermined ? ESSE_REASON_VERSION_ORDER
                                                                : ESSE_REASON_GRAPH,
                                 .counts = { versions->undetermined } };
}

/* ---- the engine ---- */

/* Session order and real time are looked at only for levels that speak of them, as Elle does: what
 * is reported as ruled out stays what the levels asked for are about. */
static unsigned asked_mask(const struct esse_job *job)
{
    unsigned mask = DSG_DATA;
    for (size_t i = 0; i < job->level_count; i++) {
        if (job->levels[i]->family != ESSE_FAMILY_DEPENDENCY)
            continue;
        mask |= job->levels[i]->needs_session_order ? 1u << ESSE_DEP_PROCESS : 0;
        mask |= job->levels[i]->needs_real_time ? 1u << ESSE_DEP_REALTIME : 0;
    }
    for (const struct dsg_shape *shape = dsg_shapes; shape->type != ESSE_ANOMALY_NONE; shape++)
        mask |= job->named[shape->type] ? shape->needs : 0;
    return mask;
}

/* The serial level that speaks of these dependencies; NULL if there is none. */
static const struct esse_level *serial_with(unsigned mask)
{
    return esse_level_with(esse_level_get(ESSE_LEVEL_SERIALIZABLE), mask & 1u << ESSE_DEP_PROCESS,
                           mask & 1u << ESSE_DEP_REALTIME);
}

/* The serial level that speaks of what was asked for; of time only with sessions. */
static const struct esse_level *strongest_asked(const struct esse_job *job)
{
    const unsigned mask = asked_mask(job);
    return serial_with(mask & 1u << ESSE_DEP_PROCESS ? mask : DSG_DATA);
}

static bool find_cycles(struct dsg *dsg)
{
    struct esse_csr csr;
    struct esse_scc scc;
    dsg_graph_build(&csr, &dsg->versions, &dsg->time, dsg->mask, false);
    esse_budget_phase(dsg->job->budget, "looking for cycles", csr.nodes);
    bool ok = dsg_scc_find(&scc, dsg->known.scratch, &csr, &dsg->versions, dsg->mask, false,
                           dsg->job->budget);
    uint32_t nodes = csr.nodes;
    esse_csr_drop(&csr);
    const struct known before = dsg->known;
    if (ok && scc.count < nodes && !search_components(dsg, &scc, false) && !rules_all_out(dsg)) {
        dsg->known.found.count = before.found.count; /* the same again, and more */
        memcpy(dsg->known.seen, before.seen, sizeof dsg->known.seen);
        search_components(dsg, &scc, true);
    }
    esse_arena_drop(dsg->known.scratch, scc.component);
    return ok && !esse_budget_spent(dsg->job->budget);
}

/* If the order in which transactions were recorded proves serializability, with session order and
 * real time as far as they were asked for, then there is no cycle to look for. */
static bool is_plainly_serial(struct dsg *dsg, struct proof *proofs)
{
    const struct esse_level *level = serial_with(dsg->mask);
    if (!level)
        return false;
    struct proof *proof = &proofs[level->id];
    try_order(dsg, level, &dsg->guess, proof);
    proof->guessed = true;
    proof->tried = proof->good;
    return proof->good;
}

/* The guess differs only where something is left open. */
static bool find_predicates(struct dsg *dsg)
{
    if (!dsg_predicates_find(&dsg->versions, &dsg->known))
        return false;
    dsg->guess = versions_guess(&dsg->versions);
    if (!dsg->versions.undetermined)
        return true;
    struct known quiet = dsg->known; /* a guess reports nothing */
    dsg->guess.predicate_edges = NULL;
    dsg->guess.predicate_edge_count = 0;
    return dsg_predicates_find(&dsg->guess, &quiet);
}

/* Does anything that was asked for speak of start and commit points? */
static bool asks_for_points(const struct esse_job *job)
{
    bool asks = job->named[ESSE_ANOMALY_GSIA] || job->named[ESSE_ANOMALY_GSIB];
    for (size_t i = 0; i < job->level_count; i++)
        asks |= job->levels[i]->has_points;
    return asks && esse_may_have_points(job->history);
}

static bool find_starts(struct dsg *dsg)
{
    dsg->has_points = asks_for_points(dsg->job) && dsg_points_find(&dsg->points, &dsg->versions);
    return !dsg->has_points ||
           dsg_starts_find(&dsg->known, &dsg->versions, &dsg->points, dsg->mask);
}

static bool analyse(struct dsg *dsg, struct proof *proofs, const struct serial_part *part)
{
    if (!scan_open(&dsg->known, dsg->job, part) ||
        !versions_find(&dsg->versions, &dsg->known, true) ||
        !dsg_infer(&dsg->versions, &dsg->known, dsg->job->assume))
        return false;
    sources_forget(&dsg->known.sources);
    if (!find_predicates(dsg))
        return false;
    dsg_time_find(&dsg->time, &dsg->versions);
    dsg->mask = asked_mask(dsg->job);
    dsg->is_by_commit = !dsg->versions.undetermined || is_recorded_by_commit(&dsg->versions);
    return ((!part && dsg->is_by_commit && is_plainly_serial(dsg, proofs)) || find_cycles(dsg)) &&
           find_starts(dsg);
}

/* A part can refute, but not prove. */
static void decide(struct esse_job *job, const struct serial_part *part)
{
    struct dsg dsg = { .job = job };
    struct proof proofs[ESSE_LEVEL_END] = { { 0 } }; /* by level */
    bool complete = analyse(&dsg, proofs, part);
    for (size_t i = 0; i < job->level_count; i++) {
        struct esse_verdict *verdict = &job->verdicts[i];
        if (known_judge(&dsg.known, job->levels[i], job, verdict) ||
            (complete && !part &&
             prove(&dsg, job->levels[i], job->is_followed[i], proofs, verdict)))
            continue;
        verdict->reason = why_unknown(&dsg, job->levels[i]);
    }
    job->found = dsg.known.found.at;
    job->found_count = (uint32_t)dsg.known.found.count;
    known_close(&dsg.known);
}

/* A serial order proves nothing about points. */
static const struct esse_level *serial_level(const struct esse_job *job)
{
    return asks_for_points(job) ? NULL : strongest_asked(job);
}

static void run(struct esse_job *job)
{
    const struct esse_level *level = serial_level(job);
    const struct serial *near = level ? serial_near_find(job, level->needs_real_time) : NULL;
    if (!near || !near->odd.count || !serial_decide_part(job, near, decide))
        decide(job, NULL);
}

/* It can prove and refute where the version order shows: appended lists, or a certificate. */
static bool decides(const struct esse_level *level, const struct esse_history *history)
{
    return level->family == ESSE_FAMILY_DEPENDENCY &&
           ((history->has & (ESSE_HAS_APPENDS | ESSE_HAS_VERSION_ORDER)) ||
            esse_is_recorded_in_version_order(history));
}

const struct esse_engine esse_engine_dsg = {
    .name = "dsg",
    .summary = "dependency graphs from known or inferred version orders",
    .decides = decides,
    .run = run,
    .serial_level = serial_level,
};
