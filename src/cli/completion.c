#include "cli/manual.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/vec.h"
#include "generate/execute.h"
#include "generate/gen.h"
#include "level/level.h"

#include <assert.h>
#include <string.h>

/* ---- What can stand at a place -------------------------------------------------------------- */

ESSE_VEC(word_vec, const char *)

/* Files, or words, or (numbers, durations) nothing that a shell could know. */
struct values {
    bool is_files;
    bool is_list; /* several of the words, separated by commas */
    struct word_vec words;
};

static void add_word(struct values *values, struct esse_arena *arena, const char *word)
{
    assert(*word);
    for (size_t i = 0; i < values->words.count; i++)
        if (strcmp(values->words.at[i], word) == 0)
            return;
    word_vec_push(&values->words, arena, word);
}

static void add_words(struct values *values, struct esse_arena *arena, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        add_word(values, arena, words[i]);
}

static void add_levels(struct values *values, struct esse_arena *arena)
{
    for (size_t i = 0; i < esse_level_count(); i++)
        add_word(values, arena, esse_level_at(i)->friendly);
}

static void add_anomalies(struct values *values, struct esse_arena *arena)
{
    for (size_t i = 0; i < esse_anomaly_count(); i++)
        add_word(values, arena, esse_anomaly_at(i)->name);
}

static void add_plants(struct values *values, struct esse_arena *arena)
{
    add_word(values, arena, "help");
    for (const struct esse_gen_anomaly *row = esse_gen_anomalies; row->name; row++)
        add_word(values, arena, row->name);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static struct values option_values(struct esse_arena *arena, const struct esse_opt *opt)
{
    struct values values = { 0 };
    if (!opt->argument)
        return values;
    values.is_list = strchr(opt->argument, ',') != NULL;
    if (opt->choices)
        add_words(&values, arena, opt->choices);
    else if (strcmp(opt->name, "level") == 0)
        add_levels(&values, arena);
    else if (strcmp(opt->name, "anomaly") == 0)
        add_plants(&values, arena);
    else
        values.is_files = starts_with(opt->argument, "FILE") || starts_with(opt->argument, "OUT") ||
                          starts_with(opt->argument, "DIR");
    return values;
}

static struct values operand_values(struct esse_arena *arena, const struct esse_command *command)
{
    struct values values = { 0 };
    if (starts_with(command->operands, "WORKLOAD")) {
        for (size_t i = 0; esse_workloads[i]; i++)
            if (esse_store_can(esse_workloads[i]->needs))
                add_word(&values, arena, esse_workloads[i]->name);
    } else if (starts_with(command->operands, "[NAME]")) {
        add_levels(&values, arena);
        add_anomalies(&values, arena);
    } else {
        values.is_files = *command->operands != 0;
    }
    return values;
}

/* ---- What the three scripts have in common --------------------------------------------------- */

static const char notice[] = "Made by 'make docs' from the tables in src/cli: do not edit.";

/* Commands and options that help does not show are not completed either. */
static const struct esse_command *next_command(size_t *at)
{
    while (esse_commands[*at] && !esse_manual_has(esse_commands[*at]))
        ++*at;
    return esse_commands[*at] ? esse_commands[(*at)++] : NULL;
}

static const struct esse_opt *next_option(const struct esse_opt **at)
{
    while ((*at)->name && !((*at)->help && *(*at)->help))
        ++*at;
    return (*at)->name ? (*at)++ : NULL;
}

static void put_words(struct esse_out *out, const struct values *values)
{
    for (size_t i = 0; i < values->words.count; i++)
        esse_out_f(out, "%s%s", i ? " " : "", values->words.at[i]);
}

static void put_commands(struct esse_out *out)
{
    size_t at = 0;
    const char *space = "";
    for (const struct esse_command *command; (command = next_command(&at)); space = " ")
        esse_out_f(out, "%s%s", space, command->name);
}

/* Text inside quotes; a character of 'special' is put after 'escape'. */
static void put_quoted(struct esse_out *out, const char *text, const char *special,
                       const char *escape)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            esse_out_text(out, escape);
        esse_out_char(out, *text);
    }
}

/* ---- bash ----------------------------------------------------------------------------------- */

static const char bash_start[] =
    "# The names among $1 that the word could become.\n"
    "_esse_words() {\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n\n"
    "# The same for the last name of a comma-separated list.\n"
    "_esse_list() {\n"
    "    local before=\n"
    "    [[ $cur == *,* ]] && before=${cur%,*},\n"
    "    mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\")\n"
    "}\n\n"
    "_esse_files() {\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "}\n\n"
    "_esse() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    COMPREPLY=()\n"
    "    # bash takes --name=value apart: three words.\n"
    "    [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    [[ $cur == = ]] && cur=\n";

static void bash_values(struct esse_out *out, const struct values *values)
{
    if (values->is_files) {
        esse_out_text(out, "_esse_files");
    } else if (values->words.count) {
        esse_out_text(out, values->is_list ? "_esse_list '" : "_esse_words '");
        put_words(out, values);
        esse_out_char(out, '\'');
    } else {
        esse_out_char(out, ':');
    }
}

static void bash_option_values(struct esse_out *out, const struct esse_command *command)
{
    const struct esse_opt *at = command->options;
    for (const struct esse_opt *opt; (opt = next_option(&at));) {
        if (!opt->argument)
            continue;
        struct values values = option_values(out->arena, opt);
        esse_out_f(out, "    %s,--%s", command->name, opt->name);
        if (opt->letter)
            esse_out_f(out, " | %s,-%c", command->name, opt->letter);
        esse_out_text(out, ") ");
        bash_values(out, &values);
        esse_out_text(out, " ;;\n");
    }
}

static void bash_command(struct esse_out *out, const struct esse_command *command)
{
    const struct esse_opt *at = command->options;
    struct values values = operand_values(out->arena, command);
    esse_out_f(out, "    %s,*,-*) _esse_words '", command->name);
    for (const struct esse_opt *opt; (opt = next_option(&at));)
        esse_out_f(out, "--%s ", opt->name);
    esse_out_f(out, "--help' ;;\n    %s,*) ", command->name);
    bash_values(out, &values);
    esse_out_text(out, " ;;\n");
}

/* One 'case' over command,previous and then command,previous,current: the first that fits. */
static void write_bash(struct esse_out *out)
{
    const struct esse_command *command;
    esse_out_f(out, "# Completion of esse in bash.  %s\n\n%s", notice, bash_start);
    esse_out_text(out, "    if ((COMP_CWORD == 1)); then\n        _esse_words '");
    put_commands(out);
    esse_out_text(out, " help --help --version'\n        return\n    fi\n"
                       "    case ${COMP_WORDS[1]},$prev in\n    help,*) _esse_words '");
    put_commands(out);
    esse_out_text(out, "' ;;\n");
    for (size_t at = 0; (command = next_command(&at));)
        bash_option_values(out, command);
    esse_out_text(out, "    *) _esse_command ;;\n    esac\n}\n\n"
                       "# Where no value of an option is due.\n"
                       "_esse_command() {\n    case ${COMP_WORDS[1]},$prev,$cur in\n");
    for (size_t at = 0; (command = next_command(&at));)
        bash_command(out, command);
    esse_out_text(out, "    esac\n}\n\ncomplete -F _esse esse\n");
}

/* ---- zsh ------------------------------------------------------------------------------------ */

/* ":what:how" behind an option or operand. */
static void zsh_values(struct esse_out *out, const char *argument, const struct values *values)
{
    esse_out_char(out, ':');
    put_quoted(out, argument, ":\\", "\\");
    if (values->is_files) {
        esse_out_text(out, ":_files'");
    } else if (values->words.count) {
        esse_out_text(out, values->is_list ? ":{_values -s , name " : ":(");
        put_words(out, values);
        esse_out_text(out, values->is_list ? "}'" : ")'");
    } else {
        esse_out_text(out, ": '");
    }
}

static void zsh_option(struct esse_out *out, const struct esse_opt *opt)
{
    const char *plus = opt->argument ? "+" : "", *equals = opt->argument ? "=" : "";
    esse_out_text(out, "            '");
    if (opt->letter)
        esse_out_f(out, "(-%c --%s)'{-%c%s,--%s%s}'[", opt->letter, opt->name, opt->letter, plus,
                   opt->name, equals);
    else
        esse_out_f(out, "--%s%s[", opt->name, equals);
    for (const char *at = opt->help; *at; at++) {
        if (*at == '\'')
            esse_out_text(out, "'\\''");
        else
            esse_out_f(out, "%s%c", strchr("[]\\", *at) ? "\\" : "", *at);
    }
    esse_out_char(out, ']');
    if (opt->argument) {
        struct values values = option_values(out->arena, opt);
        zsh_values(out, opt->argument, &values);
    } else {
        esse_out_char(out, '\'');
    }
    esse_out_text(out, " \\\n");
}

static void zsh_command(struct esse_out *out, const struct esse_command *command)
{
    const struct esse_opt *at = command->options;
    struct values values = operand_values(out->arena, command);
    esse_out_f(out, "        %s)\n        _arguments -S \\\n", command->name);
    for (const struct esse_opt *opt; (opt = next_option(&at));)
        zsh_option(out, opt);
    esse_out_text(out, "            '(- *)'{-h,--help}'[show help]'");
    if (*command->operands) {
        esse_out_f(out, " \\\n            '%c", command->most == 1 ? '1' : '*');
        zsh_values(out, command->operands, &values);
    }
    esse_out_text(out, "\n        ;;\n");
}

static void write_zsh(struct esse_out *out)
{
    const struct esse_command *command;
    esse_out_f(out, "#compdef esse\n# Completion of esse in zsh.  %s\n\n", notice);
    esse_out_text(out, "_esse() {\n"
                       "    local curcontext=$curcontext state line\n"
                       "    typeset -A opt_args\n"
                       "    local -a commands=(\n");
    for (size_t at = 0; (command = next_command(&at));) {
        esse_out_f(out, "        \"%s:", command->name);
        put_quoted(out, command->summary, "\"\\$`", "\\");
        esse_out_text(out, "\"\n");
    }
    esse_out_text(out, "        'help:show the help of a command'\n    )\n"
                       "    _arguments -C \\\n"
                       "        '(- *)'{-h,--help}'[list the commands]' \\\n"
                       "        '(- *)--version[show the version]' \\\n"
                       "        '1:command:->command' \\\n"
                       "        '*::operand:->operand' && return\n"
                       "    if [[ $state == command ]]; then\n"
                       "        _describe command commands\n"
                       "        return\n"
                       "    fi\n"
                       "    curcontext=\"${curcontext%:*:*}:esse-$words[1]:\"\n"
                       "    case $words[1] in\n"
                       "        help) _describe command commands ;;\n");
    for (size_t at = 0; (command = next_command(&at));)
        zsh_command(out, command);
    esse_out_text(out, "    esac\n}\n\n_esse \"$@\"\n");
}

/* ---- fish ----------------------------------------------------------------------------------- */

static const char fish_start[] =
    "# Is the command $argv[1]?\n"
    "function __esse_in\n"
    "    set -l words (commandline -opc)\n"
    "    test \"$words[2]\" = \"$argv[1]\"\n"
    "end\n\n"
    "# The names, each behind what the comma-separated list holds already.\n"
    "function __esse_list\n"
    "    set -l before (commandline -ct | string replace -r '^--[^=]*=' '' | "
    "string replace -r '[^,]*$' '')\n"
    "    printf '%s\\n' $before$argv\n"
    "end\n\n"
    "complete -c esse -f\n"
    "complete -c esse -n '__esse_in \"\"' -s h -l help -d 'list the commands'\n"
    "complete -c esse -n '__esse_in \"\"' -l version -d 'show the version'\n"
    "complete -c esse -n '__esse_in \"\"' -a help -d 'show the help of a command'\n";

static void fish_values(struct esse_out *out, const struct values *values)
{
    if (values->is_files) {
        esse_out_text(out, " -F");
    } else if (values->words.count) {
        esse_out_text(out, values->is_list ? " -a '(__esse_list " : " -a '");
        put_words(out, values);
        esse_out_text(out, values->is_list ? ")'" : "'");
    }
}

static void fish_describe(struct esse_out *out, const char *text)
{
    esse_out_text(out, " -d '");
    put_quoted(out, text, "'\\", "\\");
    esse_out_text(out, "'\n");
}

static void fish_option(struct esse_out *out, const struct esse_command *command,
                        const struct esse_opt *opt)
{
    esse_out_f(out, "complete -c esse -n '__esse_in %s'", command->name);
    if (opt->letter)
        esse_out_f(out, " -s %c", opt->letter);
    esse_out_f(out, " -l %s", opt->name);
    if (opt->argument) {
        struct values values = option_values(out->arena, opt);
        esse_out_text(out, values.is_files ? " -r" : " -x");
        fish_values(out, &values);
    }
    fish_describe(out, opt->help);
}

static void fish_command(struct esse_out *out, const struct esse_command *command)
{
    const struct esse_opt *at = command->options;
    struct values values = operand_values(out->arena, command);
    esse_out_f(out, "\ncomplete -c esse -n '__esse_in \"\"' -a %s", command->name);
    fish_describe(out, command->summary);
    esse_out_f(out, "complete -c esse -n '__esse_in help' -a %s", command->name);
    fish_describe(out, command->summary);
    for (const struct esse_opt *opt; (opt = next_option(&at));)
        fish_option(out, command, opt);
    esse_out_f(out, "complete -c esse -n '__esse_in %s' -s h -l help -d 'show help'\n",
               command->name);
    if (*command->operands) {
        esse_out_f(out, "complete -c esse -n '__esse_in %s'", command->name);
        fish_values(out, &values);
        esse_out_char(out, '\n');
    }
}

static void write_fish(struct esse_out *out)
{
    const struct esse_command *command;
    esse_out_f(out, "# Completion of esse in fish.  %s\n\n%s", notice, fish_start);
    for (size_t at = 0; (command = next_command(&at));)
        fish_command(out, command);
}

const struct esse_completion esse_completions[] = {
    { "bash", write_bash },
    { "zsh", write_zsh },
    { "fish", write_fish },
    { NULL, NULL },
};
