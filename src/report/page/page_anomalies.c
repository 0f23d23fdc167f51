#include "base/arena.h"
#include "level/plain.h"
#include "report/page/page_parts.h"
#include "report/report_cycle.h"
#include "report/report_parts.h"
#include "report/report_plain.h"
#include "report/report_words.h"

#include <string.h>

enum { SHOWN = 20 };

static const char *facts(struct esse_arena *arena, const struct esse_report *report,
                         const struct esse_anomaly *anomaly)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_report_put_facts(&out, report, anomaly);
    return esse_out_memory(&out);
}

/* "In plain words: A ..." begins with what the heading says already. */
static const char *plain_words(struct esse_arena *arena, const struct esse_report *report,
                               enum esse_anomaly_id type)
{
    static const char begin[] = "In plain words: ";
    const char *words = esse_plain_words(arena, report->history, type);
    return words && strncmp(words, begin, sizeof begin - 1) == 0 ? words + sizeof begin - 1 : words;
}

static void put_commands(struct esse_out *out, const struct esse_report *report)
{
    const struct esse_verdict *verdict = esse_shown_fullest(report->result);
    if (!verdict || verdict->level == ESSE_LEVEL_NONE || strcmp(report->path, "-") == 0)
        return;
    const char *path = page_shell_word(out->arena, report->path);
    const char *level = esse_level_name(verdict->level);
    esse_out_text(out, "<p>To see it again, and to make the smallest history that shows it:</p>\n");
    page_command(out, esse_arena_format(out->arena, "esse check --level %s %s", level, path));
    page_command(out, esse_arena_format(out->arena, "esse shrink --level %s -o small.jsonl %s",
                                        level, path));
}

static void put_anomaly(struct esse_out *out, const struct esse_report *report,
                        const struct esse_anomaly *anomaly, uint32_t number)
{
    const struct esse_anomaly *shown = esse_shown_told(out->arena, anomaly);
    const char *name = esse_anomaly_name(shown->type);
    const char *plain = plain_words(out->arena, report, shown->type);
    esse_out_f(out, "<article id=\"anomaly-%u\" data-type=\"%s\">\n<h3>", number, name);
    page_text(out, shown->description);
    esse_out_text(out, "</h3>\n<p class=\"formal\" title=\"");
    page_text(out, esse_anomaly_get(shown->type)->definition);
    esse_out_f(out, "\">%s", name);
    if (shown->alike > 1)
        esse_out_f(out, ", and %llu more of this kind", (unsigned long long)shown->alike - 1);
    esse_out_text(out, "</p>\n");
    if (plain)
        page_element(out, "p", "words", plain);
    esse_out_text(out, "<div class=\"picture\" tabindex=\"0\">\n");
    esse_report_svg_of(out, report, shown);
    esse_out_text(out, "</div>\n<details open><summary>The transactions, and why</summary>\n");
    esse_out_text(out, "<pre tabindex=\"0\">");
    esse_words_xml_lines(out, facts(out->arena, report, shown));
    esse_out_text(out, "</pre>\n</details>\n</article>\n");
}

/* The first of each type; that a stronger level cannot be had is no anomaly to be shown. */
static void put_list(struct esse_out *out, const struct esse_report *report,
                     const struct esse_anomaly *anomalies, uint32_t count, bool are_allowed,
                     uint32_t *number)
{
    for (uint32_t i = 0; i < count && *number < SHOWN; i++) {
        if (!report->verbose && !esse_shown_is_first_of_type(anomalies, i))
            continue;
        if (are_allowed && esse_shown_is_refutation(&anomalies[i]))
            page_element(out, "p", NULL,
                         esse_arena_format(out->arena, "What the clients saw is not %s.",
                                           esse_level_failing_by(anomalies[i].type)->friendly));
        else
            put_anomaly(out, report, &anomalies[i], ++*number);
    }
}

void page_anomalies(struct esse_out *out, const struct esse_report *report)
{
    const struct esse_result *result = report->result;
    uint32_t count, number = 0;
    const struct esse_anomaly *found = esse_shown_found(out->arena, result, &count);
    if (count) {
        esse_out_text(out, "<section id=\"anomalies\">\n<h2>What went wrong</h2>\n");
        put_list(out, report, found, count, false, &number);
        put_commands(out, report);
        esse_out_text(out, "</section>\n");
    }
    if (!result->also_found_count)
        return;
    esse_out_text(out, "<section id=\"allowed\">\n<h2>Beyond the levels asked for"
                       "</h2>\n");
    put_list(out, report, result->also_found, result->also_found_count, true, &number);
    esse_out_text(out, "</section>\n");
}
