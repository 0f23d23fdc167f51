#include "engine/replay/replay_words.h"

#include "history/access.h"
#include "history/show.h"

enum { STEPS = 3 };

struct words {
    const struct replay_telling *of;
    const struct esse_history *history;
    const struct esse_mismatch *mismatch;
    struct esse_arena *arena;
    const char *txn, *other;
    bool is_own;
};

static const char *const in_order[] = {
    [ESSE_ORDER_BY_LINE] = "in the order given",
    [ESSE_ORDER_BY_COMMIT_TS] = "in the order of commit_ts",
    [ESSE_ORDER_BY_START_TS] = "in the order of start_ts",
    [ESSE_ORDER_BY_TIMESTAMPS] = "with snapshots at start_ts and commits at commit_ts",
};

static const char *order_words(const struct words *w)
{
    return w->of->is_stream && w->of->by == ESSE_ORDER_BY_LINE ? "in the order of the lines"
                                                               : in_order[w->of->by];
}

/* "x = 5", "x = [1 2]" */
static const char *held(const struct words *w)
{
    const struct esse_mismatch *mismatch = w->mismatch;
    struct esse_out out;
    esse_out_init_memory(&out, w->arena);
    esse_show_f(&out, w->history, "%k = ", mismatch->key);
    if (mismatch->items)
        esse_show_items(&out, w->history, mismatch->items, mismatch->item_count);
    else
        esse_show_value(&out, w->history, mismatch->held);
    return esse_out_memory(&out);
}

/* ", which T1 wrote" */
static const char *writer(const struct words *w)
{
    if (w->is_own)
        return ", which it wrote itself";
    if (w->mismatch->other.ix == ESSE_NO_TXN && !w->of->other_name)
        return ", as at the beginning";
    return esse_arena_format(w->arena, ", which %s wrote", w->other);
}

/* What the transaction saw, and what the table held. */
static const char *tell_states(const struct words *w)
{
    static const char *const words[] = {
        [ESSE_MISMATCH_READ] = "%s did %o; the table held %s%s",
        [ESSE_MISMATCH_NOT_SELECTED] = "%s did %o; the table held %s%s, and that is not selected",
        [ESSE_MISMATCH_LEFT_OUT] = "%s did %o; the table also held %s%s, and that is selected",
    };
    const enum esse_mismatch_kind kind = w->mismatch->kind;
    if (kind < sizeof words / sizeof *words && words[kind])
        return esse_show_sentence(w->arena, w->history, words[kind], w->txn, w->mismatch->op,
                                  held(w), writer(w));
    if (kind == ESSE_MISMATCH_RESULT)
        return esse_show_sentence(w->arena, w->history, "%s did %o; of the table that is %s",
                                  w->txn, w->mismatch->op, w->mismatch->answered);
    return esse_show_sentence(w->arena, w->history,
                              "%s did %o; since its snapshot %s had committed %s", w->txn,
                              w->mismatch->op, w->other, held(w));
}

/* One sentence about the mismatch. */
static const char *describe(const struct words *w)
{
    const char *order = order_words(w);
    switch (w->mismatch->kind) {
    case ESSE_MISMATCH_READ:
        return esse_arena_format(w->arena, "%s, %s would have read %s", order, w->txn, held(w));
    case ESSE_MISMATCH_NOT_SELECTED:
        return esse_show_sentence(w->arena, w->history, "%s, %s would not have got the row %b",
                                  order, w->txn, w->mismatch->key);
    case ESSE_MISMATCH_LEFT_OUT:
        return esse_arena_format(w->arena, "%s, %s would also have got the row %s", order, w->txn,
                                 held(w));
    case ESSE_MISMATCH_RESULT:
        return esse_arena_format(w->arena, "%s, %s would have got %s", order, w->txn,
                                 w->mismatch->answered);
    case ESSE_MISMATCH_OVERWRITTEN:
        return esse_show_sentence(w->arena, w->history,
                                  "%s, %s and %s overlap and both committed %k", order, w->other,
                                  w->txn, w->mismatch->key);
    case ESSE_MISMATCH_SESSION:
        return esse_arena_format(w->arena,
                                 "%s, %s comes before %s, which precedes it in its session", order,
                                 w->txn, w->other);
    case ESSE_MISMATCH_TIME:
        return esse_arena_format(w->arena,
                                 "%s, %s comes before %s, which had ended when it started", order,
                                 w->txn, w->other);
    default:
        return esse_arena_format(w->arena,
                                 "%s, %s comes before %s, which had ended when it started", order,
                                 w->other, w->txn);
    }
}

/* ---- steps ---- */

static void add_step(struct esse_anomaly *anomaly, struct esse_step *steps, esse_txn txn,
                     esse_op op, const char *why)
{
    steps[anomaly->step_count++] = (struct esse_step){ txn, op, why, ESSE_BASIS_NONE };
}

/* The last write of the key by a transaction; ESSE_NO_OP if it has none. */
static esse_op last_write(const struct esse_history *history, esse_txn txn, esse_key key)
{
    esse_value ignored;
    for (uint32_t op = history->txn_op[txn.ix + 1]; op-- > history->txn_op[txn.ix];)
        if (esse_op_write_of(history, op, key, &ignored))
            return (esse_op){ op };
    return (esse_op){ ESSE_NO_OP };
}

/* What the timestamps make of it, in Adya's words: a transaction that starts after another has
 * committed has a start dependency on it.  An rw against one is a cycle, and ww and wr demand one.
 * False if there is nothing to tell. */
static bool put_start(struct esse_out *out, const struct words *w, esse_txn other, bool was_read)
{
    const struct esse_interval *times = w->history->txn_server_time;
    if (w->of->by != ESSE_ORDER_BY_TIMESTAMPS || w->of->is_stream || !times ||
        times[other.ix].end == ESSE_NO_TIME || times[w->mismatch->txn.ix].begin == ESSE_NO_TIME)
        return false;
    const int64_t commit = times[other.ix].end, start = times[w->mismatch->txn.ix].begin;
    const bool depends = commit <= start;
    if (depends && was_read)
        return false;
    const char *name = esse_show_txn_text(w->arena, w->history, other);
    esse_out_f(out, ", and committed, at %lld, %s %s started, at %lld: ", (long long)commit,
               depends ? "before" : "after", w->txn, (long long)start);
    if (depends)
        esse_out_f(out, "%s has a start dependency on %s, and missed it (GSIb)", w->txn, name);
    else
        esse_out_f(out, "%s %s it without a start dependency on %s (GSIa)", w->txn,
                   was_read ? "read" : "overwrote", name);
    return true;
}

static void add_writer(const struct words *w, struct esse_anomaly *anomaly, struct esse_step *steps)
{
    const struct esse_mismatch *mismatch = w->mismatch;
    if (mismatch->other.ix == ESSE_NO_TXN || w->is_own || !esse_mismatch_has_key(mismatch))
        return;
    const esse_op op = last_write(w->history, mismatch->other, mismatch->key);
    struct esse_out out;
    esse_out_init_memory(&out, w->arena);
    esse_show_f(&out, w->history, "%s did %o", w->other, op);
    if (!put_start(&out, w, mismatch->other, false))
        esse_out_f(&out, ", the last before that %s", order_words(w));
    add_step(anomaly, steps, mismatch->other, op, esse_out_memory(&out));
}

/* The writer of what was read instead: a step if there is one. */
static void add_source(const struct words *w, struct esse_anomaly *anomaly, struct esse_step *steps)
{
    static const char *const where[] = { ", elsewhere in the order", ", and was aborted",
                                         ", with an unknown outcome" };
    const struct esse_history *history = w->history;
    esse_value read, written;
    if (w->mismatch->kind != ESSE_MISMATCH_READ ||
        !esse_op_read_of(history, w->mismatch->op.ix, w->mismatch->key, &read) ||
        esse_value_eq(read, ESSE_NIL) || esse_value_tag(read) == ESSE_TAG_LIST || w->of->is_stream)
        return;
    for (uint32_t txn = 0; txn < history->txns; txn++)
        for (uint32_t op = history->txn_op[txn]; op < history->txn_op[txn + 1]; op++) {
            if (!esse_op_write_of(history, op, w->mismatch->key, &written) ||
                !esse_value_eq(read, written))
                continue;
            struct esse_out out;
            esse_out_init_memory(&out, w->arena);
            esse_show_f(&out, history, "%t did %o", (esse_txn){ txn }, (esse_op){ op });
            if (history->txn_status[txn] != ESSE_COMMITTED ||
                !put_start(&out, w, (esse_txn){ txn }, true))
                esse_out_text(&out, where[history->txn_status[txn]]);
            add_step(anomaly, steps, (esse_txn){ txn }, (esse_op){ op }, esse_out_memory(&out));
            return;
        }
}

static void add_places(const struct words *w, struct esse_anomaly *anomaly, struct esse_step *steps)
{
    const esse_op none = { ESSE_NO_OP };
    const bool session = w->mismatch->kind == ESSE_MISMATCH_SESSION;
    add_step(anomaly, steps, w->mismatch->txn, none,
             esse_arena_format(w->arena,
                               w->mismatch->kind == ESSE_MISMATCH_LATE
                                   ? "%s had ended when the other started, and comes later %s"
                                   : "%s comes first %s",
                               w->txn, order_words(w)));
    if (w->mismatch->other.ix != ESSE_NO_TXN)
        add_step(anomaly, steps, w->mismatch->other, none,
                 esse_arena_format(w->arena,
                                   session ? "%s is earlier in the session"
                                           : "%s had ended when the other started",
                                   w->other));
}

struct esse_anomaly *replay_tell(struct esse_arena *arena, const struct replay_telling *telling)
{
    struct words w = {
        .of = telling, .history = telling->history, .mismatch = telling->mismatch, .arena = arena
    };
    const struct esse_mismatch *mismatch = telling->mismatch;
    struct esse_anomaly *anomaly = esse_arena_alloc(arena, 1, sizeof *anomaly);
    struct esse_step *steps = esse_arena_alloc(arena, STEPS, sizeof *steps);
    w.is_own = mismatch->other.ix == mismatch->txn.ix;
    w.txn = esse_show_txn_text(arena, w.history, mismatch->txn);
    w.other = telling->other_name ? telling->other_name
              : mismatch->other.ix != ESSE_NO_TXN
                  ? esse_show_txn_text(arena, w.history, mismatch->other)
                  : "";
    *anomaly = (struct esse_anomaly){
        .type = telling->type, .description = describe(&w), .steps = steps, .order_by = telling->by
    };
    if (mismatch->op.ix == ESSE_NO_OP) {
        add_places(&w, anomaly, steps);
        return anomaly;
    }
    anomaly->has_key = esse_mismatch_has_key(mismatch);
    anomaly->key = mismatch->key;
    add_step(anomaly, steps, mismatch->txn, mismatch->op, tell_states(&w));
    add_writer(&w, anomaly, steps);
    add_source(&w, anomaly, steps);
    return anomaly;
}
