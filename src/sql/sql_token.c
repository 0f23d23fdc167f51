#include "sql/sql_token.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 128;
}

static char at(const struct sql_tokens *tokens, uint32_t ahead)
{
    return tokens->at + ahead < tokens->length ? tokens->text[tokens->at + ahead] : '\0';
}

static bool looking_at(const struct sql_tokens *tokens, const char *what)
{
    const size_t length = strlen(what);
    return tokens->length - tokens->at >= length &&
           memcmp(tokens->text + tokens->at, what, length) == 0;
}

static void skip_line(struct sql_tokens *tokens)
{
    while (tokens->at < tokens->length && tokens->text[tokens->at] != '\n')
        tokens->at++;
}

/* PostgreSQL's remarks nest, MySQL's do not. */
static bool skip_remark(struct sql_tokens *tokens)
{
    unsigned depth = 0;
    do {
        if (tokens->at >= tokens->length)
            return false;
        if (looking_at(tokens, "/*") && (!tokens->is_mysql || !depth)) {
            depth++;
            tokens->at += 2;
        } else if (looking_at(tokens, "*/")) {
            depth--;
            tokens->at += 2;
        } else {
            tokens->at++;
        }
    } while (depth);
    return true;
}

static bool skip_blanks(struct sql_tokens *tokens)
{
    for (;;) {
        if (tokens->at < tokens->length && isspace((unsigned char)tokens->text[tokens->at])) {
            tokens->at++;
        } else if ((looking_at(tokens, "--") &&
                    (!tokens->is_mysql || isspace((unsigned char)at(tokens, 2)) ||
                     !at(tokens, 2))) ||
                   (tokens->is_mysql && at(tokens, 0) == '#')) {
            skip_line(tokens);
        } else if (looking_at(tokens, "/*")) {
            if (!skip_remark(tokens))
                return false;
        } else {
            return true;
        }
    }
}

static bool skip_quoted(struct sql_tokens *tokens, char quote, bool has_escapes)
{
    for (tokens->at++; tokens->at < tokens->length; tokens->at++) {
        const char c = tokens->text[tokens->at];
        if (c == '\\' && has_escapes) {
            tokens->at++;
        } else if (c == quote && at(tokens, 1) == quote) {
            tokens->at++;
        } else if (c == quote) {
            tokens->at++;
            return true;
        }
    }
    return false;
}

/* $$text$$ or $tag$text$tag$; the length of the tag with its dollars, 0 if it is none. */
static uint32_t dollar_tag(const struct sql_tokens *tokens)
{
    uint32_t length = 1;
    while (is_word(at(tokens, length)) && at(tokens, length) != '$')
        length++;
    return at(tokens, length) == '$' && !isdigit((unsigned char)at(tokens, 1)) ? length + 1 : 0;
}

static bool skip_dollars(struct sql_tokens *tokens, uint32_t tag)
{
    const char *text = tokens->text + tokens->at;
    const char *end = memmem(text + tag, tokens->length - tokens->at - tag, text, tag);
    tokens->at = end ? (uint32_t)(end - tokens->text) + tag : tokens->length;
    return end != NULL;
}

static void skip_number(struct sql_tokens *tokens)
{
    while (isdigit((unsigned char)at(tokens, 0)))
        tokens->at++;
    if (at(tokens, 0) == '.' && at(tokens, 1) != '.') {
        tokens->at++;
        while (isdigit((unsigned char)at(tokens, 0)))
            tokens->at++;
    }
    if (at(tokens, 0) == 'e' || at(tokens, 0) == 'E') {
        const uint32_t sign = at(tokens, 1) == '-' || at(tokens, 1) == '+';
        if (isdigit((unsigned char)at(tokens, 1 + sign))) {
            tokens->at += 1 + sign;
            while (isdigit((unsigned char)at(tokens, 0)))
                tokens->at++;
        }
    }
}

static const char *const symbols[] = { "<=>", "<=", ">=", "<>", "!=", "||", "&&",
                                       "<<",  ">>", ":=", "::", "..", "=>", "->" };

static enum sql_token_kind scan(struct sql_tokens *tokens)
{
    const char c = at(tokens, 0);
    const bool backslashes = tokens->is_mysql;
    if (tokens->at == tokens->length)
        return SQL_TOKEN_END;
    if (c == '\'' || (c == '"' && tokens->is_mysql))
        return skip_quoted(tokens, c, backslashes) ? SQL_TOKEN_STRING : SQL_TOKEN_BROKEN;
    if ((c == 'E' || c == 'e') && at(tokens, 1) == '\'' && !tokens->is_mysql) {
        tokens->at++;
        return skip_quoted(tokens, '\'', true) ? SQL_TOKEN_STRING : SQL_TOKEN_BROKEN;
    }
    if (c == '"' || (c == '`' && tokens->is_mysql))
        return skip_quoted(tokens, c, false) ? SQL_TOKEN_QUOTED : SQL_TOKEN_BROKEN;
    if (c == '$' && !tokens->is_mysql && dollar_tag(tokens))
        return skip_dollars(tokens, dollar_tag(tokens)) ? SQL_TOKEN_STRING : SQL_TOKEN_BROKEN;
    if (c == '?' || (c == '$' && isdigit((unsigned char)at(tokens, 1)))) {
        tokens->at++;
        while (c == '$' && isdigit((unsigned char)at(tokens, 0)))
            tokens->at++;
        return SQL_TOKEN_PARAM;
    }
    if (c == '@' && (is_word(at(tokens, 1)) || at(tokens, 1) == '@')) {
        for (tokens->at++; is_word(at(tokens, 0)) || at(tokens, 0) == '@';)
            tokens->at++;
        return SQL_TOKEN_VARIABLE;
    }
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)at(tokens, 1)))) {
        skip_number(tokens);
        return SQL_TOKEN_NUMBER;
    }
    if (is_word(c)) {
        while (is_word(at(tokens, 0)))
            tokens->at++;
        return SQL_TOKEN_WORD;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (looking_at(tokens, symbols[i])) {
            tokens->at += (uint32_t)strlen(symbols[i]);
            return SQL_TOKEN_SYMBOL;
        }
    tokens->at++;
    return SQL_TOKEN_SYMBOL;
}

struct sql_token sql_token_next(struct sql_tokens *tokens)
{
    struct sql_token token = { .at = tokens->at };
    if (!skip_blanks(tokens)) {
        token.kind = SQL_TOKEN_BROKEN;
        tokens->at = tokens->length;
    } else {
        token.at = tokens->at;
        token.kind = scan(tokens);
        if (tokens->at > tokens->length)
            tokens->at = tokens->length;
    }
    token.length = tokens->at - token.at;
    return token;
}

bool sql_token_is(const struct sql_tokens *tokens, struct sql_token token, const char *word)
{
    return (token.kind == SQL_TOKEN_WORD || token.kind == SQL_TOKEN_SYMBOL) &&
           token.length == strlen(word) &&
           strncasecmp(tokens->text + token.at, word, token.length) == 0;
}

static char escaped(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    case 'b':
        return '\b';
    default:
        return c;
    }
}

const char *sql_token_text(const struct sql_tokens *tokens, struct sql_token token,
                           struct esse_arena *arena, size_t *length)
{
    const char *from = tokens->text + token.at, *end = from + token.length;
    char *copy = esse_arena_alloc(arena, token.length + 1, 1), *to = copy;
    const bool has_e = *from == 'e' || *from == 'E';
    if (*from == '$') {
        const uint32_t tag =
            (uint32_t)((const char *)memchr(from + 1, '$', token.length) - from) + 1;
        *length = token.length - 2 * tag;
        memcpy(copy, from + tag, *length);
        return copy;
    }
    from += has_e;
    const char quote = *from++;
    const bool has_escapes = has_e || (tokens->is_mysql && quote != '`');
    for (; from < end - 1; from++) {
        if (*from == '\\' && has_escapes && from + 1 < end - 1)
            *to++ = escaped(*++from);
        else
            *to++ = *from == quote ? *++from : *from;
    }
    *length = (size_t)(to - copy);
    return copy;
}
