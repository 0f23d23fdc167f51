#include "report/report_parts.h"

#include <string.h>

static void put_phase(struct esse_out *out, const struct esse_phase *phase)
{
    esse_out_f(out, "    %-12s %8.3f s", phase->name, phase->seconds);
    for (int i = 0; i < ESSE_PHASE_COUNTS && phase->counts[i].what; i++)
        esse_out_f(out, "%s%llu %s", i ? ", " : "  ", (unsigned long long)phase->counts[i].count,
                   phase->counts[i].what);
    esse_out_char(out, '\n');
}

void esse_report_plan(struct esse_out *out, const struct esse_report *report)
{
    for (uint32_t i = 0; i < report->result->verdict_count; i++) {
        const struct esse_verdict *verdict = &report->result->verdicts[i];
        esse_out_f(out, "  %s: engine %s, %.3f s: %s\n", esse_level_name(verdict->level),
                   verdict->engine, verdict->seconds, verdict->plan);
        for (uint32_t p = 0; p < verdict->phase_count; p++)
            put_phase(out, &verdict->phases[p]);
    }
}

void esse_report_plan_json(struct esse_out *out, const struct esse_verdict *verdict)
{
    esse_out_text(out, ",\"phases\":[");
    for (uint32_t p = 0; p < verdict->phase_count; p++) {
        const struct esse_phase *phase = &verdict->phases[p];
        esse_out_text(out, p ? ",{\"name\":" : "{\"name\":");
        esse_out_json_text(out, phase->name);
        esse_out_f(out, ",\"seconds\":%.6f,\"counts\":{", phase->seconds);
        for (int i = 0; i < ESSE_PHASE_COUNTS && phase->counts[i].what; i++) {
            esse_out_text(out, i ? "," : "");
            esse_out_json_text(out, phase->counts[i].what);
            esse_out_f(out, ":%llu", (unsigned long long)phase->counts[i].count);
        }
        esse_out_text(out, "}}");
    }
    esse_out_char(out, ']');
}
