#include "base/arena.h"
#include "report/report_cycle.h"
#include "report/report_parts.h"
#include "report/report_plain.h"
#include "report/report_words.h"
#include "report/summary_kinds.h"

#include <inttypes.h>
#include <string.h>

/*
 * Markdown as GitHub has it: a table with a row for each level of each history, and then the
 * anomalies, each in plain words first and its transactions folded away.  An issue takes 65,536
 * characters, so there is room for so many bytes of rows, of one story, and of all; what is left
 * out is counted.
 */
enum { ROWS_MOST = 30000, STORY_MOST = 8000, ALL_MOST = 60000, TYPES_SHOWN = 6 };

/* What a user wrote stays as it is: nothing of it is markup, a link or a mention. */
static void put_text(struct esse_out *out, const char *text)
{
    static const char marks[] = "\\`*_[]<>#|~&";
    for (; *text; text++) {
        if (*text == '@')
            esse_out_text(out, "@<!-- -->");
        else if (*text == '\n' || *text == '\r')
            esse_out_char(out, ' ');
        else if (strchr(marks, *text) || (*text == ':' && text[1] == '/'))
            esse_out_f(out, "\\%c", *text);
        else
            esse_out_char(out, *text);
    }
}

static size_t longest_run(const char *text, char of)
{
    size_t longest = 0, run = 0;
    for (; *text; text++) {
        run = *text == of ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void put_times(struct esse_out *out, char c, size_t count)
{
    while (count--)
        esse_out_char(out, c);
}

/* `code`; in a table a bar ends the cell even there. */
static void put_code(struct esse_out *out, const char *text)
{
    const size_t ticks = longest_run(text, '`') + 1;
    const bool needs_space = ticks > 1 || *text == ' ' || !*text;
    put_times(out, '`', ticks);
    esse_out_text(out, needs_space ? " " : "");
    for (; *text; text++)
        esse_out_f(out, "%s%c", *text == '|' ? "\\" : "", *text == '\n' ? ' ' : *text);
    esse_out_text(out, needs_space ? " " : "");
    put_times(out, '`', ticks);
}

/* ---- the table ---- */

static void begin_row(struct esse_out *out, const struct esse_summary_part *part)
{
    esse_out_text(out, "| ");
    put_code(out, esse_words_fit(out->arena, esse_summary_path(part), 100));
    esse_out_text(out, " | ");
}

static void put_tested(struct esse_out *out, const struct esse_tested *tested)
{
    char reads[32], contended[32];
    if (!tested->is_counted)
        return;
    esse_words_count(reads, tested->reads);
    esse_words_count(contended, tested->contended);
    esse_out_f(out, "tested by %s contended of %s reads", contended, reads);
}

static void put_row(struct esse_out *out, const struct esse_summary_part *part,
                    const struct esse_verdict *verdict, const char *claim)
{
    begin_row(out, part);
    put_text(out, claim);
    esse_out_f(out, " | %s%s%s | ", verdict->outcome == ESSE_HOLDS ? "" : "**",
               esse_outcome_name(verdict->outcome), verdict->outcome == ESSE_HOLDS ? "" : "**");
    if (verdict->outcome == ESSE_VIOLATED)
        put_text(out, esse_summary_types(out->arena, verdict));
    else if (verdict->outcome == ESSE_UNKNOWN)
        put_text(out,
                 esse_words_fit(out->arena, esse_summary_unknown(out->arena, part, verdict), 400));
    else
        put_tested(out, &part->report->result->tested);
    esse_out_text(out, " |\n");
}

static void put_rows(struct esse_out *out, const struct esse_summary_part *part)
{
    const struct esse_result *result = part->report ? part->report->result : NULL;
    const struct esse_verdict stopped = esse_summary_stopped(part);
    for (uint32_t i = 0; result && i < result->verdict_count; i++)
        put_row(out, part, &result->verdicts[i],
                esse_report_claim(out->arena, &result->verdicts[i]));
    for (size_t i = 0; part->stopped && i < part->level_count; i++)
        put_row(out, part, &stopped, part->levels[i]);
    if (!part->error)
        return;
    begin_row(out, part);
    esse_out_text(out, " | **not checked** | ");
    put_text(out, esse_words_fit(out->arena, esse_summary_error(out->arena, part), 400));
    esse_out_text(out, " |\n");
}

/* ---- the anomalies ---- */

/* At most so many bytes of it, in whole lines. */
static const char *begin_of(struct esse_arena *arena, const char *text, size_t most)
{
    size_t length = strlen(text);
    if (length <= most)
        return text;
    for (length = most; length && text[length - 1] != '\n';)
        length--;
    return esse_arena_format(arena, "%.*s…", (int)length, text);
}

static void put_story(struct esse_out *out, const struct esse_report *report,
                      const struct esse_anomaly *anomaly)
{
    const char *story =
        begin_of(out->arena, esse_summary_story(out->arena, report, anomaly, esse_report_put_facts),
                 STORY_MOST);
    const size_t ticks = longest_run(story, '`');
    esse_out_text(out, "\n<details><summary>transactions and reasons</summary>\n\n");
    put_times(out, '`', ticks < 3 ? 3 : ticks + 1);
    esse_out_f(out, "text\n%s\n", story);
    put_times(out, '`', ticks < 3 ? 3 : ticks + 1);
    esse_out_text(out, "\n\n</details>\n");
}

static const char *section(struct esse_arena *arena, const struct esse_summary_part *part,
                           const struct esse_anomaly *anomaly)
{
    const struct esse_anomaly *shown = esse_shown_told(arena, anomaly);
    const char *plain = esse_plain_words(arena, part->report->history, shown->type);
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_out_f(&out, "\n### %s in ", esse_anomaly_name(shown->type));
    put_code(&out, esse_words_fit(arena, esse_summary_path(part), 100));
    esse_out_text(&out, "\n\n");
    put_text(&out, begin_of(arena, shown->description, STORY_MOST));
    if (shown->alike > 1)
        esse_out_f(&out, " (and %" PRIu64 " more of this kind)", shown->alike - 1);
    esse_out_text(&out, "\n\n");
    if (plain)
        put_text(&out, plain);
    esse_out_text(&out, "\n");
    put_story(&out, part->report, shown);
    return esse_out_memory(&out);
}

static void put_sections(struct esse_summary *summary, const struct esse_summary_part *part)
{
    uint32_t count, shown = 0;
    const struct esse_anomaly *found =
        esse_shown_found(summary->arena, part->report->result, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!esse_shown_is_first_of_type(found, i))
            continue;
        const char *text = section(summary->arena, part, &found[i]);
        const bool has_room = shown < TYPES_SHOWN &&
                              summary->details.count + strlen(text) <= (size_t)ALL_MOST - ROWS_MOST;
        if (has_room)
            esse_out_text(&summary->details, text);
        else
            summary->left_out++;
        shown++;
    }
}

void esse_summary_add_markdown(struct esse_summary *summary, const struct esse_summary_part *part)
{
    struct esse_out rows;
    esse_out_init_memory(&rows, summary->arena);
    put_rows(&rows, part);
    if (summary->body.count + rows.count <= ROWS_MOST)
        esse_out_text(&summary->body, esse_out_memory(&rows));
    else
        summary->rows_left_out++;
    if (part->report)
        put_sections(summary, part);
}

/* ---- the document ---- */

/* "2 violated, 1 holds" */
static void put_counts(struct esse_out *out, const struct esse_summary_counts *counts)
{
    const struct {
        uint64_t count;
        const char *what;
    } parts[] = { { counts->violated, "violated" },
                  { counts->unknown, "unknown" },
                  { counts->errors, "not checked" },
                  { counts->holds, "holds" } };
    const char *before = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count) {
            esse_out_f(out, "%s%" PRIu64 " %s", before, parts[i].count, parts[i].what);
            before = ", ";
        }
}

void esse_summary_put_markdown(struct esse_out *out, struct esse_summary *summary)
{
    esse_out_text(out, "## esse check: ");
    put_counts(out, &summary->counts);
    esse_out_f(out, "\n\n| history | level | verdict | |\n|---|---|---|---|\n%s",
               esse_out_memory(&summary->body));
    if (summary->rows_left_out)
        esse_out_f(out, "\n%" PRIu64 " more histories are in the counts above.\n",
                   summary->rows_left_out);
    esse_out_text(out, esse_out_memory(&summary->details));
    if (summary->left_out)
        esse_out_f(out, "\n%" PRIu64 " more anomalies are not shown here.\n", summary->left_out);
    esse_out_f(out, "\nesse %s\n", esse_version());
}
