#ifndef ESSE_MIRROR_CLAIM_CHOOSE_H
#define ESSE_MIRROR_CLAIM_CHOOSE_H

#include "mirror/mirror_state.h"

/* Which of the kept events a finding's folder needs. */

ESSE_VEC(mirror_event_vec, struct esse_mirror_event)

struct claim_choice {
    struct esse_arena *arena;
    struct mirror_u32_vec txns; /* numbers, rising */
    struct mirror_u64_vec keys; /* of SC and Joint: those that several of the finding's touch */
    struct mirror_event_vec events;
    uint32_t ended; /* so many of 'txns' are known to have committed or aborted */
};

void esse_claim_choose(const struct esse_mirror *m, const struct esse_finding *finding,
                       struct claim_choice *choice);

#endif
