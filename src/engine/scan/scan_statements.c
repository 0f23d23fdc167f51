#include "base/error.h"
#include "engine/scan/scan_pass.h"
#include "history/show.h"

/*
 * Statements whose rows do not speak each for itself: results of aggregates, LIMIT, joins.  What
 * they looked at is their version set and what their transaction wrote; without a version set, only
 * that what they returned goes together can be asked.
 */

static const char wrong_result[] =
    "a statement returned something else than what it looked at adds up to";
static const char wrong_rows[] =
    "the rows of a statement are not those that it returns of what it looked at";

static bool add(struct pass *pass, struct esse_answer *answer, uint32_t key, esse_value row)
{
    return esse_answer_add(answer, pass->known->history->key_name[key], row, key,
                           pass->known->error) ||
           pass_fail(pass);
}

static bool add_rows(struct pass *pass, struct esse_answer *answer, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_keyed_row *row = &pass->known->history->rows[first + i];
        if (!esse_budget_poll(pass->known->budget, pass->txn) ||
            !add(pass, answer, row->key.ix, row->value))
            return false;
    }
    return true;
}

/* What the transaction wrote is what it sees, whatever the version set says; lists are no rows. */
static bool add_version_set(struct pass *pass, struct esse_answer *answer,
                            const struct esse_predicate_op *op)
{
    const struct esse_history *history = pass->known->history;
    for (uint32_t i = 0; i < op->vset_count; i++) {
        const struct esse_keyed_row *entry = &history->rows[op->vset + i];
        pass->vset_op[entry->key.ix] = pass->op + 1;
        if (!pass_is_own(pass, entry->key.ix) && !add_rows(pass, answer, op->vset + i, 1))
            return false;
    }
    for (size_t i = 0; i < pass->own.count; i++) {
        const uint32_t key = pass->own.at[i];
        if (!esse_value_eq(pass->own_value[key], ESSE_NONE) &&
            !add(pass, answer, key, pass->own_value[key]))
            return false;
    }
    return true;
}

/* ---- rows ---- */

/* The version of a key that the statement looked at, if it is recorded. */
static bool version_of(const struct pass *pass, const struct esse_predicate_op *op, uint32_t key,
                       esse_value *version)
{
    const struct esse_history *history = pass->known->history;
    if (pass_is_own(pass, key)) {
        *version = pass->own_value[key];
        return true;
    }
    for (uint32_t i = 0; i < op->vset_count; i++) {
        *version = history->rows[op->vset + i].value;
        if (history->rows[op->vset + i].key.ix == key)
            return true;
    }
    return false;
}

/* A row must be what the version set says of it, and be selected. */
static bool check_row(struct pass *pass, const struct esse_predicate_op *op,
                      const struct esse_predicate *predicate, const struct esse_keyed_row *row,
                      bool *right)
{
    struct known *known = pass->known;
    esse_value version = row->value;
    const bool is_named = !op->has_vset || version_of(pass, op, row->key.ix, &version);
    if (esse_value_eq(version, ESSE_NONE))
        return true; /* a list that the transaction appended to */
    bool matches;
    if (!esse_predicate_selects(predicate, known->history->key_name[row->key.ix], row->value,
                                &matches, known->error))
        return pass_fail(pass);
    if (is_named && matches && esse_value_eq(version, row->value))
        return true;
    *right = false;
    if (!known_count(known, ESSE_ANOMALY_RESULT_SET_MISMATCH))
        return true;
    const char *what = !is_named  ? "; its version set does not name %k"
                       : !matches ? "; %k does not match, but was returned"
                                  : "; %k was %v for it";
    pass_tell(pass, ESSE_ANOMALY_RESULT_SET_MISMATCH, row->key.ix, wrong_rows,
              esse_show_sentence(known->arena, known->history, what, row->key, version));
    return true;
}

static void tell_set(struct pass *pass, const struct esse_predicate_op *op, uint32_t key,
                     bool missing)
{
    struct known *known = pass->known;
    if (!known_count(known, ESSE_ANOMALY_RESULT_SET_MISMATCH))
        return;
    pass_tell(pass, ESSE_ANOMALY_RESULT_SET_MISMATCH, ESSE_NO_KEY, wrong_rows,
              esse_show_sentence(known->arena, known->history, "; %k should %shave been returned%s",
                                 (esse_key){ key }, missing ? "" : "not ",
                                 op->has_vset ? "" : " together with the others"));
}

/* Without a version set the rows themselves are what is known: a join has no row without a partner,
 * and a LIMIT no more rows than it says.  Which rows an OFFSET left out is not known, though. */
static bool check_rows(struct pass *pass, struct esse_answer *answer,
                       const struct esse_predicate_op *op, const struct esse_predicate *predicate)
{
    const struct esse_keyed_row *rows = pass->known->history->rows + op->row;
    bool right = true, ok = true, missing;
    uint32_t odd;
    for (uint32_t i = 0; ok && i < op->row_count; i++)
        ok = check_row(pass, op, predicate, &rows[i], &right);
    if (ok && right && (op->has_vset || !esse_statement_skips(predicate)) &&
        !esse_answer_may_be(answer, rows, op->row_count, &odd, &missing))
        tell_set(pass, op, odd, missing);
    return ok;
}

/* ---- results ---- */

static void check_result(struct pass *pass, const struct esse_answer *answer,
                         const struct esse_predicate_op *op)
{
    struct known *known = pass->known;
    struct esse_out out;
    if (esse_answer_is(answer, esse_history_result(known->history, op), op->result_count) ||
        !known_count(known, ESSE_ANOMALY_RESULT_SET_MISMATCH))
        return;
    esse_out_init_memory(&out, known->arena);
    esse_out_text(&out, op->has_vset ? "; of its version set it is " : "; of its rows it is ");
    esse_answer_show(&out, answer);
    pass_tell(pass, ESSE_ANOMALY_RESULT_SET_MISMATCH, ESSE_NO_KEY, wrong_result,
              esse_out_memory(&out));
}

static bool refuse_result(struct pass *pass, const struct esse_predicate_op *op)
{
    char room[64];
    esse_fail(pass->known->error, ESSE_EINPUT,
              "predicate \"%s\": only a SELECT of aggregates has a result; others have rows",
              esse_value_brief(pass->known->history->values, op->text, room));
    return pass_fail(pass);
}

static bool check_answer(struct pass *pass, struct esse_answer *answer,
                         const struct esse_predicate_op *op, const struct esse_predicate *predicate)
{
    esse_answer_begin(answer);
    if (!(op->has_vset ? add_version_set(pass, answer, op)
                       : add_rows(pass, answer, op->row, op->row_count)))
        return false;
    if (!esse_answer_end(answer, pass->known->error))
        return pass_fail(pass);
    if (!op->no_rows && !esse_statement_is_exact(predicate) &&
        !check_rows(pass, answer, op, predicate))
        return false;
    if (op->has_result)
        check_result(pass, answer, op);
    return true;
}

bool scan_statement(struct pass *pass, const struct esse_predicate_op *op,
                    const struct esse_predicate *predicate)
{
    if (op->has_result && !esse_statement_is_aggregate(predicate))
        return refuse_result(pass, op);
    if (op->no_rows && !op->has_vset)
        return true; /* what it looked at is not recorded */
    struct esse_arena *arena = esse_arena_new();
    const bool ok = check_answer(pass, esse_answer_new(arena, predicate), op, predicate);
    esse_arena_free(arena);
    return ok;
}
