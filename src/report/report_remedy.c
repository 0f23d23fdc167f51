#include "report/report_remedy.h"

#include <string.h>

#define ORDER_IN_RUN                                                                               \
    "in esse run by a database whose log records it (PostgreSQL with wal_level = logical, or "     \
    "--spawn postgresql)"

/* By what the reason of an unknown verdict says. */
static const struct {
    const char *part, *remedy;
} by_reason[] = {
    { "time ran out", "give it more time (--budget), record less (--txns), or ask for a weaker "
                      "level" },
    { "memory ran out", "give it more memory (--memory), record less (--txns), or ask for a weaker "
                        "level" },
    { "while reading (memory)",
      "give it more memory (--memory), record less (--txns), or ask for a weaker "
      "level" },
    { "interrupted", "run it again, with a --budget if it takes too long" },
    { "was to be left out", "leave the anomaly out of --except" },
    { "were named", "leave --anomalies out, or name a level that forbids them" },
    { "outcome",
      "let the database stay reachable until the sessions have ended, so that fewer "
      "outcomes are unknown; or give a log that records them (--certificate, or " ORDER_IN_RUN
      ")" },
};

static const char *by_text(const char *reason)
{
    for (size_t i = 0; i < sizeof by_reason / sizeof *by_reason; i++)
        if (reason && strstr(reason, by_reason[i].part))
            return by_reason[i].remedy;
    return NULL;
}

const char *esse_stopped_remedy(const char *why)
{
    const char *remedy = by_text(why);
    return remedy ? remedy : "give it more time (--budget) or memory (--memory)";
}

/* Nothing ran out: what the history does not say. */
static const char *by_history(const struct esse_history *history)
{
    if (!(history->has & ESSE_HAS_VERSION_ORDER))
        return "give the order of versions: by --certificate or 'version_order' "
               "lines, " ORDER_IN_RUN
               ", by the workload list-append, or by --transaction-order if it is that of the "
               "transactions";
    if (history->has & ESSE_HAS_PREDICATES)
        return "record which rows every statement returned, and let no two rows have had the same "
               "contents (a column that is unique for each write), or ask for a weaker level";
    return "let the workload write every value once only, and no key be deleted and written again, "
           "or ask for a weaker level";
}

const char *esse_report_remedy(const struct esse_report *report, const struct esse_verdict *verdict)
{
    if (verdict->outcome != ESSE_UNKNOWN)
        return NULL;
    if (report->result->too_few_committed)
        return "find out why transactions were refused or never ended ('esse stats' counts them), "
               "let the workload run longer or with less conflict (--duration, --keys, "
               "--sessions), "
               "or ask for less (--min-committed)";
    const char *remedy = by_text(verdict->reason);
    if (remedy)
        return remedy;
    if (verdict->plan && strcmp(verdict->plan, "named by --engine") == 0)
        return "leave --engine out, so that other engines get their turn";
    if (verdict->reason && strstr(verdict->reason, "declare"))
        return "say what the order of the transactions is (--order-by), or check without --stream";
    return by_history(report->history);
}
