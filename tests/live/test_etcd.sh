#!/usr/bin/env bash
# etcd, a private server: what it claims, what a client that does not compare gets, and a crash in the middle.
# usage: test_etcd.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

if ! etcd_start "$WORK"; then
    skip "etcd" "$(tail -n 1 "$WORK"/etcd.log 2>/dev/null) etcd-server cannot be had or started: NOTHING was tested live"
    finish
fi

run() { # name, URL, option...
    run_at "$1" "$2" --sessions 8 "${@:3}"
}

# ---- strict serializable ----
for workload in list-append rw-register write-skew bank; do
    expect "strict-serializable holds ($workload)" 0 run "strict-$workload" "$ETCD_URL" -w $workload --txns 600
    has "... which is what is claimed" "$OUT" "holds strict-serializable"
    has "... the order of versions came from the revisions" "$OUT" "versions from etcd's revisions"
done
check "every committed write is in the log" python3 "$ROOT/tests/live/committed.py" "$WORK/strict-rw-register"
expect "serializable holds, strictly on one node" 0 run stale "$ETCD_URL" -i serializable -w rw-register \
    --level strict-serializable --txns 600

# ---- a client that does not compare ----
expect "blind: strict-serializable is violated" 1 run blind "$ETCD_URL?mode=blind" -w bank --txns 600
has "... updates are lost" "$(found blind)" "lost-update"
expect "read committed holds (rw-register)" 0 run rc-register "$ETCD_URL" -i read-committed -w rw-register --txns 600
expect "read committed holds (list-append)" 0 run rc-list "$ETCD_URL" -i read-committed -w list-append --txns 400
expect "read committed is not serializable" 1 run rc-bank "$ETCD_URL" -i read-committed -w bank --level serializable --txns 600
has "... updates are lost" "$(found rc-bank)" "lost-update"

# ---- manners ----
same "no key is left behind" "" \
    "$(etcd_post kv/range '{"key":"ZXNzZQ==","range_end":"ZXNzZjA="}' | grep -o '"kvs"')"
expect "no server there: status 69" 69 "$ESSE" run "etcd://anna:geheimnis@127.0.0.1:1,127.0.0.1:2" --out "$WORK/away"
has "... the hosts that were tried are named" "$ERR" "127.0.0.1:1: Connection refused; 127.0.0.1:2: Connection refused"
case "$OUT$ERR" in *geheimnis*) fail "... the password is not" "$ERR" ;; *) pass "... the password is not" ;; esac
expect "predicates are not there: status 64" 64 "$ESSE" run "$ETCD_URL" -w predicate
has "... which is reported" "$ERR" "needs predicates, which etcd: does not have"
expect "an unknown parameter: status 64" 64 "$ESSE" run "$ETCD_URL?nonsense=1"
expect "an unknown mode: status 64" 64 "$ESSE" run "$ETCD_URL?mode=nonsense"

# ---- users ----
etcd_post auth/user/add '{"name":"root","password":"geheimnis"}' >/dev/null
etcd_post auth/user/grant '{"user":"root","role":"root"}' >/dev/null
etcd_post auth/role/add '{"name":"root"}' >/dev/null 2>&1
etcd_post auth/user/grant '{"user":"root","role":"root"}' >/dev/null 2>&1
etcd_post auth/enable '{}' >/dev/null
expect "a user and a password" 0 run user "etcd://root:geheimnis@127.0.0.1:$ETCD_PORT" -w rw-register --txns 100
if grep -rqs geheimnis "$WORK/user"; then fail "no secret is saved" "found one"; else pass "no secret is saved"; fi
expect "the wrong password: status 69" 69 "$ESSE" run "etcd://root:falsch12@127.0.0.1:$ETCD_PORT" --out "$WORK/wrong"
case "$OUT$ERR" in *falsch12*) fail "... which is not shown" "$ERR" ;; *) pass "... which is not shown" ;; esac
expect "no user: status 69" 69 "$ESSE" run "$ETCD_URL" --out "$WORK/nobody"
stop_servers

# ---- a crash in the middle ----
rm -rf "$WORK/etcd"
etcd_start "$WORK" || fail "a second server" "did not start"
run crash "$ETCD_URL" --duration 5s -w rw-register >"$WORK/crash.out" 2>&1 &
running=$!
sleep 2
kill -9 "$ETCD_PID"
sleep 0.3
etcd_again "$WORK"
wait $running
same "kill -9: strict-serializable still holds" 0 $?
OUT=$(cat "$WORK/crash.out")
has "... and says so" "$OUT" "holds strict-serializable"
has "... connections were lost and made again" "$OUT" "connections lost"
same "... unknown outcomes are counted" \
    "$(grep -c '"status":"unknown"' "$WORK/crash/history.jsonl")" "$(sed -n 's/.* \([0-9]*\) unknown.*/\1/p' "$WORK/crash.out" | head -n 1)"
check "... no committed transaction was lost" python3 "$ROOT/tests/live/committed.py" "$WORK/crash"
run gone "$ETCD_URL" --duration 20s --patience 1s -w rw-register >"$WORK/gone.out" 2>&1 &
running=$!
sleep 2
kill -9 "$ETCD_PID"
wait $running
same "killed and never back: status 69" 69 $?
has "... which is reported" "$(cat "$WORK/gone.out")" "the database is gone"
check "... what was recorded can be checked" "$ESSE" check --level strict-serializable "$WORK/gone/history.jsonl"
finish
