#include "report/report_evidence.h"

#include "formats/evidence_file.h"

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
