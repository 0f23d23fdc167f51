#!/usr/bin/env bash
# What esse explore finds, played on real servers: is it real, and is serializable enough?
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT
EXAMPLES=$ROOT/examples/explore

# The answers to the broken claims of a program, one a line: played SERVER[/LEVEL] LEVELS PROGRAM
played() {
    "$ESSE" explore -q --json --level "$2" --confirm "$1" "$EXAMPLES/$3" | python3 -c '
import json, sys
for result in json.load(sys.stdin)["results"]:
    for broken in result["broken"]:
        print(broken["confirmed"]["answer"])'
}

lacks() { # name, text, what it must not have
    case $2 in *"$3"*) fail "$1" "it has '$3': $2" ;; *) pass "$1" ;; esac
}

can_have() { # SERVER
    "$ESSE" explore -q --count --level si --confirm "$1" "$EXAMPLES/on-call.tx" >/dev/null 2>&1
    [ $? -le 2 ]
}

for server in postgresql mariadb; do
    if ! can_have $server; then
        skip "executions on $server" "$server cannot be had or started: NOTHING was tested live"
        continue
    fi
    same "on $server: write skew of doctors on call at repeatable read" confirmed \
        "$(played $server si on-call.tx)"
    same "on $server: a lost update at read committed" confirmed "$(played $server rc bank.tx)"
    same "on $server: no lost update at repeatable read" refused "$(played $server/si rc bank.tx)"
    same "on $server: in SQL, too" confirmed "$(played $server rc bank.sql)"
    same "on $server: nor of the doctors at serializable" refused "$(played $server/ser si on-call.tx)"
    # A server for each program: MariaDB takes some seconds to start.
    [ $server = mariadb ] && [ "${ESSE_ROUNDS:-1}" -eq 1 ] && continue
    for name in courseware.sql seats.sql unique-name.sql tpcc.tx; do
        lacks "on $server: $name is not broken at serializable" \
            "$(played $server/ser rc,si "$name")" "confirmed"
    done
    check "on $server: the table of what it did is current" \
        "$ROOT/tools/explore-examples" "$ESSE" "$ROOT" --check --confirm $server
done
expect "no such server" 64 "$ESSE" explore -l si --confirm oracle "$EXAMPLES/on-call.tx"
expect "no such level" 64 "$ESSE" explore -l si --confirm postgresql/strict "$EXAMPLES/on-call.tx"

# ---- the isolation tester takes the spec ----
TESTER=/usr/lib/postgresql/15/lib/pgxs/src/test/isolation/isolationtester
if [ ! -x $TESTER ] || ! postgresql_start "$WORK"; then
    skip "a spec for the isolation tester" "PostgreSQL's isolation tester cannot be had or started"
    finish
fi
for name in on-call.sql seats.sql bank.tx; do
    "$ESSE" explore -q --count --repro again.sql "$EXAMPLES/$name" >/dev/null
    expect "the isolation tester runs $name" 0 \
        "$TESTER" "host=127.0.0.1 port=$PG_PORT user=postgres dbname=postgres" <again.sql.spec
    lacks "without an error" "$OUT$ERR" "ERROR"
done
finish
