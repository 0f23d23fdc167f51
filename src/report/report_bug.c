#include "report/report_bug.h"

#include "report/report_evidence.h"

#include <string.h>

static void put(struct esse_out *out, const char *name, const char *text)
{
    esse_out_f(out, ",\"%s\":", name);
    esse_out_json(out, text, strlen(text));
}

void esse_report_bug(struct esse_out *out, const struct esse_report *report, const char *error)
{
    const struct esse_history *history = report->history;
    esse_out_text(out, "{\"esse\":\"bug report\"");
    put(out, "version", esse_version());
    put(out, "error", error);
    put(out, "history", report->path);
    put(out, "format", history->format);
    esse_out_f(out, ",\"has\":%u,\"sessions\":%u,\"keys\":%u}\n", history->has, history->sessions,
               history->keys);
    if (report->result)
        esse_report_evidence(out, report);
}
