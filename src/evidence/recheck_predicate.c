#include "evidence/recheck_predicate.h"

#include "evidence/looked.h"

static const esse_value *set_or_rows(const struct looked *looked)
{
    return looked->returned->has_vset ? looked_at_set(looked) : looked_at_rows(looked);
}

/* ---- of one key ---- */

/* It left out a version that it selects. */
static bool misses(struct looked *looked, esse_key key, esse_value version)
{
    esse_value ignored;
    return !esse_op_read_of(looked->history, looked->op, key, &ignored) &&
           looked_differs(looked, key, version);
}

static bool misses_all(struct looked *looked, esse_key key)
{
    const struct esse_history *history = looked->history;
    bool ok = misses(looked, key, esse_key_initial(history, key));
    for (uint32_t txn = 0; ok && txn < history->txns; txn++) {
        struct esse_access_walk walk = esse_accesses_of(history, txn);
        while (ok && history->txn_status[txn] != ESSE_ABORTED && esse_access_next(&walk))
            ok = walk.access.kind == ESSE_OP_READ || walk.access.key.ix != key.ix ||
                 (walk.access.kind == ESSE_OP_WRITE && misses(looked, key, walk.access.value));
    }
    return ok;
}

static bool misses_own(struct looked *looked, esse_key key)
{
    const struct replay_own own = replay_own_writes(looked->history, looked->txn, looked->op, key);
    return own.written && misses(looked, key, own.value);
}

static bool differs(struct looked *looked, esse_key key)
{
    bool ignored;
    if (looked_differs(looked, key, set_or_rows(looked)[key.ix]))
        return true;
    if (!replay_rows_tell_all(&looked->store, looked->op) ||
        esse_op_wrote_before(looked->history, looked->op, key))
        return false;
    const esse_value *view = looked_at_snapshot(looked, &ignored);
    return view && looked_differs(looked, key, view[key.ix]);
}

/* ---- of a statement as a whole ---- */

static bool is_wrong(struct looked *looked, const esse_value *view, bool has_all)
{
    looked_fill(looked, view);
    return !replay_rows_whole(&looked->store, looked->op, has_all) && looked_has_answers(looked);
}

/* Rows of another version are found key by key, unless they are not all that it selects. */
static bool has_other_row(struct looked *looked, const esse_value *view)
{
    const struct esse_keyed_row *rows = looked->history->rows + looked->returned->row;
    uint32_t at = 0;
    if (!looked_has_answers(looked) || replay_rows_tell_all(&looked->store, looked->op))
        return false;
    while (at < looked->returned->row_count && esse_value_eq(view[rows[at].key.ix], rows[at].value))
        at++;
    return at < looked->returned->row_count;
}

static bool is_wrong_whole(struct looked *looked, esse_key ignored)
{
    const bool has_vset = looked->returned->has_vset;
    bool is_sure;
    (void)ignored;
    if ((has_vset || !looked->returned->no_rows) && is_wrong(looked, set_or_rows(looked), has_vset))
        return true;
    const esse_value *view = looked_at_snapshot(looked, &is_sure);
    return view && is_sure && (is_wrong(looked, view, true) || has_other_row(looked, view));
}

bool esse_recheck_predicate(enum esse_predicate_fault fault, const struct esse_history *history,
                            uint32_t txn, uint32_t op, esse_key key)
{
    static bool (*const shows[])(struct looked * looked, esse_key key) = {
        [ESSE_PREDICATE_MISSES_ALL] = misses_all,
        [ESSE_PREDICATE_MISSES_OWN] = misses_own,
        [ESSE_PREDICATE_DIFFERS] = differs,
        [ESSE_PREDICATE_IS_WRONG] = is_wrong_whole,
    };
    struct looked looked;
    if (!looked_open(&looked, history, txn, op))
        return false;
    const bool yes = shows[fault](&looked, key);
    looked_close(&looked);
    return yes;
}
