#include "engine/shrink.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "engine/shrink_ranges.h"
#include "history/access.h"
#include "history/subset.h"

#include <assert.h>
#include <string.h>

enum { WITNESSES = 8 }; /* occurrences that are tried as a start */

struct shrink {
    const struct esse_history *whole;
    struct esse_check_options check;
    enum esse_anomaly_id type;
    bool present[ESSE_ANOMALY_END];     /* by anomaly: the whole history has it */
    const struct esse_history *current; /* the smallest part so far */
    struct esse_arena *arena;           /* its arena; NULL while it is the whole */
    uint32_t checks;
    bool failed; /* a check came to an error, which is in 'err' */
    struct esse_error *err;
};

static bool is_spent(const struct shrink *s)
{
    return s->failed || esse_budget_spent(s->check.budget);
}

/* ---- does a part still show it? ---- */

/* Is there the type that counts, and no type that the whole history does not have? */
static bool shows_the_same(const struct shrink *s, const struct esse_result *result)
{
    const struct esse_verdict *verdict = &result->verdicts[0];
    bool found = false;
    if (verdict->outcome != ESSE_VIOLATED)
        return false;
    for (uint32_t i = 0; i < verdict->anomaly_count; i++) {
        found = found || verdict->anomalies[i].type == s->type;
        if (!s->present[verdict->anomalies[i].type])
            return false;
    }
    for (uint32_t i = 0; i < result->also_found_count; i++)
        if (!s->present[result->also_found[i].type])
            return false;
    return found;
}

static bool violates(struct shrink *s, const struct esse_history *part)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_result *result;
    struct esse_error err = { 0 };
    s->checks++;
    bool same = false;
    if (esse_check(arena, part, &s->check, &result, &err))
        same = shows_the_same(s, result);
    else if (err.code != ESSE_EINPUT) { /* a predicate may need what is gone: no part then */
        s->failed = true;
        *s->err = err;
    }
    esse_arena_free(arena);
    return same;
}

/* Makes the selected part the current one if it still shows the anomaly: the last thing that an
 * attempt does, so that one which is abandoned has changed nothing. */
static bool try_part(struct shrink *s, const struct esse_selection *selection)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *part;
    struct esse_error refused;
    if (!esse_history_subset(arena, s->current, selection, &part, &refused) || !violates(s, part)) {
        esse_arena_free(arena);
        return false;
    }
    if (s->arena)
        esse_arena_free(s->arena);
    s->arena = arena;
    s->current = part;
    return true;
}

/* ---- an attempt ---- */

enum unit { TXNS, OPS, KEYS, UNITS };

enum effort { NAMED, WRITERS, WRITERS_OF_KEYS, ALL_OF_KEYS, EFFORTS };

struct attempt {
    struct shrink *s;
    bool smaller;
    /* Without a piece of the current part. */
    enum unit unit;
    uint32_t from, count;
    /* Or what an occurrence needs. */
    const struct esse_anomaly *anomaly;
    enum effort effort;
    bool narrow; /* all other keys are left out, so that no predicate has to do with them */
};

/* What there is no time or memory for is no smaller part. */
static bool attempt(void (*work)(void *context), struct attempt a)
{
    return !is_spent(a.s) && esse_guard_run(a.s->check.budget, work, &a) && a.smaller;
}

/* ---- removing pieces ---- */

static uint32_t units_of(const struct esse_history *history, enum unit unit)
{
    return unit == TXNS ? history->txns : unit == OPS ? history->ops : history->keys;
}

static void leave_out(void *context)
{
    struct attempt *a = context;
    const struct esse_history *current = a->s->current;
    struct esse_arena *scratch = esse_arena_new();
    struct esse_selection selection = esse_selection_all(scratch, current);
    shrink_know_ranges(&selection, scratch, current);
    uint8_t *column[UNITS] = { selection.txns, selection.ops, selection.keys };
    memset(column[a->unit] + a->from, 0, a->count);
    a->smaller = try_part(a->s, &selection);
    esse_arena_free(scratch);
}

static bool try_without(struct shrink *s, enum unit unit, uint32_t from, uint32_t count)
{
    return attempt(leave_out,
                   (struct attempt){ .s = s, .unit = unit, .from = from, .count = count });
}

/*
 * Removes pieces of half, a quarter ... of the units, and at last one by one until none can go.
 * After a success the units are numbered anew, but what comes next still stands where the piece
 * was.
 */
static bool reduce(struct shrink *s, enum unit unit)
{
    bool smaller = false;
    for (uint32_t piece = (units_of(s->current, unit) + 1) / 2; piece && !is_spent(s);) {
        bool again = false;
        for (uint32_t at = 0; at < units_of(s->current, unit) && !is_spent(s);) {
            const uint32_t left = units_of(s->current, unit) - at;
            if (try_without(s, unit, at, left < piece ? left : piece))
                again = true;
            else
                at += piece;
        }
        smaller = smaller || again;
        piece = piece == 1 ? again : piece / 2;
    }
    return smaller;
}

static void reduce_all(struct shrink *s)
{
    /* Every unit is tried again after a success of another kind, so that the end is minimal. */
    for (bool again = true; again;) {
        again = false;
        for (enum unit unit = TXNS; unit < UNITS; unit++)
            again = reduce(s, unit) || again;
    }
}

/* ---- starting from the evidence ---- */

/* ESSE_NO_TXN stands for the writer of the initial versions. */
static void select_txn(struct esse_selection *selection, esse_txn txn)
{
    if (txn.ix != ESSE_NO_TXN)
        selection->txns[txn.ix] = 1;
}

static void select_op(const struct shrink *s, struct esse_selection *selection, esse_op op)
{
    if (op.ix != ESSE_NO_OP)
        select_txn(selection, esse_op_txn(s->whole, op.ix));
}

static void select_edges(const struct shrink *s, struct esse_selection *selection,
                         const struct esse_edge *edges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        select_txn(selection, edges[i].from);
        select_txn(selection, edges[i].to);
        select_op(s, selection, edges[i].witness);
        if (edges[i].basis)
            select_op(s, selection, edges[i].later_witness);
        select_edges(s, selection, edges[i].because, edges[i].because_count);
    }
}

static void select_refutation(const struct shrink *s, struct esse_selection *selection,
                              const struct esse_refutation *refutation)
{
    for (uint32_t i = 0; i < refutation->choice_count; i++) {
        if (refutation->choices[i].kind == ESSE_CHOICE_BOTH)
            continue;
        select_op(s, selection, refutation->choices[i].first);
        select_op(s, selection, refutation->choices[i].second);
    }
    for (uint32_t i = 0; i < refutation->clause_count; i++)
        select_edges(s, selection, refutation->clauses[i].edges, refutation->clauses[i].edge_count);
}

/* The transactions that the evidence names. */
static void select_named(const struct shrink *s, struct esse_selection *selection,
                         const struct esse_anomaly *anomaly)
{
    for (uint32_t i = 0; i < anomaly->step_count; i++)
        select_txn(selection, anomaly->steps[i].txn);
    select_edges(s, selection, anomaly->edges, anomaly->edge_count);
    if (anomaly->refutation)
        select_refutation(s, selection, anomaly->refutation);
}

/* What a register that is read and kept must keep: a writer of its value. */
struct wanted {
    esse_key key;
    esse_value value;
};

ESSE_VEC(wanted_vec, struct wanted)

static uint32_t wanted_hash(esse_key key, esse_value value)
{
    return esse_hash_word(value.word ^ (uint64_t)key.ix << 40 ^ key.ix);
}

static bool is_wanted(const struct esse_index *index, const struct wanted_vec *all,
                      struct esse_access access)
{
    uint32_t id;
    struct esse_probe probe = esse_index_probe(index, wanted_hash(access.key, access.value));
    while (esse_probe_next(&probe, &id))
        if (all->at[id].key.ix == access.key.ix && esse_value_eq(all->at[id].value, access.value))
            return true;
    return false;
}

static void want_reads(struct esse_arena *scratch, const struct esse_history *history, uint32_t txn,
                       const uint8_t *keys, struct wanted_vec *all, struct esse_index *index)
{
    for (struct esse_access_walk walk = esse_accesses_of(history, txn); esse_access_next(&walk);) {
        const struct esse_access access = walk.access;
        if (access.kind != ESSE_OP_READ || !keys[access.key.ix] || is_wanted(index, all, access))
            continue;
        esse_index_add(index, scratch, wanted_hash(access.key, access.value), (uint32_t)all->count);
        wanted_vec_push(all, scratch, (struct wanted){ access.key, access.value });
    }
}

static bool writes_wanted(const struct esse_history *history, uint32_t txn,
                          const struct wanted_vec *all, const struct esse_index *index)
{
    struct esse_access_walk walk = esse_accesses_of(history, txn);
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ && is_wanted(index, all, walk.access))
            return true;
    return false;
}

/* And the writers of what they read. */
static void select_writers(const struct shrink *s, struct esse_selection *selection)
{
    struct esse_arena *scratch = esse_arena_new();
    struct wanted_vec all = { 0 };
    struct esse_index index = { 0 };
    for (uint32_t t = 0; t < s->whole->txns; t++)
        if (selection->txns[t])
            want_reads(scratch, s->whole, t, selection->keys, &all, &index);
    for (uint32_t t = 0; t < s->whole->txns; t++) {
        esse_guard_poll();
        if (!selection->txns[t] && writes_wanted(s->whole, t, &all, &index))
            selection->txns[t] = 1;
    }
    esse_arena_free(scratch);
}

static bool touches(const struct esse_history *history, uint32_t txn, const uint8_t *keys,
                    bool writes)
{
    struct esse_access_walk walk = esse_accesses_of(history, txn);
    while (esse_access_next(&walk))
        if (keys[walk.access.key.ix] && (!writes || walk.access.kind != ESSE_OP_READ))
            return true;
    return false;
}

static void mark_keys(uint8_t *keys, const struct esse_edge *edges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (edges[i].has_key)
            keys[edges[i].key.ix] = 1;
}

/* The keys which the evidence is about. */
static uint8_t *keys_of(const struct shrink *s, struct esse_arena *arena,
                        const struct esse_anomaly *anomaly)
{
    uint8_t *keys = esse_arena_alloc(arena, s->whole->keys + 1u, 1);
    if (anomaly->has_key)
        keys[anomaly->key.ix] = 1;
    mark_keys(keys, anomaly->edges, anomaly->edge_count);
    for (uint32_t i = 0; anomaly->refutation && i < anomaly->refutation->clause_count; i++)
        mark_keys(keys, anomaly->refutation->clauses[i].edges,
                  anomaly->refutation->clauses[i].edge_count);
    return keys;
}

/* And the transactions that touched these keys: the versions between, and the reads that show their
 * order. */
static void select_touching(const struct shrink *s, struct esse_selection *selection,
                            const uint8_t *keys, bool writes)
{
    for (uint32_t t = 0; t < s->whole->txns; t++) {
        esse_guard_poll();
        if (touches(s->whole, t, keys, writes))
            selection->txns[t] = 1;
    }
}

static void keep_witness(void *context)
{
    struct attempt *a = context;
    struct shrink *s = a->s;
    struct esse_arena *scratch = esse_arena_new();
    struct esse_selection selection = esse_selection_all(scratch, s->whole);
    uint8_t *keys = keys_of(s, scratch, a->anomaly);
    memset(selection.txns, 0, s->whole->txns);
    shrink_know_ranges(&selection, scratch, s->whole);
    select_named(s, &selection, a->anomaly);
    if (a->narrow)
        selection.keys = keys;
    if (a->effort >= WRITERS)
        select_writers(s, &selection);
    if (a->effort >= WRITERS_OF_KEYS)
        select_touching(s, &selection, keys, a->effort == WRITERS_OF_KEYS);
    a->smaller = try_part(s, &selection);
    esse_arena_free(scratch);
}

static bool try_witness(struct shrink *s, const struct esse_anomaly *anomaly, enum effort effort,
                        bool narrow)
{
    return attempt(
        keep_witness,
        (struct attempt){ .s = s, .anomaly = anomaly, .effort = effort, .narrow = narrow });
}

static uint32_t size_of(const struct esse_anomaly *anomaly)
{
    const uint32_t clauses = anomaly->refutation ? anomaly->refutation->clause_count : 0;
    return anomaly->edge_count + anomaly->step_count + clauses;
}

/* The occurrences of the type, the shortest first. */
static uint32_t witnesses_of(const struct shrink *s, const struct esse_verdict *verdict,
                             const struct esse_anomaly *found[WITNESSES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < verdict->anomaly_count; i++) {
        const struct esse_anomaly *anomaly = &verdict->anomalies[i];
        if (anomaly->type != s->type)
            continue;
        uint32_t at = count < WITNESSES ? count++ : WITNESSES;
        while (at > 0 && size_of(found[at - 1]) > size_of(anomaly)) {
            if (at < WITNESSES)
                found[at] = found[at - 1];
            at--;
        }
        if (at < WITNESSES)
            found[at] = anomaly;
    }
    return count;
}

static void start_from_evidence(struct shrink *s, const struct esse_verdict *verdict)
{
    const struct esse_anomaly *found[WITNESSES];
    const uint32_t count = witnesses_of(s, verdict, found);
    const bool has_predicates = s->whole->has & ESSE_HAS_PREDICATES;
    for (enum effort effort = NAMED; effort < EFFORTS; effort++)
        for (uint32_t i = 0; i < count; i++)
            if ((has_predicates && try_witness(s, found[i], effort, true)) ||
                try_witness(s, found[i], effort, false))
                return;
}

/* ---- the whole ---- */

/* The type asked for, or the worst; NONE if the verdict has none such. */
static enum esse_anomaly_id choose_type(const struct esse_verdict *verdict, const char *asked)
{
    const struct esse_anomaly_type *type = asked ? esse_anomaly_find(asked) : NULL;
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        if (!type || verdict->anomalies[i].type == type->id)
            return verdict->anomalies[i].type;
    return ESSE_ANOMALY_NONE;
}

static void note_present(struct shrink *s, const struct esse_result *result)
{
    const struct esse_verdict *verdict = &result->verdicts[0];
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        s->present[verdict->anomalies[i].type] = true;
    for (uint32_t i = 0; i < result->also_found_count; i++)
        s->present[result->also_found[i].type] = true;
}

bool esse_shrink(struct esse_arena *arena, const struct esse_history *history,
                 const struct esse_shrink_options *options, struct esse_shrunk *out,
                 struct esse_error *err)
{
    assert(options->check->level_count <= 1);
    const struct esse_result *result;
    if (options->anomaly && !esse_anomaly_find(options->anomaly))
        return esse_fail(err, ESSE_EUSAGE, "unknown anomaly '%s'", options->anomaly);
    if (!esse_check(arena, history, options->check, &result, err))
        return false;
    const struct esse_verdict *verdict = &result->verdicts[0];
    *out = (struct esse_shrunk){
        .outcome = verdict->outcome, .part = history, .result = result, .is_minimal = true
    };
    if (verdict->outcome != ESSE_VIOLATED)
        return true;
    out->type = choose_type(verdict, options->anomaly);
    if (!out->type)
        return true;
    struct shrink s = { .whole = history,
                        .check = *options->check,
                        .type = out->type,
                        .current = history,
                        .err = err };
    note_present(&s, result);
    start_from_evidence(&s, verdict);
    reduce_all(&s);
    out->is_minimal = !esse_budget_spent(s.check.budget);
    out->part = s.current;
    out->checks = s.checks;
    if (s.arena)
        esse_arena_adopt(arena, s.arena);
    return !s.failed;
}
