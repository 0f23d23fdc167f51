#!/usr/bin/env bash
# esse classic as a user meets it: exit statuses, what is printed where, options, the wrong checker.
set -u
. "$(dirname "$0")/lib.sh"

json() { python3 -c "import json,sys; d=json.load(sys.stdin); print($1)"; }

cat >bank.edn <<'END'
{:type :invoke, :process 0, :f :read, :time 1000000000}
{:type :ok, :process 0, :f :read, :value {0 10, 1 0}, :time 1100000000}
{:type :info, :process :nemesis, :f :start}
{:type :invoke, :process 1, :f :transfer, :value {:from 0, :to 1, :amount 3}}
{:type :ok, :process 1, :f :transfer, :value {:from 0, :to 1, :amount 3}}
{:type :invoke, :process 0, :f :read, :time 2000000000}
{:type :ok, :process 0, :f :read, :value {0 7, 1 5}, :time 2250000000}
END
cat >good.edn <<'END'
[{:type :invoke, :process 0, :f :add, :value 0}, {:type :ok, :process 0, :f :add, :value 0}
 {:type :invoke, :process 0, :f :read}, {:type :ok, :process 0, :f :read, :value #{0}}]
END
cat >lost.edn <<'END'
{:type :invoke, :process 0, :f :add, :value 0}
{:type :ok, :process 0, :f :add, :value 0}
{:type :invoke, :process 0, :f :read}
{:type :ok, :process 0, :f :read, :value []}
END
head -n 2 lost.edn >unread.edn
cat >late.json <<'END'
[{"type":"invoke","process":0,"f":"add","value":5}, {"type":"ok","process":0,"f":"add","value":5},
 {"type":"invoke","process":1,"f":"read"}, {"type":"ok","process":1,"f":"read","value":[]},
 {"type":"invoke","process":1,"f":"read"}, {"type":"ok","process":1,"f":"read","value":[5]}]
END

expect "a wrong total is invalid" 1 "$ESSE" classic bank bank.edn
same "the verdict comes first" "bank.edn: invalid bank" "$(echo "$OUT" | head -n 1)"
has "the total is reported" "$OUT" "the total is 12 instead of 10"
has "the read is shown with line, process and time" "$OUT" "line 7, process 0, at 2.250 s: :ok :read {0 7, 1 5}"
has "what was skipped is said on stderr" "$ERR" "warning: 1 operations of non-client processes were skipped (first on line 3)"
expect "quiet" 1 "$ESSE" classic bank --quiet bank.edn
same "says nothing on stderr" "" "$ERR"
expect "a given total" 1 "$ESSE" classic bank -q --total 12 bank.edn
has "counts instead of the first read's" "$OUT" "the total is 10 instead of 12"
expect "an account too few" 1 "$ESSE" classic bank -q --accounts 0 bank.edn
has "is unexpected" "$OUT" "account 1 is not one of the bank's"

expect "valid" 0 "$ESSE" classic set good.edn
expect "lost" 1 "$ESSE" classic set lost.edn
has "the process that acknowledged it" "$OUT" "line 2, process 0: :ok :add 0  (acknowledged it)"
expect "never read" 2 "$ESSE" classic set unread.edn
has "the reason is given" "$OUT" "because the set was never read"
expect "several histories: the worst counts" 1 "$ESSE" classic set good.edn unread.edn lost.edn
same "each has a verdict" "3" "$(echo "$OUT" | grep -c '^[a-z]*\.edn: ')"
expect "an error is worse" 65 "$ESSE" classic set -q lost.edn bank.edn
expect "late, and that is fine" 0 "$ESSE" classic set-full late.json
expect "late, and that is wrong" 1 "$ESSE" classic set-full --linearizable late.json
has "the stale element" "$OUT" "element 5 is stale"

expect "json" 1 "$ESSE" classic bank -q --json bank.edn
same "facts under Jepsen's names" "1 2 12" "$(echo "$OUT" | json '" ".join(str(x) for x in [d["result"]["error-count"], d["result"]["read-count"], d["result"]["errors"]["wrong-total"]["worst"]["total"]])')"
same "the history is described" "jepsen-edn 6 invalid" "$(echo "$OUT" | json 'd["history"]["format"], d["history"]["operations"], d["verdict"]' | tr -d "(),'")"
same "one line a history" "2" "$("$ESSE" classic set --json good.edn unread.edn | wc -l)"
same "unknown has a reason" "the set was never read" "$("$ESSE" classic set --json unread.edn | json 'd["result"]["reason"]')"

cat >keys.edn <<'END'
{:type :invoke, :process 0, :f :add, :value [:a 1]}
{:type :ok, :process 0, :f :add, :value [:a 1]}
{:type :invoke, :process 0, :f :read, :value [:b nil]}
{:type :ok, :process 0, :f :read, :value [:b 1]}
END
expect "independent keys" 1 "$ESSE" classic counter --independent keys.edn
has "are reported one by one" "$OUT" "keys.edn: invalid counter, key :b"
same "and as json" "b" "$("$ESSE" classic counter -i --json keys.edn | json '" ".join(d["result"]["failures"])')"

expect "standard input" 1 sh -c "'$ESSE' classic set - <lost.edn"
gzip -k lost.edn
expect "gzip is undone" 1 "$ESSE" classic set lost.edn.gz
: >empty.edn
printf '{:type :info, :f :start, :process :nemesis}\n' >nemesis.edn
for checker in bank set set-full counter long-fork comments sequential; do
    for kind in empty nemesis; do
        expect "nothing was committed: $checker, $kind" 2 "$ESSE" classic -q $checker $kind.edn
        has "and that is said: $checker, $kind" "$OUT" "because nothing was committed, so nothing was tested"
    done
done
printf '{:type :invoke, :process 0, :f :transfer, :value {:from 0, :to 1, :amount 1}}\n{:type :fail, :process 0, :f :transfer, :value {:from 0, :to 1, :amount 1}}\n' >failed.edn
expect "all failed" 2 "$ESSE" classic bank failed.edn
has "is nothing committed" "$OUT" "because nothing was committed, so nothing was tested"
sed 's/:fail/:ok/' failed.edn >unread-bank.edn
expect "a bank that was never read" 2 "$ESSE" classic bank unread-bank.edn
has "and that is said" "$OUT" "because nothing was read, so nothing was tested"
has "with what to do" "$OUT" "  what you can do: let more operations succeed, reads among them"
expect "also for CI" 2 "$ESSE" classic --fail-on violated bank unread-bank.edn
expect "few operations" 2 "$ESSE" classic --min-committed 10k set good.edn
has "are reported" "$OUT" "were acknowledged, and at least 10000 were asked for"

expect "the wrong checker" 65 "$ESSE" classic set -q bank.edn
has "says what it looks like" "$ERR" "bank.edn:1:1: found no :add operations, which set checks; this looks like bank (esse classic bank)"
"$ESSE" gen list-append --txns 5 -q -o txns.jsonl
expect "transactions" 65 "$ESSE" classic set txns.jsonl
has "are for esse check" "$ERR" "which 'esse check' checks"
printf '{:type :ok, :f :add, :value 1}\n{:type :ok, :f }\n' >broken.edn
expect "malformed" 65 "$ESSE" classic set broken.edn
has "with its place" "$ERR" "broken.edn:2:16: found '}', expected a value for the map's last key"

expect "unknown checker" 64 "$ESSE" classic sets good.edn
has "lists the known ones" "$ERR" "known are bank, set, set-full, counter, long-fork, comments and sequential"
expect "an option of another checker" 64 "$ESSE" classic set --total 5 good.edn
has "is named" "$ERR" "--total is not an option of set"
expect "bad total" 64 "$ESSE" classic bank --total much bank.edn
expect "unknown format" 64 "$ESSE" classic set --format native good.edn
expect "no history" 64 "$ESSE" classic set
expect "no such file" 74 "$ESSE" classic set nowhere.edn
expect "help" 0 "$ESSE" classic --help
has "help lists the checkers" "$OUT" "long-fork: single writes"
finish
