#!/usr/bin/env bash
# esse watch: the order in which sessions' lines arrive, as far as the watermark leaves it free, changes no finding.
set -u
. "$(dirname "$0")/lib.sh"

TXNS=$((2000 * ${ESSE_ROUNDS:-1}))
[ $TXNS -gt 100000 ] && TXNS=100000
cat >orders.py <<'P'
import json, random, subprocess, sys
esse, path, profile = sys.argv[1:]
lines = open(path).read().splitlines()
sessions = {}
for line in lines[1:]:
    sessions.setdefault(json.loads(line)["session"], []).append(line)
head = json.dumps({**json.loads(lines[0]), "sessions": sorted(sessions)})

def watch(order):
    run = subprocess.run([esse, "watch", "--json", "-q", "--no-windows", "--profile", profile, "-"],
                         input="\n".join([head] + order) + "\n", capture_output=True, text=True)
    told = [json.loads(line) for line in run.stdout.splitlines()]
    found = [f for f in told if "why" in f]
    # Of a cycle another edge may be the last one, and of a component another part is told.
    exact = sorted((f["broken"], f["why"], f["key"], f.get("value"), f["transactions"][0]["txn"])
                   for f in found if f["broken"] not in ("SC", "Joint"))
    cycles = sum(f["broken"] in ("SC", "Joint") for f in found)
    return exact, cycles, told[-1]["late"]

def shuffled(most, rng):
    places, order = dict.fromkeys(sessions, 0), []
    while places:
        session = rng.choice(list(places))
        count = rng.randint(1, most)
        order += sessions[session][places[session]:places[session] + count]
        places[session] += count
        if places[session] >= len(sessions[session]):
            del places[session]
    return order

exact, cycles, late = watch(lines[1:])
print("%d findings, %d cycles" % (len(exact), cycles), file=sys.stderr)
assert len(exact) > 20 and late == 0
for most in 1, 7, 64, 5000:
    again, some, late = watch(shuffled(most, random.Random(most)))
    assert late == 0, "late events"
    assert again == exact, "other findings if %d lines of a session come at once" % most
    assert cycles * 0.9 <= some <= cycles * 1.1, "%d cycles instead of %d" % (some, cycles)
P
for level in read-committed snapshot-isolation; do
    "$ESSE" gen rw-register -n $TXNS --level $level --op-times -q -o store.jsonl
    "$ESSE" convert -q --to trace store.jsonl trace.jsonl
    for profile in postgresql/repeatable-read postgresql/serializable; do
        check "$level under $profile, in any order" python3 orders.py "$ESSE" trace.jsonl $profile
    done
done
finish
