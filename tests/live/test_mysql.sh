#!/usr/bin/env bash
# Oracle's MySQL 5.6, from a package of npm: what it claims at each level, what it allows, its log, workload files.
# usage: test_mysql.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

if ! mysql_start "$WORK" 2>"$WORK/why"; then
    skip "MySQL" "$(tail -n 1 "$WORK/why" "$WORK"/*.log 2>/dev/null) MySQL 5.6 cannot be had or started: NOTHING was tested live"
    finish
fi

run() { # name, option...
    run_at "$1" "$MYSQL_URL" --sessions 8 "${@:2}"
}

# ---- the four levels; gtid_mode is off, as it is by default ----
for workload in list-append rw-register predicate; do
    expect "serializable holds ($workload)" 0 run "ser-$workload" -w $workload --txns 600
    has "... it is MySQL" "$OUT" "mysql 5.6"
    has "... the order of versions came from the log" "$OUT" "versions from the binary log"
    check "... every committed write is in the log" python3 "$ROOT/tests/live/committed.py" "$WORK/ser-$workload"
done
has "predicates are decided by the order of commits" "$OUT" "under the certificate (commit-order)"
expect "repeatable read is not what its name says" 1 run rr -i repeatable-read -w write-skew --txns 2000
has "... updates are lost" "$(found rr)" "lost-update"
expect "read committed holds" 0 run rc -i read-committed -w list-append --txns 600
expect "read committed is not snapshot isolation" 1 run rc-si -i read-committed -w list-append --level snapshot-isolation --txns 1000
run rc-pred -i read-committed -w predicate --txns 600 >"$WORK/rc-pred.out" 2>&1
[ $? -ne 1 ] && pass "read committed with predicates is not violated" || fail "read committed with predicates is not violated" "$(cat "$WORK/rc-pred.out")"
OUT=$(cat "$WORK/rc-pred.out")
case "$OUT" in *"connections lost"*) fail "... no connection is lost" "$OUT" ;; *) pass "... no connection is lost" ;; esac
expect "read uncommitted holds" 0 run ru -i read-uncommitted -w list-append --txns 600
expect "read uncommitted is not read committed" 1 run ru-rc -i read-uncommitted -w list-append --level read-committed --txns 2000 --abort-share 0.2
has "... dirty reads are found" "$(found ru-rc)" "G1a"
expect "snapshot isolation is MariaDB's: status 69" 69 run si -i snapshot-isolation --txns 10

# ---- transactions of the user's own ----
own="sql:$ROOT/examples/on-call.sql"
expect "a workload file: serializable holds" 0 run own-ser -w "$own" --txns 600
has "... the order of commits came from the log" "$OUT" "commits from the binary log"
has "... and certifies it" "$OUT" "under the certificate (commit-order)"
expect "a workload file: repeatable read is not what its name says" 1 run own-rr -i repeatable-read -w "$own" --txns 1200
has "... updates are lost" "$(found own-rr)" "lost-update"
keeping seats -e 's/PRIMARY KEY/price DECIMAL(8,2) DEFAULT 9.5, sold DATETIME, &/' \
    -e 's/INSERT INTO seats VALUES/INSERT INTO seats (night, seat, guest, stamp) VALUES/' \
    -e 's/VALUES (:stamp.*)/& ON DUPLICATE KEY UPDATE guest = 7, stamp = VALUES(stamp)/' -e '/AND seat = :extra;/d'
for level in serializable read-committed; do
    expect "keys of two columns, $level" 0 run seats-$level -i $level -w "sql:$WORK/seats.sql" --txns 3000
    check "... rows are inserted over others" grep -q '"w":"seats/1,C1","v":{"guest":7,' "$WORK/seats-$level/history.jsonl"
    holds_rows "... what is recorded is what the table holds" seats-$level \
        "$(mysql_sql 'select night, seat, guest, stamp from esse.seats')" seats night seat guest stamp
done
mysql_sql 'drop table esse.seats'
letters() { # what the INSERT has behind the table
    cat <<END
table notes (id, stamp)

setup
    DROP TABLE IF EXISTS notes;
    CREATE TABLE notes (id BIGINT PRIMARY KEY AUTO_INCREMENT, stamp BIGINT) ENGINE=InnoDB;
    INSERT INTO notes (stamp) VALUES (0);

param stamp unique

transaction add
    SELECT count(*) FROM notes WHERE stamp > 0;
    INSERT INTO notes $1;
END
}
letters '(stamp) VALUES (:stamp)' >"$WORK/notes.sql"
expect "keys that the database chooses" 0 run notes -i read-committed -w "sql:$WORK/notes.sql" --txns 300
holds_rows "... are recorded as they are" notes "$(mysql_sql 'select id, stamp from esse.notes')" notes id stamp
letters 'VALUES (NULL, :stamp)' >"$WORK/notes.sql"
expect "... also without names of columns" 0 run notes-null -i read-committed -w "sql:$WORK/notes.sql" --txns 100
holds_rows "... are recorded as they are" notes-null "$(mysql_sql 'select id, stamp from esse.notes')" notes id stamp
letters '(stamp) VALUES (:stamp), (:stamp)' >"$WORK/notes.sql"
expect "keys of two rows that it chooses cannot be found out: status 69" 69 run notes-two -w "sql:$WORK/notes.sql" --txns 100
has "... which is said" "$ERR" "AUTO_INCREMENT of a single row"
letters '(id, stamp) VALUES (floor(rand() * 1000000000), :stamp)' >"$WORK/notes.sql"
expect "keys that are another when they are evaluated again: status 69" 69 run notes-random -w "sql:$WORK/notes.sql" --txns 100
has "... which is said" "$ERR" "values that stay the same"
mysql_sql 'drop table esse.notes'
same "no table is left behind" "0" "$(mysql_sql "select count(*) from information_schema.tables where table_name like 'esse\\_%'")"

# ---- a crash in the middle, with deletes, whose transactions are named in the log ----
run crash --duration 5s -w predicate -i serializable >"$WORK/crash.out" 2>&1 &
running=$!
sleep 1.5
kill -9 "$MYSQL_PID"
sleep 0.3
mysql_again "$WORK"
wait $running
same "kill -9: serializable still holds" 0 $?
has "... the log is read on behind it" "$(cat "$WORK/crash.out")" "versions from the binary log"
check "... no committed transaction was lost" python3 "$ROOT/tests/live/committed.py" "$WORK/crash"

# ---- a server without its log ----
stop_servers
MYSQL_OPTIONS=(--binlog-format=STATEMENT)
mysql_again "$WORK"
expect "a log of statements: no certificate" 0 run statements -i repeatable-read --level read-committed --txns 100
has "... and what would help" "$OUT" "SET GLOBAL binlog_format = 'ROW'"
finish
