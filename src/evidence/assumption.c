#include "evidence/assumption.h"

#include <assert.h>

unsigned esse_anomaly_assumes(const struct esse_anomaly *anomaly)
{
    unsigned bases = 0;
    for (uint32_t i = 0; i < anomaly->edge_count; i++)
        bases |= 1u << anomaly->edges[i].basis;
    for (uint32_t i = 0; i < anomaly->step_count; i++)
        bases |= 1u << anomaly->steps[i].basis;
    return bases & ~(1u << ESSE_BASIS_NONE | 1u << ESSE_BASIS_INITIAL_STATE);
}

const char *esse_basis_words(enum esse_basis basis)
{
    static const char *const words[ESSE_BASIS_END] = {
        [ESSE_BASIS_WFR_KEYS] = "writes follow reads",
        [ESSE_BASIS_SEQUENTIAL_KEYS] = "no session sees a key go back",
        [ESSE_BASIS_LINEARIZABLE_KEYS] = "every key is linearizable",
    };
    assert(basis < ESSE_BASIS_END);
    return words[basis];
}
