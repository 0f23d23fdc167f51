#include "evidence_trial.h"

#include "evidence/recheck.h"
#include "evidence/recheck_cycle.h"
#include "evidence/recheck_edge.h"
#include "history/access.h"

/*
 * Evidence that no engine made: every edge, every cycle, every combination of steps and random
 * orders of tiny histories are brought to the recheck.  Whatever it accepts must be true by brute
 * force.
 */

enum { EDGES = 600, LONGEST = 4, STEPS_AT_MOST = 3 };

struct forging {
    struct trial *trial;
    struct esse_edge edge[EDGES];
    int edges;
    struct claim claim; /* of no anomaly: what follows from the history alone */
    unsigned accepted, tried;
};

static void expect_true(const struct forging *f, const struct esse_level *level, bool holds,
                        const char *what)
{
    if (!is_true_of(&f->trial->truth, level, holds)) {
        char claim[300];
        snprintf(claim, sizeof claim, "%s is %s by a forged %s", level->friendly,
                 holds ? "proved" : "ruled out", what);
        tell(f->trial, &f->trial->h, "", claim);
    }
}

/* An anomaly that follows is one against every level that forbids it. */
static void present(struct forging *f, const struct esse_anomaly *anomaly)
{
    const struct esse_anomaly_type *type = esse_anomaly_get(anomaly->type);
    struct esse_error err = { 0 };
    f->tried++;
    if (!esse_recheck_anomaly(f->trial->history, anomaly, NULL, &err))
        return;
    f->accepted++;
    for (size_t i = 0; i < esse_level_count(); i++)
        if (esse_level_forbids(esse_level_at(i), type))
            expect_true(f, esse_level_at(i), false, type->name);
}

/* ---- steps ---- */

static void present_steps(struct forging *f, enum esse_anomaly_id type, int count)
{
    const struct esse_history *history = f->trial->history;
    struct esse_step steps[STEPS_AT_MOST];
    uint32_t op[STEPS_AT_MOST] = { 0 };
    const int all = count == 1   ? (int)history->ops
                    : count == 2 ? (int)(history->ops * history->ops)
                                 : (int)(history->ops * history->ops * history->ops);
    for (int i = 0; i < all; i++) {
        for (int s = 0, left = i; s < count; s++, left /= (int)history->ops)
            op[s] = (uint32_t)left % history->ops;
        for (int s = 0; s < count; s++)
            steps[s] =
                (struct esse_step){ esse_op_txn(history, op[s]), { op[s] }, "", ESSE_BASIS_NONE };
        for (uint32_t key = 0; key < history->keys; key++)
            present(f, &(struct esse_anomaly){ .type = type,
                                               .has_key = true,
                                               .key = { key },
                                               .steps = steps,
                                               .step_count = (uint32_t)count });
    }
}

static void forge_steps(struct forging *f)
{
    static const struct {
        enum esse_anomaly_id type;
        int steps;
    } types[] = { { ESSE_ANOMALY_G1A, 2 },
                  { ESSE_ANOMALY_G1B, 3 },
                  { ESSE_ANOMALY_GARBAGE_READ, 1 },
                  { ESSE_ANOMALY_INTERNAL, 2 },
                  { ESSE_ANOMALY_OWN_WRITE_MISSED, 2 },
                  { ESSE_ANOMALY_FUTURE_READ, 2 },
                  { ESSE_ANOMALY_DUPLICATE_ELEMENTS, 1 },
                  { ESSE_ANOMALY_INCOMPATIBLE_ORDER, 2 },
                  { ESSE_ANOMALY_DIRTY_UPDATE, 3 },
                  { ESSE_ANOMALY_LOST_UPDATE, 2 },
                  { ESSE_ANOMALY_PREDICATE_READ_MISS, 1 },
                  { ESSE_ANOMALY_RESULT_SET_MISMATCH, 1 } };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        present_steps(f, types[i].type, types[i].steps);
}

/* ---- cycles ---- */

static bool is_known(const struct forging *f, const struct esse_edge *edge)
{
    for (int i = 0; i < f->edges; i++)
        if (f->edge[i].from.ix == edge->from.ix && f->edge[i].to.ix == edge->to.ix &&
            f->edge[i].dep == edge->dep)
            return true;
    return f->edges == EDGES;
}

static void try_edge(struct forging *f, struct esse_edge edge)
{
    if (!is_known(f, &edge) && edge_follows(&f->claim, &edge))
        f->edge[f->edges++] = edge;
}

static void try_ops(struct forging *f, struct esse_edge edge)
{
    const struct esse_history *history = f->trial->history;
    edge.has_key = true;
    for (edge.key.ix = 0; edge.key.ix < history->keys; edge.key.ix++)
        for (uint32_t a = history->txn_op[edge.from.ix]; a < history->txn_op[edge.from.ix + 1]; a++)
            for (uint32_t b = history->txn_op[edge.to.ix]; b < history->txn_op[edge.to.ix + 1]; b++)
                for (uint32_t witness = 0; witness <= history->ops; witness++) {
                    edge.from_op.ix = a;
                    edge.to_op.ix = b;
                    edge.witness.ix = witness < history->ops ? witness : ESSE_NO_OP;
                    try_edge(f, edge);
                }
}

static void find_edges(struct forging *f)
{
    static const enum esse_dep deps[] = { ESSE_DEP_WW,      ESSE_DEP_WR,  ESSE_DEP_RW,
                                          ESSE_DEP_WRP,     ESSE_DEP_RWP, ESSE_DEP_PROCESS,
                                          ESSE_DEP_REALTIME };
    const uint32_t txns = f->trial->history->txns;
    const struct esse_anomaly none = { .type = ESSE_ANOMALY_NONE };
    struct esse_arena *arena = esse_arena_new();
    claim_open(&f->claim, arena, f->trial->history, &none, NULL);
    for (uint32_t from = 0; from < txns; from++)
        for (uint32_t to = 0; to < txns; to++)
            for (size_t d = 0; d < sizeof deps / sizeof *deps; d++) {
                const struct esse_edge edge = { .from = { from },
                                                .to = { to },
                                                .dep = deps[d],
                                                .from_op = { ESSE_NO_OP },
                                                .to_op = { ESSE_NO_OP },
                                                .witness = { ESSE_NO_OP },
                                                .later_witness = { ESSE_NO_OP },
                                                .why = "" };
                try_edge(f, edge);
                try_ops(f, edge);
            }
    esse_arena_free(arena);
}

static void present_cycle(struct forging *f, const struct esse_edge *edges, int count)
{
    const enum esse_anomaly_id type = esse_cycle_type(edges, (uint32_t)count);
    present(f,
            &(struct esse_anomaly){ .type = type, .edges = edges, .edge_count = (uint32_t)count });
    for (size_t i = 0; i < esse_anomaly_count(); i++) /* called by the wrong name, or forced */
        if (esse_anomaly_at(i)->id != type)
            present(f, &(struct esse_anomaly){ .type = esse_anomaly_at(i)->id,
                                               .edges = edges,
                                               .edge_count = (uint32_t)count });
}

static void extend_cycle(struct forging *f, struct esse_edge *path, int length)
{
    const uint32_t begin = path[0].from.ix, end = path[length - 1].to.ix;
    if (begin == end) {
        present_cycle(f, path, length);
        return;
    }
    for (int i = 0; i < f->edges && length < LONGEST; i++)
        if (f->edge[i].from.ix == end && f->edge[i].to.ix >= begin) {
            path[length] = f->edge[i];
            extend_cycle(f, path, length + 1);
        }
}

static void forge_cycles(struct forging *f)
{
    struct esse_edge path[LONGEST];
    find_edges(f);
    for (int i = 0; i < f->edges; i++) {
        path[0] = f->edge[i];
        extend_cycle(f, path, 1);
    }
}

/* ---- orders ---- */

static void shuffle(struct esse_rng *rng, uint32_t *events, uint32_t count)
{
    for (uint32_t i = count; i-- > 1;) {
        const uint32_t j = esse_rng_below(rng, i + 1), other = events[i];
        events[i] = events[j];
        events[j] = other;
    }
}

/* Mostly what could pass: a few neighbours out of place, starts before their commits. */
static uint32_t random_order(struct forging *f, uint32_t *events, bool starts)
{
    const struct esse_history *history = f->trial->history;
    struct esse_rng *rng = &f->trial->rng;
    uint32_t count = 0, commits[T_TXNS];
    for (uint32_t txn = 0; txn < history->txns; txn++)
        if (history->txn_status[txn] == ESSE_COMMITTED ||
            (history->txn_status[txn] == ESSE_UNKNOWN_OUTCOME && esse_rng_below(rng, 2)))
            commits[count++] = txn;
    if (esse_rng_below(rng, 2))
        shuffle(rng, commits, count);
    if (!starts) {
        memcpy(events, commits, count * sizeof *events);
        return count;
    }
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = total - esse_rng_below(rng, total + 1);
        memmove(events + at + 1, events + at, (total - at) * sizeof *events);
        events[at] = commits[i] << 1;
        events[++total] = commits[i] << 1 | 1;
        total++;
    }
    return total;
}

static uint32_t random_accesses(struct forging *f, uint32_t *events)
{
    uint32_t count = 0;
    for (uint32_t access = 0; access < f->trial->history->ops; access++)
        if (f->trial->history->txn_status[esse_op_txn(f->trial->history, access).ix] ==
            ESSE_COMMITTED)
            events[count++] = access;
    for (uint32_t i = 1; i < count; i++)
        if (esse_rng_below(&f->trial->rng, 3) == 0) {
            const uint32_t other = events[i];
            events[i] = events[i - 1];
            events[i - 1] = other;
        }
    return count;
}

/* A write of the key, or the initial version; most are wrong. */
static esse_op random_write(struct forging *f, esse_key key)
{
    const struct esse_history *history = f->trial->history;
    esse_op found = { ESSE_NO_OP };
    uint32_t count = 1;
    esse_value ignored;
    for (uint32_t op = 0; op < history->ops; op++)
        if (esse_op_write_of(history, op, key, &ignored) &&
            !esse_rng_below(&f->trial->rng, ++count))
            found.ix = op;
    return found;
}

/* Whose version was read, or seen by a predicate that left the row out. */
static uint32_t random_sources(struct forging *f, struct esse_read_source *sources)
{
    const struct esse_history *history = f->trial->history;
    const bool all = esse_rng_below(&f->trial->rng, 2);
    uint32_t count = 0;
    esse_value ignored;
    for (uint32_t op = 0; op < history->ops; op++)
        for (uint32_t k = 0; k < history->keys; k++) {
            const esse_key key = { k };
            const bool reads = esse_op_is_predicate(history->op_kind[op]) ||
                               esse_op_read_of(history, op, key, &ignored);
            if (reads && (all || !esse_rng_below(&f->trial->rng, 3)))
                sources[count++] = (struct esse_read_source){ { op }, key, random_write(f, key) };
        }
    return count;
}

static void forge_orders(struct forging *f)
{
    uint32_t events[4 * T_TXNS * T_OPS];
    struct esse_read_source sources[T_TXNS * T_OPS * T_KEYS];
    struct esse_error err;
    for (int i = 0; i < 80; i++) {
        struct esse_order order = { .events = events, .sources = sources };
        order.source_count = i % 2 ? random_sources(f, sources) : 0;
        order.has_starts = esse_rng_below(&f->trial->rng, 2);
        order.of_accesses = !order.has_starts && esse_rng_below(&f->trial->rng, 4) == 0;
        order.count = order.of_accesses ? random_accesses(f, events)
                                        : random_order(f, events, order.has_starts);
        for (size_t l = 0; l < esse_level_count(); l++) {
            f->tried++;
            if (!esse_recheck_order(f->trial->history, esse_level_at(l), &order, NULL, &err))
                continue;
            f->accepted++;
            for (size_t m = 0; m < esse_level_count(); m++)
                if (esse_level_implies(esse_level_at(l), esse_level_at(m)))
                    expect_true(f, esse_level_at(m), true, "order");
        }
    }
}

static void forge(void (*make)(struct forging *f), const char *what, unsigned rounds)
{
    unsigned tried = 0, accepted = 0;
    struct trial trial;
    for (uint64_t seed = test_first(rounds), after = seed + test_rounds(rounds); seed < after;
         seed++) {
        struct forging f = { .trial = &trial };
        if (open_trial(&trial, seed))
            make(&f);
        tried += f.tried;
        accepted += f.accepted;
        esse_arena_free(trial.arena);
    }
    print_message("%u %s, %u accepted\n", tried, what, accepted);
    CHECK(accepted > test_least(20));
}

TEST(test_forged__steps_that_are_accepted_are_true)
{
    forge(forge_steps, "combinations of steps", 60);
}

TEST(test_forged__cycles_that_are_accepted_are_true)
{
    forge(forge_cycles, "cycles", 200);
}

TEST(test_forged__orders_that_are_accepted_prove)
{
    forge(forge_orders, "orders", 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forged__steps_that_are_accepted_are_true),
        cmocka_unit_test(test_forged__cycles_that_are_accepted_are_true),
        cmocka_unit_test(test_forged__orders_that_are_accepted_prove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
