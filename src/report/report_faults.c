#include "report/report_parts.h"

enum { SHOWN = 8 }; /* unless all are asked for */

static void put_number(struct esse_out *out, const char *name, int64_t number)
{
    if (number != ESSE_NO_TIME)
        esse_out_f(out, ",\"%s\":%lld", name, (long long)number);
}

static void put_fault(struct esse_out *out, const struct esse_fault_record *fault)
{
    esse_out_text(out, esse_fault_names[fault->kind]);
    if (fault->node != ESSE_NO_TIME)
        esse_out_f(out, " of node %lld", (long long)fault->node);
    esse_out_f(out, " from %.1f s", (double)fault->start * 1e-9);
    if (fault->end != ESSE_NO_TIME)
        esse_out_f(out, " to %.1f s", (double)fault->end * 1e-9);
    else
        esse_out_text(out, " on");
}

const char *esse_report_fault_words(struct esse_arena *arena, const struct esse_fault_record *fault)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    put_fault(&out, fault);
    esse_out_char(&out, '\0');
    return out.buffer;
}

void esse_report_faults(struct esse_out *out, const struct esse_fault_record *faults,
                        uint32_t count, bool all)
{
    const uint32_t shown = all || count < SHOWN ? count : SHOWN;
    for (uint32_t i = 0; i < shown; i++) {
        esse_out_text(out, i ? ", " : "");
        put_fault(out, &faults[i]);
    }
    if (shown < count)
        esse_out_f(out, " and %u more", count - shown);
}

void esse_report_faults_json(struct esse_out *out, const struct esse_history *history)
{
    for (uint32_t i = 0; i < history->fault_count; i++) {
        const struct esse_fault_record *fault = &history->faults[i];
        esse_out_f(out, "%s{\"fault\":\"%s\"", i ? "," : ",\"faults\":[",
                   esse_fault_names[fault->kind]);
        put_number(out, "node", fault->node);
        put_number(out, "start", fault->start);
        put_number(out, "end", fault->end);
        esse_out_char(out, '}');
    }
    if (history->fault_count)
        esse_out_char(out, ']');
}
