#include "engine/polygraph/poly_state.h"

#include "base/guard.h"

/*
 * A first order where only a layout tells what came first (poly_layout.h): by rank, but before a
 * transaction comes what is known to precede it, and before that what precedes that in turn.  Of a
 * cycle the one that was asked for first comes last.
 *
 * Nothing else is put right.  If the readers of a version were to come before its overwriter too,
 * they would need their own sources, whose overwriting needs other readers: near one error of the
 * layout thousands of transactions were pulled forward.
 *
 * Cost: O(nodes + known edges).
 */
enum demand_state { DEMAND_NOT, DEMAND_ASKED };

struct asked {
    uint32_t txn, before; /* before: the next edge to look at */
};
ESSE_VEC(asked_vec, struct asked)

struct demand {
    const struct poly *poly;
    struct esse_arena *arena;
    struct esse_csr before; /* from transactions to those that are known to precede them */
    uint8_t *state;         /* by transaction: enum demand_state */
    struct asked_vec stack;
    uint32_t *place; /* by transaction, when it has come */
    uint32_t done;
};

static void ask(struct demand *d, uint32_t txn)
{
    if (d->state[txn] != DEMAND_NOT)
        return;
    d->state[txn] = DEMAND_ASKED;
    asked_vec_push(&d->stack, d->arena, (struct asked){ txn, d->before.first[txn] });
}

/* What was asked for last goes on; it comes if nothing is left that it needs. */
static void go_on(struct demand *d)
{
    struct asked *a = &d->stack.at[d->stack.count - 1];
    if (a->before < d->before.first[a->txn + 1]) {
        ask(d, d->before.to[a->before++]);
        return;
    }
    d->place[a->txn] = d->done++;
    d->stack.count--;
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

void poly_run_on_demand(const struct poly *poly, const uint32_t *rank, uint32_t *place)
{
    const uint32_t txns = poly->versions->history->txns;
    struct demand d = { .poly = poly, .arena = esse_arena_new(), .place = place };
    uint32_t *at_rank = esse_arena_array(d.arena, txns + (size_t)1, *at_rank);
    d.state = esse_arena_alloc(d.arena, txns + (size_t)1, sizeof *d.state);
    esse_csr_init(&d.before, d.arena, txns);
    draw_before(&d, true);
    esse_csr_start(&d.before);
    draw_before(&d, false);
    esse_csr_finish(&d.before);
    for (uint32_t txn = 0; txn < txns; txn++)
        at_rank[rank[txn]] = txn;
    for (uint32_t i = 0; i < txns; i++) {
        for (ask(&d, at_rank[i]); d.stack.count;)
            go_on(&d);
        esse_guard_poll();
    }
    assert(d.done == txns);
    esse_arena_free(d.arena);
}
