#ifndef ESSE_REPORT_REPORT_PANEL_H
#define ESSE_REPORT_REPORT_PANEL_H

#include "base/out.h"
#include "history/history.h"
#include "report/report.h"
#include "report/report_round.h"

/*
 * The picture of one anomaly: boxes for the transactions, arrows between them, words above and
 * below.  A number joins an arrow, the operations that it names, and its reason in words.  All
 * colours are given, background included, and coordinates are rounded to a tenth, as in
 * lattice_svg.c.  Private to report_svg.c, which puts panels one below the other.
 *
 * Life: of -> finish, with the width that all panels share -> draw.
 */
enum {
    PANEL_PADDING = 20,
    PANEL_LEAST_WIDTH = 760,
    PANEL_BOXES = 16, /* a longer cycle is shown by its beginning and its last transaction */
    PANEL_LINE = 18,  /* of words */
    PANEL_BOX_PADDING = 11,
    PANEL_NAME_LINE = 20,
    PANEL_FACT_LINE = 13,
    PANEL_FACTS = 3, /* lines */
    PANEL_OP_LINE = 18,
    PANEL_BADGE = 17,
    PANEL_BADGES = 3, /* on one operation */
};

/* The width of a letter of class 'op', generously, as all widths here: the viewer's fonts may be
 * wide. */
static const double panel_mono_wide = 6.9;

/* A line of a box: an operation, the statement that made the next ones, or that some are left
 * out. */
struct panel_row {
    const char *text;
    bool is_named;
    uint32_t reasons[PANEL_BADGES];
    uint32_t reason_count;
};

struct panel_card {
    esse_txn txn;
    const char *name;
    const char *facts[PANEL_FACTS];
    uint32_t fact_count;
    struct panel_row *rows;
    uint32_t row_count;
    bool is_gap;   /* stands for the transactions left out */
    bool is_again; /* was met before on the way round */
};

struct panel_arrow {
    const struct esse_edge *edge;
    uint32_t from, to; /* cards */
    uint32_t number;   /* of the reason; 0: none */
    const char *label;
    bool is_open; /* it rests on a choice */
};

/* A line of words below or above the boxes. */
struct panel_line {
    const char *text;
    double indent;
    enum { LINE_PLAIN, LINE_NOTE, LINE_NAMED, LINE_CONCLUSION } look;
};

struct panel {
    const struct esse_report *report;
    struct esse_arena *arena;
    const struct esse_anomaly *anomaly;
    struct panel_card *cards;
    uint32_t card_count;
    struct panel_arrow *arrows;
    uint32_t arrow_count;
    struct esse_ring ring;
    struct esse_round_arrow *ways; /* of the arrows of a refutation */
    struct panel_line *title, *reasons;
    uint32_t title_count, reason_count;
    double width, height;
};

struct panel panel_of(struct esse_arena *arena, const struct esse_report *report,
                      const struct esse_anomaly *anomaly);
/* The lines of text need the width that all panels have together. */
void panel_finish(struct panel *panel, double width);
/* 'left' and 'top' are those of its frame. */
void panel_draw(struct esse_out *out, const struct panel *panel, int left, double top);

/* The boxes and arrows, and where they stand (report_cards.c). */
void panel_lay_out(struct panel *panel);
double panel_label_width(const struct panel_arrow *arrow);

/* A text whose style is 'class' of the style sheet in report_svg.c (report_draw.c). */
void panel_text(struct esse_out *out, const char *class, double x, double y, const char *fill,
                const char *text);
/* Of a transaction's frame, by its status. */
const char *panel_status_colour(unsigned status);

/* ---- report_timeline.c ---- */

/*
 * When the transactions of a panel ran, and what was done to the database meanwhile: a bar each
 * on one axis of time, and behind them a band for each fault.  There is nothing to show, and the
 * height is 0, unless their times are known and a fault overlaps them.
 *
 * Cost: O(boxes + faults) each.
 */
double panel_timeline_height(const struct panel *panel);
void panel_timeline_draw(struct esse_out *out, const struct panel *panel, double top);

#endif
