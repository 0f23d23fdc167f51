#!/usr/bin/env python3
"""Undoes a fix of PostgreSQL 12.4 in the program of 12.10: "Avoid update conflict out serialization anomalies".

usage: undo_fix.py POSTGRES

12.3 and all before it, from 9.1 on, took the transaction that updated a row for the one that inserted it, where a
reader's snapshot had neither; Jepsen found that in 2020.  No server that old can be had from packages, so the branch that
came with the fix is taken out of a newer one: two bytes.  A program that is compiled otherwise is left alone, and the exit
status is 1.
"""
import sys

BEFORE = bytes.fromhex("4584e4 8b4714 7420 89c2 6681e20018 6681fa0010")  # test visible; je "use the inserter's number"
AFTER = BEFORE.replace(b"\x74\x20", b"\x90\x90")

with open(sys.argv[1], "rb") as file:
    program = file.read()
if program.count(BEFORE) != 1:
    sys.exit("the place was not found")
with open(sys.argv[1], "wb") as file:
    file.write(program.replace(BEFORE, AFTER))
