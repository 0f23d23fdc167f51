#ifndef ESSE_HISTORY_SHOW_H
#define ESSE_HISTORY_SHOW_H

#include "base/out.h"
#include "history/history.h"

/* Values and operations as people read them.  Long lists and texts are shortened in the middle. */

/* 5, "five", :five, nil, [1 2 3 … 97 98 99] */
void esse_show_value(struct esse_out *out, const struct esse_history *history, esse_value value);

/* A key: strings and keywords without quotes or colon. */
void esse_show_key(struct esse_out *out, const struct esse_history *history, esse_key key);

/* An operation: "r x = 5", "w x = 6", "a l 7", "d x", "where v < 5: {x 1}",
 * "SELECT count(*) FROM t: 3". */
void esse_show_op(struct esse_out *out, const struct esse_history *history, esse_op op);

/* The same into an arena's text. */
const char *esse_show_text(struct esse_arena *arena, const struct esse_history *history,
                           esse_value value);
const char *esse_show_key_text(struct esse_arena *arena, const struct esse_history *history,
                               esse_key key);

#endif
