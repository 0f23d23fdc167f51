#include "mirror/window_state.h"

#include "level/level.h"

#include <stdlib.h>

/*
 * Windows of the trace that the engines decide: transactions are recorded when their reads are
 * judged, each read with all versions that it may have seen.
 */

enum { REPEAT_BITS = 1 << 26 };

struct mirror_window *esse_window_new(struct esse_arena *arena, enum esse_level_id level)
{
    struct mirror_window *w = esse_arena_alloc(arena, 1, sizeof *w);
    *w = (struct mirror_window){ .arena = esse_arena_new(),
                                 .level = esse_level_get(level),
                                 .now = { .begin = INT64_MIN } };
    w->strong = esse_level_with(w->level, true, true);
    if (w->strong == w->level)
        w->strong = NULL;
    w->once = esse_arena_zeros(arena, (size_t)REPEAT_BITS / 64, uint64_t);
    w->again = esse_arena_zeros(arena, (size_t)REPEAT_BITS / 64, uint64_t);
    window_seen_vec_push(&w->seen, arena, (struct window_seen){ 0 });
    return w;
}

void esse_window_release(struct mirror_window *w)
{
    if (w)
        esse_arena_free(w->arena);
}

/* ---- values that may have been written more than once ---- */

/* Sets the bits; whether all were set before. */
static bool set_bits(uint64_t *bits, uint64_t hash)
{
    const uint64_t a = hash % REPEAT_BITS, b = (hash >> 32) % REPEAT_BITS;
    const uint64_t x = UINT64_C(1) << a % 64, y = UINT64_C(1) << b % 64;
    const bool had = (bits[a / 64] & x) && (bits[b / 64] & y);
    bits[a / 64] |= x;
    bits[b / 64] |= y;
    return had;
}

static bool has_bits(const uint64_t *bits, uint64_t hash)
{
    const uint64_t a = hash % REPEAT_BITS, b = (hash >> 32) % REPEAT_BITS;
    return (bits[a / 64] >> a % 64 & 1) && (bits[b / 64] >> b % 64 & 1);
}

static uint64_t version_hash(uint64_t key, uint64_t value)
{
    return esse_hash_mix(key ^ 0xa0761d6478bd642fu, value ^ 0xe7037ed1a0b428dbu);
}

bool esse_window_is_repeated(const struct mirror_window *w, uint64_t key, uint64_t value)
{
    return has_bits(w->again, version_hash(key, value));
}

/* A key may be absent at first, and again after a delete.  What is written by a transaction that
 * is not recorded counts as repeated: nothing is known of when it ended. */
void esse_window_installed(struct esse_mirror *m, uint64_t key, uint64_t value, bool is_recorded)
{
    struct mirror_window *w = m->window;
    if (!w)
        return;
    const uint64_t hash = version_hash(key, value);
    if (set_bits(w->once, hash) || value == WORD_NIL || !is_recorded)
        set_bits(w->again, hash);
}

void esse_window_aborted(struct esse_mirror *m, const struct mirror_txn *t)
{
    for (uint32_t i = 0; m->window && i < t->op_count; i++)
        if (mirror_is_write(&t->ops[i]) && t->ops[i].kind != ESSE_MIRROR_DELETE)
            esse_window_installed(m, mirror_entry_at(m, t->ops[i].entry)->key, t->ops[i].value,
                                  true);
}

/* ---- what reads may have seen ---- */

void esse_window_saw(struct esse_mirror *m, struct mirror_op *op, int64_t installed)
{
    struct mirror_window *w = m->window;
    if (!w)
        return;
    uint32_t at = w->spare_seen;
    if (at) {
        w->spare_seen = w->seen.at[at].next;
    } else {
        at = (uint32_t)w->seen.count;
        window_seen_vec_extend(&w->seen, m->arena, 1);
    }
    w->seen.at[at] = (struct window_seen){ installed, op->seen };
    op->seen = at;
}

/* Nothing explains the read: it is of its writer, if that is still known. */
void esse_window_saw_wrongly(struct esse_mirror *m, struct mirror_op *op,
                             const struct mirror_txn *writer)
{
    struct mirror_window *w = m->window;
    if (!w || op->flags & OP_COLUMNS || op->value == WORD_NIL)
        return;
    struct mirror_entry *entry = mirror_entry_at(m, op->entry);
    bool is_kept = writer != NULL;
    if (writer && writer->status != TXN_OPEN)
        esse_window_saw(m, op, writer->status == TXN_ABORTED ? WINDOW_ABORTED : writer->c.a);
    for (struct mirror_version *v = entry->at[0].flags ? &entry->at[0] : NULL; v;
         v = esse_mirror_older(m, entry, v)) {
        if (v->value == op->value && !v->columns) {
            esse_window_saw(m, op, v->c.a);
            is_kept = true;
        }
    }
    if (!is_kept && has_bits(w->once, version_hash(entry->key, op->value)))
        esse_window_saw(m, op, WINDOW_FORGOTTEN);
}

static uint32_t take_seen(struct mirror_window *w, struct mirror_op *op, uint64_t key)
{
    uint32_t count = 0, at = op->seen;
    while (at) {
        const uint32_t next = w->seen.at[at].next;
        const struct window_source source = { key, op->value, w->seen.at[at].installed };
        window_source_vec_push(&w->now.sources, w->arena, source);
        w->seen.at[at].next = w->spare_seen;
        w->spare_seen = at;
        at = next;
        count++;
    }
    op->seen = 0;
    return count;
}

/* It is not recorded: back to the pool. */
static void drop_seen(struct mirror_window *w, struct mirror_txn *t)
{
    for (uint32_t i = 0; i < t->op_count; i++) {
        while (t->ops[i].seen) {
            const uint32_t at = t->ops[i].seen;
            t->ops[i].seen = w->seen.at[at].next;
            w->seen.at[at].next = w->spare_seen;
            w->spare_seen = at;
        }
    }
}

/* ---- transactions ---- */

/* Rows with columns are left to the mechanisms.  Of its writes the last of each key counts; what it
 * read of its own, and reads that something unknown may explain, say nothing. */
static void record_op(struct esse_mirror *m, struct mirror_op *op, struct window_txn *txn)
{
    struct mirror_window *w = m->window;
    if (op->entry == MIRROR_NONE)
        return;
    const struct mirror_entry *entry = mirror_entry_at(m, op->entry);
    const bool is_write = mirror_is_write(op) && op->flags & OP_LAST;
    const bool is_seen = op->kind == ESSE_MIRROR_READ && op->seen;
    const uint32_t sources = op->seen ? take_seen(w, op, entry->key) : 0;
    const bool is_row = entry->flags & ENTRY_COLUMNS || op->flags & (OP_COLUMNS | OP_BLIND);
    txn->left_out +=
        op->kind == ESSE_MIRROR_READ && !(op->flags & (OP_OWN | OP_FAILED)) && (!is_seen || is_row);
    if ((!is_write && !is_seen) || is_row) {
        w->now.sources.count -= sources;
        return;
    }
    txn->source_count += sources;
    const struct window_op recorded = {
        .key = entry->key,
        .value = op->value,
        .source_count = sources,
        .kind = !is_write                        ? ESSE_OP_READ
                : op->kind == ESSE_MIRROR_DELETE ? ESSE_OP_DELETE
                                                 : ESSE_OP_WRITE,
    };
    window_op_vec_push(&w->now.ops, w->arena, recorded);
    txn->op_count++;
}

void esse_window_record(struct esse_mirror *m, struct mirror_txn *t)
{
    struct mirror_window *w = m->window;
    if (!w)
        return;
    if (!mirror_is_in_windows(m, t)) {
        drop_seen(w, t);
        return;
    }
    struct window_txn txn = { .name = t->name,
                              .ended = t->ended,
                              .session = t->is_interleaved ? WINDOW_ALONE : t->session,
                              .start = t->s.b,
                              .end = t->c.a };
    for (uint32_t i = 0; i < t->op_count; i++)
        record_op(m, &t->ops[i], &txn);
    window_txn_vec_push(&w->now.txns, w->arena, txn);
    w->fresh++;
    if (txn.start != INT64_MIN && txn.end - txn.start > w->longest)
        w->longest = txn.end - txn.start;
}

void esse_window_told(struct esse_mirror *m, const struct esse_finding *finding)
{
    enum { MOST = 1000 };
    struct mirror_window *w = m->window;
    if (w && w->told.count < MOST)
        window_told_vec_push(&w->told, m->arena,
                             (struct esse_window_told){ finding->serial, finding->mechanism });
}

/* ---- from one window to the next ---- */

static void copy_txn(struct mirror_window *w, struct esse_arena *arena, struct window_part *to,
                     const struct window_txn *txn, size_t op, size_t source)
{
    window_txn_vec_push(&to->txns, arena, *txn);
    to->txns.at[to->txns.count - 1].is_again = true;
    for (uint32_t i = 0; i < txn->op_count; i++)
        window_op_vec_push(&to->ops, arena, w->now.ops.at[op + i]);
    for (uint32_t i = 0; i < txn->source_count; i++)
        window_source_vec_push(&to->sources, arena, w->now.sources.at[source + i]);
}

/* Those that ended within twice the longest transaction before the end are in the next one again,
 * for what overlaps with them. */
static void begin_next(struct mirror_window *w)
{
    struct esse_arena *arena = esse_arena_new();
    struct window_part next = { 0 };
    int64_t newest = INT64_MIN;
    size_t op = 0, source = 0;
    for (size_t i = 0; i < w->now.txns.count; i++)
        newest = w->now.txns.at[i].end > newest ? w->now.txns.at[i].end : newest;
    for (size_t i = 0; i < w->now.txns.count; i++) {
        const struct window_txn *txn = &w->now.txns.at[i];
        if (txn->end > newest - w->longest - w->longest)
            copy_txn(w, arena, &next, txn, op, source);
        op += txn->op_count;
        source += txn->source_count;
    }
    next.begin = newest - w->longest - w->longest;
    esse_arena_free(w->arena);
    w->arena = arena;
    w->now = next;
    w->fresh = 0;
    w->told.count = 0;
}

void esse_window_round(struct esse_mirror *m, bool is_end)
{
    struct mirror_window *w = m->window;
    if (!w || (!is_end && w->fresh < m->options.window_txns) || !w->fresh)
        return;
    esse_window_decide(m);
    begin_next(w);
}
