#include "engine/polygraph/poly_state.h"

#include "base/guard.h"

/*
 * A first order where only a layout tells what came first (poly_layout.h): the history is run once
 * more, on demand.  The transactions are asked to run by rank.  Before one runs, those run that are
 * known to precede it, and those that read what it overwrites; before these, what they need in turn.
 * So what runs is what is needed near the place that was reached, whatever its rank is, and errors
 * of the layout do not spread.  A transaction that needs itself runs nevertheless: something is
 * broken there.
 *
 * Cost: O(known edges + accesses), and a transaction looks at most RETRIES times at the keys that it
 * writes.
 */
enum { RETRIES = 4 };

enum demand_state { DEMAND_NOT, DEMAND_ASKED, DEMAND_RUN };

/* A transaction that was asked to run, and what of it was looked at. */
struct asked {
    uint32_t txn, before, write, reader, retries;
    version_id version; /* that it will overwrite, whose readers are looked at */
    bool moved;         /* something ran since its keys were looked at first */
};
ESSE_VEC(asked_vec, struct asked)

struct demand {
    const struct poly *poly;
    struct esse_csr before;    /* from transactions to those that are known to precede them */
    struct esse_csr installed; /* from transactions to versions */
    struct esse_csr read;
    version_id *current; /* by key */
    uint8_t *state;      /* by transaction: enum demand_state */
    struct asked_vec stack;
    uint32_t *rank; /* by transaction: its place, when it has run */
    uint32_t done;
};

static void ask(struct demand *d, struct esse_arena *arena, uint32_t txn)
{
    d->state[txn] = DEMAND_ASKED;
    asked_vec_push(&d->stack, arena,
                   (struct asked){ .txn = txn,
                                   .before = d->before.first[txn],
                                   .write = d->installed.first[txn],
                                   .version = { NO_VERSION } });
}

/* The next one that is known to precede it and was not asked, or ESSE_NO_TXN. */
static uint32_t next_before(const struct demand *d, struct asked *a)
{
    while (a->before < d->before.first[a->txn + 1]) {
        const uint32_t txn = d->before.to[a->before++];
        if (d->state[txn] == DEMAND_NOT)
            return txn;
    }
    return ESSE_NO_TXN;
}

/* The next reader of what it overwrites that was not asked, or ESSE_NO_TXN. */
static uint32_t next_reader(const struct demand *d, struct asked *a)
{
    const struct poly_reads *reads = d->poly->reads;
    for (; a->write < d->installed.first[a->txn + 1]; a->write++) {
        const uint32_t key = reads->version_key[d->installed.to[a->write]];
        const version_id now = d->current[key];
        if (a->version.ix != now.ix) {
            a->version = now;
            a->reader = reads->reader_first[now.ix];
        }
        while (a->reader < reads->reader_first[now.ix + 1]) {
            const key_access_id at = reads->reader[a->reader++];
            const uint32_t txn = versions_key_access(d->poly->versions, at)->txn;
            if (d->state[txn] == DEMAND_NOT)
                return txn;
        }
    }
    return ESSE_NO_TXN;
}

static uint32_t next_needed(const struct demand *d, struct asked *a)
{
    uint32_t txn = next_before(d, a);
    if (txn == ESSE_NO_TXN)
        txn = next_reader(d, a);
    /* What ran meanwhile may have written its keys too. */
    if (txn == ESSE_NO_TXN && a->moved && a->retries++ < RETRIES) {
        a->moved = false;
        a->write = d->installed.first[a->txn];
        a->version.ix = NO_VERSION;
        txn = next_reader(d, a);
    }
    a->moved = a->moved || txn != ESSE_NO_TXN;
    return txn;
}

static void run(struct demand *d, uint32_t txn)
{
    d->state[txn] = DEMAND_RUN;
    d->rank[txn] = d->done++;
    for (uint32_t i = d->installed.first[txn]; i < d->installed.first[txn + 1]; i++) {
        const version_id version = { d->installed.to[i] };
        d->current[d->poly->reads->version_key[version.ix]] = version;
    }
}

static void draw_before(struct demand *d, bool counting)
{
    const struct poly *poly = d->poly;
    for (uint32_t from = 0; from < poly->time_nodes_at; from++)
        for (uint32_t e = poly->known.first[from]; e < poly->known.first[from + 1]; e++) {
            const uint32_t a = poly_txn(poly, (esse_node){ from });
            const uint32_t b = poly_txn(poly, (esse_node){ poly->known.to[e] });
            if (b == ESSE_NO_TXN || a == b)
                continue;
            counting ? esse_csr_count(&d->before, b) : esse_csr_add(&d->before, b, a);
        }
}

static void prepare(struct demand *d, struct esse_arena *arena)
{
    const struct versions *versions = d->poly->versions;
    const struct esse_history *history = versions->history;
    esse_csr_init(&d->before, arena, history->txns);
    draw_before(d, true);
    esse_csr_start(&d->before);
    draw_before(d, false);
    esse_csr_finish(&d->before);
    poly_group_versions(d->poly, arena, &d->installed, &d->read);
    d->state = esse_arena_alloc(arena, history->txns + (size_t)1, sizeof *d->state);
    d->current = esse_arena_array(arena, history->keys + (size_t)1, *d->current);
    for (uint32_t key = 0; key < history->keys; key++)
        d->current[key] = versions->first[key];
}

void poly_run_on_demand(const struct poly *poly, const uint32_t *rank, uint32_t *place)
{
    const uint32_t txns = poly->versions->history->txns;
    struct esse_arena *arena = esse_arena_new();
    struct demand d = { .poly = poly, .rank = place };
    prepare(&d, arena);
    uint32_t *at_rank = esse_arena_array(arena, txns + (size_t)1, *at_rank);
    for (uint32_t txn = 0; txn < txns; txn++)
        at_rank[rank[txn]] = txn;
    for (uint32_t i = 0; i < txns; i++) {
        if (d.state[at_rank[i]] == DEMAND_NOT)
            ask(&d, arena, at_rank[i]);
        while (d.stack.count) {
            struct asked *a = &d.stack.at[d.stack.count - 1];
            const uint32_t needed = next_needed(&d, a);
            esse_guard_poll();
            if (needed != ESSE_NO_TXN) {
                ask(&d, arena, needed);
            } else {
                run(&d, a->txn);
                d.stack.count--;
            }
        }
    }
    assert(d.done == txns);
    esse_arena_free(arena);
}
