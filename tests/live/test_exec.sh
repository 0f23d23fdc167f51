#!/usr/bin/env bash
# Random statements and routines: does `esse sql` say what PostgreSQL says?
# usage: test_exec.sh ESSE [STATEMENTS [SEED]]
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

export LC_ALL=C.UTF-8 # texts are ordered as bytes, and are UTF-8
if ! postgresql_start "$WORK"; then
    skip "statements on PostgreSQL" "PostgreSQL cannot be had or started: NOTHING was tested live"
    finish
fi
agree() { # what, options...
    check "$1 return on PostgreSQL what they return here" python3 "$ROOT/tests/live/exec_random.py" "$ESSE" postgresql \
        "$PG_DATA" "$PG_PORT" "${@:2}"
}
agree statements --statements "${2:-2000}" --seed "${3:-1}"
agree constraints --statements "${2:-2000}" --seed "${3:-1}" --constraints
agree "procedures and functions" --statements "${2:-2000}" --seed "${3:-1}" --routines
finish
