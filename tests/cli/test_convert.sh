#!/usr/bin/env bash
# esse convert and esse stats.
set -u
. "$(dirname "$0")/lib.sh"

for workload in list-append rw-register predicate; do
    "$ESSE" gen $workload --txns 300 --certificate --op-times --server-times --crash-share 0.05 -q -o a.jsonl
    expect "$workload: native to native" 0 "$ESSE" convert a.jsonl b.jsonl
    check "$workload: byte for byte" cmp a.jsonl b.jsonl
done
for workload in list-append rw-register; do
    "$ESSE" gen $workload --txns 300 --crash-share 0.05 -q -o a.edn
    expect "$workload: EDN to EDN" 0 "$ESSE" convert a.edn b.edn
    check "$workload: EDN byte for byte" cmp a.edn b.edn
    expect "$workload: EDN to native" 0 "$ESSE" convert a.edn c.jsonl
    expect "$workload: and to EDN again" 0 "$ESSE" convert c.jsonl d.edn
    check "$workload: only that keys and values are strings now" cmp <(sed 's/"//g' a.edn) <(sed 's/"//g' d.edn)
    same "$workload: the same counts" "$("$ESSE" stats -q --json a.edn | sed 's/"path":"[^"]*"//; s/"hottest_key":"*[0-9]*"*//')" "$("$ESSE" stats -q --json d.edn | sed 's/"path":"[^"]*"//; s/"hottest_key":"*[0-9]*"*//')"
done

"$ESSE" gen rw-register --txns 20 --certificate -q -o cert.jsonl
expect "what EDN cannot hold is an error" 65 "$ESSE" convert cert.jsonl cert.edn
has "that says what" "$ERR" "cannot hold"
same "and leaves no file" "" "$(ls cert.edn* 2>/dev/null)"
expect "unless it may be dropped" 0 "$ESSE" convert --lossy cert.jsonl cert.edn
cat >certified.jsonl <<'EOF'
{"esse":"history","version":1}
{"session":0,"txn":1,"xid":700,"ops":[{"w":"1","v":5},{"r":"1","v":5,"snapshot":"700:700:"}]}
{"session":0,"txn":2,"ops":[{"p":"SELECT sum(v) FROM t","result":[5]}]}
{"certificate":"postgresql-snapshots"}
{"order":[1,2]}
EOF
for to in jepsen-edn plume dbcop cobra; do
    expect "$to holds no snapshots" 65 "$ESSE" convert --to $to certified.jsonl lost.$to
    has "and says so" "$ERR" "cannot hold"
    expect "$to without them" 0 "$ESSE" convert --lossy --to $to certified.jsonl lost.$to
    expect "is a history" 0 "$ESSE" stats lost.$to
done
expect "stats of what is certified" 0 "$ESSE" stats certified.jsonl
has "results" "$OUT" "results        1 statements have one, 1 of them without their rows"
has "and the certificate" "$OUT" "certificate    postgresql-snapshots, 1 operations with a snapshot"
grep -v -e certificate certified.jsonl >bare.jsonl
echo '{"certificate":"postgresql-snapshots","complete":true}' >c.jsonl
expect "a certificate of its own" 0 "$ESSE" stats --certificate c.jsonl bare.jsonl
has "is the same" "$OUT" "certificate    postgresql-snapshots, complete, 1 operations"
echo '{"certificate":"timestamps"}' >c.jsonl
expect "it must fit the snapshots" 65 "$ESSE" stats --certificate c.jsonl bare.jsonl
has "and says where" "$ERR" "bare.jsonl:2:1: found the snapshot '700:700:', expected a timestamp"
echo '{:type :ok, :process 0, :f :txn, :value [[:w :x 1.5]], :index 0, :time 5, :node "n1"}' >odd.edn
expect "what native cannot hold is an error" 65 "$ESSE" convert odd.edn odd.jsonl
same "and leaves no file either" "" "$(ls odd.jsonl* 2>/dev/null)"
expect "it can be dropped" 0 "$ESSE" convert --lossy odd.edn odd.jsonl

# Real time is never made up.
printf '%s\n' '{"session":0,"ops":[{"w":"0","v":1}]}' '{"session":1,"ops":[{"r":"0","v":null}]}' >untimed.jsonl
expect "a history without times" 0 "$ESSE" check -q untimed.jsonl
expect "as EDN" 0 "$ESSE" convert untimed.jsonl untimed.edn
expect "has none either" 0 "$ESSE" check -q untimed.edn
printf '%s\n' '{"session":0,"ops":[{"w":"0","v":1}]}' '{"session":0,"start":1,"end":2,"ops":[{"w":"0","v":2}]}' \
    '{"session":1,"start":3,"end":4,"ops":[{"r":"0","v":2}]}' >half.jsonl
expect "times after none in one session" 65 "$ESSE" convert half.jsonl half.edn
has "EDN cannot say" "$ERR" "a session in which a transaction without times, or without an end, comes before one with times"
printf '%s\n' '{"session":0,"ops":[{"w":"x","v":1}]}' '{"session":1,"ops":[{"w":"x","v":2},{"d":"x"}]}' >rows.jsonl
expect "a version order is not made up either" 65 "$ESSE" convert rows.jsonl rows.edn
has "and it says so" "$ERR" "whose versions need not be in the order of the file"
sed '1i {"esse":"history","version":1,"in_version_order":true}' rows.jsonl >ordered.jsonl
expect "unless it is known" 0 "$ESSE" convert ordered.jsonl ordered.edn
expect "and back" 0 "$ESSE" convert ordered.edn back.jsonl
has "it is still known" "$(head -1 back.jsonl)" '"in_version_order":true'

# What Jepsen writes beside: kept, and the way back gives the same.
cat >jepsen.edn <<'EOF'
{:index 0, :time 100, :type :invoke, :process 0, :f :txn, :value [[:append "x" 1]]}
{:index 1, :time 150, :type :invoke, :process 1, :f :txn, :value [[:r "x" nil]]}
{:index 2, :time 200, :type :info, :process 0, :f :txn, :value [[:append "x" 1]], :error [:timeout "no \"answer\""], :node "n1"}
{:index 3, :type :ok, :process 1, :f :txn, :value [[:r "x" [1]]]}
EOF
expect "ordinary EDN to native" 0 "$ESSE" convert jepsen.edn jepsen.jsonl
same "without a word" "" "$ERR"
has "with the clock" "$(cat jepsen.jsonl)" '"time":[100,200]'
has "and the error" "$(cat jepsen.jsonl)" '"edn":{":error":"[:timeout \"no \\\"answer\\\"\"]",":node":"\"n1\""}'
expect "and back to EDN" 0 "$ESSE" convert jepsen.jsonl jepsen2.edn
check "byte for byte" cmp jepsen.edn jepsen2.edn
"$ESSE" gen rw-register -n 20 --no-times -q -o gen.jsonl
expect "the header of gen is no obstacle" 0 "$ESSE" convert gen.jsonl gen.edn
has "and is reported" "$ERR" "the header (database, isolation, columns, statements)"
sed -i 's/"txn":"[0-9]*",//' jepsen.jsonl
sed 's/"edn":{":error":"[^}]*}/"edn":{":error":"[:timeout"}/' jepsen.jsonl >bad.jsonl
expect "members must be EDN" 65 "$ESSE" convert bad.jsonl x.edn
has "and it says where" "$ERR" 'found "[:timeout", expected one form of EDN in one line'

expect "malformed input" 65 "$ESSE" convert "$ROOT/tests/parse/native_not_json.jsonl" out.jsonl
same "leaves nothing behind" "" "$(ls out.jsonl* 2>/dev/null)"
expect "a folder that is not there" 74 "$ESSE" convert a.jsonl nowhere/b.jsonl
expect "to standard output" 0 "$ESSE" convert a.jsonl
same "as native" "$(cat a.jsonl)" "$OUT"
expect "to a format that cannot be written" 64 "$ESSE" convert --to elle-json a.jsonl b.json

expect "stats" 0 "$ESSE" stats a.jsonl
has "sessions" "$OUT" "sessions      "
has "what it allows" "$OUT" "every transaction has client times"
expect "stats as json" 0 "$ESSE" stats --json a.jsonl
check "is one object" python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$WORK/.out"
cat >four.jsonl <<'END'
{"session":0,"start":0,"end":10,"ops":[{"w":"x","v":1},{"r":"x","v":1}]}
{"session":1,"start":5,"end":15,"ops":[{"w":"x","v":1}]}
{"session":1,"start":20,"end":30,"status":"aborted","ops":[{"w":"y","v":2}]}
{"session":2,"status":"unknown","ops":[{"r":"y"}]}
END
expect "counts" 0 "$ESSE" stats --json four.jsonl
for pair in sessions:3 transactions:4 committed:2 aborted:1 unknown:1 operations:5 reads:2 writes:3 \
    keys:2 keys_shared:1 duplicate_values:1 unrecorded_reads:1 timed:3 concurrency_most:2; do
    has "counts ${pair%:*}" "$OUT" "\"${pair%:*}\":${pair#*:},"
done

# ---- faults ----
cat >faults.jsonl <<'END'
{"esse":"history","version":1}
{"fault":"kill","node":1,"start":1200000000}
{"session":0,"start":1,"end":5,"ops":[{"w":"x","v":1}]}
{"fault":"kill","node":2,"start":1300000000,"end":1400000000}
{"fault":"kill","node":1,"end":1900000000}
{"session":1,"ops":[{"r":"x","v":1}]}
{"fault":"pause","start":3000000000}
END
expect "faults are kept" 0 "$ESSE" convert faults.jsonl whole.jsonl
same "each in one line" '{"fault":"kill","node":1,"start":1200000000,"end":1900000000}
{"fault":"kill","node":2,"start":1300000000,"end":1400000000}
{"fault":"pause","start":3000000000}' "$(grep fault whole.jsonl)"
expect "which is canonical" 0 "$ESSE" convert whole.jsonl again.jsonl
check "byte for byte" cmp whole.jsonl again.jsonl
told="kill of node 1 from 1.2 s to 1.9 s, kill of node 2 from 1.3 s to 1.4 s, pause from 3.0 s on"
expect "a verdict has them" 0 "$ESSE" check faults.jsonl
has "in words" "$OUT" "recorded under faults: $told"
expect "and in JSON" 0 "$ESSE" check --json faults.jsonl
check "as they are in the format" python3 -c '
import json, sys
faults = json.load(open(sys.argv[1]))["history"]["faults"]
assert faults == [json.loads(line) for line in open(sys.argv[2]) if "fault" in line], faults
' "$WORK/.out" whole.jsonl
expect "stats has them" 0 "$ESSE" stats faults.jsonl
has "with their number" "$OUT" "faults        3: $told"
expect "and in JSON" 0 "$ESSE" stats --json faults.jsonl
has "too" "$OUT" ',"faults":[{"fault":"kill","node":1,"start":1200000000,"end":1900000000},'
expect "a format that has no place for them" 0 "$ESSE" convert faults.jsonl faults.edn
same "leaves them out, and says so" "esse: faults.edn: left out, as the format has no place for it and no verdict depends on it: faults" "$ERR"
expect "unless it is to be quiet" 0 "$ESSE" convert -q faults.jsonl faults.edn
same "and then not" "" "$ERR"
sed 's/"start":1,/"commit_ts":1,/; s/"session":1,/"session":1,"commit_ts":2,/; s/"end":5,//' faults.jsonl >stream.jsonl
stream=("$ESSE" check --stream --order-by commit_ts -l serializable)
expect "a replay while reading has them too" 0 "${stream[@]}" stream.jsonl
has "in the same words" "$OUT" "recorded under faults: $told"
sed 's/"v":1}\]}$/"v":1},{"r":"y","v":7}]}/' stream.jsonl >wrong.jsonl
expect "where it ends early" 1 "${stream[@]}" wrong.jsonl
has "what was read until then" "$OUT" "faults: kill of node 1 from 1.2 s on"
check "and no more" test "$(grep -c pause <<<"$OUT")" -eq 0
sed '/"node":1,"start"/d' stream.jsonl >loose.jsonl
expect "an end without a beginning is refused there too" 65 "${stream[@]}" loose.jsonl
has "with its line" "$ERR" "loose.jsonl:4:1: a kill ends that did not begin"
echo '{"fault":"kill","start":1}' >certificate.jsonl
expect "a certificate has none" 65 "$ESSE" check --certificate certificate.jsonl faults.jsonl
has "and says what it may have" "$ERR" "certificate.jsonl:1: found a fault; a certificate holds"
# Read by a thread of its own: a large file.
"$ESSE" gen rw-register --txns 60000 >large.jsonl
awk '{ print } NR % 1000 == 2 { printf "{\"fault\":\"pause\",\"node\":%d,\"start\":%d}\n{\"fault\":\"pause\",\"node\":%d,\"end\":%d}\n", NR, NR, NR, NR + 7 }' \
    large.jsonl >faulty.jsonl
expect "many faults in a large file" 0 "$ESSE" convert faulty.jsonl converted.jsonl
check "are all there, and whole" python3 -c '
import json, sys
faults = [json.loads(line) for line in open(sys.argv[1]) if line.startswith("{\"fault\"")]
assert len(faults) >= 60 and all(f["end"] == f["start"] + 7 == f["node"] + 7 for f in faults)
' converted.jsonl
awk '/"ops"/ && NR % 3 == 0 { sub(/"ops"/, "\"time\":[" NR ",null],\"edn\":{\":error\":\"[:n " NR "]\",\":node\":\"\\\"n1\\\"\"},\"ops\"") } { print }' large.jsonl >told.jsonl
expect "what Jepsen tells beside, in a large file" 0 "$ESSE" convert told.jsonl converted.jsonl
check "is all there" cmp told.jsonl converted.jsonl
finish
