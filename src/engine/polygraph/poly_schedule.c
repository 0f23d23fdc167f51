#include "engine/polygraph/poly_state.h"

#include "base/guard.h"

/*
 * A first order that breaks little: the history is run once more.  A transaction may run when what
 * is known to precede it has run, and may overwrite a key when all readers of its present version
 * have.  Of those that may, the first in the estimate goes.  If none may, one goes nevertheless:
 * with snapshots one that only takes its own, else the one that breaks the fewest reads.
 *
 * Cost: O((nodes + known edges + accesses) * log(transactions)), and O(waiting) each time that none
 * may.
 */

struct schedule {
    struct poly *poly;
    const uint32_t *rank;      /* by transaction: the estimate */
    uint32_t *next;            /* by node: what it waits for; its place when it has run */
    struct esse_csr installed; /* from transactions to the versions that they install */
    struct esse_csr read;      /* and to those that they read */
    version_id *current;       /* by key: the version that is there */
    uint32_t *pending;         /* by key: its readers that have not run */
    uint8_t *state;            /* by transaction: enum run_state */
    struct esse_u32_vec ready; /* a heap of transactions */
    struct esse_u32_vec stack; /* nodes that may run at once */
    uint32_t *waiting;         /* by key: the first transaction that waits for it, plus 1 */
    uint32_t *waits_next;      /* by transaction: the next one, plus 1 */
    uint8_t *listed;           /* by transaction: it is in such a list */
    struct esse_u32_vec stuck; /* those that wait for keys, some of them twice or no longer */
    uint32_t *place;           /* by node */
    uint32_t done;
};

enum run_state { RUN_NOT, RUN_READY, RUN_WAITS, RUN_STARTED, RUN_DONE };

/* ---- the heap ---- */

static bool is_before(const struct schedule *s, uint32_t a, uint32_t b)
{
    return s->rank[a] < s->rank[b];
}

static void push_ready(struct schedule *s, uint32_t txn)
{
    esse_u32_vec_push(&s->ready, s->poly->arena, txn);
    size_t at = s->ready.count - 1;
    for (; at && is_before(s, txn, s->ready.at[(at - 1) / 2]); at = (at - 1) / 2)
        s->ready.at[at] = s->ready.at[(at - 1) / 2];
    s->ready.at[at] = txn;
}

static uint32_t pop_ready(struct schedule *s)
{
    const uint32_t first = s->ready.at[0], moving = s->ready.at[--s->ready.count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < s->ready.count; at = child) {
        if (child + 1 < s->ready.count && is_before(s, s->ready.at[child + 1], s->ready.at[child]))
            child++;
        if (!is_before(s, s->ready.at[child], moving))
            break;
        s->ready.at[at] = s->ready.at[child];
    }
    s->ready.at[at] = moving;
    return first;
}

/* ---- running ---- */

static void release(struct schedule *s, esse_node node)
{
    const struct poly *poly = s->poly;
    s->place[node.ix] = s->done++;
    for (uint32_t e = poly->known.first[node.ix]; e < poly->known.first[node.ix + 1]; e++)
        if (--s->next[poly->known.to[e]] == 0)
            esse_u32_vec_push(&s->stack, poly->arena, poly->known.to[e]);
}

static esse_node start_of(const struct poly *poly, uint32_t txn)
{
    return (esse_node){ poly_is_doubled(poly) ? 2 * txn : txn };
}

/* Auxiliary nodes run at once; a transaction whose start or commit was held up may be tried. */
static void settle(struct schedule *s)
{
    while (s->stack.count) {
        esse_node node = { s->stack.at[--s->stack.count] };
        uint32_t txn = poly_txn(s->poly, node);
        if (txn == ESSE_NO_TXN)
            release(s, node);
        else if (node.ix == start_of(s->poly, txn).ix || s->state[txn] == RUN_STARTED)
            push_ready(s, txn);
    }
}

/* Those that wait for the key may try again. */
static void wake(struct schedule *s, uint32_t key)
{
    while (s->waiting[key]) {
        uint32_t txn = s->waiting[key] - 1;
        s->waiting[key] = s->waits_next[txn];
        s->listed[txn] = 0;
        if (s->state[txn] == RUN_DONE)
            continue;
        if (s->state[txn] == RUN_WAITS)
            s->state[txn] = RUN_READY;
        push_ready(s, txn);
    }
}

static void run_start(struct schedule *s, uint32_t txn)
{
    const uint32_t *version_key = s->poly->reads->version_key;
    s->state[txn] = RUN_STARTED;
    for (uint32_t i = s->read.first[txn]; i < s->read.first[txn + 1]; i++) {
        version_id version = { s->read.to[i] };
        uint32_t key = version_key[version.ix];
        /* One that is left may be a writer that waits only for itself. */
        if (s->current[key].ix == version.ix && --s->pending[key] < 2)
            wake(s, key);
    }
    if (poly_is_doubled(s->poly))
        release(s, (esse_node){ 2 * txn });
}

static void run_commit(struct schedule *s, uint32_t txn)
{
    const struct poly_reads *reads = s->poly->reads;
    s->state[txn] = RUN_DONE;
    for (uint32_t i = s->installed.first[txn]; i < s->installed.first[txn + 1]; i++) {
        version_id version = { s->installed.to[i] };
        uint32_t key = reads->version_key[version.ix];
        s->current[key] = version;
        s->pending[key] = reads->reader_first[version.ix + 1] - reads->reader_first[version.ix];
        if (s->pending[key] < 2)
            wake(s, key);
    }
    release(s, poly_commit(s->poly, txn));
}

/* ---- those that may ---- */

static bool reads_current(const struct schedule *s, uint32_t txn, uint32_t key)
{
    for (uint32_t i = s->read.first[txn]; i < s->read.first[txn + 1]; i++)
        if (s->read.to[i] == s->current[key].ix)
            return true;
    return false;
}

/* The readers that would be passed over by what the transaction writes to the key of 'version'. */
static uint32_t count_passed(const struct schedule *s, uint32_t txn, version_id version)
{
    const uint32_t key = s->poly->reads->version_key[version.ix];
    uint32_t pending = s->pending[key];
    if (pending && s->state[txn] != RUN_STARTED && reads_current(s, txn, key))
        pending--;
    return pending;
}

/* A key that keeps the transaction from committing, or ESSE_NO_KEY. */
static uint32_t blocking_key(const struct schedule *s, uint32_t txn)
{
    for (uint32_t i = s->installed.first[txn]; i < s->installed.first[txn + 1]; i++)
        if (count_passed(s, txn, (version_id){ s->installed.to[i] }))
            return s->poly->reads->version_key[s->installed.to[i]];
    return ESSE_NO_KEY;
}

/* Has everything run that is known to precede its commit, but its own start? */
static bool may_commit(const struct schedule *s, uint32_t txn)
{
    return !poly_is_doubled(s->poly) || s->next[2 * txn + 1] <= (s->state[txn] != RUN_STARTED);
}

static void run(struct schedule *s, uint32_t txn)
{
    if (s->state[txn] != RUN_STARTED)
        run_start(s, txn);
    run_commit(s, txn);
    settle(s);
}

static void try_run(struct schedule *s, uint32_t txn)
{
    if (s->state[txn] == RUN_DONE || s->state[txn] == RUN_WAITS)
        return;
    uint32_t key = blocking_key(s, txn);
    if (key == ESSE_NO_KEY && may_commit(s, txn)) {
        run(s, txn);
        return;
    }
    if (s->state[txn] != RUN_STARTED)
        s->state[txn] = RUN_WAITS;
    esse_u32_vec_push(&s->stuck, s->poly->arena, txn);
    if (key != ESSE_NO_KEY && !s->listed[txn]) {
        s->listed[txn] = 1;
        s->waits_next[txn] = s->waiting[key];
        s->waiting[key] = txn + 1;
    }
}

/* ---- none may ---- */

static uint64_t cost_of(const struct schedule *s, uint32_t txn)
{
    uint64_t cost = 0;
    for (uint32_t i = s->installed.first[txn]; i < s->installed.first[txn + 1]; i++)
        cost += count_passed(s, txn, (version_id){ s->installed.to[i] });
    return cost << 32 | s->rank[txn];
}

/* The one of those that wait that costs least; the others stay. */
static uint32_t pick(struct schedule *s, bool to_start)
{
    uint32_t best = ESSE_NO_TXN;
    uint64_t least = UINT64_MAX;
    size_t kept = 0;
    for (size_t i = 0; i < s->stuck.count; i++) {
        uint32_t txn = s->stuck.at[i];
        if (s->state[txn] != RUN_WAITS && s->state[txn] != RUN_STARTED)
            continue;
        s->stuck.at[kept++] = txn;
        if (to_start ? s->state[txn] != RUN_WAITS : !may_commit(s, txn))
            continue;
        uint64_t cost = to_start ? s->rank[txn] : cost_of(s, txn);
        if (cost < least) {
            least = cost;
            best = txn;
        }
    }
    s->stuck.count = kept;
    return best;
}

static bool force(struct schedule *s)
{
    esse_guard_poll();
    uint32_t txn = poly_is_doubled(s->poly) ? pick(s, true) : ESSE_NO_TXN;
    if (txn != ESSE_NO_TXN) {
        run_start(s, txn);
        settle(s);
        push_ready(s, txn);
        return true;
    }
    txn = pick(s, false);
    if (txn != ESSE_NO_TXN)
        run(s, txn);
    s->poly->waited += txn != ESSE_NO_TXN;
    return txn != ESSE_NO_TXN;
}

/* ---- all ---- */

static void prepare(struct schedule *s, struct esse_arena *arena)
{
    const struct poly *poly = s->poly;
    const struct esse_history *history = poly->versions->history;
    const size_t txns = history->txns + (size_t)1, keys = history->keys + (size_t)1;
    poly_group_versions(poly, arena, &s->installed, &s->read);
    s->next = esse_arena_alloc(arena, poly->nodes + (size_t)1, sizeof *s->next);
    for (uint32_t e = 0; e < esse_csr_edges(&poly->known); e++)
        s->next[poly->known.to[e]]++;
    s->current = esse_arena_alloc(arena, keys, sizeof *s->current);
    s->pending = esse_arena_alloc(arena, keys, sizeof *s->pending);
    for (uint32_t key = 0; key < history->keys; key++) {
        version_id version = s->current[key] = poly->versions->first[key];
        s->pending[key] =
            poly->reads->reader_first[version.ix + 1] - poly->reads->reader_first[version.ix];
    }
    s->state = esse_arena_alloc(arena, txns, sizeof *s->state);
    s->waiting = esse_arena_alloc(arena, keys, sizeof *s->waiting);
    s->waits_next = esse_arena_alloc(arena, txns, sizeof *s->waits_next);
    s->listed = esse_arena_alloc(arena, txns, sizeof *s->listed);
}

void poly_schedule(struct poly *poly, const uint32_t *rank, uint32_t *place)
{
    struct schedule s = { .poly = poly, .rank = rank, .place = place };
    struct esse_arena *arena = esse_arena_new();
    prepare(&s, arena);
    for (esse_node node = { 0 }; node.ix < poly->nodes; node.ix++) {
        place[node.ix] = UINT32_MAX;
        uint32_t txn = poly_txn(poly, node);
        if (s.next[node.ix] == 0 && (txn == ESSE_NO_TXN || node.ix == start_of(poly, txn).ix))
            esse_u32_vec_push(&s.stack, poly->arena, node.ix);
    }
    settle(&s);
    do
        while (s.ready.count)
            try_run(&s, pop_ready(&s));
    while (force(&s));
    esse_u32_vec_drop(&s.ready, poly->arena);
    esse_u32_vec_drop(&s.stack, poly->arena);
    esse_u32_vec_drop(&s.stuck, poly->arena);
    esse_arena_free(arena);
}
