#ifndef ESSE_EXPLORE_TX_TOKEN_H
#define ESSE_EXPLORE_TX_TOKEN_H

#include "base/error.h"

#include <string.h>

/* The words of a .tx file, and how an error shows where it is. */

enum tx_token_kind { TX_END, TX_NAME, TX_NUMBER, TX_TEXT, TX_MARK };

struct tx_token {
    enum tx_token_kind kind;
    uint32_t at, length; /* in the file; a text's length is without its quotes, which it is at */
    int64_t number;
};

struct tx_source {
    const char *text;
    size_t length;
    struct tx_token *tokens; /* the last is TX_END */
    uint32_t count;
};

bool esse_tx_scan(struct esse_arena *arena, struct tx_source *source, struct esse_error *err);

/* Is the token this mark or word? */
static inline bool tx_token_is(const struct tx_source *source, const struct tx_token *token,
                               const char *word)
{
    return (token->kind == TX_NAME || token->kind == TX_MARK) && strlen(word) == token->length &&
           memcmp(source->text + token->at, word, token->length) == 0;
}

/* Fails at a place of the file with "text", the line, and a caret below it. */
bool esse_tx_fail(const struct tx_source *source, uint32_t at, struct esse_error *err,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The line that a place is in, from 1. */
uint32_t esse_tx_line(const struct tx_source *source, uint32_t at);

#endif
