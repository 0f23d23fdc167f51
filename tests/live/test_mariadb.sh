#!/usr/bin/env bash
# MariaDB, a private server: what it claims at each level, what it allows, and a crash in the middle.
# usage: test_mariadb.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

if ! mariadb_start "$WORK"; then
    skip "MariaDB" "$(tail -n 1 "$WORK"/*.log 2>/dev/null) mariadb-server cannot be had or started: NOTHING was tested live"
    finish
fi

run() { # name, option...
    run_at "$1" "$MARIA_URL" --sessions 8 "${@:2}"
}

# ---- serializable ----
for workload in list-append rw-register predicate; do
    expect "serializable holds ($workload)" 0 run "ser-$workload" -w $workload --txns 1200
    has "... the order of versions came from the log" "$OUT" "versions from the binary log"
    check "... every committed write is in the log" python3 "$ROOT/tests/live/committed.py" "$WORK/ser-$workload"
done

has "predicates report what they saw" "$OUT" "under the certificate (timestamps)"

# ---- repeatable read loses updates, unless innodb_snapshot_isolation is on ----
expect "repeatable read is not what its name says" 1 run rr -i repeatable-read -w write-skew --txns 3000
has "... updates are lost" "$(found rr)" "lost-update"
has "... which is explained" "$OUT" "one update is lost"
expect "with innodb_snapshot_isolation snapshot isolation holds" 0 run si -i snapshot-isolation -w write-skew --txns 3000
case "$(found si)" in *lost-update*) fail "... no update is lost" "$(found si)" ;; *) pass "... no update is lost" ;; esac
has "... by error 1020" "$OUT" "1020"
expect "... and write skew remains" 1 run si-skew -i snapshot-isolation -w write-skew --level serializable --txns 3000
has "... by its name" "$(found si-skew)" "G2-item"

# ---- read committed and read uncommitted ----
expect "read committed holds" 0 run rc -i read-committed -w list-append --txns 1200
expect "read committed is not snapshot isolation" 1 run rc-si -i read-committed -w list-append --level snapshot-isolation --txns 1200
has "... reads are torn" "$(found rc-si)" "G-single"
expect "read uncommitted holds" 0 run ru -i read-uncommitted -w list-append --txns 1200
expect "read uncommitted is not read committed" 1 run ru-rc -i read-uncommitted -w list-append --level read-committed --txns 2500 --abort-share 0.2
has "... dirty reads are found" "$(found ru-rc)" "G1a"

# ---- transactions of the user's own ----
own="sql:$ROOT/examples/on-call.sql"
expect "a workload file: serializable holds" 0 run own-ser -w "$own" --txns 1000
has "... the order of commits came from the log" "$OUT" "commits from the binary log"
has "... and certifies it" "$OUT" "under the certificate (timestamps)"
expect "a workload file: repeatable read is not what its name says" 1 run own-rr -i repeatable-read -w "$own" --txns 1500
has "... updates are lost" "$(found own-rr)" "lost-update"
expect "a workload file: read committed holds" 0 run own-rc -i read-committed -w "$own" --txns 1500
# Keys of two columns, INSERT that may find its row, and columns whose types the log's reader does not know.
keeping seats -e 's/PRIMARY KEY/price DECIMAL(8,2) DEFAULT 9.5, sold DATETIME DEFAULT now(), &/' \
    -e 's/INSERT INTO seats VALUES/INSERT INTO seats (night, seat, guest, stamp) VALUES/' \
    -e 's/VALUES (:stamp.*)/& ON DUPLICATE KEY UPDATE guest = 7, stamp = VALUES(stamp)/' -e '/AND seat = :extra;/d'
for level in serializable repeatable-read read-committed; do
    run seats-$level -i $level -w "sql:$WORK/seats.sql" --txns 1500 >"$WORK/seats.out" 2>&1
    status=$?
    same "keys of two columns, $level" "$([ $level = repeatable-read ] && echo 1 || echo 0)" $status
    check "... rows are inserted over others" grep -q '"w":"seats/1,C1","v":{"guest":7,' "$WORK/seats-$level/history.jsonl"
    holds_rows "... what is recorded is what the table holds" seats-$level \
        "$(maria 'select night, seat, guest, stamp from esse.seats')" seats night seat guest stamp
done
keeping seats -e 's/guest = 0, stamp = :stamp/guest = guest/'
run idle -w "sql:$WORK/seats.sql" --txns 300 >"$WORK/idle.out" 2>&1
has "updates that change nothing are not in the log, which is reported" "$(cat "$WORK/idle.out")" "they changed nothing"
maria 'drop table esse.seats'
# Texts of any length with anything in them; option files that prefer another encoding do not get into the history.
cat >"$WORK/letters.sql" <<'END'
table letters (name, stamp)

setup
    DROP TABLE IF EXISTS letters;
    CREATE TABLE letters (name VARCHAR(300) CHARACTER SET utf8mb4 PRIMARY KEY, stamp BIGINT) ENGINE=InnoDB;
    INSERT INTO letters VALUES (REPEAT(CONCAT('é', CHAR(92), CHAR(39), 'ü漢'), 30), 0), (CONCAT('x', REPEAT('漢字', 40)), 0), ('plain', 0);

teardown
    DROP TABLE letters;

param stamp unique

transaction change
    UPDATE letters SET stamp = :stamp WHERE stamp >= 0;

transaction look
    SELECT name, stamp FROM letters WHERE stamp >= 0;
END
mkdir "$WORK/home"
for encoding in utf8mb4 latin1 gbk; do
    printf '[client]\ndefault-character-set=%s\n' $encoding >"$WORK/home/.my.cnf"
    HOME=$WORK/home expect "a workload file of texts, $encoding preferred" 0 run letters-$encoding -w "sql:$WORK/letters.sql" --txns 100
    check "... which the history has as they are" grep -q '"letters/x漢字漢字' "$WORK/letters-$encoding/history.jsonl"
done

# ---- manners ----
same "no table is left behind" "0" "$(maria "select count(*) from information_schema.tables where table_name like 'esse\_%'")"
expect "no server there: status 69" 69 "$ESSE" run "mysql://root:geheimnis@127.0.0.1:1/esse" --out "$WORK/away"
case "$OUT$ERR" in *geheimnis*) fail "... the password is not shown" "$ERR" ;; *) pass "... the password is not shown" ;; esac
expect "an unknown parameter: status 64" 64 "$ESSE" run "$MARIA_URL?nonsense=1"
expect "a wrong password: status 69" 69 "$ESSE" run "mysql://root:geheimnis@127.0.0.1:$MARIA_PORT/esse" --out "$WORK/wrong"
case "$OUT$ERR" in *geheimnis*) fail "... it is not shown" "$ERR" ;; *) pass "... it is not shown" ;; esac
expect "by its socket" 0 "$ESSE" run "mysql://root@localhost/esse?socket=$MARIA_SOCKET" --txns 100 --out "$WORK/socket"

# ---- a crash in the middle ----
timeout -s KILL 120 "$ESSE" run "$MARIA_URL" --sessions 16 --duration 6s -w list-append --out "$WORK/crash" >"$WORK/crash.out" 2>&1 &
running=$!
sleep 2
kill -9 "$MARIA_PID"
sleep 0.3
mariadb_again "$WORK"
wait $running
same "kill -9: serializable still holds" 0 $?
OUT=$(cat "$WORK/crash.out")
has "... and says so" "$OUT" "holds serializable"
same "... unknown outcomes are counted" \
    "$(grep -c '"status":"unknown"' "$WORK/crash/history.jsonl")" "$(sed -n 's/.* \([0-9]*\) unknown.*/\1/p' "$WORK/crash.out" | head -n 1)"
check "... no committed transaction was lost" python3 "$ROOT/tests/live/committed.py" "$WORK/crash"
finish
