#include "base/arena.h"
#include "report/report_cycle.h"
#include "report/report_parts.h"
#include "report/report_plain.h"
#include "report/summary_kinds.h"

#include <string.h>

/*
 * SARIF 2.1.0: a result for each kind of anomaly, at the lines of its transactions.  Those that
 * rule out a level that was asked are errors; those that are allowed are informational; a level
 * that is unknown is open.  A history that could not be checked is a notification of the tool.
 */

static const char schema[] = "https://json.schemastore.org/sarif-2.1.0.json";
static const char unknown_rule[] = "unknown-level";

/* A file's path as a reference that may be relative: what is not allowed there is escaped. */
static void put_uri(struct esse_out *out, const char *path)
{
    static const char plain[] = "-._~/!$&'()*+,;=@";
    esse_out_char(out, '"');
    if (*path == '/')
        esse_out_text(out, "file://");
    for (const char *c = path; *c; c++) {
        const bool is_name = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                             (*c >= '0' && *c <= '9') || strchr(plain, *c);
        if (is_name)
            esse_out_char(out, *c);
        else
            esse_out_f(out, "%%%02X", (unsigned)(unsigned char)*c);
    }
    esse_out_char(out, '"');
}

static void begin(struct esse_out *out)
{
    if (out->count)
        esse_out_text(out, ",\n");
}

static void put_message(struct esse_out *out, const char *text)
{
    esse_out_text(out, "\"message\":{\"text\":");
    esse_out_json_text(out, text);
    esse_out_char(out, '}');
}

/* "physicalLocation":{...}, of a file that has a name; the line only where it is known. */
static bool put_place(struct esse_out *out, const char *path, uint64_t line)
{
    if (strcmp(path, "-") == 0)
        return false;
    esse_out_text(out, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    put_uri(out, path);
    esse_out_char(out, '}');
    if (line)
        esse_out_f(out, ",\"region\":{\"startLine\":%llu}", (unsigned long long)line);
    esse_out_char(out, '}');
    return true;
}

/* Where a transaction stands, with its name and what there is to say about it. */
static void put_location(struct esse_out *out, const struct esse_report *report, esse_txn txn,
                         const char *message)
{
    const struct esse_history *history = report->history;
    esse_out_char(out, '{');
    if (put_place(out, report->path, history->txn_line ? history->txn_line[txn.ix] : 0))
        esse_out_char(out, ',');
    esse_out_text(out, "\"logicalLocations\":[{\"name\":");
    esse_out_json_text(out, esse_txn_id(out->arena, history, txn));
    esse_out_text(out, ",\"kind\":\"transaction\"}],");
    put_message(out, message);
    esse_out_char(out, '}');
}

static void put_locations(struct esse_out *out, const struct esse_report *report,
                          const struct esse_anomaly *anomaly)
{
    const struct esse_participants with = esse_participants_of(out->arena, anomaly);
    esse_out_text(out, ",\"locations\":[");
    for (uint32_t i = 0; i < with.count; i++) {
        if (i)
            esse_out_text(out, i == 1 ? "],\"relatedLocations\":[" : ",");
        put_location(out, report, with.txns[i],
                     esse_shown_facts(out->arena, report->history, with.txns[i]));
    }
    esse_out_char(out, ']');
}

/* The reasons one after the other, each at the transaction that it begins with. */
static void put_flow(struct esse_out *out, const struct esse_report *report,
                     const struct esse_anomaly *anomaly)
{
    const uint32_t count = esse_shown_reasons(anomaly);
    if (!count || anomaly->refutation)
        return;
    esse_out_text(out, ",\"codeFlows\":[{\"threadFlows\":[{\"locations\":[");
    for (uint32_t i = 0; i < count; i++) {
        const esse_txn txn = anomaly->edge_count ? anomaly->edges[i].from : anomaly->steps[i].txn;
        esse_out_text(out, i ? ",{\"location\":" : "{\"location\":");
        put_location(out, report, txn, esse_shown_why(anomaly, i));
        esse_out_char(out, '}');
    }
    esse_out_text(out, "]}]}]");
}

static void put_anomaly(struct esse_summary *summary, const struct esse_report *report,
                        const struct esse_anomaly *anomaly, bool is_error)
{
    struct esse_out *out = &summary->body;
    const struct esse_anomaly *shown = esse_shown_told(summary->arena, anomaly);
    const char *plain = esse_plain_words(summary->arena, report->history, shown->type);
    summary->found[shown->type] = true;
    begin(out);
    esse_out_f(out, "{\"ruleId\":\"%s\",%s,", esse_anomaly_name(shown->type),
               is_error ? "\"level\":\"error\"" : "\"kind\":\"informational\",\"level\":\"none\"");
    put_message(out, esse_arena_format(summary->arena, "%s%s%s", shown->description,
                                       plain ? ". " : "", plain ? plain : ""));
    if (shown->alike)
        esse_out_f(out, ",\"occurrenceCount\":%llu", (unsigned long long)shown->alike);
    put_locations(out, report, shown);
    put_flow(out, report, shown);
    esse_out_char(out, '}');
}

static void put_anomalies(struct esse_summary *summary, const struct esse_report *report,
                          const struct esse_anomaly *anomalies, uint32_t count, bool are_errors)
{
    for (uint32_t i = 0; i < count; i++)
        if (report->verbose || esse_shown_is_first_of_type(anomalies, i))
            put_anomaly(summary, report, &anomalies[i], are_errors);
}

static void put_unknown(struct esse_summary *summary, const struct esse_summary_part *part,
                        const struct esse_verdict *verdict, const char *claim)
{
    struct esse_out *out = &summary->body;
    summary->has_unknown = true;
    begin(out);
    esse_out_f(out, "{\"ruleId\":\"%s\",\"kind\":\"open\",\"level\":\"none\",", unknown_rule);
    put_message(out, esse_arena_format(summary->arena, "%s is unknown %s", claim,
                                       esse_summary_unknown(summary->arena, part, verdict)));
    esse_out_text(out, ",\"locations\":[");
    if (strcmp(part->path, "-") != 0) {
        esse_out_char(out, '{');
        put_place(out, part->path, 0);
        esse_out_char(out, '}');
    }
    esse_out_text(out, "]}");
}

static void put_result(struct esse_summary *summary, const struct esse_summary_part *part)
{
    const struct esse_report *report = part->report;
    const struct esse_result *result = report->result;
    uint32_t count;
    const struct esse_anomaly *found = esse_shown_found(summary->arena, result, &count);
    put_anomalies(summary, report, found, count, true);
    put_anomalies(summary, report, result->also_found, result->also_found_count, false);
    for (uint32_t i = 0; i < result->verdict_count; i++)
        if (result->verdicts[i].outcome == ESSE_UNKNOWN)
            put_unknown(summary, part, &result->verdicts[i],
                        esse_report_claim(summary->arena, &result->verdicts[i]));
}

static void put_error(struct esse_summary *summary, const struct esse_summary_part *part)
{
    struct esse_out *out = &summary->notes;
    begin(out);
    esse_out_text(out, "{\"level\":\"error\",");
    put_message(out, esse_arena_format(summary->arena, "%s: %s", esse_summary_path(part),
                                       esse_summary_error(summary->arena, part)));
    esse_out_text(out, ",\"locations\":[");
    if (strcmp(part->path, "-") != 0) {
        esse_out_char(out, '{');
        put_place(out, part->path, part->error->in_certificate ? 0 : part->error->line);
        esse_out_char(out, '}');
    }
    esse_out_text(out, "]}");
}

void esse_summary_add_sarif(struct esse_summary *summary, const struct esse_summary_part *part)
{
    const struct esse_verdict stopped = esse_summary_stopped(part);
    if (part->report)
        put_result(summary, part);
    for (size_t i = 0; part->stopped && i < part->level_count; i++)
        put_unknown(summary, part, &stopped, part->levels[i]);
    if (part->error)
        put_error(summary, part);
}

/* ---- the document ---- */

static void put_rule(struct esse_out *out, const char *id, const char *what, const char *help)
{
    esse_out_f(out, "{\"id\":\"%s\",\"shortDescription\":{\"text\":", id);
    esse_out_json_text(out, what);
    esse_out_text(out, "},\"help\":{\"text\":");
    esse_out_json_text(out, help);
    esse_out_text(out, "}}");
}

static void put_rules(struct esse_out *out, const struct esse_summary *summary)
{
    const char *before = "";
    for (int type = 0; type < ESSE_ANOMALY_END; type++) {
        if (!summary->found[type])
            continue;
        const struct esse_anomaly_type *row = esse_anomaly_get((enum esse_anomaly_id)type);
        const char *plain = esse_plain_words(summary->arena, NULL, (enum esse_anomaly_id)type);
        esse_out_text(out, before);
        put_rule(out, esse_anomaly_name((enum esse_anomaly_id)type), row->definition,
                 plain ? plain : row->definition);
        before = ",\n";
    }
    if (!summary->has_unknown)
        return;
    esse_out_text(out, before);
    put_rule(out, unknown_rule, "Whether the level holds was not decided.",
             "The message says why, and what can be done about it.");
}

void esse_summary_put_sarif(struct esse_out *out, struct esse_summary *summary)
{
    esse_out_f(out,
               "{\"$schema\":\"%s\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{"
               "\"name\":\"esse\",\"version\":\"%s\",\"rules\":[\n",
               schema, esse_version());
    put_rules(out, summary);
    esse_out_f(out,
               "]}},\n\"columnKind\":\"utf16CodeUnits\",\"invocations\":[{"
               "\"executionSuccessful\":%s,\"toolExecutionNotifications\":[%s]}],\n"
               "\"results\":[\n%s]}]}\n",
               summary->counts.errors ? "false" : "true", esse_out_memory(&summary->notes),
               esse_out_memory(&summary->body));
}
