#ifndef ESSE_REPORT_REPORT_CLASSIC_H
#define ESSE_REPORT_REPORT_CLASSIC_H

#include "base/out.h"
#include "history/facts.h"

/* What a checker of a log of operations found, for people and as JSON. */
struct esse_classic_report {
    const char *path, *checker;
    const struct esse_findings *found;
    bool colour;
};

/* Verdict first, then the numbers that matter, then what is wrong and the operations that show it.
 */
void esse_report_classic_text(struct esse_out *out, const struct esse_classic_report *report);

/* One JSON object with all facts, docs/formats.md. */
void esse_report_classic_json(struct esse_out *out, const struct esse_classic_report *report);

#endif
