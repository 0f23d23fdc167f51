#!/usr/bin/env bash
# A private etcd that esse starts itself, one node or three, and what it does to them.
# usage: test_spawn_etcd.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/spawning.sh"

quiet etcd --txns 300
as_nobody etcd --nodes 3 --txns 100

expect "one node, all that can happen: strict-serializable still holds" 0 spawned etcd -w rw-register \
    --faults kill,pause,partition,restart --fault-every 0.5s --duration 5s --out "$WORK/one"
after_faults etcd "$WORK/one"
expect "three nodes: strict-serializable still holds" 0 spawned etcd --nodes 3 -w rw-register \
    --faults kill,pause,partition,restart --fault-every 0.5s --duration 6s --out "$WORK/three"
after_faults etcd "$WORK/three"
check "... the node is reported" grep -q '^{"fault":.*"node":[012],"start"' "$WORK/three/history.jsonl"
expect "a node that is cut off answers serializable reads from what it has" 1 spawned etcd --nodes 3 -i serializable \
    --level strict-serializable -w rw-register --ops 1 --keys 3 --read-share 0.9 --sessions 12 \
    --faults partition --fault-every 1s --duration 4s --out "$WORK/stale"
has "... by its name" "$OUT" "G-single-item-realtime"
check "... the same history is serializable" "$ESSE" check --level serializable \
    --certificate "$WORK/stale/certificate.jsonl" "$WORK/stale/history.jsonl"
check "... the README repeats it" grep -q -- '--spawn etcd --nodes 3 --faults partition --fault-every 1s' "$WORK/stale/README"
finish
