#!/usr/bin/env bash
# Private servers that esse starts itself, and what it does to them.
# usage: test_spawn.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"

"$ESSE" run --spawn postgresql --txns 300 --out "$WORK/quiet" >"$WORK/out" 2>"$WORK/err"
status=$?
if [ $status -eq 69 ]; then
    skip "--spawn postgresql" "$(cat "$WORK/err"): NOTHING was tested live"
    finish
fi
same "a private PostgreSQL is serializable" 0 $status
has "... and says which it is" "$(cat "$WORK/out")" "postgresql 1"
left() { find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'esse-postgresql-*' -newer "$WORK/quiet/README" 2>/dev/null; }
same "... nothing is left of it" "" "$(left)"
check "... the README starts it again" grep -q '^esse run --spawn postgresql ' "$WORK/quiet/README"

expect "kill -9 and pauses: serializable still holds" 0 \
    "$ESSE" run --spawn postgresql --faults kill,pause --fault-every 1s --duration 6s --out "$WORK/faults"
has "... connections were lost" "$OUT" "connections lost"
has "... and the log was read to its end" "$OUT" "versions from logical decoding"
check "... what was done is recorded" python3 -c '
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert len(lines) >= 4 and len(lines) % 2 == 0
for a, b in zip(lines[::2], lines[1::2]):
    assert a["is"] == "begun" and b["is"] == "ended" and a["fault"] == b["fault"] and a["time"] < b["time"]
' "$WORK/faults/faults.jsonl"
check "... no committed transaction was lost" python3 "$ROOT/tests/live/committed.py" "$WORK/faults"
same "... unknown outcomes are counted" "$(grep -c '"status":"unknown"' "$WORK/faults/history.jsonl")" \
    "$(sed -n '1s/.* \([0-9]*\) unknown.*/\1/p' <<<"$OUT")"
same "... nothing is left of it" "" "$(left)"

expect "weaker isolation shows under faults too" 1 "$ESSE" run --spawn postgresql --faults kill --fault-every 1s \
    --duration 4s -w write-skew -i repeatable-read --level serializable --out "$WORK/skew"

expect "faults need a server of our own" 64 "$ESSE" run sqlite: --faults kill --out "$WORK/none"
expect "an unknown fault" 64 "$ESSE" run --spawn postgresql --faults earthquake --out "$WORK/none"
expect "an unknown server" 64 "$ESSE" run --spawn oracle --out "$WORK/none"
expect "a server and a target" 64 "$ESSE" run sqlite: --spawn postgresql --out "$WORK/none"
ESSE_POSTGRESQL_BIN=/nowhere expect "a server that is not there" 69 "$ESSE" run --spawn postgresql --out "$WORK/none"
same "... leaves nothing behind" "" "$(left)$(ls -d "$WORK/none" 2>/dev/null)"
finish
