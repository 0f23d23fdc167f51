#include "base/vec.h"
#include "formats/peers.h"
#include "formats/text.h"

/*
 * The text in which AWDIT's tests are written: "r KEY VALUE" and "w KEY VALUE", a line of dashes
 * between transactions and a line of equals signs between sessions.  Nothing stands for the initial
 * version: a read of 0 is a read of what some line writes, as in AWDIT itself.
 */
ESSE_VEC(op_vec, struct esse_op_record)

struct reader {
    struct esse_text text;
    struct esse_reading *reading;
    struct op_vec ops;
    uint64_t line; /* of the first operation */
    int64_t session;
    bool session_began;
};

static bool read_op(struct reader *r, struct esse_op_record *op)
{
    struct esse_text *text = &r->text;
    struct esse_values *values = r->reading->sink->values;
    *op = (struct esse_op_record){ .kind = *text->at == 'w' ? ESSE_OP_WRITE : ESSE_OP_READ,
                                   .begin = ESSE_NO_TIME,
                                   .end = ESSE_NO_TIME };
    if (*text->at != 'r' && *text->at != 'w')
        return esse_text_expected(text, "an operation ('r' or 'w'), dashes or equals signs");
    text->at++;
    return esse_text_space(text) && esse_text_value(text, values, &op->key) &&
           esse_text_space(text) && esse_text_value(text, values, &op->value);
}

static bool end_txn(struct reader *r, struct esse_error *err)
{
    if (!r->ops.count)
        return true;
    struct esse_txn_record txn = esse_txn_record_empty();
    txn.session = esse_value_int(r->reading->sink->values, r->session);
    txn.line = r->line;
    txn.ops = r->ops.at;
    txn.op_count = r->ops.count;
    r->ops.count = 0;
    r->session_began = true;
    return r->reading->sink->txn(r->reading->sink, &txn, err);
}

/* A session or transaction in which nothing happened is none. */
static bool end_session(struct reader *r, struct esse_error *err)
{
    if (!end_txn(r, err))
        return false;
    r->session += r->session_began;
    r->session_began = false;
    return true;
}

static bool read_line(struct reader *r)
{
    struct esse_text *text = &r->text;
    const char mark = *text->at;
    const uint64_t line = text->source->mark_line;
    struct esse_op_record op;
    if (mark != '-' && mark != '=') {
        if (!read_op(r, &op) || !esse_text_line_end(text))
            return false;
        if (!r->ops.count)
            r->line = line;
        op_vec_push(&r->ops, text->source->arena, op);
        return true;
    }
    while (*text->at == mark)
        text->at++;
    return esse_text_line_end(text) &&
           (mark == '-' ? end_txn(r, text->err) : end_session(r, text->err));
}

static bool read_awdit(struct esse_reading *reading, struct esse_error *err)
{
    struct reader r = { .text = { reading->source, err, reading->source->at }, .reading = reading };
    bool ok;
    while (esse_text_next_line(&r.text, &ok))
        if (!read_line(&r) && !esse_text_more(&r.text))
            return false;
    return ok && end_session(&r, err) && reading->sink->finish(reading->sink, err);
}

static bool looks_like_awdit(const char *at, const char *end)
{
    return end - at >= 5 && ((*at == 'r' || *at == 'w') && (at[1] == ' ' || at[1] == '\t') &&
                             ((at[2] >= '0' && at[2] <= '9') || at[2] == '-' || at[2] == ' '));
}

const struct esse_format esse_format_awdit = {
    .name = "awdit",
    .summary = "AWDIT's test histories: r KEY VALUE, with lines of dashes and equals signs",
    .extensions = "",
    .sniff = looks_like_awdit,
    .read = read_awdit,
};
