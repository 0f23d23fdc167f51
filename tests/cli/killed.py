#!/usr/bin/env python3
"""Kills esse while it records SQLite, again and again: is everything that it had done in the history?

usage: killed.py ESSE ROUNDS SIGNAL...

Every element in the database must have been appended by a transaction of the history, those of committed ones must
all be there, and what was recorded must be serializable.  Prints the first thing that is not so; exit status 1.
"""
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

ESSE, ROUNDS, SIGNALS = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def appended(path):
    """By status: keys and elements; and how many transactions are of unknown outcome."""
    found, unknown = {"committed": set(), "aborted": set(), "unknown": set()}, 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            status = record.get("status", "committed")
            unknown += status == "unknown"
            found[status].update((op["a"], op["v"]) for op in record.get("ops", ()) if "a" in op)
    return found, unknown


def stored(path):
    database = sqlite3.connect(path)
    tables = [row[0] for row in database.execute("select name from sqlite_master where name like 'esse%' "
                                                 "and type = 'table'")]
    return {(str(key), int(item)) for table in tables
            for key, items in database.execute(f"select k, v from {table}") for item in (items or "").split(",") if item}


def wait_until_still(path):
    """The crash handler writes when esse is dead."""
    size = -1
    while size != os.path.getsize(path):
        size = os.path.getsize(path)
        time.sleep(0.2)


def one_round(number, folder):
    database, run = f"{folder}/x.db", f"{folder}/run"
    with subprocess.Popen([ESSE, "collect", f"sqlite:{database}", "--duration", "60s", "--out", run, "--quiet"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as esse:
        while not os.path.exists(f"{run}/history.jsonl"):
            time.sleep(0.01)
        time.sleep(0.2 + random.random() / 2)
        esse.send_signal(getattr(signal, SIGNALS[number % len(SIGNALS)]))
    wait_until_still(f"{run}/history.jsonl")
    found, unknown = appended(f"{run}/history.jsonl")
    there = stored(database)
    strange = there - found["committed"] - found["unknown"]
    lost = found["committed"] - there
    status = subprocess.run([ESSE, "check", "--quiet", "--level", "serializable", f"{run}/history.jsonl"],
                            stdout=subprocess.DEVNULL, check=False).returncode
    if strange or lost or status:
        sys.exit(f"round {number}: {len(strange)} elements that no transaction appended, {len(lost)} lost, check {status}")
    return unknown, len(found["committed"])


def main():
    random.seed(7)
    unknown = committed = 0
    for number in range(ROUNDS):
        folder = tempfile.mkdtemp()
        try:
            more = one_round(number, folder)
        finally:
            shutil.rmtree(folder)
        unknown, committed = unknown + more[0], committed + more[1]
    print(f"{committed} elements, {unknown} open transactions")
    if not unknown or not committed:
        sys.exit("nothing was open when esse was killed: nothing was shown")


main()
