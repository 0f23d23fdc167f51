#include "base/out.h"
#include "evidence/recheck.h"
#include "formats/evidence_file.h"
#include "history/access.h"
#include "history/builder.h"
#include "load_text.h"
#include "random_history.h"
#include "report/report.h"
#include "report/report_cases.h"

#include <unistd.h>

/*
 * Refutations: accepted as they are made by hand and by the engine, refused after any change that
 * matters, written and read again, and shown in cases that are an argument.
 */

/* ---- refutations that can be changed ---- */

struct draft {
    struct esse_anomaly anomaly;
    struct esse_refutation refutation;
    struct esse_choice *choices;
    struct esse_clause *clauses;
};

static void *copy_of(struct esse_arena *arena, const void *from, size_t count, size_t size)
{
    void *copy = esse_arena_alloc(arena, count + 1, size);
    if (count)
        memcpy(copy, from, count * size);
    return copy;
}

static struct draft *draft_of(struct esse_arena *arena, const struct esse_anomaly *anomaly)
{
    struct draft *draft = esse_arena_alloc(arena, 1, sizeof *draft);
    draft->anomaly = *anomaly;
    draft->refutation = *anomaly->refutation;
    draft->choices = copy_of(arena, draft->refutation.choices, draft->refutation.choice_count,
                             sizeof *draft->choices);
    draft->clauses = copy_of(arena, draft->refutation.clauses, draft->refutation.clause_count,
                             sizeof *draft->clauses);
    for (uint32_t i = 0; i < draft->refutation.clause_count; i++) {
        struct esse_clause *clause = &draft->clauses[i];
        clause->literals =
            copy_of(arena, clause->literals, clause->count, sizeof *clause->literals);
        clause->edges = copy_of(arena, clause->edges, clause->edge_count, sizeof *clause->edges);
    }
    draft->refutation.choices = draft->choices;
    draft->refutation.clauses = draft->clauses;
    draft->anomaly.refutation = &draft->refutation;
    return draft;
}

static uint32_t *literals_of(struct draft *draft, uint32_t clause)
{
    return (uint32_t *)draft->clauses[clause].literals;
}

static struct esse_edge *edges_of(struct draft *draft, uint32_t clause)
{
    return (struct esse_edge *)draft->clauses[clause].edges;
}

static void drop_literal(struct draft *draft, uint32_t clause, uint32_t at)
{
    uint32_t *literals = literals_of(draft, clause);
    for (uint32_t i = at; i + 1 < draft->clauses[clause].count; i++)
        literals[i] = literals[i + 1];
    draft->clauses[clause].count--;
}

static void drop_edge(struct draft *draft, uint32_t clause, uint32_t at)
{
    struct esse_edge *edges = edges_of(draft, clause);
    for (uint32_t i = at; i + 1 < draft->clauses[clause].edge_count; i++)
        edges[i] = edges[i + 1];
    draft->clauses[clause].edge_count--;
}

static void drop_clause(struct draft *draft, uint32_t at)
{
    for (uint32_t i = at; i + 1 < draft->refutation.clause_count; i++)
        draft->clauses[i] = draft->clauses[i + 1];
    draft->refutation.clause_count--;
}

static bool is_accepted(const struct esse_history *history, const struct esse_anomaly *anomaly)
{
    struct esse_error err;
    return esse_recheck_anomaly(history, anomaly, NULL, &err);
}

/* ---- made by hand ---- */

/* It is open which x = 1 it was that t2 read; t5 was aborted, and t6 says nothing. */
static const char *const many_text =
    "{'session':0,'txn':'t0','ops':[{'w':'x','v':1},{'w':'u','v':1}]}\n"
    "{'session':1,'txn':'t1','ops':[{'w':'x','v':1},{'w':'v','v':1}]}\n"
    "{'session':2,'txn':'t2','ops':[{'r':'x','v':1},{'r':'y','v':2}]}\n"
    "{'session':3,'txn':'t3','ops':[{'w':'x','v':2},{'w':'y','v':2}]}\n"
    "{'session':4,'txn':'t4','ops':[{'r':'x','v':2},{'r':'u','v':1},{'r':'v','v':1}]}\n"
    "{'session':5,'txn':'t5','status':'aborted','ops':[{'w':'x','v':3}]}\n"
    "{'session':6,'txn':'t6','ops':[{'w':'x','v':4}]}\n";

enum { X, U, V, Y };

static struct esse_edge edge_of(const struct esse_history *history, enum esse_dep dep, uint32_t key,
                                uint32_t from_op, uint32_t to_op)
{
    return (struct esse_edge){ .from = esse_op_txn(history, from_op),
                               .to = esse_op_txn(history, to_op),
                               .dep = dep,
                               .has_key = true,
                               .key = { key },
                               .from_op = { from_op },
                               .to_op = { to_op },
                               .witness = { ESSE_NO_OP },
                               .why = "a reason" };
}

static struct esse_clause clause_of(struct esse_arena *arena, enum esse_clause_kind kind,
                                    uint32_t count, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t literals[] = { a, b, c };
    return (struct esse_clause){ .kind = kind,
                                 .literals = copy_of(arena, literals, count, sizeof *literals),
                                 .count = count,
                                 .read = { ESSE_NO_OP } };
}

static struct esse_clause cycle_of(struct esse_arena *arena, uint32_t literal, struct esse_edge one,
                                   struct esse_edge other)
{
    const struct esse_edge edges[] = { one, other };
    struct esse_clause clause = clause_of(arena, ESSE_CLAUSE_CYCLE, 1, literal, 0, 0);
    clause.edges = copy_of(arena, edges, 2, sizeof *edges);
    clause.edge_count = 2;
    return clause;
}

enum { CYCLES = 4, BOTH_FIRST = 4, SOURCES = 6, LAST = 7 }; /* of the clauses below */

/* Operations: t0 0 1, t1 2 3, t2 4 5, t3 6 7, t4 8 9 10, t5 11, t6 12. */
static struct draft *many(struct esse_arena *arena, struct esse_history **history)
{
    struct esse_history *h = *history = load_text(arena, "native", many_text);
    const struct esse_choice choices[] = {
        { ESSE_CHOICE_SOURCE, { X }, { 0 }, { 4 }, { 0 } },
        { ESSE_CHOICE_SOURCE, { X }, { 2 }, { 4 }, { 0 } },
        { ESSE_CHOICE_ORDER, { X }, { 0 }, { 6 }, { 0 } },
        { ESSE_CHOICE_ORDER, { X }, { 2 }, { 6 }, { 0 } },
        { ESSE_CHOICE_BOTH, { 0 }, { 0 }, { 0 }, { 0, 4 } },
        { ESSE_CHOICE_BOTH, { 0 }, { 0 }, { 0 }, { 2, 6 } },
    };
    struct esse_clause clauses[] = {
        cycle_of(arena, 9, edge_of(h, ESSE_DEP_WR, Y, 7, 5), edge_of(h, ESSE_DEP_RW, X, 4, 6)),
        cycle_of(arena, 11, edge_of(h, ESSE_DEP_WR, Y, 7, 5), edge_of(h, ESSE_DEP_RW, X, 4, 6)),
        cycle_of(arena, 4, edge_of(h, ESSE_DEP_RW, X, 8, 0), edge_of(h, ESSE_DEP_WR, U, 1, 9)),
        cycle_of(arena, 6, edge_of(h, ESSE_DEP_RW, X, 8, 2), edge_of(h, ESSE_DEP_WR, V, 3, 10)),
        clause_of(arena, ESSE_CLAUSE_BOTH, 3, 8, 1, 5),
        clause_of(arena, ESSE_CLAUSE_BOTH, 3, 10, 3, 7),
        clause_of(arena, ESSE_CLAUSE_SOURCES, 2, 0, 2, 0),
        clause_of(arena, ESSE_CLAUSE_FOLLOWS, 0, 0, 0, 0),
    };
    clauses[SOURCES].read.ix = 4;
    clauses[SOURCES].key.ix = X;
    const struct esse_refutation refutation = { choices, 6, clauses, 8 };
    const struct esse_anomaly anomaly = { .type = ESSE_ANOMALY_NO_ORDER_SERIALIZABLE,
                                          .description = "made by hand",
                                          .refutation = &refutation };
    return draft_of(arena, &anomaly);
}

#define REFUSED_AFTER(change)                                                                      \
    do {                                                                                           \
        struct esse_history *history;                                                              \
        struct draft *d = many(arena, &history);                                                   \
        CHECK(is_accepted(history, &d->anomaly));                                                  \
        change;                                                                                    \
        if (is_accepted(history, &d->anomaly))                                                     \
            fail_msg("accepted after %s", #change);                                                \
    } while (0)

TEST(test_refutation__every_clause_is_needed)
{
    struct esse_arena *arena = esse_arena_new();
    for (uint32_t i = 0; i <= LAST; i++)
        REFUSED_AFTER(drop_clause(d, i));
    REFUSED_AFTER(d->refutation.clause_count = 0);
    REFUSED_AFTER(d->anomaly.refutation = NULL);
    REFUSED_AFTER(d->clauses[LAST].count = 1);
    esse_arena_free(arena);
}

TEST(test_refutation__every_literal_is_needed)
{
    struct esse_arena *arena = esse_arena_new();
    for (uint32_t c = 0; c < LAST; c++) {
        const uint32_t count = c < CYCLES ? 1 : c < SOURCES ? 3 : 2;
        for (uint32_t i = 0; i < count; i++) {
            REFUSED_AFTER(drop_literal(d, c, i));
            REFUSED_AFTER(literals_of(d, c)[i] ^= 1);
            REFUSED_AFTER(literals_of(d, c)[i] = 12);
            REFUSED_AFTER(literals_of(d, c)[i] = UINT32_MAX);
        }
    }
    esse_arena_free(arena);
}

TEST(test_refutation__every_edge_is_needed_as_it_is)
{
    static const enum esse_dep deps[] = { ESSE_DEP_WW,  ESSE_DEP_WR,      ESSE_DEP_RW,
                                          ESSE_DEP_WWP, ESSE_DEP_PROCESS, ESSE_DEP_CO,
                                          ESSE_DEP_END, ESSE_DEP_REALTIME };
    struct esse_arena *arena = esse_arena_new();
    for (uint32_t c = 0; c < CYCLES; c++) {
        for (uint32_t e = 0; e < 2; e++) {
            REFUSED_AFTER(drop_edge(d, c, e));
            for (size_t i = 0; i < sizeof deps / sizeof *deps; i++) {
                struct esse_history *ignored;
                if (deps[i] != edges_of(many(arena, &ignored), c)[e].dep)
                    REFUSED_AFTER(edges_of(d, c)[e].dep = deps[i]);
            }
            for (uint32_t key = 0; key <= 4; key++) {
                struct esse_history *ignored;
                if (key != edges_of(many(arena, &ignored), c)[e].key.ix)
                    REFUSED_AFTER(edges_of(d, c)[e].key.ix = key);
            }
            for (uint32_t op = 0; op <= 13; op++) {
                struct esse_history *ignored;
                const struct esse_edge edge = edges_of(many(arena, &ignored), c)[e];
                if (op != edge.from_op.ix)
                    REFUSED_AFTER(edges_of(d, c)[e].from_op.ix = op);
                if (op != edge.to_op.ix)
                    REFUSED_AFTER(edges_of(d, c)[e].to_op.ix = op);
            }
            REFUSED_AFTER(edges_of(d, c)[e].has_key = false);
            REFUSED_AFTER(edges_of(d, c)[e].basis = ESSE_BASIS_LINEARIZABLE_KEYS);
            REFUSED_AFTER(edges_of(d, c)[e].from.ix = 100);
            REFUSED_AFTER(edges_of(d, c)[e].to.ix = ESSE_NO_TXN);
            REFUSED_AFTER(edges_of(d, c)[e] = edge_of(history, ESSE_DEP_WR, Y, 5, 7));
        }
    }
    esse_arena_free(arena);
}

TEST(test_refutation__every_choice_is_one)
{
    struct esse_arena *arena = esse_arena_new();
    for (uint32_t c = 0; c < 4; c++) {
        const bool is_order = c >= 2;
        REFUSED_AFTER(d->choices[c].key.ix = Y);
        REFUSED_AFTER(d->choices[c].key.ix = 100);
        REFUSED_AFTER(d->choices[c].first.ix = 11);  /* aborted */
        REFUSED_AFTER(d->choices[c].first.ix = 12);  /* not the one that the edges are about */
        REFUSED_AFTER(d->choices[c].first.ix = 8);   /* a read */
        REFUSED_AFTER(d->choices[c].first.ix = 100); /* of no transaction */
        REFUSED_AFTER(d->choices[c].first.ix = ESSE_NO_OP);
        REFUSED_AFTER(d->choices[c].second.ix = 100);
        REFUSED_AFTER(d->choices[c].second.ix = ESSE_NO_OP);
        REFUSED_AFTER(d->choices[c].kind = is_order ? ESSE_CHOICE_SOURCE : ESSE_CHOICE_ORDER);
        REFUSED_AFTER(d->choices[c].kind = ESSE_CHOICE_BOTH);
        REFUSED_AFTER(d->choices[c].kind = (enum esse_choice_kind)7);
        if (is_order) {
            REFUSED_AFTER(d->choices[c].second.ix = 11);
            REFUSED_AFTER(d->choices[c].second = d->choices[c].first); /* one transaction */
            REFUSED_AFTER({
                esse_op first = d->choices[c].first;
                d->choices[c].first = d->choices[c].second;
                d->choices[c].second = first;
            });
        }
    }
    esse_arena_free(arena);
}

/* Even one that no clause speaks of. */
static void add_order(struct draft *draft, uint32_t first, uint32_t second)
{
    draft->choices[draft->refutation.choice_count++] =
        (struct esse_choice){ ESSE_CHOICE_ORDER, { X }, { first }, { second }, { 0 } };
}

TEST(test_refutation__an_order_is_between_two_that_count)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *whole;
    struct draft *added = many(arena, &whole);
    add_order(added, 0, 12);
    CHECK(is_accepted(whole, &added->anomaly));
    REFUSED_AFTER(add_order(d, 0, 11)); /* aborted */
    REFUSED_AFTER(add_order(d, 11, 0));
    REFUSED_AFTER(add_order(d, 0, 0)); /* one transaction */
    REFUSED_AFTER(add_order(d, 0, 8)); /* a read */
    esse_arena_free(arena);
}

/* That t0's y came first says nothing about x. */
TEST(test_refutation__an_order_of_one_key_is_not_that_of_another)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history =
        load_text(arena, "native",
                  "{'session':0,'ops':[{'w':'x','v':1},{'w':'y','v':1}]}\n"
                  "{'session':1,'ops':[{'w':'x','v':2},{'w':'y','v':2}]}\n"
                  "{'session':2,'ops':[{'r':'x','v':1},{'r':'y','v':2}]}\n"
                  "{'session':3,'ops':[{'r':'x','v':2},{'r':'y','v':1}]}\n");
    const struct esse_clause clauses[] = {
        cycle_of(arena, 1, edge_of(history, ESSE_DEP_WR, 1, 3, 5),
                 edge_of(history, ESSE_DEP_RW, 0, 4, 2)),
        cycle_of(arena, 0, edge_of(history, ESSE_DEP_WR, 1, 1, 7),
                 edge_of(history, ESSE_DEP_RW, 0, 6, 0)),
        clause_of(arena, ESSE_CLAUSE_FOLLOWS, 0, 0, 0, 0),
    };
    for (uint32_t key = 0; key < 2; key++) {
        const struct esse_choice choice = {
            ESSE_CHOICE_ORDER, { key }, { key }, { 2 + key }, { 0 }
        };
        const struct esse_refutation refutation = { &choice, 1, clauses, 3 };
        const struct esse_anomaly anomaly = { .type = ESSE_ANOMALY_NO_ORDER_SERIALIZABLE,
                                              .refutation = &refutation };
        CHECK_EQ(is_accepted(history, &anomaly), key == 0);
    }
    esse_arena_free(arena);
}

TEST(test_refutation__both_is_defined_by_what_comes_before)
{
    struct esse_arena *arena = esse_arena_new();
    for (uint32_t part = 0; part < 2; part++) {
        REFUSED_AFTER(d->choices[4].parts[part] = 8);  /* itself */
        REFUSED_AFTER(d->choices[4].parts[part] = 9);  /* its opposite */
        REFUSED_AFTER(d->choices[4].parts[part] = 10); /* a later one */
        REFUSED_AFTER(d->choices[4].parts[part] = 100);
        REFUSED_AFTER(d->choices[4].parts[part] ^= 1);
        REFUSED_AFTER(d->choices[4].parts[part] = d->choices[4].parts[!part]);
    }
    REFUSED_AFTER(literals_of(d, BOTH_FIRST)[2] = 1); /* one part would do */
    REFUSED_AFTER(literals_of(d, BOTH_FIRST)[1] = 5);
    REFUSED_AFTER(d->clauses[BOTH_FIRST].kind = ESSE_CLAUSE_FOLLOWS);
    REFUSED_AFTER(d->clauses[BOTH_FIRST].kind = (enum esse_clause_kind)9);
    REFUSED_AFTER(d->clauses[BOTH_FIRST + 1].literals = d->clauses[BOTH_FIRST].literals);
    esse_arena_free(arena);
}

TEST(test_refutation__sources_are_those_of_a_read_that_counts)
{
    struct esse_arena *arena = esse_arena_new();
    for (uint32_t op = 0; op <= 13; op++)
        if (op != 4)
            REFUSED_AFTER(d->clauses[SOURCES].read.ix = op);
    REFUSED_AFTER(d->clauses[SOURCES].read.ix = ESSE_NO_OP);
    REFUSED_AFTER(d->clauses[SOURCES].key.ix = Y);
    REFUSED_AFTER(d->clauses[SOURCES].key.ix = 100);
    for (uint32_t kind = 0; kind < 4; kind++)
        if (kind != ESSE_CLAUSE_SOURCES)
            REFUSED_AFTER(d->clauses[SOURCES].kind = (enum esse_clause_kind)kind);
    esse_arena_free(arena);
}

/* ---- levels ---- */

/* A cycle that needs no choice, as a refutation of the level. */
static bool refutes(const struct esse_history *history, enum esse_anomaly_id type,
                    const struct esse_edge *edges, uint32_t count)
{
    const struct esse_clause clauses[] = {
        { .kind = ESSE_CLAUSE_CYCLE, .edges = edges, .edge_count = count, .read = { ESSE_NO_OP } },
        { .kind = ESSE_CLAUSE_FOLLOWS, .read = { ESSE_NO_OP } },
    };
    const struct esse_refutation refutation = { NULL, 0, clauses, 2 };
    const struct esse_anomaly anomaly = { .type = type, .refutation = &refutation };
    return is_accepted(history, &anomaly);
}

TEST(test_refutation__two_rw_in_a_row_are_nothing_against_snapshots)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history =
        load_text(arena, "native",
                  "{'session':0,'ops':[{'r':'x','v':null},{'w':'y','v':1}]}\n"
                  "{'session':1,'ops':[{'r':'y','v':null},{'w':'x','v':1}]}\n"
                  "{'session':2,'ops':[{'r':'y','v':1},{'r':'x','v':null}]}\n");
    const struct esse_edge skew[] = { edge_of(history, ESSE_DEP_RW, 0, 0, 3),
                                      edge_of(history, ESSE_DEP_RW, 1, 2, 1) };
    CHECK(refutes(history, ESSE_ANOMALY_NO_ORDER_SERIALIZABLE, skew, 2));
    CHECK(refutes(history, ESSE_ANOMALY_NO_ORDER_REPEATABLE_READ, skew, 2));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_SNAPSHOT_ISOLATION, skew, 2));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_STRONG_SNAPSHOT_ISOLATION, skew, 2));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_PREFIX, skew, 2));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_PARALLEL, skew, 2));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_CONSISTENT_VIEW, skew, 2));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_CAUSAL_CERONE, skew, 2));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_READ_ATOMIC, skew, 2));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_SERIALIZABLE, skew, 1));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_SERIALIZABLE, NULL, 0));
    CHECK(!refutes(history, ESSE_ANOMALY_G2_ITEM, skew, 2));
    CHECK(!refutes(history, ESSE_ANOMALY_NONE, skew, 2));
    esse_arena_free(arena);
}

TEST(test_refutation__sessions_and_time_count_where_the_level_has_them)
{
    static const struct {
        enum esse_anomaly_id type;
        bool sessions, time;
    } levels[] = {
        { ESSE_ANOMALY_NO_ORDER_SERIALIZABLE, false, false },
        { ESSE_ANOMALY_NO_ORDER_STRONG_SESSION_SERIALIZABLE, true, false },
        { ESSE_ANOMALY_NO_ORDER_STRICT_SERIALIZABLE, true, true },
        { ESSE_ANOMALY_NO_ORDER_SNAPSHOT_ISOLATION, false, false },
        { ESSE_ANOMALY_NO_ORDER_STRONG_SESSION_SNAPSHOT_ISOLATION, true, false },
        { ESSE_ANOMALY_NO_ORDER_STRONG_SNAPSHOT_ISOLATION, true, true },
        { ESSE_ANOMALY_NO_ORDER_REPEATABLE_READ, false, false },
        { ESSE_ANOMALY_NO_ORDER_CAUSAL_CERONE, true, false },
        { ESSE_ANOMALY_NO_ORDER_READ_ATOMIC, true, false },
    };
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history =
        load_text(arena, "native",
                  "{'session':0,'start':1,'end':2,'ops':[{'w':'x','v':1}]}\n"
                  "{'session':0,'start':3,'end':4,'ops':[{'r':'x','v':null}]}\n");
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct esse_edge edges[] = { edge_of(history, ESSE_DEP_RW, 0, 1, 0),
                                     edge_of(history, ESSE_DEP_PROCESS, 0, 0, 1) };
        edges[1].has_key = false;
        edges[1].from_op.ix = edges[1].to_op.ix = ESSE_NO_OP;
        CHECK_EQ(refutes(history, levels[i].type, edges, 2), levels[i].sessions);
        edges[1].dep = ESSE_DEP_REALTIME;
        CHECK_EQ(refutes(history, levels[i].type, edges, 2), levels[i].time);
    }
    esse_arena_free(arena);
}

/* Which cycles are forbidden: read-atomic knows one step beside a rw, causal knows reads and
 * sessions, and only parallel snapshot isolation knows ww. */
TEST(test_refutation__beside_a_rw_weak_levels_know_reads_and_sessions)
{
    struct esse_arena *arena = esse_arena_new();
    /* T0 wrote x, T1 read it and wrote y, T2 read y and missed x.  T3 overwrote T0's z by the
     * order given, and T4 read that and missed x. */
    struct esse_history *history =
        load_text(arena, "native",
                  "{\"session\":0,\"ops\":[{\"w\":\"x\",\"v\":1},{\"w\":\"z\",\"v\":1}]}\n"
                  "{\"session\":1,\"ops\":[{\"r\":\"x\",\"v\":1},{\"w\":\"y\",\"v\":1}]}\n"
                  "{\"session\":2,\"ops\":[{\"r\":\"y\",\"v\":1},{\"r\":\"x\",\"v\":null}]}\n"
                  "{\"session\":3,\"ops\":[{\"w\":\"z\",\"v\":2}]}\n"
                  "{\"session\":4,\"ops\":[{\"r\":\"z\",\"v\":2},{\"r\":\"x\",\"v\":null}]}\n"
                  "{\"version_order\":{\"z\":[1,2]}}\n");
    const uint32_t x = 0, z = 1, y = 2;
    const struct esse_edge by_reads[] = { edge_of(history, ESSE_DEP_WR, x, 0, 2),
                                          edge_of(history, ESSE_DEP_WR, y, 3, 4),
                                          edge_of(history, ESSE_DEP_RW, x, 5, 0) };
    const struct esse_edge by_writes[] = { edge_of(history, ESSE_DEP_WW, z, 1, 6),
                                           edge_of(history, ESSE_DEP_WR, z, 6, 7),
                                           edge_of(history, ESSE_DEP_RW, x, 8, 0) };
    CHECK(refutes(history, ESSE_ANOMALY_NO_ORDER_PARALLEL, by_reads, 3));
    CHECK(refutes(history, ESSE_ANOMALY_NO_ORDER_CAUSAL_CERONE, by_reads, 3));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_READ_ATOMIC, by_reads, 3));
    CHECK(refutes(history, ESSE_ANOMALY_NO_ORDER_PARALLEL, by_writes, 3));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_CAUSAL_CERONE, by_writes, 3));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_READ_ATOMIC, by_writes, 3));
    esse_arena_free(arena);
}

/* The version that a predicate saw is a read; those before it that changed what it selects are
 * dependencies, and no reads. */
TEST(test_refutation__an_older_version_is_not_what_a_predicate_read)
{
    struct esse_arena *arena = esse_arena_new();
    /* T0 made the row match, T1 kept it so; T2's predicate returned T1's version and missed y. */
    struct esse_history *history =
        load_text(arena, "native",
                  "{\"session\":0,\"ops\":[{\"w\":\"x\",\"v\":5},{\"w\":\"y\",\"v\":1}]}\n"
                  "{\"session\":1,\"ops\":[{\"w\":\"x\",\"v\":6}]}\n"
                  "{\"session\":2,\"ops\":[{\"p\":\"v > 3\",\"rows\":{\"x\":6}},"
                  "{\"r\":\"y\",\"v\":null}]}\n"
                  "{\"version_order\":{\"x\":[5,6]}}\n");
    const struct esse_edge edges[] = { edge_of(history, ESSE_DEP_WRP, 0, 0, 3),
                                       edge_of(history, ESSE_DEP_RW, 1, 4, 1) };
    CHECK(refutes(history, ESSE_ANOMALY_NO_ORDER_PARALLEL, edges, 2));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_CAUSAL_CERONE, edges, 2));
    CHECK(!refutes(history, ESSE_ANOMALY_NO_ORDER_READ_ATOMIC, edges, 2));
    esse_arena_free(arena);
}

/* The predicate did not return y, so it came before y was written. */
TEST(test_refutation__what_a_predicate_saw_does_not_pass_for_a_read)
{
    static const struct {
        enum esse_anomaly_id type;
        enum esse_dep dep;
        bool refuted;
    } claims[] = {
        { ESSE_ANOMALY_NO_ORDER_SERIALIZABLE, ESSE_DEP_RWP, true },
        { ESSE_ANOMALY_NO_ORDER_SERIALIZABLE, ESSE_DEP_RW, false },
        { ESSE_ANOMALY_NO_ORDER_SNAPSHOT_ISOLATION, ESSE_DEP_RWP, true },
        { ESSE_ANOMALY_NO_ORDER_SNAPSHOT_ISOLATION, ESSE_DEP_RW, false },
        { ESSE_ANOMALY_NO_ORDER_REPEATABLE_READ, ESSE_DEP_RWP, false },
        { ESSE_ANOMALY_NO_ORDER_REPEATABLE_READ, ESSE_DEP_RW, false },
        { ESSE_ANOMALY_NO_ORDER_CAUSAL_CERONE, ESSE_DEP_RWP, true },
        { ESSE_ANOMALY_NO_ORDER_CAUSAL_CERONE, ESSE_DEP_RW, false },
        { ESSE_ANOMALY_NO_ORDER_READ_ATOMIC, ESSE_DEP_RWP, true },
        { ESSE_ANOMALY_NO_ORDER_READ_ATOMIC, ESSE_DEP_RW, false },
    };
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history =
        load_text(arena, "native",
                  "{'session':0,'ops':[{'w':'y','v':5}]}\n"
                  "{'session':1,'ops':[{'p':'v > 3','rows':{}},{'r':'y','v':5}]}\n");
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const struct esse_choice choice = {
            ESSE_CHOICE_SOURCE, { 0 }, { ESSE_NO_OP }, { 1 }, { 0 }
        };
        struct esse_clause clauses[] = {
            cycle_of(arena, 1, edge_of(history, ESSE_DEP_WR, 0, 0, 2),
                     edge_of(history, claims[i].dep, 0, 1, 0)),
            clause_of(arena, ESSE_CLAUSE_SOURCES, 1, 0, 0, 0),
            clause_of(arena, ESSE_CLAUSE_FOLLOWS, 0, 0, 0, 0),
        };
        clauses[1].read.ix = 1;
        const struct esse_refutation refutation = { &choice, 1, clauses, 3 };
        const struct esse_anomaly anomaly = { .type = claims[i].type, .refutation = &refutation };
        CHECK_EQ(is_accepted(history, &anomaly), claims[i].refuted);
    }
    esse_arena_free(arena);
}

/* ---- made by the engine ---- */

static const char *const all_levels[] = { "serializable",
                                          "strict-serializable",
                                          "strong-session-serializable",
                                          "snapshot-isolation",
                                          "strong-session-snapshot-isolation",
                                          "prefix",
                                          "repeatable-read",
                                          "parallel-snapshot-isolation",
                                          "consistent-view" };
enum { LEVELS = sizeof all_levels / sizeof *all_levels };

/* Registers with few values, so that several may have written what was read. */
static struct esse_history *guessing_history(struct esse_arena *arena, uint64_t seed)
{
    struct esse_rng rng = { seed };
    struct esse_builder *builder = esse_builder_new(arena);
    struct esse_history *history = NULL;
    struct esse_error err;
    const uint32_t txns = 3 + esse_rng_below(&rng, 4), keys = 1 + esse_rng_below(&rng, 3);
    const uint32_t values = 1 + esse_rng_below(&rng, 3);
    for (uint32_t t = 0; t < txns; t++) {
        const uint32_t ops = 1 + esse_rng_below(&rng, 3);
        esse_builder_begin(builder, esse_int(t % 4), NULL);
        for (uint32_t i = 0; i < ops; i++) {
            const esse_value key = esse_int(esse_rng_below(&rng, keys));
            const esse_value value = esse_int(1 + esse_rng_below(&rng, values));
            if (esse_rng_below(&rng, 2))
                esse_builder_write(builder, key, value);
            else
                esse_builder_read(builder, key, esse_rng_below(&rng, 4) ? value : esse_nil());
        }
        CHECK(esse_builder_end(builder, ESSE_COMMITTED, &err));
    }
    CHECK(esse_builder_freeze(builder, &history, &err));
    return history;
}

typedef void visitor(struct esse_arena *arena, const struct esse_history *history,
                     const struct esse_anomaly *anomaly);

/* Visits every refutation that the engine finds in a random history; returns how many had a
 * choice. */
static unsigned visit(uint64_t seed, visitor *look)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history =
        seed & 1 ? guessing_history(arena, seed) : random_history(arena, seed, false);
    const struct esse_check_options options = { .levels = all_levels,
                                                .level_count = LEVELS,
                                                .engine = "polygraph" };
    const struct esse_result *result;
    struct esse_error err;
    unsigned found = 0;
    if (!esse_check(arena, history, &options, &result, &err))
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, err.text,
                 write_text(arena, "native", history));
    for (uint32_t v = 0; v < result->verdict_count; v++)
        for (uint32_t i = 0; i < result->verdicts[v].anomaly_count; i++) {
            const struct esse_anomaly *anomaly = &result->verdicts[v].anomalies[i];
            if (!anomaly->refutation)
                continue;
            found += anomaly->refutation->choice_count > 0;
            look(arena, history, anomaly);
        }
    esse_arena_free(arena);
    return found;
}

static void visit_many(visitor *look)
{
    unsigned found = 0;
    const unsigned rounds = test_rounds(3000);
    for (unsigned seed = 1; seed <= rounds; seed++)
        found += visit(seed, look);
    if (getenv("ESSE_TALLY"))
        print_message("%u refutations with choices\n", found);
    CHECK(found > rounds / 100);
}

/* ---- mutants of them ---- */

struct mutant {
    struct esse_arena *arena;
    const struct esse_history *history;
    const struct esse_anomaly *anomaly;
};

static void refuse(const struct mutant *m, const struct draft *draft, const char *what,
                   uint32_t clause, uint32_t at)
{
    if (is_accepted(m->history, &draft->anomaly))
        fail_msg("%s accepted after %s (clause %u, %u) of\n%s", esse_anomaly_name(m->anomaly->type),
                 what, clause, at, write_text(m->arena, "native", m->history));
}

/* Some choice makes all clauses true that are not derived. */
static bool is_satisfiable(const struct esse_refutation *refutation)
{
    for (uint32_t bits = 0; bits < 1u << refutation->choice_count; bits++) {
        bool all = true;
        for (uint32_t c = 0; all && c < refutation->clause_count; c++) {
            const struct esse_clause *clause = &refutation->clauses[c];
            bool one = clause->kind == ESSE_CLAUSE_FOLLOWS;
            for (uint32_t i = 0; i < clause->count; i++)
                one |= (bits >> (clause->literals[i] >> 1) & 1) != (clause->literals[i] & 1);
            all = one;
        }
        if (all)
            return true;
    }
    return false;
}

static bool has_literal(struct esse_given given, uint32_t literal)
{
    for (uint32_t i = 0; i < given.count; i++)
        if (given.literals[i] == literal)
            return true;
    return false;
}

/* A source that is the only one of its read needs no choice. */
static bool is_only_source(const struct esse_refutation *refutation, uint32_t literal)
{
    for (uint32_t c = 0; c < refutation->clause_count; c++)
        if (refutation->clauses[c].kind == ESSE_CLAUSE_SOURCES &&
            refutation->clauses[c].count == 1 && refutation->clauses[c].literals[0] == literal)
            return true;
    return false;
}

/* Does an edge of the clause rest on something that is not among 'given'? */
static bool misses_something(const struct mutant *m, const struct esse_clause *clause,
                             struct esse_given given)
{
    const struct esse_refutation *refutation = m->anomaly->refutation;
    const struct esse_given before = esse_given_of(m->arena, refutation, clause);
    for (uint32_t e = 0; e < clause->edge_count; e++) {
        const struct esse_given rests =
            esse_edge_given(m->arena, m->history, refutation, before, &clause->edges[e]);
        for (uint32_t i = 0; i < rests.count; i++)
            if (!has_literal(given, rests.literals[i]) &&
                !is_only_source(refutation, rests.literals[i]))
                return true;
    }
    return false;
}

/* A literal of a cycle on which no edge rests may go, or be any; what is derived may be derivable
 * in other words.  All else must be as it is. */
static void mutate_literals(const struct mutant *m, uint32_t c)
{
    const struct esse_clause *clause = &m->anomaly->refutation->clauses[c];
    for (uint32_t i = 0; clause->kind != ESSE_CLAUSE_FOLLOWS && i < clause->count; i++) {
        struct draft *dropped = draft_of(m->arena, m->anomaly);
        struct draft *flipped = draft_of(m->arena, m->anomaly);
        struct draft *beyond = draft_of(m->arena, m->anomaly);
        drop_literal(dropped, c, i);
        literals_of(flipped, c)[i] ^= 1;
        literals_of(beyond, c)[i] = 2 * beyond->refutation.choice_count;
        refuse(m, beyond, "a literal of no choice", c, i);
        struct esse_given without =
            esse_given_of(m->arena, &dropped->refutation, &dropped->clauses[c]);
        struct esse_given against =
            esse_given_of(m->arena, &flipped->refutation, &flipped->clauses[c]);
        if (clause->kind != ESSE_CLAUSE_CYCLE || misses_something(m, clause, without))
            refuse(m, dropped, "dropping a literal", c, i);
        if (clause->kind != ESSE_CLAUSE_CYCLE || misses_something(m, clause, against))
            refuse(m, flipped, "flipping a literal", c, i);
    }
}

/* Another operation of the same kind on the same key says the same. */
static void mutate_op(const struct mutant *m, uint32_t c, uint32_t e, bool is_from)
{
    const struct esse_history *history = m->history;
    const struct esse_edge *edge = &m->anomaly->refutation->clauses[c].edges[e];
    const uint32_t old = is_from ? edge->from_op.ix : edge->to_op.ix;
    for (uint32_t op = 0; op <= history->ops; op++) {
        struct draft *draft = draft_of(m->arena, m->anomaly);
        if (op == old || (op < history->ops && history->op_kind[op] == history->op_kind[old] &&
                          history->op_key[op] == history->op_key[old]))
            continue;
        *(is_from ? &edges_of(draft, c)[e].from_op.ix : &edges_of(draft, c)[e].to_op.ix) = op;
        refuse(m, draft, "another operation", c, e);
    }
}

static void mutate_keyed(const struct mutant *m, uint32_t c, uint32_t e)
{
    static const enum esse_dep deps[] = { ESSE_DEP_WW, ESSE_DEP_WR, ESSE_DEP_RW, ESSE_DEP_CO };
    const struct esse_edge *edge = &m->anomaly->refutation->clauses[c].edges[e];
    for (size_t i = 0; i < sizeof deps / sizeof *deps; i++) {
        struct draft *draft = draft_of(m->arena, m->anomaly);
        edges_of(draft, c)[e].dep = deps[i];
        if (deps[i] != edge->dep)
            refuse(m, draft, esse_dep_name(deps[i]), c, e);
    }
    for (uint32_t key = 0; key <= m->history->keys; key++) {
        struct draft *draft = draft_of(m->arena, m->anomaly);
        edges_of(draft, c)[e].key.ix = key;
        if (key != edge->key.ix)
            refuse(m, draft, "another key", c, e);
    }
    mutate_op(m, c, e, true);
    mutate_op(m, c, e, false);
}

static void mutate_edges(const struct mutant *m, uint32_t c)
{
    const struct esse_clause *clause = &m->anomaly->refutation->clauses[c];
    for (uint32_t e = 0; e < clause->edge_count; e++) {
        struct draft *dropped = draft_of(m->arena, m->anomaly);
        struct draft *turned = draft_of(m->arena, m->anomaly);
        drop_edge(dropped, c, e);
        refuse(m, dropped, "dropping an edge", c, e);
        edges_of(turned, c)[e].from = clause->edges[e].to;
        edges_of(turned, c)[e].to = clause->edges[e].from;
        refuse(m, turned, "turning an edge round", c, e);
        edges_of(turned, c)[e].from_op = clause->edges[e].to_op;
        edges_of(turned, c)[e].to_op = clause->edges[e].from_op;
        refuse(m, turned, "turning an edge and its operations round", c, e);
        if (clause->edges[e].has_key)
            mutate_keyed(m, c, e);
    }
}

/* Does any cycle rest on the choice? */
static bool is_rested_on(const struct mutant *m, uint32_t choice)
{
    const struct esse_refutation *refutation = m->anomaly->refutation;
    for (uint32_t c = 0; c < refutation->clause_count; c++) {
        const struct esse_given given = { NULL, 0 };
        struct esse_given all = esse_given_of(m->arena, refutation, &refutation->clauses[c]);
        if ((has_literal(all, 2 * choice) || has_literal(all, 2 * choice + 1)) && all.count == 1 &&
            misses_something(m, &refutation->clauses[c], given))
            return true;
    }
    return false;
}

static void mutate_choices(const struct mutant *m)
{
    for (uint32_t i = 0; i < m->anomaly->refutation->choice_count; i++) {
        const struct esse_choice choice = m->anomaly->refutation->choices[i];
        struct draft *turned = draft_of(m->arena, m->anomaly);
        struct draft *same = draft_of(m->arena, m->anomaly);
        if (choice.kind == ESSE_CHOICE_BOTH) {
            same->choices[i].parts[1] = 2 * i;
            refuse(m, same, "a choice that is part of itself", i, 0);
            continue;
        }
        same->choices[i].second = choice.first;
        refuse(m, same, "a choice between one", i, 0);
        turned->choices[i].first = choice.second;
        turned->choices[i].second = choice.first;
        if (choice.kind == ESSE_CHOICE_SOURCE || is_rested_on(m, i))
            refuse(m, turned, "turning a choice round", i, 0);
    }
}

static void mutate(struct esse_arena *arena, const struct esse_history *history,
                   const struct esse_anomaly *anomaly)
{
    const struct mutant m = { arena, history, anomaly };
    const struct esse_refutation *refutation = anomaly->refutation;
    CHECK(is_accepted(history, anomaly));
    for (uint32_t c = 0; c < refutation->clause_count; c++) {
        struct draft *dropped = draft_of(arena, anomaly);
        drop_clause(dropped, c);
        if (refutation->choice_count < 12 && is_satisfiable(&dropped->refutation))
            refuse(&m, dropped, "dropping a clause", c, 0);
        mutate_literals(&m, c);
        mutate_edges(&m, c);
    }
    mutate_choices(&m);
    struct draft *open = draft_of(arena, anomaly);
    open->refutation.clause_count--;
    if (!open->refutation.clause_count || open->clauses[open->refutation.clause_count - 1].count)
        refuse(&m, open, "leaving out the end", refutation->clause_count, 0);
}

TEST(test_refutation__what_the_engine_made_is_refused_after_any_change)
{
    visit_many(mutate);
}

/* ---- in a file ---- */

static void save(const struct esse_history *history, const struct esse_anomaly *anomaly,
                 const char *path)
{
    struct esse_arena *arena = esse_arena_new();
    const struct esse_verdict verdict = { .level = ESSE_LEVEL_SERIALIZABLE,
                                          .outcome = ESSE_VIOLATED,
                                          .anomalies = anomaly,
                                          .anomaly_count = 1 };
    const struct esse_result result = { .verdicts = &verdict, .verdict_count = 1 };
    const struct esse_report report = { "h.jsonl", history, &result, false, false };
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_report_evidence(&out, &report);
    FILE *file = fopen(path, "w");
    CHECK(file);
    fputs(esse_out_memory(&out), file);
    fclose(file);
    esse_arena_free(arena);
}

static const char *scratch_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/esse-refutation-%d.json", (int)getpid());
    return path;
}

static void read_again(struct esse_arena *arena, const struct esse_history *history,
                       const struct esse_anomaly *anomaly)
{
    struct esse_evidence evidence;
    struct esse_error err;
    save(history, anomaly, scratch_path());
    if (!esse_evidence_read(arena, scratch_path(), &evidence, &err))
        fail_msg("%s", err.text);
    unlink(scratch_path());
    const struct esse_anomaly *read = &evidence.verdicts[0].anomalies[0];
    const struct esse_refutation *a = anomaly->refutation, *b = read->refutation;
    CHECK(is_accepted(history, read));
    CHECK_EQ(a->choice_count, b->choice_count);
    CHECK_EQ(a->clause_count, b->clause_count);
    for (uint32_t i = 0; i < a->clause_count; i++) {
        CHECK_EQ(a->clauses[i].kind, b->clauses[i].kind);
        CHECK_EQ(a->clauses[i].count, b->clauses[i].count);
        CHECK_EQ(a->clauses[i].edge_count, b->clauses[i].edge_count);
    }
}

TEST(test_refutation__is_written_and_read_again)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history;
    struct draft *draft = many(arena, &history);
    read_again(arena, history, &draft->anomaly);
    esse_arena_free(arena);
    for (unsigned seed = 1 + test_first(200), after = seed + test_rounds(200); seed < after; seed++)
        visit(seed, read_again);
}

/* 'text' in the place of the refutation of a file; whether the file is read. */
static bool reads_as(const char *text, struct esse_error *err)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_evidence evidence;
    FILE *file = fopen(scratch_path(), "w");
    CHECK(file);
    fputs(json(arena, esse_arena_format(
                          arena,
                          "{'esse':'evidence','version':1,'transactions':1,'operations':1,"
                          "'results':[{'level':'serializable','verdict':'violated',"
                          "'anomalies':[{'type':'serializable-no-order','refutation':%s}]}]}",
                          text)),
          file);
    fclose(file);
    bool ok = esse_evidence_read(arena, scratch_path(), &evidence, err);
    unlink(scratch_path());
    esse_arena_free(arena);
    return ok;
}

TEST(test_refutation__a_file_is_read_strictly)
{
    static const struct {
        const char *text, *error; /* NULL: it is read */
    } cases[] = {
        { "{'choices':[],'clauses':[]}", NULL },
        { "{'clauses':[{'literals':[3],'kind':'follows'}],'choices':[{'kind':'order','key':0,"
          "'first':0,'second':1},{'kind':'both','parts':[0,1]}]}",
          NULL },
        { "{'choices':[{'kind':'order','key':0,'first':0,'second':1}],"
          "'clauses':[{'kind':'follows','literals':[2]}]}",
          "found literal 2 of 1 choices in clause 0" },
        { "{'choices':[],'clauses':[{'kind':'magic','literals':[]}]}",
          "found \"magic\", expected cycle, sources, both or follows" },
        { "{'choices':[{'kind':'guess'}],'clauses':[]}",
          "found \"guess\", expected order, source or both" },
        { "{'choices':[{'kind':'order','key':0,'first':0}],'clauses':[]}",
          "a choice does not have the members of its kind" },
        { "{'choices':[{'kind':'both','parts':[0,1],'key':0}],'clauses':[]}",
          "a choice does not have the members of its kind" },
        { "{'choices':[{'kind':'both','parts':[0,1,2]}],'clauses':[]}",
          "found 3 parts, expected two" },
        { "{'choices':[],'clauses':[{'kind':'cycle','literals':[]}]}",
          "a clause does not have the members of its kind" },
        { "{'choices':[],'clauses':[{'kind':'follows','literals':[null]}]}",
          "found null, expected a number" },
        { "{'choices':[],'clauses':[{'kind':'follows','literals':[-1]}]}", "found -1" },
        { "{'choices':[],'clauses':[],'hints':[]}", "unknown member \"hints\"" },
        { "{'choices':[{'kind':'order','why':1}],'clauses':[]}", "unknown member \"why\"" },
        { "{'choices':[],'clauses':[{'kind':'follows','why':1}]}", "unknown member \"why\"" },
        { "[]", "a refutation" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct esse_error err = { 0 };
        CHECK_EQ(reads_as(cases[i].text, &err), !cases[i].error);
        if (cases[i].error && !strstr(err.text, cases[i].error))
            fail_msg("'%s' is not in '%s'", cases[i].error, err.text);
    }
}

/* ---- in cases ---- */

/* Is every literal of the clause false, but for one? */
static bool is_false(struct esse_arena *arena, const struct esse_refutation *refutation,
                     const struct esse_clause *clause, const uint8_t *is_so, uint32_t but)
{
    const struct esse_given given = esse_given_of(arena, refutation, clause);
    bool found = but == UINT32_MAX;
    for (uint32_t i = 0; i < given.count; i++) {
        if ((given.literals[i] ^ 1) == but)
            found = true;
        else if (!is_so[given.literals[i]])
            return false;
    }
    return found;
}

/* Follows the argument with nothing but what it has shown. */
static uint32_t follow(struct esse_arena *arena, const struct esse_refutation *refutation,
                       const struct esse_case *argued, const uint8_t *before)
{
    const size_t room = 2u * (size_t)refutation->choice_count;
    uint8_t *is_so = copy_of(arena, before, room, 1);
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < argued->follow_count; i++) {
        const struct esse_consequence *found = &argued->follows[i];
        CHECK(is_false(arena, refutation, found->clause, is_so, found->literal));
        is_so[found->literal] = 1;
    }
    if (argued->broken) {
        CHECK(is_false(arena, refutation, argued->broken, is_so, UINT32_MAX));
        return 1;
    }
    CHECK(argued->cases[0]);
    CHECK_EQ(argued->cases[0]->literal ^ 1, argued->cases[1]->literal);
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t *one = copy_of(arena, is_so, room, 1);
        one[argued->cases[i]->literal] = 1;
        leaves += follow(arena, refutation, argued->cases[i], one);
    }
    CHECK_EQ(leaves, argued->leaves);
    return leaves;
}

static void argue_in_cases(struct esse_arena *arena, const struct esse_history *history,
                           const struct esse_anomaly *anomaly)
{
    const struct esse_refutation *refutation = anomaly->refutation;
    uint8_t *nothing = esse_arena_alloc(arena, 2u * refutation->choice_count + 1u, 1);
    uint32_t count;
    follow(arena, refutation, esse_cases_of(arena, refutation), nothing);
    const struct esse_case_line *lines = esse_case_lines(arena, history, refutation, 0, &count);
    CHECK(count);
    CHECK_EQ(lines[count - 1].kind, ESSE_CASE_CONCLUSION);
    for (uint32_t i = 0; i < count; i++)
        CHECK(lines[i].kind != ESSE_CASE_REST || strstr(lines[i].text, "more of the same kind"));
}

TEST(test_refutation__the_cases_are_an_argument)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history;
    argue_in_cases(arena, history, &many(arena, &history)->anomaly);
    esse_arena_free(arena);
    visit_many(argue_in_cases);
}

/* Every choice of 'count' can be either, and every combination of them is a cycle. */
static struct esse_refutation *all_combinations(struct esse_arena *arena,
                                                const struct esse_history *history, uint32_t count)
{
    struct esse_refutation *refutation = esse_arena_alloc(arena, 1, sizeof *refutation);
    struct esse_choice *choices = esse_arena_alloc(arena, count, sizeof *choices);
    struct esse_clause *clauses = esse_arena_alloc(arena, 1u << count, sizeof *clauses);
    for (uint32_t i = 0; i < count; i++)
        choices[i] = (struct esse_choice){ ESSE_CHOICE_ORDER, { X }, { 0 }, { 6 }, { 0 } };
    for (uint32_t bits = 0; bits < 1u << count; bits++) {
        uint32_t *literals = esse_arena_alloc(arena, count, sizeof *literals);
        clauses[bits] = cycle_of(arena, 0, edge_of(history, ESSE_DEP_WR, Y, 7, 5),
                                 edge_of(history, ESSE_DEP_RW, X, 4, 6));
        for (uint32_t i = 0; i < count; i++)
            literals[i] = 2 * i + (bits >> i & 1);
        clauses[bits].literals = literals;
        clauses[bits].count = count;
    }
    *refutation = (struct esse_refutation){ choices, count, clauses, 1u << count };
    return refutation;
}

TEST(test_refutation__many_cases_are_numbered_and_cut)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(arena, "native", many_text);
    struct esse_refutation *refutation = all_combinations(arena, history, 4);
    uint32_t count, suppositions = 0, last = 0;
    const struct esse_case *argued = esse_cases_of(arena, refutation);
    CHECK_EQ(argued->leaves, 16);
    const struct esse_case_line *lines = esse_case_lines(arena, history, refutation, 0, &count);
    for (uint32_t i = 0; i < count; i++) {
        suppositions += lines[i].kind == ESSE_CASE_SUPPOSE;
        if (lines[i].kind == ESSE_CASE_SUPPOSE)
            last = i;
    }
    CHECK_EQ(suppositions, 30);
    CHECK(strncmp(lines[0].text, "Case 1: suppose ", 16) == 0);
    CHECK_TEXT(lines[last].text, "Case 2.2.2.2: suppose it came after:");
    CHECK_EQ(lines[last].depth, 3);
    lines = esse_case_lines(arena, history, refutation, 3, &count);
    CHECK_TEXT(lines[count - 1].text, "… and 13 more cases");
    CHECK(count < 20);
    esse_arena_free(arena);
}

TEST(test_refutation__cases_without_end_are_left_open)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = load_text(arena, "native", many_text);
    struct esse_refutation *refutation = all_combinations(arena, history, 12);
    uint32_t count;
    const struct esse_case_line *lines = esse_case_lines(arena, history, refutation, 4, &count);
    CHECK(strncmp(lines[count - 1].text, "… and ", strlen("… and ")) == 0);
    esse_arena_free(arena);
}

TEST(test_refutation__choices_in_words)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history;
    struct draft *d = many(arena, &history);
    const struct esse_refutation *refutation = &d->refutation;
    uint32_t count;
    CHECK_TEXT(esse_choice_words(arena, history, refutation, 0),
               "t2 read the 1 that t0 wrote to x");
    CHECK_TEXT(esse_choice_words(arena, history, refutation, 3),
               "t2 did not read the 1 that t1 wrote to x");
    CHECK_TEXT(esse_choice_words(arena, history, refutation, 4),
               "the 1 that t0 wrote to x came before the 2 that t3 wrote");
    CHECK_TEXT(esse_choice_words(arena, history, refutation, 5),
               "the 1 that t0 wrote to x came after the 2 that t3 wrote");
    d->choices[0].first.ix = ESSE_NO_OP;
    CHECK_TEXT(esse_choice_words(arena, history, refutation, 0), "t2 read the initial value of x");
    d->choices[0].first.ix = 0;
    CHECK_EQ(esse_choice_number(refutation, 3), 4);
    const struct esse_edge *edges = esse_refutation_edges(arena, refutation, &count);
    CHECK_EQ(count, 6);
    CHECK(!esse_edge_condition(arena, history, refutation, &edges[0]));
    CHECK_TEXT(esse_edge_condition(arena, history, refutation, &edges[1]), "1, 3 or 2, 4");
    CHECK_TEXT(esse_edge_condition(arena, history, refutation, &edges[2]), "not 3");
    esse_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refutation__every_clause_is_needed),
        cmocka_unit_test(test_refutation__every_literal_is_needed),
        cmocka_unit_test(test_refutation__every_edge_is_needed_as_it_is),
        cmocka_unit_test(test_refutation__every_choice_is_one),
        cmocka_unit_test(test_refutation__an_order_is_between_two_that_count),
        cmocka_unit_test(test_refutation__an_order_of_one_key_is_not_that_of_another),
        cmocka_unit_test(test_refutation__both_is_defined_by_what_comes_before),
        cmocka_unit_test(test_refutation__sources_are_those_of_a_read_that_counts),
        cmocka_unit_test(test_refutation__two_rw_in_a_row_are_nothing_against_snapshots),
        cmocka_unit_test(test_refutation__sessions_and_time_count_where_the_level_has_them),
        cmocka_unit_test(test_refutation__beside_a_rw_weak_levels_know_reads_and_sessions),
        cmocka_unit_test(test_refutation__an_older_version_is_not_what_a_predicate_read),
        cmocka_unit_test(test_refutation__what_a_predicate_saw_does_not_pass_for_a_read),
        cmocka_unit_test(test_refutation__what_the_engine_made_is_refused_after_any_change),
        cmocka_unit_test(test_refutation__is_written_and_read_again),
        cmocka_unit_test(test_refutation__a_file_is_read_strictly),
        cmocka_unit_test(test_refutation__the_cases_are_an_argument),
        cmocka_unit_test(test_refutation__many_cases_are_numbered_and_cut),
        cmocka_unit_test(test_refutation__cases_without_end_are_left_open),
        cmocka_unit_test(test_refutation__choices_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
