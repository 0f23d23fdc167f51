#include "base/arena.h"
#include "report/lattice.h"
#include "report/page/page_parts.h"
#include "report/report_parts.h"

#include <string.h>

/* The lattice with what is known of each level: docs/design/pages.md, "Level colours". */

static const char *const state_names[] = { [PAGE_NOT_ASKED] = "not-asked",
                                           [PAGE_HOLDS] = "holds",
                                           [PAGE_VIOLATED] = "violated",
                                           [PAGE_UNKNOWN] = "unknown" };

struct standing {
    enum page_state state;
    const char *why; /* a sentence */
};

static bool is_named(const char *const *names, uint32_t count, const struct esse_level *level)
{
    for (uint32_t i = 0; i < count; i++)
        if (esse_level_find(names[i]) == level)
            return true;
    return false;
}

static const struct esse_verdict *asked(const struct esse_result *result,
                                        const struct esse_level *level)
{
    for (uint32_t i = 0; i < result->verdict_count; i++)
        if (result->verdicts[i].level == level->id)
            return &result->verdicts[i];
    return NULL;
}

static struct standing of_verdict(struct esse_arena *arena, const struct esse_verdict *verdict)
{
    static const enum page_state states[] = {
        [ESSE_HOLDS] = PAGE_HOLDS, [ESSE_VIOLATED] = PAGE_VIOLATED, [ESSE_UNKNOWN] = PAGE_UNKNOWN
    };
    const char *reason = esse_reason_text(arena, verdict);
    return (struct standing){
        states[verdict->outcome],
        reason ? esse_arena_format(arena, "Asked: unknown because %s.", reason)
               : esse_arena_format(arena, "Asked: %s.", esse_outcome_name(verdict->outcome))
    };
}

/* What follows of a level that was not asked. */
static struct standing following(struct esse_arena *arena, const struct esse_result *result,
                                 const struct esse_level *level)
{
    for (uint32_t i = 0; i < result->verdict_count; i++) {
        const struct esse_verdict *verdict = &result->verdicts[i];
        const struct esse_level *other =
            verdict->level ? esse_level_get(verdict->level) : &esse_level_none;
        if (verdict->outcome == ESSE_VIOLATED && esse_level_implies(level, other))
            return (struct standing){ PAGE_VIOLATED,
                                      esse_arena_format(arena, "It implies %s, which is violated.",
                                                        other->friendly) };
    }
    if (is_named(result->not_levels, result->not_count, level) ||
        is_named(result->also_not, result->also_not_count, level))
        return (struct standing){ PAGE_VIOLATED, "Ruled out by what was found." };
    for (uint32_t i = 0; i < result->verdict_count; i++) {
        const struct esse_verdict *verdict = &result->verdicts[i];
        if (verdict->outcome == ESSE_HOLDS && verdict->level &&
            esse_level_implies(esse_level_get(verdict->level), level))
            return (struct standing){ PAGE_HOLDS,
                                      esse_arena_format(arena, "Implied by %s, which holds.",
                                                        esse_level_name(verdict->level)) };
    }
    for (uint32_t i = 0; i < result->strongest_count; i++) {
        const struct esse_level *strong = esse_level_find(result->strongest[i]);
        if (strong && esse_level_implies(strong, level))
            return (struct standing){ PAGE_HOLDS,
                                      esse_arena_format(arena,
                                                        "Implied by %s, which was shown to "
                                                        "hold.",
                                                        strong->friendly) };
    }
    return (struct standing){ PAGE_NOT_ASKED, "Not asked, and nothing that was found decides it." };
}

static struct standing standing_of(struct esse_arena *arena, const struct esse_result *result,
                                   const struct esse_level *level)
{
    const struct esse_verdict *verdict = asked(result, level);
    return verdict ? of_verdict(arena, verdict) : following(arena, result, level);
}

static void put_databases(struct esse_out *out, const struct esse_level *level)
{
    const struct esse_level_notes *notes = esse_level_notes_of(level);
    const size_t most = sizeof notes->databases / sizeof *notes->databases;
    esse_out_text(out, ",\"databases\":[");
    for (size_t i = 0; i < most && notes->databases[i]; i++) {
        esse_out_text(out, i ? "," : "");
        esse_out_json_text(out, notes->databases[i]);
    }
    esse_out_char(out, ']');
}

static void put_data(struct esse_out *out, const struct standing *standings)
{
    struct esse_out json;
    esse_out_init_memory(&json, out->arena);
    esse_out_char(&json, '{');
    for (size_t i = 0; i < esse_level_count(); i++) {
        const struct esse_level *level = esse_level_at(i);
        esse_out_text(&json, i ? ",\n" : "");
        esse_out_json_text(&json, level->friendly);
        esse_out_f(&json, ":{\"state\":\"%s\"", state_names[standings[i].state]);
        esse_out_json_member(&json, "why", standings[i].why);
        esse_out_json_member(&json, "name", level->name);
        esse_out_json_member(&json, "definition", level->definition);
        esse_out_json_member(&json, "source", level->source);
        put_databases(&json, level);
        esse_out_char(&json, '}');
    }
    esse_out_char(&json, '}');
    page_data(out, "level-data", esse_out_memory(&json));
}

void page_levels(struct esse_out *out, const struct esse_report *report)
{
    struct standing *standings = esse_arena_array(out->arena, esse_level_count(), struct standing);
    const char **states = esse_arena_array(out->arena, esse_level_count(), *states);
    for (size_t i = 0; i < esse_level_count(); i++) {
        standings[i] = standing_of(out->arena, report->result, esse_level_at(i));
        states[i] = state_names[standings[i].state];
    }
    esse_out_text(out,
                  "<section id=\"levels\">\n<h2>The levels</h2>\n"
                  "<p class=\"key\"><span class=\"swatch holds\"></span>holds "
                  "<span class=\"swatch violated\"></span>violated "
                  "<span class=\"swatch unknown\"></span>unknown "
                  "<span class=\"swatch not-asked\"></span>not asked. Strongest on top; what a "
                  "level implies is below it. Choose one for its definition.</p>\n"
                  "<div class=\"lattice\">\n");
    esse_lattice_svg_of(out, states);
    esse_out_text(out, "</div>\n<div id=\"level\" aria-live=\"polite\"></div>\n");
    put_data(out, standings);
    esse_out_text(out, "</section>\n");
}
