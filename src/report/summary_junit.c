#include "base/arena.h"
#include "history/value_json.h"
#include "report/report_cycle.h"
#include "report/report_parts.h"
#include "report/report_words.h"
#include "report/summary_kinds.h"

#include <inttypes.h>
#include <string.h>

/*
 * JUnit's XML, as build servers read it: a suite for each history, a case for each level.  A level
 * that is violated is a failure; one that is unknown an error, or skipped where --fail-on lets it
 * pass; a history that could not be checked is a case with an error.
 */

static void put_attribute(struct esse_out *out, const char *name, const char *text)
{
    esse_out_f(out, " %s=\"", name);
    esse_words_xml(out, text);
    esse_out_char(out, '"');
}

/* <failure message="G2-item" type="violated">, what stands in it, and its end. */
static void put_outcome(struct esse_out *out, const char *element, const char *type,
                        const char *message, const char *text)
{
    esse_out_f(out, "      <%s", element);
    put_attribute(out, "message", message);
    if (type)
        put_attribute(out, "type", type);
    esse_out_char(out, '>');
    esse_words_xml_lines(out, text);
    esse_out_f(out, "</%s>\n", element);
}

static void begin_case(struct esse_out *out, const struct esse_summary_part *part, const char *name,
                       double seconds)
{
    esse_out_text(out, "    <testcase");
    put_attribute(out, "name", name);
    put_attribute(out, "classname", esse_summary_path(part));
    esse_out_f(out, " time=\"%.6f\">\n", seconds);
}

static const char *stories(struct esse_arena *arena, const struct esse_report *report,
                           const struct esse_verdict *verdict)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        if (report->verbose || esse_shown_is_first_of_type(verdict->anomalies, i))
            esse_out_f(
                &out, "%s\n",
                esse_summary_story(arena, report, &verdict->anomalies[i], esse_report_put_anomaly));
    return esse_out_memory(&out);
}

static void put_unknown(struct esse_summary *summary, const struct esse_summary_part *part,
                        const struct esse_verdict *verdict)
{
    const char *why = esse_summary_unknown(summary->arena, part, verdict);
    if (part->fails_unknown)
        put_outcome(&summary->body, "error", "unknown", "unknown", why);
    else
        put_outcome(&summary->body, "skipped", NULL, "unknown", why);
}

static void put_case(struct esse_summary *summary, const struct esse_summary_part *part,
                     const struct esse_verdict *verdict, const char *claim)
{
    struct esse_out *out = &summary->body;
    begin_case(out, part, claim, verdict->seconds);
    if (verdict->outcome == ESSE_VIOLATED)
        put_outcome(out, "failure", "violated", esse_summary_types(summary->arena, verdict),
                    stories(summary->arena, part->report, verdict));
    else if (verdict->outcome == ESSE_UNKNOWN)
        put_unknown(summary, part, verdict);
    esse_out_text(out, "    </testcase>\n");
}

static void put_property(struct esse_out *out, const char *name, const char *value)
{
    esse_out_text(out, "      <property");
    put_attribute(out, "name", name);
    put_attribute(out, "value", value);
    esse_out_text(out, "/>\n");
}

static void put_count(struct esse_out *out, const char *name, uint32_t count)
{
    put_property(out, name, esse_arena_format(out->arena, "%" PRIu32, count));
}

static void put_properties(struct esse_out *out, const struct esse_report *report)
{
    const struct esse_history *history = report->history;
    const struct esse_counts counts =
        report->counts ? *report->counts : esse_history_counts(history);
    esse_out_text(out, "    <properties>\n");
    put_property(out, "esse", esse_version());
    put_property(out, "format", history->format);
    put_property(out, "workload", esse_workload_names[history->workload]);
    put_count(out, "sessions", counts.sessions);
    put_count(out, "transactions", counts.transactions);
    put_count(out, "committed", counts.committed);
    put_count(out, "aborted", counts.aborted);
    put_count(out, "unknown", counts.unknown);
    put_count(out, "operations", counts.operations);
    put_count(out, "keys", counts.keys);
    esse_out_text(out, "    </properties>\n");
}

static void put_totals(struct esse_out *out, const struct esse_summary_counts *counts,
                       bool fails_unknown)
{
    const uint64_t errors = counts->errors + (fails_unknown ? counts->unknown : 0);
    esse_out_f(out,
               " tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" errors=\"%" PRIu64
               "\" skipped=\"%" PRIu64 "\"",
               counts->holds + counts->violated + counts->unknown + counts->errors,
               counts->violated, errors, fails_unknown ? 0 : counts->unknown);
}

static void put_cases(struct esse_summary *summary, const struct esse_summary_part *part)
{
    struct esse_out *out = &summary->body;
    const struct esse_result *result = part->report ? part->report->result : NULL;
    const struct esse_verdict stopped = esse_summary_stopped(part);
    for (uint32_t i = 0; result && i < result->verdict_count; i++)
        put_case(summary, part, &result->verdicts[i],
                 esse_report_claim(summary->arena, &result->verdicts[i]));
    for (size_t i = 0; part->stopped && i < part->level_count; i++)
        put_case(summary, part, &stopped, part->levels[i]);
    if (!part->error)
        return;
    begin_case(out, part, "the history can be checked", 0);
    put_outcome(out, "error", "input", part->error->text, esse_summary_error(summary->arena, part));
    esse_out_text(out, "    </testcase>\n");
}

void esse_summary_add_junit(struct esse_summary *summary, const struct esse_summary_part *part)
{
    struct esse_out *out = &summary->body;
    struct esse_summary_counts counts = { 0 };
    esse_summary_count(&counts, part);
    summary->fails_unknown = part->fails_unknown;
    esse_out_text(out, "  <testsuite");
    put_attribute(out, "name", esse_summary_path(part));
    put_totals(out, &counts, part->fails_unknown);
    esse_out_text(out, ">\n");
    if (part->report)
        put_properties(out, part->report);
    put_cases(summary, part);
    esse_out_text(out, "  </testsuite>\n");
}

void esse_summary_put_junit(struct esse_out *out, struct esse_summary *summary)
{
    esse_out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"esse\"");
    put_totals(out, &summary->counts, summary->fails_unknown);
    esse_out_f(out, ">\n%s</testsuites>\n", esse_out_memory(&summary->body));
}
