#!/usr/bin/env bash
# Random statements of MySQL's dialect: does `esse sql --dialect mysql` say what MariaDB says?
# usage: test_exec_mysql.sh ESSE [STATEMENTS [SEED]]
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

export LC_ALL=C.UTF-8
if ! mariadb_start "$WORK"; then
    skip "statements on MariaDB" "MariaDB cannot be had or started: NOTHING was tested live"
    finish
fi
check "statements return on MariaDB what they return here" python3 "$ROOT/tests/live/mysql_random.py" "$ESSE" "$MARIA_SOCKET" \
    --statements "${2:-600}" --seed "${3:-1}"
finish
