#include "report/report_panel.h"

#include "base/arena.h"
#include "history/show.h"
#include "report/report_cycle.h"
#include "report/report_parts.h"
#include "report/report_words.h"

#include <math.h>

enum {
    NAMES = 110, /* the column of the names */
    NAME_COLUMNS = 16,
    BAR_LINE = 15,
    BAR = 7,
    BANDS = 4, /* more are counted */
    LABEL_LINE = 15,
    AXIS = 18,
};

static const double label_wide = 6.2;

/* What the axis shows: when the first of the panel's transactions began to when the last ended. */
struct span {
    int64_t begin, end;
    uint32_t bars;
};

static bool has_bar(const struct panel *panel, const struct panel_card *card)
{
    const struct esse_interval *times = panel->report->history->txn_time;
    return !card->is_gap && !card->is_again && times && times[card->txn.ix].begin != ESSE_NO_TIME;
}

static struct span span_of(const struct panel *panel)
{
    struct span span = { INT64_MAX, INT64_MIN, 0 };
    for (uint32_t i = 0; i < panel->card_count; i++) {
        if (!has_bar(panel, &panel->cards[i]))
            continue;
        const struct esse_interval *time =
            &panel->report->history->txn_time[panel->cards[i].txn.ix];
        span.bars++;
        if (time->begin < span.begin)
            span.begin = time->begin;
        if (time->end != ESSE_NO_TIME && time->end > span.end)
            span.end = time->end;
    }
    return span;
}

static bool overlaps(const struct esse_fault_record *fault, struct span span)
{
    return fault->start <= span.end && (fault->end == ESSE_NO_TIME || fault->end >= span.begin);
}

static uint32_t overlapping(const struct esse_history *history, struct span span)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < history->fault_count; i++)
        count += overlaps(&history->faults[i], span);
    return count;
}

/* The labels of the bands, and one line for those that are not shown. */
static uint32_t label_lines(uint32_t faults)
{
    return faults <= BANDS ? faults : BANDS + 1;
}

static double height_of(struct span span, uint32_t faults)
{
    return PANEL_LINE + (double)LABEL_LINE * label_lines(faults) + (double)BAR_LINE * span.bars +
           AXIS + 14;
}

double panel_timeline_height(const struct panel *panel)
{
    const struct span span = span_of(panel);
    const uint32_t faults = overlapping(panel->report->history, span);
    return faults ? height_of(span, faults) : 0;
}

/* ---- drawing ---- */

/* Where a moment stands; what lies outside stands at the edge. */
static double x_of(const struct panel *panel, struct span span, int64_t time)
{
    const double left = PANEL_PADDING + NAMES, right = panel->width - PANEL_PADDING;
    const double length = fmax((double)span.end - (double)span.begin, 1);
    const double share = ((double)time - (double)span.begin) / length;
    return left + (right - left) * fmin(fmax(share, 0), 1);
}

static void draw_rect(struct esse_out *out, double left, double right, double top, double height,
                      const char *look)
{
    esse_out_f(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s/>\n", left, top,
               fmax(right - left, 2), height, look); /* the shortest is seen, too */
}

static void draw_band(struct esse_out *out, const struct panel *panel, struct span span,
                      const struct esse_fault_record *fault, double label, double bottom)
{
    const int64_t end = fault->end == ESSE_NO_TIME ? INT64_MAX : fault->end;
    const char *words = esse_report_fault_words(out->arena, fault);
    const double left = x_of(panel, span, fault->start);
    const double width = label_wide * (double)esse_words_width(words);
    draw_rect(out, left, x_of(panel, span, end), label - 1, bottom - label + 1,
              "fill=\"#f0643c\" fill-opacity=\"0.22\"");
    panel_text(out, "fact named", fmin(left + 4, panel->width - PANEL_PADDING - width), label + 10,
               "#9f2d16", words);
}

static void draw_bands(struct esse_out *out, const struct panel *panel, struct span span,
                       double top, double bottom)
{
    const struct esse_history *history = panel->report->history;
    uint32_t shown = 0;
    for (uint32_t i = 0; i < history->fault_count && shown < BANDS; i++)
        if (overlaps(&history->faults[i], span))
            draw_band(out, panel, span, &history->faults[i], top + (double)LABEL_LINE * shown++,
                      bottom);
    const uint32_t more = overlapping(history, span) - shown;
    if (more)
        panel_text(out, "fact named", PANEL_PADDING + NAMES + 4,
                   top + (double)LABEL_LINE * shown + 10, "#9f2d16",
                   esse_arena_format(out->arena, "and %u more", more));
}

static void draw_bar(struct esse_out *out, const struct panel *panel, struct span span,
                     const struct panel_card *card, double top)
{
    const struct esse_history *history = panel->report->history;
    const struct esse_interval *time = &history->txn_time[card->txn.ix];
    const char *colour = panel_status_colour(history->txn_status[card->txn.ix]);
    const int64_t end = time->end == ESSE_NO_TIME ? INT64_MAX : time->end;
    panel_text(out, "fact", PANEL_PADDING, top + 9, colour,
               esse_show_txn_within(out->arena, history, card->txn, NAME_COLUMNS));
    draw_rect(out, x_of(panel, span, time->begin), x_of(panel, span, end),
              top + (BAR_LINE - BAR) / 2.0, BAR,
              esse_arena_format(out->arena, "fill=\"%s\"", colour));
}

/* With as many digits as tell the two ends apart. */
static void draw_axis(struct esse_out *out, const struct panel *panel, struct span span, double y)
{
    const double left = x_of(panel, span, span.begin), right = panel->width - PANEL_PADDING;
    const double length = (double)span.end - (double)span.begin;
    const int digits = length < 1e6 ? 9 : length < 1e9 ? 6 : 3;
    esse_out_f(out, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"#9ca3af\" stroke-width=\"1\"/>\n", left,
               y, right - left);
    panel_text(out, "fact", left, y + 13, "#5b6472",
               esse_arena_format(out->arena, "%.*f s", digits, (double)span.begin * 1e-9));
    const char *end = esse_arena_format(out->arena, "%.*f s", digits, (double)span.end * 1e-9);
    panel_text(out, "fact", right - label_wide * (double)esse_words_width(end), y + 13, "#5b6472",
               end);
}

void panel_timeline_draw(struct esse_out *out, const struct panel *panel, double top)
{
    const struct span span = span_of(panel);
    const uint32_t faults = overlapping(panel->report->history, span);
    if (!faults)
        return;
    panel_text(out, "reason", PANEL_PADDING, top + 10, "#5b6472",
               "When they ran, and what was done to the database meanwhile:");
    top += PANEL_LINE;
    double y = top + (double)LABEL_LINE * label_lines(faults) + 2;
    const double bottom = y + (double)BAR_LINE * span.bars;
    draw_bands(out, panel, span, top, bottom);
    for (uint32_t i = 0; i < panel->card_count; i++) {
        if (!has_bar(panel, &panel->cards[i]))
            continue;
        draw_bar(out, panel, span, &panel->cards[i], y);
        y += BAR_LINE;
    }
    draw_axis(out, panel, span, bottom);
}
