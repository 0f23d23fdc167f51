#include "generate/gen_mix.h"

/* After Cobra's C-Twitter: users have rows, tweets are a log.  A follow and an unfollow change
 * both users. */
enum { USERS, TWEETS };
const struct esse_gen_mix esse_gen_twitter = {
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
const struct esse_gen_mix esse_gen_tpcc = {
    .tables = { [WAREHOUSES] = { "warehouse", 1, false },
                [NUMBERS] = { "next_order", 10, false },
                [SUMS] = { "payments", 10, false },
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

/* After RUBiS's bidding mix, a row as one register: users have ratings, items their highest bid and
 * how many are left; bids, purchases and comments are logs. */
enum { PEOPLE, ITEMS, BIDS, SALES, COMMENTS };
const struct esse_gen_mix esse_gen_rubis = {
    .tables = { [PEOPLE] = { "person", 3000, false },
                [ITEMS] = { "item", 4000, false },
                [BIDS] = { "bid", 2000, true },
                [SALES] = { "sale", 500, true },
                [COMMENTS] = { "comment", 500, true } },
    .shapes = {
        { "browse", 55, { { ESSE_GEN_LOOK, ITEMS, 5, 15 }, { ESSE_GEN_LOOK, PEOPLE, 1, 3 } } },
        { "bid", 20,
          { { ESSE_GEN_LOOK, PEOPLE, 1, 1 },
            { ESSE_GEN_MODIFY, ITEMS, 1, 1 },
            { ESSE_GEN_ADD, BIDS, 1, 1 } } },
        { "history", 10, { { ESSE_GEN_LOOK, ITEMS, 1, 1 }, { ESSE_GEN_LOOK, BIDS, 5, 15 } } },
        { "buy", 10,
          { { ESSE_GEN_LOOK, PEOPLE, 1, 1 },
            { ESSE_GEN_MODIFY, ITEMS, 1, 1 },
            { ESSE_GEN_ADD, SALES, 1, 1 } } },
        { "comment", 5, { { ESSE_GEN_MODIFY, PEOPLE, 1, 1 }, { ESSE_GEN_ADD, COMMENTS, 1, 1 } } },
    },
};

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
