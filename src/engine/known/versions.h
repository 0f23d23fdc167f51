#ifndef ESSE_ENGINE_KNOWN_VERSIONS_H
#define ESSE_ENGINE_KNOWN_VERSIONS_H

#include "engine/known/known.h"
#include "history/snapshots.h"

/*
 * The versions of every key, as far as their order is known.
 *
 * Versions are numbered key by key.  Those of key k are first[k] .. first[k + 1): the initial one,
 * then the ordered ones oldest first, then, from unordered[k] on, those of which only is known that
 * they come after all the ordered ones; or, if the order has gaps[k], because a certificate does
 * not name them, only that they come after the initial one.  Only transactions that count as
 * committed (in[t]) install versions.  A read that may be of several versions, such as one of
 * nothing, is of the one that its snapshot has, if a certificate tells.
 *
 * Invariants, once versions_find was done, and dsg_infer:
 *
 *   1) first[0] is 0, first[keys] is 'count', and every key has at least its initial version, which
 *      no access installed.
 *   2) first[k] < unordered[k] <= first[k + 1]: the initial version is never unordered.
 *   3) Every other version was installed by a write of its key, of a transaction that counts; and
 *      that write is of this version: of[write[v]] is v.
 *   4) An access is of a version of its key, or of none; a write only of the version that it
 *      installed, and an access of a transaction that does not count of none.  After dsg_infer a
 *      read may be of a number from 'count' on: of a state that no transaction installed.
 *   5) key_reader[k] is an access of k, if there is one.
 *   6) An edge in 'after' stands with the version that it leads from; it leads to another one, and
 *      its accesses are of these two.
 *
 * Cost: O(accesses + items of spines), shared by the threads; 4 bytes a version and 4 an access.
 */
typedef struct {
    uint32_t ix;
} version_id;
#define NO_VERSION UINT32_MAX

/* An unordered version that is known to come before another one of its key, and the accesses that
 * show these two versions. */
struct version_edge {
    version_id from, to;
    key_access_id from_at, to_at;
    enum esse_basis basis;
};

struct versions {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct sources *sources;
    const struct esse_snapshots *snapshots; /* what operations saw; NULL if no certificate tells */
    const uint8_t *in;                      /* by transaction: committed, or unknown and observed */
    version_id *first;                      /* by key */
    version_id *unordered;                  /* by key */
    uint8_t *gaps;                          /* by key */
    uint8_t *unsure; /* by key: written by one of unknown outcome that does not count, and whether
                        it committed no certificate tells; NULL: none is */
    key_access_id *write; /* by version: the access that installed it, or ESSE_NO_KEY_ACCESS */
    version_id *of;       /* by access: the version that it read or installed, or NO_VERSION */
    key_access_id
        *key_reader; /* by key: the read whose list shows the order, or ESSE_NO_KEY_ACCESS */
    uint32_t count;
    uint32_t undetermined; /* keys with more than one unordered version */
    uint32_t unresolved;   /* reads of what is no known version, or not its writer's last */
    uint32_t own_missed;   /* reads that differ from what the transaction had written */
    uint32_t not_repeated; /* reads that differ from what it had read */
    /* What was inferred by assumptions (dsg_infer), NULL if nothing: the edges from version v are
     * after[after_first[v] .. after_first[v + 1]).  States that were read and that no transaction
     * wrote for good have numbers too then, from 'count' on. */
    const uint32_t *after_first;
    const struct version_edge *after;
    /* The dependencies of predicate operations (dsg_predicates). */
    const struct dsg_predicate_edge *predicate_edges;
    size_t predicate_edge_count;
    const struct dsg_ranges *ranges; /* those that are not written down, or NULL */
    bool whole_predicates;           /* all of them are known: what is left out is no dependency */
};

/* 'by_snapshots': the snapshots of a certificate are believed.  False if the budget is spent. */
bool versions_find(struct versions *versions, struct known *known, bool by_snapshots);

/* Do they have their invariants?  O(accesses + versions). */
bool versions_valid(const struct versions *versions);

/* Which of the versions [first .. end) of a key, the initial one among them, a snapshot has.  They
 * must be in the order of the commits.  O(log of its distance from 'near'). */
version_id versions_at(const struct versions *versions, const struct esse_snapshot *snapshot,
                       version_id first, version_id end, version_id near);

/* Are they, all but the first? */
bool versions_placed(const struct versions *versions, version_id first, version_id end);

/* The same versions with the unordered ones in the order in which they are numbered, which is that
 * of the recording as far as inference knew nothing else: a guess, good for trying orders and for
 * nothing else. */
struct versions versions_guess(const struct versions *versions);

static inline const struct esse_key_access *versions_key_access(const struct versions *versions,
                                                                key_access_id at)
{
    return &versions->sources->by_key.at[at.ix];
}

/* The operation of an access. */
static inline uint32_t versions_op(const struct versions *versions, key_access_id at)
{
    return esse_by_key_op(&versions->sources->by_key, versions_key_access(versions, at)->access);
}

/* The transaction that installed a version; ESSE_NO_TXN for the initial one. */
static inline uint32_t version_txn(const struct versions *versions, version_id version)
{
    key_access_id write = versions->write[version.ix];
    return write.ix == ESSE_NO_KEY_ACCESS ? ESSE_NO_TXN : versions_key_access(versions, write)->txn;
}

/* Do the unordered versions of the key follow 'version' directly? */
static inline bool precedes_unordered(const struct versions *versions, uint32_t key,
                                      version_id version)
{
    return versions->gaps[key] ? version.ix == versions->first[key].ix
                               : version.ix + 1 == versions->unordered[key].ix;
}

/* Why 'from' is known to come before 'to'; NULL if nothing was inferred about them. */
static inline const struct version_edge *versions_edge(const struct versions *versions,
                                                       version_id from, version_id to)
{
    const uint32_t *first = versions->after_first ? &versions->after_first[from.ix] : NULL;
    for (uint32_t e = first ? first[0] : 0; first && e < first[1]; e++)
        if (versions->after[e].to.ix == to.ix)
            return &versions->after[e];
    return NULL;
}

/* Is the version one of the unordered ones at the end of its key? */
static inline bool is_unordered(const struct versions *versions, uint32_t key, version_id version)
{
    return version.ix >= versions->unordered[key].ix;
}

/* Does the transaction of the access at 'at' install one of the unordered versions of the key
 * itself? Then it must not be led back to itself by edges to all of them.  O(its accesses). */
static inline bool versions_writes_unordered(const struct versions *versions, uint32_t key,
                                             key_access_id at)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    key_access_id end = { esse_run_end(by_key, key, at.ix) };
    for (at.ix = esse_run_begin(by_key, key, at.ix); at.ix < end.ix; at.ix++)
        if (by_key->at[at.ix].kind != ESSE_OP_READ && versions->of[at.ix].ix != NO_VERSION &&
            is_unordered(versions, key, versions->of[at.ix]))
            return true;
    return false;
}

#endif
