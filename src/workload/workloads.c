#include "workload/workload_parts.h"

#include <string.h>

const struct esse_live_workload *const esse_workloads[] = {
    &esse_workload_list_append, &esse_workload_rw_register, &esse_workload_predicate,
    &esse_workload_bank,        &esse_workload_long_fork,   &esse_workload_write_skew,
    &esse_workload_blindw_rh,   &esse_workload_blindw_rw,   &esse_workload_blindw_wh,
    &esse_workload_blindw_pred, &esse_workload_smallbank,   &esse_workload_ycsb_a,
    &esse_workload_ycsb_b,      &esse_workload_ycsb_f,      &esse_workload_rmw,
    &esse_workload_heavy_write, &esse_workload_twitter,     &esse_workload_rubis,
    &esse_workload_tpcc,        &esse_workload_sql,         NULL,
};

const char *const esse_aggregate_texts[] = {
    [ESSE_AGGREGATE_COUNT] = "count(*)",
    [ESSE_AGGREGATE_SUM] = "sum(v)",
    [ESSE_AGGREGATE_MIN] = "min(v + 0)",
    [ESSE_AGGREGATE_MAX] = "max(v + 0)",
};

const struct esse_live_workload *esse_workload_find(const char *name)
{
    if (strncmp(name, "sql:", 4) == 0)
        return &esse_workload_sql;
    for (size_t i = 0; esse_workloads[i]; i++)
        if (strcmp(esse_workloads[i]->name, name) == 0)
            return esse_workloads[i];
    return NULL;
}

bool esse_keys_open(struct esse_keys *keys, struct esse_arena *arena, uint64_t count,
                    double zipf_theta, struct esse_error *err)
{
    enum { MOST = 100000000 };
    if (count < 1 || count > MOST)
        return esse_fail(err, ESSE_EUSAGE, "--keys must be from 1 to %d", MOST);
    keys->count = (uint32_t)count;
    keys->zipf = zipf_theta > 0 ? esse_zipf_new(arena, keys->count, zipf_theta) : NULL;
    return true;
}

uint32_t esse_keys_draw(const struct esse_keys *keys, struct esse_draw_state *draw_state)
{
    return keys->zipf ? esse_zipf_draw(keys->zipf, &draw_state->rng)
                      : esse_rng_below(&draw_state->rng, keys->count);
}

struct esse_draw_state *esse_workload_session(const struct esse_live_workload *workload,
                                              struct esse_arena *arena,
                                              const struct esse_workload_options *options,
                                              void *shared, uint32_t session)
{
    struct esse_draw_state *draw_state = esse_arena_alloc(arena, 1, workload->session_size);
    draw_state->options = options;
    draw_state->shared = shared;
    draw_state->session = session;
    draw_state->rng.state = options->seed * 1000003 + session;
    esse_rng_next(&draw_state->rng);
    if (workload->session)
        workload->session(arena, draw_state);
    return draw_state;
}

void esse_workload_begin(const struct esse_live_workload *workload,
                         struct esse_draw_state *draw_state, bool is_again)
{
    draw_state->gives_up = esse_drawn(draw_state, draw_state->options->abort_share);
    workload->begin(draw_state, is_again);
}

bool esse_drawn(struct esse_draw_state *draw_state, double share)
{
    return share > 0 && esse_rng_unit(&draw_state->rng) < share;
}

int64_t esse_amount_value(struct esse_draw_state *draw_state, int64_t amount)
{
    return amount * ESSE_AMOUNT_SCALE + esse_drawn_value(draw_state);
}

int64_t esse_amount_of(int64_t value)
{
    if (value == ESSE_ABSENT)
        return 0;
    const int64_t amount = value / ESSE_AMOUNT_SCALE;
    return amount - (value % ESSE_AMOUNT_SCALE < 0);
}

const int64_t *esse_amounts(struct esse_arena *arena, uint64_t count, int64_t amount)
{
    int64_t *values = esse_arena_alloc(arena, count, sizeof *values);
    for (uint64_t i = 0; i < count; i++)
        values[i] = amount * ESSE_AMOUNT_SCALE;
    return values;
}
