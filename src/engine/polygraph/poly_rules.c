#include "engine/polygraph/poly_state.h"

#define NO_ORDER(level) ESSE_ANOMALY_NO_ORDER_##level

static const struct poly_rule rules[] = {
    { ESSE_LEVEL_STRICT_SERIALIZABLE, POLY_PLAIN, true, true, true, NO_ORDER(STRICT_SERIALIZABLE) },
    { ESSE_LEVEL_STRONG_SESSION_SERIALIZABLE, POLY_PLAIN, true, false, true,
      NO_ORDER(STRONG_SESSION_SERIALIZABLE) },
    { ESSE_LEVEL_SERIALIZABLE, POLY_PLAIN, false, false, true, NO_ORDER(SERIALIZABLE) },
    { ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION, POLY_SNAPSHOT, true, true, true,
      NO_ORDER(STRONG_SNAPSHOT_ISOLATION) },
    { ESSE_LEVEL_STRONG_SESSION_SNAPSHOT_ISOLATION, POLY_SNAPSHOT, true, false, true,
      NO_ORDER(STRONG_SESSION_SNAPSHOT_ISOLATION) },
    { ESSE_LEVEL_SNAPSHOT_ISOLATION, POLY_SNAPSHOT, false, false, true,
      NO_ORDER(SNAPSHOT_ISOLATION) },
    { ESSE_LEVEL_REPEATABLE_READ, POLY_PLAIN, false, false, false, NO_ORDER(REPEATABLE_READ) },
    { ESSE_LEVEL_PREFIX, POLY_PREFIX, true, false, true, NO_ORDER(PREFIX) },
    { ESSE_LEVEL_PARALLEL_SNAPSHOT_ISOLATION, POLY_SINGLE, true, false, true, NO_ORDER(PARALLEL) },
    { ESSE_LEVEL_CONSISTENT_VIEW, POLY_SINGLE, false, false, true, NO_ORDER(CONSISTENT_VIEW) },
    { ESSE_LEVEL_CAUSAL_CERONE, POLY_SINGLE, true, false, true, NO_ORDER(CAUSAL_CERONE),
      POLY_BY_READS },
    { ESSE_LEVEL_READ_ATOMIC, POLY_SINGLE, true, false, true, NO_ORDER(READ_ATOMIC), POLY_BY_ONE },
};

const struct poly_rule *poly_rule_with(const struct poly_rule *rule, bool sessions, bool time)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].form == rule->form && rules[i].way == rule->way &&
            rules[i].predicate_rw == rule->predicate_rw && rules[i].sessions == sessions &&
            rules[i].time == time)
            return &rules[i];
    return NULL;
}

const struct poly_rule *poly_rule_of(const struct esse_level *level)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].level == level->id)
            return &rules[i];
    return NULL;
}
