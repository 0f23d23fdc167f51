#!/usr/bin/env bash
# --threads changes the time and nothing else: verdicts, evidence and errors are the same bytes.
# The histories are large enough for seven threads to get work (16384 accesses each).  Under
# sanitizers, which are slow, there are fewer levels and numbers of threads.
set -u
. "$(dirname "$0")/lib.sh"

levels=all counts="2 3 7" txns=15000
[ "$SHARE" -gt 1 ] && levels=strict-serializable,causal counts=3 txns=7000

gen() { "$ESSE" gen "$@" --txns $txns --ops 8 -q; }
gen rw-register -o registers.jsonl
gen rw-register --level read-committed --keys 50 -o skewed.jsonl
gen rw-register --anomaly fractured-read,lost-update --abort-share 0.1 --crash-share 0.1 -o broken.jsonl
gen list-append -o lists.jsonl
gen list-append --level snapshot-isolation --keys 20 -o lists-skewed.jsonl
gen list-append --anomaly G1a,G-single -o lists-broken.jsonl
gen rw-register --certificate --server-times -o certified.jsonl

# All that esse check has to say about a history on so many threads: status, answer and evidence.
say() { # history, threads
    rm -f why.json
    "$ESSE" check --level $levels --json --evidence why.json --threads "$2" "$1" >answer.json 2>errors.txt
    echo "$1: exit $?"
    cat errors.txt
    sed -E 's/"seconds":[0-9.e+-]+//g' answer.json why.json
}

for history in *.jsonl; do
    say "$history" 1 >alone
    case $history in *broken* | *skewed*) outcome=1 ;; *) outcome=0 ;; esac
    has "$history is decided" "$(head -n 1 alone)" "exit $outcome"
    for threads in $counts; do
        say "$history" $threads >together
        check "$history: the same on $threads threads" cmp alone together
    done
done
# Weak levels alone, of files that stand by session: these are traced, not grouped by key.
levels=axiomatic-read-committed,read-atomic,causal-consistency
gen rw-register --by-session --no-times --drop-aborted --keys 1000 -o sessions.jsonl
gen rw-register --by-session --no-times --drop-aborted --keys 1000 --anomaly fractured-read -o sessions-broken.jsonl
for history in sessions.jsonl sessions-broken.jsonl; do
    say "$history" 1 >alone
    case $history in *broken*) outcome=1 ;; *) outcome=0 ;; esac
    has "$history is decided" "$(head -n 1 alone)" "exit $outcome"
    for threads in $counts; do
        say "$history" $threads >together
        check "$history: the same on $threads threads" cmp alone together
    done
done

# Programs: threads share the tree of what each transaction does.
for program in tpcc.tx seats.sql on-call.sql; do
    "$ESSE" explore -q --level rc,si --threads 1 "$ROOT/examples/explore/$program" | sed 's/, [0-9.]* s$//' >alone
    for threads in $counts; do
        "$ESSE" explore -q --level rc,si --threads "$threads" "$ROOT/examples/explore/$program" | sed 's/, [0-9.]* s$//' >together
        check "$program: the same on $threads threads" cmp alone together
    done
done

say broken.jsonl 0 >together
say broken.jsonl 1 >alone
check "0 is the default, and the same" cmp alone together

# Reading: what is decompressed ahead, up to where it breaks.
mv lists.jsonl long.jsonl
{ head -c 1000000 registers.jsonl && echo '{"session":'; } >torn.jsonl
gzip -k long.jsonl torn.jsonl
zstd -q long.jsonl torn.jsonl
half() { head -c $(($(stat -c %s "$1") / 2)) "$1"; }
half long.jsonl.gz >cut.jsonl.gz
{ half long.jsonl.zst && cat long.jsonl; } >damaged.jsonl.zst
say long.jsonl 1 | sed 's/long.jsonl[.a-z]*/H/' >alone
for history in long.jsonl.gz long.jsonl.zst; do
    say $history 2 | sed 's/long.jsonl[.a-z]*/H/' >together
    check "$history is read ahead" cmp alone together
done
for history in torn.jsonl.gz torn.jsonl.zst cut.jsonl.gz damaged.jsonl.zst; do
    expect "$history is refused" 65 "$ESSE" check --threads 1 $history
    alone=$ERR
    expect "$history is refused on two threads" 65 "$ESSE" check --threads 2 $history
    same "$history: with the same words" "$alone" "$ERR"
done

# Reading and building at the same time: what is read is the same, and where it is wrong, the words.
sed 's/$/\r/' registers.jsonl | head -c -2 >crlf.jsonl
say crlf.jsonl 1 >alone
say crlf.jsonl 2 >together
check "with CRLF and no last newline" cmp alone together
say long.jsonl.gz 1 >alone
say long.jsonl.gz 3 >together
check "decompressing, reading and building" cmp alone together

bad=("$ROOT"/tests/parse/native_*.jsonl)
[ "$SHARE" -gt 1 ] && bad=("$ROOT"/tests/parse/native_{duplicate_txn,truncated_string}.jsonl)
tail -n +2 registers.jsonl | head -c 600000 | sed '$d' >before.jsonl
differ=
for file in "${bad[@]}"; do
    { cat before.jsonl "$file" && echo && echo '{"session":' && cat before.jsonl; } >wrong.jsonl
    for threads in 1 2 3; do
        "$ESSE" check --threads $threads wrong.jsonl >said.$threads 2>&1
        echo "exit $?" >>said.$threads
        cmp -s said.1 said.$threads || differ="$differ $(basename "$file")"
    done
    grep -q 'exit 65' said.1 || differ="$differ $(basename "$file")"
done
same "wrong lines after many: the same words" "" "$differ"
expect "gzip from a pipe" 0 sh -c "cat long.jsonl.gz | '$ESSE' check -l read-atomic --threads 2 -"
expect "the budget stops all of them" 2 "$ESSE" check -l causal --budget 1ms --threads 3 long.jsonl
expect "a number is wanted" 64 "$ESSE" check --threads many registers.jsonl
has "and it is said where" "$ERR" "--threads"

# ---- sessions on several threads, and the thread that writes down what they saw ----
for target in memory: sqlite:; do
    expect "$target on three threads" 0 "$ESSE" run $target --threads 3 --sessions 9 --txns 1500 --level serializable --out run
    has "... all are recorded" "$(wc -l <run/history.jsonl)" "1501"
    rm -rf run
done

finish
