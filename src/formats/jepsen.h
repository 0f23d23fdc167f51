#ifndef ESSE_FORMATS_JEPSEN_H
#define ESSE_FORMATS_JEPSEN_H

#include "base/index.h"
#include "base/vec.h"
#include "formats/formats.h"
#include "formats/jepsen_walk.h"

/*
 * What Jepsen's EDN and Elle's JSON have in common: operations are paired by process, the pairs
 * become transaction records, the workload is recognised from the micro-operations.
 *
 * A reader of either syntax does, for every operation of the file:
 *
 *     esse_jepsen_begin(jepsen, place)     the operation that starts there
 *     ... fills jepsen->op, and jepsen->ops, items, rows with its micro-operations ...
 *     esse_jepsen_take(jepsen)             pairs it, or sends its transaction to the builder
 *
 * and esse_jepsen_finish at the end, which sends what was invoked and never completed.  Begin may
 * be called again for the same operation if the window ended within it: nothing is kept until
 * take.
 *
 * What is wrong with the meaning of a value (an unknown micro-operation) is noted with
 * esse_jepsen_problem and only reported if the operation turns out to be a client's: the process
 * may follow the value, and a nemesis may put anything there.
 *
 * Cost: O(1) an operation plus its size; memory for the open invocations only.
 */

enum esse_jepsen_type {
    ESSE_JEPSEN_NO_TYPE,
    ESSE_JEPSEN_INVOKE,
    ESSE_JEPSEN_OK,
    ESSE_JEPSEN_FAIL,
    ESSE_JEPSEN_INFO,
};

enum esse_jepsen_process { ESSE_JEPSEN_NO_PROCESS, ESSE_JEPSEN_CLIENT, ESSE_JEPSEN_OTHER_PROCESS };

/* What an operation's :value is. */
enum esse_jepsen_value {
    ESSE_JEPSEN_NO_VALUE, /* nil, or not there */
    ESSE_JEPSEN_TXN,      /* micro-operations */
    ESSE_JEPSEN_EMPTY,    /* an empty sequence: a transaction if :f says so */
    ESSE_JEPSEN_OTHER_VALUE,
};

enum esse_jepsen_mop {
    ESSE_MOP_READ,
    ESSE_MOP_WRITE,
    ESSE_MOP_APPEND,
    ESSE_MOP_INSERT,
    ESSE_MOP_DELETE,
    ESSE_MOP_PREDICATE,
    ESSE_MOPS,
};

/* What distinguishes workloads: the micro-operations other than reads, and what reads returned. */
enum {
    ESSE_SEEN_WRITE = 1 << ESSE_MOP_WRITE,
    ESSE_SEEN_APPEND = 1 << ESSE_MOP_APPEND,
    ESSE_SEEN_INSERT = 1 << ESSE_MOP_INSERT,
    ESSE_SEEN_DELETE = 1 << ESSE_MOP_DELETE,
    ESSE_SEEN_PREDICATE = 1 << ESSE_MOP_PREDICATE,
    ESSE_SEEN_INIT = 1 << ESSE_MOPS,
    ESSE_SEEN_SCALAR = 1 << (ESSE_MOPS + 1), /* a read returned one value */
    ESSE_SEEN_LIST = 1 << (ESSE_MOPS + 2),   /* a read returned a list */
};
enum { ESSE_SEEN_KINDS = ESSE_MOPS + 3 };

struct esse_jepsen_op {
    const char *place; /* where it starts in the window */
    uint64_t line, column;
    enum esse_jepsen_type type;
    enum esse_jepsen_process process_kind;
    int64_t process;
    int64_t index, time;  /* ESSE_NO_TIME if not there */
    struct esse_span f;   /* as written, empty if not there */
    bool is_txn, is_init; /* what :f says */
    enum esse_jepsen_value value;
    bool has_init;       /* the value was a map and is in rows */
    const char *problem; /* the place of the first one, NULL if there is none */
    char problem_text[200];
    unsigned seen;
    const char *seen_at[ESSE_SEEN_KINDS]; /* the first of each kind, where the bit is set */
};

ESSE_VEC(esse_jepsen_ops, struct esse_op_record)
ESSE_VEC(esse_jepsen_items, esse_value)
ESSE_VEC(esse_jepsen_rows, struct esse_row)
ESSE_VEC(esse_jepsen_extras, struct esse_extra)

struct esse_jepsen_pairs;

struct esse_jepsen {
    struct esse_reading *reading;
    struct esse_arena *arena;
    struct esse_values *values;
    struct esse_error *err;

    /* The operation that is being read. */
    struct esse_jepsen_op op;
    struct esse_jepsen_ops ops;
    struct esse_jepsen_items items;
    struct esse_jepsen_rows rows;
    struct esse_jepsen_extras extras; /* names and texts in EDN, in the window or the arena */

    struct esse_jepsen_pairs *pairs;
    struct esse_jepsen_order order;
    unsigned seen;
    uint64_t nameless; /* sessions that were made up */
    bool saw_txn;
    uint64_t first_line, first_column; /* of the first client operation, and its :f */
    char first_f[64];
    bool has_transfers, has_adds; /* what operations that are no transactions do */
};

void esse_jepsen_init(struct esse_jepsen *jepsen, struct esse_reading *reading,
                      struct esse_error *err);
void esse_jepsen_begin(struct esse_jepsen *jepsen, const char *place);
bool esse_jepsen_take(struct esse_jepsen *jepsen);
bool esse_jepsen_finish(struct esse_jepsen *jepsen);
void esse_jepsen_release(struct esse_jepsen *jepsen);

/* invoke, ok, fail, info, without their colon; ESSE_JEPSEN_NO_TYPE for anything else. */
enum esse_jepsen_type esse_jepsen_type_named(struct esse_span name);

/* The micro-operation of this name, without its colon; ESSE_MOPS if there is none. */
enum esse_jepsen_mop esse_jepsen_mop_named(struct esse_span name);

/* Notes what is wrong with the value; the first problem counts.  Returns false. */
bool esse_jepsen_problem(struct esse_jepsen *jepsen, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline void esse_jepsen_see(struct esse_jepsen *jepsen, unsigned kind, const char *place)
{
    if (jepsen->op.seen & 1u << kind)
        return;
    jepsen->op.seen |= 1u << kind;
    jepsen->op.seen_at[kind] = place;
}

/* Adds a micro-operation at 'place'.  What a read returned is the caller's to fill in. */
static inline struct esse_op_record *esse_jepsen_add(struct esse_jepsen *jepsen,
                                                     enum esse_jepsen_mop mop, const char *place)
{
    static const uint8_t kinds[] = { ESSE_OP_READ,  ESSE_OP_WRITE,  ESSE_OP_APPEND,
                                     ESSE_OP_WRITE, ESSE_OP_DELETE, ESSE_OP_PREDICATE_READ };
    if (mop != ESSE_MOP_READ)
        esse_jepsen_see(jepsen, mop, place);
    struct esse_op_record *op = esse_jepsen_ops_extend(&jepsen->ops, jepsen->arena, 1);
    *op = (struct esse_op_record){ .kind = (enum esse_op_kind)kinds[mop],
                                   .begin = ESSE_NO_TIME,
                                   .end = ESSE_NO_TIME };
    return op;
}

/* Adds a member that Esse only shows.  False, with the error, if the operation has it twice or
 * has too many. */
bool esse_jepsen_extra(struct esse_jepsen *jepsen, const char *place, struct esse_span name,
                       struct esse_span text);

/*
 * A sink that writes a history as Jepsen EDN: a line for every invocation and every completion, in
 * the order of their times.
 *
 * Lines are kept until the end, because an invocation may belong before any of them.  The times
 * become :index if they were read as such (a transaction is then named by the index of its
 * completion); otherwise operations are numbered, and times that no clock accompanies are written
 * as :time.  Names that are not an index are kept as a member :txn.
 *
 * Real time is never made up: a transaction that is not known to have started has no invocation,
 * and one that is not known to have ended is completed behind all others.
 *
 * Cost: O(n log n) in the operations; what is kept takes the size of the file, and 40 bytes a line.
 */
struct esse_sink *esse_jepsen_writer(struct esse_arena *arena, struct esse_values *values,
                                     struct esse_out *out, bool lossy);

extern const struct esse_format esse_format_jepsen_edn, esse_format_elle_json;

#endif
