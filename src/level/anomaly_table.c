#include "level/level.h"

/*
 * The anomalies.  Names and implications are Elle's.  Elle's "...-cycle-exists" are missing on
 * purpose: they say that a cycle was not found in time, and Esse always shows the cycle.
 */

#define ANOMALY(anomaly) ESSE_ANOMALY_##anomaly

#define ADYA "Adya 1999"
#define ELLE "Kingsbury and Alvaro 2020 (Elle)"
#define NO_ORDER                                                                                   \
    "Session order, reads-from and what the axiom of the level forces on the commit order form a " \
    "cycle, so that no commit order keeps "
#define NO_CHOICE                                                                                  \
    "Whichever order the versions are put in, and whichever version an ambiguous read is taken "   \
    "to "                                                                                          \
    "be of, there is a cycle that the level forbids: nothing that the history leaves open can be " \
    "chosen so that it satisfies "
#define ESSE        "Esse"
#define ENNE        "Clark, Donaldson, Wickerson and Rigger (Enne)"
#define CHRONOS     "Li et al. 2025 (Chronos)"
#define UNDER_ORDER " Another order may do: the level is violated under the order that was given."
#define UNDER_TIMES                                                                                \
    " Other snapshots may do: the level is violated under the timestamps that were given."

#define WITH_SESSIONS                                                                              \
    " in which at least one step is session order (so) and none is real time; the other steps "    \
    "are "
#define WITH_TIME                                                                                  \
    " in which at least one step is real time (rt) and others may be session order; the rest are "

const struct esse_anomaly_type esse_anomaly_table[ESSE_ANOMALY_END] = {
    [ESSE_ANOMALY_G1A] = {
        .id = ESSE_ANOMALY_G1A,
        .name = "G1a",
        .aliases = { "aborted-read" },
        .implies = { ANOMALY(G1) },
        .definition = "A committed transaction read a version that an aborted transaction wrote.",
        .source = ADYA,
        .example = { "T1 (aborted): w(x,1); T2: r(x,1)", "1 was never committed." },
    },
    [ESSE_ANOMALY_G1B] = {
        .id = ESSE_ANOMALY_G1B,
        .name = "G1b",
        .aliases = { "intermediate-read" },
        .implies = { ANOMALY(G1) },
        .definition = "A committed transaction read a version that is not the last its writer "
                      "wrote for that key.",
        .source = ADYA,
        .example = { "T1: w(x,1) w(x,2); T2: r(x,1)", "T1 had not finished with x." },
    },
    [ESSE_ANOMALY_GARBAGE_READ] = {
        .id = ESSE_ANOMALY_GARBAGE_READ,
        .name = "garbage-read",
        .is_own = true,
        .implies = { ANOMALY(G1) },
        .definition = "A committed transaction read a value that no transaction wrote, not even "
                      "one of unknown outcome. Rules out what G1a rules out.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2: r(x,7)", "No transaction wrote 7." },
    },
    [ESSE_ANOMALY_INTERNAL] = {
        .id = ESSE_ANOMALY_INTERNAL,
        .name = "internal",
        .definition = "A transaction's read of a key contradicts its own earlier reads or writes "
                      "of that key.",
        .source = "Cerone, Bernardi and Gotsman 2015; " ELLE,
        .example = { "T1: w(x,1) r(x,0)", "T1 does not see its own write." },
    },
    [ESSE_ANOMALY_OWN_WRITE_MISSED] = {
        .id = ESSE_ANOMALY_OWN_WRITE_MISSED,
        .name = "own-write-missed",
        .is_own = true,
        .implies = { ANOMALY(INTERNAL) },
        .definition = "A transaction's read of a key contradicts its own earlier write of that "
                      "key. Reported only for levels that allow non-repeatable reads; for the "
                      "others it is internal.",
        .source = ESSE,
        .example = { "T1: w(x,1) r(x,0)", "T1 does not see its own write." },
    },
    [ESSE_ANOMALY_FUTURE_READ] = {
        .id = ESSE_ANOMALY_FUTURE_READ,
        .name = "future-read",
        .implies = { ANOMALY(G1C) },
        .definition = "A transaction read a version that it writes itself only later.",
        .source = ELLE,
        .example = { "T1: r(x,1) w(x,1)", "The read returns what is not written yet." },
    },
    [ESSE_ANOMALY_DUPLICATE_ELEMENTS] = {
        .id = ESSE_ANOMALY_DUPLICATE_ELEMENTS,
        .name = "duplicate-elements",
        .definition = "A list was read that holds an element more often than it was appended.",
        .source = ELLE,
        .example = { "T1: a(x,1); T2: r(x,[1 1])", "1 was appended once." },
    },
    [ESSE_ANOMALY_DUPLICATE_WRITE] = {
        .id = ESSE_ANOMALY_DUPLICATE_WRITE,
        .name = "duplicate-write",
        .is_own = true,
        .definition = "Two operations installed the same value for a key although the workload "
                      "promises unique values. It is reported because it makes reads ambiguous; by "
                      "itself it rules out no level.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2: w(x,1)", "Which of the two writes does a reader see?" },
    },
    [ESSE_ANOMALY_INCOMPATIBLE_ORDER] = {
        .id = ESSE_ANOMALY_INCOMPATIBLE_ORDER,
        .name = "incompatible-order",
        .aliases = { "inconsistent-version-orders" },
        .implies = { ANOMALY(G1A) },
        .definition = "Two reads of a list are not prefixes of one another, so no version order of "
                      "the key explains both; one of them saw writes that did not last.",
        .source = ELLE,
        .example = { "T1: a(x,1); T2: a(x,2); T3: r(x,[1]); T4: r(x,[2 1])",
                     "1 cannot be both first and second." },
    },
    [ESSE_ANOMALY_CYCLIC_VERSIONS] = {
        .id = ESSE_ANOMALY_CYCLIC_VERSIONS,
        .name = "cyclic-versions",
        .definition = "What is known about the version order of one key contradicts itself.",
        .source = ELLE,
        .example = { "T1: r(x,1) w(x,2); T2: r(x,2) w(x,1)",
                     "Each version was made from the other." },
    },
    [ESSE_ANOMALY_DIRTY_UPDATE] = {
        .id = ESSE_ANOMALY_DIRTY_UPDATE,
        .name = "dirty-update",
        .implies = { ANOMALY(G1A) },
        .definition = "A committed version of a key builds on a version that an aborted "
                      "transaction wrote.",
        .source = ELLE,
        .example = { "T1 (aborted): a(x,1); T2: a(x,2); T3: r(x,[1 2])",
                     "T2's append kept the aborted element alive." },
    },
    [ESSE_ANOMALY_LOST_UPDATE] = {
        .id = ESSE_ANOMALY_LOST_UPDATE,
        .name = "lost-update",
        .aliases = { "P4" },
        .implies = { ANOMALY(WRITE_SKEW), ANOMALY(G2_ITEM) },
        .definition = "Two or more committed transactions read the same version of a key and all "
                      "go on to write that key.",
        .source = "Berenson et al. 1995; " ELLE,
        .example = { "T1: r(x,0) w(x,1); T2: r(x,0) w(x,2)",
                     "Whichever is second does not know of the first." },
    },
    [ESSE_ANOMALY_LOST_COMMIT] = {
        .id = ESSE_ANOMALY_LOST_COMMIT,
        .name = "lost-commit",
        .is_own = true,
        .definition = "A transaction was acknowledged as committed and is in no later state, and "
                      "not in the database's own log: 'lost' names it, and nothing that the log "
                      "has saw its writes. A crash that undoes what was promised does this.",
        .source = ESSE,
        .example = { "T1: w(x,1), acknowledged; the log: nothing of T1",
                     "T1's commit was acknowledged, and did not last." },
    },
    [ESSE_ANOMALY_PREDICATE_READ_MISS] = {
        .id = ESSE_ANOMALY_PREDICATE_READ_MISS,
        .name = "predicate-read-miss",
        .definition = "A predicate read left out a key although every version the key ever had "
                      "matches the predicate.",
        .source = ELLE,
        .example = { "T1: p(v>=0,{}); T2: w(x,1)",
                     "Both 0 and 1 match, and x was not returned." },
    },
    [ESSE_ANOMALY_RESULT_SET_MISMATCH] = {
        .id = ESSE_ANOMALY_RESULT_SET_MISMATCH,
        .name = "result-set-mismatch",
        .is_own = true,
        .definition = "The rows of a predicate read differ from what its predicate selects from "
                      "the read's version set, or the result of a statement (an aggregate, a LIMIT, "
                      "a join) from what it is of the versions looked at. Rules out what "
                      "predicate-read-miss rules out.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2: p(v>5,{x=1})", "1 is not greater than 5." },
    },
    [ESSE_ANOMALY_G0] = {
        .id = ESSE_ANOMALY_G0,
        .name = "G0",
        .aliases = { "dirty-write", "P0" },
        .implies = { ANOMALY(G1C), ANOMALY(G0_PROCESS) },
        .definition = "A cycle of ww edges.",
        .source = ADYA,
        .example = { "T1: a(x,1) a(y,1); T2: a(x,2) a(y,2); T3: r(x,[1 2]) r(y,[2 1])",
                     "T1 overwrote T2 and T2 overwrote T1." },
    },
    [ESSE_ANOMALY_G1C] = {
        .id = ESSE_ANOMALY_G1C,
        .name = "G1c",
        .aliases = { "circular-information-flow" },
        .implies = { ANOMALY(G1), ANOMALY(G1C_PROCESS) },
        .definition = "A cycle of ww and wr edges with at least one wr.",
        .source = ADYA,
        .example = { "T1: w(x,1) r(y,1); T2: w(y,1) r(x,1)", "Each read from the other." },
    },
    [ESSE_ANOMALY_G_SINGLE_ITEM] = {
        .id = ESSE_ANOMALY_G_SINGLE_ITEM,
        .name = "G-single-item",
        .aliases = { "read-skew", "A5A" },
        .implies = { ANOMALY(G_SINGLE), ANOMALY(G_SINGLE_ITEM_PROCESS),
                     ANOMALY(G_NONADJACENT_ITEM) },
        .definition = "A cycle of ww, wr and exactly one rw edge, which is an item rw.",
        .source = ADYA " (G-single); " ELLE,
        .example = { "T1: w(x,1) w(y,1); T2: r(x,1) r(y,0)",
                     "T2 read from T1 and read what T1 overwrote." },
    },
    [ESSE_ANOMALY_G_SINGLE] = {
        .id = ESSE_ANOMALY_G_SINGLE,
        .name = "G-single",
        .aliases = { "phantom", "P3" },
        .implies = { ANOMALY(G_NONADJACENT), ANOMALY(GSIB), ANOMALY(G_SINGLE_PROCESS) },
        .definition = "A cycle of ww, wr and exactly one rw edge; reported under this name when "
                      "the rw edge comes from a predicate read, and otherwise as G-single-item.",
        .source = ADYA,
        .example = { "T1: w(x,2) w(y,1); T2: p(v=2,{}) r(y,1)",
                     "T2's predicate missed the x of a transaction that T2 read from." },
    },
    [ESSE_ANOMALY_G_NONADJACENT_ITEM] = {
        .id = ESSE_ANOMALY_G_NONADJACENT_ITEM,
        .name = "G-nonadjacent-item",
        .aliases = { "long-fork" },
        .implies = { ANOMALY(G_NONADJACENT), ANOMALY(G2_ITEM),
                     ANOMALY(G_NONADJACENT_ITEM_PROCESS) },
        .definition = "A cycle of ww, wr and at least two item rw edges, no two rw in a row.",
        .source = "Cerone and Gotsman 2018; " ELLE,
        .example = { "T1: w(x,1); T2: w(y,1); T3: r(x,1) r(y,0); T4: r(x,0) r(y,1)",
                     "T3 and T4 see the two writes in opposite orders." },
    },
    [ESSE_ANOMALY_G_NONADJACENT] = {
        .id = ESSE_ANOMALY_G_NONADJACENT,
        .name = "G-nonadjacent",
        .implies = { ANOMALY(G2), ANOMALY(G_NONADJACENT_PROCESS) },
        .definition = "A cycle of ww, wr and at least two rw edges, no two rw in a row, some rw "
                      "from a predicate read.",
        .source = "Cerone and Gotsman 2018; " ELLE,
        .example = { "T1: w(x,1); T2: w(y,2); T3: p(v=1,{x=1}) r(y,0); T4: p(v=1,{}) r(y,2)",
                     "A long fork in which T4 misses x by predicate." },
    },
    [ESSE_ANOMALY_G2_ITEM] = {
        .id = ESSE_ANOMALY_G2_ITEM,
        .name = "G2-item",
        .implies = { ANOMALY(G2), ANOMALY(G2_ITEM_PROCESS) },
        .definition = "A cycle of ww, wr and at least one item rw edge; reported under this name "
                      "when two rw edges follow one another.",
        .source = ADYA,
        .example = { "T1: r(x,0) w(y,1); T2: r(y,0) w(x,1)",
                     "Each overwrote what the other had read." },
    },
    [ESSE_ANOMALY_G2] = {
        .id = ESSE_ANOMALY_G2,
        .name = "G2",
        .aliases = { "predicate-write-skew" },
        .implies = { ANOMALY(G2_PROCESS) },
        .definition = "A cycle of ww, wr and at least one rw edge; reported under this name when "
                      "two rw edges follow one another and one comes from a predicate read.",
        .source = ADYA,
        .example = { "T1: p(v>0,{}) w(x,1); T2: p(v>0,{}) w(y,1)",
                     "Each added a row that the other's predicate should have found." },
    },
    [ESSE_ANOMALY_G0_PROCESS] = {
        .id = ESSE_ANOMALY_G0_PROCESS,
        .name = "G0-process",
        .implies = { ANOMALY(G1C_PROCESS), ANOMALY(G0_REALTIME) },
        .definition = "A cycle" WITH_SESSIONS "ww.",
        .source = ELLE,
        .example = { "T1 (s1): a(x,1); T2 (s1): a(x,2); T3: r(x,[2 1])",
                     "The session's second write is the older version." },
    },
    [ESSE_ANOMALY_G1C_PROCESS] = {
        .id = ESSE_ANOMALY_G1C_PROCESS,
        .name = "G1c-process",
        .implies = { ANOMALY(G1_PROCESS), ANOMALY(G1C_REALTIME) },
        .definition = "A cycle" WITH_SESSIONS "ww and at least one wr.",
        .source = ELLE,
        .example = { "T1 (s1): r(x,1); T2 (s1): w(x,1)",
                     "T1 read what its session wrote only later." },
    },
    [ESSE_ANOMALY_G_SINGLE_ITEM_PROCESS] = {
        .id = ESSE_ANOMALY_G_SINGLE_ITEM_PROCESS,
        .name = "G-single-item-process",
        .implies = { ANOMALY(G_SINGLE_PROCESS), ANOMALY(G_SINGLE_ITEM_REALTIME),
                     ANOMALY(G_NONADJACENT_ITEM_PROCESS) },
        .definition = "A cycle" WITH_SESSIONS "ww, wr and exactly one item rw.",
        .source = ELLE,
        .example = { "T1 (s1): w(x,1); T2 (s1): r(x,0)", "T2 misses its own session's write." },
    },
    [ESSE_ANOMALY_G_SINGLE_PROCESS] = {
        .id = ESSE_ANOMALY_G_SINGLE_PROCESS,
        .name = "G-single-process",
        .implies = { ANOMALY(G_NONADJACENT_PROCESS), ANOMALY(G_SINGLE_REALTIME) },
        .definition = "A cycle" WITH_SESSIONS "ww, wr and exactly one rw, from a predicate read.",
        .source = ELLE,
        .example = { "T1 (s1): w(x,1); T2 (s1): p(v>0,{})",
                     "T2's predicate misses its own session's row." },
    },
    [ESSE_ANOMALY_G_NONADJACENT_ITEM_PROCESS] = {
        .id = ESSE_ANOMALY_G_NONADJACENT_ITEM_PROCESS,
        .name = "G-nonadjacent-item-process",
        .implies = { ANOMALY(G_NONADJACENT_PROCESS), ANOMALY(G2_ITEM_PROCESS),
                     ANOMALY(G_NONADJACENT_ITEM_REALTIME) },
        .definition = "A cycle" WITH_SESSIONS "ww, wr and at least two item rw, no two rw in a "
                      "row.",
        .source = ELLE,
        .example = { "T1 (s1): w(x,1); T2 (s1): r(y,0); T3 (s2): w(y,1); T4 (s2): r(x,0)",
                     "Each session misses what the other wrote before it." },
    },
    [ESSE_ANOMALY_G_NONADJACENT_PROCESS] = {
        .id = ESSE_ANOMALY_G_NONADJACENT_PROCESS,
        .name = "G-nonadjacent-process",
        .implies = { ANOMALY(G2_PROCESS), ANOMALY(G_NONADJACENT_REALTIME) },
        .definition = "A cycle" WITH_SESSIONS "ww, wr and at least two rw, no two rw in a row, "
                      "some rw from a predicate read.",
        .source = ELLE,
        .example = { "T1 (s1): w(x,1); T2 (s1): r(y,0); T3 (s2): w(y,2); T4 (s2): p(v=1,{})",
                     "Each session misses what the other wrote, one of them by predicate." },
    },
    [ESSE_ANOMALY_G2_ITEM_PROCESS] = {
        .id = ESSE_ANOMALY_G2_ITEM_PROCESS,
        .name = "G2-item-process",
        .implies = { ANOMALY(G2_PROCESS), ANOMALY(G2_ITEM_REALTIME) },
        .definition = "A cycle" WITH_SESSIONS "ww, wr and at least two item rw, two of them in a "
                      "row.",
        .source = ELLE,
        .example = { "T1 (s1): w(y,1); T2 (s1): r(x,0); T3: r(y,0) w(x,1)",
                     "T2 misses T3, T3 misses T1, and T1 precedes T2." },
    },
    [ESSE_ANOMALY_G2_PROCESS] = {
        .id = ESSE_ANOMALY_G2_PROCESS,
        .name = "G2-process",
        .implies = { ANOMALY(G2_REALTIME) },
        .definition = "A cycle" WITH_SESSIONS "ww, wr and at least two rw, two of them in a row, "
                      "some rw from a predicate read.",
        .source = ELLE,
        .example = { "T1 (s1): w(y,1); T2 (s1): p(v=2,{}); T3: r(y,0) w(x,2)",
                     "T2 misses T3's row, T3 misses T1's write, and T1 precedes T2." },
    },
    [ESSE_ANOMALY_G0_REALTIME] = {
        .id = ESSE_ANOMALY_G0_REALTIME,
        .name = "G0-realtime",
        .implies = { ANOMALY(G1C_REALTIME) },
        .definition = "A cycle" WITH_TIME "ww.",
        .source = ELLE,
        .example = { "T1: a(x,1); T2: a(x,2); T3: r(x,[2 1]); T1 ends before T2 starts",
                     "The later write is the older version." },
    },
    [ESSE_ANOMALY_G1C_REALTIME] = {
        .id = ESSE_ANOMALY_G1C_REALTIME,
        .name = "G1c-realtime",
        .implies = { ANOMALY(G1_REALTIME) },
        .definition = "A cycle" WITH_TIME "ww and at least one wr.",
        .source = ELLE,
        .example = { "T1: r(x,1); T2: w(x,1); T1 ends before T2 starts",
                     "T1 read a value before its writer started." },
    },
    [ESSE_ANOMALY_G_SINGLE_ITEM_REALTIME] = {
        .id = ESSE_ANOMALY_G_SINGLE_ITEM_REALTIME,
        .name = "G-single-item-realtime",
        .aliases = { "stale-read" },
        .implies = { ANOMALY(G_SINGLE_REALTIME), ANOMALY(G_NONADJACENT_ITEM_REALTIME) },
        .definition = "A cycle" WITH_TIME "ww, wr and exactly one item rw.",
        .source = ELLE,
        .example = { "T1: w(x,1); T2: r(x,0); T1 ends before T2 starts",
                     "A stale read: T1 was over when T2 started." },
    },
    [ESSE_ANOMALY_G_SINGLE_REALTIME] = {
        .id = ESSE_ANOMALY_G_SINGLE_REALTIME,
        .name = "G-single-realtime",
        .implies = { ANOMALY(G_NONADJACENT_REALTIME) },
        .definition = "A cycle" WITH_TIME "ww, wr and exactly one rw, from a predicate read.",
        .source = ELLE,
        .example = { "T1: w(x,1); T2: p(v>0,{}); T1 ends before T2 starts",
                     "T2's predicate misses a row that had been committed." },
    },
    [ESSE_ANOMALY_G_NONADJACENT_ITEM_REALTIME] = {
        .id = ESSE_ANOMALY_G_NONADJACENT_ITEM_REALTIME,
        .name = "G-nonadjacent-item-realtime",
        .implies = { ANOMALY(G2_ITEM_REALTIME), ANOMALY(G_NONADJACENT_REALTIME) },
        .definition = "A cycle" WITH_TIME "ww, wr and at least two item rw, no two rw in a row.",
        .source = ELLE,
        .example = { "T1: w(x,1); T2: r(y,0); T3: w(y,1); T4: r(x,0) r(y,1); T1 ends before T2 "
                     "starts",
                     "T2 is later than T1 and misses T3, T4 sees T3 and misses T1." },
    },
    [ESSE_ANOMALY_G_NONADJACENT_REALTIME] = {
        .id = ESSE_ANOMALY_G_NONADJACENT_REALTIME,
        .name = "G-nonadjacent-realtime",
        .implies = { ANOMALY(G2_REALTIME) },
        .definition = "A cycle" WITH_TIME "ww, wr and at least two rw, no two rw in a row, some rw "
                      "from a predicate read.",
        .source = ELLE,
        .example = { "T1: w(x,1); T2: r(y,0); T3: w(y,2); T4: p(v=1,{}) r(y,2); T1 ends before T2 "
                     "starts",
                     "T2 is later than T1 and misses T3, T4 sees T3 and misses T1's row." },
    },
    [ESSE_ANOMALY_G2_ITEM_REALTIME] = {
        .id = ESSE_ANOMALY_G2_ITEM_REALTIME,
        .name = "G2-item-realtime",
        .implies = { ANOMALY(G2_REALTIME) },
        .definition = "A cycle" WITH_TIME "ww, wr and at least two item rw, two of them in a row.",
        .source = ELLE,
        .example = { "T1: w(y,1); T2: r(x,0); T3: r(y,0) w(x,1); T1 ends before T2 starts",
                     "T2 misses T3, T3 misses T1, and T1 was over when T2 started." },
    },
    [ESSE_ANOMALY_G2_REALTIME] = {
        .id = ESSE_ANOMALY_G2_REALTIME,
        .name = "G2-realtime",
        .definition = "A cycle" WITH_TIME "ww, wr and at least two rw, two of them in a row, some "
                      "rw from a predicate read.",
        .source = ELLE,
        .example = { "T1: w(y,1); T2: p(v=2,{}); T3: r(y,0) w(x,2); T1 ends before T2 starts",
                     "T2 misses T3's row, T3 misses T1, and T1 was over when T2 started." },
    },
    [ESSE_ANOMALY_CO_READ_COMMITTED] = {
        .id = ESSE_ANOMALY_CO_READ_COMMITTED,
        .name = "axiomatic-read-committed-cycle",
        .is_own = true,
        .definition = NO_ORDER "axiomatic-read-committed.",
        .source = ESSE,
        .example = { "T1: w(x,1) w(y,1); T2: r(x,1) r(y,0)", "Having read x from T1, T2 goes back to the y before T1." },
    },
    [ESSE_ANOMALY_CO_MONOTONIC_ATOMIC_VIEW] = {
        .id = ESSE_ANOMALY_CO_MONOTONIC_ATOMIC_VIEW,
        .name = "monotonic-atomic-view-cycle",
        .is_own = true,
        .definition = NO_ORDER "monotonic-atomic-view.",
        .source = ESSE,
        .example = { "T1: w(x,1) w(y,1); T2: r(x,1) r(y,0)", "T2 has observed T1, which then vanishes." },
    },
    [ESSE_ANOMALY_CO_READ_ATOMIC] = {
        .id = ESSE_ANOMALY_CO_READ_ATOMIC,
        .name = "read-atomic-cycle",
        .is_own = true,
        .definition = NO_ORDER "read-atomic.",
        .source = ESSE,
        .example = { "T1: w(x,1) w(y,1); T2: r(y,0) r(x,1)", "T2 sees half of T1." },
    },
    [ESSE_ANOMALY_CO_CAUSAL_CERONE] = {
        .id = ESSE_ANOMALY_CO_CAUSAL_CERONE,
        .name = "causal-cerone-cycle",
        .is_own = true,
        .definition = NO_ORDER "causal-cerone.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2: r(x,1) w(y,1); T3: r(y,1) r(x,0)", "T3 sees T2, which had seen T1, but does not see T1." },
    },
    [ESSE_ANOMALY_CO_CAUSAL] = {
        .id = ESSE_ANOMALY_CO_CAUSAL,
        .name = "causal-cycle",
        .is_own = true,
        .definition = NO_ORDER "causal.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2: r(x,1) w(y,1); T3: r(y,1) r(x,0)", "T3 sees the answer and not what it answers." },
    },
    [ESSE_ANOMALY_CO_PRAM] = {
        .id = ESSE_ANOMALY_CO_PRAM,
        .name = "PRAM-cycle",
        .is_own = true,
        .definition = NO_ORDER "PRAM.",
        .source = ESSE,
        .example = { "T1 (s1): w(x,1); T2 (s1): w(y,1); T3: r(y,1) r(x,0)", "The session's writes arrive at T3 out of order." },
    },
    [ESSE_ANOMALY_CO_READ_YOUR_WRITES] = {
        .id = ESSE_ANOMALY_CO_READ_YOUR_WRITES,
        .name = "read-your-writes-cycle",
        .is_own = true,
        .definition = NO_ORDER "read-your-writes.",
        .source = ESSE,
        .example = { "T1 (s1): w(x,1); T2 (s1): r(x,0)", "T2 misses what its own session wrote before." },
    },
    [ESSE_ANOMALY_CO_MONOTONIC_READS] = {
        .id = ESSE_ANOMALY_CO_MONOTONIC_READS,
        .name = "monotonic-reads-cycle",
        .is_own = true,
        .definition = NO_ORDER "monotonic-reads.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2 (s1): r(x,1); T3 (s1): r(x,0)", "The session has seen 1 and then sees the state before it." },
    },
    [ESSE_ANOMALY_CO_MONOTONIC_WRITES] = {
        .id = ESSE_ANOMALY_CO_MONOTONIC_WRITES,
        .name = "monotonic-writes-cycle",
        .is_own = true,
        .definition = NO_ORDER "monotonic-writes.",
        .source = ESSE,
        .example = { "T1 (s1): a(x,1); T2 (s1): a(x,2); T3: r(x,[2 1])", "The session wrote 1 before 2." },
    },
    [ESSE_ANOMALY_CO_WRITES_FOLLOW_READS] = {
        .id = ESSE_ANOMALY_CO_WRITES_FOLLOW_READS,
        .name = "writes-follow-reads-cycle",
        .is_own = true,
        .definition = NO_ORDER "writes-follow-reads.",
        .source = ESSE,
        .example = { "T1: a(x,1) w(y,1); T2: r(y,1) a(x,2); T3: r(x,[2 1])",
                     "T2 wrote 2 in answer to T1, and yet it comes before the 1 of T1." },
    },
    [ESSE_ANOMALY_CO_PREFIX] = {
        .id = ESSE_ANOMALY_CO_PREFIX,
        .name = "prefix-cycle",
        .is_own = true,
        .definition = NO_ORDER "prefix.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2: r(x,1) w(y,1); T3: r(y,1) r(x,0)", "What T3 sees is no prefix of any order." },
    },
    [ESSE_ANOMALY_CO_PARALLEL] = {
        .id = ESSE_ANOMALY_CO_PARALLEL,
        .name = "parallel-snapshot-isolation-cycle",
        .is_own = true,
        .definition = NO_ORDER "parallel-snapshot-isolation.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2: r(x,1) w(y,1); T3: r(y,1) r(x,0)", "T3 sees T2, which had seen T1, but does not see T1." },
    },
    [ESSE_ANOMALY_CO_UPDATE_ATOMIC] = {
        .id = ESSE_ANOMALY_CO_UPDATE_ATOMIC,
        .name = "update-atomic-cycle",
        .is_own = true,
        .definition = NO_ORDER "update-atomic.",
        .source = ESSE,
        .example = { "T1: w(x,1) w(y,1); T2: r(y,0) r(x,1)", "T2 sees half of T1." },
    },
    [ESSE_ANOMALY_NO_ORDER_STRICT_SERIALIZABLE] = {
        .id = ESSE_ANOMALY_NO_ORDER_STRICT_SERIALIZABLE,
        .name = "strict-serializable-no-order",
        .is_own = true,
        .definition = NO_CHOICE "strict-serializable.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2: w(x,2); T3: r(x,1); T4: r(x,2); T1 and T2 end before T3 starts, and T3 before T4", "With T2 before T1, T4 reads what was overwritten; with T1 before T2, T3 does." },
    },
    [ESSE_ANOMALY_NO_ORDER_STRONG_SESSION_SERIALIZABLE] = {
        .id = ESSE_ANOMALY_NO_ORDER_STRONG_SESSION_SERIALIZABLE,
        .name = "strong-session-serializable-no-order",
        .is_own = true,
        .definition = NO_CHOICE "strong-session-serializable.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2: w(x,2); T3 (s1): r(x,1); T4 (s1): r(x,2); T5 (s2): r(x,2); T6 (s2): r(x,1)", "Two sessions see the two writes in opposite orders." },
    },
    [ESSE_ANOMALY_NO_ORDER_SERIALIZABLE] = {
        .id = ESSE_ANOMALY_NO_ORDER_SERIALIZABLE,
        .name = "serializable-no-order",
        .is_own = true,
        .definition = NO_CHOICE "serializable.",
        .source = ESSE,
        .example = { "T1: w(x,1) w(y,1); T2: w(x,2) w(y,2); T3: r(x,1) r(y,2); T4: r(x,2) r(y,1)", "Whichever of T1 and T2 is last, T3 or T4 sees half of it." },
    },
    [ESSE_ANOMALY_NO_ORDER_STRONG_SNAPSHOT_ISOLATION] = {
        .id = ESSE_ANOMALY_NO_ORDER_STRONG_SNAPSHOT_ISOLATION,
        .name = "strong-snapshot-isolation-no-order",
        .is_own = true,
        .definition = NO_CHOICE "strong-snapshot-isolation.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2: w(x,2); T3: r(x,1); T4: r(x,2); T1 and T2 end before T3 starts, and T3 before T4", "With T2 before T1, T4 reads what was overwritten; with T1 before T2, T3 does." },
    },
    [ESSE_ANOMALY_NO_ORDER_STRONG_SESSION_SNAPSHOT_ISOLATION] = {
        .id = ESSE_ANOMALY_NO_ORDER_STRONG_SESSION_SNAPSHOT_ISOLATION,
        .name = "strong-session-snapshot-isolation-no-order",
        .is_own = true,
        .definition = NO_CHOICE "strong-session-snapshot-isolation.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2: w(x,2); T3 (s1): r(x,1); T4 (s1): r(x,2); T5 (s2): r(x,2); T6 (s2): r(x,1)", "Two sessions see the two writes in opposite orders." },
    },
    [ESSE_ANOMALY_NO_ORDER_SNAPSHOT_ISOLATION] = {
        .id = ESSE_ANOMALY_NO_ORDER_SNAPSHOT_ISOLATION,
        .name = "snapshot-isolation-no-order",
        .is_own = true,
        .definition = NO_CHOICE "snapshot-isolation.",
        .source = ESSE,
        .example = { "T1: w(x,1) w(y,1); T2: w(x,2) w(y,2); T3: r(x,1) r(y,2); T4: r(x,2) r(y,1)", "T3 and T4 mix the two, and no snapshot holds both halves." },
    },
    [ESSE_ANOMALY_NO_ORDER_REPEATABLE_READ] = {
        .id = ESSE_ANOMALY_NO_ORDER_REPEATABLE_READ,
        .name = "repeatable-read-no-order",
        .is_own = true,
        .definition = NO_CHOICE "repeatable-read.",
        .source = ESSE,
        .example = { "T1: w(x,1) w(y,1); T2: w(x,2) w(y,2); T3: r(x,1) r(y,2); T4: r(x,2) r(y,1)", "Whichever of T1 and T2 is last, T3 or T4 read what it overwrote." },
    },
    [ESSE_ANOMALY_NO_ORDER_PREFIX] = {
        .id = ESSE_ANOMALY_NO_ORDER_PREFIX,
        .name = "prefix-no-order",
        .is_own = true,
        .definition = NO_CHOICE "prefix.",
        .source = ESSE,
        .example = { "T1: w(x,1); T2: w(x,2); T3 (s1): r(x,1); T4 (s1): r(x,2); T5 (s2): r(x,2); T6 (s2): r(x,1)", "Two sessions see the two writes in opposite orders." },
    },
    [ESSE_ANOMALY_NO_ORDER_PARALLEL] = {
        .id = ESSE_ANOMALY_NO_ORDER_PARALLEL,
        .name = "parallel-snapshot-isolation-no-order",
        .is_own = true,
        .definition = NO_CHOICE "parallel-snapshot-isolation.",
        .source = ESSE,
        .example = { "T1: w(x,1) w(y,1); T2: w(x,2) w(y,2); T3: r(x,1) r(y,2); T4: r(x,2) r(y,1)", "Whichever of T1 and T2 is last, T3 or T4 sees it and misses half of it." },
    },
    [ESSE_ANOMALY_NO_ORDER_CONSISTENT_VIEW] = {
        .id = ESSE_ANOMALY_NO_ORDER_CONSISTENT_VIEW,
        .name = "consistent-view-no-order",
        .is_own = true,
        .definition = NO_CHOICE "consistent-view.",
        .source = ESSE,
        .example = { "T1: w(x,1) w(y,1); T2: w(x,2) w(y,2); T3: r(x,1) r(y,2); T4: r(x,2) r(y,1)", "Whichever of T1 and T2 is last, T3 or T4 depends on it and misses half of it." },
    },
    [ESSE_ANOMALY_NO_ORDER_CAUSAL_CERONE] = {
        .id = ESSE_ANOMALY_NO_ORDER_CAUSAL_CERONE,
        .name = "causal-cerone-no-order",
        .is_own = true,
        .definition = NO_CHOICE "causal-cerone.",
        .source = ESSE,
        .example = { "T1: w(x,2); T2: r(x,2) w(y,1); T3: r(y,1) p(v=2,{})", "T3 sees T2, which had seen T1; but the only x that T3's predicate leaves out is the one before T1." },
    },
    [ESSE_ANOMALY_NO_ORDER_READ_ATOMIC] = {
        .id = ESSE_ANOMALY_NO_ORDER_READ_ATOMIC,
        .name = "read-atomic-no-order",
        .is_own = true,
        .definition = NO_CHOICE "read-atomic.",
        .source = ESSE,
        .example = { "T1: w(x,2) w(y,1); T2: r(y,1) p(v=2,{})", "T2 sees T1's y; but the only x that its predicate leaves out is the one before T1." },
    },
    [ESSE_ANOMALY_ORDER_MISMATCH] = {
        .id = ESSE_ANOMALY_ORDER_MISMATCH,
        .name = "order-mismatch",
        .is_own = true,
        .definition = "The transactions were replayed one after the other in the order that was "
                      "given (order, commit_ts or start_ts), and an operation did not return what "
                      "the table held." UNDER_ORDER,
        .source = ENNE,
        .example = { "T1: w(x,1); T2: r(x,0); order T1, T2", "In that order x is 1 when T2 reads it." },
    },
    [ESSE_ANOMALY_ORDER_MISMATCH_PROCESS] = {
        .id = ESSE_ANOMALY_ORDER_MISMATCH_PROCESS,
        .name = "order-mismatch-process",
        .is_own = true,
        .definition = "The order that was given replays, but places a transaction before one that "
                      "precedes it in its session." UNDER_ORDER,
        .source = ENNE,
        .example = { "T1 (s1): w(x,1); T2 (s1): w(y,1); order T2, T1", "T1 is the first of the session." },
    },
    [ESSE_ANOMALY_ORDER_MISMATCH_REALTIME] = {
        .id = ESSE_ANOMALY_ORDER_MISMATCH_REALTIME,
        .name = "order-mismatch-realtime",
        .is_own = true,
        .definition = "The order that was given replays, but places a transaction before one that "
                      "had ended when it started." UNDER_ORDER,
        .source = ENNE,
        .example = { "T1: w(x,1); T2: w(y,1); T1 ended before T2 started; order T2, T1", "T1 was over." },
    },
    [ESSE_ANOMALY_SNAPSHOT_MISMATCH] = {
        .id = ESSE_ANOMALY_SNAPSHOT_MISMATCH,
        .name = "snapshot-mismatch",
        .is_own = true,
        .is_about_points = true,
        .definition = "The transactions were replayed with their snapshots at start_ts and their "
                      "writes at commit_ts, and an operation did not return what its snapshot "
                      "held, or two that overlap committed the same key." UNDER_TIMES,
        .source = CHRONOS,
        .example = { "T1: w(x,1); T2: r(x,0); T1 has commit_ts 1, T2 start_ts 2", "x is 1 at 2." },
    },
    [ESSE_ANOMALY_SNAPSHOT_MISMATCH_PROCESS] = {
        .id = ESSE_ANOMALY_SNAPSHOT_MISMATCH_PROCESS,
        .name = "snapshot-mismatch-process",
        .is_own = true,
        .is_about_points = true,
        .definition = "The timestamps that were given replay, but a snapshot is older than the "
                      "commit of a transaction that precedes it in its session." UNDER_TIMES,
        .source = CHRONOS,
        .example = { "T1 (s1): w(x,1); T2 (s1): r(y,0); T1 has commit_ts 2, T2 start_ts 1", "T2 begins before T1 commits." },
    },
    [ESSE_ANOMALY_SNAPSHOT_MISMATCH_REALTIME] = {
        .id = ESSE_ANOMALY_SNAPSHOT_MISMATCH_REALTIME,
        .name = "snapshot-mismatch-realtime",
        .is_own = true,
        .is_about_points = true,
        .definition = "The timestamps that were given replay, but a snapshot is older than the "
                      "commit of a transaction that had ended when it started." UNDER_TIMES,
        .source = CHRONOS,
        .example = { "T1: w(x,1); T2: r(y,0); T1 ended before T2 started; T1 has commit_ts 2, T2 start_ts 1", "T1 was over." },
    },
    [ESSE_ANOMALY_G1] = {
        .id = ESSE_ANOMALY_G1,
        .name = "G1",
        .is_umbrella = true,
        .implies = { ANOMALY(G1_PROCESS) },
        .definition = "Any of G1a, G1b and G1c.",
        .source = ADYA,
        .example = { "T1: w(x,1) w(x,2); T2: r(x,1)", "An intermediate read, for one." },
    },
    [ESSE_ANOMALY_G1_PROCESS] = {
        .id = ESSE_ANOMALY_G1_PROCESS,
        .name = "G1-process",
        .is_umbrella = true,
        .implies = { ANOMALY(G1_REALTIME) },
        .definition = "G1, or a cycle of ww, wr and session order.",
        .source = ELLE,
        .example = { "T1 (s1): r(x,1); T2 (s1): w(x,1)", "A G1c-process, for one." },
    },
    [ESSE_ANOMALY_G1_REALTIME] = {
        .id = ESSE_ANOMALY_G1_REALTIME,
        .name = "G1-realtime",
        .is_umbrella = true,
        .definition = "G1, or a cycle of ww, wr, session order and real time.",
        .source = ELLE,
        .example = { "T1: r(x,1); T2: w(x,1); T1 ends before T2 starts",
                     "A G1c-realtime, for one." },
    },
    [ESSE_ANOMALY_WRITE_SKEW] = {
        .id = ESSE_ANOMALY_WRITE_SKEW,
        .name = "write-skew",
        .aliases = { "A5B" },
        .is_umbrella = true,
        .implies = { ANOMALY(G2) },
        .definition = "Two transactions each write what the other read. Reported as the cycle it "
                      "is, mostly G2-item.",
        .source = "Berenson et al. 1995",
        .example = { "T1: r(x,0) w(y,1); T2: r(y,0) w(x,1)",
                     "Neither saw the other's write." },
    },
    [ESSE_ANOMALY_G_CURSOR] = {
        .id = ESSE_ANOMALY_G_CURSOR,
        .name = "G-cursor",
        .is_umbrella = true,
        .definition = "A cycle of ww edges and exactly one rw edge, all on the same key. Reported "
                      "as lost-update or G-single-item.",
        .source = ADYA,
        .example = { "T1: r(x,0) w(x,1); T2: w(x,2); version order of x: 2 1",
                     "T2 overwrote x between T1's read and its write." },
    },
    [ESSE_ANOMALY_G_MONOTONIC] = {
        .id = ESSE_ANOMALY_G_MONOTONIC,
        .name = "G-monotonic",
        .is_umbrella = true,
        .definition = "With one transaction taken apart into its operations, a cycle of ww, wr, "
                      "program order and exactly one rw that leaves a read of that transaction. "
                      "Reported as G-single-item or G-single.",
        .source = ADYA,
        .example = { "T1: w(x,1) w(y,1); T2: r(x,1) r(y,0)",
                     "T2's second read is older than its first." },
    },
    [ESSE_ANOMALY_G_MSR] = {
        .id = ESSE_ANOMALY_G_MSR,
        .name = "G-MSR",
        .is_umbrella = true,
        .definition = "No snapshot per operation, going forward, explains a transaction's reads. "
                      "Reported as the cycle it makes.",
        .source = ADYA,
        .example = { "T1: w(x,1) w(y,1); T2: r(x,1) r(y,0)",
                     "The second read needs an older snapshot than the first." },
    },
    [ESSE_ANOMALY_G_UPDATE] = {
        .id = ESSE_ANOMALY_G_UPDATE,
        .name = "G-update",
        .is_umbrella = true,
        .definition = "A cycle with at least one rw among the transactions that write and at most "
                      "one that only reads. Reported as the cycle it is.",
        .source = ADYA,
        .example = { "T1: r(x,0) w(y,1); T2: r(y,0) w(x,1)", "Both write." },
    },
    [ESSE_ANOMALY_G_SI] = {
        .id = ESSE_ANOMALY_G_SI,
        .name = "G-SI",
        .is_umbrella = true,
        .definition = "Any violation of snapshot isolation, by Adya's name. Reported as the cycle "
                      "it is.",
        .source = ADYA,
        .example = { "T1: r(x,0) w(x,1); T2: r(x,0) w(x,2)", "A lost update, for one." },
    },
    [ESSE_ANOMALY_G_SIB] = {
        .id = ESSE_ANOMALY_G_SIB,
        .name = "G-SIb",
        .is_umbrella = true,
        .definition = "A cycle of ww, wr, start order and exactly one rw: a transaction missed "
                      "effects of one that its snapshot includes.",
        .source = ADYA,
        .example = { "T1: w(x,1) w(y,1); T2: r(x,1) r(y,0)", "T2 sees half of T1." },
    },
    [ESSE_ANOMALY_GSI] = {
        .id = ESSE_ANOMALY_GSI,
        .name = "GSI",
        .is_umbrella = true,
        .is_about_points = true,
        .definition = "GSIa or GSIb. Elle knows the names and never finds them.",
        .source = ELLE,
        .example = { "T1: w(x,1); T2: r(x,0); T1 has commit_ts 1, T2 start_ts 2", "A GSIb, for one." },
    },
    [ESSE_ANOMALY_GSIA] = {
        .id = ESSE_ANOMALY_GSIA,
        .name = "GSIa",
        .is_about_points = true,
        .implies = { ANOMALY(GSI) },
        .definition = "A transaction read from, or overwrote, one that had not committed by its "
                      "start point: a ww or wr without a start dependency. Reported where a "
                      "certificate gives both points." UNDER_TIMES,
        .source = ADYA,
        .example = { "T1: w(x,1); T2: r(x,1); T1 has commit_ts 2, T2 start_ts 1",
                     "1 was not committed when T2 began." },
    },
    [ESSE_ANOMALY_GSIB] = {
        .id = ESSE_ANOMALY_GSIB,
        .name = "GSIb",
        .is_about_points = true,
        .implies = { ANOMALY(GSI) },
        .definition = "A cycle of ww, wr, start dependencies and exactly one rw: a transaction "
                      "missed what had been committed by its start point. Reported where a "
                      "certificate gives both points; without, it is a G-single, which implies "
                      "it, or nothing." UNDER_TIMES,
        .source = ADYA,
        .example = { "T1: w(x,1); T2: r(x,0); T1 has commit_ts 1, T2 start_ts 2",
                     "1 was there when T2 began." },
    },
};
