#include "generate/gen.h"

enum esse_gen_workload esse_gen_data(const struct esse_live_workload *workload)
{
    return workload->needs & ESSE_CAN_LISTS        ? ESSE_GEN_LIST_APPEND
           : workload->needs & ESSE_CAN_PREDICATES ? ESSE_GEN_PREDICATE
                                                   : ESSE_GEN_RW_REGISTER;
}

struct esse_gen_options esse_gen_defaults(const char *name)
{
    const struct esse_live_workload *workload = esse_workload_find(name);
    struct esse_gen_options options = {
        .workload = workload,
        .work = workload->defaults,
        .level = ESSE_STORE_STRICT_SERIALIZABLE,
        .txns = 1000,
        .stale_share = 0.3,
        .has_header = true,
        .has_times = true,
    };
    options.work.sessions = ESSE_USUAL_SESSIONS;
    options.work.seed = 1;
    /* What an aggregate saw is known only by the order of versions: without a certificate nothing
     * could be proved of the history. */
    options.work.aggregate_share = 0;
    return options;
}
