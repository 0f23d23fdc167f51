"""What the scripts of make bench share: where things are, histories, runs on one core."""
import json
import math
import os
import signal
import statistics
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(ROOT, "build", "bench")
ESSE = os.path.join(ROOT, "build", "esse")
PROGRAMS = os.path.join("build", "release", "bench")
LOAD = os.path.join(ROOT, PROGRAMS, "bench_load")
PROCESS = os.path.join(ROOT, PROGRAMS, "bench_process")
ONE_CORE = ["taskset", "-c", "0"]
VERDICTS = ["holds", "violated", "unknown"]

# The workloads of papers, and the form their checkers read them in.
WORKLOADS = ["blindw-rh", "blindw-rw", "blindw-wh", "rmw", "heavy-write", "twitter", "tpcc"]
BLIND = ["--no-times", "--by-session"]

# Whichever of the first two comes first, the third saw too much of the other: every order of the
# versions is refuted, and none by what is known.
VIOLATION = ['{"session":"p","ops":[{"w":"px","v":1},{"w":"py","v":1}]}\n',
             '{"session":"q","ops":[{"w":"px","v":2},{"w":"py","v":2}]}\n',
             '{"session":"r","ops":[{"r":"px","v":1},{"r":"py","v":2}]}\n']


# The histories that docs/benchmarks.md has figures of; the defaults of esse gen are smaller.
SIZES = {"list-append": ["--keys", "100", "--ops", "5", "--sessions", "10",
                         "--max-writes-per-key", "32"],
         "rw-register": ["--keys", "1000", "--ops", "5", "--sessions", "10"],
         "predicate": ["--keys", "100", "--ops", "5", "--sessions", "10",
                       "--predicate-share", "0.2"]}


def sizes(workload):
    return SIZES.get(workload, ["--sessions", "24"])


def build():
    programs = [os.path.join(PROGRAMS, name) for name in ("bench_load", "bench_process")]
    subprocess.run(["make", "--no-print-directory", "-s", "-C", ROOT, "build/esse", *programs],
                   check=True, stdout=subprocess.DEVNULL)
    os.makedirs(DATA, exist_ok=True)


def history(workload, txns, ending, name="", *options):
    path = os.path.join(DATA, f"{workload}{name}-{txns}.{ending}")
    if not os.path.exists(path):
        subprocess.run([ESSE, "gen", workload, *sizes(workload), "--txns", str(txns), "-q", "-o", path,
                        *options], check=True)
    return path


def prepare(workload, txns, options, violated=False):
    """A history of committed transactions.  Of a certificate only the version orders stay: the
    order of the transactions would be the answer."""
    name = "-poly" + "".join(sorted(options)).replace("--", "-") + ("-violated" if violated else "")
    ready = os.path.join(DATA, f"{workload}{name}-{txns}.ready.jsonl")
    if os.path.exists(ready):
        return ready
    made = history(workload, txns, "jsonl", name, "--drop-aborted", *options)
    with open(made) as lines, open(ready, "w") as out:
        out.writelines(line for line in lines if not line.startswith('{"order"'))
        out.writelines(VIOLATION if violated else [])
    os.remove(made)
    return ready


def load_once(path, level=None):
    out = subprocess.run(ONE_CORE + [LOAD, path] + ([level] if level else []), check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)


def read_seconds(path, repeats):
    return statistics.median(load_once(path)["load"] for _ in range(repeats))


def check_once(path, level, options, limit):
    """One 'esse check' on one core: seconds from start to end, peak memory, the answer."""
    run = subprocess.run([PROCESS, str(limit), *ONE_CORE, ESSE, "check", "-q", "--json", "--level",
                          level, *options, path], check=True, capture_output=True, text=True)
    cost = json.loads(run.stderr.splitlines()[-1])
    row = {"seconds": cost["seconds"], "processor": cost["processor"], "megabytes": cost["peak_kilobytes"] / 1024, "counts": {}}
    if cost["signal"] == signal.SIGALRM:
        return dict(row, verdict="time-out")
    if cost["exit"] not in (0, 1, 2):
        return dict(row, verdict=f"exit {cost['exit']}, signal {cost['signal']}")
    result = json.loads(run.stdout)["results"][0]
    for phase in result.get("phases", []):  # several of a name, if there were several attempts
        for what, count in phase["counts"].items():
            before = 0 if phase["name"] == "known" else row["counts"].get(what, 0)
            row["counts"][what] = before + count
    return dict(row, verdict=result["verdict"], engine=result["engine"])


def check(path, level, options, limit, repeats, long=5, by="seconds"):
    """The run with the median time; what takes long is run once."""
    runs = [check_once(path, level, options, limit)]
    while len(runs) < repeats and runs[0]["seconds"] < long:
        runs.append(check_once(path, level, options, limit))
    runs.sort(key=lambda run: run[by])
    return runs[len(runs) // 2]


def exponent(small, large, what, size="operations"):
    """How the time grows with the operations, or another size, between two measurements."""
    return math.log(large[what] / small[what]) / math.log(large[size] / small[size])


def shown(number, digits=2):
    return "-" if number is None else f"{number:.{digits}f}"


def table(columns, rows):
    """Prints a markdown table, each row as soon as it is there, and returns the rows.  Columns are
    (heading, what to show of a row)."""
    print("| " + " | ".join(heading for heading, _ in columns) + " |")
    print("|---" * len(columns) + "|", flush=True)
    printed = []
    for row in rows:
        print("| " + " | ".join(str(show(row)) for _, show in columns) + " |", flush=True)
        printed.append(row)
    return printed
