#include "engine/scan/scan_state.h"
#include "history/show.h"
#include "sql/predicate.h"

/*
 * Predicate operations against what their predicates say of rows: keys that they left out although
 * every version matches, and rows that differ from what their version sets hold.
 */

ESSE_VEC(key_vec, uint32_t)
ESSE_VEC(key_list_vec, struct key_vec)

struct pass {
    struct scan *scan;
    struct esse_predicates *predicates;

    struct key_vec steady;        /* the keys that a predicate operation can be sure to find */
    struct esse_word_map texts;   /* by text: its number */
    struct key_list_vec matching; /* by text: those of 'steady' whose every version matches */

    /* By key: the operation (or transaction) whose rows, version set or writes have it, plus 1. */
    uint32_t *row_op, *vset_op, *own_txn;
    esse_value *row_value; /* by key: what that operation returned */
    struct key_vec own;    /* what the transaction at hand has written so far */
    esse_value *own_value; /* by key: its last such write; ESSE_NONE if that was an append */
    uint32_t *own_op;      /* by key: which operation that was */
    uint32_t txn, op;      /* at hand */
};

static bool is_own(const struct pass *pass, uint32_t key)
{
    return pass->own_txn[key] == pass->txn + 1;
}

static bool is_returned(const struct pass *pass, uint32_t key)
{
    return pass->row_op[key] == pass->op + 1;
}

/* The predicate of the operation at hand is no good: the input's fault, and nobody's guess. */
static bool fail(struct pass *pass)
{
    pass->scan->error->line = pass->scan->history->txn_line[pass->txn];
    return false;
}

static bool selects(struct pass *pass, const struct esse_predicate *predicate, uint32_t key,
                    esse_value row, bool *matches)
{
    return esse_predicate_selects(predicate, pass->scan->history->key_name[key], row, matches,
                                  pass->scan->error) ||
           fail(pass);
}

static const struct esse_predicate *predicate_of(struct pass *pass,
                                                 const struct esse_predicate_op *op)
{
    const struct esse_predicate *predicate =
        esse_predicates_get(pass->predicates, op->text, pass->scan->error);
    if (!predicate)
        fail(pass);
    return predicate;
}

/* "t3 did p v > 5: nothing", and what 'rest' adds. */
static struct esse_step step_of(struct pass *pass, uint32_t op, const char *rest)
{
    const struct esse_history *history = pass->scan->history;
    char name[64];
    struct esse_out out;
    esse_txn_name(history, (esse_txn){ pass->txn }, name, sizeof name);
    esse_out_init_memory(&out, pass->scan->arena);
    esse_out_f(&out, "%s did ", name);
    esse_show_op(&out, history, (esse_op){ op });
    esse_out_text(&out, rest);
    return (struct esse_step){ { pass->txn }, { op }, esse_out_memory(&out) };
}

static void tell(struct pass *pass, enum esse_anomaly_id type, uint32_t key,
                 const char *description, const char *rest)
{
    const struct esse_step step = step_of(pass, pass->op, rest);
    scan_tell(pass->scan, type, (esse_key){ key }, description, &step, 1);
}

/* ---- predicate-read-miss ---- */

/* Does a transaction that may have committed do more to the key than write values? */
static bool is_steady(const struct scan *scan, uint32_t key)
{
    const struct esse_by_key *by_key = &scan->sources.by_key;
    if (esse_value_eq(scan->sources.initial[key], ESSE_NIL))
        return false;
    for (uint32_t at = by_key->first[key]; at < by_key->first[key + 1]; at++) {
        const struct esse_touch *touch = &by_key->at[at];
        if (touch->kind != ESSE_OP_READ && scan_status(scan, touch->txn) != ESSE_ABORTED &&
            (touch->kind == ESSE_OP_APPEND || esse_value_eq(touch->value, ESSE_NIL)))
            return false;
    }
    return true;
}

/* Does the initial value match, and whatever was written by who was not aborted? */
static bool always_matches(struct pass *pass, const struct esse_predicate *predicate, uint32_t key,
                           bool *matches)
{
    const struct esse_by_key *by_key = &pass->scan->sources.by_key;
    if (!selects(pass, predicate, key, pass->scan->sources.initial[key], matches))
        return false;
    for (uint32_t at = by_key->first[key]; *matches && at < by_key->first[key + 1]; at++) {
        const struct esse_touch *touch = &by_key->at[at];
        if (touch->kind != ESSE_OP_READ && scan_status(pass->scan, touch->txn) != ESSE_ABORTED &&
            !selects(pass, predicate, key, touch->value, matches))
            return false;
    }
    return true;
}

/* The steady keys that always match the predicate; found once for each text. */
static bool find_matching(struct pass *pass, const struct esse_predicate_op *op, uint32_t *text)
{
    bool fresh, matches;
    uint32_t *number = esse_word_map_put(&pass->texts, op->text.word, &fresh);
    if (fresh)
        *number = (uint32_t)pass->matching.count;
    *text = *number;
    if (!fresh)
        return true;
    struct key_vec list = { 0 };
    const struct esse_predicate *predicate = predicate_of(pass, op);
    if (!predicate)
        return false;
    for (size_t i = 0; i < pass->steady.count; i++) {
        if (!esse_budget_poll(pass->scan->budget, pass->txn) ||
            !always_matches(pass, predicate, pass->steady.at[i], &matches))
            return false;
        if (matches)
            key_vec_push(&list, pass->scan->scratch, pass->steady.at[i]);
    }
    key_list_vec_push(&pass->matching, pass->scan->scratch, list);
    return true;
}

static void tell_miss(struct pass *pass, uint32_t key)
{
    struct scan *scan = pass->scan;
    const char *name = esse_show_key_text(scan->arena, scan->history, (esse_key){ key });
    const char *value = esse_show_text(scan->arena, scan->history, scan->sources.initial[key]);
    tell(pass, ESSE_ANOMALY_PREDICATE_READ_MISS, key,
         "a predicate left out a key although every version that the key ever had matches",
         esse_arena_format(scan->arena,
                           ", without %s, which was %s at first and has matched ever since", name,
                           value));
}

static bool check_misses(struct pass *pass, const struct esse_predicate_op *op)
{
    uint32_t text;
    if (!pass->steady.count)
        return true; /* and the predicate need not be understood */
    if (!find_matching(pass, op, &text))
        return false;
    const struct key_vec *list = &pass->matching.at[text];
    for (size_t i = 0; i < list->count; i++)
        if (!is_returned(pass, list->at[i]) &&
            scan_count(pass->scan, ESSE_ANOMALY_PREDICATE_READ_MISS))
            tell_miss(pass, list->at[i]);
    return true;
}

/* ---- result-set-mismatch ---- */

static const char mismatch[] =
    "the rows of a predicate differ from what it selects from its version set";

static void tell_mismatch(struct pass *pass, uint32_t key, esse_value version, bool matches)
{
    struct scan *scan = pass->scan;
    const char *name = esse_show_key_text(scan->arena, scan->history, (esse_key){ key });
    const char *value = esse_show_text(scan->arena, scan->history, version);
    const bool has_vset = scan->history->predicates[scan->history->op_key[pass->op]].has_vset;
    const char *from = is_own(pass, key) ? ", its own write,"
                       : has_vset        ? " in its version set"
                                         : "";
    const char *rest =
        matches ? "matches and was not returned" : "does not match, but was returned";
    if (matches && is_returned(pass, key))
        rest = esse_arena_format(scan->arena, "matches, but %s was returned",
                                 esse_show_text(scan->arena, scan->history, pass->row_value[key]));
    tell(pass, ESSE_ANOMALY_RESULT_SET_MISMATCH, key, mismatch,
         esse_arena_format(scan->arena, "; %s = %s%s %s", name, value, from, rest));
}

/* Is the key among the rows exactly if this version of it matches, and then with its value? */
static bool check_version(struct pass *pass, const struct esse_predicate *predicate, uint32_t key,
                          esse_value version)
{
    bool matches;
    if (!selects(pass, predicate, key, version, &matches))
        return false;
    const bool right = matches == is_returned(pass, key) &&
                       (!matches || esse_value_eq(pass->row_value[key], version));
    if (!right && scan_count(pass->scan, ESSE_ANOMALY_RESULT_SET_MISMATCH))
        tell_mismatch(pass, key, version, matches);
    return true;
}

/* A row must come from the version set, or from what the transaction wrote before. */
static void check_row(struct pass *pass, const struct esse_keyed_row *row)
{
    struct scan *scan = pass->scan;
    if (pass->vset_op[row->key.ix] == pass->op + 1 || is_own(pass, row->key.ix) ||
        !scan_count(scan, ESSE_ANOMALY_RESULT_SET_MISMATCH))
        return;
    const char *name = esse_show_key_text(scan->arena, scan->history, row->key);
    tell(pass, ESSE_ANOMALY_RESULT_SET_MISMATCH, row->key.ix, mismatch,
         esse_arena_format(scan->arena, "; its version set does not name %s", name));
}

/* Appends and what was returned are for others to judge, and what was deleted matches nothing. */
static bool may_miss_own(const struct pass *pass, uint32_t key)
{
    return !esse_value_eq(pass->own_value[key], ESSE_NONE) &&
           !esse_value_eq(pass->own_value[key], ESSE_NIL) && !is_returned(pass, key);
}

/* Without a version set: what the transaction wrote is what it sees. */
static bool check_own(struct pass *pass, const struct esse_predicate *predicate, uint32_t key)
{
    bool matches;
    if (!may_miss_own(pass, key))
        return true;
    if (!selects(pass, predicate, key, pass->own_value[key], &matches))
        return false;
    if (!matches || !scan_count(pass->scan, ESSE_ANOMALY_INTERNAL))
        return true;
    const struct esse_step steps[] = { step_of(pass, pass->own_op[key], ""),
                                       step_of(pass, pass->op, ", without that row") };
    scan_tell(pass->scan, ESSE_ANOMALY_INTERNAL, (esse_key){ key },
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
        const struct esse_keyed_row *row = &pass->scan->history->rows[op->row + i];
        bool matches;
        if (!selects(pass, predicate, row->key.ix, row->value, &matches))
            return false;
        if (!matches && scan_count(pass->scan, ESSE_ANOMALY_RESULT_SET_MISMATCH))
            tell_mismatch(pass, row->key.ix, row->value, false);
    }
    for (size_t i = 0; i < pass->own.count; i++)
        if (!check_own(pass, predicate, pass->own.at[i]))
            return false;
    return true;
}

/* What a transaction wrote itself is what it sees, whatever the version set says of the key. */
static bool check_version_set(struct pass *pass, const struct esse_predicate_op *op)
{
    const struct esse_history *history = pass->scan->history;
    if (!op->has_vset)
        return check_rows(pass, op);
    const struct esse_predicate *predicate = predicate_of(pass, op);
    if (!predicate)
        return false;
    for (uint32_t i = 0; i < op->vset_count; i++) {
        const struct esse_keyed_row *entry = &history->rows[op->vset + i];
        pass->vset_op[entry->key.ix] = pass->op + 1;
        if (!esse_budget_poll(pass->scan->budget, pass->txn) ||
            (!is_own(pass, entry->key.ix) &&
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
    const struct esse_history *history = pass->scan->history;
    const struct esse_predicate_op *op = &history->predicates[history->op_key[pass->op]];
    if (op->no_rows)
        return true; /* which rows it found nobody knows */
    for (uint32_t i = 0; i < op->row_count; i++) {
        const struct esse_keyed_row *row = &history->rows[op->row + i];
        pass->row_op[row->key.ix] = pass->op + 1;
        pass->row_value[row->key.ix] = row->value;
    }
    return check_misses(pass, op) && check_version_set(pass, op);
}

static void note_writes(struct pass *pass)
{
    const struct esse_history *history = pass->scan->history;
    const uint32_t count = esse_access_count(history, pass->op);
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_access access = esse_access_at(history, pass->op, i);
        if (access.kind == ESSE_OP_READ)
            continue;
        if (!is_own(pass, access.key.ix))
            key_vec_push(&pass->own, pass->scan->scratch, access.key.ix);
        pass->own_txn[access.key.ix] = pass->txn + 1;
        pass->own_op[access.key.ix] = pass->op;
        pass->own_value[access.key.ix] = access.kind == ESSE_OP_APPEND ? ESSE_NONE : access.value;
    }
}

static bool check_txn(struct pass *pass)
{
    const struct esse_history *history = pass->scan->history;
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
    struct scan *scan = pass->scan;
    const size_t keys = scan->history->keys + (size_t)1;
    pass->predicates = esse_predicates_new(scan->scratch, scan->history);
    pass->row_op = esse_arena_alloc(scan->scratch, keys, sizeof *pass->row_op);
    pass->vset_op = esse_arena_alloc(scan->scratch, keys, sizeof *pass->vset_op);
    pass->own_txn = esse_arena_alloc(scan->scratch, keys, sizeof *pass->own_txn);
    pass->row_value = esse_arena_alloc(scan->scratch, keys, sizeof *pass->row_value);
    pass->own_value = esse_arena_alloc(scan->scratch, keys, sizeof *pass->own_value);
    pass->own_op = esse_arena_alloc(scan->scratch, keys, sizeof *pass->own_op);
    esse_word_map_clear(&pass->texts, scan->scratch, scan->history->predicate_count);
    for (uint32_t key = 0; key < scan->history->keys; key++)
        if (is_steady(scan, key))
            key_vec_push(&pass->steady, scan->scratch, key);
}

bool scan_predicates(struct scan *scan)
{
    const struct esse_history *history = scan->history;
    struct pass pass = { .scan = scan };
    if (!(history->has & ESSE_HAS_PREDICATES))
        return true;
    open_pass(&pass);
    esse_budget_phase(scan->budget, "evaluating predicates", history->txns);
    for (pass.txn = 0; pass.txn < history->txns; pass.txn++)
        if (!esse_budget_poll(scan->budget, pass.txn) ||
            (scan_status(scan, pass.txn) == ESSE_COMMITTED && !check_txn(&pass)))
            return false;
    return true;
}
