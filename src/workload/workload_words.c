#include "workload/workload_reading.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- words of a line ---- */

const char *workload_copy(struct workload_reading *p, const char *at, size_t length)
{
    return esse_arena_format(p->arena, "%.*s", (int)length, at);
}

const char *workload_word(struct workload_reading *p, struct workload_words *words)
{
    while (words->at < words->end && isspace((unsigned char)*words->at))
        words->at++;
    const char *from = words->at;
    if (from == words->end)
        return NULL;
    if (*from == '\'') {
        do { /* two quotes are one that is meant */
            words->at++;
            while (words->at < words->end && *words->at != '\'')
                words->at++;
            words->at += words->at < words->end;
        } while (words->at < words->end && *words->at == '\'');
    } else if (strchr("(),", *from)) {
        words->at++;
    } else {
        while (words->at < words->end && !isspace((unsigned char)*words->at) &&
               !strchr("(),", *words->at))
            words->at++;
    }
    return workload_copy(p, from, (size_t)(words->at - from));
}

bool workload_is_name(const char *word)
{
    if (!word || (!isalpha((unsigned char)*word) && *word != '_'))
        return false;
    while (isalnum((unsigned char)*word) || *word == '_')
        word++;
    return !*word;
}

bool workload_wrong(struct workload_reading *p, const char *expected, const char *found)
{
    return esse_fail_at(p->err, p->where, 0, "expected %s, found %s%s%s", expected,
                        found ? "'" : "the end of the line", found ? found : "", found ? "'" : "");
}

bool workload_ends(struct workload_reading *p, struct workload_words *words)
{
    const char *word = workload_word(p, words);
    return !word || workload_wrong(p, "the end of the line", word);
}

bool workload_is_sign(const char *word, char sign)
{
    return word && *word == sign;
}

bool workload_is_literal(const char *word)
{
    char *end;
    const size_t length = word ? strlen(word) : 0;
    if (length >= 2 && *word == '\'')
        return word[length - 1] == '\'';
    if (length)
        strtod(word, &end);
    return length && !*end;
}

/* ---- statements ---- */

/* How long the mark is that a text between dollars begins and ends with, "$$" or "$body$"; 0 if
 * there is none. */
static size_t dollars(const char *at, const char *end)
{
    size_t length = 1;
    if (*at != '$')
        return 0;
    while (at + length < end && (isalnum((unsigned char)at[length]) || at[length] == '_'))
        length++;
    return at + length < end && at[length] == '$' && !isdigit((unsigned char)at[1]) ? length + 1
                                                                                    : 0;
}

/* The end of a statement: its semicolon outside of quotes and of bodies between dollars, or where
 * the text ends. */
static const char *end_of_statement(const char *at, const char *end, unsigned *lines)
{
    char quote = 0;
    const char *mark = NULL;
    size_t length = 0;
    for (; at < end && (quote || mark || *at != ';'); at++) {
        *lines += *at == '\n';
        if (mark) {
            if ((size_t)(end - at) >= length && memcmp(at, mark, length) == 0) {
                mark = NULL;
                at += length - 1;
            }
        } else if (quote)
            quote = *at == quote ? 0 : quote;
        else if ((length = dollars(at, end)) > 0) {
            mark = at;
            at += length - 1;
        } else if (*at == '\'' || *at == '"')
            quote = *at;
    }
    return at;
}

static bool is_indented(const char *line)
{
    return *line == ' ' || *line == '\t';
}

const char *workload_section_end(const char *at)
{
    while (*at && (is_indented(at) || *at == '\n')) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return at;
}

bool workload_statement(struct workload_reading *p, const char *end, const char **from,
                        size_t *length, bool *ok)
{
    while (p->at < end && isspace((unsigned char)*p->at))
        p->line += *p->at++ == '\n';
    if (p->at == end)
        return false;
    p->where = p->line;
    unsigned lines = 0;
    const char *stop = end_of_statement(p->at, end, &lines);
    *from = p->at;
    *length = (size_t)(stop - p->at);
    *ok = stop < end || esse_fail_at(p->err, p->where, 0, "the statement has no ';' at its end");
    p->at = stop + (stop < end);
    p->line += lines;
    return *ok;
}
