#include "collect/driver/memory/memory.h"

/* Its requests: all of them answered at once, but for locks that another session holds. */

struct esse_conn *esse_memory_conn(struct esse_target *target, struct esse_arena *arena,
                                   uint32_t session)
{
    struct esse_memory_conn *conn = esse_arena_alloc(arena, 1, sizeof *conn);
    conn->head = (struct esse_conn){ .driver = &esse_driver_memory, .fd = -1 };
    conn->target = target;
    conn->arena = arena;
    conn->session = session;
    return &conn->head;
}

void esse_memory_drop(struct esse_conn *head)
{
    (void)head;
}

static enum esse_progress die(struct esse_memory_conn *conn, struct esse_reply *reply)
{
    esse_store_close(conn->target->store, conn->session);
    return esse_failed(reply, ESSE_FATE_ABORTED, "conflict", "another transaction was there first");
}

static enum esse_progress lock(struct esse_memory_conn *conn, uint32_t slot,
                               struct esse_reply *reply)
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

static enum esse_progress read_row(struct esse_memory_conn *conn, uint32_t slot,
                                   struct esse_reply *reply)
{
    struct esse_store *store = conn->target->store;
    if (conn->target->schema->tables[conn->request.table].is_list)
        reply->items = esse_store_read_list(store, conn->session, slot, &reply->item_count);
    else
        reply->value = esse_store_read(store, conn->session, slot);
    return ESSE_PROGRESS_DONE;
}

static enum esse_progress write_row(struct esse_memory_conn *conn, uint32_t slot,
                                    struct esse_reply *reply)
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
static void match(struct esse_memory_conn *conn)
{
    struct esse_target *target = conn->target;
    size_t count;
    const struct esse_store_row *rows = esse_store_match(
        target->store, conn->session, conn->request.low, conn->request.high, &count);
    conn->rows.count = 0;
    for (size_t i = 0; i < count; i++)
        if (target->places[rows[i].slot].table == conn->request.table)
            esse_memory_row_vec_push(&conn->rows, conn->arena,
                                     (struct esse_live_row){ target->places[rows[i].slot].row,
                                                             rows[i].value, ESSE_ABSENT });
}

static enum esse_progress match_rows(struct esse_memory_conn *conn, struct esse_reply *reply)
{
    struct esse_target *target = conn->target;
    match(conn);
    for (size_t i = 0; conn->request.ask == ESSE_ASK_CHANGE && i < conn->rows.count; i++) {
        const uint32_t slot = esse_memory_slot(target, conn->request.table, conn->rows.at[i].row);
        const enum esse_progress locked = lock(conn, slot, reply);
        if (locked != ESSE_PROGRESS_DONE)
            return locked;
    }
    for (size_t i = 0; conn->request.ask == ESSE_ASK_CHANGE && i < conn->rows.count; i++) {
        conn->rows.at[i].next = conn->request.value;
        esse_store_write(target->store, conn->session,
                         esse_memory_slot(target, conn->request.table, conn->rows.at[i].row),
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

static enum esse_progress aggregate(struct esse_memory_conn *conn, struct esse_reply *reply)
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

static enum esse_progress commit(struct esse_memory_conn *conn, struct esse_reply *reply)
{
    struct esse_target *target = conn->target;
    if (!esse_store_commit(target->store, conn->session, ++target->clock))
        return die(conn, reply);
    esse_memory_committed(conn, reply);
    esse_store_close(target->store, conn->session);
    return ESSE_PROGRESS_DONE;
}

/* Only where predicates need it: which commits the operation sees. */
static void note_snapshot(const struct esse_memory_conn *conn, struct esse_reply *reply)
{
    const struct esse_target *target = conn->target;
    const struct esse_store_traits *traits = &esse_store_traits[target->level];
    if (target->is_counting)
        reply->snapshot_at = (int64_t)(traits->has_snapshot ? conn->seen : target->commits);
}

static enum esse_progress operate(struct esse_memory_conn *conn, struct esse_reply *reply)
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
    const uint32_t slot = esse_memory_slot(target, conn->request.table, conn->request.row);
    return conn->request.ask == ESSE_ASK_READ ? read_row(conn, slot, reply)
                                              : write_row(conn, slot, reply);
}

enum esse_progress esse_memory_step(struct esse_conn *head, struct esse_reply *reply)
{
    struct esse_memory_conn *conn = (struct esse_memory_conn *)head;
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

enum esse_progress esse_memory_start(struct esse_conn *head, const struct esse_request *request,
                                     struct esse_reply *reply)
{
    ((struct esse_memory_conn *)head)->request = *request;
    return esse_memory_step(head, reply);
}
