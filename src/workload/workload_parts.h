#ifndef ESSE_WORKLOAD_WORKLOAD_PARTS_H
#define ESSE_WORKLOAD_WORKLOAD_PARTS_H

#include "base/zipf.h"
#include "workload/workload.h"

/* What workloads are made of, shared by the files of this folder and no others. */

extern const struct esse_live_workload esse_workload_list_append, esse_workload_rw_register,
    esse_workload_predicate, esse_workload_blindw_rh, esse_workload_blindw_rw,
    esse_workload_blindw_wh, esse_workload_blindw_pred, esse_workload_ycsb_a, esse_workload_ycsb_b,
    esse_workload_ycsb_f, esse_workload_rmw, esse_workload_heavy_write, esse_workload_bank,
    esse_workload_long_fork, esse_workload_write_skew, esse_workload_smallbank,
    esse_workload_twitter, esse_workload_rubis, esse_workload_tpcc, esse_workload_sql;

/* Rows to draw from: uniform, or some hotter than others. */
struct esse_keys {
    uint32_t count;
    struct esse_zipf *zipf; /* NULL: uniform */
};
bool esse_keys_open(struct esse_keys *keys, struct esse_arena *arena, uint64_t count,
                    double zipf_theta, struct esse_error *err);
uint32_t esse_keys_draw(const struct esse_keys *keys, struct esse_draw_state *draw_state);

/* True in 'share' of the cases. */
bool esse_drawn(struct esse_draw_state *draw_state, double share);

/* Values that mean something keep the drawn number in their low digits: an amount is
 * amount * 10^9 + number, amounts being less than 10^9. */
enum { ESSE_AMOUNT_SCALE = 1000000000 };
int64_t esse_amount_value(struct esse_draw_state *draw_state, int64_t amount);
/* Amounts may be below zero; a row that is not there has none. */
int64_t esse_amount_of(int64_t value);

/* 'count' rows of the same amount, numbered 0: no transaction draws that. */
const int64_t *esse_amounts(struct esse_arena *arena, uint64_t count, int64_t amount);

#endif
