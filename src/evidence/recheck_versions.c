#include "evidence/recheck_versions.h"

#include "evidence/assumption.h"
#include "evidence/recheck_cycle.h"
#include "evidence/truths.h"
#include "history/access.h"

#include <string.h>

/* ---- which version an operation shows ---- */

/* A state of a key: what 'writer' installed; or, if not written for good, just its value. */
struct state {
    uint32_t writer;
    esse_value value;
};
#define INITIAL ESSE_NO_OP
#define NOBODY  (ESSE_NO_OP - 1)

/* Does the operation write the key for good, as far as its transaction goes? */
static bool installs(const struct esse_history *history, uint32_t op, esse_key key)
{
    return truth_writes(history, op, key) && !truth_writes_after(history, op, key);
}

/* The only operation that wrote the value, or NOBODY if there is none.  False if there are several.
 * A transaction that aborted wrote nothing but deletes: nothing may be what one of them left. */
static bool only_writer(const struct esse_history *history, esse_key key, esse_value value,
                        uint32_t *writer)
{
    const struct truth_writers of = truth_writers(history, key, value, ESSE_NO_TXN);
    const bool is_nothing = esse_value_eq(value, ESSE_NIL);
    const uint32_t count = is_nothing ? of.all : of.kept;
    *writer = !count ? NOBODY : is_nothing ? of.first : of.first_kept;
    return count <= 1;
}

/* A value may be both the initial one and written, and nothing what one of several deletes left:
 * then it is not known which version was read. */
static bool state_read(const struct esse_history *history, uint32_t op, esse_key key,
                       struct state *state)
{
    if (!esse_op_read_of(history, op, key, &state->value) ||
        esse_value_eq(state->value, ESSE_NONE) || esse_value_tag(state->value) == ESSE_TAG_LIST ||
        truth_wrote_before(history, op, key) ||
        !only_writer(history, key, state->value, &state->writer))
        return false;
    if (esse_value_eq(esse_key_initial(history, key), state->value)) {
        bool alone = state->writer == NOBODY;
        state->writer = INITIAL;
        return alone;
    }
    const bool is_nothing = esse_value_eq(state->value, ESSE_NIL);
    if (state->writer != NOBODY && !installs(history, state->writer, key))
        state->writer = NOBODY;
    return !is_nothing || state->writer != NOBODY;
}

/* As a reader, or as a writer. */
static bool shows(const struct esse_history *history, esse_op op, esse_key key, bool as_reader,
                  struct state *state)
{
    if (op.ix >= history->ops || key.ix >= history->keys ||
        !esse_recheck_counts(history, esse_op_txn(history, op.ix).ix))
        return false;
    *state = (struct state){ op.ix, ESSE_NONE };
    return as_reader ? state_read(history, op.ix, key, state) : installs(history, op.ix, key);
}

/* A predicate update both reads and writes; as a witness it shows what it wrote. */
static bool witnesses_read(const struct esse_history *history, esse_op op)
{
    return op.ix < history->ops && (history->op_kind[op.ix] == ESSE_OP_READ ||
                                    history->op_kind[op.ix] == ESSE_OP_PREDICATE_READ);
}

static bool is_same(struct state a, struct state b)
{
    return a.writer == b.writer && (a.writer != NOBODY || esse_value_eq(a.value, b.value));
}

bool esse_recheck_shows_version(const struct esse_history *history, esse_key key, esse_op op,
                                bool as_reader, esse_op witness)
{
    struct state first, second;
    return shows(history, op, key, as_reader, &first) &&
           shows(history, witness, key, witnesses_read(history, witness), &second) &&
           is_same(first, second);
}

/* ---- why one comes before the other ---- */

bool esse_recheck_version_edge(const struct esse_history *history, esse_key key, const char *basis,
                               esse_op first, esse_op second)
{
    struct state a, b;
    const bool reads = witnesses_read(history, first);
    if (!shows(history, first, key, reads, &a) ||
        !shows(history, second, key, witnesses_read(history, second), &b) || is_same(a, b))
        return false;
    const struct esse_assumption_words *assumption = esse_assumption_find(basis);
    if (!assumption)
        return strcmp(basis, ESSE_INITIAL_STATE) == 0 && a.writer == INITIAL;
    uint32_t t = esse_op_txn(history, first.ix).ix, u = esse_op_txn(history, second.ix).ix;
    switch (assumption->bit) {
    case ESSE_ASSUME_WFR_KEYS:
        return t == u && reads && b.writer == second.ix;
    case ESSE_ASSUME_SEQUENTIAL_KEYS:
        return truth_is_in_session(history, t, u);
    case ESSE_ASSUME_LINEARIZABLE_KEYS:
        return truth_is_in_time(history, t, u);
    }
    return false;
}

bool esse_recheck_cyclic(const struct esse_history *history, const struct esse_anomaly *anomaly)
{
    const uint32_t count = anomaly->step_count;
    bool ok = count >= 4 && count % 2 == 0;
    for (uint32_t i = 0; ok && i < count; i += 2) {
        const struct esse_step *first = &anomaly->steps[i], *second = &anomaly->steps[i + 1];
        const struct esse_step *next = &anomaly->steps[(i + 2) % count];
        ok =
            first->basis &&
            esse_recheck_version_edge(history, anomaly->key, first->basis, first->op, second->op) &&
            esse_recheck_shows_version(history, anomaly->key, second->op,
                                       witnesses_read(history, second->op), next->op);
    }
    return ok;
}
