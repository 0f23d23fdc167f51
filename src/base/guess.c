#include "base/guess.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/* Letters in either case and the usual separators are the same to a human. */
static char folded(char c)
{
    return c == '_' || c == ' ' ? '-' : (char)tolower((unsigned char)c);
}

bool esse_names_fold(const char *a, const char *b)
{
    while (*a && folded(*a) == folded(*b)) {
        a++;
        b++;
    }
    return !*a && !*b;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edit distance after folding, with a swap of neighbours as one edit. */
static unsigned distance(const char *a, const char *b)
{
    const size_t rows = strlen(a), columns = strlen(b);
    assert(columns <= ESSE_GUESS_LONGEST);
    unsigned table[3][ESSE_GUESS_LONGEST + 1];
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

struct esse_guess esse_guess_start(const char *name)
{
    return (struct esse_guess){ NULL, (unsigned)strlen(name) / 3 + 2 };
}

void esse_guess_try(struct esse_guess *guess, const char *typed, const char *const *names,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned far = distance(typed, names[i]);
        if (far > 1 && begins(names[i], typed))
            far = 1;
        if (far < guess->distance)
            *guess = (struct esse_guess){ names[i], far };
    }
}
