#include "base/arena.h"
#include "history/show.h"
#include "report/report.h"
#include "report/report_cases.h"
#include "report/report_claim.h"
#include "report/report_cycle.h"
#include "report/report_round.h"
#include "report/report_words.h"

#include <math.h>

/*
 * The anomalies as pictures, one panel below the other.  All colours are given, background
 * included, and coordinates are rounded to a tenth, as in lattice_svg.c.  A number joins an arrow,
 * the operations that it names, and its reason in words.
 */

enum {
    MARGIN = 28,
    HEADING = 58,
    PANELS = 20,
    PANEL_GAP = 26,
    PANEL_PADDING = 20,
    LEAST_WIDTH = 760, /* of a panel */
    BOXES = 16,        /* a longer cycle is shown by its beginning and its last transaction */
    PADDING = 11,      /* of a box */
    LEAST_BOX = 222,
    NAME_LINE = 20,
    FACT_LINE = 13,
    FACT_LINES = 3,
    OP_LINE = 18,
    OPS_SHOWN = 8,
    OP_WIDTH = 34, /* columns */
    KEY_WIDTH = 16,
    BADGE = 17,
    BADGES = 3, /* on one operation */
    GAP_DOWN = 78,
    REASON_LINE = 18,
    CASE_INDENT = 18,
    CONTRADICTIONS = 6, /* of a refutation, in words */
    LEGEND_LINE = 22,
};

/* Widths of letters, generously: the viewer's fonts may be wide. */
static const double mono_wide = 6.9, name_wide = 8.8, small_wide = 5.9, reason_wide = 7.0;

/* A line of a box: an operation, or that some are left out. */
struct row {
    const char *text;
    bool is_named;
    uint32_t reasons[BADGES];
    uint32_t reason_count;
};

struct card {
    esse_txn txn;
    const char *name;
    const char *facts[FACT_LINES];
    uint32_t fact_count;
    struct row *rows;
    uint32_t row_count;
    bool is_gap; /* stands for the transactions left out */
};

struct arrow {
    const struct esse_edge *edge;
    uint32_t from, to; /* cards */
    uint32_t number;   /* of the reason; 0: none */
    const char *label;
    bool is_open; /* it rests on a choice */
};

/* A line of words below or above the boxes. */
struct line {
    const char *text;
    double indent;
    enum { LINE_PLAIN, LINE_NOTE, LINE_NAMED, LINE_CONCLUSION } look;
};

struct panel {
    const struct esse_report *report;
    struct esse_arena *arena;
    const struct esse_anomaly *anomaly;
    struct card *cards;
    uint32_t card_count;
    struct arrow *arrows;
    uint32_t arrow_count;
    struct esse_ring ring;
    struct esse_round_arrow *ways; /* of the arrows of a refutation */
    struct line *title, *reasons;
    uint32_t title_count, reason_count;
    double width, height;
};

/* ---- pieces ---- */

static void text_at(struct esse_out *out, const char *class, double x, double y, const char *fill,
                    const char *text)
{
    esse_out_f(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" fill=\"%s\">", class, x, y, fill);
    esse_words_xml(out, text);
    esse_out_text(out, "</text>\n");
}

static const char *colour_of(const struct panel *panel, uint32_t reason)
{
    const struct esse_anomaly *anomaly = panel->anomaly;
    return anomaly->edge_count ? esse_dep_look(anomaly->edges[reason - 1].dep)->colour : "#374151";
}

/* A number in a disc; 'x', 'y' is its middle. */
static void badge_at(struct esse_out *out, double x, double y, const char *colour, uint32_t number)
{
    esse_out_f(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"%s\"/>", x, y, colour);
    esse_out_f(out, "<text class=\"badge\" x=\"%.1f\" y=\"%.1f\" fill=\"#ffffff\"%s>%u</text>\n", x,
               y + 3.3, number < 10 ? "" : " textLength=\"10\" lengthAdjust=\"spacingAndGlyphs\"",
               number);
}

static double label_width(const struct arrow *arrow)
{
    return (arrow->number ? BADGE + 2 : 0) + mono_wide * (double)esse_words_width(arrow->label);
}

static struct arrow arrow_of(const struct panel *panel, const struct esse_edge *edge, uint32_t from,
                             uint32_t to, uint32_t number)
{
    struct arrow arrow = { edge, from, to, number, edge->dep, false };
    const struct esse_history *history = panel->report->history;
    const struct esse_refutation *refutation = panel->anomaly->refutation;
    if (edge->has_key) {
        const char *key = esse_show_key_text(panel->arena, history, edge->key);
        arrow.label = esse_arena_format(panel->arena, "%s %s", edge->dep,
                                        esse_words_fit(panel->arena, key, KEY_WIDTH));
    }
    const char *condition =
        refutation ? esse_edge_condition(panel->arena, history, refutation, edge) : NULL;
    if (condition) {
        arrow.label = esse_arena_format(panel->arena, "%s if %s", arrow.label,
                                        esse_words_fit(panel->arena, condition, KEY_WIDTH));
        arrow.is_open = true;
    }
    return arrow;
}

/* Breaks a text into lines that look like 'look', and appends them. */
static struct line *add_lines(const struct panel *panel, struct line *lines, uint32_t *count,
                              struct line look)
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

static void add_reason_lines(struct panel *panel, struct line look)
{
    panel->reasons = add_lines(panel, panel->reasons, &panel->reason_count, look);
}

/* ---- what stands in the boxes ---- */

static void add_reason(struct row *row, uint32_t reason)
{
    if (row->reason_count < BADGES)
        row->reasons[row->reason_count++] = reason;
}

static struct row row_of(const struct panel *panel, uint32_t op)
{
    const struct esse_anomaly *anomaly = panel->anomaly;
    const char *text = esse_cast_op(panel->arena, panel->report->history, op);
    struct row row = { .text = esse_words_fit(panel->arena, text, OP_WIDTH),
                       .is_named = esse_cast_reason(anomaly, op) != 0 };
    if (anomaly->refutation)
        return row; /* its reasons have no numbers */
    for (uint32_t i = 0; i < anomaly->edge_count; i++)
        if (anomaly->edges[i].from_op.ix == op || anomaly->edges[i].to_op.ix == op)
            add_reason(&row, i + 1);
    if (!row.reason_count && row.is_named)
        add_reason(&row, esse_cast_reason(anomaly, op));
    return row;
}

static void fill_rows(struct panel *panel, struct card *card)
{
    const struct esse_history *history = panel->report->history;
    const uint32_t end = history->txn_op[card->txn.ix + 1];
    uint32_t count, next = history->txn_op[card->txn.ix];
    const uint32_t *ops =
        esse_cast_ops(panel->arena, history, panel->anomaly, card->txn, OPS_SHOWN, &count);
    card->rows = esse_arena_alloc(panel->arena, 2u * count + 1, sizeof *card->rows);
    for (uint32_t i = 0; i <= count; i++) {
        const uint32_t op = i < count ? ops[i] : end;
        if (op > next)
            card->rows[card->row_count++].text =
                esse_arena_format(panel->arena, "… %u more", op - next);
        if (i < count)
            card->rows[card->row_count++] = row_of(panel, op);
        next = op + 1;
    }
}

static struct card card_of(struct panel *panel, esse_txn txn)
{
    struct card card = { .txn = txn };
    card.name = esse_cast_name(panel->arena, panel->report->history, txn);
    fill_rows(panel, &card);
    return card;
}

/* The transaction was met before on the way round: its name is enough. */
static struct card card_again(const struct panel *panel, uint32_t before)
{
    struct card card = { .txn = panel->cards[before].txn };
    card.name = panel->cards[before].name;
    card.facts[card.fact_count++] = "again";
    return card;
}

static void add_card(struct panel *panel, esse_txn txn)
{
    uint32_t before = 0;
    while (before < panel->card_count &&
           (panel->cards[before].is_gap || panel->cards[before].txn.ix != txn.ix))
        before++;
    panel->cards[panel->card_count] =
        before < panel->card_count ? card_again(panel, before) : card_of(panel, txn);
    panel->card_count++;
}

/* The card of a position in the cycle; those left out share one. */
static uint32_t card_at(uint32_t position, uint32_t count)
{
    position %= count;
    if (count <= BOXES || position < BOXES - 2)
        return position;
    return position == count - 1 ? BOXES - 1 : BOXES - 2;
}

static void lay_out_cycle(struct panel *panel)
{
    const struct esse_anomaly *anomaly = panel->anomaly;
    const uint32_t count = anomaly->edge_count, shown = count < BOXES ? count : BOXES;
    panel->cards = esse_arena_alloc(panel->arena, shown, sizeof *panel->cards);
    panel->arrows = esse_arena_alloc(panel->arena, shown, sizeof *panel->arrows);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = card_at(i, count), to = card_at(i + 1, count);
        if (from == panel->card_count && count > BOXES && from == BOXES - 2)
            panel->cards[panel->card_count++] =
                (struct card){ .is_gap = true,
                               .name = esse_arena_format(panel->arena, "… %u more …",
                                                         count - BOXES + 1) };
        else if (from == panel->card_count)
            add_card(panel, anomaly->edges[i].from);
        if (from != to)
            panel->arrows[panel->arrow_count++] =
                arrow_of(panel, &anomaly->edges[i], from, to, i + 1);
    }
}

static uint32_t find_card(const struct panel *panel, esse_txn txn)
{
    uint32_t at = 0;
    while (at < panel->card_count && panel->cards[at].txn.ix != txn.ix)
        at++;
    return at;
}

static void lay_out_steps(struct panel *panel, struct esse_cast cast, uint32_t most)
{
    uint32_t count;
    const struct esse_edge *edges = esse_cast_edges(panel->arena, panel->anomaly, &count);
    panel->cards = esse_arena_alloc(panel->arena, most, sizeof *panel->cards);
    panel->arrows = esse_arena_alloc(panel->arena, count + 1u, sizeof *panel->arrows);
    for (uint32_t i = 0; i < cast.count && i < most; i++)
        add_card(panel, cast.txns[i]);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = find_card(panel, edges[i].from), to = find_card(panel, edges[i].to);
        if (from < panel->card_count && to < panel->card_count)
            panel->arrows[panel->arrow_count++] = arrow_of(panel, &edges[i], from, to, 0);
    }
}

/* ---- sizes ---- */

static double box_width(const struct panel *panel)
{
    double width = LEAST_BOX;
    for (uint32_t c = 0; c < panel->card_count; c++) {
        const struct card *card = &panel->cards[c];
        for (uint32_t r = 0; r < card->row_count; r++)
            width = fmax(width, 2 * PADDING + 8 + BADGE * card->rows[r].reason_count +
                                    mono_wide * (double)esse_words_width(card->rows[r].text));
    }
    return width;
}

static void fill_facts(struct panel *panel, struct card *card, double width)
{
    const size_t columns = (size_t)((width - 2 * PADDING) / small_wide);
    card->name =
        esse_words_fit(panel->arena, card->name, (size_t)((width - 2 * PADDING) / name_wide));
    if (card->is_gap || card->fact_count)
        return;
    const char *text = esse_cast_facts(panel->arena, panel->report->history, card->txn);
    while (card->fact_count + 1 < FACT_LINES && *text) {
        const char *line = esse_words_line(panel->arena, &text, columns);
        if (!line)
            return;
        card->facts[card->fact_count++] = line;
    }
    while (*text == ' ')
        text++;
    if (*text)
        card->facts[card->fact_count++] = esse_words_fit(panel->arena, text, columns);
}

static double card_height(const struct card *card)
{
    const double rows = card->row_count ? 10 + (double)OP_LINE * card->row_count : 0;
    return 2 * PADDING - 4 + NAME_LINE + (double)FACT_LINE * card->fact_count + rows;
}

static void place_round(struct panel *panel)
{
    panel->ways = esse_arena_alloc(panel->arena, panel->arrow_count + 1u, sizeof *panel->ways);
    for (uint32_t i = 0; i < panel->arrow_count; i++)
        panel->ways[i] =
            (struct esse_round_arrow){ .from = panel->arrows[i].from,
                                       .to = panel->arrows[i].to,
                                       .label_width = label_width(&panel->arrows[i]) + 16 };
    esse_round_place(&panel->ring, panel->ways, panel->arrow_count);
}

static void place_cards(struct panel *panel)
{
    struct esse_ring *ring = &panel->ring;
    const double width = box_width(panel);
    ring->boxes = esse_arena_alloc(panel->arena, panel->card_count + 1u, sizeof *ring->boxes);
    ring->count = panel->card_count;
    ring->gap_across = 104;
    ring->gap_down = GAP_DOWN;
    for (uint32_t i = 0; i < panel->card_count; i++) {
        fill_facts(panel, &panel->cards[i], width);
        ring->boxes[i].width = width;
        ring->boxes[i].height = card_height(&panel->cards[i]);
    }
    for (uint32_t i = 0; i < panel->arrow_count; i++)
        ring->gap_across = fmax(ring->gap_across, 34 + label_width(&panel->arrows[i]));
    if (panel->anomaly->refutation)
        place_round(panel);
    else
        esse_ring_place(panel->arena, ring);
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
            panel, (struct line){ .text = "Arrows with an if rest on what the history leaves open:",
                                  .look = LINE_NOTE });
    for (uint32_t i = 0; is_drawn && i < refutation->choice_count; i++) {
        if (refutation->choices[i].kind == ESSE_CHOICE_BOTH)
            continue;
        const char *words = esse_choice_words(panel->arena, history, refutation, 2 * i);
        words = esse_arena_format(panel->arena, "%u: %s", esse_choice_number(refutation, i), words);
        add_reason_lines(panel, (struct line){ words, CASE_INDENT, LINE_NOTE });
    }
    const struct esse_case_line *lines =
        esse_case_lines(panel->arena, history, refutation, CONTRADICTIONS, &count);
    for (uint32_t i = 0; i < count; i++)
        add_reason_lines(panel,
                         (struct line){ lines[i].text, CASE_INDENT * (double)lines[i].depth,
                                        lines[i].kind == ESSE_CASE_CONCLUSION ? LINE_CONCLUSION
                                        : lines[i].kind == ESSE_CASE_SUPPOSE  ? LINE_NAMED
                                                                              : LINE_PLAIN });
}

static void fill_reasons(struct panel *panel)
{
    struct esse_arena *arena = panel->arena;
    const uint32_t count = esse_cast_reasons(panel->anomaly);
    for (uint32_t i = 0; i < count; i++) {
        if (count > BOXES && i == BOXES - 2) {
            add_reason_lines(panel, (struct line){ .text = "…" });
            i = count - 1;
        }
        add_reason_lines(
            panel, (struct line){ .text = esse_arena_format(arena, "%u. %s", i + 1,
                                                            esse_cast_why(panel->anomaly, i)) });
    }
    const char *end = esse_cast_conclusion(arena, panel->report->history, panel->anomaly);
    if (end)
        add_reason_lines(panel, (struct line){ .text = end, .look = LINE_CONCLUSION });
}

static struct panel panel_of(struct esse_arena *arena, const struct esse_report *report,
                             const struct esse_anomaly *anomaly)
{
    struct panel panel = { .report = report, .arena = arena, .anomaly = anomaly };
    const struct esse_cast cast = esse_cast_of(arena, anomaly);
    if (anomaly->edge_count && !anomaly->refutation)
        lay_out_cycle(&panel);
    else if (!esse_cast_is_too_large(anomaly, cast))
        lay_out_steps(&panel, cast, anomaly->refutation ? cast.count : BOXES);
    place_cards(&panel);
    panel.width = fmax(LEAST_WIDTH, panel.ring.width + 2 * PANEL_PADDING + 40);
    return panel;
}

/* The lines of text need the width that all panels have together. */
static void finish_panel(struct panel *panel, double width)
{
    panel->width = width;
    panel->title = add_lines(panel, NULL, &panel->title_count,
                             (struct line){ .text = panel->anomaly->description });
    if (panel->anomaly->refutation && !panel->card_count)
        panel->title = add_lines(panel, panel->title, &panel->title_count,
                                 (struct line){ .text = "too many transactions take part to draw "
                                                        "them" });
    if (panel->anomaly->refutation)
        fill_cases(panel);
    else
        fill_reasons(panel);
    panel->height = 2 * PANEL_PADDING + 26 + (double)REASON_LINE * panel->title_count + 22 +
                    panel->ring.height + 20 + (double)REASON_LINE * panel->reason_count;
}

/* ---- drawing ---- */

static void draw_row(struct esse_out *out, const struct panel *panel, const struct row *row,
                     double left, double top, double width)
{
    if (row->is_named)
        esse_out_f(out,
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"3\" "
                   "fill=\"#fff1c9\"/>\n",
                   left + 5, top + 0.5, width - 10, OP_LINE - 1);
    text_at(out, row->is_named ? "op named" : "op", left + PADDING, top + 13,
            row->is_named ? "#111827" : "#5b6472", row->text);
    for (uint32_t i = 0; i < row->reason_count; i++)
        badge_at(out, left + width - 15 - BADGE * (double)(row->reason_count - 1 - i),
                 top + OP_LINE / 2.0, colour_of(panel, row->reasons[i]), row->reasons[i]);
}

static void draw_card(struct esse_out *out, const struct panel *panel, uint32_t at)
{
    static const struct {
        const char *line, *dash;
    } looks[] = { { "#2f5fa8", "none" }, { "#a50053", "6 3" }, { "#9a6200", "6 3" } };
    const struct esse_history *history = panel->report->history;
    const struct card *card = &panel->cards[at];
    const struct esse_ring_box *box = &panel->ring.boxes[at];
    const double left = box->x - box->width / 2, top = box->y - box->height / 2;
    const unsigned status = card->is_gap ? ESSE_COMMITTED : history->txn_status[card->txn.ix];
    esse_out_f(out,
               "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"8\" "
               "fill=\"#ffffff\" stroke=\"%s\" stroke-width=\"1.4\" stroke-dasharray=\"%s\"/>\n",
               left, top, box->width, box->height, card->is_gap ? "#9ca3af" : looks[status].line,
               card->is_gap ? "3 4" : looks[status].dash);
    double y = top + PADDING - 2 + NAME_LINE;
    text_at(out, "name", left + PADDING, y - 6, card->is_gap ? "#5b6472" : looks[status].line,
            card->name);
    for (uint32_t i = 0; i < card->fact_count; i++, y += FACT_LINE)
        text_at(out, "fact", left + PADDING, y + 8, "#5b6472", card->facts[i]);
    if (card->row_count)
        esse_out_f(out, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"#dfe3ea\" stroke-width=\"1\"/>\n",
                   left + 1, y + 4, box->width - 2);
    y += 9;
    for (uint32_t i = 0; i < card->row_count; i++, y += OP_LINE)
        draw_row(out, panel, &card->rows[i], left, y, box->width);
}

/* Which arrow of two between the same boxes: the first goes above. */
static int side_of(const struct panel *panel, uint32_t at)
{
    const struct arrow *arrow = &panel->arrows[at];
    for (uint32_t i = 0; i < panel->arrow_count; i++) {
        const struct arrow *other = &panel->arrows[i];
        if (i != at && other->from == arrow->to && other->to == arrow->from)
            return i > at ? -1 : 1;
    }
    return 0;
}

static void draw_label(struct esse_out *out, const struct arrow *arrow, struct esse_ring_arrow way)
{
    const struct esse_dep_look *look = esse_dep_look(arrow->edge->dep);
    const double width = label_width(arrow);
    double x = way.label_x - width / 2;
    if (!way.is_across)
        esse_out_f(out,
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"22\" rx=\"11\" "
                   "fill=\"#ffffff\" stroke=\"%s\" stroke-width=\"1\"/>\n",
                   x - 8, way.label_y - 11, width + 16, look->colour);
    if (arrow->number) {
        badge_at(out, x + 7, way.label_y, look->colour, arrow->number);
        x += BADGE + 2;
    }
    text_at(out, "op named", x, way.label_y + 4, look->colour, arrow->label);
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
    const struct arrow *arrow = &panel->arrows[at];
    return panel->ways ? straight(&panel->ways[at])
                       : esse_ring_arrow(&panel->ring, arrow->from, arrow->to, side_of(panel, at));
}

static void draw_line(struct esse_out *out, const struct panel *panel, uint32_t at)
{
    const struct esse_dep_look *look = esse_dep_look(panel->arrows[at].edge->dep);
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

static void draw_words(struct esse_out *out, const struct line *line, double y)
{
    static const struct {
        const char *class, *fill;
    } looks[] = { { "reason", "#1f2937" },
                  { "reason", "#5b6472" },
                  { "reason named", "#1f2937" },
                  { "reason named", "#a3182d" } };
    text_at(out, looks[line->look].class, PANEL_PADDING + line->indent, y, looks[line->look].fill,
            line->text);
}

static void draw_panel(struct esse_out *out, const struct panel *panel, double top)
{
    esse_out_f(out, "<g transform=\"translate(%d %.1f)\">\n", MARGIN, top);
    esse_out_f(out,
               "<rect width=\"%.1f\" height=\"%.1f\" rx=\"10\" fill=\"#f7f8fa\" "
               "stroke=\"#d5dae2\"/>\n",
               panel->width, panel->height);
    double y = PANEL_PADDING + 14;
    text_at(out, "type", PANEL_PADDING, y, "#1f2937", panel->anomaly->type);
    y += 4;
    for (uint32_t i = 0; i < panel->title_count; i++)
        text_at(out, "reason", PANEL_PADDING, y += REASON_LINE, "#374151", panel->title[i].text);
    y += 30;
    esse_out_f(out, "<g transform=\"translate(%.1f %.1f)\">\n",
               (panel->width - panel->ring.width) / 2, y);
    draw_graph(out, panel);
    esse_out_text(out, "</g>\n");
    y += panel->ring.height + 18;
    for (uint32_t i = 0; i < panel->reason_count; i++)
        draw_words(out, &panel->reasons[i], y += REASON_LINE);
    esse_out_text(out, "</g>\n");
}

/* ---- the whole ---- */

static bool is_used(const struct panel *panels, uint32_t count, const struct esse_dep_look *look)
{
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t i = 0; i < panels[p].arrow_count; i++)
            if (esse_dep_look(panels[p].arrows[i].edge->dep) == look)
                return true;
    return false;
}

/* Only the kinds that are in the picture.  Returns the height; draws if 'out' is given. */
static double legend(struct esse_out *out, const struct panel *panels, uint32_t count, double top)
{
    double y = 0;
    for (const struct esse_dep_look *look = esse_dep_looks; *look->dep; look++) {
        if (!is_used(panels, count, look))
            continue;
        y += LEGEND_LINE;
        if (!out)
            continue;
        esse_out_f(out,
                   "<path d=\"M%d %.1fh42\" stroke=\"%s\" stroke-width=\"1.8\" "
                   "stroke-dasharray=\"%s\" marker-end=\"url(#arrow%zu)\"/>\n",
                   MARGIN, top + y - 4, look->colour, look->dash ? look->dash : "none",
                   (size_t)(look - esse_dep_looks));
        text_at(out, "op named", MARGIN + 54, top + y, look->colour, look->dep);
        text_at(out, "reason", MARGIN + 124, top + y, "#374151",
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
    for (const struct esse_dep_look *look = esse_dep_looks;; look++) {
        esse_out_f(out,
                   "<marker id=\"arrow%zu\" viewBox=\"0 0 10 8\" refX=\"9\" refY=\"4\" "
                   "markerWidth=\"10\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
                   "orient=\"auto\"><path d=\"M0 0.4L9.5 4L0 7.6z\" fill=\"%s\"/></marker>\n",
                   (size_t)(look - esse_dep_looks), look->colour);
        if (!*look->dep)
            break;
    }
    esse_out_f(out, "</defs>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", width,
               height);
}

static void put_heading(struct esse_out *out, const struct esse_report *report, double width,
                        uint32_t drawn)
{
    static const char *const words[] = { "holds", "violated", "unknown" };
    const struct esse_verdict *verdict = esse_cast_fullest(report->result);
    if (!verdict && report->result->verdict_count)
        verdict = &report->result->verdicts[0];
    const size_t columns = (size_t)(width / 13);
    text_at(out, "title", MARGIN, MARGIN + 14, "#111827",
            esse_words_fit(out->arena, report->path, columns));
    const char *text = "";
    if (verdict)
        text = esse_arena_format(out->arena, "%s %s; %s", words[verdict->outcome],
                                 esse_report_claim(out->arena, verdict),
                                 drawn ? verdict->anomaly_count ? "the worst comes first"
                                                                : "what is drawn here is allowed"
                                       : "there is nothing to draw");
    text_at(out, "reason", MARGIN, MARGIN + 36, "#374151", text);
}

void esse_report_svg(struct esse_out *out, const struct esse_report *report)
{
    uint32_t count;
    const struct esse_anomaly **anomalies =
        esse_cast_drawn(out->arena, report->result, PANELS, &count);
    struct panel *panels = esse_arena_alloc(out->arena, count + 1u, sizeof *panels);
    double width = LEAST_WIDTH, height = MARGIN + HEADING;
    for (uint32_t i = 0; i < count; i++) {
        panels[i] = panel_of(out->arena, report, esse_cast_told(out->arena, anomalies[i]));
        width = fmax(width, panels[i].width);
    }
    for (uint32_t i = 0; i < count; i++) {
        finish_panel(&panels[i], width);
        height += panels[i].height + PANEL_GAP;
    }
    height += legend(NULL, panels, count, 0) + MARGIN - PANEL_GAP / 2.0;

    begin(out, width + 2 * MARGIN, height);
    put_heading(out, report, width, count);
    double top = MARGIN + HEADING;
    for (uint32_t i = 0; i < count; i++) {
        draw_panel(out, &panels[i], top);
        top += panels[i].height + PANEL_GAP;
    }
    legend(out, panels, count, top - 6);
    esse_out_text(out, "</svg>\n");
}
