#ifndef ESSE_REPORT_REPORT_STATS_H
#define ESSE_REPORT_REPORT_STATS_H

#include "base/out.h"
#include "history/stats.h"

/* What a history looks like, and what it allows to be checked, for people and as JSON. */
void esse_report_stats_text(struct esse_out *out, const char *path,
                            const struct esse_history *history, const struct esse_stats *stats);
void esse_report_stats_json(struct esse_out *out, const char *path,
                            const struct esse_history *history, const struct esse_stats *stats);

#endif
