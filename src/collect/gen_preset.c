#include "collect/gen.h"
#include "collect/gen_mix.h"

#include <string.h>

/* After Cobra's C-Twitter: users have rows, tweets are a log.  A follow and an unfollow change
 * both users. */
enum { USERS, TWEETS };
static const struct esse_gen_mix twitter = {
    .tables = { [USERS] = { "user", 5000, false }, [TWEETS] = { "tweet", 5000, true } },
    .shapes = {
        { "tweet", 10, { { ESSE_GEN_ADD, TWEETS, 1, 1 }, { ESSE_GEN_MODIFY, USERS, 2, 2 } } },
        { "follow", 10, { { ESSE_GEN_MODIFY, USERS, 2, 2 } } },
        { "timeline", 80, { { ESSE_GEN_LOOK, USERS, 4, 10 }, { ESSE_GEN_LOOK, TWEETS, 4, 10 } } },
    },
};

/*
 * After TPC-C, a row as one register: 10,000 keys are a warehouse with ten districts.  A district
 * has two registers, because new orders draw numbers from one column and payments add to another.
 * An order's lines are in its row; items never change and are left out.
 */
enum { WAREHOUSES, NUMBERS, SUMS, CUSTOMERS, STOCK, ORDERS };
static const struct esse_gen_mix tpcc = {
    .tables = { [WAREHOUSES] = { "warehouse", 1, false },
                [NUMBERS] = { "district's next order", 10, false },
                [SUMS] = { "district's payments", 10, false },
                [CUSTOMERS] = { "customer", 2979, false },
                [STOCK] = { "stock", 4000, false },
                [ORDERS] = { "order", 3000, true } },
    .shapes = {
        { "new-order", 45,
          { { ESSE_GEN_MODIFY, NUMBERS, 1, 1 },
            { ESSE_GEN_LOOK, CUSTOMERS, 1, 1 },
            { ESSE_GEN_MODIFY, STOCK, 5, 15 },
            { ESSE_GEN_ADD, ORDERS, 1, 1 } } },
        { "payment", 43,
          { { ESSE_GEN_MODIFY, CUSTOMERS, 1, 1 },
            { ESSE_GEN_MODIFY, SUMS, 1, 1 },
            { ESSE_GEN_MODIFY, WAREHOUSES, 1, 1 } } },
        { "order-status", 4, { { ESSE_GEN_LOOK, CUSTOMERS, 1, 1 }, { ESSE_GEN_LOOK, ORDERS, 1, 1 } } },
        { "delivery", 4, { { ESSE_GEN_MODIFY, ORDERS, 10, 10 }, { ESSE_GEN_MODIFY, CUSTOMERS, 10, 10 } } },
        { "stock-level", 4,
          { { ESSE_GEN_LOOK, NUMBERS, 1, 1 },
            { ESSE_GEN_LOOK, ORDERS, 20, 20 },
            { ESSE_GEN_LOOK, STOCK, 20, 20 } } },
    },
};

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
      .mix = &twitter },
    { "tpcc", "TPC-C's mix over registers; a warehouse for each 10,000 keys", REGISTERS,
      .mix = &tpcc },
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
        .ops = preset->mix ? esse_gen_mix_ops(preset->mix) : preset->ops,
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

uint64_t esse_gen_mix_ops(const struct esse_gen_mix *mix)
{
    uint64_t longest = 0;
    for (unsigned s = 0; s < ESSE_GEN_SHAPES; s++) {
        uint64_t ops = 0;
        for (unsigned p = 0; p < ESSE_GEN_PARTS; p++) {
            const struct esse_gen_part *part = &mix->shapes[s].parts[p];
            ops += part->access == ESSE_GEN_MODIFY ? 2u * part->most : part->most;
        }
        if (ops > longest)
            longest = ops;
    }
    return longest;
}
