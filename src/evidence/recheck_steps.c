#include "evidence/recheck_steps.h"

#include "base/error.h"
#include "evidence/recheck_cycle.h"
#include "evidence/recheck_predicate.h"
#include "evidence/recheck_versions.h"
#include "evidence/truths.h"

/* What a rule may look at: the history, the anomaly's key, the steps' operations, and what these
 * read or wrote, as their parts say. */
struct claim {
    const struct esse_history *history;
    const struct esse_anomaly *anomaly;
    esse_key key;
    uint32_t op[3], txn[3];
    esse_value value[3];
};

/* ---- small truths about one history ---- */

static bool reads(const struct claim *claim, int step, esse_value *value)
{
    return esse_op_read_of(claim->history, claim->op[step], claim->key, value) &&
           !esse_value_eq(*value, ESSE_NONE);
}

/* Where in a list an item first is, from 'from'; the list's length if nowhere. */
static uint32_t find_item(const struct esse_history *history, esse_value list, uint32_t from,
                          esse_value item)
{
    uint32_t count;
    const esse_value *items = esse_history_list(history, list, &count);
    while (from < count && !esse_value_eq(items[from], item))
        from++;
    return from;
}

/* Does what was read come from this write: the value itself, or an element of the list? */
static bool comes_from(const struct esse_history *history, esse_value read, esse_value written)
{
    return esse_value_is_list(read) ? esse_list_has(history, read, written)
                                    : esse_value_eq(read, written);
}

static struct truth_writers count_writers(const struct claim *claim, esse_value value, uint32_t own)
{
    return truth_writers(claim->history, claim->key, value, own);
}

static bool wrote_before(const struct claim *claim, int step)
{
    return truth_wrote_before(claim->history, claim->op[step], claim->key);
}

static bool is_initial(const struct claim *claim, esse_value value)
{
    return esse_value_eq(esse_key_initial(claim->history, claim->key), value);
}

/* ---- one rule an anomaly: see recheck.h for the steps ---- */

static bool rule_g1a(const struct claim *claim)
{
    const esse_value read = claim->value[0], written = claim->value[1];
    return comes_from(claim->history, read, written) &&
           !count_writers(claim, written, claim->txn[0]).kept &&
           (esse_value_is_list(read) || (!is_initial(claim, read) && !wrote_before(claim, 0)));
}

static bool rule_g1b(const struct claim *claim)
{
    const esse_value read = claim->value[0], written = claim->value[1];
    uint32_t count;
    if (claim->txn[0] == claim->txn[1] || claim->txn[1] != claim->txn[2] ||
        claim->op[2] <= claim->op[1])
        return false;
    struct truth_writers writers = count_writers(claim, written, claim->txn[0]);
    if (wrote_before(claim, 0) || writers.not_final != writers.all)
        return false;
    if (!esse_value_is_list(read))
        return esse_value_eq(read, written) && !is_initial(claim, read);
    const esse_value *items = esse_history_list(claim->history, read, &count);
    return !writers.own && count && esse_value_eq(items[count - 1], written);
}

static bool deletes(const struct claim *claim)
{
    return count_writers(claim, ESSE_NIL, ESSE_NO_TXN).all > 0;
}

/* Some item of the list is appended by no operation: one walk over the operations, marking. */
static bool has_strange_item(const struct claim *claim, esse_value list)
{
    const struct esse_history *history = claim->history;
    uint32_t count = (uint32_t)(list.word >> 32), known = 0;
    struct esse_arena *arena = esse_arena_new();
    bool *marked = esse_arena_alloc(arena, count + 1u, sizeof *marked);
    for (uint32_t op = 0; op < history->ops; op++) {
        if (history->op_kind[op] != ESSE_OP_APPEND || history->op_key[op] != claim->key.ix)
            continue;
        esse_value item = history->op_value[op];
        for (uint32_t at = find_item(history, list, 0, item); at < count;
             at = find_item(history, list, at + 1, item)) {
            known += !marked[at];
            marked[at] = true;
        }
    }
    esse_arena_free(arena);
    return known < count;
}

static bool rule_garbage(const struct claim *claim)
{
    const esse_value read = claim->value[0];
    if (esse_value_is_list(read))
        return has_strange_item(claim, read);
    return !is_initial(claim, read) && !wrote_before(claim, 0) &&
           (esse_value_eq(read, ESSE_NIL) ? !deletes(claim)
                                          : !count_writers(claim, read, ESSE_NO_TXN).all);
}

/* The list that a transaction must see, built from its end: own appends backwards, then a base. */
static bool list_disagrees(const struct claim *claim, esse_value read)
{
    const struct esse_history *history = claim->history;
    uint32_t count, base_count;
    const esse_value *items = esse_history_list(history, read, &count);
    for (uint32_t op = claim->op[1]; op-- > history->txn_op[claim->txn[1]];) {
        esse_value value;
        if (esse_op_write_of(history, op, claim->key, &value)) {
            if (!count || !esse_value_eq(items[--count], value))
                return true;
        } else if (esse_op_read_of(history, op, claim->key, &value) &&
                   !esse_value_eq(value, ESSE_NONE)) {
            const esse_value *base =
                esse_value_is_list(value) ? esse_history_list(history, value, &base_count) : NULL;
            if (!base)
                base_count = 0;
            return base_count != count ||
                   (count && memcmp(base, items, count * sizeof *items) != 0);
        }
    }
    return false;
}

/* A state that is no list with something in it: the last thing known of the key.  An update both
 * reads and writes; its write is the later, and its read is compared like any other. */
static bool state_disagrees(const struct claim *claim, esse_value read)
{
    const struct esse_history *history = claim->history;
    esse_value value;
    for (uint32_t op = claim->op[1]; op-- > history->txn_op[claim->txn[1]];) {
        if (esse_op_write_of(history, op, claim->key, &value))
            return history->op_kind[op] == ESSE_OP_APPEND ||
                   !esse_value_eq(esse_value_state(value), read);
        if (esse_op_read_of(history, op, claim->key, &value) && !esse_value_eq(value, ESSE_NONE))
            return !esse_value_eq(esse_value_state(value), read);
    }
    return false;
}

static bool rule_internal(const struct claim *claim)
{
    esse_value read;
    if (claim->txn[0] != claim->txn[1])
        return false;
    if (!reads(claim, 1, &read))
        return esse_recheck_own_miss(claim->history, claim->txn[1], claim->op[1], claim->key);
    read = esse_value_state(read);
    return esse_value_is_list(read) ? list_disagrees(claim, read) : state_disagrees(claim, read);
}

/* The write is the last before the read, and not what was read; or an append that is not where the
 * transaction's own appends must be, at the end of the list. */
static bool rule_own_write(const struct claim *claim)
{
    const struct esse_history *history = claim->history;
    const esse_value written = claim->value[0], read = claim->value[1];
    uint32_t later = 0, count = 0;
    if (claim->txn[0] != claim->txn[1] || claim->op[0] >= claim->op[1])
        return false;
    for (uint32_t op = claim->op[0] + 1; op < claim->op[1]; op++) {
        const bool writes_key = truth_writes(history, op, claim->key);
        if (writes_key && history->op_kind[op] != ESSE_OP_APPEND)
            return false;
        later += writes_key;
    }
    if (history->op_kind[claim->op[0]] != ESSE_OP_APPEND)
        return !later && !esse_value_eq(written, esse_value_state(read));
    const esse_value *items =
        esse_value_is_list(read) ? esse_history_list(history, read, &count) : NULL;
    return count <= later || !esse_value_eq(items[count - 1 - later], written);
}

static bool rule_future(const struct claim *claim)
{
    const esse_value read = claim->value[0], written = claim->value[1];
    /* One operation may be both: an update of a predicate reads first and then writes. */
    if (claim->txn[0] != claim->txn[1] || claim->op[1] < claim->op[0] ||
        !comes_from(claim->history, read, written))
        return false;
    struct truth_writers writers = count_writers(claim, written, claim->txn[0]);
    if (esse_value_is_list(read))
        return writers.all == 1;
    return writers.all == writers.own && !is_initial(claim, read) && !wrote_before(claim, 0);
}

static bool rule_duplicate_elements(const struct claim *claim)
{
    const esse_value read = claim->value[0];
    uint32_t count;
    const esse_value *items = esse_history_list(claim->history, read, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (find_item(claim->history, read, i + 1, items[i]) == count)
            continue;
        uint32_t times = 0;
        for (uint32_t j = 0; j < count; j++)
            times += esse_value_eq(items[i], items[j]);
        if (times > count_writers(claim, items[i], ESSE_NO_TXN).all)
            return true;
    }
    return false;
}

static bool rule_incompatible_order(const struct claim *claim)
{
    uint32_t a_count, b_count;
    const esse_value *x = esse_history_list(claim->history, claim->value[0], &a_count);
    const esse_value *y = esse_history_list(claim->history, claim->value[1], &b_count);
    for (uint32_t i = 0; i < a_count && i < b_count; i++)
        if (!esse_value_eq(x[i], y[i]))
            return true;
    return false;
}

static bool nothing_committed_between(const struct claim *claim, esse_value list, uint32_t from,
                                      uint32_t to)
{
    uint32_t count;
    const esse_value *items = esse_history_list(claim->history, list, &count);
    const struct esse_history *history = claim->history;
    for (uint32_t op = 0; op < history->ops; op++) {
        if (history->op_kind[op] != ESSE_OP_APPEND || history->op_key[op] != claim->key.ix ||
            history->txn_status[esse_op_txn(history, op).ix] != ESSE_COMMITTED)
            continue;
        for (uint32_t i = from + 1; i < to; i++)
            if (esse_value_eq(items[i], history->op_value[op]))
                return false;
    }
    return true;
}

static bool rule_dirty_update(const struct claim *claim)
{
    const esse_value first = claim->value[0], second = claim->value[1], read = claim->value[2];
    if (count_writers(claim, second, ESSE_NO_TXN).all != 1 ||
        count_writers(claim, first, ESSE_NO_TXN).kept)
        return false;
    /* A damaged list may hold either element several times: any pair will do. */
    const uint32_t count = (uint32_t)(read.word >> 32);
    for (uint32_t from = find_item(claim->history, read, 0, first); from < count;
         from = find_item(claim->history, read, from + 1, first)) {
        uint32_t to = find_item(claim->history, read, from + 1, second);
        if (to < count && nothing_committed_between(claim, read, from, to))
            return true;
    }
    return false;
}

/* The step is the transaction's first access of the key, and a write comes later. */
static bool reads_then_writes(const struct claim *claim, int step)
{
    esse_value ignored;
    for (uint32_t op = claim->history->txn_op[claim->txn[step]]; op < claim->op[step]; op++)
        if (esse_op_read_of(claim->history, op, claim->key, &ignored))
            return false;
    return !wrote_before(claim, step) &&
           (truth_writes(claim->history, claim->op[step], claim->key) ||
            truth_writes_after(claim->history, claim->op[step], claim->key));
}

static bool rule_lost_update(const struct claim *claim)
{
    const esse_value a = claim->value[0], b = claim->value[1];
    if (claim->txn[0] == claim->txn[1] || !reads_then_writes(claim, 0) ||
        !reads_then_writes(claim, 1) || !esse_value_eq(esse_value_state(a), esse_value_state(b)))
        return false;
    if (esse_value_is_list(a) || esse_value_is_list(b))
        return true;
    if (esse_value_eq(a, ESSE_NIL))
        return !deletes(claim);
    return count_writers(claim, a, ESSE_NO_TXN).all + is_initial(claim, a) == 1;
}

static bool names(const esse_txn *txns, uint32_t count, uint32_t txn)
{
    for (uint32_t i = 0; i < count; i++)
        if (txns[i].ix == txn)
            return true;
    return false;
}

/* Does a version order have what the step wrote, and no other transaction did? */
static bool is_in_version_order(const struct claim *claim, esse_value written, bool is_unique)
{
    const struct esse_history *history = claim->history;
    for (uint32_t o = 0; o < history->version_order_count; o++) {
        const struct esse_version_order *order = &history->version_orders[o];
        for (uint32_t i = 0; order->key.ix == claim->key.ix && i < order->count; i++) {
            const struct esse_version *version = &order->versions[i];
            if (version->txn.ix == ESSE_NO_TXN ? is_unique && esse_value_eq(version->value, written)
                                               : version->txn.ix == claim->txn[0])
                return true;
        }
    }
    return false;
}

static bool writes_anything(const struct esse_history *history, uint32_t txn)
{
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        for (uint32_t i = 0; i < esse_access_count(history, op); i++)
            if (esse_access_at(history, op, i).kind != ESSE_OP_READ)
                return true;
    return false;
}

/* Did a transaction that the log has, one that writes and is not lost, read it? */
static bool is_in_a_later_state(const struct claim *claim, esse_value written)
{
    const struct esse_history *history = claim->history;
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        bool sees = false;
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
            esse_value read;
            sees |= esse_op_read_of(history, op, claim->key, &read) &&
                    comes_from(history, read, written);
        }
        if (sees && history->txn_status[txn] == ESSE_COMMITTED && writes_anything(history, txn) &&
            !names(history->lost, history->lost_count, txn))
            return true;
    }
    return false;
}

static bool rule_lost_commit(const struct claim *claim)
{
    const struct esse_history *history = claim->history;
    const uint32_t txn = claim->txn[0];
    const esse_value written = claim->value[0];
    if (esse_txn_recorded(history, txn) != ESSE_COMMITTED ||
        !names(history->lost, history->lost_count, txn) ||
        names(history->order, history->order_count, txn))
        return false;
    const bool is_unique = !esse_value_eq(written, ESSE_NIL) && !is_initial(claim, written) &&
                           count_writers(claim, written, txn).all == 1;
    return !is_in_version_order(claim, written, is_unique) &&
           !(is_unique && is_in_a_later_state(claim, written));
}

static bool rule_duplicate_write(const struct claim *claim)
{
    return claim->op[0] != claim->op[1] && esse_value_eq(claim->value[0], claim->value[1]);
}

static bool rule_cyclic(const struct claim *claim)
{
    return esse_recheck_cyclic(claim->history, claim->anomaly);
}

static bool rule_predicate_miss(const struct claim *claim)
{
    return esse_recheck_predicate_miss(claim->history, claim->txn[0], claim->op[0], claim->key);
}

static bool rule_result_set(const struct claim *claim)
{
    if (!claim->anomaly->has_key)
        return esse_recheck_result(claim->history, claim->txn[0], claim->op[0]);
    return esse_recheck_result_set(claim->history, claim->txn[0], claim->op[0], claim->key);
}

/* ---- the table ---- */

/* What the operation of a step must be. */
enum part {
    COUNTS = 1, /* its transaction counts as committed */
    COMMITTED =
        2, /* and is: Elle passes over elements of unknown outcome, even if they were seen */
    ABORTED = 4,
    READS = 8,   /* the key; the step's value is what it returned */
    LIST = 16,   /* and that is a list */
    WRITES = 32, /* the key; the step's value is what it wrote */
};

enum { ANY_STEPS = UINT16_MAX }; /* the rule itself looks at them */

static const struct rule {
    enum esse_anomaly_id type;
    uint32_t steps;
    bool (*holds)(const struct claim *claim);
    unsigned parts[3];
} rules[] = {
    { ESSE_ANOMALY_G1A, 2, rule_g1a, { COUNTS | READS, ABORTED | WRITES } },
    { ESSE_ANOMALY_G1B, 3, rule_g1b, { COUNTS | READS, WRITES, WRITES } },
    { ESSE_ANOMALY_GARBAGE_READ, 1, rule_garbage, { COUNTS | READS } },
    { ESSE_ANOMALY_INTERNAL, 2, rule_internal, { COUNTS } },
    { ESSE_ANOMALY_OWN_WRITE_MISSED, 2, rule_own_write, { COUNTS | WRITES, READS } },
    { ESSE_ANOMALY_FUTURE_READ, 2, rule_future, { COUNTS | READS, WRITES } },
    { ESSE_ANOMALY_DUPLICATE_ELEMENTS, 1, rule_duplicate_elements, { COUNTS | READS | LIST } },
    { ESSE_ANOMALY_INCOMPATIBLE_ORDER,
      2,
      rule_incompatible_order,
      { COUNTS | READS | LIST, COUNTS | READS | LIST } },
    { ESSE_ANOMALY_DIRTY_UPDATE,
      3,
      rule_dirty_update,
      { ABORTED | WRITES, COMMITTED | WRITES, COUNTS | READS | LIST } },
    { ESSE_ANOMALY_LOST_UPDATE, 2, rule_lost_update, { COUNTS | READS, COUNTS | READS } },
    { ESSE_ANOMALY_LOST_COMMIT, 1, rule_lost_commit, { WRITES } },
    { ESSE_ANOMALY_DUPLICATE_WRITE, 2, rule_duplicate_write, { WRITES, WRITES } },
    { ESSE_ANOMALY_CYCLIC_VERSIONS, ANY_STEPS, rule_cyclic, { 0 } },
    { ESSE_ANOMALY_PREDICATE_READ_MISS, 1, rule_predicate_miss, { COUNTS } },
    { ESSE_ANOMALY_RESULT_SET_MISMATCH, 1, rule_result_set, { COUNTS } },
};

static bool fits(const struct rule *rule, const struct esse_anomaly *anomaly)
{
    return !anomaly->edge_count && (rule->steps == ANY_STEPS || rule->steps == anomaly->step_count);
}

static bool plays(struct claim *claim, int step, unsigned part)
{
    const struct esse_history *history = claim->history;
    const uint32_t txn = claim->txn[step], op = claim->op[step];
    esse_value *value = &claim->value[step];
    return (!(part & COUNTS) || esse_recheck_counts(history, txn)) &&
           (!(part & COMMITTED) || history->txn_status[txn] == ESSE_COMMITTED) &&
           (!(part & ABORTED) || history->txn_status[txn] == ESSE_ABORTED) &&
           (!(part & READS) || reads(claim, step, value)) &&
           (!(part & LIST) || esse_value_is_list(*value)) &&
           (!(part & WRITES) || esse_op_write_of(history, op, claim->key, value));
}

/* The steps must name operations of their transactions before any rule looks at them. */
static bool make_claim(const struct esse_history *history, const struct rule *rule,
                       const struct esse_anomaly *anomaly, struct claim *claim)
{
    *claim = (struct claim){ .history = history, .anomaly = anomaly, .key = anomaly->key };
    if (anomaly->has_key ? anomaly->key.ix >= history->keys
                         : rule->type != ESSE_ANOMALY_RESULT_SET_MISMATCH)
        return false;
    for (uint32_t i = 0; i < anomaly->step_count; i++) {
        uint32_t txn = anomaly->steps[i].txn.ix, op = anomaly->steps[i].op.ix;
        if (txn >= history->txns || op < history->txn_op[txn] || op >= history->txn_op[txn + 1])
            return false;
        if (i < 3) {
            claim->txn[i] = txn;
            claim->op[i] = op;
        }
    }
    for (int step = 0; step < 3; step++)
        if (!plays(claim, step, rule->parts[step]))
            return false;
    return true;
}

bool esse_recheck_steps(const struct esse_history *history, const struct esse_anomaly *anomaly,
                        struct esse_error *err)
{
    const char *name = esse_anomaly_name(anomaly->type);
    struct claim claim;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].type == anomaly->type)
            return (fits(&rules[i], anomaly) && make_claim(history, &rules[i], anomaly, &claim) &&
                    rules[i].holds(&claim)) ||
                   esse_fail(err, ESSE_EBUG, "the evidence for %s does not follow from the history",
                             name);
    return esse_fail(err, ESSE_EBUG, "no rule rechecks the anomaly '%s'", name);
}
