#!/usr/bin/env bash
# Refutations: shown case by case, in JSON and in pictures, verified, shrunk, refused when damaged.
set -u
. "$(dirname "$0")/lib.sh"

cat >a.jsonl <<'END'
{"session":0,"txn":"t0","ops":[{"w":"x","v":1},{"w":"y","v":1}]}
{"session":1,"txn":"t1","ops":[{"w":"x","v":2},{"w":"y","v":2}]}
{"session":2,"txn":"t2","ops":[{"r":"x","v":1},{"r":"y","v":2}]}
{"session":3,"txn":"t3","ops":[{"r":"x","v":2},{"r":"y","v":1}]}
END
expect "neither order is serializable" 1 "$ESSE" check -q --level serializable --evidence e.json a.jsonl
has "the verdict comes first" "$OUT" "a.jsonl: violated serializable
"
has "a transaction takes one line" "$OUT" "    t2       session 2, line 3: r x = 1, r y = 2
"
has "one way" "$OUT" "    Suppose the 1 that t0 wrote to x came before the 2 that t1 wrote:
      1. t2 read y = 2, with the 2 that t1 wrote
      2. t2 read x = 1, without the 2 that t1 wrote
      so t1 → t2 → t1: t1 would have to come before itself
"
has "and the other" "$OUT" "    Suppose it came after:
      1. t3 read y = 1, with the 1 that t0 wrote
      2. t3 read x = 2, without the 1 that t0 wrote
      so t0 → t3 → t0: t0 would have to come before itself"
check "in some two dozen lines" test "$(echo "$OUT" | wc -l)" -le 24
expect "it is verified" 0 "$ESSE" verify e.json a.jsonl
has "and says so" "$OUT" "violated serializable, verified"

expect "JSON is written" 1 "$ESSE" check -q --json --level serializable a.jsonl
echo "$OUT" >a.json
check "with transactions, choices and cycles" python3 - a.json <<'END'
import json, sys
result = json.load(open(sys.argv[1]))["results"][0]
anomaly = result["anomalies"][0]
assert result["evidence"] == {"kind": "refutation", "rechecked": True}
assert anomaly["type"] == "serializable-no-order" and "edges" not in anomaly
assert sorted(anomaly["transactions"]) == ["t0", "t1", "t2", "t3"]
assert anomaly["choices"] == [{"kind": "order", "key": "x",
                               "first": {"transaction": "t0", "operation": 0},
                               "second": {"transaction": "t1", "operation": 0}}]
assert anomaly["clauses"] == 3 and len(anomaly["cycles"]) == 2
for cycle in anomaly["cycles"]:
    edges = cycle["edges"]
    assert len(cycle["given"]) == 1 and "t0 wrote to x came" in cycle["given"][0]
    assert all(a["to"] == b["from"] for a, b in zip(edges, edges[1:] + edges[:1]))
END

"$ESSE" check -q --level serializable --dot a.dot --svg a.svg a.jsonl >/dev/null
has "the graph has the condition" "$(cat a.dot)" 'label="rw x if not 1"'
has "and what it means" "$(cat a.dot)" '1: the 1 that t0 wrote to x came before the 2 that t1 wrote'
has "so has the picture" "$(cat a.svg)" '>rw x if 1</text>'
if command -v dot >/dev/null; then
    check "Graphviz reads the graph" dot -Tsvg a.dot -o /dev/null
else
    skip "Graphviz reads the graph" "no dot"
fi
check "the picture is XML" python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("a.svg")'

# Damage: each of these must be refused as bad input.
cat >damage.py <<'END'
import copy, json, sys
whole = json.load(open("e.json"))
changes = {
    "a dropped clause": lambda r: r["clauses"].pop(0),
    "a dropped end": lambda r: r["clauses"].pop(),
    "no clauses": lambda r: r["clauses"].clear(),
    "a flipped literal": lambda r: r["clauses"][0]["literals"].__setitem__(0, 0),
    "a dropped literal": lambda r: r["clauses"][0]["literals"].clear(),
    "a literal of no choice": lambda r: r["clauses"][0]["literals"].__setitem__(0, 2),
    "a turned edge": lambda r: r["clauses"][0]["edges"][0].update({"from": 2, "to": 1}),
    "another dep": lambda r: r["clauses"][0]["edges"][1].update(dep="ww"),
    "another key": lambda r: r["clauses"][0]["edges"][1].update(key=1),
    "another operation": lambda r: r["clauses"][0]["edges"][1].update(from_op=5),
    "a turned choice": lambda r: r["choices"][0].update(first=2, second=0),
    "a choice of one": lambda r: r["choices"][0].update(second=0),
    "another kind of choice": lambda r: r["choices"][0].update(kind="source"),
    "no kind of choice": lambda r: r["choices"][0].update(kind="guess"),
    "no kind of clause": lambda r: r["clauses"][0].update(kind="because"),
    "another kind of clause": lambda r: r["clauses"][0].update(kind="follows"),
    "an unknown member": lambda r: r.update(hint=1),
    "a clause with a member too many": lambda r: r["clauses"][-1].update(edges=[]),
}
for number, (name, change) in enumerate(changes.items()):
    damaged = copy.deepcopy(whole)
    change(damaged["results"][0]["anomalies"][0]["refutation"])
    json.dump(damaged, open(f"damaged-{number}.json", "w"))
    print(name)
END
python3 damage.py >names
number=0
while read -r name; do
    expect "$name is refused" 65 "$ESSE" verify damaged-$number.json a.jsonl
    number=$((number + 1))
done <names
check "all were tried" test $number -eq 18
sed 's/serializable-no-order/snapshot-isolation-no-order/; s/"serializable"/"snapshot-isolation"/' e.json >si.json
expect "these cycles rule out snapshots too" 0 "$ESSE" verify si.json a.jsonl
sed 's/serializable-no-order/read-committed-no-order/; s/"serializable"/"read-committed"/' e.json >rc.json
expect "but nothing weaker" 65 "$ESSE" verify rc.json a.jsonl

cat a.jsonl >both.jsonl
for i in 1 2 3 4 5 6 7 8; do
    echo "{\"session\":$((3 + i)),\"txn\":\"more$i\",\"ops\":[{\"w\":\"z\",\"v\":$i}]}" >>both.jsonl
done
expect "a refutation is shrunk" 0 "$ESSE" shrink -q --level serializable both.jsonl -o small.jsonl
same "to what it needs" 3 "$(grep -c '"ops"' small.jsonl)"
expect "which is still refuted" 1 "$ESSE" check -q --level serializable small.jsonl
has "in the same way" "$OUT" "serializable-no-order: "

# Parts of the engine, shown and left out.
head -2 a.jsonl >clean.jsonl
plan() { # parts to leave out: the names of the phases
    "$ESSE" check -q --engine polygraph --level serializable --explain-plan --ablate "$1" clean.jsonl |
        sed -n 's/^    \([a-z][a-z ]*[a-z]\)  *[0-9.]* s .*/\1/p' | paste -sd,
}
same "solving comes first" "known,first order,solving" "$(plan mending)"
same "without patience pruning does" "known,closure,pruning,small cycles,first order,solving" \
    "$(plan patience)"
same "without a closure" "known,pruning,small cycles,first order,solving" \
    "$(plan patience,closure)"
same "without small cycles" "known,closure,pruning,first order,solving" \
    "$(plan patience,small-cycles)"
expect "sessions are chains" 0 "$ESSE" check -q --engine polygraph --level serializable \
    --explain-plan --ablate patience clean.jsonl
has "two of them" "$OUT" " s  2 chains, "
expect "an unknown part is refused" 64 "$ESSE" check --ablate windows clean.jsonl
has "with those that there are" "$ERR" "mending, closure, small-cycles"
finish
