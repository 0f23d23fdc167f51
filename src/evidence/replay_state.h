#ifndef ESSE_EVIDENCE_REPLAY_STATE_H
#define ESSE_EVIDENCE_REPLAY_STATE_H

#include "base/vec.h"
#include "evidence/replay.h"
#include "evidence/replay_rows.h"
#include "history/access.h"

/*
 * A multi-version store, filled by the committed transactions of a history in a given order: what
 * every key held after every commit.  For evidence/ and the replay
 * of streams.
 *
 * Items of a list are kept once; a version of a list is how many of them there were.  If only the
 * newest state will be asked for, older versions are not kept.
 *
 * Invariants between two transactions:
 *
 *   1) A key has a version at least.  If versions are kept, their commits rise, the counts of their
 *      items never fall, and the last of them is 'last'.
 *   2) No version is of a commit to come, and the last one has all items.
 *   3) What was compared with a spine are items that are there.
 *   4) A store that grows holds no more than it has room for.
 *   5) If changes are kept, change_first has an entry for each commit after 'horizon'; these never
 *      fall, and the changes are of keys that are there.
 *
 * Cost: O(1) for a write, and O(log rows) for each column that a predicate bounds; a read O(log
 * versions of the key), and O(new items) for lists, because what was compared once is not compared
 * again; a predicate as replay_rows.h says.
 */
struct replay_version {
    uint32_t commit;  /* after how many commits it was there; 0: initially */
    uint32_t count;   /* items, for lists */
    esse_value value; /* for registers: nil if absent */
};

#define REPLAY_NO_SPINE UINT32_MAX

struct replay_key {
    struct replay_version last;
    struct replay_version *versions; /* the initial one first; NULL if only the last is kept */
    esse_value *items;
    uint32_t version_count, item_count;
    uint32_t version_room, item_room; /* of a store that grows */
    uint32_t spine, compared;         /* the first 'compared' items are those of this spine */
    uint32_t mark;                    /* of replay_rows */
};

ESSE_VEC(replay_number_vec, uint32_t)

struct replay_state {
    struct esse_arena *arena;
    const struct esse_history *history;
    struct replay_key *keys;
    uint32_t key_room; /* if it grows */
    uint32_t commits;
    struct replay_rows rows;
    /* For predicates on older states: the keys that were written, in order, and where those of each
     * commit begin.  Only if versions are kept. */
    bool keeps_changes;
    struct replay_number_vec changes, change_first;
    /* Of a store that grows with a stream, whose engine makes the room: the states before this many
     * commits are forgotten. */
    bool grows, keeps_versions;
    uint32_t horizon;
    struct esse_mismatch miss; /* why the last question was answered with no: kind, op and key */
};

/* Does it have its invariants?  O(keys + versions + changes). */
bool replay_state_valid(const struct replay_state *state);

/* 'in' says which transactions will be committed, for the room that they need. */
void replay_state_init(struct replay_state *state, struct esse_arena *arena,
                       const struct esse_history *history, const uint8_t *in, bool keeps_versions);

/* The version of a key after 'commit' commits. */
struct replay_version replay_state_at(const struct replay_state *state, uint32_t key,
                                      uint32_t commit);

/* Is the list exactly the first 'count' items of the key? */
bool replay_state_is_list(struct replay_state *state, uint32_t key, esse_value list,
                          uint32_t count);

/* Would the transaction, run on the state after 'snapshot' commits, read what it read? */
bool replay_state_reads(struct replay_state *state, uint32_t txn, uint32_t snapshot);

/* What the transaction itself made of a key before 'op': *written if it did, by a write of
 * *value; *appends is how many elements it added. */
struct replay_own {
    bool written;
    esse_value value;
    uint32_t appends;
};
struct replay_own replay_own_writes(const struct esse_history *history, uint32_t txn, uint32_t op,
                                    esse_key key);

void replay_state_commit(struct replay_state *state, uint32_t txn);

/* The same access by access: begins a commit, and adds a write to it. */
void replay_state_begin(struct replay_state *state);
static inline void replay_state_write(struct replay_state *state, struct esse_access write)
{
    struct replay_key *key = &state->keys[write.key.ix];
    const bool append = write.kind == ESSE_OP_APPEND;
    const esse_value row = append ? ESSE_NIL : write.value;
    if (state->rows.index_count)
        replay_rows_change(state, write.key.ix, key->item_count ? ESSE_NIL : key->last.value, row);
    if (append)
        key->items[key->item_count++] = write.value;
    /* Several writes of one commit are one version. */
    key->version_count += key->last.commit != state->commits;
    key->last = (struct replay_version){ state->commits, key->item_count, row };
    if (key->versions)
        key->versions[key->version_count - 1] = key->last;
}

/* Did a read return the newest state, with what the commit at hand wrote? */
bool replay_state_reads_newest(struct replay_state *state, struct esse_access read);

/* Both at once, on the newest state: runs the transaction alone, operation by operation, and says
 * whether it reads what it read.  If it does not, it is committed in part.  O(1) an item operation,
 * where the above look for own writes of each read. */
bool replay_state_run(struct replay_state *state, uint32_t txn);

/* No: the store holds something else. */
static inline bool replay_state_misses(struct replay_state *state, enum esse_mismatch_kind kind,
                                       uint32_t op, uint32_t key)
{
    state->miss = (struct esse_mismatch){ .kind = kind, .op = { op }, .key = { key } };
    return false;
}

#endif
