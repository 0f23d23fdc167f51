#include "base/arena.h"
#include "history/show.h"
#include "report/report.h"

#include <string.h>

enum { OPS_SHOWN = 8 };

static const char *const outcome_words[] = { "holds", "violated", "unknown" };
static const char *const outcome_colours[] = { "\033[32m", "\033[31m", "\033[33m" };

enum esse_outcome esse_report_outcome(const struct esse_result *result)
{
    enum esse_outcome worst = ESSE_HOLDS;
    for (uint32_t i = 0; i < result->verdict_count; i++) {
        enum esse_outcome outcome = result->verdicts[i].outcome;
        if (outcome == ESSE_VIOLATED || (outcome == ESSE_UNKNOWN && worst == ESSE_HOLDS))
            worst = outcome;
    }
    return worst;
}

static void put_verdict(struct esse_out *out, const struct esse_report *report,
                        const struct esse_verdict *verdict)
{
    esse_out_f(out, "%s: %s%s%s %s\n", report->path,
               report->colour ? outcome_colours[verdict->outcome] : "",
               outcome_words[verdict->outcome], report->colour ? "\033[0m" : "", verdict->level);
    if (verdict->reason)
        esse_out_f(out, "  because %s\n", verdict->reason);
    if (report->verbose)
        esse_out_f(out, "  engine %s: %s (%.3f s)\n", verdict->engine, verdict->plan,
                   verdict->seconds);
}

static const char *status_word(unsigned status)
{
    static const char *const words[] = { "", ", aborted", ", outcome unknown" };
    return words[status];
}

/* "  1/3   session 1, line 12: r x = 1, w x = 2" */
static void put_txn(struct esse_out *out, const struct esse_history *history, esse_txn txn)
{
    char name[64];
    esse_txn_name(history, txn, name, sizeof name);
    esse_out_f(out, "    %-8s session ", name);
    esse_show_value(out, history, history->session_name[history->txn_session[txn.ix]]);
    if (history->txn_line[txn.ix])
        esse_out_f(out, ", line %u", history->txn_line[txn.ix]);
    if (history->txn_time) {
        struct esse_interval time = history->txn_time[txn.ix];
        if (time.begin != ESSE_NO_TIME && time.end != ESSE_NO_TIME)
            esse_out_f(out, ", time %lld to %lld", (long long)time.begin, (long long)time.end);
    }
    esse_out_f(out, "%s: ", status_word(history->txn_status[txn.ix]));
    uint32_t first = history->txn_op[txn.ix], end = history->txn_op[txn.ix + 1];
    for (uint32_t op = first; op < end; op++) {
        if (op - first == OPS_SHOWN) {
            esse_out_f(out, ", … %u more", end - op);
            break;
        }
        esse_out_text(out, op > first ? ", " : "");
        esse_show_op(out, history, (esse_op){ op });
    }
    esse_out_char(out, '\n');
}

static bool told_before(const struct esse_anomaly *anomaly, uint32_t step)
{
    for (uint32_t i = 0; i < step; i++)
        if (anomaly->steps[i].txn.ix == anomaly->steps[step].txn.ix)
            return true;
    return false;
}

static void put_anomaly(struct esse_out *out, const struct esse_report *report,
                        const struct esse_anomaly *anomaly)
{
    const char *bold = report->colour ? "\033[1m" : "", *plain = report->colour ? "\033[0m" : "";
    esse_out_f(out, "\n  %s%s%s: %s\n", bold, anomaly->type, plain, anomaly->description);
    for (uint32_t i = 0; i < anomaly->step_count; i++)
        if (!told_before(anomaly, i))
            put_txn(out, report->history, anomaly->steps[i].txn);
    for (uint32_t i = 0; i < anomaly->step_count; i++)
        esse_out_f(out, "    %u. %s\n", i + 1, anomaly->steps[i].why);
}

/* One occurrence of each type, or all that were kept. */
static void put_anomalies(struct esse_out *out, const struct esse_report *report,
                          const struct esse_verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        if (report->verbose || i == 0 ||
            strcmp(verdict->anomalies[i].type, verdict->anomalies[i - 1].type) != 0)
            put_anomaly(out, report, &verdict->anomalies[i]);
    if (verdict->anomalies_seen > 1)
        esse_out_f(out, "\n  %llu occurrences in all%s\n",
                   (unsigned long long)verdict->anomalies_seen,
                   report->verbose ? "" : "; --verbose shows more of them");
}

/* The anomalies of the first verdict that has the most: with several levels they overlap. */
static const struct esse_verdict *fullest(const struct esse_result *result)
{
    const struct esse_verdict *best = NULL;
    for (uint32_t i = 0; i < result->verdict_count; i++)
        if (result->verdicts[i].anomaly_count &&
            (!best || result->verdicts[i].anomaly_count > best->anomaly_count))
            best = &result->verdicts[i];
    return best;
}

static void put_names(struct esse_out *out, const char *label, const char *const *names,
                      uint32_t count)
{
    if (!count)
        return;
    esse_out_f(out, "  %s", label);
    for (uint32_t i = 0; i < count; i++)
        esse_out_f(out, "%s%s", i ? ", " : " ", names[i]);
    esse_out_char(out, '\n');
}

/* What was found but does not count against the levels asked for: each type once. */
static void put_also_found(struct esse_out *out, const struct esse_report *report)
{
    const struct esse_result *result = report->result;
    if (!result->also_found_count)
        return;
    esse_out_text(out, "  also found, and allowed by the levels asked for:");
    for (uint32_t i = 0; i < result->also_found_count; i++)
        if (!i || strcmp(result->also_found[i].type, result->also_found[i - 1].type) != 0)
            esse_out_f(out, "%s%s", i ? ", " : " ", result->also_found[i].type);
    esse_out_char(out, '\n');
    for (uint32_t i = 0; report->verbose && i < result->also_found_count; i++)
        put_anomaly(out, report, &result->also_found[i]);
}

void esse_report_text(struct esse_out *out, const struct esse_report *report)
{
    const struct esse_result *result = report->result;
    for (uint32_t i = 0; i < result->verdict_count; i++)
        put_verdict(out, report, &result->verdicts[i]);
    const struct esse_verdict *verdict = fullest(result);
    put_names(out, "ruled out, with all that implies them:", result->not_levels, result->not_count);
    if (verdict)
        put_anomalies(out, report, verdict);
    put_also_found(out, report);
    put_names(out, "strongest:", result->strongest, result->strongest_count);
}
