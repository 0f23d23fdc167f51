#ifndef ESSE_SQL_SQL_LIKE_H
#define ESSE_SQL_SQL_LIKE_H

#include "history/values.h"

/*
 * LIKE: '%' stands for any text, '_' for one UTF-8 character, and what follows the escape for
 * itself.  An empty escape switches escaping off.
 *
 * Cost: O(text * pattern) at worst, O(text + pattern) for what people write.
 */
enum sql_like {
    SQL_LIKE_NO,
    SQL_LIKE_YES,
    SQL_LIKE_ENDS_IN_ESCAPE, /* the pattern does, where the text got that far */
    SQL_LIKE_LONG_ESCAPE,    /* the escape is more than one character */
};

enum sql_like sql_like(struct esse_span text, struct esse_span pattern, struct esse_span escape);

#endif
