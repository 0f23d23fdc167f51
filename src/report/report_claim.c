#include "report/report_parts.h"

#include "base/names.h"
#include "evidence/recheck.h"
#include "evidence/replay.h"

static bool is_assuming(const struct esse_verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        if (!esse_anomaly_assumes(&verdict->anomalies[i]))
            return false;
    return verdict->assumed != 0;
}

const char *esse_report_claim(struct esse_arena *arena, const struct esse_verdict *verdict)
{
    struct esse_out out;
    const bool is_none = verdict->level == ESSE_LEVEL_NONE;
    esse_out_init_memory(&out, arena);
    esse_out_text(&out, is_none ? "" : esse_level_name(verdict->level));
    for (uint32_t i = 0; i < verdict->named_count; i++)
        esse_out_f(&out, "%s%s",
                   i         ? ", "
                   : is_none ? "no "
                             : " and no ",
                   esse_anomaly_name(verdict->named[i]));
    const char *before = ", assuming that ";
    for (int basis = 1; is_assuming(verdict) && basis < ESSE_BASIS_INITIAL_STATE; basis++)
        if (verdict->assumed & 1u << basis) {
            esse_out_f(&out, "%s%s", before, esse_basis_words((enum esse_basis)basis));
            before = " and that ";
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
