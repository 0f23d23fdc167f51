#include "explore/tx_parsing.h"

#include <assert.h>
#include <stdio.h>

/* What a transaction does. */

enum { BLOCKS_MOST = 100, BOUND_MOST = 1000000 };

static bool statement(struct tx_parsing *p);

/* ---- locals ---- */

struct tx_local *tx_find_local(struct tx_parsing *p, struct tx_name name)
{
    for (size_t i = p->locals.count; i-- > 0;)
        if (p->locals.at[i].scope == p->scope && tx_same(p->locals.at[i].name, name))
            return &p->locals.at[i];
    return NULL;
}

bool tx_local_of(struct tx_parsing *p, struct tx_name name, struct tx_kind kind,
                 struct tx_local **local)
{
    struct tx_local one = { .name = name, .txn = p->txn, .scope = p->scope, .kind = kind };
    if (!tx_new_register(p, &one.where))
        return false;
    tx_local_vec_push(&p->locals, p->arena, one);
    *local = &p->locals.at[p->locals.count - 1];
    return true;
}

/* The local that gets a value of this kind; 'token' is where the value stands. */
static bool assigned(struct tx_parsing *p, struct tx_name name, uint32_t token, struct tx_kind kind,
                     uint16_t *where)
{
    struct tx_local *local = tx_find_local(p, name);
    if (!local && !tx_local_of(p, name, kind, &local))
        return false;
    if (local->is_counting)
        return esse_tx_fail(&p->source, p->source.tokens[token].at, p->err,
                            "expected another local to assign to: '%.*s' counts a loop",
                            (int)(name.length < 60 ? name.length : 60), name.text);
    if (!tx_unify(p, token, &local->kind, kind))
        return false;
    *where = local->where;
    return true;
}

/* ---- reading, writing, assigning ---- */

static bool read_into(struct tx_parsing *p, struct tx_name name)
{
    struct tx_variable *variable;
    struct tx_value index;
    uint16_t where;
    p->at += 2;
    const uint32_t at = p->at;
    if (!tx_place(p, &variable, &index) || !tx_expect(p, ")") ||
        !assigned(p, name, at, variable->kind, &where))
        return false;
    if (variable->is_array)
        return tx_emit(p, TX_READ_AT, where, variable->array, index.operand);
    return tx_emit(p, TX_READ, where, (uint16_t)(variable->first >> 16), (uint16_t)variable->first);
}

static bool assign(struct tx_parsing *p)
{
    struct tx_name name;
    struct tx_value value;
    uint16_t where;
    if (!tx_expect_name(p, "a local", &name) || !tx_expect(p, ":="))
        return false;
    for (size_t i = 0; i < p->variables.count; i++)
        if (tx_same(p->variables.at[i].name, name)) {
            p->at -= 2;
            return tx_wrong(p, "a local; a variable of the database is written by 'write(...)'");
        }
    if (tx_is(p, "read") && tx_is_ahead(p, 1, "("))
        return read_into(p, name);
    const uint32_t at = p->at;
    return tx_expression(p, &value) && assigned(p, name, at, value.kind, &where) &&
           tx_emit(p, TX_MOVE, where, value.operand, value.operand);
}

static bool write_to(struct tx_parsing *p)
{
    struct tx_variable *variable;
    struct tx_value index = { 0 }, value;
    p->at += 2;
    if (!tx_place(p, &variable, &index) || !tx_expect(p, ","))
        return false;
    const uint32_t at = p->at;
    if (!tx_expression(p, &value) || !tx_unify(p, at, &variable->kind, value.kind) ||
        !tx_expect(p, ")"))
        return false;
    if (variable->is_array)
        return tx_emit(p, TX_WRITE_AT, value.operand, variable->array, index.operand);
    return tx_emit(p, TX_WRITE, value.operand, (uint16_t)(variable->first >> 16),
                   (uint16_t)variable->first);
}

/* ---- blocks ---- */

static bool block(struct tx_parsing *p)
{
    return tx_expect(p, "{") && tx_statements(p, "}") && tx_expect(p, "}");
}

static bool if_else(struct tx_parsing *p)
{
    struct tx_value condition;
    p->at++;
    if (!tx_expect(p, "(") || !tx_condition(p, &condition) || !tx_expect(p, ")"))
        return false;
    const size_t skip = p->code.count;
    if (!tx_emit(p, TX_UNLESS, condition.operand, 0, 0) || !block(p))
        return false;
    if (!tx_take(p, "else")) {
        tx_aim(p, skip, p->code.count);
        return true;
    }
    const size_t leave = p->code.count;
    if (!tx_emit(p, TX_JUMP, 0, 0, 0))
        return false;
    tx_aim(p, skip, p->code.count);
    if (!(tx_is(p, "if") ? statement(p) : block(p)))
        return false;
    tx_aim(p, leave, p->code.count);
    return true;
}

/* bound N: how often a loop may go round. */
static bool bound(struct tx_parsing *p, uint16_t *operand)
{
    int64_t number;
    if (!tx_is(p, "bound"))
        return tx_wrong(p, "'bound' and how often the loop may go round");
    p->at++;
    const uint32_t at = p->at;
    if (!tx_expect_number(p, "a number", &number))
        return false;
    if (number < 0 || number > BOUND_MOST) {
        p->at = at;
        return tx_wrong(p, "a bound from 0 to 1000000");
    }
    return tx_constant(p, number, operand);
}

/* The body of a loop that leaves by the jump 'leave', counted if it has a bound. */
static bool loop_body(struct tx_parsing *p, size_t again, size_t leave)
{
    if (!block(p) || !tx_emit(p, TX_JUMP, 0, 0, 0))
        return false;
    tx_aim(p, p->code.count - 1, again);
    tx_aim(p, leave, p->code.count);
    return true;
}

static bool while_loop(struct tx_parsing *p)
{
    struct tx_value condition;
    uint16_t counter, zero, most;
    p->at++;
    if (!tx_new_register(p, &counter) || !tx_constant(p, 0, &zero) ||
        !tx_emit(p, TX_MOVE, counter, zero, zero))
        return false;
    const size_t again = p->code.count;
    if (!tx_expect(p, "(") || !tx_condition(p, &condition) || !tx_expect(p, ")"))
        return false;
    const size_t leave = p->code.count;
    return tx_emit(p, TX_UNLESS, condition.operand, 0, 0) && bound(p, &most) &&
           tx_emit(p, TX_BOUND, counter, most, 0) && loop_body(p, again, leave);
}

/* The body of a loop that 'name' counts. */
static bool counted_block(struct tx_parsing *p, struct tx_name name)
{
    tx_find_local(p, name)->is_counting = true;
    if (!block(p))
        return false; /* perhaps amid a procedure, which has other locals */
    tx_find_local(p, name)->is_counting = false;
    return true;
}

/* for i in FROM..UPTO [bound N] { }: the bound may be left out where both are numbers. */
static bool for_loop(struct tx_parsing *p)
{
    struct tx_name name;
    struct tx_value from, upto;
    uint16_t where, end, counter, zero, one, most, inside;
    p->at++;
    if (!tx_expect_name(p, "a local", &name) || !tx_expect(p, "in"))
        return false;
    const uint32_t from_at = p->at;
    struct tx_kind kind = tx_number;
    if (!tx_expression(p, &from) || !tx_unify(p, from_at, &kind, from.kind) || !tx_expect(p, ".."))
        return false;
    const uint32_t upto_at = p->at;
    if (!tx_expression(p, &upto) || !tx_unify(p, upto_at, &kind, upto.kind) ||
        !assigned(p, name, from_at, tx_number, &where) || !tx_new_register(p, &end) ||
        !tx_new_register(p, &counter) || !tx_new_register(p, &inside) ||
        !tx_constant(p, 0, &zero) || !tx_constant(p, 1, &one) ||
        !tx_emit(p, TX_MOVE, end, upto.operand, zero) ||
        !tx_emit(p, TX_MOVE, where, from.operand, zero) ||
        !tx_emit(p, TX_MOVE, counter, zero, zero))
        return false;
    const size_t again = p->code.count;
    if (!tx_emit(p, TX_AT_MOST, inside, where, end))
        return false;
    const size_t leave = p->code.count;
    const bool is_fixed = from.operand & TX_CONSTANT && upto.operand & TX_CONSTANT;
    if (!tx_emit(p, TX_UNLESS, inside, 0, 0) ||
        !(is_fixed && !tx_is(p, "bound") ? tx_constant(p, BOUND_MOST, &most) : bound(p, &most)) ||
        !tx_emit(p, TX_BOUND, counter, most, 0) || !counted_block(p, name) ||
        !tx_emit(p, TX_ADD, where, where, one) || !tx_emit(p, TX_JUMP, 0, 0, 0))
        return false;
    tx_aim(p, p->code.count - 1, again);
    tx_aim(p, leave, p->code.count);
    return true;
}

/* ---- assertions ---- */

bool tx_claim(struct tx_parsing *p, struct esse_claim claim, uint32_t *number)
{
    /* A procedure that is called twice asserts the same. */
    for (size_t i = 0; i < p->claims.count; i++)
        if (!claim.is_invariant && p->claims.at[i].line == claim.line &&
            strcmp(p->claims.at[i].text, claim.text) == 0) {
            *number = (uint32_t)i;
            return true;
        }
    if (p->claims.count == ESSE_CLAIMS_MOST)
        return tx_wrong(p, "no more than 62 assertions and invariants");
    *number = (uint32_t)p->claims.count;
    tx_claim_vec_push(&p->claims, p->arena, claim);
    return true;
}

/* assert EXPRESSION [: "what it means"] */
static bool assertion(struct tx_parsing *p)
{
    struct tx_value value;
    const uint32_t from = ++p->at;
    if (!tx_condition(p, &value))
        return false;
    struct esse_claim claim = { .text = tx_text_between(p, from, p->at),
                                .line = esse_tx_line(&p->source, p->source.tokens[from].at) };
    if (tx_take(p, ":")) {
        if (tx_here(p)->kind != TX_TEXT)
            return tx_wrong(p, "a text that says what is asserted");
        claim.name =
            esse_arena_text(p->arena, p->source.text + tx_here(p)->at + 1, tx_here(p)->length);
        p->at++;
    }
    uint32_t number;
    return tx_claim(p, claim, &number) && tx_emit(p, TX_ASSERT, 0, (uint16_t)number, value.operand);
}

/* ---- calls ---- */

static struct tx_procedure *find_procedure(struct tx_parsing *p, struct tx_name name)
{
    for (size_t i = 0; i < p->procedures.count; i++)
        if (tx_same(p->procedures.at[i].name, name))
            return &p->procedures.at[i];
    return NULL;
}

/* The arguments, each put into a local of the scope of the callee. */
static bool arguments(struct tx_parsing *p, const struct tx_procedure *procedure, uint32_t scope)
{
    uint32_t parameter = procedure->parameters;
    const uint32_t caller = p->scope;
    while (p->source.tokens[parameter].kind == TX_NAME) {
        const struct tx_token *token = &p->source.tokens[parameter];
        struct tx_value value;
        struct tx_local *local;
        if (!tx_expression(p, &value))
            return false;
        p->scope = scope;
        const bool ok =
            tx_local_of(p, (struct tx_name){ p->source.text + token->at, token->length },
                        value.kind, &local) &&
            tx_emit(p, TX_MOVE, local->where, value.operand, value.operand);
        p->scope = caller;
        parameter += 2; /* and the comma, or the parenthesis */
        if (!ok)
            return false;
        if (p->source.tokens[parameter].kind == TX_NAME && !tx_expect(p, ","))
            return false;
    }
    return tx_expect(p, ")");
}

static bool call(struct tx_parsing *p)
{
    struct tx_name name;
    if (!tx_expect_name(p, "a procedure", &name))
        return false;
    struct tx_procedure *procedure = find_procedure(p, name);
    if (!procedure || procedure->is_open) {
        p->at--;
        return tx_wrong(p, procedure ? "a procedure that does not call itself"
                                     : "a procedure of this program");
    }
    const uint32_t caller = p->scope, scope = ++p->scopes;
    p->at++; /* the parenthesis */
    if (!arguments(p, procedure, scope))
        return false;
    const uint32_t back = p->at;
    const size_t number = (size_t)(procedure - p->procedures.at);
    procedure->is_open = true;
    p->scope = scope;
    p->at = procedure->body;
    if (!block(p))
        return false;
    p->procedures.at[number].is_open = false;
    p->scope = caller;
    p->at = back;
    return true;
}

static bool statement(struct tx_parsing *p)
{
    p->temporaries = 0;
    if (tx_is_ahead(p, 1, ":="))
        return assign(p);
    if (tx_is(p, "write") && tx_is_ahead(p, 1, "("))
        return write_to(p);
    if (tx_is(p, "if"))
        return if_else(p);
    if (tx_is(p, "while"))
        return while_loop(p);
    if (tx_is(p, "for"))
        return for_loop(p);
    if (tx_is(p, "assert"))
        return assertion(p);
    if (tx_take(p, "abort"))
        return tx_emit(p, TX_ABORT, 0, 0, 0);
    if (tx_here(p)->kind == TX_NAME && tx_is_ahead(p, 1, "("))
        return call(p);
    return tx_wrong(p, "a statement");
}

bool tx_statements(struct tx_parsing *p, const char *end)
{
    if (p->nested > BLOCKS_MOST)
        return tx_wrong(p, "fewer blocks, one in the other");
    p->nested++;
    while (!tx_is(p, end)) {
        if (tx_here(p)->kind == TX_END) {
            char what[40];
            snprintf(what, sizeof what, "a statement or '%s'", end);
            return tx_wrong(p, what);
        }
        if (!statement(p))
            return false;
    }
    p->nested--;
    return true;
}
