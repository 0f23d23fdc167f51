#!/usr/bin/env bash
# esse gen as a user meets it.
set -u
. "$(dirname "$0")/lib.sh"

expect "defaults to standard output" 0 "$ESSE" gen rw-register -q
same "1000 transactions and a header" "1001" "$(echo "$OUT" | wc -l)"
"$ESSE" gen list-append --txns 500 --seed 3 -q -o a.jsonl
"$ESSE" gen list-append --txns 500 --seed 3 -q -o b.jsonl
"$ESSE" gen list-append --txns 500 --seed 4 -q -o c.jsonl
check "same seed, same bytes" cmp a.jsonl b.jsonl
expect "another seed, other bytes" 1 cmp -s a.jsonl c.jsonl
for format in native jepsen-edn; do
    "$ESSE" gen rw-register --txns 400 --abort-share 0.1 --crash-share 0.1 --format $format -q -o f
    expect "$format is read again" 0 "$ESSE" check -q f
done
expect "certificates" 0 "$ESSE" gen rw-register --txns 100 --certificate -q
has "a version order" "$OUT" '"version_order"'
has "an order" "$OUT" '"order"'
for kind in timestamps commit-order postgresql-snapshots; do
    "$ESSE" gen predicate --txns 300 --certify $kind -q -o k.jsonl
    same "certified by $kind" "{\"certificate\":\"$kind\"}" "$(tail -n 1 k.jsonl)"
    expect "$kind holds" 0 "$ESSE" check -q --engine dsg --level strict-serializable k.jsonl
    "$ESSE" gen predicate --txns 300 --certify $kind --anomaly phantom -q -o k.jsonl
    expect "$kind takes a phantom" 1 "$ESSE" check -q --level serializable k.jsonl
    has "which is found" "$OUT" "G-single"
done
expect "unknown certificate" 64 "$ESSE" gen predicate --certify luck
has "names the kinds" "$ERR" "expected timestamps, commit-order or postgresql-snapshots"
expect "dirty reads have no snapshot" 64 "$ESSE" gen predicate --certify timestamps --level read-uncommitted
expect "rows by the hundred thousand" 0 "$ESSE" gen predicate --txns $((2000 / SHARE)) --keys 100000 -q -o many.jsonl
expect "the table of anomalies" 0 "$ESSE" gen --anomaly help
has "names them" "$OUT" "G-single-realtime"
expect "unknown anomaly" 64 "$ESSE" gen rw-register --anomaly G7
expect "an anomaly that needs another workload" 64 "$ESSE" gen rw-register --anomaly duplicate-elements
has "names the workload" "$ERR" "list-append"
expect "unknown workload" 64 "$ESSE" gen cinema
expect "a workload that the store cannot do" 64 "$ESSE" gen sql
expect "unknown level" 64 "$ESSE" gen rw-register --level eventual
expect "shares are between 0 and 1" 64 "$ESSE" gen rw-register --read-share 2
expect "a folder that is not there" 74 "$ESSE" gen rw-register -o nowhere/x.jsonl
expect "a full disk" 74 "$ESSE" gen rw-register --txns 100k -q -o /dev/full
expect "planted at a place" 0 "$ESSE" gen rw-register --txns 100 --anomaly G1a@90% -o late.jsonl
has "which is reported" "$ERR" "planted G1a after 90 transactions"
for workload in bank smallbank long-fork write-skew blindw-rh blindw-rw blindw-wh blindw-pred rmw heavy-write \
    ycsb-a ycsb-b ycsb-f twitter rubis tpcc; do
    "$ESSE" gen $workload --txns $((2000 / SHARE)) --drop-aborted -q -o w.jsonl
    expect "$workload holds" 0 "$ESSE" check -q --level strict-serializable w.jsonl
    "$ESSE" gen $workload --txns 500 --drop-aborted --anomaly G-single -q -o w.jsonl
    expect "$workload takes a plant" 1 "$ESSE" check -q --level serializable w.jsonl
done
for level in read-uncommitted read-committed snapshot-isolation serializable strict-serializable; do
    for workload in $("$ESSE" gen 2>&1 | sed -n 's/.*expected a workload: //p' | sed 's/,//g; s/ or / /'); do
        is_in_share || continue
        "$ESSE" gen $workload --level $level -n 400 --keys 20 --abort-share 0.05 --crash-share 0.05 --certificate \
            -q -o l.jsonl
        expect "$workload gives $level" 0 "$ESSE" check -q --level $level l.jsonl
    done
done
"$ESSE" gen predicate --txns 300 --aggregate-share 0.5 --certify timestamps -q -o a.jsonl
has "aggregates" "$(cat a.jsonl)" '"p":"SELECT sum(v) FROM rows WHERE v >= '
expect "agree with the order" 0 "$ESSE" check -q --level strict-serializable a.jsonl
sed 's/"result":\[\([0-9]\)/"result":[1\1/' a.jsonl >wrong.jsonl
expect "which is not luck" 1 "$ESSE" check -q --level strict-serializable wrong.jsonl
expect "no workload" 64 "$ESSE" gen
NAMES=$(echo "$ERR" | sed -n 's/.*expected a workload: //p' | sed 's/,//g; s/ or / /')
same "nineteen are named" 19 "$(echo "$NAMES" | wc -w)"
expect "help" 0 "$ESSE" gen --help
for workload in $NAMES; do has "help tells of $workload" "$OUT" "$workload"; done
expect "an option over a preset" 0 "$ESSE" gen blindw-rw --read-share 1 --ops 2 --keys 7 -q -n 50
same "is taken" 0 "$(echo "$OUT" | grep -c '"w"')"
expect "shapes have no number of operations" 64 "$ESSE" gen twitter --ops 4
has "which is reported" "$ERR" "shapes of their own"
"$ESSE" gen rw-register --txns 300 --certificate -q -o file.jsonl
"$ESSE" gen rw-register --txns 300 --certificate --by-session -q -o sessions.jsonl
expect "by session, another order" 1 cmp -s file.jsonl sessions.jsonl
same "of the same lines" "$(sort file.jsonl)" "$(sort sessions.jsonl)"
same "session after session" "0 1 2 3 4 5 6 7" \
    "$(sed -n 's/^{"session":\([0-9]*\),.*/\1/p' sessions.jsonl | uniq | xargs)"
expect "and as good" 0 "$ESSE" check -q --level strict-serializable sessions.jsonl
"$ESSE" gen list-append --txns 300 --by-session -q -o sessions.edn
expect "in Jepsen's format too" 0 "$ESSE" check -q --level strict-serializable sessions.edn
finish
