#include "engine/dsg/dsg_recorded.h"

#include "base/checked.h"
#include "evidence/replay_state.h"
#include "history/given_order.h"
#include "history/snapshots.h"

#include <string.h>

/* How many commits the transaction saw in the end, as far as its snapshots tell. */
static uint32_t saw_commits(const struct esse_snapshots *snapshots, uint32_t txn)
{
    const struct esse_history *history = snapshots->history;
    struct esse_snapshot snapshot;
    uint32_t count = 0;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        if (esse_snapshot_of(snapshots, txn, op, &snapshot) && snapshot.before.ix > count)
            count = snapshot.before.ix;
    return count;
}

/*
 * By transaction: how many of the given order come before it.  A log of commits has only writers;
 * the others come after all that they saw and all that were recorded before them.  Left out, they
 * made every such order one that is not of all transactions.
 */
static uint32_t *find_places(const struct esse_history *history, struct esse_arena *arena)
{
    uint32_t *place = esse_arena_none(arena, history->txns + (size_t)1, *place);
    struct esse_snapshots snapshots;
    const enum esse_certificate_kind kind = history->certificate.kind;
    const bool tells_seen = history->order_count && kind != ESSE_CERTIFICATE_NONE &&
                            kind != ESSE_CERTIFICATE_TIMESTAMPS; /* those order by time */
    if (tells_seen)
        esse_snapshots_find(&snapshots, arena, history);
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

/* ---- readers that the order leaves out ---- */

struct waiting {
    uint32_t txn, tries;
};
ESSE_VEC(waiting_vec, struct waiting)

struct fitting {
    const struct esse_history *history;
    struct replay_state state;
    uint32_t *place;        /* by transaction */
    uint32_t *place_of;     /* by how many have committed in the state */
    uint32_t *first, *next; /* readers, by the place that was guessed for them */
    struct waiting_vec waiting;
};

/* Lists the readers by their places; false if there are none. */
static bool list_readers(struct fitting *f, struct esse_arena *arena, const uint8_t *in)
{
    const struct esse_history *history = f->history;
    const size_t places = history->order_count + (size_t)1;
    bool any = false;
    f->first = esse_arena_none(arena, places, *f->first);
    f->next = esse_arena_array(arena, history->txns + (size_t)1, *f->next);
    for (uint32_t txn = history->txns; txn-- > 0;) {
        const uint32_t at = f->place[txn];
        ESSE_HOT_ASSERT(at <= history->order_count);
        const bool is_in_order = at < history->order_count && history->order[at].ix == txn;
        if (!in[txn] || is_in_order || esse_txn_writes(history, txn, NULL))
            continue;
        f->next[txn] = f->first[at];
        f->first[at] = txn;
        any = true;
    }
    return any;
}

/* Where it was guessed to be, or a little before that; else it waits. */
static void fit_back(struct fitting *f, struct esse_arena *arena, uint32_t txn)
{
    const uint32_t now = f->state.commits;
    for (uint32_t tries = 0; tries < DSG_SNAPSHOTS && tries <= now; tries++)
        if (replay_state_reads(&f->state, txn, now - tries)) {
            f->place[txn] = f->place_of[now - tries];
            return;
        }
    waiting_vec_push(&f->waiting, arena, (struct waiting){ txn, 0 });
}

static void fit_waiting(struct fitting *f, uint32_t place)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->waiting.count; i++) {
        struct waiting *waiting = &f->waiting.at[i];
        if (replay_state_reads(&f->state, waiting->txn, f->state.commits))
            f->place[waiting->txn] = place;
        else if (++waiting->tries < DSG_SNAPSHOTS)
            f->waiting.at[kept++] = *waiting;
    }
    f->waiting.count = kept;
}

/*
 * What was recorded before a reader may have committed after it, and the other way round, since
 * clients hear of a commit a moment later.  So each is tried near its place, until it reads there
 * what it read.
 */
static void fit_readers(uint32_t *place, const struct esse_history *history, const uint8_t *in,
                        struct esse_arena *arena)
{
    struct fitting f = { .history = history, .place = place };
    if (!history->order_count || !list_readers(&f, arena, in))
        return;
    f.place_of = esse_arena_alloc(arena, history->order_count + 1u, sizeof *f.place_of);
    replay_state_init(&f.state, arena, history, in, true);
    for (uint32_t i = 0; i <= history->order_count; i++) {
        fit_waiting(&f, i);
        for (uint32_t txn = f.first[i]; txn != ESSE_NO_TXN; txn = f.next[txn])
            fit_back(&f, arena, txn);
        if (i == history->order_count || !in[history->order[i].ix])
            continue;
        replay_state_commit(&f.state, history->order[i].ix);
        f.place_of[f.state.commits] = i + 1;
    }
}

/* By counting: before the one at place i of the given order those that are to follow i others. */
void dsg_recorded_serial(struct esse_order *order, struct esse_arena *arena,
                         const struct esse_history *history, const uint8_t *in)
{
    struct esse_arena *scratch = esse_arena_new();
    uint32_t *place = find_places(history, scratch);
    fit_readers(place, history, in, scratch);
    uint32_t *first = esse_arena_alloc(scratch, history->order_count + 2u, sizeof *first);
    uint32_t *events = esse_arena_array(arena, history->txns + (size_t)1, *events);
    *order = (struct esse_order){ .events = events };
    for (uint32_t txn = 0; txn < history->txns; txn++)
        first[place[txn] + 1] += in[txn] != 0;
    for (uint32_t i = 0; i < history->order_count + 1; i++)
        first[i + 1] += first[i];
    order->count = first[history->order_count + 1];
    assert(order->count <= history->txns);
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
    uint32_t last = 0;
    struct esse_access_walk walk = esse_accesses_of(state->history, txn);
    while (esse_access_next(&walk)) {
        uint32_t commit = state->keys[walk.access.key.ix].last.commit;
        if (walk.access.kind != ESSE_OP_READ && commit > last)
            last = commit;
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
    uint32_t *events = esse_arena_array(arena, 2 * (size_t)count + 1, *events);
    for (uint32_t i = 0; i < count; i++) {
        ESSE_HOT_ASSERT(snapshot[i] <= i);
        first[snapshot[i] + 1]++;
    }
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
