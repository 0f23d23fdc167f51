#include "mirror/mirror_state.h"

/*
 * ME: two transactions whose locks on a key conflict held them one after the other.  M4: a pair is
 * compared when the later one ends; those that ended before it left their locks at the key.
 */

/* With the modes numbered as they are, these are PostgreSQL's conflicts; those of two modes too. */
static bool conflict(unsigned a, unsigned b)
{
    return a + b > ESSE_LOCK_UPDATE;
}

/* Locks taken since a savepoint may have been given back with it. */
static struct esse_instant release_of(const struct mirror_txn *t, const struct mirror_op *op)
{
    struct esse_instant release = t->c;
    if (op->undone != MIRROR_NONE && t->ops[op->undone].at.b < release.b)
        release.b = t->ops[op->undone].at.b;
    return release;
}

static void tell(struct esse_mirror *m, uint64_t key, const struct mirror_txn *t,
                 const struct mirror_op *op, const struct mirror_txn *other)
{
    struct esse_finding finding = esse_mirror_finding(ESSE_MECHANISM_ME, ESSE_RULE_BOTH_HELD, key);
    finding.line = op->line;
    finding.at = op->at;
    esse_mirror_finding_add(&finding, t);
    esse_mirror_finding_add(&finding, other);
    esse_mirror_tell(m, &finding);
}

static void compare(struct esse_mirror *m, struct mirror_entry *entry, uint32_t slot, uint32_t at,
                    const struct mirror_holder *holder)
{
    const struct mirror_txn *t = &m->txns[slot], *h = &m->txns[holder->txn];
    const struct mirror_op *op = &t->ops[at], *held = &h->ops[holder->op];
    const struct esse_instant release = release_of(t, op), released = release_of(h, held);
    if (mirror_sure(released, op->at) || mirror_sure(release, held->at)) {
        m->counters.by_time++;
        return;
    }
    const bool after = released.b < op->at.a, before = release.b < held->at.a;
    if (!after && !before) {
        tell(m, entry->key, t, op, h);
        return;
    }
    if (after && before)
        m->counters.uncertain++;
    else
        m->counters.by_me++;
    /* A lock that was given back with a savepoint has an end of its own, which is no instant. */
    if (op->undone == MIRROR_NONE && held->undone == MIRROR_NONE)
        esse_joint_pair(m, ESSE_MECHANISM_ME, entry->key, holder->txn, holder->op, slot, at);
}

static void look_at(struct esse_mirror *m, uint32_t slot, uint32_t entry, uint32_t at,
                    unsigned mode)
{
    struct mirror_entry *e = mirror_entry_at(m, entry);
    const struct mirror_txn *t = &m->txns[slot];
    if (e->release_max <= t->ops[at].at.b)
        return; /* all of them had surely been given back */
    for (uint32_t h = e->holders; h; h = m->holders.at[h].next) {
        const struct mirror_holder holder = m->holders.at[h];
        if (holder.txn != slot && conflict(mode, holder.mode))
            compare(m, e, slot, at, &holder);
    }
}

void esse_mirror_lock_rule(struct esse_mirror *m, struct mirror_txn *t)
{
    const uint32_t slot = (uint32_t)(t - m->txns);
    if (t->row->locks == ESSE_LOCKS_NONE || t->row->time == ESSE_TIME_SESSION ||
        (t->row->locks_of_committed && t->status != TXN_COMMITTED))
        return;
    for (size_t i = 0; i < m->touched.count; i++) {
        const struct mirror_touched touched = m->touched.at[i];
        for (unsigned mode = ESSE_LOCK_KEY_SHARE; mode <= ESSE_LOCK_UPDATE; mode++)
            if (touched.locks[mode] != MIRROR_NONE)
                look_at(m, slot, touched.entry, touched.locks[mode], mode);
    }
}
