#ifndef ESSE_SQL_SQL_ROUTINE_H
#define ESSE_SQL_SQL_ROUTINE_H

#include "sql/routine.h"
#include "sql/sql_compile.h"
#include "sql/sql_token.h"

/*
 * Reading the body of a routine.  Private to sql/.
 *
 * routine_create.c  CREATE PROCEDURE and FUNCTION, DO, CALL
 * routine_read.c    words, names, texts within the body; blocks and declarations
 * routine_plpgsql.c the statements of PL/pgSQL
 * routine_loop.c    its loops and CASE
 * routine_cursor.c  its cursors
 * routine_raise.c   RAISE, names of conditions
 * routine_mysql.c   MySQL's block language
 * routine_text.c    embedded texts and the variables in them
 */

ESSE_VEC(sql_use_vec, struct esse_use)

/* What EXIT and CONTINUE lead out of: a loop, or a block with a label. */
struct sql_loop {
    struct sql_loop *up;
    const char *label;
    bool is_block;
    uint32_t again;  /* where CONTINUE goes */
    uint32_t caught; /* how many blocks with handlers are around it */
    struct esse_u32_vec exits;
    bool has_end; /* an instruction that is run however the loop is left */
    struct esse_op end;
};

struct sql_reader {
    struct sql_compile *c;
    struct esse_routine *routine;
    struct sql_tokens tokens;
    struct sql_token token; /* the one that is looked at */
    uint32_t base;          /* byte of the body's first one in the text of CREATE, from 1; or 0 */
    const struct esse_names *names;
    uint32_t blocks; /* so far */
    uint32_t depth;
    struct sql_loop *loops;
    uint32_t caught;  /* blocks with handlers that are entered here */
    uint32_t handled; /* the variable SQLSTATE of the handler; 0: this is none */
};

/* ---- words: routine_read.c ---- */

bool sql_read_body(struct sql_compile *c, struct esse_routine *routine, const char *body);
void sql_read_next(struct sql_reader *r);
bool sql_reads(const struct sql_reader *r, const char *word);
/* Goes on if it is this word. */
bool sql_read_if(struct sql_reader *r, const char *word);
bool sql_read_expect(struct sql_reader *r, const char *word);
uint32_t sql_read_at(const struct sql_reader *r, uint32_t at);
/* Fill the fault at the token and return false. */
bool sql_read_error(struct sql_reader *r, const char *expected);
bool sql_read_refuse(struct sql_reader *r, const char *what);
const char *sql_read_name(struct sql_reader *r);
/* What a token says: words in small letters, quoted names as they stand. */
const char *sql_read_word(struct sql_reader *r, struct sql_token token);

/* Up to one of the words, which is left to be looked at; ends at a semicolon in any case. */
struct sql_span {
    uint32_t from, to;
};
bool sql_read_span(struct sql_reader *r, const char *const *words, struct sql_span *span);
uint32_t sql_read_value(struct sql_reader *r, const char *const *words);
/* Adds a text: 'copy' is of the bytes of the body from there on. */
uint32_t sql_add_text(struct sql_reader *r, const char *copy, uint32_t at, bool is_value);

uint32_t sql_add_variable(struct sql_reader *r, struct esse_variable variable);
uint32_t sql_add_op(struct sql_reader *r, struct esse_op op);
struct esse_op *sql_op(struct sql_reader *r, uint32_t number);
uint32_t sql_here(const struct sql_reader *r);
bool sql_read_type(struct sql_reader *r, const char *const *words, struct esse_variable *variable);

bool sql_read_block(struct sql_reader *r, const char *label);
bool sql_read_statements(struct sql_reader *r, const char *const *ends);
bool sql_read_target(struct sql_reader *r, struct esse_target *target);

/* A statement of SQL; its first word becomes 'verb', if there is one. */
bool sql_read_sql(struct sql_reader *r, const char *verb, bool is_quiet);
struct esse_routine *sql_new_routine(struct sql_compile *c, enum esse_routine_kind kind,
                                     const char *name);
bool sql_check_texts(struct sql_compile *c, const struct esse_routine *routine);
bool sql_row_of_table(struct sql_compile *c, const struct esse_table *table,
                      struct esse_variable *variable);

bool sql_read_raise(struct sql_reader *r, uint32_t at);
bool sql_read_assert(struct sql_reader *r, uint32_t at);
bool sql_read_condition_name(struct sql_reader *r, const char **state, const char **words);

/* ---- what statements share: routine_plpgsql.c ---- */

uint32_t sql_add_jump(struct sql_reader *r, uint32_t to);
void sql_lead_here(struct sql_reader *r, const struct esse_u32_vec *jumps);
bool sql_read_condition(struct sql_reader *r, const char *const *words, uint32_t *jump);
bool sql_read_targets(struct sql_reader *r, struct esse_op *op);
const struct esse_target *sql_whole(struct sql_reader *r, uint32_t variable);
void sql_add_fail(struct sql_reader *r, uint32_t at, const char *state, const char *words);

/* ---- routine_loop.c ---- */

bool sql_read_loop(struct sql_reader *r, const char *label);
bool sql_read_while(struct sql_reader *r, const char *label);
bool sql_read_for(struct sql_reader *r, const char *label);
bool sql_read_exit(struct sql_reader *r, bool is_exit);
bool sql_read_case(struct sql_reader *r);
void sql_begin_loop(struct sql_reader *r, struct sql_loop *loop, const char *label, bool is_block);
/* EXIT leads here. */
void sql_end_loop(struct sql_reader *r);
void sql_push_name(struct sql_reader *r, struct esse_names one);

/* ---- routine_cursor.c ---- */

bool sql_read_cursor(struct sql_reader *r, struct esse_variable *variable);
bool sql_read_open(struct sql_reader *r, uint32_t at);
/* The arguments of a cursor that has some. */
bool sql_read_cursor_arguments(struct sql_reader *r, const struct esse_variable *variable);
bool sql_read_fetch(struct sql_reader *r, uint32_t at, bool is_move);
bool sql_read_close(struct sql_reader *r, uint32_t at);
const struct esse_variable *sql_cursor_named(struct sql_reader *r, const char *name);

/* ---- names: routine_text.c ---- */

/* The variable of a name, or of a name after a label, or a record with a field. */
bool sql_find_variable(const struct esse_routine *routine, const struct esse_names *names,
                       const char *first, const char *second, struct esse_target *target);
/* In an embedded text: NULL and no fault if there is no such variable. */
struct esse_expr *sql_variable(struct sql_compile *c, const char *first, const char *second,
                               uint32_t at);
struct esse_expr *sql_numbered_variable(struct sql_compile *c, uint32_t number, uint32_t at);
/* What is compiled, for those two. */
struct sql_embedding {
    const struct esse_routine *routine;
    const struct esse_embedded *text;
    const struct esse_record_shape *records;
    struct sql_use_vec uses;
};

#endif
