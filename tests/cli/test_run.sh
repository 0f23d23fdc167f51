#!/usr/bin/env bash
# esse run and esse collect: on SQLite and on the store in memory, which need no server.
set -u
# shellcheck source=tests/cli/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# ---- SQLite keeps its promise, and without it does not ------------------------------------------

expect "SQLite is serializable" 0 "$ESSE" run -n 2000 -o holds
has "the summary says what was done" "$OUT" "sqlite 3."
has "it says what holds" "$OUT" "holds serializable"
has "it says where everything is" "$OUT" "saved in holds"

expect "shared cache and read_uncommitted: dirty reads" 1 \
    "$ESSE" run sqlite: --isolation read-uncommitted --level read-committed -n 6000 \
    --abort-share 0.3 -o dirty
has "an aborted read is found" "$OUT" "G1a: a committed transaction read what an aborted one appended"
has "and explained" "$OUT" "relied on something that never happened"
expect "what it claims then is all that it gives" 0 \
    "$ESSE" run sqlite: --isolation 'Read Uncommitted' -w rw-register -n 500 -o claimed

for workload in rw-register bank long-fork write-skew smallbank ycsb-f rmw heavy-write twitter rubis tpcc blindw-rw; do
    expect "$workload holds on SQLite" 0 "$ESSE" run -w $workload -n 300 -o "w-$workload" -q
done
for workload in predicate blindw-pred; do
    expect "$workload holds on SQLite: its commits are counted" 0 \
        "$ESSE" run -w $workload -n 1500 -o "w-$workload"
    has "by what each statement saw" "$OUT" "under the certificate (commit-order)"
done
for what in 'count(\*)' 'sum(v)' 'min(v + 0)' 'max(v + 0)'; do
    check "$what is drawn" grep -q "SELECT $what FROM rows WHERE" w-predicate/history.jsonl
done
python3 - <<'END'
import re
lines = open("w-predicate/history.jsonl").read().splitlines()
spoilt = next(i for i in range(len(lines) - 1, 0, -1)
              if '"aborted"' not in lines[i] and re.search(r'"result":\[\d+\]', lines[i]))
lines[spoilt] = re.sub(r'"result":\[\d+\]', '"result":[7]', lines[spoilt], count=1)
open("spoilt.jsonl", "w").write("\n".join(lines) + "\n")
END
"$ESSE" check -l serializable --budget 3s --certificate w-predicate/certificate.jsonl spoilt.jsonl >spoilt.out
check "an aggregate that is wrong does not hold" test $? -ne 0
expect "predicates on deferred transactions" 0 "$ESSE" run 'sqlite:?begin=deferred' -w predicate -n 1000 \
    -o deferred-predicate -q
for level in strict-serializable snapshot-isolation read-committed; do
    expect "predicates in memory, $level" 0 "$ESSE" run "memory:?level=$level" -w predicate -n 1500 \
        -o "memory-$level" -q
done
expect "phantoms under snapshot isolation" 1 "$ESSE" run 'memory:?level=snapshot-isolation' -l serializable \
    -w predicate -n 1500 -o phantoms -q
expect "deferred transactions hold too" 0 "$ESSE" run 'sqlite:?begin=deferred' -n 1000 -o deferred
expect "so does a rollback journal" 0 "$ESSE" run 'sqlite:?journal=delete&busy=1' -n 300 -o journal
expect "a file of the user's" 0 "$ESSE" run "sqlite:$WORK/mine.db" -n 300 -o mine
check "stays" test -s "$WORK/mine.db"

# ---- transactions of the user's own --------------------------------------------------------------

expect "a workload file on SQLite" 0 "$ESSE" run -w "sql:$ROOT/examples/on-call.sql" -n 1500 -o own
has "commits are ordered" "$OUT" "commits from SQLite"
has "predicates are decided" "$OUT" "under the certificate (commit-order)"
check "rows have their columns" grep -q '"r":"doctors/3","v":{"id":3,' own/history.jsonl
check "updates by condition have the row before and after" \
    grep -q '"u":"SELECT \* FROM doctors WHERE shift = 1 AND id < 100","rows":{"doctors/1":\[{' own/history.jsonl
check "deletes too" grep -q '},null\]' own/history.jsonl
expect "keys of two columns" 0 "$ESSE" run -w "sql:$ROOT/examples/seats.sql" -n 1500 -o seats
check "are distinguished" grep -qF '"r":"seats/2,it'"'"'s a box\\, up"' seats/history.jsonl
check "one row by its key is no predicate" grep -q '"w":"seats/1,A1"' seats/history.jsonl
sed 's/VALUES (:stamp.*)/& ON CONFLICT (night, seat) DO UPDATE SET guest = 7, stamp = excluded.stamp/; /AND seat = :extra;/d' \
    "$ROOT/examples/seats.sql" >upsert.sql
expect "INSERT that may find its row" 0 "$ESSE" run -w sql:upsert.sql -n 1500 -o upsert
check "is a write of what came out" grep -q '"w":"seats/1,C1","v":{"guest":7,' upsert/history.jsonl
again=$(grep '^esse run ' own/README | sed "s|^esse|$ESSE|")
expect "the README's line repeats it" 0 bash -c "$again -o own-again"
# No transaction writes between the SELECT that shows how rows were and the UPDATE, in a shared cache too.
expect "a workload file at read-uncommitted" 0 "$ESSE" run sqlite: -i read-uncommitted -w "sql:$ROOT/examples/seats.sql" -n 6000 -o dirty-own
has "which has no order of commits" "$OUT" "no order of versions: commits of your own transactions"
recheck=$(grep '^esse check ' dirty-own/README | sed "s|^esse|$ESSE|")
expect "so the README's check does without" 0 bash -c "cd dirty-own && $recheck"
expect "dirty reads are found in it" 1 "$ESSE" check -q -l read-committed dirty-own/history.jsonl
has "by their name" "$OUT" "G1a: "
expect "an unknown level is reported before anything runs" 64 "$ESSE" run -l serializable,serialisable -n 100 -o unknown-level
has "with a suggestion" "$ERR" "did you mean 'serializable'"
check "and nothing is left behind" test ! -e unknown-level
expect "a certificate that is not there" 74 "$ESSE" check --certificate nowhere.jsonl dirty-own/history.jsonl
has "is what is reported" "$ERR" "certificate nowhere.jsonl: cannot open"
cat >broken.sql <<'END'
table t (id, a)
transaction one
    SELECT * FROM t WHERE a = 1;
    SELECT * FROM t WHERE
        lower(a) = 1;
END
expect "a condition that the check does not know" 65 "$ESSE" run -w sql:broken.sql -o nothing
has "is reported with file and line" "$ERR" "broken.sql:4: "
sed -i 's/lower(a)/b/' broken.sql
expect "a column that is not declared" 65 "$ESSE" run -w sql:broken.sql -o nothing
has "too" "$ERR" "broken.sql:4: "
sed -i 's/FROM t/FROM/' broken.sql
expect "a statement without a table" 65 "$ESSE" run -w sql:broken.sql -o nothing
has "is reported where it stands" "$ERR" "broken.sql:3: "
expect "a file that is not there" 74 "$ESSE" run -w sql:missing.sql -o nothing
expect "no file" 64 "$ESSE" run -w sql -o nothing
expect "a store without SQL" 64 "$ESSE" run memory: -w "sql:$ROOT/examples/on-call.sql" -o nothing
check "nothing is left behind" test ! -e nothing
printf 'table t (id, a)\nsetup\n    CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER);\n%s' \
    'transaction one
    UPDATE t SET nonsense = 1;
' >nonsense.sql
expect "what the database refuses ends the run" 69 "$ESSE" run -w sql:nonsense.sql -n 10 -o refused
has "with its words" "$ERR" "no such column"

# ---- the run directory --------------------------------------------------------------------------

for file in history.jsonl certificate.jsonl config.json verdict.txt verdict.json evidence.json report.html README; do
    check "the run directory has $file" test -s "holds/$file"
done
check "config.json and verdict.json are JSON" python3 -c '
import json
config = json.load(open("holds/config.json"))
assert config["workload"] == "list-append" and config["isolation"] == "serializable"
assert config["settings"]["journal_mode"] == "wal"
assert json.load(open("holds/verdict.json"))["results"][0]["verdict"] == "holds"'
check "and no picture of nothing" test ! -e holds/evidence.svg
expect "the history can be checked by itself" 0 "$ESSE" check -l serializable holds/history.jsonl
expect "the evidence can be verified" 0 "$ESSE" verify --certificate holds/certificate.jsonl \
    holds/evidence.json holds/history.jsonl
expect "a run is not overwritten" 74 "$ESSE" run -n 10 -o holds
has "and says why" "$ERR" "it is there already"
again=$(grep '^esse run ' holds/README | sed "s|^esse|$ESSE|")
expect "the README's line repeats the run" 0 bash -c "$again -o again"
same "with the same number of transactions" "$(grep -c '"session"' holds/history.jsonl)" \
    "$(grep -c '"session"' again/history.jsonl)"
recheck=$(grep '^esse check ' holds/README | sed "s|^esse|$ESSE|")
expect "and the other one the check" 0 bash -c "cd holds && $recheck"
mkdir temporary
expect "without --out the directory has a name of its own" 0 env "TMPDIR=$PWD/temporary" "$ESSE" run -n 50
same "in esse-runs" 1 "$(find esse-runs -name '*-sqlite-list-append' | wc -l)"
same "nothing is left of the temporary database" "" "$(ls temporary)"

python3 - <<'END' && pass "lines are in the order of ends" || fail "lines are in the order of ends"
import json
last = 0
for line in open("holds/history.jsonl"):
    txn = json.loads(line)
    if "session" in txn:
        assert last <= txn["end"] and txn["start"] <= txn["end"]
        for op in txn["ops"]:
            assert txn["start"] <= op["t"][0] <= op["t"][1] <= txn["end"]
        last = txn["end"]
assert last > 0
END

# ---- collect ------------------------------------------------------------------------------------

# The recorder puts lines without the writer of the format: they must be what that would write.
for what in "memory: -w list-append" "memory: -w rw-register" "memory: -w predicate" "memory: -w bank" \
    "sqlite: -w predicate" "sqlite: -w sql:$ROOT/examples/on-call.sql"; do
    rm -rf canonical
    # shellcheck disable=SC2086
    "$ESSE" collect $what -n 500 -o canonical -q >/dev/null
    "$ESSE" convert canonical/history.jsonl canonical.jsonl
    check "lines are as the format writes them: ${what%%/*}" \
        cmp <(grep -v '^{"init"' canonical/history.jsonl) <(grep -v '^{"init"' canonical.jsonl)
done
expect "collect records" 0 "$ESSE" collect -n 500 -o collected
check "and does not check" test ! -e collected/verdict.txt
expect "what it recorded holds" 0 "$ESSE" check -l serializable collected/history.jsonl

check "a kill -9 of esse loses nothing: what was open is of unknown outcome" \
    python3 "$ROOT/tests/cli/killed.py" "$ESSE" 4 SIGKILL
check "nor does a fault of its own" python3 "$ROOT/tests/cli/killed.py" "$ESSE" 2 SIGABRT SIGSEGV

"$ESSE" run -d 60s -o interrupted >interrupted.out 2>interrupted.err &
pid=$!
for _ in $(seq 100); do
    [ -s interrupted/history.jsonl ] && break
    sleep 0.1
done
kill -INT $pid
wait $pid
same "an interrupted run is unknown" 2 $?
has "and says what is left" "$(cat interrupted.err)" "can be checked"

mkdir -p measuring && cd measuring || exit 1
expect "what recording costs can be asked for" 0 "$ESSE" collect sqlite: -w rw-register -d 1500ms --measure-recording
has "of the throughput, and how sure that is" "$OUT" "% of the throughput (standard error "
has "with both rates" "$OUT" " commits/s with it and "
check "there is no history" test "${OUT/saved in/}" = "$OUT"
same "nor anything else" "" "$(ls -A)"
expect "of a run that is too short nothing is said" 0 "$ESSE" collect memory: -n 100 --measure-recording
has "but that" "$OUT" "recording: not measured, the run was too short"
expect "half a history is not saved on request either" 64 "$ESSE" collect --measure-recording -o half
check "nothing was made" test ! -e half
cd ..

# ---- repeating ----------------------------------------------------------------------------------

expect "--repeat" 0 "$ESSE" run memory: -n 200 --repeat 3 -o three -q
same "has a directory for each" "1 2 3" "$(ls three | xargs)"
check "with seeds that follow each other" grep -q '"seed": 3' three/3/config.json
expect "--until-violation stops at one" 1 "$ESSE" run 'memory:?level=snapshot-isolation' -l serializable \
    -w write-skew -n 2000 --until-violation --repeat 5 -o until -q
same "the first shows it" 1 "$(ls until | wc -l)"
expect "and without one after all" 0 "$ESSE" run memory: -n 100 --until-violation --repeat 2 -o clean -q

# ---- JSON ---------------------------------------------------------------------------------------

expect "--json" 1 "$ESSE" run 'memory:?bug=G1a' -n 100 -o j --json -q
check "is one object with the anomaly" python3 -c '
import json, sys
assert "G1a" in json.loads(sys.argv[1])["anomaly_types"]' "$OUT"

# ---- every bug is found -------------------------------------------------------------------------

# Those that are reported by another name: what is said to be "reported as" in esse levels, and the
# generator's own names.
told_as() {
    case $1 in
    write-skew | G-update) echo G2-item ;;
    G-cursor) echo lost-update ;;
    G-monotonic | G-MSR | G-SI | G-SIb | fractured-read | causality) echo G-single-item ;;
    long-fork) echo G-nonadjacent-item ;;
    phantom) echo G-single ;;
    *) echo "$1" ;;
    esac
}
# Lines "NAME VERDICT": those where neither the name is reported nor anything that implies it.
untold() {
    python3 -c '
import json, sys
implies = {a["name"]: a.get("implies", []) for a in json.load(open("levels.json"))["anomalies"]}
for line in sys.stdin:
    asked, path = line.split()
    verdict = json.load(open(path))
    left, seen = verdict["anomaly_types"] + [a["type"] for a in verdict["also_found"]], set()
    while left:
        name = left.pop()
        seen.add(name)
        left += [n for n in implies.get(name, []) if n not in seen]
    if asked not in seen:
        print(line.strip())'
}
found() { # bug, workload
    local name=$1 workload=$2 status=1 options=()
    case $name in
    duplicate-write)
        [ "$workload" = list-append ] || return # elsewhere unique values are not promised
        status=0 ;;                             # it breaks no level
    cyclic-versions) options=(--wfr-keys) ;;
    esac
    expect "$name is found in $workload" $status "$ESSE" run "memory:?bug=$name" -w "$workload" -n 100 \
        -o "bug-$name-$workload" -q "${options[@]}"
    echo "$(told_as "$name") bug-$name-$workload/verdict.json" >>expected
}
"$ESSE" levels --json >levels.json
"$ESSE" gen --anomaly help | awk 'NR > 1 && NF && $1 != "workloads:" {
    for (i = 2; $i ~ /^[lrp]$/; i++) print $1, $i }' | sort -u >bugs
check "there are many bugs" test "$(wc -l <bugs)" -gt 150
same "one for every anomaly" "" "$(python3 -c '
import json
print(*{a["name"] for a in json.load(open("levels.json"))["anomalies"]} - {line.split()[0] for line in open("bugs")})')"
while read -r name letter; do
    case $letter in l) found "$name" list-append ;; r) found "$name" rw-register ;; p) found "$name" predicate ;; esac
done <bugs
expect "a bug chooses a workload that shows it" 1 "$ESSE" run 'memory:?bug=phantom' -n 50 -o chosen
has "which is reported" "$OUT" "predicate, 8 sessions"
expect "and its own level, which may be named" 1 "$ESSE" run 'memory:?bug=causal-cycle' -l read-atomic,causal -n 50 -o named
has "one holds" "$OUT" "holds read-atomic"
same "each is reported by its name" "" "$(untold <expected)"
check "and drawn" grep -q '<svg .*' bug-G1c-rw-register/evidence.svg
recheck=$(grep '^esse check ' bug-cyclic-versions-rw-register/README | sed "s|^esse|$ESSE|")
expect "a README does not ask for a certificate that is not there" 1 bash -c "cd bug-cyclic-versions-rw-register && $recheck"
has "nor forgets what was assumed" "$OUT" "cyclic-versions"

# ---- what is wrong ------------------------------------------------------------------------------

expect "no transactions" 64 "$ESSE" run -n 0 -o nothing
expect "no time" 64 "$ESSE" run -d 0s -o nothing
expect "no level" 64 "$ESSE" run -l '' -n 10 -o nothing
expect "a wrong workload is reported before a server is started" 64 "$ESSE" run --spawn nobody -w nonsense -o nothing
has "by its name" "$ERR" "unknown workload 'nonsense'"
expect "a share of more than all" 64 "$ESSE" run --read-share 1.5 -o nothing
check "nothing was made for any of them" test ! -e nothing

expect "a database that cannot be opened" 69 "$ESSE" run "sqlite:$WORK/no/such/folder/x.db" -o nothing
has "is named" "$ERR" "no/such/folder/x.db"
check "and nothing is left behind" test ! -e nothing
expect "an unknown kind of database" 64 "$ESSE" run oracle://somewhere -o nothing
has "there is a list" "$ERR" "sqlite:"
expect "an unknown workload" 64 "$ESSE" run -w nonsense -o nothing
expect "an unknown isolation" 64 "$ESSE" run -i chaos -o nothing
has "there is a list of them" "$ERR" "read-uncommitted"
expect "an unknown parameter" 64 "$ESSE" run 'sqlite:?jornal=wal' -o nothing
has "those that there are" "$ERR" "journal"
expect "an unknown bug" 64 "$ESSE" run 'memory:?bug=ants' -o nothing
expect "a bug that the workload cannot show" 64 "$ESSE" run 'memory:?bug=phantom' -w bank -o nothing
mkdir lib && echo damaged >lib/libpq.so.5
expect "a client library that is not there" 69 env "LD_LIBRARY_PATH=$PWD/lib" "$ESSE" run postgresql://localhost/x -o nothing
has "its package is named" "$ERR" "package libpq5"
expect "checking alone does not need it" 0 env "LD_LIBRARY_PATH=$PWD/lib" "$ESSE" --version
expect "no sessions" 64 "$ESSE" run -s 0 -o nothing
expect "an unknown level" 64 "$ESSE" run memory: -n 10 -l nonsense -o level
expect "targets are listed" 0 "$ESSE" run help
has "with what they claim" "$OUT" "claims serializable"
expect "workloads are listed" 0 "$ESSE" run --workload help
same "as many as there are" 20 "$(wc -l <<<"$OUT")"

# ---- secrets ------------------------------------------------------------------------------------

secret=xyzzy-plugh
expect "a URL with a password" 64 "$ESSE" run "sqlite://bob:$secret@host/db" -o nothing
same "is not repeated" "" "$(grep -F $secret <<<"$OUT$ERR")"
expect "nor one with another mistake" 64 "$ESSE" run "nosql://bob:$secret@host:99999999/db?password=$secret" -o nothing
same "whatever it is" "" "$(grep -F $secret <<<"$OUT$ERR")"

# A password in a URL is overwritten: ps shows it to all users.  The server here never answers.
python3 -c '
import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(8)
print(s.getsockname()[1], flush=True); time.sleep(60)' >port &
silent=$!
until [ -s port ]; do sleep 0.05; done
"$ESSE" run "postgresql://bob:hunter2@127.0.0.1:$(cat port)/db?sslpassword=hunter3" -q -d 5s -o secret >/dev/null 2>&1 &
asking=$!
for _ in $(seq 40); do
    shown=$(tr '\0' ' ' </proc/$asking/cmdline)
    case $shown in *hunter*) sleep 0.05 ;; *esse*run*) break ;; *) sleep 0.05 ;; esac
done
case $shown in *hunter* | *bob*) fail "ps shows no password" "$shown" ;; *) pass "ps shows no password" ;; esac
has "but that it is PostgreSQL" "$shown" "run postgresql://***"
kill $asking $silent 2>/dev/null
wait $asking $silent 2>/dev/null

# ---- one workload after the other ----
config() { # member, run directory...: its values, one for each
    python3 -c 'import json, sys
for folder in sys.argv[2:]: print(json.load(open(folder + "/config.json"))[sys.argv[1]])' "$@"
}
count=$("$ESSE" run --workload help | grep -vc '^sql ')
expect "--workload all" 0 "$ESSE" run memory: -w all -n 330 -o every
has "tells what came of each" "$OUT" "holds: list-append, rw-register, predicate"
same "does each workload once" "$("$ESSE" run --workload help | grep -v '^sql ' | cut -d' ' -f1)" \
    "$(config workload $(seq -f 'every/%g' "$count"))"
same "which share the transactions" "$(((330 + count - 1) / count))" "$(config txns $(seq -f 'every/%g' "$count") | sort -u)"
expect "--workload all, by time" 1 "$ESSE" run 'memory:?level=read-committed' -l snapshot-isolation -w all -d 1900ms -o shares
has "some are violated" "$OUT" "violated: "
same "they share the time" 0.1 "$(config duration shares/1)"
expect "a database does what it can" 0 "$ESSE" run memory: -w all -n 200 --repeat 2 -o twice-all
same "as often as asked" $((2 * count)) "$(ls twice-all | wc -l)"
expect "--until-violation goes round" 0 "$ESSE" run memory: --until-violation --repeat $((2 * count + 1)) -n 40 -o round
same "the workloads first" "$count" "$(config workload $(seq -f 'round/%g' "$count") | sort -u | wc -l)"
same "with their defaults" 8 "$(config sessions $(seq -f 'round/%g' "$count") | sort -u)"
same "then the sessions" "8 16 4" "$(config sessions round/1 round/$((count + 1)) round/$((2 * count + 1)) | tr '\n' ' ' | sed 's/ $//')"
same "and the keys" "10 10 40" "$(config keys round/1 round/$((count + 1)) round/$((2 * count + 1)) | tr '\n' ' ' | sed 's/ $//')"
expect "what is given stays" 0 "$ESSE" run memory: -w bank -s 3 --keys 9 --until-violation --repeat 4 -n 8 -o stays
same "..." "bank 3 9" "$(echo $(config workload stays/[1-4] | sort -u) $(config sessions stays/[1-4] | sort -u) $(config keys stays/[1-4] | sort -u))"
expect "a bug's own workload stays" 1 "$ESSE" run 'memory:?bug=phantom' --until-violation -n 20 -o bug-runs
same "..." predicate "$(config workload bug-runs/1)"
printf '%s\n' 'table t (id, v)' 'setup' '  CREATE TABLE t (id integer PRIMARY KEY, v integer);' '  INSERT INTO t VALUES (1, 0);' \
    'teardown' '  DROP TABLE t;' 'transaction look' '  UPDATE t SET v = v + 1 WHERE id = 1;' >named.sql
expect "a workload file with named transactions" 0 "$ESSE" run -q -w sql:named.sql -n 20 -l read-committed -o labelled
has "whose history has their names" "$(cat labelled/history.jsonl)" '"edn":{":transaction":"look"},"ops":'

# Statements as they stand in the file: written once, named by number, shown in reports.  At read-uncommitted
# with rollbacks there are dirty reads.
cat >stated.sql <<'END'
table t (id, v)
param v unique
setup
  CREATE TABLE t (id integer PRIMARY KEY, v integer);
  INSERT INTO t VALUES (1, -1);
teardown
  DROP TABLE t;
transaction change weight 2
  UPDATE t
     SET v = :v
   WHERE id = 1;
transaction look
  SELECT v FROM t WHERE id = 1;
END
for _ in 1 2 3 4 5; do # what the sessions do to each other is chance
    "$ESSE" run sqlite: --isolation read-uncommitted -q -w sql:stated.sql -s 6 -n 3000 --abort-share 0.5 -l read-committed -o stated >stated.txt 2>&1
    [ $? = 1 ] && break
    rm -rf stated
done
text=$(cat stated.txt)
has "dirty reads of the user's own transactions" "$text" "violated read-committed"
same "the header has each statement once" '"statements":["UPDATE t\n     SET v = :v\n   WHERE id = 1","SELECT v FROM t WHERE id = 1"]}' \
    "$(head -1 stated/history.jsonl | grep -o '"statements":.*')"
has "a read is shown with its statement" "$text" "SELECT v FROM t WHERE id = 1   [r t/1 = "
has "an update too, in one line" "$text" "UPDATE t SET v = :v WHERE id = 1   [r t/1 = "
has "with what came of it" "$(grep -F 'UPDATE t SET' stated.txt | head -1)" ', w t/1 = {"id":1,"v":'
expect "native to native" 0 "$ESSE" convert --to native stated/history.jsonl again.jsonl
same "changes nothing" "" "$(cmp stated/history.jsonl again.jsonl 2>&1)"
expect "shrinking" 0 "$ESSE" shrink -q -l read-committed stated/history.jsonl -o small.jsonl
has "keeps the statement" "$("$ESSE" check -q -l read-committed small.jsonl)" "UPDATE t SET v = :v WHERE id = 1   ["
expect "JSON" 1 "$ESSE" check -q -l read-committed --json small.jsonl
has "has it whole" "$OUT" '"statement":"UPDATE t\n     SET v = :v\n   WHERE id = 1"'

# ---- traces: events as they happen ----
own='cr=T,at=B,me=-,fuw=k,time=x' # what the store in memory does at snapshot isolation
expect "a trace is recorded beside the history" 0 "$ESSE" collect --trace -q -n 1500 -s 6 -w rw-register -o traced 'memory:?level=snapshot-isolation'
expect "it can be watched" 0 "$ESSE" watch --json --profile $own traced/trace.jsonl
same "with what the history has, and nothing undecided" "$(grep -c '"ops"' traced/history.jsonl) 0 0" "$(tail -n 1 <<<"$OUT" | python3 -c '
import json, sys
s = json.load(sys.stdin)
print(s["committed"] + s["aborted"] + s["unknown"], s["late"], s["reads_foreign"])')"
"$ESSE" convert -q traced/trace.jsonl traced/again.jsonl
same "as a history it is the same history" "$("$ESSE" stats traced/history.jsonl | grep -E 'committed|operations|keys')" \
    "$("$ESSE" stats traced/again.jsonl | grep -E 'committed|operations|keys')"
expect "its level holds" 0 "$ESSE" check -q -l snapshot-isolation traced/history.jsonl
expect "in both" 0 "$ESSE" check -q -l snapshot-isolation traced/again.jsonl
for workload in list-append predicate bank write-skew; do
    expect "$workload, at SQLite" 0 "$ESSE" collect --trace -q -n 600 -s 4 -w $workload -o "traced-$workload"
    expect "$workload, watched pair by pair" 0 "$ESSE" watch --no-joint --profile sqlite/serializable "traced-$workload/trace.jsonl"
done
"$ESSE" collect --trace -q -d 2s -s 4 --think 1ms -w rw-register -o followed 'memory:?level=snapshot-isolation' &
collecting=$!
until [ -s followed/trace.jsonl ]; do sleep 0.02; done
"$ESSE" watch -q --json --follow --profile $own followed/trace.jsonl >followed.out &
following=$!
wait $collecting
sleep 0.3
kill -INT $following
wait $following
same "a trace is watched while it is recorded" 0 $?
has "to its end" "$(tail -n 1 followed.out)" '"cut_off":0'
has "and told of meanwhile" "$(cat followed.out)" '"per_second"'
"$ESSE" collect --trace -q -d 20s -s 4 --think 1ms -w rw-register -o killed-trace 'memory:?level=snapshot-isolation' &
collecting=$!
until [ -s killed-trace/trace.jsonl ]; do sleep 0.02; done
sleep 0.3
kill -KILL $collecting
wait $collecting 2>/dev/null
sleep 0.2
"$ESSE" watch -q --profile $own killed-trace/trace.jsonl >/dev/null 2>killed.err
same "a trace whose writer was killed accuses nobody" "0 " "$? $(cat killed.err)"
finish
