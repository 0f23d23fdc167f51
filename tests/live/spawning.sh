# Sourced by tests/live/test_spawn*.sh: what holds of every private server that esse starts itself.

spawned() { # server, options...: a run of it
    timeout -s KILL 120 "$ESSE" run --spawn "$@"
}

# Servers live in a directory of the test's own, which the users that run them may enter, so that what is left of
# them is distinguished from what other tests are at.
chmod a+rx "$WORK"
install -d -m 1777 "$WORK/servers"
export TMPDIR=$WORK/servers
left() { # server
    find "$TMPDIR" -mindepth 1 -maxdepth 1 -name "esse-$1-*"
}

# A quiet run; skips the whole test if the server is not installed.
quiet() { # server, options...
    local server=$1 status
    spawned "$@" --out "$WORK/quiet" >"$WORK/out" 2>"$WORK/err"
    status=$?
    if [ $status -eq 69 ]; then
        skip "--spawn $server" "$(cat "$WORK/err"): NOTHING was tested live"
        finish
        exit
    fi
    same "--spawn $server: what it claims holds" 0 $status
    same "... nothing is left of it" "" "$(left "$server")"
    check "... the README starts it again" grep -q "^esse run --spawn $server " "$WORK/quiet/README"
    check "... and asks for no password" grep -q "^The run again:$" "$WORK/quiet/README"
}

# The crash handler removes a server's directory when the server has died with esse.
is_removed() { # server
    local i
    for ((i = 0; i < 200; i++)); do
        [ -z "$(left "$1")" ] && return 0
        sleep 0.1
    done
    return 1
}

# After a run with faults: they are in the history and shown with the verdict, and nothing that was committed is lost.
after_faults() { # server, run directory
    check "... what was done is recorded" python3 -c '
import json, sys
begun, ended = [], 0
for line in open(sys.argv[1]):
    if not line.startswith("{\"fault\""):
        continue
    fault = json.loads(line)
    if "start" in fault:
        begun.append(fault)
    else:
        last = begun[-1]
        assert last["fault"] == fault["fault"] and last.get("node") == fault.get("node")
        assert last["start"] < fault["end"]
        ended += 1
assert begun and ended == len(begun)
' "$2/history.jsonl"
    has "... and kept with the verdict" "$(cat "$2/verdict.txt")" "recorded under faults: "
    same "... and said once" 1 "$(grep -c '\(kill\|pause\|partition\|restart\) .*from [0-9]' <<<"$OUT")"
    check "... no committed transaction was lost" python3 "$ROOT/tests/live/committed.py" "$2"
    same "... unknown outcomes are counted" "$(grep -c '"status":"unknown"' "$2/history.jsonl")" \
        "$(sed -n '1s/.* \([0-9]*\) unknown.*/\1/p' <<<"$OUT")"
    same "... nothing is left of it" "" "$(left "$1")"
}

# Root hands a server over to a user; any other account runs it as itself.
as_nobody() { # server, options...
    [ "$(id -u)" -eq 0 ] || return 0
    install -d -o nobody -m 755 "$WORK/nobody" && chmod a+rx "$WORK" && install -m 755 "$ESSE" "$WORK/esse"
    expect "as an ordinary user" 0 timeout -s KILL 120 setpriv --reuid=nobody --clear-groups "$WORK/esse" \
        run --spawn "$@" --out "$WORK/nobody/run"
    same "... nothing is left of it" "" "$(left "$1")"
}
