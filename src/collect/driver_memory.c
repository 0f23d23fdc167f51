#include "base/vec.h"
#include "base/word_map.h"
#include "collect/drivers.h"
#include "collect/gen.h"
#include "collect/plant.h"
#include "collect/store.h"
#include "history/record.h"

#include <string.h>

/*
 * The generator's store as a database: every level of the store, and bugs on demand.  A bug is a
 * history of some clients that the store plays by itself among those of the run, in rows of its
 * own: the shortest that shows the anomaly (plant.c).
 *
 * The store is not made for threads, so the run has one; sessions interleave by turns.
 */
ESSE_VEC(row_vec, struct esse_live_row)

struct version {
    uint32_t table;
    int64_t row, value, xid;
};
ESSE_VEC(version_vec, struct version)

struct place {
    uint32_t table;
    int64_t row;
};

struct esse_target {
    struct esse_arena *arena;
    enum esse_store_level level;
    const struct esse_gen_anomaly *bug;
    enum esse_gen_workload bug_workload;
    const struct esse_schema *schema;
    struct esse_store *store;
    struct esse_word_map slots; /* by table and row */
    struct place *places;       /* by slot */
    uint32_t slot_count, slot_room;
    uint64_t clock, commits;
    bool is_counting;    /* snapshots and the order of all commits are told */
    bool has_timestamps; /* of snapshots and commits; the bug contradicts nothing else */
    struct version_vec log;
};

struct conn {
    struct esse_conn head;
    struct esse_target *target;
    struct esse_arena *arena;
    uint32_t session;
    struct esse_request request;
    uint64_t seen; /* commits before it began */
    struct row_vec rows;
};

enum { DEFAULT_SLOTS = 1 << 18 };

static const struct esse_claim claims[] = {
    { "strict-serializable", "strict-serializable", "docs/design/generator.md" },
    { "serializable", "serializable", "docs/design/generator.md" },
    { "snapshot-isolation", "snapshot-isolation", "docs/design/generator.md" },
    { "read-committed", "read-committed", "docs/design/generator.md" },
    { "read-uncommitted", "read-uncommitted", "docs/design/generator.md" },
    { 0 },
};

/* ---- target ---- */

/* A bug is told by its name at a level of its own, and some leave the store no choice either. */
static const struct esse_claim *claim(struct esse_arena *arena, const struct esse_url *url)
{
    const char *name = esse_url_parameter(url, "bug");
    const struct esse_gen_anomaly *bug = name ? esse_plant_find(name) : NULL;
    if (!bug || !bug->level)
        return NULL;
    struct esse_claim *made = esse_arena_alloc(arena, 1, sizeof *made);
    *made = (struct esse_claim){ bug->store ? bug->store : claims->setting, bug->level,
                                 "docs/design/generator.md" };
    return made;
}

static bool open_target(struct esse_arena *arena, const struct esse_url *url,
                        const struct esse_claim *isolation, struct esse_target **out,
                        struct esse_error *err)
{
    static const char *const names[] = { "level", "bug", NULL };
    struct esse_target *target = esse_arena_alloc(arena, 1, sizeof *target);
    const char *bug = esse_url_parameter(url, "bug");
    if (*url->path || url->host_count)
        return esse_fail(err, ESSE_EUSAGE, "the target's URL: expected memory:?NAME=VALUE");
    if (!esse_url_knows(url, names, err))
        return false;
    esse_store_level_find(isolation->setting, &target->level);
    if (bug && !(target->bug = esse_plant_find(bug)))
        return esse_fail(err, ESSE_EUSAGE,
                         "the target's URL: no bug is called '%s'; esse gen --anomaly help lists "
                         "them",
                         bug);
    target->arena = esse_arena_new(); /* for the sessions' thread; 'arena' is the run's own */
    *out = target;
    return true;
}

static void close_target(struct esse_target *target)
{
    esse_arena_free(target->arena);
}

/* What the tables look like to the planted clients. */
static enum esse_gen_workload kind_of(const struct esse_schema *schema)
{
    return schema->tables[0].is_list      ? ESSE_GEN_LIST_APPEND
           : schema->tables[0].has_ranges ? ESSE_GEN_PREDICATE
                                          : ESSE_GEN_RW_REGISTER;
}

static bool find_bug(struct esse_target *target, const struct esse_schema *schema,
                     struct esse_error *err)
{
    const char *name = target->bug->name;
    target->bug_workload = kind_of(schema);
    target->bug = esse_plant_of(name, target->bug_workload);
    if (schema->count == 1 && target->bug)
        return true;
    return esse_fail(err, ESSE_EUSAGE,
                     "the bug %s cannot be shown by this workload; try list-append, rw-register or "
                     "predicate",
                     name);
}

static uint32_t slot_of(struct esse_target *target, uint32_t table, int64_t row)
{
    bool fresh;
    uint32_t *number = esse_word_map_put(&target->slots, (uint64_t)row << 8 | table, &fresh);
    if (fresh) {
        *number = target->slot_count++;
        target->places[*number] = (struct place){ table, row };
    }
    return *number;
}

static bool prepare(struct esse_target *target, const struct esse_schema *schema,
                    struct esse_error *err)
{
    uint64_t slots = 0;
    target->schema = schema;
    for (uint32_t t = 0; t < schema->count; t++) {
        slots += schema->tables[t].most_rows ? schema->tables[t].most_rows : DEFAULT_SLOTS;
        if (schema->tables[t].is_list != schema->tables[0].is_list)
            return esse_fail(err, ESSE_EUSAGE, "memory: has either lists or registers, not both");
    }
    if (target->bug && !find_bug(target, schema, err))
        return false;
    /* A planted history has no place among the commits. */
    target->has_timestamps = target->bug && target->bug->needs & ESSE_GEN_NEEDS_TIMESTAMPS;
    target->is_counting = kind_of(schema) == ESSE_GEN_PREDICATE && !target->bug &&
                          !esse_store_traits[target->level].has_dirty;
    target->slot_room = (uint32_t)slots;
    esse_word_map_clear(&target->slots, target->arena, target->slot_room);
    target->places = esse_arena_alloc(target->arena, slots, sizeof *target->places);
    const struct esse_store_options options = { .level = target->level,
                                                .is_list = schema->tables[0].is_list,
                                                .slots = target->slot_room,
                                                .sessions = schema->sessions,
                                                .writes_hint = 8,
                                                .next_key = slots };
    target->store = esse_store_new(target->arena, &options);
    for (uint32_t t = 0; t < schema->count; t++)
        for (uint64_t i = 0; i < schema->tables[t].rows; i++)
            if (schema->tables[t].initial[i] != ESSE_ABSENT)
                esse_store_init(target->store, slot_of(target, t, (int64_t)i),
                                schema->tables[t].initial[i]);
    return true;
}

static bool describe(struct esse_target *target, struct esse_description *description,
                     struct esse_error *err)
{
    struct esse_setting *settings = esse_arena_alloc(target->arena, 2, sizeof *settings);
    (void)err;
    settings[0] = (struct esse_setting){ "level", esse_store_traits[target->level].name };
    settings[1] = (struct esse_setting){ "bug", target->bug ? target->bug->name : "none" };
    *description = (struct esse_description){
        esse_arena_format(target->arena, "esse memory %s", esse_version()), settings, 2
    };
    return true;
}

static void clean(struct esse_target *target)
{
    (void)target;
}

/* ---- requests ---- */

static struct esse_conn *new_conn(struct esse_target *target, struct esse_arena *arena,
                                  uint32_t session)
{
    struct conn *conn = esse_arena_alloc(arena, 1, sizeof *conn);
    conn->head = (struct esse_conn){ .driver = &esse_driver_memory, .fd = -1 };
    conn->target = target;
    conn->arena = arena;
    conn->session = session;
    return &conn->head;
}

static void drop(struct esse_conn *head)
{
    (void)head;
}

static enum esse_progress die(struct conn *conn, struct esse_reply *reply)
{
    esse_store_close(conn->target->store, conn->session);
    return esse_failed(reply, ESSE_FATE_ABORTED, "conflict", "another transaction was there first");
}

static enum esse_progress lock(struct conn *conn, uint32_t slot, struct esse_reply *reply)
{
    conn->head.retry_seconds = 0;
    switch (esse_store_lock(conn->target->store, conn->session, slot)) {
    case ESSE_STORE_WAIT:
        return ESSE_PROGRESS_AGAIN;
    case ESSE_STORE_DIE:
        return die(conn, reply);
    case ESSE_STORE_DONE:
        break;
    }
    return ESSE_PROGRESS_DONE;
}

static enum esse_progress read_row(struct conn *conn, uint32_t slot, struct esse_reply *reply)
{
    struct esse_store *store = conn->target->store;
    if (conn->target->schema->tables[conn->request.table].is_list)
        reply->items = esse_store_read_list(store, conn->session, slot, &reply->item_count);
    else
        reply->value = esse_store_read(store, conn->session, slot);
    return ESSE_PROGRESS_DONE;
}

static enum esse_progress write_row(struct conn *conn, uint32_t slot, struct esse_reply *reply)
{
    struct esse_store *store = conn->target->store;
    const enum esse_ask ask = conn->request.ask;
    const enum esse_progress locked = lock(conn, slot, reply);
    if (locked != ESSE_PROGRESS_DONE)
        return locked;
    if (ask == ESSE_ASK_DELETE || ask == ESSE_ASK_INSERT) {
        const bool is_there = esse_store_read(store, conn->session, slot) != ESSE_STORE_ABSENT;
        if (ask == ESSE_ASK_INSERT && is_there)
            return esse_failed(reply, ESSE_FATE_OPEN, "duplicate", "the row is already there");
        reply->is_absent = !is_there;
        if (!is_there && ask == ESSE_ASK_DELETE)
            return ESSE_PROGRESS_DONE;
    }
    esse_store_write(store, conn->session, slot,
                     ask == ESSE_ASK_DELETE ? ESSE_STORE_ABSENT : conn->request.value);
    return ESSE_PROGRESS_DONE;
}

/* The rows of the request's table; those of others are in the store too. */
static void match(struct conn *conn)
{
    struct esse_target *target = conn->target;
    size_t count;
    const struct esse_store_row *rows = esse_store_match(
        target->store, conn->session, conn->request.low, conn->request.high, &count);
    conn->rows.count = 0;
    for (size_t i = 0; i < count; i++)
        if (target->places[rows[i].slot].table == conn->request.table)
            row_vec_push(&conn->rows, conn->arena,
                         (struct esse_live_row){ target->places[rows[i].slot].row, rows[i].value,
                                                 ESSE_ABSENT });
}

static enum esse_progress match_rows(struct conn *conn, struct esse_reply *reply)
{
    struct esse_target *target = conn->target;
    match(conn);
    for (size_t i = 0; conn->request.ask == ESSE_ASK_CHANGE && i < conn->rows.count; i++) {
        const uint32_t slot = slot_of(target, conn->request.table, conn->rows.at[i].row);
        const enum esse_progress locked = lock(conn, slot, reply);
        if (locked != ESSE_PROGRESS_DONE)
            return locked;
    }
    for (size_t i = 0; conn->request.ask == ESSE_ASK_CHANGE && i < conn->rows.count; i++) {
        conn->rows.at[i].next = conn->request.value;
        esse_store_write(target->store, conn->session,
                         slot_of(target, conn->request.table, conn->rows.at[i].row),
                         conn->request.value);
    }
    reply->rows = conn->rows.at;
    reply->row_count = conn->rows.count;
    return ESSE_PROGRESS_DONE;
}

static int64_t fold(enum esse_aggregate which, int64_t all, int64_t value)
{
    switch (which) {
    case ESSE_AGGREGATE_COUNT:
        return all + 1;
    case ESSE_AGGREGATE_SUM:
        return all + value;
    case ESSE_AGGREGATE_MIN:
        return value < all ? value : all;
    default:
        return value > all ? value : all;
    }
}

static enum esse_progress aggregate(struct conn *conn, struct esse_reply *reply)
{
    match(conn);
    const enum esse_aggregate which = conn->request.aggregate;
    const bool is_one = which == ESSE_AGGREGATE_MIN || which == ESSE_AGGREGATE_MAX;
    int64_t all = is_one && conn->rows.count ? conn->rows.at[0].value : 0;
    for (size_t i = 0; i < conn->rows.count; i++)
        all = fold(which, all, conn->rows.at[i].value);
    reply->value = conn->rows.count || which == ESSE_AGGREGATE_COUNT ? all : ESSE_ABSENT;
    return ESSE_PROGRESS_DONE;
}

static void log_commit(struct conn *conn)
{
    struct esse_target *target = conn->target;
    size_t count;
    const struct esse_store_write *writes = esse_store_writes(target->store, conn->session, &count);
    const bool is_list = target->schema->tables[0].is_list;
    for (size_t i = 0; i < count; i++)
        if (is_list || writes[i].is_last)
            version_vec_push(&target->log, target->arena,
                             (struct version){ target->places[writes[i].slot].table,
                                               target->places[writes[i].slot].row, writes[i].value,
                                               (int64_t)target->commits });
}

/* Those of the generator (gen.c): twice the clock, and one more for snapshots. */
static void note_times(const struct conn *conn, struct esse_reply *reply)
{
    const struct esse_target *target = conn->target;
    const int64_t snapshot = (int64_t)(2 * esse_store_snapshot(target->store, conn->session) + 1);
    const int64_t now = (int64_t)(2 * target->clock);
    size_t writes;
    esse_store_writes(target->store, conn->session, &writes);
    if (target->bug->needs & ESSE_GEN_NEEDS_ONE_TIMESTAMP) {
        reply->commit_ts = writes ? now : snapshot;
        return;
    }
    reply->start_ts = snapshot;
    reply->commit_ts = now;
}

static enum esse_progress commit(struct conn *conn, struct esse_reply *reply)
{
    struct esse_target *target = conn->target;
    if (!esse_store_commit(target->store, conn->session, ++target->clock))
        return die(conn, reply);
    target->commits++;
    reply->xid = (int64_t)target->commits;
    if (target->has_timestamps)
        note_times(conn, reply);
    log_commit(conn);
    esse_store_close(target->store, conn->session);
    return ESSE_PROGRESS_DONE;
}

/* Only where predicates need it: which commits the operation sees. */
static void note_snapshot(const struct conn *conn, struct esse_reply *reply)
{
    const struct esse_target *target = conn->target;
    const struct esse_store_traits *traits = &esse_store_traits[target->level];
    if (target->is_counting)
        reply->snapshot_at = (int64_t)(traits->has_snapshot ? conn->seen : target->commits);
}

static enum esse_progress operate(struct conn *conn, struct esse_reply *reply)
{
    struct esse_target *target = conn->target;
    target->clock++;
    note_snapshot(conn, reply);
    switch (conn->request.ask) {
    case ESSE_ASK_MATCH:
    case ESSE_ASK_CHANGE:
        return match_rows(conn, reply);
    case ESSE_ASK_AGGREGATE:
        return aggregate(conn, reply);
    default:
        break;
    }
    const uint64_t place = (uint64_t)conn->request.row << 8 | conn->request.table;
    if (target->slot_count == target->slot_room &&
        esse_word_map_get(&target->slots, place, UINT32_MAX) == UINT32_MAX) {
        esse_failed(reply, ESSE_FATE_OPEN, "full", "memory: has room for %u rows",
                    target->slot_room);
        reply->failure.is_fatal = true;
        return ESSE_PROGRESS_FAILED;
    }
    const uint32_t slot = slot_of(target, conn->request.table, conn->request.row);
    return conn->request.ask == ESSE_ASK_READ ? read_row(conn, slot, reply)
                                              : write_row(conn, slot, reply);
}

static enum esse_progress step(struct esse_conn *head, struct esse_reply *reply)
{
    struct conn *conn = (struct conn *)head;
    struct esse_target *target = conn->target;
    switch (conn->request.ask) {
    case ESSE_ASK_CONNECT:
        return ESSE_PROGRESS_DONE;
    case ESSE_ASK_BEGIN:
        esse_store_begin(target->store, conn->session, ++target->clock, 0);
        conn->seen = target->commits;
        return ESSE_PROGRESS_DONE;
    case ESSE_ASK_COMMIT:
        return commit(conn, reply);
    case ESSE_ASK_ROLLBACK:
        esse_store_close(target->store, conn->session);
        return ESSE_PROGRESS_DONE;
    default:
        return operate(conn, reply);
    }
}

static enum esse_progress start(struct esse_conn *head, const struct esse_request *request,
                                struct esse_reply *reply)
{
    ((struct conn *)head)->request = *request;
    return step(head, reply);
}

/* ---- certificate and bugs ---- */

static bool begin_certificate(struct esse_target *target, struct esse_error *err)
{
    const struct esse_gen_anomaly *bug = target->bug;
    if (bug && bug->needs & ESSE_GEN_NEEDS_NO_ORDER)
        return esse_fail(err, ESSE_EUSAGE, "the bug %s is one of a store that tells none",
                         bug->name);
    if (target->has_timestamps && !esse_store_traits[target->level].has_snapshot)
        return esse_fail(err, ESSE_EUSAGE, "the bug %s needs snapshots, which %s has not",
                         bug->name, esse_store_traits[target->level].name);
    return true;
}

static const char *certificate_kind(const struct esse_target *target)
{
    return target->has_timestamps ? "timestamps" : "commit-order";
}

static bool poll_certificate(struct esse_target *target, struct esse_learnt *learnt,
                             struct esse_error *err)
{
    (void)target;
    (void)learnt;
    (void)err;
    return true;
}

static bool finish_certificate(struct esse_target *target, struct esse_learnt *learnt,
                               struct esse_error *err)
{
    (void)err;
    if (target->has_timestamps)
        return true; /* the history has them */
    for (size_t i = 0; i < target->log.count; i++) {
        const struct version *version = &target->log.at[i];
        esse_learnt_version(learnt, version->table, version->row, version->value, version->xid);
    }
    for (uint64_t i = 1; target->is_counting && i <= target->commits; i++)
        esse_learnt_commit(learnt, (int64_t)i);
    return true;
}

static const struct esse_certifying certifying = {
    .source = "the store",
    .kind_of = certificate_kind,
    .begin = begin_certificate,
    .poll = poll_certificate,
    .finish = finish_certificate,
    .end = clean,
};

static bool play(struct esse_target *target, struct esse_played *played, struct esse_error *err)
{
    return !target->bug || esse_plant_play(target->bug, target->bug_workload, played, err);
}

const struct esse_driver esse_driver_memory = {
    .name = "memory",
    .schemes = "memory",
    .summary = "a small store in this process, of any level and with bugs on demand",
    .parameters = "level=LEVEL                     what it gives (as --isolation)\n"
                  "bug=ANOMALY                     what it shows once; esse gen --anomaly help",
    .can = ESSE_CAN_LISTS | ESSE_CAN_PREDICATES | ESSE_CAN_AGGREGATES | ESSE_CAN_DELETE,
    .most_threads = 1,
    .claims = claims,
    .claim = claim,
    .open = open_target,
    .prepare = prepare,
    .describe = describe,
    .clean = clean,
    .close = close_target,
    .conn = new_conn,
    .start = start,
    .step = step,
    .drop = drop,
    .certificate = &certifying,
    .play = play,
};
