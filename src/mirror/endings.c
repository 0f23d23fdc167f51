#include "mirror/mirror_state.h"

/*
 * The end of a transaction: its operations are gone through once in their order, for its instants,
 * its locks and its own writes; then the rules look at it, and what it wrote is installed.
 */

/* ---- the keys that it touches ---- */

static struct mirror_touched *touch(struct esse_mirror *m, uint32_t entry)
{
    struct mirror_entry *e = mirror_entry_at(m, entry);
    if (e->mark < m->touched.count && m->touched.at[e->mark].entry == entry)
        return &m->touched.at[e->mark];
    e->mark = (uint32_t)m->touched.count;
    const struct mirror_touched fresh = {
        .entry = entry,
        .own = MIRROR_NONE,
        .locks = { MIRROR_NONE, MIRROR_NONE, MIRROR_NONE, MIRROR_NONE, MIRROR_NONE },
        .last = MIRROR_NONE,
    };
    mirror_touched_vec_push(&m->touched, m->arena, fresh);
    return &m->touched.at[e->mark];
}

/* The lock that an operation takes: none if it failed, or touched no row. */
static unsigned lock_of(const struct esse_profile *row, const struct mirror_op *op)
{
    const bool is_write = mirror_is_write(op);
    unsigned mode = op->mode;
    if (row->locks == ESSE_LOCKS_NONE || op->flags & OP_FAILED)
        return ESSE_LOCK_NONE;
    if (is_write)
        mode = op->kind == ESSE_MIRROR_WRITE ? ESSE_LOCK_NO_KEY_UPDATE : ESSE_LOCK_UPDATE;
    else if (op->flags & OP_OLD)
        mode = ESSE_LOCK_NO_KEY_UPDATE;
    else if (mode == ESSE_LOCK_NONE && row->locks == ESSE_LOCKS_READS)
        mode = ESSE_LOCK_SHARE;
    if (row->row_lock_modes)
        return mode;
    return mode >= ESSE_LOCK_NO_KEY_UPDATE ? ESSE_LOCK_UPDATE : mode ? ESSE_LOCK_SHARE : mode;
}

/* A lock in a mode is new unless one that is as strong was taken before, and is still held. */
static void take_lock(struct mirror_txn *t, uint32_t at, struct mirror_touched *touched)
{
    struct mirror_op *op = &t->ops[at];
    if (!op->mode)
        return;
    for (unsigned stronger = op->mode; stronger <= ESSE_LOCK_UPDATE; stronger++) {
        const uint32_t held = touched->locks[stronger];
        if (held != MIRROR_NONE && t->ops[held].undone > at)
            return;
    }
    touched->locks[op->mode] = at;
    op->flags |= OP_LOCKS;
}

/* SQLite has one lock, and one order of writers, for everything. */
static void touch_database(struct esse_mirror *m, struct mirror_txn *t, uint32_t at)
{
    const struct mirror_op *op = &t->ops[at];
    struct mirror_touched *database = touch(m, esse_mirror_entry(m, MIRROR_DATABASE));
    take_lock(t, at, database);
    if (mirror_is_write(op) && !(op->flags & OP_FAILED) && op->undone == MIRROR_NONE)
        database->last = at;
}

/* ---- own writes ---- */

/* The newest own write before 'at' that had not been undone by then. */
static uint32_t own_before(const struct mirror_txn *t, uint32_t own, uint32_t at)
{
    while (own != MIRROR_NONE && t->ops[own].undone <= at)
        own = t->ops[own].own;
    return own;
}

static void go_through(struct esse_mirror *m, struct mirror_txn *t)
{
    m->touched.count = 0;
    for (uint32_t i = 0; i < t->op_count; i++) {
        struct mirror_op *op = &t->ops[i];
        if (op->entry == MIRROR_NONE)
            continue;
        op->mode = (uint8_t)lock_of(t->row, op);
        if (t->row->whole_database)
            touch_database(m, t, i);
        struct mirror_touched *touched = touch(m, op->entry);
        if (!t->row->whole_database)
            take_lock(t, i, touched);
        op->own = own_before(t, touched->own, i);
        if (!mirror_is_write(op)) {
            op->flags |= op->own != MIRROR_NONE ? OP_OWN : 0u;
        } else if (!(op->flags & OP_FAILED)) {
            touched->own = i;
            if (op->undone == MIRROR_NONE)
                touched->last = i;
            t->wrote |= op->undone == MIRROR_NONE;
        }
    }
}

/* ---- its instants ---- */

static bool is_data(const struct mirror_op *op)
{
    return op->kind >= ESSE_MIRROR_READ && op->kind <= ESSE_MIRROR_UPDATE;
}

static bool is_plain(const struct mirror_op *op)
{
    return (op->kind == ESSE_MIRROR_READ && !(op->flags & OP_LOCKING)) ||
           op->kind == ESSE_MIRROR_PREDICATE;
}

/* From the beginning of the first that may have taken it to the end of the first that surely did.
 */
static void first_op(struct mirror_txn *t, bool plain)
{
    bool has_begun = false;
    t->s = (struct esse_instant){ t->begin.b, t->c.a };
    t->s_first = 0;
    t->s_last = t->op_count; /* if it never was: some time before the end */
    for (uint32_t i = 0; i < t->op_count; i++) {
        const struct mirror_op *op = &t->ops[i];
        if (!is_data(op) || (plain && !is_plain(op)))
            continue;
        if (!has_begun) {
            t->s.b = op->at.b;
            t->s_first = i + 1;
        }
        has_begun = true;
        if (!(op->flags & OP_FAILED)) {
            t->s.a = op->at.a;
            t->s_last = i + 1;
            break;
        }
    }
}

static void set_snapshot(struct mirror_txn *t)
{
    const struct esse_profile *row = t->row;
    first_op(t, row->at == ESSE_AT_PLAIN);
    if (row->at == ESSE_AT_BEGIN && t->has_begin && !t->has_gap) {
        t->s = t->begin;
        t->s_first = t->s_last = 0;
    } else if (row->at == ESSE_AT_BEGIN || row->at == ESSE_AT_EITHER || t->has_gap) {
        t->s.b = t->has_begin ? t->begin.b : INT64_MIN;
        t->s_first = 0;
    }
}

/* ---- versions ---- */

/* The columns that its writes of the key set, the last of each; or none, if a scalar was written.
 */
static uint32_t written_columns(struct esse_mirror *m, const struct mirror_txn *t, uint32_t at,
                                unsigned *flags)
{
    const struct mirror_op *op = &t->ops[at];
    if (!(op->flags & OP_COLUMNS)) {
        *flags |= VERSION_FULL;
        return 0;
    }
    struct mirror_column columns[64];
    uint32_t count = 0;
    for (; at != MIRROR_NONE; at = own_before(t, t->ops[at].own, t->op_count)) {
        op = &t->ops[at];
        for (uint32_t i = 0; i < op->column_count; i++) {
            const struct mirror_column *column = &t->columns[op->columns + i];
            uint32_t known = 0;
            while (known < count && columns[known].name != column->name)
                known++;
            if (known == count && count < 64)
                columns[count++] = *column;
        }
        if (op->kind != ESSE_MIRROR_WRITE || !(op->flags & OP_COLUMNS)) {
            *flags |= VERSION_FULL; /* a row of its own, with what was set since */
            break;
        }
    }
    if (count == 64)
        *flags |= VERSION_OPAQUE; /* more than are worth comparing */
    return esse_mirror_columns(m, columns, count);
}

static void install(struct esse_mirror *m, uint32_t slot, const struct mirror_touched *touched)
{
    struct mirror_txn *t = &m->txns[slot];
    struct mirror_op *op = &t->ops[touched->last];
    struct mirror_entry *entry = mirror_entry_at(m, touched->entry);
    struct mirror_version version = {
        .value = op->value, .c = t->c, .txn = slot, .flags = VERSION_USED
    };
    op->flags |= OP_LAST;
    version.columns = written_columns(m, t, touched->last, &version.flags);
    if (op->kind == ESSE_MIRROR_DELETE)
        version.flags |= VERSION_DEAD | VERSION_FULL;
    if (op->flags & OP_BLIND)
        version.flags |= VERSION_OPAQUE;
    if (version.columns)
        entry->flags |= ENTRY_COLUMNS;
    if (t->is_late || t->has_gap)
        version.flags |= VERSION_OPAQUE;
    if (t->status == TXN_UNKNOWN)
        version.flags |= VERSION_PERHAPS;
    esse_window_installed(m, entry->key, version.value, mirror_is_in_windows(m, t));
    if (version.flags & (VERSION_OPAQUE | VERSION_PERHAPS))
        esse_mirror_add_odd(m, entry, &version);
    else
        esse_mirror_install(m, entry, &version);
    if (t->status == TXN_COMMITTED && entry->at[0].txn == slot && entry->at[0].c.a == t->c.a)
        esse_certifier_installed(m, entry, t);
    if (entry->at[1].flags)
        esse_mirror_trim(m, entry);
}

static void install_all(struct esse_mirror *m, uint32_t slot)
{
    for (size_t i = 0; i < m->touched.count; i++) {
        const struct mirror_touched touched = m->touched.at[i];
        if (touched.last != MIRROR_NONE)
            install(m, slot, &touched);
    }
}

/* So that it is known that somebody wrote them, whatever became of it. */
static void note_writes(struct esse_mirror *m, const struct mirror_txn *t)
{
    for (uint32_t i = 0; i < t->op_count; i++) {
        const struct mirror_op *op = &t->ops[i];
        if (!mirror_is_write(op) || op->flags & OP_BLIND)
            continue;
        const uint64_t key = mirror_entry_at(m, op->entry)->key;
        if (!(op->flags & OP_COLUMNS))
            esse_mirror_note_written(m, key, COLUMN_SCALAR, op->value);
        for (uint32_t c = 0; c < op->column_count; c++)
            esse_mirror_note_written(m, key, t->columns[op->columns + c].name,
                                     t->columns[op->columns + c].value);
    }
}

/* ---- locks that no version shows ---- */

static void leave_locks(struct esse_mirror *m, uint32_t slot)
{
    struct mirror_txn *t = &m->txns[slot];
    if (t->row->locks == ESSE_LOCKS_NONE ||
        (t->row->locks_of_committed && t->status != TXN_COMMITTED))
        return;
    for (size_t i = 0; i < m->touched.count; i++) {
        const struct mirror_touched *touched = &m->touched.at[i];
        struct mirror_entry *entry = mirror_entry_at(m, touched->entry);
        for (unsigned mode = ESSE_LOCK_KEY_SHARE; mode <= ESSE_LOCK_UPDATE; mode++) {
            if (touched->locks[mode] == MIRROR_NONE)
                continue;
            esse_mirror_add_holder(m, entry, slot, touched->locks[mode], mode);
            if (t->c.a > entry->release_max)
                entry->release_max = t->c.a;
        }
    }
}

static void set_opaque(struct esse_mirror *m, struct mirror_txn *t)
{
    if (t->status == TXN_ABORTED || !(t->has_gap || t->has_opaque || t->is_late))
        return;
    if (t->is_late && !t->has_gap && !t->has_opaque)
        return; /* its versions are opaque, nothing else is */
    struct esse_instant c = t->c;
    if (t->has_gap && t->opaque.b < c.b)
        c.b = t->opaque.b;
    if (t->has_gap && t->opaque.a > c.a)
        c.a = t->opaque.a;
    esse_i64_vec_push(&m->opaque_b, m->arena, c.b);
    esse_i64_vec_push(&m->opaque_a, m->arena, c.a);
}

static void count_end(struct esse_mirror *m, const struct mirror_txn *t)
{
    m->counters.committed += t->status == TXN_COMMITTED;
    m->counters.aborted += t->status == TXN_ABORTED;
    m->counters.unknown += t->status == TXN_UNKNOWN;
    m->counters.unverified += t->is_late;
}

/* Until when all versions must have been seen that its reads may be of, and all deletes that may
 * have made an insert of its writes. */
static int64_t ready_at(const struct mirror_txn *t)
{
    int64_t ready = INT64_MIN;
    for (uint32_t i = 0; i < t->op_count; i++) {
        const struct mirror_op *op = &t->ops[i];
        const bool is_write = t->row->fuw != ESSE_FUW_NONE && mirror_is_write(op);
        if (op->kind != ESSE_MIRROR_READ && op->kind != ESSE_MIRROR_PREDICATE && !is_write)
            continue;
        const int64_t until = is_write ? t->c.a : esse_mirror_snapshot(t, op).a;
        ready = until > ready ? until : ready;
        if (op->flags & OP_LOCKING && op->at.a > ready)
            ready = op->at.a;
    }
    return ready;
}

static void withdraw_written(struct esse_mirror *m, const struct mirror_txn *t)
{
    for (uint32_t i = 0; i < t->op_count; i++)
        if (mirror_is_write(&t->ops[i]))
            esse_mirror_withdraw(m, mirror_entry_at(m, t->ops[i].entry)->key);
}

void esse_mirror_end(struct esse_mirror *m, uint32_t slot)
{
    struct mirror_txn *t = &m->txns[slot];
    count_end(m, t);
    t->ended = ++m->endings;
    set_snapshot(t);
    go_through(m, t);
    if (t->is_late) {
        withdraw_written(m, t);
    } else {
        esse_mirror_lock_rule(m, t);
        leave_locks(m, slot);
    }
    set_opaque(m, t);
    t->certified = 0;
    if (t->status == TXN_COMMITTED && !t->is_late)
        esse_certifier_enter(m, t);
    if (t->status != TXN_ABORTED)
        install_all(m, slot);
    else
        esse_window_aborted(m, t);
    if (!m->exclusive)
        note_writes(m, t);
    if (t->status == TXN_COMMITTED && !t->is_late) {
        t->ready = ready_at(t);
        t->waits = true;
        mirror_u32_vec_push(&m->waiting, m->arena, slot);
    }
    mirror_u32_vec_push(&m->ended, m->arena, slot);
}
