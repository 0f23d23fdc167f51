#!/usr/bin/env bash
# TiDB's certificate.  No server is at hand: a fake plays what the documentation says (fake_tidb.py), so what is
# tested is the driver, through libmariadb and HTTP, and not TiDB.
# usage: test_tidb.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

begin() { # what the fake does otherwise, if anything
    stop_servers
    mapfile -t PORTS < <(free_ports 2)
    URL="mysql://root@127.0.0.1:${PORTS[0]}/test?dialect=tidb&status=127.0.0.1:${PORTS[1]}"
    fake_start fake_tidb.py "${PORTS[@]}" "$@" || fail "the fake server starts" "$(tail -n 3 "$WORK/fake.log")"
}
run() { # name, option...
    run_at "$1" "$URL" --sessions 4 "${@:2}"
}

# ---- all is true ----
begin
for workload in list-append rw-register predicate; do
    expect "repeatable read: snapshot isolation holds ($workload)" 0 run "o-$workload" -w $workload --txns 200
    has "... which is what is claimed, under the certificate" "$OUT" "under the certificate (timestamps)"
done
has "... the product has its name" "$(head -n 1 "$WORK/o-predicate/history.jsonl")" '"db":"tidb v7.5.0"'
expect "it is not serializable" 1 run skew -w write-skew --level serializable --txns 600
URL=tidb://root@127.0.0.1:${PORTS[0]}/test?status=127.0.0.1:${PORTS[1]} expect "its own scheme" 0 run scheme --txns 20
expect "read committed: only an order of versions" 0 run rc -i read-committed -w rw-register --txns 200
same "... so the certificate has no kind" "" "$(kind rc)"
has "... and an order" "$OUT" "versions from the MVCC API"
begin pessimistic
expect "pessimistic: what statements that write looked at is known (predicate)" 0 \
    run pessimistic -w predicate --level read-committed --txns 200
has "... under the certificate" "$OUT" "under the certificate (timestamps)"
expect "... and it is no snapshot isolation" 1 run pessimistic-si -w rw-register --txns 400

# ---- a version of 2019 ----
begin old
expect "TiDB 2.1: snapshot isolation holds" 0 run old -w rw-register --keys 5 --txns 400
has "... a write conflict has no number of its own" "$OUT" "1105"
has "... and is an abort" "$OUT" " 0 unknown"
has "... the order of versions is reported all the same" "$OUT" "versions from the MVCC API"
case "$OUT" in *"connections lost"*) fail "... no connection is lost" "$OUT" ;; *) pass "... no connection is lost" ;; esac

# ---- what happens ----
begin lose
expect "connections are lost during COMMIT" 0 run lose -w rw-register --txns 400
has "... outcomes are unknown" "$OUT" "connections lost"
same "... of which the times are not known: no kind" "" "$(kind lose)"
begin gone
expect "versions that cannot be had: the run goes on" 0 run gone --txns 50
has "... without a certificate, and says why" "$OUT" "no order of versions: 127.0.0.1:${PORTS[1]} answered 404"
URL="tidb://root@127.0.0.1:${PORTS[0]}/test?status=127.0.0.1:1" expect "no HTTP API: the run goes on" 0 run closed --txns 20
has "... and says why" "$OUT" "no order of versions: 127.0.0.1:1: Connection refused"

# ---- lies ----
begin stale
expect "reads that are stale: violated" 1 run stale -w rw-register --txns 400
has "... is what the times tell" "$OUT" "violated snapshot-isolation"
begin looked
expect "a wrong time of what was looked at: violated" 1 run looked -w predicate --level read-committed --txns 200
has "... by rows that were not there then" "$OUT" "result-set-mismatch"
begin order
expect "an order of versions against the times: refused" 65 run order -w rw-register --txns 400
has "... which is reported" "$ERR" "certificate.jsonl"

# ---- manners ----
expect "no database: status 64" 64 "$ESSE" run "tidb://127.0.0.1:1"
has "... is reported" "$ERR" "tidb: needs a database"
expect "a socket is MariaDB's: status 64" 64 "$ESSE" run "tidb://127.0.0.1:1/test?socket=/x"
expect "an unknown dialect: status 64" 64 "$ESSE" run "mysql://127.0.0.1:1/test?dialect=oracle"
finish
