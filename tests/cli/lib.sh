# Sourced by tests/cli/test_*.sh.  $1 of the script is the program under test.
ESSE=$1
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 70
passed=0 failed=0 skipped=0
# A sanitizer's build does one of so many cases where they are alike; the release build does them all.
SHARE=${ESSE_SHARE:-1}
cases=0

pass() {
    passed=$((passed + 1))
    echo "ok $1"
}

fail() { # name, detail
    failed=$((failed + 1))
    echo "not ok $1: ${2:-}"
}

# Is the next of many cases of one kind in the share?  In turn, so that every kind of loop meets all of its words.
is_in_share() {
    cases=$((cases + 1))
    [ $((cases % SHARE)) -eq 0 ]
}

skip() { # name, reason
    skipped=$((skipped + 1))
    echo "skip $1: $2"
}

# check NAME COMMAND...: passes if the command succeeds.
check() {
    local name=$1
    shift
    if "$@" >"$WORK/.check-out" 2>"$WORK/.check-err"; then pass "$name"; else
        fail "$name" "exit $? from: $* $(head -c 400 "$WORK/.check-out") $(head -c 400 "$WORK/.check-err")"
    fi
}

# expect NAME STATUS COMMAND...: passes if the command exits with this status; keeps its output in
# $OUT and $ERR.
expect() {
    local name=$1 status=$2 got
    shift 2
    "$@" >"$WORK/.out" 2>"$WORK/.err"
    got=$?
    OUT=$(cat "$WORK/.out") ERR=$(cat "$WORK/.err")
    if [ $got -eq "$status" ]; then pass "$name"; else
        fail "$name" "exit $got instead of $status from: $* $(head -c 400 "$WORK/.err") ${OUT:0:400}"
    fi
}

# same NAME EXPECTED GOT
same() {
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected '$2', got '$3'"; fi
}

# has NAME TEXT PART: passes if the text contains the part.
has() {
    case "$2" in *"$3"*) pass "$1" ;; *) fail "$1" "'$3' is not in '$(echo "$2" | head -c 400)'" ;; esac
}

finish() {
    if [ $skipped -gt 0 ]; then
        echo "$passed passed, $failed failed, $skipped skipped"
    else
        echo "$passed passed, $failed failed"
    fi
    [ $failed -eq 0 ]
    exit
}
