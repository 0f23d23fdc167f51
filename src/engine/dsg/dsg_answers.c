#include "engine/dsg/dsg_answers.h"

#include "history/given_order.h"
#include "history/show.h"
#include "sql/statement.h"

bool dsg_answers_are_known(const struct dsg_ranges *ranges)
{
    const struct versions *versions = ranges->versions;
    const struct esse_history *history = versions->history;
    if ((history->has & ESSE_HAS_APPENDS) || !dsg_ranges_all_placed(ranges))
        return false;
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if (history->txn_status[txn] == ESSE_UNKNOWN_OUTCOME && !versions->in[txn] &&
            esse_txn_writes(history, txn, NULL))
            return false;
    return true;
}

/* ---- the state ---- */

static esse_value value_of(const struct dsg_asking *asking, uint32_t key)
{
    const struct versions *versions = asking->ranges->versions;
    esse_value value;
    for (uint32_t op = asking->op;
         asking->own[key] == asking->op + 1 && op-- > versions->history->txn_op[asking->txn];)
        if (esse_op_write_of(versions->history, op, (esse_key){ key }, &value))
            return value;
    return dsg_version_value(versions, key, dsg_ranges_seen(asking->ranges, asking->snapshot, key));
}

static bool add(const struct dsg_asking *asking, struct esse_answer *answer, uint32_t key)
{
    return esse_answer_add(answer, asking->known->history->key_name[key], value_of(asking, key),
                           key, asking->views->err);
}

/* Is the write the transaction's last to the key before the operation? */
static bool is_last(const struct dsg_asking *asking, uint32_t write, esse_key key)
{
    esse_value ignored;
    for (uint32_t op = write + 1; op < asking->op; op++)
        if (esse_op_write_of(asking->known->history, op, key, &ignored))
            return false;
    return true;
}

static bool bring_rows(const struct dsg_asking *asking, struct esse_answer *answer)
{
    const struct esse_history *history = asking->known->history;
    for (uint32_t i = 0; i < asking->key_count; i++)
        if (asking->own[asking->keys[i]] != asking->op + 1 && !add(asking, answer, asking->keys[i]))
            return false;
    struct esse_access_walk walk = { history, history->txn_op[asking->txn], asking->op };
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ && is_last(asking, walk.op, walk.access.key) &&
            !add(asking, answer, walk.access.key.ix))
            return false;
    return esse_answer_end(answer, asking->views->err);
}

/* ---- telling ---- */

static void tell(const struct dsg_asking *asking, const struct esse_answer *answer, uint32_t key)
{
    struct known *known = asking->known;
    struct esse_out out;
    if (!known_count(known, ESSE_ANOMALY_RESULT_SET_MISMATCH))
        return;
    esse_out_init_memory(&out, known->arena);
    esse_show_f(&out, known->history, "%t did %o; at its snapshot ", (esse_txn){ asking->txn },
                (esse_op){ asking->op });
    if (key == ESSE_NO_KEY) {
        esse_out_text(&out, "it is ");
        esse_answer_show(&out, answer);
    } else {
        esse_show_f(&out, known->history, "%k = %v, which does not go with the rows returned",
                    (esse_key){ key }, value_of(asking, key));
    }
    const struct esse_step step = {
        { asking->txn }, { asking->op }, esse_out_memory(&out), ESSE_BASIS_NONE
    };
    known_tell(known, ESSE_ANOMALY_RESULT_SET_MISMATCH, (esse_key){ ESSE_NO_KEY },
               "a statement returned something else than it does at the snapshot that the "
               "certificate gives it",
               &step, 1);
}

/* ---- rows ---- */

/* A row that was returned in another version than the snapshot has, or that should not have been,
 * or one that should have been and was not; ESSE_NO_KEY if all is right. */
static uint32_t find_odd(const struct dsg_asking *asking, struct esse_answer *answer,
                         const struct esse_predicate_op *predicate)
{
    const struct esse_keyed_row *rows = asking->known->history->rows + predicate->row;
    uint32_t odd;
    bool missing;
    for (uint32_t i = 0; i < predicate->row_count; i++)
        if (!esse_value_eq(value_of(asking, rows[i].key.ix), rows[i].value))
            return rows[i].key.ix;
    return esse_answer_may_be(answer, rows, predicate->row_count, &odd, &missing) ? ESSE_NO_KEY
                                                                                  : odd;
}

bool dsg_answer_check(const struct dsg_asking *asking)
{
    const struct esse_history *history = asking->known->history;
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[asking->op]];
    if (history->txn_status[asking->txn] != ESSE_COMMITTED)
        return true;
    struct esse_arena *arena = esse_arena_new();
    struct esse_answer *answer = esse_answer_new(arena, asking->views->predicate);
    esse_answer_begin(answer);
    const bool ok = bring_rows(asking, answer);
    if (ok && predicate->has_result &&
        !esse_answer_is(answer, esse_history_result(history, predicate), predicate->result_count))
        tell(asking, answer, ESSE_NO_KEY);
    else if (ok && !predicate->no_rows) {
        const uint32_t odd = find_odd(asking, answer, predicate);
        if (odd != ESSE_NO_KEY)
            tell(asking, answer, odd);
    }
    esse_arena_free(arena);
    return ok;
}
