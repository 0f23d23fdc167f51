#include "explore/axioms.h"

#include "level/level.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

static const struct {
    enum esse_level_id level;
    const char *abbreviation, *name;
} rows[ESSE_AXIOM_END] = {
    [ESSE_AXIOM_NONE] = { ESSE_LEVEL_NONE, "true", "true" },
    [ESSE_AXIOM_COMMITTED] = { ESSE_LEVEL_AXIOMATIC_READ_COMMITTED, "rc",
                               "axiomatic-read-committed" },
    [ESSE_AXIOM_ATOMIC] = { ESSE_LEVEL_READ_ATOMIC, "ra", "read-atomic" },
    [ESSE_AXIOM_CAUSAL] = { ESSE_LEVEL_CAUSAL_CERONE, "cc", "causal-consistency" },
    [ESSE_AXIOM_PREFIX] = { ESSE_LEVEL_PREFIX, "pc", "prefix-consistency" },
    [ESSE_AXIOM_SNAPSHOT] = { ESSE_LEVEL_STRONG_SESSION_SNAPSHOT_ISOLATION, "si",
                              "strong-session-snapshot-isolation" },
    [ESSE_AXIOM_SERIAL] = { ESSE_LEVEL_STRONG_SESSION_SERIALIZABLE, "ser",
                            "strong-session-serializable" },
};

enum esse_axiom esse_axiom_of(enum esse_level_id level)
{
    enum esse_axiom axiom = ESSE_AXIOM_NONE;
    while (axiom < ESSE_AXIOM_END && rows[axiom].level != level)
        axiom++;
    return axiom;
}

enum esse_level_id esse_axiom_level(enum esse_axiom axiom)
{
    assert(axiom < ESSE_AXIOM_END);
    return rows[axiom].level;
}

const char *esse_axiom_short(enum esse_axiom axiom)
{
    assert(axiom < ESSE_AXIOM_END);
    return rows[axiom].abbreviation;
}

const char *esse_axiom_name(enum esse_axiom axiom)
{
    assert(axiom < ESSE_AXIOM_END);
    return rows[axiom].name;
}

/* Why a level that others check cannot be explored. */
static const char *reason(const struct esse_level *level)
{
    if (level->needs_real_time)
        return "a program has no clock, so real time says nothing";
    if (level->id == ESSE_LEVEL_SERIALIZABLE || level->id == ESSE_LEVEL_SNAPSHOT_ISOLATION)
        return "a session's transactions come one after the other here; strong-session-";
    if (level->family == ESSE_FAMILY_OPERATIONS)
        return "its units are single reads and writes, not transactions";
    if (level->family == ESSE_FAMILY_DEPENDENCY)
        return "it is defined by version orders, and histories here differ by what was read alone";
    return "the search knows the commit-order levels rc, ra, cc, pc, si and ser";
}

bool esse_explore_level(const char *name, enum esse_level_id *level, struct esse_error *err)
{
    for (enum esse_axiom axiom = ESSE_AXIOM_NONE; axiom < ESSE_AXIOM_END; axiom++)
        if (strcasecmp(name, rows[axiom].abbreviation) == 0) {
            *level = rows[axiom].level;
            return true;
        }
    const struct esse_level *found = esse_level_named(name, err);
    if (!found)
        return false;
    if (esse_axiom_of(found->id) < ESSE_AXIOM_END) {
        *level = found->id;
        return true;
    }
    const char *why = reason(found);
    const bool has_strong = strcmp(why + strlen(why) - 1, "-") == 0;
    return esse_fail(err, ESSE_EUSAGE, "%s cannot be explored: %s%s", found->friendly, why,
                     has_strong ? found->friendly : "");
}
