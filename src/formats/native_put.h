#ifndef ESSE_FORMATS_NATIVE_PUT_H
#define ESSE_FORMATS_NATIVE_PUT_H

#include "base/out.h"
#include "history/record.h"

/*
 * The syntax of native lines, in one place for the two that put them: native_write.c from records,
 * and the recorder of live runs straight from what a database answered, which is several times as
 * fast.  Members come in the order of this file.
 */

#define ESSE_NATIVE_INIT     "{\"init\":"
#define ESSE_NATIVE_SESSION  "{\"session\":"
#define ESSE_NATIVE_TXN_END  "]}\n" /* after the operations */
#define ESSE_NATIVE_VALUE    ",\"v\":"
#define ESSE_NATIVE_ROWS     ",\"rows\":"
#define ESSE_NATIVE_RESULT   ",\"result\":"
#define ESSE_NATIVE_SNAPSHOT ",\"snapshot\":"

static inline void esse_native_put_number(struct esse_out *out, const char *name, int64_t number)
{
    if (number == ESSE_NO_TIME)
        return;
    esse_out_text(out, name);
    esse_out_i64(out, number);
}

/* What stands between the session, or the name, and the operations. */
static inline void esse_native_put_head(struct esse_out *out, const struct esse_txn_record *txn)
{
    if (txn->status == ESSE_ABORTED)
        esse_out_text(out, ",\"status\":\"aborted\"");
    else if (txn->status == ESSE_UNKNOWN_OUTCOME)
        esse_out_text(out, ",\"status\":\"unknown\"");
    esse_native_put_number(out, ",\"start\":", txn->start);
    esse_native_put_number(out, ",\"end\":", txn->end);
    esse_native_put_number(out, ",\"start_ts\":", txn->start_ts);
    esse_native_put_number(out, ",\"commit_ts\":", txn->commit_ts);
    esse_native_put_number(out, ",\"xid\":", txn->xid);
    esse_out_text(out, ",\"ops\":[");
}

static inline void esse_native_put_fault(struct esse_out *out,
                                         const struct esse_fault_record *fault)
{
    esse_out_f(out, "{\"fault\":\"%s\"", esse_fault_names[fault->kind]);
    esse_native_put_number(out, ",\"node\":", fault->node);
    esse_native_put_number(out, ",\"start\":", fault->start);
    esse_native_put_number(out, ",\"end\":", fault->end);
    esse_out_text(out, "}\n");
}

/* An operation up to its key, or its predicate. */
static inline void esse_native_open_op(struct esse_out *out, enum esse_op_kind kind)
{
    static const char letters[] = "rwadpu";
    const char open[] = { '{', '"', letters[kind], '"', ':' };
    esse_out_bytes(out, open, sizeof open);
}

static inline void esse_native_put_interval(struct esse_out *out, int64_t begin, int64_t end)
{
    esse_out_text(out, ",\"t\":[");
    esse_out_i64(out, begin);
    esse_out_char(out, ',');
    esse_out_i64(out, end);
    esse_out_char(out, ']');
}

#endif
