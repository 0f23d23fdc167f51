#ifndef ESSE_CLI_SUMMARIES_H
#define ESSE_CLI_SUMMARIES_H

#include "cli/cli.h"
#include "report/summary.h"

/*
 * The options --junit, --sarif and --markdown: documents about all histories of one command, each
 * written when all of them were looked at.
 *
 * Life: start -> add* -> write.
 */
struct esse_summary_files {
    const char *junit, *sarif, *markdown;
};

/* clang-format off */
#define ESSE_SUMMARY_OPTIONS(at) \
    { "junit", 0, ESSE_OPT_TEXT, &(at).junit, "FILE", \
      "write the verdicts as JUnit's XML, for build servers" }, \
    { "sarif", 0, ESSE_OPT_TEXT, &(at).sarif, "FILE", \
      "write the anomalies with file and line as SARIF 2.1.0, for code review" }, \
    { "markdown", 0, ESSE_OPT_TEXT, &(at).markdown, "FILE", \
      "write a summary that fits into an issue or the summary of a GitHub job" }
/* clang-format on */

struct esse_summaries {
    const char *path[ESSE_SUMMARIES];
    struct esse_summary *of[ESSE_SUMMARIES]; /* NULL: not wanted */
};

void esse_summaries_start(struct esse_summaries *summaries, struct esse_arena *arena,
                          const struct esse_summary_files *files);

/* Does one of them go to standard output?  Then it is the answer there. */
bool esse_summaries_on_stdout(const struct esse_summary_files *files);

void esse_summaries_add(struct esse_summaries *summaries, const struct esse_summary_part *part);

/* 0, or the exit status of what could not be written. */
int esse_summaries_write(struct esse_summaries *summaries, struct esse_arena *arena);

#endif
