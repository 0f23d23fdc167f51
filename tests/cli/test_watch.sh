#!/usr/bin/env bash
# esse watch: findings, exit statuses, sources of a trace, folders of findings and their recheck.
set -u
. "$(dirname "$0")/lib.sh"

head='{"esse":"trace","version":1,"init":{},"exclusive":true}'
commit() { echo "{\"session\":$1,\"txn\":\"$2\",\"commit\":true,\"t\":[$3,$4]}"; }
op() { echo "{\"session\":$1,\"txn\":\"$2\",$3,\"t\":[$4,$5]}"; }

{
    echo "$head"
    op 1 a '"w":"x","v":1' 10 12
    commit 1 a 13 15
    op 2 b '"r":"x","v":1' 20 22
    commit 2 b 23 25
} >good.jsonl
sed 's/"r":"x","v":1/"r":"x","v":null/' good.jsonl >stale.jsonl
{
    echo "$head"
    op 1 a '"w":"x","v":1' 10 12
    op 2 b '"w":"x","v":2' 14 16
    commit 1 a 20 22
    commit 2 b 24 26
} >locks.jsonl
{
    echo "$head"
    op 1 a '"r":"y","v":null' 10 12
    op 2 b '"w":"x","v":2' 14 16
    commit 2 b 20 22
    op 1 a '"w":"x","v":1' 24 26
    commit 1 a 28 30
} >updaters.jsonl
{
    echo "$head"
    op 1 a '"r":"x","v":null' 10 12
    op 2 b '"w":"x","v":2' 14 16
    commit 2 b 18 20
    op 1 a '"w":"y","v":1' 24 26
    commit 1 a 28 30
} >overtaken.jsonl

rr=postgresql/repeatable-read
expect "nothing broken" 0 "$ESSE" watch --profile $rr good.jsonl
expect "a stale read" 1 "$ESSE" watch --profile $rr stale.jsonl
same "the finding" "CR broken (consistent read): no version of this value can have been in the snapshot" \
    "$(head -n 1 <<<"$OUT")"
expect "as JSON" 1 "$ESSE" watch --json --profile $rr stale.jsonl
same "the members" "CR x 4 b" "$(python3 -c '
import json, sys
f = json.loads(sys.stdin.readline())
print(f["broken"], f["key"], f["line"], f["transactions"][0]["txn"])' <<<"$OUT")"
expect "it ends at the first with --stop" 1 "$ESSE" watch --stop --profile $rr stale.jsonl
expect "wide clocks explain it" 0 "$ESSE" watch --skew 100 --profile $rr stale.jsonl
expect "what cannot be decided" 2 "$ESSE" watch --profile $rr - <<<"$(sed 's/,"exclusive":true//; s/"r":"x","v":1/"r":"x","v":9/' good.jsonl)"

# Once a second, while it goes by: a finding is told at once, and the numbers say what is held back.
mkfifo slow
(exec 9>slow; head -n 4 stale.jsonl >&9; head -c 300000 /dev/zero | tr '\0' '\n' >&9; sleep 1.3; tail -n +5 stale.jsonl >&9; sleep 0.2) &
"$ESSE" watch --json -q --no-windows --profile $rr slow >every.jsonl
wait
same "the numbers of a second, then the finding, then those of the end" "per_second 7 1 2 / CR / summary 6" "$(python3 -c '
import json
a, b, c = map(json.loads, open("every.jsonl"))
print("per_second" if "per_second" in a else a, a["behind"]["done"], a["held_by"], a["assumed"]["resolution"] + 1,
      "/", b["broken"], "/", "summary" if c["summary"] else c, c["events"])' 2>&1)"

expect "no profile" 64 "$ESSE" watch good.jsonl
expect "an unknown profile" 64 "$ESSE" watch --profile postgres/rr good.jsonl
expect "an unknown column" 64 "$ESSE" watch --profile cr=T,xx=1 good.jsonl
expect "no such file" 74 "$ESSE" watch --profile $rr nothing.jsonl
expect "another format" 64 "$ESSE" watch --profile $rr - <<<'{:type :invoke}'
expect "the profiles" 0 "$ESSE" watch --profile help

gzip -k stale.jsonl
expect "compressed" 1 "$ESSE" watch --profile $rr stale.jsonl.gz
expect "standard input" 1 "$ESSE" watch --profile $rr - <stale.jsonl
"$ESSE" convert -q stale.jsonl native.jsonl
expect "a native history" 1 "$ESSE" watch --profile $rr native.jsonl
"$ESSE" convert -q --to trace native.jsonl again.jsonl
expect "and as a trace again" 1 "$ESSE" watch --profile $rr again.jsonl
"$ESSE" convert -q again.jsonl native2.jsonl
same "the same history" "$(cat native.jsonl)" "$(cat native2.jsonl)"

# A file that grows: findings are told while it does, half lines wait, another file may take its place.
declared='{"esse":"trace","version":1,"init":{},"exclusive":true,"sessions":[1,2]}'
until_told() { # FILE TEXT: waits until the file has the text; 5 s at most
    local tries=0
    until grep -qs "$2" "$1" || [ $((++tries)) -gt 250 ]; do sleep 0.02; done
}
follow() { # FILE OPTIONS...: starts it; its output is in told
    : >told
    "$ESSE" watch -q --follow --profile $rr "$@" >told 2>told.err &
    pid=$!
}
ended() { # NAME STATUS: ends it by a signal
    kill -INT $pid
    wait $pid
    same "$1" "$2" "$?"
}

echo "$declared" >grows.jsonl
follow grows.jsonl
{ op 1 a '"w":"x","v":1' 10 12; commit 1 a 13 15; } >>grows.jsonl
op 2 b '"r":"x","v":null' 20 22 | tr -d '\n' | cut -c 1-30 | tr -d '\n' >>grows.jsonl
sleep 0.1
op 2 b '"r":"x","v":null' 20 22 | cut -c 31- >>grows.jsonl
{ commit 2 b 23 25; echo '{"beat":1,"done":40,"floor":40}'; echo '{"beat":2,"done":40,"floor":40}'; } >>grows.jsonl
until_told told "CR broken"
has "a finding is told while the file grows, half lines and all" "$(cat told)" "CR broken"
ended "and a signal ends it in good order" 1
has "with the numbers" "$(cat told)" "1 violation in"

echo "$declared" >turns.jsonl
follow --json turns.jsonl
{ op 1 a '"w":"x","v":1' 10 12; commit 1 a 13 15; } >>turns.jsonl
sleep 0.1
mv turns.jsonl turns.jsonl.1
{ op 2 c '"w":"y","v":1' 16 17; commit 2 c 18 19 | tr -d '\n'; } >>turns.jsonl.1
{ echo "$declared"; op 2 b '"r":"x","v":1' 20 22; commit 2 b 23 25; } >turns.new
mv turns.new turns.jsonl
sleep 0.2
: >turns.jsonl
sleep 0.2
{ echo "$declared"; op 2 d '"r":"x","v":1' 26 28; commit 2 d 30 31; echo '{"close":1,"at":40}'; echo '{"close":2,"at":40}'; } >turns.jsonl
sleep 0.2
ended "another file takes its place, and it is cut and written again" 0
has "all lines were read" "$(cat told)" '"events":12,"committed":4'

echo "$declared" >other.jsonl
follow other.jsonl
sleep 0.1
sed 's/"init":{}/"init":{"x":1}/' other.jsonl >other.new
mv other.new other.jsonl
wait $pid
same "a file with another header is refused" 65 $?
has "with its line" "$(cat told.err)" "other.jsonl:2:1: a header is only the first line"

# What a session that was not heard again may have said decides: its write is not there, and is no finding.
{ echo "$declared"; op 2 b '"r":"x","v":1' 20 22; commit 2 b 23 25; } >cut.jsonl
follow --json cut.jsonl
sleep 0.2
ended "a trace that is cut off accuses nobody" 2
has "what was cut off is counted" "$(cat told)" '"cut_off":3'
(cat cut.jsonl; exec sleep 5) | "$ESSE" watch -q --json --profile $rr - >told &
until_told /proc/$!/stat .
sleep 0.2
kill -INT $!
wait $!
same "nor does a pipe" 2 $?
expect "a whole trace does" 1 "$ESSE" watch --profile $rr cut.jsonl
expect "there is nothing to follow" 64 "$ESSE" watch --follow --profile $rr -
expect "compressed files are not followed" 65 "$ESSE" watch --follow --profile $rr stale.jsonl.gz

# A native history says less than a trace: what it leaves out must not accuse.
txn() { echo "{\"session\":$1,\"status\":\"$2\",\"start\":$3,\"end\":$4,\"ops\":[$5]}"; }
{
    txn 1 committed 10 40 '{"p":"SELECT count(*) FROM t","result":[0],"t":[11,12]},{"r":"x","v":null,"t":[30,31]}'
    txn 2 committed 14 20 '{"w":"x","v":1,"t":[15,16]}'
} >counts.jsonl
expect "a statement of which only the result is known took the snapshot" 0 "$ESSE" watch --profile $rr counts.jsonl
same "and nothing is broken" "nothing broken:" "$(head -n 1 <<<"$OUT" | cut -d ' ' -f 1-2)"
"$ESSE" convert -q --to trace counts.jsonl counts.trace
has "the trace says so too" "$(cat counts.trace)" '"p":"SELECT count(*) FROM t","result":[0],"t":[11,12]'
"$ESSE" convert -q counts.trace back.jsonl
has "and back" "$(cat back.jsonl)" '{"p":"SELECT count(*) FROM t","result":[0],"t":[11,12]}'
{
    txn 1 committed 10 40 '{"w":"x","v":1,"t":[11,12]},{"r":"y","v":null,"t":[31,32]}'
    txn 2 aborted 14 30 '{"w":"x","v":2,"t":[15,20]}'
} >refused.jsonl
expect "a write that was refused proves no lock" 0 "$ESSE" watch --profile $rr refused.jsonl
{
    txn 1 committed 10 40 '{"r":"y","v":null,"t":[11,12]},{"r":"x","v":1,"t":[30,31]},{"w":"x","v":2,"t":[30,31]}'
    txn 2 committed 14 20 '{"w":"x","v":1,"t":[15,16]}'
} >found.jsonl
expect "an update looks under its lock, not in the snapshot" 0 "$ESSE" watch --profile mysql/repeatable-read found.jsonl
sed 's/{"w":"x","v":2,"t":\[30,31\]}/{"w":"x","v":2,"t":[32,33]}/' found.jsonl >apart.jsonl
expect "another statement does not" 1 "$ESSE" watch --profile mysql/repeatable-read apart.jsonl

# A transaction that a component of instants kept was taken for the one that had got its place in the graph of
# dependencies (seen live at SQLite).
"$ESSE" watch -q --profile sqlite/serializable "$ROOT/tests/traces/outlived.jsonl" >outlived
same "a place in the graph that is another's by now" "nothing broken:" "$(head -n 1 outlived | cut -d ' ' -f 1-2)"

# Seen live at PostgreSQL.  An insert after an unseen delete: the snapshot has the old row beside the new one.
gone() { # what the transaction reads after its write
    echo '{"esse":"trace","version":1,"init":{"x":5},"exclusive":true}'
    op 1 a '"r":"z","v":null' 10 12
    [ "${2:-}" = kept ] || { op 2 b '"d":"x"' 14 16; commit 2 b 18 20; }
    op 1 a '"w":"x","v":7' 24 26
    op 1 a "\"p\":\"v < 6\",\"rows\":{\"x\":$1}" 27 28
    commit 1 a 29 30
}
expect "a row that was deleted meanwhile is still in the snapshot" 0 "$ESSE" watch --no-windows --profile $rr - <<<"$(gone 5)"
expect "another value is not" 1 "$ESSE" watch --no-windows --profile $rr - <<<"$(gone 4)"
expect "nor is it if no one deleted it" 1 "$ESSE" watch --no-windows --profile $rr - <<<"$(gone 5 kept)"
# What PostgreSQL looks for are two anti-dependencies on the very next versions.
pivot() { # whose write took the place of what c read: the pivot's own, or an earlier one
    echo "$head"
    op 1 c '"r":"x","v":null' 10 12
    [ "$1" = next ] || { op 4 o '"w":"x","v":1' 14 16; commit 4 o 18 20; }
    op 2 p '"r":"y","v":null' 24 26
    op 3 f '"w":"y","v":3' 28 30
    commit 3 f 32 34
    op 2 p '"w":"x","v":2' 36 38
    commit 2 p 40 42
    op 1 c '"w":"q","v":4' 44 46
    commit 1 c 48 50
}
expect "a pivot" 1 "$ESSE" watch --no-windows --profile postgresql/serializable - <<<"$(pivot next)"
has "is told" "$OUT" "two anti-dependencies in a row"
expect "and none, if another version was between" 0 "$ESSE" watch --no-windows --profile postgresql/serializable - <<<"$(pivot later)"

# A database is watched while a workload runs, without a file in between.
expect "the store in memory, by its own profile" 0 "$ESSE" watch --json -n 3000 -w rw-register 'memory:?level=snapshot-isolation'
has "what was seen" "$OUT" '"summary":true'
expect "by a stronger profile" 1 timeout 60 "$ESSE" watch --stop -n 20000 -w rw-register --profile memory/snapshot-isolation 'memory:?level=read-committed'
has "the finding" "$OUT" " broken ("
"$ESSE" watch -q -n 3000 -s 4 sqlite: >sqlite.out
check "SQLite" test $? -ne 1
same "is not broken" "nothing broken:" "$(head -n 1 sqlite.out | cut -d ' ' -f 1-2)"
"$ESSE" watch -q --json --think 2ms -w rw-register 'memory:?level=snapshot-isolation' >endless.out 2>endless.err &
pid=$!
until_told endless.out per_second
ended "it goes on until a signal" 0
has "and is whole then" "$(tail -n 1 endless.out)" '"cut_off":0'
expect "no profile is known" 64 "$ESSE" watch sqlite: --isolation read-uncommitted
has "and it says which" "$ERR" "no profile is known for sqlite/read-uncommitted"
expect "all workloads" 64 "$ESSE" watch sqlite: -w all -d 1s
expect "run --watch" 0 "$ESSE" run -q --watch -n 2000 -w rw-register -o watched-run 'memory:?level=serializable'
has "tells both" "$(head -n 1 <<<"$OUT") $(grep -c 'holds serializable' <<<"$OUT")" "nothing broken: 0 violations"
expect "run --watch with a broken promise" 1 timeout 60 "$ESSE" run -q --watch --profile memory/snapshot-isolation -n 3000 -s 8 -w rw-register -l read-committed -o broken-run 'memory:?level=read-committed'
check "its findings are in the run directory" test -f broken-run/findings/0001/claim.json
expect "and verify" 0 "$ESSE" verify broken-run/findings/0001

# Folders: written, rechecked by another process, and refused if anything is changed.
for case in "stale $rr" "locks $rr" "updaters $rr" "overtaken foundationdb/serializable"; do
    set -- $case
    expect "$1 is broken" 1 "$ESSE" watch --out "out-$1" --profile "$2" "$1.jsonl"
    expect "$1 rechecks" 0 "$ESSE" verify "out-$1/0001"
    cp -r "out-$1/0001" "cut-$1"
    sed -i 's/"t":\[20,22\]/"t":[1,22]/; s/"t":\[10,12\]/"t":[10,29]/; s/"t":\[13,15\]/"t":[13,25]/; s/"t":\[18,20\]/"t":[5,20]/' \
        "cut-$1/trace.jsonl"
    expect "$1 with other times is refused" 65 "$ESSE" verify "cut-$1"
    cp -r "out-$1/0001" "key-$1"
    sed -i 's/"key":"x"/"key":"z"/' "key-$1/claim.json"
    expect "$1 about another key is refused" 65 "$ESSE" verify "key-$1"
    cp -r "out-$1/0001" "row-$1"
    sed -i 's|"profile":"[^"]*"|"profile":"cr=-,me=-,fuw=-"|' "row-$1/claim.json"
    expect "$1 under a weaker profile is refused" 65 "$ESSE" verify "row-$1"
done

# Two readers that disagree about the order of two commits; a write skew.
{
    echo "$head"
    op 1 a '"w":"x","v":1' 10 12
    op 2 b '"w":"y","v":1' 10 12
    commit 1 a 20 40
    commit 2 b 20 40
    op 3 c '"r":"x","v":1' 25 35
    op 3 c '"r":"y","v":null' 36 37
    commit 3 c 41 42
    op 4 d '"r":"x","v":null' 25 35
    op 4 d '"r":"y","v":1' 36 37
    commit 4 d 41 42
} >fork.jsonl
{
    echo "$head"
    op 1 a '"r":"x","v":null' 10 12
    op 2 b '"r":"y","v":null' 10 12
    op 1 a '"w":"y","v":1' 14 16
    op 2 b '"w":"x","v":2' 14 16
    commit 1 a 18 20
    commit 2 b 18 20
} >skew.jsonl
for case in "fork $rr Joint" "skew cr=T,at=F,me=W,fuw=u,sc=cycle SC"; do
    set -- $case
    expect "$1 is broken" 1 "$ESSE" watch --out "out-$1" --profile "$2" "$1.jsonl"
    expect "$1 rechecks" 0 "$ESSE" verify "out-$1/0001"
    same "$1 is of $3" "$3" "$(grep -o '"mechanism":"[A-Za-z]*"' "out-$1/0001/claim.json" | cut -d'"' -f4)"
    cp -r "out-$1/0001" "cut-$1"
    sed -i 's/"v":null,"t":\[25,35\]/"v":1,"t":[25,35]/; s/"txn":"b","r":"y","v":null/"txn":"b","r":"z","v":null/' "cut-$1/trace.jsonl"
    expect "$1 with another read is refused" 65 "$ESSE" verify "cut-$1"
    cp -r "out-$1/0001" "txns-$1"
    sed -i 's/"txns":\["[a-d]",/"txns":[/' "txns-$1/claim.json"
    expect "$1 without one transaction is refused" 65 "$ESSE" verify "txns-$1"
    cp -r "out-$1/0001" "row-$1"
    sed -i 's|"profile":"[^"]*"|"profile":"cr=-,me=-,fuw=-"|' "row-$1/claim.json"
    expect "$1 under a weaker profile is refused" 65 "$ESSE" verify "row-$1"
done

# A mechanism is not a level: blind writers that overlapped satisfy what is promised; a lost update does not.
expect "blind writers" 1 "$ESSE" watch --profile $rr updaters.jsonl
same "break the mechanism alone" "finding 1: mechanism broken; these 2 transactions satisfy snapshot-isolation" \
    "$(grep "^finding" <<<"$OUT")"
expect "which is no failure if only levels are" 0 "$ESSE" watch --fail-on level --profile $rr updaters.jsonl
expect "nor a thing to look at without windows" 1 "$ESSE" watch --no-windows --profile $rr updaters.jsonl
same "so nothing is said of a level" "" "$(grep "^finding" <<<"$OUT")"
{
    echo "$head"
    op 1 a '"r":"x","v":null' 10 12
    op 2 b '"r":"x","v":null' 14 16
    op 2 b '"d":"x"' 16 17
    op 1 a '"i":"x","v":1' 18 19
    commit 2 b 20 22
    commit 1 a 24 26
    op 2 c '"r":"x","v":1' 30 31
    commit 2 c 32 33
} | sed 's/"init":{}/"init":{"x":7}/; s/"v":null/"v":7/' >insert.jsonl
expect "an insert after an unseen delete is a level's matter" 1 \
    "$ESSE" watch --fail-on level --no-joint --profile 'cr=T,at=F,me=-,fuw=u,level=snapshot-isolation' --out out-insert insert.jsonl
same "and no mechanism's" "level broken: snapshot-isolation, lost-update" "$(head -n 1 <<<"$OUT")"
expect "its folder rechecks" 0 "$ESSE" verify out-insert/0001
sed -i 's/"d":"x"/"d":"y"/' out-insert/0001/history.jsonl
expect "and is refused with another history" 65 "$ESSE" verify out-insert/0001
sed 's/{"session":1,"txn":"a","r"/{"session":1,"txn":"a","begin":true,"isolation":"read-committed","t":[8,9]}\n&/' insert.jsonl >mixed.jsonl
expect "nothing is promised to a transaction of another isolation" 0 "$ESSE" watch --fail-on level --no-joint --profile $rr mixed.jsonl
expect "another level" 0 "$ESSE" watch --fail-on level --level read-committed --profile $rr insert.jsonl
expect "no level" 64 "$ESSE" watch --level foo --profile $rr insert.jsonl
expect "nothing to fail on" 64 "$ESSE" watch --fail-on foo --profile $rr insert.jsonl

# A weak store: transactions without ids, many of one session, one lock for everything, findings of every kind.
"$ESSE" gen rw-register -n 300 --level read-committed --op-times -q -o weak.jsonl
for profile in $rr sqlite/serializable mysql/serializable foundationdb/serializable; do
    expect "a weak store under $profile" 1 "$ESSE" watch -q --profile $profile --out "weak-${profile%/*}" weak.jsonl
    refused=
    for folder in "weak-${profile%/*}"/*/; do
        "$ESSE" verify "$folder" >/dev/null 2>&1 || refused="$refused $folder"
    done
    same "what the kernel rechecks verifies in another process ($profile)" "" "$refused"
done
finish
