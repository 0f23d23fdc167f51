#include "mirror/mirror_state.h"

#include <string.h>

/* Transactions collect their operations until they end. */

static uint32_t new_txn(struct esse_mirror *m)
{
    if (m->spare_txns.count)
        return m->spare_txns.at[--m->spare_txns.count];
    if (m->txn_count == m->txn_room) {
        m->txn_room = m->txn_room ? m->txn_room * 2 : 64;
        m->txns = esse_arena_grow(m->arena, m->txns, m->txn_room * sizeof *m->txns);
    }
    m->txns[m->txn_count] = (struct mirror_txn){ 0 };
    return m->txn_count++;
}

static uint32_t *open_of(struct esse_mirror *m, uint32_t session)
{
    while (m->open.count <= session)
        mirror_u32_vec_push(&m->open, m->arena, MIRROR_NONE);
    return &m->open.at[session];
}

static uint32_t find_open(struct esse_mirror *m, const struct esse_mirror_event *event)
{
    uint32_t slot = *open_of(m, event->session);
    while (slot != MIRROR_NONE && m->txns[slot].number != event->txn)
        slot = m->txns[slot].next_open;
    return slot;
}

/* BEGIN may name another isolation of the same database. */
static const struct esse_profile *row_of(const struct esse_mirror *m, uint64_t isolation)
{
    const struct esse_profile *row = m->options.profile, *own = NULL;
    if (isolation) {
        struct esse_arena *arena = esse_arena_new();
        struct esse_values *values = esse_values_new(arena);
        char room[8];
        const esse_value value = esse_word_value(m->words, isolation, values);
        const struct esse_span text = esse_value_text(values, value, room);
        own = esse_profile_sibling(row, text.at, text.length);
        esse_arena_free(arena);
    }
    return own ? own : row;
}

static void begin(struct esse_mirror *m, const struct esse_mirror_event *event)
{
    const uint32_t slot = new_txn(m);
    struct mirror_txn *t = &m->txns[slot];
    const struct mirror_txn kept = *t; /* its room is used again */
    const bool is_given = !(event->flags & ESSE_MIRROR_FIRST);
    *t = (struct mirror_txn){ .number = event->txn,
                              .session = event->session,
                              .name = event->key,
                              .row = row_of(m, event->value),
                              .status = TXN_OPEN,
                              .has_begin = is_given,
                              .is_late = event->flags & ESSE_MIRROR_LATE,
                              .begin = { event->before, event->after },
                              .failed = INT64_MAX,
                              .timestamp = ESSE_NO_TIME,
                              .sequence = ++m->sequence,
                              .ops = kept.ops,
                              .op_room = kept.op_room,
                              .columns = kept.columns,
                              .column_room = kept.column_room,
                              .savepoints = kept.savepoints,
                              .savepoint_room = kept.savepoint_room };
    m->counters.live++;
    uint32_t *first = open_of(m, event->session);
    t->next_open = *first;
    *first = slot;
    if (t->next_open == MIRROR_NONE)
        return;
    for (uint32_t open = slot; open != MIRROR_NONE; open = m->txns[open].next_open)
        m->txns[open].is_interleaved = true;
}

static struct mirror_op *new_op(struct esse_mirror *m, struct mirror_txn *t)
{
    if (t->op_count == t->op_room) {
        t->op_room = t->op_room ? t->op_room * 2 : 16;
        t->ops = esse_arena_grow(m->arena, t->ops, t->op_room * sizeof *t->ops);
    }
    return &t->ops[t->op_count++];
}

static unsigned flags_of(const struct esse_mirror_event *event)
{
    return (event->flags & ESSE_MIRROR_FAILED ? OP_FAILED : 0u) |
           (event->flags & ESSE_MIRROR_CURSOR ? OP_CURSOR : 0u) |
           (event->flags & ESSE_MIRROR_COLUMNS ? OP_COLUMNS : 0u) |
           (event->flags & ESSE_MIRROR_BLIND ? OP_BLIND : 0u) | (event->lock ? OP_LOCKING : 0u);
}

static void add_op(struct esse_mirror *m, struct mirror_txn *t,
                   const struct esse_mirror_event *event, unsigned kind, unsigned flags)
{
    const bool is_statement = kind == ESSE_MIRROR_PREDICATE || kind == ESSE_MIRROR_UPDATE;
    struct mirror_op *op = new_op(m, t);
    *op =
        (struct mirror_op){ .value = is_statement ? event->key : event->value,
                            .at = { event->before, event->after },
                            .entry = is_statement ? MIRROR_NONE : esse_mirror_entry(m, event->key),
                            .line = event->line,
                            .columns = t->column_count,
                            .statement = MIRROR_NONE,
                            .undone = MIRROR_NONE,
                            .own = MIRROR_NONE,
                            .flags = (uint16_t)(flags | flags_of(event)),
                            .kind = (uint8_t)kind,
                            .mode = event->lock };
    if (!is_statement && !event->value && !(event->flags & ESSE_MIRROR_COLUMNS))
        op->flags |= OP_BLIND;
    if (mirror_is_write(op) && kind == ESSE_MIRROR_APPEND)
        op->kind = ESSE_MIRROR_WRITE;
}

/* A row of a predicate operation, a column of a row; the items of a list say nothing more. */
static void add_part(struct esse_mirror *m, struct mirror_txn *t,
                     const struct esse_mirror_event *event)
{
    struct mirror_op *last = &t->ops[t->op_count - 1];
    const uint32_t statement = mirror_is_statement(last) ? t->op_count - 1 : last->statement;
    switch (event->kind) {
    case ESSE_MIRROR_ROW:
        add_op(m, t, event, ESSE_MIRROR_READ, m->part_is_old ? OP_OLD | OP_LOCKING : 0);
        t->ops[t->op_count - 1].statement = statement;
        break;
    case ESSE_MIRROR_NEW:
        add_op(m, t, event, ESSE_MIRROR_WRITE, 0);
        t->ops[t->op_count - 1].statement = statement;
        break;
    case ESSE_MIRROR_COLUMN:
        if (t->column_count == t->column_room) {
            t->column_room = t->column_room ? t->column_room * 2 : 16;
            t->columns = esse_arena_grow(m->arena, t->columns, t->column_room * sizeof *t->columns);
        }
        t->columns[t->column_count++] = (struct mirror_column){ event->key, event->value };
        last->column_count++;
        break;
    default:
        break;
    }
}

static void set_savepoint(struct esse_mirror *m, struct mirror_txn *t, uint64_t name)
{
    if (t->savepoint_count == t->savepoint_room) {
        t->savepoint_room = t->savepoint_room ? t->savepoint_room * 2 : 4;
        t->savepoints =
            esse_arena_grow(m->arena, t->savepoints, t->savepoint_room * sizeof *t->savepoints);
    }
    t->savepoints[t->savepoint_count++] = (struct mirror_savepoint){ name, t->op_count };
}

/* What was written since the savepoint was not, and its locks are given back; the savepoint itself
 * and those before it stay. */
static void roll_back(struct esse_mirror *m, struct mirror_txn *t,
                      const struct esse_mirror_event *event)
{
    uint32_t at = t->savepoint_count;
    while (at && t->savepoints[at - 1].name != event->key)
        at--;
    if (!at)
        return;
    const uint32_t from = t->savepoints[at - 1].op_count, here = t->op_count;
    t->savepoint_count = at;
    for (uint32_t i = from; i < here; i++)
        if (t->ops[i].undone == MIRROR_NONE)
            t->ops[i].undone = here;
    struct mirror_op *op = new_op(m, t);
    *op = (struct mirror_op){ .at = { event->before, event->after },
                              .entry = MIRROR_NONE,
                              .line = event->line,
                              .statement = MIRROR_NONE,
                              .undone = MIRROR_NONE,
                              .own = MIRROR_NONE,
                              .kind = ESSE_MIRROR_ROLLBACK_TO };
}

static void close_txn(struct esse_mirror *m, uint32_t slot)
{
    uint32_t *link = open_of(m, m->txns[slot].session);
    while (*link != slot)
        link = &m->txns[*link].next_open;
    *link = m->txns[slot].next_open;
    esse_mirror_end(m, slot);
}

/* Something is missing of a session: of its open transactions, or between them. */
static void take_gap(struct esse_mirror *m, const struct esse_mirror_event *event)
{
    uint32_t slot = *open_of(m, event->session);
    m->counters.gaps++;
    if (slot == MIRROR_NONE) {
        esse_i64_vec_push(&m->opaque_b, m->arena, event->before);
        esse_i64_vec_push(&m->opaque_a, m->arena, event->after);
        return;
    }
    for (; slot != MIRROR_NONE; slot = m->txns[slot].next_open) {
        struct mirror_txn *t = &m->txns[slot];
        if (!t->has_gap)
            t->opaque = (struct esse_instant){ event->before, event->after };
        t->has_gap = true;
        if (event->after > t->opaque.a)
            t->opaque.a = event->after;
    }
}

static void take_end(struct esse_mirror *m, uint32_t slot, const struct esse_mirror_event *event)
{
    struct mirror_txn *t = &m->txns[slot];
    const bool is_endless = event->flags & ESSE_MIRROR_ENDLESS;
    const bool has_failed = event->flags & ESSE_MIRROR_FAILED;
    t->c = (struct esse_instant){ event->before, is_endless ? ESSE_MIRROR_NEVER : event->after };
    if (event->kind == ESSE_MIRROR_ABORT || has_failed) {
        t->status = TXN_ABORTED;
        t->c.b = t->failed < t->c.b ? t->failed : t->c.b;
    } else {
        t->status = is_endless ? TXN_UNKNOWN : TXN_COMMITTED;
    }
    if (event->flags & ESSE_MIRROR_HAS_TS)
        t->timestamp = (int64_t)event->value;
    close_txn(m, slot);
}

static void take_op(struct esse_mirror *m, struct mirror_txn *t,
                    const struct esse_mirror_event *event)
{
    switch (event->kind) {
    case ESSE_MIRROR_SAVEPOINT:
        set_savepoint(m, t, event->key);
        break;
    case ESSE_MIRROR_ROLLBACK_TO:
        roll_back(m, t, event);
        break;
    case ESSE_MIRROR_OPAQUE:
        m->counters.opaque++;
        t->has_opaque = true;
        break;
    default:
        m->part_is_old = event->kind == ESSE_MIRROR_UPDATE;
        if (event->flags & ESSE_MIRROR_FAILED && event->before < t->failed)
            t->failed = event->before;
        add_op(m, t, event, event->kind, 0);
    }
}

void esse_mirror_take(struct esse_mirror *m, const struct esse_mirror_event *event)
{
    enum { PACE = 512 };
    m->counters.events += !esse_mirror_is_part(event);
    if (event->kind == ESSE_MIRROR_GAP) {
        take_gap(m, event);
    } else if (event->kind == ESSE_MIRROR_BEGIN) {
        begin(m, event);
    } else {
        const uint32_t slot = find_open(m, event);
        assert(slot != MIRROR_NONE);
        m->txns[slot].is_late |= (event->flags & ESSE_MIRROR_LATE) != 0;
        if (esse_mirror_is_part(event))
            add_part(m, &m->txns[slot], event);
        else if (event->kind == ESSE_MIRROR_COMMIT || event->kind == ESSE_MIRROR_ABORT)
            take_end(m, slot, event);
        else
            take_op(m, &m->txns[slot], event);
    }
    const unsigned pace = m->options.pace ? m->options.pace : PACE;
    if (++m->since_round >= pace)
        esse_mirror_round(m);
}

void esse_mirror_take_all(struct esse_mirror *m)
{
    const struct esse_mirror_event *event;
    while ((event = esse_pipeline_next(m->pipeline)))
        esse_mirror_take(m, event);
}

/* The trace is over: how those ended that are still open is not known. */
void esse_mirror_end_open(struct esse_mirror *m)
{
    for (uint32_t s = 0; s < m->open.count; s++) {
        while (m->open.at[s] != MIRROR_NONE) {
            struct mirror_txn *t = &m->txns[m->open.at[s]];
            const struct esse_instant last = t->op_count ? t->ops[t->op_count - 1].at : t->begin;
            t->status = TXN_UNKNOWN;
            t->c =
                (struct esse_instant){ t->failed < last.b ? t->failed : last.b, ESSE_MIRROR_NEVER };
            close_txn(m, m->open.at[s]);
        }
    }
}
