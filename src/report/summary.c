#include "report/summary.h"

#include "base/arena.h"
#include "base/budget.h"
#include "report/report_cycle.h"
#include "report/report_parts.h"
#include "report/summary_kinds.h"

#include <inttypes.h>
#include <string.h>

/* ---- words that the kinds share ---- */

const char *esse_summary_path(const struct esse_summary_part *part)
{
    return strcmp(part->path, "-") == 0 ? "standard input" : part->path;
}

const char *esse_summary_error(struct esse_arena *arena, const struct esse_summary_part *part)
{
    const struct esse_error *error = part->error;
    const char *where = error->in_certificate ? "certificate, line" : "line";
    if (!error->line)
        return esse_arena_format(arena, "%s", error->text);
    if (!error->column)
        return esse_arena_format(arena, "%s %" PRIu64 ": %s", where, error->line, error->text);
    return esse_arena_format(arena, "%s %" PRIu64 ", column %" PRIu64 ": %s", where, error->line,
                             error->column, error->text);
}

const char *esse_summary_unknown(struct esse_arena *arena, const struct esse_summary_part *part,
                                 const struct esse_verdict *verdict)
{
    const struct esse_history *history = part->report ? part->report->history : NULL;
    const char *why = esse_reason_text(arena, verdict);
    const char *remedy = esse_report_remedy(history, verdict);
    return esse_arena_format(arena, "because %s%s%s", why, remedy ? "; what you can do: " : "",
                             remedy ? remedy : "");
}

struct esse_verdict esse_summary_stopped(const struct esse_summary_part *part)
{
    return (struct esse_verdict){ .outcome = ESSE_UNKNOWN,
                                  .reason = esse_reason_of_reading(part->stopped) };
}

const char *esse_summary_types(struct esse_arena *arena, const struct esse_verdict *verdict)
{
    struct esse_out out;
    const char *before = "";
    esse_out_init_memory(&out, arena);
    for (uint32_t i = 0; i < verdict->anomaly_count; i++) {
        if (!esse_shown_is_first_of_type(verdict->anomalies, i))
            continue;
        esse_out_f(&out, "%s%s", before, esse_anomaly_name(verdict->anomalies[i].type));
        before = ", ";
    }
    return esse_out_memory(&out);
}

/* Without the spaces that all lines begin with, and the empty lines around. */
static const char *dedent(struct esse_arena *arena, const char *text)
{
    struct esse_out out;
    size_t common = SIZE_MAX;
    text += strspn(text, "\n");
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t spaces = strspn(line, " ");
        common = line[spaces] != '\n' && spaces < common ? spaces : common;
    }
    esse_out_init_memory(&out, arena);
    for (const char *line = text; *line; line += *line == '\n') {
        const size_t length = strcspn(line, "\n"), cut = length < common ? length : common;
        esse_out_text(&out, line == text ? "" : "\n");
        esse_out_bytes(&out, line + cut, length - cut);
        line += length;
    }
    return esse_out_memory(&out);
}

const char *esse_summary_story(struct esse_arena *arena, const struct esse_report *report,
                               const struct esse_anomaly *anomaly, esse_summary_writer *put)
{
    struct esse_report bare = *report;
    struct esse_out out;
    bare.colour = false;
    bare.plain = false;
    esse_out_init_memory(&out, arena);
    put(&out, &bare, anomaly);
    return dedent(arena, esse_out_memory(&out));
}

/* ---- the kinds ---- */

static const struct {
    void (*add)(struct esse_summary *summary, const struct esse_summary_part *part);
    void (*put)(struct esse_out *out, struct esse_summary *summary);
} kinds[] = {
    [ESSE_SUMMARY_JUNIT] = { esse_summary_add_junit, esse_summary_put_junit },
    [ESSE_SUMMARY_SARIF] = { esse_summary_add_sarif, esse_summary_put_sarif },
    [ESSE_SUMMARY_MARKDOWN] = { esse_summary_add_markdown, esse_summary_put_markdown },
};

struct esse_summary *esse_summary_new(struct esse_arena *arena, enum esse_summary_kind kind)
{
    struct esse_summary *summary = esse_arena_alloc(arena, 1, sizeof *summary);
    summary->arena = arena;
    summary->kind = kind;
    esse_out_init_memory(&summary->body, arena);
    esse_out_init_memory(&summary->details, arena);
    esse_out_init_memory(&summary->notes, arena);
    return summary;
}

void esse_summary_count(struct esse_summary_counts *counts, const struct esse_summary_part *part)
{
    const uint32_t verdicts = part->report ? part->report->result->verdict_count : 0;
    for (uint32_t i = 0; i < verdicts; i++) {
        const enum esse_outcome outcome = part->report->result->verdicts[i].outcome;
        counts->holds += outcome == ESSE_HOLDS;
        counts->violated += outcome == ESSE_VIOLATED;
        counts->unknown += outcome == ESSE_UNKNOWN;
    }
    counts->unknown += part->stopped ? part->level_count : 0;
    counts->errors += part->error != NULL;
}

void esse_summary_add(struct esse_summary *summary, const struct esse_summary_part *part)
{
    esse_summary_count(&summary->counts, part);
    kinds[summary->kind].add(summary, part);
}

void esse_summary_put(struct esse_out *out, struct esse_summary *summary)
{
    kinds[summary->kind].put(out, summary);
}
