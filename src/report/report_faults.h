#ifndef ESSE_REPORT_REPORT_FAULTS_H
#define ESSE_REPORT_REPORT_FAULTS_H

#include "base/out.h"
#include "history/history.h"

/* "kill of node 1 from 1.2 s to 1.9 s, pause ...": the first of them, and how many more. */
void esse_report_faults(struct esse_out *out, const struct esse_fault_record *faults,
                        uint32_t count, bool all);

/* One of them, in these words. */
const char *esse_report_fault_words(struct esse_arena *arena,
                                    const struct esse_fault_record *fault);

/* ,"faults":[...] as in the native format; nothing if there were none. */
void esse_report_faults_json(struct esse_out *out, const struct esse_history *history);

#endif
