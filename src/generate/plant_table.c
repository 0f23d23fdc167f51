#include "generate/plant.h"

/*
 * The anomalies, each written down as the shortest history that shows it and nothing else.
 *
 *     a:wx1 ry1 b:wy1        transaction a writes x = 1 and reads y = 1; b writes y = 1
 *     rx  rx12               reads x absent (an empty list); reads x = 1 or the list 1, 2
 *     p   px1y2              a predicate that matches 1 to 4 and not 5 to 9 returns nothing;
 *                            returns x = 1 and y = 2
 *     a!:  a?:  a~:          a aborted; its outcome is unknown; it was acknowledged, and is not
 *                            in the store's log
 *     a@01:                  a runs from tick 0 to 1; without it from 0 to 9, so all overlap
 *     a#01:                  its snapshot is of tick 0 and its commit of tick 1, as the store
 * tells; without it the snapshot is that before the plant, and they commit one after the other a:
 * ... a: ...          one letter twice is one session; @01 and then @12 are in session order but
 * not in real-time order, which is strict
 *     *:wx1                  x is 1 from the start
 *     / y21                  the versions of y are 2 and then 1; without it as they are written
 *
 * A write is an append in list-append.  Keys and sessions are fresh in every plant, and values of
 * the predicate workload lie beyond all that its clean part asks for, so no dependency crosses
 * between a plant and the rest.
 */
enum {
    LISTS = 1 << ESSE_GEN_LIST_APPEND,
    REGISTERS = 1 << ESSE_GEN_RW_REGISTER,
    ROWS = 1 << ESSE_GEN_PREDICATE,
    ITEMS = LISTS | REGISTERS,
    ALL = ITEMS | ROWS
};
enum {
    NOTHING = 0,
    ORDER = ESSE_GEN_NEEDS_ORDER,
    TIMES = ESSE_GEN_NEEDS_TIMES,
    STAMPS = ESSE_GEN_NEEDS_TIMESTAMPS,
    ONE_STAMP = ESSE_GEN_NEEDS_ONE_TIMESTAMP | ESSE_GEN_NEEDS_TIMESTAMPS,
    NO_ORDER = ESSE_GEN_NEEDS_NO_ORDER,
};

#define READ_SKEW      "a:wx1 wy1 b:rx ry1"
#define READ_SKEW_ROWS "a:wx1 wy5 b:p ry5"
#define LONG_FORK      "a:wx1 b:wy1 c:rx1 ry d:ry1 rx"
#define WRITE_SKEW     "a:rx ry wx1 b:rx ry wy1"
#define STALE_SESSION  "a@01:wx1 a@12:rx"
#define STALE_TIME     "a@01:wx1 b@23:rx"
#define FORK_SESSION   "a@01:wx1 a@12:ry b:wy1 c:rx ry1"
#define FORK_TIME      "a@01:wx1 d@23:ry b:wy1 c:rx ry1"
#define SKEW_SESSION   "a@01:wy1 a@12:rx b:wx1 ry"
#define BACKWARDS      "a:wx1 wy1 b:rx1 ry"
#define NO_CAUSE       "a:wx1 b:rx1 wy1 c:ry1 rx"
#define OWN_WRITE      "a:wx1 b:wx2 rx1"
#define MIXED          "a:wx1 wy1 b:wx2 wy2 c:rx1 ry2 d:rx2 ry1"
#define AGAINST        "a:wx1 b:wx2 c@01:rx1 c@12:rx2 d@01:rx2 d@12:rx1"
#define BACK_IN_TIME   "a@01:wx1 b@01:wx2 c@23:rx1 d@45:rx2"
#define SKEW_TIME      "a@01:wy1 c@23:rx b:wx1 ry"

const struct esse_gen_anomaly esse_gen_anomalies[] = {
    { "G0", LISTS, NOTHING, "a:wx1 wy1 b:wx2 wy2 c:rx12 ry21 / y21",
      "two transactions overwrite each other, each once" },
    { "G0", REGISTERS | ROWS, ORDER, "a:wx1 wy1 b:wx2 wy2 / y21",
      "two transactions overwrite each other, each once" },
    { "G1a", ALL, NOTHING, "a!:wx1 b:rx1", "a read of what an aborted transaction wrote" },
    { "G1b", ALL, NOTHING, "a:wx1 wx2 b:rx1",
      "a read of what its writer overwrote; in lists a G-single-item too" },
    { "G1c", ALL, NOTHING, "a:wx1 ry1 b:rx1 wy1", "two transactions read from each other" },
    { "G-single", ITEMS, NOTHING, READ_SKEW, "one of two writes is seen, the other missed" },
    { "G-single", ROWS, NOTHING, READ_SKEW_ROWS, "one write is seen, an inserted row missed" },
    { "G-single-item", ALL, NOTHING, READ_SKEW, "one of two writes is seen, the other missed" },
    { "G-nonadjacent", ITEMS, NOTHING, LONG_FORK, "two readers see two writes in either order" },
    { "G-nonadjacent", ROWS, NOTHING, "a:wx1 b:wy5 c:rx1 ry d:p ry5",
      "two readers see two writes in either order, one by a predicate" },
    { "G-nonadjacent-item", ALL, NOTHING, LONG_FORK, "two readers see two writes in either order" },
    { "G2-item", ALL, NOTHING, WRITE_SKEW, "two transactions each overwrite what the other read" },
    { "G2", ROWS, NOTHING, "a:p wx1 b:p wy1",
      "two transactions each insert a row that the other's predicate should have seen" },
    { "G0-process", LISTS, NOTHING, "a@01:wx2 a@12:wx1 b:rx12 / x12",
      "a session's second write comes before its first" },
    { "G0-process", REGISTERS | ROWS, ORDER, "a@01:wx2 a@12:wx1 / x12",
      "a session's second write comes before its first" },
    { "G0-realtime", LISTS, TIMES, "a@01:wx2 b@23:wx1 c:rx12 / x12",
      "a later write comes before an earlier one" },
    { "G0-realtime", REGISTERS | ROWS, ORDER | TIMES, "a@01:wx2 b@23:wx1 / x12",
      "a later write comes before an earlier one" },
    { "G1c-process", ALL, NOTHING, "a@01:rx1 a@12:wx1", "a read of the session's own future" },
    { "G1c-realtime", ALL, TIMES, "a@01:rx1 b@23:wx1", "a read of the future" },
    { "G-single-process", ITEMS, NOTHING, STALE_SESSION, "a session misses its own write" },
    { "G-single-process", ROWS, NOTHING, "a@01:wx1 a@12:p", "a session misses its own row" },
    { "G-single-item-process", ALL, NOTHING, STALE_SESSION, "a session misses its own write" },
    { "G-single-realtime", ITEMS, TIMES, STALE_TIME, "a read misses a write that was finished" },
    { "G-single-realtime", ROWS, TIMES, "a@01:wx1 b@23:p",
      "a predicate misses a row whose insert was finished" },
    { "G-single-item-realtime", ALL, TIMES, STALE_TIME, "a read misses a write that was finished" },
    { "G-nonadjacent-process", ITEMS, NOTHING, FORK_SESSION, "a long fork through a session" },
    { "G-nonadjacent-process", ROWS, NOTHING, "a@01:wx1 a@12:ry b:wy5 c:p ry5",
      "a long fork through a session, with a predicate" },
    { "G-nonadjacent-item-process", ALL, NOTHING, FORK_SESSION, "a long fork through a session" },
    { "G-nonadjacent-realtime", ITEMS, TIMES, FORK_TIME, "a long fork through real time" },
    { "G-nonadjacent-realtime", ROWS, TIMES, "a@01:wx1 d@23:ry b:wy5 c:p ry5",
      "a long fork through real time, with a predicate" },
    { "G-nonadjacent-item-realtime", ALL, TIMES, FORK_TIME, "a long fork through real time" },
    { "G2-item-process", ALL, NOTHING, SKEW_SESSION, "a write skew through a session" },
    { "G2-item-realtime", ALL, TIMES, SKEW_TIME, "a write skew through real time" },
    { "G2-process", ROWS, NOTHING, "a@01:wy5 a@12:p b:wx1 ry",
      "a write skew through a session, with a predicate" },
    { "G2-realtime", ROWS, TIMES, "a@01:wy5 c@23:p b:wx1 ry",
      "a write skew through real time, with a predicate" },
    { "write-skew", ALL, NOTHING, WRITE_SKEW, "G2-item by its usual name" },
    { "lost-update", LISTS, NOTHING, "a:rx wx1 b:rx wx2 c:rx12",
      "two read-modify-writes start from one version; a G-single-item too" },
    { "lost-update", REGISTERS | ROWS, NOTHING, "a:rx wx1 b:rx wx2",
      "two read-modify-writes start from one version; a G-single-item too" },
    { "lost-commit", ALL, ORDER, "a~:wx1", "an acknowledged write that the store does not have" },
    { "internal", ALL, NOTHING, OWN_WRITE, "a read contradicts an own write" },
    { "future-read", ALL, NOTHING, "a:rx1 wx1",
      "a read of what the same transaction writes later" },
    { "garbage-read", ALL, NOTHING, "a:rx9", "a read of what no transaction wrote" },
    { "duplicate-elements", LISTS, NOTHING, "a:wx1 b:rx11", "a list holds an element twice" },
    { "incompatible-order", LISTS, NOTHING, "a:wx1 b:wx2 c:rx12 d:rx2",
      "two reads of a list are not prefixes of one another" },
    { "dirty-update", LISTS, NOTHING, "a!:wx1 b:wx2 c:rx12",
      "a committed write on top of an aborted one; the read that shows it is a G1a too" },
    { "duplicate-write", ALL, NOTHING, "a:wx1 b:wx1", "two transactions write the same value" },
    { "cyclic-versions", REGISTERS, NO_ORDER, "a:rx1 wx2 b:rx2 wx1",
      "read-modify-writes that go round in a circle; a G1c too" },
    { "fractured-read", ALL, NOTHING, READ_SKEW,
      "a transaction is seen in part: no read atomicity" },
    { "causality", ALL, NOTHING, NO_CAUSE,
      "an effect is seen without its cause: not causally consistent" },
    { "long-fork", ALL, NOTHING, LONG_FORK,
      "two readers see two writes in either order: no prefix consistency" },
    { "phantom", ROWS, NOTHING, READ_SKEW_ROWS, "G-single with a predicate by its usual name" },
    { "predicate-read-miss", ROWS, NOTHING, "*:wx1 a:wx2 b:p",
      "a predicate misses a row that has always matched" },
    { "result-set-mismatch", ROWS, NOTHING, "a:wx5 b:px5",
      "a predicate returns a row that does not match it" },

    /* Each is reported at its own level, by one axiom or search. */
    { "own-write-missed", ALL, NOTHING, OWN_WRITE, "internal, where reads need not be repeatable",
      .level = "axiomatic-read-committed" },
    { "axiomatic-read-committed-cycle", ITEMS, NOTHING, BACKWARDS,
      "a transaction goes back to what was before one that it has read from",
      .level = "axiomatic-read-committed" },
    { "monotonic-atomic-view-cycle", ITEMS, NOTHING, BACKWARDS,
      "a transaction that was observed vanishes", .level = "monotonic-atomic-view" },
    { "read-atomic-cycle", ITEMS, NOTHING, READ_SKEW, "a transaction is seen in part",
      .level = "read-atomic" },
    { "update-atomic-cycle", ITEMS, NOTHING, READ_SKEW, "a transaction is seen in part",
      .level = "update-atomic" },
    { "causal-cerone-cycle", ITEMS, NOTHING, NO_CAUSE, "an effect is seen without its cause",
      .level = "causal-cerone" },
    { "causal-cycle", ITEMS, NOTHING, NO_CAUSE, "an effect is seen without its cause",
      .level = "causal" },
    { "prefix-cycle", ITEMS, NOTHING, NO_CAUSE, "an effect is seen without its cause",
      .level = "prefix" },
    { "parallel-snapshot-isolation-cycle", ITEMS, NOTHING, NO_CAUSE,
      "an effect is seen without its cause", .level = "parallel-snapshot-isolation" },
    { "PRAM-cycle", ITEMS, NOTHING, "a@01:wx1 a@12:wy1 b:ry1 rx",
      "the writes of a session arrive out of order", .level = "PRAM" },
    { "read-your-writes-cycle", ITEMS, NOTHING, STALE_SESSION, "a session misses its own write",
      .level = "read-your-writes" },
    { "monotonic-reads-cycle", ITEMS, NOTHING, "a:wx1 b@01:rx1 b@12:rx",
      "a session has seen a write and then misses it", .level = "monotonic-reads" },
    { "monotonic-writes-cycle", LISTS, NOTHING, "a@01:wx2 a@12:wx1 b:rx12 / x12",
      "a session's second write comes before its first", .level = "monotonic-writes" },
    { "monotonic-writes-cycle", REGISTERS, ORDER, "a@01:wx2 a@12:wx1 / x12",
      "a session's second write comes before its first", .level = "monotonic-writes" },
    { "writes-follow-reads-cycle", LISTS, NOTHING, "a:wx2 wy1 b:ry1 wx1 c:rx12 / x12",
      "a write in answer to another comes before it", .level = "writes-follow-reads" },
    { "writes-follow-reads-cycle", REGISTERS, ORDER, "a:wx2 wy1 b:ry1 wx1 / x12",
      "a write in answer to another comes before it", .level = "writes-follow-reads" },
    { "serializable-no-order", REGISTERS, NO_ORDER, MIXED,
      "no order of two writers explains two readers", .level = "serializable" },
    { "repeatable-read-no-order", REGISTERS, NO_ORDER, MIXED,
      "no order of two writers explains two readers", .level = "repeatable-read" },
    { "snapshot-isolation-no-order", REGISTERS, NO_ORDER, MIXED,
      "no order of two writers explains two readers", .level = "snapshot-isolation" },
    { "consistent-view-no-order", REGISTERS, NO_ORDER, MIXED,
      "no order of two writers explains two readers", .level = "consistent-view" },
    { "prefix-no-order", REGISTERS, NO_ORDER, LONG_FORK,
      "two readers see two writes in either order", .level = "prefix" },
    { "parallel-snapshot-isolation-no-order", REGISTERS, NO_ORDER,
      "a:wx1 wz1 b:wx2 wy1 c:ry1 rz d:rz1 ry",
      "two readers each see one of two writers that write the same key",
      .level = "parallel-snapshot-isolation" },
    { "causal-cerone-no-order", ROWS, NO_ORDER, "a:wx1 b:rx1 wy5 c:ry5 p",
      "a write is seen, and the row that its writer had read is missed", .level = "causal-cerone" },
    { "read-atomic-no-order", ROWS, NO_ORDER, READ_SKEW_ROWS,
      "one write is seen, an inserted row missed", .level = "read-atomic" },
    { "strong-session-serializable-no-order", REGISTERS, NO_ORDER, AGAINST,
      "two sessions see two writes in opposite orders", .level = "strong-session-serializable" },
    { "strong-session-snapshot-isolation-no-order", REGISTERS, NO_ORDER, AGAINST,
      "two sessions see two writes in opposite orders",
      .level = "strong-session-snapshot-isolation" },
    { "strict-serializable-no-order", REGISTERS, NO_ORDER | TIMES, BACK_IN_TIME,
      "a read of what a later read shows to be overwritten", .level = "strict-serializable" },
    { "strong-snapshot-isolation-no-order", REGISTERS, NO_ORDER | TIMES, BACK_IN_TIME,
      "a read of what a later read shows to be overwritten", .level = "strong-snapshot-isolation" },

    /* Against what the store says of its commits. */
    { "order-mismatch", ALL, ONE_STAMP, "a#01:wx1 b#12:rx",
      "a read that its place in the order does not explain", .level = "serializable" },
    { "order-mismatch-process", ALL, ONE_STAMP | TIMES, "a@01#02:wx1 a@12#01:wy1",
      "a session's second transaction has its place before the first",
      .level = "strong-session-serializable" },
    { "order-mismatch-realtime", ALL, ONE_STAMP | TIMES, "a@01#02:wx1 b@23#01:wy1",
      "a later transaction has its place before one that was over",
      .level = "strict-serializable" },
    { "snapshot-mismatch", ALL, STAMPS, "a#01:wx1 b#23:rx",
      "a read that its snapshot does not explain", .level = "snapshot-isolation",
      .store = "snapshot-isolation" },
    { "snapshot-mismatch-process", ALL, STAMPS, "a@01#02:wx1 a@12#13:ry",
      "a snapshot without the session's own commit before it",
      .level = "strong-session-snapshot-isolation", .store = "snapshot-isolation" },
    { "snapshot-mismatch-realtime", ALL, STAMPS | TIMES, "a@01#02:wx1 b@23#13:ry",
      "a snapshot without a commit that was over", .level = "strong-snapshot-isolation",
      .store = "snapshot-isolation" },
    { "GSIa", ALL, STAMPS, "a#02:wx1 b#13:rx1 c?:wx2",
      "a read of what was committed after the snapshot, and a write of unknown outcome",
      .level = "snapshot-isolation", .store = "snapshot-isolation" },
    { "GSIb", ALL, STAMPS, "a#01:wx1 b#23:rx c?:wx2",
      "a read that misses what was committed before the snapshot, and a write of unknown outcome",
      .level = "snapshot-isolation", .store = "snapshot-isolation" },
    { "GSI", ALL, STAMPS, "a#02:wx1 b#13:rx1 c?:wx2", "GSIa, by the name of both",
      .level = "snapshot-isolation", .store = "snapshot-isolation" },

    /* Names of several: one of them. */
    { "G1", ALL, NOTHING, "a!:wx1 b:rx1", "G1a, by the name of all three" },
    { "G1-process", ALL, NOTHING, "a@01:rx1 a@12:wx1", "G1c-process, by the name of all" },
    { "G1-realtime", ALL, TIMES, "a@01:rx1 b@23:wx1", "G1c-realtime, by the name of all" },
    { "G-cursor", LISTS, NOTHING, "a:rx wx1 b:rx wx2 c:rx12", "a lost update" },
    { "G-cursor", REGISTERS | ROWS, NOTHING, "a:rx wx1 b:rx wx2", "a lost update" },
    { "G-monotonic", ALL, NOTHING, BACKWARDS, "a second read is older than the first" },
    { "G-MSR", ALL, NOTHING, BACKWARDS, "a second read needs an older snapshot than the first" },
    { "G-update", ALL, NOTHING, WRITE_SKEW, "a write skew" },
    { "G-SI", ALL, NOTHING, READ_SKEW, "a read skew" },
    { "G-SIb", ALL, NOTHING, READ_SKEW, "a read skew" },
    { 0 },
};
