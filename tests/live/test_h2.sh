#!/usr/bin/env bash
# H2 over the PostgreSQL protocol: its "serializable" commits write skew, as its documentation admits.
# usage: test_h2.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

if ! h2_start "$WORK"; then
    skip "H2" "libh2-java, java or psql cannot be had or started: NOTHING was tested live"
    finish
fi
expect "serializable is not" 1 run_at skew "$H2_URL" -w write-skew --txns 400
has "... write skew was found" "$(found skew)" "G2-item"
check "... it is called by its own version" grep -q '"database": "h2 [12]\.' "$WORK/skew/config.json"
has "... there is no log to read" "$OUT" "h2 has no logical decoding"
check "... what it claims is reported from its own documents" grep -q '"source": "H2, Advanced' "$WORK/skew/config.json"
expect "snapshot, which PostgreSQL does not have" 0 run_at snapshot "h2://${H2_URL#*://}" -i snapshot -w write-skew --txns 300
expect "read committed holds" 0 run_at rc "$H2_URL" -i read-committed -w rw-register --txns 300
expect "predicate updates at read committed do not" 1 run_at rows "$H2_URL" -i read-committed -w predicate --txns 250
has "... rows were changed that did not match" "$(found rows)" "result-set-mismatch"
finish
