#include "collect/recover/feeds.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/vec.h"
#include "collect/recover/recover_text.h"
#include "formats/json.h"

/* A text as a value in a pool of its own, so that only what is wanted gets into the sink's. */
struct feed {
    struct esse_arena *arena;
    struct esse_values *values;
    struct esse_change_sink *sink;
    struct esse_error *err;
};

ESSE_VEC(feed_cell_vec, struct esse_cell)

static bool feed_parse(const struct feed *f, struct esse_span text, esse_value *value)
{
    struct esse_source source;
    struct esse_json json;
    esse_source_memory(&source, f->arena, text.at, text.length);
    esse_json_init(&json, &source, f->values, false, f->err);
    if (!esse_json_value(&json, value))
        return false;
    return !esse_json_peek(&json) || json.at >= source.end || esse_json_expected(&json, "the end");
}

static bool feed_open(struct feed *f, struct esse_change_sink *sink, struct esse_span text,
                      esse_value *root, struct esse_error *err)
{
    f->arena = esse_arena_new();
    f->values = esse_values_new(f->arena);
    f->sink = sink;
    f->err = err;
    if (!feed_parse(f, text, root))
        return false;
    if (esse_value_kind(f->values, *root) != ESSE_KIND_MAP)
        return esse_fail_at(err, 1, 1, "expected an object");
    return true;
}

/* ---- looking into values ---- */

/* A member of an object, ESSE_NONE if it has none of that name or is no object. */
static esse_value member(const struct feed *f, esse_value object, const char *name)
{
    uint32_t count;
    char room[8];
    if (esse_value_kind(f->values, object) != ESSE_KIND_MAP)
        return ESSE_NONE;
    const esse_value *parts = esse_value_parts(f->values, object, &count);
    for (uint32_t i = 0; i + 1 < count; i += 2)
        if (esse_span_is(esse_value_text(f->values, parts[i], room), name))
            return parts[i + 1];
    return ESSE_NONE;
}

static bool is_kind(const struct feed *f, esse_value value, enum esse_value_kind kind)
{
    return esse_value_kind(f->values, value) == kind;
}

static bool expected(const struct feed *f, const char *what)
{
    return esse_fail_at(f->err, 1, 1, "expected %s", what);
}

static bool text_of(const struct feed *f, esse_value value, char room[8], struct esse_span *text,
                    const char *what)
{
    if (!is_kind(f, value, ESSE_KIND_STRING))
        return expected(f, what);
    *text = esse_value_text(f->values, value, room);
    return true;
}

/* A number, or a string that holds one. */
static bool number_of(const struct feed *f, esse_value value, int64_t *number, const char *what)
{
    char room[8];
    if (is_kind(f, value, ESSE_KIND_STRING)) {
        const struct esse_span text = esse_value_text(f->values, value, room);
        value = esse_value_of_digits(f->values, text.at, text.length);
    }
    return esse_value_as_int(f->values, value, number) || expected(f, what);
}

/* The members of a list; none if the value is not there. */
static bool list_of(const struct feed *f, esse_value value, const esse_value **items,
                    uint32_t *count, const char *what)
{
    *items = NULL;
    *count = 0;
    if (is_kind(f, value, ESSE_KIND_NONE))
        return true;
    if (!is_kind(f, value, ESSE_KIND_SEQ))
        return expected(f, what);
    *items = esse_value_parts(f->values, value, count);
    return true;
}

/* A change that is all that is told of its transaction here. */
static bool send(const struct feed *f, const struct esse_change_txn *txn,
                 const struct esse_change *change)
{
    return f->sink->begin(f->sink, txn, f->err) && f->sink->change(f->sink, change, f->err) &&
           f->sink->commit(f->sink, f->err);
}

/* ---- etcd ---- */

static struct esse_cell cell(const char *name, esse_value value)
{
    return (struct esse_cell){ { name, strlen(name) }, value };
}

static bool base64_value(const struct feed *f, esse_value value, esse_value *out)
{
    char room[8];
    struct esse_span text = { "", 0 };
    size_t count;
    if (!is_kind(f, value, ESSE_KIND_NONE) && !text_of(f, value, room, &text, "text in base64"))
        return false; /* an empty text is left out */
    char *bytes = esse_arena_alloc(f->arena, ESSE_BASE64_BYTES(text.length) + 1, 1);
    if (!esse_base64_decode(text.at, text.length, bytes, &count))
        return expected(f, "text in base64");
    *out = esse_value_of_digits(f->sink->values, bytes, count);
    return true;
}

static bool send_pair(const struct feed *f, esse_value kv, bool is_delete)
{
    int64_t revision;
    esse_value key, value = ESSE_NIL;
    if (!number_of(f, member(f, kv, "mod_revision"), &revision, "a mod_revision") ||
        !base64_value(f, member(f, kv, "key"), &key) ||
        (!is_delete && !base64_value(f, member(f, kv, "value"), &value)))
        return false;
    const struct esse_cell cells[] = { cell("k", key), cell("v", value) };
    const struct esse_change_txn txn = { esse_value_int(f->sink->values, revision),
                                         { (uint64_t)revision, 0 } };
    const struct esse_change change = {
        .kind = is_delete ? ESSE_CHANGE_DELETE : ESSE_CHANGE_PUT,
        .table = { "", 0 },
        .cells = cells,
        .count = 2,
    };
    return send(f, &txn, &change);
}

static bool send_event(const struct feed *f, esse_value event)
{
    char room[8];
    const esse_value type = member(f, event, "type");
    struct esse_span text = { "", 0 };
    if (!is_kind(f, type, ESSE_KIND_NONE) && !text_of(f, type, room, &text, "an event's type"))
        return false;
    return send_pair(f, member(f, event, "kv"), esse_span_is(text, "DELETE"));
}

static bool etcd_feed(const struct feed *f, esse_value root, int64_t *revision)
{
    const esse_value result = member(f, root, "result");
    const esse_value answer = is_kind(f, result, ESSE_KIND_NONE) ? root : result;
    const esse_value *items;
    uint32_t count;
    if (!is_kind(f, member(f, root, "error"), ESSE_KIND_NONE))
        return expected(f, "a result; the server reports an error");
    if (!is_kind(f, member(f, answer, "compact_revision"), ESSE_KIND_NONE))
        return expected(f, "every revision; the server has compacted some away");
    if (!number_of(f, member(f, member(f, answer, "header"), "revision"), revision,
                   "a header with a revision") ||
        !list_of(f, member(f, answer, "events"), &items, &count, "a list of events"))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!send_event(f, items[i]))
            return false;
    if (!list_of(f, member(f, answer, "kvs"), &items, &count, "a list of keys and values"))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!send_pair(f, items[i], false))
            return false;
    return true;
}

bool esse_etcd_feed(struct esse_change_sink *sink, struct esse_span text, int64_t *revision,
                    struct esse_error *err)
{
    struct feed f;
    esse_value root;
    const bool ok = feed_open(&f, sink, text, &root, err) && etcd_feed(&f, root, revision);
    esse_arena_free(f.arena);
    return ok;
}

/* ---- CockroachDB ---- */

/* The cells of 'after' or, if the row is gone, of its key. */
static bool cockroach_cells(const struct feed *f, const struct esse_cockroach_rows *rows,
                            struct esse_span key_text, esse_value root, struct feed_cell_vec *cells)
{
    char room[8];
    const esse_value after = member(f, root, "after");
    esse_value list = member(f, root, "key");
    const esse_value *key;
    uint32_t count;
    if (is_kind(f, after, ESSE_KIND_MAP)) {
        const esse_value *parts = esse_value_parts(f->values, after, &count);
        for (uint32_t i = 0; i + 1 < count; i += 2) {
            const struct esse_span name = esse_value_text(f->values, parts[i], room);
            feed_cell_vec_push(cells, f->arena,
                               (struct esse_cell){
                                   { esse_arena_text(f->arena, name.at, name.length), name.length },
                                   esse_value_carry(f->sink->values, f->values, parts[i + 1]) });
        }
        return true;
    }
    if (!is_kind(f, after, ESSE_KIND_NIL))
        return expected(f, "a member 'after', an object or null");
    if ((key_text.length && !feed_parse(f, key_text, &list)) ||
        !list_of(f, list, &key, &count, "a key, a list"))
        return false;
    if (count != rows->key_count)
        return expected(f, "a key with a value for each column of the primary key");
    for (uint32_t i = 0; i < count; i++)
        feed_cell_vec_push(
            cells, f->arena,
            cell(rows->key_columns[i], esse_value_carry(f->sink->values, f->values, key[i])));
    return true;
}

static bool cockroach_feed(const struct feed *f, const struct esse_cockroach_rows *rows,
                           struct esse_span key, esse_value root, struct esse_stamp *resolved)
{
    char room[8];
    struct esse_span text;
    struct esse_change_txn txn;
    struct feed_cell_vec cells = { 0 };
    const esse_value mark = member(f, root, "resolved");
    if (!is_kind(f, mark, ESSE_KIND_NONE))
        return text_of(f, mark, room, &text, "a resolved timestamp") &&
               esse_hlc_parse(text, resolved, f->err);
    if (!text_of(f, member(f, root, "updated"), room, &text, "a member 'updated' or 'resolved'") ||
        !esse_hlc_parse(text, &txn.stamp, f->err) || !cockroach_cells(f, rows, key, root, &cells))
        return false;
    txn.id = esse_value_string(f->sink->values, text.at, text.length);
    const struct esse_change change = {
        .kind = is_kind(f, member(f, root, "after"), ESSE_KIND_NIL) ? ESSE_CHANGE_DELETE
                                                                    : ESSE_CHANGE_PUT,
        .table = rows->table,
        .cells = cells.at,
        .count = cells.count,
    };
    return send(f, &txn, &change);
}

bool esse_cockroach_feed(struct esse_change_sink *sink, const struct esse_cockroach_rows *rows,
                         struct esse_span key, struct esse_span text, struct esse_stamp *resolved,
                         struct esse_error *err)
{
    struct feed f;
    esse_value root;
    const bool ok =
        feed_open(&f, sink, text, &root, err) && cockroach_feed(&f, rows, key, root, resolved);
    esse_arena_free(f.arena);
    return ok;
}

/* ---- TiDB ---- */

enum { TIDB_PUT, TIDB_DELETE }; /* kinds of writes; locks and rollbacks have higher numbers */

static bool send_write(const struct feed *f, const char *table, const char *key_column,
                       esse_value key, esse_value write)
{
    int64_t start, commit, kind = TIDB_PUT;
    const esse_value type = member(f, write, "type");
    if (!number_of(f, member(f, write, "start_ts"), &start, "a start_ts") ||
        !number_of(f, member(f, write, "commit_ts"), &commit, "a commit_ts") ||
        (!is_kind(f, type, ESSE_KIND_NONE) && !number_of(f, type, &kind, "a type")))
        return false;
    if (kind != TIDB_PUT && kind != TIDB_DELETE)
        return true;
    const struct esse_cell cells[] = { cell(key_column, key), cell("v", ESSE_NONE) };
    const struct esse_change_txn txn = { esse_value_int(f->sink->values, start),
                                         { (uint64_t)commit, 0 } };
    const struct esse_change change = {
        .kind = kind == TIDB_DELETE ? ESSE_CHANGE_DELETE : ESSE_CHANGE_PUT,
        .table = { table, strlen(table) },
        .cells = cells,
        .count = 2,
    };
    return send(f, &txn, &change);
}

static bool tidb_feed(const struct feed *f, const char *table, const char *key_column,
                      esse_value key, esse_value root)
{
    const esse_value *writes, value = member(f, root, "value");
    uint32_t count;
    /* Up to version 3 the answer is the information; later it is inside of 'value'. */
    const esse_value info = member(f, is_kind(f, value, ESSE_KIND_MAP) ? value : root, "info");
    if (is_kind(f, value, ESSE_KIND_MAP) && is_kind(f, info, ESSE_KIND_NONE))
        return true; /* a row that never was there */
    if (!is_kind(f, info, ESSE_KIND_MAP))
        return expected(f, "a member 'info'");
    if (!list_of(f, member(f, info, "writes"), &writes, &count, "a list of writes"))
        return false;
    for (uint32_t i = count; i-- > 0;) /* the newest is first */
        if (!send_write(f, table, key_column, key, writes[i]))
            return false;
    return true;
}

bool esse_tidb_feed(struct esse_change_sink *sink, const char *table, const char *key_column,
                    esse_value key, struct esse_span text, struct esse_error *err)
{
    struct feed f;
    esse_value root;
    const bool ok =
        feed_open(&f, sink, text, &root, err) && tidb_feed(&f, table, key_column, key, root);
    esse_arena_free(f.arena);
    return ok;
}
