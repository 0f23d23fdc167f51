#include "workload/mix.h"
#include "workload/workload_parts.h"

#include <stdatomic.h>

/*
 * Applications: the mixes of mix.c, whose transactions have shapes, on tables of their own.
 * A part of a shape looks at rows, reads and writes them, or inserts into a log.
 */
struct region {
    struct esse_keys keys; /* of tables that are no logs */
    bool is_log;
    _Atomic int64_t next; /* of a log: the row that is inserted next */
};

struct shared {
    const struct esse_mix *mix;
    struct esse_table tables[ESSE_MIX_TABLES];
    struct region regions[ESSE_MIX_TABLES];
};

struct session {
    struct esse_draw_state draw_state;
    unsigned shape, part;
    uint32_t left;   /* rows of the part */
    bool is_writing; /* the row that was read is written next */
    int64_t row;
};

static struct shared *shared_of(const struct session *session)
{
    return session->draw_state.shared;
}

enum { FIRST_LOG_ROWS = 100 };

static void open_table(struct shared *shared, struct esse_arena *arena,
                       const struct esse_workload_options *options, unsigned number)
{
    struct region *region = &shared->regions[number];
    const uint64_t share = options->keys * shared->mix->tables[number].share / ESSE_MIX_SHARES;
    const uint64_t in_use = share ? share : 1;
    region->is_log = shared->mix->tables[number].is_log;
    const uint64_t rows = region->is_log ? FIRST_LOG_ROWS : in_use;
    region->keys.count = (uint32_t)rows;
    if (options->zipf_theta > 0 && !region->is_log)
        region->keys.zipf = esse_zipf_new(arena, region->keys.count, options->zipf_theta);
    atomic_init(&region->next, (int64_t)rows);
    shared->tables[number] = (struct esse_table){ .name = shared->mix->tables[number].name,
                                                  .rows = rows,
                                                  .initial = esse_amounts(arena, rows, 0),
                                                  .is_optional = true,
                                                  .in_use = in_use,
                                                  .is_growing = region->is_log };
}

static bool open_mix(struct esse_arena *arena, const struct esse_live_workload *workload,
                     const struct esse_workload_options *options, void **out,
                     struct esse_schema *schema, struct esse_error *err)
{
    struct shared *shared = esse_arena_alloc(arena, 1, sizeof *shared);
    struct esse_keys keys;
    shared->mix = workload->mix;
    if (!esse_keys_open(&keys, arena, options->keys, 0, err))
        return false;
    uint32_t count = 0;
    while (count < ESSE_MIX_TABLES && shared->mix->tables[count].share)
        open_table(shared, arena, options, count++);
    *schema = (struct esse_schema){ .tables = shared->tables, .count = count };
    *out = shared;
    return true;
}

static unsigned draw_shape(const struct esse_mix *mix, struct esse_rng *rng)
{
    uint32_t percent = esse_rng_below(rng, 100);
    unsigned shape = 0;
    for (; percent >= mix->shapes[shape].percent; shape++)
        percent -= mix->shapes[shape].percent;
    return shape;
}

static uint32_t draw_rows(const struct esse_mix_part *part, struct esse_rng *rng)
{
    const uint32_t spread = (uint32_t)part->most - part->least;
    return part->least + (spread ? esse_rng_below(rng, spread + 1) : 0);
}

static const struct esse_mix_part *part_of(const struct session *session)
{
    return &shared_of(session)->mix->shapes[session->shape].parts[session->part];
}

static void begin_part(struct session *session, unsigned number)
{
    session->part = number;
    session->left = 0;
    if (number < ESSE_MIX_PARTS)
        session->left = draw_rows(part_of(session), &session->draw_state.rng);
}

static void begin(struct esse_draw_state *draw_state, bool is_again)
{
    struct session *session = (struct session *)draw_state;
    const struct esse_mix *mix = shared_of(session)->mix;
    if (!is_again)
        session->shape = draw_shape(mix, &draw_state->rng);
    draw_state->is_read_only = true;
    for (unsigned p = 0; p < ESSE_MIX_PARTS; p++)
        if (mix->shapes[session->shape].parts[p].most &&
            mix->shapes[session->shape].parts[p].access != ESSE_MIX_LOOK)
            draw_state->is_read_only = false;
    session->is_writing = false;
    begin_part(session, 0);
}

/* Of a log mostly the newest rows, but not those that are still being inserted. */
static int64_t draw_row(struct session *session, struct region *region)
{
    if (!region->is_log)
        return esse_keys_draw(&region->keys, &session->draw_state);
    const int64_t newest = atomic_load_explicit(&region->next, memory_order_relaxed) - 1;
    uint32_t back = (uint32_t)session->draw_state.options->sessions;
    for (uint32_t reach = 16; esse_rng_below(&session->draw_state.rng, 4) == 0; reach *= 4)
        back += esse_rng_below(&session->draw_state.rng, reach);
    return newest > back ? newest - back : 0;
}

static void ask_write(struct session *session, struct esse_request *request)
{
    request->ask = ESSE_ASK_WRITE;
    request->row = session->row;
    request->value = esse_drawn_value(&session->draw_state);
    session->is_writing = false;
    session->left--;
}

static void ask_row(struct session *session, struct esse_request *request)
{
    const enum esse_mix_access access = part_of(session)->access;
    struct region *region = &shared_of(session)->regions[request->table];
    if (access == ESSE_MIX_ADD) {
        request->ask = ESSE_ASK_INSERT;
        request->row = atomic_fetch_add_explicit(&region->next, 1, memory_order_relaxed);
        request->value = esse_drawn_value(&session->draw_state);
        session->left--;
        return;
    }
    request->ask = ESSE_ASK_READ;
    request->row = session->row = draw_row(session, region);
    session->is_writing = access == ESSE_MIX_MODIFY;
    if (!session->is_writing)
        session->left--;
}

static bool next(struct esse_draw_state *draw_state, int64_t read, struct esse_request *request)
{
    struct session *session = (struct session *)draw_state;
    if (session->is_writing && read == ESSE_ABSENT &&
        shared_of(session)->regions[part_of(session)->table].is_log) { /* nothing to change */
        session->is_writing = false;
        session->left--;
    }
    while (!session->left && session->part < ESSE_MIX_PARTS)
        begin_part(session, session->part + 1);
    if (!session->left)
        return false;
    request->table = part_of(session)->table;
    if (session->is_writing)
        ask_write(session, request);
    else
        ask_row(session, request);
    return true;
}

#define MIX .open = open_mix, .session_size = sizeof(struct session), .begin = begin, .next = next

const struct esse_live_workload esse_workload_twitter = {
    .name = "twitter",
    .meaning = "after Cobra's C-Twitter: tweets, follows and timelines, hot users",
    .defaults = { .keys = 10000, .ops = 20, .zipf_theta = 0.99 },
    .mix = &esse_mix_twitter,
    MIX,
};
const struct esse_live_workload esse_workload_rubis = {
    .name = "rubis",
    .meaning = "after RUBiS: an auction site; items, bids, purchases, comments",
    .defaults = { .keys = 10000, .ops = 18 },
    .mix = &esse_mix_rubis,
    MIX,
};
const struct esse_live_workload esse_workload_tpcc = {
    .name = "tpcc",
    .meaning = "after TPC-C: its five transactions and mix; a warehouse for each 10,000 keys",
    .defaults = { .keys = 10000, .ops = 41 },
    .mix = &esse_mix_tpcc,
    MIX,
};
