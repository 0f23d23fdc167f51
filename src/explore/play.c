#include "explore/play.h"

#include "base/vec.h"

#include <string.h>

ESSE_VEC(action_vec, struct esse_play_action)
ESSE_VEC(text_vec, const char *)

struct making {
    struct esse_arena *arena;
    const struct esse_execution *execution;
    const struct esse_program *program;
    struct action_vec actions;
    struct text_vec setup, tables;
    uint32_t sent[ESSE_PROGRAM_TXNS_MOST]; /* statements of SQL, by transaction */
    bool has_begun[ESSE_PROGRAM_TXNS_MOST];
    uint8_t *numbers[ESSE_PROGRAM_TXNS_MOST]; /* of SQL: the statement of each step */
};

static void add(struct making *m, enum esse_play_kind kind, uint32_t txn, const char *text,
                const char *expected)
{
    action_vec_push(&m->actions, m->arena,
                    (struct esse_play_action){ .kind = kind,
                                               .txn = txn,
                                               .session = m->program->txns[txn].session,
                                               .text = text,
                                               .expected = expected });
}

static void begin_if_needed(struct making *m, uint32_t txn)
{
    if (!m->has_begun[txn])
        add(m, ESSE_PLAY_BEGIN, txn, NULL, NULL);
    m->has_begun[txn] = true;
}

/* ---- the small language: a table of variables ---- */

static const char *quoted(struct making *m, const char *text)
{
    struct esse_out out;
    esse_out_init_memory(&out, m->arena);
    esse_out_char(&out, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            esse_out_char(&out, '\'');
        esse_out_char(&out, *text);
    }
    esse_out_char(&out, '\'');
    return esse_out_memory(&out);
}

static const char *shown(struct making *m, uint32_t variable, int64_t value)
{
    struct esse_out out;
    esse_out_init_memory(&out, m->arena);
    m->program->put_value(m->program, &out, variable, value);
    return esse_out_memory(&out);
}

static void make_table(struct making *m)
{
    text_vec_push(&m->setup, m->arena,
                  "CREATE TABLE variables (name VARCHAR(100) PRIMARY KEY, value VARCHAR(200))");
    text_vec_push(&m->tables, m->arena, "variables");
    for (uint32_t v = 0; v < m->program->variable_count; v++)
        text_vec_push(&m->setup, m->arena,
                      esse_arena_format(m->arena, "INSERT INTO variables VALUES (%s, %s)",
                                        quoted(m, m->program->variables[v]),
                                        quoted(m, shown(m, v, m->program->initial[v]))));
}

static void send_step(struct making *m, uint32_t txn, const struct esse_search_step *step)
{
    const char *name = quoted(m, m->program->variables[step->variable]);
    const char *value = shown(m, step->variable, step->value);
    if (step->kind == ESSE_STEP_WRITE)
        add(m, ESSE_PLAY_STATEMENT, txn,
            esse_arena_format(m->arena, "UPDATE variables SET value = %s WHERE name = %s",
                              quoted(m, value), name),
            NULL);
    else
        add(m, ESSE_PLAY_STATEMENT, txn,
            esse_arena_format(m->arena, "SELECT value FROM variables WHERE name = %s", name),
            value);
}

/* ---- SQL: its own statements ---- */

/* The program is asked again, for the statement of each step. */
static void number_steps(struct making *m, uint32_t txn)
{
    const struct esse_unit *unit = &m->execution->units[txn];
    void *state = esse_arena_zeros(m->arena, m->program->state_bytes, char);
    struct esse_event event;
    int64_t read = 0;
    m->numbers[txn] = esse_arena_zeros(m->arena, unit->count + 1, uint8_t);
    m->program->begin(m->program, txn, state);
    for (uint32_t i = 0; i < unit->count; i++) {
        m->program->next(m->program, state, read, &event);
        m->numbers[txn][i] = event.statement;
        read = unit->steps[i].value;
    }
}

static void send_up_to(struct making *m, uint32_t txn, uint32_t count)
{
    const struct esse_script_call *call = m->program->call(m->program, txn);
    for (; m->sent[txn] < count && m->sent[txn] < call->count; m->sent[txn]++)
        add(m, ESSE_PLAY_STATEMENT, txn, call->statements[m->sent[txn]].text, NULL);
}

static void add_setup(struct making *m)
{
    const struct esse_script *script = m->program->script;
    for (uint32_t i = 0; i < script->setup_count; i++)
        text_vec_push(&m->setup, m->arena, script->setup[i].text);
    for (uint32_t v = 0; v < m->program->variable_count; v++) {
        const char *name = m->program->variables[v];
        const char *slash = strchr(name, '/');
        const char *table =
            slash ? esse_arena_format(m->arena, "%.*s", (int)(slash - name), name) : NULL;
        if (table && (!m->tables.count || strcmp(m->tables.at[m->tables.count - 1], table) != 0))
            text_vec_push(&m->tables, m->arena, table);
    }
}

/* ---- the whole ---- */

static void send_moment(struct making *m, struct esse_moment moment)
{
    const struct esse_unit *unit = &m->execution->units[moment.txn];
    const bool is_end = moment.step == unit->count;
    begin_if_needed(m, moment.txn);
    if (m->program->script)
        send_up_to(m, moment.txn, is_end ? UINT32_MAX : m->numbers[moment.txn][moment.step] + 1u);
    else if (!is_end)
        send_step(m, moment.txn, &unit->steps[moment.step]);
    if (is_end)
        add(m, ESSE_PLAY_END, moment.txn,
            unit->status == ESSE_UNIT_COMMITTED ? "COMMIT" : "ROLLBACK", NULL);
}

void esse_play_make(struct esse_arena *arena, const struct esse_execution *execution,
                    uint32_t invariant, struct esse_play *play)
{
    struct making m = { .arena = arena, .execution = execution, .program = execution->program };
    struct esse_moment *moments;
    uint32_t count;
    const struct esse_script *script = m.program->script;
    for (uint32_t txn = 0; script && txn < m.program->txn_count; txn++)
        if (execution->shown >> txn & 1)
            number_steps(&m, txn);
    const bool is_exact = esse_execution_schedule(arena, execution, &moments, &count);
    for (uint32_t i = 0; i < count; i++)
        send_moment(&m, moments[i]);
    if (script)
        add_setup(&m);
    else
        make_table(&m);
    *play = (struct esse_play){ .program = m.program,
                                .setup = m.setup.at,
                                .setup_count = (uint32_t)m.setup.count,
                                .actions = m.actions.at,
                                .action_count = (uint32_t)m.actions.count,
                                .tables = m.tables.at,
                                .table_count = (uint32_t)m.tables.count,
                                .is_exact = is_exact };
    if (script && invariant < script->invariant_count)
        play->invariant = script->invariants[invariant].text;
}

/* ---- levels ---- */

const char *esse_play_begin(enum esse_play_server server, enum esse_axiom axiom)
{
    static const char *const texts[][ESSE_AXIOM_END] = {
        [ESSE_PLAY_POSTGRESQL] = {
            [ESSE_AXIOM_COMMITTED] = "BEGIN ISOLATION LEVEL READ COMMITTED",
            [ESSE_AXIOM_SNAPSHOT] = "BEGIN ISOLATION LEVEL REPEATABLE READ",
            [ESSE_AXIOM_SERIAL] = "BEGIN ISOLATION LEVEL SERIALIZABLE",
        },
        [ESSE_PLAY_MARIADB] = {
            [ESSE_AXIOM_COMMITTED] = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
            [ESSE_AXIOM_SNAPSHOT] = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            [ESSE_AXIOM_SERIAL] = "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
        },
        [ESSE_PLAY_SQLITE] = { [ESSE_AXIOM_SERIAL] = "BEGIN" },
    };
    return texts[server][axiom];
}
