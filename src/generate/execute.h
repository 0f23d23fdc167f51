#ifndef ESSE_GENERATE_EXECUTE_H
#define ESSE_GENERATE_EXECUTE_H

#include "generate/store.h"
#include "workload/request.h"

/*
 * A workload's requests, executed on the store: for the generator, and for memory: of live
 * collection.  Where a row lives is the caller's matter: all here is about slots.
 *
 * Cost: that of the calls of store.h.
 */
enum {
    ESSE_STORE_CAN = ESSE_CAN_LISTS | ESSE_CAN_PREDICATES | ESSE_CAN_AGGREGATES | ESSE_CAN_DELETE
};

/* Whether that is all that a workload needs. */
static inline bool esse_store_can(unsigned needs)
{
    return !(needs & ~(unsigned)ESSE_STORE_CAN);
}

/* What comes back; what it points at is good until the store is called again. */
struct esse_executed {
    int64_t value;        /* READ of a register, AGGREGATE; ESSE_ABSENT if there is none */
    bool is_absent;       /* DELETE, INSERT: the row was not there; DELETE then does nothing,
                             otherwise INSERT does */
    const int64_t *items; /* READ of a list */
    size_t item_count;
    const struct esse_store_row *rows; /* MATCH, CHANGE: as they were */
    size_t row_count;
};

/*
 * A request between BEGIN and the end; 'slot' is that of its row, if it is about one.  If the
 * answer is WAIT the same request is to be executed again: a CHANGE that cannot have all its locks
 * begins again with its predicate.  Predicates are about all rows of the store and are ranges.
 */
enum esse_store_answer esse_execute(struct esse_store *store, uint32_t session,
                                    const struct esse_request *request, uint32_t slot,
                                    struct esse_executed *executed);

#endif
