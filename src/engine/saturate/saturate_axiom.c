#include "engine/saturate/saturate_axiom.h"

#include "base/checked.h"
#include "base/word_map.h"
#include "engine/saturate/saturate_clocks.h"
#include "engine/saturate/saturate_stale_reads.h"

#include <stdlib.h>

/* The visible units of a session are [low .. high]. */
struct interval {
    uint32_t session, low, high;
};
ESSE_VEC(interval_vec, struct interval)

/* The writers of a key, by session and then in its order. */
struct writers {
    uint64_t *at;    /* session << 32 | unit */
    uint32_t *first; /* by key; NULL until it is needed */
};

struct trial {
    enum esse_phi phi;
    const struct saturate_units *units;
    const struct saturate_order *order;
    struct esse_budget *budget;
    struct saturate_stale_read_vec stale_reads;
    struct interval_vec visible;  /* to the reader at hand */
    const uint32_t *clock;        /* of the reader at hand, for levels that have clocks */
    struct esse_word_map readers; /* session and writer: the first unit there that read from it */
    struct writers writers;
    struct saturate_forced_vec *broken;
};

static bool has_clock(enum esse_phi phi)
{
    return phi == ESSE_PHI_CAUSAL || phi == ESSE_PHI_PIPED || phi == ESSE_PHI_PARALLEL;
}

/* ---- what is visible, as intervals ---- */

static void add_interval(struct trial *t, uint32_t session, uint32_t low, uint32_t high)
{
    ESSE_HOT_ASSERT(low <= high);
    interval_vec_push(&t->visible, t->units->arena, (struct interval){ session, low, high });
}

static void add_sources(struct trial *t, uint32_t reader, uint32_t end, bool before_them)
{
    for (uint32_t a = saturate_first(t->units, reader); a < end; a++) {
        uint32_t source = t->units->access[a].source;
        if (!saturate_reads(t->units->access[a]))
            continue;
        uint32_t session = saturate_session(t->units, source);
        if (!before_them)
            add_interval(t, session, source, source);
        else if (source > 0)
            add_interval(t, session, 0, source - 1);
    }
}

static void find_visible(struct trial *t, uint32_t reader, uint32_t read)
{
    const enum esse_phi phi = t->phi;
    t->visible.count = 0;
    if ((phi == ESSE_PHI_ATOMIC || phi == ESSE_PHI_OWN || phi == ESSE_PHI_UPDATES) && reader > 0)
        add_interval(t, saturate_session(t->units, reader), 0, reader - 1);
    if (phi == ESSE_PHI_ATOMIC || phi == ESSE_PHI_WRITTEN || phi == ESSE_PHI_UPDATES)
        add_sources(t, reader, saturate_end(t->units, reader), phi == ESSE_PHI_WRITTEN);
    if (phi == ESSE_PHI_READ_EARLIER)
        add_sources(t, reader, saturate_operation(t->units, read), false);
    for (uint32_t s = 0; t->clock && s < t->units->history->sessions; s++)
        if (t->clock[s])
            add_interval(t, s, 0, t->clock[s] - 1);
}

/* ---- what is visible, one by one ---- */

static uint64_t reader_word(const struct trial *t, uint32_t in_session_of, uint32_t writer)
{
    return (uint64_t)saturate_session(t->units, in_session_of) << 32 | writer;
}

/* The first unit of each session that read from each writer. */
static void find_readers(struct trial *t)
{
    const struct saturate_units *units = t->units;
    esse_word_map_clear(&t->readers, units->arena, units->accesses);
    for (uint32_t unit = 0; unit < units->count; unit++)
        for (uint32_t a = saturate_first(units, unit); a < saturate_end(units, unit); a++) {
            bool fresh;
            if (!saturate_reads(units->access[a]))
                continue;
            uint32_t *first = esse_word_map_put(
                &t->readers, reader_word(t, unit, units->access[a].source), &fresh);
            if (fresh)
                *first = unit;
        }
}

/* Had the session of 'unit', up to it, read from 'writer'? */
static bool had_read(const struct trial *t, uint32_t unit, uint32_t writer)
{
    return esse_word_map_get(&t->readers, reader_word(t, unit, writer), UINT32_MAX) <= unit;
}

static bool answers(const struct trial *t, uint32_t writer, uint32_t reader)
{
    const struct saturate_units *units = t->units;
    for (uint32_t a = saturate_first(units, reader); a < saturate_end(units, reader); a++)
        if (saturate_reads(units->access[a]) && had_read(t, units->access[a].source, writer))
            return true;
    return false;
}

static bool share_a_key(const struct saturate_units *units, uint32_t a, uint32_t b)
{
    for (uint32_t x = saturate_first(units, a); x < saturate_end(units, a); x++)
        for (uint32_t y = saturate_first(units, b); y < saturate_end(units, b); y++)
            if (units->access[x].source == SATURATE_WRITES &&
                units->access[y].source == SATURATE_WRITES &&
                units->access[x].key == units->access[y].key)
                return true;
    return false;
}

/* Does the reader see anything that comes at or after the writer in the order? */
static bool is_in_prefix(const struct trial *t, uint32_t writer, uint32_t reader)
{
    const struct saturate_units *units = t->units;
    uint32_t rank = saturate_rank(t->order, writer);
    if (units->before[reader] != NO_UNIT && saturate_rank(t->order, units->before[reader]) >= rank)
        return true;
    for (uint32_t a = saturate_first(units, reader); a < saturate_end(units, reader); a++)
        if (saturate_reads(units->access[a]) &&
            saturate_rank(t->order, units->access[a].source) >= rank)
            return true;
    return false;
}

static bool is_visible(struct trial *t, const struct saturate_stale_read *stale_read)
{
    uint32_t writer = stale_read->writer, session = saturate_session(t->units, writer);
    ESSE_HOT_ASSERT(!has_clock(t->phi) || t->clock);
    switch (t->phi) {
    case ESSE_PHI_CAUSAL:
    case ESSE_PHI_PIPED:
    case ESSE_PHI_PARALLEL:
        return t->clock[session] > writer;
    case ESSE_PHI_SEEN:
        return t->units->before[stale_read->reader] != NO_UNIT &&
               had_read(t, t->units->before[stale_read->reader], writer);
    case ESSE_PHI_ANSWERED:
        return answers(t, writer, stale_read->reader);
    case ESSE_PHI_PREFIX:
        return is_in_prefix(t, writer, stale_read->reader);
    default:
        break;
    }
    for (size_t i = 0; i < t->visible.count; i++) {
        const struct interval *interval = &t->visible.at[i];
        if (interval->session == session && interval->low <= writer && writer <= interval->high)
            return true;
    }
    return t->phi == ESSE_PHI_UPDATES && share_a_key(t->units, writer, stale_read->reader);
}

/* ---- many at once: the newest writer in every interval ---- */

static int by_word(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void index_writers(struct trial *t)
{
    const struct saturate_units *units = t->units;
    uint32_t *first = esse_arena_alloc(units->arena, units->history->keys + 2u, sizeof *first);
    for (uint32_t a = 0; a < units->accesses; a++)
        first[units->access[a].key + 2] += units->access[a].source == SATURATE_WRITES;
    for (uint32_t key = 0; key < units->history->keys; key++)
        first[key + 2] += first[key + 1];
    uint64_t *at = esse_arena_array(units->arena, first[units->history->keys + 1] + (size_t)1, *at);
    for (uint32_t unit = 0; unit < units->count; unit++)
        for (uint32_t a = saturate_first(units, unit); a < saturate_end(units, unit); a++)
            if (units->access[a].source == SATURATE_WRITES)
                at[first[units->access[a].key + 1]++] =
                    (uint64_t)saturate_session(units, unit) << 32 | unit;
    for (uint32_t key = 0; key < units->history->keys; key++)
        qsort(at + first[key], first[key + 1] - first[key], sizeof *at, by_word);
    t->writers = (struct writers){ at, first };
}

/* The newest writer of the key in the interval, or NO_UNIT. */
static uint32_t newest_in(const struct trial *t, uint32_t key, const struct interval *interval)
{
    ESSE_HOT_ASSERT(t->writers.first);
    uint32_t low = t->writers.first[key], high = t->writers.first[key + 1];
    uint64_t bound = (uint64_t)interval->session << 32 | interval->high;
    ESSE_BISECT(low, high, middle, t->writers.at[middle] <= bound);
    if (low == t->writers.first[key] || t->writers.at[low - 1] >> 32 != interval->session ||
        (uint32_t)t->writers.at[low - 1] < interval->low)
        return NO_UNIT;
    return (uint32_t)t->writers.at[low - 1];
}

static void force(struct trial *t, uint32_t writer, uint32_t read)
{
    ESSE_HOT_ASSERT(writer < t->units->count);
    saturate_forced_vec_push(
        t->broken, t->units->arena,
        (struct saturate_forced){ writer, t->units->access[read].source, read });
}

static void try_many(struct trial *t, const struct saturate_stale_read *stale_read)
{
    struct saturate_access read = t->units->access[stale_read->read];
    if (!t->writers.first)
        index_writers(t);
    for (size_t i = 0; i < t->visible.count; i++) {
        uint32_t writer = newest_in(t, read.key, &t->visible.at[i]);
        if (writer != NO_UNIT && writer != read.source && writer != stale_read->reader &&
            (read.source == SATURATE_INITIAL ||
             saturate_rank(t->order, writer) > saturate_rank(t->order, read.source)))
            force(t, writer, stale_read->read);
    }
}

/* ---- the trial ---- */

/* The stale reads of one reader; they stand together. */
static size_t try_reader(struct trial *t, size_t at)
{
    uint32_t reader = t->stale_reads.at[at].reader, shown = NO_UNIT;
    for (; at < t->stale_reads.count && t->stale_reads.at[at].reader == reader; at++) {
        const struct saturate_stale_read *stale_read = &t->stale_reads.at[at];
        bool lists = !has_clock(t->phi) || stale_read->writer == SATURATE_MANY;
        if (lists &&
            (shown == NO_UNIT || (t->phi == ESSE_PHI_READ_EARLIER && shown != stale_read->read))) {
            find_visible(t, reader, stale_read->read);
            shown = stale_read->read;
        }
        if (stale_read->writer == SATURATE_MANY)
            try_many(t, stale_read);
        else if (is_visible(t, stale_read))
            force(t, stale_read->writer, stale_read->read);
    }
    return at;
}

static bool try_all(struct trial *t)
{
    size_t at = 0;
    esse_budget_phase(t->budget, "trying stale reads", t->stale_reads.count);
    while (at < t->stale_reads.count && esse_budget_poll(t->budget, at))
        at = try_reader(t, at);
    return at == t->stale_reads.count;
}

/* The same along the whole order, for clocks. */
static bool try_with_clocks(struct trial *t)
{
    struct saturate_clocks clocks;
    size_t at = 0;
    saturate_clocks_open(&clocks, t->units, t->phi);
    esse_budget_phase(t->budget, "following causes", t->units->count);
    for (uint32_t place = 0; place < t->units->count && at < t->stale_reads.count; place++) {
        uint32_t unit = saturate_unit_at(t->order, place);
        if (!esse_budget_poll(t->budget, place))
            break;
        if (!saturate_counts(t->units, unit))
            continue;
        t->clock = saturate_clocks_next(&clocks, unit);
        if (t->stale_reads.at[at].reader == unit)
            at = try_reader(t, at);
    }
    saturate_clocks_close(&clocks);
    return at == t->stale_reads.count;
}

bool saturate_find_broken(enum esse_phi phi, const struct saturate_units *units,
                          const struct saturate_order *order, struct esse_budget *budget,
                          struct saturate_forced_vec *broken)
{
    struct trial t = {
        .phi = phi, .units = units, .order = order, .budget = budget, .broken = broken
    };
    const bool each = phi == ESSE_PHI_SEEN || phi == ESSE_PHI_ANSWERED || phi == ESSE_PHI_PREFIX ||
                      phi == ESSE_PHI_UPDATES;
    bool ok = saturate_stale_reads_find(&t.stale_reads, units, order, each, budget);
    if (ok && t.stale_reads.count) {
        if (phi == ESSE_PHI_SEEN || phi == ESSE_PHI_ANSWERED)
            find_readers(&t);
        ok = has_clock(phi) ? try_with_clocks(&t) : try_all(&t);
    }
    esse_word_map_drop(&t.readers, units->arena);
    esse_arena_drop(units->arena, t.writers.at);
    saturate_stale_read_vec_drop(&t.stale_reads, units->arena);
    interval_vec_drop(&t.visible, units->arena);
    return ok;
}
