#include "evidence/assumption.h"

#include <string.h>

const struct esse_assumption_words esse_assumptions[] = {
    { ESSE_ASSUME_WFR_KEYS, "wfr-keys", "writes follow reads" },
    { ESSE_ASSUME_SEQUENTIAL_KEYS, "sequential-keys", "no session sees a key go back" },
    { ESSE_ASSUME_LINEARIZABLE_KEYS, "linearizable-keys", "every key is linearizable" },
    { 0, NULL, NULL },
};

const struct esse_assumption_words *esse_assumption_get(enum esse_assumption bit)
{
    const struct esse_assumption_words *at = esse_assumptions;
    while (at->bit != bit)
        at++;
    return at;
}

const struct esse_assumption_words *esse_assumption_find(const char *name)
{
    for (const struct esse_assumption_words *at = esse_assumptions; at->name; at++)
        if (strcmp(at->name, name) == 0)
            return at;
    return NULL;
}

static bool is_meant(const char *basis, const char *name)
{
    return basis && strcmp(basis, ESSE_INITIAL_STATE) != 0 && (!name || strcmp(basis, name) == 0);
}

bool esse_anomaly_assumes(const struct esse_anomaly *anomaly, const char *name)
{
    for (uint32_t i = 0; i < anomaly->edge_count; i++)
        if (is_meant(anomaly->edges[i].basis, name))
            return true;
    for (uint32_t i = 0; i < anomaly->step_count; i++)
        if (is_meant(anomaly->steps[i].basis, name))
            return true;
    return false;
}
