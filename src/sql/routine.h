#ifndef ESSE_SQL_ROUTINE_H
#define ESSE_SQL_ROUTINE_H

#include "sql/compile.h"

/*
 * A procedure, a function or a DO block: instructions over variables.  CREATE reads its body, with
 * our own reader over our own tokenizer; the SQL texts in it are compiled when they are first run,
 * because what they name may be created later, and again after a CREATE or DROP.
 *
 *  1. Variable 0 is FOUND, then come the parameters in their order, then all others: those of an
 *     inner block are there all the time, and get their first values where the block begins.
 *  2. Jumps lead to instructions of the same routine; the last instruction is END.
 *  3. An embedded text is a statement, or a value: SELECT stands before it.  Its variables are
 *     parameters of the statement, numbered as in 'uses'.
 *  4. Instructions and variables never change; what was compiled of a text may be replaced.
 *
 * Cost: reading is one pass over the body; a text is compiled once while the schema stays as it is.
 */
enum esse_op_kind {
    ESSE_OP_SET,         /* target 0 is set to the value of the text; without one to NULL */
    ESSE_OP_RUN,         /* the text; its first row goes to the targets, and FOUND is set */
    ESSE_OP_JUMP,        /* to 'to' */
    ESSE_OP_JUMP_UNLESS, /* the text is true */
    ESSE_OP_RETURN,      /* the value of the text, if there is one */
    ESSE_OP_RAISE,
    ESSE_OP_RAISE_AGAIN, /* the error that is handled: variables 'first' on have state and words */
    ESSE_OP_ENTER,       /* block 'to': its errors are caught from here on */
    ESSE_OP_LEAVE,       /* 'count' blocks are left */
    ESSE_OP_ROW_COUNT,   /* GET DIAGNOSTICS: to target 0 */
    ESSE_OP_COUNT_FIRST, /* a loop over integers: variables 'first' on are next, last, step, ran */
    ESSE_OP_COUNT_NEXT,  /* to target 0, or jumps to 'to' when there is none */
    ESSE_OP_FOUND,       /* FOUND is what variable 'first' is */
    ESSE_OP_OPEN,        /* cursor 'cursor' with the rows of the text */
    ESSE_OP_FETCH,       /* 'fetch' says which row */
    ESSE_OP_FETCH_NEXT,  /* of a loop: to the targets, or jumps to 'to' */
    ESSE_OP_CLOSE,
    ESSE_OP_CLOSE_LOOP, /* the same, and sets FOUND */
    ESSE_OP_END,        /* the end was reached without RETURN */
};

enum { ESSE_NO_TEXT = UINT32_MAX, ESSE_FOUND = 0, ESSE_WHOLE = UINT32_MAX };

struct esse_target {
    uint32_t variable;
    const char *field; /* of a record; NULL: all of it */
};

/* RAISE EXCEPTION: the text with the values of the arguments in the place of its signs of percent.
 */
struct esse_raise {
    bool is_error; /* other levels only evaluate */
    char state[6];
    const char *format;        /* NULL: the words of the condition */
    const uint32_t *arguments; /* texts */
    uint32_t argument_count;
    const char *name;        /* of the condition; NULL: none */
    uint32_t message, code;  /* USING MESSAGE, ERRCODE: texts */
    const uint32_t *ignored; /* other options: texts that are evaluated */
    uint32_t ignored_count;
};

enum esse_fetch { ESSE_FETCH_RELATIVE, ESSE_FETCH_ABSOLUTE, ESSE_FETCH_LAST };

/* An error that is caught: by its SQLSTATE, by its class ("23000"), or whatever it is (""). */
struct esse_handler {
    const char **states;
    uint32_t count;
    uint32_t at; /* its first instruction */
};

struct esse_handlers {
    const struct esse_handler *at;
    uint32_t count;
    uint32_t state; /* variables: SQLSTATE, and the one after it SQLERRM */
};
ESSE_VEC(esse_handlers_vec, struct esse_handlers)

struct esse_op {
    enum esse_op_kind kind;
    uint32_t at;   /* byte of the text of CREATE, from 1; 0 if not known */
    uint32_t text; /* of the routine's texts, or ESSE_NO_TEXT */
    uint32_t to;
    bool is_strict, is_quiet; /* INTO STRICT; a query whose rows are not wanted is no mistake */
    const struct esse_target *targets;
    uint32_t target_count;
    const struct esse_raise *raise;
    uint32_t first, count, cursor;
    bool is_reverse;
    enum esse_fetch fetch;
    bool is_dynamic; /* EXECUTE: FOUND stays */
    bool is_hidden;  /* no statement of its own: of a loop's cursor, of a CASE */
};

struct esse_variable {
    const char *name;
    struct esse_type type;
    bool is_not_null, is_constant;
    bool is_record;
    bool is_cursor;
    uint32_t cursor;                   /* of the routine's cursors */
    uint32_t query;                    /* text of one that was declared with it, or ESSE_NO_TEXT */
    uint32_t argument, argument_count; /* its variables */
    const struct esse_output *columns; /* of a record that has the columns of a table */
    uint32_t width;
};

/* What a name means at a place: the last one that was declared and is still known. */
struct esse_names {
    const struct esse_names *up;
    const char *name; /* of a variable; or, of a block, its label */
    uint32_t variable;
    uint32_t block;
    bool is_label;
};

/* Which variable a parameter of an embedded text is. */
struct esse_use {
    uint32_t variable, field;          /* ESSE_WHOLE: no record */
    const struct esse_output *columns; /* what the record had when it was compiled */
};

struct esse_embedded {
    const char *text;
    uint32_t at; /* byte of its first one in the text of CREATE, from 1; 0 if not known */
    const struct esse_names *names;
    uint32_t arguments; /* EXECUTE: the record whose fields $1, $2, ... are; 0: none */
    /* When it is compiled: */
    const struct esse_statement *statement;
    uint32_t changes; /* of the schema at that time */
    const struct esse_use *uses;
    uint32_t use_count;
};

enum esse_parameter_mode { ESSE_MODE_IN, ESSE_MODE_OUT, ESSE_MODE_INOUT };

struct esse_parameter {
    enum esse_parameter_mode mode;     /* its variable is its number + 1 */
    const struct esse_expr *otherwise; /* DEFAULT; NULL: none */
};

enum esse_routine_kind { ESSE_ROUTINE_PROCEDURE, ESSE_ROUTINE_FUNCTION, ESSE_ROUTINE_BLOCK };

ESSE_VEC(esse_op_vec, struct esse_op)
ESSE_VEC(esse_variable_vec, struct esse_variable)
ESSE_VEC(esse_embedded_vec, struct esse_embedded)

struct esse_routine {
    const char *name;
    enum esse_routine_kind kind;
    struct esse_type returns; /* VOID: nothing */
    const struct esse_parameter *parameters;
    uint32_t parameter_count;
    bool has_out; /* OUT or INOUT parameters */
    bool is_dropped;
    struct esse_op_vec ops;
    struct esse_variable_vec variables;
    struct esse_embedded_vec texts;
    struct esse_handlers_vec blocks;
    uint32_t cursor_count;
};

/* The columns that the records have now, by variable; NULL: none was assigned yet. */
struct esse_record_shape {
    const struct esse_output *columns;
    uint32_t width;
};

/* Compiles a text of the routine, unless it is compiled for this schema and these records. */
bool esse_compile_embedded(struct esse_compiler *compiler, const struct esse_routine *routine,
                           struct esse_embedded *embedded, const struct esse_record_shape *records,
                           struct esse_fault *fault);

/* The SQLSTATE of a name of a condition, or of an SQLSTATE itself; NULL: it is neither. */
const char *esse_condition_state(const char *text);

/* A value becomes one of a variable: as by an assignment, or else by way of its text. */
bool esse_cast_variable(struct esse_arena *arena, bool is_mysql, struct esse_datum value,
                        struct esse_type from, const struct esse_variable *to,
                        struct esse_datum *result, struct esse_fault *fault);

#endif
