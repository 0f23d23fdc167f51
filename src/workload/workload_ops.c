#include "base/put.h"
#include "workload/workload_parts.h"

#include <stdatomic.h>

/*
 * Workloads whose operations are drawn one by one: lists, registers, rows with predicates, and what
 * papers make of them.
 *
 * Values that predicates find are group * scale + number: the number is the drawn one, and a
 * predicate asks for 'width' groups that follow each other.  There are as many groups as rows, from
 * 1000 to 10^6, and all values are below 10^15.
 */
enum { MOST_OPS = 1000000, LEAST_GROUPS = 1000, MOST_GROUPS = 1000000, WHERE_ROOM = 100 };
static const int64_t beyond_values = 1000000000000000;
static const uint64_t most_summed = 1000; /* rows of which any sum fits 64 bits */

/* What rows of the table at the end differ in. */
struct kind {
    bool is_list, has_predicates;
    bool is_filled; /* all rows are there from the start */
};

struct shared {
    const struct kind *kind;
    struct esse_table table;
    struct esse_keys keys;
    uint32_t groups, width;
    int64_t scale;
    _Atomic uint32_t *writes; /* to each slot, if keys retire */
};

enum step { READ, MATCH, WRITE, CHANGE, READ_FIRST, WRITE_AFTER }; /* the last two: one row */

struct session {
    struct esse_draw_state draw_state;
    uint8_t *plan; /* enum step */
    uint32_t planned, done;
    int64_t row; /* that was asked for last */
    char where[WHERE_ROOM];
};

static struct shared *shared_of(const struct session *session)
{
    return session->draw_state.shared;
}

static void open_groups(struct shared *shared, const struct esse_workload_options *options)
{
    const uint64_t keys = options->keys;
    shared->groups = keys < LEAST_GROUPS  ? LEAST_GROUPS
                     : keys > MOST_GROUPS ? MOST_GROUPS
                                          : (uint32_t)keys;
    for (shared->scale = 1; shared->scale * 10 * shared->groups <= beyond_values;)
        shared->scale *= 10;
    const uint64_t width = options->rows_matching * shared->groups / keys;
    shared->width = width > shared->groups ? shared->groups : width < 1 ? 1 : (uint32_t)width;
}

static int64_t grouped_value(const struct shared *shared, struct esse_rng *rng, int64_t number)
{
    return shared->scale * esse_rng_below(rng, shared->groups) + number;
}

/* Half the rows that predicates find are there, for rows come and go. */
static const int64_t *initial_values(struct esse_arena *arena, const struct shared *shared,
                                     const struct esse_workload_options *options)
{
    struct esse_rng rng = { options->seed };
    int64_t *initial = esse_arena_alloc(arena, options->keys, sizeof *initial);
    for (uint64_t i = 0; shared->kind->has_predicates && i < options->keys; i++)
        initial[i] =
            i % 2 && !shared->kind->is_filled ? ESSE_ABSENT : grouped_value(shared, &rng, 0);
    return initial;
}

static bool validate(const struct kind *kind, const struct esse_workload_options *options,
                     struct esse_error *err)
{
    if (options->ops < 1 || options->ops > MOST_OPS)
        return esse_fail(err, ESSE_EUSAGE, "--ops must be from 1 to %d", MOST_OPS);
    if (options->ops_spread >= options->ops)
        return esse_fail(err, ESSE_EUSAGE, "--ops-spread must be from 0 to %d",
                         (int)options->ops - 1);
    return !kind->has_predicates ||
           (options->rows_matching >= 1 && options->rows_matching <= 100000000) ||
           esse_fail(err, ESSE_EUSAGE, "--rows-matching must be from 1 to 100000000");
}

static bool open_shared(struct esse_arena *arena, const struct esse_live_workload *workload,
                        const struct esse_workload_options *options, void **out,
                        struct esse_schema *schema, struct esse_error *err)
{
    struct shared *shared = esse_arena_alloc(arena, 1, sizeof *shared);
    const struct kind *kind = workload->details;
    shared->kind = kind;
    if (!validate(kind, options, err) ||
        !esse_keys_open(&shared->keys, arena, options->keys, options->zipf_theta, err))
        return false;
    open_groups(shared, options);
    shared->table = (struct esse_table){ .name = kind->is_list ? "lists" : "rows",
                                         .is_list = kind->is_list,
                                         .has_ranges = kind->has_predicates,
                                         .is_optional = !kind->has_predicates,
                                         .in_use = options->keys,
                                         .is_growing = options->max_writes > 0 };
    if (options->max_writes)
        shared->writes = esse_arena_alloc(arena, options->keys, sizeof *shared->writes);
    if (kind->has_predicates || kind->is_filled) {
        shared->table.rows = options->keys;
        shared->table.initial = initial_values(arena, shared, options);
    }
    *schema = (struct esse_schema){ .tables = &shared->table, .count = 1 };
    *out = shared;
    return true;
}

static void open_session(struct esse_arena *arena, struct esse_draw_state *draw_state)
{
    const uint64_t ops = draw_state->options->ops + draw_state->options->ops_spread;
    ((struct session *)draw_state)->plan = esse_arena_alloc(arena, ops, sizeof(uint8_t));
}

static enum step draw_step(struct session *session, bool is_read, bool has_room)
{
    struct esse_draw_state *draw_state = &session->draw_state;
    const struct esse_workload_options *options = draw_state->options;
    if (shared_of(session)->kind->has_predicates && (is_read || !options->is_pure) &&
        esse_drawn(draw_state, options->predicate_share))
        return is_read ? MATCH : CHANGE;
    if (is_read)
        return READ;
    if (!esse_drawn(draw_state, options->rmw_share))
        return WRITE;
    return has_room ? READ_FIRST : READ;
}

static void begin(struct esse_draw_state *draw_state, bool is_again)
{
    struct session *session = (struct session *)draw_state;
    const struct esse_workload_options *options = draw_state->options;
    const uint32_t spread = (uint32_t)options->ops_spread;
    const bool only_reads = options->is_pure && esse_drawn(draw_state, options->read_share);
    (void)is_again;
    session->planned = (uint32_t)options->ops;
    if (spread)
        session->planned += esse_rng_below(&draw_state->rng, 2 * spread + 1) - spread;
    session->done = 0;
    draw_state->is_read_only = true;
    for (uint32_t i = 0; i < session->planned; i++) {
        const bool is_read =
            options->is_pure ? only_reads : esse_drawn(draw_state, options->read_share);
        session->plan[i] = (uint8_t)draw_step(session, is_read, i + 1 < session->planned);
        draw_state->is_read_only &= session->plan[i] == READ || session->plan[i] == MATCH;
        if (session->plan[i] == READ_FIRST)
            session->plan[++i] = WRITE_AFTER;
    }
}

/* The row in a slot: a fresh one when the last has taken its writes.  Of several sessions that
 * write the last version at once some may be one too many: the limit is to keep lists short. */
static int64_t row_of(const struct session *session, uint32_t slot, bool is_write)
{
    const struct esse_workload_options *options = session->draw_state.options;
    struct shared *shared = shared_of(session);
    if (!shared->writes)
        return slot;
    const uint32_t writes =
        is_write ? atomic_fetch_add_explicit(&shared->writes[slot], 1, memory_order_relaxed)
                 : atomic_load_explicit(&shared->writes[slot], memory_order_relaxed);
    return (int64_t)(slot + options->keys * (writes / options->max_writes));
}

static int64_t next_value(struct session *session)
{
    struct esse_draw_state *draw_state = &session->draw_state;
    const struct shared *shared = shared_of(session);
    const int64_t value = esse_drawn_value(draw_state);
    return shared->kind->has_predicates ? grouped_value(shared, &draw_state->rng, value) : value;
}

static void draw_range(struct session *session, struct esse_request *request)
{
    const struct shared *shared = shared_of(session);
    const uint32_t first =
        esse_rng_below(&session->draw_state.rng, shared->groups - shared->width + 1);
    request->low = shared->scale * first;
    request->high = shared->scale * (first + shared->width) - 1;
    request->is_range = true;
    request->where = session->where;
    char *to = esse_put_i64(esse_put_text(session->where, "v >= "), request->low);
    to = esse_put_i64(esse_put_text(to, " AND v <= "), request->high);
    *to = 0;
}

static void draw_predicate(struct session *session, struct esse_request *request, bool is_read)
{
    struct esse_draw_state *draw_state = &session->draw_state;
    draw_range(session, request);
    request->ask = is_read ? ESSE_ASK_MATCH : ESSE_ASK_CHANGE;
    if (!is_read)
        request->value = next_value(session);
    if (!is_read || !esse_drawn(draw_state, draw_state->options->aggregate_share))
        return;
    request->ask = ESSE_ASK_AGGREGATE;
    request->aggregate = (enum esse_aggregate)esse_rng_below(&draw_state->rng, ESSE_AGGREGATES);
    if (draw_state->options->keys > most_summed && request->aggregate == ESSE_AGGREGATE_SUM)
        request->aggregate = ESSE_AGGREGATE_COUNT;
}

static void draw_write(struct session *session, struct esse_request *request)
{
    const struct kind *kind = shared_of(session)->kind;
    struct esse_draw_state *draw_state = &session->draw_state;
    if (kind->has_predicates && esse_drawn(draw_state, draw_state->options->delete_share)) {
        request->ask = ESSE_ASK_DELETE;
        return;
    }
    request->ask = kind->is_list ? ESSE_ASK_APPEND : ESSE_ASK_WRITE;
    request->value = next_value(session);
}

static bool next(struct esse_draw_state *draw_state, int64_t read, struct esse_request *request)
{
    struct session *session = (struct session *)draw_state;
    (void)read;
    if (session->done == session->planned)
        return false;
    const enum step step = session->plan[session->done++];
    if (step == MATCH || step == CHANGE) {
        draw_predicate(session, request, step == MATCH);
        return true;
    }
    if (step != WRITE_AFTER)
        session->row =
            row_of(session, esse_keys_draw(&shared_of(session)->keys, draw_state), step != READ);
    request->row = session->row;
    request->ask = ESSE_ASK_READ;
    if (step == WRITE || step == WRITE_AFTER)
        draw_write(session, request);
    return true;
}

static const struct kind lists = { .is_list = true };
static const struct kind registers = { 0 };
static const struct kind filled = { .is_filled = true };
static const struct kind rows = { .has_predicates = true };
static const struct kind filled_rows = { .is_filled = true, .has_predicates = true };

#define OPS                                                                                        \
    .open = open_shared, .session_size = sizeof(struct session), .session = open_session,          \
    .begin = begin, .next = next
#define PAPER OPS, .details = &filled

const struct esse_live_workload esse_workload_list_append = {
    .name = "list-append",
    .meaning = "lists, appended to and read whole: shows the most with the least",
    .needs = ESSE_CAN_LISTS,
    .defaults = { .keys = 10, .ops = 4, .max_writes = 8, .read_share = 0.5 },
    .details = &lists,
    OPS,
};
const struct esse_live_workload esse_workload_rw_register = {
    .name = "rw-register",
    .meaning = "registers, read and overwritten blindly",
    .defaults = { .keys = 100, .ops = 4, .read_share = 0.5 },
    .details = &registers,
    OPS,
};
const struct esse_live_workload esse_workload_predicate = {
    .name = "predicate",
    .meaning = "rows that come and go, found by ranges, aggregated, updated by condition",
    .needs = ESSE_CAN_PREDICATES | ESSE_CAN_AGGREGATES | ESSE_CAN_DELETE,
    .defaults = { .keys = 30,
                  .ops = 4,
                  .read_share = 0.5,
                  .predicate_share = 0.4,
                  .aggregate_share = 0.25,
                  .delete_share = 0.2,
                  .rows_matching = 4 },
    .details = &rows,
    OPS,
};
const struct esse_live_workload esse_workload_blindw_rh = {
    .name = "blindw-rh",
    .meaning = "Cobra's: transactions read 8 rows or overwrite 8 blindly; 80 % read",
    .defaults = { .keys = 10000, .ops = 8, .read_share = 0.8, .is_pure = true },
    PAPER,
};
const struct esse_live_workload esse_workload_blindw_rw = {
    .name = "blindw-rw",
    .meaning = "the same, 50 % read",
    .defaults = { .keys = 10000, .ops = 8, .read_share = 0.5, .is_pure = true },
    PAPER,
};
const struct esse_live_workload esse_workload_blindw_wh = {
    .name = "blindw-wh",
    .meaning = "the same, 20 % read",
    .defaults = { .keys = 10000, .ops = 8, .read_share = 0.2, .is_pure = true },
    PAPER,
};
const struct esse_live_workload esse_workload_blindw_pred = {
    .name = "blindw-pred",
    .meaning = "blindw-rw where half of the reads are range queries",
    .needs = ESSE_CAN_PREDICATES,
    .defaults = { .keys = 1000,
                  .ops = 8,
                  .read_share = 0.5,
                  .predicate_share = 0.5,
                  .is_pure = true,
                  .rows_matching = 4 },
    .details = &filled_rows,
    OPS,
};
const struct esse_live_workload esse_workload_ycsb_a = {
    .name = "ycsb-a",
    .meaning = "YCSB's update heavy: half reads, half blind writes, hot rows",
    .defaults = { .keys = 1000, .ops = 4, .read_share = 0.5, .zipf_theta = 0.99 },
    PAPER,
};
const struct esse_live_workload esse_workload_ycsb_b = {
    .name = "ycsb-b",
    .meaning = "YCSB's read mostly: 95 % reads, hot rows",
    .defaults = { .keys = 1000, .ops = 4, .read_share = 0.95, .zipf_theta = 0.99 },
    PAPER,
};
const struct esse_live_workload esse_workload_ycsb_f = {
    .name = "ycsb-f",
    .meaning = "YCSB's read-modify-write: half reads, half read and then written, hot rows",
    .defaults = { .keys = 1000, .ops = 4, .read_share = 0.5, .zipf_theta = 0.99, .rmw_share = 1 },
    PAPER,
};
const struct esse_live_workload esse_workload_rmw = {
    .name = "rmw",
    .meaning = "every write reads its row first; few other reads",
    .defaults = { .keys = 10000, .ops = 8, .read_share = 0.1, .rmw_share = 1 },
    PAPER,
};
const struct esse_live_workload esse_workload_heavy_write = {
    .name = "heavy-write",
    .meaning = "80 % blind writes, among reads",
    .defaults = { .keys = 10000, .ops = 8, .read_share = 0.2 },
    PAPER,
};
