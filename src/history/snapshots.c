#include "history/snapshots.h"

#include "base/gallop.h"
#include "base/radix.h"
#include "history/pg_snapshot.h"

#include <string.h>

static bool may_have_committed(const struct esse_history *history, uint32_t txn)
{
    return history->txn_status[txn] != ESSE_ABORTED;
}

static void add_place(struct esse_snapshots *snapshots, uint32_t txn)
{
    snapshots->place[txn].ix = snapshots->count;
    snapshots->txns[snapshots->count++] = (esse_txn){ txn };
}

static void place_by_time(struct esse_snapshots *snapshots)
{
    const struct esse_history *history = snapshots->history;
    struct esse_arena *scratch = esse_arena_new();
    struct esse_pair *pairs = esse_arena_array(scratch, history->txns + (size_t)1, *pairs);
    size_t count = 0;
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if (history->txn_server_time[txn].end != ESSE_NO_TIME && may_have_committed(history, txn))
            pairs[count++] =
                (struct esse_pair){ esse_radix_key(history->txn_server_time[txn].end), txn };
    esse_radix_sort(pairs, count, scratch);
    for (size_t i = 0; i < count; i++)
        add_place(snapshots, pairs[i].id);
    esse_arena_free(scratch);
}

/* ---- PostgreSQL's numbers ---- */

/* When the client of the transaction at a place began it; INT64_MIN if that is not known. */
static int64_t begin_of(const struct esse_snapshots *snapshots, esse_place place)
{
    const struct esse_interval *times = snapshots->history->txn_time;
    return times ? times[snapshots->txns[place.ix].ix].begin : ESSE_NO_TIME;
}

static int64_t end_of(const struct esse_snapshots *snapshots, uint32_t txn)
{
    const struct esse_interval *times = snapshots->history->txn_time;
    return times && times[txn].end != ESSE_NO_TIME ? times[txn].end : INT64_MAX;
}

static void sort_xids(struct esse_snapshots *snapshots, struct esse_arena *arena)
{
    const struct esse_history *history = snapshots->history;
    const size_t room = snapshots->count + (size_t)1;
    struct esse_pair *pairs = esse_arena_array(arena, room, *pairs);
    size_t count = 0;
    snapshots->xids = esse_arena_array(arena, room, *snapshots->xids);
    snapshots->xids_before = esse_arena_array(arena, room, uint32_t);
    for (esse_place place = { 0 }; place.ix < snapshots->count; place.ix++) {
        const uint32_t txn = snapshots->txns[place.ix].ix;
        const int64_t xid = history->txn_xid[txn];
        snapshots->xids_before[place.ix] = (uint32_t)count;
        if (xid != ESSE_NO_TIME && may_have_committed(history, txn))
            pairs[count++] = (struct esse_pair){ esse_radix_key(xid), place.ix };
    }
    snapshots->xids_before[snapshots->count] = (uint32_t)count;
    esse_radix_sort(pairs, count, arena);
    uint32_t latest = 0;
    int64_t began = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const int64_t begin = begin_of(snapshots, (esse_place){ pairs[i].id });
        latest = pairs[i].id > latest ? pairs[i].id : latest;
        began = begin > began ? begin : began;
        snapshots->xids[i] = (struct esse_xid_place){
            history->txn_xid[snapshots->txns[pairs[i].id].ix], { pairs[i].id }, latest, began
        };
    }
    snapshots->xid_count = (uint32_t)count;
    esse_arena_drop(arena, pairs);
}

/* How many xids are less than this one. */
static uint32_t xids_below(const struct esse_snapshots *snapshots, int64_t xid)
{
    uint32_t low = 0, high = snapshots->xid_count;
    ESSE_BISECT(low, high, middle, snapshots->xids[middle].xid < xid);
    return low;
}

/* What is seen must be exactly those with an xid among the first places, to be a prefix. */
static bool look_at_xids(const struct esse_snapshots *snapshots, uint32_t txn, esse_value text,
                         struct esse_snapshot *snapshot)
{
    struct esse_pg_snapshot pg;
    if (!snapshots->xids || !esse_pg_snapshot_parse(&pg, snapshots->history->values, text))
        return false;
    uint32_t at = xids_below(snapshots, pg.xmin), seen = at;
    esse_place before = { at ? snapshots->xids[at - 1].latest + 1 : 0 };
    int64_t began = at ? snapshots->xids[at - 1].began : INT64_MIN;
    size_t cursor = 0;
    int64_t running;
    bool more = esse_pg_snapshot_next(&pg, &cursor, &running);
    for (; at < snapshots->xid_count && snapshots->xids[at].xid < pg.xmax; at++) {
        const struct esse_xid_place *one = &snapshots->xids[at];
        while (more && running < one->xid)
            more = esse_pg_snapshot_next(&pg, &cursor, &running);
        if (more && running == one->xid)
            continue;
        seen++;
        before = one->place.ix >= before.ix ? (esse_place){ one->place.ix + 1 } : before;
        began = begin_of(snapshots, one->place) > began ? begin_of(snapshots, one->place) : began;
    }
    if (began > end_of(snapshots, txn))
        return false;
    *snapshot = (struct esse_snapshot){ .is_prefix = snapshots->xids_before[before.ix] == seen,
                                        .before = before,
                                        .text = text };
    return true;
}

/* ---- timestamps ---- */

struct moment {
    const struct esse_snapshots *snapshots;
    int64_t time;
};

static bool is_until(const void *context, uint32_t place)
{
    const struct moment *moment = context;
    const struct esse_snapshots *snapshots = moment->snapshots;
    return snapshots->history->txn_server_time[snapshots->txns[place].ix].end <= moment->time;
}

/* How many commits have a commit_ts that is not after 'time'. */
static esse_place commits_until(const struct esse_snapshots *snapshots, int64_t time,
                                esse_place near)
{
    const struct moment moment = { snapshots, time };
    return (esse_place){ esse_gallop(0, snapshots->count, near.ix, is_until, &moment) };
}

/* Those that are recorded one after the other began near each other. */
static void look_at_starts(struct esse_snapshots *snapshots, struct esse_arena *arena)
{
    const struct esse_history *history = snapshots->history;
    esse_place near = { 0 };
    snapshots->begun = esse_arena_array(arena, history->txns + (size_t)1, near);
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        const int64_t time = history->txn_server_time[txn].begin;
        snapshots->begun[txn] = time == ESSE_NO_TIME
                                    ? (esse_place){ ESSE_NO_PLACE }
                                    : (near = commits_until(snapshots, time, near));
    }
}

/* ---- all kinds ---- */

void esse_snapshots_find(struct esse_snapshots *snapshots, struct esse_arena *arena,
                         const struct esse_history *history)
{
    const size_t room = history->txns + (size_t)1;
    *snapshots = (struct esse_snapshots){ .history = history };
    snapshots->place = esse_arena_none(arena, room, esse_place);
    snapshots->txns = esse_arena_array(arena, room, *snapshots->txns);
    const bool by_time = history->certificate.kind == ESSE_CERTIFICATE_TIMESTAMPS ||
                         !(history->has & ESSE_HAS_ORDER);
    for (uint32_t i = 0; !by_time && i < history->order_count; i++)
        add_place(snapshots, history->order[i].ix);
    if (by_time && history->txn_server_time)
        place_by_time(snapshots);
    if (history->certificate.kind == ESSE_CERTIFICATE_TIMESTAMPS && history->txn_server_time)
        look_at_starts(snapshots, arena);
    if (history->certificate.kind == ESSE_CERTIFICATE_POSTGRESQL_SNAPSHOTS && history->txn_xid)
        sort_xids(snapshots, arena);
}

static bool look_at_time(const struct esse_snapshots *snapshots, uint32_t txn, esse_value given,
                         struct esse_snapshot *snapshot)
{
    esse_place before = snapshots->begun ? snapshots->begun[txn] : (esse_place){ ESSE_NO_PLACE };
    int64_t time;
    if (!esse_value_eq(given, ESSE_NONE)) {
        if (!esse_value_as_int(snapshots->history->values, given, &time))
            return false;
        before =
            commits_until(snapshots, time, before.ix == ESSE_NO_PLACE ? (esse_place){ 0 } : before);
    }
    *snapshot = (struct esse_snapshot){ .is_prefix = true, .before = before };
    return before.ix != ESSE_NO_PLACE;
}

static bool look_at_count(const struct esse_snapshots *snapshots, esse_value given,
                          struct esse_snapshot *snapshot)
{
    int64_t count;
    if (!esse_value_as_int(snapshots->history->values, given, &count) || count < 0)
        return false;
    *snapshot = (struct esse_snapshot){ .is_prefix = true,
                                        .before = { count > snapshots->count ? snapshots->count
                                                                             : (uint32_t)count } };
    return true;
}

bool esse_snapshot_of(const struct esse_snapshots *snapshots, uint32_t txn, uint32_t op,
                      struct esse_snapshot *snapshot)
{
    const struct esse_history *history = snapshots->history;
    const esse_value given = history->op_snapshot ? history->op_snapshot[op] : ESSE_NONE;
    if (history->certificate.kind == ESSE_CERTIFICATE_TIMESTAMPS)
        return look_at_time(snapshots, txn, given, snapshot);
    if (esse_value_eq(given, ESSE_NONE))
        return false;
    return history->certificate.kind == ESSE_CERTIFICATE_COMMIT_ORDER
               ? look_at_count(snapshots, given, snapshot)
               : look_at_xids(snapshots, txn, given, snapshot);
}

bool esse_snapshot_sees(const struct esse_snapshots *snapshots,
                        const struct esse_snapshot *snapshot, uint32_t txn)
{
    const esse_place place = snapshots->place[txn];
    struct esse_pg_snapshot pg;
    if (place.ix == ESSE_NO_PLACE || place.ix >= snapshot->before.ix)
        return false;
    if (snapshot->is_prefix)
        return true;
    return esse_pg_snapshot_parse(&pg, snapshots->history->values, snapshot->text) &&
           esse_pg_snapshot_sees(&pg, snapshots->history->txn_xid[txn]);
}
