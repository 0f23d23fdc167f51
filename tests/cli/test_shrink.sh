#!/usr/bin/env bash
# esse shrink as a user meets it.
set -u
. "$(dirname "$0")/lib.sh"
json() { python3 -c "import json,sys; d=json.load(sys.stdin); print($1)"; }
types() { "$ESSE" check -q --json "$@" | json '" ".join(d["anomaly_types"])'; }
count() { grep -c '"session"' "$1"; }

"$ESSE" gen list-append --txns 3000 -q --anomaly G1a -o faulty.jsonl
expect "an aborted read shrinks" 0 "$ESSE" shrink faulty.jsonl -l serializable -o small.jsonl
same "to two transactions" 2 "$(count small.jsonl)"
has "the summary tells from what to what" "$ERR" "from 3002 to 2 transactions"
has "and by what it violates" "$ERR" "G1a, violates serializable"
same "one line of it" 1 "$(echo "$ERR" | wc -l)"
same "nothing on standard output" "" "$OUT"
same "it still shows the same, and is no garbage" "G1a" "$(types -l serializable small.jsonl)"
names=$("$ESSE" check -q --json -l serializable faulty.jsonl | json '" ".join(sorted(d["results"][0]["anomalies"][0]["transactions"]))')
same "the transactions keep their names" "$names" "$("$ESSE" check -q --json -l serializable small.jsonl | json '" ".join(sorted(d["results"][0]["anomalies"][0]["transactions"]))')"
expect "shrinking again changes nothing" 0 "$ESSE" shrink small.jsonl -l serializable -o again.jsonl
check "byte for byte" cmp small.jsonl again.jsonl
expect "to standard output, quietly" 0 "$ESSE" shrink -q faulty.jsonl -l serializable
same "the same history" "$(cat small.jsonl)" "$OUT"
same "without a summary" "" "$ERR"

for workload in list-append rw-register; do
    for anomaly in G1b internal future-read garbage-read lost-update; do
        "$ESSE" gen $workload --txns 500 -q --anomaly $anomaly -o planted.jsonl
        expect "$workload: $anomaly" 0 "$ESSE" shrink -l serializable -a $anomaly planted.jsonl -o s.jsonl
        has "$workload: it is still $anomaly" "$(types -l serializable s.jsonl)" "$anomaly"
        check "$workload: $anomaly needs few transactions" test "$(count s.jsonl)" -le 4
    done
done

"$ESSE" gen list-append --txns 300 -q --anomaly G1a -o faulty.edn
expect "from Jepsen's EDN to EDN" 0 "$ESSE" shrink faulty.edn -l serializable -o small.edn
same "which is read again" "G1a" "$(types -l serializable small.edn)"
expect "the input's format is kept on standard output" 0 "$ESSE" shrink -q faulty.edn -l serializable
same "as EDN" "$(cat small.edn)" "$OUT"
expect "and to native" 0 "$ESSE" shrink faulty.edn -l serializable -o small-edn.jsonl
has "with what clocks showed" "$(cat small-edn.jsonl)" '"time":['
expect "what the output cannot hold is an error" 65 "$ESSE" shrink faulty.edn -l serializable -o lost.txt
same "and leaves no file" "" "$(ls lost.txt* 2>/dev/null)"
expect "unless it may be dropped" 0 "$ESSE" shrink --lossy faulty.edn -l serializable -o lost.txt

"$ESSE" gen list-append --txns 50 -q -o clean.jsonl
expect "no violation" 2 "$ESSE" shrink clean.jsonl -l read-uncommitted -o none.jsonl
has "is said" "$ERR" "nothing to shrink"
same "and nothing is written" "" "$(ls none.jsonl* 2>/dev/null)"
expect "another anomaly than there is" 2 "$ESSE" shrink faulty.jsonl -l serializable -a G1b -o none.jsonl
has "is said too" "$ERR" "not by G1b; the worst is G1a"
expect "an unknown anomaly" 64 "$ESSE" shrink faulty.jsonl -a G9
expect "an unknown level" 64 "$ESSE" shrink faulty.jsonl -l serialisable
expect "no operand" 64 "$ESSE" shrink
expect "two operands" 64 "$ESSE" shrink a b
expect "no such file" 74 "$ESSE" shrink nowhere.jsonl
expect "a folder that is not there" 74 "$ESSE" shrink faulty.jsonl -l serializable -o nowhere/s.jsonl
expect "bad input" 65 "$ESSE" shrink "$ROOT/tests/parse/native_not_json.jsonl"
# Rows found by ranges, aggregates among them: what the evidence names, and what makes it true.
"$ESSE" run memory: -i snapshot-isolation -w predicate -n 2000 -q --out skewed >/dev/null 2>&1
expect "a predicate write skew shrinks" 0 "$ESSE" shrink --budget 60s -l serializable -a G2 \
    --certificate skewed/certificate.jsonl skewed/history.jsonl -o s.jsonl
has "from all" "$ERR" "from 2000 to"
check "to a handful" test "$(count s.jsonl)" -le 12
has "it is the same" "$(types -l serializable s.jsonl)" "G2"
{
    echo '{"init":{"a/1":60,"a/2":50,"b/1":7}}'
    for i in $(seq 40); do echo '{"session":2,"txn":"t'"$i"'","ops":[{"w":"b/1","v":'"$i"',"snapshot":'"$((i - 1))"'}]}'; done
    echo '{"session":0,"txn":"one","ops":[{"p":"SELECT sum(v) FROM a","result":[110],"snapshot":40},{"w":"a/1","v":-40}]}'
    echo '{"session":1,"txn":"two","ops":[{"p":"SELECT sum(v) FROM a","result":[110],"snapshot":40},{"w":"a/2","v":-50}]}'
    echo '{"order":['"$(seq -f '"t%g",' 40 | tr -d '\n')"'"one","two"]}'
    echo '{"certificate":"commit-order"}'
} >sums.jsonl
expect "a write skew of sums shrinks" 0 "$ESSE" shrink -l serializable sums.jsonl -o s.jsonl
same "to the two that summed" 2 "$(count s.jsonl)"
has "which are named by what they summed" "$(cat s.jsonl)" "SELECT sum(v) FROM a"

"$ESSE" gen list-append --txns 50000 -q --anomaly G1a -o large.jsonl
expect "no time at all" 2 "$ESSE" shrink --budget 1ms large.jsonl -l serializable -o none.jsonl
has "says what ran out" "$ERR" "time"
expect "a format that cannot be written" 64 "$ESSE" shrink --to elle-json faulty.jsonl
finish
