#!/usr/bin/env bash
# esse sql: statements on a store in memory.
# usage: test_sql.sh ESSE
. "$(dirname "$0")/lib.sh"

cat >bank.sql <<'SQL'
CREATE TABLE accounts (id int PRIMARY KEY, balance numeric(12,2) NOT NULL CHECK (balance >= 0));
INSERT INTO accounts VALUES (1, 100), (2, 0.5); -- two; rows
SELECT id, balance FROM accounts ORDER BY id;
SQL
expect "a file runs" 0 "$ESSE" sql bank.sql
has "... its rows are a table" "$OUT" "  1 |  100.00"
has "... with what was inserted" "$OUT" "2 inserted"
expect "standard input runs" 0 "$ESSE" sql --json - <<<"SELECT 1 + 1 AS two, NULL, 'a;b', 0.50"
same "... as JSON" "$OUT" '{"columns":["two","?column?","?column?","?column?"],"rows":[[2,null,"a;b","0.50"]],"count":1}'
printf 'SELECT 1;\n\nSELECT 1 / 0;\nSELECT 2;\n' >zero.sql
expect "an error ends with 65" 65 "$ESSE" sql zero.sql
has "... says where and what" "$ERR" "zero.sql:3: byte 10: division by zero (22012)"
expect "--keep-going goes on" 65 "$ESSE" sql --json --keep-going zero.sql
has "... behind the error" "$OUT" '"rows":[[2]]'
expect "what is not supported is named" 65 "$ESSE" sql - <<<"SELECT rank() OVER ()"
has "... with its byte" "$ERR" "byte 8: window functions are not supported (0A000)"
expect "no such file" 74 "$ESSE" sql nowhere.sql
expect "no such dialect" 64 "$ESSE" sql --dialect oracle bank.sql
finish
