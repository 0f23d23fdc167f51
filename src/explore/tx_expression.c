#include "explore/tx_parsing.h"

/* Expressions: C's operators and precedence on numbers; 'in', '|', '&', '-' and size() on sets. */

enum { DEPTH_MOST = 200 };

static bool unary(struct tx_parsing *p, struct tx_value *value);

bool tx_text_number(struct tx_parsing *p, const struct tx_token *token, int64_t *number)
{
    const char *text = p->source.text + token->at + 1;
    size_t at = 0;
    while (at < p->texts.count && (strlen(p->texts.at[at]) != token->length ||
                                   memcmp(p->texts.at[at], text, token->length) != 0))
        at++;
    if (at == p->texts.count)
        tx_text_vec_push(&p->texts, p->arena, esse_arena_text(p->arena, text, token->length));
    *number = (int64_t)at;
    return true;
}

static bool emit_to_temporary(struct tx_parsing *p, enum tx_op op, uint16_t a, uint16_t b,
                              struct tx_kind kind, struct tx_value *value)
{
    *value = (struct tx_value){ .kind = kind };
    return tx_temporary(p, &value->operand) && tx_emit(p, op, value->operand, a, b);
}

bool tx_place(struct tx_parsing *p, struct tx_variable **variable, struct tx_value *index)
{
    struct tx_name name;
    const uint32_t at = p->at;
    if (!tx_expect_name(p, "a variable", &name))
        return false;
    *variable = NULL;
    for (size_t i = 0; i < p->variables.count; i++)
        if (tx_same(p->variables.at[i].name, name))
            *variable = &p->variables.at[i];
    if (!*variable) {
        p->at = at;
        return tx_wrong(p, "a variable of 'vars'");
    }
    if (!(*variable)->is_array)
        return true;
    if (!tx_expect(p, "["))
        return false;
    const uint32_t where = p->at;
    struct tx_kind kind = tx_number;
    return tx_expression(p, index) && tx_unify(p, where, &kind, index->kind) && tx_expect(p, "]");
}

/* ---- invariants: SESSION.TXN.LOCAL, final values, sum() ---- */

static bool add_final(struct tx_parsing *p, const struct tx_variable *variable)
{
    for (uint32_t v = variable->first; v < variable->first + variable->length; v++) {
        size_t i = 0;
        while (i < p->finals.count && p->finals.at[i] != v)
            i++;
        if (i == p->finals.count)
            esse_u32_vec_push(&p->finals, p->arena, v);
    }
    return true;
}

static bool final_value(struct tx_parsing *p, struct tx_value *value)
{
    struct tx_variable *variable;
    struct tx_value index;
    if (!tx_place(p, &variable, &index) || !add_final(p, variable))
        return false;
    if (variable->is_array)
        return emit_to_temporary(p, TX_FINAL_AT, variable->array, index.operand, variable->kind,
                                 value);
    return emit_to_temporary(p, TX_FINAL, (uint16_t)(variable->first >> 16),
                             (uint16_t)variable->first, variable->kind, value);
}

/* sum(ARRAY), of the final values. */
static bool final_sum(struct tx_parsing *p, struct tx_value *value)
{
    struct tx_name name;
    uint16_t zero, part;
    p->at += 2;
    const uint32_t at = p->at;
    if (!tx_expect_name(p, "an array", &name))
        return false;
    struct tx_variable *array = NULL;
    for (size_t i = 0; i < p->variables.count; i++)
        if (tx_same(p->variables.at[i].name, name) && p->variables.at[i].is_array)
            array = &p->variables.at[i];
    if (!array || !tx_is_plain(array->kind)) {
        p->at = at;
        return tx_wrong(p, "an array of numbers");
    }
    if (!tx_expect(p, ")") || !add_final(p, array) || !tx_constant(p, 0, &zero) ||
        !emit_to_temporary(p, TX_MOVE, zero, zero, tx_number, value) || !tx_temporary(p, &part))
        return false;
    for (uint32_t v = array->first; v < array->first + array->length; v++)
        if (!tx_emit(p, TX_FINAL, part, (uint16_t)(v >> 16), (uint16_t)v) ||
            !tx_emit(p, TX_ADD, value->operand, value->operand, part))
            return false;
    return true;
}

static bool named(struct tx_name name, const char *text)
{
    return text && strlen(text) == name.length && memcmp(text, name.text, name.length) == 0;
}

/* SESSION.LOCAL or SESSION.TXN.LOCAL. */
static bool session_local(struct tx_parsing *p, struct tx_value *value)
{
    struct tx_name session, txn = { 0 }, local;
    const uint32_t at = p->at;
    if (!tx_expect_name(p, "a session", &session) || !tx_expect(p, ".") ||
        !tx_expect_name(p, "a transaction or a local", &local))
        return false;
    if (tx_take(p, ".")) {
        txn = local;
        if (!tx_expect_name(p, "a local", &local))
            return false;
    }
    const struct tx_local *found = NULL;
    for (size_t i = 0; i < p->locals.count; i++) {
        const struct tx_local *one = &p->locals.at[i];
        const struct esse_program_txn *of = &p->txns.at[one->txn];
        if (!found && tx_same(one->name, local) && named(session, p->sessions.at[of->session]) &&
            (!txn.length || named(txn, of->name)))
            found = one;
    }
    if (!found) {
        p->at = at;
        return tx_wrong(p, "a local of a transaction, as SESSION.TRANSACTION.LOCAL");
    }
    return emit_to_temporary(p, TX_OF, (uint16_t)found->txn, found->where, found->kind, value);
}

/* ---- the leaves ---- */

static bool is_variable(const struct tx_parsing *p, struct tx_name name)
{
    for (size_t i = 0; i < p->variables.count; i++)
        if (tx_same(p->variables.at[i].name, name))
            return true;
    return false;
}

static bool name_value(struct tx_parsing *p, struct tx_value *value)
{
    const struct tx_token *token = tx_here(p);
    const struct tx_name name = { p->source.text + token->at, token->length };
    if (p->in_invariant)
        return tx_is_ahead(p, 1, ".") ? session_local(p, value) : final_value(p, value);
    struct tx_local *local = tx_find_local(p, name);
    if (!local && is_variable(p, name))
        return esse_tx_fail(&p->source, token->at, p->err,
                            "expected a local; a variable of the database is read by 'a := "
                            "read(%.*s)'",
                            (int)(name.length < 60 ? name.length : 60), name.text);
    if (!local && !tx_local_of(p, name, tx_number, &local)) /* locals start at 0 */
        return false;
    p->at++;
    *value = (struct tx_value){ local->where, local->kind };
    return true;
}

static bool set_of(struct tx_parsing *p, struct tx_value *value)
{
    uint16_t none;
    struct tx_kind kind = { .type = TX_TYPE_SET, .is_open = true };
    if (!tx_constant(p, 0, &none))
        return false;
    *value = (struct tx_value){ none, kind };
    while (!tx_is(p, "}")) {
        struct tx_value element, single;
        const uint32_t at = p->at;
        if (!tx_expression(p, &element))
            return false;
        if (element.kind.type == TX_TYPE_SET)
            return esse_tx_fail(&p->source, p->source.tokens[at].at, p->err,
                                "expected a number or a text, found a set");
        const struct tx_kind one = { .type = TX_TYPE_SET,
                                     .has_texts = element.kind.type == TX_TYPE_WORDS };
        if (!tx_unify(p, at, &kind, one) ||
            !emit_to_temporary(p, TX_SINGLE, element.operand, none, kind, &single) ||
            !emit_to_temporary(p, TX_UNION, value->operand, single.operand, kind, value))
            return false;
        if (!tx_take(p, ","))
            break;
    }
    value->kind = kind;
    return tx_expect(p, "}");
}

static bool size_of(struct tx_parsing *p, struct tx_value *value)
{
    struct tx_value set;
    p->at += 2;
    const uint32_t at = p->at;
    struct tx_kind kind = { .type = TX_TYPE_SET, .is_open = true };
    return tx_expression(p, &set) && tx_unify(p, at, &kind, set.kind) && tx_expect(p, ")") &&
           emit_to_temporary(p, TX_SIZE, set.operand, set.operand, tx_number, value);
}

/* A word that begins or ends something is no local where a value is expected. */
static bool is_reserved(const struct tx_parsing *p)
{
    static const char *const words[] = { "begin",   "commit",    "abort",    "assert",
                                         "if",      "else",      "while",    "for",
                                         "session", "invariant", "procedure" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tx_is(p, words[i]))
            return true;
    return false;
}

static bool leaf(struct tx_parsing *p, struct tx_value *value)
{
    const struct tx_token *token = tx_here(p);
    int64_t word;
    if (token->kind == TX_NUMBER || token->kind == TX_TEXT || tx_is(p, "true") || tx_is(p, "false"))
        return tx_literal(p, &word, &value->kind) && tx_constant(p, word, &value->operand);
    if (tx_take(p, "("))
        return tx_expression(p, value) && tx_expect(p, ")");
    if (tx_take(p, "{"))
        return set_of(p, value);
    if (tx_is(p, "size") && tx_is_ahead(p, 1, "("))
        return size_of(p, value);
    if (p->in_invariant && tx_is(p, "sum") && tx_is_ahead(p, 1, "("))
        return final_sum(p, value);
    if (tx_is(p, "read") && tx_is_ahead(p, 1, "("))
        return esse_tx_fail(&p->source, token->at, p->err,
                            "expected an expression; a read stands alone: a := read(x)");
    return token->kind == TX_NAME && !is_reserved(p) ? name_value(p, value)
                                                     : tx_wrong(p, "an expression");
}

static bool negated(struct tx_parsing *p, enum tx_op op, struct tx_value *value)
{
    const uint32_t at = ++p->at;
    struct tx_kind kind = tx_number;
    struct tx_value of;
    if (p->nested > DEPTH_MOST)
        return tx_wrong(p, "an expression that is nested less");
    p->nested++;
    const bool ok = unary(p, &of);
    p->nested--;
    return ok && tx_unify(p, at, &kind, of.kind) &&
           emit_to_temporary(p, op, of.operand, of.operand, op == TX_NOT ? tx_boolean : tx_number,
                             value);
}

static bool unary(struct tx_parsing *p, struct tx_value *value)
{
    if (tx_is(p, "!"))
        return negated(p, TX_NOT, value);
    if (tx_is(p, "-"))
        return negated(p, TX_NEGATE, value);
    return leaf(p, value);
}

/* ---- operators of two operands ---- */

enum operator_of { OF_NUMBERS, OF_BOTH, OF_ORDER, OF_ANY, OF_SETS, OF_ELEMENT };

static const struct operator_row {
    const char *word;
    int binds; /* tighter with a larger number */
    enum tx_op op;
    enum operator_of of;
    bool is_turned; /* a > b is b < a */
} operators[] = {
    { "==", 3, TX_EQUAL, OF_ANY, false },     { "!=", 3, TX_DIFFERENT, OF_ANY, false },
    { "<", 4, TX_LESS, OF_ORDER, false },     { "<=", 4, TX_AT_MOST, OF_ORDER, false },
    { ">", 4, TX_LESS, OF_ORDER, true },      { ">=", 4, TX_AT_MOST, OF_ORDER, true },
    { "in", 4, TX_IN, OF_ELEMENT, false },    { "|", 5, TX_UNION, OF_SETS, false },
    { "&", 5, TX_COMMON, OF_SETS, false },    { "+", 6, TX_ADD, OF_NUMBERS, false },
    { "-", 6, TX_SUBTRACT, OF_BOTH, false },  { "*", 7, TX_MULTIPLY, OF_NUMBERS, false },
    { "/", 7, TX_DIVIDE, OF_NUMBERS, false }, { "%", 7, TX_MODULO, OF_NUMBERS, false },
};

static const struct operator_row *operator_here(const struct tx_parsing *p)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (tx_is(p, operators[i].word))
            return &operators[i];
    return NULL;
}

static bool combine(struct tx_parsing *p, const struct operator_row *row, uint32_t left_at,
                    uint32_t right_at, struct tx_value left, struct tx_value right,
                    struct tx_value *value)
{
    struct tx_kind numbers = tx_number, sets = { .type = TX_TYPE_SET, .is_open = true };
    struct tx_kind kind = tx_boolean;
    enum tx_op op = row->op;
    if (row->of == OF_ELEMENT) {
        struct tx_kind wanted = { .type = TX_TYPE_SET,
                                  .has_texts = left.kind.type == TX_TYPE_WORDS };
        if (left.kind.type == TX_TYPE_SET)
            return esse_tx_fail(&p->source, p->source.tokens[left_at].at, p->err,
                                "expected a number or a text before 'in', found a set");
        if (!tx_unify(p, right_at, &wanted, right.kind))
            return false;
    } else if (row->of == OF_SETS || (row->of == OF_BOTH && left.kind.type == TX_TYPE_SET)) {
        if (!tx_unify(p, left_at, &sets, left.kind) || !tx_unify(p, right_at, &sets, right.kind))
            return false;
        kind = sets;
        op = op == TX_SUBTRACT ? TX_WITHOUT : op;
    } else if (row->of == OF_ANY) {
        if (!tx_unify(p, right_at, &left.kind, right.kind))
            return false;
    } else {
        if (!tx_unify(p, left_at, &numbers, left.kind) ||
            !tx_unify(p, right_at, &numbers, right.kind))
            return false;
        kind = row->of == OF_ORDER ? tx_boolean : tx_number;
    }
    return emit_to_temporary(p, op, row->is_turned ? right.operand : left.operand,
                             row->is_turned ? left.operand : right.operand, kind, value);
}

static bool binary(struct tx_parsing *p, int least, struct tx_value *value)
{
    const uint32_t left_at = p->at;
    if (!unary(p, value))
        return false;
    for (const struct operator_row *row; (row = operator_here(p)) && row->binds >= least;) {
        struct tx_value right;
        const uint32_t right_at = ++p->at;
        if (!binary(p, row->binds + 1, &right) ||
            !combine(p, row, left_at, right_at, *value, right, value))
            return false;
    }
    return true;
}

/* a && b, a || b: b is evaluated only where it counts, as it may divide by zero. */
static bool logical(struct tx_parsing *p, bool is_or, struct tx_value *value)
{
    const char *word = is_or ? "||" : "&&";
    uint32_t at = p->at;
    if (!(is_or ? logical(p, false, value) : binary(p, 3, value)))
        return false;
    if (!tx_is(p, word))
        return true;
    uint16_t result, zero;
    struct tx_kind kind = tx_number;
    if (!tx_unify(p, at, &kind, value->kind) || !tx_temporary(p, &result) ||
        !tx_constant(p, 0, &zero) || !tx_emit(p, TX_DIFFERENT, result, value->operand, zero))
        return false;
    while (tx_take(p, word)) {
        struct tx_value next;
        at = p->at;
        uint16_t turned = result;
        if (is_or && (!tx_temporary(p, &turned) || !tx_emit(p, TX_NOT, turned, result, result)))
            return false;
        const size_t skip = p->code.count;
        if (!tx_emit(p, TX_UNLESS, turned, 0, 0) ||
            !(is_or ? logical(p, false, &next) : binary(p, 3, &next)) ||
            !tx_unify(p, at, &kind, next.kind) ||
            !tx_emit(p, TX_DIFFERENT, result, next.operand, zero))
            return false;
        tx_aim(p, skip, p->code.count);
    }
    *value = (struct tx_value){ result, tx_boolean };
    return true;
}

bool tx_expression(struct tx_parsing *p, struct tx_value *value)
{
    if (p->nested > DEPTH_MOST)
        return tx_wrong(p, "an expression that is nested less");
    p->nested++;
    const bool ok = logical(p, true, value);
    p->nested--;
    return ok;
}

bool tx_condition(struct tx_parsing *p, struct tx_value *value)
{
    const uint32_t at = p->at;
    struct tx_kind kind = tx_boolean;
    return tx_expression(p, value) && tx_unify(p, at, &kind, value->kind);
}
