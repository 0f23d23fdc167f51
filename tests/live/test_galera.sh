#!/usr/bin/env bash
# Galera, three nodes: what a node does not know yet, and what serializable is worth between nodes.
# usage: test_galera.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

if ! galera_start "$WORK"; then
    skip "Galera" "$(tail -n 1 "$WORK"/galera.log 2>/dev/null) galera-4, mariadb-server or rsync cannot be had or started: NOTHING was tested live"
    finish
fi
URL=galera://root@$GALERA_HOSTS/esse
SPREAD="$URL?spread=transactions"

run() { # name, URL, option...
    run_at "$1" "$2" --sessions 8 --txns 1500 "${@:3}"
}

# ---- stale reads ----
expect "a session that goes round the nodes misses its own writes" 1 run stale "$SPREAD" -w list-append \
    -i snapshot-isolation --level strong-session-snapshot-isolation
has "... by its name" "$(found stale)" "G-single-item-process"
has "... which is explained" "$OUT" "in session"
has "... which server it was" "$OUT" "galera 4"
has "... the order of versions came from one node's log" "$OUT" "versions from the binary log"
check "... every committed write is in it" python3 "$ROOT/tests/live/committed.py" "$WORK/stale"
check "... the same history is snapshot isolated" "$ESSE" check --level snapshot-isolation \
    --certificate "$WORK/stale/certificate.jsonl" "$WORK/stale/history.jsonl"
expect "a session that stays on its node does not" 0 run stays "$URL" -w list-append \
    -i snapshot-isolation --level strong-session-snapshot-isolation
expect "... but another one's writes come late" 1 run late "$URL" -w list-append \
    -i snapshot-isolation --level strong-snapshot-isolation
has "... by its name" "$(found late)" "G-single-item-realtime"
expect "deletes are known in every node's log" 0 run predicate "$SPREAD" -w predicate -i snapshot-isolation \
    --level read-uncommitted --txns 800

# ---- what is asked for, what is claimed, what is given ----
expect "serializable is not serializable between nodes" 1 run serializable "$URL" -w rw-register --keys 30 --level serializable
has "... write skew" "$(found serializable)" "G2-item"
expect "repeatable read is not what its name says" 1 run repeatable "$URL" -w list-append -i repeatable-read
has "... an update does not see what it overwrites" "$(found repeatable)" "G-single"
expect "read committed holds" 0 run committed "$SPREAD" -w list-append -i read-committed

# ---- reads that wait for what was committed ----
for node in 0 1 2; do galera $node 'set global wsrep_sync_wait = 7'; done
expect "wsrep_sync_wait: a session that goes round sees its own writes" 0 run waits "$SPREAD" -w list-append \
    -i snapshot-isolation --level strong-session-snapshot-isolation

# ---- manners ----
same "no table is left behind" "0" "$(galera 2 "select count(*) from information_schema.tables where table_name like 'esse\_%'")"
expect "an unknown way to spread: status 64" 64 "$ESSE" run "$URL?spread=nonsense"
kill -9 "${GALERA_PIDS[1]}"
expect "a node that is away: the others do" 0 run away "$SPREAD" -w rw-register -i snapshot-isolation --txns 300
stop_servers
mariadb_start "$WORK" && expect "a server on its own is no cluster: status 69" 69 \
    "$ESSE" run "galera://root@127.0.0.1:$MARIA_PORT/esse" --out "$WORK/alone"
finish
