#include "engine/tested.h"

void esse_verdict_demand_commits(struct esse_verdict *verdict, uint64_t committed, uint64_t least)
{
    if (committed >= least || verdict->outcome == ESSE_VIOLATED)
        return;
    verdict->outcome = ESSE_UNKNOWN;
    verdict->reason = (struct esse_reason){ .id = committed ? ESSE_REASON_FEW_COMMITTED
                                                            : ESSE_REASON_NOTHING_COMMITTED,
                                            .counts = { committed, least } };
    verdict->evidence = ESSE_EVIDENCE_NONE;
    verdict->order = (struct esse_order){ 0 };
    verdict->certificate = ESSE_CERTIFICATE_NONE;
    verdict->rechecked = false;
}
