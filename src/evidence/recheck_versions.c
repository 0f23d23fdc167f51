#include "evidence/recheck_versions.h"

#include "evidence/assumption.h"
#include "evidence/recheck_cycle.h"
#include "history/access.h"

#include <string.h>

/* ---- which version an operation shows ---- */

/* A state of a key: what 'writer' installed; or, if nobody wrote it for good, just its value. */
struct state {
    uint32_t writer;
    esse_value value;
};
#define INITIAL ESSE_NO_OP
#define NOBODY  (ESSE_NO_OP - 1)

static bool is_write(const struct esse_history *history, uint32_t op, uint32_t key)
{
    unsigned kind = history->op_kind[op];
    return (kind == ESSE_OP_WRITE || kind == ESSE_OP_DELETE) && history->op_key[op] == key;
}

/* Does the operation write the key for good, as far as its transaction goes? */
static bool installs(const struct esse_history *history, uint32_t op, uint32_t key)
{
    uint32_t end = history->txn_op[esse_op_txn(history, op).ix + 1];
    for (uint32_t o = op + 1; o < end; o++)
        if (is_write(history, o, key))
            return false;
    return is_write(history, op, key);
}

static bool wrote_before(const struct esse_history *history, uint32_t op, uint32_t key)
{
    for (uint32_t o = history->txn_op[esse_op_txn(history, op).ix]; o < op; o++)
        if (is_write(history, o, key))
            return true;
    return false;
}

/* The only operation, of a transaction that did not abort, that wrote the value; NOBODY if there is
 * none.  False if there are several. */
static bool only_writer(const struct esse_history *history, uint32_t key, esse_value value,
                        uint32_t *writer)
{
    *writer = NOBODY;
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
            esse_value written =
                history->op_kind[op] == ESSE_OP_DELETE ? ESSE_NIL : history->op_value[op];
            if (history->txn_status[txn] == ESSE_ABORTED || !is_write(history, op, key) ||
                !esse_value_eq(written, value))
                continue;
            if (*writer != NOBODY)
                return false;
            *writer = op;
        }
    }
    return true;
}

/* Nil may be what any delete left; and a value may be both the initial one and written. */
static bool state_read(const struct esse_history *history, uint32_t op, uint32_t key,
                       struct state *state)
{
    state->value = history->op_value[op];
    if (esse_value_eq(state->value, ESSE_NONE) || esse_value_tag(state->value) == ESSE_TAG_LIST ||
        wrote_before(history, op, key) || !only_writer(history, key, state->value, &state->writer))
        return false;
    if (esse_value_eq(esse_key_initial(history, (esse_key){ key }), state->value)) {
        bool alone = state->writer == NOBODY;
        state->writer = INITIAL;
        return alone;
    }
    if (state->writer != NOBODY && !installs(history, state->writer, key))
        state->writer = NOBODY;
    return !esse_value_eq(state->value, ESSE_NIL);
}

static bool shows(const struct esse_history *history, esse_op op, esse_key key, struct state *state)
{
    if (op.ix >= history->ops || key.ix >= history->keys ||
        !esse_recheck_counts(history, esse_op_txn(history, op.ix).ix))
        return false;
    *state = (struct state){ op.ix, history->op_value[op.ix] };
    if (history->op_kind[op.ix] != ESSE_OP_READ)
        return installs(history, op.ix, key.ix);
    return history->op_key[op.ix] == key.ix && state_read(history, op.ix, key.ix, state);
}

static bool is_same(struct state a, struct state b)
{
    return a.writer == b.writer && (a.writer != NOBODY || esse_value_eq(a.value, b.value));
}

bool esse_recheck_same_version(const struct esse_history *history, esse_key key, esse_op a,
                               esse_op b)
{
    struct state first, second;
    return shows(history, a, key, &first) && shows(history, b, key, &second) &&
           is_same(first, second);
}

/* ---- why one comes before the other ---- */

static bool in_session(const struct esse_history *history, uint32_t first, uint32_t second)
{
    return first < second && history->txn_session[first] == history->txn_session[second];
}

static bool in_time(const struct esse_history *history, uint32_t first, uint32_t second)
{
    if (!history->txn_time || history->txn_status[first] != ESSE_COMMITTED)
        return false;
    int64_t end = history->txn_time[first].end, start = history->txn_time[second].begin;
    return end != ESSE_NO_TIME && start != ESSE_NO_TIME && end < start;
}

bool esse_recheck_version_edge(const struct esse_history *history, esse_key key, const char *basis,
                               esse_op first, esse_op second)
{
    struct state a, b;
    if (!shows(history, first, key, &a) || !shows(history, second, key, &b) || is_same(a, b))
        return false;
    const struct esse_assumption_words *assumption = esse_assumption_find(basis);
    if (!assumption)
        return strcmp(basis, ESSE_INITIAL_STATE) == 0 && a.writer == INITIAL;
    uint32_t t = esse_op_txn(history, first.ix).ix, u = esse_op_txn(history, second.ix).ix;
    switch (assumption->bit) {
    case ESSE_ASSUME_WFR_KEYS:
        return t == u && history->op_kind[first.ix] == ESSE_OP_READ && b.writer == second.ix;
    case ESSE_ASSUME_SEQUENTIAL_KEYS:
        return in_session(history, t, u);
    case ESSE_ASSUME_LINEARIZABLE_KEYS:
        return in_time(history, t, u);
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
            esse_recheck_same_version(history, anomaly->key, second->op, next->op);
    }
    return ok;
}
