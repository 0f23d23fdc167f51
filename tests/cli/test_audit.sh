#!/usr/bin/env bash
# esse audit: verdicts, the line of a wrong answer, JSON, exit statuses, what is refused.
set -u
. "$(dirname "$0")/lib.sh"

SCHEMA='{"esse":"log","version":1}
{"schema":["CREATE TABLE a (id int PRIMARY KEY, b int)"]}
{"table":"a","rows":[[1,100]]}'
right="$SCHEMA"'
{"session":1,"txn":"t1","sql":[{"q":"UPDATE a SET b = b - 10 WHERE id = 1","count":1}]}
{"session":2,"txn":"t2","sql":[{"q":"SELECT b FROM a","rows":[[90]]}]}'
printf '%s\n' "$right" > "$WORK/right.jsonl"
printf '%s\n' "${right/90/95}" > "$WORK/wrong.jsonl"

expect "right answers hold" 0 "$ESSE" audit "$WORK/right.jsonl"
has "the strongest level is named" "$OUT" "holds: strict-serializable"
expect "a wrong answer is violated" 1 "$ESSE" audit --level S,RC "$WORK/wrong.jsonl"
has "its line is named" "$OUT" "wrong.jsonl:5, transaction t2, statement 1"
has "and what is wrong" "$OUT" "wrong-rows"
has "what was returned" "$OUT" "returned                           95"
has "and what is right" "$OUT" "the newest state it may see gives  90"
expect "JSON has the same" 1 "$ESSE" audit --json --level RC "$WORK/wrong.jsonl"
has "the line is in JSON" "$OUT" '"transaction":"t2","line":5,"statement":1'
stale="$SCHEMA"'
{"session":1,"txn":"t1","start":1,"end":2,"sql":["UPDATE a SET b = 0 WHERE id = 1"]}
{"session":2,"txn":"t2","start":3,"end":4,"sql":[{"q":"SELECT b FROM a","rows":[[100]]}]}'
printf '%s\n' "$stale" > "$WORK/stale.jsonl"
expect "a stale read is violated with real time" 1 "$ESSE" audit --level SSI "$WORK/stale.jsonl"
has "and shown" "$OUT" "the newest state it may see gives  0"
expect "an order that does not explain it" 1 "$ESSE" audit --level S --order-by end "$WORK/stale.jsonl"
has "... is asked without it" "$OUT" "in another order: holds"
expect "an order that is not there is refused" 65 "$ESSE" audit --order-by commit_ts "$WORK/right.jsonl"
has "and named" "$ERR" "no transaction of the log has a commit_ts"
expect "an unknown level is refused" 64 "$ESSE" audit --level rr "$WORK/right.jsonl"
printf '%s\n{"session":1,"sql":["SELECT rank() OVER () FROM a"]}\n' "$SCHEMA" > "$WORK/window.jsonl"
expect "what is not supported is refused" 65 "$ESSE" audit "$WORK/window.jsonl"
has "with line, statement and byte" "$ERR" "window.jsonl:4: statement 1, byte 8: "
echo '{"session":1,"ops":[]}' > "$WORK/history.jsonl"
expect "a history is refused" 65 "$ESSE" audit "$WORK/history.jsonl"
has "and check is named" "$ERR" "check reads histories"
finish
