#include "explore/tx_parsing.h"

#include <assert.h>
#include <stdio.h>

const struct tx_kind tx_number = { .type = TX_TYPE_NUMBER };
const struct tx_kind tx_boolean = { .type = TX_TYPE_BOOLEAN };
const struct tx_kind tx_words = { .type = TX_TYPE_WORDS };

/* ---- tokens ---- */

bool tx_is_ahead(const struct tx_parsing *p, uint32_t ahead, const char *word)
{
    const uint32_t at = p->at + ahead;
    return at < p->source.count && tx_token_is(&p->source, &p->source.tokens[at], word);
}

bool tx_is(const struct tx_parsing *p, const char *word)
{
    return tx_is_ahead(p, 0, word);
}

bool tx_take(struct tx_parsing *p, const char *word)
{
    const bool is_there = tx_is(p, word);
    p->at += is_there;
    return is_there;
}

bool tx_wrong(struct tx_parsing *p, const char *what)
{
    const struct tx_token *token = tx_here(p);
    if (token->kind == TX_END)
        return esse_tx_fail(&p->source, token->at, p->err, "expected %s, found the end of the file",
                            what);
    const int length = token->length < 40 ? (int)token->length : 40;
    const char *quote = token->kind == TX_TEXT ? "\"" : "";
    return esse_tx_fail(&p->source, token->at, p->err, "expected %s, found '%s%.*s%s'", what, quote,
                        length, p->source.text + token->at + (token->kind == TX_TEXT), quote);
}

bool tx_expect(struct tx_parsing *p, const char *word)
{
    char what[40];
    snprintf(what, sizeof what, "'%s'", word);
    return tx_take(p, word) || tx_wrong(p, what);
}

bool tx_expect_name(struct tx_parsing *p, const char *what, struct tx_name *name)
{
    const struct tx_token *token = tx_here(p);
    if (token->kind != TX_NAME)
        return tx_wrong(p, what);
    *name = (struct tx_name){ p->source.text + token->at, token->length };
    p->at++;
    return true;
}

bool tx_expect_number(struct tx_parsing *p, const char *what, int64_t *number)
{
    const bool is_negative = tx_take(p, "-");
    const struct tx_token *token = tx_here(p);
    if (token->kind != TX_NUMBER)
        return tx_wrong(p, what);
    *number = is_negative ? -token->number : token->number;
    p->at++;
    return true;
}

bool tx_same(struct tx_name a, struct tx_name b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

const char *tx_text_between(struct tx_parsing *p, uint32_t from, uint32_t upto)
{
    assert(from < upto);
    const struct tx_token *last = &p->source.tokens[upto - 1];
    const uint32_t begin = p->source.tokens[from].at;
    char *text = esse_arena_text(p->arena, p->source.text + begin,
                                 last->at + last->length + (last->kind == TX_TEXT ? 2 : 0) - begin);
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    return text;
}

/* ---- kinds ---- */

const char *tx_kind_name(struct tx_kind kind)
{
    switch (kind.type) {
    case TX_TYPE_NUMBER:
        return "a number";
    case TX_TYPE_BOOLEAN:
        return "a truth value";
    case TX_TYPE_WORDS:
        return "a text";
    default:
        return kind.is_open ? "a set" : kind.has_texts ? "a set of texts" : "a set of numbers";
    }
}

bool tx_unify(struct tx_parsing *p, uint32_t token, struct tx_kind *wanted, struct tx_kind found)
{
    const bool are_sets = wanted->type == TX_TYPE_SET && found.type == TX_TYPE_SET;
    if (are_sets && wanted->is_open)
        *wanted = found;
    if ((tx_is_plain(*wanted) && tx_is_plain(found)) ||
        (wanted->type == TX_TYPE_WORDS && found.type == TX_TYPE_WORDS) ||
        (are_sets && (found.is_open || wanted->has_texts == found.has_texts)))
        return true;
    return esse_tx_fail(&p->source, p->source.tokens[token].at, p->err, "expected %s, found %s",
                        tx_kind_name(*wanted), tx_kind_name(found));
}

/* ---- code ---- */

static bool too_large(struct tx_parsing *p, const char *what)
{
    return esse_tx_fail(&p->source, tx_here(p)->at, p->err, "expected fewer %s: no more than %d",
                        what, TX_OPERANDS_MOST);
}

bool tx_emit(struct tx_parsing *p, enum tx_op op, uint16_t to, uint16_t a, uint16_t b)
{
    enum { CODE_MOST = 4 << 20 };
    if (p->code.count == CODE_MOST)
        return esse_tx_fail(&p->source, tx_here(p)->at, p->err,
                            "expected a smaller program: procedures are compiled at each call");
    tx_code_vec_push(&p->code, p->arena, (struct tx_code){ (uint8_t)op, to, a, b });
    const uint32_t before = p->at ? p->at - 1 : 0;
    esse_u32_vec_push(&p->lines, p->arena, esse_tx_line(&p->source, p->source.tokens[before].at));
    return true;
}

bool tx_constant(struct tx_parsing *p, int64_t number, uint16_t *operand)
{
    size_t at = 0;
    while (at < p->constants.count && p->constants.at[at] != number)
        at++;
    if (at > TX_OPERANDS_MOST)
        return too_large(p, "different numbers");
    if (at == p->constants.count)
        esse_i64_vec_push(&p->constants, p->arena, number);
    *operand = (uint16_t)(TX_CONSTANT | at);
    return true;
}

bool tx_temporary(struct tx_parsing *p, uint16_t *operand)
{
    if (p->temporaries >= TX_TEMPORARY)
        return too_large(p, "parts of an expression");
    *operand = (uint16_t)(TX_TEMPORARY | p->temporaries++);
    if (p->temporaries > p->temporaries_used)
        p->temporaries_used = p->temporaries;
    return true;
}

bool tx_new_register(struct tx_parsing *p, uint16_t *operand)
{
    enum { LOCALS_MOST = 0x2000 };
    if (p->locals_used >= LOCALS_MOST)
        return too_large(p, "locals");
    *operand = (uint16_t)p->locals_used++;
    return true;
}

void tx_aim(struct tx_parsing *p, size_t jump, size_t target)
{
    p->code.at[jump].a = (uint16_t)(target >> 16);
    p->code.at[jump].b = (uint16_t)target;
}

/* Which members of an instruction are operands. */
enum { USES_TO = 1, USES_A = 2, USES_B = 4 };

static int uses(enum tx_op op)
{
    switch (op) {
    case TX_READ:
    case TX_WRITE:
    case TX_UNLESS:
    case TX_BOUND:
    case TX_OF:
    case TX_FINAL:
        return USES_TO;
    case TX_READ_AT:
    case TX_WRITE_AT:
    case TX_FINAL_AT:
        return USES_TO | USES_B;
    case TX_COMMIT:
    case TX_ABORT:
    case TX_JUMP:
        return 0;
    case TX_ASSERT:
        return USES_B;
    default:
        return USES_TO | USES_A | USES_B;
    }
}

static void place(const struct tx_parsing *p, uint16_t *operand)
{
    if (!(*operand & TX_CONSTANT) && *operand & TX_TEMPORARY)
        *operand = (uint16_t)(*operand - TX_TEMPORARY + p->locals_used);
}

void tx_place_temporaries(struct tx_parsing *p, size_t start)
{
    for (size_t i = start; i < p->code.count; i++) {
        struct tx_code *code = &p->code.at[i];
        const int used = uses((enum tx_op)code->op);
        if (used & USES_TO)
            place(p, &code->to);
        if (used & USES_A)
            place(p, &code->a);
        if (used & USES_B)
            place(p, &code->b);
    }
    if (p->locals_used + p->temporaries_used > p->registers)
        p->registers = p->locals_used + p->temporaries_used;
}
