#include "formats/jepsen.h"

#include "base/hash.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A micro-operation of an open invocation.  What its reads say is never believed. */
struct kept_op {
    esse_value key, value;
    enum esse_op_kind kind;
};

ESSE_VEC(kept_ops, struct kept_op)
ESSE_VEC(kept_text, char)

/* An invocation that waits for its completion.  They are reused: a history has as many as it has
 * clients at work at one time, plus those that never completed. */
struct pending {
    struct pending *next; /* of the process, in the order of invocation; or of the free ones */
    struct pending *all;  /* of all */
    int64_t process, start, time;
    uint64_t line;
    enum esse_jepsen_value value;
    bool is_init;
    bool is_overtaken; /* its process completed something that it invoked later */
    struct kept_ops ops;
    struct esse_jepsen_extras extras; /* into 'text' */
    struct kept_text text;
};

struct process {
    int64_t id;
    struct pending *open, *last; /* the earliest and the latest; a client should have one */
};

ESSE_VEC(process_vec, struct process)

struct esse_jepsen_pairs {
    struct process_vec processes;
    struct esse_index index; /* into processes */
    struct pending *free, *all;
};

/* ---- life ---- */

void esse_jepsen_init(struct esse_jepsen *jepsen, struct esse_reading *reading,
                      struct esse_error *err)
{
    struct esse_arena *arena = reading->source->arena;
    *jepsen = (struct esse_jepsen){
        .reading = reading, .arena = arena, .values = reading->sink->values, .err = err
    };
    jepsen->pairs = esse_arena_alloc(arena, 1, sizeof *jepsen->pairs);
    esse_jepsen_items_grow(&jepsen->items, arena, 1); /* so that it is never null */
}

void esse_jepsen_release(struct esse_jepsen *jepsen)
{
    for (struct pending *p = jepsen->pairs->all; p; p = p->all) {
        kept_ops_drop(&p->ops, jepsen->arena);
        esse_jepsen_extras_drop(&p->extras, jepsen->arena);
        kept_text_drop(&p->text, jepsen->arena);
    }
    process_vec_drop(&jepsen->pairs->processes, jepsen->arena);
    esse_index_drop(&jepsen->pairs->index, jepsen->arena);
    esse_jepsen_ops_drop(&jepsen->ops, jepsen->arena);
    esse_jepsen_items_drop(&jepsen->items, jepsen->arena);
    esse_jepsen_rows_drop(&jepsen->rows, jepsen->arena);
    esse_jepsen_extras_drop(&jepsen->extras, jepsen->arena);
}

void esse_jepsen_begin(struct esse_jepsen *jepsen, const char *place)
{
    struct esse_jepsen_op *op = &jepsen->op;
    op->place = place;
    op->type = ESSE_JEPSEN_NO_TYPE;
    op->process_kind = ESSE_JEPSEN_NO_PROCESS;
    op->index = op->time = ESSE_NO_TIME;
    op->f = (struct esse_span){ 0 };
    op->is_txn = op->is_init = op->has_init = false;
    op->value = ESSE_JEPSEN_NO_VALUE;
    op->problem = NULL;
    op->seen = 0;
    jepsen->ops.count = jepsen->items.count = jepsen->rows.count = jepsen->extras.count = 0;
}

/* ---- names ---- */

enum esse_jepsen_type esse_jepsen_type_named(struct esse_span name)
{
    static const char *const names[] = { "", "invoke", "ok", "fail", "info" };
    for (int i = ESSE_JEPSEN_INVOKE; i <= ESSE_JEPSEN_INFO; i++)
        if (esse_span_is(name, names[i]))
            return (enum esse_jepsen_type)i;
    return ESSE_JEPSEN_NO_TYPE;
}

enum esse_jepsen_mop esse_jepsen_mop_named(struct esse_span name)
{
    static const char *const names[] = { "r", "w", "append", "insert", "delete", "rp" };
    for (int i = 0; i < ESSE_MOPS; i++)
        if (esse_span_is(name, names[i]))
            return (enum esse_jepsen_mop)i;
    return ESSE_MOPS;
}

bool esse_jepsen_problem(struct esse_jepsen *jepsen, const char *place, const char *format, ...)
{
    if (jepsen->op.problem)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(jepsen->op.problem_text, sizeof jepsen->op.problem_text, format, args);
    va_end(args);
    jepsen->op.problem = place;
    return false;
}

static bool has_extra(const struct esse_jepsen_extras *extras, struct esse_span name)
{
    for (size_t i = 0; i < extras->count; i++)
        if (extras->at[i].name.length == name.length &&
            memcmp(extras->at[i].name.at, name.at, name.length) == 0)
            return true;
    return false;
}

bool esse_jepsen_extra(struct esse_jepsen *jepsen, const char *place, struct esse_span name,
                       struct esse_span text)
{
    enum { MOST = 256 }; /* they are compared with each other */
    const int shown = (int)(name.length < 60 ? name.length : 60);
    if (has_extra(&jepsen->extras, name))
        return esse_source_fail(jepsen->reading->source, jepsen->err, place,
                                "the operation has member %.*s twice", shown, name.at);
    if (jepsen->extras.count == MOST)
        return esse_source_fail(jepsen->reading->source, jepsen->err, place,
                                "the operation has more than %d members", MOST);
    esse_jepsen_extras_push(&jepsen->extras, jepsen->arena, (struct esse_extra){ name, text });
    return true;
}

static void warn(struct esse_jepsen *jepsen, const char *text, uint64_t line)
{
    esse_builder_warn(jepsen->reading->builder, text, line);
}

/* ---- workloads ---- */

static const char *const seen_names[ESSE_SEEN_KINDS] = {
    [ESSE_MOP_WRITE] = "[:w …]",
    [ESSE_MOP_APPEND] = "[:append …]",
    [ESSE_MOP_INSERT] = "[:insert …]",
    [ESSE_MOP_DELETE] = "[:delete …]",
    [ESSE_MOP_PREDICATE] = "[:rp …]",
    [ESSE_MOPS] = "an :init operation",
    [ESSE_MOPS + 1] = "a read of a single value",
    [ESSE_MOPS + 2] = "a read of a list",
};

/* In a register history a list is one opaque value, so lists fit everywhere. */
static const unsigned allowed[] = {
    [ESSE_WORKLOAD_ANY] = ESSE_SEEN_LIST,
    [ESSE_WORKLOAD_LIST_APPEND] = ESSE_SEEN_APPEND | ESSE_SEEN_LIST,
    [ESSE_WORKLOAD_RW_REGISTER] = ESSE_SEEN_WRITE | ESSE_SEEN_SCALAR | ESSE_SEEN_LIST,
    [ESSE_WORKLOAD_CLOSED_PREDICATE] = ESSE_SEEN_WRITE | ESSE_SEEN_INSERT | ESSE_SEEN_DELETE |
                                       ESSE_SEEN_PREDICATE | ESSE_SEEN_INIT | ESSE_SEEN_SCALAR |
                                       ESSE_SEEN_LIST,
};

static enum esse_workload looks_like(unsigned seen)
{
    if (seen & ESSE_SEEN_APPEND)
        return ESSE_WORKLOAD_LIST_APPEND;
    if (seen & (ESSE_SEEN_INSERT | ESSE_SEEN_DELETE | ESSE_SEEN_PREDICATE | ESSE_SEEN_INIT))
        return ESSE_WORKLOAD_CLOSED_PREDICATE;
    if (seen & (ESSE_SEEN_WRITE | ESSE_SEEN_SCALAR))
        return ESSE_WORKLOAD_RW_REGISTER;
    return seen & ESSE_SEEN_LIST ? ESSE_WORKLOAD_LIST_APPEND : ESSE_WORKLOAD_ANY;
}

/* Adds one kind to what the history has shown, unless it does not belong there. */
static bool see(struct esse_jepsen *jepsen, unsigned kind)
{
    struct esse_source *source = jepsen->reading->source;
    const enum esse_workload asked = jepsen->reading->asked;
    const unsigned bit = 1u << kind, seen = jepsen->seen | bit;
    const char *place = jepsen->op.seen_at[kind], *found = seen_names[kind];
    if (asked != ESSE_WORKLOAD_ANY && (bit & ~allowed[asked])) {
        const char *like = esse_workload_names[looks_like(bit)];
        return esse_source_fail(source, jepsen->err, place,
                                "found %s in a %s history; this looks like %s (use --workload %s)",
                                found, esse_workload_names[asked], like, like);
    }
    if (asked == ESSE_WORKLOAD_ANY && (seen & ~allowed[looks_like(seen)]))
        return esse_source_fail(source, jepsen->err, place,
                                "found %s in a %s history; the two do not mix", found,
                                esse_workload_names[looks_like(jepsen->seen)]);
    jepsen->seen = seen;
    return true;
}

/* What is new in the operation, in the order in which it stands there. */
static bool check_workload(struct esse_jepsen *jepsen)
{
    const struct esse_jepsen_op *op = &jepsen->op;
    for (unsigned fresh; (fresh = op->seen & ~jepsen->seen) != 0;) {
        unsigned first = (unsigned)__builtin_ctz(fresh);
        for (unsigned kind = first + 1; kind < ESSE_SEEN_KINDS; kind++)
            if ((fresh >> kind & 1) && op->seen_at[kind] < op->seen_at[first])
                first = kind;
        if (!see(jepsen, first))
            return false;
    }
    return true;
}

/* ---- sending transactions ---- */

/* A transaction that is not known to have committed may not have got an answer: nil is then no
 * result at all.  Predicate reads without one say nothing and are left out. */
static void settle_reads(struct esse_jepsen *jepsen, bool committed)
{
    size_t kept = 0;
    for (size_t i = 0; i < jepsen->ops.count; i++) {
        struct esse_op_record *op = &jepsen->ops.at[i];
        if (op->kind == ESSE_OP_READ && !op->is_list &&
            (esse_value_eq(op->value, ESSE_NIL) || esse_value_eq(op->value, ESSE_NONE)))
            op->value = committed ? ESSE_NIL : ESSE_NONE;
        if (op->kind == ESSE_OP_PREDICATE_READ && !committed &&
            esse_value_eq(op->value, ESSE_NONE)) {
            warn(jepsen, "predicate reads without a result were skipped", jepsen->op.line);
            continue;
        }
        if (kept < i)
            jepsen->ops.at[kept] = *op;
        kept++;
    }
    jepsen->ops.count = kept;
}

/* The operations of an invocation, in place of those of its completion. */
static void recall_ops(struct esse_jepsen *jepsen, const struct pending *pending)
{
    jepsen->ops.count = jepsen->items.count = jepsen->rows.count = 0;
    for (size_t i = 0; i < pending->ops.count; i++) {
        struct esse_op_record op = { .kind = pending->ops.at[i].kind,
                                     .key = pending->ops.at[i].key,
                                     .value = pending->ops.at[i].value,
                                     .begin = ESSE_NO_TIME,
                                     .end = ESSE_NO_TIME };
        esse_jepsen_ops_push(&jepsen->ops, jepsen->arena, op);
    }
}

static bool send(struct esse_jepsen *jepsen, struct esse_txn_record *record,
                 const struct pending *pending)
{
    if (pending) {
        record->start = pending->start;
        record->wall_start = pending->time;
        for (size_t i = 0; i < pending->extras.count; i++)
            if (!has_extra(&jepsen->extras, pending->extras.at[i].name))
                esse_jepsen_extras_push(&jepsen->extras, jepsen->arena, pending->extras.at[i]);
    }
    record->ops = jepsen->ops.at;
    record->op_count = jepsen->ops.count;
    record->items = jepsen->items.at;
    record->rows = jepsen->rows.at;
    record->extras = jepsen->extras.at;
    record->extra_count = jepsen->extras.count;
    return jepsen->reading->sink->txn(jepsen->reading->sink, record, jepsen->err);
}

/* A session that no process has. */
static esse_value made_up_session(struct esse_jepsen *jepsen)
{
    char text[24];
    int length = snprintf(text, sizeof text, "?%llu", (unsigned long long)jepsen->nameless++);
    return esse_value_string(jepsen->values, text, (size_t)length);
}

static bool send_completed(struct esse_jepsen *jepsen, const struct pending *pending)
{
    static const uint8_t status[] = { [ESSE_JEPSEN_OK] = ESSE_COMMITTED,
                                      [ESSE_JEPSEN_FAIL] = ESSE_ABORTED,
                                      [ESSE_JEPSEN_INFO] = ESSE_UNKNOWN_OUTCOME };
    const struct esse_jepsen_op *op = &jepsen->op;
    struct esse_txn_record record = esse_txn_record_empty();
    record.status = (enum esse_status)status[op->type];
    record.line = op->line;
    record.name = esse_value_int(jepsen->values, op->index);
    record.end = op->index;
    record.wall_end = op->time;
    if (op->process_kind == ESSE_JEPSEN_CLIENT) {
        record.session = esse_value_int(jepsen->values, op->process);
        if (!pending)
            warn(jepsen, "completions without an invocation were taken without a start time",
                 op->line);
    } else {
        record.session = made_up_session(jepsen);
        warn(jepsen, "transactions without a process were each taken as a session of its own",
             op->line);
    }
    return send(jepsen, &record, pending);
}

static bool send_unfinished(struct esse_jepsen *jepsen, const struct pending *pending)
{
    if (pending->value != ESSE_JEPSEN_TXN) {
        warn(jepsen, "operations that are not transactions were skipped", pending->line);
        return true;
    }
    struct esse_txn_record record = esse_txn_record_empty();
    record.status = ESSE_UNKNOWN_OUTCOME;
    record.line = pending->line;
    record.name = esse_value_int(jepsen->values, pending->start);
    /* When it took effect, if ever, has nothing to do with what its process completed since. */
    record.session = pending->is_overtaken ? made_up_session(jepsen)
                                           : esse_value_int(jepsen->values, pending->process);
    recall_ops(jepsen, pending);
    jepsen->extras.count = 0;
    return send(jepsen, &record, pending);
}

/* ---- pairing ---- */

static struct process *process_of(struct esse_jepsen *jepsen, int64_t id)
{
    struct esse_jepsen_pairs *pairs = jepsen->pairs;
    uint32_t hash = esse_hash_word((uint64_t)id), at;
    struct esse_probe probe = esse_index_probe(&pairs->index, hash);
    while (esse_probe_next(&probe, &at))
        if (pairs->processes.at[at].id == id)
            return &pairs->processes.at[at];
    at = (uint32_t)pairs->processes.count;
    process_vec_push(&pairs->processes, jepsen->arena, (struct process){ .id = id });
    esse_index_add(&pairs->index, jepsen->arena, hash, at);
    return &pairs->processes.at[at];
}

static struct pending *new_pending(struct esse_jepsen *jepsen)
{
    struct esse_jepsen_pairs *pairs = jepsen->pairs;
    struct pending *pending = pairs->free;
    if (pending) {
        pairs->free = pending->next;
        return pending;
    }
    pending = esse_arena_alloc(jepsen->arena, 1, sizeof *pending);
    pending->all = pairs->all;
    pairs->all = pending;
    return pending;
}

static void give_back(struct esse_jepsen *jepsen, struct pending *pending)
{
    pending->next = jepsen->pairs->free;
    jepsen->pairs->free = pending;
}

static void keep_ops(struct esse_jepsen *jepsen, struct pending *pending)
{
    pending->ops.count = 0;
    for (size_t i = 0; i < jepsen->ops.count; i++) {
        const struct esse_op_record *op = &jepsen->ops.at[i];
        if (op->kind == ESSE_OP_PREDICATE_READ)
            continue;
        struct kept_op kept = { op->key, op->kind == ESSE_OP_READ ? ESSE_NONE : op->value,
                                op->kind };
        kept_ops_push(&pending->ops, jepsen->arena, kept);
    }
}

static void keep_extras(struct esse_jepsen *jepsen, struct pending *pending)
{
    size_t bytes = 0;
    pending->extras.count = pending->text.count = 0;
    for (size_t i = 0; i < jepsen->extras.count; i++)
        bytes += jepsen->extras.at[i].name.length + jepsen->extras.at[i].text.length;
    if (!bytes)
        return;
    char *to = kept_text_extend(&pending->text, jepsen->arena, bytes);
    for (size_t i = 0; i < jepsen->extras.count; i++) {
        struct esse_extra extra = jepsen->extras.at[i];
        memcpy(to, extra.name.at, extra.name.length);
        extra.name.at = to;
        to += extra.name.length;
        memcpy(to, extra.text.at, extra.text.length);
        extra.text.at = to;
        to += extra.text.length;
        esse_jepsen_extras_push(&pending->extras, jepsen->arena, extra);
    }
}

static bool take_invoke(struct esse_jepsen *jepsen)
{
    const struct esse_jepsen_op *op = &jepsen->op;
    if (op->process_kind != ESSE_JEPSEN_CLIENT) {
        warn(jepsen, "invocations without a process were skipped: they cannot be paired", op->line);
        return true;
    }
    struct pending *pending = new_pending(jepsen);
    pending->process = op->process;
    pending->start = op->index;
    pending->time = op->time;
    pending->line = op->line;
    pending->value = op->value;
    pending->is_init = op->is_init;
    pending->is_overtaken = false;
    pending->next = NULL;
    keep_ops(jepsen, pending);
    keep_extras(jepsen, pending);
    struct process *process = process_of(jepsen, op->process);
    if (process->open)
        warn(jepsen,
             "a process invoked while an earlier invocation of its was open; completions went to "
             "the earliest with the same operations, or else to the earliest",
             op->line);
    *(process->open ? &process->last->next : &process->open) = pending;
    process->last = pending;
    return true;
}

/* Is the completion about the operations of this invocation, whatever its reads returned? */
static bool is_completion_of(const struct esse_jepsen *jepsen, const struct pending *pending)
{
    size_t at = 0;
    for (size_t i = 0; i < jepsen->ops.count; i++) {
        const struct esse_op_record *op = &jepsen->ops.at[i];
        if (op->kind == ESSE_OP_PREDICATE_READ)
            continue;
        const struct kept_op *kept = at < pending->ops.count ? &pending->ops.at[at++] : NULL;
        if (!kept || kept->kind != op->kind || !esse_value_eq(kept->key, op->key) ||
            (op->kind != ESSE_OP_READ && !esse_value_eq(kept->value, op->value)))
            return false;
    }
    return at == pending->ops.count;
}

/* The invocation before the one that the completion belongs to; NULL if that is the earliest.  A
 * process that has an unreasonable number of them open is not searched to the end. */
static struct pending *before_completed(struct esse_jepsen *jepsen, const struct process *process)
{
    enum { MOST = 64 };
    struct pending *before = NULL, *at = process->open;
    if (jepsen->op.value != ESSE_JEPSEN_TXN || !at || !at->next)
        return NULL;
    for (int i = 0; i < MOST && at; i++, before = at, at = at->next)
        if (is_completion_of(jepsen, at))
            return before;
    return NULL;
}

/* Takes the invocation that the completion belongs to out of those of its process. */
static struct pending *take_pending(struct esse_jepsen *jepsen, struct process *process)
{
    struct pending *before = before_completed(jepsen, process);
    struct pending **link = before ? &before->next : &process->open, *pending = *link;
    for (struct pending *earlier = process->open; earlier != pending; earlier = earlier->next)
        earlier->is_overtaken = true;
    if (!pending)
        return NULL;
    *link = pending->next;
    if (process->last == pending)
        process->last = before;
    return pending;
}

static bool complete(struct esse_jepsen *jepsen, const struct pending *pending)
{
    struct esse_jepsen_op *op = &jepsen->op;
    const bool ok = op->type == ESSE_JEPSEN_OK;
    if (op->value == ESSE_JEPSEN_TXN) {
        settle_reads(jepsen, ok);
        return send_completed(jepsen, pending);
    }
    if (pending && pending->value == ESSE_JEPSEN_TXN &&
        (op->value == ESSE_JEPSEN_NO_VALUE || !ok)) {
        if (ok)
            warn(jepsen, "committed transactions without a value: what they read is not known",
                 op->line);
        recall_ops(jepsen, pending);
        return send_completed(jepsen, pending);
    }
    if (op->is_init && ok && op->has_init)
        return jepsen->reading->sink->init(jepsen->reading->sink, jepsen->rows.at,
                                           jepsen->rows.count, jepsen->err);
    if (op->is_init)
        warn(jepsen, "initial states that were not confirmed by :ok were skipped", op->line);
    else
        warn(jepsen, "operations that are not transactions were skipped", op->line);
    return true;
}

static bool take_completion(struct esse_jepsen *jepsen)
{
    struct pending *pending = NULL;
    if (jepsen->op.process_kind == ESSE_JEPSEN_CLIENT)
        pending = take_pending(jepsen, process_of(jepsen, jepsen->op.process));
    bool ok = complete(jepsen, pending);
    if (pending)
        give_back(jepsen, pending);
    return ok;
}

/* ---- operations ---- */

/* :f in either syntax. */
static bool does(const struct esse_jepsen_op *op, const char *what)
{
    const size_t length = strlen(what);
    return op->f.length > length && op->f.length <= length + 2 &&
           memcmp(op->f.at + 1, what, length) == 0;
}

static void remember_first(struct esse_jepsen *jepsen)
{
    const struct esse_jepsen_op *op = &jepsen->op;
    jepsen->has_transfers = jepsen->has_transfers || does(op, "transfer");
    jepsen->has_adds = jepsen->has_adds || does(op, "add");
    if (jepsen->first_line)
        return;
    jepsen->first_line = op->line;
    jepsen->first_column = op->column;
    snprintf(jepsen->first_f, sizeof jepsen->first_f, "%.*s",
             (int)(op->f.length < 60 ? op->f.length : 60), op->f.length ? op->f.at : "");
}

bool esse_jepsen_take(struct esse_jepsen *jepsen)
{
    struct esse_jepsen_op *op = &jepsen->op;
    struct esse_source *source = jepsen->reading->source;
    op->line = esse_source_line(source, op->place);
    op->column = source->mark_column;
    if (op->type == ESSE_JEPSEN_NO_TYPE)
        return esse_source_fail(
            source, jepsen->err, op->place,
            "the operation has no :type, expected :invoke, :ok, :fail or :info");
    if (!esse_jepsen_order_take(&jepsen->order, source, op->place, &op->index, jepsen->err))
        return false;
    if (op->process_kind == ESSE_JEPSEN_OTHER_PROCESS) {
        warn(jepsen, "operations of non-client processes were skipped", op->line);
        return true;
    }
    remember_first(jepsen);
    if (op->problem)
        return esse_source_fail(source, jepsen->err, op->problem, "%s", op->problem_text);
    if (op->value == ESSE_JEPSEN_EMPTY)
        op->value = op->is_txn || !op->f.length ? ESSE_JEPSEN_TXN : ESSE_JEPSEN_OTHER_VALUE;
    if (op->is_init && op->has_init)
        esse_jepsen_see(jepsen, ESSE_MOPS, op->place);
    if (op->type == ESSE_JEPSEN_INVOKE)
        op->seen &= ~(unsigned)(ESSE_SEEN_SCALAR | ESSE_SEEN_LIST); /* no results yet */
    if (!check_workload(jepsen))
        return false;
    jepsen->saw_txn = jepsen->saw_txn || op->value == ESSE_JEPSEN_TXN;
    return op->type == ESSE_JEPSEN_INVOKE ? take_invoke(jepsen) : take_completion(jepsen);
}

static int by_start(const void *a, const void *b)
{
    const struct pending *x = *(struct pending *const *)a, *y = *(struct pending *const *)b;
    return (x->start > y->start) - (x->start < y->start);
}

ESSE_VEC(pending_vec, struct pending *)

static bool send_all_unfinished(struct esse_jepsen *jepsen)
{
    const struct process_vec *processes = &jepsen->pairs->processes;
    struct pending_vec open = { 0 };
    for (size_t i = 0; i < processes->count; i++)
        for (struct pending *p = processes->at[i].open; p; p = p->next)
            pending_vec_push(&open, jepsen->arena, p);
    if (open.count)
        qsort(open.at, open.count, sizeof *open.at, by_start);
    bool ok = true;
    for (size_t i = 0; ok && i < open.count; i++)
        ok = send_unfinished(jepsen, open.at[i]);
    pending_vec_drop(&open, jepsen->arena);
    return ok;
}

bool esse_jepsen_finish(struct esse_jepsen *jepsen)
{
    if (!send_all_unfinished(jepsen))
        return false;
    jepsen->reading->found = jepsen->reading->asked != ESSE_WORKLOAD_ANY ? jepsen->reading->asked
                                                                         : looks_like(jepsen->seen);
    if (jepsen->saw_txn || !jepsen->first_line || (jepsen->seen & ESSE_SEEN_INIT))
        return true;
    return esse_fail_at(jepsen->err, jepsen->first_line, jepsen->first_column,
                        "no transactions (micro-operations like [:r k v]) found; the first "
                        "operation %s%s%s",
                        jepsen->first_f[0] ? "is " : "has no :f", jepsen->first_f,
                        jepsen->has_transfers ? "; 'esse classic bank' checks transfers"
                        : jepsen->has_adds
                            ? "; 'esse classic' checks sets and counters (set, set-full, counter)"
                            : "");
}
