#!/usr/bin/env bash
# A private Galera cluster that esse starts itself, and what it does to its nodes.
# usage: test_spawn_galera.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/spawning.sh"

quiet galera -i snapshot-isolation --faults kill,partition --fault-every 1s --duration 6s
has "... and says which it is" "$(cat "$WORK/out")" "galera 4"
has "... the log was read to its end" "$(cat "$WORK/out")" "versions from the binary log"
OUT=$(cat "$WORK/out")
after_faults galera "$WORK/quiet"
finish
