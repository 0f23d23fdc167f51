#!/usr/bin/env bash
# CockroachDB's certificate.  No server is at hand: a fake plays what the documentation says (fake_cockroachdb.py), so
# what is tested is the driver, through libpq, and not CockroachDB.
# usage: test_cockroachdb.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

begin() { # what the fake does wrong, if anything
    stop_servers
    PORT=$(free_port)
    URL="postgresql://root@127.0.0.1:$PORT/defaultdb?dialect=cockroachdb"
    fake_start fake_cockroachdb.py "$PORT" "$@" || fail "the fake server starts" "$(tail -n 3 "$WORK/fake.log")"
}
run() { # name, option...
    run_at "$1" "$URL" --sessions 4 "${@:2}"
}

# ---- all is true ----
begin
for workload in list-append rw-register predicate write-skew; do
    expect "serializable holds ($workload)" 0 run "s-$workload" -w $workload --txns 200
    has "... under the certificate" "$OUT" "under the certificate (timestamps)"
    has "... of the changefeed" "$OUT" "versions from a changefeed"
done
has "... the product has its name" "$(head -n 1 "$WORK/s-predicate/history.jsonl")" '"db":"cockroachdb 23.1.0"'
URL=cockroachdb://root@127.0.0.1:$PORT/defaultdb expect "its own scheme" 0 run scheme --txns 20
expect "read committed: no times are reported, only an order of versions" 0 run rc -i read-committed -w list-append --txns 200
same "... so the certificate has no kind" "" "$(kind rc)"
has "... and an order" "$OUT" "versions from a changefeed"
same "the cluster's setting is as it was" "false" \
    "$(psql -h 127.0.0.1 -p "$PORT" -U root -Atc 'SHOW CLUSTER SETTING kv.rangefeed.enabled' defaultdb 2>&1)"

# ---- what happens ----
begin old
expect "a server that knows EXPERIMENTAL CHANGEFEED only" 0 run old --txns 100
has "... has a certificate" "$OUT" "under the certificate (timestamps)"
begin cut
expect "the changefeed is lost, and begins again" 0 run cut -w rw-register --txns 400
has "... nothing of it is missing" "$OUT" "under the certificate (timestamps)"
begin lose
expect "connections are lost during COMMIT" 0 run lose -w rw-register --txns 400
has "... outcomes are unknown" "$OUT" "connections lost"
same "... of which the times are not known: no kind" "" "$(kind lose)"
begin crash
expect "a proxy says FATAL where COMMIT, which was done, should be answered" 0 run crash -w rw-register --txns 400
has "... outcomes are unknown" "$OUT" "connections lost"
begin refuse
expect "rangefeeds that cannot be switched on: the run goes on" 0 run refuse --txns 50
has "... without a certificate, and says why" "$OUT" "no order of versions: the database refused: ERROR:  only users"

# ---- lies ----
begin stale
expect "reads that are stale: violated" 1 run stale -w rw-register --txns 400
has "... is what the times tell" "$OUT" "violated serializable"
begin order
expect "an order of versions against the times: refused" 65 run order -w rw-register --txns 400
has "... which is reported" "$ERR" "after one that was committed later"

# ---- manners ----
expect "another dialect: status 64" 64 "$ESSE" run "cockroachdb://root@127.0.0.1:1/d?dialect=h2"
has "... is reported" "$ERR" "cockroachdb: has no other dialect"
finish
