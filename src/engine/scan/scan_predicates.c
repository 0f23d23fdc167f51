#include "engine/scan/scan_pass.h"
#include "history/show.h"

#include <assert.h>

/*
 * Predicate operations against what their predicates say of rows: keys that they left out although
 * every version matches, and rows that differ from what their version sets hold.
 */

bool pass_fail(struct pass *pass)
{
    assert(pass->known->error->code != ESSE_OK);
    pass->known->error->line = pass->known->history->txn_line[pass->txn];
    return false;
}

static bool selects(struct pass *pass, const struct esse_predicate *predicate, uint32_t key,
                    esse_value row, bool *matches)
{
    return esse_predicate_selects(predicate, pass->known->history->key_name[key], row, matches,
                                  pass->known->error) ||
           pass_fail(pass);
}

static const struct esse_predicate *predicate_of(struct pass *pass,
                                                 const struct esse_predicate_op *op)
{
    const struct esse_predicate *predicate =
        esse_predicates_get(pass->predicates, op->text, pass->known->error);
    if (!predicate)
        pass_fail(pass);
    return predicate;
}

/* "t3 did p v > 5: nothing", and what 'rest' adds. */
static struct esse_step step_of(struct pass *pass, uint32_t op, const char *rest)
{
    const struct known *known = pass->known;
    const char *what = esse_show_sentence(known->arena, known->history, "%t did %o%s",
                                          (esse_txn){ pass->txn }, (esse_op){ op }, rest);
    return (struct esse_step){ { pass->txn }, { op }, what };
}

void pass_tell(struct pass *pass, enum esse_anomaly_id type, uint32_t key, const char *description,
               const char *rest)
{
    assert(pass->op < pass->known->history->ops);
    const struct esse_step step = step_of(pass, pass->op, rest);
    known_tell(pass->known, type, (esse_key){ key }, description, &step, 1);
}

/* ---- predicate-read-miss ---- */

/* Does the initial value match, and whatever was written by transactions that did not abort? */
static bool always_matches(struct pass *pass, const struct esse_predicate *predicate, uint32_t key,
                           bool *matches)
{
    const struct esse_by_key *by_key = &pass->known->sources.by_key;
    if (!selects(pass, predicate, key, pass->known->sources.initial[key], matches))
        return false;
    for (uint32_t at = by_key->first[key]; *matches && at < by_key->first[key + 1]; at++) {
        const struct esse_key_access *key_access = &by_key->at[at];
        if (key_access->kind != ESSE_OP_READ &&
            known_status(pass->known, key_access->txn) != ESSE_ABORTED &&
            !selects(pass, predicate, key, key_access->value, matches))
            return false;
    }
    return true;
}

static bool find_one_by_one(struct pass *pass, const struct esse_predicate *predicate,
                            struct esse_u32_vec *list)
{
    const struct esse_u32_vec *keys = &pass->present.keys;
    for (size_t i = 0; i < keys->count; i++) {
        bool matches;
        if (!esse_budget_poll(pass->known->budget, pass->txn) ||
            !always_matches(pass, predicate, keys->at[i], &matches))
            return false;
        if (matches)
            esse_u32_vec_push(list, pass->known->scratch, keys->at[i]);
    }
    return true;
}

/* The always-present keys that always match the predicate; found once for each text. */
static bool find_matching(struct pass *pass, const struct esse_predicate_op *op, uint32_t *text)
{
    bool fresh;
    uint32_t *number = esse_word_map_put(&pass->texts, op->text.word, &fresh);
    if (fresh)
        *number = (uint32_t)pass->matching.count;
    *text = *number;
    if (!fresh)
        return true;
    struct esse_u32_vec list = { 0 };
    struct esse_range range;
    const struct esse_predicate *predicate = predicate_of(pass, op);
    if (!predicate || !((esse_predicate_range(predicate, &range) &&
                         scan_present_in(&pass->present, &range, &list)) ||
                        find_one_by_one(pass, predicate, &list)))
        return false;
    key_list_vec_push(&pass->matching, pass->known->scratch, list);
    assert(pass->matching.count == *text + 1u);
    return true;
}

static void tell_miss(struct pass *pass, uint32_t key)
{
    struct known *known = pass->known;
    pass_tell(pass, ESSE_ANOMALY_PREDICATE_READ_MISS, key,
              "a predicate left out a key although every version that the key ever had matches",
              esse_show_sentence(known->arena, known->history,
                                 ", without %k, which was %v at first and has matched ever since",
                                 (esse_key){ key }, known->sources.initial[key]));
}

static bool check_misses(struct pass *pass, const struct esse_predicate_op *op)
{
    uint32_t text;
    if (!pass->present.keys.count)
        return true; /* and the predicate need not be understood */
    if (!find_matching(pass, op, &text))
        return false;
    const struct esse_u32_vec *list = &pass->matching.at[text];
    for (size_t i = 0; i < list->count; i++)
        if (!pass_is_returned(pass, list->at[i]) &&
            known_count(pass->known, ESSE_ANOMALY_PREDICATE_READ_MISS))
            tell_miss(pass, list->at[i]);
    return true;
}

/* ---- result-set-mismatch ---- */

static const char mismatch[] =
    "the rows of a predicate differ from what it selects from its version set";

static void tell_mismatch(struct pass *pass, uint32_t key, esse_value version, bool matches)
{
    struct known *known = pass->known;
    const bool has_vset = known->history->predicates[known->history->op_key[pass->op]].has_vset;
    const char *from = pass_is_own(pass, key) ? ", its own write,"
                       : has_vset             ? " in its version set"
                                              : "";
    const char *rest =
        matches ? "matches and was not returned" : "does not match, but was returned";
    if (matches && pass_is_returned(pass, key))
        rest = esse_show_sentence(known->arena, known->history, "matches, but %v was returned",
                                  pass->row_value[key]);
    pass_tell(pass, ESSE_ANOMALY_RESULT_SET_MISMATCH, key, mismatch,
              esse_show_sentence(known->arena, known->history, "; %k = %v%s %s", (esse_key){ key },
                                 version, from, rest));
}

/* Is the key among the rows exactly if this version of it matches, and then with its value? */
static bool check_version(struct pass *pass, const struct esse_predicate *predicate, uint32_t key,
                          esse_value version)
{
    bool matches;
    if (!selects(pass, predicate, key, version, &matches))
        return false;
    const bool right = matches == pass_is_returned(pass, key) &&
                       (!matches || esse_value_eq(pass->row_value[key], version));
    if (!right && known_count(pass->known, ESSE_ANOMALY_RESULT_SET_MISMATCH))
        tell_mismatch(pass, key, version, matches);
    return true;
}

/* A row must come from the version set, or from what the transaction wrote before. */
static void check_row(struct pass *pass, const struct esse_keyed_row *row)
{
    struct known *known = pass->known;
    if (pass->vset_op[row->key.ix] == pass->op + 1 || pass_is_own(pass, row->key.ix) ||
        !known_count(known, ESSE_ANOMALY_RESULT_SET_MISMATCH))
        return;
    pass_tell(pass, ESSE_ANOMALY_RESULT_SET_MISMATCH, row->key.ix, mismatch,
              esse_show_sentence(known->arena, known->history, "; its version set does not name %k",
                                 row->key));
}

/* Appends and what was returned are for others to judge, and what was deleted matches nothing. */
static bool may_miss_own(const struct pass *pass, uint32_t key)
{
    return !esse_value_eq(pass->own_value[key], ESSE_NONE) &&
           !esse_value_eq(pass->own_value[key], ESSE_NIL) && !pass_is_returned(pass, key);
}

/* Without a version set: what the transaction wrote is what it sees. */
static bool check_own(struct pass *pass, const struct esse_predicate *predicate, uint32_t key)
{
    bool matches;
    if (!may_miss_own(pass, key))
        return true;
    if (!selects(pass, predicate, key, pass->own_value[key], &matches))
        return false;
    if (!matches || !known_count(pass->known, ESSE_ANOMALY_INTERNAL))
        return true;
    const struct esse_step steps[] = { step_of(pass, pass->own_op[key], ""),
                                       step_of(pass, pass->op, ", without that row") };
    known_tell(pass->known, ESSE_ANOMALY_INTERNAL, (esse_key){ key },
               "a predicate left out a row that its own transaction had written", steps, 2);
    return true;
}

/* And whatever it returned must match. */
static bool check_rows(struct pass *pass, const struct esse_predicate_op *op)
{
    bool asked = op->row_count > 0;
    for (size_t i = 0; i < pass->own.count; i++)
        asked |= may_miss_own(pass, pass->own.at[i]);
    if (!asked)
        return true; /* and the predicate need not be understood */
    const struct esse_predicate *predicate = predicate_of(pass, op);
    if (!predicate)
        return false;
    for (uint32_t i = 0; i < op->row_count; i++) {
        const struct esse_keyed_row *row = &pass->known->history->rows[op->row + i];
        bool matches;
        if (!selects(pass, predicate, row->key.ix, row->value, &matches))
            return false;
        if (!matches && known_count(pass->known, ESSE_ANOMALY_RESULT_SET_MISMATCH))
            tell_mismatch(pass, row->key.ix, row->value, false);
    }
    for (size_t i = 0; i < pass->own.count; i++)
        if (!check_own(pass, predicate, pass->own.at[i]))
            return false;
    return true;
}

/* What a transaction wrote itself is what it sees, whatever the version set says of the key. */
static bool check_version_set(struct pass *pass, const struct esse_predicate_op *op,
                              const struct esse_predicate *predicate)
{
    const struct esse_history *history = pass->known->history;
    for (uint32_t i = 0; i < op->vset_count; i++) {
        const struct esse_keyed_row *entry = &history->rows[op->vset + i];
        pass->vset_op[entry->key.ix] = pass->op + 1;
        if (!esse_budget_poll(pass->known->budget, pass->txn) ||
            (!pass_is_own(pass, entry->key.ix) &&
             !check_version(pass, predicate, entry->key.ix, entry->value)))
            return false;
    }
    for (size_t i = 0; i < pass->own.count; i++) {
        const uint32_t key = pass->own.at[i];
        if (!esse_value_eq(pass->own_value[key], ESSE_NONE) &&
            !check_version(pass, predicate, key, pass->own_value[key]))
            return false;
    }
    for (uint32_t i = 0; i < op->row_count; i++)
        check_row(pass, &history->rows[op->row + i]);
    return true;
}

/* ---- the walk ---- */

static bool check_predicate(struct pass *pass)
{
    const struct esse_history *history = pass->known->history;
    const struct esse_predicate_op *op = &history->predicates[history->op_key[pass->op]];
    const bool is_statement = esse_is_statement(history->values, op->text);
    const struct esse_predicate *predicate = NULL;
    if ((is_statement || op->has_vset || op->has_result) && !(predicate = predicate_of(pass, op)))
        return false;
    for (uint32_t i = 0; i < op->row_count; i++) {
        const struct esse_keyed_row *row = &history->rows[op->row + i];
        pass->row_op[row->key.ix] = pass->op + 1;
        pass->row_value[row->key.ix] = row->value;
    }
    /* Which rows it found may be unknown, and of those that it left out some may match. */
    const bool exact = !op->no_rows && (!is_statement || esse_statement_is_exact(predicate));
    if (exact && !(check_misses(pass, op) &&
                   (op->has_vset ? check_version_set(pass, op, predicate) : check_rows(pass, op))))
        return false;
    return (exact && !op->has_result) || scan_statement(pass, op, predicate);
}

static void note_writes(struct pass *pass)
{
    const struct esse_history *history = pass->known->history;
    const uint32_t count = esse_access_count(history, pass->op);
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_access access = esse_access_at(history, pass->op, i);
        if (access.kind == ESSE_OP_READ)
            continue;
        if (!pass_is_own(pass, access.key.ix))
            esse_u32_vec_push(&pass->own, pass->known->scratch, access.key.ix);
        pass->own_txn[access.key.ix] = pass->txn + 1;
        pass->own_op[access.key.ix] = pass->op;
        pass->own_value[access.key.ix] = access.kind == ESSE_OP_APPEND ? ESSE_NONE : access.value;
    }
}

static bool check_txn(struct pass *pass)
{
    const struct esse_history *history = pass->known->history;
    pass->own.count = 0;
    for (pass->op = history->txn_op[pass->txn]; pass->op < history->txn_op[pass->txn + 1];
         pass->op++) {
        if (esse_op_is_predicate(history->op_kind[pass->op]) && !check_predicate(pass))
            return false;
        note_writes(pass);
    }
    return true;
}

static void open_pass(struct pass *pass)
{
    struct known *known = pass->known;
    const size_t keys = known->history->keys + (size_t)1;
    pass->predicates = esse_predicates_new(known->scratch, known->history);
    pass->row_op = esse_arena_alloc(known->scratch, keys, sizeof *pass->row_op);
    pass->vset_op = esse_arena_alloc(known->scratch, keys, sizeof *pass->vset_op);
    pass->own_txn = esse_arena_alloc(known->scratch, keys, sizeof *pass->own_txn);
    pass->row_value = esse_arena_alloc(known->scratch, keys, sizeof *pass->row_value);
    pass->own_value = esse_arena_alloc(known->scratch, keys, sizeof *pass->own_value);
    pass->own_op = esse_arena_alloc(known->scratch, keys, sizeof *pass->own_op);
    esse_word_map_clear(&pass->texts, known->scratch, known->history->predicate_count);
    scan_present_find(&pass->present, known);
}

bool scan_predicates(struct known *known)
{
    const struct esse_history *history = known->history;
    struct pass pass = { .known = known };
    if (!(history->has & ESSE_HAS_PREDICATES))
        return true;
    open_pass(&pass);
    esse_budget_phase(known->budget, "evaluating predicates", history->txns);
    for (pass.txn = 0; pass.txn < history->txns; pass.txn++)
        if (!esse_budget_poll(known->budget, pass.txn) ||
            (known->in[pass.txn] && !check_txn(&pass)))
            return false;
    return true;
}
