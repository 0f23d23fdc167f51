#ifndef ESSE_GENERATE_STORE_H
#define ESSE_GENERATE_STORE_H

#include "base/arena.h"
#include "workload/request.h"

/*
 * A small multi-version store in memory, deterministic and single-threaded: concurrency is the
 * caller's, which runs several open transactions step by step and says what time it is.
 *
 * Keys live in slots 0 .. slots - 1; a slot can be given a fresh key, and the old one is then out
 * of reach.  Values are integers; a list is appended to, one integer a write.  Writes are kept with
 * their transaction until it commits; at read uncommitted others look at them there, so nothing
 * ever has to be undone.
 *
 * How the levels work (docs/design/generator.md says why each is sound):
 *   read-uncommitted     write locks to the end; reads see what the lock's holder wrote
 *   read-committed       write locks to the end; reads see what is committed now
 *   snapshot-isolation   reads at one snapshot; the first committer wins
 *   serializable         reads at one snapshot; a writer commits only if nothing it read changed;
 *                        readers may be given a snapshot of the past
 *   strict-serializable  the same without the past
 * Locks never deadlock: the older transaction waits, the younger dies (wait-die).
 *
 * Life: new -> (begin -> read | write ... -> commit | abort)*, any number of transactions open,
 * at most one a session.  Times must grow from call to call.  The store lives in its arena.
 *
 * Cost: read and write O(1) expected and no allocation once warm; a list read O(length); match
 * O(log versions + versions in the range), and from the first one on a commit O(log versions) a
 * write; commit O(reads + writes), and for each range read as a match.  Memory: the
 * versions that an open snapshot can still see, lists whole.
 */
struct esse_store;

enum esse_store_level {
    ESSE_STORE_READ_UNCOMMITTED,
    ESSE_STORE_READ_COMMITTED,
    ESSE_STORE_SNAPSHOT_ISOLATION,
    ESSE_STORE_SERIALIZABLE,
    ESSE_STORE_STRICT_SERIALIZABLE,
    ESSE_STORE_LEVELS
};

/* What makes a level: a table instead of ifs on names. */
struct esse_store_traits {
    const char *name;
    bool has_locks;      /* writes lock their key until the end */
    bool has_dirty;      /* reads see uncommitted writes */
    bool has_snapshot;   /* reads see one moment */
    bool has_first_wins; /* a write to what changed since the snapshot fails */
    bool has_validation; /* a writer whose reads changed since the snapshot fails */
    bool has_past;       /* readers may be given an old snapshot */
    bool has_order;      /* there is a serialization order */
};
extern const struct esse_store_traits esse_store_traits[ESSE_STORE_LEVELS];

struct esse_store_options {
    enum esse_store_level level;
    bool is_list;
    uint32_t slots, sessions;
    uint32_t writes_hint; /* about how many keys a transaction writes */
    uint64_t max_lag;     /* how far into the past a snapshot may reach */
    uint64_t next_key;    /* the first key that is not yet in a slot; at least 'slots' */
};

enum esse_store_answer {
    ESSE_STORE_DONE,
    ESSE_STORE_WAIT, /* the lock is held: ask again later */
    ESSE_STORE_DIE,  /* the transaction must abort */
};

/* A write that a transaction has made; 'is_last' if it made no later one to the key. */
struct esse_store_write {
    uint64_t key;
    int64_t value;
    uint32_t slot, older; /* 'older': the next in this bucket of the index, plus 1 */
    bool is_last;
};

struct esse_store_row {
    uint64_t key;
    int64_t value;
    uint32_t slot;
};

struct esse_store *esse_store_new(struct esse_arena *arena,
                                  const struct esse_store_options *options);

bool esse_store_is_list(const struct esse_store *store);

/* A version that is there from the start.  Before the first begin. */
void esse_store_init(struct esse_store *store, uint32_t slot, int64_t value);

/* 'lag' moves the snapshot into the past; only where the level has one. */
void esse_store_begin(struct esse_store *store, uint32_t session, uint64_t now, uint64_t lag);

/* The key that is in the slot now. */
uint64_t esse_store_key(const struct esse_store *store, uint32_t slot);
uint64_t esse_store_next_key(const struct esse_store *store);

/* Puts a fresh key into the slot.  False, and nothing is done, if the session itself is writing the
 * one that is there, or another session has its lock.  Not in a store that matches ranges: the old
 * row would vanish without a delete. */
bool esse_store_renew(struct esse_store *store, uint32_t session, uint32_t slot);

int64_t esse_store_read(struct esse_store *store, uint32_t session, uint32_t slot);

/* The list, good until the next call. */
const int64_t *esse_store_read_list(struct esse_store *store, uint32_t session, uint32_t slot,
                                    size_t *count);

/* The rows with low <= value <= high, by slot, good until the next call. */
const struct esse_store_row *esse_store_match(struct esse_store *store, uint32_t session,
                                              int64_t low, int64_t high, size_t *count);

/* Every row that is there for the session, without counting as a read. */
const struct esse_store_row *esse_store_rows(struct esse_store *store, uint32_t session,
                                             size_t *count);

/* Takes the lock of a slot, where the level has locks.  Locks stay until the end. */
enum esse_store_answer esse_store_lock(struct esse_store *store, uint32_t session, uint32_t slot);

/* Writes, or appends to a list; ESSE_ABSENT deletes.  The lock must be held. */
void esse_store_write(struct esse_store *store, uint32_t session, uint32_t slot, int64_t value);

const struct esse_store_write *esse_store_writes(const struct esse_store *store, uint32_t session,
                                                 size_t *count);

/* The time at which the session's snapshot was taken, or at which it began. */
uint64_t esse_store_snapshot(const struct esse_store *store, uint32_t session);

/* False if the level forbids it; then nothing is changed and the caller aborts.  Does not close:
 * the writes can still be looked at until abort or close. */
bool esse_store_commit(struct esse_store *store, uint32_t session, uint64_t now);

/* Ends the transaction.  What was not committed never happened. */
void esse_store_close(struct esse_store *store, uint32_t session);

/* Versions held now, for tests of the garbage collection. */
uint64_t esse_store_held(const struct esse_store *store);

#endif
