#include "mirror/mirror_state.h"

/*
 * FUW: of two committed writers of a key one had its snapshot after the other's commit.  The pair
 * is compared by the one that ended later, when everything was seen that may have deleted the row
 * before it was written.
 */

/* The transaction of a version, if it is still the one that it was. */
static const struct mirror_txn *writer_of(const struct esse_mirror *m,
                                          const struct mirror_version *version)
{
    if (version->txn == MIRROR_NONE)
        return NULL;
    const struct mirror_txn *t = &m->txns[version->txn];
    return t->status == TXN_COMMITTED && t->c.b == version->c.b && t->c.a == version->c.a ? t
                                                                                          : NULL;
}

/* May the transaction's write of the key have made a row? */
static bool inserts(const struct mirror_txn *t, uint32_t entry)
{
    bool has_deleted = false;
    for (uint32_t i = 0; i < t->op_count; i++) {
        const struct mirror_op *op = &t->ops[i];
        if (op->entry != entry || !mirror_is_write(op))
            continue;
        if (op->kind == ESSE_MIRROR_INSERT || (has_deleted && op->kind == ESSE_MIRROR_WRITE))
            return true;
        has_deleted |= op->kind == ESSE_MIRROR_DELETE;
    }
    return false;
}

static bool deletes(const struct mirror_txn *t, uint32_t entry)
{
    for (uint32_t i = 0; i < t->op_count; i++)
        if (t->ops[i].entry == entry && t->ops[i].kind == ESSE_MIRROR_DELETE)
            return true;
    return false;
}

/* Until when the key may have been written. */
static int64_t last_write(const struct mirror_txn *t, uint32_t entry)
{
    int64_t last = INT64_MIN;
    for (uint32_t i = 0; i < t->op_count; i++)
        if (mirror_is_write(&t->ops[i]) && (t->ops[i].entry == entry || t->row->whole_database) &&
            t->ops[i].at.a > last)
            last = t->ops[i].at.a;
    return last;
}

bool esse_mirror_may_be_gone(struct esse_mirror *m, uint32_t at, const struct mirror_txn *t)
{
    struct mirror_entry *entry = mirror_entry_at(m, at);
    const int64_t until = last_write(t, at);
    if (entry->flags & ENTRY_SOFT)
        return true;
    for (uint32_t odd = entry->odd; odd; odd = m->versions.at[odd].next)
        if (m->versions.at[odd].flags & (VERSION_DEAD | VERSION_OPAQUE) &&
            m->versions.at[odd].c.b < until)
            return true;
    for (struct mirror_version *v = &entry->at[0]; v; v = esse_mirror_older(m, entry, v))
        if (v->flags & VERSION_DEAD && v->c.b < until)
            return true;
    return false;
}

/* An insert after an unseen delete is allowed: databases compare rows, not keys.  So nothing is
 * said of two if one of them inserted, or another may have deleted the row before they wrote. */
static bool may_be_insert(struct esse_mirror *m, uint32_t at, const struct mirror_txn *t,
                          const struct mirror_txn *h)
{
    return inserts(t, at) || inserts(h, at) || deletes(t, at) || deletes(h, at) ||
           esse_mirror_may_be_gone(m, at, t) || esse_mirror_may_be_gone(m, at, h);
}

static void tell(struct esse_mirror *m, uint64_t key, const struct mirror_txn *t, uint32_t last,
                 const struct mirror_txn *other)
{
    struct esse_finding finding =
        esse_mirror_finding(ESSE_MECHANISM_FUW, ESSE_RULE_BOTH_WROTE, key);
    finding.line = t->ops[last].line;
    finding.value = t->ops[last].value;
    finding.at = t->s;
    esse_mirror_finding_add(&finding, t);
    esse_mirror_finding_add(&finding, other);
    esse_mirror_tell(m, &finding);
}

static void compare(struct esse_mirror *m, uint32_t at, const struct mirror_txn *t, uint32_t last,
                    const struct mirror_version *version)
{
    const struct mirror_txn *h = writer_of(m, version);
    if (!h || h->ended >= t->ended || h->row->fuw == ESSE_FUW_NONE)
        return;
    struct mirror_entry *entry = mirror_entry_at(m, at);
    if (mirror_sure(t->c, h->s) || may_be_insert(m, at, t, h))
        return;
    const bool after = h->c.b < t->s.a, before = t->c.b < h->s.a;
    if (!after && !before) {
        tell(m, entry->key, t, last, h);
        return;
    }
    if (after && before)
        m->counters.uncertain++;
    else
        m->counters.by_fuw++;
    esse_joint_pair(m, ESSE_MECHANISM_FUW, entry->key, version->txn, MIRROR_NONE,
                    (uint32_t)(t - m->txns), MIRROR_NONE);
}

static void look_at(struct esse_mirror *m, const struct mirror_txn *t, uint32_t at, uint32_t last)
{
    struct mirror_entry *entry = mirror_entry_at(m, at);
    if (!entry->at[0].flags || entry->at[0].c.a <= t->s.b)
        return; /* all of them had surely committed before the snapshot */
    for (struct mirror_version *v = &entry->at[0]; v && v->c.a > t->s.b;
         v = esse_mirror_older(m, entry, v))
        compare(m, at, t, last, v);
}

void esse_mirror_writer_rule(struct esse_mirror *m, struct mirror_txn *t)
{
    if (t->row->fuw == ESSE_FUW_NONE || t->row->time == ESSE_TIME_SESSION || t->has_gap)
        return;
    if (t->row->whole_database && t->wrote)
        look_at(m, t, esse_mirror_entry(m, MIRROR_DATABASE), t->op_count - 1);
    for (uint32_t i = 0; i < t->op_count && !t->row->whole_database; i++)
        if (t->ops[i].flags & OP_LAST)
            look_at(m, t, t->ops[i].entry, i);
}
