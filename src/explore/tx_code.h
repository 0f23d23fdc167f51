#ifndef ESSE_EXPLORE_TX_CODE_H
#define ESSE_EXPLORE_TX_CODE_H

#include "explore/program.h"

/*
 * Compiled transactions: instructions over registers.  An operand is a register, or, with the bit
 * TX_CONSTANT, a constant of the program.  Procedures are compiled where they are called.
 */
enum tx_op {
    TX_READ,     /* to = value of variable a; a is 32 bits with b */
    TX_READ_AT,  /* to = value of the element b of array a */
    TX_WRITE,    /* variable (a, b) = operand 'to' */
    TX_WRITE_AT, /* element b of array a = operand 'to' */
    TX_COMMIT,
    TX_ABORT,
    TX_ASSERT, /* claim a is broken unless operand b is true */
    TX_JUMP,   /* to the instruction (a, b) */
    TX_UNLESS, /* there, if operand 'to' is false */
    TX_BOUND,  /* register 'to' counts up to operand a: then the loop's bound is reached */
    TX_MOVE,   /* to = a */
    TX_NOT,
    TX_NEGATE,
    TX_ADD, /* to = a op b */
    TX_SUBTRACT,
    TX_MULTIPLY,
    TX_DIVIDE,
    TX_MODULO,
    TX_EQUAL,
    TX_DIFFERENT,
    TX_LESS,
    TX_AT_MOST,
    TX_UNION,
    TX_COMMON,
    TX_WITHOUT,
    TX_SINGLE, /* to = {a} */
    TX_IN,     /* to = element a is in set b */
    TX_SIZE,   /* to = elements of set a */
    TX_OF,     /* to = register b of the transaction a at its end; only in invariants */
    TX_FINAL,  /* to = final value of variable (a, b); only in invariants */
    TX_FINAL_AT,
};

enum { TX_CONSTANT = 0x8000, TX_OPERANDS_MOST = 0x7fff };

struct tx_code {
    uint8_t op;
    uint16_t to, a, b;
};

static inline uint32_t tx_wide(struct tx_code code)
{
    return (uint32_t)code.a << 16 | code.b;
}

enum tx_type { TX_TYPE_NUMBER, TX_TYPE_BOOLEAN, TX_TYPE_WORDS, TX_TYPE_SET, TX_TYPE_END };

/* The type of a value; of a set, what its elements are. */
struct tx_kind {
    enum tx_type type;
    bool is_open;   /* a set whose elements are not known yet: {} */
    bool has_texts; /* a set of texts */
};

struct tx_array {
    uint32_t first, length;
};

struct tx_program {
    struct esse_program seam; /* first, so that one is the other */
    const struct tx_code *code;
    const uint32_t *lines;  /* of each instruction, in the text */
    const uint32_t *starts; /* of each transaction */
    const int64_t *constants;
    const struct tx_array *arrays;
    const struct tx_kind *kinds; /* of the variables */
    const char *const *texts;
    const uint32_t *invariant_starts; /* by claim */
    uint32_t registers;
};

enum tx_fault {
    TX_FAULT_NONE,
    TX_FAULT_DIVISION,
    TX_FAULT_INDEX,
    TX_FAULT_RANGE,
    TX_FAULT_ELEMENT
};

/* The state of a transaction. */
struct tx_state {
    uint32_t at;    /* the next instruction */
    uint32_t fault; /* 0, or the place and kind of one, for fault_text() */
    uint64_t broken;
    int64_t registers[];
};

void esse_tx_begin(const struct esse_program *program, uint32_t txn, void *state);
void esse_tx_next(const struct esse_program *program, void *state, int64_t read,
                  struct esse_event *event);
struct esse_txn_end esse_tx_end(const struct esse_program *program, const void *state);
uint64_t esse_tx_broken(const struct esse_program *program, const int64_t *finals,
                        const void *const *ends);
void esse_tx_put_value(const struct esse_program *program, struct esse_out *out, uint32_t variable,
                       int64_t value);
const char *esse_tx_fault_text(const struct esse_program *program, uint32_t fault, uint32_t *line);

#endif
