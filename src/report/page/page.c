#include "report/page/page.h"

#include "base/arena.h"
#include "history/show.h"
#include "report/page/page_parts.h"
#include "report/report_cycle.h"
#include "report/report_parts.h"
#include "report/report_words.h"

#include <string.h>

enum { PAGE_LEVELS_ROOM = 150000 }; /* bytes that lattice, plots and their data take, generously */

/* ---- what the sections share ---- */

void page_text(struct esse_out *out, const char *text)
{
    esse_words_xml(out, text);
}

void page_element(struct esse_out *out, const char *name, const char *class, const char *text)
{
    esse_out_f(out, "<%s", name);
    if (class)
        esse_out_f(out, " class=\"%s\"", class);
    esse_out_char(out, '>');
    page_text(out, text);
    esse_out_f(out, "</%s>\n", name);
}

const char *page_shell_word(struct esse_arena *arena, const char *text)
{
    struct esse_out out;
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=+@%-";
    if (*text && strspn(text, plain) == strlen(text))
        return text;
    esse_out_init_memory(&out, arena);
    esse_out_char(&out, '\'');
    for (; *text; text++)
        if (*text == '\'')
            esse_out_text(&out, "'\\''");
        else
            esse_out_char(&out, *text);
    esse_out_char(&out, '\'');
    return esse_out_memory(&out);
}

void page_command(struct esse_out *out, const char *command)
{
    esse_out_text(out, "<p class=\"command\"><code>");
    page_text(out, command);
    esse_out_text(out, "</code><button type=\"button\" class=\"copy\">Copy</button></p>\n");
}

void page_data(struct esse_out *out, const char *id, const char *json)
{
    esse_out_f(out, "<script type=\"application/json\" id=\"%s\">", id);
    for (size_t length; *json; json += length) {
        length = strcspn(json, "<");
        esse_out_bytes(out, json, length);
        if (json[length]) {
            esse_out_text(out, "\\u003c");
            length++;
        }
    }
    esse_out_text(out, "</script>\n");
}

/* ---- the head ---- */

void esse_page_begin(struct esse_out *out, const char *title, enum esse_outcome outcome)
{
    esse_out_f(out,
               "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
               "script-src '%s'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
               "form-action 'none'\">\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
               "<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s: ",
               esse_web_script_hash, esse_outcome_name(outcome));
    page_text(out, title);
    esse_out_f(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header class=\"%s\">\n",
               esse_web_style, esse_outcome_name(outcome));
}

void esse_page_end(struct esse_out *out)
{
    esse_out_f(out, "<footer><p>esse %s</p></footer>\n", esse_version());
    esse_out_f(out, "<script>%s</script>\n</body>\n</html>\n", esse_web_script);
}

/* ---- the verdict ---- */

/* The levels with this outcome: "serializable and snapshot-isolation". */
static const char *claims(struct esse_arena *arena, const struct esse_result *result,
                          enum esse_outcome outcome)
{
    struct esse_out out;
    uint32_t count = 0, at = 0;
    esse_out_init_memory(&out, arena);
    for (uint32_t i = 0; i < result->verdict_count; i++)
        count += result->verdicts[i].outcome == outcome;
    if (count > 4)
        return esse_arena_format(arena, "%u of %u levels", count, result->verdict_count);
    for (uint32_t i = 0; i < result->verdict_count; i++) {
        if (result->verdicts[i].outcome != outcome)
            continue;
        esse_out_f(&out, "%s%s",
                   !at               ? ""
                   : at + 1 == count ? " and "
                                     : ", ",
                   esse_report_claim(arena, &result->verdicts[i]));
        at++;
    }
    return esse_out_memory(&out);
}

static const char *sentence(struct esse_arena *arena, const struct esse_report *report)
{
    const enum esse_outcome outcome = esse_report_outcome(report->result);
    const char *what = claims(arena, report->result, outcome);
    static const char *const sentences[] = {
        [ESSE_HOLDS] = "Yes. What the clients saw is what %s promises.",
        [ESSE_VIOLATED] = "No. What the clients saw cannot happen under %s.",
        [ESSE_UNKNOWN] = "Not decided: whether what the clients saw is what %s promises.",
    };
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    for (const char *c = sentences[outcome]; *c; c++)
        if (c[0] == '%' && c[1] == 's') {
            esse_out_text(&out, what);
            c++;
        } else {
            esse_out_char(&out, *c);
        }
    return esse_out_memory(&out);
}

static void put_fact(struct esse_out *out, const char *name, const char *value)
{
    esse_out_text(out, "<div><dt>");
    page_text(out, name);
    esse_out_text(out, "</dt><dd>");
    page_text(out, value);
    esse_out_text(out, "</dd></div>\n");
}

static void put_count(struct esse_out *out, const char *name, uint64_t count)
{
    char text[32];
    esse_words_count(text, count);
    put_fact(out, name, text);
}

static void put_said(struct esse_out *out, const struct esse_history *history, const char *name,
                     esse_value value)
{
    char room[8];
    if (esse_value_eq(value, ESSE_NONE))
        return;
    const struct esse_span text = esse_value_text(history->values, value, room);
    put_fact(out, name, esse_arena_text(out->arena, text.at, text.length));
}

static void put_facts(struct esse_out *out, const struct esse_report *report)
{
    const struct esse_history *history = report->history;
    const struct esse_counts counts =
        report->counts ? *report->counts : esse_history_counts(history);
    esse_out_text(out, "<dl class=\"facts\">\n");
    put_said(out, history, "database", history->header.db);
    put_said(out, history, "isolation asked of it", history->header.isolation);
    put_fact(out, "format", history->format);
    put_count(out, "committed", counts.committed);
    put_count(out, "aborted", counts.aborted);
    put_count(out, "unknown outcome", counts.unknown);
    put_count(out, "sessions", counts.sessions);
    put_count(out, "operations", counts.operations);
    put_count(out, "keys", counts.keys);
    if (report->result->tested.is_counted) {
        put_count(out, "reads", report->result->tested.reads);
        put_count(out, "contended reads", report->result->tested.contended);
    }
    esse_out_text(out, "</dl>\n");
}

static void put_verdict(struct esse_out *out, const struct esse_report *report,
                        const struct esse_verdict *verdict)
{
    const char *outcome = esse_outcome_name(verdict->outcome);
    const char *reason = esse_reason_text(out->arena, verdict);
    const char *remedy = esse_report_remedy(report->history, verdict);
    esse_out_f(out, "<li data-level=\"");
    page_text(out, esse_level_name(verdict->level));
    esse_out_f(out, "\" data-verdict=\"%s\"><span class=\"outcome %s\">%s</span> ", outcome,
               outcome, outcome);
    page_text(out, esse_report_claim(out->arena, verdict));
    if (reason) {
        esse_out_text(out, "<br><span class=\"why\">because ");
        page_text(out, reason);
        esse_out_text(out, "</span>");
    }
    if (remedy) {
        esse_out_text(out, "<br><span class=\"why\">what you can do: ");
        page_text(out, remedy);
        esse_out_text(out, "</span>");
    }
    esse_out_text(out, "</li>\n");
}

static void put_warnings(struct esse_out *out, const struct esse_history *history)
{
    for (uint32_t i = 0; i < history->warning_count; i++)
        page_element(out, "p", "warning", history->warnings[i].text);
}

static void put_summary(struct esse_out *out, const struct esse_report *report)
{
    page_element(out, "p", "path", report->path);
    page_element(out, "h1", NULL, sentence(out->arena, report));
    esse_out_text(out, "<ul class=\"verdicts\">\n");
    for (uint32_t i = 0; i < report->result->verdict_count; i++)
        put_verdict(out, report, &report->result->verdicts[i]);
    esse_out_text(out, "</ul>\n");
    put_facts(out, report);
    if (report->history->fault_count) {
        esse_out_text(out, "<p class=\"faults\">Recorded under faults: ");
        struct esse_out faults;
        esse_out_init_memory(&faults, out->arena);
        esse_report_faults(&faults, report->history->faults, report->history->fault_count, false);
        page_text(out, esse_out_memory(&faults));
        esse_out_text(out, "</p>\n");
    }
    put_warnings(out, report->history);
    esse_out_text(out, "</header>\n");
}

/* ---- how it was decided ---- */

static void put_phases(struct esse_out *out, const struct esse_verdict *verdict)
{
    if (!verdict->phase_count)
        return;
    esse_out_text(out, "<table><thead><tr><th>phase</th><th>seconds</th><th>counts</th></tr>"
                       "</thead><tbody>\n");
    for (uint32_t i = 0; i < verdict->phase_count; i++) {
        const struct esse_phase *phase = &verdict->phases[i];
        esse_out_f(out, "<tr><td>%s</td><td class=\"number\">%.3f</td><td>", phase->name,
                   phase->seconds);
        for (unsigned c = 0; c < ESSE_PHASE_COUNTS && phase->counts[c].what; c++) {
            char text[32];
            esse_words_count(text, phase->counts[c].count);
            esse_out_f(out, "%s%s %s", c ? ", " : "", text, phase->counts[c].what);
        }
        esse_out_text(out, "</td></tr>\n");
    }
    esse_out_text(out, "</tbody></table>\n");
}

static void put_decision(struct esse_out *out, const struct esse_verdict *verdict)
{
    esse_out_text(out, "<li><p><strong>");
    page_text(out, esse_report_claim(out->arena, verdict));
    esse_out_f(out, "</strong>: %s, by the engine <code>%s</code> in %.3f s: ",
               esse_outcome_name(verdict->outcome), verdict->engine, verdict->seconds);
    page_text(out, verdict->plan);
    esse_out_text(out, ".</p>\n<p>Evidence: ");
    page_text(out, esse_evidence_name(verdict->evidence));
    if (verdict->outcome == ESSE_HOLDS && verdict->order.proves) {
        esse_out_text(out, ", ");
        esse_report_put_order(out, &verdict->order);
        esse_out_f(out, " that proves %s", esse_level_name(verdict->order.proves));
    }
    esse_out_text(out, verdict->rechecked ? ", rechecked from the history and the level's "
                                            "definition alone.</p>\n"
                                          : ", not rechecked.</p>\n");
    if (verdict->certificate)
        esse_out_f(out, "<p>Under the certificate of the database (%s).</p>\n",
                   esse_certificate_name(verdict->certificate));
    put_phases(out, verdict);
    esse_out_text(out, "</li>\n");
}

static void put_decisions(struct esse_out *out, const struct esse_report *report,
                          const struct esse_page_options *options)
{
    esse_out_text(out, "<section id=\"how\">\n<h2>How it was decided</h2>\n<ul class=\"plain\">\n");
    for (uint32_t i = 0; i < report->result->verdict_count; i++)
        put_decision(out, &report->result->verdicts[i]);
    esse_out_text(out, "</ul>\n");
    if (options->evidence) {
        esse_out_text(out, "<p>The evidence is in a file of its own; this checks it again:</p>\n");
        page_command(out, esse_arena_format(out->arena, "esse verify %s %s",
                                            page_shell_word(out->arena, report->path),
                                            page_shell_word(out->arena, options->evidence)));
    }
    esse_out_text(out, "</section>\n");
}

/* ---- the document ---- */

/* Nothing but the timeline can be large, so it has the room that the rest leaves. */
static void put_all(struct esse_out *out, const struct esse_report *report,
                    const struct esse_page_options *options)
{
    struct esse_out how;
    esse_out_init_memory(&how, out->arena);
    put_decisions(&how, report, options);
    esse_page_begin(out, report->path, esse_report_outcome(report->result));
    put_summary(out, report);
    esse_out_text(out, "<main>\n");
    page_anomalies(out, report);
    const uint64_t taken = out->count + how.count + strlen(esse_web_script) + PAGE_LEVELS_ROOM;
    page_timeline(out, report,
                  !options->limit          ? 0
                  : options->limit > taken ? options->limit - taken
                                           : 1);
    page_plots(out, report);
    page_levels(out, report);
    esse_out_bytes(out, how.buffer, how.count);
    esse_out_text(out, "</main>\n");
    esse_page_end(out);
}

void esse_page_put(struct esse_out *out, const struct esse_report *report,
                   const struct esse_page_options *options)
{
    struct esse_report bare = *report;
    struct esse_out page;
    bare.colour = false;
    bare.plain = false;
    esse_out_init_memory(&page, out->arena);
    put_all(&page, &bare, options);
    esse_out_bytes(out, page.buffer, page.count);
}
