#ifndef ESSE_ENGINE_POLYGRAPH_POLY_STATE_H
#define ESSE_ENGINE_POLYGRAPH_POLY_STATE_H

#include "base/checked.h"
#include "base/index.h"
#include "base/radix.h"
#include "base/vec.h"
#include "engine/dsg/dsg_graph.h"
#include "sat/acyclic.h"

/* What the parts of the engine share: one level of one history, as a graph and choices. */

/*
 * How dependencies become edges of a graph that must be acyclic, by the level's kind of cycle:
 * ANY and ITEM_RW have a node a transaction; NO_TWO_RW has a start and a commit, and ww leads to
 * the start; RW_AFTER_READ the same, but ww leads to the commit; ONE_RW and what is below it have a
 * node a transaction, and rw is no edge: at most one may close a cycle, with every dependency
 * (ONE_RW), with reads-from and session order (RW_AND_READS), with one of these alone
 * (RW_AND_ONE_READ).
 */
static inline bool poly_decides(const struct esse_level *level)
{
    return level->cycle >= ESSE_CYCLE_RW_AND_ONE_READ;
}

/* A read that may be of several versions: of one of sources[first .. first + count).  The choice
 * of the i-th has the number choice + i. */
struct poly_open {
    uint32_t txn, key, op;
    uint32_t first, count, choice;
    bool predicate; /* the key was not returned, so it saw a version that does not match */
    bool optional;  /* or it saw a write whose transaction's outcome is unknown */
};

ESSE_VEC(poly_open_vec, struct poly_open)

/*
 * What the reads of a history are of: made once, for all levels.
 *
 *   1) Every version has its key, and its readers are reads of it; or, if that is supposed, of no
 *      known version.
 *   2) Open reads are of transactions that count, and their sources are versions of their key.
 *   3) If one of them is optional, 'optional' says so.
 */
struct poly_reads {
    const struct versions *versions;
    uint32_t *version_key;
    uint32_t *reader_first;
    key_access_id *reader; /* by version: the accesses that read it, one a transaction */
    struct poly_open_vec open;
    struct esse_u32_vec sources; /* versions */
    bool stuck;                  /* some read is of a list that cannot be */
    bool optional;               /* some open read is */
    bool is_supposed; /* some reads are only supposed to be of their versions: not to refute by */
};

/* Do they have their invariants?  O(versions + accesses). */
bool poly_reads_valid(const struct poly_reads *reads);

/* False if the budget is spent or a predicate is bad: then 'err' says so. */
bool poly_reads_find(struct poly_reads *reads, const struct versions *versions, bool predicates,
                     struct esse_budget *budget, struct esse_error *err);
/* For the two that find them. */
void poly_reads_add(struct poly_reads *reads, const struct poly_open *open);
/* Those that are not optional: what they rule out is ruled out whatever became of the
 * transactions of unknown outcome. */
struct poly_reads poly_reads_sure(const struct poly_reads *reads);
/* Without the sources that cannot be if every transaction's rank is right but for its margin.
 * O(open reads * log versions), and a sort of the versions; in 'arena'. */
struct poly_reads poly_reads_suppose(const struct poly_reads *reads, struct esse_arena *arena,
                                     const uint32_t *rank, const uint32_t *margin);
bool poly_predicates_find(struct poly_reads *reads, struct esse_budget *budget,
                          struct esse_error *err);

enum poly_choice_kind { POLY_ORDER, POLY_SOURCE, POLY_BOTH };

/* ORDER: version a comes before version b, a < b as numbers.  SOURCE: open read a is of version b.
 * BOTH: literals a, a SOURCE, and b, an ORDER.  Its number is that of the solver's variable. */
struct poly_choice {
    uint32_t kind, a, b;
};

ESSE_VEC(poly_choice_vec, struct poly_choice)

/* A clause that the solver was given or learnt, for the refutation. */
struct poly_clause {
    uint32_t kind; /* enum esse_clause_kind */
    uint32_t lits, lit_count;
    uint32_t edges, edge_count; /* of the cycle */
    uint32_t open;              /* of SOURCES: the open read */
};

ESSE_VEC(poly_clause_vec, struct poly_clause)
ESSE_VEC(poly_edge_vec, struct esse_guarded_edge)

struct poly_proof {
    struct poly_clause_vec clauses; /* cycles, sources and definitions; not what follows */
    struct esse_u32_vec lits;
    struct poly_edge_vec edges;
};

ESSE_VEC(poly_phase_vec, struct esse_phase)

/* Version a comes before version b, as the graph of what was inferred before number 'round', in
 * 'depth' rounds, forces. */
struct poly_inferred {
    version_id a, b;
    uint32_t round, depth;
};

ESSE_VEC(poly_inferred_vec, struct poly_inferred)

/* A clause that a small cycle is: not both of "version before[i] comes before version after[i]",
 * whose edges lead from[i] -> to[i], because from one to the other there are known paths.  Or the
 * open read before[0] is not of its source number after[0]. */
struct poly_small {
    bool is_source, is_given;
    uint32_t before[2], after[2];
    esse_node from[2], to[2]; /* nodes */
};

ESSE_VEC(poly_small_vec, struct poly_small)

enum { POLY_SESSION = 1, POLY_TIME = 2 }; /* optimistic edges */

/*
 * Invariants, once poly_known_build was there:
 *
 *   1) Nodes: those of transactions, one or two each; from time_nodes_at on those of time, if it
 *      has these edges; from aux_nodes_at on one for each key that has an auxiliary node, in the
 *      order of the keys.
 *   2) Both graphs have these nodes and no others.
 *   3) Orders that were inferred are of two versions of one key.
 *   4) A choice is a variable of the solver, by number.  An ORDER is of two versions of a key that
 *      stand for themselves, a < b; a SOURCE is the one that its open read says; BOTH is of a
 *      SOURCE, not negated, and an ORDER.
 *   5) The literals of the proof's clauses are choices, and their edges lead between nodes.
 */
struct poly {
    struct esse_arena *arena;       /* of the solver and what belongs to it */
    struct esse_arena *graph_arena; /* of the graph, which may outlive several of them */
    unsigned ablate;                /* enum esse_ablation */
    const struct versions *versions;
    const struct poly_reads *reads;
    const struct dsg_time *time_line;
    const struct poly_layout *layout; /* an estimate of the order of commits */
    struct esse_budget *budget;
    const struct esse_level *level;
    bool sessions, time;      /* the edges that it has: those of the level, and optimistic ones */
    const uint8_t *retracted; /* by transaction: optimistic edges to it that it does not have */
    uint32_t nodes, time_nodes_at, aux_nodes_at;
    struct esse_csr base;              /* what is known */
    struct esse_csr known;             /* and what was inferred from it; or the same */
    struct poly_inferred_vec inferred; /* orders, in the order in which they were found */
    struct poly_inferred_vec covers;   /* those of them from which the others follow */
    /* If it was refuted by what is wrong in one place: by transaction its rank, and the ranks
     * between which the refutation stays; NULL otherwise. */
    const uint32_t *near;
    uint32_t near_low, near_high;
    struct poly_small_vec small;
    uint64_t small_given;
    size_t small_phase; /* where what was found is noted */
    struct poly_phase_vec phases;
    esse_node *key_aux_node; /* by key: a node between the readers of what is oldest and the rest */
    struct poly_choice_vec choices;
    struct esse_index choice_of;
    struct esse_solver *solver;
    struct esse_acyclic *acyclic;
    struct poly_proof proof;
    /* Room for looking for what an order breaks. */
    struct esse_pair *places;
    uint32_t *place;
    struct poly_single *single; /* of ESSE_CYCLE_ONE_RW */
    struct poly_past *past;     /* of what is below it */
    uint64_t rounds;
    uint64_t waited; /* times that no transaction could go on in the schedule */
    bool is_hard;    /* solving it gave up: what an easy history has no use for is tried too */
};

/* Does it have its invariants?  O(edges + choices + proof). */
bool poly_valid(const struct poly *poly);

/* From transactions to the versions that they install, and to those that they certainly read. */
void poly_group_versions(const struct poly *poly, struct esse_arena *arena,
                         struct esse_csr *installed, struct esse_csr *read);

/* ---- nodes ---- */

static inline bool poly_is_doubled(const struct poly *poly)
{
    return esse_level_has_starts(poly->level);
}

/* Where an edge leaves and enters a transaction. */
static inline esse_node poly_leaves(const struct poly *poly, uint32_t txn, enum esse_dep dep)
{
    return (esse_node){ poly_is_doubled(poly) ? 2 * txn + !dsg_is_anti(dep) : txn };
}

static inline esse_node poly_enters(const struct poly *poly, uint32_t txn, enum esse_dep dep)
{
    bool commit =
        dsg_is_anti(dep) || (dep == ESSE_DEP_WW && poly->level->cycle == ESSE_CYCLE_RW_AFTER_READ);
    return (esse_node){ poly_is_doubled(poly) ? 2 * txn + commit : txn };
}

static inline esse_node poly_commit(const struct poly *poly, uint32_t txn)
{
    return (esse_node){ poly_is_doubled(poly) ? 2 * txn + 1 : txn };
}

/* The transaction of a node, or ESSE_NO_TXN for one of the auxiliary nodes. */
static inline uint32_t poly_txn(const struct poly *poly, esse_node node)
{
    return node.ix >= poly->time_nodes_at ? ESSE_NO_TXN
           : poly_is_doubled(poly)        ? node.ix >> 1
                                          : node.ix;
}

/* ---- what is known ---- */

/* Is version a known to come before version b of the same key? */
static inline bool poly_is_known(const struct versions *versions, uint32_t key, version_id a,
                                 version_id b)
{
    return a.ix < b.ix && (a.ix == versions->first[key].ix ||
                           (a.ix < versions->unordered[key].ix &&
                            (b.ix < versions->unordered[key].ix || !versions->gaps[key])));
}

/* Can any two versions of the key be in either order? */
static inline bool poly_is_open_key(const struct versions *versions, uint32_t key)
{
    return versions->first[key + 1].ix - versions->unordered[key].ix >
           (versions->gaps[key] ? 0 : 1);
}

/* Numbers the nodes and builds poly->base; poly->known is the same until more is inferred. */
void poly_known_build(struct poly *poly);
/* The edges of what is known, with those of poly->covers if these were found. */
void poly_known_draw(struct poly *poly, struct esse_csr *csr, bool inferred);

/* Is the session's edge to 'txn' one of those that the graph has? */
static inline bool poly_follows_session(const struct poly *poly, uint32_t txn)
{
    return poly->sessions &&
           (poly->level->needs_session_order || !(poly->retracted[txn] & POLY_SESSION));
}

/* The edges that "version a before version b" comes to: from the writer of a, and from its
 * readers. */
void poly_order_edges(const struct poly *poly, version_id a, version_id b,
                      void (*edge)(void *context, uint32_t from, uint32_t to), void *context);

/* Infers orders of versions until nothing more follows; false if the budget is spent. */
bool poly_prune(struct poly *poly);

/* Infers the orders of versions that transactions near one another in the order of these ranks
 * force; false if the budget is spent.  For levels where rw is an edge, without real time. */
bool poly_sweep(struct poly *poly, const uint32_t *rank);

/* By node: an order that agrees with what is known and breaks few reads, near an estimate of the
 * order of events; by local search if it breaks some and that is asked for. */
uint32_t *poly_estimate(struct poly *poly, bool searches);
/* The same by the ranks of poly->near alone. */
uint32_t *poly_place_near(struct poly *poly);
/* From an estimate by transaction to a place by node; UINT32_MAX for those that a
 * cycle keeps from running. */
void poly_schedule(struct poly *poly, const uint32_t *rank, uint32_t *place);
/* From a rank by transaction to a better one, where no order was recorded. */
void poly_run_on_demand(const struct poly *poly, const uint32_t *rank, uint32_t *better);
/* From a place by node to an estimate by transaction that breaks less; false if it does not. */
bool poly_breakout(struct poly *poly, const uint32_t *place, uint32_t *rank);

/* ---- choices ---- */

/* The version of the same transaction and key that the choices about a version are made for. */
version_id poly_stands_for(const struct poly *poly, version_id version);

/* The literal "version a comes before version b", its choice made if it is new. */
esse_lit poly_order(struct poly *poly, version_id a, version_id b);
/* The same, or ESSE_LIT_NONE if there is no such choice yet. */
esse_lit poly_order_find(const struct poly *poly, version_id a, version_id b);

/* A choice for any two versions whose order is not known.  O(the square of a key's versions). */
void poly_all_orders(struct poly *poly, uint32_t most); /* of keys with at most so many versions */

/* Choices for all open reads, with their clauses. */
void poly_open_choices(struct poly *poly);
/* Open read 'open' is of its i-th source, and that one comes before version b. */
void poly_both(struct poly *poly, const struct poly_open *open, uint32_t i, version_id b);

/* Those clauses of poly->small whose choices are made, and that were not given yet. */
void poly_small_give(struct poly *poly);

/* The edges that a literal guards: the callback of the theory. */
void poly_edges_of(void *context, esse_lit lit);

/* A clause that holds by itself, for the solver and for the proof; 'open' is of SOURCES. */
void poly_give(struct poly *poly, enum esse_clause_kind kind, const esse_lit *lits, uint32_t count,
               uint32_t open);
/* Where an edge of the cycle does not begin where the one before it ended, there is a known path.
 */
void poly_give_cycle(struct poly *poly, const struct esse_theory_clause *clause);
/* A cycle for the proof alone. */
void poly_keep_cycle(struct poly *poly, const struct esse_theory_clause *clause);

/* ---- what the order breaks ---- */

/* Makes choices of what the order at hand breaks; false if nothing is broken. */
bool poly_find_broken(struct poly *poly);

/* Up to ESSE_CYCLE_ONE_RW: cycles with one rw, as clauses, and the choices that they are about; the
 * second where the rest of the cycle must be reads-from and session order. */
bool poly_find_single(struct poly *poly);
bool poly_find_past(struct poly *poly);

/* The versions of a key in the order at hand: poly->places[first[key] + 1 .. first[key + 1]), and
 * where each of them is. */
void poly_sort_versions(struct poly *poly, uint32_t key);

/* ---- solving ---- */

/* Finds an order of events that explains the history, or refutes that there is one; UNKNOWN if the
 * budget is spent.  poly_close gives everything back. */
enum esse_solver_answer poly_solve(struct poly *poly);
/* The same where reads are supposed to be of their versions, with few conflicts: UNSAT refutes
 * nothing but that.  So many reads were open before. */
enum esse_solver_answer poly_solve_supposed(struct poly *poly, uint64_t open_before);
/* After UNSAT: twice the margin for those near what the refutation rests on. */
void poly_widen(const struct poly *poly, uint32_t *margin);
/* Refutes what a few transactions near one another show; false if that does not refute it. */
bool poly_solve_locally(struct poly *poly);
void poly_close(struct poly *poly);

/* A phase that began at 'started' is over: what it came to, in 'counts'. */
struct esse_phase *poly_phase(struct poly *poly, const char *name, double started);

/* After SAT: the order, in 'arena'. */
struct esse_order poly_read_order(const struct poly *poly, struct esse_arena *arena);

/* ---- optimistic edges ---- */

/* After UNSAT: retracts the optimistic edges that the refutation rests on, and those that lead to
 * transactions at most 'reach' ranks away.  Returns how many it rests on; 0: it refutes the level
 * itself. */
uint32_t poly_blame(const struct poly *poly, uint32_t reach, uint8_t *retracted);

/* ---- refuting ---- */

/* Leaves the clauses that a refutation needs, few of them if there is time. */
void poly_shrink_proof(struct poly *poly);

/* Gives clauses to what pruning inferred, as far as the refutation rests on it. */
void poly_reconstruct_proof(struct poly *poly);

/* After UNSAT: the refutation in operations and words. */
void poly_explain(struct poly *poly, struct known *known);

#endif
