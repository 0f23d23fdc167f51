#ifndef ESSE_REPORT_REPORT_PARTS_H
#define ESSE_REPORT_REPORT_PARTS_H

#include "report/report.h"

/* Parts that reports are put together from, each in a file of its name. */

/* ---- report_claim.c ---- */

/* What a verdict is about: the level, "serializable and no G1a" where anomalies were named, and ",
 * assuming that ..." if every one of its anomalies rests on an assumption. */
const char *esse_report_claim(struct esse_arena *arena, const struct esse_verdict *verdict);

/* "holds", in its colour if there are colours. */
void esse_report_put_outcome(struct esse_out *out, const struct esse_report *report,
                             enum esse_outcome outcome);

/* What proves that a level holds: "an order of 3 transactions". */
void esse_report_put_order(struct esse_out *out, const struct esse_order *order);

/* ---- report_text.c ---- */

/* One anomaly as the text has it, after an empty line. */
void esse_report_put_anomaly(struct esse_out *out, const struct esse_report *report,
                             const struct esse_anomaly *anomaly);

/* Of one that esse_shown_told() made: its transactions, the reasons and where they lead. */
void esse_report_put_facts(struct esse_out *out, const struct esse_report *report,
                           const struct esse_anomaly *anomaly);

/* ---- report_svg.c ---- */

/* The picture of one anomaly that esse_shown_told() made, without a heading. */
void esse_report_svg_of(struct esse_out *out, const struct esse_report *report,
                        const struct esse_anomaly *anomaly);

/* ---- report_reason.c ---- */

/* What can be done where a verdict is unknown: an option, a setting, another workload.  A clause;
 * NULL if the verdict is not unknown.  esse_reason_text() says why it is. */
const char *esse_report_remedy(const struct esse_history *history,
                               const struct esse_verdict *verdict);

/* ---- report_table.c ---- */

/*
 * Verdicts on many levels as a table, a row a level: the verdict, and what it rests on.  Reasons
 * why levels are unknown stand below it, each once.
 *
 * Cost: O(levels squared), of which there are some forty.
 */
void esse_report_table(struct esse_out *out, const struct esse_report *report);

/* ---- report_faults.c ---- */

/* "kill of node 1 from 1.2 s to 1.9 s, pause ...": the first of them, and how many more. */
void esse_report_faults(struct esse_out *out, const struct esse_fault_record *faults,
                        uint32_t count, bool all);

/* One of them, in these words. */
const char *esse_report_fault_words(struct esse_arena *arena,
                                    const struct esse_fault_record *fault);

/* ,"faults":[...] as in the native format; nothing if there were none. */
void esse_report_faults_json(struct esse_out *out, const struct esse_history *history);

/* ---- report_plan.c ---- */

/* What the engines did on their way to the verdicts: phases with seconds and counts. */
void esse_report_plan(struct esse_out *out, const struct esse_report *report);

/* The same of one verdict as a member of a JSON object, with a comma before it. */
void esse_report_plan_json(struct esse_out *out, const struct esse_verdict *verdict);

#endif
