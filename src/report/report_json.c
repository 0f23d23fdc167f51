#include "history/access.h"
#include "history/value_json.h"
#include "report/report_cycle.h"
#include "report/report_parts.h"
#include "report/report_plain.h"
#include "report/report_refutation.h"

#include <string.h>

static void put_names(struct esse_out *out, const char *name, const char *const *names,
                      uint32_t count)
{
    esse_out_f(out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            esse_out_char(out, ',');
        esse_out_json_text(out, names[i]);
    }
    esse_out_char(out, ']');
}

static void put_types(struct esse_out *out, const char *name, const enum esse_anomaly_id *types,
                      uint32_t count)
{
    esse_out_f(out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++)
        esse_out_f(out, "%s\"%s\"", i ? "," : "", esse_anomaly_name(types[i]));
    esse_out_char(out, ']');
}

static void put_assumed(struct esse_out *out, unsigned assumed)
{
    const char *before = ",\"assumed\":[";
    for (int basis = 1; basis < ESSE_BASIS_END; basis++)
        if (assumed & 1u << basis) {
            esse_out_f(out, "%s\"%s\"", before, esse_basis_name((enum esse_basis)basis));
            before = ",";
        }
    esse_out_char(out, ']');
}

static void put_warnings(struct esse_out *out, const struct esse_history *history)
{
    esse_out_text(out, ",\"warnings\":[");
    for (uint32_t i = 0; i < history->warning_count; i++) {
        const struct esse_warning *warning = &history->warnings[i];
        esse_out_f(out, "%s{\"count\":%llu,\"first_line\":%llu", i ? "," : "",
                   (unsigned long long)warning->count, (unsigned long long)warning->first_line);
        esse_out_json_member(out, "text", warning->text);
        esse_out_char(out, '}');
    }
    esse_out_char(out, ']');
}

static void put_history(struct esse_out *out, const struct esse_report *report)
{
    struct esse_counts counts =
        report->counts ? *report->counts : esse_history_counts(report->history);
    esse_out_text(out, "\"history\":{\"path\":");
    esse_out_json_text(out, report->path);
    esse_out_json_member(out, "format", report->history->format);
    esse_out_json_member(out, "workload", esse_workload_names[report->history->workload]);
    esse_out_f(out,
               ",\"sessions\":%u,\"transactions\":%u,\"committed\":%u,\"aborted\":%u,"
               "\"unknown\":%u,\"operations\":%u,\"keys\":%u",
               counts.sessions, counts.transactions, counts.committed, counts.aborted,
               counts.unknown, counts.operations, counts.keys);
    put_warnings(out, report->history);
    esse_report_faults_json(out, report->history);
    esse_out_char(out, '}');
}

static void put_txn_name(struct esse_out *out, const struct esse_history *history, esse_txn txn)
{
    esse_out_json_text(out, esse_txn_id(out->arena, history, txn));
}

static void put_transactions(struct esse_out *out, const struct esse_history *history,
                             const struct esse_anomaly *anomaly)
{
    struct esse_participants participants = esse_participants_of(out->arena, anomaly);
    esse_out_text(out, ",\"transactions\":[");
    for (uint32_t i = 0; i < participants.count; i++) {
        if (i)
            esse_out_char(out, ',');
        put_txn_name(out, history, participants.txns[i]);
    }
    esse_out_char(out, ']');
}

/* What it supposes of transactions of unknown outcome. */
static void put_supposed(struct esse_out *out, const struct esse_history *history,
                         const struct esse_anomaly *anomaly)
{
    for (uint32_t i = 0; i < anomaly->supposed_count; i++) {
        esse_out_text(out, i ? ",{\"txn\":" : ",\"supposed\":[{\"txn\":");
        put_txn_name(out, history, anomaly->supposed[i].txn);
        esse_out_f(out, ",\"committed\":%s}", anomaly->supposed[i].committed ? "true" : "false");
    }
    esse_out_text(out, anomaly->supposed_count ? "]" : "");
}

/* The operation's position in its transaction, from 0, and the statement that made it, whole. */
static void put_operation(struct esse_out *out, const struct esse_history *history,
                          const char *prefix, esse_txn txn, esse_op op)
{
    if (op.ix == ESSE_NO_OP)
        return;
    esse_out_f(out, ",\"%soperation\":%u", prefix, op.ix - history->txn_op[txn.ix]);
    const uint32_t statement = esse_op_statement(history, op.ix);
    if (!statement)
        return;
    esse_out_f(out, ",\"%sstatement\":", prefix);
    esse_value_put_json(out, history->values, history->header.statements[statement - 1]);
}

static void put_steps(struct esse_out *out, const struct esse_history *history,
                      const struct esse_anomaly *anomaly)
{
    esse_out_text(out, ",\"steps\":[");
    for (uint32_t i = 0; i < anomaly->step_count; i++) {
        const struct esse_step *step = &anomaly->steps[i];
        esse_out_text(out, i ? ",{\"transaction\":" : "{\"transaction\":");
        put_txn_name(out, history, step->txn);
        put_operation(out, history, "", step->txn, step->op);
        if (step->basis)
            esse_out_json_member(out, "basis", esse_basis_name(step->basis));
        esse_out_json_member(out, "why", step->why);
        esse_out_char(out, '}');
    }
    esse_out_char(out, ']');
}

static void put_edges(struct esse_out *out, const struct esse_history *history, const char *name,
                      const struct esse_edge *edges, uint32_t count)
{
    esse_out_f(out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        const struct esse_edge *edge = &edges[i];
        esse_out_text(out, i ? ",{\"from\":" : "{\"from\":");
        put_txn_name(out, history, edge->from);
        esse_out_text(out, ",\"to\":");
        if (edge->to.ix == ESSE_NO_TXN)
            esse_out_text(out, "null");
        else
            put_txn_name(out, history, edge->to);
        esse_out_json_member(out, "dep", esse_dep_name(edge->dep));
        if (edge->has_key) {
            esse_out_text(out, ",\"key\":");
            esse_value_put_json(out, history->values, history->key_name[edge->key.ix]);
        }
        put_operation(out, history, "from_", edge->from, edge->from_op);
        put_operation(out, history, "to_", edge->to, edge->to_op);
        if (edge->basis)
            esse_out_json_member(out, "basis", esse_basis_name(edge->basis));
        esse_out_json_member(out, "why", edge->why);
        if (edge->because_count)
            put_edges(out, history, "because", edge->because, edge->because_count);
        esse_out_char(out, '}');
    }
    esse_out_char(out, ']');
}

/* Whose version it is; null: the initial one. */
static void put_place(struct esse_out *out, const struct esse_history *history, const char *name,
                      esse_op op)
{
    if (op.ix == ESSE_NO_OP) {
        esse_out_f(out, ",\"%s\":null", name);
        return;
    }
    const esse_txn txn = esse_op_txn(history, op.ix);
    esse_out_f(out, ",\"%s\":{\"transaction\":", name);
    put_txn_name(out, history, txn);
    put_operation(out, history, "", txn, op);
    esse_out_char(out, '}');
}

static void put_choices(struct esse_out *out, const struct esse_history *history,
                        const struct esse_refutation *refutation)
{
    bool first = true;
    esse_out_text(out, ",\"choices\":[");
    for (uint32_t i = 0; i < refutation->choice_count; i++) {
        const struct esse_choice *choice = &refutation->choices[i];
        if (choice->kind == ESSE_CHOICE_BOTH)
            continue;
        esse_out_f(out, "%s{\"kind\":\"%s\",\"key\":", first ? "" : ",",
                   choice->kind == ESSE_CHOICE_ORDER ? "order" : "source");
        esse_value_put_json(out, history->values, history->key_name[choice->key.ix]);
        put_place(out, history, "first", choice->first);
        put_place(out, history, "second", choice->second);
        esse_out_char(out, '}');
        first = false;
    }
    esse_out_char(out, ']');
}

static void put_given(struct esse_out *out, const struct esse_history *history,
                      const struct esse_refutation *refutation, const struct esse_clause *clause)
{
    const struct esse_given given = esse_given_of(out->arena, refutation, clause);
    esse_out_text(out, "{\"given\":[");
    for (uint32_t i = 0; i < given.count; i++) {
        esse_out_text(out, i ? "," : "");
        esse_out_json_text(out,
                           esse_choice_words(out->arena, history, refutation, given.literals[i]));
    }
    esse_out_char(out, ']');
}

static void put_refutation(struct esse_out *out, const struct esse_history *history,
                           const struct esse_refutation *refutation)
{
    bool first = true;
    put_choices(out, history, refutation);
    esse_out_text(out, ",\"cycles\":[");
    for (uint32_t i = 0; i < refutation->clause_count; i++) {
        const struct esse_clause *clause = &refutation->clauses[i];
        if (clause->kind != ESSE_CLAUSE_CYCLE)
            continue;
        esse_out_text(out, first ? "" : ",");
        put_given(out, history, refutation, clause);
        put_edges(out, history, "edges", clause->edges, clause->edge_count);
        esse_out_char(out, '}');
        first = false;
    }
    esse_out_f(out, "],\"clauses\":%u", refutation->clause_count);
}

static void put_anomaly(struct esse_out *out, const struct esse_history *history,
                        const struct esse_anomaly *anomaly)
{
    esse_out_text(out, "{\"type\":");
    esse_out_json_text(out, esse_anomaly_name(anomaly->type));
    esse_out_json_member(out, "description", anomaly->description);
    const char *plain = esse_plain_words(out->arena, history, anomaly->type);
    if (plain)
        esse_out_json_member(out, "plain", plain);
    if (anomaly->has_key) {
        esse_out_text(out, ",\"key\":");
        esse_value_put_json(out, history->values, history->key_name[anomaly->key.ix]);
    }
    if (anomaly->order_by)
        esse_out_json_member(out, "order_by", esse_order_by_name(anomaly->order_by));
    if (anomaly->alike)
        esse_out_f(out, ",\"alike\":%llu", (unsigned long long)anomaly->alike);
    put_supposed(out, history, anomaly);
    put_transactions(out, history, anomaly);
    put_steps(out, history, anomaly);
    if (anomaly->refutation)
        put_refutation(out, history, anomaly->refutation);
    else if (anomaly->edge_count)
        put_edges(out, history, "edges", anomaly->edges, anomaly->edge_count);
    esse_out_char(out, '}');
}

static void put_anomalies(struct esse_out *out, const struct esse_history *history,
                          const char *name, const struct esse_anomaly *anomalies, uint32_t count)
{
    esse_out_f(out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        esse_out_text(out, i ? "," : "");
        put_anomaly(out, history, esse_shown_told(out->arena, &anomalies[i]));
    }
    esse_out_char(out, ']');
}

static void put_verdict(struct esse_out *out, const struct esse_report *report,
                        const struct esse_verdict *verdict)
{
    const struct esse_history *history = report->history;
    const char *reason = esse_reason_text(out->arena, verdict);
    const char *remedy = esse_report_remedy(history, verdict);
    esse_out_text(out, "{\"level\":");
    esse_out_json_text(out, esse_level_name(verdict->level));
    esse_out_json_member(out, "verdict", esse_outcome_name(verdict->outcome));
    esse_out_json_member(out, "engine", verdict->engine);
    esse_out_json_member(out, "plan", verdict->plan);
    if (reason)
        esse_out_json_member(out, "reason", reason);
    if (remedy)
        esse_out_json_member(out, "remedy", remedy);
    if (verdict->assumed)
        put_assumed(out, verdict->assumed);
    if (verdict->named_count)
        put_types(out, "named", verdict->named, verdict->named_count);
    if (verdict->certificate)
        esse_out_json_member(out, "certificate", esse_certificate_name(verdict->certificate));
    if (verdict->has_otherwise)
        esse_out_json_member(out, "otherwise", esse_outcome_name(verdict->otherwise));
    if (verdict->way_count)
        esse_out_f(out, ",\"ways\":%u", verdict->way_count);
    esse_out_f(out, ",\"seconds\":%.6f", verdict->seconds);
    if (verdict->phase_count)
        esse_report_plan_json(out, verdict);
    put_anomalies(out, history, "anomalies", verdict->anomalies, verdict->anomaly_count);
    esse_out_f(out, ",\"occurrences\":%llu", (unsigned long long)verdict->anomalies_seen);
    esse_out_text(out, ",\"evidence\":{\"kind\":");
    esse_out_json_text(out, esse_evidence_name(verdict->evidence));
    esse_out_f(out, ",\"rechecked\":%s", verdict->rechecked ? "true" : "false");
    if (verdict->outcome == ESSE_HOLDS && verdict->order.proves) {
        const struct esse_order *order = &verdict->order;
        esse_out_f(out, ",\"transactions\":%u",
                   order->has_starts ? order->count / 2 : order->count);
        esse_out_json_member(out, "proves", esse_level_name(order->proves));
    }
    esse_out_text(out, "}}");
}

void esse_report_json(struct esse_out *out, const struct esse_report *report)
{
    const struct esse_result *result = report->result;
    esse_out_text(out, "{\"esse\":");
    esse_out_json_text(out, esse_version());
    esse_out_char(out, ',');
    put_history(out, report);
    esse_out_text(out, ",\"results\":[");
    for (uint32_t i = 0; i < result->verdict_count; i++) {
        if (i)
            esse_out_char(out, ',');
        put_verdict(out, report, &result->verdicts[i]);
    }
    esse_out_char(out, ']');
    if (result->tested.is_counted)
        esse_out_f(out, ",\"tested\":{\"reads\":%llu,\"contended_reads\":%llu,\"by\":\"%s\"}",
                   (unsigned long long)result->tested.reads,
                   (unsigned long long)result->tested.contended,
                   result->tested.by_time ? "time" : "key");
    put_names(out, "strongest", result->strongest, result->strongest_count);
    put_types(out, "anomaly_types", result->anomaly_types, result->anomaly_type_count);
    put_anomalies(out, report->history, "also_found", result->also_found, result->also_found_count);
    put_names(out, "not", result->not_levels, result->not_count);
    put_names(out, "also_not", result->also_not, result->also_not_count);
    esse_out_text(out, "}\n");
}
