#include "history/name_deletes.h"

#include "base/arena.h"
#include "history/access.h"

/* The transaction that can have made the delete which an order does not name. */
struct unnamed {
    struct esse_version_order *order;
    uint32_t nulls;
    uint32_t txn;    /* the only one, NONE or SEVERAL */
    bool is_deleted; /* by any transaction, whatever its outcome */
};
enum { NONE = ESSE_NO_TXN, SEVERAL = ESSE_NO_TXN - 1 };

static bool is_null(const struct esse_version *version)
{
    return version->txn.ix == ESSE_NO_TXN && esse_value_eq(version->value, ESSE_NIL);
}

static uint32_t count_nulls(const struct esse_version_order *order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < order->count; i++)
        count += is_null(&order->versions[i]);
    return count;
}

static bool is_named(const struct esse_version_order *order, uint32_t txn)
{
    for (uint32_t i = 0; i < order->count; i++)
        if (order->versions[i].txn.ix == txn)
            return true;
    return false;
}

static bool is_last(const struct esse_history *history, uint32_t txn, uint32_t op, esse_key key)
{
    esse_value ignored;
    for (uint32_t later = op + 1; later < history->txn_op[txn + 1]; later++)
        if (esse_op_write_of(history, later, key, &ignored))
            return false;
    return true;
}

static void consider(struct unnamed *unnamed, const struct esse_history *history, uint32_t txn,
                     uint32_t op)
{
    unnamed->is_deleted = true;
    if (unnamed->txn == txn || history->txn_status[txn] == ESSE_ABORTED ||
        !is_last(history, txn, op, unnamed->order->key) || is_named(unnamed->order, txn))
        return;
    unnamed->txn = unnamed->txn == NONE ? txn : SEVERAL;
}

/* 'of': by key, the order with a null, or NULL. */
static void find_deletes(struct unnamed *const *of, const struct esse_history *history)
{
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        struct esse_access_walk walk = esse_accesses_of(history, txn);
        while (esse_access_next(&walk))
            if (of[walk.access.key.ix] && walk.access.kind == ESSE_OP_WRITE &&
                esse_value_eq(walk.access.value, ESSE_NIL))
                consider(of[walk.access.key.ix], history, txn, walk.op);
    }
}

static void name(const struct unnamed *unnamed, struct esse_arena *arena)
{
    struct esse_version_order *order = unnamed->order;
    struct esse_version *versions = esse_arena_alloc(arena, order->count, sizeof *versions);
    const bool is_one = unnamed->nulls == 1 && unnamed->txn < SEVERAL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        if (!is_null(&order->versions[i]))
            versions[count++] = order->versions[i];
        else if (is_one)
            versions[count++] = (struct esse_version){ ESSE_NONE, { unnamed->txn } };
    }
    order->versions = versions;
    order->count = count;
}

void esse_name_deletes(const struct esse_history *history, struct esse_version_order *orders,
                       uint32_t count)
{
    struct esse_arena *scratch = NULL;
    struct unnamed **of = NULL;
    for (uint32_t o = 0; o < count; o++) {
        const uint32_t nulls = count_nulls(&orders[o]);
        if (!nulls)
            continue;
        if (!scratch) {
            scratch = esse_arena_new();
            of = esse_arena_alloc(scratch, history->keys, sizeof *of);
        }
        struct unnamed *unnamed = esse_arena_alloc(scratch, 1, sizeof *unnamed);
        *unnamed = (struct unnamed){ &orders[o], nulls, NONE, false };
        of[orders[o].key.ix] = unnamed;
    }
    if (!scratch)
        return;
    find_deletes(of, history);
    for (uint32_t key = 0; key < history->keys; key++)
        if (of[key] && of[key]->is_deleted)
            name(of[key], history->arena);
    esse_arena_free(scratch);
}
