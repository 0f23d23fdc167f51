#include "base/arena.h"
#include "report/report_cycle.h"
#include "report/report_panel.h"
#include "report/report_parts.h"
#include "report/report_words.h"

#include <math.h>

/* The anomalies as pictures, one panel below the other, and what the arrows mean. */

enum {
    MARGIN = 28,
    HEADING = 58,
    PANELS = 20,
    PANEL_GAP = 26,
    LEGEND_LINE = 22,
};

static bool is_used(const struct panel *panels, uint32_t count, enum esse_dep dep)
{
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t i = 0; i < panels[p].arrow_count; i++)
            if (panels[p].arrows[i].edge->dep == dep)
                return true;
    return false;
}

/* Only the kinds that are in the picture.  Returns the height; draws if 'out' is given. */
static double legend(struct esse_out *out, const struct panel *panels, uint32_t count, double top)
{
    double y = 0;
    for (enum esse_dep dep = 0; dep < ESSE_DEP_END; dep++) {
        const struct esse_dep_look *look = &esse_dep_looks[dep];
        if (!is_used(panels, count, dep))
            continue;
        y += LEGEND_LINE;
        if (!out)
            continue;
        esse_out_f(out,
                   "<path d=\"M%d %.1fh42\" stroke=\"%s\" stroke-width=\"1.8\" "
                   "stroke-dasharray=\"%s\" marker-end=\"url(#arrow%u)\"/>\n",
                   MARGIN, top + y - 4, look->colour, look->dash ? look->dash : "none",
                   (unsigned)dep);
        panel_text(out, "op named", MARGIN + 54, top + y, look->colour, esse_dep_name(dep));
        panel_text(out, "reason", MARGIN + 124, top + y, "#374151",
                   esse_arena_format(out->arena, "the second %s", look->meaning));
    }
    return y > 0 ? y + 10 : 0;
}

static void begin(struct esse_out *out, double width, double height)
{
    esse_out_f(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
               "viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Anomalies of a history\">\n",
               width, height, width, height);
    esse_out_text(out, "<style>\n"
                       "text { font-family: \"DejaVu Sans\", Verdana, Helvetica, sans-serif; }\n"
                       ".title { font-size: 18px; font-weight: bold; }\n"
                       ".type { font-size: 16px; font-weight: bold; }\n"
                       ".reason { font-size: 12px; }\n"
                       ".name { font-size: 13px; font-weight: bold; }\n"
                       ".fact { font-size: 10px; }\n"
                       ".op { font-family: \"DejaVu Sans Mono\", Menlo, Consolas, monospace; "
                       "font-size: 11px; }\n"
                       ".named { font-weight: bold; }\n"
                       ".badge { font-size: 9.5px; font-weight: bold; text-anchor: middle; }\n"
                       "</style>\n<defs>\n");
    for (unsigned dep = 0; dep < ESSE_DEP_END; dep++)
        esse_out_f(out,
                   "<marker id=\"arrow%u\" viewBox=\"0 0 10 8\" refX=\"9\" refY=\"4\" "
                   "markerWidth=\"10\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
                   "orient=\"auto\"><path d=\"M0 0.4L9.5 4L0 7.6z\" fill=\"%s\"/></marker>\n",
                   dep, esse_dep_looks[dep].colour);
    esse_out_f(out, "</defs>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", width,
               height);
}

static void put_heading(struct esse_out *out, const struct esse_report *report, double width,
                        uint32_t drawn)
{
    const struct esse_verdict *verdict = esse_shown_fullest(report->result);
    if (!verdict && report->result->verdict_count)
        verdict = &report->result->verdicts[0];
    const size_t columns = (size_t)(width / 13);
    panel_text(out, "title", MARGIN, MARGIN + 14, "#111827",
               esse_words_fit(out->arena, report->path, columns));
    const char *text = "";
    if (verdict)
        text = esse_arena_format(out->arena, "%s %s; %s", esse_outcome_name(verdict->outcome),
                                 esse_report_claim(out->arena, verdict),
                                 drawn ? verdict->anomaly_count ? "the worst comes first"
                                                                : "what is drawn here is allowed"
                                       : "there is nothing to draw");
    panel_text(out, "reason", MARGIN, MARGIN + 36, "#374151", text);
}

/* Panels one below the other from 'top' on, and the legend. */
static void draw(struct esse_out *out, const struct panel *panels, uint32_t count, double top)
{
    for (uint32_t i = 0; i < count; i++) {
        panel_draw(out, &panels[i], MARGIN, top);
        top += panels[i].height + PANEL_GAP;
    }
    legend(out, panels, count, top - 6);
    esse_out_text(out, "</svg>\n");
}

void esse_report_svg(struct esse_out *out, const struct esse_report *report)
{
    uint32_t count;
    const struct esse_anomaly **anomalies =
        esse_shown_drawn(out->arena, report->result, PANELS, &count);
    struct panel *panels = esse_arena_alloc(out->arena, count + 1u, sizeof *panels);
    double width = PANEL_LEAST_WIDTH, height = MARGIN + HEADING;
    for (uint32_t i = 0; i < count; i++) {
        panels[i] = panel_of(out->arena, report, esse_shown_told(out->arena, anomalies[i]));
        width = fmax(width, panels[i].width);
    }
    for (uint32_t i = 0; i < count; i++) {
        panel_finish(&panels[i], width);
        height += panels[i].height + PANEL_GAP;
    }
    height += legend(NULL, panels, count, 0) + MARGIN - PANEL_GAP / 2.0;

    begin(out, width + 2 * MARGIN, height);
    put_heading(out, report, width, count);
    draw(out, panels, count, MARGIN + HEADING);
}

void esse_report_svg_of(struct esse_out *out, const struct esse_report *report,
                        const struct esse_anomaly *anomaly)
{
    struct panel panel = panel_of(out->arena, report, anomaly);
    panel_finish(&panel, fmax(PANEL_LEAST_WIDTH, panel.width));
    const double height =
        panel.height + PANEL_GAP + legend(NULL, &panel, 1, 0) + MARGIN - PANEL_GAP / 2.0;
    begin(out, panel.width + 2 * MARGIN, height + MARGIN);
    draw(out, &panel, 1, MARGIN);
}
