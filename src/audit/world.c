#include "audit/world.h"

#include "audit/audit.h"
#include "sql/eval.h"

#include <stdio.h>
#include <string.h>

/* From a log to something that runs: schema, state 0, compiled statements; holes; error classes. */

/* ---- holes ---- */

void audit_world_back(struct audit_world *world, uint32_t mark)
{
    while (world->known.count > mark)
        world->holes.at[world->known.at[--world->known.count]].is_known = false;
}

static void new_hole(struct audit_world *world, struct esse_datum *value)
{
    *value = (struct esse_datum){ .kind = ESSE_DATUM_HOLE };
    value->is.number = (int64_t)world->holes.count;
    audit_hole_vec_push(&world->holes, world->arena, (struct audit_hole){ .is_known = false });
}

/* What the log says that the server made for a column of this sequence. */
static bool generated(struct audit_world *world, const struct esse_sequence *sequence,
                      struct esse_datum *value)
{
    const struct esse_log_statement *statement = world->running;
    if (!statement || !(statement->has & ESSE_LOG_GENERATED))
        return false;
    for (uint32_t i = 0; i < statement->generated.count; i++) {
        const esse_value *pair = &world->log->cells.at[statement->generated.first + 2 * i];
        char room[8];
        const struct esse_span name = esse_value_text(world->log->values, pair[0], room);
        for (size_t t = 0; t < world->schema->tables.count; t++) {
            const struct esse_table *table = world->schema->tables.at[t];
            for (uint32_t c = 0; c < table->column_count; c++)
                if (table->columns[c].sequence == sequence &&
                    esse_span_is(name, table->columns[c].name))
                    return audit_value(world, pair[1], table->columns[c].type, value);
        }
    }
    return false;
}

/* Nothing says which number a sequence gave: its next one is as good as any, and only a guess. */
static void next_value(struct audit_world *world, const struct esse_sequence *sequence,
                       struct esse_datum *value)
{
    while (world->sequences.count <= sequence->number)
        esse_i64_vec_push(&world->sequences, world->arena,
                          world->schema->sequences.at[world->sequences.count]->start);
    *value = esse_datum_int(world->sequences.at[sequence->number]);
    world->sequences.at[sequence->number] += sequence->step;
    world->doubt = true;
}

static bool hole(void *context, enum esse_hole_kind kind, const struct esse_sequence *sequence,
                 struct esse_datum *value, struct esse_fault *fault)
{
    struct audit_world *world = context;
    (void)fault;
    switch (kind) {
    case ESSE_HOLE_NEXTVAL:
        if (!generated(world, sequence, value))
            next_value(world, sequence, value);
        return true;
    case ESSE_HOLE_NOW:
        if (!world->now) {
            new_hole(world, value);
            world->now = (uint32_t)value->is.number + 1;
        }
        *value = (struct esse_datum){ .kind = ESSE_DATUM_HOLE };
        value->is.number = world->now - 1;
        return true;
    default:
        new_hole(world, value);
        return true;
    }
}

/* ---- errors ---- */

static const char *of_mysql(int64_t number)
{
    static const struct {
        int number;
        const char *state;
    } known[] = {
        { 1048, "23502" }, { 1062, "23505" }, { 1451, "23503" }, { 1452, "23503" },
        { 3819, "23514" }, { 4025, "23514" }, { 1365, "22012" }, { 1690, "22003" },
        { 1264, "22003" }, { 1406, "22001" }, { 1205, "40001" }, { 1213, "40001" },
        { 1020, "40001" }, { 1317, "57014" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == number)
            return known[i].state;
    return "XX000";
}

enum audit_error_class audit_error_class(const struct audit_world *world, esse_value error,
                                         char state[6])
{
    char room[8], text[8] = "";
    int64_t number;
    if (esse_value_as_int(world->log->values, error, &number)) {
        memcpy(text, of_mysql(number), 6);
    } else {
        const struct esse_span span = esse_value_text(world->log->values, error, room);
        bool is_number = span.length == 4;
        for (size_t i = 0; i < span.length; i++)
            is_number = is_number && span.at[i] >= '0' && span.at[i] <= '9';
        if (is_number) {
            number = (span.at[0] - '0') * 1000 + (span.at[1] - '0') * 100 +
                     (span.at[2] - '0') * 10 + (span.at[3] - '0');
            memcpy(text, of_mysql(number), 6);
        } else if (span.length == 5) {
            memcpy(text, span.at, 5);
        }
    }
    memcpy(state, text, 6);
    static const char *const always[] = { "40", "25", "08", "53" };
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (memcmp(text, always[i], 2) == 0)
            return AUDIT_ERROR_ALWAYS;
    if (strcmp(text, "55P03") == 0 || strcmp(text, "57014") == 0)
        return AUDIT_ERROR_ALWAYS;
    if (memcmp(text, "23", 2) == 0)
        return AUDIT_ERROR_CONSTRAINT;
    return memcmp(text, "22", 2) == 0 ? AUDIT_ERROR_DATA : AUDIT_ERROR_NEVER;
}

/* ---- schema and state 0 ---- */

static bool fail_text(struct esse_error *err, uint64_t line, const char *what,
                      const struct esse_fault *fault)
{
    if (fault->at)
        return esse_fail_at(err, line, 0, "%s, byte %u: %s", what, fault->at, fault->text);
    return esse_fail_at(err, line, 0, "%s: %s", what, fault->text);
}

static bool make_schema(struct audit_world *world, struct esse_error *err)
{
    for (size_t i = 0; i < world->log->schema.count; i++) {
        const struct esse_log_schema *one = &world->log->schema.at[i];
        struct esse_compiled compiled;
        struct esse_sql_result result;
        struct esse_fault fault;
        if (!esse_compile(world->compiler, one->text.at, one->text.length, &compiled, &fault) ||
            !esse_exec_run(world->exec, &compiled, NULL, 0, &result, &fault))
            return fail_text(err, one->line, "schema", &fault);
    }
    return true;
}

static bool columns_of(struct audit_world *world, const struct esse_log_table *given,
                       const struct esse_table *table, uint32_t *columns, struct esse_error *err)
{
    for (uint32_t i = 0; i < given->rows.width; i++) {
        char room[8];
        columns[i] = i;
        if (!given->columns.count && i < table->column_count)
            continue;
        if (!given->columns.count)
            return esse_fail_at(err, given->line, 0, "table %s has %u columns, not %u", table->name,
                                table->column_count, given->rows.width);
        const struct esse_span name = esse_value_text(
            world->log->values, world->log->cells.at[given->columns.first + i], room);
        const char *text = esse_arena_text(world->scratch, name.at, name.length);
        columns[i] = esse_table_column(table, text);
        if (columns[i] == UINT32_MAX)
            return esse_fail_at(err, given->line, 0, "table %s has no column %s", table->name,
                                text);
    }
    return true;
}

static bool put_row(struct audit_world *world, const struct esse_log_table *given,
                    const struct esse_table *table, const uint32_t *columns, uint32_t at,
                    struct esse_error *err)
{
    struct esse_overlay *overlay = esse_exec_overlay(world->exec);
    struct esse_fault fault = { .kind = ESSE_FAULT_NONE };
    struct esse_datum *row = esse_arena_alloc(world->scratch, table->column_count + 1, sizeof *row);
    const esse_value *cells = esse_log_row(world->log, &given->rows, at);
    struct esse_u8_vec key = { 0 };
    for (uint32_t i = 0; i < given->rows.width; i++) {
        struct esse_datum value;
        const struct esse_type type = table->columns[columns[i]].type;
        if (!audit_value(world, cells[i], type, &value) ||
            (value.kind != ESSE_DATUM_NULL &&
             !esse_cast(world->scratch, value, type, type, ESSE_CAST_ASSIGN, &row[columns[i]],
                        &fault)))
            return esse_fail_at(err, given->line, 0, "row %u of table %s: column %s is %s", at + 1,
                                table->name, table->columns[columns[i]].name,
                                esse_type_show(world->scratch, type));
    }
    struct esse_eval eval = { .arena = world->scratch, .fault = &fault };
    if (!esse_row_generate(&eval, table, row) || !esse_row_check(&eval, table, row))
        return esse_fail_at(err, given->line, 0, "row %u of table %s: %s", at + 1, table->name,
                            fault.text);
    if (!table->has_key)
        esse_key_add_number(&key, world->scratch,
                            overlay->store->number(overlay->store->context, table));
    else if (!esse_key_add_columns(&key, world->scratch, table, &table->indexes.at[0], row, &fault))
        return esse_fail_at(err, given->line, 0, "row %u of table %s: %s", at + 1, table->name,
                            fault.text);
    const struct esse_bytes bytes = { key.at ? key.at : (const uint8_t *)"", (uint32_t)key.count };
    if (esse_overlay_get(overlay, table, bytes))
        return esse_fail_at(err, given->line, 0, "row %u of table %s has the key of another one",
                            at + 1, table->name);
    esse_overlay_put(overlay, table, bytes, row);
    return true;
}

static bool put_tables(struct audit_world *world, struct esse_error *err)
{
    for (size_t i = 0; i < world->log->tables.count; i++) {
        const struct esse_log_table *given = &world->log->tables.at[i];
        const struct esse_table *table = esse_schema_table(world->schema, given->name.at);
        if (!table)
            return esse_fail_at(err, given->line, 0, "no CREATE TABLE of the schema made %s",
                                given->name.at);
        uint32_t *columns = esse_arena_alloc(world->arena, given->rows.width + 1, sizeof *columns);
        if (given->rows.count && !columns_of(world, given, table, columns, err))
            return false;
        for (uint32_t row = 0; row < given->rows.count; row++) {
            if (!put_row(world, given, table, columns, row, err))
                return false;
            esse_arena_clear(world->scratch);
        }
    }
    return true;
}

/* ---- statements ---- */

static void note(struct audit_world *world, const struct esse_log_statement *statement,
                 const struct esse_statement *compiled, struct audit_txn_facts *facts)
{
    char state[6];
    if (statement->has & ESSE_LOG_ERROR &&
        audit_error_class(world, statement->error, state) == AUDIT_ERROR_CONSTRAINT) {
        world->has_constraint_errors = true;
        facts->changes = true; /* its place counts: the error is of some state before it */
    }
    if (statement->has & ESSE_LOG_ERROR)
        return;
    if (!compiled) {
        facts->changes = true;
        return;
    }
    switch (compiled->kind) {
    case ESSE_STATEMENT_CALL:
        facts->calls = facts->changes = true;
        break;
    case ESSE_STATEMENT_ROLLBACK_TO:
        facts->goes_back = true;
        break;
    case ESSE_STATEMENT_QUERY:
    case ESSE_STATEMENT_SAVEPOINT:
    case ESSE_STATEMENT_RELEASE:
    case ESSE_STATEMENT_CONSTRAINTS:
    case ESSE_STATEMENT_NOTHING:
        break;
    case ESSE_STATEMENT_CREATE_TABLE:
    case ESSE_STATEMENT_CREATE_INDEX:
    case ESSE_STATEMENT_CREATE_VIEW:
    case ESSE_STATEMENT_CREATE_SEQUENCE:
    case ESSE_STATEMENT_DROP:
        facts->is_schema = facts->changes = true;
        break;
    default:
        facts->changes = true;
        break;
    }
}

static bool look_at(struct audit_world *world, const struct esse_log_txn *txn, uint32_t number,
                    struct audit_txn_facts *facts, struct esse_error *err)
{
    const struct esse_log_statement *statement =
        &world->log->statements.at[txn->statements.first + number];
    struct esse_compiled compiled;
    struct esse_fault fault;
    char what[40];
    snprintf(what, sizeof what, "statement %u", number + 1);
    const bool ok = esse_compile(world->compiler, statement->text.at, statement->text.length,
                                 &compiled, &fault);
    /* What PostgreSQL's parser refuses PostgreSQL refuses; MySQL's dialect is more than it reads.
     */
    const bool is_unread =
        world->schema->dialect == ESSE_DIALECT_MYSQL && !ok && strcmp(fault.state, "42601") == 0;
    if (world->schema->dialect == ESSE_DIALECT_MYSQL &&
        memchr(statement->text.at, '\\', statement->text.length))
        return esse_fail_at(err, txn->line, 0,
                            "%s: backslashes of MySQL's dialect are not supported", what);
    if (!ok && (fault.kind == ESSE_FAULT_UNSUPPORTED || is_unread))
        return fail_text(err, txn->line, what, &fault);
    /* A COMMIT that failed may stand in a transaction that aborted. */
    if (ok && !(statement->has & ESSE_LOG_ERROR) &&
        (compiled.statement->kind == ESSE_STATEMENT_BEGIN ||
         compiled.statement->kind == ESSE_STATEMENT_COMMIT ||
         compiled.statement->kind == ESSE_STATEMENT_ROLLBACK))
        return esse_fail_at(err, txn->line, 0,
                            "%s: BEGIN, COMMIT and ROLLBACK are not written in "
                            "a log; the line is the transaction",
                            what);
    if (ok && compiled.statement->param_count > statement->args.count)
        return esse_fail_at(err, txn->line, 0, "%s has %u parameters, and %u args", what,
                            compiled.statement->param_count, statement->args.count);
    note(world, statement, ok ? compiled.statement : NULL, facts);
    return true;
}

static bool look_at_all(struct audit_world *world, struct esse_error *err)
{
    const struct esse_sql_log *log = world->log;
    world->facts = esse_arena_alloc(world->arena, log->txns.count + 1, sizeof *world->facts);
    for (size_t t = 0; t < log->txns.count; t++)
        for (uint32_t s = 0; s < log->txns.at[t].statements.count; s++)
            if (!look_at(world, &log->txns.at[t], s, &world->facts[t], err))
                return false;
    return true;
}

bool audit_world_new(struct esse_arena *arena, const struct esse_sql_log *log,
                     struct audit_world **out, struct esse_error *err)
{
    struct audit_world *world = esse_arena_alloc(arena, 1, sizeof *world);
    struct esse_fault fault;
    world->arena = arena;
    world->scratch = esse_arena_new();
    world->log = log;
    world->schema = esse_schema_new(
        arena, log->dialect == ESSE_LOG_MYSQL ? ESSE_DIALECT_MYSQL : ESSE_DIALECT_POSTGRESQL);
    world->compiler = esse_compiler_new(world->schema);
    world->versions = audit_versions_new(arena);
    world->outside = (struct esse_outside){ world, hole };
    world->exec = esse_exec_new(world->compiler, world->schema,
                                audit_versions_store(world->versions), &world->outside);
    *out = world;
    audit_versions_look_at(world->versions, 0);
    esse_exec_begin(world->exec);
    if (!make_schema(world, err) || !put_tables(world, err) || !look_at_all(world, err))
        return false;
    if (!esse_exec_end(world->exec, &fault))
        return fail_text(err, 0, "state 0", &fault);
    audit_versions_init(world->versions, esse_exec_overlay(world->exec));
    return true;
}

void audit_world_free(struct audit_world *world)
{
    esse_exec_free(world->exec);
    esse_compiler_free(world->compiler);
    esse_arena_free(world->scratch);
}
