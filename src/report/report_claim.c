#include "report/report_claim.h"

#include "evidence/assumption.h"
#include "evidence/replay.h"

static bool is_assuming(const struct esse_verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        if (!esse_anomaly_assumes(&verdict->anomalies[i], NULL))
            return false;
    return verdict->assumed_count > 0;
}

const char *esse_report_claim(struct esse_arena *arena, const struct esse_verdict *verdict)
{
    struct esse_out out;
    const bool is_none = strcmp(verdict->level, "none") == 0;
    esse_out_init_memory(&out, arena);
    esse_out_text(&out, is_none ? "" : verdict->level);
    for (uint32_t i = 0; i < verdict->named_count; i++)
        esse_out_f(&out, "%s%s", i ? ", " : is_none ? "no " : " and no ", verdict->named[i]);
    for (uint32_t i = 0; is_assuming(verdict) && i < verdict->assumed_count; i++) {
        const struct esse_assumption_words *at = esse_assumption_find(verdict->assumed[i]);
        esse_out_f(&out, "%s%s", i ? " and that " : ", assuming that ",
                   at ? at->words : verdict->assumed[i]);
    }
    return esse_out_memory(&out);
}

void esse_report_put_outcome(struct esse_out *out, const struct esse_report *report,
                             enum esse_outcome outcome)
{
    static const char *const colours[] = { "\033[1;32m", "\033[1;31m", "\033[1;33m" };
    esse_out_f(out, "%s%s%s", report->colour ? colours[outcome] : "", esse_outcome_name(outcome),
               report->colour ? "\033[0m" : "");
}

void esse_report_put_order(struct esse_out *out, const struct esse_order *order)
{
    const uint32_t count = order->has_starts ? order->count / 2 : order->count;
    esse_out_f(out, "%s of %u %s%s",
               order->has_starts ? "an order of the snapshots and commits"
               : esse_replay_proves(esse_level_get(order->proves), order->has_starts)
                   ? "an order"
                   : "a commit order",
               count, order->of_accesses ? "operation" : "transaction", count == 1 ? "" : "s");
}
