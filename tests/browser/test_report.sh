#!/usr/bin/env bash
# The pages of 'esse check --report' in a real browser.  $1: the program under test.
set -u
. "$(dirname "$0")/../cli/lib.sh"
pages=$ROOT/tests/browser

if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null ||
    ! /usr/bin/python3 -c 'import selenium' 2>/dev/null; then
    skip "reports in a browser" "there is no chromium, chromedriver or python3-selenium"
    finish
fi

# page NAME STATUS ARGUMENT...: NAME.html and NAME.json of one check.
page() {
    local name=$1 status=$2
    shift 2
    expect "$name is checked" "$status" "$ESSE" check -q --json "$@" --report "$name.html" --evidence "$name.ev"
    printf '%s\n' "$OUT" >"$name.json"
    check "$name is a whole page" grep -q '</html>' "$name.html"
}

"$ESSE" gen list-append --txns 300 -q -o holds.jsonl
"$ESSE" gen list-append --txns 300 -q --anomaly G1a -o g1a.jsonl
"$ESSE" gen list-append --txns 300 -q --anomaly lost-update -o lost.jsonl
"$ESSE" gen rw-register --txns 400 -q --level read-committed -o weak.jsonl
"$ESSE" gen predicate --txns 200 -q --level snapshot-isolation -o predicate.jsonl
printf '%s\n' '{"esse":"history","version":1,"db":"<b>postgresql</b> 15","isolation":"repeatable read"}' \
    '{"fault":"kill","node":1,"start":1000,"end":60000}' \
    '{"session":1,"txn":"</script><script>alert(1)</script>","start":10,"end":50,"ops":[{"r":"<script>alert(2)</script>","v":null},{"w":"\u0022><img src=x onerror=alert(3)>","v":1}]}' \
    '{"session":2,"txn":"שלום 🦊","start":20,"end":60,"ops":[{"r":"\u0022><img src=x onerror=alert(3)>","v":null},{"w":"<script>alert(2)</script>","v":1}]}' >hostile.jsonl
printf '%s\n' '{"session":1,"txn":"a","ops":[{"w":"x","v":1}],"status":"aborted"}' >nothing.jsonl
: >empty.jsonl
printf '%s\n' '{"session":1,"txn":"a","ops":[{"w":"x","v":1},{"w":"y","v":1}]}' '{"session":2,"txn":"b","ops":[{"w":"x","v":2},{"w":"y","v":2}]}' \
    '{"session":3,"txn":"c","ops":[{"r":"x","v":1},{"r":"y","v":2}]}' '{"session":4,"txn":"d","ops":[{"r":"x","v":2},{"r":"y","v":1}]}' >cases.jsonl
printf '%s\n' '{"session":1,"txn":"a","ops":[{"r":"x","v":null},{"w":"y","v":1}],"commit_ts":1}' \
    '{"session":2,"txn":"b","ops":[{"r":"y","v":null},{"w":"x","v":1}],"commit_ts":2}' >order.jsonl

page holds 0 -l all holds.jsonl
page g1a 1 -l serializable,snapshot-isolation,read-committed g1a.jsonl
page lost 1 -l serializable,snapshot-isolation lost.jsonl
page weak 1 -l all weak.jsonl
page predicate 1 -l serializable predicate.jsonl
page hostile 1 -l serializable,read-committed hostile.jsonl
page cases 1 -l serializable cases.jsonl
page mismatch 1 -l serializable --order-by commit_ts order.jsonl
page nothing 2 nothing.jsonl
page empty 2 empty.jsonl
page unknown 2 -l serializable --engine scan holds.jsonl
page allowed 0 -l read-committed hostile.jsonl

# What a run leaves.
expect "a run" 1 "$ESSE" run 'memory:?level=snapshot-isolation' -w write-skew -n 3000 -l serializable -o run -q
cp run/report.html run.html
cp run/verdict.json run.json

# What can happen to a program.
explored() { # name, status, argument...
    expect "$1 is explored" "$2" "$ESSE" explore -q --json "${@:3}" --report "$1.html"
    printf '%s\n' "$OUT" >"$1.json"
}
explored explored-weakest 0 "$ROOT/examples/explore/on-call.sql"
explored explored-levels 1 --level rc,si,ser "$ROOT/examples/explore/bank.tx"
explored explored-holds 0 --level ser "$ROOT/examples/explore/on-call.tx"
expect "a place that is not there" 74 "$ESSE" explore -q --report nowhere/x.html "$ROOT/examples/explore/bank.tx"

# The commands that a page shows do what it says.
n=0
while read -r command; do
    n=$((n + 1))
    expect "the page's command $n" "$([ $n -eq 1 ] && echo 1 || echo 0)" bash -c "$(sed "s|^esse|$ESSE|" <<<"$command") -q"
done < <(grep -o '<code>esse [^<]*' hostile.html | sed 's/<code>//' | grep -v verify)
same "there are two" 2 "$n"
check "the smallest history is there" test -s small.jsonl

/usr/bin/python3 "$pages/report.py" "$WORK" >report.log 2>&1
status=$?
cat report.log | grep -v '^[0-9]* passed'
passed=$((passed + $(grep -c '^ok ' report.log))) failed=$((failed + $(grep -c '^not ok ' report.log)))
[ $status -eq 0 ] || fail "the browser" "$(tail -n 5 report.log)"
finish
