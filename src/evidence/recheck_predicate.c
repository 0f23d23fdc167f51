#include "evidence/recheck_predicate.h"

#include "base/arena.h"
#include "evidence/given_order.h"
#include "evidence/key_versions.h"
#include "history/access.h"
#include "history/snapshots.h"
#include "sql/statement.h"

struct question {
    const struct esse_history *history;
    const struct esse_predicate *predicate;
    uint32_t txn, op; /* the predicate operation */
    esse_key key;
};

/* Asks 'answer' about a predicate operation, if its predicate can be understood. */
static bool ask(struct question question, bool (*answer)(const struct question *question,
                                                         const struct esse_predicate_op *predicate))
{
    const struct esse_history *history = question.history;
    if (!esse_op_is_predicate(history->op_kind[question.op]))
        return false;
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[question.op]];
    struct esse_arena *arena = esse_arena_new();
    struct esse_error ignored;
    question.predicate =
        esse_predicates_get(esse_predicates_new(arena, history), predicate->text, &ignored);
    const bool yes = question.predicate && answer(&question, predicate);
    esse_arena_free(arena);
    return yes;
}

static bool selects(const struct question *question, esse_value row, bool *matches)
{
    struct esse_error ignored;
    return esse_predicate_selects(
        question->predicate, question->history->key_name[question->key.ix], row, matches, &ignored);
}

static const struct esse_keyed_row *find_row(const struct esse_history *history, uint32_t first,
                                             uint32_t count, esse_key key)
{
    for (uint32_t i = 0; i < count; i++)
        if (history->rows[first + i].key.ix == key.ix)
            return &history->rows[first + i];
    return NULL;
}

/* ---- predicate-read-miss ---- */

/* Every write of the operation to the key is of a value that is there and matches. */
static bool keeps_matching(const struct question *question, uint32_t op)
{
    const uint32_t count = esse_access_count(question->history, op);
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_access access = esse_access_at(question->history, op, i);
        bool matches;
        if (access.kind == ESSE_OP_READ || access.key.ix != question->key.ix)
            continue;
        if (access.kind == ESSE_OP_APPEND || !selects(question, access.value, &matches) || !matches)
            return false;
    }
    return true;
}

/* Does a row that is not among those returned say anything? */
static bool tells_by_leaving_out(const struct question *question,
                                 const struct esse_predicate_op *predicate)
{
    return !predicate->no_rows && esse_statement_is_exact(question->predicate);
}

static bool always_matches(const struct question *question,
                           const struct esse_predicate_op *predicate)
{
    const struct esse_history *history = question->history;
    bool matches;
    if (!tells_by_leaving_out(question, predicate) ||
        find_row(history, predicate->row, predicate->row_count, question->key) ||
        !selects(question, esse_key_initial(history, question->key), &matches) || !matches)
        return false;
    for (uint32_t txn = 0; txn < history->txns; txn++)
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
            if (history->txn_status[txn] != ESSE_ABORTED && !keeps_matching(question, op))
                return false;
    return true;
}

bool esse_recheck_predicate_miss(const struct esse_history *history, uint32_t txn, uint32_t op,
                                 esse_key key)
{
    return ask((struct question){ history, NULL, txn, op, key }, always_matches);
}

/* ---- result-set-mismatch ---- */

/* The version of the key at the operation's snapshot, if a certificate tells. */
static bool version_at_snapshot(const struct question *question, esse_value *version)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_key_version_vec versions;
    uint32_t seen;
    const bool found = esse_key_versions(&versions, arena, question->history, question->key) &&
                       esse_key_version_at_snapshot(&versions, question->history, question->txn,
                                                    question->op, &seen);
    if (found)
        *version = versions.at[seen].value;
    esse_arena_free(arena);
    return found;
}

/* What the transaction had written to the key before; ESSE_NONE if that was an append. */
static bool own_version(const struct question *question, esse_value *version)
{
    const struct esse_history *history = question->history;
    for (uint32_t own = question->op; own-- > history->txn_op[question->txn];) {
        if (esse_op_write_of(history, own, question->key, version)) {
            if (history->op_kind[own] == ESSE_OP_APPEND)
                *version = ESSE_NONE;
            return true;
        }
    }
    return false;
}

/* Was the version returned exactly if it matches, and as it is? */
static bool differs(const struct question *question, const struct esse_keyed_row *row,
                    esse_value version)
{
    bool matches;
    return !esse_value_eq(version, ESSE_NONE) && selects(question, version, &matches) &&
           (matches != (row != NULL) || (row && !esse_value_eq(row->value, version)));
}

static bool disagrees(const struct question *question, const struct esse_predicate_op *predicate)
{
    const struct esse_history *history = question->history;
    const struct esse_keyed_row *row =
        find_row(history, predicate->row, predicate->row_count, question->key);
    const struct esse_keyed_row *entry =
        find_row(history, predicate->vset, predicate->vset_count, question->key);
    esse_value version;
    bool matches;
    if (!row && !tells_by_leaving_out(question, predicate))
        return false;
    if (predicate->has_vset)
        return own_version(question, &version) ? differs(question, row, version)
               : entry                         ? differs(question, row, entry->value)
                                               : row != NULL;
    /* What was returned is what was seen, and must match. */
    if (row && selects(question, row->value, &matches) && !matches)
        return true;
    return esse_statement_is_exact(question->predicate) && !own_version(question, &version) &&
           version_at_snapshot(question, &version) && differs(question, row, version);
}

bool esse_recheck_result_set(const struct esse_history *history, uint32_t txn, uint32_t op,
                             esse_key key)
{
    return ask((struct question){ history, NULL, txn, op, key }, disagrees);
}

/* ---- the whole of what a statement returned ---- */

static void mark_rows(uint8_t *named, const struct esse_history *history, uint32_t first,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        named[history->rows[first + i].key.ix] = 1;
}

/* The keys of which something is known: by rows, version set or the transaction's own writes. */
static const uint8_t *find_named(struct esse_arena *arena, const struct question *question,
                                 const struct esse_predicate_op *predicate)
{
    const struct esse_history *history = question->history;
    uint8_t *named = esse_arena_alloc(arena, history->keys + 1u, 1);
    mark_rows(named, history, predicate->row, predicate->row_count);
    mark_rows(named, history, predicate->vset, predicate->vset_count);
    for (uint32_t op = history->txn_op[question->txn]; op < question->op; op++)
        for (uint32_t i = 0; i < esse_access_count(history, op); i++)
            named[esse_access_at(history, op, i).key.ix] = 1;
    return named;
}

/* Brings every row of the state: what the version set says of a key, or the transaction's own
 * write; without a version set the rows that were returned. */
static bool bring_rows(struct question question, const struct esse_predicate_op *predicate,
                       const uint8_t *named, struct esse_answer *answer)
{
    const struct esse_history *history = question.history;
    struct esse_error ignored;
    for (uint32_t key = 0; key < history->keys; key++) {
        esse_value version = ESSE_NONE;
        if (!named[key])
            continue;
        question.key.ix = key;
        const struct esse_keyed_row *row =
            predicate->has_vset
                ? find_row(history, predicate->vset, predicate->vset_count, question.key)
                : find_row(history, predicate->row, predicate->row_count, question.key);
        if (!(predicate->has_vset && own_version(&question, &version)) && row)
            version = row->value;
        if (!esse_value_eq(version, ESSE_NONE) &&
            !esse_answer_add(answer, history->key_name[key], version, key, &ignored))
            return false;
    }
    return esse_answer_end(answer, &ignored);
}

/* Which rows an OFFSET left out is known only with all of them at hand. */
static bool are_impossible(struct esse_arena *arena, const struct question *question,
                           const struct esse_predicate_op *predicate, struct esse_answer *answer,
                           bool has_all)
{
    uint32_t *keys = esse_arena_alloc(arena, predicate->row_count + 1u, sizeof *keys), odd;
    bool missing;
    for (uint32_t i = 0; i < predicate->row_count; i++)
        keys[i] = question->history->rows[predicate->row + i].key.ix;
    return (has_all || !esse_statement_skips(question->predicate)) &&
           !esse_answer_may_be(answer, keys, predicate->row_count, &odd, &missing);
}

static bool is_wrong_whole(const struct question *question,
                           const struct esse_predicate_op *predicate)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_answer *answer = esse_answer_new(arena, question->predicate);
    esse_answer_begin(answer);
    bool yes = false;
    if ((predicate->has_vset || !predicate->no_rows) &&
        bring_rows(*question, predicate, find_named(arena, question, predicate), answer)) {
        yes = predicate->has_result &&
              !esse_answer_is(answer, esse_history_result(question->history, predicate),
                              predicate->result_count);
        yes = yes || (!predicate->no_rows && !esse_statement_is_exact(question->predicate) &&
                      are_impossible(arena, question, predicate, answer, predicate->has_vset));
    }
    esse_arena_free(arena);
    return yes;
}

/* ---- against the snapshot of a certificate ---- */

static void write_all(const struct esse_history *history, uint32_t begin, uint32_t end,
                      esse_value *state)
{
    for (uint32_t op = begin; op < end; op++)
        for (uint32_t i = 0; i < esse_access_count(history, op); i++) {
            const struct esse_access access = esse_access_at(history, op, i);
            if (access.kind != ESSE_OP_READ)
                state[access.key.ix] = access.value;
        }
}

/* Has every transaction that may have committed a write a place, and is nothing a list? */
static bool is_placed(const struct esse_snapshots *snapshots)
{
    const struct esse_history *history = snapshots->history;
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if (history->txn_status[txn] != ESSE_ABORTED && snapshots->place[txn] == ESSE_NO_PLACE &&
            esse_txn_writes(history, txn, NULL))
            return false;
    return !(history->has & ESSE_HAS_APPENDS);
}

/* By key, what the operation looked at: the commits that its snapshot sees, in their order, and
 * what its transaction had written.  NULL if a certificate does not tell. */
static const esse_value *state_at_snapshot(struct esse_arena *arena,
                                           const struct question *question)
{
    const struct esse_history *history = question->history;
    struct esse_snapshots snapshots;
    struct esse_snapshot snapshot;
    if (history->certificate.kind == ESSE_CERTIFICATE_NONE)
        return NULL;
    esse_snapshots_find(&snapshots, arena, history);
    if (!is_placed(&snapshots) ||
        !esse_snapshot_of(&snapshots, question->txn, question->op, &snapshot) ||
        esse_snapshot_sees(&snapshots, &snapshot, question->txn))
        return NULL;
    esse_value *state = esse_initial_values(arena, history);
    for (uint32_t place = 0; place < snapshot.before; place++) {
        const uint32_t txn = snapshots.txns[place].ix;
        if (esse_snapshot_sees(&snapshots, &snapshot, txn))
            write_all(history, history->txn_op[txn], history->txn_op[txn + 1], state);
    }
    write_all(history, history->txn_op[question->txn], question->op, state);
    return state;
}

static bool has_other_row(const struct esse_history *history,
                          const struct esse_predicate_op *predicate, const esse_value *state)
{
    for (uint32_t i = 0; i < predicate->row_count; i++) {
        const struct esse_keyed_row *row = &history->rows[predicate->row + i];
        if (!esse_value_eq(row->value, state[row->key.ix]))
            return true;
    }
    return false;
}

static bool is_wrong_at_snapshot(const struct question *question,
                                 const struct esse_predicate_op *predicate)
{
    const struct esse_history *history = question->history;
    struct esse_arena *arena = esse_arena_new();
    struct esse_answer *answer = esse_answer_new(arena, question->predicate);
    const esse_value *state = predicate->has_vset ? NULL : state_at_snapshot(arena, question);
    struct esse_error ignored;
    bool ok = state;
    esse_answer_begin(answer);
    for (uint32_t key = 0; ok && key < history->keys; key++)
        ok = esse_answer_add(answer, history->key_name[key], state[key], key, &ignored);
    bool yes = false;
    if (ok && esse_answer_end(answer, &ignored)) {
        yes = predicate->has_result &&
              !esse_answer_is(answer, esse_history_result(history, predicate),
                              predicate->result_count);
        yes = yes || (!predicate->no_rows && !esse_statement_is_exact(question->predicate) &&
                      (has_other_row(history, predicate, state) ||
                       are_impossible(arena, question, predicate, answer, true)));
    }
    esse_arena_free(arena);
    return yes;
}

bool esse_recheck_result(const struct esse_history *history, uint32_t txn, uint32_t op)
{
    const struct question question = { history, NULL, txn, op, { 0 } };
    return ask(question, is_wrong_whole) || ask(question, is_wrong_at_snapshot);
}

/* ---- internal ---- */

/* The transaction's own last write of the key matches, and was not returned. */
static bool misses_own(const struct question *question, const struct esse_predicate_op *predicate)
{
    const struct esse_history *history = question->history;
    esse_value version;
    bool matches;
    if (!tells_by_leaving_out(question, predicate) ||
        find_row(history, predicate->row, predicate->row_count, question->key))
        return false;
    for (uint32_t own = question->op; own-- > history->txn_op[question->txn];)
        if (esse_op_write_of(history, own, question->key, &version))
            return history->op_kind[own] != ESSE_OP_APPEND &&
                   selects(question, version, &matches) && matches;
    return false;
}

bool esse_recheck_own_miss(const struct esse_history *history, uint32_t txn, uint32_t op,
                           esse_key key)
{
    return ask((struct question){ history, NULL, txn, op, key }, misses_own);
}
