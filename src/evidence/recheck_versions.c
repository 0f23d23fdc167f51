#include "evidence/recheck_versions.h"

#include "evidence/recheck_edge.h"

/* ---- which version an operation shows ---- */

/* A state of a key: what 'writer' installed, ESSE_NO_OP for the initial one; or, if it is not
 * written for good (CLAIM_NO_WRITER), just its value. */
struct state {
    uint32_t writer;
    esse_value value;
};

/* As a reader, or as a writer.  Nothing that no delete left for good is no version. */
static bool shows(const struct claim *claim, esse_op op, esse_key key, bool as_reader,
                  struct state *state)
{
    *state = (struct state){ op.ix, ESSE_NONE };
    if (op.ix >= claim->history->ops || key.ix >= claim->history->keys ||
        !claim->in[esse_op_txn(claim->history, op.ix).ix])
        return false;
    if (!as_reader)
        return claim_writes(claim, op.ix, key) && !esse_op_writes_after(claim->history, op.ix, key);
    state->writer = claim_only_source(claim, op.ix, key);
    if (state->writer < CLAIM_UNKNOWN && esse_op_writes_after(claim->history, state->writer, key))
        state->writer = CLAIM_NO_WRITER;
    return state->writer != CLAIM_UNKNOWN && claim_reads(claim, op.ix, key, &state->value) &&
           !esse_value_is_list(state->value) &&
           (state->writer != CLAIM_NO_WRITER || !esse_value_eq(state->value, ESSE_NIL));
}

static bool witnesses_read(const struct claim *claim, esse_op op)
{
    const unsigned kind =
        op.ix < claim->history->ops ? claim->history->op_kind[op.ix] : ESSE_OP_WRITE;
    return kind == ESSE_OP_READ || kind == ESSE_OP_PREDICATE_READ;
}

static bool is_same(struct state a, struct state b)
{
    return a.writer == b.writer && (a.writer != CLAIM_NO_WRITER || esse_value_eq(a.value, b.value));
}

bool version_is_shown(const struct claim *claim, esse_key key, esse_op op, bool as_reader,
                      esse_op witness)
{
    struct state first, second;
    return shows(claim, op, key, as_reader, &first) &&
           shows(claim, witness, key, witnesses_read(claim, witness), &second) &&
           is_same(first, second);
}

/* ---- why one comes before the other ---- */

bool version_comes_first(const struct claim *claim, esse_key key, enum esse_basis basis,
                         esse_op first, esse_op second)
{
    struct state a, b;
    const bool reads = witnesses_read(claim, first);
    if (!shows(claim, first, key, reads, &a) ||
        !shows(claim, second, key, witnesses_read(claim, second), &b) || is_same(a, b))
        return false;
    struct esse_edge edge = { .from = esse_op_txn(claim->history, first.ix),
                              .to = esse_op_txn(claim->history, second.ix),
                              .from_op = first,
                              .to_op = second };
    switch (basis) {
    case ESSE_BASIS_WFR_KEYS:
        return edge.from.ix == edge.to.ix && reads && b.writer == second.ix;
    case ESSE_BASIS_SEQUENTIAL_KEYS:
        edge.dep = ESSE_DEP_PROCESS;
        break;
    case ESSE_BASIS_LINEARIZABLE_KEYS:
        edge.dep = ESSE_DEP_REALTIME;
        break;
    case ESSE_BASIS_INITIAL_STATE:
        return a.writer == ESSE_NO_OP;
    case ESSE_BASIS_NONE:
    case ESSE_BASIS_END:
        return false;
    }
    return edge.from.ix != edge.to.ix && edge_follows(claim, &edge);
}

bool version_is_cyclic(const struct claim *claim)
{
    const struct esse_anomaly *anomaly = claim->anomaly;
    const uint32_t count = anomaly->step_count;
    bool ok = count >= 4 && count % 2 == 0;
    for (uint32_t i = 0; ok && i < count; i += 2) {
        const struct esse_step *first = &anomaly->steps[i], *second = &anomaly->steps[i + 1];
        ok = first->basis &&
             version_comes_first(claim, anomaly->key, first->basis, first->op, second->op) &&
             version_is_shown(claim, anomaly->key, second->op, witnesses_read(claim, second->op),
                              anomaly->steps[(i + 2) % count].op);
    }
    return ok;
}
