#include "engine/dsg/dsg_versions.h"

#include <string.h>

/* ---- which transactions count as committed ---- */

struct observing {
    struct dsg_versions *versions;
    struct scan *scan;
    uint32_t *spine_done; /* by spine: items whose writers were looked at */
    uint32_t *queue;
    uint32_t queued;
};

static void observe_value(struct observing *o, esse_key key, esse_value value)
{
    uint32_t write, unknown = ESSE_NO_TXN, writers = 0;
    struct esse_probe probe = scan_writers(o->scan, key, value);
    while (scan_writer_next(o->scan, &probe, key, value, &write)) {
        uint32_t txn = o->scan->writes.at[write].txn;
        writers++;
        if (scan_status(o->scan, txn) == ESSE_UNKNOWN_OUTCOME)
            unknown = txn;
    }
    /* With several writers of the value nobody knows which one was observed. */
    if (writers != 1 || unknown == ESSE_NO_TXN || o->versions->in[unknown])
        return;
    o->versions->in[unknown] = 1;
    o->queue[o->queued++] = unknown;
}

static void observe_list(struct observing *o, esse_key key, esse_value list)
{
    uint32_t count, spine = (uint32_t)list.word >> 3;
    const esse_value *items = esse_history_list(o->versions->history, list, &count);
    if (!count)
        return;
    for (uint32_t at = o->spine_done[spine]; at < count; at++)
        observe_value(o, key, items[at]);
    if (count > o->spine_done[spine])
        o->spine_done[spine] = count;
}

static void observe_reads(struct observing *o, uint32_t txn)
{
    const struct esse_history *history = o->versions->history;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        esse_value value = history->op_value[op];
        if (history->op_kind[op] != ESSE_OP_READ)
            continue;
        esse_key key = { history->op_key[op] };
        if (esse_value_tag(value) == ESSE_TAG_LIST)
            observe_list(o, key, value);
        else if (value.word > ESSE_NIL.word)
            observe_value(o, key, value);
    }
}

static uint32_t count_spines(const struct esse_history *history)
{
    uint32_t count = 1;
    for (uint32_t op = 0; op < history->ops; op++) {
        esse_value value = history->op_value[op];
        if (esse_value_tag(value) == ESSE_TAG_LIST && (uint32_t)value.word >> 3 >= count)
            count = ((uint32_t)value.word >> 3) + 1;
    }
    return count;
}

static bool find_committed(struct dsg_versions *versions, struct scan *scan)
{
    const struct esse_history *history = versions->history;
    uint32_t unknown = 0;
    for (uint32_t t = 0; t < history->txns; t++) {
        versions->in[t] = history->txn_status[t] == ESSE_COMMITTED;
        unknown += history->txn_status[t] == ESSE_UNKNOWN_OUTCOME;
    }
    if (!unknown)
        return true;
    struct observing o = { .versions = versions, .scan = scan };
    o.spine_done = esse_arena_alloc(scan->scratch, count_spines(history), sizeof *o.spine_done);
    o.queue = esse_arena_alloc(scan->scratch, unknown, sizeof *o.queue);
    for (uint32_t t = 0; t < history->txns; t++) {
        if (!esse_budget_poll(scan->budget, t))
            return false;
        if (history->txn_status[t] == ESSE_COMMITTED)
            observe_reads(&o, t);
    }
    for (uint32_t at = 0; at < o.queued; at++)
        observe_reads(&o, o.queue[at]);
    return true;
}

/* ---- the order of each key ---- */

struct ordering {
    struct dsg_versions *versions;
    struct scan *scan;
    uint32_t *writes; /* by key: how many versions are installed at most */
    uint8_t *whole;   /* by key: every element of its longest list is a version */
};

/* Every installed version, and the longest list of each key. */
static void count_versions(struct ordering *o)
{
    struct dsg_versions *versions = o->versions;
    const struct esse_history *history = versions->history;
    for (uint32_t t = 0; t < history->txns; t++) {
        if (!versions->in[t])
            continue;
        for (uint32_t op = history->txn_op[t]; op < history->txn_op[t + 1]; op++) {
            uint32_t key = history->op_key[op], *best = &versions->key_reader[key];
            esse_value value = history->op_value[op];
            if (history->op_kind[op] != ESSE_OP_READ)
                o->writes[key]++;
            else if (esse_value_tag(value) == ESSE_TAG_LIST && value.word >> 32 &&
                     (*best == ESSE_NO_OP ||
                      value.word >> 32 > history->op_value[*best].word >> 32))
                *best = op;
        }
    }
}

static uint32_t add_version(struct dsg_versions *versions, uint32_t txn, uint32_t op)
{
    uint32_t id = versions->count++;
    versions->txn[id] = txn;
    versions->op[id] = op;
    versions->op_version[op] = id;
    return id;
}

/* The write of 'value', if it is the only one that was not aborted and counts.  With several,
 * which one was read is a choice, and nothing follows from it. */
static uint32_t find_write(struct ordering *o, esse_key key, esse_value value)
{
    uint32_t write, found = NO_NODE;
    struct esse_probe probe = scan_writers(o->scan, key, value);
    while (scan_writer_next(o->scan, &probe, key, value, &write)) {
        if (scan_status(o->scan, o->scan->writes.at[write].txn) == ESSE_ABORTED)
            continue;
        if (found != NO_NODE)
            return NO_NODE;
        found = write;
    }
    return found != NO_NODE && o->versions->in[o->scan->writes.at[found].txn] ? found : NO_NODE;
}

/* A value of an order that nobody installed, or that was there before, is passed over: what is
 * wrong about it is told by the scan. */
static void order_write(struct ordering *o, uint32_t write)
{
    if (write == NO_NODE || o->versions->op_version[o->scan->writes.at[write].op] != NO_VERSION)
        return;
    add_version(o->versions, o->scan->writes.at[write].txn, o->scan->writes.at[write].op);
}

static void order_list(struct ordering *o, uint32_t key)
{
    const struct esse_history *history = o->versions->history;
    esse_value list = history->op_value[o->versions->key_reader[key]];
    uint32_t count, spine = (uint32_t)list.word >> 3;
    const esse_value *items = esse_history_list(history, list, &count);
    for (uint32_t at = 0; at < count; at++) {
        uint32_t write = o->scan->item_write[o->scan->spine_first[spine] + at];
        if (write != NO_NODE && (write & SCAN_SHARED))
            write = find_write(o, (esse_key){ key }, items[at]);
        else if (write != NO_NODE && !o->versions->in[o->scan->writes.at[write].txn])
            write = NO_NODE;
        order_write(o, write);
    }
    o->whole[key] = o->versions->count - o->versions->first[key] - 1 == count;
}

/* The last operation of a transaction that writes the key, for orders by transaction. */
static uint32_t installing_op(const struct esse_history *history, uint32_t txn, uint32_t key)
{
    uint32_t found = ESSE_NO_OP;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        if (history->op_kind[op] != ESSE_OP_READ && history->op_key[op] == key)
            found = op;
    return found;
}

static void order_certificate(struct ordering *o, const struct esse_version_order *order)
{
    struct dsg_versions *versions = o->versions;
    for (uint32_t i = 0; i < order->count; i++) {
        uint32_t txn = order->versions[i].txn.ix;
        if (txn == ESSE_NO_TXN) {
            order_write(o, find_write(o, order->key, order->versions[i].value));
            continue;
        }
        uint32_t op = installing_op(versions->history, txn, order->key.ix);
        if (op != ESSE_NO_OP && versions->in[txn] && versions->op_version[op] == NO_VERSION)
            add_version(versions, txn, op);
    }
}

/* Lays out the versions of all keys: the initial one, the ordered ones, and room for the rest. */
static void order_keys(struct ordering *o)
{
    struct dsg_versions *versions = o->versions;
    const struct esse_history *history = versions->history;
    const struct esse_version_order **given =
        esse_arena_alloc(o->scan->scratch, history->keys + 1u, sizeof *given);
    for (uint32_t i = 0; i < history->version_order_count; i++)
        given[history->version_orders[i].key.ix] = &history->version_orders[i];
    for (uint32_t key = 0; key < history->keys; key++) {
        versions->first[key] = versions->count++;
        versions->txn[versions->first[key]] = ESSE_NO_TXN;
        versions->op[versions->first[key]] = ESSE_NO_OP;
        versions->gaps[key] = given[key] != NULL;
        if (given[key])
            order_certificate(o, given[key]);
        else if (versions->key_reader[key] != ESSE_NO_OP)
            order_list(o, key);
        versions->loose[key] = versions->count;
        versions->count += o->writes[key] - (versions->count - versions->first[key] - 1);
    }
    versions->first[history->keys] = versions->count;
}

/* A register's version is the transaction's last write; what it overwrites itself is none. */
static bool installs(const struct esse_history *history, uint32_t txn, uint32_t op)
{
    return history->op_kind[op] == ESSE_OP_APPEND ||
           installing_op(history, txn, history->op_key[op]) == op;
}

/* What no order names is loose.  A single loose version has its place: the end. */
static void place_loose(struct ordering *o)
{
    struct dsg_versions *versions = o->versions;
    const struct esse_history *history = versions->history;
    uint32_t *next = o->writes; /* no longer needed as a count */
    for (uint32_t key = 0; key < history->keys; key++)
        next[key] = versions->loose[key];
    for (uint32_t t = 0; t < history->txns; t++) {
        if (!versions->in[t])
            continue;
        for (uint32_t op = history->txn_op[t]; op < history->txn_op[t + 1]; op++) {
            if (history->op_kind[op] == ESSE_OP_READ || versions->op_version[op] != NO_VERSION ||
                !installs(history, t, op))
                continue;
            uint32_t id = next[history->op_key[op]]++;
            versions->txn[id] = t;
            versions->op[id] = op;
            versions->op_version[op] = id;
        }
    }
    for (uint32_t key = 0; key < history->keys; key++) {
        uint32_t used = next[key], count = used - versions->loose[key];
        for (uint32_t id = used; id < versions->first[key + 1]; id++)
            versions->txn[id] = ESSE_NO_TXN; /* overwritten by the same transaction: no version */
        if (count == 1 && !versions->gaps[key])
            versions->loose[key] = used;
        versions->undetermined += count > (versions->gaps[key] ? 0 : 1);
    }
}

/* ---- which version each read returned ---- */

/* A list that does not follow the order of its key, holds an element twice, or ends in one that is
 * no version (aborted, never appended, or appended by several) is told by the scan; no dependency
 * follows from it. */
static uint32_t version_of_list(struct ordering *o, uint32_t key, esse_value list)
{
    struct dsg_versions *versions = o->versions;
    uint32_t count, newest = versions->first[key];
    const esse_value *items = esse_history_list(versions->history, list, &count);
    for (uint32_t at = 0; at < count; at++) {
        uint32_t write = find_write(o, (esse_key){ key }, items[at]);
        if (write == NO_NODE && at + 1 == count)
            return NO_VERSION;
        if (write == NO_NODE)
            continue;
        uint32_t version = versions->op_version[o->scan->writes.at[write].op];
        if (version <= newest)
            return NO_VERSION;
        newest = version;
    }
    return newest;
}

/* The fast way for healthy keys: a prefix of the longest list is as many versions in. */
static uint32_t version_of_prefix(struct ordering *o, uint32_t key, esse_value list)
{
    struct dsg_versions *versions = o->versions;
    uint32_t reader = versions->key_reader[key], count = (uint32_t)(list.word >> 32);
    esse_value longest = versions->history->op_value[reader];
    bool shares = (uint32_t)longest.word >> 3 == (uint32_t)list.word >> 3;
    return shares && o->whole[key] ? versions->first[key] + count : NO_VERSION;
}

static uint32_t version_of_read(struct ordering *o, uint32_t op)
{
    struct dsg_versions *versions = o->versions;
    uint32_t key = versions->history->op_key[op];
    esse_value value = versions->history->op_value[op];
    if (esse_value_eq(value, ESSE_NONE))
        return NO_VERSION;
    if (esse_value_eq(esse_value_state(value), ESSE_NIL))
        return o->scan->key_deleted[key] || !esse_value_eq(o->scan->initial[key], ESSE_NIL)
                   ? NO_VERSION
                   : versions->first[key];
    if (esse_value_tag(value) == ESSE_TAG_LIST) {
        uint32_t version = version_of_prefix(o, key, value);
        return version == NO_VERSION ? version_of_list(o, key, value) : version;
    }
    uint32_t write = o->scan->op_write[op];
    if (write == NO_NODE || (write & SCAN_SHARED) ||
        !versions->in[o->scan->writes.at[write].txn]) /* unknown readers were not looked up */
        write = find_write(o, (esse_key){ key }, value);
    if (!esse_value_eq(value, o->scan->initial[key]))
        return write == NO_NODE ? NO_VERSION : versions->op_version[o->scan->writes.at[write].op];
    struct esse_probe probe = scan_writers(o->scan, (esse_key){ key }, value);
    return scan_writer_next(o->scan, &probe, (esse_key){ key }, value, &write)
               ? NO_VERSION
               : versions->first[key];
}

static bool find_reads(struct ordering *o)
{
    struct dsg_versions *versions = o->versions;
    const struct esse_history *history = versions->history;
    uint32_t *writer = o->scan->key_txn; /* by key: the last transaction that wrote it */
    esse_budget_phase(o->scan->budget, "finding versions", history->txns);
    for (uint32_t t = 0; t < history->txns; t++) {
        if (!esse_budget_poll(o->scan->budget, t))
            return false;
        for (uint32_t op = history->txn_op[t]; versions->in[t] && op < history->txn_op[t + 1];
             op++) {
            uint32_t key = history->op_key[op];
            if (history->op_kind[op] != ESSE_OP_READ)
                writer[key] = t;
            else if (writer[key] != t) /* after an own write a read depends on nobody */
                versions->op_version[op] = version_of_read(o, op);
        }
    }
    return true;
}

bool dsg_versions_find(struct dsg_versions *versions, struct scan *scan)
{
    const struct esse_history *history = scan->history;
    struct esse_arena *arena = scan->scratch;
    *versions = (struct dsg_versions){ .arena = arena, .history = history };
    versions->in = esse_arena_alloc(arena, history->txns + 1u, 1);
    if (!find_committed(versions, scan))
        return false;
    struct ordering o = { .versions = versions, .scan = scan };
    size_t keys = (size_t)history->keys + 2, ops = (size_t)history->ops + 1;
    o.writes = esse_arena_alloc(arena, keys, sizeof *o.writes);
    o.whole = esse_arena_alloc(arena, keys, 1);
    versions->first = esse_arena_alloc(arena, keys, sizeof *versions->first);
    versions->loose = esse_arena_alloc(arena, keys, sizeof *versions->loose);
    versions->gaps = esse_arena_alloc(arena, keys, 1);
    versions->key_reader = esse_arena_alloc(arena, keys, sizeof *versions->key_reader);
    versions->op_version = esse_arena_grow(arena, NULL, ops * sizeof *versions->op_version);
    memset(versions->key_reader, 0xff, keys * sizeof *versions->key_reader);
    memset(versions->op_version, 0xff, ops * sizeof *versions->op_version);
    count_versions(&o);
    size_t room = history->keys + 1u;
    for (uint32_t key = 0; key < history->keys; key++)
        room += o.writes[key];
    versions->txn = esse_arena_grow(arena, NULL, room * sizeof *versions->txn);
    versions->op = esse_arena_grow(arena, NULL, room * sizeof *versions->op);
    order_keys(&o);
    place_loose(&o);
    return find_reads(&o);
}

struct dsg_versions dsg_versions_guess(const struct dsg_versions *versions)
{
    struct dsg_versions guess = *versions;
    const uint32_t keys = versions->history->keys;
    guess.loose = esse_arena_alloc(versions->arena, keys + 1u, sizeof *guess.loose);
    for (uint32_t key = 0; key < keys; key++) {
        uint32_t end = versions->loose[key];
        while (end < versions->first[key + 1] && versions->txn[end] != ESSE_NO_TXN)
            end++;
        guess.loose[key] = end;
    }
    return guess;
}
