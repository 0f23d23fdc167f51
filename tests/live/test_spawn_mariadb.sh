#!/usr/bin/env bash
# A private MariaDB that esse starts itself, and what it does to it.
# usage: test_spawn_mariadb.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/spawning.sh"

quiet mariadb --txns 300
has "... and says which it is" "$(cat "$WORK/out")" "mariadb 10."
as_nobody mariadb --txns 100

expect "kill -9 and restarts: serializable still holds" 0 spawned mariadb --faults kill,restart --fault-every 1s \
    --duration 6s --out "$WORK/faults"
has "... connections were lost" "$OUT" "connections lost"
has "... and the log was read to its end" "$OUT" "versions from the binary log"
after_faults mariadb "$WORK/faults"
expect "silent for a while, or cut off: the log is read on" 0 spawned mariadb --faults pause,partition --fault-every 1s \
    --duration 5s --out "$WORK/silent"
has "... to its end" "$OUT" "versions from the binary log"
after_faults mariadb "$WORK/silent"
finish
