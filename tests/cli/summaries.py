#!/usr/bin/python3
"""Holds the three summaries of one command to what 'esse check --json' says of the same histories.

summaries.py JUNIT SARIF MARKDOWN JSON-LINES SCHEMA NOT-CHECKED FAILS-UNKNOWN
"""
import json
import re
import sys
import urllib.parse
import xml.etree.ElementTree as xml

import jsonschema

junit_path, sarif_path, markdown_path, json_path, schema_path, not_checked, fails_unknown = sys.argv[1:]
not_checked = int(not_checked)
reports = [json.loads(line) for line in open(json_path, encoding="utf-8")]
wrong = []


def hold(what, expected, got):
    if expected != got:
        wrong.append(f"{what}: expected {expected!r}, got {got!r}")


def of(outcome):
    return [(r["history"]["path"], v) for r in reports for v in r["results"] if v["verdict"] == outcome]


def named(path):
    return "standard input" if path == "-" else path


# ---- JUnit ----
root = xml.parse(junit_path).getroot()
errors = not_checked + (len(of("unknown")) if fails_unknown == "yes" else 0)
skipped = 0 if fails_unknown == "yes" else len(of("unknown"))
verdicts = sum(len(r["results"]) for r in reports)
hold("tests", verdicts + not_checked, int(root.get("tests")))
hold("failures", len(of("violated")), int(root.get("failures")))
hold("errors", errors, int(root.get("errors")))
hold("skipped", skipped, int(root.get("skipped")))
for what, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
    hold(f"elements {element}", int(root.get(what)), len(root.findall(f".//{element}")))
    hold(f"sum of {what}", int(root.get(what)), sum(int(s.get(what)) for s in root))
suites = {s.get("name"): s for s in root}
for report in reports:
    suite = suites[named(report["history"]["path"])]
    cases = {c.get("name").split(",")[0]: c for c in suite.findall("testcase")}
    for verdict in report["results"]:
        case = cases[verdict["level"]]
        outcome = {"failure": "violated", "error": "unknown", "skipped": "unknown"}
        got = [outcome[e.tag] for e in case] or ["holds"]
        hold(f"the case of {verdict['level']}", [verdict["verdict"]], got)
        if verdict["verdict"] == "violated":
            types = list(dict.fromkeys(a["type"] for a in verdict["anomalies"]))
            hold("its message", ", ".join(types), case[0].get("message"))
    values = {p.get("name"): p.get("value") for p in suite.findall("properties/property")}
    if values:
        hold("committed", str(report["history"]["committed"]), values["committed"])

# ---- SARIF ----
sarif = json.load(open(sarif_path, encoding="utf-8"))
jsonschema.validate(sarif, json.load(open(schema_path, encoding="utf-8")))
run = sarif["runs"][0]
rules = [r["id"] for r in run["tool"]["driver"]["rules"]]
hold("rules, each once", len(set(rules)), len(rules))
hold("rules that results name", set(rules), {r["ruleId"] for r in run["results"]})
hold("done", not_checked == 0, run["invocations"][0]["executionSuccessful"])
hold("notifications", not_checked, len(run["invocations"][0]["toolExecutionNotifications"]))
hold("open levels", len(of("unknown")), sum(r.get("kind") == "open" for r in run["results"]))
for report in reports:
    types = {a["type"] for v in report["results"] for a in v["anomalies"]}
    path = report["history"]["path"]
    if path == "-":
        continue
    lines = len(open(path, "rb").read().split(b"\n"))
    got = set()
    for result in run["results"]:
        place = result["locations"][0].get("physicalLocation") if result["locations"] else None
        uri = place and urllib.parse.unquote(place["artifactLocation"]["uri"]).removeprefix("file://")
        if uri != path:
            continue
        if result["level"] == "error":
            got.add(result["ruleId"])
        if "kind" not in result:
            if not 1 <= place["region"]["startLine"] <= lines:
                wrong.append(f"line {place['region']['startLine']} of {path}, which has {lines}")
    if not types >= got or bool(types) != bool(got):
        wrong.append(f"results of {path}: {got} for {types}")

# ---- Markdown ----
text = open(markdown_path, encoding="utf-8").read()
if len(text) > 65536:
    wrong.append(f"Markdown of {len(text)} characters")
rows = [line for line in text.split("\n") if line.startswith("| `")]
cut = re.search(r"(\d+) more histories are in the counts", text)
if not cut:
    hold("rows", verdicts + not_checked, len(rows))
for row in rows:
    cells = re.split(r"(?<!\\)\|", row)
    hold(f"cells of {row}", 6, len(cells))
head = text.split("\n")[0]
for outcome in ("holds", "violated", "unknown"):
    found = re.search(rf"(\d+) {outcome}", head)
    hold(outcome, len(of(outcome)), int(found.group(1)) if found else 0)

for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
