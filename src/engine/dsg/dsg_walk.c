#include "engine/dsg/dsg_ranges.h"

#include "base/checked.h"
#include "base/radix.h"
#include "graph/csr.h"

#include <string.h>

/*
 * For each column two trees over its ranks, laid out as heaps.
 *
 * 'most' is over the touches: leaf 2r is the version of rank r as it came, leaf 2r + 1 as it was
 * replaced.  A leaf holds the place of the transaction that did so and one more, or, going
 * backward, the distance of the place from the end; 0 if none did or it was met.  A node holds
 * the most that is below it.
 *
 * 'entry' are the operations: each is listed at the nodes that make up its range, by the commits
 * that it sees.  Those that were met are taken off the end from which the list is asked.
 */
struct column_walk {
    const struct dsg_column *column;
    uint32_t *most;
    uint32_t leaves; /* of 'most' */
    uint32_t *first; /* by node: entry[first[n] .. first[n + 1]) */
    uint32_t *entry; /* reads */
    uint32_t *cursor;
};

/*
 * A history is recorded nearly in the order of its commits, and a walk meets its transactions from
 * the last to the first, or backward from the first.  So nearly all that a question is about was
 * met: 'place' and 'read' tell how far that goes.  Most questions end there, or with the few that
 * are left: up to ranges->near always, and more as long as all that took together less than making
 * the trees would.  Then the trees are made, and asked.
 */
struct dsg_walk {
    struct esse_arena *arena;
    const struct dsg_ranges *ranges;
    const uint8_t *met;
    bool doubled, backward;
    bool has_lists, has_leaves; /* the trees are made, for this walk */
    struct column_walk *columns;
    struct esse_pair *order; /* the reads by what they see */
    esse_place place;        /* all from here on were met; going backward, all before */
    size_t read;             /* the same in 'order' */
    uint64_t patience;       /* so many more than ranges->near may still be asked one by one */
};

static uint32_t commit_node(const struct dsg_walk *walk, uint32_t txn)
{
    return walk->doubled ? 2 * txn + 1 : txn;
}

static uint32_t snapshot_node(const struct dsg_walk *walk, uint32_t txn)
{
    return walk->doubled ? 2 * txn : txn;
}

/* ---- lists of operations ---- */

/* Calls for every node that makes up the ranks of a read: counts it, or puts it down. */
static void list_read(struct column_walk *w, const struct dsg_range_read *read, uint32_t number,
                      bool counting)
{
    uint32_t low = read->from + w->column->count, high = read->to + w->column->count;
    for (; low < high; low >>= 1, high >>= 1) {
        uint32_t nodes[2], count = 0;
        if (low & 1)
            nodes[count++] = low++;
        if (high & 1)
            nodes[count++] = --high;
        for (uint32_t i = 0; i < count; i++)
            if (counting)
                w->first[nodes[i] + 2]++;
            else
                w->entry[w->first[nodes[i] + 1]++] = number;
    }
}

static void list_reads(struct dsg_walk *walk)
{
    const struct dsg_ranges *ranges = walk->ranges;
    const struct esse_pair *order = walk->order;
    for (int counting = 1; counting >= 0; counting--) {
        for (size_t i = 0; i < ranges->count; i++) {
            const struct dsg_range_read *read = &ranges->reads[order[i].id];
            list_read(&walk->columns[read->column], read, order[i].id, counting);
        }
        for (uint32_t c = 0; counting && c < ranges->column_count; c++) {
            struct column_walk *w = &walk->columns[c];
            for (size_t n = 2; n < 2 * (size_t)w->column->count + 3; n++)
                w->first[n] += w->first[n - 1];
            w->entry = esse_arena_array(
                walk->arena, w->first[2 * (size_t)w->column->count + 2] + (size_t)1, uint32_t);
        }
    }
}

static void make_lists(struct dsg_walk *walk)
{
    struct esse_arena *arena = walk->arena;
    walk->has_lists = true;
    for (uint32_t c = 0; c < walk->ranges->column_count; c++) {
        struct column_walk *w = &walk->columns[c];
        const size_t nodes = 2 * (size_t)w->column->count + 3;
        w->first = esse_arena_zeros(arena, nodes, uint32_t);
        w->cursor = esse_arena_array(arena, nodes, uint32_t);
        w->most = esse_arena_array(arena, 2 * (size_t)w->leaves + 2, uint32_t);
    }
    list_reads(walk);
}

struct dsg_walk *dsg_walk_new(struct esse_arena *arena, const struct dsg_ranges *ranges,
                              bool doubled)
{
    struct dsg_walk *walk = esse_arena_alloc(arena, 1, sizeof *walk);
    *walk = (struct dsg_walk){ .arena = arena, .ranges = ranges, .doubled = doubled };
    walk->columns = esse_arena_alloc(arena, ranges->column_count + 1u, sizeof *walk->columns);
    for (uint32_t c = 0; c < ranges->column_count; c++)
        walk->columns[c] = (struct column_walk){ .column = &ranges->columns[c],
                                                 .leaves = 2 * ranges->columns[c].count };
    walk->order = esse_arena_array(arena, ranges->count + 1, *walk->order);
    for (size_t i = 0; i < ranges->count; i++)
        walk->order[i] = (struct esse_pair){ ranges->reads[i].before.ix, (uint32_t)i };
    esse_radix_sort(walk->order, ranges->count, arena);
    return walk;
}

/* ---- starting ---- */

static uint32_t leaf_of(const struct dsg_walk *walk, version_id version)
{
    const esse_place place = dsg_version_place(walk->ranges, version);
    return walk->backward ? UINT32_MAX - place.ix : place.ix + 1;
}

static void fill_leaves(struct dsg_walk *walk, struct column_walk *w)
{
    const struct versions *versions = walk->ranges->versions;
    uint32_t *leaf = w->most + w->leaves;
    for (uint32_t rank = 0; rank < w->column->count; rank++) {
        const version_id version = w->column->version[rank];
        const uint32_t key = walk->ranges->key[version.ix];
        const bool placed = walk->ranges->placed[key];
        const bool came = placed && version.ix > versions->first[key].ix;
        const bool left = placed && version.ix + 1 < versions->first[key + 1].ix;
        leaf[2 * (size_t)rank] = came ? leaf_of(walk, version) : 0;
        leaf[2 * (size_t)rank + 1] = left ? leaf_of(walk, (version_id){ version.ix + 1 }) : 0;
    }
}

void dsg_walk_start(struct dsg_walk *walk, const uint8_t *met, bool backward)
{
    assert(walk->ranges->versions->snapshots);
    walk->met = met;
    walk->backward = backward;
    walk->has_leaves = false;
    walk->place.ix = backward ? 0 : walk->ranges->versions->snapshots->count;
    walk->read = backward ? 0 : walk->ranges->count;
    walk->patience = walk->ranges->near ? walk->ranges->count : 0;
}

static void make_trees(struct dsg_walk *walk)
{
    if (walk->has_leaves)
        return;
    walk->has_leaves = true;
    if (!walk->has_lists)
        make_lists(walk);
    for (uint32_t c = 0; c < walk->ranges->column_count; c++) {
        struct column_walk *w = &walk->columns[c];
        fill_leaves(walk, w);
        for (uint32_t n = w->leaves; n-- > 1;) {
            const uint32_t a = w->most[2 * (size_t)n], b = w->most[2 * (size_t)n + 1];
            w->most[n] = a > b ? a : b;
        }
        memcpy(w->cursor, walk->backward ? w->first : w->first + 1,
               (2 * (size_t)w->column->count + 2) * sizeof(uint32_t));
    }
}

/* ---- touches ---- */

static uint32_t descend(const struct column_walk *w, uint32_t node, uint32_t than)
{
    while (node < w->leaves)
        node = 2 * node + (w->most[2 * (size_t)node] <= than);
    return node - w->leaves;
}

/* A leaf in [low .. high) that holds more than 'than', or ESSE_NO_NODE. */
static uint32_t find_leaf(const struct column_walk *w, uint32_t low, uint32_t high, uint32_t than)
{
    ESSE_HOT_ASSERT(low <= high);
    ESSE_HOT_ASSERT(high <= w->leaves);
    for (low += w->leaves, high += w->leaves; low < high; low >>= 1, high >>= 1) {
        if (low & 1) {
            if (w->most[low] > than)
                return descend(w, low, than);
            low++;
        }
        if (high & 1) {
            high--;
            if (w->most[high] > than)
                return descend(w, high, than);
        }
    }
    return ESSE_NO_NODE;
}

static void clear_leaf(struct column_walk *w, uint32_t leaf)
{
    ESSE_HOT_ASSERT(leaf < w->leaves);
    uint32_t node = leaf + w->leaves;
    w->most[node] = 0;
    while (node > 1) {
        const uint32_t other = w->most[node ^ 1], one = w->most[node];
        const uint32_t most = one > other ? one : other;
        node >>= 1;
        if (w->most[node] == most)
            return;
        w->most[node] = most;
    }
}

/* Moves 'place' as far as all were met. */
static void pass_places(struct dsg_walk *walk)
{
    const struct esse_snapshots *snapshots = walk->ranges->versions->snapshots;
    if (walk->backward)
        while (walk->place.ix < snapshots->count &&
               walk->met[commit_node(walk, snapshots->txns[walk->place.ix].ix)])
            walk->place.ix++;
    else
        while (walk->place.ix > 0 &&
               walk->met[commit_node(walk, snapshots->txns[walk->place.ix - 1].ix)])
            walk->place.ix--;
}

static bool is_in(const struct dsg_range_read *read, uint32_t rank)
{
    return rank >= read->from && rank < read->to; /* NO_RANK is not */
}

/* Did the transaction touch the range? */
static bool touches(const struct dsg_walk *walk, const struct dsg_range_read *read, uint32_t txn)
{
    const struct dsg_ranges *ranges = walk->ranges;
    const uint32_t *rank = ranges->columns[read->column].rank;
    for (uint32_t i = ranges->installed_first[txn]; i < ranges->installed_first[txn + 1]; i++) {
        const version_id version = ranges->installed[i];
        if ((is_in(read, rank[version.ix]) || is_in(read, rank[version.ix - 1])) &&
            ranges->placed[ranges->key[version.ix]])
            return true;
    }
    return false;
}

static uint32_t touch_in_places(const struct dsg_walk *walk, const struct dsg_range_read *read,
                                esse_place begin, esse_place end)
{
    for (esse_place place = begin; place.ix < end.ix; place.ix++) {
        const uint32_t txn = walk->ranges->versions->snapshots->txns[place.ix].ix;
        if (!walk->met[commit_node(walk, txn)] && touches(walk, read, txn))
            return commit_node(walk, txn);
    }
    return ESSE_NO_NODE;
}

static uint32_t touch_in_tree(struct dsg_walk *walk, const struct dsg_range_read *read)
{
    struct column_walk *w = &walk->columns[read->column];
    const uint32_t than = walk->backward ? UINT32_MAX - read->before.ix : read->before.ix;
    make_trees(walk);
    for (;;) {
        const uint32_t leaf = find_leaf(w, 2 * read->from, 2 * read->to, than);
        if (leaf == ESSE_NO_NODE)
            return ESSE_NO_NODE;
        const version_id version = { w->column->version[leaf >> 1].ix + (leaf & 1) };
        const uint32_t node = commit_node(walk, version_txn(walk->ranges->versions, version));
        if (!walk->met[node])
            return node;
        clear_leaf(w, leaf);
    }
}

uint32_t dsg_walk_touch(struct dsg_walk *walk, const struct dsg_range_read *read)
{
    pass_places(walk);
    const esse_place begin = walk->backward ? walk->place : read->before;
    const esse_place end = walk->backward ? read->before : walk->place;
    if (begin.ix >= end.ix)
        return ESSE_NO_NODE;
    if (end.ix - begin.ix > walk->ranges->near &&
        (walk->has_leaves || end.ix - begin.ix > walk->patience))
        return touch_in_tree(walk, read);
    walk->patience -= end.ix - begin.ix > walk->ranges->near ? end.ix - begin.ix : 0;
    return touch_in_places(walk, read, begin, end);
}

/* ---- operations ---- */

/* The operations of a node whose range is all of it, from the end that is asked for: those that
 * see the most, or going backward the least. */
static uint32_t find_in_list(struct dsg_walk *walk, struct column_walk *w, uint32_t node,
                             esse_place place)
{
    uint32_t *cursor = &w->cursor[node];
    while (walk->backward ? *cursor < w->first[node + 1] : *cursor > w->first[node]) {
        const struct dsg_range_read *read =
            &walk->ranges->reads[w->entry[walk->backward ? *cursor : *cursor - 1]];
        const uint32_t reader = snapshot_node(walk, read->txn);
        if ((read->before.ix > place.ix) == walk->backward)
            return ESSE_NO_NODE;
        if (!walk->met[reader])
            return reader;
        *cursor += walk->backward ? 1 : UINT32_MAX;
    }
    return ESSE_NO_NODE;
}

static uint32_t find_reader(struct dsg_walk *walk, struct column_walk *w, uint32_t rank,
                            esse_place place)
{
    for (uint32_t node = rank + w->column->count; rank != NO_RANK && node; node >>= 1) {
        const uint32_t reader = find_in_list(walk, w, node, place);
        if (reader != ESSE_NO_NODE)
            return reader;
    }
    return ESSE_NO_NODE;
}

static bool is_met(const struct dsg_walk *walk, size_t at)
{
    return walk->met[snapshot_node(walk, walk->ranges->reads[walk->order[at].id].txn)];
}

static void pass_reads(struct dsg_walk *walk)
{
    if (walk->backward)
        while (walk->read < walk->ranges->count && is_met(walk, walk->read))
            walk->read++;
    else
        while (walk->read > 0 && is_met(walk, walk->read - 1))
            walk->read--;
}

/* Looks at the operations that see the place, or going backward do not, and were perhaps not met.
 * False if there are too many. */
static bool reader_in_order(struct dsg_walk *walk, uint32_t column, version_id version,
                            esse_place place, uint32_t *reader)
{
    const uint32_t *rank = walk->columns[column].column->rank;
    const size_t count = walk->backward ? walk->ranges->count - walk->read : walk->read;
    *reader = ESSE_NO_NODE;
    for (size_t i = 0; i < count; i++) {
        const size_t at = walk->backward ? walk->read + i : walk->read - 1 - i;
        const struct dsg_range_read *read = &walk->ranges->reads[walk->order[at].id];
        if ((read->before.ix > place.ix) == walk->backward)
            return true;
        if (i >= walk->ranges->near && (walk->has_leaves || !walk->patience))
            return false;
        walk->patience -= i >= walk->ranges->near;
        if (is_met(walk, at) || read->column != column ||
            !(is_in(read, rank[version.ix]) || is_in(read, rank[version.ix - 1])))
            continue;
        *reader = snapshot_node(walk, read->txn);
        return true;
    }
    return true;
}

uint32_t dsg_walk_reader(struct dsg_walk *walk, uint32_t column, version_id version)
{
    struct column_walk *w = &walk->columns[column];
    const esse_place place = dsg_version_place(walk->ranges, version);
    uint32_t reader;
    if (!walk->ranges->placed[walk->ranges->key[version.ix]])
        return ESSE_NO_NODE;
    pass_reads(walk);
    if (reader_in_order(walk, column, version, place, &reader))
        return reader;
    make_trees(walk);
    reader = find_reader(walk, w, w->column->rank[version.ix], place);
    return reader != ESSE_NO_NODE ? reader
                                  : find_reader(walk, w, w->column->rank[version.ix - 1], place);
}
