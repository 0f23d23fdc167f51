#!/usr/bin/env bash
# Commits that a database lost: reported from the files alone, and kept by what makes other files of them.
set -u
. "$(dirname "$0")/lib.sh"

cat >h.jsonl <<'END'
{"session":1,"txn":"a","start":10,"end":20,"xid":7,"ops":[{"w":"x","v":1}]}
{"session":2,"txn":"b","start":12,"end":22,"ops":[{"r":"x","v":1}]}
{"session":1,"txn":"c","start":40,"end":50,"xid":7,"ops":[{"r":"x","v":null},{"w":"x","v":2}]}
END
cat >c.jsonl <<'END'
{"version_order":{"x":[2]}}
{"order":["c"]}
{"lost":["a"]}
END
expect "without the log's word the history holds" 0 "$ESSE" check -l serializable h.jsonl
expect "a commit that the log lacks is a finding" 1 "$ESSE" check --certificate c.jsonl -l serializable --evidence e.json h.jsonl
has "by its name" "$OUT" "lost-commit: a transaction was acknowledged as committed"
has "that of the transaction" "$OUT" "a did w x = 1 and its commit was acknowledged"
has "read committed is ruled out" "$OUT" "ruled out, with all that implies them: read-committed"
expect "the evidence is verified" 0 "$ESSE" verify --certificate c.jsonl e.json h.jsonl
expect "and does not follow without the log" 65 "$ESSE" verify e.json h.jsonl
sed 's/"a"/"c"/; s/\["c"\]/[]/' c.jsonl >other.jsonl
expect "nor if another was lost" 65 "$ESSE" verify --certificate other.jsonl e.json h.jsonl
expect "read uncommitted asks nothing of commits" 0 "$ESSE" check --certificate c.jsonl -l read-uncommitted h.jsonl
has "but it is reported" "$OUT" "lost-commit"
for level in read-committed snapshot-isolation strict-serializable read-atomic; do
    expect "$level is violated" 1 "$ESSE" check --certificate c.jsonl -l $level h.jsonl
done
for engine in scan dsg saturate polygraph replay; do
    expect "whatever the engine: $engine" 1 "$ESSE" check --certificate c.jsonl -l serializable --engine $engine h.jsonl
done
expect "named as an anomaly" 1 "$ESSE" check --certificate c.jsonl -l none --anomalies lost-commit h.jsonl
expect "or left out, which proves nothing" 2 "$ESSE" check --certificate c.jsonl -l serializable --except lost-commit h.jsonl

# ---- other files ----
cat h.jsonl c.jsonl >whole.jsonl
expect "one file is as good as two" 1 "$ESSE" check -l serializable whole.jsonl
expect "converted to itself" 0 "$ESSE" convert whole.jsonl again.jsonl
has "it still says so" "$(cat again.jsonl)" '{"lost":["a"]}'
expect "shrunk" 0 "$ESSE" shrink -l serializable whole.jsonl -o small.jsonl
same "to one transaction" 1 "$(grep -c session small.jsonl)"
same "and the word of the log" '{"lost":["a"]}' "$(tail -n 1 small.jsonl)"
expect "which is still violated" 1 "$ESSE" check -l serializable small.jsonl
expect "Jepsen's format cannot say it" 65 "$ESSE" convert whole.jsonl whole.edn
has "and that is reported" "$ERR" "the database"
expect "statistics count it" 0 "$ESSE" stats whole.jsonl
has "..." "$OUT" "1 commits that the database's log does not have"
expect "a stream has no log" 65 "$ESSE" check --stream -l serializable small.jsonl

# ---- what cannot be ----
refused() { # name, message, line about what was lost, more lines...
    { cat h.jsonl && printf '%s\n' "${@:3}"; } >bad.jsonl
    expect "$1: refused" 65 "$ESSE" check -l serializable bad.jsonl
    has "... and why" "$ERR" "$2"
}
refused "a commit that the order has" "lost names c, which the order has" '{"lost":["c"]}' '{"order":["c"]}'
refused "a version that an order has" "lost names c, and a version order has what it wrote" '{"lost":["c"]}' '{"version_order":{"x":[2]}}'
refused "one that only read" "lost names b, which writes nothing" '{"lost":["b"]}'
refused "one that aborted" "lost names d, which was never acknowledged" '{"lost":["d"]}' \
    '{"session":4,"txn":"d","status":"aborted","ops":[{"w":"x","v":4}]}'
refused "one that a writer saw that is not lost" "and e, which is not lost and writes, read what it wrote" '{"lost":["a"]}' \
    '{"session":4,"txn":"e","ops":[{"r":"x","v":1},{"w":"y","v":4}]}'
refused "no transaction" "there is no transaction 'z'" '{"lost":["z"]}'
refused "one named twice" "lost names the transaction 'a' twice" '{"lost":["a","a"]}'
refused "two lines" "given twice" '{"lost":["a"]}' '{"lost":["c"]}'
expect "a log that is to be complete and lacks a commit: the message names the remedy" 65 "$ESSE" check -l serializable \
    <(cat h.jsonl && echo '{"certificate":"commit-order","complete":true}' && echo '{"order":["c"]}')
has "..." "$ERR" "a line 'lost' says so"

# ---- generated ----
expect "planted" 0 "$ESSE" gen rw-register -n 50 --anomaly lost-commit --certificate -o g.jsonl
expect "and found" 1 "$ESSE" check -l read-committed g.jsonl
has "..." "$OUT" "lost-commit"
finish
