#!/usr/bin/env python3
"""Writes a trace of a correct store with snapshots and first updater wins, in virtual time.

usage: watch_trace.py TXNS SESSIONS KEYS [--native] > FILE
Half of the eight operations are writes, keys are uniform.  The lines are those of a collector: in the
order in which operations (with --native: transactions) ended."""
import heapq
import json
import random
import sys

txns, sessions, keys = map(int, sys.argv[1:4])
native = "--native" in sys.argv
rng = random.Random(1)
out = sys.stdout.write
versions, locks = {}, {}  # key -> [(commit, value)], key -> session
state = [None] * sessions
heap, value, done = [], 0, 0


def at(key, snapshot):
    for commit, written in reversed(versions.get(key, ())):
        if commit <= snapshot:
            return written
    return None


def begin(session, now):
    state[session] = {"txn": f"{session}/{begin.count}", "n": 0, "s": None, "w": {}, "ops": [],
                      "start": now}
    begin.count += 1


begin.count = 0
lines = []


def emit(after, text):
    heapq.heappush(lines, (after, len(lines) + emit.count, text))
    emit.count += 1


emit.count = 0


def flush(upto):
    while lines and lines[0][0] <= upto:
        out(heapq.heappop(lines)[2])


if native:
    out('{"esse":"history","version":1}\n')
else:
    out(json.dumps({"esse": "trace", "version": 1, "init": {}, "exclusive": True,
                    "sessions": list(range(sessions))}, separators=(",", ":")) + "\n")
for session in range(sessions):
    begin(session, 1000)
    heapq.heappush(heap, (1000 + rng.randrange(1000), session))
while heap:
    now, session = heapq.heappop(heap)
    flush(now - 4000)
    t = state[session]
    before, after = now - 1 - rng.randrange(300), now + 1 + rng.randrange(300)
    head = f'{{"session":{session},"txn":"{t["txn"]}",'
    end = None
    if t["n"] == 8:
        end = "commit"
        for key, written in t["w"].items():
            chain = versions.setdefault(key, [])
            chain.append((now, written))
            del chain[:-8]
    else:
        t["s"] = t["s"] or now
        key = rng.randrange(keys)
        if rng.random() < 0.5:
            chain = versions.get(key)
            if locks.get(key, session) != session or (chain and chain[-1][0] > t["s"]):
                end = "abort"
            else:
                value += 1
                locks[key] = session
                t["w"][key] = value
                op = f'"w":"k{key}","v":{value}'
        else:
            seen = t["w"].get(key, at(key, t["s"]))
            op = f'"r":"k{key}","v":{"null" if seen is None else seen}'
    if end:
        for key in t["w"]:
            locks.pop(key, None)
        if native:
            status = "" if end == "commit" else '"status":"aborted",'
            emit(after, head + f'{status}"start":{t["start"]},"end":{after},"ops":[' +
                 ",".join(t["ops"]) + "]}\n")
        else:
            emit(after, head + f'"{end}":true,"t":[{before},{after}]}}\n')
        done += 1
        if done + sessions > txns:
            continue
        begin(session, after)
    elif native:
        t["ops"].append("{" + op + f',"t":[{before},{after}]}}')
    else:
        emit(after, head + op + f',"t":[{before},{after}]}}\n')
    t["n"] += 1
    heapq.heappush(heap, (after + 302 + rng.randrange(400), session))
flush(1 << 62)
