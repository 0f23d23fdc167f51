#!/usr/bin/env bash
# etcd, three nodes: what a follower answers from what it has.
# usage: test_etcd_cluster.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

if ! etcd_cluster_start "$WORK"; then
    skip "etcd, three nodes" "$(tail -n 1 "$WORK"/etcd.log 2>/dev/null) etcd-server cannot be had or started: NOTHING was tested live"
    finish
fi

run() { # name, option...
    run_at "$1" "$ETCD_URL" --sessions 12 "${@:2}"
}
registers=(-w rw-register --ops 2 --keys 3 --read-share 0.7)

expect "strict-serializable holds (rw-register)" 0 run strict "${registers[@]}" --txns 600
expect "strict-serializable holds (list-append)" 0 run lists -w list-append --txns 600
check "... every committed write is in the log" python3 "$ROOT/tests/live/committed.py" "$WORK/lists"
expect "serializable reads are stale: strict-serializable is violated" 1 run stale -i serializable "${registers[@]}" \
    --level strict-serializable --txns 3000
has "... by its name" "$(found stale)" "G-single-item-realtime"
check "... the same history is serializable" "$ESSE" check --level serializable \
    --certificate "$WORK/stale/certificate.jsonl" "$WORK/stale/history.jsonl"

kill -9 "${SERVERS[2]}"
expect "a node that is away: the others do" 0 run away "${registers[@]}" --txns 300
finish
