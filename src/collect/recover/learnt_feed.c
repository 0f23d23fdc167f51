#include "collect/recover/learnt_feed.h"

#include "base/vec.h"
#include "collect/stored.h"

#include <stdlib.h>
#include <string.h>

/* A row as a message has it. */
struct fed_row {
    uint32_t table;
    bool is_known; /* the value is */
    int64_t row, value;
    struct esse_stamp stamp;
    int64_t xid;
    size_t first, count; /* of a list, in 'items' */
};

ESSE_VEC(fed_row_vec, struct fed_row)

struct esse_learnt_feed {
    struct esse_change_sink sink;
    struct esse_arena *arena;
    const struct esse_schema *schema;
    struct esse_stamp base, start;
    struct esse_stamp stamp; /* of the open transaction */
    int64_t xid;
    struct fed_row_vec rows;
    struct esse_live_items items;
};

int64_t esse_stamp_number(struct esse_stamp stamp, struct esse_stamp base)
{
    enum { COUNTER_BITS = 15 };
    const uint64_t most = UINT64_C(1) << 47;
    if (stamp.high < base.high || stamp.high - base.high >= most ||
        stamp.low >= (1 << COUNTER_BITS) - 1)
        return ESSE_NO_ID;
    return (int64_t)(((stamp.high - base.high) << COUNTER_BITS | (stamp.low + 1)) << 1);
}

struct esse_change_sink *esse_learnt_feed_sink(struct esse_learnt_feed *feed)
{
    return &feed->sink;
}

void esse_learnt_feed_base(struct esse_learnt_feed *feed, struct esse_stamp base)
{
    feed->base = base;
}

void esse_learnt_feed_after(struct esse_learnt_feed *feed, struct esse_stamp start)
{
    feed->start = start;
}

/* ---- the stream ---- */

static bool take_begin(struct esse_change_sink *sink, const struct esse_change_txn *txn,
                       struct esse_error *err)
{
    struct esse_learnt_feed *feed = (struct esse_learnt_feed *)sink;
    (void)err;
    feed->stamp = txn->stamp;
    if (!esse_value_as_int(sink->values, txn->id, &feed->xid))
        feed->xid = esse_stamp_number(txn->stamp, feed->base);
    return true;
}

static esse_value cell_named(const struct esse_change *change, const char *name)
{
    for (size_t i = 0; i < change->count; i++)
        if (change->cells[i].name.length == 1 && change->cells[i].name.at[0] == *name)
            return change->cells[i].value;
    return ESSE_NONE;
}

static void take_value(struct esse_learnt_feed *feed, esse_value value, struct fed_row *fed)
{
    const struct esse_values *values = feed->sink.values;
    const bool is_list = feed->schema->tables[fed->table].is_list;
    char room[8];
    fed->first = feed->items.count;
    fed->is_known = esse_value_as_int(values, value, &fed->value);
    if (fed->is_known && is_list) {
        esse_live_items_push(&feed->items, feed->arena, fed->value);
    } else if (is_list && esse_value_kind(values, value) == ESSE_KIND_STRING) {
        const struct esse_span text = esse_value_text(values, value, room);
        struct esse_arena *scratch = esse_arena_new();
        esse_live_parse_list(&feed->items, feed->arena,
                             esse_arena_text(scratch, text.at, text.length));
        esse_arena_free(scratch);
        fed->is_known = true;
    }
    fed->count = feed->items.count - fed->first;
}

static bool take_change(struct esse_change_sink *sink, const struct esse_change *change,
                        struct esse_error *err)
{
    struct esse_learnt_feed *feed = (struct esse_learnt_feed *)sink;
    struct fed_row fed = { .value = ESSE_ABSENT, .stamp = feed->stamp, .xid = feed->xid };
    if (!esse_live_find_table(feed->schema, change->table, &fed.table) ||
        esse_stamp_compare(feed->stamp, feed->start) <= 0)
        return true;
    if (!esse_value_as_int(sink->values, cell_named(change, "k"), &fed.row))
        return esse_fail(err, ESSE_EIO, "the server's feed has a change without a key");
    if (change->kind == ESSE_CHANGE_PUT)
        take_value(feed, cell_named(change, "v"), &fed);
    else
        fed.is_known = true;
    fed_row_vec_push(&feed->rows, feed->arena, fed);
    return true;
}

static bool take_commit(struct esse_change_sink *sink, struct esse_error *err)
{
    (void)sink;
    (void)err;
    return true;
}

struct esse_learnt_feed *esse_learnt_feed_new(struct esse_arena *arena,
                                              const struct esse_schema *schema)
{
    struct esse_learnt_feed *feed = esse_arena_alloc(arena, 1, sizeof *feed);
    *feed = (struct esse_learnt_feed){
        .sink = { NULL, take_begin, take_change, take_commit },
        .arena = arena,
        .schema = schema,
    };
    return feed;
}

/* ---- telling ---- */

static int compare_rows(const void *left, const void *right)
{
    const struct fed_row *a = left, *b = right;
    if (a->table != b->table)
        return a->table < b->table ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return esse_stamp_compare(a->stamp, b->stamp);
}

static int compare_times(const void *left, const void *right)
{
    const struct fed_row *a = left, *b = right;
    const int order = esse_stamp_compare(a->stamp, b->stamp);
    return order ? order : (a->xid > b->xid) - (a->xid < b->xid);
}

static bool is_among(const int64_t *items, size_t count, int64_t item)
{
    while (count > 0)
        if (items[--count] == item)
            return true;
    return false;
}

/* What a state of the list has and 'seen' does not is new.  A state that lacks what others have
 * appended before does not make those come again. */
static void tell_list(struct esse_learnt_feed *feed, struct esse_learnt *learnt,
                      const struct fed_row *fed, struct esse_live_items *seen)
{
    const int64_t *items = feed->items.at + fed->first;
    size_t at = 0;
    while (at < fed->count && at < seen->count && items[at] == seen->at[at])
        at++;
    for (; at < fed->count; at++) {
        if (is_among(seen->at, seen->count, items[at]))
            continue;
        esse_learnt_version(learnt, fed->table, fed->row, items[at], fed->xid);
        esse_live_items_push(seen, feed->arena, items[at]);
    }
}

static void tell_versions(struct esse_learnt_feed *feed, struct esse_learnt *learnt)
{
    struct esse_live_items seen = { 0 };
    qsort(feed->rows.at, feed->rows.count, sizeof *feed->rows.at, compare_rows);
    for (size_t i = 0; i < feed->rows.count; i++) {
        const struct fed_row *fed = &feed->rows.at[i], *last = i ? fed - 1 : NULL;
        const bool is_list = feed->schema->tables[fed->table].is_list;
        if (last && !compare_rows(last, fed))
            continue; /* it came twice */
        if (!last || last->table != fed->table || last->row != fed->row)
            seen.count = 0;
        if (is_list && fed->is_known)
            tell_list(feed, learnt, fed, &seen);
        else if (!is_list)
            esse_learnt_version(learnt, fed->table, fed->row,
                                fed->is_known ? fed->value : ESSE_ABSENT, fed->xid);
    }
}

void esse_learnt_feed_tell(struct esse_learnt_feed *feed, struct esse_learnt *learnt,
                           bool has_times)
{
    if (!feed->rows.count)
        return;
    tell_versions(feed, learnt);
    if (!has_times)
        return;
    qsort(feed->rows.at, feed->rows.count, sizeof *feed->rows.at, compare_times);
    for (size_t i = 0; i < feed->rows.count; i++)
        if (!i || compare_times(&feed->rows.at[i - 1], &feed->rows.at[i]))
            esse_learnt_commit(learnt, feed->rows.at[i].xid);
}
