#!/usr/bin/env bash
# Malformed inputs: tests/parse/NAME.{jsonl,edn,json,txt,bincode,log} must be refused with exit 65, nothing on
# standard output, and the message in NAME.expect behind the path.
set -u
. "$(dirname "$0")/lib.sh"

for file in "$ROOT"/tests/parse/*.{jsonl,edn,json,txt,bincode,log}; do
    name=$(basename "$file") expected="${file%.*}.expect"
    expect "$name exits with 65" 65 "$ESSE" check --quiet "$file"
    same "$name says what and where" "esse: $file:$(head -n 1 "$expected")" "$ERR"
    same "$name gives no verdict" "" "$OUT"
done
finish
