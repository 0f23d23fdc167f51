#include "engine/polygraph/poly_layout.h"

#include "base/guard.h"

#include <math.h>
#include <string.h>

/*
 * By least squares: a read is a spring between the transaction that wrote its version and the
 * reader, as long as a version of its key is old on average when it is read; two neighbours in a
 * session are another.  Short springs are stiff.  Conjugate gradients find where all of them have
 * the least tension.  They need not converge: what they leave are errors that change slowly along
 * the line, which does not change the order of neighbours.
 */
enum {
    ITERATIONS = 300,
    ROUNDS = 4,      /* with open reads, of which each is supposed to be of the newest version */
    FEW_SHARE = 50,  /* one read in so many may contradict an order that was recorded */
    OPEN_SHARE = 10, /* values repeat if more than one read in so many is open */
};

/* Of a direction's curvature to its gradient.  On a line of a million springs it is 1e-12. */
static const double FLAT = 1e-18;

struct spring {
    uint32_t from, to; /* transactions, or the origin */
    float length, stiffness;
};
ESSE_VEC(spring_vec, struct spring)

struct laying {
    const struct poly_reads *reads;
    const struct versions *versions;
    struct esse_arena *arena;
    uint32_t origin; /* a node that does not move: the initial versions */
    double *at;      /* by node */
    struct spring_vec springs;
    double *residual, *direction, *product, *diagonal; /* of the gradients, by node */
};

/* ---- ranks ---- */

/* Reads of a transaction that comes later; NULL: in the order of recording. */
static uint64_t count_backward(const struct poly_reads *reads, const uint32_t *rank)
{
    const struct versions *versions = reads->versions;
    uint64_t count = 0;
    for (version_id v = { 0 }; v.ix < versions->count; v.ix++) {
        const uint32_t writer = version_txn(versions, v);
        for (uint32_t i = reads->reader_first[v.ix];
             writer != ESSE_NO_TXN && i < reads->reader_first[v.ix + 1]; i++) {
            const uint32_t reader = versions_key_access(versions, reads->reader[i])->txn;
            count += rank ? rank[writer] > rank[reader] : writer > reader;
        }
    }
    return count;
}

static void rank_by_pairs(uint32_t *rank, struct esse_pair *pairs, uint32_t count,
                          struct esse_arena *arena)
{
    esse_radix_sort(pairs, count, arena);
    for (uint32_t i = 0; i < count; i++)
        rank[pairs[i].id] = i;
}

/* The sessions side by side, as if all had run from the beginning to the end. */
static uint64_t place_in_session(const struct esse_history *history, uint32_t txn)
{
    const uint32_t *first = &history->session_first[history->txn_session[txn]];
    return ((uint64_t)esse_history_position(history, (esse_txn){ txn }) << 32) /
           (first[1] - first[0]);
}

static void rank_by_time(uint32_t *rank, const struct esse_history *history,
                         struct esse_pair *pairs, struct esse_arena *arena)
{
    for (uint32_t txn = 0; txn < history->txns; txn++)
        pairs[txn] = (struct esse_pair){ esse_radix_key(history->txn_time[txn].end), txn };
    rank_by_pairs(rank, pairs, history->txns, arena);
}

static void rank_by_session(uint32_t *rank, const struct esse_history *history,
                            struct esse_pair *pairs, struct esse_arena *arena)
{
    for (uint32_t txn = 0; txn < history->txns; txn++)
        pairs[txn] = (struct esse_pair){ place_in_session(history, txn), txn };
    rank_by_pairs(rank, pairs, history->txns, arena);
}

static void rank_by_record(uint32_t *rank, const struct esse_history *history)
{
    for (uint32_t txn = 0; txn < history->txns; txn++)
        rank[txn] = txn;
}

/* The recording or the place in the session, whichever has fewer reads of what comes later. */
static void rank_simply(struct poly_layout *layout, const struct poly_reads *reads,
                        struct esse_pair *pairs)
{
    const struct versions *versions = reads->versions;
    const uint32_t txns = versions->history->txns;
    layout->second = esse_arena_array(versions->arena, txns + (size_t)1, uint32_t);
    rank_by_session(layout->second, versions->history, pairs, versions->arena);
    layout->backward = count_backward(reads, layout->second);
    const uint64_t as_recorded = count_backward(reads, NULL);
    if (as_recorded > layout->backward) {
        memcpy(layout->rank, layout->second, txns * sizeof *layout->rank);
        return;
    }
    rank_by_record(layout->rank, versions->history);
    layout->backward = as_recorded;
}

/* ---- springs ---- */

static void add_spring(struct laying *l, uint32_t from, uint32_t to, double length)
{
    if (from != to)
        spring_vec_push(&l->springs, l->arena,
                        (struct spring){ from, to, (float)length, (float)(1 / (length * length)) });
}

/* How old a version of the key is on average when it is read, in transactions. */
static double age_of(const struct laying *l, uint32_t key)
{
    const version_id *first = l->versions->first;
    return (double)l->versions->history->txns / (first[key + 1].ix - first[key].ix);
}

static void add_reads(struct laying *l)
{
    for (version_id v = { 0 }; v.ix < l->versions->count; v.ix++) {
        const uint32_t writer = version_txn(l->versions, v);
        const double age = age_of(l, l->reads->version_key[v.ix]);
        for (uint32_t i = l->reads->reader_first[v.ix]; i < l->reads->reader_first[v.ix + 1]; i++)
            add_spring(l, writer == ESSE_NO_TXN ? l->origin : writer,
                       versions_key_access(l->versions, l->reads->reader[i])->txn, age);
    }
}

static void add_sessions(struct laying *l)
{
    const struct esse_history *history = l->versions->history;
    for (uint32_t s = 0; s < history->sessions; s++) {
        const uint32_t count = history->session_first[s + 1] - history->session_first[s];
        uint32_t before = ESSE_NO_TXN;
        for (uint32_t i = history->session_first[s]; i < history->session_first[s + 1]; i++) {
            const uint32_t txn = history->session_txn[i];
            if (!l->versions->in[txn])
                continue;
            if (before != ESSE_NO_TXN)
                add_spring(l, before, txn, (double)history->txns / count);
            before = txn;
        }
    }
}

/* Of the versions that an open read may be of, the newest that is before it now. */
static uint32_t newest_source(const struct laying *l, const struct poly_open *open)
{
    const double here = l->at[open->txn];
    uint32_t best = ESSE_NO_TXN;
    double newest = -INFINITY;
    for (uint32_t i = 0; i < open->count; i++) {
        const uint32_t writer =
            version_txn(l->versions, (version_id){ l->reads->sources.at[open->first + i] });
        const uint32_t node = writer == ESSE_NO_TXN ? l->origin : writer;
        if (node != open->txn && l->at[node] <= here && l->at[node] > newest) {
            newest = l->at[node];
            best = node;
        }
    }
    return best;
}

static void add_open_reads(struct laying *l)
{
    for (size_t o = 0; o < l->reads->open.count; o++) {
        const struct poly_open *open = &l->reads->open.at[o];
        const uint32_t source = open->predicate ? ESSE_NO_TXN : newest_source(l, open);
        if (source != ESSE_NO_TXN)
            add_spring(l, source, open->txn, age_of(l, open->key));
        esse_guard_poll();
    }
}

/* ---- where to begin ---- */

/* From transactions, and the origin, to their springs. */
static struct esse_csr group_springs(const struct laying *l)
{
    struct esse_csr springs = { 0 };
    esse_csr_init(&springs, l->arena, l->origin + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < l->springs.count; i++) {
            const struct spring *s = &l->springs.at[i];
            pass ? esse_csr_add(&springs, s->from, i) : esse_csr_count(&springs, s->from);
            pass ? esse_csr_add(&springs, s->to, i) : esse_csr_count(&springs, s->to);
        }
        pass ? esse_csr_finish(&springs) : esse_csr_start(&springs);
    }
    return springs;
}

/* Those that were not reached, as far from 'node' as the springs on the way say. */
static void spread_from(struct laying *l, const struct esse_csr *springs, uint32_t node,
                        uint8_t *reached, struct esse_u32_vec *queue)
{
    queue->count = 0;
    esse_u32_vec_push(queue, l->arena, node);
    reached[node] = 1;
    for (size_t i = 0; i < queue->count; i++) {
        const uint32_t from = queue->at[i];
        for (uint32_t e = springs->first[from]; e < springs->first[from + 1]; e++) {
            const struct spring *s = &l->springs.at[springs->to[e]];
            const uint32_t to = s->from == from ? s->to : s->from;
            if (reached[to])
                continue;
            reached[to] = 1;
            l->at[to] = l->at[from] + (double)(s->from == from ? s->length : -s->length);
            esse_u32_vec_push(queue, l->arena, to);
        }
        esse_guard_poll();
    }
}

/* Gradients move what they know by one spring a step, and a history is long. */
static void begin_anywhere(struct laying *l)
{
    struct esse_csr springs = group_springs(l);
    struct esse_u32_vec queue = { 0 };
    uint8_t *reached = esse_arena_alloc(l->arena, l->origin + (size_t)1, sizeof *reached);
    for (uint32_t i = 0; i <= l->origin; i++) {
        const uint32_t node = l->origin - i; /* the initial versions first */
        if (!reached[node])
            spread_from(l, &springs, node, reached, &queue);
    }
    esse_u32_vec_drop(&queue, l->arena);
    esse_csr_drop(&springs);
}

/* ---- conjugate gradients ---- */

static void push_apart(const struct laying *l, const double *at, double *force, bool with_length)
{
    for (uint32_t node = 0; node <= l->origin; node++)
        force[node] = 0;
    for (size_t i = 0; i < l->springs.count; i++) {
        const struct spring *s = &l->springs.at[i];
        const double stretch = at[s->to] - at[s->from] - (with_length ? (double)s->length : 0);
        force[s->to] += (double)s->stiffness * stretch;
        force[s->from] -= (double)s->stiffness * stretch;
    }
    force[l->origin] = 0;
}

static void find_diagonal(struct laying *l)
{
    for (uint32_t node = 0; node <= l->origin; node++)
        l->diagonal[node] = 1e-12;
    for (size_t i = 0; i < l->springs.count; i++) {
        l->diagonal[l->springs.at[i].from] += (double)l->springs.at[i].stiffness;
        l->diagonal[l->springs.at[i].to] += (double)l->springs.at[i].stiffness;
    }
}

static double dot(const struct laying *l, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t node = 0; node < l->origin; node++)
        sum += a[node] * b[node];
    return sum;
}

/* Preconditioned by the diagonal. */
static void relax(struct laying *l)
{
    find_diagonal(l);
    push_apart(l, l->at, l->residual, true);
    double *scaled = esse_arena_array(l->arena, l->origin + (size_t)1, *scaled);
    double before = 0;
    for (uint32_t step = 0; step < ITERATIONS; step++) {
        for (uint32_t node = 0; node <= l->origin; node++)
            scaled[node] = -l->residual[node] / l->diagonal[node];
        const double now = -dot(l, l->residual, scaled);
        if (now < 1e-9)
            break;
        for (uint32_t node = 0; node <= l->origin; node++)
            l->direction[node] = scaled[node] + (step ? now / before * l->direction[node] : 0);
        push_apart(l, l->direction, l->product, false);
        const double curvature = dot(l, l->direction, l->product);
        if (!(curvature > now * FLAT))
            break; /* nothing but rounding is left */
        const double along = now / curvature;
        for (uint32_t node = 0; node < l->origin; node++) {
            l->at[node] += along * l->direction[node];
            l->residual[node] += along * l->product[node];
        }
        before = now;
        esse_guard_poll();
    }
    esse_arena_drop(l->arena, scaled);
}

/* ---- parts ---- */

static uint32_t root_of(uint32_t *parent, uint32_t node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

/* Each part behind the one before it, that of the initial versions first. */
static uint32_t line_up(struct laying *l)
{
    uint32_t *parent = esse_arena_array(l->arena, l->origin + (size_t)1, *parent);
    double *low = esse_arena_array(l->arena, l->origin + (size_t)1, *low);
    double *high = esse_arena_array(l->arena, l->origin + (size_t)1, *high);
    for (uint32_t node = 0; node <= l->origin; node++) {
        parent[node] = node;
        low[node] = INFINITY;
        high[node] = -INFINITY;
    }
    for (size_t i = 0; i < l->springs.count; i++)
        parent[root_of(parent, l->springs.at[i].from)] = root_of(parent, l->springs.at[i].to);
    for (uint32_t node = 0; node <= l->origin; node++) {
        const uint32_t part = root_of(parent, node);
        low[part] = fmin(low[part], l->at[node]);
        high[part] = fmax(high[part], l->at[node]);
    }
    uint32_t parts = 1;
    const uint32_t first = root_of(parent, l->origin);
    double end = high[first] + 1;
    for (uint32_t node = 0; node < l->origin; node++) {
        if (parent[node] != node || node == first)
            continue;
        const double begin = low[node];
        low[node] = end - begin; /* from now on: by how much it is moved */
        end += high[node] - begin + 1;
        parts++;
    }
    low[first] = 0;
    for (uint32_t node = 0; node < l->origin; node++)
        l->at[node] += low[root_of(parent, node)];
    return parts;
}

/* ---- all ---- */

bool poly_repeats(const struct poly_reads *reads)
{
    const size_t sure = reads->reader_first[reads->versions->count];
    return reads->open.count > (sure + reads->open.count) / OPEN_SHARE;
}

/* Sessions tell most of the order. */
static bool has_sessions(const struct esse_history *history)
{
    return history->sessions <= history->txns / 2;
}

static double measure_error(const struct laying *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->springs.count; i++) {
        const struct spring *s = &l->springs.at[i];
        sum += fabs(l->at[s->to] - l->at[s->from] - (double)s->length);
    }
    return l->springs.count ? sum / (double)l->springs.count : 0;
}

static void lay_out(struct poly_layout *layout, const struct poly_reads *reads)
{
    const struct versions *versions = reads->versions;
    const uint32_t txns = versions->history->txns;
    struct laying l = {
        .reads = reads, .versions = versions, .arena = esse_arena_new(), .origin = txns
    };
    double **const arrays[] = { &l.at, &l.residual, &l.direction, &l.product, &l.diagonal };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = esse_arena_zeros(l.arena, txns + (size_t)1, double);
    add_reads(&l);
    add_sessions(&l);
    if (versions->history->sessions > txns / 2)
        begin_anywhere(&l);
    for (uint32_t txn = 0; versions->history->sessions <= txns / 2 && txn < txns; txn++)
        l.at[txn] = layout->rank[txn];
    const size_t sure = l.springs.count;
    relax(&l);
    for (int round = 1; reads->open.count && round < ROUNDS; round++) {
        l.springs.count = sure;
        add_open_reads(&l);
        relax(&l);
    }
    layout->error = measure_error(&l);
    layout->parts = line_up(&l);
    layout->at = esse_arena_array(versions->arena, txns + (size_t)1, *layout->at);
    for (uint32_t txn = 0; txn < txns; txn++)
        layout->at[txn] = l.at[txn];
    esse_arena_free(l.arena);
}

/* An order that keeps that of numbers, as far as they are of any use. */
static uint64_t key_of(double number)
{
    const double most = 0x1p62;
    return esse_radix_key((int64_t)fmax(-most, fmin(number * 1024, most)));
}

static void rank_by_layout(struct poly_layout *layout, const struct poly_reads *reads,
                           struct esse_pair *pairs)
{
    const struct versions *versions = reads->versions;
    for (uint32_t txn = 0; txn < versions->history->txns; txn++)
        pairs[txn] = (struct esse_pair){ key_of(layout->at[txn]), txn };
    rank_by_pairs(layout->rank, pairs, versions->history->txns, versions->arena);
    layout->backward = count_backward(reads, layout->rank);
}

void poly_layout_find(struct poly_layout *layout, const struct poly_reads *reads, unsigned ablate)
{
    const struct versions *versions = reads->versions;
    const struct esse_history *history = versions->history;
    const size_t room = history->txns + (size_t)1;
    struct esse_pair *pairs = esse_arena_array(versions->arena, room, *pairs);
    *layout = (struct poly_layout){ .rank = esse_arena_array(versions->arena, room, uint32_t) };
    if (ablate & ESSE_ABLATE_ESTIMATE) {
        rank_by_record(layout->rank, history);
    } else if (history->txn_time) {
        rank_by_time(layout->rank, history, pairs, versions->arena);
    } else {
        rank_simply(layout, reads, pairs);
        if (!(ablate & ESSE_ABLATE_ALIGNING) && poly_repeats(reads) && has_sessions(history)) {
            poly_align(reads, layout->rank);
        } else if (!(ablate & ESSE_ABLATE_LAYOUT) &&
                   layout->backward > reads->reader_first[versions->count] / FEW_SHARE) {
            memcpy(layout->second, layout->rank, history->txns * sizeof *layout->rank);
            lay_out(layout, reads);
            rank_by_layout(layout, reads, pairs);
        }
        if (memcmp(layout->rank, layout->second, history->txns * sizeof *layout->rank) == 0) {
            esse_arena_drop(versions->arena, layout->second);
            layout->second = NULL;
        }
    }
    esse_arena_drop(versions->arena, pairs);
}
