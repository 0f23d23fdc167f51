#include "cli/args.h"

#include "base/guess.h"
#include "base/out.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct esse_opt *find_long(const struct esse_command *command, const char *name,
                                        size_t length)
{
    assert(command->options);
    for (const struct esse_opt *opt = command->options; opt->name; opt++)
        if (strlen(opt->name) == length && memcmp(opt->name, name, length) == 0)
            return opt;
    return NULL;
}

static const struct esse_opt *find_short(const struct esse_command *command, char letter)
{
    for (const struct esse_opt *opt = command->options; opt->name; opt++)
        if (opt->letter == letter)
            return opt;
    return NULL;
}

/* A number with a unit behind it: 10k, 8G, 60s. */
static bool scaled(const char *text, const char *const *units, const double *factors,
                   double *number)
{
    char *end;
    errno = 0;
    *number = strtod(text, &end);
    if (end == text || errno || !isfinite(*number) || *number < 0)
        return false;
    if (!*end)
        return true;
    for (size_t i = 0; units[i]; i++) {
        if (strcmp(end, units[i]) == 0) {
            *number *= factors[i];
            return true;
        }
    }
    return false;
}

static bool count_value(const char *text, uint64_t *target)
{
    static const char *const units[] = { "k", "K", "M", "G", NULL };
    static const double factors[] = { 1e3, 1e3, 1e6, 1e9 };
    char *end;
    errno = 0;
    uint64_t exact = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && !errno) {
        *target = exact;
        return true;
    }
    double number;
    if (!scaled(text, units, factors, &number) || number > 1e18 || number != floor(number))
        return false;
    *target = (uint64_t)number;
    return true;
}

static bool size_value(const char *text, uint64_t *target)
{
    static const char *const units[] = { "k", "K", "M", "G", "T", NULL };
    static const double factors[] = { 1024., 1024., 0x1p20, 0x1p30, 0x1p40 };
    double number;
    if (!scaled(text, units, factors, &number) || number > 0x1p62 || number < 1)
        return false;
    *target = (uint64_t)number;
    return true;
}

static bool duration_value(const char *text, double *target)
{
    static const char *const units[] = { "ms", "s", "m", "min", "h", NULL };
    static const double factors[] = { 1e-3, 1, 60, 60, 3600 };
    return scaled(text, units, factors, target) && *target > 0;
}

static bool real_value(const char *text, double *target)
{
    char *end;
    errno = 0;
    *target = strtod(text, &end);
    return end != text && !*end && !errno && isfinite(*target);
}

static bool set(const struct esse_command *command, const struct esse_opt *opt, const char *value)
{
    static const char *const expected[] = {
        [ESSE_OPT_COUNT] = "a number such as 500, 10k or 5M",
        [ESSE_OPT_REAL] = "a number such as 0.5",
        [ESSE_OPT_DURATION] = "a duration above 0, such as 500ms, 60s or 5m",
        [ESSE_OPT_SIZE] = "a size above 0, such as 512M or 8G",
    };
    assert(opt->target);
    assert((opt->kind == ESSE_OPT_FLAG) == !value);
    bool ok = true;
    switch (opt->kind) {
    case ESSE_OPT_FLAG:
        *(bool *)opt->target = true;
        break;
    case ESSE_OPT_TEXT:
        *(const char **)opt->target = value;
        break;
    case ESSE_OPT_COUNT:
        ok = count_value(value, opt->target);
        break;
    case ESSE_OPT_REAL:
        ok = real_value(value, opt->target);
        break;
    case ESSE_OPT_DURATION:
        ok = duration_value(value, opt->target);
        break;
    case ESSE_OPT_SIZE:
        ok = size_value(value, opt->target);
        break;
    }
    if (!ok)
        esse_cli_usage(command->name, "--%s: found '%s', expected %s", opt->name, value,
                       expected[opt->kind]);
    return ok;
}

/* What a long option that does not exist was meant to be, or NULL. */
static const char *nearest_option(const struct esse_command *command, const char *text)
{
    char typed[ESSE_GUESS_LONGEST + 1];
    if (text[1] != '-')
        return NULL;
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    struct esse_guess guess = esse_guess_start(typed);
    for (const struct esse_opt *opt = command->options; opt->name; opt++)
        if (opt->help && *opt->help)
            esse_guess_try(&guess, typed, &opt->name, 1);
    return guess.name;
}

/* One option at argv[*at]; *at moves past what it used. */
static bool read_option(const struct esse_command *command, int argc, char **argv, int *at)
{
    assert(*at < argc);
    const char *text = argv[(*at)++], *value = NULL;
    const struct esse_opt *opt;
    if (text[1] == '-') {
        size_t length = strcspn(text + 2, "=");
        opt = find_long(command, text + 2, length);
        value = text[2 + length] ? text + 3 + length : NULL;
    } else {
        opt = find_short(command, text[1]);
        value = text[1] && text[2] ? text + 2 : NULL;
    }
    if (!opt) {
        const char *near = nearest_option(command, text);
        esse_cli_usage(command->name, "unknown option '%s'%s%s%s", text,
                       near ? "; did you mean '--" : "", near ? near : "", near ? "'?" : "");
        return false;
    }
    if (opt->kind == ESSE_OPT_FLAG && value) {
        esse_cli_usage(command->name, "--%s takes no value", opt->name);
        return false;
    }
    if (opt->kind != ESSE_OPT_FLAG && !value) {
        if (*at >= argc) {
            esse_cli_usage(command->name, "--%s needs a value: %s", opt->name, opt->argument);
            return false;
        }
        value = argv[(*at)++];
    }
    return set(command, opt, value);
}

int esse_args_read(const struct esse_command *command, int argc, char **argv)
{
    assert(command->most < 0 || command->least <= command->most);
    int operands = 0, at = 0;
    bool options = true;
    while (at < argc) {
        const char *text = argv[at];
        if (options && (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0))
            return -2;
        if (options && strcmp(text, "--") == 0) {
            options = false;
            at++;
        } else if (options && text[0] == '-' && text[1]) {
            if (!read_option(command, argc, argv, &at))
                return -1;
        } else {
            argv[operands++] = argv[at++];
        }
    }
    if (operands < command->least || (command->most >= 0 && operands > command->most)) {
        esse_cli_usage(command->name,
                       operands < command->least ? "needs %s" : "too many operands; takes %s",
                       *command->operands ? command->operands : "no operands");
        return -1;
    }
    return operands;
}

/* Puts 'text' in lines of at most 'width' columns, each but the first indented. */
static void put_wrapped(struct esse_out *out, const char *text, size_t indent, size_t width)
{
    assert(indent < width);
    size_t column = indent;
    while (*text) {
        if (*text == '\n') {
            esse_out_text(out, text[1] == '\n' ? "\n\n" : "\n");
            text += text[1] == '\n' ? 2 : 1;
            esse_out_f(out, "%*s", (int)indent, "");
            column = indent;
            continue;
        }
        size_t word = strcspn(text, " \n");
        if (column > indent && column + 1 + word > width) {
            esse_out_f(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            esse_out_char(out, ' ');
            column++;
        }
        esse_out_bytes(out, text, word);
        column += word;
        text += word + (text[word] == ' ');
    }
}

void esse_args_help(struct esse_out *out, const struct esse_command *command)
{
    esse_out_f(out, "usage: esse %s [options] %s\n\n", command->name, command->operands);
    put_wrapped(out, command->details, 0, 80);
    esse_out_text(out, "\n\noptions:\n");
    for (const struct esse_opt *opt = command->options; opt->name; opt++) {
        if (!opt->help || !*opt->help)
            continue;
        char left[64];
        snprintf(left, sizeof left, "%c%c%s--%s%s%s", opt->letter ? '-' : ' ',
                 opt->letter ? opt->letter : ' ', opt->letter ? ", " : "  ", opt->name,
                 opt->argument ? " " : "", opt->argument ? opt->argument : "");
        esse_out_f(out, "  %-28s", left);
        if (strlen(left) > 27)
            esse_out_f(out, "\n%30s", "");
        put_wrapped(out, opt->help, 30, 80);
        esse_out_char(out, '\n');
    }
    esse_out_f(out, "  %-28sshow this help\n", "-h, --help");
    if (command->examples)
        esse_out_f(out, "\nexamples:\n%s\n", command->examples);
}
