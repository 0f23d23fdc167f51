#include "workload/mix.h"

/* After Cobra's C-Twitter: users have rows, tweets are a log.  A follow and an unfollow change
 * both users. */
enum { USERS, TWEETS };
const struct esse_mix esse_mix_twitter = {
    .tables = { [USERS] = { "user", 5000, false }, [TWEETS] = { "tweet", 5000, true } },
    .shapes = {
        { "tweet", 10, { { ESSE_MIX_ADD, TWEETS, 1, 1 }, { ESSE_MIX_MODIFY, USERS, 2, 2 } } },
        { "follow", 10, { { ESSE_MIX_MODIFY, USERS, 2, 2 } } },
        { "timeline", 80, { { ESSE_MIX_LOOK, USERS, 4, 10 }, { ESSE_MIX_LOOK, TWEETS, 4, 10 } } },
    },
};

/*
 * After TPC-C, a row as one register: 10,000 keys are a warehouse with ten districts.  A district
 * has two registers, because new orders draw numbers from one column and payments add to another.
 * An order's lines are in its row; items never change and are left out.
 */
enum { WAREHOUSES, NUMBERS, SUMS, CUSTOMERS, STOCK, ORDERS };
const struct esse_mix esse_mix_tpcc = {
    .tables = { [WAREHOUSES] = { "warehouse", 1, false },
                [NUMBERS] = { "next_order", 10, false },
                [SUMS] = { "payments", 10, false },
                [CUSTOMERS] = { "customer", 2979, false },
                [STOCK] = { "stock", 4000, false },
                [ORDERS] = { "order", 3000, true } },
    .shapes = {
        { "new-order", 45,
          { { ESSE_MIX_MODIFY, NUMBERS, 1, 1 },
            { ESSE_MIX_LOOK, CUSTOMERS, 1, 1 },
            { ESSE_MIX_MODIFY, STOCK, 5, 15 },
            { ESSE_MIX_ADD, ORDERS, 1, 1 } } },
        { "payment", 43,
          { { ESSE_MIX_MODIFY, CUSTOMERS, 1, 1 },
            { ESSE_MIX_MODIFY, SUMS, 1, 1 },
            { ESSE_MIX_MODIFY, WAREHOUSES, 1, 1 } } },
        { "order-status", 4, { { ESSE_MIX_LOOK, CUSTOMERS, 1, 1 }, { ESSE_MIX_LOOK, ORDERS, 1, 1 } } },
        { "delivery", 4, { { ESSE_MIX_MODIFY, ORDERS, 10, 10 }, { ESSE_MIX_MODIFY, CUSTOMERS, 10, 10 } } },
        { "stock-level", 4,
          { { ESSE_MIX_LOOK, NUMBERS, 1, 1 },
            { ESSE_MIX_LOOK, ORDERS, 20, 20 },
            { ESSE_MIX_LOOK, STOCK, 20, 20 } } },
    },
};

/* After RUBiS's bidding mix, a row as one register: users have ratings, items their highest bid and
 * how many are left; bids, purchases and comments are logs. */
enum { PEOPLE, ITEMS, BIDS, SALES, COMMENTS };
const struct esse_mix esse_mix_rubis = {
    .tables = { [PEOPLE] = { "person", 3000, false },
                [ITEMS] = { "item", 4000, false },
                [BIDS] = { "bid", 2000, true },
                [SALES] = { "sale", 500, true },
                [COMMENTS] = { "comment", 500, true } },
    .shapes = {
        { "browse", 55, { { ESSE_MIX_LOOK, ITEMS, 5, 15 }, { ESSE_MIX_LOOK, PEOPLE, 1, 3 } } },
        { "bid", 20,
          { { ESSE_MIX_LOOK, PEOPLE, 1, 1 },
            { ESSE_MIX_MODIFY, ITEMS, 1, 1 },
            { ESSE_MIX_ADD, BIDS, 1, 1 } } },
        { "history", 10, { { ESSE_MIX_LOOK, ITEMS, 1, 1 }, { ESSE_MIX_LOOK, BIDS, 5, 15 } } },
        { "buy", 10,
          { { ESSE_MIX_LOOK, PEOPLE, 1, 1 },
            { ESSE_MIX_MODIFY, ITEMS, 1, 1 },
            { ESSE_MIX_ADD, SALES, 1, 1 } } },
        { "comment", 5, { { ESSE_MIX_MODIFY, PEOPLE, 1, 1 }, { ESSE_MIX_ADD, COMMENTS, 1, 1 } } },
    },
};
