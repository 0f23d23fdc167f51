#include "collect/recover_snapshot.h"

#include "base/arena.h"
#include "base/error.h"

#include <stdlib.h>

struct reader {
    struct esse_span text;
    size_t at;
    struct esse_error *err;
};

static bool expected(const struct reader *r, const char *what)
{
    return esse_fail(r->err, ESSE_EINPUT, "byte %zu: expected %s", r->at, what);
}

/* Digits that make a number of 64 bits. */
static bool read_number(struct reader *r, uint64_t *number)
{
    const size_t from = r->at;
    *number = 0;
    for (; r->at < r->text.length; r->at++) {
        const char c = r->text.at[r->at];
        if (c < '0' || c > '9')
            break;
        const uint64_t digit = (uint64_t)(c - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return expected(r, "a number of 64 bits");
        *number = *number * 10 + digit;
    }
    return r->at > from || expected(r, "a digit");
}

static bool read_char(struct reader *r, char c)
{
    const char what[] = { '\'', c, '\'', 0 };
    if (r->at >= r->text.length || r->text.at[r->at] != c)
        return expected(r, what);
    r->at++;
    return true;
}

/* ---- PostgreSQL ---- */

static bool snapshot_sees_txn(const void *context, const struct esse_change_txn *txn)
{
    const struct esse_pg_snapshot *snapshot = context;
    const int64_t xid = (int64_t)(txn->id.word >> 3); /* esse_value_small() of an xid */
    if (xid > UINT32_MAX)
        return esse_pg_snapshot_sees(snapshot, xid);
    const int32_t ahead = (int32_t)((uint32_t)xid - (uint32_t)snapshot->xmax);
    return esse_pg_snapshot_sees(snapshot, snapshot->xmax + ahead);
}

struct esse_view esse_pg_snapshot_view(const struct esse_pg_snapshot *snapshot)
{
    return (struct esse_view){ snapshot_sees_txn, snapshot };
}

/* ---- timestamps ---- */

bool esse_hlc_parse(struct esse_span text, struct esse_stamp *stamp, struct esse_error *err)
{
    struct reader r = { text, 0, err };
    struct esse_stamp read = { 0 };
    if (!read_number(&r, &read.high))
        return false;
    if (r.at < text.length && (!read_char(&r, '.') || !read_number(&r, &read.low)))
        return false;
    if (r.at < text.length && text.at[r.at] == '?')
        r.at++;
    if (r.at < text.length)
        return expected(&r, "the end of the timestamp");
    *stamp = read;
    return true;
}

static bool stamp_sees_txn(const void *context, const struct esse_change_txn *txn)
{
    return esse_stamp_compare(txn->stamp, *(const struct esse_stamp *)context) <= 0;
}

struct esse_view esse_stamp_view(const struct esse_stamp *stamp)
{
    return (struct esse_view){ stamp_sees_txn, stamp };
}

struct ranked {
    struct esse_stamp stamp;
    size_t at;
};

static int compare_ranked(const void *left, const void *right)
{
    return esse_stamp_compare(((const struct ranked *)left)->stamp,
                              ((const struct ranked *)right)->stamp);
}

void esse_stamp_ranks(struct esse_arena *arena, const struct esse_stamp *stamps, size_t count,
                      int64_t *ranks)
{
    struct ranked *order = esse_arena_grow(arena, NULL, (count + 1) * sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (struct ranked){ stamps[i], i };
    if (count)
        qsort(order, count, sizeof *order, compare_ranked);
    int64_t rank = 0;
    for (size_t i = 0; i < count; i++) {
        rank += i == 0 || esse_stamp_compare(order[i - 1].stamp, order[i].stamp) != 0;
        ranks[order[i].at] = rank;
    }
    esse_arena_drop(arena, order);
}
