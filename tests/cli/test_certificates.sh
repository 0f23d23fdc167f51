#!/usr/bin/env bash
# What a certificate shows: the examples of the papers, what they are called, and what is refused.
set -u
. "$(dirname "$0")/lib.sh"

# ---- the phantom of three transactions ----
cat >phantom.jsonl <<'END'
{"certificate":"timestamps"}
{"session":1,"txn":"t1","start_ts":5,"commit_ts":40,"ops":[{"p":"v < 5","rows":{}},{"r":"z","v":8,"snapshot":35}]}
{"session":2,"txn":"t2","start_ts":6,"commit_ts":10,"ops":[{"w":"y","v":3}]}
{"session":3,"txn":"t3","start_ts":15,"commit_ts":30,"ops":[{"r":"y","v":3},{"w":"z","v":8}]}
END
expect "a phantom of three transactions" 1 "$ESSE" check -l serializable phantom.jsonl
has "is called one" "$OUT" 'G-single: a phantom: t1 looked for "v < 5" and did not see that the row y appeared, by t2, and yet t1 comes after t2'
has "by its edges" "$OUT" '1. t1 looked for "v < 5" without the 3 that t2 wrote, by which the row y appeared'
has "under the certificate" "$OUT" "under the certificate (timestamps)"
expect "snapshot isolation has none" 1 "$ESSE" check -l snapshot-isolation phantom.jsonl
expect "repeatable read may" 0 "$ESSE" check -l repeatable-read phantom.jsonl
expect "the evidence of it" 1 "$ESSE" check -q -l serializable --evidence e.json phantom.jsonl
expect "is verified" 0 "$ESSE" verify e.json phantom.jsonl

cat >twice.jsonl <<'END'
{"session":1,"txn":"t1","ops":[{"p":"v < 5","rows":{"x":1}},{"p":"v < 5","rows":{"x":1,"y":3}}]}
{"session":2,"txn":"t2","ops":[{"w":"y","v":3}]}
{"init":{"x":1}}
END
expect "a phantom of one predicate" 1 "$ESSE" check -l serializable twice.jsonl
has "is reported as one" "$OUT" 'a phantom: the row y appeared between two evaluations of "v < 5" by t1'
cat >gone.jsonl <<'END'
{"session":1,"txn":"t1","ops":[{"p":"v < 5","rows":{"x":1}},{"p":"v < 5","rows":{}}]}
{"session":2,"txn":"t2","ops":[{"d":"x"}]}
{"init":{"x":1}}
END
expect "a row may go as well" 1 "$ESSE" check -l serializable gone.jsonl
has "and that is reported" "$OUT" 'a phantom: the row x disappeared between two evaluations of "v < 5" by t1'

cat >skew.jsonl <<'END'
{"session":1,"txn":"t1","ops":[{"p":"v < 5","rows":{}},{"w":"x","v":1}]}
{"session":2,"txn":"t2","ops":[{"p":"v < 5","rows":{}},{"w":"y","v":2}]}
END
expect "predicate write skew" 1 "$ESSE" check -l serializable skew.jsonl
has "is called that" "$OUT" 'G2: predicate write skew: t1 looked for "v < 5" and did not see that the row y appeared, by t2, and t2 looked for "v < 5" and did not see that the row x appeared, by t1'
expect "in JSON too" 1 "$ESSE" check --json -l serializable skew.jsonl
has "as its description" "$OUT" '"description":"predicate write skew: t1 looked for'
expect "snapshot isolation allows it" 0 "$ESSE" check -l snapshot-isolation skew.jsonl

# ---- serializable only in an order that contradicts the timestamps ----
cat >order.jsonl <<'END'
{"session":1,"txn":"t1","start_ts":5,"commit_ts":10,"ops":[{"w":"x","v":1}]}
{"session":2,"txn":"t2","start_ts":15,"commit_ts":20,"ops":[{"w":"x","v":2},{"w":"y","v":2}]}
{"session":3,"txn":"t3","start_ts":25,"commit_ts":30,"ops":[{"r":"x","v":1},{"r":"y","v":2}]}
END
expect "t2 before t1 explains it" 0 "$ESSE" check -l serializable order.jsonl
{ echo '{"certificate":"timestamps"}' && cat order.jsonl; } >certified.jsonl
expect "which the timestamps forbid" 1 "$ESSE" check -l serializable certified.jsonl
has "and that is what was broken" "$OUT" "the database broke the level, or what the certificate was taken from does not hold; in another order the level holds"
has "by a read skew" "$OUT" "read skew: t3 saw what t2 wrote to y, and not what it wrote to x"

# ---- the items alone show nothing, the version set does ----
cat >vset.jsonl <<'END'
{"init":{"x":10}}
{"session":1,"txn":"t1","ops":[{"w":"x","v":3}]}
{"session":2,"txn":"t2","ops":[{"w":"x","v":11},{"w":"z","v":8}]}
{"session":3,"txn":"t3","ops":[{"p":"v < 5","rows":{},"vset":{"x":10}},{"r":"z","v":8}]}
{"version_order":{"x":[3,11]}}
END
expect "by its version set it is cyclic" 1 "$ESSE" check -l serializable vset.jsonl
has "through the predicate" "$OUT" 't3 looked for "v < 5" without the 3 that t1 wrote, by which the row x appeared'
expect "by its items it is not" 0 "$ESSE" check -l repeatable-read vset.jsonl
sed 's/,"vset":{"x":10}//' vset.jsonl >items.jsonl
expect "and without the version set" 0 "$ESSE" check -l serializable items.jsonl

# ---- result-set-mismatch ----
cat >mismatch.jsonl <<'END'
{"certificate":"timestamps"}
{"session":1,"txn":"t1","start_ts":5,"commit_ts":10,"ops":[{"w":"x","v":1}]}
{"session":2,"txn":"t2","start_ts":15,"commit_ts":20,"ops":[{"p":"v < 5","rows":{}}]}
END
expect "a row of the snapshot was left out" 1 "$ESSE" check -l serializable mismatch.jsonl
has "which is a mismatch" "$OUT" "result-set-mismatch: the rows of a predicate differ from what it selects at the snapshot that the certificate gives it"
has "of this row" "$OUT" "t2 did where v < 5: {}; x = 1 at its snapshot matches and was not returned"

cat >sum.jsonl <<'END'
{"certificate":"timestamps"}
{"init":{"x":3,"y":4}}
{"session":1,"txn":"t1","start_ts":5,"commit_ts":10,"ops":[{"w":"x","v":5}]}
{"session":2,"txn":"t2","start_ts":15,"commit_ts":20,"ops":[{"p":"SELECT sum(v) FROM t WHERE v > 0","result":[7]}]}
END
expect "a sum that the snapshot has not" 1 "$ESSE" check --engine dsg -l read-uncommitted sum.jsonl --evidence e.json
has "is computed again" "$OUT" "t2 did SELECT sum(v) FROM t WHERE v > 0: 7; at its snapshot it is 9"
has "under the certificate" "$OUT" "under the certificate (timestamps)"
expect "and verified" 0 "$ESSE" verify e.json sum.jsonl
sed 's/"result":\[7\]/"result":[9]/' sum.jsonl >right.jsonl
expect "the right one is fine" 0 "$ESSE" check --engine dsg -l serializable right.jsonl
expect "and no evidence of anything" 65 "$ESSE" verify e.json right.jsonl
sed 's/SELECT sum(v) FROM t WHERE v > 0","result":\[7\]/SELECT * FROM t ORDER BY v LIMIT 1","rows":{"x":5}/' sum.jsonl >limit.jsonl
expect "the least row is another" 1 "$ESSE" check --engine dsg -l read-uncommitted limit.jsonl
has "which is reported" "$OUT" "at its snapshot y = 4, which does not go with the rows returned"

# ---- a join: predicate write skew over pairs ----
cat >join.jsonl <<'END'
{"certificate":"commit-order"}
{"init":{"a/1":1,"b/1":2}}
{"session":1,"txn":"t1","ops":[{"p":"SELECT count(*) FROM a JOIN b ON a.v = b.v","result":[0],"snapshot":0},{"w":"a/1","v":2}]}
{"session":2,"txn":"t2","ops":[{"p":"SELECT count(*) FROM a JOIN b ON a.v = b.v","result":[0],"snapshot":0},{"w":"b/1","v":1}]}
{"order":["t1","t2"]}
END
expect "each gives the other's join a pair" 1 "$ESSE" check -l serializable join.jsonl
has "and is called what it is" "$OUT" 'predicate write skew: t1 looked for "SELECT count(*) FROM a JOIN b ON a.v = b.v" and did not see that the row b/1 changed, by t2'
expect "snapshot isolation allows that too" 0 "$ESSE" check -l snapshot-isolation join.jsonl
sed 's/"a\/1","v":2/"a\/1","v":3/' join.jsonl >apart.jsonl
expect "without a pair there is no dependency" 0 "$ESSE" check -l serializable apart.jsonl

cat >pairs.jsonl <<'END'
{"session":1,"txn":"t1","ops":[{"w":"a/1","v":1},{"w":"b/1","v":1},{"r":"z","v":9}]}
{"session":2,"txn":"t2","ops":[{"p":"SELECT * FROM a JOIN b ON a.v = b.v","rows":{"a/1":1,"b/1":1}},{"w":"z","v":9}]}
END
expect "without a certificate the rows of a join are reads" 1 "$ESSE" check --engine dsg -l read-committed pairs.jsonl
has "of what was written" "$OUT" "t2 read a/1 = 1, with the 1 that t1 wrote"

# ---- start dependencies ----
cat >early.jsonl <<'END'
{"certificate":"timestamps"}
{"session":1,"txn":"w","start_ts":5,"commit_ts":20,"ops":[{"w":"x","v":1}]}
{"session":2,"txn":"r","start_ts":10,"commit_ts":30,"ops":[{"r":"x","v":1}]}
END
expect "a read of what was not committed at the start" 1 "$ESSE" check -l snapshot-isolation early.jsonl
has "lacks a start dependency" "$OUT" "w did w x = 1, and committed, at 20, after r started, at 10: r read it without a start dependency on w (GSIa)"
sed 's/"start_ts":10/"start_ts":25/; s/"v":1}\]}$/"v":null}]}/; 2s/null/1/' early.jsonl >late.jsonl
expect "a read that misses what was" 1 "$ESSE" check -l snapshot-isolation late.jsonl
has "goes against one" "$OUT" "w did w x = 1, and committed, at 20, before r started, at 25: r has a start dependency on w, and missed it (GSIb)"
sed 's/{"r":"x","v":1}/{"w":"x","v":2}/' early.jsonl >both.jsonl
expect "two that overlap and write" 1 "$ESSE" check -l snapshot-isolation both.jsonl
has "lack one too" "$OUT" "r overwrote it without a start dependency on w (GSIa)"

# The same by the engine dsg, as edges; verify takes them from the history's timestamps.
expect "dsg sees that one is missing" 1 "$ESSE" check --engine dsg -l snapshot-isolation early.jsonl --evidence e.json --svg e.svg --dot e.dot
has "names it" "$OUT" "GSIa: r read from w, which had not committed when it began"
has "tells the points" "$OUT" "r began at 10, before w committed at 20"
has "and what follows" "$OUT" "so r would have to begin after w commits"
has "under the certificate" "$OUT" "in another order the level holds"
has "rules out no more than that" "$OUT" "ruled out, with its strong variants: snapshot-isolation"
has "draws it" "$(cat e.svg)" ">overlap</text>"
has "for Graphviz, too" "$(cat e.dot)" 'overlap'
expect "and it is verified" 0 "$ESSE" verify e.json early.jsonl
expect "but not with other timestamps" 65 "$ESSE" verify e.json late.jsonl
sed 's/"overlap"/"start"/' e.json >damaged.json
expect "nor as another dependency" 65 "$ESSE" verify damaged.json early.jsonl
expect "dsg sees that one is gone against" 1 "$ESSE" check --engine dsg --json -l snapshot-isolation late.jsonl --evidence e.json
has "as an edge of its own kind" "$OUT" '"dep":"start","why":"w committed at 20, before r began at 25"'
expect "which is verified" 0 "$ESSE" verify e.json late.jsonl
expect "serializability is another matter" 0 "$ESSE" check --engine dsg -l serializable late.jsonl
expect "and stays so beside the other" 1 "$ESSE" check --json -l serializable,snapshot-isolation late.jsonl
has "strongest is not ruled out" "$OUT" '"also_not":["strong-session-snapshot-isolation","strong-snapshot-isolation"]'

# ---- what contradicts the history, with its place ----
cat >h.jsonl <<'END'
{"session":1,"txn":"a","ops":[{"w":"x","v":1}]}
{"session":2,"txn":"b","ops":[{"w":"x","v":2}]}
END
echo '{"version_order":{"x":[1,3]}}' | cat h.jsonl - >here.jsonl
expect "a version that no transaction wrote" 65 "$ESSE" check here.jsonl
same "has a line" "esse: here.jsonl:3:1: certificate: the version order of x names 3, which no transaction wrote" "$ERR"
cat >crash.jsonl <<'END'
{"certificate":"postgresql-snapshots"}
{"session":1,"txn":"a","xid":7,"status":"unknown","ops":[{"w":"x","v":1,"snapshot":"5:5:"}]}
{"session":2,"txn":"b","xid":7,"ops":[{"w":"y","v":1,"snapshot":"5:5:"}]}
{"order":["b"]}
END
expect "a server that crashed may give an xid again" 0 "$ESSE" check -q -l serializable crash.jsonl
printf '%s\n' '{"init":{"y":0}}' '{"version_order":{"x":[1,3]}}' >c.jsonl
expect "in a file of its own" 65 "$ESSE" check --certificate c.jsonl h.jsonl
same "it is of that file" "esse: h.jsonl: certificate c.jsonl:2: the version order of x names 3, which no transaction wrote" "$ERR"
printf '%s\n' '{"init":{"y":0}}' '' '{"version_order":{"x":[{"txn":"a"},{"txn":"c"}]}}' >c.jsonl
expect "a transaction that does not exist" 65 "$ESSE" check --certificate c.jsonl h.jsonl
same "has its line too" "esse: h.jsonl: certificate c.jsonl:3: there is no transaction 'c'" "$ERR"
echo '{"order":["a","b","a"]}' >c.jsonl
expect "an order that names one twice" 65 "$ESSE" check --certificate c.jsonl h.jsonl
same "and so has that" "esse: h.jsonl: certificate c.jsonl:1: the order names the transaction 'a' twice" "$ERR"
printf '%s\n' '{"version_order":{"x":[1,2]}}' '{"version_order":{"x":[2,1]}}' >c.jsonl
expect "a second order of a key" 65 "$ESSE" check --certificate c.jsonl h.jsonl
same "stands on the second line" "esse: h.jsonl: certificate c.jsonl:2: the key 'x' is given a version order twice" "$ERR"

# ---- the engines agree: with a true certificate, with the true order, with nothing ----
for seed in 1 2 3 4 5 6; do
    clean=(predicate -n 80 --keys 8 --seed $seed --level serializable -q)
    "$ESSE" gen "${clean[@]}" --certify timestamps -o certified.jsonl && "$ESSE" gen "${clean[@]}" -o bare.jsonl
    expect "clean history $seed: dsg with the certificate" 0 "$ESSE" check --engine dsg --level serializable certified.jsonl
    expect "... replay in the order" 0 "$ESSE" check --engine replay --level serializable certified.jsonl
    expect "... polygraph with nothing" 0 "$ESSE" check --engine polygraph --level serializable bare.jsonl
done

# ---- readers that the order of commits leaves out ----
# Recorded before what they read, and nothing tells which absence of x and w they saw.
cat >late.jsonl <<'END'
{"esse":"history","version":1}
{"session":8,"txn":"r","ops":[{"r":"y","v":7},{"r":"x","v":null}]}
{"session":9,"txn":"s","ops":[{"r":"y","v":7},{"r":"x","v":null},{"r":"w","v":null}]}
{"session":1,"txn":"a","commit_ts":1,"ops":[{"w":"x","v":1},{"w":"w","v":1}]}
{"session":2,"txn":"b","commit_ts":2,"ops":[{"d":"x"},{"w":"y","v":7}]}
{"session":3,"txn":"c","commit_ts":3,"ops":[{"w":"x","v":2}]}
{"session":4,"txn":"d","commit_ts":4,"ops":[{"d":"x"},{"d":"w"}]}
{"session":5,"txn":"e","commit_ts":5,"ops":[{"w":"x","v":4}]}
{"order":["a","b","c","d","e"]}
{"certificate":"timestamps"}
END
expect "readers find their places in the order" 0 "$ESSE" check -e dsg -l serializable late.jsonl
sed '/"txn":"s"/s/"r":"x","v":null/"r":"x","v":2/' late.jsonl >never.jsonl
expect "where there is one" 1 "$ESSE" check -l serializable never.jsonl

finish
