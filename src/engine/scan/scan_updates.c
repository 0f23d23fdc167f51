#include "base/hash.h"
#include "engine/scan/scan_state.h"

/*
 * Lost updates: two committed transactions that first read the same version of a key and both
 * write it.  Whatever the version order, one of them overwrote what it had not seen.
 */
struct update {
    uint32_t txn, op; /* the first read */
    uint32_t key;
    esse_value value;
};

ESSE_VEC(update_vec, struct update)

struct updates {
    struct scan *scan;
    struct update_vec seen;
    struct esse_index index;
};

/* Is it certain that equal values are the same version? */
static bool is_one_version(struct scan *scan, esse_key key, esse_value value)
{
    if (esse_value_eq(value, ESSE_NIL))
        return !scan->key_deleted[key.ix];
    if (esse_value_tag(value) == ESSE_TAG_LIST)
        return true;
    uint32_t write;
    bool is_initial = esse_value_eq(value, scan->initial[key.ix]);
    struct esse_probe probe = scan_writers(scan, key, value);
    uint32_t writers = is_initial;
    while (scan_writer_next(scan, &probe, key, value, &write))
        writers++;
    return writers == 1;
}

static void tell(struct scan *scan, const struct update *a, const struct update *b)
{
    struct esse_step steps[] = {
        scan_step(a->txn, a->op, scan_say(scan, a->txn, a->op, " and then wrote it")),
        scan_step(b->txn, b->op, scan_say(scan, b->txn, b->op, " and then wrote it too")),
    };
    scan_tell(scan, ESSE_ANOMALY_LOST_UPDATE, (esse_key){ b->key },
              "two committed transactions read the same version of a key and both wrote it: one "
              "update is lost",
              steps, 2);
}

static void add(struct updates *updates, struct update update)
{
    struct scan *scan = updates->scan;
    uint32_t hash = esse_hash_word(update.value.word ^ ((uint64_t)update.key << 32)), id;
    struct esse_probe probe = esse_index_probe(&updates->index, hash);
    while (esse_probe_next(&probe, &id)) {
        const struct update *other = &updates->seen.at[id];
        if (other->key != update.key || !esse_value_eq(other->value, update.value))
            continue;
        if (is_one_version(scan, (esse_key){ update.key }, update.value) &&
            scan_count(scan, ESSE_ANOMALY_LOST_UPDATE))
            tell(scan, other, &update);
        return;
    }
    esse_index_add(&updates->index, scan->scratch, hash, (uint32_t)updates->seen.count);
    update_vec_push(&updates->seen, scan->scratch, update);
}

/* The writes of a transaction whose first access to the key was a read. */
static void find_updates(struct updates *updates, uint32_t txn)
{
    struct scan *scan = updates->scan;
    scan_nodes(scan, txn);
    for (uint32_t n = 0; n < scan->nodes.count; n++) {
        const struct scan_node *node = &scan->nodes.at[n];
        if (!node->is_last || node->prev == NO_NODE)
            continue;
        uint32_t first = node->prev;
        while (scan->nodes.at[first].prev != NO_NODE)
            first = scan->nodes.at[first].prev;
        const struct scan_node *read = &scan->nodes.at[first];
        if (read->access.kind != ESSE_OP_READ || esse_value_eq(read->access.value, ESSE_NONE))
            continue;
        add(updates, (struct update){ txn, read->op, read->access.key.ix,
                                      esse_value_state(read->access.value) });
    }
}

bool scan_lost_updates(struct scan *scan)
{
    struct updates updates = { .scan = scan };
    esse_budget_phase(scan->budget, "looking for lost updates", scan->history->txns);
    for (uint32_t txn = 0; txn < scan->history->txns; txn++) {
        if (!esse_budget_poll(scan->budget, txn))
            return false;
        if (scan_status(scan, txn) == ESSE_COMMITTED)
            find_updates(&updates, txn);
    }
    return true;
}
