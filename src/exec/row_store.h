#ifndef ESSE_EXEC_ROW_STORE_H
#define ESSE_EXEC_ROW_STORE_H

#include "sql/key.h"

/*
 * The rows that are there before a transaction: what the caller of exec provides.
 *
 *  1. Everything that the result and the writes of a statement depend on is asked for here: with
 *     the same answers they are the same.  So these calls are the report of what was read.
 *  2. A key that the transaction wrote before is not asked for with 'get'; 'range' may find it, and
 *     the overlay leaves it out.
 *  3. Rows that were found stay where they are and as they are until the statement has ended.
 *  4. Nothing is written here: writes are in the overlay (overlay.h).
 *  5. An index of a table may be one that no CREATE INDEX made: the store makes it of the rows when
 *     it is first asked for.  Its entries are those of esse_key_entry().
 */

struct esse_found {
    struct esse_bytes key;
    const struct esse_datum *row;
};
ESSE_VEC(esse_found_vec, struct esse_found)

/* In the order of their keys, instead of an index. */
#define ESSE_BY_KEY UINT32_MAX

struct esse_store {
    void *context;
    /* The row of a key; NULL: there is none. */
    const struct esse_datum *(*get)(void *context, const struct esse_table *table,
                                    struct esse_bytes key);
    /* Adds the rows whose entry in the index lies in [low, high), in its order; 'high.at' NULL: to
     * the end. */
    void (*range)(void *context, const struct esse_table *table, uint32_t index,
                  struct esse_bytes low, struct esse_bytes high, struct esse_arena *arena,
                  struct esse_found_vec *found);
    /* A number for a row of a table without a primary key, which no other one has. */
    uint64_t (*number)(void *context, const struct esse_table *table);
};

#endif
