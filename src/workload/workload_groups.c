#include "workload/workload_parts.h"

#include <stdatomic.h>

/*
 * Jepsen's workloads in which every row is written once, so that the order of versions is never in
 * doubt.  Rows come in small groups, and sessions work their way from group to group together.
 *
 * long-fork: a writer inserts one row of a group, a reader looks at all of them.
 * write-skew: each transaction reads a pair and inserts one of it if neither is there; if two
 * succeed, each missed the other.
 */
enum { MOST_GROUP = 16, VISITS = 6 }; /* transactions that meet in a group, for each of its rows */

struct shared {
    bool is_skew;
    uint32_t group; /* rows of a group */
    struct esse_table table;
    _Atomic uint64_t visits;
};

struct session {
    struct esse_draw_state draw_state;
    int64_t first; /* row of the group */
    uint32_t mine; /* the one that is written; 'group' for a reader */
    uint32_t step;
    bool has_written, is_found;
};

static struct shared *shared_of(const struct session *session)
{
    return session->draw_state.shared;
}

static bool open_groups(struct esse_arena *arena, const struct esse_live_workload *workload,
                        const struct esse_workload_options *options, void **out,
                        struct esse_schema *schema, struct esse_error *err)
{
    struct shared *shared = esse_arena_alloc(arena, 1, sizeof *shared);
    shared->is_skew = workload == &esse_workload_write_skew;
    if (options->ops < 2 || options->ops > MOST_GROUP)
        return esse_fail(err, ESSE_EUSAGE,
                         "--ops is the size of a group here, and must be from 2 to %d", MOST_GROUP);
    shared->group = (uint32_t)options->ops;
    /* More groups than sessions can be at work in, however late one of them is. */
    shared->table = (struct esse_table){ .name = "rows",
                                         .in_use = shared->group * (4 + options->sessions),
                                         .is_growing = true };
    *schema = (struct esse_schema){ .tables = &shared->table, .count = 1 };
    *out = shared;
    return true;
}

static void begin(struct esse_draw_state *draw_state, bool is_again)
{
    struct session *session = (struct session *)draw_state;
    struct shared *shared = shared_of(session);
    (void)is_again;
    const uint64_t visit = atomic_fetch_add_explicit(&shared->visits, 1, memory_order_relaxed);
    const uint64_t in_group = (uint64_t)shared->group * VISITS;
    session->first = (int64_t)(visit / in_group * shared->group);
    session->step = 0;
    session->has_written = session->is_found = false;
    /* Each row has one writer, the others read; in pairs all would write. */
    const bool writes = shared->is_skew || visit % VISITS == 0;
    session->mine = !writes ? shared->group : (uint32_t)(visit % in_group / VISITS);
    if (shared->is_skew)
        session->mine = esse_rng_below(&draw_state->rng, shared->group);
    draw_state->is_read_only = !writes;
}

static bool ask_write(struct session *session, struct esse_request *request)
{
    session->has_written = true;
    request->ask = ESSE_ASK_WRITE;
    request->row = session->first + session->mine;
    request->value = esse_drawn_value(&session->draw_state);
    return true;
}

static bool next(struct esse_draw_state *draw_state, int64_t read, struct esse_request *request)
{
    struct session *session = (struct session *)draw_state;
    const struct shared *shared = shared_of(session);
    const bool reads = shared->is_skew || session->mine == shared->group;
    if (!session->has_written && read != ESSE_ABSENT)
        session->is_found = true;
    if (reads && session->step < shared->group) {
        request->ask = ESSE_ASK_READ;
        request->row = session->first + session->step++;
        return true;
    }
    if (session->mine < shared->group && !session->has_written && !session->is_found)
        return ask_write(session, request);
    return false;
}

const struct esse_live_workload esse_workload_long_fork = {
    .name = "long-fork",
    .meaning = "Jepsen's: rows written once in groups, readers that must see them in one order",
    .defaults = { .keys = 1, .ops = 3 },
    .open = open_groups,
    .session_size = sizeof(struct session),
    .begin = begin,
    .next = next,
};

const struct esse_live_workload esse_workload_write_skew = {
    .name = "write-skew",
    .meaning = "pairs of which one row may be inserted if neither is there",
    .defaults = { .keys = 1, .ops = 2 },
    .open = open_groups,
    .session_size = sizeof(struct session),
    .begin = begin,
    .next = next,
};
