#include "mirror/mirror_state.h"

/*
 * CR: what a committed transaction read must be a version that its snapshot can hold.  Reads are
 * judged when every version that may explain them was seen: W_b has come to their snapshot's end.
 */

struct esse_instant esse_mirror_snapshot(const struct mirror_txn *t, const struct mirror_op *op)
{
    switch (t->row->reads) {
    case ESSE_READS_TXN:
        return t->s;
    case ESSE_READS_LATE_ROW:
        return (struct esse_instant){ t->begin.b, t->c.a };
    default:
        return op->flags & OP_CURSOR
                   ? (struct esse_instant){ t->has_begin ? t->begin.b : INT64_MIN, op->at.a }
                   : op->at;
    }
}

/* What is read, of which column, and how it came out. */
struct reading {
    struct mirror_txn *t;
    struct mirror_entry *entry;
    uint32_t slot, op;
    struct esse_instant s;
    bool at_snapshot; /* the transaction's, and not one of the operation */
    uint64_t column, value;
    int64_t kill;      /* everything installed before this is gone */
    bool has_initial;  /* the initial version may be what is seen */
    bool any_initial;  /* ... and its value is not known */
    bool is_uncertain; /* something may explain it that nothing is known of */
};

static bool is_ordered(const struct reading *r)
{
    return r->t->row->time != ESSE_TIME_SESSION;
}

/* The version's transaction, if it is still there: its slot may be another's by now. */
static uint32_t writer_of(const struct esse_mirror *m, const struct mirror_version *v)
{
    if (v->txn == MIRROR_NONE)
        return MIRROR_NONE;
    const struct mirror_txn *t = &m->txns[v->txn];
    return t->status == TXN_COMMITTED && t->c.b == v->c.b && t->c.a == v->c.a ? v->txn
                                                                              : MIRROR_NONE;
}

static void add(struct esse_mirror *m, const struct reading *r, struct mirror_version *v)
{
    uint64_t value;
    bool any;
    if (!esse_mirror_sets(m, v, r->column, &value, &any))
        return;
    const bool is_sure = !any && !(v->flags & (VERSION_OPAQUE | VERSION_PERHAPS));
    mirror_candidate_vec_push(
        &m->candidates, m->arena,
        (struct mirror_candidate){ v, writer_of(m, v), v->c, any || value == r->value, is_sure });
}

/* The committed versions that the snapshot can hold, newest first. */
static void collect_committed(struct esse_mirror *m, struct reading *r)
{
    if (!r->entry->at[0].flags)
        return;
    for (struct mirror_version *v = &r->entry->at[0]; v; v = esse_mirror_older(m, r->entry, v)) {
        if (v->txn == r->slot && v->c.b == r->t->c.b)
            continue; /* its own, which is not installed yet */
        if (is_ordered(r) && mirror_sure(r->s, v->c))
            continue;
        if (v->c.a <= r->kill)
            break;
        const size_t before = m->candidates.count;
        add(m, r, v);
        if (m->candidates.count > before && is_ordered(r) && mirror_sure(v->c, r->s) &&
            v->c.b > r->kill)
            r->kill = v->c.b;
    }
    size_t kept = 0;
    for (size_t i = 0; i < m->candidates.count; i++)
        if (m->candidates.at[i].c.a > r->kill)
            m->candidates.at[kept++] = m->candidates.at[i];
    m->candidates.count = kept;
}

/* Whether something wrote rows that are not known, and the snapshot may hold that. */
static bool meets_opaque(const struct esse_mirror *m, const struct reading *r)
{
    for (size_t i = 0; i < m->opaque_b.count; i++)
        if (m->opaque_b.at[i] < r->s.a && m->opaque_a.at[i] > r->kill)
            return true;
    return false;
}

static void collect_odd(struct esse_mirror *m, struct reading *r)
{
    r->is_uncertain |= (r->entry->flags & ENTRY_SOFT) != 0;
    for (uint32_t at = r->entry->odd; at; at = m->versions.at[at].next) {
        struct mirror_version *v = &m->versions.at[at];
        if (!(is_ordered(r) && mirror_sure(r->s, v->c)) && v->c.a > r->kill)
            add(m, r, v);
    }
}

static void collect(struct esse_mirror *m, struct reading *r)
{
    m->candidates.count = 0;
    r->kill = INT64_MIN;
    collect_committed(m, r);
    collect_odd(m, r);
    r->is_uncertain |= meets_opaque(m, r);
    r->has_initial = r->kill == INT64_MIN;
    if (!r->has_initial)
        return;
    /* A key that has initial columns, or a value that was given, has a version of it. */
    r->any_initial = r->entry->init == 0;
    const bool matches =
        r->any_initial ||
        (r->column == COLUMN_SCALAR || r->value == WORD_NIL ? r->value == r->entry->init : false);
    const bool exists = r->column == COLUMN_EXISTS && r->entry->init != WORD_NIL;
    mirror_candidate_vec_push(&m->candidates, m->arena,
                              (struct mirror_candidate){ NULL,
                                                         MIRROR_NONE,
                                                         { INT64_MIN, INT64_MIN },
                                                         matches && !(exists && !r->any_initial),
                                                         !r->any_initial });
}

bool esse_mirror_collect_rows(struct esse_mirror *m, struct mirror_txn *t, uint32_t statement,
                              uint32_t entry, struct esse_instant s)
{
    struct reading r = { .t = t,
                         .entry = mirror_entry_at(m, entry),
                         .slot = (uint32_t)(t - m->txns),
                         .op = statement,
                         .s = s,
                         .column = COLUMN_EXISTS,
                         .value = WORD_PRESENT };
    collect(m, &r);
    return !r.is_uncertain;
}

/* ---- nothing explains it ---- */

static bool wrote_it(const struct mirror_txn *t, const struct mirror_op *op,
                     const struct reading *r)
{
    if (!mirror_is_write(op) || !(op->flags & OP_COLUMNS))
        return mirror_is_write(op) && op->value == r->value;
    for (uint32_t i = 0; i < op->column_count; i++)
        if (t->columns[op->columns + i].name == r->column &&
            t->columns[op->columns + i].value == r->value)
            return true;
    return false;
}

/* Who wrote the value, of those that are still known: it says what kind of mistake it is. */
static const struct mirror_txn *known_writer(const struct esse_mirror *m, const struct reading *r,
                                             enum esse_mirror_rule *rule)
{
    const struct mirror_txn *found = NULL;
    const uint32_t entry = r->t->ops[r->op].entry;
    *rule = ESSE_RULE_NO_VERSION;
    for (uint32_t s = 0; s < m->txn_count; s++) {
        const struct mirror_txn *t = &m->txns[s];
        bool wrote = false;
        if (t->status == TXN_FREE || t == r->t)
            continue;
        for (uint32_t i = 0; i < t->op_count && !wrote; i++)
            wrote = t->ops[i].entry == entry && wrote_it(t, &t->ops[i], r);
        if (!wrote)
            continue;
        found = t;
        if (t->status == TXN_OPEN || (t->status != TXN_ABORTED && mirror_sure(r->s, t->c)))
            *rule = ESSE_RULE_FUTURE;
        else if (t->status == TXN_ABORTED)
            *rule = ESSE_RULE_ABORTED;
        else
            *rule = ESSE_RULE_NO_VERSION;
    }
    return found;
}

static void tell(struct esse_mirror *m, const struct reading *r, enum esse_mirror_rule rule,
                 const struct mirror_txn *other)
{
    struct esse_finding finding = esse_mirror_finding(ESSE_MECHANISM_CR, rule, r->entry->key);
    finding.value = r->value;
    finding.column = r->column == COLUMN_SCALAR || r->column == COLUMN_EXISTS ? 0 : r->column;
    finding.since = r->kill;
    finding.line = r->t->ops[r->op].line;
    finding.at = r->s;
    esse_mirror_finding_add(&finding, r->t);
    if (other)
        esse_mirror_finding_add(&finding, other);
    for (size_t i = 0; i < m->candidates.count; i++) {
        const struct mirror_candidate *c = &m->candidates.at[i];
        if (c->txn != MIRROR_NONE)
            esse_mirror_finding_add(&finding, &m->txns[c->txn]);
    }
    mirror_finding_vec_push(&m->held, m->arena, finding);
}

/* Whether the writer aborts, or commits too late, is known when it ends. */
static void unexplained(struct esse_mirror *m, const struct reading *r)
{
    enum esse_mirror_rule rule;
    const struct mirror_txn *writer = known_writer(m, r, &rule);
    const bool was_initial = r->value == WORD_NIL && r->entry->init == WORD_NIL;
    const bool is_known =
        writer || was_initial || esse_mirror_was_written(m, r->entry->key, r->column, r->value);
    if (!is_known && !m->exclusive) {
        m->counters.reads_foreign++;
        return;
    }
    if (writer && writer->status == TXN_OPEN && !m->is_finished) {
        m->must_wait = true;
        return;
    }
    if (!is_known && r->value != WORD_NIL)
        rule = ESSE_RULE_FOREIGN;
    esse_window_saw_wrongly(m, &r->t->ops[r->op], writer);
    tell(m, r, rule, writer);
}

/* ---- explained ---- */

/* Its outcome was not known, and somebody committed has read it: so it committed before that. */
static void make_committed(struct esse_mirror *m, const struct reading *r, struct mirror_version *v)
{
    struct mirror_version version = *v;
    for (uint32_t *link = &r->entry->odd; *link; link = &m->versions.at[*link].next) {
        const uint32_t at = *link;
        if (&m->versions.at[at] != v)
            continue;
        *link = v->next;
        v->columns = 0;
        v->next = m->spare_version;
        m->spare_version = at;
        m->counters.versions--;
        break;
    }
    version.flags &= ~(unsigned)VERSION_PERHAPS;
    version.c.a = r->s.a;
    esse_mirror_install(m, r->entry, &version);
}

/* For windows: all that the read may be of, if that is known for certain. */
static void note_seen(struct esse_mirror *m, const struct reading *r)
{
    struct mirror_op *op = &r->t->ops[r->op];
    if (!m->window || r->is_uncertain || !is_ordered(r) || op->flags & OP_COLUMNS)
        return;
    for (size_t i = 0; i < m->candidates.count; i++)
        if (m->candidates.at[i].matches && !m->candidates.at[i].is_sure_value &&
            (m->candidates.at[i].version || m->candidates.count > 1))
            return;
    for (size_t i = 0; i < m->candidates.count; i++)
        if (m->candidates.at[i].matches)
            esse_window_saw(m, op,
                            m->candidates.at[i].version ? m->candidates.at[i].c.a : INT64_MIN);
}

static void explained(struct esse_mirror *m, struct reading *r, size_t matching)
{
    const size_t count = m->candidates.count;
    size_t only = 0;
    bool all_sure = !r->is_uncertain;
    for (size_t i = 0; i < count; i++) {
        all_sure &= m->candidates.at[i].is_sure_value;
        if (m->candidates.at[i].matches)
            only = i;
    }
    struct mirror_version *v = m->candidates.at[only].version;
    if (matching > 1 || r->is_uncertain)
        m->counters.uncertain++;
    else if (count == 1)
        m->counters.by_time++;
    else
        m->counters.by_value++;
    note_seen(m, r);
    if (matching == 1 && !r->is_uncertain && v && (v->flags & VERSION_PERHAPS) &&
        !(v->flags & VERSION_OPAQUE) && is_ordered(r)) {
        make_committed(m, r, v);
        return;
    }
    if (!v && matching == 1 && count == 1 && r->any_initial && !r->is_uncertain &&
        r->column == COLUMN_SCALAR)
        r->entry->init = r->value; /* the first sure read of what nobody told */
    if (matching == 1 && !r->is_uncertain && m->candidates.at[only].is_sure_value)
        esse_certifier_read(m, r->entry, r->t, r->column, v);
    if (all_sure && is_ordered(r))
        esse_joint_read(m, r->entry->key, r->slot, r->op, r->at_snapshot, m->candidates.at, count);
}

static void judge_column(struct esse_mirror *m, struct reading *r)
{
    size_t matching = 0;
    collect(m, r);
    for (size_t i = 0; i < m->candidates.count; i++)
        matching += m->candidates.at[i].matches;
    if (matching)
        explained(m, r, matching);
    else if (r->is_uncertain)
        m->counters.uncertain++;
    else
        unexplained(m, r);
}

/* A read of what is newest, and was surely there before: nearly all are. */
static bool is_usual(const struct reading *r)
{
    const struct mirror_entry *e = r->entry;
    return e->at[0].flags == (VERSION_USED | VERSION_FULL) && !e->at[0].columns &&
           e->at[0].value == r->value && e->at[0].c.a <= r->s.b && !e->odd && !e->flags &&
           (!e->at[1].flags || e->at[1].c.a <= e->at[0].c.b) && e->at[0].txn != r->slot;
}

static void judge_at(struct esse_mirror *m, struct reading *r, const struct mirror_op *op)
{
    if (!(op->flags & OP_COLUMNS)) {
        r->column = op->value == WORD_NIL ? COLUMN_EXISTS : COLUMN_SCALAR;
        r->value = op->value;
        if (r->value != WORD_NIL && !m->opaque_b.count && is_ordered(r) && is_usual(r)) {
            m->counters.by_time++;
            esse_window_saw(m, &r->t->ops[r->op], r->entry->at[0].c.a);
            esse_certifier_read(m, r->entry, r->t, r->column, &r->entry->at[0]);
            return;
        }
        m->counters.reads_slow++;
        judge_column(m, r);
        return;
    }
    m->counters.reads_slow++;
    for (uint32_t i = 0; i < op->column_count; i++) {
        r->column = r->t->columns[op->columns + i].name;
        r->value = r->t->columns[op->columns + i].value;
        r->is_uncertain = false;
        judge_column(m, r);
    }
}

/* ---- reads after own writes ---- */

/* The value of the column after the own writes up to this one: false if they did not set it. */
static bool own_value(const struct mirror_txn *t, uint32_t own, uint32_t at, uint64_t column,
                      uint64_t *value, bool *any)
{
    *any = false;
    for (; own != MIRROR_NONE; own = t->ops[own].own) {
        const struct mirror_op *op = &t->ops[own];
        if (op->undone <= at)
            continue;
        *any = op->flags & OP_BLIND;
        *value = WORD_NIL;
        if (op->kind == ESSE_MIRROR_DELETE)
            return true;
        if (column == COLUMN_EXISTS) {
            *value = WORD_PRESENT;
            return true;
        }
        if (!(op->flags & OP_COLUMNS)) {
            *value = column == COLUMN_SCALAR ? op->value : 0;
            return true;
        }
        for (uint32_t i = 0; i < op->column_count; i++) {
            if (t->columns[op->columns + i].name == column) {
                *value = t->columns[op->columns + i].value;
                return true;
            }
        }
        if (op->kind == ESSE_MIRROR_INSERT) {
            *any = true; /* a default */
            return true;
        }
    }
    return false;
}

/* A column that the own writes left as it was: of the snapshot, or what was current at the write.
 */
static void judge_rest(struct esse_mirror *m, struct reading *r, const struct mirror_op *op)
{
    const struct esse_instant later = { r->s.b, op->at.a };
    struct reading wide = *r;
    wide.s = later;
    collect(m, &wide);
    for (size_t i = 0; i < m->candidates.count; i++)
        if (m->candidates.at[i].matches) {
            m->counters.uncertain++;
            return;
        }
    if (!wide.is_uncertain)
        unexplained(m, &wide);
}

/* If the row was deleted by another after the snapshot, the own write made a new one, and the
 * snapshot has the old one still: databases compare rows, not keys.  The new one is there in any
 * case, so that nothing is there is no explanation. */
static bool is_old_row(struct esse_mirror *m, struct reading *r, const struct mirror_op *op)
{
    const bool is_of_row = r->column == COLUMN_EXISTS || r->column == COLUMN_SCALAR;
    if (is_of_row && r->value == WORD_NIL)
        return false;
    if (r->t->row->reads != ESSE_READS_TXN || op->flags & OP_LOCKING ||
        !esse_mirror_may_be_gone(m, op->entry, r->t))
        return false;
    collect(m, r);
    for (size_t i = 0; i < m->candidates.count; i++)
        if (m->candidates.at[i].matches) {
            m->counters.uncertain++;
            return true;
        }
    return r->is_uncertain;
}

static void judge_own_column(struct esse_mirror *m, struct reading *r, const struct mirror_op *op)
{
    uint64_t value;
    bool any;
    if (!own_value(r->t, op->own, r->op, r->column, &value, &any)) {
        judge_rest(m, r, op);
    } else if (!any && value != r->value) {
        if (is_old_row(m, r, op))
            return;
        m->candidates.count = 0;
        tell(m, r, ESSE_RULE_INTERNAL, NULL);
    }
}

static void judge_own(struct esse_mirror *m, struct reading *r, const struct mirror_op *op)
{
    r->column = op->value == WORD_NIL ? COLUMN_EXISTS : COLUMN_SCALAR;
    r->value = op->value;
    if (!(op->flags & OP_COLUMNS)) {
        judge_own_column(m, r, op);
        return;
    }
    for (uint32_t i = 0; i < op->column_count; i++) {
        r->column = r->t->columns[op->columns + i].name;
        r->value = r->t->columns[op->columns + i].value;
        r->is_uncertain = false;
        judge_own_column(m, r, op);
    }
}

/* ---- all of a transaction ---- */

static bool is_judged(const struct mirror_op *op)
{
    return op->kind == ESSE_MIRROR_READ && !(op->flags & (OP_FAILED | OP_BLIND));
}

static void judge_op(struct esse_mirror *m, struct mirror_txn *t, uint32_t at)
{
    const struct mirror_op *op = &t->ops[at];
    const struct esse_profile *row = t->row;
    const bool is_locking = op->flags & OP_LOCKING;
    struct reading r = { .t = t,
                         .entry = mirror_entry_at(m, op->entry),
                         .slot = (uint32_t)(t - m->txns),
                         .op = at,
                         .s = esse_mirror_snapshot(t, op),
                         .at_snapshot = row->reads == ESSE_READS_TXN };
    if (r.s.b == INT64_MIN) {
        m->counters.reads_not_checked++; /* its BEGIN is missing */
        return;
    }
    m->counters.reads++;
    if (op->flags & OP_OWN) {
        judge_own(m, &r, op);
        return;
    }
    if (!is_locking || row->lock_sees_snapshot)
        judge_at(m, &r, op);
    if (is_locking && (row->reads == ESSE_READS_TXN || !row->lock_sees_snapshot)) {
        r.s = op->at;
        r.at_snapshot = false;
        r.is_uncertain = false;
        judge_at(m, &r, op);
    }
}

static void judge_repeats(struct esse_mirror *m, struct mirror_txn *t, uint32_t at)
{
    const struct mirror_op *op = &t->ops[at];
    for (uint32_t i = at; op->statement != MIRROR_NONE && i-- > op->statement;) {
        const struct mirror_op *other = &t->ops[i];
        if (other->entry != op->entry || other->kind != op->kind ||
            (op->flags & OP_OWN && t->row->reads == ESSE_READS_TXN &&
             esse_mirror_may_be_gone(m, op->entry, t)))
            continue;
        struct esse_finding finding = esse_mirror_finding(ESSE_MECHANISM_CR, ESSE_RULE_TWO_VERSIONS,
                                                          mirror_entry_at(m, op->entry)->key);
        finding.value = op->value;
        finding.line = op->line;
        finding.at = op->at;
        esse_mirror_finding_add(&finding, t);
        esse_mirror_tell(m, &finding);
        return;
    }
}

bool esse_mirror_judge(struct esse_mirror *m, struct mirror_txn *t)
{
    bool waits = false;
    if (t->row->reads == ESSE_READS_ANY)
        return true;
    for (uint32_t i = 0; i < t->op_count; i++) {
        struct mirror_op *op = &t->ops[i];
        if (op->flags & OP_JUDGED)
            continue;
        m->must_wait = false;
        m->held.count = 0;
        if (is_judged(op)) {
            judge_op(m, t, i);
            if (m->must_wait) {
                waits = true;
                continue;
            }
            for (size_t f = 0; f < m->held.count; f++)
                esse_mirror_tell(m, &m->held.at[f]);
            judge_repeats(m, t, i);
        }
        if (op->kind == ESSE_MIRROR_PREDICATE && !esse_mirror_missed_rows(m, t, i))
            m->counters.predicates_not_checked++;
        op->flags |= OP_JUDGED;
    }
    return !waits;
}
