#include "exec/exec_call.h"

#include <assert.h>
#include <string.h>

struct esse_call *esse_call_new(struct esse_exec *exec)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_call *call = esse_arena_alloc(exec->arena, 1, sizeof *call);
    call->exec = exec;
    call->arena = arena;
    call->scratch = esse_arena_new();
    return call;
}

void esse_call_free(struct esse_call *call)
{
    esse_arena_free(call->scratch);
    esse_arena_free(call->arena);
}

/* ---- frames ---- */

static bool push_frame(struct esse_call *call, const struct esse_routine *routine,
                       const struct esse_datum *args, struct esse_fault *fault)
{
    const size_t count = routine->variables.count;
    struct call_frame frame = { .routine = routine };
    if (call->frames.count == CALL_MOST_DEPTH) {
        esse_fault_limit(fault, "calls are nested more than 1000 deep");
        return false;
    }
    frame.values = esse_arena_alloc(call->arena, count, sizeof *frame.values);
    frame.records = esse_arena_alloc(call->arena, count, sizeof *frame.records);
    frame.rows = esse_arena_alloc(call->arena, count, sizeof *frame.rows);
    frame.returned = esse_datum_null();
    frame.values[ESSE_FOUND] = esse_datum_bool(false);
    for (uint32_t i = 1; i < count; i++)
        frame.values[i] = i <= routine->parameter_count && args
                              ? esse_datum_keep(call->arena, args[i - 1])
                              : esse_datum_null();
    call_frame_vec_push(&call->frames, call->arena, frame);
    return true;
}

bool exec_call_start(struct esse_call *call, const struct esse_routine *routine,
                     const struct esse_datum *args, struct esse_fault *fault)
{
    esse_arena_clear(call->arena);
    call->frames = (struct call_frame_vec){ 0 };
    call->is_at_step = false;
    call->rounds = 0;
    call->routine = routine;
    return push_frame(call, routine, args, fault);
}

static bool pop_frame(struct esse_call *call, struct esse_fault *fault)
{
    const struct call_frame *frame = &call->frames.at[call->frames.count - 1];
    (void)fault;
    call->last = *frame;
    call->frames.count--;
    return true;
}

/* ---- instructions ---- */

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
                        struct esse_fault *fault)
{
    if (!result->count && op->is_strict)
        return esse_fault(fault, "P0002", 0, "query returned no rows");
    if (result->count > 1 && (op->is_strict || is_change(result->statement)))
        return esse_fault(fault, "P0003", 0, "query returned more than one row");
    return true;
}

static bool run(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                struct esse_fault *fault)
{
    const struct esse_statement *statement = call_text(frame, op->text)->statement;
    const bool has_targets = op->target_count > 0;
    const bool is_query = statement->kind == ESSE_STATEMENT_QUERY;
    struct esse_sql_result result;
    if (!call_run(call, frame, op->text, has_targets && is_query ? 1u + op->is_strict : SIZE_MAX,
                  &result, fault))
        return false;
    if (has_targets && !result.has_rows)
        return esse_fault(fault, "42601", 0, "INTO used with a command that cannot return data");
    if (result.has_rows && !has_targets && !op->is_quiet)
        return esse_fault(fault, "42601", 0, "query has no destination for result data");
    if (is_query || is_change(statement))
        frame->values[ESSE_FOUND] = esse_datum_bool((is_query ? result.count : result.changed) > 0);
    return !has_targets ||
           (check_count(op, &result, fault) &&
            call_assign_row(call, frame, op, &result, result.count ? result.rows : NULL, fault));
}

static bool jump(struct esse_call *call, struct call_frame *frame, uint32_t to,
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
           (is_true || jump(call, frame, op->to, fault));
}

static bool leave(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                  struct esse_fault *fault)
{
    const struct esse_routine *routine = frame->routine;
    const struct esse_variable returned = { .name = "", .type = routine->returns };
    const bool is_mysql = call->exec->schema->dialect == ESSE_DIALECT_MYSQL;
    struct call_value value;
    if (op->text != ESSE_NO_TEXT) {
        struct esse_datum datum;
        if (!call_value(call, frame, op->text, &value, fault) ||
            !esse_cast_variable(call->scratch, is_mysql, value.datum, value.type, &returned, &datum,
                                fault))
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
    return pop_frame(call, fault);
}

static bool run_op(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                   struct esse_fault *fault)
{
    switch (op->kind) {
    case ESSE_OP_SET:
        return set(call, frame, op, fault);
    case ESSE_OP_RUN:
        return run(call, frame, op, fault);
    case ESSE_OP_JUMP:
        return jump(call, frame, op->to, fault);
    case ESSE_OP_JUMP_UNLESS:
        return jump_unless(call, frame, op, fault);
    case ESSE_OP_RAISE:
        return call_raise(call, frame, op->raise, fault);
    case ESSE_OP_RETURN:
    case ESSE_OP_END:
        return leave(call, frame, op, fault);
    }
    assert(false);
    return false;
}

/* Is it something that may look at the store? */
static bool is_step(const struct esse_statement *statement)
{
    return statement->kind != ESSE_STATEMENT_QUERY || statement->table_count ||
           statement->calls_routines;
}

/* False, with the fault, if it failed; *stops before a step. */
static bool go_on(struct esse_call *call, bool *stops, struct esse_fault *fault)
{
    struct call_frame *frame = &call->frames.at[call->frames.count - 1];
    const struct esse_op *op = &frame->routine->ops.at[frame->at];
    *stops = false;
    esse_arena_clear(call->scratch);
    if (op->text != ESSE_NO_TEXT) {
        if (!call_compile(call, frame, op->text, fault))
            return false;
        *stops = !call->is_at_step && is_step(call_text(frame, op->text)->statement);
    }
    call->is_at_step = *stops;
    if (*stops)
        return true;
    frame->at++;
    if (run_op(call, frame, op, fault))
        return true;
    frame->at--;
    return esse_fault_place(fault, op->at);
}

enum esse_call_state esse_call_go(struct esse_call *call, struct esse_fault *fault)
{
    *fault = (struct esse_fault){ .kind = ESSE_FAULT_NONE };
    while (call->frames.count) {
        bool stops;
        if (!go_on(call, &stops, fault))
            return ESSE_CALL_FAILED;
        if (stops)
            return ESSE_CALL_STEP;
    }
    return ESSE_CALL_DONE;
}

const struct esse_statement *esse_call_next(const struct esse_call *call)
{
    const struct call_frame *frame = &call->frames.at[call->frames.count - 1];
    return call_text(frame, frame->routine->ops.at[frame->at].text)->statement;
}

void esse_call_result(struct esse_call *call, struct esse_sql_result *result)
{
    const struct esse_routine *routine = call->routine;
    const uint32_t most = routine->parameter_count;
    struct esse_output *columns = esse_arena_alloc(call->arena, most + 1, sizeof *columns);
    struct esse_datum *row = esse_arena_alloc(call->arena, most + 1, sizeof *row);
    uint32_t width = 0;
    for (uint32_t i = 0; i < most; i++)
        if (routine->parameters[i].mode != ESSE_MODE_IN) {
            const struct esse_variable *variable = &routine->variables.at[i + 1];
            columns[width] = (struct esse_output){ .name = variable->name, .type = variable->type };
            row[width++] = call->last.values[i + 1];
        }
    result->has_rows = width > 0;
    result->width = width;
    result->columns = columns;
    result->rows = row;
    result->count = width > 0;
}

/* ---- all at once ---- */

/* Calls within calls: each depth has one that is used again. */
static struct esse_call *borrow(struct esse_exec *exec, struct esse_fault *fault)
{
    if (exec->call_depth == CALL_MOST_DEPTH) {
        esse_fault_limit(fault, "calls are nested more than 1000 deep");
        return NULL;
    }
    if (exec->call_depth == exec->calls.count)
        exec_call_vec_push(&exec->calls, exec->arena, esse_call_new(exec));
    return exec->calls.at[exec->call_depth++];
}

static bool go_through(struct esse_call *call, struct esse_fault *fault)
{
    enum esse_call_state state;
    do
        state = esse_call_go(call, fault);
    while (state == ESSE_CALL_STEP);
    return state == ESSE_CALL_DONE;
}

bool exec_call(struct exec_run *run, const struct esse_routine *routine,
               const struct esse_datum *args, struct esse_datum *value)
{
    struct esse_fault *fault = run->eval.fault;
    struct esse_call *call = borrow(run->exec, fault);
    if (!call)
        return false;
    const bool ok = exec_call_start(call, routine, args, fault) && go_through(call, fault);
    if (ok && value)
        *value = esse_datum_keep(run->eval.arena, call->last.returned);
    else if (ok)
        esse_call_result(call, run->result);
    run->exec->call_depth--;
    /* The place is one in another text. */
    if (!ok && value)
        fault->at = 0;
    return ok;
}

bool esse_call_start(struct esse_call *call, const struct esse_compiled *compiled,
                     const struct esse_datum *params, uint32_t param_count,
                     struct esse_fault *fault)
{
    const struct esse_expr *expr = compiled->statement->call;
    const struct exec_inputs inputs = { params, param_count, SIZE_MAX };
    const struct esse_datum *args;
    esse_arena_clear(call->scratch);
    return exec_run_args(call->exec, call->scratch, compiled, &inputs, &args, fault) &&
           exec_call_start(call, expr->is.routine, args, fault);
}
