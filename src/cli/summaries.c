#include "cli/summaries.h"

#include "base/outfile.h"

#include <string.h>

void esse_summaries_start(struct esse_summaries *summaries, struct esse_arena *arena,
                          const struct esse_summary_files *files)
{
    *summaries = (struct esse_summaries){ .path = { [ESSE_SUMMARY_JUNIT] = files->junit,
                                                    [ESSE_SUMMARY_SARIF] = files->sarif,
                                                    [ESSE_SUMMARY_MARKDOWN] = files->markdown } };
    for (int kind = 0; kind < ESSE_SUMMARIES; kind++)
        if (summaries->path[kind])
            summaries->of[kind] = esse_summary_new(arena, (enum esse_summary_kind)kind);
}

bool esse_summaries_on_stdout(const struct esse_summary_files *files)
{
    return (files->junit && strcmp(files->junit, "-") == 0) ||
           (files->sarif && strcmp(files->sarif, "-") == 0) ||
           (files->markdown && strcmp(files->markdown, "-") == 0);
}

void esse_summaries_add(struct esse_summaries *summaries, const struct esse_summary_part *part)
{
    for (int kind = 0; kind < ESSE_SUMMARIES; kind++)
        if (summaries->of[kind])
            esse_summary_add(summaries->of[kind], part);
}

static int write_one(struct esse_arena *arena, const char *path, struct esse_summary *summary)
{
    struct esse_error err = { 0 };
    struct esse_outfile file;
    if (!esse_outfile_open(&file, arena, path, &err))
        return esse_cli_fail(NULL, &err);
    esse_summary_put(&file.out, summary);
    return esse_outfile_commit(&file, &err) ? 0 : esse_cli_fail(NULL, &err);
}

int esse_summaries_write(struct esse_summaries *summaries, struct esse_arena *arena)
{
    int status = 0;
    for (int kind = 0; kind < ESSE_SUMMARIES && !status; kind++)
        if (summaries->of[kind])
            status = write_one(arena, summaries->path[kind], summaries->of[kind]);
    return status;
}
