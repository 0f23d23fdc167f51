#ifndef ESSE_HISTORY_HISTORY_H
#define ESSE_HISTORY_HISTORY_H

#include "history/record.h"

/*
 * A frozen history: columns, indexed by transaction and operation, that never change again.
 *
 * Transactions are numbered in the order of the input, operations in the order of transactions
 * and then of the program, keys and sessions in the order of first appearance.  Every session's
 * transactions are in session order.
 *
 * Invariants:
 *
 *   1) The operations of t are txn_op[t] .. txn_op[t + 1): txn_op[0] is 0, it never falls, and
 *      txn_op[txns] is 'ops'.
 *   2) Every operation has a kind, and a key, or for predicate operations a predicate, that is
 *      there; so have the rows of predicates, of which there are none if none were recorded.
 *   3) A list is a prefix of a spine that is there.
 *   4) Every transaction has a session that is there and a status.
 *   5) The sessions divide the transactions, each in the order of their numbers.
 *   6) A column for times, snapshots or ids is there exactly if 'has' says so.
 *   7) Initial values and version orders are of keys that are there, by transactions that are.
 *   8) 'order' and 'lost' name transactions that are there, none twice; 'extras' never fall.
 *
 * Cost: 13 bytes an operation; 13 bytes a transaction and 16 more for each pair of times that the
 * history has; lists that are prefixes of each other share one spine.
 */

/* What a history contains, for planner and reports. */
enum esse_has {
    ESSE_HAS_APPENDS = 1 << 0,
    ESSE_HAS_WRITES = 1 << 1,
    ESSE_HAS_DELETES = 1 << 2,
    ESSE_HAS_PREDICATES = 1 << 3,
    ESSE_HAS_LIST_READS = 1 << 4,
    ESSE_HAS_TIMES = 1 << 5,    /* client times on some transaction */
    ESSE_HAS_OP_TIMES = 1 << 6, /* an operation's own interval */
    ESSE_HAS_SERVER_TIMES = 1 << 7,
    ESSE_HAS_WALL_TIMES = 1 << 8,
    ESSE_HAS_VERSION_ORDER = 1 << 9,
    ESSE_HAS_ORDER = 1 << 10,
    ESSE_HAS_VSETS = 1 << 11,
    ESSE_HAS_INIT = 1 << 12,
    ESSE_HAS_DUPLICATE_WRITES = 1 << 13, /* set by statistics, not by freezing */
    ESSE_HAS_SNAPSHOTS = 1 << 14,        /* of the database, on some operation */
    ESSE_HAS_XIDS = 1 << 15,
    ESSE_HAS_CERTIFICATE = 1 << 16, /* its kind is known */
    ESSE_HAS_RESULTS = 1 << 17,     /* of statements */
};

enum esse_workload {
    ESSE_WORKLOAD_ANY, /* mixed, or a native history that is not one of the others */
    ESSE_WORKLOAD_LIST_APPEND,
    ESSE_WORKLOAD_RW_REGISTER,
    ESSE_WORKLOAD_CLOSED_PREDICATE,
};
extern const char *const esse_workload_names[];

/* Where there is no key, session or spine. */
#define ESSE_NO_KEY     UINT32_MAX
#define ESSE_NO_SESSION UINT32_MAX
#define ESSE_NO_SPINE   UINT32_MAX

/* The lists read from one key, where they are prefixes of one another: items[0 .. count). */
struct esse_spine {
    const esse_value *items;
    uint32_t count;
    esse_key key;
};

struct esse_predicate_op {
    esse_value text; /* the SQL text of its WHERE, or a whole SELECT, a string */
    uint32_t row, row_count, vset, vset_count; /* into history->rows */
    uint32_t result, result_count;             /* into history->results */
    bool has_vset;
    bool no_rows; /* they were not recorded: row_count is 0 and says nothing */
    bool has_result;
};

struct esse_keyed_row {
    esse_key key;
    esse_value value, next;
};

/* Something dropped or assumed while reading, counted. */
struct esse_warning {
    const char *text; /* "operations of non-client processes were skipped" */
    uint64_t count, first_line;
};

struct esse_txn_extra {
    esse_txn txn;
    struct esse_span name, text;
};

struct esse_interval {
    int64_t begin, end;
};

/* A version of a key, as a version order names it. */
struct esse_version {
    esse_value value;
    esse_txn txn; /* the version that this transaction installed; ix == ESSE_NO_TXN: by value */
};

/* Is it what the transaction installed, with this value? */
static inline bool esse_version_is(const struct esse_version *version, uint32_t txn,
                                   esse_value value)
{
    return version->txn.ix == ESSE_NO_TXN ? esse_value_eq(version->value, value)
                                          : version->txn.ix == txn;
}

struct esse_version_order {
    esse_key key;
    const struct esse_version *versions; /* oldest first; the initial version is implied */
    uint32_t count;
    uint32_t line; /* where it stands, 0 if nowhere; */
    bool is_apart; /* in a certificate of its own */
};

struct esse_history {
    struct esse_arena *arena;
    struct esse_values *values;
    const char *format;
    enum esse_workload workload;
    unsigned has; /* enum esse_has */

    uint32_t ops, txns, sessions, keys;

    /* By operation.  op_key is the key, or for predicate operations a position in predicates. */
    const uint8_t *op_kind;
    const uint32_t *op_key;
    const esse_value *op_value;
    const struct esse_interval *op_time; /* NULL without ESSE_HAS_OP_TIMES */
    const esse_value *op_snapshot;       /* NULL without ESSE_HAS_SNAPSHOTS */
    const uint32_t *op_statement;        /* as in esse_op_record; NULL if all are 0 */

    /* By transaction.  The operations of t are txn_op[t] .. txn_op[t + 1). */
    const uint32_t *txn_op;
    const uint32_t *txn_session;
    const uint8_t *txn_status;
    const uint8_t *txn_resolved; /* not 0: recorded as unknown, see resolve.h; NULL: none */
    const uint32_t *txn_line;
    const esse_value *txn_name;           /* NULL if none has one */
    const struct esse_interval *txn_time; /* each of these three: NULL if none has one */
    const struct esse_interval *txn_server_time;
    const struct esse_interval *txn_wall_time;
    const int64_t *txn_xid; /* ESSE_NO_TIME: none; NULL without ESSE_HAS_XIDS */

    /* By session: its transactions are session_txn[session_first[s] .. session_first[s + 1]). */
    const esse_value *session_name;
    const uint32_t *session_first, *session_txn;

    const esse_value *key_name;      /* by key */
    const struct esse_spine *spines; /* by spine */
    uint32_t spine_count;

    const struct esse_predicate_op *predicates;
    uint32_t predicate_count;
    const struct esse_keyed_row *rows;
    const esse_value *results; /* what statements returned, see esse_predicate_op */

    struct esse_header_record header;
    const struct esse_fault_record *faults; /* as they came; all have a start */
    uint32_t fault_count;
    const struct esse_keyed_row *init;
    uint32_t init_count;
    const struct esse_version_order *version_orders;
    uint32_t version_order_count;
    const esse_txn *order;
    uint32_t order_count;
    const esse_txn *lost; /* acknowledged, and not in the database's own log */
    uint32_t lost_count;
    uint32_t lost_line; /* where the line stands that says so, and */
    bool is_lost_apart; /* whether in a certificate of its own */
    struct esse_certificate_record certificate;

    const struct esse_warning *warnings;
    uint32_t warning_count;
    const struct esse_txn_extra *extras; /* by transaction, ascending */
    uint32_t extra_count;
};

/* The outcome as it was recorded, whatever a certificate says. */
static inline enum esse_status esse_txn_recorded(const struct esse_history *history, uint32_t txn)
{
    return history->txn_resolved && history->txn_resolved[txn]
               ? ESSE_UNKNOWN_OUTCOME
               : (enum esse_status)history->txn_status[txn];
}

/* The time by which the transaction had committed; ESSE_NO_TIME if that is not known.  Whose client
 * did not learn the outcome may have committed long after that client gave up, also where a
 * certificate shows that it did. */
static inline int64_t esse_txn_committed_by(const struct esse_history *history, uint32_t txn)
{
    return history->txn_time && esse_txn_recorded(history, txn) == ESSE_COMMITTED
               ? history->txn_time[txn].end
               : ESSE_NO_TIME;
}

/* The number of the statement that made the operation, in the header; 0: not known. */
static inline uint32_t esse_op_statement(const struct esse_history *history, uint32_t op)
{
    return history->op_statement ? history->op_statement[op] : 0;
}

/* A list's items.  'value' must be of ESSE_KIND_LIST. */
static inline const esse_value *esse_history_list(const struct esse_history *history,
                                                  esse_value value, uint32_t *count)
{
    *count = (uint32_t)(value.word >> 32);
    return *count ? history->spines[(uint32_t)value.word >> 3].items : NULL;
}

/* What a statement returned that is not rows: its result_count values. */
static inline const esse_value *esse_history_result(const struct esse_history *history,
                                                    const struct esse_predicate_op *op)
{
    return op->result_count ? history->results + op->result : NULL;
}

static inline esse_value esse_value_list(uint32_t spine, uint32_t count)
{
    return (esse_value){ (uint64_t)count << 32 | (uint64_t)spine << 3 | ESSE_TAG_LIST };
}

/* Was it read from our own format?  There a value may be written twice; the workloads that other
 * tools record write each once. */
bool esse_history_is_native(const struct esse_history *history);

/* Does it have its invariants?  O(size): for asserts and tests. */
bool esse_history_valid(const struct esse_history *history);

/* The key that has this name; false if no operation names it.  O(keys): for reports and tests. */
bool esse_history_key(const struct esse_history *history, esse_value name, esse_key *key);

/* The transaction's id as it was recorded, or SESSION/POSITION.  esse_show_txn is for people. */
const char *esse_txn_id(struct esse_arena *arena, const struct esse_history *history, esse_txn txn);

/* The transaction's position in its session, from 0.  O(log of the session's length). */
uint32_t esse_history_position(const struct esse_history *history, esse_txn txn);

/* Sends the whole history to a sink whose values are this history's: header, init, faults,
 * transactions, version orders, order, lost, certificate, finish.  O(size). */
bool esse_history_emit(const struct esse_history *history, struct esse_sink *sink,
                       struct esse_error *err);

#endif
