#include "workload/sql_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *esse_part_pass(const char *at, const char *end)
{
    if (*at == '\'' || *at == '"') {
        const char *quote = memchr(at + 1, *at, (size_t)(end - at - 1));
        return quote ? quote + 1 : end;
    }
    if (*at != '(')
        return at + 1;
    for (at++; at < end && *at != ')';)
        at = esse_part_pass(at, end);
    return at < end ? at + 1 : end;
}

const char *esse_part_find(struct esse_part part, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = part.at; at < part.end; at = esse_part_pass(at, part.end))
        if ((size_t)(part.end - at) >= length && strncasecmp(at, word, length) == 0 &&
            (at == part.at || !is_word_char(at[-1])) &&
            (at + length == part.end || !is_word_char(at[length])))
            return at;
    return NULL;
}

struct esse_part esse_part_trim(struct esse_part part)
{
    while (part.at < part.end && isspace((unsigned char)*part.at))
        part.at++;
    while (part.end > part.at && isspace((unsigned char)part.end[-1]))
        part.end--;
    return part;
}

struct esse_part esse_part_take_word(struct esse_part *part)
{
    *part = esse_part_trim(*part);
    struct esse_part word = { part->at, part->at };
    while (word.end < part->end && is_word_char(*word.end))
        word.end++;
    part->at = word.end;
    return word;
}

bool esse_part_is(struct esse_part word, const char *text)
{
    return (size_t)(word.end - word.at) == strlen(text) &&
           strncasecmp(word.at, text, strlen(text)) == 0;
}
