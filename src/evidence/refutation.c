#include "evidence/refutation.h"

#include "base/guard.h"
#include "evidence/recheck_cycle.h"
#include "evidence/rup.h"
#include "sql/statement.h"

/* ---- choices ---- */

static bool is_write(const struct claim *claim, esse_op op, esse_key key)
{
    return op.ix < claim->history->ops && claim_writes(claim, op.ix, key) &&
           claim->in[esse_op_txn(claim->history, op.ix).ix];
}

/* An order must be one of two transactions that count: then one of the two ways is the case.  The
 * parts of a choice come before it, so that nothing is defined by itself. */
static bool is_choice(const struct claim *claim, uint32_t at)
{
    const struct esse_history *history = claim->history;
    const struct esse_choice *choice = &claim->anomaly->refutation->choices[at];
    const esse_op first = choice->first, second = choice->second;
    if (choice->kind == ESSE_CHOICE_BOTH)
        return choice->parts[0] >> 1 < at && choice->parts[1] >> 1 < at;
    if (choice->key.ix >= history->keys)
        return false;
    if (choice->kind == ESSE_CHOICE_SOURCE)
        return second.ix < history->ops &&
               (first.ix == ESSE_NO_OP || is_write(claim, first, choice->key));
    return choice->kind == ESSE_CHOICE_ORDER && is_write(claim, first, choice->key) &&
           is_write(claim, second, choice->key) &&
           esse_op_txn(history, first.ix).ix != esse_op_txn(history, second.ix).ix;
}

/* What it says that a literal is true, as orders and sources. */
static void give(struct claim *claim, uint32_t literal)
{
    struct esse_choice choice = claim->anomaly->refutation->choices[literal >> 1];
    const bool is_so = !(literal & 1);
    if (choice.kind == ESSE_CHOICE_ORDER && !is_so) {
        const esse_op first = choice.first;
        choice.first = choice.second;
        choice.second = first;
    }
    if (choice.kind == ESSE_CHOICE_ORDER || (choice.kind == ESSE_CHOICE_SOURCE && is_so))
        claim_choice_vec_push(&claim->given, claim->arena, choice);
    for (int part = 0; part < 2 && choice.kind == ESSE_CHOICE_BOTH && is_so; part++)
        give(claim, choice.parts[part]);
}

/* ---- all versions that a read can be of ---- */

/* What the read of a clause returned of its key; or the predicate that did not return it. */
struct reading {
    const struct claim *claim;
    const struct esse_clause *clause;
    uint32_t reader;
    esse_value value;
    const struct esse_predicate *predicate; /* or NULL */
};

/* Is the version of 'op' (ESSE_NO_OP: the initial one) among those that the clause names? */
static bool is_named(const struct reading *r, uint32_t op)
{
    for (uint32_t i = 0; i < r->clause->count; i++)
        if (r->claim->anomaly->refutation->choices[r->clause->literals[i] >> 1].first.ix == op)
            return true;
    return false;
}

/* Is it the value that was returned, or does it not match?  One for which the predicate has no
 * answer may be either. */
static bool can_be(const struct reading *r, esse_value value)
{
    const esse_value key = r->claim->history->key_name[r->clause->key.ix];
    struct esse_error ignored;
    bool matches = false;
    return !r->predicate
               ? esse_value_eq(value, r->value)
               : !esse_predicate_selects(r->predicate, key, value, &matches, &ignored) || !matches;
}

/* A version that was aborted or overwritten by its own transaction may not be read at any level
 * here.  One of unknown outcome that was not seen committed unless a complete certificate leaves it
 * out, of which a predicate tells nothing. */
static bool names_all(const struct reading *r)
{
    const struct esse_history *history = r->claim->history;
    const struct esse_by_key *by_key = &r->claim->by_key;
    const uint32_t key = r->clause->key.ix;
    if (can_be(r, esse_key_initial(history, r->clause->key)) && !is_named(r, ESSE_NO_OP))
        return false;
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++) {
        const struct esse_key_access key_access = by_key->at[at];
        const bool is_out =
            history->txn_status[key_access.txn] == ESSE_ABORTED || key_access.txn == r->reader ||
            (r->predicate && !r->claim->in[key_access.txn] && history->certificate.complete);
        if (r->predicate && key_access.kind == ESSE_OP_APPEND)
            return false;
        if (key_access.kind == ESSE_OP_WRITE && !is_out && esse_is_last_write(by_key, key, at) &&
            can_be(r, key_access.value) && !is_named(r, esse_by_key_op(by_key, key_access.access)))
            return false;
    }
    return true;
}

/* A key that the predicate did not return had a version that does not match. */
static bool find_predicate(struct reading *r, uint32_t op)
{
    const struct esse_history *history = r->claim->history;
    struct esse_error ignored;
    if (!esse_op_is_predicate(history->op_kind[op]) ||
        history->predicates[history->op_key[op]].no_rows)
        return false;
    r->predicate = esse_predicates_get(r->claim->predicates,
                                       history->predicates[history->op_key[op]].text, &ignored);
    return r->predicate && esse_statement_is_exact(r->predicate);
}

static bool names_sources(const struct claim *claim, const struct esse_clause *clause)
{
    const uint32_t op = clause->read.ix;
    struct reading r = { .claim = claim, .clause = clause };
    for (uint32_t i = 0; i < clause->count; i++) {
        const struct esse_choice *choice =
            &claim->anomaly->refutation->choices[clause->literals[i] >> 1];
        if ((clause->literals[i] & 1) || choice->kind != ESSE_CHOICE_SOURCE ||
            choice->second.ix != op || choice->key.ix != clause->key.ix)
            return false;
    }
    if (op >= claim->history->ops || clause->key.ix >= claim->history->keys)
        return false;
    r.reader = esse_op_txn(claim->history, op).ix;
    if (!claim->in[r.reader] || esse_op_wrote_before(claim->history, op, clause->key))
        return false;
    const bool is_returned = esse_op_read_of(claim->history, op, clause->key, &r.value);
    r.value = esse_value_state(r.value);
    return (is_returned ? !esse_value_eq(r.value, ESSE_NONE) && !esse_value_is_list(r.value)
                        : find_predicate(&r, op)) &&
           names_all(&r);
}

/* ---- clauses ---- */

static bool is_cycle(struct claim *claim, const struct esse_clause *clause)
{
    claim->given.count = 0;
    for (uint32_t i = 0; i < clause->count; i++)
        give(claim, clause->literals[i] ^ 1);
    return cycle_is_refuted(claim, clause->edges, clause->edge_count);
}

/* One literal is the choice itself, the others are the negations of its parts. */
static bool is_definition(const struct claim *claim, const struct esse_clause *clause)
{
    for (uint32_t i = 0; clause->count == 3 && i < 3; i++) {
        const uint32_t whole = clause->literals[i];
        const struct esse_choice *choice = &claim->anomaly->refutation->choices[whole >> 1];
        const uint32_t a = clause->literals[(i + 1) % 3] ^ 1, b = clause->literals[(i + 2) % 3] ^ 1;
        if (choice->kind == ESSE_CHOICE_BOTH && !(whole & 1) &&
            ((choice->parts[0] == a && choice->parts[1] == b) ||
             (choice->parts[0] == b && choice->parts[1] == a)))
            return true;
    }
    return false;
}

static bool is_true(struct claim *claim, struct esse_rup *rup, const struct esse_clause *clause)
{
    esse_guard_poll();
    for (uint32_t i = 0; i < clause->count; i++)
        if (clause->literals[i] >> 1 >= claim->anomaly->refutation->choice_count)
            return false;
    if (clause->kind == ESSE_CLAUSE_FOLLOWS)
        return esse_rup_implied(rup, clause->literals, clause->count);
    const bool ok = clause->kind == ESSE_CLAUSE_CYCLE     ? is_cycle(claim, clause)
                    : clause->kind == ESSE_CLAUSE_SOURCES ? names_sources(claim, clause)
                    : clause->kind == ESSE_CLAUSE_BOTH    ? is_definition(claim, clause)
                                                          : false;
    if (ok)
        esse_rup_add(rup, clause->literals, clause->count);
    return ok;
}

bool refutation_holds(struct claim *claim)
{
    const struct esse_refutation *refutation = claim->anomaly->refutation;
    struct esse_rup *rup = esse_rup_new(claim->arena);
    claim->predicates = esse_predicates_new(claim->arena, claim->history);
    if (!refutation || !claim->level)
        return false;
    for (uint32_t i = 0; i < refutation->choice_count; i++)
        if (!is_choice(claim, i))
            return false;
    for (uint32_t i = 0; i < refutation->clause_count; i++)
        if (!is_true(claim, rup, &refutation->clauses[i]))
            return false;
    return refutation->clause_count && !refutation->clauses[refutation->clause_count - 1].count;
}
