#include "base/word_map.h"
#include "evidence/commit_order_state.h"

/* The writer of what each read returned, key by key; and what a key's own versions must satisfy. */

struct tracing {
    struct commit_order *co;
    struct esse_arena *arena;    /* of the worker */
    struct esse_word_map writes; /* value: its only write in the order, or SEVERAL */
    uint32_t key, begin, end;
    esse_value initial;
    bool deleted;
    uint32_t only_delete; /* if it was: the delete, or SEVERAL */
};
#define SEVERAL (UINT32_MAX - 3)

static const struct esse_touch *touch_at(const struct tracing *t, uint32_t at)
{
    return &t->co->by_key.at[at];
}

static uint32_t unit_at(const struct tracing *t, uint32_t at)
{
    return esse_level_is_of_operations(t->co->level) ? touch_at(t, at)->access
                                                     : touch_at(t, at)->txn;
}

static bool is_in(const struct tracing *t, uint32_t at)
{
    return t->co->in[touch_at(t, at)->txn];
}

/* The order says which transactions committed: what others wrote explains nothing. */
static void note_writes(struct tracing *t)
{
    t->deleted = false;
    esse_word_map_clear(&t->writes, t->arena, t->end - t->begin);
    for (uint32_t at = t->begin; at < t->end; at++) {
        const struct esse_touch *touch = touch_at(t, at);
        bool fresh;
        if (touch->kind == ESSE_OP_READ || !is_in(t, at))
            continue;
        if (esse_value_eq(touch->value, ESSE_NIL)) {
            t->only_delete = t->deleted ? SEVERAL : at;
            t->deleted = true;
            continue;
        }
        uint32_t *write = esse_word_map_put(&t->writes, touch->value.word, &fresh);
        *write = fresh ? at : SEVERAL;
    }
}

/* The position of the only write of a value, if it is in the order and of the right kind. */
static uint32_t only_write(const struct tracing *t, esse_value value, unsigned kind)
{
    uint32_t at = esse_word_map_get(&t->writes, value.word, SEVERAL);
    return at != SEVERAL && touch_at(t, at)->kind == kind ? at : CO_NOWHERE;
}

/* The write whose version a read returned: a position, CO_INITIAL or CO_NOWHERE. */
static uint32_t write_read(const struct tracing *t, esse_value value)
{
    uint32_t count;
    value = esse_value_state(value);
    if (esse_value_is_list(value)) {
        const esse_value *items = esse_history_list(t->co->history, value, &count);
        return only_write(t, items[count - 1], ESSE_OP_APPEND);
    }
    if (!esse_value_eq(value, t->initial) && esse_value_eq(value, ESSE_NIL))
        return t->deleted && t->only_delete != SEVERAL ? t->only_delete : CO_NOWHERE;
    if (!esse_value_eq(value, t->initial))
        return only_write(t, value, ESSE_OP_WRITE);
    bool also_written = esse_value_eq(value, ESSE_NIL)
                            ? t->deleted
                            : esse_word_map_get(&t->writes, value.word, CO_NOWHERE) != CO_NOWHERE;
    return also_written ? CO_NOWHERE : CO_INITIAL;
}

/* The same; where several writes explain the read, the one that the order names. */
static uint32_t write_named(const struct tracing *t, uint32_t read)
{
    const struct esse_touch *touch = touch_at(t, read);
    const uint32_t op = esse_by_key_op(&t->co->by_key, touch->access);
    const uint32_t named = co_named(t->co, op, (esse_key){ t->key });
    if (named == CO_NOTHING)
        return write_read(t, touch->value);
    if (named == CO_NOWHERE)
        return CO_NOWHERE;
    const esse_value value = named == CO_INITIAL ? t->initial : touch_at(t, named)->value;
    return esse_value_eq(value, esse_value_state(touch->value)) ? named : CO_NOWHERE;
}

/* ---- a transaction against itself ---- */

/* What the transaction of the run up to 'at' must read, judged by its own accesses alone. */
static bool agrees_with_own(const struct tracing *t, uint32_t begin, uint32_t read)
{
    const struct esse_history *history = t->co->history;
    uint32_t count = 0, before;
    esse_value value = esse_value_state(touch_at(t, read)->value);
    const esse_value *items =
        esse_value_is_list(value) ? esse_history_list(history, value, &count) : NULL;
    for (uint32_t at = read; at-- > begin;) {
        const struct esse_touch *touch = touch_at(t, at);
        esse_value earlier = esse_value_state(touch->value);
        if (touch->kind == ESSE_OP_APPEND && !t->co->own_writes)
            continue;
        if (touch->kind == ESSE_OP_APPEND) {
            if (!count || !esse_value_eq(items[--count], touch->value))
                return false;
            continue;
        }
        if (esse_value_eq(earlier, ESSE_NONE) ||
            !(touch->kind == ESSE_OP_READ ? t->co->is_repeatable : t->co->own_writes))
            continue;
        if (!esse_value_is_list(earlier))
            return items ? count == 0 && esse_value_eq(earlier, ESSE_NIL)
                         : esse_value_eq(earlier, value);
        const esse_value *base = esse_history_list(history, earlier, &before);
        if (before != count)
            return false;
        while (before-- > 0)
            if (!esse_value_eq(base[before], items[before]))
                return false;
        return true;
    }
    return true;
}

static bool is_after_own(const struct tracing *t, uint32_t begin, uint32_t read)
{
    for (uint32_t at = begin; at < read; at++)
        if (touch_at(t, at)->kind != ESSE_OP_READ)
            return true;
    return false;
}

/* Is something in the list that its transaction appends only later? */
static bool is_of_future(const struct tracing *t, uint32_t read)
{
    uint32_t count = 0;
    const esse_value value = touch_at(t, read)->value;
    const esse_value *items =
        esse_value_is_list(value) ? esse_history_list(t->co->history, value, &count) : NULL;
    while (count-- > 0) {
        const uint32_t at = only_write(t, items[count], ESSE_OP_APPEND);
        if (at != CO_NOWHERE && at > read && touch_at(t, at)->txn == touch_at(t, read)->txn)
            return true;
    }
    return false;
}

/* ---- one key ---- */

static bool trace_read(struct tracing *t, uint32_t begin, uint32_t at, struct esse_error *err)
{
    struct commit_order *co = t->co;
    const struct esse_touch *touch = touch_at(t, at);
    uint32_t *source = &co->access[co_slot(co, touch)].source;
    if (esse_value_eq(touch->value, ESSE_NONE))
        return true;
    if (!agrees_with_own(t, begin, at))
        return co_wrong(co, unit_at(t, at), "contradicts itself", err);
    if (!esse_level_is_of_operations(co->level) &&
        is_after_own(t, begin, at)) /* it makes no relation */
        return !is_of_future(t, at) ||
               co_wrong(co, unit_at(t, at), "read what it appends only later", err);
    uint32_t write = write_named(t, at);
    if (write == CO_NOWHERE)
        return co_wrong(co, unit_at(t, at), "read what cannot be traced to one writer", err);
    if (write != CO_INITIAL && !esse_level_is_of_operations(co->level) &&
        !esse_is_last_write(&co->by_key, t->key, write))
        return co_wrong(co, unit_at(t, at), "read a version that is not its writer's last", err);
    *source = write == CO_INITIAL ? CO_INITIAL : unit_at(t, write);
    return true;
}

static bool trace_run(struct tracing *t, uint32_t begin, uint32_t end, struct esse_error *err)
{
    for (uint32_t at = begin; at < end; at++) {
        const struct esse_touch *touch = touch_at(t, at);
        struct co_access *access = &t->co->access[co_slot(t->co, touch)];
        *access = (struct co_access){ t->key, CO_NOTHING };
        if (!is_in(t, at))
            continue;
        if (touch->kind != ESSE_OP_READ)
            access->source = CO_WRITES;
        else if (!trace_read(t, begin, at, err))
            return false;
    }
    return true;
}

/* ---- the known version order ---- */

/* The writers of a list's elements must be in the order in which the list has them, and what no
 * read shows comes after what the longest one does, in one transaction too. */
static bool agrees_with_list(const struct tracing *t, uint32_t longest, struct esse_error *err)
{
    const struct commit_order *co = t->co;
    uint32_t count, last = 0, before_it = CO_NOWHERE;
    const esse_value *items = esse_history_list(co->history, touch_at(t, longest)->value, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = only_write(t, items[i], ESSE_OP_APPEND);
        if (at == CO_NOWHERE)
            return co_wrong(co, unit_at(t, longest), "read an element that no transaction appended",
                            err);
        /* Inside a unit in the order of the program, and none twice. */
        const uint32_t place = co->place[unit_at(t, at)];
        if (place < last || (before_it != CO_NOWHERE && place == last && at <= before_it))
            return co_wrong(co, unit_at(t, at), "is against the order of a list", err);
        last = place;
        before_it = at;
    }
    uint32_t until = 0; /* appends up to the last element */
    for (uint32_t at = t->begin; at < t->end; at++)
        until += touch_at(t, at)->kind == ESSE_OP_APPEND && is_in(t, at) &&
                 (co->place[unit_at(t, at)] < last ||
                  (co->place[unit_at(t, at)] == last && at <= before_it));
    return until == count ||
           co_wrong(co, unit_at(t, longest), "read a list without what was appended before", err);
}

static bool is_prefix(const struct esse_history *history, esse_value a, esse_value b)
{
    uint32_t x, y;
    const esse_value *p = esse_history_list(history, a, &x), *q = esse_history_list(history, b, &y);
    if (x > y)
        return false;
    if (p == q)
        return true;
    for (uint32_t i = 0; i < x; i++)
        if (!esse_value_eq(p[i], q[i]))
            return false;
    return true;
}

static bool agrees_with_lists(const struct tracing *t, struct esse_error *err)
{
    uint32_t longest = CO_NOWHERE;
    for (uint32_t at = t->begin; at < t->end; at++) {
        esse_value value = touch_at(t, at)->value;
        if (esse_value_is_list(value) && value.word >> 32 && is_in(t, at) &&
            (longest == CO_NOWHERE || value.word >> 32 > touch_at(t, longest)->value.word >> 32))
            longest = at;
    }
    if (longest == CO_NOWHERE)
        return true;
    for (uint32_t at = t->begin; at < t->end; at++)
        if (esse_value_is_list(touch_at(t, at)->value) && is_in(t, at) &&
            !is_prefix(t->co->history, touch_at(t, at)->value, touch_at(t, longest)->value))
            return co_wrong(t->co, unit_at(t, at), "read a list against the longest one", err);
    return agrees_with_list(t, longest, err);
}

/* The position of the last write of a transaction to the key, or CO_NOWHERE. */
static uint32_t write_by(const struct tracing *t, uint32_t txn)
{
    uint32_t found = CO_NOWHERE;
    for (uint32_t at = t->begin; at < t->end; at++)
        if (touch_at(t, at)->txn == txn && touch_at(t, at)->kind != ESSE_OP_READ && is_in(t, at))
            found = at;
    return found;
}

static bool agrees_with_certificate(const struct tracing *t, const struct esse_version_order *given,
                                    struct esse_error *err)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < given->count; i++) {
        uint32_t at = given->versions[i].txn.ix != ESSE_NO_TXN
                          ? write_by(t, given->versions[i].txn.ix)
                          : esse_word_map_get(&t->writes, given->versions[i].value.word, SEVERAL);
        if (at == CO_NOWHERE || at == SEVERAL)
            continue;
        if (t->co->place[unit_at(t, at)] < last)
            return co_wrong(t->co, unit_at(t, at), "is against the version order given", err);
        last = t->co->place[unit_at(t, at)];
    }
    return true;
}

static bool trace_key(struct tracing *t, const struct esse_version_order *given,
                      struct esse_error *err)
{
    note_writes(t);
    for (uint32_t at = t->begin, end; at < t->end; at = end) {
        end = esse_run_end(&t->co->by_key, t->key, at);
        if (!trace_run(t, at, end, err))
            return false;
    }
    if (given)
        return agrees_with_certificate(t, given, err);
    return !(t->co->history->has & ESSE_HAS_LIST_READS) || agrees_with_lists(t, err);
}

/* ---- all keys ---- */

struct tracing_all {
    struct commit_order *co;
    esse_value *initial;                     /* by key */
    const struct esse_version_order **given; /* by key, or NULL */
    struct esse_worker *workers;             /* each with a struct tracer */
};

struct tracer {
    struct tracing tracing;
    struct esse_error err; /* about the key that it stopped at */
};

static bool trace_keys(void *context, const struct esse_piece *piece)
{
    const struct tracing_all *all = context;
    const struct esse_worker *worker = &all->workers[piece->worker];
    struct tracer *tracer = worker->state;
    struct tracing *t = &tracer->tracing;
    t->co = all->co;
    t->arena = worker->arena;
    for (t->key = piece->begin; t->key < piece->end; t->key++) {
        t->begin = all->co->by_key.first[t->key];
        t->end = all->co->by_key.first[t->key + 1];
        t->initial = all->initial[t->key];
        if (!trace_key(t, all->given[t->key], &tracer->err))
            return false;
    }
    return true;
}

/* The error that is reported is that of the first key, however many threads there are. */
static bool fail_at_first(const struct tracing_all *all, unsigned threads, struct esse_error *err)
{
    uint32_t first = UINT32_MAX;
    for (unsigned i = 0; i < threads; i++) {
        const struct tracer *tracer = all->workers[i].state;
        if (tracer->err.code == ESSE_OK || tracer->tracing.key > first)
            continue;
        first = tracer->tracing.key;
        *err = tracer->err;
    }
    return false;
}

bool co_trace(struct commit_order *co, struct esse_error *err)
{
    const struct esse_history *history = co->history;
    struct tracing_all all = { .co = co };
    all.initial = esse_initial_values(co->arena, history);
    all.given = esse_arena_alloc(co->arena, history->keys + 1u, sizeof *all.given);
    for (uint32_t i = 0; i < history->version_order_count; i++)
        all.given[history->version_orders[i].key.ix] = &history->version_orders[i];
    co->access = esse_arena_grow(co->arena, NULL, (co_slots(co) + (size_t)1) * sizeof *co->access);
    for (uint32_t i = 0; i < co->left_count; i++)
        co->access[co_first(co, co->left_out[i].unit) + i - co->left_before[co->left_out[i].unit]] =
            co->left_out[i].access;
    const struct esse_loop loop = co_loop(co, trace_keys, &all);
    all.workers = esse_workers_new(co->arena, loop.threads, sizeof(struct tracer));
    bool ok = esse_loop_run(&loop) || fail_at_first(&all, loop.threads, err);
    esse_workers_free(all.workers, loop.threads);
    return ok;
}
