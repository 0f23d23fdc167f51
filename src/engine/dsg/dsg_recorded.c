#include "engine/dsg/dsg_recorded.h"

#include "evidence/replay_state.h"

void dsg_recorded_serial(struct esse_order *order, struct esse_arena *arena,
                         const struct esse_history *history, const uint8_t *in)
{
    uint32_t *events = esse_arena_grow(arena, NULL, (history->txns + (size_t)1) * sizeof *events);
    *order = (struct esse_order){ .events = events };
    for (uint32_t i = 0; i < history->order_count; i++)
        if (in[history->order[i].ix])
            events[order->count++] = history->order[i].ix;
    for (uint32_t txn = 0; !history->order_count && txn < history->txns; txn++)
        if (in[txn])
            events[order->count++] = txn;
}

/* The last commit of a key that the transaction writes: its snapshot must not be before that. */
static uint32_t last_conflict(const struct replay_state *state, uint32_t txn)
{
    const struct esse_history *history = state->history;
    uint32_t last = 0;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            struct esse_access access = esse_access_at(history, op, i);
            uint32_t commit = state->keys[access.key.ix].last.commit;
            if (access.kind != ESSE_OP_READ && commit > last)
                last = commit;
        }
    }
    return last;
}

/* The latest snapshot that the transaction could have had, in commits; false if there is none. */
static bool find_snapshot(struct replay_state *state, uint32_t txn, uint32_t *snapshot)
{
    uint32_t least = last_conflict(state, txn);
    for (uint32_t tries = 0; tries < DSG_SNAPSHOTS && state->commits >= least + tries; tries++) {
        *snapshot = state->commits - tries;
        if (replay_state_reads(state, txn, *snapshot))
            return true;
    }
    return false;
}

/* After each commit the snapshots that were taken then, by counting. */
static void lay_out(struct esse_order *order, struct esse_arena *arena,
                    const struct esse_order *serial, const uint32_t *snapshot)
{
    const uint32_t count = serial->count;
    uint32_t *first = esse_arena_alloc(arena, count + 2u, sizeof *first);
    uint32_t *events = esse_arena_grow(arena, NULL, (2 * (size_t)count + 1) * sizeof *events);
    for (uint32_t i = 0; i < count; i++)
        first[snapshot[i] + 1]++;
    for (uint32_t i = 0; i < count + 1; i++)
        first[i + 1] += first[i];
    /* Before the snapshots after commit c there are c commits. */
    for (uint32_t i = 0; i < count; i++)
        events[first[snapshot[i]]++ + snapshot[i]] = serial->events[i] << 1;
    for (uint32_t i = 0; i < count; i++)
        events[first[i] + i] = serial->events[i] << 1 | 1;
    *order = (struct esse_order){ .events = events, .count = 2 * count, .has_starts = true };
}

bool dsg_recorded_snapshots(struct esse_order *order, struct esse_arena *arena,
                            const struct esse_history *history, const uint8_t *in,
                            struct esse_budget *budget)
{
    struct esse_arena *scratch = esse_arena_new();
    struct esse_order serial;
    struct replay_state state;
    dsg_recorded_serial(&serial, scratch, history, in);
    uint32_t *snapshot = esse_arena_alloc(scratch, serial.count + 1u, sizeof *snapshot);
    replay_state_init(&state, scratch, history, in, true);
    esse_budget_phase(budget, "looking for snapshots", serial.count);
    bool ok = true;
    for (uint32_t i = 0; i < serial.count && ok; i++) {
        ok = esse_budget_poll(budget, i) && find_snapshot(&state, serial.events[i], &snapshot[i]);
        replay_state_commit(&state, serial.events[i]);
    }
    if (ok)
        lay_out(order, arena, &serial, snapshot);
    esse_arena_free(scratch);
    return ok;
}
