#ifndef ESSE_TESTS_ATTACK_ATTACK_H
#define ESSE_TESTS_ATTACK_ATTACK_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The standing attack (docs/design/attack.md): random histories of a few transactions, decided here
 * by brute force from the definitions and by Esse, and compared.  Nothing of the truth comes from
 * src/: this file is its own model of a history.
 */

#ifndef MOST_TXNS /* tools/check-attack-truth needs more */
#define MOST_TXNS 6
#define MOST_OPS  4
#define MOST_KEYS 3
#endif
enum { MOST_ITEMS = 8 };
enum { NIL = INT_MIN }; /* absent */

enum op_kind {
    OP_READ,
    OP_WRITE,
    OP_DELETE,
    OP_READ_LIST,
    OP_APPEND,
    OP_PREDICATE,
    OP_UPDATE,
    OP_AGGREGATE,
};

enum aggregate { COUNT, SUM, MIN, MAX };

struct op {
    enum op_kind kind;
    int key;
    int value;
    bool lost; /* of a read: its result is not known */
    int count; /* of a list */
    int items[MOST_ITEMS];
    int low, high; /* of a predicate: low <= v <= high */
    enum aggregate aggregate;
    bool returned[MOST_KEYS];
    int row[MOST_KEYS], changed[MOST_KEYS];
    bool has_vset; /* what it looked at, of each key that its transaction had not written */
    int vset[MOST_KEYS];
};

enum status { COMMITTED, ABORTED, UNKNOWN };

struct txn {
    int id; /* its name, which shrinking keeps */
    int session;
    enum status status;
    bool has_times;
    int start, end;
    int op_count;
    struct op ops[MOST_OPS];
};

struct history {
    int txn_count, key_count;
    bool is_list[MOST_KEYS];
    int init[MOST_KEYS];
    struct txn txns[MOST_TXNS];
    /* A version order of a register, or part of one: transactions, oldest first. */
    int version_count[MOST_KEYS];
    int versions[MOST_KEYS][MOST_TXNS];
    int order_count; /* a line 'order' */
    int order[MOST_TXNS];
};

/* ---- what is asked of Esse ---- */

enum assumption { WFR_KEYS = 1, SEQUENTIAL_KEYS = 2, LINEARIZABLE_KEYS = 4 };

struct question {
    const char *engine; /* NULL: the planner chooses */
    unsigned assume;
    bool order_by;
};

/* ---- levels ---- */

#define LEVELS(X)                                                                                  \
    X(STRICT_SERIALIZABLE, "strict-serializable")                                                  \
    X(STRONG_SNAPSHOT_ISOLATION, "strong-snapshot-isolation")                                      \
    X(STRONG_READ_COMMITTED, "strong-read-committed")                                              \
    X(STRONG_READ_UNCOMMITTED, "strong-read-uncommitted")                                          \
    X(STRONG_SESSION_SERIALIZABLE, "strong-session-serializable")                                  \
    X(STRONG_SESSION_SNAPSHOT_ISOLATION, "strong-session-snapshot-isolation")                      \
    X(STRONG_SESSION_READ_COMMITTED, "strong-session-read-committed")                              \
    X(STRONG_SESSION_READ_UNCOMMITTED, "strong-session-read-uncommitted")                          \
    X(SERIALIZABLE, "serializable")                                                                \
    X(REPEATABLE_READ, "repeatable-read")                                                          \
    X(SNAPSHOT_ISOLATION, "snapshot-isolation")                                                    \
    X(CONSISTENT_VIEW, "consistent-view")                                                          \
    X(READ_COMMITTED, "read-committed")                                                            \
    X(READ_UNCOMMITTED, "read-uncommitted")                                                        \
    X(PARALLEL_SNAPSHOT_ISOLATION, "parallel-snapshot-isolation")                                  \
    X(PREFIX, "prefix")                                                                            \
    X(UPDATE_ATOMIC, "update-atomic")                                                              \
    X(CAUSAL_CERONE, "causal-cerone")                                                              \
    X(READ_ATOMIC, "read-atomic")                                                                  \
    X(AXIOMATIC_READ_COMMITTED, "axiomatic-read-committed")                                        \
    X(MONOTONIC_ATOMIC_VIEW, "monotonic-atomic-view")                                              \
    X(UPDATE_SERIALIZABLE, "update-serializable")                                                  \
    X(FORWARD_CONSISTENT_VIEW, "forward-consistent-view")                                          \
    X(MONOTONIC_VIEW, "monotonic-view")                                                            \
    X(CURSOR_STABILITY, "cursor-stability")                                                        \
    X(MONOTONIC_SNAPSHOT_READ, "monotonic-snapshot-read")                                          \
    X(VIEW_SERIALIZABLE, "view-serializable")                                                      \
    X(SESSION_SERIALIZABLE, "session-serializable")                                                \
    X(ONE_COPY_SERIALIZABLE, "1SR")                                                                \
    X(LINEARIZABLE, "linearizable")                                                                \
    X(SEQUENTIAL, "sequential")                                                                    \
    X(CAUSAL, "causal")                                                                            \
    X(PRAM, "PRAM")                                                                                \
    X(WRITES_FOLLOW_READS, "writes-follow-reads")                                                  \
    X(MONOTONIC_READS, "monotonic-reads")                                                          \
    X(MONOTONIC_WRITES, "monotonic-writes")                                                        \
    X(READ_YOUR_WRITES, "read-your-writes")

#define LEVEL_ID(id, name) id,
enum level { LEVELS(LEVEL_ID) LEVEL_COUNT };
#undef LEVEL_ID

extern const char *const level_names[LEVEL_COUNT];
int level_by_name(const char *name); /* -1: none */

static inline uint64_t bit(int at)
{
    return (uint64_t)1 << at;
}

/* What is true: bit l of 'defined' if the definitions decide level l, of 'holds' if it holds. */
struct truth {
    uint64_t defined, holds;
};

/* By brute force; with 'assume', version orders that keep to the assumptions only. */
struct truth truth_of(const struct history *history, unsigned assume);
/* Prints the truths of the histories in a file that tools/check-attack-truth wrote. */
int print_truths(const char *path);
/* Of the serializable family, if the transactions ran in the order that is given. */
struct truth truth_in_order(const struct history *history);

/* ---- histories ---- */

struct dice {
    uint64_t state;
};

static inline int roll(struct dice *dice, int sides)
{
    uint64_t z = (dice->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (int)((z >> 32) * (uint64_t)sides >> 32);
}

static inline bool chance(struct dice *dice, int percent)
{
    return roll(dice, 100) < percent;
}

#define FEATURES(X)                                                                                \
    X(REGISTERS, "registers")                                                                      \
    X(LISTS, "lists")                                                                              \
    X(PREDICATES, "predicates")                                                                    \
    X(AGGREGATES, "aggregates")                                                                    \
    X(UNKNOWN_OUTCOMES, "unknown-outcomes")                                                        \
    X(DUPLICATES, "duplicates")                                                                    \
    X(VERSION_ORDERS, "version-orders")                                                            \
    X(ORDERS, "orders")                                                                            \
    X(EVERYTHING, "everything")

#define FEATURE_ID(id, name) FEATURE_##id,
enum feature { FEATURES(FEATURE_ID) FEATURE_COUNT };
#undef FEATURE_ID

extern const char *const feature_names[FEATURE_COUNT];

void random_history(struct dice *dice, enum feature feature, struct history *out);
bool has_predicates(const struct history *history);
bool has_version_sets(const struct history *history);
bool has_aggregates(const struct history *history);
/* What it is of these values: NIL if nothing matches and it does not count. */
int aggregate_of(const struct op *op, const struct history *history, const int *values);
bool has_elements_twice(const struct history *history);

/* As JSON Lines, terminated by a zero; how many bytes.  'room' is enough for any history. */
enum { HISTORY_TEXT = 16384 };
size_t write_history(const struct history *history, char *text);

/* ---- Esse ---- */

enum answer { HOLDS, VIOLATED, NO_ANSWER, FAILED };

struct answers {
    enum answer of[LEVEL_COUNT];
    uint64_t said_not, said_strongest; /* named beside the verdicts: ruled out, and shown to hold */
    bool refused;                      /* the history, as bad input */
    char what[640];                    /* of FAILED and of a refusal: why */
};

void ask(const struct history *history, const struct question *question, struct answers *out);

/* ---- judging ---- */

struct failure {
    char what[1024];
    int level; /* -1: of no one level */
    enum { WRONG_HOLDS, WRONG_VIOLATED, BROKEN, INCONSISTENT, CHANGED } kind;
    struct question question;
    int change; /* of CHANGED: which */
};

struct tally {
    uint64_t histories, verdicts, refused;
    uint64_t unanswered;                             /* by engines that were asked for by name */
    uint64_t answers[FEATURE_COUNT][LEVEL_COUNT][3]; /* holds, violated, unknown */
    uint64_t undefined[FEATURE_COUNT];
};

/* What is not counted as a failure. */
extern struct leniency {
    bool gaps;  /* unknown beside a level that decides it */
    bool twice; /* elements that are appended or read twice */
    bool show_refused;
} leniency;

/* Everything that is held against one history.  True, and 'failure' filled, at the first that is
 * wrong.  'tally' may be NULL. */
bool judge(const struct history *history, enum feature feature, struct dice dice,
           struct tally *tally, struct failure *failure);

/* The smallest history found that fails in the same way. */
void shrink_history(struct history *history, enum feature feature, struct dice dice,
                    struct failure *failure);

/* Changes that must not change a verdict; false if 'change' does not apply. */
enum { CHANGE_COUNT = 7 };
bool changed_history(const struct history *history, int change, struct dice *dice,
                     struct history *out, bool *only_towards_holds);

#endif
