#!/usr/bin/env bash
# Redis, a private server: with WATCH and without, and a crash in the middle.
# usage: test_redis.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

if ! redis_start "$WORK" --appendonly yes --appendfsync always; then
    skip "Redis" "$(tail -n 1 "$WORK"/redis.log 2>/dev/null) redis-server cannot be had or started: NOTHING was tested live"
    finish
fi

run() { # name, URL, option...
    run_at "$1" "$2" --sessions 8 "${@:3}"
}

# ---- with WATCH ----
for workload in list-append rw-register write-skew bank; do
    expect "serializable holds ($workload)" 0 run "watch-$workload" "$REDIS_URL" -w $workload --txns 2000
    has "... which is what is claimed" "$OUT" "holds serializable"
done
expect "it is strict, too" 0 run strict "$REDIS_URL" -w rw-register --level strict-serializable --txns 2000

# ---- without ----
expect "without WATCH: read committed holds (rw-register)" 0 run rc-register "$REDIS_URL" -i read-committed -w rw-register --txns 2000
expect "without WATCH: read committed holds (list-append)" 0 run rc-list "$REDIS_URL" -i read-committed -w list-append --txns 2000
expect "without WATCH: not serializable" 1 run rc-bank "$REDIS_URL" -i read-committed -w bank --level serializable --txns 2000
has "... updates are lost" "$(found rc-bank)" "lost-update"

# ---- manners ----
same "no key is left behind" 0 "$(redis DBSIZE)"
redis SET esse:strange 1 >/dev/null
redis -n 3 SET mine 1 >/dev/null
expect "another database" 0 run three "$REDIS_URL/3" --txns 50
same "... and what is others' stays" "1 1" "$(redis GET esse:strange) $(redis -n 3 GET mine)"
expect "no server there: status 69" 69 "$ESSE" run "redis://:geheimnis@127.0.0.1:1" --out "$WORK/away"
has "... the hosts that were tried are named" "$ERR" "127.0.0.1:1: Connection refused"
case "$OUT$ERR" in *geheimnis*) fail "... the password is not" "$ERR" ;; *) pass "... the password is not" ;; esac
expect "predicates are not there: status 64" 64 "$ESSE" run "$REDIS_URL" -w predicate
has "... which is reported" "$ERR" "needs predicates, which redis: does not have"
expect "an unknown parameter: status 64" 64 "$ESSE" run "$REDIS_URL?nonsense=1"
expect "a database that is no number: status 64" 64 "$ESSE" run "$REDIS_URL/x"
redis CONFIG SET requirepass geheimnis >/dev/null
expect "a password" 0 run password "redis://:geheimnis@127.0.0.1:$REDIS_PORT/0" --txns 100
if grep -rqs geheimnis "$WORK/password"; then fail "no secret is saved" "found one"; else pass "no secret is saved"; fi
REDISCLI_AUTH=geheimnis expect "REDISCLI_AUTH is honoured" 0 run environment "$REDIS_URL" --txns 100
expect "the wrong password: status 69" 69 "$ESSE" run "redis://:falsch12@127.0.0.1:$REDIS_PORT/0" --out "$WORK/wrong"
case "$OUT$ERR" in *falsch12*) fail "... which is not shown" "$ERR" ;; *) pass "... which is not shown" ;; esac
redis -a geheimnis --no-auth-warning CONFIG SET requirepass "" >/dev/null

# ---- a crash in the middle ----
run crash "$REDIS_URL" --duration 4s -w rw-register >"$WORK/crash.out" 2>&1 &
running=$!
sleep 1.5
kill -9 "$REDIS_PID"
sleep 0.3
redis_again "$WORK"
wait $running
same "kill -9, with its log on disk: serializable still holds" 0 $?
OUT=$(cat "$WORK/crash.out")
has "... and says so" "$OUT" "holds serializable"
has "... connections were lost and made again" "$OUT" "connections lost"
same "... unknown outcomes are counted" \
    "$(grep -c '"status":"unknown"' "$WORK/crash/history.jsonl")" "$(sed -n 's/.* \([0-9]*\) unknown.*/\1/p' "$WORK/crash.out" | head -n 1)"
run gone "$REDIS_URL" --duration 20s --patience 1s -w rw-register >"$WORK/gone.out" 2>&1 &
running=$!
sleep 1.5
kill -9 "$REDIS_PID"
wait $running
same "killed and never back: status 69" 69 $?
has "... which is reported" "$(cat "$WORK/gone.out")" "the database is gone"
check "... what was recorded can be checked" "$ESSE" check --level serializable "$WORK/gone/history.jsonl"

# ---- a server that does not know AUTH, and repeats what it was sent ----
redis_start "$WORK/without" --rename-command AUTH ""
REDISCLI_AUTH=falsch12 expect "AUTH is refused: status 69" 69 "$ESSE" run "$REDIS_URL" --out "$WORK/unknown"
has "... what it says is reported" "$ERR" "unknown command"
case "$OUT$ERR" in *falsch12*) fail "... but the password" "$ERR" ;; *) pass "... but the password" ;; esac
finish
