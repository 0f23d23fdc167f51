#include "engine/saturate/saturate_trace.h"

#include "base/checked.h"

#define UNREADABLE UINT32_MAX /* of an aborted transaction, or overwritten by its own */
#define UPDATED    (UINT32_C(1) << 31)

enum {
    NUMBERS_AN_OP = 4, /* more of them are not tabulated */
    LARGE_UNIT = 1024, /* accesses; see writes_key in saturate_axiom.c */
    ROUND = 4096,      /* transactions that are visited together, some of each session */
};

/* The writer of a number: the transaction and 1, or UNREADABLE; 0: none.  With UPDATED, some
 * transaction read it and wrote the key itself. */
struct slot {
    uint32_t key, writer;
};

struct tracing {
    struct saturate_units *units;
    const struct esse_history *history;
    struct esse_arena *scratch;
    const esse_value *initial; /* by key */
    struct slot *slots;
    uint64_t *first; /* by key: its slots; NULL if no number is written to two keys */
    uint64_t count;
    uint32_t *visit;             /* the transactions, as they are looked at */
    uint32_t *last;              /* by key: the last write so far and 1 */
    uint32_t *updated;           /* by key: its initial version is */
    struct esse_worker *workers; /* of the second pass: each with the last access so far and 1, by
                                    key */
};

static bool is_number(esse_value value)
{
    return esse_value_tag(value) == ESSE_TAG_INT && !(value.word >> 63);
}

/* NULL if it has no writer. */
static struct slot *slot_of(const struct tracing *t, uint32_t key, esse_value value)
{
    const uint64_t number = value.word >> 3;
    if (!is_number(value))
        return NULL;
    if (t->first)
        return number < t->first[key + 1] - t->first[key] ? &t->slots[t->first[key] + number]
                                                          : NULL;
    return number < t->count ? &t->slots[number] : NULL;
}

/* Is it an operation of the transaction, and not none?  'op': and 1. */
static bool is_of(const struct esse_history *history, uint32_t txn, uint32_t op)
{
    return op > history->txn_op[txn] && op <= history->txn_op[txn + 1];
}

/* ---- rounds ---- */

/*
 * The first transactions of every session, then the next ones of every session, and so on: what
 * sessions wrote and read at one time stands together in the table, in whatever order their lines
 * are.  O(transactions).
 */
static void find_visits(struct tracing *t)
{
    const struct esse_history *history = t->history;
    const uint32_t step = history->sessions < ROUND ? ROUND / history->sessions : 1;
    uint32_t *next = esse_arena_zeros(t->scratch, history->txns / step + (size_t)2, *next);
    t->visit = esse_arena_array(t->scratch, history->txns + (size_t)1, *t->visit);
    for (uint32_t s = 0; s < history->sessions; s++)
        for (uint32_t i = 0; i < history->session_first[s + 1] - history->session_first[s]; i++)
            next[i / step + 1]++;
    for (uint32_t round = 0; round < history->txns / step; round++)
        next[round + 1] += next[round];
    for (uint32_t s = 0; s < history->sessions; s++)
        for (uint32_t i = 0; i < history->session_first[s + 1] - history->session_first[s]; i++)
            t->visit[next[i / step]++] = history->session_txn[history->session_first[s] + i];
    esse_arena_drop(t->scratch, next);
}

/* ---- the table ---- */

/* The greatest number and 1; 0 if something else is written. */
static uint64_t count_numbers(const struct esse_history *history)
{
    uint64_t greatest = 0;
    for (uint32_t op = 0; op < history->ops; op++) {
        if (history->op_kind[op] == ESSE_OP_READ)
            continue;
        if (!is_number(history->op_value[op]))
            return 0;
        const uint64_t number = history->op_value[op].word >> 3;
        greatest = number > greatest ? number : greatest;
    }
    return greatest + 1;
}

/* The same key by key.  The slots of key k are first[k] .. first[k + 1). */
static uint64_t count_by_key(struct tracing *t)
{
    const struct esse_history *history = t->history;
    t->first = esse_arena_zeros(t->scratch, history->keys + (size_t)2, *t->first);
    for (uint32_t op = 0; op < history->ops; op++) {
        const uint64_t number = (history->op_value[op].word >> 3) + 1;
        uint64_t *count = &t->first[history->op_key[op] + 1];
        if (history->op_kind[op] != ESSE_OP_READ && number > *count)
            *count = number;
    }
    for (uint32_t key = 0; key < history->keys; key++)
        t->first[key + 1] += t->first[key];
    return t->first[history->keys];
}

static bool put_write(struct tracing *t, uint32_t txn, uint32_t op)
{
    const uint32_t key = t->history->op_key[op];
    struct slot *slot = slot_of(t, key, t->history->op_value[op]);
    ESSE_HOT_ASSERT(slot != NULL);
    if (slot->writer)
        return false;
    if (is_of(t->history, txn, t->last[key]))
        slot_of(t, key, t->history->op_value[t->last[key] - 1])->writer = UNREADABLE;
    *slot = (struct slot){ key, saturate_counts(t->units, txn) ? txn + 1 : UNREADABLE };
    t->last[key] = op + 1;
    return true;
}

static bool put_writes(struct tracing *t, struct esse_budget *budget)
{
    const struct esse_history *history = t->history;
    esse_budget_phase(budget, "finding writers", history->txns);
    for (uint32_t i = 0; i < history->txns; i++) {
        const uint32_t txn = t->visit[i];
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
            if (history->op_kind[op] != ESSE_OP_READ && !put_write(t, txn, op))
                return false;
        if (!esse_budget_poll(budget, i))
            return false;
    }
    return true;
}

/* A table of all keys together, or one for each. */
static bool make_table(struct tracing *t, bool by_key, struct esse_budget *budget)
{
    const struct esse_history *history = t->history;
    const uint64_t most = (uint64_t)history->ops * NUMBERS_AN_OP + history->keys;
    t->count = by_key ? count_by_key(t) : count_numbers(history);
    if (!t->count || t->count > most)
        return false;
    t->slots = esse_arena_zeros(t->scratch, t->count, *t->slots);
    t->last = esse_arena_zeros(t->scratch, history->keys + (size_t)1, *t->last);
    return put_writes(t, budget);
}

static void drop_table(struct tracing *t)
{
    esse_arena_drop(t->scratch, t->slots);
    esse_arena_drop(t->scratch, t->last);
    esse_arena_drop(t->scratch, t->first);
    t->slots = NULL;
    t->last = NULL;
    t->first = NULL;
}

/* ---- reads ---- */

/* False if another transaction updated the version as well.  Which of them is told does not matter,
 * so neither does who comes first. */
static bool update(struct tracing *t, uint32_t key, uint32_t source, esse_value value)
{
    if (source == SATURATE_INITIAL)
        return !__atomic_exchange_n(&t->updated[key], 1, __ATOMIC_RELAXED);
    uint32_t *writer = &slot_of(t, key, value)->writer;
    return !(__atomic_fetch_or(writer, UPDATED, __ATOMIC_RELAXED) & UPDATED);
}

/* False if it is not clear what was read, or if the scan would say something of it. */
static bool find_source(const struct tracing *t, uint32_t txn, uint32_t key, esse_value value,
                        uint32_t *source)
{
    const struct slot *slot = slot_of(t, key, value);
    const uint32_t found = slot ? __atomic_load_n(&slot->writer, __ATOMIC_RELAXED) : 0;
    const bool is_written = found && slot->key == key;
    *source = (found & ~UPDATED) - 1;
    if (esse_value_eq(value, t->initial[key])) {
        *source = SATURATE_INITIAL;
        return !is_written;
    }
    return is_written && found != UNREADABLE && *source != txn;
}

/* 'last': the last access of the key so far, and 1. */
static bool trace_op(struct tracing *t, uint32_t txn, uint32_t op, uint32_t *last)
{
    const struct esse_history *history = t->history;
    struct saturate_access *all = t->units->access, *access = &all[op];
    const uint32_t key = history->op_key[op], before = last[key];
    const bool is_again = is_of(history, txn, before);
    const esse_value value = history->op_value[op];
    *access = (struct saturate_access){ key, SATURATE_WRITES };
    if (history->op_kind[op] == ESSE_OP_READ && esse_value_eq(value, ESSE_NONE)) {
        access->source = SATURATE_NOTHING;
        return true;
    }
    last[key] = op + 1;
    if (history->op_kind[op] != ESSE_OP_READ)
        return !is_again || all[before - 1].source == SATURATE_WRITES ||
               all[before - 1].source == SATURATE_NOTHING ||
               update(t, key, all[before - 1].source, history->op_value[before - 1]);
    if (!is_again)
        return find_source(t, txn, key, value, &access->source);
    access->source =
        all[before - 1].source == SATURATE_WRITES ? SATURATE_NOTHING : all[before - 1].source;
    return esse_value_eq(value, history->op_value[before - 1]);
}

static bool trace_txns(void *context, const struct esse_piece *piece)
{
    struct tracing *t = context;
    const struct esse_history *history = t->history;
    uint32_t *last = t->workers[piece->worker].state;
    bool ok = true;
    for (uint32_t i = piece->begin; ok && i < piece->end; i++) {
        const uint32_t txn = t->visit[i];
        const bool is_in = saturate_counts(t->units, txn);
        for (uint32_t op = history->txn_op[txn]; ok && op < history->txn_op[txn + 1]; op++) {
            if (is_in)
                ok = trace_op(t, txn, op, last);
            else
                t->units->access[op] =
                    (struct saturate_access){ history->op_key[op], SATURATE_NOTHING };
        }
    }
    return ok;
}

static bool trace_all(struct tracing *t, struct esse_budget *budget)
{
    const struct esse_history *history = t->history;
    struct esse_loop loop = { .count = history->txns,
                              .piece = ROUND,
                              .threads = esse_threads_for(t->units->threads, history->ops),
                              .body = trace_txns,
                              .context = t,
                              .budget = budget };
    t->workers =
        esse_workers_new(t->scratch, loop.threads, (history->keys + (size_t)1) * sizeof(uint32_t));
    t->updated = esse_arena_zeros(t->scratch, history->keys + (size_t)1, *t->updated);
    esse_budget_phase(budget, "laying out accesses", history->txns);
    const bool ok = esse_loop_run(&loop);
    esse_workers_free(t->workers, loop.threads);
    return ok;
}

/* ---- the whole ---- */

static bool is_fit(const struct esse_history *history)
{
    const unsigned others = ESSE_HAS_APPENDS | ESSE_HAS_DELETES | ESSE_HAS_PREDICATES |
                            ESSE_HAS_LIST_READS | ESSE_HAS_VERSION_ORDER;
    return !(history->has & others) && history->txns < UPDATED - 1;
}

static void init_units(struct saturate_traced *traced, struct esse_arena *arena,
                       const struct esse_history *history, unsigned threads)
{
    const size_t txns = history->txns + (size_t)1;
    uint8_t *in = esse_arena_array(arena, txns, *in);
    bool is_large = false;
    for (uint32_t txn = 0; txn < history->txns; txn++) {
        in[txn] = history->txn_status[txn] == ESSE_COMMITTED;
        is_large |= history->txn_op[txn + 1] - history->txn_op[txn] > LARGE_UNIT;
    }
    traced->sources = (struct sources){ .arena = arena,
                                        .history = history,
                                        .by_key = { .accesses = history->ops } };
    if (is_large)
        esse_by_key_make(&traced->sources.by_key, arena, history);
    traced->versions = (struct versions){
        .arena = arena, .history = history, .sources = &traced->sources, .in = in
    };
    traced->units = (struct saturate_units){ .arena = arena,
                                             .history = history,
                                             .versions = &traced->versions,
                                             .threads = threads,
                                             .count = history->txns,
                                             .accesses = history->ops };
    traced->units.before = esse_arena_array(arena, txns, *traced->units.before);
    traced->units.access = esse_arena_array(arena, history->ops + (size_t)1, *traced->units.access);
}

bool saturate_trace(struct saturate_traced *traced, struct esse_arena *arena,
                    const struct esse_history *history, unsigned threads,
                    struct esse_budget *budget)
{
    if (!is_fit(history))
        return false;
    init_units(traced, arena, history, threads);
    struct tracing t = {
        .units = &traced->units, .history = history, .scratch = esse_arena_new(), .initial = NULL
    };
    t.initial = esse_initial_values(t.scratch, history);
    find_visits(&t);
    bool ok = make_table(&t, false, budget);
    if (!ok && !esse_budget_spent(budget) && count_numbers(history)) {
        drop_table(&t);
        ok = make_table(&t, true, budget);
    }
    ok = ok && trace_all(&t, budget);
    esse_arena_free(t.scratch);
    if (ok)
        saturate_find_before(&traced->units);
    else
        saturate_units_drop(&traced->units);
    return ok;
}
