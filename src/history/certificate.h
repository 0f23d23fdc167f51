#ifndef ESSE_HISTORY_CERTIFICATE_H
#define ESSE_HISTORY_CERTIFICATE_H

#include "history/builder.h"

/*
 * What is known about a history and stands elsewhere.
 *
 * A sink that takes version orders, a serialization order, initial versions and the kind of a
 * certificate for a builder that has its transactions already, and nothing else.  A key is named by
 * its text, as native files do: "5" is the key 5, "x" the key :x, unless the history has the text
 * itself as a key.
 */
struct esse_sink *esse_certificate_sink(struct esse_builder *builder);

/*
 * Gives every register without a version order the one in which the transactions that write it
 * stand in the history's serialization order or, if it has none, have their commit_ts.  For a
 * history that is not shared yet.  Fails if there is neither, and if two that write one register
 * have the same commit_ts.  Cost: O(operations), and a sort of the transactions.
 */
bool esse_certificate_by_order(struct esse_history *history, struct esse_error *err);

/*
 * Does what was given about orders, version sets and snapshots contradict the history?  Fails on a
 * version that no transaction wrote or that an order names twice, on a version order against the
 * order of the commits, on an xid that two committed ones have or that a committed writer lacks,
 * where snapshots are PostgreSQL's, on a version set with what only its own transaction wrote and
 * only later, on a snapshot in which its own transaction has committed, and, where it is to be
 * complete, on a commit that it does not have.  Cost: O(operations + versions named).
 */
bool esse_certificate_check(const struct esse_history *history, struct esse_error *err);

#endif
