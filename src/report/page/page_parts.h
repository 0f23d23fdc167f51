#ifndef ESSE_REPORT_PAGE_PAGE_PARTS_H
#define ESSE_REPORT_PAGE_PAGE_PARTS_H

#include "level/level.h"
#include "report/page/page.h"

/* The sections of a page, each in a file of its name. */

/* Made by tools/inline-web of what is in web/report. */
extern const char esse_web_style[], esse_web_script[], esse_web_script_hash[];

/* The contents of an element or attribute. */
void page_text(struct esse_out *out, const char *text);

/* <NAME class="CLASS">TEXT</NAME> and a line's end; no class if it is NULL. */
void page_element(struct esse_out *out, const char *name, const char *class, const char *text);

/* A command to be copied, with its button. */
void page_command(struct esse_out *out, const char *command);

/* A text as one word of a shell's command. */
const char *page_shell_word(struct esse_arena *arena, const char *text);

/* JSON as data of the page: "<" cannot end the element. */
void page_data(struct esse_out *out, const char *id, const char *json);

enum page_state { PAGE_NOT_ASKED, PAGE_HOLDS, PAGE_VIOLATED, PAGE_UNKNOWN };

void page_levels(struct esse_out *out, const struct esse_report *report);
void page_anomalies(struct esse_out *out, const struct esse_report *report);
/* 'limit': bytes of its data; 0: none. */
void page_timeline(struct esse_out *out, const struct esse_report *report, uint64_t limit);
void page_plots(struct esse_out *out, const struct esse_report *report);

#endif
