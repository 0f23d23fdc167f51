#ifndef ESSE_EVIDENCE_RECHECK_JOIN_H
#define ESSE_EVIDENCE_RECHECK_JOIN_H

#include "history/history.h"
#include "sql/statement.h"

/*
 * Rechecks a predicate dependency of a join, from the definition: part of the kernel of
 * recheck_cycle.h.  The operation 'op' of 'reader' saw the first so many commits; the transaction
 * that 'write' is of committed among them ('reads') or later, and its version of the row, or the
 * one before that, goes together with a row of the other table as the reader saw it; a later
 * version also with what its own transaction wrote.  Of what the reader had written itself its own
 * version is what it saw.
 *
 * Cost: O(accesses), and two joins of the tables as they were.
 */
bool esse_recheck_join(const struct esse_history *history, const struct esse_predicate *predicate,
                       uint32_t reader, uint32_t op, esse_key key, esse_op write, bool reads);

#endif
