#include "level/level.h"

/*
 * Small histories that a level forbids and allows, and products that ship it.  The examples are in
 * the notation of struct esse_example, strict enough for a program to read.  Of a product we say
 * only what its manual or a published test shows; a level without any is left empty.
 */

#define COSMOS "Azure Cosmos DB: session consistency, within one session token"

/* Transactions that distinguish several levels. */
#define STALE_LATER  "T1: w(x,1); T2: r(x,0); T1 ends before T2 starts"
#define STALE_OWN    "T1 (s1): w(x,1); T2 (s1): r(x,0)"
#define EARLY_READ   "T1: r(x,1); T2: w(x,1); T1 ends before T2 starts"
#define EARLY_OWN    "T1 (s1): r(x,1); T2 (s1): w(x,1)"
#define WRITE_SKEW   "T1: r(x,0) w(y,1); T2: r(y,0) w(x,1)"
#define LOST_UPDATE  "T1: r(x,0) w(x,1); T2: r(x,0) w(x,2)"
#define LONG_FORK    "T1: w(x,1); T2: w(y,1); T3: r(x,1) r(y,0); T4: r(x,0) r(y,1)"
#define NEW_THEN_OLD "T1: w(x,1) w(y,1); T2: r(x,1) r(y,0)"
#define OLD_THEN_NEW "T1: w(x,1) w(y,1); T2: r(y,0) r(x,1)"
#define CAUSALITY    "T1: w(x,1); T2: r(x,1) w(y,1); T3: r(y,1) r(x,0)"
#define BACKWARDS    "T1: w(x,1); T2 (s1): r(x,1); T3 (s1): r(x,0)"

#define WHY_STALE_LATER "T2 started after T1 had ended and still missed its write."
#define WHY_STALE_OWN   "T2 misses what its own session wrote before."
#define WHY_WRITE_SKEW  "Write skew: each reads what the other overwrites, so neither can be first."
#define WHY_LOST_UPDATE "Lost update: both start from the same x, and one result buries the other."
#define WHY_LONG_FORK   "Long fork: T3 and T4 see the two writes in opposite orders."
#define WHY_CAUSALITY   "T3 sees T2, which had seen T1, but does not see T1."

const struct esse_level_notes esse_level_notes_table[ESSE_LEVEL_END] = {
    [ESSE_LEVEL_STRICT_SERIALIZABLE] = {
        .forbidden = { STALE_LATER, WHY_STALE_LATER },
        .allowed = { "T1: w(x,1); T2: r(x,0)",
                     "No anomaly is left; only which of two overlapping transactions comes first "
                     "is open." },
        .databases = { "Google Spanner: the default for read-write transactions (external "
                       "consistency)",
                       "FoundationDB: the default",
                       "etcd: transactions, and reads unless asked for \"serializable\" ones" },
    },
    [ESSE_LEVEL_STRONG_SNAPSHOT_ISOLATION] = {
        .forbidden = { STALE_LATER, WHY_STALE_LATER },
        .allowed = { WRITE_SKEW, WHY_WRITE_SKEW },
        .databases = { "PostgreSQL: REPEATABLE READ, on a single primary" },
    },
    [ESSE_LEVEL_STRONG_READ_COMMITTED] = {
        .forbidden = { EARLY_READ, "T1 read a value whose writer started after T1 had ended." },
        .allowed = { STALE_LATER, "A stale read: T2 misses a write that had been committed." },
    },
    [ESSE_LEVEL_STRONG_READ_UNCOMMITTED] = {
        .forbidden = { "T1: a(x,1); T2: a(x,2); T3: r(x,[2 1]); T1 ends before T2 starts",
                       "T2 wrote after T1 had ended, yet its version is the older one." },
        .allowed = { EARLY_READ, "Reads are free: T1 read a value that did not exist yet." },
    },
    [ESSE_LEVEL_STRONG_SESSION_SERIALIZABLE] = {
        .forbidden = { STALE_OWN, WHY_STALE_OWN },
        .allowed = { STALE_LATER, "Between sessions a read may be stale." },
    },
    [ESSE_LEVEL_STRONG_SESSION_SNAPSHOT_ISOLATION] = {
        .forbidden = { STALE_OWN, WHY_STALE_OWN },
        .allowed = { WRITE_SKEW, WHY_WRITE_SKEW },
    },
    [ESSE_LEVEL_STRONG_SESSION_READ_COMMITTED] = {
        .forbidden = { EARLY_OWN, "T1 read what its own session wrote only later." },
        .allowed = { STALE_OWN, WHY_STALE_OWN },
    },
    [ESSE_LEVEL_STRONG_SESSION_READ_UNCOMMITTED] = {
        .forbidden = { "T1 (s1): a(x,1); T2 (s1): a(x,2); T3: r(x,[2 1])",
                       "The session wrote 1 before 2, and the list shows the opposite." },
        .allowed = { EARLY_OWN, "Reads are free: T1 read what its session wrote only later." },
    },
    [ESSE_LEVEL_SERIALIZABLE] = {
        .forbidden = { WRITE_SKEW, WHY_WRITE_SKEW },
        .allowed = { STALE_LATER, "T2 may be ordered before T1, time notwithstanding." },
        .databases = { "PostgreSQL: SERIALIZABLE", "CockroachDB: SERIALIZABLE, the default",
                       "YugabyteDB: SERIALIZABLE", "SQL Server: SERIALIZABLE",
                       "MySQL and MariaDB (InnoDB): SERIALIZABLE",
                       "Db2: REPEATABLE READ", "SQLite: its only level, shared cache aside" },
    },
    [ESSE_LEVEL_REPEATABLE_READ] = {
        .forbidden = { WRITE_SKEW, WHY_WRITE_SKEW },
        .allowed = { "T1: p(v>0,{}) w(x,1); T2: p(v>0,{}) w(y,1)",
                     "Phantoms: each adds a row that the other's predicate should have found." },
        .databases = { "SQL Server: REPEATABLE READ", "Db2: READ STABILITY" },
    },
    [ESSE_LEVEL_SNAPSHOT_ISOLATION] = {
        .forbidden = { LOST_UPDATE, WHY_LOST_UPDATE },
        .allowed = { WRITE_SKEW, WHY_WRITE_SKEW },
        .databases = { "PostgreSQL: REPEATABLE READ", "Oracle Database: SERIALIZABLE",
                       "SQL Server: SNAPSHOT", "YugabyteDB: REPEATABLE READ",
                       "TiDB: REPEATABLE READ, in optimistic transactions",
                       "MongoDB: read concern snapshot with write concern majority",
                       "MariaDB (InnoDB): REPEATABLE READ with innodb_snapshot_isolation=ON, the "
                       "default since 11.6.2" },
    },
    [ESSE_LEVEL_PARALLEL_SNAPSHOT_ISOLATION] = {
        .forbidden = { LOST_UPDATE, WHY_LOST_UPDATE },
        .allowed = { LONG_FORK, WHY_LONG_FORK },
    },
    [ESSE_LEVEL_PREFIX] = {
        .forbidden = { LONG_FORK, WHY_LONG_FORK },
        .allowed = { LOST_UPDATE, WHY_LOST_UPDATE },
    },
    [ESSE_LEVEL_UPDATE_ATOMIC] = {
        .forbidden = { LOST_UPDATE, WHY_LOST_UPDATE },
        .allowed = { CAUSALITY, WHY_CAUSALITY },
    },
    [ESSE_LEVEL_CAUSAL_CERONE] = {
        .forbidden = { CAUSALITY, WHY_CAUSALITY },
        .allowed = { LOST_UPDATE, WHY_LOST_UPDATE },
        .databases = { "AntidoteDB: transactional causal consistency" },
    },
    [ESSE_LEVEL_READ_ATOMIC] = {
        .forbidden = { OLD_THEN_NEW, "A fractured read: T2 sees half of T1." },
        .allowed = { CAUSALITY, WHY_CAUSALITY },
    },
    [ESSE_LEVEL_AXIOMATIC_READ_COMMITTED] = {
        .forbidden = { NEW_THEN_OLD, "Having read x from T1, T2 goes back to the y before T1." },
        .allowed = { OLD_THEN_NEW, "T1 committed between the two reads of T2." },
    },
    [ESSE_LEVEL_MONOTONIC_ATOMIC_VIEW] = {
        .forbidden = { NEW_THEN_OLD, "T2 has observed T1, which then vanishes." },
        .allowed = { "T1: w(x,1); T2: r(x,0) r(x,1)",
                     "A read that is not repeatable: T1 committed in between." },
        .databases = { "PostgreSQL: READ COMMITTED, by tests (Hermitage)",
                       "Oracle Database: READ COMMITTED, by tests (Hermitage)",
                       "SQL Server: READ COMMITTED with READ_COMMITTED_SNAPSHOT, by tests "
                       "(Hermitage)" },
    },
    [ESSE_LEVEL_UPDATE_SERIALIZABLE] = {
        .forbidden = { WRITE_SKEW, WHY_WRITE_SKEW },
        .allowed = { LONG_FORK, "T3 and T4 only read; each fits some serial order, not the same." },
    },
    [ESSE_LEVEL_FORWARD_CONSISTENT_VIEW] = {
        .forbidden = { OLD_THEN_NEW, "T2 mixes the states before and after T1." },
        .allowed = { WRITE_SKEW, WHY_WRITE_SKEW },
    },
    [ESSE_LEVEL_CONSISTENT_VIEW] = {
        .forbidden = { OLD_THEN_NEW, "Read skew: T2 mixes the states before and after T1." },
        .allowed = { LONG_FORK, WHY_LONG_FORK },
    },
    [ESSE_LEVEL_MONOTONIC_VIEW] = {
        .forbidden = { CAUSALITY, "Having read from T2, T3 goes back to the x before T1." },
        .allowed = { OLD_THEN_NEW, "The reads of T2 move forward, past T1's commit." },
    },
    [ESSE_LEVEL_CURSOR_STABILITY] = {
        .forbidden = { LOST_UPDATE, WHY_LOST_UPDATE },
        .allowed = { NEW_THEN_OLD, "Only the key that a transaction goes on to write is stable." },
        .databases = { "Db2: CURSOR STABILITY, the default" },
    },
    [ESSE_LEVEL_MONOTONIC_SNAPSHOT_READ] = {
        .forbidden = { NEW_THEN_OLD, "The second read would need a snapshot older than the first." },
        .allowed = { "T1: w(x,1); T2: r(x,0) r(x,1)",
                     "A read that is not repeatable: its second statement has a newer snapshot." },
        .databases = { "Oracle Database: READ COMMITTED (statement-level read consistency)" },
    },
    [ESSE_LEVEL_READ_COMMITTED] = {
        .forbidden = { "T1 (aborted): w(x,1); T2: r(x,1)",
                       "T2 read what was never committed." },
        .allowed = { NEW_THEN_OLD, "T2 sees T1's x and misses its y." },
        .databases = { "PostgreSQL, Oracle Database and SQL Server: READ COMMITTED, the default",
                       "MySQL and MariaDB (InnoDB): READ COMMITTED",
                       "MySQL, and MariaDB with innodb_snapshot_isolation=OFF (InnoDB): REPEATABLE "
                       "READ, the default; somewhat more than this, less than snapshot isolation",
                       "CockroachDB, YugabyteDB and TiDB: READ COMMITTED" },
    },
    [ESSE_LEVEL_READ_UNCOMMITTED] = {
        .forbidden = { "T1: a(x,1) a(y,1); T2: a(x,2) a(y,2); T3: r(x,[1 2]) r(y,[2 1])",
                       "The writes of T1 and T2 interleave: x says T1 was first, y says T2." },
        .allowed = { "T1 (aborted): w(x,1); T2: r(x,1)", "A dirty read." },
        .databases = { "SQL Server, and MySQL and MariaDB (InnoDB): READ UNCOMMITTED",
                       "Db2: UNCOMMITTED READ",
                       "SQLite: shared cache with PRAGMA read_uncommitted" },
    },
    [ESSE_LEVEL_VIEW_SERIALIZABLE] = {
        .forbidden = { LOST_UPDATE, WHY_LOST_UPDATE },
        .allowed = { "T1: r(x,0) w(x,1); T2: w(x,2); T3: w(x,3); version order of x: 2 1 3",
                     "Serial T1, T2, T3 explains the read and the end, though T2's version came "
                     "before T1's." },
    },
    [ESSE_LEVEL_SESSION_SERIALIZABLE] = {
        .forbidden = { STALE_OWN, WHY_STALE_OWN },
        .allowed = { STALE_LATER, "Between sessions a read may be stale." },
    },
    [ESSE_LEVEL_ONE_COPY_SERIALIZABLE] = {
        .forbidden = { WRITE_SKEW, WHY_WRITE_SKEW },
        .allowed = { STALE_OWN, "A lagging replica may answer: sessions do not count." },
    },
    [ESSE_LEVEL_LINEARIZABLE] = {
        .forbidden = { STALE_LATER, WHY_STALE_LATER },
        .allowed = { NEW_THEN_OLD, "Each operation is atomic, the transaction is not." },
        .databases = { "etcd: operations on single keys",
                       "Consul: key-value reads in consistent mode" },
    },
    [ESSE_LEVEL_SEQUENTIAL] = {
        .forbidden = { "T1: w(x,1) r(y,0); T2: w(y,1) r(x,0)",
                       "The later of the two must see the other's write, and neither did." },
        .allowed = { STALE_LATER, "Time does not count, only what one session does." },
        .databases = { "Apache ZooKeeper: reads that are not preceded by sync" },
    },
    [ESSE_LEVEL_CAUSAL] = {
        .forbidden = { CAUSALITY, WHY_CAUSALITY },
        .allowed = { "T1: w(x,1) r(y,0); T2: w(y,1) r(x,0)",
                     "Neither write caused the other, so each may be late for the other." },
        .databases = { "MongoDB: causally consistent sessions with majority read and write "
                       "concern" },
    },
    [ESSE_LEVEL_PRAM] = {
        .forbidden = { "T1 (s1): w(x,1); T2 (s1): w(y,1); T3: r(y,1) r(x,0)",
                       "The session's writes arrive at T3 out of order." },
        .allowed = { CAUSALITY, WHY_CAUSALITY },
    },
    [ESSE_LEVEL_WRITES_FOLLOW_READS] = {
        .forbidden = { "T1: a(x,1) w(y,1); T2: r(y,1) a(x,2); T3: r(x,[2 1])",
                       "T2 wrote 2 in answer to T1, and yet it comes before the 1 of T1." },
        .allowed = { BACKWARDS, "A session may read backwards." },
        .databases = { COSMOS },
    },
    [ESSE_LEVEL_MONOTONIC_READS] = {
        .forbidden = { BACKWARDS, "The session has seen 1 and then sees the state before it." },
        .allowed = { STALE_OWN, WHY_STALE_OWN },
        .databases = { COSMOS },
    },
    [ESSE_LEVEL_MONOTONIC_WRITES] = {
        .forbidden = { "T1 (s1): a(x,1); T2 (s1): a(x,2); T3: r(x,[2])",
                       "The session's second write is applied without its first." },
        .allowed = { STALE_OWN, WHY_STALE_OWN },
        .databases = { COSMOS },
    },
    [ESSE_LEVEL_READ_YOUR_WRITES] = {
        .forbidden = { STALE_OWN, WHY_STALE_OWN },
        .allowed = { BACKWARDS, "What others wrote may come and go." },
        .databases = { COSMOS },
    },
};
