#!/usr/bin/env bash
# Orders that are believed: replayed, explained where they fail, as files and as streams.
set -u
. "$(dirname "$0")/lib.sh"

cat >a.jsonl <<'END'
{"session":0,"txn":"a","start_ts":1,"commit_ts":1,"ops":[{"w":"x","v":1}]}
{"session":1,"txn":"b","start_ts":2,"commit_ts":2,"ops":[{"r":"x","v":null},{"w":"y","v":7}]}
{"session":2,"txn":"c","start_ts":3,"commit_ts":3,"ops":[{"p":"v < 5","rows":{"x":1}}]}
END
expect "without an order it holds" 0 "$ESSE" check -l serializable a.jsonl
expect "by commit_ts it does not" 1 "$ESSE" check -l serializable --order-by commit_ts a.jsonl
has "it says what would have been read" "$OUT" "order-mismatch: in the order of commit_ts, b would have read x = 1"
has "and both states" "$OUT" "1. b did r x = nil; the table held x = 1, which a wrote"
has "and what it rests on" "$OUT" "under the certificate (commit_ts)"
has "and that another order would do" "$OUT" "in another order the level holds"
expect "nor does snapshot isolation" 1 "$ESSE" check -l snapshot-isolation --engine replay a.jsonl
has "with snapshots" "$OUT" "snapshot-mismatch: with snapshots at start_ts and commits at commit_ts, b would have read x = 1"
expect "both levels at once" 1 "$ESSE" check -l serializable,snapshot-isolation --engine replay a.jsonl
has "tell of the one" "$OUT" "order-mismatch: in the order of commit_ts, b would have read x = 1"
has "and of the other" "$OUT" "snapshot-mismatch: with snapshots at start_ts and commits at commit_ts, b would have read x = 1"
expect "a stream says the same" 1 "$ESSE" check -l serializable --stream --order-by commit_ts a.jsonl
has "in the same words" "$OUT" "1. b did r x = nil; the table held x = 1, which a wrote"
expect "in JSON too" 1 "$ESSE" check --json -l SER --stream --order-by commit_ts a.jsonl
has "by the level's own name" "$OUT" '"level":"serializable"'
has "and says that nothing is left to recheck" "$OUT" '"evidence":{"kind":"replay","rechecked":false}'
expect "from standard input too" 1 sh -c "\"$ESSE\" check -l serializable --stream - <a.jsonl"
has "because it is in the order of commit_ts" "$OUT" "in the order of commit_ts, b would have read x = 1"

sed 's/"commit_ts":[0-9],//' a.jsonl >undeclared.jsonl
expect "an undeclared order refutes nothing" 2 "$ESSE" check -l serializable --stream undeclared.jsonl
has "and says what to do" "$OUT" "b does not fit the order of the lines, and nothing says that this is the order of the transactions: declare it with --order-by"
expect "declared, it does" 1 "$ESSE" check -l serializable --stream --order-by order undeclared.jsonl
has "in the order of the lines" "$OUT" "in the order of the lines, b would have read x = 1"
sed -n '2p;1p;3p' undeclared.jsonl | sed '1{h;d};2{G}' >explained.jsonl
expect "but it may prove" 0 "$ESSE" check -l serializable --stream explained.jsonl
expect "as it reads" 0 "$ESSE" check --json -l serializable --stream explained.jsonl
has "and not again" "$OUT" '"evidence":{"kind":"order","rechecked":false,'
expect "which a file is" 0 "$ESSE" check --json -l serializable explained.jsonl
has "before it is printed" "$OUT" '"evidence":{"kind":"order","rechecked":true,'
sed 's/"commit_ts":1,/"commit_ts":9,/' a.jsonl >unsorted.jsonl
expect "lines against commit_ts declare nothing" 2 "$ESSE" check -l serializable --stream unsorted.jsonl
sed 's/"start_ts":2,"commit_ts":2,/"commit_ts":1,/' a.jsonl >tied.jsonl
expect "nor does a commit_ts that two writers have" 2 "$ESSE" check -l serializable --stream tied.jsonl
"$ESSE" gen list-append --txns 300 --seed 5 -q -o h.jsonl
for level in serializable strict-serializable; do
    expect "what holds at $level is not violated as a stream" 2 "$ESSE" check -l $level --stream h.jsonl
done

echo '{"order":["b","a","c"]}' | cat a.jsonl - >ordered.jsonl
expect "its order holds" 0 "$ESSE" check -l serializable --engine replay ordered.jsonl
has "by replay" "$OUT" "by an order of 3 transactions that was replayed"
echo '{"order":["b","c","a"]}' | cat a.jsonl - >wrong.jsonl
expect "a wrong one does not" 1 "$ESSE" check -l serializable --engine replay wrong.jsonl
has "at the first row" "$OUT" "in the order given, c would have read x = nil"
expect "unless another engine is asked" 0 "$ESSE" check -l serializable wrong.jsonl
echo '{"order":["b","a"]}' | cat a.jsonl - >short.jsonl
expect "one that leaves a transaction out is none" 2 "$ESSE" check -l serializable --engine replay short.jsonl
has "and that is why" "$OUT" "because c is committed and not in the order"

"$ESSE" check -q -l serializable --order-by commit_ts --evidence e.json a.jsonl >/dev/null
expect "evidence is verified" 0 "$ESSE" verify e.json a.jsonl
sed 's/"op":1,/"op":2,/' e.json >damaged.json
expect "another operation is refused" 65 "$ESSE" verify damaged.json a.jsonl
sed 's/"order_by":"commit_ts"/"order_by":"order"/' e.json >damaged.json
expect "another order is refused" 65 "$ESSE" verify damaged.json a.jsonl

cat >st.jsonl <<'END'
{"init":{"acc/1":{"bal":5},"acc/2":{"bal":7},"acc/3":{"bal":9}}}
{"session":0,"txn":"a","commit_ts":1,"ops":[{"w":"acc/1","v":{"bal":1}},{"p":"SELECT sum(bal), count(*) FROM acc WHERE bal < 8","result":[8,2]}]}
{"session":1,"txn":"b","commit_ts":2,"ops":[{"p":"SELECT * FROM acc ORDER BY bal DESC LIMIT 2","rows":{"acc/3":{"bal":9},"acc/2":{"bal":7}}}]}
{"session":2,"txn":"c","commit_ts":3,"ops":[{"p":"SELECT max(bal) FROM acc","result":[7]}]}
END
expect "results are computed again" 1 "$ESSE" check -l serializable --order-by commit_ts st.jsonl
has "and reported" "$OUT" "c did SELECT max(bal) FROM acc: 7; of the table that is 9"
expect "of streams too" 1 "$ESSE" check -l serializable --stream st.jsonl
has "in the same words" "$OUT" "c did SELECT max(bal) FROM acc: 7; of the table that is 9"

"$ESSE" gen predicate --txns 2000 --keys 50 --level snapshot-isolation --server-times -q -o si.jsonl
expect "snapshots replay" 0 "$ESSE" check -q -l snapshot-isolation --engine replay si.jsonl
"$ESSE" gen predicate --txns 2000 --keys 50 --server-times --drop-aborted -q -o s.jsonl
expect "commit_ts replays" 0 "$ESSE" check -q -l strict-serializable --order-by commit_ts s.jsonl

cat >good.jsonl <<'END'
{"session":0,"txn":"a","commit_ts":1,"ops":[{"w":"x","v":1}]}
{"session":1,"txn":"b","commit_ts":2,"ops":[{"w":"y","v":7}]}
END
echo '{"order":["a","b"]}' | cat good.jsonl - >ordered.jsonl
expect "a stream out of order is refused" 65 sh -c "tac good.jsonl | \"$ESSE\" check -l serializable --stream --order-by commit_ts -"
has "with its line" "$ERR" "2:1: commit_ts 1 comes after 2; a stream must be in the order of commit_ts"
expect "a stream with an order line is refused" 65 "$ESSE" check -l serializable --stream ordered.jsonl
has "and why" "$ERR" "the order of a stream is that of its lines"
expect "weak levels do not stream" 64 "$ESSE" check -l read-committed --stream a.jsonl
expect "two levels do not stream" 64 "$ESSE" check -l serializable,snapshot-isolation --stream a.jsonl
expect "evidence does not stream" 64 "$ESSE" check --stream --evidence e.json a.jsonl
expect "other formats do not stream" 64 sh -c "echo 'w(1,5,0,10)' | \"$ESSE\" check --stream -"
expect "an unknown order is refused" 64 "$ESSE" check --order-by end_ts a.jsonl
echo '{"session":0,"ops":[{"p":"v <","rows":{}}]}' >bad.jsonl
expect "what is no SQL is bad input" 65 "$ESSE" check -l serializable --stream bad.jsonl
has "with its line" "$ERR" "bad.jsonl:1"

# Every planted anomaly is a mismatch: the clean part replays, and nothing else explains the plant.
for anomaly in phantom G2 G-single G-nonadjacent predicate-read-miss G1a G1b G1c G-single-item G2-item lost-update internal; do
    "$ESSE" gen predicate --txns 300 --seed 3 -q --server-times --anomaly $anomaly -o p.jsonl
    expect "$anomaly does not replay" 1 "$ESSE" check -q -l serializable --order-by commit_ts p.jsonl
done
finish
