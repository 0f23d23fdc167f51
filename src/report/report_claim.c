#include "report/report_claim.h"

#include "evidence/assumption.h"

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
