#include "base/hash.h"
#include "engine/scan/scan_state.h"
#include "history/show.h"

#include <string.h>

/*
 * What is wrong inside lists.  Lists that are prefixes of one another share a spine, so each spine
 * is walked once: the first position of each kind of fault in it tells which of its reads show the
 * fault.
 */
#define NOWHERE UINT32_MAX

struct spine_facts {
    uint32_t key;
    uint32_t longest, longest_op;        /* of the reads of committed transactions */
    uint32_t aborted, garbage, repeated; /* first position of each, or NOWHERE */
    uint32_t next;                       /* another spine of the same key, or NOWHERE */
};

struct list_scan {
    struct scan *scan;
    struct spine_facts *spines; /* by spine; longest == 0: nobody that counts read it */
    uint32_t *key_spine;        /* by key: its first spine */
    uint32_t spine_count;
    uint32_t *write_spine; /* by write: the last spine it was met in, plus one */
};

static uint32_t spine_of(esse_value list)
{
    return (uint32_t)list.word >> 3;
}

static uint32_t count_of(esse_value list)
{
    return (uint32_t)(list.word >> 32);
}

/* The longest list that a committed transaction read from each spine. */
static void find_longest(struct list_scan *lists, uint32_t txn)
{
    const struct esse_history *history = lists->scan->history;
    if (history->txn_status[txn] != ESSE_COMMITTED)
        return;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        esse_value value = history->op_value[op];
        if (esse_value_tag(value) != ESSE_TAG_LIST || !count_of(value))
            continue;
        struct spine_facts *spine = &lists->spines[spine_of(value)];
        if (!spine->longest) {
            spine->key = history->op_key[op];
            spine->next = lists->key_spine[spine->key];
            lists->key_spine[spine->key] = spine_of(value);
        }
        if (count_of(value) > spine->longest) {
            spine->longest = count_of(value);
            spine->longest_op = op;
        }
    }
}

/* Who appended an element: the first writer that did not abort, else any; NOWHERE if nobody. */
static uint32_t appender(struct scan *scan, uint32_t spine, uint32_t at)
{
    uint32_t write = scan->item_write[scan->spine_first[spine] + at], found = write;
    if (write == NO_NODE || !(write & SCAN_SHARED))
        return write;
    esse_key key = { scan->spine_key[spine] };
    esse_value item = scan->history->spines[spine].items[at];
    struct esse_probe probe = scan_writers(scan, key, item);
    while (scan_writer_next(scan, &probe, key, item, &write)) {
        found = write;
        if (scan_status(scan, scan->writes.at[write].txn) != ESSE_ABORTED)
            break;
    }
    return found;
}

/* Elements that nobody appended have no write to be marked on; they are rare, so a small index of
 * their own finds the repeated ones. */
static bool seen_garbage(struct esse_index *index, struct esse_arena *arena,
                         const esse_value *items, uint32_t at)
{
    uint32_t hash = esse_hash_word(items[at].word), id;
    struct esse_probe probe = esse_index_probe(index, hash);
    while (esse_probe_next(&probe, &id))
        if (esse_value_eq(items[id], items[at]))
            return true;
    esse_index_add(index, arena, hash, at);
    return false;
}

static void walk_spine(struct list_scan *lists, uint32_t s)
{
    struct scan *scan = lists->scan;
    struct spine_facts *spine = &lists->spines[s];
    const esse_value *items = scan->history->spines[s].items;
    struct esse_index strange = { 0 };
    spine->aborted = spine->garbage = spine->repeated = NOWHERE;
    for (uint32_t at = 0; at < spine->longest; at++) {
        uint32_t write = appender(scan, s, at);
        bool again;
        if (write == NOWHERE) {
            again = seen_garbage(&strange, scan->scratch, items, at);
            if (spine->garbage == NOWHERE)
                spine->garbage = at;
        } else {
            again = lists->write_spine[write] == s + 1;
            lists->write_spine[write] = s + 1;
            if (spine->aborted == NOWHERE &&
                scan_status(scan, scan->writes.at[write].txn) == ESSE_ABORTED)
                spine->aborted = at;
        }
        if (again && spine->repeated == NOWHERE)
            spine->repeated = at;
    }
    esse_index_drop(&strange, scan->scratch);
}

/* ---- faults that a read shows ---- */

static const char *say_item(struct scan *scan, const char *before, esse_value item,
                            const char *after)
{
    return esse_arena_format(scan->arena, "%s%s%s", before,
                             esse_show_text(scan->arena, scan->history, item), after);
}

static void tell_read(struct scan *scan, enum esse_anomaly_id type, uint32_t txn, uint32_t op,
                      const char *rest, const char *description)
{
    struct esse_step steps[] = { scan_step(txn, op, scan_say(scan, txn, op, rest)) };
    scan_tell(scan, type, (esse_key){ scan->history->op_key[op] }, description, steps, 1);
}

static void tell_aborted_item(struct scan *scan, uint32_t txn, uint32_t op, uint32_t at)
{
    esse_key key = { scan->history->op_key[op] };
    uint32_t spine = spine_of(scan->history->op_value[op]);
    struct scan_write writer = scan->writes.at[appender(scan, spine, at)];
    struct esse_step steps[] = {
        scan_step(txn, op, scan_say(scan, txn, op, "")),
        scan_step(writer.txn, writer.op,
                  scan_say(scan, writer.txn, writer.op, ", and then aborted")),
    };
    scan_tell(scan, ESSE_ANOMALY_G1A, key,
              "a committed transaction read what an aborted one appended", steps, 2);
}

static void check_read(struct list_scan *lists, uint32_t txn, uint32_t op)
{
    struct scan *scan = lists->scan;
    esse_value value = scan->history->op_value[op];
    const struct spine_facts *spine = &lists->spines[spine_of(value)];
    const esse_value *items = scan->history->spines[spine_of(value)].items;
    if (count_of(value) > spine->garbage && spine->garbage != NOWHERE &&
        scan_count(scan, ESSE_ANOMALY_GARBAGE_READ))
        tell_read(scan, ESSE_ANOMALY_GARBAGE_READ, txn, op,
                  say_item(scan, "; nobody appended ", items[spine->garbage], ""),
                  "a committed transaction read an element that no transaction appended");
    if (count_of(value) > spine->aborted && spine->aborted != NOWHERE &&
        scan_count(scan, ESSE_ANOMALY_G1A))
        tell_aborted_item(scan, txn, op, spine->aborted);
    if (count_of(value) > spine->repeated && spine->repeated != NOWHERE &&
        scan_count(scan, ESSE_ANOMALY_DUPLICATE_ELEMENTS))
        tell_read(scan, ESSE_ANOMALY_DUPLICATE_ELEMENTS, txn, op,
                  say_item(scan, "; ", items[spine->repeated], " is in it twice"),
                  "a read returned a list with the same element twice");
}

static void check_reads(struct list_scan *lists, uint32_t txn)
{
    const struct esse_history *history = lists->scan->history;
    if (history->txn_status[txn] != ESSE_COMMITTED)
        return;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        if (esse_value_tag(history->op_value[op]) == ESSE_TAG_LIST &&
            count_of(history->op_value[op]))
            check_read(lists, txn, op);
}

/* ---- faults of a key ---- */

static bool is_prefix(const struct esse_history *history, esse_value a, esse_value b)
{
    uint32_t a_count, b_count;
    const esse_value *x = esse_history_list(history, a, &a_count);
    const esse_value *y = esse_history_list(history, b, &b_count);
    uint32_t common = a_count < b_count ? a_count : b_count;
    return !common || memcmp(x, y, common * sizeof *x) == 0;
}

static void check_orders(struct list_scan *lists, uint32_t key)
{
    struct scan *scan = lists->scan;
    const struct esse_history *history = scan->history;
    uint32_t first = lists->key_spine[key];
    if (first == NOWHERE)
        return;
    uint32_t first_op = lists->spines[first].longest_op;
    for (uint32_t s = lists->spines[first].next; s != NOWHERE; s = lists->spines[s].next) {
        uint32_t op = lists->spines[s].longest_op;
        if (is_prefix(history, history->op_value[first_op], history->op_value[op]) ||
            !scan_count(scan, ESSE_ANOMALY_INCOMPATIBLE_ORDER))
            continue;
        uint32_t a = esse_op_txn(history, op).ix, b = esse_op_txn(history, first_op).ix;
        struct esse_step steps[] = {
            scan_step(a, op, scan_say(scan, a, op, "")),
            scan_step(b, first_op, scan_say(scan, b, first_op, "; neither continues the other")),
        };
        scan_tell(scan, ESSE_ANOMALY_INCOMPATIBLE_ORDER, (esse_key){ key },
                  "two reads of a key saw its elements in orders that contradict each other", steps,
                  2);
    }
}

/* Elle's walk along the order that the longest read shows: an aborted append that a committed one
 * was put upon, with nothing committed between. */
static void check_dirty_updates(struct list_scan *lists, uint32_t key)
{
    struct scan *scan = lists->scan;
    uint32_t best = lists->key_spine[key];
    for (uint32_t s = best; s != NOWHERE; s = lists->spines[s].next)
        if (lists->spines[s].longest > lists->spines[best].longest)
            best = s;
    if (best == NOWHERE || lists->spines[best].aborted == NOWHERE)
        return;
    const struct spine_facts *spine = &lists->spines[best];
    uint32_t dirty = NOWHERE;
    for (uint32_t at = spine->aborted; at < spine->longest; at++) {
        uint32_t write = appender(scan, best, at);
        if (write == NOWHERE)
            continue;
        enum esse_status status = scan_status(scan, scan->writes.at[write].txn);
        if (status == ESSE_ABORTED && dirty == NOWHERE)
            dirty = write;
        if (status != ESSE_COMMITTED || dirty == NOWHERE)
            continue;
        if (scan_count(scan, ESSE_ANOMALY_DIRTY_UPDATE)) {
            struct scan_write a = scan->writes.at[dirty], b = scan->writes.at[write];
            uint32_t reader = esse_op_txn(scan->history, spine->longest_op).ix;
            struct esse_step steps[] = {
                scan_step(a.txn, a.op, scan_say(scan, a.txn, a.op, ", and then aborted")),
                scan_step(b.txn, b.op, scan_say(scan, b.txn, b.op, ", on top of that")),
                scan_step(reader, spine->longest_op,
                          scan_say(scan, reader, spine->longest_op, ", which shows both")),
            };
            scan_tell(scan, ESSE_ANOMALY_DIRTY_UPDATE, (esse_key){ key },
                      "a committed transaction appended to the state that an aborted one left",
                      steps, 3);
        }
        dirty = NOWHERE;
    }
}

static bool each_txn(struct list_scan *lists, const char *phase,
                     void (*visit)(struct list_scan *lists, uint32_t txn))
{
    const struct esse_history *history = lists->scan->history;
    esse_budget_phase(lists->scan->budget, phase, history->txns);
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        if (!esse_budget_poll(lists->scan->budget, txn))
            return false;
        visit(lists, txn);
    }
    return true;
}

bool scan_lists(struct scan *scan)
{
    const struct esse_history *history = scan->history;
    if (!(history->has & ESSE_HAS_LIST_READS))
        return true;
    struct list_scan lists = { .scan = scan, .spine_count = scan->spine_count };
    lists.spines = esse_arena_alloc(scan->scratch, lists.spine_count + 1u, sizeof *lists.spines);
    lists.key_spine = esse_arena_alloc(scan->scratch, history->keys + 1u, sizeof *lists.key_spine);
    lists.write_spine =
        esse_arena_alloc(scan->scratch, scan->writes.count + 1, sizeof *lists.write_spine);
    memset(lists.key_spine, 0xff, (history->keys + 1u) * sizeof *lists.key_spine);
    if (!each_txn(&lists, "finding the longest lists", find_longest))
        return false;
    esse_budget_phase(scan->budget, "walking lists", lists.spine_count);
    for (uint32_t s = 0; s < lists.spine_count; s++) {
        if (!esse_budget_poll(scan->budget, s))
            return false;
        walk_spine(&lists, s);
    }
    if (!each_txn(&lists, "scanning lists", check_reads))
        return false;
    for (uint32_t key = 0; key < history->keys; key++) {
        check_orders(&lists, key);
        check_dirty_updates(&lists, key);
    }
    return true;
}
