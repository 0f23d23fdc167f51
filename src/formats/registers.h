#ifndef ESSE_FORMATS_REGISTERS_H
#define ESSE_FORMATS_REGISTERS_H

#include "base/index.h"
#include "base/vec.h"
#include "formats/formats.h"
#include "formats/lossy.h"

/*
 * What the writers of the research formats share.  Those hold registers and nothing else: reads and
 * writes of integers by sessions and transactions that are integers too.  A record is taken apart
 * into such numbers; what does not fit is an error that names it, or is dropped if 'lossy'.
 *
 * Life: init -> esse_registers_take for every transaction -> the format puts session, ops and id
 * -> esse_registers_check_initial at the end.
 *
 * Cost: O(1) an operation; memory for the keys that are not integers of a word.
 */
struct esse_register_op {
    bool is_write;
    bool is_initial;    /* reads the initial version */
    int64_t key, value; /* of the initial version its value, 0 if it has none */
};
ESSE_VEC(esse_register_ops, struct esse_register_op)

/* How a format says that a read returned the initial version. */
enum esse_initial_mark {
    ESSE_INITIAL_BY_MARK,        /* by something that is no value (Cobra) */
    ESSE_INITIAL_BY_UNWRITTEN_0, /* by the value 0, if it was not written to the key (Plume) */
    ESSE_INITIAL_BY_0,           /* by the value 0, which may be written too (DBCop) */
};

/* A key whose initial version is given, or was read, or has the value 0: what is decided at the
 * end. */
struct esse_initial_use {
    esse_value key, given; /* ESSE_NONE: no initial value */
    unsigned seen;
};
ESSE_VEC(esse_initial_uses, struct esse_initial_use)

/* The number that stands for what is none. */
struct esse_stand_in {
    esse_value from;
    uint64_t to;
};
ESSE_VEC(esse_stand_in_vec, struct esse_stand_in)

struct esse_stand_ins {
    struct esse_index index;
    struct esse_stand_in_vec all;
};

/* The bytes of one session, for formats that do not mix sessions. */
struct esse_register_log {
    int64_t session;
    uint64_t txns;
    struct esse_out out;
};
ESSE_VEC(esse_register_logs, struct esse_register_log)

struct esse_registers {
    struct esse_lossy to;
    struct esse_arena *arena;
    enum esse_initial_mark initial_mark;
    struct esse_stand_ins keys, values, sessions;
    struct esse_initial_uses initial;
    struct esse_index initial_index;
    unsigned key_kinds; /* bits of enum esse_value_kind met so far */
    enum { ESSE_IDS_NOT_YET, ESSE_IDS_GIVEN, ESSE_IDS_COUNTED } ids;
    int64_t counted; /* ids that were made up */
    struct esse_register_logs logs;
    struct esse_index log_index;

    /* The transaction that was taken last. */
    int64_t session;
    struct esse_register_ops ops;
};

void esse_registers_init(struct esse_registers *w, struct esse_arena *arena,
                         struct esse_values *values, const char *format,
                         enum esse_initial_mark initial_mark, bool lossy);

bool esse_registers_take(struct esse_registers *w, const struct esse_txn_record *txn,
                         struct esse_error *err);

/* Whether what was read as the initial version will be read so again, and nothing else. */
bool esse_registers_check_initial(const struct esse_registers *w, struct esse_error *err);

/* The transaction's id as a number: its own, or counted from 1 if transactions have none. */
bool esse_registers_id(struct esse_registers *w, const struct esse_txn_record *txn, int64_t *id,
                       struct esse_error *err);

/* The log of the session of the transaction that was taken last. */
struct esse_register_log *esse_registers_log(struct esse_registers *w);

/* Puts the logs into the order of their sessions' numbers. */
void esse_registers_sort_logs(struct esse_registers *w);

/* A text that is an integer as it prints: "12", not "012" or "+12". */
bool esse_text_is_int(const char *text, size_t length, int64_t *number);

#endif
