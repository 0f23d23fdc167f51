#!/usr/bin/env python3
"""What a table must hold after a run of a workload file: every committed write, in the order of the commits.

usage: own_rows.py RUN_DIRECTORY TABLE COLUMN...

One line a row, its columns with tabs between, sorted; to be compared with what the database says.
"""
import json
import sys

folder, table, *columns = sys.argv[1:]
rows, writes, seen = {}, {}, {}
for line in open(f"{folder}/history.jsonl"):
    record = json.loads(line)
    rows.update(record.get("init", {}))
    if "session" not in record:
        continue
    name = f"{record['session']}/{seen.setdefault(record['session'], 0)}"
    seen[record["session"]] += 1
    if record.get("status", "committed") == "aborted":
        continue
    made = writes.setdefault(name, [])
    for op in record["ops"]:
        made += [(key, pair[1]) for key, pair in op["rows"].items()] if "u" in op else []
        made += [(op["w"], op["v"])] if "w" in op else [(op["d"], None)] if "d" in op else []
for line in open(f"{folder}/certificate.jsonl"):
    for name in json.loads(line).get("order", []):
        rows.update(writes[name])
found = [row for key, row in rows.items() if row is not None and key.startswith(table + "/")]
for line in sorted("\t".join(str(row[column]) for column in columns) for row in found):
    print(line)
