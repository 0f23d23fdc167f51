#include "engine/polygraph/poly_cycle.h"

/*
 * Levels that forbid cycles with at most one rw.  The graph has no rw; when it has an order, every
 * read r of a version a whose next version b has an earlier place is tried: a path from b to r is a
 * cycle with the one rw r -> b.  The path goes by what is known, by the sources of open reads, and
 * from version to next version of each key in the order at hand.
 */

enum hop_kind { HOP_KNOWN, HOP_NEXT, HOP_SOURCE };

/* How a search came to a transaction: from another, by a version of it and its successor, or by an
 * open read of a version of it. */
struct hop {
    uint32_t search, from, kind, what;
};

struct poly_single {
    struct esse_csr installed; /* from transactions to their versions */
    struct esse_csr read;      /* and to those that they read */
    struct esse_csr opens;     /* from versions to the choices of open reads that are of them */
    struct hop *hops;          /* by node */
    struct esse_u32_vec queue;
    uint32_t searches;
};

/* From versions to the choices of open reads that may be of them. */
static void group_opens(struct poly *poly, struct poly_single *s)
{
    esse_csr_init(&s->opens, poly->arena, poly->versions->count);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t c = 0; c < poly->choices.count; c++) {
            if (poly->choices.at[c].kind != POLY_SOURCE)
                continue;
            pass ? esse_csr_add(&s->opens, poly->choices.at[c].b, c)
                 : esse_csr_count(&s->opens, poly->choices.at[c].b);
        }
        pass ? esse_csr_finish(&s->opens) : esse_csr_start(&s->opens);
    }
}

static void prepare(struct poly *poly)
{
    struct poly_single *s = esse_arena_alloc(poly->arena, 1, sizeof *s);
    poly_group_versions(poly, poly->arena, &s->installed, &s->read);
    group_opens(poly, s);
    s->hops = esse_arena_alloc(poly->arena, poly->nodes + (size_t)1, sizeof *s->hops);
    poly->single = s;
}

/* ---- the search ---- */

static void hop_to(struct poly *poly, uint32_t to, struct hop hop, uint32_t last_place)
{
    struct poly_single *s = poly->single;
    if (s->hops[to].search == s->searches || esse_acyclic_position(poly->acyclic, to) > last_place)
        return;
    s->hops[to] = hop;
    esse_u32_vec_push(&s->queue, poly->arena, to);
}

static void hop_from(struct poly *poly, uint32_t txn, uint32_t last_place)
{
    struct poly_single *s = poly->single;
    for (uint32_t e = poly->known.first[txn]; e < poly->known.first[txn + 1]; e++)
        hop_to(poly, poly->known.to[e], (struct hop){ s->searches, txn, HOP_KNOWN, 0 }, last_place);
    if (poly_txn(poly, (esse_node){ txn }) == ESSE_NO_TXN)
        return; /* a time node */
    for (uint32_t i = s->installed.first[txn]; i < s->installed.first[txn + 1]; i++) {
        const version_id version = { s->installed.to[i] };
        version_id next = poly_next_version(poly, poly->reads->version_key[version.ix], version);
        if (next.ix != NO_VERSION)
            hop_to(poly, version_txn(poly->versions, next),
                   (struct hop){ s->searches, txn, HOP_NEXT, version.ix }, last_place);
        for (uint32_t o = s->opens.first[version.ix]; o < s->opens.first[version.ix + 1]; o++) {
            const uint32_t choice = s->opens.to[o];
            if (esse_solver_value(poly->solver, esse_lit_of(choice, false)))
                hop_to(poly, poly->reads->open.at[poly->choices.at[choice].a].txn,
                       (struct hop){ s->searches, txn, HOP_SOURCE, choice }, last_place);
        }
    }
}

static bool find_path(struct poly *poly, uint32_t from, uint32_t to)
{
    struct poly_single *s = poly->single;
    const uint32_t last_place = esse_acyclic_position(poly->acyclic, to);
    s->searches++;
    s->queue.count = 0;
    hop_to(poly, from, (struct hop){ s->searches, ESSE_NO_TXN, HOP_KNOWN, 0 }, last_place);
    for (size_t i = 0; i < s->queue.count && s->hops[to].search != s->searches; i++)
        hop_from(poly, s->queue.at[i], last_place);
    esse_solver_spend(poly->solver, s->queue.count);
    return s->hops[to].search == s->searches;
}

/* ---- the clause ---- */

/* From the reader back to the writer of what it missed. */
static void walk_back(struct poly *poly, struct poly_cycle *cycle, uint32_t reader)
{
    struct poly_single *s = poly->single;
    for (uint32_t at = reader; s->hops[at].from != ESSE_NO_TXN; at = s->hops[at].from) {
        const struct hop *hop = &s->hops[at];
        esse_lit guard = ESSE_LIT_NONE;
        if (hop->kind == HOP_NEXT) {
            uint32_t key = poly->reads->version_key[hop->what];
            guard = poly_cycle_order(poly, cycle, (version_id){ hop->what },
                                     poly_next_version(poly, key, (version_id){ hop->what }));
        } else if (hop->kind == HOP_SOURCE) {
            guard = esse_lit_of(hop->what, false);
            poly_cycle_rest(poly, cycle, guard);
        }
        poly_cycle_edge(poly, cycle, hop->from, at, guard);
    }
}

static void turn(struct poly_edge_vec *edges)
{
    for (size_t i = 0, j = edges->count; i + 1 < j; i++) {
        struct esse_guarded_edge held = edges->at[i];
        edges->at[i] = edges->at[--j];
        edges->at[j] = held;
    }
}

/* Does the read of 'version', by the source 'choice' or certainly, miss what it depends on? */
static bool try_read(struct poly *poly, uint32_t key, version_id version, uint32_t reader,
                     esse_lit choice)
{
    version_id next = poly_next_version(poly, key, version);
    if (next.ix == NO_VERSION)
        return false;
    uint32_t writer = version_txn(poly->versions, next);
    if (writer == reader ||
        esse_acyclic_position(poly->acyclic, writer) >
            esse_acyclic_position(poly->acyclic, reader) ||
        !find_path(poly, writer, reader))
        return false;
    struct poly_cycle cycle = { 0 };
    walk_back(poly, &cycle, reader);
    turn(&cycle.edges);
    poly_cycle_edge(poly, &cycle, reader, writer, poly_cycle_order(poly, &cycle, version, next));
    poly_cycle_rest(poly, &cycle, choice);
    poly_cycle_close(poly, &cycle);
    return true;
}

/* ---- all reads ---- */

static uint32_t try_key(struct poly *poly, uint32_t key)
{
    const struct versions *versions = poly->versions;
    const struct poly_reads *reads = poly->reads;
    uint32_t found = 0;
    for (version_id v = versions->first[key]; v.ix < versions->first[key + 1].ix; v.ix++)
        for (uint32_t i = reads->reader_first[v.ix]; i < reads->reader_first[v.ix + 1]; i++)
            found += try_read(poly, key, v, versions_key_access(versions, reads->reader[i])->txn,
                              ESSE_LIT_NONE);
    return found;
}

static uint32_t try_open(struct poly *poly, const struct poly_open *open)
{
    const esse_lit lit = poly_chosen(poly, open);
    return try_read(poly, open->key, (version_id){ poly->choices.at[esse_lit_var(lit)].b },
                    open->txn, lit);
}

bool poly_find_single(struct poly *poly)
{
    const uint32_t keys = poly->versions->history->keys;
    uint32_t found = 0;
    poly->rounds++;
    if (!poly->single)
        prepare(poly);
    for (uint32_t key = 0; key < keys; key++)
        poly_sort_versions(poly, key);
    for (uint32_t key = 0; key < keys && found < POLY_CYCLES_MOST; key++)
        found += try_key(poly, key);
    for (size_t i = 0; i < poly->reads->open.count && found < POLY_CYCLES_MOST; i++)
        found += try_open(poly, &poly->reads->open.at[i]);
    return found > 0;
}
