#include "base/guard.h"
#include "engine/polygraph/poly_layout.h"

#include <math.h>

/*
 * Sessions side by side, where values repeat: few reads say which version they are of, but all say
 * what the value of their key was.  A transaction is put where most of its reads would return what
 * they did: in every round each key is walked along the line, and a read that would return another
 * value pulls its transaction towards the nearest place where it would not, and the transaction
 * that is in the way as far towards it.  A session moves as a whole, at first over long stretches:
 * its clock is what is wrong, not its transactions.
 *
 * Sessions that run by themselves are a random walk apart, of steps as long as there are sessions;
 * so far a pull may reach at first.
 */
enum {
    ROUNDS = 60,
    FAR_VERSIONS = 64, /* how far the nearest place is looked for */
};
/* From the first round to the last, as shares: of the expected distance between sessions, and of
 * the square root of a session's length. */
static const double FIRST_REACH = 0.2, LAST_REACH = 0.02, FIRST_SPAN = 1, LAST_SPAN = 0.1;
static const double CONTENT = 0.03; /* the weight of a read that is right where it is */

struct aligned_read {
    uint32_t txn, key;
    esse_value value;
};
ESSE_VEC(aligned_read_vec, struct aligned_read)

/* A version on the line. */
struct aligned_write {
    double at;
    uint32_t txn;
    esse_value value;
};

struct aligning {
    const struct versions *versions;
    struct esse_arena *arena;
    double *at;            /* by transaction: where it is */
    double *pull, *weight; /* by transaction: of its reads, and of those that it is in the way
                              of */
    struct aligned_read_vec reads; /* by key */
    struct aligned_write *writes;  /* by version: those of a key in the order of the line */
    double reach;                  /* a pull from farther away counts little */
    uint32_t span;                 /* so many neighbours in the session on each side move along */
};

/* ---- what is read and written ---- */

static bool counts(const struct versions *versions, uint32_t key, key_access_id at)
{
    const struct esse_key_access *access = versions_key_access(versions, at);
    return access->kind == ESSE_OP_READ && versions->in[access->txn] &&
           !esse_value_eq(access->value, ESSE_NONE) && !esse_value_is_list(access->value) &&
           !esse_is_after_own_write(&versions->sources->by_key, key, at.ix);
}

static void list_reads(struct aligning *a)
{
    const struct versions *versions = a->versions;
    const struct esse_by_key *by_key = &versions->sources->by_key;
    for (uint32_t key = 0; key < versions->history->keys; key++)
        for (key_access_id at = { by_key->first[key] }; at.ix < by_key->first[key + 1]; at.ix++)
            if (counts(versions, key, at))
                aligned_read_vec_push(
                    &a->reads, a->arena,
                    (struct aligned_read){ by_key->at[at.ix].txn, key,
                                           esse_value_state(by_key->at[at.ix].value) });
}

/* Those of a key in the order of the ranks. */
static void list_writes(struct aligning *a, const uint32_t *rank)
{
    const struct versions *versions = a->versions;
    struct esse_pair *pairs = esse_arena_array(a->arena, versions->count + (size_t)1, *pairs);
    a->writes = esse_arena_alloc(a->arena, versions->count + (size_t)1, sizeof *a->writes);
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        const uint32_t first = versions->first[key].ix + 1, end = versions->first[key + 1].ix;
        for (version_id v = { first }; v.ix < end; v.ix++)
            pairs[v.ix - first] = (struct esse_pair){ rank[version_txn(versions, v)], v.ix };
        esse_radix_sort(pairs, end - first, a->arena);
        for (uint32_t i = 0; i < end - first; i++) {
            const struct esse_key_access *write =
                versions_key_access(versions, versions->write[pairs[i].id]);
            a->writes[first + i] = (struct aligned_write){ 0, write->txn, write->value };
        }
    }
    esse_arena_drop(a->arena, pairs);
}

/* They keep their places from round to round, so little is moved. */
static void sort_writes(const struct aligning *a, struct aligned_write *writes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        writes[i].at = a->at[writes[i].txn];
    for (uint32_t i = 1; i < count; i++) {
        const struct aligned_write moving = writes[i];
        uint32_t to = i;
        for (; to > 0 && writes[to - 1].at > moving.at; to--)
            writes[to] = writes[to - 1];
        writes[to] = moving;
        esse_guard_poll();
    }
}

/* ---- pulling ---- */

/* The versions of a key on the line, and what it held before them. */
struct aligned_key {
    const struct aligned_write *writes;
    uint32_t count;
    esse_value initial;
};

static esse_value held_after(const struct aligned_key *key, uint32_t writes)
{
    return writes ? key->writes[writes - 1].value : key->initial;
}

struct pulling {
    double by;    /* how far the reader would have to move; INFINITY: there is no such place */
    uint32_t txn; /* what would have to give way for that */
};

/* To where the value was not yet overwritten. */
static struct pulling pull_back(const struct aligned_key *key, const struct aligned_read *read,
                                double at, uint32_t before)
{
    for (uint32_t i = before, steps = 0; i > 0 && steps < FAR_VERSIONS; i--, steps++)
        if (esse_value_eq(held_after(key, i - 1), read->value))
            return (struct pulling){ key->writes[i - 1].at - at - 1, key->writes[i - 1].txn };
    return (struct pulling){ -INFINITY, ESSE_NO_TXN };
}

/* To where it was written. */
static struct pulling pull_on(const struct aligned_key *key, const struct aligned_read *read,
                              double at, uint32_t from)
{
    for (uint32_t i = from; i < key->count && i - from < FAR_VERSIONS; i++)
        if (key->writes[i].txn != read->txn && esse_value_eq(key->writes[i].value, read->value))
            return (struct pulling){ key->writes[i].at - at + 1, key->writes[i].txn };
    return (struct pulling){ INFINITY, ESSE_NO_TXN };
}

static void add_pull(struct aligning *a, const struct aligned_read *read, struct pulling pulling)
{
    const double far = pulling.by / a->reach, weight = 1 / (1 + far * far);
    if (pulling.txn == ESSE_NO_TXN)
        return;
    a->pull[read->txn] += weight * pulling.by * 0.6; /* a little farther than half-way each */
    a->weight[read->txn] += weight;
    a->pull[pulling.txn] -= weight * pulling.by * 0.6;
    a->weight[pulling.txn] += weight;
}

static void pull_read(struct aligning *a, const struct aligned_key *key,
                      const struct aligned_read *read)
{
    const double at = a->at[read->txn];
    uint32_t low = 0, high = key->count;
    ESSE_BISECT(low, high, middle, key->writes[middle].at < at);
    const uint32_t before = low;
    if (esse_value_eq(held_after(key, before), read->value)) {
        a->weight[read->txn] += CONTENT;
        if (before)
            a->weight[key->writes[before - 1].txn] += CONTENT;
        return;
    }
    const struct pulling back = pull_back(key, read, at, before);
    const struct pulling on = pull_on(key, read, at, before);
    add_pull(a, read, -back.by < on.by ? back : on);
}

static void pull_all(struct aligning *a)
{
    const struct versions *versions = a->versions;
    const size_t txns = versions->history->txns;
    for (size_t txn = 0; txn < txns; txn++)
        a->pull[txn] = a->weight[txn] = 0;
    size_t read = 0;
    for (uint32_t key = 0; key < versions->history->keys; key++) {
        const uint32_t first = versions->first[key].ix + 1, end = versions->first[key + 1].ix;
        const struct aligned_key line = { a->writes + first, end - first,
                                          versions->sources->initial[key] };
        sort_writes(a, a->writes + first, end - first);
        for (; read < a->reads.count && a->reads.at[read].key == key; read++)
            pull_read(a, &line, &a->reads.at[read]);
        esse_guard_poll();
    }
}

/* ---- moving ---- */

/* Every transaction of a session by what pulls at it and its neighbours, none past the next. */
static void move_session(struct aligning *a, const uint32_t *txns, uint32_t count)
{
    double pull = 0, weight = 0, before = -INFINITY;
    uint32_t low = 0, high = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (; high < count && high <= i + a->span; high++) {
            pull += a->pull[txns[high]];
            weight += a->weight[txns[high]];
        }
        for (; low + a->span < i; low++) {
            pull -= a->pull[txns[low]];
            weight -= a->weight[txns[low]];
        }
        const double to = a->at[txns[i]] + pull / (weight + 2);
        before = a->at[txns[i]] = to > before ? to : before;
    }
}

/* Back to a line with one transaction at each place. */
static void rank_all(const struct aligning *a, uint32_t *rank)
{
    const uint32_t txns = a->versions->history->txns;
    struct esse_pair *pairs = esse_arena_array(a->arena, txns + (size_t)1, *pairs);
    for (uint32_t txn = 0; txn < txns; txn++)
        pairs[txn] = (struct esse_pair){ esse_radix_key((int64_t)(a->at[txn] * 1024)), txn };
    esse_radix_sort(pairs, txns, a->arena);
    for (uint32_t i = 0; i < txns; i++)
        rank[pairs[i].id] = i;
    esse_arena_drop(a->arena, pairs);
}

static void align_once(struct aligning *a, double share, uint32_t *rank)
{
    const struct esse_history *history = a->versions->history;
    const double length = sqrt((double)history->txns / history->sessions);
    const double apart = length * history->sessions;
    a->reach = apart * FIRST_REACH * pow(LAST_REACH / FIRST_REACH, share);
    a->span = (uint32_t)(length * FIRST_SPAN * pow(LAST_SPAN / FIRST_SPAN, share));
    for (uint32_t txn = 0; txn < history->txns; txn++)
        a->at[txn] = rank[txn];
    pull_all(a);
    for (uint32_t s = 0; s < history->sessions; s++)
        move_session(a, history->session_txn + history->session_first[s],
                     history->session_first[s + 1] - history->session_first[s]);
    rank_all(a, rank);
}

void poly_align(const struct poly_reads *reads, uint32_t *rank)
{
    const struct versions *versions = reads->versions;
    struct aligning a = { .versions = versions, .arena = esse_arena_new() };
    double **const arrays[] = { &a.at, &a.pull, &a.weight };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = esse_arena_zeros(a.arena, versions->history->txns + (size_t)1, double);
    list_reads(&a);
    list_writes(&a, rank);
    for (int round = 0; round < ROUNDS; round++)
        align_once(&a, (double)round / ROUNDS, rank);
    esse_arena_free(a.arena);
}
