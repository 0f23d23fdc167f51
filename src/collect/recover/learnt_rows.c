#include "collect/recover/learnt_rows.h"

#include "base/vec.h"
#include "collect/stored.h"

#include <string.h>
#include <strings.h>

struct pending {
    uint32_t table;
    int64_t row, value;
};

ESSE_VEC(pending_vec, struct pending)

struct esse_learnt_rows {
    struct esse_change_sink sink;
    struct esse_arena *arena;
    const struct esse_schema *schema;
    struct esse_learnt *learnt;
    struct pending_vec pending; /* of the open transaction */
    int64_t xid, base, mark, coming;
    bool has_own;  /* the open transaction changed a table of the user's */
    bool is_named; /* it wrote its xid into esse_mark */
};

enum { MARK_ROW = 1 };

void esse_learnt_rows_to(struct esse_learnt_rows *rows, struct esse_learnt *learnt)
{
    rows->learnt = learnt;
}

void esse_learnt_rows_base(struct esse_learnt_rows *rows, int64_t xid)
{
    rows->base = xid;
}

int64_t esse_learnt_rows_mark(const struct esse_learnt_rows *rows)
{
    return rows->mark;
}

struct esse_change_sink *esse_learnt_rows_sink(struct esse_learnt_rows *rows)
{
    return &rows->sink;
}

/* ---- the stream ---- */

/* 17 of "0-1-17"; sequence numbers may have 64 bits, and such that do not fit are left out. */
static int64_t sequence_of(const struct esse_values *values, esse_value gtid)
{
    char room[8];
    const struct esse_span text = esse_value_text(values, gtid, room);
    uint64_t number = 0;
    for (size_t i = 0; i < text.length; i++)
        number = text.at[i] == '-' ? 0 : number * 10 + (uint64_t)(text.at[i] - '0');
    return number <= INT64_MAX ? (int64_t)number : ESSE_NO_ID;
}

static bool take_begin(struct esse_change_sink *sink, const struct esse_change_txn *txn,
                       struct esse_error *err)
{
    struct esse_learnt_rows *rows = (struct esse_learnt_rows *)sink;
    int64_t id;
    (void)err;
    rows->pending.count = 0;
    rows->coming = 0;
    rows->has_own = rows->is_named = false;
    rows->xid = ESSE_NO_ID;
    if (esse_value_as_int(sink->values, txn->id, &id))
        rows->xid = rows->base + (int32_t)((uint32_t)id - (uint32_t)rows->base);
    else if (!esse_value_eq(txn->id, ESSE_NIL))
        rows->xid = sequence_of(sink->values, txn->id);
    return true;
}

/* The number of the table, or the number of tables for the mark's; false if it is not ours. */
static bool find_table(const struct esse_learnt_rows *rows, struct esse_span name, uint32_t *table)
{
    return esse_live_find_table(rows->schema, name, table) || esse_span_is(name, "esse_mark");
}

/* Names of tables mean the same in capitals, unless they are quoted. */
static bool is_own(const struct esse_learnt_rows *rows, struct esse_span name)
{
    const struct esse_own_schema *own = rows->schema->own;
    for (uint32_t t = 0; own && t < own->count; t++)
        if (strlen(own->tables[t].name) == name.length &&
            strncasecmp(own->tables[t].name, name.at, name.length) == 0)
            return true;
    return false;
}

static esse_value cell_named(const struct esse_change *change, const char *name,
                             const char *position)
{
    for (size_t i = 0; i < change->count; i++)
        if (esse_span_is(change->cells[i].name, name) ||
            esse_span_is(change->cells[i].name, position))
            return change->cells[i].value;
    return ESSE_NONE;
}

static int64_t value_of(const struct esse_learnt_rows *rows, esse_value value, bool is_list)
{
    char room[8];
    int64_t number;
    if (esse_value_as_int(rows->sink.values, value, &number))
        return number;
    if (!is_list || esse_value_kind(rows->sink.values, value) != ESSE_KIND_STRING)
        return ESSE_ABSENT;
    const struct esse_span text = esse_value_text(rows->sink.values, value, room);
    return esse_live_last_item(text.at, text.length);
}

/* Of a register the last version counts. */
static void add_pending(struct esse_learnt_rows *rows, struct pending version, bool is_list)
{
    for (size_t i = 0; !is_list && i < rows->pending.count; i++)
        if (rows->pending.at[i].table == version.table && rows->pending.at[i].row == version.row) {
            rows->pending.at[i].value = version.value;
            return;
        }
    pending_vec_push(&rows->pending, rows->arena, version);
}

static void take_mark(struct esse_learnt_rows *rows, const struct pending *mark)
{
    if (mark->row == MARK_ROW) {
        rows->coming = mark->value;
        return;
    }
    rows->xid = mark->value;
    rows->is_named = true;
}

static bool take_change(struct esse_change_sink *sink, const struct esse_change *change,
                        struct esse_error *err)
{
    struct esse_learnt_rows *rows = (struct esse_learnt_rows *)sink;
    struct pending version = { .value = ESSE_ABSENT };
    if (!find_table(rows, change->table, &version.table)) {
        rows->has_own |= is_own(rows, change->table);
        return true;
    }
    const bool is_mark = version.table == rows->schema->count;
    const bool is_list = !is_mark && rows->schema->tables[version.table].is_list;
    if (change->kind == ESSE_CHANGE_TRUNCATE ||
        !esse_value_as_int(sink->values, cell_named(change, "k", "@1"), &version.row))
        return esse_fail(err, ESSE_EIO, "the server's log has a change without a key");
    if (change->kind == ESSE_CHANGE_PUT)
        version.value = value_of(rows, cell_named(change, "v", "@2"), is_list);
    if (is_mark)
        take_mark(rows, &version);
    else
        add_pending(rows, version, is_list);
    return true;
}

static bool take_commit(struct esse_change_sink *sink, struct esse_error *err)
{
    struct esse_learnt_rows *rows = (struct esse_learnt_rows *)sink;
    (void)err;
    for (size_t i = 0; i < rows->pending.count; i++)
        esse_learnt_version(rows->learnt, rows->pending.at[i].table, rows->pending.at[i].row,
                            rows->pending.at[i].value, rows->xid);
    if ((rows->pending.count || rows->has_own || rows->is_named) && rows->xid != ESSE_NO_ID)
        esse_learnt_commit(rows->learnt, rows->xid);
    rows->pending.count = 0;
    if (rows->coming)
        rows->mark = rows->coming;
    return true;
}

struct esse_learnt_rows *esse_learnt_rows_new(struct esse_arena *arena,
                                              const struct esse_schema *schema)
{
    struct esse_learnt_rows *rows = esse_arena_alloc(arena, 1, sizeof *rows);
    *rows = (struct esse_learnt_rows){
        .sink = { esse_values_new(arena), take_begin, take_change, take_commit },
        .arena = arena,
        .schema = schema,
    };
    return rows;
}
