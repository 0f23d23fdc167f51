#include "engine/tested.h"

#include "base/arena.h"

#include <inttypes.h>

static const char *too_few(struct esse_arena *arena, uint64_t committed, uint64_t least)
{
    if (!committed)
        return "nothing was committed, so nothing was tested";
    return esse_arena_format(
        arena, "only %" PRIu64 " transaction%s committed, and at least %" PRIu64 " were asked for",
        committed, committed == 1 ? " was" : "s were", least);
}

void esse_verdict_demand_commits(struct esse_arena *arena, struct esse_verdict *verdict,
                                 uint64_t committed, uint64_t least)
{
    if (committed >= least || verdict->outcome == ESSE_VIOLATED)
        return;
    verdict->outcome = ESSE_UNKNOWN;
    verdict->reason = too_few(arena, committed, least);
    verdict->evidence = ESSE_EVIDENCE_NONE;
    verdict->order = (struct esse_order){ 0 };
    verdict->certificate = NULL;
    verdict->rechecked = false;
}
