#!/usr/bin/env bash
# Evidence: written by check, rechecked by verify in a process of its own, refused when damaged.
set -u
. "$(dirname "$0")/lib.sh"

"$ESSE" gen list-append --txns 300 -q -o clean.jsonl
"$ESSE" check -q --evidence clean.json -l all clean.jsonl >/dev/null
expect "an order is verified" 0 "$ESSE" verify clean.json clean.jsonl
has "and says so" "$OUT" "holds strict-serializable, verified"
for anomaly in G0 G1a G1b G1c G-single G-nonadjacent G2-item G-single-process G-single-realtime internal \
    lost-update future-read garbage-read duplicate-elements incompatible-order dirty-update; do
    "$ESSE" gen list-append --txns 200 --seed 2 -q --anomaly $anomaly -o h.jsonl
    "$ESSE" check -q --evidence e.json h.jsonl >/dev/null
    expect "$anomaly is verified" 0 "$ESSE" verify e.json h.jsonl
    python3 - e.json <<'END' >damaged.json
import json, sys
d = json.load(open(sys.argv[1]))
for r in d["results"]:
    for a in r["anomalies"]:
        for s in a["steps"]: s["op"] = s["op"] + 1 if s["op"] else 1
        for e in a["edges"]: e["from"], e["to"] = e["to"], e["from"]
print(json.dumps(d))
END
    expect "damaged evidence for $anomaly is refused" 65 "$ESSE" verify damaged.json h.jsonl
done
"$ESSE" gen rw-register --txns 100 -q --certificate --anomaly G0 -o c.jsonl
"$ESSE" check -q --evidence e.json c.jsonl >/dev/null
expect "a cycle by a certificate is verified" 0 "$ESSE" verify e.json c.jsonl
python3 -c '
import json
d = json.load(open("clean.json"))
e = d["results"][0]["order"]["events"]
e[0], e[-1] = e[-1], e[0]
json.dump(d, open("swapped.json", "w"))
d["results"][0]["order"]["events"] = e[1:]
json.dump(d, open("short.json", "w"))'
expect "a wrong order is refused" 65 "$ESSE" verify swapped.json clean.jsonl
expect "an order with one missing is refused" 65 "$ESSE" verify short.json clean.jsonl
expect "another history is refused" 65 "$ESSE" verify clean.json h.jsonl
sed 's/"violated"/"holds"/' e.json >claim.json
expect "a verdict without its evidence is refused" 65 "$ESSE" verify claim.json c.jsonl
expect "something else is refused" 65 "$ESSE" verify clean.jsonl clean.jsonl
expect "cut off evidence is refused" 65 sh -c "head -c 200 clean.json | '$ESSE' verify - clean.jsonl"
# What a statement returned as a whole: evidence without a key.
cat >sum.jsonl <<'EOF'
{"session":0,"txn":"a","ops":[{"w":"a/1","v":3},{"w":"a/2","v":5},{"w":"q","v":1}]}
{"session":1,"txn":"b","ops":[{"r":"q","v":1},{"p":"SELECT sum(v) FROM a","result":[7],"vset":{"a/1":3,"a/2":5}}]}
{"session":2,"txn":"c","ops":[{"w":"q","v":2}]}
{"session":2,"txn":"d","ops":[{"p":"SELECT * FROM a ORDER BY v LIMIT 1","rows":{"a/2":5},"vset":{"a/1":3,"a/2":5}}]}
EOF
expect "a wrong result is an anomaly" 1 "$ESSE" check -l serializable --verbose --evidence sum.json sum.jsonl
has "reported with the right one" "$OUT" "b did SELECT sum(v) FROM a: 7; of its version set it is 8"
has "and a wrong LIMIT with a row" "$OUT" "a/1 should have been returned"
expect "verified" 0 "$ESSE" verify sum.json sum.jsonl
sed 's/"op":4/"op":3/' sum.json >other.json
expect "not of another operation" 65 "$ESSE" verify other.json sum.jsonl
grep -v '"txn":"d"' sum.jsonl >alone.jsonl
expect "made small" 0 "$ESSE" shrink -l serializable -o small.jsonl alone.jsonl
has "with what it looked at" "$(cat small.jsonl)" '"result":[7],"vset":{"a/1":3,"a/2":5}'
hasnt=$(grep -c '"q"' small.jsonl)
same "and nothing else" 0 "$hasnt"
expect "refused by name and place" 65 "$ESSE" check -l serializable - <<'EOF'
{"session":0,"ops":[{"p":"SELECT v, count(*) FROM a GROUP BY v","rows":{"a/1":1}}]}
EOF
has "with the line" "$ERR" '1: predicate "SELECT v, count(*) FROM a GROUP BY v", byte 27: GROUP BY is not supported'
# A level's cycle may hold only what the level knows of: no session order in plain levels.
cat >session.jsonl <<'EOF'
{"session":0,"txn":"a","ops":[{"r":"k","v":7}]}
{"session":0,"txn":"b","ops":[{"w":"k","v":7}]}
EOF
"$ESSE" check -q -l read-atomic --evidence session.json session.jsonl >/dev/null
expect "a cycle with session order rules out read-atomic" 0 "$ESSE" verify session.json session.jsonl
for level in serializable snapshot-isolation repeatable-read; do
    sed "s/\"level\":\"read-atomic\"/\"level\":\"$level\"/" session.json >plain.json
    expect "and not $level" 65 "$ESSE" verify plain.json session.jsonl
done
cat >stale.jsonl <<'EOF'
{"init":{"k":0}}
{"session":0,"txn":"a","ops":[{"w":"k","v":1}]}
{"session":0,"txn":"b","ops":[{"r":"k","v":0}]}
EOF
expect "nor does an engine that finds it for another level" 1 \
    "$ESSE" check -q --engine saturate -l prefix,snapshot-isolation stale.jsonl
has "say so of snapshot isolation" "$OUT" "unknown snapshot-isolation"
# What a predicate left out is a read too: of a version that does not match.
cat >leftout.jsonl <<'EOF'
{"session":0,"txn":"a","ops":[{"w":"k","v":5},{"w":"q","v":9}]}
{"session":1,"txn":"b","ops":[{"r":"q","v":9},{"p":"v = 5","rows":{}}]}
EOF
for level in axiomatic-read-committed read-atomic causal-cerone prefix parallel-snapshot-isolation update-atomic; do
    echo '{"esse":"evidence","version":1,"history":"-","transactions":2,"operations":4,"results":[{"level":"'$level'",
        "verdict":"holds","anomalies":[],"order":{"proves":"'$level'","starts":false,"accesses":false,"events":[0,1]}}]}' >order.json
    expect "a commit order that a predicate contradicts does not prove $level" 65 "$ESSE" verify order.json leftout.jsonl
done
expect "parallel snapshot isolation is ruled out" 1 \
    "$ESSE" check -q -l parallel-snapshot-isolation --evidence leftout.json leftout.jsonl
expect "and that is verified" 0 "$ESSE" verify leftout.json leftout.jsonl
for level in read-atomic causal-consistency; do
    expect "$level is ruled out" 1 "$ESSE" check -q -l $level --evidence leftout.json leftout.jsonl
    expect "and that is verified" 0 "$ESSE" verify leftout.json leftout.jsonl
done
for write in null 0; do
    for level in read-atomic causal-cerone prefix parallel-snapshot-isolation update-atomic; do
        echo '{"esse":"evidence","version":1,"history":"-","transactions":2,"operations":4,"results":[{"level":"'$level'",
            "verdict":"holds","anomalies":[],"order":{"proves":"'$level'","starts":false,"accesses":false,"events":[0,1],
            "sources":[{"read":3,"key":0,"write":'$write'}]}}]}' >order.json
        expect "nor does it if it names version $write, which it missed or which matches" 65 "$ESSE" verify order.json leftout.jsonl
    done
done
# With another version that does not match there is one that it can have seen, and the evidence names it.
{ cat leftout.jsonl; echo '{"session":2,"txn":"c","ops":[{"w":"k","v":7}]}'; } >seen.jsonl
for level in read-atomic causal-consistency parallel-snapshot-isolation; do
    expect "$level holds" 0 "$ESSE" check -q -l $level --engine polygraph --evidence seen.json seen.jsonl
    expect "and verifies" 0 "$ESSE" verify seen.json seen.jsonl
    sed 's/"write":4/"write":0/' seen.json >wrong.json
    expect "not with the version that matches" 65 "$ESSE" verify wrong.json seen.jsonl
    sed 's/"write":4/"write":null/' seen.json >wrong.json
    expect "nor with the one that was overwritten" 65 "$ESSE" verify wrong.json seen.jsonl
done
expect "nor does the engine prove it" 2 "$ESSE" check -q --engine saturate -l read-atomic leftout.jsonl
# Where several wrote what was read, the evidence says whose it is.
cat >twice.jsonl <<'EOF'
{"init":{"k":0}}
{"session":0,"txn":"a","ops":[{"w":"q","v":4}]}
{"session":0,"txn":"b","ops":[{"w":"k","v":8}]}
{"session":0,"txn":"c","ops":[{"w":"q","v":4}]}
{"session":1,"txn":"d","ops":[{"r":"q","v":4},{"r":"k","v":0}]}
EOF
expect "a value that was written twice" 0 "$ESSE" check -q -l parallel-snapshot-isolation --evidence twice.json twice.jsonl
expect "verifies in another process" 0 "$ESSE" verify twice.json twice.jsonl
sed 's/"write":0/"write":2/' twice.json >wrong.json
expect "and not with the other writer" 65 "$ESSE" verify wrong.json twice.jsonl
sed 's/"version":1/"version":2/' twice.json >newer.json
expect "evidence of another version is refused" 65 "$ESSE" verify newer.json twice.jsonl
# What rests on a certificate says so.
"$ESSE" gen rw-register --txns 60 -q --certificate --anomaly G-single -o stamped.jsonl
echo '{"certificate":"commit-order","complete":true}' >>stamped.jsonl
"$ESSE" check -q -l serializable,read-committed --evidence stamped.json stamped.jsonl >/dev/null
if grep -q '"certificate"' stamped.json; then
    expect "a verdict under a certificate is verified" 0 "$ESSE" verify stamped.json stamped.jsonl
    has "and says under which" "$OUT" "under the certificate (commit-order), verified"
    sed 's/"certificate":"commit-order",//g' stamped.json >silent.json
    expect "one that does not say it is refused" 65 "$ESSE" verify silent.json stamped.jsonl
    sed 's/"certificate":"commit-order"/"certificate":"timestamps"/g' stamped.json >other.json
    expect "and so is one that names another" 65 "$ESSE" verify other.json stamped.jsonl
else
    fail "a verdict under a certificate" "is not marked"
fi
# ---- elements that several operations appended

cat >shared.jsonl <<'END'
{"session":0,"txn":"a","ops":[{"a":"x","v":1}]}
{"session":1,"txn":"b","ops":[{"a":"x","v":1}]}
{"session":0,"txn":"c","ops":[{"r":"x","v":[1]}]}
{"session":1,"txn":"d","ops":[{"r":"x","v":[1]}]}
END
expect "which one appended it is a choice" 1 "$ESSE" check -q -l serializable,strong-session-serializable,causal --evidence ways.json shared.jsonl
has "that is said" "$OUT" "in each of the 2 ways in which the elements that several operations appended can have come to be"
has "by the names of those that appended" "$OUT" '"1 appended by'
expect "and verified, way by way" 0 "$ESSE" verify ways.json shared.jsonl
has "what holds" "$OUT" "holds serializable, verified"
has "and what does not" "$OUT" "violated strong-session-serializable, verified"
sed 's/"by":\[1\]/"by":[0]/g' ways.json >damaged.json
expect "the same way twice is refused" 65 "$ESSE" verify damaged.json shared.jsonl
sed 's/"by":\[0\]/"by":[2]/g' ways.json >damaged.json
expect "as is one that did not append it" 65 "$ESSE" verify damaged.json shared.jsonl

# ---- words that Esse does not know: refused where they stand, in line 2 of the file

cat >words.jsonl <<'END'
{"session":0,"ops":[{"w":"x","v":1}]}
{"session":1,"txn":"a","ops":[{"r":"x","v":1},{"w":"x","v":2},{"w":"y","v":1}]}
{"session":2,"txn":"b","ops":[{"r":"x","v":1},{"r":"y","v":1}]}
END
"$ESSE" check -q --wfr-keys -e dsg -l serializable --evidence words.json words.jsonl >/dev/null
expect "evidence with an assumption is verified" 0 "$ESSE" verify --quiet words.json words.jsonl
unknown_word() { # what it is, where the word stands, a member with such a word, what is said of it
    sed "2s/$2/$3/" words.json >damaged.json
    expect "an unknown $1 is refused" 65 "$ESSE" verify damaged.json words.jsonl
    same "with file, line and what was expected" "esse: damaged.json:2: $4" "$(sed -E '1s/:2:[0-9]+:/:2:/' <<<"$ERR")"
}
dependency='found "xx", expected a dependency such as ww'
basis='found "xx", expected wfr-keys, sequential-keys, linearizable-keys or initial-state'
certificate='found "xx", expected order, commit_ts, start_ts, timestamps, commit-order or postgresql-snapshots'
unknown_word "level" '"level":"serializable"' '"level":"xx"' "unknown level 'xx'"
unknown_word "dep" '"dep":"rw"' '"dep":"xx"' "$dependency"
unknown_word "type" '"type":"[^"]*"' '"type":"xx"' "unknown anomaly 'xx'"
unknown_word "basis" '"basis":"wfr-keys"' '"basis":"xx"' "$basis"
unknown_word "assumption" '"assumed":\["wfr-keys"' '"assumed":["xx"' "$basis"
unknown_word "anomaly that was named" '"verdict":"violated"' '"verdict":"violated","named":["xx"]' "unknown anomaly 'xx'"
unknown_word "certificate" '"verdict":"violated"' '"verdict":"violated","certificate":"xx"' "$certificate"
unknown_word "verdict" '"verdict":"violated"' '"verdict":"xx"' 'found "xx", expected holds, violated or unknown'
"$ESSE" check -q -l read-uncommitted --evidence words.json words.jsonl >/dev/null
unknown_word "level that an order proves" '"proves":"[^"]*"' '"proves":"xx"' "unknown level 'xx'"

finish
