#ifndef ESSE_EXPLORE_SQL_CORE_H
#define ESSE_EXPLORE_SQL_CORE_H

#include "base/index.h"
#include "exec/call.h"
#include "explore/sql_program.h"

#include <pthread.h>
#include <stdatomic.h>

/* What the files of a program of SQL share.  Everything in the core is looked at under its lock,
 * but for what was there before a round began. */

/* ---- keys and values: sql_values.c ---- */

/* A key of a table, which is a variable once a round has it. */
struct sql_key {
    const struct esse_table *table;
    struct esse_bytes bytes;
    const char *name; /* "doctors/1" */
    int64_t initial;
    uint32_t variable; /* in the round at hand */
    bool is_known;     /* there is a variable */
    bool is_met;       /* or there is to be one in the next round */
};
ESSE_VEC(sql_key_vec, struct sql_key *)

/* What a word that is not 0 (absent) points to: a row, or the keys that a table has. */
struct sql_value {
    const struct esse_table *table;
    const struct esse_datum *row; /* NULL: a set of keys */
    struct sql_key **keys;
    uint32_t count;
};
ESSE_VEC(sql_value_vec, struct sql_value *)

/* ---- what a transaction does: sql_run.c ---- */

struct sql_branch;

/* An event, and what comes after it. */
struct sql_node {
    struct esse_event event;
    struct esse_txn_end end;               /* of COMMIT and ABORT */
    const struct sql_node *next;           /* of WRITE */
    _Atomic(struct sql_branch *) branches; /* of READ: by what was read */
    const struct sql_node *read;           /* the last READ before it, and what that returned */
    int64_t value;
};

struct sql_branch {
    int64_t value;
    const struct sql_node *first;
    struct sql_branch *next;
};

struct sql_call {
    const struct esse_script_call *call;
    _Atomic(const struct sql_node *) root;
};

struct sql_fault {
    const char *text;
    uint32_t line;
};
ESSE_VEC(sql_fault_vec, struct sql_fault)

/* A program with the variables that are known so far. */
struct sql_round {
    struct esse_program seam; /* first */
    struct sql_core *core;
    struct sql_call *calls;      /* by transaction */
    struct sql_key *const *keys; /* from variable 'sets' on, in the order of tables and keys */
    uint32_t sets;               /* so many variables before are sets of keys, by table */
    uint64_t *seen_in;           /* by variable: the statement that read it, ... */
    int64_t *seen;               /* ... and what it read */
    int64_t *set_now;            /* by table: the set that the transaction has read or written */
    bool *has_set;
};

/* What was asked of a final state, and answered. */
struct sql_final {
    const int64_t *finals;
    uint64_t broken;
};
ESSE_VEC(sql_final_vec, struct sql_final)

struct sql_core {
    struct esse_arena *arena;
    pthread_mutex_t lock;
    const struct esse_script *script;
    enum esse_sql_tables how;
    struct esse_schema *schema;
    struct esse_compiler *compiler;
    struct esse_exec *exec;
    struct esse_call *call; /* of a procedure */
    struct esse_store store;
    struct esse_outside outside;
    struct sql_value_vec values;
    struct esse_index value_index;
    struct sql_key_vec keys;
    struct esse_index key_index;
    struct sql_fault_vec faults; /* from 1 on */
    atomic_bool is_stale;
    struct sql_reading *reading; /* what the store answers from */
    uint64_t statements;         /* run so far */

    struct sql_final_vec finals;
    struct esse_index final_index;
};

/* The word of a row; NULL: 0. */
int64_t sql_row_word(struct sql_core *core, const struct esse_table *table,
                     const struct esse_datum *row);
int64_t sql_set_word(struct sql_core *core, const struct esse_table *table,
                     struct sql_key *const *keys, uint32_t count);
static inline const struct sql_value *sql_word_value(int64_t word)
{
    return (const struct sql_value *)(intptr_t)word;
}
static inline const struct esse_datum *sql_word_row(int64_t word)
{
    return word ? sql_word_value(word)->row : NULL;
}
bool sql_set_has(int64_t word, const struct sql_key *key);
/* The key, made if it is new. */
struct sql_key *sql_key_of(struct sql_core *core, const struct esse_table *table,
                           struct esse_bytes bytes);
void sql_put_word(struct esse_arena *arena, struct esse_out *out, int64_t word);

/* The chain of events from a place on: after a READ that returned 'value', or, 'read' being NULL,
 * from the beginning of a transaction. */
const struct sql_node *sql_run(const struct sql_round *round, uint32_t txn,
                               const struct sql_node *read, int64_t value);

/* The invariants that a final state breaks. */
uint64_t sql_run_invariants(const struct sql_round *round, const int64_t *finals);

/* ---- what the store answers: sql_store.c ---- */

/*
 * A transaction is run again from its beginning, with the values that it read so far, up to the
 * first read that it has not made yet.  What is read from there on is absent, and the statement's
 * result is forgotten.
 */
struct sql_reading {
    const struct sql_round *round;
    const int64_t *values; /* that it read, in order */
    uint32_t count, at;
    uint64_t statement;
    bool is_missing, is_grown; /* a value is missing: that of 'missing'; a variable is */
    uint32_t missing;
    uint64_t numbers;      /* of rows without a key */
    const int64_t *finals; /* or NULL: then it is an invariant that asks */
};

/* The value of a variable, as the statement sees it. */
int64_t sql_read(struct sql_reading *reading, uint32_t variable);
void sql_store_init(struct sql_core *core);

#endif
