#include "engine/scan/scan_lost.h"

#include "history/access.h"
#include "history/show.h"
#include "level/level.h"

#include <assert.h>

/* The first write of a transaction; every one that was lost has one (history/lost.h). */
static uint32_t first_write(const struct esse_history *history, uint32_t txn, esse_key *key)
{
    struct esse_access_walk walk = esse_accesses_of(history, txn);
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ) {
            *key = walk.access.key;
            return walk.op;
        }
    return history->txn_op[txn];
}

static struct esse_anomaly tell(struct esse_arena *arena, const struct esse_history *history,
                                esse_txn txn)
{
    struct esse_anomaly anomaly = {
        .type = ESSE_ANOMALY_LOST_COMMIT,
        .description = "a transaction was acknowledged as committed, and the database's own log "
                       "does not have it",
        .has_key = true,
        .step_count = 1
    };
    assert(txn.ix < history->txns);
    struct esse_step *step = esse_arena_alloc(arena, 1, sizeof *step);
    const uint32_t op = first_write(history, txn.ix, &anomaly.key);
    char name[64];
    esse_txn_name(history, txn, name, sizeof name);
    const char *what = esse_show_sentence(
        arena, history,
        "%s did %o and its commit was acknowledged; the log has nothing of it, and no "
        "later transaction that wrote saw it",
        name, (esse_op){ op });
    *step = (struct esse_step){ txn, { op }, what };
    anomaly.steps = step;
    return anomaly;
}

uint32_t scan_lost(struct esse_arena *arena, const struct esse_history *history,
                   struct esse_anomaly **anomalies)
{
    const uint32_t count =
        history->lost_count < SCAN_LOST_KEPT ? history->lost_count : SCAN_LOST_KEPT;
    assert(history->lost_count > 0);
    *anomalies = esse_arena_alloc(arena, count + 1u, sizeof **anomalies);
    for (uint32_t i = 0; i < count; i++)
        (*anomalies)[i] = tell(arena, history, history->lost[i]);
    return count;
}
