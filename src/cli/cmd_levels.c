#include "base/arena.h"
#include "base/outfile.h"
#include "cli/session.h"
#include "level/level.h"
#include "report/lattice.h"

#include <string.h>

static const char name[] = "levels";

static bool as_json, as_dot, as_svg, as_markdown;
static const char *path = "-";

static const struct esse_opt options[] = {
    { "json", 0, ESSE_OPT_FLAG, &as_json, NULL, "print everything known, as JSON" },
    { "dot", 0, ESSE_OPT_FLAG, &as_dot, NULL, "print the lattice as a Graphviz graph" },
    { "svg", 0, ESSE_OPT_FLAG, &as_svg, NULL, "draw the lattice as a picture" },
    /* Empty help, so not shown: it is there to make docs/levels.md. */
    { "markdown", 0, ESSE_OPT_FLAG, &as_markdown, NULL, "" },
    { "output", 'o', ESSE_OPT_TEXT, &path, "FILE",
      "write to this file (default: standard output)" },
    { 0 },
};

/* The whole lattice in the form asked for, or as text. */
static void write_lattice(struct esse_out *out)
{
    if (as_json)
        esse_lattice_json(out);
    else if (as_dot)
        esse_lattice_dot(out);
    else if (as_svg)
        esse_lattice_svg(out);
    else if (as_markdown)
        esse_lattice_markdown(out);
    else
        esse_lattice_text(out);
}

static void write_level(struct esse_out *out, const struct esse_level *level)
{
    if (as_json)
        esse_lattice_level_json(out, level);
    else
        esse_lattice_level_text(out, level);
}

static void write_anomaly(struct esse_out *out, const struct esse_anomaly_type *type)
{
    if (as_json)
        esse_lattice_anomaly_json(out, type);
    else
        esse_lattice_anomaly_text(out, type);
}

static int unknown_name(const char *asked)
{
    const char *guess = esse_level_suggest_any(asked);
    if (!guess)
        return esse_cli_usage(name, "no level or anomaly is called '%s'", asked);
    return esse_cli_usage(name, "no level or anomaly is called '%s'; did you mean '%s'?", asked,
                          guess);
}

/* Exit status: 0, 64 for an unknown name or forms that exclude each other, 74 if writing fails. */
static int run(int count, char **operands)
{
    const char *asked = count ? operands[0] : NULL;
    const struct esse_level *level = asked ? esse_level_find(asked) : NULL;
    const struct esse_anomaly_type *type = asked ? esse_anomaly_find(asked) : NULL;
    if (as_json + as_dot + as_svg + as_markdown > 1)
        return esse_cli_usage(name, "--json, --dot and --svg exclude each other");
    if (asked && !level && !type)
        return unknown_name(asked);
    if (asked && (as_dot || as_svg || as_markdown))
        return esse_cli_usage(name, "a picture is of the whole lattice, not of '%s'", asked);

    if (level)
        esse_session_meant(false, &asked, 1);
    struct esse_arena *arena = esse_arena_new();
    struct esse_outfile file;
    struct esse_error err = { 0 };
    bool ok = esse_outfile_open(&file, arena, path, &err);
    if (ok) {
        if (level)
            write_level(&file.out, level);
        else if (type)
            write_anomaly(&file.out, type);
        else
            write_lattice(&file.out);
        ok = esse_outfile_commit(&file, &err);
    }
    esse_arena_free(arena);
    return ok ? ESSE_EXIT_HOLDS : esse_cli_fail(path, &err);
}

const struct esse_command esse_command_levels = {
    .name = name,
    .operands = "[NAME]",
    .summary = "explain isolation levels and anomalies",
    .details = "Without a name, lists the isolation levels, strongest first, with what each "
               "implies. With the name of a level, gives its definition and source, what it "
               "implies, a small history that it forbids and one that it allows, and databases "
               "that ship it. With the name of an anomaly, gives its definition, an example, and "
               "the levels that it rules out.\n\n"
               "Names are those of Elle and Adya. Others are accepted too, in any case: PL-3, SER, "
               "TCC, READ_COMMITTED; where a name means several levels, the answer says which "
               "one was taken.",
    .examples = "  esse levels                      # list them\n"
                "  esse levels snapshot-isolation   # explain one\n"
                "  esse levels G-single             # what an anomaly means and rules out\n"
                "  esse levels --svg -o levels.svg  # draw the lattice",
    .options = options,
    .least = 0,
    .most = 1,
    .run = run,
};
