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
expect "the table of anomalies" 0 "$ESSE" gen --anomaly help
has "names them" "$OUT" "G-single-realtime"
expect "unknown anomaly" 64 "$ESSE" gen rw-register --anomaly G7
expect "an anomaly that needs another workload" 64 "$ESSE" gen rw-register --anomaly duplicate-elements
has "names the workload" "$ERR" "list-append"
expect "unknown workload" 64 "$ESSE" gen bank
expect "unknown level" 64 "$ESSE" gen rw-register --level eventual
expect "shares are between 0 and 1" 64 "$ESSE" gen rw-register --read-share 2
expect "a folder that is not there" 74 "$ESSE" gen rw-register -o nowhere/x.jsonl
expect "a full disk" 74 "$ESSE" gen rw-register --txns 100k -q -o /dev/full
expect "planted at a place" 0 "$ESSE" gen rw-register --txns 100 --anomaly G1a@90% -o late.jsonl
has "which is told" "$ERR" "planted G1a after 90 transactions"
finish
