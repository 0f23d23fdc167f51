#include "level/profile.h"

#include "base/error.h"
#include "base/guess.h"
#include "level/level.h"

#include <stdio.h>
#include <string.h>

extern const struct esse_profile esse_profile_table[];

const struct esse_profile *esse_profile_at(size_t at)
{
    return esse_profile_table[at].name ? &esse_profile_table[at] : NULL;
}

static const struct esse_profile *find(const char *name, size_t length)
{
    for (const struct esse_profile *p = esse_profile_table; p->name; p++)
        if (strlen(p->name) == length && memcmp(p->name, name, length) == 0)
            return p;
    return NULL;
}

const struct esse_profile *esse_profile_find(const char *name)
{
    return find(name, strlen(name));
}

const struct esse_profile *esse_profile_sibling(const struct esse_profile *profile,
                                                const char *setting, size_t length)
{
    char name[96];
    const char *slash = strchr(profile->name, '/');
    if (!slash || length > 48)
        return NULL;
    const int made = snprintf(name, sizeof name, "%.*s/%.*s", (int)(slash - profile->name),
                              profile->name, (int)length, setting);
    return find(name, (size_t)made);
}

const char *esse_profile_suggest(const char *name)
{
    struct esse_guess guess = esse_guess_start(name);
    for (const struct esse_profile *p = esse_profile_table; p->name; p++)
        esse_guess_try(&guess, name, &p->name, 1);
    return guess.name;
}

/* ---- rows as text: one table for reading and writing ---- */

struct word {
    const char *text;
    int value;
};

static const struct word reads[] = { { "-", ESSE_READS_ANY },       { "T", ESSE_READS_TXN },
                                     { "S", ESSE_READS_STATEMENT }, { "R", ESSE_READS_ROW },
                                     { "RC", ESSE_READS_LATE_ROW }, { 0 } };
static const struct word ats[] = { { "F", ESSE_AT_FIRST },
                                   { "P", ESSE_AT_PLAIN },
                                   { "B", ESSE_AT_BEGIN },
                                   { "H", ESSE_AT_EITHER },
                                   { 0 } };
/* The 'c' is eight more. */
enum { COMMITTED = 8 };
static const struct word locks[] = { { "-", ESSE_LOCKS_NONE },
                                     { "W", ESSE_LOCKS_WRITES },
                                     { "W+R", ESSE_LOCKS_READS },
                                     { "Wc", ESSE_LOCKS_WRITES + COMMITTED },
                                     { "Wc+R", ESSE_LOCKS_READS + COMMITTED },
                                     { 0 } };
static const struct word fuws[] = {
    { "-", ESSE_FUW_NONE }, { "u", ESSE_FUW_UPDATE }, { "k", ESSE_FUW_COMMIT }, { 0 }
};
static const struct word certifiers[] = {
    { "-", ESSE_CERTIFIER_NONE }, { "cycle", ESSE_CERTIFIER_CYCLE }, { "ssi", ESSE_CERTIFIER_SSI },
    { "to", ESSE_CERTIFIER_TO },  { "occ", ESSE_CERTIFIER_OCC },     { 0 }
};
static const struct word times[] = {
    { "x", ESSE_TIME_ALL }, { "k", ESSE_TIME_KEY }, { "s", ESSE_TIME_SESSION }, { 0 }
};
static const struct word modes[] = { { "2", 0 }, { "4", 1 }, { 0 } };
static const struct word resources[] = { { "row", 0 }, { "database", 1 }, { 0 } };
static const struct word locking[] = { { "lock", 0 }, { "both", 1 }, { 0 } };
static const struct word validated[] = { { "all", 0 }, { "locking", 1 }, { 0 } };

enum column { CR, AT, ME, FUW, SC, TIME, MODES, RESOURCE, LR, OCC, LEVEL, COLUMNS };
static const struct {
    const char *name;
    const struct word *words;
} columns[] = {
    [CR] = { "cr", reads },       [AT] = { "at", ats },
    [ME] = { "me", locks },       [FUW] = { "fuw", fuws },
    [SC] = { "sc", certifiers },  [TIME] = { "time", times },
    [MODES] = { "modes", modes }, [RESOURCE] = { "resource", resources },
    [LR] = { "lr", locking },     [OCC] = { "occ", validated },
    [LEVEL] = { "level", NULL },
};

static void set(struct esse_profile *row, enum column column, int value)
{
    switch (column) {
    case CR:
        row->reads = (enum esse_profile_reads)value;
        break;
    case AT:
        row->at = (enum esse_profile_at)value;
        break;
    case ME:
        row->locks = (enum esse_profile_locks)(value & (COMMITTED - 1));
        row->locks_of_committed = value & COMMITTED;
        break;
    case FUW:
        row->fuw = (enum esse_profile_fuw)value;
        break;
    case SC:
        row->certifier = (enum esse_profile_certifier)value;
        break;
    case TIME:
        row->time = (enum esse_profile_time)value;
        break;
    case MODES:
        row->row_lock_modes = value;
        break;
    case RESOURCE:
        row->whole_database = value;
        break;
    case LR:
        row->lock_sees_snapshot = value;
        break;
    case OCC:
        row->validates_lock_only = value;
        break;
    default:
        row->level = (enum esse_level_id)value;
    }
}

static int get(const struct esse_profile *row, enum column column)
{
    switch (column) {
    case CR:
        return (int)row->reads;
    case AT:
        return (int)row->at;
    case ME:
        return (int)row->locks + (row->locks_of_committed ? COMMITTED : 0);
    case FUW:
        return (int)row->fuw;
    case SC:
        return (int)row->certifier;
    case TIME:
        return (int)row->time;
    case MODES:
        return row->row_lock_modes;
    case RESOURCE:
        return row->whole_database;
    case LR:
        return row->lock_sees_snapshot;
    default:
        return row->validates_lock_only;
    }
}

static const char *word_of(const struct word *words, int value)
{
    while (words->text && words->value != value)
        words++;
    return words->text;
}

const char *esse_profile_row(const struct esse_profile *profile, char room[ESSE_PROFILE_ROOM])
{
    size_t at = 0;
    for (int c = 0; c < LEVEL; c++)
        at += (size_t)snprintf(room + at, ESSE_PROFILE_ROOM - at, "%s=%s,", columns[c].name,
                               word_of(columns[c].words, get(profile, (enum column)c)));
    snprintf(room + at, ESSE_PROFILE_ROOM - at, "level=%s",
             profile->level ? esse_level_name(profile->level) : "none");
    return room;
}

static bool set_level(struct esse_profile *row, const char *name, struct esse_error *err)
{
    const struct esse_level *level = NULL;
    if (strcmp(name, "none") != 0 && !(level = esse_level_named(name, err)))
        return false;
    row->level = level ? level->id : ESSE_LEVEL_NONE;
    return true;
}

/* "cr=T": one column of a row. */
static bool read_column(struct esse_profile *row, unsigned *given, const char *at, size_t length,
                        struct esse_error *err)
{
    char text[96];
    snprintf(text, sizeof text, "%.*s", (int)(length < 90 ? length : 90), at);
    char *value = strchr(text, '=');
    if (!value)
        return esse_fail(err, ESSE_EUSAGE,
                         "'%s' is no part of a profile's row; expected "
                         "cr=, at=, me=, fuw=, sc=, time=, level=",
                         text);
    *value++ = 0;
    for (int c = 0; c < COLUMNS; c++) {
        if (strcmp(columns[c].name, text) != 0)
            continue;
        *given |= 1u << c;
        if (c == LEVEL)
            return set_level(row, value, err);
        for (const struct word *word = columns[c].words; word->text; word++) {
            if (strcmp(word->text, value) == 0) {
                set(row, (enum column)c, word->value);
                return true;
            }
        }
        return esse_fail(err, ESSE_EUSAGE, "a profile's row has no %s=%s; %s", text, value,
                         "esse watch --profile help shows the rows there are");
    }
    return esse_fail(err, ESSE_EUSAGE,
                     "a profile's row has no column '%s'; expected cr, at, me, "
                     "fuw, sc, time, modes, resource, lr, occ or level",
                     text);
}

static bool read_row(const char *text, struct esse_profile *own, struct esse_error *err)
{
    struct esse_profile row = { .name = text, .seen = 'U' };
    unsigned given = 0;
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, ",");
        if (!read_column(&row, &given, at, length, err))
            return false;
        at += length + (at[length] == ',');
    }
    if (!(given & 1u << LR))
        row.lock_sees_snapshot = row.fuw != ESSE_FUW_NONE;
    *own = row;
    return true;
}

bool esse_profile_named(const char *text, struct esse_profile *own,
                        const struct esse_profile **profile, struct esse_error *err)
{
    if (strchr(text, '=')) {
        if (!read_row(text, own, err))
            return false;
        *profile = own;
        return true;
    }
    const struct esse_profile *found = esse_profile_find(text);
    if (!found) {
        const char *near = esse_profile_suggest(text);
        return esse_fail(err, ESSE_EUSAGE, "unknown profile '%s'%s%s%s (--profile help lists them)",
                         text, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    *profile = found;
    return true;
}
