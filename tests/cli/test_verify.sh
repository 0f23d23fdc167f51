#!/usr/bin/env bash
# Evidence: written by check, rechecked by verify in a process of its own, refused when damaged.
set -u
. "$(dirname "$0")/lib.sh"

"$ESSE" gen list-append --txns 300 -q -o clean.jsonl
"$ESSE" check -q --evidence clean.json -l all clean.jsonl >/dev/null
expect "an order is verified" 0 "$ESSE" verify clean.json clean.jsonl
has "and says so" "$OUT" "holds strict-serializable, verified"
for anomaly in G0 G1a G1b G1c G-single G-nonadjacent G2-item G-single-process G-single-realtime internal \
    lost-update future-read garbage-read duplicate-elements incompatible-order dirty-update; do
    "$ESSE" gen list-append --txns 200 --seed 2 -q --anomaly $anomaly -o h.jsonl
    "$ESSE" check -q --evidence e.json h.jsonl >/dev/null
    expect "$anomaly is verified" 0 "$ESSE" verify e.json h.jsonl
    python3 - e.json <<'END' >damaged.json
import json, sys
d = json.load(open(sys.argv[1]))
for r in d["results"]:
    for a in r["anomalies"]:
        for s in a["steps"]: s["op"] = s["op"] + 1 if s["op"] else 1
        for e in a["edges"]: e["from"], e["to"] = e["to"], e["from"]
print(json.dumps(d))
END
    expect "damaged evidence for $anomaly is refused" 65 "$ESSE" verify damaged.json h.jsonl
done
"$ESSE" gen rw-register --txns 100 -q --certificate --anomaly G0 -o c.jsonl
"$ESSE" check -q --evidence e.json c.jsonl >/dev/null
expect "a cycle by a certificate is verified" 0 "$ESSE" verify e.json c.jsonl
python3 -c '
import json
d = json.load(open("clean.json"))
e = d["results"][0]["order"]["events"]
e[0], e[-1] = e[-1], e[0]
json.dump(d, open("swapped.json", "w"))
d["results"][0]["order"]["events"] = e[1:]
json.dump(d, open("short.json", "w"))'
expect "a wrong order is refused" 65 "$ESSE" verify swapped.json clean.jsonl
expect "an order with one missing is refused" 65 "$ESSE" verify short.json clean.jsonl
expect "another history is refused" 65 "$ESSE" verify clean.json h.jsonl
sed 's/"violated"/"holds"/' e.json >claim.json
expect "a verdict without its evidence is refused" 65 "$ESSE" verify claim.json c.jsonl
expect "something else is refused" 65 "$ESSE" verify clean.jsonl clean.jsonl
expect "cut off evidence is refused" 65 sh -c "head -c 200 clean.json | '$ESSE' verify - clean.jsonl"
finish
