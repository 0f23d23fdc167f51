#include "engine/worlds.h"

#include "base/error.h"
#include "base/guard.h"
#include "engine/known/open_outcomes.h"
#include "evidence/recheck.h"
#include "history/show.h"
#include "history/suppose.h"

#include <string.h>

enum {
    MOST_TRIED = 64,     /* transactions whose outcomes are supposed */
    MOST_RUNS = 4096,    /* of the engines */
    MOST_OPS = 10000000, /* that all these runs look at together */
};

/* What the refutation of a level in a world rests on: a bit for each supposition. */
#define NOT_REFUTED UINT64_MAX

struct worlds {
    struct check *check;
    struct esse_budget *budget;
    struct esse_error *err;
    const uint32_t *txns; /* of open outcome, in the order in which one is supposed */
    uint32_t count;
    struct esse_supposition path[MOST_TRIED]; /* the world at hand */
    uint64_t runs;
    struct found_vec *cases; /* by level: what rules it out in the worlds that were tried */
};

/* ---- one world ---- */

/* The levels that are asked about, as a check of their own. */
static struct check check_of(const struct worlds *w, const struct esse_history *world,
                             const bool *asked)
{
    const struct check *whole = w->check;
    struct check part = *whole;
    part.history = world;
    part.near = esse_arena_alloc(whole->arena, 1, sizeof *part.near);
    part.found = (struct found_vec){ 0 };
    check_make_room(&part, whole->count);
    part.count = 0;
    for (size_t i = 0; i < whole->count; i++)
        if (asked[i]) {
            part.verdicts[part.count].level = whole->verdicts[i].level;
            part.levels[part.count++] = whole->levels[i];
        }
    return part;
}

static uint32_t take(const struct worlds *w, uint32_t depth, uint64_t bits,
                     struct esse_supposition *supposed)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < depth; i++)
        if (bits >> i & 1)
            supposed[count++] = w->path[i];
    return count;
}

struct rechecking {
    const struct esse_history *history;
    const struct esse_anomaly *anomaly;
    bool ok;
};

static void recheck(void *context)
{
    struct rechecking *r = context;
    struct esse_error ignored;
    r->ok = esse_recheck_anomaly(r->history, r->anomaly, NULL, &ignored);
}

/* Which suppositions the anomaly needs: each is left out that it does without. */
static uint64_t needed(struct worlds *w, const struct esse_anomaly *anomaly, uint32_t depth)
{
    struct esse_supposition supposed[MOST_TRIED];
    struct esse_anomaly less = *anomaly;
    uint64_t bits = depth == 64 ? UINT64_MAX : ((uint64_t)1 << depth) - 1;
    less.supposed = supposed;
    for (uint32_t i = 0; i < depth; i++) {
        const uint64_t without = bits & ~((uint64_t)1 << i);
        struct rechecking r = { w->check->history, &less, false };
        less.supposed_count = take(w, depth, without, supposed);
        if (esse_guard_run(w->budget, recheck, &r) && r.ok)
            bits = without;
    }
    return bits;
}

/* "if T3 committed and T5 did not: ..." */
static const char *describe(const struct worlds *w, const struct esse_anomaly *anomaly)
{
    struct esse_out out;
    esse_out_init_memory(&out, w->check->arena);
    for (uint32_t i = 0; i < anomaly->supposed_count; i++) {
        char name[64];
        esse_txn_name(w->check->history, anomaly->supposed[i].txn, name, sizeof name);
        esse_out_f(&out, "%s%s %s", i ? " and " : "if ", name,
                   anomaly->supposed[i].committed ? "committed" : "did not commit");
    }
    esse_out_f(&out, "%s%s", anomaly->supposed_count ? ": " : "", anomaly->description);
    return esse_out_memory(&out);
}

static uint64_t add_case(struct worlds *w, size_t level, const struct esse_verdict *verdict,
                         uint32_t depth)
{
    struct esse_anomaly anomaly = verdict->anomalies[0];
    const uint64_t bits = needed(w, &anomaly, depth);
    struct esse_supposition *supposed =
        esse_arena_alloc(w->check->arena, depth + 1u, sizeof *supposed);
    anomaly.supposed_count = take(w, depth, bits, supposed);
    anomaly.supposed = supposed;
    anomaly.description = describe(w, &anomaly);
    found_vec_push(&w->cases[level], w->check->arena, anomaly);
    return bits;
}

struct proving {
    const struct check *check;
    size_t level;
    const struct esse_verdict *verdict;
    bool ok;
};

static void prove(void *context)
{
    struct proving *p = context;
    struct esse_error ignored;
    p->ok = esse_recheck_verdict(p->check->history, p->check->levels[p->level], p->verdict,
                                 p->check->proved, &ignored);
}

/* Takes over that a level holds in a world, if the order proves it of the history itself: one to
 * which a certificate gives no place may take away what it says of the others, such as their
 * points. */
static bool take_proof(struct worlds *w, size_t level, const struct esse_verdict *verdict)
{
    struct esse_verdict stated = *verdict;
    struct proving p = { w->check, level, &stated, false };
    stated.certificate = esse_recheck_certificate(w->check->history, verdict);
    if (!esse_guard_run(w->budget, prove, &p) || !p.ok)
        return false;
    w->check->verdicts[level] = stated;
    return true;
}

/* Asks the engines about the world at hand.  What is decided there is no longer 'asked'. */
static bool run(struct worlds *w, uint32_t depth, bool *asked, uint64_t *used)
{
    struct check *whole = w->check;
    struct esse_arena *scratch = esse_arena_new();
    struct check part =
        check_of(w, esse_history_suppose(scratch, whole->history, w->path, depth), asked);
    const bool ok = check_decide(&part, w->budget, w->err);
    esse_arena_free(scratch);
    if (!ok)
        return false;
    w->runs++;
    for (size_t i = 0, next = 0; i < whole->count; i++) {
        if (!asked[i])
            continue;
        const struct esse_verdict *verdict = &part.verdicts[next++];
        asked[i] = verdict->outcome == ESSE_UNKNOWN ||
                   (verdict->outcome == ESSE_HOLDS && !take_proof(w, i, verdict));
        if (verdict->outcome == ESSE_VIOLATED)
            used[i] = add_case(w, i, verdict, depth);
    }
    return true;
}

/* ---- all of them ---- */

static bool any(const struct worlds *w, const bool *asked)
{
    for (size_t i = 0; i < w->check->count; i++)
        if (asked[i])
            return true;
    return false;
}

static bool may_go_on(const struct worlds *w)
{
    return !esse_budget_spent(w->budget) && w->runs < MOST_RUNS &&
           w->runs * (w->check->history->ops + (uint64_t)1) < MOST_OPS;
}

static bool visit(struct worlds *w, uint32_t depth, bool *asked, uint64_t *used);

/* Supposes one outcome after the other.  A refutation that does without the first supposition is
 * one of the second too. */
static bool split(struct worlds *w, uint32_t depth, bool *asked, uint64_t *used)
{
    const size_t count = w->check->count;
    const uint64_t bit = (uint64_t)1 << depth;
    bool *in = esse_arena_alloc(w->check->arena, 2 * count, sizeof *in), *out = in + count;
    uint64_t *if_in = esse_arena_alloc(w->check->arena, 2 * count, sizeof *if_in),
             *if_out = if_in + count;
    memcpy(in, asked, count * sizeof *in);
    w->path[depth] = (struct esse_supposition){ { w->txns[depth] }, true };
    if (!visit(w, depth + 1, in, if_in))
        return false;
    for (size_t i = 0; i < count; i++) {
        asked[i] &= w->check->verdicts[i].outcome != ESSE_HOLDS;
        out[i] = asked[i] && (if_in[i] & bit);
    }
    w->path[depth].committed = false;
    if (!visit(w, depth + 1, out, if_out))
        return false;
    for (size_t i = 0; i < count; i++)
        used[i] = !(if_in[i] & bit)                                     ? if_in[i]
                  : if_in[i] == NOT_REFUTED || if_out[i] == NOT_REFUTED ? NOT_REFUTED
                  : !(if_out[i] & bit)                                  ? if_out[i]
                                       : (if_in[i] | if_out[i]) & ~bit;
    return true;
}

/* The worlds that agree with the first suppositions of the path. */
static bool visit(struct worlds *w, uint32_t depth, bool *asked, uint64_t *used)
{
    for (size_t i = 0; i < w->check->count; i++)
        used[i] = NOT_REFUTED;
    if (!any(w, asked) || !may_go_on(w))
        return true;
    if (depth && !run(w, depth, asked, used))
        return false;
    if (depth == w->count || !any(w, asked))
        return true;
    uint64_t *rest = esse_arena_alloc(w->check->arena, w->check->count, sizeof *rest);
    bool *left = esse_arena_alloc(w->check->arena, w->check->count, sizeof *left);
    memcpy(left, asked, w->check->count * sizeof *left);
    if (!split(w, depth, asked, rest))
        return false;
    for (size_t i = 0; i < w->check->count; i++)
        if (left[i])
            used[i] = rest[i];
    return true;
}

static void conclude(struct worlds *w, size_t level, bool is_refuted)
{
    struct esse_verdict *verdict = &w->check->verdicts[level];
    if (is_refuted) {
        verdict->outcome = ESSE_VIOLATED;
        verdict->reason = (struct esse_reason){ 0 };
        verdict->evidence = ESSE_EVIDENCE_CASES;
        verdict->anomalies = w->cases[level].at;
        verdict->anomaly_count = (uint32_t)w->cases[level].count;
        verdict->anomalies_seen = w->cases[level].count;
    } else if (!may_go_on(w) && !esse_budget_spent(w->budget)) {
        verdict->reason = (struct esse_reason){ .id = ESSE_REASON_OUTCOMES_TRIED,
                                                .counts = { w->count, w->runs } };
    }
}

/* None committed that need not have: then nothing is open, and most histories hold there. */
static bool try_without(struct worlds *w, bool *asked)
{
    struct esse_arena *scratch = esse_arena_new();
    struct esse_supposition *out = esse_arena_alloc(scratch, w->count, sizeof *out);
    for (uint32_t i = 0; i < w->count; i++)
        out[i] = (struct esse_supposition){ { w->txns[i] }, false };
    struct check part =
        check_of(w, esse_history_suppose(scratch, w->check->history, out, w->count), asked);
    const bool ok = check_decide(&part, w->budget, w->err);
    for (size_t i = 0, next = 0; ok && i < w->check->count; i++)
        if (asked[i] && part.verdicts[next++].outcome == ESSE_HOLDS)
            take_proof(w, i, &part.verdicts[next - 1]);
    esse_arena_free(scratch);
    return ok;
}

/* Where no engine decides a level, none will in another world either; but dsg may prove that of ww
 * alone by an order of its luck, once the world has a writer for what was read. */
static bool is_decidable(const struct check *check, size_t level)
{
    if (check->levels[level]->cycle == ESSE_CYCLE_WW)
        return true;
    for (size_t i = 0; esse_engines[i]; i++)
        if (esse_engines[i]->decides(check->levels[level], check->history))
            return true;
    return false;
}

/* Those that are undecided. */
static bool *find_asked(const struct check *check)
{
    bool *asked = esse_arena_alloc(check->arena, check->count, sizeof *asked);
    for (size_t i = 0; i < check->count; i++)
        asked[i] = check->verdicts[i].outcome == ESSE_UNKNOWN && is_decidable(check, i);
    return asked;
}

static void find_open(void *context)
{
    struct worlds *w = context;
    w->txns = open_outcomes(w->check->arena, w->check->history, &w->count, w->budget);
}

/* Where rows are missing, an open outcome may explain it in many ways, all of which the engines
 * would try; the world without it is simple. */
static bool is_worth_it(const struct esse_history *history)
{
    return history->has & (ESSE_HAS_DELETES | ESSE_HAS_PREDICATES);
}

bool worlds_begin(struct check *check, struct esse_budget *budget, struct esse_error *err)
{
    struct worlds w = { .check = check, .budget = budget, .err = err };
    if (!is_worth_it(check->history) || !esse_guard_run(budget, find_open, &w) || !w.count)
        return true;
    return try_without(&w, find_asked(check));
}

bool worlds_decide(struct check *check, struct esse_budget *budget, struct esse_error *err)
{
    struct worlds w = { .check = check, .budget = budget, .err = err };
    bool *asked = find_asked(check);
    if (!any(&w, asked) || esse_budget_spent(budget) || !esse_guard_run(budget, find_open, &w) ||
        !w.count)
        return true;
    w.count = w.count < MOST_TRIED ? w.count : MOST_TRIED;
    w.cases = esse_arena_alloc(check->arena, check->count, sizeof *w.cases);
    uint64_t *used = esse_arena_alloc(check->arena, check->count, sizeof *used);
    esse_budget_phase(budget, "supposing outcomes", 0);
    if (!visit(&w, 0, asked, used))
        return false;
    for (size_t i = 0; i < check->count; i++)
        if (check->verdicts[i].outcome == ESSE_UNKNOWN)
            conclude(&w, i, used[i] != NOT_REFUTED);
    return true;
}
