#include "truth.h"

/* Axioms about a total commit order, tried for every order: semantics 4. */

struct commits {
    struct world *world;
    unsigned wr[MOST_TXNS];    /* a bit for each that read from it */
    unsigned after[MOST_TXNS]; /* co: a bit for each that comes later */
    unsigned ww[MOST_TXNS];    /* of those, the ones that write a key of its own */
    unsigned first[MOST_TXNS]; /* a bit for each that must come earlier */
    uint64_t wanted, holds;
};

static bool writes_key(const struct world *world, int txn, int key)
{
    for (int v = 1; v < world->version_count[key]; v++)
        if (world->versions[key][v].txn == txn)
            return true;
    return false;
}

static bool conflict(const struct world *world, int a, int b)
{
    for (int key = 0; key < world->history->key_count; key++)
        if (writes_key(world, a, key) && writes_key(world, b, key))
            return true;
    return false;
}

/* ---- the axioms: does 'other' have to be visible to the read? ---- */

static bool by_earlier_read(const struct commits *c, int other, const struct read *read)
{
    const struct world *world = c->world;
    for (int i = 0; i < world->read_count; i++) {
        const struct read *earlier = &world->reads[i];
        if (earlier->txn == read->txn && earlier->op < read->op &&
            world->versions[earlier->key][earlier->source].txn == other)
            return true;
    }
    return false;
}

static bool by_session_or_read(const struct commits *c, int other, int reader)
{
    return (c->world->before[other] | c->wr[other]) >> reader & 1;
}

/* A path of so, wr and, with 'and_ww', of ww. */
static bool by_path(const struct commits *c, int other, int reader, bool and_ww)
{
    unsigned reached = 1u << other, grown = 0;
    unsigned result = 0;
    while (reached != grown) {
        grown = reached;
        for (int t = 0; t < MOST_TXNS; t++)
            if (grown >> t & 1)
                result |= c->world->before[t] | c->wr[t] | (and_ww ? c->ww[t] : 0);
        reached |= result;
    }
    return result >> reader & 1;
}

static bool by_prefix(const struct commits *c, int other, int reader)
{
    for (int via = 0; via < c->world->history->txn_count; via++)
        if ((via == other || (c->after[other] >> via & 1)) && by_session_or_read(c, via, reader))
            return true;
    return false;
}

static bool by_conflict(const struct commits *c, int other, int reader)
{
    for (int via = 0; via < c->world->history->txn_count; via++)
        if ((via == other || (c->after[other] >> via & 1)) && (c->ww[via] >> reader & 1))
            return true;
    return false;
}

static bool is_visible(const struct commits *c, enum level level, int other,
                       const struct read *read)
{
    switch (level) {
    case AXIOMATIC_READ_COMMITTED:
        return by_earlier_read(c, other, read);
    case READ_ATOMIC:
        return by_session_or_read(c, other, read->txn);
    case UPDATE_ATOMIC:
        return by_session_or_read(c, other, read->txn) || (c->ww[other] >> read->txn & 1);
    case CAUSAL_CERONE:
        return by_path(c, other, read->txn, false);
    case PARALLEL_SNAPSHOT_ISOLATION:
        return by_path(c, other, read->txn, true);
    case PREFIX:
        return by_prefix(c, other, read->txn);
    case STRONG_SESSION_SNAPSHOT_ISOLATION:
        return by_prefix(c, other, read->txn) || by_conflict(c, other, read->txn);
    default: /* STRONG_SESSION_SERIALIZABLE */
        return c->after[other] >> read->txn & 1;
    }
}

static bool satisfies(const struct commits *c, enum level level)
{
    const struct world *world = c->world;
    for (int i = 0; i < world->read_count; i++) {
        const struct read *read = &world->reads[i];
        int source = world->versions[read->key][read->source].txn;
        for (int v = 1; v < world->version_count[read->key]; v++) {
            int other = world->versions[read->key][v].txn;
            if (other == source || other == read->txn || !is_visible(c, level, other, read))
                continue;
            if (source < 0 || !(c->after[other] >> source & 1))
                return false;
        }
    }
    return true;
}

/* ---- orders ---- */

/* Lists and orders that are given say which version is before which. */
static void require_version_order(struct commits *c)
{
    const struct world *world = c->world;
    const struct history *history = world->history;
    for (int key = 0; key < history->key_count; key++) {
        for (int i = 1; history->is_list[key] && i < world->order_count[key]; i++)
            for (int j = 1; j < i; j++)
                c->first[world->versions[key][world->order[key][i]].txn] |=
                    1u << world->versions[key][world->order[key][j]].txn;
        for (int i = 0; i < history->version_count[key]; i++)
            for (int j = 0; j < i; j++)
                c->first[history->versions[key][i]] |= 1u << history->versions[key][j];
    }
    for (int t = 0; t < history->txn_count; t++) {
        bool interleaved = false;
        for (int key = 0; key < history->key_count; key++)
            for (int i = 3; history->is_list[key] && i < world->order_count[key]; i++)
                for (int j = 1; j < i - 1; j++)
                    interleaved |= world->versions[key][world->order[key][i]].txn == t &&
                                   world->versions[key][world->order[key][j]].txn == t &&
                                   world->versions[key][world->order[key][i - 1]].txn != t;
        if (!interleaved)
            c->first[t] &= ~(1u << t);
    }
}

/* The version orders that follow from the order of the commits, against what is assumed of them. */
static bool keeps_all_assumptions(struct commits *c)
{
    struct world *world = c->world;
    for (int key = 0; key < world->history->key_count; key++) {
        if (world->history->is_list[key])
            continue;
        for (int v = 1; v < world->version_count[key]; v++) {
            world->place[key][v] = 1;
            for (int other = 1; other < world->version_count[key]; other++)
                if (c->after[world->versions[key][other].txn] >> world->versions[key][v].txn & 1)
                    world->place[key][v]++;
        }
        if (!keeps_assumptions(world, key))
            return false;
    }
    return true;
}

static void try_order(struct commits *c)
{
    static const enum level levels[] = {
        AXIOMATIC_READ_COMMITTED,
        READ_ATOMIC,
        UPDATE_ATOMIC,
        CAUSAL_CERONE,
        PREFIX,
        PARALLEL_SNAPSHOT_ISOLATION,
        STRONG_SESSION_SNAPSHOT_ISOLATION,
        STRONG_SESSION_SERIALIZABLE,
    };
    if (c->world->assume && !keeps_all_assumptions(c))
        return;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if ((c->wanted & ~c->holds & bit(levels[i])) && satisfies(c, levels[i]))
            c->holds |= bit(levels[i]);
}

static void each_commit(struct commits *c, unsigned done)
{
    const struct world *world = c->world;
    unsigned left = world->counts & ~done;
    if (!left)
        try_order(c);
    for (int t = 0; t < world->history->txn_count; t++) {
        if (!(left >> t & 1) || (c->first[t] & left))
            continue;
        unsigned after = left & ~(1u << t);
        c->after[t] = after;
        c->ww[t] = 0;
        for (int other = 0; other < world->history->txn_count; other++)
            if ((after >> other & 1) && conflict(world, t, other))
                c->ww[t] |= 1u << other;
        each_commit(c, done | 1u << t);
    }
}

uint64_t commit_order_levels(struct world *world)
{
    struct commits c = { .world = world };
    if (misses_own_write(world))
        return 0;
    c.wanted = world->internal ? bit(AXIOMATIC_READ_COMMITTED) : ~(uint64_t)0;
    for (int i = 0; i < world->read_count; i++) {
        const struct read *read = &world->reads[i];
        if (read->source != INITIAL)
            c.wr[world->versions[read->key][read->source].txn] |= 1u << read->txn;
    }
    for (int a = 0; a < world->history->txn_count; a++)
        for (int b = 0; b < world->history->txn_count; b++)
            if ((world->before[a] | c.wr[a]) >> b & 1)
                c.first[b] |= 1u << a;
    require_version_order(&c);
    each_commit(&c, 0);
    return c.holds;
}
