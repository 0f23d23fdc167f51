#!/usr/bin/env bash
# A private PostgreSQL that esse starts itself, and what it does to it.
# usage: test_spawn.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/spawning.sh"
. "$ROOT/tests/live/serializable.sh"

quiet postgresql --txns 300
has "... and says which it is" "$(cat "$WORK/out")" "postgresql 1"
as_nobody postgresql --txns 100

serializable "kill -9 and pauses: serializable still holds" "$WORK/faults" spawned postgresql --faults kill,pause --fault-every 1s \
    --duration 5s --out "$WORK/faults"
has "... connections were lost" "$OUT" "connections lost"
has "... and the log was read to its end" "$OUT" "versions from logical decoding"
after_faults postgresql "$WORK/faults"
serializable "kill -9 while predicates run: serializable still holds" "$WORK/rows" spawned postgresql -w predicate --faults kill \
    --fault-every 1s --duration 4s --out "$WORK/rows"
after_faults postgresql "$WORK/rows"
serializable "restarts in good order" "$WORK/restart" spawned postgresql --faults restart --fault-every 1s --duration 3s --out "$WORK/restart"
after_faults postgresql "$WORK/restart"
serializable "cut off from its clients" "$WORK/cut" spawned postgresql --faults partition --fault-every 1s --duration 3s --out "$WORK/cut"
has "... which is reported" "$OUT" "  faults: partition from "
after_faults postgresql "$WORK/cut"
expect "over before anything happened" 0 spawned postgresql --faults kill,restart --fault-every 60s --txns 50 --out "$WORK/soon"
has "... which is reported too" "$OUT" "  faults: no kill, no restart"
expect "weaker isolation shows under faults too" 1 spawned postgresql --faults kill --fault-every 1s \
    --duration 4s -w write-skew -i repeatable-read --level serializable --out "$WORK/skew"

expect "faults need a server of our own" 64 "$ESSE" run sqlite: --faults kill --out "$WORK/none"
expect "nodes need one too" 64 "$ESSE" run sqlite: --nodes 3 --out "$WORK/none"
expect "an unknown fault" 64 spawned postgresql --faults earthquake --out "$WORK/none"
has "... and those that there are" "$ERR" "kill, pause, partition and restart"
expect "an unknown server" 64 spawned oracle --out "$WORK/none"
has "... and those that there are" "$ERR" "postgresql, mariadb, galera and etcd"
expect "a server and a target" 64 "$ESSE" run sqlite: --spawn postgresql --out "$WORK/none"
expect "more nodes than it can have" 64 spawned postgresql --nodes 3 --out "$WORK/none"
ESSE_POSTGRESQL_BIN=/nowhere expect "a server that is not there" 69 spawned postgresql --out "$WORK/none"
same "... leaves nothing behind" "" "$(left postgresql)$(ls -d "$WORK/none" 2>/dev/null)"
mkdir "$WORK/bin"
printf '#!/bin/sh\nwhile [ "$1" != -D ]; do shift; done; mkdir -p "$2"\n' >"$WORK/bin/initdb"
printf '#!/bin/sh\necho "LOG:  hello"; echo "FATAL:  no luck today"; echo "LOG:  bye"; exit 1\n' >"$WORK/bin/postgres"
chmod -R a+rx "$WORK/bin"
ESSE_POSTGRESQL_BIN=$WORK/bin expect "a server that does not come up" 69 spawned postgresql --out "$WORK/none"
has "... is reported in its own words" "$ERR" "cannot be started: FATAL:  no luck today"
same "... and leaves nothing behind" "" "$(left postgresql)$(ls -d "$WORK/none" 2>/dev/null)"

"$ESSE" collect --spawn postgresql --faults pause --fault-every 0.5s --duration 60s --out "$WORK/killed" >/dev/null 2>&1 &
esse=$!
for _ in $(seq 150); do
    grep -qs '"fault":"pause","end"' "$WORK/killed/history.jsonl" && break
    sleep 0.2
done
check "the server's directory is there while it runs" test -n "$(left postgresql)"
kill -9 $esse
wait $esse 2>/dev/null
check "... and goes after a kill -9 of esse" is_removed postgresql
expect "a history whose recorder was killed can be read" 0 "$ESSE" stats "$WORK/killed/history.jsonl"
has "... and has the faults" "$OUT" ": pause from "
finish
