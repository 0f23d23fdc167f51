#ifndef ESSE_HISTORY_ACCESS_H
#define ESSE_HISTORY_ACCESS_H

#include "history/history.h"

/*
 * The item accesses of an operation: one for an item operation, one for every returned row of a
 * predicate read, and for a predicate update a read and then a write of every row.
 *
 * Cost: O(1) each.
 */
struct esse_access {
    esse_key key;
    enum esse_op_kind kind; /* READ, WRITE, APPEND; a delete is a WRITE of nil */
    esse_value value;
};

static inline uint32_t esse_access_count(const struct esse_history *history, uint32_t op)
{
    unsigned kind = history->op_kind[op];
    if (!esse_op_is_predicate(kind))
        return 1;
    uint32_t rows = history->predicates[history->op_key[op]].row_count;
    return kind == ESSE_OP_PREDICATE_UPDATE ? 2 * rows : rows;
}

static inline struct esse_access esse_access_at(const struct esse_history *history, uint32_t op,
                                                uint32_t at)
{
    enum esse_op_kind kind = (enum esse_op_kind)history->op_kind[op];
    if (!esse_op_is_predicate(kind))
        return (struct esse_access){ { history->op_key[op] },
                                     kind == ESSE_OP_DELETE ? ESSE_OP_WRITE : kind,
                                     history->op_value[op] };
    const struct esse_predicate_op *predicate = &history->predicates[history->op_key[op]];
    if (kind == ESSE_OP_PREDICATE_READ || at < predicate->row_count) {
        const struct esse_keyed_row *row = &history->rows[predicate->row + at];
        return (struct esse_access){ row->key, ESSE_OP_READ, row->value };
    }
    const struct esse_keyed_row *row = &history->rows[predicate->row + at - predicate->row_count];
    return (struct esse_access){ row->key, ESSE_OP_WRITE, row->next };
}

/*
 * The accesses of the operations [op .. end), one after the other:
 *
 *     struct esse_access_walk walk = { history, op, end };
 *     while (esse_access_next(&walk))
 *         ... walk.access, of operation walk.op
 */
struct esse_access_walk {
    const struct esse_history *history;
    uint32_t op, end;
    uint32_t at; /* the next access of 'op' */
    struct esse_access access;
};

static inline bool esse_access_next(struct esse_access_walk *walk)
{
    for (; walk->op < walk->end; walk->op++, walk->at = 0)
        if (walk->at < esse_access_count(walk->history, walk->op)) {
            walk->access = esse_access_at(walk->history, walk->op, walk->at++);
            return true;
        }
    return false;
}

/* Those of a transaction. */
static inline struct esse_access_walk esse_accesses_of(const struct esse_history *history,
                                                       uint32_t txn)
{
    return (struct esse_access_walk){ history, history->txn_op[txn], history->txn_op[txn + 1] };
}

/* Which access of operation 'op' reads, or else writes, 'key', and what; their count if none does.
 * O(rows). */
uint32_t esse_op_access_of(const struct esse_history *history, uint32_t op, esse_key key, bool read,
                           esse_value *value);

/* What operation 'op' read from (or wrote to) 'key'; false if it did not.  O(rows). */
bool esse_op_read_of(const struct esse_history *history, uint32_t op, esse_key key,
                     esse_value *value);
bool esse_op_write_of(const struct esse_history *history, uint32_t op, esse_key key,
                      esse_value *value);

/* Does the operation's transaction write the key before it, or after it?  O(its accesses). */
bool esse_op_wrote_before(const struct esse_history *history, uint32_t op, esse_key key);
bool esse_op_writes_after(const struct esse_history *history, uint32_t op, esse_key key);

/* 'read' read the key: did its transaction then read another version of it, before it wrote the
 * key? A predicate update reads its rows before it writes them.  O(accesses of the transaction). */
bool esse_op_is_read_again(const struct esse_history *history, esse_op read, esse_key key);

/* Is a predicate's text a whole SELECT, not only the condition of one?  O(1). */
bool esse_is_statement(const struct esse_values *values, esse_value text);

/* The transaction of an operation.  O(log transactions). */
esse_txn esse_op_txn(const struct esse_history *history, uint32_t op);

/* The initial value of a key: what 'init' says, or nil.  O(init). */
esse_value esse_key_initial(const struct esse_history *history, esse_key key);

/* The same of every key, with room for one more.  O(keys). */
esse_value *esse_initial_values(struct esse_arena *arena, const struct esse_history *history);

/* Is the order in which writes were recorded the order of versions?  By Elle's convention it is in
 * Jepsen's closed-predicate histories. */
bool esse_is_recorded_in_version_order(const struct esse_history *history);

/* Is the item in the list?  O(items). */
bool esse_list_has(const struct esse_history *history, esse_value list, esse_value item);

/* Nothing is nothing: a list-append key that was never appended to reads as nil or as []. */
static inline esse_value esse_value_state(esse_value value)
{
    return esse_value_eq(value, esse_value_list(0, 0)) ? ESSE_NIL : value;
}

#endif
