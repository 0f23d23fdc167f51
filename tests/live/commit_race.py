#!/usr/bin/env python3
"""Is all that a run at serializable violates PostgreSQL's race between two commits (docs/live.md)?

usage: commit_race.py RUN_DIRECTORY

The race: one -rw-> pivot -rw-> out, where pivot and out commit at the same time.  PostgreSQL has then shown out's
writes before it has marked its commit for pivot, lets pivot commit, and forgets the conflict between them.
Exit status 0 if every anomaly is a cycle with such a pair; 1, with the first that is not, otherwise.
"""
import json
import sys

folder = sys.argv[1]
verdict = json.load(open(f"{folder}/verdict.json"))
commits, seen = {}, {}
for line in open(f"{folder}/history.jsonl"):
    record = json.loads(line)
    if "session" not in record:
        continue
    session = record["session"]
    name = record.get("txn", f"{session}/{seen.setdefault(session, 0)}")
    seen[session] += 1
    asked = max((op["t"][1] for op in record["ops"] if "t" in op), default=record["start"])
    commits[name] = (asked, record.get("end", float("inf")))


def at_the_same_time(one, other):
    (a, b), (c, d) = commits[one], commits[other]
    return a <= d and c <= b


def is_race(anomaly):
    edges = anomaly["edges"]
    pairs = zip(edges, edges[1:] + edges[:1])
    return anomaly["type"].startswith("G2") and any(
        first["dep"].startswith("rw") and then["dep"].startswith("rw") and at_the_same_time(then["from"], then["to"])
        for first, then in pairs)


anomalies = [a for result in verdict["results"] for a in result["anomalies"]]
others = [a for a in anomalies if not is_race(a)]
if others or not anomalies:
    print(others[0]["description"] if others else "no anomaly is reported")
    sys.exit(1)
print(anomalies[0]["description"])
