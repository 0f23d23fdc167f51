#include "explore/execution.h"

#include "base/arena.h"

#include "history/builder.h"
#include "history/record.h"

#include <inttypes.h>
#include <string.h>

/* An execution as JSON, and as a history that esse check reads. */

/* ---- JSON ---- */

/* Texts have their quotes already; everything that is neither a number nor a truth value gets
 * them. */
static void put_json_value(struct esse_out *out, const struct esse_program *program,
                           uint32_t variable, int64_t value)
{
    struct esse_out shown;
    esse_out_init_memory(&shown, out->arena);
    program->put_value(program, &shown, variable, value);
    const char *text = esse_out_memory(&shown);
    if (*text == '{')
        esse_out_json_text(out, text);
    else
        esse_out_text(out, text);
}

static void put_op(struct esse_out *out, const struct esse_program *program,
                   const struct esse_search_step *step)
{
    esse_out_f(out, "{\"%s\":", step->kind == ESSE_STEP_WRITE ? "w" : "r");
    esse_out_json_text(out, program->variables[step->variable]);
    esse_out_text(out, ",\"v\":");
    put_json_value(out, program, step->variable, step->value);
    if (step->kind == ESSE_STEP_READ)
        esse_out_json_member(out, "from",
                             step->source == ESSE_NO_SOURCE
                                 ? "initial"
                                 : esse_execution_name(out->arena, program, step->source));
    else if (step->kind == ESSE_STEP_OWN)
        esse_out_json_member(out, "from", "own");
    esse_out_char(out, '}');
}

void esse_execution_put_json(struct esse_out *out, const struct esse_execution *execution)
{
    const struct esse_program *program = execution->program;
    bool is_first = true;
    esse_out_char(out, '[');
    for (uint32_t i = 0; i < execution->length; i++) {
        const uint32_t txn = execution->order[i];
        const struct esse_unit *unit = &execution->units[txn];
        if (!(execution->shown >> txn & 1))
            continue;
        esse_out_text(out, is_first ? "{\"session\":" : ",{\"session\":");
        is_first = false;
        esse_out_json_text(out, program->sessions[program->txns[txn].session]);
        esse_out_json_member(out, "txn", program->txns[txn].name);
        esse_out_json_member(out, "status",
                             unit->status == ESSE_UNIT_COMMITTED ? "committed" : "aborted");
        esse_out_text(out, ",\"ops\":[");
        for (uint32_t k = 0; k < unit->count; k++) {
            esse_out_text(out, k ? "," : "");
            put_op(out, program, &unit->steps[k]);
        }
        esse_out_text(out, "]}");
    }
    esse_out_char(out, ']');
}

/* ---- a history ---- */

struct converting {
    const struct esse_execution *execution;
    struct esse_arena *arena;
    struct esse_sink *sink;
    bool *is_repeated; /* by variable: two versions of it have the same value */
};

/* Does another write of the variable, or its initial version, have the value of this one? */
static bool is_same_elsewhere(const struct converting *c, const struct esse_search_step *write)
{
    const struct esse_execution *execution = c->execution;
    if (execution->program->initial[write->variable] == write->value)
        return true;
    for (uint32_t txn = 0; txn < execution->program->txn_count; txn++)
        for (uint32_t k = 0; k < execution->units[txn].count; k++) {
            const struct esse_search_step *step = &execution->units[txn].steps[k];
            if (step != write && step->kind == ESSE_STEP_WRITE &&
                step->variable == write->variable && step->value == write->value)
                return true;
        }
    return false;
}

static void find_repeated(struct converting *c)
{
    const struct esse_program *program = c->execution->program;
    c->is_repeated = esse_arena_zeros(c->arena, program->variable_count, bool);
    for (uint32_t txn = 0; txn < program->txn_count; txn++)
        for (uint32_t k = 0; k < c->execution->units[txn].count; k++) {
            const struct esse_search_step *step = &c->execution->units[txn].steps[k];
            if (step->kind == ESSE_STEP_WRITE && is_same_elsewhere(c, step))
                c->is_repeated[step->variable] = true;
        }
}

/* How many writes of the variable are among the first 'steps' steps of a transaction. */
static uint32_t writes_among(const struct esse_unit *unit, uint32_t variable, uint32_t steps)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < steps; i++)
        count += unit->steps[i].kind == ESSE_STEP_WRITE && unit->steps[i].variable == variable;
    return count;
}

/* Numbers and texts as they are; the rest, and values that must be told apart by their writers, as
 * texts: "5 of alice.t1", "5 of alice.t1 #2".  NO_SOURCE: the initial version; otherwise it is the
 * last among the first 'steps' steps of the writer. */
static esse_value history_value(const struct converting *c, uint32_t variable, int64_t value,
                                uint32_t writer, uint32_t steps)
{
    const struct esse_program *program = c->execution->program;
    struct esse_values *values = c->sink->values;
    struct esse_out out;
    esse_out_init_memory(&out, c->arena);
    program->put_value(program, &out, variable, value);
    const bool is_number = out.buffer[0] == '-' || (out.buffer[0] >= '0' && out.buffer[0] <= '9');
    if (is_number && !c->is_repeated[variable])
        return esse_value_int(values, value);
    if (c->is_repeated[variable] && writer == ESSE_NO_SOURCE) {
        esse_out_text(&out, " initially");
    } else if (c->is_repeated[variable]) {
        const uint32_t number = writes_among(&c->execution->units[writer], variable, steps);
        esse_out_f(&out, " of %s", esse_execution_name(c->arena, program, writer));
        if (number > 1)
            esse_out_f(&out, " #%u", number);
    }
    const char *text = esse_out_memory(&out);
    return esse_value_string(values, text, strlen(text));
}

static bool send_initial(const struct converting *c, struct esse_error *err)
{
    const struct esse_program *program = c->execution->program;
    struct esse_row *rows = esse_arena_array(c->arena, program->variable_count, struct esse_row);
    for (uint32_t v = 0; v < program->variable_count; v++) {
        const char *key = program->variables[v];
        rows[v] = (struct esse_row){
            .key = esse_value_string(c->sink->values, key, strlen(key)),
            .value = history_value(c, v, program->initial[v], ESSE_NO_SOURCE, 0),
            .next = ESSE_NONE,
        };
    }
    return c->sink->init(c->sink, rows, program->variable_count, err);
}

static bool send_txn(const struct converting *c, uint32_t txn, struct esse_error *err)
{
    const struct esse_program *program = c->execution->program;
    const struct esse_unit *unit = &c->execution->units[txn];
    struct esse_values *values = c->sink->values;
    struct esse_op_record *ops = esse_arena_zeros(c->arena, unit->count, struct esse_op_record);
    for (uint32_t k = 0; k < unit->count; k++) {
        const struct esse_search_step *step = &unit->steps[k];
        const char *key = program->variables[step->variable];
        const bool is_other = step->kind == ESSE_STEP_READ && step->source != ESSE_NO_SOURCE;
        const uint32_t writer = step->kind == ESSE_STEP_READ ? step->source : txn;
        const uint32_t steps = is_other ? c->execution->units[writer].count : k + 1;
        ops[k].kind = step->kind == ESSE_STEP_WRITE ? ESSE_OP_WRITE : ESSE_OP_READ;
        ops[k].key = esse_value_string(values, key, strlen(key));
        ops[k].value = history_value(c, step->variable, step->value, writer, steps);
        ops[k].begin = ops[k].end = ESSE_NO_TIME;
        ops[k].snapshot = ESSE_NONE;
    }
    struct esse_txn_record record = esse_txn_record_empty();
    const char *session = program->sessions[program->txns[txn].session];
    const char *name = esse_execution_name(c->arena, program, txn);
    record.session = esse_value_string(values, session, strlen(session));
    record.name = esse_value_string(values, name, strlen(name));
    record.status = unit->status == ESSE_UNIT_COMMITTED ? ESSE_COMMITTED : ESSE_ABORTED;
    record.ops = ops;
    record.op_count = unit->count;
    return c->sink->txn(c->sink, &record, err);
}

bool esse_execution_history(struct esse_arena *arena, const struct esse_execution *execution,
                            struct esse_history **out, struct esse_error *err)
{
    struct esse_builder *builder = esse_builder_new(arena);
    struct converting c = { execution, arena, esse_builder_sink(builder), NULL };
    find_repeated(&c);
    if (!send_initial(&c, err))
        return false;
    for (uint32_t i = 0; i < execution->length; i++)
        if (execution->shown >> execution->order[i] & 1 && !send_txn(&c, execution->order[i], err))
            return false;
    return esse_builder_freeze_as(builder, "native", ESSE_WORKLOAD_ANY, out, err);
}
