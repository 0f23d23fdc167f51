#include "explore/axioms.h"
#include "explore/tx.h"
#include "explore/tx_parsing.h"
#include "level/level.h"

#include <assert.h>

/* The whole of a .tx file: variables, procedures, sessions, invariants. */

/* ---- values ---- */

static bool set_literal(struct tx_parsing *p, int64_t *word, struct tx_kind *kind)
{
    *kind = (struct tx_kind){ .type = TX_TYPE_SET, .is_open = true };
    *word = 0;
    while (!tx_is(p, "}")) {
        int64_t element;
        struct tx_kind of;
        const uint32_t at = p->at;
        if (!tx_literal(p, &element, &of))
            return false;
        const struct tx_kind one = { .type = TX_TYPE_SET, .has_texts = of.type == TX_TYPE_WORDS };
        if (of.type == TX_TYPE_SET || element < 0 || element > 63) {
            p->at = at;
            return tx_wrong(p, "an integer from 0 to 63 or a text");
        }
        if (!tx_unify(p, at, kind, one))
            return false;
        *word = (int64_t)((uint64_t)*word | UINT64_C(1) << element);
        if (!tx_take(p, ","))
            break;
    }
    return tx_expect(p, "}");
}

bool tx_literal(struct tx_parsing *p, int64_t *word, struct tx_kind *kind)
{
    *kind = tx_number;
    if (tx_is(p, "true") || tx_is(p, "false")) {
        *kind = tx_boolean;
        *word = tx_is(p, "true");
        p->at++;
        return true;
    }
    if (tx_here(p)->kind == TX_TEXT) {
        *kind = tx_words;
        p->at++;
        return tx_text_number(p, tx_here(p) - 1, word);
    }
    if (tx_take(p, "{"))
        return set_literal(p, word, kind);
    return tx_expect_number(p, "a number, true, false, a text or a set", word);
}

/* ---- vars ---- */

static bool is_taken(const struct tx_parsing *p, struct tx_name name)
{
    for (size_t i = 0; i < p->variables.count; i++)
        if (tx_same(p->variables.at[i].name, name))
            return true;
    return false;
}

/* [1, 2, 3] */
static bool elements(struct tx_parsing *p, struct tx_variable *variable)
{
    for (uint32_t i = 0; i < variable->length; i++) {
        int64_t word;
        struct tx_kind kind;
        const uint32_t at = p->at;
        if (!tx_literal(p, &word, &kind))
            return false;
        if (i == 0)
            variable->kind = kind;
        if (!tx_unify(p, at, &variable->kind, kind))
            return false;
        esse_i64_vec_push(&p->initial, p->arena, word);
        if (i + 1 < variable->length && !tx_expect(p, ","))
            return false;
    }
    return tx_expect(p, "]");
}

static bool initial_values(struct tx_parsing *p, struct tx_variable *variable)
{
    int64_t word;
    if (variable->is_array && tx_take(p, "["))
        return elements(p, variable);
    if (!tx_literal(p, &word, &variable->kind))
        return false;
    for (uint32_t i = 0; i < variable->length; i++)
        esse_i64_vec_push(&p->initial, p->arena, word);
    return true;
}

static bool variable(struct tx_parsing *p)
{
    enum { VARIABLES_MOST = 100000 };
    struct tx_variable one = { .first = (uint32_t)p->initial.count, .length = 1 };
    const uint32_t at = p->at;
    if (!tx_expect_name(p, "a variable", &one.name))
        return false;
    if (is_taken(p, one.name)) {
        p->at = at;
        return tx_wrong(p, "a new variable");
    }
    if (tx_take(p, "[")) {
        int64_t length;
        if (!tx_expect_number(p, "how many elements there are", &length))
            return false;
        if (length < 1 || length > VARIABLES_MOST) {
            p->at--;
            return tx_wrong(p, "from 1 to 100000 elements");
        }
        if (p->arrays.count > UINT16_MAX)
            return tx_wrong(p, "fewer arrays");
        one.length = (uint32_t)length;
        one.is_array = true;
        one.array = (uint16_t)p->arrays.count;
        tx_array_vec_push(&p->arrays, p->arena, (struct tx_array){ one.first, one.length });
        if (!tx_expect(p, "]"))
            return false;
    }
    if (!tx_expect(p, "=") || !initial_values(p, &one))
        return false;
    if (p->initial.count > VARIABLES_MOST) {
        p->at = at;
        return tx_wrong(p, "no more than 100000 variables");
    }
    tx_variable_vec_push(&p->variables, p->arena, one);
    return true;
}

static bool variables(struct tx_parsing *p)
{
    p->at++;
    while (tx_here(p)->kind == TX_NAME && (tx_is_ahead(p, 1, "=") || tx_is_ahead(p, 1, "[")))
        if (!variable(p))
            return false;
    return true;
}

/* ---- procedures ---- */

/* procedure NAME(a, b) { ... }: kept as tokens, and compiled at each call. */
static bool procedure(struct tx_parsing *p)
{
    struct tx_procedure one = { 0 };
    struct tx_name parameter;
    p->at++;
    if (!tx_expect_name(p, "the name of the procedure", &one.name) || !tx_expect(p, "("))
        return false;
    one.parameters = p->at;
    while (!tx_is(p, ")"))
        if (!tx_expect_name(p, "a parameter", &parameter) || (!tx_is(p, ")") && !tx_expect(p, ",")))
            return false;
    one.body = ++p->at;
    if (!tx_expect(p, "{"))
        return false;
    for (uint32_t depth = 1; depth; p->at++) {
        if (tx_here(p)->kind == TX_END)
            return tx_wrong(p, "'}'");
        depth += tx_is(p, "{");
        depth -= tx_is(p, "}");
    }
    tx_procedure_vec_push(&p->procedures, p->arena, one);
    return true;
}

/* ---- sessions ---- */

/* level NAME, where the name may have dashes. */
static bool level_clause(struct tx_parsing *p, enum esse_level_id *level)
{
    const uint32_t from = ++p->at;
    struct tx_name name;
    if (!tx_expect_name(p, "the name of a level", &name))
        return false;
    while (tx_is(p, "-") && p->source.tokens[p->at + 1].kind == TX_NAME &&
           tx_here(p)->at == tx_here(p)[-1].at + tx_here(p)[-1].length)
        p->at += 2;
    struct esse_error err = { 0 };
    if (esse_explore_level(tx_text_between(p, from, p->at), level, &err))
        return true;
    return esse_tx_fail(&p->source, p->source.tokens[from].at, p->err, "%.200s", err.text);
}

/* Is the word here a transaction's name, and not the begin of its first statement? */
static bool is_txn_name(const struct tx_parsing *p)
{
    static const char *const words[] = {
        "if", "while", "for", "abort", "assert", "commit", "level"
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tx_is(p, words[i]))
            return false;
    return tx_here(p)->kind == TX_NAME && !tx_is_ahead(p, 1, ":=") && !tx_is_ahead(p, 1, "(");
}

static bool transaction(struct tx_parsing *p, uint32_t number)
{
    struct esse_program_txn txn = { .session = (uint32_t)p->sessions.count - 1,
                                    .line = esse_tx_line(&p->source, tx_here(p)->at) };
    if (p->txns.count == ESSE_PROGRAM_TXNS_MOST)
        return tx_wrong(p, "no more than 64 transactions");
    if (!tx_expect(p, "begin"))
        return false;
    if (is_txn_name(p)) {
        txn.name = esse_arena_text(p->arena, p->source.text + tx_here(p)->at, tx_here(p)->length);
        p->at++;
    } else {
        txn.name = esse_arena_format(p->arena, "t%u", number);
    }
    if (tx_is(p, "level") && !tx_is_ahead(p, 1, ":=") && !tx_is_ahead(p, 1, "(")) {
        txn.has_level = true;
        if (!level_clause(p, &txn.level))
            return false;
    }
    p->txn = (uint32_t)p->txns.count;
    tx_txn_vec_push(&p->txns, p->arena, txn);
    esse_u32_vec_push(&p->starts, p->arena, (uint32_t)p->code.count);
    p->scope = ++p->scopes;
    p->locals_used = p->temporaries_used = 0;
    const size_t start = p->code.count;
    if (!tx_statements(p, "commit") || !tx_expect(p, "commit") || !tx_emit(p, TX_COMMIT, 0, 0, 0))
        return false;
    tx_place_temporaries(p, start);
    return true;
}

static bool session(struct tx_parsing *p)
{
    p->at++;
    const struct tx_token *token = tx_here(p);
    if (token->kind == TX_NAME) {
        tx_text_vec_push(&p->sessions, p->arena,
                         esse_arena_text(p->arena, p->source.text + token->at, token->length));
        p->at++;
    } else {
        tx_text_vec_push(&p->sessions, p->arena,
                         esse_arena_format(p->arena, "s%zu", p->sessions.count + 1));
    }
    for (size_t i = 0; i + 1 < p->sessions.count; i++)
        if (strcmp(p->sessions.at[i], p->sessions.at[p->sessions.count - 1]) == 0) {
            p->at--;
            return tx_wrong(p, "a session of another name");
        }
    if (!tx_expect(p, "{"))
        return false;
    for (uint32_t number = 1; !tx_is(p, "}"); number++) {
        if (!tx_is(p, "begin"))
            return tx_wrong(p, "'begin' or '}'");
        if (!transaction(p, number))
            return false;
    }
    p->at++;
    return true;
}

/* ---- invariants ---- */

/* invariant [NAME:] EXPRESSION, over final values and what transactions ended with. */
static bool invariant(struct tx_parsing *p)
{
    struct esse_claim claim = { .is_invariant = true };
    p->at++;
    if (tx_here(p)->kind == TX_NAME && tx_is_ahead(p, 1, ":")) {
        claim.name = esse_arena_text(p->arena, p->source.text + tx_here(p)->at, tx_here(p)->length);
        p->at += 2;
    }
    const uint32_t from = p->at;
    const size_t start = p->code.count;
    struct tx_value value;
    uint32_t number;
    claim.line = esse_tx_line(&p->source, tx_here(p)->at);
    p->in_invariant = true;
    p->locals_used = p->temporaries = p->temporaries_used = 0;
    if (!tx_condition(p, &value))
        return false;
    p->in_invariant = false;
    claim.text = tx_text_between(p, from, p->at);
    if (!tx_claim(p, claim, &number) ||
        !tx_emit(p, TX_ASSERT, 0, (uint16_t)number, value.operand) ||
        !tx_emit(p, TX_COMMIT, 0, 0, 0))
        return false;
    tx_place_temporaries(p, start);
    while (p->invariant_starts.count < number)
        esse_u32_vec_push(&p->invariant_starts, p->arena, 0);
    esse_u32_vec_push(&p->invariant_starts, p->arena, (uint32_t)start);
    return true;
}

/* ---- the whole ---- */

static bool declaration(struct tx_parsing *p)
{
    if (tx_is(p, "vars"))
        return variables(p);
    if (tx_is(p, "procedure"))
        return procedure(p);
    if (tx_is(p, "session"))
        return session(p);
    if (tx_is(p, "invariant"))
        return invariant(p);
    return tx_wrong(p, "'vars', 'procedure', 'session' or 'invariant'");
}

static const char **variable_names(struct tx_parsing *p)
{
    const char **names = esse_arena_array(p->arena, p->initial.count, const char *);
    for (size_t i = 0; i < p->variables.count; i++) {
        const struct tx_variable *one = &p->variables.at[i];
        char *name = esse_arena_text(p->arena, one->name.text, one->name.length);
        for (uint32_t k = 0; k < one->length; k++)
            names[one->first + k] =
                one->is_array ? esse_arena_format(p->arena, "%s[%u]", name, k) : name;
    }
    return names;
}

static struct tx_kind *variable_kinds(struct tx_parsing *p)
{
    struct tx_kind *kinds = esse_arena_array(p->arena, p->initial.count, struct tx_kind);
    for (size_t i = 0; i < p->variables.count; i++)
        for (uint32_t k = 0; k < p->variables.at[i].length; k++)
            kinds[p->variables.at[i].first + k] = p->variables.at[i].kind;
    return kinds;
}

static const struct esse_program *finished(struct tx_parsing *p, const char *name)
{
    struct tx_program *program = esse_arena_alloc(p->arena, 1, sizeof *program);
    *program = (struct tx_program){
        .code = p->code.at,
        .lines = p->lines.at,
        .starts = p->starts.at,
        .constants = p->constants.at,
        .arrays = p->arrays.at,
        .kinds = variable_kinds(p),
        .texts = p->texts.at,
        .invariant_starts = p->invariant_starts.at,
        .registers = p->registers,
    };
    program->seam = (struct esse_program){
        .name = name,
        .sessions = p->sessions.at,
        .session_count = (uint32_t)p->sessions.count,
        .txns = p->txns.at,
        .txn_count = (uint32_t)p->txns.count,
        .variables = variable_names(p),
        .initial = p->initial.at,
        .variable_count = (uint32_t)p->initial.count,
        .claims = p->claims.at,
        .claim_count = (uint32_t)p->claims.count,
        .final_variables = p->finals.at,
        .final_count = (uint32_t)p->finals.count,
        .has_invariants = p->invariant_starts.count > 0,
        .state_bytes = sizeof(struct tx_state) + p->registers * sizeof(int64_t),
        .begin = esse_tx_begin,
        .next = esse_tx_next,
        .end = esse_tx_end,
        .broken = esse_tx_broken,
        .put_value = esse_tx_put_value,
        .fault_text = esse_tx_fault_text,
    };
    return &program->seam;
}

bool esse_tx_compile(struct esse_arena *arena, const char *text, size_t length,
                     const struct esse_program **out, struct esse_error *err)
{
    struct tx_parsing p = { .arena = arena, .err = err, .source = { text, length, NULL, 0 } };
    struct tx_name name = { "", 0 };
    if (!esse_tx_scan(arena, &p.source, err))
        return false;
    /* An instruction in front, so that there always is one before the next. */
    if (!tx_emit(&p, TX_ABORT, 0, 0, 0))
        return false;
    if (tx_take(&p, "program") && !tx_expect_name(&p, "the name of the program", &name))
        return false;
    while (tx_here(&p)->kind != TX_END)
        if (!declaration(&p))
            return false;
    if (!p.txns.count)
        return tx_wrong(&p, "a session with a transaction");
    *out = finished(&p, esse_arena_text(arena, name.text, name.length));
    return true;
}
