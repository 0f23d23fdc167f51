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
    call->is_mysql = exec->schema->dialect == ESSE_DIALECT_MYSQL;
    return call;
}

void esse_call_free(struct esse_call *call)
{
    while (call->frames.count)
        call_close_frame(call, &call->frames.at[--call->frames.count]);
    for (size_t i = 0; i < call->spare.count; i++)
        esse_arena_free(call->spare.at[i]);
    esse_arena_free(call->scratch);
    esse_arena_free(call->arena);
}

/* ---- frames ---- */

bool call_push(struct esse_call *call, const struct esse_routine *routine,
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
    frame.cursors = esse_arena_alloc(call->arena, routine->cursor_count + 1, sizeof *frame.cursors);
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
    while (call->frames.count)
        call_close_frame(call, &call->frames.at[--call->frames.count]);
    esse_arena_clear(call->arena);
    call->frames = (struct call_frame_vec){ 0 };
    call->blocks = (struct call_block_vec){ 0 };
    call->is_at_step = false;
    call->rounds = 0;
    call->routine = routine;
    return call_push(call, routine, args, fault);
}

/* CALL in a routine: the OUT parameters go to the variables that stand there. */
static bool take_out_parameters(struct esse_call *call, const struct call_frame *from,
                                struct esse_fault *fault)
{
    struct call_frame *to = &call->frames.at[call->frames.count - 1];
    const struct esse_op *op = &to->routine->ops.at[to->at - 1];
    const struct esse_embedded *text = call_text(to, op->text);
    const struct esse_expr *expr = text->statement->call;
    for (uint32_t i = 0; i < from->routine->parameter_count; i++) {
        const struct esse_variable *parameter = &from->routine->variables.at[i + 1];
        if (from->routine->parameters[i].mode == ESSE_MODE_IN)
            continue;
        if (expr->args[i]->kind != ESSE_EXPR_PARAM)
            return esse_fault(fault, "42601", op->at,
                              "procedure parameter \"%s\" is an output parameter but "
                              "corresponding argument is not writable",
                              parameter->name);
        const struct esse_use *use = &text->uses[expr->args[i]->is.number - 1];
        const struct esse_target target = { use->variable, use->field == ESSE_WHOLE
                                                               ? NULL
                                                               : use->columns[use->field].name };
        if (!call_assign(call, to, target,
                         (struct call_value){ from->values[i + 1], parameter->type }, fault))
            return false;
    }
    return true;
}

bool call_pop(struct esse_call *call, struct esse_fault *fault)
{
    struct call_frame *frame = &call->frames.at[call->frames.count - 1];
    while (call->blocks.count &&
           call->blocks.at[call->blocks.count - 1].frames == call->frames.count)
        call->blocks.count--;
    call_close_frame(call, frame);
    call->last = *frame;
    call->frames.count--;
    return !call->frames.count || take_out_parameters(call, &call->last, fault);
}

/* ---- errors ---- */

/* Is it this error, or one of this class? */
static bool is_caught_as(const char *state, const char *caught)
{
    /* OTHERS does not catch what ended the statement from outside, or ASSERT. */
    if (!*caught)
        return strcmp(state, "57014") != 0 && strcmp(state, "P0004") != 0;
    return strcmp(state, caught) == 0 ||
           (strcmp(caught + 2, "000") == 0 && strncmp(state, caught, 2) == 0);
}

static const struct esse_handler *handler_of(const struct esse_handlers *handlers,
                                             const char *state)
{
    for (uint32_t i = 0; i < handlers->count; i++)
        for (uint32_t k = 0; k < handlers->at[i].count; k++)
            if (is_caught_as(state, handlers->at[i].states[k]))
                return &handlers->at[i];
    return NULL;
}

static void set_text(struct esse_call *call, struct call_frame *frame, uint32_t variable,
                     const char *text)
{
    frame->values[variable] =
        esse_datum_text(esse_arena_text(call->arena, text, strlen(text)), strlen(text));
}

/* Undoes what was done since the innermost block that catches the error, and goes on there. */
static bool catch_error(struct esse_call *call, struct esse_fault *fault)
{
    while (fault->kind == ESSE_FAULT_ERROR && call->blocks.count) {
        const struct call_block *block = &call->blocks.at[--call->blocks.count];
        while (call->frames.count > block->frames)
            call_close_frame(call, &call->frames.at[--call->frames.count]);
        struct call_frame *frame = &call->frames.at[call->frames.count - 1];
        const struct esse_handlers *handlers = &frame->routine->blocks.at[block->block];
        const struct esse_handler *handler = handler_of(handlers, fault->state);
        if (!handler)
            continue;
        esse_exec_back(call->exec, block->mark);
        call_close_above(call, (uint32_t)call->blocks.count, false);
        set_text(call, frame, handlers->state, fault->state);
        set_text(call, frame, handlers->state + 1, fault->text);
        frame->at = handler->at;
        *fault = (struct esse_fault){ .kind = ESSE_FAULT_NONE };
        return true;
    }
    return false;
}

/* ---- steps ---- */

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
    if (call_op(call, op, fault))
        return true;
    /* A hole: the same instruction is run again when its value is known. */
    if (fault->kind == ESSE_FAULT_HOLE && &call->frames.at[call->frames.count - 1] == frame)
        frame->at--;
    return esse_fault_place(fault, op->at);
}

enum esse_call_state esse_call_go(struct esse_call *call, struct esse_fault *fault)
{
    *fault = (struct esse_fault){ .kind = ESSE_FAULT_NONE };
    while (call->frames.count) {
        bool stops;
        if (!go_on(call, &stops, fault)) {
            if (!catch_error(call, fault))
                return ESSE_CALL_FAILED;
            continue;
        }
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
