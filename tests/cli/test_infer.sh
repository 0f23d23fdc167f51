#!/usr/bin/env bash
# What is taken for granted: assumptions about versions, certificates, anomalies by name.
set -u
. "$(dirname "$0")/lib.sh"

verdict() { # path, options: the verdict, the types and what is assumed
    "$ESSE" check -q --json "$@" |
        python3 -c 'import json,sys
r = json.load(sys.stdin)
print(r["results"][0]["verdict"], ",".join(r["anomaly_types"]), ",".join(r["results"][0].get("assumed", [])))'
}

# ---- wfr-keys, sequential-keys, linearizable-keys

cat >wfr.jsonl <<'END'
{"session":0,"txn":"w","ops":[{"w":"x","v":1}]}
{"session":1,"txn":"a","ops":[{"r":"x","v":1},{"w":"x","v":2},{"w":"y","v":1}]}
{"session":2,"txn":"b","ops":[{"r":"x","v":1},{"r":"y","v":1}]}
END
same "without the assumption graphs do not tell" "unknown  " \
    "$(verdict --engine dsg -l serializable wfr.jsonl)"
same "writes follow reads" "violated G-single-item wfr-keys" \
    "$(verdict -l serializable --wfr-keys wfr.jsonl)"
same "nor with another one" "unknown  " \
    "$(verdict --engine dsg -l serializable --sequential-keys --linearizable-keys wfr.jsonl)"
expect "the verdict says what is assumed" 1 "$ESSE" check -l serializable --wfr-keys wfr.jsonl
has "in words" "$OUT" "violated serializable, assuming that writes follow reads"
has "and why" "$OUT" "a read x = 1 and then wrote x = 2 (assuming that writes follow reads)"
"$ESSE" check -q -l serializable --wfr-keys --evidence e.json wfr.jsonl >/dev/null
expect "the evidence is verified" 0 "$ESSE" verify e.json wfr.jsonl
has "with what it rests on" "$OUT" \
    "violated serializable, assuming that writes follow reads, verified"
sed 's/"assumed":\["wfr-keys"\],//' e.json >silent.json
expect "but not if it hides that" 65 "$ESSE" verify silent.json wfr.jsonl
sed 's/wfr-keys/sequential-keys/g' e.json >renamed.json
expect "nor under another name" 65 "$ESSE" verify renamed.json wfr.jsonl

cat >session.jsonl <<'END'
{"session":0,"txn":"a","ops":[{"w":"x","v":1},{"w":"y","v":1}]}
{"session":0,"txn":"b","ops":[{"w":"x","v":2}]}
{"session":1,"txn":"c","ops":[{"r":"x","v":1},{"w":"z","v":1}]}
{"session":2,"txn":"d","ops":[{"r":"z","v":1},{"r":"x","v":2}]}
{"session":3,"txn":"e","ops":[{"r":"x","v":2},{"r":"z","v":null}]}
END
same "a session's writes are in order" "violated G2-item sequential-keys" \
    "$(verdict -l serializable --sequential-keys session.jsonl | sed 's/G-[a-z-]*item/G2-item/')"
cat >time.jsonl <<'END'
{"session":0,"txn":"a","start":0,"end":1,"ops":[{"w":"x","v":1}]}
{"session":1,"txn":"b","start":2,"end":3,"ops":[{"w":"x","v":2},{"w":"y","v":1}]}
{"session":2,"txn":"c","start":0,"end":9,"ops":[{"r":"x","v":1},{"r":"y","v":1}]}
END
same "so are writes that follow in time" "violated G-single-item linearizable-keys" \
    "$(verdict -l serializable --linearizable-keys time.jsonl)"
same "which no session knows" "holds  " "$(verdict -l serializable --sequential-keys time.jsonl)"
cat >cyclic.jsonl <<'END'
{"session":0,"txn":"a","ops":[{"w":"x","v":1}]}
{"session":0,"txn":"b","ops":[{"w":"x","v":2}]}
{"session":0,"txn":"c","ops":[{"r":"x","v":1}]}
END
same "an assumption may be impossible" "violated cyclic-versions sequential-keys" \
    "$(verdict -l read-uncommitted --sequential-keys cyclic.jsonl)"
"$ESSE" check -q -l serializable --sequential-keys --evidence e.json cyclic.jsonl >/dev/null
expect "which is verified" 0 "$ESSE" verify e.json cyclic.jsonl
"$ESSE" gen rw-register --txns 300 --seed 3 -q -o g.jsonl
for flag in wfr sequential linearizable; do
    expect "$flag-keys holds for what is strict serializable" 0 "$ESSE" check -q --$flag-keys g.jsonl
done
"$ESSE" shrink -q -l serializable --wfr-keys -o small.jsonl wfr.jsonl
same "shrinking assumes it too" "violated G-single-item wfr-keys" \
    "$(verdict -l serializable --wfr-keys small.jsonl)"

# ---- certificates

cat >h.edn <<'END'
{:type :ok, :value [[:r :x nil] [:w :y 2]], :process 0, :index 0}
{:type :ok, :value [[:w :x 3] [:w :y 4]], :process 0, :index 1}
END
echo '{"order":[1,0]}' >order.jsonl
echo '{"version_order":{"y":[4,2]}}' >versions.jsonl
same "a history may be fine" "holds  " "$(verdict -l serializable h.edn)"
same "but not with its version order" "violated G-single-item " \
    "$(verdict -l serializable --certificate versions.jsonl h.edn)"
same "nor in the order of its transactions" "violated G-single-item " \
    "$(verdict -l serializable --certificate order.jsonl --transaction-order h.edn)"
same "an order alone says nothing about versions" "holds  " \
    "$(verdict -l serializable --certificate order.jsonl h.edn)"
"$ESSE" check -q -l serializable --certificate versions.jsonl --evidence e.json h.edn >/dev/null
expect "evidence by a certificate needs it" 65 "$ESSE" verify -q e.json h.edn
expect "and is verified with it" 0 "$ESSE" verify -q --certificate versions.jsonl e.json h.edn
expect "stats takes it" 0 "$ESSE" stats -q --certificate versions.jsonl h.edn
expect "shrink takes it" 0 "$ESSE" shrink -q -l serializable --certificate versions.jsonl \
    -o s.jsonl h.edn
cat >ts.jsonl <<'END'
{"session":0,"txn":"a","start_ts":1,"commit_ts":5,"ops":[{"r":"x","v":null},{"w":"y","v":2}]}
{"session":1,"txn":"b","start_ts":1,"commit_ts":4,"ops":[{"w":"x","v":3},{"w":"y","v":4}]}
END
same "commit timestamps are an order too" "violated G-single-item " \
    "$(verdict -l serializable --transaction-order ts.jsonl)"
expect "without either there is none" 65 "$ESSE" check -q --transaction-order h.edn
has "which is said" "$ERR" "neither an order nor commit_ts"
sed 's/"commit_ts":4/"commit_ts":5/' ts.jsonl >tie.jsonl
expect "a tie is no order" 65 "$ESSE" check -q --transaction-order tie.jsonl
has "and names the two" "$ERR" "a and b both write y"
echo '{"order":["nobody"]}' >bad.jsonl
expect "a transaction that is not there is named" 65 "$ESSE" check -q --certificate bad.jsonl h.edn
has "with the certificate" "$ERR" "certificate bad.jsonl:1: there is no transaction 'nobody'"
printf '\n{"session":0,"ops":[]}\n' >bad.jsonl
expect "a transaction is no certificate" 65 "$ESSE" check -q --certificate bad.jsonl h.edn
has "with its line" "$ERR" "certificate bad.jsonl:2: found a transaction"
expect "a certificate that is not there" 74 "$ESSE" check -q --certificate no.jsonl h.edn

# ---- anomalies by name

"$ESSE" gen list-append --txns 200 --seed 2 -q --anomaly G1a -o g1a.jsonl
same "a level may allow it" "unknown " \
    "$(verdict -l read-uncommitted g1a.jsonl | sed 's/^holds/unknown/; s/ *$/ /')"
has "unless it is named" "$(verdict -l read-uncommitted --anomalies G1a g1a.jsonl)" "violated G1a"
has "by what it implies" "$(verdict -l none --anomalies G1 g1a.jsonl)" "violated G1a"
expect "nothing else counts then" 2 "$ESSE" check -q -l none --anomalies lost-update g1a.jsonl
"$ESSE" check -q -l none --anomalies G1a --evidence e.json g1a.jsonl >/dev/null
expect "that is verified" 0 "$ESSE" verify e.json g1a.jsonl
has "as what it is" "$OUT" "violated no G1a, verified"
"$ESSE" gen list-append --txns 200 -q -o clean.jsonl
expect "their absence is proved" 0 "$ESSE" check -l none --anomalies G1a,G-single clean.jsonl
has "and said" "$OUT" "holds no G1a, G-single"
expect "what is left out does not count" 2 "$ESSE" check -q -l serializable \
    --except G1a,incompatible-order g1a.jsonl
case "$OUT" in *G1a:*) fail "nor is it reported" "$OUT" ;; *) pass "nor is it reported" ;; esac
has "but the level does not hold" "$OUT" "which was to be left out"
expect "an unknown anomaly" 64 "$ESSE" check --anomalies foo clean.jsonl
expect "an umbrella cannot be left out" 64 "$ESSE" check --except G1 clean.jsonl
expect "no level needs an anomaly" 64 "$ESSE" check -l none clean.jsonl
finish
