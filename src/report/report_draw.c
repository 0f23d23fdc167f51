#include "report/report_cycle.h"
#include "report/report_panel.h"
#include "report/report_words.h"

void panel_text(struct esse_out *out, const char *class, double x, double y, const char *fill,
                const char *text)
{
    esse_out_f(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" fill=\"%s\">", class, x, y, fill);
    esse_words_xml(out, text);
    esse_out_text(out, "</text>\n");
}

static const char *colour_of(const struct panel *panel, uint32_t reason)
{
    const struct esse_anomaly *anomaly = panel->anomaly;
    return anomaly->edge_count ? esse_dep_looks[anomaly->edges[reason - 1].dep].colour : "#374151";
}

/* A number in a disc; 'x', 'y' is its middle. */
static void badge_at(struct esse_out *out, double x, double y, const char *colour, uint32_t number)
{
    esse_out_f(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"%s\"/>", x, y, colour);
    esse_out_f(out, "<text class=\"badge\" x=\"%.1f\" y=\"%.1f\" fill=\"#ffffff\"%s>%u</text>\n", x,
               y + 3.3, number < 10 ? "" : " textLength=\"10\" lengthAdjust=\"spacingAndGlyphs\"",
               number);
}
static void draw_row(struct esse_out *out, const struct panel *panel, const struct panel_row *row,
                     double left, double top, double width)
{
    if (row->is_named)
        esse_out_f(out,
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"3\" "
                   "fill=\"#fff1c9\"/>\n",
                   left + 5, top + 0.5, width - 10, PANEL_OP_LINE - 1);
    panel_text(out, row->is_named ? "op named" : "op", left + PANEL_BOX_PADDING, top + 13,
               row->is_named ? "#111827" : "#5b6472", row->text);
    for (uint32_t i = 0; i < row->reason_count; i++)
        badge_at(out, left + width - 15 - PANEL_BADGE * (double)(row->reason_count - 1 - i),
                 top + PANEL_OP_LINE / 2.0, colour_of(panel, row->reasons[i]), row->reasons[i]);
}

const char *panel_status_colour(unsigned status)
{
    static const char *const colours[] = { "#2f5fa8", "#a50053", "#9a6200" };
    return colours[status];
}

static void draw_card(struct esse_out *out, const struct panel *panel, uint32_t at)
{
    const struct esse_history *history = panel->report->history;
    const struct panel_card *card = &panel->cards[at];
    const struct esse_ring_box *box = &panel->ring.boxes[at];
    const double left = box->x - box->width / 2, top = box->y - box->height / 2;
    const unsigned status = card->is_gap ? ESSE_COMMITTED : history->txn_status[card->txn.ix];
    const char *colour = panel_status_colour(status);
    esse_out_f(out,
               "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"8\" "
               "fill=\"#ffffff\" stroke=\"%s\" stroke-width=\"1.4\" stroke-dasharray=\"%s\"/>\n",
               left, top, box->width, box->height, card->is_gap ? "#9ca3af" : colour,
               card->is_gap               ? "3 4"
               : status == ESSE_COMMITTED ? "none"
                                          : "6 3");
    double y = top + PANEL_BOX_PADDING - 2 + PANEL_NAME_LINE;
    panel_text(out, "name", left + PANEL_BOX_PADDING, y - 6, card->is_gap ? "#5b6472" : colour,
               card->name);
    for (uint32_t i = 0; i < card->fact_count; i++, y += PANEL_FACT_LINE)
        panel_text(out, "fact", left + PANEL_BOX_PADDING, y + 8, "#5b6472", card->facts[i]);
    if (card->row_count)
        esse_out_f(out, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"#dfe3ea\" stroke-width=\"1\"/>\n",
                   left + 1, y + 4, box->width - 2);
    y += 9;
    for (uint32_t i = 0; i < card->row_count; i++, y += PANEL_OP_LINE)
        draw_row(out, panel, &card->rows[i], left, y, box->width);
}

/* Which arrow of two between the same boxes: the first goes above. */
static int side_of(const struct panel *panel, uint32_t at)
{
    const struct panel_arrow *arrow = &panel->arrows[at];
    for (uint32_t i = 0; i < panel->arrow_count; i++) {
        const struct panel_arrow *other = &panel->arrows[i];
        if (i != at && other->from == arrow->to && other->to == arrow->from)
            return i > at ? -1 : 1;
    }
    return 0;
}

static void draw_label(struct esse_out *out, const struct panel_arrow *arrow,
                       struct esse_ring_arrow way)
{
    const struct esse_dep_look *look = &esse_dep_looks[arrow->edge->dep];
    const double width = panel_label_width(arrow);
    double x = way.label_x - width / 2;
    if (!way.is_across)
        esse_out_f(out,
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"22\" rx=\"11\" "
                   "fill=\"#ffffff\" stroke=\"%s\" stroke-width=\"1\"/>\n",
                   x - 8, way.label_y - 11, width + 16, look->colour);
    if (arrow->number) {
        badge_at(out, x + 7, way.label_y, look->colour, arrow->number);
        x += PANEL_BADGE + 2;
    }
    panel_text(out, "op named", x, way.label_y + 4, look->colour, arrow->label);
}

/* The straight way of an arrow of a refutation. */
static struct esse_ring_arrow straight(const struct esse_round_arrow *way)
{
    return (struct esse_ring_arrow){
        .x = { way->x[0], (way->x[0] + way->x[1]) / 2, way->x[1] },
        .y = { way->y[0], (way->y[0] + way->y[1]) / 2, way->y[1] },
        .label_x = way->label_x,
        .label_y = way->label_y,
    };
}

static struct esse_ring_arrow way_of(const struct panel *panel, uint32_t at)
{
    const struct panel_arrow *arrow = &panel->arrows[at];
    return panel->ways ? straight(&panel->ways[at])
                       : esse_ring_arrow(&panel->ring, arrow->from, arrow->to, side_of(panel, at));
}

static void draw_line(struct esse_out *out, const struct panel *panel, uint32_t at)
{
    const struct esse_dep_look *look = &esse_dep_looks[panel->arrows[at].edge->dep];
    const struct esse_ring_arrow way = way_of(panel, at);
    const char *dash = panel->arrows[at].is_open ? "6 4" : look->dash;
    esse_out_f(out,
               "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" "
               "stroke-width=\"1.8\" stroke-dasharray=\"%s\" marker-end=\"url(#arrow%zu)\"/>\n",
               way.x[0], way.y[0], way.x[1], way.y[1], way.x[2], way.y[2], look->colour,
               dash ? dash : "none", (size_t)(look - esse_dep_looks));
}

/* Cards and lines first: no line may run through a label. */
static void draw_graph(struct esse_out *out, const struct panel *panel)
{
    for (uint32_t i = 0; panel->ways && i < panel->arrow_count; i++)
        draw_line(out, panel, i);
    for (uint32_t i = 0; i < panel->card_count; i++)
        draw_card(out, panel, i);
    for (uint32_t i = 0; !panel->ways && i < panel->arrow_count; i++)
        draw_line(out, panel, i);
    for (uint32_t i = 0; i < panel->arrow_count; i++)
        draw_label(out, &panel->arrows[i], way_of(panel, i));
}

static void draw_words(struct esse_out *out, const struct panel_line *line, double y)
{
    static const struct {
        const char *class, *fill;
    } looks[] = { { "reason", "#1f2937" },
                  { "reason", "#5b6472" },
                  { "reason named", "#1f2937" },
                  { "reason named", "#a3182d" } };
    panel_text(out, looks[line->look].class, PANEL_PADDING + line->indent, y,
               looks[line->look].fill, line->text);
}

void panel_draw(struct esse_out *out, const struct panel *panel, int left, double top)
{
    esse_out_f(out, "<g transform=\"translate(%d %.1f)\">\n", left, top);
    esse_out_f(out,
               "<rect width=\"%.1f\" height=\"%.1f\" rx=\"10\" fill=\"#f7f8fa\" "
               "stroke=\"#d5dae2\"/>\n",
               panel->width, panel->height);
    double y = PANEL_PADDING + 14;
    panel_text(out, "type", PANEL_PADDING, y, "#1f2937", esse_anomaly_name(panel->anomaly->type));
    y += 4;
    for (uint32_t i = 0; i < panel->title_count; i++)
        panel_text(out, "reason", PANEL_PADDING, y += PANEL_LINE, "#374151", panel->title[i].text);
    y += 30;
    esse_out_f(out, "<g transform=\"translate(%.1f %.1f)\">\n",
               (panel->width - panel->ring.width) / 2, y);
    draw_graph(out, panel);
    esse_out_text(out, "</g>\n");
    y += panel->ring.height + 18;
    panel_timeline_draw(out, panel, y);
    y += panel_timeline_height(panel);
    for (uint32_t i = 0; i < panel->reason_count; i++)
        draw_words(out, &panel->reasons[i], y += PANEL_LINE);
    esse_out_text(out, "</g>\n");
}
