#include "base/arena.h"
#include "history/show.h"
#include "report/report_cases.h"
#include "report/report_ops.h"
#include "report/report_panel.h"
#include "report/report_words.h"

#include <math.h>

enum {
    LEAST_BOX = 222,
    OPS_SHOWN = 8,
    OP_WIDTH = 34,      /* columns */
    WRITTEN_WIDTH = 56, /* of a statement as it was written */
    KEY_WIDTH = 16,
    GAP_DOWN = 78,
};

static const double name_wide = 8.8, small_wide = 5.9;

double panel_label_width(const struct panel_arrow *arrow)
{
    return (arrow->number ? PANEL_BADGE + 2 : 0) +
           panel_mono_wide * (double)esse_words_width(arrow->label);
}

static struct panel_arrow arrow_of(const struct panel *panel, const struct esse_edge *edge,
                                   uint32_t from, uint32_t to, uint32_t number)
{
    struct panel_arrow arrow = { edge, from, to, number, esse_dep_name(edge->dep), false };
    const struct esse_history *history = panel->report->history;
    const struct esse_refutation *refutation = panel->anomaly->refutation;
    if (edge->has_key) {
        const char *key = esse_show_key_within(panel->arena, history, edge->key, KEY_WIDTH);
        arrow.label = esse_arena_format(panel->arena, "%s %s", esse_dep_name(edge->dep), key);
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

/* ---- what stands in the boxes ---- */

static void add_reason(struct panel_row *row, uint32_t reason)
{
    if (row->reason_count < PANEL_BADGES)
        row->reasons[row->reason_count++] = reason;
}

static struct panel_row row_of(const struct panel *panel, uint32_t op)
{
    const struct esse_anomaly *anomaly = panel->anomaly;
    struct panel_row row = { .text = esse_shown_op_fit(panel->arena, panel->report->history,
                                                       anomaly, op, OP_WIDTH),
                             .is_named = esse_shown_reason(anomaly, op) != 0 };
    if (anomaly->refutation)
        return row; /* its reasons have no numbers */
    for (uint32_t i = 0; i < anomaly->edge_count; i++)
        if (anomaly->edges[i].from_op.ix == op || anomaly->edges[i].to_op.ix == op)
            add_reason(&row, i + 1);
    if (!row.reason_count && row.is_named)
        add_reason(&row, esse_shown_reason(anomaly, op));
    return row;
}

static void fill_rows(struct panel *panel, struct panel_card *card)
{
    const struct esse_history *history = panel->report->history;
    const uint32_t end = history->txn_op[card->txn.ix + 1];
    uint32_t count, next = history->txn_op[card->txn.ix];
    const uint32_t *ops =
        esse_shown_ops(panel->arena, history, panel->anomaly, card->txn, OPS_SHOWN, &count);
    card->rows = esse_arena_alloc(panel->arena, 3u * count + 1, sizeof *card->rows);
    for (uint32_t i = 0; i <= count; i++) {
        const uint32_t op = i < count ? ops[i] : end;
        if (op > next)
            card->rows[card->row_count++].text =
                esse_arena_format(panel->arena, "… %u more", op - next);
        next = op + 1;
        if (i == count)
            break;
        const bool goes_on = i && esse_shown_goes_on(history, ops[i - 1], op);
        const char *statement =
            goes_on ? NULL : esse_shown_written(panel->arena, history, op, WRITTEN_WIDTH);
        if (statement)
            card->rows[card->row_count++].text = statement;
        card->rows[card->row_count++] = row_of(panel, op);
    }
}

static struct panel_card card_of(struct panel *panel, esse_txn txn)
{
    struct panel_card card = { .txn = txn };
    card.name = esse_show_txn_text(panel->arena, panel->report->history, txn);
    fill_rows(panel, &card);
    return card;
}

/* The transaction was met before on the way round: its name is enough. */
static struct panel_card card_again(const struct panel *panel, uint32_t before)
{
    struct panel_card card = { .txn = panel->cards[before].txn, .is_again = true };
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
    if (count <= PANEL_BOXES || position < PANEL_BOXES - 2)
        return position;
    return position == count - 1 ? PANEL_BOXES - 1 : PANEL_BOXES - 2;
}

static void lay_out_cycle(struct panel *panel)
{
    const struct esse_anomaly *anomaly = panel->anomaly;
    const uint32_t count = anomaly->edge_count, shown = count < PANEL_BOXES ? count : PANEL_BOXES;
    panel->cards = esse_arena_alloc(panel->arena, shown, sizeof *panel->cards);
    panel->arrows = esse_arena_alloc(panel->arena, shown, sizeof *panel->arrows);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = card_at(i, count), to = card_at(i + 1, count);
        if (from == panel->card_count && count > PANEL_BOXES && from == PANEL_BOXES - 2)
            panel->cards[panel->card_count++] =
                (struct panel_card){ .is_gap = true,
                                     .name = esse_arena_format(panel->arena, "… %u more …",
                                                               count - PANEL_BOXES + 1) };
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

static void lay_out_steps(struct panel *panel, struct esse_participants participants, uint32_t most)
{
    uint32_t count;
    const struct esse_edge *edges = esse_shown_edges(panel->arena, panel->anomaly, &count);
    panel->cards = esse_arena_alloc(panel->arena, most, sizeof *panel->cards);
    panel->arrows = esse_arena_alloc(panel->arena, count + 1u, sizeof *panel->arrows);
    for (uint32_t i = 0; i < participants.count && i < most; i++)
        add_card(panel, participants.txns[i]);
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
        const struct panel_card *card = &panel->cards[c];
        for (uint32_t r = 0; r < card->row_count; r++)
            width =
                fmax(width, 2 * PANEL_BOX_PADDING + 8 + PANEL_BADGE * card->rows[r].reason_count +
                                panel_mono_wide * (double)esse_words_width(card->rows[r].text));
    }
    return width;
}

static void fill_facts(struct panel *panel, struct panel_card *card, double width)
{
    const size_t columns = (size_t)((width - 2 * PANEL_BOX_PADDING) / small_wide);
    if (!card->is_gap)
        card->name = esse_show_txn_within(panel->arena, panel->report->history, card->txn,
                                          (size_t)((width - 2 * PANEL_BOX_PADDING) / name_wide));
    if (card->is_gap || card->fact_count)
        return;
    const char *text = esse_shown_facts(panel->arena, panel->report->history, card->txn);
    while (card->fact_count + 1 < PANEL_FACTS && *text) {
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

static double card_height(const struct panel_card *card)
{
    const double rows = card->row_count ? 10 + (double)PANEL_OP_LINE * card->row_count : 0;
    return 2 * PANEL_BOX_PADDING - 4 + PANEL_NAME_LINE +
           (double)PANEL_FACT_LINE * card->fact_count + rows;
}

static void place_round(struct panel *panel)
{
    panel->ways = esse_arena_alloc(panel->arena, panel->arrow_count + 1u, sizeof *panel->ways);
    for (uint32_t i = 0; i < panel->arrow_count; i++)
        panel->ways[i] =
            (struct esse_round_arrow){ .from = panel->arrows[i].from,
                                       .to = panel->arrows[i].to,
                                       .label_width = panel_label_width(&panel->arrows[i]) + 16 };
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
        ring->gap_across = fmax(ring->gap_across, 34 + panel_label_width(&panel->arrows[i]));
    if (panel->anomaly->refutation)
        place_round(panel);
    else
        esse_ring_place(panel->arena, ring);
}

void panel_lay_out(struct panel *panel)
{
    const struct esse_anomaly *anomaly = panel->anomaly;
    const struct esse_participants participants = esse_participants_of(panel->arena, anomaly);
    if (anomaly->edge_count && !anomaly->refutation)
        lay_out_cycle(panel);
    else if (!esse_shown_is_too_large(anomaly, participants))
        lay_out_steps(panel, participants, anomaly->refutation ? participants.count : PANEL_BOXES);
    place_cards(panel);
}
