#ifndef ESSE_HISTORY_SHOW_H
#define ESSE_HISTORY_SHOW_H

#include "base/out.h"
#include "history/history.h"

/*
 * Names, values and operations as people read them.  Long lists and texts are shortened in the
 * middle.  Of a long text a few digits of its hash are left there, so that two that differ look
 * different.
 */

/* A transaction: "t1", "T5" if its name is a number, "T0/17": the session, and which of its. */
void esse_show_txn(struct esse_out *out, const struct esse_history *history, esse_txn txn);
const char *esse_show_txn_text(struct esse_arena *arena, const struct esse_history *history,
                               esse_txn txn);

/* 5, "five", :five, nil, [1 2 3 … 97 98 99] */
void esse_show_value(struct esse_out *out, const struct esse_history *history, esse_value value);

/* The items of a list. */
void esse_show_items(struct esse_out *out, const struct esse_history *history,
                     const esse_value *items, uint32_t count);

/* A key in a sentence: "x", "key 256"; strings and keywords without quotes or colon. */
void esse_show_key(struct esse_out *out, const struct esse_history *history, esse_key key);

/* And where it is clear that it is one: "x", "256". */
void esse_show_bare_key(struct esse_out *out, const struct esse_history *history, esse_key key);

/* An operation: "r x = 5", "w x = 6", "a l 7", "d x", "where v < 5: {x 1}",
 * "SELECT count(*) FROM t: 3". */
void esse_show_op(struct esse_out *out, const struct esse_history *history, esse_op op);

/* A sentence: %t is a transaction, %k a key, %b a bare key, %v a value, %o an operation, %d what it
 * did, %s a text.  The second is into an arena's text. */
void esse_show_f(struct esse_out *out, const struct esse_history *history, const char *format, ...);
const char *esse_show_sentence(struct esse_arena *arena, const struct esse_history *history,
                               const char *format, ...);

/* Of a predicate operation its text alone, and its result: "SELECT count(*) FROM t: 3". */
void esse_show_statement(struct esse_out *out, const struct esse_history *history, esse_op op,
                         size_t most);

/* The statement that made the operation, as its author wrote it, on one line: white space between
 * words is one space.  It must be known. */
const char *esse_show_written(struct esse_arena *arena, const struct esse_history *history,
                              esse_op op, size_t most);

/* The same where a text has 'most' bytes, and so columns, but not less than a dozen; lists and rows
 * are as above, and keys bare. */
const char *esse_show_txn_within(struct esse_arena *arena, const struct esse_history *history,
                                 esse_txn txn, size_t most);
const char *esse_show_key_within(struct esse_arena *arena, const struct esse_history *history,
                                 esse_key key, size_t most);
const char *esse_show_text_within(struct esse_arena *arena, const struct esse_history *history,
                                  esse_value value, size_t most);

/* The same into an arena's text. */
const char *esse_show_text(struct esse_arena *arena, const struct esse_history *history,
                           esse_value value);
const char *esse_show_key_text(struct esse_arena *arena, const struct esse_history *history,
                               esse_key key);

#endif
