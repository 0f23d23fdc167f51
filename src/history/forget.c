#include "history/forget.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/rng.h"

static void forget_sessions(struct esse_arena *arena, struct esse_history *history)
{
    const size_t room = history->txns + (size_t)1;
    uint32_t *number = esse_arena_array(arena, room, *number);
    esse_value *names = esse_arena_array(arena, room, *names);
    for (uint32_t txn = 0; txn <= history->txns; txn++) {
        number[txn] = txn;
        names[txn] = esse_value_small(txn);
    }
    history->sessions = history->txns;
    history->txn_session = number;
    history->session_first = number;
    history->session_txn = number;
    history->session_name = names;
}

static void forget_versions(struct esse_arena *arena, struct esse_history *history, double share,
                            uint64_t seed)
{
    struct esse_rng rng = { seed };
    struct esse_version_order *orders =
        esse_arena_alloc(arena, history->version_order_count + (size_t)1, sizeof *orders);
    uint32_t kept_orders = 0;
    for (uint32_t i = 0; i < history->version_order_count; i++) {
        struct esse_version_order order = history->version_orders[i];
        struct esse_version *kept = esse_arena_alloc(arena, order.count + 1u, sizeof *kept);
        uint32_t count = 0;
        for (uint32_t v = 0; v < order.count; v++)
            if (esse_rng_unit(&rng) < share)
                kept[count++] = order.versions[v];
        order.versions = kept;
        order.count = count;
        if (count)
            orders[kept_orders++] = order;
    }
    history->version_orders = orders;
    history->version_order_count = kept_orders;
    if (!kept_orders)
        history->has &= ~(unsigned)ESSE_HAS_VERSION_ORDER;
    /* The order of the transactions would give that of all versions. */
    history->order_count = 0;
    history->has &= ~(unsigned)ESSE_HAS_ORDER;
    history->lost_count = 0;
    /* And so would what the database promises about them. */
    history->certificate = (struct esse_certificate_record){ ESSE_CERTIFICATE_NONE, false };
    history->has &= ~(unsigned)ESSE_HAS_CERTIFICATE;
}

struct esse_history *esse_history_forget(struct esse_arena *arena,
                                         const struct esse_history *history,
                                         const struct esse_forgetting *what)
{
    struct esse_history *less = esse_arena_alloc(arena, 1, sizeof *less);
    *less = *history;
    if (what->sessions)
        forget_sessions(arena, less);
    if (what->version_share < 1)
        forget_versions(arena, less, what->version_share, what->seed);
    ESSE_SEAM(esse_history_valid(less));
    return less;
}
