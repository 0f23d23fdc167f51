#include "engine/scan/scan_state.h"
#include "history/show.h"

#include <string.h>

/* One committed transaction at a time: what it read against what it did itself (internal,
 * future-read) and against who wrote that (G1a, G1b, garbage-read).  Lists are told apart: the
 * state that a read of a list expects is built from earlier reads and appends. */

/* ---- internal ---- */

/* The state a transaction knows a list to have: base, then its own appends; without a base only
 * the end is known.  Own appends are found again by walking the nodes back. */
static bool list_contradicts(struct scan *scan, const struct scan_node *read, uint32_t *earlier)
{
    uint32_t count, base_count;
    const esse_value *items = esse_history_list(scan->history, read->access.value, &count);
    for (uint32_t n = read->prev; n != NO_NODE; n = scan->nodes.at[n].prev) {
        const struct scan_node *node = &scan->nodes.at[n];
        *earlier = node->op;
        if (node->access.kind == ESSE_OP_APPEND) {
            if (!count || !esse_value_eq(items[--count], node->access.value))
                return true;
            continue;
        }
        esse_value base = esse_value_state(node->access.value);
        if (esse_value_eq(base, ESSE_NONE))
            continue;
        if (esse_value_tag(base) != ESSE_TAG_LIST)
            return count != 0;
        const esse_value *before = esse_history_list(scan->history, base, &base_count);
        return base_count != count || (count && memcmp(before, items, count * sizeof *items) != 0);
    }
    return false;
}

static bool register_contradicts(struct scan *scan, const struct scan_node *read, uint32_t *earlier)
{
    for (uint32_t n = read->prev; n != NO_NODE; n = scan->nodes.at[n].prev) {
        const struct scan_node *node = &scan->nodes.at[n];
        *earlier = node->op;
        if (node->access.kind == ESSE_OP_APPEND)
            return true; /* nothing was read of a list just appended to */
        if (esse_value_eq(node->access.value, ESSE_NONE))
            continue;
        return !esse_value_eq(esse_value_state(node->access.value),
                              esse_value_state(read->access.value));
    }
    return false;
}

static void check_internal(struct scan *scan, uint32_t txn, const struct scan_node *read)
{
    uint32_t earlier;
    bool list = esse_value_tag(read->access.value) == ESSE_TAG_LIST &&
                !esse_value_eq(esse_value_state(read->access.value), ESSE_NIL);
    if (!(list ? list_contradicts(scan, read, &earlier)
               : register_contradicts(scan, read, &earlier)) ||
        !scan_count(scan, ESSE_ANOMALY_INTERNAL))
        return;
    struct esse_step steps[] = {
        scan_step(txn, earlier, scan_say(scan, txn, earlier, "")),
        scan_step(txn, read->op, scan_say(scan, txn, read->op, " afterwards")),
    };
    scan_tell(scan, ESSE_ANOMALY_INTERNAL, read->access.key,
              "a transaction's read contradicts what it had read or written itself", steps, 2);
}

/* ---- where a register's value came from ---- */

struct sources {
    uint32_t own_later;             /* a write by the reader after the read, or NO_NODE */
    uint32_t aborted, intermediate; /* a write of that kind, or NO_NODE */
    uint32_t count, aborted_count, intermediate_count, own_count;
};

static struct sources find_sources(struct scan *scan, uint32_t txn, const struct scan_node *read)
{
    struct sources sources = { NO_NODE, NO_NODE, NO_NODE, 0, 0, 0, 0 };
    struct esse_probe probe = scan_writers(scan, read->access.key, read->access.value);
    uint32_t write;
    while (scan_writer_next(scan, &probe, read->access.key, read->access.value, &write)) {
        uint32_t writer = scan->writes.at[write].txn;
        scan->op_write[read->op] = sources.count ? write | SCAN_SHARED : write;
        sources.count++;
        if (writer == txn) {
            sources.own_count++;
            sources.own_later = write;
        }
        if (scan_status(scan, writer) == ESSE_ABORTED) {
            sources.aborted_count++;
            sources.aborted = write;
        }
        if (writer != txn && !scan->final.at[write]) {
            sources.intermediate_count++;
            sources.intermediate = write;
        }
    }
    return sources;
}

static void tell_garbage(struct scan *scan, uint32_t txn, const struct scan_node *read)
{
    struct esse_step steps[] = { scan_step(txn, read->op,
                                           scan_say(scan, txn, read->op, ", which nobody wrote")) };
    scan_tell(scan, ESSE_ANOMALY_GARBAGE_READ, read->access.key,
              "a committed transaction read a value that no transaction wrote", steps, 1);
}

static void tell_aborted(struct scan *scan, uint32_t txn, const struct scan_node *read,
                         struct scan_write writer)
{
    struct esse_step steps[] = {
        scan_step(txn, read->op, scan_say(scan, txn, read->op, "")),
        scan_step(writer.txn, writer.op,
                  scan_say(scan, writer.txn, writer.op, ", and then aborted")),
    };
    scan_tell(scan, ESSE_ANOMALY_G1A, read->access.key,
              "a committed transaction read what an aborted one wrote", steps, 2);
}

static void tell_intermediate(struct scan *scan, uint32_t txn, const struct scan_node *read,
                              struct scan_write writer)
{
    const struct esse_history *history = scan->history;
    uint32_t later = writer.op;
    esse_value ignored;
    for (uint32_t op = writer.op; op < history->txn_op[writer.txn + 1]; op++)
        if (esse_op_write_of(history, op, read->access.key, &ignored))
            later = op;
    struct esse_step steps[] = {
        scan_step(txn, read->op, scan_say(scan, txn, read->op, "")),
        scan_step(writer.txn, writer.op, scan_say(scan, writer.txn, writer.op, "")),
        scan_step(writer.txn, later, scan_say(scan, writer.txn, later, " after that")),
    };
    scan_tell(scan, ESSE_ANOMALY_G1B, read->access.key,
              "a committed transaction read a version in the middle of another's writes", steps, 3);
}

static void tell_future(struct scan *scan, uint32_t txn, const struct scan_node *read,
                        struct scan_write writer)
{
    struct esse_step steps[] = {
        scan_step(txn, read->op, scan_say(scan, txn, read->op, "")),
        scan_step(txn, writer.op, scan_say(scan, txn, writer.op, " only afterwards")),
    };
    scan_tell(scan, ESSE_ANOMALY_FUTURE_READ, read->access.key,
              "a transaction read what it wrote itself only later", steps, 2);
}

static bool wrote_before(const struct scan *scan, const struct scan_node *read)
{
    for (uint32_t n = read->prev; n != NO_NODE; n = scan->nodes.at[n].prev)
        if (scan->nodes.at[n].access.kind != ESSE_OP_READ)
            return true;
    return false;
}

/* With duplicate values the writer is a choice, so only what is wrong with every choice counts. */
static void check_register(struct scan *scan, uint32_t txn, const struct scan_node *read)
{
    uint32_t key = read->access.key.ix;
    esse_value value = read->access.value;
    if (esse_value_eq(value, scan->initial[key]) || wrote_before(scan, read))
        return;
    if (esse_value_eq(value, ESSE_NIL)) {
        if (!scan->key_deleted[key] && scan_count(scan, ESSE_ANOMALY_GARBAGE_READ))
            tell_garbage(scan, txn, read);
        return;
    }
    struct sources sources = find_sources(scan, txn, read);
    if (!sources.count) {
        if (scan_count(scan, ESSE_ANOMALY_GARBAGE_READ))
            tell_garbage(scan, txn, read);
        return;
    }
    if (sources.own_count == sources.count) {
        if (scan_count(scan, ESSE_ANOMALY_FUTURE_READ))
            tell_future(scan, txn, read, scan->writes.at[sources.own_later]);
        return;
    }
    if (sources.aborted_count == sources.count && scan_count(scan, ESSE_ANOMALY_G1A))
        tell_aborted(scan, txn, read, scan->writes.at[sources.aborted]);
    if (sources.intermediate_count == sources.count && scan_count(scan, ESSE_ANOMALY_G1B))
        tell_intermediate(scan, txn, read, scan->writes.at[sources.intermediate]);
}

/* ---- lists, as far as they need the transaction ---- */

static void check_list_end(struct scan *scan, uint32_t txn, const struct scan_node *read)
{
    uint32_t count, spine = (uint32_t)read->access.value.word >> 3;
    const esse_value *items = esse_history_list(scan->history, read->access.value, &count);
    if (!count || wrote_before(scan, read))
        return;
    uint32_t write = scan->item_write[scan->spine_first[spine] + count - 1];
    if (write == NO_NODE || (!(write & SCAN_SHARED) && scan->final.at[write]))
        return; /* the usual case: a last append, by one writer */
    struct esse_probe probe = scan_writers(scan, read->access.key, items[count - 1]);
    while (scan_writer_next(scan, &probe, read->access.key, items[count - 1], &write)) {
        struct scan_write writer = scan->writes.at[write];
        if (writer.txn != txn && !scan->final.at[write] && scan_count(scan, ESSE_ANOMALY_G1B))
            tell_intermediate(scan, txn, read, writer);
    }
}

/* Appends that come after a read of the same key must not be in what it returned. */
static void check_future_append(struct scan *scan, uint32_t txn, uint32_t append)
{
    const struct scan_node *node = &scan->nodes.at[append];
    for (uint32_t n = node->prev; n != NO_NODE; n = scan->nodes.at[n].prev) {
        const struct scan_node *read = &scan->nodes.at[n];
        if (esse_value_tag(read->access.value) != ESSE_TAG_LIST)
            continue;
        uint32_t count, at = 0;
        const esse_value *items = esse_history_list(scan->history, read->access.value, &count);
        while (at < count && !esse_value_eq(items[at], node->access.value))
            at++;
        if (at < count && scan_count(scan, ESSE_ANOMALY_FUTURE_READ))
            tell_future(scan, txn, read, (struct scan_write){ node->op, txn });
    }
}

static void check_node(struct scan *scan, uint32_t txn, uint32_t n)
{
    const struct scan_node *node = &scan->nodes.at[n];
    if (node->access.kind == ESSE_OP_APPEND)
        check_future_append(scan, txn, n);
    if (node->access.kind != ESSE_OP_READ || esse_value_eq(node->access.value, ESSE_NONE))
        return;
    if (node->prev != NO_NODE)
        check_internal(scan, txn, node);
    if (esse_value_tag(node->access.value) == ESSE_TAG_LIST)
        check_list_end(scan, txn, node);
    else
        check_register(scan, txn, node);
}

bool scan_transactions(struct scan *scan)
{
    const struct esse_history *history = scan->history;
    esse_budget_phase(scan->budget, "scanning transactions", history->txns);
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        if (!esse_budget_poll(scan->budget, txn))
            return false;
        if (scan_status(scan, txn) != ESSE_COMMITTED)
            continue;
        scan_nodes(scan, txn);
        for (uint32_t n = 0; n < scan->nodes.count; n++)
            check_node(scan, txn, n);
    }
    return true;
}
