#include "cli/manual.h"

#include "base/arena.h"
#include "base/out.h"
#include "cli/session.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/* The day of the version, not of today: making the pages again must change nothing. */
static const char date[] = "2026-11-15";

enum { LINE_WIDTH = 70 }; /* of the source, before escapes */

bool esse_manual_has(const struct esse_command *command)
{
    return command->summary && *command->summary;
}

/* ---- Text that roff must take literally ---------------------------------------------------- */

/* Every '-' becomes '\-': names such as snapshot-isolation are there to be copied, and a plain
 * hyphen is shown as U+2010, which no command line understands. */
static void put_escaped(struct esse_out *out, const char *text, size_t length)
{
    static const char *const escapes[128] = { ['\\'] = "\\e",  ['-'] = "\\-",   ['\''] = "\\(aq",
                                              ['`'] = "\\(ga", ['^'] = "\\(ha", ['~'] = "\\(ti" };
    for (size_t i = 0; i < length; i++) {
        const char *escape = text[i] >= 0 ? escapes[(unsigned char)text[i]] : NULL;
        if (escape)
            esse_out_text(out, escape);
        else
            esse_out_char(out, text[i]);
    }
}

static void put_font(struct esse_out *out, char font, const char *text, size_t length)
{
    assert(font == 'B' || font == 'I');
    esse_out_f(out, "\\f%c", font);
    put_escaped(out, text, length);
    esse_out_text(out, "\\fR");
}

static size_t name_length(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && (isalnum((unsigned char)text[i]) || text[i] == '-' || text[i] == '_'))
        i++;
    return i;
}

/* Is this one of the words that stand for an operand, such as HISTORY? */
static bool is_operand(const char *operands, const char *word, size_t length)
{
    bool is_upper = length > 1;
    for (size_t i = 0; i < length; i++)
        is_upper = is_upper && isupper((unsigned char)word[i]);
    for (const char *at = operands; is_upper && *at;) {
        size_t run = name_length(at, strlen(at));
        if (run == length && memcmp(at, word, length) == 0)
            return true;
        at += run ? run : 1;
    }
    return false;
}

/* One word of running text: options bold, operands italic. */
static void put_word(struct esse_out *out, const char *operands, const char *word, size_t length)
{
    assert(length > 0);
    size_t open = length && strchr("('\"[", word[0]) ? 1 : 0;
    size_t name = name_length(word + open, length - open);
    bool is_option = name > 2 && memcmp(word + open, "--", 2) == 0;
    if (!is_option && !is_operand(operands, word + open, name)) {
        put_escaped(out, word, length);
        return;
    }
    put_escaped(out, word, open);
    put_font(out, is_option ? 'B' : 'I', word + open, name);
    put_escaped(out, word + open + name, length - open - name);
}

/* Running text in lines of its own, a new one after each sentence as roff likes it. */
static void put_text(struct esse_out *out, const char *operands, const char *text, size_t length)
{
    const char *end = text + length;
    size_t column = 0; /* 0: at the start of a line */
    while (text < end) {
        size_t word = 0;
        while (text + word < end && !isspace((unsigned char)text[word]))
            word++;
        if (!word) {
            text++;
            continue;
        }
        if (column + 1 + word > LINE_WIDTH) {
            esse_out_char(out, '\n');
            column = 0;
        }
        if (column)
            esse_out_char(out, ' ');
        else if (*text == '.')
            esse_out_text(out, "\\&"); /* not a request */
        put_word(out, operands, text, word);
        column += word + 1;
        if (strchr(".?!", text[word - 1])) {
            esse_out_char(out, '\n');
            column = 0;
        }
        text += word;
    }
    if (column)
        esse_out_char(out, '\n');
}

/* The tables hold clauses; a page wants a capital letter and an end. */
static const char *capitalized(struct esse_out *out, const char *clause, size_t length, char end)
{
    assert(length > 0);
    char *text = esse_arena_alloc(out->arena, length + 2, 1);
    memcpy(text, clause, length);
    text[0] = (char)toupper((unsigned char)text[0]);
    text[length] = length && strchr(".?!", text[length - 1]) ? '\0' : end;
    text[length + 1] = '\0';
    return text;
}

static void put_sentence(struct esse_out *out, const char *clause)
{
    const char *text = capitalized(out, clause, strlen(clause), '.');
    put_text(out, "", text, strlen(text));
}

/* ---- Sections ------------------------------------------------------------------------------ */

static void put_heading(struct esse_out *out, const struct esse_command *command)
{
    esse_out_text(out, ".\\\" Made by 'make docs' from the tables in src/cli: do not edit.\n");
    esse_out_text(out, ".TH ESSE");
    for (const char *at = command ? command->name : ""; *at; at++)
        esse_out_f(out, "%s%c", at == command->name ? "\\-" : "", toupper((unsigned char)*at));
    esse_out_f(out, " 1 %s \"esse %s\" \"User Commands\"\n", date, esse_version());
    esse_out_text(out, ".SH NAME\n");
    if (command)
        esse_out_f(out, "esse\\-%s \\- ", command->name);
    else
        esse_out_text(out, "esse \\- ");
}

/* "IN [OUT]": what the user fills in is italic, brackets and dots are not. */
static void put_placeholders(struct esse_out *out, const char *text)
{
    while (*text) {
        size_t name = name_length(text, strlen(text));
        if (name)
            put_font(out, 'I', text, name);
        else
            put_escaped(out, text, 1);
        text += name ? name : 1;
    }
}

static void put_synopsis(struct esse_out *out, const struct esse_command *command)
{
    esse_out_text(out, ".SH SYNOPSIS\n");
    esse_out_f(out, "\\fBesse %s\\fR [\\fIoption\\fR...]", command->name);
    if (*command->operands)
        esse_out_char(out, ' ');
    put_placeholders(out, command->operands);
    esse_out_char(out, '\n');
}

static const char exit_prefix[] = "Exit status: ";

/* The paragraphs of 'details'; the one about the exit status has a section of its own.  Returns
 * whether one of the wanted kind was there. */
static bool put_details(struct esse_out *out, const struct esse_command *command, bool exit_status)
{
    bool any = false;
    for (const char *at = command->details; at && *at;) {
        const char *gap = strstr(at, "\n\n");
        size_t length = gap ? (size_t)(gap - at) : strlen(at);
        bool is_exit = strncmp(at, exit_prefix, sizeof exit_prefix - 1) == 0;
        size_t skip = is_exit ? sizeof exit_prefix - 1 : 0;
        if (is_exit == exit_status) {
            if (any)
                esse_out_text(out, ".PP\n");
            put_text(out, command->operands, at + skip, length - skip);
            any = true;
        }
        at = gap ? gap + 2 : NULL;
    }
    return any;
}

/* "a, b, c." */
static void put_choices(struct esse_out *out, const char *const *choices)
{
    for (size_t i = 0; choices[i]; i++) {
        put_font(out, 'B', choices[i], strlen(choices[i]));
        esse_out_text(out, choices[i + 1] ? ",\n" : ".\n");
    }
}

static void put_option(struct esse_out *out, const struct esse_opt *opt)
{
    esse_out_text(out, ".TP\n");
    if (opt->letter)
        esse_out_f(out, "\\fB\\-%c\\fR, ", opt->letter);
    esse_out_text(out, "\\fB\\-\\-");
    put_escaped(out, opt->name, strlen(opt->name));
    esse_out_text(out, "\\fR");
    if (opt->argument) {
        esse_out_char(out, ' ');
        put_placeholders(out, opt->argument);
    }
    esse_out_char(out, '\n');
    put_sentence(out, opt->help);
    if (opt->choices) {
        esse_out_text(out, "Choices:\n");
        put_choices(out, opt->choices);
    }
}

static void put_options(struct esse_out *out, const struct esse_command *command)
{
    esse_out_text(out, ".SH OPTIONS\n");
    for (const struct esse_opt *opt = command->options; opt->name; opt++)
        if (opt->help && *opt->help) /* those without are for our own use */
            put_option(out, opt);
    esse_out_text(out, ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nShow a summary of this page.\n");
}

/* One line "command line # what it does": what it does, then the command line. */
static void put_example(struct esse_out *out, const char *line, size_t length)
{
    const char *hash = memchr(line, '#', length);
    size_t command = hash ? (size_t)(hash - line) : length;
    while (command && line[command - 1] == ' ')
        command--;
    if (hash) {
        const char *what = hash + 1 + strspn(hash + 1, " ");
        what = capitalized(out, what, (size_t)(line + length - what), ':');
        put_text(out, "", what, strlen(what));
        esse_out_text(out, ".PP\n");
    }
    esse_out_text(out, ".RS 4\n.EX\n");
    put_escaped(out, line, command);
    esse_out_text(out, "\n.EE\n.RE\n");
}

static void put_examples(struct esse_out *out, const char *examples)
{
    if (!examples)
        return;
    const char *separator = ""; /* the heading is one already */
    esse_out_text(out, ".SH EXAMPLES\n");
    while (*examples) {
        examples += strspn(examples, " \n");
        size_t length = strcspn(examples, "\n");
        if (length) {
            esse_out_text(out, separator);
            put_example(out, examples, length);
            separator = ".PP\n";
        }
        examples += length;
    }
}

/* All pages but the one we are on. */
static void put_see_also(struct esse_out *out, const struct esse_command *self)
{
    const char *before = "";
    esse_out_text(out, ".SH SEE ALSO\n");
    if (self) {
        esse_out_text(out, ".BR esse (1)");
        before = " ,\n";
    }
    for (size_t i = 0; esse_commands[i]; i++) {
        if (esse_commands[i] == self || !esse_manual_has(esse_commands[i]))
            continue;
        esse_out_f(out, "%s.BR esse\\-%s (1)", before, esse_commands[i]->name);
        before = " ,\n";
    }
    esse_out_char(out, '\n');
}

static void put_command(struct esse_out *out, const struct esse_command *command)
{
    put_escaped(out, command->summary, strlen(command->summary));
    esse_out_char(out, '\n');
    put_synopsis(out, command);
    esse_out_text(out, ".SH DESCRIPTION\n");
    put_details(out, command, false);
    put_options(out, command);
    esse_out_text(out, ".SH EXIT STATUS\n");
    if (!put_details(out, command, true))
        esse_out_text(out, "0 if all went well; otherwise as listed in\n.BR esse (1).\n");
    put_examples(out, command->examples);
    put_see_also(out, command);
}

/* ---- esse.1 -------------------------------------------------------------------------------- */

static const char about[] =
    "Esse finds out whether a database gives the isolation it claims. It reads a history, that is "
    "what the clients of the database did and saw, and says for an isolation level whether the "
    "history satisfies it: the level holds, it is violated, or that is unknown, with the reason "
    "why. A verdict comes with evidence, which is rechecked from the history and the definition "
    "of the level alone before anything is printed.";

static const char streams[] =
    "The answer goes to standard output and everything else, such as warnings and progress, to "
    "standard error. Long work shows a progress line on a terminal and nothing when piped.";

static const struct {
    int status;
    const char *meaning;
} statuses[] = {
    { ESSE_EXIT_HOLDS, "every level that was asked about holds, or the command did its work" },
    { ESSE_EXIT_VIOLATED, "some level is violated" },
    { ESSE_EXIT_UNKNOWN, "unknown: the budget ran out, the check was interrupted, or nothing "
                         "decides the level" },
    { ESSE_EXIT_USAGE, "bad usage" },
    { ESSE_EXIT_INPUT, "bad input; standard error says where and what was expected" },
    { ESSE_EXIT_UNAVAILABLE, "the target, a database or a tool, is not available" },
    { ESSE_EXIT_BUG, "internal error, such as a verdict that failed its recheck; please report" },
    { ESSE_EXIT_IO, "input/output error" },
};

static void put_esse_commands(struct esse_out *out)
{
    esse_out_text(out, ".SH COMMANDS\n");
    for (size_t i = 0; esse_commands[i]; i++) {
        if (!esse_manual_has(esse_commands[i]))
            continue;
        esse_out_f(out, ".TP\n.BR esse\\-%s (1)\n", esse_commands[i]->name);
        put_sentence(out, esse_commands[i]->summary);
    }
}

static void put_esse_statuses(struct esse_out *out)
{
    esse_out_text(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        esse_out_f(out, ".TP 4\n.B %d\n", statuses[i].status);
        put_sentence(out, statuses[i].meaning);
    }
    esse_out_text(out, ".PP\nOf several levels or histories the worst counts: "
                       "errors over 1 over 2 over 0.\n");
}

static void put_esse_files(struct esse_out *out)
{
    esse_out_text(out, ".SH FILES\nA history is a file, a directory of logs, or\n.B \\-\n"
                       "for standard input.\n"
                       "Its format is recognised:\n");
    put_choices(out, esse_format_choices);
    esse_out_text(out, "It may be compressed with\n.BR gzip (1)\nor\n.BR zstd (1).\n"
                       "The file\n.I docs/formats.md\n"
                       "of the source describes the formats,\n.I docs/levels.md\n"
                       "the isolation levels and anomalies.\n");
}

static void put_esse(struct esse_out *out)
{
    esse_out_text(out, "does a database really give the isolation it claims?\n"
                       ".SH SYNOPSIS\n"
                       "\\fBesse\\fR \\fICOMMAND\\fR [\\fIoption\\fR...] [\\fIoperand\\fR...]\n"
                       ".br\n\\fBesse help\\fR [\\fICOMMAND\\fR]\n"
                       ".br\n\\fBesse \\-\\-version\\fR\n"
                       ".SH DESCRIPTION\n");
    put_text(out, "", about, sizeof about - 1);
    esse_out_text(out, ".PP\n");
    put_text(out, "", streams, sizeof streams - 1);
    put_esse_commands(out);
    put_esse_statuses(out);
    esse_out_text(out, ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\n"
                       "If set and not empty, the answer has no colours.\n"
                       "It has none either when standard output is not a terminal.\n");
    put_esse_files(out);
    put_examples(out, "esse gen list-append --anomaly G1a -o h.jsonl # make a faulty history\n"
                      "esse check h.jsonl # find the fault, with its evidence\n"
                      "esse levels G1a # read what it means");
    put_see_also(out, NULL);
}

void esse_manual_write(struct esse_out *out, const struct esse_command *command)
{
    put_heading(out, command);
    if (command)
        put_command(out, command);
    else
        put_esse(out);
}
