#include "base/guard.h"
#include "engine/polygraph/poly_layout.h"

/*
 * Reads that may be of several versions, of which a rank that is nearly right leaves few.  Every
 * transaction has a margin, by which its rank may be wrong; of two transactions the wider one
 * counts.  A version that the rank has later than the reader by more than that, or overwritten by
 * one that certainly came between, is supposed not to be the one.
 */
struct supposing {
    struct poly_reads *to;
    const struct poly_reads *from;
    struct esse_arena *arena;
    const uint32_t *rank;
    const uint32_t *margin;  /* by transaction */
    uint32_t key;            /* whose versions 'ranks' has */
    struct esse_pair *ranks; /* of the writers of its versions, ascending; no initial one */
    uint32_t count;
    struct esse_pair_vec readers; /* versions, and accesses that are supposed to read them */
};

static void rank_versions(struct supposing *s, uint32_t key)
{
    const struct versions *versions = s->from->versions;
    const uint32_t first = versions->first[key].ix + 1;
    s->key = key;
    s->count = versions->first[key + 1].ix - first;
    for (uint32_t i = 0; i < s->count; i++)
        s->ranks[i] =
            (struct esse_pair){ s->rank[version_txn(versions, (version_id){ first + i })], i };
    esse_radix_sort(s->ranks, s->count, s->arena);
}

/* Certainly the first of these two came before the second. */
static bool is_before(const struct supposing *s, uint32_t first, uint32_t second)
{
    const uint32_t margin =
        s->margin[first] > s->margin[second] ? s->margin[first] : s->margin[second];
    return s->rank[first] + (uint64_t)margin < s->rank[second];
}

/* The newest version of the key that certainly was there before the reader: its writer. */
static uint32_t surely_there(const struct supposing *s, uint32_t reader)
{
    const uint32_t first = s->from->versions->first[s->key].ix + 1;
    uint32_t low = 0, high = s->count;
    ESSE_BISECT(low, high, middle, s->ranks[middle].key < s->rank[reader]);
    for (; low > 0; low--) {
        const uint32_t writer =
            version_txn(s->from->versions, (version_id){ first + s->ranks[low - 1].id });
        if (is_before(s, writer, reader))
            return writer;
    }
    return ESSE_NO_TXN;
}

static bool is_near(const struct supposing *s, const struct poly_open *open, version_id source,
                    uint32_t there)
{
    const uint32_t writer = version_txn(s->from->versions, source);
    if (writer == ESSE_NO_TXN)
        return there == ESSE_NO_TXN;
    return !is_before(s, open->txn, writer) &&
           (there == ESSE_NO_TXN || !is_before(s, writer, there));
}

/* The access that the open read is; none for a row that a predicate left out. */
static key_access_id access_of(const struct versions *versions, const struct poly_open *open)
{
    const struct esse_by_key *by_key = &versions->sources->by_key;
    key_access_id at, end;
    esse_run_find(by_key, open->key, open->txn, &at.ix, &end.ix);
    for (; at.ix < end.ix; at.ix++)
        if (by_key->at[at.ix].kind == ESSE_OP_READ &&
            esse_by_key_op(by_key, by_key->at[at.ix].access) == open->op)
            return at;
    return (key_access_id){ ESSE_NO_KEY_ACCESS };
}

/* It reads that version: a reader like any other.  One of a transaction is enough. */
static void add_reader(struct supposing *s, const struct poly_open *open, key_access_id at,
                       uint32_t version)
{
    const struct versions *versions = s->from->versions;
    const struct esse_pair *last = s->readers.count ? &s->readers.at[s->readers.count - 1] : NULL;
    if (!last || last->key != version ||
        versions_key_access(versions, (key_access_id){ last->id })->txn != open->txn)
        esse_pair_vec_push(&s->readers, s->arena, (struct esse_pair){ version, at.ix });
}

static void keep_open(struct supposing *s, const struct poly_open *open, uint32_t first)
{
    struct poly_open kept = *open;
    kept.first = first;
    kept.count = (uint32_t)s->to->sources.count - first;
    poly_open_vec_push(&s->to->open, s->arena, kept);
}

/* All of them, if none is near: then it is the rank that is wrong here. */
static void keep_sources(struct supposing *s, const struct poly_open *open)
{
    const uint32_t *sources = s->from->sources.at + open->first;
    const size_t first = s->to->sources.count;
    const uint32_t there = surely_there(s, open->txn);
    for (uint32_t i = 0; i < open->count; i++)
        if (is_near(s, open, (version_id){ sources[i] }, there))
            esse_u32_vec_push(&s->to->sources, s->arena, sources[i]);
    for (uint32_t i = 0; s->to->sources.count == first && i < open->count; i++)
        esse_u32_vec_push(&s->to->sources, s->arena, sources[i]);
}

static void suppose(struct supposing *s, const struct poly_open *open)
{
    const uint32_t first = (uint32_t)s->to->sources.count;
    const key_access_id at = access_of(s->from->versions, open);
    if (open->key != s->key)
        rank_versions(s, open->key);
    keep_sources(s, open);
    if (open->predicate || open->optional || s->to->sources.count != (size_t)first + 1 ||
        at.ix == ESSE_NO_KEY_ACCESS) {
        keep_open(s, open, first);
    } else {
        add_reader(s, open, at, s->to->sources.at[first]);
        s->to->sources.count = first;
    }
}

/* Those that are known, then those that are supposed. */
static void join_readers(struct supposing *s)
{
    const struct poly_reads *from = s->from;
    const uint32_t versions = from->versions->count;
    uint32_t *more = esse_arena_zeros(s->arena, versions + (size_t)1, *more);
    for (size_t i = 0; i < s->readers.count; i++)
        more[s->readers.at[i].key]++;
    s->to->reader_first = esse_arena_array(s->arena, versions + (size_t)2, uint32_t);
    s->to->reader = esse_arena_array(s->arena, from->reader_first[versions] + s->readers.count + 1,
                                     *s->to->reader);
    uint32_t to = 0;
    for (uint32_t v = 0; v < versions; v++) {
        s->to->reader_first[v] = to;
        for (uint32_t i = from->reader_first[v]; i < from->reader_first[v + 1]; i++)
            s->to->reader[to++] = from->reader[i];
        to += more[v];
        more[v] = to - more[v];
    }
    s->to->reader_first[versions] = s->to->reader_first[versions + 1] = to;
    for (size_t i = 0; i < s->readers.count; i++)
        s->to->reader[more[s->readers.at[i].key]++].ix = s->readers.at[i].id;
}

struct poly_reads poly_reads_suppose(const struct poly_reads *reads, struct esse_arena *arena,
                                     const uint32_t *rank, const uint32_t *margin)
{
    struct poly_reads supposed = *reads;
    struct supposing s = { .to = &supposed,
                           .from = reads,
                           .arena = arena,
                           .rank = rank,
                           .margin = margin,
                           .key = ESSE_NO_KEY };
    supposed.open = (struct poly_open_vec){ 0 };
    supposed.sources = (struct esse_u32_vec){ 0 };
    supposed.is_supposed = true;
    s.ranks = esse_arena_array(arena, reads->versions->count + (size_t)1, *s.ranks);
    for (size_t i = 0; i < reads->open.count; i++) {
        suppose(&s, &reads->open.at[i]);
        esse_guard_poll();
    }
    join_readers(&s);
    ESSE_SEAM(poly_reads_valid(&supposed));
    return supposed;
}

/* ---- what was supposed wrongly ---- */

static void note_txn(const struct poly *poly, esse_node node, uint8_t *noted)
{
    const uint32_t txn = poly_txn(poly, node);
    if (txn != ESSE_NO_TXN)
        noted[poly->layout->rank[txn]] = 1;
}

/* Of all, if the refutation rests on what pruning inferred: that does not say by which reads. */
void poly_widen(const struct poly *poly, uint32_t *margin)
{
    const uint32_t txns = poly->versions->history->txns;
    const uint32_t *rank = poly->layout->rank;
    uint8_t *noted = esse_arena_alloc(poly->arena, txns + (size_t)1, sizeof *noted);
    for (size_t c = 0; c < poly->proof.clauses.count; c++) {
        const struct poly_clause *clause = &poly->proof.clauses.at[c];
        for (uint32_t i = 0; i < clause->edge_count; i++) {
            note_txn(poly, (esse_node){ poly->proof.edges.at[clause->edges + i].from }, noted);
            note_txn(poly, (esse_node){ poly->proof.edges.at[clause->edges + i].to }, noted);
        }
    }
    uint32_t *near = esse_arena_zeros(poly->arena, txns + (size_t)2, *near); /* by rank: how many */
    for (uint32_t i = 0; i < txns; i++)
        near[i + 1] = near[i] + noted[i];
    for (uint32_t txn = 0; txn < txns; txn++) {
        const uint32_t reach = margin[txn] / 2, at = rank[txn];
        const uint32_t low = at > reach ? at - reach : 0;
        const uint32_t high = txns - at > reach ? at + reach + 1 : txns;
        if (margin[txn] < txns && (poly->inferred.count || near[high] > near[low]))
            margin[txn] *= 2;
    }
}
