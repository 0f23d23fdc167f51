/*
 * Esse: does a database really give the isolation it claims?
 *
 * The life of a program that uses this library:
 *
 *     arena = esse_arena_new();
 *     esse_history_load(arena, "h.jsonl", NULL, &history, &err)     a file, or
 *     esse_builder_new(arena) ... esse_builder_freeze(...)          your own recording
 *     esse_check(arena, history, &options, &result, &err)
 *     ... read result->verdicts ...
 *     esse_arena_free(arena);
 *
 * Everything lives in the arena it was made in and has no free of its own.  Functions that can
 * fail for a reason outside the program return false and fill an esse_error; they leave their
 * outputs untouched then.  Nothing here prints or exits.  A frozen history never changes, so any
 * number of threads may read it; an arena belongs to one thread at a time.
 */
#ifndef ESSE_ESSE_H
#define ESSE_ESSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ESSE_API __attribute__((visibility("default")))

/* "0.1.0" */
ESSE_API const char *esse_version(void);

/* ---- Errors ------------------------------------------------------------------------------- */

/*
 * An operating error: something the world did (bad input, a failed read) that the user must be
 * told.  Bugs are asserts, and running out of memory aborts.  ESSE_ESTOPPED is the one that is
 * not an error of anyone: the budget ran out while a history was being read, and the caller
 * turns it into the verdict "unknown".
 */
enum esse_errc {
    ESSE_OK,
    ESSE_EINPUT,
    ESSE_EIO,
    ESSE_EUSAGE,
    ESSE_ESTOPPED,
    ESSE_EBUG,
    ESSE_EUNAVAILABLE /* a database that does not answer */
};

struct esse_error {
    enum esse_errc code;
    uint64_t line;       /* 1-based line of the input, 0 if not about a line */
    uint64_t column;     /* 1-based byte of that line, 0 if not known */
    bool in_certificate; /* the line is one of the certificate's own file */
    char text[480];      /* "cannot open 'x': No such file", no full stop */
};

/* ---- Memory ------------------------------------------------------------------------------- */

struct esse_arena;

ESSE_API struct esse_arena *esse_arena_new(void);
ESSE_API void esse_arena_free(struct esse_arena *arena);

/* ---- Budget ------------------------------------------------------------------------------- */

/* What of a budget ran out. */
enum esse_spent { ESSE_SPENT_NOTHING, ESSE_SPENT_TIME, ESSE_SPENT_MEMORY, ESSE_SPENT_INTERRUPTED };
ESSE_API const char *esse_spent_name(enum esse_spent spent); /* "time" */

/*
 * What a load and a check may spend.  Zero means no limit.  They end within 'seconds' and a tenth,
 * and 0.2 seconds more; and the process holds at most 1.2 times 'memory_bytes', if there is nothing
 * else in it.  'cancel' may be set from a signal handler or another thread; work stops soon after
 * and the verdict is "unknown".  'progress', if given, is called now and then from the thread that
 * called the library.
 */
struct esse_budget {
    double seconds;
    uint64_t memory_bytes;
    volatile int cancel;
    void (*progress)(void *context, const char *phase, uint64_t done, uint64_t total);
    void *progress_context;

    /* Kept by the library: zero them. */
    bool is_started;
    double deadline, looked, ended;
    double part_deadline;
    bool is_part_over;
    uint32_t countdown, between;
    const char *phase;
    enum esse_spent spent;
    uint64_t done, total, bytes_before;
    uint32_t polls_left, looks_left; /* for tests: it is spent, or over, at that poll */
};

/* ---- Values ------------------------------------------------------------------------------- */

/*
 * A key or a value: 64 bits, equal exactly when the words are equal (within one history).  Small
 * integers and short texts are the word itself; everything else is interned in the history.
 */
typedef struct {
    uint64_t word;
} esse_value;

/* Ids are one-field structs so that two id spaces cannot be mixed up. */
typedef struct {
    uint32_t ix;
} esse_txn;
typedef struct {
    uint32_t ix;
} esse_key;
typedef struct {
    uint32_t ix;
} esse_op;

/* ---- Histories ---------------------------------------------------------------------------- */

struct esse_history;
struct esse_builder;

enum esse_status { ESSE_COMMITTED, ESSE_ABORTED, ESSE_UNKNOWN_OUTCOME };

/* How to read a file.  All zero is right for most: the format and workload are recognised. */
struct esse_load_options {
    const char *format;   /* a name from esse_format_name(), or NULL to sniff */
    const char *workload; /* "list-append", "rw-register", "closed-predicate", or NULL */
    struct esse_budget *budget;
    /* A file of native lines 'version_order', 'order' and 'init' that belong to the history. */
    const char *certificate;
    /* The versions of registers are in the order of the transactions: that of 'order', or else of
     * their 'commit_ts'. */
    bool transaction_order;
    /* Threads, this one included, that may read and decompress; 0: one for each processor.  It
     * changes nothing but the time. */
    unsigned threads;
    /* The file may have been cut off: whole lines only, and a warning if something was left out. */
    bool salvage;
};

/* Reads a history; "-" is standard input, and a path may be a directory of Cobra's logs; gzip and
 * zstd are undone.  Cost: one pass. */
ESSE_API bool esse_history_load(struct esse_arena *arena, const char *path,
                                const struct esse_load_options *options, struct esse_history **out,
                                struct esse_error *err);

/* The formats that can be read, by position, NULL after the last. */
ESSE_API const char *esse_format_name(size_t at);

struct esse_counts {
    uint32_t sessions, transactions, committed, aborted, unknown, operations, keys;
};
ESSE_API struct esse_counts esse_history_counts(const struct esse_history *history);

/* The transaction's id as it was recorded, or SESSION/NUMBER.  'room' bytes at 'text', always
 * terminated. */
ESSE_API void esse_txn_name(const struct esse_history *history, esse_txn txn, char *text,
                            size_t room);

/*
 * Recording a history by hand.  Transactions of one session are added in session order:
 *
 *     esse_builder_begin(builder, esse_int(0), NULL);
 *     esse_builder_read(builder, esse_text(builder, "x"), esse_nil());
 *     esse_builder_write(builder, esse_text(builder, "x"), esse_int(1));
 *     esse_builder_end(builder, ESSE_COMMITTED, &err)
 *
 * Each call costs O(1) amortised.  The builder belongs to its arena; freezing takes its contents.
 */
ESSE_API struct esse_builder *esse_builder_new(struct esse_arena *arena);

ESSE_API esse_value esse_nil(void);          /* absent: the initial state, or a deleted key */
ESSE_API esse_value esse_int(int64_t value); /* exact to 61 bits; larger: esse_long() */
ESSE_API esse_value esse_long(struct esse_builder *builder, int64_t value);
ESSE_API esse_value esse_text(struct esse_builder *builder, const char *text);

/* 'session' is an integer or a text; 'name' a unique name for reports, or NULL. */
ESSE_API void esse_builder_begin(struct esse_builder *builder, esse_value session,
                                 const char *name);
/* Client times of the open transaction: any clock, as long as it is one. */
ESSE_API void esse_builder_times(struct esse_builder *builder, int64_t start, int64_t end);
ESSE_API void esse_builder_read(struct esse_builder *builder, esse_value key, esse_value value);
ESSE_API void esse_builder_read_list(struct esse_builder *builder, esse_value key,
                                     const esse_value *items, size_t count);
ESSE_API void esse_builder_write(struct esse_builder *builder, esse_value key, esse_value value);
ESSE_API void esse_builder_append(struct esse_builder *builder, esse_value key, esse_value item);
ESSE_API void esse_builder_delete(struct esse_builder *builder, esse_value key);
ESSE_API bool esse_builder_end(struct esse_builder *builder, enum esse_status status,
                               struct esse_error *err);
ESSE_API bool esse_builder_freeze(struct esse_builder *builder, struct esse_history **out,
                                  struct esse_error *err);

/* ---- Checking ----------------------------------------------------------------------------- */

enum esse_outcome { ESSE_HOLDS, ESSE_VIOLATED, ESSE_UNKNOWN };
ESSE_API const char *esse_outcome_name(enum esse_outcome outcome); /* "holds" */

/* The levels, strongest first: an implication always leads to a later one.  'esse levels NAME'
 * defines each.  Values may change between versions of the library, the names of the constants do
 * not. */
enum esse_level_id {
    ESSE_LEVEL_NONE, /* none; ends a list */
    ESSE_LEVEL_STRICT_SERIALIZABLE,
    ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION,
    ESSE_LEVEL_STRONG_READ_COMMITTED,
    ESSE_LEVEL_STRONG_READ_UNCOMMITTED,
    ESSE_LEVEL_STRONG_SESSION_SERIALIZABLE,
    ESSE_LEVEL_STRONG_SESSION_SNAPSHOT_ISOLATION,
    ESSE_LEVEL_STRONG_SESSION_READ_COMMITTED,
    ESSE_LEVEL_STRONG_SESSION_READ_UNCOMMITTED,
    ESSE_LEVEL_SERIALIZABLE,
    ESSE_LEVEL_REPEATABLE_READ,
    ESSE_LEVEL_SNAPSHOT_ISOLATION,
    ESSE_LEVEL_PARALLEL_SNAPSHOT_ISOLATION,
    ESSE_LEVEL_PREFIX,
    ESSE_LEVEL_UPDATE_ATOMIC,
    ESSE_LEVEL_CAUSAL_CERONE,
    ESSE_LEVEL_READ_ATOMIC,
    ESSE_LEVEL_AXIOMATIC_READ_COMMITTED,
    ESSE_LEVEL_MONOTONIC_ATOMIC_VIEW,
    ESSE_LEVEL_UPDATE_SERIALIZABLE,
    ESSE_LEVEL_FORWARD_CONSISTENT_VIEW,
    ESSE_LEVEL_CONSISTENT_VIEW,
    ESSE_LEVEL_MONOTONIC_VIEW,
    ESSE_LEVEL_CURSOR_STABILITY,
    ESSE_LEVEL_MONOTONIC_SNAPSHOT_READ,
    ESSE_LEVEL_READ_COMMITTED,
    ESSE_LEVEL_READ_UNCOMMITTED,
    ESSE_LEVEL_VIEW_SERIALIZABLE,
    ESSE_LEVEL_SESSION_SERIALIZABLE,
    ESSE_LEVEL_ONE_COPY_SERIALIZABLE,
    ESSE_LEVEL_LINEARIZABLE,
    ESSE_LEVEL_SEQUENTIAL,
    ESSE_LEVEL_CAUSAL,
    ESSE_LEVEL_PRAM,
    ESSE_LEVEL_WRITES_FOLLOW_READS,
    ESSE_LEVEL_MONOTONIC_READS,
    ESSE_LEVEL_MONOTONIC_WRITES,
    ESSE_LEVEL_READ_YOUR_WRITES,
    ESSE_LEVEL_END
};
ESSE_API const char *esse_level_name(enum esse_level_id level); /* "serializable" */

/* Why one version of a register comes before another, where no list and no certificate shows it. */
enum esse_basis {
    ESSE_BASIS_NONE,
    ESSE_BASIS_WFR_KEYS,          /* "wfr-keys": a transaction that reads a key and then writes it
                                     overwrites what it read, or something later */
    ESSE_BASIS_SEQUENTIAL_KEYS,   /* "sequential-keys": no session sees a key go back */
    ESSE_BASIS_LINEARIZABLE_KEYS, /* "linearizable-keys": no transaction that starts after another's
                                     end sees a key go back behind it */
    ESSE_BASIS_INITIAL_STATE,     /* "initial-state": the initial version comes first */
    ESSE_BASIS_END
};
ESSE_API const char *esse_basis_name(enum esse_basis basis); /* NONE: "" */

/*
 * What may be taken for granted about the order of a register's versions, as by Elle's options: a
 * set of these, a bit each.  What follows from such an assumption says so ('basis'), and a level
 * that is violated only with its help is violated under that assumption ('assumed').
 */
enum esse_assumption {
    ESSE_ASSUME_WFR_KEYS = 1 << ESSE_BASIS_WFR_KEYS,
    ESSE_ASSUME_SEQUENTIAL_KEYS = 1 << ESSE_BASIS_SEQUENTIAL_KEYS,
    ESSE_ASSUME_LINEARIZABLE_KEYS = 1 << ESSE_BASIS_LINEARIZABLE_KEYS,
};

#define ESSE_NO_OP UINT32_MAX

/* One step of an anomaly: what this operation of this transaction has to do with it. */
struct esse_step {
    esse_txn txn;
    esse_op op;      /* ix == ESSE_NO_OP if the step is about the whole transaction */
    const char *why; /* a clause in plain words */
    /* Of cyclic-versions: why the version of this step comes before that of the next; NONE where
     * the next step shows the same version. */
    enum esse_basis basis;
};

/* Why one transaction must follow another. */
enum esse_dep {
    ESSE_DEP_WW,       /* "ww": it wrote a later version than the first */
    ESSE_DEP_WR,       /* "wr": it read what the first wrote */
    ESSE_DEP_RW,       /* "rw": it wrote a later version than the first read */
    ESSE_DEP_WWP,      /* "wwp": it changed what a predicate matches after the first did */
    ESSE_DEP_WRP,      /* "wrp": it saw by a predicate what the first wrote */
    ESSE_DEP_RWP,      /* "rwp": it changed what the first's predicate matched */
    ESSE_DEP_PROCESS,  /* "process": it came later in the same session */
    ESSE_DEP_REALTIME, /* "realtime": it began after the first had ended */
    ESSE_DEP_START,    /* "start": it began when the first had committed */
    ESSE_DEP_OVERLAP,  /* "overlap": it committed only after the first had begun */
    ESSE_DEP_CO,       /* "co": a level's axiom forces it to be committed after the first */
    ESSE_DEP_END
};
ESSE_API const char *esse_dep_name(enum esse_dep dep); /* "ww" */

/* One edge of a cycle: 'to' must follow 'from', because of these operations. */
struct esse_edge {
    esse_txn from, to;
    enum esse_dep dep;
    bool
        has_key; /* not for PROCESS, REALTIME, START and OVERLAP, which are of whole transactions */
    esse_key key;
    esse_op from_op, to_op; /* what each did; ix == ESSE_NO_OP for those of whole transactions */
    esse_op witness;        /* a read that shows the order of two writes, or ESSE_NO_OP */
    const char *why;        /* a clause in plain words */
    /* For CO, an edge that a level's axiom forces on the commit order: 'witness' read what 'to'
     * wrote (to.ix == ESSE_NO_TXN: the initial version), and these edges lead from 'from', which
     * wrote the key too, to the reader. */
    const struct esse_edge *because;
    uint32_t because_count;
    /* The assumption without which the edge does not follow, or NONE: 'witness' then shows the
     * version of 'from', and 'later_witness' that of 'to'. */
    enum esse_basis basis;
    esse_op later_witness;
};

#define ESSE_NO_TXN UINT32_MAX

/* Something that a history leaves open.  Literal 2c says that choice c is so, 2c + 1 that it is
 * not. */
enum esse_choice_kind {
    ESSE_CHOICE_ORDER,  /* the version of 'first' comes before that of 'second'; else after it */
    ESSE_CHOICE_SOURCE, /* 'second' returned, or by its predicate saw, the version of 'first' */
    ESSE_CHOICE_BOTH,   /* two literals are true */
};

struct esse_choice {
    enum esse_choice_kind kind;
    esse_key key;
    esse_op first, second; /* first.ix == ESSE_NO_OP: the initial version */
    uint32_t parts[2];     /* of BOTH */
};

/* One clause of a refutation, in literals; and why it must be true. */
enum esse_clause_kind {
    ESSE_CLAUSE_CYCLE,   /* were all of its literals false, these edges would be a cycle */
    ESSE_CLAUSE_SOURCES, /* a read is of one of the versions that it can be of */
    ESSE_CLAUSE_BOTH,    /* by the definition of a choice of that kind */
    ESSE_CLAUSE_FOLLOWS, /* from the clauses before it, by unit propagation */
};

struct esse_clause {
    enum esse_clause_kind kind;
    const uint32_t *literals;
    uint32_t count;
    const struct esse_edge *edges;
    uint32_t edge_count;
    esse_op read; /* of SOURCES, and its key: these literals are all that it can be of */
    esse_key key;
};

/* Whatever is chosen, there is a cycle: the last clause is empty. */
struct esse_refutation {
    const struct esse_choice *choices;
    uint32_t choice_count;
    const struct esse_clause *clauses;
    uint32_t clause_count;
};

/* What is supposed of a transaction of unknown outcome. */
struct esse_supposition {
    esse_txn txn;
    bool committed; /* otherwise it did nothing */
};

/* The anomalies.  'esse levels NAME' defines each; their names are Elle's, as far as it has them.
 * Values may change between versions of the library, the names of the constants do not. */
enum esse_anomaly_id {
    ESSE_ANOMALY_NONE, /* none; ends a list */
    ESSE_ANOMALY_G1A,
    ESSE_ANOMALY_G1B,
    ESSE_ANOMALY_GARBAGE_READ,
    ESSE_ANOMALY_INTERNAL,
    ESSE_ANOMALY_OWN_WRITE_MISSED,
    ESSE_ANOMALY_FUTURE_READ,
    ESSE_ANOMALY_DUPLICATE_ELEMENTS,
    ESSE_ANOMALY_DUPLICATE_WRITE,
    ESSE_ANOMALY_INCOMPATIBLE_ORDER,
    ESSE_ANOMALY_CYCLIC_VERSIONS,
    ESSE_ANOMALY_DIRTY_UPDATE,
    ESSE_ANOMALY_LOST_UPDATE,
    ESSE_ANOMALY_LOST_COMMIT,
    ESSE_ANOMALY_PREDICATE_READ_MISS,
    ESSE_ANOMALY_RESULT_SET_MISMATCH,
    ESSE_ANOMALY_G0,
    ESSE_ANOMALY_G1C,
    ESSE_ANOMALY_G_SINGLE_ITEM,
    ESSE_ANOMALY_G_SINGLE,
    ESSE_ANOMALY_G_NONADJACENT_ITEM,
    ESSE_ANOMALY_G_NONADJACENT,
    ESSE_ANOMALY_G2_ITEM,
    ESSE_ANOMALY_G2,
    ESSE_ANOMALY_G0_PROCESS,
    ESSE_ANOMALY_G1C_PROCESS,
    ESSE_ANOMALY_G_SINGLE_ITEM_PROCESS,
    ESSE_ANOMALY_G_SINGLE_PROCESS,
    ESSE_ANOMALY_G_NONADJACENT_ITEM_PROCESS,
    ESSE_ANOMALY_G_NONADJACENT_PROCESS,
    ESSE_ANOMALY_G2_ITEM_PROCESS,
    ESSE_ANOMALY_G2_PROCESS,
    ESSE_ANOMALY_G0_REALTIME,
    ESSE_ANOMALY_G1C_REALTIME,
    ESSE_ANOMALY_G_SINGLE_ITEM_REALTIME,
    ESSE_ANOMALY_G_SINGLE_REALTIME,
    ESSE_ANOMALY_G_NONADJACENT_ITEM_REALTIME,
    ESSE_ANOMALY_G_NONADJACENT_REALTIME,
    ESSE_ANOMALY_G2_ITEM_REALTIME,
    ESSE_ANOMALY_G2_REALTIME,
    /* No commit order keeps the level's axiom. */
    ESSE_ANOMALY_CO_READ_COMMITTED,
    ESSE_ANOMALY_CO_MONOTONIC_ATOMIC_VIEW,
    ESSE_ANOMALY_CO_READ_ATOMIC,
    ESSE_ANOMALY_CO_CAUSAL_CERONE,
    ESSE_ANOMALY_CO_CAUSAL,
    ESSE_ANOMALY_CO_PRAM,
    ESSE_ANOMALY_CO_READ_YOUR_WRITES,
    ESSE_ANOMALY_CO_MONOTONIC_READS,
    ESSE_ANOMALY_CO_MONOTONIC_WRITES,
    ESSE_ANOMALY_CO_WRITES_FOLLOW_READS,
    ESSE_ANOMALY_CO_PREFIX,
    ESSE_ANOMALY_CO_PARALLEL,
    ESSE_ANOMALY_CO_UPDATE_ATOMIC,
    /* No order of the versions, and no choice of what was read, satisfies the level. */
    ESSE_ANOMALY_NO_ORDER_STRICT_SERIALIZABLE,
    ESSE_ANOMALY_NO_ORDER_STRONG_SESSION_SERIALIZABLE,
    ESSE_ANOMALY_NO_ORDER_SERIALIZABLE,
    ESSE_ANOMALY_NO_ORDER_STRONG_SNAPSHOT_ISOLATION,
    ESSE_ANOMALY_NO_ORDER_STRONG_SESSION_SNAPSHOT_ISOLATION,
    ESSE_ANOMALY_NO_ORDER_SNAPSHOT_ISOLATION,
    ESSE_ANOMALY_NO_ORDER_REPEATABLE_READ,
    ESSE_ANOMALY_NO_ORDER_PREFIX,
    ESSE_ANOMALY_NO_ORDER_PARALLEL,
    ESSE_ANOMALY_NO_ORDER_CONSISTENT_VIEW,
    ESSE_ANOMALY_NO_ORDER_CAUSAL_CERONE,
    ESSE_ANOMALY_NO_ORDER_READ_ATOMIC,
    /* The order that was given does not replay, or is against sessions or time. */
    ESSE_ANOMALY_ORDER_MISMATCH,
    ESSE_ANOMALY_ORDER_MISMATCH_PROCESS,
    ESSE_ANOMALY_ORDER_MISMATCH_REALTIME,
    ESSE_ANOMALY_SNAPSHOT_MISMATCH,
    ESSE_ANOMALY_SNAPSHOT_MISMATCH_PROCESS,
    ESSE_ANOMALY_SNAPSHOT_MISMATCH_REALTIME,
    ESSE_ANOMALY_G1,
    ESSE_ANOMALY_G1_PROCESS,
    ESSE_ANOMALY_G1_REALTIME,
    ESSE_ANOMALY_WRITE_SKEW,
    ESSE_ANOMALY_G_CURSOR,
    ESSE_ANOMALY_G_MONOTONIC,
    ESSE_ANOMALY_G_MSR,
    ESSE_ANOMALY_G_UPDATE,
    ESSE_ANOMALY_G_SI,
    ESSE_ANOMALY_G_SIB,
    ESSE_ANOMALY_GSI,
    ESSE_ANOMALY_GSIA,
    ESSE_ANOMALY_GSIB,
    ESSE_ANOMALY_END
};
ESSE_API const char *esse_anomaly_name(enum esse_anomaly_id type); /* "G1a" */

/* What an order of transactions that came with a history was taken from. */
enum esse_order_by {
    ESSE_ORDER_BY_NONE,
    ESSE_ORDER_BY_LINE,       /* "order": its line 'order' */
    ESSE_ORDER_BY_COMMIT_TS,  /* "commit_ts" */
    ESSE_ORDER_BY_START_TS,   /* "start_ts" */
    ESSE_ORDER_BY_TIMESTAMPS, /* "timestamps": snapshots at start_ts, commits at commit_ts */
    ESSE_ORDER_BY_END
};
ESSE_API const char *esse_order_by_name(enum esse_order_by by); /* NONE: "" */

/* What came with a history that a verdict rests on: its certificate, of the kind that the line
 * 'certificate' says, or the order that the transactions were said to be in. */
enum esse_certificate_kind {
    ESSE_CERTIFICATE_NONE,
    ESSE_CERTIFICATE_LINE = ESSE_ORDER_BY_LINE,
    ESSE_CERTIFICATE_COMMIT_TS = ESSE_ORDER_BY_COMMIT_TS,
    ESSE_CERTIFICATE_START_TS = ESSE_ORDER_BY_START_TS,
    /* "timestamps": writes are at their commit_ts; an operation looks at the state at its snapshot,
     * an integer, or else at its transaction's start_ts. */
    ESSE_CERTIFICATE_TIMESTAMPS = ESSE_ORDER_BY_TIMESTAMPS,
    /* "commit-order": commits are in the serialization order, or else in that of commit_ts; a
     * snapshot is an integer, how many of them the operation sees. */
    ESSE_CERTIFICATE_COMMIT_ORDER,
    /* "postgresql-snapshots": commits as above; a snapshot is a text "xmin:xmax:xip,xip" about the
     * xids. */
    ESSE_CERTIFICATE_POSTGRESQL_SNAPSHOTS,
    ESSE_CERTIFICATE_END
};
ESSE_API const char *esse_certificate_name(enum esse_certificate_kind kind); /* NONE: "" */

/* One thing that must not happen and did: steps, a cycle of edges, or a refutation. */
struct esse_anomaly {
    enum esse_anomaly_id type;
    const char *description; /* one sentence about this occurrence */
    bool has_key;
    esse_key key;
    const struct esse_step *steps;
    uint32_t step_count;
    const struct esse_edge *edges; /* each ends where the next begins, the last at the first */
    uint32_t edge_count;
    const struct esse_refutation *refutation; /* or NULL */
    enum esse_order_by order_by;              /* of an order that does not replay; otherwise NONE */
    uint64_t alike; /* occurrences of the type that were seen, this one included; 0: not counted */
    /* It happened if all of these are so.  Where every anomaly of a verdict supposes something, one
     * of them happened whatever the outcomes were. */
    const struct esse_supposition *supposed;
    uint32_t supposed_count;
};

/*
 * Why a level holds: an order that proves it when it is replayed.  Without starts, 'events' is the
 * order of the transactions.  With starts (snapshot isolation), event 2t is the snapshot of
 * transaction t and 2t + 1 its commit.  Of accesses (levels about single operations), it is the
 * order of the accesses: the operations as they were recorded, each row of a predicate one by one.
 */
struct esse_read_source {
    esse_op read;
    esse_key key;
    esse_op write; /* ix == ESSE_NO_OP: the initial version */
};

struct esse_order {
    const uint32_t *events;
    uint32_t count;
    bool has_starts, of_accesses;
    enum esse_level_id proves; /* by the order: it is the level asked, or implies it */
    /* Where several wrote the value that was read, or a predicate left a row out: which version it
     * was, by read and key, ascending.  Only for levels at which it need not be the newest; a read
     * that is not named is of the newest. */
    const struct esse_read_source *sources;
    uint32_t source_count;
};

/*
 * One way in which the elements of lists can have come to be that several operations appended:
 * which operation appended which.  Of a level that holds there is the one in which the order proves
 * it; of one that is violated there are all, with what rules the level out in each.
 */
struct esse_way {
    const uint32_t *by; /* for each place of such an element: an operation; ESSE_NO_OP: none */
    uint32_t count;
    const struct esse_anomaly *anomalies; /* of a violated level: those of this way */
    uint32_t anomaly_count;
};

/* What an engine did on its way to a verdict, for --explain-plan. */
enum { ESSE_PHASE_COUNTS = 6 };
struct esse_phase {
    const char *name; /* "pruning" */
    double seconds;
    struct {
        const char *what; /* "orders inferred"; NULL after the last */
        uint64_t count;
    } counts[ESSE_PHASE_COUNTS];
};

/* Of what kind the evidence of a verdict is. */
enum esse_evidence_kind {
    ESSE_EVIDENCE_NONE,       /* "none" */
    ESSE_EVIDENCE_ANOMALY,    /* "anomaly": what a few operations show */
    ESSE_EVIDENCE_CYCLE,      /* "cycle" */
    ESSE_EVIDENCE_ORDER,      /* "order": one that proves the level */
    ESSE_EVIDENCE_REPLAY,     /* "replay": an order that was given and does not replay */
    ESSE_EVIDENCE_REFUTATION, /* "refutation" */
    ESSE_EVIDENCE_CASES,      /* "cases": an anomaly for each way that unknown outcomes can be */
    ESSE_EVIDENCE_END
};
ESSE_API const char *esse_evidence_name(enum esse_evidence_kind kind); /* "cycle" */

/* Why a level is neither proved nor violated.  Values may change between versions of the library,
 * the names of the constants do not. */
enum esse_reason_id {
    ESSE_REASON_NONE,
    /* The budget ran out, or while the history was read. */
    ESSE_REASON_TIME,
    ESSE_REASON_MEMORY,
    ESSE_REASON_INTERRUPTED,
    ESSE_REASON_READING_TIME,
    ESSE_REASON_READING_MEMORY,
    ESSE_REASON_READING_INTERRUPTED,
    /* The level would hold, by less than was asked for. */
    ESSE_REASON_NOTHING_COMMITTED,
    ESSE_REASON_FEW_COMMITTED,
    /* The options leave it open. */
    ESSE_REASON_NAMED_ANOMALIES,
    ESSE_REASON_EXCEPTED,
    ESSE_REASON_NAMED_ENGINE,
    /* Transactions of unknown outcome. */
    ESSE_REASON_OUTCOMES_OPEN,
    ESSE_REASON_OUTCOMES_NEEDED,
    ESSE_REASON_OUTCOMES_TRIED,
    ESSE_REASON_OUTCOME_UNPLACED,
    ESSE_REASON_STREAM_OUTCOME,
    /* Elements of lists that several operations appended. */
    ESSE_REASON_WAYS,
    ESSE_REASON_SOME_WAYS,
    /* No engine could tell. */
    ESSE_REASON_NO_ENGINE,
    ESSE_REASON_NO_ORDER_SHOWN,
    ESSE_REASON_NO_AXIOM,
    ESSE_REASON_NOT_BY_POLYGRAPH,
    ESSE_REASON_POINTS,
    ESSE_REASON_VERSION_ORDER,
    ESSE_REASON_GRAPH,
    ESSE_REASON_SEVERAL_SOURCES,
    ESSE_REASON_COMMIT_ORDERS,
    ESSE_REASON_ODD_READ,
    ESSE_REASON_VERSION_SETS,
    ESSE_REASON_ROWS_LEFT_OUT,
    ESSE_REASON_ORDERS,
    /* The order that was given is none, or does not help. */
    ESSE_REASON_ORDER_MISSING,
    ESSE_REASON_ORDER_HAS_ABORTED,
    ESSE_REASON_ORDER_LACKS,
    ESSE_REASON_ORDER_NO_START_TS,
    ESSE_REASON_ORDER_NO_COMMIT_TS,
    ESSE_REASON_ORDER_NO_TIMES,
    ESSE_REASON_ORDER_TIE,
    ESSE_REASON_ORDER_DIFFERS,
    ESSE_REASON_ORDER_REFUSED,
    ESSE_REASON_STREAM_ORDER,
    ESSE_REASON_STREAM_SNAPSHOT,
    ESSE_REASON_END
};

/* With what its sentence speaks of; esse_reason_text() makes that. */
struct esse_reason {
    enum esse_reason_id id;
    enum esse_anomaly_id anomaly;
    enum esse_order_by by;
    const char *txn, *other; /* names of transactions */
    const char *said;        /* what was being done; the words of the recheck */
    uint64_t counts[2];
    const struct esse_phase *after; /* how far it had come; or NULL */
};

/* The answer for one level. */
struct esse_verdict {
    enum esse_level_id level; /* NONE: of a check that is about anomalies alone */
    enum esse_outcome outcome;
    const char *engine;
    const char *plan;          /* why that engine */
    bool is_engine_named;      /* by the caller */
    struct esse_reason reason; /* for ESSE_UNKNOWN: what was missing or ran out; otherwise NONE */
    double seconds;
    const struct esse_anomaly *anomalies; /* those that rule the level out, worst first */
    uint32_t anomaly_count;
    uint64_t anomalies_seen; /* including the occurrences that were counted but not kept */
    enum esse_evidence_kind evidence;
    struct esse_order order; /* for ESSE_HOLDS */
    /* Where elements were appended by several operations, and the verdict depends on which made
     * which; none otherwise.  The anomalies are those of the first way then. */
    const struct esse_way *ways;
    uint32_t way_count;
    unsigned assumed; /* what the anomalies rest on beside the history: enum esse_assumption */
    const enum esse_anomaly_id *named; /* anomalies that count whatever the level allows */
    uint32_t named_count;
    enum esse_certificate_kind certificate; /* without which the verdict does not follow, or NONE */
    /* Of a level that is violated under a certificate: does it hold in another order than that of
     * the certificate?  VIOLATED: in no order. */
    bool has_otherwise;
    enum esse_outcome otherwise;
    const struct esse_phase *phases;
    uint32_t phase_count;
    bool rechecked; /* by the independent recheck, before the verdict left the library */
};

/* Why the verdict is unknown, as a clause that follows "because", in the arena; NULL if there is no
 * reason. */
ESSE_API const char *esse_reason_text(struct esse_arena *arena, const struct esse_verdict *verdict);

/* How many reads there were, and how many could have gone wrong: their transaction overlapped with
 * another one that wrote the same key; without times, another session wrote it. */
struct esse_tested {
    bool is_counted, by_time;
    uint64_t reads, contended;
};

struct esse_result {
    const struct esse_verdict *verdicts; /* one a level, in the order asked */
    uint32_t verdict_count;
    const enum esse_anomaly_id *anomaly_types; /* those that rule out a level asked, by name */
    uint32_t anomaly_type_count;
    const struct esse_anomaly *also_found; /* anomalies that rule out none of them */
    uint32_t also_found_count;
    const char *const *not_levels; /* the weakest levels ruled out by all that was found */
    uint32_t not_count;
    const char *const *also_not; /* the stronger ones that are ruled out with them */
    uint32_t also_not_count;
    const char *const *strongest; /* the strongest levels that were shown to hold */
    uint32_t strongest_count;
    /* Fewer transactions were committed than 'min_committed' asked for: no level holds by that. */
    bool too_few_committed;
    struct esse_tested tested; /* where a level holds */
};

/* Parts of the engine 'polygraph', and one of 'dsg', that can be left out, to see what each is
 * worth. The verdict is the same without them. */
enum esse_ablation {
    ESSE_ABLATE_ESTIMATE = 1 << 0, /* "estimate": where to begin, by time, recording or session */
    ESSE_ABLATE_SCHEDULE =
        1 << 1, /* "schedule": running the history once to begin with less broken */
    ESSE_ABLATE_LENDING = 1 << 2, /* "lending": trying session order and time where none is asked */
    ESSE_ABLATE_PRUNING = 1 << 3, /* "pruning": what reachability forces */
    ESSE_ABLATE_LAZINESS = 1 << 4,     /* "laziness": only choices that an order at hand breaks */
    ESSE_ABLATE_PATIENCE = 1 << 5,     /* "patience": solving a little before what costs more */
    ESSE_ABLATE_MENDING = 1 << 6,      /* "mending": putting right what the first order breaks */
    ESSE_ABLATE_CLOSURE = 1 << 7,      /* "closure": keeping what leads to what while pruning */
    ESSE_ABLATE_SMALL_CYCLES = 1 << 8, /* "small-cycles": clauses about two choices, beforehand */
    ESSE_ABLATE_LOCALITY = 1 << 9,     /* "locality": refuting by what is wrong in one place */
    ESSE_ABLATE_NEARNESS = 1 << 10,    /* of dsg: looking at what is near before trees are made */
    ESSE_ABLATE_LAYOUT = 1 << 11,      /* "layout": where to begin, by least squares */
    ESSE_ABLATE_SWEEPING = 1 << 12,    /* "sweeping": what is forced near by, before all pruning */
    ESSE_ABLATE_ALIGNING = 1 << 13,    /* "aligning": sessions side by side, where values repeat */
    ESSE_ABLATE_SUPPOSING = 1 << 14,   /* "supposing": that reads are of versions near by */
};

struct esse_check_options {
    const char *const *levels; /* NULL: strict-serializable; "all" alone: the whole lattice */
    size_t level_count;
    const char *engine; /* NULL: the planner chooses */
    struct esse_budget *budget;
    unsigned assume; /* enum esse_assumption */
    /* Anomalies by name.  Those named here, and all that imply them, count against every level,
     * also one that allows them; "none" as the only level leaves nothing but them. */
    const char *const *anomalies;
    size_t anomaly_count;
    /* And those that are neither told nor counted.  A level that only they rule out is unknown. */
    const char *const *except;
    size_t except_count;
    unsigned threads; /* this one included; 0: one for each processor.  It changes only the time. */
    unsigned ablate;  /* enum esse_ablation */
    /* "order", "commit_ts" or "start_ts": the order of the transactions is known to be this one.
     * NULL: it is not, unless the history's certificate says so. */
    const char *order_by;
    /* With fewer committed transactions than this a level that would hold is unknown: too little
     * was tested.  0: the definitions alone decide, and in a history of nothing every level holds.
     * The program asks for 1. */
    uint64_t min_committed;
};

/*
 * Checks a history against levels.  Fails with ESSE_EUSAGE on an unknown name, with
 * ESSE_EINPUT when a predicate is needed and cannot be parsed or evaluated, and with ESSE_EBUG when
 * an engine's evidence did not survive the recheck; never with a wrong verdict.  In that last case
 * '*out' holds the verdicts that were refused, for a bug report and nothing else; or NULL, if they
 * were of a case that was tried, a way in which lists came to be.
 */
ESSE_API bool esse_check(struct esse_arena *arena, const struct esse_history *history,
                         const struct esse_check_options *options, const struct esse_result **out,
                         struct esse_error *err);

#ifdef __cplusplus
}
#endif
#endif
