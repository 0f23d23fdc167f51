#include "evidence/replay.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/guard.h"
#include "evidence/proved_note.h"
#include "evidence/replay_rules.h"

#include <string.h>

bool esse_replay_proves(const struct esse_level *level, bool has_starts)
{
    return esse_level_is_replayed(level) && has_starts == esse_level_has_starts(level);
}

bool replay_wrong(const struct replay *replay, uint32_t txn, const char *what,
                  struct esse_error *err)
{
    char name[64];
    esse_txn_name(replay->history, (esse_txn){ txn }, name, sizeof name);
    return esse_fail(err, ESSE_EBUG, "the order does not prove %s: %s %s", replay->level->friendly,
                     name, what);
}

/* ---- mismatches ---- */

void replay_mismatch_of(struct esse_mismatch *mismatch, const struct replay_state *state,
                        esse_txn txn)
{
    *mismatch = state->miss;
    mismatch->txn = txn;
}

static void tell(const struct replay *replay, uint32_t snapshot)
{
    if (replay->teller)
        replay->teller->fill(replay->teller, replay->mismatch, &replay->state, replay->order,
                             snapshot);
}

/* The state, after 'snapshot' commits, is not what 'txn' read. */
static bool missed(struct replay *replay, uint32_t txn, uint32_t snapshot, struct esse_error *err)
{
    replay_mismatch_of(replay->mismatch, &replay->state, (esse_txn){ txn });
    tell(replay, snapshot);
    return replay_wrong(replay, txn, "would have read something else", err);
}

/* ---- the order itself ---- */

/* The unit of an event, and which moments of it that is: its start, its commit, or both. */
static uint32_t event_unit(const struct esse_order *order, uint32_t i, bool *start, bool *commit)
{
    *start = !order->has_starts || !(order->events[i] & 1);
    *commit = !order->has_starts || (order->events[i] & 1);
    return order->events[i] >> order->has_starts;
}

static void find_units(struct replay *replay)
{
    const struct esse_history *history = replay->history;
    replay->units = history->txns;
    if (replay->order->of_accesses) {
        replay->units = 0;
        for (uint32_t op = 0; op < history->ops; op++)
            replay->units += esse_access_count(history, op);
        replay->accesses =
            esse_arena_alloc(replay->arena, replay->units + (size_t)1, sizeof *replay->accesses);
        struct replay_access *access = replay->accesses;
        for (uint32_t txn = 0; txn < history->txns; txn++)
            for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
                for (uint32_t at = 0; at < esse_access_count(history, op); at++)
                    *access++ = (struct replay_access){ txn, op, at };
    }
    replay->in = esse_arena_alloc(replay->arena, history->txns + 1u, 1);
    replay->position =
        esse_arena_alloc(replay->arena, replay->units + (size_t)1, sizeof *replay->position);
}

/* Every committed unit once, no aborted one, of a transaction all or none; a start before its
 * commit. */
static bool is_order(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    const struct esse_order *order = replay->order;
    enum { STARTED = 1, COMMITTED = 2 };
    uint8_t *met = esse_arena_alloc(replay->arena, replay->units + (size_t)1, 1);
    for (uint32_t i = 0; i < order->count; i++) {
        bool start, commit;
        const uint32_t unit = event_unit(order, i, &start, &commit);
        if (unit >= replay->units)
            return esse_fail(err, ESSE_EBUG, "the order names a transaction that does not exist");
        const uint32_t txn = replay_txn(replay, unit);
        if (history->txn_status[txn] == ESSE_ABORTED)
            return replay_wrong(replay, txn, "was aborted", err);
        if (met[unit] & (start ? STARTED : COMMITTED))
            return replay_wrong(replay, txn, "is in it twice", err);
        if (!start && !met[unit])
            return replay_wrong(replay, txn, "commits before it starts", err);
        met[unit] |= (uint8_t)((start ? STARTED : 0) | (commit ? COMMITTED : 0));
        replay->in[txn] = 1;
        replay->position[unit] = i;
    }
    for (uint32_t unit = 0; unit < replay->units; unit++) {
        const uint32_t txn = replay_txn(replay, unit);
        if ((history->txn_status[txn] == ESSE_COMMITTED || replay->in[txn]) &&
            !(met[unit] & COMMITTED))
            return replay_wrong(replay, txn, "is missing", err);
    }
    return true;
}

/* 'txn' is not where 'other' demands. */
static bool misplaced(struct replay *replay, enum esse_mismatch_kind kind, uint32_t txn,
                      uint32_t other)
{
    *replay->mismatch = (struct esse_mismatch){
        .kind = kind, .txn = { txn }, .op = { ESSE_NO_OP }, .other = { other }
    };
    return false;
}

/* The units of a session are numbered in session order. */
static bool agrees_with_sessions(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    uint32_t *last = esse_arena_alloc(replay->arena, history->sessions + 1u, sizeof *last);
    uint32_t *open = esse_arena_alloc(replay->arena, history->sessions + 1u, sizeof *open);
    for (uint32_t i = 0; i < replay->order->count; i++) {
        bool start, commit;
        const uint32_t unit = event_unit(replay->order, i, &start, &commit);
        const uint32_t txn = replay_txn(replay, unit), session = history->txn_session[txn];
        if (start) {
            if (open[session] || unit + 1 <= last[session]) {
                const uint32_t other = replay_txn(replay, last[session] - 1);
                misplaced(replay, ESSE_MISMATCH_SESSION, txn > other ? txn : other,
                          txn > other ? other : txn);
                return replay_wrong(replay, txn, "is against its session's order", err);
            }
            last[session] = unit + 1;
            open[session]++;
        }
        if (commit)
            open[session]--;
    }
    return true;
}

/* Whatever commits after a transaction's start must not have ended before it. */
static bool agrees_with_time(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    int64_t latest_start = ESSE_NO_TIME;
    uint32_t latest = 0;
    if (!history->txn_time)
        return true;
    for (uint32_t i = 0; i < replay->order->count; i++) {
        bool start, commit;
        uint32_t txn = event_unit(replay->order, i, &start, &commit);
        const int64_t begin = history->txn_time[txn].begin;
        const int64_t end = esse_txn_committed_by(history, txn);
        if (commit && end != ESSE_NO_TIME && end < latest_start) {
            misplaced(replay, ESSE_MISMATCH_TIME, latest, txn);
            return replay_wrong(replay, latest, "is before one that had ended when it started",
                                err);
        }
        if (start && begin > latest_start) {
            latest_start = begin;
            latest = txn;
        }
    }
    return true;
}

/* ---- the strong rules; the weak ones are in replay_weak.c ---- */

static bool may_go_on(struct replay *replay, uint32_t done, struct esse_error *err)
{
    esse_guard_poll();
    return esse_budget_poll(replay->budget, done) || esse_fail(err, ESSE_ESTOPPED, "stopped");
}

static bool replay_serial(struct replay *replay, struct esse_error *err)
{
    struct replay_state *state = &replay->state;
    for (uint32_t i = 0; i < replay->order->count; i++) {
        uint32_t txn = replay->order->events[i];
        if (!replay_state_run(state, txn))
            return missed(replay, txn, state->commits, err);
        if (!may_go_on(replay, i, err))
            return false;
    }
    return true;
}

/* No transaction committed a key that it writes since its snapshot. */
static bool is_first_committer(struct replay *replay, uint32_t txn, uint32_t snapshot)
{
    struct esse_access_walk walk = esse_accesses_of(replay->history, txn);
    while (esse_access_next(&walk))
        if (walk.access.kind != ESSE_OP_READ &&
            replay->state.keys[walk.access.key.ix].last.commit > snapshot) {
            *replay->mismatch = (struct esse_mismatch){ .kind = ESSE_MISMATCH_OVERWRITTEN,
                                                        .txn = { txn },
                                                        .op = { walk.op },
                                                        .key = walk.access.key };
            tell(replay, snapshot);
            return false;
        }
    return true;
}

/* For prefix, the last to commit wins. */
static bool replay_snapshots(struct replay *replay, bool first_wins, struct esse_error *err)
{
    uint32_t *snapshot =
        esse_arena_alloc(replay->arena, replay->history->txns + 1u, sizeof *snapshot);
    for (uint32_t i = 0; i < replay->order->count; i++) {
        uint32_t txn = replay->order->events[i] >> 1;
        if (!(replay->order->events[i] & 1)) {
            snapshot[txn] = replay->state.commits;
            continue;
        }
        if (!replay_state_reads(&replay->state, txn, snapshot[txn]))
            return missed(replay, txn, snapshot[txn], err);
        if (first_wins && !is_first_committer(replay, txn, snapshot[txn]))
            return replay_wrong(replay, txn, "writes what was committed since its snapshot", err);
        replay_state_commit(&replay->state, txn);
        if (!may_go_on(replay, i, err))
            return false;
    }
    return true;
}

/* Where two may commit the same list, what each saw must still be the beginning of it. */
static bool agrees_with_lists(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    for (uint32_t t = 0; t < history->txns; t++)
        for (uint32_t op = history->txn_op[t]; replay->in[t] && op < history->txn_op[t + 1]; op++) {
            const esse_value list = history->op_value[op];
            if (history->op_kind[op] == ESSE_OP_READ && esse_value_tag(list) == ESSE_TAG_LIST &&
                !replay_state_is_list(&replay->state, history->op_key[op], list,
                                      (uint32_t)(list.word >> 32)))
                return replay_wrong(replay, t, "read a list in another order", err);
        }
    return true;
}

/* A predicate without an answer may have hidden anything. */
static bool has_answers(const struct replay *replay, struct esse_error *err)
{
    if (replay->state.rows.error.code == ESSE_OK)
        return true;
    *replay->mismatch = (struct esse_mismatch){ 0 };
    *err = replay->state.rows.error;
    err->line =
        replay->history->txn_line[esse_op_txn(replay->history, replay->state.rows.error_op).ix];
    return false;
}

/* The version sets count where the level is defined by cycles; elsewhere a predicate that has one
 * is refused. */
static bool agrees_with_vsets(struct replay *replay, struct esse_error *err)
{
    const enum esse_cycle cycle = replay->level->cycle;
    return cycle == ESSE_CYCLE_WW ||
           replay_agrees_with_vsets(replay, cycle == ESSE_CYCLE_WR || cycle == ESSE_CYCLE_ITEM_RW,
                                    err);
}

static bool run_rule(struct replay *replay, struct esse_error *err)
{
    const enum esse_cycle cycle = replay->level->cycle;
    if (replay->order->has_starts)
        return replay_snapshots(replay, cycle == ESSE_CYCLE_NO_TWO_RW, err) &&
               (cycle == ESSE_CYCLE_NO_TWO_RW || agrees_with_lists(replay, err)) &&
               agrees_with_vsets(replay, err);
    if (replay->level->phi != ESSE_PHI_NONE)
        return replay_commit_order(replay, REPLAY_AT_ONCE, err);
    return (cycle == ESSE_CYCLE_ANY  ? replay_serial(replay, err)
            : cycle == ESSE_CYCLE_WW ? replay_writes(replay, err)
                                     : replay_commit_order(replay, REPLAY_AT_ONCE, err)) &&
           agrees_with_vsets(replay, err);
}

/* Is there a rule for such an order? */
static bool may_prove(const struct esse_level *level, const struct esse_order *order)
{
    if (order->of_accesses)
        return esse_level_is_of_operations(level) && level->phi != ESSE_PHI_NONE &&
               !order->has_starts && !order->source_count;
    return esse_replay_proves(level, order->has_starts) ||
           (level->phi != ESSE_PHI_NONE && !esse_level_is_of_operations(level) &&
            !order->has_starts);
}

bool esse_replay_find(const struct esse_replay_teller *teller, const struct esse_history *history,
                      const struct esse_level *level, const struct esse_order *order,
                      struct esse_proved *proved, struct esse_budget *budget,
                      struct esse_mismatch *mismatch, struct esse_error *err)
{
    *mismatch = (struct esse_mismatch){ 0 };
    if (!may_prove(level, order))
        return esse_fail(err, ESSE_EBUG, "an order does not prove %s here", level->friendly);
    struct replay replay = { .arena = esse_arena_new(),
                             .history = history,
                             .level = level,
                             .order = order,
                             .budget = budget,
                             .teller = teller,
                             .mismatch = mismatch };
    find_units(&replay);
    bool ok = is_order(&replay, err);
    if (ok) {
        replay_state_init(&replay.state, replay.arena, history, replay.in,
                          level->cycle != ESSE_CYCLE_ANY);
        ok = run_rule(&replay, err);
        ESSE_SEAM(replay_state_valid(&replay.state));
        ok = has_answers(&replay, err) && ok;
    }
    ok = ok && replay_agrees_with_given(&replay, err) &&
         (!level->needs_session_order || agrees_with_sessions(&replay, err)) &&
         (!level->needs_real_time || agrees_with_time(&replay, err));
    esse_arena_free(replay.arena);
    if (ok)
        proved_note(proved, history, level, order);
    return ok;
}

bool esse_replay(const struct esse_history *history, const struct esse_level *level,
                 const struct esse_order *order, struct esse_proved *proved, struct esse_error *err)
{
    struct esse_mismatch mismatch;
    return esse_replay_find(NULL, history, level, order, proved, NULL, &mismatch, err);
}
