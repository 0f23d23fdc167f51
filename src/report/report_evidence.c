#include "report/report_evidence.h"

static const char *const outcome_words[] = { "holds", "violated", "unknown" };

static void put_text(struct esse_out *out, const char *name, const char *text)
{
    esse_out_f(out, "\"%s\":", name);
    esse_out_json(out, text, strlen(text));
}

/* An operation's number, or null where there is none. */
static void put_op(struct esse_out *out, const char *name, esse_op op)
{
    if (op.ix == ESSE_NO_OP)
        esse_out_f(out, ",\"%s\":null", name);
    else
        esse_out_f(out, ",\"%s\":%u", name, op.ix);
}

static void put_basis(struct esse_out *out, const char *basis)
{
    if (!basis)
        return;
    esse_out_char(out, ',');
    put_text(out, "basis", basis);
}

static void put_names(struct esse_out *out, const char *name, const char *const *names,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        esse_out_f(out, i ? "," : ",\"%s\":[", name);
        esse_out_json(out, names[i], strlen(names[i]));
    }
    esse_out_text(out, count ? "]" : "");
}

static void put_edges(struct esse_out *out, const char *name, const struct esse_edge *edges,
                      uint32_t count);

static void put_edge(struct esse_out *out, const struct esse_edge *edge)
{
    esse_out_char(out, '{');
    put_text(out, "dep", edge->dep);
    esse_out_f(out, ",\"from\":%u", edge->from.ix);
    put_op(out, "to", (esse_op){ edge->to.ix }); /* null: the initial version */
    if (edge->has_key)
        esse_out_f(out, ",\"key\":%u", edge->key.ix);
    put_op(out, "from_op", edge->from_op);
    put_op(out, "to_op", edge->to_op);
    put_op(out, "witness", edge->witness);
    put_basis(out, edge->basis);
    if (edge->basis)
        put_op(out, "later_witness", edge->later_witness);
    esse_out_char(out, ',');
    put_text(out, "why", edge->why);
    if (edge->because_count)
        put_edges(out, "because", edge->because, edge->because_count);
    esse_out_char(out, '}');
}

static void put_edges(struct esse_out *out, const char *name, const struct esse_edge *edges,
                      uint32_t count)
{
    esse_out_f(out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        esse_out_text(out, i ? "," : "");
        put_edge(out, &edges[i]);
    }
    esse_out_char(out, ']');
}

static void put_step(struct esse_out *out, const struct esse_step *step)
{
    esse_out_f(out, "{\"txn\":%u", step->txn.ix);
    put_op(out, "op", step->op);
    put_basis(out, step->basis);
    esse_out_char(out, ',');
    put_text(out, "why", step->why);
    esse_out_char(out, '}');
}

static void put_numbers(struct esse_out *out, const char *name, const uint32_t *numbers,
                        uint32_t count)
{
    esse_out_f(out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++)
        esse_out_f(out, i ? ",%u" : "%u", numbers[i]);
    esse_out_char(out, ']');
}

static void put_choice(struct esse_out *out, const struct esse_choice *choice)
{
    static const char *const kinds[] = { "order", "source", "both" };
    esse_out_char(out, '{');
    put_text(out, "kind", kinds[choice->kind]);
    if (choice->kind == ESSE_CHOICE_BOTH) {
        put_numbers(out, "parts", choice->parts, 2);
    } else {
        esse_out_f(out, ",\"key\":%u", choice->key.ix);
        put_op(out, "first", choice->first);
        put_op(out, "second", choice->second);
    }
    esse_out_char(out, '}');
}

static void put_clause(struct esse_out *out, const struct esse_clause *clause)
{
    static const char *const kinds[] = { "cycle", "sources", "both", "follows" };
    esse_out_char(out, '{');
    put_text(out, "kind", kinds[clause->kind]);
    put_numbers(out, "literals", clause->literals, clause->count);
    if (clause->kind == ESSE_CLAUSE_CYCLE)
        put_edges(out, "edges", clause->edges, clause->edge_count);
    if (clause->kind == ESSE_CLAUSE_SOURCES) {
        put_op(out, "read", clause->read);
        esse_out_f(out, ",\"key\":%u", clause->key.ix);
    }
    esse_out_char(out, '}');
}

static void put_refutation(struct esse_out *out, const struct esse_refutation *refutation)
{
    esse_out_text(out, ",\"refutation\":{\"choices\":[");
    for (uint32_t i = 0; i < refutation->choice_count; i++) {
        esse_out_text(out, i ? ",\n" : "\n");
        put_choice(out, &refutation->choices[i]);
    }
    esse_out_text(out, "],\"clauses\":[");
    for (uint32_t i = 0; i < refutation->clause_count; i++) {
        esse_out_text(out, i ? ",\n" : "\n");
        put_clause(out, &refutation->clauses[i]);
    }
    esse_out_text(out, "]}");
}

static void put_supposed(struct esse_out *out, const struct esse_anomaly *anomaly)
{
    for (uint32_t i = 0; i < anomaly->supposed_count; i++)
        esse_out_f(out, "%s{\"txn\":%u,\"committed\":%s}", i ? "," : ",\"supposed\":[",
                   anomaly->supposed[i].txn.ix, anomaly->supposed[i].committed ? "true" : "false");
    esse_out_text(out, anomaly->supposed_count ? "]" : "");
}

static void put_anomaly(struct esse_out *out, const struct esse_anomaly *anomaly)
{
    esse_out_char(out, '{');
    put_text(out, "type", anomaly->type);
    if (anomaly->order_by) {
        esse_out_char(out, ',');
        put_text(out, "order_by", anomaly->order_by);
    }
    put_supposed(out, anomaly);
    if (anomaly->has_key)
        esse_out_f(out, ",\"key\":%u", anomaly->key.ix);
    esse_out_text(out, ",\"steps\":[");
    for (uint32_t i = 0; i < anomaly->step_count; i++) {
        esse_out_text(out, i ? "," : "");
        put_step(out, &anomaly->steps[i]);
    }
    esse_out_char(out, ']');
    put_edges(out, "edges", anomaly->edges, anomaly->edge_count);
    if (anomaly->refutation)
        put_refutation(out, anomaly->refutation);
    esse_out_char(out, '}');
}

static void put_order(struct esse_out *out, const struct esse_order *order)
{
    esse_out_text(out, ",\"order\":{");
    put_text(out, "proves", order->proves);
    esse_out_f(out, ",\"starts\":%s,\"accesses\":%s,\"events\":[",
               order->has_starts ? "true" : "false", order->of_accesses ? "true" : "false");
    for (uint32_t i = 0; i < order->count; i++) {
        if (i)
            esse_out_char(out, ',');
        esse_out_i64(out, order->events[i]);
    }
    esse_out_text(out, order->source_count ? "],\"sources\":[" : "]");
    for (uint32_t i = 0; i < order->source_count; i++) {
        const struct esse_read_source *source = &order->sources[i];
        esse_out_f(out, "%s{\"read\":%u,\"key\":%u", i ? "," : "", source->read.ix, source->key.ix);
        put_op(out, "write", source->write); /* null: the initial version */
        esse_out_char(out, '}');
    }
    esse_out_text(out, order->source_count ? "]}" : "}");
}

static void put_anomalies(struct esse_out *out, const struct esse_anomaly *anomalies,
                          uint32_t count)
{
    esse_out_text(out, "\"anomalies\":[");
    for (uint32_t i = 0; i < count; i++) {
        esse_out_text(out, i ? ",\n" : "");
        put_anomaly(out, &anomalies[i]);
    }
    esse_out_char(out, ']');
}

static void put_ways(struct esse_out *out, const struct esse_verdict *verdict)
{
    esse_out_text(out, ",\"ways\":[");
    for (uint32_t w = 0; w < verdict->way_count; w++) {
        const struct esse_way *way = &verdict->ways[w];
        esse_out_text(out, w ? ",\n{\"by\":[" : "\n{\"by\":[");
        for (uint32_t i = 0; i < way->count; i++)
            if (way->by[i] == ESSE_NO_OP)
                esse_out_text(out, i ? ",null" : "null");
            else
                esse_out_f(out, i ? ",%u" : "%u", way->by[i]);
        esse_out_text(out, "],");
        put_anomalies(out, way->anomalies, way->anomaly_count);
        esse_out_char(out, '}');
    }
    esse_out_char(out, ']');
}

void esse_report_evidence(struct esse_out *out, const struct esse_report *report)
{
    const struct esse_history *history = report->history;
    const struct esse_result *result = report->result;
    esse_out_text(out, "{\"esse\":\"evidence\",\"version\":1,");
    put_text(out, "history", report->path);
    esse_out_f(out, ",\"transactions\":%u,\"operations\":%u,\"results\":[", history->txns,
               history->ops);
    for (uint32_t i = 0; i < result->verdict_count; i++) {
        const struct esse_verdict *verdict = &result->verdicts[i];
        esse_out_text(out, i ? ",\n{" : "\n{");
        put_text(out, "level", verdict->level);
        esse_out_char(out, ',');
        put_text(out, "verdict", outcome_words[verdict->outcome]);
        put_names(out, "assumed", verdict->assumed, verdict->assumed_count);
        put_names(out, "named", verdict->named, verdict->named_count);
        if (verdict->certificate) {
            esse_out_char(out, ',');
            put_text(out, "certificate", verdict->certificate);
        }
        esse_out_char(out, ',');
        put_anomalies(out, verdict->anomalies, verdict->way_count ? 0 : verdict->anomaly_count);
        if (verdict->way_count)
            put_ways(out, verdict);
        if (verdict->outcome == ESSE_HOLDS)
            put_order(out, &verdict->order);
        esse_out_char(out, '}');
    }
    esse_out_text(out, "]}\n");
}
