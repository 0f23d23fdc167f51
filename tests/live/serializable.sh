# Sourced by tests of PostgreSQL: runs that must be serializable, but for the race between two commits that a loaded
# machine shows now and then (docs/live.md).  That is reported, and is no failure of Esse's.

was_serializable() { # name, run directory, its exit status; $OUT and $ERR are what it said
    local race
    if [ "$3" -eq 0 ]; then
        pass "$1"
    elif [ "$3" -eq 1 ] && race=$(python3 "$ROOT/tests/live/commit_race.py" "$2"); then
        pass "$1: but for a race of PostgreSQL's: $race"
    else
        fail "$1" "exit $3: $OUT $ERR"
    fi
}

serializable() { # name, run directory, command...
    local name=$1 folder=$2 status
    shift 2
    "$@" >"$WORK/.out" 2>"$WORK/.err"
    status=$?
    OUT=$(cat "$WORK/.out") ERR=$(cat "$WORK/.err")
    was_serializable "$name" "$folder" $status
}
