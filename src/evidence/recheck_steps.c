#include "evidence/recheck_steps.h"

#include "evidence/recheck_predicate.h"
#include "evidence/recheck_versions.h"
#include "history/given_order.h"

#include <string.h>

/* What a rule may look at: the history, the anomaly's key, the steps' operations, and what these
 * read or wrote, as their parts say. */
struct steps {
    const struct claim *claim;
    const struct esse_history *history;
    esse_key key;
    uint32_t op[3], txn[3];
    esse_value value[3];
};

/* ---- small truths ---- */

static struct claim_writers writers_of(const struct steps *s, esse_value value)
{
    return claim_writers(s->claim, s->key, value, s->txn[0]);
}

static bool is_initial(const struct steps *s, esse_value value)
{
    return esse_value_eq(esse_key_initial(s->history, s->key), value);
}

/* The items of a list; of anything else none. */
static const esse_value *items_of(const struct steps *s, esse_value list, uint32_t *count)
{
    *count = 0;
    return esse_value_is_list(list) ? esse_history_list(s->history, list, count) : NULL;
}

/* Does what was read come from this write: the value itself, or an element of the list? */
static bool comes_from(const struct steps *s, esse_value read, esse_value written)
{
    return esse_value_is_list(read) ? esse_list_has(s->history, read, written)
                                    : esse_value_eq(read, written);
}

/* ---- one rule an anomaly, for what its parts do not say ---- */

static bool rule_g1b(const struct steps *s)
{
    const struct claim_writers of = writers_of(s, s->value[1]);
    uint32_t count;
    const esse_value *items = items_of(s, s->value[0], &count);
    return of.not_final == of.all.count && !esse_op_wrote_before(s->history, s->op[0], s->key) &&
           (items ? !of.own && esse_value_eq(items[count - 1], s->value[1])
                  : !is_initial(s, s->value[0]));
}

static bool rule_garbage(const struct steps *s)
{
    uint32_t count, known = 0;
    const esse_value *items = items_of(s, s->value[0], &count);
    if (!esse_value_is_list(s->value[0]))
        return !writers_of(s, s->value[0]).all.count;
    while (known < count && writers_of(s, items[known]).all.count)
        known++;
    return known < count;
}

/* What step 1 read contradicts what the transaction did to the key before; or what it wrote, from
 * step 0 on.  Own appends are the end of the list, backwards; before them comes what was written or
 * read last.  An update both reads and writes; its write is the later. */
static bool rule_internal(const struct steps *s)
{
    const bool is_own = s->claim->anomaly->type == ESSE_ANOMALY_OWN_WRITE_MISSED;
    const uint32_t from = is_own ? s->op[0] : s->history->txn_op[s->txn[1]];
    uint32_t count, base_count;
    esse_value read, value;
    if (!claim_reads(s->claim, s->op[1], s->key, &read))
        return esse_recheck_predicate(ESSE_PREDICATE_MISSES_OWN, s->history, s->txn[1], s->op[1],
                                      s->key);
    const esse_value *items = items_of(s, read, &count);
    read = esse_value_state(read);
    for (uint32_t op = s->op[1]; op-- > from;) {
        if (esse_op_write_of(s->history, op, s->key, &value)) {
            if (s->history->op_kind[op] != ESSE_OP_APPEND)
                return !esse_value_eq(esse_value_state(value), read);
            if (!count || !esse_value_eq(items[--count], value))
                return true;
        } else if (!is_own && claim_reads(s->claim, op, s->key, &value)) {
            const esse_value *base = items_of(s, value, &base_count);
            if (!esse_value_is_list(read))
                return !esse_value_eq(esse_value_state(value), read);
            return base_count != count ||
                   (count && memcmp(base, items, count * sizeof *items) != 0);
        }
    }
    return false;
}

/* One operation may be both: an update of a predicate reads first and then writes. */
static bool rule_future(const struct steps *s)
{
    const struct claim_writers of = writers_of(s, s->value[1]);
    return s->op[1] >= s->op[0] && of.all.count == (esse_value_is_list(s->value[0]) ? 1 : of.own);
}

static bool rule_duplicate_elements(const struct steps *s)
{
    uint32_t count;
    const esse_value *items = items_of(s, s->value[0], &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t times = 0;
        for (uint32_t j = 0; j < count; j++)
            times += esse_value_eq(items[i], items[j]);
        if (times > 1 && times > writers_of(s, items[i]).all.count)
            return true;
    }
    return false;
}

static bool rule_incompatible_order(const struct steps *s)
{
    uint32_t a_count, b_count;
    const esse_value *a = items_of(s, s->value[0], &a_count);
    const esse_value *b = items_of(s, s->value[1], &b_count);
    for (uint32_t i = 0; i < a_count && i < b_count; i++)
        if (!esse_value_eq(a[i], b[i]))
            return true;
    return false;
}

/* Nothing committed is between the first two.  A damaged list may hold either element several
 * times: any pair will do. */
static bool rule_dirty_update(const struct steps *s)
{
    uint32_t count;
    const esse_value *items = items_of(s, s->value[2], &count);
    bool is_dirty = false;
    for (uint32_t i = 0; i < count; i++) {
        if (is_dirty && esse_value_eq(items[i], s->value[1]))
            return true;
        is_dirty = esse_value_eq(items[i], s->value[0]) ||
                   (is_dirty && !writers_of(s, items[i]).committed);
    }
    return false;
}

static bool rule_lost_update(const struct steps *s)
{
    const esse_value a = s->value[0], b = s->value[1];
    if (!esse_value_eq(esse_value_state(a), esse_value_state(b)))
        return false;
    if (esse_value_is_list(a) || esse_value_is_list(b))
        return true;
    const uint32_t writers = writers_of(s, a).all.count;
    return esse_value_eq(a, ESSE_NIL) ? !writers : writers + is_initial(s, a) == 1;
}

static bool names(const esse_txn *txns, uint32_t count, uint32_t txn)
{
    for (uint32_t i = 0; i < count; i++)
        if (txns[i].ix == txn)
            return true;
    return false;
}

/* Does a version order have what the step wrote, and no other transaction did? */
static bool is_in_version_order(const struct steps *s, bool is_unique)
{
    for (uint32_t o = 0; o < s->history->version_order_count; o++) {
        const struct esse_version_order *order = &s->history->version_orders[o];
        for (uint32_t i = 0; order->key.ix == s->key.ix && i < order->count; i++) {
            const struct esse_version *version = &order->versions[i];
            if (version->txn.ix == ESSE_NO_TXN
                    ? is_unique && esse_value_eq(version->value, s->value[0])
                    : version->txn.ix == s->txn[0])
                return true;
        }
    }
    return false;
}

/* Did a transaction that the log has, one that writes and is not lost, read it? */
static bool is_in_a_later_state(const struct steps *s)
{
    const struct esse_history *history = s->history;
    const struct esse_by_key *by_key = &s->claim->by_key;
    for (uint32_t at = by_key->first[s->key.ix]; at < by_key->first[s->key.ix + 1]; at++) {
        const struct esse_key_access key_access = by_key->at[at];
        if (key_access.kind == ESSE_OP_READ && comes_from(s, key_access.value, s->value[0]) &&
            history->txn_status[key_access.txn] == ESSE_COMMITTED &&
            esse_txn_writes(history, key_access.txn, NULL) &&
            !names(history->lost, history->lost_count, key_access.txn))
            return true;
    }
    return false;
}

static bool rule_lost_commit(const struct steps *s)
{
    const struct esse_history *history = s->history;
    const esse_value written = s->value[0];
    const bool is_unique = !esse_value_eq(written, ESSE_NIL) && !is_initial(s, written) &&
                           writers_of(s, written).all.count == 1;
    return esse_txn_recorded(history, s->txn[0]) == ESSE_COMMITTED &&
           names(history->lost, history->lost_count, s->txn[0]) &&
           !names(history->order, history->order_count, s->txn[0]) &&
           !is_in_version_order(s, is_unique) && !(is_unique && is_in_a_later_state(s));
}

static bool rule_cyclic(const struct steps *s)
{
    return version_is_cyclic(s->claim);
}

static bool rule_predicate(const struct steps *s)
{
    const struct esse_anomaly *anomaly = s->claim->anomaly;
    return esse_recheck_predicate(anomaly->type == ESSE_ANOMALY_PREDICATE_READ_MISS
                                      ? ESSE_PREDICATE_MISSES_ALL
                                  : anomaly->has_key ? ESSE_PREDICATE_DIFFERS
                                                     : ESSE_PREDICATE_IS_WRONG,
                                  s->history, s->txn[0], s->op[0], s->key);
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
    FRESH = 64,  /* of a register: neither its initial value, nor after an own write */
    LEADS = 128, /* it is the transaction's first access of the key, and a write comes later */
    LEFT = 256,  /* only transactions that aborted wrote its value */
    ONCE = 512,  /* no other operation wrote its value */
    /* And with the step before it: */
    SAME = 1024,  /* of one transaction */
    OTHER = 2048, /* of two */
    LATER = 4096,
    SEEN = 8192, /* the first step's value comes from this one's */
    READ = COUNTS | READS,
};

/* An anomaly has as many steps as parts; with none, the rule itself looks at them. */
static const struct rule {
    enum esse_anomaly_id type;
    bool (*holds)(const struct steps *s); /* or NULL: the parts say it all */
    unsigned parts[3];
} rules[] = {
    { ESSE_ANOMALY_G1A, NULL, { READ | FRESH, ABORTED | WRITES | SEEN | LEFT } },
    { ESSE_ANOMALY_G1B, rule_g1b, { READ, OTHER | WRITES | SEEN, SAME | LATER | WRITES } },
    { ESSE_ANOMALY_GARBAGE_READ, rule_garbage, { READ | FRESH } },
    { ESSE_ANOMALY_INTERNAL, rule_internal, { COUNTS, SAME } },
    { ESSE_ANOMALY_OWN_WRITE_MISSED, rule_internal, { COUNTS | WRITES, SAME | LATER | READS } },
    { ESSE_ANOMALY_FUTURE_READ, rule_future, { READ | FRESH, SAME | WRITES | SEEN } },
    { ESSE_ANOMALY_DUPLICATE_ELEMENTS, rule_duplicate_elements, { READ | LIST } },
    { ESSE_ANOMALY_INCOMPATIBLE_ORDER, rule_incompatible_order, { READ | LIST, READ | LIST } },
    { ESSE_ANOMALY_DIRTY_UPDATE,
      rule_dirty_update,
      { ABORTED | WRITES | LEFT, COMMITTED | WRITES | ONCE, READ | LIST } },
    { ESSE_ANOMALY_LOST_UPDATE, rule_lost_update, { READ | LEADS, READ | LEADS | OTHER } },
    { ESSE_ANOMALY_LOST_COMMIT, rule_lost_commit, { WRITES } },
    { ESSE_ANOMALY_DUPLICATE_WRITE, NULL, { WRITES, WRITES | LATER | SEEN } },
    { ESSE_ANOMALY_CYCLIC_VERSIONS, rule_cyclic, { 0 } },
    { ESSE_ANOMALY_PREDICATE_READ_MISS, rule_predicate, { COUNTS } },
    { ESSE_ANOMALY_RESULT_SET_MISMATCH, rule_predicate, { COUNTS } },
};

static bool is_fresh(const struct steps *s, uint32_t step)
{
    return esse_value_is_list(s->value[step]) ||
           (!is_initial(s, s->value[step]) &&
            !esse_op_wrote_before(s->history, s->op[step], s->key));
}

static bool leads(const struct steps *s, uint32_t op, uint32_t txn)
{
    esse_value ignored;
    for (uint32_t before = s->history->txn_op[txn]; before < op; before++)
        if (esse_op_read_of(s->history, before, s->key, &ignored))
            return false;
    return !esse_op_wrote_before(s->history, op, s->key) &&
           (claim_writes(s->claim, op, s->key) || esse_op_writes_after(s->history, op, s->key));
}

static bool plays(struct steps *s, uint32_t step, unsigned part)
{
    const uint32_t txn = s->txn[step], op = s->op[step];
    const unsigned status = s->history->txn_status[txn];
    esse_value *value = &s->value[step];
    return (!(part & COUNTS) || s->claim->in[txn]) &&
           (!(part & COMMITTED) || status == ESSE_COMMITTED) &&
           (!(part & ABORTED) || status == ESSE_ABORTED) &&
           (!(part & READS) || claim_reads(s->claim, op, s->key, value)) &&
           (!(part & LIST) || esse_value_is_list(*value)) &&
           (!(part & WRITES) || esse_op_write_of(s->history, op, s->key, value)) &&
           (!(part & FRESH) || is_fresh(s, step)) && (!(part & LEADS) || leads(s, op, txn)) &&
           (!(part & LEFT) || !writers_of(s, *value).kept.count) &&
           (!(part & ONCE) || writers_of(s, *value).all.count == 1) &&
           (!(part & SAME) || txn == s->txn[step - 1]) &&
           (!(part & OTHER) || txn != s->txn[step - 1]) &&
           (!(part & LATER) || op > s->op[step - 1]) &&
           (!(part & SEEN) || comes_from(s, s->value[0], *value));
}

/* The steps must name operations of their transactions before any rule looks at them. */
static bool follows(const struct claim *claim, const struct rule *rule)
{
    const struct esse_anomaly *anomaly = claim->anomaly;
    const unsigned *parts = rule->parts;
    const uint32_t steps = !parts[0] ? 0 : !parts[1] ? 1 : !parts[2] ? 2 : 3;
    struct steps s = { .claim = claim, .history = claim->history, .key = anomaly->key };
    if (anomaly->edge_count || (steps && steps != anomaly->step_count) ||
        (anomaly->has_key ? anomaly->key.ix >= claim->history->keys
                          : rule->type != ESSE_ANOMALY_RESULT_SET_MISMATCH))
        return false;
    for (uint32_t i = 0; i < anomaly->step_count; i++) {
        if (!claim_has_op(claim, anomaly->steps[i].op, anomaly->steps[i].txn))
            return false;
        s.txn[i % 3] = anomaly->steps[i].txn.ix;
        s.op[i % 3] = anomaly->steps[i].op.ix;
    }
    for (uint32_t step = 0; step < steps; step++)
        if (!plays(&s, step, parts[step]))
            return false;
    return !rule->holds || rule->holds(&s);
}

bool steps_show(const struct claim *claim)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].type == claim->anomaly->type)
            return follows(claim, &rules[i]);
    return false;
}
