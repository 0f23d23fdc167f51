#include "explore/play.h"

#include <string.h>

/* ---- columns side by side ---- */

/* In one line: what stands in a column. */
static const char *line_of(struct esse_arena *arena, const struct esse_play_action *action,
                           const char *const *begins)
{
    struct esse_out out;
    const char *text = action->kind == ESSE_PLAY_BEGIN ? begins[action->txn] : action->text;
    esse_out_init_memory(&out, arena);
    for (; *text; text++) {
        const bool is_space = *text == ' ' || *text == '\n' || *text == '\t';
        if (!is_space)
            esse_out_char(&out, *text);
        else if (text[1] && text[1] != ' ' && text[1] != '\n' && text[1] != '\t')
            esse_out_char(&out, ' ');
    }
    esse_out_char(&out, ';');
    if (action->expected)
        esse_out_f(&out, "  -- %s", action->expected);
    return esse_out_memory(&out);
}

static void put_setup(struct esse_out *out, const struct esse_play *play, const char *indent)
{
    for (uint32_t i = 0; i < play->setup_count; i++)
        esse_out_f(out, "%s%s;\n", indent, play->setup[i]);
}

static bool takes_part(const struct esse_play *play, uint32_t session)
{
    for (uint32_t i = 0; i < play->action_count; i++)
        if (play->actions[i].session == session)
            return true;
    return false;
}

struct widths {
    size_t of[ESSE_PROGRAM_TXNS_MOST];
    uint32_t last; /* session that takes part */
};

static void put_cell(struct esse_out *out, const struct widths *widths, uint32_t session,
                     const char *text)
{
    esse_out_text(out, text);
    if (session == widths->last)
        return;
    for (size_t i = strlen(text); i < widths->of[session]; i++)
        esse_out_char(out, ' ');
    esse_out_text(out, " | ");
}

static void put_row(struct esse_out *out, const struct esse_play *play, const struct widths *widths,
                    const char *const *texts)
{
    struct esse_out row;
    esse_out_init_memory(&row, out->arena);
    for (uint32_t s = 0; s < play->program->session_count; s++)
        if (takes_part(play, s))
            put_cell(&row, widths, s, texts[s]);
    while (row.count && row.buffer[row.count - 1] == ' ')
        row.count--;
    esse_out_f(out, "%s\n", esse_out_memory(&row));
}

void esse_play_put_script(struct esse_out *out, const struct esse_play *play,
                          const char *const *begins)
{
    const struct esse_program *program = play->program;
    struct widths widths = { .last = 0 };
    const char *texts[ESSE_PROGRAM_TXNS_MOST];
    for (uint32_t s = 0; s < program->session_count; s++) {
        widths.of[s] = strlen(program->sessions[s]) + strlen("-- ");
        widths.last = takes_part(play, s) ? s : widths.last;
        texts[s] = esse_arena_format(out->arena, "-- %s", program->sessions[s]);
    }
    for (uint32_t i = 0; i < play->action_count; i++) {
        const struct esse_play_action *action = &play->actions[i];
        const size_t width = strlen(line_of(out->arena, action, begins));
        if (width > widths.of[action->session])
            widths.of[action->session] = width;
    }
    esse_out_text(out, "-- First, in one session:\n");
    put_setup(out, play, "");
    esse_out_text(out, "-- Then, from top to bottom, each column in a session of its own:\n");
    put_row(out, play, &widths, texts);
    for (uint32_t i = 0; i < play->action_count; i++) {
        for (uint32_t s = 0; s < program->session_count; s++)
            texts[s] = "";
        texts[play->actions[i].session] = line_of(out->arena, &play->actions[i], begins);
        put_row(out, play, &widths, texts);
    }
    if (play->invariant)
        esse_out_f(out, "-- And then this is not true:\n%s;\n", play->invariant);
}

/* ---- the isolation tester ---- */

void esse_play_put_spec(struct esse_out *out, const struct esse_play *play,
                        const char *const *begins)
{
    const struct esse_program *program = play->program;
    for (uint32_t i = 0; i < play->setup_count; i++)
        esse_out_f(out, "setup { %s; }\n", play->setup[i]);
    esse_out_text(out, "teardown { DROP TABLE ");
    for (uint32_t i = 0; i < play->table_count; i++)
        esse_out_f(out, "%s%s", i ? ", " : "", play->tables[i]);
    esse_out_text(out, " CASCADE; }\n");
    for (uint32_t s = 0; s < program->session_count; s++) {
        if (!takes_part(play, s))
            continue;
        esse_out_f(out, "\nsession %s\n", program->sessions[s]);
        for (uint32_t i = 0; i < play->action_count; i++)
            if (play->actions[i].session == s)
                esse_out_f(out, "step s%u_%u { %s }\n", s, i,
                           line_of(out->arena, &play->actions[i], begins));
    }
    if (play->invariant)
        esse_out_f(out, "\nsession afterwards\nstep invariant { %s; }\n", play->invariant);
    esse_out_text(out, "\npermutation");
    for (uint32_t i = 0; i < play->action_count; i++)
        esse_out_f(out, " s%u_%u", play->actions[i].session, i);
    esse_out_text(out, play->invariant ? " invariant\n" : "\n");
}
