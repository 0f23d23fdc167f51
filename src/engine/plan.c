#include "engine/engine.h"
#include "engine/known/serial.h"
#include "engine/replay/replay_engine.h"
#include "engine/scan/scan.h"

#include <string.h>

/* In the order in which they run: strong levels first, whose orders prove the weak ones. */
const struct esse_engine *const esse_engines[] = { &esse_engine_scan,
                                                   &esse_engine_replay,
                                                   &esse_engine_serial,
                                                   &esse_engine_dsg,
                                                   &esse_engine_saturate,
                                                   &esse_engine_polygraph,
                                                   NULL };

enum {
    ANY_FAMILY = 1 << ESSE_FAMILY_DEPENDENCY | 1 << ESSE_FAMILY_COMMIT_ORDER |
                 1 << ESSE_FAMILY_OPERATIONS | 1 << ESSE_FAMILY_OTHER,
    WEAK_FAMILIES = ANY_FAMILY & ~(1 << ESSE_FAMILY_DEPENDENCY),
};

/* Cheapest first; the first row that applies wins. */
const struct esse_plan esse_plans[] = {
    { ANY_FAMILY, 0, &esse_engine_replay, "the order of the transactions is known",
      ESSE_PLAN_ORDERED },
    { ANY_FAMILY, ESSE_HAS_WRITES, &esse_engine_dsg,
      "what is assumed about the order of versions may rule the level out", ESSE_PLAN_ASSUMING },
    { ANY_FAMILY, 0, &esse_engine_serial,
      "a serial order near the recorded one may prove the level", ESSE_PLAN_NEAR },
    { WEAK_FAMILIES, 0, &esse_engine_saturate,
      "the level is an axiom about a commit order, and what it forces decides it" },
    { ANY_FAMILY, ESSE_HAS_APPENDS, &esse_engine_dsg,
      "the lists that were read show the order of versions" },
    { ANY_FAMILY, ESSE_HAS_VERSION_ORDER, &esse_engine_dsg, "a version order was given" },
    { ANY_FAMILY, 0, &esse_engine_dsg,
      "the order of versions is known only in part; it can refute, and prove by luck" },
    { ANY_FAMILY, 0, &esse_engine_polygraph,
      "what the history leaves open is a choice, and a solver tries the choices" },
    { 0, 0, NULL, NULL },
};

const struct esse_engine *esse_engine_find(const char *name)
{
    for (size_t i = 0; esse_engines[i]; i++)
        if (strcmp(esse_engines[i]->name, name) == 0)
            return esse_engines[i];
    return NULL;
}

static bool is_time_for(const struct esse_plan *plan, const struct esse_level *level,
                        const struct esse_history *history, const struct esse_planning *planning)
{
    switch (plan->when) {
    case ESSE_PLAN_ASSUMING:
        return planning->assume != 0;
    case ESSE_PLAN_NEAR:
        return !planning->assume && !(history->has & ESSE_HAS_VERSION_ORDER) &&
               serial_is_fit(history);
    case ESSE_PLAN_ORDERED:
        return planning->has_order || replay_is_certified(level, history);
    default:
        return true;
    }
}

/* Weak levels are of several families; whether there is an axiom for one, its engine knows. */
static bool applies(const struct esse_plan *plan, const struct esse_level *level,
                    const struct esse_history *history, const struct esse_planning *planning)
{
    return (plan->families & 1u << level->family) && (history->has & plan->needs) == plan->needs &&
           is_time_for(plan, level, history, planning) &&
           (plan->families != WEAK_FAMILIES || plan->engine->decides(level, history));
}

const struct esse_plan *esse_plan_find(const struct esse_level *level,
                                       const struct esse_history *history,
                                       const struct esse_planning *planning,
                                       const struct esse_plan *after)
{
    for (const struct esse_plan *plan = after ? after + 1 : esse_plans; plan->engine; plan++)
        if ((!after || plan->engine != after->engine) && applies(plan, level, history, planning))
            return plan;
    return NULL;
}
