#ifndef ESSE_FORMATS_NATIVE_PUT_H
#define ESSE_FORMATS_NATIVE_PUT_H

#include "base/put.h"
#include "history/record.h"

/*
 * The syntax of native lines, in one place for the two that put them: native_write.c from records,
 * and the recorder of live runs straight from what a database answered, which is several times as
 * fast.  Members come in the order of this file.
 */

#define ESSE_NATIVE_INIT     "{\"init\":"
#define ESSE_NATIVE_SESSION  "{\"session\":"
#define ESSE_NATIVE_OPS      ",\"ops\":["
#define ESSE_NATIVE_TXN_END  "]}\n" /* after the operations */
#define ESSE_NATIVE_VALUE    ",\"v\":"
#define ESSE_NATIVE_ROWS     ",\"rows\":"
#define ESSE_NATIVE_RESULT   ",\"result\":"
#define ESSE_NATIVE_SNAPSHOT ",\"snapshot\":"

/* What follows is put as put.h says; this much room is enough for any one of them. */
enum { ESSE_NATIVE_ROOM = 320 };

static inline char *esse_native_put_number(char *to, const char *name, int64_t number)
{
    if (number == ESSE_NO_TIME)
        return to;
    return esse_put_i64(esse_put_text(to, name), number);
}

/* What stands between the session, or the name, and what a clock showed, or the operations. */
static inline char *esse_native_put_head(char *to, struct esse_put_times *times,
                                         const struct esse_txn_record *txn)
{
    if (txn->status == ESSE_ABORTED)
        to = esse_put_text(to, ",\"status\":\"aborted\"");
    else if (txn->status == ESSE_UNKNOWN_OUTCOME)
        to = esse_put_text(to, ",\"status\":\"unknown\"");
    if (txn->start != ESSE_NO_TIME)
        to = esse_put_time(times, esse_put_text(to, ",\"start\":"), txn->start);
    if (txn->end != ESSE_NO_TIME)
        to = esse_put_time(times, esse_put_text(to, ",\"end\":"), txn->end);
    to = esse_native_put_number(to, ",\"start_ts\":", txn->start_ts);
    to = esse_native_put_number(to, ",\"commit_ts\":", txn->commit_ts);
    return esse_native_put_number(to, ",\"xid\":", txn->xid);
}

static inline char *esse_native_put_fault(char *to, const struct esse_fault_record *fault)
{
    to = esse_put_text(to, "{\"fault\":\"");
    to = esse_put_text(to, esse_fault_names[fault->kind]);
    *to++ = '"';
    to = esse_native_put_number(to, ",\"node\":", fault->node);
    to = esse_native_put_number(to, ",\"start\":", fault->start);
    to = esse_native_put_number(to, ",\"end\":", fault->end);
    return esse_put_text(to, "}\n");
}

/* An operation up to its key, or its predicate. */
static inline char *esse_native_open_op(char *to, enum esse_op_kind kind)
{
    static const char letters[] = "rwadpu";
    const char open[] = { '{', '"', letters[kind], '"', ':' };
    memcpy(to, open, sizeof open);
    return to + sizeof open;
}

static inline char *esse_native_put_interval(char *to, struct esse_put_times *times, int64_t begin,
                                             int64_t end)
{
    to = esse_put_time(times, esse_put_text(to, ",\"t\":["), begin);
    *to++ = ',';
    to = esse_put_time(times, to, end);
    *to++ = ']';
    return to;
}

static inline char *esse_native_put_statement(char *to, uint32_t statement)
{
    return statement ? esse_put_i64(esse_put_text(to, ",\"s\":"), statement) : to;
}

#endif
