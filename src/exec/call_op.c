#include "exec/exec_call.h"

#include <assert.h>
#include <string.h>

/* The instructions of a call. */

static bool set(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                struct esse_fault *fault)
{
    struct call_value value;
    if (op->text == ESSE_NO_TEXT)
        return call_clear(call, frame, op->targets[0].variable, fault);
    return call_value(call, frame, op->text, &value, fault) &&
           call_assign(call, frame, op->targets[0], value, fault);
}

static bool is_change(const struct esse_statement *statement)
{
    return statement->kind == ESSE_STATEMENT_INSERT || statement->kind == ESSE_STATEMENT_UPDATE ||
           statement->kind == ESSE_STATEMENT_DELETE;
}

static bool check_count(const struct esse_op *op, const struct esse_sql_result *result,
                        bool is_mysql, struct esse_fault *fault)
{
    if (is_mysql)
        return result->count <= 1 ||
               esse_fault(fault, "42000", 0, "result consisted of more than one row");
    if (!result->count && op->is_strict)
        return esse_fault(fault, "P0002", 0, "query returned no rows");
    if (result->count > 1 && (op->is_strict || is_change(result->statement)))
        return esse_fault(fault, "P0003", 0, "query returned more than one row");
    return true;
}

/* CALL: the instructions of the other routine are next. */
static bool call_within(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                        struct esse_fault *fault)
{
    const struct esse_embedded *text = call_text(frame, op->text);
    const struct esse_compiled compiled = { .statement = text->statement };
    const struct esse_datum *args;
    return call_args(call, frame, &compiled, text, &args, fault) &&
           call_push(call, text->statement->call->is.routine, args, fault);
}

static void note_count(struct call_frame *frame, const struct esse_op *op,
                       const struct esse_sql_result *result)
{
    const bool is_query = result->statement->kind == ESSE_STATEMENT_QUERY;
    const uint64_t wanted = op->target_count ? 1u + op->is_strict : UINT64_MAX;
    frame->row_count = !is_query                ? result->changed
                       : result->count < wanted ? result->count
                                                : wanted;
    if (!op->is_dynamic && (is_query || is_change(result->statement)))
        frame->values[ESSE_FOUND] = esse_datum_bool(frame->row_count > 0);
}

/* One row more than wanted, where that is an error. */
static size_t most_rows(const struct esse_call *call, const struct esse_op *op)
{
    return 1u + (op->is_strict || call->is_mysql);
}

static bool run(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                struct esse_fault *fault)
{
    const struct esse_statement *statement = call_text(frame, op->text)->statement;
    const bool has_targets = op->target_count > 0;
    if (statement->kind == ESSE_STATEMENT_CALL)
        return call_within(call, frame, op, fault);
    const bool is_query = statement->kind == ESSE_STATEMENT_QUERY;
    struct esse_sql_result result;
    if (!call_run(call, frame, op->text, has_targets && is_query ? most_rows(call, op) : SIZE_MAX,
                  &result, fault))
        return false;
    if (has_targets && !result.has_rows)
        return esse_fault(fault, "42601", 0, "INTO used with a command that cannot return data");
    if (result.has_rows && !has_targets && call->is_mysql)
        return esse_fault_unsupported(fault, 0, "a routine that returns rows is not supported");
    if (result.has_rows && !has_targets && !op->is_quiet)
        return esse_fault(fault, "42601", 0, "query has no destination for result data");
    if (!op->is_hidden)
        note_count(frame, op, &result);
    return !has_targets ||
           (call->is_mysql && !result.count) || /* the variables stay as they were */
           (check_count(op, &result, call->is_mysql, fault) &&
            call_assign_row(call, frame, op, &result, result.count ? result.rows : NULL, fault));
}

bool call_jump(struct esse_call *call, struct call_frame *frame, uint32_t to,
               struct esse_fault *fault)
{
    if (to <= frame->at && ++call->rounds > CALL_MOST_ROUNDS)
        return esse_fault_limit(fault, "a loop has more than 1000000 rounds");
    frame->at = to;
    return true;
}

static bool jump_unless(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                        struct esse_fault *fault)
{
    bool is_true;
    return call_truth(call, frame, op->text, &is_true, fault) &&
           (is_true || call_jump(call, frame, op->to, fault));
}

static bool leave(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                  struct esse_fault *fault)
{
    const struct esse_routine *routine = frame->routine;
    const struct esse_variable returned = { .name = "", .type = routine->returns };
    struct call_value value;
    if (op->text != ESSE_NO_TEXT) {
        struct esse_datum datum;
        if (!call_value(call, frame, op->text, &value, fault) ||
            !esse_cast_variable(call->scratch, call->is_mysql, value.datum, value.type, &returned,
                                &datum, fault))
            return false;
        frame->returned = esse_datum_keep(call->arena, datum);
    } else if (routine->kind == ESSE_ROUTINE_FUNCTION && routine->has_out) {
        for (uint32_t i = 0; i < routine->parameter_count; i++)
            if (routine->parameters[i].mode != ESSE_MODE_IN)
                frame->returned = frame->values[i + 1];
    } else if (routine->returns.base != ESSE_TYPE_VOID) {
        return esse_fault(fault, "2F005", 0, "control reached end of function without RETURN");
    } else {
        frame->returned = esse_datum_text("", 0);
    }
    return call_pop(call, fault);
}

/* ---- blocks ---- */

static void enter(struct esse_call *call, const struct esse_op *op)
{
    call_block_vec_push(
        &call->blocks, call->arena,
        (struct call_block){ op->to, (uint32_t)call->frames.count, esse_exec_mark(call->exec) });
}

static bool raise_again(struct call_frame *frame, const struct esse_op *op,
                        struct esse_fault *fault)
{
    if (!op->first)
        return esse_fault(fault, "0Z002", 0,
                          "RAISE without parameters cannot be used outside an exception handler");
    const struct esse_datum words = frame->values[op->first + 1];
    return esse_fault(fault, frame->values[op->first].is.text, 0, "%.*s", (int)words.length,
                      words.is.text);
}

/* ---- loops over integers ---- */

enum { NEXT, LAST, STEP, RAN };

static bool count_first(struct call_frame *frame, const struct esse_op *op,
                        struct esse_fault *fault)
{
    const struct esse_datum *loop = &frame->values[op->first];
    for (int i = NEXT; i <= STEP; i++)
        if (loop[i].kind == ESSE_DATUM_HOLE)
            return esse_fault_hole(fault, (uint64_t)loop[i].is.number);
    frame->values[op->first + RAN] = esse_datum_bool(false);
    return loop[STEP].is.number > 0 ||
           esse_fault(fault, "22023", 0, "BY value of FOR loop must be greater than zero");
}

static bool count_next(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                       struct esse_fault *fault)
{
    struct esse_datum *loop = &frame->values[op->first];
    const int64_t next = loop[NEXT].is.number, last = loop[LAST].is.number;
    if (op->is_reverse ? next < last : next > last)
        return call_jump(call, frame, op->to, fault);
    loop[RAN] = esse_datum_bool(true);
    frame->values[op->targets[0].variable] = esse_datum_int(next);
    /* It has 64 bits and the loop 32: it cannot overflow. */
    loop[NEXT].is.number += op->is_reverse ? -loop[STEP].is.number : loop[STEP].is.number;
    return true;
}

static bool row_count(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                      struct esse_fault *fault)
{
    return call_assign(
        call, frame, op->targets[0],
        (struct call_value){ esse_datum_int((int64_t)frame->row_count), ESSE_TYPE(BIGINT) }, fault);
}

bool call_op(struct esse_call *call, const struct esse_op *op, struct esse_fault *fault)
{
    struct call_frame *frame = &call->frames.at[call->frames.count - 1];
    switch (op->kind) {
    case ESSE_OP_SET:
        return set(call, frame, op, fault);
    case ESSE_OP_RUN:
        return run(call, frame, op, fault);
    case ESSE_OP_JUMP:
        return call_jump(call, frame, op->to, fault);
    case ESSE_OP_JUMP_UNLESS:
        return jump_unless(call, frame, op, fault);
    case ESSE_OP_RAISE:
        return call_raise(call, frame, op->raise, fault);
    case ESSE_OP_RAISE_AGAIN:
        return raise_again(frame, op, fault);
    case ESSE_OP_RETURN:
    case ESSE_OP_END:
        return leave(call, frame, op, fault);
    case ESSE_OP_ENTER:
        enter(call, op);
        return true;
    case ESSE_OP_LEAVE:
        call->blocks.count -= op->count;
        call_close_above(call, (uint32_t)call->blocks.count, true);
        return true;
    case ESSE_OP_ROW_COUNT:
        return row_count(call, frame, op, fault);
    case ESSE_OP_COUNT_FIRST:
        return count_first(frame, op, fault);
    case ESSE_OP_COUNT_NEXT:
        return count_next(call, frame, op, fault);
    case ESSE_OP_FOUND:
        frame->values[ESSE_FOUND] = frame->values[op->first];
        return true;
    case ESSE_OP_OPEN:
        return call_open(call, frame, op, fault);
    case ESSE_OP_FETCH:
        return call_fetch(call, frame, op, fault);
    case ESSE_OP_FETCH_NEXT:
        return call_fetch_next(call, frame, op, fault);
    case ESSE_OP_CLOSE:
        return call_close(call, frame, op, fault);
    case ESSE_OP_CLOSE_LOOP:
        call_close_loop(call, frame, op);
        return true;
    }
    assert(false);
    return false;
}
