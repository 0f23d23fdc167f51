#!/usr/bin/env bash
# What esse check writes for other programs: --junit, --sarif, --markdown.
set -u
. "$(dirname "$0")/lib.sh"
here=$ROOT/tests/cli

# holds_together NAME STATUS NOT-CHECKED FAILS-UNKNOWN ARGUMENT...: runs esse check with all three, and holds
# them to the JSON of the same histories.
holds_together() {
    local name=$1 status=$2 not_checked=$3 fails=$4
    shift 4
    expect "$name" "$status" "$ESSE" check -q --json "$@" --junit j.xml --sarif s.json --markdown m.md
    printf '%s\n' "$OUT" >out.jsonl
    check "$name: JUnit's XML" xmllint --noout --schema "$here/junit.xsd" j.xml
    check "$name: as in JSON" /usr/bin/python3 "$here/summaries.py" j.xml s.json m.md out.jsonl \
        "$here/sarif.schema.json" "$not_checked" "$fails"
}

"$ESSE" gen list-append --txns 300 -q --anomaly G1a -o 'a b#%|.jsonl'
"$ESSE" gen list-append --txns 200 -q -o good.jsonl
"$ESSE" gen rw-register --txns 400 -q --level read-committed -o weak.jsonl
printf '%s\n' '{"session":1,"txn":"t`1|","ops":[{"r":"x</testcase>]]>","v":null},{"w":"y@all","v":"<script>\u0001\n# h"}]}' \
    '{"session":2,"txn":"t2","ops":[{"r":"y@all","v":null},{"w":"x</testcase>]]>","v":1}]}' >skew.jsonl
printf '%s\n' '{"session":1,"txn":"a","ops":[{"w":"x","v":1}],"status":"aborted"}' >nothing.jsonl
echo '{"x' >'bad@<script>|.jsonl'
: >empty.jsonl

holds_together "one that holds" 0 0 yes good.jsonl
holds_together "one that is violated" 1 0 yes -l serializable,snapshot-isolation,read-committed 'a b#%|.jsonl'
holds_together "one with hostile names" 1 0 yes -l serializable skew.jsonl
holds_together "many anomalies" 1 0 yes -l serializable,snapshot-isolation,read-committed,read-atomic weak.jsonl
holds_together "all of them with --verbose" 1 0 yes -v -l serializable weak.jsonl
holds_together "all levels" 1 0 yes -l all skew.jsonl
holds_together "several" 1 0 yes -l serializable good.jsonl skew.jsonl nothing.jsonl
holds_together "nothing was committed" 2 0 yes nothing.jsonl
holds_together "a level that is unknown and may be" 0 0 no --fail-on violated --engine scan -l serializable good.jsonl
holds_together "a stream" 1 0 yes --stream -l serializable --order-by order good.jsonl

expect "one that cannot be read beside others" 65 "$ESSE" check -q --json -l serializable 'bad@<script>|.jsonl' skew.jsonl \
    --junit j.xml --sarif s.json --markdown m.md
printf '%s\n' "$OUT" >out.jsonl
check "is a case with an error" xmllint --noout --schema "$here/junit.xsd" j.xml
check "and the others stand" /usr/bin/python3 "$here/summaries.py" j.xml s.json m.md out.jsonl "$here/sarif.schema.json" 1 yes
has "with its line" "$(cat j.xml)" "line 1, column 4"
has "in SARIF, too" "$(cat s.json)" 'bad@%3Cscript%3E%7C.jsonl'

expect "from standard input" 1 sh -c "'$ESSE' check -q -l serializable - --sarif s.json --junit - <skew.jsonl"
has "JUnit is the answer there" "$OUT" '<testsuite name="standard input"'
case "$OUT" in "<?xml"*) pass "and nothing else" ;; *) fail "and nothing else" "$OUT" ;; esac
case "$(cat s.json)" in *physicalLocation*) fail "no file is named" "$(cat s.json)" ;; *) pass "no file is named" ;; esac

# An issue takes 65,536 characters, however much there is to say.
for i in $(seq 300); do cp skew.jsonl "a-long-name-of-a-history-that-is-one-of-many-$i.jsonl"; done
expect "three hundred histories" 1 "$ESSE" check -q -l serializable,snapshot-isolation,causal-consistency a-long*.jsonl --markdown m.md
check "fit" test "$(wc -m <m.md)" -le 65536
has "and what is left out is counted" "$(cat m.md)" "more anomalies are not shown here"
has "histories, too" "$(cat m.md)" "more histories are in the counts above"
if command -v cmark-gfm >/dev/null; then
    "$ESSE" check -q -l serializable skew.jsonl 'bad@<script>|.jsonl' --markdown m.md >/dev/null 2>&1
    html=$(cmark-gfm --unsafe -e table m.md)
    has "Markdown is a table" "$html" "<table>"
    has "with the transactions as they are" "$html" 'r x&lt;/testcase&gt;]]&gt; = nil'
    case "$html" in *"<script"* | *"</testcase"* | *" y@all without"*) fail "and no markup of a user's" "$html" ;;
    *) pass "and no markup of a user's" ;; esac
else
    skip "Markdown is a table" "there is no cmark-gfm"
fi

expect "a place that is not there" 74 "$ESSE" check -q --junit nowhere/j.xml good.jsonl
rm -f j.xml
expect "bad usage writes nothing" 64 "$ESSE" check -q -l nonsense --junit j.xml good.jsonl
check "indeed" test ! -e j.xml
finish
