#include "base/guard.h"
#include "engine/polygraph/poly_cycle.h"

/*
 * Levels that forbid cycles of one rw and otherwise only reads-from and session order: causal, and
 * read-atomic, where one step leads back.  The graph has no rw; when it has an order, the past of
 * every reader is searched for writers of a version after the one that it read.  Not only the next
 * version counts: the writer of a later one may be in the past when that of the next one is not.
 */

/* How a search came to a transaction: by a step from it to 'to'. */
struct step {
    uint32_t search, to;
    esse_lit guard;
};

/* The earliest version of a key that the reader at hand read, and the source by which it did. */
struct seen {
    uint32_t search;
    version_id version;
    esse_lit choice;
};

struct poly_past {
    struct esse_csr installed; /* from transactions to their versions */
    struct esse_csr read;      /* to those that they certainly read */
    struct esse_csr opens;     /* and to their open reads */
    uint32_t *before;          /* by transaction: the one before it in its session, or NO_TXN */
    struct step *steps;        /* by transaction */
    struct seen *seen;         /* by key */
    struct esse_u32_vec queue;
    uint32_t searches;
    uint32_t reader, floor; /* of the search: the reader, and the first place that matters */
    uint32_t found;
};

static void group_opens(struct poly *poly, struct poly_past *p)
{
    const struct poly_open_vec *open = &poly->reads->open;
    esse_csr_init(&p->opens, poly->arena, poly->versions->history->txns);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t o = 0; o < open->count; o++)
            pass ? esse_csr_add(&p->opens, open->at[o].txn, o)
                 : esse_csr_count(&p->opens, open->at[o].txn);
        pass ? esse_csr_finish(&p->opens) : esse_csr_start(&p->opens);
    }
}

static void find_before(struct poly *poly, struct poly_past *p)
{
    const struct esse_history *history = poly->versions->history;
    p->before = esse_arena_alloc(poly->arena, history->txns + (size_t)1, sizeof *p->before);
    for (uint32_t s = 0; s < history->sessions; s++) {
        uint32_t before = ESSE_NO_TXN;
        for (uint32_t at = history->session_first[s]; at < history->session_first[s + 1]; at++) {
            const uint32_t txn = history->session_txn[at];
            p->before[txn] = before;
            before = poly->versions->in[txn] ? txn : before;
        }
    }
}

static void prepare(struct poly *poly)
{
    const struct esse_history *history = poly->versions->history;
    struct poly_past *p = esse_arena_alloc(poly->arena, 1, sizeof *p);
    poly_group_versions(poly, poly->arena, &p->installed, &p->read);
    group_opens(poly, p);
    find_before(poly, p);
    p->steps = esse_arena_alloc(poly->arena, history->txns + (size_t)1, sizeof *p->steps);
    p->seen = esse_arena_alloc(poly->arena, history->keys + (size_t)1, sizeof *p->seen);
    poly->past = p;
}

/* ---- what the reader read ---- */

/* Lowers the floor to the writer of the next version, if that comes before the reader. */
static void see(struct poly *poly, version_id version, esse_lit choice)
{
    struct poly_past *p = poly->past;
    const uint32_t key = poly->reads->version_key[version.ix];
    struct seen *seen = &p->seen[key];
    if (seen->search != p->searches ||
        poly_version_place(poly, version) < poly_version_place(poly, seen->version))
        *seen = (struct seen){ p->searches, version, choice };
    const version_id next = poly_next_version(poly, key, version);
    if (next.ix == NO_VERSION)
        return;
    const uint32_t place = esse_acyclic_position(poly->acyclic, version_txn(poly->versions, next));
    p->floor = place < p->floor ? place : p->floor;
}

static version_id source_of(const struct poly *poly, esse_lit choice)
{
    return (version_id){ poly->choices.at[esse_lit_var(choice)].b };
}

static void see_all(struct poly *poly)
{
    const struct poly_past *p = poly->past;
    for (uint32_t i = p->read.first[p->reader]; i < p->read.first[p->reader + 1]; i++)
        see(poly, (version_id){ p->read.to[i] }, ESSE_LIT_NONE);
    for (uint32_t i = p->opens.first[p->reader]; i < p->opens.first[p->reader + 1]; i++) {
        const esse_lit choice = poly_chosen(poly, &poly->reads->open.at[p->opens.to[i]]);
        see(poly, source_of(poly, choice), choice);
    }
}

/* ---- its past ---- */

/* The reader saw what is before 'version', whose writer is in its past. */
static void give_cycle(struct poly *poly, const struct seen *seen, version_id version)
{
    struct poly_past *p = poly->past;
    struct poly_cycle cycle = { 0 };
    const uint32_t writer = version_txn(poly->versions, version);
    for (uint32_t at = writer; at != p->reader; at = p->steps[at].to) {
        poly_cycle_edge(poly, &cycle, at, p->steps[at].to, p->steps[at].guard);
        poly_cycle_rest(poly, &cycle, p->steps[at].guard);
    }
    poly_cycle_edge(poly, &cycle, p->reader, writer,
                    poly_cycle_order(poly, &cycle, seen->version, version));
    poly_cycle_rest(poly, &cycle, seen->choice);
    poly_cycle_close(poly, &cycle);
    p->found++;
}

static void try_writer(struct poly *poly, uint32_t writer)
{
    const struct poly_past *p = poly->past;
    for (uint32_t i = p->installed.first[writer];
         p->found < POLY_CYCLES_MOST && i < p->installed.first[writer + 1]; i++) {
        const version_id version = { p->installed.to[i] };
        const struct seen *seen = &p->seen[poly->reads->version_key[version.ix]];
        if (seen->search == p->searches && version_txn(poly->versions, seen->version) != writer &&
            poly_version_place(poly, seen->version) < poly_version_place(poly, version))
            give_cycle(poly, seen, version);
    }
}

static void step_from(struct poly *poly, uint32_t from, uint32_t to, esse_lit guard)
{
    struct poly_past *p = poly->past;
    if (from == ESSE_NO_TXN || p->steps[from].search == p->searches ||
        esse_acyclic_position(poly->acyclic, from) < p->floor)
        return;
    p->steps[from] = (struct step){ p->searches, to, guard };
    esse_u32_vec_push(&p->queue, poly->arena, from);
    try_writer(poly, from);
}

/* Session order is transitive: where there is but one step, it may lead over several. */
static void step_back(struct poly *poly, uint32_t to)
{
    const struct poly_past *p = poly->past;
    const bool one = poly->level->cycle == ESSE_CYCLE_RW_AND_ONE_READ;
    for (uint32_t i = p->read.first[to]; i < p->read.first[to + 1]; i++)
        step_from(poly, version_txn(poly->versions, (version_id){ p->read.to[i] }), to,
                  ESSE_LIT_NONE);
    for (uint32_t i = p->opens.first[to]; i < p->opens.first[to + 1]; i++) {
        const esse_lit choice = poly_chosen(poly, &poly->reads->open.at[p->opens.to[i]]);
        step_from(poly, version_txn(poly->versions, source_of(poly, choice)), to, choice);
    }
    for (uint32_t earlier = p->before[to];
         earlier != ESSE_NO_TXN && esse_acyclic_position(poly->acyclic, earlier) >= p->floor;
         earlier = one ? p->before[earlier] : ESSE_NO_TXN)
        step_from(poly, earlier, to, ESSE_LIT_NONE);
}

static void search(struct poly *poly, uint32_t reader)
{
    struct poly_past *p = poly->past;
    esse_guard_poll();
    p->searches++;
    p->queue.count = 0;
    p->reader = reader;
    p->floor = UINT32_MAX;
    see_all(poly);
    if (p->floor >= esse_acyclic_position(poly->acyclic, reader))
        return;
    step_back(poly, reader);
    for (size_t i = 0; poly->level->cycle == ESSE_CYCLE_RW_AND_READS && i < p->queue.count; i++)
        step_back(poly, p->queue.at[i]);
    esse_solver_spend(poly->solver, p->queue.count);
}

bool poly_find_past(struct poly *poly)
{
    const struct esse_history *history = poly->versions->history;
    poly->rounds++;
    if (!poly->past)
        prepare(poly);
    for (uint32_t key = 0; key < history->keys; key++)
        poly_sort_versions(poly, key);
    poly->past->found = 0;
    for (uint32_t txn = 0; txn < history->txns && poly->past->found < POLY_CYCLES_MOST; txn++)
        if (poly->versions->in[txn])
            search(poly, txn);
    return poly->past->found > 0;
}
