#include "level/level.h"

#include "base/error.h"
#include "base/guess.h"

#include <assert.h>
#include <string.h>

/*
 * Finding levels and anomalies by name, and guessing what a mistyped name meant.
 */

enum { MOST_NAMES = 6 };

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

static const struct esse_level *level_named(const char *name,
                                            bool (*same)(const char *a, const char *b))
{
    const char *names[MOST_NAMES];
    for (unsigned at = 1; at < ESSE_LEVEL_END; at++)
        for (size_t i = names_of_level(&esse_level_table[at], names); i-- > 0;)
            if (same(names[i], name))
                return &esse_level_table[at];
    return NULL;
}

static bool is_same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static const struct esse_level_alias *alias_named(const char *name)
{
    for (const struct esse_level_alias *alias = esse_level_alias_table; alias->name; alias++)
        if (esse_names_fold(alias->name, name))
            return alias;
    return NULL;
}

const struct esse_level *esse_level_find(const char *name)
{
    const struct esse_level *level = level_named(name, is_same);
    const struct esse_level_alias *alias = level ? NULL : alias_named(name);
    return level   ? level
           : alias ? &esse_level_table[alias->level]
                   : level_named(name, esse_names_fold);
}

const char *esse_level_also_means(const char *name)
{
    const struct esse_level_alias *alias = alias_named(name);
    return alias ? alias->also : NULL;
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

static void guess_level(struct esse_guess *guess, const char *typed)
{
    const char *names[MOST_NAMES];
    for (unsigned at = 1; at < ESSE_LEVEL_END; at++)
        esse_guess_try(guess, typed, names, names_of_level(&esse_level_table[at], names));
}

static void guess_anomaly(struct esse_guess *guess, const char *typed)
{
    const char *names[MOST_NAMES];
    for (unsigned at = 1; at < ESSE_ANOMALY_END; at++)
        esse_guess_try(guess, typed, names, names_of_anomaly(&esse_anomaly_table[at], names));
}

const char *esse_level_suggest(const char *name)
{
    struct esse_guess guess = esse_guess_start(name);
    guess_level(&guess, name);
    return guess.name;
}

const char *esse_anomaly_suggest(const char *name)
{
    struct esse_guess guess = esse_guess_start(name);
    guess_anomaly(&guess, name);
    return guess.name;
}

const struct esse_level *esse_level_named(const char *name, struct esse_error *err)
{
    const struct esse_level *level = esse_level_find(name);
    const char *near = level ? NULL : esse_level_suggest(name);
    if (!level)
        esse_fail(err, ESSE_EUSAGE, "unknown level '%s'%s%s%s; 'esse levels' lists them", name,
                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return level;
}

const char *esse_level_suggest_any(const char *name)
{
    struct esse_guess guess = esse_guess_start(name);
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
           strlen(name) > ESSE_GUESS_LONGEST;
}

/* What is refuted has a name, time counts only with sessions, points are those of snapshots, and no
 * two levels are defined by the same cycles. */
static bool definition_valid(const struct esse_level *level)
{
    return (level->phi != ESSE_PHI_NONE) == (level->no_commit_order != ESSE_ANOMALY_NONE) &&
           (level->cycle >= ESSE_CYCLE_RW_AND_ONE_READ) == (level->no_order != ESSE_ANOMALY_NONE) &&
           (!level->needs_real_time || level->needs_session_order) &&
           (!level->has_points || level->cycle == ESSE_CYCLE_NO_TWO_RW) &&
           (level->cycle == ESSE_CYCLE_NONE ||
            esse_level_with(level, level->needs_session_order, level->needs_real_time) == level);
}

static bool level_valid(unsigned id)
{
    const struct esse_level *level = &esse_level_table[id];
    const char *names[MOST_NAMES];
    bool valid = level->id == id && level->name && level->friendly && level->definition &&
                 level->source && esse_level_notes_table[id].forbidden.why &&
                 esse_level_notes_table[id].allowed.why && definition_valid(level);
    for (size_t i = valid ? names_of_level(level, names) : 0; i-- > 0;)
        valid &= !is_ambiguous(names[i], level);
    for (const struct esse_implication *edge = level->implies; edge->to; edge++)
        valid &= edge->to > id && edge->kind;
    return valid;
}

bool esse_level_valid(void)
{
    bool valid = true;
    for (const struct esse_level_alias *alias = esse_level_alias_table; alias->name; alias++)
        valid &= !is_ambiguous(alias->name, &esse_level_table[alias->level]);
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
