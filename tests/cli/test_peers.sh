#!/usr/bin/env bash
# The formats of the research tools: plume, awdit, dbcop, cobra.
set -u
. "$(dirname "$0")/lib.sh"

# A register history that all of them can hold; what they say of it must be the same.
"$ESSE" gen rw-register --txns 400 --sessions 4 --no-times --drop-aborted -q -o gen.txt
counts() { # sessions, transactions, operations and keys
    "$ESSE" stats -q "$1" | sed -n '2,6p'
}
expected=$(counts gen.txt)
has "gen writes Plume by the name" "$("$ESSE" stats -q gen.txt)" "gen.txt: plume, rw-register"

expect "plume to native" 0 "$ESSE" convert gen.txt h.jsonl
expect "and back" 0 "$ESSE" convert h.jsonl back.txt
check "byte for byte" cmp gen.txt back.txt
gzip -c gen.txt >packed && expect "plume, gzip" 0 "$ESSE" stats -q packed
zstd -q -f gen.txt -o packed && expect "plume, zstd" 0 "$ESSE" stats -q packed
expect "plume from standard input" 0 "$ESSE" convert - again.txt <gen.txt
check "the same" cmp gen.txt again.txt

expect "DBCop has no ids of transactions" 65 "$ESSE" convert gen.txt h.bincode
has "and says so" "$ERR" "cannot hold transaction ids; --lossy drops it"
same "and leaves no file" "" "$(ls h.bincode* 2>/dev/null)"
expect "plume to DBCop" 0 "$ESSE" convert --lossy gen.txt h.bincode
same "the same counts" "$expected" "$(counts h.bincode)"
expect "DBCop to DBCop" 0 "$ESSE" convert h.bincode h2.bincode
check "DBCop byte for byte" cmp h.bincode h2.bincode
mkdir dbcop && cp h.bincode dbcop/history.bincode
has "a directory with history.bincode" "$("$ESSE" stats -q dbcop)" "dbcop: dbcop, rw-register"
zstd -q -f h.bincode -o packed && expect "DBCop, zstd" 0 "$ESSE" stats -q packed
same "DBCop, packed: the same counts" "$expected" "$(counts packed)"

expect "plume to Cobra" 0 "$ESSE" convert --to cobra gen.txt logs
same "one log a session" "T0.log T1.log T2.log T3.log" "$(cd logs && echo *)"
same "Cobra: the same counts" "$expected" "$(counts logs)"
expect "Cobra to Cobra" 0 "$ESSE" convert --to cobra logs logs2/
check "Cobra byte for byte" diff -r logs logs2
expect "a directory that holds something stays" 74 "$ESSE" convert --to cobra gen.txt logs2
same "and nothing is left beside it" "logs logs2" "$(echo logs*)"
expect "Cobra is no stream" 64 "$ESSE" convert --to cobra gen.txt -
gzip -c logs/T1.log >packed.log && mv packed.log logs2/T1.log
same "a log may be compressed" "$expected" "$(counts logs2)"
expect "one log alone" 0 "$ESSE" stats -q logs/T0.log
has "is its session" "$OUT" "sessions      1,"

mkdir nothing
expect "a directory without a history" 74 "$ESSE" check nothing
has "what was expected" "$ERR" "nothing: a directory without a history; expected history.jsonl, history.edn, *.log (Cobra) or history.bincode"
printf 'S12345678?' >nothing/T5.log
expect "a damaged log" 65 "$ESSE" check nothing
same "is named" "esse: nothing: T5.log: byte 9: found '?', expected a record: S, W, R or C" "$ERR"
expect "unknown formats" 64 "$ESSE" stats --format excel gen.txt
has "are answered with the known ones" "$ERR" "known are log, trace, native, elle-json, jepsen-edn, plume, awdit, dbcop and cobra"
expect "formats that can only be read" 64 "$ESSE" convert --to awdit gen.txt x
has "are answered with what can be written" "$ERR" "native, jepsen-edn, plume, dbcop and cobra are"

# The same anomaly in every format.
cat >g1a.txt <<'END'
w(1,1,0,1)
w(1,2,0,-1)
r(1,2,1,2)
END
printf 'w 0 0\n=====\nr 0 0\nw 0 1\n-----\nr 0 5\n' >garbage.txt
expect "an aborted read in Plume's text" 1 "$ESSE" check -q --level read-committed g1a.txt
has "is G1a" "$OUT" "G1a"
"$ESSE" convert --lossy g1a.txt g1a.bincode
expect "in DBCop" 1 "$ESSE" check -q --level read-committed g1a.bincode
has "is G1a in DBCop" "$OUT" "G1a"
"$ESSE" convert --lossy --to cobra g1a.txt g1a
expect "in Cobra's logs" 1 "$ESSE" check -q --level read-committed g1a
has "is G1a in Cobra's logs" "$OUT" "G1a"
expect "a value that no transaction wrote, in AWDIT's text" 1 "$ESSE" check -q --level read-committed garbage.txt
has "is a garbage read" "$OUT" "garbage-read"

# A write skew over registers that a first transaction set to 0: 0 is a value like any other.
cat >skew.txt <<'END'
w(1,0,0,1)
w(2,0,0,1)
r(1,0,1,2)
r(2,0,1,2)
w(1,1,1,2)
r(1,0,2,3)
r(2,0,2,3)
w(2,1,2,3)
END
expect "a write skew after writes of 0" 1 "$ESSE" check -q --level serializable skew.txt
expect "which snapshot isolation allows" 0 "$ESSE" check -q --level snapshot-isolation skew.txt
"$ESSE" convert --to cobra skew.txt skew
expect "the same in Cobra's logs" 1 "$ESSE" check -q --level serializable skew
"$ESSE" convert skew.txt skew.jsonl && sed -i 's/"txn":"[0-9]*",//' skew.jsonl
expect "but not in DBCop's, where 0 may be initial" 65 "$ESSE" convert skew.jsonl skew.bincode
has "which it says" "$ERR" "cannot hold a read of the value 0 that is not the initial version's"

# Two clients that count their writes alike, and then the same without ids.
be() { # LETTER NUMBER...: a record of Cobra's logs
    printf '%s' "$1"
    shift
    local n
    for n in "$@"; do printf "$(printf '%016x' "$n" | sed 's/../\\x&/g')"; done
}
mkdir lost noids
{ be S 1; be R 0xbebeebee 0xbebeebee 7 0; be W 5 7 1; be C 1; } >lost/T0.log
{ be S 2; be R 0xbebeebee 0xbebeebee 7 0; be W 5 7 1; be C 2; } >lost/T1.log
{ be S 3; be R 1 5 7 1; be C 3; be S 4; be R 2 5 7 1; be C 4; } >lost/T2.log
expect "a lost update among equal write ids" 1 "$ESSE" check -q --level snapshot-isolation lost
none=0xabddefee
{ be S 1; be R 0xbebeebee 0xbebeebee 7 0; be W $none 7 1; be C 1; } >noids/T0.log
{ be S 2; be R 0xbebeebee 0xbebeebee 7 0; be W $none 7 2; be C 2; } >noids/T1.log
expect "a lost update in logs without ids" 1 "$ESSE" check -q --level snapshot-isolation noids
finish
