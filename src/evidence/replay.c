#include "evidence/replay.h"

#include "base/error.h"
#include "evidence/replay_state.h"

#include <string.h>

struct replay {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_level *level;
    const struct esse_order *order;
    uint8_t *in;        /* by transaction: it is in the order */
    uint32_t *position; /* by transaction: of its (commit) event */
    struct replay_state state;
};

enum replay_rule { REPLAY_NONE, REPLAY_SERIAL, REPLAY_SNAPSHOT, REPLAY_COMMITTED };

static enum replay_rule rule_of(const struct esse_level *level)
{
    enum esse_level_id base = level->base != ESSE_LEVEL_NONE ? level->base : level->id;
    switch (base) {
    case ESSE_LEVEL_SERIALIZABLE:
        return REPLAY_SERIAL;
    case ESSE_LEVEL_SNAPSHOT_ISOLATION:
        return REPLAY_SNAPSHOT;
    case ESSE_LEVEL_READ_COMMITTED:
        return REPLAY_COMMITTED;
    default:
        return REPLAY_NONE;
    }
}

bool esse_replay_proves(const struct esse_level *level, bool has_starts)
{
    enum replay_rule rule = rule_of(level);
    return has_starts ? rule == REPLAY_SNAPSHOT : rule == REPLAY_SERIAL || rule == REPLAY_COMMITTED;
}

static bool wrong(const struct replay *replay, uint32_t txn, const char *what,
                  struct esse_error *err)
{
    char name[64];
    esse_txn_name(replay->history, (esse_txn){ txn }, name, sizeof name);
    return esse_fail(err, ESSE_EBUG, "the order does not prove %s: %s %s", replay->level->friendly,
                     name, what);
}

/* ---- the order itself ---- */

/* Every committed transaction once, no aborted one; a start before its commit. */
static bool is_order(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    const struct esse_order *order = replay->order;
    uint8_t *started = esse_arena_alloc(replay->arena, history->txns + 1u, 1);
    for (uint32_t i = 0; i < order->count; i++) {
        uint32_t txn = order->has_starts ? order->events[i] >> 1 : order->events[i];
        bool start = order->has_starts && !(order->events[i] & 1);
        if (txn >= history->txns)
            return esse_fail(err, ESSE_EBUG, "the order names a transaction that does not exist");
        if (history->txn_status[txn] == ESSE_ABORTED)
            return wrong(replay, txn, "was aborted", err);
        if (start ? started[txn] : replay->in[txn])
            return wrong(replay, txn, "is in it twice", err);
        if (order->has_starts && !start && !started[txn])
            return wrong(replay, txn, "commits before it starts", err);
        started[txn] |= start;
        if (!start) {
            replay->in[txn] = 1;
            replay->position[txn] = i;
        }
    }
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if ((history->txn_status[txn] == ESSE_COMMITTED || started[txn]) && !replay->in[txn])
            return wrong(replay, txn, "is missing", err);
    return true;
}

/* The event before which everything that precedes a transaction must have committed. */
static uint32_t event_txn(const struct esse_order *order, uint32_t i, bool *start, bool *commit)
{
    *start = !order->has_starts || !(order->events[i] & 1);
    *commit = !order->has_starts || (order->events[i] & 1);
    return order->has_starts ? order->events[i] >> 1 : order->events[i];
}

static bool agrees_with_sessions(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    uint32_t *last = esse_arena_alloc(replay->arena, history->sessions + 1u, sizeof *last);
    uint32_t *open = esse_arena_alloc(replay->arena, history->sessions + 1u, sizeof *open);
    for (uint32_t i = 0; i < replay->order->count; i++) {
        bool start, commit;
        uint32_t txn = event_txn(replay->order, i, &start, &commit);
        uint32_t session = history->txn_session[txn];
        if (start) {
            /* Transactions of a session are numbered in session order. */
            if (open[session] || txn + 1 <= last[session])
                return wrong(replay, txn, "is against its session's order", err);
            last[session] = txn + 1;
            open[session]++;
        }
        if (commit)
            open[session]--;
    }
    return true;
}

/* From the back: whatever commits after a transaction's start must not have ended before it. */
static bool agrees_with_time(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    int64_t earliest_end = INT64_MAX;
    if (!history->txn_time)
        return true;
    for (uint32_t i = replay->order->count; i-- > 0;) {
        bool start, commit;
        uint32_t txn = event_txn(replay->order, i, &start, &commit);
        struct esse_interval time = history->txn_time[txn];
        if (start && time.begin != ESSE_NO_TIME && earliest_end < time.begin)
            return wrong(replay, txn, "is before one that had ended when it started", err);
        if (commit && time.end != ESSE_NO_TIME && time.end < earliest_end &&
            history->txn_status[txn] == ESSE_COMMITTED)
            earliest_end = time.end;
    }
    return true;
}

/* ---- the three rules ---- */

static bool replay_serial(struct replay *replay, struct esse_error *err)
{
    for (uint32_t i = 0; i < replay->order->count; i++) {
        uint32_t txn = replay->order->events[i];
        if (!replay_state_reads(&replay->state, txn, replay->state.commits))
            return wrong(replay, txn, "would have read something else", err);
        replay_state_commit(&replay->state, txn);
    }
    return true;
}

/* Nobody committed a key that it writes since its snapshot. */
static bool is_first_committer(struct replay *replay, uint32_t txn, uint32_t snapshot)
{
    const struct esse_history *history = replay->history;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
        uint32_t count = esse_access_count(history, op);
        for (uint32_t i = 0; i < count; i++) {
            struct esse_access access = esse_access_at(history, op, i);
            if (access.kind != ESSE_OP_READ &&
                replay->state.keys[access.key.ix].last.commit > snapshot)
                return false;
        }
    }
    return true;
}

static bool replay_snapshots(struct replay *replay, struct esse_error *err)
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
            return wrong(replay, txn, "would have read something else", err);
        if (!is_first_committer(replay, txn, snapshot[txn]))
            return wrong(replay, txn, "writes what was committed since its snapshot", err);
        replay_state_commit(&replay->state, txn);
    }
    return true;
}

/* A list must be what the key held after some commit before the reader's, or the reader's own. */
static bool read_is_committed(struct replay *replay, uint32_t txn, struct esse_access access)
{
    const struct replay_key *key = &replay->state.keys[access.key.ix];
    esse_value read = esse_value_state(access.value);
    for (uint32_t v = key->version_count; v-- > 0;) {
        struct replay_version version = key->versions[v];
        if (version.commit > replay->position[txn])
            continue;
        if (esse_value_tag(read) == ESSE_TAG_LIST
                ? version.count == read.word >> 32 &&
                      replay_state_is_list(&replay->state, access.key.ix, read, version.count)
                : !version.count && esse_value_eq(read, version.value))
            return true;
        /* Versions of a list only grow: an older one cannot be this long. */
        if (esse_value_tag(read) == ESSE_TAG_LIST && version.count < read.word >> 32)
            return false;
    }
    return false;
}

/* A read after an own write depends on nobody; a list still shows an order of versions, which must
 * be that of the key. */
static bool read_is_own(struct replay *replay, uint32_t txn, uint32_t op, struct esse_access access)
{
    struct replay_own own = replay_own_writes(replay->history, txn, op, access.key);
    if (!own.written && !own.appends)
        return false;
    return esse_value_tag(access.value) != ESSE_TAG_LIST ||
           replay_state_is_list(&replay->state, access.key.ix, access.value,
                                (uint32_t)(access.value.word >> 32));
}

/* A row that was left out needs some version, committed before, that does not match. */
static bool misses_are_committed(struct replay *replay, uint32_t txn, uint32_t op)
{
    const struct esse_history *history = replay->history;
    esse_value ignored;
    for (uint32_t k = 0; k < history->keys; k++) {
        const struct replay_key *key = &replay->state.keys[k];
        struct replay_own own = replay_own_writes(history, txn, op, (esse_key){ k });
        bool explained = own.written || own.appends || key->last.count ||
                         esse_op_read_of(history, op, (esse_key){ k }, &ignored);
        for (uint32_t v = key->version_count; !explained && v-- > 0;)
            explained = key->versions[v].commit <= replay->position[txn] &&
                        !replay_state_selects(&replay->state, op, k, key->versions[v].value);
        if (!explained)
            return false;
    }
    return true;
}

static bool op_is_committed(struct replay *replay, uint32_t txn, uint32_t op)
{
    const struct esse_history *history = replay->history;
    uint32_t count = esse_access_count(history, op);
    for (uint32_t i = 0; i < count; i++) {
        struct esse_access access = esse_access_at(history, op, i);
        if (access.kind == ESSE_OP_READ && !esse_value_eq(access.value, ESSE_NONE) &&
            !read_is_own(replay, txn, op, access) && !read_is_committed(replay, txn, access))
            return false;
    }
    return !esse_op_is_predicate(history->op_kind[op]) || misses_are_committed(replay, txn, op);
}

/* Position i of the order is commit i + 1, so a version of commit c comes from position c - 1. */
static bool replay_committed(struct replay *replay, struct esse_error *err)
{
    const struct esse_history *history = replay->history;
    for (uint32_t i = 0; i < replay->order->count; i++)
        replay_state_commit(&replay->state, replay->order->events[i]);
    for (uint32_t i = 0; i < replay->order->count; i++) {
        uint32_t txn = replay->order->events[i];
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
            if (!op_is_committed(replay, txn, op))
                return wrong(replay, txn, "read what was not committed before it", err);
    }
    return true;
}

bool esse_replay(const struct esse_history *history, const struct esse_level *level,
                 const struct esse_order *order, struct esse_error *err)
{
    if (!esse_replay_proves(level, order->has_starts))
        return esse_fail(err, ESSE_EBUG, "an order does not prove %s here", level->friendly);
    struct replay replay = {
        .arena = esse_arena_new(), .history = history, .level = level, .order = order
    };
    replay.in = esse_arena_alloc(replay.arena, history->txns + 1u, 1);
    replay.position = esse_arena_alloc(replay.arena, history->txns + 1u, sizeof(uint32_t));
    bool ok = is_order(&replay, err);
    if (ok) {
        enum replay_rule rule = rule_of(level);
        replay_state_init(&replay.state, replay.arena, history, replay.in, rule != REPLAY_SERIAL);
        ok = rule == REPLAY_SERIAL     ? replay_serial(&replay, err)
             : rule == REPLAY_SNAPSHOT ? replay_snapshots(&replay, err)
                                       : replay_committed(&replay, err);
    }
    ok = ok && (!level->needs_session_order || agrees_with_sessions(&replay, err)) &&
         (!level->needs_real_time || agrees_with_time(&replay, err));
    esse_arena_free(replay.arena);
    return ok;
}
