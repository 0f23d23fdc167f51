#include "evidence/recheck_mechanism.h"
#include "formats/json.h"
#include "mirror/mirror_state.h"

/* A finding's folder, read back for the kernel. */

ESSE_VEC(mop_vec, struct esse_mechanism_op)
ESSE_VEC(mtxn_vec, struct esse_mechanism_txn)
ESSE_VEC(minit_vec, struct esse_mechanism_init)

struct reader {
    struct esse_trace_sink sink;
    struct esse_arena *arena;
    const struct esse_profile *profile;
    struct mtxn_vec txns;
    struct mop_vec *ops; /* by transaction */
    struct esse_value_vec names;
    struct mirror_u32_vec savepoints; /* of all: transaction, operation count */
    struct esse_value_vec savepoint_names;
    int64_t widen_before, widen_after;
    struct minit_vec inits;
    bool has_init;
    size_t statement; /* that the operations at hand are rows of, or SIZE_MAX */
};

/* ---- claim.json ---- */

enum field {
    F_MECHANISM,
    F_PROFILE,
    F_TXN,
    F_WITH,
    F_KEY,
    F_COLUMN,
    F_VALUE,
    F_TXNS,
    F_KEYS,
    FIELDS
};
static const char *const field_names[] = { "mechanism", "profile", "txn",  "with", "key",
                                           "column",    "value",   "txns", "keys" };

static bool read_claim(struct esse_arena *arena, const char *path, struct esse_values *values,
                       esse_value fields[FIELDS], struct esse_error *err)
{
    struct esse_source source;
    struct esse_json json;
    if (!esse_source_open(&source, arena, path, NULL, err))
        return false;
    for (int f = 0; f < FIELDS; f++)
        fields[f] = ESSE_NONE;
    esse_json_init(&json, &source, values, false, err);
    json.at = source.at;
    bool ok = esse_json_char(&json, '{', "a claim, an object");
    for (bool first = true; ok && esse_json_more(&json, &first, '}', &ok);) {
        struct esse_span name;
        int f = 0;
        if (!(ok = esse_json_name(&json, &name)))
            break;
        while (f < FIELDS && !esse_span_is(name, field_names[f]))
            f++;
        ok = f < FIELDS ? esse_json_value(&json, &fields[f]) : esse_json_skip(&json);
    }
    esse_source_close(&source);
    return ok;
}

/* ---- trace.jsonl ---- */

static const struct esse_mechanism_column *columns_of(struct reader *r, esse_value value,
                                                      size_t *column_count)
{
    *column_count = 0;
    if (esse_value_tag(value) != ESSE_TAG_ATOM ||
        esse_value_kind(r->sink.values, value) != ESSE_KIND_MAP)
        return NULL;
    uint32_t count;
    const esse_value *parts = esse_value_parts(r->sink.values, value, &count);
    struct esse_mechanism_column *columns = esse_arena_alloc(r->arena, count + 1u, sizeof *columns);
    for (uint32_t i = 0; i < count; i += 2)
        columns[i / 2] = (struct esse_mechanism_column){ parts[i], parts[i + 1] };
    *column_count = count / 2;
    return columns;
}

static bool take_header(struct esse_trace_sink *sink, const struct esse_trace_header *header,
                        struct esse_error *err)
{
    struct reader *r = (struct reader *)sink;
    (void)err;
    r->widen_before = header->skew == ESSE_NO_TIME ? 0 : header->skew;
    r->widen_after =
        r->widen_before + (header->resolution == ESSE_NO_TIME ? 1 : header->resolution);
    r->has_init = header->has_init;
    for (size_t i = 0; i < header->init_count; i++) {
        struct esse_mechanism_init init = { .key = header->init[i].key,
                                            .value = header->init[i].value };
        init.columns = columns_of(r, init.value, &init.column_count);
        minit_vec_push(&r->inits, r->arena, init);
    }
    return true;
}

static void add_op(struct reader *r, uint32_t txn, const struct esse_trace_event *event,
                   enum esse_mechanism_op_kind kind, esse_value key, esse_value value, bool found)
{
    struct esse_mechanism_op op = { .kind = kind,
                                    .key = key,
                                    .value = value,
                                    .before = event->before - r->widen_before,
                                    .after = event->after + r->widen_after,
                                    .lock = event->lock,
                                    .failed = event->failed,
                                    .cursor = event->cursor,
                                    .is_found = found,
                                    .statement = r->statement,
                                    .undone_by = SIZE_MAX };
    op.columns = columns_of(r, value, &op.column_count);
    mop_vec_push(&r->ops[txn], r->arena, op);
}

static void take_op(struct reader *r, uint32_t txn, const struct esse_trace_event *event)
{
    static const enum esse_mechanism_op_kind kinds[] = { ESSE_MOP_READ, ESSE_MOP_WRITE,
                                                         ESSE_MOP_WRITE, ESSE_MOP_DELETE };
    const struct esse_op_record *op = &event->op;
    r->statement = SIZE_MAX;
    if (!esse_op_is_predicate(op->kind)) {
        esse_value value = op->kind == ESSE_OP_DELETE ? ESSE_NIL : op->value;
        if (op->is_list)
            value = op->count ? event->items[op->first + op->count - 1] : ESSE_NIL;
        add_op(r, txn, event, event->is_insert ? ESSE_MOP_INSERT : kinds[op->kind], op->key, value,
               false);
        return;
    }
    const bool is_update = op->kind == ESSE_OP_PREDICATE_UPDATE;
    /* The statement itself, which takes a snapshot even if it returns nothing. */
    add_op(r, txn, event, ESSE_MOP_READ, ESSE_NONE, ESSE_NONE, is_update);
    r->statement = r->ops[txn].count - 1;
    for (size_t i = 0; i < op->count; i++) {
        const struct esse_row *row = &event->rows[op->first + i];
        add_op(r, txn, event, ESSE_MOP_READ, row->key, row->value, is_update);
        if (is_update)
            add_op(r, txn, event, ESSE_MOP_WRITE, row->key, row->next, false);
    }
}

static void roll_back(struct reader *r, uint32_t txn, const struct esse_trace_event *event)
{
    size_t from = SIZE_MAX;
    for (size_t i = 0; i < r->savepoint_names.count; i++)
        if (r->savepoints.at[2 * i] == txn && esse_value_eq(r->savepoint_names.at[i], event->name))
            from = r->savepoints.at[2 * i + 1];
    const size_t here = r->ops[txn].count;
    for (size_t i = from; i < here; i++) {
        struct esse_mechanism_op *op = &r->ops[txn].at[i];
        if (op->undone_by == SIZE_MAX) {
            op->undone_by = here;
            op->undone_before = event->before - r->widen_before;
        }
    }
}

static uint32_t new_txn(struct reader *r, const struct esse_trace_event *event)
{
    const uint32_t at = (uint32_t)r->txns.count;
    struct esse_mechanism_txn t = { .row = r->profile,
                                    .session = event->session_number,
                                    .place = at,
                                    .timestamp = ESSE_NO_TIME,
                                    .end = ESSE_MEND_UNKNOWN,
                                    .before = event->before - r->widen_before,
                                    .after = INT64_MAX };
    mtxn_vec_push(&r->txns, r->arena, t);
    esse_value_vec_push(&r->names, r->arena, event->txn);
    r->ops = esse_arena_grow(r->arena, r->ops, (at + 1) * sizeof *r->ops);
    r->ops[at] = (struct mop_vec){ 0 };
    return at;
}

static void take_begin(struct reader *r, struct esse_mechanism_txn *t,
                       const struct esse_trace_event *event)
{
    char room[8];
    t->has_begin = true;
    t->begin_before = event->before - r->widen_before;
    t->begin_after = event->after + r->widen_after;
    if (esse_value_eq(event->name, ESSE_NONE))
        return;
    const struct esse_span text = esse_value_text(r->sink.values, event->name, room);
    const struct esse_profile *row = esse_profile_sibling(r->profile, text.at, text.length);
    t->row = row ? row : r->profile;
}

static void take_end(struct reader *r, uint32_t txn, const struct esse_trace_event *event)
{
    struct esse_mechanism_txn *t = &r->txns.at[txn];
    const bool is_endless = event->after == ESSE_NO_TIME;
    t->end = event->kind == ESSE_TRACE_ABORT || event->failed ? ESSE_MEND_ABORT
             : is_endless                                     ? ESSE_MEND_UNKNOWN
                                                              : ESSE_MEND_COMMIT;
    t->before = event->before - r->widen_before;
    t->after = is_endless ? INT64_MAX : event->after + r->widen_after;
    t->timestamp = event->commit_ts;
    for (size_t i = 0; i < r->ops[txn].count && t->end == ESSE_MEND_ABORT; i++)
        if (r->ops[txn].at[i].failed && r->ops[txn].at[i].before < t->before)
            t->before = r->ops[txn].at[i].before;
}

static bool take_event(struct esse_trace_sink *sink, const struct esse_trace_event *event,
                       struct esse_error *err)
{
    struct reader *r = (struct reader *)sink;
    if (event->kind >= ESSE_TRACE_OPAQUE)
        return esse_fail_at(err, event->line, 0, "a claim's trace has transactions only");
    while (r->txns.count < event->txn_number)
        new_txn(r, event);
    const uint32_t txn = event->txn_number - 1;
    /* It ends after what it has done so far; if its end is not here, no more is known. */
    r->txns.at[txn].before = event->before - r->widen_before;
    switch (event->kind) {
    case ESSE_TRACE_BEGIN:
        take_begin(r, &r->txns.at[txn], event);
        break;
    case ESSE_TRACE_OP:
        take_op(r, txn, event);
        break;
    case ESSE_TRACE_SAVEPOINT:
        mirror_u32_vec_push(&r->savepoints, r->arena, txn);
        mirror_u32_vec_push(&r->savepoints, r->arena, (uint32_t)r->ops[txn].count);
        esse_value_vec_push(&r->savepoint_names, r->arena, event->name);
        break;
    case ESSE_TRACE_ROLLBACK_TO:
        roll_back(r, txn, event);
        break;
    default:
        take_end(r, txn, event);
    }
    return true;
}

/* ---- both together ---- */

static size_t txn_named(const struct reader *r, esse_value name)
{
    size_t at = 0;
    while (at < r->names.count && !esse_value_eq(r->names.at[at], name))
        at++;
    return at;
}

static bool find_kind(const struct esse_values *values, esse_value name, enum esse_claim_kind *kind,
                      struct esse_error *err)
{
    char room[8];
    const struct esse_span text = esse_value_kind(values, name) == ESSE_KIND_STRING
                                      ? esse_value_text(values, name, room)
                                      : (struct esse_span){ "", 0 };
    for (unsigned i = 0; i < ESSE_MECHANISMS; i++) {
        if (esse_span_is(text, esse_mechanism_names[i])) {
            *kind = (enum esse_claim_kind)i;
            return true;
        }
    }
    return esse_fail(err, ESSE_EINPUT,
                     "the kernel rechecks claims about CR, ME, FUW, OCC, SC and Joint; this is "
                     "another");
}

static bool find_profile(struct reader *r, esse_value name, struct esse_profile *own,
                         struct esse_error *err)
{
    char room[8];
    if (esse_value_kind(r->sink.values, name) != ESSE_KIND_STRING)
        return esse_fail(err, ESSE_EINPUT, "the claim has no profile");
    const struct esse_span text = esse_value_text(r->sink.values, name, room);
    const char *copy = esse_arena_text(r->arena, text.at, text.length);
    if (esse_profile_named(copy, own, &r->profile, err))
        return true;
    err->code = ESSE_EINPUT;
    return false;
}

static struct esse_mechanism_trace trace_of(struct reader *r)
{
    for (size_t i = 0; i < r->txns.count; i++) {
        r->txns.at[i].ops = r->ops[i].at;
        r->txns.at[i].op_count = r->ops[i].count;
    }
    return (struct esse_mechanism_trace){ .txns = r->txns.at,
                                          .txn_count = r->txns.count,
                                          .has_init = r->has_init,
                                          .inits = r->inits.at,
                                          .init_count = r->inits.count };
}

/* A member that lists names. */
static const esse_value *list_of(const struct reader *r, esse_value field, size_t *count)
{
    uint32_t parts = 0;
    const esse_value *list = NULL;
    if (esse_value_tag(field) == ESSE_TAG_ATOM &&
        esse_value_kind(r->sink.values, field) == ESSE_KIND_SEQ)
        list = esse_value_parts(r->sink.values, field, &parts);
    *count = parts;
    return list;
}

static void fill_claim(struct reader *r, const esse_value fields[FIELDS],
                       struct esse_mechanism_claim *claim)
{
    const bool is_read = claim->kind == ESSE_CLAIM_CR;
    const esse_value *names = list_of(r, fields[F_TXNS], &claim->txn_count);
    size_t *txns = esse_arena_array(r->arena, claim->txn_count + 1, *txns);
    for (size_t i = 0; i < claim->txn_count; i++)
        txns[i] = txn_named(r, names[i]);
    claim->txns = txns;
    claim->keys = list_of(r, fields[F_KEYS], &claim->key_count);
    claim->txn = txn_named(r, fields[F_TXN]);
    claim->with =
        is_read || claim->kind >= ESSE_CLAIM_SC ? claim->txn : txn_named(r, fields[F_WITH]);
    claim->key = fields[F_KEY];
    claim->column = fields[F_COLUMN];
    claim->value = fields[F_VALUE];
}

bool esse_claim_verify(struct esse_arena *arena, const char *folder, const char **told,
                       struct esse_error *err)
{
    const struct esse_trace_options load = { .format = "trace" };
    struct reader r = { .sink = { .header = take_header, .event = take_event }, .arena = arena };
    struct esse_mechanism_claim claim;
    struct esse_profile own;
    esse_value fields[FIELDS];
    r.sink.values = esse_values_new(arena);
    if (!read_claim(arena, esse_arena_format(arena, "%s/claim.json", folder), r.sink.values, fields,
                    err) ||
        !find_kind(r.sink.values, fields[F_MECHANISM], &claim.kind, err) ||
        !find_profile(&r, fields[F_PROFILE], &own, err) ||
        !esse_trace_read(esse_arena_format(arena, "%s/trace.jsonl", folder), &load, &r.sink, err))
        return false;
    fill_claim(&r, fields, &claim);
    const struct esse_mechanism_trace trace = trace_of(&r);
    if (!esse_recheck_mechanism(&trace, &claim, err))
        return false;
    *told = esse_arena_format(arena, "%s broken (%s)", esse_mechanism_names[claim.kind],
                              esse_mechanism_titles[claim.kind]);
    return true;
}
