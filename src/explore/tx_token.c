#include "explore/tx_token.h"

#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>

ESSE_VEC(token_vec, struct tx_token)

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

uint32_t esse_tx_line(const struct tx_source *source, uint32_t at)
{
    uint32_t line = 1;
    for (uint32_t i = 0; i < at; i++)
        line += source->text[i] == '\n';
    return line;
}

/* Where the line begins and ends, cut to what fits around the place. */
static void line_around(const struct tx_source *source, uint32_t at, uint32_t *begin, uint32_t *end)
{
    enum { BEFORE = 60, AFTER = 40 };
    *begin = at;
    while (*begin > 0 && source->text[*begin - 1] != '\n' && at - *begin < BEFORE)
        --*begin;
    *end = at;
    while (*end < source->length && source->text[*end] != '\n' && *end - at < AFTER)
        ++*end;
}

bool esse_tx_fail(const struct tx_source *source, uint32_t at, struct esse_error *err,
                  const char *format, ...)
{
    uint32_t begin, end, start = at;
    line_around(source, at, &begin, &end);
    while (start > 0 && source->text[start - 1] != '\n')
        start--;
    char said[240], shown[104], caret[104];
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    uint32_t length = 0;
    for (uint32_t i = begin; i < end; i++)
        shown[length++] = source->text[i] < ' ' && source->text[i] >= 0 ? ' ' : source->text[i];
    shown[length] = '\0';
    memset(caret, ' ', at - begin);
    memcpy(caret + (at - begin), "^", 2);
    return esse_fail_at(err, esse_tx_line(source, at), at - start + 1, "%s\n    %s\n    %s", said,
                        shown, caret);
}

/* The length of the white space and comments at a place. */
static uint32_t skipped(const struct tx_source *source, uint32_t at)
{
    const uint32_t from = at;
    for (; at < source->length; at++) {
        const char c = source->text[at];
        if (c == '#')
            while (at + 1 < source->length && source->text[at + 1] != '\n')
                at++;
        else if (c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != ';')
            break;
    }
    return at - from;
}

static bool scan_number(struct tx_source *source, struct tx_token *token, struct esse_error *err)
{
    uint32_t at = token->at;
    for (; at < source->length && is_digit(source->text[at]); at++)
        if (__builtin_mul_overflow(token->number, 10, &token->number) ||
            __builtin_add_overflow(token->number, source->text[at] - '0', &token->number))
            return esse_tx_fail(source, token->at, err, "expected an integer of 64 bits");
    if (at < source->length && is_letter(source->text[at]))
        return esse_tx_fail(source, at, err, "expected a space or an operator after a number");
    token->length = at - token->at;
    return true;
}

static bool scan_text(struct tx_source *source, struct tx_token *token, struct esse_error *err)
{
    uint32_t at = token->at + 1;
    while (at < source->length && source->text[at] != '"' && source->text[at] != '\n')
        at++;
    if (at == source->length || source->text[at] == '\n')
        return esse_tx_fail(source, token->at, err, "expected a '\"' at the end of a text");
    token->length = at - token->at - 1;
    return true;
}

static uint32_t mark_length(const struct tx_source *source, uint32_t at)
{
    static const char *const pairs[] = { ":=", "||", "&&", "==", "!=", "<=", ">=", ".." };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (at + 1 < source->length && memcmp(source->text + at, pairs[i], 2) == 0)
            return 2;
    const char c = source->text[at];
    return c && strchr("(){}[]<>=!+-*/%,:.|&", c) ? 1 : 0;
}

static bool scan_token(struct tx_source *source, struct tx_token *token, struct esse_error *err)
{
    const char c = source->text[token->at];
    if (is_digit(c)) {
        token->kind = TX_NUMBER;
        return scan_number(source, token, err);
    }
    if (c == '"') {
        token->kind = TX_TEXT;
        return scan_text(source, token, err);
    }
    if (is_letter(c)) {
        uint32_t at = token->at;
        while (at < source->length && (is_letter(source->text[at]) || is_digit(source->text[at])))
            at++;
        token->kind = TX_NAME;
        token->length = at - token->at;
        return true;
    }
    token->kind = TX_MARK;
    token->length = mark_length(source, token->at);
    if (token->length)
        return true;
    return c > ' ' && c < 127
               ? esse_tx_fail(source, token->at, err, "expected a statement, found '%c'", c)
               : esse_tx_fail(source, token->at, err, "expected a statement, found byte %u",
                              (unsigned char)c);
}

bool esse_tx_scan(struct esse_arena *arena, struct tx_source *source, struct esse_error *err)
{
    struct token_vec tokens = { 0 };
    if (source->length >= UINT32_MAX)
        return esse_fail(err, ESSE_EINPUT, "expected a program of less than 4 GB");
    for (uint32_t at = skipped(source, 0); at < source->length; at += skipped(source, at)) {
        struct tx_token token = { .at = at };
        if (!scan_token(source, &token, err))
            return false;
        at = token.at + token.length + (token.kind == TX_TEXT ? 2 : 0); /* its quotes */
        token_vec_push(&tokens, arena, token);
    }
    token_vec_push(&tokens, arena,
                   (struct tx_token){ .kind = TX_END, .at = (uint32_t)source->length });
    source->tokens = tokens.at;
    source->count = (uint32_t)tokens.count;
    return true;
}
