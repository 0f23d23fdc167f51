#ifndef ESSE_ENGINE_DSG_DSG_RANGES_H
#define ESSE_ENGINE_DSG_DSG_RANGES_H

#include "base/vec.h"
#include "engine/dsg/dsg_column.h"

/*
 * Predicate operations whose dependencies are not stored.
 *
 * Such an operation asked for a range of a column and looked at the state after the first so many
 * commits.  Every version that enters the range, leaves it or changes inside it, a touch, comes
 * before the operation if it was committed by then, and after it otherwise: a touch that changes
 * what matches by its own dependency, any other along the versions of its key to the row that was
 * returned or to the next change.  So a search for what can be reached from where needs no more
 * than the answers to two questions, which take no room: is there a touch in this range, after (or
 * before) this commit, by a transaction that was not met yet?  And, is there an operation whose
 * range this value lies in, that looked after (or before) this commit, of such a transaction?
 *
 * That holds where the rows that were returned are those that the snapshot has; dsg_predicates sees
 * to it.
 *
 * Cost: O((versions + operations) * log versions) for all questions of a walk in which every
 * transaction is met once; 12 bytes a version and 4 * log versions an operation.
 */
struct dsg_range_read {
    uint32_t op, txn;
    uint32_t column;
    uint32_t low, high; /* ranks of the column, [low .. high) */
    esse_place before;  /* how many commits it sees */
    /* The piece of these ranks that is asked about.  What the transaction had written itself is cut
     * out where another wrote it after the snapshot: its own versions show which comes first.
     */
    uint32_t from, to;
};
ESSE_VEC(dsg_range_read_vec, struct dsg_range_read)

struct dsg_ranges {
    const struct versions *versions;
    uint32_t near; /* so many are asked one by one, before a walk makes its trees */
    struct dsg_column *columns;
    uint32_t column_count;
    uint8_t *placed;                    /* by key: its versions are in the order of the commits */
    uint32_t *key;                      /* by version */
    esse_place *place;                  /* by version: of its installer */
    const struct dsg_range_read *reads; /* by operation, one for each of its pieces */
    uint32_t *read_first;      /* by transaction: reads[read_first[t] .. read_first[t + 1]) */
    version_id *installed;     /* versions, by transaction: */
    uint32_t *installed_first; /* installed[installed_first[t] .. installed_first[t + 1]) */
    size_t count;
};

/* The place of the installer of a version, which is not the initial one. */
static inline esse_place dsg_version_place(const struct dsg_ranges *ranges, version_id version)
{
    return ranges->place[version.ix];
}

/* Opens it for a history whose certificate has a kind: places, and which keys have them. */
void dsg_ranges_open(struct dsg_ranges *ranges, const struct versions *versions, uint32_t near);

/* The version of a key that a snapshot has; NO_VERSION if its versions have no places. */
version_id dsg_ranges_seen(const struct dsg_ranges *ranges, const struct esse_snapshot *snapshot,
                           uint32_t key);

/* Are the versions of all keys in the order of the commits?  O(keys). */
bool dsg_ranges_all_placed(const struct dsg_ranges *ranges);

/* Takes the operations over, by operation. */
void dsg_ranges_close(struct dsg_ranges *ranges, const struct dsg_range_read_vec *reads);

/* ---- a walk through a graph of transactions ---- */

/* The questions of one walk.  In a doubled graph (dsg_graph.h) operations belong to snapshots and
 * versions to commits. */
struct dsg_walk;
struct dsg_walk *dsg_walk_new(struct esse_arena *arena, const struct dsg_ranges *ranges,
                              bool doubled);

/* Begins a walk along the dependencies, or against them; 'met' tells by node whether it was. */
void dsg_walk_start(struct dsg_walk *walk, const uint8_t *met, bool backward);

/* A node that was not met and that depends on (going backward, on which depends) an operation by
 * its range; ESSE_NO_NODE if there is none. */
uint32_t dsg_walk_touch(struct dsg_walk *walk, const struct dsg_range_read *read);

/* The same for a version, not an initial one: a node whose operation it concerns in a column. */
uint32_t dsg_walk_reader(struct dsg_walk *walk, uint32_t column, version_id version);

#endif
