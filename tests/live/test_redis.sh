#!/usr/bin/env bash
# Redis, a private server: WATCH, MULTI and EXEC are serializable.
# usage: test_redis.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

if ! redis_start "$WORK"; then
    skip "Redis" "redis-server cannot be had or started: NOTHING was tested live"
    finish
fi
for workload in list-append rw-register write-skew bank; do
    expect "serializable holds ($workload)" 0 timeout -s KILL 120 "$ESSE" run "$REDIS_URL" -w $workload --txns 3000 --out "$WORK/$workload"
done
has "... conflicts were refused by EXEC" "$OUT" "a watched key was changed"
expect "Redis has no predicates: status 64" 64 "$ESSE" run "$REDIS_URL" -w predicate --out "$WORK/predicate"
same "nothing is left behind" "0" "$(redis-cli -p "$REDIS_PORT" dbsize | tr -dc 0-9)"
expect "nobody there: status 69" 69 "$ESSE" run "redis://:geheimnis@127.0.0.1:1" --out "$WORK/away"
case "$OUT$ERR" in *geheimnis*) fail "... the password is not told" "$ERR" ;; *) pass "... the password is not told" ;; esac
redis-cli -p "$REDIS_PORT" config set requirepass geheimnis >/dev/null
expect "a wrong password: status 69" 69 "$ESSE" run "redis://:falsch@127.0.0.1:$REDIS_PORT" --out "$WORK/wrong"
expect "the right one" 0 "$ESSE" run "redis://:geheimnis@127.0.0.1:$REDIS_PORT" --txns 200 --out "$WORK/right"
if grep -rqs geheimnis "$WORK/right"; then fail "no secret is saved" "found one"; else pass "no secret is saved"; fi
finish
