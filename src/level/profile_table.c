#include "level/profile.h"

/*
 * The table of watch: see profile.h for the columns.  'seen' says where a row comes from: L live
 * with Esse, D the database's documentation, U to be confirmed.  Notes:
 *
 *   opengauss     repeatable read and serializable are documented as the same.
 *   yugabytedb    read committed needs its flag; without it, it is the next row.
 *   mysql ...     updates before the first plain read take no snapshot.  At serializable plain
 * reads lock and see what is newest. cockroachdb   a read is as of any instant from the first
 * operation to COMMIT. reads from replicas are no part of these rows.
 *   memory        the store in this process (docs/design/generator.md).
 */
#define ROW(title, cr, when, me, first, sc, how_far, promised, where, ...)                         \
    {                                                                                              \
        .name = title, .reads = ESSE_READS_##cr, .at = ESSE_AT_##when, .locks = ESSE_LOCKS_##me,   \
        .fuw = ESSE_FUW_##first, .certifier = ESSE_CERTIFIER_##sc, .time = ESSE_TIME_##how_far,    \
        .level = ESSE_LEVEL_##promised, .seen = where, __VA_ARGS__                                 \
    }

/* clang-format off */
const struct esse_profile esse_profile_table[] = {
    ROW("postgresql/read-committed", STATEMENT, FIRST, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'L', .row_lock_modes = true),
    ROW("aurora-postgresql/read-committed", STATEMENT, FIRST, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'L', .row_lock_modes = true),
    ROW("polardb-postgresql/read-committed", STATEMENT, FIRST, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'L', .row_lock_modes = true),
    ROW("postgresql/repeatable-read", TXN, FIRST, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'L', .row_lock_modes = true, .lock_sees_snapshot = true),
    ROW("aurora-postgresql/repeatable-read", TXN, FIRST, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'L', .row_lock_modes = true, .lock_sees_snapshot = true),
    ROW("polardb-postgresql/repeatable-read", TXN, FIRST, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'L', .row_lock_modes = true, .lock_sees_snapshot = true),
    ROW("postgresql/serializable", TXN, FIRST, WRITES, UPDATE, SSI, ALL, SERIALIZABLE, 'L', .row_lock_modes = true, .lock_sees_snapshot = true),
    ROW("aurora-postgresql/serializable", TXN, FIRST, WRITES, UPDATE, SSI, ALL, SERIALIZABLE, 'L', .row_lock_modes = true, .lock_sees_snapshot = true),
    ROW("polardb-postgresql/serializable", TXN, FIRST, WRITES, UPDATE, SSI, ALL, SERIALIZABLE, 'L', .row_lock_modes = true, .lock_sees_snapshot = true),
    ROW("opengauss/read-committed", STATEMENT, FIRST, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'D', .row_lock_modes = true),
    ROW("opengauss/repeatable-read", TXN, FIRST, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'D', .row_lock_modes = true, .lock_sees_snapshot = true),
    ROW("opengauss/serializable", TXN, FIRST, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'D', .row_lock_modes = true, .lock_sees_snapshot = true),
    ROW("yugabytedb/read-committed", STATEMENT, EITHER, WRITES, NONE, NONE, KEY, READ_COMMITTED, 'D', .row_lock_modes = true, .locks_of_committed = true),
    ROW("yugabytedb/repeatable-read", TXN, EITHER, WRITES, UPDATE, NONE, KEY, SNAPSHOT_ISOLATION, 'D', .row_lock_modes = true, .locks_of_committed = true, .lock_sees_snapshot = true),
    ROW("yugabytedb/serializable", TXN, EITHER, READS, NONE, CYCLE, KEY, SERIALIZABLE, 'D', .row_lock_modes = true, .locks_of_committed = true),
    ROW("mysql/read-uncommitted", ANY, FIRST, WRITES, NONE, NONE, ALL, READ_UNCOMMITTED, 'L'),
    ROW("mariadb/read-uncommitted", ANY, FIRST, WRITES, NONE, NONE, ALL, READ_UNCOMMITTED, 'L'),
    ROW("aurora-mysql/read-uncommitted", ANY, FIRST, WRITES, NONE, NONE, ALL, READ_UNCOMMITTED, 'L'),
    ROW("polardb-mysql/read-uncommitted", ANY, FIRST, WRITES, NONE, NONE, ALL, READ_UNCOMMITTED, 'L'),
    ROW("mysql/read-committed", STATEMENT, FIRST, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'L'),
    ROW("mariadb/read-committed", STATEMENT, FIRST, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'L'),
    ROW("aurora-mysql/read-committed", STATEMENT, FIRST, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'L'),
    ROW("polardb-mysql/read-committed", STATEMENT, FIRST, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'L'),
    ROW("mysql/repeatable-read", TXN, PLAIN, WRITES, NONE, NONE, ALL, NONE, 'L'),
    ROW("mariadb/repeatable-read", TXN, PLAIN, WRITES, NONE, NONE, ALL, NONE, 'L'),
    ROW("aurora-mysql/repeatable-read", TXN, PLAIN, WRITES, NONE, NONE, ALL, NONE, 'L'),
    ROW("polardb-mysql/repeatable-read", TXN, PLAIN, WRITES, NONE, NONE, ALL, NONE, 'L'),
    ROW("mysql/serializable", ROW, FIRST, READS, NONE, CYCLE, ALL, SERIALIZABLE, 'L'),
    ROW("mariadb/serializable", ROW, FIRST, READS, NONE, CYCLE, ALL, SERIALIZABLE, 'L'),
    ROW("aurora-mysql/serializable", ROW, FIRST, READS, NONE, CYCLE, ALL, SERIALIZABLE, 'L'),
    ROW("polardb-mysql/serializable", ROW, FIRST, READS, NONE, CYCLE, ALL, SERIALIZABLE, 'L'),
    ROW("mariadb/snapshot-isolation", TXN, PLAIN, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'D', .lock_sees_snapshot = true),
    ROW("sqlserver/read-committed", ROW, FIRST, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'D'),
    ROW("sqlserver/rcsi", STATEMENT, FIRST, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'D'),
    ROW("sqlserver/repeatable-read", ROW, FIRST, READS, NONE, NONE, ALL, REPEATABLE_READ, 'D'),
    ROW("sqlserver/snapshot", TXN, FIRST, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'D', .lock_sees_snapshot = true),
    ROW("sqlserver/serializable", ROW, FIRST, READS, NONE, CYCLE, ALL, SERIALIZABLE, 'D'),
    ROW("tidb/optimistic", TXN, EITHER, NONE, COMMIT, NONE, ALL, SNAPSHOT_ISOLATION, 'D', .lock_sees_snapshot = true),
    ROW("tidb/pessimistic", TXN, EITHER, WRITES, NONE, NONE, ALL, NONE, 'D'),
    ROW("tidb/read-committed", STATEMENT, EITHER, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'D'),
    ROW("rocksdb/pessimistic", TXN, BEGIN, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'D', .lock_sees_snapshot = true),
    ROW("rocksdb/optimistic", TXN, BEGIN, NONE, COMMIT, OCC, ALL, SNAPSHOT_ISOLATION, 'D', .validates_lock_only = true, .lock_sees_snapshot = true),
    ROW("sqlite/serializable", TXN, EITHER, WRITES, UPDATE, CYCLE, ALL, SERIALIZABLE, 'L', .whole_database = true, .lock_sees_snapshot = true),
    ROW("memory/read-uncommitted", ANY, BEGIN, WRITES, NONE, NONE, ALL, READ_UNCOMMITTED, 'L'),
    ROW("memory/read-committed", STATEMENT, BEGIN, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'L'),
    ROW("memory/snapshot-isolation", TXN, BEGIN, NONE, COMMIT, NONE, ALL, SNAPSHOT_ISOLATION, 'L', .lock_sees_snapshot = true),
    ROW("memory/serializable", TXN, BEGIN, NONE, NONE, OCC, ALL, SERIALIZABLE, 'L'),
    ROW("memory/strict-serializable", TXN, BEGIN, NONE, NONE, OCC, ALL, STRICT_SERIALIZABLE, 'L'),
    ROW("foundationdb/serializable", TXN, EITHER, NONE, NONE, OCC, ALL, STRICT_SERIALIZABLE, 'D'),
    ROW("singlestore/read-committed", ROW, FIRST, WRITES, NONE, NONE, KEY, READ_COMMITTED, 'U'),
    ROW("cockroachdb/serializable", LATE_ROW, FIRST, NONE, NONE, TO, KEY, SERIALIZABLE, 'D'),
    ROW("cockroachdb/read-committed", STATEMENT, FIRST, NONE, NONE, NONE, KEY, READ_COMMITTED, 'D'),
    ROW("spanner/serializable", ROW, FIRST, READS, NONE, CYCLE, ALL, STRICT_SERIALIZABLE, 'D'),
    ROW("spanner/repeatable-read", TXN, EITHER, NONE, COMMIT, NONE, ALL, SNAPSHOT_ISOLATION, 'D', .lock_sees_snapshot = true),
    ROW("oracle/read-committed", STATEMENT, EITHER, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'D'),
    ROW("oracle/serializable", TXN, EITHER, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'D', .lock_sees_snapshot = true),
    ROW("sap-hana/read-committed", STATEMENT, EITHER, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'U'),
    ROW("sap-hana/repeatable-read", TXN, EITHER, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'U', .lock_sees_snapshot = true),
    ROW("sap-hana/serializable", TXN, EITHER, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'U', .lock_sees_snapshot = true),
    ROW("oceanbase/read-committed", STATEMENT, EITHER, WRITES, NONE, NONE, ALL, READ_COMMITTED, 'U'),
    ROW("oceanbase/repeatable-read", TXN, EITHER, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'U', .lock_sees_snapshot = true),
    ROW("oceanbase/serializable", TXN, EITHER, WRITES, UPDATE, NONE, ALL, SNAPSHOT_ISOLATION, 'U', .lock_sees_snapshot = true),
    ROW("nuodb/read-committed", STATEMENT, BEGIN, WRITES, NONE, NONE, SESSION, READ_COMMITTED, 'U'),
    ROW("nuodb/consistent-read", TXN, BEGIN, WRITES, UPDATE, NONE, SESSION, SNAPSHOT_ISOLATION, 'U', .lock_sees_snapshot = true),
    { 0 },
};
/* clang-format on */
