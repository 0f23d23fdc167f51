#!/usr/bin/env bash
# esse levels as a user meets it.
set -u
. "$(dirname "$0")/lib.sh"

expect "the lattice" 0 "$ESSE" levels
has "names the strongest" "$OUT" "strict-serializable"
expect "json" 0 "$ESSE" levels --json
check "is json" python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); assert len(d["levels"]) == 37' "$WORK/.out"
expect "dot" 0 "$ESSE" levels --dot
has "is a digraph" "$OUT" "digraph"
expect "svg" 0 "$ESSE" levels --svg -o l.svg
check "is well-formed" xmllint --noout l.svg
check "can be drawn" rsvg-convert -o l.png l.svg
expect "one level" 0 "$ESSE" levels snapshot-isolation
has "says which product ships it" "$OUT" "PostgreSQL: REPEATABLE READ"
for name in PL-3 conflict-serializable causal-consistency prefix-consistency strong-serializable PL-2.99; do
    expect "$name is a name" 0 "$ESSE" levels $name
done
expect "an anomaly" 0 "$ESSE" levels G-single
expect "unknown name" 64 "$ESSE" levels serialisable
has "makes a suggestion" "$ERR" "serializable"
finish
