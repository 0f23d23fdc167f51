#!/usr/bin/env bash
# What esse check shows: text that a person can act on, and pictures.
set -u
. "$(dirname "$0")/lib.sh"

"$ESSE" gen list-append --txns 200 -q --anomaly G1a -o faulty.jsonl
expect "an anomaly is reported" 1 "$ESSE" check -q faulty.jsonl
has "with its contradiction" "$OUT" "relied on something that never happened"
check "in few lines" test "$(echo "$OUT" | wc -l)" -le 24
has "in plain words, too" "$OUT" "    In plain words: A transaction saw data of another one that was rolled back"
has "with what prevents it" "$(echo "$OUT" | tr -s ' \n' ' ')" "It must not happen at read-committed (PostgreSQL, Oracle Database and SQL Server: READ COMMITTED"
has "and what to do" "$(echo "$OUT" | tr -s ' \n' ' ')" "What to do: Use at least READ COMMITTED."
expect "only in plain words" 1 "$ESSE" check -q --plain faulty.jsonl
has "there they are" "$OUT" "In plain words: A transaction saw data of another one"
case "$OUT" in *"relied on"* | *"session 0"*) fail "and nothing else" "$OUT" ;; *) pass "and nothing else" ;; esac
has "and in JSON" "$("$ESSE" check -q --json faulty.jsonl)" '"plain":"In plain words: A transaction saw data'
printf '%s\n' '{"esse":"history","version":1,"db":"mariadb 10.11"}' '{"session":1,"txn":"t1","ops":[{"r":"x","v":null},{"w":"y","v":1}]}' \
    '{"session":2,"txn":"t2","ops":[{"r":"y","v":null},{"w":"x","v":1}]}' >skew.jsonl
expect "write skew" 1 "$ESSE" check -l serializable skew.jsonl
has "rules out repeatable-read, which has two meanings" "$OUT" "what PostgreSQL calls"
has "the database of the history comes first" "$(echo "$OUT" | tr -s " \n" " ")" "at serializable (MySQL and MariaDB (InnoDB): SERIALIZABLE"
case "$OUT" in *$'\033'*) fail "no colour into a pipe" ;; *) pass "no colour into a pipe" ;; esac

expect "drawn" 1 "$ESSE" check -q faulty.jsonl --svg a.svg --dot a.dot
has "the report is printed all the same" "$OUT" "violated"
if command -v xmllint >/dev/null; then check "the picture is XML" xmllint --noout a.svg; else
    check "the picture is XML" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' a.svg
fi
has "with the anomaly" "$(cat a.svg)" ">G1a</text>"
has "and an arrow" "$(cat a.svg)" "marker-end"
has "for Graphviz, too" "$(cat a.dot)" 'label="wr '
if command -v dot >/dev/null; then check "which Graphviz takes" dot -Tsvg -o dot.svg a.dot; else
    skip "which Graphviz takes" "there is no dot"
fi
"$ESSE" check -q faulty.jsonl --svg b.svg --dot b.dot >/dev/null
check "the same picture every time" cmp a.svg b.svg
check "the same graph every time" cmp a.dot b.dot
expect "a picture on standard output is all there is" 1 "$ESSE" check -q faulty.jsonl --svg -
same "to the byte" "$(cat a.svg)" "$OUT"
expect "several histories are not drawn into one file" 64 "$ESSE" check --svg c.svg faulty.jsonl faulty.jsonl
expect "a place that is not there" 74 "$ESSE" check -q --svg nowhere/a.svg faulty.jsonl
cat >odd.edn <<'END'
{:type :invoke, :process 0, :f :txn, :value [[:append :x 1]], :index 0, :time 1000}
{:type :fail, :process 0, :f :txn, :value [[:append :x 1]], :index 1, :time 2000, :error [:conflict "<&>"], :node "n2"}
{:type :invoke, :process 1, :f :txn, :value [[:r :x nil]], :index 2, :time 3000}
{:type :ok, :process 1, :f :txn, :value [[:r :x [1]]], :index 3, :time 4000}
END
expect "what Esse does not know is shown" 1 "$ESSE" check -q odd.edn --svg odd.svg
has "the node" "$OUT" 'node "n2"'
has "the error" "$OUT" 'error [:conflict "<&>"]'
has "the clock" "$OUT" 'time 3000 to 4000'
has "escaped in the picture" "$(cat odd.svg)" '&lt;&amp;&gt;'
finish
