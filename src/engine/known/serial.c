#include "engine/known/serial_state.h"

#include "base/radix.h"

#include <string.h>

static void sort_backward(struct serial_walk *w)
{
    const size_t count = w->backward.count;
    struct esse_pair *pairs = esse_arena_array(w->scratch, count + 1, *pairs);
    struct serial_backward *sorted = esse_arena_array(w->scratch, count + 1, *sorted);
    for (size_t i = 0; i < count; i++)
        pairs[i] = (struct esse_pair){ w->backward.at[i].to, (uint32_t)i };
    esse_radix_sort(pairs, count, w->scratch);
    for (size_t i = 0; i < count; i++)
        sorted[i] = w->backward.at[pairs[i].id];
    esse_arena_drop(w->scratch, pairs);
    esse_arena_drop(w->scratch, w->backward.at);
    w->backward.at = sorted;
}

/* ---- windows ---- */

/* What the window at hand did to a key, if 'window' says that it did anything. */
struct near {
    uint32_t window, writer, readers;
};

/* Which transaction comes before which in the window at hand, and the readers of a version. */
struct edge {
    uint32_t from, to;
};
ESSE_VEC(edge_vec, struct edge)

struct reader {
    uint32_t txn, next;
};
ESSE_VEC(reader_vec, struct reader)
#define NO_READER UINT32_MAX

struct arranging {
    struct serial_walk *w;
    struct serial *serial;
    struct esse_arena *kept;
    bool timed;                              /* real time counts */
    uint32_t *events;                        /* of the order */
    struct near *near;                       /* by key */
    uint32_t *session_window, *session_last; /* by session */
    struct serial_window window;
    uint32_t number; /* of the window, from 1 on */
    size_t miss;     /* the next of the misses */
    struct edge_vec edges;
    struct reader_vec readers;
    struct esse_u32_vec first, cursor, stack; /* by member of the window: where its edges begin */
    struct esse_u32_vec before;               /* these edges: what comes before it */
};

static void must_precede(struct arranging *a, uint32_t from, uint32_t to)
{
    if (from != to && from != ESSE_NO_TXN && from >= a->window.begin)
        edge_vec_push(&a->edges, a->w->scratch,
                      (struct edge){ from - a->window.begin, to - a->window.begin });
}

static struct near *near_of(struct arranging *a, uint32_t op)
{
    struct near *near = &a->near[a->w->history->op_key[op]];
    if (near->window != a->number)
        *near = (struct near){ a->number, ESSE_NO_TXN, NO_READER };
    return near;
}

/* The edges of the usual accesses; those of the reads that were missed are known. */
static void draw_access(struct arranging *a, uint32_t txn, uint32_t op)
{
    struct near *near = near_of(a, op);
    const struct serial_miss_vec *misses = &a->w->misses;
    while (a->miss < misses->count && misses->at[a->miss].op < op)
        a->miss++;
    if (near->writer == txn || (a->miss < misses->count && misses->at[a->miss].op == op))
        return;
    must_precede(a, near->writer, txn);
    if (a->w->history->op_kind[op] == ESSE_OP_READ) {
        reader_vec_push(&a->readers, a->w->scratch, (struct reader){ txn, near->readers });
        near->readers = (uint32_t)a->readers.count - 1;
        return;
    }
    for (uint32_t i = near->readers; i != NO_READER; i = a->readers.at[i].next)
        must_precede(a, a->readers.at[i].txn, txn);
    near->writer = txn;
    near->readers = NO_READER;
}

static void draw_txn(struct arranging *a, uint32_t txn)
{
    const struct esse_history *history = a->w->history;
    const uint32_t session = history->txn_session[txn];
    if (a->session_window[session] == a->number)
        must_precede(a, a->session_last[session], txn);
    a->session_window[session] = a->number;
    a->session_last[session] = txn;
    for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++)
        draw_access(a, txn, op);
}

/* All edges of the window, grouped by where they lead. */
static void draw_window(struct arranging *a, const struct serial_backward *backward, size_t count)
{
    struct esse_arena *scratch = a->w->scratch;
    const uint32_t size = a->window.end - a->window.begin;
    a->edges.count = a->readers.count = a->first.count = a->before.count = 0;
    for (uint32_t txn = a->window.begin; txn < a->window.end; txn++)
        if (a->w->history->txn_status[txn] == ESSE_COMMITTED)
            draw_txn(a, txn);
    for (size_t i = 0; i < count; i++) {
        must_precede(a, backward[i].from, backward[i].to);
        must_precede(a, backward[i].source, backward[i].reader);
    }
    uint32_t *first = esse_u32_vec_extend(&a->first, scratch, size + (size_t)2);
    memset(first, 0, (size + (size_t)2) * sizeof *first);
    for (size_t i = 0; i < a->edges.count; i++)
        first[a->edges.at[i].to + 2]++;
    for (uint32_t i = 0; i < size; i++)
        first[i + 2] += first[i + 1];
    uint32_t *before = esse_u32_vec_extend(&a->before, scratch, a->edges.count + 1);
    for (size_t i = 0; i < a->edges.count; i++)
        before[first[a->edges.at[i].to + 1]++] = a->edges.at[i].from;
}

/* ---- putting a window in order ---- */

enum { FRESH = UINT32_MAX, PLACED = UINT32_MAX - 1 }; /* instead of a cursor */

static void open_member(struct arranging *a, uint32_t member)
{
    a->cursor.at[member] = a->first.at[member];
    esse_u32_vec_push(&a->stack, a->w->scratch, member);
}

/* Places a member after all that come before it.  False if it comes before itself. */
static bool place(struct arranging *a, uint32_t root)
{
    a->stack.count = 0;
    open_member(a, root);
    while (a->stack.count) {
        uint32_t member = a->stack.at[a->stack.count - 1];
        if (a->cursor.at[member] == a->first.at[member + 1]) {
            a->cursor.at[member] = PLACED;
            a->stack.count--;
            a->events[a->serial->order.count++] = a->window.begin + member;
            continue;
        }
        uint32_t before = a->before.at[a->cursor.at[member]++];
        if (a->cursor.at[before] == FRESH)
            open_member(a, before);
        else if (a->cursor.at[before] != PLACED)
            return false;
    }
    return true;
}

static void keep_recorded(struct arranging *a, uint32_t begin, uint32_t end)
{
    for (uint32_t txn = begin; txn < end; txn++)
        if (a->w->history->txn_status[txn] == ESSE_COMMITTED)
            a->events[a->serial->order.count++] = txn;
}

static bool arrange(struct arranging *a, const struct serial_backward *backward, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (backward[i].from == backward[i].to)
            return false;
    draw_window(a, backward, count);
    a->cursor.count = 0;
    const uint32_t size = a->window.end - a->window.begin;
    memset(esse_u32_vec_extend(&a->cursor, a->w->scratch, size), 0xff, size * sizeof(uint32_t));
    for (uint32_t member = 0; member < size; member++)
        if (a->cursor.at[member] == FRESH &&
            a->w->history->txn_status[a->window.begin + member] == ESSE_COMMITTED &&
            !place(a, member))
            return false;
    return true;
}

static void arrange_window(struct arranging *a, const struct serial_backward *backward,
                           size_t count)
{
    const uint32_t placed = a->serial->order.count;
    const struct serial_miss_vec *misses = &a->w->misses;
    a->number++;
    while (a->miss < misses->count && misses->at[a->miss].txn < a->window.begin)
        a->miss++;
    if (arrange(a, backward, count) &&
        (!a->timed ||
         serial_keeps_time(a->w->history, a->events + placed, a->serial->order.count - placed)))
        return;
    a->serial->order.count = placed;
    serial_window_vec_push(&a->serial->odd, a->kept, a->window);
    keep_recorded(a, a->window.begin, a->window.end);
}

/* Backward edges that overlap are one window. */
static bool arrange_all(struct arranging *a)
{
    const struct serial_backward_vec *backward = &a->w->backward;
    uint32_t done = 0;
    for (size_t i = 0, j; i < backward->count; i = j) {
        a->window = (struct serial_window){ backward->at[i].to, backward->at[i].from + 1 };
        for (j = i + 1; j < backward->count && backward->at[j].to < a->window.end; j++)
            if (a->window.end <= backward->at[j].from)
                a->window.end = backward->at[j].from + 1;
        if (!esse_budget_poll(a->w->budget, i))
            return false;
        keep_recorded(a, done, a->window.begin);
        arrange_window(a, backward->at + i, j - i);
        done = a->window.end;
    }
    keep_recorded(a, done, a->w->history->txns);
    return true;
}

/* From places in the order of ends to transactions. */
static void name_events(struct serial *serial, uint32_t *events)
{
    for (uint32_t i = 0; serial->sorted && i < serial->order.count; i++)
        events[i] = serial->sorted[events[i]];
}

static bool arrange_windows(struct serial_walk *w, struct serial *serial, struct esse_arena *arena,
                            bool timed)
{
    const struct esse_history *history = w->history;
    struct arranging a = { .w = w, .serial = serial, .kept = arena, .timed = timed };
    a.events = esse_arena_array(arena, history->txns + (size_t)1, *a.events);
    a.near = esse_arena_alloc(w->scratch, history->keys + 1u, sizeof *a.near);
    a.session_window = esse_arena_alloc(w->scratch, history->sessions + 1u, sizeof(uint32_t));
    a.session_last = esse_arena_alloc(w->scratch, history->sessions + 1u, sizeof(uint32_t));
    sort_backward(w);
    esse_budget_phase(w->budget, "putting stale reads in order", w->backward.count);
    if (timed) {
        keep_recorded(&a, 0, history->txns);
        if (!serial_keeps_time(history, a.events, serial->order.count))
            return false;
        serial->order.count = 0;
    }
    bool ok = arrange_all(&a);
    name_events(serial, a.events);
    serial->order.events = a.events;
    return ok;
}

bool serial_find(struct serial *serial, struct esse_arena *arena,
                 const struct esse_history *history, bool real_time, struct esse_budget *budget)
{
    struct esse_history sorted;
    *serial = (struct serial){ 0 };
    if (!serial_is_fit(history))
        return false;
    struct serial_walk w = { .scratch = esse_arena_new(), .history = history, .budget = budget };
    serial->sorted = serial_by_ends(&sorted, arena, w.scratch, history);
    if (serial->sorted)
        w.history = &sorted;
    bool ok = serial_walk(&w) &&
              arrange_windows(&w, serial, arena, real_time && history->txn_time != NULL);
    esse_arena_free(w.scratch);
    return ok;
}
