#ifndef ESSE_AUDIT_AUDIT_H
#define ESSE_AUDIT_AUDIT_H

#include "base/budget.h"
#include "base/error.h"
#include "history/sql_log.h"

/*
 * Is there an order of the committed transactions, and for each a view that the level allows, in
 * which every recorded answer is right?  docs/design/audit.md.
 *
 *  1. HOLDS comes with the order and the views; VIOLATED only after every order and view was looked
 *     at, or none can help; UNKNOWN says what ran out.
 *  2. Equal questions about equal logs get equal answers.
 *
 * Cost: a log that its guessed order explains takes one run of each statement; otherwise the search
 * is exponential in the transactions that write, and bounded by the budget.
 */
enum audit_level {
    AUDIT_SERIALIZABLE,
    AUDIT_STRICT_SERIALIZABLE,
    AUDIT_SNAPSHOT_ISOLATION,
    AUDIT_STRONG_SNAPSHOT_ISOLATION,
    AUDIT_MONOTONIC_SNAPSHOT_READ,
    AUDIT_READ_COMMITTED,
    AUDIT_LEVELS
};
extern const char *const audit_level_names[]; /* by level, null-terminated */

enum audit_order {
    AUDIT_ORDER_ANY,
    AUDIT_ORDER_VERSIONS,   /* the certificate commit-order: of those that write one key */
    AUDIT_ORDER_TIMESTAMPS, /* by commit_ts, with snapshots at start_ts */
    AUDIT_ORDER_GIVEN,      /* exactly that of the log's order line */
    AUDIT_ORDER_COMMIT_TS,
    AUDIT_ORDER_END
};
extern const char *const audit_order_names[]; /* by order; "" of any */

struct audit_question {
    enum audit_level level;
    enum audit_order order;
    bool by_value; /* write conflicts by the published formula */
    struct esse_budget *budget;
};

enum audit_why {
    AUDIT_WHY_FITS,
    AUDIT_WHY_ROWS,
    AUDIT_WHY_COUNT,
    AUDIT_WHY_UNEXPECTED_ERROR, /* the log has an error that nothing explains */
    AUDIT_WHY_MISSING_ERROR,    /* it must have failed */
    AUDIT_WHY_CONSTRAINT,       /* the state after it breaks a constraint */
    AUDIT_WHY_CONFLICT,         /* another transaction wrote a row since its snapshot */
    AUDIT_WHY_ORDER,            /* against the given order of versions */
    AUDIT_WHY_WROTE,            /* 'wrote' or 'xid' says otherwise */
    AUDIT_WHY_STALE,            /* only states explain it that real time forbids */
    AUDIT_WHY_UNSUPPORTED
};

#define AUDIT_NO_TXN UINT32_MAX

/* Where a transaction stood: its place, from 1, and the state it saw if its views were one. */
struct audit_place {
    uint32_t txn, place, state; /* a reader has place 0 */
};

/* What holds is run once more with none of the search's parts, where the views were one state for a
 * transaction and that does not take too long. */
enum audit_rechecked { AUDIT_NOT_RECHECKED, AUDIT_RECHECKED, AUDIT_RECHECK_FAILED };

struct audit_answer {
    enum esse_outcome outcome;
    enum audit_rechecked rechecked;
    const char *reason;         /* of UNKNOWN */
    struct audit_place *places; /* HOLDS: in order; a reader stands behind the state it saw */
    uint32_t place_count;
    /* VIOLATED, and UNKNOWN as a hint: the longest prefix that was explained, and what could not be
     * put behind it. */
    uint32_t prefix, txn, statement;
    enum audit_why why;
    char fault[240]; /* of a wrong answer what the newest state gives; else the error */
    uint64_t attempts;
};

/* A log ready to be run: its schema made, its rows in state 0, its statements compiled once. False,
 * with the error, if a statement is not supported or the log is wrong; it is freed in any case. */
struct audit_world;
bool audit_world_new(struct esse_arena *arena, const struct esse_sql_log *log,
                     struct audit_world **out, struct esse_error *err);
void audit_world_free(struct audit_world *world);

/* False, with the error, if the log does not have what the order needs. */
bool audit_ask(struct esse_arena *arena, struct audit_world *world,
               const struct audit_question *question, struct audit_answer *answer,
               struct esse_error *err);

#endif
