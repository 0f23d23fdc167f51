#include "base/arena.h"
#include "cli/session.h"
#include "formats/formats.h"

#include <string.h>

static struct {
    const char *from, *to, *workload;
    bool lossy, quiet;
} o;

static const struct esse_opt options[] = {
    { "format", 'f', ESSE_OPT_TEXT, &o.from, "F", "the input's format (default: recognised)",
      esse_format_choices },
    { "to", 't', ESSE_OPT_TEXT, &o.to, "F", "the output's format (default: by its name)",
      esse_writer_choices },
    { "workload", 'w', ESSE_OPT_TEXT, &o.workload, "W",
      "what the operations are (default: recognised)", esse_workload_choices },
    { "lossy", 0, ESSE_OPT_FLAG, &o.lossy, NULL, "drop what the output's format cannot hold" },
    { "quiet", 'q', ESSE_OPT_FLAG, &o.quiet, NULL, "no warnings, no progress line" },
    { 0 },
};

static const struct esse_format *target_format(const char *path)
{
    const struct esse_format *format = o.to ? esse_format_find(o.to) : esse_format_by_path(path);
    if (!format && !o.to)
        format = esse_format_find("native");
    return format && esse_format_is_written(format) ? format : NULL;
}

static int run_convert(int count, char **paths)
{
    const char *to = count > 1 ? paths[1] : "-";
    const struct esse_format *format = target_format(to);
    struct esse_arena *arena = esse_arena_new();
    if (!format) {
        esse_cli_usage("convert", "'%s' is not a format that can be written; %s are",
                       o.to ? o.to : to, esse_format_names(arena, true));
        esse_arena_free(arena);
        return ESSE_EXIT_USAGE;
    }
    struct esse_session session;
    struct esse_history *history;
    struct esse_error err = { 0 };
    esse_session_start(&session, 0, 0, o.quiet);
    struct esse_load_options load = { o.from, o.workload, &session.budget };
    bool ok = esse_history_load(arena, paths[0], &load, &history, &err);
    esse_session_clear(&session);
    int status;
    if (!ok) {
        status = esse_cli_refuse("convert", paths[0], &err);
    } else {
        esse_session_warn(&session, paths[0], history);
        status = esse_session_save(&session, arena, history, format, to, o.lossy);
    }
    esse_arena_free(arena);
    return status;
}

const struct esse_command esse_command_convert = {
    .name = "convert",
    .operands = "IN [OUT]",
    .summary = "write a history in another format",
    .details =
        "Reads IN and writes it to OUT (default: standard output) in the format that OUT's name "
        "stands for: .edn is Jepsen's, .txt Plume's, .bincode DBCop's, everything else native JSON "
        "Lines. With --to cobra, OUT is a directory. OUT appears whole or not at all.\n\n"
        "What the output's format cannot hold is an error that says what would be lost, unless "
        "--lossy is given. What no verdict depends on (the header, faults, what clocks showed, "
        "members that Esse does not know) is left out with a note.",
    .examples = "  esse convert history.edn history.jsonl\n"
                "  esse convert --to jepsen-edn h.jsonl -\n"
                "  esse convert --to cobra history.txt logs",
    .options = options,
    .least = 1,
    .most = 2,
    .run = run_convert,
};
