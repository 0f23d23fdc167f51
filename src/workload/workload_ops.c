#include "workload/workload_parts.h"

#include <stdatomic.h>
#include <stdio.h>

/*
 * Workloads whose operations are drawn one by one: lists, registers, rows with predicates, and what
 * papers make of them.
 */
enum { MOST_OPS = 1000 };

/* What rows of the table at the end differ in. */
struct kind {
    bool is_list, has_predicates;
    bool has_aggregates; /* a quarter of the predicate reads: count, sum, min or max */
    bool is_filled;      /* all rows are there from the start */
};

struct shared {
    const struct kind *kind;
    struct esse_table table;
    struct esse_keys keys;
    uint32_t width;           /* groups that a predicate asks for */
    _Atomic uint32_t *writes; /* to each slot, if keys retire */
};

struct session {
    struct esse_drawer drawer;
    uint64_t planned, done;
    bool only_reads, only_writes;
    bool is_writing; /* the row that was read is written next */
    int64_t row;
    char where[ESSE_WHERE_ROOM];
};

static struct shared *shared_of(const struct session *session)
{
    return session->drawer.shared;
}

static bool open_shared(struct esse_arena *arena, const struct esse_live_workload *workload,
                        const struct esse_workload_options *options, void **out,
                        struct esse_schema *schema, struct esse_error *err)
{
    struct shared *shared = esse_arena_alloc(arena, 1, sizeof *shared);
    const struct kind *kind = workload->details;
    if (options->ops < 1 || options->ops > MOST_OPS)
        return esse_fail(err, ESSE_EUSAGE, "--ops must be from 1 to %d", MOST_OPS);
    shared->kind = kind;
    if (!esse_keys_open(&shared->keys, arena, options->keys, options->zipf_theta, err))
        return false;
    shared->table = (struct esse_table){ .name = kind->is_list ? "lists" : "rows",
                                         .is_list = kind->is_list,
                                         .has_ranges = kind->has_predicates };
    if (options->max_writes)
        shared->writes = esse_arena_alloc(arena, options->keys, sizeof *shared->writes);
    else
        shared->table.most_rows = options->keys;
    if (kind->has_predicates || kind->is_filled) {
        struct esse_rng rng = { options->seed };
        int64_t *initial = esse_arena_alloc(arena, options->keys, sizeof *initial);
        for (uint64_t i = 0; i < options->keys; i++)
            initial[i] = !kind->has_predicates ? 0
                         : i % 2 && !kind->is_filled
                             ? ESSE_ABSENT
                             : esse_grouped_value(&rng, 0); /* rows come and go */
        shared->table.rows = options->keys;
        shared->table.initial = initial;
    }
    const uint64_t width = options->rows_matching * ESSE_GROUPS / options->keys;
    shared->width = width < 1 ? 1 : width > ESSE_GROUPS ? ESSE_GROUPS : (uint32_t)width;
    *schema = (struct esse_schema){ .tables = &shared->table, .count = 1 };
    *out = shared;
    return true;
}

static void begin(struct esse_drawer *drawer, bool is_again)
{
    struct session *session = (struct session *)drawer;
    (void)is_again;
    session->planned = drawer->options->ops;
    session->done = 0;
    session->is_writing = false;
    session->only_reads = session->only_writes = false;
    if (drawer->options->is_pure) {
        session->only_reads = esse_drawn(drawer, drawer->options->read_share);
        session->only_writes = !session->only_reads;
    }
    drawer->is_read_only = session->only_reads;
}

/* The row in a slot: a fresh one when the last has taken its writes.  Of several sessions that
 * write the last version at once some may be one too many: the limit is to keep lists short. */
static int64_t row_of(const struct session *session, uint32_t slot, bool is_write)
{
    const struct esse_workload_options *options = session->drawer.options;
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
    struct esse_drawer *drawer = &session->drawer;
    const int64_t value = esse_drawn_value(drawer);
    return shared_of(session)->kind->has_predicates ? esse_grouped_value(&drawer->rng, value)
                                                    : value;
}

static void draw_predicate(struct session *session, struct esse_request *request, bool is_read)
{
    struct esse_drawer *drawer = &session->drawer;
    const uint32_t kind = esse_rng_below(&drawer->rng, 4);
    esse_grouped_range(&drawer->rng, shared_of(session)->width, request, session->where);
    request->ask = !is_read                                                ? ESSE_ASK_CHANGE
                   : shared_of(session)->kind->has_aggregates && kind == 0 ? ESSE_ASK_AGGREGATE
                                                                           : ESSE_ASK_MATCH;
    request->aggregate = (enum esse_aggregate)esse_rng_below(&drawer->rng, ESSE_AGGREGATES);
    if (!is_read)
        request->value = next_value(session);
}

static void draw_write(struct session *session, struct esse_request *request)
{
    struct shared *shared = shared_of(session);
    struct esse_drawer *drawer = &session->drawer;
    if (shared->kind->has_predicates && esse_drawn(drawer, drawer->options->delete_share)) {
        request->ask = ESSE_ASK_DELETE;
        return;
    }
    request->ask = shared->kind->is_list ? ESSE_ASK_APPEND : ESSE_ASK_WRITE;
    request->value = next_value(session);
}

static void draw(struct session *session, struct esse_request *request)
{
    struct shared *shared = shared_of(session);
    struct esse_drawer *drawer = &session->drawer;
    const bool is_read = session->only_reads ||
                         (!session->only_writes && esse_drawn(drawer, drawer->options->read_share));
    if (shared->kind->has_predicates && (is_read || !drawer->options->is_pure) &&
        esse_drawn(drawer, drawer->options->predicate_share)) {
        draw_predicate(session, request, is_read);
        return;
    }
    const bool reads_first = !is_read && esse_drawn(drawer, drawer->options->rmw_share);
    const bool has_room = session->done < session->planned;
    request->row = row_of(session, esse_keys_draw(&shared->keys, drawer),
                          !is_read && (!reads_first || has_room));
    session->row = request->row;
    session->is_writing = reads_first && has_room;
    if (is_read || reads_first)
        request->ask = ESSE_ASK_READ;
    else
        draw_write(session, request);
}

static bool next(struct esse_drawer *drawer, int64_t read, struct esse_request *request)
{
    struct session *session = (struct session *)drawer;
    (void)read;
    if (session->done == session->planned)
        return false;
    session->done++;
    if (session->is_writing) {
        session->is_writing = false;
        request->row = session->row;
        draw_write(session, request);
    } else {
        draw(session, request);
    }
    return true;
}

static const struct kind lists = { .is_list = true };
static const struct kind registers = { 0 };
static const struct kind filled = { .is_filled = true };
static const struct kind rows = { .has_predicates = true, .has_aggregates = true };
static const struct kind filled_rows = { .is_filled = true, .has_predicates = true };

#define OPS                                                                                        \
    .open = open_shared, .session_size = sizeof(struct session), .begin = begin, .next = next
#define PAPER OPS, .is_drawn = true, .details = &filled

const struct esse_live_workload esse_workload_list_append = {
    .name = "list-append",
    .meaning = "lists, appended to and read whole: shows the most with the least",
    .needs = ESSE_CAN_LISTS,
    .defaults = { .keys = 10, .ops = 4, .max_writes = 8, .read_share = 0.5 },
    .details = &lists,
    .is_drawn = true,
    OPS,
};
const struct esse_live_workload esse_workload_rw_register = {
    .name = "rw-register",
    .meaning = "registers, read and overwritten blindly",
    .defaults = { .keys = 100, .ops = 4, .read_share = 0.5 },
    .details = &registers,
    .is_drawn = true,
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
                  .delete_share = 0.2,
                  .rows_matching = 4 },
    .details = &rows,
    .is_drawn = true,
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
