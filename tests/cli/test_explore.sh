#!/usr/bin/env bash
# esse explore as a user meets it.
set -u
. "$(dirname "$0")/lib.sh"
json() { python3 -c "import json,sys; d=json.load(sys.stdin); print($1)"; }
EXAMPLES=$ROOT/examples/explore

# ---- the question most people have ----
expect "which level is enough" 0 "$ESSE" explore "$EXAMPLES/on-call.tx"
has "serializable is" "$OUT" "the weakest level at which everything holds: strong-session-serializable"
has "the weaker ones are not" "$OUT" "strong-session-snapshot-isolation: broken"
expect "and for a lost update" 0 "$ESSE" explore --find-level --json "$EXAMPLES/bank.tx"
same "snapshot isolation is enough" strong-session-snapshot-isolation "$(echo "$OUT" | json 'd["weakest"]')"

# ---- one level ----
expect "what goes wrong at snapshot isolation" 1 "$ESSE" explore --level si "$EXAMPLES/on-call.tx"
has "which claim" "$OUT" "broken: invariant somebody_is_on_call: sum(on_call) >= 1 (line 25)"
has "sessions side by side" "$OUT" "alice                             | bob"
has "who read from whom" "$OUT" "read on_call[0] = true  (initial)"
has "the final state" "$OUT" "at the end: on_call[0] = false, on_call[1] = false"
has "in words" "$OUT" "each of them changed what the other had relied on"
expect "nothing at serializable" 0 "$ESSE" explore -l ser "$EXAMPLES/on-call.tx"
has "which holds" "$OUT" "strong-session-serializable: holds; 2 histories (3 end states, 1 filtered, 0 blocked)"
expect "several levels: the worst counts" 1 "$ESSE" explore -l ser,si,rc "$EXAMPLES/on-call.tx"
expect "numbers alone" 1 "$ESSE" explore -l si --count "$EXAMPLES/on-call.tx"
same "are one line" 1 "$(echo "$OUT" | wc -l)"

# ---- JSON ----
expect "as JSON" 1 "$ESSE" explore -l si --json "$EXAMPLES/on-call.tx"
same "its members" "level histories end_states filtered blocked seconds broken" \
    "$(echo "$OUT" | json '" ".join(d["results"][0])')"
same "the counts" "3 3 0 0" \
    "$(echo "$OUT" | json '"%d %d %d %d" % tuple(d["results"][0][k] for k in ("histories","end_states","filtered","blocked"))')"
same "what is broken" "invariant somebody_is_on_call 1" \
    "$(echo "$OUT" | json '"%s %s %d" % tuple(d["results"][0]["broken"][0][k] for k in ("kind","name","histories"))')"
same "its execution" "alice leave committed" \
    "$(echo "$OUT" | json '"%(session)s %(txn)s %(status)s" % d["results"][0]["broken"][0]["execution"][0]')"

# ---- threads change nothing ----
for level in rc cc si ser; do
    for name in tpcc shopping-cart courseware; do
        one=$("$ESSE" explore -l $level --threads 1 "$EXAMPLES/$name.tx" | sed 's/, [0-9.]* s$//')
        two=$("$ESSE" explore -l $level --threads 3 "$EXAMPLES/$name.tx" | sed 's/, [0-9.]* s$//')
        same "$name at $level with threads" "$one" "$two"
    done
done

# ---- comparing, listing, drawing ----
expect "what rc allows and ser does not" 1 "$ESSE" explore --compare rc,ser "$EXAMPLES/bank.tx"
has "is told" "$OUT" "axiomatic-read-committed but not strong-session-serializable: differs by 1 of 3 histories"
has "and shown" "$OUT" "one of the two is lost"
expect "no difference" 0 "$ESSE" explore --compare si,ser "$EXAMPLES/bank.tx"
has "is told, too" "$OUT" "no difference by 0 of 2 histories"
expect "each history into a file" 1 "$ESSE" explore -l si --list listed "$EXAMPLES/on-call.tx"
same "all of them" 3 "$(ls listed | wc -l)"
expect "which esse check agrees with" 0 "$ESSE" check -q -l strong-session-snapshot-isolation listed/*.jsonl
"$ESSE" check -q --json -l strong-session-serializable listed/*.jsonl >checked.json
same "one of them is not serializable" 1 "$(grep -o '"verdict":"violated"' checked.json | wc -l)"
expect "a picture" 1 "$ESSE" explore -l si --svg broken.svg "$EXAMPLES/on-call.tx"
has "is drawn" "$(head -c 300 broken.svg)" "<svg"

# ---- SQL ----
expect "a program of SQL" 0 "$ESSE" explore "$EXAMPLES/on-call.sql"
has "is shown by rows" "$OUT" "read doctors/2 = {on_call: true}  (initial)"
has "and its level found" "$OUT" "the weakest level at which everything holds: strong-session-serializable"
expect "its histories, as files" 1 "$ESSE" explore -l si --list listed-sql "$EXAMPLES/on-call.sql"
expect "which esse check agrees with" 0 "$ESSE" check -q -l strong-session-snapshot-isolation listed-sql/*.jsonl
cat >insert.sql <<'SQL'
setup
    CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER);
param id uniform 1 9
transaction add
    INSERT INTO t SELECT :id, count(*) FROM t;
session a
    add(id 1)
session b
    add(id 2)
    add(id 3)
invariant all_see_the_others
    SELECT count(DISTINCT v) = count(*) FROM t;
SQL
expect "keys that come up on the way" 1 "$ESSE" explore -l si --json insert.sql
same "are all there" "t/1 t/2 t/3" "$(echo "$OUT" | json '" ".join(sorted({op["w"] for txn in d["results"][0]["broken"][0]["execution"] for op in txn["ops"] if "w" in op}))')"
same "two inserts are no conflict" "6 histories" "$(echo "$OUT" | json '"%d histories" % d["results"][0]["histories"]')"
expect "but for the set of keys" 0 "$ESSE" explore -l si --tables set insert.sql
expect "listed with new keys" 1 "$ESSE" explore -q -l si --list listed-new insert.sql
same "each history once" 6 "$(ls listed-new | wc -l)"
echo 'setup
    CREATE TABLE t (id INTEGER);
transaction a
    SELECT x FROM t;
session s
    a()' >bad.sql
expect "a column that is not there" 65 "$ESSE" explore bad.sql
has "is an error with its line" "$ERR" "bad.sql:4: 42703: column \"x\" does not exist"
expect "another way to see tables" 64 "$ESSE" explore --tables sets insert.sql

# ---- to be done again ----
expect "the shortest as statements" 1 "$ESSE" explore -q --count -l si --repro again.sql "$EXAMPLES/on-call.sql"
has "side by side" "$(cat again.sql)" "CALL leave(1);                         |
                                       | BEGIN ISOLATION LEVEL REPEATABLE READ;"
has "and for the isolation tester" "$(cat again.sql.spec)" "permutation s0_0 s0_1 s1_2 s1_3 s0_4 s1_5 invariant"
expect "of the small language, too" 0 "$ESSE" explore -q --repro lost.sql "$EXAMPLES/bank.tx"
has "each variable is a row" "$(cat lost.sql)" "SELECT value FROM variables WHERE name = 'balance';  -- 100"

# ---- levels ----
expect "a level by its name" 1 "$ESSE" explore -l prefix-consistency "$EXAMPLES/on-call.tx"
expect "a level that cannot be explored" 64 "$ESSE" explore -l strict-serializable "$EXAMPLES/on-call.tx"
has "and why" "$ERR" "strict-serializable cannot be explored: a program has no clock"
expect "plain snapshot isolation" 64 "$ESSE" explore -l snapshot-isolation "$EXAMPLES/on-call.tx"
has "has sessions here" "$ERR" "strong-session-snapshot-isolation"
expect "a level that is none" 64 "$ESSE" explore -l sir "$EXAMPLES/on-call.tx"

# ---- bad programs ----
tx() { cat >bad.tx; }
tx <<'END'
vars z[2]=0
procedure p(a) { b := 6 / a w:rite(z[a], b) }
session one { begin for i in 0..1 { p(i) } commit }
END
expect "an error in a procedure that a loop calls" 65 "$ESSE" explore bad.tx
has "is told where it stands" "$ERR" "bad.tx:2:29: "
tx <<'TX'
vars x=0
session {
  begin
    a := read(y)
  commit
}
TX
expect "an unknown variable" 65 "$ESSE" explore bad.tx
same "where, what, and the line" "esse: bad.tx:4:15: expected a variable of 'vars', found 'y'
        a := read(y)
                  ^" "$ERR"
echo 'vars x=0 session { begin while (1) { write(x, 1) } commit }' | tx
expect "an unbounded loop" 65 "$ESSE" explore bad.tx
has "must state its bound" "$ERR" "expected 'bound' and how often the loop may go round"
echo 'vars x=0 session { begin while (1) bound 100000 { a := a + 1 } write(x, a) commit }' | tx
expect "a loop that reaches its bound" 2 "$ESSE" explore -l rc bad.tx
has "is unknown" "$OUT" "a loop was left because of its bound"
echo 'vars x="a" session { begin a := read(x) write(x, a + 1) commit }' | tx
expect "a type error" 65 "$ESSE" explore bad.tx
has "says which type" "$ERR" "expected a number, found a text"
echo 'vars x=0 procedure p() { p() } session { begin p() commit }' | tx
expect "recursion" 65 "$ESSE" explore bad.tx
has "is none" "$ERR" "expected a procedure that does not call itself"
echo 'vars x=0 session { begin a := read(x) b := 1 / a commit }' | tx
expect "a division by zero" 1 "$ESSE" explore -l ser bad.tx
has "is found" "$OUT" "s1.t1 stops by a division by zero (line 1)"
{
    echo 'vars x=0'
    for i in $(seq 40); do echo "session { begin a := read(x) write(x, a + $i) commit }"; done
} | tx
for level in rc cc si ser; do
    expect "40 sessions at $level" 2 timeout 20 "$ESSE" explore -q -l $level --budget 1s bad.tx
    has "end with the budget" "$OUT" "the budget ran out: time"
done
expect "a number of histories" 2 "$ESSE" explore -l cc --max-histories 1000 bad.tx
has "is kept to" "$OUT" "unknown; 1000 histories"
for i in $(seq 70); do echo "session { begin write(x, $i) commit }"; done | { echo 'vars x=0'; cat; } | tx
expect "70 sessions" 65 "$ESSE" explore bad.tx
has "are too many" "$ERR" "no more than 64 transactions"
expect "no such file" 74 "$ESSE" explore none.tx

# ---- the examples ----
check "the table of examples is current" "$ROOT/tools/explore-examples" "$ESSE" "$ROOT" --check
finish
