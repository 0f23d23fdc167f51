#include "evidence/refutation.h"

#include "base/error.h"
#include "base/guard.h"
#include "evidence/counted.h"
#include "evidence/refutation_state.h"
#include "evidence/rup.h"

#include <string.h>

/* ---- choices ---- */

static bool writes(const struct refuting *r, esse_op op, esse_key key)
{
    esse_value ignored;
    return op.ix < r->history->ops && esse_op_write_of(r->history, op.ix, key, &ignored) &&
           r->in[esse_op_txn(r->history, op.ix).ix];
}

/* An order must be one of two transactions that count: then one of the two ways is the case.  The
 * parts of a choice come before it, so that nothing is defined by itself. */
static bool is_choice(const struct refuting *r, uint32_t at)
{
    const struct esse_choice *choice = &r->refutation->choices[at];
    if (choice->kind == ESSE_CHOICE_BOTH)
        return choice->parts[0] >> 1 < at && choice->parts[1] >> 1 < at;
    if (choice->key.ix >= r->history->keys)
        return false;
    if (choice->kind == ESSE_CHOICE_SOURCE)
        return choice->second.ix < r->history->ops &&
               (choice->first.ix == ESSE_NO_OP || writes(r, choice->first, choice->key));
    return choice->kind == ESSE_CHOICE_ORDER && writes(r, choice->first, choice->key) &&
           writes(r, choice->second, choice->key) &&
           esse_op_txn(r->history, choice->first.ix).ix !=
               esse_op_txn(r->history, choice->second.ix).ix;
}

/* ---- clauses ---- */

/* One literal is the choice itself, the others are the negations of its parts. */
static bool is_definition(const struct refuting *r, const struct esse_clause *clause)
{
    for (uint32_t i = 0; clause->count == 3 && i < 3; i++) {
        const uint32_t whole = clause->literals[i];
        const struct esse_choice *choice = &r->refutation->choices[whole >> 1];
        const uint32_t a = clause->literals[(i + 1) % 3] ^ 1, b = clause->literals[(i + 2) % 3] ^ 1;
        if (choice->kind == ESSE_CHOICE_BOTH && !(whole & 1) &&
            ((choice->parts[0] == a && choice->parts[1] == b) ||
             (choice->parts[0] == b && choice->parts[1] == a)))
            return true;
    }
    return false;
}

static bool is_true(struct refuting *r, struct esse_rup *rup, const struct esse_clause *clause)
{
    esse_guard_poll();
    for (uint32_t i = 0; i < clause->count; i++)
        if (clause->literals[i] >> 1 >= r->refutation->choice_count)
            return false;
    if (clause->kind == ESSE_CLAUSE_FOLLOWS)
        return esse_rup_implied(rup, clause->literals, clause->count);
    bool ok = clause->kind == ESSE_CLAUSE_CYCLE     ? refute_is_cycle(r, clause)
              : clause->kind == ESSE_CLAUSE_SOURCES ? refute_names_all_sources(r, clause)
              : clause->kind == ESSE_CLAUSE_BOTH    ? is_definition(r, clause)
                                                    : false;
    if (ok)
        esse_rup_add(rup, clause->literals, clause->count);
    return ok;
}

static bool refutes(struct refuting *r)
{
    const struct esse_refutation *refutation = r->refutation;
    struct esse_rup *rup = esse_rup_new(r->arena);
    for (uint32_t i = 0; i < refutation->choice_count; i++)
        if (!is_choice(r, i))
            return false;
    for (uint32_t i = 0; i < refutation->clause_count; i++)
        if (!is_true(r, rup, &refutation->clauses[i]))
            return false;
    return refutation->clause_count && !refutation->clauses[refutation->clause_count - 1].count;
}

bool esse_recheck_refutation(const struct esse_history *history, const struct esse_anomaly *anomaly,
                             struct esse_error *err)
{
    struct refuting r = { .arena = esse_arena_new(),
                          .history = history,
                          .level = esse_level_failing_by(anomaly->type),
                          .refutation = anomaly->refutation };
    bool ok = r.level && r.refutation;
    if (ok) {
        esse_by_key_make(&r.by_key, r.arena, history);
        r.in = esse_counted(r.arena, history);
        ok = refutes(&r);
    }
    esse_arena_free(r.arena);
    return ok || esse_fail(err, ESSE_EBUG, "the refutation %s does not follow from the history",
                           esse_anomaly_name(anomaly->type));
}
