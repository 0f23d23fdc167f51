#include "exec/shell.h"

#include "base/rng.h"
#include "exec/row_memory.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum state { OUTSIDE, WITHIN, FAILED };

struct esse_shell {
    struct esse_arena *arena;
    struct esse_schema *schema;
    struct esse_compiler *compiler;
    struct esse_memory *memory;
    struct esse_exec *exec;
    struct esse_outside outside;
    struct esse_exec_mark begin; /* of the transaction */
    enum state state;
    int64_t now; /* of the transaction, in microseconds */
    struct esse_rng rng;
    struct esse_i64_vec sequences; /* by number: the next value */
    char uuid[40];
};

static int64_t clock_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static int64_t *next_of(struct esse_shell *shell, const struct esse_sequence *sequence)
{
    while (shell->sequences.count <= sequence->number) {
        const struct esse_sequence *one = shell->schema->sequences.at[shell->sequences.count];
        esse_i64_vec_push(&shell->sequences, shell->arena, one->start);
    }
    return &shell->sequences.at[sequence->number];
}

static void make_uuid(struct esse_shell *shell)
{
    const uint64_t a = esse_rng_next(&shell->rng), b = esse_rng_next(&shell->rng);
    snprintf(shell->uuid, sizeof shell->uuid, "%08x-%04x-4%03x-8%03x-%012llx", (unsigned)(a >> 32),
             (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xfff), (unsigned)(b >> 52),
             (unsigned long long)(b & 0xffffffffffff));
}

static bool hole(void *context, enum esse_hole_kind kind, const struct esse_sequence *sequence,
                 struct esse_datum *value, struct esse_fault *fault)
{
    struct esse_shell *shell = context;
    switch (kind) {
    case ESSE_HOLE_NOW:
    case ESSE_HOLE_CLOCK:
        *value = (struct esse_datum){ .kind = ESSE_DATUM_TIMESTAMP };
        value->is.number = kind == ESSE_HOLE_NOW ? shell->now : clock_now();
        return true;
    case ESSE_HOLE_RANDOM:
        *value = esse_datum_real(esse_rng_unit(&shell->rng));
        return true;
    case ESSE_HOLE_UUID:
        make_uuid(shell);
        *value = esse_datum_keep(shell->arena, esse_datum_text(shell->uuid, strlen(shell->uuid)));
        return true;
    case ESSE_HOLE_USER:
        *value = esse_datum_text("esse", 4);
        return true;
    case ESSE_HOLE_NEXTVAL:
        *value = esse_datum_int(*next_of(shell, sequence));
        *next_of(shell, sequence) += sequence->step;
        return true;
    case ESSE_HOLE_CURRVAL:
        if (*next_of(shell, sequence) == sequence->start)
            return esse_fault(fault, "55000", 0,
                              "currval of sequence \"%s\" is not yet defined in this session",
                              sequence->name);
        *value = esse_datum_int(*next_of(shell, sequence) - sequence->step);
        return true;
    }
    return false;
}

static void given(void *context, const struct esse_sequence *sequence, int64_t value)
{
    int64_t *next = next_of(context, sequence);
    if (*next <= value)
        *next = value + 1;
}

struct esse_shell *esse_shell_new(enum esse_dialect dialect)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_shell *shell = esse_arena_alloc(arena, 1, sizeof *shell);
    shell->arena = arena;
    shell->schema = esse_schema_new(arena, dialect);
    shell->compiler = esse_compiler_new(shell->schema);
    shell->memory = esse_memory_new(arena);
    shell->outside = (struct esse_outside){ shell, hole, given };
    shell->exec = esse_exec_new(shell->compiler, shell->schema, esse_memory_store(shell->memory),
                                &shell->outside);
    return shell;
}

void esse_shell_free(struct esse_shell *shell)
{
    esse_exec_free(shell->exec);
    esse_compiler_free(shell->compiler);
    esse_arena_free(shell->arena);
}

uint64_t esse_shell_shapes(const struct esse_shell *shell)
{
    return esse_compiler_shapes(shell->compiler);
}

static void begin(struct esse_shell *shell)
{
    esse_exec_begin(shell->exec);
    shell->begin = esse_exec_mark(shell->exec);
    shell->now = clock_now();
}

static bool end(struct esse_shell *shell, bool is_kept, struct esse_fault *fault)
{
    const bool ok = !is_kept || esse_exec_end(shell->exec, fault);
    if (ok && is_kept)
        esse_memory_take(shell->memory, esse_exec_overlay(shell->exec));
    else
        esse_exec_back(shell->exec, shell->begin);
    shell->state = OUTSIDE;
    return ok;
}

static bool is_ending(const struct esse_statement *statement)
{
    return statement->kind == ESSE_STATEMENT_COMMIT || statement->kind == ESSE_STATEMENT_ROLLBACK ||
           statement->kind == ESSE_STATEMENT_ROLLBACK_TO;
}

static bool refuse_failed(struct esse_fault *fault)
{
    *fault = (struct esse_fault){ .kind = ESSE_FAULT_NONE };
    return esse_fault(fault, "25P02", 0,
                      "current transaction is aborted, commands ignored until end of transaction "
                      "block");
}

static bool run_alone(struct esse_shell *shell, const struct esse_compiled *compiled,
                      struct esse_sql_result *result, struct esse_fault *fault)
{
    begin(shell);
    if (!esse_exec_run(shell->exec, compiled, NULL, 0, result, fault)) {
        struct esse_fault other;
        /* The statements of a MySQL procedure were transactions of their own. */
        if (shell->schema->dialect == ESSE_DIALECT_MYSQL)
            return end(shell, true, &other) && false;
        esse_exec_back(shell->exec, shell->begin);
        return false;
    }
    return end(shell, true, fault);
}

static bool run_within(struct esse_shell *shell, const struct esse_compiled *compiled,
                       struct esse_sql_result *result, struct esse_fault *fault)
{
    if (esse_exec_run(shell->exec, compiled, NULL, 0, result, fault)) {
        if (compiled->statement->kind == ESSE_STATEMENT_ROLLBACK_TO)
            shell->state = WITHIN;
        return true;
    }
    if (shell->schema->dialect == ESSE_DIALECT_POSTGRESQL)
        shell->state = FAILED;
    return false;
}

bool esse_shell_run(struct esse_shell *shell, const char *text, size_t length,
                    struct esse_sql_result *result, struct esse_fault *fault)
{
    struct esse_compiled compiled;
    if (!esse_compile(shell->compiler, text, length, &compiled, fault)) {
        if (shell->state == FAILED)
            return refuse_failed(fault);
        if (shell->state == WITHIN && shell->schema->dialect == ESSE_DIALECT_POSTGRESQL)
            shell->state = FAILED;
        return false;
    }
    *result = (struct esse_sql_result){ .statement = compiled.statement };
    if (shell->state == FAILED && !is_ending(compiled.statement))
        return refuse_failed(fault);
    switch (compiled.statement->kind) {
    case ESSE_STATEMENT_BEGIN:
        if (shell->state == OUTSIDE)
            begin(shell);
        shell->state = WITHIN;
        return true;
    case ESSE_STATEMENT_COMMIT:
    case ESSE_STATEMENT_ROLLBACK:
        return shell->state == OUTSIDE ||
               end(shell,
                   shell->state == WITHIN && compiled.statement->kind == ESSE_STATEMENT_COMMIT,
                   fault);
    case ESSE_STATEMENT_SAVEPOINT:
    case ESSE_STATEMENT_RELEASE:
    case ESSE_STATEMENT_ROLLBACK_TO:
        if (shell->state == OUTSIDE)
            return esse_fault(fault, "25P01", 0,
                              "savepoints can only be used in transaction blocks");
        break;
    default:
        break;
    }
    return shell->state == OUTSIDE ? run_alone(shell, &compiled, result, fault)
                                   : run_within(shell, &compiled, result, fault);
}
