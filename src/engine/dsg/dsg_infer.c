#include "engine/dsg/dsg_infer.h"

#include "base/checked.h"
#include "base/radix.h"
#include "base/word_map.h"
#include "engine/dsg/dsg_cyclic.h"

#include <string.h>

/* What a transaction that counts shows of a key, as seen by those before and after it. */
struct shown {
    uint32_t txn;
    key_access_id
        first; /* the access that shows the first version: what it read, else what it wrote */
    key_access_id last; /* and the last: what it wrote, else what it read */
    bool is_read_first;
};
ESSE_VEC(shown_vec, struct shown)

struct inferring {
    struct versions *versions;
    struct known *known;
    struct version_graph graph;
    enum esse_basis basis;  /* the one at hand */
    version_id *latest;     /* by version: where the last edge from it led, or NO_VERSION */
    struct shown_vec shown; /* of the key at hand, as recorded */
    key_access_id
        *session_last; /* by session: the last access that showed the key, or ESSE_NO_KEY_ACCESS */
    struct esse_pair_vec starts, ends;
    struct shown_vec open; /* the frontier: ended, and covered by no later one yet */
};

/* ---- states that are no version ---- */

/* Did a transaction that counts read something definite that no transaction wrote for good: what
 * was aborted, overwritten by its own writer, or came from nowhere? */
static bool is_strange(const struct inferring *in, uint32_t key, key_access_id at)
{
    const struct versions *versions = in->versions;
    const struct sources *sources = versions->sources;
    const struct esse_key_access *key_access = versions_key_access(versions, at);
    uint32_t writers = 0;
    if (key_access->kind != ESSE_OP_READ || !versions->in[key_access->txn] ||
        versions->of[at.ix].ix != NO_VERSION || esse_value_is_list(key_access->value) ||
        esse_value_eq(key_access->value, ESSE_NONE) || esse_value_eq(key_access->value, ESSE_NIL) ||
        esse_value_eq(key_access->value, sources->initial[key]) ||
        esse_is_after_own_write(&sources->by_key, key, at.ix))
        return false;
    for (key_access_id w = sources->link[at.ix]; w.ix != ESSE_NO_KEY_ACCESS;
         w = sources->link[w.ix])
        writers += known_status(in->known, versions_key_access(versions, w)->txn) != ESSE_ABORTED;
    return writers < 2;
}

/* Such a state is one more version, which was not installed. */
static void number_strange(struct inferring *in)
{
    struct versions *versions = in->versions;
    const struct esse_by_key *by_key = &versions->sources->by_key;
    struct esse_word_map values = { 0 };
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        esse_word_map_clear(&values, in->known->scratch,
                            by_key->first[key + 1] - by_key->first[key]);
        for (key_access_id at = { by_key->first[key] }; at.ix < by_key->first[key + 1]; at.ix++) {
            bool fresh;
            if (!is_strange(in, key, at))
                continue;
            uint32_t *number = esse_word_map_put(&values, by_key->at[at.ix].value.word, &fresh);
            if (fresh)
                *number = in->graph.nodes++;
            versions->of[at.ix].ix = *number;
        }
    }
    esse_word_map_drop(&values, in->known->scratch);
    versions->write = esse_arena_grow(versions->arena, versions->write,
                                      (in->graph.nodes + (size_t)1) * sizeof *versions->write);
    for (version_id v = { versions->count }; v.ix < in->graph.nodes; v.ix++)
        versions->write[v.ix].ix = ESSE_NO_KEY_ACCESS;
}

/* ---- what transactions show of a key ---- */

/* An update that both read and wrote the key counts by what it wrote. */
static bool is_read_of_update(const struct versions *versions, key_access_id at)
{
    return versions_key_access(versions, at)->kind == ESSE_OP_READ &&
           versions->history->op_kind[versions_op(versions, at)] == ESSE_OP_PREDICATE_UPDATE;
}

static struct shown look(const struct inferring *in, key_access_id begin, key_access_id end)
{
    const struct esse_by_key *by_key = &in->versions->sources->by_key;
    struct shown shown = {
        by_key->at[begin.ix].txn, { ESSE_NO_KEY_ACCESS }, { ESSE_NO_KEY_ACCESS }, false
    };
    for (key_access_id at = begin; at.ix < end.ix; at.ix++) {
        bool is_read = by_key->at[at.ix].kind == ESSE_OP_READ;
        if (in->versions->of[at.ix].ix == NO_VERSION || is_read_of_update(in->versions, at))
            continue;
        if (shown.first.ix == ESSE_NO_KEY_ACCESS) {
            shown.first = at;
            shown.is_read_first = is_read;
        }
        if (!is_read || shown.last.ix == ESSE_NO_KEY_ACCESS)
            shown.last = at;
    }
    return shown;
}

static bool is_register(const struct versions *versions, uint32_t key)
{
    const uint32_t *first = &versions->sources->by_key.first[key];
    if (versions->gaps[key] || versions->key_reader[key].ix != ESSE_NO_KEY_ACCESS)
        return false;
    for (key_access_id at = { first[0] }; at.ix < first[1]; at.ix++)
        if (versions_key_access(versions, at)->kind == ESSE_OP_APPEND)
            return false;
    return true;
}

static void look_at_key(struct inferring *in, uint32_t key)
{
    const struct esse_by_key *by_key = &in->versions->sources->by_key;
    in->shown.count = 0;
    if (!is_register(in->versions, key))
        return;
    for (key_access_id at = { by_key->first[key] }, end; at.ix < by_key->first[key + 1]; at = end) {
        end.ix = esse_run_end(by_key, key, at.ix);
        if (!in->versions->in[by_key->at[at.ix].txn])
            continue;
        struct shown shown = look(in, at, end);
        if (shown.first.ix != ESSE_NO_KEY_ACCESS)
            shown_vec_push(&in->shown, in->known->scratch, shown);
    }
}

/* ---- one function an assumption ---- */

/* What comes after the initial version need not be inferred.  Most repetitions come one after
 * another: many read what many others go on to. */
static void add(struct inferring *in, uint32_t key, key_access_id from_at, key_access_id to_at)
{
    version_id from = in->versions->of[from_at.ix], to = in->versions->of[to_at.ix];
    assert(from.ix < in->graph.nodes);
    assert(to.ix < in->graph.nodes);
    if (from.ix == to.ix || from.ix == in->versions->first[key].ix ||
        in->latest[from.ix].ix == to.ix)
        return;
    in->latest[from.ix] = to;
    version_edge_vec_push(&in->graph.edges, in->known->scratch,
                          (struct version_edge){ from, to, from_at, to_at, in->basis });
}

static void follow_reads(struct inferring *in, uint32_t key)
{
    for (size_t i = 0; i < in->shown.count; i++) {
        const struct shown *shown = &in->shown.at[i];
        if (shown->is_read_first)
            add(in, key, shown->first, shown->last);
    }
}

/* A session's transactions are recorded in its order. */
static void follow_sessions(struct inferring *in, uint32_t key)
{
    const uint32_t *session = in->versions->history->txn_session;
    for (size_t i = 0; i < in->shown.count; i++) {
        const struct shown *shown = &in->shown.at[i];
        key_access_id *last = &in->session_last[session[shown->txn]];
        if (last->ix != ESSE_NO_KEY_ACCESS)
            add(in, key, *last, shown->first);
        *last = shown->last;
    }
    for (size_t i = 0; i < in->shown.count; i++)
        in->session_last[session[in->shown.at[i].txn]].ix = ESSE_NO_KEY_ACCESS;
}

static void sort_times(struct inferring *in)
{
    const struct esse_history *history = in->versions->history;
    in->starts.count = in->ends.count = in->open.count = 0;
    for (uint32_t i = 0; i < in->shown.count; i++) {
        uint32_t txn = in->shown.at[i].txn;
        const int64_t begin = history->txn_time[txn].begin;
        const int64_t end = esse_txn_committed_by(history, txn);
        if (begin != ESSE_NO_TIME)
            esse_pair_vec_push(&in->starts, in->known->scratch,
                               (struct esse_pair){ esse_radix_key(begin), i });
        if (end != ESSE_NO_TIME)
            esse_pair_vec_push(&in->ends, in->known->scratch,
                               (struct esse_pair){ esse_radix_key(end), i });
    }
    esse_radix_sort(in->starts.at, in->starts.count, in->known->scratch);
    esse_radix_sort(in->ends.at, in->ends.count, in->known->scratch);
}

/* What ended before 'shown' started is covered by it from now on. */
static void end_shown(struct inferring *in, struct shown shown)
{
    const struct esse_interval *time = in->versions->history->txn_time;
    size_t kept = 0;
    for (size_t i = 0; i < in->open.count; i++)
        if (time[shown.txn].begin == ESSE_NO_TIME ||
            time[in->open.at[i].txn].end >= time[shown.txn].begin)
            in->open.at[kept++] = in->open.at[i];
    in->open.count = kept;
    shown_vec_push(&in->open, in->known->scratch, shown);
}

/* Real time is strict: at equal times the start comes first. */
static void follow_times(struct inferring *in, uint32_t key)
{
    if (!in->versions->history->txn_time)
        return;
    sort_times(in);
    for (size_t s = 0, e = 0; s < in->starts.count;) {
        if (e < in->ends.count && in->ends.at[e].key < in->starts.at[s].key) {
            end_shown(in, in->shown.at[in->ends.at[e++].id]);
            continue;
        }
        key_access_id first = in->shown.at[in->starts.at[s++].id].first;
        for (size_t i = 0; i < in->open.count; i++)
            add(in, key, in->open.at[i].last, first);
    }
}

/* ---- keeping what contradicts nothing ---- */

/* Where each version goes in an order of its key that follows all edges, and else the one they had:
 * see graph/scc.h. */
static version_id *find_places(struct inferring *in, struct esse_arena *arena)
{
    const struct versions *versions = in->versions;
    const uint32_t count = versions->count, keys = versions->history->keys;
    struct esse_scc scc;
    dsg_version_components(&scc, arena, versions, &in->graph);
    version_id *order = esse_arena_alloc(arena, in->graph.nodes + 1u, sizeof *order);
    uint32_t *key_of = esse_arena_alloc(arena, count + 1u, sizeof *key_of);
    version_id *next = esse_arena_alloc(arena, keys + 1u, sizeof *next);
    version_id *place = esse_arena_alloc(arena, in->graph.nodes + 1u, sizeof *place);
    for (uint32_t key = 0; key < keys; key++) {
        next[key] = versions->first[key];
        for (version_id v = versions->first[key]; v.ix < versions->first[key + 1].ix; v.ix++)
            key_of[v.ix] = key;
    }
    for (version_id v = { 0 }; v.ix < in->graph.nodes; v.ix++)
        order[in->graph.nodes - 1 - scc.component[v.ix]] = v;
    for (uint32_t i = 0; i < in->graph.nodes; i++)
        place[order[i].ix] =
            order[i].ix < count ? (version_id){ next[key_of[order[i].ix]].ix++ } : order[i];
    for (uint32_t key = 0; key < keys; key++)
        ESSE_HOT_ASSERT(next[key].ix == versions->first[key + 1].ix);
    return place;
}

static void renumber(struct inferring *in)
{
    struct versions *versions = in->versions;
    struct version_edge_vec *edges = &in->graph.edges;
    struct esse_arena *arena = esse_arena_new();
    const version_id *place = find_places(in, arena);
    key_access_id *write = esse_arena_alloc(arena, versions->count + 1u, sizeof *write);
    for (version_id v = { 0 }; v.ix < versions->count; v.ix++)
        write[place[v.ix].ix] = versions->write[v.ix];
    memcpy(versions->write, write, versions->count * sizeof *write);
    for (key_access_id at = { 0 }; at.ix < versions->sources->by_key.count; at.ix++)
        if (versions->of[at.ix].ix != NO_VERSION)
            versions->of[at.ix] = place[versions->of[at.ix].ix];
    for (size_t i = 0; i < edges->count; i++) {
        edges->at[i].from = place[edges->at[i].from.ix];
        edges->at[i].to = place[edges->at[i].to.ix];
    }
    esse_arena_free(arena);
}

static void group(struct inferring *in)
{
    struct versions *versions = in->versions;
    const struct version_edge_vec *edges = &in->graph.edges;
    uint32_t *first = esse_arena_alloc(versions->arena, in->graph.nodes + (size_t)2, sizeof *first);
    struct version_edge *after = esse_arena_array(versions->arena, edges->count + 1, *after);
    for (size_t i = 0; i < edges->count; i++)
        first[edges->at[i].from.ix + 2]++;
    for (uint32_t v = 0; v < in->graph.nodes; v++)
        first[v + 2] += first[v + 1];
    for (size_t i = 0; i < edges->count; i++)
        after[first[edges->at[i].from.ix + 1]++] = edges->at[i];
    versions->after_first = first;
    versions->after = after;
}

static bool take(struct inferring *in, void (*follow)(struct inferring *in, uint32_t key))
{
    struct versions *versions = in->versions;
    struct esse_budget *budget = in->known->budget;
    const size_t before = in->graph.edges.count;
    memset(in->latest, 0xff, (in->graph.nodes + (size_t)1) * sizeof *in->latest);
    esse_budget_phase(budget, "inferring versions", versions->history->keys);
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        if (!esse_budget_poll(budget, key))
            return false;
        look_at_key(in, key);
        follow(in, key);
    }
    if (in->graph.edges.count > before && dsg_tell_cyclic(versions, in->known, &in->graph))
        in->graph.edges.count = before;
    return true;
}

static bool take_all(struct inferring *in, unsigned assume)
{
    static const struct {
        enum esse_basis basis;
        void (*follow)(struct inferring *in, uint32_t key);
    } sources[] = { { ESSE_BASIS_WFR_KEYS, follow_reads },
                    { ESSE_BASIS_SEQUENTIAL_KEYS, follow_sessions },
                    { ESSE_BASIS_LINEARIZABLE_KEYS, follow_times } };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        in->basis = sources[i].basis;
        if ((assume & 1u << sources[i].basis) && !take(in, sources[i].follow))
            return false;
    }
    return true;
}

bool dsg_infer(struct versions *versions, struct known *known, unsigned assume)
{
    if (!assume || (versions->history->has & ESSE_HAS_PREDICATES))
        return true;
    const size_t sessions = versions->history->sessions + (size_t)1;
    struct esse_arena *scratch = known->scratch;
    struct inferring in = { .versions = versions, .known = known };
    in.graph.nodes = versions->count;
    if (versions->unresolved)
        number_strange(&in);
    in.latest = esse_arena_array(scratch, in.graph.nodes + (size_t)1, *in.latest);
    in.session_last = esse_arena_none(scratch, sessions, *in.session_last);
    bool ok = take_all(&in, assume);
    if (ok && in.graph.edges.count) {
        renumber(&in);
        group(&in);
    }
    version_edge_vec_drop(&in.graph.edges, scratch);
    shown_vec_drop(&in.shown, scratch);
    shown_vec_drop(&in.open, scratch);
    esse_pair_vec_drop(&in.starts, scratch);
    esse_pair_vec_drop(&in.ends, scratch);
    esse_arena_drop(scratch, in.session_last);
    esse_arena_drop(scratch, in.latest);
    ESSE_SEAM(!ok || versions_valid(versions));
    return ok;
}
