#include "formats/evidence_file.h"
#include "report/report.h"

void esse_report_evidence(struct esse_out *out, const struct esse_report *report)
{
    const struct esse_evidence evidence = {
        .history = report->path,
        .transactions = report->history->txns,
        .operations = report->history->ops,
        .verdicts = report->result->verdicts,
        .verdict_count = report->result->verdict_count,
    };
    esse_evidence_write(out, &evidence);
}

void esse_report_bug(struct esse_out *out, const struct esse_report *report, const char *error)
{
    const struct esse_history *history = report->history;
    esse_out_text(out, "{\"esse\":\"bug report\"");
    esse_out_json_member(out, "version", esse_version());
    esse_out_json_member(out, "error", error);
    esse_out_json_member(out, "history", report->path);
    esse_out_json_member(out, "format", history->format);
    esse_out_f(out, ",\"has\":%u,\"sessions\":%u,\"keys\":%u}\n", history->has, history->sessions,
               history->keys);
    if (report->result)
        esse_report_evidence(out, report);
}
