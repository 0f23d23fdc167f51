#include "formats/native.h"
#include "formats/native_put.h"
#include "history/value_json.h"

#include <string.h>

/*
 * Writes records as native lines.  The bytes are canonical: members in one order, defaults left
 * out, no white space; so that reading and writing again gives the same bytes.
 */
struct writer {
    struct esse_sink sink;
    struct esse_out *out;
    struct esse_put_times times;
    bool lossy;
    unsigned key_kinds, value_kinds; /* bits of enum esse_value_kind met so far */
};

static struct writer *writer_of(struct esse_sink *sink)
{
    return (struct writer *)sink;
}

/* For what native_put.h puts. */
static char *room(struct writer *w)
{
    return esse_out_room(w->out, ESSE_NATIVE_ROOM);
}

/* ---- what the format cannot hold ---- */

static bool lost(const struct writer *w, const char *what, struct esse_error *err)
{
    return w->lossy || esse_fail(err, ESSE_EINPUT, "the native format cannot hold %s; --lossy %s",
                                 what, "drops or flattens what cannot be held");
}

enum { TEXTS = 1 << ESSE_KIND_STRING | 1 << ESSE_KIND_KEYWORD };

/* Integers, keywords and strings all become strings: two kinds in one history could collide. */
static bool check_key(struct writer *w, esse_value key, struct esse_error *err)
{
    unsigned kind = 1u << esse_value_kind(w->sink.values, key);
    if (kind == w->key_kinds)
        return true;
    w->key_kinds |= kind;
    if (!(kind & (TEXTS | 1u << ESSE_KIND_INT)))
        return lost(w, "keys other than strings, integers and keywords", err);
    return (w->key_kinds & (w->key_kinds - 1)) == 0 ||
           lost(w, "keys of several kinds (they could become the same key)", err);
}

static bool check_scalar(struct writer *w, esse_value value, struct esse_error *err)
{
    unsigned kind = 1u << esse_value_kind(w->sink.values, value);
    if (kind & TEXTS) {
        w->value_kinds |= kind;
        return (w->value_kinds & TEXTS) != TEXTS ||
               lost(w, "both strings and keywords as values (they could become the same)", err);
    }
    if (kind & (1u << ESSE_KIND_MAP)) {
        uint32_t count;
        const esse_value *parts = esse_value_parts(w->sink.values, value, &count);
        for (uint32_t i = 0; i < count; i++)
            if (!check_scalar(w, parts[i], err))
                return false;
        return true;
    }
    return kind <= 1u << ESSE_KIND_INT ||
           lost(w, "values other than integers, strings, booleans, null and rows", err);
}

/* ---- pieces ---- */

static bool put_value(struct writer *w, esse_value value, struct esse_error *err)
{
    if (esse_value_tag(value) == ESSE_TAG_INT) {
        esse_out_i64(w->out, (int64_t)value.word >> 3);
        return true;
    }
    if (!check_scalar(w, value, err))
        return false;
    /* With --lossy: what is no kind of the format becomes its text. */
    if (esse_value_kind(w->sink.values, value) >= ESSE_KIND_SEQ &&
        esse_value_kind(w->sink.values, value) != ESSE_KIND_MAP)
        esse_value_put_json_name(w->out, w->sink.values, value);
    else
        esse_value_put_json(w->out, w->sink.values, value);
    return true;
}

static bool put_key(struct writer *w, esse_value key, struct esse_error *err)
{
    if (!check_key(w, key, err))
        return false;
    esse_value_put_json_name(w->out, w->sink.values, key);
    return true;
}

static bool put_rows(struct writer *w, const struct esse_row *rows, size_t count, bool pairs,
                     struct esse_error *err)
{
    esse_out_char(w->out, '{');
    for (size_t i = 0; i < count; i++) {
        if (i)
            esse_out_char(w->out, ',');
        if (!put_key(w, rows[i].key, err))
            return false;
        esse_out_text(w->out, pairs ? ":[" : ":");
        if (!put_value(w, rows[i].value, err))
            return false;
        if (pairs) {
            esse_out_char(w->out, ',');
            if (!put_value(w, rows[i].next, err))
                return false;
            esse_out_char(w->out, ']');
        }
    }
    esse_out_char(w->out, '}');
    return true;
}

static bool put_list(struct writer *w, const esse_value *items, size_t count,
                     struct esse_error *err)
{
    esse_out_char(w->out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            esse_out_char(w->out, ',');
        if (!put_value(w, items[i], err))
            return false;
    }
    esse_out_char(w->out, ']');
    return true;
}

/* Ids are integers or strings.  A transaction's is always written as a string. */
static void put_id(struct writer *w, esse_value id, bool as_text)
{
    if (as_text)
        esse_value_put_json_name(w->out, w->sink.values, id);
    else
        esse_value_put_json(w->out, w->sink.values, id);
}

/* ---- operations ---- */

static bool put_predicate(struct writer *w, const struct esse_txn_record *txn,
                          const struct esse_op_record *op, struct esse_error *err)
{
    esse_value_put_json_name(w->out, w->sink.values, op->key);
    if (!op->no_rows) {
        esse_out_text(w->out, ESSE_NATIVE_ROWS);
        if (!put_rows(w, esse_record_rows(txn, op->first, op->count), op->count,
                      op->kind == ESSE_OP_PREDICATE_UPDATE, err))
            return false;
    }
    if (op->has_result) {
        esse_out_text(w->out, ESSE_NATIVE_RESULT);
        if (!put_list(w, esse_record_result(txn, op), op->result_count, err))
            return false;
    }
    if (!op->has_vset)
        return true;
    esse_out_text(w->out, ",\"vset\":");
    return put_rows(w, esse_record_rows(txn, op->vset_first, op->vset_count), op->vset_count, false,
                    err);
}

static bool put_op(struct writer *w, const struct esse_txn_record *txn,
                   const struct esse_op_record *op, struct esse_error *err)
{
    bool ok;
    esse_out_upto(w->out, esse_native_open_op(room(w), op->kind));
    if (esse_op_is_predicate(op->kind)) {
        ok = put_predicate(w, txn, op, err);
    } else {
        ok = put_key(w, op->key, err);
        if (ok && op->kind != ESSE_OP_DELETE &&
            (op->is_list || !esse_value_eq(op->value, ESSE_NONE))) {
            esse_out_text(w->out, ESSE_NATIVE_VALUE);
            ok = op->is_list ? put_list(w, esse_record_items(txn, op), op->count, err)
                             : put_value(w, op->value, err);
        }
    }
    if (op->begin != ESSE_NO_TIME)
        esse_out_upto(w->out, esse_native_put_interval(room(w), &w->times, op->begin, op->end));
    esse_out_upto(w->out, esse_native_put_statement(room(w), op->statement));
    if (!esse_value_eq(op->snapshot, ESSE_NONE)) {
        esse_out_text(w->out, ESSE_NATIVE_SNAPSHOT);
        put_id(w, op->snapshot, false);
    }
    esse_out_char(w->out, '}');
    return ok;
}

/* ---- records ---- */

static void put_moment(struct writer *w, int64_t time)
{
    if (time == ESSE_NO_TIME)
        esse_out_text(w->out, "null");
    else
        esse_out_i64(w->out, time);
}

/* What a clock showed at its start and its end. */
static void put_clock(struct writer *w, const struct esse_txn_record *txn)
{
    if (txn->wall_start == ESSE_NO_TIME && txn->wall_end == ESSE_NO_TIME)
        return;
    esse_out_text(w->out, ",\"time\":[");
    put_moment(w, txn->wall_start);
    esse_out_char(w->out, ',');
    put_moment(w, txn->wall_end);
    esse_out_char(w->out, ']');
}

/* Members of Jepsen's operations that Esse does not know: names and texts in EDN. */
static void put_extras(struct writer *w, const struct esse_txn_record *txn)
{
    for (size_t i = 0; i < txn->extra_count; i++) {
        const struct esse_extra *extra = &txn->extras[i];
        esse_out_text(w->out, i ? "," : ",\"edn\":{");
        esse_out_json(w->out, extra->name.at, extra->name.length);
        esse_out_char(w->out, ':');
        esse_out_json(w->out, extra->text.at, extra->text.length);
    }
    if (txn->extra_count)
        esse_out_char(w->out, '}');
}

static bool put_txn(struct esse_sink *sink, const struct esse_txn_record *txn,
                    struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    esse_out_text(w->out, ESSE_NATIVE_SESSION);
    put_id(w, txn->session, false);
    if (!esse_value_eq(txn->name, ESSE_NONE)) {
        esse_out_text(w->out, ",\"txn\":");
        put_id(w, txn->name, true);
    }
    esse_out_upto(w->out, esse_native_put_head(room(w), &w->times, txn));
    put_clock(w, txn);
    put_extras(w, txn);
    esse_out_text(w->out, ESSE_NATIVE_OPS);
    for (size_t i = 0; i < txn->op_count; i++) {
        if (i)
            esse_out_char(w->out, ',');
        if (!put_op(w, txn, &txn->ops[i], err))
            return false;
    }
    esse_out_text(w->out, ESSE_NATIVE_TXN_END);
    return true;
}

static void put_texts(struct writer *w, const char *open, const esse_value *texts, size_t count)
{
    esse_out_text(w->out, open);
    for (size_t i = 0; i < count; i++) {
        if (i)
            esse_out_char(w->out, ',');
        put_id(w, texts[i], true);
    }
    esse_out_char(w->out, ']');
}

static bool put_header(struct esse_sink *sink, const struct esse_header_record *header,
                       struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    (void)err;
    esse_out_text(w->out, "{\"esse\":\"history\",\"version\":1");
    if (!esse_value_eq(header->db, ESSE_NONE)) {
        esse_out_text(w->out, ",\"db\":");
        put_id(w, header->db, true);
    }
    if (!esse_value_eq(header->isolation, ESSE_NONE)) {
        esse_out_text(w->out, ",\"isolation\":");
        put_id(w, header->isolation, true);
    }
    if (header->column_count)
        put_texts(w, ",\"columns\":[", header->columns, header->column_count);
    if (header->statement_count)
        put_texts(w, ",\"statements\":[", header->statements, header->statement_count);
    if (header->in_version_order)
        esse_out_text(w->out, ",\"in_version_order\":true");
    esse_out_text(w->out, "}\n");
    return true;
}

static bool put_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                     struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    esse_out_text(w->out, ESSE_NATIVE_INIT);
    if (!put_rows(w, rows, count, false, err))
        return false;
    esse_out_text(w->out, "}\n");
    return true;
}

static bool put_fault(struct esse_sink *sink, const struct esse_fault_record *fault,
                      struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    (void)err;
    esse_out_upto(w->out, esse_native_put_fault(room(w), fault));
    return true;
}

static bool put_version_order(struct esse_sink *sink, esse_value key,
                              const struct esse_version_ref *versions, size_t count,
                              struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    esse_out_text(w->out, "{\"version_order\":{");
    if (!put_key(w, key, err))
        return false;
    esse_out_text(w->out, ":[");
    for (size_t i = 0; i < count; i++) {
        if (i)
            esse_out_char(w->out, ',');
        if (esse_value_eq(versions[i].txn, ESSE_NONE)) {
            if (!put_value(w, versions[i].value, err))
                return false;
            continue;
        }
        esse_out_text(w->out, "{\"txn\":");
        put_id(w, versions[i].txn, true);
        esse_out_char(w->out, '}');
    }
    esse_out_text(w->out, "]}}\n");
    return true;
}

static bool put_order(struct esse_sink *sink, const esse_value *names, size_t count,
                      struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    (void)err;
    put_texts(w, "{\"order\":[", names, count);
    esse_out_text(w->out, "}\n");
    return true;
}

static bool put_lost(struct esse_sink *sink, const esse_value *names, size_t count,
                     struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    (void)err;
    put_texts(w, "{\"lost\":[", names, count);
    esse_out_text(w->out, "}\n");
    return true;
}

static bool put_certificate(struct esse_sink *sink,
                            const struct esse_certificate_record *certificate,
                            struct esse_error *err)
{
    struct writer *w = writer_of(sink);
    (void)err;
    esse_out_f(w->out, "{\"certificate\":\"%s\"%s}\n", esse_certificate_name(certificate->kind),
               certificate->complete ? ",\"complete\":true" : "");
    return true;
}

static bool finish(struct esse_sink *sink, struct esse_error *err)
{
    (void)sink;
    (void)err;
    return true;
}

struct esse_sink *esse_native_writer(struct esse_arena *arena, struct esse_values *values,
                                     struct esse_out *out, bool lossy)
{
    struct writer *w = esse_arena_alloc(arena, 1, sizeof *w);
    w->sink = (struct esse_sink){ .values = values,
                                  .header = put_header,
                                  .init = put_init,
                                  .fault = put_fault,
                                  .txn = put_txn,
                                  .version_order = put_version_order,
                                  .order = put_order,
                                  .lost = put_lost,
                                  .certificate = put_certificate,
                                  .finish = finish };
    w->out = out;
    w->lossy = lossy;
    return &w->sink;
}
