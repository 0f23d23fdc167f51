#include "generate/gen.h"
#include "workload/mix.h"

#include <string.h>

#define REGISTERS ESSE_GEN_RW_REGISTER, .keys = 10000, .ops = 8, .sessions = 24

const struct esse_gen_preset esse_gen_presets[] = {
    { "list-append", "lists, appended to and read whole", ESSE_GEN_LIST_APPEND, .keys = 100,
      .ops = 5, .sessions = 10, .max_writes = 32, .read_share = 0.5 },
    { "rw-register", "registers, read and overwritten blindly", ESSE_GEN_RW_REGISTER, .keys = 1000,
      .ops = 5, .sessions = 10, .read_share = 0.5 },
    { "predicate", "rows, found by predicates too", ESSE_GEN_PREDICATE, .keys = 100, .ops = 5,
      .sessions = 10, .read_share = 0.5 },
    { "blindw-rh", "transactions read 8 keys or overwrite 8 blindly; 80 % read", REGISTERS,
      .read_share = 0.8, .is_pure = true },
    { "blindw-rw", "the same, 50 % read", REGISTERS, .read_share = 0.5, .is_pure = true },
    { "blindw-wh", "the same, 20 % read", REGISTERS, .read_share = 0.2, .is_pure = true },
    { "rmw", "every write reads its key first; few other reads", REGISTERS, .read_share = 0.1,
      .rmw_share = 1 },
    { "heavy-write", "80 % blind writes, among reads", REGISTERS, .read_share = 0.2 },
    { "twitter", "tweets, follows and timelines, hot users", REGISTERS, .zipf_theta = 0.99,
      .mix = &esse_mix_twitter },
    { "rubis", "an auction site's mix: items, bids, purchases, comments", REGISTERS,
      .mix = &esse_mix_rubis },
    { "tpcc", "TPC-C's mix over registers; a warehouse for each 10,000 keys", REGISTERS,
      .mix = &esse_mix_tpcc },
    { 0 },
};

const struct esse_gen_preset *esse_gen_preset_find(const char *name)
{
    for (const struct esse_gen_preset *preset = esse_gen_presets; preset->name; preset++)
        if (strcmp(preset->name, name) == 0)
            return preset;
    return NULL;
}

struct esse_gen_options esse_gen_preset_options(const struct esse_gen_preset *preset)
{
    return (struct esse_gen_options){
        .workload = preset->workload,
        .mix = preset->mix,
        .level = ESSE_STORE_STRICT_SERIALIZABLE,
        .txns = 1000,
        .ops = preset->mix ? esse_mix_ops(preset->mix) : preset->ops,
        .keys = preset->keys,
        .sessions = preset->sessions,
        .max_writes = preset->max_writes,
        .seed = 1,
        .zipf_theta = preset->zipf_theta,
        .read_share = preset->read_share,
        .rmw_share = preset->rmw_share,
        .is_pure = preset->is_pure,
        .predicate_share = 0.2,
        .rows_matching = 4,
        .delete_share = 0.2,
        .stale_share = 0.3,
        .has_header = true,
        .has_times = true,
    };
}

struct esse_gen_options esse_gen_defaults(enum esse_gen_workload workload)
{
    return esse_gen_preset_options(esse_gen_preset_find(esse_gen_workload_names[workload]));
}
