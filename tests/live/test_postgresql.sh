#!/usr/bin/env bash
# PostgreSQL, a private server: what it claims at each level, what it allows, and a crash in the middle.
# usage: test_postgresql.sh ESSE
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/live/servers.sh"
. "$ROOT/tests/live/serializable.sh"
trap 'stop_servers; rm -rf "$WORK"' EXIT

if ! postgresql_start "$WORK"; then
    skip "PostgreSQL" "$(tail -n 1 "$WORK"/*.log 2>/dev/null) postgresql-15 cannot be had or started: NOTHING was tested live"
    finish
fi

run() { # name, option...
    run_at "$1" "$PG_URL" --sessions 8 "${@:2}"
}

# ---- what a run that was killed has left ----
pg 'create table mine (k bigint)'
pg 'create publication esse_1'
for slot in esse_1 esse_mine; do
    pg "select pg_create_logical_replication_slot('$slot', 'test_decoding')" >/dev/null
done
expect "a run after one that was killed" 0 run swept --txns 100
same "... removes its slot, and no other" "esse_mine" "$(pg 'select slot_name from pg_replication_slots')"
same "... and its publication" "" "$(pg 'select pubname from pg_publication')"
pg "select pg_drop_replication_slot('esse_mine')" >/dev/null
same "tables of others are not analysed" 0 "$(pg "select analyze_count from pg_stat_user_tables where relname = 'mine'")"
pg 'drop table mine'

# ---- plans: a table that is read as a whole is locked as a whole, and hides what could go wrong ----
logged='-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0'
scans() { # plan: how often the server says that a session read a table so
    grep -c "$1" "$WORK/postgresql.log"
}
for workload in list-append predicate; do
    run_at "plans-$workload" "$PG_URL?options=$logged" -w $workload --duration 2s >"$WORK/plans.out" 2>&1 &
    running=$!
    sleep 1
    pg "analyze" # as autovacuum may at any time
    wait $running
done
same "no read scans a whole table, analysed or not" 0 "$(scans 'Seq Scan on esse_[lr]')"
check "... but by its index" test "$(scans 'Index Scan using esse_lists_pkey on esse_lists')" -gt 100
case "$(cat "$WORK/plans.out")" in *EXPLAIN*) fail "... and nothing is said about it" "$(cat "$WORK/plans.out")" ;; *) pass "... and nothing is said about it" ;; esac
pg "create function no_index() returns event_trigger language plpgsql as \$\$
    declare made record;
    begin
        for made in select * from pg_event_trigger_ddl_commands() where object_type = 'table' loop
            execute format('alter table %s drop constraint %s', made.object_identity,
                (select conname from pg_constraint where conrelid = made.objid and contype = 'p'));
        end loop;
    end \$\$;
    create event trigger no_index on ddl_command_end when tag in ('CREATE TABLE') execute function no_index()"
expect "a table without an index" 0 run no-index -w blindw-rh --keys 100 --read-share 1 --txns 200
has "... the summary says how it is read" "$OUT" "reads by key scan all of esse_"
pg "drop event trigger no_index; drop function no_index"

# ---- serializable ----
for workload in list-append rw-register predicate; do
    serializable "serializable holds ($workload)" "$WORK/ser-$workload" run "ser-$workload" -w $workload --txns 2000
    has "... the order of versions came from the log" "$OUT" "versions from logical decoding"
done
serializable "serializable prevents write skew" "$WORK/ser-skew" run ser-skew -w write-skew --txns 2000

# ---- repeatable read is snapshot isolation ----
expect "repeatable read: snapshot isolation holds" 0 run rr-lists -i repeatable-read -w list-append --txns 2000
has "... which is what is claimed" "$OUT" "holds snapshot-isolation"
expect "repeatable read is not serializable" 1 run rr-skew -i repeatable-read -w write-skew --level serializable --txns 4000
has "... write skew was found" "$(found rr-skew)" "G2-item"

# ---- read committed ----
expect "read committed holds" 0 run rc-lists -i read-committed -w list-append --txns 2000
# What an UPDATE or DELETE saw is not known at this level; the order of the commits decides.
for seed in 1 2 3; do
    expect "read committed with predicates holds ($seed)" 0 run rc-predicate-$seed -i read-committed -w predicate --txns 700 --seed $seed
done
expect "read committed is not snapshot isolation" 1 run rc-si -i read-committed -w list-append --level snapshot-isolation --txns 2000
has "... reads are torn" "$(found rc-si)" "G-single"
has "... which is explained" "$OUT" "would have to come before itself"
expect "read committed is not update atomic" 1 run rc-lost -i read-committed -w write-skew --level snapshot-isolation --txns 4000
has "... updates are lost" "$(found rc-lost)" "lost-update"

# ---- transactions of the user's own ----
own="sql:$ROOT/examples/on-call.sql"
serializable "a workload file: serializable holds" "$WORK/own-ser" run own-ser -w "$own" --txns 1500
has "... the order of commits came from the log" "$OUT" "commits from logical decoding"
expect "a workload file: repeatable read is not serializable" 1 run own-rr -i repeatable-read -w "$own" --level serializable --txns 2000
has "... write skew was found" "$(found own-rr)" "G2"
expect "a workload file: read committed holds" 0 run own-rc -i read-committed -w "$own" --txns 1500
# Keys of two columns, and INSERT that may find its row.
keeping seats -e 's/VALUES (:stamp.*)/& ON CONFLICT (night, seat) DO UPDATE SET guest = 7, stamp = excluded.stamp/' -e '/AND seat = :extra;/d'
for level in serializable repeatable-read read-committed; do
    expect "keys of two columns, $level" 0 run seats-$level -i $level -w "sql:$WORK/seats.sql" --txns 1500
    check "... rows are inserted over others" grep -q '"w":"seats/1,C1","v":{"guest":7,' "$WORK/seats-$level/history.jsonl"
    holds_rows "... what is recorded is what the table holds" seats-$level \
        "$(pg "select concat_ws(e'\\t', night, seat, guest, stamp) from seats")" seats night seat guest stamp
done
pg 'drop table seats'
# A database of another encoding: the history has UTF-8.
pg "create database letters encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'" >/dev/null
cat >"$WORK/letters.sql" <<'END'
table letters (name, stamp)

setup
    DROP TABLE IF EXISTS letters;
    CREATE TABLE letters (name TEXT PRIMARY KEY, stamp BIGINT);
    INSERT INTO letters VALUES ('n' || chr(233) || '''e', 0), ('plain', 0);

teardown
    DROP TABLE letters;

param stamp unique

transaction change
    UPDATE letters SET stamp = :stamp WHERE stamp >= 0;

transaction look
    SELECT name, stamp FROM letters WHERE stamp >= 0;
END
expect "a database of another encoding" 0 timeout -s KILL 120 "$ESSE" run "${PG_URL%/*}/letters" -w "sql:$WORK/letters.sql" \
    --txns 100 --out "$WORK/letters"
check "... the history has UTF-8" grep -q "\"letters/né'e\"" "$WORK/letters/history.jsonl"
pg 'drop database letters' >/dev/null

# ---- the other way to read the log ----
expect "test_decoding tells the order too" 0 timeout -s KILL 120 "$ESSE" run "$PG_URL?decoding=test_decoding" \
    -w rw-register --txns 1000 --out "$WORK/text"
has "... all of it" "$OUT" "versions from logical decoding"
check "... as pgoutput does: every committed write is in it" python3 "$ROOT/tests/live/committed.py" "$WORK/text"
check "every committed write is in the log" python3 "$ROOT/tests/live/committed.py" "$WORK/ser-rw-register"

# ---- shadow transactions ----
verified() { # what run printed
    sed -n 's/^  \([1-9][0-9]*\) statements verified by shadow transactions.*/\1/p' <<<"$1"
}
url=$PG_URL
PG_URL="$url?verify=snapshots"
serializable "shadow transactions: serializable holds" "$WORK/shadow-ser" run shadow-ser -w predicate --txns 1000
check "... how many statements were verified is reported" test -n "$(verified "$OUT")"
case "$OUT" in *"could not be"*) fail "... none could not be" "$OUT" ;; *) pass "... none could not be" ;; esac
# At repeatable read a row may be inserted after a delete that was not seen, which the verdict tells
# (docs/design/live-postgresql.md); at read committed what an UPDATE saw is not known.
for level in repeatable-read read-committed; do
    run "shadow-$level" -i $level -w predicate --txns 1000 >"$WORK/shadow.out" 2>&1
    status=$?
    check "shadow transactions, $level: the run is not ended by them" test $status -le 2
    check "... statements were verified" test -n "$(verified "$(cat "$WORK/shadow.out")")"
done
expect "nothing but snapshots can be verified: status 64" 64 "$ESSE" run "$url?verify=rows"
expect "other dialects have no snapshots: status 64" 64 "$ESSE" run "$url?dialect=h2&verify=snapshots"
# A database that shows two transactions with one snapshot different rows: a policy that depends on
# the isolation level, which is the shadow's own.
pg "create role bea login; grant all on schema public to bea;
    create function hide() returns event_trigger language plpgsql as \$\$
    declare made record;
    begin
        for made in select * from pg_event_trigger_ddl_commands() where object_type = 'table' loop
            execute format('alter table %s enable row level security', made.object_identity);
            execute format('alter table %s force row level security', made.object_identity);
            execute format('create policy hide on %s using (k %% 2 = 0 or
                current_setting(''transaction_isolation'') <> ''repeatable read'')', made.object_identity);
        end loop;
    end \$\$;
    create event trigger hide on ddl_command_end when tag in ('CREATE TABLE') execute function hide()" >/dev/null
PG_URL="postgresql://bea@127.0.0.1:$PG_PORT/postgres"
run hides -w predicate --txns 300 >"$WORK/hides.out" 2>&1
status=$?
check "a database that hides rows from some transactions" test $status -le 2
PG_URL="$PG_URL?verify=snapshots"
expect "... is found out: the run ends" 69 run hides-shadow -w predicate --txns 300
has "... with what the two saw" "$ERR" "shadow"
has "... by which statement" "$ERR" " where v "
pg "drop event trigger hide; drop function hide" >/dev/null
PG_URL=$url

# ---- manners ----
same "no table, slot or publication is left behind" "0" \
    "$(pg "select (select count(*) from pg_class where relname like 'esse%') + (select count(*) from pg_replication_slots)
           + (select count(*) from pg_publication)")"
expect "no server there: status 69" 69 "$ESSE" run "postgresql://postgres:geheimnis@127.0.0.1:1/postgres" --out "$WORK/away"
has "... the hosts that were tried are named" "$ERR" "127.0.0.1"
case "$OUT$ERR" in *geheimnis*) fail "... the password is not" "$ERR" ;; *) pass "... the password is not" ;; esac
expect "an unknown parameter: status 64" 64 "$ESSE" run "$PG_URL?nonsense=1"
pg "create role anna login password 'geheimnis'; grant all on schema public to anna" >/dev/null
expect "a role without replication, and a password" 0 "$ESSE" run "postgresql://anna:geheimnis@127.0.0.1:$PG_PORT/postgres" \
    --txns 200 --out "$WORK/anna"
if grep -rqs -e geheimnis -e anna: "$WORK/anna"; then fail "no secret is saved" "found one"; else pass "no secret is saved"; fi
PGPASSWORD=geheimnis expect "PGPASSWORD is honoured" 0 "$ESSE" run "postgresql://anna@127.0.0.1:$PG_PORT/postgres" --txns 50 --out "$WORK/env"
if ldd "$ESSE" | grep -q asan; then finish; fi

# ---- a crash in the middle ----
crash() {
    local pids
    pids="$PG_PID $(pgrep -P "$PG_PID" | tr '\n' ' ')"
    # shellcheck disable=SC2086
    kill -9 $pids
    sleep 0.3
    postgresql_again "$WORK"
}
timeout -s KILL 120 "$ESSE" run "$PG_URL" --sessions 16 --duration 6s -w list-append --out "$WORK/crash" >"$WORK/crash.out" 2>&1 &
running=$!
sleep 2 && crash && sleep 1.5 && crash
wait $running
status=$? OUT=$(cat "$WORK/crash.out") ERR=
was_serializable "kill -9 twice: serializable still holds" "$WORK/crash" $status
has "... connections were lost and made again" "$OUT" "order of"
same "... unknown outcomes are counted" \
    "$(grep -c '"status":"unknown"' "$WORK/crash/history.jsonl")" "$(sed -n 's/.* \([0-9]*\) unknown.*/\1/p' "$WORK/crash.out" | head -n 1)"
check "... no committed transaction was lost" python3 "$ROOT/tests/live/committed.py" "$WORK/crash"
same "... and nothing is left behind" "0" \
    "$(pg "select (select count(*) from pg_class where relname like 'esse%') + (select count(*) from pg_replication_slots)")"

# ---- commits that are acknowledged and then lost: what is not written down yet dies with the server ----
stop_servers
mkdir -p "$WORK/async" && chmod a+rx "$WORK/async"
postgresql_start "$WORK/async" "synchronous_commit = off" "wal_writer_delay = 10s"
loses() { # name, option...
    run_at "$1" "$PG_URL" --duration 3s "${@:2}" >"$WORK/$1.out" 2>&1 &
    running=$!
    sleep 1.2
    # The writer of the log is held first, so that it has something to lose.
    kill -STOP "$(pgrep -P "$PG_PID" -f walwriter)" && sleep 0.3
    # shellcheck disable=SC2046
    kill -9 "$PG_PID" $(pgrep -P "$PG_PID")
    sleep 0.3
    postgresql_again "$WORK/async"
    wait $running
}
for workload in list-append predicate "sql:$ROOT/examples/on-call.sql"; do
    name=loses-${workload%%:*}
    loses "$name" -w "$workload"
    same "commits are lost ($workload): violated" 1 $?
    has "... by lost-commit" "$(found "$name")" "lost-commit"
    check "... the evidence is verified from the files" "$ESSE" verify --certificate "$WORK/$name/certificate.jsonl" \
        "$WORK/$name/evidence.json" "$WORK/$name/history.jsonl"
done
same "... as many as the log lacks" "$(python3 "$ROOT/tests/live/committed.py" "$WORK/loses-list-append" --lost)" \
    "$(sed -n 's/^  lost: \([0-9]*\) acknowledged commits.*/\1/p' "$WORK/loses-list-append.out")"
finish
