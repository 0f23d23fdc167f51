#!/usr/bin/env bash
# PostgreSQL 10, 11 and 12, from packages of npm, and a bug that 12.3 had.
# usage: test_postgresql_versions.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
. "$ROOT/tests/live/serializable.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT
chmod a+rx "$WORK"

run() { # name, option...
    run_at "$1" "$PG_URL" "${@:2}"
}

# Starts a version, or counts a skip.
version() { # version of the package, line of its settings...
    local directory=$WORK/$1
    if postgresql_package "$1" "$directory" 2>"$WORK/why" && postgresql_start "$directory" "${@:2}" 2>"$WORK/why"; then
        return 0
    fi
    skip "PostgreSQL $1" "$(tail -n 1 "$WORK/why") NOTHING of it was tested"
    return 1
}

if version 10.20.0-beta.6; then
    serializable "10: serializable holds" "$WORK/10" run 10 --txns 1000
    has "... it is 10" "$OUT" "postgresql 10.20"
    has "... the order of versions came from the log" "$OUT" "versions from logical decoding"
    check "... every committed write is in it" python3 "$ROOT/tests/live/committed.py" "$WORK/10"
    serializable "10: predicates too" "$WORK/10-pred" run 10-pred -w predicate --txns 500
    same "... by snapshots" postgresql-snapshots "$(kind 10-pred)"
    expect "10: read committed is not snapshot isolation" 1 run 10-rc -i read-committed -l snapshot-isolation --txns 2000
    serializable "10: transactions of one's own" "$WORK/10-own" run 10-own -w "sql:$ROOT/examples/on-call.sql" --txns 500
fi
stop_servers

# As it comes: its log tells no order of versions.
if version 11.15.0-beta.6 "wal_level = replica"; then
    serializable "11: serializable holds, without a certificate" "$WORK/11" run 11 --txns 1000
    has "... and why there is none is reported" "$OUT" "no order of versions: the server's wal_level is replica"
    expect "11: repeatable read is not serializable" 1 run 11-rr -i repeatable-read -l serializable --txns 2000
    has "... write skew was found" "$(found 11-rr)" "G2-item"
fi
stop_servers

if version 12.10.0-beta.6; then
    serializable "12: serializable holds" "$WORK/12" run 12 --txns 1000
    has "... the order of versions came from the log" "$OUT" "versions from logical decoding"
    serializable "12: shadow transactions agree" "$WORK/12-shadow" run_at 12-shadow "$PG_URL?verify=snapshots" -w predicate --txns 300
    has "... and were asked" "$OUT" "verified by shadow transactions"
    stop_servers

    # The bug of 12.3, with everything as it comes: a plain command of three seconds finds it.  Three are tried, since a
    # machine may be busy.
    mkdir -p "$WORK/undone" && chmod a+rx "$WORK/undone"
    if python3 "$ROOT/tests/live/undo_fix.py" "$PG_BIN/postgres" 2>"$WORK/why" &&
        postgresql_start "$WORK/undone" "wal_level = replica" 2>"$WORK/why"; then
        for try in 1 2 3; do
            run "undone-$try" --isolation serializable --seed $try >"$WORK/undone.out" 2>&1
            status=$?
            [ $status -eq 0 ] || break
        done
        same "12 with a fix undone, as 12.3 was: serializable is violated" 1 $status
        has "... by G2-item" "$(found "undone-$try")" "G2-item"
    else
        skip "12 with a fix undone" "$(tail -n 1 "$WORK/why")"
    fi
fi
finish
