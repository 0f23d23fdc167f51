#include "report/lattice.h"
#include "report/lattice_layout.h"

/*
 * The picture of the lattice.  All colours are given, background included, so that it looks the
 * same in a dark browser; all coordinates are rounded to a tenth, so that it is the same on every
 * machine.
 */

enum {
    MARGIN = 28,
    HEADING = 64,
    LEGEND = 96,
    BOX_HEIGHT = 46,
    BOX_PADDING = 13,
    BREAK = 22, /* longer names are broken in two */
    LEVELS = ESSE_LEVEL_END,
    EDGES = ESSE_LEVEL_END * 6,
};

/* Width of a letter of the label fonts, generously: the viewer's sans-serif may be wide. */
static const double letter_wide = 7.3, small_wide = 5.8;

struct colours {
    const char *fill, *line, *text;
    const char *title; /* in the legend */
};

static const struct colours colours[] = {
    { "#dbe7fb", "#2f5fa8", "#16325c", "dependency graphs, with real time" },
    { "#e3effd", "#5b87c7", "#1d3f70", "dependency graphs, with session order" },
    { "#eef4fd", "#87a6d1", "#26466f", "dependency graphs" },
    { "#e2f3e6", "#4a9a63", "#1c4a2b", "commit orders" },
    { "#f1f1f1", "#9a9a9a", "#3b3b3b", "other notions" },
    { "#f1e8f9", "#8d63b3", "#472a63", "single operations" },
};

static const struct colours *colours_of(const struct esse_level *level)
{
    size_t at = 0;
    while (!esse_lattice_group_has(&esse_lattice_groups[at], level))
        at++;
    return &colours[at];
}

/* A label in one or two lines, and the canonical name below it if that says more. */
struct label {
    char line[2][48];
    unsigned lines;
    const char *below;
};

static struct label label_of(const struct esse_level *level)
{
    struct label label = { .lines = 1 };
    const char *name = level->friendly;
    const size_t length = strlen(name);
    size_t cut = 0;
    for (size_t i = 0; length > BREAK && i + 1 < length; i++)
        if (name[i] == '-' && i < BREAK && i + 1 >= length - BREAK &&
            (!cut || i + 1 <= (length + 6) / 2))
            cut = i + 1;
    if (cut) {
        memcpy(label.line[0], name, cut);
        memcpy(label.line[1], name + cut, length - cut);
        label.lines = 2;
    } else {
        memcpy(label.line[0], name, length);
    }
    if (strcmp(level->name, name) != 0 && label.lines == 1)
        label.below = level->name;
    return label;
}

static double width_of(const struct label *label)
{
    double width = 0;
    for (unsigned i = 0; i < label->lines; i++) {
        const double line = letter_wide * (double)strlen(label->line[i]);
        width = line > width ? line : width;
    }
    const double below = label->below ? small_wide * (double)strlen(label->below) : 0;
    return (below > width ? below : width) + 2 * BOX_PADDING;
}

static void text_at(struct esse_out *out, const char *class, double x, double y, const char *fill,
                    const char *text)
{
    esse_out_f(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>\n", class, x, y,
               fill, text);
}

/* 'state': of a page's drawing; otherwise NULL. */
static void draw_box(struct esse_out *out, const struct esse_layout_box *box,
                     const struct esse_level *level, const char *state)
{
    const struct colours *colour = colours_of(level);
    const struct label label = label_of(level);
    if (state)
        esse_out_f(out,
                   "<g class=\"level %s\" data-level=\"%s\" tabindex=\"0\" role=\"button\" "
                   "aria-label=\"%s: %s\">\n",
                   state, level->friendly, level->friendly, state);
    else
        esse_out_f(out, "<g><title>%s</title>\n", level->friendly);
    esse_out_f(out,
               "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"7\" fill=\"%s\" "
               "stroke=\"%s\" stroke-width=\"%s\"/>\n",
               box->x - box->width / 2, box->y - box->height / 2, box->width, box->height,
               level->is_own ? "#fff3d6" : colour->fill, level->is_own ? "#c98a00" : colour->line,
               level->is_own ? "2" : "1.2");
    if (label.lines == 2) {
        text_at(out, "name", box->x, box->y - 4, colour->text, label.line[0]);
        text_at(out, "name", box->x, box->y + 12, colour->text, label.line[1]);
    } else if (label.below) {
        text_at(out, "name", box->x, box->y - 2, colour->text, label.line[0]);
        text_at(out, "small", box->x, box->y + 13, colour->text, label.below);
    } else {
        text_at(out, "name", box->x, box->y + 4.5, colour->text, label.line[0]);
    }
    esse_out_text(out, "</g>\n");
}

static void draw_edge(struct esse_out *out, const struct esse_layout_edge *edge, bool is_plain)
{
    const struct esse_layout_point *at = edge->points;
    esse_out_f(out, "<path class=\"%s\" d=\"M%.1f %.1f", is_plain ? "plain" : "edge", at[0].x,
               at[0].y);
    for (unsigned i = 0; i < edge->count; i += 2) {
        const bool last = i + 2 == edge->count;
        const double end = at[i + 1].y - (last ? 5 : 0); /* the arrow's point needs room */
        const double bend = (at[i].y + end) / 2;
        esse_out_f(out, " C%.1f %.1f %.1f %.1f %.1f %.1f", at[i].x, bend, at[i + 1].x, bend,
                   at[i + 1].x, end);
        if (!last)
            esse_out_f(out, " V%.1f", at[i + 2].y);
    }
    esse_out_text(out, "\" marker-end=\"url(#arrow)\"/>\n");
}

static void draw_legend(struct esse_out *out, double top)
{
    static const double column = 300, row = 24;
    const size_t kinds = sizeof colours / sizeof *colours;
    for (size_t i = 0; i < kinds + 1; i++) {
        const bool own = i == kinds;
        const size_t across = i % 3, down = i / 3;
        const double x = (double)across * column, y = top + (double)down * row;
        esse_out_f(out,
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"24\" height=\"14\" rx=\"3\" fill=\"%s\" "
                   "stroke=\"%s\" stroke-width=\"%s\"/>\n",
                   x, y, own ? "#fff3d6" : colours[i].fill, own ? "#c98a00" : colours[i].line,
                   own ? "2" : "1.2");
        text_at(out, "legend", x + 32, y + 11.5, "#333333",
                own ? "Esse's own, not in Elle" : colours[i].title);
    }
    const double y = top + 2 * row + 7;
    esse_out_f(out, "<path class=\"edge\" d=\"M%.1f %.1fh30\" marker-end=\"url(#arrow)\"/>\n",
               column, y);
    text_at(out, "legend", column + 46, y + 4.5, "#333333", "implies");
    esse_out_f(out, "<path class=\"plain\" d=\"M%.1f %.1fh30\" marker-end=\"url(#arrow)\"/>\n",
               2 * column, y);
    text_at(out, "legend", 2 * column + 46, y + 4.5, "#333333",
            "implies if every transaction is its own session");
}

static const char arrow_head[] =
    "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"2\" refY=\"4\" "
    "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">"
    "<path d=\"M0 0.5L7 4L0 7.5z\" fill=\"#6b7280\"/></marker></defs>\n";

static void begin(struct esse_out *out, const struct esse_layout *layout)
{
    const double width = layout->width + 2 * MARGIN;
    const double height = layout->height + HEADING + LEGEND + 2 * MARGIN;
    esse_out_f(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
               "viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Isolation levels and what "
               "they imply\">\n",
               width, height, width, height);
    esse_out_text(out, "<style>\n"
                       "text { font-family: \"DejaVu Sans\", Verdana, Helvetica, sans-serif; }\n"
                       ".name { font-size: 12px; text-anchor: middle; }\n"
                       ".small { font-size: 9.5px; text-anchor: middle; }\n"
                       ".legend { font-size: 11.5px; }\n"
                       ".title { font-size: 20px; font-weight: bold; }\n"
                       ".edge, .plain { fill: none; stroke: #6b7280; stroke-width: 1.3; }\n"
                       ".plain { stroke-dasharray: 5 4; }\n"
                       "</style>\n");
    esse_out_text(out, arrow_head);
    esse_out_f(out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", width, height);
    esse_out_f(out, "<g transform=\"translate(%d %d)\">\n", MARGIN, MARGIN);
    text_at(out, "title", 0, 18, "#1f2937", "Isolation levels");
    text_at(out, "legend", 0, 38, "#4b5563", "Strongest on top; what a level implies is below it.");
    esse_out_text(out, "</g>\n");
}

static struct esse_layout *lay_out(struct esse_arena *arena, bool is_plain[EDGES])
{
    struct esse_layout *layout = esse_layout_new(arena, LEVELS, EDGES);
    for (size_t i = 0; i < esse_level_count(); i++) {
        const struct label label = label_of(esse_level_at(i));
        esse_layout_box(layout, width_of(&label), BOX_HEIGHT);
    }
    for (size_t i = 0; i < esse_level_count(); i++) {
        const struct esse_level *level = esse_level_at(i);
        for (size_t at = 0; level->implies[at].to; at++) {
            if (!esse_level_is_cover(level, at))
                continue;
            is_plain[layout->edge_count] = level->implies[at].kind == ESSE_IMPLIES_PLAIN;
            esse_layout_edge(layout, (unsigned)i, level->implies[at].to - 1u);
        }
    }
    esse_layout_run(layout);
    return layout;
}

static void draw(struct esse_out *out, const struct esse_layout *layout, const bool *is_plain,
                 const char *const *states)
{
    for (unsigned e = 0; e < layout->edge_count; e++)
        draw_edge(out, &layout->edges[e], is_plain[e]);
    for (unsigned box = 0; box < layout->box_count; box++)
        draw_box(out, &layout->boxes[box], esse_level_at(box), states ? states[box] : NULL);
}

void esse_lattice_svg(struct esse_out *out)
{
    bool is_plain[EDGES] = { false };
    const struct esse_layout *layout = lay_out(out->arena, is_plain);
    begin(out, layout);
    esse_out_f(out, "<g transform=\"translate(%d %d)\">\n", MARGIN, MARGIN + HEADING);
    draw(out, layout, is_plain, NULL);
    draw_legend(out, layout->height + 34);
    esse_out_text(out, "</g>\n</svg>\n");
}

void esse_lattice_svg_of(struct esse_out *out, const char *const *states)
{
    bool is_plain[EDGES] = { false };
    const struct esse_layout *layout = lay_out(out->arena, is_plain);
    esse_out_f(out,
               "<svg viewBox=\"-4 -4 %.0f %.0f\" width=\"%.0f\" role=\"group\" "
               "aria-label=\"Isolation levels and what they imply\">\n%s",
               layout->width + 8, layout->height + 8, layout->width + 8, arrow_head);
    draw(out, layout, is_plain, states);
    esse_out_text(out, "</svg>\n");
}
