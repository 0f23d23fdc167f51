#include "evidence/recheck.h"

#include "base/error.h"
#include "base/guard.h"
#include "evidence/assumption.h"
#include "evidence/commit_order.h"
#include "evidence/recheck_cycle.h"
#include "evidence/recheck_forced.h"
#include "evidence/recheck_mismatch.h"
#include "evidence/recheck_predicate.h"
#include "evidence/recheck_start.h"
#include "evidence/recheck_versions.h"
#include "evidence/recheck_ways.h"
#include "evidence/refutation.h"
#include "evidence/replay.h"
#include "evidence/start_points.h"
#include "evidence/supposed.h"
#include "history/access.h"
#include "history/suppose.h"

#include <string.h>

/* What a rule may look at: the history, the anomaly's key and the steps' operations. */
struct claim {
    const struct esse_history *history;
    const struct esse_anomaly *anomaly;
    esse_key key;
    uint32_t op[3], txn[3];
};

/* ---- small truths about one history ---- */

static bool committed(const struct claim *claim, int step)
{
    return esse_recheck_counts(claim->history, claim->txn[step]);
}

static bool aborted(const struct claim *claim, int step)
{
    return claim->history->txn_status[claim->txn[step]] == ESSE_ABORTED;
}

static bool reads(const struct claim *claim, int step, esse_value *value)
{
    return esse_op_read_of(claim->history, claim->op[step], claim->key, value) &&
           !esse_value_eq(*value, ESSE_NONE);
}

static bool writes(const struct claim *claim, int step, esse_value *value)
{
    return esse_op_write_of(claim->history, claim->op[step], claim->key, value);
}

static bool is_list(esse_value value)
{
    return esse_value_tag(value) == ESSE_TAG_LIST;
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
    return is_list(read) ? esse_list_has(history, read, written) : esse_value_eq(read, written);
}

/* How many operations of the history write 'value' to the key, and of them in 'txn' or aborted. */
struct writers {
    uint32_t all, own, aborted, not_final;
};

static bool has_later_write(const struct claim *claim, uint32_t txn, uint32_t op)
{
    esse_value ignored;
    for (uint32_t o = op + 1; o < claim->history->txn_op[txn + 1]; o++)
        if (esse_op_write_of(claim->history, o, claim->key, &ignored))
            return true;
    return false;
}

static struct writers count_writers(const struct claim *claim, esse_value value, uint32_t own)
{
    struct writers writers = { 0 };
    const struct esse_history *history = claim->history;
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        esse_guard_poll();
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
            esse_value written;
            if (!esse_op_write_of(history, op, claim->key, &written) ||
                !esse_value_eq(written, value))
                continue;
            writers.all++;
            writers.own += txn == own;
            writers.aborted += history->txn_status[txn] == ESSE_ABORTED;
            writers.not_final += has_later_write(claim, txn, op);
        }
    }
    return writers;
}

static bool wrote_before(const struct claim *claim, int step)
{
    esse_value ignored;
    for (uint32_t op = claim->history->txn_op[claim->txn[step]]; op < claim->op[step]; op++)
        if (esse_op_write_of(claim->history, op, claim->key, &ignored))
            return true;
    return false;
}

static bool is_initial(const struct claim *claim, esse_value value)
{
    return esse_value_eq(esse_key_initial(claim->history, claim->key), value);
}

/* ---- one rule an anomaly: see recheck.h for the steps ---- */

static bool rule_g1a(const struct claim *claim)
{
    esse_value read, written;
    if (!committed(claim, 0) || !aborted(claim, 1) || !reads(claim, 0, &read) ||
        !writes(claim, 1, &written) || !comes_from(claim->history, read, written))
        return false;
    struct writers writers = count_writers(claim, written, claim->txn[0]);
    return writers.all == writers.aborted &&
           (is_list(read) || (!is_initial(claim, read) && !wrote_before(claim, 0)));
}

static bool rule_g1b(const struct claim *claim)
{
    esse_value read, written, later;
    uint32_t count;
    if (!committed(claim, 0) || claim->txn[0] == claim->txn[1] || !reads(claim, 0, &read) ||
        !writes(claim, 1, &written) || claim->txn[1] != claim->txn[2] ||
        claim->op[2] <= claim->op[1] || !writes(claim, 2, &later))
        return false;
    struct writers writers = count_writers(claim, written, claim->txn[0]);
    if (wrote_before(claim, 0) || writers.not_final != writers.all)
        return false;
    if (!is_list(read))
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
    esse_value read;
    if (!committed(claim, 0) || !reads(claim, 0, &read))
        return false;
    if (!is_list(read))
        return !is_initial(claim, read) && !wrote_before(claim, 0) &&
               (esse_value_eq(read, ESSE_NIL) ? !deletes(claim)
                                              : !count_writers(claim, read, ESSE_NO_TXN).all);
    return has_strange_item(claim, read);
}

/* The list that a transaction must see, told from its end: own appends backwards, then a base. */
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
                is_list(value) ? esse_history_list(history, value, &base_count) : NULL;
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
    if (!committed(claim, 0) || claim->txn[0] != claim->txn[1])
        return false;
    if (!reads(claim, 1, &read))
        return esse_recheck_own_miss(claim->history, claim->txn[1], claim->op[1], claim->key);
    read = esse_value_state(read);
    return is_list(read) ? list_disagrees(claim, read) : state_disagrees(claim, read);
}

/* The write is the last before the read, and not what was read; or an append that is not where the
 * transaction's own appends must be, at the end of the list. */
static bool rule_own_write(const struct claim *claim)
{
    const struct esse_history *history = claim->history;
    esse_value read, written;
    uint32_t later = 0, count = 0;
    if (!committed(claim, 0) || claim->txn[0] != claim->txn[1] || claim->op[0] >= claim->op[1] ||
        !reads(claim, 1, &read) || !writes(claim, 0, &written))
        return false;
    for (uint32_t op = claim->op[0] + 1; op < claim->op[1]; op++) {
        esse_value ignored;
        bool writes_key = esse_op_write_of(history, op, claim->key, &ignored);
        if (writes_key && history->op_kind[op] != ESSE_OP_APPEND)
            return false;
        later += writes_key;
    }
    if (history->op_kind[claim->op[0]] != ESSE_OP_APPEND)
        return !later && !esse_value_eq(written, esse_value_state(read));
    const esse_value *items = is_list(read) ? esse_history_list(history, read, &count) : NULL;
    return count <= later || !esse_value_eq(items[count - 1 - later], written);
}

static bool rule_future(const struct claim *claim)
{
    esse_value read, written;
    /* One operation may be both: an update of a predicate reads first and then writes. */
    if (!committed(claim, 0) || claim->txn[0] != claim->txn[1] || claim->op[1] < claim->op[0] ||
        !reads(claim, 0, &read) || !writes(claim, 1, &written) ||
        !comes_from(claim->history, read, written))
        return false;
    struct writers writers = count_writers(claim, written, claim->txn[0]);
    if (is_list(read))
        return writers.all == 1;
    return writers.all == writers.own && !is_initial(claim, read) && !wrote_before(claim, 0);
}

static bool rule_duplicate_elements(const struct claim *claim)
{
    esse_value read;
    uint32_t count;
    if (!committed(claim, 0) || !reads(claim, 0, &read) || !is_list(read))
        return false;
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
    esse_value a, b;
    uint32_t a_count, b_count;
    if (!committed(claim, 0) || !committed(claim, 1) || !reads(claim, 0, &a) ||
        !reads(claim, 1, &b) || !is_list(a) || !is_list(b))
        return false;
    const esse_value *x = esse_history_list(claim->history, a, &a_count);
    const esse_value *y = esse_history_list(claim->history, b, &b_count);
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

/* Elle passes over elements of unknown outcome, even if somebody saw them. */
static bool is_known_committed(const struct claim *claim, int step)
{
    return claim->history->txn_status[claim->txn[step]] == ESSE_COMMITTED;
}

static bool rule_dirty_update(const struct claim *claim)
{
    esse_value first, second, read;
    if (!aborted(claim, 0) || !is_known_committed(claim, 1) || !committed(claim, 2) ||
        !writes(claim, 0, &first) || !writes(claim, 1, &second) || !reads(claim, 2, &read) ||
        !is_list(read) || count_writers(claim, second, ESSE_NO_TXN).all != 1)
        return false;
    const struct writers of_first = count_writers(claim, first, ESSE_NO_TXN);
    if (of_first.all != of_first.aborted)
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

/* The step is the transaction's first access of the key, a read, and a write comes later. */
static bool reads_then_writes(const struct claim *claim, int step, esse_value *value)
{
    esse_value ignored;
    for (uint32_t op = claim->history->txn_op[claim->txn[step]]; op < claim->op[step]; op++)
        if (esse_op_read_of(claim->history, op, claim->key, &ignored))
            return false;
    bool own_update = esse_op_write_of(claim->history, claim->op[step], claim->key, &ignored);
    return committed(claim, step) && !wrote_before(claim, step) && reads(claim, step, value) &&
           (own_update || has_later_write(claim, claim->txn[step], claim->op[step]));
}

static bool rule_lost_update(const struct claim *claim)
{
    esse_value a, b;
    if (claim->txn[0] == claim->txn[1] || !reads_then_writes(claim, 0, &a) ||
        !reads_then_writes(claim, 1, &b) ||
        !esse_value_eq(esse_value_state(a), esse_value_state(b)))
        return false;
    if (is_list(a) || is_list(b))
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

/* Does a version order have what the step wrote, and nobody else did? */
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
    esse_value written;
    if (esse_txn_recorded(history, txn) != ESSE_COMMITTED || !writes(claim, 0, &written) ||
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
    esse_value a, b;
    return claim->op[0] != claim->op[1] && writes(claim, 0, &a) && writes(claim, 1, &b) &&
           esse_value_eq(a, b);
}

static bool rule_cyclic(const struct claim *claim)
{
    return esse_recheck_cyclic(claim->history, claim->anomaly);
}

static bool rule_predicate_miss(const struct claim *claim)
{
    return committed(claim, 0) &&
           esse_recheck_predicate_miss(claim->history, claim->txn[0], claim->op[0], claim->key);
}

static bool rule_result_set(const struct claim *claim)
{
    if (!claim->anomaly->has_key)
        return committed(claim, 0) &&
               esse_recheck_result(claim->history, claim->txn[0], claim->op[0]);
    return committed(claim, 0) &&
           esse_recheck_result_set(claim->history, claim->txn[0], claim->op[0], claim->key);
}

/* ---- the table ---- */

enum { ANY_STEPS = UINT16_MAX }; /* the rule itself looks at them */

static const struct rule {
    enum esse_anomaly_id type;
    uint32_t steps;
    bool (*holds)(const struct claim *claim);
} rules[] = {
    { ESSE_ANOMALY_G1A, 2, rule_g1a },
    { ESSE_ANOMALY_G1B, 3, rule_g1b },
    { ESSE_ANOMALY_GARBAGE_READ, 1, rule_garbage },
    { ESSE_ANOMALY_INTERNAL, 2, rule_internal },
    { ESSE_ANOMALY_OWN_WRITE_MISSED, 2, rule_own_write },
    { ESSE_ANOMALY_FUTURE_READ, 2, rule_future },
    { ESSE_ANOMALY_DUPLICATE_ELEMENTS, 1, rule_duplicate_elements },
    { ESSE_ANOMALY_INCOMPATIBLE_ORDER, 2, rule_incompatible_order },
    { ESSE_ANOMALY_DIRTY_UPDATE, 3, rule_dirty_update },
    { ESSE_ANOMALY_LOST_UPDATE, 2, rule_lost_update },
    { ESSE_ANOMALY_LOST_COMMIT, 1, rule_lost_commit },
    { ESSE_ANOMALY_DUPLICATE_WRITE, 2, rule_duplicate_write },
    { ESSE_ANOMALY_CYCLIC_VERSIONS, ANY_STEPS, rule_cyclic },
    { ESSE_ANOMALY_PREDICATE_READ_MISS, 1, rule_predicate_miss },
    { ESSE_ANOMALY_RESULT_SET_MISMATCH, 1, rule_result_set },
};

static bool fits(const struct rule *rule, const struct esse_anomaly *anomaly)
{
    return rule->steps == ANY_STEPS || rule->steps == anomaly->step_count;
}

/* The steps must name operations of their transactions before any rule looks at them. */
static bool make_claim(const struct esse_history *history, const struct rule *rule,
                       const struct esse_anomaly *anomaly, struct claim *claim)
{
    *claim = (struct claim){ history, anomaly, anomaly->key, { 0 }, { 0 } };
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
    return true;
}

static bool recheck_supposed(const struct esse_history *history, const struct esse_anomaly *anomaly,
                             struct esse_error *err)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_anomaly plain = *anomaly;
    const struct esse_history *world =
        esse_history_suppose(arena, history, anomaly->supposed, anomaly->supposed_count);
    plain.supposed_count = 0;
    const bool ok =
        world ? esse_recheck_anomaly(world, &plain, err)
              : esse_fail(err, ESSE_EBUG, "%s supposes an outcome that is known", anomaly->type);
    esse_arena_free(arena);
    return ok;
}

bool esse_recheck_anomaly(const struct esse_history *history, const struct esse_anomaly *anomaly,
                          struct esse_error *err)
{
    if (anomaly->supposed_count)
        return recheck_supposed(history, anomaly, err);
    const struct esse_anomaly_type *type = esse_anomaly_find(anomaly->type);
    struct claim claim;
    esse_guard_poll();
    if (esse_is_refutation(anomaly))
        return esse_recheck_refutation(history, anomaly, err);
    if (esse_is_about_starts(anomaly))
        return esse_recheck_start(history, anomaly, err);
    if (esse_is_mismatch(anomaly))
        return esse_recheck_mismatch(history, anomaly, err);
    if (anomaly->edge_count)
        return esse_is_forced_cycle(anomaly) ? esse_recheck_forced(history, anomaly, err)
                                             : esse_recheck_cycle(history, anomaly, err);
    for (size_t i = 0; type && i < sizeof rules / sizeof *rules; i++)
        if (rules[i].type == type->id)
            return (fits(&rules[i], anomaly) && make_claim(history, &rules[i], anomaly, &claim) &&
                    rules[i].holds(&claim)) ||
                   esse_fail(err, ESSE_EBUG, "the evidence for %s does not follow from the history",
                             type->name);
    return esse_fail(err, ESSE_EBUG, "no rule rechecks the anomaly '%s'", anomaly->type);
}

bool esse_recheck_is_enough(const struct esse_level *proved, const struct esse_level *level,
                            const struct esse_verdict *verdict)
{
    bool enough =
        level == &esse_level_none ? verdict->named_count > 0 : esse_level_implies(proved, level);
    for (uint32_t i = 0; i < verdict->named_count; i++) {
        const struct esse_anomaly_type *type = esse_anomaly_find(verdict->named[i]);
        enough &= type && esse_level_forbids(proved, type);
    }
    return enough;
}

/* Where both know the level, the axiom is asked first: it is faster, but wants to know who wrote
 * what was read. */
bool esse_recheck_order(const struct esse_history *history, const struct esse_level *level,
                        const struct esse_order *order, unsigned threads, struct esse_error *err)
{
    const bool replayed = esse_replay_proves(level, order->has_starts);
    if (!replayed || esse_commit_order_proves(level, order->of_accesses)) {
        if (esse_commit_order_check(history, level, order, threads, err))
            return true;
    }
    return replayed && esse_replay(history, level, order, err);
}

/* Where a certificate gives start and commit points, snapshots are at these and nowhere else. */
static bool keeps_points(const struct esse_history *history, const struct esse_level *level,
                         const struct esse_order *order)
{
    struct esse_start_points points;
    if (!level->has_points || !esse_may_have_points(history))
        return true;
    struct esse_arena *arena = esse_arena_new();
    bool ok = true;
    if (esse_start_points_find(&points, arena, history)) {
        uint32_t last = 0;
        ok = order->has_starts;
        for (uint32_t i = 0; ok && i < order->count; i++) {
            const uint32_t event = order->events[i], txn = event >> 1;
            const uint32_t point = txn >= history->txns ? ESSE_NO_POINT
                                   : event & 1          ? points.commit[txn]
                                                        : points.start[txn];
            ok = point == ESSE_NO_POINT || point >= last;
            last = point == ESSE_NO_POINT ? last : point;
        }
    }
    esse_arena_free(arena);
    return ok;
}

static bool recheck_order(const struct esse_history *history, const struct esse_level *level,
                          const struct esse_verdict *verdict, unsigned threads,
                          struct esse_error *err)
{
    const struct esse_order *order = &verdict->order;
    const struct esse_level *proved = order->proves ? esse_level_find(order->proves) : NULL;
    if (proved && history->lost_count &&
        esse_level_forbids(level, esse_anomaly_get(ESSE_ANOMALY_LOST_COMMIT)))
        return esse_fail(err, ESSE_EBUG, "'%s holds', and commits were lost", verdict->level);
    if (!proved || !esse_recheck_is_enough(proved, level, verdict))
        return esse_fail(err, ESSE_EBUG, "'%s holds' came without evidence", verdict->level);
    if (!keeps_points(history, level, order))
        return esse_fail(err, ESSE_EBUG, "the order does not prove %s at the points given",
                         verdict->level);
    return esse_recheck_order(history, proved, order, threads, err);
}

/* Does the verdict own up to everything that the anomaly assumes? */
static bool is_stated(const struct esse_verdict *verdict, const struct esse_anomaly *anomaly)
{
    for (const struct esse_assumption_words *at = esse_assumptions; at->name; at++) {
        bool stated = !esse_anomaly_assumes(anomaly, at->name);
        for (uint32_t i = 0; i < verdict->assumed_count; i++)
            stated |= strcmp(verdict->assumed[i], at->name) == 0;
        if (!stated)
            return false;
    }
    return true;
}

/* An anomaly that shows without any order is one whatever the certificate says. */
static bool rests_on_certificate(const struct esse_anomaly *anomaly)
{
    return anomaly->edge_count || anomaly->refutation || anomaly->order_by ||
           strcmp(anomaly->type, "result-set-mismatch") == 0;
}

const char *esse_recheck_certificate(const struct esse_history *history,
                                     const struct esse_verdict *verdict)
{
    const char *given = history->certificate.kind == ESSE_CERTIFICATE_NONE
                            ? NULL
                            : esse_certificate_names[history->certificate.kind];
    bool rests = verdict->outcome == ESSE_HOLDS, alone = false;
    for (uint32_t i = 0; i < verdict->anomaly_count; i++) {
        const struct esse_anomaly *anomaly = &verdict->anomalies[i];
        rests |= rests_on_certificate(anomaly);
        alone |= !rests_on_certificate(anomaly) && !anomaly->supposed_count;
        given = given ? given : anomaly->order_by;
    }
    return rests && !alone ? given : NULL;
}

/* Does the verdict own up to the certificate that it was found under, and to no other? */
static bool states_certificate(const struct esse_history *history,
                               const struct esse_verdict *verdict)
{
    const char *needed = esse_recheck_certificate(history, verdict);
    return needed ? verdict->certificate && strcmp(verdict->certificate, needed) == 0
                  : !verdict->certificate;
}

/* Is it an anomaly that the level forbids, or one that the verdict says to count anyhow? */
static bool is_counted(const struct esse_level *level, const struct esse_verdict *verdict,
                       const struct esse_anomaly_type *type)
{
    bool counted = esse_level_forbids(level, type);
    for (uint32_t i = 0; !counted && i < verdict->named_count; i++) {
        const struct esse_anomaly_type *named = esse_anomaly_find(verdict->named[i]);
        counted = named && esse_anomaly_implies(type, named);
    }
    return counted;
}

bool esse_recheck_verdict(const struct esse_history *history, const struct esse_level *level,
                          const struct esse_verdict *verdict, unsigned threads,
                          struct esse_error *err)
{
    if (verdict->outcome == ESSE_UNKNOWN)
        return true;
    if (!states_certificate(history, verdict))
        return esse_fail(err, ESSE_EBUG, "'%s' does not state the history's certificate",
                         verdict->level);
    if (verdict->way_count)
        return esse_recheck_ways(history, level, verdict, threads, err);
    if (verdict->outcome == ESSE_HOLDS)
        return recheck_order(history, level, verdict, threads, err);
    if (!verdict->anomaly_count)
        return esse_fail(err, ESSE_EBUG, "'%s violated' came without evidence", verdict->level);
    if (!esse_supposed_covers(verdict->anomalies, verdict->anomaly_count))
        return esse_fail(err, ESSE_EBUG, "'%s violated' came without evidence for all outcomes",
                         verdict->level);
    for (uint32_t i = 0; i < verdict->anomaly_count; i++) {
        const struct esse_anomaly *anomaly = &verdict->anomalies[i];
        const struct esse_anomaly_type *type = esse_anomaly_find(anomaly->type);
        if (!type || !is_counted(level, verdict, type))
            return esse_fail(err, ESSE_EBUG, "%s does not rule out %s", anomaly->type,
                             verdict->level);
        if (!is_stated(verdict, anomaly))
            return esse_fail(err, ESSE_EBUG,
                             "%s rests on an assumption that the verdict does not state",
                             anomaly->type);
        if (!esse_recheck_anomaly(history, anomaly, err))
            return false;
    }
    return true;
}
