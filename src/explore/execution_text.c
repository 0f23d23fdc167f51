#include "explore/execution.h"

#include "base/arena.h"

#include <string.h>

/* An execution as text: a column for each session that takes part. */

struct columns {
    uint32_t session[ESSE_PROGRAM_TXNS_MOST];
    size_t width[ESSE_PROGRAM_TXNS_MOST];
    uint32_t count;
};

static uint32_t column_of(const struct columns *columns, uint32_t session)
{
    uint32_t at = 0;
    while (columns->session[at] != session)
        at++;
    return at;
}

static const char *cell(struct esse_arena *arena, const struct esse_execution *execution,
                        struct esse_moment moment)
{
    const struct esse_program *program = execution->program;
    const struct esse_unit *unit = &execution->units[moment.txn];
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    if (moment.step == unit->count) {
        esse_out_text(&out, unit->status == ESSE_UNIT_COMMITTED ? "commit" : "abort");
        return esse_out_memory(&out);
    }
    const struct esse_search_step *step = &unit->steps[moment.step];
    esse_out_f(&out, "%s %s = ", step->kind == ESSE_STEP_WRITE ? "write" : "read",
               program->variables[step->variable]);
    program->put_value(program, &out, step->variable, step->value);
    if (step->kind == ESSE_STEP_OWN)
        esse_out_text(&out, "  (own)");
    else if (step->kind == ESSE_STEP_READ)
        esse_out_f(&out, "  (%s)",
                   step->source == ESSE_NO_SOURCE
                       ? "initial"
                       : esse_execution_name(arena, program, step->source));
    return esse_out_memory(&out);
}

static void widen(struct columns *columns, uint32_t at, const char *text)
{
    if (strlen(text) > columns->width[at])
        columns->width[at] = strlen(text);
}

static void set_columns(struct esse_arena *arena, const struct esse_execution *execution,
                        const struct esse_moment *moments, uint32_t count, struct columns *columns)
{
    const struct esse_program *program = execution->program;
    *columns = (struct columns){ 0 };
    for (uint32_t txn = 0; txn < program->txn_count; txn++) {
        const uint32_t session = program->txns[txn].session;
        if (execution->shown >> txn & 1 &&
            (!columns->count || columns->session[columns->count - 1] != session))
            columns->session[columns->count++] = session;
        if (execution->shown >> txn & 1)
            widen(columns, columns->count - 1,
                  esse_arena_format(arena, "%s: begin", program->txns[txn].name));
    }
    for (uint32_t i = 0; i < columns->count; i++)
        widen(columns, i, program->sessions[columns->session[i]]);
    for (uint32_t i = 0; i < count; i++)
        widen(columns, column_of(columns, program->txns[moments[i].txn].session),
              cell(arena, execution, moments[i]));
}

/* A row with a text in one column, and nothing behind it. */
static void put_row(struct esse_out *out, const struct columns *columns, uint32_t at,
                    const char *text)
{
    esse_out_text(out, "    ");
    for (uint32_t i = 0; i < at; i++)
        esse_out_f(out, "%*s | ", (int)columns->width[i], "");
    esse_out_f(out, "%s\n", text);
}

static void put_heads(struct esse_out *out, const struct esse_execution *execution,
                      const struct columns *columns)
{
    esse_out_text(out, "    ");
    for (uint32_t i = 0; i < columns->count; i++) {
        const char *name = execution->program->sessions[columns->session[i]];
        const bool is_last = i + 1 == columns->count;
        esse_out_f(out, "%-*s%s", is_last ? 0 : (int)columns->width[i], name,
                   is_last ? "\n    " : " | ");
    }
    for (uint32_t i = 0; i < columns->count; i++) {
        for (size_t k = 0; k < columns->width[i]; k++)
            esse_out_char(out, '-');
        esse_out_text(out, i + 1 == columns->count ? "\n" : "-+-");
    }
}

void esse_execution_put_text(struct esse_out *out, const struct esse_execution *execution)
{
    const struct esse_program *program = execution->program;
    struct esse_arena *arena = esse_arena_new();
    struct esse_moment *moments;
    struct columns columns;
    uint32_t count;
    txn_set begun = 0;
    const bool is_clock = esse_execution_schedule(arena, execution, &moments, &count);
    set_columns(arena, execution, moments, count, &columns);
    put_heads(out, execution, &columns);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t txn = moments[i].txn;
        const uint32_t at = column_of(&columns, program->txns[txn].session);
        if (!(begun >> txn & 1))
            put_row(out, &columns, at,
                    esse_arena_format(arena, "%s: begin", program->txns[txn].name));
        begun |= UINT64_C(1) << txn;
        put_row(out, &columns, at, cell(arena, execution, moments[i]));
    }
    if (!is_clock)
        esse_out_text(out, "    (some reads return what was not the newest any more: the order "
                           "from top to bottom\n    is one of sight, not of time)\n");
    esse_arena_free(arena);
}
