#include "exec/exec_call.h"

#include <string.h>

/* Variables of a call, and the texts that are run on them. */

struct esse_embedded *call_text(const struct call_frame *frame, uint32_t text)
{
    return &frame->routine->texts.at[text];
}

bool call_compile(struct esse_call *call, const struct call_frame *frame, uint32_t text,
                  struct esse_fault *fault)
{
    return esse_compile_embedded(call->exec->compiler, frame->routine, call_text(frame, text),
                                 frame->records, fault);
}

/* Places are in the text of CREATE. */
static bool place(const struct esse_embedded *text, struct esse_fault *fault)
{
    if (fault->at)
        fault->at = text->at ? text->at + fault->at - 1 : 0;
    return false;
}

static const struct esse_datum *params_of(struct esse_call *call, const struct call_frame *frame,
                                          const struct esse_embedded *text)
{
    struct esse_datum *params =
        esse_arena_alloc(call->scratch, text->use_count + 1, sizeof *params);
    for (uint32_t i = 0; i < text->use_count; i++) {
        const struct esse_use *use = &text->uses[i];
        params[i] = use->field == ESSE_WHOLE ? frame->values[use->variable]
                                             : frame->rows[use->variable][use->field];
    }
    return params;
}

bool call_run(struct esse_call *call, const struct call_frame *frame, uint32_t number, size_t most,
              struct esse_sql_result *result, struct esse_fault *fault)
{
    const struct esse_embedded *text = call_text(frame, number);
    const struct esse_compiled compiled = { .statement = text->statement };
    const struct exec_inputs inputs = { params_of(call, frame, text), text->use_count, most };
    return exec_run_inner(call->exec, call->scratch, &compiled, &inputs, result, fault) ||
           place(text, fault);
}

bool call_args(struct esse_call *call, const struct call_frame *frame,
               const struct esse_compiled *compiled, const struct esse_embedded *text,
               const struct esse_datum **args, struct esse_fault *fault)
{
    const struct exec_inputs inputs = { params_of(call, frame, text), text->use_count, SIZE_MAX };
    return exec_run_args(call->exec, call->scratch, compiled, &inputs, args, fault) ||
           place(text, fault);
}

bool call_value(struct esse_call *call, struct call_frame *frame, uint32_t number,
                struct call_value *value, struct esse_fault *fault)
{
    const struct esse_embedded *text = call_text(frame, number);
    const struct esse_query *query = text->statement->query;
    struct esse_sql_result result;
    if (text->statement->kind != ESSE_STATEMENT_QUERY || query->output_count != 1)
        return esse_fault(fault, "42601", text->at, "an expression has one value");
    *value = (struct call_value){ esse_datum_null(), query->outputs[0].type };
    if (exec_is_value(query)) {
        /* PL/pgSQL runs what has a sub-select as a query. */
        if (text->statement->query_count > 1)
            frame->row_count = 1;
        const struct esse_compiled compiled = { .statement = text->statement };
        const struct exec_inputs inputs = { params_of(call, frame, text), text->use_count, 1 };
        return exec_run_value(call->exec, call->scratch, &compiled, &inputs, &value->datum,
                              fault) ||
               place(text, fault);
    }
    if (!call_run(call, frame, number, 2, &result, fault))
        return false;
    if (result.count > 1)
        return esse_fault(fault, "21000", text->at, "query returned more than one row");
    frame->row_count = result.count;
    if (result.count)
        value->datum = result.rows[0];
    return true;
}

bool call_truth(struct esse_call *call, struct call_frame *frame, uint32_t text, bool *is_true,
                struct esse_fault *fault)
{
    static const struct esse_variable condition = { .name = "",
                                                    .type = { .base = ESSE_TYPE_BOOL } };
    struct call_value value;
    if (!call_value(call, frame, text, &value, fault) ||
        !esse_cast_variable(call->scratch, call->is_mysql, value.datum, value.type, &condition,
                            &value.datum, fault))
        return false;
    if (value.datum.kind == ESSE_DATUM_HOLE)
        return esse_fault_hole(fault, (uint64_t)value.datum.is.number);
    *is_true = esse_datum_is_true(value.datum);
    return true;
}

/* ---- assignment ---- */

static bool assign_field(struct esse_call *call, struct call_frame *frame,
                         struct esse_target target, struct call_value value,
                         struct esse_fault *fault)
{
    const struct esse_record_shape *record = &frame->records[target.variable];
    const char *name = frame->routine->variables.at[target.variable].name;
    if (!record->columns)
        return esse_fault(fault, "55000", 0, "record \"%s\" is not assigned yet", name);
    for (uint32_t i = 0; i < record->width; i++) {
        const struct esse_variable field = { .name = target.field,
                                             .type = record->columns[i].type };
        struct esse_datum datum;
        if (strcmp(record->columns[i].name, target.field) != 0)
            continue;
        if (!esse_cast_variable(call->scratch, call->is_mysql, value.datum, value.type, &field,
                                &datum, fault))
            return false;
        frame->rows[target.variable][i] = esse_datum_keep(call->arena, datum);
        return true;
    }
    return esse_fault(fault, "42703", 0, "record \"%s\" has no field \"%s\"", name, target.field);
}

bool call_assign(struct esse_call *call, struct call_frame *frame, struct esse_target target,
                 struct call_value value, struct esse_fault *fault)
{
    const struct esse_variable *variable = &frame->routine->variables.at[target.variable];
    struct esse_datum datum;
    if (target.field)
        return assign_field(call, frame, target, value, fault);
    if (variable->is_record)
        return esse_fault_unsupported(fault, 0, "a value for all of a record is not supported");
    if (!esse_cast_variable(call->scratch, call->is_mysql, value.datum, value.type, variable,
                            &datum, fault))
        return false;
    frame->values[target.variable] = esse_datum_keep(call->arena, datum);
    return true;
}

static struct esse_datum *new_row(struct esse_call *call, uint32_t width)
{
    struct esse_datum *row = esse_arena_alloc(call->arena, width + 1, sizeof *row);
    for (uint32_t i = 0; i < width; i++)
        row[i] = esse_datum_null();
    return row;
}

/* A record takes the columns of the row; one with columns of its own casts to them. */
static bool assign_record(struct esse_call *call, struct call_frame *frame, uint32_t number,
                          const struct esse_sql_result *result, const struct esse_datum *row,
                          struct esse_fault *fault)
{
    const struct esse_variable *variable = &frame->routine->variables.at[number];
    struct esse_record_shape *record = &frame->records[number];
    record->columns = variable->columns ? variable->columns : result->columns;
    record->width = variable->columns ? variable->width : result->width;
    frame->rows[number] = new_row(call, record->width);
    for (uint32_t i = 0; row && i < record->width && i < result->width; i++) {
        const struct esse_variable field = { .name = record->columns[i].name,
                                             .type = record->columns[i].type };
        struct esse_datum datum;
        if (!esse_cast_variable(call->scratch, call->is_mysql, row[i], result->columns[i].type,
                                &field, &datum, fault))
            return false;
        frame->rows[number][i] = esse_datum_keep(call->arena, datum);
    }
    return true;
}

bool call_assign_row(struct esse_call *call, struct call_frame *frame, const struct esse_op *op,
                     const struct esse_sql_result *result, const struct esse_datum *row,
                     struct esse_fault *fault)
{
    if (op->target_count == 1 && !op->targets[0].field &&
        frame->routine->variables.at[op->targets[0].variable].is_record)
        return assign_record(call, frame, op->targets[0].variable, result, row, fault);
    for (uint32_t i = 0; i < op->target_count; i++) {
        struct call_value value = { esse_datum_null(), ESSE_TYPE(TEXT) };
        if (i < result->width) {
            value.type = result->columns[i].type;
            value.datum = row ? row[i] : esse_datum_null();
        }
        if (!call_assign(call, frame, op->targets[i], value, fault))
            return false;
    }
    return true;
}

bool call_clear(struct esse_call *call, struct call_frame *frame, uint32_t number,
                struct esse_fault *fault)
{
    const struct esse_variable *variable = &frame->routine->variables.at[number];
    if (variable->is_cursor)
        call_close_cursor(call, &frame->cursors[variable->cursor]);
    if (variable->is_cursor)
        frame->cursors[variable->cursor].was_open = variable->query != ESSE_NO_TEXT;
    if (variable->is_not_null)
        return esse_fault(fault, "22004", 0,
                          "null value cannot be assigned to variable \"%s\" declared NOT NULL",
                          variable->name);
    frame->values[number] = esse_datum_null();
    frame->records[number] = (struct esse_record_shape){ variable->columns, variable->width };
    frame->rows[number] = variable->columns ? new_row(call, variable->width) : NULL;
    return true;
}
