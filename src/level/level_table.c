#include "level/level.h"

/*
 * The levels.  Names, implications and forbidden anomalies are Elle's, edge by edge; the rest of
 * the file is Esse's.  Every implication of Elle was held against the definitions below.  Two do
 * not survive: plain snapshot isolation does not order the transactions of a session, and the
 * levels over commit orders do.  They are marked PLAIN, and what is true instead, from the
 * strong-session variant, is added as ALWAYS.
 */

#define ALWAYS(level)                                                                              \
    {                                                                                              \
        ESSE_LEVEL_##level, ESSE_IMPLIES_ALWAYS                                                    \
    }
#define PLAIN(level)                                                                               \
    {                                                                                              \
        ESSE_LEVEL_##level, ESSE_IMPLIES_PLAIN                                                     \
    }
#define ANOMALY(anomaly) ESSE_ANOMALY_##anomaly

#define ADYA        "Adya 1999"
#define BISWAS_ENEA "Biswas and Enea 2019"
#define CERONE      "Cerone, Bernardi and Gotsman 2015"
#define TERRY       "Terry et al. 1994"

/* How the session guarantees and the memory models below speak of a session's view. */
#define VIEW                                                                                       \
    "For every session there is a view: one sequence of all writes and of the session's own "      \
    "reads in which each read returns the latest write before it"

const struct esse_level esse_level_table[ESSE_LEVEL_END] = {
    [ESSE_LEVEL_STRICT_SERIALIZABLE] = {
        .id = ESSE_LEVEL_STRICT_SERIALIZABLE,
        .name = "PL-SS",
        .friendly = "strict-serializable",
        .elle_name = "strong-serializable",
        .aliases = { "strong-serializable" },
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_ANY,
        .needs_session_order = true,
        .needs_real_time = true,
        .no_order = ANOMALY(NO_ORDER_STRICT_SERIALIZABLE),
        .mismatch = ANOMALY(ORDER_MISMATCH_REALTIME),
        .implies = { ALWAYS(SERIALIZABLE), ALWAYS(SNAPSHOT_ISOLATION), ALWAYS(LINEARIZABLE),
                     ALWAYS(SESSION_SERIALIZABLE), ALWAYS(STRONG_SESSION_SERIALIZABLE),
                     ALWAYS(STRONG_SNAPSHOT_ISOLATION) },
        .forbids = { ANOMALY(G1), ANOMALY(G1C_REALTIME), ANOMALY(G2_REALTIME) },
        .definition = "There is no internal, G1a or G1b, and some version order makes "
                      "ww ∪ wr ∪ rw ∪ so ∪ rt acyclic, predicate edges included. Equivalently, one "
                      "total order of the committed transactions explains every read and places a "
                      "transaction that ended before another started, or that precedes it in its "
                      "session, before it.",
        .source = "Papadimitriou 1979; " ADYA " (PL-SS)",
    },
    [ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION] = {
        .id = ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION,
        .name = "strong-snapshot-isolation",
        .friendly = "strong-snapshot-isolation",
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_NO_TWO_RW,
        .needs_session_order = true,
        .needs_real_time = true,
        .has_points = true,
        .no_order = ANOMALY(NO_ORDER_STRONG_SNAPSHOT_ISOLATION),
        .mismatch = ANOMALY(SNAPSHOT_MISMATCH_REALTIME),
        .implies = { ALWAYS(STRONG_SESSION_SNAPSHOT_ISOLATION), ALWAYS(STRONG_READ_COMMITTED) },
        .forbids = { ANOMALY(INTERNAL), ANOMALY(G1_REALTIME), ANOMALY(G_NONADJACENT_REALTIME) },
        .definition = "There is no internal, G1a or G1b, and some version order makes "
                      "(ww ∪ wr ∪ so ∪ rt) ; rw? acyclic. Each transaction reads from a snapshot "
                      "that holds everything committed before it started, and of two transactions "
                      "that overlap and write the same key only one commits.",
        .source = "Daudjee and Salem 2006",
    },
    [ESSE_LEVEL_STRONG_READ_COMMITTED] = {
        .id = ESSE_LEVEL_STRONG_READ_COMMITTED,
        .name = "strong-PL-2",
        .friendly = "strong-read-committed",
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_WR,
        .needs_session_order = true,
        .needs_real_time = true,
        .implies = { ALWAYS(STRONG_SESSION_READ_COMMITTED), ALWAYS(STRONG_READ_UNCOMMITTED) },
        .forbids = { ANOMALY(G1C_REALTIME) },
        .definition = "There is no G1a or G1b, and some version order makes ww ∪ wr ∪ so ∪ rt "
                      "acyclic: nothing is read or overwritten by a transaction that had ended "
                      "before its writer started.",
        .source = ADYA " (PL-2), with real time added as in Elle",
    },
    [ESSE_LEVEL_STRONG_READ_UNCOMMITTED] = {
        .id = ESSE_LEVEL_STRONG_READ_UNCOMMITTED,
        .name = "strong-PL-1",
        .friendly = "strong-read-uncommitted",
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_WW,
        .needs_session_order = true,
        .needs_real_time = true,
        .implies = { ALWAYS(STRONG_SESSION_READ_UNCOMMITTED) },
        .forbids = { ANOMALY(G0_REALTIME) },
        .definition = "Some version order makes ww ∪ so ∪ rt acyclic: versions are installed in an "
                      "order that agrees with sessions and with real time.",
        .source = ADYA " (PL-1), with real time added as in Elle",
    },
    [ESSE_LEVEL_STRONG_SESSION_SERIALIZABLE] = {
        .id = ESSE_LEVEL_STRONG_SESSION_SERIALIZABLE,
        .name = "strong-session-serializable",
        .friendly = "strong-session-serializable",
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_ANY,
        .needs_session_order = true,
        .no_order = ANOMALY(NO_ORDER_STRONG_SESSION_SERIALIZABLE),
        .mismatch = ANOMALY(ORDER_MISMATCH_PROCESS),
        .implies = { ALWAYS(SERIALIZABLE), ALWAYS(STRONG_SESSION_SNAPSHOT_ISOLATION) },
        .forbids = { ANOMALY(G1_PROCESS), ANOMALY(G2_PROCESS) },
        .definition = "There is no internal, G1a or G1b, and some version order makes "
                      "ww ∪ wr ∪ rw ∪ so acyclic, predicate edges included. Over commit orders: "
                      "some total co ⊇ so ∪ wr has t2 co t1 whenever t3 reads x from t1, t2 ≠ t1 "
                      "writes x and t2 co t3.",
        .source = "Daudjee and Salem 2004; " BISWAS_ENEA " (serializability)",
    },
    [ESSE_LEVEL_STRONG_SESSION_SNAPSHOT_ISOLATION] = {
        .id = ESSE_LEVEL_STRONG_SESSION_SNAPSHOT_ISOLATION,
        .name = "strong-session-snapshot-isolation",
        .friendly = "strong-session-snapshot-isolation",
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_NO_TWO_RW,
        .needs_session_order = true,
        .has_points = true,
        .no_order = ANOMALY(NO_ORDER_STRONG_SESSION_SNAPSHOT_ISOLATION),
        .mismatch = ANOMALY(SNAPSHOT_MISMATCH_PROCESS),
        .implies = { ALWAYS(SNAPSHOT_ISOLATION), ALWAYS(STRONG_SESSION_READ_COMMITTED),
                     ALWAYS(PARALLEL_SNAPSHOT_ISOLATION), ALWAYS(PREFIX) },
        .forbids = { ANOMALY(INTERNAL), ANOMALY(G1_PROCESS), ANOMALY(G_NONADJACENT_PROCESS) },
        .definition = "There is no internal, G1a or G1b, and some version order makes "
                      "(ww ∪ wr ∪ so) ; rw? acyclic. Over commit orders: some total co ⊇ so ∪ wr "
                      "has t2 co t1 whenever t3 reads x from t1, t2 ≠ t1 writes x, and either "
                      "(t2, t3) ∈ co* ; (so ∪ wr), or t2 co* t4 and t4 co t3 for some t4 that "
                      "writes a key t3 writes too.",
        .source = "Daudjee and Salem 2006; Cerone and Gotsman 2018; " BISWAS_ENEA
                  " (snapshot isolation)",
    },
    [ESSE_LEVEL_STRONG_SESSION_READ_COMMITTED] = {
        .id = ESSE_LEVEL_STRONG_SESSION_READ_COMMITTED,
        .name = "strong-session-PL-2",
        .friendly = "strong-session-read-committed",
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_WR,
        .needs_session_order = true,
        .implies = { ALWAYS(READ_COMMITTED), ALWAYS(STRONG_SESSION_READ_UNCOMMITTED) },
        .forbids = { ANOMALY(G1C_PROCESS) },
        .definition = "There is no G1a or G1b, and some version order makes ww ∪ wr ∪ so acyclic: "
                      "nothing is read or overwritten by a transaction that precedes its writer in "
                      "their session.",
        .source = ADYA " (PL-2), with session order added as in Elle",
    },
    [ESSE_LEVEL_STRONG_SESSION_READ_UNCOMMITTED] = {
        .id = ESSE_LEVEL_STRONG_SESSION_READ_UNCOMMITTED,
        .name = "strong-session-PL-1",
        .friendly = "strong-session-read-uncommitted",
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_WW,
        .needs_session_order = true,
        .implies = { ALWAYS(READ_UNCOMMITTED) },
        .forbids = { ANOMALY(G0_PROCESS) },
        .definition = "Some version order makes ww ∪ so acyclic: versions are installed in an "
                      "order that agrees with every session.",
        .source = ADYA " (PL-1), with session order added as in Elle",
    },
    [ESSE_LEVEL_SERIALIZABLE] = {
        .id = ESSE_LEVEL_SERIALIZABLE,
        .name = "PL-3",
        .friendly = "serializable",
        .aliases = { "conflict-serializable" },
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_ANY,
        .no_order = ANOMALY(NO_ORDER_SERIALIZABLE),
        .mismatch = ANOMALY(ORDER_MISMATCH),
        .implies = { ALWAYS(REPEATABLE_READ), ALWAYS(UPDATE_SERIALIZABLE),
                     ALWAYS(SNAPSHOT_ISOLATION), ALWAYS(VIEW_SERIALIZABLE) },
        .forbids = { ANOMALY(G1), ANOMALY(G2), ANOMALY(PREDICATE_READ_MISS), ANOMALY(INTERNAL) },
        .definition = "There is no internal, G1a or G1b, and some version order makes ww ∪ wr ∪ rw "
                      "acyclic, predicate edges included: the committed transactions could have "
                      "run one after the other, in an order that need not agree with sessions or "
                      "with time.",
        .source = ADYA " (PL-3)",
    },
    [ESSE_LEVEL_REPEATABLE_READ] = {
        .id = ESSE_LEVEL_REPEATABLE_READ,
        .name = "PL-2.99",
        .friendly = "repeatable-read",
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_ITEM_RW,
        .no_order = ANOMALY(NO_ORDER_REPEATABLE_READ),
        .implies = { ALWAYS(CURSOR_STABILITY), ALWAYS(MONOTONIC_ATOMIC_VIEW) },
        .forbids = { ANOMALY(G1), ANOMALY(G2_ITEM), ANOMALY(LOST_UPDATE) },
        .definition = "There is no G1a or G1b, and some version order makes ww ∪ wr ∪ rw acyclic, "
                      "where rw counts item reads only: what a predicate read missed is not held "
                      "against it.",
        .source = ADYA " (PL-2.99)",
    },
    [ESSE_LEVEL_SNAPSHOT_ISOLATION] = {
        .id = ESSE_LEVEL_SNAPSHOT_ISOLATION,
        .name = "PL-SI",
        .friendly = "snapshot-isolation",
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_NO_TWO_RW,
        .has_points = true,
        .no_order = ANOMALY(NO_ORDER_SNAPSHOT_ISOLATION),
        .mismatch = ANOMALY(SNAPSHOT_MISMATCH),
        .implies = { ALWAYS(FORWARD_CONSISTENT_VIEW), ALWAYS(MONOTONIC_SNAPSHOT_READ),
                     ALWAYS(MONOTONIC_ATOMIC_VIEW), PLAIN(PARALLEL_SNAPSHOT_ISOLATION),
                     PLAIN(PREFIX) },
        .forbids = { ANOMALY(GSI), ANOMALY(INTERNAL), ANOMALY(G1), ANOMALY(G_SI), ANOMALY(G_NONADJACENT) },
        .definition = "There is no internal, G1a or G1b, and some version order makes "
                      "(ww ∪ wr) ; rw? acyclic: every cycle of ww, wr and rw has two rw edges in a "
                      "row. Each transaction reads from one snapshot, which may be old, and of two "
                      "transactions that overlap and write the same key only one commits.",
        .source = "Berenson et al. 1995; " ADYA " (PL-SI); Cerone and Gotsman 2018",
    },
    [ESSE_LEVEL_PARALLEL_SNAPSHOT_ISOLATION] = {
        .id = ESSE_LEVEL_PARALLEL_SNAPSHOT_ISOLATION,
        .name = "parallel-snapshot-isolation",
        .friendly = "parallel-snapshot-isolation",
        .family = ESSE_FAMILY_COMMIT_ORDER,
        .phi = ESSE_PHI_PARALLEL,
        .cycle = ESSE_CYCLE_ONE_RW,
        .needs_session_order = true,
        .no_order = ANOMALY(NO_ORDER_PARALLEL),
        .no_commit_order = ANOMALY(CO_PARALLEL),
        .implies = { ALWAYS(CAUSAL_CERONE), ALWAYS(UPDATE_ATOMIC) },
        .forbids = { ANOMALY(INTERNAL), ANOMALY(G1A) },
        .definition = "Some total co ⊇ so ∪ wr has t2 co t1 whenever t3 reads x from t1, t2 ≠ t1 "
                      "writes x and (t2, t3) ∈ (so ∪ wr ∪ ww)⁺, where (t, t') ∈ ww iff both write "
                      "some key and t co t'. Equivalently, some version order leaves no cycle of "
                      "so, wr, ww and at most one rw. As snapshot isolation, but transactions that "
                      "do not conflict may become visible in different orders to different "
                      "readers.",
        .source = "Sovran et al. 2011; " CERONE,
    },
    [ESSE_LEVEL_PREFIX] = {
        .id = ESSE_LEVEL_PREFIX,
        .name = "prefix",
        .friendly = "prefix",
        .aliases = { "prefix-consistency" },
        .family = ESSE_FAMILY_COMMIT_ORDER,
        .phi = ESSE_PHI_PREFIX,
        .cycle = ESSE_CYCLE_RW_AFTER_READ,
        .needs_session_order = true,
        .no_order = ANOMALY(NO_ORDER_PREFIX),
        .no_commit_order = ANOMALY(CO_PREFIX),
        .implies = { ALWAYS(CAUSAL_CERONE) },
        .forbids = { ANOMALY(INTERNAL), ANOMALY(G1A) },
        .definition = "Some total co ⊇ so ∪ wr has t2 co t1 whenever t3 reads x from t1, t2 ≠ t1 "
                      "writes x and (t2, t3) ∈ co* ; (so ∪ wr): a transaction that sees another "
                      "sees everything committed before that one.",
        .source = CERONE "; " BISWAS_ENEA,
    },
    [ESSE_LEVEL_UPDATE_ATOMIC] = {
        .id = ESSE_LEVEL_UPDATE_ATOMIC,
        .name = "update-atomic",
        .friendly = "update-atomic",
        .family = ESSE_FAMILY_COMMIT_ORDER,
        .phi = ESSE_PHI_UPDATES,
        .needs_session_order = true,
        .no_commit_order = ANOMALY(CO_UPDATE_ATOMIC),
        .implies = { ALWAYS(READ_ATOMIC) },
        .forbids = { ANOMALY(LOST_UPDATE) },
        .definition = "Some total co ⊇ so ∪ wr has t2 co t1 whenever t3 reads x from t1, t2 ≠ t1 "
                      "writes x and (t2, t3) ∈ so ∪ wr ∪ ww, where (t, t') ∈ ww iff both write "
                      "some key and t co t'. That is read-atomic, and of two transactions that "
                      "write the same key one sees the other.",
        .source = CERONE "; Liu et al. 2018 (ROLA)",
    },
    [ESSE_LEVEL_CAUSAL_CERONE] = {
        .id = ESSE_LEVEL_CAUSAL_CERONE,
        .name = "causal-cerone",
        .friendly = "causal-cerone",
        .aliases = { "causal-consistency" },
        .family = ESSE_FAMILY_COMMIT_ORDER,
        .phi = ESSE_PHI_CAUSAL,
        .cycle = ESSE_CYCLE_RW_AND_READS,
        .needs_session_order = true,
        .no_order = ANOMALY(NO_ORDER_CAUSAL_CERONE),
        .no_commit_order = ANOMALY(CO_CAUSAL_CERONE),
        .implies = { ALWAYS(READ_ATOMIC) },
        .forbids = { ANOMALY(INTERNAL), ANOMALY(G1A) },
        .definition = "Some total co ⊇ so ∪ wr has t2 co t1 whenever t3 reads x from t1, t2 ≠ t1 "
                      "writes x and (t2, t3) ∈ (so ∪ wr)⁺: a transaction sees whatever the "
                      "transactions it sees had seen.",
        .source = CERONE "; " BISWAS_ENEA,
    },
    [ESSE_LEVEL_READ_ATOMIC] = {
        .id = ESSE_LEVEL_READ_ATOMIC,
        .name = "read-atomic",
        .friendly = "read-atomic",
        .family = ESSE_FAMILY_COMMIT_ORDER,
        .phi = ESSE_PHI_ATOMIC,
        .cycle = ESSE_CYCLE_RW_AND_ONE_READ,
        .needs_session_order = true,
        .no_order = ANOMALY(NO_ORDER_READ_ATOMIC),
        .no_commit_order = ANOMALY(CO_READ_ATOMIC),
        .implies = { ALWAYS(AXIOMATIC_READ_COMMITTED), ALWAYS(MONOTONIC_ATOMIC_VIEW) },
        .forbids = { ANOMALY(INTERNAL), ANOMALY(G1A), ANOMALY(FUTURE_READ) },
        .definition = "Some total co ⊇ so ∪ wr has t2 co t1 whenever t3 reads x from t1, t2 ≠ t1 "
                      "writes x and (t2, t3) ∈ so ∪ wr: a transaction sees all of another's "
                      "writes or none.",
        .source = "Bailis et al. 2014; " CERONE "; " BISWAS_ENEA,
    },
    [ESSE_LEVEL_AXIOMATIC_READ_COMMITTED] = {
        .id = ESSE_LEVEL_AXIOMATIC_READ_COMMITTED,
        .name = "axiomatic-read-committed",
        .friendly = "axiomatic-read-committed",
        .is_own = true,
        .family = ESSE_FAMILY_COMMIT_ORDER,
        .phi = ESSE_PHI_READ_EARLIER,
        .needs_session_order = true,
        .no_commit_order = ANOMALY(CO_READ_COMMITTED),
        .implies = { ALWAYS(MONOTONIC_ATOMIC_VIEW) },
        .forbids = { ANOMALY(OWN_WRITE_MISSED), ANOMALY(G1A), ANOMALY(G1B), ANOMALY(GARBAGE_READ), ANOMALY(FUTURE_READ) },
        .definition = "Some total co ⊇ so ∪ wr has t2 co t1 whenever a read r of t3 reads x from "
                      "t1, t2 ≠ t1 writes x and (t2, r) ∈ wr ; po: having read anything of a "
                      "transaction, no later read returns what that transaction overwrote. "
                      "Stronger than PL-2; the literature on axiomatic checking calls it read "
                      "committed.",
        .source = BISWAS_ENEA " (read committed)",
    },
    [ESSE_LEVEL_MONOTONIC_ATOMIC_VIEW] = {
        .id = ESSE_LEVEL_MONOTONIC_ATOMIC_VIEW,
        .name = "monotonic-atomic-view",
        .friendly = "monotonic-atomic-view",
        .family = ESSE_FAMILY_OTHER,
        .phi = ESSE_PHI_READ_EARLIER,
        .no_commit_order = ANOMALY(CO_MONOTONIC_ATOMIC_VIEW),
        .implies = { ALWAYS(READ_COMMITTED) },
        .definition = "There is no G1a or G1b, and some version order makes ww ∪ wr acyclic and "
                      "lets no observed transaction vanish: if a transaction reads from t2, and "
                      "later in program order makes an item read of a key that t2 wrote, from "
                      "t1 ≠ t2 and not itself, then t2's version of that key precedes t1's.",
        .source = "Bailis et al. 2013",
    },
    [ESSE_LEVEL_UPDATE_SERIALIZABLE] = {
        .id = ESSE_LEVEL_UPDATE_SERIALIZABLE,
        .name = "PL-3U",
        .friendly = "update-serializable",
        .family = ESSE_FAMILY_OTHER,
        .implies = { ALWAYS(FORWARD_CONSISTENT_VIEW) },
        .forbids = { ANOMALY(G1), ANOMALY(G_UPDATE) },
        .definition = "There is no G1a or G1b, and some version order makes ww ∪ wr ∪ rw acyclic "
                      "on the committed transactions that write together with any single one that "
                      "only reads: updates are serializable, each reader fits into a serial order "
                      "of them, but two readers may not fit into the same one.",
        .source = "Hansdah and Patnaik 1986; " ADYA " (PL-3U)",
    },
    [ESSE_LEVEL_FORWARD_CONSISTENT_VIEW] = {
        .id = ESSE_LEVEL_FORWARD_CONSISTENT_VIEW,
        .name = "PL-FCV",
        .friendly = "forward-consistent-view",
        .family = ESSE_FAMILY_OTHER,
        .implies = { ALWAYS(CONSISTENT_VIEW) },
        .forbids = { ANOMALY(G1), ANOMALY(G_SIB) },
        .definition = "There is no G1a or G1b, some version order makes ww ∪ wr acyclic, and for "
                      "some choice of start and commit points no cycle of ww, wr and start-order "
                      "edges (from t to t' when t commits before t' starts) has exactly one rw: a "
                      "transaction reads a consistent state at or after its start. Where a history "
                      "does not record the server's points they may be chosen so that no two "
                      "transactions are start-ordered, and the level is that of consistent-view.",
        .source = ADYA " (PL-FCV)",
    },
    [ESSE_LEVEL_CONSISTENT_VIEW] = {
        .id = ESSE_LEVEL_CONSISTENT_VIEW,
        .name = "PL-2+",
        .friendly = "consistent-view",
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_ONE_RW,
        .no_order = ANOMALY(NO_ORDER_CONSISTENT_VIEW),
        .implies = { ALWAYS(CURSOR_STABILITY), ALWAYS(MONOTONIC_VIEW) },
        .forbids = { ANOMALY(G1), ANOMALY(G_SINGLE) },
        .definition = "There is no G1a or G1b, and some version order leaves no cycle of ww, wr "
                      "and at most one rw: what a transaction reads is a consistent state, "
                      "though two transactions may act on states that do not fit together.",
        .source = ADYA " (PL-2+)",
    },
    [ESSE_LEVEL_MONOTONIC_VIEW] = {
        .id = ESSE_LEVEL_MONOTONIC_VIEW,
        .name = "PL-2L",
        .friendly = "monotonic-view",
        .family = ESSE_FAMILY_OTHER,
        .implies = { ALWAYS(READ_COMMITTED) },
        .forbids = { ANOMALY(G1), ANOMALY(G_MONOTONIC) },
        .definition = "There is no G1a or G1b, some version order makes ww ∪ wr acyclic, and the "
                      "reads of a transaction only move forward: take one transaction apart into "
                      "its operations, linked in program order, and leave the others whole; then "
                      "no cycle of ww, wr and program order has exactly one rw that leaves a read "
                      "of that transaction.",
        .source = ADYA " (PL-2L)",
    },
    [ESSE_LEVEL_CURSOR_STABILITY] = {
        .id = ESSE_LEVEL_CURSOR_STABILITY,
        .name = "PL-CS",
        .friendly = "cursor-stability",
        .family = ESSE_FAMILY_OTHER,
        .implies = { ALWAYS(READ_COMMITTED) },
        .forbids = { ANOMALY(G1), ANOMALY(G_CURSOR), ANOMALY(LOST_UPDATE) },
        .definition = "There is no G1a or G1b, and some version order makes ww ∪ wr acyclic and "
                      "leaves, for no key x, a cycle of ww edges on x and exactly one rw edge on "
                      "x: no transaction overwrites x between another transaction's read of x and its "
                      "write of x. Histories do not say which reads went through a cursor, so "
                      "every read counts as one.",
        .source = "Berenson et al. 1995; " ADYA " (PL-CS)",
    },
    [ESSE_LEVEL_MONOTONIC_SNAPSHOT_READ] = {
        .id = ESSE_LEVEL_MONOTONIC_SNAPSHOT_READ,
        .name = "PL-MSR",
        .friendly = "monotonic-snapshot-read",
        .family = ESSE_FAMILY_OTHER,
        .implies = { ALWAYS(READ_COMMITTED) },
        .forbids = { ANOMALY(G1), ANOMALY(G_MSR) },
        .definition = "There is no G1a or G1b, and there are a total commit order and for every "
                      "operation a point in it, before its own transaction, such that the "
                      "operation reads of every key the last version committed before its point, "
                      "and the points of a transaction do not go back in program order: each "
                      "statement has a snapshot of its own.",
        .source = ADYA " (PL-MSR)",
    },
    [ESSE_LEVEL_READ_COMMITTED] = {
        .id = ESSE_LEVEL_READ_COMMITTED,
        .name = "PL-2",
        .friendly = "read-committed",
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_WR,
        .implies = { ALWAYS(READ_UNCOMMITTED) },
        .forbids = { ANOMALY(G1), ANOMALY(LOST_COMMIT) },
        .definition = "There is no G1a or G1b, and some version order makes ww ∪ wr acyclic: only "
                      "final writes of committed transactions are read, and information does not "
                      "flow in circles.",
        .source = ADYA " (PL-2)",
    },
    [ESSE_LEVEL_READ_UNCOMMITTED] = {
        .id = ESSE_LEVEL_READ_UNCOMMITTED,
        .name = "PL-1",
        .friendly = "read-uncommitted",
        .family = ESSE_FAMILY_DEPENDENCY,
        .cycle = ESSE_CYCLE_WW,
        .forbids = { ANOMALY(RESULT_SET_MISMATCH), ANOMALY(G0), ANOMALY(DUPLICATE_ELEMENTS), ANOMALY(CYCLIC_VERSIONS) },
        .definition = "Some version order makes ww acyclic: the writes of two transactions do not "
                      "interleave. Reads may return anything, but a predicate operation must agree "
                      "with the version set that it is said to have looked at.",
        .source = ADYA " (PL-1)",
    },
    [ESSE_LEVEL_VIEW_SERIALIZABLE] = {
        .id = ESSE_LEVEL_VIEW_SERIALIZABLE,
        .name = "view-serializable",
        .friendly = "view-serializable",
        .family = ESSE_FAMILY_OTHER,
        .definition = "Some serial order of the committed transactions has every read return what "
                      "it returned, and has the last version of every key, where that is known, "
                      "written by the same transaction. Unlike serializable it does not ask that "
                      "versions that no transaction read were installed in that order.",
        .source = "Papadimitriou 1979; Yannakakis 1984",
    },
    [ESSE_LEVEL_SESSION_SERIALIZABLE] = {
        .id = ESSE_LEVEL_SESSION_SERIALIZABLE,
        .name = "session-serializable",
        .friendly = "session-serializable",
        .family = ESSE_FAMILY_OTHER,
        .needs_session_order = true,
        .implies = { ALWAYS(ONE_COPY_SERIALIZABLE) },
        .definition = "One-copy serializable by an order that contains so: the serial run on one "
                      "copy that explains every read executes the transactions of each session in "
                      "their order.",
        .source = "Daudjee and Salem 2004",
    },
    [ESSE_LEVEL_ONE_COPY_SERIALIZABLE] = {
        .id = ESSE_LEVEL_ONE_COPY_SERIALIZABLE,
        .name = "1SR",
        .friendly = "1SR",
        .family = ESSE_FAMILY_OTHER,
        .definition = "Whatever replicas and versions there are, some serial run of the committed "
                      "transactions on a single copy of every key has each read return what it "
                      "returned.",
        .source = "Bernstein and Goodman 1983; Bernstein, Hadzilacos and Goodman 1987",
    },
    [ESSE_LEVEL_LINEARIZABLE] = {
        .id = ESSE_LEVEL_LINEARIZABLE,
        .name = "linearizable",
        .friendly = "linearizable",
        .family = ESSE_FAMILY_OPERATIONS,
        .needs_session_order = true,
        .needs_real_time = true,
        .implies = { ALWAYS(SEQUENTIAL) },
        .definition = "There is one sequence of all single operations of the committed "
                      "transactions in which each read returns the latest write of its key before "
                      "it, and which contains program order, so and rt: an operation takes effect "
                      "at one instant between its transaction's start and end. Nothing is said "
                      "about several operations being atomic.",
        .source = "Herlihy and Wing 1990",
    },
    [ESSE_LEVEL_SEQUENTIAL] = {
        .id = ESSE_LEVEL_SEQUENTIAL,
        .name = "sequential",
        .friendly = "sequential",
        .family = ESSE_FAMILY_OPERATIONS,
        .needs_session_order = true,
        .implies = { ALWAYS(CAUSAL) },
        .definition = "There is one sequence of all single operations of the committed "
                      "transactions in which each read returns the latest write of its key before "
                      "it, and which keeps the operations of every session in their order.",
        .source = "Lamport 1979",
    },
    [ESSE_LEVEL_CAUSAL] = {
        .id = ESSE_LEVEL_CAUSAL,
        .name = "causal",
        .friendly = "causal",
        .family = ESSE_FAMILY_OPERATIONS,
        .phi = ESSE_PHI_CAUSAL,
        .needs_session_order = true,
        .no_commit_order = ANOMALY(CO_CAUSAL),
        .implies = { ALWAYS(PRAM), ALWAYS(WRITES_FOLLOW_READS) },
        .definition = "Every operation counts as a transaction of its own, in its session at "
                      "its place in the program. Some total co ⊇ so ∪ wr of them has w2 co w1 "
                      "whenever a read r of x reads from w1, w2 ≠ w1 writes x and (w2, r) ∈ (so "
                      "∪ wr)⁺: a read that sees an operation sees all that led to it. As "
                      "causal-cerone, for single operations.",
        .source = "Ahamad et al. 1995; Bouajjani et al. 2017 (causal convergence)",
    },
    [ESSE_LEVEL_PRAM] = {
        .id = ESSE_LEVEL_PRAM,
        .name = "PRAM",
        .friendly = "PRAM",
        .family = ESSE_FAMILY_OPERATIONS,
        .phi = ESSE_PHI_PIPED,
        .needs_session_order = true,
        .no_commit_order = ANOMALY(CO_PRAM),
        .implies = { ALWAYS(MONOTONIC_READS), ALWAYS(MONOTONIC_WRITES), ALWAYS(READ_YOUR_WRITES) },
        .definition = "Every operation counts as a transaction of its own, in its session at "
                      "its place in the program. Some total co ⊇ so ∪ wr of them has w2 co w1 "
                      "whenever a read r of x reads from w1, w2 ≠ w1 writes x and (w2, r) ∈ so "
                      "∪ so* ; wr ; so*: as if every session's writes came down a pipe, a "
                      "session that has seen one of them has seen all before it.",
        .source = "Lipton and Sandberg 1988; Viotti and Vukolić 2016",
    },
    [ESSE_LEVEL_WRITES_FOLLOW_READS] = {
        .id = ESSE_LEVEL_WRITES_FOLLOW_READS,
        .name = "writes-follow-reads",
        .friendly = "writes-follow-reads",
        .family = ESSE_FAMILY_OPERATIONS,
        .phi = ESSE_PHI_ANSWERED,
        .needs_session_order = true,
        .no_commit_order = ANOMALY(CO_WRITES_FOLLOW_READS),
        .definition = "Every operation counts as a transaction of its own, in its session at "
                      "its place in the program. Some total co ⊇ so ∪ wr of them has w2 co w1 "
                      "whenever a read r of x reads from w1, w2 ≠ w1 writes x and (w2, r) ∈ wr "
                      "; so* ; wr: a read that sees a write sees what that write's session had "
                      "read before it.",
        .source = "Terry et al. 1994; Viotti and Vukolić 2016",
    },
    [ESSE_LEVEL_MONOTONIC_READS] = {
        .id = ESSE_LEVEL_MONOTONIC_READS,
        .name = "monotonic-reads",
        .friendly = "monotonic-reads",
        .family = ESSE_FAMILY_OPERATIONS,
        .phi = ESSE_PHI_SEEN,
        .needs_session_order = true,
        .no_commit_order = ANOMALY(CO_MONOTONIC_READS),
        .definition = "Every operation counts as a transaction of its own, in its session at "
                      "its place in the program. Some total co ⊇ so ∪ wr of them has w2 co w1 "
                      "whenever a read r of x reads from w1, w2 ≠ w1 writes x and (w2, r) ∈ wr "
                      "; so: what a session has read once stays visible to it.",
        .source = "Terry et al. 1994; Viotti and Vukolić 2016",
    },
    [ESSE_LEVEL_MONOTONIC_WRITES] = {
        .id = ESSE_LEVEL_MONOTONIC_WRITES,
        .name = "monotonic-writes",
        .friendly = "monotonic-writes",
        .family = ESSE_FAMILY_OPERATIONS,
        .phi = ESSE_PHI_WRITTEN,
        .needs_session_order = true,
        .no_commit_order = ANOMALY(CO_MONOTONIC_WRITES),
        .definition = "Every operation counts as a transaction of its own, in its session at "
                      "its place in the program. Some total co ⊇ so ∪ wr of them has w2 co w1 "
                      "whenever a read r of x reads from w1, w2 ≠ w1 writes x and (w2, r) ∈ so "
                      "; wr: a read that returns a write of a session sees the session's "
                      "earlier writes.",
        .source = "Terry et al. 1994; Viotti and Vukolić 2016",
    },
    [ESSE_LEVEL_READ_YOUR_WRITES] = {
        .id = ESSE_LEVEL_READ_YOUR_WRITES,
        .name = "read-your-writes",
        .friendly = "read-your-writes",
        .family = ESSE_FAMILY_OPERATIONS,
        .phi = ESSE_PHI_OWN,
        .needs_session_order = true,
        .no_commit_order = ANOMALY(CO_READ_YOUR_WRITES),
        .definition = "Every operation counts as a transaction of its own, in its session at "
                      "its place in the program. Some total co ⊇ so ∪ wr of them has w2 co w1 "
                      "whenever a read r of x reads from w1, w2 ≠ w1 writes x and (w2, r) ∈ so: "
                      "a session sees all its own earlier writes.",
        .source = "Terry et al. 1994; Viotti and Vukolić 2016",
    },
};
