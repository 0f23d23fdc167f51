#include "exec/exec.h"

#include "base/checked.h"
#include "base/hash.h"
#include "exec/exec_call.h"

#include <assert.h>
#include <string.h>

struct esse_exec *esse_exec_new(struct esse_compiler *compiler, struct esse_schema *schema,
                                const struct esse_store *store, const struct esse_outside *outside)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_exec *exec = esse_arena_alloc(arena, 1, sizeof *exec);
    exec->arena = arena;
    exec->compiler = compiler;
    exec->schema = schema;
    exec->outside = outside;
    exec->scratch = esse_arena_new();
    esse_overlay_init(&exec->overlay, store);
    return exec;
}

void esse_exec_free(struct esse_exec *exec)
{
    for (size_t i = 0; i < exec->calls.count; i++)
        esse_call_free(exec->calls.at[i]);
    esse_overlay_free(&exec->overlay);
    esse_arena_free(exec->scratch);
    esse_arena_free(exec->arena);
}

struct esse_overlay *esse_exec_overlay(struct esse_exec *exec)
{
    return &exec->overlay;
}

/* What is kept to the end of a transaction lives in the overlay's arena. */
void esse_exec_begin(struct esse_exec *exec)
{
    esse_overlay_clear(&exec->overlay);
    exec->deferred = exec->pending = (struct exec_pending_vec){ 0 };
    exec->savepoints = (struct exec_savepoint_vec){ 0 };
    exec->defers_all = exec->defers_none = false;
}

struct esse_exec_mark esse_exec_mark(const struct esse_exec *exec)
{
    return (struct esse_exec_mark){ .writes = esse_overlay_mark(&exec->overlay),
                                    .deferred = (uint32_t)exec->deferred.count,
                                    .pending = (uint32_t)exec->pending.count,
                                    .savepoints = (uint32_t)exec->savepoints.count,
                                    .schema = esse_schema_mark(exec->schema) };
}

void esse_exec_back(struct esse_exec *exec, struct esse_exec_mark mark)
{
    esse_overlay_back(&exec->overlay, mark.writes);
    if (exec->deferred.count > mark.deferred)
        exec->deferred.count = mark.deferred;
    if (exec->savepoints.count > mark.savepoints)
        exec->savepoints.count = mark.savepoints;
    if (exec->pending.count > mark.pending)
        exec->pending.count = mark.pending;
    esse_schema_back(exec->schema, mark.schema);
    ESSE_SEAM(esse_overlay_valid(&exec->overlay));
}

/* ---- plans ---- */

static struct exec_plans *plans_of(struct esse_exec *exec, const struct esse_statement *statement)
{
    const uint32_t hash = esse_hash_word((uint64_t)(uintptr_t)statement);
    struct esse_probe probe = esse_index_probe(&exec->plan_index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (exec->plans.at[id]->statement == statement)
            return exec->plans.at[id];
    struct exec_plans *plans = esse_arena_alloc(exec->arena, 1, sizeof *plans);
    plans->statement = statement;
    plans->of = esse_arena_alloc(exec->arena, statement->query_count + 1, sizeof *plans->of);
    esse_index_add(&exec->plan_index, exec->arena, hash, (uint32_t)exec->plans.count);
    exec_plans_vec_push(&exec->plans, exec->arena, plans);
    return plans;
}

/* ---- what expressions ask ---- */

static bool ask_query(void *context, const struct esse_query *query, const struct esse_frame *frame,
                      size_t most, struct esse_subrows *rows)
{
    return exec_query(context, query, frame, most, rows);
}

static bool ask_hole(void *context, enum esse_hole_kind kind, const struct esse_sequence *sequence,
                     struct esse_datum *value)
{
    struct exec_run *run = context;
    const struct esse_outside *outside = run->exec->outside;
    return outside->hole(outside->context, kind, sequence, value, run->eval.fault);
}

static bool ask_call(void *context, const struct esse_routine *routine,
                     const struct esse_datum *args, struct esse_datum *value)
{
    return exec_call(context, routine, args, value);
}

/* ---- savepoints ---- */

static bool find_savepoint(struct esse_exec *exec, const char *name, size_t *at,
                           struct esse_fault *fault)
{
    for (*at = exec->savepoints.count; (*at)-- > 0;)
        if (strcmp(exec->savepoints.at[*at].name, name) == 0)
            return true;
    return esse_fault(fault, "3B001", 0, "savepoint \"%s\" does not exist", name);
}

static bool run_savepoint(struct esse_exec *exec, const struct esse_statement *statement,
                          struct esse_fault *fault)
{
    const struct esse_exec_mark mark = esse_exec_mark(exec);
    size_t at = 0;
    if (statement->kind == ESSE_STATEMENT_SAVEPOINT) {
        exec_savepoint_vec_push(
            &exec->savepoints, exec->overlay.arena,
            (struct exec_savepoint){ statement->name, mark.writes, mark.deferred, mark.schema });
        return true;
    }
    if (!find_savepoint(exec, statement->name, &at, fault))
        return false;
    if (statement->kind == ESSE_STATEMENT_ROLLBACK_TO) {
        const struct exec_savepoint *savepoint = &exec->savepoints.at[at];
        esse_exec_back(exec, (struct esse_exec_mark){ .writes = savepoint->writes,
                                                      .deferred = savepoint->deferred,
                                                      .savepoints = (uint32_t)at + 1,
                                                      .schema = savepoint->schema });
    } else {
        exec->savepoints.count = at;
    }
    return true;
}

/* ---- statements ---- */

static bool set_constraints(struct exec_run *run, const struct esse_statement *statement)
{
    struct esse_exec *exec = run->exec;
    exec->defers_all = statement->flag;
    exec->defers_none = !statement->flag;
    return statement->flag || exec_settle(run, &exec->deferred, 0);
}

static bool create(struct exec_run *run, const struct esse_statement *statement)
{
    const struct esse_table_index *index = statement->made;
    if (statement->kind == ESSE_STATEMENT_CREATE_INDEX && index->is_unique &&
        !exec_check_index(run, statement->table, index))
        return false;
    return esse_schema_change(run->schema, statement, run->eval.fault);
}

static bool eval_args(struct exec_run *run, const struct esse_expr *call,
                      const struct esse_datum **args)
{
    const struct esse_datum *none[1] = { NULL };
    const struct esse_frame frame = { NULL, none, NULL };
    struct esse_datum *values = esse_arena_alloc(run->eval.arena, call->count + 1, sizeof *values);
    *args = values;
    for (uint32_t i = 0; i < call->count; i++)
        if (!esse_eval(&run->eval, &frame, call->args[i], &values[i]))
            return false;
    return true;
}

static bool call_procedure(struct exec_run *run, const struct esse_expr *call)
{
    const struct esse_datum *args;
    return eval_args(run, call, &args) && exec_call(run, call->is.routine, args, NULL);
}

static bool run_statement(struct exec_run *run, const struct esse_statement *statement)
{
    switch (statement->kind) {
    case ESSE_STATEMENT_QUERY:
        return exec_top_query(run, statement->query);
    case ESSE_STATEMENT_INSERT:
        return exec_insert(run, &statement->change);
    case ESSE_STATEMENT_UPDATE:
        return exec_update(run, &statement->change);
    case ESSE_STATEMENT_DELETE:
        return exec_delete(run, &statement->change);
    case ESSE_STATEMENT_TRUNCATE:
        return exec_truncate(run, statement);
    case ESSE_STATEMENT_CREATE_TABLE:
    case ESSE_STATEMENT_CREATE_INDEX:
    case ESSE_STATEMENT_CREATE_VIEW:
    case ESSE_STATEMENT_CREATE_SEQUENCE:
    case ESSE_STATEMENT_CREATE_ROUTINE:
    case ESSE_STATEMENT_DROP:
        return create(run, statement);
    case ESSE_STATEMENT_CALL:
        return call_procedure(run, statement->call);
    case ESSE_STATEMENT_SAVEPOINT:
    case ESSE_STATEMENT_RELEASE:
    case ESSE_STATEMENT_ROLLBACK_TO:
        return run_savepoint(run->exec, statement, run->eval.fault);
    case ESSE_STATEMENT_CONSTRAINTS:
        return set_constraints(run, statement);
    case ESSE_STATEMENT_NOTHING:
        return true;
    case ESSE_STATEMENT_BEGIN:
    case ESSE_STATEMENT_COMMIT:
    case ESSE_STATEMENT_ROLLBACK:
        return esse_fault_unsupported(run->eval.fault, 0,
                                      "BEGIN, COMMIT and ROLLBACK are not part of a transaction");
    }
    assert(false);
    return false;
}

static struct exec_run start_run(struct esse_exec *exec, struct esse_arena *scratch,
                                 const struct exec_inputs *inputs, struct esse_fault *fault)
{
    *fault = (struct esse_fault){ .kind = ESSE_FAULT_NONE };
    return (struct exec_run){ .exec = exec,
                              .most = inputs->most,
                              .eval = { .arena = scratch,
                                        .fault = fault,
                                        .query = ask_query,
                                        .call = ask_call,
                                        .hole = ask_hole,
                                        .params = inputs->params,
                                        .param_count = inputs->param_count },
                              .overlay = &exec->overlay,
                              .schema = exec->schema,
                              .is_mysql = exec->schema->dialect == ESSE_DIALECT_MYSQL };
}

static void start_statement(struct exec_run *run, const struct esse_compiled *compiled)
{
    const struct esse_statement *statement = compiled->statement;
    run->eval.context = run;
    run->eval.slots = compiled->slots;
    run->statement = statement;
    run->plans = plans_of(run->exec, statement);
    run->memos = esse_arena_alloc(run->eval.arena, statement->query_count + 1, sizeof *run->memos);
}

bool exec_run_inner(struct esse_exec *exec, struct esse_arena *scratch,
                    const struct esse_compiled *compiled, const struct exec_inputs *inputs,
                    struct esse_sql_result *result, struct esse_fault *fault)
{
    struct exec_run run = start_run(exec, scratch, inputs, fault);
    const struct esse_exec_mark mark = esse_exec_mark(exec);
    *result = (struct esse_sql_result){ .statement = compiled->statement };
    run.result = result;
    start_statement(&run, compiled);
    if (run_statement(&run, compiled->statement) && exec_settle(&run, &exec->pending, mark.pending))
        return true;
    assert(fault->kind != ESSE_FAULT_NONE);
    /* In MySQL's dialect what a procedure did before its error stays. */
    if (!run.is_mysql || compiled->statement->kind != ESSE_STATEMENT_CALL)
        esse_exec_back(exec, mark);
    return false;
}

bool exec_is_value(const struct esse_query *query)
{
    return !query->source_count && !query->from && !query->where && !query->is_grouped &&
           !query->is_values && !query->is_distinct && query->set == ESSE_SET_NONE &&
           !query->sort_count && !query->limit && !query->offset && query->output_count == 1;
}

bool exec_run_value(struct esse_exec *exec, struct esse_arena *scratch,
                    const struct esse_compiled *compiled, const struct exec_inputs *inputs,
                    struct esse_datum *value, struct esse_fault *fault)
{
    const struct esse_datum *none[1] = { NULL };
    const struct esse_frame frame = { NULL, none, NULL };
    struct exec_run run = start_run(exec, scratch, inputs, fault);
    start_statement(&run, compiled);
    return esse_eval(&run.eval, &frame, compiled->statement->query->outputs[0].expr, value);
}

bool exec_run_args(struct esse_exec *exec, struct esse_arena *scratch,
                   const struct esse_compiled *compiled, const struct exec_inputs *inputs,
                   const struct esse_datum **args, struct esse_fault *fault)
{
    struct exec_run run = start_run(exec, scratch, inputs, fault);
    start_statement(&run, compiled);
    return eval_args(&run, compiled->statement->call, args);
}

bool esse_exec_run(struct esse_exec *exec, const struct esse_compiled *compiled,
                   const struct esse_datum *params, uint32_t param_count,
                   struct esse_sql_result *result, struct esse_fault *fault)
{
    const struct exec_inputs inputs = { params, param_count, SIZE_MAX };
    esse_arena_clear(exec->scratch);
    return exec_run_inner(exec, exec->scratch, compiled, &inputs, result, fault);
}

bool esse_exec_end(struct esse_exec *exec, struct esse_fault *fault)
{
    struct esse_sql_result result = { .has_rows = false };
    const struct exec_inputs inputs = { NULL, 0, SIZE_MAX };
    struct exec_run run = start_run(exec, exec->scratch, &inputs, fault);
    run.eval.context = &run;
    run.result = &result;
    return exec_settle(&run, &exec->deferred, 0) && exec_settle(&run, &exec->pending, 0);
}

bool esse_exec_verify(struct esse_exec *exec, struct esse_fault *fault)
{
    const struct exec_inputs inputs = { NULL, 0, SIZE_MAX };
    struct exec_run run = start_run(exec, exec->scratch, &inputs, fault);
    run.eval.context = &run;
    return exec_verify(&run);
}
