#ifndef ESSE_EXEC_EXEC_CALL_H
#define ESSE_EXEC_EXEC_CALL_H

#include "exec/call.h"
#include "exec/exec_run.h"
#include "sql/routine.h"

/* What a call has of its own.  Private to exec/.
 *
 * call.c         frames, steps, errors that are caught
 * call_op.c      instructions
 * call_value.c   variables, and the texts that are run on them
 * call_cursor.c  cursors, and loops over rows
 * call_raise.c   RAISE
 */

enum { CALL_MOST_ROUNDS = 1000000, CALL_MOST_DEPTH = 1000 };

/* The rows of a query, read when it was opened. */
struct call_cursor {
    struct esse_arena *arena; /* NULL: it is not open */
    bool was_open, has_run;
    uint32_t level; /* how many blocks with handlers were entered when it was opened */
    struct esse_sql_result rows;
    size_t at; /* 0: before the first row; count + 1: after the last one */
};

struct call_frame {
    const struct esse_routine *routine;
    uint32_t at;                       /* the instruction that is next */
    struct esse_datum *values;         /* by variable */
    struct esse_record_shape *records; /* by variable */
    struct esse_datum **rows;          /* of records */
    struct call_cursor *cursors;
    struct esse_datum returned;
    uint64_t row_count;
};
ESSE_VEC(call_frame_vec, struct call_frame)

/* A block that is entered. */
struct call_block {
    uint32_t block, frames; /* how many frames there were */
    struct esse_exec_mark mark;
};
ESSE_VEC(call_block_vec, struct call_block)
ESSE_VEC(call_arena_vec, struct esse_arena *)

struct esse_call {
    struct esse_exec *exec;
    struct esse_arena *arena;   /* of the variables */
    struct esse_arena *scratch; /* of one instruction */
    struct call_frame_vec frames;
    struct call_block_vec blocks;
    struct call_arena_vec spare; /* for cursors; in the arena of exec */
    bool is_at_step;             /* esse_call_go() has stopped before this instruction */
    bool is_mysql;
    uint32_t rounds; /* jumps back */
    const struct esse_routine *routine;
    struct call_frame last; /* the outermost one, when it is done */
};

bool exec_call_start(struct esse_call *call, const struct esse_routine *routine,
                     const struct esse_datum *args, struct esse_fault *fault);
/* All of a routine; of a function its value, in the arena. */
bool exec_call(struct exec_run *run, const struct esse_routine *routine,
               const struct esse_datum *args, struct esse_datum *value);

bool call_push(struct esse_call *call, const struct esse_routine *routine,
               const struct esse_datum *args, struct esse_fault *fault);
/* Back in the frame below, which takes the OUT parameters. */
bool call_pop(struct esse_call *call, struct esse_fault *fault);

/* ---- call_op.c ---- */

bool call_op(struct esse_call *call, const struct esse_op *op, struct esse_fault *fault);
bool call_jump(struct esse_call *call, struct call_frame *frame, uint32_t to,
               struct esse_fault *fault);

/* ---- call_cursor.c ---- */

bool call_open(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
               struct esse_fault *fault);
bool call_fetch(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                struct esse_fault *fault);
bool call_fetch_next(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                     struct esse_fault *fault);
bool call_close(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                struct esse_fault *fault);
void call_close_cursor(struct esse_call *call, struct call_cursor *cursor);
void call_close_loop(struct esse_call *call, struct call_frame *frame, const struct esse_op *op);
void call_close_frame(struct esse_call *call, struct call_frame *frame);
/* Blocks above 'level' are left: their cursors are closed, or belong to the block outside. */
void call_close_above(struct esse_call *call, uint32_t level, bool is_kept);

/* ---- call_value.c ---- */

struct call_value {
    struct esse_datum datum;
    struct esse_type type;
};

struct esse_embedded *call_text(const struct call_frame *frame, uint32_t text);
bool call_compile(struct esse_call *call, const struct call_frame *frame, uint32_t text,
                  struct esse_fault *fault);
/* The text is compiled; 'most' rows are enough. */
bool call_run(struct esse_call *call, const struct call_frame *frame, uint32_t text, size_t most,
              struct esse_sql_result *result, struct esse_fault *fault);
bool call_args(struct esse_call *call, const struct call_frame *frame,
               const struct esse_compiled *compiled, const struct esse_embedded *text,
               const struct esse_datum **args, struct esse_fault *fault);
bool call_value(struct esse_call *call, struct call_frame *frame, uint32_t text,
                struct call_value *value, struct esse_fault *fault);
bool call_truth(struct esse_call *call, struct call_frame *frame, uint32_t text, bool *is_true,
                struct esse_fault *fault);
bool call_assign(struct esse_call *call, struct call_frame *frame, struct esse_target target,
                 struct call_value value, struct esse_fault *fault);
/* A row, or NULLs if there is none, to the targets. */
bool call_assign_row(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                     const struct esse_sql_result *result, const struct esse_datum *row,
                     struct esse_fault *fault);
bool call_clear(struct esse_call *call, struct call_frame *frame, uint32_t variable,
                struct esse_fault *fault);

/* ---- call_raise.c ---- */

bool call_raise(struct esse_call *call, struct call_frame *frame, const struct esse_raise *raise,
                struct esse_fault *fault);

#endif
