#include "exec/exec.h"

#include "base/checked.h"
#include "base/hash.h"
#include "exec/exec_run.h"

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
    exec->pending.count = 0;
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
        esse_exec_back(exec, (struct esse_exec_mark){ savepoint->writes, savepoint->deferred,
                                                      (uint32_t)at + 1, savepoint->schema });
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
    case ESSE_STATEMENT_DROP:
        return create(run, statement);
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

static struct exec_run start_run(struct esse_exec *exec, struct esse_fault *fault)
{
    *fault = (struct esse_fault){ .kind = ESSE_FAULT_NONE };
    return (struct exec_run){
        .exec = exec,
        .eval = { .arena = exec->scratch, .fault = fault, .query = ask_query, .hole = ask_hole },
        .overlay = &exec->overlay,
        .schema = exec->schema,
        .is_mysql = exec->schema->dialect == ESSE_DIALECT_MYSQL
    };
}

bool esse_exec_run(struct esse_exec *exec, const struct esse_compiled *compiled,
                   const struct esse_datum *params, uint32_t param_count,
                   struct esse_sql_result *result, struct esse_fault *fault)
{
    esse_arena_clear(exec->scratch);
    struct exec_run run = start_run(exec, fault);
    const struct esse_exec_mark mark = esse_exec_mark(exec);
    const struct esse_statement *statement = compiled->statement;
    *result = (struct esse_sql_result){ .statement = statement };
    run.eval.context = &run;
    run.eval.slots = compiled->slots;
    run.eval.params = params;
    run.eval.param_count = param_count;
    run.statement = statement;
    run.result = result;
    run.plans = plans_of(exec, statement);
    run.memos = esse_arena_alloc(exec->scratch, statement->query_count + 1, sizeof *run.memos);
    if (run_statement(&run, statement) && exec_settle(&run, &exec->pending, 0))
        return true;
    assert(fault->kind != ESSE_FAULT_NONE);
    esse_exec_back(exec, mark);
    return false;
}

bool esse_exec_end(struct esse_exec *exec, struct esse_fault *fault)
{
    struct esse_sql_result result = { .has_rows = false };
    struct exec_run run = start_run(exec, fault);
    run.eval.context = &run;
    run.result = &result;
    return exec_settle(&run, &exec->deferred, 0) && exec_settle(&run, &exec->pending, 0);
}
