#!/usr/bin/env bash
# esse check as a user meets it: exit statuses, what is printed where, compressed and piped input.
set -u
. "$(dirname "$0")/lib.sh"

"$ESSE" gen list-append --txns 200 -q -o clean.jsonl
"$ESSE" gen list-append --txns 200 -q --anomaly G1a -o faulty.jsonl
json() { python3 -c "import json,sys; d=json.load(sys.stdin); print($1)"; }

expect "a clean history holds" 0 "$ESSE" check clean.jsonl
has "and says by what" "$OUT" "order"
same "nothing else is said on stderr" "" "$ERR"
"$ESSE" gen predicate --txns 50 -q -o rows.jsonl
expect "predicates are replayed" 0 "$ESSE" check rows.jsonl
expect "what nothing decides is unknown" 2 "$ESSE" check -l view-serializable,cursor-stability \
    <(printf '%s\n' '{"session":0,"ops":[{"r":"x","v":1},{"w":"y","v":1}]}' \
        '{"session":1,"ops":[{"w":"x","v":1},{"r":"y","v":null}]}' \
        '{"session":2,"ops":[{"r":"y","v":1},{"w":"x","v":2}]}' \
        '{"session":0,"ops":[{"r":"x","v":2},{"r":"x","v":1}]}')
has "the reason is given" "$OUT" "no engine decides it for a history of this kind"
printf '%s\n' '{"session":0,"ops":[{"w":"x","v":5}]}' \
    '{"session":0,"status":"aborted","ops":[{"d":"x"}]}' \
    '{"session":0,"ops":[{"r":"x","v":null}]}' >undone.jsonl
expect "what an aborted delete left may not be read" 1 "$ESSE" check undone.jsonl
expect "an aborted read is a violation" 1 "$ESSE" check faulty.jsonl
has "the verdict comes first" "$(echo "$OUT" | head -n 1)" "faulty.jsonl: violated strict-serializable"
has "the anomaly is named" "$OUT" "G1a"
has "the aborted writer is shown" "$OUT" "and then aborted"
expect "several levels: the worst counts" 1 "$ESSE" check -l read-uncommitted,serializable faulty.jsonl
has "each level has a line" "$OUT" "violated serializable"
expect "several histories: the worst counts" 1 "$ESSE" check clean.jsonl faulty.jsonl
has "both are reported" "$OUT" "clean.jsonl: holds"
expect "an error is worse than a violation" 65 "$ESSE" check faulty.jsonl "$ROOT/tests/parse/native_not_json.jsonl"

expect "json" 1 "$ESSE" check --json faulty.jsonl
same "one object" '["G1a"]' "$(echo "$OUT" | json 'json.dumps(d["anomaly_types"])')"
same "the evidence was rechecked" "anomaly True" "$(echo "$OUT" | json 'd["results"][0]["evidence"]["kind"], d["results"][0]["evidence"]["rechecked"]' | tr -d "(),'")"
same "what is ruled out" "read-committed" "$(echo "$OUT" | json '" ".join(d["not"])')"
same "the history is described" "native list-append" "$(echo "$OUT" | json 'd["history"]["format"] + " " + d["history"]["workload"]')"
same "the format of design.md: keys" "True" "$(echo "$OUT" | json 'all(k in d["history"] for k in ["path","format","sessions","transactions","committed","aborted","unknown","operations","keys"])')"
same "the same bytes every time" "$("$ESSE" check --json faulty.jsonl | sed 's/"seconds":[0-9.]*//')" "$("$ESSE" check --json faulty.jsonl | sed 's/"seconds":[0-9.]*//')"

gzip -k faulty.jsonl && zstd -q faulty.jsonl
expect "gzip is undone" 1 "$ESSE" check faulty.jsonl.gz
expect "zstd is undone" 1 "$ESSE" check faulty.jsonl.zst
expect "standard input" 1 sh -c "'$ESSE' check - <faulty.jsonl"
expect "gzip on standard input" 1 sh -c "'$ESSE' check - <faulty.jsonl.gz"
expect "a slow pipe" 1 sh -c "(head -c 1; sleep 0.1; cat) <faulty.jsonl.zst | '$ESSE' check -"
cat faulty.jsonl.gz faulty.jsonl.gz >two.gz
head -c 700 faulty.jsonl.gz >cut.gz
expect "cut off gzip" 65 "$ESSE" check cut.gz
has "says so" "$ERR" "ends too early"
head -c 500 faulty.jsonl.zst >cut.zst
expect "cut off zstd" 65 "$ESSE" check cut.zst
printf '\037\213garbage' >bad.gz
expect "damaged gzip" 65 "$ESSE" check bad.gz
: >empty.jsonl
expect "an empty file is an empty history, in which nothing was tested" 2 "$ESSE" check empty.jsonl
has "and that is said" "$OUT" "because nothing was committed, so nothing was tested"
same "no level holds by that" "" "$("$ESSE" check -l all --json empty.jsonl | json '" ".join(d["strongest"] + [r["level"] for r in d["results"] if r["verdict"] != "unknown"])')"
has "with what to do" "$OUT" "  what you can do: find out why transactions were refused"
expect "nor by a stream" 2 "$ESSE" check --stream -l serializable empty.jsonl
printf '{:type :info, :f :start, :process :nemesis}\n' >nemesis.edn
printf '{"session":0,"status":"aborted","ops":[{"w":"x","v":1}]}\n' >aborted.jsonl
printf '{"session":0,"status":"unknown","ops":[{"w":"x","v":1}]}\n' >unknown.jsonl
for kind in nemesis.edn aborted.jsonl unknown.jsonl; do
    expect "nothing was committed: $kind" 2 "$ESSE" check -q $kind
    has "and that is said: $kind" "$OUT" "because nothing was committed, so nothing was tested"
done
printf '{"session":0,"ops":[{"w":"x","v":1}]}\n' >one.jsonl
expect "one commit is enough" 0 "$ESSE" check one.jsonl
has "by nothing" "$OUT" "tested by nothing: no committed transaction read anything"
printf '{"session":1,"start":1,"end":4,"ops":[{"w":"x","v":1}]}\n{"session":2,"start":3,"end":6,"ops":[{"r":"x","v":1}]}\n{"session":2,"start":7,"end":8,"ops":[{"r":"x","v":1}]}\n' >contended.jsonl
expect "by how much a level holds" 0 "$ESSE" check contended.jsonl
has "is reported" "$OUT" "tested by only 1 contended read of 2"
same "and in JSON" "{'reads': 2, 'contended_reads': 1, 'by': 'time'}" "$("$ESSE" check --json contended.jsonl | json 'd["tested"]')"
expect "unless more are asked for" 2 "$ESSE" check --min-committed 2 one.jsonl
has "and that is said" "$OUT" "because only 1 transaction was committed, and at least 2 were asked for"
expect "or none" 0 "$ESSE" check --min-committed 0 empty.jsonl
expect "what is violated is so with few commits too" 1 "$ESSE" check --min-committed 10k faulty.jsonl
expect "unknown passes where only violated fails" 0 "$ESSE" check --fail-on violated --engine scan -l serializable clean.jsonl
has "and is said to be unknown" "$OUT" "unknown serializable"
has "with what to do" "$OUT" "  what you can do: leave --engine out"
has "and in JSON" "$("$ESSE" check --json --engine scan -l serializable clean.jsonl)" '"remedy":"leave --engine out'
expect "a budget that is spent" 2 "$ESSE" check -q -l serializable --memory 1 clean.jsonl
has "is unknown, with what to do" "$OUT" "  what you can do: give it more memory (--memory)"
expect "it fails otherwise" 2 "$ESSE" check --fail-on unknown --engine scan -l serializable clean.jsonl
expect "what tested nothing fails even so" 2 "$ESSE" check --fail-on violated empty.jsonl
expect "violated fails" 1 "$ESSE" check --fail-on violated faulty.jsonl
expect "there is nothing else to fail on" 64 "$ESSE" check --fail-on never clean.jsonl

expect "no such file" 74 "$ESSE" check nowhere.jsonl
has "names the file and the reason" "$ERR" "nowhere.jsonl: cannot open: No such file"
expect "a folder is not a history" 74 "$ESSE" check .
expect "unknown level" 64 "$ESSE" check -l serialisable clean.jsonl
has "makes a suggestion" "$ERR" "did you mean 'serializable'"
expect "unknown engine" 64 "$ESSE" check --engine warp clean.jsonl
expect "unknown option" 64 "$ESSE" check --levle x clean.jsonl
expect "missing value" 64 "$ESSE" check --level
expect "bad duration" 64 "$ESSE" check --budget soon clean.jsonl
expect "no operand" 64 "$ESSE" check
expect "unknown command" 64 "$ESSE" chekc
expect "unknown format" 64 "$ESSE" check --format xml clean.jsonl
expect "help" 0 "$ESSE" check --help
has "help shows options" "$OUT" "--budget"
expect "help of all" 0 "$ESSE" --help
expect "version" 0 "$ESSE" --version
expect "no command" 64 "$ESSE"

expect "another workload is refused" 65 "$ESSE" check --workload rw-register clean.jsonl
has "with a hint which it is" "$ERR" "looks like list-append"

"$ESSE" gen list-append --txns $((200000 / SHARE)) -q -o large.jsonl
expect "a time budget ends in unknown" 2 "$ESSE" check --budget 1ms large.jsonl
has "and says that time ran out" "$OUT" "time"
expect "as json too" 2 "$ESSE" check --json --budget 1ms large.jsonl
same "with the verdict unknown" "unknown" "$(echo "$OUT" | json 'd["results"][0]["verdict"]')"
expect "a memory budget ends in unknown" 2 "$ESSE" check --memory 2M large.jsonl
has "and says that memory ran out" "$OUT" "memory"
(yes '{"session":0,"ops":[{"r":"x","v":null}]}' | "$ESSE" check - >int.out 2>&1; echo $? >int.status) &
sleep 1
pkill -INT -P $! esse || pkill -INT -f "$ESSE check -$"
wait
same "Ctrl-C ends in unknown" "2" "$(cat int.status)"
has "and says that it was interrupted" "$(cat int.out)" "interrupted"
expect "writing to a full disk is reported" 74 sh -c "'$ESSE' check --json faulty.jsonl >/dev/full"

for anomaly in G1a G1b internal future-read garbage-read lost-update duplicate-elements \
    incompatible-order dirty-update; do
    "$ESSE" gen list-append --txns 300 --seed 5 -q --anomaly "$anomaly" -o planted.jsonl
    has "planted $anomaly is found in lists" "$("$ESSE" check --json planted.jsonl | json 'd["anomaly_types"]')" "'$anomaly'"
done
for anomaly in G1a G1b internal future-read garbage-read lost-update; do
    "$ESSE" gen rw-register --txns 300 --seed 5 -q --anomaly "$anomaly" -o planted.jsonl
    has "planted $anomaly is found in registers" "$("$ESSE" check --json planted.jsonl | json 'd["anomaly_types"]')" "'$anomaly'"
done
for level in read-uncommitted read-committed snapshot-isolation serializable strict-serializable; do
    for workload in list-append rw-register predicate; do
        is_in_share || continue
        "$ESSE" gen $workload --level $level --txns 2000 --keys 10 --seed 9 --abort-share 0.05 \
            --crash-share 0.05 -q -o sound.jsonl
        "$ESSE" check -q -b 10s -l $level sound.jsonl >sound.out
        [ $? -ne 1 ] && pass "a $workload history made at $level is not refuted there" ||
            fail "a $workload history made at $level is not refuted there" "$(cat sound.out)"
    done
done
for anomaly in G0 G1c G-single G-nonadjacent G2-item G1c-process G-single-process G-nonadjacent-process \
    G2-item-process G0-realtime G1c-realtime G-single-realtime G2-item-realtime; do
    "$ESSE" gen list-append --txns 300 --seed 5 -q --anomaly "$anomaly" -o planted.jsonl
    name=$(echo "$anomaly" | sed 's/^\(G-single\|G-nonadjacent\)\(.*\)/\1-item\2/')
    same "planted $anomaly is found in lists, alone" "['$name']" "$("$ESSE" check --json planted.jsonl | json 'd["anomaly_types"]')"
done
for level in snapshot-isolation serializable strict-serializable; do
    "$ESSE" gen list-append --level $level --txns 2000 --keys 10 --seed 3 -q -o proved.jsonl
    expect "a list history made at $level is proved to hold there" 0 "$ESSE" check -l $level proved.jsonl
done
expect "the whole lattice" 1 "$ESSE" check --json -l all faulty.jsonl
same "has a verdict for each level" "37" "$(echo "$OUT" | json 'len(d["results"])')"
printf '\xef\xbb\xbf{"esse":"history","version":1}\n{"session":1,"ops":[{"w":"x","v":1}]}\n' >marked.jsonl
expect "a byte order mark is passed over" 0 "$ESSE" check marked.jsonl
"$ESSE" gen rw-register --txns 50 -q --anomaly duplicate-write -o twice.edn
has "a repeated value is reported, though it rules out nothing" "$("$ESSE" check --json twice.edn | json '[a["type"] for a in d["also_found"]]')" "duplicate-write"
# An order that is given for a list knows of appends that were not read: no read shows it then.
cat >lists.jsonl <<'E'
{"session":0,"txn":"one","ops":[{"a":"l","v":1}]}
{"session":1,"txn":"two","ops":[{"a":"l","v":2},{"r":"x","v":5}]}
{"session":2,"txn":"three","ops":[{"a":"l","v":3},{"w":"x","v":5}]}
{"session":3,"txn":"reader","ops":[{"r":"l","v":[1]}]}
{"version_order":{"l":[1,2,3]}}
E
expect "a given order of a list gives cycles that stand the recheck" 1 "$ESSE" check lists.jsonl --level serializable
has "... and says where the order comes from" "$OUT" "by the version order that was given"


# A directory with a history among other files: a run's, a Jepsen store.
mkdir store && printf 'some words\n' >store/jepsen.log
printf '{:type :ok, :process 0, :f :txn, :value [[:append :x 1]]}\n' >store/history.edn
expect "a Jepsen store" 0 "$ESSE" check -q -l serializable store
"$ESSE" gen rw-register -n 20 -q -o store/history.jsonl
has "a run's history comes first" "$("$ESSE" stats -q store)" "store: native"
gzip store/history.jsonl
has "packed too" "$("$ESSE" stats -q store)" "store: native"
rm store/history.jsonl.gz && echo '{' >store/history.edn
expect "what is wrong in it" 65 "$ESSE" check -q store
has "is reported by its name" "$ERR" "history.edn: "

# Names.
echo '{"session":0,"ops":[{"w":"x","v":1}]}' >names.jsonl
expect "levels as peers name them" 0 "$ESSE" check -l SI,RC,TCC,READ_ATOMICITY,SSER names.jsonl
has "are reported by their own names" "$OUT" "holds strict-serializable"
has "and which was taken" "$ERR" "level 'RC': taken as read-committed (Adya's PL-2); what AWDIT, Plume"
expect "in any case, quietly" 0 "$ESSE" check -q -l Causal names.jsonl
same "without a word" "" "$ERR"
expect "a mistyped command" 64 "$ESSE" chekc names.jsonl
has "is guessed" "$ERR" "did you mean 'check'?"
expect "a mistyped option" 64 "$ESSE" check --levle serializable names.jsonl
has "is guessed as well" "$ERR" "unknown option '--levle'; did you mean '--level'?"
expect "a mistyped anomaly" 64 "$ESSE" check -a G-singel names.jsonl
has "is guessed, too" "$ERR" "did you mean 'G-single'?"
expect "a budget of nothing" 64 "$ESSE" check -b 0 names.jsonl
has "is none" "$ERR" "--budget: found '0', expected a duration above 0"

# Other checkers' histories, and files that were cut off.
printf '{:type :ok, :process 0, :f :read, :value {0 5}}\n{:type :ok, :process 0, :f :transfer, :value {:from 0}}\n' >bank.edn
expect "a bank history" 65 "$ESSE" check bank.edn
has "belongs to another command" "$ERR" "'esse classic bank' checks transfers"
"$ESSE" gen list-append -n 2000 -q -o whole.jsonl
head -c 100000 whole.jsonl >cut.jsonl
expect "a file that was cut off" 65 "$ESSE" check -q cut.jsonl
expect "is salvaged" 0 "$ESSE" check -l serializable --salvage cut.jsonl
has "which is reported" "$ERR" "1 unfinished line at the end was left out (--salvage)"
gzip -c whole.jsonl | head -c 20000 >cut.jsonl.gz
expect "packed, it is refused" 65 "$ESSE" check -q cut.jsonl.gz
expect "or salvaged" 0 "$ESSE" check -l serializable --salvage cut.jsonl.gz
expect "what is whole" 0 "$ESSE" check -l serializable --salvage whole.jsonl
same "stays so" "" "$ERR"
# ---- many levels are a table ----
printf '%s\n' '{"session":0,"ops":[{"w":"x","v":1}]}' '{"session":1,"ops":[{"r":"x","v":1},{"w":"x","v":2}]}' \
    '{"session":2,"ops":[{"r":"x","v":1},{"w":"x","v":3}]}' >"$WORK/table.jsonl"
expect "all levels" 1 "$ESSE" check -l all "$WORK/table.jsonl"
has "... are counted" "$OUT" "$WORK/table.jsonl: 37 levels: "
check "... a row says what rules a level out" grep -qE '^  snapshot-isolation +violated +lost-update$' <<<"$OUT"
check "... or what proves it" grep -qE '^  read-committed +holds +an order of 3 transactions$' <<<"$OUT"
check "... or why it is unknown, once for all" grep -qE '^  1SR +unknown +\[1\]$' <<<"$OUT"
same "... below" 1 "$(grep -c '^  \[1\] because ' <<<"$OUT")"
same "... a level has one row" 37 "$(grep -cE '^  [a-zA-Z0-9-]+ +(holds|violated|unknown) ' <<<"$OUT")"
finish
