#include "report/report_parts.h"

#include "base/arena.h"

#include <string.h>

enum {
    NAMES_SHOWN = 3, /* of the anomalies that rule a level out */
    OUTCOME_WIDTH = 8,
};

struct table {
    const struct esse_result *result;
    const char **reasons; /* each once */
    uint32_t reason_count;
    size_t width; /* of the longest name of a level */
};

/* The number of a reason, from 1 on. */
static uint32_t number_of(struct table *table, const char *reason)
{
    uint32_t at = 0;
    while (at < table->reason_count && strcmp(table->reasons[at], reason) != 0)
        at++;
    if (at == table->reason_count)
        table->reasons[table->reason_count++] = reason;
    return at + 1;
}

static bool is_first_of_type(const struct esse_verdict *verdict, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (verdict->anomalies[i].type == verdict->anomalies[at].type)
            return false;
    return true;
}

static void put_types(struct esse_out *out, const struct esse_verdict *verdict)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < verdict->anomaly_count; i++)
        if (is_first_of_type(verdict, i) && shown++ < NAMES_SHOWN)
            esse_out_f(out, "%s%s", shown > 1 ? ", " : "",
                       esse_anomaly_name(verdict->anomalies[i].type));
    if (shown > NAMES_SHOWN)
        esse_out_f(out, " and %u more", shown - NAMES_SHOWN);
}

static void put_ground(struct esse_out *out, struct table *table,
                       const struct esse_verdict *verdict)
{
    const char *reason = esse_reason_text(out->arena, verdict);
    if (verdict->outcome == ESSE_UNKNOWN)
        esse_out_f(out, "[%u]", number_of(table, reason ? reason : "it was not asked"));
    else if (verdict->outcome == ESSE_VIOLATED)
        put_types(out, verdict);
    else if (verdict->order.proves)
        esse_report_put_order(out, &verdict->order);
    if (verdict->certificate)
        esse_out_f(out, ", under the certificate (%s)",
                   esse_certificate_name(verdict->certificate));
}

static void put_padding(struct esse_out *out, size_t used, size_t width)
{
    for (; used < width; used++)
        esse_out_char(out, ' ');
}

static void put_row(struct esse_out *out, const struct esse_report *report, struct table *table,
                    const struct esse_verdict *verdict)
{
    const char *claim = esse_report_claim(out->arena, verdict);
    esse_out_f(out, "  %s", claim);
    put_padding(out, strlen(claim), table->width + 2);
    esse_report_put_outcome(out, report, verdict->outcome);
    put_padding(out, strlen(esse_outcome_name(verdict->outcome)), OUTCOME_WIDTH + 2);
    put_ground(out, table, verdict);
    esse_out_char(out, '\n');
}

void esse_report_table(struct esse_out *out, const struct esse_report *report)
{
    const struct esse_result *result = report->result;
    struct table table = { .result = result };
    uint32_t counts[3] = { 0 };
    table.reasons = esse_arena_alloc(out->arena, result->verdict_count, sizeof *table.reasons);
    for (uint32_t i = 0; i < result->verdict_count; i++) {
        const size_t length = strlen(esse_report_claim(out->arena, &result->verdicts[i]));
        table.width = length > table.width ? length : table.width;
        counts[result->verdicts[i].outcome]++;
    }
    esse_out_f(out, "%s: %u levels: %u hold, %u violated, %u unknown\n", report->path,
               result->verdict_count, counts[ESSE_HOLDS], counts[ESSE_VIOLATED],
               counts[ESSE_UNKNOWN]);
    for (uint32_t i = 0; i < result->verdict_count; i++)
        put_row(out, report, &table, &result->verdicts[i]);
    for (uint32_t i = 0; i < table.reason_count; i++)
        esse_out_f(out, "  [%u] because %s\n", i + 1, table.reasons[i]);
}
