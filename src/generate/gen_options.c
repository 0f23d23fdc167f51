#include "generate/gen.h"
#include "workload/mix.h"

bool esse_gen_can(const struct esse_live_workload *workload)
{
    return workload->is_drawn || workload->mix;
}

static enum esse_gen_workload data_of(const struct esse_live_workload *workload)
{
    return workload->needs & ESSE_CAN_LISTS        ? ESSE_GEN_LIST_APPEND
           : workload->needs & ESSE_CAN_PREDICATES ? ESSE_GEN_PREDICATE
                                                   : ESSE_GEN_RW_REGISTER;
}

struct esse_gen_options esse_gen_options_of(const struct esse_live_workload *workload)
{
    const struct esse_workload_options *by = &workload->defaults;
    return (struct esse_gen_options){
        .workload = data_of(workload),
        .mix = workload->mix,
        .level = ESSE_STORE_STRICT_SERIALIZABLE,
        .txns = 1000,
        .ops = workload->mix ? esse_mix_ops(workload->mix) : by->ops,
        .keys = by->keys,
        .sessions = ESSE_USUAL_SESSIONS,
        .max_writes = by->max_writes,
        .seed = 1,
        .zipf_theta = by->zipf_theta,
        .read_share = by->read_share,
        .rmw_share = by->rmw_share,
        .is_pure = by->is_pure,
        .predicate_share = by->predicate_share,
        .rows_matching = by->rows_matching,
        .delete_share = by->delete_share,
        .stale_share = 0.3,
        .has_header = true,
        .has_times = true,
    };
}

struct esse_gen_options esse_gen_defaults(enum esse_gen_workload workload)
{
    return esse_gen_options_of(esse_workload_find(esse_gen_workload_names[workload]));
}
