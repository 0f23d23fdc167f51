#include "engine/saturate/saturate_causes.h"

#include "base/checked.h"
#include "base/radix.h"
#include "engine/saturate/saturate_clocks.h"

#define NO_PLACE UINT32_MAX

enum {
    FEW = 16,      /* writers that a write looks at */
    A_SESSION = 4, /* for each session, writers that a read looks at */
    AHEAD = 6,     /* units: what they need is fetched in three steps, each so far ahead */
};

/* A writer of a key.  It sees all those before 'base'. */
struct writer {
    uint32_t unit, session, base;
};

/* The writers of a key, by session and then in its order; and the places of units. */
struct index {
    uint64_t *at;   /* session << 32 | unit */
    uint32_t *rank; /* by unit; NULL until it is needed */
};

struct walk {
    struct saturate_causes *causes;
    const struct saturate_units *units;
    bool is_transitive;
    struct writer *writers; /* key by key, each in the order of the walk */
    uint32_t *first, *end;  /* by key: its writers so far */
    uint32_t most;          /* that a read looks at */
    struct saturate_clocks *clocks;
    const uint32_t *clock; /* of the unit at hand */
    struct index index;
    struct saturate_forced_vec *forced;
};

static bool is_visible(const struct walk *w, const struct writer *writer)
{
    return w->clock[writer->session] > writer->unit;
}

static void force(struct walk *w, uint32_t writer, uint32_t read)
{
    ESSE_HOT_ASSERT(writer < w->units->count);
    saturate_forced_vec_push(
        w->forced, w->units->arena,
        (struct saturate_forced){ writer, w->units->access[read].source, read });
}

/* ---- many at once: the newest writer of each session ---- */

static void find_ranks(struct walk *w)
{
    w->index.rank = esse_arena_array(w->units->arena, w->units->count + (size_t)1, uint32_t);
    for (uint32_t place = 0; place < w->units->count; place++)
        w->index.rank[saturate_unit_at(w->causes->order, place)] = place;
}

/* Units come in their order inside each session, so a stable sort by session will do. */
static void index_writers(struct walk *w)
{
    const struct saturate_units *units = w->units;
    const uint32_t keys = units->history->keys;
    struct esse_pair_vec pairs = { 0 };
    uint32_t *end = esse_arena_array(units->arena, keys + (size_t)1, *end);
    w->index.at = esse_arena_array(units->arena, w->first[keys] + (size_t)1, *w->index.at);
    for (uint32_t key = 0; key < keys; key++)
        end[key] = w->first[key];
    for (uint32_t unit = 0; unit < units->count; unit++)
        for (uint32_t a = saturate_first(units, unit); a < saturate_end(units, unit); a++)
            if (units->access[a].source == SATURATE_WRITES)
                w->index.at[end[units->access[a].key]++] =
                    (uint64_t)saturate_session(units, unit) << 32 | unit;
    for (uint32_t key = 0; key < keys; key++) {
        uint64_t *at = w->index.at + w->first[key];
        pairs.count = 0;
        for (uint32_t i = 0; i < w->first[key + 1] - w->first[key]; i++)
            esse_pair_vec_push(&pairs, units->arena,
                               (struct esse_pair){ at[i] >> 32, (uint32_t)at[i] });
        esse_radix_sort(pairs.at, pairs.count, units->arena);
        for (size_t i = 0; i < pairs.count; i++)
            at[i] = pairs.at[i].key << 32 | pairs.at[i].id;
    }
    esse_pair_vec_drop(&pairs, units->arena);
    esse_arena_drop(units->arena, end);
}

/* The newest writer of the key in a session, before unit 'end', or NO_UNIT. */
static uint32_t newest_in(const struct walk *w, uint32_t key, uint32_t session, uint32_t end)
{
    uint32_t low = w->first[key], high = w->first[key + 1];
    const uint64_t bound = (uint64_t)session << 32 | end;
    ESSE_BISECT(low, high, middle, w->index.at[middle] < bound);
    return low == w->first[key] || w->index.at[low - 1] >> 32 != session
               ? NO_UNIT
               : (uint32_t)w->index.at[low - 1];
}

static void look_at_sessions(struct walk *w, uint32_t reader, uint32_t read)
{
    const struct saturate_access access = w->units->access[read];
    w->causes->is_complete = false;
    if (!w->index.rank) {
        find_ranks(w);
        index_writers(w);
    }
    for (uint32_t s = 0; s < w->units->history->sessions; s++) {
        const uint32_t writer = w->clock[s] ? newest_in(w, access.key, s, w->clock[s]) : NO_UNIT;
        if (writer == NO_UNIT || writer == access.source || writer == reader)
            continue;
        if (access.source == SATURATE_INITIAL ||
            w->index.rank[writer] > w->index.rank[access.source]) {
            force(w, writer, read);
            w->causes->broken++;
        }
    }
}

/* ---- the walk ---- */

/* Looks at the writers [low .. high), from the newest back.  Those before 'seen' are seen by one
 * that is forced, and come before it anyway. */
static uint32_t look_back(struct walk *w, uint32_t read, uint32_t low, uint32_t high, uint32_t seen,
                          const uint32_t *known)
{
    for (uint32_t at = high; at > low && at > seen; at--) {
        const struct writer *writer = &w->writers[at - 1];
        if (!is_visible(w, writer) || (known && known[writer->session] > writer->unit))
            continue;
        force(w, writer->unit, read);
        seen = writer->base > seen ? writer->base : seen;
    }
    return seen;
}

/* Where the writer is that was read; the first place if it is the initial version, and NO_PLACE if
 * it is too far back. */
static uint32_t find_source(const struct walk *w, struct saturate_access read)
{
    const uint32_t first = w->first[read.key], end = w->end[read.key];
    for (uint32_t at = end; at-- > first && end - at <= w->most;)
        if (w->writers[at].unit == read.source)
            return at;
    ESSE_HOT_ASSERT(end - first > w->most || read.source == SATURATE_INITIAL);
    return end - first > w->most ? NO_PLACE : first;
}

static void look_at_read(struct walk *w, uint32_t unit, uint32_t read)
{
    const struct saturate_access access = w->units->access[read];
    const bool is_initial = access.source == SATURATE_INITIAL;
    const size_t before = w->forced->count;
    const uint32_t source = find_source(w, access);
    if (source == NO_PLACE) {
        look_at_sessions(w, unit, read);
        return;
    }
    const uint32_t seen =
        look_back(w, read, is_initial ? source : source + 1, w->end[access.key], 0, NULL);
    w->causes->broken += (uint32_t)(w->forced->count - before);
    if (is_initial || !w->causes->wants_kept)
        return;
    const uint32_t base = w->writers[source].base;
    if (source - base > w->most)
        w->causes->is_complete = false;
    else
        look_back(w, read, base, source, seen, saturate_clocks_of(w->clocks, access.source));
}

/* All writers before the base of one that is seen are seen too. */
static uint32_t find_base(const struct walk *w, uint32_t key)
{
    uint32_t base = w->first[key], lowest = w->end[key];
    for (uint32_t at = w->end[key]; at > base; at--) {
        const struct writer *writer = &w->writers[at - 1];
        if (w->end[key] - at == FEW)
            return base;
        if (!is_visible(w, writer))
            lowest = at - 1;
        else if (writer->base > base)
            base = writer->base;
    }
    return lowest;
}

static void add_writer(struct walk *w, uint32_t unit, uint32_t key)
{
    const uint32_t at = w->end[key];
    if (at > w->first[key] && w->writers[at - 1].unit == unit)
        return;
    w->writers[at] = (struct writer){ unit, saturate_session(w->units, unit),
                                      w->is_transitive ? find_base(w, key) : 0 };
    w->end[key]++;
}

static void walk_unit(struct walk *w, uint32_t unit)
{
    const struct saturate_units *units = w->units;
    const uint32_t first = saturate_first(units, unit), end = saturate_end(units, unit);
    for (uint32_t a = first; a < end; a++)
        if (saturate_reads(units->access[a]) || units->access[a].source == SATURATE_INITIAL)
            look_at_read(w, unit, a);
    for (uint32_t a = first; a < end; a++)
        if (units->access[a].source == SATURATE_WRITES)
            add_writer(w, unit, units->access[a].key);
}

/* Where a unit that comes soon is, then its accesses, then the writers of its keys and the clocks
 * that it will join: the order leads all over them. */
static void fetch(const struct walk *w, uint32_t place)
{
    const struct saturate_units *units = w->units;
    if (place + 3 * AHEAD >= units->count || units->single)
        return;
    const uint32_t far = saturate_unit_at(w->causes->order, place + 3 * AHEAD);
    const uint32_t middle = saturate_unit_at(w->causes->order, place + 2 * AHEAD);
    const uint32_t unit = saturate_unit_at(w->causes->order, place + AHEAD);
    __builtin_prefetch(&units->history->txn_op[far]);
    __builtin_prefetch(&units->access[saturate_first(units, middle)]);
    for (uint32_t a = saturate_first(units, unit); a < saturate_end(units, unit); a++) {
        const struct saturate_access access = units->access[a];
        if (w->end[access.key] > w->first[access.key])
            __builtin_prefetch(&w->writers[w->end[access.key] - 1]);
        if (saturate_reads(access))
            saturate_clocks_fetch(w->clocks, access.source);
    }
}

static void make_room(struct walk *w)
{
    const struct saturate_units *units = w->units;
    const uint32_t keys = units->history->keys;
    w->first = esse_arena_zeros(units->arena, keys + (size_t)2, uint32_t);
    w->end = esse_arena_array(units->arena, keys + (size_t)1, uint32_t);
    for (uint32_t a = 0; a < units->accesses; a++)
        w->first[units->access[a].key + 1] += units->access[a].source == SATURATE_WRITES;
    for (uint32_t key = 0; key < keys; key++) {
        w->first[key + 1] += w->first[key];
        w->end[key] = w->first[key];
    }
    w->writers = esse_arena_array(units->arena, w->first[keys] + (size_t)1, struct writer);
}

static void drop(struct walk *w)
{
    struct esse_arena *arena = w->units->arena;
    esse_arena_drop(arena, w->first);
    esse_arena_drop(arena, w->end);
    esse_arena_drop(arena, w->writers);
    esse_arena_drop(arena, w->index.at);
    esse_arena_drop(arena, w->index.rank);
}

bool saturate_causes_find(struct saturate_causes *causes, enum esse_phi phi,
                          const struct saturate_units *units, struct esse_budget *budget,
                          struct saturate_forced_vec *forced)
{
    struct walk w = { .causes = causes,
                      .units = units,
                      .is_transitive = phi == ESSE_PHI_CAUSAL,
                      .most = A_SESSION * units->history->sessions + FEW,
                      .forced = forced };
    struct saturate_clocks clocks;
    uint32_t place = 0;
    assert(saturate_has_clock(phi));
    causes->wants_kept &= w.is_transitive;
    causes->is_complete = causes->wants_kept;
    causes->broken = 0;
    make_room(&w);
    w.clocks = &clocks;
    saturate_clocks_open(&clocks, units, phi);
    esse_budget_phase(budget, "following causes", units->count);
    for (; place < units->count && esse_budget_poll(budget, place); place++) {
        const uint32_t unit = saturate_unit_at(causes->order, place);
        fetch(&w, place);
        if (!saturate_counts(units, unit))
            continue;
        w.clock = saturate_clocks_next(&clocks, unit);
        walk_unit(&w, unit);
        saturate_clocks_done(&clocks, unit);
    }
    saturate_clocks_close(&clocks);
    drop(&w);
    return place == units->count;
}
