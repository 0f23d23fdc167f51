#ifndef ESSE_TESTS_UNIT_SCAN_ORACLE_H
#define ESSE_TESTS_UNIT_SCAN_ORACLE_H

/*
 * The anomalies that need no order, straight from their definitions (semantics, section 2, and
 * Elle's for the list workload), over tiny histories of plain arrays.  Too simple to be wrong.
 */
#include "test.h"

#include "esse/esse.h"

enum { O_TXNS = 6, O_OPS = 5, O_KEYS = 2, O_LENGTH = 5 };
enum o_kind { O_READ, O_WRITE, O_APPEND, O_DELETE };
enum { O_NIL = 0, O_UNREAD = -1 }; /* values are 1, 2, ... */

struct o_op {
    enum o_kind kind;
    int key, value;
    bool is_list;
    int count, items[O_LENGTH];
};

struct o_txn {
    enum esse_status status;
    int count;
    struct o_op ops[O_OPS];
};

struct o_history {
    bool lists; /* else registers */
    int count;
    struct o_txn txns[O_TXNS];
};

enum o_type {
    O_G1A,
    O_G1B,
    O_GARBAGE,
    O_INTERNAL,
    O_FUTURE,
    O_DUPLICATE_ELEMENTS,
    O_INCOMPATIBLE,
    O_DIRTY_UPDATE,
    O_LOST_UPDATE,
    O_TYPES,
};
static const char *const o_names[O_TYPES] = {
    "G1a",
    "G1b",
    "garbage-read",
    "internal",
    "future-read",
    "duplicate-elements",
    "incompatible-order",
    "dirty-update",
    "lost-update",
};

static bool o_writes(const struct o_op *op, int key)
{
    return op->key == key && op->kind != O_READ;
}

static bool o_is_last(const struct o_txn *txn, int at)
{
    for (int i = at + 1; i < txn->count; i++)
        if (o_writes(&txn->ops[i], txn->ops[at].key))
            return false;
    return true;
}

static bool o_wrote_before(const struct o_txn *txn, int at)
{
    for (int i = 0; i < at; i++)
        if (o_writes(&txn->ops[i], txn->ops[at].key))
            return true;
    return false;
}

/* The list that txn expects at 'at', built from the end: -1 entries are not known. */
static bool o_internal_list(const struct o_txn *txn, int at)
{
    const struct o_op *read = &txn->ops[at];
    int left = read->count;
    for (int i = at - 1; i >= 0; i--) {
        const struct o_op *op = &txn->ops[i];
        if (op->key != read->key || (op->kind == O_READ && !op->is_list && op->value == O_UNREAD))
            continue;
        if (op->kind == O_APPEND) {
            if (left == 0 || read->items[left - 1] != op->value)
                return true;
            left--;
            continue;
        }
        if (op->count != left)
            return true;
        for (int n = 0; n < left; n++)
            if (op->items[n] != read->items[n])
                return true;
        return false;
    }
    return false;
}

static bool o_internal_register(const struct o_txn *txn, int at)
{
    for (int i = at - 1; i >= 0; i--) {
        const struct o_op *op = &txn->ops[i];
        if (op->key != txn->ops[at].key || (op->kind == O_READ && op->value == O_UNREAD))
            continue;
        return (op->kind == O_DELETE ? O_NIL : op->value) != txn->ops[at].value;
    }
    return false;
}

static bool o_deleted(const struct o_history *h, int key)
{
    for (int t = 0; t < h->count; t++)
        for (int i = 0; i < h->txns[t].count; i++)
            if (h->txns[t].ops[i].kind == O_DELETE && h->txns[t].ops[i].key == key)
                return true;
    return false;
}

struct o_writers {
    int all, own, aborted, middle;
};

static struct o_writers o_writers_of(const struct o_history *h, int key, int value, int own)
{
    struct o_writers w = { 0, 0, 0, 0 };
    for (int t = 0; t < h->count; t++) {
        for (int i = 0; i < h->txns[t].count; i++) {
            const struct o_op *op = &h->txns[t].ops[i];
            if (!o_writes(op, key) || op->kind == O_DELETE || op->value != value)
                continue;
            w.all++;
            w.own += t == own;
            w.aborted += h->txns[t].status == ESSE_ABORTED;
            w.middle += t != own && !o_is_last(&h->txns[t], i);
        }
    }
    return w;
}

static void o_register_read(const struct o_history *h, int t, int at, bool *found)
{
    const struct o_txn *txn = &h->txns[t];
    int key = txn->ops[at].key, value = txn->ops[at].value;
    if (o_internal_register(txn, at))
        found[O_INTERNAL] = true;
    if (o_wrote_before(txn, at) || value == O_NIL)
        return;
    struct o_writers w = o_writers_of(h, key, value, t);
    if (!w.all)
        found[O_GARBAGE] = true;
    else if (w.own == w.all)
        found[O_FUTURE] = true;
    else {
        found[O_G1A] |= w.aborted == w.all;
        found[O_G1B] |= w.middle == w.all;
    }
}

static void o_list_read(const struct o_history *h, int t, int at, bool *found)
{
    const struct o_txn *txn = &h->txns[t];
    const struct o_op *read = &txn->ops[at];
    found[O_INTERNAL] |= o_internal_list(txn, at);
    for (int n = 0; n < read->count; n++) {
        struct o_writers w = o_writers_of(h, read->key, read->items[n], t);
        found[O_GARBAGE] |= !w.all;
        found[O_G1A] |= w.all && w.aborted == w.all;
        found[O_G1B] |= n == read->count - 1 && w.all && w.middle == w.all && !w.own &&
                        !o_wrote_before(txn, at);
        for (int i = at + 1; i < txn->count; i++)
            found[O_FUTURE] |= w.all == 1 && txn->ops[i].kind == O_APPEND &&
                               txn->ops[i].key == read->key && txn->ops[i].value == read->items[n];
    }
}

/* Pairs of reads by committed transactions: Elle's list anomalies, and where an element was
 * appended several times, those of them that are there whichever operation made which. */
static void o_list_pair(const struct o_history *h, const struct o_op *a, const struct o_op *b,
                        bool *found)
{
    if (a->kind != O_READ || b->kind != O_READ || a->key != b->key)
        return;
    for (int n = 0; n < a->count && n < b->count; n++)
        found[O_INCOMPATIBLE] |= a->items[n] != b->items[n];
    for (int n = 0; n < a->count; n++) {
        int times = 0;
        for (int m = 0; m < a->count; m++)
            times += a->items[n] == a->items[m];
        found[O_DUPLICATE_ELEMENTS] |=
            times > 1 && times > o_writers_of(h, a->key, a->items[n], -1).all;
    }
}

static enum esse_status o_status_of(const struct o_history *h, int key, int item, bool *known)
{
    enum esse_status status = ESSE_ABORTED;
    *known = false;
    for (int t = 0; t < h->count; t++)
        for (int i = 0; i < h->txns[t].count; i++) {
            const struct o_op *op = &h->txns[t].ops[i];
            if (op->kind != O_APPEND || op->key != key || op->value != item)
                continue;
            if (!*known || status == ESSE_ABORTED)
                status = h->txns[t].status;
            *known = true;
        }
    return status;
}

/* An aborted element, then only aborted, unknown or strange ones, then a committed one. */
static bool o_is_dirty(const struct o_history *h, const struct o_op *read)
{
    bool dirty = false, known;
    for (int n = 0; n < read->count; n++) {
        enum esse_status status = o_status_of(h, read->key, read->items[n], &known);
        if (!known)
            continue;
        if (status == ESSE_COMMITTED && dirty &&
            o_writers_of(h, read->key, read->items[n], -1).all == 1)
            return true;
        dirty = dirty ? status != ESSE_COMMITTED : status == ESSE_ABORTED;
    }
    return false;
}

/* 'recorded' has the outcomes as they were recorded: Elle passes over elements of unknown outcome.
 */
static void o_lists(const struct o_history *h, const struct o_history *recorded, bool *found)
{
    for (int t = 0; t < h->count; t++)
        for (int i = 0; i < h->txns[t].count; i++)
            for (int u = 0; u < h->count; u++)
                for (int j = 0; j < h->txns[u].count; j++)
                    if (h->txns[t].status == ESSE_COMMITTED && h->txns[u].status == ESSE_COMMITTED)
                        o_list_pair(h, &h->txns[t].ops[i], &h->txns[u].ops[j], found);
    /* Elle follows the longest list; where lists contradict each other that is a choice. */
    for (int key = 0; key < O_KEYS; key++) {
        const struct o_op *longest = NULL;
        for (int t = 0; t < h->count; t++)
            for (int i = 0; i < h->txns[t].count && h->txns[t].status == ESSE_COMMITTED; i++) {
                const struct o_op *op = &h->txns[t].ops[i];
                if (op->kind == O_READ && op->key == key &&
                    (!longest || op->count > longest->count))
                    longest = op;
            }
        if (longest)
            found[O_DIRTY_UPDATE] |= o_is_dirty(recorded, longest);
    }
}

/* The first access of the key, if it is a read with a result that a write follows; else NULL. */
static const struct o_op *o_update(const struct o_txn *txn, int key)
{
    for (int i = 0; i < txn->count; i++) {
        if (txn->ops[i].key != key)
            continue;
        if (txn->ops[i].kind != O_READ || (!txn->ops[i].is_list && txn->ops[i].value == O_UNREAD))
            return NULL;
        for (int j = i + 1; j < txn->count; j++)
            if (o_writes(&txn->ops[j], key))
                return &txn->ops[i];
        return NULL;
    }
    return NULL;
}

static bool o_same_version(const struct o_history *h, const struct o_op *a, const struct o_op *b)
{
    if (h->lists)
        return a->count == b->count &&
               memcmp(a->items, b->items, sizeof *a->items * (size_t)a->count) == 0;
    if (a->value != b->value)
        return false;
    return a->value == O_NIL ? !o_deleted(h, a->key)
                             : o_writers_of(h, a->key, a->value, -1).all == 1;
}

static void o_lost_updates(const struct o_history *h, bool *found)
{
    for (int key = 0; key < O_KEYS; key++)
        for (int t = 0; t < h->count; t++)
            for (int u = 0; u < t; u++) {
                const struct o_op *a = o_update(&h->txns[t], key), *b = o_update(&h->txns[u], key);
                if (a && b && h->txns[t].status == ESSE_COMMITTED &&
                    h->txns[u].status == ESSE_COMMITTED)
                    found[O_LOST_UPDATE] |= o_same_version(h, a, b);
            }
}

static bool o_shows(const struct o_op *read, int key, int value)
{
    if (read->kind != O_READ || read->key != key)
        return false;
    for (int n = 0; n < read->count; n++)
        if (read->items[n] == value)
            return true;
    return !read->is_list && read->value == value;
}

/* Did one that counts read what the transaction wrote, and no other that did not abort? */
static bool o_observed(const struct o_history *h, int unknown)
{
    const struct o_txn *txn = &h->txns[unknown];
    for (int w = 0; w < txn->count; w++) {
        const struct o_op *op = &txn->ops[w];
        if (op->kind == O_READ || op->kind == O_DELETE)
            continue;
        const struct o_writers writers = o_writers_of(h, op->key, op->value, unknown);
        if (writers.all - writers.aborted != writers.own)
            continue;
        for (int t = 0; t < h->count; t++)
            for (int i = 0; i < h->txns[t].count && h->txns[t].status == ESSE_COMMITTED; i++)
                if (o_shows(&h->txns[t].ops[i], op->key, op->value) &&
                    (h->txns[t].ops[i].is_list || !o_wrote_before(&h->txns[t], i)))
                    return true;
    }
    return false;
}

/* The committed set: those of unknown outcome that were observed are in it. */
static struct o_history o_counted(const struct o_history *h)
{
    struct o_history counted = *h;
    for (int round = 0; round < h->count; round++)
        for (int t = 0; t < h->count; t++)
            if (counted.txns[t].status == ESSE_UNKNOWN_OUTCOME && o_observed(&counted, t))
                counted.txns[t].status = ESSE_COMMITTED;
    return counted;
}

static void o_find(const struct o_history *recorded, bool found[O_TYPES])
{
    const struct o_history counted = o_counted(recorded), *h = &counted;
    memset(found, 0, O_TYPES * sizeof *found);
    for (int t = 0; t < h->count; t++) {
        for (int i = 0; i < h->txns[t].count && h->txns[t].status == ESSE_COMMITTED; i++) {
            const struct o_op *op = &h->txns[t].ops[i];
            if (op->kind != O_READ || (!op->is_list && op->value == O_UNREAD))
                continue;
            if (h->lists)
                o_list_read(h, t, i, found);
            else
                o_register_read(h, t, i, found);
        }
    }
    if (h->lists)
        o_lists(h, recorded, found);
    o_lost_updates(h, found);
}

#endif
