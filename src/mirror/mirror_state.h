#ifndef ESSE_MIRROR_MIRROR_STATE_H
#define ESSE_MIRROR_MIRROR_STATE_H

#include "base/checked.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "mirror/mirror.h"
#include "mirror/pipeline.h"
#include "mirror/words.h"

#include <assert.h>

/* What the files of the mirror share; the invariants M1 to M6 are in docs/design/mirror.md. */

#define MIRROR_NONE UINT32_MAX

static inline bool mirror_sure(struct esse_instant e, struct esse_instant f)
{
    return e.a <= f.b;
}

/* When the versions that the trace begins with were installed. */
#define MIRROR_INITIAL ((struct esse_instant){ INT64_MIN + 1, INT64_MIN + 2 })

/* ---- keys ---- */

enum {
    VERSION_USED = 1,
    VERSION_DEAD = 2,   /* a delete */
    VERSION_FULL = 4,   /* all columns were set */
    VERSION_OPAQUE = 8, /* its value is not known */
    VERSION_PERHAPS = 16,
};

/* A version and when it was installed. */
struct mirror_version {
    uint64_t value;
    struct esse_instant c;
    uint32_t txn;     /* its slot, for as long as the transaction is kept; or MIRROR_NONE */
    uint32_t next;    /* the one before it, in the pool, from 1 on; 0: none */
    uint32_t columns; /* a list of columns, from 1 on; 0: a scalar */
    uint32_t flags;
};

enum { ENTRY_SOFT = 1, ENTRY_COLUMNS = 2, ENTRY_NEXT = 4 };

/* A key.  What all do is in its first and last lines of the cache. */
struct mirror_entry {
    uint64_t key;
    struct mirror_version at[2]; /* the newest, and the one before */
    int64_t release_max;         /* no lock was released after this */
    uint64_t init;               /* the initial value; 0: not known */
    uint32_t more;               /* older versions, in the pool */
    uint32_t odd;                /* versions that are opaque, or perhaps not there */
    uint32_t holders;            /* ended ones whose locks no version shows */
    uint32_t mark;               /* the transaction at hand: its place in 'touched' */
    uint32_t readers;            /* dependencies that wait for the next version: SC */
    uint32_t flags;
};
_Static_assert(sizeof(struct mirror_entry) == 128, "a key is two lines of the cache");

struct mirror_column {
    uint64_t name, value;
};

struct mirror_columns {
    struct mirror_column *at;
    uint32_t count, next_free;
};

/* A lock that an ended transaction held. */
struct mirror_holder {
    uint32_t txn, op; /* slot, and the operation that took it */
    uint32_t next;
    uint8_t mode;
};

ESSE_VEC(mirror_version_vec, struct mirror_version)
ESSE_VEC(mirror_holder_vec, struct mirror_holder)
ESSE_VEC(mirror_columns_vec, struct mirror_columns)
ESSE_VEC(mirror_u32_vec, uint32_t)
ESSE_VEC(mirror_u64_vec, uint64_t)

/* ---- transactions ---- */

enum {
    OP_FAILED = 1,
    OP_CURSOR = 2,
    OP_OWN = 4,    /* a read after an own write */
    OP_LOCKS = 8,  /* it was the first to take its lock in this mode */
    OP_LAST = 16,  /* the last write of its key that counts */
    OP_BLIND = 32, /* its value was not recorded, or cannot be compared */
    OP_OLD = 64,   /* what an update found: seen under its lock */
    OP_COLUMNS = 128,
    OP_JUDGED = 512,
    OP_LOCKING = 256, /* it asked for a lock, or found what it updates under one */
};

struct mirror_op {
    union {
        uint64_t value;
        uint64_t text; /* of a predicate operation */
    };
    struct esse_instant at;
    uint32_t entry, line;
    uint32_t columns, column_count; /* in the transaction's */
    uint32_t undone;                /* the place of the ROLLBACK TO that undid it; NONE */
    uint32_t own;                   /* the own write of the key before it; NONE */
    uint32_t statement;             /* of a row: the place of its predicate operation; NONE */
    uint32_t node;                  /* its instant in the graph, from 1 on; 0: none */
    uint32_t seen;                  /* what it may have seen, for windows: window.c */
    uint16_t flags;
    uint8_t kind, mode; /* mode: enum esse_trace_lock of the lock that it took */
};

struct mirror_savepoint {
    uint64_t name;
    uint32_t op_count;
};

enum mirror_status { TXN_FREE, TXN_OPEN, TXN_COMMITTED, TXN_ABORTED, TXN_UNKNOWN };

struct mirror_txn {
    uint32_t number, session;
    uint64_t name;
    const struct esse_profile *row;
    enum mirror_status status;
    bool has_begin, has_gap, is_late, waits, is_compared, has_opaque, wrote;
    bool is_interleaved;             /* with others of its session: they are in no order */
    struct esse_instant begin, s, c; /* c: COMMIT, or when its locks were released */
    struct esse_instant opaque;      /* of its gap, if it has one */
    int64_t failed;                  /* 'before' of the first operation that failed */
    uint32_t s_first, s_last; /* places in the program between which the snapshot was taken: 0
                                 BEGIN, i + 1 operation i */
    int64_t ready;            /* its reads may be judged when W_b has come to this */
    int64_t timestamp;        /* the server's, or ESSE_NO_TIME */
    uint64_t sequence, ended; /* by dispatch of the first event, and of the last */
    uint32_t s_node, c_node;  /* in the graph, from 1 on; 0: none */
    uint32_t key_nodes;       /* those of profiles whose time is that of a key: a list */
    uint32_t pins;            /* what else needs it to stay */
    uint32_t next_open;       /* of its session */
    uint32_t certified;       /* its node of the certifier's graph, from 1 on; 0: none */
    struct mirror_op *ops;
    uint32_t op_count, op_room;
    struct mirror_column *columns;
    uint32_t column_count, column_room;
    struct mirror_savepoint *savepoints;
    uint32_t savepoint_count, savepoint_room;
};

/* A key that the transaction at hand touches. */
struct mirror_touched {
    uint32_t entry;
    uint32_t own;      /* its last own write so far, or NONE */
    uint32_t locks[5]; /* by mode: the operation that took it first, or NONE */
    uint32_t last;     /* its last write that counts, or NONE */
};
ESSE_VEC(mirror_touched_vec, struct mirror_touched)

/* A version that a read may have seen. */
struct mirror_candidate {
    struct mirror_version *version; /* NULL: the initial one */
    uint32_t txn;
    struct esse_instant c;
    bool matches, is_sure_value; /* 'is_sure_value': not opaque and not perhaps */
};
ESSE_VEC(mirror_candidate_vec, struct mirror_candidate)
ESSE_VEC(mirror_finding_vec, struct esse_finding)

struct mirror_joint;
struct mirror_certifier;
struct mirror_predicates;
struct mirror_window;

enum { ENTRY_BLOCK = 4096 };

struct esse_mirror {
    struct esse_trace_sink sink; /* first: the sink is the mirror */
    struct esse_arena *arena;
    struct esse_mirror_options options;
    int64_t resolution, skew;
    bool exclusive, has_init, has_sessions, is_finished, is_started, is_stopped;
    struct esse_arena *reading; /* of the values that the reader makes */
    struct esse_words *words;
    struct esse_pipeline *pipeline;
    uint64_t pushed, since_round;

    struct mirror_entry **blocks;
    uint32_t entry_count, block_room;
    struct esse_index index;
    struct mirror_version_vec versions; /* a pool; 0 is nobody */
    struct mirror_holder_vec holders;
    struct mirror_columns_vec columns;
    uint32_t spare_version, spare_holder, spare_columns;

    struct mirror_txn *txns;
    uint32_t txn_count, txn_room;
    struct mirror_u32_vec spare_txns;
    struct mirror_u64_vec sessions; /* their names, words */
    struct mirror_u32_vec open;     /* by session: the first of its open ones, NONE */
    struct mirror_u32_vec waiting;  /* committed, and their reads are not judged yet */
    struct mirror_u32_vec ended;    /* in the order of their ends */
    uint64_t sequence, endings;
    bool must_wait;   /* the read at hand cannot be judged before its writer ends */
    bool part_is_old; /* the rows that follow are what an update found */

    int64_t floor, horizon;
    struct esse_i64_vec opaque_b, opaque_a; /* opaque for every key */

    struct mirror_touched_vec touched;
    struct mirror_candidate_vec candidates;
    struct mirror_joint *joint;
    struct mirror_certifier *certifier;
    struct mirror_window *window; /* NULL: there are none */
    struct mirror_predicates *predicates;
    uint64_t *written; /* hashes of values that somebody wrote, see esse_mirror_was_written */
    struct mirror_finding_vec held; /* of the read at hand: told if it need not wait */
    struct mirror_finding_vec told;
    uint64_t findings;
    struct esse_mirror_counters counters;
};

/* A text as the column of scalars. */
#define COLUMN_SCALAR   ((uint64_t)'v' << 8 | 1u << 3 | ESSE_TAG_STRING)
#define COLUMN_EXISTS   UINT64_C(0)         /* whether there is a row at all: NIL if not */
#define MIRROR_DATABASE (UINT64_C(10) << 3) /* the key that stands for the whole database */
#define WORD_PRESENT    (UINT64_C(9) << 3)
#define WORD_NIL        (UINT64_C(1) << 3)

/* ---- intake.c ---- */

void esse_mirror_intake(struct esse_mirror *m);

/* ---- entries.c ---- */

static inline struct mirror_entry *mirror_entry_at(const struct esse_mirror *m, uint32_t entry)
{
    return &m->blocks[entry / ENTRY_BLOCK][entry % ENTRY_BLOCK];
}

uint32_t esse_mirror_entry(struct esse_mirror *m, uint64_t key);

/* The version before this one, or NULL; start with &entry->at[0], if it is used. */
struct mirror_version *esse_mirror_older(struct esse_mirror *m, struct mirror_entry *entry,
                                         struct mirror_version *version);
void esse_mirror_install(struct esse_mirror *m, struct mirror_entry *entry,
                         const struct mirror_version *version);
void esse_mirror_add_odd(struct esse_mirror *m, struct mirror_entry *entry,
                         const struct mirror_version *version);
/* Versions that no read can see any more: M2. */
void esse_mirror_trim(struct esse_mirror *m, struct mirror_entry *entry);
uint32_t esse_mirror_columns(struct esse_mirror *m, const struct mirror_column *columns,
                             uint32_t count);
/* Whether the version sets the column, and to what; '*any' if that is not known. */
bool esse_mirror_sets(const struct esse_mirror *m, const struct mirror_version *version,
                      uint64_t column, uint64_t *value, bool *any);
void esse_mirror_add_holder(struct esse_mirror *m, struct mirror_entry *entry, uint32_t txn,
                            uint32_t op, unsigned mode);
void esse_mirror_drop_holders(struct esse_mirror *m, struct mirror_entry *entry, uint32_t txn);
/* Was the value ever written to the column?  Remembered for as long as there is room. */
void esse_mirror_note_written(struct esse_mirror *m, uint64_t key, uint64_t column, uint64_t value);
bool esse_mirror_was_written(const struct esse_mirror *m, uint64_t key, uint64_t column,
                             uint64_t value);

/* ---- txns.c ---- */

void esse_mirror_take(struct esse_mirror *m, const struct esse_mirror_event *event);
/* All that may leave the pipeline now. */
void esse_mirror_take_all(struct esse_mirror *m);
void esse_mirror_end_open(struct esse_mirror *m);
static inline bool mirror_is_statement(const struct mirror_op *op)
{
    return op->kind == ESSE_MIRROR_PREDICATE || op->kind == ESSE_MIRROR_UPDATE;
}
static inline bool mirror_is_write(const struct mirror_op *op)
{
    return op->kind >= ESSE_MIRROR_WRITE && op->kind <= ESSE_MIRROR_DELETE;
}

/* ---- endings.c: the end of a transaction ---- */

void esse_mirror_end(struct esse_mirror *m, uint32_t slot);

/* ---- locks.c, writers.c ---- */

void esse_mirror_lock_rule(struct esse_mirror *m, struct mirror_txn *t);
void esse_mirror_writer_rule(struct esse_mirror *m, struct mirror_txn *t);
/* May another have deleted the row before the transaction last wrote it? */
bool esse_mirror_may_be_gone(struct esse_mirror *m, uint32_t entry, const struct mirror_txn *t);

/* ---- reads.c ---- */

/* False if some of its reads must wait for a writer to end. */
bool esse_mirror_judge(struct esse_mirror *m, struct mirror_txn *t);
struct esse_instant esse_mirror_snapshot(const struct mirror_txn *t, const struct mirror_op *op);

/* The versions of a key that a statement's snapshot can hold, as candidates; false if something
 * unknown may be among them. */
bool esse_mirror_collect_rows(struct esse_mirror *m, struct mirror_txn *t, uint32_t statement,
                              uint32_t entry, struct esse_instant s);

/* ---- missed.c ---- */

/* Tells the rows that a predicate should have returned; false if nothing can be said of it. */
bool esse_mirror_missed_rows(struct esse_mirror *m, struct mirror_txn *t, uint32_t at);
void esse_missed_release(struct mirror_predicates *predicates);

/* ---- joint.c: the graph of instants ---- */

struct mirror_joint *esse_joint_new(struct esse_arena *arena);
/* r0 -> a1 or r1 -> a0; for FUW a is s, and the operations are not used. */
void esse_joint_pair(struct esse_mirror *m, enum esse_mechanism mechanism, uint64_t key,
                     uint32_t txn0, uint32_t op0, uint32_t txn1, uint32_t op1);
/* The read of operation 'op', by the transaction's snapshot or at the operation itself, may be of
 * those candidates that match. */
void esse_joint_read(struct esse_mirror *m, uint64_t key, uint32_t txn, uint32_t op,
                     bool at_snapshot, const struct mirror_candidate *candidates, size_t count);
/* Solves what nothing can be added to any more; everything, if it is the end. */
void esse_joint_close(struct esse_mirror *m, bool is_end);

/* ---- certify.c: dependencies, and validation at commit ---- */

struct mirror_certifier *esse_certifier_new(struct esse_arena *arena);
void esse_certifier_enter(struct esse_mirror *m, struct mirror_txn *t);
void esse_certifier_installed(struct esse_mirror *m, struct mirror_entry *entry,
                              const struct mirror_txn *t);
void esse_certifier_read(struct esse_mirror *m, struct mirror_entry *entry, struct mirror_txn *t,
                         uint64_t column, const struct mirror_version *version);
void esse_certifier_validate(struct esse_mirror *m, struct mirror_txn *t);
void esse_certifier_round(struct esse_mirror *m);

/* ---- window.c: what the engines decide; all but new and release also without windows ---- */

struct mirror_window *esse_window_new(struct esse_arena *arena, enum esse_level_id level);
void esse_window_release(struct mirror_window *window);
void esse_window_installed(struct esse_mirror *m, uint64_t key, uint64_t value, bool is_recorded);
void esse_window_aborted(struct esse_mirror *m, const struct mirror_txn *t);
/* The read may be of a version that was installed by then. */
void esse_window_saw(struct esse_mirror *m, struct mirror_op *op, int64_t installed);
void esse_window_saw_wrongly(struct esse_mirror *m, struct mirror_op *op,
                             const struct mirror_txn *writer);
/* Is the level of windows promised to it?  BEGIN may have named another isolation. */
static inline bool mirror_is_in_windows(const struct esse_mirror *m, const struct mirror_txn *t)
{
    return t->status == TXN_COMMITTED && !t->is_late && !t->has_gap &&
           t->row->level == m->options.profile->level;
}
/* All that it read is judged. */
void esse_window_record(struct esse_mirror *m, struct mirror_txn *t);
void esse_window_round(struct esse_mirror *m, bool is_end);
void esse_window_told(struct esse_mirror *m, const struct esse_finding *finding);

/* ---- garbage.c ---- */

void esse_mirror_round(struct esse_mirror *m);

/* ---- told.c ---- */

struct esse_finding esse_mirror_finding(enum esse_mechanism mechanism, enum esse_mirror_rule rule,
                                        uint64_t key);
void esse_mirror_finding_add(struct esse_finding *finding, const struct mirror_txn *txn);
void esse_mirror_tell(struct esse_mirror *m, struct esse_finding *finding);
void esse_mirror_withdraw(struct esse_mirror *m, uint64_t key);

#endif
