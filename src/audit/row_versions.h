#ifndef ESSE_AUDIT_ROW_VERSIONS_H
#define ESSE_AUDIT_ROW_VERSIONS_H

#include "base/index.h"
#include "exec/overlay.h"

/*
 * All versions of all rows: a store that statements run over at a state of the caller's choosing.
 *
 *  1. State 0 is what was put with audit_versions_init(); push() adds a state on top, pop() takes
 *     the newest one away.  Rows of states that are there do not move.
 *  2. After look_at(b) reads go to state b.  seen() says for which states around b the same reads
 *     give the same rows: a run at b stands for a run at each of these.
 *  3. After look_choosing() each key is read at a version of its own.  The first choice is the
 *     newest version of everything; next_choice() goes through all others.  Versions whose rows
 *     are the same count once.
 *  4. Index entries of versions that were taken away may stay; they find nothing.
 *
 * Cost: push and pop O(writes * indexes used * log rows); get O(versions since the state looked
 * at); range O(log rows + entries of all versions in it).
 */
#define AUDIT_NONE UINT32_MAX

struct audit_version {
    uint32_t place, before, key, depth; /* 'before': the version under it, 'depth': how many are */
    uint32_t writer;                    /* what the pusher said */
    const struct esse_datum *row;
};
ESSE_VEC(audit_version_vec, struct audit_version)

/* Which version one key is read at: number 'chosen' of candidates[first .. first + count). */
struct audit_choice {
    uint32_t key, chosen, first, count;
};
ESSE_VEC(audit_choice_vec, struct audit_choice)

struct audit_span {
    uint32_t low, high;
};

struct audit_versions;
struct audit_versions *audit_versions_new(struct esse_arena *arena);
const struct esse_store *audit_versions_store(struct audit_versions *versions);

/* The rows of state 0, before the first push. */
void audit_versions_init(struct audit_versions *versions, const struct esse_overlay *overlay);
uint32_t audit_versions_newest(const struct audit_versions *versions);
void audit_versions_push(struct audit_versions *versions, const struct esse_overlay *overlay,
                         uint32_t writer);
void audit_versions_pop(struct audit_versions *versions);

void audit_versions_look_at(struct audit_versions *versions, uint32_t state);
/* Is the state looked at not older than this one?  It counts as a read. */
bool audit_versions_needs(struct audit_versions *versions, uint32_t state);
struct audit_span audit_versions_seen(const struct audit_versions *versions);

/* Begins with the newest of everything. */
void audit_versions_look_choosing(struct audit_versions *versions);
bool audit_versions_next_choice(struct audit_versions *versions);

/* As look_choosing(), among the versions of the places low to high and the one under them. */
void audit_versions_look_choosing_between(struct audit_versions *versions, uint32_t low,
                                          uint32_t high);
/* After a look elsewhere: the same choices go on. */
void audit_versions_go_on_choosing(struct audit_versions *versions);

/* The view that is set, with the choices that a run came to; and to set it again. */
struct audit_view {
    bool is_choice;
    uint32_t state;
    struct audit_choice_vec choices;
    struct esse_u32_vec candidates;
};
struct audit_view audit_versions_view(const struct audit_versions *versions,
                                      struct esse_arena *arena);
void audit_versions_look_as(struct audit_versions *versions, const struct audit_view *view);
/* At a state, but for the keys that the view chose a version of. */
void audit_versions_look_past(struct audit_versions *versions, uint32_t state,
                              const struct audit_view *view);

/* Whether a version of this key was chosen that is not its newest one. */
bool audit_versions_chose_older(const struct audit_versions *versions,
                                const struct esse_table *table, struct esse_bytes key);

/* Every read from here on, with the version that was read, AUDIT_NONE: absent.  NULL: no more. */
struct audit_read {
    uint32_t key, version;
};
ESSE_VEC(audit_read_vec, struct audit_read)
void audit_versions_record(struct audit_versions *versions, struct audit_read_vec *reads,
                           struct esse_arena *arena);

/* All versions, in the order of their places, and how many keys there are. */
const struct audit_version_vec *audit_versions_all(const struct audit_versions *versions);
uint32_t audit_versions_keys(const struct audit_versions *versions);
struct esse_bytes audit_versions_key(const struct audit_versions *versions, uint32_t key,
                                     const struct esse_table **table);

/* The newest version of a key; NULL if it never had one. */
const struct audit_version *audit_versions_top(const struct audit_versions *versions,
                                               const struct esse_table *table,
                                               struct esse_bytes key);
const struct audit_version *audit_versions_under(const struct audit_versions *versions,
                                                 const struct audit_version *version);

/* A row that an index cannot find, because a value of it is not known, was there. */
bool audit_versions_doubt(const struct audit_versions *versions);

/* Hashes of what is there: of the newest rows; of each key's versions in turn; of all states. */
struct audit_hashes {
    uint64_t newest, chains, states;
};
struct audit_hashes audit_versions_hashes(const struct audit_versions *versions);

#endif
