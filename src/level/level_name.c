#include "level/level.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/*
 * Finding levels and anomalies by name, and guessing what a mistyped name meant.
 */

enum { MOST_NAMES = 6, LONGEST_NAME = 47 };

/* All accepted names of a level; those that coincide come once.  Returns how many. */
static size_t names_of_level(const struct esse_level *level, const char *names[MOST_NAMES])
{
    size_t count = 0;
    names[count++] = level->name;
    if (strcmp(level->friendly, level->name) != 0)
        names[count++] = level->friendly;
    for (const char *const *alias = level->aliases; *alias; alias++)
        names[count++] = *alias;
    assert(count <= MOST_NAMES);
    return count;
}

static size_t names_of_anomaly(const struct esse_anomaly_type *type, const char *names[MOST_NAMES])
{
    size_t count = 0;
    names[count++] = type->name;
    for (const char *const *alias = type->aliases; *alias; alias++)
        names[count++] = *alias;
    assert(count <= MOST_NAMES);
    return count;
}

const struct esse_level *esse_level_find(const char *name)
{
    const char *names[MOST_NAMES];
    for (unsigned at = 1; at < ESSE_LEVEL_END; at++)
        for (size_t i = names_of_level(&esse_level_table[at], names); i-- > 0;)
            if (strcmp(names[i], name) == 0)
                return &esse_level_table[at];
    return NULL;
}

const struct esse_anomaly_type *esse_anomaly_find(const char *name)
{
    const char *names[MOST_NAMES];
    for (unsigned at = 1; at < ESSE_ANOMALY_END; at++)
        for (size_t i = names_of_anomaly(&esse_anomaly_table[at], names); i-- > 0;)
            if (strcmp(names[i], name) == 0)
                return &esse_anomaly_table[at];
    return NULL;
}

/* Letters in either case and the usual separators are the same to a human. */
static char folded(char c)
{
    return c == '_' || c == ' ' ? '-' : (char)tolower((unsigned char)c);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edit distance after folding, with a swap of neighbours as one edit. */
static unsigned distance(const char *a, const char *b)
{
    const size_t rows = strlen(a), columns = strlen(b);
    assert(columns <= LONGEST_NAME);
    unsigned table[3][LONGEST_NAME + 1];
    unsigned *before = table[0], *above = table[1], *row = table[2];
    for (unsigned j = 0; j <= columns; j++)
        row[j] = j;
    for (unsigned i = 1; i <= rows; i++) {
        unsigned *oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = i;
        for (unsigned j = 1; j <= columns; j++) {
            const char x = folded(a[i - 1]), y = folded(b[j - 1]);
            row[j] = least(above[j - 1] + (x != y), 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && x == folded(b[j - 2]) && folded(a[i - 2]) == y)
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return row[columns];
}

/* "snapshot" is far from "snapshot-isolation" by edits, but it is what was meant. */
static bool begins(const char *name, const char *typed)
{
    size_t i = 0;
    while (typed[i] && name[i] && folded(typed[i]) == folded(name[i]))
        i++;
    return i >= 3 && !typed[i];
}

/* The nearest name seen so far.  Farther than a third of what was typed is no guess any more. */
struct guess {
    const char *name;
    unsigned distance;
};

static struct guess guess_start(const char *name)
{
    return (struct guess){ NULL, (unsigned)strlen(name) / 3 + 2 };
}

static void guess_try(struct guess *guess, const char *typed, const char *const *names,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned far = distance(typed, names[i]);
        if (far > 1 && begins(names[i], typed))
            far = 1;
        if (far < guess->distance)
            *guess = (struct guess){ names[i], far };
    }
}

static void guess_level(struct guess *guess, const char *typed)
{
    const char *names[MOST_NAMES];
    for (unsigned at = 1; at < ESSE_LEVEL_END; at++)
        guess_try(guess, typed, names, names_of_level(&esse_level_table[at], names));
}

static void guess_anomaly(struct guess *guess, const char *typed)
{
    const char *names[MOST_NAMES];
    for (unsigned at = 1; at < ESSE_ANOMALY_END; at++)
        guess_try(guess, typed, names, names_of_anomaly(&esse_anomaly_table[at], names));
}

const char *esse_level_suggest(const char *name)
{
    struct guess guess = guess_start(name);
    guess_level(&guess, name);
    return guess.name;
}

const char *esse_level_suggest_any(const char *name)
{
    struct guess guess = guess_start(name);
    guess_level(&guess, name);
    guess_anomaly(&guess, name);
    return guess.name;
}

/* Does 'name' find something else than the one whose name it is? */
static bool is_ambiguous(const char *name, const void *owner)
{
    const struct esse_level *level = esse_level_find(name);
    const struct esse_anomaly_type *type = esse_anomaly_find(name);
    return (level && level != owner) || (type && (const void *)type != owner) ||
           strlen(name) > LONGEST_NAME;
}

static bool level_valid(unsigned id)
{
    const struct esse_level *level = &esse_level_table[id];
    const char *names[MOST_NAMES];
    bool valid = level->id == id && level->name && level->friendly && level->definition &&
                 level->source && esse_level_notes_table[id].forbidden.why &&
                 esse_level_notes_table[id].allowed.why;
    for (size_t i = valid ? names_of_level(level, names) : 0; i-- > 0;)
        valid &= !is_ambiguous(names[i], level);
    for (const struct esse_implication *edge = level->implies; edge->to; edge++)
        valid &= edge->to > id && edge->kind;
    return valid;
}

bool esse_level_valid(void)
{
    bool valid = true;
    for (unsigned at = 1; at < ESSE_LEVEL_END; at++)
        valid &= level_valid(at);
    for (unsigned at = 1; at < ESSE_ANOMALY_END; at++) {
        const struct esse_anomaly_type *type = &esse_anomaly_table[at];
        const char *names[MOST_NAMES];
        valid &=
            type->id == at && type->name && type->definition && type->source && type->example.why;
        for (size_t i = type->name ? names_of_anomaly(type, names) : 0; i-- > 0;)
            valid &= !is_ambiguous(names[i], type);
    }
    return valid;
}

const struct esse_level *esse_level_before(const char *name, const char *ending)
{
    char level[64];
    const size_t length = strlen(name), cut = strlen(ending);
    if (length <= cut || length - cut >= sizeof level || strcmp(name + length - cut, ending) != 0)
        return NULL;
    memcpy(level, name, length - cut);
    level[length - cut] = 0;
    return esse_level_find(level);
}
