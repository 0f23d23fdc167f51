#include "engine/dsg/dsg_recorded.h"

#include "evidence/replay_state.h"
#include "history/snapshots.h"

#include <string.h>

/* How many commits the transaction saw in the end, as far as its snapshots tell. */
static uint32_t saw_commits(const struct esse_snapshots *snapshots, uint32_t txn)
{
    const struct esse_history *history = snapshots->history;
    struct esse_snapshot snapshot;
    uint32_t count = 0;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        if (esse_snapshot_of(snapshots, txn, op, &snapshot) && snapshot.before > count)
            count = snapshot.before;
    return count;
}

/*
 * By transaction: how many of the given order come before it.  A log of commits has only who wrote;
 * the others come after all that they saw and all that were recorded before them.  Left out, they
 * made every such order one that is not of all transactions.
 */
static uint32_t *find_places(const struct esse_history *history, struct esse_arena *arena)
{
    uint32_t *place = esse_arena_grow(arena, NULL, (history->txns + (size_t)1) * sizeof *place);
    struct esse_snapshots snapshots;
    const enum esse_certificate_kind kind = history->certificate.kind;
    const bool tells_seen = history->order_count && kind != ESSE_CERTIFICATE_NONE &&
                            kind != ESSE_CERTIFICATE_TIMESTAMPS; /* those order by time */
    if (tells_seen)
        esse_snapshots_find(&snapshots, arena, history);
    memset(place, 0xff, (history->txns + (size_t)1) * sizeof *place);
    for (uint32_t i = 0; i < history->order_count; i++)
        place[history->order[i].ix] = i;
    for (uint32_t txn = 0, latest = 0; txn < history->txns; txn++) {
        if (place[txn] != UINT32_MAX) {
            latest = place[txn] >= latest ? place[txn] + 1 : latest;
            continue;
        }
        const uint32_t seen = tells_seen ? saw_commits(&snapshots, txn) : 0;
        place[txn] = seen > latest ? seen : latest;
    }
    return place;
}

/* By counting: before the one at place i of the given order those that are to follow i others. */
void dsg_recorded_serial(struct esse_order *order, struct esse_arena *arena,
                         const struct esse_history *history, const uint8_t *in)
{
    struct esse_arena *scratch = esse_arena_new();
    const uint32_t *place = find_places(history, scratch);
    uint32_t *first = esse_arena_alloc(scratch, history->order_count + 2u, sizeof *first);
    uint32_t *events = esse_arena_grow(arena, NULL, (history->txns + (size_t)1) * sizeof *events);
    *order = (struct esse_order){ .events = events };
    for (uint32_t txn = 0; txn < history->txns; txn++)
        first[place[txn] + 1] += in[txn] != 0;
    for (uint32_t i = 0; i < history->order_count + 1; i++)
        first[i + 1] += first[i];
    order->count = first[history->order_count + 1];
    for (uint32_t i = 0; i < history->order_count; i++)
        if (in[history->order[i].ix])
            events[first[i + 1] - 1] = history->order[i].ix;
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if (in[txn] && (place[txn] == history->order_count || history->order[place[txn]].ix != txn))
            events[first[place[txn]]++] = txn;
    esse_arena_free(scratch);
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
