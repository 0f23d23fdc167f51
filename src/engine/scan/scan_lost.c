#include "engine/scan/scan_lost.h"

#include "history/access.h"
#include "history/show.h"
#include "level/level.h"

/* The first write of a transaction; every one that was lost has one (history/lost.h). */
static uint32_t first_write(const struct esse_history *history, uint32_t txn, esse_key *key)
{
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        for (uint32_t i = 0; i < esse_access_count(history, op); i++) {
            const struct esse_access access = esse_access_at(history, op, i);
            if (access.kind == ESSE_OP_READ)
                continue;
            *key = access.key;
            return op;
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
    struct esse_step *step = esse_arena_alloc(arena, 1, sizeof *step);
    const uint32_t op = first_write(history, txn.ix, &anomaly.key);
    char name[64];
    struct esse_out out;
    esse_txn_name(history, txn, name, sizeof name);
    esse_out_init_memory(&out, arena);
    esse_out_f(&out, "%s did ", name);
    esse_show_op(&out, history, (esse_op){ op });
    esse_out_text(&out, " and its commit was acknowledged; the log has nothing of it, and no "
                        "later transaction that wrote saw it");
    *step = (struct esse_step){ txn, { op }, esse_out_memory(&out) };
    anomaly.steps = step;
    return anomaly;
}

uint32_t scan_lost(struct esse_arena *arena, const struct esse_history *history,
                   struct esse_anomaly **anomalies)
{
    const uint32_t count =
        history->lost_count < SCAN_LOST_KEPT ? history->lost_count : SCAN_LOST_KEPT;
    *anomalies = esse_arena_alloc(arena, count + 1u, sizeof **anomalies);
    for (uint32_t i = 0; i < count; i++)
        (*anomalies)[i] = tell(arena, history, history->lost[i]);
    return count;
}
