#ifndef ESSE_HISTORY_RECORD_H
#define ESSE_HISTORY_RECORD_H

#include "base/vec.h"
#include "history/values.h"

/*
 * One transaction as it passes between the rooms: readers, the generator and live collection fill
 * records; the builder, and the writers of formats, are sinks that take them.  A record and all it
 * points at belong to the sender and are only good during the call.
 */

#define ESSE_NO_TIME INT64_MIN

enum esse_op_kind {
    ESSE_OP_READ,
    ESSE_OP_WRITE,
    ESSE_OP_APPEND,
    ESSE_OP_DELETE,
    ESSE_OP_PREDICATE_READ,
    ESSE_OP_PREDICATE_UPDATE,
};

static inline bool esse_op_is_predicate(unsigned kind)
{
    return kind >= ESSE_OP_PREDICATE_READ;
}

/* A row that a predicate operation returned, or an entry of its version set.  'next' is what an
 * update made of it, ESSE_NONE otherwise. */
struct esse_row {
    esse_value key, value, next;
};

struct esse_op_record {
    enum esse_op_kind kind;
    bool is_list;        /* a read that returned items[first .. first + count) */
    bool has_vset;       /* vset[..] is given, even if empty */
    bool no_rows;        /* a predicate read without recorded rows: it has a result instead */
    bool has_result;     /* items[result_first ..] is given, even if empty */
    uint32_t statement;  /* that made it: its number in the header, from 1 on; 0: not known */
    esse_value key;      /* for predicate operations: the predicate's SQL text, a string */
    esse_value value;    /* ESSE_NONE: not recorded (a crashed read); unused for lists, deletes */
    size_t first, count; /* list items, or rows */
    size_t vset_first, vset_count;     /* rows too */
    size_t result_first, result_count; /* what a statement returned that is not rows: items */
    int64_t begin, end;                /* the operation's own interval, or ESSE_NO_TIME */
    esse_value snapshot; /* of the database when it ran, as certificates mean it, or ESSE_NONE */
};

/* A member of the input that Esse does not know but shows: name and value as they were written. */
struct esse_extra {
    struct esse_span name, text;
};

struct esse_txn_record {
    esse_value session; /* integer or string */
    esse_value name;    /* integer or string; ESSE_NONE: session/index */
    enum esse_status status;
    uint64_t line;                /* where it stands in the input, 0 if nowhere */
    int64_t start, end;           /* client times */
    int64_t start_ts, commit_ts;  /* server times */
    int64_t wall_start, wall_end; /* what a clock showed, for people; never used to order */
    int64_t xid;                  /* the database's own number of it, or ESSE_NO_TIME */
    const struct esse_op_record *ops;
    size_t op_count;
    const esse_value *items;
    const struct esse_row *rows;
    const struct esse_extra *extras;
    size_t extra_count;
};

/* What an operation's positions name in the pools of its record.  A pool that was never used is
 * NULL, and arithmetic on that is undefined even for nothing. */
static inline const esse_value *esse_record_items(const struct esse_txn_record *txn,
                                                  const struct esse_op_record *op)
{
    return op->count ? txn->items + op->first : NULL;
}

static inline const esse_value *esse_record_result(const struct esse_txn_record *txn,
                                                   const struct esse_op_record *op)
{
    return op->result_count ? txn->items + op->result_first : NULL;
}

static inline const struct esse_row *esse_record_rows(const struct esse_txn_record *txn,
                                                      size_t first, size_t count)
{
    return count ? txn->rows + first : NULL;
}

/* All members are named: if some are left out, gcc clears the record with a string instruction
 * first, which takes longer than the rest of sending a short transaction. */
static inline struct esse_txn_record esse_txn_record_empty(void)
{
    return (struct esse_txn_record){ .session = ESSE_NONE,
                                     .name = ESSE_NONE,
                                     .status = ESSE_COMMITTED,
                                     .line = 0,
                                     .start = ESSE_NO_TIME,
                                     .end = ESSE_NO_TIME,
                                     .start_ts = ESSE_NO_TIME,
                                     .commit_ts = ESSE_NO_TIME,
                                     .wall_start = ESSE_NO_TIME,
                                     .wall_end = ESSE_NO_TIME,
                                     .xid = ESSE_NO_TIME,
                                     .ops = NULL,
                                     .op_count = 0,
                                     .items = NULL,
                                     .rows = NULL,
                                     .extras = NULL,
                                     .extra_count = 0 };
}

/* What the first line of a native file says.  Absent members are ESSE_NONE. */
struct esse_header_record {
    esse_value db, isolation; /* strings */
    const esse_value *columns;
    size_t column_count;
    const esse_value *statements; /* strings: SQL as its author wrote it, see esse_op_record */
    size_t statement_count;
    bool in_version_order; /* the versions of each register are in the order of the records */
};

/* An entry of a version order: the version with this value, or the one that 'txn' installed. */
struct esse_version_ref {
    esse_value value; /* used if txn is ESSE_NONE */
    esse_value txn;   /* a transaction's name */
};

/* How the orders and snapshots of a history are meant: what the database promises about them. */
struct esse_certificate_record {
    enum esse_certificate_kind kind; /* TIMESTAMPS or one after it; or NONE */
    bool complete;                   /* every committed version is in the orders */
};

/* What was done to the database's servers while the history was recorded. */
enum esse_server_fault {
    ESSE_FAULT_KILL,      /* kill -9, and a new start */
    ESSE_FAULT_PAUSE,     /* stopped and continued: alive, and silent */
    ESSE_FAULT_PARTITION, /* cut off from the other nodes, or a single server from its clients */
    ESSE_FAULT_RESTART,   /* ended in good order, and started again */
    ESSE_FAULTS
};
extern const char *const esse_fault_names[]; /* by kind, null-terminated */

/* A beginning, an end, or both; ESSE_NO_TIME otherwise.  An end alone is that of the last fault of
 * this kind and node that goes on: so a recorder can report a fault before it is over. */
struct esse_fault_record {
    enum esse_server_fault kind;
    int64_t node; /* from 0; ESSE_NO_TIME: there is only one */
    int64_t start, end;
};

/* What a history tells its readers and no verdict depends on. */
enum esse_descriptive {
    ESSE_TOLD_HEADER = 1,  /* database, isolation, columns, statements */
    ESSE_TOLD_FAULTS = 2,  /* what was done to the servers */
    ESSE_TOLD_CLOCK = 4,   /* what a clock showed */
    ESSE_TOLD_MEMBERS = 8, /* members of operations that Esse does not know */
};

static inline unsigned esse_txn_tells(const struct esse_txn_record *txn)
{
    const bool clock = txn->wall_start != ESSE_NO_TIME || txn->wall_end != ESSE_NO_TIME;
    return (clock ? ESSE_TOLD_CLOCK : 0u) | (txn->extra_count ? ESSE_TOLD_MEMBERS : 0u);
}

static inline unsigned esse_header_tells(const struct esse_header_record *header)
{
    return !esse_value_eq(header->db, ESSE_NONE) || !esse_value_eq(header->isolation, ESSE_NONE) ||
                   header->column_count || header->statement_count
               ? ESSE_TOLD_HEADER
               : 0;
}

/*
 * Where records go.  A sink receives header, inits, faults, transactions, version orders, the
 * order, the lost transactions and the certificate's kind, the header first if there is one, the
 * others in any order, then finish. Strings in records are words of 'values'.
 */
struct esse_sink {
    struct esse_values *values;
    unsigned dropped; /* of enum esse_descriptive: what a writer had no place for */
    uint64_t line;    /* where what is sent next and has no line itself stands; 0: nowhere */
    bool (*header)(struct esse_sink *sink, const struct esse_header_record *header,
                   struct esse_error *err);
    bool (*init)(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                 struct esse_error *err);
    bool (*fault)(struct esse_sink *sink, const struct esse_fault_record *fault,
                  struct esse_error *err);
    bool (*txn)(struct esse_sink *sink, const struct esse_txn_record *txn, struct esse_error *err);
    bool (*version_order)(struct esse_sink *sink, esse_value key,
                          const struct esse_version_ref *versions, size_t count,
                          struct esse_error *err);
    bool (*order)(struct esse_sink *sink, const esse_value *names, size_t count,
                  struct esse_error *err);
    /* Transactions that were acknowledged and that the database's own log does not have. */
    bool (*lost)(struct esse_sink *sink, const esse_value *names, size_t count,
                 struct esse_error *err);
    bool (*certificate)(struct esse_sink *sink, const struct esse_certificate_record *certificate,
                        struct esse_error *err);
    bool (*finish)(struct esse_sink *sink, struct esse_error *err);
};

ESSE_VEC(esse_op_record_vec, struct esse_op_record)
ESSE_VEC(esse_row_vec, struct esse_row)
ESSE_VEC(esse_ref_vec, struct esse_version_ref)
ESSE_VEC(esse_extra_vec, struct esse_extra)

#endif
