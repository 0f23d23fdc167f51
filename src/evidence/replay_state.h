#ifndef ESSE_EVIDENCE_REPLAY_STATE_H
#define ESSE_EVIDENCE_REPLAY_STATE_H

#include "history/access.h"

/*
 * The store that a replay runs on: for every key, all the versions that commits installed, each
 * with the number of the commit.  A list's version is how many elements it has.  Private to
 * evidence/replay.
 *
 * Cost: 12 bytes a written key and transaction, 8 an appended element; look-ups O(log versions),
 * O(1) for the newest; comparing a list costs each element once for a spine.
 */
struct replay_version {
    uint32_t commit; /* the number of the commit that installed it */
    uint32_t count;  /* elements, for a list */
    esse_value value;
};

struct replay_key {
    struct replay_version *versions;
    esse_value *items;
    uint32_t version_count, item_count;
    uint32_t spine, compared; /* items[0 .. compared) are those of this spine */
};

struct replay_state {
    struct esse_arena *arena;
    const struct esse_history *history;
    struct replay_key *keys;
    uint32_t commits;
};

/* Room for what the transactions with in[t] write. */
void replay_state_init(struct replay_state *state, struct esse_arena *arena,
                       const struct esse_history *history, const uint8_t *in);

/* The version of a key that was there after 'commit' commits. */
struct replay_version replay_state_at(const struct replay_state *state, uint32_t key,
                                      uint32_t commit);

/* Is 'list' the first 'count' elements of the key? */
bool replay_state_is_list(struct replay_state *state, uint32_t key, esse_value list,
                          uint32_t count);

/* Runs a transaction against the state after 'snapshot' commits: do its reads return what the
 * history says? */
bool replay_state_reads(struct replay_state *state, uint32_t txn, uint32_t snapshot);

/* Commits its writes. */
void replay_state_commit(struct replay_state *state, uint32_t txn);

#endif
