#include "report/report_panel.h"
#include "base/arena.h"
#include "report/report_cases.h"
#include "report/report_cycle.h"
#include "report/report_words.h"

#include <math.h>

enum {
    CASE_INDENT = 18,
    CONTRADICTIONS = 6, /* of a refutation, in words */
};

static const double reason_wide = 7.0;

/* Breaks a text into lines that look like 'look', and appends them. */
static struct panel_line *add_lines(const struct panel *panel, struct panel_line *lines,
                                    uint32_t *count, struct panel_line look)
{
    const double room = panel->width - 2 * PANEL_PADDING - look.indent;
    const size_t columns = (size_t)fmax(20, room / reason_wide);
    const char *rest = look.text;
    while ((look.text = esse_words_line(panel->arena, &rest, columns))) {
        lines = esse_arena_grow(panel->arena, lines, (*count + 1) * sizeof *lines);
        lines[(*count)++] = look;
    }
    return lines;
}

static void add_reason_lines(struct panel *panel, struct panel_line look)
{
    panel->reasons = add_lines(panel, panel->reasons, &panel->reason_count, look);
}
/* What the numbers at the arrows mean, and the argument. */
static void fill_cases(struct panel *panel)
{
    const struct esse_refutation *refutation = panel->anomaly->refutation;
    const struct esse_history *history = panel->report->history;
    uint32_t count;
    const bool is_drawn = panel->card_count > 0;
    if (is_drawn)
        add_reason_lines(
            panel,
            (struct panel_line){ .text = "Arrows with an if rest on what the history leaves open:",
                                 .look = LINE_NOTE });
    for (uint32_t i = 0; is_drawn && i < refutation->choice_count; i++) {
        if (refutation->choices[i].kind == ESSE_CHOICE_BOTH)
            continue;
        const char *words = esse_choice_words(panel->arena, history, refutation, 2 * i);
        words = esse_arena_format(panel->arena, "%u: %s", esse_choice_number(refutation, i), words);
        add_reason_lines(panel, (struct panel_line){ words, CASE_INDENT, LINE_NOTE });
    }
    const struct esse_case_line *lines =
        esse_case_lines(panel->arena, history, refutation, CONTRADICTIONS, &count);
    for (uint32_t i = 0; i < count; i++)
        add_reason_lines(
            panel, (struct panel_line){ lines[i].text, CASE_INDENT * (double)lines[i].depth,
                                        lines[i].kind == ESSE_CASE_CONCLUSION ? LINE_CONCLUSION
                                        : lines[i].kind == ESSE_CASE_SUPPOSE  ? LINE_NAMED
                                                                              : LINE_PLAIN });
}

static void fill_reasons(struct panel *panel)
{
    struct esse_arena *arena = panel->arena;
    const uint32_t count = esse_shown_reasons(panel->anomaly);
    for (uint32_t i = 0; i < count; i++) {
        if (count > PANEL_BOXES && i == PANEL_BOXES - 2) {
            add_reason_lines(panel, (struct panel_line){ .text = "…" });
            i = count - 1;
        }
        add_reason_lines(panel, (struct panel_line){
                                    .text = esse_arena_format(arena, "%u. %s", i + 1,
                                                              esse_shown_why(panel->anomaly, i)) });
    }
    const char *end = esse_shown_conclusion(arena, panel->report->history, panel->anomaly);
    if (end)
        add_reason_lines(panel, (struct panel_line){ .text = end, .look = LINE_CONCLUSION });
}

struct panel panel_of(struct esse_arena *arena, const struct esse_report *report,
                      const struct esse_anomaly *anomaly)
{
    struct panel panel = { .report = report, .arena = arena, .anomaly = anomaly };
    panel_lay_out(&panel);
    panel.width = fmax(PANEL_LEAST_WIDTH, panel.ring.width + 2 * PANEL_PADDING + 40);
    return panel;
}

void panel_finish(struct panel *panel, double width)
{
    panel->width = width;
    panel->title = add_lines(panel, NULL, &panel->title_count,
                             (struct panel_line){ .text = panel->anomaly->description });
    if (panel->anomaly->alike > 1)
        panel->title =
            add_lines(panel, panel->title, &panel->title_count,
                      (struct panel_line){ .text = esse_arena_format(
                                               panel->arena, "and %llu more of this kind",
                                               (unsigned long long)panel->anomaly->alike - 1) });
    if (panel->anomaly->refutation && !panel->card_count)
        panel->title =
            add_lines(panel, panel->title, &panel->title_count,
                      (struct panel_line){ .text = "too many transactions take part to draw "
                                                   "them" });
    if (panel->anomaly->refutation)
        fill_cases(panel);
    else
        fill_reasons(panel);
    panel->height = 2 * PANEL_PADDING + 26 + (double)PANEL_LINE * panel->title_count + 22 +
                    panel->ring.height + 20 + panel_timeline_height(panel) +
                    (double)PANEL_LINE * panel->reason_count;
}
