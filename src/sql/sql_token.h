#ifndef ESSE_SQL_SQL_TOKEN_H
#define ESSE_SQL_SQL_TOKEN_H

#include "sql/schema.h"

/*
 * Our own tokenizer, for what PostgreSQL's does not read: MySQL's dialect, procedures, where a
 * statement ends.  Private to sql/.
 *
 * Cost: O(length), one token at a time.
 */
enum sql_token_kind {
    SQL_TOKEN_END,
    SQL_TOKEN_WORD,   /* a name or a keyword, as it stands there */
    SQL_TOKEN_QUOTED, /* "name" or `name`, with its quotes */
    SQL_TOKEN_STRING, /* 'text', E'text', $$text$$; in MySQL's dialect "text" too */
    SQL_TOKEN_NUMBER,
    SQL_TOKEN_PARAM,    /* $1, ? */
    SQL_TOKEN_VARIABLE, /* @name */
    SQL_TOKEN_SYMBOL,   /* ( ) , ; . and operators */
    SQL_TOKEN_BROKEN,   /* a string or a remark that does not end */
};

struct sql_token {
    enum sql_token_kind kind;
    uint32_t at, length;
};

struct sql_tokens {
    const char *text;
    uint32_t at, length;
    bool is_mysql;
};

struct sql_token sql_token_next(struct sql_tokens *tokens);

/* Is it this word, in any case; is it this symbol? */
bool sql_token_is(const struct sql_tokens *tokens, struct sql_token token, const char *word);

/* What a string or a quoted name says, without its quotes. */
const char *sql_token_text(const struct sql_tokens *tokens, struct sql_token token,
                           struct esse_arena *arena, size_t *length);

#endif
