#include "mirror/mirror_state.h"

/* Rounds: watermarks, reads that can be judged now, components that are closed, and what may be
 * forgotten. */

static int64_t least_begin(const struct esse_mirror *m)
{
    int64_t least = m->floor;
    for (size_t s = 0; s < m->open.count; s++)
        for (uint32_t t = m->open.at[s]; t != MIRROR_NONE; t = m->txns[t].next_open)
            least = m->txns[t].begin.b < least ? m->txns[t].begin.b : least;
    for (size_t i = 0; i < m->waiting.count; i++) {
        const int64_t begin = m->txns[m->waiting.at[i]].begin.b;
        least = begin < least ? begin : least;
    }
    return least;
}

static void judge_waiting(struct esse_mirror *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->waiting.count; i++) {
        const uint32_t slot = m->waiting.at[i];
        struct mirror_txn *t = &m->txns[slot];
        if (t->ready > m->floor) {
            m->waiting.at[kept++] = slot;
            continue;
        }
        if (!t->is_compared) {
            esse_mirror_writer_rule(m, t);
            esse_certifier_validate(m, t);
        }
        t->is_compared = true;
        t->waits = !esse_mirror_judge(m, t);
        if (t->waits)
            m->waiting.at[kept++] = slot;
        else
            esse_window_record(m, t);
    }
    m->waiting.count = kept;
}

/* M3: no instant of it can overlap with one that comes. */
static bool may_leave(const struct esse_mirror *m, const struct mirror_txn *t)
{
    const int64_t end = t->c.a == ESSE_MIRROR_NEVER ? t->c.b : t->c.a;
    return !t->waits && !t->pins && end <= m->horizon;
}

static void leave(struct esse_mirror *m, uint32_t slot)
{
    struct mirror_txn *t = &m->txns[slot];
    for (uint32_t i = 0; i < t->op_count; i++) {
        const struct mirror_op *op = &t->ops[i];
        if (!(op->flags & OP_LOCKS))
            continue;
        struct mirror_entry *entry = mirror_entry_at(
            m, t->row->whole_database ? esse_mirror_entry(m, MIRROR_DATABASE) : op->entry);
        if (entry->holders)
            esse_mirror_drop_holders(m, entry, slot);
    }
    t->status = TXN_FREE;
    m->counters.live--;
    mirror_u32_vec_push(&m->spare_txns, m->arena, slot);
}

/* Those that ended first leave first; one that must stay is passed by. */
static void leave_all(struct esse_mirror *m)
{
    size_t kept = 0, at = 0;
    for (; at < m->ended.count; at++) {
        const uint32_t slot = m->ended.at[at];
        if (may_leave(m, &m->txns[slot]))
            leave(m, slot);
        else
            m->ended.at[kept++] = slot;
    }
    m->ended.count = kept;
}

/* What was opaque for every key and ended below the horizon is one interval. */
static void fold_opaque(struct esse_mirror *m)
{
    size_t kept = 0;
    int64_t latest = INT64_MIN;
    for (size_t i = 0; i < m->opaque_b.count; i++) {
        if (m->opaque_a.at[i] <= m->horizon) {
            latest = m->opaque_a.at[i] > latest ? m->opaque_a.at[i] : latest;
            continue;
        }
        m->opaque_b.at[kept] = m->opaque_b.at[i];
        m->opaque_a.at[kept++] = m->opaque_a.at[i];
    }
    m->opaque_b.count = m->opaque_a.count = kept;
    if (latest != INT64_MIN) {
        esse_i64_vec_push(&m->opaque_b, m->arena, INT64_MIN);
        esse_i64_vec_push(&m->opaque_a, m->arena, latest);
    }
}

void esse_mirror_round(struct esse_mirror *m)
{
    m->since_round = 0;
    const int64_t floor = esse_pipeline_floor(m->pipeline);
    if (floor > m->floor)
        m->floor = floor; /* a session that comes late lowers it; its events are late then */
    judge_waiting(m);
    const int64_t horizon = least_begin(m);
    if (horizon > m->horizon)
        m->horizon = horizon;
    if (m->joint)
        esse_joint_close(m, false);
    if (m->certifier)
        esse_certifier_round(m);
    leave_all(m);
    fold_opaque(m);
    esse_window_round(m, false);
}
