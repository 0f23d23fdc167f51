#include "collect/driver/memory/memory.h"
#include "generate/execute.h"

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

/* The rows of a predicate, as the history names them. */
static void put_rows(struct esse_memory_conn *conn, const struct esse_executed *executed,
                     struct esse_reply *reply)
{
    const struct esse_request *request = &conn->request;
    const int64_t next = request->ask == ESSE_ASK_CHANGE ? request->value : ESSE_ABSENT;
    conn->rows.count = 0;
    for (size_t i = 0; i < executed->row_count; i++)
        esse_memory_row_vec_push(
            &conn->rows, conn->arena,
            (struct esse_live_row){ conn->target->places[executed->rows[i].slot].row,
                                    executed->rows[i].value, next });
    reply->rows = conn->rows.at;
    reply->row_count = conn->rows.count;
}

static enum esse_progress execute(struct esse_memory_conn *conn, uint32_t slot,
                                  struct esse_reply *reply)
{
    struct esse_executed executed = { 0 };
    conn->head.retry_seconds = 0;
    switch (esse_execute(conn->target->store, conn->session, &conn->request, slot, &executed)) {
    case ESSE_STORE_WAIT:
        return ESSE_PROGRESS_AGAIN;
    case ESSE_STORE_DIE:
        return die(conn, reply);
    case ESSE_STORE_DONE:
        break;
    }
    if (conn->request.ask == ESSE_ASK_INSERT && !executed.is_absent)
        return esse_failed(reply, ESSE_FATE_OPEN, "duplicate", "the row is already there");
    reply->value = executed.value;
    reply->is_absent = executed.is_absent;
    reply->items = executed.items;
    reply->item_count = executed.item_count;
    put_rows(conn, &executed, reply);
    return ESSE_PROGRESS_DONE;
}

static enum esse_progress operate(struct esse_memory_conn *conn, struct esse_reply *reply)
{
    struct esse_target *target = conn->target;
    const struct esse_request *request = &conn->request;
    uint32_t slot = 0;
    target->clock++;
    note_snapshot(conn, reply);
    if (!request->is_range && !esse_memory_slot(target, request->table, request->row, &slot)) {
        esse_failed(reply, ESSE_FATE_OPEN, "full", "memory: has room for %u rows",
                    target->slot_room);
        reply->failure.is_fatal = true;
        return ESSE_PROGRESS_FAILED;
    }
    return execute(conn, slot, reply);
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
