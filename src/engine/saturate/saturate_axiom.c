#include "engine/saturate/saturate_axiom.h"

#include "base/checked.h"

enum { AHEAD = 8 }; /* transactions whose sources are fetched beforehand */

struct key_bits {
    uint64_t a, b;
};

/* A worker. */
struct forcing {
    enum esse_phi phi;
    const struct saturate_units *units;
    struct esse_arena *arena;      /* its own */
    struct esse_budget *budget;    /* of the calling thread; NULL otherwise */
    const struct key_bits *writes; /* by unit: of the keys that it writes */
    const uint32_t *observer;      /* by access that writes: one that read it */
    uint32_t *near;   /* by key: a read of the unit at hand, if it is one of its accesses */
    uint64_t *last;   /* by key: see last_of() */
    uint32_t session; /* at hand */
    struct saturate_forced_vec forced;
};

static void force(struct forcing *f, uint32_t from, uint32_t read)
{
    const uint32_t to = f->units->access[read].source;
    ESSE_HOT_ASSERT(from < f->units->count);
    if (from != to)
        saturate_forced_vec_push(&f->forced, f->arena, (struct saturate_forced){ from, to, read });
}

/* Does it read a version of another unit, or the initial one? */
static bool returns(struct saturate_access access)
{
    return saturate_reads(access) || access.source == SATURATE_INITIAL;
}

/* ---- what the session did last to a key ---- */

static uint32_t last_of(const struct forcing *f, uint32_t key)
{
    return f->last[key] >> 32 == f->session ? (uint32_t)f->last[key] : NO_UNIT;
}

static void set_last(struct forcing *f, uint32_t key, uint32_t unit)
{
    f->last[key] = (uint64_t)f->session << 32 | unit;
}

/* A read after a write of its own session: what it returned is not older than that. */
static void force_own(struct forcing *f, uint32_t unit)
{
    const struct saturate_units *units = f->units;
    const uint32_t first = saturate_first(units, unit), end = saturate_end(units, unit);
    for (uint32_t a = first; a < end; a++) {
        const uint32_t key = units->access[a].key;
        if (returns(units->access[a]) && last_of(f, key) != NO_UNIT)
            force(f, last_of(f, key), a);
    }
    for (uint32_t a = first; a < end; a++)
        if (units->access[a].source == SATURATE_WRITES)
            set_last(f, units->access[a].key, unit);
}

/* A read after another of its session.  What that one followed on follows from its own edge. */
static void force_seen(struct forcing *f, uint32_t access)
{
    const struct saturate_access read = f->units->access[access];
    if (!returns(read))
        return;
    if (last_of(f, read.key) != NO_UNIT)
        force(f, last_of(f, read.key), access);
    if (saturate_reads(read))
        set_last(f, read.key, read.source);
}

/* Backwards: a read before a write of its session that some unit observed.  That write comes before
 * the later ones of its session anyway. */
static void force_answered(struct forcing *f, uint32_t access)
{
    const struct saturate_access at = f->units->access[access];
    if (at.source == SATURATE_WRITES && f->observer[access] != NO_ACCESS)
        set_last(f, at.key, access);
    else if (saturate_reads(at) && last_of(f, at.key) != NO_UNIT)
        force(f, at.source, f->observer[last_of(f, at.key)]);
}

/* ---- what a unit read from another one ---- */

/* A bit for each of some keys, twice, by different parts of their hashes. */
static struct key_bits bits_of(uint32_t key)
{
    const uint32_t hash = key * UINT32_C(0x9e3779b1);
    return (struct key_bits){ UINT64_C(1) << (hash >> 26), UINT64_C(1) << (hash >> 20 & 63) };
}

static bool may_write(const struct key_bits *writes, uint32_t key)
{
    const struct key_bits bits = bits_of(key);
    return writes->a & bits.a && writes->b & bits.b;
}

/* Does the unit write the key?  O(log accesses of the key). */
static bool writes_key(const struct saturate_units *units, uint32_t unit, uint32_t key)
{
    const struct esse_by_key *by_key = &units->versions->sources->by_key;
    uint32_t at, end;
    for (esse_run_find(by_key, key, unit, &at, &end); at < end; at++)
        if (by_key->at[at].kind != ESSE_OP_READ)
            return true;
    return false;
}

/* (The index by key is not there if no unit is large.)
 *
 * Edges from the source of a read to those of the reads among [first .. end) that are in 'near' and
 * whose keys it writes too. */
static void force_from(struct forcing *f, uint32_t source, uint32_t first, uint32_t end)
{
    const struct saturate_units *units = f->units;
    const uint32_t begin = saturate_first(units, source), written = saturate_end(units, source);
    if ((written - begin) / 16 > end - first && units->versions->sources->by_key.at) {
        for (uint32_t a = first; a < end; a++)
            if (returns(units->access[a]) && f->near[units->access[a].key] == a &&
                units->access[a].source != source &&
                writes_key(units, source, units->access[a].key))
                force(f, source, a);
        return;
    }
    for (uint32_t a = begin; a < written; a++) {
        const uint32_t read = f->near[units->access[a].key];
        if (units->access[a].source == SATURATE_WRITES && read >= first && read < end)
            force(f, source, read);
    }
}

/* May the source of the read have written what the unit read elsewhere? */
static bool may_force(const struct forcing *f, uint32_t first, uint32_t end, uint32_t read)
{
    const struct saturate_access *access = f->units->access;
    if (!saturate_reads(access[read]))
        return false;
    const struct key_bits *writes = &f->writes[access[read].source];
    for (uint32_t a = first; a < end; a++)
        if (may_write(writes, access[a].key) && returns(access[a]) && a != read)
            return true;
    return false;
}

/* From the last read to the first: the nearest later read of a key.  What it returned comes before
 * what reads after it did. */
static void force_earlier(struct forcing *f, uint32_t unit)
{
    const struct saturate_units *units = f->units;
    const uint32_t first = saturate_first(units, unit), last = saturate_end(units, unit);
    for (uint32_t end = last, begin; end > first; end = begin) {
        begin = saturate_operation(units, end - 1);
        for (uint32_t a = begin; a < end; a++)
            if (may_force(f, end, last, a))
                force_from(f, units->access[a].source, end, last);
        for (uint32_t a = begin; a < end; a++)
            if (returns(units->access[a]))
                f->near[units->access[a].key] = a;
    }
}

/* If two reads of a key returned different versions, each comes before the other: one edge back
 * from the version of the last is enough of that. */
static void force_atomic(struct forcing *f, uint32_t unit)
{
    const struct saturate_units *units = f->units;
    const uint32_t first = saturate_first(units, unit), end = saturate_end(units, unit);
    for (uint32_t a = first; a < end; a++)
        if (returns(units->access[a]))
            f->near[units->access[a].key] = a;
    for (uint32_t a = first; a < end; a++) {
        const struct saturate_access read = units->access[a];
        if (may_force(f, first, end, a))
            force_from(f, read.source, first, end);
        if (returns(read) && saturate_reads(units->access[f->near[read.key]]))
            force(f, units->access[f->near[read.key]].source, a);
    }
    force_own(f, unit);
}

/* ---- session by session ---- */

static void force_unit(struct forcing *f, uint32_t unit)
{
    switch (f->phi) {
    case ESSE_PHI_READ_EARLIER:
        force_earlier(f, unit);
        break;
    case ESSE_PHI_ATOMIC:
        force_atomic(f, unit);
        break;
    case ESSE_PHI_OWN:
        force_own(f, unit);
        break;
    case ESSE_PHI_SEEN:
        force_seen(f, unit);
        break;
    case ESSE_PHI_ANSWERED:
        force_answered(f, unit);
        break;
    default:
        break; /* ESSE_PHI_WRITTEN: what it forces is session order */
    }
}

static void force_txn(struct forcing *f, uint32_t txn)
{
    const struct saturate_units *units = f->units;
    const struct esse_by_key *by_key = &units->versions->sources->by_key;
    if (!units->versions->in[txn])
        return;
    if (!units->single) {
        force_unit(f, txn);
        return;
    }
    const uint32_t first = esse_by_key_access(by_key, units->history->txn_op[txn]);
    const uint32_t end = esse_by_key_access(by_key, units->history->txn_op[txn + 1]);
    for (uint32_t i = 0; i < end - first; i++)
        force_unit(f, f->phi == ESSE_PHI_ANSWERED ? end - 1 - i : first + i);
}

/* Where the edges of a piece of the sessions are. */
struct found {
    unsigned worker;
    size_t begin, count;
};

struct forcing_all {
    struct esse_worker *workers; /* each with a struct forcing */
    struct found *found;         /* by piece */
};

/* The bits of the sources of a transaction that comes soon, fetched while others are looked at. */
static void fetch(const struct forcing *f, uint32_t txn)
{
    const struct saturate_units *units = f->units;
    for (uint32_t a = saturate_first(units, txn); a < saturate_end(units, txn); a++)
        if (saturate_reads(units->access[a]))
            __builtin_prefetch(&f->writes[units->access[a].source]);
}

static bool force_sessions(void *context, const struct esse_piece *piece)
{
    const struct forcing_all *all = context;
    struct forcing *f = all->workers[piece->worker].state;
    const struct esse_history *history = f->units->history;
    const size_t begin = f->forced.count;
    for (f->session = piece->begin; f->session < piece->end; f->session++) {
        const uint32_t first = history->session_first[f->session];
        const uint32_t count = history->session_first[f->session + 1] - first;
        const bool back = f->phi == ESSE_PHI_ANSWERED;
        for (uint32_t i = 0; i < count; i++) {
            if (f->writes && count - i > AHEAD)
                fetch(f, history->session_txn[first + i + AHEAD]);
            force_txn(f, history->session_txn[first + (back ? count - 1 - i : i)]);
            if (!esse_budget_poll(f->budget, f->session))
                return false;
        }
    }
    all->found[piece->number] = (struct found){ piece->worker, begin, f->forced.count - begin };
    return true;
}

/* In the order of the sessions, whichever thread found them.  A single one had the arena itself. */
static void gather(struct saturate_forced_vec *forced, struct esse_arena *arena,
                   const struct forcing_all *all, uint32_t pieces, unsigned threads)
{
    if (threads == 1) {
        *forced = ((struct forcing *)all->workers[0].state)->forced;
        return;
    }
    for (uint32_t i = 0; i < pieces; i++) {
        const struct forcing *f = all->workers[all->found[i].worker].state;
        saturate_forced_vec_append(forced, arena, f->forced.at + all->found[i].begin,
                                   all->found[i].count);
    }
}

/* ---- what is known of all units beforehand ---- */

static struct key_bits *find_writes(const struct saturate_units *units)
{
    struct key_bits *writes = esse_arena_array(units->arena, units->count + (size_t)1, *writes);
    for (uint32_t unit = 0; unit < units->count; unit++) {
        const uint32_t end = saturate_end(units, unit);
        struct key_bits some = { 0 };
        for (uint32_t a = saturate_first(units, unit); a < end; a++)
            if (units->access[a].source == SATURATE_WRITES) {
                const struct key_bits bits = bits_of(units->access[a].key);
                some.a |= bits.a;
                some.b |= bits.b;
            }
        writes[unit] = some;
    }
    return writes;
}

static uint32_t *find_observers(const struct saturate_units *units)
{
    uint32_t *observer = esse_arena_none(units->arena, units->accesses + (size_t)1, *observer);
    assert(units->single);
    for (uint32_t a = units->accesses; a-- > 0;)
        if (saturate_reads(units->access[a]))
            observer[units->access[a].source] = a;
    return observer;
}

bool saturate_force(enum esse_phi phi, const struct saturate_units *units,
                    struct esse_budget *budget, struct saturate_forced_vec *forced)
{
    const bool by_unit = phi == ESSE_PHI_READ_EARLIER || phi == ESSE_PHI_ATOMIC;
    const uint32_t sessions = units->history->sessions;
    const size_t keys = units->history->keys + (size_t)1;
    struct forcing_all all;
    assert(!saturate_has_clock(phi));
    assert(!saturate_asks_order(phi));
    assert(!forced->count);
    struct esse_loop loop = { .count = sessions,
                              .piece = esse_loop_piece(sessions),
                              .threads = esse_threads_for(units->threads, units->accesses),
                              .body = force_sessions,
                              .context = &all,
                              .budget = budget };
    const uint32_t pieces = esse_loop_pieces(&loop);
    struct key_bits *writes = by_unit ? find_writes(units) : NULL;
    uint32_t *observer = phi == ESSE_PHI_ANSWERED ? find_observers(units) : NULL;
    all.workers = esse_workers_new(units->arena, loop.threads, sizeof(struct forcing));
    all.found = esse_arena_alloc(units->arena, pieces + 1u, sizeof *all.found);
    for (unsigned i = 0; i < loop.threads; i++) {
        struct esse_arena *own = all.workers[i].arena;
        *(struct forcing *)all.workers[i].state =
            (struct forcing){ .phi = phi,
                              .units = units,
                              .arena = loop.threads == 1 ? units->arena : own,
                              .budget = i ? NULL : budget,
                              .writes = writes,
                              .observer = observer,
                              .near = by_unit ? esse_arena_none(own, keys, uint32_t) : NULL,
                              .last = esse_arena_none(own, keys, uint64_t) };
    }
    esse_budget_phase(budget, "looking at what each session saw", sessions);
    const bool ok = esse_loop_run(&loop);
    gather(forced, units->arena, &all, pieces, loop.threads);
    esse_workers_free(all.workers, loop.threads);
    esse_arena_drop(units->arena, writes);
    esse_arena_drop(units->arena, observer);
    return ok;
}
