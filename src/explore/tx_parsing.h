#ifndef ESSE_EXPLORE_TX_PARSING_H
#define ESSE_EXPLORE_TX_PARSING_H

#include "base/vec.h"
#include "explore/tx_code.h"
#include "explore/tx_token.h"

/* What is known while a .tx file is compiled: one pass, by recursive descent. */

struct tx_name {
    const char *text;
    uint32_t length;
};

struct tx_variable {
    struct tx_name name; /* of an array's element: the array's */
    uint32_t first, length;
    bool is_array;
    uint16_t array;
    struct tx_kind kind;
};

struct tx_local {
    struct tx_name name;
    uint32_t txn, scope;
    uint16_t where;
    bool is_counting; /* a loop at present: nothing else may be assigned to it */
    struct tx_kind kind;
};

struct tx_procedure {
    struct tx_name name;
    uint32_t parameters, body; /* tokens: the first parameter, the opening brace */
    bool is_open;              /* it is being compiled: it must not call itself */
};

/* A value that code has put somewhere. */
struct tx_value {
    uint16_t operand;
    struct tx_kind kind;
};

ESSE_VEC(tx_code_vec, struct tx_code)
ESSE_VEC(tx_variable_vec, struct tx_variable)
ESSE_VEC(tx_local_vec, struct tx_local)
ESSE_VEC(tx_procedure_vec, struct tx_procedure)
ESSE_VEC(tx_array_vec, struct tx_array)
ESSE_VEC(tx_text_vec, const char *)
ESSE_VEC(tx_txn_vec, struct esse_program_txn)
ESSE_VEC(tx_claim_vec, struct esse_claim)

struct tx_parsing {
    struct esse_arena *arena;
    struct esse_error *err;
    struct tx_source source;
    uint32_t at; /* the token */

    struct tx_code_vec code;
    struct esse_u32_vec lines, starts, invariant_starts, finals;
    struct esse_i64_vec constants, initial;
    struct tx_variable_vec variables;
    struct tx_local_vec locals;
    struct tx_procedure_vec procedures;
    struct tx_array_vec arrays;
    struct tx_text_vec texts, sessions;
    struct tx_txn_vec txns;
    struct tx_claim_vec claims;

    uint32_t txn, scope, scopes; /* at present */
    uint32_t locals_used, temporaries, temporaries_used, registers;
    bool in_invariant;
    int nested; /* expressions and blocks, one in the other */
};

/* ---- tokens ---- */

static inline const struct tx_token *tx_here(const struct tx_parsing *p)
{
    return &p->source.tokens[p->at];
}

bool tx_is(const struct tx_parsing *p, const char *word);
bool tx_is_ahead(const struct tx_parsing *p, uint32_t ahead, const char *word);
bool tx_take(struct tx_parsing *p, const char *word);
bool tx_expect(struct tx_parsing *p, const char *word);
bool tx_expect_name(struct tx_parsing *p, const char *what, struct tx_name *name);
bool tx_expect_number(struct tx_parsing *p, const char *what, int64_t *number);
/* "expected WHAT, found 'y'" at the token. */
bool tx_wrong(struct tx_parsing *p, const char *what);
bool tx_same(struct tx_name a, struct tx_name b);

/* ---- code ---- */

enum { TX_TEMPORARY = 0x4000 }; /* becomes a register above the locals when the end is known */

bool tx_emit(struct tx_parsing *p, enum tx_op op, uint16_t to, uint16_t a, uint16_t b);
bool tx_constant(struct tx_parsing *p, int64_t number, uint16_t *operand);
bool tx_temporary(struct tx_parsing *p, uint16_t *operand);
bool tx_new_register(struct tx_parsing *p, uint16_t *operand);
void tx_aim(struct tx_parsing *p, size_t jump, size_t target);
/* Of the code from 'start' on the temporaries become registers. */
void tx_place_temporaries(struct tx_parsing *p, size_t start);

/* ---- kinds ---- */

/* The kind of both, or "expected a number, found a text" at a token. */
bool tx_unify(struct tx_parsing *p, uint32_t token, struct tx_kind *wanted, struct tx_kind found);
const char *tx_kind_name(struct tx_kind kind);
extern const struct tx_kind tx_number, tx_boolean, tx_words;
static inline bool tx_is_plain(struct tx_kind kind) /* numbers and truth values, as in C */
{
    return kind.type == TX_TYPE_NUMBER || kind.type == TX_TYPE_BOOLEAN;
}

/* ---- the language ---- */

bool tx_expression(struct tx_parsing *p, struct tx_value *value);
bool tx_condition(struct tx_parsing *p, struct tx_value *value); /* a plain one */
/* NAME or NAME[index]: the variable, and the index as an operand if it is of an array. */
bool tx_place(struct tx_parsing *p, struct tx_variable **variable, struct tx_value *index);
/* A local of this name in the scope that is being compiled, or NULL; and a new one. */
struct tx_local *tx_find_local(struct tx_parsing *p, struct tx_name name);
bool tx_local_of(struct tx_parsing *p, struct tx_name name, struct tx_kind kind,
                 struct tx_local **local);
/* Statements up to the word that ends them, which is not taken. */
bool tx_statements(struct tx_parsing *p, const char *end);
/* A number, true, false, a text, or a set of these. */
bool tx_literal(struct tx_parsing *p, int64_t *word, struct tx_kind *kind);
bool tx_text_number(struct tx_parsing *p, const struct tx_token *token, int64_t *number);
bool tx_claim(struct tx_parsing *p, struct esse_claim claim, uint32_t *number);
/* A copy of what stands between two tokens, the second not included. */
const char *tx_text_between(struct tx_parsing *p, uint32_t from, uint32_t upto);

#endif
