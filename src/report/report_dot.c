#include "history/show.h"
#include "report/report.h"
#include "report/report_ops.h"
#include "report/report_refutation.h"
#include "report/report_words.h"

/* Everything is quoted, so no name can be anything but a name. */

enum { DRAWN = 20, OPS_SHOWN = 12, OP_WIDTH = 60 };

/* Inside of quotes: a quote, a backslash and a line's end are all that means something. */
static void put_escaped(struct esse_out *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            esse_out_char(out, '\\');
        if ((unsigned char)*text < 0x20)
            esse_out_char(out, ' ');
        else
            esse_out_char(out, *text);
    }
}

static void put_quoted(struct esse_out *out, const char *text)
{
    esse_out_char(out, '"');
    put_escaped(out, text);
    esse_out_char(out, '"');
}

static void put_node(struct esse_out *out, const struct esse_report *report,
                     const struct esse_anomaly *anomaly, uint32_t cluster, esse_txn txn)
{
    const struct esse_history *history = report->history;
    const bool is_committed = history->txn_status[txn.ix] == ESSE_COMMITTED;
    const uint32_t end = history->txn_op[txn.ix + 1];
    uint32_t count, next = history->txn_op[txn.ix];
    const uint32_t *ops = esse_shown_ops(out->arena, history, anomaly, txn, OPS_SHOWN, &count);
    esse_out_f(out, "    \"%u.%u\" [style=\"%s\", label=\"", cluster, txn.ix,
               is_committed ? "rounded" : "rounded,dashed");
    put_escaped(out, esse_show_txn_text(out->arena, history, txn));
    esse_out_text(out, "\\n");
    put_escaped(out, esse_shown_facts(out->arena, history, txn));
    esse_out_text(out, "\\n");
    for (uint32_t i = 0; i <= count; i++) {
        const uint32_t op = i < count ? ops[i] : end;
        if (op > next)
            esse_out_f(out, "   … %u more\\l", op - next);
        next = op + 1;
        if (i == count)
            break;
        const bool goes_on = i && esse_shown_goes_on(history, ops[i - 1], op);
        const char *written =
            goes_on ? NULL : esse_shown_written(out->arena, history, op, OP_WIDTH);
        if (written) {
            put_escaped(out, written);
            esse_out_text(out, "\\l");
        }
        const char *text = esse_shown_op_fit(out->arena, history, anomaly, op, OP_WIDTH);
        esse_out_text(out, esse_shown_reason(anomaly, op) ? "▸ " : "   ");
        put_escaped(out, text);
        esse_out_text(out, "\\l");
    }
    esse_out_text(out, "\"];\n");
}

/* An edge of a refutation says on which choices it rests, and is dashed then. */
static void put_edge(struct esse_out *out, const struct esse_report *report, uint32_t cluster,
                     const struct esse_anomaly *anomaly, const struct esse_edge *edge)
{
    const struct esse_dep_look *look = &esse_dep_looks[edge->dep];
    const char *label = esse_shown_label(out->arena, report->history, edge), *condition = NULL;
    if (anomaly->refutation)
        condition = esse_edge_condition(out->arena, report->history, anomaly->refutation, edge);
    if (condition)
        label = esse_arena_format(out->arena, "%s if %s", label, condition);
    esse_out_f(out, "    \"%u.%u\" -> \"%u.%u\" [label=", cluster, edge->from.ix, cluster,
               edge->to.ix);
    put_quoted(out, label);
    esse_out_f(out, ", color=\"%s\", fontcolor=\"%s\", style=\"%s\", tooltip=", look->colour,
               look->colour, look->dash || condition ? "dashed" : "solid");
    put_quoted(out, edge->why);
    esse_out_text(out, "];\n");
}

/* What the numbers at the edges mean. */
static void put_choices(struct esse_out *out, const struct esse_report *report, uint32_t cluster,
                        const struct esse_refutation *refutation)
{
    esse_out_f(out, "    \"%u.choices\" [shape=\"note\", label=\"", cluster);
    for (uint32_t i = 0; i < refutation->choice_count; i++) {
        if (refutation->choices[i].kind == ESSE_CHOICE_BOTH)
            continue;
        esse_out_f(out, "%u: ", esse_choice_number(refutation, i));
        put_escaped(out, esse_choice_words(out->arena, report->history, refutation, 2 * i));
        esse_out_text(out, "\\l");
    }
    esse_out_text(out, "\"];\n");
}

static void put_too_large(struct esse_out *out, uint32_t cluster,
                          struct esse_participants participants)
{
    esse_out_f(out,
               "    \"%u.large\" [shape=\"plaintext\", label=\"%u transactions take part: too "
               "many to draw\"];\n",
               cluster, participants.count);
}

static void put_cluster(struct esse_out *out, const struct esse_report *report, uint32_t cluster,
                        const struct esse_anomaly *anomaly)
{
    struct esse_participants participants = esse_participants_of(out->arena, anomaly);
    uint32_t edges;
    const struct esse_edge *edge = esse_shown_edges(out->arena, anomaly, &edges);
    esse_out_f(out, "  subgraph \"cluster_%u\" {\n    label=\"", cluster);
    put_escaped(out, esse_anomaly_name(anomaly->type));
    esse_out_text(out, ": ");
    put_escaped(out, anomaly->description);
    esse_out_text(out, "\";\n");
    const bool is_drawn = !esse_shown_is_too_large(anomaly, participants);
    for (uint32_t i = 0; is_drawn && i < participants.count; i++)
        put_node(out, report, anomaly, cluster, participants.txns[i]);
    for (uint32_t i = 0; is_drawn && i < edges; i++)
        put_edge(out, report, cluster, anomaly, &edge[i]);
    if (!is_drawn)
        put_too_large(out, cluster, participants);
    else if (anomaly->refutation)
        put_choices(out, report, cluster, anomaly->refutation);
    esse_out_text(out, "  }\n");
}

void esse_report_dot(struct esse_out *out, const struct esse_report *report)
{
    uint32_t count;
    const struct esse_anomaly **anomalies =
        esse_shown_drawn(out->arena, report->result, DRAWN, &count);
    esse_out_text(out, "digraph \"esse\" {\n  label=");
    put_quoted(out, report->path);
    esse_out_text(out, ";\n  labelloc=\"t\";\n  bgcolor=\"#ffffff\";\n"
                       "  node [shape=\"box\", fontname=\"monospace\", fontsize=\"10\"];\n"
                       "  edge [fontname=\"sans-serif\", fontsize=\"10\"];\n");
    for (uint32_t i = 0; i < count; i++)
        put_cluster(out, report, i, esse_shown_told(out->arena, anomalies[i]));
    esse_out_text(out, "}\n");
}
