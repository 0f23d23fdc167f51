#ifndef ESSE_EXPLORE_EXECUTION_H
#define ESSE_EXPLORE_EXECUTION_H

#include "explore/search.h"

/*
 * A history that was found, kept for showing: a copy that stays.  'shown' are the transactions that
 * what is to be seen needs: a part that is closed under causal past, and so an execution itself,
 * which the level allows.
 */
struct esse_execution {
    const struct esse_program *program;
    uint8_t order[ESSE_PROGRAM_TXNS_MOST];
    uint32_t length;
    struct esse_unit *units; /* by transaction */
    txn_set shown;
    const int64_t *finals; /* where an invariant is broken: by variable; or NULL */
    /* Its size: the fewer the better to read. */
    uint32_t txns, steps;
};

struct esse_execution *esse_execution_keep(struct esse_arena *arena,
                                           const struct esse_program *program,
                                           const struct esse_told *told, txn_set shown);

/* Did it commit a write of the variable? */
bool esse_unit_wrote(const struct esse_unit *unit, uint32_t variable);

/* How many transactions and steps are in 'shown'. */
void esse_execution_size(const struct esse_told *told, txn_set shown, uint32_t *txns,
                         uint32_t *steps);

/* "alice.transfer" */
const char *esse_execution_name(struct esse_arena *arena, const struct esse_program *program,
                                uint32_t txn);

/*
 * An order of single steps in which each read returns what was committed last, if there is one:
 * what one would see on a clock.  The step that is the number of its transaction's steps is its
 * end. False: there is none, as a read sees something older; then the transactions stand one after
 * the other.
 */
struct esse_moment {
    uint32_t txn, step;
};
bool esse_execution_schedule(struct esse_arena *arena, const struct esse_execution *execution,
                             struct esse_moment **moments, uint32_t *count);

/* Sessions side by side. */
void esse_execution_put_text(struct esse_out *out, const struct esse_execution *execution);
/* What went wrong, in sentences. */
void esse_execution_put_words(struct esse_out *out, const struct esse_execution *execution);
/* [{"session":...,"txn":...,"status":...,"ops":[...]}] */
void esse_execution_put_json(struct esse_out *out, const struct esse_execution *execution);
/* The whole of it as a history; values that several transactions wrote are told apart. */
bool esse_execution_history(struct esse_arena *arena, const struct esse_execution *execution,
                            struct esse_history **out, struct esse_error *err);

#endif
