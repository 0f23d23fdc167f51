#!/usr/bin/env bash
# A private Galera cluster that esse starts itself, and what it does to its nodes.
# usage: test_spawn_galera.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/spawning.sh"

quiet galera -i snapshot-isolation --faults kill,partition --fault-every 1s --duration 6s
has "... and says which it is" "$(cat "$WORK/out")" "galera 4"
has "... the log was read to its end" "$(cat "$WORK/out")" "versions from the binary log"
OUT=$(cat "$WORK/out")
after_faults galera "$WORK/quiet"

expect "pauses and restarts, transactions going round the nodes: snapshot isolation still holds" 0 \
    spawned 'galera?spread=transactions' -i snapshot-isolation --faults pause,restart --fault-every 1s \
    --duration 10s --out "$WORK/round"
after_faults galera "$WORK/round"
# A fault waits until the node of the one before has rejoined.
check "... a node came back, since another fault came" grep -q '"fault":"pause".*"start"' "$WORK/round/history.jsonl"
check "... one was restarted" grep -q '"fault":"restart".*"end"' "$WORK/round/history.jsonl"
expect "... a session that goes round the nodes misses its own writes" 1 "$ESSE" check --certificate \
    "$WORK/round/certificate.jsonl" --level strong-session-snapshot-isolation "$WORK/round/history.jsonl"
has "... by its name" "$OUT" "G-single-item-process"
check "... the README repeats it" grep -q -- "--spawn 'galera?spread=transactions' --faults pause,restart" \
    "$WORK/round/README"
expect "what its URL may not say" 64 spawned 'galera?colour=red' --out "$WORK/none"
finish
