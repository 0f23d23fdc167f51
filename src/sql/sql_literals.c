#include "sql/sql_literals.h"

#include "sql/sql_token.h"

#include <string.h>

static bool is_shared(const struct sql_tokens *tokens, struct sql_token first)
{
    static const char *const words[] = { "SELECT", "INSERT", "UPDATE", "DELETE", "WITH" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (sql_token_is(tokens, first, words[i]))
            return true;
    return false;
}

static struct esse_type number_type(struct esse_datum number)
{
    if (number.kind != ESSE_DATUM_INT)
        return ESSE_TYPE(NUMERIC);
    return number.is.number <= INT32_MAX ? ESSE_TYPE(INT) : ESSE_TYPE(BIGINT);
}

static bool add_literal(struct sql_literals *literals, const struct sql_tokens *tokens,
                        struct sql_token token)
{
    struct sql_literal literal = { .at = token.at };
    struct esse_datum value;
    if (token.kind == SQL_TOKEN_NUMBER) {
        struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
        if (!esse_datum_number(literals->arena, tokens->text + token.at, token.length, &value,
                               &fault))
            return false;
        literal.type = number_type(value);
    } else {
        size_t length;
        const char *text = sql_token_text(tokens, token, literals->arena, &length);
        value = esse_datum_text(text, length);
    }
    const uint8_t marks[] = { 1, (uint8_t)('a' + literal.type.base) };
    esse_u8_vec_append(&literals->shape, literals->arena, marks, sizeof marks);
    sql_literal_vec_push(&literals->at, literals->arena, literal);
    sql_slot_vec_push(&literals->values, literals->arena, value);
    return true;
}

bool sql_take_apart(struct sql_literals *literals, enum esse_dialect dialect, const char *text,
                    size_t length)
{
    struct sql_tokens tokens = { .text = text,
                                 .length = (uint32_t)length,
                                 .is_mysql = dialect == ESSE_DIALECT_MYSQL };
    struct esse_arena *arena = literals->arena;
    uint32_t copied = 0;
    esse_arena_clear(arena);
    *literals = (struct sql_literals){ .arena = arena };
    struct sql_token token = sql_token_next(&tokens);
    if (!is_shared(&tokens, token))
        return false;
    for (; token.kind != SQL_TOKEN_END; token = sql_token_next(&tokens)) {
        if (token.kind == SQL_TOKEN_BROKEN)
            return false;
        if (token.kind != SQL_TOKEN_NUMBER &&
            (token.kind != SQL_TOKEN_STRING || text[token.at] != '\''))
            continue;
        esse_u8_vec_append(&literals->shape, arena, (const uint8_t *)text + copied,
                           token.at - copied);
        if (!add_literal(literals, &tokens, token))
            return false;
        copied = token.at + token.length;
    }
    esse_u8_vec_append(&literals->shape, arena, (const uint8_t *)text + copied, length - copied);
    return true;
}

uint32_t sql_literal_at(const struct sql_literals *literals, uint32_t at)
{
    size_t low = 0, high = literals->at.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (literals->at.at[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < literals->at.count && literals->at.at[low].at == at ? (uint32_t)low : UINT32_MAX;
}
