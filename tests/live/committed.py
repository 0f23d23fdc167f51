#!/usr/bin/env python3
"""Is everything that the history calls committed in the server's own log, and nothing that it calls aborted?

usage: committed.py RUN_DIRECTORY [--lost]

With --lost it only counts the transactions that are called committed and of which the log has nothing.
"""
import json
import sys

folder = sys.argv[1]
logged = {}
for line in open(f"{folder}/certificate.jsonl"):
    for key, versions in json.loads(line).get("version_order", {}).items():
        logged.setdefault(key, set()).update(v for v in versions if not isinstance(v, dict))

bad, lost, committed, unknown = [], 0, 0, 0
for line in open(f"{folder}/history.jsonl"):
    record = json.loads(line)
    if "session" not in record:
        continue
    status, last = record.get("status", "committed"), {}
    for op in record["ops"]:
        if "u" in op:
            last.update((key, pair[1]) for key, pair in op["rows"].items())
        key = op.get("w", op.get("a", op.get("d")))
        if key is None:
            continue
        if "a" in op:
            last[(key, op["v"])] = op["v"]
        else:
            last[key] = op.get("v")  # of a register only the last write is a version
    there = [value in logged.get(key[0] if isinstance(key, tuple) else key, ()) for key, value in last.items()]
    lost += status == "committed" and len(there) > 0 and not any(there)
    for key, value in last.items():
        key = key[0] if isinstance(key, tuple) else key
        if value is None:
            continue
        there = value in logged.get(key, ())
        if status == "committed" and not there:
            bad.append(f"{key} = {value} was committed and is not in the log: {line[:200]}")
        if status == "aborted" and there:
            bad.append(f"{key} = {value} was aborted and is in the log: {line[:200]}")
    committed += status == "committed"
    unknown += status == "unknown"
if sys.argv[2:] == ["--lost"]:
    print(lost)
    sys.exit(0)
print(*bad[:5], sep="\n")
print(f"{committed} committed, {unknown} unknown, {len(bad)} wrong")
sys.exit(1 if bad or not committed else 0)
