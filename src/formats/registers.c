#include "formats/registers.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands for a value that is no number, with --lossy: far from the numbers in use. */
#define FIRST_MADE_UP ((int64_t)1 << 62)

bool esse_text_is_int(const char *text, size_t length, int64_t *number)
{
    char copy[24], back[24];
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *number = strtoll(copy, NULL, 10);
    snprintf(back, sizeof back, "%" PRId64, *number);
    return strcmp(copy, back) == 0;
}

/* ---- numbers ---- */

static const struct esse_stand_in *find(const struct esse_stand_ins *in, esse_value from)
{
    struct esse_probe probe = esse_index_probe(&in->index, esse_hash_word(from.word));
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (esse_value_eq(in->all.at[id].from, from))
            return &in->all.at[id];
    return NULL;
}

static void add(struct esse_registers *w, struct esse_stand_ins *to, struct esse_stand_in stand_in)
{
    esse_index_add(&to->index, w->arena, esse_hash_word(stand_in.from.word),
                   (uint32_t)to->all.count);
    esse_stand_in_vec_push(&to->all, w->arena, stand_in);
}

/* The number that stands for what is none. */
static bool make_up(struct esse_registers *w, struct esse_stand_ins *in, esse_value from,
                    const char *what, int64_t *number, struct esse_error *err)
{
    const struct esse_stand_in *known = find(in, from);
    if (!known && !esse_lossy_drops(&w->to, what, err))
        return false;
    *number = known ? (int64_t)known->to : FIRST_MADE_UP + (int64_t)in->all.count;
    if (!known)
        add(w, in, (struct esse_stand_in){ from, (uint64_t)*number });
    return true;
}

/* The native format's keys are strings, those that stand for numbers too. */
static bool key_number(struct esse_registers *w, esse_value key, int64_t *number,
                       struct esse_error *err)
{
    const enum esse_value_kind kind = esse_value_kind(w->to.sink.values, key);
    char room[8];
    w->key_kinds |= 1u << kind;
    const unsigned both = 1u << ESSE_KIND_INT | 1u << ESSE_KIND_STRING;
    if ((w->key_kinds & both) == both &&
        !esse_lossy_drops(&w->to, "both integers and strings as keys", err))
        return false;
    if (esse_value_as_int(w->to.sink.values, key, number))
        return true;
    if (kind == ESSE_KIND_STRING && !find(&w->keys, key)) {
        const struct esse_span text = esse_value_text(w->to.sink.values, key, room);
        if (esse_text_is_int(text.at, text.length, number))
            add(w, &w->keys, (struct esse_stand_in){ key, (uint64_t)*number });
    }
    return make_up(w, &w->keys, key, "keys that are not integers", number, err);
}

static bool value_number(struct esse_registers *w, esse_value value, int64_t *number,
                         struct esse_error *err)
{
    return esse_value_as_int(w->to.sink.values, value, number) ||
           make_up(w, &w->values, value, "values that are not integers", number, err);
}

/* ---- the initial version ---- */

enum {
    READ_INITIAL = 1,  /* the initial version was read, ... */
    WROTE_INITIAL = 2, /* ... and its value was also written */
    READ_NOTHING = 4,  /* although there is an initial value */
    READ_0 = 8,        /* not as the initial value */
    WROTE_0 = 16,
    ABORTED_INITIAL = 32, /* an aborted transaction wrote the initial value, ... */
    ABORTED_0 = 64,       /* ... or 0 */
};

static struct esse_initial_use *find_use(const struct esse_registers *w, esse_value key)
{
    struct esse_probe probe = esse_index_probe(&w->initial_index, esse_hash_word(key.word));
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (esse_value_eq(w->initial.at[id].key, key))
            return &w->initial.at[id];
    return NULL;
}

static struct esse_initial_use *use_of(struct esse_registers *w, esse_value key)
{
    struct esse_initial_use *known = find_use(w, key);
    if (known)
        return known;
    esse_index_add(&w->initial_index, w->arena, esse_hash_word(key.word),
                   (uint32_t)w->initial.count);
    esse_initial_uses_push(&w->initial, w->arena, (struct esse_initial_use){ key, ESSE_NONE, 0 });
    return &w->initial.at[w->initial.count - 1];
}

/* What an operation says about the initial version.  What an aborted transaction read decides
 * nothing. */
static unsigned initial_seen(const struct esse_op_record *op, bool aborted, esse_value given)
{
    const bool has_given = !esse_value_eq(given, ESSE_NONE);
    const bool is_given = has_given && esse_value_eq(op->value, given);
    const bool is_0 = esse_value_eq(op->value, esse_value_small(0));
    if (aborted)
        return op->kind == ESSE_OP_READ
                   ? 0
                   : (is_given ? ABORTED_INITIAL : 0u) | (is_0 ? ABORTED_0 : 0u);
    if (op->kind != ESSE_OP_READ)
        return (is_given ? WROTE_INITIAL : 0u) | (is_0 ? WROTE_0 : 0u);
    if (esse_value_eq(op->value, ESSE_NIL))
        return has_given ? READ_NOTHING : READ_INITIAL;
    return is_given ? READ_INITIAL : is_0 ? READ_0 : 0;
}

static bool is_initial(const struct esse_registers *w, const struct esse_op_record *op)
{
    const struct esse_initial_use *use = find_use(w, op->key);
    return op->kind == ESSE_OP_READ &&
           (esse_value_eq(op->value, ESSE_NIL) || (use && esse_value_eq(op->value, use->given)));
}

static void note_initial(struct esse_registers *w, const struct esse_op_record *op, bool aborted)
{
    const struct esse_initial_use *known = find_use(w, op->key);
    const unsigned seen = initial_seen(op, aborted, known ? known->given : ESSE_NONE);
    if (seen)
        use_of(w, op->key)->seen |= seen;
}

/* What about a key's initial version the format cannot say; NULL if there is nothing. */
static const char *initial_misfit(const struct esse_registers *w,
                                  const struct esse_initial_use *use)
{
    const bool is_0 = esse_value_eq(use->given, esse_value_small(0));
    const bool may_be_written = w->initial_mark == ESSE_INITIAL_BY_0;
    const unsigned seen = use->seen;
    if (seen & READ_NOTHING)
        return "reads of nothing from a key that has an initial value";
    const bool by_mark = w->initial_mark == ESSE_INITIAL_BY_MARK;
    const unsigned written =
        (may_be_written ? 0u : WROTE_INITIAL) | (by_mark ? ABORTED_INITIAL : 0u);
    if ((seen & READ_INITIAL) && (seen & written))
        return "an initial value that is written too";
    if (by_mark)
        return NULL;
    if ((seen & READ_0) && (may_be_written || !(seen & WROTE_0)))
        return "a read of the value 0 that is not the initial version's";
    const bool as_written = (seen & WROTE_0) && !(may_be_written && is_0);
    if ((seen & READ_INITIAL) && (as_written || ((seen & ABORTED_0) && !is_0)))
        return "the value 0 written to a key whose initial version is read";
    return NULL;
}

bool esse_registers_check_initial(const struct esse_registers *w, struct esse_error *err)
{
    for (size_t i = 0; i < w->initial.count; i++) {
        const char *what = initial_misfit(w, &w->initial.at[i]);
        if (what && !esse_lossy_drops(&w->to, what, err))
            return false;
    }
    return true;
}

/* ---- operations ---- */

/* What about an operation no register holds; NULL if there is nothing. */
static const char *misfit(const struct esse_op_record *op)
{
    if (esse_op_is_predicate(op->kind))
        return "predicate operations";
    if (op->kind == ESSE_OP_APPEND || op->is_list)
        return "lists";
    if (op->kind == ESSE_OP_DELETE)
        return "deletes";
    if (esse_value_eq(op->value, ESSE_NONE))
        return "reads whose result is not known";
    return NULL;
}

static bool take_op(struct esse_registers *w, const struct esse_op_record *op, bool aborted,
                    struct esse_error *err)
{
    struct esse_register_op taken = { .is_write = op->kind != ESSE_OP_READ,
                                      .is_initial = is_initial(w, op) };
    const char *what = misfit(op);
    if (op->begin != ESSE_NO_TIME && !esse_lossy_drops(&w->to, "the interval of an operation", err))
        return false;
    if (!esse_value_eq(op->snapshot, ESSE_NONE) &&
        !esse_lossy_drops(&w->to, "the snapshot of an operation", err))
        return false;
    if (what)
        return esse_lossy_drops(&w->to, what, err);
    note_initial(w, op, aborted);
    const bool is_0 = taken.is_initial && w->initial_mark != ESSE_INITIAL_BY_MARK;
    if (!key_number(w, op->key, &taken.key, err) ||
        (!is_0 && !esse_value_eq(op->value, ESSE_NIL) &&
         !value_number(w, op->value, &taken.value, err)))
        return false;
    esse_register_ops_push(&w->ops, w->arena, taken);
    return true;
}

/* ---- transactions ---- */

static bool check_txn(struct esse_registers *w, const struct esse_txn_record *txn,
                      struct esse_error *err)
{
    const bool timed = txn->start != ESSE_NO_TIME || txn->end != ESSE_NO_TIME;
    const bool server = txn->start_ts != ESSE_NO_TIME || txn->commit_ts != ESSE_NO_TIME;
    w->to.sink.dropped |= esse_txn_tells(txn);
    if (txn->status == ESSE_UNKNOWN_OUTCOME && !w->to.is_lossy)
        return esse_fail(err, ESSE_EINPUT,
                         "%s cannot hold transactions of unknown outcome; --lossy writes them as "
                         "committed",
                         w->to.format);
    return (!timed || esse_lossy_drops(&w->to, "client times", err)) &&
           (!server || esse_lossy_drops(&w->to, "server timestamps", err)) &&
           (txn->xid == ESSE_NO_TIME ||
            esse_lossy_drops(&w->to, "the database's numbers of transactions (xid)", err));
}

bool esse_registers_take(struct esse_registers *w, const struct esse_txn_record *txn,
                         struct esse_error *err)
{
    w->ops.count = 0;
    if (!check_txn(w, txn, err))
        return false;
    if (!esse_value_as_int(w->to.sink.values, txn->session, &w->session) &&
        !make_up(w, &w->sessions, txn->session, "sessions that are not integers", &w->session, err))
        return false;
    for (size_t i = 0; i < txn->op_count; i++)
        if (!take_op(w, &txn->ops[i], txn->status == ESSE_ABORTED, err))
            return false;
    return true;
}

bool esse_registers_id(struct esse_registers *w, const struct esse_txn_record *txn, int64_t *id,
                       struct esse_error *err)
{
    const bool named = !esse_value_eq(txn->name, ESSE_NONE);
    const bool given = named && esse_value_as_int(w->to.sink.values, txn->name, id);
    if (named && !given && !esse_lossy_drops(&w->to, "transaction ids that are not integers", err))
        return false;
    if (w->ids == ESSE_IDS_NOT_YET)
        w->ids = given ? ESSE_IDS_GIVEN : ESSE_IDS_COUNTED;
    if (given && w->ids == ESSE_IDS_GIVEN)
        return true;
    if (given != (w->ids == ESSE_IDS_GIVEN) &&
        !esse_lossy_drops(&w->to, "the ids of some transactions only", err))
        return false;
    *id = ++w->counted + (w->ids == ESSE_IDS_GIVEN ? FIRST_MADE_UP : 0);
    return true;
}

/* ---- the other records ---- */

static bool put_header(struct esse_sink *sink, const struct esse_header_record *header,
                       struct esse_error *err)
{
    sink->dropped |= esse_header_tells(header);
    return !header->in_version_order ||
           esse_lossy_drops((struct esse_lossy *)sink,
                            "that the versions are in the order of the file", err);
}

/* Cobra's logs have the value with every read of it, the others none but 0.  With --lossy which
 * value it is is lost; that a read returned the initial version is not. */
static bool put_init(struct esse_sink *sink, const struct esse_row *rows, size_t count,
                     struct esse_error *err)
{
    struct esse_registers *w = (struct esse_registers *)sink;
    for (size_t i = 0; i < count; i++) {
        if (w->initial_mark != ESSE_INITIAL_BY_MARK &&
            !esse_value_eq(rows[i].value, esse_value_small(0)) &&
            !esse_lossy_drops(&w->to, "initial values other than 0", err))
            return false;
        use_of(w, rows[i].key)->given = rows[i].value;
    }
    return true;
}

void esse_registers_init(struct esse_registers *w, struct esse_arena *arena,
                         struct esse_values *values, const char *format,
                         enum esse_initial_mark initial_mark, bool lossy)
{
    *w = (struct esse_registers){ .arena = arena, .initial_mark = initial_mark };
    esse_lossy_init(&w->to, values, format, lossy);
    w->to.sink.header = put_header;
    w->to.sink.init = put_init;
}

/* ---- logs by session ---- */

struct esse_register_log *esse_registers_log(struct esse_registers *w)
{
    const uint32_t hash = esse_hash_word((uint64_t)w->session);
    struct esse_probe probe = esse_index_probe(&w->log_index, hash);
    for (uint32_t id; esse_probe_next(&probe, &id);)
        if (w->logs.at[id].session == w->session)
            return &w->logs.at[id];
    struct esse_register_log log = { .session = w->session };
    esse_out_init_memory(&log.out, w->arena);
    esse_index_add(&w->log_index, w->arena, hash, (uint32_t)w->logs.count);
    esse_register_logs_push(&w->logs, w->arena, log);
    return &w->logs.at[w->logs.count - 1];
}

static int by_session(const void *a, const void *b)
{
    const struct esse_register_log *x = a, *y = b;
    return (x->session > y->session) - (x->session < y->session);
}

void esse_registers_sort_logs(struct esse_registers *w)
{
    if (w->logs.count)
        qsort(w->logs.at, w->logs.count, sizeof *w->logs.at, by_session);
}
